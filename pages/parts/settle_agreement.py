"""How far people agree: per criterion, two by two, and each reviewer against the others."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.labelling.settling import Agreement, Standing, by_disagreement, splits
from core.statistics.confusion import FAIL, PASS
from core.store.settling import OPEN, LabelTable, Reader
from core.store.store import Project
from core.verdict import OVERALL
from core.wording import coefficient, count_of, criterion_name, rate
from pages.parts import state
from pages.parts.settle_numbers import agreements, labels, now
from pages.parts.shell import page_at

SHORT = {
    Standing.FIX: "Fix the criterion before the judge",
    Standing.ENOUGH: "People agree",
    Standing.OPEN: "Not shown either way",
    Standing.UNMEASURED: "Two labels per output",
}


def contract_button(key: str, where: str) -> None:
    """Draw the one click from a criterion to its place on the contract page."""
    if key == OVERALL:
        return
    if st.button(f"Open {key} on the contract page", key=f"settle.contract.{where}.{key}"):
        state.put("criterion", key)
        st.switch_page(page_at("contract"))


def agreement_panel(project: Project, reader: Reader) -> None:
    """Draw agreement per criterion, the pairs behind it, and each reviewer against the others."""
    project, current = now(project)
    table = labels(project, current, reader)
    found = agreements(table)
    ordered = [found[key] for key in by_disagreement(found)]
    for one in ordered:
        if one.standing in (Standing.FIX, Standing.OPEN) and one.split:
            says, button = st.columns([3, 2], vertical_alignment="center")
            says.text(f"{criterion_name(one.criterion)}: {one.says}")
            with button:
                contract_button(one.criterion, "agreement")
    st.subheader("Agreement per criterion", anchor=False)
    st.caption(
        "Least agreement first, 95 % intervals. Outputs with fewer than two labels do not count; "
        "a decision changes no figure here. Alpha falls when nearly all labels are alike, AC1 "
        "does not: read both."
        + ("" if reader.settling else " Only outputs you have labelled yourself are counted.")
    )
    st.dataframe([_row(one, table) for one in ordered], hide_index=True)
    st.subheader("Two by two", anchor=False)
    pairs = [
        {
            "Criterion": criterion_name(one.criterion),
            "Reviewers": f"{pair.first} and {pair.second}",
            "Kappa": coefficient(pair.kappa),
            "Same label": f"{pair.same} of {pair.n}",
        }
        for one in ordered
        for pair in one.pairs
        if pair.n
    ]
    _table(pairs, "No two people have labelled the same output.")
    st.subheader("Each reviewer against the others", anchor=False)
    st.caption(
        "Gold here is the strict majority of the others, without the reviewer and without "
        "decisions. False accept: the others fail it, the reviewer passes it."
    )
    against = [
        {
            "Criterion": criterion_name(one.criterion),
            "Reviewer": mine.reviewer,
            "False accepts": rate(mine.confusion.false_accept_rate),
            "of bad": count_of(mine.confusion.false_accept_rate),
            "False rejects": rate(mine.confusion.false_reject_rate),
            "of good": count_of(mine.confusion.false_reject_rate),
            "Others split": mine.undecided,
            "Nobody else": mine.alone,
        }
        for one in ordered
        for mine in one.against
        if mine.confusion.n + mine.undecided
    ]
    _table(against, "Nobody has labelled an output that others have labelled.")


def _row(one: Agreement, table: LabelTable) -> dict[str, object]:
    rows = splits(table.codes[one.criterion])
    settled = table.settled[one.criterion][rows]
    return {
        "Criterion": criterion_name(one.criterion),
        "What it asks for": SHORT[one.standing],
        "Alpha": coefficient(one.alpha) if one.paired else "–",
        "AC1": coefficient(one.ac1) if one.paired else "–",
        "n": one.paired,
        "Split": one.split,
        "Settled": int(np.count_nonzero((settled == PASS) | (settled == FAIL))),
        "Left undecided": int(np.count_nonzero(settled == OPEN)),
    }


def _table(rows: list[dict[str, object]], nothing: str) -> None:
    if rows:
        st.dataframe(rows, hide_index=True)
    else:
        st.text(f"{nothing[:-1]}, or none you may see yet.")
