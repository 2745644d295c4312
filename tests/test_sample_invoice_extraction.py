"""The sample *Invoice extraction*: the numbers of the worked example come out by counting."""

from __future__ import annotations

import csv
import json
from collections import Counter
from fractions import Fraction
from math import comb
from typing import Any

import pytest

from core.files.contracts import read_contract
from core.verdict import Verdict
from sample_data.invoice_extraction import make
from sample_data.samples import SAMPLES, SYNTHETIC

SAMPLE = SAMPLES["invoice_extraction"]
Traces = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return make.files()


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    assert SAMPLE.traces is not None
    return [json.loads(line) for line in SAMPLE.traces.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def loop(lines: list[dict[str, Any]]) -> Traces:
    return {line["sample_id"]: line for line in lines if line["arm"] == "loop"}


@pytest.fixture(scope="module")
def retry(lines: list[dict[str, Any]]) -> Traces:
    return {line["sample_id"]: line for line in lines if line["arm"] == "retry"}


@pytest.fixture(scope="module")
def outputs() -> dict[str, dict[str, str]]:
    with SAMPLE.outputs.open(encoding="utf-8", newline="") as stream:
        return {row["sample_id"]: row for row in csv.DictReader(stream)}


def accepted(trace: dict[str, Any]) -> bool:
    """Every verdict of the last round is PASS."""
    return all(v["verdict"] == "PASS" for v in trace["rounds"][-1]["verdicts"].values())


def good(trace: dict[str, Any]) -> bool:
    """Gold of the returned draft."""
    returned = next(r for r in trace["rounds"] if r["round"] == trace["returned_round"])
    return returned["gold"] == "PASS"


def test_running_the_script_gives_the_committed_files_byte_for_byte(
    generated: dict[str, str],
) -> None:
    assert set(generated) == {"outputs.csv", "traces.jsonl"}
    for name, text in generated.items():
        assert (SAMPLE.folder / name).read_bytes() == text.encode("utf-8"), name
        assert len(text.encode("utf-8")) < 2_000_000


def test_it_says_that_it_is_synthetic() -> None:
    assert "synthetic" in SAMPLE.title.casefold() and SAMPLE.note == SYNTHETIC
    assert SYNTHETIC in SAMPLE.contract.read_text(encoding="utf-8")


def test_twelve_criteria_check_one_field_each_and_judge_their_examples_right() -> None:
    contract = read_contract(SAMPLE.contract)
    assert contract.keys == make.FIELDS
    for criterion in contract.criteria:
        assert criterion.check is not None
        assert (criterion.check["kind"], criterion.check["path"]) == ("json_schema", criterion.key)
        check = criterion.code_check()
        assert check is not None
        assert check.run(criterion.pass_example).verdict is Verdict.PASS, criterion.key
        assert check.run(criterion.fail_example).verdict is Verdict.FAIL, criterion.key


def test_outputs_are_the_first_drafts_with_their_reference(
    outputs: dict[str, dict[str, str]], loop: Traces, retry: Traces
) -> None:
    assert len(outputs) == len(loop) == len(retry) == 200
    for sample_id, row in outputs.items():
        assert set(json.loads(row["reference"])) == set(make.FIELDS)
        for trace in (loop[sample_id], retry[sample_id]):
            assert trace["input"] == row["input"]
            assert trace["rounds"][0]["draft"] == row["output"]


def test_the_invoice_text_shows_what_the_reference_says(
    outputs: dict[str, dict[str, str]],
) -> None:
    for row in outputs.values():
        true = json.loads(row["reference"])
        shown = row["input"].replace(" ", "")
        for name in ("invoice_number", "vendor_name", "vendor_tax_id", "customer_name", "iban"):
            assert true[name].replace(" ", "") in shown, name
        for name in ("net_amount", "tax_amount", "gross_amount"):
            assert f"{true[name]:,.2f}" in row["input"], name
        assert row["input"].count(" x ") == true["line_count"]


def test_verdicts_are_those_of_the_checks_and_gold_is_equality_with_the_reference(
    outputs: dict[str, dict[str, str]], lines: list[dict[str, Any]]
) -> None:
    contract = read_contract(SAMPLE.contract)
    checks = {c.key: c.code_check() for c in contract.criteria}
    for line in lines:
        assert line["contract"] == contract.content_hash
        reference = json.loads(outputs[line["sample_id"]]["reference"])
        for this in line["rounds"]:
            for key, check in checks.items():
                assert check is not None
                said = check.run(this["draft"])
                assert this["verdicts"][key]["verdict"] == said.verdict
                assert this["verdicts"][key]["evidence"] == said.evidence
            passes = [v["verdict"] for v in this["verdicts"].values()].count("PASS")
            assert this["score"] == passes
            equal = json.loads(this["draft"]) == reference
            assert this["gold"] == ("PASS" if equal else "FAIL")


def test_first_drafts_140_valid_14_of_them_wrong_60_with_three_bad_fields(loop: Traces) -> None:
    firsts = [trace["rounds"][0] for trace in loop.values()]
    assert Counter(r["score"] for r in firsts) == {12: 140, 9: 60}
    assert Counter(r["gold"] for r in firsts if r["score"] == 12) == {"PASS": 126, "FAIL": 14}


def test_the_loop_repairs_33_at_round_2_and_15_at_round_3(loop: Traces) -> None:
    shapes = Counter(tuple(r["score"] for r in trace["rounds"]) for trace in loop.values())
    assert shapes == {(12,): 140, (9, 12): 33, (9, 10, 12): 15, (9, 10, 11): 12}
    repaired = [t for t in loop.values() if accepted(t) and len(t["rounds"]) > 1]
    assert len(repaired) == 48 and sum(not good(t) for t in repaired) == 6


def test_the_loop_accepts_188_of_which_168_are_right_and_flags_12(loop: Traces) -> None:
    yes = [t for t in loop.values() if accepted(t)]
    right = sum(good(t) for t in yes)
    assert (len(yes), right, 200 - len(yes)) == (188, 168, 12)
    assert Fraction(len(yes), 200) == Fraction(94, 100)
    assert round(100 * right / len(yes), 1) == 89.4
    assert round(100 * (1 - right / len(yes)), 1) == 10.6


def test_the_false_accept_rate_is_20_of_32_and_not_the_false_share_of_accepts(
    loop: Traces,
) -> None:
    bad = [t for t in loop.values() if not good(t)]
    assert (sum(accepted(t) for t in bad), len(bad)) == (20, 32)
    assert all(accepted(t) for t in loop.values() if good(t))


def test_retries_rescue_24_at_draw_2_and_15_at_draw_3_5_of_them_wrong(retry: Traces) -> None:
    rescued = [t for t in retry.values() if accepted(t) and len(t["rounds"]) > 1]
    assert Counter(len(t["rounds"]) for t in rescued) == {2: 24, 3: 15}
    assert sum(not good(t) for t in rescued) == 5
    assert Counter(len(t["rounds"]) for t in retry.values()) == {1: 140, 2: 24, 3: 36}


def test_both_arms_share_the_first_draft_and_differ_significantly(
    loop: Traces, retry: Traces
) -> None:
    failed = [key for key, trace in loop.items() if trace["rounds"][0]["score"] < 12]
    cells = Counter((accepted(loop[key]), accepted(retry[key])) for key in failed)
    both, loop_only, retry_only, neither = (
        cells[pair] for pair in ((True, True), (True, False), (False, True), (False, False))
    )
    assert (both, loop_only, retry_only, neither) == (36, 12, 3, 9)
    assert (both + loop_only, both + retry_only) == (48, 39)
    discordant = loop_only + retry_only
    exact = Fraction(2 * sum(comb(discordant, k) for k in range(retry_only + 1)), 2**discordant)
    assert round(float(exact), 3) == 0.035
    for key in loop:
        assert loop[key]["rounds"][0]["draft"] == retry[key]["rounds"][0]["draft"]


def test_exits_and_returned_rounds_follow_the_stop_rule(lines: list[dict[str, Any]]) -> None:
    for line in lines:
        rounds = line["rounds"]
        assert [r["round"] for r in rounds] == list(range(1, len(rounds) + 1))
        assert not any(r["reused"] for r in rounds)
        best = max(r["score"] for r in rounds)
        first_best = next(r["round"] for r in rounds if r["score"] == best)
        assert line["returned_round"] == first_best
        assert line["exit"] == ("PASS" if best == 12 else "CAP")
        assert best == 12 or len(rounds) == 3


def test_only_the_loop_is_fed_back_and_with_every_failure_whole(
    lines: list[dict[str, Any]],
) -> None:
    for line in lines:
        assert line["rounds"][0]["feedback"] == ""
        for before, after in zip(line["rounds"], line["rounds"][1:], strict=False):
            failures = [v for v in before["verdicts"].values() if v["verdict"] == "FAIL"]
            if line["arm"] == "retry":
                assert after["feedback"] == ""
            else:
                assert len(failures) == after["feedback"].count("\n- ") + 1
                assert all(v["evidence"] in after["feedback"] for v in failures)
