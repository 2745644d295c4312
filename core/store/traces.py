"""Traces in the store: whole loops with their rounds, and summaries that need no drafts.

What a summary says depends on every draft (a shape, whether a text came back), so it is worked out
once: counting ten thousand traces must not read fifty thousand drafts. It takes several times as
long as storing the rows, so that is not done while they are stored but in `work_out`, which whoever
stores many calls with a progress bar, and every reader for what is still lacking.
A trace that names its contract by a hash is summed up by that contract if the project holds it, and
anew when it comes to hold it; the stored rounds stay as they came.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa

from core.contract.contract import Contract
from core.errors import InputError, show
from core.loop.facts import facts_of
from core.loop.measured import counted
from core.loop.replay import outcomes_of
from core.loop.reread import reread
from core.loop.stop import Arm, Exit
from core.loop.summary import Summary, summary_of
from core.loop.trace import Trace
from core.loop.whatif import path_from
from core.store import tables as t
from core.store.bulk import insert_many
from core.store.imports import record_import
from core.store.store import Store, now
from core.store.trace_gold import refresh_gold
from core.store.trace_rows import LACKING, WORKED_OUT, Row, rows_of, trace_of

_ROWS = 500
"""Traces inserted at a time."""
_CHUNK = 200
"""Whole traces held at a time."""


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
    rows = rows_of(traces)
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
    rows = rows_of(traces)
    with store.read() as c:
        found = _compare(c, project_id, traces, rows)
    if not found.new:
        return found
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
        _insert(c, project_id, [rows[x.trace_id] for x in found.new], shared)
    return found


def add_run_traces(store: Store, project_id: int, run_id: int, traces: Sequence[Trace]) -> None:
    """Store what a loop run has brought; traces that are here already stay as they are.

    Raises InputError when one of the ids stands for another trace.
    """
    rows = rows_of(traces)
    with store.write(project_id) as c:
        found = _compare(c, project_id, traces, rows)
        if found.other:
            raise InputError(
                f"trace {show(found.other[0].trace_id)}",
                "another one has this id in the project.",
                "Rename it, or run the loop in another project.",
            )
        shared = {"project_id": project_id, "import_batch_id": None, "run_id": run_id}
        _insert(c, project_id, [rows[x.trace_id] for x in found.new], shared)


def _insert(
    c: sa.Connection, project_id: int, made: Sequence[Row], shared: Mapping[str, Any]
) -> None:
    if not made:
        return
    shared = {**shared, **LACKING, "stored_at": now()}
    for start in range(0, len(made), _ROWS):
        some = made[start : start + _ROWS]
        insert_many(c, t.trace, [{**shared, **row.trace} for row in some])
        keys = _stored(c, project_id, [row.trace["trace_id"] for row in some])
        insert_many(
            c,
            t.round_,
            [
                {"trace_pk": keys[row.trace["trace_id"]][0], **values}
                for row in some
                for values in row.rounds
            ],
        )


def work_out(
    store: Store, project_id: int, progress: Callable[[float], object] = lambda share: None
) -> int:
    """Work out what is kept of every trace that has none of it yet; returns how many there were.

    What another version of the program worked out counts as none. Labels given since to drafts of
    loop runs count first. `progress` is told the share done, in [0, 1].
    """
    refresh_gold(store, project_id)
    # All of it is written at once, so that the facts, whose text begins with the version, tell.
    facts = sa.type_coerce(t.trace.c.facts, sa.Text())
    lacking = facts.is_(None) | facts.not_like(f"[{WORKED_OUT},%")
    query = sa.select(t.trace.c.id).where(t.trace.c.project_id == project_id, lacking)
    with store.read() as c:
        ids = list(c.scalars(query.order_by(t.trace.c.id)))
    held = held_contracts(store, project_id) if ids else {}
    for start in range(0, len(ids), _CHUNK):
        some = load_traces(store, project_id, ids[start : start + _CHUNK])
        made = [
            {"key": key, **_facts(by_held_contract(trace, held))} for key, trace in some.items()
        ]
        with store.write() as c:
            # Others may have done so meanwhile, with the same result.
            c.execute(t.trace.update().where(t.trace.c.id == sa.bindparam("key")), made)
        progress(min((start + _CHUNK) / len(ids), 1.0))
    return len(ids)


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
        "facts": [WORKED_OUT, *facts.to_json()],
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


def load_summaries(store: Store, project_id: int) -> list[Summary]:
    """Return a summary of every trace in the order they were stored.

    No draft is read, but those of traces that lack a summary.
    """
    work_out(store, project_id)
    # As text: one document of ten thousand is read in half the time of ten thousand documents.
    summary = sa.type_coerce(t.trace.c.summary, sa.Text())
    query = sa.select(summary).where(t.trace.c.project_id == project_id).order_by(t.trace.c.id)
    with store.read() as c:
        rows = c.scalars(query).all()
    return [_summary(data) for data in json.loads(f"[{','.join(rows)}]")]


def load_trace(store: Store, project_id: int, trace_id: str) -> Trace | None:
    """Return one whole trace, or None.

    It is the one that was stored, with the gold labels that drafts of a loop run have got since.
    """
    refresh_gold(store, project_id)
    query = sa.select(t.trace).where(
        t.trace.c.project_id == project_id, t.trace.c.trace_id == trace_id
    )
    with store.read() as c:
        row = c.execute(query).one_or_none()
        if row is None:
            return None
        return trace_of(row, _rounds_of(c, row.id))


def load_traces(store: Store, project_id: int, keys: Sequence[int]) -> dict[int, Trace]:
    """Return whole traces by the store's own keys, a few hundred at most."""
    of_them = sa.select(t.round_).where(t.round_.c.trace_pk.in_(keys)).order_by(t.round_.c.number)
    query = sa.select(t.trace).where(t.trace.c.project_id == project_id, t.trace.c.id.in_(keys))
    rounds: dict[int, list[Any]] = {}
    with store.read() as c:
        for r in c.execute(of_them):
            rounds.setdefault(r.trace_pk, []).append(r)
        known: dict[str, Contract] = {}
        return {row.id: trace_of(row, rounds.get(row.id, []), known) for row in c.execute(query)}


def each_trace(store: Store, project_id: int) -> Iterator[Trace]:
    """Yield every whole trace in the order they were stored, a few hundred at a time."""
    refresh_gold(store, project_id)
    query = sa.select(t.trace.c.id).where(t.trace.c.project_id == project_id)
    with store.read() as c:
        keys = list(c.scalars(query.order_by(t.trace.c.id)))
    for start in range(0, len(keys), _CHUNK):
        some = load_traces(store, project_id, keys[start : start + _CHUNK])
        yield from (some[key] for key in keys[start : start + _CHUNK] if key in some)


def _compare(
    c: sa.Connection, project_id: int, traces: Iterable[Trace], rows: Mapping[str, Row]
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


_SUMMARY = tuple(field.name for field in fields(Summary))


def summary_data(summary: Summary) -> dict[str, Any]:
    """Return a summary as JSON values, for storing."""
    return {name: getattr(summary, name) for name in _SUMMARY}


def _summary(data: dict[str, Any]) -> Summary:
    data["exit"] = None if data["exit"] is None else Exit(data["exit"])
    data["arm"], data["shapes"] = Arm(data["arm"]), tuple(data["shapes"])
    return Summary(**data)


def _rounds_of(c: sa.Connection, trace_pk: int) -> Sequence[Any]:
    query = sa.select(t.round_).where(t.round_.c.trace_pk == trace_pk)
    return c.execute(query.order_by(t.round_.c.number)).all()
