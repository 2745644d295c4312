"""What the calculator works out from the inputs' values: plain numbers, without intervals.

Where inputs were measured, `decision` carries their sampling error through.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from core.errors import InputError
from core.statistics.attempts import correlated_pass_at, correlated_pass_hat, difficulty_nodes
from core.statistics.costs import (
    Arm,
    Calculation,
    Check,
    Flow,
    accepted_closed_form,
    calc,
    run_loop,
    run_retry,
    single_shot,
)
from core.statistics.interval import Floats, share, whole

CAP_MAX = 20
Level = Literal["truth", "accepted"]


@dataclass(frozen=True)
class Inputs:
    """What a person types; shares in [0, 1].

    `p`: first drafts good; `r`: bad drafts made good by one revision, or `rates`, one for each of
    the cap - 1 revisions; `cap`: drafts at most, 1 to 20; `critic`: a model checks (two calls a
    round) with errors `far` and `frr`; `catches` and `misfires`: bad and good drafts a code check
    fails before that (`catches` None: all without a critic, none with one); `damage`: good drafts
    spoilt by a needless revision; `rho`: how alike draws of one task are, or, in its place,
    `fresh`: measured share of first-draft failures that fresh draws rescue by the cap (F_cap).

    `level` "accepted": p and r are about what the check accepts, not about what is good. Then the
    check's errors mean nothing (the shares hold them already), and no figure of good work exists.
    """

    p: float
    r: float
    cap: int
    critic: bool = False
    far: float = 0.0
    frr: float = 0.0
    damage: float = 0.0
    fresh: float | None = None
    rates: tuple[float, ...] = ()
    catches: float | None = None
    misfires: float = 0.0
    rho: float = 0.0
    level: Level = "truth"

    def __post_init__(self) -> None:
        if self.rho and self.fresh is not None:
            raise InputError(
                "correlation", "the fresh share says it already.", "Give one of the two."
            )
        if self.rates and len(self.rates) != self.cap - 1:
            raise InputError(
                "repair rates", f"{len(self.rates)} for {self.cap - 1} revisions.",
                "Give one per revision (cap - 1), or none.",
            )  # fmt: skip
        errors = (self.far, self.frr, self.damage, self.misfires, self.catches or 0.0)
        if self.level == "accepted" and any(errors):
            raise InputError(
                "level", "at accepted level the check's errors and damage are not known.",
                "Leave them out, or measure p and r with gold labels on drafts.",
            )  # fmt: skip

    @property
    def check(self) -> Check:
        """The check both arms use."""
        sound = self.level == "accepted"
        catches = self.catches
        if catches is None:
            catches = 0.0 if self.critic and not sound else 1.0
        if not self.critic:
            return Check(critic=False, catches=catches, misfires=self.misfires)
        return Check(
            catches=0.0 if sound else catches, misfires=self.misfires,
            passes_bad=self.far, rejects_good=self.frr,
        )  # fmt: skip

    @property
    def repair(self) -> float | tuple[float, ...]:
        """The repair rate of every revision, or one for each."""
        return self.rates or self.r

    @property
    def calls_per_round(self) -> int:
        """One for a code check, two with a critic."""
        return 1 + self.critic


def correlation_for(p: float, fresh_share: float, cap: int) -> float:
    """Return ρ at which Beta-distributed difficulty with mean p gives F_cap = `fresh_share`.

    F falls from its independent value to 0 as ρ goes from 0 to 1, so bisection finds it. Raises
    InputError when no first draft fails and when F is above its independent value.
    """
    share("p", p), share("fresh share", fresh_share)

    def fresh(rho: float) -> float:
        return (correlated_pass_at(p, rho, cap) - p) / (1 - p)

    if p == 1:
        raise InputError("fresh share", "no first draft fails at p = 1.", "Leave it empty.")
    if fresh_share > fresh(0.0) + 1e-9:
        raise InputError(
            "fresh share",
            f"{fresh_share:.1%} is more than independent draws rescue ({fresh(0.0):.1%}).",
            "Check the counts, or leave it empty.",
        )
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fresh(middle) > fresh_share else (low, middle)
    return 0.0 if low < 1e-12 else low


@dataclass(frozen=True)
class Round:
    """One round: share of tasks that end in it accepted, and unaccepted (only at the cap)."""

    number: int
    accepted: float
    unaccepted: float


@dataclass(frozen=True)
class Returned:
    """Where good drafts that were sent back end, as shares of them; the three sum to 1.

    `accepted_good`: a good draft of the task is accepted later; `accepted_bad`: a bad one is;
    `handed_over`: none is by the cap. `spoilt`: the next draft was bad (of those revised).
    """

    drafts: float
    accepted_good: float
    accepted_bad: float
    handed_over: float
    spoilt: float


@dataclass(frozen=True)
class AtCap:
    """Both arms at one cap: accepted (good, where bad drafts get through), cost of the loop."""

    cap: int
    loop: float
    retry: float
    rounds: float
    calls_per_accepted: float | None
    accepted: float
    retry_accepted: float


class Sheet:
    """Every figure of the calculator for one set of inputs; raises InputError naming an input."""

    def __init__(self, inputs: Inputs) -> None:
        whole("cap", inputs.cap, 1, CAP_MAX)
        self.inputs = inputs
        self.rho = share("correlation", inputs.rho)
        if inputs.fresh is not None and inputs.cap > 1:
            self.rho = correlation_for(inputs.p, inputs.fresh, inputs.cap)
        self.calc = self._calc(inputs.cap)

    def _calc(self, cap: int) -> Calculation:
        """Return both arms: what is accepted depends on the whole check, calls on its parts."""
        i = self.inputs
        whole_check = {"far": i.check.accepts_bad, "frr": 1 - i.check.accepts_good}
        found = calc(i.p, i.r, cap, critic=True, damage=i.damage, rho=self.rho, **whole_check)
        return replace(found, loop=Arm.of(self._loop(cap)), retry=Arm.of(self._retry(cap)))

    def _loop(self, cap: int) -> Flow:
        i = self.inputs
        r: float | list[float] = i.r
        if i.rates:  # past the last rate given it stays as it is
            r = [i.rates[min(n, len(i.rates) - 1)] for n in range(cap - 1)]
        return run_loop(i.p, r, cap, i.check, i.damage)

    def _retry(self, cap: int) -> Flow:
        nodes, weights = difficulty_nodes(self.inputs.p, self.rho, cap)
        return run_retry(nodes, cap, self.inputs.check).mixed(weights)

    @property
    def envelope(self) -> float:
        """pass@k − pass^k at k = cap."""
        return self.calc.pass_at_k - self.calc.pass_hat_k

    @property
    def lead(self) -> float:
        """Accepted and good by the loop minus by retries; positive: the loop is ahead."""
        return self.calc.loop.accepted_good - self.calc.retry.accepted_good

    @property
    def sound(self) -> bool:
        """Whether the check passes no bad draft and fails no good one."""
        return self.inputs.check.accepts_bad == 0 and self.inputs.check.accepts_good == 1

    @property
    def rescued(self) -> float | None:
        """Of tasks whose first draft was sent back, the share retries end with a good draft accepted.

        (accepted and good by the cap - in the first try) ÷ (1 - accepted in the first try), from
        the kernel; with a sound check that is F = (pass@k - p) ÷ (1 - p). None when no first draft
        is sent back, and at cap 1.
        """
        first, all_tries = Arm.of(self._retry(1)), self.calc.retry
        if self.inputs.cap == 1 or first.accepted >= 1:
            return None
        return (all_tries.accepted_good - first.accepted_good) / (1 - first.accepted)

    @property
    def independent(self) -> float:
        """What retries would accept with a sound check if draws were independent."""
        return accepted_closed_form(self.inputs.p, self.inputs.p, self.inputs.cap)

    @property
    def promised(self) -> float:
        """What independent draws would rescue by the cap behind a sound check: 1 − (1−p)^(cap−1)."""
        return accepted_closed_form(self.inputs.p, self.inputs.p, max(1, self.inputs.cap - 1))

    @property
    def side_by_side(self) -> float | None:
        """Calls per accepted output when all tries are drawn at once; None if none is accepted.

        One round of waiting instead of up to cap, for cap × the calls of a round.
        """
        accepted = self.calc.retry.accepted
        return self.most_calls / accepted if accepted > 0 else None

    @property
    def most_calls(self) -> int:
        """Calls of a task that never passes."""
        return self.inputs.calls_per_round * self.inputs.cap

    @cached_property
    def flow(self) -> Flow:
        """The loop's expected numbers per task."""
        return self._loop(self.inputs.cap)

    @cached_property
    def flows(self) -> dict[str, Flow]:
        """Expected numbers per task of "loop", "retry" and "single": one draft, unexamined."""
        single = single_shot(self.inputs.p)
        return {"loop": self.flow, "retry": self._retry(self.inputs.cap), "single": single}

    @property
    def alike_r(self) -> float:
        """The one repair rate that accepts as much good as the rates given; r without them."""
        if not self.inputs.rates:
            return self.inputs.r
        grid, good = self.over_r(1001)
        return float(np.interp(float(self.flow.accepted_good), good, grid))

    @property
    def sent_back(self) -> float:
        """Share of drafts that are rejected, the last round's included."""
        return float(self.flow.sent_back / self.flow.generates)

    @cached_property
    def ends(self) -> list[Round]:
        """How rounds end: one entry a round; the shares sum to 1."""
        flows = [self._loop(cap) for cap in range(1, self.inputs.cap + 1)]
        accepted = np.diff([0.0, *(float(flow.accepted) for flow in flows)])
        left = float(self.flow.unaccepted)
        return [
            Round(n, max(0.0, float(a)), left if n == self.inputs.cap else 0.0)
            for n, a in enumerate(accepted, 1)
        ]

    @cached_property
    def returned(self) -> Returned | None:
        """Where the loop's good drafts that were sent back end; None where none is sent back.

        A good draft sent back in round t is good with chance 1 - damage in round t + 1, which is
        the first of the cap - t rounds that are left.
        """
        i, mass = self.inputs, [0.0]
        ends = np.zeros(3)
        mass += [float(self._loop(cap).sent_back_good) for cap in range(1, i.cap + 1)]
        for n, drafts in enumerate(np.diff(mass), 1):
            left = i.cap - n
            if not left:
                ends += drafts * np.array([0.0, 0.0, 1.0])
                continue
            rates = i.rates[n:] if i.rates else i.r
            flow = run_loop(1 - i.damage, rates, left, i.check, i.damage)
            ends += drafts * np.array(
                [float(flow.accepted_good), float(flow.accepted_bad), float(flow.unaccepted)]
            )
        if mass[-1] <= 0:
            return None
        good, bad, over = (float(x) / mass[-1] for x in ends)
        return Returned(mass[-1], good, bad, over, i.damage)

    def over_leniency(self, points: int = 41) -> list[tuple[float, float | None, float | None]]:
        """Return (share of bad drafts passed, calls per accepted, calls per good) of the loop.

        The share is the critic's false-accept rate, or what the code check misses where there is
        no critic; the other inputs stay.
        """
        found = []
        for passes in np.linspace(0, 1, points).tolist():
            i = self.inputs
            one = replace(i, far=passes) if i.critic else replace(i, catches=1 - passes)
            arm = Arm.of(run_loop(one.p, one.repair, one.cap, one.check, one.damage))
            found.append((passes, arm.calls_per_accepted, arm.calls_per_good))
        return found

    @cached_property
    def by_cap(self) -> list[AtCap]:
        """What each extra round buys, for caps from 1 to the larger of cap and 5."""
        found = []
        for cap in range(1, max(self.inputs.cap, 5) + 1):
            loop, retry = Arm.of(self._loop(cap)), Arm.of(self._retry(cap))
            found.append(AtCap(
                cap, loop.accepted_good, retry.accepted_good, loop.rounds,
                loop.calls_per_accepted, loop.accepted, retry.accepted,
            ))  # fmt: skip
        return found

    def tries(self) -> list[tuple[int, float, float, float]]:
        """Return (k, pass@k, pass^k, pass@k if independent) for k from 1 to max(cap, 6)."""
        p, rho = self.inputs.p, self.rho
        return [
            (k, correlated_pass_at(p, rho, k), correlated_pass_hat(p, rho, k), 1 - (1 - p) ** k)
            for k in range(1, max(self.inputs.cap, 6) + 1)
        ]

    def over_r(self, points: int = 201) -> tuple[Floats, Floats]:
        """Return repair rates from 0 to 1 and the loop's accepted-and-good share at each."""
        i = self.inputs
        grid = np.linspace(0, 1, points)
        flow = run_loop(i.p, grid, i.cap, i.check, i.damage)
        return grid, np.broadcast_to(flow.accepted_good, grid.shape)
