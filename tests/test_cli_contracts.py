"""The commands `check` and `lint`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import run

CONTRACT = """criteria:
  - key: length
    question: Is the reply at most 3 words?
    checked_by: code
    check: {kind: max_words, limit: 3}
    pass_example: Short and good.
    fail_example: This one goes on for far too long.
  - key: refund
    question: Does the reply mention the refund?
    checked_by: code
    check: {kind: contains, text: refund}
    pass_example: Your refund comes.
    fail_example: Nothing comes.
"""
JUDGED = """  - key: tone
    question: Is the reply kind?
    pass_example: Sorry!
    fail_example: Your fault.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text(CONTRACT)
    (tmp_path / "o.csv").write_text(
        "id,trial,output\n007,1,the refund comes\n007,2,the refund comes on Monday\n"
        "8,1,no\n8,1,no\n"
    )
    return tmp_path


def test_check_counts_and_lists_every_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", "c.yaml", "o.csv", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert list(found) == ["outputs", "accepted", "by_criterion", "rows"]
    assert (found["outputs"], found["accepted"]) == (3, 1)
    assert found["by_criterion"] == {
        "length": {"PASS": 2, "FAIL": 1}, "refund": {"PASS": 2, "FAIL": 1},
    }  # fmt: skip
    assert [(r["sample_id"], r["trial"]) for r in found["rows"]] == [
        ("007", 1), ("007", 2), ("8", 1),
    ]  # fmt: skip
    length = found["rows"][1]["verdicts"]["length"]
    assert list(length) == ["verdict", "evidence"]
    assert length["verdict"] == "FAIL"
    assert "5" in length["evidence"]
    assert "1 identical repeat left out" in err


def test_check_in_words_names_what_failed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "c.yaml", "o.csv"]) == 0
    out = capsys.readouterr().out
    assert "3 outputs: 1 accepted, 2 not." in out
    assert "007, trial 2: length FAIL" in out


def test_nothing_is_accepted_while_a_judge_has_not_spoken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.yaml").write_text(CONTRACT + JUDGED)
    assert run(["check", "c.yaml", "o.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accepted"] == 0
    assert list(found["by_criterion"]) == ["length", "refund"]
    assert run(["check", "c.yaml", "o.csv"]) == 0
    assert "0 accepted, 2 not, 1 open (1 criterion not checked by code" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ("id,output\n1,a\n1,b\n", "given differently on lines 2, 3"),
        ("output\na\n", "there is no column 'sample_id'"),
        ("id,x\n1,a\n", "there is no column 'output'"),
    ],
)
def test_outputs_that_cannot_be_told_apart_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], outputs: str, said: str
) -> None:
    (folder / "o.csv").write_text(outputs)
    assert run(["check", "c.yaml", "o.csv", "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_control_characters_of_a_model_do_not_reach_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = "criteria:\n  - {key: j, checked_by: code, check: {kind: json}}\n"
    (folder / "c.yaml").write_text(contract)
    (folder / "o.csv").write_text("id,output\n1,\x1b[2Jgone\n")
    assert run(["check", "c.yaml", "o.csv"]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err


def test_a_contract_without_code_checks_has_nothing_to_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.yaml").write_text("criteria:\n" + JUDGED)
    assert run(["check", "c.yaml", "o.csv"]) == 2
    assert "no criterion is checked by code" in capsys.readouterr().err


def test_lint_names_criterion_rule_and_fix(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.yaml").write_text("criteria:\n  - {key: tone, question: Is it kind?}\n")
    assert run(["lint", "c.yaml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["findings"]
    about = [finding for finding in found["findings"] if finding["criterion"] == "tone"]
    assert about
    assert list(about[0]) == ["criterion", "rule", "message", "fix"]
    assert run(["lint", "c.yaml"]) == 0
    assert about[0]["message"] in capsys.readouterr().out


def test_every_form_of_a_contract_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starts = {"markdown": "# Evaluator contract", "html": "<!doctype html>", "yaml": "title:", "json": "{"}  # fmt: skip
    for to, start in starts.items():
        assert run(["export", "c.yaml", "--to", to]) == 0
        assert capsys.readouterr().out.startswith(start)


def test_export_as_code_writes_the_module_its_tests_or_both(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "c.yaml", "--to", "sdk"]) == 0
    module, notes = capsys.readouterr()
    assert "def refine(" in module
    assert notes.splitlines() == [
        "Save it as contract_loop.py; --tests writes test_contract_loop.py, --out FOLDER both.",
        "It needs: pip install anthropic",
    ]
    assert run(["export", "c.yaml", "--to", "sdk", "--tests"]) == 0
    tests = capsys.readouterr().out
    assert run(["export", "c.yaml", "--to", "sdk", "--out", "made"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "made/contract_loop.py", "made/test_contract_loop.py",
    ]  # fmt: skip
    assert (folder / "made/contract_loop.py").read_text() == module
    assert (folder / "made/test_contract_loop.py").read_text() == tests
    assert run(["export", "c.yaml", "--to", "langgraph", "--out", "c.yaml"]) == 2
    assert run(["export", "c.yaml", "--to", "json", "--out", "made"]) == 2
    assert "--out, --tests: json is one file." in capsys.readouterr().err


def test_export_says_what_the_code_cannot_decide(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = "  - {key: tests, checked_by: code, check: {kind: recorded, by: pytest}}\n"
    (folder / "r.yaml").write_text(CONTRACT + recorded)
    assert run(["export", "r.yaml", "--to", "langgraph"]) == 0
    out, err = capsys.readouterr()
    assert "Criterion 'tests' is decided by a verdict recorded by pytest: pass decide=" in err
    assert "# Criterion 'tests' is decided by a verdict recorded by pytest: pass decide=" in out
    assert "It needs: pip install anthropic langgraph" in err
