import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.agreement import (
    PairAgreement,
    ac1,
    ac1_of_table,
    alpha,
    encode,
    kappa_of_table,
    pairwise,
)
from core.statistics.confusion import Confusion
from core.statistics.interval import Estimate, Undefined
from tests.reference import Reference, reference, references

ratings = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.integers(-1, 2), min_size=raters, max_size=raters), min_size=1, max_size=15
    )
)


def _table_as_ratings(table: list[list[int]]) -> np.ndarray:
    return np.array(
        [
            (row, column)
            for row, counts in enumerate(table)
            for column, times in enumerate(counts)
            for _ in range(times)
        ]
    )


def _value(result: object) -> float:
    assert isinstance(result, Estimate)
    assert result.low <= result.value <= result.high <= 1
    return result.value


@pytest.mark.parametrize("entry", references("d.kappa_"), ids=lambda entry: entry.id)
def test_published_kappas(entry: Reference) -> None:
    table = entry.inputs["table"]
    expected = entry.expected["kappa"]
    assert expected == pytest.approx(kappa_of_table(table), abs=1e-6)
    pair = pairwise(*_table_as_ratings(table).T)
    assert expected == pytest.approx(pair.kappa, abs=1e-6)
    assert entry.expected["po"] == pytest.approx(pair.agreement, abs=1e-6)


@pytest.mark.parametrize(
    "entry",
    [entry for entry in references("d.ac1_") if "table" in entry.inputs],
    ids=lambda entry: entry.id,
)
def test_published_ac1s_of_two_raters(entry: Reference) -> None:
    table = entry.inputs["table"]
    assert entry.expected == pytest.approx(ac1_of_table(table), abs=1e-6)
    assert entry.expected == pytest.approx(_value(ac1(_table_as_ratings(table))), abs=1e-6)


@pytest.mark.parametrize("entry", references("d.alpha_"), ids=lambda entry: entry.id)
def test_alphas_of_two_raters(entry: Reference) -> None:
    ratings = _table_as_ratings(entry.inputs["table"])
    assert entry.expected == pytest.approx(_value(alpha(ratings)), abs=1e-6)


@pytest.mark.parametrize("identity", ["d.krippendorff_3x15", "d.krippendorff_4x12"])
def test_published_alphas_with_missing_ratings(identity: str) -> None:
    entry = reference(identity)
    codes, _ = encode(entry.inputs["reliability_data"])
    assert entry.expected == pytest.approx(_value(alpha(codes)), abs=1e-6)


def test_published_ac1_with_missing_ratings() -> None:
    entry = reference("d.ac1_raw4")
    codes, categories = encode(entry.inputs["reliability_data"])
    result = ac1(codes)
    assert entry.expected["ac1"] == pytest.approx(_value(result), abs=1e-6)
    assert reference("d.ac1_raw4_hand").expected == pytest.approx(_value(result), abs=1e-9)
    assert (result.n, sorted(categories, key=str)) == (11, [1, 2, 3, 4, 5])


def test_items_with_one_rating_do_not_count_as_agreement() -> None:
    """Four items, two of them rated by both: 1 of 2 agree, not 3 of 4."""
    ana, ben = ["P", "P", None, "F"], ["F", None, "F", "F"]
    codes, _ = encode([ana, ben])
    pair = pairwise(*codes.T)
    assert (pair.n, pair.agreement) == (2, 0.5)
    assert 2 == alpha(codes).n == ac1(codes).n
    # the two pairable items hold P F and F F: alpha = 1 - 3·2/(16 - 1 - 9) = 0
    assert _value(alpha(codes)) == pytest.approx(0.0, abs=1e-12)


def test_single_ratings_leave_alpha_as_it_is() -> None:
    both = [[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]]
    assert alpha(both) == alpha([*both, [1, -1], [-1, 0], [-1, -1]])


def test_a_hand_worked_alpha() -> None:
    """Items aa, ab, bb: m = 6, m_a = m_b = 3, Σo_cc = 4, so 1 - 5·2/(36 - 18) = 4/9."""
    assert _value(alpha([[0, 0], [0, 1], [1, 1]])) == pytest.approx(4 / 9, abs=1e-12)


def test_words_are_compared_as_they_stand() -> None:
    codes, categories = encode([["yes", "no ", None], ["yes", "no", "Yes"]])
    assert categories == ["yes", "no ", "no", "Yes"]
    assert codes.tolist() == [[0, 0], [1, 2], [-1, 3]]


def test_one_category_only_is_undefined_with_a_reason() -> None:
    same = [[1, 1], [1, 1], [1, -1]]
    for result in (alpha(same), ac1(same)):
        assert isinstance(result, Undefined)
        assert "one category" in result.reason
        assert result.n == 2
    pair = pairwise([1, 1, 1], [1, 1, -1])
    assert pair.agreement == 1.0
    assert isinstance(pair.kappa, Undefined)
    assert pair.to_json() == {"n": 2, "agreement": 1.0, "kappa": None}
    assert isinstance(ac1_of_table([[7]]), Undefined)
    assert isinstance(kappa_of_table([[7, 0], [0, 0]]), Undefined)
    # a table says which categories there are, so AC1 has its chance agreement: none
    assert ac1_of_table([[7, 0], [0, 0]]) == 1.0


@pytest.mark.parametrize("nobody", [[[0, -1], [-1, 1]], [[-1, -1]], np.zeros((0, 2), int)])
def test_no_item_rated_twice_is_undefined(nobody: object) -> None:
    for result in (alpha(nobody), ac1(nobody)):  # type: ignore[arg-type]
        assert Undefined("not measured: no item has two ratings", None, 0) == result
    assert isinstance(kappa_of_table([[0, 0], [0, 0]]), Undefined)
    assert isinstance(ac1_of_table([[0, 0], [0, 0]]), Undefined)


def test_nobody_in_common_is_undefined() -> None:
    pair = pairwise([0, -1], [-1, 1])
    assert pair.to_json() == {"n": 0, "agreement": None, "kappa": None}


def test_a_constant_rater_has_kappa_zero_without_a_minus_sign() -> None:
    assert repr(kappa_of_table([[18, 0], [2, 0]])) == "0.0"
    assert repr(pairwise([0] * 18 + [1] * 2, [0] * 20).kappa) == "0.0"


@pytest.mark.parametrize("wrong", [["a", "b"], [0.0, 1.0], [0, -2], [[0, 1]]])
def test_what_is_no_code_is_refused(wrong: list[object]) -> None:
    with pytest.raises(InputError):
        pairwise(wrong, [0, 1])


def test_uneven_raters_and_tables_are_refused() -> None:
    with pytest.raises(InputError):
        encode([["a"], ["a", "b"]])
    with pytest.raises(InputError):
        pairwise([0, 1], [0])
    with pytest.raises(InputError):
        alpha([0, 1])
    for table in ([[1, 2]], [[1, -2], [0, 1]], [[0.5, 1], [1, 1]]):
        with pytest.raises(InputError):
            kappa_of_table(table)


def test_two_raters_two_categories_use_the_rule_of_the_four_cells() -> None:
    """Items patterns weigh as Dirichlet(½) cells: AC1 has nearly the interval of `Confusion`."""
    ours = ac1(_table_as_ratings([[50, 10], [8, 32]]))
    cells = Confusion(50, 8, 10, 32).ac1
    assert isinstance(ours, Estimate)
    assert isinstance(cells, Estimate)
    assert (cells.low, cells.high) == pytest.approx((ours.low, ours.high), abs=0.01)


def test_full_agreement_still_has_an_interval() -> None:
    for figure in (alpha, ac1):
        result = figure([[0, 0, 0]] * 6 + [[1, 1, 1]] * 4)
        assert isinstance(result, Estimate)
        assert 1.0 == result.value == result.high
        assert result.low < 0.95


def test_the_interval_does_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _table_as_ratings([[5, 2, 1], [0, 8, 0], [2, 1, 5]])
    whole = alpha(rows)
    monkeypatch.setattr("core.statistics.agreement._BLOCK", 100)
    assert whole == alpha(rows)


@settings(deadline=None)
@given(ratings)
def test_raters_and_items_may_come_in_any_order(rows: list[list[int]]) -> None:
    codes = np.array(rows)
    for figure in (alpha, ac1):
        first, second = figure(codes), figure(codes[::-1, ::-1])
        assert first == second


@settings(deadline=None)
@given(ratings)
def test_figures_stay_in_range_and_in_their_interval(rows: list[list[int]]) -> None:
    for figure in (alpha, ac1):
        result = figure(rows)
        if isinstance(result, Estimate):
            assert result.low <= result.value <= result.high <= 1 + 1e-12


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=30))
def test_kappa_ignores_swapped_raters_and_renamed_categories(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    first = pairwise(a, b)
    assert _same(first, pairwise(b, a))
    renamed = np.array([9, 4, 2, 7])
    assert _same(first, pairwise(np.where(a < 0, -1, renamed[a]), np.where(b < 0, -1, renamed[b])))


def _same(one: PairAgreement, other: PairAgreement) -> bool:
    return one.to_json() == pytest.approx(other.to_json(), abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40))
def test_kappa_matches_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    a, b = np.array(pairs).T
    ours = pairwise(a, b).kappa
    if not isinstance(ours, Undefined):
        assert cohen_kappa_score(a, b) == pytest.approx(ours, abs=1e-9)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("items", "raters", "good", "slip", "missing"),
    [(30, 3, 0.5, 0.1, 0.2), (30, 2, 0.95, 0.03, 0.0), (50, 3, 0.9, 0.05, 0.1)],
)
def test_intervals_cover_near_95_percent(
    items: int, raters: int, good: float, slip: float, missing: float
) -> None:
    rng = np.random.default_rng(5)

    def draw(n: int) -> np.ndarray:
        truth = rng.random(n) < good
        rated = (truth[:, None] ^ (rng.random((n, raters)) < slip)).astype(int)
        rated[rng.random((n, raters)) < missing] = -1
        return rated

    population = draw(400_000)
    for figure in (alpha, ac1):
        truth = _value(figure(population))
        results = [figure(draw(items)) for _ in range(600)]
        known = [r for r in results if isinstance(r, Estimate)]
        assert np.mean([r.low <= truth <= r.high for r in known]) >= 0.91
