"""What changed between two contract versions, and what it makes stale."""

from __future__ import annotations

from typing import Any

from core.contract.contract import Contract
from core.contract.difference import Change, ChangeKind, Stale, differences, stale


def contract(*criteria: dict[str, Any], **changes: Any) -> Contract:
    filled = [
        {"question": "Is it so?", "pass_example": "p", "fail_example": "f", **c} for c in criteria
    ]
    return Contract.from_data({"criteria": filled, **changes})


A, B = {"key": "a"}, {"key": "b"}


def test_equal_contracts_have_no_difference() -> None:
    assert [] == differences(contract(A, B), contract(A, B))
    assert Stale((), ()) == stale(contract(A, B), contract(A, B))


def test_added_removed_and_moved_criteria() -> None:
    assert [Change(ChangeKind.ADDED, "b", after="Is it so?")] == differences(
        contract(A), contract(A, B)
    )
    assert [Change(ChangeKind.REMOVED, "b", before="Is it so?")] == differences(
        contract(A, B), contract(A)
    )
    assert [Change(ChangeKind.MOVED, "criteria", "a, b", "b, a")] == differences(
        contract(A, B), contract(B, A)
    )


def test_a_reworded_question_makes_labels_and_verdicts_stale() -> None:
    new = contract({**A, "question": "Is it really?"}, B)
    assert [
        Change(ChangeKind.REWORDED, "a, question", "Is it so?", "Is it really?")
    ] == differences(contract(A, B), new)
    assert Stale(("a",), ("a",)) == stale(contract(A, B), new)


def test_another_check_makes_verdicts_stale_and_keeps_labels() -> None:
    new = contract({**A, "checked_by": "code", "check": {"kind": "max_words", "limit": 5}}, B)
    assert [Change(ChangeKind.CHECK, "a", "judge", "code: max_words (limit 5)")] == differences(
        contract(A, B), new
    )
    assert Stale((), ("a",)) == stale(contract(A, B), new)


def test_a_renamed_criterion_is_the_same_criterion() -> None:
    renames = {"a": "c"}
    new = contract({"key": "c"}, B)
    assert [Change(ChangeKind.RENAMED, "c", "a", "c")] == differences(contract(A, B), new, renames)
    assert Stale((), ()) == stale(contract(A, B), new, renames)


def test_weights_and_settings_are_named_with_before_and_after() -> None:
    old = contract(A, B, acceptance={"rule": "threshold", "minimum": 2})
    new = contract(
        {**A, "weight": 2},
        B,
        acceptance={"rule": "threshold", "minimum": 3},
        limits={"false_accept_rate": 0.1},
    )
    assert [
        Change(ChangeKind.REWEIGHTED, "a", "1", "2"),
        Change(ChangeKind.SETTING, "acceptance.minimum", "2.0", "3.0"),
        Change(ChangeKind.SETTING, "limits.false_accept_rate", "not set", "0.1"),
    ] == differences(old, new)
