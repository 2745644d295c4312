"""Sorting notes into groups: one element for keys, mouse and dragging, and what it asks for.

Native tables tell the server what is chosen a moment late, so a fast key would move fewer notes
than were chosen, or others. Here every act names its notes by id; acts are numbered per browser
mount and sent until acknowledged, so each is done once, in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import BenchError, InputError, show
from core.labelling.grouping import Pile, name_of, suggest_groups
from core.store import groups as g
from core.store.store import Project, Store
from core.verdict import LabelValue
from pages.parts import state
from pages.parts.labeller.labeller import Reviewer

LISTED = 300
"""Notes that are sent to the browser: those in no group first."""
UNDO = 50
"""Acts that can be taken back in this tab, the newest first."""


def sorter(
    store: Store,
    project: Project,
    reviewer: Reviewer,
    notes: list[g.Note],
    groups: list[g.NoteGroup],
    opened: g.NoteGroup | None,
) -> None:
    """Draw notes and groups; what people do with them is stored before the page is drawn."""
    key = f"sorter.{project.id}.{reviewer.id}"
    inbox = st.session_state.setdefault(f"{key}.inbox", {"acks": {}, "failed": ""})

    def received() -> None:
        receive(store, project, reviewer, st.session_state[key].get("sync"), inbox)

    data = {**inbox, **content(notes, groups, opened), "steps": len(steps(project.id))}
    inbox["failed"] = ""
    _element()(key=key, data=data, default={"sync": None}, on_sync_change=received)


def content(
    notes: list[g.Note], groups: list[g.NoteGroup], opened: g.NoteGroup | None
) -> dict[str, Any]:
    """Return what the element shows: notes in no group first, then those of the open group."""
    here = None if opened is None else opened.id
    listed = sorted(notes, key=lambda n: (n.group is not None, n.group != here))[:LISTED]
    return {
        "notes": [
            {
                "id": n.output_id, "sample": n.sample_id, "trial": n.trial, "note": n.note,
                "verdict": None if n.verdict is None else n.verdict.value, "group": n.group,
                "excerpt": n.excerpt, "cut": len(n.excerpt) >= g.EXCERPT,
            }
            for n in listed
        ],
        "more": len(notes) - len(listed),
        "groups": [{"id": one.id, "name": one.name, "criterion": one.criterion} for one in groups],
        "open": here,
        "piles": bool(piles(notes)),
    }  # fmt: skip


def piles(notes: list[g.Note]) -> list[Pile]:
    """Return the groups suggested for notes in none; praise counts where there is nothing else."""
    free = [note for note in notes if note.group is None]
    wrong = [note for note in free if note.verdict is not LabelValue.PASS]
    return suggest_groups({note.output_id: note.note for note in wrong or free})


def steps(project_id: int) -> list[g.Undo]:
    """Return what takes back this tab's last acts, the newest last."""
    found: list[g.Undo] = st.session_state.setdefault(f"sorter.steps.{project_id}", [])
    del found[:-UNDO]
    return found


def receive(
    store: Store, project: Project, reviewer: Reviewer, sync: object, inbox: dict[str, Any]
) -> None:
    """Do the acts in `sync` that were not done yet, and note in `inbox` what was."""
    if not isinstance(sync, Mapping) or not isinstance(sync.get("client"), str):
        return
    client = sync["client"]
    for act in sync.get("acts") or []:
        seq = _whole(act.get("seq")) if isinstance(act, Mapping) else None
        if seq is None or seq <= inbox["acks"].get(client, 0):
            continue
        inbox["acks"][client] = seq
        try:
            _do(store, project, reviewer, act)
        except BenchError as error:
            inbox["failed"] = str(error)


def _do(store: Store, project: Project, reviewer: Reviewer, act: Mapping[str, Any]) -> None:
    kind, group = act.get("kind"), _whole(act.get("group"))
    notes = [one for one in map(_whole, act.get("notes") or []) if one is not None]
    done = steps(project.id)
    if kind == "open" and group is not None:
        state.put("group", str(group))
    elif kind == "put" and (group is not None or act.get("group") is None):
        done.append(g.put_notes(store, project.id, reviewer.id, notes, group))
    elif kind in ("new", "suggest"):
        known = g.own_notes(store, project.id, reviewer.id)
        said = {note.output_id: note.note for note in known}
        chosen = tuple(one for one in notes if one in said)
        made = [Pile(name_of([said[one] for one in chosen]), chosen)]
        found = piles(known) if kind == "suggest" else made
        ids, undo = g.add_groups(store, project.id, reviewer.id, found)
        if ids:
            state.put("group", str(ids[0]))
            done.append(undo)
    elif kind == "undo":
        if done:
            g.take_back(store, project.id, done.pop())
    else:
        raise InputError("sorting notes", f"got {show(kind)}.", "Reload the page.")


def _whole(value: object) -> int | None:
    """Return a whole number from 1 that a database can hold, or None; browsers send 1.0 for 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value < 2**31:
        return None
    return int(value)


@st.cache_resource(show_spinner=False)
def _files() -> tuple[str, str, str]:
    here = Path(__file__).parent
    html, css, js = ((here / f"sorter.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    return html, css, js


def _element() -> Any:
    html, css, js = _files()
    return st.components.v2.component("sorter", html=html, css=css, js=js)
