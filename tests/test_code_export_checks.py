"""Inlined checks give the verdicts and the evidence of the checks they stand for."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.checks.registry import KINDS, build
from core.contract.contract import Contract
from core.files.code_export.export import export_code
from core.files.code_export.schemas import plain_schema
from core.judging.calls import ModelReply
from core.judging.prompt import judged_criteria
from core.judging.reply import read_reply
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


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.none() | TEXTS)
def test_inlined_checks_agree_with_the_checks(
    checks: ModuleType, text: str, reference: str | None
) -> None:
    agree(checks, text, reference)


@pytest.mark.soak
@settings(max_examples=250, deadline=None)
@given(TEXTS, st.none() | TEXTS)
def test_inlined_checks_agree_with_the_checks_on_many(
    checks: ModuleType, text: str, reference: str | None
) -> None:
    agree(checks, text, reference)


ANY_TEXT = st.text(max_size=30) | st.text(
    st.sampled_from("\"'\\{}\n\r\0\ud800\u202e@ #é漢"), max_size=40
)
QUESTION = st.one_of(ANY_TEXT, st.text("ab \n", min_size=90, max_size=200))
KEY = st.text("abc\"'\\{}é@", min_size=1, max_size=9)
CRITERION = st.one_of(
    st.fixed_dictionaries(
        {"question": QUESTION, "pass_example": ANY_TEXT, "fail_example": QUESTION}
    ),
    st.builds(
        lambda spec, question: {"checked_by": "code", "check": spec, "question": question},
        st.sampled_from(SPECS)
        | st.builds(lambda text: {"kind": "contains", "text": f"a{text}"}, ANY_TEXT),
        QUESTION,
    ),
    st.just({"checked_by": "person"}),
    st.just({"checked_by": "code", "check": {"kind": "recorded", "by": "p'y\"t"}}),
)
CONTRACT = st.builds(
    lambda criteria, text, rule, budget, flags: Contract.from_data({
        "title": text[0], "task": text[1], "does_not_examine": text[2],
        "receives_reference": flags[0], "judge_when_code_fails": flags[1],
        "criteria": [{"key": key, **c} for key, c in criteria.items()],
        "acceptance": rule,
        "stop": {"on_failure": text[3], "budget": budget, "keep": "last" if flags[2] else "best"},
    }),
    st.dictionaries(KEY, CRITERION, min_size=1, max_size=4),
    st.tuples(QUESTION, QUESTION, QUESTION, ANY_TEXT),
    st.sampled_from([{"rule": "all"}, {"rule": "threshold", "minimum": 0.7}]),
    st.dictionaries(st.sampled_from(["calls", "tokens", "seconds", "usd"]), st.just(9)),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
)  # fmt: skip


def holds_the_contract(contract: Contract, to: str) -> None:
    made = export_code(contract, to)
    module = ModuleType("exported")
    sys.modules["exported"] = module
    exec(compile(made.text.encode(), made.name, "exec"), module.__dict__)
    compile(made.test_text.encode(), made.test_name, "exec")
    assert module.TASK == contract.task
    assert getattr(module, "ON_FAILURE", "").strip() == contract.stop.on_failure.strip()
    for criterion, ours in zip(module.CRITERIA, contract.criteria, strict=True):
        assert (criterion.key, criterion.question) == (ours.key, ours.question)
        assert criterion.checked_by == ours.checked_by.value
        if ours.checked_by.value == "judge":
            assert criterion.pass_example == ours.pass_example
            assert criterion.fail_example == ours.fail_example
        check = ours.code_check()
        if (
            check is None
            or getattr(criterion, "check", None) is None
            or ours.check["kind"] == "equals_reference"
        ):
            continue
        given = ["x 30"] + ["1"] * any(getattr(c, "sees_reference", False) for c in module.CRITERIA)
        if any(c.check and c.check.get("version") == "3.99" for c in contract.criteria):
            # Code of a Python newer than this one: no verdict, and nothing is decided without it.
            with pytest.raises(module.NoVerdict):
                module.run_checks(*given)
            return
        found = module.run_checks(*given)
        assert found[ours.key].word == check.run("x 30", "1").verdict


@settings(max_examples=15, deadline=None)
@given(CONTRACT, st.sampled_from(["sdk", "langgraph"]))
def test_any_contract_gives_a_module_that_holds_it(contract: Contract, to: str) -> None:
    holds_the_contract(contract, to)


def test_what_is_no_number_fails_where_a_number_is_compared() -> None:
    near = {"kind": "equals_reference", "tolerance": 0.1}
    contract = Contract.from_data({
        "task": "t",
        "criteria": [{"key": "near", "question": "Is it near?", "checked_by": "code", "check": near}],
    })  # fmt: skip
    module = ModuleType("exported")
    sys.modules["exported"] = module
    exec(compile(export_code(contract, "sdk").text, "near.py", "exec"), module.__dict__)
    found = module.run_checks("x 30", "1")["near"]
    assert (found.word, found.evidence) == ("FAIL", "the output is not a number")


WORD = st.sampled_from(
    ["PASS", " fail ", "Met", "unmet", True, False, None, 1, 0, "7/10", "UNKNOWN", "\u200bno", []]
)
ENTRY = WORD | st.dictionaries(
    st.sampled_from(["evidence", "reason", "verdict", "passed", "change", "id", "key", "name"]),
    WORD | st.sampled_from(["tone", "c2", "C 2", "fine", "why"]) | st.just(["a", "b"]),
)
NAMES = st.sampled_from(
    ["c1", "c2", "c3", "C1", "tone", "TONE", "c 2", "fine", "overall", "criteria"]
)
VALUE = st.dictionaries(NAMES, ENTRY | st.dictionaries(NAMES, ENTRY), max_size=5) | st.lists(
    ENTRY, max_size=4
)
WHOLE = st.fixed_dictionaries(dict.fromkeys(["c1", "c2", "c3"], ENTRY))
FORMS = st.sampled_from(
    ["{}", "```json\n{}\n```", "Sure:\n```\n{}\n```\n", "{},", "x {}", "```\n{}\n```\n```\n```\n"]
)
REPLIES = st.builds(
    lambda value, form, slip: form.replace("{}", slip(json.dumps(value))),
    VALUE | WHOLE,
    FORMS,
    st.sampled_from([
        lambda t: t, lambda t: t.replace("}", ",}"), lambda t: t.replace("why", "wh\ny"),
        lambda t: t[:-3], lambda t: t.replace('"c2"', '"c1"'), lambda t: t.replace("null", "NaN"),
    ]),
).filter(str.strip)  # fmt: skip


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(export_code(JUDGED, "sdk").text, "judge_loop", tmp_path_factory.mktemp("x"))


def reads_alike(judge: ModuleType, reply: str, draft: str) -> None:
    expected = read_reply(ModelReply(reply, "end_turn", reply), judged_criteria(JUDGED), draft)
    try:
        made = judge.read_verdicts(reply, draft)
    except judge.Unreadable as problem:
        assert (expected.unscored, expected.detail) == (Unscored.UNREADABLE, str(problem))
    else:
        assert expected.unscored is None
        assert {k: (v.word, v.evidence, v.change) for k, v in made.items()} == {
            k: (v.verdict, v.evidence, v.change) for k, v in expected.verdicts.items()
        }


@settings(max_examples=60, deadline=None)
@given(REPLIES, st.just("Draft.") | VALUE.map(json.dumps))
def test_replies_are_read_as_the_judge_reads_them(
    judge: ModuleType, reply: str, draft: str
) -> None:
    reads_alike(judge, reply, draft)


@pytest.mark.soak
@settings(max_examples=60, deadline=None)
@given(CONTRACT, st.sampled_from(["sdk", "langgraph"]), REPLIES)
def test_many_contracts_and_replies(
    judge: ModuleType, contract: Contract, to: str, reply: str
) -> None:
    holds_the_contract(contract, to)
    reads_alike(judge, reply, "Draft.")


def test_what_is_plain_about_a_schema() -> None:
    assert plain_schema(SCHEMA)
    for odd in ({"$ref": "#/x"}, {"items": {"not": {}}}, {"properties": {"a": {"oneOf": []}}}):
        assert not plain_schema(odd)
    assert not plain_schema({"$schema": "http://json-schema.org/draft-04/schema#"})
    kinds = {spec["kind"] for spec in SPECS}
    assert set(KINDS) - kinds == {"recorded", "expression", "sum_equals"}
