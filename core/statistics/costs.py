"""What a loop costs and delivers, against retries: one Markov kernel for both arms.

Levels: p, r and damage here are about truth (is the draft good?), measured with gold labels on
drafts; acceptance rates of an evaluator must not be fed in as if they were truth.

    v₁ = (p, 1-p);  a_g = (1-q)(1-β);  a_b = (1-s)·α
    a round: generates += g+b; critic calls += g(1-q)+b(1-s); accepted += g·a_g+b·a_b
    g' = g(1-a_g)(1-d) + b(1-a_b)·r;   b' = g(1-a_g)·d + b(1-a_b)(1-r)

g and b are the masses of good and bad drafts still in play. Retries are the same kernel with
r = p and d = 1 - p per difficulty class. The sum over rounds is taken step by step: the closed
form of the geometric sum is singular where a draft can neither be accepted nor change.

Not in the model: criteria are treated as one, the critic's errors are independent between rounds,
and exits for want of progress do not exist.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError, show
from core.statistics.attempts import correlated_pass_at, correlated_pass_hat, difficulty_nodes
from core.statistics.interval import Floats, share, whole

MAX_CAP = 1000


@dataclass(frozen=True)
class Check:
    """What examines a draft: code first, then a critic unless there is none.

    `catches`: share of bad drafts the code check fails (s); `misfires`: share of good ones it
    fails (q); `passes_bad`: share of the bad drafts it sees that the critic passes (α, FAR);
    `rejects_good`: share of good ones it rejects (β, FRR). Without a critic what code passes is
    accepted.
    """

    critic: bool = True
    catches: float = 0.0
    misfires: float = 0.0
    passes_bad: float = 0.0
    rejects_good: float = 0.0

    def __post_init__(self) -> None:
        for name in ("catches", "misfires", "passes_bad", "rejects_good"):
            share(name, getattr(self, name))
        if not self.critic and (self.passes_bad or self.rejects_good):
            raise InputError(
                "critic errors", "there is no critic to make them.", "Add the critic or drop them."
            )

    @property
    def accepts_good(self) -> float:
        """a_g: chance that a good draft is accepted."""
        return (1 - self.misfires) * (1 - self.rejects_good)

    @property
    def accepts_bad(self) -> float:
        """a_b: chance that a bad draft is accepted."""
        return (1 - self.catches) * (self.passes_bad if self.critic else 1.0)


SOUND_CODE = Check(critic=False, catches=1.0)
"""An executed check that neither misses nor misfires."""


@dataclass(frozen=True)
class Flow:
    """Expected numbers per task, each an array of the shape that p and r broadcast to.

    `sent_back` counts rejected drafts, the last round's included; `unaccepted` is the share of
    tasks that end without acceptance, summed directly so that it stays exact near 0.
    """

    generates: Floats
    critic_calls: Floats
    accepted_good: Floats
    accepted_bad: Floats
    sent_back: Floats
    sent_back_good: Floats
    unaccepted: Floats

    @property
    def accepted(self) -> Floats:
        """Share of tasks that end with an accepted draft."""
        return self.accepted_good + self.accepted_bad

    @property
    def calls(self) -> Floats:
        """Generator and critic calls."""
        return self.generates + self.critic_calls

    def mixed(self, weights: ArrayLike) -> Flow:
        """Return the mean over difficulty classes: weights of the last axis, which sum to 1."""
        w = np.asarray(weights, float)
        if np.any(w < 0) or not np.isclose(w.sum(), 1.0, atol=1e-9):
            raise InputError(
                "weights", f"{show(weights)} do not sum to 1.", "Give shares of tasks."
            )
        return Flow(**{name: np.asarray(value @ w) for name, value in vars(self).items()})


def run_loop(
    p: ArrayLike,
    r: ArrayLike | list[ArrayLike],
    cap: int,
    check: Check = SOUND_CODE,
    damage: ArrayLike = 0.0,
) -> Flow:
    """Run the kernel for `cap` drafts; p, r and damage broadcast against each other.

    `p`: chance that a first draft is good. `r`: chance that one revision makes a bad draft good;
    a list or tuple gives one value (or array) for each of the cap - 1 revisions. `damage`: chance
    that revising a rejected good draft spoils it. All in [0, 1], else InputError.
    """
    return _kernel(_shares("p", p), _per_revision(r, cap), check, _shares("damage", damage))


def run_retry(p: ArrayLike, cap: int, check: Check = SOUND_CODE) -> Flow:
    """Run the same kernel for independent draws: every draft is good with chance p."""
    first = _shares("p", p)
    return _kernel(first, _per_revision(first, cap), check, 1 - first)


def _per_revision(r: ArrayLike | list[ArrayLike], cap: int) -> list[Floats]:
    """Return the cap - 1 repair rates, as arrays."""
    revisions = whole("cap", cap, 1, MAX_CAP) - 1
    if not isinstance(r, list | tuple):
        return [_shares("r", r)] * revisions
    if len(r) != revisions:
        raise InputError(
            "r", f"{len(r)} repair rates for {revisions} revisions.",
            "Give one, or one per revision (cap - 1).",
        )  # fmt: skip
    return [_shares("r", x) for x in r]


def _kernel(p: Floats, rates: list[Floats], check: Check, damage: Floats) -> Flow:
    a_g, a_b = check.accepts_good, check.accepts_bad
    shape = np.broadcast_shapes(p.shape, damage.shape, *(rate.shape for rate in rates))
    g = np.array(np.broadcast_to(p, shape))
    b = np.array(1 - g)
    goods, bads, keep = g.copy(), b.copy(), 1 - damage
    for rate in rates:
        g *= 1 - a_g
        b *= 1 - a_b
        left = g + b
        g *= keep
        b *= rate
        g += b
        np.subtract(left, g, out=b)
        np.maximum(b, 0.0, out=b)
        goods += g
        bads += b
    rejected_good, rejected_bad = goods * (1 - a_g), bads * (1 - a_b)
    return Flow(
        generates=goods + bads,
        critic_calls=goods * (1 - check.misfires) + bads * (1 - check.catches)
        if check.critic
        else np.zeros(shape),
        accepted_good=goods * a_g,
        accepted_bad=bads * a_b,
        sent_back=rejected_good + rejected_bad,
        sent_back_good=rejected_good,
        unaccepted=g * (1 - a_g) + b * (1 - a_b),
    )


def rounds_reached(p: float, r: float, cap: int) -> list[float]:
    """Return the chance that round 1, 2 … cap is run, with a sound check: 1, then (1-p)(1-r)^t.

    Their sum is E[rounds] = 1 + (1-p)·Σ(1-r)^t.
    """
    share("p", p), share("r", r)
    return [1.0, *((1 - p) * (1 - r) ** t for t in range(whole("cap", cap, 1, MAX_CAP) - 1))]


def accepted_closed_form(p: float, r: float, cap: int) -> float:
    """Return 1 - (1-p)(1-r)^(cap-1): the share accepted, with a sound check and constant r."""
    return 1 - (1 - p) * (1 - r) ** (len(rounds_reached(p, r, cap)) - 1)


def rounds_given_accepted(p: float, r: float, cap: int) -> float | None:
    """Return E[rounds | accepted] with a sound check; None when nothing is accepted.

    Not the cost of an accepted output: that is E[rounds] ÷ accepted share, failures included.
    """
    reached = rounds_reached(p, r, cap)
    chances = [p, *(x * r for x in reached[1:])]
    total = sum(chances)
    return sum(t * c for t, c in enumerate(chances, 1)) / total if total > 0 else None


# --- money, tokens, seconds -----------------------------------------------------------------


@dataclass(frozen=True)
class Spend:
    """Tokens, dollars and seconds, of one call or summed over calls."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0
    usd: float = 0.0
    seconds: float = 0.0


def spend(flow: Flow, fresh: Spend, revision: Spend, critic: Spend) -> Spend:
    """Return what one task of a scalar `flow` costs: Σ calls × cost per call.

    The first draft costs `fresh`, every later one `revision`, whose prompt carries the draft and
    the failures; for retries pass `fresh` for both.
    """
    revisions, critics = float(flow.generates) - 1, float(flow.critic_calls)
    return Spend(*(
        getattr(fresh, name) + revisions * getattr(revision, name) + critics * getattr(critic, name)
        for name in ("tokens_in", "tokens_out", "usd", "seconds")
    ))  # fmt: skip


def affordable_rounds(budget: float, first_round: float, later_round: float) -> int:
    """Return the last round a budget pays for, all three in one unit; 0 when not even the first."""
    if not (0 < budget < np.inf and first_round > 0 and later_round > 0):
        raise InputError("budget", "it or a round's cost is not above 0.", "Give amounts above 0.")
    if budget < first_round:
        return 0
    # a hair of slack: 0.3 pays for three rounds of 0.1
    return 1 + int((budget - first_round) / later_round + 1e-9)


@dataclass(frozen=True)
class Month:
    """One month of tasks: dollars, hours of calls, wrong outputs accepted, tasks handed over."""

    usd: float
    hours: float
    wrong: float
    handed_over: float


def per_month(flow: Flow, cost: Spend, tasks: float) -> Month:
    """Return a month of `tasks` tasks from a scalar flow and its cost per task."""
    return Month(
        usd=cost.usd * tasks,
        hours=cost.seconds * tasks / 3600,
        wrong=float(flow.accepted_bad) * tasks,
        handed_over=float(flow.unaccepted) * tasks,
    )


def single_shot(p: ArrayLike) -> Flow:
    """Return one draft per task, accepted unexamined."""
    return run_loop(p, 0.0, 1, Check(critic=False))


# --- the calculator -------------------------------------------------------------------------


@dataclass(frozen=True)
class Arm:
    """One arm per task; a figure per accepted or sent-back output is None when there are none."""

    accepted: float
    accepted_good: float
    precision: float | None
    rounds: float
    calls: float
    calls_per_accepted: float | None
    calls_per_good: float | None
    sent_back_good_share: float | None

    @classmethod
    def of(cls, flow: Flow) -> Arm:
        """Read the eight figures from a scalar flow."""
        accepted, good, calls = float(flow.accepted), float(flow.accepted_good), float(flow.calls)
        return cls(
            accepted=accepted,
            accepted_good=good,
            precision=_over(good, accepted),
            rounds=float(flow.generates),
            calls=calls,
            calls_per_accepted=_over(calls, accepted),
            calls_per_good=_over(calls, good),
            sent_back_good_share=_over(float(flow.sent_back_good), float(flow.sent_back)),
        )


@dataclass(frozen=True)
class Calculation:
    """A loop beside retries with the same check and cap, and the yardsticks at k = cap.

    `break_even_r` is the constant repair rate at which the loop accepts as many good outputs as
    retries do (the smallest, should there be several); None when no rate does, or, `every_r`, all.
    """

    loop: Arm
    retry: Arm
    pass_at_k: float
    pass_hat_k: float
    break_even_r: float | None
    every_r: bool = False

    def to_json(self) -> dict[str, object]:
        """Return the keys of the `calc` command, in their fixed order."""
        return {
            **asdict(self.loop),
            "retry": asdict(self.retry),
            "pass_at_k": self.pass_at_k,
            "pass_hat_k": self.pass_hat_k,
            "break_even_r": self.break_even_r,
        }


def calc(
    p: float,
    r: float | list[float] | tuple[float, ...],
    cap: int,
    *,
    critic: bool = False,
    far: float | None = None,
    frr: float | None = None,
    code_catches: float | None = None,
    code_misfires: float = 0.0,
    damage: float = 0.0,
    rho: float = 0.0,
) -> Calculation:
    """Return a loop beside retries at truth level; raises InputError for a rate outside [0, 1].

    `r` is one repair rate or cap - 1 of them. Without a critic code checks, at one call a round,
    sound but for the bad drafts it misses (`code_catches`) and the good ones it fails; `far` and
    `frr` are then refused. With one, code catches nothing unless said. Only retries feel `rho`.
    """
    share("p", p), share("damage", damage), share("rho", rho)
    whole("cap", cap, 1, MAX_CAP)
    if not critic and not (far is None and frr is None):
        name = "far" if frr is None else "frr"
        raise InputError(name, "it is an error of a critic, and there is none.", "Add --critic.")
    for rate in r if isinstance(r, list | tuple) else [r]:
        share("r", rate)
    check = Check(
        critic=critic,
        catches=share("code_catches", float(not critic) if code_catches is None else code_catches),
        misfires=share("code_misfires", code_misfires),
        passes_bad=0.0 if far is None else share("far", far),
        rejects_good=0.0 if frr is None else share("frr", frr),
    )
    nodes, weights = difficulty_nodes(p, rho, cap)
    retry = run_retry(nodes, cap, check).mixed(weights)
    even = _break_even(p, cap, check, damage, retry)
    return Calculation(
        # the kernel is linear in p when r is the same for every task: the mean is enough
        loop=Arm.of(run_loop(p, r, cap, check, damage)),
        retry=Arm.of(retry),
        pass_at_k=correlated_pass_at(p, rho, cap),
        pass_hat_k=correlated_pass_hat(p, rho, cap),
        break_even_r=even if isinstance(even, float) else None,
        every_r=even == "every",
    )


def _break_even(p: float, cap: int, check: Check, damage: float, retry: Flow) -> float | str:
    """Return the smallest constant r at which both arms accept as much good, "every" or "none".

    Compared by what is lost (accepted bad + not accepted), which keeps its digits where nearly
    everything is accepted. A grid finds the first crossing, three finer ones pin it down.
    """

    def lost(flow: Flow) -> Floats:
        return flow.unaccepted + flow.accepted_bad

    aim, low, high = float(lost(retry)), 0.0, 1.0
    for points in (2001, 1001, 1001, 1001):
        grid = np.linspace(low, high, points)
        gap = lost(run_loop(p, grid, cap, check, damage)) - aim
        gap = np.broadcast_to(np.where(np.abs(gap) <= 1e-12 * aim, 0.0, gap), grid.shape)
        if not gap.any():
            return "every" if high - low == 1 else low
        signs = np.sign(gap)
        crossings = np.nonzero(signs[:-1] * signs[1:] <= 0)[0]
        if not crossings.size:
            return "none"
        at = int(crossings[0])
        if signs[at] * signs[at + 1] == 0:
            return float(grid[at] if signs[at] == 0 else grid[at + 1])
        low, high = float(grid[at]), float(grid[at + 1])
    return (low + high) / 2


def _shares(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf" or not np.all((array >= 0) & (array <= 1)):
        raise InputError(name, f"{show(values)} is not all between 0 and 1.", "Write 40 % as 0.4.")
    return array.astype(np.float64)


def _over(top: float, bottom: float) -> float | None:
    return top / bottom if bottom > 1e-300 else None  # below that the quotient overflows
