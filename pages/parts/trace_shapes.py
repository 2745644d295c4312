"""Can this loop converge, and which shapes of failure do its traces show, proven round by round."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from core.glossary import help_of, shape_marks
from core.loop.convergence import FLIPS, REPAIRS, SPECIFIC, Convergence, Met
from core.loop.shapes import FIRST_RESPONSE, Shape
from core.loop.stop import Arm
from core.loop.summary import Summary
from core.statistics.interval import Result, Undefined
from core.store.store import Project
from core.wording import NBSP, count_of, percent, plural, rate, rate_range
from pages.parts import state
from pages.parts.panels import small
from pages.parts.shell import page_at
from pages.parts.sight import hidden_trace_ids
from pages.parts.trace_facts import Look, converges, look
from pages.parts.trace_panels import ARMS
from pages.parts.workspace import version

MET = {Met.YES: "✓ yes", Met.NO: "✕ no", Met.OPEN: "○ not known yet"}
SHOWN = 500
CRITERIA, RULE = "Criteria", "Evaluator, stop rule and limits"
CHANGE: dict[str, tuple[str, str, str]] = {
    "plateau": ("Change the stop rule", "contract", RULE),
    "stuck": ("Sharpen the criteria", "contract", CRITERIA),
    "cycle": ("Rank or merge the criteria", "contract", CRITERIA),
    "regression": ("Keep the best draft", "contract", RULE),
    "over-edit": ("Say it in the task", "contract", RULE),
    "vague evaluator": ("Ask for place and change", "contract", CRITERIA),
    "cannot know": ("Change the evaluator", "contract", RULE),
    "flip-flop judge": ("Judge twice", "judge", "run"),
    "moving target": ("Compare the versions", "contract", "Versions"),
    "unread draft": ("See how they ended", "traces", "replay"),
    "rubber stamp": ("Read its mistakes", "agreement", "why"),
    "never satisfied": ("Loosen or split it", "contract", CRITERIA),
    "gaming": ("Rewrite the criterion", "contract", CRITERIA),
}
"""Where to change what a shape asks for: the button's words, the page, and its view or tab."""


def shapes_view(project: Project) -> None:
    """Draw the three conditions, then the table of shapes, then the proof of the one chosen."""
    found = look(project)
    seen = converges(project)
    if seen is not None:
        _conditions(seen)
    _shapes(project, found)


# --- convergence ----------------------------------------------------------------------------


def _conditions(c: Convergence) -> None:
    st.subheader("Can this loop converge?", anchor=False, help=help_of("convergence"))
    first, second, third = st.columns(3)
    with first, st.container(border=True, height="stretch"):
        _condition("Feedback is specific", c.is_specific, help_of("specific"))
        small(
            _of(c.specific, "failures name a place and a change"),
            f"Met when more than {percent(SPECIFIC, 0)} do.",
        )
    with second, st.container(border=True, height="stretch"):
        _condition("Flaws are repairable", c.is_repairable, help_of("r", "damage"))
        small(
            _of(c.repair, "failed first drafts accepted after one revision"),
            f"Met when more than {percent(REPAIRS, 0)} are.",
        )
    with third, st.container(border=True, height="stretch"):
        _condition("The target stands still", c.is_still, help_of("flip rate"))
        small(
            _contracts(c),
            _of(c.flips, f"{c.reread} got another verdict when read again"),
            f"Met with one contract and at most {percent(FLIPS, 0)} flips.",
        )
    with st.expander("By round and by criterion", key="traces.convergence"):
        _tables(c)


def _condition(title: str, met: Met, help: str) -> None:
    st.markdown(f"**{title}**", help=help)
    st.text(MET[met])


def _of(result: Result, what: str) -> str:
    if isinstance(result, Undefined):
        return f"{result.reason[0].upper()}{result.reason[1:]}."
    return f"{count_of(result)} {what}: {percent(result.value)} (95{NBSP}%: {_whole(rate_range(result))})."


def _whole(text: str) -> str:
    """Return text that no line breaks apart at its dash."""
    return text.replace("–", "\u2060–\u2060")


def _contracts(c: Convergence) -> str:
    named = c.traces - c.unnamed
    if not named:
        return "No trace says which contract it was judged by."
    said = f"{plural(c.contracts, 'contract')} in {plural(named, 'trace')}"
    return f"{said}; {c.unnamed:,} do not say theirs." if c.unnamed else f"{said}."


def _tables(c: Convergence) -> None:
    small(
        "Accepted in a round, of the drafts whose earlier ones were all rejected. Later rounds hold "
        "the harder tasks, so rounds are never pooled."
    )
    st.dataframe(
        [
            {"Round": n, "Accepted": count_of(r), "Repair rate": rate(r)}
            for n, r in c.by_round.items()
        ],
        hide_index=True,
        height="content",
    )
    small("What revisions did to each criterion; intervals allow for several rounds of one sample.")
    st.dataframe(
        [
            {
                "Criterion": key,
                "Failures": count_of(one.specific),
                "With place and change": _share(one.specific),
                "Revised": count_of(one.repaired),
                "Repaired": _share(one.repaired),
                "Passed before": count_of(one.damaged),
                "Damaged": _share(one.damaged),
            }
            for key, one in c.by_criterion.items()
        ],
        hide_index=True,
        height="content",
    )


def _share(result: Result) -> str:
    return f"– {result.reason}" if isinstance(result, Undefined) else rate(result)


# --- shapes ---------------------------------------------------------------------------------


def _shapes(project: Project, found: Look) -> None:
    st.subheader("Shapes of failure", anchor=False, help=help_of("shape"))
    arms = Counter(s.arm for s in found.summaries)
    counts = Counter((name, s.arm) for s in found.summaries for name in s.shapes)
    some = sum(bool(s.shapes) for s in found.summaries)
    small(f"{some:,} of {plural(len(found.summaries), 'trace')} show at least one.")
    there = [name for name in FIRST_RESPONSE if any(counts[name, arm] for arm in Arm)]
    names = [*there, *(name for name in FIRST_RESPONSE if name not in there)]
    rows = []
    for name in names:
        row: dict[str, object] = {"Shape": name}
        for arm in Arm:
            if arms[arm]:
                row[ARMS[arm]] = _count(found, name, counts[name, arm])
        rows.append({**row, "First thing to do": FIRST_RESPONSE[name], "Mark": shape_marks()[name]})
    key = f"traces.shapes.table.{len(there)}"

    def picked() -> None:
        at = st.session_state[key].selection.rows
        if at:
            state.put("shape", names[at[0]])

    st.dataframe(
        rows,
        hide_index=True,
        height="content",
        key=key,
        on_select=picked,
        selection_mode="single-row",
        column_config={arm: st.column_config.TextColumn(width=85) for arm in ARMS.values()},
        alt="Every shape of failure, in how many traces of each arm it occurs, and what to try first.",
    )
    if there:
        _proof(project, found, there)


def _count(found: Look, name: str, count: int) -> str:
    return "not known" if name in found.shapes.unknown else f"{count:,}"


def _proof(project: Project, found: Look, there: list[str]) -> None:
    """Draw one shape: what to do, where, and every trace that shows it with the rounds that do."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = state.pick("shape", "Shape", there, width=260)
        assert name is not None
        words, page, view = CHANGE[name]
        if st.button(words, key="traces.shapes.change"):
            _go(page, view)
    st.text(FIRST_RESPONSE[name])
    small(f"How it is told: {shape_marks()[name]}")
    for unknown, why in found.shapes.unknown.items():
        small(f"{unknown} is not known: {why}.")
    hidden = hidden_trace_ids(project, version(project))
    of = {s.trace_id: s for s in found.summaries}
    showing = [(of[key], s) for key, s in found.shapes.showing(name) if key not in hidden]
    _proof_table(name, showing[:SHOWN])
    more = f"; the first {SHOWN:,} are listed" if len(showing) > SHOWN else ""
    gone = len(found.shapes.showing(name)) - len(showing)
    waits = f" {plural(gone, 'trace')} hidden until you have labelled their text." if gone else ""
    small(f"{plural(len(showing), 'trace')}{more}. Choose a row to see the rounds.{waits}")


def _proof_table(name: str, showing: list[tuple[Summary, Shape]]) -> None:
    key = f"traces.shapes.proof.{name}"

    def picked() -> None:
        at = st.session_state[key].selection.rows
        if at:
            one, shape = showing[at[0]]
            state.put("trace", one.trace_id)
            state.put("round", str(shape.rounds[-1]) if shape.rounds else None)
            state.put("view", "replay")

    st.dataframe(
        [
            {
                "Trace": one.trace_id,
                "Sample": one.sample_id,
                "Arm": ARMS[one.arm],
                "Rounds": ", ".join(map(str, shape.rounds)) or "–",
                "Why": shape.why,
            }
            for one, shape in showing
        ],
        hide_index=True,
        height="content" if len(showing) < 9 else 320,
        key=key,
        on_select=picked,
        selection_mode="single-row",
        alt=f"The traces that show this shape, the rounds that prove it, and why: {name}.",
    )


def _go(page: str, view: str) -> None:
    """Open the page where a shape's cause is changed."""
    if page == "contract":
        st.session_state["contract.tab"] = view
    else:
        state.put_view(page, view)
    if page == "traces":
        st.rerun()
    st.switch_page(page_at(page))
