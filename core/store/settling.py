"""Everybody's labels side by side, for settling; read blind unless somebody settles.

A person who still labels gets, for each output and criterion, colleagues' labels only where a
label of their own for the present wording is stored: seen first, they would be copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.errors import InputError
from core.labelling.gold import Codes
from core.labelling.label import MAX_NOTE, LabelEntry, LabelKind
from core.statistics.confusion import MISSING
from core.store import tables as t
from core.store.code_rows import UNSURE, load_label_rows, number_wordings
from core.store.contracts import Version
from core.store.labels import save_labels
from core.store.live import asked, asked_of, counted_outputs, positions
from core.store.newest import newest_labels
from core.store.outputs import StoredOutput, load_outputs
from core.store.store import Store
from core.verdict import LabelValue

OPEN = 3
"""Code of an output somebody looked at and left undecided."""


@dataclass(frozen=True)
class Reader:
    """Who reads: a reviewer's id, and whether that person chose to settle and not to label."""

    reviewer: int
    settling: bool = False


@dataclass(frozen=True)
class LabelTable:
    """Live labels of the outputs that count, as this reader may see them.

    `codes[key]` is (outputs, reviewers): PASS, FAIL, or MISSING where there is no label, an
    unsure one, or one this reader may not see. `settled[key]` is (outputs,): PASS, FAIL, OPEN
    (left undecided) or MISSING. `seen[key]` is (outputs,): whether the reader may see that row.
    """

    outputs: NDArray[np.int64]
    samples: NDArray[np.int64]
    reviewers: tuple[str, ...]
    codes: Mapping[str, Codes]
    settled: Mapping[str, Codes]
    seen: Mapping[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class Vote:
    """What one reviewer said of the output, UNSURE too, in the reviewer's words."""

    reviewer: str
    verdict: LabelValue
    note: str


@dataclass(frozen=True)
class Decision:
    """What an adjudicator decided; UNSURE is "left undecided"."""

    reviewer_id: int
    reviewer: str
    verdict: LabelValue
    note: str


@dataclass(frozen=True)
class SplitCase:
    """One output with every live label of a criterion, and what was decided (newest first)."""

    output: StoredOutput
    criterion: str
    votes: tuple[Vote, ...]
    decisions: tuple[Decision, ...]

    def decision_of(self, reviewer: int) -> Decision | None:
        """Return what this reviewer decided here, or None."""
        return next((d for d in self.decisions if d.reviewer_id == reviewer), None)


def load_label_table(
    store: Store, project_id: int, version: Version | None, reader: Reader
) -> LabelTable:
    """Return everybody's live labels per criterion, those of colleagues only as `reader` may see.

    Keys are the contract's criteria in order, then "overall". Reviewers come in the order in
    which they joined; those who never gave a label are left out.
    """
    with store.read() as c:
        ids, samples, _ = counted_outputs(c, project_id, version)
        keys = asked(c, project_id, version)
        wordings = number_wordings(h for q in keys.values() for h in q.hashes or ())
        rows = load_label_rows(c, project_id, wordings)
        people = np.unique(rows.reviewer[~rows.by_hand])
        query = sa.select(t.reviewer.c.id, t.reviewer.c.name).where(
            t.reviewer.c.project_id == project_id
        )
        names = {r.id: r.name for r in c.execute(query)}
    at, known = positions(rows.output, ids)
    code = np.where(rows.code == UNSURE, MISSING, rows.code).astype(np.int8)
    by_hand, who = rows.by_hand, rows.reviewer
    codes: dict[str, Codes] = {}
    settled: dict[str, Codes] = {}
    seen: dict[str, NDArray[np.bool_]] = {}
    for key, question in keys.items():
        live = known & question.live(rows.criterion, rows.wording, wordings)
        own = live & ~by_hand & (who == reader.reviewer)
        seen[key] = np.full(len(ids), reader.settling)
        seen[key][at[own]] = True
        live &= seen[key][at] if len(ids) else False
        voted, decided = live & ~by_hand, live & by_hand
        codes[key] = np.full((len(ids), len(people)), MISSING, dtype=np.int8)
        codes[key][at[voted], np.searchsorted(people, who[voted])] = code[voted]
        settled[key] = np.full(len(ids), MISSING, dtype=np.int8)
        # Rows come oldest first: of several decisions on an output the newest stays.
        settled[key][at[decided]] = np.where(code[decided] == MISSING, OPEN, code[decided])
    return LabelTable(ids, samples, tuple(names[int(i)] for i in people), codes, settled, seen)


def split_cases(
    store: Store,
    project_id: int,
    version: Version | None,
    criterion: str,
    output_ids: Sequence[int],
    reader: Reader,
) -> list[SplitCase]:
    """Return the outputs with every live label and note on a criterion, in the order asked for.

    Left out: outputs that are not in the project, and those `reader` may not see. Raises
    InputError for a criterion that is not asked.
    """
    with store.read() as c:
        question = asked_of(c, project_id, version, criterion)
        query = _select(project_id).where(
            t.label.c.output_id.in_(list(output_ids)),
            t.label.c.criterion_id == question.criterion,
        )
        if question.hashes is not None:
            query = query.where(t.label.c.question_hash.in_(sorted(question.hashes)))
        found: dict[int, list[Any]] = {}
        for row in c.execute(query):
            found.setdefault(row.output_id, []).append(row)
        outputs = {o.id: o for o in load_outputs(store, project_id, list(output_ids))}
    cases = []
    for output_id in output_ids:
        rows = found.get(output_id, [])
        given = [r for r in rows if r.kind != LabelKind.ADJUDICATION]
        own = any(r.reviewer_id == reader.reviewer for r in given)
        if output_id not in outputs or not (reader.settling or own):
            continue
        by_name = sorted(given, key=lambda r: r.reviewer_id)
        votes = tuple(Vote(r.name, LabelValue(r.verdict), r.note) for r in by_name)
        decisions = tuple(
            Decision(r.reviewer_id, r.name, LabelValue(r.verdict), r.note)
            for r in reversed(rows)
            if r.kind == LabelKind.ADJUDICATION
        )
        cases.append(SplitCase(outputs[output_id], criterion, votes, decisions))
    return cases


def adjudicate(
    store: Store,
    project_id: int,
    output_id: int,
    criterion: str,
    verdict: LabelValue | None,
    reviewer: int,
    note: str,
    *,
    client: str,
    seq: int,
    question_hash: str = "",
    seconds: float | None = None,
) -> None:
    """Store what `reviewer` decided: PASS, FAIL, UNSURE (left undecided), or None to withdraw it.

    The reviewer's own label stays a vote beside it. (client, seq) names the act: stored once,
    whatever is sent under it again. `question_hash` is the question as it stood on the screen.
    Raises InputError when output or criterion are not in the project.
    """
    if len(note) > MAX_NOTE:
        raise InputError(
            "note", f"it has {len(note):,} characters.", f"Keep it to {MAX_NOTE:,} or fewer."
        )
    entry = LabelEntry(
        client,
        seq,
        output_id,
        criterion,
        LabelKind.ADJUDICATION,
        verdict,
        False,
        note,
        question_hash,
        seconds,
    )
    for _, why in save_labels(store, project_id, reviewer, [entry]).refused:
        raise InputError("decision", f"{why}.", "Open the list of splits again.")


def _select(project_id: int) -> sa.Select[Any]:
    """Select the label rows that hold today with the names of their reviewers, oldest first."""
    newest = newest_labels(project_id).subquery()
    return (
        sa.select(t.label, t.reviewer.c.name)
        .join(newest, newest.c.id == t.label.c.id)
        .join(t.reviewer, t.reviewer.c.id == t.label.c.reviewer_id)
        .where(t.label.c.verdict.is_not(None))
        .order_by(t.label.c.id)
    )
