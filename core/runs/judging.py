"""Judge runs: what to judge and how, as a row; and the work of one, output by output.

What is asked is known by its request hash (everything sent but the random marks), of whom by the
judge's configuration hash. Where the ledger holds the reply to a request from that judge for that
repeat, it is read again and nothing is paid, whichever run or project asked.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.contract.contract import Budget, Contract
from core.contract.criterion import Criterion
from core.errors import InputError
from core.judging.calls import CallFailed, Message, ModelCall, ModelReply, Role
from core.judging.judge import skipped_by_code
from core.judging.prompt import (
    JudgeRequest,
    build_call,
    judged_criteria,
    requests_for,
    user_text,
)
from core.judging.reply import ReadReply, read_failure, read_reply
from core.runs.calls import Caller
from core.runs.code_checks import run_code_checks, runnable
from core.runs.setup import JudgeSetup
from core.store.contracts import Version, versions
from core.store.judged import NewJudgement, Stored, judged_already, model_judge
from core.store.ledger import Paid, Place, paid_replies
from core.store.outputs import StoredOutput, current_ids, load_outputs, sample_hash
from core.store.runs import Run, RunKind, create_run, note_reused
from core.store.store import Store
from core.text import content_hash, exact_hash
from core.verdict import CriterionVerdict, Unscored, no_verdict

CHUNK = 200
"""Outputs whose texts are held at a time."""
ROLE = "judge"


def refuse_unjudgeable(contract: Contract) -> None:
    """Raise InputError when there is nothing a judge could be asked."""
    judged = judged_criteria(contract)
    if not judged:
        raise InputError(
            "contract", "no criterion is decided by a judge.", "Set checked_by: judge on one."
        )
    for criterion in judged:
        if not criterion.question.strip():
            raise InputError(
                f"criterion {criterion.key!r}", "it has no question.", "Write what is asked."
            )


def create_judge_run(
    store: Store,
    project_id: int,
    version: Version,
    setup: JudgeSetup,
    *,
    outputs: Sequence[int] | None = None,
    name: str | None = None,
    budget: Budget | None = None,
    identity: str | None = None,
    claim_by: str | None = None,
) -> Run:
    """Store a judge run over these outputs (store ids; None is all current ones) and return it.

    Nothing is called yet. `name` is what the judge is called on screen; its model by default. The
    same judge keeps its name; another setup under a name in use gets a mark of its own. Raises
    InputError when there is nothing to judge.
    """
    refuse_unjudgeable(version.contract)
    ids = list(dict.fromkeys(current_ids(store, project_id) if outputs is None else outputs))
    if not ids:
        raise InputError("outputs", "there are none to judge.", "Load some first.")
    data = setup.to_data()
    named = name or setup.options.model
    with store.write(project_id) as c:
        judge = model_judge(c, project_id, named, setup.judge_hash, data)
    work = [version.contract.content_hash, ids, setup.judge_hash, setup.repeats, setup.calibration]
    return create_run(
        store,
        project_id,
        kind=RunKind.JUDGE,
        version_id=version.id,
        judge_id=judge,
        config={**data, "contract": version.number, "outputs": ids},
        identity=identity or content_hash([project_id, *work]),
        budget=budget or Budget(),
        total=len(ids) * setup.repeats,
        claim_by=claim_by,
    )


@dataclass(frozen=True, slots=True)
class Job:
    """One output to judge once: what to ask, under which hashes, and what was answered before."""

    output: StoredOutput
    repeat: int
    requests: tuple[JudgeRequest, ...]
    hashes: tuple[str, ...]
    whole: str
    skipped: tuple[str, ...]
    replaces: int | None = None
    paid: tuple[tuple[Paid, ...], ...] = ()


class JudgeWork:
    """The jobs of a judge run; see `core.runs.execution.Work`."""

    ahead = CHUNK // 2

    def __init__(self, store: Store, run: Run) -> None:
        self.store = store
        self.run = run
        self.setup = JudgeSetup.from_data(run.config)
        found = [v for v in versions(store, run.project_id) if v.id == run.version_id]
        self.version = found[0]
        self.contract = self.version.contract
        self.judged = judged_criteria(self.contract)
        self.hashes = {c.key: (self.version.criteria[c.key], c.verdict_hash) for c in self.judged}
        self.config_hash = self.setup.judge_hash
        self.done = 0
        self.answered = False
        self.waits = ""
        self.reused: Counter[str] = Counter()
        self._alike: dict[tuple[str, ...], ModelCall] = {}
        self._schemas: dict[str, str] = {}
        self._checks = {c.key: c.code_check() for c in runnable(self.version)}
        self._chunks = self._all_chunks()
        # Outputs that are alike, word for word, share a reply: the later ones wait for the first.
        self._asking: dict[tuple[str, int], asyncio.Lock] = {}
        self._asked: set[tuple[str, int]] = set()

    def prepare(self) -> None:
        """Run the code checks: they are free and come first."""
        if self._checks:
            run_code_checks(self.store, self.run.project_id, self.version)

    def _all_chunks(self) -> Iterator[tuple[int, list[int]]]:
        ids = self.run.config["outputs"]
        for repeat in range(1, self.setup.repeats + 1):
            for start in range(0, len(ids), CHUNK):
                yield repeat, ids[start : start + CHUNK]

    def more(self) -> list[Job] | None:
        """Return the jobs of the next outputs that are not judged yet; None at the end."""
        for repeat, ids in self._chunks:
            assert self.run.judge_id is not None
            outputs = load_outputs(self.store, self.run.project_id, ids)
            known = judged_already(self.store, self.run.judge_id, ids)
            jobs = []
            for output in outputs:
                job = self._job(output, repeat)
                found = known.get((output.id, job.whole, repeat))
                if found is None:
                    jobs.append(job)
                elif not self._stands(job, found):
                    jobs.append(replace(job, replaces=found.id))
            note_reused(self.store, self.run.id, self.reused)
            if jobs:
                asked = [h for job in jobs if not job.skipped for h in job.hashes]
                return self._with_paid(jobs, asked)
        return None

    def finish(self) -> None:
        """Keep what was counted on the way."""
        note_reused(self.store, self.run.id, self.reused)

    def _job(self, output: StoredOutput, repeat: int) -> Job:
        setup = self.setup
        requests = requests_for(
            self.contract, setup.options, output.input, output.text, output.reference
        )
        hashes = tuple(self._request_hash(r) for r in requests)
        whole = hashes[0] if len(hashes) == 1 else exact_hash(*hashes)
        skipped: tuple[str, ...] = ()
        if self._checks:
            code = {
                key: check.run(output.text, output.reference)
                for key, check in self._checks.items()
                if check is not None
            }
            skipped = skipped_by_code(self.contract, code, calibration=setup.calibration)
        return Job(output, repeat, requests, hashes, whole, skipped)

    def _request_hash(self, request: JudgeRequest) -> str:
        """Return `request_hash(request)`, what is alike for all outputs being worked out once."""
        call = self._call_for(request)
        schema = self._schemas.get(call.system)
        if schema is None:
            schema = self._schemas[call.system] = content_hash(dict(call.schema or {}))
        return exact_hash(request.input, request.output, request.reference, call.system, schema)

    def _call_for(self, request: JudgeRequest) -> ModelCall:
        """Return a call about the same criteria: all but its message is alike for all outputs."""
        keys = tuple(c.key for c in request.criteria)
        call = self._alike.get(keys)
        if call is None:
            setup = self.setup
            call = build_call(request, setup.options, setup.instructions, self.run.seed)
            self._alike[keys] = call
        return call

    def _stands(self, job: Job, found: Stored) -> bool:
        """Whether a stored judgement is this one; counts it as reused unless this run made it."""
        if not found.stands and not (job.skipped and found.unscored == Unscored.SKIPPED):
            return False
        self.done += 1
        self.answered |= found.unscored != Unscored.SKIPPED
        if found.run_id != self.run.id:
            self.reused[found.unscored or "scored"] += 1
        return True

    def _with_paid(self, jobs: list[Job], hashes: list[str]) -> list[Job]:
        paid = paid_replies(self.store, self.config_hash, hashes)
        if not paid:
            return jobs
        self.answered = True
        return [
            replace(job, paid=tuple(tuple(paid.get((h, job.repeat), ())) for h in job.hashes))
            for job in jobs
        ]

    async def do(self, job: Job, caller: Caller) -> CallFailed | None:
        """Judge one output once and store the judgement."""
        if job.skipped:
            said = {key: no_verdict(Unscored.SKIPPED, _SKIPPED) for key in job.skipped}
            await caller.journal.write(
                self._judgement(job, said, Unscored.SKIPPED, None, bought=True)
            )
            return None
        key = (job.whole, job.repeat)
        async with self._asking.setdefault(key, asyncio.Lock()):
            if key in self._asked:
                await caller.journal.flush()
                [job] = await asyncio.to_thread(self._with_paid, [job], list(job.hashes))
            self._asked.add(key)
            return await self._judge(job, caller)

    async def _judge(self, job: Job, caller: Caller) -> CallFailed | None:
        parts: list[tuple[JudgeRequest, ReadReply]] = []
        failed: CallFailed | None = None
        bought = called = False
        for number, request in enumerate(job.requests):
            paid = list(job.paid[number]) if job.paid else []
            bought |= any(p.run_id == self.run.id for p in paid)
            replies = [p.reply for p in paid]
            try:
                read, now = await self._ask(job, number, replies, caller)
                called |= now
            except CallFailed as error:
                read, failed, called = read_failure(error), error, True
            parts.append((request, read))
            if failed is not None:
                break
        verdicts: dict[str, CriterionVerdict] = {}
        broken = next((read for _, read in parts if read.unscored is not None), None)
        for criterion in self.judged:
            verdicts[criterion.key] = _said(criterion, parts, broken)
        raws = [r.raw for _, r in parts if r.raw is not None]
        raw = None if not raws else raws[0] if len(raws) == 1 else "\n\n".join(raws)
        reason = None if broken is None else broken.unscored
        judgement = self._judgement(job, verdicts, reason, raw, bought=bought or called)
        if called:
            # The worker's next call waits for this row with its own: one wait less for each.
            caller.journal.note(judgement)
        else:
            await caller.journal.write(judgement)
        return failed

    async def _ask(
        self, job: Job, number: int, replies: list[ModelReply], caller: Caller
    ) -> tuple[ReadReply, bool]:
        """Return the reading that stands for one request, and whether it was called for now.

        A reply that cannot be read is asked for again as often as the rule says, unchanged.
        """
        request = job.requests[number]
        called = False
        for ask in range(1, self.setup.retry.reasks + 2):
            if ask > len(replies):
                replies.append(await self._call(job, number, ask, caller))
                called = True
            read = read_reply(_whole_text(replies[ask - 1]), request.criteria, job.output.text)
            if not read.worth_reasking:
                break
        return read, called

    async def _call(self, job: Job, number: int, ask: int, caller: Caller) -> ModelReply:
        request, asked = job.requests[number], job.hashes[number]
        # Nobody knows the run's seed when an output is written, so nobody can forge its marks.
        nonce = exact_hash(self.run.seed, asked)
        said = Message(Role.USER, user_text(request, self.setup.options, nonce))
        alike = self._call_for(request)
        call = ModelCall(
            alike.model, alike.system, (said,), alike.max_tokens, alike.effort, alike.schema,
            alike.cache,
        )  # fmt: skip
        part = request.criteria[0].key if self.setup.options.one_call_each else ""
        place = Place(
            ROLE, output_id=job.output.id, trial=job.output.trial, repeat=job.repeat, part=part
        )
        return await caller.send(place, call, asked, self.config_hash, ask)

    def _judgement(
        self,
        job: Job,
        verdicts: Mapping[str, CriterionVerdict],
        unscored: Unscored | None,
        raw: str | None,
        *,
        bought: bool,
    ) -> NewJudgement:
        """Return what to store of a job, and count it."""
        if not bought:
            self.reused["scored" if unscored is None else unscored.value] += 1
        self.done += 1
        return NewJudgement(
            output_id=job.output.id,
            request_hash=job.whole,
            repeat=job.repeat,
            verdicts=verdicts,
            unscored=unscored,
            raw=raw,
            sample_hash=sample_hash(job.output.input, job.output.reference),
            hashes=self.hashes,
            replaces=job.replaces,
            run_id=self.run.id if bought else None,
        )


_SKIPPED = "a code check had already decided"


def _said(
    criterion: Criterion,
    parts: Sequence[tuple[JudgeRequest, ReadReply]],
    broken: ReadReply | None,
) -> CriterionVerdict:
    """Return what the replies say about a criterion, or why they say nothing."""
    for _, read in parts:
        if criterion.key in read.verdicts:
            return read.verdicts[criterion.key]
    for request, read in parts:
        if criterion in request.criteria and read.unscored is not None:
            return no_verdict(read.unscored, read.detail)
    assert broken is not None and broken.unscored is not None
    return no_verdict(broken.unscored, broken.detail)


def _whole_text(reply: ModelReply) -> ModelReply:
    """Return the reply with its text as what is kept beside the judgement; the ledger has the body."""
    if reply.text is None or reply.text == reply.raw:
        return reply
    return ModelReply(reply.text, reply.stop_reason, reply.text, reply.usage, reply.seconds)
