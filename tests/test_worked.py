"""The calculator's figures, the worked examples, and what counts of a measured run say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.attempts import break_even_r, correlated_pass_at, next_after_failures
from core.statistics.counts import Counts
from core.statistics.interval import Estimate, Result, Undefined
from core.statistics.worked import CAP_MAX, Inputs, Sheet, correlation_for
from sample_data.worked_examples import EXAMPLES, INVOICES
from tests.reference import reference

part = st.floats(0, 1)
inputs = st.builds(
    Inputs, p=part, r=part, cap=st.integers(1, 6), critic=st.just(True), far=part, frr=part,
    damage=part,
) | st.builds(Inputs, p=part, r=part, cap=st.integers(1, 6))  # fmt: skip


def value(result: Result) -> float:
    assert isinstance(result, Estimate)
    return result.value


def sheet(example: str) -> Sheet:
    return Sheet(EXAMPLES[example].inputs)


def test_it_opens_on_three_tries_at_40_percent() -> None:
    assert next(iter(EXAMPLES)) == "three-tries"
    one = sheet("three-tries")
    assert one.calc.pass_at_k == pytest.approx(reference("a.pass_at_3").expected)
    assert one.calc.pass_hat_k == pytest.approx(reference("a.pass_hat_3").expected)
    assert one.envelope == pytest.approx(reference("a.envelope_3").expected)
    assert one.calc.break_even_r == pytest.approx(reference("a.break_even_r").expected)


@pytest.mark.parametrize("r", ["0.3", "0.4", "0.5"])
def test_repair_rate_examples(r: str) -> None:
    one = sheet(f"repair-{r[-1]}0")
    assert one.calc.loop.accepted == pytest.approx(reference(f"a.loop_accept_r{r}").expected)
    assert one.lead == pytest.approx({"0.3": -0.078, "0.4": 0, "0.5": 0.066}[r], abs=1e-12)


def test_cost_examples() -> None:
    code, critic = sheet("code-check"), sheet("model-critic")
    assert code.calc.loop.rounds == pytest.approx(reference("a.expected_rounds").expected)
    assert [end.accepted + end.unaccepted for end in code.ends] == pytest.approx(
        reference("a.exit_distribution").expected
    )
    assert code.calc.loop.calls_per_accepted == pytest.approx(
        reference("a.calls_per_accepted_code").expected
    )
    assert critic.calc.loop.calls_per_accepted == pytest.approx(
        reference("a.calls_per_accepted_critic").expected
    )
    assert critic.calc.loop.calls == pytest.approx(reference("a.expected_calls_2N_loop").expected)
    assert sheet("retries-code").calc.retry.rounds == pytest.approx(
        reference("a.retry_expected_attempts").expected
    )
    assert sheet("retries-code").calc.retry.calls_per_accepted == pytest.approx(
        reference("a.retry_calls_per_accepted").expected
    )
    assert sheet("retries-critic").calc.retry.calls_per_accepted == pytest.approx(
        reference("a.retry_calls_per_accepted_critic").expected
    )


@pytest.mark.parametrize(
    ("example", "entry"),
    [
        ("critic-60", "b.one_round_good0.6"),
        ("critic-95", "b.one_round_good0.95"),
        ("passes-everything", "b.pass_everything"),
    ],
)
def test_critic_examples(example: str, entry: str) -> None:
    one, expected = sheet(example), reference(entry).expected
    assert one.calc.loop.accepted == pytest.approx(expected["accepted"])
    assert one.calc.loop.precision == pytest.approx(expected["precision"])
    assert one.calc.loop.calls_per_accepted == pytest.approx(expected["calls_per_accepted"])
    if "sent_back" in expected:
        assert one.sent_back == pytest.approx(expected["sent_back"])
        assert one.calc.loop.sent_back_good_share == pytest.approx(expected["good_among_sent_back"])


@pytest.mark.parametrize("cap", range(1, 7))
def test_a_task_that_never_passes_makes_two_calls_a_round(cap: int) -> None:
    one = Sheet(replace(EXAMPLES["never-passes"].inputs, cap=cap))
    expected = reference(f"a.calls_never_passing_cap{cap}").expected
    assert one.most_calls == expected
    assert one.calc.loop.calls == pytest.approx(expected)


def test_invoices_by_formula_and_by_count() -> None:
    one, expected = sheet("invoices"), reference("a.invoice").expected
    assert one.calc.loop.accepted == pytest.approx(expected["loop_accepted"], abs=1e-5)
    assert one.calc.retry.accepted == pytest.approx(expected["retry_accepted"])
    assert one.calc.break_even_r == pytest.approx(
        reference("c.invoice_break_even").expected["retry_r_per_draw"]
    )
    counts = {
        "first_pass": INVOICES.first_pass, "loop_repair_share": INVOICES.rescue_share,
        "loop_accepted": INVOICES.loop_accepted, "retry_accepted": INVOICES.retry_accepted,
        "retry_share_of_failures": INVOICES.fresh_share, "precision": INVOICES.precision,
        "false_share_of_accepted": INVOICES.false_share,
        "precision_round1": INVOICES.precision_first,
        "precision_repaired": INVOICES.precision_rescued,
        "correct_of_all": INVOICES.correct_of_all,
    }  # fmt: skip
    for name, result in counts.items():
        assert value(result) == pytest.approx(expected[name]), name
    assert INVOICES.flagged == expected["flagged"]
    assert INVOICES.predicted_fresh_share == pytest.approx(
        expected["independent_formula_on_failures"]
    )
    per_round = reference("c.invoice_break_even").expected
    assert value(INVOICES.repair_rate) == pytest.approx(per_round["loop_r_per_round"])
    assert value(INVOICES.break_even) == pytest.approx(per_round["retry_r_per_draw"])
    assert (INVOICES.fresh_share.k, INVOICES.fresh_share.n) == (39, 60)


def test_each_extra_round_adds_less() -> None:
    sweep = reference("a.cap_sweep")
    found = {row.cap: row for row in sheet("repair-50").by_cap}
    for cap, (accepted, rounds, per_accepted) in zip(
        sweep.inputs["caps"], sweep.expected, strict=True
    ):
        if cap in found:
            assert found[cap].loop == pytest.approx(accepted)
            assert found[cap].rounds == pytest.approx(rounds)
            assert found[cap].calls_per_accepted == pytest.approx(per_accepted)
    assert set(found) == {1, 2, 3, 4, 5}


@given(inputs)
@settings(deadline=None, max_examples=60)
def test_every_task_ends_once_and_the_curve_goes_through_the_typed_r(one: Inputs) -> None:
    found = Sheet(one)
    assert sum(e.accepted + e.unaccepted for e in found.ends) == pytest.approx(1)
    assert all(e.unaccepted == 0 for e in found.ends[:-1])
    at = Sheet(replace(one, r=0.25))
    grid, curve = at.over_r(5)
    assert list(grid) == [0, 0.25, 0.5, 0.75, 1]
    assert curve[1] == pytest.approx(at.calc.loop.accepted_good)
    assert [k for k, *_ in found.tries()] == list(range(1, 7))
    assert found.tries()[one.cap - 1][1] == pytest.approx(found.calc.pass_at_k)


@given(st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.integers(2, 8))
@settings(deadline=None, max_examples=60)
def test_a_measured_fresh_share_comes_out_again(p: float, part_of: float, cap: int) -> None:
    """ρ is found from F, retries then accept p + (1 − p)·F, and break-even is its closed form."""
    independent = 1 - (1 - p) ** (cap - 1)
    fresh = part_of * independent
    rho = correlation_for(p, fresh, cap)
    assert (correlated_pass_at(p, rho, cap) - p) / (1 - p) == pytest.approx(fresh, abs=1e-9)
    found = Sheet(Inputs(p, 0.3, cap, fresh=fresh)).calc
    assert found.retry.accepted == pytest.approx(p + (1 - p) * fresh, abs=1e-6)
    assert found.break_even_r == pytest.approx(break_even_r(fresh, cap), abs=1e-5)
    assert found.break_even_r <= p


def test_the_spread_of_difficulty_behind_the_invoices() -> None:
    entry = reference("c.invoice_beta_binomial_fit")
    p, fresh = entry.inputs["first_pass"], entry.inputs["retry_share_of_failures_cap3"]
    rho = correlation_for(p, fresh, 3)
    assert rho == pytest.approx(entry.expected["rho"], abs=1e-9)
    total = 1 / rho - 1
    assert (total, p * total, (1 - p) * total) == pytest.approx(
        tuple(entry.expected[name] for name in ("s", "a", "b")), abs=1e-6
    )
    for failures in (1, 2):
        assert next_after_failures(p, rho, failures) == pytest.approx(
            entry.expected[f"next_given_{failures}fail"], abs=1e-9
        )


@pytest.mark.parametrize(
    ("one", "rescued"),
    [
        (Inputs(0.4, 0.5, 3), 0.64),  # 1 − 0.6²
        (Inputs(0.7, 0.5, 3, fresh=0.65), 0.65),
        (Inputs(0.6, 0.5, 3, critic=True, far=0.5, frr=0.1), 0.54 * 1.26),
        (Inputs(0.4, 0.5, 1), None),
        (Inputs(1.0, 0.5, 3), None),
        (Inputs(0.4, 0.5, 3, critic=True, far=1.0), None),  # nothing is sent back
    ],
)
def test_what_retries_rescue(one: Inputs, rescued: float | None) -> None:
    found = Sheet(one).rescued
    assert found == (None if rescued is None else pytest.approx(rescued, abs=1e-6))


def test_a_fresh_share_no_independent_draw_could_reach_is_refused() -> None:
    with pytest.raises(InputError, match=r"95.0% is more than independent draws rescue \(64.0%\)"):
        Sheet(Inputs(0.4, 0.5, 3, fresh=0.95))
    with pytest.raises(InputError, match="no first draft fails"):
        Sheet(Inputs(1.0, 0.5, 3, fresh=0.5))
    assert Sheet(Inputs(0.4, 0.5, 1, fresh=0.95)).rho == 0  # nothing is drawn again at cap 1
    assert correlation_for(0.4, 0.64, 3) == 0


def test_fresh_draws_that_rescue_nothing_leave_retries_at_one_draft() -> None:
    found = Sheet(Inputs(0.4, 0.5, 3, fresh=0.0)).calc
    assert (found.retry.accepted, found.pass_hat_k) == pytest.approx((0.4, 0.4))
    assert found.break_even_r == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("cap", [0, -1, CAP_MAX + 1])
def test_a_cap_out_of_range_is_refused(cap: int) -> None:
    with pytest.raises(InputError, match="cap"):
        Sheet(Inputs(0.4, 0.5, cap))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"tasks": 0}, "tasks"),
        ({"first": 201}, "201 is more than the 200 tasks"),
        ({"rescued": 61}, "61 is more than the 60 first-draft failures"),
        ({"redrawn": 61}, "61 is more than the 60 first-draft failures"),
        ({"wrong_first": 141}, "wrong first"),
        ({"wrong_rescued": 49}, "49 is more than the 48 tasks the loop rescued"),
        ({"first": -1}, "first"),
        ({"cap": 1}, "cap"),
    ],
)
def test_counts_that_contradict_each_other_are_refused(change: dict[str, int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        replace(INVOICES, **change)


def test_counts_without_failures_leave_rescue_undefined() -> None:
    all_pass = Counts(5, 5, 0, 0, 0, 0, 3)
    assert isinstance(all_pass.rescue_share, Undefined)
    assert isinstance(all_pass.break_even, Undefined)
    assert isinstance(Counts(5, 0, 0, 0, 0, 0, 3).precision, Undefined)
