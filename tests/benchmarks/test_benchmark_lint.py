"""How long lint takes on a long contract; times are reported, ratios asserted."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from core.contract import lint as module
from core.contract.lint import lint_data
from core.contract.near import near_pairs
from core.contract.suggest import suggest
from tests.test_near import naive, questions


def rows(count: int) -> list[dict[str, Any]]:
    return [
        {"key": f"k{n}", "question": text, "pass_example": "It does.", "fail_example": "No."}
        for n, text in enumerate(questions(count))
    ]


def forget() -> None:
    """Make lint see every criterion for the first time."""
    module._remembered.cache_clear()
    suggest.cache_clear()


def test_five_hundred_criteria(benchmark: Any) -> None:
    data = {"criteria": rows(500)}
    found = benchmark.pedantic(lint_data, (data,), setup=forget, rounds=5)
    assert sum(finding.rule == "duplicate" for finding in found) == 25


def test_one_edit_among_five_hundred_criteria(benchmark: Any) -> None:
    """Only the criterion that changed is looked at again, wherever it stands."""
    data = {"criteria": rows(500)}
    first = []
    for _ in range(3):
        forget()
        started = perf_counter()
        before = lint_data(data)
        first.append(perf_counter() - started)
    count = iter(range(10**6))

    def edit() -> Any:
        data["criteria"][250]["question"] = f"Is the reply good, {next(count)} times?"
        return lint_data(data)

    found = benchmark(edit)
    assert [f.rule for f in found if f.position == 250] == ["vague_word"]
    assert [f for f in found if f.position != 250] == [f for f in before if f.position != 250]
    again = []
    for _ in range(5):
        started = perf_counter()
        edit()
        again.append(perf_counter() - started)
    assert min(again) < min(first)
    data["criteria"].insert(0, {"key": "new", "question": "Is it dated?"})
    moved = [f.position for f in lint_data(data) if f.rule == "vague_word"]
    assert moved == [251]


def test_near_ones_are_found_in_a_fraction_of_comparing_every_pair() -> None:
    asked = questions(500)
    list(near_pairs(asked[:20]))
    started = perf_counter()
    list(near_pairs(asked))
    indexed = perf_counter() - started
    started = perf_counter()
    naive(asked[:250])  # a quarter of the pairs
    assert indexed < (perf_counter() - started) / 5


def test_ten_times_the_criteria_take_in_proportion() -> None:
    def seconds(count: int) -> float:
        data = {"criteria": rows(count)}
        best = float("inf")
        for _ in range(3):
            forget()
            started = perf_counter()
            lint_data(data)
            best = min(best, perf_counter() - started)
        return best

    assert seconds(1_000) < 25 * seconds(100)
