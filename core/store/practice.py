"""The practice round, second looks, and what a reviewer may see once the own answer is stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from core.labelling.draw import practice_round
from core.labelling.gold import settle
from core.labelling.label import LabelKind
from core.labelling.settling import votes
from core.statistics.confusion import FAIL, MISSING, PASS
from core.statistics.interval import Result, rate
from core.store import tables as t
from core.store.contracts import Version
from core.store.labels import LabelState, reviewer_labels
from core.store.live import Asked, asked, asked_of
from core.store.newest import in_force, newest_aside, newest_labels, newest_votes
from core.store.settling import OPEN, Reader, load_label_table
from core.store.store import Store
from core.verdict import LabelValue


@dataclass(frozen=True)
class Practice:
    """A practice round: `same` of the answers in `met` as settled, out of `items` to answer.

    Without items nothing is settled yet, and the round is skipped.
    """

    items: tuple[int, ...]
    met: tuple[int, ...]
    same: int

    @property
    def done(self) -> bool:
        """Whether every item has an answer."""
        return len(self.met) >= len(self.items)


def practice_of(
    store: Store,
    project_id: int,
    version: Version | None,
    own: Mapping[str, Sequence[LabelState]],
    met: Mapping[str, Mapping[int, str]],
    *,
    seed: str,
) -> Practice | None:
    """Return the practice round asked of a reviewer, None for who has labelled here before.

    `own` holds the reviewer's labels by criterion, `met` the first practice answer by criterion
    and output. Asked of several criteria at once, an item is one that is settled on all of them,
    and is as settled when all answers are. A label on any of them ends the round.
    """
    keys = list(own)
    begun = any(s.verdict is not None for given in own.values() for s in given)
    both = [o for o in met[keys[0]] if all(o in met[key] for key in keys)]
    if begun and not both:
        return None
    known = [settled_items(store, project_id, version, key) for key in keys]
    settled = {o: good for o, good in known[0].items() if all(o in one for one in known)}
    items = both if begun else practice_round(settled, both, seed=seed)
    same = sum(
        all(one.get(o) == (met[key][o] == "PASS") for key, one in zip(keys, known, strict=True))
        for o in both
    )
    return Practice(tuple(items), tuple(both), same)


def settled_items(
    store: Store, project_id: int, version: Version | None, criterion: str
) -> dict[int, bool]:
    """Return the settled outputs of a criterion by id, each with whether it passes.

    Settled: somebody decided, or the strict majority of at least two reviewers says so.
    """
    table = load_label_table(store, project_id, version, Reader(0, settling=True))
    passes, fails = votes(table.codes[criterion])
    decided = table.settled[criterion]
    # Left undecided on purpose is not settled, whatever the majority says.
    by_hand = np.where((decided == PASS) | (decided == FAIL), decided, MISSING).astype(np.int8)
    gold = settle(passes, fails, by_hand).codes
    firm = (gold != MISSING) & ((by_hand != MISSING) | (passes + fails >= 2)) & (decided != OPEN)
    return {int(table.outputs[at]): bool(gold[at] == PASS) for at in firm.nonzero()[0]}


def reveals(
    store: Store,
    project_id: int,
    version: Version | None,
    reviewer_id: int,
    criterion: str,
    outputs: Collection[int],
) -> dict[int, dict[str, Any]]:
    """Return, by output id, what this reviewer may see now that the own label is stored.

    `{"kind": "practice", "verdict": as settled, "note": why it was settled so, "at": ""}` for an
    answer of the practice round; for a label of the present wording `{"kind": "stale", "verdict",
    "note", "at"}`, what this reviewer said under an earlier one, if anything. An output without a
    stored own label is left out, whatever is known of it. Raises InputError for a criterion that is not asked.
    """
    wanted = set(outputs)
    with store.read() as c:
        question = asked_of(c, project_id, version, criterion)
        practised = answers(c, project_id, reviewer_id, {criterion: question}, LabelKind.PRACTICE)
        met = practised[criterion]
        before = _earlier(c, project_id, reviewer_id, question)
        notes = _why_settled(c, project_id, question)
    found: dict[int, dict[str, Any]] = {}
    done, _, _ = states(reviewer_labels(store, project_id, reviewer_id, criterion), question)
    for output in wanted & done & set(before):
        found[output] = {"kind": "stale", **before[output]}
    if wanted & set(met):
        settled = settled_items(store, project_id, version, criterion)
        for output in wanted & set(met) & set(settled):
            word = LabelValue.PASS if settled[output] else LabelValue.FAIL
            note = notes.get(output, "")
            found[output] = {"kind": "practice", "verdict": word.value, "note": note, "at": ""}
    return found


@dataclass(frozen=True)
class AgainstSelf:
    """A reviewer's second labels against the first ones: `alike` counts those that agree."""

    reviewer_id: int
    reviewer: str
    criterion: str
    alike: Result


def against_self(store: Store, project_id: int, version: Version | None) -> list[AgainstSelf]:
    """Return how often each reviewer repeated the own label, with a Clopper–Pearson interval.

    One row for each reviewer and criterion with a repeat. Both looks were at the present wording
    and said PASS or FAIL; the second is no vote.
    """
    with store.read() as c:
        first, again = (
            _labels(newest).subquery()
            for newest in (newest_votes(project_id), newest_aside(project_id, LabelKind.REPEAT))
        )
        same = [first.c[name] == again.c[name] for name in _KEY]
        query = sa.select(
            first.c.reviewer_id,
            first.c.criterion_id,
            first.c.question_hash,
            again.c.question_hash.label("again_hash"),
            (first.c.verdict == again.c.verdict).label("alike"),
        ).join(again, sa.and_(*same))
        rows = c.execute(query).all()
        keys = asked(c, project_id, version)
        people = sa.select(t.reviewer).where(t.reviewer.c.project_id == project_id)
        names = {r.id: r.name for r in c.execute(people.order_by(t.reviewer.c.id))}
    found = []
    for who, name in names.items():
        for key, question in keys.items():
            alike = [
                bool(r.alike)
                for r in rows
                if (r.reviewer_id, r.criterion_id) == (who, question.criterion)
                and question.holds(r.question_hash)
                and question.holds(r.again_hash)
            ]
            if alike:
                share = rate(sum(alike), len(alike), nothing="no repeats")
                found.append(AgainstSelf(who, name, key, share))
    return found


# --- shared with the queue -----------------------------------------------------------------------

_VOTES = (LabelKind.LABEL, LabelKind.IMPORT, LabelKind.DEFER, LabelKind.UNDO)
_KEY = ("output_id", "criterion_id", "reviewer_id")


def states(own: Iterable[LabelState], question: Asked) -> tuple[set[int], set[int], set[int]]:
    """Return the outputs with a live label, with one of another wording, and those put off."""
    given = {s.output_id: s.question_hash for s in own if s.verdict is not None}
    done = {o for o, question_hash in given.items() if question.holds(question_hash)}
    return done, set(given) - done, {s.output_id for s in own if s.deferred}


def answers(
    c: sa.Connection,
    project_id: int,
    reviewer_id: int,
    asked: Mapping[str, Asked],
    kind: LabelKind,
    *,
    first: bool = False,
) -> dict[str, dict[int, str]]:
    """Return a reviewer's repeats or practice answers of the present wordings, by key and output.

    The newest of each, or with `first` the first: one given after the settled answer was shown
    says nothing.
    """
    label = t.label.c
    newest = newest_aside(project_id, kind, first=first)
    rows = newest.where(label.reviewer_id == reviewer_id).subquery()
    query = (
        sa.select(label.output_id, label.criterion_id, label.question_hash, label.verdict)
        .join(rows, rows.c.id == label.id)
        .where(label.verdict.is_not(None))
        .order_by(label.id)
    )
    keys = {question.criterion: key for key, question in asked.items()}
    found: dict[str, dict[int, str]] = {key: {} for key in asked}
    for output, criterion, question_hash, verdict in c.execute(query):
        key = keys.get(criterion)
        if key is not None and asked[key].holds(question_hash):
            found[key][output] = verdict
    return found


def _labels(newest: sa.Select[Any]) -> sa.Select[Any]:
    """Select key, wording and verdict of the PASS and FAIL labels among `newest`."""
    rows = newest.subquery()
    return (
        sa.select(*(t.label.c[name] for name in _KEY), t.label.c.question_hash, t.label.c.verdict)
        .join(rows, rows.c.id == t.label.c.id)
        .where(t.label.c.verdict.in_(["PASS", "FAIL"]))
    )


def _earlier(
    c: sa.Connection, project_id: int, reviewer_id: int, question: Asked
) -> dict[int, dict[str, str]]:
    """Return a reviewer's newest label of another wording with note and time, by output."""
    query = (
        sa.select(t.label)
        .where(
            t.label.c.project_id == project_id,
            t.label.c.reviewer_id == reviewer_id,
            t.label.c.criterion_id == question.criterion,
            t.label.c.kind.in_(_VOTES),
            in_force(),
        )
        .order_by(t.label.c.id)
    )
    last = {r.output_id: r for r in c.execute(query) if not question.holds(r.question_hash)}
    return {
        o: {"verdict": r.verdict, "note": r.note, "at": r.labelled_at}
        for o, r in last.items()
        if r.verdict is not None
    }


def _why_settled(c: sa.Connection, project_id: int, question: Asked) -> dict[int, str]:
    """Return the note of the newest decision on each output."""
    newest = newest_labels(project_id).where(t.label.c.kind == LabelKind.ADJUDICATION).subquery()
    query = (
        sa.select(t.label.c.output_id, t.label.c.note, t.label.c.question_hash)
        .join(newest, newest.c.id == t.label.c.id)
        .where(t.label.c.criterion_id == question.criterion, t.label.c.verdict.is_not(None))
        .order_by(t.label.c.id)
    )
    return {r.output_id: r.note for r in c.execute(query) if question.holds(r.question_hash)}
