"""Worked examples of the arithmetic: inputs, what the example is about, invented for teaching."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.statistics.counts import Counts
from core.statistics.worked import Inputs

_BASE = Inputs(p=0.4, r=0.5, cap=3)
_CRITIC = Inputs(p=0.6, r=0.5, cap=1, critic=True, far=0.3, frr=0.1)

INVOICES = Counts(
    tasks=200, first=140, rescued=48, redrawn=39, wrong_first=14, wrong_rescued=6, cap=3
)
"""Invoice extraction behind a schema validator; 14 and 6 of the accepted hold a wrong value."""


@dataclass(frozen=True)
class Example:
    """A set of inputs and the figures of the page it is about, by their names there.

    `shows` says in a sentence what to see; `counts` fills the panel of measured counts.
    """

    title: str
    inputs: Inputs
    about: tuple[str, ...]
    shows: str
    counts: Counts | None = None


EXAMPLES = {
    "three-tries": Example(
        "Three tries at 40 %",
        _BASE,
        ("pass_at", "pass_hat", "envelope"),
        "Three tries give at least one good draft far more often than three good ones. A check "
        "picks the winner, so at least one is what the loop has to beat.",
    ),
    "repair-30": Example(
        "Repair rate 0.3",
        replace(_BASE, r=0.3),
        ("loop", "lead"),
        "Feedback that repairs less often than a fresh draw passes makes the loop worse.",
    ),
    "repair-40": Example(
        "Repair rate 0.4",
        replace(_BASE, r=0.4),
        ("loop", "lead"),
        "With independent draws the loop equals retries when r equals p.",
    ),
    "repair-50": Example(
        "Repair rate 0.5",
        _BASE,
        ("loop", "lead"),
        "Feedback that repairs more often than a fresh draw passes pays.",
    ),
    "code-check": Example(
        "Code check: 2.24 calls per accepted",
        _BASE,
        ("rounds", "calls", "ends"),
        "A check in code makes a round one call: 1.90 rounds ÷ 85.0 % accepted.",
    ),
    "model-critic": Example(
        "Model critic: 4.47 calls per accepted",
        replace(_BASE, critic=True),
        ("calls",),
        "A critic doubles the calls of every round: 3.80 calls ÷ 85.0 % accepted.",
    ),
    "retries-code": Example(
        "Retries behind a code check: 2.50",
        _BASE,
        ("retry_calls",),
        "1.96 expected tries ÷ 78.4 % accepted; with independent draws this is 1 ÷ p at every cap.",
    ),
    "retries-critic": Example(
        "Retries behind a model critic: 5.00",
        replace(_BASE, critic=True),
        ("retry_calls",),
        "The critic reads every try as well: twice 2.50.",
    ),
    "critic-60": Example(
        "Critic at 60 % good drafts",
        _CRITIC,
        ("loop", "precision", "sent_back", "calls"),
        "This critic passes 90 % of good drafts and 30 % of bad ones, in one round.",
    ),
    "critic-95": Example(
        "Critic at 95 % good drafts",
        replace(_CRITIC, p=0.95),
        ("sent_back",),
        "The same critic with a better generator: most of what it sends back was good.",
    ),
    "passes-everything": Example(
        "Critic that passes everything",
        replace(_CRITIC, far=1.0, frr=0.0),
        ("loop", "precision", "calls"),
        "Accepted is 100 %, good is what it was without a critic, for twice the calls.",
    ),
    "never-passes": Example(
        "A task that never passes: six calls",
        Inputs(p=0, r=0, cap=3, critic=True),
        ("most_calls",),
        "Draft, verdict, draft, verdict, draft, verdict: two calls a round, and every draft read.",
    ),
    "invoices": Example(
        "Invoices: 91 % against 65 %",
        Inputs(p=0.7, r=0.5528, cap=3, fresh=0.65),
        ("loop", "lead", "break_even", "fresh"),
        "Of 60 first-draft failures independence promises retries 91 %; they rescued 65 %. So a "
        "repair rate below p is enough: the loop rescued 80 %.",
        INVOICES,
    ),
}
"""In the order in which they are offered; the first is the one the page opens on."""
