"""Calibration records: what a judge's rates were, on what, and whether that still holds.

A record is computed, dated and never changed. It is tied to the contract version, to the outputs
with their gold labels, and to the judge with what it said of them; when any of these has changed
since, the record is out of date, and says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from core.errors import InputError
from core.statistics.confusion import MISSING
from core.statistics.interval import ClusteredEstimate, Estimate, Result, Undefined, as_json
from core.store import tables as t
from core.store.contracts import Version, versions
from core.store.measured import judge_rates, part_of
from core.store.results import Results, load_results
from core.store.splits import load_split
from core.store.store import Store, insert_id, now
from core.store.tables_agreement import calibration as table
from core.text import exact_hash
from core.verdict import OVERALL


@dataclass(frozen=True)
class Record:
    """A judge's rates on whole outputs under a contract version, as measured by `who` at `at`."""

    id: int
    version_id: int
    number: int
    judge_id: int
    judge: str
    n: int
    false_accept_rate: Result
    false_reject_rate: Result
    who: str
    at: str
    data_hash: str
    judge_hash: str
    part: str = ""

    @property
    def date(self) -> str:
        """The day it was made, as year-month-day (UTC)."""
        return self.at[:10]


def record_calibration(
    store: Store,
    project_id: int,
    version: Version,
    judge: int,
    who: str,
    *,
    chosen: str = "unsaid",
    part: str = "",
) -> Record:
    """Measure a judge against gold now, store what came out, and return it.

    `chosen` is how the labelled outputs were chosen, as in `measured.judge_rates`, and `part` the
    part of the split that is measured, "" for all. Raises InputError when nothing is labelled and
    judged: there would be nothing to record.
    """
    results = part_of(store, project_id, load_results(store, project_id, version, judge), part)
    cells = results.confusion(OVERALL)
    if not cells.n:
        raise InputError(
            "calibration", "no output has both a gold label and a verdict.", "Label outputs first."
        )
    shown = judge_rates(results, OVERALL, chosen)
    rates: dict[str, Any] = {
        "part": part,
        "far": _stored(shown.false_accept_rate),
        "frr": _stored(shown.false_reject_rate),
    }
    data, said = _hashes(store, judge, results)
    with store.write(project_id) as c:
        made = insert_id(
            c,
            table,
            project_id=project_id,
            contract_version_id=version.id,
            judge_id=judge,
            n=cells.n,
            rates=rates,
            data_hash=data,
            judge_hash=said,
            who=who,
            at=now(),
        )
        return _record(c.execute(_select(project_id).where(table.c.id == made)).one())


def records(
    store: Store, project_id: int, *, version: Version | None = None, judge: int | None = None
) -> list[Record]:
    """Return the calibration records of a project, newest first."""
    query = _select(project_id)
    if version is not None:
        query = query.where(table.c.contract_version_id == version.id)
    if judge is not None:
        query = query.where(table.c.judge_id == judge)
    with store.read() as c:
        return [_record(row) for row in c.execute(query)]


def out_of_date(store: Store, project_id: int, record: Record, version: Version) -> list[str]:
    """Return what has changed since a record was made, in words; nothing when it still holds.

    `version` is the contract the project works with now.
    """
    changed = []
    if record.version_id != version.id:
        changed.append(f"the contract is at version {version.number}, this is of {record.number}")
    data, said = _hashes(store, record.judge_id, _measured(store, project_id, record, version))
    if data != record.data_hash:
        changed.append("outputs or their gold labels have changed")
    if said != record.judge_hash:
        changed.append("the judge, or what it says of these outputs, has changed")
    return changed


def newest_rates(store: Store, project_id: int) -> Record | None:
    """Return the newest record of the project, of whatever judge and version, or None."""
    found = records(store, project_id)
    return found[0] if found else None


def _measured(store: Store, project_id: int, record: Record, version: Version) -> Results:
    """Return what would be measured today under the record's own version."""
    of = version
    if record.version_id != version.id:
        of = next(v for v in versions(store, project_id) if v.id == record.version_id)
    results = load_results(store, project_id, of, record.judge_id)
    # A split that is gone leaves the record to be compared with everything, and so out of date.
    split = load_split(store, project_id)
    return part_of(store, project_id, results, record.part if split is not None else "")


def _hashes(store: Store, judge: int, results: Results) -> tuple[str, str]:
    """Return the hash of labelled outputs with their gold, and that of the judge and its verdicts.

    Texts never change under an output's id, so ids stand for them. Of the judge's verdicts those
    on labelled outputs count: judging further outputs changes no figure.
    """
    labelled = np.flatnonzero(results.gold[OVERALL] != MISSING)
    gold, said = (
        results.outputs[labelled].tobytes().hex() + side[OVERALL][labelled].tobytes().hex()
        for side in (results.gold, results.judge)
    )
    with store.read() as c:
        config = c.scalar(sa.select(t.judge.c.config_hash).where(t.judge.c.id == judge))
    return exact_hash(gold), exact_hash(str(config), said)


def _stored(result: Result) -> dict[str, Any]:
    extra = (
        {"clusters": result.clusters, "deff": result.deff}
        if isinstance(result, ClusteredEstimate)
        else {}
    )
    return {**as_json(result), **extra}


def _read(stored: Mapping[str, Any]) -> Result:
    if "undefined" in stored:
        return Undefined(stored["undefined"], stored["k"], stored["n"])
    if "deff" in stored:
        return ClusteredEstimate(**stored)
    return Estimate(**stored)


def _select(project_id: int) -> sa.Select[Any]:
    return (
        sa.select(table, t.judge.c.name, t.contract_version.c.number)
        .join(t.judge, t.judge.c.id == table.c.judge_id)
        .join(t.contract_version, t.contract_version.c.id == table.c.contract_version_id)
        .where(table.c.project_id == project_id)
        .order_by(table.c.id.desc())
    )


def _record(row: Any) -> Record:
    return Record(
        row.id,
        row.contract_version_id,
        row.number,
        row.judge_id,
        row.name,
        row.n,
        _read(row.rates["far"]),
        _read(row.rates["frr"]),
        row.who,
        row.at,
        row.data_hash,
        row.judge_hash,
        row.rates.get("part", ""),
    )
