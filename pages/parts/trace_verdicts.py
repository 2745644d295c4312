"""One trace's verdicts: the evidence of the round that is shown, the grid, the path of scores."""

from __future__ import annotations

import html

import streamlit as st

from core.charts import score_path
from core.contract.contract import Contract
from core.loop.trace import Round, Trace
from core.verdict import CriterionVerdict, Verdict
from core.wording import plural
from pages.parts import state
from pages.parts.panels import MARKS, mark, small, verbatim, visible

COLOURS = {
    "✓": "background-color: #0072B2; color: #FFFFFF",
    "✕": "background-color: #D55E00; color: #14181D",
    "?": "background-color: #6B727C; color: #FFFFFF",
}
NO_VERDICT = "– no verdict"
GAP = "– not recorded"
MOST = 20
"""Failures shown in full at once; more stand in the table with the rest."""


def grid(trace: Trace, numbers: list[int], here: int, returned: int | None) -> None:
    """Draw criteria by rounds; a cell opens its round."""
    import pandas as pd

    st.caption("Verdicts by round. Choose a cell to read its evidence.")
    names = {n: f"{n}{' ●' if n == here else ''}{' ⏎' if n == returned else ''}" for n in numbers}
    rows: dict[str, list[str]] = {key: [] for key in trace.keys}
    rows = {"score": [], **rows}
    for n in numbers:
        this = trace.round(n)
        for key in trace.keys:
            rows[key].append(_cell(this, key))
        rows["score"].append(_score(this))
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(names.values()))
    frame.insert(0, "criterion", list(rows))
    key = f"traces.grid.{trace.trace_id}.{here}"

    def picked() -> None:
        cells = st.session_state[key].selection.cells
        back = {name: n for n, name in names.items()}
        if cells and cells[0][1] in back:
            state.put("round", str(back[cells[0][1]]))
            name = list(rows)[cells[0][0]]
            state.put("said", name if name in trace.keys else None)

    st.dataframe(
        frame.style.map(lambda text: COLOURS.get(str(text)[:1], ""), subset=list(names.values())),
        hide_index=True,
        key=key,
        on_select=picked,
        selection_mode="single-cell",
        height="content" if len(rows) <= 16 else 480,
        row_height=28,
        column_config={"criterion": st.column_config.TextColumn("criterion", pinned=True)},
        alt="Verdict of every criterion in every round.",
    )
    small("● shown here" + ("" if returned is None else "   ⏎ handed back"))


def _cell(r: Round | None, key: str) -> str:
    if r is None:
        return GAP
    verdict: CriterionVerdict | None = r.judgement.verdicts.get(key) if r.judgement else None
    if verdict is None:
        return NO_VERDICT
    if verdict.verdict is None:
        return f"– {verdict.unscored}"
    return MARKS[verdict.verdict]


def _score(r: Round | None) -> str:
    if r is None:
        return GAP
    if r.score is not None:
        return f"{float(r.score):.6g}"
    return "– not read" if not r.read and r.judgement is None else "– no score"


def evidence(trace: Trace, here: int) -> None:
    """Show what keeps the round's draft from passing, or that nothing does."""
    this = trace.round(here)
    if this is None:
        return
    st.caption(f"Evidence in round {here}")
    if this.judgement is None:
        st.text("Nobody read this draft." if not this.read else "Only a score was recorded.")
        return
    if this.judgement.unscored is not None:
        st.text(f"Unscored: {this.judgement.unscored.value}. Not a fail, not a pass.")
        if this.judgement.detail and this.judgement.detail != this.error:
            verbatim(this.judgement.detail, height=120)
    failed, passed = _rows(this)
    chosen = state.get("said")
    picked = [row for row in (*failed, *passed) if row["Criterion"] == chosen]
    if picked:
        _failures(picked)
        st.button("Show all failures of this round", key="traces.said", on_click=state.put,
                  args=("said", None))  # fmt: skip
    elif failed:
        _failures(failed[:MOST])
    elif passed:
        st.text("No criterion fails.")


def other_verdicts(trace: Trace, here: int) -> None:
    """List the verdicts of a round that `evidence` did not show."""
    this = trace.round(here)
    failed, passed = ([], []) if this is None else _rows(this)
    if state.get("said") in trace.keys:
        failed, passed = [], failed + passed
    if rest := failed[MOST:] + passed:
        with st.expander(
            f"{plural(len(rest), 'other verdict' if failed else 'verdict')}, with evidence"
        ):
            st.dataframe(rest, hide_index=True)


def _rows(this: Round) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return one row a verdict: those that do not pass, and those that do."""
    said = this.judgement.verdicts if this.judgement is not None else {}
    changes = any(verdict.change for verdict in said.values())
    failed: list[dict[str, str]] = []
    passed: list[dict[str, str]] = []
    for key, verdict in said.items():
        row = {"Verdict": mark(verdict), "Criterion": key, "Evidence": verdict.evidence}
        if changes:
            row["What to change"] = verdict.change
        (passed if verdict.verdict is Verdict.PASS else failed).append(row)
    return failed, passed


def _failures(rows: list[dict[str, str]]) -> None:
    """Show failures in one low box that scrolls, so that the grid below it stays in sight."""
    entries = []
    for row in rows:
        change = row.get("What to change")
        said = "\n".join(t for t in (row["Evidence"], change and f"→ {change}") if t)
        title = html.escape(visible(f"{row['Verdict']}  {row['Criterion']}"))
        entries.append(f"<b>{title}</b>" + (f"\n{html.escape(visible(said))}" if said else ""))
    st.html(
        '<div style="white-space:pre-wrap;overflow-wrap:anywhere;max-height:132px;overflow:auto;'
        "border:1px solid rgba(128,138,150,0.35);border-radius:6px;padding:0.45rem 0.7rem;"
        'font-size:0.85rem;line-height:1.4" tabindex="0">' + "\n".join(entries) + "</div>"
    )


def scores(trace: Trace, numbers: list[int]) -> None:
    """Draw the score by round, if two rounds have one."""
    known = {r.number: float(r.score) for r in trace.rounds if r.score is not None}
    scored = [(n, known.get(n)) for n in numbers]
    if sum(score is not None for _, score in scored) < 2:
        return
    top = float(len(trace.keys)) if trace.keys else None
    if isinstance(trace.contract, Contract) and trace.contract.acceptance.rule == "threshold":
        top = float(trace.contract.total_weight)
    st.altair_chart(
        score_path(scored, top),
        alt="Score by round: "
        + ", ".join(f"{n}: {'none' if s is None else f'{s:g}'}" for n, s in scored),
    )
