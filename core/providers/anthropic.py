"""Models behind Anthropic's API or any server that speaks its POST /v1/messages.

The one module that imports the SDK, and only when the first call is made: the import takes about a
second. The SDK's own retries are off, because they follow any retry-after however long and leave
no record; one `send` is one request. The raw reply is kept and read here, because the SDK's
`parse` throws away a paid reply that was cut off or refused. A call as a whole has a time limit: a
server that drips a byte a second never trips the time limit of a single read.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any, Final

from core.errors import InputError
from core.judging.calls import CallFailed, FailureKind, ModelCall, ModelReply
from core.judging.prompt import sendable
from core.providers.body import NotAReply, decoded, message_from_body, reply_from_body
from core.providers.redact import cut_out, redact
from core.providers.settings import BASE_URL, KEY, OWN_SERVER, ServerSettings, ready

_OLDER_VERSION = "2023-06-01"
_CONNECT_SECONDS = 10.0
_PROBE_SECONDS = 15.0
_MAX_DETAIL = 300
_KINDS: Final = {
    401: FailureKind.KEY,
    403: FailureKind.KEY,
    408: FailureKind.TIMEOUT,
    409: FailureKind.SERVER,
    429: FailureKind.RATE_LIMITED,
    503: FailureKind.OVERLOADED,
    529: FailureKind.OVERLOADED,
}
# A request that went through to a model behind a gateway may have been answered, and paid for.
_UNWANTED = frozenset({400, 422})
_SCHEMA_WORDS = ("output_config", "json_schema", "output_format", "structured output")
_MAYBE_BILLED = frozenset({408, 504})


class SchemaRefused(CallFailed):
    """The server does not take a JSON schema; the next attempt goes without, asked in words."""

    @property
    def worth_retrying(self) -> bool:
        """True: the model has taken note, so the same call is sent without the schema."""
        return True


class AnthropicModel:
    """A model that answers over HTTP; one connection pool, for one run.

    `without_schema` names the models of whom replies are asked for in words alone, because the
    server refused a schema: to be shown beside the run.
    """

    def __init__(self, settings: ServerSettings) -> None:
        ready(settings)
        self.settings = settings
        self.without_schema: set[str] = set()
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, call: ModelCall) -> ModelReply:
        """Make one attempt; raises CallFailed."""
        client = await self._connected()
        schema = call.schema is not None and call.model not in self.without_schema
        asked = _parameters(call, schema=schema)
        limit = self._seconds(call)
        start = time.monotonic()
        try:
            async with asyncio.timeout(limit):
                answer = await client.messages.with_raw_response.create(
                    **asked, timeout=_timeouts(limit)
                )
            body = answer.http_response.content
            raw = cut_out(decoded(body), self.settings.secrets)
            return reply_from_body(raw, time.monotonic() - start)
        except NotAReply as problem:
            failed = self._not_a_reply(problem)
        except Exception as error:
            failed = self._failure(error, call if schema else replace(call, schema=None), limit)
        # Raised out here, because the SDK's exceptions hold the request with its key.
        failed.seconds = time.monotonic() - start
        raise failed

    async def probe(self) -> tuple[str, ...]:
        """Ask the server for its list of models, which costs nothing; returns their ids.

        Raises InputError, one line, when the server cannot be reached, refuses the key, or is no
        model server. A server without such a list, or too busy to give it, is taken as it is.
        """
        client = await self._connected()
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                answer = await client.models.with_raw_response.list(
                    limit=1000, timeout=_timeouts(_PROBE_SECONDS)
                )
            return _model_ids(decoded(answer.http_response.content))
        except NotAReply as problem:
            failed = self._not_a_reply(problem)
        except Exception as error:
            failed = self._failure(error, None, _PROBE_SECONDS)
        if failed.kind is FailureKind.NOT_A_REPLY:
            raise InputError(
                self._where(), f"no model server answers there: {failed.detail}.",
                f"Check the address ({BASE_URL}).",
            )  # fmt: skip
        if failed.kind is FailureKind.KEY and failed.status == 401:
            raise InputError(self._where(), "the key was refused.", f"Check {KEY}.")
        if failed.status is None:
            raise InputError(self._where(), f"{failed.detail}.", f"Check the address ({BASE_URL}).")
        return ()

    async def close(self) -> None:
        """Release connections."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    def _where(self) -> str:
        return f"model server {self.settings.base_url or 'of Anthropic'}"

    async def _connected(self) -> Any:
        """Return the client of the running loop; connections cannot move to another loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = _make_client(self.settings), loop
        return self._client

    def _seconds(self, call: ModelCall) -> float:
        """Return the most seconds a call may take: the SDK's own rule unless settings say."""
        return self.settings.timeout or max(600.0, 3600.0 * call.max_tokens / 128_000)

    def _failure(self, error: Exception, call: ModelCall | None, limit: float) -> CallFailed:
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            return self._refusal(error, call)
        names = {type(e).__name__ for e in _chain(error)}
        if names & {"ConnectTimeout", "ConnectionTimeoutError"}:
            return CallFailed(FailureKind.UNREACHABLE, "no connection could be made in time")
        if isinstance(error, TimeoutError | anthropic.APITimeoutError):
            return CallFailed(
                FailureKind.TIMEOUT, f"no whole reply within {limit:g} s", may_be_billed=True
            )
        if any(name.startswith("ClientConnector") for name in names):
            why = next((w for name, w in _UNREACHABLE.items() if name in names), "")
            return CallFailed(FailureKind.UNREACHABLE, f"no connection could be made{why}")
        if isinstance(error, anthropic.APIConnectionError) and not names & _UNUSABLE:
            return CallFailed(
                FailureKind.UNREACHABLE, "the connection broke off", may_be_billed=True
            )
        why = self._clean(f"{type(error).__name__}: {error}")
        return CallFailed(FailureKind.REQUEST, f"the request could not be made ({why})")

    def _refusal(self, error: Any, call: ModelCall | None) -> CallFailed:
        """Return what a status other than success comes to."""
        status: int = error.status_code
        raw = decoded(error.response.content)
        said = self._clean(error.api_message if isinstance(error.api_message, str) else "")
        kind = _KINDS.get(status, FailureKind.SERVER if status >= 500 else FailureKind.REQUEST)
        if error.type == "overloaded_error":
            kind = FailureKind.OVERLOADED
        headers: Mapping[str, str] = error.response.headers
        if status == 429 and headers.get("x-should-retry", "").lower() == "false":
            kind = FailureKind.REQUEST
        detail = f"status {status}" + (f": {said}" if said else "")
        if 300 <= status < 400:
            detail = f"status {status}: the server points to another address"
        made = CallFailed
        if call is not None and status in _UNWANTED and any(w in raw for w in _SCHEMA_WORDS):
            blamed = call.effort is not None and "effort" in said
            if call.schema is not None and not blamed:
                self.without_schema.add(call.model)
                made = SchemaRefused
                detail += " (to be asked again in words, without a schema)"
            elif call.effort is not None:
                detail += " (this server or model takes no such effort: choose none)"
        return made(
            kind,
            detail,
            status=status,
            retry_after=retry_after(headers),
            raw=redact(raw, self.settings.secrets),
            may_be_billed=status in _MAYBE_BILLED,
        )

    def _not_a_reply(self, problem: NotAReply) -> CallFailed:
        raw = redact(problem.raw, self.settings.secrets)
        return CallFailed(
            FailureKind.NOT_A_REPLY, self._clean(str(problem)), status=200, raw=raw,
            may_be_billed=True,
        )  # fmt: skip

    def _clean(self, text: str) -> str:
        """Return one line without secrets."""
        line = " ".join(redact(text, self.settings.secrets).split())
        return line if len(line) <= _MAX_DETAIL else line[: _MAX_DETAIL - 1] + "…"


_UNREACHABLE = {
    "ClientConnectorDNSError": ": no server has this name",
    "ClientConnectorCertificateError": ": the server's certificate is not trusted",
    "ClientConnectorSSLError": ": the server does not speak TLS there",
}
_UNUSABLE = frozenset(
    {"UnsupportedProtocol", "InvalidURL", "InvalidUrlClientError", "LocalProtocolError"}
)


def _make_client(settings: ServerSettings) -> Any:
    import anthropic

    headers: dict[str, Any] = dict(settings.headers)
    if settings.api_key is None:
        # Said outright: left out, the SDK would look for other people's keys on this machine.
        headers.setdefault("Authorization", anthropic.Omit())
    if settings.older:
        headers.setdefault("anthropic-version", _OLDER_VERSION)
        if settings.api_key is not None:
            headers.setdefault("X-Api-Key", settings.api_key)
    return anthropic.AsyncAnthropic(
        api_key=settings.api_key or "none",
        base_url=settings.base_url or OWN_SERVER,
        max_retries=0,
        default_headers=headers,
        open_telemetry=False,
        # A redirect would carry the key to an address nobody chose.
        http_client=anthropic.DefaultAioHttpClient(follow_redirects=False),
    )


def _timeouts(limit: float) -> Any:
    import anthropic

    return anthropic.Timeout(limit, connect=min(limit, _CONNECT_SECONDS))


def _parameters(call: ModelCall, *, schema: bool) -> dict[str, Any]:
    """Return the body to send."""
    asked: dict[str, Any] = {
        "model": call.model,
        "max_tokens": call.max_tokens,
        "messages": [{"role": m.role.value, "content": sendable(m.text)} for m in call.messages],
    }
    if call.system:
        block: dict[str, Any] = {"type": "text", "text": sendable(call.system)}
        if call.cache:
            block["cache_control"] = {"type": "ephemeral"}
        asked["system"] = [block]
    output: dict[str, Any] = {}
    if call.schema is not None and schema:
        output["format"] = {"type": "json_schema", "schema": dict(call.schema)}
    if call.effort is not None:
        output["effort"] = call.effort
    if output:
        asked["output_config"] = output
    return asked


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a server asks to wait, however many; None when it does not say."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        given = headers.get(name, "")
        try:
            seconds = float(given) / unit
        except ValueError:
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, until.timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _model_ids(raw: str) -> tuple[str, ...]:
    listed = message_from_body(raw).get("data")
    models = listed if isinstance(listed, list) else []
    ids = [model.get("id") for model in models if isinstance(model, dict)]
    return tuple(name for name in ids if isinstance(name, str))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = 0
    while error is not None and seen < 20:
        yield error
        error, seen = error.__cause__ or error.__context__, seen + 1
