"""The contract: what it refuses, how it decides acceptance, and its way through files."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Contract, accepted, needed, open_weight, score
from core.contract.criterion import Criterion
from core.contract.ladder import LADDER, EvaluatorType
from core.errors import InputError
from core.files.contracts import contract_to_json, contract_to_yaml, parse_contract
from core.verdict import CriterionVerdict, Unscored, Verdict, failed, no_verdict, passed

UNKNOWN = CriterionVerdict(Verdict.UNKNOWN, "cannot tell")


def contract(*weights: float, **fields: Any) -> Contract:
    """Return a contract of judge criteria a, b, c … with these weights."""
    criteria = [
        {"key": chr(97 + i), "question": "Is it so?", "weight": w} for i, w in enumerate(weights)
    ]
    return Contract.from_data({"criteria": criteria, **fields})


def threshold(minimum: float, *weights: float) -> Contract:
    return contract(*weights, acceptance={"rule": "threshold", "minimum": minimum})


def refused(data: object) -> str:
    with pytest.raises(InputError) as caught:
        Contract.from_data(data)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0, -1, math.nan, math.inf, -math.inf, "NaN", "inf", True, "1"])
def test_a_weight_that_is_no_finite_number_above_zero_is_refused(weight: object) -> None:
    message = refused({"criteria": [{"key": "tone", "weight": weight}]})
    assert "criterion 'tone'.weight" in message


@pytest.mark.parametrize("minimum", [0, -1, math.nan, math.inf, True, "2", None, 3.0001])
def test_a_minimum_outside_what_can_be_reached_is_refused(minimum: object) -> None:
    message = refused(
        {
            "criteria": [{"key": k} for k in "abc"],
            "acceptance": {"rule": "threshold", "minimum": minimum},
        }
    )
    assert "acceptance.minimum" in message


def test_a_minimum_of_all_weights_is_fine() -> None:
    assert needed(threshold(3, 1, 1, 1)) == 3


@pytest.mark.parametrize("cap", [0, -1, math.nan, math.inf, 2.5, "3", True, None])
@pytest.mark.parametrize("name", ["cap", "window"])
def test_a_cap_or_window_that_is_no_whole_number_above_zero_is_refused(
    name: str, cap: object
) -> None:
    assert f"stop.{name}" in refused({"criteria": [{"key": "a"}], "stop": {name: cap}})


@pytest.mark.parametrize("name", ["calls", "tokens", "usd", "seconds"])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "1", True])
def test_a_budget_that_is_no_finite_number_above_zero_is_refused(name: str, value: object) -> None:
    message = refused({"criteria": [{"key": "a"}], "stop": {"budget": {name: value}}})
    assert f"stop.budget.{name}" in message


@pytest.mark.parametrize("rate", [0, -0.1, 1.01, math.nan, True, "5%"])
def test_a_limit_outside_its_range_is_refused(rate: object) -> None:
    message = refused({"criteria": [{"key": "a"}], "limits": {"false_accept_rate": rate}})
    assert "limits.false_accept_rate" in message


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ({}, "criteria"),
        ({"criteria": []}, "at least one criterion"),
        ({"criteria": None}, "criteria"),
        ([], "expected a mapping"),
        (None, "expected a mapping"),
        ({"criteria": [1]}, "criterion number 1"),
        ({"criteria": [{"key": "a"}], "treshold": 1}, "treshold"),
        ({"criteria": [{"key": "a"}, {"key": "a"}]}, "'a'"),
        ({"criteria": [{"key": "overall"}]}, "reserved"),
        ({"criteria": [{"key": "Overall"}]}, "reserved"),
        ({"criteria": [{"key": "over\u200ball"}]}, "reserved"),
        ({"criteria": [{"key": " a"}]}, "blanks"),
        ({"criteria": [{"key": "a\nb"}]}, "control"),
        ({"criteria": [{"key": "a\u2028b"}]}, "control"),
        ({"criteria": [{"key": "a\ud800"}]}, "unicode"),
        ({"criteria": [{"key": ""}]}, "key"),
        ({"criteria": [{"key": "a", "checked_by": "code"}]}, "needs a check"),
        (
            {"criteria": [{"key": "a", "check": {"kind": "json"}}]},
            "only a criterion checked by code",
        ),
        (
            {
                "criteria": [
                    {"key": "a", "checked_by": "code", "check": {"kind": "max_words", "limit": -1}}
                ]
            },
            "criterion 'a': check max_words, limit: -1",
        ),
        ({"criteria": [{"key": "a"}], "acceptance": {"minimum": 1}}, "'all' or 'threshold'"),
        ({"criteria": [{"key": "a"}], "acceptance": {"rule": "most"}}, "'all' or 'threshold'"),
        ({"criteria": [{"key": "a"}], "acceptance": {"rule": "all", "minimum": 0}}, "minimum"),
        ({"criteria": [{"key": "a"}], "evaluator": {"type": "vibes"}}, "evaluator.type"),
        ({1: 2}, "criteria"),
    ],
)
def test_what_else_is_refused_by_name(data: object, part: str) -> None:
    assert part in refused(data)


def test_a_list_of_unusable_criteria_is_not_called_empty() -> None:
    assert "at least one" not in refused({"criteria": [1]})


def test_no_threshold_means_all_must_pass() -> None:
    assert contract(1, 1).acceptance.rule == "all"


def test_every_rung_of_the_ladder_is_described() -> None:
    assert list(LADDER) == list(EvaluatorType)


# --- acceptance -------------------------------------------------------------------------------


def test_ten_weights_of_a_tenth_reach_eight_tenths_with_eight() -> None:
    """The plain float sum is 0.7999999999999999."""
    made = threshold(0.8, *[0.1] * 10)
    verdicts = {k: passed("") if i < 8 else failed("") for i, k in enumerate(made.keys)}
    assert score(made, verdicts) == Fraction(4, 5)
    assert accepted(made, verdicts) is True


def test_just_below_the_minimum_is_not_accepted() -> None:
    made = threshold(0.8, 0.79996, 0.20004)
    assert accepted(made, {"a": passed(""), "b": failed("")}) is False


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ({}, None),
        ({"a": passed(""), "b": passed("")}, True),
        ({"a": passed(""), "b": failed("")}, False),
        ({"a": passed(""), "b": UNKNOWN}, False),
        ({"a": passed("")}, None),
        ({"a": failed("")}, False),
        ({"a": passed(""), "b": no_verdict(Unscored.UNREADABLE)}, None),
        ({"a": failed(""), "b": no_verdict(Unscored.SKIPPED)}, False),
        ({"a": no_verdict(Unscored.REFUSED), "b": no_verdict(Unscored.ERROR)}, None),
        ({"a": passed(""), "b": passed(""), "z": failed("")}, True),
    ],
)
def test_acceptance_under_the_rule_all(
    verdicts: dict[str, CriterionVerdict], expected: bool | None
) -> None:
    assert accepted(contract(1, 1), verdicts) is expected


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ({"a": passed(""), "b": failed(""), "c": failed("")}, True),
        ({"a": failed(""), "b": passed(""), "c": passed("")}, True),
        ({"a": failed(""), "b": passed(""), "c": UNKNOWN}, False),
        ({"a": failed(""), "b": failed("")}, False),
        ({"a": failed(""), "b": no_verdict(Unscored.SKIPPED)}, None),
        ({"a": passed("")}, None),
    ],
)
def test_acceptance_under_a_threshold(
    verdicts: dict[str, CriterionVerdict], expected: bool | None
) -> None:
    """Weights 2, 1, 1 and minimum 2; True always needs a verdict on every criterion."""
    assert accepted(threshold(2, 2, 1, 1), verdicts) is expected


VERDICTS = st.sampled_from([passed(""), failed(""), UNKNOWN, no_verdict(Unscored.ERROR), None])


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 1.0, 2.5]), VERDICTS), min_size=1, max_size=6))
def test_acceptance_agrees_with_its_definition(
    rows: list[tuple[float, CriterionVerdict | None]],
) -> None:
    weights = [weight for weight, _ in rows]
    total = sum((Fraction(str(w)) for w in weights), Fraction(0))
    made = threshold(float(total / 2), *weights)
    verdicts = {chr(97 + i): v for i, (_, v) in enumerate(rows) if v is not None}
    have = sum(
        (Fraction(str(w)) for w, v in rows if v is not None and v.verdict is Verdict.PASS),
        Fraction(0),
    )
    missing = [w for w, v in rows if v is None or v.verdict is None]
    assert score(made, verdicts) == have
    assert open_weight(made, verdicts) == sum((Fraction(str(w)) for w in missing), Fraction(0))
    result = accepted(made, verdicts)
    if result is True:
        assert not missing and have >= needed(made)
    elif result is False:
        assert have + open_weight(made, verdicts) < needed(made)
    else:
        assert missing


def test_weights_do_not_count_under_the_rule_all() -> None:
    assert score(contract(5, 1), {"a": passed(""), "b": failed("")}) == 1


# --- identity ---------------------------------------------------------------------------------


def test_the_question_hash_dates_labels_and_the_verdict_hash_verdicts() -> None:
    base = {"key": "a", "question": "Is it?", "pass_example": "p", "fail_example": "f"}
    one = Criterion(**base)
    renamed = Criterion(**{**base, "key": "b", "weight": 2})
    asked = Criterion(**{**base, "question": "Is it not?"})
    coded = Criterion(**base, checked_by="code", check={"kind": "json"})
    assert renamed.question_hash == one.question_hash
    assert asked.question_hash != one.question_hash
    assert coded.question_hash == one.question_hash
    assert coded.verdict_hash != one.verdict_hash


def test_the_content_hash_follows_the_content() -> None:
    assert contract(1).content_hash == contract(1).content_hash
    assert contract(1).content_hash != contract(1, task="t").content_hash
    assert contract(2).content_hash != contract(1).content_hash


def test_a_check_inside_a_contract_keeps_its_nulls() -> None:
    spec = {"kind": "json_schema", "schema": {"properties": {"a": {"const": None}}}}
    made = Contract.from_data({"criteria": [{"key": "a", "checked_by": "code", "check": spec}]})
    assert made.to_data()["criteria"][0]["check"] == spec


# --- files ------------------------------------------------------------------------------------

TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=60) | st.text(
    alphabet="\x00\x85\u2028\ufeff\ud800\ue000\r\n\t #:-'\"\\{|>%@~?!&*1ab", max_size=150
)
KEYS = st.text(alphabet="abcé-_ 1~:#", min_size=1, max_size=8).filter(lambda k: k == k.strip())
SPECS = st.one_of(
    st.builds(lambda n: {"kind": "max_words", "limit": n}, st.integers(0, 10**9)),
    st.builds(lambda t, n: {"kind": "contains", "text": f"x{t}", "not": n}, TEXT, st.booleans()),
    st.just({"kind": "json_schema", "schema": {"const": None, "enum": [None, 1.5, True, "~"]}}),
    st.just({"kind": "sum_equals", "items": "a[]", "total": "b", "tolerance": 0.005}),
)


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    keys = draw(st.lists(KEYS, min_size=1, max_size=3, unique=True))
    criteria = []
    for key in keys:
        row: dict[str, Any] = {
            "key": key,
            "question": draw(TEXT),
            "pass_example": draw(TEXT),
            "weight": draw(st.sampled_from([1, 0.1, 2.5, 1e-7, 3])),
        }
        if draw(st.booleans()):
            row |= {"checked_by": "code", "check": draw(SPECS)}
        criteria.append(row)
    data: dict[str, Any] = {"title": draw(TEXT), "task": draw(TEXT), "criteria": criteria}
    if draw(st.booleans()):
        data["acceptance"] = {"rule": "threshold", "minimum": 1e-7}
        data["stop"] = {"cap": 5, "keep": "last", "budget": {"usd": 0.1}, "on_failure": draw(TEXT)}
        data["limits"] = {"false_accept_rate": 0.05}
    return Contract.from_data(data)


@given(contracts())
def test_a_contract_comes_back_from_both_file_forms_and_stays_the_same(made: Contract) -> None:
    for write, name in ((contract_to_yaml, "c.yaml"), (contract_to_json, "c.json")):
        written = write(made).encode()
        back = parse_contract(written, name)
        assert back == made
        assert back.content_hash == made.content_hash
        assert write(back).encode() == written


def read(text: str, name: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_contract(text.encode(), name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "part"),
    [
        ('{"criteria": [{"key": "a", "key": "b"}]}', "c.json", "'key' stands twice"),
        ("criteria: [{key: a, key: b}]", "c.yaml", "duplicate key"),
        ('{"criteria": [{"key": "a", "weight": NaN}]}', "c.json", "'a'.weight"),
        ("criteria: [{key: a, weight: .nan}]", "c.yaml", "weight"),
        ("criteria: [{key: a, weight: .inf}]", "c.yaml", "weight"),
        ("criteria: &a [*a]", "c.yaml", "too large"),
        ("[" * 50_000, "c.json", "nested"),
        ("criteria: " + "[" * 2_000, "c.yaml", "nested"),
        ('{"a": ' + "1" * 5_000 + "}", "c.json", "unusable"),
        ("a: 2024-13-45", "c.yaml", "unusable"),
        ("a: !!python/object:os.system x", "c.yaml", "line 1"),
        ("criteria: [{key: a}", "c.yaml", "line 1"),
        ("", "c.yaml", "expected a mapping"),
        ("[]", "c.json", "expected a mapping"),
        ("criteria: [{key: 2024-01-01}]", "c.yaml", "must be text"),
    ],
)
def test_an_unusable_file_is_refused_in_one_line(text: str, name: str, part: str) -> None:
    assert part in read(text, name)


def test_a_few_lines_of_yaml_cannot_spell_out_to_billions_of_values() -> None:
    lines = ["a0: &a0 [1, 1]"]
    lines += [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    assert "too large" in read("\n".join([*lines, "criteria: *a39"]), "c.yaml")


def test_merges_of_merges_are_counted_before_they_are_copied() -> None:
    """40 lines would copy 2^39 pairs; one merge of defaults is fine."""
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{i}:\n  &a{i}\n  <<: [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    assert "it holds more than a contract's 60,000 values" in read("\n".join(lines), "c.yaml")
    assert "criteria: it is missing" in read("a: &a\n  <<: *a\n  b: 1", "c.yaml")
    made = "d: &d {key: k}\ncriteria: [{<<: *d, question: Is it signed?}]"
    assert "d: no field has this name" in read(made, "c.yaml")


@pytest.mark.parametrize("text", ["- a\n" * 240_000, "x: " + "y" * 1_000_000])
def test_a_yaml_file_that_would_take_long_is_refused_and_json_is_named(text: str) -> None:
    assert read(text, "c.yaml").endswith("Make it smaller, or save it as JSON.")


def test_a_contract_of_two_thousand_criteria_comes_back_from_yaml() -> None:
    check = {"kind": "max_words", "limit": 60}
    rows = [
        {"key": f"k{n}", "question": f"Is part {n} signed?", "checked_by": "code", "check": check}
        for n in range(2_000)
    ]
    text = "criteria:\n" + "\n".join(f"  - {json.dumps(row)}" for row in rows)
    assert len(parse_contract(text.encode(), "c.yaml").criteria) == 2_000


def test_a_file_that_is_not_utf8_names_the_byte() -> None:
    with pytest.raises(InputError, match="byte 7"):
        parse_contract("title: é".encode("cp1252"), "c.yaml")


def test_to_data_is_json() -> None:
    data = contract(1, 0.5).to_data()
    assert json.loads(json.dumps(data)) == data
