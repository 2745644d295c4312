import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN, Confusion, count
from core.statistics.interval import Estimate, Undefined, rate
from tests.reference import reference

P, F, U, M = PASS, FAIL, UNKNOWN, MISSING
RATES = ("false_accept_rate", "false_reject_rate", "precision", "accuracy")
ALL = (*RATES, "kappa", "ac1", "accept_share", "base_rate", "always_pass_accuracy")

codes = st.sampled_from([P, F, U, M])
cells = st.tuples(*[st.integers(0, 30)] * 4)


def _codes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int8)


def _value(result: object) -> float:
    assert isinstance(result, Estimate)
    return result.value


def test_a_judge_that_passes_everything_is_not_called_good() -> None:
    """18 good and 2 bad outputs, all passed: agreement 90 %, kappa 0, every bad one accepted."""
    confusion = count(_codes(*[P] * 18, F, F), _codes(*[P] * 20))
    assert confusion.says == "passes everything"
    assert (
        _value(confusion.accuracy), confusion.accuracy.k, confusion.accuracy.n
    ) == (0.9, 18, 20)  # fmt: skip
    assert _value(confusion.always_pass_accuracy) == 0.9
    assert repr(_value(confusion.kappa)) == "0.0"
    far, frr = confusion.false_accept_rate, confusion.false_reject_rate
    assert isinstance(far, Estimate)
    assert isinstance(frr, Estimate)
    assert (far.value, far.k, far.n, far.high) == (1.0, 2, 2, 1.0)
    assert far.low == pytest.approx(0.158, abs=5e-4)
    assert (frr.value, frr.k, frr.n, frr.low) == (0.0, 0, 18, 0.0)
    assert frr.high == pytest.approx(0.185, abs=5e-4)


def test_a_judge_that_fails_everything() -> None:
    confusion = count(_codes(P, P, F), _codes(F, U, F))
    assert confusion.says == "fails everything"
    assert repr(_value(confusion.kappa)) == "0.0"
    assert Undefined("not measured: the judge accepted nothing", 0, 0) == confusion.precision
    assert _value(confusion.false_reject_rate) == 1.0


def test_pairs_without_two_verdicts_are_left_out_of_both_parts_of_kappa() -> None:
    """N = 6 of 8, agreement 4/6, kappa 1/3; not .20 or .25 with the two counted somehow."""
    human, judge = _codes(P, P, F, F, P, F, P, F), _codes(P, F, F, F, M, P, P, M)
    confusion = count(human, judge)
    assert (confusion.n, confusion.unlabelled, confusion.unscored) == (6, 0, 2)
    assert _value(confusion.accuracy) == pytest.approx(4 / 6)
    assert _value(confusion.kappa) == pytest.approx(1 / 3, abs=1e-12)


def test_missing_gold_counts_as_unlabelled_first() -> None:
    confusion = count(_codes(M, M, U, U, P, F), _codes(M, P, F, M, M, U))
    assert (confusion.n, confusion.unlabelled, confusion.unscored) == (1, 4, 1)
    assert confusion.cells == (0, 0, 0, 1)
    assert (confusion.unknown_good, confusion.unknown_bad) == (0, 1)


def test_unknown_counts_as_fail_and_is_counted_beside_it() -> None:
    entry = reference("d.unknown_counts_as_fail")
    gold: list[int] = []
    judge: list[int] = []
    for name, truth in (("good", P), ("bad", F)):
        for word, code in (("PASS", P), ("FAIL", F), ("UNKNOWN", U)):
            times = entry.inputs["counts"][name][word]
            gold += [truth] * times
            judge += [code] * times
    confusion = count(_codes(*gold), _codes(*judge))
    expected = entry.expected
    assert confusion.cells == (50, 8, 10, 32)
    assert expected["FAR"] == pytest.approx(_value(confusion.false_accept_rate), abs=1e-6)
    assert expected["FRR"] == pytest.approx(_value(confusion.false_reject_rate), abs=1e-6)
    assert expected["precision"] == pytest.approx(_value(confusion.precision), abs=1e-6)
    assert expected["accuracy"] == pytest.approx(_value(confusion.accuracy), abs=1e-6)
    assert expected["kappa"] == pytest.approx(_value(confusion.kappa), abs=1e-6)
    assert expected["unknown_on_good"] == pytest.approx(confusion.unknown_good / confusion.good)
    assert expected["unknown_on_bad"] == pytest.approx(confusion.unknown_bad / confusion.bad)


def test_the_two_error_rates_keep_their_own_denominators() -> None:
    """Five outputs: with 0 = pass FRR is 1/2 and FAR 1/3; read the other way they swap."""
    label, prediction = [0, 0, 1, 1, 1], [0, 1, 1, 0, 1]
    zero_is_pass = count([1 - v for v in label], [1 - v for v in prediction])
    one_is_pass = count(label, prediction)
    assert (
        zero_is_pass.false_reject_rate.k, zero_is_pass.false_reject_rate.n,
        zero_is_pass.false_accept_rate.k, zero_is_pass.false_accept_rate.n,
    ) == (1, 2, 1, 3)  # fmt: skip
    assert (
        one_is_pass.false_reject_rate.k, one_is_pass.false_reject_rate.n,
        one_is_pass.false_accept_rate.k, one_is_pass.false_accept_rate.n,
    ) == (1, 3, 1, 2)  # fmt: skip


@pytest.mark.parametrize(
    ("four", "undefined"),
    [
        # true accept, false accept, false reject, true reject
        ((0, 0, 0, 0), set(ALL)),
        ((5, 0, 0, 0), {"false_accept_rate", "kappa"}),
        ((0, 5, 0, 0), {"false_reject_rate"}),
        ((0, 0, 5, 0), {"false_accept_rate", "precision"}),
        ((0, 0, 0, 5), {"false_reject_rate", "precision", "kappa"}),
        ((5, 5, 0, 0), set()),
        ((5, 0, 5, 0), {"false_accept_rate"}),
        ((0, 5, 0, 5), {"false_reject_rate"}),
        ((0, 0, 5, 5), {"precision"}),
        ((5, 0, 0, 5), set()),
        ((0, 5, 5, 0), set()),
        ((0, 5, 5, 5), set()),
        ((5, 0, 5, 5), set()),
        ((5, 5, 0, 5), set()),
        ((5, 5, 5, 0), set()),
        ((5, 5, 5, 5), set()),
    ],
)
def test_every_pattern_of_empty_cells(four: tuple[int, ...], undefined: set[str]) -> None:
    confusion = Confusion(*four)
    assert undefined == {name for name in ALL if isinstance(getattr(confusion, name), Undefined)}
    for name in undefined:
        assert getattr(confusion, name).reason


@pytest.mark.parametrize(
    ("confusion", "name", "reason"),
    [
        (Confusion(5, 0, 0, 0), "false_accept_rate", "not measured: no bad outputs labelled"),
        (Confusion(0, 0, 0, 5), "false_reject_rate", "not measured: no good outputs labelled"),
        (
            Confusion(0, 0, 0, 0, unscored=7),
            "false_accept_rate",
            "not measured: no bad outputs labelled and scored",
        ),
        (Confusion(0, 0, 0, 0, unlabelled=7), "kappa", "not measured: no outputs labelled"),
        (
            Confusion(5, 0, 0, 0),
            "kappa",
            "kappa is undefined: gold and judge both hold one class only",
        ),
    ],
)
def test_reasons_in_words(confusion: Confusion, name: str, reason: str) -> None:
    assert reason == getattr(confusion, name).reason


@pytest.mark.parametrize(
    ("four", "kappa", "ac1"),
    [
        ((10, 0, 0, 10), 1.0, 1.0),
        ((0, 10, 10, 0), -1.0, -1.0),
        ((5, 5, 5, 5), 0.0, 0.0),
        # all agree on one class: AC1 knows both classes, chance is 0
        ((10, 0, 0, 0), None, 1.0),
    ],
)
def test_kappa_and_ac1_at_the_ends(four: tuple[int, ...], kappa: float | None, ac1: float) -> None:
    confusion = Confusion(*four)
    assert ac1 == _value(confusion.ac1)
    if kappa is not None:
        assert kappa == _value(confusion.kappa)
    assert "-0.0" not in json.dumps(confusion.to_json())


@pytest.mark.parametrize("name", ["sas3", "abstractors"])
def test_binary_formulas_agree_with_the_general_table(name: str) -> None:
    """Cut a published 3×3 table to its first class against the rest, and compare both ways."""
    from core.statistics.agreement import ac1_of_table, kappa_of_table

    table = np.array(reference(f"d.kappa_{name}").inputs["table"])
    cut = np.add.reduceat(np.add.reduceat(table, [0, 2], axis=0), [0, 2], axis=1)
    (a, b), (c, d) = cut.tolist()
    confusion = Confusion(a, c, b, d)
    assert kappa_of_table(cut) == pytest.approx(_value(confusion.kappa), abs=1e-12)
    assert ac1_of_table(cut) == pytest.approx(_value(confusion.ac1), abs=1e-12)


def test_json_keys_in_their_fixed_order() -> None:
    data = Confusion(50, 8, 10, 32, 4, 6, 3, 2).to_json()
    assert list(data) == [
        "n", "left_out", "counts", "unknown", "false_accept_rate", "false_reject_rate",
        "precision", "accuracy", "kappa", "ac1",
    ]  # fmt: skip
    assert data["left_out"] == {"unlabelled": 3, "unscored": 2}
    assert data["counts"] == {
        "true_accept": 50, "false_accept": 8, "false_reject": 10, "true_reject": 32
    }  # fmt: skip
    assert data["unknown"] == {"good": 4, "bad": 6}
    assert json.loads(json.dumps(data, allow_nan=False)) == data


@pytest.mark.parametrize(
    "wrong",
    [
        ["1", "0", "1"],
        [1.0, 0.0, 1.0],
        [True, False, True],
        [1, 0, 3],
        [1, 0, -2],
        [[1, 0, 1]],
        [1],
    ],
)
def test_codes_of_another_kind_are_refused_not_found_unequal(wrong: list[object]) -> None:
    """Text "1" against number 1 would otherwise agree nowhere."""
    with pytest.raises(InputError):
        count(wrong, [1, 0, 1])
    with pytest.raises(InputError):
        count([1, 0, 1], wrong)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"true_accept": -1},
        {"unknown_good": 2},
        {"unknown_bad": 2},
        {"unscored": -3},
        {"true_accept": 1.5},
    ],
)
def test_impossible_cells_are_refused(kwargs: dict[str, int]) -> None:
    four = {"true_accept": 1, "false_accept": 1, "false_reject": 1, "true_reject": 1}
    with pytest.raises(InputError):
        Confusion(**{**four, **kwargs})


def test_no_pairs_at_all() -> None:
    confusion = count(_codes(), _codes())
    assert Confusion(0, 0, 0, 0) == confusion
    assert confusion.says is None


@settings(deadline=None)
@given(st.lists(st.tuples(codes, codes), max_size=60))
def test_every_pair_is_counted_exactly_once(pairs: list[tuple[int, int]]) -> None:
    confusion = count(_codes(*[g for g, _ in pairs]), _codes(*[j for _, j in pairs]))
    assert len(pairs) == confusion.n + confusion.unlabelled + confusion.unscored
    assert confusion.cells == (
        pairs.count((P, P)),
        pairs.count((F, P)),
        pairs.count((P, F)) + pairs.count((P, U)),
        pairs.count((F, F)) + pairs.count((F, U)),
    )
    assert (pairs.count((P, U)), pairs.count((F, U))) == (
        confusion.unknown_good,
        confusion.unknown_bad,
    )


@settings(deadline=None, max_examples=40)
@given(cells)
def test_rates_lie_in_their_interval(four: tuple[int, ...]) -> None:
    confusion = Confusion(*four)
    for name in ALL:
        result = getattr(confusion, name)
        if isinstance(result, Estimate):
            assert -1 <= result.low <= result.value <= result.high <= 1
            assert name in ("kappa", "ac1") or result.low >= 0


@settings(deadline=None, max_examples=40)
@given(cells)
def test_kappa_and_ac1_do_not_care_who_is_the_gold(four: tuple[int, ...]) -> None:
    a, b, c, d = four
    one, other = Confusion(a, b, c, d), Confusion(a, c, b, d)
    for name in ("kappa", "ac1"):
        first, second = getattr(one, name), getattr(other, name)
        assert type(first) is type(second)
        if isinstance(first, Estimate):
            assert first.value == pytest.approx(second.value, abs=1e-12)


@settings(deadline=None)
@given(cells)
def test_kappa_and_ac1_do_not_care_which_class_is_pass(four: tuple[int, ...]) -> None:
    a, b, c, d = four
    one, other = Confusion(a, b, c, d), Confusion(d, c, b, a)
    for name in ("kappa", "ac1"):
        first, second = getattr(one, name), getattr(other, name)
        if isinstance(first, Estimate):
            assert first.value == pytest.approx(second.value, abs=1e-12)


# --- clusters -------------------------------------------------------------------------------

GOLD = _codes(P, P, P, F, F, F, P, P, F, F, P, F, M, P)
JUDGE = _codes(P, P, P, F, F, F, F, F, P, P, P, F, P, M)
SAMPLE = ["a", "a", "a", "b", "b", "b", "c", "c", "d", "d", "e", "e", "f", "g"]


def test_clusters_change_the_intervals_and_nothing_else() -> None:
    plain, clustered = count(GOLD, JUDGE), count(GOLD, JUDGE, SAMPLE)
    assert plain == clustered
    assert (clustered.by_cluster.tolist() if clustered.by_cluster is not None else None) == [
        [3, 0, 0, 0],
        [0, 0, 0, 3],
        [0, 0, 2, 0],
        [0, 2, 0, 0],
        [1, 0, 0, 1],
    ]
    for name in ("false_accept_rate", "false_reject_rate", "accuracy", "kappa", "ac1"):
        one, other = getattr(plain, name), getattr(clustered, name)
        assert isinstance(one, Estimate)
        assert isinstance(other, Estimate)
        assert (one.value, one.k, one.n) == (other.value, other.k, other.n)
        assert other.low < one.low
        assert other.high > one.high


def test_every_pair_its_own_cluster_is_the_plain_result() -> None:
    plain, clustered = count(GOLD, JUDGE), count(GOLD, JUDGE, np.arange(len(GOLD)))
    assert plain.to_json() == clustered.to_json()


def test_all_bad_outputs_in_one_cluster_gives_no_interval() -> None:
    confusion = count(_codes(P, P, F, F), _codes(P, F, P, F), ["a", "b", "c", "c"])
    far = confusion.false_accept_rate
    assert isinstance(far, Undefined)
    assert (far.k, far.n) == (1, 2)
    assert "one cluster" in far.reason
    assert rate(1, 2, nothing="") == confusion.false_reject_rate


def test_one_cluster_gives_no_kappa_interval() -> None:
    confusion = count(_codes(P, P, F, F), _codes(P, F, P, F), ["a"] * 4)
    assert isinstance(confusion.kappa, Undefined)
    assert "one cluster" in confusion.kappa.reason


def test_cluster_names_must_match_the_pairs() -> None:
    with pytest.raises(InputError):
        count(GOLD, JUDGE, SAMPLE[:-1])
    with pytest.raises(InputError):
        Confusion(1, 0, 0, 0, by_cluster=np.array([[0, 1, 0, 0]]))


def test_perfect_agreement_in_clusters_counts_each_cluster_once() -> None:
    """Ten clusters of four equal outputs are worth about ten outputs, not forty."""
    gold = np.repeat(_codes(*[P, F] * 5), 4)
    clustered = count(gold, gold, np.repeat(np.arange(10), 4)).kappa
    forty, ten = count(gold, gold).kappa, count(gold[::4], gold[::4]).kappa
    assert isinstance(clustered, Estimate)
    assert isinstance(forty, Estimate)
    assert isinstance(ten, Estimate)
    assert clustered.low < ten.low < forty.low


def test_a_published_judge_against_the_majority_of_three_annotators() -> None:
    """PandaLM's test set, 999 pairs of replies: a judge against three annotators' majority.

    PASS is "the first reply is better"; 25 verdicts could not be read (arXiv 2306.05087; the cells
    are counted from the published labels).
    """
    gold = [PASS] * 416 + [FAIL] * 558 + [PASS] * 6 + [FAIL] * 19
    judge = [PASS] * 332 + [FAIL] * 84 + [PASS] * 128 + [FAIL] * 430 + [MISSING] * 25
    c = count(gold, judge)
    assert (332, 128, 84, 430) == c.cells
    assert 25 == c.unscored
    assert 0.229391 == pytest.approx(_value(c.false_accept_rate), abs=1e-6)
    assert 0.201923 == pytest.approx(_value(c.false_reject_rate), abs=1e-6)
    assert 0.561134 == pytest.approx(_value(c.kappa), abs=1e-6)
