"""Requests built again from the ledger are those that were sent, word for word."""

from __future__ import annotations

from core.loop.stop import Arm
from core.runs.loop_setup import Arms
from core.runs.trace_calls import exchanges
from core.store.samples import NewSample, put_samples
from core.store.store import Project, Store
from core.store.traces import each_trace
from tests.test_judge_runs import Scripted
from tests.test_loop_runs import bench_of, contract, writer_and_judge


def test_every_request_is_the_one_that_was_sent(store: Store, project: Project) -> None:
    bench = bench_of(store, project, contract(), n=1)
    model = Scripted(writer_and_judge("one", "two", "a good one"))
    bench.run(model, bench.create(arms=Arms.BOTH))
    loop, retry = sorted(bench.traces(), key=lambda t: t.arm is not Arm.LOOP)
    mine = exchanges(store, project.id, loop.trace_id, loop.arm)
    other = exchanges(store, project.id, retry.trace_id, retry.arm)
    assert mine is not None and other is not None
    by_number = {e.attempt.number: e for e in (*mine, *other)}
    assert [by_number[n].request for n in sorted(by_number)] == model.calls
    assert all(e.attempt.text for e in by_number.values())
    shared = {e.attempt.number for e in mine} & {e.attempt.number for e in other}
    assert {by_number[n].attempt.round for n in shared} == {1}


def test_a_changed_sample_leaves_replies_and_no_invented_request(
    store: Store, project: Project
) -> None:
    bench = bench_of(store, project, contract(), n=1)
    bench.run(Scripted(writer_and_judge("one", "a good one")))
    put_samples(store, project.id, [NewSample("s0", "another task")])
    [trace] = each_trace(store, project.id)
    found = exchanges(store, project.id, trace.trace_id, trace.arm)
    assert found is not None and len(found) == 4
    assert [e.request for e in found] == [None] * 4
    assert found[0].attempt.text == "one"


def test_a_trace_of_a_file_has_no_calls(store: Store, project: Project) -> None:
    assert exchanges(store, project.id, "nobody", Arm.LOOP) is None
