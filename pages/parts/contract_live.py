"""The draft's code checks on the project's outputs, as they are edited."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from core.checks.registry import build
from core.errors import InputError
from core.store.outputs import StoredOutput, load_outputs
from core.verdict import CriterionVerdict, Verdict
from core.wording import plural
from pages.parts.contract_desk import Desk
from pages.parts.panels import mark, small, visible
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store, version

ROWS = 200
"""Rows drawn at once; the counts are always over all outputs."""


@st.cache_resource(max_entries=4, show_spinner=False)
def _outputs(project_id: int, revision: int) -> list[StoredOutput]:
    return load_outputs(store(), project_id)


@st.cache_resource(max_entries=2_000, show_spinner="Running a check on the outputs …")
def _run(project_id: int, revision: int, spec: str) -> list[CriterionVerdict]:
    """Run one check over all outputs; kept until the check or the outputs change."""
    check = build(json.loads(spec))
    return [check.run(o.text, o.reference) for o in _outputs(project_id, revision)]


def live(desk: Desk) -> None:
    """Draw criteria × outputs: what every code check of the draft says, with its evidence."""
    outputs = _outputs(desk.project.id, desk.project.revision)
    columns = _checked(desk, outputs)
    if not outputs:
        st.caption("No outputs in this project yet: import some under Label.")
    elif not columns:
        st.caption("No criterion is checked by code yet.")
    if not outputs or not columns:
        return
    st.dataframe(
        [
            {
                "Criterion": key,
                "PASS": sum(v.verdict is Verdict.PASS for v in found),
                "FAIL": sum(v.verdict is Verdict.FAIL for v in found),
                "No verdict": sum(v.verdict is None for v in found),
            }
            for key, found in columns.items()
        ],
        hide_index=True,
    )
    only = st.toggle("Only outputs that fail a check", key="contract.live.fails")
    shown = [
        i
        for i in range(len(outputs))
        if not only or any(found[i].verdict is Verdict.FAIL for found in columns.values())
    ]
    seen = sight(desk.project, version(desk.project))
    if seen is not None:
        everything = len(shown)
        shown = [i for i in shown if all(seen.may_see(key, outputs[i].id) for key in columns)]
        say_hidden(desk.project, seen, everything - len(shown), "output", "contract")
    rows: list[dict[str, Any]] = [
        {"Sample": o.sample_id, "Trial": o.trial, "Output": visible(o.text[:300])}
        | {key: f"{mark(v[i])} · {visible(v[i].evidence[:200])}" for key, v in columns.items()}
        for i in shown[:ROWS]
        for o in (outputs[i],)
    ]
    st.dataframe(rows, hide_index=True)
    if len(shown) > ROWS:
        small(f"The first {ROWS} of {plural(len(shown), 'output')}.")


def _checked(desk: Desk, outputs: list[StoredOutput]) -> dict[str, list[CriterionVerdict]]:
    columns: dict[str, list[CriterionVerdict]] = {}
    for item in desk.data["criteria"]:
        check = item.get("check")
        if item.get("checked_by") != "code" or not check or check.get("kind") == "recorded":
            continue
        key = str(item.get("key", ""))
        try:
            build(check)
        except InputError as error:
            small(f"{key}: {error}")
            continue
        if outputs:
            spec = json.dumps(check, sort_keys=True)
            columns[key] = _run(desk.project.id, desk.project.revision, spec)
    return columns
