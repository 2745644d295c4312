"""Models without a model: scripted ones, for demonstrations and tests, and recorded ones.

A scripted model says in its name that it is one. It answers from a rule, the same for the same
call, in the form a server would send, so everything behind it runs as with a real one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.contract.contract import Contract
from core.contract.criterion import Criterion
from core.errors import show
from core.judging.calls import CallFailed, FailureKind, ModelCall, ModelReply
from core.judging.prompt import section, without_marks
from core.providers.body import body_of, reply_from_body
from core.text import content_hash, fold, words
from core.verdict import CriterionVerdict, Verdict, failed, passed

SCRIPTED = "scripted"
"""The name of every scripted model, in place of a model id; its price is 0."""

Rule = Callable[[str, str, ModelCall], CriterionVerdict]
"""(criterion key, output, the call) -> verdict."""

_CRITERION = re.compile(r'^Criterion (\w+): (".*")$', re.MULTILINE)


class ScriptedModel:
    """Answers every call with what `answer` says to it, after `seconds`; costs nothing."""

    def __init__(self, answer: Callable[[ModelCall], str], seconds: float = 0.0) -> None:
        self.answer = answer
        self.seconds = seconds

    async def send(self, call: ModelCall) -> ModelReply:
        """Return the scripted answer."""
        await asyncio.sleep(self.seconds)
        return reply_from_body(body_of(self.answer(call), SCRIPTED), self.seconds)

    async def close(self) -> None:
        """Nothing is open."""


def scripted_judge(rule: Rule, seconds: float = 0.0) -> ScriptedModel:
    """Return a judge that gives each criterion the verdict `rule` gives it."""

    def answer(call: ModelCall) -> str:
        text = call.messages[-1].text if call.messages else ""
        output = section(text, "output") or ""
        verdicts = {}
        for name, key in _CRITERION.findall(call.system):
            v = rule(json.loads(key), output, call)
            if v.verdict is not None:
                verdicts[name] = {
                    "evidence": v.evidence,
                    "verdict": v.verdict.value,
                    "change": v.change,
                }
        return json.dumps(verdicts)

    return ScriptedModel(answer, seconds)


def nearest_example(criteria: Sequence[Criterion]) -> Rule:
    """Return a rule that goes by which example of the criterion the output shares more words with.

    UNKNOWN when neither is nearer. No judge to trust: one to see the bench at work with.
    """
    sides = {c.key: (_bag(c.pass_example), _bag(c.fail_example)) for c in criteria}

    def rule(key: str, output: str, call: ModelCall) -> CriterionVerdict:
        good, bad = sides.get(key, (frozenset(), frozenset()))
        said = _bag(output)
        near_good, near_bad = said & (good - bad), said & (bad - good)
        counts = f"scripted: shares {len(near_good)} words with the passing example only and "
        counts += f"{len(near_bad)} with the failing one only"
        if len(near_good) == len(near_bad):
            return CriterionVerdict(Verdict.UNKNOWN, counts)
        if len(near_good) > len(near_bad):
            return passed(counts)
        return failed(counts, "scripted: make it more like the passing example")

    return rule


def seeded_errors(
    gold: Callable[[str, str], bool | None],
    *,
    false_accept: float,
    false_reject: float,
    seed: int,
    flip: float = 0.0,
) -> Rule:
    """Return a rule that errs at set rates around `gold`(criterion key, output).

    Rates are shares in [0, 1] of bad and good outputs. Which outputs it errs on follows from the
    seed and the text alone; a share `flip` of verdicts also turns on the marks of the single call,
    so that repeats disagree. UNKNOWN where gold is None.
    """

    def rule(key: str, output: str, call: ModelCall) -> CriterionVerdict:
        good = gold(key, output)
        if good is None:
            return CriterionVerdict(Verdict.UNKNOWN, "scripted: no gold label to err around")
        wrong = _share(seed, key, output) < (false_reject if good else false_accept)
        verdict = good != wrong
        if flip and _share(seed, "flip", key, output, call.hash) < flip:
            verdict = not verdict
        if verdict:
            return passed("scripted: follows the gold label at the error rates that were set")
        return failed(
            "scripted: follows the gold label at the error rates that were set",
            "scripted: no change is suggested",
        )

    return rule


def in_turn(drafts: Sequence[str]) -> Callable[[ModelCall], str]:
    """Return answers for a generator: the drafts in turn for each first message, the last again."""
    if not drafts:
        raise ValueError("a scripted generator needs a draft")
    asked: dict[str, int] = {}

    def answer(call: ModelCall) -> str:
        first = call.messages[0].text if call.messages else ""
        number = asked.get(first, 0)
        asked[first] = number + 1
        return drafts[min(number, len(drafts) - 1)]

    return answer


def scripted_model(contract: Contract, seconds: float = 0.0) -> ScriptedModel:
    """Return a model that both judges and writes, to see runs at work without a key.

    It judges by the nearest example. As a writer it hands out the contract's own examples: the n-th
    time it is asked the same it gives the n-th of them by lot, failing ones twice as often as
    passing ones in a first draft and half as often in a revision, so that every exit can be seen.
    Each answer takes `seconds`.
    """
    judge = scripted_judge(nearest_example(contract.criteria))
    good = [c.pass_example for c in contract.criteria if c.pass_example.strip()]
    bad = [c.fail_example for c in contract.criteria if c.fail_example.strip()]
    asked: dict[str, int] = {}

    def answer(call: ModelCall) -> str:
        if call.schema is not None:
            return judge.answer(call)
        asked[call.hash] = number = asked.get(call.hash, 0) + 1
        revision = "# Your last draft" in call.messages[-1].text
        lot = _share("writer", call.hash, number)
        pool = good if lot < (2 / 3 if revision else 1 / 3) else bad
        pool = pool or good or bad or ["scripted: the contract has no example to write from."]
        return pool[int(_share("which", call.hash, number) * len(pool))]

    return ScriptedModel(answer, seconds)


def _bag(text: str) -> frozenset[str]:
    return frozenset(words(fold(text)))


def _share(*parts: object) -> float:
    """Return a number in [0, 1) that follows from the parts alone."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


# --- recorded ----------------------------------------------------------------------------------


def recording_key(call: ModelCall) -> str:
    """Return the identity of a call, whatever random marks stand around its data."""
    return content_hash(
        [
            call.model,
            call.system,
            [[m.role.value, without_marks(m.text)] for m in call.messages],
            call.max_tokens,
            call.effort,
            None if call.schema is None else dict(call.schema),
        ]
    )


class RecordedModel:
    """Gives the replies that were recorded, each as often as it is asked for.

    `recordings` are bodies by `recording_key`. A call nobody recorded fails; it is not made up.
    """

    def __init__(self, recordings: Mapping[str, str]) -> None:
        self.recordings = dict(recordings)

    def record(self, call: ModelCall, reply: ModelReply) -> None:
        """Keep a reply for the next time the same is asked."""
        self.recordings[recording_key(call)] = reply.raw

    async def send(self, call: ModelCall) -> ModelReply:
        """Return the recorded reply; raises CallFailed when there is none."""
        body = self.recordings.get(recording_key(call))
        if body is None:
            raise CallFailed(
                FailureKind.REQUEST, f"no reply to this was recorded for {show(call.model)}"
            )
        return reply_from_body(body)

    async def close(self) -> None:
        """Nothing is open."""


def recordings_from(lines: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return recordings by key from rows with the texts `key` and `raw`."""
    return {str(line["key"]): str(line["raw"]) for line in lines}
