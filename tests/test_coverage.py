"""Coverage of every 95 % interval shown, over one grid; the table is printed, worst cell first."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.statistics.confusion import Confusion, ac1_of_cells, kappa_of_cells
from core.statistics.correction import Stratum, pass_rate, pass_rate_limits
from core.statistics.interval import (
    Estimate,
    Floats,
    clopper_pearson_many,
    clustered_rate,
    composite_limits,
    rate,
)

JUDGES = ((0.9, 0.3), (0.97, 0.2))
SHARES = (0.6, 0.9, 0.95)
SIZES = (30, 50, 100, 300)
Limits = tuple[Floats, Floats]


def cells_of(share: float, tpr: float, far: float) -> Floats:
    """True accepts, false accepts, false rejects, true rejects as shares."""
    return np.array([share * tpr, (1 - share) * far, share * (1 - tpr), (1 - share) * (1 - far)])


def hold(
    table: list[tuple[float, str]], rounds: int, low: float, high: float, record: object
) -> None:
    """Print the table, worst cell first; each within its bounds ± twice the simulation's error."""
    table.sort()
    print(*(f"{share:.3f}  {what}" for share, what in table), sep="\n")
    assert callable(record)
    record(
        "summary",
        f"coverage: worst {table[0][0]:.3f} ({table[0][1]}), best {table[-1][0]:.3f} "
        f"({table[-1][1]}) of {len(table)} cells, {rounds} rounds",
    )
    assert table[0][0] >= low - 2 * (low * (1 - low) / rounds) ** 0.5
    assert table[-1][0] <= high + 2 * (high * (1 - high) / rounds) ** 0.5


def covers(limits: Limits, value: Floats, truth: float) -> float:
    """Return how often limits, widened to hold the figure as everywhere, hold the truth."""
    defined = np.isfinite(value)
    assert defined.mean() > 0.8
    low, high = np.minimum(limits[0], value), np.maximum(limits[1], value)
    return float(((low <= truth) & (truth <= high))[defined].mean())


@pytest.mark.soak
def test_every_rate_is_covered_at_least_95_percent(record_property: object) -> None:
    """Exact, by enumeration, at every n from 5 to 300 and 99 true rates."""
    from scipy.stats import binom

    rates = np.linspace(0.01, 0.99, 99)
    table = []
    for n in range(5, 301):
        k = np.arange(n + 1)
        low, high = clopper_pearson_many(k, np.full(n + 1, n))
        inside = (low[:, None] <= rates) & (rates <= high[:, None])
        shares = (binom.pmf(k[:, None], n, rates) * inside).sum(0)
        table.append((float(shares.min()), f"rate n={n}"))
    table.sort()
    print(*table[:10], sep="\n")
    assert callable(record_property)
    record_property("summary", f"coverage: a rate, worst {table[0][0]:.4f} ({table[0][1]})")
    assert table[0][0] >= 0.95 - 1e-9


@pytest.mark.soak
def test_kappa_and_ac1_cover_near_95_percent(record_property: object) -> None:
    """Of all cells one errs to the safe side by more than .98: kappa at n=30, good=.95, far=.3.

    A handful of tables carries nearly all of its chance (enumerated, it covers .98 to .985 by the
    draws). Fewer pseudo-counts than ½ bring it down and others below .93: .920 at n=15.
    """
    rng = np.random.default_rng(7)
    rounds, table = 1000, []
    for n, share, (tpr, far) in product(SIZES, SHARES, JUDGES):
        chances = cells_of(share, tpr, far)
        drawn, times = np.unique(rng.multinomial(n, chances, rounds), axis=0, return_counts=True)
        for name, statistic in (("kappa", kappa_of_cells), ("ac1", ac1_of_cells)):
            cells = drawn.astype(np.float64)
            low, high = composite_limits(cells, statistic)
            with np.errstate(invalid="ignore"):
                value = statistic(cells)
            each = (np.repeat(column, times) for column in (low, high, value))
            low, high, value = each
            found = covers((low, high), value, float(statistic(chances)))
            table.append((found, f"{name} n={n} good={share} tpr={tpr} far={far}"))
    hold(table, rounds, 0.93, 0.98, record_property)


@pytest.mark.soak
def test_the_corrected_share_covers_near_95_percent(record_property: object) -> None:
    """Labels at random and so many by verdict, with 50, 200 and 20,000 unlabelled outputs."""
    rng = np.random.default_rng(9)
    rounds, table = 250, []
    for n, share, (tpr, far), more in product(SIZES, SHARES, JUDGES, (50, 200, 20_000)):
        a, b, c, d = rng.multinomial(n + more, cells_of(share, tpr, far), rounds).T
        judged = np.column_stack([a + b, c + d])
        at_random = n - rng.hypergeometric(a + b, c + d, n)
        for how, failed in (
            ("at random", at_random),
            ("by verdict", np.minimum(n // 2, c + d)),
        ):
            passed = np.minimum(n - failed, a + b)
            good = np.column_stack(
                [rng.hypergeometric(a, b, passed), rng.hypergeometric(c, d, failed)]
            )
            labelled = np.column_stack([passed, failed])
            theta = np.divide(good, labelled, out=np.full(good.shape, 0.5), where=labelled > 0)
            value = (judged * theta).sum(1) / judged.sum(1)
            limits = pass_rate_limits(judged, good, labelled - good)
            what = f"good share n={n} good={share} tpr={tpr} far={far} more={more} {how}"
            table.append((covers(limits, value, share), what))
    hold(table, rounds, 0.93, 0.98, record_property)


def test_many_limits_at_once_are_those_of_one() -> None:
    """What the tables measure is what is shown: same limits, up to the draws' own noise."""
    cells = np.array([[50, 8, 10, 32], [28, 0, 1, 1], [90, 3, 2, 5]])
    low, high = composite_limits(cells, kappa_of_cells)
    for at, row in enumerate(cells.tolist()):
        shown = Confusion(*row).kappa
        assert isinstance(shown, Estimate)
        assert (shown.low, shown.high) == pytest.approx((low[at], high[at]), abs=0.03)
    strata = [Stratum("PASS", True, 700, 54, 12), Stratum("FAIL", False, 300, 6, 28)]
    share = pass_rate(strata, random=True).corrected
    assert isinstance(share, Estimate)
    judged, good, bad = np.array([[700, 300]]), np.array([[54, 6]]), np.array([[12, 28]])
    assert (share.low, share.high) == tuple(
        float(end[0]) for end in pass_rate_limits(judged, good, bad)
    )


@pytest.mark.soak
def test_clustered_rates_cover_at_least_93_percent(record_property: object) -> None:
    """Beta-binomial clusters with correlation .4; the interval that ignores them covers .6 to .9."""
    rng = np.random.default_rng(13)
    rounds, table, weight = 700, [], 1 / 0.4 - 1
    for (clusters, size), share in product(((12, 10), (40, 5)), (0.05, 0.1, 0.2, 0.3, 0.5)):
        covered, plain, items = [], [], np.full(clusters, size)
        for _ in range(rounds):
            errors = rng.binomial(size, rng.beta(share * weight, (1 - share) * weight, clusters))
            found = clustered_rate(errors, items, nothing="none")
            alone = rate(int(errors.sum()), clusters * size, nothing="none")
            assert isinstance(found, Estimate)
            assert isinstance(alone, Estimate)
            covered.append(found.low <= share <= found.high)
            plain.append(alone.low <= share <= alone.high)
        assert np.mean(plain) < 0.92
        table.append((float(np.mean(covered)), f"clustered {clusters}x{size} rate={share}"))
    hold(table, rounds, 0.93, 1.0, record_property)
