"""Runs that are killed, taken over and long: with real processes and a server of its own."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from core.judging.prompt import DEFAULT_INSTRUCTIONS, JudgeOptions
from core.runs.background import start
from core.runs.judging import create_judge_run
from core.runs.setup import JudgeSetup
from core.runs.summary import estimate, summarise
from core.store import tables as t
from core.store.contracts import save_version
from core.store.ledger import spent
from core.store.outputs import NewOutput, add_outputs
from core.store.runs import Run, RunState, load_run, runs_of
from core.store.store import Store, open_store
from core.store.tables_runs import call as call_table
from tests import fakes

HERE = Path(__file__).parent


@pytest.fixture
def server() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A model server in a process of its own, 20 ms a call."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "server.py"), "--latency", "0.02"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip(), process
    process.terminate()
    process.wait(10)


def counted(url: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{url}/count") as answer:
        found: dict[str, int] = json.load(answer)
    return found


def command(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    env.pop("EVALUATOR_BENCH_DATABASE_URL", None)
    return subprocess.Popen(
        [sys.executable, "-m", "core", *arguments],
        cwd=folder,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def files(folder: Path, n: int, criteria: int = 1) -> None:
    lines = [
        f"- {{key: a{i}, question: q, pass_example: p, fail_example: f}}" for i in range(criteria)
    ]
    (folder / "c.yaml").write_text("\n".join(["title: t", "criteria:", *lines]) + "\n")
    lines = [f"s{i},task {i},output number {i}" for i in range(n)]
    (folder / "o.csv").write_text("\n".join(["sample_id,input,output", *lines]) + "\n")


def only_run(store: Store) -> Run:
    [project] = store.projects()
    [run] = runs_of(store, project.id)
    return run


@pytest.mark.soak
def test_killed_twenty_times_every_output_is_judged_once_and_the_ledger_adds_up(
    tmp_path: Path, server: tuple[str, subprocess.Popen[str]]
) -> None:
    url, _ = server
    files(tmp_path, 2000)
    judge = (
        "judge", "c.yaml", "o.csv", "--model", "m", "--base-url", url, "--concurrency", "64",
        "--out", "v.csv", "--json",
    )  # fmt: skip
    chance = random.Random(7)
    kills = 0
    for _ in range(20):
        before = counted(url)["requests"]
        process = command(tmp_path, *judge)
        # Killed while calls are in the air: after some, wherever the process then is.
        target = before + chance.randint(1, 90)
        while counted(url)["requests"] < target and process.poll() is None:
            time.sleep(0.01)
        time.sleep(chance.random() * 0.05)
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert kills == 20
    process = command(tmp_path, *judge)
    found: dict[str, Any] = json.loads(process.communicate(timeout=120)[0])
    assert process.returncode == 0
    assert (found["judged"], found["unscored"]) == (2000, {})
    assert 0 < found["maybe_billed"] <= 20 * 64
    assert found["calls"] <= counted(url)["requests"] <= found["calls"] + found["maybe_billed"]
    with (tmp_path / "v.csv").open(newline="") as file:
        assert Counter(r["sample_id"] for r in csv.DictReader(file)) == Counter(
            f"s{i}" for i in range(2000)
        )
    store = open_store(tmp_path / "workspace")
    run = only_run(store)
    with store.read() as c:
        per_output = c.execute(
            sa.select(sa.func.count(t.judgement.c.id)).group_by(t.judgement.c.output_id)
        ).scalars()
        assert set(per_output) == {1}
        replies = c.execute(
            sa.select(sa.func.count())
            .where(call_table.c.run_id == run.id, call_table.c.outcome == "reply")
            .group_by(call_table.c.request_hash)
        ).scalars()
        assert set(replies) == {1}
    store.close()


@pytest.mark.soak
def test_the_other_process_takes_over_from_one_that_was_killed(
    tmp_path: Path, server: tuple[str, subprocess.Popen[str]]
) -> None:
    """Both are there when one dies; the app's thread, with a short silence, goes on."""
    url, _ = server
    files(tmp_path, 1200)  # six seconds at least, so that it still runs when it is killed
    judge = (
        "judge", "c.yaml", "o.csv", "--model", "m", "--base-url", url, "--concurrency", "4",
        "--out", "v.csv",
    )  # fmt: skip
    process = command(tmp_path, *judge)
    while counted(url)["requests"] < 40:
        time.sleep(0.02)
    store = open_store(tmp_path / "workspace")
    address = str(store.engine.url)
    background = start(lambda: open_store(tmp_path / "workspace"), address, silence=2.0)
    time.sleep(2.5)
    here = only_run(store)
    assert here.state is RunState.RUNNING
    assert here.claimed_by is not None
    assert f":{process.pid}:" in here.claimed_by
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = time.monotonic() + 60
    while (run := load_run(store, here.id)).state is not RunState.DONE:
        assert time.monotonic() < end, run
        time.sleep(0.1)
    background.stop.set()
    money = spent(store, run)
    assert money.maybe_billed <= 4
    assert money.calls <= counted(url)["requests"] <= money.calls + money.maybe_billed
    assert counted(url)["requests"] <= 1200 + 4
    with store.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(t.judgement)) == 1200
    store.close()


@pytest.mark.soak
def test_ten_thousand_verdicts_take_little_memory(
    tmp_path: Path, server: tuple[str, subprocess.Popen[str]]
) -> None:
    url, _ = server
    files(tmp_path, 2500, criteria=4)
    judge = ("judge", "c.yaml", "o.csv", "--model", "m", "--base-url", url, "--out", "v.csv")
    script = (
        "import resource, sys; from core.cli import run\n"
        "import anthropic, alembic, core.runs.execution\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "code = run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
        "raise SystemExit(code)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", script, *judge, "--concurrency", "64"],
        cwd=tmp_path, env=env, text=True, capture_output=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (tmp_path / "v.csv").open(newline="") as file:
        assert sum(1 for _ in csv.DictReader(file)) == 10_000
    grown = int(done.stdout.strip().splitlines()[-1]) / 1024
    assert grown <= 200, f"grew by {grown:.0f} MB"


def test_the_apps_thread_executes_what_waits_and_is_started_once(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    project = store.create_project("P")
    version = save_version(store, project.id, fakes.written_out(fakes.contract("tone")))
    add_outputs(store, project.id, [NewOutput(f"s{i}", f"o {i}") for i in range(5)])
    setup = JudgeSetup(JudgeOptions("scripted"), DEFAULT_INSTRUCTIONS, repeats=2)
    before = estimate(store, project.id, version, setup, lambda m, u: 0.0)
    assert (before.calls, before.reused, before.basis) == (10, 0, 0)
    assert before.tokens_in > 10 * 300
    run = create_judge_run(store, project.id, version, setup)
    lost = create_judge_run(
        store, project.id, version, JudgeSetup(JudgeOptions("m-1"), DEFAULT_INSTRUCTIONS)
    )
    background = start(lambda: open_store(tmp_path), "here")
    assert start(lambda: open_store(tmp_path), "here") is background
    end = time.monotonic() + 20
    while load_run(store, run.id).unfinished or load_run(store, lost.id).unfinished:
        assert time.monotonic() < end
        time.sleep(0.05)
    background.stop.set()
    background.thread.join(10)
    found = summarise(store, load_run(store, run.id))
    assert (found.done, found.total, found.spent.calls) == (10, 10, 10)
    assert "no key" in load_run(store, lost.id).error
    after = estimate(store, project.id, version, setup, lambda m, u: 0.0)
    assert (after.calls, after.reused) == (0, 10)
    more = JudgeSetup(setup.options, setup.instructions, repeats=5)
    further = estimate(store, project.id, version, more, lambda m, u: 0.0)
    assert (further.calls, further.basis) == (15, 10)
    store.close()
