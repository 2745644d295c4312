"""Near-duplicates are found as a comparison of every pair would find them, and sooner."""

from __future__ import annotations

import random
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.near import near_pairs, nearly_same

WORDS = ["name", "names", "date", "dates", "refund", "amount", "not", "60", "80", "the", "reply",
         "Ana", "order", "line", "sum"]  # fmt: skip
QUESTION = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


def naive(questions: list[str]) -> list[tuple[int, int]]:
    """Return every near pair by comparing each question with each."""
    pairs = combinations(range(len(questions)), 2)
    return [(i, j) for i, j in pairs if nearly_same(questions[i], questions[j])]


@settings(max_examples=400, deadline=None)
@given(st.lists(QUESTION | st.text(max_size=30), max_size=12))
def test_the_index_finds_exactly_the_pairs_a_full_comparison_finds(questions: list[str]) -> None:
    assert sorted(near_pairs(questions)) == sorted(naive(questions))


def questions(count: int, seed: int = 1) -> list[str]:
    """Return questions as a long contract has them: one frame, other words; some nearly alike."""
    chance = random.Random(seed)
    vocabulary = ["".join(chance.choices("abcdefghiklmnoprstuvw", k=6)) for _ in range(400)]
    made: list[str] = []
    for n in range(count):
        if n % 20 == 19:
            made.append(made[-1].replace("Does the reply", "Does the answer also"))
        else:
            made.append(f"Does the reply name the {' '.join(chance.sample(vocabulary, 5))}?")
    return made


def test_one_frame_and_one_word_of_difference_are_no_near_duplicates() -> None:
    assert list(near_pairs([f"Does the reply name fact {n}?" for n in range(300)])) == []


def test_the_near_ones_among_five_hundred_criteria_are_found() -> None:
    asked = questions(500)
    found = list(near_pairs(asked))
    assert [pair for pair in found if pair[1] < 100] == naive(asked[:100]) != []
    assert len(found) == 25
