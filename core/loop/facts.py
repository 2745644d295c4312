"""What the shapes of a run and its convergence need to know of one trace, without its drafts.

Worked out once, when a trace is stored: looking over ten thousand traces must read no drafts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from core.contract.contract import Contract
from core.contract.criterion import CheckedBy
from core.loop.places import names_a_place
from core.loop.shapes import Shape, find_shapes, new_failure_rounds
from core.loop.stop import Arm
from core.loop.trace import Outcome, Round, Trace
from core.text import exact_hash
from core.verdict import CriterionVerdict, Verdict

_CODE = {Verdict.PASS: "P", Verdict.FAIL: "F", Verdict.UNKNOWN: "U", None: "-"}
SAID = {"P": "PASS", "F": "FAIL", "U": "UNKNOWN"}
_SHORT = 24
"""Characters kept of a fingerprint or hash: enough that two texts never share them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One draft as an evaluator read it: round, short fingerprint, who, and a code per judged key.

    `said` maps a criterion that was not checked by code to P, F or U; `mark` stands for the verdicts
    with their evidence, so that one judgement written into two traces is not taken for two.
    """

    round: int
    text: str
    evaluator: str
    said: Mapping[str, str]
    mark: str


@dataclass(frozen=True, slots=True)
class Facts:
    """One trace, counted.

    `shapes` are those its own log shows. `restless` are its rounds if each failed on something new
    up to the cap, else empty. `contract` is a short hash, "" where none was recorded. `readings`
    are its drafts as first read. `accepted` has a character per round made: 1 accepted, 0 not,
    ? not known. `failures` counts, by criterion, those with a place and a change (by code: with any
    evidence) and all of them. `moves` counts, by criterion, what revisions did: failed then passed,
    failed then did not, passed then did not, passed and stayed. Both are of the loop arm only.
    """

    shapes: tuple[Shape, ...]
    restless: tuple[int, ...]
    contract: str
    readings: tuple[Reading, ...]
    accepted: str
    failures: Mapping[str, tuple[int, int]]
    moves: Mapping[str, tuple[int, int, int, int]]

    def to_json(self) -> list[Any]:
        """Return the facts as JSON values, for storing."""
        return [
            [[s.name, list(s.rounds), s.why] for s in self.shapes], list(self.restless),
            self.contract, [[r.round, r.text, r.evaluator, r.said, r.mark] for r in self.readings],
            self.accepted, self.failures, self.moves,
        ]  # fmt: skip

    @classmethod
    def from_json(cls, values: Sequence[Any]) -> Facts:
        """Return what `to_json` was called on."""
        shapes, restless, contract, readings, accepted, failures, moves = values
        return cls(
            tuple(Shape(name, tuple(rounds), why) for name, rounds, why in shapes),
            tuple(restless), contract, tuple(Reading(*r) for r in readings), accepted,
            {key: (k, n) for key, (k, n) in failures.items()},
            {key: (a, b, c, d) for key, (a, b, c, d) in moves.items()},
        )  # fmt: skip


def facts_of(trace: Trace, outcomes: Sequence[Outcome | None]) -> Facts:
    """Return the facts of a trace whose judgements' meanings (`outcomes_of`) are at hand.

    They are about what the loop itself did: rounds recorded beyond its rule are left out.
    """
    used = trace.used
    said = [
        {True: "1", False: "0", None: "?"}[None if o is None else o.accepted]
        for r, o in zip(trace.rounds, outcomes, strict=True)
        if r.made and not r.beyond
    ]
    loop = used.arm is not Arm.RETRY
    return Facts(
        shapes=find_shapes(used),
        restless=new_failure_rounds(used),
        contract=_contract(trace),
        readings=_readings(used),
        accepted="".join(said),
        failures=_failures(used) if loop else {},
        moves=_moves(used) if loop else {},
    )


def _contract(trace: Trace) -> str:
    if isinstance(trace.contract, Contract):
        return trace.contract.content_hash[:_SHORT]
    return (trace.contract or "")[:_SHORT]


def _verdicts(r: Round) -> dict[str, CriterionVerdict]:
    if r.judgement is None or r.judgement.unscored is not None:
        return {}
    return {k: v for k, v in r.judgement.verdicts.items() if v.verdict is not None}


def _readings(trace: Trace) -> tuple[Reading, ...]:
    found: list[Reading] = []
    seen: set[str] = set()
    for r in trace.rounds:
        if r.reused or r.fingerprint is None or r.fingerprint in seen:
            continue
        read = {k: v for k, v in _verdicts(r).items() if r.checked_by.get(k) is not CheckedBy.CODE}
        if read and r.judgement is not None:
            seen.add(r.fingerprint)
            said = {key: _CODE[v.verdict] for key, v in read.items()}
            mark = exact_hash(*(part for k, v in read.items() for part in (k, said[k], v.evidence)))
            who = r.judgement.evaluator
            found.append(Reading(r.number, r.fingerprint[:_SHORT], who, said, mark[:8]))
    return tuple(found)


def _failures(trace: Trace) -> dict[str, tuple[int, int]]:
    """Return, by criterion, (failures with a place and a change, failures)."""
    found: dict[str, tuple[int, int]] = {}
    for r in trace.rounds:
        for key, v in _verdicts(r).items():
            if r.reused or v.verdict is not Verdict.FAIL:
                continue
            by_code = r.checked_by.get(key) is CheckedBy.CODE
            whole = names_a_place(v.evidence) and bool(v.change.strip())
            specific = bool(v.evidence.strip()) if by_code else whole
            k, n = found.get(key, (0, 0))
            found[key] = (k + specific, n + 1)
    return found


def _moves(trace: Trace) -> dict[str, tuple[int, int, int, int]]:
    """Count what each revision did to each criterion; UNKNOWN counts as not passed."""
    found: dict[str, list[int]] = {}
    for before, after in pairwise(trace.rounds):
        if after.number != before.number + 1:
            continue
        now = _verdicts(after)
        for key, was in _verdicts(before).items():
            if key not in now:
                continue
            passed, passes = was.verdict is Verdict.PASS, now[key].verdict is Verdict.PASS
            cell = (3 if passes else 2) if passed else (0 if passes else 1)
            found.setdefault(key, [0, 0, 0, 0])[cell] += 1
    return {key: (a, b, c, d) for key, (a, b, c, d) in found.items()}
