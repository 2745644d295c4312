"""Loop runs: the work of one, task by task, as a walk that the ledger answers before anybody pays.

Executing is re-executing: every task is walked from its start, each call is looked up in the
ledger by its place in this run, and only what is not there is asked for. What was asked must still
be what would be asked now, else the run is refused: two configurations are never mixed.

A trace is stored when its loop has ended. One that ended because a call never got an answer is
held back until everything else is done, so that a run that stops for that reason tries it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.contract.contract import Budget, Contract
from core.errors import InputError
from core.judging.calls import CallFailed
from core.loop.engine import Walk
from core.loop.plan import Answer, Ask, AskPerson, Replied, Task
from core.loop.stop import Arm, Exit
from core.loop.trace import Trace
from core.runs.calls import Caller, Halt, Why
from core.runs.loop_setup import LoopSetup, refuse_empty_tasks
from core.runs.spot_checks import drafts_to_check
from core.store.contracts import Version, versions
from core.store.ledger import Place
from core.store.loops import (
    NewDraft,
    PlacedReply,
    PlaceKey,
    Reason,
    keep_verdicts,
    person_verdicts,
    queue_drafts,
    queued_drafts,
    replies_by_place,
)
from core.store.paths import remove_run_traces, run_trace_names
from core.store.runs import Run, RunKind, Wish, create_run, load_run
from core.store.samples import StoredSample, first_outputs, load_samples, output_texts
from core.store.store import Store
from core.store.traces import add_run_traces
from core.text import content_hash
from core.verdict import CriterionVerdict

GATHER = 0.05
"""Seconds in which ended traces gather for a commit: a loop takes a hundred times as long."""
CHUNK = 100
"""Samples whose texts are held at a time."""


def create_loop_run(
    store: Store,
    project_id: int,
    version: Version,
    setup: LoopSetup,
    *,
    samples: Sequence[int] | None = None,
    budget: Budget | None = None,
    identity: str | None = None,
    claim_by: str | None = None,
) -> Run:
    """Store a loop run over these samples (store keys; None is all) and return it.

    Nothing is called yet. The budget is that of the whole run; that of a task is in the contract's
    stop rule. Raises InputError when there is nothing to do or nobody to judge.
    """
    setup = setup.fitting(version.contract)
    chosen = load_samples(store, project_id, samples)
    if not chosen:
        raise InputError("samples", "there are none to write for.", "Load some first.")
    refuse_empty_tasks(version.contract, {s.sample_id: s.input for s in chosen})
    inputs = _inputs_hash(chosen)
    work: list[str] = [version.contract.content_hash, inputs, setup.what_hash]
    keys = [s.key for s in chosen]
    data: dict[str, Any] = {"contract": version.number, "samples": keys, "inputs": inputs}
    if setup.from_outputs:
        data["drafts"] = _drafts_to_start_from(store, project_id, chosen)
        work.append(content_hash(data["drafts"]))
    return create_run(
        store,
        project_id,
        kind=RunKind.LOOP,
        version_id=version.id,
        judge_id=None,
        config={**setup.to_data(), **data},
        identity=identity or content_hash([project_id, *work]),
        budget=budget or Budget(),
        total=len(chosen) * setup.draws * len(setup.arms.arms),
        claim_by=claim_by,
    )


def _inputs_hash(samples: Sequence[StoredSample]) -> str:
    return content_hash([[s.key, s.content_hash] for s in samples])


def _drafts_to_start_from(
    store: Store, project_id: int, samples: Sequence[StoredSample]
) -> list[int]:
    """Return the output each sample begins with; raises InputError for one that has none."""
    first = first_outputs(store, project_id, [s.key for s in samples])
    for s in samples:
        if s.key not in first:
            raise InputError(
                f"sample {s.sample_id!r}", "it has no output to begin with.",
                "Choose samples with outputs, or a loop that writes its first draft.",
            )  # fmt: skip
    return [first[s.key] for s in samples]


@dataclass(slots=True)
class Job:
    """One task: a sample and the number of the draw, with what the ledger holds of it."""

    sample: StoredSample
    trial: int
    replies: dict[PlaceKey, PlacedReply] = field(default_factory=dict)
    draft: str | None = None

    @property
    def task(self) -> Task:
        """What the loop works on."""
        return Task(self.sample.input, self.sample.reference, self.draft)


class LoopWork:
    """The jobs of a loop run; see `core.runs.execution.Work`."""

    ahead = 0

    def __init__(self, store: Store, run: Run) -> None:
        self.store = store
        self.run = run
        self.setup = LoopSetup.from_data(run.config)
        self.version = version_of(store, run)
        self.contract: Contract = self.version.contract
        self.plan = self.setup.plan(self.contract)
        self.done = 0
        self.answered = False
        self._stored: set[str] = set()
        self._ended: list[Trace] = []
        self._storing = asyncio.Lock()
        self._lost: dict[str, Trace] = {}
        self._open: dict[str, tuple[Job, Walk]] = {}
        self._waiting: dict[int, Job] = {}
        self._said: dict[int, Mapping[str, CriterionVerdict]] = {}
        self._tasks = self._all_tasks()

    def prepare(self) -> None:
        """See what is there; loops that a cancel ended are taken up again.

        Raises InputError when a sample is no longer what the run began with.
        """
        now = load_samples(self.store, self.run.project_id, self.run.config["samples"])
        if _inputs_hash(now) != self.run.config["inputs"]:
            raise InputError(
                f"run {self.run.id}",
                "a sample's input or reference was changed since it began.",
                "Change it back, or start a new run.",
            )
        remove_run_traces(self.store, self.run.project_id, self.run.id, Exit.CANCELLED.value)
        self._stored = set(run_trace_names(self.store, self.run.id))
        for queued in queued_drafts(self.store, self.run.id):
            if queued.verdicts is not None:
                self._said[queued.output_id] = queued.verdicts
        self.done = len(self._stored)

    def _all_tasks(self) -> Iterator[list[tuple[int, int]]]:
        """Yield chunks of (sample key, trial), all samples once before any twice."""
        keys = self.run.config["samples"]
        for trial in range(1, self.setup.draws + 1):
            for start in range(0, len(keys), CHUNK):
                yield [(key, trial) for key in keys[start : start + CHUNK]]

    def more(self) -> list[Job] | None:
        """Return the next tasks that are not done, at the end those whose labels have come."""
        for chunk in self._tasks:
            jobs = jobs_of(self.store, self.run, chunk)
            jobs = [j for j in jobs if not self._names(j) <= self._stored]
            if jobs:
                return jobs
        return self._with_labels() or None

    def _with_labels(self) -> list[Job]:
        """Return the tasks that waited for labels and can go on; the others wait on."""
        said = self._settled(list(self._waiting))
        keys = set(self._person_keys)
        can = {id(job): job for o, job in self._waiting.items() if keys <= set(said[o])}
        self._waiting = {o: j for o, j in self._waiting.items() if id(j) not in can}
        return list(can.values())

    @property
    def waits(self) -> str:
        """How many drafts wait for a person."""
        n = len(self._waiting)
        many = f"{n:,} drafts wait" if n > 1 else "1 draft waits"
        return f"{many} for a person's label" if n else ""

    @property
    def _person_keys(self) -> list[str]:
        return [c.key for c in self.contract.criteria if c.checked_by == "person"]

    def _settled(self, outputs: Sequence[int]) -> dict[int, dict[str, CriterionVerdict]]:
        return person_verdicts(
            self.store, self.run.project_id, self.version, outputs, self._person_keys
        )

    def _names(self, job: Job) -> set[str]:
        return {trace_name(self.run, job, arm) for arm in self.setup.arms.arms}

    # --- one task ---------------------------------------------------------------------------

    async def do(self, job: Job, caller: Caller) -> CallFailed | None:
        """Walk the arms of one task, one after the other, and store their traces."""
        failed: CallFailed | None = None
        for arm in self.setup.arms.arms:
            name = trace_name(self.run, job, arm)
            if name in self._stored:
                continue
            walk = walk_of(self.run, self.setup, self.plan, job, arm)
            self._open[name] = (job, walk)
            if not await self._walk(job, walk, caller):
                del self._open[name]
                continue
            trace = finished(self.run, self.setup, self.contract, job, walk)
            if walk.lost is not None:
                failed = walk.lost
                self._lost[name] = trace
            else:
                await self._keep(trace)
            del self._open[name]
        return failed

    async def _walk(self, job: Job, walk: Walk, caller: Caller) -> bool:
        """Walk to the end; returns False when a draft waits for a person."""
        steps = walk.steps()
        need = next(steps, None)
        while need is not None:
            answer: Answer | None
            if isinstance(need, AskPerson):
                answer = await asyncio.to_thread(self._labels, job, need)
                if answer is None:
                    return False
            else:
                answer = await self._answer(job, need, caller)
            try:
                need = steps.send(answer)
            except StopIteration:
                break
        return True

    async def _answer(self, job: Job, ask: Ask, caller: Caller) -> Answer:
        place = place_of(ask)
        there = job.replies.get(place)
        if there is None:
            at = Place(
                ask.who.value, sample_pk=job.sample.key, trial=job.trial, arm=ask.arm,
                round=ask.round, part=ask.part,
            )  # fmt: skip
            try:
                reply = await caller.send(at, ask.call, ask.request_hash, ask.config_hash, ask.ask)
            except CallFailed as failed:
                return failed
            usd = caller.price(ask.call.model, reply.usage)
            there = PlacedReply(ask.request_hash, ask.config_hash, reply, usd)
            job.replies[place] = there
        elif (there.request_hash, there.config_hash) != (ask.request_hash, ask.config_hash):
            raise Halt(Why.FAILED, changed(job, ask))
        return Replied(there.reply, there.usd)

    def _labels(self, job: Job, need: AskPerson) -> Mapping[str, CriterionVerdict] | None:
        """Return what people said of a draft, or put it into their queue and return None."""
        draft = NewDraft(job.sample.key, job.trial, need.arm, need.round, need.draft, Reason.PERSON)
        [output] = queue_drafts(self.store, self.run, [draft])
        if (before := self._said.get(output)) is not None:
            return before
        said = self._settled([output])[output]
        if not set(need.keys) <= set(said):
            self._waiting[output] = job
            return None
        keep_verdicts(self.store, self.run, output, said)
        self._said[output] = said
        return said

    async def _keep(self, trace: Trace) -> None:
        """Store a trace; those that end within a moment share a commit.

        Its drafts and verdicts are in the ledger already: nothing hangs on the moment.
        """
        self._ended.append(trace)
        async with self._storing:
            if self._ended and len(self._open) > 1:
                await asyncio.sleep(GATHER)
            some, self._ended = self._ended, []
            if some:
                await asyncio.to_thread(self._store, some)

    def _store(self, traces: Sequence[Trace]) -> None:
        add_run_traces(self.store, self.run.project_id, self.run.id, traces)
        self._stored |= {trace.trace_id for trace in traces}
        self.done = len(self._stored)

    def finish(self) -> None:
        """Keep what has ended; when all has, put drafts into the label queue."""
        if self._ended:
            self._store(self._ended)
            self._ended = []
        if load_run(self.store, self.run.id).wish is Wish.CANCEL:
            self._store_cancelled()
            return
        if len(self._stored | set(self._lost)) < self.run.total:
            return
        if self._lost:
            self._store(list(self._lost.values()))
        drafts = drafts_to_check(self.store, self.run, self.setup)
        if drafts:
            queue_drafts(self.store, self.run, drafts)

    def _store_cancelled(self) -> None:
        ended = []
        for job, walk in self._open.values():
            if walk.state.exit is None:
                walk.cancel()
            if walk.state.rounds:
                ended.append(finished(self.run, self.setup, self.contract, job, walk))
        if ended:
            self._store(ended)


# --- shared with those who only look ----------------------------------------------------------


def version_of(store: Store, run: Run) -> Version:
    """Return the contract version a run goes by."""
    return next(v for v in versions(store, run.project_id) if v.id == run.version_id)


def jobs_of(store: Store, run: Run, tasks: Sequence[tuple[int, int]]) -> list[Job]:
    """Return the jobs of these (sample key, trial) with what the ledger holds of them."""
    keys = list(dict.fromkeys(key for key, _ in tasks))
    samples = {s.key: s for s in load_samples(store, run.project_id, keys)}
    there = replies_by_place(store, run.id, keys)
    begin = dict(zip(run.config["samples"], run.config.get("drafts", ()), strict=False))
    texts = output_texts(store, [begin[key] for key in keys if key in begin])
    if missing := [key for key in keys if key in begin and begin[key] not in texts]:
        raise InputError(
            f"run {run.id}", f"the output that sample {missing[0]} begins with is gone.",
            "Import it again and start a new run.",
        )  # fmt: skip
    return [
        Job(samples[key], trial, there.get((key, trial), {}), texts.get(begin.get(key, 0)))
        for key, trial in tasks
        if key in samples
    ]


def walk_of(run: Run, setup: LoopSetup, plan: Any, job: Job, arm: Arm) -> Walk:
    """Return the walk of one arm of a task, at its start."""
    return Walk(plan, job.task, arm, shared=setup.shared, secret=run.seed)


def place_of(ask: Ask) -> PlaceKey:
    """Return where in its task a call stands."""
    return (ask.arm, ask.round, ask.who.value, ask.part, ask.ask)


def trace_name(run: Run, job: Job, arm: Arm) -> str:
    """Return the id of a trace of a run."""
    return f"{run_prefix(run)}{job.sample.sample_id} · {job.trial} · {arm.value}"


def run_prefix(run: Run) -> str:
    """Return what the ids of all traces of a run begin with."""
    return f"run {run.id} · "


def finished(run: Run, setup: LoopSetup, contract: Contract, job: Job, walk: Walk) -> Trace:
    """Return the trace of a walk; it says which models made it, and whether a script was one.

    It names the contract as agreed, and beside it the stop rule it went by.
    """
    extra: dict[str, Any] = {"run": run.id, **setup.models}
    if setup.scripted:
        extra["scripted"] = True
    made = walk.trace(
        trace_name(run, job, walk.arm), job.sample.sample_id, trial=str(job.trial),
        input=job.sample.input, extra=extra,
    )  # fmt: skip
    return made if setup.stop is None else replace(made, contract=contract)


def changed(job: Job, ask: Ask) -> str:
    """Return the line for a call that would not be the one that was paid for."""
    return (
        f"sample {job.sample.sample_id!r}, round {ask.round}: what the {ask.who.value} was asked "
        "before is not what it would be asked now. The run's configuration or the sample was "
        "changed; start a new run."
    )
