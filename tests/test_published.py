"""Published runs: their counts come out as published, denominators are checked."""

from __future__ import annotations

import statistics

import pytest

from core.errors import InputError
from core.statistics.attempts import Attempts
from core.statistics.interval import Estimate, Undefined
from core.statistics.published import TwoTries, denominator, near_greedy
from sample_data.published_runs import Run, read_two_tries, runs, two_tries


def repair(run: TwoTries) -> float:
    assert isinstance(run.r, Estimate)
    return run.r.value


def run(key: str) -> Run:
    return next(one for one in runs() if one.key == key)


def test_all_69_runs_of_two_tries() -> None:
    """Aider polyglot leaderboard: median repair rate .387097."""
    _, tries = two_tries()
    rates = [repair(one.counts) for one in tries]
    assert len(rates) == 69
    assert statistics.median(rates) == pytest.approx(0.387097, abs=1e-6)
    assert (min(rates), max(rates)) == pytest.approx((0.026906, 0.75), abs=1e-6)
    assert sum(repair(one.counts) > one.counts.p.value for one in tries) == 67


def test_five_runs_are_not_divided_by_the_tasks_that_finished() -> None:
    """139 passed: 61.8 % of 225 was printed (cut off to 61.7), not 62.1 % of 224."""
    _, tries = two_tries()
    apart = {one.name: one.counts.tasks for one in tries if one.finished != one.counts.tasks}
    assert set(apart.values()) == {225}
    assert len(apart) == 5
    one = next(t for t in tries if t.name == "o1-2024-12-17 (high)")
    assert (one.finished, one.counts.tasks, repair(one.counts)) == (224, 225, 0.5)
    assert denominator(139, 61.7, [224, 225]) == 225
    assert denominator(139, 62.1, [224, 225]) == 224


def test_counts_that_do_not_give_the_printed_percentage_are_refused() -> None:
    row = {"run": "m", "date": "2025-01-01", "finished": "224", "all_tasks": "225",
           "first": "53", "second": "139", "printed_percent": "70.0"}  # fmt: skip
    with pytest.raises(InputError, match=r"m: no number of tasks gives 70 %: 139 of 224 is 62.1 %"):
        read_two_tries(row)


def test_a_loop_behind_tests_it_wrote_itself() -> None:
    """Reflexion on MBPP: 306 of 397 against 318 and 320 single drafts."""
    one = run("reflexion_mbpp")
    assert one.loop is not None
    first, second = one.paired.values()
    assert (one.loop.right, first.second, second.second, first.n) == (306, 318, 320, 397)
    assert (first.second_only, first.first_only, first.winner) == (29, 17, None)
    assert first.p_exact == pytest.approx(0.104, abs=5e-4)
    assert (second.second_only, second.first_only, second.winner) == (28, 14, 2)
    assert second.p_exact == pytest.approx(0.044, abs=5e-4)
    assert one.near_greedy
    pass_2, naive = one.draws.pass_at(2), one.draws.naive_pass_at(2)
    assert isinstance(pass_2, Estimate)
    assert (pass_2.value, naive) == pytest.approx((0.811083, 0.961398), abs=1e-6)


def test_four_trials_of_fifty_requests() -> None:
    """tau-bench airline: fresh shares (pass@N − pass@1) ÷ (1 − pass@1) from 84 of 200."""
    draws = run("taubench_airline").draws
    shares = [draws.fresh_share(n) for n in (2, 3, 4)]
    assert [s.value for s in shares if isinstance(s, Estimate)] == pytest.approx(
        [0.252874, 0.413793, 0.517241], abs=1e-6
    )
    assert draws.naive_pass_at(4) == pytest.approx(0.886835, abs=1e-6)
    assert not run("taubench_airline").near_greedy


def test_every_run_says_where_it_is_from_and_how_it_was_sampled() -> None:
    for about in (two_tries()[0], *(one.about for one in runs())):
        assert "github.com/" in about.source
        assert about.sampling
        assert about.licence


def test_draws_without_a_correlation_are_not_called_greedy() -> None:
    assert not near_greedy(Attempts.of([1, 1], [1, 0]))
    assert not near_greedy(Attempts.of([3] * 40, [1, 2] * 20))


def test_a_run_that_passes_all_at_once_has_no_repair_rate() -> None:
    assert isinstance(TwoTries(5, 5, 5).r, Undefined)
    with pytest.raises(InputError, match="3, then 2 of 5"):
        TwoTries(5, 3, 2)
