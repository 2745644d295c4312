"""Where traces came from, and the numbers of their rounds without a single draft."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.loop.step import to_trace
from core.loop.stop import Arm
from core.loop.trace import Trace
from core.store.paths import paths_of
from core.store.store import Project, Store
from core.store.trace_sources import filter_by, round_grid, source_by_trace, sources_of
from core.store.traces import add_traces
from tests.fakes import ScriptedRun, contract, points

OF = contract("c1", "c2", cap=3, window=3)


def trace(name: str, *drafts: str, usd: tuple[float | None, ...] = ()) -> Trace:
    made = to_trace(
        ScriptedRun(OF, list(drafts), points(OF), Arm.LOOP).go(), name, name, contract=OF
    )
    rounds = [replace(r, usd=usd[i] if i < len(usd) else None) for i, r in enumerate(made.rounds)]
    return replace(made, rounds=tuple(rounds))


def test_each_file_is_a_source_and_chooses_its_traces(store: Store, project: Project) -> None:
    add_traces(store, project.id, [trace("a", "d2")], file_name="first.jsonl", sha256="1")
    two = [trace("b", "d0", "d2"), trace("c", "d1", "d1/x", "d0")]
    add_traces(store, project.id, two, file_name="second.jsonl", sha256="2")
    first, second = sources_of(store, project.id)
    assert (first.name, first.traces, second.name, second.traces) == (
        "first.jsonl", 1, "second.jsonl", 2,
    )  # fmt: skip
    assert source_by_trace(store, project.id) == {
        "a": first.key, "b": second.key, "c": second.key,
    }  # fmt: skip
    chosen = paths_of(store, project.id, filter_by(second.key))
    assert [p.sample_id for p in chosen] == ["b", "c"]
    assert len(paths_of(store, project.id, filter_by("file99"))) == 0
    assert len(paths_of(store, project.id, filter_by("nonsense"))) == 3


def test_the_grid_holds_the_rounds_and_marks_what_was_not_recorded(
    store: Store, project: Project
) -> None:
    traces = [trace("a", "d2", usd=(0.25,)), trace("b", "d0", "d1", "d2", usd=(0.5, 1.0))]
    add_traces(store, project.id, traces, file_name="f", sha256="1")
    grid = round_grid(store, project.id)
    assert grid.trace_ids == ["a", "b"]
    assert np.array_equal(grid.score, [[2, np.nan, np.nan], [0, 1, 2]], equal_nan=True)
    assert grid.number.tolist() == [[1, 0, 0], [1, 2, 3]]
    assert grid.upto(grid.usd, np.array([1, 2])).tolist() == [0.25, 1.5]
    assert np.isnan(grid.upto(grid.usd, np.array([1, 3]))).tolist() == [False, True]
