"""Finding a trace: filters that stand in the address, and a table to pick from."""

from __future__ import annotations

import streamlit as st

from core.loop.summary import Summary
from core.wording import plural
from pages.parts import state
from pages.parts.trace_panels import ARMS, TraceNumbers

ALL = "all"
SHOWN = 2_000
ACCEPTED = {"yes": "Accepted", "no": "Flagged", "wrong": "Accepted but wrong", "open": "Not known"}
YES_NO = {True: "✓ yes", False: "✕ no", None: "– not known"}


def chosen_trace(found: TraceNumbers, hidden: frozenset[str] = frozenset()) -> str | None:
    """Draw filters and table; return the id of the trace to show, or None when none is left.

    Traces in `hidden` are not listed: outcome and label of a text that is yet to be labelled.

    They fold away, so that the draft and its verdicts are in sight while one steps through.
    """
    with st.expander("Filter and choose a trace", key="traces.list"):
        wanted = filters(found)
        left = [s for s in found.summaries if kept(s, wanted) and s.trace_id not in hidden]
        if left:
            _table(left[:SHOWN])
            more = f"; the first {SHOWN:,} are listed" if len(left) > SHOWN else ""
            gone = f" {plural(len(hidden), 'trace')} hidden until you have labelled their text."
            st.caption(
                f"{len(left):,} of {plural(len(found.summaries), 'trace')}{more}. Choose a row to "
                f"replay it.{gone if hidden else ''}"
            )
    ids = [s.trace_id for s in left]
    if not any(kept(s, wanted) for s in found.summaries):
        # Where all that fit are hidden, the page says so, with the way out.
        st.caption("No trace is like that. Widen the filters.")
    asked = state.get("trace")
    if asked is not None and asked in found.ids:
        if asked not in set(ids):
            st.caption("The trace below is not among those listed.")
        return asked
    if asked is not None:
        st.caption("The trace in the address is not in this project.")
    # One with several rounds shows what a replay is; a single round has nothing to step through.
    return next((s.trace_id for s in left if s.rounds > 1), ids[0] if ids else None)


def filters(found: TraceNumbers) -> dict[str, str | None]:
    """Draw the four filters and return what each is set to."""
    options = {
        "arm": ("Arm", {arm.value: ARMS[arm] for arm in found.arms}),
        "exit": ("Exit", {key: key for key in found.exits}),
        "shape": ("Shape of failure", {key: key for key in found.shapes}),
        "accepted": ("Outcome", ACCEPTED),
    }
    chosen: dict[str, str | None] = {}
    for column, (name, (label, known)) in zip(st.columns(4), options.items(), strict=True):
        with column:
            chosen[name] = state.pick(
                name,  # type: ignore[arg-type]
                label,
                [ALL, *known],
                show=lambda key, known=known: "All" if key == ALL else known[key],
            )
    return chosen


def kept(s: Summary, wanted: dict[str, str | None]) -> bool:
    """Return whether a trace fits the filters."""
    exit = "not recorded" if s.exit is None else s.exit.value
    outcome = {
        "yes": s.accepted is True,
        "no": s.accepted is False,
        "wrong": s.accepted is True and s.good is False,
        "open": s.accepted is None,
    }
    return (
        wanted["arm"] in (ALL, s.arm.value)
        and wanted["exit"] in (ALL, exit)
        and (wanted["shape"] == ALL or wanted["shape"] in s.shapes)
        and (wanted["accepted"] == ALL or outcome[wanted["accepted"] or ""])
    )


def _table(rows: list[Summary]) -> None:
    ids = [s.trace_id for s in rows]
    key = f"traces.rows.{hash(tuple(ids))}"

    def picked() -> None:
        at = st.session_state[key].selection.rows
        if at:
            state.put("trace", ids[at[0]])
            state.put("round", None)

    st.dataframe(
        [
            {
                "Trace": s.trace_id,
                "Sample": s.sample_id,
                "Trial": s.trial,
                "Arm": s.arm.value,
                "Exit": "not recorded" if s.exit is None else s.exit.value,
                "Accepted": YES_NO[s.accepted],
                "Label": {True: "✓ good", False: "✕ bad", None: "–"}[s.good],
                "Rounds": s.rounds,
                "Calls": s.calls,
                "Shapes": ", ".join(s.shapes),
            }
            for s in rows
        ],
        hide_index=True,
        height=180,
        key=key,
        on_select=picked,
        selection_mode="single-row",
        alt="The traces that fit the filters, one a row.",
    )
