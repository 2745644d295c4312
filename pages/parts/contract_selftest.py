"""The self-test of judged criteria: what a judge says of their own examples, beside them."""

from __future__ import annotations

import streamlit as st

from core.contract.contract import Budget
from core.contract.criterion import CheckedBy, Criterion
from core.errors import InputError
from core.runs.examples import SIDES, Tried, create_self_test, testable, tried
from core.runs.setup import JudgeSetup
from core.runs.starting import refuse_to_start
from core.store.contracts import Version, latest_version
from core.store.judge_config import judges_asked_here
from core.store.runs import RunKind, RunState, runs_of
from core.store.store import Project
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.judge_live import small_watch
from pages.parts.panels import mark, small
from pages.parts.running import prices, runs, secrets
from pages.parts.workspace import store

NOTES = {
    True: "",
    False: "  ← the judge disagrees with you here: mend the question or the example",
    None: "  ← no verdict could be read",
}


def judge_said(project: Project, criterion: Criterion | None, example: str) -> None:
    """Draw what the chosen judge said of one example of a judged criterion.

    `example` is "pass_example" or "fail_example". What was said of another wording is not shown.
    """
    judges = {str(i): j for i, j in judges_asked_here(store(), project.id).items()}
    chosen = _chosen(judges)
    if criterion is None or chosen is None:
        small("Not tested yet: no judge has looked at this example.")
        return
    setup = JudgeSetup.from_data(judges[chosen].config)
    found = tried(store(), [criterion], setup).get(criterion.key, {})
    one = found.get(SIDES[example == "fail_example"])
    if one is None or one.said is None:
        small("Not tested yet: no judge has looked at this example as it is worded now.")
        return
    _result(one, judges[chosen].name)


def _result(one: Tried, judge: str) -> None:
    assert one.said is not None
    st.text(f"{mark(one.said)}  {one.said.evidence}{NOTES[one.as_written]}")
    small(f"Said by {judge}, asked with the question alone.")


def self_test_bar(project: Project, version: Version | None, criterion: Criterion | None) -> None:
    """Draw the choice of the judge and the button that lets it judge the examples."""
    if criterion is None or criterion.checked_by is not CheckedBy.JUDGE:
        return
    judges = {str(i): j for i, j in judges_asked_here(store(), project.id).items()}
    if not judges:
        small("To test the examples, set up a judge on the Judge page and let it judge one output.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = state.pick(
            "judge", "Judge that tries the examples", list(judges),
            show=lambda i: judges[i].name, width=320,
        )  # fmt: skip
        assert chosen is not None
        setup = JudgeSetup.from_data(judges[chosen].config)
        trouble = _trouble(setup, criterion, version)
        st.button(
            "Try both examples", key=f"selftest.{project.id}.{criterion.key}", on_click=_try,
            args=(project, criterion, setup), disabled=trouble is not None,
        )  # fmt: skip
    if trouble is not None:
        small(trouble)
    newest = next((r for r in runs_of(store(), project.id) if r.kind is RunKind.EXAMPLES), None)
    if newest is not None and newest.unfinished:
        small_watch(newest.id)
    elif newest is not None and newest.state is RunState.FAILED:
        st.text(f"The last self-test stopped: {newest.error}")


def _chosen(judges: dict[str, object]) -> str | None:
    wanted = state.get("judge")
    return wanted if wanted in judges else next(iter(judges), None)


def _trouble(setup: JudgeSetup, criterion: Criterion, version: Version | None) -> str | None:
    if version is None:
        return "Save a first version of the contract, then its examples can be tried."
    if not testable([criterion]):
        return "The question and both examples have to be written first."
    try:
        refuse_to_start(setup, Budget(), prices(), secrets)
    except InputError as error:
        return str(error)
    return None


@guarded
def _try(project: Project, criterion: Criterion, setup: JudgeSetup) -> None:
    version = latest_version(store(), project.id)
    assert version is not None
    create_self_test(store(), project.id, version, [criterion], setup)
    runs().wake()
