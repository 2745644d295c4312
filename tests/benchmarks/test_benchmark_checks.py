"""How fast the checks run: times are reported, ratios within one run are asserted."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from core.checks.registry import build
from core.text import count_words

REPLY = (
    "Sorry for the delay, Ms Okafor — we’ll refund your order of 1,200.50 euros within five"
    " working days.\n\nThe re-run of the x-rays costs nothing. Thank you for your patience and"
    " your kind understanding, as always."
)
SPECS: list[dict[str, Any]] = [
    {"kind": "max_words", "limit": 60},
    {"kind": "min_words", "limit": 6},
    {"kind": "max_sentence_words", "limit": 25},
    {"kind": "max_characters", "limit": 400},
    {"kind": "ends_with_sentence"},
    {"kind": "contains", "text": "refund"},
    {"kind": "contains", "text": "guaranteed refund", "not": True},
    {"kind": "contains_any", "texts": ["sorry", "apologise"]},
    {"kind": "contains_all", "texts": ["order", "days"]},
    {"kind": "regex", "pattern": r"\d+ euros"},
]


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the best of several runs: what the work takes when nothing disturbs it."""
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def test_counting_the_words_of_a_reply(benchmark: Any) -> None:
    assert benchmark(count_words, REPLY) == 35


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec["kind"])
def test_one_check_of_a_short_reply(benchmark: Any, spec: dict[str, Any]) -> None:
    check = build(spec)
    assert benchmark(check.run, REPLY).verdict is not None


def test_a_thousand_outputs_by_ten_checks(benchmark: Any) -> None:
    """A tenth of the size people have, 10,000 outputs by 10 checks."""
    checks = [build(spec) for spec in SPECS]
    outputs = [f"{REPLY} {number}." for number in range(1_000)]

    def run() -> int:
        return sum(check.run(output).verdict == "PASS" for output in outputs for check in checks)

    assert benchmark(run) == 10_000


def test_checking_costs_a_small_multiple_of_counting_words() -> None:
    """Ten checks together stay below thirty splits at blanks per check, on the same texts."""
    checks = [build(spec) for spec in SPECS]
    outputs = [f"{REPLY} {number}." for number in range(300)]
    run = seconds(lambda: [check.run(output) for output in outputs for check in checks])
    split = seconds(lambda: [len(output.split()) for output in outputs for _ in checks])
    assert run < 30 * split


def test_the_time_grows_with_the_text_and_no_faster() -> None:
    """Ten times the text takes at most twenty-five times as long; no text comes twice."""
    fresh = count()
    for spec in SPECS:
        check = build(spec)
        once = seconds(lambda check=check: check.run(f"{REPLY * 100}{next(fresh)}"))  # type: ignore[misc]
        tenfold = seconds(lambda check=check: check.run(f"{REPLY * 1_000}{next(fresh)}"))  # type: ignore[misc]
        assert tenfold < 25 * once + 0.001, spec


def test_building_a_check_again_costs_less_than_building_it() -> None:
    schema = {"type": "object", "properties": {f"p{i}": {"type": "number"} for i in range(40)}}
    fresh = count()
    again = {"kind": "json_schema", "schema": schema}
    build(again)
    known = seconds(lambda: build(again))
    new = seconds(lambda: build({**again, "schema": {**schema, "title": str(next(fresh))}}))
    assert known < new / 5
