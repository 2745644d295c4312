"""Views over many traces: another rule, another contract, two runs aligned; nothing shown too early."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract
from core.loop.stop import Arm
from core.loop.summary import summarise
from core.loop.whatif import BestRule
from core.statistics.interval import Estimate, Undefined
from core.store.contracts import save_version
from core.store.labels import save_reviewer
from core.store.outputs import NewOutput, add_outputs
from core.store.store import DATABASE_URL, Project, Store, open_store
from core.store.traces import add_traces
from core.verdict import LabelValue
from pages.parts.trace_compare import aligned
from pages.parts.trace_compare import said as compared
from pages.parts.trace_whatif import best_lines, in_words
from tests.fakes import contract, written_out
from tests.test_page_traces import address, frame, said
from tests.test_rejudge import trace_of

PAGE = Path(__file__).parents[1] / "pages" / "traces.py"
OF = written_out(contract("c1", "c2", cap=3, window=3))
PASS, FAIL = LabelValue.PASS, LabelValue.FAIL
Open = Callable[..., AppTest]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A workspace with two imported runs over the same three samples."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    st.cache_resource.clear()
    opened = open_store(url=url)
    project = opened.create_project("Loops")
    save_version(opened, project.id, OF)
    for run, paths in (("one", ("d2", "d0 d2", "d1 d0 d1")), ("two", ("d1 d2", "d0 d1 d2", "d2"))):
        traces = []
        for n, path in enumerate(paths):
            drafts = [f"{d}/{n}{run}{i}" for i, d in enumerate(path.split())]
            golds = [PASS if d.startswith("d2") else FAIL for d in drafts]
            made = trace_of(*drafts, of=OF, name=f"{run}-{n}", golds=golds)
            traces.append(replace(made, sample_id=f"s{n}"))
        add_traces(opened, project.id, traces, file_name=f"{run}.jsonl", sha256=run)
    yield opened
    opened.close()
    st.cache_resource.clear()


@pytest.fixture
def project(bench: Store) -> Project:
    return bench.projects()[0]


@pytest.fixture
def show(bench: Store) -> Open:
    def open_page(**values: str) -> AppTest:
        at = AppTest.from_file(str(PAGE), default_timeout=30)
        at.session_state["shell.ready"] = True
        for name, value in values.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception, at.exception
        return at

    return open_page


def numbers(at: AppTest) -> dict[str, Any]:
    return dict(at.table[0].value["What if"])


def test_sliders_give_another_rule_and_say_what_was_never_observed(show: Open) -> None:
    at = show(view="whatif", **{"from": "file1"})
    as_recorded = numbers(at)
    assert as_recorded["Accepted"].startswith("2 of 3")
    assert as_recorded["Exit PASS"] == "2"
    assert "recorded with cap 3 and window 3: the same rule" in said(at)
    assert "instead of" not in said(at)
    at.slider(key="traces.slide.stop_cap").set_value(1).run()
    assert address(at, "stop_cap") == "1"
    assert numbers(at)["Accepted"].startswith("1 of 3")
    assert numbers(at)["Calls"] == "6"
    at = show(view="whatif", stop_cap="4", **{"from": "file1"})
    assert "Unknown for 1 of 3 traces" in said(at)
    assert numbers(at)["Accepted"].replace("\u00a0", " ") == "2 to 3: 66.7–100.0 %"
    assert not at.exception


def test_an_edited_contract_is_judged_again_for_free(
    bench: Store, project: Project, show: Open
) -> None:
    data = OF.to_data()
    data["criteria"] = data["criteria"][:1]
    save_version(bench, project.id, Contract.from_data(data), based_on=1)
    at = show(view="rejudge", **{"from": "file2"})
    assert "With this contract 2 traces would have stopped earlier, 2 of them wrongly." in said(at)
    assert [r["Earlier"] for r in frame(at, "Judged again")] == ["wrongly", "wrongly"]
    at = show(view="rejudge", under="1", **{"from": "file2"})
    assert "With this contract 0 traces would have stopped earlier." in said(at)


def test_two_runs_are_aligned_by_sample(show: Open) -> None:
    at = show(view="compare", aligned="all")
    assert "3 traces of each run are aligned by sample, trial and arm." in said(at)
    assert "Accepted 2 and 3 of 3; both 2, only the first 0, only the second 1" in said(at)
    rows = frame(at, "Scores 1")
    assert [(r["Sample"], r["Scores 1"], r["Scores 2"]) for r in rows] == [
        ("s0", "2", "1 › 2"), ("s1", "0 › 2", "0 › 1 › 2"), ("s2", "1 › 0 › 1", "2"),
    ]  # fmt: skip


def test_the_overview_filters_sorts_and_shows_one_run(show: Open) -> None:
    at = show(view="overview", sort="rounds", **{"from": "file1"})
    assert [r["Trace"] for r in frame(at, "Scores")] == ["one-2", "one-1", "one-0"]
    at = show(view="overview", accepted="no")
    assert [r["Scores"] for r in frame(at, "Scores")] == ["1 › 0 › 1"]


def test_who_has_yet_to_label_a_draft_sees_it_in_no_list(
    bench: Store, project: Project, show: Open
) -> None:
    add_outputs(bench, project.id, [NewOutput("s0", "d2/0one0", input="the task")])
    save_reviewer(bench, project.id, "Ana")
    for view, column in (("overview", "Scores"), ("rejudge", "Judged again")):
        at = show(view=view, reviewer="Ana")
        assert "1 trace hidden until you have labelled" in said(at)
        assert "one-0" not in {r["Trace"] for r in frame(at, column)}
    at = show(view="compare", aligned="all", reviewer="Ana")
    assert "s0" not in {r["Sample"] for r in frame(at, "Scores 1")}
    assert "one-0" not in json.dumps([unpacked.proto.body for unpacked in at.get("html")])
    rest = ("0/1one0", "1/2one0", "1/0two0", "0/1two0", "2/2two0")
    add_outputs(bench, project.id, [NewOutput(f"x{d}", f"d{d}") for d in rest])
    at = show(view="replay", reviewer="Ana")
    assert "6 traces are hidden from Ana" in said(at)
    assert "No trace is like that." not in said(at)


def test_each_arm_of_two_runs_is_compared_by_itself() -> None:
    loops = [
        summarise(replace(trace_of(*drafts, of=OF), sample_id=f"s{n}"))
        for n, drafts in enumerate((("d2",), ("d0",)))
    ]
    retries = [replace(s, arm=Arm.RETRY) for s in loops]
    lines = compared([(s, s) for s in (*loops, *retries)])
    assert ["Loop", "Loop", "Retries", "Retries"] == [line.split(":")[0] for line in lines[1:]]
    assert lines[1].startswith("Loop: accepted 1 and 1 of 2; both 1")
    assert not any("not tested" in line for line in lines)
    # Loops in one run and retries in the other are paired too; trials count by samples.
    both, alone, _ = aligned(loops, retries)
    assert (len(both), alone, "loop first, retries second" in compared(both)[0]) == (2, 0, True)
    good, bad = loops
    trials = [replace(s, sample_id=f"x{n // 2}") for n in range(20) for s in (good, bad)]
    said = compared(list(zip(trials[::2], trials[1::2], strict=True)))
    assert said[1].startswith("Accepted 20 and 0 of 20")
    # Ten samples that all differ the same way: 2 of the 1,024 ways to flip their signs.
    assert "The first accepts more." in said[2] and "p = .002" in said[2]


@pytest.mark.parametrize(
    ("found", "form", "expected"),
    [
        (None, "%", "–"),
        ((0.5, 0.5), "%", "50.0 %"),
        ((0.5, 0.75), "%", "50.0–75.0 %"),
        ((2.25, None), ".2f", "≥ 2.25"),
        ((3, 5), ",.0f", "3–5"),
    ],
)
def test_a_number_a_range_or_the_least_it_can_be(found: Any, form: str, expected: str) -> None:
    assert in_words(found, form).replace("\u00a0", " ") == expected


def best(saved: tuple[float, float, float]) -> BestRule:
    cost = Estimate(1.0, 0.5, 1.5, None, 20)
    return BestRule(2, 1, 0.9, cost, cost, Estimate(*saved, None, 20), 21, 20)


def test_the_best_rule_is_said_with_its_uncertainty() -> None:
    assert best_lines(best((0.2, 0.1, 0.3)), False)[-1] == (
        "Keep to this rule: it saves 0.200 (95 %: 0.100 to 0.300) a task, sample by sample."
    )
    assert "by 0.200 (95 %: 0.100 to 0.300)" in best_lines(best((-0.2, -0.3, -0.1)), False)[-1]
    assert "0: it saves 0.200 (95 %" in best_lines(best((0.2, -0.1, 0.5)), False)[-1]
    assert "0: it costs more by 0.200 (95 %: -0.100 to 0.500)" in best_lines(
        best((-0.2, -0.5, 0.1)), False
    )[-1].replace("\u2212", "-")
    assert "as good as any" in best_lines(best((0.0, 0.0, 0.0)), False)[-1]
    none = best_lines(Undefined("no rule was observed", None, 3), False)
    assert none[0].startswith("No rule can be named: no rule was observed. Record traces")
