"""What the calculator works out from typed inputs, and what counts of a measured run say.

Typed inputs carry no sampling error, so the figures of a `Sheet` are plain numbers. Counts do,
so those of `Counts` carry their interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.errors import InputError
from core.statistics.attempts import break_even_r, correlated_pass_at, correlated_pass_hat
from core.statistics.costs import (
    SOUND_CODE,
    Calculation,
    Check,
    Flow,
    accepted_closed_form,
    calc,
    run_loop,
)
from core.statistics.interval import Estimate, Floats, Result, Undefined, rate, share, whole

CAP_MAX = 20


@dataclass(frozen=True)
class Inputs:
    """What a person types; shares in [0, 1] at truth level.

    `p`: first drafts good; `r`: bad drafts made good by one revision; `cap`: drafts at most, 1 to
    20; `critic`: a model checks (two calls a round) with errors `far` and `frr`, else a sound code
    check; `damage`: good drafts spoilt by a needless revision; `fresh`: measured share of
    first-draft failures that fresh draws rescue by the cap (F_cap), None for independent draws.
    """

    p: float
    r: float
    cap: int
    critic: bool = False
    far: float = 0.0
    frr: float = 0.0
    damage: float = 0.0
    fresh: float | None = None

    @property
    def check(self) -> Check:
        """The check both arms use."""
        if not self.critic:
            return SOUND_CODE
        return Check(passes_bad=self.far, rejects_good=self.frr)

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
class AtCap:
    """Both arms at one cap: accepted (good, where bad drafts get through), cost of the loop."""

    cap: int
    loop: float
    retry: float
    rounds: float
    calls_per_accepted: float | None


class Sheet:
    """Every figure of the calculator for one set of inputs; raises InputError naming an input."""

    def __init__(self, inputs: Inputs) -> None:
        whole("cap", inputs.cap, 1, CAP_MAX)
        self.inputs = inputs
        self.rho = 0.0
        if inputs.fresh is not None and inputs.cap > 1:
            self.rho = correlation_for(inputs.p, inputs.fresh, inputs.cap)
        self.calc = self._calc(inputs.cap)

    def _calc(self, cap: int) -> Calculation:
        i = self.inputs
        errors = {"far": i.far, "frr": i.frr} if i.critic else {}
        return calc(i.p, i.r, cap, critic=i.critic, damage=i.damage, rho=self.rho, **errors)

    def _loop(self, cap: int) -> Flow:
        i = self.inputs
        return run_loop(i.p, i.r, cap, i.check, i.damage)

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
        return not self.inputs.critic or self.inputs.far == self.inputs.frr == 0

    @property
    def rescued(self) -> float | None:
        """Of tasks whose first draft was sent back, the share retries end with a good draft accepted.

        (accepted and good by the cap - in the first try) ÷ (1 - accepted in the first try), from
        the kernel; with a sound check that is F = (pass@k - p) ÷ (1 - p). None when no first draft
        is sent back, and at cap 1.
        """
        first, all_tries = self._calc(1).retry, self.calc.retry
        if self.inputs.cap == 1 or first.accepted >= 1:
            return None
        return (all_tries.accepted_good - first.accepted_good) / (1 - first.accepted)

    @property
    def independent(self) -> float:
        """What retries would accept with a sound check if draws were independent."""
        return accepted_closed_form(self.inputs.p, self.inputs.p, self.inputs.cap)

    @property
    def most_calls(self) -> int:
        """Calls of a task that never passes."""
        return self.inputs.calls_per_round * self.inputs.cap

    @cached_property
    def flow(self) -> Flow:
        """The loop's expected numbers per task."""
        return self._loop(self.inputs.cap)

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
    def by_cap(self) -> list[AtCap]:
        """What each extra round buys, for caps from 1 to the larger of cap and 5."""
        found = []
        for cap in range(1, max(self.inputs.cap, 5) + 1):
            one = self._calc(cap)
            found.append(AtCap(
                cap, one.loop.accepted_good, one.retry.accepted_good, one.loop.rounds,
                one.loop.calls_per_accepted,
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


@dataclass(frozen=True)
class Counts:
    """Counts of one measured run of both arms behind the same check and cap.

    `first` of `tasks` passed the check on draft 1. Of the rest the loop rescued `rescued` and
    fresh draws `redrawn` by the cap. `wrong_first` and `wrong_rescued` of those the check passed
    were wrong by gold labels. Raises InputError when they contradict each other.
    """

    tasks: int
    first: int
    rescued: int
    redrawn: int
    wrong_first: int
    wrong_rescued: int
    cap: int

    def __post_init__(self) -> None:
        whole("tasks", self.tasks), whole("cap", self.cap, 2, CAP_MAX)
        for name, most, of in (
            ("first", self.tasks, "tasks"),
            ("rescued", self.failures, "first-draft failures"),
            ("redrawn", self.failures, "first-draft failures"),
            ("wrong_first", self.first, "drafts accepted in round 1"),
            ("wrong_rescued", self.rescued, "tasks the loop rescued"),
        ):
            value = whole(name, getattr(self, name), 0)
            if value > most:
                raise InputError(
                    name.replace("_", " "), f"{value} is more than the {most} {of}.",
                    "Correct the counts.",
                )  # fmt: skip

    @property
    def failures(self) -> int:
        """Tasks whose first draft failed the check."""
        return self.tasks - self.first

    @property
    def accepted(self) -> int:
        """Tasks the loop accepted."""
        return self.first + self.rescued

    @property
    def flagged(self) -> int:
        """Tasks that left the loop unaccepted."""
        return self.tasks - self.accepted

    @property
    def first_pass(self) -> Result:
        """Share accepted on draft 1, p at accepted level."""
        return rate(self.first, self.tasks, nothing="no tasks")

    @property
    def rescue_share(self) -> Result:
        """Of first-draft failures, the share the loop accepts by its cap."""
        return rate(self.rescued, self.failures, nothing="no first draft failed")

    @property
    def fresh_share(self) -> Result:
        """F_cap: of first-draft failures, the share fresh draws rescue by the cap."""
        return rate(self.redrawn, self.failures, nothing="no first draft failed")

    @property
    def predicted_fresh_share(self) -> float:
        """What F_cap would be if draws were independent: 1 − (1−p)^(cap−1)."""
        return 1 - (1 - self.first / self.tasks) ** (self.cap - 1)

    @property
    def loop_accepted(self) -> Result:
        """Tasks that end accepted under the loop ÷ all tasks."""
        return rate(self.accepted, self.tasks, nothing="no tasks")

    @property
    def retry_accepted(self) -> Result:
        """Tasks that end accepted under retries ÷ all tasks."""
        return rate(self.first + self.redrawn, self.tasks, nothing="no tasks")

    @property
    def precision(self) -> Result:
        """Good ÷ accepted by the loop."""
        return self._good(self.accepted, self.wrong_first + self.wrong_rescued)

    @property
    def precision_first(self) -> Result:
        """Good ÷ accepted on draft 1."""
        return self._good(self.first, self.wrong_first)

    @property
    def precision_rescued(self) -> Result:
        """Good ÷ rescued by the loop."""
        return self._good(self.rescued, self.wrong_rescued)

    @property
    def false_share(self) -> Result:
        """Wrong ÷ accepted, 1 − precision. Not the false-accept rate."""
        wrong = self.wrong_first + self.wrong_rescued
        return rate(wrong, self.accepted, nothing="nothing accepted")

    @property
    def correct_of_all(self) -> Result:
        """Accepted and good ÷ tasks."""
        right = self.accepted - self.wrong_first - self.wrong_rescued
        return rate(right, self.tasks, nothing="no tasks")

    @property
    def repair_rate(self) -> Result:
        """The constant repair rate per round that gives this rescue share."""
        return self._per_round(self.rescue_share)

    @property
    def break_even(self) -> Result:
        """The repair rate per round at which the loop rescues what fresh draws do."""
        return self._per_round(self.fresh_share)

    def _per_round(self, result: Result) -> Result:
        if isinstance(result, Undefined):
            return result
        low, value, high = (
            break_even_r(x, self.cap) for x in (result.low, result.value, result.high)
        )
        return Estimate(value, low, high, None, result.n)

    def _good(self, of: int, wrong: int) -> Result:
        return rate(of - wrong, of, nothing="nothing accepted")
