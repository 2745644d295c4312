"""Known loops as settings of this one: what differs between them is the plan, not the engine.

Two things of this engine stay in all of them. A draft that came back is not judged again, so a
preset makes one call less there than the system it follows. And acceptance is computed from the
verdicts, never taken from a model's own word.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.contract.contract import Budget, Contract, Keep, StopRule, Threshold
from core.errors import InputError
from core.judging.prompt import JudgeOptions
from core.loop.engine import Walk
from core.loop.generator import GeneratorOptions
from core.loop.plan import Facts, Plan
from core.loop.stop import NO_PROGRESS, Exit


class Preset(StrEnum):
    """The loops there are settings for."""

    THREE_EXITS = "three exits"
    DRAFT_AND_JUDGE = "draft and judge"
    REFINE = "refine"
    WEIGHTED_RUBRIC = "weighted rubric"
    SELF_REVIEW = "self-review"
    NOTES = "notes remembered"
    TOOL_GROUNDED = "tool-grounded critic"


@dataclass(frozen=True)
class About:
    """What a person should know before choosing a preset; `warning` is empty where there is none."""

    what: str
    warning: str = ""


ABOUT: dict[Preset, About] = {
    Preset.THREE_EXITS: About(
        "Ends on pass, on no progress (K rounds without a higher score, or a draft that came "
        "back) or at the cap, and hands back the best draft."
    ),
    Preset.DRAFT_AND_JUDGE: About(
        "Two calls a round, 2N at a cap of N; hands back the last draft and whether it passed.",
        "The last draft is not the best one: nothing ranks them.",
    ),
    Preset.REFINE: About(
        "Starts from a draft that is there and revises it at most so many times; ends as soon as "
        "a revision does not score higher than the draft before."
    ),
    Preset.WEIGHTED_RUBRIC: About(
        "Accepts when the weights of the passing criteria reach a minimum, under a budget; an "
        "evaluator that breaks ends it with an error of its own, never with a low score."
    ),
    Preset.SELF_REVIEW: About(
        "The writer reviews its draft in the conversation in which it wrote it.",
        "It adds no information: the same model reads with the same blind spots, in a context that "
        "defends the text. Expect rubber stamps, and never let it be the only evaluator.",
    ),
    Preset.NOTES: About(
        "After every failed round the writer notes what went wrong, and all notes stand in every "
        "further attempt.",
        "One more call a round. If the check passes bad work, so do the notes.",
    ),
    Preset.TOOL_GROUNDED: About(
        "A tool looks up facts about every draft, and the judge is given what it found.",
        "It is worth what the tool finds; on claims no tool can check it is a plain judge.",
    ),
}


def rule_of(
    preset: Preset, cap: int, window: int, keep: Keep, budget: Budget, on_failure: str = ""
) -> StopRule:
    """Return the stop rule a preset makes of what was asked; a preset fixes what it is known for.

    For `REFINE` the cap counts revisions (0 or more), one less than drafts. Raises InputError for
    a weighted rubric without a ceiling, since a budget is what ends that loop.
    """
    if preset is Preset.REFINE:
        cap, window, keep = cap + 1, 1, Keep.BEST
    elif preset is Preset.DRAFT_AND_JUDGE:
        window, keep = cap, Keep.LAST
    elif preset is Preset.WEIGHTED_RUBRIC:
        window, keep = cap, Keep.BEST
        _refuse_endless(budget)
    elif preset is Preset.THREE_EXITS:
        keep = Keep.BEST
    return StopRule(cap=cap, window=window, keep=keep, budget=budget, on_failure=on_failure)


def _refuse_endless(budget: Budget) -> None:
    if budget == Budget():
        raise InputError("budget", "it has no ceiling.", "Set calls, tokens, usd or seconds.")


def three_exits(
    contract: Contract, writer: GeneratorOptions, judge: JudgeOptions | None, cap: int, window: int
) -> Plan:
    """Return the loop that ends on pass, no progress or cap and keeps the best draft."""
    return Plan(_stopping(contract, cap=cap, window=window, keep=Keep.BEST), writer, judge)


def three_exits_name(exit: Exit) -> str:
    """Return an exit in that loop's words: "pass", "no_progress", "cap", else this project's."""
    if exit in NO_PROGRESS:
        return "no_progress"
    return {Exit.PASS: "pass", Exit.CAP: "cap"}.get(exit, exit.value)


def draft_and_judge(
    contract: Contract, writer: GeneratorOptions, judge: JudgeOptions, rounds: int
) -> Plan:
    """Return the loop of two calls a round that hands back the last draft.

    `rounds` >= 1; 0 and below are refused, since no round means no verdict.
    """
    return Plan(_stopping(contract, cap=rounds, window=rounds, keep=Keep.LAST), writer, judge)


def last_and_passed(walk: Walk) -> tuple[str | None, bool]:
    """Return the draft a walk handed back, and whether it passed."""
    handed = walk.state.draft
    return None if handed is None else handed.draft, walk.state.accepted


def refine(
    contract: Contract, writer: GeneratorOptions, judge: JudgeOptions | None, max_rounds: int
) -> Plan:
    """Return the loop of at most `max_rounds` revisions of a draft that is there.

    The draft goes into the task (`Task.draft`). The cap here counts drafts, so it is one more.
    """
    if max_rounds < 0:
        raise InputError("max_rounds", f"{max_rounds} is below 0.", "Give 0 or more revisions.")
    return Plan(_stopping(contract, cap=max_rounds + 1, window=1, keep=Keep.BEST), writer, judge)


def refine_reason(exit: Exit) -> str:
    """Return an exit in that loop's words; this project's where it has none."""
    return {
        Exit.PASS: "passed",
        Exit.NO_CHANGE: "no change",
        Exit.PLATEAU: "no progress",
        Exit.CYCLE: "no progress",
        Exit.CAP: "max rounds",
    }.get(exit, exit.value)


def weighted_rubric(
    contract: Contract, writer: GeneratorOptions, judge: JudgeOptions, budget: Budget, cap: int
) -> Plan:
    """Return the loop that a weighted rubric ends, under a budget.

    Raises InputError where there is no threshold (a rubric without one passes anything) or no
    ceiling in the budget.
    """
    if not isinstance(contract.acceptance, Threshold):
        raise InputError("acceptance", "it has no threshold.", "Set rule: threshold and a minimum.")
    _refuse_endless(budget)
    rule = {"cap": cap, "window": cap, "keep": Keep.BEST, "budget": budget}
    return Plan(_stopping(contract, **rule), writer, judge)


def self_review(contract: Contract, writer: GeneratorOptions, judge: JudgeOptions) -> Plan:
    """Return the loop in which the writer reviews itself; the judge's model is the writer's."""
    return Plan(contract, writer, replace(judge, model=writer.model), self_review=True)


def with_notes(contract: Contract, writer: GeneratorOptions, judge: JudgeOptions | None) -> Plan:
    """Return the loop whose writer keeps notes about its failures."""
    return Plan(contract, writer, judge, notes=True)


def tool_grounded(
    contract: Contract, writer: GeneratorOptions, judge: JudgeOptions, facts: Facts
) -> Plan:
    """Return the loop whose judge is given what `facts` finds out about each draft."""
    return Plan(contract, writer, judge, facts=facts)


def _stopping(contract: Contract, **rule: object) -> Contract:
    """Return the contract with another stop rule; raises InputError for one that never stops."""
    kept = {"budget": contract.stop.budget, "on_failure": contract.stop.on_failure, **rule}
    data = StopRule.model_construct(**kept)  # type: ignore[arg-type]
    return Contract.from_data({**contract.to_data(), "stop": data.model_dump(mode="json")})
