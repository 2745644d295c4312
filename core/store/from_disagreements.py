"""What a disagreement leaves in the contract being written: a note, or a check that was missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.contract.rubric_asks import question_of
from core.contract.suggest import suggest
from core.store.contracts import latest_version
from core.store.drafts import Draft, add_draft, fresh, load_draft, write_draft
from core.store.store import Store
from core.wording import criterion_name

MAX_EXAMPLE = 2_000
"""Characters of an output that stand in a note; the whole output stays where it is."""


def note_unclear(
    store: Store, project_id: int, draft_id: str | None, criterion: str, example: str, note: str
) -> str:
    """Note in the draft that a criterion could not decide an example; returns the draft's id."""
    short = example if len(example) <= MAX_EXAMPLE else example[:MAX_EXAMPLE] + "…"
    line = f"{criterion_name(criterion)} is unclear{f': {note}' if note else ''}. Example: {short}"
    draft = _open(store, project_id, draft_id)
    return _keep(store, project_id, replace(draft, notes=(*draft.notes, (False, line))))


def add_missed(
    store: Store, project_id: int, draft_id: str | None, example: str, note: str
) -> tuple[str, bool]:
    """Add a criterion checked by code for what every check missed, with the output as what fails.

    `note` says what is wrong with the output. Returns the draft's id, and whether the check could
    be read off the note; else its kind is left to be chosen.
    """
    draft = _open(store, project_id, draft_id)
    question = question_of(note) or note
    found = suggest(question)
    check: dict[str, Any] | None = None
    if found is not None and found.surely and len(found.specs) == 1:
        check = found.specs[0]
    taken = {c.get("key") for c in draft.contract["criteria"]}
    key = next(f"missed-{n}" for n in range(1, 10_000) if f"missed-{n}" not in taken)
    criterion = {
        "key": key,
        "question": question,
        "checked_by": "code",
        "check": check or {"kind": "contains", "text": ""},
        "pass_example": "",
        "fail_example": example,
    }
    contract = {**draft.contract, "criteria": [*draft.contract["criteria"], criterion]}
    made = replace(draft, contract=contract, origins=(*draft.origins, ""))
    return _keep(store, project_id, made), check is not None


def _open(store: Store, project_id: int, draft_id: str | None) -> Draft:
    found = load_draft(store, project_id, draft_id) if draft_id else None
    return found or fresh(latest_version(store, project_id))


def _keep(store: Store, project_id: int, draft: Draft) -> str:
    if draft.id and write_draft(store, draft):
        return draft.id
    return add_draft(store, project_id, draft)
