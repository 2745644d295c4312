"""The ledger as the executor writes it: rows of a few milliseconds share a commit.

`write` returns when the row is durable. Commits happen in the event loop itself: a thread of its
own would fight with it for the interpreter, row by row, and take longer than the commit does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TypeAlias

from core.store.judged import NewJudgement
from core.store.ledger import Answer, Intent, Ledger, Standing
from core.store.runs import SILENCE, Run
from core.store.store import Store

GATHER = 0.003
"""Seconds in which rows gather for a commit: a call takes a thousand times as long."""

Row: TypeAlias = Intent | Answer | NewJudgement


class Journal:
    """Writes for one execution of one run. Use inside a running event loop; `close` at the end."""

    def __init__(self, store: Store, run: Run, who: str, silence: float = SILENCE) -> None:
        self._ledger = Ledger(store, run, who)
        self.standing = Standing(True, None)
        self._rows: list[tuple[Row | None, asyncio.Future[Standing] | None]] = []
        self._more = asyncio.Event()
        self._closing = False
        self._broken: BaseException | None = None
        self._writing = asyncio.create_task(self._write_on())
        self._beating = asyncio.create_task(self._beat(silence / 6))

    async def write(self, row: Row | None) -> Standing:
        """Write a row; returns how the run stands once it is durable.

        An intent that comes back with a standing that is not ours, or with a wish, was not written.
        """
        if self._broken is not None:
            raise self._broken
        done: asyncio.Future[Standing] = asyncio.get_running_loop().create_future()
        self._rows.append((row, done))
        self._more.set()
        return await done

    async def flush(self) -> None:
        """Return once everything noted so far is durable."""
        if self._rows or self._broken is not None:
            await self.write(None)

    def note(self, row: Row) -> None:
        """Write a row without waiting: it is durable as soon as anything written after it is."""
        if self._broken is not None:
            raise self._broken
        self._rows.append((row, None))
        self._more.set()

    async def close(self) -> None:
        """Write what is left and stop; raises what kept rows from being written."""
        self._closing = True
        self._beating.cancel()
        self._more.set()
        try:
            await self._writing
        finally:
            self._ledger.close()
        if self._broken is not None:
            raise self._broken

    async def _beat(self, every: float) -> None:
        """Commit now and then without any row, so that the claim does not fall silent."""
        while True:
            await asyncio.sleep(every)
            self._more.set()

    async def _write_on(self) -> None:
        while not (self._closing and not self._rows):
            await self._more.wait()
            if not self._closing:
                await asyncio.sleep(GATHER)
            self._more.clear()
            rows, self._rows = self._rows, []
            try:
                self.standing = self._commit(row for row, _ in rows)
            except Exception as error:
                # What could not be written is not known to be done: nobody goes on after this.
                self._broken = error
            for _, done in rows:
                if done is None or done.done():
                    continue
                if self._broken is not None:
                    done.set_exception(self._broken)
                else:
                    done.set_result(self.standing)

    @property
    def broken(self) -> bool:
        """Whether rows could not be written; every further write raises why."""
        return self._broken is not None

    def _commit(self, rows: Iterable[Row | None]) -> Standing:
        intents, answers, judgements = [], [], []
        for row in rows:
            if isinstance(row, Intent):
                intents.append(row)
            elif isinstance(row, Answer):
                answers.append(row)
            elif row is not None:
                judgements.append(row)
        return self._ledger.commit(intents, answers, judgements)
