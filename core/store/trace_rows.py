"""Traces as rows of the store, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sqlalchemy as sa

from core.contract.contract import Contract, StopRule
from core.contract.criterion import CheckedBy
from core.errors import InputError, show
from core.judging.judgement import Judgement
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace
from core.store import tables as t
from core.text import content_hash
from core.verdict import CriterionVerdict, LabelValue, Unscored, Verdict

MOST = 2**62
"""The largest amount (calls, tokens, seconds, money) of one round that is stored."""
LACKING: dict[str, Any] = {"summary": {}, "path": None, "drafts": None, "facts": None}
"""What stands in a trace until its summary is worked out."""
WORKED_OUT = 2
"""Version of what is worked out from a trace; it stands before its facts.

Raise it when summary, walk, drafts or facts come to say something else of the same trace: what an
earlier version of the program worked out is then worked out again.
"""


def sum_up_anew(c: sa.Connection, project_id: int, contract: Contract) -> None:
    """Have the summary of every trace that names `contract` by its hash worked out again."""
    named = (t.trace.c.project_id == project_id) & (t.trace.c.contract == contract.content_hash)
    c.execute(t.trace.update().where(named).values(LACKING))


@dataclass(frozen=True)
class Row:
    """The columns of one trace and of each of its rounds."""

    trace: dict[str, Any]
    rounds: list[dict[str, Any]]


def rows_of(traces: Sequence[Trace]) -> dict[str, Row]:
    """Return the columns of each trace by its id; raises InputError for an id given twice."""
    written: dict[int, Any] = {}
    rows: dict[str, Row] = {}
    for trace in traces:
        if trace.trace_id in rows:
            raise InputError(
                f"trace {show(trace.trace_id)}", "it is given twice.", "Give each its own id."
            )
        contract: Any = trace.contract
        if isinstance(contract, Contract):
            # Traces of one file share their contract object: write it out once.
            if id(contract) not in written:
                written[id(contract)] = contract.to_data()
            contract = written[id(contract)]
        head = {
            "trace_id": trace.trace_id,
            "arm": trace.arm.value,
            "sample_id": trace.sample_id,
            "trial": trace.trial,
            "input": trace.input,
            "contract": contract,
            "stop": None if trace.stop is None else trace.stop.model_dump(mode="json"),
            "exit": None if trace.exit is None else trace.exit.value,
            "returned_round": trace.returned_round,
            "extra": dict(trace.extra),
        }
        rounds = [_round_row(trace, r) for r in trace.rounds]
        head["content_hash"] = content_hash([head, rounds])
        rows[trace.trace_id] = Row(head, rounds)
    return rows


def _round_row(trace: Trace, r: Round) -> dict[str, Any]:
    counts = ("generate_calls", "judge_calls", "tokens_in", "tokens_out", "tokens_cached")
    for name in (*counts, "seconds", "usd"):
        if (getattr(r, name) or 0) > MOST:
            raise InputError(
                f"trace {show(trace.trace_id)}, round {r.number}, {name}",
                f"{show(getattr(r, name))} is more than can be stored.",
            )
    judgement = r.judgement
    return {
        "number": r.number,
        "draft": r.draft,
        "fingerprint": r.fingerprint,
        "score": None if r.score is None else str(r.score),
        "judgement": None if judgement is None else _judgement_data(judgement),
        "raw": None if judgement is None else judgement.raw,
        "feedback": r.feedback,
        "error": r.error,
        **{name: getattr(r, name) for name in counts},
        "reused": r.reused,
        # As a float, so that 2 and 2.0 are one trace.
        "seconds": None if r.seconds is None else float(r.seconds),
        "usd": None if r.usd is None else float(r.usd),
        "gold": None if r.gold is None else r.gold.value,
        "checked_by": {key: who.value for key, who in r.checked_by.items()},
        "extra": dict(r.extra),
    }


def _judgement_data(judgement: Judgement) -> dict[str, Any]:
    return {
        "verdicts": [
            [key, v.verdict, v.evidence, v.change, v.unscored]
            for key, v in judgement.verdicts.items()
        ],
        "unscored": judgement.unscored,
        "detail": judgement.detail,
        "evaluator": judgement.evaluator,
    }


def trace_of(row: Any, rounds: Sequence[Any], known: dict[str, Contract] | None = None) -> Trace:
    """Return the trace that a row of the store and its rounds in order are.

    `known` is filled with contracts by their hash, so that many traces of one share it.
    """
    contract = row.contract
    return Trace(
        trace_id=row.trace_id,
        arm=Arm(row.arm),
        sample_id=row.sample_id,
        trial=row.trial,
        input=row.input,
        contract=_contract(contract, {} if known is None else known),
        stop=None if row.stop is None else StopRule.model_validate(row.stop),
        rounds=tuple(_round(r) for r in rounds),
        exit=None if row.exit is None else Exit(row.exit),
        returned_round=row.returned_round,
        extra=row.extra,
    )


def _contract(data: Any, known: dict[str, Contract]) -> Contract | str | None:
    if not isinstance(data, dict):
        return None if data is None else str(data)
    key = content_hash(data)
    if key not in known:
        known[key] = Contract.from_data(data)
    return known[key]


def _round(r: Any) -> Round:
    return Round(
        number=r.number,
        draft=r.draft,
        fingerprint=r.fingerprint,
        judgement=None if r.judgement is None else _judgement(r.judgement, r.raw),
        score=None if r.score is None else Fraction(r.score),
        feedback=r.feedback,
        generate_calls=r.generate_calls,
        judge_calls=r.judge_calls,
        reused=r.reused,
        tokens_in=r.tokens_in,
        tokens_out=r.tokens_out,
        tokens_cached=r.tokens_cached,
        seconds=r.seconds,
        usd=r.usd,
        gold=None if r.gold is None else LabelValue(r.gold),
        error=r.error,
        checked_by={key: CheckedBy(who) for key, who in r.checked_by.items()},
        extra=r.extra,
    )


def _judgement(data: Mapping[str, Any], raw: str | None) -> Judgement:
    verdicts = {
        key: CriterionVerdict(
            None if verdict is None else Verdict(verdict),
            evidence,
            change,
            None if unscored is None else Unscored(unscored),
        )
        for key, verdict, evidence, change, unscored in data["verdicts"]
    }
    reason = None if data["unscored"] is None else Unscored(data["unscored"])
    return Judgement(verdicts, reason, data["detail"], data["evaluator"], raw)
