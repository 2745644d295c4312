"""What holds a run back: its budget, and how many calls may be in the air at once."""

from __future__ import annotations

import asyncio
import time
from collections import deque

from core.contract.contract import Budget
from core.store.ledger import Spent


class Purse:
    """A hard budget: a call starts only if what it may cost at most still fits.

    Money and tokens are reserved before a call and settled after it; spent and reserved together
    never pass the budget, however many calls are in the air.
    """

    def __init__(self, budget: Budget, spent: Spent, seconds: float) -> None:
        self.budget = budget
        self.calls = spent.attempts
        self.tokens = spent.tokens_in + spent.tokens_out + spent.reserved_tokens
        self.usd = (spent.usd or 0.0) + spent.reserved_usd
        self.held = 0
        self._seconds = seconds
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time spent executing, over all processes that had the run."""
        return self._seconds + time.monotonic() - self._started

    def lacks(self, tokens: int, usd: float | None) -> str | None:
        """Return which part of the budget a further call would pass, or None if it fits."""
        b = self.budget
        if b.calls is not None and self.calls + 1 > b.calls:
            return f"{b.calls:,} calls"
        if b.tokens is not None and self.tokens + tokens > b.tokens:
            return f"{b.tokens:,} tokens"
        if b.usd is not None and self.usd + (usd or 0.0) > b.usd:
            return f"{b.usd:g} US dollars"
        if b.seconds is not None and self.seconds > b.seconds:
            return f"{b.seconds:g} seconds"
        return None

    def reserve(self, tokens: int, usd: float | None) -> None:
        """Hold what a call may cost at most."""
        self.held += 1
        self.calls += 1
        self.tokens += tokens
        self.usd += usd or 0.0

    def settle(self, tokens: int, usd: float | None, *, cost: int, paid: float | None) -> None:
        """Replace a call's reserve by what it did cost."""
        self.held -= 1
        self.tokens += cost - tokens
        self.usd += (paid or 0.0) - (usd or 0.0)


class Gate:
    """How many calls may be in the air: halved when the server says it is too much, then regrown.

    The first call goes alone: a wrong key or model shows before many ask for it.
    Additive increase, multiplicative decrease: one more call for every `limit` successes, half as
    many after a refusal, but not twice within `PAUSE` seconds, because calls sent together are
    refused together.
    """

    PAUSE = 1.0

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = 1.0
        self.opened = False
        self.active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._halved = float("-inf")

    async def enter(self) -> None:
        """Wait for a free place and take it."""
        while self.active >= int(self.limit):
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self.active += 1

    def leave(self) -> None:
        """Give the place back."""
        self.active -= 1
        free = int(self.limit) - self.active
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

    def succeeded(self) -> None:
        """A call went through."""
        if not self.opened:
            self.opened = True
            self.limit = float(self.most)
        elif self.limit < self.most:
            self.limit = min(float(self.most), self.limit + 1 / self.limit)

    def refused(self) -> None:
        """The server said that it is too much."""
        now = time.monotonic()
        if now - self._halved >= self.PAUSE:
            self._halved = now
            self.limit = max(1.0, self.limit / 2)
