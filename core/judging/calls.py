"""One call to a language model: what is sent, what comes back, and how it can fail.

Judges and generators speak to a model through `Model` alone. A model makes exactly one attempt per
`send`: retrying, waiting, budgets and keeping what was paid for belong to whoever runs it, so that
every attempt is on the record and there are never two retry layers on top of each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from core.text import content_hash


class Role(StrEnum):
    """Who said a message."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, its text byte for byte."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Everything that is sent to a model in one request.

    `max_tokens` is the ceiling of the reply (thinking counts towards it). `schema` asks for a reply
    that follows this JSON schema; a server may ignore it, so the prompt asks in words as well.
    `cache` marks the system text as the same in every call of a run.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    effort: str | None = None
    schema: Mapping[str, Any] | None = None
    cache: bool = False

    @property
    def hash(self) -> str:
        """Identity of the exact bytes that are sent."""
        return content_hash(
            [
                self.model,
                self.system,
                [[m.role.value, m.text] for m in self.messages],
                self.max_tokens,
                self.effort,
                None if self.schema is None else dict(self.schema),
                self.cache,
            ]
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, as the server counted them; None where it said nothing.

    The whole input is `input` + `cache_write` + `cache_read`. Thinking is part of `output`.
    """

    input: int | None = None
    output: int | None = None
    cache_write: int | None = None
    cache_read: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a server sent back with success, before anybody judges what it means.

    `text` is the text blocks in their order, joined; None when there was none. `stop_reason` is the
    server's own word ("" when it gave none). `raw` is the body byte for byte, as text.
    """

    text: str | None
    stop_reason: str
    raw: str
    usage: Usage = Usage()
    seconds: float = 0.0


class FailureKind(StrEnum):
    """Why a call brought no reply."""

    RATE_LIMITED = "rate limited"
    OVERLOADED = "overloaded"
    SERVER = "server error"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timed out"
    KEY = "key refused"
    REQUEST = "request refused"
    NOT_A_REPLY = "not a reply"


_AGAIN = frozenset(
    {
        FailureKind.RATE_LIMITED,
        FailureKind.OVERLOADED,
        FailureKind.SERVER,
        FailureKind.UNREACHABLE,
        FailureKind.TIMEOUT,
    }
)


class CallFailed(Exception):
    """A call that brought no reply.

    `detail` is one line without secrets. `raw` is the body, if one came. `retry_after` is in
    seconds, as the server asked. `may_be_billed` says that the request had reached the server and
    nobody knows whether it was paid for.
    """

    def __init__(
        self,
        kind: FailureKind,
        detail: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        raw: str | None = None,
        may_be_billed: bool = False,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(f"{kind.value}: {detail}")
        self.kind = kind
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        self.raw = raw
        self.may_be_billed = may_be_billed
        self.seconds = seconds

    @property
    def worth_retrying(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in _AGAIN


class Model(Protocol):
    """A language model behind a server, a script or a recording."""

    async def send(self, call: ModelCall) -> ModelReply:
        """Make one attempt; raises CallFailed."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
