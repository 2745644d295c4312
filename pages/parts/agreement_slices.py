"""Slices: both rates by the values of an imported column, with the warning that belongs to it."""

from __future__ import annotations

import streamlit as st

from core.charts import RateRow
from core.store.measured import MOST_SLICES, plain_rates, slices
from core.wording_agreement import FAR, FRR, fishing, rate_row
from pages.parts import state
from pages.parts.agreement_numbers import View, columns, counted
from pages.parts.agreement_panels import interval_specs, marks, side_by_side
from pages.parts.panels import small


def slices_view(view: View) -> None:
    """Draw the criterion in view by the values of a column; a slice opens as a filter."""
    everything = counted(view.project, view.version, view.evaluator, "", "", "", view.part).results
    known = columns(view.project, everything)
    if not known:
        small("No column to slice by: outputs were imported without further columns.")
        return
    name = state.pick("slice", "Slice by column", list(known), width=260)
    assert name is not None
    found = slices(everything, known[name], view.key)
    if not found:
        small("No slice of this column has a labelled output on this criterion.")
        return
    st.warning(fishing(len(found)))
    shown = [(one, one.value or "(blank)", plain_rates(one.confusion)) for one in found]
    rows = [
        RateRow(text, series, rate)
        for _, text, rates in shown
        for series, rate in ((FAR, rates.false_accept_rate), (FRR, rates.false_reject_rate))
    ]
    side_by_side(
        interval_specs(tuple(rows), marks(view)),
        alt="Both rates of every slice with 95 % intervals; the table below holds the same numbers.",
    )
    table = [
        rate_row(text, one.confusion, (r.false_accept_rate, r.false_reject_rate, r.precision))
        for one, text, r in shown
    ]
    st.dataframe(table, hide_index=True)
    if len(known[name].values) > len(found):
        small(
            f"{len(known[name].values):,} values in all; shown are the {len(found)} largest that "
            f"have a labelled output (at most {MOST_SLICES})."
        )
    small("To read the outputs of a slice, choose it under Filter by column above.")
