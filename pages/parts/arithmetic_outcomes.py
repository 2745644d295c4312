"""Measured outcomes on the arithmetic page: a row a task, a column for each arm's end."""

from __future__ import annotations

import streamlit as st

from core.errors import InputError
from core.files.draws import read_draws, words_of_draws
from core.files.outcomes import PASSED, one_row_a_draw, read_outcomes
from core.files.tables import Table
from core.statistics.arms import Arms
from core.statistics.interval import Undefined
from core.statistics.published import near_greedy
from core.wording import NEAR_GREEDY, coefficient, p_value, plural, points, rate
from pages.parts.arithmetic_arms import verdict
from pages.parts.import_panel import read_uploaded
from pages.parts.panels import small

FILES = "CSV, TSV, JSON lines or JSON. Read for these figures, not stored."


def outcomes_file() -> None:
    """Draw the uploader, the choice of columns, and what the outcomes tell."""
    file = st.file_uploader(
        "A table with one row a task: did the loop's last draft pass, did a fresh draft",
        key="arithmetic.outcomes", help=FILES,
    )  # fmt: skip
    if file is None:
        small(
            "For runs whose rounds were not recorded: a column for the loop's end and one for "
            "each independent draft of the same task, behind the same check. Nothing is stored."
        )
        return
    try:
        table = read_uploaded(file.file_id, file.name, file.getvalue())
        if table is not None:
            _show(table)
    except InputError as error:
        st.error("This file cannot be used as it is.")
        st.text(str(error))


def _show(table: Table) -> None:
    names = list(table.columns)
    first, second, third = st.columns([1, 1, 2])

    def guess(words: tuple[str, ...], default: int) -> int:
        return next((i for i, n in enumerate(names) if any(w in n.lower() for w in words)), default)

    task = first.selectbox(
        "Task", names, index=guess(("task", "sample", "id"), 0),
        help="Which task a row is about, as text; each stands in one row.",
    )  # fmt: skip
    loop = second.selectbox(
        "Loop passed", names, index=guess(("loop", "final"), len(names) - 1),
        help="Whether what the loop ended with passed: 1/0, true/false, pass/fail.",
    )  # fmt: skip
    offered = [
        n for n in names if any(w in n.lower() for w in ("fresh", "retry", "draw", "single"))
    ]
    retry = third.multiselect(
        "Fresh drafts passed (independent draws)", [n for n in names if n not in (task, loop)],
        default=[n for n in offered if n not in (task, loop)],
        help="One column a draft of its own, made without feedback; same words.",
    )  # fmt: skip
    if not retry:
        small("Choose the column of at least one fresh draft.")
        return
    for column in retry:
        _pairs(column, read_outcomes(table, task, loop, [column]))
    if len(retry) == 1:
        small(
            "One fresh draft per task: how alike draws are, ρ, and what a second draft would "
            "rescue are not known. One more of every task would tell."
        )
        return
    draws = read_draws(
        one_row_a_draw(table, task, retry), task, PASSED, words_of_draws([], [])
    ).attempts
    k = len(retry)
    one, fresh = draws.pass_at(k), draws.fresh_share(k)
    at_least = one.reason if isinstance(one, Undefined) else rate(one)
    rescued = fresh.reason if isinstance(fresh, Undefined) else rate(fresh)
    st.text(f"At least one of {k} fresh drafts passes: {at_least}.")
    st.text(f"Fresh drafts rescue, of tasks whose first one failed: {rescued}.")
    small(
        f"Likeness of draws, ρ: {coefficient(draws.correlation)}.",
        *([NEAR_GREEDY] if near_greedy(draws) else []),
    )


def _pairs(column: str, found: Arms) -> None:
    """Draw one comparison: how many passed either way, task by task."""
    pairs, gap = found.paired, found.difference
    st.text(f"Loop against {column}, {plural(found.tasks, 'task')}:")
    st.dataframe(
        [
            {
                "Loop passed": f"{found.loop.accepted:,} of {found.tasks:,}",
                "Fresh draft passed": f"{found.retry.accepted:,} of {found.tasks:,}",
                "Both": pairs.both,
                "Loop only": pairs.first_only,
                "Fresh draft only": pairs.second_only,
                "Neither": pairs.neither,
                "Loop minus fresh": points(gap),
                "Mid-P": p_value(pairs.p_mid),
            }
        ],
        hide_index=True,
    )
    st.text(verdict(found))
