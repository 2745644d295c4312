"""An evaluator's place on the ladder: ranked by what its verdict knows that the writer did not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EvaluatorType(StrEnum):
    """The six rungs, strongest first; people are not a rung."""

    EXECUTED_CHECK = "executed_check"
    REFERENCE_ANSWER = "reference_answer"
    TOOL_GROUNDED_CRITIC = "tool_grounded_critic"
    RUBRIC_OTHER_MODEL = "rubric_other_model"
    RUBRIC_SAME_MODEL = "rubric_same_model"
    SELF_REVIEW = "self_review"


@dataclass(frozen=True)
class Rung:
    """One row of the ladder: its name for people, what it adds, and how it goes wrong."""

    title: str
    adds: str
    fails_by: str


LADDER: dict[EvaluatorType, Rung] = {
    EvaluatorType.EXECUTED_CHECK: Rung(
        "Executed check (tests, compiler, schema, query)",
        "A fact: the work was run.",
        "Passing what it does not exercise; flaky checks.",
    ),
    EvaluatorType.REFERENCE_ANSWER: Rung(
        "Reference answer for this input",
        "The known-good answer to this very input.",
        "Punishing valid alternatives; leaking the answer to the writer.",
    ),
    EvaluatorType.TOOL_GROUNDED_CRITIC: Rung(
        "Critic with tools",
        "Facts fetched for claims a tool can check.",
        "Bad retrieval; claims no tool can check.",
    ),
    EvaluatorType.RUBRIC_OTHER_MODEL: Rung(
        "Rubric judge, different model",
        "Written criteria and other training.",
        "Lenience, harshness, blind spots shared with the writer.",
    ),
    EvaluatorType.RUBRIC_SAME_MODEL: Rung(
        "Rubric judge, same model, fresh context",
        "Written criteria and no memory of writing the output.",
        "All of the row above, and preferring its own work.",
    ),
    EvaluatorType.SELF_REVIEW: Rung(
        "Self-review in the writer's conversation",
        "Nothing new.",
        "A rubber stamp: never enough on its own.",
    ),
}
