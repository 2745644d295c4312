import json
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.attempts import (
    Attempts,
    break_even_r,
    correlated_pass_at,
    correlated_pass_hat,
    difficulty_nodes,
    next_after_failures,
    pass_at_k,
    pass_hat_k,
)
from core.statistics.interval import Estimate, Undefined, clopper_pearson
from tests.reference import Reference, reference, references

tasks = st.lists(
    st.integers(2, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    min_size=1,
    max_size=25,
)


def _attempts(pairs: list[tuple[int, int]]) -> Attempts:
    return Attempts.of([n for n, _ in pairs], [c for _, c in pairs])


def _value(result: object) -> float:
    assert isinstance(result, Estimate)
    return result.value


@pytest.mark.parametrize("entry", references("c.pass_at_k_"), ids=lambda entry: entry.id)
def test_published_pass_at_k(entry: Reference) -> None:
    n, c, k = (entry.inputs[name] for name in "nck")
    assert float(pass_at_k(n, c, k)) == pytest.approx(entry.expected, rel=1e-6, abs=1e-12)
    assert _value(Attempts.of([n], [c]).pass_at(k)) == pytest.approx(entry.expected, rel=1e-6)


@pytest.mark.parametrize("entry", references("c.pass_hat_k_"), ids=lambda entry: entry.id)
def test_pass_hat_k(entry: Reference) -> None:
    n, c, k = (entry.inputs[name] for name in "nck")
    assert float(pass_hat_k(n, c, k)) == pytest.approx(entry.expected, abs=1e-9)


@given(st.integers(1, 40), st.integers(0, 40), st.integers(1, 40))
@settings(deadline=None)
def test_both_match_their_binomial_coefficients(n: int, c: int, k: int) -> None:
    c, k = min(c, n), min(k, n)
    assert float(pass_at_k(n, c, k)) == pytest.approx(1 - comb(n - c, k) / comb(n, k), abs=1e-12)
    assert float(pass_hat_k(n, c, k)) == pytest.approx(comb(c, k) / comb(n, k), abs=1e-12)


def test_at_least_one_and_all_are_not_mixed_up_nor_plugged_in() -> None:
    """Four good of six, k = 2: .933 and .400; powers of the share would say .889 and .444."""
    attempts = Attempts.of([6], [4])
    assert _value(attempts.pass_at(2)) == pytest.approx(14 / 15)
    assert _value(attempts.pass_hat(2)) == pytest.approx(6 / 15)


def test_one_lucky_draw_does_not_solve_a_task() -> None:
    """1 of 50 and 0 of 50: pass@1 is .01, and raising k changes it."""
    attempts = Attempts.of([50, 50], [1, 0])
    assert _value(attempts.pass_at(1)) == pytest.approx(0.01)
    assert _value(attempts.pass_at(5)) == pytest.approx(0.05)


def test_estimators_are_unbiased() -> None:
    entry = reference("c.estimator_bias")
    p, n, k = (entry.inputs[name] for name in "pnk")
    c = np.arange(n + 1)
    chance = np.array([comb(n, int(x)) * p**x * (1 - p) ** (n - x) for x in c])
    assert float(chance @ pass_at_k(n, c, k)) == pytest.approx(entry.expected["E_unbiased"])
    assert float(chance @ pass_hat_k(n, c, k)) == pytest.approx(
        entry.expected["E_passhat_unbiased"]
    )


# --- a table of tasks: 14, 12, 10, 4 and 10 of 50 tasks had 0, 1, 2, 3 and 4 good of 4 draws

AIRLINE = Attempts.of(np.full(50, 4), np.repeat([0, 1, 2, 3, 4], [14, 12, 10, 4, 10]))


def test_fifty_tasks_with_four_draws() -> None:
    """Counts of tau-bench's airline runs; k draws of equal tasks would promise .887 for .720."""
    assert AIRLINE.tasks == 50
    assert [_value(AIRLINE.pass_at(k)) for k in (1, 2, 3, 4)] == pytest.approx(
        [0.42, 17 / 30, 0.66, 0.72]
    )
    assert [_value(AIRLINE.pass_hat(k)) for k in (1, 2, 3, 4)] == pytest.approx(
        [0.42, 41 / 150, 0.22, 0.20]
    )
    assert AIRLINE.naive_pass_at(4) == pytest.approx(1 - 0.58**4)
    assert [_value(AIRLINE.fresh_share(n)) for n in (2, 3, 4)] == pytest.approx(
        [22 / 87, 24 / 58, 30 / 58]
    )
    assert AIRLINE.fresh_rate == AIRLINE.fresh_share(2)
    assert [_value(AIRLINE.break_even(n)) for n in (2, 3, 4)] == pytest.approx(
        [0.253, 0.234, 0.216], abs=5e-4
    )


def test_the_rows_may_come_in_any_order() -> None:
    shuffled = np.random.default_rng(2).permutation(np.repeat([0, 1, 2, 3, 4], [14, 12, 10, 4, 10]))
    assert Attempts.of(np.full(50, 4), shuffled) == AIRLINE


def test_json_of_the_attempts_command() -> None:
    data = AIRLINE.to_json()
    assert list(data) == [
        "tasks", "pass_at", "pass_hat", "naive_pass_at", "fresh_rate", "fresh_share", "correlation"
    ]  # fmt: skip
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    some = AIRLINE.to_json([1, 5])
    assert some["pass_at"] == {"1": pytest.approx(0.42), "5": None}
    assert "5 needs 5 draws" in str(some["fresh_share"])


def test_k_above_the_draws_of_any_task_is_undefined() -> None:
    """Never scored as if the missing draws had failed."""
    attempts = Attempts.of([4, 4, 2], [1, 2, 2])
    assert attempts.fewest == 2
    for result in (attempts.pass_at(3), attempts.pass_hat(3), attempts.fresh_share(3)):
        assert isinstance(result, Undefined)
        assert result.reason == "k = 3 needs 3 draws of every task; 1 of 3 tasks have fewer"


def test_tasks_with_unequal_draws_count_the_same() -> None:
    """1 of 2 and 1 of 8: pass@1 is (1/2 + 1/8)/2, not 2/10."""
    assert _value(Attempts.of([2, 8], [1, 1]).pass_at(1)) == pytest.approx(5 / 16)


def test_no_tasks_is_undefined() -> None:
    nothing = Attempts.of([], [])
    assert nothing.pass_at(1) == Undefined("not measured: no tasks", None, 0)
    assert isinstance(nothing.naive_pass_at(2), Undefined)
    assert isinstance(nothing.correlation, Undefined)
    assert json.dumps(nothing.to_json(), allow_nan=False)


def test_nothing_to_rescue_is_undefined() -> None:
    everything = Attempts.of([3, 3], [3, 3])
    assert isinstance(everything.fresh_rate, Undefined)
    assert isinstance(everything.break_even(2), Undefined)
    assert everything.naive_pass_at(2) == 1.0


@pytest.mark.parametrize(("c", "end"), [(4, "low"), (0, "high"), (2, "low")])
def test_tasks_that_are_all_alike_still_have_an_interval(c: int, end: str) -> None:
    """All passing or failing is one observation per task; 2 of 4 throughout, 40 independent draws.

    Exact limits of 20 of 40 are .338 and .662.
    """
    result = Attempts.of([4] * 10, [c] * 10).pass_at(1)
    assert isinstance(result, Estimate)
    assert result.value == c / 4
    if c == 4:
        assert (result.low, result.high) == pytest.approx((0.025**0.1, 1.0))
    elif c == 0:
        assert (result.low, result.high) == pytest.approx((0.0, 1 - 0.025**0.1))
    else:
        assert (result.low, result.high) == pytest.approx((0.3380, 0.6620), abs=5e-5)


def test_effective_number_of_tasks_worked_by_hand() -> None:
    """Four tasks of two draws with 2, 1, 1 and 0 good: pass@1 is ½.

    Squared residuals ¼ + 0 + 0 + ¼, a quarter of a task more adds 1/16: 9/16. Variance
    9/16 · 4/3 ÷ (4¼ · 4) = 3/68, so n = ¼ · 68/3 = 17/3, times (1.9600/3.1824)²; not less than 4.
    """
    result = Attempts.of([2] * 4, [2, 1, 1, 0]).pass_at(1)
    assert isinstance(result, Estimate)
    assert 17 / 3 * (1.96 / 3.1824) ** 2 < 4
    assert (result.low, result.high) == pytest.approx(clopper_pearson(2, 4))
    # three times the tasks: 3/2 + 1/16 = 25/16; t of 11 degrees 2.2010
    result = Attempts.of([2] * 12, [2, 1, 1, 0] * 3).pass_at(1)
    assert isinstance(result, Estimate)
    n = 0.25 * (12.25 * 12) / (25 / 16 * 12 / 11) * (1.96 / 2.2010) ** 2
    assert (result.low, result.high) == pytest.approx(clopper_pearson(n / 2, n), abs=1e-5)


def test_pass_at_all_draws_is_a_rate_of_tasks() -> None:
    """Whether any of all draws passed is one yes or no per task: 36 of 50."""
    result = AIRLINE.pass_at(4)
    assert isinstance(result, Estimate)
    exact = clopper_pearson(36, 50)
    assert exact[0] - 1e-9 <= result.low <= result.value <= result.high <= exact[1] + 1e-9
    assert result.high - result.low > 0.9 * (exact[1] - exact[0])


@pytest.mark.parametrize(
    ("n", "c"),
    [([2], [3]), ([0], [0]), ([2], [-1]), ([2, 2], [1]), ([2.5], [1]), (["2"], ["1"])],
)
def test_impossible_tasks_are_refused(n: list[int], c: list[int]) -> None:
    with pytest.raises(InputError):
        Attempts.of(n, c)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2"])
def test_k_that_is_no_whole_number_is_refused(k: int) -> None:
    with pytest.raises(InputError):
        AIRLINE.pass_at(k)
    with pytest.raises(InputError):
        AIRLINE.naive_pass_at(k)


@given(tasks)
@settings(deadline=None)
def test_pass_at_rises_and_pass_hat_falls_and_both_start_alike(
    pairs: list[tuple[int, int]],
) -> None:
    attempts = _attempts(pairs)
    ks = range(1, attempts.fewest + 1)
    at = [_value(attempts.pass_at(k)) for k in ks]
    hat = [_value(attempts.pass_hat(k)) for k in ks]
    assert at[0] == pytest.approx(hat[0])
    assert all(b >= a - 1e-12 for a, b in pairwise(at))
    assert all(b <= a + 1e-12 for a, b in pairwise(hat))
    for k in ks:
        for result in (attempts.pass_at(k), attempts.pass_hat(k)):
            assert isinstance(result, Estimate)
            assert 0 <= result.low <= result.value <= result.high <= 1


# --- correlated draws -----------------------------------------------------------------------


@pytest.mark.parametrize("entry", references("c.beta_binomial_mu"), ids=lambda entry: entry.id)
def test_beta_binomial_pass_at_and_hat(entry: Reference) -> None:
    mean, rho, k = entry.inputs["mu"], entry.inputs["rho"], entry.inputs["k"]
    ours = [correlated_pass_at(mean, rho, k), correlated_pass_hat(mean, rho, k)]
    assert ours == pytest.approx(entry.expected, abs=1e-9)


@pytest.mark.parametrize(
    "entry", references("c.beta_binomial_next_given_fail"), ids=lambda entry: entry.id
)
def test_next_draw_after_failures(entry: Reference) -> None:
    mean, rho = entry.inputs["mu"], entry.inputs["rho"]
    ours = [next_after_failures(mean, rho, t) for t in entry.inputs["fails"]]
    assert ours == pytest.approx(entry.expected, abs=1e-9)


def test_a_falling_rate_is_no_sign_of_failing_feedback() -> None:
    entry = reference("h.selection_observed_r")
    ours = [next_after_failures(entry.inputs["mu"], entry.inputs["rho"], t) for t in range(4)]
    assert ours == pytest.approx(entry.expected, abs=1e-9)


def test_break_even_rates_of_the_worked_invoice() -> None:
    """48 and 39 of 60 rescued in two revisions or two more draws."""
    expected = reference("c.invoice_break_even").expected
    assert break_even_r(48 / 60, 3) == pytest.approx(expected["loop_r_per_round"])
    assert break_even_r(39 / 60, 3) == pytest.approx(expected["retry_r_per_draw"])


def test_break_even_equals_p_only_for_independent_draws() -> None:
    entry = reference("c.break_even_r_correlated")
    mean, rho, cap = (entry.inputs[name] for name in ("mu", "rho", "cap"))

    def fresh(rho: float) -> float:
        return (correlated_pass_at(mean, rho, cap) - mean) / (1 - mean)

    assert break_even_r(fresh(rho), cap) == pytest.approx(entry.expected, abs=1e-9)
    assert break_even_r(fresh(0.0), cap) == pytest.approx(mean)
    assert (break_even_r(0.0, 2), break_even_r(1.0, 4)) == (0.0, 1.0)


@pytest.mark.parametrize(("share", "cap"), [(1.2, 3), (-0.1, 3), (0.5, 1), (0.5, 2.5)])
def test_break_even_refuses_what_is_no_share_or_cap(share: float, cap: int) -> None:
    with pytest.raises(InputError):
        break_even_r(share, cap)


def test_rho_is_the_maximum_of_scipys_beta_binomial_likelihood() -> None:
    from scipy.stats import betabinom

    result = AIRLINE.correlation
    assert isinstance(result, Estimate)

    def likelihood(mean: float, rho: float) -> float:
        a, b = mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1)
        counts = np.array(AIRLINE.times)
        return float(counts @ betabinom.logpmf(AIRLINE.good, 4, a, b))

    means = np.linspace(0.2, 0.7, 501)
    best = max(likelihood(m, result.value) for m in means)
    for other in (result.value - 0.02, result.value + 0.02):
        assert best > max(likelihood(m, other) for m in means)
    # the limits are where twice the drop is t² of 49 degrees of freedom, 2.0096²
    for end in (result.low, result.high):
        drop = 2 * (best - max(likelihood(m, end) for m in means))
        assert drop == pytest.approx(2.0096**2, abs=2e-3)
    assert result.n == 50
    assert result.k is None


def test_rho_of_tasks_that_pass_always_or_never_is_one() -> None:
    result = Attempts.of([4] * 12, [0] * 6 + [4] * 6).correlation
    assert isinstance(result, Estimate)
    assert (result.value, result.high) == (1.0, 1.0)
    assert 0.3 < result.low < 1


def test_rho_of_draws_that_vary_less_than_by_chance_is_zero() -> None:
    result = Attempts.of([4] * 20, [2] * 20).correlation
    assert isinstance(result, Estimate)
    assert (result.value, result.low) == (0.0, 0.0)
    assert 0 < result.high < 0.2


def test_rho_is_not_thrown_by_many_draws() -> None:
    """Pass rates from Beta(2, 2): ρ = 1/(2 + 2 + 1) = .2."""
    rng = np.random.default_rng(8)
    good = rng.binomial(400, rng.beta(2, 2, 400))
    result = Attempts.of(np.full(400, 400), good).correlation
    assert isinstance(result, Estimate)
    assert result.low < 0.2 < result.high
    assert result.high - result.low < 0.06


@pytest.mark.parametrize(
    ("n", "c", "reason"),
    [
        ([1, 1, 1], [0, 1, 1], "one draw per task"),
        ([4], [2], "at least two tasks"),
        ([3, 3], [0, 0], "every draw failed"),
        ([3, 2], [3, 2], "every draw passed"),
    ],
)
def test_rho_is_refused_where_nothing_speaks_of_it(n: list[int], c: list[int], reason: str) -> None:
    result = Attempts.of(n, c).correlation
    assert isinstance(result, Undefined)
    assert reason in result.reason


@given(tasks)
@settings(deadline=None, max_examples=40)
def test_rho_lies_in_its_interval(pairs: list[tuple[int, int]]) -> None:
    result = _attempts(pairs).correlation
    if isinstance(result, Estimate):
        assert 0 <= result.low <= result.value <= result.high <= 1


@pytest.mark.parametrize("cap", [1, 2, 3, 8, 30])
@pytest.mark.parametrize(
    ("mean", "rho"),
    [
        (0.4, 0.3),
        (0.9, 0.01),
        (0.05, 0.9),
        (0.5, 1e-8),
        (0.5, 1e-11),
        (0.5, 1 - 1e-9),
    ],
)
def test_difficulty_nodes_have_the_moments_of_the_beta_law(
    mean: float, rho: float, cap: int
) -> None:
    nodes, weights = difficulty_nodes(mean, rho, cap)
    assert len(nodes) == -(-(cap + 1) // 2)
    for k in range(1, cap + 1):
        assert float(nodes**k @ weights) == pytest.approx(
            correlated_pass_hat(mean, rho, k), rel=1e-7, abs=1e-10
        )


@pytest.mark.parametrize(
    ("mean", "rho", "nodes", "weights"),
    [
        (0.4, 0, [0.4], [1]),
        (0.4, 1e-200, [0.4], [1]),
        (1, 0.5, [1], [1]),
        (0.3, 1, [0, 1], [0.7, 0.3]),
    ],
)
def test_difficulty_nodes_at_the_ends(
    mean: float, rho: float, nodes: list[float], weights: list[float]
) -> None:
    ours = difficulty_nodes(mean, rho, 5)
    assert ours[0].tolist() == nodes
    assert ours[1].tolist() == weights


# --- coverage -------------------------------------------------------------------------------


@pytest.mark.soak
def test_intervals_over_tasks_cover_whatever_the_tasks() -> None:
    """Beta-binomial tasks; the table is printed, worst cell first. Bound .93 less two errors."""
    rng = np.random.default_rng(17)
    rounds, table = 600, []
    for tasks, draws, mean, rho in product((15, 30, 100), (2, 3, 5), (0.2, 0.5, 0.8), (0.1, 0.6)):
        a, b = mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1)
        good = rng.binomial(draws, rng.beta(a, b, (rounds, tasks)))
        # many experiments come out alike: each outcome is worked out once
        kinds = (good[:, :, None] == np.arange(draws + 1)).sum(axis=1)
        kinds, times = np.unique(kinds, axis=0, return_counts=True)
        n = np.full(tasks, draws)
        some = [Attempts.of(n, np.repeat(np.arange(draws + 1), row)) for row in kinds]
        at = correlated_pass_at(mean, rho, draws)
        figures = {
            "pass_at": (Attempts.pass_at, draws, at),
            "pass_hat": (Attempts.pass_hat, draws, correlated_pass_hat(mean, rho, draws)),
            "fresh_share": (Attempts.fresh_share, draws, (at - mean) / (1 - mean)),
            "fresh_rate": (Attempts.fresh_share, 2, mean * (1 - rho)),
        }
        for name, (figure, k, truth) in figures.items():
            found = [
                (r.low <= truth <= r.high, weight)
                for one, weight in zip(some, times, strict=True)
                if isinstance(r := figure(one, k), Estimate)
            ]
            hits, weights = np.array(found, float).T
            covered = np.average(hits, weights=weights)
            table.append((round(float(covered), 3), name, tasks, draws, mean, rho))
    table.sort()
    print(*table, sep="\n")
    assert table[0][0] >= 0.93 - 2 * (0.93 * 0.07 / rounds) ** 0.5
