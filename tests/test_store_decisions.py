"""A decision stays on its contract version, says what changed since, and can be taken back."""

from __future__ import annotations

import pytest

from core.contract.contract import Contract
from core.errors import InputError
from core.questions import criteria_question
from core.runs.example_counts import examples_of
from core.store.baselines import Numbers, record_baseline
from core.store.contracts import Version, save_version
from core.store.decisions import (
    MOST,
    Choice,
    changed_since,
    decisions,
    record_decision,
    take_back,
)
from core.store.outputs import NewOutput, add_outputs
from core.store.store import Project, Store
from core.store.traces import add_traces
from tests.test_store_traces import run

NUMBERS = Numbers(60, 48, 39, 20, 2.0, "loop")


def contract(question: str) -> Contract:
    of = {"key": "short", "question": question, "pass_example": "a", "fail_example": "b c d e"}
    return Contract.from_data({"criteria": [of]})


@pytest.fixture
def version(store: Store, project: Project) -> Version:
    return save_version(store, project.id, contract("Is it short?"))


def test_a_decision_is_kept_with_answers_date_and_name(
    store: Store, project: Project, version: Version
) -> None:
    answers = {"Criteria": {"state": "yes", "numbers": ["Version 1, 1 criterion."]}}
    made = record_decision(
        store, project.id, version, Choice.LOOP, author=" Ana ", why="48 of 60", answers=answers
    )
    assert decisions(store, project.id) == [made]
    assert (made.version, made.choice, made.author, made.why) == (1, Choice.LOOP, "Ana", "48 of 60")
    assert made.answers == answers and made.date == made.at[:10]
    assert changed_since(store, project.id, made) == []


def test_every_change_of_what_a_decision_stood_on_is_named(
    store: Store, project: Project, version: Version
) -> None:
    add_traces(store, project.id, [run("d2")])
    record_baseline(store, project.id, 1, NUMBERS)
    made = record_decision(store, project.id, version, Choice.RETRIES, author="Ben")
    add_traces(store, project.id, [run("d2", trace_id="another")])
    assert changed_since(store, project.id, made) == ["1 trace more"]
    record_baseline(store, project.id, 1, NUMBERS)
    add_outputs(store, project.id, [NewOutput("1", "x"), NewOutput("2", "y")])
    save_version(store, project.id, contract("Is it very short?"), based_on=1)
    assert changed_since(store, project.id, made) == [
        "the contract is at version 2, this is of 1",
        "another baseline was recorded",
        "1 trace more",
        "2 outputs more",
    ]


def test_taking_one_back_lets_the_one_before_hold_again(
    store: Store, project: Project, version: Version
) -> None:
    first = record_decision(store, project.id, version, Choice.WAIT, author="Ana")
    second = record_decision(store, project.id, version, Choice.LOOP, author="Ana")
    assert [d.id for d in decisions(store, project.id)] == [second.id, first.id]
    take_back(store, project.id, second.id, author="Ben")
    take_back(store, project.id, second.id, author="Chloe")
    assert decisions(store, project.id) == [first]


def test_nobody_and_endless_reasons_are_refused(
    store: Store, project: Project, version: Version
) -> None:
    with pytest.raises(InputError, match="Say who decides"):
        record_decision(store, project.id, version, Choice.LOOP, author="  ")
    with pytest.raises(InputError, match="2,001 characters"):
        record_decision(store, project.id, version, Choice.LOOP, author="A", why="x" * (MOST + 1))
    assert decisions(store, project.id) == []


def test_examples_are_counted_by_who_judges_them(store: Store, project: Project) -> None:
    """Code: as written twice, then once otherwise; a judge nobody asked; a person apart."""
    limit = {"kind": "max_words", "limit": 2}
    of = Contract.from_data(
        {
            "criteria": [
                {"key": "a", "question": "q", "checked_by": "code", "check": limit,
                 "pass_example": "one two", "fail_example": "one two three"},
                {"key": "b", "question": "q", "checked_by": "code", "check": limit,
                 "pass_example": "one two", "fail_example": "one"},
                {"key": "c", "question": "q", "pass_example": "x", "fail_example": "y"},
                {"key": "d", "question": "q", "checked_by": "person", "pass_example": "x",
                 "fail_example": "y"},
            ]
        }
    )  # fmt: skip
    found = examples_of(store, project.id, of)
    assert (3, 1, 2, 6) == (found.right, found.wrong, found.untried, found.all)
    assert 2 == found.elsewhere
    lines = criteria_question(1, 4, 0, found).numbers
    assert any(line.startswith("2 more belong to verdicts given elsewhere") for line in lines)
