"""What is known of a trace without its drafts, and what many traces add up to.

A summary says what *happened*: the recorded exit, or, where none was recorded, the one its own
stop rule gives. Acceptance comes from the rounds, never from a claim: an earlier round that
passed counts as accepted whatever the later exit was, and a recorded PASS is believed only of a
round with a score and no verdicts. A trace of which nothing can be said is undecided and in no
rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.loop.replay import outcomes_of
from core.loop.shapes import find_shapes
from core.loop.stop import Arm, Exit
from core.loop.trace import Outcome, Trace, recorded_outcome
from core.loop.whatif import Path, path_from
from core.statistics.comparison import Paired
from core.statistics.confusion import FAIL, MISSING, PASS, Confusion, count
from core.statistics.interval import Result, rate

_CODES = {True: PASS, False: FAIL, None: MISSING}


@dataclass(frozen=True, slots=True)
class Summary:
    """One trace without its drafts.

    `exit` is None where neither the record nor a stop rule says how it ended. `accepted` is None
    where it cannot be told. `passed` is the check's word on the returned draft (None: unread, or
    not known) and `good` its gold label. `first_passed` and `first_draft` (a fingerprint) are
    about round one. `rounds` counts drafts, `calls` generate and judge calls as recorded.
    """

    trace_id: str
    arm: Arm
    sample_id: str
    trial: str
    exit: Exit | None
    accepted: bool | None
    rounds: int
    calls: int
    cap: int | None
    returned_round: int | None
    passed: bool | None
    good: bool | None
    first_passed: bool | None
    first_draft: str | None
    gaps: int
    shapes: tuple[str, ...]


def summarise(trace: Trace) -> Summary:
    """Return the summary of one trace; reads its drafts for the shapes.

    Rounds and calls are those of the loop itself, not of rounds recorded beyond its rule.
    """
    outcomes = outcomes_of(trace)
    shapes = tuple(shape.name for shape in find_shapes(trace.used))
    return summary_of(trace, outcomes, path_from(trace, outcomes), shapes)


def summary_of(
    trace: Trace, outcomes: Sequence[Outcome | None], path: Path, shapes: tuple[str, ...]
) -> Summary:
    """Return the summary of a trace whose walk, shapes and judgements' meanings are at hand.

    The trace's own rule is looked up along the walk, which is the same as replaying it.
    """
    used = trace.used
    ends: tuple[Exit | None, int | None] = (None, None)
    if path.cap is not None and path.window is not None:
        ends = path.under(path.cap, path.window)
    exit, handed = ends
    said = [None if o is None else o.accepted for o in outcomes]
    returned = handed if trace.returned_round is None else trace.returned_round
    at = next((i for i, r in enumerate(trace.rounds) if r.number == returned), None)
    gold = None if at is None else trace.rounds[at].gold
    first = trace.round(trace.first_number)
    return Summary(
        trace_id=trace.trace_id,
        arm=trace.arm,
        sample_id=trace.sample_id,
        trial=trace.trial,
        exit=exit if trace.exit is None else trace.exit,
        accepted=was_accepted(trace, exit),
        rounds=sum(r.made for r in used.rounds),
        calls=sum(r.calls for r in used.rounds),
        cap=None if trace.rule is None else trace.rule.cap,
        returned_round=returned,
        passed=None if at is None else said[at],
        good={"PASS": True, "FAIL": False}.get(gold or ""),
        first_passed=None if first is None else said[0],
        first_draft=None if first is None else first.fingerprint,
        gaps=len(trace.gaps),
        shapes=shapes,
    )


def was_accepted(trace: Trace, replayed: Exit | None) -> bool | None:
    """Return whether a draft was accepted, given the exit by the trace's own rule, or None.

    What the replay cannot tell is None, whatever exit was recorded: counting a trace as accepted
    where a round is missing, and as unknown where the rounds that are there failed, would make
    the rate too high. Only a trace without a stop rule is decided by its rounds and its exit.
    """
    if trace.rule is None:
        return _by_its_rounds(trace)
    return None if replayed is None else replayed is Exit.PASS


def _by_its_rounds(trace: Trace) -> bool | None:
    said = [_said(trace, i) for i in range(len(trace.rounds))]
    if trace.gaps or (trace.exit is None and True not in said):
        return None
    if True in said:
        return True
    cut_off = trace.exit in _CUT_OFF  # such a run may end in a round nobody could judge
    if None in (said[:-1] if cut_off else said) or not (said or cut_off):
        return None
    return False


_CUT_OFF = (Exit.EVALUATOR_ERROR, Exit.GENERATOR_ERROR, Exit.CANCELLED)


def _said(trace: Trace, index: int) -> bool | None:
    outcome = recorded_outcome(trace, index)
    return None if outcome is None else outcome.accepted


@dataclass(frozen=True)
class ArmNumbers:
    """The traces of one arm counted. `accepted`, `flagged` and `undecided` add up to `traces`.

    `first_passed` of `first_known` first drafts were accepted. `check` compares what the check
    said of each returned draft with its gold label.
    """

    arm: Arm
    traces: int
    accepted: int
    flagged: int
    undecided: int
    first_passed: int
    first_known: int
    rounds: int
    calls: int
    exits: Mapping[str, int]
    shapes: Mapping[str, int]
    accepted_right: int
    accepted_wrong: int
    check: Confusion

    @property
    def accepted_share(self) -> Result:
        """Accepted ÷ traces of which it is known."""
        return rate(self.accepted, self.accepted + self.flagged, nothing="no trace has ended")

    @property
    def right_share(self) -> Result:
        """Right ÷ accepted drafts that have a gold label (precision)."""
        labelled = self.accepted_right + self.accepted_wrong
        return rate(self.accepted_right, labelled, nothing="no accepted draft is labelled")

    @property
    def false_share(self) -> Result:
        """Wrong ÷ accepted drafts that have a gold label; not the false-accept rate."""
        labelled = self.accepted_right + self.accepted_wrong
        return rate(self.accepted_wrong, labelled, nothing="no accepted draft is labelled")

    @property
    def labelled(self) -> bool:
        """Whether any returned draft has a gold label."""
        return self.check.n + self.check.unscored > 0


def by_arm(summaries: Iterable[Summary]) -> dict[Arm, ArmNumbers]:
    """Return the numbers of each arm that has traces, loop first."""
    of: dict[Arm, list[Summary]] = {}
    for s in summaries:
        of.setdefault(s.arm, []).append(s)
    return {arm: _numbers(arm, of[arm]) for arm in Arm if arm in of}


def _numbers(arm: Arm, some: Sequence[Summary]) -> ArmNumbers:
    samples = [s.sample_id for s in some]
    clusters = samples if len(set(samples)) < len(samples) else None
    yes = [s for s in some if s.accepted]
    return ArmNumbers(
        arm=arm,
        traces=len(some),
        accepted=len(yes),
        flagged=sum(s.accepted is False for s in some),
        undecided=sum(s.accepted is None for s in some),
        first_passed=sum(s.first_passed is True for s in some),
        first_known=sum(s.first_passed is not None for s in some),
        rounds=sum(s.rounds for s in some),
        calls=sum(s.calls for s in some),
        exits=Counter("not recorded" if s.exit is None else s.exit.value for s in some),
        shapes=Counter(name for s in some for name in s.shapes),
        accepted_right=sum(s.good is True for s in yes),
        accepted_wrong=sum(s.good is False for s in yes),
        check=count([_CODES[s.good] for s in some], [_CODES[s.passed] for s in some], clusters),
    )


@dataclass(frozen=True)
class Arms:
    """Loop (first) against retry (second) on the same samples and trials.

    `accepted` counts all pairs, `rescued` those whose first draft failed in both arms; `right` and
    `rescued_right` count only accepted drafts with gold PASS, and are None unless every accepted
    draft among the pairs is labelled. `unpaired` traces have no partner, `repeated` share arm,
    sample and trial with another, `undecided` pairs lack an outcome: all left out. `shared` counts
    pairs with the same first draft. `predicted` is what retries would rescue if draws were
    independent, 1 - (1 - p)^(cap - 1), with p = `first_passed` ÷ `first_known` first drafts of the
    pairs; None where none passed or the caps differ. With several trials a sample, `clustered`,
    intervals and tests of the pairs go by samples.
    """

    accepted: Paired
    rescued: Paired
    right: Paired | None
    rescued_right: Paired | None
    unpaired: int
    repeated: int
    undecided: int
    shared: int
    clustered: bool
    first_passed: int
    first_known: int
    cap: int | None
    predicted: float | None


def compare_arms(summaries: Iterable[Summary]) -> Arms | None:
    """Return loop against retry, or None when no sample has both."""
    of: dict[tuple[str, str], dict[Arm, list[Summary]]] = {}
    for s in summaries:
        of.setdefault((s.sample_id, s.trial), {}).setdefault(s.arm, []).append(s)
    pairs: list[tuple[Summary, Summary]] = []
    unpaired = repeated = 0
    for arms in of.values():
        if any(len(some) > 1 for some in arms.values()):
            repeated += sum(len(some) for some in arms.values())
        elif len(arms) < 2:
            unpaired += 1
        else:
            pairs.append((arms[Arm.LOOP][0], arms[Arm.RETRY][0]))
    known = [(a, b) for a, b in pairs if a.accepted is not None and b.accepted is not None]
    if not known:
        return None
    failed = [(a, b) for a, b in known if a.first_passed is b.first_passed is False]
    labelled = all(s.good is not None for pair in known for s in pair if s.accepted)
    caps = {s.cap for pair in known for s in pair}
    cap = caps.pop() if len(caps) == 1 else None
    firsts = [a.first_passed for a, _ in known if a.first_passed is not None]
    predicted = None
    if sum(firsts) and cap is not None and cap > 1:
        predicted = 1 - (1 - sum(firsts) / len(firsts)) ** (cap - 1)
    samples = {a.sample_id for a, _ in known}
    return Arms(
        accepted=paired(known),
        rescued=paired(failed),
        right=paired(known, right=True) if labelled else None,
        rescued_right=paired(failed, right=True) if labelled else None,
        unpaired=unpaired,
        repeated=repeated,
        undecided=len(pairs) - len(known),
        shared=sum(a.first_draft is not None and a.first_draft == b.first_draft for a, b in known),
        clustered=len(samples) < len(known),
        first_passed=sum(firsts),
        first_known=len(firsts),
        cap=cap,
        predicted=predicted,
    )


def paired(pairs: Sequence[tuple[Summary, Summary]], *, right: bool = False) -> Paired:
    """Return how many both of a pair accepted (`right`: and rightly), only one, or neither.

    Where several pairs are trials of one sample the counts come per sample too, so that interval
    and test take samples for what is independent.
    """

    def got(s: Summary) -> bool:
        return s.accepted is True and (s.good is True or not right)

    of: dict[str, list[int]] = {}
    for one, other in pairs:
        # 0 both, 1 the first only, 2 the second only, 3 neither
        of.setdefault(one.sample_id, [0] * 4)[2 * (not got(one)) + (not got(other))] += 1
    rows = np.array(list(of.values()), dtype=np.int64).reshape(-1, 4)
    both, first_only, second_only, neither = rows.sum(axis=0).tolist()
    clusters = rows if len(of) < len(pairs) else None
    return Paired(both, first_only, second_only, neither, clusters)
