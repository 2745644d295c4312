"""How fast a reviewer decides, for "about 9 min left"."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

AT_LEAST = 5
"""Decisions below which nothing is said: the first few are reading the question."""
RECENT = 50
"""Decisions that count: people get faster, and tired."""


def pace(seconds: Sequence[float]) -> float | None:
    """Return the median seconds of one decision, from the newest RECENT (first), or None.

    None below AT_LEAST decisions. The median: one long pause must not count for all that is left.
    """
    recent = seconds[:RECENT]
    return float(median(recent)) if len(recent) >= AT_LEAST else None
