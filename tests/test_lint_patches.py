"""What one click does: each patch, and the laws all of them keep."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.contract import Contract
from core.contract.finding import Finding
from core.contract.lint import apply, follow, lint_data
from core.errors import InputError
from tests.test_lint_corpus import SEEN, UNSEEN, contract_of

GOOD: dict[str, Any] = {
    "key": "tone",
    "question": "Does the reply apologise without blaming the customer?",
    "pass_example": "Sorry, this was our mistake.",
    "fail_example": "You entered the wrong address.",
}
FRAME = {"does_not_examine": "The amount.", "evaluator": {"knows": "the policy"}}


def draft(*rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**FRAME, "criteria": [{**GOOD, **row} for row in rows or [{}]], **fields}


def find(data: dict[str, Any], rule: str) -> Finding:
    """Return the one finding of a rule; it has to carry a patch."""
    found = [f for f in lint_data(data) if f.rule == rule]
    assert found, [f.rule for f in lint_data(data)]
    assert found[0].patch is not None
    return found[0]


def patched(rule: str, *rows: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    data = draft(*rows, **fields)
    criteria: list[dict[str, Any]] = apply(data, find(data, rule))["criteria"]
    return criteria


def asked(rule: str, question: str) -> str:
    """Return the question after the patch; examples and everything else stay as they are."""
    (row,) = patched(rule, {"question": question})
    assert {**row, "question": ""} == {**GOOD, "question": ""}
    return str(row["question"])


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("Does the reply not blame the customer?", "Does the reply avoid blaming the customer?"),
        ("Does it never promise a date?", "Does it avoid promising a date?"),
        ("Does the code not run SQL?", "Does the code avoid running SQL?"),
        ("Is the reply never condescending?", "Does the reply avoid being condescending?"),
        ("Does it not simply repeat it?", "Does it avoid simply repeating it?"),
        ("Does it never forget a unit?", "Does it avoid forgetting a unit?"),
        ("Is the note free of patient names?", "Does the note avoid patient names?"),
        ("Are the notes free from jargon?", "Do the notes avoid jargon?"),
        ("Does the summary contain no opinions?", "Does the summary avoid opinions?"),
    ],
)
def test_a_negated_question_is_asked_so_that_yes_is_still_a_pass(question: str, made: str) -> None:
    assert asked("negation", question) == made


@pytest.mark.parametrize(
    "question",
    ["Isn't the reply signed?", "Is the reply not signed?", "Are there no names in it?",
     "Does it not lie and not swear?", "Does the reply refrain from not answering the question?",
     "Does the reply not always apologise?", "Does the reply not refrain from answering?",
     "Does the user who has not paid get a reminder?", "Does the code not hard-code secrets?",
     "Does the reply contain no not needed words?"],
)  # fmt: skip
def test_a_negation_that_cannot_be_turned_honestly_leaves_a_blank(question: str) -> None:
    found = [f for f in lint_data(draft({"question": question})) if f.rule == "negation"]
    assert all("[…]" in f.patch.now[0]["question"] for f in found if f.patch)
    assert None not in [f.patch for f in found]


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("Rate from 1 to 5 how clear the summary is", "Is the summary clear?"),
        ("Rate how polite the replies are on a scale of 1 to 5", "Are the replies polite?"),
        ("How formal is the letter?", "Is the letter formal?"),
        ("To what extent does it follow the source?", "Does it follow the source?"),
    ],
)
def test_a_score_becomes_a_yes_or_no(question: str, made: str) -> None:
    assert asked("score_wording", question) == made


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("The reply must name the date.", "Does the reply name the date?"),
        ("Mentions the refund date", "Does the output mention the refund date?"),
        ("The total is the sum of the lines", "Is the total the sum of the lines?"),
        ("Do not promise a date", "Does the output avoid promising a date?"),
        ("Never answering in English", "Does the output avoid answering in English?"),
        ("The reply must not simply repeat it", "Does the reply avoid simply repeating it?"),
        ("Refrain from topics you should not discuss.",
         "Does the output refrain from topics you should not discuss?"),
        ("If a drug is named, the note must state its dose",
         "If a drug is named, does the note state its dose?"),
        ("State the date that must be met", "Does the output state the date that must be met?"),
    ],
)  # fmt: skip
def test_a_statement_becomes_a_question(question: str, made: str) -> None:
    assert asked("not_yes_no", question) == made


@pytest.mark.parametrize(
    "statement",
    ["Never the first person", "The reply must not not answer", "Code that must run",
     "The reply should never refrain from answering", "Do not, under any circumstances, lie"],
)  # fmt: skip
def test_a_statement_that_would_make_broken_english_leaves_a_blank(statement: str) -> None:
    assert asked("not_yes_no", statement) == "Does the output […]?"


def test_the_writers_intention_becomes_what_the_text_does() -> None:
    assert asked("intent", "Does the agent try to calm the customer?") == (
        "Does the agent calm the customer?"
    )
    # Of a writer only the text is there to be looked at.
    assert asked("intent", "Did the writer try to be helpful?") == "Is the output helpful?"
    assert asked("intent", "Does the author intend to deceive?") == "Does the output deceive?"


@pytest.mark.parametrize(
    "question",
    ["Does the reply fail to mention the refund?", "Does the reply lack an apology?",
     "Is the reply wrong?", "Does the answer omit the price?"],
)  # fmt: skip
def test_a_yes_that_means_something_is_missing_is_a_negation(question: str) -> None:
    assert "negation" in [f.rule for f in lint_data(draft({"question": question}))]


def test_failing_where_it_ought_to_is_no_negation() -> None:
    data = draft({"question": "Does the code fail on empty input?"})
    assert "negation" not in [f.rule for f in lint_data(data)]


@pytest.mark.parametrize("said", ["none", "N/A.", " - ", "TBD"])
def test_a_blind_spot_that_says_nothing_is_blank(said: str) -> None:
    found = lint_data({**draft({}), "does_not_examine": said})
    assert "blind_spot" in [f.rule for f in found]


def test_a_comparison_gets_a_blank_that_is_found_until_it_is_filled_in() -> None:
    data = draft({"question": "Is the reply shorter?"})
    made = apply(data, find(data, "comparison"))
    assert made["criteria"][0]["question"] == "Is the reply shorter than […]?"
    assert [f.rule for f in lint_data(made)] == ["blank_left"]


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("Does it greet the customer, apologise and offer a refund?",
         ["Does it greet the customer?", "Does it apologise?", "Does it offer a refund?"]),
        ("Is the reply polite and formal?", ["Is the reply polite?", "Is the reply formal?"]),
        ("Is it signed? Is it dated?", ["Is it signed?", "Is it dated?"]),
        ("Is the letter signed, and does it name a date?",
         ["Is the letter signed?", "Does it name a date?"]),
    ],
)  # fmt: skip
def test_a_double_question_is_split(question: str, made: list[str]) -> None:
    rows = patched("two_questions", {"question": question})
    assert [row["question"] for row in rows] == made
    assert [row["key"] for row in rows] == [f"tone-{n}" for n in range(1, len(made) + 1)]
    # What passes both passes each; which of them the fail example fails nobody said.
    assert {(row["pass_example"], row["fail_example"]) for row in rows} == {
        (GOOD["pass_example"], "")
    }


def test_a_split_shares_the_weight_so_that_the_minimum_keeps_its_meaning() -> None:
    rule = {"rule": "threshold", "minimum": 2.5}
    rows = patched(
        "two_questions", {"question": "Is it signed? Is it dated?", "weight": 3}, acceptance=rule
    )
    assert [row["weight"] for row in rows] == [1.5, 1.5]


def test_two_ways_to_pass_are_not_split_into_two_demands() -> None:
    made = asked("two_questions", "Does it explain the delay or give a new date?")
    assert made == "Does it explain the delay, or give a new date?"
    assert [f for f in lint_data(draft({"question": made})) if f.rule == "two_questions"] == []


def test_demands_in_one_sentence_become_a_criterion_each() -> None:
    said = "The output must name the date and must not blame the customer."
    rows = patched("not_yes_no", {"question": said, "weight": 2})
    assert [(row["question"], row["weight"]) for row in rows] == [
        ("Does the output name the date?", 1), ("Does the output avoid blaming the customer?", 1),
    ]  # fmt: skip


def test_where_the_second_question_cannot_be_made_out_its_words_stay_behind_a_blank() -> None:
    rows = patched("two_questions", {"question": "Is the copy punchy and free of clichés?"})
    assert "free of clichés" in rows[1]["question"]


@pytest.mark.parametrize(
    ("question", "good", "bad", "check"),
    [
        ("Does the output match the schema?", '{"a": 1, "b": "x"}', '{"a": "1"}',
         {"kind": "json_schema", "schema": {"type": "object", "required": ["a", "b"],
          "properties": {"a": {"type": "number"}, "b": {"type": "string"}}}}),
        ("Do the line items add up to the total?", '{"lines": [{"n": 0.1}, {"n": 0.2}], "sum": 0.3}',
         '{"lines": [{"n": 1}], "sum": 2}', {"kind": "sum_equals", "items": "lines[].n", "total": "sum"}),
        ("Do all unit tests pass?", "a", "b", {"kind": "recorded", "by": "tests"}),
    ],
)  # fmt: skip
def test_what_a_question_leaves_out_of_a_check_is_read_off_the_examples(
    question: str, good: str, bad: str, check: dict[str, Any]
) -> None:
    row = {"question": question, "pass_example": good, "fail_example": bad}
    assert [made["check"] for made in patched("code_could_check", row)] == [check]
    # An example that fails and would pass: then the fields meant are others.
    (finding,) = [
        f for f in lint_data(draft({**row, "fail_example": good})) if f.rule == "code_could_check"
    ]
    assert (finding.patch is None) == (check["kind"] != "recorded")


def test_a_format_becomes_a_pattern() -> None:
    schema = {"type": "object", "properties": {"d": {"type": "string", "format": "date"}}}
    (row,) = patched("format_unchecked", {
        "checked_by": "code", "check": {"kind": "json_schema", "schema": schema},
        "pass_example": '{"d": "2026-12-01"}', "fail_example": '{"d": "soon"}',
    })  # fmt: skip
    assert row["check"]["schema"]["properties"]["d"] == {
        "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$",
    }  # fmt: skip


def test_code_takes_over_with_the_limit_filled_in() -> None:
    (row,) = patched("code_could_check", {"question": "Is the reply at most 60 words?"})
    assert (row["checked_by"], row["check"]) == ("code", {"kind": "max_words", "limit": 60})


def test_a_range_becomes_two_checks() -> None:
    rows = patched("code_could_check", {"question": "Is it between 1 and 7 words long?"})
    assert [row["check"] for row in rows] == [
        {"kind": "min_words", "limit": 1}, {"kind": "max_words", "limit": 7},
    ]  # fmt: skip


def test_a_guess_at_the_wording_is_offered_only_if_both_examples_agree_with_it() -> None:
    question = "Does the reply mention the refund?"
    agreeing = {"question": question, "pass_example": "A refund comes.", "fail_example": "No."}
    (row,) = patched("code_could_check", agreeing)
    assert row["check"] == {"kind": "contains_any", "texts": ["refund"]}
    data = draft({**agreeing, "pass_example": "You get your money back."})
    assert [f.patch for f in lint_data(data) if f.rule == "code_could_check"] == [None]


def test_examples_the_wrong_way_round_are_swapped() -> None:
    turned = {"pass_example": "It is free.", "fail_example": "It costs 5 euros."}
    judged = {"question": "Does it avoid the word 'free'?", **turned}
    (row,) = patched("examples_swapped", judged)
    assert (row["pass_example"], row["fail_example"]) == ("It costs 5 euros.", "It is free.")
    check = {"kind": "contains", "text": "free", "not": True}
    (row,) = patched("example_misjudged", {**judged, "checked_by": "code", "check": check})
    assert (row["pass_example"], row["check"]) == ("It costs 5 euros.", check)


def test_a_check_that_is_the_wrong_way_round_is_turned() -> None:
    row = {
        "question": "Does it avoid the word 'free'?",
        "pass_example": "It costs 5 euros.",
        "fail_example": "It is free.",
        "checked_by": "code",
        "check": {"kind": "contains", "text": "free"},
    }
    (made,) = patched("example_misjudged", row)
    assert made == {**GOOD, **row, "check": {"kind": "contains", "text": "free", "not": True}}


def test_the_other_changes_to_checks() -> None:
    numbers = {
        "checked_by": "code",
        "check": {"kind": "expression", "expression": "sum(l) == t"},
        "pass_example": '{"l": [0.1, 0.2], "t": 0.3}',
        "fail_example": '{"l": [0.1], "t": 0.3}',
    }
    (row,) = patched("exact_number", numbers)
    assert row["check"]["expression"] == "close(sum(l), t, `0.005`)"
    script = {
        "checked_by": "code", "check": {"kind": "max_words", "limit": 4},
        "pass_example": "今天开会", "fail_example": "今天的会议改到星期三下午",
    }  # fmt: skip
    (row,) = patched("presence", {
        "question": "Does it say that the version is v2.1?", "checked_by": "code",
        "check": {"kind": "contains", "text": "v2.1"}, "pass_example": "It is v2.1.",
    })  # fmt: skip
    assert (row["checked_by"], row.get("check")) == ("judge", None)
    (row,) = patched("same_examples", {"fail_example": GOOD["pass_example"]})
    assert row["fail_example"] == ""
    (row,) = patched("unspaced_script", script)
    assert row["check"] == {"kind": "max_characters", "limit": 4}


def test_a_duplicate_is_removed_and_a_key_that_stands_twice_is_renamed() -> None:
    assert patched("duplicate", {}, {"key": "b"}) == [GOOD]
    other = {"question": "Does the reply name a date?"}
    rows = patched("same_key", {}, other, {"key": "tone-2", "question": "Is the reply signed?"})
    assert [row["key"] for row in rows] == ["tone", "tone-3", "tone-2"]


def test_a_duplicate_the_minimum_needs_is_not_offered_for_removal() -> None:
    data = draft({}, {"key": "b"}, acceptance={"rule": "threshold", "minimum": 1.5})
    assert [f.patch for f in lint_data(data) if f.rule == "duplicate"] == [None]


@pytest.mark.parametrize(
    ("rule", "weights", "minimum", "made"),
    [
        ("unreachable", [1, 1.5], 9, 2.5),
        ("unreachable", [0.1] * 10, 2, 1),
        ("one_is_enough", [3, 1], 2, 4),
        ("one_is_enough", [0.5, 0.25, 1], 1, 1.25),
    ],
)
def test_a_minimum_that_works_is_set(
    rule: str, weights: list[float], minimum: float, made: float
) -> None:
    questions = ["apologise", "name a date", "thank Ana", "sign off", *"abcdef"]
    rows = [
        {"key": q, "question": f"Does the reply {q} {n}?", "weight": w}
        for n, (q, w) in enumerate(zip(questions, weights, strict=False))
    ]
    data = draft(*rows, acceptance={"rule": "threshold", "minimum": minimum})
    made_data = apply(data, find(data, rule))
    assert made_data["acceptance"] == {"rule": "threshold", "minimum": made}
    Contract.from_data(made_data)


def test_self_review_moves_to_a_fresh_context() -> None:
    data = draft(evaluator={"type": "self_review", "knows": "x"})
    made = apply(data, find(data, "self_review"))
    assert made["evaluator"] == {"type": "rubric_same_model", "knows": "x"}


# --- laws -------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", [*SEEN, *UNSEEN], ids=lambda item: str(item.get("question"))[:40])
def test_a_patch_cures_its_finding_and_keeps_a_valid_contract_valid(item: dict[str, Any]) -> None:
    data = contract_of(item)
    before = copy.deepcopy(data)
    valid = not any(f.rule in ("unusable", "same_key", "unreachable") for f in lint_data(data))
    for finding in lint_data(data):
        if finding.patch is None:
            continue
        made = apply(data, finding)
        assert data == before
        if valid:
            Contract.from_data(made)
        cured = (finding.rule, finding.message)
        assert cured not in [(f.rule, f.message) for f in lint_data(made)]
        with pytest.raises(InputError, match="changed since"):
            apply(made, finding)


def test_a_draft_that_changed_meanwhile_is_not_overwritten() -> None:
    data = draft({"question": "Is the reply at most 60 words?"})
    finding = find(data, "code_could_check")
    changed = draft({"question": "Is the reply at most 80 words?"})
    with pytest.raises(InputError, match="changed since"):
        apply(changed, finding)
    moved = {**data, "criteria": [{**GOOD, "key": "new"}, *data["criteria"]]}
    assert apply(moved, finding)["criteria"][1]["checked_by"] == "code"


def test_a_finding_without_a_patch_says_what_to_do_instead() -> None:
    data = draft({"question": "Is the reply good?"})
    finding = replace(find(data, "vague_word"), patch=None)
    with pytest.raises(InputError, match="Say what can be seen"):
        apply(data, finding)


@pytest.mark.parametrize(
    ("rule", "question", "after"),
    [
        ("vague_word", "Is the reply good?", "Is the reply […]?"),
        ("open_ended", "Are there no issues left?", "Does the output avoid […]?"),
        ("no_question", " ", "Does the output […]?"),
        ("comparison", "Is the reply clearer than the previous draft?", "Is the reply […]?"),
        ("comparison", "Does it improve on the last round?", "Does it […]?"),
        ("comparison", "Is the new rule clearer than the old one?", "Does the output […]?"),
        ("score_wording", "Rate the reply from 1 to 5.", "Does the output […]?"),
        ("intent", "Does the author understand the topic?", "Does the output […]?"),
    ],
)
def test_where_only_a_person_knows_a_click_leaves_a_blank(
    rule: str, question: str, after: str
) -> None:
    """The blank is a finding of its own until somebody fills it in."""
    data = draft({"question": question})
    made = apply(data, find(data, rule))
    assert made["criteria"][0]["question"] == after
    assert "blank_left" in [f.rule for f in lint_data(made)]


def test_names_kept_beside_the_criteria_follow() -> None:
    data = draft({"key": "a", "question": "Is it signed? Is it dated?"}, {"key": "b"})
    assert follow(("a0", "b0"), data, find(data, "two_questions")) == ("a0", "", "b0")
    twice = draft({"key": "a"}, {"key": "b"})
    assert follow(("a0", "b0"), twice, find(twice, "duplicate")) == ("a0",)
    code = draft({"question": "Is it at most 60 words?"})
    assert follow(("a0",), code, find(code, "code_could_check")) == ("a0",)
    minimum = draft(acceptance={"rule": "threshold", "minimum": 9})
    assert follow(("a0",), minimum, find(minimum, "unreachable")) == ("a0",)


# --- any data ---------------------------------------------------------------------------------

SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.dates()
VALUE = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
QUESTION = VALUE | st.sampled_from(
    [item["question"] for item in SEEN if "question" in item]
    + ["Is it at most 60 words?", "Is it signed? Is it dated?", "Does it not lie?"]
)
ROW = VALUE | st.fixed_dictionaries(
    {},
    optional={
        "key": st.sampled_from(["a", "b", "overall", ""]) | VALUE,
        "question": QUESTION,
        "checked_by": st.sampled_from(["code", "judge", "person"]) | VALUE,
        "check": st.sampled_from(
            [{"kind": "max_words", "limit": 3}, {"kind": "contains", "text": "x"}, {"kind": "nope"}]
        ) | VALUE,
        "weight": st.sampled_from([0, 1, 2.5, -1]) | VALUE,
        "pass_example": st.sampled_from(["yes", "x"]) | VALUE,
        "fail_example": st.sampled_from(["no", "x"]) | VALUE,
    },
)  # fmt: skip
DATA = st.fixed_dictionaries(
    {},
    optional={
        "criteria": st.lists(ROW, max_size=4) | VALUE,
        "acceptance": st.sampled_from([{"rule": "threshold", "minimum": 2}, {"rule": "all"}]) | VALUE,
        "evaluator": st.sampled_from([{"type": "self_review"}]) | VALUE,
        "does_not_examine": VALUE,
        "stop": VALUE,
        "surprise": VALUE,
    },
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(DATA | VALUE)
def test_any_draft_is_linted_and_every_patch_applies(data: Any) -> None:
    """Nothing raises, an unusable draft says so, and the input is never changed."""
    before = repr(data)
    found = lint_data(data)
    try:
        Contract.from_data(data)
    except InputError:
        assert {f.rule for f in found} & {"unusable", "same_key", "unreachable"}
    for finding in found:
        for line in (finding.message, finding.fix):
            assert line.strip() == line
            assert "\n" not in line
        if finding.patch is not None and repr(data) == repr(copy.deepcopy(data)):
            apply(data, finding)
    assert repr(data) == before


def test_a_patch_survives_the_way_through_json() -> None:
    """A draft is stored as JSON between the look and the click."""
    data = draft({"question": "Is it between 5 and 9 words?"})
    finding = find(data, "code_could_check")
    assert apply(json.loads(json.dumps(data)), finding) == apply(data, finding)
