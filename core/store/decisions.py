"""Decisions on a contract version: what was decided, when, by whom, on which records and data.

A decision keeps what it stood on (contract version, calibration record, baseline, labels, outputs,
traces). Afterwards it says what of that has changed; nothing is ever decided anew by itself. Taking
one back is a mark on its row, so that what was once decided can still be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from core.errors import InputError
from core.store import tables as t
from core.store.baselines import baselines, newest_baseline, trace_hash
from core.store.calibrations import newest_rates, out_of_date, records
from core.store.contracts import Version, latest_version
from core.store.paths import count_traces
from core.store.progress import load_progress
from core.store.store import Store, insert_id, now
from core.store.tables_decisions import decision as table
from core.wording import plural

MOST = 2_000
"""Characters of a reason that are kept."""


class Choice(StrEnum):
    """What can be decided."""

    LOOP = "loop"
    RETRIES = "retries"
    SINGLE = "single shot"
    WAIT = "not yet"


@dataclass(frozen=True)
class StandsOn:
    """What there was when something was decided; ids are None where there was no record."""

    calibration: int | None
    baseline: int | None
    traces: int
    trace_hash: str
    outputs: int
    labels: int


@dataclass(frozen=True)
class Decision:
    """What was decided of a contract version, the answers then, and what it stood on."""

    id: int
    version: int
    choice: Choice
    why: str
    author: str
    at: str
    answers: Mapping[str, Mapping[str, Any]]
    stands_on: StandsOn

    @property
    def date(self) -> str:
        """The day, as year-month-day (UTC)."""
        return self.at[:10]


def record_decision(
    store: Store,
    project_id: int,
    version: Version,
    choice: Choice,
    *,
    author: str,
    why: str = "",
    answers: Mapping[str, Mapping[str, object]] | None = None,
) -> Decision:
    """Store a decision on a contract version and return it.

    `answers` are the five as they stand now. Raises InputError without a name, or for a reason that
    is too long: somebody must stand for a decision.
    """
    if not author.strip():
        raise InputError("name", "it is blank.", "Say who decides.")
    if len(why) > MOST:
        raise InputError("reason", f"it has {len(why):,} characters.", f"Use at most {MOST:,}.")
    with store.write(project_id) as c:
        made = insert_id(
            c, table, project_id=project_id, contract_version_id=version.id, choice=choice.value,
            why=why.strip(), author=author.strip(), decided_at=now(), answers=dict(answers or {}),
            stands_on=asdict(_stands_on(store, project_id)), taken_back_by="",
        )  # fmt: skip
        return _decision(c.execute(_select(project_id).where(table.c.id == made)).one())


def take_back(store: Store, project_id: int, decision_id: int, *, author: str = "") -> None:
    """Take a decision back; the one before it holds again. Taking it back twice changes nothing."""
    with store.write(project_id) as c:
        c.execute(
            table.update()
            .where(
                table.c.id == decision_id,
                table.c.project_id == project_id,
                table.c.taken_back_at.is_(None),
            )
            .values(taken_back_at=now(), taken_back_by=author)
        )


def decisions(store: Store, project_id: int) -> list[Decision]:
    """Return the decisions that were not taken back, newest first: the first one holds."""
    query = _select(project_id).where(table.c.taken_back_at.is_(None))
    with store.read() as c:
        return [_decision(row) for row in c.execute(query)]


def changed_since(store: Store, project_id: int, made: Decision) -> list[str]:
    """Return what of that which a decision stood on has changed, in words; nothing if it stands."""
    said: list[str] = []
    current = latest_version(store, project_id)
    then, today = made.stands_on, _stands_on(store, project_id)
    if current is not None and current.number != made.version:
        said.append(f"the contract is at version {current.number}, this is of {made.version}")
    if today.calibration != then.calibration:
        said.append("the judge was measured anew" if then.calibration else "the judge was measured")
    elif current is not None and then.calibration is not None:
        record = next(r for r in records(store, project_id) if r.id == then.calibration)
        about_version = f"the contract is at version {current.number}"
        said += [
            f"the calibration record no longer holds: {line}"
            for line in out_of_date(store, project_id, record, current)
            if not line.startswith(about_version)
        ]
    if today.baseline != then.baseline:
        said.append("another baseline was recorded" if then.baseline else "a baseline was recorded")
    elif then.baseline is not None:
        of = next(b for b in baselines(store, project_id) if b.id == then.baseline)
        if of.out_of_date and today.trace_hash == then.trace_hash:
            said.append("the baseline was already out of date: the traces had changed")
    if today.trace_hash != then.trace_hash:
        said.append(_more(today.traces - then.traces, "trace") or "traces have changed")
    said += [_more(today.outputs - then.outputs, "output")]
    said += [_more(today.labels - then.labels, "label")]
    return [line for line in said if line]


def _more(change: int, what: str) -> str:
    if not change:
        return ""
    return f"{plural(abs(change), what)} {'more' if change > 0 else 'fewer'}"


def _stands_on(store: Store, project_id: int) -> StandsOn:
    rates, base = newest_rates(store, project_id), newest_baseline(store, project_id)
    counts = load_progress(store, project_id)
    return StandsOn(
        calibration=None if rates is None else rates.id,
        baseline=None if base is None else base.id,
        traces=count_traces(store, project_id),
        trace_hash=trace_hash(store, project_id),
        outputs=counts.outputs,
        labels=counts.labels + counts.adjudicated,
    )


def _select(project_id: int) -> sa.Select[Any]:
    return (
        sa.select(table, t.contract_version.c.number)
        .join(t.contract_version, t.contract_version.c.id == table.c.contract_version_id)
        .where(table.c.project_id == project_id)
        .order_by(table.c.id.desc())
    )


def _decision(row: Any) -> Decision:
    return Decision(
        row.id, row.number, Choice(row.choice), row.why, row.author, row.decided_at, row.answers,
        StandsOn(**row.stands_on),
    )  # fmt: skip
