"""From reviewers' labels to one gold label: adjudicated, else strict majority, else undecided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.contract.acceptance import accept_codes
from core.contract.contract import Contract
from core.statistics.confusion import FAIL, MISSING, PASS

Codes = NDArray[np.int8]


@dataclass(frozen=True)
class Gold:
    """Gold codes (PASS, FAIL or MISSING), one an output, and which of the missing are ties."""

    codes: Codes
    undecided: NDArray[np.bool_]


def settle(
    passes: NDArray[np.int64],
    fails: NDArray[np.int64],
    adjudicated: Codes,
    *,
    unanimous: bool = False,
) -> Gold:
    """Return the gold label of each output for one criterion.

    `passes` and `fails` count reviewers (UNSURE is in neither), `adjudicated` holds PASS, FAIL or
    MISSING. The adjudicated label wins; else the strict majority, or with `unanimous` only labels
    nobody contradicts; a tie (or, unanimous, any split) is undecided.
    """
    if unanimous:
        is_pass, is_fail = (passes > 0) & (fails == 0), (fails > 0) & (passes == 0)
    else:
        is_pass, is_fail = passes > fails, fails > passes
    codes = np.full(passes.shape, MISSING, dtype=np.int8)
    codes[is_pass] = PASS
    codes[is_fail] = FAIL
    by_hand = adjudicated != MISSING
    codes[by_hand] = adjudicated[by_hand]
    return Gold(codes, (codes == MISSING) & (passes + fails > 0))


def overall(contract: Contract | None, criteria: Codes, given: Codes) -> Codes:
    """Return the gold label of each whole output.

    `given` are settled `overall` labels; where there is none, the contract's rule over the
    criterion golds (`criteria`, one row a criterion) once they decide it, else MISSING.
    """
    if contract is None:
        return given
    return np.where(given != MISSING, given, accept_codes(contract, criteria)).astype(np.int8)
