import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.confusion import kappa_of_cells
from core.statistics.interval import (
    ClusteredEstimate,
    Estimate,
    Undefined,
    as_json,
    clopper_pearson,
    clustered_rate,
    composite,
    design_effect,
    rate,
)
from tests.reference import Reference, reference, references


@pytest.mark.parametrize("entry", references("d.ci_"), ids=lambda entry: entry.id)
def test_published_clopper_pearson_limits(entry: Reference) -> None:
    result = rate(entry.inputs["count"], entry.inputs["nobs"], nothing="none")
    assert isinstance(result, Estimate)
    assert entry.expected["clopper_pearson"] == pytest.approx([result.low, result.high], abs=1e-6)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # with no or only hits the limits are 1 - .025^(1/n) and .025^(1/n)
        (0, 12, 0.0, 1 - 0.025 ** (1 / 12)),
        (12, 12, 0.025 ** (1 / 12), 1.0),
        (11, 11, 0.025 ** (1 / 11), 1.0),
        (2, 2, 0.025**0.5, 1.0),
        (0, 18, 0.0, 1 - 0.025 ** (1 / 18)),
        (0, 1, 0.0, 0.975),
        (1, 1, 0.025, 1.0),
    ],
)
def test_ends_are_exact(k: int, n: int, low: float, high: float) -> None:
    result = rate(k, n, nothing="none")
    assert isinstance(result, Estimate)
    assert (k / n, k, n) == (result.value, result.k, result.n)
    assert (low, high) == pytest.approx((result.low, result.high), abs=1e-12)
    assert result.low == 0.0 if k == 0 else result.low > 0
    assert result.high == 1.0 if k == n else result.high < 1


def test_nothing_to_judge_is_a_reason_and_no_rate() -> None:
    assert Undefined("none to judge", 0, 0) == rate(0, 0, nothing="none to judge")


@pytest.mark.parametrize(
    ("k", "n"), [(3, 2), (-1, 2), (1, -2), (1.5, 3), ("1", 3), (True, 3), (math.nan, 3)]
)
def test_a_rate_refuses_what_is_no_count(k: object, n: object) -> None:
    with pytest.raises(InputError):
        rate(k, n, nothing="none")  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.integers(0, 500), st.integers(1, 500))
def test_a_rate_lies_in_its_interval_and_the_interval_in_0_1(k: int, n: int) -> None:
    k = min(k, n)
    result = rate(k, n, nothing="none")
    assert isinstance(result, Estimate)
    assert 0 <= result.low <= result.value <= result.high <= 1


@settings(deadline=None)
@given(st.floats(1e-6, 400), st.floats(0, 1))
def test_fractional_counts_give_an_interval_around_the_rate(n: float, share: float) -> None:
    low, high = clopper_pearson(n * share, n)
    assert 0 <= low <= high <= 1
    assert low - 1e-9 <= share <= high + 1e-9


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(1, 60))
def test_the_other_outcome_has_the_mirrored_interval(k: int, n: int) -> None:
    k = min(k, n)
    low, high = clopper_pearson(k, n)
    assert (1 - high, 1 - low) == pytest.approx(clopper_pearson(n - k, n), abs=1e-9)


def test_json_has_exactly_the_fixed_keys() -> None:
    assert list(as_json(Estimate(0.5, 0.25, 0.75, 1, 2)).items()) == [
        ("value", 0.5),
        ("low", 0.25),
        ("high", 0.75),
        ("k", 1),
        ("n", 2),
    ]
    assert list(as_json(Undefined("why", None, 0)).items()) == [
        ("undefined", "why"),
        ("k", None),
        ("n", 0),
    ]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_estimate_cannot_hold_nan_or_infinity(bad: float) -> None:
    with pytest.raises(ValueError, match="use Undefined"):
        Estimate(bad, 0.0, 1.0, None, 3)
    with pytest.raises(ValueError, match="use Undefined"):
        Estimate(0.5, 0.0, bad, None, 3)


# --- clusters -------------------------------------------------------------------------------


def _clusters() -> tuple[np.ndarray, np.ndarray]:
    rows = reference("d.clustered_rate").inputs["cluster_counts"]
    return np.array([r["errors"] for r in rows]), np.array([r["items"] for r in rows])


def test_clustered_rate_and_design_effect_match_the_reference() -> None:
    expected = reference("d.clustered_rate").expected
    errors, items = _clusters()
    result = clustered_rate(errors, items, nothing="none")
    assert isinstance(result, Estimate)
    assert expected["rate"] == pytest.approx(result.value, abs=1e-12)
    assert (result.k, result.n) == (18, 33)
    p, n = result.value, result.n
    rows = np.column_stack([errors, items - errors]).astype(float)
    deff = design_effect(rows, np.array([1 - p, -p]) / n)
    assert expected["deff"] == pytest.approx(deff, abs=1e-9)
    assert expected["se_cluster"] == pytest.approx(math.sqrt(deff * p * (1 - p) / n), abs=1e-9)


def test_clustered_interval_worked_by_hand() -> None:
    """Four clusters of two with 2, 1, 1 and 0 errors: 4 of 8.

    A quarter of a cluster more makes 4¼ of 8½. Variance between clusters: the residuals are 1, 0,
    0 and -1, the quarter adds ⅛·(1² + 1²) = ¼; times 4/3 is 3. Independent: 8½·¼ = 17/8.
    t quantiles from printed tables: 7 degrees 2.3646, 3 degrees 3.1824.
    """
    result = clustered_rate([2, 1, 1, 0], [2, 2, 2, 2], nothing="none")
    assert isinstance(result, ClusteredEstimate)
    assert (result.value, result.k, result.n, result.clusters) == (0.5, 4, 8, 4)
    assert result.deff == pytest.approx(24 / 17)
    n = 8 * (2.3646 / 3.1824) ** 2 / (24 / 17)
    assert clopper_pearson(n / 2, n) == pytest.approx((result.low, result.high), abs=1e-4)


@given(st.integers(2, 20), st.integers(1, 12), st.data())
def test_no_errors_is_the_best_there_is(clusters: int, size: int, data: st.DataObject) -> None:
    errors = data.draw(st.lists(st.integers(0, size), min_size=clusters, max_size=clusters))
    none = clustered_rate([0] * clusters, [size] * clusters, nothing="none")
    some = clustered_rate(errors, [size] * clusters, nothing="none")
    assert isinstance(none, Estimate)
    assert isinstance(some, Estimate)
    assert none.high <= some.high


def test_one_error_says_little_about_clusters() -> None:
    """From the data alone one error among 120 outputs would make the design effect 1."""
    result = clustered_rate([1] + [0] * 11, [10] * 12, nothing="none")
    assert isinstance(result, ClusteredEstimate)
    assert 4 < result.deff < 10


def test_clusters_widen_the_interval() -> None:
    errors, items = _clusters()
    wide = clustered_rate(errors, items, nothing="none")
    narrow = rate(int(errors.sum()), int(items.sum()), nothing="none")
    assert isinstance(wide, Estimate)
    assert isinstance(narrow, Estimate)
    assert wide.low < narrow.low
    assert wide.high > narrow.high


@pytest.mark.parametrize("err", [0, 3])
def test_when_none_or_all_err_each_cluster_counts_as_one_item(err: int) -> None:
    """Ten clusters of three: deff 3, so n/deff is 10; t quantiles 2.0452 (29) and 2.2622 (9)."""
    result = clustered_rate([err] * 10, [3] * 10, nothing="none")
    assert isinstance(result, Estimate)
    effective = 10 * (2.0452 / 2.2622) ** 2
    end = 0.025 ** (1 / effective)
    expected = (0.0, 1 - end) if err == 0 else (end, 1.0)
    assert expected == pytest.approx((result.low, result.high), abs=1e-4)


def test_weighted_cluster_size_where_clusters_differ() -> None:
    """Sizes 1, 1 and 4: Σsize²/Σsize = 18/6 = 3."""
    rows = np.array([[0, 1], [0, 1], [0, 4]], dtype=float)
    assert design_effect(rows, np.array([1 / 6, 0.0])) == pytest.approx(3.0)


def test_clusters_of_one_are_no_clusters() -> None:
    assert rate(3, 12, nothing="") == clustered_rate([1] * 3 + [0] * 9, [1] * 12, nothing="")


def test_clusters_without_items_do_not_count_as_clusters() -> None:
    errors, items = _clusters()
    padded = clustered_rate([*errors, 0, 0], [*items, 0, 0], nothing="none")
    assert clustered_rate(errors, items, nothing="none") == padded


def test_one_cluster_gives_no_interval_and_says_so() -> None:
    result = clustered_rate([2], [5], nothing="none")
    assert isinstance(result, Undefined)
    assert (result.k, result.n) == (2, 5)
    assert "cluster" in result.reason
    assert Undefined("none", 0, 0) == clustered_rate([0, 0], [0, 0], nothing="none")


@pytest.mark.parametrize(
    ("errors", "items"), [([3], [2]), ([1, 2], [3]), ([0.5, 1], [2, 2]), ([-1, 1], [2, 2])]
)
def test_clustered_rate_refuses_impossible_counts(errors: list[int], items: list[int]) -> None:
    with pytest.raises(InputError):
        clustered_rate(errors, items, nothing="none")


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=20))
def test_clustered_interval_holds_its_value_whatever_the_clusters(
    pairs: list[tuple[int, int]],
) -> None:
    errors = [min(pair) for pair in pairs]
    items = [max(pair) for pair in pairs]
    result = clustered_rate(errors, items, nothing="none")
    if isinstance(result, Estimate):
        assert 0 <= result.low <= result.value <= result.high <= 1
    if isinstance(result, ClusteredEstimate):
        assert 1 <= result.deff <= max(items)


# --- figures of several cells ---------------------------------------------------------------


def test_composite_of_a_share_matches_the_beta_quantiles() -> None:
    """A cell's share under Dirichlet(½) draws is Beta(k + ½, n - k + ½): 5 of 20 here."""
    from scipy.stats import beta

    result = composite([5, 15], lambda c: c[..., 0] / c.sum(-1), reason="none")
    assert isinstance(result, Estimate)
    assert result.value == 0.25
    assert beta(5.5, 15.5).ppf([0.025, 0.975]) == pytest.approx([result.low, result.high], abs=0.01)


def test_composite_is_the_same_every_time() -> None:
    first = composite([50, 8, 10, 32], kappa_of_cells, reason="none")
    assert first == composite([50, 8, 10, 32], kappa_of_cells, reason="none")


def test_composite_without_a_value_gives_the_reason() -> None:
    assert Undefined("one class", None, 9) == composite(
        [9, 0, 0, 0], kappa_of_cells, reason="one class"
    )
    assert Undefined("none", None, 0) == composite([0, 0, 0, 0], kappa_of_cells, reason="none")


@settings(deadline=None)
@given(st.tuples(*[st.integers(0, 40)] * 4))
def test_kappa_interval_holds_kappa_and_stays_in_its_range(cells: tuple[int, ...]) -> None:
    result = composite(cells, kappa_of_cells, reason="none")
    if isinstance(result, Estimate):
        assert -1 <= result.low <= result.value <= result.high <= 1


# --- coverage -------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.parametrize(
    ("n", "shares"),
    [
        (12, (0.6, 0.1, 0.1, 0.2)),
        (20, (0.85, 0.03, 0.07, 0.05)),
        (30, (0.92, 0.02, 0.03, 0.03)),
        (30, (0.4, 0.1, 0.1, 0.4)),
    ],
)
def test_kappa_is_covered_near_95_percent(n: int, shares: tuple[float, ...]) -> None:
    """Every table of n is enumerated; one class in both raters has no interval, so is left out."""
    from scipy.stats import multinomial

    tables = np.array(
        [
            (a, b, c, n - a - b - c)
            for a in range(n + 1)
            for b in range(n + 1 - a)
            for c in range(n + 1 - a - b)
        ]
    )
    truth = float(kappa_of_cells(np.array(shares)))
    chances = multinomial.pmf(tables, n, shares)
    covered = defined = 0.0
    for table, chance in zip(tables, chances, strict=True):
        result = composite(table, kappa_of_cells, reason="none") if chance > 1e-7 else None
        if isinstance(result, Estimate):
            defined += chance
            covered += chance * (result.low <= truth <= result.high)
    assert covered / defined >= 0.94
