"""Which check is offered for which question, and when none is."""

from __future__ import annotations

import time
from typing import Any

import pytest

from core.checks.registry import build
from core.contract.suggest import suggest
from core.verdict import Verdict

ASKS_MORE = [
    'Does the reply use "we" rather than "I"?',
    "Does the reply use we rather than I?",
    'Does the reply mention "refund" at least twice?',
    'Does the reply mention "refund" only once?',
    "Does the reply mention 'refund' exactly once?",
    'Does the reply mention at least two of "a", "b" and "c"?',
    'Does the reply contain either "A" or "B" but not both?',
    'Does the reply mention "sorry" before "refund"?',
    'Does the reply mention "refund" before "sorry"?',
    'Does the reply mention "refund" unless the order is older than 30 days?',
    "Is the reply at most 60 words excluding the signature?",
    "Is the reply at most 60 words, not counting the greeting?",
    'Does the first sentence contain "sorry"?',
    "Does the first sentence mention 'refund'?",
    'Does the last paragraph mention "refund"?',
    "Does the reply contain no quotations longer than 40 words?",
    'Does the reply mention "refund" in the first sentence?',
    'If the order is late, does the reply mention "sorry"?',
    'Does the reply mention "sorry" if the order is late?',
    'Does the reply use "affect" correctly?',
    'Does the reply recommend using "password123"?',
    "Is every paragraph at most 60 words?",
    "Is the reply at most 60 words per paragraph?",
    'Does each section mention "refund"?',
    'Does the reply only mention "refund"?',
    'Does the reply start and end with "X"?',
    'Does the reply tell the customer to use "Forgot password"?',
    'Does the customer mention "refund"?',
    "Does the reply explain the schema?",
    "Is the first sentence at most 20 words?",
    "Is the summary no more than 3 sentences and 80 words?",
    "Is the reply at most 60 words and polite?",
    "Is the reply at most 60 words unless the customer asks for details?",
    "Does the reply mention the refund twice?",
    "Does the reply mention refunds unless asked?",
    "Does it mention the price after the features?",
    "Does the code import pandas before numpy?",
    "Does the code import only pandas?",
    "Does the code import the data?",
    "Does the tone match the reference?",
    "Does the output use JSON?",
    "Does the reply include an FAQ?",
    "Is the JSON valid except for trailing commas?",
    "Is the output valid JSON with no extra text?",
    'Does the reply contain "a", and "b" or "c"?',
    'Does the reply mention all of "a", "b" or "c"?',
    'Does it not mention "a" and "b"?',
    'Does the reply mention "refund" instead of "credit"?',
    'Does the reply avoid using "I" more than 3 times?',
    "Does the reply contain a link to the policy?",
    "Does the reply contain more than one link?",
    "Does the reply contain exactly one emoji?",
    'Does the reply quote someone who says "never"?',
    "Does the reply end with a question mark only if it asks something?",
    'Does no sentence contain "very"?',
    "Is the reply longer than 60 words if the customer asked two questions?",
    "Is any sentence longer than 25 words?",
    'Does the headline avoid "free"?',
    'Does the reply contain "free" unless it is quoted?',
    "Is the reply at least 100 words before the list of sources?",
    "Is the output valid JSON if the request succeeds?",
    "Does the summary use 'he' or 'she' consistently?",
    'Does the output have the keys "a" or "b"?',
    "Does the code parse as Python once the placeholders are filled in?",
    'Does the reply end with "Regards" followed by a name?',
    "Does the reply mention every product?",
    "Does the output contain SELECT *?",
    "Does the reply work without links?",
    "Does the reply contain at most two links?",
    "Does the reply end with a question about the delivery?",
    "Does the reply recommend Acme over Globex?",
    "Is the output about JSON?",
    'Does the word "refund" appear before the date?',
    "Does the reply avoid the word limit?",
]
"""Each asks something that the check its words bring to mind cannot see."""

DECIDED: list[tuple[str, tuple[dict[str, Any], ...]]] = [
    ("Is the reply at most 60 words?", ({"kind": "max_words", "limit": 60},)),
    ("Is the reply no longer than 60 words in total?", ({"kind": "max_words", "limit": 60},)),
    ("Does the reply stay under 120 words?", ({"kind": "max_words", "limit": 119},)),
    ("The output must not exceed 60 words?", ({"kind": "max_words", "limit": 60},)),
    ("Does the summary have at least 40 words?", ({"kind": "min_words", "limit": 40},)),
    (
        "Is the summary between 50 and 100 words long?",
        ({"kind": "min_words", "limit": 50}, {"kind": "max_words", "limit": 100}),
    ),
    (
        "Is it 50-100 words?",
        ({"kind": "min_words", "limit": 50}, {"kind": "max_words", "limit": 100}),
    ),
    ("Is the length of the reply at most 60 words?", ({"kind": "max_words", "limit": 60},)),
    ("Does the reply keep within a limit of 60 words?", ({"kind": "max_words", "limit": 60},)),
    ("Is every sentence at most 25 words?", ({"kind": "max_sentence_words", "limit": 25},)),
    ("Is no sentence longer than 25 words?", ({"kind": "max_sentence_words", "limit": 25},)),
    (
        "Does the reply avoid sentences longer than 25 words?",
        ({"kind": "max_sentence_words", "limit": 25},),
    ),
    (
        "Does the reply use at most 25 words per sentence?",
        ({"kind": "max_sentence_words", "limit": 25},),
    ),
    (
        "Does it have at least 200 characters?",
        ({"kind": "max_characters", "limit": 199, "not": True},),
    ),
    ('Does it contain the word "refund"?', ({"kind": "contains", "text": "refund"},)),
    (
        'Does the reply mention "refund" and "date"?',
        ({"kind": "contains_all", "texts": ["refund", "date"]},),
    ),
    (
        'Does the reply mention either "refund" or "credit"?',
        ({"kind": "contains_any", "texts": ["refund", "credit"]},),
    ),
    (
        'Does it avoid the words "cheap" and "free"?',
        ({"kind": "contains_any", "texts": ["cheap", "free"], "not": True},),
    ),
    (
        'Does it avoid using the word "guarantee"?',
        ({"kind": "contains", "text": "guarantee", "not": True},),
    ),
    (
        'Does the reply refrain from mentioning "refund"?',
        ({"kind": "contains", "text": "refund", "not": True},),
    ),
    ('Is the reply free of the word "very"?', ({"kind": "contains", "text": "very", "not": True},)),
    (
        'Does the reply contain no mention of "refund"?',
        ({"kind": "contains", "text": "refund", "not": True},),
    ),
    (
        'Does the output have the keys "a" and "b"?',
        ({"kind": "json_schema", "schema": {"type": "object", "required": ["a", "b"]}},),
    ),
    (
        'Is the output valid JSON with the keys "a" and "b"?',
        ({"kind": "json_schema", "schema": {"type": "object", "required": ["a", "b"]}},),
    ),
    (
        "Does the JSON contain the fields name, amount and currency?",
        (
            {
                "kind": "json_schema",
                "schema": {"type": "object", "required": ["name", "amount", "currency"]},
            },
        ),
    ),
    (
        'Is the output a JSON object with exactly the keys "a" and "b"?',
        (
            {
                "kind": "json_schema",
                "schema": {
                    "type": "object",
                    "required": ["a", "b"],
                    "properties": {"a": True, "b": True},
                    "additionalProperties": False,
                },
            },
        ),
    ),
    (
        'Does the JSON avoid the key "ssn"?',
        ({"kind": "json_schema", "schema": {"type": "object", "properties": {"ssn": False}}},),
    ),
    ("Is the output valid JSON?", ({"kind": "json"},)),
    ("Is the JSON valid?", ({"kind": "json"},)),
    (
        "Is the output a valid JSON object?",
        ({"kind": "json_schema", "schema": {"type": "object"}},),
    ),
    ("Does the output parse as Python?", ({"kind": "python_parses"},)),
    ("Is the code valid Python 3.9?", ({"kind": "python_parses", "version": "3.9"},)),
    ("Does the code import requests?", ({"kind": "python_imports", "texts": ["requests"]},)),
    (
        "Does the code avoid importing os?",
        ({"kind": "python_imports", "texts": ["os"], "not": True},),
    ),
    (
        "Does the code avoid importing os and sys?",
        ({"kind": "python_imports", "texts": ["os", "sys"], "not": True},),
    ),
    (
        "Does the code import numpy or pandas?",
        ({"kind": "python_imports", "texts": ["numpy", "pandas"]},),
    ),
    ("Does the query start with SELECT?", ({"kind": "regex", "pattern": "(?i)^\\s*SELECT\\b"},)),
    (
        'Does the reply start with "Hi" or "Hello"?',
        ({"kind": "regex", "pattern": "(?i)^\\s*(?:Hi|Hello)\\b"},),
    ),
    (
        'Does the reply end with "Kind regards"?',
        ({"kind": "regex", "pattern": "(?i)\\bKind regards\\s*$"},),
    ),
    ("Does the reply end with a question mark?", ({"kind": "regex", "pattern": "\\?\\s*$"},)),
    ("Does the query contain a LIMIT clause?", ({"kind": "contains", "text": "LIMIT"},)),
    ("Does the query avoid using DELETE?", ({"kind": "contains", "text": "DELETE", "not": True},)),
    ("Does the reply contain an exclamation mark?", ({"kind": "regex", "pattern": "!"},)),
    (
        "Does the post avoid emojis?",
        ({"kind": "regex", "pattern": "[🌀-\U0001faff☀-➿]", "not": True},),
    ),
    (
        "Does the post contain no emojis?",
        ({"kind": "regex", "pattern": "[🌀-\U0001faff☀-➿]", "not": True},),
    ),
    ("Does the answer match the reference answer?", ({"kind": "equals_reference"},)),
    ("Is the value identical to the reference value?", ({"kind": "equals_reference"},)),
    ("Does the reply mention the refund?", ({"kind": "contains_any", "texts": ["refund"]},)),
    (
        "Does the reply mention the order number?",
        ({"kind": "contains_any", "texts": ["order number"]},),
    ),
    ("Reply must not exceed 120 words.", ({"kind": "max_words", "limit": 120},)),
    ("Is it no more than one hundred words?", ({"kind": "max_words", "limit": 100},)),
    ("Is the word count below 120?", ({"kind": "max_words", "limit": 119},)),
    (
        "Is the summary exactly 50 words?",
        ({"kind": "min_words", "limit": 50}, {"kind": "max_words", "limit": 50}),
    ),
    ("Is the response in JSON format?", ({"kind": "json"},)),
    ("Does the reply include the word refund?", ({"kind": "contains", "text": "refund"},)),
    ('Does the word "refund" appear in the reply?', ({"kind": "contains", "text": "refund"},)),
    (
        'The reply mentions neither "Acme" nor "Globex".',
        ({"kind": "contains_any", "texts": ["Acme", "Globex"], "not": True},),
    ),
    (
        "The reply does not mention competitors Acme, Globex.",
        ({"kind": "contains_any", "texts": ["Acme", "Globex"], "not": True},),
    ),
    ("Does the reply end with a question?", ({"kind": "regex", "pattern": "\\?\\s*$"},)),
    ("Is it without exclamation marks?", ({"kind": "regex", "pattern": "!", "not": True},)),
    (
        "Does the reply match the regex ^A\\d+$?",
        ({"kind": "regex", "pattern": "^A\\d+$"},),
    ),
    ("Does the reply contain the order number?", ({"kind": "regex", "pattern": "\\d{3,}"},)),
]

TO_FILL_IN = [
    ("Do the line items add up to the total?", "{kind: sum_equals, items: …, total: …}"),
    ("Does the JSON parse and match the schema?", "{kind: json_schema, schema: …}"),
    ("Do all unit tests pass?", "{kind: recorded, by: …}"),
]


@pytest.mark.parametrize("question", ASKS_MORE)
def test_no_check_is_offered_that_would_miss_a_part_of_the_question(question: str) -> None:
    assert suggest(question) is None


@pytest.mark.parametrize(("question", "specs"), DECIDED)
def test_a_check_that_decides_all_of_it_is_offered(
    question: str, specs: tuple[dict[str, Any], ...]
) -> None:
    found = suggest(question)
    assert found is not None
    assert found.specs == specs
    for spec in specs:
        build(spec)


@pytest.mark.parametrize(("question", "written"), TO_FILL_IN)
def test_a_check_with_a_blank_is_named_and_not_prefilled(question: str, written: str) -> None:
    found = suggest(question)
    assert found is not None
    assert (found.written, found.specs) == (written, ())


QUALIFIERS = [
    "at least twice", "only once", "unless it is late", "in the first sentence", "before the price",
    "instead of a link", "rather than a code", "if the customer asks", "but not both",
    "except in quotations", "excluding the signature", "correctly", "in every paragraph",
    "for each item", "when it is needed", "as the subject",
]  # fmt: skip


@pytest.mark.parametrize(("question", "specs"), DECIDED)
def test_any_qualifier_behind_a_question_withdraws_the_offer(
    question: str, specs: tuple[dict[str, Any], ...]
) -> None:
    for qualifier in QUALIFIERS:
        assert suggest(f"{question.rstrip('?')} {qualifier}?") is None, qualifier


@pytest.mark.parametrize(("question", "specs"), DECIDED)
def test_a_condition_before_a_question_withdraws_the_offer(
    question: str, specs: tuple[dict[str, Any], ...]
) -> None:
    for condition in ("If the order is late,", "In the last paragraph,", "For each section,"):
        assert suggest(f"{condition} {question[0].lower()}{question[1:]}") is None


@pytest.mark.parametrize(
    ("question", "good", "bad"),
    [
        ("Does it contain at most one exclamation mark?", "One! Two.", "One! Two!"),
        ("Does it contain exactly two question marks?", "Who? Why?\n", "Who? Why? How?"),
        ("Does it use at least 2 bullet points?", "- a\n- b", "- a\nb - c"),
        ("Does it contain a date in the format YYYY-MM-DD?", "On 2026-12-01.", "On 1 Dec."),
        ('Is the word "refund" absent?', "We repay it.", "A refund."),
        ("Does the reply start with 'Hi'?", "Hi Ana", "History is long"),
        ("Is the output valid JSON with the keys 'a' and 'b'?", '{"a": 1, "b": 2}', '{"a": 1}'),
        ("Is the output a JSON object with exactly the keys 'a'?", '{"a": 1}', '{"a": 1, "c": 1}'),
        ("Does the JSON avoid the key 'ssn'?", '{"a": 1}', '{"ssn": 1}'),
        ("Does the code avoid importing os?", "import json", "import os.path"),
        ("Does it have at least 5 characters?", "12345", "1234"),
        ("Does it avoid the words 'cheap' and 'free'?", "fair", "so cheap"),
        ("Does the reply avoid sentences longer than 3 words?", "One. Two.", "One two three four."),
    ],
)
def test_the_check_offered_decides_as_a_reader_would(question: str, good: str, bad: str) -> None:
    found = suggest(question)
    assert found is not None
    (spec,) = found.specs
    check = build(spec)
    assert (check.run(good).verdict, check.run(bad).verdict) == (Verdict.PASS, Verdict.FAIL)


def test_a_hostile_question_is_read_in_time() -> None:
    started = time.process_time()
    for part in ("the reply ", "not ", "'a' and ", "at most 60 words ", "of the ", '"', "every "):
        suggest(part * (600 // len(part)))
        suggest(part * 10_000)
    assert time.process_time() - started < 5
