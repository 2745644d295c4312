"""What the shapes of a run and its convergence need to know of one trace, without its drafts.

Worked out once, when a trace is stored: looking over ten thousand traces must read no drafts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from core.contract.contract import Contract
from core.contract.criterion import CheckedBy
from core.loop.places import names_a_place
from core.loop.shapes import Shape, find_shapes, new_failure_rounds
from core.loop.stop import Arm
from core.loop.summary import Summary
from core.loop.trace import Outcome, Round, Trace
from core.text import exact_hash
from core.verdict import CriterionVerdict, Verdict

_CODE = {Verdict.PASS: "P", Verdict.FAIL: "F", Verdict.UNKNOWN: "U", None: "-"}
SAID = {"P": "PASS", "F": "FAIL", "U": "UNKNOWN"}
_SHORT = 24
"""Characters kept of a fingerprint or hash: enough that two texts never share them."""


class Reading(NamedTuple):
    """One draft as an evaluator read it.

    `said` has a letter for each of the trace's judged criteria: P, F, U, or - where it gave no
    verdict or code decided. `mark` stands for the verdicts with their evidence, so that one
    judgement written into two traces is not taken for two.
    """

    round: int
    text: str
    evaluator: str
    said: str
    mark: str


class Counts(NamedTuple):
    """What happened to one criterion over the rounds of one loop trace.

    `specific` of `failures` have a place and a change (by code: any evidence). A revision repaired
    it, or left it failed; lost it, or kept it passed. UNKNOWN counts as not passed.
    """

    key: str
    specific: int
    failures: int
    repaired: int
    unrepaired: int
    lost: int
    kept: int


class Facts(NamedTuple):
    """One trace, counted.

    `shapes` are (name, rounds, why) of those its own log shows. `restless` are its rounds if each
    failed on something new up to the cap, else empty. `contract` is a short hash, "" where none was
    recorded. `keys` are its judged criteria, `readings` its drafts as they were read. `accepted` has a
    character per round made: 1 accepted, 0 not, ? not known. `first_good` is the gold label of the
    first draft. `counts` has an entry per criterion,
    of loop traces only. Stored as JSON, and read back without touching each part: ten thousand
    traces are looked over at once.
    """

    shapes: Sequence[tuple[str, Sequence[int], str]]
    restless: Sequence[int]
    contract: str
    keys: Sequence[str]
    readings: Sequence[Sequence[Any]]
    accepted: str
    first_good: bool | None
    counts: Sequence[Sequence[Any]]

    def to_json(self) -> list[Any]:
        """Return the facts as JSON values, for storing."""
        return json.loads(json.dumps(self))  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, values: Sequence[Any]) -> Facts:
        """Return what `to_json` was called on."""
        return cls._make(values)

    def found(self) -> list[Shape]:
        """Return the shapes its own log shows."""
        return [Shape(name, tuple(rounds), why) for name, rounds, why in self.shapes]

    def differing(self, mine: str, theirs: str, of: Facts) -> list[str]:
        """Return the criteria on which two readings, one of each trace, say different things."""
        other = dict(zip(of.keys, theirs, strict=True))
        pairs = (
            (key, said, other.get(key, "-")) for key, said in zip(self.keys, mine, strict=True)
        )
        return [key for key, said, was in pairs if "-" not in (said, was) and said != was]


def facts_of(
    trace: Trace, outcomes: Sequence[Outcome | None], shapes: Sequence[Shape] | None = None
) -> Facts:
    """Return the facts of a trace whose judgements' meanings (`outcomes_of`) are at hand.

    `shapes` are those its log shows, where they are at hand too.

    They are about what the loop itself did: rounds recorded beyond its rule are left out.
    """
    used = trace.used
    said = [
        {True: "1", False: "0", None: "?"}[None if o is None else o.accepted]
        for r, o in zip(trace.rounds, outcomes, strict=True)
        if r.made and not r.beyond
    ]
    first = trace.round(trace.first_number)
    keys = [k for k in used.keys if any(_judged(r, k) for r in used.rounds)]
    facts = Facts(
        shapes=[
            (shape.name, shape.rounds, shape.why)
            for shape in (find_shapes(used) if shapes is None else shapes)
        ],
        restless=list(new_failure_rounds(used)),
        contract=_contract(trace),
        keys=keys,
        readings=_readings(used, keys),
        accepted="".join(said),
        first_good=None if first is None else {"PASS": True, "FAIL": False}.get(first.gold or ""),
        counts=[] if used.arm is Arm.RETRY else _counts(used),
    )
    return Facts.from_json(facts.to_json())


def _judged(r: Round, key: str) -> bool:
    return r.checked_by.get(key) is not CheckedBy.CODE and key in _verdicts(r)


def _contract(trace: Trace) -> str:
    if isinstance(trace.contract, Contract):
        return trace.contract.content_hash[:_SHORT]
    return (trace.contract or "")[:_SHORT]


def _verdicts(r: Round) -> dict[str, CriterionVerdict]:
    if r.judgement is None or r.judgement.unscored is not None:
        return {}
    return {k: v for k, v in r.judgement.verdicts.items() if v.verdict is not None}


def _readings(trace: Trace, keys: Sequence[str]) -> list[Reading]:
    found: list[Reading] = []
    for r in trace.rounds:
        if r.reused or r.fingerprint is None or r.judgement is None:
            continue
        read = {key: _verdicts(r)[key] for key in keys if _judged(r, key)}
        if read:
            said = "".join(_CODE[read[k].verdict] if k in read else "-" for k in keys)
            mark = exact_hash(said, *(v.evidence for v in read.values()))[:8]
            who = r.judgement.evaluator
            found.append(Reading(r.number, r.fingerprint[:_SHORT], who, said, mark))
    return found


def _counts(trace: Trace) -> list[Counts]:
    found: dict[str, list[int]] = {}
    for r in trace.rounds:
        for key, v in _verdicts(r).items():
            if r.reused or v.verdict is not Verdict.FAIL:
                continue
            by_code = r.checked_by.get(key) is CheckedBy.CODE
            whole = names_a_place(v.evidence) and bool(v.change.strip())
            counts = found.setdefault(key, [0] * 6)
            counts[0] += bool(v.evidence.strip()) if by_code else whole
            counts[1] += 1
    for before, after in pairwise(trace.rounds):
        if after.number != before.number + 1:
            continue
        now = _verdicts(after)
        for key, was in _verdicts(before).items():
            if key not in now:
                continue
            passed, passes = was.verdict is Verdict.PASS, now[key].verdict is Verdict.PASS
            cell = (5 if passes else 4) if passed else (2 if passes else 3)
            found.setdefault(key, [0] * 6)[cell] += 1
    return [Counts(key, *counts) for key, counts in found.items()]


def read_again(
    summaries: Sequence[Summary], facts: Sequence[Facts]
) -> Iterator[tuple[tuple[int, Reading], tuple[int, Reading]]]:
    """Yield (place, reading) of a text that was read before, and that of its first reading.

    The same evaluator, under the same contract, read the same text of the same sample. A first draft
    that both arms share is judged once and stands in both: the same words about it are one reading.
    """
    first: dict[tuple[str, ...], tuple[int, Sequence[Any]]] = {}
    for at, (s, f) in enumerate(zip(summaries, facts, strict=True)):
        # As they were stored: most texts are read once, and need no reading made of them.
        for values in f.readings:
            key = (s.sample_id, values[1], f.contract, values[2])
            before, earlier = first.setdefault(key, (at, values))
            if earlier is values:
                continue
            reading, was = Reading._make(values), Reading._make(earlier)
            other_arm = summaries[before].arm is not s.arm
            if not (other_arm and reading.round == was.round and reading.mark == was.mark):
                yield (at, reading), (before, was)
