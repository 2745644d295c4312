"""What if: another cap or window over the recorded rounds, all rules as a picture, the best one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from core.charts_traces import RuleCell, rule_grid
from core.loop.stop import Arm
from core.loop.whatif import BestRule, Ends, Goal, Paths, against, best_rule
from core.statistics.interval import Result, Undefined
from core.statistics.interval import rate as counted
from core.store.store import Project
from core.store.trace_sources import Grid
from core.wording import decimal, percent, plural, rate
from pages.parts import state
from pages.parts.panels import small
from pages.parts.trace_from import pick_source, walks
from pages.parts.trace_panels import ARMS, TraceNumbers, points

MOST_CAP, MOST_WINDOW = 10, 8
Range = tuple[float, float | None]
"""The least a number can be, whatever was never observed, and the most; None: no upper end."""


def _shares(sure: int, open_: int, of: int) -> Range | None:
    return (sure / of, (sure + open_) / of) if of else None


def _accepted(e: Ends, g: Grid) -> Range | None:
    return _shares(e.counts["accepted"], e.counts["censored"], len(e.exit))


def _right(e: Ends, g: Grid) -> Range | None:
    n = e.counts
    return _shares(n["accepted_good"], n["censored"] + n["accepted_unlabelled"], n["traces"])


def _wrong(e: Ends, g: Grid) -> Range | None:
    n = e.counts
    open_ = n["accepted_unlabelled"]
    sure = n["accepted"] - n["accepted_good"] - open_
    return sure, sure + open_ + n["censored"]


def _per_trace(values: np.ndarray, e: Ends) -> Range | None:
    # What a trace used up before it was cut off it would have used under the rule as well.
    if not len(values) or np.isnan(values).any():
        return None
    least = float(values.mean())
    return least, least if e.observed.all() else None


def _per_accepted(e: Ends, g: Grid) -> Range | None:
    most = e.counts["accepted"] + e.counts["censored"]
    if not most:
        return None
    least = float(e.calls.sum()) / most
    return least, least if e.observed.all() else None


MEASURES: dict[str, tuple[str, Callable[[Ends, Grid], Range | None], str]] = {
    "accepted": ("Accepted, share of the traces", _accepted, "%"),
    "right": ("Accepted and right, share of the traces", _right, "%"),
    "wrong": ("Accepted but wrong, traces", _wrong, ",.0f"),
    "calls": ("Calls per trace", lambda e, g: _per_trace(e.calls, e), ".2f"),
    "calls_accepted": ("Calls per accepted trace", _per_accepted, ".2f"),
    "usd": (
        "Cost per trace, USD", lambda e, g: _per_trace(g.upto(g.usd, e.rounds), e), ".4f"
    ),
}  # fmt: skip


def in_words(found: Range | None, form: str) -> str:
    """Return a number, the range it lies in, or the least it can be: "94.0 %", "94–100 %", "≥ 2.1"."""
    if found is None:
        return "–"
    low, high = found
    show = (lambda x: percent(x, 1)) if form == "%" else (lambda x: f"{x:{form}}")
    if high is None:
        return f"≥ {show(low)}"
    if high == low:
        return show(low)
    return f"{100 * low:.1f}–{percent(high, 1)}" if form == "%" else f"{show(low)}–{show(high)}"


def whatif_view(project: Project, found: TraceNumbers) -> None:
    """Draw the view: which traces, the sliders with what they give, all rules, the best rule."""
    left, right = st.columns(2)
    arms = [arm.value for arm in found.arms]
    with left:
        arm = state.pick("stop_arm", "Arm", arms, show=lambda a: ARMS[Arm(a)])
    with right:
        key = pick_source(project)
    _explore(project.id, project.revision, key, arm)


@st.fragment
def _explore(project_id: int, revision: int, key: str, arm: str | None) -> None:
    paths, grid = walks(project_id, revision, key, arm)
    if not len(paths):
        st.text("No trace of this arm came from there.")
        return
    caps = list(range(1, min(paths.longest + 1, MOST_CAP) + 1))
    windows = list(range(1, min(max(paths.longest, 1), MOST_WINDOW) + 1))
    own_cap, own_window = paths.usual_rule
    with st.container(border=True):
        one, two = st.columns(2, gap="large")
        with one:
            cap = _slide("stop_cap", "Cap: drafts at most", caps, own_cap or caps[-1])
        with two:
            window = windows[-1]
            if arm == Arm.RETRY.value:
                st.caption(
                    "Retries know no window: each draw is independent, only the cap ends them."
                )
            else:
                window = _slide(
                    "stop_window", "Window: rounds without a higher score", windows,
                    own_window or windows[-1],
                )  # fmt: skip
        recorded, what = paths.ends(), paths.ends(cap, window)
        retry = arm == Arm.RETRY.value
        the_same = paths.rules == 1 and cap == own_cap and (retry or window == own_window)
        _said(what, recorded, rule_words(cap, window, retry), the_same)
        _beside(paths, recorded, what, grid)
    _picture(project_id, revision, key, arm, caps, windows, (cap, window))
    _best(project_id, revision, key, arm, caps, windows)


def _slide(name: state.Name, label: str, options: Sequence[int], usual: int) -> int:
    """Draw a slider whose value stands in the address; returns the value."""
    asked = state.get(name)
    here = int(asked) if asked and asked.isdigit() and int(asked) in options else None
    here = min(usual, options[-1]) if here is None else here
    if len(options) < 2:
        st.caption(f"{label}: {here}, the only one these traces can answer.")
        return here
    key = f"traces.slide.{name}"
    st.session_state[key] = here
    return st.slider(
        label, options[0], options[-1], key=key,
        on_change=lambda: state.put(name, str(st.session_state[key])),
    )  # fmt: skip


def rule_words(cap: int, window: int, retry: bool) -> str:
    """Return a stop rule in words; retries know no window."""
    return f"cap {cap}" if retry else f"cap {cap} and window {window}"


def _said(what: Ends, recorded: Ends, rule: str, the_same: bool) -> None:
    """Say first what is not known, then what the rule would have made of the rest."""
    n = what.counts
    if n["censored"]:
        st.text(
            f"Unknown for {n['censored']:,} of {plural(n['traces'], 'trace')}: they stopped before "
            "this rule would have, and what the next round would have brought was never observed. "
            "Numbers below are the range that leaves."
        )
    if the_same:
        st.text(f"These traces were recorded with {rule}: the same rule. Move a slider.")
        return
    if what.same_as(recorded):
        st.text(f"With {rule} every trace ends as it did under its recorded rule.")
        return
    pairs = against(what, recorded)
    if pairs.n and not isinstance(pairs.difference, Undefined):
        st.text(
            f"With {rule}, on the {plural(pairs.n, 'trace')} whose end is "
            f"known under both rules: {pairs.first:,} accepted instead of {pairs.second:,}, "
            f"{points(pairs.difference)}."
        )


def _beside(paths: Paths, recorded: Ends, what: Ends, grid: Grid) -> None:
    exits = sorted({*recorded.exits, *what.exits})
    columns = [_rows(paths, ends, grid, exits) for ends in (recorded, what)]
    cap, window = paths.usual_rule
    own = (
        "each by its own rule" if paths.rules != 1 or cap is None else f"cap {cap}, window {window}"
    )
    # Wraps where the window is narrow; a cell that is cut off hides a number.
    st.table(
        {
            f"As recorded: {own}": columns[0],
            "What if": columns[1],
        },
        border="horizontal",
    )


def _rows(paths: Paths, ends: Ends, grid: Grid, exits: Sequence[str]) -> dict[str, str]:
    n = ends.counts
    wrong = n["accepted"] - n["accepted_good"] - n["accepted_unlabelled"]

    def share(k: int, of: int, nothing: str) -> str:
        found = counted(k, of, nothing=nothing)
        if isinstance(found, Undefined):
            return found.reason
        said = percent(found.value) if paths.repeated else rate(found)
        return f"{k:,} of {of:,}: {said}"

    accepted = share(n["accepted"], n["traces"], "no traces")
    if n["censored"]:
        most = n["accepted"] + n["censored"]
        accepted = f"{n['accepted']:,} to {most:,}: {in_words(_accepted(ends, grid), '%')}"
    calls = in_words(
        (float(ends.calls.sum()), None if n["censored"] else float(ends.calls.sum())), ",.0f"
    )
    return {
        "End observed": f"{n['observed']:,} of {n['traces']:,}",
        "Never observed: unknown": f"{n['censored']:,}",
        "Accepted": accepted,
        "Right among accepted": share(
            n["accepted_good"], n["accepted_good"] + wrong, "no accepted draft is labelled"
        ),
        "Accepted but wrong": in_words(_wrong(ends, grid), ",.0f"),
        "Accepted, unlabelled": f"{n['accepted_unlabelled']:,}",
        "Calls": calls,
        "Calls per accepted": in_words(_per_accepted(ends, grid), ".2f"),
        "Cost": _sum(grid.upto(grid.usd, ends.rounds), ends, ",.4f", "USD"),
        "Time, in sequence": _sum(grid.upto(grid.seconds, ends.rounds), ends, ",.0f", "s"),
        **{f"Exit {name}": f"{ends.exits.get(name, 0):,}" for name in exits},
    }


def _sum(values: np.ndarray, ends: Ends, form: str, unit: str) -> str:
    lacking = int(np.isnan(values).sum())
    if lacking:
        return f"not recorded in {plural(lacking, 'trace')}"
    total = float(values.sum())
    return f"{in_words((total, total if ends.observed.all() else None), form)} {unit}"


# --- every rule as a picture -----------------------------------------------------------------


@st.cache_resource(max_entries=30, show_spinner=False)
def _cells(
    project_id: int, revision: int, key: str, arm: str | None, measure: str,
    caps: tuple[int, ...], windows: tuple[int, ...],
) -> list[RuleCell]:  # fmt: skip
    paths, grid = walks(project_id, revision, key, arm)
    _, value, form = MEASURES[measure]
    found = []
    for cap in caps:
        for window in windows:
            ends = paths.ends(cap, window)
            x = value(ends, grid)
            unknown = int((~ends.observed).sum())
            found.append(RuleCell(cap, window, x and x[0], in_words(x, form), unknown))
    return found


def _picture(
    project_id: int, revision: int, key: str, arm: str | None, caps: list[int],
    windows: list[int], chosen: tuple[int, int],
) -> None:  # fmt: skip
    st.subheader("Every cap with every window", anchor=False)
    measure = state.pick(
        "measure", "Number in the cells", list(MEASURES), show=lambda m: MEASURES[m][0]
    )
    if measure is None:
        return
    shown = windows if arm != Arm.RETRY.value else windows[-1:]
    cells = _cells(project_id, revision, key, arm, measure, tuple(caps), tuple(shown))
    title = MEASURES[measure][0]
    st.altair_chart(
        rule_grid(cells, title, chosen),
        width="content",
        alt=f"{title}. "
        + "; ".join(
            f"cap {c.cap}, window {c.window}: {c.said}"
            + (f", {c.unknown:,} unknown" if c.unknown else "")
            for c in cells
        ),
    )
    small(
        "The frame marks the sliders. “Unknown” counts traces that stopped before that rule would "
        "have: the number is then the range it lies in, or the least it can be. Window: rounds "
        "without a higher score. A darker cell is a higher number, not a better one."
    )


# --- the best rule for a goal ----------------------------------------------------------------

PRICES: tuple[tuple[state.Name, str, str], ...] = (
    ("goal_call", "A call costs", "0.01"),
    ("goal_wrong", "A wrong output accepted costs", "5"),
    ("goal_handover", "A hand-over to a person costs", "1"),
)


@st.cache_resource(max_entries=30, show_spinner="Trying every rule …")
def _chosen(
    project_id: int, revision: int, key: str, arm: str | None, prices: tuple[float, ...],
    caps: tuple[int, ...], windows: tuple[int, ...],
) -> BestRule | Undefined:  # fmt: skip
    paths, _ = walks(project_id, revision, key, arm)
    return best_rule(paths, Goal(*prices), caps, windows)


def _best(
    project_id: int, revision: int, key: str, arm: str | None, caps: list[int], windows: list[int]
) -> None:
    st.subheader("The best stop rule for your goal", anchor=False)
    small(
        "The goal is the lowest cost of a task, in one unit of yours (dollars, minutes). Every rule "
        "observed to its end on every trace is tried on half of the samples; the winner is then "
        "measured on the other half, which had no say in the choice."
    )
    prices = []
    for column, (name, label, usual) in zip(st.columns(3), PRICES, strict=True):
        with column:
            prices.append(_price(name, label, usual))
    if not any(prices):
        st.text("Give at least one price above 0: otherwise every rule costs the same.")
        return
    shown = tuple(windows) if arm != Arm.RETRY.value else (windows[-1],)
    with st.container(border=True):
        best = _chosen(project_id, revision, key, arm, tuple(prices), tuple(caps), shown)
        for line in best_lines(best, arm == Arm.RETRY.value):
            st.text(line)


def _price(name: state.Name, label: str, usual: str) -> float:
    key = f"traces.{name}"
    try:
        here = max(0.0, float(state.get(name, usual) or usual))
    except ValueError:
        here = float(usual)
    st.session_state[key] = here if np.isfinite(here) else float(usual)
    return st.number_input(
        label, min_value=0.0, step=0.01, format="%.3f", key=key,
        on_change=lambda: state.put(name, f"{st.session_state[key]:g}"),
    )  # fmt: skip


def best_lines(best: BestRule | Undefined, retry: bool) -> list[str]:
    """Say which rule won, what it costs on the samples that did not choose it, and what it saves."""
    if isinstance(best, Undefined):
        remedy = "Record traces with a higher cap (record more rounds than the rule needs)"
        if "label" in best.reason:
            remedy += ", label the accepted drafts, or set the cost of a wrong output to 0"
        return [f"No rule can be named: {best.reason}. {remedy}."]
    rule = f"cap {best.cap}" + ("" if retry else f", window {best.window}")
    lines = [
        f"Chosen on {plural(best.samples_chosen, 'sample')}: {rule}. It costs "
        f"{_cost(best.checked_on)} a task on the other {plural(best.samples_checked, 'sample')}; "
        f"on those that chose it {decimal(best.chosen_on, 3)}, which flatters it.",
        f"The recorded rule costs {_cost(best.against)} there.",
    ]
    saved = best.saved
    if isinstance(saved, Undefined):
        return [*lines, f"What it saves is not known: {saved.reason}."]
    if saved.low > 0:
        word = "Keep to this rule: it saves"
    elif saved.high < 0:
        word = "Keep the recorded rule: the chosen one did worse on the other half, by"
        saved = type(saved)(-saved.value, -saved.high, -saved.low, saved.k, saved.n)
    elif saved.low == saved.high == 0:
        return [
            *lines,
            "Both end every trace alike there: the recorded rule is as good as any tried.",
        ]
    elif saved.value < 0:
        word = "Can't tell whether it saves or costs, the interval includes 0: it costs more by"
        saved = type(saved)(-saved.value, -saved.high, -saved.low, saved.k, saved.n)
    else:
        word = "Can't tell whether it saves or costs, the interval includes 0: it saves"
    return [*lines, f"{word} {_cost(saved)} a task, sample by sample."]


def _cost(result: Result) -> str:
    if isinstance(result, Undefined):
        return f"not known ({result.reason})"
    return (
        f"{decimal(result.value, 3)} (95 %: {decimal(result.low, 3)} to {decimal(result.high, 3)})"
    )
