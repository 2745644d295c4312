"""A trace read by a contract: scores from verdicts, and remarks where the record says otherwise."""

from __future__ import annotations

from dataclasses import replace

from core.contract.contract import Contract
from core.judging.judgement import Judgement
from core.loop.trace import NOT_GIVEN, Round, Trace, recorded_outcome, recorded_pass
from core.verdict import Unscored, Verdict

_ONLY_A_SCORE = "a score is recorded but no verdicts, as the other rounds have"


def reread(trace: Trace, contract: Contract | None = None) -> tuple[Trace, tuple[str, ...]]:
    """Return the trace with every score computed from its verdicts, and remarks on what differs.

    It is read by `contract` where one is given (the trace may hold only its hash), else by what
    the trace holds. A judgement that is incomplete or unreadable is marked unscored, and so is a
    bare score among rounds with verdicts. Reading again changes nothing more.
    """
    rounds = trace.rounds
    if contract is not None:
        rounds = tuple(_as_recorded(r) for r in rounds)
        trace = replace(trace, contract=contract)
    said: list[str] = []
    if any(r.judgement is not None and r.judgement.verdicts for r in rounds):
        rounds = tuple(_no_bare_score(r, said) for r in rounds)
    trace = replace(trace, rounds=rounds)
    rounds = tuple(_decided(trace, index, said) for index in range(len(rounds)))
    trace = replace(trace, rounds=rounds)
    claim = false_pass(trace)
    return trace, (*said, claim) if claim else tuple(said)


def false_pass(trace: Trace) -> str | None:
    """Return one line about a recorded PASS that the round itself does not bear out, or None."""
    at = next((i for i in range(len(trace.rounds)) if recorded_pass(trace, i)), None)
    outcome = None if at is None else recorded_outcome(trace, at)
    if at is None or outcome is None or outcome.accepted is True:
        return None
    this = trace.rounds[at]
    claim = f"exit PASS, but round {this.number}"
    if outcome.unscored is not None:
        return f"{claim} is unscored: that round was not accepted"
    if this.judgement is None:
        return f"{claim} has a score below what the contract needs: it was not accepted"
    said = this.judgement.verdicts
    bad = [key for key in trace.keys if key in said and said[key].verdict is not Verdict.PASS]
    if not bad:
        return f"{claim} passes no criterion: it was not accepted"
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    rest = "that round was not accepted"
    if outcome.accepted is None:
        rest = "the contract is known by its hash only, so whether that is enough is not known"
        if isinstance(trace.contract, Contract):
            rest = "a person has yet to decide"
    return f"{claim} has {said[bad[0]].verdict or 'no verdict'} on {bad[0]!r}{more}: {rest}"


def _as_recorded(r: Round) -> Round:
    """Undo what reading without the contract found lacking: the contract may not ask for it."""
    said = r.judgement
    if said is None or said.unscored is not Unscored.UNREADABLE or not said.verdicts:
        return r
    if not said.detail.startswith(NOT_GIVEN):
        return r
    error = "" if r.error == said.detail else r.error
    return replace(r, judgement=replace(said, unscored=None, detail=""), error=error)


def _no_bare_score(r: Round, said: list[str]) -> Round:
    if r.judgement is not None or r.score is None:
        return r
    said.append(f"round {r.number}: unscored, {_ONLY_A_SCORE}")
    unread = Judgement({}, Unscored.UNREADABLE, _ONLY_A_SCORE)
    return replace(r, judgement=unread, score=None, error=r.error or _ONLY_A_SCORE)


def _decided(trace: Trace, index: int, said: list[str]) -> Round:
    """Return round `index` with the score and the reason for none that its verdicts give."""
    r = trace.rounds[index]
    outcome = None if r.judgement is None else recorded_outcome(trace, index)
    if r.judgement is None or outcome is None:
        return r
    if r.score is not None and r.score != outcome.score:
        gives = "none" if outcome.score is None else f"{float(outcome.score):g}"
        said.append(
            f"round {r.number}, score: {float(r.score):g} is recorded, "
            f"the verdicts give {gives}; the verdicts count"
        )
    r = replace(r, score=outcome.score)
    if outcome.unscored is None or r.judgement is None or r.judgement.unscored is not None:
        return r
    said.append(f"round {r.number}: unscored, {outcome.detail}")
    judgement = replace(r.judgement, unscored=outcome.unscored, detail=outcome.detail)
    return replace(r, judgement=judgement, error=outcome.detail)
