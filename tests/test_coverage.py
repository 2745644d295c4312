"""Coverage of every 95 % interval shown, over one grid; the table is printed, worst cell first."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from core.statistics.confusion import Confusion, ac1_of_cells, kappa_of_cells
from core.statistics.correction import Stratum, pass_rate
from core.statistics.interval import Estimate, Result, clopper_pearson_many, clustered_rate

JUDGES = ((0.9, 0.3), (0.97, 0.2))
SHARES = (0.6, 0.9, 0.95)
SIZES = (30, 50, 100, 300)


def cells_of(share: float, tpr: float, far: float) -> NDArray[np.float64]:
    """True accepts, false accepts, false rejects, true rejects as shares."""
    return np.array([share * tpr, (1 - share) * far, share * (1 - tpr), (1 - share) * (1 - far)])


def covered(results: list[Result], truth: float) -> float:
    known = [r for r in results if isinstance(r, Estimate)]
    assert len(known) > 0.8 * len(results)
    return float(np.mean([r.low <= truth <= r.high for r in known]))


def hold(
    table: list[tuple[float, str]], rounds: int, low: float, high: float, record: object
) -> None:
    """Print the table and check each cell against its bounds, give or take the simulation's error.

    Twice the error for one cell; for the worst of many, as much as the worst of so many cells on
    the bound itself would be off (Bonferroni at 5 %).
    """
    table.sort()
    print(*(f"{share:.3f}  {what}" for share, what in table), sep="\n")
    assert callable(record)
    record("summary", f"coverage: worst {table[0][0]:.3f} ({table[0][1]}) of {len(table)} cells")
    from scipy.special import ndtri

    times = max(2.0, -float(ndtri(0.05 / len(table))))
    assert table[0][0] >= low - times * (low * (1 - low) / rounds) ** 0.5
    assert table[-1][0] <= high + times * (high * (1 - high) / rounds) ** 0.5


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
    rng = np.random.default_rng(7)
    rounds, table = 500, []
    for n, share, (tpr, far) in product(SIZES, SHARES, JUDGES):
        chances = cells_of(share, tpr, far)
        drawn = [Confusion(*row) for row in rng.multinomial(n, chances, rounds).tolist()]
        for name, statistic in (("kappa", kappa_of_cells), ("ac1", ac1_of_cells)):
            found = covered([getattr(c, name) for c in drawn], float(statistic(chances)))
            table.append((found, f"{name} n={n} good={share} tpr={tpr} far={far}"))
    hold(table, rounds, 0.93, 0.98, record_property)


@pytest.mark.soak
def test_the_corrected_share_covers_near_95_percent(record_property: object) -> None:
    """Labels at random and so many by verdict, with 50, 200 and 20,000 unlabelled outputs."""
    rng = np.random.default_rng(9)
    rounds, table = 200, []
    for n, share, (tpr, far), more, by_verdict in product(
        SIZES, SHARES, JUDGES, (50, 200, 20_000), (False, True)
    ):
        found = []
        for a, b, c, d in rng.multinomial(n + more, cells_of(share, tpr, far), rounds).tolist():
            failed = (
                min(n // 2, c + d) if by_verdict else n - int(rng.hypergeometric(a + b, c + d, n))
            )
            passed = min(n - failed, a + b)
            good_passed = int(rng.hypergeometric(a, b, passed)) if passed else 0
            good_failed = int(rng.hypergeometric(c, d, failed)) if failed else 0
            strata = [
                Stratum("PASS", True, a + b, good_passed, passed - good_passed),
                Stratum("FAIL", False, c + d, good_failed, failed - good_failed),
            ]
            found.append(pass_rate(strata, random=not by_verdict).corrected)
        how = "by verdict" if by_verdict else "at random"
        what = f"good share n={n} good={share} tpr={tpr} far={far} more={more} {how}"
        table.append((covered(found, share), what))
    hold(table, rounds, 0.93, 0.98, record_property)


@pytest.mark.soak
def test_clustered_rates_cover_at_least_93_percent(record_property: object) -> None:
    """Beta-binomial clusters with correlation .4: 12 of 10 outputs and 40 of 5."""
    rng = np.random.default_rng(13)
    rounds, table, weight = 700, [], 1 / 0.4 - 1
    for (clusters, size), share in product(((12, 10), (40, 5)), (0.05, 0.1, 0.2, 0.3, 0.5)):
        found: list[Result] = []
        for _ in range(rounds):
            errors = rng.binomial(size, rng.beta(share * weight, (1 - share) * weight, clusters))
            found.append(clustered_rate(errors, np.full(clusters, size), nothing="none"))
        table.append((covered(found, share), f"clustered {clusters}x{size} rate={share}"))
    hold(table, rounds, 0.93, 1.0, record_property)
