"""Contract versions in the store: immutable, numbered, never overwritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from core.contract.contract import Contract
from core.contract.plain import is_blank
from core.errors import InputError, StaleSaveError, show
from core.store import tables as t
from core.store.store import Store, criterion_ids, insert_id, now
from core.store.trace_rows import sum_up_anew


@dataclass(frozen=True)
class Version:
    """One saved contract version; `criteria` maps criterion key to its identity in the store."""

    id: int
    number: int
    name: str
    author: str
    created_at: str
    ready: bool
    contract: Contract
    criteria: Mapping[str, int]


def wording(version: Version) -> dict[int, str]:
    """Return the verdict hash of each criterion of a version, by its identity in the store."""
    return {
        version.criteria[criterion.key]: criterion.verdict_hash
        for criterion in version.contract.criteria
    }


def refuse_incomplete(contract: Contract) -> None:
    """Raise InputError naming the first criterion without question, pass or fail example."""
    for error in _incomplete(contract):
        raise error


def refuse_unready(contract: Contract) -> None:
    """Raise InputError naming the first thing that keeps this contract from being marked ready."""
    for error in blockers(contract):
        raise error


def blockers(contract: Contract) -> Iterator[InputError]:
    """Yield everything that keeps this contract from being marked ready.

    What the criteria do not examine must be said, what the evaluator knows too, and every code
    check must judge the contract's own two examples as written.
    """
    yield from _incomplete(contract)
    for place, text, remedy in (
        ("what the criteria do not examine", contract.does_not_examine, "Name what goes unseen."),
        ("what the evaluator knows", contract.evaluator.knows, "Say what it adds."),
    ):
        if is_blank(text):
            yield InputError(
                place, "it is blank." if not text.strip() else f"{show(text)} says nothing.", remedy
            )
    for criterion in contract.criteria:
        check = criterion.code_check()
        if check is None or check.kind == "recorded":
            continue
        for name, wanted in (("pass_example", "PASS"), ("fail_example", "FAIL")):
            if not getattr(criterion, name).strip():
                continue
            found = check.run(getattr(criterion, name))
            # No verdict (an example has no reference answer, say) is not a wrong one.
            if found.verdict is not None and found.verdict.value != wanted:
                yield InputError(
                    f"criterion {criterion.key!r}",
                    f"its check says {found.verdict} on its own {name.replace('_', ' ')} ({found.evidence}).",
                    "Correct the check or the example.",
                )


def _incomplete(contract: Contract) -> Iterator[InputError]:
    for criterion in contract.criteria:
        for field, what in (
            ("question", "question"),
            ("pass_example", "example that passes"),
            ("fail_example", "example that fails"),
        ):
            if not getattr(criterion, field).strip():
                yield InputError(
                    f"criterion {criterion.key!r}",
                    f"it has no {what}.",
                    "Write one: a criterion nobody can illustrate cannot be judged either.",
                )


def save_version(
    store: Store,
    project_id: int,
    contract: Contract,
    *,
    author: str = "",
    name: str = "",
    based_on: int | None = None,
    renames: Mapping[str, str] | None = None,
    ready: bool = False,
    incomplete: bool = False,
) -> Version:
    """Store `contract` as the next version and return it; `ready` refuses what is not complete.

    `based_on` is the number of the version the author started from (None: there was none). If a
    newer one exists by now, nothing is stored and StaleSaveError names it. Content equal to the
    newest version returns that version. `renames` maps old criterion keys to new ones, so that
    labels stay with the criterion. Raises InputError when a criterion lacks question or examples,
    unless `incomplete`: a command judges by the file it is given.
    """
    if not incomplete:
        (refuse_unready if ready else refuse_incomplete)(contract)
    with store.write(project_id) as c:
        newest = c.execute(_select(project_id).limit(1)).one_or_none()
        number = 0 if newest is None else int(newest.number)
        if number != (based_on or 0):
            who = newest.author if newest is not None and newest.author else "somebody"
            raise StaleSaveError(
                f"Version {number} was saved by {who} after you started from version "
                f"{based_on or 0}. Nothing was overwritten: compare the two, then save again.",
                number,
            )
        if newest is not None and newest.content_hash == contract.content_hash:
            if ready and not newest.ready:
                c.execute(
                    t.contract_version.update()
                    .where(t.contract_version.c.id == newest.id)
                    .values(ready=True)
                )
            return _version(c, c.execute(_select(project_id).limit(1)).one())
        _rename(c, project_id, renames or {})
        ids = criterion_ids(c, project_id, list(contract.keys))
        made = insert_id(
            c,
            t.contract_version,
            project_id=project_id,
            number=number + 1,
            name=name,
            author=author,
            content=contract.to_data(),
            content_hash=contract.content_hash,
            created_at=now(),
            ready=ready,
        )
        c.execute(
            t.contract_criterion.insert(),
            [
                {
                    "contract_version_id": made,
                    "criterion_id": ids[criterion.key],
                    "position": position,
                    "question_hash": criterion.question_hash,
                    "verdict_hash": criterion.verdict_hash,
                }
                for position, criterion in enumerate(contract.criteria)
            ],
        )
        sum_up_anew(c, project_id, contract)
        row = c.execute(_select(project_id).limit(1)).one()
        return _version(c, row)


def mark_ready(store: Store, project_id: int, number: int, ready: bool) -> Version:
    """Mark a saved version as ready, or take that back, and return it; its content stays.

    Raises InputError for a version that is not there, and what `refuse_unready` raises.
    """
    with store.write(project_id) as c:
        row = c.execute(
            _select(project_id).where(t.contract_version.c.number == number)
        ).one_or_none()
        if row is None:
            raise InputError("version", f"there is no version {number}.", "Choose another.")
        if ready:
            refuse_unready(Contract.from_data(row.content, f"stored version {number}"))
        c.execute(
            t.contract_version.update().where(t.contract_version.c.id == row.id).values(ready=ready)
        )
        return replace(_version(c, row), ready=ready)


def _rename(c: sa.Connection, project_id: int, renames: Mapping[str, str]) -> None:
    """Give criteria their new keys, whoever holds these now.

    A key may be held by a criterion that is being renamed too (two keys swapped) or by one that is
    no longer in the contract: that one steps aside under a name that says so.
    """
    table = t.criterion
    query = sa.select(table.c.key, table.c.id).where(table.c.project_id == project_id)
    known = {r.key: r.id for r in c.execute(query)}
    moving = {known[old]: new for old, new in renames.items() if old in known}

    def name(row: int, key: str) -> None:
        c.execute(table.update().where(table.c.id == row).values(key=key))

    for row in moving:
        name(row, f"(moving {row})")
    for new in moving.values():
        holder = known.get(new)
        if holder is not None and holder not in moving:
            name(holder, f"{new} (retired {holder})")
    for row, new in moving.items():
        name(row, new)


def versions(store: Store, project_id: int) -> list[Version]:
    """Return all versions of a project's contract, newest first."""
    with store.read() as c:
        return [_version(c, row) for row in c.execute(_select(project_id)).all()]


def latest_version(store: Store, project_id: int) -> Version | None:
    """Return the newest version of a project's contract, or None."""
    with store.read() as c:
        row = c.execute(_select(project_id).limit(1)).one_or_none()
        return None if row is None else _version(c, row)


def say_same_meaning(store: Store, project_id: int, old: str, new: str, who: str) -> None:
    """Record that two question hashes ask the same thing, so labels of the old one still count."""
    with store.write(project_id) as c:
        table = t.same_meaning
        known = c.scalar(
            sa.select(table.c.id).where(
                table.c.project_id == project_id, table.c.old_hash == old, table.c.new_hash == new
            )
        )
        if known is None:
            c.execute(
                table.insert().values(
                    project_id=project_id, old_hash=old, new_hash=new, who=who, at=now()
                )
            )


def same_question(store: Store, project_id: int, question_hash: str) -> frozenset[str]:
    """Return `question_hash` and every hash somebody said asks the same."""
    with store.read() as c:
        groups = equivalent_hashes(c, project_id)
    return groups.get(question_hash, frozenset({question_hash}))


def equivalent_hashes(connection: sa.Connection, project_id: int) -> dict[str, frozenset[str]]:
    """Return, for each question hash somebody joined to others, all hashes of the same meaning."""
    table = t.same_meaning
    group: dict[str, set[str]] = {}
    for row in connection.execute(sa.select(table).where(table.c.project_id == project_id)):
        merged = group.get(row.old_hash, {row.old_hash}) | group.get(row.new_hash, {row.new_hash})
        for member in merged:
            group[member] = merged
    return {member: frozenset(members) for member, members in group.items()}


def _select(project_id: int) -> sa.Select[Any]:
    table = t.contract_version
    return sa.select(table).where(table.c.project_id == project_id).order_by(table.c.number.desc())


def _version(connection: sa.Connection, row: Any) -> Version:
    rows = connection.execute(
        sa.select(t.contract_criterion.c.criterion_id)
        .where(t.contract_criterion.c.contract_version_id == row.id)
        .order_by(t.contract_criterion.c.position)
    ).all()
    contract = Contract.from_data(row.content, f"stored version {row.number}")
    # By position: a later rename changes the identity's key, not this version's text.
    ids = dict(zip(contract.keys, (int(r.criterion_id) for r in rows), strict=True))
    return Version(
        row.id, row.number, row.name, row.author, row.created_at, row.ready, contract, ids
    )
