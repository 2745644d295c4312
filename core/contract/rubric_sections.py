"""What stands under a heading or an introduction: a weight to share, a meaning to turn round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.contract.lint_words import CASE
from core.contract.rubric_parts import Piece
from core.contract.rubric_words import AGAINST, weight_of, weightless


@dataclass
class Section:
    """The part of a rubric under a heading, an introduction or a point with points of its own.

    `start` is the number of criteria before it; a part of a smaller `rank` ends it. `against` is
    True where its points say what is not wanted, `listed` once a point of a list stood in it.
    """

    rank: int
    text: str
    line: int
    start: int
    weight: float | None
    against: bool
    percent: bool
    listed: bool = False

    def share(self, criteria: Sequence[dict[str, Any]], sources: Sequence[str]) -> str | None:
        """Give the section's weight to those of its criteria that have none, in equal parts.

        Weights of their own count against the whole where both are in % or both are not. Returns
        what was done, if there was anything to tell.
        """
        rows = criteria[self.start :]
        without = [row for row in rows if "weight" not in row]
        if self.weight is None or not without:
            return None
        own = [
            (row["weight"], source)
            for row, source in zip(rows, sources[self.start :], strict=True)
            if "weight" in row
        ]
        left = self.weight - sum(weight for weight, _ in own)
        alike = all(_percent(source) == self.percent for _, source in own)
        each = left / len(without) if alike and left > 0 else self.weight / len(rows)
        for row in without:
            row["weight"] = round(each, 6)
        if len(rows) == 1:
            return None
        return f"Its weight {self.weight:g} is shared in equal parts: {each:g} for each of {len(without)}."


def opened(piece: Piece, rank: int, start: int) -> Section:
    """Return the section a heading or an introduction opens, with `start` criteria before it."""
    weight = weight_of(piece.text)
    bare = weightless(piece.text).strip(" *_").rstrip(":： ")
    return Section(
        rank,
        bare,
        piece.line,
        start,
        None if weight is None else abs(weight[0]),
        AGAINST.search(bare) is not None,
        _percent(piece.text),
    )


def _percent(text: str) -> bool:
    found = weight_of(text)
    return found is not None and re.search("%|％|percent", found[1], CASE) is not None
