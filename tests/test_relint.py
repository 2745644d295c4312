"""Lint of what changed says what lint of everything says."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract import relint
from core.contract.finding import apply
from core.contract.lint import lint_data
from core.contract.relint import relint_data

QUESTIONS = [
    "", "Is the reply good?", "Is the reply at most 60 words long?", "Is it short and polite?",
    "Does the reply mention the refund?", "Does the reply name the refund?", "Rate the tone 1-5.",
]  # fmt: skip
ROW = st.fixed_dictionaries(
    {"key": st.sampled_from(["a", "b", "", " x"]), "question": st.sampled_from(QUESTIONS)},
    optional={
        "checked_by": st.sampled_from(["code", "judge", "person", 3]),
        "check": st.sampled_from([{"kind": "max_words", "limit": 2}, {"kind": "?"}, None]),
        "pass_example": st.sampled_from(["", "one", "one two three"]),
        "fail_example": st.sampled_from(["", "one", "one two three"]),
        "weight": st.sampled_from([0, 1, 2.5, "x"]),
    },
)
DRAFT = st.fixed_dictionaries(
    {"criteria": st.lists(st.one_of(ROW, st.none(), st.just("x")), max_size=5)},
    optional={"acceptance": st.just({"rule": "threshold", "minimum": 3})},
)


@settings(max_examples=60)
@given(DRAFT, DRAFT)
def test_it_equals_lint_of_everything_whatever_was_looked_at_before(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    mixed = {**second, "criteria": [*first["criteria"], *second["criteria"]]}
    for data in (first, second, mixed, first):
        assert lint_data(data) == relint_data(data)


@pytest.mark.parametrize(
    "data", [{}, {"criteria": None}, {"criteria": {"a": 1}}, {"criteria": [b"x"]}]
)
def test_what_is_no_draft_is_linted_all_the_same(data: dict[str, Any]) -> None:
    assert lint_data(data) == relint_data(data)


def test_only_the_criterion_that_changed_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def rule(row: Any) -> Any:
        seen.append(row.key)
        return iter(())

    relint._of_row.cache_clear()
    monkeypatch.setattr(relint, "CRITERION_RULES", (rule,))
    data = {"criteria": [{"key": key, "question": "q?"} for key in "abc"]}
    relint_data(data)
    data["criteria"][1]["question"] = "other?"
    relint_data(data)
    relint._of_row.cache_clear()
    assert ["a", "b", "c", "b"] == seen


def test_applying_what_was_found_before_changes_nothing_that_is_kept() -> None:
    data = {"criteria": [{"key": "a", "question": "Is the reply at most 60 words long?"}]}
    found = next(f for f in relint_data(data) if f.patch is not None)
    before = json.dumps(copy.deepcopy(data))
    made = apply(data, found)
    made["criteria"][0]["check"]["limit"] = 7
    assert before == json.dumps(data)
    assert lint_data(data) == relint_data(data)
