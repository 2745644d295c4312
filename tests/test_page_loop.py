"""The loop page over a real workspace, without a key: a run on scripts, people as judges, by hand."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract, Keep
from core.labelling.label import LabelEntry, LabelKind
from core.loop.presets import Preset
from core.loop.stop import Exit
from core.runs.loop_setup import Arms, LoopSetup
from core.store.contracts import save_version
from core.store.hand_loops import open_hands
from core.store.labels import save_labels, save_reviewer
from core.store.loops import Reason, queued_drafts
from core.store.runs import RunState, Wish, load_run, runs_of
from core.store.store import Store
from core.store.traces import each_trace, load_summaries
from core.verdict import LabelValue
from tests.test_page_judge import Open, bench, show, until_done  # noqa: F401
from tests.test_pages import texts


@pytest.fixture
def page(show: Open) -> AppTest:  # noqa: F811
    return show("loop")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody watches: scripts answer at once."""
    monkeypatch.setattr("pages.parts.loop_setup.DEMONSTRATION", 0.0)


def test_a_run_on_scripts_is_estimated_started_and_watched(
    bench: Store, page: AppTest, show: Open,  # noqa: F811
) -> None:  # fmt: skip
    assert "10 tasks in 2 arms" in texts(page) and "20 to 100 calls" in texts(page)
    page.number_input(key="loop.1.number").set_value(2)
    page.number_input(key="loop.1.concurrency").set_value(32)
    page.selectbox(key="loop.1.preset").set_value(Preset.TOOL_GROUNDED).run()
    assert "core.loop.presets.tool_grounded" in texts(page)
    # Nobody writes a first draft: the least is one judgement a task.
    page.selectbox(key="loop.1.preset").set_value(Preset.REFINE).run()
    assert "2 tasks in 2 arms" in texts(page) and "2 to 18 calls" in texts(page)
    page.selectbox(key="loop.1.preset").set_value(Preset.NOTES).run()
    # What was typed last counts, even when the button is the first thing the page hears of it.
    page.number_input(key="loop.1.cap").set_value(2)
    page.selectbox(key="loop.1.keep").set_value(Keep.LAST)
    page.number_input(key="loop.1.record").set_value(3)
    page.button(key="loop.start").click().run()
    [run] = runs_of(bench, 1)
    setup = LoopSetup.from_data(run.config)
    assert setup.stop is not None and (setup.stop.cap, setup.stop.keep) == (2, Keep.LAST)
    assert (setup.arms, setup.record, setup.notes, run.total) == (Arms.BOTH, 3, True, 4)
    assert until_done(bench, run.id).state is RunState.DONE
    said = texts(show("loop"))
    assert "Done · 4 of 4 traces ended" in said and "Exits: " in said
    made = [x for x in each_trace(bench, 1) if x.extra.get("run") == run.id]
    assert all(x.rule == setup.stop and x.contract is not None for x in made)
    assert all(sum(not r.beyond for r in x.rounds) <= 2 for x in made)
    assert {x.contract.stop.cap for x in made if isinstance(x.contract, Contract)} == {3}


def test_a_trace_waits_for_a_person_and_goes_on_when_the_draft_is_labelled(
    bench: Store, show: Open,  # noqa: F811
) -> None:  # fmt: skip
    asked = {"key": "true", "question": "Is it true?", "checked_by": "person",
             "pass_example": "yes", "fail_example": "no"}  # fmt: skip
    contract = Contract.from_data({"task": "Reply.", "criteria": [asked]})
    version = save_version(bench, 1, contract, based_on=1)
    page = show("loop")
    assert "1 criterion by a person" in texts(page)
    page.number_input(key="loop.1.number").set_value(1)
    page.selectbox(key="loop.1.arms").set_value(Arms.LOOP)
    page.button(key="loop.start").click().run()
    [run] = runs_of(bench, 1)
    assert (until_done(bench, run.id).state, load_run(bench, run.id).wish) == (
        RunState.PAUSED, Wish.LABELS,
    )  # fmt: skip
    said = texts(show("loop"))
    assert "Waits for labels" in said and "1 draft for a person to judge" in said
    [waits] = queued_drafts(bench, run.id)
    assert waits.reason is Reason.PERSON
    who, _ = save_reviewer(bench, 1, "Ana")
    hash = version.contract.criterion("true").question_hash
    entry = LabelEntry(
        "c", 1, waits.output_id, "true", LabelKind.LABEL, LabelValue.PASS, False, "", hash
    )
    assert save_labels(bench, 1, who, [entry]).refused == ()
    show("loop")
    end = 200
    while load_run(bench, run.id).state is not RunState.DONE and (end := end - 1):
        until_done(bench, run.id, 0.05)
        time.sleep(0.05)
    [trace] = [x for x in each_trace(bench, 1) if x.extra.get("run") == run.id]
    assert (trace.exit, trace.rounds[0].gold) == (Exit.PASS, LabelValue.PASS)


def test_a_loop_by_hand_shows_code_feedback_and_exits_and_is_kept(
    bench: Store, show: Open,  # noqa: F811
) -> None:  # fmt: skip
    page = show("loop", view="hand")
    page.number_input(key="loop.1.hand.cap").set_value(4)
    page.number_input(key="loop.1.hand.window").set_value(4)
    page.number_input(key="loop.1.hand.calls").set_value(3)
    page.button(key="hand.begin").click().run()
    page.text_area[0].set_value("word " * 70)
    page.button(key="hand.judge").click().run()
    said = texts(page)
    assert "Draft 2 of at most 4" in said and "Feedback as a writer would get it" in said
    assert "70 words, limit 60" in said and "Cut 10 words or more." in said
    page.text_area[0].set_value("word " * 80)
    page.button(key="hand.judge").click().run()
    assert "Ended. Exit BUDGET" in texts(page)
    page.button(key="hand.undo").click().run()
    # A reload in another session loses nothing.
    page = show("loop", view="hand", draft="1")
    page.button(key="hand.undo").click().run()
    assert "Draft 1 of at most 4" in texts(page)
    draft = "We are sorry. Your refund of $40 is on its way."
    page.text_area[0].set_value(draft)
    page.button(key="hand.judge").click().run()
    assert "Draft 1 waits for your verdict." in texts(page)
    assert page.button(key="hand.verdicts").disabled
    for key in ("tone", "next_step"):
        page.radio(key=f"hand.1.1.{key}.word").set_value("PASS")
    page.run()
    page.text_input(key="hand.1.1.tone.evidence").set_value("We are sorry.")
    page.button(key="hand.verdicts").click().run()
    assert "Ended. Exit PASS" in texts(page)
    before = len(load_summaries(bench, 1))
    page.button(key="hand.keep").click().run()
    assert "marked as written by hand" in texts(page)
    assert (open_hands(bench, 1), len(load_summaries(bench, 1))) == ([], before + 1)
    [trace] = [x for x in each_trace(bench, 1) if x.extra.get("writer") == "by hand"]
    assert (trace.exit, trace.sample_id, trace.rounds[0].draft) == (Exit.PASS, "msg-01", draft)
    assert trace.rounds[0].judgement.verdicts["tone"].evidence == "We are sorry."
