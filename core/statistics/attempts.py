"""Independent draws per task: pass@k, pass^k, what fresh draws rescue, and how alike draws are.

Everything is computed per task and averaged over tasks, never from pooled totals: tasks differ in
difficulty, so the k-th draw of a task that failed k - 1 times is worth less than a first draw.
Intervals are Clopper–Pearson at an effective number of tasks, from the variance between tasks (see
`interval.effective_tasks`); a bootstrap over tasks is too narrow where few tasks speak. Simulated
coverage at nominal 95 %, worst of 378 settings (15, 30 and 100 tasks; 2, 3 and 5 draws; mean .2,
.5, .8; ρ .1, .3, .6; pass@k, pass^k, F_2, F_N): at least .94, the bootstrap .76.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.statistics.interval import (
    TAIL,
    Estimate,
    Floats,
    Result,
    Undefined,
    as_json,
    clopper_pearson,
    effective_tasks,
    share,
    whole,
)


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int) -> Floats:
    """Return the chance that at least one of k draws is good, from c good of n; shape of n and c.

    1 - C(n-c, k)/C(n, k), unbiased (Chen et al. 2021), as -expm1(Σ_{j<k} log1p(-c/(n-j))), which
    neither overflows nor cancels. Needs k <= n.
    """
    draws, good = np.broadcast_arrays(np.asarray(n, float), np.asarray(c, float))
    logs = np.zeros(draws.shape)
    with np.errstate(divide="ignore"):
        for j in range(k):
            logs += np.log1p(-np.minimum(good / (draws - j), 1.0))
    return np.asarray(-np.expm1(logs))


def pass_hat_k(n: ArrayLike, c: ArrayLike, k: int) -> Floats:
    """Return the chance that all k draws are good, C(c, k)/C(n, k), unbiased. Needs k <= n."""
    draws, good = np.broadcast_arrays(np.asarray(n, float), np.asarray(c, float))
    product = np.ones(draws.shape)
    for j in range(k):
        product *= np.maximum(good - j, 0.0) / (draws - j)
    return product


def correlated_pass_at(mean: float, rho: float, k: int) -> float:
    """Return 1 - B(a, b+k)/B(a, b): pass@k when the pass rate varies over tasks as Beta(a, b).

    `mean` = a/(a+b), `rho` = 1/(a+b+1), both in [0, 1]; rho 0 is 1 - (1 - mean)^k.
    """
    return 1 - correlated_pass_hat(1 - mean, rho, k)


def correlated_pass_hat(mean: float, rho: float, k: int) -> float:
    """Return B(a+k, b)/B(a, b): pass^k when the pass rate varies over tasks as Beta(a, b)."""
    i = np.arange(1, k)
    return float(mean * np.prod((mean * (1 - rho) + i * rho) / (1 - rho + i * rho)))


def next_after_failures(mean: float, rho: float, failures: int) -> float:
    """Return the chance that the next fresh draw passes after `failures` failed ones: a/(a+b+t).

    The fair yardstick for the repair rate of that round; it falls without any loop at fault.
    """
    if failures == 0:
        return mean
    return mean * (1 - rho) / (1 - rho + failures * rho)


def difficulty_nodes(mean: float, rho: float, cap: int) -> tuple[Floats, Floats]:
    """Return pass rates and weights that stand for Beta-distributed difficulty, (m,) each.

    Gauss–Jacobi with m = ⌈(cap + 1)/2⌉ nodes, exact for polynomials of degree cap, so exact for
    retries (Golub and Welsch 1969). `mean` and `rho` = 1/(a+b+1) in [0, 1]; rho 0 is one node.
    """
    share("p", mean), share("rho", rho)
    if rho < 1e-12 or mean in (0, 1):  # a spread too small to be computed with, or none
        return np.array([mean], float), np.ones(1)
    if 1 - rho < 1e-12:  # a task passes always or never
        return np.array([0.0, 1.0]), np.array([1 - mean, mean])
    return _gauss_jacobi(mean, rho, cap)


def _gauss_jacobi(mean: float, rho: float, cap: int) -> tuple[Floats, Floats]:
    """Return nodes and weights, (m,); mean and rho strictly between 0 and 1."""
    size = (whole("cap", cap) + 2) // 2
    total = 1 / rho - 1
    a, b = mean * total, (1 - mean) * total
    i = np.arange(1, size)
    middle = 2 * i + total - 2
    later = 0.5 + 0.5 * (a - b) * (total - 2) / (middle * (middle + 2))
    inner = i * (i + a - 1) * (i + b - 1) * (i + total - 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        off = inner / (middle**2 * (middle + 1) * (middle - 1))
    if size > 1:
        off[0] = a * b / (total**2 * (total + 1))
    beside = np.sqrt(off)
    matrix = np.diag([mean, *later]) + np.diag(beside, 1) + np.diag(beside, -1)
    nodes, vectors = np.linalg.eigh(matrix)
    return np.clip(nodes, 0.0, 1.0), vectors[0] ** 2


def break_even_r(fresh_share: float, cap: int) -> float:
    """Return the repair rate per round that rescues as much by `cap` as fresh draws do.

    1 - (1 - F_N)^(1/(N - 1)), with F_N in [0, 1] and N >= 2. It equals p only if draws are
    independent.
    """
    revisions = whole("cap", cap, 2) - 1
    return float(1 - (1 - share("fresh share", fresh_share)) ** (1 / revisions))


@dataclass(frozen=True)
class Attempts:
    """Tasks by what their draws gave: `times` tasks had `good` good ones among `draws` draws.

    Made by `Attempts.of`. Estimates carry the number of tasks as n.
    """

    draws: tuple[int, ...]
    good: tuple[int, ...]
    times: tuple[int, ...]

    @classmethod
    def of(cls, draws: ArrayLike, good: ArrayLike) -> Attempts:
        """Count tasks by kind, from one number of draws and of good draws per task.

        Raises InputError unless both are whole numbers with 0 <= good <= draws and draws >= 1.
        """
        n, c = np.atleast_1d(np.asarray(draws)), np.atleast_1d(np.asarray(good))
        if n.shape != c.shape or n.ndim != 1:
            raise InputError("attempts", f"{n.shape} against {c.shape}.", "Give both per task.")
        if n.size and (n.dtype.kind not in "iu" or c.dtype.kind not in "iu"):
            raise InputError("attempts", "counts that are no integers.", "Give whole numbers.")
        if not n.size:
            return cls((), (), ())
        fewest, most = int(n.min()), int(n.max())
        if fewest < 1 or c.min() < 0 or c.max() > most:
            _refuse(n, c)
        kinds, times = _count(n.astype(np.int64, copy=False), c.astype(np.int64, copy=False))
        width = most + 1
        draws, good = kinds // width, kinds % width
        if np.any(good > draws):
            _refuse(n, c)
        return cls(*(tuple(x.tolist()) for x in (draws, good, times)))

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return sum(self.times)

    @property
    def fewest(self) -> int:
        """Draws of the task that has fewest; the largest k that is defined. 0 without tasks."""
        return min(self.draws, default=0)

    def pass_at(self, k: int) -> Result:
        """Return pass@k averaged over tasks: at least one of k draws is good."""
        if reason := self._lacks(whole("k", k)):
            return reason
        return self._ratio(pass_at_k(self.draws, self.good, k), np.ones(len(self.draws)))

    def pass_hat(self, k: int) -> Result:
        """Return pass^k averaged over tasks: all of k draws are good."""
        if reason := self._lacks(whole("k", k)):
            return reason
        return self._ratio(pass_hat_k(self.draws, self.good, k), np.ones(len(self.draws)))

    def naive_pass_at(self, k: int) -> float | Undefined:
        """Return 1 - (1 - pass@1)^k: what k draws would give if every task were equally hard."""
        first = self.pass_at(1)
        if isinstance(first, Undefined):
            return first
        return correlated_pass_at(first.value, 0.0, whole("k", k))

    def fresh_share(self, cap: int) -> Result:
        """Return F_N: of tasks whose first draw failed, the share N - 1 more draws rescue.

        (pass@N - pass@1) ÷ (1 - pass@1), N = `cap` >= 2; undefined when no first draw fails.
        """
        if reason := self._lacks(whole("cap", cap, 2)):
            return reason
        first = pass_at_k(self.draws, self.good, 1)
        return self._ratio(pass_at_k(self.draws, self.good, cap) - first, 1 - first)

    @property
    def fresh_rate(self) -> Result:
        """F_2: the share of first-draw failures that one more draw rescues."""
        return self.fresh_share(2)

    def break_even(self, cap: int) -> Result:
        """Return the repair rate per round that equals fresh draws by `cap` (`break_even_r`)."""
        fresh = self.fresh_share(cap)
        if isinstance(fresh, Undefined):
            return fresh
        low, value, high = (break_even_r(f, cap) for f in (fresh.low, fresh.value, fresh.high))
        return Estimate(value, low, high, None, fresh.n)

    @property
    def correlation(self) -> Result:
        """ρ, how alike the draws of one task are, in [0, 1], by beta-binomial maximum likelihood.

        0: every task is equally hard; 1: a task passes always or never. The interval holds the
        ρ whose profile likelihood is within t²/2 of the best, t the 97.5 % point with tasks - 1
        degrees of freedom (1.92 for many tasks). Refused with one draw per task,
        with one task, and when all draws passed or all failed: nothing there speaks of ρ.
        """
        tasks = self.tasks
        if self.draws and max(self.draws) < 2:
            return Undefined("not measured: one draw per task says nothing of ρ", None, tasks)
        if tasks < 2:
            return Undefined("not measured: ρ needs at least two tasks", None, tasks)
        if not any(self.good) or self.good == self.draws:
            what = "passed" if any(self.good) else "failed"
            return Undefined(f"not measured: every draw {what}", None, tasks)
        return _fit_rho(self)

    def to_json(self, ks: list[int] | None = None) -> dict[str, object]:
        """Return the keys of the `attempts` command; k from 1 to `fewest` unless given.

        pass@k, pass^k and the naive figure are plain numbers, null where undefined.
        """
        chosen = list(range(1, self.fewest + 1)) if ks is None else ks
        return {
            "tasks": self.tasks,
            "pass_at": {str(k): _number(self.pass_at(k)) for k in chosen},
            "pass_hat": {str(k): _number(self.pass_hat(k)) for k in chosen},
            "naive_pass_at": {str(k): _number(self.naive_pass_at(k)) for k in chosen},
            "fresh_rate": as_json(self.fresh_rate),
            "fresh_share": {str(k): as_json(self.fresh_share(k)) for k in chosen if k > 1},
            "correlation": as_json(self.correlation),
        }

    def _lacks(self, k: int) -> Undefined | None:
        if not self.tasks:
            return Undefined("not measured: no tasks", None, 0)
        short = sum(t for n, t in zip(self.draws, self.times, strict=True) if n < k)
        if not short:
            return None
        return Undefined(
            f"k = {k} needs {k} draws of every task; {short} of {self.tasks} tasks have fewer",
            None, self.tasks,
        )  # fmt: skip

    def _ratio(self, top: Floats, bottom: Floats) -> Result:
        """Return Σ top ÷ Σ bottom over tasks; (kinds,) each, 0 <= top <= bottom <= 1."""
        tasks, times = self.tasks, np.array(self.times)
        mass = float(times @ bottom)
        if mass <= 0:
            return Undefined("not measured: every first draw passed", None, tasks)
        value = min(1.0, max(0.0, float(times @ top) / mass))
        n = effective_tasks(top, bottom, times, int(times @ np.array(self.draws)))
        low, high = clopper_pearson(value * n, n)
        return Estimate(value, min(low, value), max(high, value), None, tasks)


def _refuse(n: NDArray[np.integer], c: NDArray[np.integer]) -> NoReturn:
    at = int(np.nonzero((n < 1) | (c < 0) | (c > n))[0][0])
    raise InputError(
        f"task {at}", f"{int(c[at])} good of {int(n[at])} draws.",
        "Give at least one draw, and no more good ones than draws.",
    )  # fmt: skip


def _count(
    n: NDArray[np.int64], c: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the kinds of task as n·(max n + 1) + c, ascending, and how many tasks each has.

    Needs 0 <= c <= max n. Counting beats sorting while the codes are few; in pieces that stay in
    the processor's cache it is three times as fast as at once.
    """
    most = int(n.max())
    width = most + 1
    if width**2 > max(4 * n.size, 10_000):
        return np.unique(n * width + c, return_counts=True)
    every = np.zeros(width * width, np.int64)
    if int(n.min()) == most:
        every[most * width :] = np.bincount(c, minlength=width)
    else:
        for start in range(0, n.size, _PIECE):
            codes = n[start : start + _PIECE] * width
            codes += c[start : start + _PIECE]
            every += np.bincount(codes, minlength=every.size)
    kinds = np.nonzero(every)[0]
    return kinds, every[kinds]


_PIECE = 1 << 16


class _BetaBinomial:
    """The log likelihood of (mean, rho), in a form that holds at rho 0 and 1.

    P(c of n) ∝ Π_{i<c}(m(1-ρ)+iρ) · Π_{i<n-c}((1-m)(1-ρ)+iρ) ÷ Π_{i<n}(1-ρ+iρ), the i = 0
    factors written out so that (1 - ρ) cancels. Tasks enter as how many have c > i, n-c > i, n > i.
    """

    def __init__(self, attempts: Attempts) -> None:
        n, c, t = (np.array(x) for x in (attempts.draws, attempts.good, attempts.times))
        self.good, self.bad, self.all = (_beyond(x, t) for x in (c, n - c, n))
        self.mixed = int(t[(c > 0) & (c < n)].sum())

    def log_likelihood(self, mean: float, rho: float) -> float:
        """Return it, up to a constant; 0 < mean < 1, 0 <= rho <= 1."""
        if rho >= 1 and self.mixed:
            return -np.inf
        total = self.good[0] * np.log(mean) + self.bad[0] * np.log1p(-mean)
        if self.mixed:
            total += self.mixed * np.log1p(-rho)
        for counts, part, sign in (
            (self.good, mean, 1), (self.bad, 1 - mean, 1), (self.all, 1.0, -1)
        ):  # fmt: skip
            i = np.arange(1, len(counts))
            total += sign * float(counts[1:] @ np.log(part * (1 - rho) + i * rho))
        return float(total)

    def profile(self, rho: float) -> float:
        """Return the log likelihood at the best mean; it is concave in the mean."""
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda mean: -self.log_likelihood(mean, rho),
            bounds=(1e-9, 1 - 1e-9), method="bounded", options={"xatol": 1e-9},
        )  # fmt: skip
        return -float(found.fun)


def _beyond(counts: NDArray[np.int64], times: NDArray[np.int64]) -> Floats:
    """Return, for i = 0, 1, …, how many tasks have a count above i (at least one entry)."""
    at = np.bincount(counts, weights=times)
    above = at.sum() - np.cumsum(at)
    return np.asarray(above[:-1] if len(above) > 1 else above, float)


@lru_cache(maxsize=64)  # a page asks for the same one several times
def _fit_rho(attempts: Attempts) -> Result:
    from scipy.optimize import brentq, minimize_scalar
    from scipy.special import stdtrit

    model = _BetaBinomial(attempts)
    allowed = float(stdtrit(attempts.tasks - 1, 1 - TAIL)) ** 2
    grid = np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 8), np.linspace(0.15, 0.95, 17), [1.0]])
    heights = [model.profile(rho) for rho in grid]
    at = int(np.argmax(heights))
    value, best = float(grid[at]), heights[at]
    around = (float(grid[max(0, at - 1)]), float(grid[min(len(grid) - 1, at + 1)]))
    found = minimize_scalar(
        lambda rho: -model.profile(rho), bounds=around, method="bounded", options={"xatol": 1e-9}
    )
    if -found.fun > best + 1e-9:
        value, best = float(found.x), -float(found.fun)

    def drop(rho: float) -> float:
        return 2 * (best - model.profile(rho)) - allowed

    low = 0.0 if drop(0.0) <= 0 else float(brentq(drop, 0.0, value))
    top = 1.0 if not model.mixed else 1 - 1e-9
    high = 1.0 if drop(top) <= 0 else float(brentq(drop, value, top))
    return Estimate(value, low, high, None, attempts.tasks)


def _number(result: Result | float) -> float | None:
    if isinstance(result, Undefined):
        return None
    return result.value if isinstance(result, Estimate) else result
