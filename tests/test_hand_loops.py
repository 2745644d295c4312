"""Loops by hand in the store: what was typed is the loop; nothing typed is lost or overwritten."""

from __future__ import annotations

import pytest

from core.contract.contract import Keep, StopRule
from core.errors import InputError
from core.loop.by_hand import Typed
from core.loop.stop import Arm, Exit
from core.store.contracts import save_version
from core.store.hand_loops import (
    HandLoop,
    begin_hand,
    drop_hand,
    keep_hand,
    load_hand,
    open_hands,
    save_hand,
)
from core.store.samples import NewSample, put_samples
from core.store.store import Project, Store
from core.store.traces import load_trace
from core.verdict import failed, passed
from tests.test_loop_runs import CODE, JUDGED, contract

LONG = "one two three four five six seven eight nine ten"


@pytest.fixture
def hand(store: Store, project: Project) -> HandLoop:
    version = save_version(store, project.id, contract(CODE, JUDGED))
    [sample] = put_samples(store, project.id, [NewSample("007", "a task\x00")])
    rule = StopRule(cap=3, window=2, keep=Keep.LAST)
    return begin_hand(store, project.id, version, sample, Arm.LOOP, rule)


def test_it_goes_on_where_it_was_left_and_is_kept_as_a_trace(store: Store, hand: HandLoop) -> None:
    two = (Typed(LONG), Typed("short", {"tone": failed("cold\ud800", "say sorry")}))
    save_hand(store, hand, two)
    again = load_hand(store, hand.project_id, hand.id)
    assert (again.typed, again.loop().exit, again.stop.keep) == (two, None, Keep.LAST)
    assert again.loop().feedback == "- Is it kind?\n  cold\ud800\n  Change: say sorry"
    with pytest.raises(InputError, match="it has not ended"):
        keep_hand(store, again)
    ended = save_hand(store, again, (*two, Typed("sorry", {"tone": passed("kind")})))
    name = keep_hand(store, ended)
    trace = load_trace(store, hand.project_id, name)
    assert trace is not None and trace == ended.trace()
    assert (trace.exit, trace.returned_round, trace.sample_id) == (Exit.PASS, 3, "007")
    assert (trace.contract, trace.rule) == (hand.version.contract, hand.stop)
    assert trace.extra == {"writer": "by hand"}
    assert open_hands(store, hand.project_id) == []
    with pytest.raises(InputError, match="kept meanwhile"):
        save_hand(store, ended, ())


def test_a_save_from_an_older_state_is_refused(store: Store, hand: HandLoop) -> None:
    save_hand(store, hand, [Typed("mine")])
    with pytest.raises(InputError, match="changed in another window"):
        save_hand(store, hand, [Typed("theirs")])
    assert load_hand(store, hand.project_id, hand.id).typed == (Typed("mine"),)


def test_it_can_be_stopped_and_thrown_away(store: Store, hand: HandLoop) -> None:
    stopped = save_hand(store, hand, [Typed(LONG)], stopped=True)
    assert stopped.loop().exit is Exit.CANCELLED
    drop_hand(store, stopped)
    with pytest.raises(InputError, match="not in this project"):
        load_hand(store, hand.project_id, hand.id)
