"""Which arm is cheaper per good output, how sure that is, and on which input it hangs.

The cost kernel of `costs` over arrays: measured inputs are drawn from Beta(k + ½, n - k + ½), all
of them at once and seeded, typed ones stay fixed. Retries need no classes of difficulty here: with
v = 1 - a_g, u = 1 - a_b a task of pass rate x is still open after t draws with chance
(vx + u(1-x))^t, and over Beta-distributed x the mean of x^j(1-x)^m is a ratio of rising factorials.
So every draw may have a correlation of its own, which a measured fresh share needs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast

import numpy as np

from core.errors import InputError
from core.statistics.costs import Check, Flow, run_loop
from core.statistics.interval import DRAWS, SEED, TAIL, Estimate, Floats, Result, Undefined
from core.statistics.uncertainty import NONE, Case, Input

ArmName = Literal["loop", "retry", "single"]
ARMS: tuple[ArmName, ...] = ("loop", "retry", "single")
Values = Mapping[str, Floats]


@dataclass(frozen=True)
class _Check:
    """A `Check` whose rates are arrays; the kernel only multiplies them."""

    critic: bool
    catches: Floats
    misfires: Floats
    far: Floats
    frr: Floats

    @property
    def accepts_good(self) -> Floats:
        return (1 - self.misfires) * (1 - self.frr)

    @property
    def accepts_bad(self) -> Floats:
        return (1 - self.catches) * (self.far if self.critic else 1.0)


@dataclass(frozen=True)
class Outcome:
    """One arm, per task, an array over the draws: shares, calls, dollars, cost per good output.

    `cost` is in the unit of the prices, ending badly included; per good output it is infinite
    where no good one is accepted.
    """

    accepted: Floats
    accepted_good: Floats
    accepted_bad: Floats
    unaccepted: Floats
    calls: Floats
    cost: Floats

    @property
    def cost_per_good(self) -> Floats:
        """Cost ÷ accepted and good."""
        return _over(self.cost, self.accepted_good)


def _over(top: Floats, bottom: Floats) -> Floats:
    found: Floats = np.divide(top, bottom, out=np.full(np.shape(top), np.inf), where=bottom > 0)
    return found


def fresh_correlation(p: Floats, fresh: Floats, cap: int) -> Floats:
    """Return the ρ at which draws of mean p give F_cap = `fresh`, elementwise; both arrays.

    Where `fresh` is above what independent draws rescue, ρ is 0. By bisection (F falls in ρ).
    """
    low, high = np.zeros(p.shape), np.ones(p.shape)
    i = np.arange(1, cap)[:, None]
    for _ in range(30):
        middle = (low + high) / 2
        open_share = np.prod(
            ((1 - p) * (1 - middle) + i * middle) / (1 - middle + i * middle), axis=0
        )
        above = 1 - open_share > fresh
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(high < 1e-8, 0.0, low)


def retry_flow(p: Floats, rho: Floats, cap: int, check: Check) -> Flow:
    """Return the kernel's numbers for `cap` fresh draws, tasks differing as Beta(p, rho).

    `p`, `rho` and the check's rates are arrays (or numbers) that broadcast; equal to `run_retry`
    over the difficulty nodes (see the test).
    """
    p, rho = np.broadcast_arrays(np.asarray(p, float), np.asarray(rho, float))
    v, u = 1 - np.asarray(check.accepts_good), 1 - np.asarray(check.accepts_bad)
    good_up, bad_up = _rising(p, rho, cap + 1), _rising(1 - p, rho, cap + 1)
    all_up = _rising(np.ones(p.shape), rho, cap + 1)
    spread = 1 - rho

    def moment(j: int, m: int) -> Floats:
        """Mean of x^j (1 - x)^m; one factor 1 - ρ cancels against the denominator's."""
        if not j or not m:
            return (good_up[j] if j else bad_up[m]) / all_up[j + m]
        return good_up[j] * bad_up[m] * spread / all_up[j + m]

    def open_after(t: int, j: int, m: int) -> Floats:
        """Mean of (vx + u(1-x))^t · x^j (1-x)^m."""
        terms = range(t + 1) if np.any(v) else range(1)
        return np.asarray(
            sum(math.comb(t, i) * v**i * u ** (t - i) * moment(i + j, t - i + m) for i in terms)
        )

    goods = sum((open_after(t, 1, 0) for t in range(cap)), np.zeros(p.shape))
    bads = sum((open_after(t, 0, 1) for t in range(cap)), np.zeros(p.shape))
    critic = goods * (1 - check.misfires) + bads * (1 - check.catches)
    return Flow(
        generates=goods + bads,
        critic_calls=critic if check.critic else np.zeros(np.shape(goods)),
        accepted_good=goods * (1 - v),
        accepted_bad=bads * (1 - u),
        sent_back=goods * v + bads * u,
        sent_back_good=goods * v,
        unaccepted=open_after(cap, 0, 0),
    )


def _rising(x: Floats, rho: Floats, most: int) -> list[Floats]:
    """Return x·Π_{0<i<j}(x(1-ρ) + iρ) for j = 0 … most, 1 for j = 0."""
    found = [np.ones(x.shape), x]
    for i in range(1, most):
        found.append(found[-1] * (x * (1 - rho) + i * rho))
    return found


@dataclass(frozen=True)
class Turn:
    """What one input decides between loop and retries, the others held at their values.

    `break_even` is the value nearest to its own, from `low` to `high`, at which both cost the same
    per good output; None when there is none. `limits` are its 95 % limits where it was measured.
    """

    name: str
    value: float
    low: float
    high: float
    break_even: float | None
    limits: tuple[float, float] | None

    @property
    def within_limits(self) -> bool:
        """Whether the measured interval leaves the decision open on this input alone."""
        if self.limits is None or self.break_even is None:
            return False
        return self.limits[0] <= self.break_even <= self.limits[1]


class Decision:
    """Loop, retries and a single shot at the inputs' values, and over the draws.

    `fresh`: F_cap where it was measured; the correlation then follows from it and p, draw by draw,
    and `case.rho` must be 0, typed.
    """

    def __init__(self, case: Case, fresh: Input | None = None) -> None:
        if fresh is not None and case.rho != NONE:
            raise InputError("rho", "the fresh share says it already.", "Give one of the two.")
        self.case = case
        self.inputs = case.inputs
        if fresh is not None and case.cap > 1:
            del self.inputs["rho"]
            self.inputs["fresh"] = fresh
        self.measured = any(one.n is not None for one in self.inputs.values())
        rng = np.random.default_rng(SEED)
        drawn = {name: one.draw(rng) for name, one in self.inputs.items()}
        self.draws = self._run(drawn)
        self.at = self._run({name: np.array([x.value]) for name, x in self.inputs.items()})

    def _run(self, values: Values) -> dict[ArmName, Outcome]:
        case = self.case
        shape = np.broadcast_shapes(*(v.shape for v in values.values()))
        full = {name: np.broadcast_to(v, shape) for name, v in values.items()}
        check = cast(
            Check,
            _Check(case.critic, *(full[name] for name in ("catches", "misfires", "far", "frr"))),
        )
        rates = [full[name] for name in full if name[0] == "r" and name != "rho"]
        r = rates * (case.cap - 1) if len(rates) == 1 else rates
        p = full["p"]
        rho = fresh_correlation(p, full["fresh"], case.cap) if "fresh" in full else full["rho"]
        single = run_loop(p, 0.0, 1, Check(critic=False))
        return {
            "loop": self._outcome(run_loop(p, list(r), case.cap, check, full["damage"]), True),
            "retry": self._outcome(retry_flow(p, rho, case.cap, check), False),
            "single": self._outcome(single, False),
        }

    def _outcome(self, flow: Flow, revises: bool) -> Outcome:
        prices = self.case.prices
        later = prices.revision if revises else prices.fresh
        cost = (
            prices.fresh
            + (flow.generates - 1) * later
            + flow.critic_calls * prices.critic
            + flow.unaccepted * prices.hand_over
            + flow.accepted_bad * prices.wrong
        )
        return Outcome(
            flow.accepted, flow.accepted_good, flow.accepted_bad, flow.unaccepted, flow.calls, cost
        )

    def cheaper(self, than: ArmName = "retry") -> float:
        """Share of draws in which the loop costs less per good output than another arm."""
        gap = self.draws["loop"].cost_per_good < self.draws[than].cost_per_good
        return float(np.mean(gap))

    @property
    def more_good(self) -> float:
        """Share of draws in which the loop accepts more good outputs than retries do."""
        loop, retry = self.draws["loop"], self.draws["retry"]
        return float(np.mean(loop.accepted_good > retry.accepted_good))

    def figure(self, arm: ArmName, name: str) -> Result:
        """Return a figure of `Outcome` by name with its 95 % interval over the draws.

        The interval is widened to hold the value at the inputs' own values; n counts the draws,
        1 where nothing was measured. Undefined where no good output is accepted in some draws.
        """
        return self._between(getattr(self.draws[arm], name), float(getattr(self.at[arm], name)[0]))

    @property
    def lead(self) -> Result:
        """Accepted and good by the loop minus by retries, with its interval over the draws."""
        gap, at = (
            some["loop"].accepted_good - some["retry"].accepted_good
            for some in (self.draws, self.at)
        )
        return self._between(gap, float(at[0]))

    def _between(self, draws: Floats, value: float) -> Result:
        low, high = np.quantile(draws, [TAIL, 1 - TAIL], method="closest_observation")
        n = DRAWS if self.measured else 1
        if not all(map(math.isfinite, (value, low, high))):
            return Undefined("no good output is accepted in some of the draws", None, n)
        return Estimate(value, min(float(low), value), max(float(high), value), None, n)

    @cached_property
    def turns(self) -> list[Turn]:
        """Every rate as a `Turn`: those whose interval holds a break-even first, then the nearest.

        The first measured one whose interval holds its break-even is what to measure next.
        """
        found = [self._turn(name, one) for name, one in self.inputs.items()]

        def order(turn: Turn) -> tuple[bool, float]:
            far = math.inf if turn.break_even is None else abs(turn.break_even - turn.value)
            return not turn.within_limits, far

        return sorted(found, key=order)

    def _turn(self, name: str, one: Input) -> Turn:
        ends, even = (0.0, 1.0), None
        fixed = {n: np.array([i.value]) for n, i in self.inputs.items()}
        for points in (201, 101, 101):
            grid = np.linspace(*ends, points)
            ran = self._run(fixed | {name: grid})
            loop, retry = ran["loop"].cost_per_good, ran["retry"].cost_per_good
            with np.errstate(invalid="ignore"):  # no good output from either: level
                gap = np.where(np.isclose(loop, retry, rtol=1e-9), 0.0, loop - retry)
            apart = np.nonzero(gap)[0]
            turns = np.nonzero(np.sign(gap[apart][1:]) != np.sign(gap[apart][:-1]))[0]
            if not turns.size:
                break
            # between the two lies the crossing, on grid points that are level if there are any
            low, high = grid[apart[turns]], grid[apart[turns + 1]]
            near = int(np.argmin(np.abs((low + high) / 2 - one.value)))
            ends = (float(low[near]), float(high[near]))
            even = sum(ends) / 2
        return Turn(name, one.value, 0.0, 1.0, even, None if one.n is None else one.limits)

    def price_turn(self, name: Literal["hand_over", "wrong"]) -> float | None:
        """Return the cost of a hand-over, or of a wrong accept, at which both arms cost the same.

        Cost per good output is linear in it: (c + h·u)/g for each arm. None where no cost >= 0
        does it.
        """
        which = {"hand_over": "unaccepted", "wrong": "accepted_bad"}[name]
        now = getattr(self.case.prices, name)
        parts = []
        for arm in ("loop", "retry"):
            one = self.at[arm]
            good, share_of = float(one.accepted_good[0]), float(getattr(one, which)[0])
            if good <= 0:
                return None
            parts.append(((float(one.cost[0]) - now * share_of) / good, share_of / good))
        (base, slope), (other, other_slope) = parts
        if math.isclose(slope, other_slope, rel_tol=1e-12, abs_tol=1e-15):
            return None
        found = (other - base) / (slope - other_slope)
        return found if found >= 0 else None
