"""Shapes of failure over a whole run: each trace's own, and those that only several traces show.

Three shapes need more than one log. A *flip-flop judge* read the same text of the same sample in
another trace and said something else. A *rubber stamp* and an evaluator that is *never satisfied*
need gold labels: the whole interval of the error rate lies above the limit. The traces that prove
them are then the wrong accepts that no revision worked towards (those are *gaming*), and the good
drafts that failed on something new every round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.contract.contract import Contract, Limits
from core.loop.facts import SAID, Facts, Reading, facts_of, read_again
from core.loop.replay import Replay, outcomes_of
from core.loop.shapes import FIRST_RESPONSE, Shape, restless, rubber_stamp
from core.loop.stop import Arm
from core.loop.summary import Summary, by_arm, summary_of
from core.loop.whatif import path_from
from core.statistics.interval import Result, Undefined

NEEDS_LABELS = ("rubber stamp", "never satisfied")
_ORDER = {name: at for at, name in enumerate(FIRST_RESPONSE)}


@dataclass(frozen=True)
class RunShapes:
    """The shapes of every trace, in the order the traces came; `by_trace` has only those with any.

    `unknown` says of a shape why it could not be looked for.
    """

    by_trace: Mapping[str, tuple[Shape, ...]]
    unknown: Mapping[str, str]

    def showing(self, name: str) -> list[tuple[str, Shape]]:
        """Return (trace id, shape) of every trace that shows the shape of this name."""
        return [(key, s) for key, some in self.by_trace.items() for s in some if s.name == name]


def run_shapes(summaries: Sequence[Summary], facts: Sequence[Facts], limits: Limits) -> RunShapes:
    """Return the shapes over a run; summary and facts of each trace stand at the same place."""
    found = [f.found() for f in facts]
    _flips(summaries, facts, found)
    unknown = _by_labels(summaries, facts, limits, found)
    return RunShapes(
        {
            s.trace_id: tuple(sorted(some, key=lambda shape: _ORDER[shape.name]))
            for s, some in zip(summaries, found, strict=True)
            if some
        },
        unknown,
    )


def _flips(
    summaries: Sequence[Summary], facts: Sequence[Facts], found: Sequence[list[Shape]]
) -> None:
    """Add a shape to both traces in which the same text was read differently."""
    for (i, mine), (j, theirs) in read_again(summaries, facts):
        if i == j:
            continue  # its own log shows it
        for key in facts[i].differing(mine.said, theirs.said, facts[j])[:1]:
            _add_flip(found[i], key, facts[i], mine, facts[j], theirs, summaries[j].trace_id)
            _add_flip(found[j], key, facts[j], theirs, facts[i], mine, summaries[i].trace_id)


def _add_flip(
    shapes: list[Shape], key: str, here: Facts, mine: Reading, there: Facts, theirs: Reading,
    other: str,
) -> None:  # fmt: skip
    if any(shape.name == "flip-flop judge" for shape in shapes):
        return
    said, was = (SAID[r.said[list(f.keys).index(key)]] for f, r in ((here, mine), (there, theirs)))
    why = f"{key!r}: {said} here, {was} on the same text in round {theirs.round} of {other}"
    shapes.append(Shape("flip-flop judge", (mine.round,), why))


def _by_labels(
    summaries: Sequence[Summary],
    facts: Sequence[Facts],
    limits: Limits,
    found: Sequence[list[Shape]],
) -> dict[str, str]:
    """Add the shapes that labels show; return why one of them could not be looked for."""
    unknown: dict[str, str] = {}
    if limits.false_accept_rate is None:
        unknown["rubber stamp"] = "the contract sets no limit for false accepts"
    if limits.false_reject_rate is None:
        unknown["never satisfied"] = "the contract sets no limit for false rejects"
    for arm, n in by_arm(summaries).items():
        far, frr = n.check.false_accept_rate, n.check.false_reject_rate
        if limits.false_accept_rate is not None:
            stamp = _above(far, limits.false_accept_rate, "rubber stamp", unknown)
            for s, shapes in zip(summaries, found, strict=True):
                gamed = any(shape.name == "gaming" for shape in shapes)
                if stamp and s.arm is arm and s.passed and s.good is False and not gamed:
                    rounds = () if s.returned_round is None else (s.returned_round,)
                    shapes.append(Shape("rubber stamp", rounds, stamp.why))
        if arm is Arm.LOOP and limits.false_reject_rate is not None:
            over = _above(frr, limits.false_reject_rate, "never satisfied", unknown)
            for f, shapes in zip(facts, found, strict=True):
                if over and f.restless:
                    shapes.append(restless(tuple(f.restless)))
    return unknown


def _above(result: Result, limit: float, name: str, unknown: dict[str, str]) -> Shape | None:
    if isinstance(result, Undefined):
        unknown.setdefault(name, result.reason)
        return None
    unknown.pop(name, None)
    if name == "rubber stamp":
        return rubber_stamp(result.low, limit)
    return Shape(name, (), "") if result.low > limit else None


def shapes_of_replays(replays: Sequence[Replay]) -> list[tuple[str, ...]]:
    """Return the names of each replayed trace's shapes, those that only the whole run shows too.

    By the limits of the first contract that a trace holds; without one, labels show no shape.
    """
    traces = [r.trace for r in replays]
    held = (t.contract.limits for t in traces if isinstance(t.contract, Contract))
    outcomes = [outcomes_of(t) for t in traces]
    facts = [facts_of(r.trace, o, r.shapes) for r, o in zip(replays, outcomes, strict=True)]
    summaries = [
        summary_of(t, o, path_from(t, o), tuple(name for name, _, _ in f.shapes))
        for t, o, f in zip(traces, outcomes, facts, strict=True)
    ]
    found = run_shapes(summaries, facts, next(held, Limits())).by_trace
    return [tuple(s.name for s in found.get(t.trace_id, ())) for t in traces]
