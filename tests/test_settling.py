"""Agreement between reviewers, each against the others, the splits, and what they ask for."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.labelling.settling import (
    TENTATIVE,
    Agreement,
    Standing,
    by_disagreement,
    measure,
    splits,
)
from core.statistics.confusion import FAIL, MISSING, PASS
from core.statistics.interval import Estimate, Undefined

P, F, N = PASS, FAIL, MISSING
LABELS = Path(__file__).parents[1] / "sample_data" / "refund_reply" / "labels.csv"


def table(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.int8)


def refund(criterion: str) -> np.ndarray:
    """The refund sample's labels of a criterion: (outputs, Ana, Ben and Chloé)."""
    code = {"PASS": P, "FAIL": F, "UNSURE": N}
    found: dict[tuple[str, str], list[int]] = {}
    with LABELS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["criterion"] == criterion:
                codes = found.setdefault((row["sample_id"], row["trial"]), [N, N, N])
                codes[["Ana", "Ben", "Chloé"].index(row["reviewer"])] = code[row["verdict"]]
    return table(*found.values())


PEOPLE = ["Ana", "Ben", "Chloé"]
# Six outputs by three people. Ana and Ben share 1–5: PP, PF, FF, PP, PF.
SMALL = table([P, P, P], [P, F, F], [F, F, N], [P, P, F], [P, F, N], [N, N, P])


def test_pairs_by_hand() -> None:
    """Ana and Ben: 3 of 5 alike; rows 4 P 1 F, columns 2 P 3 F; kappa (15 - 11)/(25 - 11)."""
    ab, ac, bc = measure("tone", SMALL, PEOPLE).pairs
    assert (ab.first, ab.second, ab.same, ab.n) == ("Ana", "Ben", 3, 5)
    assert isinstance(ab.kappa, Estimate)
    assert ab.kappa.value == pytest.approx(4 / 14, abs=1e-12)
    assert ab.kappa.low <= ab.kappa.value <= ab.kappa.high
    assert (ac.same, ac.n, bc.same, bc.n) == (1, 3, 2, 3)
    # Ben and Chloé: PP FF PF, kappa (3·2 - (2·1 + 1·2))/(9 - 4).
    assert isinstance(bc.kappa, Estimate)
    assert bc.kappa.value == pytest.approx(2 / 5, abs=1e-12)


def test_two_people_who_share_nothing_have_no_kappa() -> None:
    [pair] = measure("tone", table([P, N], [N, F]), ["Ana", "Ben"]).pairs
    assert (pair.n, pair.same) == (0, 0)
    assert isinstance(pair.kappa, Undefined)
    assert "no item was rated by both" in pair.kappa.reason


def test_alpha_by_hand_over_outputs_with_two_labels() -> None:
    """Five paired outputs, 13 labels, 7 PASS and 6 FAIL.

    Coincidences on the diagonal: 3 (PPP) + 1 (PFF) + 2 (FF) + 1 (PPF) + 0 (PF) = 7;
    alpha = 1 - (13 - 1)(13 - 7)/(13² - 7² - 6²) = 1 - 72/84.
    """
    found = measure("tone", SMALL, PEOPLE)
    assert (found.paired, found.split) == (5, 3)
    assert isinstance(found.alpha, Estimate)
    assert found.alpha.value == pytest.approx(1 - 72 / 84, abs=1e-12)
    assert found.alpha.n == found.ac1.n == 5


def test_each_reviewer_against_the_majority_of_the_others() -> None:
    """Ana's others: 1 PP good; 2 FF bad; 3 F bad; 4 PF tie; 5 F bad; 6 is not hers."""
    ana, ben, chloe = measure("tone", SMALL, PEOPLE).against
    assert ana.reviewer == "Ana"
    # passes 1, 2 and 5, fails 3: of 3 bad she passes 2, of 1 good she fails none
    assert ana.confusion.cells == (1, 2, 0, 1)
    assert (ana.undecided, ana.alone) == (1, 0)
    assert ana.confusion.false_accept_rate.k == 2
    assert ana.confusion.false_accept_rate.n == 3
    # Ben's others: 1 PP, 2 PF tie, 3 F, 4 PF tie, 5 P
    assert ben.confusion.cells == (1, 0, 1, 1)
    assert ben.undecided == 2
    # Chloé's others: 1 PP, 2 PF tie, 4 PP, and 6 nobody else labelled
    assert chloe.confusion.cells == (1, 0, 1, 0)
    assert (chloe.undecided, chloe.alone) == (1, 1)
    assert isinstance(chloe.confusion.false_accept_rate, Undefined)


def test_a_reviewer_never_counts_as_gold_for_themself() -> None:
    """Alone with one's labels there is nothing to be measured against."""
    [ana] = measure("tone", table([P], [F]), ["Ana"]).against
    assert (ana.confusion.n, ana.alone) == (0, 2)


def test_splits_come_ties_first() -> None:
    assert splits(SMALL).tolist() == [4, 1, 3]


def test_no_labels_at_all() -> None:
    found = measure("tone", np.zeros((0, 0), dtype=np.int8), [])
    assert (found.paired, found.split, found.pairs, found.against) == (0, 0, (), ())
    assert found.standing is Standing.UNMEASURED
    assert found.says == "Not measured: let a second person label the same outputs."
    assert splits(np.zeros((0, 0), dtype=np.int8)).tolist() == []


def test_columns_and_names_must_fit() -> None:
    with pytest.raises(InputError, match="one column per reviewer"):
        measure("tone", SMALL, ["Ana", "Ben"])


def standing(low: float, high: float) -> Agreement:
    value = (low + high) / 2
    estimate = Estimate(value, low, high, None, 9)
    return Agreement("tone", 9, 2, estimate, estimate, (), ())


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.1, 0.6669, Standing.FIX),
        (0.1, TENTATIVE, Standing.OPEN),
        (0.6669, 0.9, Standing.OPEN),
        (TENTATIVE, 0.9, Standing.ENOUGH),
    ],
)
def test_the_whole_interval_decides(low: float, high: float, wanted: Standing) -> None:
    assert standing(low, high).standing is wanted


def test_the_bar_is_named_with_the_advice() -> None:
    said = standing(0.1, 0.5).says
    assert said.startswith("Fix the criterion before the judge: ")
    assert "0.667" in said
    assert "Krippendorff" in said
    assert "0.667" in standing(0.5, 0.9).says
    assert "0.667" in standing(0.7, 0.9).says


def test_one_label_for_everything_is_no_agreement_and_no_disagreement() -> None:
    found = measure("tone", table([P, P], [P, P]), ["Ana", "Ben"])
    assert isinstance(found.alpha, Undefined)
    assert found.says == "Everybody gave one and the same label, so alpha says nothing."


def test_the_sample_orders_its_criteria_by_disagreement() -> None:
    """Two criteria nobody disagrees on, two with splits; no interval lies below the bar."""
    keys = ["length", "refund", "tone", "next_step"]
    found = {key: measure(key, refund(key), PEOPLE) for key in keys}
    assert by_disagreement(found) == ["tone", "next_step", "length", "refund"]
    assert [found[key].split for key in keys] == [0, 0, 8, 9]
    assert [found[key].paired for key in keys] == [90, 90, 88, 88]
    assert [found[key].standing for key in keys] == [Standing.ENOUGH] * 2 + [Standing.OPEN] * 2


def test_coin_flippers_are_told_to_fix_the_criterion_and_come_first() -> None:
    rng = np.random.default_rng(3)
    coins = measure("coins", rng.integers(0, 2, (80, 3)).astype(np.int8), PEOPLE)
    assert coins.standing is Standing.FIX
    alike = measure("alike", np.repeat(rng.integers(0, 2, (80, 1)), 3, 1).astype(np.int8), PEOPLE)
    nobody = measure("nobody", np.full((80, 3), N, dtype=np.int8), PEOPLE)
    keyed = {"nobody": nobody, "alike": alike, "coins": coins}
    assert by_disagreement(keyed) == ["coins", "alike", "nobody"]


def test_outputs_of_one_sample_widen_the_intervals() -> None:
    """Each output twice is not twice as much known; the counts stay what they are."""
    once = refund("tone")
    twice = np.concatenate([once, once])
    samples = np.tile(np.arange(len(once)), 2)
    alone = measure("tone", once, PEOPLE).against[0].confusion.false_accept_rate
    naive = measure("tone", twice, PEOPLE).against[0].confusion.false_accept_rate
    aware = measure("tone", twice, PEOPLE, samples).against[0].confusion.false_accept_rate
    for one in (alone, naive, aware):
        assert isinstance(one, Estimate)
    assert aware.n == naive.n == 2 * alone.n
    assert naive.high < aware.high
    assert aware.high >= alone.high - 1e-9


@given(
    st.lists(st.lists(st.sampled_from([P, F, N]), min_size=3, max_size=3), min_size=1, max_size=30)
)
def test_reviewers_are_exchangeable_and_every_output_has_its_place(rows: list[list[int]]) -> None:
    """Swapping columns swaps results; every label is compared, undecided or alone."""
    codes = table(*rows)
    one = measure("c", codes, PEOPLE)
    other = measure("c", codes[:, ::-1], PEOPLE[::-1])
    assert one.alpha == other.alpha
    assert {a.reviewer: a.confusion.cells for a in one.against} == {
        a.reviewer: a.confusion.cells for a in other.against
    }
    for at, found in enumerate(one.against):
        labels = int(np.count_nonzero(codes[:, at] != N))
        assert found.confusion.n + found.undecided + found.alone == labels
    assert len(splits(codes)) == one.split
