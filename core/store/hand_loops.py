"""Loops gone through by hand, kept as what was typed: a reload or another tab loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.contract.contract import Contract, StopRule
from core.errors import InputError
from core.loop.by_hand import ByHand, Typed, by_hand
from core.loop.stop import Arm
from core.loop.trace import Trace
from core.store.contracts import Version, versions
from core.store.samples import StoredSample, load_samples
from core.store.store import Store, insert_id, now
from core.store.tables_loops import hand_loop as table
from core.store.traces import add_traces
from core.verdict import CriterionVerdict, Verdict


@dataclass(frozen=True)
class HandLoop:
    """A loop by hand as stored; `sample` is None where no sample is its task."""

    id: int
    project_id: int
    version: Version
    sample: StoredSample | None
    arm: Arm
    stop: StopRule
    typed: tuple[Typed, ...]
    stopped: bool
    revision: int
    trace_id: str | None
    begun_at: str

    @property
    def contract(self) -> Contract:
        """The contract with the stop rule this loop goes by."""
        return self.version.contract.model_copy(update={"stop": self.stop})

    def loop(self) -> ByHand:
        """Return where it stands."""
        reference = None if self.sample is None else self.sample.reference
        return by_hand(
            self.contract, self.typed, reference=reference, stopped=self.stopped, arm=self.arm
        )

    def trace(self) -> Trace:
        """Return it as a trace of its sample; its trial is one no run and no file gives."""
        sample = "by hand" if self.sample is None else self.sample.sample_id
        return self.loop().trace(
            self.version.contract, "" if self.sample is None else self.sample.input,
            trace_id=f"by hand {self.id} · {sample}", sample_id=sample, trial=f"by hand {self.id}",
        )  # fmt: skip


def begin_hand(
    store: Store, project_id: int, version: Version, sample: int | None, arm: Arm, stop: StopRule
) -> HandLoop:
    """Store a loop in which nothing is typed yet; `sample` is the store's key or None."""
    with store.write(project_id) as c:
        made = insert_id(
            c, table, project_id=project_id, contract_version_id=version.id, sample_pk=sample,
            arm=arm.value, stop=stop.model_dump(mode="json"), typed=[], stopped=False, revision=1,
            begun_at=now(),
        )  # fmt: skip
    return load_hand(store, project_id, made)


def load_hand(store: Store, project_id: int, id: int) -> HandLoop:
    """Return a loop by hand; raises InputError when the project has none with this number."""
    query = sa.select(table).where(table.c.project_id == project_id, table.c.id == id)
    with store.read() as c:
        row = c.execute(query).one_or_none()
    if row is None:
        raise InputError(f"loop {id}", "it is not in this project.", "Begin another.")
    return _loop(store, row)


def open_hands(store: Store, project_id: int) -> list[HandLoop]:
    """Return the loops that were begun and not kept as a trace, newest first."""
    query = sa.select(table).where(table.c.project_id == project_id, table.c.trace_id.is_(None))
    with store.read() as c:
        rows = c.execute(query.order_by(table.c.id.desc())).all()
    return [_loop(store, row) for row in rows]


def save_hand(
    store: Store, hand: HandLoop, typed: Sequence[Typed], *, stopped: bool = False
) -> HandLoop:
    """Store what is typed now and return the loop.

    Raises InputError when somebody saved it since `hand` was read, or it was kept as a trace.
    """
    data = [
        [
            one.draft,
            {key: [v.verdict, v.evidence, v.change] for key, v in one.verdicts.items()},
        ]
        for one in typed
    ]
    with store.write(hand.project_id) as c:
        done = c.execute(
            table.update()
            .where(
                table.c.id == hand.id,
                table.c.revision == hand.revision,
                table.c.trace_id.is_(None),
            )
            .values(typed=data, stopped=stopped, revision=hand.revision + 1)
        )
        if not done.rowcount:
            raise InputError(
                f"loop {hand.id}",
                "it was changed in another window or kept meanwhile.",
                "It is shown now as it stands; do it again there.",
            )
    return load_hand(store, hand.project_id, hand.id)


def keep_hand(store: Store, hand: HandLoop) -> str:
    """Store an ended loop as a trace and return its id. Raises InputError for one under way."""
    trace = hand.trace()
    if trace.exit is None:
        raise InputError(f"loop {hand.id}", "it has not ended.", "Go on, or stop it.")
    with store.write(hand.project_id) as c:
        add_traces(store, hand.project_id, [trace])
        c.execute(table.update().where(table.c.id == hand.id).values(trace_id=trace.trace_id))
    return trace.trace_id


def drop_hand(store: Store, hand: HandLoop) -> None:
    """Delete a loop that was not kept."""
    with store.write(hand.project_id) as c:
        c.execute(table.delete().where(table.c.id == hand.id, table.c.trace_id.is_(None)))


def _loop(store: Store, row: Any) -> HandLoop:
    version = next(v for v in versions(store, row.project_id) if v.id == row.contract_version_id)
    keys = [] if row.sample_pk is None else [row.sample_pk]
    sample = next(iter(load_samples(store, row.project_id, keys)), None)
    typed = tuple(
        Typed(
            draft,
            {
                key: CriterionVerdict(Verdict(word), evidence, change)
                for key, (word, evidence, change) in said.items()
            },
        )
        for draft, said in row.typed
    )
    return HandLoop(
        row.id, row.project_id, version, sample, Arm(row.arm), StopRule.model_validate(row.stop),
        typed, row.stopped, row.revision, row.trace_id, row.begun_at,
    )  # fmt: skip
