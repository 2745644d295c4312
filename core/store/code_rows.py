"""Labels and verdicts of a project as columns of numbers, read in one piece.

Half a million rows cost seconds when each becomes an object and a tenth of that when the database
hands out whole columns as one text of numbers. Nothing is picked or grouped in the database:
sorting half a million numbers here is several times as fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.labelling.label import LabelKind
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN
from core.store import tables as t
from core.store.judgements import fresh
from core.store.newest import ASIDE, in_force
from core.verdict import LabelValue

Ints: TypeAlias = NDArray[np.int64]
_CODES = {"PASS": PASS, "FAIL": FAIL, "UNKNOWN": UNKNOWN}
UNSURE = 3
"""Code of a label that says neither; of a decision, that it was left undecided."""
OTHER = 0
"""Number of every wording that was not asked for."""


@dataclass(frozen=True)
class LabelRows:
    """The labels and decisions that hold today, oldest first, each with a verdict.

    `output`, `criterion` and `reviewer` are store ids, `wording` the number `number_wordings` gave
    the question's hash. Codes are PASS, FAIL and UNSURE.
    """

    output: Ints
    criterion: Ints
    reviewer: Ints
    wording: Ints
    by_hand: NDArray[np.bool_]
    code: NDArray[np.int8]


@dataclass(frozen=True)
class VerdictRows:
    """What a judge said, oldest judgement first; MISSING where it gave no verdict."""

    output: Ints
    criterion: Ints
    wording: Ints
    code: NDArray[np.int8]


def number_wordings(hashes: Iterable[str]) -> dict[str, int]:
    """Return a number from 1 for each of the hashes that are asked for; the rest are `OTHER`."""
    return {one: at for at, one in enumerate(sorted(set(hashes)), 1)}


def read_numbers(c: sa.Connection, query: sa.Select[Any]) -> list[Ints]:
    """Return the columns of a query, whole numbers without nulls, as arrays in one order."""
    rows = query.subquery()
    wanted = [sa.func.aggregate_strings(sa.cast(one, sa.Text), ",") for one in rows.c]
    found = c.execute(sa.select(*wanted)).one()
    nothing = np.zeros(0, np.int64)
    return [np.fromstring(text, dtype=np.int64, sep=",") if text else nothing for text in found]


def load_label_rows(c: sa.Connection, project_id: int, wordings: Mapping[str, int]) -> LabelRows:
    """Return what `newest_labels` selects, as columns: of each kind of row the newest."""
    label = t.label.c
    by_hand = sa.case((label.kind == LabelKind.ADJUDICATION, 1), else_=0)
    verdict = sa.case(
        {"PASS": PASS, "FAIL": FAIL, LabelValue.UNSURE.value: UNSURE},
        value=label.verdict, else_=UNKNOWN,
    )  # fmt: skip
    base, said = _base(c, project_id), 4
    query = sa.select(
        label.id,
        _pair(label.output_id, label.criterion_id, base),
        label.reviewer_id,
        (_number(label.question_hash, wordings) * 2 + by_hand) * said + verdict,
    ).where(label.project_id == project_id, label.kind.not_in(ASIDE), in_force())
    ids, place, reviewer, rest = read_numbers(c, query)
    hand = rest // said % 2
    people, who = np.unique(reviewer, return_inverse=True)
    key = (place * len(people) + who) * 2 + hand
    # Of rows with the same key the one with the highest id; all of them in the order of their ids.
    order = np.argsort(ids, kind="stable")
    _, last = np.unique(key[order][::-1], return_index=True)
    newest = order[np.sort(len(order) - 1 - last)]
    code = rest[newest] % said
    kept = newest[code != UNKNOWN]
    return LabelRows(
        place[kept] // base,
        place[kept] % base,
        reviewer[kept],
        rest[kept] // (2 * said),
        hand[kept] == 1,
        code[code != UNKNOWN].astype(np.int8),
    )


def load_verdict_rows(
    c: sa.Connection, project_id: int, judge: int | None, wordings: Mapping[str, int]
) -> VerdictRows:
    """Return a judge's verdicts; of one output, criterion and wording the last one counts.

    A wording that comes back finds its verdicts again, although newer ones exist for another. What
    was said of a sample's earlier input is about another wording. What could be read of an
    unscored judgement is for showing and counts nowhere: its code is MISSING.
    """
    judgement, verdict = t.judgement.c, t.verdict.c
    base, missing = _base(c, project_id), 3
    code = sa.case(
        (judgement.unscored.is_(None), sa.case(_CODES, value=verdict.verdict, else_=missing)),
        else_=missing,
    )
    wording = sa.case((fresh(), _number(verdict.verdict_hash, wordings)), else_=OTHER)
    query = (
        sa.select(
            judgement.id,
            _pair(judgement.output_id, verdict.criterion_id, base),
            wording * (missing + 1) + code,
        )
        .join(t.verdict, verdict.judgement_id == judgement.id)
        .join(t.output, t.output.c.id == judgement.output_id)
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .where(judgement.judge_id == (-1 if judge is None else judge))
    )
    ids, place, rest = read_numbers(c, query)
    order = np.argsort(ids, kind="stable")
    place, rest = place[order], rest[order]
    said = rest % (missing + 1)
    return VerdictRows(
        place // base,
        place % base,
        rest // (missing + 1),
        np.where(said == missing, MISSING, said).astype(np.int8),
    )


def _base(c: sa.Connection, project_id: int) -> int:
    """Return a number above every criterion's id, to put output and criterion into one."""
    query = sa.select(sa.func.max(t.criterion.c.id)).where(t.criterion.c.project_id == project_id)
    return int(c.scalar(query) or 0) + 1


def _pair(output: Any, criterion: Any, base: int) -> sa.ColumnElement[int]:
    return sa.type_coerce(sa.cast(output, sa.BigInteger) * base + criterion, sa.BigInteger)


def _number(column: Any, wordings: Mapping[str, int]) -> sa.ColumnElement[int]:
    if not wordings:
        return sa.literal(OTHER)
    return sa.case(dict(wordings), value=column, else_=OTHER)
