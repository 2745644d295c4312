"""Executing a run: claim it, do its jobs with bounded concurrency, hand it back.

`execute` is the one door: the app's thread and the commands go through it. Inside is one event loop
with one client. Whatever ends an execution early, calls in the air are given time to come back,
because they are paid for; then the row says how the run stands and why.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from core.contract.contract import Contract
from core.errors import BenchError, InputError
from core.judging.calls import CallFailed, Model
from core.runs.calls import Caller, Halt, RetryRule, Why, permit
from core.runs.examples import ExamplesWork
from core.runs.journal import Journal
from core.runs.judging import JudgeWork
from core.runs.limits import Gate, Purse
from core.runs.loops import LoopWork
from core.runs.models import ModelFactory, Price, price_list
from core.store.ledger import next_number, spent
from core.store.runs import (
    SILENCE,
    Run,
    RunKind,
    RunState,
    Wish,
    claim,
    load_run,
    release,
    whoami,
)
from core.store.store import Store

GRACE = 10.0
"""Seconds that calls in the air are waited for when the process is asked to end."""
FIRST_FAILURES = 3
"""Jobs that may fail in a row before any call has gone through."""
FAILURES = 10
"""Jobs that may fail in a row for lack of an answer after some went through."""

Progress = Callable[[int], None]
"""Is told now and then how many of the run's judgements there are."""


class Work(Protocol):
    """What a run does, as jobs: all but `do` are called in a thread, `do` in the loop."""

    done: int
    contract: Contract
    ahead: int
    """How many jobs may still be there when the next are fetched; 0 waits until there are none."""
    answered: bool
    """Whether earlier runs are known to have had answers from this model at this address."""

    @property
    def waits(self) -> str:
        """What people have to do before the rest can be done, in one line; empty when nothing."""
        ...

    def prepare(self) -> None:
        """Do what comes before the first call."""
        ...

    def more(self) -> Sequence[Any] | None:
        """Return the next jobs, possibly none; None when there are no more."""
        ...

    def finish(self) -> None:
        """Keep what was counted, whether the work is done or not."""
        ...

    async def do(self, job: Any, caller: Caller) -> CallFailed | None:
        """Do a job and store what came of it; returns the failure that ended it, if one did."""
        ...


_WORK: Mapping[RunKind, Callable[[Store, Run], Work]] = {
    RunKind.JUDGE: JudgeWork,
    RunKind.EXAMPLES: ExamplesWork,
    RunKind.LOOP: LoopWork,
}


def execute(
    store: Store,
    run_id: int,
    model_factory: ModelFactory,
    stop: threading.Event | None = None,
    *,
    price: Price | None = None,
    who: str | None = None,
    silence: float = SILENCE,
    grace: float = GRACE,
    keyboard: bool = False,
    progress: Progress = lambda done: None,
) -> Run:
    """Execute a run until it is done or has to stop, and return it as it then stands.

    `who` names an execution that has claimed the run already. Setting `stop` ends it soon: the run
    waits for the next process then, or with `keyboard` for the person who stopped it. Raises
    BenchError when another process has the run, StoreError when the workspace cannot be written.
    """
    me = who or whoami()
    run = claim(store, run_id, me, silence)
    if run is None:
        raise BenchError(
            f"run {run_id}: it is {load_run(store, run_id).state}, not to be executed."
        )
    started = time.monotonic()
    why, line, for_labels = Why.STOPPED, "", False
    try:
        execution = _Execution(store, run, me, stop or threading.Event(), silence, grace, progress)
        with _settled_heap():
            ended = asyncio.run(execution.go(model_factory, price or price_list()))
        if ended is not None:
            why, line = ended.why, ended.line
        state = RunState.DONE if ended is None else why.value
        for_labels = ended is not None and ended.for_labels
    except InputError as error:
        state, line = RunState.FAILED, str(error)
    except (KeyboardInterrupt, SystemExit):
        _hand_back(store, run, me, RunState.WAITING, started, "", keyboard)
        raise
    except Exception as error:
        line = f"unexpected {type(error).__name__}: {' '.join(str(error).split())}"
        _hand_back(store, run, me, RunState.FAILED, started, line, False)
        raise
    if state is not None:
        _hand_back(store, run, me, state, started, line, keyboard, for_labels)
    return load_run(store, run_id)


@contextmanager
def _settled_heap() -> Iterator[None]:
    """Spare the garbage collector what was there before the run.

    It would go through all of it, a quarter of a million objects, about once in a thousand calls,
    for a tenth of the time these take.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _hand_back(
    store: Store,
    run: Run,
    me: str,
    state: RunState,
    started: float,
    line: str,
    keyboard: bool,
    for_labels: bool = False,
) -> None:
    by_hand = keyboard and state is RunState.WAITING
    release(
        store,
        run,
        me,
        RunState.PAUSED if by_hand else state,
        seconds=time.monotonic() - started,
        error=line,
        wish=Wish.INTERRUPTED if by_hand else Wish.LABELS if for_labels else None,
    )


class _Execution:
    """One execution of one run, inside its event loop."""

    def __init__(
        self,
        store: Store,
        run: Run,
        me: str,
        stop: threading.Event,
        silence: float,
        grace: float,
        progress: Progress,
    ) -> None:
        self.store = store
        self.run = run
        self.me = me
        self.stop = stop
        self.silence = silence
        self.grace = grace
        self.progress = progress
        self.halt: Halt | None = None
        self.failed_in_a_row = 0
        self._jobs: deque[Any] = deque()
        self._dry = False
        self._fetching: asyncio.Task[None] | None = None

    async def go(self, factory: ModelFactory, price: Price) -> Halt | None:
        """Do the work; returns what ended it early, or None when it is done."""
        self.work = await asyncio.to_thread(_WORK[self.run.kind], self.store, self.run)
        model = factory(self.run.config, self.work.contract)
        try:
            journal = Journal(self.store, self.run, self.me, self.silence)
            try:
                await self._work(model, journal, price)
            finally:
                await journal.close()
        finally:
            await model.close()
        return self.halt

    async def _work(self, model: Model, journal: Journal, price: Price) -> None:
        config = self.run.config
        await asyncio.to_thread(self.work.prepare)
        before = spent(self.store, self.run)
        purse = Purse(self.run.budget, before, self.run.seconds)
        gate = Gate(int(config["concurrency"]))
        rule = RetryRule(**config["retry"])
        number = next_number(self.store, self.run.id)
        self.caller = Caller(model, journal, purse, gate, rule, price, number)
        first = await self._take()
        if first is None:
            return
        self.caller.reached = before.replies > 0 or self.work.answered
        await _probe(model)
        self._jobs.appendleft(first)
        workers = [asyncio.create_task(self._worker()) for _ in range(gate.most)]
        watcher = asyncio.create_task(self._watch(journal))
        try:
            await self._until_done(workers)
        finally:
            watcher.cancel()
            for worker in workers:
                worker.cancel()
            fetching = [self._fetching] if self._fetching is not None else []
            await asyncio.gather(watcher, *workers, *fetching, return_exceptions=True)
            await asyncio.to_thread(self.work.finish)
        if self.halt is None and self.work.waits:
            self.halt = Halt(Why.PAUSED, self.work.waits, for_labels=True)
        self.progress(self.work.done)

    async def _until_done(self, workers: list[asyncio.Task[None]]) -> None:
        """Wait for the workers; after a halt only as long as its reason allows."""
        open_ = set(workers)
        leave_at: float | None = None
        while open_:
            done, open_ = await asyncio.wait(
                open_, timeout=0.1, return_when=asyncio.FIRST_EXCEPTION
            )
            for worker in done:
                worker.result()
            if self.halt is not None and self.halt.why in (Why.STOPPED, Why.LOST):
                wait = self.grace if self.halt.why is Why.STOPPED else 0.0
                leave_at = leave_at or time.monotonic() + wait
                if time.monotonic() >= leave_at:
                    return

    async def _worker(self) -> None:
        while (job := await self._take()) is not None:
            try:
                failed = await self.work.do(job, self.caller)
                self._count(failed)
            except Halt as halt:
                self._end(halt)

    async def _take(self) -> Any | None:
        """Return the next job, or None when there is none or the run has to stop."""
        while self.halt is None:
            if self.stop.is_set():
                self._end(Halt(Why.STOPPED))
                return None
            if self._jobs:
                job = self._jobs.popleft()
                if len(self._jobs) < self.work.ahead and not self._dry:
                    self._fetched()
                return job
            if self._dry:
                return None
            await asyncio.shield(self._fetched())
        return None

    def _fetched(self) -> asyncio.Task[None]:
        """Return the fetching of further jobs that is under way, or a new one."""
        task = self._fetching
        # One that failed stays, so that whoever waits for jobs learns why there are none.
        if task is None or (task.done() and task.exception() is None):
            task = self._fetching = asyncio.create_task(self._fetch())
        return task

    async def _fetch(self) -> None:
        more = await asyncio.to_thread(self.work.more)
        self._dry = more is None
        self._jobs.extend(more or ())

    def _count(self, failed: CallFailed | None) -> None:
        """Stop the run when job after job gets no answer: the next ones would fare no better."""
        if failed is None:
            self.failed_in_a_row = 0
            return
        reached = self.caller.reached
        if self.caller.misaddressed(failed):
            self._end(Halt(Why.FAILED, str(failed)))
            return
        if reached and not failed.worth_retrying:
            return
        self.failed_in_a_row += 1
        if self.failed_in_a_row >= (FAILURES if reached else FIRST_FAILURES):
            many = f"{self.failed_in_a_row} outputs in a row got no answer; the last: {failed}"
            self._end(Halt(Why.PAUSED if reached else Why.FAILED, many))

    def _end(self, halt: Halt) -> None:
        """Keep the first reason to stop and wake whoever waits."""
        if self.halt is None:
            self.halt = halt
            self.caller.halted.set()

    async def _watch(self, journal: Journal) -> None:
        """Notice what no call notices: a stop of the process, a wish, a claim that was lost."""
        while True:
            await asyncio.sleep(0.1)
            if self.stop.is_set():
                self._end(Halt(Why.STOPPED))
            try:
                permit(journal.standing)
            except Halt as halt:
                self._end(halt)
            self.progress(self.work.done)


async def _probe(model: Model) -> None:
    """Ask a server something that costs nothing, where the model knows how."""
    probe = getattr(model, "probe", None)
    if probe is not None:
        await probe()
