"""Which spans are rounds: a mapping, a guess at it, and what has to be said about the rest.

A span is a draft or a verdict by its role, a value it carries (its name, the name of its agent or
node, its kind). The spans below it belong to it: its text and tokens may stand there. A draft
begins a round; the verdicts that follow in time belong to it, unless an attribute numbers rounds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.files.jsonvalue import as_text, whole
from core.files.spans import INPUT_TEXT, OUTPUT_TEXT, Span
from core.verdict import FAIL_WORDS, PASS_WORDS, WordMap, fold_word

NAME = "span name"
TRACE = "trace id"
EVALUATIONS = "evaluation results"
ANSWER = "output JSON: "
BY_TIME = "order in time"
_MAX_VALUES = 60
_LIMIT = 20_000
_DRAFTS = re.compile(
    r"generat|writ|draft|optimi[sz]|author|revis|refin|improv|actor|compos|rewrite|respond|answer"
)
_JUDGES = re.compile(r"evaluat|judg|critic|critique|review|grad|verif|check|assess|scor|guard")
_ROUND = re.compile(r"(^|[._-])(round|iteration|iter|attempt|revision|cycle|loop|turn)s?"
                    r"([._-](index|number|no|count|id|idx))?$")  # fmt: skip
_VERDICT = re.compile(
    r"(^|[._-])(verdict|passed|pass|accepted|approved|acceptable|decision|grade|label|result|ok)$"
)
_EVIDENCE = re.compile(
    r"(^|[._-])(evidence|explanation|reason|reasoning|rationale|feedback|comment)$"
)
_ROLE_FIRST = ("gen_ai.agent.name", "graph.node.id", "langgraph_node", "metadata.langgraph_node",
               NAME, "openinference.span.kind", "gen_ai.operation.name")  # fmt: skip


@dataclass(frozen=True)
class SpanMapping:
    """Where the rounds of a loop stand in spans.

    `role` is where a span says what it is, `drafts` and `judges` the values there. `round` is the
    attribute that numbers rounds, None: drafts in order of time. `verdicts` are where the verdicts
    stand, each a criterion of its own, the first "overall" when it is the only one. `at_least`
    reads scores of evaluation results that have no label. `cap` is the loop's own, if known.
    """

    role: str
    drafts: frozenset[str]
    judges: frozenset[str]
    trace: str = TRACE
    round: str | None = None
    draft: str = OUTPUT_TEXT
    verdicts: tuple[str, ...] = (EVALUATIONS,)
    evidence: str | None = None
    sample: str = TRACE
    input: str = INPUT_TEXT
    words: WordMap = field(default_factory=lambda: WordMap.of(PASS_WORDS, FAIL_WORDS))
    at_least: float | None = None
    cap: int | None = None


def value_at(span: Span, place: str) -> str:
    """Return what a span says at a place: its name, an attribute, a text, or "" for nothing."""
    if place == NAME:
        return span.name
    if place == TRACE:
        return span.trace_id
    if place == OUTPUT_TEXT:
        return span.output
    if place == INPUT_TEXT:
        return span.input
    if place.startswith(ANSWER):
        return as_text(span.answer.get(place.removeprefix(ANSWER)))
    return as_text(span.attributes.get(place))


def places(spans: Iterable[Span]) -> Counter[str]:
    """Count the attributes that spans carry, with the fields of outputs that are JSON."""
    found: Counter[str] = Counter()
    for span in spans:
        found.update(path for path in span.attributes if not re.search(r"\.\d+(\.|$)", path))
        found.update(
            ANSWER + path for path in span.answer if not re.search(r"(^|\.)\d+(\.|$)", path)
        )
    return found


def values_at(spans: Iterable[Span], place: str) -> Counter[str]:
    """Count what spans say at a place, "" left out."""
    found = Counter(value_at(span, place) for span in spans)
    del found[""]
    return found


def role_places(spans: Sequence[Span]) -> list[str]:
    """Return the places that can tell roles apart: few values, on more than one span."""
    spans = spans[:_LIMIT]
    found = [NAME]
    for place, n in places(spans).most_common():
        if place.startswith(ANSWER) or n < 2:
            continue
        values = values_at(spans, place)
        if len(values) <= _MAX_VALUES and all(len(v) <= 80 for v in values):
            found.append(place)
    first = [p for p in _ROLE_FIRST if p in found]
    return [*first, *(p for p in found if p not in first)]


def suggest_mapping(spans: Sequence[Span]) -> SpanMapping:
    """Return a guess at the mapping, to be shown and corrected; the sets may be empty."""
    sample = spans[:_LIMIT]
    role, drafts, judges = NAME, frozenset[str](), frozenset[str]()
    best = (0, 0)
    for rank, place in enumerate(role_places(sample)):
        values = values_at(sample, place)
        yes = {v for v in values if _JUDGES.search(v.lower())}
        made = {v for v in values if v not in yes and _DRAFTS.search(v.lower())}
        if place == "openinference.span.kind" and yes and not made:
            made = {v for v in values if v == "LLM"}
        good = (bool(yes) + bool(made), -rank)
        if good > best and made:
            best, role, drafts, judges = good, place, frozenset(made), frozenset(yes)
    drafts, judges = _without_wrappers(sample, role, drafts, judges)
    drafting = [s for s in sample if value_at(s, role) in drafts]
    judging = [s for s in sample if value_at(s, role) in judges]
    return SpanMapping(
        role, drafts, judges, TRACE, _numbering(drafting), OUTPUT_TEXT,
        _verdicts(drafting, judging), _one(judging, _EVIDENCE.search), _sample(sample),
    )  # fmt: skip


def _without_wrappers(
    spans: Sequence[Span], role: str, drafts: frozenset[str], judges: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Leave out values of spans that hold the other role: the span of the whole loop is no draft."""
    known = {(s.trace_id, s.span_id): s for s in spans}
    around: set[str] = set()
    for span in spans:
        mine = value_at(span, role)
        if mine not in drafts and mine not in judges:
            continue
        other = judges if mine in drafts else drafts
        above = known.get((span.trace_id, span.parent_id))
        for _ in range(50):
            if above is None:
                break
            value = value_at(above, role)
            if value in other:
                around.add(value)
            above = known.get((above.trace_id, above.parent_id))
    return drafts - around, judges - around


def _numbering(drafting: Sequence[Span]) -> str | None:
    """Return the attribute that numbers rounds: whole numbers, on every draft."""
    for place in places(drafting):
        counted = all(whole(s.attributes.get(place)) is not None for s in drafting)
        if counted and _ROUND.search(place.lower()):
            return place
    return None


def _verdicts(drafting: Sequence[Span], judging: Sequence[Span]) -> tuple[str, ...]:
    if any(span.evaluations for span in (*drafting, *judging)):
        return (EVALUATIONS,)
    named = _one(judging, _VERDICT.search)
    return (named or OUTPUT_TEXT,)


def _one(spans: Sequence[Span], fits: Callable[[str], object]) -> str | None:
    """Return the place most of these spans have whose name fits, attributes of theirs first."""
    found = [
        (n, not place.startswith(ANSWER), place)
        for place, n in places(spans).items()
        if fits(place.lower()) and not place.startswith(("gen_ai.request", "gen_ai.response"))
    ]
    return max(found)[2] if found else None


def _sample(spans: Sequence[Span]) -> str:
    known = places(spans)
    for word in ("sample_id", "sample.id", "task_id", "example_id", "dataset.item.id", "item_id"):
        for place in known:
            if place.lower().endswith(word):
                return place
    return TRACE


def read_word(text: str, words: WordMap) -> str | None:
    """Return "PASS" or "FAIL" for a verdict word, or for a text that begins with one; else None."""
    for word in (fold_word(text), first_word(text)):
        if word in words.passes:
            return "PASS"
        if word and word in (words.fails or ()):
            return "FAIL"
    return None


def first_word(text: str) -> str:
    """Return the word a text begins with, as compared; "Verdict: PASS, …" begins with "pass"."""
    folded = fold_word(text[:400])
    first = re.match(r"[\W_]*(?:(?:verdict|decision|result)\s*:\s*)?[\W_]*(\w+)", folded)
    return first.group(1) if first else ""


def listed(counts: Mapping[str, int], most: int = 6) -> str:
    """Return counts as one text, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name or '(no value)'} × {n:,}" for name, n in ordered[:most])
    return shown + (f" and {len(ordered) - most:,} more" if len(ordered) > most else "")
