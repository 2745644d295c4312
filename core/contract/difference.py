"""What changed between two versions of a contract, in words, and what the change makes stale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.contract.contract import Contract
from core.contract.criterion import Criterion


class ChangeKind(StrEnum):
    """The ways in which a contract changes."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    REWORDED = "reworded"
    CHECK = "check changed"
    REWEIGHTED = "re-weighted"
    MOVED = "moved"
    SETTING = "setting"


@dataclass(frozen=True)
class Change:
    """One change: its kind, where (criterion key or setting), before and after as text."""

    kind: ChangeKind
    where: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Stale:
    """Keys (of the newer version) whose labels or verdicts were given for another wording."""

    labels: tuple[str, ...]
    verdicts: tuple[str, ...]


def differences(
    old: Contract, new: Contract, renames: Mapping[str, str] | None = None
) -> list[Change]:
    """Return the changes from `old` to `new`; `renames` maps old keys to new ones."""
    renames = renames or {}
    now = {c.key: c for c in new.criteria}
    pairs = [(c, now.get(renames.get(c.key, c.key))) for c in old.criteria]
    known = {after.key for _, after in pairs if after is not None}
    changes = [
        Change(ChangeKind.ADDED, c.key, after=c.question)
        for c in new.criteria
        if c.key not in known
    ]
    for before, after in pairs:
        if after is None:
            changes.append(Change(ChangeKind.REMOVED, before.key, before=before.question))
        else:
            changes += _criterion(before, after)
    kept_before = [after.key for _, after in pairs if after is not None]
    kept_after = [c.key for c in new.criteria if c.key in known]
    if kept_before != kept_after:
        changes.append(
            Change(ChangeKind.MOVED, "criteria", ", ".join(kept_before), ", ".join(kept_after))
        )
    settings = dict(_flat(new.to_data()))
    earlier = dict(_flat(old.to_data()))
    for path in dict.fromkeys([*earlier, *settings]):
        if earlier.get(path) != settings.get(path):
            changes.append(
                Change(
                    ChangeKind.SETTING, path, _shown(earlier.get(path)), _shown(settings.get(path))
                )
            )
    return changes


def stale(old: Contract, new: Contract, renames: Mapping[str, str] | None = None) -> Stale:
    """Return whose labels and verdicts a change from `old` to `new` makes stale."""
    renames = renames or {}
    now = {c.key: c for c in new.criteria}
    pairs = [
        (c, now[key])
        for c in old.criteria
        # Equal criteria have equal hashes, and comparing is what 500 of them can afford.
        if (key := renames.get(c.key, c.key)) in now and c != now[key]
    ]
    return Stale(
        tuple(b.key for a, b in pairs if a.question_hash != b.question_hash),
        tuple(b.key for a, b in pairs if a.verdict_hash != b.verdict_hash),
    )


def _criterion(before: Criterion, after: Criterion) -> Iterator[Change]:
    if before.key != after.key:
        yield Change(ChangeKind.RENAMED, after.key, before.key, after.key)
    for field, name in (
        ("question", "question"),
        ("pass_example", "example that passes"),
        ("fail_example", "example that fails"),
    ):
        was, now = getattr(before, field), getattr(after, field)
        if was != now:
            yield Change(ChangeKind.REWORDED, f"{after.key}, {name}", was, now)
    if (before.checked_by, before.check) != (after.checked_by, after.check):
        yield Change(ChangeKind.CHECK, after.key, _by(before), _by(after))
    if before.weight != after.weight:
        yield Change(ChangeKind.REWEIGHTED, after.key, f"{before.weight:g}", f"{after.weight:g}")


def _by(c: Criterion) -> str:
    if c.check is None:
        return c.checked_by.value
    rest = ", ".join(f"{k} {v}" for k, v in c.check.items() if k != "kind")
    return f"code: {c.check['kind']}" + (f" ({rest})" if rest else "")


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting outside the criteria as (dotted path, value)."""
    for key, value in data.items():
        if prefix == "" and key == "criteria":
            continue
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _shown(value: Any) -> str:
    return "not set" if value is None or value == "" else str(value)
