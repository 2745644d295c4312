"""The sample *Refund reply*: its files are what its script writes, and its numbers are as planned.

Every rate is counted by hand here, from the files alone.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from core.contract.criterion import CheckedBy
from core.files.contracts import contract_to_yaml, parse_contract, read_contract
from core.verdict import Verdict
from sample_data.refund_reply import make
from sample_data.samples import SAMPLES, SYNTHETIC

SAMPLE = SAMPLES["refund_reply"]
Key = tuple[str, str]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def outputs() -> dict[Key, dict[str, str]]:
    return {(row["sample_id"], row["trial"]): row for row in table(SAMPLE.outputs)}


@pytest.fixture(scope="module")
def labels() -> list[dict[str, str]]:
    assert SAMPLE.labels is not None
    return table(SAMPLE.labels)


@pytest.fixture(scope="module")
def gold(labels: list[dict[str, str]]) -> dict[Key, bool | None]:
    """Overall gold: strict majority per criterion, all criteria together; None is undecided."""
    votes: dict[Key, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in labels:
        votes[row["sample_id"], row["trial"]][row["criterion"]][row["verdict"]] += 1
    decided: dict[Key, bool | None] = {}
    for key, by_criterion in votes.items():
        margins = [count["PASS"] - count["FAIL"] for count in by_criterion.values()]
        if any(margin < 0 for margin in margins):
            decided[key] = False
        else:
            decided[key] = True if all(margin > 0 for margin in margins) else None
    return decided


def code_passes(text: str) -> bool:
    """The two code checks as anybody would count them: blanks part words; 'refund' with an end."""
    bare = [word.strip(".,;:!?\"'()*").casefold() for word in text.split()]
    counted = [word for word in bare if any(c.isalnum() for c in word)]
    return len(counted) <= 60 and any(
        word in {"refund", "refunds", "refunded", "refunding"} for word in counted
    )


def acceptance(outputs: dict[Key, dict[str, str]], path: Path) -> dict[Key, bool]:
    """Accepted or not, per output that is decided: code first, then the recorded verdicts."""
    said: dict[Key, list[str]] = defaultdict(list)
    for row in table(path):
        said[row["sample_id"], row["trial"]].append(row["verdict"])
    decided = {}
    for key, row in outputs.items():
        if not code_passes(row["output"]):
            decided[key] = False
        elif set(said[key]) <= {"PASS", "FAIL", "UNKNOWN"}:
            decided[key] = said[key] == ["PASS", "PASS"]
    return decided


def rates(accepted: dict[Key, bool], gold: dict[Key, bool | None]) -> tuple[Fraction, Fraction]:
    """False-accept rate and false-reject rate."""
    bad = [accepted[key] for key in accepted if gold[key] is False]
    good = [accepted[key] for key in accepted if gold[key] is True]
    return Fraction(sum(bad), len(bad)), Fraction(len(good) - sum(good), len(good))


def test_running_the_script_gives_the_committed_files_byte_for_byte() -> None:
    generated = make.files()
    assert set(generated) == {path.name for path in SAMPLE.folder.glob("*.csv")}
    for name, text in generated.items():
        assert (SAMPLE.folder / name).read_bytes() == text.encode("utf-8"), name


def test_it_says_that_it_is_synthetic() -> None:
    assert "synthetic" in SAMPLE.title.casefold()
    assert SAMPLE.note == SYNTHETIC
    assert SYNTHETIC in SAMPLE.contract.read_text(encoding="utf-8")
    assert "synthetic" in read_contract(SAMPLE.contract).title.casefold()


def test_the_contract_has_four_criteria_two_of_them_checked_by_code() -> None:
    contract = read_contract(SAMPLE.contract)
    assert [(c.key, c.checked_by) for c in contract.criteria] == [
        ("length", CheckedBy.CODE),
        ("refund", CheckedBy.CODE),
        ("tone", CheckedBy.JUDGE),
        ("next_step", CheckedBy.JUDGE),
    ]
    assert contract.does_not_examine and contract.evaluator.knows
    assert (contract.stop.cap, contract.stop.window) == (3, 1)
    assert (contract.limits.false_accept_rate, contract.limits.false_reject_rate) == (0.05, 0.2)
    assert parse_contract(contract_to_yaml(contract).encode(), "again.yaml") == contract


def test_the_code_checks_judge_every_example_right() -> None:
    for criterion in read_contract(SAMPLE.contract).criteria:
        assert criterion.pass_example and criterion.fail_example
        check = criterion.code_check()
        if check is not None:
            assert check.run(criterion.pass_example).verdict is Verdict.PASS, criterion.key
            assert check.run(criterion.fail_example).verdict is Verdict.FAIL, criterion.key


def test_the_contract_checks_agree_with_a_count_by_hand(
    outputs: dict[Key, dict[str, str]],
) -> None:
    checks = [c.code_check() for c in read_contract(SAMPLE.contract).criteria]
    for key, row in outputs.items():
        by_check = [check.run(row["output"]).verdict for check in checks if check is not None]
        assert (by_check == [Verdict.PASS] * 2) == code_passes(row["output"]), key


def test_no_example_is_also_an_output(outputs: dict[Key, dict[str, str]]) -> None:
    texts = {row["output"] for row in outputs.values()}
    for criterion in read_contract(SAMPLE.contract).criteria:
        assert not {criterion.pass_example, criterion.fail_example} & texts


def test_two_different_outputs_for_each_of_48_different_messages(
    outputs: dict[Key, dict[str, str]],
) -> None:
    rows = list(outputs.values())
    assert len(table(SAMPLE.outputs)) == len(outputs) == 96
    assert len({row["output"] for row in rows}) == 96
    assert Counter(row["sample_id"] for row in rows) == {f"msg-{n:02}": 2 for n in range(1, 49)}
    assert len({(row["sample_id"], row["input"]) for row in rows}) == 48
    assert len({row["input"] for row in rows}) == 48
    assert {row["channel"] for row in rows} == {"email", "chat"}
    assert len({row["topic"] for row in rows}) == 12


def test_the_texts_hold_what_a_careless_screen_would_interpret(
    outputs: dict[Key, dict[str, str]],
) -> None:
    text = "\n".join(row["input"] + "\n" + row["output"] for row in outputs.values())
    for trap in (":red[", "<b>", "![x](http://example.invalid/x.png)", "$5 and $6", "**", "🌱"):
        assert trap in text, trap
    assert any("\n" in row["output"] for row in outputs.values())
    assert not any("{" in row["output"] or "  " in row["output"] for row in outputs.values())


def test_every_label_is_about_an_output_and_a_criterion_once(
    outputs: dict[Key, dict[str, str]], labels: list[dict[str, str]]
) -> None:
    keys = set(read_contract(SAMPLE.contract).keys)
    assert {(row["sample_id"], row["trial"]) for row in labels} <= set(outputs)
    assert {row["criterion"] for row in labels} == keys
    assert {row["verdict"] for row in labels} == {"PASS", "FAIL", "UNSURE"}
    once = {(r["sample_id"], r["trial"], r["criterion"], r["reviewer"]) for r in labels}
    assert len(once) == len(labels)


def test_three_reviewers_labelled_all_four_fifths_and_three_fifths(
    labels: list[dict[str, str]],
) -> None:
    seen = Counter((r["reviewer"], r["criterion"]) for r in labels)
    for key in ("length", "refund", "tone", "next_step"):
        assert [seen[name, key] for name in ("Ana", "Ben", "Chloé")] == [96, 77, 58]


@pytest.mark.parametrize("criterion", ["tone", "next_step"])
def test_reviewers_differ_on_what_a_judge_checks(
    labels: list[dict[str, str]], criterion: str
) -> None:
    said: dict[str, dict[Key, str]] = defaultdict(dict)
    for row in labels:
        if row["criterion"] == criterion and row["verdict"] != "UNSURE":
            said[row["reviewer"]][row["sample_id"], row["trial"]] = row["verdict"]
    for a, b in combinations(said.values(), 2):
        shared = a.keys() & b.keys()
        both = Counter((a[key], b[key]) for key in shared)
        n, agree = len(shared), both["PASS", "PASS"] + both["FAIL", "FAIL"]
        a_pass = both["PASS", "PASS"] + both["PASS", "FAIL"]
        b_pass = both["PASS", "PASS"] + both["FAIL", "PASS"]
        chance = Fraction(a_pass * b_pass + (n - a_pass) * (n - b_pass), n * n)
        kappa = (Fraction(agree, n) - chance) / (1 - chance)
        assert 0.6 <= kappa <= 0.85
        assert both["PASS", "FAIL"] + both["FAIL", "PASS"] >= 3


def test_most_fails_have_a_note_and_notes_are_in_many_words(labels: list[dict[str, str]]) -> None:
    notes = [row["note"] for row in labels if row["verdict"] == "FAIL"]
    assert sum(map(bool, notes)) > len(notes) / 2
    assert len(set(notes)) >= 30


def test_more_than_half_of_the_outputs_are_good(gold: dict[Key, bool | None]) -> None:
    counts = Counter(gold.values())
    assert 0.55 <= counts[True] / (counts[True] + counts[False]) <= 0.65
    assert counts[None] > 0
    assert 0.55 <= sum(reply.good for reply in make.replies()) / 96 <= 0.65


def test_the_lenient_judge_accepts_many_bad_replies_and_the_harsh_one_rejects_many_good(
    outputs: dict[Key, dict[str, str]], gold: dict[Key, bool | None]
) -> None:
    truth: dict[Key, bool | None] = {(r.sample_id, r.trial): r.good for r in make.replies()}
    harsh, lenient = SAMPLE.verdicts
    assert (harsh.name, lenient.name) == ("verdicts_harsh.csv", "verdicts_lenient.csv")
    for reference in (gold, truth):
        false_accepts, false_rejects = rates(acceptance(outputs, lenient), reference)
        assert 0.35 <= false_accepts <= 0.45
        assert false_rejects <= 0.1
        false_accepts, false_rejects = rates(acceptance(outputs, harsh), reference)
        assert false_accepts <= 0.1
        assert 0.35 <= false_rejects <= 0.45


@pytest.mark.parametrize("path", SAMPLE.verdicts, ids=lambda path: path.stem)
def test_judges_quote_the_reply_and_say_what_to_change(
    outputs: dict[Key, dict[str, str]], path: Path
) -> None:
    rows = table(path)
    once = {(r["sample_id"], r["trial"], r["criterion"]): r for r in rows}
    assert len(once) == len(rows) == 96 * 2
    assert {key[:2] for key in once} == set(outputs)
    assert len({row["judge"] for row in rows}) == 1 and "recorded" in rows[0]["judge"]
    quoted = 0
    for row in rows:
        text = outputs[row["sample_id"], row["trial"]]["output"]
        scored = row["verdict"] in ("PASS", "FAIL", "UNKNOWN")
        assert bool(row["evidence"]) == scored
        assert bool(row["change"]) == (row["verdict"] == "FAIL")
        quoted += row["evidence"] in text and row["verdict"] in ("PASS", "FAIL")
    found = Counter(row["verdict"] for row in rows)
    assert quoted >= 0.95 * (found["PASS"] + found["FAIL"])
    assert found["UNKNOWN"] > 0
    assert len(set(found) - {"PASS", "FAIL", "UNKNOWN"}) >= 2
