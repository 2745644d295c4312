"""Two people changed the same contract: both changes kept, true conflicts named.

Works on plain data, because one side is a draft that may not be a valid contract yet. Where both
changed the same field, the draft's value stays in the draft and the conflict says what theirs is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Merged:
    """The merged contract data, the origin key of each criterion, and what needs a decision."""

    contract: dict[str, Any]
    origins: tuple[str, ...]
    conflicts: tuple[str, ...]


def merge(base: Data, mine: Data, theirs: Data, origins: tuple[str, ...]) -> Merged:
    """Return `theirs` with the changes from `base` to `mine` applied.

    `origins[i]` is the key in `base` of criterion i of `mine`, "" for a new one; `theirs` keeps
    the keys of `base` or adds its own.
    """
    conflicts: list[str] = []
    settings = _merge(_without(base), _without(mine), _without(theirs), "", conflicts)
    was = {c["key"]: c for c in base["criteria"]}
    have = {c["key"]: c for c in theirs["criteria"]}
    edited = {origin: c for origin, c in zip(origins, mine["criteria"], strict=True) if origin}
    criteria: list[tuple[str, dict[str, Any]]] = []
    for key, their in have.items():
        if key not in was:
            criteria.append((key, dict(their)))
        elif key in edited:
            criteria.append((key, _merge(was[key], edited[key], their, f"{key}, ", conflicts)))
        elif their != was[key]:
            conflicts.append(f"{key}: you deleted it, they changed it; it is kept")
            criteria.append((key, dict(their)))
    for origin, c in zip(origins, mine["criteria"], strict=True):
        if not origin or (origin not in have and c != was[origin]):
            if origin:
                conflicts.append(f"{origin}: they deleted it, you changed it; it is kept")
            criteria.append(("", dict(c)))
    return Merged(
        {**settings, "criteria": [c for _, c in criteria]},
        tuple(origin for origin, _ in criteria),
        tuple(conflicts),
    )


def _without(data: Data) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k != "criteria"}


def _merge(
    base: Data, mine: Data, theirs: Data, place: str, conflicts: list[str]
) -> dict[str, Any]:
    """Merge field by field; nested mappings are merged too, except a check, which is one thing."""
    merged: dict[str, Any] = {}
    for key in dict.fromkeys([*theirs, *mine]):
        b, m, t = base.get(key), mine.get(key), theirs.get(key)
        if key != "check" and isinstance(m, Mapping) and isinstance(t, Mapping):
            value: Any = _merge(
                b if isinstance(b, Mapping) else {}, m, t, f"{place}{key}.", conflicts
            )
        elif m == b:
            value = t
        else:
            value = m
            if t not in (b, m):
                conflicts.append(f"{place}{key}: yours is kept, theirs is {t!r}")
        if value is not None:
            merged[key] = value
    return merged
