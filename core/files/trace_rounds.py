"""One round of a native trace, in and out, and the values it is made of."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from core.contract.contract import Contract, exact
from core.contract.criterion import CheckedBy
from core.errors import show
from core.judging.judgement import Judgement
from core.loop.trace import Round, Trace, uses_judge
from core.text import fingerprint
from core.verdict import CriterionVerdict, LabelValue, Unscored, Verdict, no_verdict

ROUND_KEYS = (
    "round", "draft", "fingerprint", "verdicts", "unscored", "score", "feedback",
    "generate_calls", "judge_calls", "reused", "tokens_in", "tokens_out", "tokens_cached",
    "seconds", "usd", "gold", "error", "evaluator",
)  # fmt: skip


class Refuse(Exception):
    """A trace that cannot be used: the reason, and the trace when it could at least be read."""

    def __init__(self, reason: str, trace: Trace | None = None) -> None:
        super().__init__(reason)
        self.trace = trace


def read_round(data: Mapping[str, Any], said: list[str], contract: Contract | str | None) -> Round:
    """Return one recorded round; what can be lived with is added to `said`.

    Raises Refuse, naming the round and the field, for what cannot be read without guessing.
    """
    number = read_whole(data.get("round"), "round")
    at = f"round {number}"
    draft = data.get("draft")
    if draft is not None and not isinstance(draft, str):
        raise Refuse(f"{at}, draft: expected text, got {show(draft)}")
    mark = data.get("fingerprint")
    if mark is not None and not isinstance(mark, str):
        raise Refuse(f"{at}, fingerprint: expected text, got {show(mark)}")
    if draft is not None:
        right = fingerprint(draft)
        if mark is not None and mark != right:
            said.append(f"{at}, fingerprint: does not fit the draft; computed from the draft")
        mark = right
    error = read_text(data, "error")
    judgement, checked_by = _judgement(data, at, error, said, contract)
    if judgement is None and data.get("score") is None and mark is not None:
        said.append(f"{at}: no verdict and no score; the draft was not judged")
    if mark is None and not error:
        said.append(f"{at}: no draft")
    reused = data.get("reused", False)
    if not isinstance(reused, bool):
        raise Refuse(f"{at}, reused: expected true or false, got {show(reused)}")
    gold = data.get("gold")
    if gold not in (None, "PASS", "FAIL"):
        said.append(f"{at}, gold: {show(gold)} is neither PASS nor FAIL; taken as no label")
        gold = None
    asked = not reused and _judge_asked(judgement, checked_by, data.get("score"), contract)
    return Round(
        number=number,
        draft=draft,
        fingerprint=mark,
        judgement=judgement,
        score=_score(data.get("score"), at, said),
        feedback=read_text(data, "feedback"),
        generate_calls=_calls(data, "generate_calls", 1, at),
        judge_calls=_calls(data, "judge_calls", 1 if asked else 0, at),
        reused=reused,
        tokens_in=_amount(data, "tokens_in", at, whole=True),
        tokens_out=_amount(data, "tokens_out", at, whole=True),
        tokens_cached=_amount(data, "tokens_cached", at, whole=True),
        seconds=_amount(data, "seconds", at),
        usd=_amount(data, "usd", at),
        gold=None if gold is None else LabelValue(gold),
        error=error,
        checked_by=checked_by,
        extra=read_extra(data, ROUND_KEYS, f"{at}, ", said),
    )


def _judgement(
    data: Mapping[str, Any], at: str, error: str, said: list[str], contract: Contract | str | None
) -> tuple[Judgement | None, dict[str, CheckedBy]]:
    """Return the judgement in a round, or None, and who checked each criterion."""
    entries = data.get("verdicts") or {}
    if not isinstance(entries, dict):
        raise Refuse(f"{at}, verdicts: expected an object, got {show(entries)}")
    reason = _reason(data.get("unscored"), f"{at}, unscored", said)
    skipped = reason is Unscored.SKIPPED
    if not entries and (reason is None or skipped):
        return None, {}
    verdicts: dict[str, CriterionVerdict] = {}
    checked_by: dict[str, CheckedBy] = {}
    for key, entry in entries.items():
        where = f"{at}, verdict on {show(key)}"
        if not isinstance(entry, dict):
            raise Refuse(f"{where}: expected an object, got {show(entry)}")
        who = entry.get("checked_by")
        if isinstance(who, str) and who in set(CheckedBy):
            checked_by[key] = CheckedBy(who)
        elif who is not None:
            said.append(f"{where}, checked_by: {show(who)} is not code, judge or person; left out")
        if isinstance(contract, Contract) and key not in contract.keys:
            said.append(f"{where}: the contract has no such criterion; not counted")
        verdicts[key] = _verdict(entry, where, said)
    if skipped:  # said of the whole round, it is about the judged criteria that have no entry
        reason = None
        owed = contract.criteria if isinstance(contract, Contract) else ()
        for c in owed:
            if c.checked_by is CheckedBy.JUDGE and c.key not in verdicts:
                verdicts[c.key] = no_verdict(Unscored.SKIPPED)
    detail = error if reason is not None else ""
    return Judgement(verdicts, reason, detail, read_text(data, "evaluator")), checked_by


def _verdict(entry: Mapping[str, Any], where: str, said: list[str]) -> CriterionVerdict:
    evidence, change = read_text(entry, "evidence"), read_text(entry, "change")
    word = entry.get("verdict")
    reason = _reason(entry.get("unscored"), f"{where}, unscored", said)
    if isinstance(word, str) and word.strip().upper() in Verdict.__members__ and reason is None:
        return CriterionVerdict(Verdict(word.strip().upper()), evidence, change)
    if word is not None or reason is None:
        said.append(f"{where}: {show(word)} is not PASS, FAIL or UNKNOWN; no verdict")
    return CriterionVerdict(None, evidence, change, reason or Unscored.UNREADABLE)


def _reason(word: Any, where: str, said: list[str]) -> Unscored | None:
    if word is None:
        return None
    if isinstance(word, str) and word in set(Unscored):
        return Unscored(word)
    said.append(f"{where}: {show(word)} is not a known reason; taken as 'error'")
    return Unscored.ERROR


def _judge_asked(
    judgement: Judgement | None,
    checked_by: Mapping[str, CheckedBy],
    score: Any,
    contract: Contract | str | None,
) -> bool:
    """Whether a judge was asked, by the log: it gave a verdict, or a reason for having none."""
    if judgement is None:
        return score is not None and isinstance(contract, Contract) and uses_judge(contract)
    known = dict(checked_by)
    if isinstance(contract, Contract):
        known = {c.key: c.checked_by for c in contract.criteria} | known
    return judgement.unscored is not None or any(
        known.get(key, CheckedBy.JUDGE) is CheckedBy.JUDGE
        and verdict.unscored is not Unscored.SKIPPED
        for key, verdict in judgement.verdicts.items()
    )


def _score(value: Any, at: str, said: list[str]) -> Fraction | None:
    if value is None:
        return None
    try:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise ValueError
        return exact(value)
    except (ValueError, OverflowError):
        said.append(f"{at}, score: {show(value)} is not a finite number; no score")
        return None


# --- values ---------------------------------------------------------------------------------


def read_id(record: Mapping[str, Any], key: str) -> str:
    """Return an id as text: 17 and "17" are one."""
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise Refuse(f"{key}: expected text or a whole number, got {show(value)}")
    return str(value)


def read_text(record: Mapping[str, Any], key: str) -> str:
    """Return a text as it stands, empty where there is none."""
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Refuse(f"{key}: expected text, got {show(value)}")
    return value


def read_whole(value: Any, where: str) -> int:
    """Return a whole number that may stand as text, so that "10" comes after "2"."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value) if len(value.strip()) <= 6 else _too_big(value, where)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refuse(f"{where}: expected a whole number, got {show(value)}")
    return value if abs(value) < 10**6 else _too_big(value, where)


def _too_big(value: Any, where: str) -> int:
    raise Refuse(f"{where}: {show(value)} is too large to be the number of a round")


def _amount(data: Mapping[str, Any], key: str, at: str, *, whole: bool = False) -> Any:
    """Return a finite amount of 0 or more, None where nothing was recorded."""
    value = data.get(key)
    if value is None:
        return None
    kind: Any = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kind) or not 0 <= value < math.inf:
        raise Refuse(f"{at}, {key}: expected a finite number of 0 or more, got {show(value)}")
    return value


def _calls(data: Mapping[str, Any], key: str, by_rule: int, at: str) -> int:
    value = _amount(data, key, at, whole=True)
    return by_rule if value is None else int(value)


def read_extra(
    data: Mapping[str, Any], known: Collection[str], at: str, said: list[str]
) -> dict[str, Any]:
    """Return what else stands in a record, to be written back; what JSON cannot hold is named."""
    extra = {}
    for key, value in data.items():
        if key in known:
            continue
        try:
            json.dumps(value, allow_nan=False)
        except ValueError:
            said.append(f"{at}{key}: holds a number that is not finite; left out")
        else:
            extra[key] = value
    return extra


# --- out --------------------------------------------------------------------------------------


def round_to_data(r: Round) -> dict[str, Any]:
    """Return one round as plain JSON-like data in file order."""
    judgement = r.judgement or Judgement()
    data: dict[str, Any] = {
        "round": r.number,
        "draft": r.draft,
        "fingerprint": r.fingerprint,
        "verdicts": {
            key: _verdict_data(verdict, r.checked_by.get(key))
            for key, verdict in judgement.verdicts.items()
        },
        "unscored": None if judgement.unscored is None else judgement.unscored.value,
        "score": _number(r.score),
    }
    amounts = (
        "generate_calls",
        "judge_calls",
        "reused",
        "tokens_in",
        "tokens_out",
        "tokens_cached",
    )
    data |= {key: getattr(r, key) for key in ("feedback", *amounts, "seconds", "usd")}
    data["gold"] = None if r.gold is None else r.gold.value
    if r.error:
        data["error"] = r.error
    if judgement.evaluator:
        data["evaluator"] = judgement.evaluator
    return {**data, **r.extra}


def _verdict_data(verdict: CriterionVerdict, who: CheckedBy | None) -> dict[str, Any]:
    data = {
        "evidence": verdict.evidence,
        "verdict": None if verdict.verdict is None else verdict.verdict.value,
        "change": verdict.change,
        "checked_by": None if who is None else who.value,
    }
    if verdict.unscored is not None:
        data["unscored"] = verdict.unscored.value
    return data


def _number(score: Fraction | None) -> int | float | None:
    if score is None:
        return None
    return int(score) if score.denominator == 1 else float(score)
