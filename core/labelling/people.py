"""A reviewer as the evaluator: measured against what the other reviewers say.

A judge is as good as people are when it errs no more often than one of them does, so people are
measured with the same cells, against gold that they had no part in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.contract.contract import Contract
from core.labelling.gold import Codes, overall, settle
from core.labelling.settling import votes
from core.statistics.confusion import MISSING, PASS
from core.verdict import OVERALL


@dataclass(frozen=True)
class AgainstOthers:
    """Gold of the others and the reviewer's own codes by criterion, and where the others tie."""

    gold: Mapping[str, Codes]
    own: Mapping[str, Codes]
    undecided: Mapping[str, NDArray[np.bool_]]


def against_others(contract: Contract | None, codes: Mapping[str, Codes], at: int) -> AgainstOthers:
    """Return one reviewer against the strict majority of all others, without adjudications.

    `codes[key]` is (outputs, reviewers) for every criterion and for "overall"; `at` is the
    reviewer's column. Overall is an overall label where one was given, else the contract's rule
    over the criteria, on both sides alike.
    """
    gold: dict[str, Codes] = {}
    own: dict[str, Codes] = {}
    undecided: dict[str, NDArray[np.bool_]] = {}
    for key, table in codes.items():
        passes, fails = votes(table)
        mine = table[:, at]
        mine_fails = (mine != MISSING) & (mine != PASS)
        others = settle(
            passes - (mine == PASS), fails - mine_fails, np.full(len(mine), MISSING, dtype=np.int8)
        )
        gold[key], own[key], undecided[key] = others.codes, mine, others.undecided
    if contract is not None:
        for side in (gold, own):
            rows = np.stack([side[key] for key in contract.keys])
            side[OVERALL] = overall(contract, rows, side[OVERALL])
    return AgainstOthers(gold, own, undecided)
