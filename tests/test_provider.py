"""The real SDK against a real HTTP server on loopback: every answer has its named outcome."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.contract.criterion import Criterion
from core.errors import InputError
from core.judging.calls import CallFailed, FailureKind, ModelCall, ModelReply, Usage
from core.judging.prompt import DEFAULT_INSTRUCTIONS, JudgeOptions, JudgeRequest, build_call
from core.judging.reply import ReadReply, read_failure, read_reply
from core.providers.anthropic import AnthropicModel, SchemaRefused, retry_after
from core.providers.settings import ServerSettings, ready, server_settings
from core.verdict import Unscored, Verdict
from tests.server import Answer, ModelServer, failure, message

KEY = "sk-test-0123456789abcdef"
CRITERIA = (Criterion(key="short"), Criterion(key="names the date"))
OUTPUT = "We refund you on Friday."
PASS = {"evidence": 'It says "refund you on Friday".', "verdict": "PASS", "change": ""}
GOOD = json.dumps({"c1": PASS, "c2": PASS})


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def settings(server: ModelServer) -> ServerSettings:
    server.requests.clear()
    return ServerSettings(KEY, server.url, timeout=5)


def the_call(effort: str | None = None) -> ModelCall:
    request = JudgeRequest("When?", OUTPUT, None, CRITERIA)
    return build_call(request, JudgeOptions("model-1", effort), DEFAULT_INSTRUCTIONS, "nonce")


def send(settings: ServerSettings, call: ModelCall | None = None) -> ModelReply:
    async def go() -> ModelReply:
        model = AnthropicModel(settings)
        try:
            return await model.send(call or the_call())
        finally:
            await model.close()

    return asyncio.run(go())


def fails(settings: ServerSettings) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        send(settings)
    return caught.value


def judged(settings: ServerSettings) -> ReadReply:
    """One attempt as a run makes it: a reply is read, a failure is an error."""
    try:
        return read_reply(send(settings), CRITERIA, OUTPUT)
    except CallFailed as failed:
        return read_failure(failed)


def test_what_is_sent(server: ModelServer, settings: ServerSettings) -> None:
    server.enqueue(message(GOOD))
    send(settings, the_call(effort="low"))
    (request,) = server.requests
    assert f"Bearer {KEY}" == request.headers["authorization"]
    assert "x-api-key" not in request.headers
    assert "0" == request.headers["x-stainless-retry-count"]
    (system,) = request.body["system"]
    assert {"type": "ephemeral"} == system["cache_control"]
    assert "low" == request.body["output_config"]["effort"]
    assert ["c1", "c2"] == request.body["output_config"]["format"]["schema"]["required"]
    assert 4096 == request.body["max_tokens"]
    assert OUTPUT in request.body["messages"][0]["content"]
    assert {"model", "max_tokens", "messages", "system", "output_config"} == set(request.body)


def test_a_reply_comes_back_whole(server: ModelServer, settings: ServerSettings) -> None:
    usage = {"cache_creation_input_tokens": 7, "cache_read_input_tokens": 900}
    server.enqueue(message(GOOD, usage=usage))
    reply = send(settings)
    assert GOOD == reply.text
    assert "end_turn" == reply.stop_reason
    assert Usage(input=100, output=20, cache_write=7, cache_read=900) == reply.usage
    assert GOOD == json.loads(reply.raw)["content"][0]["text"]
    assert reply.seconds > 0


@pytest.mark.parametrize(
    ("answer", "kind", "again", "billed"),
    [
        (failure(429, "rate_limit_error"), FailureKind.RATE_LIMITED, True, False),
        (failure(529, "overloaded_error"), FailureKind.OVERLOADED, True, False),
        (failure(503, "api_error"), FailureKind.OVERLOADED, True, False),
        (failure(500, "api_error"), FailureKind.SERVER, True, False),
        (failure(500, "overloaded_error"), FailureKind.OVERLOADED, True, False),
        (failure(504, "timeout_error"), FailureKind.SERVER, True, True),
        (failure(400, "invalid_request_error"), FailureKind.REQUEST, False, False),
        (failure(404, "not_found_error"), FailureKind.REQUEST, False, False),
        (failure(413, "request_too_large"), FailureKind.REQUEST, False, False),
        (failure(401, "authentication_error"), FailureKind.KEY, False, False),
        (failure(403, "permission_error"), FailureKind.KEY, False, False),
        (
            failure(429, "rate_limit_error", x_should_retry="false"),
            FailureKind.REQUEST, False, False,
        ),
        (Answer(b"", 302, {"location": "http://127.0.0.1:9/"}), FailureKind.REQUEST, False, False),
        (Answer("<html>busy</html>", 502, {"content-type": "text/html"}),
         FailureKind.SERVER, True, False),
        (Answer("<html>sign in</html>", 200, {"content-type": "text/html"}),
         FailureKind.NOT_A_REPLY, False, True),
        (Answer("[" * 100_000), FailureKind.NOT_A_REPLY, False, True),
        (Answer("[1]"), FailureKind.NOT_A_REPLY, False, True),
        (Answer(""), FailureKind.NOT_A_REPLY, False, True),
        (Answer(b"\xff\xfe{"), FailureKind.NOT_A_REPLY, False, True),
        (Answer('{"content": "PASS"}'), FailureKind.NOT_A_REPLY, False, True),
        (Answer({"type": "error", "error": {"message": "no"}}), FailureKind.NOT_A_REPLY, False,
         True),
        (Answer(drop=True), FailureKind.UNREACHABLE, True, True),
        (message(GOOD, cut=True), FailureKind.UNREACHABLE, True, True),
    ],
)  # fmt: skip
def test_each_failure_has_its_name(
    server: ModelServer,
    settings: ServerSettings,
    answer: Answer,
    kind: FailureKind,
    again: bool,
    billed: bool,
) -> None:
    server.enqueue(answer)
    failed = fails(settings)
    assert (kind, again, billed) == (failed.kind, failed.worth_retrying, failed.may_be_billed)
    assert 1 == len(server.requests), "one send is one request: no second retry layer"
    assert "\n" not in failed.detail
    read = read_failure(failed)
    assert (Unscored.ERROR, {}) == (read.unscored, read.verdicts)


def test_a_server_says_how_long_to_wait(server: ModelServer, settings: ServerSettings) -> None:
    for asked, seconds in (("1", 1.0), ("3600", 3600.0), ("nan", None), ("soon", None)):
        server.enqueue(failure(429, "rate_limit_error", retry_after=asked))
        assert seconds == fails(settings).retry_after


def test_retry_after_as_a_date_and_in_milliseconds() -> None:
    assert 0.0 == retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    assert 1.5 == retry_after({"retry-after-ms": "1500", "retry-after": "9"})
    assert 0.0 == retry_after({"retry-after": "-5"})
    assert retry_after({}) is None


def test_a_slow_body_ends_at_the_time_limit(server: ModelServer, settings: ServerSettings) -> None:
    """Every piece comes in time, the whole does not."""
    server.enqueue(message(GOOD, drip=0.1), message(GOOD, delay=2))
    for _ in range(2):
        failed = fails(replace(settings, timeout=0.3))
        assert (FailureKind.TIMEOUT, True) == (failed.kind, failed.may_be_billed)
        assert 0.3 <= failed.seconds < 1.5


def test_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    failed = fails(ServerSettings(KEY, address, timeout=5))
    assert (FailureKind.UNREACHABLE, False) == (failed.kind, failed.may_be_billed)
    with pytest.raises(InputError, match="no connection could be made"):
        probe(ServerSettings(KEY, address))


THINKING = {"type": "thinking", "thinking": GOOD, "signature": "x"}
TEXT = {"type": "text", "text": GOOD}
OTHER = {"type": "a kind of tomorrow", "text": "no part of the answer"}
ONE = json.dumps({"c1": PASS})


@pytest.mark.parametrize(
    ("answer", "unscored", "verdicts"),
    [
        (message(GOOD), None, {"short": "PASS", "names the date": "PASS"}),
        (message(blocks=[THINKING, TEXT]), None, {"short": "PASS", "names the date": "PASS"}),
        (message(blocks=[OTHER, TEXT]), None, {"short": "PASS", "names the date": "PASS"}),
        (message(GOOD[:9], GOOD[9:]), None, {"short": "PASS", "names the date": "PASS"}),
        (message(f"```json\n{GOOD}\n```"), None, {"short": "PASS", "names the date": "PASS"}),
        (message(GOOD.replace("PASS", "pass")), None, {"short": "PASS", "names the date": "PASS"}),
        (message(GOOD.replace('"PASS"', '"false"')), None,
         {"short": "FAIL", "names the date": "FAIL"}),
        (message(json.dumps({"c1": PASS, "c2": PASS, "c9": PASS})), None,
         {"short": "PASS", "names the date": "PASS"}),
        (message(GOOD.replace("It says", "\\u0000\\ud800 It says")), None,
         {"short": "PASS", "names the date": "PASS"}),
        (message(GOOD, stop_reason="new_reason"), None,
         {"short": "PASS", "names the date": "PASS"}),
        (message(GOOD, stop_reason=None), None, {"short": "PASS", "names the date": "PASS"}),
        (message(GOOD, GOOD), Unscored.UNREADABLE, {}),
        (message(f"Here you are: {GOOD}"), Unscored.UNREADABLE, {}),
        (message(ONE), Unscored.UNREADABLE, {"short": "PASS"}),
        (message(ONE[:-1] + "," + ONE[1:]), Unscored.UNREADABLE, {"short": None}),
        (message('{"criteria": {}, "passed": true}'), Unscored.UNREADABLE, {}),
        (message(blocks=[THINKING]), Unscored.EMPTY, {}),
        (message(), Unscored.EMPTY, {}),
        (message(" \u200b\n"), Unscored.EMPTY, {}),
        (message(stop_reason="refusal"), Unscored.REFUSED, {}),
        (message(GOOD, stop_reason="refusal"), Unscored.REFUSED, {}),
        (message(GOOD[:-40], stop_reason="max_tokens"), Unscored.TRUNCATED, {}),
        (message(GOOD, stop_reason="max_tokens"), Unscored.TRUNCATED, {}),
        (message(GOOD, stop_reason="model_context_window_exceeded"), Unscored.TRUNCATED, {}),
    ],
)  # fmt: skip
def test_each_reply_has_its_outcome(
    server: ModelServer,
    settings: ServerSettings,
    answer: Answer,
    unscored: Unscored | None,
    verdicts: dict[str, str | None],
) -> None:
    server.enqueue(answer)
    read = judged(settings)
    assert (unscored, verdicts) == (read.unscored, {k: v.verdict for k, v in read.verdicts.items()})
    assert json.loads(answer.data) == json.loads(read.raw or ""), "the raw reply is kept"
    again = {Unscored.UNREADABLE, Unscored.EMPTY}
    assert (unscored in again) == read.worth_reasking


def test_a_half_character_in_the_data_can_be_sent(
    server: ModelServer, settings: ServerSettings
) -> None:
    server.enqueue(message(GOOD))
    request = JudgeRequest("in", "a\ud800b\x00c", None, CRITERIA)
    call = build_call(request, JudgeOptions("m"), DEFAULT_INSTRUCTIONS, "n")
    send(settings, replace(call, system=call.system + "\udfff"))
    assert "a\ufffdb\x00c" in server.requests[0].body["messages"][0]["content"]


REFUSED = failure(400, "invalid_request_error", "output_config: Extra inputs are not permitted")


def test_a_server_that_refuses_the_schema_is_asked_in_words(
    server: ModelServer, settings: ServerSettings
) -> None:
    """Also by calls that were under way when the first was refused, and only once."""

    async def go() -> set[str]:
        model = AnthropicModel(settings)
        server.enqueue(REFUSED, REFUSED)
        both = await asyncio.gather(
            model.send(the_call()), model.send(the_call()), return_exceptions=True
        )
        assert [SchemaRefused, SchemaRefused] == [type(failed) for failed in both]
        assert all(isinstance(f, CallFailed) and f.worth_retrying for f in both)
        reply = await model.send(the_call())
        assert read_reply(reply, CRITERIA).unscored is None
        assert "output_config" not in server.requests[-1].body
        server.enqueue(REFUSED)
        with pytest.raises(CallFailed) as caught:
            await model.send(the_call())
        assert not caught.value.worth_retrying
        await model.close()
        return model.without_schema

    assert {"model-1"} == asyncio.run(go())


def test_an_effort_is_never_dropped_in_silence(
    server: ModelServer, settings: ServerSettings
) -> None:
    server.enqueue(failure(400, "invalid_request_error", "output_config.effort: not known"))
    with pytest.raises(CallFailed, match="choose none") as caught:
        send(settings, the_call(effort="max"))
    assert not caught.value.worth_retrying


def test_no_key_in_any_message(
    server: ModelServer, settings: ServerSettings, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that repeats the key, in an error or a reply, makes nobody show or log it."""
    caplog.set_level(logging.DEBUG)
    server.enqueue(
        failure(401, "authentication_error", f"{KEY} and Bearer {KEY} and sk-ant-other123456"),
        Answer(f"<html>{KEY}</html>"),
        message(f"your key is {KEY}"),
    )
    refused = fails(settings)
    page = fails(settings)
    reply = send(settings)
    shown = [refused, refused.detail, refused.raw, page, page.raw, reply, settings]
    shown += [refused.__context__, refused.__cause__, AnthropicModel(settings).settings]
    assert not any(secret in repr(s) + str(s) for s in shown for secret in (KEY, "sk-ant-other"))
    assert "your key is [key]" == reply.text
    assert caplog.records, "the SDK logs at this level"
    assert KEY not in caplog.text


def test_text_that_only_resembles_a_key_is_left_alone(
    server: ModelServer, settings: ServerSettings
) -> None:
    server.enqueue(message("use bearer authentication and sk-ant-example123"))
    assert "use bearer authentication and sk-ant-example123" == send(settings).text


def test_other_servers_get_their_headers_and_path(
    server: ModelServer, settings: ServerSettings
) -> None:
    server.enqueue(message(GOOD), message(GOOD))
    send(replace(settings, older=True))
    send(replace(settings, api_key=None, headers={"x-team": "a"}, base_url=server.url + "/proxy/"))
    first, second = server.requests
    assert KEY == first.headers["x-api-key"]
    assert "2023-06-01" == first.headers["anthropic-version"]
    assert "authorization" not in second.headers
    assert "a" == second.headers["x-team"]
    assert ["/v1/messages", "/proxy/v1/messages"] == [first.path, second.path]


def test_without_a_key_of_ours_no_other_key_is_sent(
    server: ModelServer, settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-somebody-elses-key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "somebody-elses-token")
    server.enqueue(message(GOOD))
    send(replace(settings, api_key=None))
    assert not {"authorization", "x-api-key"} & set(server.requests[0].headers)


def test_one_model_serves_one_event_loop_after_another(settings: ServerSettings) -> None:
    """A page looks first and runs later, each in a loop of its own; connections stay behind."""
    model = AnthropicModel(settings)

    async def go() -> str | None:
        return (await model.send(the_call())).text

    assert asyncio.run(go()) == asyncio.run(go())
    asyncio.run(model.close())
    assert asyncio.run(go())


# --- before anything is spent --------------------------------------------------------------------


def probe(settings: ServerSettings) -> tuple[str, ...]:
    async def go() -> tuple[str, ...]:
        model = AnthropicModel(settings)
        try:
            return await model.probe()
        finally:
            await model.close()

    return asyncio.run(go())


def test_the_probe_reads_the_models_and_costs_nothing(
    server: ModelServer, settings: ServerSettings
) -> None:
    before = server.count
    server.models = Answer({"data": [{"id": "model-1"}, {"id": "model-2"}, 3], "has_more": False})
    assert ("model-1", "model-2") == probe(settings)
    for answer in (failure(404, "not_found_error"), failure(529, "overloaded_error")):
        server.models = answer
        assert () == probe(settings)
    assert before == server.count


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (failure(401, "authentication_error", "bad"), "the key was refused. Check ANTHROPIC_API"),
        (Answer("<html></html>"), "no model server answers there: HTML came in place of JSON"),
        (Answer(drop=True), "the connection broke off"),
    ],
)
def test_the_probe_says_in_one_line_what_is_wrong(
    server: ModelServer, settings: ServerSettings, answer: Answer, said: str
) -> None:
    server.models = answer
    with pytest.raises(InputError, match=said) as caught:
        probe(settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (ServerSettings(), "model server: there is no key. Set ANTHROPIC_API_KEY in the"),
        (ServerSettings("sk-\u2026"), "the key holds characters no key has"),
        (ServerSettings(KEY, "localhost:8080"), "is not the address of a server"),
        (ServerSettings(KEY, "http://"), "is not the address of a server"),
        (ServerSettings(KEY, "http://[::1"), "is not the address of a server"),
        (ServerSettings(KEY, "http://me:secret-word@host"), "holds a name or a password"),
    ],
)
def test_what_cannot_work_is_said_before_a_call(settings: ServerSettings, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        AnthropicModel(settings)
    assert "secret-word" not in str(caught.value)


def test_settings_come_from_the_environment_then_from_secrets() -> None:
    given = server_settings({"ANTHROPIC_API_KEY": " "}, {"ANTHROPIC_API_KEY": "sk-b", "x": {}})
    assert ServerSettings("sk-b") == given
    given = server_settings(
        {"ANTHROPIC_API_KEY": "sk-a\n", "ANTHROPIC_BASE_URL": "http://h/p"},
        {"ANTHROPIC_API_KEY": "sk-b", "EVALUATOR_BENCH_OLDER_SERVER": "yes"},
    )
    assert ServerSettings("sk-a", "http://h/p", older=True) == given
    ready(ServerSettings(None, "http://localhost:1"))


def test_the_sdk_is_not_imported_before_it_is_needed() -> None:
    """It takes a second, and most of what the program does needs no model."""
    code = (
        "import sys; import core.providers.anthropic as a, core.providers.scripted\n"
        "a.AnthropicModel(a.ServerSettings('k'))\n"
        "assert not {'anthropic', 'aiohttp', 'httpx2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- the server itself -----------------------------------------------------------------------------


def test_the_server_answers_the_same_prompt_alike_whatever_its_marks(
    server: ModelServer, settings: ServerSettings
) -> None:
    request = JudgeRequest("When?", OUTPUT, None, CRITERIA)
    replies = set()
    for nonce in ("one", "two", "three"):
        call = build_call(request, JudgeOptions("m"), DEFAULT_INSTRUCTIONS, nonce)
        replies.add(send(settings, call).text)
        replies.add(send(settings, replace(call, schema=None)).text)
    (text,) = replies
    read = read_reply(ModelReply(text, "end_turn", ""), CRITERIA)
    assert read.unscored is None
    assert {v.verdict for v in read.verdicts.values()} <= {Verdict.PASS, Verdict.FAIL}


def test_the_server_fails_on_schedule_and_counts(settings: ServerSettings) -> None:
    with ModelServer(fail_every=2, fail_status=500, latency=0.01) as failing:
        own = replace(settings, base_url=failing.url)
        assert send(own).seconds >= 0.01
        assert 500 == fails(own).status
        assert send(own).text
        with urllib.request.urlopen(f"{failing.url}/count") as answer:
            assert {"requests": 3, "answered": 3, "distinct": 1} == json.load(answer)
