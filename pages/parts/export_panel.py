"""Labels out of the project as files, and a reviewer's labels taken back, which can be undone."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.files.labels import write_labels, write_wide
from core.files.stored import rows_of_labels
from core.store.contracts import Version
from core.store.label_rows import (
    Held,
    held_labels,
    restore_labels,
    stored_labels,
    withdraw_labels,
    withdrawals,
)
from core.store.store import Project
from core.verdict import OVERALL
from core.wording import plural
from pages.parts.guard import guarded, say_what_failed
from pages.parts.panels import small
from pages.parts.reviewer import named
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store

FORMS = {"csv": "text/csv", "jsonl": "application/jsonl"}


def export_screen(project: Project, current: Version | None) -> None:
    """Draw the label files, then whose labels can be taken back."""
    say_what_failed()
    held = held_labels(store(), project.id)
    with st.expander("Export labels"):
        _export(project, current, held)
    with st.expander("Take back a reviewer's labels"):
        _take_back(project, held)


def _export(project: Project, current: Version | None, held: list[Held]) -> None:
    if not held:
        st.caption("There are no labels yet.")
        return
    seen = sight(project, current)
    if seen is not None:
        say_hidden(project, seen, seen.hidden, "output", "export")
        small("The files hold your own labels, and colleagues' where you have labelled yourself.")
    st.caption(
        "Long has one row a label with note, time, kind (label, adjudication, repeat, practice), "
        "sampling stratum and weight, and comes back in as it went out. Wide has one column a "
        "criterion. Text is written as it is: in a spreadsheet, import the file as text, so that "
        "cells that begin with = are not taken for formulas."
    )
    keys = [*(current.contract.keys if current else ()), OVERALL]

    def of(wide: bool, form: str) -> Callable[[], bytes]:
        opened = store()

        def make() -> bytes:
            found = stored_labels(opened, project.id, seen, live=current if wide else None)
            rows = rows_of_labels(found)
            text = write_wide(rows, keys, form) if wide else write_labels(rows, form)
            return text.encode()

        return make

    with st.container(horizontal=True):
        for wide in (False, True):
            for form, mime in FORMS.items():
                name = "wide" if wide else "long"
                words = "CSV" if form == "csv" else "JSON lines"
                st.download_button(
                    f"{name.capitalize()}, {words}",
                    of(wide, form),
                    f"{project.slug}-labels-{name}.{form}",
                    mime,
                    key=f"export.{name}.{form}",
                    on_click="ignore",
                )


def _take_back(project: Project, held: list[Held]) -> None:
    who = named() or "somebody"
    if held:
        names = {str(one.reviewer_id): one for one in held}
        chosen = st.selectbox(
            "Reviewer",
            list(names),
            format_func=lambda key: names[key].name,
            index=None,
            placeholder="Choose a reviewer",
            key=f"export.who.{project.id}",
        )
        if chosen is not None:
            _confirm(project, names[chosen], who)
    else:
        st.caption("There are no labels to take back.")
    for one in withdrawals(store(), project.id):
        with st.container(horizontal=True, vertical_alignment="center"):
            when = one.at[:16].replace("T", " ")
            back = (
                f", brought back {one.restored_at[:16].replace('T', ' ')}"
                if one.restored_at
                else ""
            )
            st.text(f"{one.reviewer}: {plural(one.labels, 'row')}, by {one.by}, {when} UTC{back}")
            if one.restored_at is None:
                st.button(
                    "Bring back",
                    key=f"export.back.{one.id}",
                    on_click=_bring_back,
                    args=(project.id, one.id, who),
                )


def _confirm(project: Project, one: Held, who: str) -> None:
    parts = [plural(one.labels, "label")]
    if one.decisions:
        parts.append(plural(one.decisions, "decision"))
    if one.aside:
        parts.append(plural(one.aside, "repeat or practice answer", "repeats and practice answers"))
    st.text(f"{', '.join(parts)} would count nowhere any more. Nothing is deleted.")
    st.button(
        f"Take back all {one.total:,}",
        key=f"export.take.{one.reviewer_id}",
        on_click=_withdraw,
        args=(project.id, one.reviewer_id, who),
    )


@guarded
def _withdraw(project_id: int, reviewer_id: int, who: str) -> None:
    withdraw_labels(store(), project_id, reviewer_id, who)
    st.session_state[f"export.who.{project_id}"] = None


@guarded
def _bring_back(project_id: int, withdrawal_id: int, who: str) -> None:
    restore_labels(store(), project_id, withdrawal_id, who)
