"""What a loop run keeps beside its ledger: replies found by place, and drafts handed to people.

A draft that people see becomes an output of its sample, in the label queue like any other. Its
trial is below zero, which no draw has, so that it never stands for another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.judging.calls import ModelReply, Usage
from core.labelling.gold import settle
from core.labelling.label import LabelKind
from core.statistics.confusion import FAIL, MISSING, PASS
from core.store import tables as t
from core.store.contracts import Version
from core.store.ledger import REPLY
from core.store.live import asked
from core.store.newest import newest_labels
from core.store.runs import Run
from core.store.store import Store, insert_id
from core.store.tables_loops import loop_draft as table
from core.store.tables_runs import call
from core.text import fingerprint
from core.verdict import CriterionVerdict, LabelValue, Verdict

PlaceKey: TypeAlias = tuple[str, int, str, str, int]
"""Where in one task a call stands: arm, round, role, part, ask."""


@dataclass(frozen=True, slots=True)
class PlacedReply:
    """A reply in the ledger with what was asked of whom, and its cost (None: no price set)."""

    request_hash: str
    config_hash: str
    reply: ModelReply
    usd: float | None


def replies_by_place(
    store: Store, run_id: int, samples: Sequence[int]
) -> dict[tuple[int, int], dict[PlaceKey, PlacedReply]]:
    """Return the replies this run has paid for, by (sample key, trial) and place.

    Never by what was asked: independent draws of one prompt are different calls. Of two replies at
    one place, which a process killed in the air can leave, the first counts. The body is left out
    where there is a text. A few hundred samples at most.
    """
    c = call.c
    raw = sa.type_coerce(sa.case((c.text.is_(None), c.raw)), c.raw.type).label("raw")
    query = (
        sa.select(
            c.sample_pk, c.trial, c.arm, c.round, c.role, c.part, c.ask, c.request_hash,
            c.config_hash, c.text, c.stop_reason, c.tokens_in, c.tokens_out, c.cache_write,
            c.cache_read, c.usd, c.seconds, raw,
        )
        .where(c.run_id == run_id, c.sample_pk.in_(samples), c.outcome == REPLY)
        .order_by(c.number)
    )  # fmt: skip
    found: dict[tuple[int, int], dict[PlaceKey, PlacedReply]] = {}
    with store.read() as connection:
        for r in connection.execute(query):
            into = r.tokens_in
            if into is not None:
                into -= (r.cache_write or 0) + (r.cache_read or 0)
            usage = Usage(into, r.tokens_out, r.cache_write, r.cache_read)
            reply = ModelReply(
                r.text, r.stop_reason or "", r.raw or r.text or "", usage, r.seconds or 0.0
            )
            place = (r.arm, r.round, r.role, r.part, r.ask)
            of_task = found.setdefault((r.sample_pk, r.trial), {})
            of_task.setdefault(place, PlacedReply(r.request_hash, r.config_hash, reply, r.usd))
    return found


def tasks_begun(store: Store, run_id: int) -> list[tuple[int, int]]:
    """Return (sample key, trial) of every task the run has made a call for, in order."""
    query = (
        sa.select(call.c.sample_pk, call.c.trial)
        .where(call.c.run_id == run_id, call.c.sample_pk.is_not(None))
        .group_by(call.c.sample_pk, call.c.trial)
        .order_by(sa.func.min(call.c.number))
    )
    with store.read() as c:
        return [(r.sample_pk, r.trial) for r in c.execute(query)]


# --- drafts handed to people ------------------------------------------------------------------


class Reason(StrEnum):
    """Why people see a draft."""

    PERSON = "person"
    SPOT_CHECK = "spot check"
    FLAGGED = "flagged"


@dataclass(frozen=True, slots=True)
class NewDraft:
    """A draft for people, at its place; `why` is the flag of an exit that accepted nothing."""

    sample_pk: int
    trial: int
    arm: str
    round: int
    text: str
    reason: Reason
    why: str = ""


@dataclass(frozen=True, slots=True)
class QueuedDraft:
    """A draft people were handed, and the output it became.

    `verdicts` is what they had said when the loop went on with it; None while it waits, and for
    drafts that nothing waits for.
    """

    output_id: int
    sample_pk: int
    trial: int
    arm: str
    round: int
    reason: Reason
    why: str
    verdicts: Mapping[str, CriterionVerdict] | None


def queue_drafts(store: Store, run: Run, drafts: Sequence[NewDraft]) -> list[int]:
    """Put drafts into the label queue, each place of the run once; returns their output ids."""
    ids: list[int] = []
    with store.write(run.project_id) as c:
        for draft in drafts:
            place = (
                table.c.run_id == run.id,
                table.c.sample_pk == draft.sample_pk,
                table.c.trial == draft.trial,
                table.c.arm == draft.arm,
                table.c.round == draft.round,
            )
            there = c.scalar(sa.select(table.c.output_id).where(*place))
            ids.append(_queue(c, run, draft) if there is None else int(there))
    return ids


def _queue(c: sa.Connection, run: Run, draft: NewDraft) -> int:
    sample = t.sample.c.id == draft.sample_pk
    c.execute(sa.select(t.sample.c.id).where(sample).with_for_update())
    lowest = sa.select(sa.func.min(t.output.c.trial)).where(t.output.c.sample_pk == draft.sample_pk)
    output = insert_id(
        c, t.output, project_id=run.project_id, sample_pk=draft.sample_pk,
        trial=min(int(c.scalar(lowest) or 0), 0) - 1, version=1, current=True, text=draft.text,
        fingerprint=fingerprint(draft.text), extra={},
    )  # fmt: skip
    insert_id(
        c, table, run_id=run.id, sample_pk=draft.sample_pk, trial=draft.trial, arm=draft.arm,
        round=draft.round, output_id=output, reason=draft.reason.value, why=draft.why,
    )  # fmt: skip
    return output


def queued_drafts(store: Store, run_id: int) -> list[QueuedDraft]:
    """Return the drafts a run has handed to people, in the order it did."""
    query = sa.select(table).where(table.c.run_id == run_id).order_by(table.c.id)
    with store.read() as c:
        return [
            QueuedDraft(
                r.output_id, r.sample_pk, r.trial, r.arm, r.round, Reason(r.reason), r.why,
                None if r.verdicts is None else _verdicts(r.verdicts),
            )
            for r in c.execute(query)
        ]  # fmt: skip


def handed_outputs(store: Store, project_id: int) -> list[int]:
    """Return the ids of all outputs that loop runs of a project handed to people, oldest first."""
    query = (
        sa.select(table.c.output_id)
        .join(t.output, t.output.c.id == table.c.output_id)
        .where(t.output.c.project_id == project_id, t.output.c.current)
        .order_by(table.c.output_id)
    )
    with store.read() as c:
        return list(dict.fromkeys(c.scalars(query)))


def keep_verdicts(
    store: Store, run: Run, output_id: int, verdicts: Mapping[str, CriterionVerdict]
) -> None:
    """Keep what people said of a draft as the loop goes on with it: the past stays as it was."""
    data = {key: [v.verdict, v.evidence] for key, v in verdicts.items()}
    with store.write() as c:
        c.execute(
            table.update()
            .where(table.c.run_id == run.id, table.c.output_id == output_id)
            .values(verdicts=data)
        )


def _verdicts(data: Mapping[str, Any]) -> dict[str, CriterionVerdict]:
    return {key: CriterionVerdict(Verdict(word), said) for key, (word, said) in data.items()}


def person_verdicts(
    store: Store, project_id: int, version: Version, outputs: Sequence[int], keys: Sequence[str]
) -> dict[int, dict[str, CriterionVerdict]]:
    """Return what people have settled of these outputs: output id → criterion key → verdict.

    The gold label of each: adjudicated, else the strict majority; none while unsure or tied. The
    evidence is the notes of those who decided so, without their names: it goes to the writer.
    """
    if not outputs:
        return {}
    ids = list(dict.fromkeys(outputs))
    found: dict[int, dict[str, CriterionVerdict]] = {output: {} for output in ids}
    with store.read() as c:
        settled = settled_codes(c, project_id, version, ids, keys)
    for key, (codes, rows) in settled.items():
        notes: dict[tuple[int, str], dict[str, None]] = {}
        for r in rows:
            if r.verdict is not None and r.note.strip():
                notes.setdefault((r.output_id, str(r.verdict)), {})[r.note] = None
        for output, code in zip(ids, codes.tolist(), strict=True):
            if code != MISSING:
                word = Verdict.PASS if code == PASS else Verdict.FAIL
                said = "\n".join(notes.get((output, word.value), ()))
                found[output][key] = CriterionVerdict(word, said)
    return found


def settled_codes(
    c: sa.Connection,
    project_id: int,
    version: Version | None,
    ids: Sequence[int],
    keys: Sequence[str],
) -> dict[str, tuple[NDArray[np.int8], list[Any]]]:
    """Return by key the gold code of each output in `ids` (distinct), and the labels it rests on."""
    at = {output: i for i, output in enumerate(ids)}
    questions = asked(c, project_id, version)
    newest = newest_labels(project_id).where(t.label.c.output_id.in_(ids)).subquery()
    query = sa.select(t.label).join(newest, newest.c.id == t.label.c.id)
    rows = c.execute(query.order_by(t.label.c.id)).all()
    found: dict[str, tuple[NDArray[np.int8], list[Any]]] = {}
    for key in keys:
        question = questions[key]
        mine = [
            r
            for r in rows
            if r.criterion_id == question.criterion and question.holds(r.question_hash)
        ]
        passes, fails = np.zeros((2, len(ids)), dtype=np.int64)
        by_hand = np.full(len(ids), MISSING, dtype=np.int8)
        for r in mine:
            code = {LabelValue.PASS: PASS, LabelValue.FAIL: FAIL}.get(r.verdict, MISSING)
            if r.kind == LabelKind.ADJUDICATION:
                by_hand[at[r.output_id]] = code
            elif code != MISSING:
                (passes if code == PASS else fails)[at[r.output_id]] += 1
        found[key] = (settle(passes, fails, by_hand).codes, mine)
    return found
