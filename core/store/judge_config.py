"""What a stored judge is: its name, its kind, and the configuration it judges by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.store import tables as t
from core.store.judgements import JudgeKind
from core.store.store import Store


@dataclass(frozen=True)
class JudgeConfig:
    """One judge; `config` is empty where nobody knows how it was asked (a file, code checks)."""

    id: int
    name: str
    kind: JudgeKind
    config: Mapping[str, Any]
    config_hash: str

    @property
    def asked_here(self) -> bool:
        """Whether this program asks it and can ask it again."""
        return self.kind is JudgeKind.MODEL and "options" in self.config


def judge_configs(store: Store, project_id: int) -> dict[int, JudgeConfig]:
    """Return a project's judges by id, in the order they came."""
    query = sa.select(t.judge).where(t.judge.c.project_id == project_id).order_by(t.judge.c.id)
    with store.read() as c:
        return {
            r.id: JudgeConfig(r.id, r.name, JudgeKind(r.kind), r.config, r.config_hash)
            for r in c.execute(query)
        }


def judges_asked_here(store: Store, project_id: int) -> dict[int, JudgeConfig]:
    """Return the judges this program can ask again, the one that answered last first.

    One that never answered, such as one at a wrong address, comes after all that did.
    """
    last = _last_answers(store, project_id)
    found = [j for j in judge_configs(store, project_id).values() if j.asked_here]
    return {j.id: j for j in sorted(found, key=lambda j: last.get(j.id, 0), reverse=True)}


def judges_that_answered(store: Store, project_id: int) -> dict[int, JudgeConfig]:
    """Return the judges, code checks apart, of which an answer is stored.

    First those this program asks, the one that answered last before the others; then those of files.
    """
    last = _last_answers(store, project_id)
    found = [
        j
        for j in judge_configs(store, project_id).values()
        if j.id in last and j.kind is not JudgeKind.CODE
    ]
    found.sort(key=lambda j: (0, -last[j.id]) if j.asked_here else (1, j.id))
    return {j.id: j for j in found}


def _last_answers(store: Store, project_id: int) -> dict[int, int]:
    """Return the id of the newest judgement of each judge that has one."""
    answered = sa.func.max(t.judgement.c.id).label("answered")
    query = (
        sa.select(t.judgement.c.judge_id, answered)
        .join(t.judge, t.judge.c.id == t.judgement.c.judge_id)
        .where(t.judge.c.project_id == project_id)
        .group_by(t.judgement.c.judge_id)
    )
    with store.read() as c:
        return {r.judge_id: r.answered for r in c.execute(query)}
