"""Shapes of failure in a trace: pure functions of the log, each with the rounds that prove it.

Drafts of the retry arm are independent draws, so the shapes of a revision (plateau, stuck, cycle,
regression, over-edit, moving target, gaming) are looked for in the loop arm only. A criterion
that was skipped has no verdict and is in no shape. Which text a failure names is in `places.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from core.contract.criterion import CheckedBy
from core.loop.places import lost_share, named_text, names_a_place, sentences
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace, recorded_outcome
from core.verdict import CriterionVerdict, LabelValue, Unscored, Verdict

FIRST_RESPONSE = {
    "plateau": "Read the failures: can they be acted on? If not, stop earlier.",
    "stuck": "The feedback changes nothing: name the place and the change.",
    "cycle": "Two criteria pull apart: rank or merge them.",
    "regression": "Tell the reviser to keep the rest; keep the best draft.",
    "over-edit": 'Put "change only this" into the reviser\'s prompt.',
    "vague evaluator": "Demand a place and a change in the criterion and the schema.",
    "cannot know": "Give the evaluator a tool or a reference, or hand the criterion to a person.",
    "flip-flop judge": "Test and retest the judge; sharpen the criterion.",
    "moving target": "Fix the rubric; send the same rubric every round.",
    "unread draft": "Never accept it; repair the loop.",
    "rubber stamp": "Use another judge, a code check, or a person.",
    "never satisfied": "Loosen or split the criterion.",
    "gaming": "The criterion measures the letter: rewrite it.",
}
"""Every shape by name, in the order they are shown, with the first thing to do about it."""

UNKNOWN_SHARE = Fraction(1, 5)
CHANGED_SHARE = Fraction(1, 3)


@dataclass(frozen=True)
class Shape:
    """One shape found: its name, the numbers of the rounds that prove it, and why."""

    name: str
    rounds: tuple[int, ...]
    why: str

    @property
    def first_response(self) -> str:
        """The first thing to do about it."""
        return FIRST_RESPONSE[self.name]


def find_shapes(trace: Trace) -> tuple[Shape, ...]:
    """Return the shapes that the log alone shows, each at most once, in the order of the table."""
    revision = (plateau, stuck, cycle, regression, over_edit, moving_target, gaming)
    anywhere = (vague_evaluator, cannot_know, flip_flop, unread_draft)
    finders = anywhere if trace.arm is Arm.RETRY else (*revision, *anywhere)
    found = [shape for find in finders if (shape := find(trace)) is not None]
    order = list(FIRST_RESPONSE)
    return tuple(sorted(found, key=lambda shape: order.index(shape.name)))


def plateau(trace: Trace) -> Shape | None:
    """PLATEAU exit, or the best score is the same after each of the last two rounds.

    A repeated draft is no second try and is left out here (it is *stuck* or *cycle*).
    """
    if trace.exit is Exit.PASS:
        return None
    scored = [r for r in _fresh(trace) if r.score is not None]
    if trace.exit is Exit.PLATEAU:
        window = trace.rule.window if trace.rule is not None else 1
        rounds = tuple(r.number for r in scored[-window:])
        return Shape("plateau", rounds, "the loop ended because no score was higher")
    if len(scored) < 2:
        return None
    best = [
        max(r.score for r in scored[: i + 1] if r.score is not None) for i in range(len(scored))
    ]
    if best[-1] != best[-2]:
        return None
    why = f"the best score stayed {_number(best[-1])}"
    return Shape("plateau", (scored[-2].number, scored[-1].number), why)


def stuck(trace: Trace) -> Shape | None:
    """A draft equal to the one before."""
    same = [
        (a.number, b.number)
        for a, b in _revisions(trace)
        if a.fingerprint is not None and a.fingerprint == b.fingerprint
    ]
    return _pairs("stuck", same, "the same draft as the round before")


def cycle(trace: Trace) -> Shape | None:
    """A draft equal to an older one, with another draft in between."""
    found: list[tuple[int, int]] = []
    last: dict[str, int] = {}
    for i, r in enumerate(trace.rounds):
        if r.fingerprint is None:
            continue
        if r.fingerprint in last and last[r.fingerprint] < i - 1:
            found.append((trace.rounds[last[r.fingerprint]].number, r.number))
        last[r.fingerprint] = i
    return _pairs("cycle", found, "the same draft as an older round")


def regression(trace: Trace) -> Shape | None:
    """The score falls after it had risen, or a criterion goes from PASS to FAIL.

    Scores are compared between rounds where nothing was skipped: a judge that was not asked adds
    no points and takes none away. A draft that came back lost nothing by a revision (it is *stuck*
    or *cycle*), and text that had passed twice and did not change did not get worse (*moving
    target*): both are left out here.
    """
    fresh = _fresh(trace)
    moved = moving_target(trace)
    whole = [r for r in fresh if r.score is not None and not _skipped(r)]
    rose = False
    for before, after in pairwise(whole):
        assert before.score is not None and after.score is not None
        if rose and after.score < before.score and not _target_moved(moved, after):
            why = f"the score fell from {_number(before.score)} to {_number(after.score)}"
            return Shape("regression", (before.number, after.number), why)
        rose = rose or after.score > before.score
    for key in trace.keys:
        history = [(r, v) for r in fresh if (v := _verdicts(r).get(key)) is not None]
        for (a, was), (b, now) in pairwise(history):
            lost = was.verdict is Verdict.PASS and now.verdict is Verdict.FAIL
            if lost and not _target_moved(moved, b, key):
                return Shape("regression", (a.number, b.number), f"{key!r} went from PASS to FAIL")
    return None


def _target_moved(moved: Shape | None, at: Round, key: str = "") -> bool:
    """Whether a moving target explains what was lost in a round (on one criterion, if given)."""
    if moved is None or moved.rounds[-1] != at.number:
        return False
    return not key or moved.why.startswith(repr(key))


def over_edit(trace: Trace) -> Shape | None:
    """Text that no failure named changed by more than a third from one draft to the next.

    Counted in words of the earlier draft that are gone; additions are no change to it. Not looked
    for where a failure is about the text as a whole.
    """
    for before, after in _revisions(trace):
        if before.draft is None or after.draft is None or not before.read:
            continue
        failures = [v for v in _verdicts(before).values() if v.verdict is Verdict.FAIL]
        share = lost_share(before.draft, failures, after.draft) if failures else None
        if share is not None and share > CHANGED_SHARE:
            why = f"{float(share):.0%} of the words that no failure named are gone"
            return Shape("over-edit", (before.number, after.number), why)
    return None


def vague_evaluator(trace: Trace) -> Shape | None:
    """Failures that give neither a place nor a change; for code checks: no evidence at all."""
    vague: list[int] = []
    failures = 0
    for r in trace.rounds:
        for key, verdict in _verdicts(r).items():
            if r.reused or verdict.verdict is not Verdict.FAIL:
                continue
            failures += 1
            by_code = r.checked_by.get(key) is CheckedBy.CODE
            specific = verdict.evidence.strip() if by_code else _specific(verdict)
            if not specific:
                vague.append(r.number)
    if not vague:
        return None
    why = f"{len(vague)} of {failures} failures give neither a place nor a change"
    return Shape("vague evaluator", tuple(dict.fromkeys(vague)), why)


def cannot_know(trace: Trace) -> Shape | None:
    """UNKNOWN in a fifth or more of the verdicts on one criterion."""
    for key in trace.keys:
        history = [(r, v) for r, v in _history(trace, key) if not r.reused]
        unknown = [r.number for r, v in history if v.verdict is Verdict.UNKNOWN]
        if unknown and Fraction(len(unknown), len(history)) >= UNKNOWN_SHARE:
            why = f"{key!r} is UNKNOWN in {len(unknown)} of {len(history)} rounds"
            return Shape("cannot know", tuple(unknown), why)
    return None


def flip_flop(trace: Trace) -> Shape | None:
    """The same text was given another verdict on the same criterion."""
    for key in trace.keys:
        first: dict[str, tuple[Round, CriterionVerdict]] = {}
        for r, verdict in _history(trace, key):
            if r.reused or r.fingerprint is None:
                continue
            earlier, was = first.setdefault(r.fingerprint, (r, verdict))
            if was.verdict is not verdict.verdict:
                why = f"{key!r}: {was.verdict} and {verdict.verdict} on the same text"
                return Shape("flip-flop judge", (earlier.number, r.number), why)
    return None


def moving_target(trace: Trace) -> Shape | None:
    """A criterion passed two rounds or more, then fails on text that did not change.

    The text is what the failure names; a failure that names none can only be told when the whole
    draft is the same.
    """
    for key in trace.keys:
        history = _history(trace, key)
        for i in range(2, len(history)):
            (r2, v2), (r1, v1), (now, verdict) = history[i - 2 : i + 1]
            if not (v2.verdict is v1.verdict is Verdict.PASS and verdict.verdict is Verdict.FAIL):
                continue
            same = now.fingerprint is not None and now.fingerprint == r1.fingerprint
            if same or all(_named_before(now, verdict, earlier) for earlier in (r2, r1)):
                why = f"{key!r} passed twice, then failed on text that had not changed"
                return Shape("moving target", (r2.number, r1.number, now.number), why)
    return None


def unread_draft(trace: Trace) -> Shape | None:
    """The returned round has no judgement."""
    number = trace.returned_round
    returned = None if number is None else trace.round(number)
    if returned is None or returned.read:
        return None
    return Shape("unread draft", (returned.number,), "the returned draft was never judged")


def gaming(trace: Trace) -> Shape | None:
    """The score rose to acceptance while the gold label stayed FAIL (needs gold on two rounds)."""
    labelled = [
        (i, r)
        for i, r in enumerate(trace.rounds)
        if r.score is not None and r.gold in (LabelValue.PASS, LabelValue.FAIL)
    ]
    if len(labelled) < 2:
        return None
    (_, first), (index, last) = labelled[0], labelled[-1]
    outcome = recorded_outcome(trace, index)
    assert first.score is not None and last.score is not None
    risen = last.score > first.score and outcome is not None and outcome.accepted is True
    if not risen or last.gold is not LabelValue.FAIL:
        return None
    why = (
        f"the score rose from {_number(first.score)} to {_number(last.score)}, "
        "and the label is FAIL"
    )
    return Shape("gaming", (first.number, last.number), why)


# --- shapes that need labels ----------------------------------------------------------------


def rubber_stamp(far_low: float, limit: float) -> Shape | None:
    """The whole interval of the false-accept rate lies above the limit (both shares in [0, 1])."""
    if far_low <= limit:
        return None
    why = f"the false-accept rate is at least {far_low:.1%}, the limit is {limit:.1%}"
    return Shape("rubber stamp", (), why)


def never_satisfied(trace: Trace, frr_low: float, limit: float) -> Shape | None:
    """The false-reject rate is above the limit, and every round to the cap brings a new failure.

    `frr_low` is the lower end of the rate's interval; both are shares in [0, 1].
    """
    rounds = new_failure_rounds(trace) if frr_low > limit else ()
    return restless(rounds) if rounds else None


def restless(rounds: tuple[int, ...]) -> Shape:
    """Return the shape of an evaluator that these rounds did not satisfy."""
    return Shape("never satisfied", rounds, "every round failed on something new")


def new_failure_rounds(trace: Trace) -> tuple[int, ...]:
    """Return the rounds of a loop that failed on something new each time up to its cap, else ()."""
    if trace.exit is not Exit.CAP or trace.arm is Arm.RETRY:
        return ()
    before: set[str] = set()
    rounds: list[int] = []
    for r in trace.rounds:
        failed = {k for k, v in _verdicts(r).items() if v.verdict is Verdict.FAIL}
        if not failed - before:
            return ()
        rounds.append(r.number)
        before = failed
    return tuple(rounds) if len(rounds) > 1 else ()


# --- the log, read --------------------------------------------------------------------------


def _verdicts(r: Round) -> dict[str, CriterionVerdict]:
    """Verdicts of a scored judgement, those that were skipped left out."""
    if r.judgement is None or r.judgement.unscored is not None:
        return {}
    return {k: v for k, v in r.judgement.verdicts.items() if v.verdict is not None}


def _revisions(trace: Trace) -> list[tuple[Round, Round]]:
    """Pairs of a draft and the very next one; across a round nobody recorded there is none."""
    return [(a, b) for a, b in pairwise(trace.rounds) if b.number == a.number + 1]


def _history(trace: Trace, key: str) -> list[tuple[Round, CriterionVerdict]]:
    return [(r, v) for r in trace.rounds if (v := _verdicts(r).get(key)) is not None]


def _skipped(r: Round) -> bool:
    return r.judgement is not None and any(
        v.unscored is Unscored.SKIPPED for v in r.judgement.verdicts.values()
    )


def _fresh(trace: Trace) -> list[Round]:
    seen: set[str] = set()
    fresh = []
    for r in trace.rounds:
        if r.reused or (r.fingerprint is not None and r.fingerprint in seen):
            continue
        fresh.append(r)
        seen |= {r.fingerprint} if r.fingerprint is not None else set()
    return fresh


def _specific(verdict: CriterionVerdict) -> bool:
    return bool(verdict.change.strip()) or names_a_place(verdict.evidence)


def _named_before(now: Round, verdict: CriterionVerdict, earlier: Round) -> bool:
    if now.draft is None or earlier.draft is None:
        return False
    named = named_text(now.draft, [verdict])
    return named is not None and bool(named) and named <= set(sentences(earlier.draft))


def _pairs(name: str, found: Sequence[tuple[int, int]], why: str) -> Shape | None:
    if not found:
        return None
    a, b = found[0]
    rounds = tuple(dict.fromkeys(n for pair in found for n in pair))
    return Shape(name, rounds, f"round {b} is {why} ({a})")


def _number(score: Fraction) -> str:
    return f"{float(score):.6g}"
