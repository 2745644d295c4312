"""Measured numbers beside the formula: this project's traces, a table, draws, counts of a run."""

from __future__ import annotations

import streamlit as st

from core.errors import InputError
from core.files.drafts import read_drafts
from core.files.draws import Draws, read_draws, words_of_draws
from core.files.tables import Table
from core.loop.measured import Recorded
from core.statistics.arms import measure
from core.statistics.attempts import Attempts
from core.statistics.interval import Estimate, Result, Undefined
from core.statistics.published import near_greedy
from core.statistics.uncertainty import Input
from core.store.paths import recorded_drafts
from core.store.store import Project
from core.wording import (
    NEAR_GREEDY,
    coefficient,
    percent,
    plural,
    point_gap,
    rate,
    rate_typed,
    share_text,
)
from pages.parts import arithmetic_inputs as boxes
from pages.parts import state
from pages.parts.arithmetic_arms import Report, report, rescues_beyond_chance, texts_from
from pages.parts.arithmetic_baseline import baseline_panel
from pages.parts.arithmetic_counts import counts
from pages.parts.arithmetic_fields import Texts
from pages.parts.arithmetic_outcomes import FILES, outcomes_file
from pages.parts.import_panel import NONE, read_uploaded
from pages.parts.panels import small
from pages.parts.workspace import project, store
from sample_data.worked_examples import Example

WIDTHS = {"k": 40, "If independent": 108}
"""Columns in pixels, so that all six fit beside the sidebar at 1280; intervals need the rest."""


SOURCES = {
    "traces": "This project's traces",
    "table": "A table of drafts",
    "draws": "Draws in a file",
    "outcomes": "Outcomes, one row a task",
    "counts": "Counts of a run",
}


def measured(cap: int, texts: Texts, example: Example | None) -> None:
    """Draw the choice of where the numbers come from, and what they say."""
    if state.get("source") not in SOURCES:
        state.put("source", "counts" if example and example.counts else "traces")
    source = state.pick(
        "source", "Measured on", list(SOURCES), show=SOURCES.__getitem__,
        widget=st.segmented_control, required=True,
        help="Where measured numbers come from: traces in this project, a file (read here, never "
        "stored), or counts that you type.",
    )  # fmt: skip
    if source == "traces":
        _traces(cap, texts)
    elif source == "table":
        _drafts_file(cap, texts)
    elif source == "draws":
        _file(cap, texts)
    elif source == "outcomes":
        outcomes_file()
    else:
        if example and example.counts:
            st.badge("This example", color="blue")
        counts(cap, texts)


def _traces(cap: int, texts: Texts) -> None:
    here = project()
    if here is None:
        small("No project is open: choose one on the left, or use a table of your own.")
        return
    found, recorded = trace_report(here)
    if found is None:
        small(
            "This project's traces hold no task that both arms ran. Import traces of loop and "
            "retries on the traces page, or use a table of drafts."
        )
        return
    if recorded.left_out or recorded.repeated:
        small(
            f"Left out: {plural(recorded.left_out, 'trace')} with missing rounds or no draft, "
            f"{plural(recorded.repeated, 'trace')} sharing arm, sample and trial with another."
        )
    report(found, cap)
    _offer("traces", found, texts)
    baseline_panel(here, found)


def trace_report(here: Project) -> tuple[Report | None, Recorded]:
    """Return the arms measured on a project's traces, None without a task both ran."""
    return _trace_report(here.id, here.revision)


@st.cache_resource(max_entries=10, show_spinner="Reading the traces …")
def _trace_report(project_id: int, revision: int) -> tuple[Report | None, Recorded]:
    recorded = recorded_drafts(store(), project_id)
    arms = measure(recorded.drafts, gold=any(d.gold is not None for d in recorded.drafts))
    return (Report.of(arms, recorded.drafts) if arms.tasks else None), recorded


def _drafts_file(cap: int, texts: Texts) -> None:
    file = st.file_uploader(
        "A table with one row a draft: task, arm (loop or retry), round, passed",
        key="arithmetic.arms", help=FILES,
    )  # fmt: skip
    if file is None:
        small(
            "Both arms on the same tasks behind the same check. A first draft both arms share "
            "stands in both. Gold labels and calls are optional columns. Nothing is stored."
        )
        return
    try:
        table = read_uploaded(file.file_id, file.name, file.getvalue())
        if table is not None:
            found = _report_of(table)
            if not found.arms.tasks:
                raise InputError(
                    table.name, "no task has both arms.", "Give loop and retry of each task."
                )
            report(found, cap)
            _offer("table", found, texts)
    except InputError as error:
        st.error("This file cannot be used as it is.")
        st.text(str(error))


COLUMNS = {
    "Task": ("task", "sample", "id"), "Arm": ("arm",), "Round": ("round", "draw", "try"),
    "Passed": ("pass", "accept", "verdict"), "Gold": ("gold", "good", "label", "truth"),
    "Calls": ("calls",),
}  # fmt: skip
ABOUT = {
    "Task": "Which task a row is about, as text.",
    "Arm": "loop or retry.",
    "Round": "Number of the draft, from 1; in retries the draw.",
    "Passed": "Whether the check passed it: 1/0, true/false, pass/fail.",
    "Gold": "Whether it is good by a gold label, same words; may be missing.",
    "Calls": "Calls the draft and its check cost, 0 or more; 1 each without it.",
}


def _report_of(table: Table) -> Report:
    names = list(table.columns)
    picked: dict[str, str | None] = {}
    for place, (label, words) in zip(st.columns(6), COLUMNS.items(), strict=True):
        options = names if label not in ("Gold", "Calls") else [NONE, *names]
        guess = next((o for o in options if any(w in o.casefold() for w in words)), options[0])
        one = place.selectbox(label, options, index=options.index(guess), help=ABOUT[label])
        picked[label] = None if one == NONE else str(one)
    drafts = read_drafts(
        table, str(picked["Task"]), str(picked["Arm"]), str(picked["Round"]), str(picked["Passed"]),
        words_of_draws([], []), gold=picked["Gold"], calls=picked["Calls"],
    )  # fmt: skip
    if drafts.repeats or drafts.left_out:
        small(
            f"{plural(drafts.repeats, 'identical repeat')} left out, "
            f"{plural(sum(drafts.left_out.values()), 'draft')} without a verdict."
        )
    return Report.of(measure(drafts.rows, gold=picked["Gold"] is not None), drafts.rows)


def _offer(key: str, found: Report, texts: Texts) -> None:
    into = texts_from(found, texts)
    if isinstance(into, str):
        small(f"Not for the calculator: {into}.")
        return
    boxes.use_button(key, into)
    level = "good or bad" if into["level"] == "truth" else "accepted or not"
    small(f"Fills the calculator at the level of {level}, with the counts, so that intervals show.")
    if into["level"] == "accepted" and rescues_beyond_chance(found, int(into["cap"])):
        small(
            "Retries rescued more than independent draws would at this p: the fresh share is left "
            "empty, and the calculator takes draws as independent."
        )


def _file(cap: int, texts: Texts) -> None:
    file = st.file_uploader(
        "A table with one row a draw: which task, and whether it passed", key="arithmetic.file",
        help=FILES,
    )  # fmt: skip
    if file is None:
        small(
            "Several independent draws per task, behind one check. The rows need a task id and "
            "passed or not (1/0, true/false, pass/fail). Nothing is stored."
        )
        return
    try:
        table = read_uploaded(file.file_id, file.name, file.getvalue())
        if table is not None:
            task, passed = _columns(table)
            draws = read_draws(table, task, passed, words_of_draws([], []))
            _draws_table(draws, cap, texts)
    except InputError as error:
        st.error("This file cannot be used as it is.")
        st.text(str(error))


def _columns(table: Table) -> tuple[str, str]:
    """Let a person say which columns to use; names that say so are offered first."""
    names = [name.casefold() for name in table.columns]

    def guess(words: tuple[str, ...], default: int) -> int:
        return next((i for i, n in enumerate(names) if any(w in n for w in words)), default)

    left, right, _ = st.columns(3)
    task = left.selectbox(
        "Task", table.columns, index=guess(("task", "sample", "id"), 0), help=ABOUT["Task"]
    )
    last = len(names) - 1
    passed = right.selectbox(
        "Passed", table.columns, index=guess(("pass", "reward", "success", "correct"), last),
        help=ABOUT["Passed"],
    )  # fmt: skip
    return str(task), str(passed)


def _draws_table(draws: Draws, cap: int, texts: Texts) -> None:
    one = draws.attempts
    left_out = sum(draws.left_out.values())
    if left_out or draws.unscored_tasks:
        small(f"Left out: {plural(left_out, 'draw')} without a verdict, "
              f"{plural(draws.unscored_tasks, 'task')} with none left.")  # fmt: skip
    _what_is_hidden(one)
    if max(one.draws, default=0) < 2:
        small(
            "One draw per task: pass@k for k above 1, the fresh share F, ρ and whether a second "
            f"draw would have passed are not known. {plural(one.tasks, 'more draw')}, one of every "
            "task, would give them for k = 2; the cap's number of draws each for your cap."
        )
    elif near_greedy(one):
        small(NEAR_GREEDY)
    missing: dict[str, None] = {}

    def cell(value: Result) -> str:
        """Return a rate, or a dash whose reason stands under the table."""
        if isinstance(value, Undefined):
            missing[f"– {value.reason}."] = None
            return "–"
        return rate(value)

    rows = [
        {
            "k": k,
            "At least one (pass@k)": cell(one.pass_at(k)),
            "If independent": _plain(one.naive_pass_at(k)),
            "All k (pass^k)": cell(one.pass_hat(k)),
            "Fresh draws rescue, F": cell(one.fresh_share(k)) if k > 1 else "",
            "Break-even r": cell(one.break_even(k)) if k > 1 else "",
        }
        for k in range(1, one.fewest + 1)
    ]
    st.dataframe(
        rows, hide_index=True, height="content" if len(rows) <= 20 else "auto",
        column_config={name: st.column_config.Column(width=WIDTHS.get(name, 174)) for name in rows[0]},
    )  # fmt: skip
    small(*missing, f"{plural(one.tasks, 'task')}; means over tasks, drawn without replacement; "
          "intervals allow for how tasks differ. "
          f"Likeness of draws, ρ: {coefficient(one.correlation)}.")  # fmt: skip
    at = min(cap, one.fewest)
    first, fresh = one.pass_at(1), one.fresh_share(at) if at > 1 else None
    if isinstance(first, Estimate) and isinstance(fresh, Estimate):
        boxes.use_button("draws", texts | {
            "p": _typed(first), "fresh": _typed(fresh), "cap": str(at), "rho": "", "rates": "",
        })  # fmt: skip


def _what_is_hidden(one: Attempts) -> None:
    k = one.fewest
    real, naive = one.pass_at(k), one.naive_pass_at(k)
    if isinstance(real, Undefined) or isinstance(naive, Undefined):
        return
    hidden = naive - real.value
    st.markdown(
        f"**At least one of {k}: {percent(real.value)} measured, {percent(naive)} if draws were "
        "independent.** "
        + (
            f"What independence hides: {point_gap(hidden)}."
            if hidden > 0
            else "Independence hides nothing here."
        )
    )


def _typed(result: Estimate) -> str:
    """Return a rate over tasks as counts whose interval is as wide, for a box."""
    one = Input.of(result)
    return share_text(result.value) if one is None else rate_typed(one)


def _plain(value: float | Undefined) -> str:
    return value.reason if isinstance(value, Undefined) else percent(value)
