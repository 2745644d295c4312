"""Why a judge may be the wrong one: what can be said from the names of two models alone."""

from __future__ import annotations

from core.providers.prices import Models, find_model
from core.providers.scripted import SCRIPTED

_BLIND_SPOTS = (
    "Models share blind spots: a fault the generator cannot see, its judge may not see either. "
    "Only labels by people show it."
)


def judge_doubts(judge: str, generator: str | None, models: Models) -> tuple[str, ...]:
    """Return, one sentence each, why `judge` may be wrong about what `generator` wrote.

    `generator` None is not known. Which class a model is in comes from the models file; where it
    does not say, nothing is claimed.
    """
    if judge == SCRIPTED:
        return ("This judge is scripted: it follows a rule and reads nothing.",)
    if generator is None:
        return ("It is not known which model wrote the outputs.", _BLIND_SPOTS)
    doubts = []
    known, writer = find_model(models, judge), find_model(models, generator)
    same = judge == generator or (known is not None and known is writer)
    if same:
        doubts.append(
            "The judge is the model that wrote the outputs: a fresh context helps, but it may "
            "prefer its own work."
        )
    elif known is None or writer is None or known.level is None or writer.level is None:
        doubts.append("The class of judge or generator is not stated in the models file.")
    elif known.level < writer.level:
        doubts.append(
            "The judge is below the generator's class: use it only if it agrees with a stronger one."
        )
    return (*doubts, _BLIND_SPOTS)
