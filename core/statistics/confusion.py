"""A judge against gold labels: four named cells, and everything that follows from them.

PASS is the positive class. UNKNOWN of the judge counts as FAIL and is counted beside it. Pairs
without a gold label (unlabelled) or without a verdict (unscored) are left out of every rate and
counted. The cells are counted once; everything after that does not depend on n.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError, show
from core.statistics.interval import (
    Floats,
    Result,
    Statistic,
    Undefined,
    as_json,
    clustered_rate,
    composite,
    kinds_of_clusters,
    rate,
)

FAIL = 0
PASS = 1
UNKNOWN = 2
MISSING = -1

TRUE_ACCEPT, FALSE_ACCEPT, FALSE_REJECT, TRUE_REJECT = range(4)


@dataclass(frozen=True)
class Confusion:
    """The four cells of judge against gold, with UNKNOWN inside the two reject cells.

    `unknown_good` is part of `false_reject`, `unknown_bad` of `true_reject`. `unlabelled` and
    `unscored` are outside the cells. `by_cluster`, (clusters, 4), holds the same cells per
    cluster when outputs come in clusters; every interval then allows for it.
    """

    true_accept: int
    false_accept: int
    false_reject: int
    true_reject: int
    unknown_good: int = 0
    unknown_bad: int = 0
    unlabelled: int = 0
    unscored: int = 0
    by_cluster: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for one in fields(self)[:8]:
            value = getattr(self, one.name)
            if not isinstance(value, int) or value < 0:
                raise InputError(
                    one.name, f"{show(value)} is no count.", "Give a whole number from 0 up."
                )
        if self.unknown_good > self.false_reject or self.unknown_bad > self.true_reject:
            raise InputError(
                "unknown",
                "there are more UNKNOWN verdicts than rejects they are part of.",
                "Count each UNKNOWN as a reject too.",
            )
        if self.by_cluster is not None and tuple(self.by_cluster.sum(axis=0)) != self.cells:
            raise InputError(
                "clusters",
                "the cells per cluster do not add up to the four cells.",
                "Count both from the same pairs.",
            )

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """True accepts, false accepts, false rejects, true rejects."""
        return self.true_accept, self.false_accept, self.false_reject, self.true_reject

    @property
    def n(self) -> int:
        """Pairs with a gold label and a verdict."""
        return sum(self.cells)

    @property
    def good(self) -> int:
        """Good outputs among the n."""
        return self.true_accept + self.false_reject

    @property
    def bad(self) -> int:
        """Bad outputs among the n."""
        return self.false_accept + self.true_reject

    @property
    def accepted(self) -> int:
        """Outputs the judge passed among the n."""
        return self.true_accept + self.false_accept

    @property
    def says(self) -> str | None:
        """What a constant judge does in words, else None; kappa alone does not say it."""
        if self.n and self.accepted == self.n:
            return "passes everything"
        if self.n and self.accepted == 0:
            return "fails everything"
        return None

    @cached_property
    def false_accept_rate(self) -> Result:
        """Bad outputs the judge passed ÷ bad outputs."""
        return self._rate([FALSE_ACCEPT], [FALSE_ACCEPT, TRUE_REJECT], self._no("bad outputs"))

    @cached_property
    def false_reject_rate(self) -> Result:
        """Good outputs the judge failed ÷ good outputs."""
        return self._rate([FALSE_REJECT], [TRUE_ACCEPT, FALSE_REJECT], self._no("good outputs"))

    @cached_property
    def precision(self) -> Result:
        """Good outputs ÷ accepted outputs; one minus this is the false share of accepts."""
        nothing = "not measured: the judge accepted nothing" if self.n else self._no("outputs")
        return self._rate([TRUE_ACCEPT], [TRUE_ACCEPT, FALSE_ACCEPT], nothing)

    @cached_property
    def accuracy(self) -> Result:
        """Pairs on which judge and gold agree ÷ pairs; read it beside `always_pass_accuracy`."""
        return self._rate([TRUE_ACCEPT, TRUE_REJECT], [0, 1, 2, 3], self._no("outputs"))

    @cached_property
    def accept_share(self) -> Result:
        """Outputs the judge passed ÷ pairs."""
        return self._rate([TRUE_ACCEPT, FALSE_ACCEPT], [0, 1, 2, 3], self._no("outputs"))

    @cached_property
    def base_rate(self) -> Result:
        """Good outputs ÷ pairs."""
        return self._rate([TRUE_ACCEPT, FALSE_REJECT], [0, 1, 2, 3], self._no("outputs"))

    @property
    def always_pass_accuracy(self) -> Result:
        """The accuracy of a judge that passes everything: the base rate."""
        return self.base_rate

    @cached_property
    def kappa(self) -> Result:
        """Cohen's kappa; 0 for a constant judge, undefined when both used one class only."""
        reason = "kappa is undefined: gold and judge both hold one class only"
        return self._composite(kappa_of_cells, reason)

    @cached_property
    def ac1(self) -> Result:
        """Gwet's AC1 for the two categories PASS and FAIL; defined whenever there are pairs."""
        return self._composite(ac1_of_cells, self._no("outputs"))

    def to_json(self) -> dict[str, object]:
        """Return the keys of the `agreement` command, in their fixed order."""
        return {
            "n": self.n,
            "left_out": {"unlabelled": self.unlabelled, "unscored": self.unscored},
            "counts": {
                "true_accept": self.true_accept,
                "false_accept": self.false_accept,
                "false_reject": self.false_reject,
                "true_reject": self.true_reject,
            },
            "unknown": {"good": self.unknown_good, "bad": self.unknown_bad},
            "false_accept_rate": as_json(self.false_accept_rate),
            "false_reject_rate": as_json(self.false_reject_rate),
            "precision": as_json(self.precision),
            "accuracy": as_json(self.accuracy),
            "kappa": as_json(self.kappa),
            "ac1": as_json(self.ac1),
        }

    def _no(self, what: str) -> str:
        """Say that there are none of `what`, and whether missing verdicts may be why."""
        return f"not measured: no {what} labelled" + (" and scored" if self.unscored else "")

    def _rate(self, hits: list[int], among: list[int], nothing: str) -> Result:
        if self._kinds is not None:
            rows, times = self._kinds
            return clustered_rate(
                rows[:, hits].sum(axis=1), rows[:, among].sum(axis=1), nothing=nothing, times=times
            )
        cells = self.cells
        return rate(sum(cells[c] for c in hits), sum(cells[c] for c in among), nothing=nothing)

    def _composite(self, statistic: Statistic, reason: str) -> Result:
        if self.n == 0:
            return Undefined(self._no("outputs"), None, 0)
        return composite(self.cells, statistic, reason=reason, by_cluster=self._kinds)

    @cached_property
    def _kinds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        return None if self.by_cluster is None else kinds_of_clusters(self.by_cluster)


def kappa_of_cells(cells: Floats) -> Floats:
    """Return Cohen's kappa of (..., 4) cells, in the order of `Confusion.cells`.

    2·(ad - bc) ÷ ((a+b)(b+d) + (a+c)(c+d)), the 2×2 form of (po - pe)/(1 - pe); 0/0 when both
    raters used one class only.
    """
    a, b, c, d = np.moveaxis(cells, -1, 0)
    return np.asarray(2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d)))


def ac1_of_cells(cells: Floats) -> Floats:
    """Return Gwet's AC1 of (..., 4) cells: (po - pe)/(1 - pe) with pe = 2π(1 - π).

    π is the mean share of PASS over both raters (Gwet 2008); 1 - pe is at least ½.
    """
    a, b, c, d = np.moveaxis(cells, -1, 0)
    n = a + b + c + d
    share = (2 * a + b + c) / (2 * n)
    chance = 2 * share * (1 - share)
    return np.asarray(((a + d) / n - chance) / (1 - chance))


def count(gold: ArrayLike, judge: ArrayLike, clusters: ArrayLike | None = None) -> Confusion:
    """Count judge verdicts against gold labels, pair by pair.

    `gold` and `judge` are (n,) integer codes PASS, FAIL, UNKNOWN or MISSING, int8 for speed; gold
    UNKNOWN is a missing label. A pair without gold is unlabelled, whatever the judge said; of the
    rest, one without a verdict is unscored. `clusters`, (n,), names the cluster of each pair.
    Raises InputError for other codes or unequal lengths.
    """
    g, j = verdict_codes("gold", gold), verdict_codes("judge", judge)
    if g.shape != j.shape:
        raise InputError(
            "judge", f"{j.size} verdicts for {g.size} labels.", "Give one verdict per label."
        )
    good, bad, accept, unknown = g == PASS, g == FAIL, j == PASS, j == UNKNOWN
    reject = (j == FAIL) | unknown
    cells = (_some(good & accept), _some(bad & accept), _some(good & reject), _some(bad & reject))
    labelled = _some(good) + _some(bad)
    groups = None
    if clusters is not None:
        # 0 true accept, 1 false accept, 2 false reject, 3 true reject
        cell = bad + 2 * reject
        groups = _by_cluster(cell, (good | bad) & (accept | reject), np.asarray(clusters))
    return Confusion(
        *cells,
        unknown_good=_some(good & unknown),
        unknown_bad=_some(bad & unknown),
        unlabelled=g.size - labelled,
        unscored=labelled - sum(cells),
        by_cluster=groups,
    )


def _some(these: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(these))


def _by_cluster(
    cell: NDArray[np.int64], kept: NDArray[np.bool_], clusters: NDArray[np.generic]
) -> NDArray[np.int64]:
    """Return (clusters, 4) counts of the kept pairs."""
    if clusters.shape != kept.shape:
        raise InputError(
            "clusters",
            f"{clusters.size} cluster names for {kept.size} pairs.",
            "Give one per pair.",
        )
    named, cell = clusters[kept], cell[kept]
    # Numbers that are small as they are need no sorting; those of no kept pair are left out.
    whole = named.dtype.kind in "iu" and named.size
    if whole and int(named.min()) >= 0 and int(named.max()) < 4 * kept.size:
        group = named.astype(np.int64, copy=False)
    else:
        _, group = np.unique(named, return_inverse=True)
    top = int(group.max(initial=0))
    cells = np.bincount(4 * group + cell, minlength=4 * (top + 1)).reshape(-1, 4)
    some = np.bincount(group, minlength=top + 1) > 0
    return cells if some.all() else cells[some]


def verdict_codes(name: str, values: ArrayLike) -> NDArray[np.integer]:
    """Return the codes as an integer array; text or other numbers are refused, never unequal."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, np.int8)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(
            name,
            f"{show(values)} is no list of verdict codes.",
            "Map the words to PASS 1, FAIL 0, UNKNOWN 2 or MISSING -1 first.",
        )
    if array.min() < MISSING or array.max() > UNKNOWN:
        wrong = array[(array < MISSING) | (array > UNKNOWN)][0]
        raise InputError(
            name,
            f"code {int(wrong)} means nothing.",
            "Use PASS 1, FAIL 0, UNKNOWN 2 or MISSING -1.",
        )
    return array
