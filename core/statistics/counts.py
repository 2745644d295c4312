"""What the counts of one measured run of both arms say, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import InputError
from core.statistics.attempts import break_even_r
from core.statistics.interval import Estimate, Result, Undefined, rate, whole
from core.statistics.worked import CAP_MAX


@dataclass(frozen=True)
class Counts:
    """Counts of one measured run of both arms behind the same check and cap.

    `first` of `tasks` passed the check on draft 1. Of the rest the loop rescued `rescued` and
    fresh draws `redrawn` by the cap. `wrong_first` and `wrong_rescued` of those the check passed
    were wrong by gold labels. Raises InputError when they contradict each other.
    """

    tasks: int
    first: int
    rescued: int
    redrawn: int
    wrong_first: int
    wrong_rescued: int
    cap: int

    def __post_init__(self) -> None:
        whole("tasks", self.tasks), whole("cap", self.cap, 2, CAP_MAX)
        for name, most, of in (
            ("first", self.tasks, "tasks"),
            ("rescued", self.failures, "first-draft failures"),
            ("redrawn", self.failures, "first-draft failures"),
            ("wrong_first", self.first, "drafts accepted in round 1"),
            ("wrong_rescued", self.rescued, "tasks the loop rescued"),
        ):
            value = whole(name, getattr(self, name), 0)
            if value > most:
                raise InputError(
                    name.replace("_", " "), f"{value} is more than the {most} {of}.",
                    "Correct the counts.",
                )  # fmt: skip

    @property
    def failures(self) -> int:
        """Tasks whose first draft failed the check."""
        return self.tasks - self.first

    @property
    def accepted(self) -> int:
        """Tasks the loop accepted."""
        return self.first + self.rescued

    @property
    def flagged(self) -> int:
        """Tasks that left the loop unaccepted."""
        return self.tasks - self.accepted

    @property
    def first_pass(self) -> Result:
        """Share accepted on draft 1, p at accepted level."""
        return rate(self.first, self.tasks, nothing="no tasks")

    @property
    def rescue_share(self) -> Result:
        """Of first-draft failures, the share the loop accepts by its cap."""
        return rate(self.rescued, self.failures, nothing="no first draft failed")

    @property
    def fresh_share(self) -> Result:
        """F_cap: of first-draft failures, the share fresh draws rescue by the cap."""
        return rate(self.redrawn, self.failures, nothing="no first draft failed")

    @property
    def predicted_fresh_share(self) -> float:
        """What F_cap would be if draws were independent: 1 − (1−p)^(cap−1)."""
        return 1 - (1 - self.first / self.tasks) ** (self.cap - 1)

    @property
    def loop_accepted(self) -> Result:
        """Tasks that end accepted under the loop ÷ all tasks."""
        return rate(self.accepted, self.tasks, nothing="no tasks")

    @property
    def retry_accepted(self) -> Result:
        """Tasks that end accepted under retries ÷ all tasks."""
        return rate(self.first + self.redrawn, self.tasks, nothing="no tasks")

    @property
    def precision(self) -> Result:
        """Good ÷ accepted by the loop."""
        return self._good(self.accepted, self.wrong_first + self.wrong_rescued)

    @property
    def precision_first(self) -> Result:
        """Good ÷ accepted on draft 1."""
        return self._good(self.first, self.wrong_first)

    @property
    def precision_rescued(self) -> Result:
        """Good ÷ rescued by the loop."""
        return self._good(self.rescued, self.wrong_rescued)

    @property
    def false_share(self) -> Result:
        """Wrong ÷ accepted, 1 − precision. Not the false-accept rate."""
        wrong = self.wrong_first + self.wrong_rescued
        return rate(wrong, self.accepted, nothing="nothing accepted")

    @property
    def correct_of_all(self) -> Result:
        """Accepted and good ÷ tasks."""
        right = self.accepted - self.wrong_first - self.wrong_rescued
        return rate(right, self.tasks, nothing="no tasks")

    @property
    def repair_rate(self) -> Result:
        """The constant repair rate per round that gives this rescue share."""
        return self._per_round(self.rescue_share)

    @property
    def break_even(self) -> Result:
        """The repair rate per round at which the loop rescues what fresh draws do."""
        return self._per_round(self.fresh_share)

    def _per_round(self, result: Result) -> Result:
        if isinstance(result, Undefined):
            return result
        low, value, high = (
            break_even_r(x, self.cap) for x in (result.low, result.value, result.high)
        )
        return Estimate(value, low, high, None, result.n)

    def _good(self, of: int, wrong: int) -> Result:
        return rate(of - wrong, of, nothing="nothing accepted")
