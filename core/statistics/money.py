"""What calls cost in tokens, dollars and seconds, and what a month of tasks comes to.

Prices are dollars per million tokens; one that is not set is None, and so is every amount of money
that would need it. The revision prompt carries the last draft and the failures: `growth` tokens
more than a fresh one. A critic reads the prompt, the draft and its own instructions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from core.errors import InputError, show
from core.statistics.costs import Flow, Spend, per_month, spend
from core.statistics.uncertainty import Prices


@dataclass(frozen=True)
class Costs:
    """Tokens of each part, prices per million tokens, seconds per call, what ending badly costs.

    `hand_over`: dollars a person costs for a task that ends unaccepted; `wrong`: dollars an
    accepted output that is bad costs; `tasks`: tasks a month. All finite and >= 0.
    """

    prompt: float = 1000.0
    draft: float = 600.0
    growth: float = 800.0
    rubric: float = 400.0
    verdict: float = 150.0
    usd_in: float | None = None
    usd_out: float | None = None
    critic_in: float | None = None
    critic_out: float | None = None
    draft_seconds: float = 10.0
    critic_seconds: float = 5.0
    hand_over: float = 0.0
    wrong: float = 0.0
    tasks: float = 1000.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise InputError(one.name, f"{show(value)} is below 0 or no number.", "Correct it.")

    @property
    def fresh(self) -> Spend:
        """One fresh draft."""
        return self._draft(self.prompt)

    @property
    def revision(self) -> Spend:
        """One revision."""
        return self._draft(self.prompt + self.growth)

    @property
    def critic(self) -> Spend:
        """One verdict of a critic."""
        tokens = self.prompt + self.draft + self.rubric
        usd = _usd(tokens, self.verdict, self.critic_in, self.critic_out)
        return Spend(tokens, self.verdict, usd, self.critic_seconds)

    def _draft(self, tokens: float) -> Spend:
        usd = _usd(tokens, self.draft, self.usd_in, self.usd_out)
        return Spend(tokens, self.draft, usd, self.draft_seconds)

    def priced(self, critic: bool) -> bool:
        """Whether every price is set that the calls need."""
        needed = [self.usd_in, self.usd_out, *([self.critic_in, self.critic_out] if critic else [])]
        return None not in needed

    def prices(self, critic: bool) -> Prices:
        """Return what the kernel's calls cost, in dollars; in calls where a price is not set."""
        if not self.priced(critic):
            return Prices()
        return Prices(
            self.fresh.usd, self.revision.usd, self.critic.usd, self.hand_over, self.wrong
        )


def _usd(tokens_in: float, tokens_out: float, price_in: float | None, out: float | None) -> float:
    """Return dollars; 0 where a price is not set, which `priced` tells apart."""
    return (tokens_in * (price_in or 0.0) + tokens_out * (out or 0.0)) / 1_000_000


@dataclass(frozen=True)
class Bill:
    """One arm: a task's tokens, and a month. Dollars are None where a price is not set, wrong
    outputs and `total` where the level does not tell good from bad.

    `usd` pays the calls; `total` adds hand-overs and wrong outputs; `per_good` is total ÷ accepted
    and good, None where there is none.
    """

    tokens_in: float
    tokens_out: float
    usd: float | None
    hours: float
    wrong: float | None
    handed_over: float
    good: float | None
    total: float | None
    per_good: float | None


def bill(flow: Flow, costs: Costs, *, critic: bool, revises: bool, truth: bool) -> Bill:
    """Return a month of an arm from its scalar flow; `truth` False: p and r are of acceptance."""
    later = costs.revision if revises else costs.fresh
    one = spend(flow, costs.fresh, later, costs.critic)
    month = per_month(flow, one, costs.tasks)
    usd = month.usd if costs.priced(critic) else None
    wrong = month.wrong if truth else None
    good = float(flow.accepted_good) * costs.tasks if truth else None
    total = None
    if usd is not None and (wrong is not None or costs.wrong == 0):
        total = usd + month.handed_over * costs.hand_over + (wrong or 0.0) * costs.wrong
    return Bill(
        one.tokens_in, one.tokens_out, usd, month.hours, wrong, month.handed_over, good, total,
        total / good if total is not None and good else None,
    )  # fmt: skip
