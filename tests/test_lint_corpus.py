"""How often lint is right about criteria written by hand.

Two sets: on the first the rules were tuned, and each of its items has to come out as marked; the
second was written and marked after the rules were frozen and before they were run on it. Its
precision and recall are shown at the end of a test run as they are, false alarms included. The
floors asserted lie below what the frozen rules reached when they were first run (precision 45/50,
recall 45/64, two false alarms on 45 sound criteria): they catch a rule that breaks, and are no
target to tune for. Whoever changes a rule for an item of the second set
moves the set to the first and writes a new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from core.contract.lint import CONTRACT_RULES, CRITERION_RULES, lint_data

PRECISION, RECALL = 0.85, 0.65
HERE = Path(__file__).parent
FRAME = {
    "title": "Corpus",
    "evaluator": {"knows": "the source"},
    "does_not_examine": "Whether the amounts are right.",
}


def items(name: str) -> list[dict[str, Any]]:
    """Return the marked items of a corpus file."""
    found: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(
        (HERE / f"lint_corpus_{name}.yaml").read_text("utf-8")
    )
    return found


def contract_of(item: dict[str, Any]) -> dict[str, Any]:
    """Return the contract in which an item is looked at: itself, in an otherwise sound frame."""
    if "criteria" in item:
        return {**FRAME, "criteria": item["criteria"], **item.get("contract", {})}
    row = {k: item[k] for k in ("question", "checked_by", "check") if k in item}
    row |= {"key": "it", "pass_example": item["pass"], "fail_example": item["fail"]}
    return {**FRAME, "criteria": [row]}


SEEN, UNSEEN = items("seen"), items("unseen")


def tally(corpus: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Return by rule how many items it hit rightly, wrongly, and missed."""
    counts: dict[str, Counter[str]] = {}
    for item in corpus:
        fired = {finding.rule for finding in lint_data(contract_of(item))}
        marked = set(item["rules"])
        for rule in fired | marked:
            found = "hit" if rule in fired & marked else "false" if rule in fired else "missed"
            counts.setdefault(rule, Counter())[found] += 1
    return counts


def total(counts: dict[str, Counter[str]]) -> Counter[str]:
    """Return the counts of all rules together."""
    return sum(counts.values(), Counter())


def quality(counts: Counter[str]) -> tuple[str, str]:
    """Return (precision, recall) in words."""
    hit, false, missed = (counts[name] for name in ("hit", "false", "missed"))
    return f"{hit}/{hit + false}", f"{hit}/{hit + missed}"


def test_the_corpora_are_large_varied_and_marked_with_rules_that_exist() -> None:
    rules = {rule.__name__ for rule in (*CRITERION_RULES, *CONTRACT_RULES)} | {"one_is_enough"}
    for corpus in (SEEN, UNSEEN):
        assert len(corpus) >= 60
        assert len({item["domain"] for item in corpus}) >= 8
        assert {rule for item in corpus for rule in item["rules"]} <= rules
    assert sum(not item["rules"] for item in SEEN) >= 40
    assert 0.4 <= sum(not item["rules"] for item in UNSEEN) / len(UNSEEN) <= 0.6
    asked = [item["question"] for item in (*SEEN, *UNSEEN) if item.get("question", "").strip()]
    assert len(set(asked)) == len(asked)


def test_precision_and_recall_on_criteria_the_rules_were_not_tuned_on(
    record_property: Callable[[str, object], None],
) -> None:
    """Shown as they are; the floors lie below what the frozen rules reached at once."""
    counts = tally(UNSEEN)
    print()
    for rule, found in sorted(counts.items()):
        precision, recall = quality(found)
        print(f"{rule:18} precision {precision:>6}  recall {recall:>6}")
    everything = total(counts)
    precision, recall = quality(everything)
    sound = [item for item in UNSEEN if not item["rules"]]
    noisy = [item for item in sound if lint_data(contract_of(item))]
    for item in noisy:
        print("false alarm:", item["question"], [f.rule for f in lint_data(contract_of(item))])
    record_property(
        "summary",
        f"lint on {len(UNSEEN)} criteria it was not tuned on: precision {precision},"
        f" recall {recall}, false alarms on {len(noisy)} of {len(sound)} sound ones;"
        f" tuned on {len(SEEN)}",
    )
    hit, false, missed = (everything[name] for name in ("hit", "false", "missed"))
    assert hit / (hit + false) >= PRECISION
    assert hit / (hit + missed) >= RECALL


@pytest.mark.parametrize("item", SEEN, ids=lambda item: str(item.get("question"))[:40])
def test_every_criterion_of_the_tuning_set_is_judged_as_marked(item: dict[str, Any]) -> None:
    fired = {finding.rule for finding in lint_data(contract_of(item))}
    assert fired == set(item["rules"])
