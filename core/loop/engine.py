"""The loop with its calls: what has to be asked next, given what was answered so far.

Nothing here calls anybody. A `Walk` yields what it needs (a call to a model, a person's labels) and
is sent the answer; `step` decides the rest. So one and the same walk is driven by a run with real
calls, is taken again from a ledger after a crash, and shows a loop that is still under way: the
answers alone decide, and the same answers give the same walk.

The judge gets a fresh context: task input, draft, criteria, the reference if agreed. Only the
self-review of a plan that asks for it, the lowest kind of evaluator, is put into the writer's own
conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from core.contract.contract import Budget, StopRule
from core.contract.criterion import CheckedBy
from core.judging.calls import CallFailed, Message, ModelCall, ModelReply, Role
from core.judging.judge import merged, skipped_by_code
from core.judging.judgement import acceptance
from core.judging.prompt import (
    JudgeOptions,
    JudgeRequest,
    build_call,
    config_hash,
    request_hash,
    requests_for,
    sendable,
)
from core.judging.reply import ReadReply, no_text, read_reply
from core.loop.generator import Attempt, feedback_on, first_call, note_call, revision_call
from core.loop.plan import SHARED, Answer, Ask, AskPerson, Need, Part, Plan, Replied, Task
from core.loop.step import (
    Cancelled,
    DraftMade,
    EvaluatorFailed,
    Event,
    Expects,
    GeneratorFailed,
    judged,
    start,
    step,
    to_trace,
)
from core.loop.stop import NO_COST, Arm, Cost, Exit
from core.loop.trace import BEYOND, Round, Trace, uses_judge
from core.text import exact_hash
from core.verdict import Unscored

_UNBOUND = 1_000_000
_N = TypeVar("_N", int, float)


class Walk:
    """One loop under way: `state` is where it stands by its rule.

    `secret` makes the marks around what a judge reads; it must not be known to who writes. After
    the end `lost` holds the failure of a call that never brought a reply, if that ended it.
    """

    def __init__(
        self, plan: Plan, task: Task, arm: Arm, *, shared: bool = False, secret: str = ""
    ) -> None:
        self.plan = plan
        self.task = task
        self.arm = arm
        self.lost: CallFailed | None = None
        self._shared = shared
        self._secret = secret
        judge = uses_judge(plan.contract)
        rule = plan.contract.stop
        self.state = start(rule, arm, uses_judge=judge)
        wide = StopRule(cap=_UNBOUND, window=_UNBOUND, keep=rule.keep, budget=Budget())
        self._wide = start(wide, arm, uses_judge=judge)
        self._notes: list[str] = []
        self._asked: ModelCall | None = None
        self._checks = {
            c.key: check
            for c in plan.contract.criteria
            if (check := c.code_check()) is not None
        }  # fmt: skip

    def steps(self) -> Generator[Need, Answer, None]:
        """Yield what is needed next until the loop has ended; send each answer back."""
        while self._goes_on:
            if self._wide.expects is Expects.GENERATE:
                self._take((yield from self._draft()))
            else:
                self._take((yield from self._judge()))

    def cancel(self) -> None:
        """End the loop where it stands."""
        self.state = step(self.state, Cancelled())

    def trace(self, trace_id: str, sample_id: str, **more: Any) -> Trace:
        """Return the log so far; `more` is what `to_trace` takes beside the ids."""
        contract = self.plan.contract
        made = to_trace(self.state, trace_id, sample_id, contract=contract, **more)
        if self.state.exit is None:
            return made
        whole = to_trace(self._wide, trace_id, sample_id, contract=contract)
        beyond = [
            replace(r, extra={BEYOND: True})
            for r in whole.rounds[len(self.state.rounds) :]
            if r.read and not r.error
        ]
        return replace(made, rounds=(*made.rounds, *beyond))

    @property
    def _goes_on(self) -> bool:
        if self.state.exit is None:
            return True
        if self.state.exit not in (Exit.PLATEAU, Exit.CAP) or self._wide.exit is not None:
            return False
        waits = self._wide.expects is Expects.EVALUATE
        return waits or self._wide.drafts < self.plan.record

    def _take(self, event: Event) -> None:
        if self.state.exit is None:
            self.state = step(self.state, event)
        self._wide = step(self._wide, event)

    @property
    def _place(self) -> str:
        first = self._wide.number == self._wide.first_number
        return SHARED if self._shared and first else self.arm.value

    # --- the writer -------------------------------------------------------------------------

    def _draft(self) -> Generator[Need, Answer, Event]:
        plan, task = self.plan, self.task
        last = self._wide.rounds[-1] if self._wide.rounds else None
        if last is None and task.draft is not None:
            return DraftMade(task.draft, NO_COST)
        cost, feedback = NO_COST, ""
        if last is None or self.arm is Arm.RETRY:
            call = first_call(plan.contract, task.input, plan.writer)
        else:
            assert last.judgement is not None and last.draft is not None
            feedback = feedback_on(plan.contract, last.judgement.verdicts, task.reference)
            if plan.notes:
                asked = note_call(
                    plan.contract, task.input, self._attempt(last, feedback), plan.writer
                )
                note, cost = yield from self._text(Part.NOTES, asked, cost)
                if not isinstance(note, str):
                    return GeneratorFailed(note.error, cost, feedback)
                self._notes.append(note)
            attempt = self._attempt(last, feedback)
            call = revision_call(plan.contract, task.input, attempt, plan.writer)
        self._asked = call
        draft, cost = yield from self._text(Part.WRITER, call, cost)
        if not isinstance(draft, str):
            return GeneratorFailed(draft.error, cost, feedback)
        return DraftMade(draft, cost, feedback)

    def _attempt(self, last: Round, feedback: str) -> Attempt:
        return Attempt(last.draft or "", feedback, tuple(self._notes))

    def _text(
        self, who: Part, call: ModelCall, cost: Cost
    ) -> Generator[Need, Answer, tuple[str | _NoText, Cost]]:
        """Ask for a text; returns it as it came, or why there is none, with the cost added."""
        said = "the writer gave no draft"
        hashes = (call.hash, self.plan.writer.hash)
        for ask in range(1, self.plan.reasks + 2):
            answer = yield Ask(self._place, self._wide.number, who, "", ask, call, *hashes)
            if isinstance(answer, CallFailed):
                self.lost = answer
                return _NoText(str(answer)), cost
            assert isinstance(answer, Replied)
            cost = _plus(cost, answer)
            short = no_text(answer.reply)
            if short is None:
                assert answer.reply.text is not None
                return answer.reply.text, cost
            reason, why, again = short
            said = f"{reason.value}: {why}"
            if not again:
                break
        return _NoText(said), cost

    # --- the evaluator ----------------------------------------------------------------------

    def _judge(self) -> Generator[Need, Answer, Event]:
        plan, contract = self.plan, self.plan.contract
        opened = self._wide.open_round
        assert opened is not None and opened.draft is not None
        draft = opened.draft
        code = {key: c.run(draft, self.task.reference) for key, c in self._checks.items()}
        skipped = skipped_by_code(contract, code)
        cost = NO_COST
        replies: list[ReadReply] = []
        for request in () if skipped else self._requests(draft):
            read, cost = yield from self._ask_judge(request, cost)
            if isinstance(read, CallFailed):
                self.lost = read
                return EvaluatorFailed(Unscored.ERROR, str(read), cost)
            replies.append(read)
        by = plan.judge.model if plan.judge is not None and replies else ""
        judgement = merged(contract, code, replies, skipped=skipped, evaluator=by)
        if judgement.unscored is None and acceptance(contract, judgement) is None:
            keys = tuple(c.key for c in contract.criteria if c.checked_by is CheckedBy.PERSON)
            said = yield AskPerson(self._place, self._wide.number, draft, keys)
            assert isinstance(said, Mapping)
            every = {**judgement.verdicts, **{key: said[key] for key in keys}}
            judgement = replace(
                judgement, verdicts={k: every[k] for k in contract.keys if k in every}
            )
        return judged(contract, judgement, cost)

    def _requests(self, draft: str) -> tuple[JudgeRequest, ...]:
        plan, task = self.plan, self.task
        if plan.judge is None:
            return ()
        told = task.input
        if plan.facts is not None and (found := plan.facts(task.input, draft)):
            bullets = "\n".join("- " + fact.replace("\n", "\n  ") for fact in found)
            told = f"{told}\n\n# What a tool found out about the output\n{bullets}"
        return requests_for(plan.contract, plan.judge, told, draft, task.reference)

    def _ask_judge(
        self, request: JudgeRequest, cost: Cost
    ) -> Generator[Need, Answer, tuple[ReadReply | CallFailed, Cost]]:
        plan = self.plan
        assert plan.judge is not None
        call, asked = self._judge_call(request, plan.judge)
        part = request.criteria[0].key if plan.judge.one_call_each else ""
        config = config_hash(plan.judge, plan.instructions, plan.server)
        read = ReadReply()
        for ask in range(1, plan.reasks + 2):
            answer = yield Ask(
                self._place, self._wide.number, Part.JUDGE, part, ask, call, asked, config
            )
            if isinstance(answer, CallFailed):
                return answer, cost
            assert isinstance(answer, Replied)
            cost = _plus(cost, answer)
            read = read_reply(_its_text(answer.reply), request.criteria, request.output)
            if not read.worth_reasking:
                break
        return read, cost

    def _judge_call(self, request: JudgeRequest, options: JudgeOptions) -> tuple[ModelCall, str]:
        plan = self.plan
        asked = request_hash(request, options, plan.instructions)
        # Nobody who writes knows the secret, so nobody can forge the marks made from it.
        call = build_call(request, options, plan.instructions, exact_hash(self._secret, asked))
        if not plan.self_review or self._asked is None:
            return call, asked
        own = (
            *self._asked.messages,
            Message(Role.ASSISTANT, sendable(request.output)),
            Message(Role.USER, _REVIEW),
        )
        call = replace(call, messages=own, cache=False)
        return call, call.hash


_REVIEW = "Review the text you have just written by the criteria and reply with the JSON object."


@dataclass(frozen=True, slots=True)
class _NoText:
    error: str


def drive(walk: Walk, answer: Callable[[Need], Answer | None]) -> Need | None:
    """Walk on as long as `answer` gives answers; returns the need it had none for, None at the end.

    For a loop whose answers are at hand: a recording, a script, a function that calls.
    """
    steps = walk.steps()
    need = next(steps, None)
    while need is not None:
        got = answer(need)
        if got is None:
            return need
        try:
            need = steps.send(got)
        except StopIteration:
            return None
    return None


def _plus(cost: Cost, answer: Replied) -> Cost:
    """Return the cost with that of one more reply; what neither recorded stays None."""
    usage = answer.reply.usage
    into = usage.input
    if into is not None:
        into += (usage.cache_write or 0) + (usage.cache_read or 0)
    return Cost(
        cost.calls + 1,
        _sum(cost.tokens_in, into),
        _sum(cost.tokens_out, usage.output),
        _sum(cost.tokens_cached, usage.cache_read),
        _sum(cost.seconds, answer.reply.seconds),
        _sum(cost.usd, answer.usd),
    )


def _sum(had: _N | None, more: _N | None) -> _N | None:
    return more if had is None else had if more is None else had + more


def _its_text(reply: ModelReply) -> ModelReply:
    """Return the reply with its text as what is kept of it; the ledger has the body."""
    return reply if reply.text is None else replace(reply, raw=reply.text)
