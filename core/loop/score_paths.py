"""Paths of scores over many traces: counted into cells, and ordered so that a few can stand for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_LEVELS = 8
"""Different scores told apart in a picture; more of them are put into as many bins."""


@dataclass(frozen=True)
class Cell:
    """How many traces of a group have a score (or one in a bin that begins there) in a round."""

    group: str
    round: int
    score: float
    n: int


def counted_paths(
    groups: Sequence[str], number: NDArray[np.int64], score: NDArray[np.float64]
) -> tuple[list[Cell], float | None]:
    """Return the cells of every group, and the width of a bin, None where each score is its own.

    `number` and `score` are traces × rounds (number 0 behind the last, score NaN where there is
    none); `groups` names the group of each trace. Rounds without a score are in no cell.
    """
    there = (number > 0) & ~np.isnan(score)
    if not there.any():
        return [], None
    levels = np.unique(score[there])
    width = None
    binned = score
    if len(levels) > MOST_LEVELS:
        width = float(levels[-1] - levels[0]) / MOST_LEVELS
        steps = np.minimum(np.floor((score - levels[0]) / width), MOST_LEVELS - 1)
        binned = levels[0] + steps * width
    names = sorted(set(groups))
    code = {name: at for at, name in enumerate(names)}
    which = np.array([code[name] for name in groups])
    rows = np.broadcast_to(which[:, None], score.shape)[there]
    # One whole number a cell, in the order of group, round, score: sorted many times as fast.
    values, place = np.unique(binned[there], return_inverse=True)
    most = int(number.max()) + 1
    cells, n = np.unique((rows * most + number[there]) * len(values) + place, return_counts=True)
    return [
        Cell(
            names[c // len(values) // most],
            c // len(values) % most,
            float(values[c % len(values)]),
            k,
        )
        for c, k in zip(cells.tolist(), n.tolist(), strict=True)
    ], width


@dataclass(frozen=True)
class PathFacts:
    """One number a trace: the last score, the gain from first to last, and the largest fall.

    NaN where a trace has no score at all.
    """

    last: NDArray[np.float64]
    gain: NDArray[np.float64]
    fall: NDArray[np.float64]


def path_facts(score: NDArray[np.float64]) -> PathFacts:
    """Return what traces are ordered by; `score` is traces × rounds, NaN where there is none."""
    n, width = score.shape
    first, last = np.full(n, np.nan), np.full(n, np.nan)
    top, fall = np.full(n, np.nan), np.zeros(n)
    for at in range(width):
        now = score[:, at]
        seen = ~np.isnan(now)
        first = np.where(np.isnan(first) & seen, now, first)
        last = np.where(seen, now, last)
        fall = np.where(seen & (top - now > fall), top - now, fall)
        top = np.where(seen & ~(top >= now), now, top)
    return PathFacts(last, last - first, np.where(np.isnan(last), np.nan, fall))
