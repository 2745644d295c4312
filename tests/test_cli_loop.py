"""The command `loop`, through the real SDK against a server on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from core.cli import run
from core.files.traces import read_traces
from core.loop.replay import replay
from core.loop.stop import Arm, Exit
from core.store.ledger import spent
from core.store.runs import RunState, runs_of
from core.store.store import open_store
from tests.server import Answer, ModelServer, failure, message

CONTRACT = """title: Refund reply
task: Write a short reply.
criteria:
  - key: length
    question: Is the reply at most 4 words?
    checked_by: code
    check: {kind: max_words, limit: 4}
    pass_example: Short and good.
    fail_example: This one goes on for far too long.
  - key: tone
    question: Is the reply kind?
    pass_example: Sorry!
    fail_example: Your fault.
stop: {cap: 3, window: 3}
"""
KEYS = [
    "judged", "reused", "unscored", "calls", "maybe_billed", "tokens_in", "tokens_out", "usd",
    "seconds", "exits",
]  # fmt: skip
SERVER = Path(__file__).with_name("server.py")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("EVALUATOR_BENCH_DATABASE_URL", raising=False)
    (tmp_path / "c.yaml").write_text(CONTRACT)
    (tmp_path / "s.csv").write_text(
        "sample_id,input\n" + "".join(f"00{i},task {i}\n" for i in range(4))
    )
    return tmp_path


def loop(*more: str, arm: str = "loop", model: str = "m-1") -> int:
    return run(
        [
            "loop",
            "c.yaml",
            "s.csv",
            "--arm",
            arm,
            "--model",
            model,
            "--out",
            "t.jsonl",
            "--json",
            *more,
        ]
    )


def verdict(word: str) -> Answer:
    one = {"evidence": "read", "verdict": word, "change": "" if word == "PASS" else "say sorry"}
    return message(json.dumps({"c1": one}))


def one_sample(folder: Path) -> None:
    (folder / "s.csv").write_text("sample_id,input\n007,task\n")


def test_traces_are_written_and_the_same_command_again_asks_nobody(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer() as server:
        assert loop("--base-url", server.url, arm="both") == 0
        said = capsys.readouterr()
        found = json.loads(said.out)
        assert list(found) == KEYS
        assert found["calls"] == server.count
        assert sum(found["exits"].values()) == 8
        assert "4 tasks: 8 to 40 calls" in said.err
        file = read_traces(folder / "t.jsonl")
        assert [(t.sample_id, t.arm) for t in file.traces[:2]] == [
            ("000", Arm.LOOP),
            ("000", Arm.RETRY),
        ]
        assert all(replay(t).exit is t.exit for t in file.traces)
        assert file.traces[0].extra["writer"] == "m-1"
        before, count = (folder / "t.jsonl").read_bytes(), server.count
        (folder / "t.jsonl").unlink()
        assert loop("--base-url", server.url, arm="both") == 0
        assert json.loads(capsys.readouterr().out) == found
        assert ((folder / "t.jsonl").read_bytes(), server.count) == (before, count)
        # The same command writes its own file again; another one would lose what is there.
        assert loop("--base-url", server.url, arm="both") == 0
        capsys.readouterr()
        assert loop("--base-url", server.url, "--draws", "2", arm="both") == 2
        assert "t.jsonl holds something else" in capsys.readouterr().err
        assert ((folder / "t.jsonl").read_bytes(), server.count) == (before, count)


@pytest.mark.parametrize(
    ("answers", "exit", "returned", "calls"),
    [
        ([message("a"), verdict("FAIL"), message("b"), verdict("PASS")], "PASS", 2, "gege"),
        ([message("a"), verdict("FAIL"), message("b"), verdict("FAIL"), message("c"), verdict("FAIL")],
         "CAP", 1, "gegege"),
        ([message(stop_reason="refusal", blocks=[])], "GENERATOR_ERROR", None, "g"),
        ([message("a"), message('{"c1": {"evid', stop_reason="max_tokens")], "EVALUATOR_ERROR", None, "ge"),
        ([message("a"), message("{}"), message("{}")], "EVALUATOR_ERROR", None, "gee"),
        ([message("a"), verdict("FAIL"), message("b"), verdict("FAIL"), message("a")], "CYCLE", 1, "gegeg"),
    ],
    ids=["pass at round 2", "cap", "refusal", "truncated verdict", "missing criterion", "cycle"],
)  # fmt: skip
def test_the_sequence_of_calls_and_the_exit(
    folder: Path, answers: list[Answer], exit: str, returned: int | None, calls: str
) -> None:
    one_sample(folder)
    with ModelServer() as server:
        server.enqueue(*answers)
        assert loop("--base-url", server.url) == 0
        made = [
            "e" if "output_config" in r.body else "g" for r in server.requests if r.method == "POST"
        ]
    [trace] = read_traces(folder / "t.jsonl").traces
    assert (trace.exit, trace.returned_round, "".join(made)) == (Exit(exit), returned, calls)
    assert trace.sample_id == "007"


def test_without_a_key_a_script_writes_and_says_that_it_is_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert loop("--draws", "3", arm="both", model="scripted") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["usd"], sum(found["exits"].values())) == (0.0, 24)
    assert len(found["exits"]) > 1
    traces = read_traces(folder / "t.jsonl").traces
    assert all(t.extra["scripted"] is True for t in traces)
    assert {t.trial for t in traces} == {"1", "2", "3"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "there is no key"),
        (["--model", "scripted", "--arm", "all"], "--arm"),
        (["--model", "scripted", "--out", "t.csv"], "not .jsonl"),
        (["--model", "scripted", "--draws", "0"], "--draws"),
        (["--base-url", "http://127.0.0.1:9"], "127.0.0.1:9"),
        (["--judge-model", "m-2", "--model", "scripted"], "there is no key"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    assert loop(*more) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n") - err.count("4 tasks:")) == ("", 1)
    assert said in err


def test_a_sample_with_two_inputs_and_a_cap_of_nothing_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for cap in ("0", "-1", "2.5", ".nan", ".inf"):
        (folder / "c.yaml").write_text(CONTRACT.replace("cap: 3", f"cap: {cap}"))
        assert loop(model="scripted") == 2
        assert "cap" in capsys.readouterr().err
    (folder / "c.yaml").write_text(CONTRACT)
    (folder / "s.csv").write_text("sample_id,input\n1,a\n1,b\n")
    assert loop(model="scripted") == 2
    assert "another input" in capsys.readouterr().err


def test_a_crowded_server_changes_no_trace(folder: Path) -> None:
    """Refusals for overload are tried again and stand in no round."""
    one_sample(folder)
    with ModelServer() as server:
        busy = failure(529, "overloaded_error", retry_after="0")
        server.enqueue(message("a"), busy, verdict("FAIL"), busy, message("b"), verdict("PASS"))
        assert loop("--base-url", server.url) == 0
    [trace] = read_traces(folder / "t.jsonl").traces
    assert [(r.draft, r.calls) for r in trace.rounds] == [("a", 2), ("b", 2)]


def test_another_address_begins_another_run(folder: Path) -> None:
    """What one server's model wrote is never gone on with by another's."""
    one_sample(folder)
    with ModelServer() as one, ModelServer() as two:
        one.enqueue(message("a"), verdict("FAIL"), *[failure(401, "authentication_error")] * 9)
        assert loop("--base-url", one.url) == 2
        count = one.count
        assert loop("--base-url", two.url) == 0
        assert (one.count, two.requests[0].said.count("# Your last draft")) == (count, 0)


@pytest.mark.soak
def test_killed_anywhere_it_goes_on_and_pays_only_for_what_was_in_the_air(folder: Path) -> None:
    """SIGKILL again and again: the traces are those of an undisturbed run, the bill is bounded."""
    (folder / "s.csv").write_text(
        "sample_id,input\n" + "".join(f"{i},task {i}\n" for i in range(60))
    )
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--latency", "0.02"], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    command = [
        sys.executable, "-m", "core", "loop", str(folder / "c.yaml"), str(folder / "s.csv"),
        "--arm", "both", "--model", "m-1", "--base-url", url, "--json",
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(SERVER.parents[1])}

    def go(name: str, workspace: str) -> subprocess.Popen[bytes]:
        more = ["--out", str(folder / name), "--workspace", str(folder / workspace)]
        return subprocess.Popen(
            [*command, *more], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def asked() -> int:
        with urllib.request.urlopen(url + "/count") as answer:
            return int(json.load(answer)["requests"])

    try:
        lot = random.Random(4)
        for _ in range(6):
            process = go("t.jsonl", "killed")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(lot.uniform(1.5, 4))
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert go("t.jsonl", "killed").wait(120) == 0
        count = asked()
        assert go("u.jsonl", "whole").wait(120) == 0
    finally:
        server.terminate()
        server.wait()
    time.sleep(0)
    store = open_store(folder / "killed")
    [project] = store.projects()
    [done] = runs_of(store, project.id)
    assert done.state is RunState.DONE
    bill = spent(store, done)
    store.close()
    assert bill.calls <= count <= bill.calls + bill.maybe_billed
    assert bill.maybe_billed <= 6 * 8
    killed, whole = (
        {
            (t.sample_id, t.arm): (t.exit, t.returned_round, [r.draft for r in t.rounds])
            for t in read_traces(folder / name).traces
        }
        for name in ("t.jsonl", "u.jsonl")
    )
    assert killed == whole
    assert len(killed) == 120


def test_notes_and_self_review_are_options_and_self_review_warns(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one_sample(folder)
    assert loop("--notes", "--self-review", model="scripted") == 0
    assert "It adds no information" in capsys.readouterr().err
    store = open_store(folder / "workspace")
    [made] = runs_of(store, store.projects()[0].id)
    store.close()
    assert (made.config["notes"], made.config["self_review"]) == (True, True)
    assert loop("--self-review", "--judge-model", "m-2", model="scripted") == 2
    assert "Leave --judge-model out." in capsys.readouterr().err
