"""Numbers and intervals in words, the same on screen, in reports and on the command line."""

from __future__ import annotations

import math
import re

from core.errors import InputError, show
from core.statistics.costs import Arm, Calculation
from core.statistics.interval import ClusteredEstimate, Estimate, Result, Undefined
from core.statistics.planning import clean_items_needed
from core.statistics.uncertainty import Input
from core.verdict import OVERALL

NBSP = "\u00a0"


def percent(share: float, digits: int = 1) -> str:
    """Return a share in [0, 1] as a percentage: 0.0444 is "4.4 %" with a no-break space."""
    return f"{share * 100:.{digits}f}{NBSP}%"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with fixed digits and a true minus sign, never "-0.00"."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def change_in_points(change: float, digits: int = 1) -> str:
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
    if result.k is None:
        first = f"{capital(what)} {verb}, reweighted: {rate(result)}, {count_of(result)}."
    if limit is None:
        return first
    shown = percent(limit).replace(".0", "")
    if result.high <= limit:
        return f"{first} Shown to be at or below your {shown} limit."
    if result.low > limit:
        return f"{first} Above your {shown} limit."
    return f"{first} Not shown to be below your {shown}: {_would_show(result, limit, what, verb)}."


def _would_show(result: Estimate, limit: float, what: str, verb: str) -> str:
    """Say what would show a rate to be below a limit: items without an error, or another limit."""
    if limit == 0:
        return "no number of labels shows that a rate is 0; set a limit above it"
    if result.k is None:
        return f"label more {what}, or set another limit"
    deff = result.deff if isinstance(result, ClusteredEstimate) else 1.0
    more = clean_items_needed(result.k, result.n, limit, deff=deff)
    if isinstance(more, Undefined) or more == 0:
        return f"label more {what}, or set another limit"
    without = "a miss" if verb == "passed" else f"one {verb}"
    return f"about {about(more)} more {what} without {without} would, or another limit"


def about(n: int) -> str:
    """Return a count for "about …", never less than it is: 97 is "100", 13 is "13"."""
    step = 1 if n < 20 else 10 if n < 1000 else 100 if n < 10_000 else 1000
    return f"{-(-n // step) * step:,}"


# --- shares people type ---------------------------------------------------------------------


def read_share(place: str, typed: str) -> tuple[float, str]:
    """Return the share in [0, 1] that was typed, and a note when a percentage was understood.

    "0.4", "40%" and "40 %" are plain. A bare number above 1 and up to 100 can only be a
    percentage: "40" is 0.4, with the note "40 read as 40 %". 1 stays 1, and the note says how to
    type one percent. Anything else (negative, above 100, words, nothing, NaN) raises InputError
    naming `place`.
    """
    text = typed.replace(NBSP, " ").strip()
    if not text:
        raise InputError(place, "it is empty.", "Write 40 % as 0.4 or 40%.")
    marked = text.endswith("%")
    try:
        number = math.nan if "_" in text else float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    if not 0 <= number <= 100:
        raise InputError(
            place, f"{show(typed)} is no share between 0 and 1.", "Write 40 % as 0.4 or 40%."
        )
    if marked:
        return number / 100, ""
    if number > 1:
        return number / 100, f"{text} read as {text}{NBSP}%"
    if number == 1:
        return number, f"{text} read as 100{NBSP}%; type 1{NBSP}% for one percent"
    return number, ""


def share_read_as(typed: str, share: float) -> str:
    """Say which percentage a bare number below 1 stands for: "0.5 read as 50 %"; else nothing."""
    text = typed.replace(NBSP, " ").strip()
    return "" if text.endswith("%") or not 0 < share < 1 else f"{text} read as {share_text(share)}"


_COUNTED = re.compile(r"([\d.,]+)\s*(?:/|of)\s*([\d.,]+)", re.IGNORECASE)
_RANGED = re.compile(r"(.+?)\s*\(\s*([\d.]+)\s*%?\s*(?:–|-|to)\s*([\d.]+)\s*%\s*\)")


def read_rate(place: str, typed: str) -> tuple[Input, str]:
    """Return the rate that was typed: a share as `read_share` takes it, or counts.

    "12 of 40" and "12/40" are a measured rate, which has an interval; "12 of 40 (14–50 %)" and
    "30 % (14–50 %)" have the one in brackets, in percent. Raises InputError naming `place`.
    """
    text = typed.replace(NBSP, " ").strip()
    if (ranged := _RANGED.fullmatch(text)) is not None:
        return _read_ranged(place, typed, *ranged.groups())
    counted = _COUNTED.fullmatch(text)
    if counted is None:
        value, note = read_share(place, typed)
        return Input(value), note
    try:
        k, n = (float(part.replace(",", "")) for part in counted.groups())
    except ValueError:
        k, n = math.nan, math.nan
    if not 0 <= k <= n < math.inf or n == 0:
        raise InputError(place, f"{show(typed)} are no counts.", "Write them like 12 of 40.")
    return Input(k / n, k, n), f"{percent(k / n)}, measured"


def _read_ranged(place: str, typed: str, rate: str, low: str, high: str) -> tuple[Input, str]:
    """Return a rate with the interval in brackets; ends rounded past the rate are moved to it."""
    point, _ = read_rate(place, rate)
    try:
        ends = float(low) / 100, float(high) / 100
    except ValueError:
        ends = math.nan, math.nan
    value, slack = point.value, 0.0006
    if not (0 <= ends[0] <= value + slack and value - slack <= ends[1] <= 1 and ends[0] < ends[1]):
        raise InputError(
            place, f"{show(typed)} is no rate inside its interval.",
            "Write it like 12 of 40 (14–50 %).",
        )  # fmt: skip
    counts: tuple[int | None, int] = (None, 1)
    if point.k is not None and point.n is not None and point.k % 1 == point.n % 1 == 0:
        counts = int(point.k), int(point.n)
    found = Input.as_sure_as(Estimate(value, min(ends[0], value), max(ends[1], value), *counts))
    note = f"{percent(value)}, measured"
    return found, f"{note}; interval widened for shared samples" if counts[0] is not None else note


NEAR_GREEDY = (
    "These draws are near-greedy: almost every task gives the same result each time. They are no "
    "retry arm; draw again with sampling switched on."
)


def rate_typed(rate: Input) -> str:
    """Return a rate as people type it, so that `read_rate` reads it again: "12 of 40", "40 %".

    With an interval wider than its counts have by themselves that follows in brackets.
    """
    if rate.k is None or rate.n is None:
        return share_text(rate.value)
    if rate.ends is None:
        return f"{rate.k:.7g} of {rate.n:.7g}"
    low, high = (f"{100 * end:.1f}" for end in rate.ends)
    point = f"{100 * rate.value:.4g} %"
    if rate.behind is not None:
        point = f"{rate.behind[0]} of {rate.behind[1]}"
    return f"{point} ({low}–{high} %)"


def read_amount(place: str, typed: str, most: float, unit: str) -> float:
    """Return the number from 0 to `most` that was typed, thousands separated or not."""
    text = typed.replace(NBSP, " ").replace(",", "").replace(" ", "").lstrip("$")
    if not text:
        raise InputError(place, "it is empty.", f"Give {unit} from 0 to {most:,.0f}.")
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise InputError(
            place, f"{show(typed)} is no number from 0 to {most:,.0f}.", f"Give {unit}."
        )
    return number


def read_whole(place: str, typed: str, least: int, most: int) -> int:
    """Return the whole number from `least` to `most` that was typed; else raise InputError."""
    text = typed.strip()
    if not text:
        raise InputError(place, "it is empty.", f"Give a whole number from {least} to {most}.")
    digits = text.isascii() and text.isdigit() and len(text) < 10
    if not digits or not least <= int(text) <= most:
        raise InputError(
            place, f"{show(typed)} is no whole number from {least} to {most}.", "Give one."
        )
    return int(text)


def share_text(share: float) -> str:
    """Return a share as people type it, without losing digits: 0.5528 is "55.28 %"."""
    return f"{share * 100:.6g} %"


# --- a loop against retries -----------------------------------------------------------------

_NUMBERS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def in_words(n: int, one: str, many: str | None = None) -> str:
    """Return "one round", "three rounds", "20 rounds"."""
    return f"{_NUMBERS[n] if n < len(_NUMBERS) else n} {one if n == 1 else many or one + 's'}"


def capital(text: str) -> str:
    """Return text with its first letter large."""
    return text[:1].upper() + text[1:]


def point_gap(difference: float) -> str:
    """Return the size of a difference of shares: 0.066 is "6.6 points"."""
    return f"{abs(difference) * 100:.1f} points"


def points(difference: Result) -> str:
    """Return a difference of shares as "6.6 points (95 %: −2.0 to 15.1)", or why there is none."""
    if isinstance(difference, Undefined):
        return difference.reason
    value, low, high = (
        decimal(100 * x, 1) for x in (difference.value, difference.low, difference.high)
    )
    return f"{value} points (95\u00a0%: {low} to {high})"


def ahead(difference: float) -> str:
    """Say who leads by how much, from the loop's share minus the retries'."""
    if abs(difference) < 0.0005:
        return "the two are level"
    who = "the loop is" if difference > 0 else "retries are"
    return f"{who} ahead by {point_gap(difference)}"


def loop_against_retries(cap: int, loop: Arm, retry: Arm) -> str:
    """Return the one sentence about both arms; accepted and good once bad drafts get through."""
    sound = loop.precision in (None, 1) and retry.precision in (None, 1)
    if cap == 1:
        first = f"One draft and one check accept {percent(loop.accepted)}"
        good = "" if loop.precision is None or sound else percent(loop.precision)
        return f"{first}{f'; {good} of those are good' if good else ''}."
    rounds, tries = in_words(cap, "round"), in_words(cap, "try", "tries")
    what, of_loop, of_retry = "accept", loop.accepted, retry.accepted
    if not sound:
        what, of_loop, of_retry = "accept good work on", loop.accepted_good, retry.accepted_good
    return (
        f"{capital(rounds)} with feedback {what} {percent(of_loop)}; {tries} {what} "
        f"{percent(of_retry)}: {ahead(of_loop - of_retry)}."
    )


def break_even_words(p: float, found: Calculation) -> str:
    """Return the break-even repair rate, "every rate: …" where r plays no part, or "none: …"."""
    if found.every_r:
        return f"every rate: the loop equals retries whatever r is{_because(p, found.loop)}"
    if found.break_even_r is None:
        return "none: no single repair rate makes the loop equal retries"
    if p == 0:
        return f"{percent(0)}: no fresh draw is good, so any rate above it puts the loop ahead"
    return percent(found.break_even_r)


def _because(p: float, loop: Arm) -> str:
    if p == 1:
        return ", for no draft is bad"
    if loop.accepted_good == 0:
        return ", for no good draft is accepted"
    return ", for nothing is revised" if loop.rounds == 1 else ""


def amount(value: float) -> str:
    """Return a quantity as people read it: 12,300, 123, 12.3, 1.23; thousands are grouped."""
    size = abs(value)
    return f"{value:,.{0 if size >= 100 or value == int(value) else 1 if size >= 10 else 2}f}"


def dollars(value: float) -> str:
    """Return US dollars with enough digits to compare small ones: $1,234, $12.34, $0.0123."""
    size = abs(value)
    digits = 0 if size >= 1000 else 2 if size >= 1 or value == 0 else 4 if size >= 0.001 else 6
    return f"${value:,.{digits}f}"


def per_output(calls: float | None) -> str:
    """Return calls per output, or a dash where there is no output to divide by."""
    return "–" if calls is None else decimal(calls)


def share_or_none(share: float | None) -> str:
    """Return a share, or a dash where nothing was there to take a share of."""
    return "–" if share is None else percent(share)


# --- recorded loops ---------------------------------------------------------------------------

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
