"""The contract's self-test of judged criteria: does the judge judge their own examples as written?

Each example is asked about with its own criterion alone, and without the criterion's examples in
the prompt: a judge that is shown the answer proves nothing by repeating it. Results are read from
the ledger by what was asked; a changed question, example or judge has not been tested yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.contract.contract import Budget, Contract
from core.contract.criterion import CheckedBy, Criterion
from core.errors import InputError
from core.judging.calls import CallFailed
from core.judging.prompt import JudgeOptions, JudgeRequest, build_call, request_hash
from core.judging.reply import ReadReply, read_reply
from core.runs.calls import Caller
from core.runs.setup import JudgeSetup
from core.store.contracts import Version
from core.store.ledger import Paid, Place, paid_replies
from core.store.runs import Run, RunKind, create_run
from core.store.store import Store
from core.text import content_hash, exact_hash
from core.verdict import CriterionVerdict, no_verdict

ROLE = "self-test"
SIDES = ("pass", "fail")
"""Which of a criterion's examples; the verdict each of them ought to get is PASS or FAIL."""


@dataclass(frozen=True)
class Tried:
    """What the judge said of one example; None: not tested yet."""

    said: CriterionVerdict | None
    wanted: str

    @property
    def as_written(self) -> bool | None:
        """Whether the judge judges the example as the contract says; None while untested."""
        if self.said is None or self.said.verdict is None:
            return None
        return self.said.verdict.value == self.wanted


@dataclass(frozen=True, slots=True)
class ExampleJob:
    """One example to ask about."""

    request: JudgeRequest
    asked: str
    key: str


def testable(criteria: Sequence[Criterion]) -> list[Criterion]:
    """Return the judged criteria that have a question and both examples."""
    return [
        c
        for c in criteria
        if c.checked_by is CheckedBy.JUDGE
        and all(text.strip() for text in (c.question, c.pass_example, c.fail_example))
    ]


def _setup(setup: JudgeSetup) -> JudgeSetup:
    """Return the judge without few-shot examples: they may hold the very criterion."""
    options: JudgeOptions = replace(setup.options, examples=(), one_call_each=False)
    return replace(setup, options=options, repeats=1)


def _jobs(criteria: Sequence[Criterion], setup: JudgeSetup) -> list[ExampleJob]:
    found = []
    for criterion in testable(criteria):
        bare = criterion.model_copy(update={"pass_example": "", "fail_example": ""})
        for side in SIDES:
            text = criterion.pass_example if side == "pass" else criterion.fail_example
            request = JudgeRequest("", text, None, (bare,))
            asked = request_hash(request, setup.options, setup.instructions)
            found.append(ExampleJob(request, asked, criterion.key))
    return found


def tried(
    store: Store, criteria: Sequence[Criterion], setup: JudgeSetup
) -> dict[str, dict[str, Tried]]:
    """Return what the judge said of every example: criterion key → "pass" or "fail" → result."""
    setup = _setup(setup)
    jobs = _jobs(criteria, setup)
    paid = paid_replies(store, setup.judge_hash, (j.asked for j in jobs))
    found: dict[str, dict[str, Tried]] = {}
    for number, job in enumerate(jobs):
        side = SIDES[number % 2]
        replies = paid.get((job.asked, 1), [])
        said = None if not replies else _said(_read(job, replies[-1]), job.key)
        found.setdefault(job.key, {})[side] = Tried(said, side.upper())
    return found


def _read(job: ExampleJob, paid: Paid) -> ReadReply:
    return read_reply(paid.reply, job.request.criteria, job.request.output)


def _said(read: ReadReply, key: str) -> CriterionVerdict:
    if read.unscored is not None:
        return no_verdict(read.unscored, read.detail)
    return read.verdicts[key]


def create_self_test(
    store: Store,
    project_id: int,
    version: Version,
    criteria: Sequence[Criterion],
    setup: JudgeSetup,
    *,
    budget: Budget | None = None,
) -> Run:
    """Store a run that asks the judge about both examples of each of these criteria.

    They may be a draft's: what was asked says which. `version` is the contract the draft began
    from. Raises InputError when none of them is judged and complete.
    """
    ready = testable(criteria)
    if not ready:
        raise InputError(
            "self-test", "no judged criterion has a question and both examples.", "Write them."
        )
    setup = _setup(setup)
    data = [c.model_dump(mode="json", exclude_none=True) for c in ready]
    return create_run(
        store,
        project_id,
        kind=RunKind.EXAMPLES,
        version_id=version.id,
        judge_id=None,
        config={**setup.to_data(), "criteria": data},
        identity=content_hash(["examples", project_id, data, setup.judge_hash]),
        budget=budget or Budget(),
        total=2 * len(ready),
    )


class ExamplesWork:
    """The jobs of a self-test; see `core.runs.execution.Work`."""

    ahead = 0

    def __init__(self, store: Store, run: Run) -> None:
        self.store = store
        self.run = run
        self.setup = JudgeSetup.from_data(run.config)
        data: Sequence[Mapping[str, Any]] = run.config["criteria"]
        self.contract = Contract.from_data({"criteria": list(data)}, "self-test")
        self.done = 0
        self.answered = False
        self._given = False

    @property
    def waits(self) -> str:
        """Return nothing: no example waits for a person."""
        return ""

    def prepare(self) -> None:
        """Nothing comes first."""

    def more(self) -> Sequence[ExampleJob] | None:
        """Return the examples nobody has paid for yet, once."""
        if self._given:
            return None
        self._given = True
        jobs = _jobs(self.contract.criteria, self.setup)
        paid = paid_replies(self.store, self.setup.judge_hash, (j.asked for j in jobs))
        there = [j for j in jobs if (j.asked, 1) in paid and not self._again(j, paid[j.asked, 1])]
        self.done = len(there)
        known = {j.asked for j in there}
        return [j for j in jobs if j.asked not in known]

    def _again(self, job: ExampleJob, paid: Sequence[Paid]) -> bool:
        """Whether the last reply could not be read and may be asked for once more."""
        return _read(job, paid[-1]).worth_reasking and len(paid) <= self.setup.retry.reasks

    def finish(self) -> None:
        """Nothing was counted."""

    async def do(self, job: ExampleJob, caller: Caller) -> CallFailed | None:
        """Ask about one example; the ledger keeps the answer."""
        nonce = exact_hash(self.run.seed, job.asked)
        call = build_call(job.request, self.setup.options, self.setup.instructions, nonce)
        place = Place(ROLE, part=job.key)
        for ask in range(1, self.setup.retry.reasks + 2):
            try:
                reply = await caller.send(place, call, job.asked, self.setup.judge_hash, ask)
            except CallFailed as failed:
                return failed
            if not read_reply(reply, job.request.criteria, job.request.output).worth_reasking:
                break
        self.done += 1
        return None
