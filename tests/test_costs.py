import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.attempts import difficulty_nodes
from core.statistics.costs import (
    SOUND_CODE,
    Arm,
    Check,
    Flow,
    Spend,
    accepted_closed_form,
    affordable_rounds,
    calc,
    per_month,
    rounds_given_accepted,
    rounds_reached,
    run_loop,
    run_retry,
    single_shot,
    spend,
)
from tests.reference import Reference, reference, references

part = st.floats(0, 1)
caps = st.integers(1, 8)
checks = st.builds(
    Check, catches=part, misfires=part, passes_bad=part, rejects_good=part
) | st.builds(Check, critic=st.just(False), catches=part, misfires=part)


def _worked(identity: str) -> tuple[float, float, int]:
    inputs = reference(identity).inputs
    return inputs["p"], inputs.get("r", 0.0), inputs["cap"]


# --- the worked example: p = .4, r = .5, cap 3 ------------------------------------------------


def test_at_least_one_all_and_the_envelope_of_three_draws() -> None:
    result = calc(0.4, 0.5, 3)
    assert result.pass_at_k == pytest.approx(reference("a.pass_at_3").expected)
    assert result.pass_hat_k == pytest.approx(reference("a.pass_hat_3").expected)
    assert result.pass_at_k - result.pass_hat_k == pytest.approx(reference("a.envelope_3").expected)


@pytest.mark.parametrize("entry", references("a.loop_accept_"), ids=lambda entry: entry.id)
def test_share_the_loop_accepts(entry: Reference) -> None:
    p, r, cap = (entry.inputs[name] for name in ("p", "r", "cap"))
    assert calc(p, r, cap).loop.accepted == pytest.approx(entry.expected)
    assert accepted_closed_form(p, r, cap) == pytest.approx(entry.expected)


@pytest.mark.parametrize(
    ("identity", "critic", "arm", "figure"),
    [
        ("a.accepted", False, "loop", "accepted"),
        ("a.expected_rounds", False, "loop", "rounds"),
        ("a.expected_rounds", True, "loop", "rounds"),
        ("a.expected_calls_2N_loop", True, "loop", "calls"),
        ("a.calls_per_accepted_code", False, "loop", "calls_per_accepted"),
        ("a.calls_per_accepted_critic", True, "loop", "calls_per_accepted"),
        ("a.retry_expected_attempts", False, "retry", "rounds"),
        ("a.retry_calls_per_accepted", False, "retry", "calls_per_accepted"),
        ("a.retry_calls_per_accepted_critic", True, "retry", "calls_per_accepted"),
    ],
)
def test_figures_of_the_worked_example(identity: str, critic: bool, arm: str, figure: str) -> None:
    p, r, cap = _worked(identity)
    ours = getattr(getattr(calc(p, r, cap, critic=critic), arm), figure)
    assert ours == pytest.approx(reference(identity).expected, abs=1e-9)


def test_figures_as_people_print_them() -> None:
    code, critic = calc(0.4, 0.5, 3), calc(0.4, 0.5, 3, critic=True)
    shown = [
        code.pass_at_k, code.pass_hat_k, code.loop.rounds, code.loop.calls_per_accepted,
        critic.loop.calls_per_accepted, code.retry.calls_per_accepted,
        critic.retry.calls_per_accepted,
    ]  # fmt: skip
    assert [f"{x:.3g}" for x in shown] == ["0.784", "0.064", "1.9", "2.24", "4.47", "2.5", "5"]


def test_closed_forms_of_rounds() -> None:
    p, r, cap = _worked("a.exit_distribution")
    reached = rounds_reached(p, r, cap)
    left = [a - b for a, b in zip(reached, [*reached[1:], 0.0], strict=True)]
    assert left == pytest.approx(reference("a.exit_distribution").expected)
    assert rounds_given_accepted(p, r, cap) == pytest.approx(
        reference("a.calls_given_accepted").expected
    )
    assert rounds_given_accepted(0.0, 0.0, 3) is None


def test_cap_sweep() -> None:
    entry = reference("a.cap_sweep")
    for cap, row in zip(entry.inputs["caps"], entry.expected, strict=True):
        arm = calc(0.4, 0.5, cap).loop
        assert [arm.accepted, arm.rounds, arm.calls_per_accepted] == pytest.approx(row)


@pytest.mark.parametrize(
    "entry", references("a.calls_never_passing_cap"), ids=lambda entry: entry.id
)
def test_a_loop_that_never_passes_makes_two_calls_a_round(entry: Reference) -> None:
    assert calc(0.0, 0.0, entry.inputs["cap"], critic=True).loop.calls == entry.expected


def test_break_even_of_independent_draws_is_p() -> None:
    p, _, cap = _worked("a.break_even_r")
    assert calc(p, 0.5, cap).break_even_r == pytest.approx(p, abs=1e-9)


def test_draws_side_by_side_cost_all_of_them() -> None:
    expected = reference("a.parallel_retries").expected["calls_per_accepted"]
    assert 3 / calc(0.4, 0.5, 3).pass_at_k == pytest.approx(expected)


# --- a critic that errs -----------------------------------------------------------------------


@pytest.mark.parametrize("entry", references("b.one_round_"), ids=lambda entry: entry.id)
def test_one_round_under_a_critic(entry: Reference) -> None:
    arm = calc(entry.inputs["good"], 0.0, 1, critic=True, far=0.3, frr=0.1).loop
    expected = entry.expected
    assert arm.accepted == pytest.approx(expected["accepted"])
    assert arm.precision == pytest.approx(expected["precision"])
    assert arm.calls_per_accepted == pytest.approx(expected["calls_per_accepted"])
    assert 1 - arm.accepted == pytest.approx(expected["sent_back"])
    assert arm.sent_back_good_share == pytest.approx(expected["good_among_sent_back"])


def test_a_critic_that_passes_everything_doubles_the_calls_for_nothing() -> None:
    expected = reference("b.pass_everything").expected
    arm = calc(0.6, 0.0, 1, critic=True, far=1.0, frr=0.0).loop
    assert (arm.accepted, arm.precision, arm.calls_per_accepted) == (
        expected["accepted"], expected["precision"], expected["calls_per_accepted"]
    )  # fmt: skip
    assert arm.sent_back_good_share is None


@pytest.mark.parametrize("entry", references("b.multi_round_"), ids=lambda entry: entry.id)
def test_several_rounds_under_a_critic(entry: Reference) -> None:
    i, expected = entry.inputs, entry.expected
    arm = calc(
        i["good"], i["r"], i["cap"], critic=True, far=i["pass_bad"], frr=1 - i["pass_good"],
        damage=i["damage"],
    ).loop  # fmt: skip
    ours = [
        arm.accepted, arm.accepted_good, arm.precision, arm.rounds, arm.calls,
        arm.calls_per_accepted, arm.calls_per_good,
    ]  # fmt: skip
    assert ours == pytest.approx(list(expected.values()), abs=1e-9)


def test_calls_per_accepted_fall_as_the_critic_gets_worse() -> None:
    entry = reference("b.leniency_sweep")
    for far, *row in entry.expected:
        arm = calc(0.4, 0.5, 3, critic=True, far=far, frr=0.1, damage=0.1).loop
        ours = [
            arm.accepted, arm.precision, arm.rounds, arm.calls_per_accepted, arm.calls_per_good
        ]  # fmt: skip
        assert ours == pytest.approx(row, abs=1e-9)


def test_damage_at_which_the_loop_ships_no_more_good_outputs_than_no_loop() -> None:
    entry = reference("b.break_even_damage_95")
    flow = run_loop(0.95, 0.5, 3, Check(passes_bad=0.3, rejects_good=0.1), entry.expected)
    assert float(flow.accepted_good) == pytest.approx(0.95, abs=1e-9)


# --- the whole kernel -------------------------------------------------------------------------


def _as_reference(flow: Flow) -> list[float]:
    return [
        float(x)
        for x in (flow.accepted, flow.accepted_good, flow.generates, flow.critic_calls, flow.calls)
    ]


@pytest.mark.parametrize("entry", references("h.ladder_"), ids=lambda entry: entry.id)
def test_adding_one_thing_at_a_time(entry: Reference) -> None:
    i = entry.inputs
    check = Check(
        critic=i.get("use_critic", True), catches=i.get("s", 0.0),
        passes_bad=i.get("alpha", 0.0), rejects_good=i.get("beta", 0.0),
    )  # fmt: skip
    flow = run_loop(i["p"], i["r"], i["cap"], check, i.get("d", 0.0))
    assert _as_reference(flow) == pytest.approx(list(entry.expected.values()), abs=1e-9)


def test_the_matrix_form_of_the_kernel() -> None:
    entry = reference("h.compact_model_closed_form")
    i = entry.inputs
    check = Check(True, i["s"], i["f"], i["alpha"], i["beta"])
    flow = run_loop(i["p"], i["r"], i["cap"], check, i["d"])
    assert _as_reference(flow)[:4] == pytest.approx(list(entry.expected.values()), abs=1e-9)


def test_difficulty_classes() -> None:
    entry = reference("h.compact_model_mixture")
    i = entry.inputs
    weights, p, r = (np.array([c[name] for c in i["classes"]]) for name in ("weight", "p", "r"))
    check = Check(
        True, i["code_catches_bad"], i["code_fails_good"], i["critic_passes_bad"],
        i["critic_rejects_good"],
    )  # fmt: skip
    flow = run_loop(p, r, i["cap"], check, i["damage"]).mixed(weights)
    assert _as_reference(flow) == pytest.approx(list(entry.expected.values()), abs=1e-9)


@pytest.mark.parametrize("entry", references("h.retry_mixture_"), ids=lambda entry: entry.id)
def test_retries_of_tasks_that_differ(entry: Reference) -> None:
    i = entry.inputs
    weights, p = (np.array([c[name] for c in i["classes"]]) for name in ("weight", "p"))
    check = Check(
        critic=i.get("use_critic", True), catches=i.get("s", 0.0),
        passes_bad=i.get("alpha", 0.0), rejects_good=i.get("beta", 0.0),
    )  # fmt: skip
    flow = run_retry(p, i["cap"], check).mixed(weights)
    assert _as_reference(flow) == pytest.approx(list(entry.expected.values()), abs=1e-9)


@pytest.mark.parametrize("entry", references("c.retry_cost_"), ids=lambda entry: entry.id)
def test_retries_of_correlated_draws(entry: Reference) -> None:
    mean, rho, cap = (entry.inputs[name] for name in ("mu", "rho", "cap"))
    arm = calc(mean, 0.5, cap, rho=rho).retry
    assert [arm.accepted, arm.rounds, arm.calls_per_accepted] == pytest.approx(
        entry.expected, abs=1e-9
    )


def test_break_even_of_correlated_draws() -> None:
    entry = reference("c.break_even_r_correlated")
    ours = calc(entry.inputs["mu"], 0.5, entry.inputs["cap"], rho=entry.inputs["rho"])
    assert ours.break_even_r == pytest.approx(entry.expected, abs=1e-9)


def _walk(p: float, rates: list[float], check: Check, damage: float) -> list[float]:
    """The same model, one path at a time: every path of good and bad drafts is followed."""
    out = [0.0] * 4

    def follow(mass: float, good: bool, t: int) -> None:
        out[2] += mass
        seen = (1 - check.misfires) if good else (1 - check.catches)
        out[3] += mass * seen if check.critic else 0.0
        passes = (1 - check.rejects_good) if good else (check.passes_bad if check.critic else 1.0)
        out[0] += mass * seen * passes
        out[1] += mass * seen * passes if good else 0.0
        if t < len(rates):
            back = mass * (1 - seen * passes)
            becomes_good = 1 - damage if good else rates[t]
            follow(back * becomes_good, True, t + 1)
            follow(back * (1 - becomes_good), False, t + 1)

    follow(p, True, 0)
    follow(1 - p, False, 0)
    return out


@given(part, st.lists(part, max_size=4), checks, part)
@settings(deadline=None)
def test_the_kernel_equals_following_every_path(
    p: float, rates: list[float], check: Check, damage: float
) -> None:
    flow = run_loop(p, rates, len(rates) + 1, check, damage)
    assert _as_reference(flow)[:4] == pytest.approx(_walk(p, rates, check, damage), abs=1e-12)


@given(part, caps, checks)
@settings(deadline=None)
def test_retries_are_the_kernel_with_r_as_p_and_damage_as_its_rest(
    p: float, cap: int, check: Check
) -> None:
    retry, loop = run_retry(p, cap, check), run_loop(p, p, cap, check, 1 - p)
    assert _as_reference(retry) == pytest.approx(_as_reference(loop), abs=1e-12)


@given(part, part, caps, checks, part)
@settings(deadline=None)
def test_every_task_is_accepted_or_not_and_every_draft_too(
    p: float, r: float, cap: int, check: Check, damage: float
) -> None:
    flow = run_loop(p, r, cap, check, damage)
    assert float(flow.accepted + flow.unaccepted) == pytest.approx(1, abs=1e-12)
    assert float(flow.accepted + flow.sent_back) == pytest.approx(float(flow.generates), abs=1e-12)
    assert 1 - 1e-12 <= float(flow.generates) <= cap + 1e-12
    for value in vars(flow).values():
        assert float(value) >= 0


@given(part, part, caps)
@settings(deadline=None)
def test_a_sound_check_gives_the_closed_forms(p: float, r: float, cap: int) -> None:
    flow = run_loop(p, r, cap, SOUND_CODE)
    assert float(flow.accepted) == pytest.approx(accepted_closed_form(p, r, cap), abs=1e-12)
    assert float(flow.generates) == pytest.approx(sum(rounds_reached(p, r, cap)), abs=1e-12)


@given(part.filter(lambda p: p > 1e-6), caps)
@settings(deadline=None)
def test_a_retry_costs_one_over_p_per_accepted_whatever_the_cap(p: float, cap: int) -> None:
    flow = run_retry(p, cap)
    assert float(flow.calls / flow.accepted) == pytest.approx(1 / p)


def test_arrays_give_what_each_pair_gives() -> None:
    p, r = np.array([0.1, 0.4, 0.9]), np.array([[0.2], [0.7]])
    check = Check(True, 0.5, 0.02, 0.3, 0.1)
    flow = run_loop(p, r, 4, check, 0.15)
    assert flow.accepted.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            one = run_loop(p[j], r[i, 0], 4, check, 0.15)
            assert _as_reference(one) == pytest.approx(
                [x[i, j] for x in (flow.accepted, flow.accepted_good, flow.generates,
                                   flow.critic_calls, flow.calls)]
            )  # fmt: skip


def test_one_repair_rate_per_revision() -> None:
    """First .4, then .5, then .1: 1 - .6·.5·.9."""
    assert calc(0.4, [0.5, 0.1], 3).loop.accepted == pytest.approx(1 - 0.6 * 0.5 * 0.9)


# --- the calculator ---------------------------------------------------------------------------

KEYS = [
    "accepted", "accepted_good", "precision", "rounds", "calls", "calls_per_accepted",
    "calls_per_good", "sent_back_good_share",
]  # fmt: skip


def test_json_keys_in_their_fixed_order() -> None:
    data = calc(0.4, 0.5, 3, critic=True, far=0.3, frr=0.1).to_json()
    assert list(data) == [*KEYS, "retry", "pass_at_k", "pass_hat_k", "break_even_r"]
    assert list(data["retry"]) == KEYS  # type: ignore[call-overload]
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_nothing_accepted_has_no_precision_and_no_price() -> None:
    arm = calc(0.0, 0.0, 3).loop
    assert (arm.accepted, arm.precision, arm.calls_per_accepted, arm.calls_per_good) == (
        0.0, None, None, None
    )  # fmt: skip
    assert json.dumps(calc(0.0, 0.0, 3).to_json(), allow_nan=False)


def test_code_that_catches_part_and_a_critic_behind_it() -> None:
    expected = reference("h.ladder_code_then_critic").expected
    arm = calc(0.4, 0.5, 3, critic=True, far=0.3, frr=0.1, code_catches=0.5, damage=0.15).loop
    assert [arm.accepted, arm.accepted_good, arm.rounds, arm.calls] == pytest.approx(
        [expected["accepted"], expected["accepted_good"], expected["generate_calls"],
         expected["calls"]]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kwargs", "place"),
    [
        ({"p": 40}, "p"),
        ({"p": -0.1}, "p"),
        ({"p": math.nan}, "p"),
        ({"p": math.inf}, "p"),
        ({"p": "40%"}, "p"),
        ({"p": True}, "p"),
        ({"p": None}, "p"),
        ({"r": 1.5}, "r"),
        ({"r": "0.5"}, "r"),
        ({"r": [0.5]}, "r"),
        ({"r": [0.5, 0.5, 0.5]}, "r"),
        ({"r": [0.5, 50]}, "r"),
        ({"cap": 0}, "cap"),
        ({"cap": -1}, "cap"),
        ({"cap": 1.5}, "cap"),
        ({"cap": 3.0}, "cap"),
        ({"cap": math.nan}, "cap"),
        ({"cap": math.inf}, "cap"),
        ({"cap": True}, "cap"),
        ({"cap": 10**9}, "cap"),
        ({"damage": 2}, "damage"),
        ({"rho": -0.1}, "rho"),
        ({"code_catches": 50}, "code_catches"),
        ({"far": 0.1}, "far"),
        ({"frr": 0.1}, "frr"),
        ({"far": 0.0}, "far"),
        ({"critic": True, "far": 30}, "far"),
        ({"critic": True, "frr": -1}, "frr"),
    ],
)
def test_what_is_no_share_or_cap_is_refused_by_name(kwargs: dict[str, object], place: str) -> None:
    """A plain formula would give 59,320 for p = 40; the line says to write 0.4."""
    with pytest.raises(InputError) as error:
        calc(**{"p": 0.4, "r": 0.5, "cap": 3, **kwargs})  # type: ignore[arg-type]
    assert error.value.place == place
    assert "\n" not in str(error.value)


def test_the_ends_of_p() -> None:
    assert calc(1.0, 0.5, 3).pass_at_k == 1.0
    assert calc(0.0, 0.5, 3).pass_at_k == 0.0
    assert calc(1, 0, 3).loop.accepted == 1.0


@pytest.mark.parametrize("cap", [2, 3, 10, 200])
def test_break_even_keeps_its_digits_at_large_caps(cap: int) -> None:
    """By round 200 all but 1e-44 is accepted in both arms; the yardstick is what is not."""
    assert calc(0.4, 0.5, cap).break_even_r == pytest.approx(0.4, abs=1e-9)


def test_no_break_even_because_no_rate_is_one_or_every_rate() -> None:
    # one draft: r never acts; first drafts always good: nothing to repair; none accepted as good
    every = [calc(0.4, 0.5, 1), calc(1.0, 0.5, 3), calc(0.4, 0.5, 3, critic=True, frr=1.0)]
    assert [(one.break_even_r, one.every_r) for one in every] == [(None, True)] * 3
    # revisions spoil every good draft that the critic sends back, and none is repaired in time
    none = calc(0.9, 0.5, 2, critic=True, frr=0.9, damage=1.0)
    assert (none.break_even_r, none.every_r) == (None, False)
    assert not calc(0.4, 0.5, 3).every_r


@given(st.floats(0.05, 0.95), st.integers(2, 6), part, st.floats(0, 0.9), part, st.floats(0, 0.9))
@settings(deadline=None, max_examples=60)
def test_break_even_makes_the_arms_equal(
    p: float, cap: int, far: float, frr: float, damage: float, rho: float
) -> None:
    options = {"critic": True, "far": far, "frr": frr, "damage": damage, "rho": rho}
    even = calc(p, 0.5, cap, **options).break_even_r  # type: ignore[arg-type]
    if even is not None:
        result = calc(p, even, cap, **options)  # type: ignore[arg-type]
        assert result.loop.accepted_good == pytest.approx(result.retry.accepted_good, abs=1e-8)


@given(st.floats(0.05, 0.95), st.integers(2, 6), st.floats(0.01, 0.99))
@settings(deadline=None)
def test_correlated_draws_help_less_than_independent_ones(p: float, cap: int, rho: float) -> None:
    alike, apart = calc(p, 0.5, cap, rho=rho), calc(p, 0.5, cap)
    assert alike.pass_at_k < apart.pass_at_k
    assert alike.pass_hat_k > apart.pass_hat_k
    assert alike.loop == apart.loop
    assert alike.retry.accepted == pytest.approx(alike.pass_at_k, abs=1e-9)


# --- money, tokens, months --------------------------------------------------------------------


def test_tokens_and_money_of_a_loop() -> None:
    """The reviser sees the last draft and its failures; the critic sees rubric, task and draft."""
    entry = reference("a.tokens_last")
    i, expected = entry.inputs, entry.expected

    def call(tokens_in: float, tokens_out: float) -> Spend:
        usd = tokens_in * i["price_in"] + tokens_out * i["price_out"]
        return Spend(tokens_in, tokens_out, usd, 2.0)

    flow = run_loop(i["p"], i["r"], i["cap"], Check())
    base, draft = i["base_tokens"], i["draft_tokens"]
    total = spend(
        flow, call(base, draft), call(base + draft + i["feedback_tokens"], draft),
        call(i["rubric_tokens"] + base + draft, i["verdict_tokens"]),
    )  # fmt: skip
    assert (total.tokens_in, total.tokens_out, total.usd) == pytest.approx(
        (expected["exp_in"], expected["exp_out"], expected["cost"])
    )
    assert total.usd / float(flow.accepted) == pytest.approx(expected["cost_per_accepted"])
    assert total.seconds == pytest.approx(2.0 * 3.8)


def test_priced_in_tokens_the_break_even_is_higher() -> None:
    entry = reference("a.token_break_even_r")
    i = entry.inputs
    fresh, revision = Spend(usd=i["cost_fresh"]), Spend(usd=i["cost_revise"])
    loop, retry = run_loop(i["p"], entry.expected, i["cap"]), run_retry(i["p"], i["cap"])
    per_loop = spend(loop, fresh, revision, Spend()).usd / float(loop.accepted)
    per_retry = spend(retry, fresh, fresh, Spend()).usd / float(retry.accepted)
    assert per_loop == pytest.approx(per_retry, abs=1e-9)


def test_a_month_of_a_single_shot_and_of_a_loop() -> None:
    """1,000 tasks, p = .4: unexamined 600 wrong; a loop with a sound check hands 150 over."""
    shot = single_shot(0.4)
    assert Arm.of(shot).precision == pytest.approx(0.4)
    assert (float(shot.calls), float(shot.accepted)) == (1.0, 1.0)
    month = per_month(shot, Spend(usd=0.01, seconds=3.6), 1000)
    assert (month.usd, month.hours, month.wrong, month.handed_over) == pytest.approx(
        (10, 1, 600, 0)
    )
    loop = per_month(run_loop(0.4, 0.5, 3), Spend(usd=0.02), 1000)
    assert (loop.wrong, loop.handed_over) == pytest.approx((0, 150))


@pytest.mark.parametrize(
    ("budget", "first", "later", "rounds"),
    [(6, 2, 2, 3), (5, 2, 2, 2), (1, 2, 2, 0), (0.3, 0.1, 0.1, 3), (2, 2, 3, 1)],
)
def test_the_last_affordable_round(budget: float, first: float, later: float, rounds: int) -> None:
    assert affordable_rounds(budget, first, later) == rounds


@pytest.mark.parametrize("budget", [0, -1, math.inf, math.nan])
def test_a_budget_is_finite_and_above_zero(budget: float) -> None:
    with pytest.raises(InputError):
        affordable_rounds(budget, 1, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: run_loop([0.4, 1.4], 0.5, 3),
        lambda: run_loop(["0.4"], 0.5, 3),
        lambda: run_loop([math.nan], 0.5, 3),
        lambda: run_loop(0.4, [0.5], 3),
        lambda: run_loop(0.4, 0.5, 3, damage=-1),
        lambda: run_retry(0.4, 0),
        lambda: Check(catches=1.1),
        lambda: Check(critic=False, passes_bad=0.1),
        lambda: run_loop([0.4, 0.5], 0.5, 3).mixed([0.5, 0.6]),
        lambda: difficulty_nodes(0.4, 2, 3),
    ],
)
def test_arrays_and_checks_are_validated_too(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]


def test_a_code_check_that_misfires_and_a_share_too_small_to_divide_by() -> None:
    """At cap 1 .4 × .9 good and .6 × .2 bad pass; 1e-320 accepted has no cost one could write."""
    found = calc(0.4, 0.5, 1, code_catches=0.8, code_misfires=0.1).loop
    assert (found.accepted, found.accepted_good) == pytest.approx((0.48, 0.36))
    assert calc(1e-320, 0.0, 3).retry.calls_per_accepted is None
