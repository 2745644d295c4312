"""A judge's rates and the good share behind its verdicts, by how the labelled outputs were chosen.

Labels chosen by verdict make the plain rates wrong: with as many rejected outputs labelled as
accepted ones, bad outputs that slip through look rarer or more common than they are. Everything
that shows a judge's rates asks here, so that a page, a record and a report say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.errors import InputError
from core.labelling.draw import Stratum as Drawn
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN, Confusion
from core.statistics.correction import PassRate, Stratum, pass_rate, reweighted, rogan_gladen
from core.statistics.interval import Result, Undefined
from core.store import tables_labelling as tl
from core.store.columns import Column
from core.store.results import Results
from core.store.splits import load_split, sides
from core.store.store import Store
from core.wording_agreement import PICKED, UNSAID

VERDICTS = {"PASS": PASS, "FAIL": FAIL, "UNKNOWN": UNKNOWN}
MOST_SLICES = 40
"""Slices shown of a column, the largest first."""


@dataclass(frozen=True)
class JudgeRates:
    """The rates to show: plain ones from the cells, or those reweighted by verdict."""

    false_accept_rate: Result
    false_reject_rate: Result
    precision: Result
    reweighted: bool = False


def judge_rates(results: Results, key: str, chosen: str) -> JudgeRates:
    """Return a judge's rates on a criterion; `chosen` is a key of `wording_agreement.CHOSEN`."""
    if chosen == "verdict":
        found = reweighted(strata_of(results, key), by_sample(results, key))
        return JudgeRates(found.false_accept_rate, found.false_reject_rate, found.precision, True)
    return plain_rates(results.confusion(key))


def plain_rates(c: Confusion) -> JudgeRates:
    """Return the rates of counted cells as they are."""
    return JudgeRates(c.false_accept_rate, c.false_reject_rate, c.precision)


def strata_of(results: Results, key: str) -> list[Stratum]:
    """Return the outputs a judge gave a verdict on, by verdict, with the labels among them."""
    gold, judge = results.gold[key], results.judge[key]
    return [
        Stratum(
            name,
            code == PASS,
            int(np.count_nonzero(judge == code)),
            int(np.count_nonzero((judge == code) & (gold == PASS))),
            int(np.count_nonzero((judge == code) & (gold == FAIL))),
        )
        for name, code in VERDICTS.items()
    ]


def by_sample(results: Results, key: str) -> NDArray[np.int64] | None:
    """Return the outputs of `strata_of` per sample, (samples, 9), None where none is shared.

    Columns: for each verdict in order the outputs labelled good, labelled bad, without a label.
    """
    if results.clusters is None:
        return None
    gold, judge = results.gold[key], results.judge[key]
    cell = np.select([gold == PASS, gold == FAIL], [0, 1], 2)
    for at, code in enumerate(VERDICTS.values()):
        cell[judge == code] += 3 * at
    return _per_sample(results.clusters, cell, judge != MISSING, 9)


def _per_sample(
    clusters: NDArray[np.int64], cell: NDArray[np.int64], kept: NDArray[np.bool_], cells: int
) -> NDArray[np.int64]:
    at = cells * clusters[kept] + cell[kept]
    return np.bincount(at, minlength=cells * (int(clusters.max()) + 1)).reshape(-1, cells)


def corrected(results: Results, key: str, chosen: str) -> tuple[PassRate, int]:
    """Return the true pass rate by the method the answer allows, and of how many outputs.

    At random or by verdict: of all judged outputs. Chosen elsewhere: of the judged outputs
    without a label, assuming that the judge errs there as it does on the labelled ones. Picked by
    hand, or not said: refused.
    """
    strata = strata_of(results, key)
    judged = sum(s.judged for s in strata)
    if chosen in ("random", "verdict"):
        groups = by_sample(results, key)
        return pass_rate(strata, random=chosen == "random", by_cluster=groups), judged
    labels = sum(s.labelled for s in strata)
    alone = Undefined(PICKED if chosen == "picked" else UNSAID, None, labels)
    if chosen != "elsewhere":
        return PassRate(alone, alone), judged
    gold, judge = results.gold[key], results.judge[key]
    rest = (gold == MISSING) & (judge != MISSING)
    c = results.confusion(key)
    elsewhere = Undefined(
        "not measured: these outputs are others than the labelled ones", None, labels
    )
    groups = None
    if results.clusters is not None:
        cell = np.select([gold == PASS, gold == FAIL], [0, 2], 4) + (judge != PASS)
        groups = _per_sample(results.clusters, cell, judge != MISSING, 6)
    found = rogan_gladen(
        int(np.count_nonzero(rest & (judge == PASS))), int(np.count_nonzero(rest)),
        good_passed=c.true_accept, good=c.good, bad_rejected=c.true_reject, bad=c.bad,
        by_cluster=groups,
    )  # fmt: skip
    return PassRate(found, elsewhere), int(np.count_nonzero(rest))


def chosen_by_queue(store: Store, project_id: int, labelled: Sequence[int]) -> str:
    """Return how the queue gave out the labelled outputs (store ids): a key of CHOSEN.

    "verdict" when some were drawn by what a judge said, "random" when all were drawn at random,
    else "unsaid": labels that no queue gave out may have been chosen in any way.
    """
    table = tl.assignment
    query = sa.select(table.c.output_id, table.c.stratum).where(table.c.project_id == project_id)
    with store.read() as c:
        drawn = {r.output_id: r.stratum for r in c.execute(query)}
    if not drawn:
        return "unsaid"
    strata = {drawn.get(output) for output in labelled}
    if strata & {Drawn.PASSED, Drawn.FAILED, Drawn.UNKNOWN, Drawn.SPLIT}:
        return "verdict"
    return "random" if strata == {Drawn.RANDOM.value} else "unsaid"


def part_of(store: Store, project_id: int, results: Results, part: str) -> Results:
    """Return the dev or test part of results by the project's split; all of them for part "".

    Raises InputError when the project has no split.
    """
    if not part:
        return results
    stored = load_split(store, project_id)
    if stored is None:
        raise InputError("part", f"{part!r}, and the project has no split.", "Make a split first.")
    side = sides(store, project_id, stored.split)
    these = np.array([side.get(int(i)) == part for i in results.outputs], dtype=np.bool_)
    return results.only(these)


@dataclass(frozen=True)
class Slice:
    """The outputs with one value of a column, counted."""

    value: str
    outputs: int
    confusion: Confusion


def slices(results: Results, column: Column, key: str) -> list[Slice]:
    """Return the largest slices of a column that have a labelled output, the largest first."""
    found = []
    for at, value in enumerate(column.values):
        these = column.codes == at
        if np.any(these & (results.gold[key] != MISSING)):
            one = results.only(these)
            found.append(Slice(value, len(one.outputs), one.confusion(key)))
        if len(found) == MOST_SLICES:
            break
    return found
