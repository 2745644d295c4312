"""Simulated truth: experiments with known rates, counts only. Winners are right, intervals cover."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from core.statistics.attempts import Attempts
from core.statistics.comparison import Paired
from core.statistics.costs import Check, run_loop
from core.statistics.decision import Decision, retry_flow
from core.statistics.interval import Estimate, rate
from core.statistics.uncertainty import Case, Input

Bools = NDArray[np.bool_]
CAP = 3


def two_arms(
    rng: np.random.Generator, tasks: int, p: float, r: float, rho: float, far: float, frr: float
) -> Paired:
    """Run both arms behind one critic on tasks of Beta difficulty; a pair is accepted and good."""
    total = 1 / rho - 1
    x = rng.beta(p * total, (1 - p) * total, tasks)
    first = rng.random(tasks) < x
    passed = rng.random(tasks) < np.where(first, 1 - frr, far)

    def arm(revises: bool) -> Bools:
        good, open_, won = first.copy(), ~passed, passed & first
        for _ in range(CAP - 1):
            turned = rng.random(tasks) < (r if revises else x)
            good = np.where(good & revises, True, turned)  # a revision spoils nothing here
            accepted = open_ & (rng.random(tasks) < np.where(good, 1 - frr, far))
            won |= accepted & good
            open_ &= ~accepted
        return won

    loop, retry = arm(True), arm(False)
    cells = [loop & retry, loop & ~retry, ~loop & retry, ~loop & ~retry]
    return Paired(*(int(np.count_nonzero(cell)) for cell in cells))


def true_lead(p: float, r: float, rho: float, far: float, frr: float) -> float:
    check = Check(passes_bad=far, rejects_good=frr)
    retry = retry_flow(np.array([p]), np.array([rho]), CAP, check)
    return float(run_loop(p, r, CAP, check).accepted_good) - float(retry.accepted_good[0])


def power(pairs: Paired, tasks: int) -> float:
    """McNemar's power with `tasks` pairs, from the shares in a very large sample (Connor 1987)."""
    b, c = pairs.first_only / pairs.n, pairs.second_only / pairs.n
    apart, gap = b + c, abs(b - c)
    z = (gap * math.sqrt(tasks) - 1.96 * math.sqrt(apart)) / math.sqrt(apart - gap**2)
    return NormalDist().cdf(z)


def test_the_simulated_arms_are_those_of_the_kernel() -> None:
    rng = np.random.default_rng(3)
    pairs = two_arms(rng, 400_000, 0.4, 0.35, 0.3, 0.2, 0.1)
    lead = (pairs.first - pairs.second) / pairs.n
    assert lead == pytest.approx(true_lead(0.4, 0.35, 0.3, 0.2, 0.1), abs=0.004)


@pytest.mark.soak
def test_a_definite_winner_is_right_and_found_where_the_test_can() -> None:
    """200 experiments, each with rates of its own; wrong in at most 5 %, found where power is .9."""
    rng = np.random.default_rng(11)
    definite = wrong = able = found = 0
    for _ in range(200):
        p, r, rho = rng.uniform(0.2, 0.8), rng.uniform(0.05, 0.9), rng.uniform(0.05, 0.6)
        far, frr = rng.uniform(0, 0.4), rng.uniform(0, 0.3)
        winner = two_arms(rng, 300, p, r, rho, far, frr).winner
        lead = true_lead(p, r, rho, far, frr)
        definite += winner is not None
        wrong += winner is not None and (winner == 1) != (lead > 0)
        if power(two_arms(rng, 25_000, p, r, rho, far, frr), 300) >= 0.9:
            able += 1
            found += winner is not None
    print(f"definite {definite} of 200, wrong {wrong}; found {found} of {able} with power .9")
    assert wrong <= 0.05 * definite
    assert able >= 50
    assert found >= 0.8 * able


@pytest.mark.soak
def test_intervals_of_rates_and_of_what_follows_from_them_cover() -> None:
    """2,000 experiments of counts: rates at least .93, carried figures .93 to .98."""
    rng = np.random.default_rng(12)
    p, r, far, frr, n, rounds = 0.5, 0.4, 0.2, 0.1, 150, 2000
    check = Check(passes_bad=far, rejects_good=frr)
    loop = run_loop(p, r, CAP, check)
    retry = retry_flow(np.array([p]), np.array([0.3]), CAP, check)
    truth = {
        "good": float(loop.accepted_good),
        "lead": float(loop.accepted_good) - float(retry.accepted_good[0]),
        "accepted": float(loop.accepted),
    }
    rates = {"p": (p, n), "r": (r, n // 2), "far": (far, n // 2), "frr": (frr, n // 2)}
    covered = dict.fromkeys([*rates, *truth], 0)
    for _ in range(rounds):
        counts = {name: int(rng.binomial(of, value)) for name, (value, of) in rates.items()}
        for name, (value, of) in rates.items():
            one = rate(counts[name], of, nothing="nothing")
            assert isinstance(one, Estimate)
            covered[name] += one.low <= value <= one.high
        some = {name: Input.counted(counts[name], of) for name, (_, of) in rates.items()}
        case = Case(
            some["p"], (some["r"],), CAP, critic=True, catches=Input(0.0),
            far=some["far"], frr=some["frr"], rho=Input(0.3),
        )  # fmt: skip
        found = Decision(case)
        carried = {
            "good": found.figure("loop", "accepted_good"), "lead": found.lead,
            "accepted": found.figure("loop", "accepted"),
        }  # fmt: skip
        for name, result in carried.items():
            assert isinstance(result, Estimate)
            covered[name] += result.low <= truth[name] <= result.high
    shares = {name: k / rounds for name, k in covered.items()}
    print(shares)
    assert all(shares[name] >= 0.93 for name in rates)
    assert all(0.93 <= shares[name] <= 0.98 for name in truth)


@pytest.mark.long
def test_the_correlation_of_draws_covers() -> None:
    """2,000 experiments of 60 tasks with 4 draws at ρ .4: profile likelihood, .93 to .98."""
    rng = np.random.default_rng(13)
    p, rho, rounds = 0.45, 0.4, 2000
    total = 1 / rho - 1
    good = rng.binomial(4, rng.beta(p * total, (1 - p) * total, (rounds, 60)))
    found = [Attempts.of(np.full(60, 4), row).correlation for row in good]
    hits = [x.low <= rho <= x.high for x in found if isinstance(x, Estimate)]
    print(np.mean(hits))
    assert 0.93 <= float(np.mean(hits)) <= 0.98


@pytest.mark.long
def test_what_a_measured_likeness_is_carried_into_covers() -> None:
    """500 experiments: p and ρ from 100 tasks of three draws, r from 60 revisions; .93 to .98."""
    rng = np.random.default_rng(5)
    p, r, rho, tasks, draws, rounds = 0.5, 0.4, 0.4, 100, 3, 500
    sound, total = Check(critic=False, catches=1.0), 1 / rho - 1
    retry = float(retry_flow(np.array([p]), np.array([rho]), CAP, sound).accepted_good[0])
    lead = float(run_loop(p, r, CAP, sound).accepted_good) - retry
    hits = {"retry": 0, "lead": 0}
    for _ in range(rounds):
        good = rng.binomial(draws, rng.beta(p * total, (1 - p) * total, tasks))
        seen = Attempts.of(np.full(tasks, draws), good)
        first, likeness = Input.of(seen.pass_at(1)), Input.of(seen.correlation)
        assert first is not None
        repair = Input.counted(int(rng.binomial(60, r)), 60)
        found = Decision(Case(first, (repair,), CAP, rho=likeness or Input(0.0)))
        for name, result, truth in (
            ("retry", found.figure("retry", "accepted_good"), retry), ("lead", found.lead, lead)
        ):  # fmt: skip
            assert isinstance(result, Estimate)
            hits[name] += result.low <= truth <= result.high
    print(hits)
    assert all(0.93 <= k / rounds <= 0.98 for k in hits.values())
