"""How many labels are needed, and what the next ones would bring.

Numbers of items are of the kind the rate is about: bad outputs for the false-accept rate, good
ones for the false-reject rate. Labels are those divided by the share of that kind, times the
design effect. Everything uses the interval the figures are shown with, Clopper–Pearson.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError, show
from core.statistics.interval import (
    TAIL,
    Floats,
    Undefined,
    Z,
    clopper_pearson,
    clopper_pearson_many,
    share,
    whole,
)

CHANCE = 0.8
Z_80 = 0.8416212335729143
"""The 80 % point of the standard normal distribution."""
MOST = 10_000_000
"""Items beyond which no plan is made."""


@dataclass(frozen=True)
class Plan:
    """`items` of the kind the rate is about, found among `labels` labels.

    `allowed`: errors among the items up to which the limit is shown to hold; `chance`: of at most
    so many, at the guessed rate. Both None for a plan by width.
    """

    items: int
    labels: int
    allowed: int | None = None
    chance: float | None = None


def labels_for_limit(
    limit: float, guess: float, *, kind: float = 1.0, deff: float = 1.0
) -> Plan | Undefined:
    """Return the fewest items with an 80 % chance that the rate's upper end is at most `limit`.

    `guess`: the true rate as guessed, `kind`: share of outputs that are of the kind, in (0, 1];
    `deff` >= 1. For each number of errors k the smallest n whose upper end keeps the limit is
    where P(X <= k; n, limit) falls to .025; the first k with P(X <= k; n, guess) >= .8 is the
    plan. Undefined when the guess is not below the limit: no number of labels would do.
    """
    _check(limit, guess, kind, deff)
    if guess >= limit:
        return Undefined(
            f"no number of labels is enough: the guessed rate {_percent(guess)} is not below "
            f"the limit {_percent(limit)}", None, 0,
        )  # fmt: skip
    if limit >= 1:
        return Plan(0, 0, 0, 1.0)
    first = 0
    step = 64
    while first <= MOST * limit:
        errors = np.arange(first, first + step)
        items = _smallest(errors, limit)
        chances = _at_most(errors, items, guess)
        enough = np.nonzero(chances >= CHANCE)[0]
        if enough.size and items[enough[0]] <= MOST:
            at = enough[0]
            n = int(items[at])
            return Plan(n, _labels(n, kind, deff), int(errors[at]), float(chances[at]))
        # far from it, a hundredth of errors more or less does not matter
        reached = first + step
        while reached <= MOST * limit and not _enough(reached, limit, guess):
            first, reached = reached, 2 * reached
        if first < reached:
            first = _bisect(lambda k: _enough(k, limit, guess), first, reached)
    return Undefined(f"more than {MOST:,} outputs: the guessed rate is too near the limit", None, 0)


def labels_for_width(
    width: float, guess: float, *, kind: float = 1.0, deff: float = 1.0
) -> Plan | Undefined:
    """Return the fewest items whose interval, at the guessed rate, is at most `width` wide.

    `width` is from end to end, in (0, 1]; the other arguments are those of `labels_for_limit`.
    """
    _check(width, guess, kind, deff)

    def narrow(n: int) -> bool:
        low, high = clopper_pearson(guess * n, n)
        return high - low <= width

    top = 1
    while not narrow(top):
        top *= 2
        if top > MOST:
            return Undefined(f"more than {MOST:,} outputs: the width is too small", None, 0)
    n = top if top == 1 else _bisect(narrow, top // 2, top)
    return Plan(n, _labels(n, kind, deff))


def clean_items_needed(k: int, n: int, limit: float, *, deff: float = 1.0) -> int | Undefined:
    """Return how many more items without an error bring the upper end of k/n down to `limit`.

    0 when it is there already. 2 of 45 at a limit of 5 % need 97 more. `deff` >= 1 is the design
    effect of clusters: counts are divided by it, and the answer multiplied.
    """
    whole("n", n, 0), whole("k", k, 0, n)
    _check(limit, 0.0, 1.0, deff)
    if limit >= 1 or (n and clopper_pearson(k / deff, n / deff)[1] <= limit):
        return 0
    total = float(_smallest(np.array([k / deff]), limit, whole_items=deff == 1)[0])
    needed = math.ceil((total - n / deff) * deff - 1e-9)
    if needed > MOST:
        return Undefined(f"more than {MOST:,} outputs", k, n)
    return max(1, needed)


@dataclass(frozen=True)
class Outlook:
    """What more labels would bring, averaged over what they may say.

    `low` and `high`: expected ends of the interval. `chance_met`: that its upper end is then at
    most the limit; `chance_missed`: that its lower end is above it; None without a limit.
    """

    low: float
    high: float
    chance_met: float | None
    chance_missed: float | None


def outlook(
    k: int,
    n: int,
    labels: int = 20,
    *,
    kind: float = 1.0,
    limit: float | None = None,
    deff: float = 1.0,
) -> Outlook:
    """Return what `labels` more labels would make of k errors in n items, `labels` up to 200.

    Of the labels, Binomial(labels, kind) are of the kind; the errors among them follow the
    beta-binomial law with the rate Beta(k + ½, n - k + ½). Counts are divided by `deff`, the design
    effect of clusters, wherever they say how sure one is.
    """
    from scipy.special import betaln

    whole("n", n, 0), whole("k", k, 0, n), whole("labels", labels, 1, 200)
    _check(1.0 if limit is None else limit, 0.0, kind, deff)
    items = np.arange(labels + 1)
    of_kind = np.exp(
        _log_choose(labels, items)
        + _log_power(kind, items) + _log_power(1 - kind, labels - items)
    )  # fmt: skip
    likely = items[of_kind > 1e-9]
    m = np.repeat(likely, likely + 1)
    x = np.concatenate([np.arange(one + 1) for one in likely])
    a, b = k / deff + 0.5, (n - k) / deff + 0.5
    weight = of_kind[m] * np.exp(_log_choose(m, x) + betaln(a + x, b + m - x) - betaln(a, b))
    weight /= weight.sum()
    low, high = clopper_pearson_many((k + x) / deff, (n + m) / deff)
    met = missed = None
    if limit is not None:
        met, missed = float(weight @ (high <= limit)), float(weight @ (low > limit))
    return Outlook(float(weight @ low), float(weight @ high), met, missed)


def _log_choose(n: ArrayLike, k: ArrayLike) -> Floats:
    from scipy.special import gammaln

    top, chosen = np.asarray(n, float), np.asarray(k, float)
    return np.asarray(gammaln(top + 1) - gammaln(chosen + 1) - gammaln(top - chosen + 1))


def _log_power(base: float, exponent: NDArray[np.int64]) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(exponent == 0, 0.0, np.maximum(exponent, 1) * np.log(base)))


def _at_most(k: Floats | NDArray[np.int64], n: Floats | NDArray[np.int64], rate: float) -> Floats:
    """Return P(X <= k) of Binomial(n, rate), for n > k."""
    from scipy.special import betainc

    return np.asarray(betainc(np.asarray(n, float) - k, np.asarray(k, float) + 1, 1 - rate))


def _smallest(k: Floats | NDArray[np.int64], limit: float, whole_items: bool = True) -> Floats:
    """Return, for each number of errors, the fewest items whose upper end keeps the limit."""
    low = np.asarray(k, float)
    # The upper end is above k/n, so n is above k/limit; the normal approximation is near the rest.
    above = np.maximum(low, np.floor(low / limit))
    enough = np.ceil(above + (4 + 2.2 * np.sqrt(low + 1)) / limit)
    while (open_ := _at_most(low, enough, limit) > TAIL).any():
        enough = np.where(open_, 2 * enough, enough)
    for _ in range(60):
        middle = np.floor((above + enough) / 2) if whole_items else (above + enough) / 2
        inside = (middle > above) & (middle < enough)
        if not inside.any():
            break
        kept = _at_most(low, np.where(inside, middle, enough), limit) <= TAIL
        enough = np.where(inside & kept, middle, enough)
        above = np.where(inside & ~kept, middle, above)
    return np.asarray(enough)


def _enough(errors: int, limit: float, guess: float) -> bool:
    k = np.array([errors])
    return bool(_at_most(k, _smallest(k, limit), guess)[0] >= CHANCE)


def _bisect(holds: Callable[[int], bool], no: int, yes: int) -> int:
    """Return the smallest number that holds, between one that does not and one that does."""
    while yes - no > 1:
        middle = (no + yes) // 2
        no, yes = (no, middle) if holds(middle) else (middle, yes)
    return yes


def _labels(items: int, kind: float, deff: float) -> int:
    return math.ceil(items * deff / kind - 1e-9)


def _check(limit: float, guess: float, kind: float, deff: float) -> None:
    share("guess", guess)
    for name, value in (("limit", limit), ("share of the kind", kind)):
        if share(name, value) == 0:
            raise InputError(name, "it is 0.", "Give a share above 0.")
    if not (math.isfinite(deff) and deff >= 1):
        raise InputError("design effect", f"{show(deff)} is not 1 or more.", "Give 1 if unsure.")


def _percent(value: float) -> str:
    return f"{100 * value:g} %"


def pairs_needed(discordant: float, difference: float) -> int:
    """Return how many pairs give McNemar's test (two-sided .05) an 80 % chance to find a winner.

    (z.975·√ψ + z.8·√(ψ - δ²))² ÷ δ² with ψ the share of pairs that differ and δ the difference of
    the two shares, 0 < δ <= ψ <= 1 (Connor 1987).
    """
    psi, delta = share("discordant", discordant), share("difference", difference)
    if not 0 < delta <= psi + 1e-12:
        raise InputError("difference", f"{show(difference)} is 0 or above {psi:g}.", "Give both.")
    root = Z * math.sqrt(psi) + Z_80 * math.sqrt(max(0.0, psi - delta**2))
    return math.ceil(root**2 / delta**2 - 1e-9)


def best_split(weights: ArrayLike, good: ArrayLike) -> Floats:
    """Return the shares of new labels per stratum that make the pass rate surest, (strata,).

    W_h·√(θ_h(1 - θ_h)), scaled to 1, with `weights` the shares of outputs and `good` the guessed
    good shares of the strata (Neyman 1934). Where every stratum is all good or all bad: `weights`.
    """
    w, theta = np.asarray(weights, float), np.asarray(good, float)
    in_range = np.all((w >= 0) & (w <= 1)) and np.all((theta >= 0) & (theta <= 1))
    if w.ndim != 1 or w.shape != theta.shape or not in_range or abs(w.sum() - 1) > 1e-9:
        raise InputError(
            "strata", f"shares {show(weights)} with {show(good)} good.",
            "Give one share of outputs, adding up to 1, and one good share per stratum.",
        )  # fmt: skip
    spread = w * np.sqrt(theta * (1 - theta))
    return np.asarray(spread / spread.sum() if spread.sum() > 0 else w)
