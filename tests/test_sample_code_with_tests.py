"""The sample *Code with tests*: the recorded test results are what running the drafts gives."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import Any

import pytest

from core.files.contracts import read_contract
from core.verdict import Verdict
from sample_data.code_with_tests import make, record
from sample_data.samples import SAMPLES, SYNTHETIC
from sample_data.writing import load_yaml

SAMPLE = SAMPLES["code_with_tests"]


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    text = (SAMPLE.folder / "results.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    assert SAMPLE.traces is not None
    return [json.loads(line) for line in SAMPLE.traces.read_text(encoding="utf-8").splitlines()]


def test_running_the_script_gives_the_committed_files_byte_for_byte() -> None:
    generated = make.files()
    assert set(generated) == {"outputs.csv", "verdicts.csv", "traces.jsonl"}
    for name, text in generated.items():
        assert (SAMPLE.folder / name).read_bytes() == text.encode("utf-8"), name


def test_every_recorded_result_is_what_running_the_tests_says(results: dict[str, Any]) -> None:
    ran = record.record()
    assert ran.keys() == results.keys() and len(ran) == 30
    for function, by_draft in ran.items():
        for draft, by_suite in by_draft.items():
            for suite, by_test in by_suite.items():
                recorded = results[function][draft][suite]
                assert {test: bool(said) for test, said in recorded.items()} == {
                    test: bool(said) for test, said in by_test.items()
                }, f"{function}, draft {draft}, {suite}"


def test_it_says_that_it_is_synthetic() -> None:
    assert "synthetic" in SAMPLE.title.casefold() and SAMPLE.note == SYNTHETIC
    assert SYNTHETIC in SAMPLE.contract.read_text(encoding="utf-8")


def test_parsing_is_checked_here_and_tests_are_recorded_elsewhere() -> None:
    contract = read_contract(SAMPLE.contract)
    kinds = [c.check["kind"] for c in contract.criteria if c.check is not None]
    assert kinds == ["python_parses", "recorded", "recorded"]
    parses = contract.criterion("parses")
    check = parses.code_check()
    assert check is not None
    assert check.run(parses.pass_example).verdict is Verdict.PASS
    assert check.run(parses.fail_example).verdict is Verdict.FAIL


def test_verdicts_and_gold_follow_from_the_recorded_results(
    results: dict[str, Any], lines: list[dict[str, Any]]
) -> None:
    tasks = {f"task-{n:02}": t for n, t in enumerate(load_yaml(make.HERE / "bank.yaml"), 1)}
    for line in lines:
        task = tasks[line["sample_id"]]
        names = {code: name for name, code in task["drafts"].items()}
        for this in line["rounds"]:
            said = results[task["function"]][names[this["draft"]]]
            for suite in ("usual", "edges"):
                broken = [test for test, message in said[suite].items() if message]
                assert this["verdicts"][suite]["verdict"] == ("FAIL" if broken else "PASS")
                assert all(test in this["verdicts"][suite]["evidence"] for test in broken)
            all_pass = not any(m for suite in said.values() for m in suite.values())
            assert this["gold"] == ("PASS" if all_pass else "FAIL")


def test_both_arms_start_from_the_output_in_the_table(lines: list[dict[str, Any]]) -> None:
    with SAMPLE.outputs.open(encoding="utf-8", newline="") as stream:
        outputs = {row["sample_id"]: row["output"] for row in csv.DictReader(stream)}
    assert len(outputs) == 30
    firsts = [(line["sample_id"], line["rounds"][0]["draft"]) for line in lines]
    assert Counter(firsts) == dict.fromkeys(outputs.items(), 2)


def test_the_recorded_verdicts_are_those_of_the_first_round(lines: list[dict[str, Any]]) -> None:
    (path,) = SAMPLE.verdicts
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 30 * 2
    first = {line["sample_id"]: line["rounds"][0]["verdicts"] for line in lines}
    for row in rows:
        assert row["verdict"] == first[row["sample_id"]][row["criterion"]]["verdict"]


def test_how_the_arms_end(lines: list[dict[str, Any]]) -> None:
    exits = Counter((line["arm"], line["exit"], len(line["rounds"])) for line in lines)
    assert exits == {
        ("loop", "PASS", 1): 18,
        ("loop", "PASS", 2): 7,
        ("loop", "PASS", 3): 2,
        ("loop", "PLATEAU", 2): 1,
        ("loop", "NO_CHANGE", 2): 1,
        ("loop", "CAP", 3): 1,
        ("retry", "PASS", 1): 18,
        ("retry", "PASS", 2): 5,
        ("retry", "PASS", 3): 2,
        ("retry", "CAP", 3): 5,
    }


def test_three_accepted_functions_fail_the_held_out_suite(lines: list[dict[str, Any]]) -> None:
    wrong = [
        line["sample_id"]
        for line in lines
        if line["arm"] == "loop" and line["exit"] == "PASS" and line["rounds"][-1]["gold"] == "FAIL"
    ]
    assert len(wrong) == 3
