"""The one place where a model's reply becomes verdicts.

The order: why the server stopped, then the text as a whole as JSON, then the one code fence in it,
else unreadable. Prose is never searched for a verdict, and nothing in the reply is preferred for
its position: what is said twice is contradictory. Words that mean a verdict, in any case and with
blanks or invisible characters around: pass, passed, met, yes, true; fail, failed, unmet, not met,
no, false; unknown. JSON's true is PASS and false is FAIL. Numbers are no verdicts, because tools
disagree on which of 0 and 1 passes. Anything else is no verdict: never a FAIL nobody gave.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NoReturn

from core.contract.criterion import Criterion
from core.errors import show
from core.judging.calls import CallFailed, ModelReply
from core.judging.prompt import criterion_ids
from core.judging.quotes import unfounded_quotes
from core.verdict import CriterionVerdict, Unscored, Verdict, fold_word, no_verdict

MAX_REPLY = 1_000_000
"""Characters of a reply that are read; a longer one is unreadable, and kept."""

_REFUSED = frozenset({"refusal"})
_TRUNCATED = frozenset({"max_tokens", "model_context_window_exceeded"})
_UNFINISHED = frozenset({"pause_turn"})
_WORDS: Final = {
    **dict.fromkeys(("pass", "passed", "met", "yes", "true"), Verdict.PASS),
    **dict.fromkeys(("fail", "failed", "unmet", "not met", "no", "false"), Verdict.FAIL),
    "unknown": Verdict.UNKNOWN,
}
_VERDICT_FIELDS = ("verdict", "passed", "pass", "met", "result")
_EVIDENCE_FIELDS = ("evidence", "reason", "reasoning", "explanation", "rationale")
_CHANGE_FIELDS = ("change", "what_to_change", "what to change", "fix", "suggestion")
_NAME_FIELDS = ("id", "key", "criterion", "name")
_WRAPPERS = ("criteria", "verdicts", "results")
_OVERALL_FIELDS = frozenset(
    {"passed", "pass", "score", "overall", "verdict", "result", "accepted", "summary", "total"}
)


@dataclass(frozen=True)
class ReadReply:
    """What a reply says about the criteria it was asked about.

    `verdicts` holds what could be read, in contract order; a criterion with a word that is no
    verdict, or with two verdicts, stands there without one. With `unscored` set they are for
    showing and in no count, and `detail` says why, in one line. `repaired` says what was done to
    the reply to read it. `unknown` are names that are no criterion, `ignored` an overall verdict
    nobody asked for. `unfounded` are quotations, per criterion, that do not stand in the output.
    `worth_reasking` says whether asking once more, unchanged, may help.
    """

    verdicts: Mapping[str, CriterionVerdict] = field(default_factory=dict)
    unscored: Unscored | None = None
    detail: str = ""
    repaired: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    contradictory: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    unfounded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    worth_reasking: bool = False
    raw: str | None = None


def read_reply(
    reply: ModelReply, criteria: Sequence[Criterion], output: str | None = None
) -> ReadReply:
    """Return what `reply` says about `criteria`, the ones the request asked about, in its order.

    `output` is the text that was judged: quotations are looked up in it, and JSON that stands in
    it is not taken for the judge's answer. Never raises for anything a server can send.
    """
    keys = tuple(c.key for c in criteria)

    def nothing(reason: Unscored, detail: str, again: bool) -> ReadReply:
        return ReadReply({}, reason, detail, missing=keys, worth_reasking=again, raw=reply.raw)

    if (short := no_text(reply)) is not None:
        return nothing(*short)
    assert reply.text is not None
    try:
        found = _find_json(reply.text, output)
    except _Unreadable as problem:
        return nothing(Unscored.UNREADABLE, str(problem), True)
    return _read_value(found, criteria, output, reply.raw)


def no_text(reply: ModelReply) -> tuple[Unscored, str, bool] | None:
    """Return why a reply is no whole text (reason, line, whether asking again may help), or None.

    Refused, cut off, unfinished or blank. A reply cut off at a ceiling is not asked for again: the
    same ceiling would cut it off again.
    """
    if reply.stop_reason in _REFUSED:
        return Unscored.REFUSED, "the model refused to answer", False
    if reply.stop_reason in _TRUNCATED:
        where = (
            "at the ceiling of the reply (max_tokens)"
            if reply.stop_reason == "max_tokens"
            else "at the end of the model's context window"
        )
        return Unscored.TRUNCATED, f"the reply was cut off {where}", False
    if reply.stop_reason in _UNFINISHED:
        return Unscored.UNREADABLE, "the server paused before the reply was whole", True
    if reply.text is None or not fold_word(reply.text):
        return Unscored.EMPTY, "the reply holds no text", True
    return None


def read_failure(failed: CallFailed) -> ReadReply:
    """Return what a call that brought no reply comes to: an error, with the reason."""
    detail = f"{failed.kind.value}: {failed.detail}"
    return ReadReply({}, Unscored.ERROR, detail, worth_reasking=False, raw=failed.raw)


# --- finding the JSON ------------------------------------------------------------------------


class _Unreadable(Exception):
    """Why no JSON could be found; fit for a screen."""


class _Object(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that a key given twice is seen."""


class _Found(NamedTuple):
    value: Any
    repaired: tuple[str, ...]


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# Strings are kept whole; outside of them, a comma before a closing bracket goes.
_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|,(?=\s*[}\]])', re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)[^\n`]*\n(.*?)^ {0,3}\1[ \t]*$", re.DOTALL | re.MULTILINE)
_ANY_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


def _find_json(text: str, output: str | None) -> _Found:
    if len(text) > MAX_REPLY:
        raise _Unreadable(f"the reply has {len(text):,} characters; {MAX_REPLY:,} are read")
    whole = text.strip().removeprefix("\ufeff").strip()
    try:
        found = _decode(whole)
    except ValueError as problem:
        fences = len(_ANY_FENCE.findall(text))
        blocks = _FENCE.findall(text) if fences == 2 else []
        if len(blocks) != 1:
            why = "more than one code fence" if fences > 2 else str(problem)
            raise _Unreadable(f"the reply is not JSON: {why}") from None
        whole = blocks[0][1].strip()
        try:
            found = _decode(whole)
        except ValueError as inside:
            raise _Unreadable(f"the code fence holds no JSON: {inside}") from None
        found = _Found(found.value, ("read from inside the code fence", *found.repaired))
    if not isinstance(found.value, list):
        raise _Unreadable(f"the reply is {show(found.value, 40)}, no JSON object")
    # A draft may carry a ready-made answer, in the hope that the judge repeats it.
    if output is not None and found.value and _squeezed(whole) in _squeezed(output):
        raise _Unreadable("the JSON in the reply is copied from the output that was judged")
    return found


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _decode(text: str) -> _Found:
    """Return the JSON value; raises ValueError with one line that says why there is none."""
    if not text.startswith(("{", "[")):
        raise ValueError("it begins with other text")
    try:
        return _Found(_loads(text, strict=True), ())
    except RecursionError:
        raise ValueError("it is too deeply nested") from None
    except ValueError as first:
        problem = f"{first}"
    repaired = []
    trimmed = _TRAILING_COMMA.sub(lambda m: m.group() if m.group() != "," else "", text)
    if trimmed != text:
        repaired.append("trailing commas removed")
    try:
        value = _loads(trimmed, strict=False)
    except RecursionError:
        raise ValueError("it is too deeply nested") from None
    except ValueError:
        raise ValueError(problem) from None
    if not repaired or _fails(trimmed):
        repaired.append("control characters inside a text kept as they are")
    return _Found(value, tuple(repaired))


def _fails(text: str) -> bool:
    try:
        _loads(text, strict=True)
    except ValueError:
        return True
    return False


def _loads(text: str, *, strict: bool) -> Any:
    return json.loads(text, strict=strict, parse_constant=_constant, object_pairs_hook=_Object)


# --- reading verdicts out of it ----------------------------------------------------------------


class _Entry(NamedTuple):
    """One thing said about one criterion: a verdict, or why there is none."""

    verdict: CriterionVerdict
    note: str = ""


def _read_value(
    found: _Found, criteria: Sequence[Criterion], output: str | None, raw: str
) -> ReadReply:
    names = _Names(criteria)
    said: dict[str, list[_Entry]] = {c.key: [] for c in criteria}
    unknown: list[str] = []
    ignored: list[str] = []
    repaired = list(found.repaired)
    for name, value in _items(found.value, names, repaired):
        key = names.find(name)
        if key is not None:
            said[key].append(_entry(value))
        elif fold_word(name) in _OVERALL_FIELDS:
            ignored.append(name)
        else:
            unknown.append(name)
    verdicts: dict[str, CriterionVerdict] = {}
    contradictory = []
    for key, entries in said.items():
        if len(entries) == 1:
            verdicts[key] = entries[0].verdict
            repaired += [f"{show(key)}: {entries[0].note}"] if entries[0].note else []
        elif entries:
            contradictory.append(key)
            verdicts[key] = no_verdict(Unscored.UNREADABLE, f"answered {len(entries)} times")
    missing = tuple(key for key, entries in said.items() if not entries)
    problems = [f"no verdict on {', '.join(map(show, missing))}"] if missing else []
    problems += [f"{show(k)}: {v.evidence}" for k, v in verdicts.items() if v.unscored is not None]
    quoted = {
        key: quotes
        for key, v in verdicts.items()
        if output is not None
        and v.verdict is not None
        and (quotes := unfounded_quotes(v.evidence, output))
    }
    return ReadReply(
        verdicts=verdicts,
        unscored=Unscored.UNREADABLE if problems else None,
        detail="; ".join(problems),
        repaired=tuple(repaired),
        missing=missing,
        contradictory=tuple(contradictory),
        unknown=tuple(unknown),
        ignored=tuple(ignored),
        unfounded=quoted,
        worth_reasking=bool(problems),
        raw=raw,
    )


class _Names:
    """The names a reply may use for a criterion: id and key, in any case if that is unique."""

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        self._exact = {name: c.key for name, c in criterion_ids(criteria).items()}
        self._exact |= {c.key: c.key for c in criteria}
        folded = {(fold_word(name), key) for name, key in self._exact.items()}
        counts = Counter(name for name, _ in folded)
        self._folded = {name: key for name, key in folded if counts[name] == 1}

    def find(self, name: str) -> str | None:
        """Return the key of the criterion that goes by this name."""
        return self._exact.get(name) or self._folded.get(fold_word(name))


def _items(value: Any, names: _Names, repaired: list[str]) -> list[tuple[str, Any]]:
    """Return what the reply says as (name, value), whichever of the usual shapes it has."""
    if not isinstance(value, _Object):
        return _listed(value, repaired)
    items: list[tuple[str, Any]] = []
    for name, inner in value:
        wrapper = names.find(name) is None and fold_word(name) in _WRAPPERS
        if not wrapper or not isinstance(inner, list):
            items.append((name, inner))
        else:
            repaired.append(f"read from inside {show(name)}")
            items += inner if isinstance(inner, _Object) else _listed(inner, repaired)
    return items


def _listed(value: list[Any], repaired: list[str]) -> list[tuple[str, Any]]:
    repaired.append("a list instead of an object")
    return [_named(item, number) for number, item in enumerate(value, start=1)]


def _named(item: Any, number: int) -> tuple[str, Any]:
    if isinstance(item, _Object):
        given = [v for name, v in item if name in _NAME_FIELDS and isinstance(v, str)]
        if len(given) == 1:
            return given[0], item
    return f"entry {number} of the list", item


def _entry(value: Any) -> _Entry:
    if not isinstance(value, _Object):
        verdict = _verdict(value)
        if verdict is None:
            return _Entry(_none(f"{_spelled(value)} is no verdict"))
        return _Entry(CriterionVerdict(verdict), "no evidence given")
    counts = Counter(name for name, _ in value)
    twice = [name for name, times in counts.items() if times > 1]
    if twice:
        return _Entry(_none(f"{show(twice[0], 40)} is given twice"))
    fields = dict(value)
    evidence = _text(fields, _EVIDENCE_FIELDS)
    given = [(name, fields[name]) for name in _VERDICT_FIELDS if name in fields]
    verdicts = {_verdict(v) for _, v in given}
    if not given:
        return _Entry(_none("no verdict given"))
    if None in verdicts:
        name, wrong = next((n, v) for n, v in given if _verdict(v) is None)
        return _Entry(_none(f"{name} {_spelled(wrong)} is no verdict"))
    if len(verdicts) > 1:
        return _Entry(_none(f"{given[0][0]} and {given[1][0]} say different things"))
    read = CriterionVerdict(verdicts.pop(), evidence, _text(fields, _CHANGE_FIELDS))
    return _Entry(read, "" if evidence.strip() else "no evidence given")


def _none(why: str) -> CriterionVerdict:
    return no_verdict(Unscored.UNREADABLE, why)


def _verdict(value: Any) -> Verdict | None:
    if isinstance(value, bool):
        return Verdict.PASS if value else Verdict.FAIL
    return _WORDS.get(fold_word(value)) if isinstance(value, str) else None


def _text(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of the fields, verbatim; a list of texts line by line; nothing else."""
    value = next((fields[name] for name in names if fields.get(name) is not None), "")
    if isinstance(value, list) and not isinstance(value, _Object):
        return "\n".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def _spelled(value: Any, limit: int = 60) -> str:
    if isinstance(value, list):
        return "an object" if isinstance(value, _Object) else "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return show(value, limit)
