"""Numbers and intervals in words, the same on screen, in reports and on the command line."""

from __future__ import annotations

from core.statistics.interval import Estimate, Result, Undefined
from core.verdict import OVERALL

NBSP = "\u00a0"


def percent(share: float, digits: int = 1) -> str:
    """Return a share in [0, 1] as a percentage: 0.0444 is "4.4 %" with a no-break space."""
    return f"{share * 100:.{digits}f}{NBSP}%"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with fixed digits and a true minus sign, never "-0.00"."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def points(change: float, digits: int = 1) -> str:
    """Return a change in percentage points in words: "6.0 points lower", or "no change"."""
    size = f"{abs(change):.{digits}f}"
    if float(size) == 0:
        return "no change"
    return (
        f"{size}{NBSP}{'point' if size == '1' else 'points'} {'higher' if change > 0 else 'lower'}"
    )


def rate(result: Result) -> str:
    """Return "4.4 % (0.5–15.1 %)", or the reason why there is no rate."""
    if isinstance(result, Undefined):
        return result.reason
    return f"{percent(result.value)} ({rate_range(result)})"


def rate_range(result: Estimate) -> str:
    """Return the interval alone: "0.5–15.1 %"."""
    return f"{result.low * 100:.1f}–{percent(result.high)}"


def count_of(result: Result) -> str:
    """Return the counts behind a rate: "2 of 45", or "n = 45" where there is no numerator."""
    return f"n = {result.n}" if result.k is None else f"{result.k} of {result.n}"


def coefficient(result: Result) -> str:
    """Return "0.56 (0.51–0.61)" for kappa and its like, or the reason why there is none."""
    if isinstance(result, Undefined):
        return result.reason
    low, high = decimal(result.low), decimal(result.high)
    return (
        f"{decimal(result.value)} ({low} to {high})"
        if result.low < 0
        else (f"{decimal(result.value)} ({low}–{high})")
    )


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return "1 output", "2 outputs"; thousands are grouped."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def criterion_name(key: str) -> str:
    """Return the name under which a criterion key is shown."""
    return "Overall (whole output)" if key == OVERALL else key


def against_limit(result: Result, limit: float | None, *, what: str, verb: str) -> str:
    """Say in one or two sentences what a rate shows and whether it is below a limit.

    `what` names the denominator ("bad outputs"), `verb` what happened to them ("passed").
    """
    if isinstance(result, Undefined):
        return f"{result.reason[0].upper()}{result.reason[1:]}."
    first = f"{count_of(result)} {what} {verb}: {rate(result)}."
    if limit is None:
        return first
    shown = percent(limit).replace(".0", "")
    if result.high <= limit:
        return f"{first} Shown to be at or below your {shown} limit."
    if result.low > limit:
        return f"{first} Above your {shown} limit."
    return f"{first} Not shown to be below your {shown} limit: label more {what}."


_EXITS = {
    "PASS": "the check passed a draft",
    "PLATEAU": "no progress: no higher score for {window}",
    "CYCLE": "no progress: an older draft came back",
    "NO_CHANGE": "no progress: the draft was the same as the one before",
    "CAP": "the cap of {cap} was reached, and none passed",
    "BUDGET": "another round would not have fitted the budget",
    "EVALUATOR_ERROR": "the evaluator gave no judgement",
    "GENERATOR_ERROR": "the generator gave no draft",
    "CANCELLED": "somebody stopped the run",
}


def exit_words(exit: str | None, *, cap: int | None = None, window: int | None = None) -> str:
    """Say why a loop ended: "CAP: the cap of 3 drafts was reached, and none passed"."""
    if exit is None:
        return "how it ended is not recorded"
    drafts = "drafts" if cap is None else plural(cap, "draft")
    rounds = "some rounds" if window is None else plural(window, "round")
    return f"{exit}: {_EXITS[exit].format(cap=drafts, window=rounds)}"


def p_value(p: float) -> str:
    """Return a p value as "p = .035", or "p < .001"."""
    return "p < .001" if p < 0.001 else "p = " + f"{p:.3f}".removeprefix("0")
