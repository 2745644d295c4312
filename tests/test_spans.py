"""Spans become traces: both conventions, a guess at the mapping, and counts of what is left."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core.errors import InputError
from core.files.recognise import recognise
from core.files.span_map import EVALUATIONS, NAME, OUTPUT_TEXT, suggest_mapping
from core.files.span_traces import to_traces
from core.files.spans import read_spans
from core.loop.stop import Exit
from core.verdict import LabelValue, Unscored, Verdict, WordMap


def typed(value: Any) -> dict[str, Any]:
    """A value in OTLP's wrapping."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value}


def otlp(trace: str, number: int, name: str, parent: str = "", **more: Any) -> dict[str, Any]:
    attributes = more.pop("attributes", {})
    return {
        "traceId": trace, "spanId": f"{trace}-{number}", "parentSpanId": parent, "name": name,
        "startTimeUnixNano": str(10**18 + number * 10**9),
        "endTimeUnixNano": str(10**18 + number * 10**9 + 5 * 10**8),
        "attributes": [{"key": k, "value": typed(v)} for k, v in attributes.items()], **more,
    }  # fmt: skip


def said(text: str, tokens: int = 10) -> dict[str, Any]:
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]
    return {
        "gen_ai.request.model": "m-1", "gen_ai.output.messages": json.dumps(messages),
        "gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 3,
    }  # fmt: skip


def loop(trace: str, *verdicts: str) -> list[dict[str, Any]]:
    """A loop of one draft a verdict; the texts stand in model calls below the steps."""
    spans = [otlp(trace, 0, "improve_reply_loop", attributes={"app.sample_id": "s-" + trace})]
    for round_, verdict in enumerate(verdicts, 1):
        at = round_ * 10
        spans += [
            otlp(trace, at, "write_draft", f"{trace}-0"),
            otlp(trace, at + 1, "chat m-1", f"{trace}-{at}", attributes=said(f"draft {round_}")),
            otlp(trace, at + 2, "evaluate_draft", f"{trace}-0"),
            otlp(trace, at + 3, "chat m-1", f"{trace}-{at + 2}", attributes=said(verdict, 20)),
        ]
    return spans


def export(spans: list[dict[str, Any]]) -> bytes:
    body = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": spans}]}]}
    return json.dumps(body).encode()


def test_a_loop_in_otlp_becomes_a_trace_by_the_guessed_mapping() -> None:
    data = export([*loop("a", "FAIL - too long", "PASS"), *loop("b", "fail")])
    assert recognise(data, "x.json") == "spans"
    file = read_spans(data, "x.json")
    guess = suggest_mapping(file.spans)
    assert (guess.role, guess.drafts, guess.judges) == (
        NAME, {"write_draft"}, {"evaluate_draft"},
    )  # fmt: skip
    assert (guess.round, guess.verdicts, guess.sample) == (None, (OUTPUT_TEXT,), "app.sample_id")
    mapped = to_traces(file, guess)
    a, b = mapped.file.traces
    assert [r.draft for r in a.rounds] == ["draft 1", "draft 2"]
    assert [r.judgement.verdicts["overall"].verdict for r in a.rounds] == [
        Verdict.FAIL, Verdict.PASS,
    ]  # fmt: skip
    assert (a.sample_id, a.exit, a.returned_round, b.exit) == ("s-a", Exit.PASS, 2, None)
    first = a.rounds[0]
    assert (first.tokens_in, first.tokens_out, first.seconds, first.calls) == (30, 6, 1.0, 2)
    assert first.judgement.verdicts["overall"].evidence == "FAIL - too long"
    assert mapped.said[0] == "14 spans: 3 drafts, 3 verdicts, 6 below them, 2 not used."


def phoenix(number: int, name: str, kind: str, **attributes: Any) -> dict[str, Any]:
    return {
        "name": name, "span_kind": kind, "parent_id": None, "status_code": "OK",
        "context": {"trace_id": "t", "span_id": f"p{number}"},
        "start_time": f"2026-01-01T00:00:{number:02d}+00:00",
        "end_time": f"2026-01-01T00:00:{number:02d}.500000+00:00", "attributes": attributes,
    }  # fmt: skip


def test_openinference_rounds_are_told_by_their_number_and_results_by_their_name() -> None:
    """The judge of round 2 is recorded before its draft: the number decides, not the clock."""
    out = {"llm": {"output_messages": [{"message": {"role": "assistant", "content": "v{}"}}]}}
    draft = json.dumps(out)
    rows = [
        phoenix(9, "writer", "LLM", iteration=2, **json.loads(draft.replace("{}", "2"))),
        phoenix(1, "writer", "LLM", iteration="1", **json.loads(draft.replace("{}", "1"))),
        phoenix(2, "critic", "EVALUATOR", iteration=1, **{
            "evaluations.0.evaluation.name": "tone", "evaluations.0.evaluation.label": "fail",
            "evaluations.0.evaluation.explanation": "blames", "evaluations.1.evaluation.name":
            "length", "evaluations.1.evaluation.score": 0.9}),
        phoenix(3, "critic", "EVALUATOR", iteration=2, **{
            "evaluations.0.evaluation.name": "tone", "evaluations.0.evaluation.label": "PASS",
            "evaluations.1.evaluation.name": "length", "evaluations.1.evaluation.score": 0.2,
            "evaluations.2.evaluation.name": "quality", "evaluations.2.evaluation.label": "pass",
            "evaluations.2.evaluation.annotator_kind": "HUMAN"}),
    ]  # fmt: skip
    data = "\n".join(json.dumps(row) for row in rows).encode("utf-16")
    assert recognise(data, "spans.jsonl") == "spans"
    file = read_spans(data, "spans.jsonl")
    guess = suggest_mapping(file.spans)
    assert (guess.round, guess.verdicts) == ("iteration", (EVALUATIONS,))
    trace = to_traces(file, replace(guess, at_least=0.5)).file.traces[0]
    words = [{k: v.verdict for k, v in r.judgement.verdicts.items()} for r in trace.rounds]
    assert words == [
        {"tone": Verdict.FAIL, "length": Verdict.PASS},
        {"tone": Verdict.PASS, "length": Verdict.FAIL},
    ]
    assert [r.draft for r in trace.rounds] == ["v1", "v2"]
    assert (trace.rounds[1].gold, trace.exit) == (LabelValue.PASS, None)
    assert trace.rounds[0].judgement.verdicts["tone"].evidence == "blames"
    unread = to_traces(file, guess)
    assert "Verdicts that cannot be read as PASS or FAIL, unscored: 2 (0.2 × 1, 0.9 × 1)." in (
        unread.said
    )
    length = unread.file.traces[0].rounds[0].judgement.verdicts["length"]
    assert length.unscored is Unscored.UNREADABLE


def test_a_field_of_a_json_reply_is_the_verdict_and_another_the_evidence() -> None:
    spans = loop("a", '{"passed": false, "reason": "no sum"}', '{"passed": true, "reason": "ok"}')
    file = read_spans(export(spans), "x.json")
    guess = suggest_mapping(file.spans)
    assert (guess.verdicts, guess.evidence) == ((OUTPUT_TEXT,), None)
    mapping = replace(guess, verdicts=("output JSON: passed",), evidence="output JSON: reason")
    rounds = to_traces(file, mapping).file.traces[0].rounds
    assert [(v.verdict, v.evidence) for r in rounds for v in r.judgement.verdicts.values()] == [
        (Verdict.FAIL, "no sum"), (Verdict.PASS, "ok"),
    ]  # fmt: skip


def test_what_cannot_be_mapped_is_said_with_counts() -> None:
    broken = otlp("a", 5, "write_draft", status={"code": 2, "message": "429"})
    early = otlp("c", 1, "evaluate_draft", attributes={"output.value": "pass"})
    spans = [*loop("a", "maybe", "FAIL"), broken, early, {"name": "no ids"}]
    file = read_spans(export([*spans, spans[1]]), "x.json")
    mapped = to_traces(file, suggest_mapping(file.spans))
    assert file.repeats == 1 and [p.message for p in file.problems] == [
        "this span has no trace id or no span id."
    ]
    trace = mapped.file.traces[0]
    assert (len(trace.rounds), trace.rounds[0].generate_calls) == (2, 2)
    told = "\n".join(mapped.said)
    for line in (
        "Traces with verdicts but no draft, left out: 1.", "Verdicts that belong to no draft, left out: 1.",
        "counted as calls of the next draft: 1.", "unscored: 1 (maybe × 1).", "count once: 1.",
    ):  # fmt: skip
        assert line in told


def test_two_verdicts_that_contradict_each_other_are_none() -> None:
    spans = [*loop("a", "pass"), otlp("a", 14, "evaluate_draft", attributes={"output.value": "no"})]
    file = read_spans(export(spans), "x.json")
    mapped = to_traces(file, suggest_mapping(file.spans))
    verdict = mapped.file.traces[0].rounds[0].judgement.verdicts["overall"]
    assert (verdict.verdict, verdict.unscored) == (None, Unscored.UNREADABLE)
    assert mapped.file.traces[0].exit is None


def test_a_cap_that_is_known_gives_the_exit_and_two_drafts_of_one_number_are_refused() -> None:
    file = read_spans(export(loop("a", "FAIL", "FAIL")), "x.json")
    guess = replace(suggest_mapping(file.spans), cap=2)
    trace = to_traces(file, guess).file.traces[0]
    assert (trace.exit, trace.stop.cap) == (Exit.CAP, 2)
    spans = loop("a", "FAIL", "FAIL")
    for span in spans:
        span["attributes"].append({"key": "round", "value": typed(1)})
    twice = read_spans(export(spans), "x.json")
    with pytest.raises(InputError, match="round 1 is recorded twice"):
        to_traces(twice, suggest_mapping(twice.spans))


def test_a_table_of_a_data_frame_and_a_ring_of_parents_are_read() -> None:
    text = (
        "context.trace_id,context.span_id,parent_id,name,attributes.output.value\n"
        "t,1,2,generate,a draft\nt,2,1,judge,PASS\n"
    )
    file = read_spans(text.encode(), "spans.csv")
    guess = replace(
        suggest_mapping(file.spans), drafts=frozenset({"generate"}), judges=frozenset({"judge"}),
        words=WordMap.of(["pass"], ["fail"]),
    )  # fmt: skip
    assert to_traces(file, guess).file.traces[0].exit is Exit.PASS


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spa', "ends in the middle"),
        (b'{"resourceSpans": []}', "no span is in this file"),
        (b'{"trace_id": 1, "trace_id": 2}', "given twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": 1}\n{"b"\n', "no span is in this file"),
        (b"%PDF-1.7", "a PDF"),
        (b'{"spanId": "\x00\x00\x00', "ends in the middle|UTF-16|not JSON"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_spans(data, "x.json")
    assert "\n" not in str(error.value)


def test_numbers_that_are_none_reach_no_trace() -> None:
    spans = loop("a", "pass")
    spans[2]["attributes"] += [{"key": "gen_ai.usage.cost", "value": {"doubleValue": "NaN"}}]
    body = export(spans).decode().replace('"20"', "NaN")
    trace = to_traces(
        read_spans(body.encode(), "x"), suggest_mapping(read_spans(body.encode(), "x").spans)
    ).file.traces[0]
    assert (trace.rounds[0].tokens_in, trace.rounds[0].usd) == (10, None)


@pytest.mark.parametrize(
    ("numbers", "order", "gaps"),
    [
        ([3, 1, 2], [1, 2, 3], ()),
        ([1, 2, 4], [1, 2, 4], (3,)),
        (["1", "10", "2"], [1, 2, 10], (3, 4, 5, 6, 7, 8, 9)),
        ([0, 1, 2], [0, 1, 2], ()),
    ],
)
def test_rounds_are_shown_by_their_number_even_when_all_begin_at_once(
    numbers: list[Any], order: list[int], gaps: tuple[int, ...]
) -> None:
    spans = [
        otlp("a", 10 + i, "generate", attributes={"round": n, "output.value": f"draft {n}"})
        for i, n in enumerate(numbers)
    ]
    for span in spans:
        span["startTimeUnixNano"] = str(10**18)
    file = read_spans(export(spans), "x.json")
    guess = suggest_mapping(file.spans)
    assert (guess.round, guess.judges) == ("round", frozenset())
    trace = to_traces(file, guess).file.traces[0]
    assert [r.number for r in trace.rounds] == order
    assert [r.draft for r in trace.rounds] == [f"draft {n}" for n in order]
    assert (trace.gaps, trace.exit) == (gaps, None)


def test_drafts_that_begin_at_once_without_numbers_keep_the_order_of_the_file_and_it_is_said() -> (
    None
):
    spans = [otlp("a", n, "generate", attributes={"output.value": f"d{n}"}) for n in (2, 1)]
    for span in spans:
        span["startTimeUnixNano"] = str(10**18)
    file = read_spans(export(spans), "x.json")
    mapped = to_traces(file, suggest_mapping(file.spans))
    assert [r.draft for r in mapped.file.traces[0].rounds] == ["d2", "d1"]
    assert any("begin at the same time" in line for line in mapped.said)
