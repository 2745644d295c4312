"""What lint finds in a valid contract, rule by rule, and what it leaves alone."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Contract, Threshold
from core.contract.lint import CONTRACT_RULES, CRITERION_RULES, Finding, lint, lint_data
from core.contract.lint_words import is_yes_no, second_question, vague
from core.contract.near import nearly_same
from core.contract.suggest import suggest
from core.text import words

GOOD: dict[str, Any] = {
    "key": "tone",
    "question": "Does the reply apologise without blaming the customer?",
    "pass_example": "Sorry, this was our mistake.",
    "fail_example": "You entered the wrong address.",
}


def contract(*criteria: dict[str, Any], **fields: Any) -> Contract:
    return Contract.from_data(
        {
            "does_not_examine": "Whether the amount is right.",
            "evaluator": {"knows": "the refund policy"},
            "criteria": list(criteria) or [GOOD],
            **fields,
        }
    )


def rules(*criteria: dict[str, Any], **fields: Any) -> list[str]:
    return [finding.rule for finding in lint(contract(*criteria, **fields))]


def asked(question: str, **fields: Any) -> list[str]:
    return rules({**GOOD, "question": question, **fields})


def coded(check: dict[str, Any], good: str, bad: str, **fields: Any) -> list[Finding]:
    row = {**GOOD, "checked_by": "code", "check": check, "pass_example": good, "fail_example": bad}
    return lint(contract({**row, **fields}))


def test_a_sound_contract_has_no_findings() -> None:
    length = {
        "key": "length",
        "question": "Is the reply at most 60 words?",
        "checked_by": "code",
        "check": {"kind": "max_words", "limit": 60},
        "pass_example": "Sorry for the delay. We will refund you.",
        "fail_example": "word " * 61,
    }
    assert lint(contract(length, GOOD)) == []


def test_every_finding_is_one_line_that_says_why_and_what_to_do() -> None:
    bad = {"key": "x", "question": "Rate how good and clear it is from 1 to 5"}
    same = {**GOOD, "fail_example": GOOD["pass_example"], "key": "y"}
    found = lint(Contract.from_data({"criteria": [bad, same]}))
    assert len(found) >= 6
    for finding in found:
        for line in (finding.message, finding.fix):
            assert line and "\n" not in line and line.strip() == line
            assert line[0].isupper() or line[0] in "'\"=!"
    assert [f.criterion for f in found[-2:]] == [None, None]


def test_no_rule_is_named_twice() -> None:
    names = [rule.__name__ for rule in (*CRITERION_RULES, *CONTRACT_RULES)]
    assert len(set(names)) == len(names)


# --- examples ---------------------------------------------------------------------------------


def test_missing_examples_are_named() -> None:
    found = lint(contract({**GOOD, "pass_example": " ", "fail_example": ""}))
    assert [f.rule for f in found] == ["missing_example", "missing_example"]
    assert "pass example" in found[0].message
    assert "fail example" in found[1].message


def test_examples_that_differ_in_blanks_alone_are_the_same() -> None:
    assert rules({**GOOD, "fail_example": GOOD["pass_example"] + " \r\n"}) == ["same_examples"]


@pytest.mark.parametrize(
    ("check", "good", "bad", "wrong"),
    [
        ({"kind": "max_words", "limit": 2}, "one two", "one two three", []),
        ({"kind": "max_words", "limit": 2}, "one two three", "one", ["pass", "fail"]),
        ({"kind": "contains", "text": "free", "not": True}, "freedom", "it is free", []),
        ({"kind": "contains", "text": "free"}, "freedom", "no", ["pass"]),
        ({"kind": "json"}, "{}", "{", []),
        ({"kind": "equals_reference"}, "a", "b", []),
        ({"kind": "recorded", "by": "pytest"}, "a", "b", []),
    ],
)
def test_examples_that_the_check_gets_wrong(
    check: dict[str, Any], good: str, bad: str, wrong: list[str]
) -> None:
    found = [f for f in coded(check, good, bad) if f.rule == "example_misjudged"]
    assert [f.message.split(" example")[0].split()[-1] for f in found] == wrong


def test_a_misjudged_example_is_shown_with_the_evidence() -> None:
    found = coded({"kind": "max_words", "limit": 2}, "one two three", "a b c")
    assert found[0].message == "The check says FAIL to the pass example: 3 words, limit 2."


# --- questions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("", "no_question"),
        ("Be polite", "not_yes_no"),
        ("The reply is short.", "not_yes_no"),
        ("How does it end?", "not_yes_no"),
        ("Which facts are wrong?", "not_yes_no"),
        ("Rate the tone from 1 to 5", "score_wording"),
        ("How well does the reply flow?", "score_wording"),
        ("Is the tone at least 4 out of 5?", "score_wording"),
        ("Does it reach 4 on a scale of 1 to 5?", "score_wording"),
        ("Is the reply good?", "vague_word"),
        ("Is the summary well-written?", "vague_word"),
        ("Is the tone appropriate?", "vague_word"),
        ("Is the reply polite?", "vague_word"),
        ("Is the reply empathetic?", "vague_word"),
        ("Is the answer accurate?", "vague_word"),
        ("Is the terminology consistent?", "vague_word"),
        ("Does the text flow well?", "vague_word"),
        ("Does the reply respond in a timely manner?", "vague_word"),
        ("Does it avoid being wordy?", "vague_word"),
        ("Is the readability 4 or higher?", "score_wording"),
        ("Is the summary at least 4 out of 5?", "score_wording"),
        ("Is the answer 90% accurate?", "score_wording"),
        ("Award up to 5 points for style", "score_wording"),
        ("Is the answer free of hallucinations?", "open_ended"),
        ("Does the answer hallucinate?", "open_ended"),
        ("Does the text contain grammatical or spelling errors?", "open_ended"),
        ("Does the reply cover everything?", "open_ended"),
        ("Is the reading age lower?", "comparison"),
        ("Does the writer intend a pun?", "intent"),
        ("Is the tone formal or informal?", "two_questions"),
        ("Is the reply polite and short?", "two_questions"),
        ("Does it apologise and offer a refund?", "two_questions"),
        ("Is it polite and does it mention the date?", "two_questions"),
        ("Does it explain the delay or give a new date?", "two_questions"),
        ("Is it polite? Is it short?", "two_questions"),
        ("Are there no issues left?", "open_ended"),
        ("Is the code free of errors?", "open_ended"),
        ("Is there nothing left to improve?", "open_ended"),
        ("Could the text be improved?", "open_ended"),
        ("Does the writer try to help?", "intent"),
        ("Is the reply meant to calm the customer?", "intent"),
        ("Does the reply sincerely apologise?", "intent"),
        ("Is the reply at most 60 words?", "code_could_check"),
        ("Does the reply mention 'net 30'?", "code_could_check"),
        ("Is the output valid JSON?", "code_could_check"),
        ("Does the reply leave out the word “good”?", "code_could_check"),
    ],
)
def test_a_weak_question_is_found(question: str, rule: str) -> None:
    assert rule in asked(question)


@pytest.mark.parametrize(
    "question",
    [
        "Does the reply name the date and the place?",
        "Is the number between 5 and 10?",
        "When the order is late, does the reply give a new date?",
        "Is every date and amount copied from the order?",
        "Is the total the sum of items and tax?",
        "Does the summary say whether the plan passed or failed?",
        "Does the reply name the credit score?",
        "Does the reply state how much is refunded?",
        "Does the reply promise delivery in 1-5 days?",
        "Does the list name all issues from the input?",
        "Does the reply name what the customer wants to return?",
        "Is the claim in the first sentence supported by the source, or not?",
        "Is the translation of each term consistent with the glossary?",
        "Is the total accurate to two decimals?",
        "Does the code run on Python 3.9 or higher?",
        "Does the leaflet say that the dose is for age 12 or above?",
        "Does the clause require both parties to act in good faith?",
        "Does the prompt ask for natural language?",
        "Does the reply hallucinate a refund policy that the briefing does not state?",
        "Does the reply name the kind of damage?",
        "Does the summary cover everything listed under Decisions?",
        "Does it apply to tenants as well?",
        "回复是否给出新的日期？",
        "Nennt die Antwort ein neues Datum?",
    ],
)
def test_a_sound_question_is_left_alone(question: str) -> None:
    assert asked(question) == []


def test_vague_words_do_not_matter_where_code_decides() -> None:
    found = coded({"kind": "max_words", "limit": 1}, "a", "a b", question="Is the length good?")
    assert found == []


def test_vague_words_are_named_once_each_and_not_when_quoted() -> None:
    assert vague("Is it good, Clear and good?") == ["good", "Clear"]
    assert vague("Does it avoid 'good' and “clear”?") == []


@pytest.mark.parametrize(
    ("question", "suggestion"),
    [
        ("Is it at most 60 words long?", "{kind: max_words, limit: 60}"),
        ("Does it have fewer than 1,000 words?", "{kind: max_words, limit: 999}"),
        ("Is it at least 20 words?", "{kind: min_words, limit: 20}"),
        ("Is it more than 20 words?", "{kind: min_words, limit: 21}"),
        ("Is it under 280 characters?", "{kind: max_characters, limit: 279}"),
        ("Does it mention 'net 30'?", '{kind: contains, text: "net 30"}'),
        ("Does it not mention \"net 30\"?", '{kind: contains, text: "net 30", not: true}'),
        ("Does it avoid the word “free”?", '{kind: contains, text: "free", not: true}'),
        ("Is it valid JSON?", "{kind: json}"),
        ("Do the lines add up to the total?", "{kind: sum_equals, items: …, total: …}"),
        ("Is the tone calm?", None),
    ],
)  # fmt: skip
def test_the_check_that_could_decide_is_written_out(question: str, suggestion: str | None) -> None:
    found = suggest(question)
    assert (found and found.written) == suggestion


# --- checks -----------------------------------------------------------------------------------


def test_a_word_limit_on_an_unspaced_script_is_noted() -> None:
    found = coded({"kind": "max_words", "limit": 4}, "今天开会", "今天的会议改到星期三下午")
    assert [f.rule for f in found] == ["unspaced_script"]
    found = coded({"kind": "max_characters", "limit": 4}, "今天开会", "今天的会议改到星期三下午")
    assert found == []


def test_equality_between_numbers_is_noted() -> None:
    good, bad = '{"l": [0.1, 0.2], "t": 0.3}', '{"l": [0.1], "t": 0.3}'
    found = coded({"kind": "expression", "expression": "sum(l) == t"}, good, bad)
    assert [f.rule for f in found] == ["exact_number"]
    assert "close(" in found[0].fix
    close = {"kind": "expression", "expression": "close(sum(l), t, `0.005`)"}
    assert coded(close, good, bad) == []


def test_presence_is_no_assertion_only_where_an_assertion_is_asked_for() -> None:
    check = {"kind": "contains", "text": "v2.1"}
    for question, expected in (
        ("Does the reply say that we run v2.1?", ["presence"]),
        ("Does the reply mention v2.1?", []),
        ("Is the version number in the reply?", []),
    ):
        found = coded(check, "We run v2.1.", "We run v2.0.", question=question)
        assert [f.rule for f in found] == expected
    forbidden = {**check, "not": True}
    question = "Does the reply say nothing of v2.1?"
    assert coded(forbidden, "We run v2.0.", "We run v2.1.", question=question) == []


def test_format_in_a_schema_is_noted_where_it_is_a_keyword() -> None:
    used = {"properties": {"d": {"type": "string", "format": "date"}}}
    named = {"properties": {"format": {"type": "string"}}, "required": ["format"]}
    for schema, expected in ((used, ["format_unchecked"]), (named, [])):
        check = {"kind": "json_schema", "schema": schema}
        found = coded(check, '{"d": "2026-01-01", "format": "x"}', '{"d": 1, "format": 1}')
        assert [f.rule for f in found] == expected


# --- the contract -----------------------------------------------------------------------------


def test_duplicates_and_near_duplicates() -> None:
    other = {**GOOD, "key": "b", "question": GOOD["question"].upper()}
    assert rules(GOOD, other) == ["duplicate"]
    near = {**GOOD, "key": "b", "question": "Does the answer apologise without blaming a customer?"}
    assert rules(GOOD, near) == ["duplicate"]
    apart = {**GOOD, "key": "b", "question": "Does the reply give a new date?"}
    assert rules(GOOD, apart) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Is the reply at most 60 words?", "Is the reply at most 80 words?", False),
        ("Does it name the new date?", "Does it not name the new date?", False),
        ("Does it name the new date?", "Does the reply name the new date?", True),
        ("Is it red?", "Is it blue?", False),
        ("", "", False),
    ],
)
def test_nearly_same(one: str, other: str, same: bool) -> None:
    assert nearly_same(one, other) is same


def test_two_field_checks_of_one_question_are_two_checks() -> None:
    rows = [
        {
            **GOOD,
            "key": field,
            "question": "Does the field fit the schema?",
            "checked_by": "code",
            "check": {"kind": "json_schema", "schema": {"required": ["a", "b"]}, "path": field},
            "pass_example": '{"a": 1, "b": 1}',
            "fail_example": "{}",
        }
        for field in ("a", "b")
    ]
    assert "duplicate" not in rules(*rows)


def test_a_minimum_that_one_criterion_reaches_alone() -> None:
    other = {**GOOD, "key": "b", "question": "Does the reply give a new date?"}
    heavy = {**GOOD, "weight": 3}
    easy = {"rule": "threshold", "minimum": 2}
    assert rules(heavy, other, acceptance=easy) == ["one_is_enough"]
    assert rules(heavy, other, acceptance={"rule": "threshold", "minimum": 3.5}) == []


def test_a_draft_that_could_not_be_saved_is_linted_all_the_same() -> None:
    """Built without validation, as an editor holds it: the minimum is above all weights."""
    draft = contract().model_copy(update={"acceptance": Threshold(rule="threshold", minimum=9)})
    assert [f.rule for f in lint(draft)] == ["unreachable"]
    broken = contract().to_data()
    broken["criteria"][0] |= {"checked_by": "code", "check": {"kind": "nope"}}
    assert [(f.rule, f.position) for f in lint_data(broken)] == [("unusable", 0)]


def test_limits_that_exclude_each_other() -> None:
    rows = [
        {
            **GOOD,
            "key": kind,
            "question": f"Is the {kind} kept?",
            "checked_by": "code",
            "check": {"kind": kind, "limit": limit},
            "pass_example": good,
            "fail_example": bad,
        }
        for kind, limit, good, bad in (
            ("max_words", 2, "one two", "one two three"),
            ("min_words", 3, "one two three", "one two"),
        )
    ]
    assert rules(*rows) == ["unreachable"]
    turned = {"kind": "max_words", "limit": 2, "not": True}
    assert rules(rows[0], {**rows[1], "check": turned}) == ["unreachable"]
    fits = {"kind": "max_words", "limit": 1, "not": True}
    assert rules(rows[0], {**rows[1], "check": fits, "fail_example": "a"}) == []


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"does_not_examine": " "}, "blind_spot"),
        ({"evaluator": {"knows": " "}}, "knows_nothing"),
        ({"evaluator": {"type": "self_review", "knows": "x"}}, "self_review"),
    ],
)
def test_what_the_contract_leaves_open(fields: dict[str, Any], rule: str) -> None:
    found = lint(contract(**fields))
    assert [(f.criterion, f.rule) for f in found] == [(None, rule)]


# --- any text ---------------------------------------------------------------------------------

QUESTION = st.text(max_size=80) | st.lists(
    st.sampled_from(
        [
            "is",
            "the",
            "reply",
            "good",
            "and",
            "does",
            "it",
            "mention",
            "'net 30'",
            "or",
            "not",
            "?",
            "rate",
            "from 1 to 5",
            "at most 60 words",
            "no issues left",
            '"',
            "“",
            "”",
            "try to",
            ",",
            "say",
            "how",
        ]
    ),
    max_size=25,
).map(" ".join)


@given(QUESTION, QUESTION)
def test_lint_never_raises_and_is_the_same_twice(one: str, other: str) -> None:
    rows = [{**GOOD, "question": one}, {**GOOD, "key": "b", "question": other}]
    made = contract(*rows)
    assert lint(made) == lint(made)
    second_question(one)
    is_yes_no(one)
    assert vague(one) == list(dict.fromkeys(vague(one)))


def test_a_large_contract_and_a_long_question_are_linted_in_time() -> None:
    rows = [{**GOOD, "key": f"k{i}", "question": f"Does it name fact {i}?"} for i in range(1_000)]
    started = time.process_time()
    lint(contract(*rows))
    for part in ("is it and ", "'", "no more ", 'mention "', "a, ", "is good and ", "1 "):
        lint(contract({**GOOD, "question": part * (20_000 // len(part)) + "?"}))
    assert len(words("a " * 10)) == 10
    assert time.process_time() - started < 20
