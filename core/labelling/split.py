"""Dev and test: which samples a judge may be tuned on, and which only say how good it is.

By sample, so that two outputs for the same input never stand on both sides. Which side a sample is
on follows from the seed and its id alone: samples that come later get a side too, and nobody who
was there before changes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.errors import InputError, show
from core.text import exact_hash

TEST_SHARE = 0.5
"""The share of samples kept for the test, unless somebody says otherwise."""
_BITS = 64


class Side(StrEnum):
    """Where a sample belongs: to the outputs a judge is tuned on, or to those kept for the test."""

    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True)
class Split:
    """A split of a project's samples; `test_share` in (0, 1) is what the test side gets about.

    Raises InputError for another share or a blank seed.
    """

    seed: str
    test_share: float = TEST_SHARE

    def __post_init__(self) -> None:
        if not self.seed.strip():
            raise InputError("split", "the seed is blank.", "Give any text or number.")
        if not 0 < self.test_share < 1:
            raise InputError(
                "split", f"{show(self.test_share)} is no share between 0 and 1.",
                "Keep some samples on either side: 0.5 is half.",
            )  # fmt: skip

    def side(self, sample_id: str) -> Side:
        """Return the side of a sample: SHA-256(seed, id) as a share in [0, 1), below or above."""
        drawn = int(exact_hash("split", self.seed, sample_id)[: _BITS // 4], 16) / 2**_BITS
        return Side.TEST if drawn < self.test_share else Side.DEV
