"""Near-duplicates are found as a comparison of every pair would find them, and sooner."""

from __future__ import annotations

import random
import time
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.lint import lint_data
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


def test_five_hundred_criteria_take_a_fraction_of_comparing_every_pair() -> None:
    asked = questions(500)
    expected = naive(asked[:100])
    started = time.process_time()
    found = list(near_pairs(asked))
    indexed = time.process_time() - started
    assert [pair for pair in found if pair[1] < 100] == expected != []
    assert len(found) == 25
    started = time.process_time()
    naive(asked[:250])
    assert indexed < (time.process_time() - started) / 5


def test_ten_times_the_criteria_take_in_proportion() -> None:
    def seconds(count: int) -> float:
        rows = [
            {"key": f"k{n}", "question": text, "pass_example": "a", "fail_example": "b"}
            for n, text in enumerate(questions(count))
        ]
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            lint_data({"criteria": rows})
            best = min(best, time.process_time() - started)
        return best

    assert seconds(1_000) < 25 * seconds(100)
