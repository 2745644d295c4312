"""The parts of the evidence page: the open contract's row, the picture, the studies, the gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.charts import ChangeRow, change_chart
from core.contract.ladder import LADDER, EvaluatorType
from core.store.contracts import Version
from core.store.store import Project
from core.wording import change_in_points, decimal, percent, plural
from pages.parts import state
from pages.parts.shell import page_at
from sample_data.evidence import Figure, Read, Source, Study, chosen, gaps, named

SOURCES = {
    Source.ITSELF: "The model itself",
    Source.OWN_TESTS: "Tests the model wrote",
    Source.TESTS_EXPLANATION: "Tests and a model's explanation",
    Source.SOUND_VERIFIER: "A sound verifier",
    Source.PERSON: "A person",
    Source.CRITIC: "Another context or another model",
    Source.SURVEY: "Survey of other studies",
}
READ = {
    Read.FULL: ("Read in full", "blue"),
    Read.ABSTRACT: ("Abstract only", "orange"),
    Read.SECONDARY: ("Second hand", "gray"),
}


def arms(figure: Figure) -> str:
    """Return the values of a figure as published: "49.0 → 43.0 %", "3 of 4"."""
    if figure.of is not None:
        return f"{decimal(figure.arms[0].value, 0)} of {figure.of}"
    if not figure.arms:
        return ""
    *before, last = figure.arms
    return "".join(f"{decimal(a.value, figure.digits)} → " for a in before) + percent(
        last.value / 100, figure.digits
    )


def change(figure: Figure) -> str:
    """Return the change of a figure in words, or nothing where nothing is compared."""
    if figure.points is None:
        return ""
    bound = f"{figure.bound} " if figure.bound else ""
    return bound + change_in_points(figure.points, figure.digits)


def your_contract(
    project: Project | None, version: Version | None, studies: Sequence[Study]
) -> EvaluatorType | None:
    """Draw which studies speak to the open project's contract; returns its ladder row."""
    with st.container(border=True):
        text, action = st.columns([3, 1], vertical_alignment="center")
        if project is None:
            text.text("No project is open. Open one to see which studies speak to its contract.")
            return None
        if version is None:
            text.text("This project has no contract yet, so no study can be set beside it.")
            if action.button("Write the contract", key="evidence.write", width="stretch"):
                st.switch_page(page_at("contract"))
            return None
        row = version.contract.evaluator.type
        found = len(chosen(studies, row=row))
        text.text(
            f"Your contract (version {version.number}) evaluates with: {LADDER[row].title}. "
            f"{plural(found, 'study speaks', 'studies speak')} to that."
        )
        mine = state.get("row") == row
        action.button(
            "Show all studies" if mine else "Show these studies",
            key="evidence.mine",
            type="secondary" if mine else "primary",
            on_click=show,
            args=("all" if mine else row.value,),
            width="stretch",
        )
    return row


def show(row: str) -> None:
    """Show every source, and the studies of one ladder row ("all": of every row)."""
    state.put("row", row)
    state.put("view", "all")


@st.cache_resource(max_entries=30, show_spinner=False)
def _chart(rows: tuple[ChangeRow, ...]) -> dict[str, Any]:
    """Return the picture as Vega-Lite: building it takes longer than drawing it."""
    spec: dict[str, Any] = change_chart(rows).to_dict()
    return spec


def picture(studies: Sequence[Study], source: Source | None) -> None:
    """Draw every change these studies measured, grouped by kind of feedback."""
    rows = [
        ChangeRow(
            SOURCES[kind],
            f"{study.short}: {figure.what}",
            figure.compares or "",
            figure.points,
            change(figure),
            arms(figure),
        )
        for kind in Source
        for study in studies
        for figure in study.figures_from(source)
        if figure.points is not None and (figure.source or study.sources[0]) is kind
    ]
    st.header("What changed", anchor=False)
    if not rows:
        st.text("None of these studies gives two values to set against each other.")
        return
    st.vega_lite_chart(
        spec=_chart(tuple(rows)),
        alt="Changes in percentage points by study, grouped by kind of feedback: "
        + "; ".join(f"{r.label}, {r.compares}: {r.said} {r.levels}".strip() for r in rows),
    )
    st.caption(
        "The rows set different things against each other, on different tasks. Read the direction; "
        "do not rank the sizes."
    )


def cards(studies: Sequence[Study], source: Source | None, mine: EvaluatorType | None) -> None:
    """Draw the studies by kind of feedback."""
    st.header(plural(len(studies), "study", "studies"), anchor=False)
    for kind in Source:
        here = [s for s in studies if (source or s.sources[0]) is kind]
        if here:
            st.subheader(SOURCES[kind], anchor=False)
        for study in here:
            _card(study, mine)
    for study in named():
        st.text(
            f"Left out: {study.title} ({study.authors}, {study.year}), {study.note}; "
            "no figure of it was read."
        )


def _card(study: Study, mine: EvaluatorType | None) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{study.authors} ({study.year})**", width="content")
            word, colour = READ[study.read]
            st.badge(word, color=colour, help="How much of the paper the overview had read.")
            if mine in study.rows:
                st.badge("Speaks to your contract", color="green")
            if study.title or study.venue:
                about = " · ".join(part for part in (study.title, study.venue) if part)
                st.text(about, width="content")
        st.text(study.finding)
        if study.figures:
            lines = [_line(f) for f in study.figures]
            filled = [name for name in lines[0] if any(line[name] for line in lines)]
            st.dataframe(lines, hide_index=True, column_order=filled)
        years = f" Years: {study.setting.years}." if study.setting.years else ""
        setting = f"{study.setting.tasks}. {study.setting.models}.{years}"
        for column, (name, text) in zip(
            st.columns(3),
            (
                ("Setting", setting),
                ("Limits", " ".join(study.limits)),
                ("Speaks to", "; ".join(LADDER[row].title for row in study.rows)),
            ),
            strict=True,
        ):
            with column, st.container(gap=None):
                st.caption(name)
                st.text(text)


def _line(figure: Figure) -> dict[str, str]:
    calls = ", ".join(str(a.calls) for a in figure.arms if a.calls is not None)
    return {
        "Measured": figure.what,
        "Compared": figure.compares or "",
        "Published": arms(figure) or "not given",
        "Change": change(figure),
        "Calls": calls,
        "n": str(figure.n or ""),
    }


def unmeasured() -> None:
    """Draw what nobody has measured, each with what to do in its place."""
    st.header("What nobody has measured", anchor=False)
    with st.container(border=True):
        question, instead = st.columns(2)
        question.caption("No study found answers")
        instead.caption("In the meantime")
        for gap in gaps():
            question, instead = st.columns(2)
            question.text(gap.what)
            instead.text(gap.meanwhile)
