"""Drift: frozen sets of outputs, and what a judge said of them at different times.

The same outputs are judged again; nothing else tells drift of a judge from drift of its inputs. A
reading is a copy of what the judge says at the time, so that the history stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.errors import InputError
from core.statistics.comparison import TwoJudges, drift
from core.statistics.confusion import MISSING
from core.store import tables as t
from core.store import tables_agreement as ta
from core.store.contracts import Version
from core.store.live import positions
from core.store.results import Codes, Results, load_results
from core.store.store import Store, insert_id, now


@dataclass(frozen=True)
class AnchorSet:
    """Outputs (store ids, ascending) frozen under a name."""

    id: int
    name: str
    outputs: tuple[int, ...]
    who: str
    at: str


@dataclass(frozen=True)
class Reading:
    """What a judge said of an anchor set: codes (outputs,) by criterion key, in the set's order.

    `judgements[i]` is the newest judgement of output i then, 0 where there was none.
    """

    id: int
    judge_id: int
    version_id: int
    codes: Mapping[str, Codes]
    judgements: NDArray[np.int64]
    who: str
    at: str

    def said(self, key: str, size: int) -> Codes:
        """Return the codes on a criterion; MISSING throughout where this reading knows none."""
        return self.codes.get(key, np.full(size, MISSING, dtype=np.int8))


def freeze(store: Store, project_id: int, name: str, outputs: Sequence[int], who: str) -> AnchorSet:
    """Store a set of outputs that stays as it is; raises InputError for a blank name or no outputs."""
    name = " ".join(name.split())
    if not name:
        raise InputError("anchor set", "its name is blank.", "Name it.")
    ids = tuple(sorted(set(outputs)))
    if not ids:
        raise InputError("anchor set", "it holds no output.", "Label and judge outputs first.")
    at = now()
    with store.write(project_id) as c:
        made = insert_id(
            c, ta.anchor_set, project_id=project_id, name=name, outputs=list(ids), who=who, at=at
        )
    return AnchorSet(made, name, ids, who, at)


def anchor_sets(store: Store, project_id: int) -> list[AnchorSet]:
    """Return a project's anchor sets, oldest first."""
    table = ta.anchor_set
    query = sa.select(table).where(table.c.project_id == project_id).order_by(table.c.id)
    with store.read() as c:
        return [AnchorSet(r.id, r.name, tuple(r.outputs), r.who, r.at) for r in c.execute(query)]


def take_reading(
    store: Store, project_id: int, anchors: AnchorSet, version: Version, judge: int, who: str
) -> int:
    """Store what a judge says of an anchor set now; returns the reading's id.

    Raises InputError when it says nothing of any of the outputs.
    """
    results = load_results(store, project_id, version, judge)
    codes = {key: _cut(results, anchors, said) for key, said in results.judge.items()}
    if all(np.all(said == MISSING) for said in codes.values()):
        raise InputError(
            "reading", "the judge has said nothing of these outputs.", "Have it judge them first."
        )
    newest = (
        sa.select(t.judgement.c.output_id, sa.func.max(t.judgement.c.id).label("id"))
        .where(t.judgement.c.judge_id == judge, t.judgement.c.project_id == project_id)
        .group_by(t.judgement.c.output_id)
    )
    with store.write(project_id) as c:
        known = {r.output_id: int(r.id) for r in c.execute(newest)}
        return insert_id(
            c,
            ta.anchor_reading,
            anchor_set_id=anchors.id,
            judge_id=judge,
            contract_version_id=version.id,
            codes={key: said.tolist() for key, said in codes.items()},
            judgements=[known.get(i, 0) for i in anchors.outputs],
            who=who,
            at=now(),
        )


def readings(store: Store, anchors: AnchorSet) -> list[Reading]:
    """Return the readings of an anchor set, oldest first."""
    table = ta.anchor_reading
    query = sa.select(table).where(table.c.anchor_set_id == anchors.id).order_by(table.c.id)
    with store.read() as c:
        return [_reading(row) for row in c.execute(query)]


def compare(
    results: Results, anchors: AnchorSet, before: Reading, after: Reading, key: str
) -> TwoJudges:
    """Return two readings of an anchor set, paired output by output, against gold as it is now.

    `results` hold the gold labels of the project; a criterion one of the readings does not know
    pairs nothing.
    """
    size = len(anchors.outputs)
    at, known = positions(np.array(anchors.outputs, dtype=np.int64), results.outputs)
    # An output that is gone is a sample of its own.
    samples = -1 - np.arange(size, dtype=np.int64)
    samples[known] = results.samples[at[known]]
    clusters = samples if len(np.unique(samples)) < size else None
    return drift(
        gold_of(results, anchors, key), before.said(key, size), after.said(key, size), clusters
    )


def gold_of(results: Results, anchors: AnchorSet, key: str) -> Codes:
    """Return the gold labels of an anchor set on a criterion, in the set's order."""
    return _cut(results, anchors, results.gold[key])


def judged_anew(before: Reading, after: Reading) -> int:
    """Return of how many outputs the later reading rests on another judgement."""
    return int(np.count_nonzero(before.judgements != after.judgements))


def _cut(results: Results, anchors: AnchorSet, codes: Codes) -> Codes:
    wanted = np.array(anchors.outputs, dtype=np.int64)
    at, known = positions(wanted, results.outputs)
    found = np.full(len(wanted), MISSING, dtype=np.int8)
    found[known] = codes[at[known]]
    return found


def _reading(row: Any) -> Reading:
    codes = {key: np.array(said, dtype=np.int8) for key, said in row.codes.items()}
    judgements = np.array(row.judgements, dtype=np.int64)
    return Reading(
        row.id, row.judge_id, row.contract_version_id, codes, judgements, row.who, row.at
    )
