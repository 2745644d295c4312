"""A reviewer's queue for one criterion or several: what is shown in which order, and what may be shown when.

Only the reviewer's own labels are read here, but for the settled items of a practice round; and of
those nothing leaves before the reviewer's own answer is stored (`reveals`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from core.labelling.draw import with_repeats
from core.labelling.label import LabelKind, Mode
from core.labelling.queue import queue_order, shuffled
from core.store import tables as t
from core.store import tables_labelling as tl
from core.store.assignments import LOW, QueueSettings, claim, queue_settings
from core.store.contracts import Version
from core.store.labels import LabelState, reviewer_labels
from core.store.live import Asked, asked, asked_of
from core.store.newest import newest_votes
from core.store.outputs import current_ids
from core.store.practice import Practice, answers, practice_of, states
from core.store.store import Project, Store
from core.verdict import LabelValue


@dataclass(frozen=True)
class Entry:
    """One place in the queue. An output may stand in it twice: to be labelled, and as a repeat.

    `stratum` and `probability` say how it was drawn; both None when every output is queued for
    everybody. They follow from judges' verdicts: they never go to a reviewer's browser.
    """

    output_id: int
    mode: Mode
    stratum: str | None = None
    probability: float | None = None

    @property
    def slot(self) -> int | str:
        """Name of the place in the browser: the output's id, with the mode where it is no vote."""
        aside = self.mode in (Mode.REPEAT, Mode.PRACTICE)
        return f"{self.output_id}:{self.mode}" if aside else self.output_id


@dataclass(frozen=True)
class Queue:
    """A reviewer's queue; work goes on at `entries[start]`.

    While `practising` the entries are those of the practice round alone: labels begin to count
    after it. `practice` None: none was asked of this reviewer.
    """

    entries: tuple[Entry, ...]
    start: int
    practice: Practice | None = None

    @property
    def practising(self) -> bool:
        """Whether the practice round is still to be done."""
        return self.practice is not None and not self.practice.done


def build_queue(
    store: Store,
    project: Project,
    version: Version | None,
    reviewer_id: int,
    criteria: str | Sequence[str],
    *,
    only: Mode | None = None,
    given: Sequence[LabelState] | None = None,
) -> Queue:
    """Return the queue of a reviewer for a criterion (or "overall"), or several asked at once.

    An output is done when all of them are. Gives the reviewer more outputs when few are left open.
    With `only` nothing but the entries of that mode: STALE is what the reviewer labelled under
    another wording and has yet to look at again. Deferred outputs come last. `given` spares reading
    this reviewer's labels on those criteria again. Raises InputError for a criterion that is not
    asked.
    """
    keys = [criteria] if isinstance(criteria, str) else list(criteria)
    settings = queue_settings(store, project.id)
    reviewer = t.reviewer.c
    with store.read() as c:
        questions = {key: asked_of(c, project.id, version, key) for key in keys}
        who = str(c.scalar(sa.select(reviewer.key).where(reviewer.id == reviewer_id)) or "")
        met = answers(c, project.id, reviewer_id, questions, LabelKind.PRACTICE, first=True)
    if given is None:
        given = reviewer_labels(store, project.id, reviewer_id, keys[0] if len(keys) == 1 else None)
    own: dict[str, list[LabelState]] = {key: [] for key in keys}
    for state in given:
        if state.criterion in own:
            own[state.criterion].append(state)
    practice = None
    if settings.practice and only is None:
        practice = practice_of(store, project.id, version, own, met, seed=settings.seed)
        if practice is not None and not practice.done:
            return _practice_queue(practice)
    found = [states(own[key], questions[key]) for key in keys]
    done = set.intersection(*(one[0] for one in found))
    stale, later = (set.union(*(one[at] for one in found)) for at in (1, 2))
    shown = {o for one in met.values() for o in one}
    queued = _queued(store, project, version, reviewer_id, who, settings, done, shown)
    order, start = queue_order(queued, done, later)
    looks = [(output, False) for output in order[start:]]
    if settings.repeats and only in (None, Mode.REPEAT):
        seed = f"{settings.seed}\n{who}"
        looks = _repeats(store, project.id, reviewer_id, questions, own, order[start:], seed)
    entries = [_entry(o, Mode.LABEL, queued) for o in order[:start]]
    for output, again in looks:
        mode = Mode.REPEAT if again else Mode.STALE if output in stale else Mode.LABEL
        entries.append(_entry(output, mode, queued))
    if only is not None:
        return Queue(tuple(e for e in entries[start:] if e.mode is only), 0, practice)
    return Queue(tuple(entries), start, practice)


def slot_states(
    store: Store,
    project_id: int,
    version: Version | None,
    reviewer_id: int,
    criteria: Sequence[str],
) -> dict[str, dict[str, str]]:
    """Return the verdict of each repeat and practice answer of a reviewer, by criterion and slot."""
    found: dict[str, dict[str, str]] = {key: {} for key in criteria}
    with store.read() as c:
        known = asked(c, project_id, version)
        wanted = {key: known[key] for key in criteria}
        for kind in (LabelKind.REPEAT, LabelKind.PRACTICE):
            for key, one in answers(c, project_id, reviewer_id, wanted, kind).items():
                found[key] |= {f"{output}:{kind}": verdict for output, verdict in one.items()}
    return found


# --- the parts of a queue ------------------------------------------------------------------------

_How = Mapping[int, tuple[str | None, float | None]]


def _entry(output: int, mode: Mode, how: _How) -> Entry:
    return Entry(output, mode, *how.get(output, (None, None)))


def _queued(
    store: Store, project: Project, version: Version | None, reviewer_id: int, key: str,
    settings: QueueSettings, done: Collection[int], shown: Collection[int],
) -> _How:  # fmt: skip
    """Return what is queued for a reviewer in the own order, each with how it was drawn.

    Left out is what the reviewer practised on: the settled answer was shown.
    """
    if not settings.given_out:
        ids = shuffled(current_ids(store, project.id), key, settings.seed)
        return {o: (None, None) for o in ids if o not in shown}
    found = _assigned(store, project.id, reviewer_id)
    if sum(o not in done and o not in shown for o in found) < LOW:
        claim(store, project.id, version, reviewer_id)
        found = _assigned(store, project.id, reviewer_id)
    # Batch by batch, mixed within: what was drawn together tells nothing by its place.
    place = {o: at for at, o in enumerate(shuffled(found, key, settings.seed))}
    ordered = sorted(found, key=lambda o: (found[o][2], place[o]))
    return {o: found[o][:2] for o in ordered if o not in shown}


def _assigned(
    store: Store, project_id: int, reviewer_id: int
) -> dict[int, tuple[str | None, float | None, str]]:
    """Return the outputs given to a reviewer and those labelled unasked, with how and when."""
    table = tl.assignment
    query = (
        sa.select(table.c.output_id, table.c.slot, table.c.stratum, table.c.probability, table.c.at)
        .join(t.output, t.output.c.id == table.c.output_id)
        .where(
            table.c.project_id == project_id, table.c.reviewer_id == reviewer_id, t.output.c.current
        )
    )
    votes = newest_votes(project_id).where(t.label.c.reviewer_id == reviewer_id).subquery()
    unasked = (
        sa.select(t.label.c.output_id)
        .join(votes, votes.c.id == t.label.c.id)
        .where(t.label.c.verdict.is_not(None))
        .distinct()
    )
    with store.read() as c:
        rows = {r.output_id: r for r in c.execute(query)}
        labelled = set(c.scalars(unasked))
    found = {
        o: (r.stratum, r.probability, r.at)
        for o, r in rows.items()
        if r.slot is not None or o in labelled
    }
    here = set(current_ids(store, project_id))
    return {**dict.fromkeys(labelled & here, (None, None, "")), **found}


def _repeats(
    store: Store, project_id: int, reviewer_id: int, asked: Mapping[str, Asked],
    own: Mapping[str, Sequence[LabelState]], open_: list[int], seed: str,
) -> list[tuple[int, bool]]:  # fmt: skip
    """Mix second looks at what was labelled on all that is asked into the open outputs."""
    with store.read() as c:
        again = answers(c, project_id, reviewer_id, asked, LabelKind.REPEAT)
    here = set(current_ids(store, project_id))
    firm = (LabelValue.PASS, LabelValue.FAIL)
    said = [
        {s.output_id: s.row for s in own[key] if s.verdict in firm and one.holds(s.question_hash)}
        for key, one in asked.items()
    ]
    # Oldest first: by the first of the labels that are asked for here.
    whole = here.intersection(*said)
    labelled = sorted(whole, key=lambda output: min(one[output] for one in said))
    seen = {o for o in labelled if all(o in one for one in again.values())}
    return with_repeats(open_, labelled, seen, seed=seed)


def _practice_queue(practice: Practice) -> Queue:
    order = [*practice.met, *(o for o in practice.items if o not in practice.met)]
    entries = tuple(Entry(o, Mode.PRACTICE) for o in order)
    return Queue(entries, len(practice.met), practice)
