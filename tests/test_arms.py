"""Loop against retries as measured: by hand, published counts, laws, simulated truth."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.arms import LOOP, RETRY, ArmName, Arms, Draft, measure
from core.statistics.comparison import Paired, mcnemar_exact, sign_flip_p
from core.statistics.interval import ClusteredEstimate, Estimate, Result, Undefined, rate
from core.statistics.planning import pairs_needed
from tests.reference import reference

VERDICT = {"P": True, "F": False, "?": None}


def drafts(task: str, arm: ArmName, verdicts: str, gold: str = "", trial: str = "") -> list[Draft]:
    """Return a trace from one letter per round: P passed, F failed, ? unscored or unlabelled."""
    return [
        Draft(task, arm, i, VERDICT[v], VERDICT[gold[i - 1]] if gold else None, trial=trial)
        for i, v in enumerate(verdicts, 1)
    ]


def arms(*tasks: tuple[str, str], gold: list[tuple[str, str]] | None = None) -> Arms:
    """Return arms of tasks given as (loop, retry)."""
    rows = []
    for i, (loop, retry) in enumerate(tasks):
        g = gold[i] if gold else ("", "")
        rows += drafts(f"t{i}", LOOP, loop, g[0]) + drafts(f"t{i}", RETRY, retry, g[1])
    return measure(rows, gold=gold is not None)


def count(result: Result) -> tuple[int | None, int]:
    return result.k, result.n


def test_one_draft_per_task_says_nothing_of_rescues() -> None:
    """0 of 2 rescued would read as if fresh draws had been tried."""
    found = arms(("P", "P"), ("FP", "F"), ("FF", "F"))
    assert found.fresh_share == Undefined("not measured: one draft per task", 0, 0)
    assert found.fresh_share.n == 0
    assert count(found.rescue_share) == (1, 2)
    assert arms(("F", "FP"), ("P", "P")).rescue_share == found.fresh_share
    level = arms(("P", "P"), ("P", "P"))
    assert level.fresh_share == Undefined("not measured: no first draft failed", 0, 0)


EXAMPLE = [("P", "P"), ("FP", "FFP"), ("FFP", "FFF"), ("FFF", "FP"), ("FFF", "FFF"), ("FF", "FFF")]


def test_every_figure_of_a_small_run_by_hand() -> None:
    found = arms(*EXAMPLE)
    assert (found.tasks, found.unpaired) == (6, 0)
    assert count(found.p1) == (1, 6)
    # round 2 was reached by five, one of which passed; round 3 by three (one stopped at 2)
    assert {2: (1, 5), 3: (1, 3)} == {n: count(r) for n, r in found.repair_rate.items()}
    assert count(found.rescue_share) == (2, 5)
    assert count(found.fresh_rate) == (1, 5)
    assert count(found.fresh_share) == (2, 5)
    assert found.rescue_share == rate(2, 5, nothing="")
    assert (found.loop.accepted, found.loop.accepted_good) == (3, None)
    assert found.loop.calls_per_accepted == pytest.approx(14 / 3)
    assert found.retry.calls_per_accepted == pytest.approx(15 / 3)
    assert found.paired == Paired(both=2, first_only=1, second_only=1, neither=2)
    assert found.winner is None
    assert (found.loop.by_round, found.retry.by_round) == ((1, 2, 3), (1, 2, 3))


def test_rows_after_the_first_pass_do_not_count() -> None:
    assert arms(("FPFP", "P")).to_json() == arms(("FP", "PFF")).to_json()


def test_json_keys_of_the_command() -> None:
    data = arms(*EXAMPLE).to_json()
    assert list(data) == [
        "tasks", "unpaired", "p1", "repair_rate", "rescue_share", "fresh_rate", "fresh_share",
        "loop", "retry", "paired", "winner",
    ]  # fmt: skip
    assert list(data["paired"]) == [  # type: ignore[call-overload]
        "both", "loop_only", "retry_only", "neither", "p_exact", "p_mid", "difference"
    ]  # fmt: skip
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["loop"] == {"accepted": 3, "accepted_good": None, "calls_per_accepted": 14 / 3}


def test_tasks_of_one_arm_alone_are_counted_and_in_no_figure() -> None:
    rows = [d for i, t in enumerate(EXAMPLE) for d in drafts(f"t{i}", LOOP, t[0])]
    rows += [d for i, t in enumerate(EXAMPLE) for d in drafts(f"t{i}", RETRY, t[1])]
    found = measure([*rows, *drafts("only", LOOP, "P"), *drafts("too", RETRY, "FF")])
    assert (found.tasks, found.unpaired) == (6, 2)
    assert found.p1 == arms(*EXAMPLE).p1


def test_with_gold_only_what_is_accepted_and_good_counts() -> None:
    found = arms(
        ("P", "P"), ("FP", "FFF"), ("FF", "FP"), gold=[("F", "F"), ("FP", "FFF"), ("FF", "F?")]
    )
    assert (found.loop.accepted, found.loop.accepted_good) == (2, 1)
    assert (found.retry.accepted, found.retry.accepted_good) == (2, 0)
    # the third pair has an accepted draft that nobody labelled
    assert found.without_gold == 1
    assert found.paired == Paired(both=0, first_only=1, second_only=0, neither=1)


def test_an_unscored_draft_is_in_no_rate_and_blocks_acceptance() -> None:
    found = arms(("?P", "P"), ("F?", "FP"), ("FP", "FF"))
    assert count(found.p1) == (0, 2)
    assert count(found.repair_rate[2]) == (1, 1)
    assert count(found.rescue_share) == (1, 2)
    assert found.loop.accepted == 2


def test_when_every_first_draft_passes_nothing_is_measured_of_repair() -> None:
    found = arms(("P", "P"), ("P", "P"))
    assert isinstance(found.rescue_share, Undefined)
    assert isinstance(found.fresh_share, Undefined)
    assert found.repair_rate == {}
    assert found.winner is None
    assert isinstance(found.more_tasks, Undefined)


def test_nothing_paired_is_undefined() -> None:
    found = measure(drafts("a", LOOP, "P"))
    assert isinstance(found.p1, Undefined)
    assert isinstance(found.difference, Undefined)
    assert isinstance(found.more_tasks, Undefined)
    assert json.dumps(found.to_json(), allow_nan=False)
    assert found.loop.calls_per_accepted is None


def test_the_worked_invoice_has_a_winner() -> None:
    """200 tasks, 140 pass at once; of 60 failures the loop rescues 48 and retries 39."""
    failed = [("FP", "FP")] * 36 + [("FP", "FFF")] * 12 + [("FFF", "FP")] * 3 + [("FFF", "FFF")] * 9
    found = arms(*[("P", "P")] * 140, *failed)
    assert (count(found.p1), count(found.rescue_share), count(found.fresh_share)) == (
        (140, 200), (48, 60), (39, 60)
    )  # fmt: skip
    assert found.paired.p_exact == pytest.approx(0.03515625)
    assert found.winner == LOOP
    assert found.more_tasks == 0


def test_curve_of_accepted_by_round_keeps_all_that_started() -> None:
    """Ten that gave up at round 2 stay in the denominator: .78, not the .82 of censoring them."""
    entry = reference("h.rounds_to_accept_curve")
    tasks = [("P", "P")] * 50 + [("FP", "P")] * 20 + [("FF", "P")] * 10
    tasks += [("FFP", "P")] * 8 + [("FFF", "P")] * 12
    loop = arms(*tasks).loop
    assert [n / loop.traces for n in loop.by_round] == pytest.approx(entry.expected["cumulative"])


def test_pairs_needed_is_the_published_number() -> None:
    entry = reference("g.mcnemar_sample_size")
    found = pairs_needed(entry.inputs["discordant"], entry.inputs["difference"])
    assert found == entry.expected["n"]
    with pytest.raises(InputError):
        pairs_needed(0.1, 0.2)


def test_about_how_many_more_tasks() -> None:
    """25 of 100 pairs differ, 17 to 8: Connor's number for .25 and .09, less the hundred."""
    cells = [("P", "P")] * 60 + [("P", "F")] * 17 + [("F", "P")] * 8 + [("F", "F")] * 15
    found = arms(*cells)
    assert found.winner is None
    assert found.more_tasks == pairs_needed(0.25, 0.09) - 100 == 140
    assert arms(*cells * 5).more_tasks == 0


@pytest.mark.parametrize(
    ("rows", "about"),
    [
        ([Draft("a", LOOP, 1, True), Draft("a", LOOP, 1, False)], "given twice"),
        ([Draft("a", LOOP, 1, False), Draft("a", LOOP, 3, True)], "round 2 is missing"),
        ([Draft("a", LOOP, 2, False)], "Number rounds from 1"),
        ([Draft("a", LOOP, 1, False), Draft("b", LOOP, 2, True)], "round 1 is missing"),
    ],
)
def test_rounds_that_do_not_add_up_are_refused(rows: list[Draft], about: str) -> None:
    with pytest.raises(InputError, match=about):
        measure(rows)


def test_rounds_may_count_from_0() -> None:
    rows = [Draft("a", arm, r, r == 1) for arm in (LOOP, RETRY) for r in (0, 1)]
    assert count(measure(rows).repair_rate[2]) == (1, 1)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(["P", "FP", "FFP", "FFF"]), st.sampled_from(["P", "FP", "FFF"])),
        min_size=1,
        max_size=30,
    )
)
def test_arms_swap_and_margins_add_up(tasks: list[tuple[str, str]]) -> None:
    found, other = arms(*tasks), arms(*[(b, a) for a, b in tasks])
    assert found.paired.first == found.loop.accepted == other.retry.accepted
    assert found.paired.second == found.retry.accepted
    assert found.loop.by_round[-1] == found.loop.accepted
    swap: dict[object, object] = {LOOP: RETRY, RETRY: LOOP, None: None}
    assert swap[found.winner] == other.winner


# --- several trials a task ------------------------------------------------------------------


@given(st.integers(0, 25), st.integers(0, 25))
def test_with_one_trial_the_sign_flip_test_is_mcnemars(b: int, c: int) -> None:
    assert sign_flip_p([(1, 1)] * b + [(-1, 1)] * c + [(0, 1)] * 3) == pytest.approx(
        mcnemar_exact(b, c)
    )


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(3, 5)), max_size=9))
def test_sign_flip_is_the_share_of_flips_at_least_as_far(gaps: list[tuple[int, int]]) -> None:
    means = np.array([d / n for d, n in gaps])
    sums = [
        abs(sum(s * m for s, m in zip(signs, means, strict=True)))
        for signs in product([1, -1], repeat=len(gaps))
    ]
    assert sign_flip_p(gaps) == pytest.approx(np.mean([s >= abs(means.sum()) - 1e-9 for s in sums]))


def test_odd_numbers_of_trials_are_sampled() -> None:
    gaps = [(1, n) for n in (7, 11, 13, 17, 19, 23)] * 3 + [(-1, 29)]
    assert 0 < sign_flip_p(gaps) < 0.001


def test_several_trials_make_clusters() -> None:
    rows = []
    for task, (loop, retry) in enumerate(EXAMPLE * 3):
        for trial in "ab":
            rows += drafts(f"t{task}", LOOP, loop, trial=trial)
            rows += drafts(f"t{task}", RETRY, retry, trial=trial)
    found = measure(rows)
    assert (found.tasks, found.paired.n, found.clustered) == (18, 36, True)
    assert isinstance(found.p1, ClusteredEstimate)
    assert count(found.p1) == (6, 36)
    assert isinstance(found.difference, Estimate)
    assert (found.difference.value, found.difference.n) == (pytest.approx(0.0), 18)
    assert found.winner is None


def test_a_clear_difference_over_trials_has_a_winner() -> None:
    rows = []
    for task in range(12):
        for trial in "abc":
            rows += drafts(f"t{task}", LOOP, "FP", trial=trial)
            rows += drafts(
                f"t{task}", RETRY, "FP" if (task + ord(trial)) % 3 == 0 else "FF", trial=trial
            )
    found = measure(rows)
    assert found.winner == LOOP
    assert found.p_sign_flip == pytest.approx(2 / 2**12)


# --- simulated truth ------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.parametrize(("repair", "level"), [(None, True), (0.5, False), (0.1, False)])
def test_a_definite_winner_is_seldom_wrong(repair: float | None, level: bool) -> None:
    """Tasks of Beta difficulty. Level arms: a winner in at most 5 %; else the right one, mostly."""
    rng = np.random.default_rng(47)
    winners = []
    for _ in range(200):
        rows = []
        for task, p in enumerate(rng.beta(0.8, 1.2, 300)):
            first = rng.random() < p
            r = p if repair is None else repair
            loop = (
                "P" if first else "F" + "".join("P" if rng.random() < r else "F" for _ in range(2))
            )
            retry = (
                "P" if first else "F" + "".join("P" if rng.random() < p else "F" for _ in range(2))
            )
            rows += drafts(str(task), LOOP, loop) + drafts(str(task), RETRY, retry)
        winners.append(measure(rows).winner)
    # of first-draft failures fresh draws rescue 45 %, repair at .5 75 % and at .1 19 %
    if level:
        assert sum(w is not None for w in winners) <= 0.05 * 200 + 6
    else:
        right = LOOP if repair == 0.5 else RETRY
        assert winners.count(right) >= 0.8 * 200
        assert sum(w not in (right, None) for w in winners) <= 0.05 * 200
