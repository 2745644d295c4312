"""How far reviewers agree on a criterion, where they differ, and what that asks for.

Labels come as codes (outputs, reviewers): PASS, FAIL, or MISSING where somebody gave no label or
was unsure. What an adjudicator decided is not in them: it settles an output, it does not make two
reviewers agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.labelling.gold import Codes, settle
from core.statistics.agreement import ac1, alpha, pairwise
from core.statistics.confusion import FAIL, MISSING, PASS, Confusion, count
from core.statistics.interval import Result, Undefined

TENTATIVE = 0.667
"""Krippendorff's lowest alpha for tentative conclusions (Content Analysis, 2004, page 241)."""

Samples = NDArray[np.int64]


class Standing(StrEnum):
    """What the agreement on a criterion allows."""

    FIX = "fix"
    ENOUGH = "enough"
    OPEN = "open"
    UNMEASURED = "unmeasured"


@dataclass(frozen=True)
class Pair:
    """Two reviewers on the `n` outputs both labelled, `same` of them alike; kappa with interval."""

    first: str
    second: str
    same: int
    n: int
    kappa: Result


@dataclass(frozen=True)
class Against:
    """A reviewer against the strict majority of the others.

    `confusion` counts the outputs this reviewer labelled and the others decide: a false accept is
    an output the others fail and this reviewer passes. `undecided` counts those this reviewer
    labelled on which the others are split evenly, `alone` those nobody else labelled.
    """

    reviewer: str
    confusion: Confusion
    undecided: int
    alone: int


@dataclass(frozen=True)
class Agreement:
    """Agreement on one criterion; `paired` outputs have two labels, `split` of them differ."""

    criterion: str
    paired: int
    split: int
    alpha: Result
    ac1: Result
    pairs: tuple[Pair, ...]
    against: tuple[Against, ...]
    bar: float = TENTATIVE

    @property
    def standing(self) -> Standing:
        """FIX when the whole interval of alpha is below the bar, ENOUGH when none of it is."""
        if isinstance(self.alpha, Undefined):
            return Standing.UNMEASURED
        if self.alpha.high < self.bar:
            return Standing.FIX
        return Standing.ENOUGH if self.alpha.low >= self.bar else Standing.OPEN

    @property
    def says(self) -> str:
        """What the standing asks for, in one sentence that names the bar."""
        bar = f"{self.bar:.3f}".rstrip("0")
        if self.standing is Standing.FIX:
            return (
                f"Fix the criterion before the judge: alpha's whole interval is below {bar}, the "
                "least Krippendorff accepts even for tentative conclusions."
            )
        if self.standing is Standing.ENOUGH:
            return f"People agree: alpha's whole interval is at or above {bar}."
        if self.standing is Standing.OPEN:
            return (
                f"Not shown either way: alpha's interval holds {bar}. Let two people label more of "
                "the same outputs."
            )
        if self.paired and not self.split:
            return "Everybody gave one and the same label, so alpha says nothing."
        return "Not measured: let a second person label the same outputs."


def measure(
    criterion: str,
    codes: Codes,
    reviewers: Sequence[str],
    samples: Samples | None = None,
    *,
    bar: float = TENTATIVE,
) -> Agreement:
    """Return the agreement on a criterion from codes (outputs, reviewers).

    `reviewers` names the columns; `samples` (outputs,) tells which outputs share a sample, which
    widens every interval. Outputs with fewer than two labels say nothing about agreement; AC1 alone learns from them how common
    PASS is. Raises InputError when shapes do not fit.
    """
    if codes.ndim != 2 or codes.shape[1] != len(reviewers):
        raise InputError(
            "labels",
            f"{codes.shape} codes for {len(reviewers)} reviewers.",
            "Give one row per output and one column per reviewer.",
        )
    passes, fails = votes(codes)
    paired = passes + fails > 1
    shared = codes[paired]
    groups = None if samples is None else np.asarray(samples)
    return Agreement(
        criterion,
        len(shared),
        int(np.count_nonzero((passes > 0) & (fails > 0))),
        alpha(shared, None if groups is None else groups[paired]),
        ac1(codes, groups),
        tuple(
            _pair(reviewers[a], reviewers[b], codes[:, a], codes[:, b], samples)
            for a, b in combinations(range(len(reviewers)), 2)
        ),
        tuple(
            _against(name, codes[:, at], passes, fails, samples)
            for at, name in enumerate(reviewers)
        ),
        bar,
    )


def votes(codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many reviewers say PASS and how many FAIL, for each output (row)."""
    return (codes == PASS).sum(1, dtype=np.int64), (codes == FAIL).sum(1, dtype=np.int64)


def splits(codes: Codes) -> NDArray[np.int64]:
    """Return the rows of (outputs, reviewers) codes with both labels, ties first, then in order.

    A tie has no gold label until somebody decides; elsewhere the majority holds meanwhile.
    """
    passes, fails = votes(codes)
    rows = np.flatnonzero((passes > 0) & (fails > 0))
    return rows[np.argsort(passes[rows] != fails[rows], kind="stable")]


def by_disagreement(found: Mapping[str, Agreement]) -> list[str]:
    """Return the criterion keys, the least agreement first, those without a measure last.

    By alpha, then by the share of outputs with two labels that are split; ties stay in order.
    """

    def rank(key: str) -> tuple[bool, float, float]:
        one = found[key]
        unknown = isinstance(one.alpha, Undefined)
        value = 0.0 if isinstance(one.alpha, Undefined) else one.alpha.value
        return unknown, value, -one.split / max(one.paired, 1)

    return sorted(found, key=rank)


def _pair(first: str, second: str, a: Codes, b: Codes, samples: Samples | None) -> Pair:
    both = (a != MISSING) & (b != MISSING)
    found = pairwise(a, b)
    same = int(np.count_nonzero(a[both] == b[both]))
    if isinstance(found.kappa, Undefined):
        return Pair(first, second, same, found.n, found.kappa)
    cells = count(a[both], b[both], None if samples is None else samples[both])
    return Pair(first, second, same, found.n, cells.kappa)


def _against(
    name: str,
    own: Codes,
    passes: NDArray[np.int64],
    fails: NDArray[np.int64],
    samples: Samples | None,
) -> Against:
    """Compare one column with the gold label the other columns give without it."""
    others = passes - (own == PASS), fails - (own == FAIL)
    gold = settle(*others, np.full(len(own), MISSING, dtype=np.int8))
    given = own != MISSING
    decided = given & (gold.codes != MISSING)
    cells = count(gold.codes[decided], own[decided], None if samples is None else samples[decided])
    return Against(
        name,
        cells,
        int(np.count_nonzero(given & gold.undecided)),
        int(np.count_nonzero(given & (others[0] + others[1] == 0))),
    )
