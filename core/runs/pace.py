"""How fast a run goes and how long it will take, and what its cache was good for, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.runs.summary import Summary
from core.store.ledger import Spent
from core.store.runs import Run, RunState
from core.wording import plural


@dataclass(frozen=True)
class Pace:
    """Judgements a second made by the run itself, and seconds left; None where it cannot be said."""

    seconds: float
    per_second: float | None
    left: float | None


def elapsed(run: Run, at: str) -> float:
    """Return the seconds a run has been executed until the time `at`, as the store writes it."""
    if run.state is not RunState.RUNNING or run.claimed_at is None:
        return run.seconds
    gone = datetime.fromisoformat(at) - datetime.fromisoformat(run.claimed_at)
    return run.seconds + max(gone.total_seconds(), 0.0)


def pace(summary: Summary, run: Run, at: str) -> Pace:
    """Return a run's pace at the time `at` (UTC with offset, as the store writes it)."""
    seconds = elapsed(run, at)
    made = max(summary.done - summary.reused, 0)
    if not made or seconds <= 0:
        return Pace(seconds, None, None)
    rate = made / seconds
    return Pace(seconds, rate, max(run.total - summary.done, 0) / rate)


def cache_words(summary: Summary) -> str:
    """Say what the cache of the judge's system text was good for; "" before a second reply."""
    money = summary.spent
    if money.replies < 2:
        return ""
    if not money.cache_read:
        return (
            "Cache never hit: a text below the model's minimum is not cached, and not every server "
            "has a cache."
        )
    return (
        f"Cache: {money.cache_read:,} of {money.tokens_in:,} tokens in were read from it, in "
        f"{money.cached_calls:,} of {money.replies:,} replies."
    )


def duration(seconds: float) -> str:
    """Return "8 s", "2 min 5 s", "1 h 3 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def cost_words(spent: Spent) -> str:
    """Return what calls cost, "price not set", or that replies did not say what they took."""
    if spent.usd is None and spent.unmetered:
        return f"cost not known: {plural(spent.unmetered, 'reply', 'replies')} without a count of tokens"
    return dollars(spent.usd)


def dollars(usd: float | None) -> str:
    """Return "$0.0123", "$12.50", "under $0.0001", or "price not set"."""
    if usd is None:
        return "price not set"
    if usd == 0:
        return "$0"
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}" if usd >= 0.0001 else "under $0.0001"
