"""Acceptance of many outputs at once; property-tested equal to `contract.accepted`."""

from __future__ import annotations

from math import lcm

import numpy as np
from numpy.typing import NDArray

from core.contract.contract import Contract, Threshold, exact, needed
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN

Codes = NDArray[np.int8]


def accept_codes(contract: Contract, codes: Codes) -> Codes:
    """Return PASS, FAIL, UNKNOWN or MISSING for each output by the contract's rule.

    `codes` has one row a criterion in contract order and one column an output. PASS is accepted.
    FAIL is not, whatever the criteria without a verdict would say. UNKNOWN is not accepted
    either, but would have been if every UNKNOWN were a PASS. MISSING is open: no verdict on a
    criterion that still decides.
    """
    weights, need = _whole_numbers(contract)
    have = weights @ (codes == PASS)
    open_ = weights @ (codes == MISSING)
    unknown = weights @ (codes == UNKNOWN)
    result = np.full(codes.shape[1], MISSING, dtype=np.int8)
    result[have + open_ + unknown < need] = FAIL
    result[(have + open_ < need) & (have + open_ + unknown >= need)] = UNKNOWN
    result[(have >= need) & (open_ == 0)] = PASS
    return result


def _whole_numbers(contract: Contract) -> tuple[NDArray[np.int64], int]:
    """Return weights and the needed sum scaled to whole numbers, so that sums are exact."""
    if not isinstance(contract.acceptance, Threshold):
        return np.ones(len(contract.criteria), dtype=np.int64), len(contract.criteria)
    weights = [exact(c.weight) for c in contract.criteria]
    minimum = needed(contract)
    scale = lcm(minimum.denominator, *(w.denominator for w in weights))
    return np.array([int(w * scale) for w in weights], dtype=np.int64), int(minimum * scale)
