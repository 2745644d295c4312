"""The sample *Marketing copy*: a recorded judge and no labels, so nothing is known of the judge."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from core.files.contracts import read_contract
from core.verdict import Verdict
from sample_data.marketing_copy import make
from sample_data.samples import SAMPLES, SYNTHETIC

SAMPLE = SAMPLES["marketing_copy"]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_running_the_script_gives_the_committed_files_byte_for_byte() -> None:
    generated = make.files()
    assert set(generated) == {path.name for path in SAMPLE.folder.glob("*.csv")}
    for name, text in generated.items():
        assert (SAMPLE.folder / name).read_bytes() == text.encode("utf-8"), name


def test_it_says_that_it_is_synthetic() -> None:
    assert "synthetic" in SAMPLE.title.casefold() and SAMPLE.note == SYNTHETIC
    assert SYNTHETIC in SAMPLE.contract.read_text(encoding="utf-8")


def test_nobody_has_labelled_it() -> None:
    assert SAMPLE.labels is None and SAMPLE.traces is None


def test_the_code_checks_judge_every_example_right() -> None:
    checked = 0
    for criterion in read_contract(SAMPLE.contract).criteria:
        assert criterion.pass_example and criterion.fail_example
        check = criterion.code_check()
        if check is not None:
            checked += 1
            assert check.run(criterion.pass_example).verdict is Verdict.PASS, criterion.key
            assert check.run(criterion.fail_example).verdict is Verdict.FAIL, criterion.key
    assert checked == 2


def test_the_code_checks_stop_one_long_blurb_and_four_that_shout() -> None:
    contract = read_contract(SAMPLE.contract)
    failed = Counter(
        criterion.key
        for row in table(SAMPLE.outputs)
        for criterion in contract.criteria
        if (check := criterion.code_check()) is not None
        and check.run(row["output"]).verdict is Verdict.FAIL
    )
    assert failed == {"length": 1, "no_hype": 4}


def test_the_judge_spoke_once_on_each_of_forty_blurbs() -> None:
    outputs = {(row["sample_id"], row["trial"]): row["output"] for row in table(SAMPLE.outputs)}
    assert len(outputs) == len(set(outputs.values())) == 40
    (path,) = SAMPLE.verdicts
    rows = table(path)
    assert Counter((r["sample_id"], r["trial"]) for r in rows) == dict.fromkeys(outputs, 2)
    assert {row["judge"] for row in rows} == {make.JUDGE} and "recorded" in make.JUDGE
    for row in rows:
        if row["verdict"] != "UNKNOWN":
            assert row["evidence"] in outputs[row["sample_id"], row["trial"]]
        assert bool(row["change"]) == (row["verdict"] == "FAIL")
    assert {row["verdict"] for row in rows} == {"PASS", "FAIL", "UNKNOWN"}
