"""The list of criteria: choose, add, duplicate, move, delete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.contract.finding import Finding
from pages.parts import state
from pages.parts.contract_desk import Desk, write
from pages.parts.contract_fields import BY, criterion_form
from pages.parts.contract_findings import LIST, choose, count_findings
from pages.parts.panels import visible

WHOLE = 6
"""Criteria up to which the list shows whole questions."""


def criteria(desk: Desk, findings: Sequence[Finding]) -> None:
    """Draw the list of criteria and the editor of the chosen one."""
    items: list[dict[str, Any]] = desk.data["criteria"]
    # Side by side where there is room; at 150 % the form stands below the list, nothing is cut.
    row = st.container(horizontal=True, gap="medium", vertical_alignment="top")
    left, right = row.container(width=430), row.container(width="stretch")
    with left:
        if not items:
            with st.container(border=True):
                st.text(
                    "No criteria yet. Add the first: one question that is answered by yes or no."
                )
        at = _list(desk, items, findings)
        with st.container(horizontal=True, gap="xsmall"):
            st.button(
                "Add", type="primary" if not items else "secondary", on_click=_add, args=(desk,)
            )
            if items:
                st.button("Duplicate", on_click=_copy, args=(desk, at))
                st.button("Move up", on_click=_move, args=(desk, at, -1), disabled=at == 0)
                st.button(
                    "Move down", on_click=_move, args=(desk, at, 1), disabled=at == len(items) - 1
                )
                st.button("Delete", on_click=_delete, args=(desk, at))
    if items:
        with right:
            criterion_form(desk, at, findings)


def _list(desk: Desk, items: list[dict[str, Any]], findings: Sequence[Finding]) -> int:
    """Draw the criteria as a table and return the position of the chosen one."""
    if not items:
        return 0
    keys = [str(c.get("key", "")) for c in items]
    at = _chosen(keys)
    count_findings(desk, findings, keys, at)
    if len(items) > 1:
        _go_to(desk, keys, at)
    table = desk.key("list", st.session_state.get(LIST, 0))
    counts = Counter(f.position for f in findings)

    def chosen() -> None:
        rows = st.session_state[table]["selection"]["rows"]
        # A second click takes the mark away: the criterion stays open, and its row marked.
        to = rows[0] if rows else at
        choose(keys[to], to, in_list=bool(rows))

    st.dataframe(
        [
            {
                "Criterion": c.get("key", ""),
                "By": BY.get(c.get("checked_by", "judge"), "?"),
                "Lint": str(counts[i] or ""),
                "Question": c.get("question", ""),
            }
            for i, c in enumerate(items)
        ],
        hide_index=True,
        on_select=chosen,
        selection_mode="single-row",
        key=table,
        selection_default={"selection": {"rows": [at]}},
        # Tables break lines in high rows only; a long contract has one line each and scrolls.
        row_height=66 if len(items) <= WHOLE else None,
        height=500 if len(items) > 13 else "content",
        column_config={
            "Criterion": st.column_config.TextColumn(width=120),
            "By": st.column_config.TextColumn(width=56),
            "Lint": st.column_config.TextColumn(width=42),
            "Question": st.column_config.TextColumn(width=175),
        },
    )
    return at


def _go_to(desk: Desk, keys: list[str], at: int) -> None:
    """Draw a field that finds a criterion by letters of its key: rows of a table need a mouse."""
    name = desk.key("goto")
    st.session_state[name] = at

    def chosen() -> None:
        to = st.session_state[name]
        choose(keys[to], to)

    st.selectbox(
        "Go to",
        range(len(keys)),
        format_func=lambda i: f"{i + 1}. {visible(keys[i])}",
        key=name,
        on_change=chosen,
        help="By keyboard: letters of a key, ↑ ↓, Enter. Tab leads on to Add, Duplicate, Move and "
        "Delete and to the form.",
    )


def _chosen(keys: list[str]) -> int:
    """Return the position of the criterion in the address, the first one if there is none."""
    wanted, last = state.get("criterion"), st.session_state.get("contract.at")
    if isinstance(last, int) and last < len(keys) and keys[last] == wanted:
        return last
    return keys.index(wanted) if wanted in keys else 0


def _change(desk: Desk, items: list[Any], origins: list[str], chosen: int) -> None:
    data = {**desk.data, "criteria": items}
    write(desk, replace(desk.draft, contract=data, origins=tuple(origins)), turn=True)
    if items:
        choose(str(items[chosen]["key"]), chosen)
    else:
        state.put("criterion", None)


def _add(desk: Desk) -> None:
    items = list(desk.data["criteria"])
    taken = {c.get("key") for c in items}
    key = next(f"criterion-{n}" for n in range(1, 10_000) if f"criterion-{n}" not in taken)
    items.append(
        {"key": key, "question": "", "checked_by": "judge", "pass_example": "", "fail_example": ""}
    )
    _change(desk, items, [*desk.draft.origins, ""], len(items) - 1)


def _copy(desk: Desk, at: int) -> None:
    items = list(desk.data["criteria"])
    taken = {c.get("key") for c in items}
    base = str(items[at].get("key", "criterion"))
    key = next(f"{base}-{n}" for n in range(2, 10_000) if f"{base}-{n}" not in taken)
    items.insert(at + 1, {**items[at], "key": key})
    origins = list(desk.draft.origins)
    origins.insert(at + 1, "")
    _change(desk, items, origins, at + 1)


def _move(desk: Desk, at: int, by: int) -> None:
    items, origins = list(desk.data["criteria"]), list(desk.draft.origins)
    for row in (items, origins):
        row.insert(at + by, row.pop(at))
    _change(desk, items, origins, at + by)


def _delete(desk: Desk, at: int) -> None:
    items, origins = list(desk.data["criteria"]), list(desk.draft.origins)
    del items[at], origins[at]
    _change(desk, items, origins, max(0, at - 1))
