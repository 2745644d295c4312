"""What a model judge is called on screen, in exports and in files: what it is and how it is asked."""

from __future__ import annotations

from core.judging.prompt import MAX_TOKENS, JudgeOptions
from core.providers.scripted import SCRIPTED

SCRIPTED_NAME = "scripted (demonstration, no model)"


def judge_name(options: JudgeOptions, instructions: int) -> str:
    """Return "claude-haiku-5-5 · instructions 2 · effort low"; what is usual is left out.

    `instructions` is the number of the instructions in the project. A scripted judge says it is one.
    """
    parts = [SCRIPTED_NAME if options.model == SCRIPTED else options.model]
    parts.append(f"instructions {instructions}")
    if options.effort is not None:
        parts.append(f"effort {options.effort}")
    if options.one_call_each:
        parts.append("one call each")
    if options.receives_reference:
        parts.append("sees the reference")
    if options.examples:
        parts.append(f"{len(options.examples)} few-shot")
    if options.max_tokens != MAX_TOKENS:
        parts.append(f"ceiling {options.max_tokens:,}")
    return " · ".join(parts)
