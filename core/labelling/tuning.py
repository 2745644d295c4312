"""Which outputs are judged again after the judge's instructions were changed.

All on which the judge and the labels disagreed, because there something has to change; and a
control sample of those on which they agreed, because there nothing should.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.statistics.confusion import FAIL, MISSING, PASS


@dataclass(frozen=True)
class Draw:
    """Positions into the arrays that were drawn from, ascending, and how many there were to draw.

    `agreements` is how many outputs agreed; `controls` those drawn of them.
    """

    disagreements: tuple[int, ...]
    controls: tuple[int, ...]
    agreements: int

    @property
    def all(self) -> tuple[int, ...]:
        """Everything that is judged again, ascending."""
        return tuple(sorted((*self.disagreements, *self.controls)))


def draw(gold: ArrayLike, judge: ArrayLike, dev: ArrayLike, *, controls: int, seed: str) -> Draw:
    """Return all dev disagreements and `controls` dev agreements, half good and half bad.

    `gold` and `judge` are (n,) codes, `dev` (n,) says which outputs may be used at all. UNKNOWN of
    the judge counts as FAIL; outputs without gold or verdict are left out. Where one kind of
    agreement is too rare for its half, the other fills up. The same seed draws the same outputs.
    Raises InputError for a negative number or unequal lengths.
    """
    g, j, may = np.asarray(gold), np.asarray(judge), np.asarray(dev, dtype=bool)
    if not g.shape == j.shape == may.shape:
        raise InputError(
            "tuning", "labels, verdicts and sides of unequal length.", "Give one each."
        )
    if controls < 0:
        raise InputError("control sample", f"{controls} is below 0.", "Give 0 or more.")
    counted = may & (g != MISSING) & (j != MISSING)
    passed = j == PASS
    wrong = counted & ((g == PASS) != passed)
    good = np.flatnonzero(counted & (g == PASS) & passed)
    bad = np.flatnonzero(counted & (g == FAIL) & ~passed)
    rng = random.Random(f"control sample {seed}")
    few, many = sorted((_shuffled(rng, good), _shuffled(rng, bad)), key=len)
    of_few = few[: (controls + 1) // 2]
    chosen = [*of_few, *many[: controls - len(of_few)]]
    return Draw(
        tuple(int(i) for i in np.flatnonzero(wrong)), tuple(sorted(chosen)), len(good) + len(bad)
    )


def _shuffled(rng: random.Random, found: NDArray[np.int64]) -> list[int]:
    items = [int(i) for i in found]
    rng.shuffle(items)
    return items
