"""Traces in the store: whole loops with their rounds, and summaries that need no drafts.

What a summary says depends on every draft (a shape, whether a text came back), so it is worked out
once, when the trace is stored: counting ten thousand traces must not read fifty thousand drafts.
A trace that names its contract by a hash is summed up by that contract if the project holds it, and
anew when it comes to hold it; the stored rounds stay as they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import sqlalchemy as sa

from core.contract.contract import Contract, StopRule
from core.contract.criterion import CheckedBy
from core.errors import InputError, show
from core.judging.judgement import Judgement
from core.loop.facts import facts_of
from core.loop.measured import counted
from core.loop.replay import outcomes_of
from core.loop.reread import reread
from core.loop.stop import Arm, Exit
from core.loop.summary import Summary, summary_of
from core.loop.trace import Round, Trace
from core.loop.whatif import path_from
from core.store import tables as t
from core.store.imports import record_import
from core.store.store import Store, now
from core.text import content_hash
from core.verdict import CriterionVerdict, LabelValue, Unscored, Verdict

MOST = 2**62
"""The largest amount (calls, tokens, seconds, money) of one round that is stored."""


@dataclass(frozen=True)
class TraceDifference:
    """What storing traces would do: new ones, ones already here, and ids that stand for another.

    `other` are traces whose trace_id is stored with other content: reported, never overwritten.
    """

    new: tuple[Trace, ...]
    present: int
    other: tuple[Trace, ...]


def compare_traces(store: Store, project_id: int, traces: Sequence[Trace]) -> TraceDifference:
    """Return what `add_traces` would find."""
    rows = _rows(traces)
    with store.read() as c:
        return _compare(c, project_id, traces, rows)


def add_traces(
    store: Store,
    project_id: int,
    traces: Sequence[Trace],
    *,
    file_name: str = "",
    sha256: str = "",
) -> TraceDifference:
    """Store the traces that are new, all or none of them, and return what was found.

    The same traces twice change nothing. Raises InputError for a count no database can hold.
    """
    rows = _rows(traces)
    with store.read() as c:
        found = _compare(c, project_id, traces, rows)
    if not found.new:
        return found
    held = held_contracts(store, project_id)
    facts = {x.trace_id: _facts(by_held_contract(x, held)) for x in found.new}
    with store.write(project_id) as c:
        found = _compare(c, project_id, traces, rows)
        batch = record_import(
            c,
            project_id,
            kind="traces",
            file_name=file_name,
            sha256=sha256,
            choices={},
            counts={
                "new": len(found.new), "present": found.present, "other": len(found.other),
            },
        )  # fmt: skip
        shared = {"project_id": project_id, "import_batch_id": batch, "run_id": None}
        _insert(c, project_id, [(rows[x.trace_id], facts[x.trace_id]) for x in found.new], shared)
    return found


def add_run_traces(store: Store, project_id: int, run_id: int, traces: Sequence[Trace]) -> None:
    """Store what a loop run has brought; traces that are here already stay as they are.

    Raises InputError when one of the ids stands for another trace.
    """
    rows = _rows(traces)
    facts = {x.trace_id: _facts(x) for x in traces}
    with store.write(project_id) as c:
        found = _compare(c, project_id, traces, rows)
        if found.other:
            raise InputError(
                f"trace {show(found.other[0].trace_id)}",
                "another one has this id in the project.",
                "Rename it, or run the loop in another project.",
            )
        shared = {"project_id": project_id, "import_batch_id": None, "run_id": run_id}
        _insert(c, project_id, [(rows[x.trace_id], facts[x.trace_id]) for x in found.new], shared)


def _insert(
    c: sa.Connection,
    project_id: int,
    made: Sequence[tuple[_Row, dict[str, Any]]],
    shared: Mapping[str, Any],
) -> None:
    if not made:
        return
    shared = {**shared, "stored_at": now()}
    c.execute(t.trace.insert(), [{**shared, **row.trace, **facts} for row, facts in made])
    keys = _stored(c, project_id, [row.trace["trace_id"] for row, _ in made])
    rounds = [
        {"trace_pk": keys[row.trace["trace_id"]][0], **values}
        for row, _ in made
        for values in row.rounds
    ]
    if rounds:
        c.execute(t.round_.insert(), rounds)


def _facts(trace: Trace) -> dict[str, Any]:
    """Return what is worked out from a trace once: summary, walk for what-ifs, drafts, facts."""
    outcomes = outcomes_of(trace)
    path = path_from(trace, outcomes)
    facts = facts_of(trace, outcomes)
    names = tuple(name for name, _, _ in facts.shapes)
    return {
        "summary": summary_data(summary_of(trace, outcomes, path, names)),
        "path": path.to_json(),
        "drafts": counted(trace),
        "facts": facts.to_json(),
    }


def held_contracts(store: Store, project_id: int) -> dict[str, Contract]:
    """Return every contract version of a project by its content hash."""
    table = t.contract_version
    query = sa.select(table.c.content_hash, table.c.content).where(table.c.project_id == project_id)
    with store.read() as c:
        found = {row.content_hash: row.content for row in c.execute(query)}
    return {key: Contract.from_data(content) for key, content in found.items()}


def by_held_contract(trace: Trace, held: Mapping[str, Contract]) -> Trace:
    """Return the trace read by the contract whose hash it names, if that is one of `held`."""
    known = held.get(trace.contract) if isinstance(trace.contract, str) else None
    return trace if known is None else reread(trace, known)[0]


def sum_up_anew(c: sa.Connection, project_id: int, contract: Contract) -> None:
    """Work out again, by `contract`, the summary of every trace that names it by its hash."""
    named = contract.content_hash
    query = sa.select(t.trace).where(
        t.trace.c.project_id == project_id, t.trace.c.contract == named
    )
    for row in c.execute(query).all():
        trace = by_held_contract(_trace(row, _rounds_of(c, row.id)), {named: contract})
        c.execute(t.trace.update().where(t.trace.c.id == row.id).values(_facts(trace)))


def load_summaries(store: Store, project_id: int) -> list[Summary]:
    """Return a summary of every trace in the order they were stored; no draft is read."""
    query = (
        sa.select(t.trace.c.summary)
        .where(t.trace.c.project_id == project_id)
        .order_by(t.trace.c.id)
    )  # fmt: skip
    with store.read() as c:
        return [_summary(data) for data in c.scalars(query)]


def load_trace(store: Store, project_id: int, trace_id: str) -> Trace | None:
    """Return one whole trace, equal to the one that was stored, or None."""
    query = sa.select(t.trace).where(
        t.trace.c.project_id == project_id, t.trace.c.trace_id == trace_id
    )
    with store.read() as c:
        row = c.execute(query).one_or_none()
        if row is None:
            return None
        return _trace(row, _rounds_of(c, row.id))


def load_traces(store: Store, project_id: int, keys: Sequence[int]) -> dict[int, Trace]:
    """Return whole traces by the store's own keys, a few hundred at most."""
    rows_of = sa.select(t.round_).where(t.round_.c.trace_pk.in_(keys)).order_by(t.round_.c.number)
    query = sa.select(t.trace).where(t.trace.c.project_id == project_id, t.trace.c.id.in_(keys))
    rounds: dict[int, list[Any]] = {}
    with store.read() as c:
        for r in c.execute(rows_of):
            rounds.setdefault(r.trace_pk, []).append(r)
        return {row.id: _trace(row, rounds.get(row.id, [])) for row in c.execute(query)}


def each_trace(store: Store, project_id: int) -> Iterator[Trace]:
    """Yield every whole trace in the order they were stored, reading a few hundred at a time."""
    query = sa.select(t.trace.c.id).where(t.trace.c.project_id == project_id)
    with store.read() as c:
        keys = list(c.scalars(query.order_by(t.trace.c.id)))
    for start in range(0, len(keys), 200):
        some = keys[start : start + 200]
        found = load_traces(store, project_id, some)
        yield from (found[key] for key in some if key in found)


# --- in -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    trace: dict[str, Any]
    rounds: list[dict[str, Any]]


def _rows(traces: Sequence[Trace]) -> dict[str, _Row]:
    """Return the columns of each trace by its id; raises InputError for an id given twice."""
    written: dict[int, Any] = {}
    rows: dict[str, _Row] = {}
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
        rows[trace.trace_id] = _Row(head, rounds)
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


def _compare(
    c: sa.Connection, project_id: int, traces: Iterable[Trace], rows: Mapping[str, _Row]
) -> TraceDifference:
    known = _stored(c, project_id, list(rows))
    new: list[Trace] = []
    other: list[Trace] = []
    present = 0
    for trace in traces:
        _, stored = known.get(trace.trace_id, (0, None))
        if stored is None:
            new.append(trace)
        elif stored == rows[trace.trace_id].trace["content_hash"]:
            present += 1
        else:
            other.append(trace)
    return TraceDifference(tuple(new), present, tuple(other))


def _stored(c: sa.Connection, project_id: int, names: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return the key and the content hash of those of these traces that are stored."""
    table = t.trace.c
    found: dict[str, tuple[int, str]] = {}
    for start in range(0, len(names), 500):
        query = sa.select(table.id, table.trace_id, table.content_hash).where(
            table.project_id == project_id, table.trace_id.in_(names[start : start + 500])
        )
        found |= {r.trace_id: (r.id, r.content_hash) for r in c.execute(query)}
    return found


# --- out ------------------------------------------------------------------------------------


_SUMMARY = tuple(field.name for field in fields(Summary))


def summary_data(summary: Summary) -> dict[str, Any]:
    """Return a summary as JSON values, for storing."""
    return {name: getattr(summary, name) for name in _SUMMARY}


def _summary(data: dict[str, Any]) -> Summary:
    exit = None if data["exit"] is None else Exit(data["exit"])
    changed = {"arm": Arm(data["arm"]), "exit": exit, "shapes": tuple(data["shapes"])}
    return Summary(**(data | changed))


def _rounds_of(c: sa.Connection, trace_pk: int) -> Sequence[Any]:
    query = sa.select(t.round_).where(t.round_.c.trace_pk == trace_pk)
    return c.execute(query.order_by(t.round_.c.number)).all()


def _trace(row: Any, rounds: Sequence[Any]) -> Trace:
    contract = row.contract
    return Trace(
        trace_id=row.trace_id,
        arm=Arm(row.arm),
        sample_id=row.sample_id,
        trial=row.trial,
        input=row.input,
        contract=Contract.from_data(contract) if isinstance(contract, dict) else contract,
        stop=None if row.stop is None else StopRule.model_validate(row.stop),
        rounds=tuple(_round(r) for r in rounds),
        exit=None if row.exit is None else Exit(row.exit),
        returned_round=row.returned_round,
        extra=row.extra,
    )


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
