"""The first view of the agreement page: headline, rates, named 2×2, people beside the judge, cases."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.charts import RateRow, interval_charts
from core.charts_agreement import PersonRow, people_charts
from core.glossary import help_of
from core.statistics.interval import Result, Undefined
from core.store.blind import Sight
from core.store.cases import Case, load_case
from core.store.judgements import JudgeKind, judges
from core.store.imports import imports_of
from core.store.store import Project
from core.verdict import OVERALL
from core.wording import (
    coefficient,
    count_of,
    criterion_name,
    decimal,
    percent,
    plural,
    rate_range,
)
from core.wording_agreement import (
    FAR,
    FRR,
    as_good_as_people,
    base_line,
    cluster_line,
    constant,
    left_out_line,
    rate_row,
    verdict_on,
)
from pages.parts import state
from pages.parts.agreement_numbers import PERSON, View, counted, people
from pages.parts.panels import MARKS, mark, small, verbatim
from pages.parts.shell import page_at
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
    "far": help_of("far", "unknown"),
    "frr": help_of("frr"),
    "precision": help_of("precision", "false share"),
    "kappa": help_of("kappa", "ac1"),
}


def sentences(view: View) -> list[str]:
    """Return the headline in words, the same on screen and in the report."""
    shown = view.rates
    said = constant(view.name, view.cells)
    lines = [] if said is None else [said]
    if view.cells.n or shown.reweighted:
        lines += verdict_on(shown.false_accept_rate, shown.false_reject_rate, view.limits)
    if shown.reweighted:
        lines.append(
            "Labels were chosen by the judge's verdict, so both rates are reweighted to all the "
            "outputs it judged (Begg and Greenes); the table below holds the plain counts."
        )
    for what, name in (("false_accept_rate", FAR), ("false_reject_rate", FRR)):
        if view.judge is not None:
            beside = [(one, getattr(r, what)) for one, r in _people_rates(view)]
            among = as_good_as_people(getattr(shown, what), beside, name)
            lines += [] if among is None else [among]
    return lines


def headline(view: View) -> None:
    """Say in words what the numbers show."""
    with st.container(border=True):
        who = "the others' labels" if view.judge is None else "people's labels"
        st.text(f"{view.name} against {who} · {criterion_name(view.key)}")
        if view.filtered:
            st.text(f"Only outputs with {view.filtered}.")
        for line in sentences(view):
            st.text(line)
        bare = not view.cells.n + view.cells.unscored and not view.filtered
        # The criterion chosen here is the one the label page asks.
        if bare and st.button("Label outputs for this criterion", key="agreement.label"):
            state.put_view("label", "label")
            st.switch_page(page_at("label"))


def rates(view: View) -> None:
    """Draw the four numbers, each with its interval and counts."""
    shown = view.rates
    for column, (title, result, text, kind) in zip(
        st.columns(4),
        (
            (FAR, shown.false_accept_rate, "bad outputs passed", "far"),
            (FRR, shown.false_reject_rate, "good outputs failed", "frr"),
            ("Precision", shown.precision, "accepted were good", "precision"),
            ("Kappa", view.cells.kappa, "", "kappa"),
        ),
        strict=True,
    ):
        with column, st.container(border=True, height="stretch"):
            _number(title, result, text, kind)
            if kind == "kappa":
                small(f"AC1 {coefficient(view.cells.ac1)}")


def _number(title: str, result: Result, text: str, kind: str) -> None:
    # The title as text and not as the metric's label, which is cut off where the window is narrow.
    st.text(title, help=HELP[kind])
    if isinstance(result, Undefined):
        st.metric(title, "–", label_visibility="collapsed")
        small(result.reason)
        return
    if kind == "kappa":
        st.metric(title, decimal(result.value), label_visibility="collapsed")
        small(f"n = {result.n}", f"95 %: {decimal(result.low)} to {decimal(result.high)}")
        return
    st.metric(title, percent(result.value), label_visibility="collapsed")
    counts = (
        f"reweighted, from {plural(result.n, 'label')}"
        if result.k is None
        else f"{count_of(result)} {text}"
    )
    small(counts, f"95 %: {rate_range(result)}")


def table_2x2(view: View) -> None:
    """Draw the named 2×2; a cell opens its outputs below."""
    who = view.name if view.judge is None else "Judge"
    others = "Others" if view.judge is None else "People"
    st.subheader("Who said what", anchor=False)
    st.caption("Choose a cell to read its outputs below.")
    head, *columns = st.columns([2, 3, 3])
    fails = "fails" if view.judge is None else "fails (UNKNOWN too)"
    for column, text in zip(columns, ("passes", fails), strict=True):
        column.text(f"{who} {text}")
    for good, name in ((True, "good"), (False, "bad")):
        head, *columns = st.columns([2, 3, 3], vertical_alignment="center")
        head.text(f"{others} say {name}")
        for column, (cell, (_, _, words)) in zip(
            columns, [i for i in CELLS.items() if i[1][0] is good], strict=True
        ):
            chosen = state.get("cell", "false_accept") == cell
            column.button(
                plural(getattr(view.cells, cell), words.removesuffix("s")),
                key=f"agreement.{cell}",
                type="primary" if chosen else "secondary",
                width="stretch",
                on_click=_open_cell,
                args=(cell,),
            )


def _open_cell(cell: str) -> None:
    state.put("cell", cell)
    state.put("output", None)


def left_out_words(view: View) -> list[str]:
    """Say how many outputs count, what clusters cost, and what is left out and why."""
    c, r, key = view.cells, view.counted.results, view.key
    missing = (
        "labelled by others and not by this reviewer"
        if view.judge is None
        else "labelled but without a verdict (unscored)"
    )
    lines = [base_line(c), cluster_line(c)]
    lines.append(
        left_out_line(
            [
                (c.unlabelled, "without a gold label"),
                (r.undecided[key], "of these with reviewers split evenly"),
                (c.unscored, missing),
                (r.few_shot, "shown to the judge as few-shot examples, so without a verdict here"),
                (r.stale_labels[key], "labels for an earlier wording of this criterion"),
                (
                    r.stale_verdicts[key],
                    "verdicts for an earlier wording or check, or another input",
                ),
                (r.examples, "outputs equal to an example in the contract"),
            ]
        )
    )
    return [line for line in lines if line]


def words_chosen(project: Project) -> None:
    """Say which words of the imported files were taken for PASS and FAIL."""
    said = []
    for batch in imports_of(store(), project.id):
        if batch.choices:
            fails = batch.choices.get("fail")
            other = "every other word" if fails is None else ", ".join(fails)
            passes = ", ".join(batch.choices.get("pass", []))
            if not passes and fails == []:
                continue  # a log whose scores were left out
            said.append(f"{batch.file_name}: PASS = {passes}; FAIL = {other}")
    if said:
        small("Words as chosen at import", *said[:6])


Rows = tuple[RateRow, ...]


Specs = list[dict[str, Any]]


@st.cache_resource(max_entries=30, show_spinner=False)
def interval_specs(rows: Rows, marks: tuple[tuple[str, float], ...]) -> Specs:
    """Return the interval charts as Vega-Lite: building them takes longer than drawing them."""
    return [one.to_dict() for one in interval_charts(rows, dict(marks))]


@st.cache_resource(max_entries=30, show_spinner=False)
def _people_specs(rows: tuple[PersonRow, ...], marks: tuple[tuple[str, float], ...]) -> Specs:
    return [one.to_dict() for one in people_charts(rows, dict(marks))]


def side_by_side(specs: Specs, alt: str, first: float = 1.4) -> None:
    """Draw charts beside each other, whatever the width; `first` is how much more the first takes."""
    places = st.columns([first, *[1.0] * (len(specs) - 1)], gap="small")
    for place, spec in zip(places, specs, strict=True):
        place.vega_lite_chart(spec=spec, alt=alt, width="stretch")


def marks(view: View) -> tuple[tuple[str, float], ...]:
    """Return the limits there are, by series."""
    pairs = zip((FAR, FRR), view.limits, strict=True)
    return tuple((name, limit) for name, limit in pairs if limit)


def by_criterion(view: View) -> None:
    """Draw both rates of every criterion as intervals, and the table behind them."""
    st.subheader("Per criterion", anchor=False)
    rows, table = [], []
    for key, cells in view.counted.cells.items():
        shown, name = view.counted.rates[key], criterion_name(key)
        rows += [
            RateRow(name, FAR, shown.false_accept_rate),
            RateRow(name, FRR, shown.false_reject_rate),
        ]
        three = (shown.false_accept_rate, shown.false_reject_rate, shown.precision)
        table.append(rate_row(name, cells, three))
    side_by_side(
        interval_specs(tuple(rows), marks(view)),
        alt="False-accept and false-reject rate of every criterion with 95 % intervals; the "
        "table below holds the same numbers.",
    )
    if marks(view):
        st.caption("Dashed: the limits set in the contract.")
    st.dataframe(table, hide_index=True)


def _people_rates(view: View) -> list[tuple[str, Any]]:
    """Return (name, cells) of every reviewer with something to count on the criterion in view."""
    found = []
    for name in people(view.project, view.version):
        one = counted(
            view.project, view.version, PERSON + name, view.column, view.value, "", view.part
        ).cells[view.key]  # fmt: skip
        if one.n:
            found.append((name, one))
    return found


def people_rows(view: View) -> list[tuple[str, Any, tuple[Result, Result, Result]]]:
    """Return the reviewers beside the judge as (name, cells, rates), for picture and report."""
    return [
        (name, c, (c.false_accept_rate, c.false_reject_rate, c.precision))
        for name, c in _people_rates(view)
    ]


def as_people(view: View) -> None:
    """Draw the evaluator and every reviewer in one picture."""
    st.subheader("Is it as good as your people?", anchor=False)
    others = people_rows(view)
    if not others:
        st.caption(
            "Not known: no two people have labelled the same outputs on this criterion, so no "
            "reviewer can be measured against the others."
        )
        return
    shown = view.rates
    mine = [] if view.judge is None else [
        (view.name, view.cells, (shown.false_accept_rate, shown.false_reject_rate, shown.precision))
    ]  # fmt: skip
    rows = [
        PersonRow(RateRow(name, series, three[at]), name != view.name or view.judge is None)
        for name, _, three in (*mine, *others)
        for at, series in enumerate((FAR, FRR))
    ]
    side_by_side(
        _people_specs(tuple(rows), marks(view)),
        alt="The judge and each reviewer, both rates with 95 % intervals; the table below holds "
        "the same numbers.",
    )
    st.caption(
        "Dot: the judge against everybody's gold. Diamonds: each reviewer against the majority of "
        "the others, without their own label and without decisions."
    )
    st.dataframe([rate_row(name, c, three) for name, c, three in (*mine, *others)], hide_index=True)


def cases(view: View, sight: Sight | None) -> None:
    """Show the outputs of the chosen cell one at a time, with evidence and notes.

    With `sight` only those this person may see: a place in a cell gives away both answers.
    """
    cell = state.get("cell", "false_accept")
    is_good, passes, words = CELLS.get(cell or "", CELLS["false_accept"])
    ids = view.counted.results.cell(view.key, is_good, passes)
    st.subheader(f"Read the {words}", anchor=False)
    if not ids:
        st.caption(f"There are no {words} on this criterion.")
        return
    if sight is not None:
        everything, ids = ids, sight.shown(view.key, ids)
        say_hidden(view.project, sight, len(everything) - len(ids), "output", "agreement")
        if not ids:
            return
    shown = state.get("output")
    at = ids.index(int(shown)) if shown and shown.isdigit() and int(shown) in ids else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        for text, shortcut, to, what in (
            ("Previous", "Left", at - 1, "back"),
            ("Next", "Right", at + 1, "next"),
        ):
            st.button(
                text, key=f"agreement.{what}", disabled=not 0 <= to < len(ids), shortcut=shortcut,
                on_click=state.put, args=("output", str(ids[min(max(to, 0), len(ids) - 1)])),
            )  # fmt: skip
        st.caption(f"{at + 1} of {len(ids)}")
    one_case(view, ids[at], sight)


def one_case(view: View, output: int, sight: Sight | None, second: int | None = None) -> None:
    """Show an output with the judge's evidence beside what people said.

    `second` is another judge whose verdict stands below the first one's.
    """
    code = [j.id for j in judges(store(), view.project.id) if j.kind is JudgeKind.CODE]
    asked = code if view.judge is None else [*code, view.judge]
    case = load_case(store(), view.project.id, output, asked, view.version, sight)
    if case is None:
        st.caption("This output is no longer in the project.")
        return
    key = view.key
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.text(f"Sample {case.output.sample_id}, trial {case.output.trial}")
        if case.output.input:
            st.caption("Task input")
            verbatim(case.output.input)
        st.caption("Output")
        verbatim(case.output.text)
    with right:
        st.caption("What the judge said" if view.judge is not None else "What the checks said")
        _said(case, key)
        if second is not None:
            st.caption("What the second judge said")
            beside = load_case(
                store(), view.project.id, output, [*code, second], view.version, sight
            )
            if beside is not None:
                _said(beside, key)
        st.caption("What people said")
        for said in case.labels:
            if key in (OVERALL, said.criterion):
                what = "" if said.criterion == key else f" · {criterion_name(said.criterion)}"
                who = f"settled by {said.reviewer}" if said.settled else said.reviewer
                st.text(f"{MARKS[said.verdict]}  {who}{what}")
                if said.note:
                    verbatim(said.note)


def _said(case: Case, key: str) -> None:
    """Show verdicts with their evidence: of the criterion, or of all where overall was not asked."""
    wanted = [key] if key != OVERALL or OVERALL in case.verdicts else list(case.verdicts)
    for name in wanted:
        if (v := case.verdicts.get(name)) is not None:
            st.text(f"{mark(v)}  {criterion_name(name)}")
            if v.evidence or v.change:
                verbatim("\n".join(x for x in (v.evidence, v.change and f"→ {v.change}") if x))
