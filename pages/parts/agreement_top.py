"""The bar above the agreement page: who is measured, on what, under which version and filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.labelling.split import Side
from core.store.contracts import Version
from core.store.judgements import JudgeKind, judges
from core.store.looks import looks, open_test
from core.store.splits import load_split
from core.store.store import Project
from core.verdict import OVERALL
from core.wording import criterion_name
from core.wording_agreement import CHOSEN, look_line
from pages.parts import state
from pages.parts.agreement_numbers import (
    PERSON,
    View,
    columns,
    counted,
    drawn,
    known_versions,
    people,
)
from pages.parts.guard import guarded
from pages.parts.panels import empty, small
from pages.parts.reviewer import named
from pages.parts.workspace import store

NO_FILTER = ""


def choose(project: Project, newest: Version | None) -> View:
    """Draw the bar and return what is chosen; ends the page when nobody can be measured."""
    known = {str(j.id): j for j in judges(store(), project.id)}
    recorded = [key for key, j in known.items() if j.kind is not JudgeKind.CODE] or list(known)
    # One that never answered stands here only where nobody did.
    recorded = [key for key in recorded if known[key].outputs] or recorded
    numbers = known_versions(project)
    version = newest
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = list(people(project, version))
        choices = [*recorded, *(f"{PERSON}{name}" for name in names)]
        if not choices:
            empty(
                "No judge has said anything yet.", "Import verdicts or run the code checks", "judge"
            )
        evaluator = state.pick(
            "judge", "Measured", choices, width=250, help="A judge, or a reviewer against the others.",
            show=lambda key: f"{key.removeprefix(PERSON)} (reviewer)" if key.startswith(PERSON)
            else known[key].name,
        )  # fmt: skip
        assert evaluator is not None
        if numbers:
            first = next(iter(numbers))
            number = pick_or(
                "version", "Contract version", list(numbers), first, width=140,
                show=lambda n: f"{n} (newest)" if n == first else n,
            )  # fmt: skip
            version = numbers[number]
        keys = [OVERALL, *(version.contract.keys if version else ())]
        key = state.pick("criterion", "Criterion", keys, show=criterion_name, width=220)
        assert key is not None
        column, value = _filter(project, version, evaluator)
        part = pick_part(project)
    _gate(project, version, part)
    person = evaluator.startswith(PERSON)
    chosen = "" if person else _chosen(project, version, evaluator)
    return View(
        project, version, evaluator,
        evaluator.removeprefix(PERSON) if person else known[evaluator].name,
        None if person else int(evaluator), key, column, value, chosen, part,
        counted(project, version, evaluator, column, value, chosen, part),
    )  # fmt: skip


def pick_part(project: Project) -> str:
    """Draw dev or test; "" in a project without a split."""
    if load_split(store(), project.id) is None:
        state.put("part", None)
        return ""
    return pick_or(
        "part", "Part", [side.value for side in Side], Side.DEV.value, width=110, show=str
    )


def _gate(project: Project, version: Version | None, part: str) -> None:
    """Keep the test part shut until somebody opens it on purpose: each look is counted."""
    if part != Side.TEST or version is None:
        return
    opened = f"agreement.opened.{project.id}.{version.id}"
    before = looks(store(), version)
    if st.session_state.get(opened):
        small(look_line(len(before), version.number))
        return
    with st.container(border=True, horizontal_alignment="center"):
        st.text(look_line(len(before), version.number))
        if before:
            small(*(f"{one.at[:16].replace('T', ' ')} UTC, {one.who}" for one in before[-5:]))
        st.button(
            "Open the test part", type="primary", key="agreement.open_test",
            on_click=_open, args=(project, version, opened),
        )  # fmt: skip
    st.stop()


@guarded
def _open(project: Project, version: Version, opened: str) -> None:
    open_test(store(), project.id, version, named() or "somebody")
    st.session_state[opened] = True


def _filter(project: Project, version: Version | None, evaluator: str) -> tuple[str, str]:
    """Draw the filter by an imported column; returns ("", "") without one."""
    everything = counted(project, version, evaluator, "", "", "", "").results
    known = columns(project, everything)
    if not known:
        state.put("column", None)
        return "", ""
    column = pick_or(
        "column", "Filter by column", [NO_FILTER, *known], NO_FILTER, width=170,
        show=lambda name: name or "No filter",
    )  # fmt: skip
    if not column:
        state.put("value", None)
        return "", ""
    value = state.pick(
        "value", "Value", list(known[column].values), width=180,
        show=lambda text: text or "(blank)",
    )  # fmt: skip
    return column, value or ""


def _chosen(project: Project, version: Version | None, evaluator: str) -> str:
    """Return how the labelled outputs were chosen: as answered, else as the queue gave them out."""
    answer = state.get("chosen")
    return answer if answer in CHOSEN else drawn(project, version, evaluator)


def ask_chosen(view: View) -> None:
    """Ask how the labelled outputs were chosen; the answer stands in the address."""
    by_queue = drawn(view.project, view.version, view.evaluator)
    pick_or(
        "chosen", "How were the labelled outputs chosen?", list(CHOSEN), by_queue,
        show=CHOSEN.__getitem__, width=420,
    )  # fmt: skip
    if by_queue == view.chosen != "unsaid":
        small("As the queue gave them out.")


def pick_or(
    name: state.Name,
    label: str,
    options: Sequence[str],
    default: str,
    *,
    show: Callable[[str], str],
    **settings: object,
) -> str:
    """Draw a selection that leaves the address alone while it is at its default."""
    current = state.get(name)
    key = f"pick.{name}"
    st.session_state[key] = current if current in options else default
    if current is not None and current not in options:
        state.put(name, None)

    def picked() -> None:
        value = st.session_state[key]
        state.put(name, None if value == default else value)

    chosen: str = st.selectbox(
        label, options, format_func=show, key=key, on_change=picked, **settings
    )
    return chosen
