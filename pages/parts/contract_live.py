"""The draft's code checks on the project's outputs, as they are edited."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.checks.registry import build
from core.errors import InputError
from core.runs.trial import FAIL, Trial, count_codes
from core.store.outputs import load_outputs
from core.wording import plural
from pages.parts.contract_desk import Desk
from pages.parts.panels import mark, small, visible
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store, version

ROWS = 200
"""Outputs drawn at once; the counts are always over all outputs."""
COLUMNS = 12
"""Criteria drawn at once beside the outputs, unless others are chosen."""
PATIENCE = 1.0
"""Seconds before a run says how far it is."""
Codes = NDArray[np.int8]


@st.cache_resource(max_entries=4, show_spinner=False)
def _trial(project_id: int, revision: int) -> Trial:
    return Trial(load_outputs(store(), project_id))


def live(desk: Desk) -> None:
    """Draw criteria × outputs: what every code check of the draft says, with its evidence."""
    trial = _trial(desk.project.id, desk.project.revision)
    items: list[dict[str, Any]] = desk.data["criteria"]
    if not trial.outputs:
        st.caption("No outputs in this project yet: import some under Label.")
        return
    if not items:
        st.caption("No criteria yet.")
        return
    notes = [_not_run(item) for item in items]
    columns = _run(trial, {i: item["check"] for i, item in enumerate(items) if not notes[i]})
    _counts(items, notes, columns)
    if not columns:
        st.caption("No criterion is checked by code yet, so there is nothing to try here.")
        return
    _outputs(desk, trial, items, columns)


def tried_on_outputs(desk: Desk, item: dict[str, Any]) -> None:
    """Say in one line what one criterion's check makes of the project's outputs."""
    trial = _trial(desk.project.id, desk.project.revision)
    if not trial.outputs or _not_run(item):
        return
    found = count_codes(_run(trial, {0: item["check"]})[0])
    none = f", no verdict on {found.undecided:,}" if found.undecided else ""
    small(
        f"On the {plural(len(trial.outputs), 'output')} of this project: "
        f"{found.passed:,} ✓ PASS, {found.failed:,} ✕ FAIL{none}."
    )


def _not_run(item: Mapping[str, Any]) -> str:
    """Return why a criterion has no verdicts of its own here, "" if its check can run."""
    by, check = item.get("checked_by", "judge"), item.get("check")
    if by == "judge":
        return "Judged: a judge's verdicts are on the page Judge"
    if by == "person":
        return "By person: labels are on the page Label"
    if not check:
        return "No check yet"
    if check.get("kind") == "recorded":
        return "Recorded: its verdicts come from a file, see the page Judge"
    try:
        build(check)
    except InputError as error:
        return f"Cannot run: {error}"
    return ""


def _run(trial: Trial, checks: Mapping[int, Mapping[str, Any]]) -> dict[int, Codes]:
    """Run the checks that did not run yet; says how far it is when that takes a while."""
    found: dict[int, Codes] = {}
    todo = sum(not trial.knows(check) for check in checks.values())
    total, done, started = todo * len(trial.outputs), 0, time.monotonic()
    bar = st.empty()

    def report(part: int) -> None:
        if time.monotonic() - started > PATIENCE:
            share = min(1.0, (done + part) / max(1, total))
            bar.progress(share, f"{done + part:,} of {total:,} checks run")

    for i, check in checks.items():
        new = not trial.knows(check)
        found[i] = trial.run(check, report)
        if new:
            done += len(trial.outputs)
            report(0)
    bar.empty()
    return found


def _counts(items: list[dict[str, Any]], notes: list[str], columns: Mapping[int, Codes]) -> None:
    """Draw what each criterion makes of all outputs, or why it has nothing to say."""
    rows = []
    for i, item in enumerate(items):
        found = count_codes(columns[i]) if i in columns else None
        rows.append(
            {
                "Criterion": visible(str(item.get("key", ""))),
                "PASS": found.passed if found else None,
                "FAIL": found.failed if found else None,
                "No verdict": found.undecided if found else None,
                "Note": visible(notes[i]),
            }
        )
    height: Any = 320 if len(rows) > 8 else "content"
    st.dataframe(rows, hide_index=True, height=height, placeholder="")


def _outputs(
    desk: Desk, trial: Trial, items: list[dict[str, Any]], columns: Mapping[int, Codes]
) -> None:
    """Draw outputs with the verdict and evidence of each check beside them."""
    names = {i: f"{i + 1}. {items[i].get('key', '')}" for i in columns}
    drawn = list(columns)[:COLUMNS]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        only = st.toggle("Only outputs that fail a check", key="contract.live.fails")
        if len(columns) > COLUMNS:
            drawn = st.multiselect(
                "Criteria beside the outputs",
                list(columns),
                default=drawn,
                format_func=lambda i: names[i],
                key=f"contract.live.columns.{len(columns)}",
            )
    fails = np.zeros(len(trial.outputs), np.bool_)
    for codes in columns.values():
        fails |= codes == FAIL
    shown = [int(i) for i in (np.flatnonzero(fails) if only else range(len(trial.outputs)))]
    seen = sight(desk.project, version(desk.project))
    if seen is not None:
        everything = len(shown)
        keys = [str(items[i].get("key", "")) for i in columns]
        shown = [i for i in shown if all(seen.may_see(k, trial.outputs[i].id) for k in keys)]
        say_hidden(desk.project, seen, everything - len(shown), "output", "contract")
    at = shown[:ROWS]
    cells = {i: trial.verdicts(items[i]["check"], at) for i in drawn}
    rows = [
        {
            "Sample": visible(trial.outputs[i].sample_id),
            "Trial": trial.outputs[i].trial,
            "Output": visible(trial.outputs[i].text[:300]),
        }
        | {
            visible(names[c]): f"{mark(found[n])} · {visible(found[n].evidence[:200])}"
            for c, found in cells.items()
        }
        for n, i in enumerate(at)
    ]
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"Output": st.column_config.TextColumn(width=320)},
    )
    if len(shown) > ROWS:
        small(f"The first {ROWS} of {plural(len(shown), 'output')}.")
