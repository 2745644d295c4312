"""The command import: every kind of file, the same file again, a dry run, and taking it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import run
from tests.test_evallog import header, part, result, results, sample, zipped
from tests.test_spans import export, loop


@pytest.fixture
def importing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def call(data: bytes, name: str, *more: str, code: int = 0) -> Any:
        file = tmp_path / name
        file.write_bytes(data)
        workspace = ["--workspace", str(tmp_path / "w"), "--json"]
        assert run(["import", str(file), *workspace, *more]) == code
        found = capsys.readouterr()
        return json.loads(found.out) if code == 0 else found.err

    return call


def test_each_kind_is_recognised_stored_once_and_taken_back(importing: Any) -> None:
    files = {
        "a.eval": (zipped(header(), [sample(1), sample(2, 1, "I")]), "inspect", "outputs", 2),
        "b.json": (results(result(0, 0, part("contains", True))), "promptfoo", "outputs", 1),
        "c.json": (export(loop("a", "FAIL", "PASS")), "spans", "traces", 1),
        "d.csv": (b"sample_id,output\n1,x\n", "table", "outputs", 1),
    }
    for name, (data, kind, part_, n) in files.items():
        dry = importing(data, name, "--project", kind, "--dry-run")
        assert (dry["kind"], dry[part_]["new"]) == (kind, n)
        assert importing(data, name, "--project", kind)[part_]["new"] == n
        again = importing(data, name, "--project", kind)[part_]
        assert (again["new"], again["present"]) == (0, n)
        undone = importing(data, name, "--project", kind, "--undo")["undone"]
        assert undone[part_] == n
        assert importing(data, name, "--project", kind, "--dry-run")[part_]["new"] == n


def test_what_is_missing_is_said_in_one_line_with_the_flag(importing: Any) -> None:
    graded = zipped(header(), [sample(1, 1, 0.4), sample(2, 1, 0.9)])
    error = importing(graded, "a.eval", "--project", "x", code=2)
    assert "its scores have no meaning yet: 0.4 × 1, 0.9 × 1. Say from which number" in error
    assert "--pass-from match=0.5" in error
    found = importing(graded, "a.eval", "--project", "x", "--pass-from", "match=0.5")
    assert (found["verdicts"]["new"], found["criteria"]) == (2, {"match": "match"})
    assert "no scorer 'm'" in importing(graded, "a.eval", "--leave-out", "m", code=2)
    assert "there is no project 'y'" in importing(
        graded, "a.eval", "--project", "y", "--undo", code=2
    )
    assert "the file is empty" in importing(b"", "e.json", code=2)
    assert "'pdf' is none" in importing(graded, "a.eval", "--as", "pdf", code=2)
    spans = export(loop("a", "FAIL"))
    error = importing(spans, "c.json", "--role", "no.such", code=2)
    assert "no span is a draft by this mapping" in error


def test_a_spans_mapping_is_given_on_the_command_line(importing: Any) -> None:
    spans = export(loop("a", "nope", "fine"))
    given = ["--draft", "write_draft", "--pass", "fine", "--fail", "nope", "--cap", "2"]
    found = importing(spans, "c.json", "--project", "s", *given)
    assert found["traces"]["new"] == 1 and not any("cannot be read" in x for x in found["said"])


def test_outcomes_with_one_row_a_task_are_draws_and_arms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """4 tasks: both, loop only, draw only, neither; of two draws the second rescues one of two."""
    file = tmp_path / "o.csv"
    file.write_text("task,d1,d2,loop\na,1,1,1\nb,0,1,1\nc,1,1,0\nd,0,0,0\n", encoding="utf-8")
    base = [str(file), "--task", "task", "--json"]
    assert run(["arms", *base, "--loop", "loop", "--retry", "d1"]) == 0
    found = json.loads(capsys.readouterr().out)
    pairs = {k: found["paired"][k] for k in ("both", "loop_only", "retry_only", "neither")}
    assert pairs == {"both": 1, "loop_only": 1, "retry_only": 1, "neither": 1}
    assert (found["tasks"], found["winner"], "p1" in found) == (4, None, False)
    assert run(["attempts", *base, "--passed", "d1", "--passed", "d2"]) == 0
    found = json.loads(capsys.readouterr().out)
    # pass@2 counts tasks with a passing draw: 3 of 4; pass@1 is the mean of (1, ½, 1, 0).
    assert (found["pass_at"]["1"], found["pass_at"]["2"]) == (0.625, 0.75)
    assert run(["arms", *base, "--loop", "loop"]) == 2
    assert "one row a task needs both" in capsys.readouterr().err
    file.write_text("task,d1,loop\na,1,1\na,0,1\n", encoding="utf-8")
    assert run(["arms", *base, "--loop", "loop", "--retry", "d1"]) == 2
    assert "lines 2 and 3: task 'a' has two rows" in capsys.readouterr().err


def test_draws_that_are_alike_are_called_no_retry_arm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One flag takes several columns; a flag before the file takes one."""
    file = tmp_path / "o.csv"
    rows = "".join(f"{n},{n % 2},{n % 2},1\n" for n in range(60))
    file.write_text(f"task,d1,d2,loop\n{rows}", encoding="utf-8")
    assert run(["arms", str(file), "--task", "task", "--loop", "loop", "--retry", "d1", "d2"]) == 0
    assert "near-greedy" in capsys.readouterr().err
    assert run(["attempts", str(file), "--task", "task", "--passed", "d1", "d2", "--k", "2"]) == 0
    out, err = capsys.readouterr()
    assert "near-greedy" in err and "60 tasks" in out
    assert run(["attempts", "--passed", "d1", str(file), "--task", "task"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "60 more draws, one of every task, would tell it" in out
