"""The commands `judge` and `worker`, through the real SDK against a server on loopback."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core.cli import run
from core.store.runs import RunState, runs_of
from core.store.store import open_store
from tests.server import Answer, ModelServer, failure, message

CONTRACT = """title: Refund reply
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
"""
KEYS = [
    "judged", "reused", "unscored", "calls", "maybe_billed", "tokens_in", "tokens_out", "usd",
    "seconds",
]  # fmt: skip
SECRET = "sk-test-SECRET-123"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("EVALUATOR_BENCH_DATABASE_URL", raising=False)
    (tmp_path / "c.yaml").write_text(CONTRACT)
    lines = ["sample_id,input,output", *(f"00{i},task {i},reply number {i}" for i in range(6))]
    (tmp_path / "o.csv").write_text("\n".join([*lines, "long,t,this one has five words"]) + "\n")
    return tmp_path


def judge(*more: str, model: str = "m-1") -> int:
    return run(["judge", "c.yaml", "o.csv", "--model", model, "--out", "v.csv", "--json", *more])


def rows(name: str = "v.csv") -> list[dict[str, str]]:
    with Path(name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_outputs_are_judged_and_the_file_holds_every_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer() as server:
        assert judge("--base-url", server.url) == 0
        found = json.loads(capsys.readouterr().out)
        assert list(found) == KEYS
        assert (found["judged"], found["reused"], found["unscored"]) == (6, 0, {"skipped": 1})
        assert (found["calls"], found["maybe_billed"], server.count) == (6, 0, 6)
        assert found["tokens_in"] > 0
        assert found["usd"] is None
        written = rows()
        assert list(written[0]) == [
            "sample_id", "trial", "criterion", "judge", "verdict", "evidence", "change",
        ]  # fmt: skip
        assert [r["sample_id"] for r in written[:2]] == ["000", "000"]
        assert [(r["criterion"], r["judge"]) for r in written[:2]] == [
            ("length", "Code checks"), ("tone", "m-1"),
        ]  # fmt: skip
        last = {r["criterion"]: r["verdict"] for r in written if r["sample_id"] == "long"}
        assert last == {"length": "FAIL", "tone": "skipped"}
        # The same command again asks nobody; another contract limit changes no question.
        (folder / "c.yaml").write_text(CONTRACT + "limits: {false_accept_rate: 0.05}\n")
        before = (folder / "v.csv").read_text()
        assert judge("--base-url", server.url) == 0
        again = json.loads(capsys.readouterr().out)
        assert (again["judged"], again["reused"], again["calls"]) == (6, 7, 0)
        assert server.count == 6
        assert (folder / "v.csv").read_text() == before


def test_without_a_key_the_scripted_model_judges(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge("--repeat", "2", model="scripted") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["judged"], found["unscored"], found["usd"]) == (12, {"skipped": 2}, 0.0)
    tone = [(r["judge"], r["repeat"]) for r in rows() if r["criterion"] == "tone"][:2]
    assert tone == [("scripted", "1"), ("scripted (repeat 2)", "2")]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "there is no key"),
        (["--base-url", "http://127.0.0.1:9"], "127.0.0.1:9"),
        (["--base-url", "http://me:hunter2@host"], "holds a name or a password"),
        (["--model", "scripted", "--concurrency", "0"], "--concurrency"),
        (["--model", "scripted", "--repeat", "x"], "--repeat"),
        (["--model", "scripted", "--effort", "huge"], "effort"),
        (["--model", "scripted", "--out", "no/v.csv"], "cannot be written"),
        (["--model", "scripted", "--out", "v.txt"], "neither .csv nor .jsonl"),
        (["--base-url", "http://127.0.0.1:9", "--budget-usd", "1"], "no price is set"),
        (["--model", "scripted", "--budget-usd", "-1"], "no amount above 0"),
    ],
)
def test_what_cannot_be_done_is_one_line_before_anything_is_spent(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    assert judge(*more) == 2
    out, err = capsys.readouterr()
    line = err.strip().splitlines()[-1]
    assert out == ""
    assert said in line
    assert "hunter2" not in err
    assert not (folder / "v.csv").exists()


def test_a_refused_key_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    refused = failure(401, "authentication_error", f"invalid x-api-key {SECRET}")
    with ModelServer() as server:
        server.models = refused
        assert judge("--base-url", server.url) == 2
        server.models = ModelServer.models
        server.enqueue(*[refused] * 9)
        assert judge("--base-url", server.url) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.strip().splitlines()[-1].count("key") >= 1
        # The right key goes on with the same run.
        server._script.clear()
        assert judge("--base-url", server.url) == 0


def test_no_secret_is_stored_logged_or_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("EVALUATOR_BENCH_DEBUG", "0")
    with ModelServer() as server:
        server.enqueue(
            message(json.dumps({"c1": {"evidence": "e", "verdict": "PASS", "change": ""}})),
            failure(400, "invalid_request_error", f"your key {SECRET} is fine, the rest is not"),
            Answer(f"<html>{SECRET}</html>", 200, {"content-type": "text/html"}),
            failure(500, "api_error", SECRET),
        )
        assert judge("--base-url", server.url, "--header-style", "old") == 0
        assert any(SECRET in str(r.headers) for r in server.requests)
    out, err = capsys.readouterr()
    kept = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    assert b"m-1" in kept
    for text in (out, err, kept.decode("utf-8", "replace")):
        assert SECRET not in text
        assert "SECRET" not in text


def test_what_most_errors_were_is_said_and_what_csv_cannot_hold_goes_into_json_lines(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = '{"c1": {"evidence": "\\ud800", "verdict": "PASS", "change": ""}}'
    command = ["judge", "c.yaml", "o.csv", "--model", "m-1", "--concurrency", "1", "--out"]
    with ModelServer() as server:
        server.enqueue(
            message(odd, usage={"output_tokens": None}), failure(413, "too_large", "big")
        )
        command += ["v.csv", "--base-url", server.url]
        assert run(command) == 2
        err = capsys.readouterr().err
        assert "What is judged is kept" in err and "--out v.jsonl" in err
        server.enqueue(failure(413, "too_large", "big"))
        assert run([c.replace("v.csv", "v.jsonl") for c in command]) == 0
        out = capsys.readouterr().out
    assert server.count == 7
    assert "5 were paid for before" in out
    assert "\nMost errors: request refused: status 413: big.\n" in out
    assert "\\ud800" in Path("v.jsonl").read_text()


def test_a_budget_stops_the_run_and_a_larger_one_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer() as server:
        model = "claude-haiku-5-5"
        small = ("--budget-usd", "0.0006", "--max-tokens", "100", "--concurrency", "1")
        assert judge("--base-url", server.url, *small, model=model) == 1
        out, err = capsys.readouterr()
        found = json.loads(out)
        assert 0 < found["judged"] < 6
        assert 0 < found["usd"] <= 0.0006
        assert "budget" in err
        assert judge("--base-url", server.url, "--max-tokens", "100", model=model) == 0
        assert (json.loads(capsys.readouterr().out)["judged"], server.count) == (6, 6)


def started(folder: Path, url: str, *more: str) -> subprocess.Popen[str]:
    command = [
        sys.executable, "-m", "core", "judge", "c.yaml", "o.csv", "--model", "m-1", "--base-url",
        url, "--out", "v.csv", "--json", *more,
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(
        command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def until(server: ModelServer, count: int) -> None:
    end = time.monotonic() + 30
    while server.count < count:
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.soak
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_command_is_gone_on_with_by_a_worker(
    folder: Path, capsys: pytest.CaptureFixture[str], sent: signal.Signals
) -> None:
    with ModelServer(latency=0.3) as server:
        process = started(folder, server.url, "--concurrency", "2")
        until(server, 3)
        process.send_signal(sent)
        out, err = process.communicate(timeout=30)
        if sent is not signal.SIGKILL:
            assert process.returncode == 130
            assert json.loads(out)["maybe_billed"] == 0
            assert "The same command, or worker, goes on with it" in err
        assert run(["worker", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"runs": 1, "finished": 1, "failed": 0}
        assert judge("--base-url", server.url) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert (found["judged"], found["reused"]) == (6, 7)
        assert server.count == 6 or (sent is signal.SIGKILL and server.count <= 8)
    store = open_store(folder / "workspace")
    [project] = store.projects()
    assert {r.state for r in runs_of(store, project.id)} == {RunState.DONE}
    store.close()
