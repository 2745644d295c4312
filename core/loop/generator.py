"""What the writer is sent: the task first, and after a failed round its own draft with the failures.

A revision prompt holds the last draft byte for byte and every failure whole and unedited, one
bullet each: a summary of a failure is worse feedback than the failure. Criteria that code checks
also stand in the task, so that the writer stops violating them; judged criteria do not, since a
writer that reads the judge's questions writes for the judge.

Nothing of the reference answer is sent: an answer told is no answer found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.contract.contract import Contract
from core.contract.criterion import CheckedBy
from core.errors import InputError, show
from core.judging.calls import Message, ModelCall, Role
from core.judging.prompt import EFFORTS, sendable
from core.text import content_hash
from core.verdict import CriterionVerdict, Verdict

MAX_TOKENS = 8192
WITHHELD = "[the reference answer, not shown]"
"""Stands where a judge that was given the reference quoted it."""
_LEAST_QUOTE = 2
"""Characters from which a reference is cut out of feedback; a single one is no answer told."""

DEFAULT_INSTRUCTIONS = """\
You do the task below. Reply with the finished text alone: no preface, no comment on your work, no \
alternatives."""

FIX = (
    "Your last draft did not pass. Fix only what is listed and keep the rest as it is, word for "
    "word. Reply with the whole corrected text alone."
)
_NOTE = (
    "Your last draft did not pass. Do not write a new one now: say in one or two sentences what you "
    "did wrong and what to watch for in every further attempt. Reply with these sentences alone."
)


@dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """How the writer is asked.

    `effort` is one of `EFFORTS` or None. `max_tokens` >= 1 is the ceiling of one draft, thinking
    included; the model is not told. Raises InputError for anything else.
    """

    model: str
    effort: str | None = None
    max_tokens: int = MAX_TOKENS
    instructions: str = DEFAULT_INSTRUCTIONS

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("model", "no model is named.", "Name the model that writes.")
        if self.effort is not None and self.effort not in EFFORTS:
            raise InputError(
                "effort", f"{show(self.effort)} is no level.", f"Use one of {', '.join(EFFORTS)}."
            )
        if self.max_tokens < 1:
            raise InputError("max_tokens", f"{self.max_tokens} is below 1.", "Give 1 or more.")

    @property
    def hash(self) -> str:
        """Identity of a writer: model, effort, ceiling, instructions."""
        return content_hash([self.model, self.effort, self.max_tokens, self.instructions])


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the writer has behind it: its last draft, what failed there, and notes it may keep.

    `notes` are lines remembered across rounds or attempts, oldest first; empty in the plain loop.
    """

    draft: str
    feedback: str
    notes: tuple[str, ...] = ()


def first_call(contract: Contract, input: str, options: GeneratorOptions) -> ModelCall:
    """Return the call for a first draft; a retry sends the same, byte for byte."""
    return _call(options, task_text(contract, input))


def revision_call(
    contract: Contract, input: str, last: Attempt, options: GeneratorOptions
) -> ModelCall:
    """Return the call for the next draft of a loop."""
    parts = [task_text(contract, input)]
    if last.notes:
        parts.append("# Notes from earlier attempts\n" + "\n".join(_bullet(n) for n in last.notes))
    parts += [f"# Your last draft\n{last.draft}", f"# What failed\n{last.feedback}", FIX]
    return _call(options, "\n\n".join(parts))


def note_call(
    contract: Contract, input: str, last: Attempt, options: GeneratorOptions
) -> ModelCall:
    """Return the call that asks the writer for a note to itself about what failed."""
    parts = [task_text(contract, input), f"# Your last draft\n{last.draft}"]
    parts += [f"# What failed\n{last.feedback}", _NOTE]
    return _call(options, "\n\n".join(parts))


def task_text(contract: Contract, input: str) -> str:
    """Return the task: the contract's, the sample's input, and what code will check."""
    parts = [f"# Task\n{contract.task}"] if contract.task else []
    if input:
        parts.append(f"# Input\n{input}")
    checked = [
        _bullet(c.question or c.key) for c in contract.criteria if c.checked_by is CheckedBy.CODE
    ]
    if checked:
        parts.append("# Checked by a program\n" + "\n".join(checked))
    return "\n\n".join(parts)


def feedback_on(
    contract: Contract,
    verdicts: Mapping[str, CriterionVerdict],
    reference: str | None = None,
) -> str:
    """Return every failure as one bullet, in contract order: question, evidence, what to change.

    UNKNOWN counts as a failure and says so. Criteria without a verdict say nothing. Where a judge
    that saw `reference` quotes it, the quotation is cut out and marked.
    """
    said = [
        _failure(c.question or c.key, verdicts[c.key])
        for c in contract.criteria
        if c.key in verdicts and verdicts[c.key].verdict in (Verdict.FAIL, Verdict.UNKNOWN)
    ]
    text = "\n".join(said)
    told = (reference or "").strip()
    if contract.receives_reference and len(told) >= _LEAST_QUOTE:
        text = text.replace(told, WITHHELD)
    return text


def _failure(question: str, verdict: CriterionVerdict) -> str:
    unknown = "it could not be told: " if verdict.verdict is Verdict.UNKNOWN else ""
    lines = [question, f"{unknown}{verdict.evidence}" if verdict.evidence or unknown else ""]
    if verdict.change:
        lines.append(f"Change: {verdict.change}")
    return _bullet("\n".join(line for line in lines if line))


def _bullet(text: str) -> str:
    """Return `text` as a bullet, its further lines indented, nothing cut."""
    return "- " + "\n  ".join(text.split("\n"))


def _call(options: GeneratorOptions, text: str) -> ModelCall:
    return ModelCall(
        model=options.model,
        system=sendable(options.instructions),
        messages=(Message(Role.USER, sendable(text)),),
        max_tokens=options.max_tokens,
        effort=options.effort,
    )
