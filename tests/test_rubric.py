"""A pasted rubric becomes draft criteria, and every sentence of it is somewhere."""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.contract import Contract
from core.contract.lint import lint_data
from core.contract.lint_words import is_yes_no
from core.contract.rewrite import as_question
from core.contract.rubric import MAX_CRITERIA, Rubric, describe, split_rubric, to_draft
from core.errors import InputError
from tests.rubric_examples import RUBRICS

PROSE = """# Refund replies

Replies go to customers. We value kindness.

## Tone (40%)
1. The reply must apologise without blaming the customer.
2. Tone: the reply should be calm.
   Good: Sorry, our mistake.
   Bad: You did that.
- Do not promise a delivery date.
- Polite and professional language

## Content (60 %)
* At most 60 words.
* Must mention "refund" (10 points).
* The reply names the amount, e.g. 12 euros. It should not exceed 80 words.
* The reply must:
  - name the date
  - thank the customer
You should never use exclamation marks. Make sure the total equals the sum of
the lines. Responses should be signed.
Rate the tone from 1 to 5.
| a | b |
"""


def questions(text: str) -> list[str]:
    return [row["question"] for row in split_rubric(text).criteria]


def test_a_rubric_as_people_write_them() -> None:
    found = split_rubric(PROSE)
    assert found.title == "Refund replies"
    assert [row["question"] for row in found.criteria] == [
        "Does the reply apologise without blaming the customer?",
        "Is the reply calm?",
        "Does the output avoid promising a delivery date?",
        "Does the output meet this: Polite and professional language?",
        "Is the output at most 60 words?",
        'Does the output mention "refund"?',
        "Does the reply name the amount, e.g. 12 euros?",
        "Does it keep to at most 80 words?",
        "Does the reply name the date?",
        "Does the reply thank the customer?",
        "Does the output avoid using exclamation marks?",
        "Does the total equal the sum of the lines?",
        "Are responses signed?",
    ]
    assert [row for row in found.criteria if "check" in row or "checked_by" in row] == []
    assert [describe(note) for note in found.notes if note.left_out] == [
        "Line 3, “Replies go to customers.”: It demands nothing that could be checked.",
        "Line 3, “We value kindness.”: It demands nothing that could be checked.",
        "Line 5, “Tone (40%)”: A heading.",
        "Line 13, “Content (60 %)”: A heading.",
        "Line 17, “The reply must:”: It introduces the points below it.",
        "Line 20, “Rate the tone from 1 to 5.”: A scale: split it into yes/no questions.",
        "Line 23, “| a | b |”: A table without a head is not read.",
    ]
    assert [describe(note) for note in found.notes if not note.left_out] == [
        "Line 5, “Tone”: Its weight 40 is shared in equal parts: 10 for each of 4.",
        "Line 11, “Polite and professional language”: Kept word for word, for want of a sure"
        " rewording: word it as a question.",
        "Line 13, “Content”: Its weight 60 is shared in equal parts: 6.66667 for each of 8.",
        "Weights were found; they count only under the rule threshold, which needs a minimum: set"
        " it.",
        "Code could check 4 of 13 criteria: each offers its check, none is set.",
    ]


@pytest.mark.parametrize("name", RUBRICS)
def test_rubrics_of_every_shape(name: str) -> None:
    """The criteria are these, a judge checks each, and no word of the text is lost."""
    text, expected = RUBRICS[name]
    found = split_rubric(text)
    assert expected == [(row.get("weight"), row["question"]) for row in found.criteria]
    assert all(is_yes_no(row["question"]) for row in found.criteria)
    assert all(set(row) <= {"key", "question", "weight", "pass_example", "fail_example"}
               for row in found.criteria)  # fmt: skip
    lost = Counter(TOKEN.findall(text)) - kept(found)
    assert [w for w in lost if not re.fullmatch(r"\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4}", w)] == []


def test_the_question_for_every_code_check_offers_it() -> None:
    draft = to_draft(split_rubric("- At most 60 words\n- Avoid exclamation marks"))
    offered = [f for f in lint_data(draft) if f.rule == "code_could_check"]
    assert [True, True] == [f.patch is not None for f in offered]


@pytest.mark.parametrize(
    "text",
    ["5 - names all\n4 - names most\n3 - names some", "Excellent: names all\nPoor: names none",
     "- 2 = names all\n- 1 = names some", "| Aspect | Poor | Good |\n|---|---|---|\n| Tone | rude | calm |"],
)  # fmt: skip
def test_levels_of_a_scale_are_no_criteria(text: str) -> None:
    found = split_rubric(f"Naming\n{text}" if "|" not in text else text)
    assert () == found.criteria
    assert "split it into yes/no questions" in " ".join(note.why for note in found.notes)


@pytest.mark.parametrize(
    ("fault", "question"),
    [
        ("Blames the customer or promises a refund",
         "Does the output avoid blaming the customer or promising a refund?"),
        ("blame the customer", "Does the output avoid blaming the customer?"),
        ("Never blame anyone", "Does the output avoid blaming anyone?"),
        ("the tone is rude", "Is it true that the tone is not rude?"),
        ("It is too long", "Does the output avoid being too long?"),
        ("Does not name the date", 'Is this untrue of the output: "Does not name the date"?'),
    ],
)  # fmt: skip
def test_yes_is_a_pass_under_what_fails(fault: str, question: str) -> None:
    assert [question] == questions(f"Fail if:\n- {fault}")


def test_a_part_of_the_output_stays_the_part_that_is_asked_about() -> None:
    assert questions("## Subject line\n- At most 50 characters\n\n## Body\n- No links") == [
        "Is the subject line at most 50 characters?", "Does the body avoid links?",
    ]  # fmt: skip


def test_the_weight_of_a_heading_is_shared_and_one_of_its_own_wins() -> None:
    rows = split_rubric(PROSE).criteria
    assert [row["weight"] for row in rows[:4]] == [10, 10, 10, 10]
    assert rows[5]["weight"] == 10
    assert rows[6]["weight"] == pytest.approx(60 / 9, abs=1e-6)


def test_examples_go_with_the_criterion_above_them() -> None:
    calm = split_rubric(PROSE).criteria[1]
    assert (calm["pass_example"], calm["fail_example"]) == ("Sorry, our mistake.", "You did that.")


def test_the_draft_can_be_saved_and_linted() -> None:
    draft = to_draft(split_rubric(PROSE))
    contract = Contract.from_data(draft)
    assert contract.title == "Refund replies"
    assert len(set(contract.keys)) == 13
    assert {"missing_example", "vague_word"} <= {f.rule for f in lint_data(draft)}


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("- Names the date (20%)", 20),
        ("- Names the date [2 points]", 2),
        ("- (weight 1.5) Names the date", 1.5),
        ("- Names the date (worth 3)", 3),
        ("- Names the date (2026)", None),
        ("- Names the date (0 points)", None),
    ],
)
def test_weights(text: str, weight: float | None) -> None:
    (row,) = split_rubric(text).criteria
    assert row.get("weight") == weight
    assert row["question"].startswith("Does the output name the date")


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The summary must cite its source.", "Does the summary cite its source?"),
        ("The summaries must cite a source.", "Do the summaries cite a source?"),
        ("All dates have to be in ISO form.", "Are all dates in ISO form?"),
        ("The code should have been tested.", "Has the code been tested?"),
        ("It must not name the patient.", "Does it avoid naming the patient?"),
        ("You must never run SQL.", "Does the output avoid running SQL?"),
        ("Don't use slang", "Does the output avoid using slang?"),
        ("Ensure that the note gives a dose", "Does the note give a dose?"),
        ("Includes a greeting", "Does the output include a greeting?"),
        ("Apologise for the delay", "Does the output apologise for the delay?"),
        ("The total is the sum of the lines.", "Is the total the sum of the lines?"),
        ("SQL must be valid", "Is SQL valid?"),
        ("Maximum of 60 words", "Is the output at most 60 words?"),
        ("Is it signed?", "Is it signed?"),
        ("What is it?", None),
        ("Correct grammar", None),
        ("Correct the grammar", "Does the output correct the grammar?"),
        ("Answer length", None),
        ("Names of patients", None),
        ("The reply may be long.", None),
        ("", None),
    ],
)
def test_the_question_a_sentence_asks(sentence: str, question: str | None) -> None:
    assert as_question(sentence) == question


def test_letters_boxes_and_numbers_in_brackets_are_list_marks() -> None:
    assert questions("a) Names a date\n(2) Names a sum\n- [ ] Names a place\n• Names a person") == [
        "Does the output name a date?", "Does the output name a sum?",
        "Does the output name a place?", "Does the output name a person?",
    ]  # fmt: skip


def test_a_line_broken_inside_a_point_belongs_to_it() -> None:
    assert questions("- Names the date\n  of the refund\n- Thanks\n  the customer") == [
        "Does the output name the date of the refund?", "Does the output thank the customer?",
    ]  # fmt: skip


def test_the_same_point_twice_gets_two_keys() -> None:
    rows = split_rubric("- Names a date\n- Names a date").criteria
    assert [row["key"] for row in rows] == ["name-date", "name-date-2"]


def test_the_reserved_key_is_not_used() -> None:
    (row,) = split_rubric("- Overall").criteria
    Contract.from_data({"criteria": [row]})


def test_too_long_and_too_many_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="characters is more than"):
        split_rubric("a" * 300_000)
    with pytest.raises(InputError, match=f"more than {MAX_CRITERIA} points"):
        split_rubric("- Names it\n" * (MAX_CRITERIA + 1))


def test_hostile_text_takes_time_in_proportion() -> None:
    started = time.process_time()
    for part in (
        "must not ", "a) ", "(1 points)", "**", "# ", "- a\n", ". A", "| ", "good: x\n", "| a | b |\n",
        ", and it must be ", "never a or ", "[+5] a\n", "<li>", "the reply is and ", "no a, no ",
    ):  # fmt: skip
        try:
            split_rubric(part * (50_000 // len(part)))
        except InputError as error:
            assert "more than" in str(error)
    assert time.process_time() - started < 20


def test_nothing_to_read_gives_nothing() -> None:
    assert split_rubric(" \n\n") == Rubric("", (), (), ())


# --- nothing is lost --------------------------------------------------------------------------

SENTENCE = st.sampled_from(
    [
        "The reply must name the date.", "We like cats.", "It should never shout.", "Polite tone",
        "Is it signed?", "Why not?", "Must include 'x' (3 points).", "Rate it from 1 to 5.",
        "Good: like this", "Bad: like that", "Use e.g. a table.", "回复要礼貌。", "The following:",
        "At most 60 words", "Do not lie!", "**Bold claims**", "| a | b |", "...", "(20%)",
    ]
)  # fmt: skip
LINE = st.builds(
    lambda mark, body: mark + body,
    st.sampled_from(["", "- ", "  - ", "* ", "1. ", "12) ", "# ", "## ", "    ", "> "]),
    st.lists(SENTENCE, min_size=1, max_size=3).map(" ".join) | st.text(max_size=30),
)
TOKEN = re.compile(r"[^\W_]+")


def kept(found: Rubric) -> Counter[str]:
    """Return every word of the title, the criteria's sources and the notes."""
    parts = [found.title, *found.sources, *(note.text for note in found.notes)]
    return Counter(TOKEN.findall(" ".join(parts)))


@settings(max_examples=400, deadline=None)
@given(st.lists(LINE, max_size=10).map("\n".join))
def test_every_word_of_a_rubric_is_in_a_criterion_or_in_a_note(text: str) -> None:
    found = split_rubric(text)
    lost = Counter(TOKEN.findall(text)) - kept(found)
    # The marks of list points and boxes are layout: 1. a) iv) [x]
    assert [w for w in lost if not re.fullmatch(r"\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4}", w)] == []
    if found.criteria:
        Contract.from_data(to_draft(found))
    data: dict[str, Any] = to_draft(found)
    assert [f for f in lint_data(data) if f.rule == "same_key"] == []
