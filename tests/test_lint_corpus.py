"""How often lint is right about criteria written by hand.

Two sets: on the first the rules were tuned; the second was written and marked after the rules
were frozen and before they were run on it. Precision and recall of the second are shown at the
end of a test run; the floors asserted are below what the frozen rules reached at once.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from core.contract.lint import lint_data

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


def quality(counts: Counter[str]) -> tuple[str, str]:
    """Return (precision, recall) in words."""
    hit, false, missed = (counts[name] for name in ("hit", "false", "missed"))
    return f"{hit}/{hit + false}", f"{hit}/{hit + missed}"
