"""The true pass rate behind a judge's verdicts, and a judge's rates from labels chosen by verdict.

Outputs fall into strata by what the judge said of them (PASS, FAIL; UNKNOWN or split ones may be
strata of their own). Within a stratum the labelled outputs must be a random choice. Every interval
comes from 4,000 seeded draws: θ_h ~ Beta(½ + good, ½ + bad) for the good share of stratum h, and
share_h ~ Dirichlet(½ + judged outputs in h), so that both samplings, the labels and the outputs,
are in it. Where outputs share samples all counts are shrunk to their effective size first, by the
design effect of the very figure (`interval.effective_share`): labels and verdicts of one sample
are alike, and counted as independent they would promise too much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.statistics.interval import (
    DRAWS,
    ONE_CLUSTER,
    SEED,
    TAIL,
    Estimate,
    Floats,
    Result,
    Undefined,
    Z,
    clustered_rate,
    effective_share,
    gamma_draws,
    gradient_at,
    limits_of_draws,
    rate,
    whole,
)

Counts = NDArray[np.int64]
Figure = Callable[[Floats, Floats], Floats]
"""Maps weights of strata and their good shares, (..., strata) each, to the figure, (...)."""

BY_VERDICT = "not measured: labels were chosen by verdict, so their own good share says nothing"


@dataclass(frozen=True)
class Stratum:
    """Outputs alike in the judge's verdict: `judged` in all, `good` + `bad` of them labelled.

    `accepted` says whether the judge passed them; UNKNOWN is not passed.
    """

    name: str
    accepted: bool
    judged: int
    good: int
    bad: int

    def __post_init__(self) -> None:
        for field in ("judged", "good", "bad"):
            whole(f"{self.name}, {field}", getattr(self, field), 0)
        if self.labelled > self.judged:
            raise InputError(
                self.name, f"{self.labelled} labels for {self.judged} judged outputs.",
                "Count the labelled outputs among the judged ones.",
            )  # fmt: skip

    @property
    def labelled(self) -> int:
        """Outputs with a label."""
        return self.good + self.bad


@dataclass(frozen=True)
class PassRate:
    """The good share of the process the outputs come from, and what labels alone say.

    `guessed` names strata that have outputs and no label: their good share is taken as ½, give or
    take everything.
    """

    corrected: Result
    labels_only: Result
    guessed: tuple[str, ...] = ()


def pass_rate(
    strata: Sequence[Stratum], *, random: bool, by_cluster: Counts | None = None
) -> PassRate:
    """Return Σ share_h·θ_h over strata of the same outputs that were labelled.

    `random`: labels are a random sample of all outputs, rather than so many by verdict; only then
    do they say something without the judge. `by_cluster`, (clusters, 3·strata), holds for each
    sample and stratum the outputs labelled good, labelled bad and without a label; both intervals
    then allow for shared samples. Undefined without labels, and where more than half of the
    outputs are in strata without a label.
    """
    some, groups = _there(strata, by_cluster)
    good, labelled = sum(s.good for s in some), sum(s.labelled for s in some)
    judged = sum(s.judged for s in some)
    alone = _labels_only(good, labelled, groups, "not measured: no outputs labelled")
    if not random:
        alone = Undefined(BY_VERDICT, good, labelled)
    guessed = tuple(s.name for s in some if not s.labelled)
    blind = sum(s.judged for s in some if not s.labelled)
    if not labelled:
        return PassRate(Undefined("not measured: no outputs labelled", None, 0), alone)
    if 2 * blind > judged:
        reason = f"not measured: {blind:,} of {judged:,} outputs are in strata without a label"
        return PassRate(Undefined(f"{reason} ({', '.join(guessed)})", None, labelled), alone)
    return PassRate(_measure(some, groups, _good_share, "no outputs judged"), alone, guessed)


def _good_share(weight: Floats, theta: Floats) -> Floats:
    return np.asarray((weight * theta).sum(-1) / weight.sum(-1))


def _labels_only(good: int, labelled: int, groups: Counts | None, nothing: str) -> Result:
    if groups is None:
        return rate(good, labelled, nothing=nothing)
    of_good, of_bad = (groups[:, at::3].sum(axis=1) for at in (0, 1))
    return clustered_rate(of_good, of_good + of_bad, nothing=nothing)


def _there(
    strata: Sequence[Stratum], by_cluster: Counts | None
) -> tuple[list[Stratum], Counts | None]:
    """Return the strata that have outputs, and their columns of `by_cluster`."""
    kept = [s.judged > 0 for s in strata]
    some = [s for s in strata if s.judged]
    if by_cluster is None:
        return some, None
    told = [(s.good, s.bad, s.judged - s.labelled) for s in strata]
    if by_cluster.sum(axis=0).tolist() != [n for three in told for n in three]:
        raise InputError(
            "clusters", "the counts per sample do not add up to the strata.",
            "Count both from the same outputs.",
        )  # fmt: skip
    return some, by_cluster[:, np.repeat(kept, 3)]


def _measure(
    strata: Sequence[Stratum], groups: Counts | None, figure: Figure, nothing: str
) -> Result:
    """Return a figure of weights and good shares with the interval of its draws, n the labels.

    The good share of a stratum without a label is taken as ½.
    """
    labelled = sum(s.labelled for s in strata)
    counts = [np.array([getattr(s, name) for s in strata], float) for name in _COUNTS]
    judged, good, bad = counts
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(figure(judged, _theta(good, bad)))
    if not math.isfinite(value):
        return Undefined(f"not measured: {nothing}", None, labelled)

    def of_cells(cells: Floats) -> Floats:
        by_stratum = cells.reshape(*cells.shape[:-1], -1, 3)
        theta = _theta(by_stratum[..., 0], by_stratum[..., 1])
        return figure(by_stratum.sum(-1), theta)

    less = 1.0 if groups is None else _effective(groups, of_cells)
    if less is None:
        return Undefined(ONE_CLUSTER, None, labelled)
    shares, theta = _drawn(*(one[None] * less for one in counts))
    return _estimate(value, figure(shares[0].T, theta[0].T), labelled)


def _theta(good: Floats, bad: Floats) -> Floats:
    """Return good ÷ labelled, ½ where nothing is labelled."""
    labelled = good + bad
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(labelled > 0, good / labelled, 0.5)


def _effective(groups: Counts, statistic: Callable[[Floats], Floats]) -> float | None:
    """Return independent ÷ actual outputs of a statistic of (clusters, cells) counts."""
    return effective_share(groups, lambda total: gradient_at(total, statistic))


def pass_rate_limits(judged: Floats, good: Floats, bad: Floats) -> tuple[Floats, Floats]:
    """Return the limits of Σ share_h·θ_h for many tables at once, (tables,) each.

    All three are (tables, strata) counts. Those of `pass_rate` before they are widened to hold
    the figure itself.
    """
    shares, theta = _drawn(judged, good, bad)
    return limits_of_draws((shares * theta).sum(1))


@dataclass(frozen=True)
class Rates:
    """A judge's rates where labels were chosen by verdict, reweighted to all judged outputs."""

    false_accept_rate: Result
    false_reject_rate: Result
    precision: Result


def reweighted(strata: Sequence[Stratum], by_cluster: Counts | None = None) -> Rates:
    """Return the judge's rates by Begg and Greenes' correction, n the labels they rest on.

    P(bad and passed) = Σ share_h·(1 - θ_h) over accepted strata, and so on: FAR is that over
    Σ share_h·(1 - θ_h) of all strata, FRR likewise with θ_h (Begg and Greenes 1983). Refused while
    labels are missing on one side: labels of accepted outputs alone cannot tell how many bad ones
    were caught. Precision needs the accepted side only. `by_cluster` is that of `pass_rate`.
    """
    some, groups = _there(strata, by_cluster)
    labelled = sum(s.labelled for s in some)
    accepted = np.array([s.accepted for s in some], bool)
    precision: Result = Undefined("not measured: the judge accepted nothing", None, labelled)
    if accepted.any():
        kept = None if groups is None else groups[:, np.repeat(accepted, 3)]
        precision = _precision([s for s in some if s.accepted], kept)
    if not labelled or any(not s.labelled for s in some):
        nothing = Undefined(_missing(some), None, labelled)
        return Rates(nothing, nothing, precision)

    def far(weight: Floats, theta: Floats) -> Floats:
        bad = weight * (1 - theta)
        return np.asarray(bad[..., accepted].sum(-1) / bad.sum(-1))

    def frr(weight: Floats, theta: Floats) -> Floats:
        good = weight * theta
        return np.asarray(good[..., ~accepted].sum(-1) / good.sum(-1))

    return Rates(
        _measure(some, groups, far, "no bad outputs labelled"),
        _measure(some, groups, frr, "no good outputs labelled"),
        precision,
    )


def _precision(kept: Sequence[Stratum], groups: Counts | None) -> Result:
    labelled = sum(s.labelled for s in kept)
    if any(not s.labelled for s in kept):
        return Undefined("not measured: not all accepted outputs were sampled", None, labelled)
    if len(kept) == 1:
        return _labels_only(kept[0].good, labelled, groups, "")
    return _measure(kept, groups, _good_share, "")


def _missing(some: Sequence[Stratum]) -> str:
    for accepted, word, other in (
        (False, "accepted", "how many bad outputs were rejected"),
        (True, "rejected", "how many bad outputs were accepted"),
    ):
        side = [s for s in some if s.accepted is accepted]
        if side and not any(s.labelled for s in side) and any(s.labelled for s in some):
            return f"not measured: only {word} outputs were labelled, so nothing tells {other}"
    names = ", ".join(s.name for s in some if not s.labelled)
    return f"not measured: no outputs labelled in {names}" if names else "not measured: no outputs"


# --- another population ---------------------------------------------------------------------


NO_SIGNAL = "refused: the judge cannot be told from a coin, its true-accept and true-reject rates"


def rogan_gladen(
    passed: int,
    judged: int,
    *,
    good_passed: int,
    good: int,
    bad_rejected: int,
    bad: int,
    by_cluster: Counts | None = None,
) -> Result:
    """Return the good share of outputs no one labelled, from the judge's rates on other outputs.

    (p + TNR - 1) ÷ (TPR + TNR - 1) with p = `passed`/`judged`, TPR = `good_passed`/`good` and
    TNR = `bad_rejected`/`bad`, all counts, cut to [0, 1] (Rogan and Gladen 1978). It assumes that
    the judge errs as often there as it did where it was labelled. The interval carries the
    sampling of the labels and of the outputs (`lee_interval`). Refused when TPR + TNR <= 1, or
    when its 95 % interval reaches 1. n is the number of judged outputs. `by_cluster`, (samples, 6),
    holds per sample: good passed, good rejected, bad passed, bad rejected, and of the outputs
    without a label passed, rejected; all counts are then taken at their effective size.
    """
    whole("judged", judged, 0), whole("passed", passed, 0, judged)
    whole("good", good, 0), whole("good passed", good_passed, 0, good)
    whole("bad", bad, 0), whole("bad rejected", bad_rejected, 0, bad)
    for count, what in ((judged, "judged"), (good, "good"), (bad, "bad")):
        if not count:
            return Undefined(f"not measured: no {what} outputs", None, judged)
    less = 1.0 if by_cluster is None else _effective(by_cluster, _rogan_gladen)
    if less is None:
        return Undefined(ONE_CLUSTER, None, judged)
    rng = np.random.default_rng(SEED)
    tpr = rng.beta(good_passed * less + 0.5, (good - good_passed) * less + 0.5, DRAWS)
    tnr = rng.beta(bad_rejected * less + 0.5, (bad - bad_rejected) * less + 0.5, DRAWS)
    p, q1, q0 = passed / judged, good_passed / good, bad_rejected / bad
    if refused := _no_signal(q1 + q0, tpr + tnr, judged):
        return refused
    value = min(1.0, max(0.0, (p + q0 - 1) / (q0 + q1 - 1)))
    low, high = lee_interval(p, judged * less, q1, good * less, q0, bad * less)
    return Estimate(value, min(low, value), max(high, value), None, judged)


def _rogan_gladen(cells: Floats) -> Floats:
    """Return the good share elsewhere of (..., 6) cells, in the order of `by_cluster`."""
    good_passed, good_failed, bad_passed, bad_failed, passed, failed = np.moveaxis(cells, -1, 0)
    tpr = good_passed / (good_passed + good_failed)
    far = bad_passed / (bad_passed + bad_failed)
    return np.asarray((passed / (passed + failed) - far) / (tpr - far))


def rogan_gladen_reweighted(passed: int, judged: int, strata: Sequence[Stratum]) -> Result:
    """Return the same from labels chosen by verdict: TPR and TNR by Begg and Greenes.

    `strata` are those of the labelled outputs' population; `passed` of `judged` are the outputs
    elsewhere. The interval is that of 4,000 draws of p, TPR and TNR together.
    """
    whole("judged", judged, 0), whole("passed", passed, 0, judged)
    if not judged:
        return Undefined("not measured: no judged outputs", None, 0)
    rates = reweighted(strata)
    far, frr = rates.false_accept_rate, rates.false_reject_rate
    for one in (far, frr):
        if isinstance(one, Undefined):
            return Undefined(one.reason, None, judged)
    assert isinstance(far, Estimate)
    assert isinstance(frr, Estimate)
    some = [s for s in strata if s.judged]
    shares, theta = _draws(some)
    accepted = np.array([s.accepted for s in some], bool)
    good, bad = shares * theta, shares * (1 - theta)
    tpr = good[:, accepted].sum(1) / good.sum(1)
    tnr = bad[:, ~accepted].sum(1) / bad.sum(1)
    q1, q0, p = 1 - frr.value, 1 - far.value, passed / judged
    if refused := _no_signal(q1 + q0, tpr + tnr, judged):
        return refused
    rng = np.random.default_rng(SEED + 1)
    seen = rng.beta(passed + 0.5, judged - passed + 0.5, DRAWS)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = (seen + tnr - 1) / (tpr + tnr - 1)
    usable = tpr + tnr > 1
    value = min(1.0, max(0.0, (p + q0 - 1) / (q0 + q1 - 1)))
    return _estimate(value, np.clip(drawn[usable], 0, 1), judged)


def _no_signal(total: float, drawn: Floats, n: int) -> Undefined | None:
    if total <= 1:
        return Undefined(f"{NO_SIGNAL} add up to {total:.2f}, not above 1", None, n)
    low = float(np.quantile(drawn, TAIL))
    if low <= 1:
        return Undefined(f"{NO_SIGNAL} add up to {total:.2f}, give or take 1; label more", None, n)
    return None


def lee_interval(
    p: float, n: float, tpr: float, good: float, tnr: float, bad: float, z: float = Z
) -> tuple[float, float]:
    """Return the limits of Lee et al. (arXiv 2511.21140) for the Rogan–Gladen share, in [0, 1].

    `p` of `n` outputs passed; `tpr` of `good` and `tnr` of `bad` labelled outputs, shares. All
    three are shrunk first, p by z²/2 passes and fails, TPR and TNR by one each; the centre is
    moved for the bias of the ratio. No better than chance, TPR + TNR <= 1 once shrunk: 0 and 1.
    """
    total = n + z * z
    p = (n * p + z * z / 2) / total
    m1, m0 = good + 2, bad + 2
    q1, q0 = (good * tpr + 1) / m1, (bad * tnr + 1) / m0
    gain = q1 + q0 - 1
    if gain <= 0:
        return 0.0, 1.0
    share = (p + q0 - 1) / gain
    v1, v0 = q1 * (1 - q1) / m1, q0 * (1 - q0) / m0
    centre = share + 2 * z * z * (share * v1 - (1 - share) * v0)
    half = z / gain * math.sqrt(p * (1 - p) / total + (1 - share) ** 2 * v0 + share**2 * v1)
    return min(1.0, max(0.0, float(centre - half))), min(1.0, max(0.0, float(centre + half)))


_COUNTS = ("judged", "good", "bad")


def _draws(strata: Sequence[Stratum]) -> tuple[Floats, Floats]:
    """Return (draws, strata) shares and good shares; the same draws for the same strata."""
    counts = (np.array([[getattr(s, name) for s in strata]], float) for name in _COUNTS)
    shares, theta = _drawn(*counts)
    return shares[0].T, theta[0].T


def _drawn(judged: Floats, good: Floats, bad: Floats) -> tuple[Floats, Floats]:
    """Return (tables, strata, DRAWS) shares and good shares of (tables, strata) counts."""
    shares = gamma_draws(judged, SEED)
    shares /= shares.sum(1, keepdims=True)
    labels = gamma_draws(np.concatenate([good, bad], axis=1), SEED + 2)
    of_good, of_bad = np.split(labels, 2, axis=1)
    return shares, of_good / (of_good + of_bad)


def _estimate(value: float, draws: Floats, n: int) -> Estimate:
    low, high = limits_of_draws(draws)
    return Estimate(value, min(float(low), value), max(float(high), value), None, n)
