"""What lint says: a finding, and the change that one click applies to a draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from core.errors import InputError


@dataclass(frozen=True)
class Patch:
    """A change to a contract's plain data: the values it was made for, and those in their place.

    With `position`, the criterion that stood there (`was`) is replaced by the criteria in `now`;
    none of them removes it. Without, `was` and `now` hold fields of the contract itself. `label`
    says in a few words what happens, for a button.
    """

    label: str
    was: Any
    now: tuple[dict[str, Any], ...] | dict[str, Any]
    position: int | None = None


@dataclass(frozen=True)
class Finding:
    """One weakness: the criterion it is about (None: the contract), the rule, why, what to do.

    `position` is the criterion's place in the list, from 0, for drafts whose keys are missing or
    stand twice. `patch` is None where no honest rewrite exists; `fix` then says what to do.
    """

    criterion: str | None
    rule: str
    message: str
    fix: str
    patch: Patch | None = field(default=None)
    position: int | None = field(default=None)


def apply(data: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    """Return a copy of the draft `data` with the patch of `finding` applied; `data` stays as it is.

    Raises InputError when the finding has no patch, or the draft no longer holds what the patch
    was made for: nothing somebody wrote since is overwritten.
    """
    place = finding.criterion or "contract"
    patch = finding.patch
    if patch is None:
        raise InputError(place, "nothing here can be changed automatically.", finding.fix)
    made = deepcopy(dict(data))
    gone = InputError(place, "it has changed since it was looked at.", "Look at it again.")
    if isinstance(patch.now, dict):
        if any(made.get(name) != value for name, value in patch.was.items()):
            raise gone
        return made | deepcopy(patch.now)
    criteria = list(made.get("criteria") or ())
    if not 0 <= (position := _where(criteria, patch)) < len(criteria):
        raise gone
    criteria[position : position + 1] = deepcopy(list(patch.now))
    return made | {"criteria": criteria}


def _where(criteria: list[Any], patch: Patch) -> int:
    """Return where the criterion stands now: criteria before it may have come or gone."""
    position = patch.position or 0
    if position < len(criteria) and criteria[position] == patch.was:
        return position
    return criteria.index(patch.was) if criteria.count(patch.was) == 1 else -1


def follow(
    names: Sequence[str], data: Mapping[str, Any], finding: Finding, new: str = ""
) -> tuple[str, ...]:
    """Return `names`, one a criterion of the draft `data`, as they stand after `apply`.

    The first criterion put in keeps the name of the one replaced, the others get `new`. Raises
    InputError as `apply` does.
    """
    apply(data, finding)
    patch = finding.patch
    if patch is None or isinstance(patch.now, dict):
        return tuple(names)
    position = _where(list(data.get("criteria") or ()), patch)
    count = len(patch.now)
    put = (*names[position : position + min(count, 1)], *[new] * (count - 1))
    return (*names[:position], *put, *names[position + 1 :])
