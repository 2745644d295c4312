"""Making a call inside a run: budget, ledger, one retry layer, and a server's wish to be left alone.

This is the only place that repeats a call. Waits are capped; a server's retry-after is honoured up
to a limit, and beyond it the run stops with a line that says so, rather than sleep for an hour.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from enum import Enum

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from core.judging.calls import CallFailed, FailureKind, Model, ModelCall, ModelReply, Usage
from core.runs.journal import Journal
from core.runs.limits import Gate, Purse
from core.runs.models import Price
from core.store.ledger import Answer, Intent, Place, Standing, tokens_in
from core.store.runs import RunState, Wish

FRAME = 500
"""Tokens a server may add to a request: its own words around a schema, marks of turns."""

_TOO_MUCH = frozenset({FailureKind.RATE_LIMITED, FailureKind.OVERLOADED})


@dataclass(frozen=True)
class RetryRule:
    """`attempts` at one call, waits of at most `longest_wait` seconds, `reasks` after a bad reply.

    Without an answer the wait before attempt k is random up to first_wait · 2^(k-1) seconds.
    """

    attempts: int = 5
    longest_wait: float = 60.0
    first_wait: float = 0.5
    reasks: int = 1


class Why(Enum):
    """Why an execution ends before its work does, and the state it leaves the run in."""

    STOPPED = RunState.WAITING
    PAUSED = RunState.PAUSED
    CANCELLED = RunState.CANCELLED
    FAILED = RunState.FAILED
    LOST = None


class Halt(Exception):
    """The run stops here; `line` says why, for a person, or is empty when somebody asked for it.

    `for_labels`: it goes on by itself once people have labelled what waits.
    """

    def __init__(self, why: Why, line: str = "", *, for_labels: bool = False) -> None:
        super().__init__(line or why.name)
        self.why = why
        self.line = line
        self.for_labels = for_labels


class Caller:
    """Makes the calls of one execution. `halted` is set by whoever ends it and wakes all waits."""

    def __init__(
        self,
        model: Model,
        journal: Journal,
        purse: Purse,
        gate: Gate,
        rule: RetryRule,
        price: Price,
        number: int,
    ) -> None:
        self.model = model
        self.journal = journal
        self.purse = purse
        self.gate = gate
        self.rule = rule
        self.price = price
        self.halted = asyncio.Event()
        self.reached = False
        self._number = number
        self._settled = asyncio.Event()
        # The schema of the last call and its size: mostly the same object call after call.
        self._schema: object = None
        self._schema_size = 0

    async def send(
        self, place: Place, call: ModelCall, request_hash: str, config_hash: str, ask: int
    ) -> ModelReply:
        """Return the reply to `call`; retries what may pass.

        The reply is noted in the ledger ahead of whatever is written about it.

        Raises CallFailed when it never came, Halt when the run has to stop.
        """
        asked = (place, call, request_hash, config_hash, ask)
        try:
            return await self._once(*asked, 1)
        except CallFailed as failed:
            # Only now, because setting up the retries takes as long as the ledger does.
            if not self._again(failed):
                raise
            await self._sleep(self._pause(failed, 1))
        async for attempt in AsyncRetrying(
            stop=stop_after_attempt(self.rule.attempts - 1),
            retry=retry_if_exception(self._again),
            wait=self._wait,
            sleep=self._sleep,
            reraise=True,
        ):
            with attempt:
                return await self._once(*asked, attempt.retry_state.attempt_number + 1)
        raise AssertionError("the last attempt returns or raises")

    def _again(self, error: BaseException) -> bool:
        if not isinstance(error, CallFailed) or not error.worth_retrying:
            return False
        return not self.misaddressed(error) and self.rule.attempts > 1

    def misaddressed(self, failed: CallFailed) -> bool:
        """Whether nobody answers there: before anything has worked, that is a wrong address.

        A connection that was made and broke is none: the request may have been taken, and paid for.
        """
        unreachable = failed.kind is FailureKind.UNREACHABLE and not failed.may_be_billed
        return unreachable and not self.reached

    def _wait(self, state: RetryCallState) -> float:
        failed = state.outcome.exception() if state.outcome else None
        assert isinstance(failed, CallFailed)
        return self._pause(failed, state.attempt_number + 1)

    def _pause(self, failed: CallFailed, attempt: int) -> float:
        """Return the seconds to wait after an attempt; raises Halt when a server asks for too many."""
        asked = failed.retry_after
        if asked is not None and asked > self.rule.longest_wait:
            raise Halt(
                Why.PAUSED,
                f"the server asks to wait {asked:,.0f} s ({failed}); the longest wait here is "
                f"{self.rule.longest_wait:g} s",
            )
        step = self.rule.first_wait * 2 ** (attempt - 1)
        return min(max(random.uniform(step / 2, step), asked or 0.0), self.rule.longest_wait)

    async def _sleep(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.halted.wait(), seconds)
        except TimeoutError:
            return
        raise Halt(Why.STOPPED)

    async def _once(
        self,
        place: Place,
        call: ModelCall,
        request_hash: str,
        config_hash: str,
        ask: int,
        attempt: int,
    ) -> ModelReply:
        """Make one attempt: reserve, intent, call, answer."""
        await self.gate.enter()
        try:
            tokens = self._most_tokens(call)
            usd = most_usd(call, tokens, self.price)
            await self._afford(tokens, usd)
            cost, paid = tokens, usd
            try:
                self._number += 1
                number = self._number
                intent = Intent(number, place, ask, attempt, request_hash, config_hash, tokens, usd)
                try:
                    permit(await self.journal.write(intent))
                except Halt:
                    cost, paid = 0, 0.0
                    raise
                result: ModelReply | CallFailed
                try:
                    result = await self.model.send(call)
                except CallFailed as failed:
                    result = failed
                price = None
                if isinstance(result, CallFailed):
                    if result.kind in _TOO_MUCH:
                        self.gate.refused()
                    if not result.may_be_billed:
                        cost, paid = 0, 0.0
                else:
                    self.reached = True
                    self.gate.succeeded()
                    price = self.price(call.model, result.usage)
                    used = tokens_in(result.usage)
                    if used is not None and result.usage.output is not None:
                        cost, paid = used + result.usage.output, price
                self.journal.note(Answer(number, result, price))
            finally:
                self.purse.settle(tokens, usd, cost=cost, paid=paid)
                self._settled.set()
        finally:
            self.gate.leave()
        if isinstance(result, CallFailed):
            if result.kind is FailureKind.KEY:
                raise Halt(Why.FAILED, f"{result} Nothing was spent on this call. Check the key.")
            raise result
        return result

    def _most_tokens(self, call: ModelCall) -> int:
        """Return how many tokens a call can take: no token is shorter than one byte of what is sent.

        Beside the texts, the schema and what a server adds around them (`FRAME`), and the ceiling
        of the reply.
        """
        if call.schema is not self._schema:
            self._schema = call.schema
            self._schema_size = 0 if call.schema is None else len(repr(call.schema))
        size = _bytes(call.system) + sum(_bytes(m.text) for m in call.messages)
        return size + self._schema_size + FRAME + call.max_tokens

    async def _afford(self, tokens: int, usd: float | None) -> None:
        """Reserve a call's cost; waits while calls in the air may still come out cheaper."""
        while (lacks := self.purse.lacks(tokens, usd)) is not None:
            if self.purse.held == 0 or self.halted.is_set():
                raise Halt(Why.PAUSED, f"the budget of {lacks} leaves no room for a further call")
            self._settled.clear()
            await self._settled.wait()
        if self.halted.is_set():
            raise Halt(Why.STOPPED)
        self.purse.reserve(tokens, usd)


def permit(standing: Standing) -> None:
    """Raise Halt when the run is no longer ours or somebody wants it to stop."""
    if not standing.ours:
        raise Halt(Why.LOST)
    if standing.wish is Wish.PAUSE:
        raise Halt(Why.PAUSED)
    if standing.wish is Wish.CANCEL:
        raise Halt(Why.CANCELLED)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def most_usd(call: ModelCall, tokens: int, price: Price) -> float | None:
    """Return what a call of `tokens` at most can cost in US dollars; None when no price is set.

    All of its input is taken to be written to the cache, where it asks for one: that costs most.
    """
    into = tokens - call.max_tokens
    usage = Usage(0, call.max_tokens, into, 0) if call.cache else Usage(into, call.max_tokens, 0, 0)
    return price(call.model, usage)
