"""No check hangs: what asks for too much work is stopped, says so, and is never a pass."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest

from core.checks.patterns import compiled, search
from core.checks.registry import MAX_OUTPUT, build
from core.errors import InputError
from core.verdict import Unscored, Verdict

LIMIT = 3
"""Seconds of processor time: the bounds aim at one, test machines are slow."""
ROWS = json.dumps({"l": [{"a": i, "b": str(i)} for i in range(36_000)]})
FLOATS = json.dumps([i + 0.25 for i in range(100_000)])
AB = "".join(random.Random(0).choices("ab", k=MAX_OUTPUT))
DOUBLING = {
    **{f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(30)},
    "d30": {"type": "object"},
}
NESTED = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/n"}}] * 3}


def schema(**keywords: Any) -> dict[str, Any]:
    return {"kind": "json_schema", "schema": keywords}


def expression(text: str) -> dict[str, Any]:
    return {"kind": "expression", "expression": text}


STOPPED = {
    "five megabytes": ({"kind": "json"}, json.dumps([{"abc": [1, "x"]}] * 280_000)),
    "expression that doubles": (expression("[@,@][] | " * 25 + "length(@) > `0`"), "[1]"),
    "expression that sorts thirty times": (
        expression(" && ".join(["length(sort_by(l,&a)) > `0`"] * 30)), ROWS,
    ),
    "expression that joins": (expression("join('',[@,@]) | " * 40 + "@ == 'a'"), '"abcdefgh"'),
    "pattern with many states": ({"kind": "regex", "pattern": "(a[ab]{0,40}b){0,20}z"}, AB),
    "pattern with long memory": ({"kind": "regex", "pattern": "[ab]*a[ab]{900}x"}, AB),
    "a thousand phrases": (
        {"kind": "contains_all", "texts": [f"zz{i}" for i in range(1_000)]}, "word " * 200_000,
    ),
    "half a million sentences": ({"kind": "max_sentence_words", "limit": 3}, ". " * 500_000),
    "much code": ({"kind": "python_parses"}, "x=[1,2,(3,4)]\n" * 20_000),
    "a large schema over much data": (
        schema(properties={"l": {"items": {"allOf": [{"type": "object"}] * 500}}}), ROWS,
    ),
    "a long enumeration": (
        schema(properties={"l": {"items": {"properties": {"a": {"enum": [*range(-5_000, 0)]}}}}}),
        ROWS,
    ),
    "alternatives within alternatives": (
        schema(**{"$defs": {"n": NESTED}, "$ref": "#/$defs/n"}), "[" * 90 + '"x"' + "]" * 90,
    ),
    "references that multiply below a field": (
        schema(**{"$defs": DOUBLING, "properties": {"a": {"$ref": "#/$defs/d0"}}}), '{"a": {}}',
    ),
    "properties by two thousand patterns": (
        schema(patternProperties={f"x{i}": {} for i in range(2_000)}),
        json.dumps({str(i): i for i in range(50_000)}),
    ),
    "unevaluated properties of every row": (
        schema(properties={"l": {"items": {
            "unevaluatedProperties": False, "allOf": [{"properties": {"a": {}}}] * 100,
        }}}), ROWS,
    ),
    "patterns over many texts": (
        schema(items={"pattern": "(a[ab]{0,40}b){0,20}z"}), json.dumps(["ab" * 400] * 1_000),
    ),
    "multiples of a fraction": (schema(items={"multipleOf": 0.01}), FLOATS),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "output"), STOPPED.values(), ids=STOPPED)
def test_too_much_work_is_stopped(spec: dict[str, Any], output: str) -> None:
    started = time.process_time()
    got = build(spec).run(output)
    assert time.process_time() - started < LIMIT
    assert got.verdict is Verdict.FAIL
    assert got.evidence.startswith("check stopped: ")
    assert got.change


@pytest.mark.parametrize(
    "name", ["five megabytes", "a thousand phrases", "pattern with many states"]
)
def test_a_negated_check_that_is_stopped_is_no_pass_either(name: str) -> None:
    spec, output = STOPPED[name]
    assert build({**spec, "not": True}).run(output).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("spec", "output", "verdict"),
    [
        (expression("length(sort_by(l,&a)) > `0`"), ROWS, Verdict.PASS),
        (expression("sum(@) > `0`"), FLOATS, Verdict.PASS),
        ({"kind": "sum_equals", "items": "@", "total": "[0]"}, FLOATS, Verdict.FAIL),
        ({"kind": "json"}, FLOATS, Verdict.PASS),
        ({"kind": "regex", "pattern": r"^(\w+\s?)+$"}, "word" * 7 + "!", Verdict.FAIL),
        ({"kind": "regex", "pattern": r"^(\w+\s?)+$"}, "word " * 200_000, Verdict.PASS),
        ({"kind": "regex", "pattern": "(x+x+)+y"}, "x" * MAX_OUTPUT, Verdict.FAIL),
        ({"kind": "max_words", "limit": 3}, "会" * MAX_OUTPUT, Verdict.FAIL),
        ({"kind": "contains", "text": "aa"}, "a" * MAX_OUTPUT, Verdict.FAIL),
        ({"kind": "python_imports", "texts": ["os"]}, "x=[1,2,(3,4)]\n" * 17_000, Verdict.FAIL),
        (schema(properties={"l": {"uniqueItems": True}}), ROWS, Verdict.PASS),
        (schema(additionalProperties={"type": "integer"}),
         json.dumps({str(i): i for i in range(30_000)}), Verdict.PASS),
    ],
    ids=lambda value: value.get("kind") if isinstance(value, dict) else "",
)  # fmt: skip
def test_what_is_large_and_allowed_is_answered_in_time(
    spec: dict[str, Any], output: str, verdict: Verdict
) -> None:
    started = time.process_time()
    got = build(spec).run(output)
    assert time.process_time() - started < LIMIT
    assert (got.verdict, "check stopped" in got.evidence) == (verdict, False)


def test_a_pattern_keeps_no_groups_so_thousands_of_them_cost_nothing() -> None:
    """With a place for each of 20,000 groups at every step RE2 takes 12 GB for three letters."""
    groups = "()" * 20_000
    assert compiled(groups).groups == 0
    assert search(groups, "bad") == (0, 0)
    assert search("x(a+)(b|c)", "..xaab") == (2, 6)


@pytest.mark.parametrize(
    "keywords",
    [
        {"$defs": DOUBLING, "$ref": "#/$defs/d0"},
        {"unevaluatedProperties": False, "$defs": DOUBLING, "allOf": [{"$ref": "#/$defs/d0"}]},
        {"unevaluatedItems": False, "$defs": DOUBLING, "allOf": [{"$ref": "#/$defs/d0"}]},
        {"unevaluatedProperties": False, "allOf": [{"$ref": "#"}]},
    ],
)
def test_a_schema_that_refers_without_end_is_refused_before_it_is_saved(
    keywords: dict[str, Any],
) -> None:
    started = time.process_time()
    with pytest.raises(InputError, match=r"check stopped|without end"):
        build(schema(**keywords))
    assert time.process_time() - started < LIMIT


def test_a_verdict_recorded_elsewhere_does_not_turn_on_the_length() -> None:
    got = build({"kind": "recorded", "by": "pytest"}).run("x" * (MAX_OUTPUT + 1))
    assert got.unscored is Unscored.ERROR


def test_a_length_is_told_however_long_the_output() -> None:
    got = build({"kind": "max_characters", "limit": 9}).run("x" * 5_000_000)
    assert got.evidence.startswith("5,000,000 characters")


def test_the_bounds_are_the_same_on_every_machine() -> None:
    """Work is counted, not timed: the same output is stopped at the same place every time."""
    spec, output = STOPPED["expression that sorts thirty times"]
    assert len({build(spec).run(output).evidence for _ in range(2)}) == 1
