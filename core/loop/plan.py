"""What a loop is made of and what it can ask for: plain data, shared by whoever drives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.contract.contract import Contract
from core.judging.calls import CallFailed, ModelCall, ModelReply
from core.judging.prompt import DEFAULT_INSTRUCTIONS, Instructions, JudgeOptions
from core.loop.generator import GeneratorOptions
from core.loop.trace import uses_judge
from core.verdict import CriterionVerdict

SHARED = ""
"""The arm of a call that both arms share: the first draft and its judgement."""

Facts = Callable[[str, str], Sequence[str]]
"""(task input, draft) -> facts a tool found about the draft's claims, one line or more each."""


class Part(StrEnum):
    """Who is asked."""

    WRITER = "writer"
    NOTES = "notes"
    JUDGE = "judge"


@dataclass(frozen=True)
class Plan:
    """A configured loop.

    `judge` is needed where the contract has a criterion for a judge. `reasks` is how often a reply
    that is no text, or cannot be read, is asked for once more, unchanged. Up to `record` drafts are
    recorded even where the rule stopped earlier (by PLATEAU or CAP), so that other rules can be
    looked at; they are marked and count nowhere. `notes` lets the writer keep a line about each
    failure; `self_review` puts the judging into the writer's own conversation; `facts` is a tool
    asked about every draft, whose findings the judge is given. `server` is the judge's, as in `config_hash`.
    """

    contract: Contract
    writer: GeneratorOptions
    judge: JudgeOptions | None = None
    instructions: Instructions = DEFAULT_INSTRUCTIONS
    reasks: int = 1
    record: int = 0
    notes: bool = False
    self_review: bool = False
    facts: Facts | None = None
    server: str | None = None

    def __post_init__(self) -> None:
        if self.judge is None and uses_judge(self.contract):
            raise ValueError("a criterion is for a judge and no judge is given")


@dataclass(frozen=True, slots=True)
class Task:
    """What one loop works on. With `draft` the first draft is given and costs no call."""

    input: str
    reference: str | None = None
    draft: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A call to make. Its place is arm (`SHARED` for both), round, who, `part` (a criterion asked
    by itself) and `ask` (1, or more after a reply that was no answer); the hashes say what is asked
    and of whom.
    """

    arm: str
    round: int
    who: Part
    part: str
    ask: int
    call: ModelCall
    request_hash: str
    config_hash: str


@dataclass(frozen=True, slots=True)
class AskPerson:
    """A draft that waits for a person's word on the criteria `keys`."""

    arm: str
    round: int
    draft: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replied:
    """The reply to an `Ask`, and what it cost in US dollars (None: no price is set)."""

    reply: ModelReply
    usd: float | None = None


Need: TypeAlias = Ask | AskPerson
Answer: TypeAlias = Replied | CallFailed | Mapping[str, CriterionVerdict]
"""To an `Ask` a reply or why none came; to an `AskPerson` a verdict on each of its keys."""
