"""The parts of the agreement page: headline, rates, named 2×2, per criterion, cases to read."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.charts import RateRow, interval_chart
from core.contract.contract import Limits
from core.statistics.confusion import Confusion
from core.statistics.interval import Result, Undefined
from core.store.blind import Sight
from core.store.cases import load_case
from core.store.store import Project, imports_of
from core.verdict import OVERALL
from core.wording import (
    against_limit,
    coefficient,
    count_of,
    criterion_name,
    decimal,
    percent,
    plural,
    rate,
    rate_range,
)
from pages.parts import state
from pages.parts.numbers import Agreement
from pages.parts.panels import MARKS, mark, small, verbatim
from pages.parts.sight import say_hidden
from pages.parts.workspace import store

CELLS = {
    # name: (gold is PASS, judge is PASS, words)
    "true_accept": (True, True, "true accepts"),
    "false_reject": (True, False, "false rejects"),
    "false_accept": (False, True, "false accepts"),
    "true_reject": (False, False, "true rejects"),
}
HELP = {
    "far": "False-accept rate: bad outputs the judge passed ÷ bad outputs. UNKNOWN counts as FAIL.",
    "frr": "False-reject rate: good outputs the judge failed ÷ good outputs.",
    "precision": "Good outputs ÷ outputs the judge passed. 1 − precision is the false share of "
    "accepts, which is not the false-accept rate.",
    "kappa": "Agreement beyond chance (Cohen). Read it with the table and the share of good "
    "outputs: a judge that passes everything has kappa 0.",
}


def headline(judge: str, c: Confusion, limits: Limits | None) -> None:
    """Say in words what the numbers show."""
    far = limits.false_accept_rate if limits else None
    frr = limits.false_reject_rate if limits else None
    with st.container(border=True):
        st.text(
            f"{judge} {c.says}. Kappa cannot show this: look at the two rates." if c.says else judge
        )
        st.text(against_limit(c.false_accept_rate, far, what="bad outputs", verb="passed"))
        st.text(against_limit(c.false_reject_rate, frr, what="good outputs", verb="failed"))


def rates(c: Confusion, limits: Limits | None) -> None:
    """Draw the four numbers, each with its interval and counts."""
    for column, (title, result, text, kind) in zip(
        st.columns(4),
        (
            ("False-accept rate", c.false_accept_rate, "bad outputs passed", "far"),
            ("False-reject rate", c.false_reject_rate, "good outputs failed", "frr"),
            ("Precision", c.precision, "accepted were good", "precision"),
            ("Kappa", c.kappa, "", "kappa"),
        ),
        strict=True,
    ):
        with column, st.container(border=True, height="stretch"):
            _number(title, result, text, kind)


def _number(title: str, result: Result, text: str, kind: str) -> None:
    if isinstance(result, Undefined):
        st.metric(title, "–", help=HELP[kind])
        small(result.reason)
        return
    if kind == "kappa":
        st.metric(title, decimal(result.value), help=HELP[kind])
        small(f"n = {result.n}", f"95 %: {decimal(result.low)} to {decimal(result.high)}")
        return
    st.metric(title, percent(result.value), help=HELP[kind])
    small(f"{count_of(result)} {text}", f"95 %: {rate_range(result)}")


def table_2x2(c: Confusion) -> None:
    """Draw the named 2×2; a cell opens its outputs below."""
    st.subheader("Who said what", anchor=False)
    st.caption("Choose a cell to read its outputs below.")
    head, *columns = st.columns([2, 3, 3])
    for column, text in zip(columns, ("Judge passes", "Judge fails (UNKNOWN too)"), strict=True):
        column.markdown(f"**{text}**")
    for good, name in ((True, "People say good"), (False, "People say bad")):
        head, *columns = st.columns([2, 3, 3], vertical_alignment="center")
        head.markdown(f"**{name}**")
        for column, (cell, (_, _, words)) in zip(
            columns, [i for i in CELLS.items() if i[1][0] is good], strict=True
        ):
            chosen = state.get("cell", "false_accept") == cell
            column.button(
                plural(getattr(c, cell), words.removesuffix("s")),
                key=f"agreement.{cell}",
                type="primary" if chosen else "secondary",
                width="stretch",
                on_click=_open_cell,
                args=(cell,),
            )


def _open_cell(cell: str) -> None:
    state.put("cell", cell)
    state.put("output", None)


def left_out(found: Agreement, key: str) -> None:
    """Say what is not in the numbers, and why."""
    c, r = found.confusion[key], found.results
    parts = [
        (c.unlabelled, "without a gold label"),
        (r.undecided[key], "of these with reviewers split evenly"),
        (c.unscored, "labelled but without a verdict (unscored)"),
        (r.stale_labels[key], "labels for an earlier wording of this criterion"),
        (r.stale_verdicts[key], "verdicts for an earlier wording or check"),
        (r.examples, "outputs equal to an example in the contract"),
    ]
    said = [f"{n:,} {what}" for n, what in parts if n]
    share = (
        ""
        if isinstance(c.base_rate, Undefined)
        else (
            f"{plural(c.n, 'output')} counted; people call {percent(c.base_rate.value)} of them good, "
            f"so passing everything would agree that often. "
        )
    )
    unknown = c.unknown_good + c.unknown_bad
    if unknown:
        share += f"UNKNOWN: {c.unknown_good} good, {c.unknown_bad} bad, counted as FAIL. "
    if c.by_cluster is not None:
        share += "Intervals allow for several outputs per sample. "
    st.caption(share + ("Left out: " + "; ".join(said) + "." if said else "Nothing left out."))


def words_chosen(project: Project) -> None:
    """Say which words of the imported files were taken for PASS and FAIL."""
    said = []
    for batch in imports_of(store(), project.id):
        if batch.choices:
            fails = batch.choices.get("fail")
            other = "every other word" if fails is None else ", ".join(fails)
            passes = ", ".join(batch.choices.get("pass", []))
            said.append(f"{batch.file_name}: PASS = {passes}; FAIL = {other}")
    if said:
        small("Words as chosen at import", *said[:6])


@st.cache_resource(max_entries=30, show_spinner=False)
def _chart(rows: tuple[RateRow, ...], marks: tuple[tuple[str, float], ...]) -> dict[str, Any]:
    """Return the interval chart as Vega-Lite: building it takes longer than drawing it."""
    spec: dict[str, Any] = interval_chart(rows, dict(marks)).to_dict()
    return spec


def by_criterion(found: Agreement, limits: Limits | None) -> None:
    """Draw both rates of every criterion with intervals and limits, and the numbers as a table."""
    st.subheader("Per criterion", anchor=False)
    rows, table = [], []
    for key, c in found.confusion.items():
        name = criterion_name(key)
        rows += [
            RateRow(name, "False-accept rate", c.false_accept_rate),
            RateRow(name, "False-reject rate", c.false_reject_rate),
        ]
        table.append(
            {
                "Criterion": name,
                "False accepts": f"{rate(c.false_accept_rate)}",
                "of bad": count_of(c.false_accept_rate),
                "False rejects": f"{rate(c.false_reject_rate)}",
                "of good": count_of(c.false_reject_rate),
                "Kappa": coefficient(c.kappa),
                "n": c.n,
                "Precision": rate(c.precision),
                "of accepted": count_of(c.precision),
                "Unlabelled": c.unlabelled,
                "Unscored": c.unscored,
            }
        )
    marks = {}
    if limits and limits.false_accept_rate:
        marks["False-accept rate"] = limits.false_accept_rate
    if limits and limits.false_reject_rate:
        marks["False-reject rate"] = limits.false_reject_rate
    st.vega_lite_chart(
        spec=_chart(tuple(rows), tuple(marks.items())),
        alt="False-accept and false-reject rate of every criterion with 95 % intervals; the "
        "table below holds the same numbers.",
    )
    if marks:
        st.caption("Dashed: the limits set in the contract.")
    st.dataframe(table, hide_index=True)


def cases(
    project: Project, found: Agreement, key: str, judges: list[int], sight: Sight | None
) -> None:
    """Show the outputs of the chosen cell one at a time, with evidence and notes.

    With `sight` only those this person may see: a place in a cell gives away both answers.
    """
    cell = state.get("cell", "false_accept")
    is_good, passes, words = CELLS.get(cell or "", CELLS["false_accept"])
    ids = found.cell(key, is_good, passes)
    st.subheader(f"Read the {words}", anchor=False)
    if not ids:
        st.caption(f"There are no {words} on this criterion.")
        return
    if sight is not None:
        everything, ids = ids, sight.shown(key, ids)
        say_hidden(project, sight, len(everything) - len(ids), "output", "agreement")
        if not ids:
            return
    shown = state.get("output")
    at = ids.index(int(shown)) if shown and shown.isdigit() and int(shown) in ids else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Previous",
            key="agreement.back",
            disabled=at == 0,
            shortcut="Left",
            on_click=state.put,
            args=("output", str(ids[max(at - 1, 0)])),
        )
        st.button(
            "Next",
            key="agreement.next",
            disabled=at == len(ids) - 1,
            shortcut="Right",
            on_click=state.put,
            args=("output", str(ids[min(at + 1, len(ids) - 1)])),
        )
        st.caption(f"{at + 1} of {len(ids)}")
    case = load_case(store(), project.id, ids[at], judges, sight)
    if case is None:
        st.caption("This output is no longer in the project.")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.text(f"Sample {case.output.sample_id}, trial {case.output.trial}")
        if case.output.input:
            st.caption("Task input")
            verbatim(case.output.input)
        st.caption("Output")
        verbatim(case.output.text)
    with right:
        st.caption("What the judge said")
        wanted = [key] if key != OVERALL or OVERALL in case.verdicts else list(case.verdicts)
        for name in wanted:
            if (v := case.verdicts.get(name)) is not None:
                st.text(f"{mark(v)}  {criterion_name(name)}")
                if v.evidence or v.change:
                    verbatim("\n".join(x for x in (v.evidence, v.change and f"→ {v.change}") if x))
        st.caption("What people said")
        for said in case.labels:
            if key in (OVERALL, said.criterion):
                what = "" if said.criterion == key else f" · {criterion_name(said.criterion)}"
                who = f"settled by {said.reviewer}" if said.settled else said.reviewer
                st.text(f"{MARKS[said.verdict]}  {who}{what}")
                if said.note:
                    verbatim(said.note)
