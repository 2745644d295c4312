"""A first sorting of notes by shared words, and a criterion made from a group."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Contract
from core.contract.lint import lint_data
from core.contract.rewrite import BLANK
from core.labelling.grouping import (
    MOST,
    Labelled,
    Pile,
    criterion_from_group,
    free_key,
    name_of,
    question_for,
    suggest_groups,
    typical,
)

NOTES = {
    1: "No order number",
    2: "the ORDER numbers are missing",
    3: "blames the customer",
    4: "Blame on a customer",
    5: "too long",
    6: "far too long!",
    7: "nice",
    8: "",
}


def test_notes_that_share_a_content_word_are_one_group() -> None:
    assert [
        Pile("No order number", (1, 2)),
        Pile("Blames customer", (3, 4)),
        Pile("Too long", (5, 6)),
    ] == suggest_groups(NOTES)


def test_that_something_is_missing_makes_no_group() -> None:
    notes = {1: "missing date", 2: "missing sum", 3: "missing date", 4: "missing tax", 5: "rude"}
    assert [Pile("No date", (1, 3))] == suggest_groups(notes)


def test_a_frequent_content_word_yields_to_a_telling_one() -> None:
    notes = {1: "price date", 2: "price sum", 3: "price date", 4: "price tax"}
    assert [Pile("Price date", (1, 3)), Pile("Price", (2, 4))] == suggest_groups(notes)


@given(st.dictionaries(st.integers(1, 60), st.text("ab no c.'é\ud800\x00 ", max_size=20)))
def test_a_note_is_in_one_group_at_most_and_groups_have_two_or_more(notes: dict[int, str]) -> None:
    piles = suggest_groups(notes)
    members = [output for pile in piles for output in pile.outputs]
    assert len(members) == len(set(members))
    assert all(len(pile.outputs) > 1 and pile.name.strip() for pile in piles)
    assert len(piles) <= MOST
    assert piles == suggest_groups(notes)


@pytest.mark.parametrize(
    ("notes", "name"),
    [
        ([], "New group"),
        (["???"], "New group"),
        (["Promises a date, which we never do in any reply to anyone"],
         "Promises a date which we never do in"),
        (["rude", "wrong sum"], "Rude"),
        (["missing sum", "no sum"], "No sum"),
        (["missing sum", "sum is wrong"], "Sum"),
    ],
)  # fmt: skip
def test_a_name_is_what_the_notes_share(notes: list[str], name: str) -> None:
    assert name == name_of(notes)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("No order number", "Does the output include order number?"),
        ("Order number is missing.", "Does the output include order number?"),
        ("Blames the customer", "Does the output avoid blaming the customer?"),
        ("Lectures people", "Does the output avoid lecturing people?"),
        ("Ignoring the question", "Does the output avoid ignoring the question?"),
        ("Confusing", "Does the output avoid being confusing?"),
        ("Too long", "Does the output avoid being too long?"),
        ("Is vague", "Does the output avoid being vague?"),
        ("Not polite", "Is the output polite?"),
        ("Doesn't apologise", "Does the output apologise?"),
        ("Names the order", "Does the output avoid naming the order?"),
        ("Rude tone", "Does the output avoid this fault: rude tone?"),
        ("PII", "Does the output avoid this fault: PII?"),
        ("Uses emojis", "Does the output avoid using emojis?"),
        # Demands and questions mean what they say.
        ("Must name the date", "Does the output name the date?"),
        ("Never blame anyone", "Does the output avoid blaming anyone?"),
        ("At most 60 words", "Is the output at most 60 words?"),
        ("Is it polite?", "Is it polite?"),
        ("!", f"Does the output avoid this fault: {BLANK}?"),
    ],
)
def test_yes_means_that_the_fault_is_not_there(name: str, question: str) -> None:
    assert question == question_for(name, faults=True)
    rules = lint_data({"criteria": [{"key": "k", "question": question}]})
    assert not [f for f in rules if f.position == 0 and "turns yes and no" in f.message]


def test_a_merit_is_asked_as_it_stands() -> None:
    assert "Does the output name the order?" == question_for("Names the order", faults=False)
    assert "Does the output have this merit: Calm tone?" == question_for("Calm tone", faults=False)


def test_examples_are_the_shortest_that_are_no_stumps() -> None:
    assert "xxxxxx" == typical(["x", "xxxxxx", "xxxxxxxxxx", "yyyyyy"])  # median 6, so 3 or more
    assert "" == typical([])


def good(text: str) -> Labelled:
    return Labelled(text, True)


def bad(text: str) -> Labelled:
    return Labelled(text, False)


def test_a_bad_output_of_the_group_fails_and_a_good_one_outside_passes() -> None:
    made = criterion_from_group(
        "Blames the customer",
        [good("good inside"), bad("Your fault.")],
        [good("We are sorry."), bad("bad outside")],
    )
    assert made == {
        "key": "blames-the-customer",
        "question": "Does the output avoid blaming the customer?",
        "checked_by": "judge",
        "pass_example": "We are sorry.",
        "fail_example": "Your fault.",
    }


def test_a_group_of_good_outputs_turns_the_examples_round() -> None:
    made = criterion_from_group("Names the order", [good("Order 7")], [bad("Thing"), good("x")])
    assert ("Order 7", "Thing") == (made["pass_example"], made["fail_example"])


def test_a_text_called_bad_too_is_no_pass_example() -> None:
    made = criterion_from_group("Rude", [bad("same")], [good("same"), good("other")])
    assert "other" == made["pass_example"]


def test_code_decides_where_it_agrees_with_people() -> None:
    short, long = "one two", "one two three four"
    made = criterion_from_group("More than 3 words", [bad(long)], [good(short)])
    assert ("code", {"kind": "max_words", "limit": 3}) == (made["checked_by"], made["check"])
    assert not [
        c for c in Contract.from_data({"criteria": [made]}).criteria
        if c.code_check() is None
    ]  # fmt: skip
    made = criterion_from_group("More than 3 words", [bad(short)], [good(long)])
    assert ("judge", False) == (made["checked_by"], "check" in made)


def test_examples_are_those_the_check_judges_alike() -> None:
    made = criterion_from_group(
        "More than 3 words", [bad("a b"), bad("a b c d")], [good("a b c d e"), good("a b c")]
    )
    assert ("a b c", "a b c d") == (made["pass_example"], made["fail_example"])


def test_without_outputs_the_examples_are_left_to_write() -> None:
    made = criterion_from_group("Rude", [], [])
    assert ("", "") == (made["pass_example"], made["fail_example"])


@pytest.mark.parametrize(
    ("name", "taken", "key"),
    [
        ("Rude, tone!", (), "rude-tone"),
        ("Overall", (), "output-overall"),
        ("???", (), "criterion"),
        ("Rude", ("rude", "rude-2"), "rude-3"),
        ("Zu lang für SMS", (), "zu-lang-für-sms"),
        ("x" * 300, (), "x" * 60),
    ],
)
def test_a_key_is_made_of_the_name(name: str, taken: tuple[str, ...], key: str) -> None:
    assert key == free_key(name, taken)


@given(st.text(max_size=80), st.booleans())
def test_any_name_makes_a_criterion_that_a_contract_takes(name: str, fault: bool) -> None:
    inside = [Labelled("one text", not fault)]
    made = criterion_from_group(name, inside, [Labelled("another text", fault)])
    assert made["key"] == Contract.from_data({"criteria": [made]}).keys[0]
