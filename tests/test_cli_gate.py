"""The command `gate`: agreement against the limits a contract sets, as an exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import run

CONTRACT = """\
title: Refund
task: Write a reply.
evaluator: {type: rubric_other_model, knows: the policy}
criteria:
  - {key: tone, question: Does it apologise?, checked_by: judge, pass_example: Sorry., fail_example: No.}
  - {key: amount, question: Is it named?, checked_by: judge, pass_example: "5", fail_example: "-"}
does_not_examine: Amounts.
acceptance: {rule: all}
stop: {cap: 3, window: 1, keep: best, on_failure: lead}
"""
COLUMNS = ["--gold", "gold", "--judge", "judge", "--pass", "pass", "--fail", "fail"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gate(limits: str, *pairs: tuple[str, int]) -> list[str]:
    """Write both files and return the command; a pair is gold and judge, P or F each."""
    Path("c.yaml").write_text(CONTRACT + limits, encoding="utf-8")
    word = {"P": "pass", "F": "fail"}
    rows = [f"{word[p[0]]},{word[p[1]]}" for p, times in pairs for _ in range(times)]
    Path("l.csv").write_text("\n".join(["gold,judge", *rows]), encoding="utf-8")
    return ["gate", "c.yaml", "l.csv", *COLUMNS]


BOTH = "limits: {false_accept_rate: 0.05, false_reject_rate: 0.20}\n"
FAR_ONLY = "limits: {false_accept_rate: 0.05}\n"


@pytest.mark.parametrize(
    ("limits", "pairs", "met"),
    [
        # 0 of 72 has the upper end 5.0 %, 0 of 71 just above it
        (BOTH, [("FF", 72), ("PP", 60), ("PF", 3)], True),
        (BOTH, [("FF", 71), ("PP", 60), ("PF", 3)], False),
        (BOTH, [("FF", 72), ("PP", 60), ("PF", 12)], False),
        (FAR_ONLY, [("FF", 72), ("PP", 60), ("PF", 12)], True),
        # no good output at all: a limit on what is not measured is not met
        (BOTH, [("FF", 72)], False),
        (FAR_ONLY, [("FF", 72)], True),
        (FAR_ONLY, [("PP", 72)], False),
    ],
)
def test_the_upper_end_decides(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    limits: str,
    pairs: list[tuple[str, int]],
    met: bool,
) -> None:
    command = gate(limits, *pairs)
    assert run([*command, "--json"]) == (0 if met else 1)
    found = json.loads(capsys.readouterr().out)
    assert found.pop("met") is met
    assert run(["agreement", "l.csv", *COLUMNS, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_the_text_says_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(gate(BOTH, ("FF", 43), ("FP", 2), ("PP", 60))) == 1
    lines = capsys.readouterr().out.replace("\u00a0", " ").splitlines()
    assert lines[-1] == "Not met."
    assert "2 of 45 bad outputs passed: 4.4 % (0.5–15.1 %). Not shown to be below" in lines[-3]
    assert "Shown to be at or below your 20 % limit." in lines[-2]


def test_criteria_are_taken_together_by_the_contracts_rule(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each judge error is on another criterion of the same output: one false accept, not two."""
    gate(BOTH)
    rows = ["id,criterion,gold,judge"]
    for i in range(40):
        rows += [f"b{i},tone,fail,{'pass' if i == 0 else 'fail'}"]
        rows += [f"b{i},amount,fail,{'pass' if i == 0 else 'fail'}"]
        rows += [f"g{i},tone,pass,pass", f"g{i},amount,pass,pass"]
    Path("l.csv").write_text("\n".join(rows), encoding="utf-8")
    command = ["gate", "c.yaml", "l.csv", *COLUMNS, "--id", "id", "--criterion", "criterion"]
    assert run([*command, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["false_accept_rate"]["k"], found["false_accept_rate"]["n"]) == (1, 40)
    assert list(found["by_criterion"]) == ["tone", "amount"]
    assert found["met"] is False


def test_a_contract_without_limits_cannot_gate(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(gate("", ("FF", 72))) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("c.yaml: it sets no limits.")
    assert err.count("\n") == 1
