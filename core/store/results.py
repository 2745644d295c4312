"""What the labels and one judge say about a project's outputs, as arrays ready for counting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.contract.acceptance import accept_codes
from core.labelling.gold import overall, settle
from core.statistics.confusion import FAIL, MISSING, PASS, Confusion, count
from core.store import tables as t
from core.store.code_rows import (
    UNSURE,
    LabelRows,
    VerdictRows,
    load_label_rows,
    load_verdict_rows,
    number_wordings,
)
from core.store.contracts import Version
from core.store.judgements import JudgeKind
from core.store.live import asked, counted_outputs, positions
from core.store.store import Store
from core.text import fingerprint
from core.verdict import OVERALL

Codes = NDArray[np.int8]


@dataclass(frozen=True)
class Results:
    """Codes for every current output: `gold[key][i]` and `judge[key][i]` speak of `outputs[i]`.

    Keys are the contract's criteria in order, then "overall" (acceptance of the whole output).
    `samples[i]` tells which outputs share a sample. Codes are PASS, FAIL, UNKNOWN (judge only)
    and MISSING. The mappings that end in `_at` say for each output whether reviewers are split
    evenly, how many labels were given for another wording, and whether all the judge said was for
    another wording; neither of those counts. `examples` counts outputs left out because they equal
    an example of the contract, `few_shot` those without a verdict because the judge is shown them
    as few-shot examples.
    """

    outputs: NDArray[np.int64]
    samples: NDArray[np.int64]
    gold: Mapping[str, Codes]
    judge: Mapping[str, Codes]
    undecided_at: Mapping[str, NDArray[np.bool_]]
    stale_labels_at: Mapping[str, NDArray[np.int64]]
    stale_verdicts_at: Mapping[str, NDArray[np.bool_]]
    examples: int
    few_shot: int = 0

    @property
    def undecided(self) -> dict[str, int]:
        """Outputs on which reviewers are split evenly, by criterion."""
        return {key: int(np.count_nonzero(at)) for key, at in self.undecided_at.items()}

    @property
    def stale_labels(self) -> dict[str, int]:
        """Labels given for another wording, by criterion."""
        return {key: int(at.sum()) for key, at in self.stale_labels_at.items()}

    @property
    def stale_verdicts(self) -> dict[str, int]:
        """Outputs of which the judge spoke under another wording only, by criterion."""
        return {key: int(np.count_nonzero(at)) for key, at in self.stale_verdicts_at.items()}

    @cached_property
    def clusters(self) -> NDArray[np.int64] | None:
        """The sample of each output, numbered from 0, where samples have several, else None."""
        found, at = np.unique(self.samples, return_inverse=True)
        return at if len(found) < len(self.samples) else None

    def only(self, these: NDArray[np.bool_]) -> Results:
        """Return the same of the outputs in `these`, (outputs,)."""

        def cut(by_key: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
            return {key: codes[these] for key, codes in by_key.items()}

        return Results(
            self.outputs[these],
            self.samples[these],
            cut(self.gold),
            cut(self.judge),
            cut(self.undecided_at),
            cut(self.stale_labels_at),
            cut(self.stale_verdicts_at),
            self.examples,
            self.few_shot,
        )

    def labelled(self, key: str) -> list[int]:
        """Return the store ids of the outputs with a gold label on a criterion."""
        return [int(i) for i in self.outputs[self.gold[key] != MISSING]]

    def confusion(self, key: str) -> Confusion:
        """Count the judge against gold on a criterion; intervals allow for shared samples."""
        return count(self.gold[key], self.judge[key], self.clusters)

    def cell(self, key: str, gold_pass: bool, judge_pass: bool) -> list[int]:
        """Return the store ids of the outputs in one cell of a criterion's table."""
        gold, judge = self.gold[key], self.judge[key]
        scored = (gold != MISSING) & (judge != MISSING)
        inside = scored & ((gold == PASS) == gold_pass) & ((judge == PASS) == judge_pass)
        return [int(i) for i in self.outputs[np.flatnonzero(inside)]]


def load_results(
    store: Store,
    project_id: int,
    version: Version | None,
    judge: int | None,
    *,
    unanimous: bool = False,
) -> Results:
    """Return gold and judge codes of a project under one contract version.

    Criteria checked by code take the code checks' verdicts, all others the judge's; a criterion
    whose check is `recorded` elsewhere takes the judge's too. With `judge` None only gold and
    code verdicts are filled in. Overall is an `overall` label or verdict if one was given, else
    the contract's rule over the criteria. Outputs that equal a few-shot example the judge is shown
    have no verdict of it here: it was told the answer.
    """
    with store.read() as c:
        ids, samples, examples = counted_outputs(c, project_id, version)
        keys = asked(c, project_id, version)
        contract = None if version is None else version.contract
        wordings = number_wordings(h for q in keys.values() for h in q.hashes or ())
        votes = _votes(load_label_rows(c, project_id, wordings), ids)
        gold: dict[str, Codes] = {}
        undecided: dict[str, NDArray[np.bool_]] = {}
        stale_labels: dict[str, NDArray[np.int64]] = {}
        for key, question in keys.items():
            live = question.live(votes.criterion, votes.wording, wordings)
            stale = votes.stale(question.criterion, live)
            stale_labels[key] = np.bincount(votes.at[stale], minlength=len(ids))
            settled = settle(*votes.tally(live, len(ids)), unanimous=unanimous)
            gold[key], undecided[key] = settled.codes, settled.undecided
        criteria = () if contract is None else contract.criteria
        hashes = number_wordings(["", *(one.verdict_hash for one in criteria)])
        code = _code_judge(c, project_id)
        by_code, by_judge = (
            _said(load_verdict_rows(c, project_id, one, hashes), ids) for one in (code, judge)
        )
        told = _told(c, judge, ids)
        said: dict[str, Codes] = {}
        stale_verdicts: dict[str, NDArray[np.bool_]] = {}
        for key, question in keys.items():
            found = None if contract is None or key == OVERALL else contract.criterion(key)
            runs_here = (
                found is not None and found.check is not None and found.check["kind"] != "recorded"
            )
            wanted = "" if found is None else found.verdict_hash
            source = by_code if runs_here else by_judge
            said[key], stale_verdicts[key] = source.codes(
                question.criterion, hashes[wanted], len(ids)
            )
            if source is by_judge:
                said[key][told] = MISSING
    if contract is not None:
        rows = np.stack([gold[key] for key in contract.keys])
        gold[OVERALL] = overall(contract, rows, gold[OVERALL])
        verdicts = np.stack([said[key] for key in contract.keys])
        said[OVERALL] = np.where(
            said[OVERALL] != MISSING, said[OVERALL], accept_codes(contract, verdicts)
        ).astype(np.int8)
        said[OVERALL][told] = MISSING
    return Results(
        ids, samples, gold, said, undecided, stale_labels, stale_verdicts, examples, int(told.sum())
    )


@dataclass(frozen=True)
class _Votes:
    """Labels and decisions of the outputs that count, as columns; `at` is the output's position."""

    at: NDArray[np.int64]
    criterion: NDArray[np.int64]
    wording: NDArray[np.int64]
    code: Codes
    by_hand: NDArray[np.bool_]

    def stale(self, criterion: int, live: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which labels of a criterion were given for another wording."""
        return np.equal(self.criterion, criterion) & ~live & np.not_equal(self.code, MISSING)

    def tally(
        self, live: NDArray[np.bool_], size: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Codes]:
        """Return the votes for PASS and for FAIL per output, and the adjudicated codes.

        Of several adjudications of an output the last row counts.
        """
        votes = live & ~self.by_hand
        passes, fails = (
            np.bincount(self.at[which], minlength=size)
            for which in (votes & (self.code == PASS), votes & (self.code == FAIL))
        )
        by_hand = np.full(size, MISSING, dtype=np.int8)
        by_hand[self.at[live & self.by_hand]] = self.code[live & self.by_hand]
        return passes, fails, by_hand


def _votes(rows: LabelRows, ids: NDArray[np.int64]) -> _Votes:
    """Return the rows that say good or bad, and those that take a decision back (MISSING)."""
    at, known = positions(rows.output, ids)
    kept = known & ((rows.code != UNSURE) | rows.by_hand)
    code = np.where(rows.code == UNSURE, MISSING, rows.code).astype(np.int8)
    return _Votes(
        at[kept], rows.criterion[kept], rows.wording[kept], code[kept], rows.by_hand[kept]
    )


@dataclass(frozen=True)
class _Said:
    """A judge's verdicts on the outputs that count, as columns, the last one to count."""

    at: NDArray[np.int64]
    criterion: NDArray[np.int64]
    wording: NDArray[np.int64]
    code: Codes

    def codes(self, criterion: int, wanted: int, size: int) -> tuple[Codes, NDArray[np.bool_]]:
        """Return one code per output for a criterion, and which outputs have only stale ones."""
        mine = self.criterion == criterion
        live = mine & (self.wording == wanted)
        codes = np.full(size, MISSING, dtype=np.int8)
        codes[self.at[live]] = self.code[live]
        stale = np.zeros(size, dtype=np.bool_)
        stale[self.at[mine]] = True
        stale[self.at[live]] = False
        return codes, stale


def _said(rows: VerdictRows, ids: NDArray[np.int64]) -> _Said:
    at, known = positions(rows.output, ids)
    return _Said(at[known], rows.criterion[known], rows.wording[known], rows.code[known])


def _code_judge(c: sa.Connection, project_id: int) -> int | None:
    found = c.scalar(
        sa.select(t.judge.c.id).where(
            t.judge.c.project_id == project_id, t.judge.c.kind == JudgeKind.CODE
        )
    )
    return None if found is None else int(found)


def _told(c: sa.Connection, judge: int | None, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which outputs equal a few-shot example that a judge is shown."""
    config = (
        {} if judge is None else c.scalar(sa.select(t.judge.c.config).where(t.judge.c.id == judge))
    )
    shown = {
        fingerprint(s["output"]) for s in (config or {}).get("options", {}).get("examples", ())
    }
    if not shown:
        return np.zeros(len(ids), dtype=np.bool_)
    query = sa.select(t.output.c.id).where(t.output.c.fingerprint.in_(shown))
    return np.isin(ids, list(c.scalars(query)))
