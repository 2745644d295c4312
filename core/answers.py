"""What five answers come to, and how they differ from the answers of an earlier day.

The decision is never more than the answers: all yes, or the first that is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.questions import State, Step
from core.wording import plural


def decision_step(before: Sequence[Step]) -> Step:
    """Use the loop when all answers are yes; else the first no, else the first open one, is next."""
    title, asks = "Decision", "Use this loop for this task?"
    yes = sum(step.state is State.YES for step in before)
    numbers = (f"{yes} of {plural(len(before), 'question')} answered yes.",)
    for state in (State.NO, State.OPEN):
        for step in before:
            if step.state is state:
                why = "is no" if state is State.NO else "is not known yet"
                return Step(
                    title,
                    asks,
                    state,
                    (*numbers, f"{step.title} {why}: that comes first."),
                    step.todo,
                    step.page,
                    step.view,
                    step.link,
                    step.otherwise if state is State.NO else "",
                )
    return Step(title, asks, State.YES, (*numbers, "Use it."), "See the arithmetic", "arithmetic")


def answers_of(before: Sequence[Step]) -> dict[str, dict[str, object]]:
    """Return the answers as JSON values, by title: state and numbers, for keeping."""
    return {s.title: {"state": s.state.value, "numbers": list(s.numbers)} for s in before}


def answers_changed(then: Mapping[str, Mapping[str, object]], now: Sequence[Step]) -> list[str]:
    """Return a line for each question that is answered otherwise than it was."""
    said = []
    for step in now:
        was = then.get(step.title)
        if was is not None and was["state"] != step.state.value:
            said.append(f"{step.title} was {was['state']}, now it is {step.state.value}")
    return said
