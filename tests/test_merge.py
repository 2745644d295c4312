"""Two people's changes to one contract are both kept, and true conflicts are named."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.contract.merge import merge


def data(*criteria: tuple[str, str], **settings: Any) -> dict[str, Any]:
    return {"task": "t", "criteria": [{"key": k, "question": q} for k, q in criteria], **settings}


BASE = data(("c1", "one?"), ("c2", "two?"), stop={"cap": 3, "window": 1})
ORIGINS = ("c1", "c2")


def test_changes_in_different_places_are_both_kept() -> None:
    mine = data(("c1", "mine?"), ("c2", "two?"), stop={"cap": 3, "window": 2})
    theirs = data(("c1", "one?"), ("c2", "theirs?"), stop={"cap": 5, "window": 1})
    found = merge(BASE, mine, theirs, ORIGINS)
    assert data(("c1", "mine?"), ("c2", "theirs?"), stop={"cap": 5, "window": 2}) == found.contract
    assert () == found.conflicts


def test_the_same_field_changed_by_both_is_a_named_conflict() -> None:
    mine, theirs = (
        data(("c1", "mine?"), ("c2", "two?"), stop={"cap": 3, "window": 1}),
        data(("c1", "theirs?"), ("c2", "two?"), stop={"cap": 3, "window": 1}),
    )
    found = merge(BASE, mine, theirs, ORIGINS)
    assert "mine?" == found.contract["criteria"][0]["question"]
    assert ("c1, question: yours is kept, theirs is 'theirs?'",) == found.conflicts


def test_what_one_deleted_and_the_other_changed_is_kept_and_named() -> None:
    mine = data(("c1", "one?"), stop=BASE["stop"])
    theirs = data(("c1", "one?"), ("c2", "theirs?"), stop=BASE["stop"])
    found = merge(BASE, mine, theirs, ("c1",))
    assert ["c1", "c2"] == [c["key"] for c in found.contract["criteria"]]
    assert 1 == len(found.conflicts)


def test_criteria_added_by_either_and_renames_survive() -> None:
    mine = data(("first", "one?"), ("c2", "two?"), ("mine", "new?"), stop=BASE["stop"])
    theirs = data(("c1", "one?"), ("c2", "two?"), ("theirs", "new?"), stop=BASE["stop"])
    found = merge(BASE, mine, theirs, ("c1", "c2", ""))
    assert ["first", "c2", "theirs", "mine"] == [c["key"] for c in found.contract["criteria"]]
    assert ("c1", "c2", "theirs", "") == found.origins


QUESTIONS = st.sampled_from(["one?", "two?", "other?"])


@given(QUESTIONS, QUESTIONS)
def test_without_their_changes_mine_come_out_and_without_mine_theirs(a: str, b: str) -> None:
    changed = data(("c1", a), ("c2", b), stop=BASE["stop"])
    assert changed == merge(BASE, changed, BASE, ORIGINS).contract
    assert changed == merge(BASE, BASE, changed, ORIGINS).contract
