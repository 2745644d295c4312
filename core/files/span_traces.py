"""From spans to traces by a mapping, through the reader of native traces; nothing is dropped unsaid."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.contract.contract import Contract
from core.errors import InputError
from core.files.jsonvalue import as_text, whole
from core.files.span_map import (
    EVALUATIONS,
    TRACE,
    SpanMapping,
    read_word,
    value_at,
)
from core.files.span_words import told
from core.files.spans import Evaluation, Span, SpanFile
from core.files.traces import TraceFile, parse_traces
from core.verdict import OVERALL

_TOKENS = {
    "tokens_in": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "tokens_out": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
                   "llm.token_count.completion"),
    "tokens_cached": ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
                      "llm.token_count.prompt_details.cache_read"),
    "usd": ("llm.cost.total", "gen_ai.usage.cost"),
}  # fmt: skip
_MODELS = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name")


@dataclass(frozen=True)
class Mapped:
    """Traces made of spans, and lines with counts about what was used and what was not."""

    file: TraceFile
    said: Sequence[str]


@dataclass
class _Step:
    """A draft or a verdict: its span and the spans below it that belong to it."""

    span: Span
    value: str
    draft: bool
    below: list[Span] = field(default_factory=list)

    @property
    def all(self) -> list[Span]:
        return [self.span, *self.below]

    @property
    def when(self) -> tuple[float, int]:
        start = self.span.start
        return (math.inf if start is None else start, self.span.order)

    def text(self, place: str) -> str:
        """Return what stands at a place here, else in the last span below that has it."""
        later = sorted(self.below, key=lambda s: (s.start or 0.0, s.order), reverse=True)
        return next((v for v in (value_at(s, place) for s in (self.span, *later)) if v), "")

    def amount(self, names: Sequence[str]) -> float | None:
        """Return an amount: the span's own, else the sum of those directly below that have one."""
        by_parent: dict[str, list[Span]] = {}
        for span in self.below:
            by_parent.setdefault(span.parent_id, []).append(span)

        def of(span: Span, depth: int = 0) -> float | None:
            own = next((span.attributes[n] for n in names if n in span.attributes), None)
            number = _number(own)
            if number is not None or depth > 50:
                return number
            inner = [of(s, depth + 1) for s in by_parent.get(span.span_id, ())]
            known = [n for n in inner if n is not None]
            return sum(known) if known else None

        return of(self.span)

    @property
    def seconds(self) -> float:
        if self.span.start is None or self.span.end is None:
            return 0.0
        return max(self.span.end - self.span.start, 0.0)

    @property
    def model(self) -> str:
        return next(
            (as_text(s.attributes[n]) for s in self.all for n in _MODELS if n in s.attributes), ""
        )


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def to_traces(
    spans: SpanFile, mapping: SpanMapping, held: Mapping[str, Contract] | None = None
) -> Mapped:
    """Return the traces that `mapping` makes of spans; raises InputError when it makes none.

    Every trace goes through the reader of native traces, so what it refuses and remarks is the
    same. The remarks count traces where they count lines in a file.
    """
    counts: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    steps, loose = _steps(spans.spans, mapping)
    by_trace: dict[str, list[_Step]] = {}
    lost = 0
    for step in steps:
        key = value_at(step.span, mapping.trace)
        key = key or next((v for v in (value_at(s, mapping.trace) for s in step.below) if v), "")
        if key:
            by_trace.setdefault(key, []).append(step)
        else:
            lost += 1
    samples: Counter[str] = Counter()
    # The span of the whole loop often names the sample, and is neither draft nor verdict.
    named: dict[str, str] = {}
    for span in spans.spans if mapping.sample != TRACE else ():
        if value := value_at(span, mapping.sample).strip():
            named.setdefault(span.trace_id, value)
    lines = []
    for key, found in by_trace.items():
        own = (value_at(s, mapping.sample).strip() for step in found for s in step.all)
        sample_id = next((v for v in own if v), "") if mapping.sample != TRACE else ""
        sample_id = sample_id or named.get(found[0].span.trace_id, key)
        data = _trace(key, sample_id, found, mapping, counts, unread)
        if data is not None:
            samples[sample_id] += 1
            data["trial"] = str(samples[sample_id])
            lines.append(json.dumps(data, allow_nan=False))
    if not lines:
        raise InputError(
            spans.name, "no span is a draft by this mapping.",
            "Say where spans name their role, and which of its values are drafts.",
        )  # fmt: skip
    file = parse_traces("\n".join(lines).encode("ascii"), spans.name, held)
    # The same spans read another way are another import.
    sha256 = hashlib.sha256(f"{spans.sha256}{mapping!r}".encode()).hexdigest()
    if lost:
        counts["lost"] = lost
    below = sum(len(s.below) for s in steps)
    drafts = sum(s.draft for s in steps)
    said = told(spans, drafts, len(steps) - drafts, below, loose, counts, unread)
    return Mapped(replace(file, sha256=sha256), said)


def _steps(spans: Sequence[Span], mapping: SpanMapping) -> tuple[list[_Step], list[Span]]:
    """Return the drafts and verdicts, and the spans that belong to neither."""
    known = {(s.trace_id, s.span_id): s for s in spans}
    role = {id(s): _role(s, mapping) for s in spans}
    heads: dict[int, _Step] = {}
    rest: list[tuple[Span, list[Span]]] = []
    for span in spans:
        above = list(_above(span, known))
        mine = role[id(span)]
        if mine is not None and not any(role[id(a)] == mine for a in above):
            heads[id(span)] = _Step(span, value_at(span, mapping.role), mine == "draft")
        else:
            rest.append((span, above))
    loose = []
    for span, above in rest:
        head = next((heads[id(a)] for a in above if id(a) in heads), None)
        if head is None:
            loose.append(span)
        else:
            head.below.append(span)
    return list(heads.values()), loose


def _role(span: Span, mapping: SpanMapping) -> str | None:
    value = value_at(span, mapping.role)
    if value in mapping.drafts:
        return "draft"
    return "judge" if value in mapping.judges else None


def _above(span: Span, known: Mapping[tuple[str, str], Span]) -> Iterator[Span]:
    """Yield the spans around one, nearest first; a chain that leads back to itself ends."""
    seen = {span.span_id}
    above = known.get((span.trace_id, span.parent_id))
    while above is not None and above.span_id not in seen and len(seen) < 200:
        yield above
        seen.add(above.span_id)
        above = known.get((above.trace_id, above.parent_id))


def _trace(
    key: str,
    sample_id: str,
    steps: list[_Step],
    mapping: SpanMapping,
    counts: Counter[str],
    unread: Counter[str],
) -> dict[str, Any] | None:
    ordered = sorted(steps, key=lambda s: s.when)
    drafts = [s for s in ordered if s.draft]
    if not drafts:
        counts["no_draft"] += 1
        counts["early"] += len(ordered)
        return None
    starts = [s.span.start for s in drafts]
    counts["ties"] += mapping.round is None and len(set(starts)) < len(starts)
    rounds = _rounds(drafts, mapping, counts)
    of_draft = {s.span.span_id: r for r in rounds for s in r.drafts}
    for judge in (s for s in ordered if not s.draft):
        target = _target(judge, rounds, of_draft, mapping)
        if target is None:
            counts["early"] += 1
        else:
            target.judges.append(judge)
    several = len({j.value for r in rounds for j in r.judges}) > 1
    made = [r.to_data(mapping, several, counts, unread) for r in rounds]
    passed = _all_pass(made[-1]["verdicts"])
    exit_word = "PASS" if passed else None
    if not passed and mapping.cap is not None and len(made) >= mapping.cap:
        exit_word = "CAP"
    stop = None if mapping.cap is None else {"cap": mapping.cap, "window": mapping.cap}
    return {
        "trace_id": key, "arm": "loop", "sample_id": sample_id,
        "input": drafts[0].text(mapping.input),
        "contract": None, "stop": stop, "rounds": made, "exit": exit_word,
        "returned_round": made[-1]["round"] if passed else None,
    }  # fmt: skip


def _all_pass(verdicts: Mapping[str, Mapping[str, Any]]) -> bool:
    return bool(verdicts) and all(v["verdict"] == "PASS" for v in verdicts.values())


@dataclass
class _Round:
    number: int
    drafts: list[_Step]
    failed: int = 0
    judges: list[_Step] = field(default_factory=list)

    def to_data(
        self, mapping: SpanMapping, several: bool, counts: Counter[str], unread: Counter[str]
    ) -> dict[str, Any]:
        draft = self.drafts[0]
        text = draft.text(mapping.draft)
        failed = draft.span.error if not text else ""
        counts["no_text"] += not text and not failed
        verdicts: dict[str, dict[str, Any]] = {}
        gold: list[str] = []
        results = [(s, s.all) for s in self.judges]
        results.append((draft, [s for s in draft.all if s.evaluations]))
        for step, held in results:
            found = list(_results(step, held, mapping, several, gold, unread, counts))
            counts["silent"] += not found and not step.draft
            for key, entry in found:
                if key in verdicts and verdicts[key]["verdict"] != entry["verdict"]:
                    counts["contradict"] += 1
                    entry = {"verdict": None, "unscored": "unreadable", "change": "",
                             "checked_by": entry["checked_by"],
                             "evidence": "two verdicts in one round contradict each other"}  # fmt: skip
                verdicts[key] = entry
        counts["bare"] += not verdicts
        asked = [s for s in self.judges if s.model or s.amount(_TOKENS["tokens_in"]) is not None]
        counts["by_code"] += len(self.judges) - len(asked)
        steps = [*self.drafts, *self.judges]
        data: dict[str, Any] = {
            "round": self.number, "draft": text or None, "verdicts": verdicts,
            "generate_calls": 1 + self.failed, "judge_calls": len(asked),
            "seconds": round(sum(s.seconds for s in steps), 6) or None,
            "gold": None if not gold else ("PASS" if set(gold) == {"PASS"} else "FAIL"),
            "evaluator": ", ".join(dict.fromkeys(s.model or s.value for s in self.judges)),
        }  # fmt: skip
        for name, places in _TOKENS.items():
            known = [n for n in (s.amount(places) for s in steps) if n is not None]
            total = sum(known) if known else None
            data[name] = total if total is None or name == "usd" else int(total)
        if failed or not text:
            data["error"] = failed or "no text was found in the spans of this draft"
        if draft.model:
            data["model"] = draft.model
        return data


def _rounds(drafts: list[_Step], mapping: SpanMapping, counts: Counter[str]) -> list[_Round]:
    """Return rounds in order; a draft that failed before another of its round is one more call."""
    found: list[_Round] = []
    waiting = 0
    for draft in drafts:
        number = len(found) + 1
        if mapping.round is not None:
            told = whole(draft.text(mapping.round))
            counts["unnumbered"] += told is None
            number = number if told is None else told
        failed = bool(draft.span.error) and not draft.text(mapping.draft)
        if failed and draft is not drafts[-1]:
            waiting += 1
            continue
        found.append(_Round(number, [draft], waiting))
        waiting = 0
    counts["retried"] += sum(r.failed for r in found)
    return sorted(found, key=lambda r: r.number)


def _target(
    judge: _Step, rounds: list[_Round], of_draft: Mapping[str, _Round], mapping: SpanMapping
) -> _Round | None:
    """Return the round a verdict is about: by its number, by its link, else the draft before it."""
    if mapping.round is not None:
        told = whole(judge.text(mapping.round))
        numbered = next((r for r in rounds if r.number == told), None)
        if told is not None:
            return numbered
    for link in judge.span.links:
        if link in of_draft:
            return of_draft[link]
    before = [r for r in rounds if r.drafts[0].when <= judge.when]
    return max(before, key=lambda r: r.drafts[0].when) if before else None


def _results(
    step: _Step,
    held: Sequence[Span],
    mapping: SpanMapping,
    several: bool,
    gold: list[str],
    unread: Counter[str],
    counts: Counter[str],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (criterion, verdict) of one step; people's results go to `gold`."""
    code = not step.draft and not step.model and step.amount(_TOKENS["tokens_in"]) is None
    by = "code" if code else "judge"
    results = [e for span in held for e in span.evaluations]
    for result in results:
        word = _of_evaluation(result, mapping)
        if result.human:
            gold += [word] if word else []
        elif EVALUATIONS in mapping.verdicts:
            said = result.label or ("" if result.score is None else f"{result.score:g}")
            unread[said] += word is None
            yield result.name or OVERALL, _entry(word, said, result.explanation, by)
    if step.draft:
        return
    named = [place for place in mapping.verdicts if place != EVALUATIONS]
    for place in named:
        said = step.text(place)
        if not said and not step.span.error:
            continue
        word = read_word(said, mapping.words) if said else None
        unread[said[:60]] += word is None and bool(said)
        part = place.rpartition(".")[2] if len(named) > 1 else ""
        part = part.rpartition(": ")[2]
        key = ".".join(p for p in (step.value if several else "", part) if p) or OVERALL
        evidence = step.text(mapping.evidence) if mapping.evidence else ""
        evidence = evidence or (step.text("output text") if place != mapping.evidence else "")
        if not said:
            yield key, _entry(None, "", step.span.error, by, "error")
        else:
            yield key, _entry(word, said, evidence, by)


def _of_evaluation(result: Evaluation, mapping: SpanMapping) -> str | None:
    word = read_word(result.label, mapping.words) if result.label else None
    if word is None and mapping.at_least is not None and result.score is not None:
        return "PASS" if result.score >= mapping.at_least else "FAIL"
    return word


def _entry(
    word: str | None, said: str, evidence: str, by: str, reason: str = "unreadable"
) -> dict[str, Any]:
    entry: dict[str, Any] = {"verdict": word, "evidence": evidence, "change": "", "checked_by": by}
    if word is None:
        entry["unscored"] = reason if said or reason == "error" else "empty"
        entry["evidence"] = evidence or said
    return entry
