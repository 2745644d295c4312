"""Inlined checks give the verdicts and the evidence of the checks they stand for."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.checks.registry import build
from core.contract.contract import Contract
from core.files.code_export.export import export_code
from core.verdict import Unscored
from tests.test_code_export import load

SCHEMA = {
    "type": "object",
    "required": ["total", "name"],
    "properties": {
        "total": {"type": ["number", "null"], "minimum": 0, "exclusiveMaximum": 1.5},
        "name": {"type": "string", "pattern": "^[A-Z]", "maxLength": 4, "description": "who"},
        "kind": {"enum": ["a", 1, None, [1.0]]},
        "lines": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "integer"}},
    },
    "additionalProperties": False,
}
SPECS: list[dict[str, Any]] = [
    {"kind": "max_words", "limit": 3},
    {"kind": "max_words", "limit": 2, "field": "name"},
    {"kind": "min_words", "limit": 2},
    {"kind": "min_words", "limit": 0},
    {"kind": "max_sentence_words", "limit": 2},
    {"kind": "max_characters", "limit": 9},
    {"kind": "ends_with_sentence"},
    {"kind": "contains", "text": "can"},
    {"kind": "contains", "text": "30"},
    {"kind": "contains_any", "texts": ["Free", "it's", "free", "日本"]},
    {"kind": "contains_all", "texts": ["a", "can't", "x-ray"]},
    {"kind": "contains", "text": "refund", "field": "/lines/0"},
    {"kind": "regex", "pattern": r"^\s*[A-Z]\w{2}"},
    {"kind": "regex", "pattern": r"\d+$", "field": "total"},
    {"kind": "json"},
    {"kind": "json_schema", "schema": SCHEMA},
    {"kind": "json_schema", "schema": SCHEMA, "path": "name"},
    {"kind": "json_schema", "schema": SCHEMA, "path": "lines[0]"},
    {"kind": "equals_reference"},
    {"kind": "equals_reference", "tolerance": 0.01},
    {"kind": "equals_reference", "field": "total"},
    {"kind": "equals_reference", "field": "total", "tolerance": 1},
    {"kind": "python_parses"},
    {"kind": "python_parses", "version": "3.8"},
    {"kind": "python_parses", "version": "3.99"},
    {"kind": "python_imports", "texts": ["os", "json.decoder"]},
    {"kind": "python_imports", "texts": ["os"], "only": True},
]
SPECS += [{**spec, "not": True} for spec in SPECS]
CHECKED = Contract.from_data(
    {
        "criteria": [
            {"key": f"k{n}", "checked_by": "code", "check": spec} for n, spec in enumerate(SPECS)
        ]
    }
)
JUDGED = Contract.from_data({"criteria": [{"key": "tone"}, {"key": "C 2"}, {"key": "ﬁne"}]})


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(export_code(CHECKED, "sdk").text, "checks_loop", tmp_path_factory.mktemp("x"))


# Characters the interpreter does not know yet have no category here and one in a newer library.
LETTERS = st.characters(exclude_categories=["Cn", "Cs"]) | st.sampled_from(
    "aAzZ09.,!?…'’-_ \n\t\u00ad\u0301日本ก漢。」)\"”\u200b²½٣€\ud800"
)
BITS = st.sampled_from(
    [
        "can", "can't", "free", "freedom", "risk-free", "it’s", "30", "1,300", "30.5", "X-ray",
        "日本語", "e.g. ", "Mr. ", ". ", "! ", "?\n", "\n- ", "\n\n", "refund", "'s", " ", "a",
        "```", "\n", "import os\n", "import json\n", "from os import path\n", "x = (\n",
        "__import__('os')\n", "```python\n", "\n```", "~~~\n", "match x:\n    case 1: pass\n",
    ]
)  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["A", "Abcde", "a", ""])
    | st.sampled_from([0.5, 1.5, 1.0, -0.1, 12.25])
)  # fmt: skip
JSONS = st.dictionaries(
    st.sampled_from(["total", "name", "kind", "lines", "other"]),
    SCALARS | st.lists(SCALARS, max_size=3) | st.just([1.0]) | st.just({"x": 1}),
).map(json.dumps) | st.sampled_from(
    [
        '{"total": 1, "total": 2}', '{"total": NaN}', '{"total": 1e999}', '{"total": 1.10}', "[1,]",
        '{"total": 1.0, "name": "Al"}', '```json\n{"total": 1, "name": "A"}\n```', "5", " 1.004 ",
        "−1", "[" * 101 + "]" * 101, "[" * 100 + "]" * 100, '"\\ud800"', "[[1], true]",
    ]
)  # fmt: skip
TEXTS = st.text(LETTERS, max_size=12) | st.lists(BITS, max_size=6).map("".join) | JSONS


def agree(checks: ModuleType, text: str, reference: str | None) -> None:
    for spec, criterion in zip(SPECS, checks.CRITERIA, strict=True):
        expected = build(spec).run(text, reference)
        checks.CRITERIA, every = (criterion,), checks.CRITERIA
        try:
            made = checks.run_checks(text, reference)[criterion.key]
        except checks.NoVerdict as error:
            assert (expected.unscored, expected.evidence) == (Unscored.ERROR, str(error))
            continue
        finally:
            checks.CRITERIA = every
        assert (made.word, spec) == (expected.verdict, spec)
        if spec["kind"] != "json_schema":  # says the same in words of its own
            assert (made.evidence, made.change) == (expected.evidence, expected.change)


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TEXTS, st.none() | TEXTS)
def test_inlined_checks_agree_with_the_checks(
    checks: ModuleType, text: str, reference: str | None
) -> None:
    agree(checks, text, reference)


@pytest.mark.soak
@settings(max_examples=1500, deadline=None)
@given(TEXTS, st.none() | TEXTS)
def test_inlined_checks_agree_with_the_checks_on_many(
    checks: ModuleType, text: str, reference: str | None
) -> None:
    agree(checks, text, reference)
