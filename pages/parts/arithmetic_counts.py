"""Counts of a run, typed: what both arms came to, against what independence promises."""

from __future__ import annotations

import streamlit as st

from core.errors import InputError
from core.statistics.counts import Counts
from core.statistics.interval import Estimate, Result
from core.wording import count_of, percent, plural, point_gap, rate, read_whole, share_text
from pages.parts import state
from pages.parts.arithmetic_fields import Texts
from pages.parts.arithmetic_inputs import use_button
from pages.parts.panels import small
from sample_data.worked_examples import INVOICES

FIELDS = {
    "tasks": ("Tasks", "Tasks both arms were run on, behind the same check and cap."),
    "first": ("First drafts accepted", "Tasks whose first draft passed the check."),
    "rescued": ("Rescued by the loop", "First-draft failures the loop had accepted by the cap."),
    "redrawn": ("Rescued by retries", "First-draft failures fresh draws had accepted by the cap."),
    "wrong_first": ("Wrong, accepted at once", "Accepted first drafts that gold labels call bad."),
    "wrong_rescued": ("Wrong, rescued", "Rescued by the loop, and bad by gold labels."),
}


MAX_COUNT = 10_000_000
COUNT_RANGE = f"A number of tasks, 0 to {MAX_COUNT:,}; no part more than its whole."


def counts(cap: int, texts: Texts) -> None:
    """Draw the six boxes, what they come to, and the way into the calculator."""
    small(
        "Filled with the invoice example; type the counts of your own run. The cap is the one above."
    )
    if cap == 1:
        small("Raise the cap to 2 or more: with one draft nothing is rescued.")
        return
    values = _typed_counts()
    for column, (name, (label, meaning)) in zip(
        st.columns(6, vertical_alignment="bottom"), FIELDS.items(), strict=True
    ):
        key = f"arithmetic.counts.{name}"
        st.session_state[key] = values[name]
        column.text_input(
            label,
            key=key,
            help=f"{meaning} {COUNT_RANGE}",
            on_change=_count_edited,
            args=(name, values),
        )
    try:
        read = _read_counts(values, cap)
    except InputError as error:
        st.text(f"✕ {error} No figures are shown until then.")
        return
    _counts_table(read)
    fresh, repair, p = read.fresh_share, read.repair_rate, read.first_pass
    if isinstance(fresh, Estimate) and isinstance(repair, Estimate) and isinstance(p, Estimate):
        use_button("counts", texts | {
            "p": f"{read.first} of {read.tasks}", "r": share_text(repair.value), "rates": "",
            "fresh": f"{read.redrawn} of {read.failures}", "rho": "", "critic": "code",
        })  # fmt: skip


def _typed_counts() -> dict[str, str]:
    """Return the counts in the address as typed, or the example's."""
    parts = (state.get("counts") or "").split("-")
    if len(parts) == len(FIELDS):
        return dict(zip(FIELDS, parts, strict=True))
    return {name: str(getattr(INVOICES, name)) for name in FIELDS}


def _count_edited(name: str, values: dict[str, str]) -> None:
    # A hyphen parts the counts in the address, so a typed minus becomes the true sign.
    typed = st.session_state[f"arithmetic.counts.{name}"].replace("-", "−")
    state.put("counts", "-".join((values | {name: typed}).values()))


def _read_counts(typed: dict[str, str], cap: int) -> Counts:
    """Return the counts; raises InputError naming the box on the screen."""
    whole = {
        name: read_whole(label, typed[name], int(name == "tasks"), MAX_COUNT)
        for name, (label, _) in FIELDS.items()
    }
    try:
        return Counts(**whole, cap=cap)
    except InputError as error:
        label = FIELDS.get(error.place.replace(" ", "_"), (error.place,))[0]
        raise InputError(label, error.problem, error.remedy) from None


def _counts_table(c: Counts) -> None:
    promised = c.predicted_fresh_share
    rows: list[tuple[str, Result]] = [
        ("First drafts accepted", c.first_pass),
        ("Loop accepts", c.loop_accepted),
        ("Retries accept", c.retry_accepted),
        ("Loop rescues, of first-draft failures", c.rescue_share),
        (f"Retries rescue, F at cap {c.cap}", c.fresh_share),
        ("Repair rate behind it, if it were the same in every round", c.repair_rate),
        ("Break-even repair rate, if the same in every round", c.break_even),
        ("Good among accepted", c.precision),
        ("Wrong among accepted (not the false-accept rate)", c.false_share),
        ("Good among accepted at once", c.precision_first),
        ("Good among rescued", c.precision_rescued),
        ("Accepted and good, of all tasks", c.correct_of_all),
    ]
    if isinstance(c.fresh_share, Estimate):
        gap = promised - c.fresh_share.value
        st.markdown(
            f"**Independence promises retries {percent(promised)} of the failures; they rescued "
            f"{percent(c.fresh_share.value)}.** What independence hides: {point_gap(gap)}."
            if gap > 0
            else f"**Retries rescued {percent(c.fresh_share.value)} of the failures**, no less than "
            f"the {percent(promised)} independence promises."
        )
    st.dataframe(
        [
            {"Measured": name, "Value (95 %)": rate(value), "Counts": count_of(value)}
            for name, value in rows
        ],
        hide_index=True,
        height="content",
    )
    small(
        "Only the rescues by the cap were counted, not those of each round, so there is no repair "
        "rate of a round here: replayed traces have them.",
        f"{plural(c.flagged, 'task')} left the loop unaccepted, flagged for a person. Whether the "
        "arms differ by more than chance needs the pairs, task by task.",
    )
