"""Whether a judge says the same of the same output when it is asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.contract.acceptance import accept_codes
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN
from core.statistics.retest import Retest, retest
from core.store.contracts import Version
from core.store.judged import repeats_of
from core.store.results import load_results
from core.store.store import Store
from core.verdict import OVERALL, CriterionVerdict, Verdict

_CODE = {Verdict.PASS: PASS, Verdict.FAIL: FAIL, Verdict.UNKNOWN: UNKNOWN}


@dataclass(frozen=True)
class Steadiness:
    """Test–retest per criterion key, "overall" last; `flips` are store ids of outputs."""

    measured: Mapping[str, Retest]
    flips: Mapping[str, tuple[int, ...]]


def steadiness(store: Store, project_id: int, version: Version, judge: int) -> Steadiness:
    """Return how steady a judge is on the outputs it has judged more than once.

    Verdicts count as PASS or not; repeats without a verdict are left out. Overall is the
    contract's rule over a repeat's verdicts and the code checks'; a repeat it does not decide is
    left out too.
    """
    said = repeats_of(store, project_id, judge, version)
    outputs = sorted(said)
    measured: dict[str, Retest] = {}
    flips: dict[str, tuple[int, ...]] = {}
    for key in [k for k in version.contract.keys if any(k in by for by in said.values())]:
        codes = [list(map(_code, said[i].get(key, {}).values())) for i in outputs]
        measured[key], flips[key] = _measure(outputs, codes)
    measured[OVERALL], flips[OVERALL] = _measure(
        outputs, _overall(store, project_id, version, said, outputs)
    )
    return Steadiness(measured, flips)


def _code(verdict: CriterionVerdict) -> int:
    return MISSING if verdict.verdict is None else _CODE[verdict.verdict]


def _measure(outputs: list[int], codes: list[list[int]]) -> tuple[Retest, tuple[int, ...]]:
    scored = [[c for c in one if c != MISSING] for one in codes]
    found = retest(
        np.array([sum(c == PASS for c in one) for one in scored], dtype=np.int64),
        np.array([len(one) for one in scored], dtype=np.int64),
    )
    return found, tuple(outputs[at] for at in found.flips)


def _overall(
    store: Store,
    project_id: int,
    version: Version,
    said: Mapping[int, Mapping[str, Mapping[int, CriterionVerdict]]],
    outputs: list[int],
) -> list[list[int]]:
    """Return, for each output, the acceptance of every repeat."""
    contract = version.contract
    by_code = load_results(store, project_id, version, None)
    at = {int(identity): place for place, identity in enumerate(by_code.outputs)}
    found: list[list[int]] = []
    for identity in outputs:
        repeats = sorted({r for by in said[identity].values() for r in by})
        rows = np.full((len(contract.keys), len(repeats)), MISSING, dtype=np.int8)
        for row, key in enumerate(contract.keys):
            by = said[identity].get(key)
            if by is None:
                place = at.get(identity)
                rows[row] = MISSING if place is None else by_code.judge[key][place]
                continue
            for column, repeat in enumerate(repeats):
                if repeat in by:
                    rows[row, column] = _code(by[repeat])
        found.append([int(c) for c in accept_codes(contract, rows)])
    return found
