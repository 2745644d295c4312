"""Labels of drafts become the gold of the rounds they came from, on both databases."""

from __future__ import annotations

from dataclasses import replace

from core.labelling.label import LabelEntry, LabelKind
from core.loop.stop import Arm, Exit
from core.loop.summary import by_arm
from core.runs.loop_setup import Arms
from core.store.labels import save_labels, save_reviewer
from core.store.loops import Reason, queued_drafts
from core.store.outputs import load_outputs
from core.store.paths import paths_of
from core.store.store import Project, Store
from core.store.traces import add_traces, each_trace, load_summaries, load_trace
from core.verdict import OVERALL, LabelValue
from tests.test_judge_runs import Scripted
from tests.test_loop_runs import Bench, bench_of, contract, writer_and_judge


def say(bench: Bench, output: int, word: LabelValue, seq: int, key: str = OVERALL) -> None:
    who, _ = save_reviewer(bench.store, bench.project.id, "Ana")
    hash = "" if key == OVERALL else bench.version.contract.criterion(key).question_hash
    entry = LabelEntry(f"c{seq}", seq, output, key, LabelKind.LABEL, word, False, "", hash)
    assert save_labels(bench.store, bench.project.id, who, [entry]).refused == ()


def test_a_spot_check_and_a_flagged_draft_tell_whether_the_traces_were_right(
    store: Store, project: Project
) -> None:
    """One accepted draft is bad and one flagged draft good: the check erred both ways."""
    bench = bench_of(store, project, contract(cap=2, window=2), 2)
    done = bench.run(
        Scripted(lambda call, n: writer_and_judge(
            *(("good but false",) if "task 0" in call.messages[0].text else ("plain", "plainer"))
        )(call, n)),
        bench.create(arms=Arms.BOTH, spot_checks=5, queue_flagged=True),
    )  # fmt: skip
    assert {s.good for s in load_summaries(store, project.id)} == {None}
    queued = queued_drafts(store, done.id)
    [spot] = [q for q in queued if q.reason is Reason.SPOT_CHECK]
    say(bench, spot.output_id, LabelValue.FAIL, 1)
    # Both arms share the first draft, which passed: one label is the label of both.
    arms = by_arm(load_summaries(store, project.id))
    assert [(arms[a].accepted, arms[a].accepted_wrong) for a in Arm] == [(1, 1), (1, 1)]
    flagged = next(q for q in queued if q.reason is Reason.FLAGGED)
    for seq, key in enumerate(bench.version.contract.keys, 2):
        say(bench, flagged.output_id, LabelValue.PASS, seq, key)
    ended = [s for s in load_summaries(store, project.id) if s.exit is not Exit.PASS]
    text = next(o.text for o in load_outputs(store, project.id) if o.id == flagged.output_id)
    assert [s.good for s in ended if s.arm is Arm.LOOP] == [True]
    assert {p.end_good for p in paths_of(store, project.id) if p.end is Exit.PASS} == {0}
    golds = [(r.draft, r.gold) for x in each_trace(store, project.id) for r in x.rounds]
    assert {gold for draft, gold in golds if draft == text} == {LabelValue.PASS}
    # Taken back: the traces forget it too.
    say(bench, spot.output_id, LabelValue.UNSURE, 20)
    assert {s.good for s in load_summaries(store, project.id) if s.accepted} == {None}


def test_gold_that_came_with_a_file_stays_as_it_came(store: Store, project: Project) -> None:
    bench = bench_of(store, project, contract(), 1)
    done = bench.run(Scripted(writer_and_judge("good")), bench.create(spot_checks=1))
    [trace] = bench.traces()
    brought = replace(
        trace, trace_id="brought", rounds=(replace(trace.rounds[0], gold=LabelValue.FAIL),)
    )
    add_traces(store, project.id, [brought])
    [spot] = queued_drafts(store, done.id)
    say(bench, spot.output_id, LabelValue.PASS, 1)
    assert [s.good for s in load_summaries(store, project.id)] == [True, False]
    assert load_trace(store, project.id, "brought") == brought
