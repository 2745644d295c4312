"""Published runs: what two tries with feedback in between say, from their counts.

A printed rate is only trusted as far as its counts reproduce it: leaderboards divide by the tasks
that finished, or by all of them, and a repair rate worked out with the wrong one is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InputError
from core.statistics.attempts import Attempts
from core.statistics.interval import Estimate, Result, Undefined, rate, whole

GREEDY = 0.8
"""Draws whose correlation is shown to be above this are one draw given twice."""


@dataclass(frozen=True)
class TwoTries:
    """One run: of `tasks`, `first` passed at the first try and `second` by the second.

    The second try saw what failed. Raises InputError when the counts contradict each other.
    """

    tasks: int
    first: int
    second: int

    def __post_init__(self) -> None:
        whole("tasks", self.tasks), whole("first", self.first, 0), whole("second", self.second, 0)
        if not self.first <= self.second <= self.tasks:
            raise InputError(
                "counts", f"{self.first}, then {self.second} of {self.tasks}.",
                "Give passed at the first try, by the second, and all tasks.",
            )  # fmt: skip

    @property
    def p(self) -> Estimate:
        """Passed at the first try ÷ tasks."""
        found = rate(self.first, self.tasks, nothing="no tasks")
        assert isinstance(found, Estimate)
        return found

    @property
    def r(self) -> Result:
        """Repaired at the second try ÷ failed at the first."""
        return rate(
            self.second - self.first, self.tasks - self.first, nothing="no first draft failed"
        )


def denominator(count: int, printed_percent: float, candidates: Sequence[int]) -> int:
    """Return the one of `candidates` by which `count` gives the percentage as printed.

    Printed with one decimal, rounded or cut off, so less than 0.1 away; the nearest is taken, the
    first of equals. Raises InputError naming what each candidate would give when none fits.
    """
    near = [
        (abs(100 * count / n - printed_percent), at) for at, n in enumerate(candidates) if n > 0
    ]
    if near and min(near)[0] < 0.1:
        return candidates[min(near)[1]]
    given = ", ".join(f"{count} of {n} is {100 * count / n:.1f} %" for n in candidates if n > 0)
    raise InputError(
        "tasks", f"no number of tasks gives {printed_percent:g} %: {given}.",
        "Look up how many tasks were divided by.",
    )  # fmt: skip


def near_greedy(draws: Attempts) -> bool:
    """Whether draws of one task are shown to be nearly the same: they are no retry arm.

    True when the whole interval of their correlation is above .8; with sampling as people use it
    measured correlations lie around .4.
    """
    found = draws.correlation
    return not isinstance(found, Undefined) and found.low > GREEDY
