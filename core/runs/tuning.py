"""Tuning a judge on the dev split: judge again what it got wrong, and a control sample of the rest.

No output of a test sample is ever drawn here. The rates are those of the outputs judged again, and
say how the judge changed, not how good it is: what it got wrong is all in there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.contract.contract import Budget
from core.errors import InputError
from core.labelling.split import Side
from core.labelling.tuning import Draw, draw
from core.runs.judging import create_judge_run
from core.runs.setup import JudgeSetup
from core.statistics.comparison import TwoJudges, two_judges
from core.statistics.confusion import MISSING, PASS, Confusion, count
from core.store.contracts import Version
from core.store.results import Results, load_results
from core.store.runs import Run, load_run
from core.store.splits import load_split, sides
from core.store.store import Store
from core.store.tunings import Tuning, add_tuning


@dataclass(frozen=True)
class Plan:
    """Which outputs (store ids) are judged again: what was wrong, and a control sample."""

    disagreements: tuple[int, ...]
    controls: tuple[int, ...]
    agreements: int
    seed: str

    @property
    def outputs(self) -> list[int]:
        """All of them, ascending."""
        return sorted((*self.disagreements, *self.controls))


def plan(
    store: Store,
    project_id: int,
    version: Version,
    judge: int,
    criterion: str,
    *,
    controls: int,
    seed: str,
) -> Plan:
    """Return what to judge again after a change to `judge`, measured on a criterion or "overall".

    Raises InputError when there is no split.
    """
    stored = load_split(store, project_id)
    if stored is None:
        raise InputError("tuning", "there is no dev split.", "Split the samples first.")
    results = load_results(store, project_id, version, judge)
    side = sides(store, project_id, stored.split)
    dev = np.array([side.get(int(i)) is Side.DEV for i in results.outputs], dtype=bool)
    drawn: Draw = draw(
        results.gold[criterion], results.judge[criterion], dev, controls=controls, seed=seed
    )
    ids = [int(i) for i in results.outputs]
    return Plan(
        tuple(ids[at] for at in drawn.disagreements),
        tuple(ids[at] for at in drawn.controls),
        drawn.agreements,
        seed,
    )


def start_tuning(
    store: Store,
    project_id: int,
    planned: Plan,
    setup: JudgeSetup,
    *,
    name: str,
    before_judge: int,
    before_version: Version,
    version: Version,
    criterion: str,
    budget: Budget | None = None,
) -> Run:
    """Store the run that judges the planned outputs again, and what it will be compared with.

    `setup` is the judge after the change, `version` the contract it is asked by. Raises InputError
    when nothing was changed, when nothing is planned, or for an output outside the dev split.
    """
    if (
        setup.judge_hash == _hash(store, project_id, before_judge)
        and version.id == before_version.id
    ):
        raise InputError("tuning", "nothing was changed.", "Edit the text first.")
    stored = load_split(store, project_id)
    side = {} if stored is None else sides(store, project_id, stored.split)
    if any(side.get(i) is not Side.DEV for i in planned.outputs):
        raise InputError(
            "tuning", "an output outside the dev split was to be judged.", "Plan it again."
        )
    with store.write(project_id):
        run = create_judge_run(
            store, project_id, version, setup, outputs=planned.outputs, name=name, budget=budget
        )
        add_tuning(
            store, project_id, run_id=run.id, before_judge=before_judge,
            before_version=before_version.id, criterion=criterion, seed=planned.seed,
            disagreements=planned.disagreements, controls=planned.controls,
            agreements=planned.agreements,
        )  # fmt: skip
    return run


def _hash(store: Store, project_id: int, judge: int) -> str | None:
    from core.store.judge_config import judge_configs

    found = judge_configs(store, project_id).get(judge)
    return None if found is None else found.config_hash


@dataclass(frozen=True)
class Change:
    """One output whose verdict changed: codes before and after, and what people say."""

    output_id: int
    before: int
    after: int
    gold: int

    @property
    def better(self) -> bool:
        """Whether the verdict agrees with people now, and did not before."""
        return (self.after == PASS) == (self.gold == PASS)


@dataclass(frozen=True)
class Outcome:
    """What a change came to, on the outputs judged both before and after.

    `paired.bad.difference` is the change of the false-accept rate (after minus before),
    `paired.good.difference` that of the false-reject rate. `open` outputs have no verdict yet, or
    none that could be read.
    """

    before: Confusion
    after: Confusion
    paired: TwoJudges
    changes: tuple[Change, ...]
    open: int


def outcome(
    store: Store, project_id: int, tuning: Tuning, all_versions: Sequence[Version]
) -> Outcome:
    """Return what a tuning has come to so far."""
    by_id = {v.id: v for v in all_versions}
    run = load_run(store, tuning.run_id)
    then = load_results(store, project_id, by_id[tuning.before_version], tuning.before_judge)
    now = load_results(store, project_id, by_id[run.version_id], run.judge_id)
    ids = np.array(sorted((*tuning.disagreements, *tuning.controls)), dtype=np.int64)
    gold = _codes(then.outputs, then.gold[tuning.criterion], ids)
    before = _codes(then.outputs, then.judge[tuning.criterion], ids)
    after = _codes(now.outputs, now.judge[tuning.criterion], ids)
    both = (gold != MISSING) & (before != MISSING) & (after != MISSING)
    changes = tuple(
        Change(int(ids[at]), int(before[at]), int(after[at]), int(gold[at]))
        for at in np.flatnonzero(both & ((before == PASS) != (after == PASS)))
    )
    kept = _samples(then, ids[both])
    clusters = kept if len(np.unique(kept)) < len(kept) else None
    return Outcome(
        count(gold[both], before[both], clusters),
        count(gold[both], after[both], clusters),
        two_judges(gold[both], before[both], after[both], clusters),
        changes,
        int(np.count_nonzero(~both)),
    )


def _codes(outputs: np.ndarray, codes: np.ndarray, ids: np.ndarray) -> np.ndarray:
    at: Mapping[int, int] = {int(i): place for place, i in enumerate(outputs)}
    return np.array([codes[at[int(i)]] if int(i) in at else MISSING for i in ids], dtype=np.int8)


def _samples(results: Results, ids: np.ndarray) -> np.ndarray:
    at = {int(i): place for place, i in enumerate(results.outputs)}
    return np.array([results.samples[at[int(i)]] for i in ids], dtype=np.int64)
