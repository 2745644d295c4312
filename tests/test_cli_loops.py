"""The command `replay`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import run
from core.files.traces import write_traces
from core.loop.replay import replay_all, summary
from core.loop.step import to_trace
from core.loop.stop import Arm
from core.verdict import LabelValue
from sample_data.samples import SAMPLES
from tests.fakes import ScriptedRun, contract, points

KEYS = [
    "traces", "exits", "accepted", "accepted_good", "accepted_unlabelled", "calls", "observed",
    "censored", "shapes", "rows",
]  # fmt: skip
ROW = [
    "trace_id", "sample_id", "trial", "arm", "exit", "recorded_exit", "rounds", "returned_round",
    "accepted", "good", "calls", "shapes",
]  # fmt: skip
OF = contract("c1", "c2", cap=3, window=3)
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with two traces: accepted in round 2, and flagged at the cap of 3."""
    monkeypatch.chdir(tmp_path)
    good = ScriptedRun(OF, ["d0", "d2"], points(OF)).go()
    bad = ScriptedRun(OF, ["d0", "d1", "d1/b"], points(OF), arm=Arm.RETRY).go()
    (tmp_path / "t.jsonl").write_text(
        write_traces(
            [
                to_trace(good, "a", "007", contract=OF, gold={2: LabelValue.PASS}),
                to_trace(bad, "b", "8", contract=OF),
            ]
        )
    )
    return tmp_path


def as_json(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert run(["replay", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == KEYS
    assert all(list(row) == ROW for row in found["rows"])
    return dict(found)


def test_the_traces_own_stop_rule(folder: Path, capsys: Capture) -> None:
    found = as_json(capsys, "t.jsonl")
    assert (found["traces"], found["observed"], found["censored"]) == (2, 2, 0)
    assert found["exits"] == {"PASS": 1, "CAP": 1}
    assert (found["accepted"], found["accepted_good"], found["accepted_unlabelled"]) == (1, 1, 0)
    assert found["calls"] == 4 + 6
    assert [(r["trace_id"], r["sample_id"], r["good"]) for r in found["rows"]] == [
        ("a", "007", True), ("b", "8", None),
    ]  # fmt: skip


def test_a_smaller_cap_cuts_and_a_larger_one_is_censored(folder: Path, capsys: Capture) -> None:
    one = as_json(capsys, "t.jsonl", "--cap", "1")
    assert (one["exits"], one["accepted"], one["calls"]) == ({"CAP": 2}, 0, 4)
    four = as_json(capsys, "t.jsonl", "--cap", "4")
    assert (four["exits"], four["censored"]) == ({"PASS": 1}, 1)
    flagged = four["rows"][1]
    assert (flagged["exit"], flagged["recorded_exit"]) == (None, "CAP")
    assert (flagged["accepted"], flagged["calls"]) == (None, None)


def test_a_smaller_window_ends_the_loop_arm_earlier(folder: Path, capsys: Capture) -> None:
    slow = ScriptedRun(OF, ["d0", "d0/b", "d2"], points(OF)).go()
    (folder / "w.jsonl").write_text(write_traces([to_trace(slow, "w", "s", contract=OF)]))
    assert as_json(capsys, "w.jsonl")["exits"] == {"PASS": 1}
    assert as_json(capsys, "w.jsonl", "--window", "1")["exits"] == {"PLATEAU": 1}


def test_in_words(folder: Path, capsys: Capture) -> None:
    assert run(["replay", "t.jsonl", "--cap", "4"]) == 0
    out = capsys.readouterr().out
    assert "2 traces: 1 accepted, 0 not, 1 cannot be told." in out
    assert "Of 1 accepted with a gold label, 1 good." in out
    assert "Cannot be told: b: round 4 was never recorded." in out


def test_a_changed_ending_is_said(folder: Path, capsys: Capture) -> None:
    assert run(["replay", "t.jsonl", "--cap", "1"]) == 0
    assert "1 trace ended otherwise in the record." in capsys.readouterr().out
    assert run(["replay", "t.jsonl"]) == 0
    assert "otherwise" not in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--cap", "--window"])
@pytest.mark.parametrize("given", ["0", "-1", "2.5", "NaN", "inf", "", "1e3", "9" * 5000])
def test_a_cap_or_window_that_is_no_whole_number_is_one_line(
    folder: Path, capsys: Capture, flag: str, given: str
) -> None:
    assert run(["replay", "t.jsonl", f"{flag}={given}", "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"{flag}: ")
    assert "whole number of 1 or more" in err


def test_lines_that_cannot_be_used_are_listed_and_the_rest_is_replayed(
    folder: Path, capsys: Capture
) -> None:
    text = (folder / "t.jsonl").read_text()
    (folder / "t.jsonl").write_text("{broken\n" + text)
    assert run(["replay", "t.jsonl", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["traces"] == 2
    assert "t.jsonl, line 1: not JSON" in err


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "is empty"), (b"%PDF-1.7", "not a text file"), (b"\xff\xfe", "not"), (b"[1]", "line 1")],
)
def test_a_file_without_traces_is_one_line(
    folder: Path, capsys: Capture, content: bytes, says: str
) -> None:
    (folder / "x.jsonl").write_bytes(content)
    assert run(["replay", "x.jsonl", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
    assert run(["replay", "missing.jsonl"]) == 2
    assert "missing.jsonl" in capsys.readouterr().err


def test_a_file_of_contradicting_rounds_only_is_one_line(folder: Path, capsys: Capture) -> None:
    [line] = [x for x in (folder / "t.jsonl").read_text().splitlines() if '"a"' in x]
    data = json.loads(line)
    data["rounds"].append({**data["rounds"][0], "draft": "another", "fingerprint": None})
    (folder / "x.jsonl").write_text(json.dumps(data))
    assert run(["replay", "x.jsonl", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "round 1 is recorded twice with different contents: keep one" in err


def test_the_sample_gives_the_numbers_of_the_worked_example(capsys: Capture) -> None:
    found = as_json(capsys, str(SAMPLES["invoice_extraction"].traces))
    loop = [r for r in found["rows"] if r["arm"] == "loop"]
    accepted = [r for r in loop if r["accepted"]]
    assert (len(loop), len(accepted), sum(r["good"] for r in accepted)) == (200, 188, 168)
    assert found["exits"] == {"PASS": 367, "CAP": 33}
    assert all(r["exit"] == r["recorded_exit"] for r in found["rows"])


def test_the_command_is_the_library(folder: Path, capsys: Capture) -> None:
    from core.files.traces import read_traces

    traces = read_traces(folder / "t.jsonl").traces
    assert as_json(capsys, "t.jsonl", "--cap", "2") == summary(replay_all(traces, cap=2))
