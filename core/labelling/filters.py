"""Which of a reviewer's outputs a filter lists, told from that reviewer's own labels alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.verdict import LabelValue


class Filter(StrEnum):
    """What is listed; DISAGREED is among the outputs the reviewer labelled, so it tells nothing.

    LOOPS are drafts that loop runs handed to people and that this reviewer has yet to label: those
    a loop waits for, spot checks of accepted ones and flagged ones, not told apart.
    """

    ALL = "all"
    UNLABELLED = "unlabelled"
    DEFERRED = "deferred"
    UNSURE = "unsure"
    STALE = "stale"
    DISAGREED = "disagreed"
    LOOPS = "loops"


@dataclass(frozen=True)
class Mark:
    """A reviewer's own label of one output and criterion.

    `stale` means given for an earlier wording of the question.
    """

    verdict: LabelValue | None
    deferred: bool = False
    stale: bool = False

    @property
    def done(self) -> bool:
        """Whether there is a label for the present wording."""
        return self.verdict is not None and not self.stale


def matching(
    which: Filter,
    outputs: Iterable[int],
    own: Mapping[int, Mark],
    apart: Collection[int] = (),
) -> list[int]:
    """Return those of `outputs` the filter lists for one criterion, in their order.

    `own` holds the reviewer's marks by output. `apart` are the outputs on which others disagree,
    which count only where the reviewer has a label of the present wording, or those of loop runs.
    """
    none = Mark(None)

    def fits(output: int) -> bool:
        mark = own.get(output, none)
        match which:
            case Filter.UNLABELLED:
                return mark.verdict is None
            case Filter.DEFERRED:
                return mark.deferred
            case Filter.UNSURE:
                return mark.done and mark.verdict is LabelValue.UNSURE
            case Filter.STALE:
                return mark.verdict is not None and mark.stale
            case Filter.DISAGREED:
                return mark.done and output in apart
            case Filter.LOOPS:
                return not mark.done and output in apart
            case Filter.ALL:
                return True

    return [output for output in outputs if fits(output)]
