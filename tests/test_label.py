"""What a browser may send as a label, and the order in which a reviewer meets the outputs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.labelling.label import LabelEntry, LabelKind, parse_entries, parse_entry
from core.labelling.queue import queue_order, shuffled
from core.verdict import LabelValue

SENT: dict[str, Any] = {
    "client": "0123456789abcdef", "seq": 3, "output": 17, "criterion": "tone", "kind": "label",
    "verdict": "FAIL", "deferred": False, "note": "rude\x00 \ud800", "question_hash": "ab",
    "seconds": 1.5,
}  # fmt: skip
READ = LabelEntry(
    "0123456789abcdef", 3, 17, "tone", LabelKind.LABEL, LabelValue.FAIL, False,
    "rude\x00 \ud800", "ab", 1.5,
)  # fmt: skip


def test_a_sound_entry_is_read() -> None:
    assert parse_entry(SENT) == READ


def test_whole_numbers_may_come_as_floats() -> None:
    assert parse_entry({**SENT, "seq": 3.0, "output": 17.0}) == READ


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("client", ""), ("client", "short"), ("client", 5), ("client", "x" * 81), ("seq", 0),
        ("seq", True), ("seq", "3"), ("seq", 2**31), ("seq", 1.5), ("output", None),
        ("output", True), ("output", 0), ("output", 2**31), ("output", 1.5), ("criterion", ""),
        ("criterion", None), ("kind", "import"), ("kind", "adjudication"), ("kind", None),
        ("verdict", "pass"), ("verdict", "UNKNOWN"), ("verdict", 1), ("note", None),
        ("note", "x" * 20_001), ("mode", "gold"), ("mode", None), ("question_hash", 5), ("question_hash", "x" * 65),
        ("seconds", "1"), ("seconds", True),
    ],
)  # fmt: skip
def test_an_unusable_field_is_named(field: str, value: object) -> None:
    with pytest.raises(InputError, match=f"label field '{field}'"):
        parse_entry({**SENT, field: value})


def test_no_verdict_is_no_label_and_negative_time_is_none() -> None:
    entry = parse_entry({**SENT, "verdict": None, "kind": "undo", "seconds": -2})
    assert (entry.verdict, entry.kind, entry.seconds) == (None, LabelKind.UNDO, 0.0)


def test_one_unusable_entry_does_not_hold_up_the_others() -> None:
    entries, refused = parse_entries([{**SENT, "verdict": "good"}, "noise", {**SENT, "seq": 4}])
    assert [e.seq for e in entries] == [4]
    assert [(r.client, r.seq, r.output_id) for r in refused] == [("0123456789abcdef", 3, 17)]
    assert "'good'" in refused[0].why


@pytest.mark.parametrize(
    ("mode", "kind", "stored"),
    [
        ("label", "label", LabelKind.LABEL), ("stale", "defer", LabelKind.DEFER),
        ("repeat", "label", LabelKind.REPEAT), ("repeat", "undo", LabelKind.REPEAT),
        ("practice", "label", LabelKind.PRACTICE), ("practice", "defer", LabelKind.PRACTICE),
    ],
)  # fmt: skip
def test_what_is_said_of_a_repeat_or_in_practice_is_a_row_of_that_kind(
    mode: str, kind: str, stored: LabelKind
) -> None:
    assert parse_entry({**SENT, "mode": mode, "kind": kind}).kind is stored


@pytest.mark.parametrize("rows", [None, "x", 5, {}])
def test_what_is_no_list_holds_no_entries(rows: object) -> None:
    assert parse_entries(rows) == ([], [])


def test_the_order_is_the_same_on_every_machine() -> None:
    """Written down once: a change here moves every reviewer's place in the queue."""
    assert shuffled(range(1, 9), "ana", "refunds") == ORDER_OF_ANA
    assert shuffled(range(1, 9), "ben", "refunds") != ORDER_OF_ANA
    assert shuffled(range(1, 9), "ana", "letters") != ORDER_OF_ANA


ORDER_OF_ANA = [2, 5, 8, 6, 3, 7, 1, 4]


@given(st.sets(st.integers(1, 10_000)), st.sets(st.integers(1, 10_000)), st.text())
def test_outputs_added_later_leave_the_others_in_order(
    first: set[int], later: set[int], reviewer: str
) -> None:
    before = shuffled(first, reviewer, "p")
    after = shuffled(first | later, reviewer, "p")
    assert sorted(after) == sorted(first | later)
    assert [i for i in after if i in first] == before


def test_the_order_is_spread() -> None:
    """Two reviewers agree on the order of about half of all pairs, as chance has it."""
    ana, ben = (shuffled(range(400), who, "p") for who in ("ana", "ben"))
    place = {output: at for at, output in enumerate(ben)}
    agree = sum(place[ana[i]] < place[ana[j]] for i in range(400) for j in range(i + 1, 400)) / (
        400 * 399 / 2
    )
    assert 0.45 < agree < 0.55


def test_labelled_first_then_open_then_deferred() -> None:
    assert queue_order([5, 3, 9, 1, 7], {9, 5}, {3}) == ([5, 9, 1, 7, 3], 2)


def test_the_place_of_a_finished_queue_is_its_end() -> None:
    assert queue_order([2, 1], {1, 2}, set()) == ([2, 1], 2)


def test_deferred_and_labelled_counts_as_labelled() -> None:
    assert queue_order([2, 1], {1}, {1}) == ([1, 2], 1)
