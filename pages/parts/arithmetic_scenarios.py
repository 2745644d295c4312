"""Saved scenarios: name, open, compare side by side, take away as CSV or Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import cast

import streamlit as st

from core.errors import InputError
from core.render import inline
from core.statistics.interval import Undefined
from core.store.scenarios import (
    SavedScenario,
    remove_scenario,
    restore_scenario,
    save_scenario,
    scenarios,
)
from core.store.store import Project
from core.wording import amount, decimal, dollars, per_output, percent, points
from pages.parts import state
from pages.parts.arithmetic_decide import sure
from pages.parts.arithmetic_fields import FIELDS, NAMES, Scenario, Texts, needed, read
from pages.parts.arithmetic_inputs import completed, use
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.reviewer import signed_in
from pages.parts.workspace import project, store

NOW = "As typed now"
MOST = 4
GONE = "arithmetic.scenario.gone"
SURE = "How sure"
"""A sentence, too long for a cell on the screen: there it stands under the table."""


def scenario_panel(now: Scenario, texts: Texts) -> None:
    """Draw saving, the comparison, and the ways to take it away."""
    st.subheader("Scenarios", anchor=False)
    here = project()
    saved = [] if here is None else scenarios(store(), here.id)
    if here is None:
        small("Open a project to save scenarios; the address of this page holds all inputs anyway.")
    else:
        _save(here, texts, saved)
    columns: dict[str, Scenario] = {NOW: now}
    used: dict[str, Texts] = {NOW: texts}
    for one in _picked(saved):
        full = completed(one.inputs)
        try:
            found = read(full)
            assert found.sheet
        except InputError as error:
            small(f"✕ {one.name}: {error}")
            continue
        columns[one.name], used[one.name] = found, full
    rows = comparison(columns, used)
    st.dataframe(
        [{"": name, **dict(zip(columns, cells, strict=True))} for name, cells in rows if name != SURE],
        hide_index=True, height="content",
    )  # fmt: skip
    small(*(f"{name}: {sure(one)}" for name, one in columns.items()))
    with st.container(horizontal=True):
        st.download_button(
            "CSV", as_csv(list(columns), rows), "scenarios.csv", "text/csv", on_click="ignore"
        )
        st.download_button(
            "Markdown", as_markdown(list(columns), rows), "scenarios.md", "text/markdown",
            on_click="ignore",
        )  # fmt: skip
    small(
        "The address of this page holds every input: copy it to share these figures. Every picture "
        "on this page can be saved: point at it, then press Download as PNG at its upper right."
    )


def _save(here: Project, texts: Texts, saved: Sequence[SavedScenario]) -> None:
    def save() -> None:
        name = st.session_state["arithmetic.scenario.name"]
        who = signed_in() or state.get("reviewer") or ""
        made = save_scenario(store(), here.id, name, cast(Mapping[str, str], texts), author=who)
        st.session_state.pop(GONE, None)
        st.session_state["arithmetic.scenario.name"] = ""
        names = _names()
        if made.name not in names:
            _put([*names, made.name][-MOST + 1 :])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Name of these inputs", key="arithmetic.scenario.name", max_chars=100, width=260,
            help="1 to 100 characters. Saving under a name that exists keeps the earlier save too.",
        )  # fmt: skip
        st.button("Save scenario", key="arithmetic.scenario.save", on_click=guarded(save))
    _undo(here)
    if not saved:
        small("None saved yet.")
        return
    key = "arithmetic.scenario.compare"
    st.session_state[key] = [n for n in _names() if n in {s.name for s in saved}]
    st.multiselect(
        "Compare with", [s.name for s in saved], key=key, max_selections=MOST - 1,
        on_change=lambda: _put(st.session_state[key]), placeholder="saved scenarios",
        help="Up to three, beside the inputs as typed now.",
    )  # fmt: skip
    by_name = {s.name: s for s in saved}
    for name in _names():
        one = by_name.get(name)
        if one is None:
            continue
        with st.container(horizontal=True, vertical_alignment="center"):
            who = f" by {one.author}" if one.author else ""
            small(f"{one.name}: saved {one.saved_at[:10]}{who}")
            st.button(
                "Open its inputs", key=f"arithmetic.scenario.open.{one.id}",
                on_click=guarded(use), args=(completed(one.inputs),),
            )  # fmt: skip
            st.button(
                "Take off the list", key=f"arithmetic.scenario.remove.{one.id}",
                on_click=guarded(_take_off), args=(here.id, one.name),
            )  # fmt: skip


def _take_off(project_id: int, name: str) -> None:
    remove_scenario(store(), project_id, name)
    st.session_state[GONE] = (project_id, name)


def _bring_back(project_id: int, name: str) -> None:
    restore_scenario(store(), project_id, name)
    del st.session_state[GONE]


def _undo(here: Project) -> None:
    """Offer to bring back the scenario that was taken off last."""
    project_id, name = st.session_state.get(GONE, (None, ""))
    if project_id != here.id:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        small(f"{name}: taken off the list.")
        st.button(
            "Undo", key="arithmetic.scenario.undo", on_click=guarded(_bring_back),
            args=(here.id, name),
        )  # fmt: skip


def _names() -> list[str]:
    return [name for name in (state.get("compare") or "").split("\n") if name]


def _put(names: Sequence[str]) -> None:
    state.put("compare", "\n".join(names) or None)


def _picked(saved: Sequence[SavedScenario]) -> list[SavedScenario]:
    by_name = {s.name: s for s in saved}
    return [by_name[name] for name in _names() if name in by_name][: MOST - 1]


def comparison(
    columns: Mapping[str, Scenario], texts: Mapping[str, Texts]
) -> list[tuple[str, list[str]]]:
    """Return inputs that differ, then the figures, one row each with a cell per scenario."""
    some = list(columns)
    rows: list[tuple[str, list[str]]] = []
    for name in NAMES:
        cells = [texts[one][name].strip() for one in some]
        differs = len(set(cells)) > 1
        if name in FIELDS:
            shown = any(needed(name, texts[one]) for one in some)
            title = f"{FIELDS[name].name} ({FIELDS[name].unit})"
        else:
            shown, title = True, {"critic": "What checks a draft", "level": "Level"}[name]
        if shown and (differs or name in ("p", "r", "cap")):
            rows.append((title, [cell or "–" for cell in cells]))
    figures = [_figures(columns[one]) for one in some]
    return rows + [(name, [one[name] for one in figures]) for name in figures[0]]


def _figures(one: Scenario) -> dict[str, str]:
    calc, bills, found = one.sheet.calc, one.bills, one.decision

    def known(text: str) -> str:
        return text if one.truth else "not known"

    def money(value: float | None) -> str:
        return "not known" if value is None else dollars(value)

    lead = found.lead
    ahead = (
        "–"
        if isinstance(lead, Undefined)
        else (points(lead) if found.measured else f"{decimal(100 * lead.value, 1)} points")
    )
    return {
        "Loop accepts": percent(calc.loop.accepted),
        "Retries accept": percent(calc.retry.accepted),
        "Loop accepts and is good": known(percent(calc.loop.accepted_good)),
        "Retries accept and are good": known(percent(calc.retry.accepted_good)),
        "Loop minus retries": ahead,
        "Break-even r": "–" if calc.break_even_r is None else percent(calc.break_even_r),
        "Calls per accepted, loop": per_output(calc.loop.calls_per_accepted),
        "Calls per accepted, retries": per_output(calc.retry.calls_per_accepted),
        "Calls per good, loop": known(per_output(calc.loop.calls_per_good)),
        "Calls per good, retries": known(per_output(calc.retry.calls_per_good)),
        "A month, loop": money(bills["loop"].total),
        "A month, retries": money(bills["retry"].total),
        "A month, single shot": money(bills["single"].total),
        "Hand-overs a month, loop": amount(bills["loop"].handed_over),
        "Wrong a month, loop": known(amount(bills["loop"].wrong or 0.0)),
        SURE: sure(one),
    }


def as_csv(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return the comparison as CSV; a cell a spreadsheet would run as a formula is kept as text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *map(_cell, columns)])
    writer.writerows([_cell(name), *map(_cell, cells)] for name, cells in rows)
    return out.getvalue()


def _cell(text: str) -> str:
    plain = text.replace("\u00a0", " ")
    return f"'{plain}" if plain[:1] in "=+-@\t\r" and plain[:1] else plain


def as_markdown(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return the comparison as a Markdown table; names people gave are escaped."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(inline(cell) for cell in cells) + " |"

    head = [line(["", *columns]), "|" + " --- |" * (len(columns) + 1)]
    body = [line([name, *cells]) for name, cells in rows]
    return "# Loop against retries\n\n" + "\n".join([*head, *body]) + "\n"
