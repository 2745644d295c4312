"""Which outputs are drawn next, with what chance; repeats and the practice round."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.labelling.draw import APART, EVERY, Stratum, draw, practice_round, strata, with_repeats
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN

R, P, F = Stratum.RANDOM, Stratum.PASSED, Stratum.FAILED
U, S, N = Stratum.UNKNOWN, Stratum.SPLIT, Stratum.UNJUDGED


def codes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int8)


def test_strata_of_two_judges() -> None:
    """The newest judge speaks; where it is silent the older one; pass against fail is a split."""
    newest = codes(PASS, FAIL, UNKNOWN, MISSING, PASS, MISSING, UNKNOWN)
    older = codes(PASS, MISSING, PASS, FAIL, FAIL, MISSING, FAIL)
    assert strata([newest, older]) == [P, F, U, F, S, N, U]
    assert strata([newest])[:4] == [P, F, U, N]
    assert strata([]) == []


def outputs(**sizes: int) -> dict[int, Stratum]:
    kinds = [Stratum(kind) for kind, n in sizes.items() for _ in range(n)]
    return dict(enumerate(kinds, start=1))


def test_a_random_stratum_comes_first_then_balanced_then_unknown_then_splits_then_the_rest() -> (
    None
):
    known = outputs(passed=70, failed=10, unknown=5, split=5, unjudged=10)
    found = draw(100, known, {}, random_size=20, seed="s")
    assert [d.stratum for d in found[:20]] == [R] * 20
    assert {d.probability for d in found[:20]} == {0.2}
    rest = [known[d.output_id] for d in found[20:]]
    assert [d.stratum for d in found[20:]] == rest
    both = 2 * rest.count(F)
    assert Counter(rest[:both]) == {P: both // 2, F: both // 2}
    order = [U] * rest.count(U) + [S] * rest.count(S)
    order += [P] * (rest.count(P) - both // 2) + [N] * rest.count(N)
    assert rest[both:] == order
    assert {d.probability for d in found[20:]} == {1.0}  # all of every stratum is drawn


def test_the_chance_is_the_part_of_the_stratum_drawn_so_far() -> None:
    """60 passed and 40 failed, none at random but 10: then 10 + 10 of what is left of each."""
    known = outputs(passed=60, failed=40)
    first = draw(10, known, {}, random_size=10, seed="s")
    drawn = {d.output_id: d.stratum for d in first}
    left = Counter(known[o] for o in known if o not in drawn)
    second = draw(20, known, drawn, random_size=10, seed="s")
    assert {(d.stratum, d.probability) for d in second} == {(P, 10 / left[P]), (F, 10 / left[F])}
    drawn |= {d.output_id: d.stratum for d in second}
    third = draw(2, known, drawn, random_size=10, seed="s")
    assert {(d.stratum, d.probability) for d in third} == {(P, 11 / left[P]), (F, 11 / left[F])}


@pytest.mark.parametrize(("size", "judged"), [(None, True), (5, False)])
def test_all_at_random_without_a_size_or_without_a_verdict(size: int | None, judged: bool) -> None:
    known = outputs(passed=50, failed=50) if judged else outputs(unjudged=100)
    found = draw(25, known, {}, random_size=size, seed="s")
    assert {(d.stratum, d.probability) for d in found} == {(R, 0.25)}
    again = draw(25, known, {d.output_id: R for d in found}, random_size=size, seed="s")
    assert {(d.stratum, d.probability) for d in again} == {(R, 0.5)}
    assert not {d.output_id for d in found} & {d.output_id for d in again}


def test_the_random_stratum_is_uniform_whatever_the_judge_said() -> None:
    """Over 400 seeds 20 of 100 outputs are drawn; 30 of them are failed: 6 a draw on average."""
    known = outputs(passed=70, failed=30)
    hits = [
        sum(known[d.output_id] is F for d in draw(20, known, {}, random_size=20, seed=str(seed)))
        for seed in range(400)
    ]
    # The mean of 400 hypergeometric draws: sd = sqrt(20*.3*.7*80/99/400) = 0.092.
    assert abs(np.mean(hits) - 6.0) < 4 * 0.092


@given(st.integers(1, 40), st.integers(0, 60), st.integers(0, 60), st.integers(1, 30), st.text())
def test_drawing_in_batches_draws_everything_once(
    batch: int, passed: int, failed: int, size: int, seed: str
) -> None:
    known = outputs(passed=passed, failed=failed)
    drawn: dict[int, Stratum] = {}
    while found := draw(batch, known, drawn, random_size=size, seed=seed):
        assert all(0 < d.probability <= 1 for d in found)
        assert not drawn.keys() & {d.output_id for d in found}
        drawn |= {d.output_id: d.stratum for d in found}
    assert drawn.keys() == known.keys()
    assert sum(s is R for s in drawn.values()) == min(size, len(known))


# --- repeats --------------------------------------------------------------------------------------


def test_one_repeat_comes_after_every_twenty_labels_and_far_enough_from_the_first_look() -> None:
    labelled, open_ = list(range(1, 201)), list(range(1001, 1401))
    found = with_repeats(open_, labelled, set(range(1, 11)), seed="ana")
    again = [at for at, (_, repeat) in enumerate(found) if repeat]
    assert len(again) == 400 // EVERY
    assert [o for o, repeat in found if not repeat] == open_
    assert all(o in labelled and o > 10 for o, repeat in found if repeat)
    assert len({o for o, repeat in found if repeat}) == len(again)
    for at in again:
        fresh = sum(not repeat for _, repeat in found[:at])
        assert len(labelled) + fresh - 1 - labelled.index(found[at][0]) >= APART
    assert found == with_repeats(open_, labelled, set(range(1, 11)), seed="ana")


def test_no_repeat_before_there_is_something_to_repeat() -> None:
    assert not any(again for _, again in with_repeats(range(1, 100), [], set(), seed="x"))
    # After 5 labels and 34 more, the five are 20 and more labels ago: one is met again.
    found = with_repeats(range(10, 45), [1, 2, 3, 4, 5], set(), seed="x")
    assert sum(again for _, again in found) == 2


def test_what_is_overdue_comes_spread_out() -> None:
    found = with_repeats(range(1000, 1100), list(range(1, 101)), set(), seed="x")
    at = [n for n, (_, again) in enumerate(found) if again]
    assert len(at) == 200 // EVERY
    assert all(b - a > EVERY // 2 for a, b in itertools.pairwise(at))


# --- the practice round ---------------------------------------------------------------------------


def test_a_practice_round_has_both_answers_as_far_as_there_are() -> None:
    settled = {n: n <= 40 for n in range(1, 61)}
    found = practice_round(settled, seed="s")
    assert (len(found), sum(settled[o] for o in found)) == (10, 5)
    few = {1: True, 2: True, 3: True, 4: False}
    assert sorted(practice_round(few, seed="s")) == [1, 2, 3, 4]
    assert practice_round({}, seed="s") == []
    lopsided = {n: n > 2 for n in range(1, 61)}
    assert sum(not lopsided[o] for o in practice_round(lopsided, seed="s")) == 2


def test_what_was_practised_stays_in_the_round() -> None:
    settled = {n: n % 2 == 0 for n in range(1, 61)}
    found = practice_round(settled, [7, 99], seed="s")
    assert found[:2] == [7, 99]
    assert len(found) == len(set(found)) == 10
    # 99 is settled no longer; what was answered stays answered.
    assert set(found[2:]) < set(settled)


def test_the_order_of_a_practice_round_does_not_tell_the_answers() -> None:
    """Over 200 seeds a pass stands in the first place about as often as in the second."""
    settled = {n: n <= 50 for n in range(1, 101)}
    rounds = [practice_round(settled, seed=str(seed)) for seed in range(200)]
    first = sum(settled[r[0]] for r in rounds)
    alike = sum(settled[r[0]] == settled[r[1]] for r in rounds)
    assert 70 < first < 130  # 100 expected, sd 7
    assert 55 < alike < 125  # 4/9 of 200 expected, sd 7
