"""The numbers of the traces page: arms counted, the check against labels, loop against retry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.glossary import help_of
from core.loop.shapes import FIRST_RESPONSE
from core.loop.stop import Arm
from core.loop.summary import ArmNumbers, Arms, Summary, by_arm, compare_arms
from core.statistics.comparison import Paired
from core.statistics.interval import Result, Undefined
from core.statistics.interval import rate as counted
from core.store.store import Project
from core.wording import count_of, decimal, p_value, percent, plural, rate, rate_range
from pages.parts import collector
from pages.parts.panels import small
from pages.parts.trace_facts import look_at

ARMS = {Arm.LOOP: "Loop", Arm.RETRY: "Retries"}
FORMULA = (
    "What retries would rescue if every draw were independent and passed as often as first drafts "
    "do. Real draws for one sample are alike, so retries rescue less."
)
HELP = {
    "accepted": help_of("accepted", "flagged"),
    "right": help_of("precision", "false share"),
    "far": help_of("far"),
    "frr": help_of("frr"),
}


@dataclass(frozen=True)
class TraceNumbers:
    """Every summary of a project, and what they add up to."""

    summaries: Sequence[Summary]
    arms: Mapping[Arm, ArmNumbers]
    compared: Arms | None

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all traces."""
        return frozenset(s.trace_id for s in self.summaries)

    @property
    def exits(self) -> list[str]:
        """The exits that occur."""
        return list(dict.fromkeys(key for arm in self.arms.values() for key in arm.exits))

    @property
    def shapes(self) -> list[str]:
        """The shapes that occur, in the order of the table of shapes."""
        seen = {key for arm in self.arms.values() for key in arm.shapes}
        return [key for key in FIRST_RESPONSE if key in seen]


def numbers(project: Project) -> TraceNumbers:
    """Return the numbers of a project's traces, counted once a revision."""
    return _numbers(project.id, project.revision)


@st.cache_resource(max_entries=10, show_spinner="Counting the traces …")
def _numbers(project_id: int, revision: int) -> TraceNumbers:
    with collector.paused():
        found = look_at(project_id, revision).summaries
        return TraceNumbers(tuple(found), by_arm(found), compare_arms(found))


def headline(found: TraceNumbers) -> None:
    """Say in words what came of each arm, and which one did better."""
    with st.container(border=True):
        for arm, n in found.arms.items():
            st.text(f"{ARMS[arm]}: {_came_of(n)}")
        if found.compared is not None:
            st.text(_verdict(found.compared))


def _came_of(n: ArmNumbers) -> str:
    ended = n.accepted + n.flagged
    said = f"{n.accepted:,} of {plural(ended, 'trace')} accepted, {rate(n.accepted_share)}; "
    said += f"{n.flagged:,} flagged"
    if n.undecided:
        said += f", {n.undecided:,} not known"
    labelled = n.accepted_right + n.accepted_wrong
    if labelled:
        among = "" if labelled == n.accepted else f" {labelled:,} labelled"
        said += f". Of the{among or ' accepted'}, {n.accepted_right:,} are right"
        said += f" and {n.accepted_wrong:,} wrong"
    return said + "."


def _verdict(arms: Arms) -> str:
    pairs, what = _compared(arms)
    difference = pairs.difference
    if isinstance(difference, Undefined):
        return f"Loop against retries: {difference.reason}."
    word = {1: "the loop does better", 2: "retries do better", None: "can't tell"}[pairs.winner]
    because = "" if pairs.winner else ", the interval includes 0"
    return (
        f"Loop against retries on {what}: {word}{because}. Difference {points(difference)}; "
        f"{tested(pairs)}."
    )


def tested(pairs: Paired) -> str:
    """Return the p of a comparison in words: McNemar's, or where pairs share samples that of samples."""
    if pairs.p_clusters is None:
        return f"exact {p_value(pairs.p_exact)}"
    return f"by samples, signs flipped, {p_value(pairs.p_clusters)}"


def _compared(arms: Arms) -> tuple[Paired, str]:
    """Return the pairs that are compared: first drafts that failed, if the arms share them."""
    if arms.shared == arms.accepted.n and arms.rescued.n:
        return arms.rescued, f"the {_pairs_of(arms.rescued)} whose first draft failed"
    return arms.accepted, f"the same {_pairs_of(arms.accepted)}"


def _pairs_of(pairs: Paired) -> str:
    """Return how many pairs there are: samples, or several trials of some of them."""
    if pairs.by_cluster is None:
        return plural(pairs.n, "sample")
    return f"{plural(pairs.n, 'trial')} of {plural(len(pairs.by_cluster), 'sample')}"


def points(difference: Result) -> str:
    """Return a difference of shares in percentage points with its interval."""
    if isinstance(difference, Undefined):
        return difference.reason
    value, low, high = (
        decimal(100 * x, 1) for x in (difference.value, difference.low, difference.high)
    )
    return f"{value} points (95 %: {low} to {high})"


def check_against_labels(found: TraceNumbers) -> None:
    """Draw the four numbers of the check over the returned drafts of the first arm."""
    arm, n = next(iter(found.arms.items()))
    st.subheader(f"{ARMS[arm]}: accepted, and right", anchor=False)
    labelled = n.accepted_right + n.accepted_wrong
    wrong = (
        f"{n.accepted_wrong} of {labelled} wrong: {percent(n.false_share.value)} false share of "
        "accepts"
        if not isinstance(n.false_share, Undefined)
        else ""
    )
    flagged = f"{count_of(n.accepted_share)}; {n.flagged:,} flagged"
    cards = (
        ("Accepted", n.accepted_share, flagged, "accepted"),
        ("Right among accepted", n.right_share, wrong, "right"),
        ("False-accept rate", n.check.false_accept_rate, "bad drafts passed", "far"),
        ("False-reject rate", n.check.false_reject_rate, "good drafts failed", "frr"),
    )
    for column, card in zip(st.columns(4), cards, strict=True):
        with column, st.container(border=True, height="stretch"):
            _card(*card)
    if not n.labelled:
        st.caption(
            "No returned draft has a gold label, so whether accepted ones are right is not known."
        )
    elif n.check.unlabelled or n.check.unscored:
        st.caption(
            f"Left out of the two rates: {n.check.unlabelled:,} returned drafts without a gold "
            f"label, {n.check.unscored:,} that the check did not read."
        )


def _metric(title: str, value: str, help: str | None = None) -> None:
    # The title as text and not as the metric's label, which is cut off where the window is narrow.
    st.text(title, help=help)
    st.metric(title, value, label_visibility="collapsed")


def _card(title: str, result: Result, text: str, kind: str) -> None:
    if isinstance(result, Undefined):
        _metric(title, "–", HELP[kind])
        small(result.reason)
        return
    _metric(title, percent(result.value), HELP[kind])
    counts = text if kind in ("accepted", "right") else f"{count_of(result)} {text}"
    small(counts, f"95 %: {rate_range(result)}")


def loop_against_retry(found: TraceNumbers) -> None:
    """Draw loop and retries on the same samples: what each rescued, and the paired 2×2."""
    arms = found.compared
    if arms is None:
        if len(found.arms) == 2:
            st.caption("No sample was done by both arms, so they cannot be compared in pairs.")
        return
    st.subheader("Loop against retries, on the same samples", anchor=False)
    pairs, what = _compared(arms)
    rescue = pairs is arms.rescued
    st.caption(f"Counted on {what}. " + ("Both arms share the first draft." if rescue else ""))
    verb = "rescued" if rescue else "accepted"
    right = arms.rescued_right if rescue else arms.right
    loop, retry, formula = st.columns(3)
    with loop, st.container(border=True, height="stretch"):
        _share(f"Loop {verb}", pairs.first, pairs.n, right and right.first)
    with retry, st.container(border=True, height="stretch"):
        _share(f"Retries {verb}", pairs.second, pairs.n, right and right.second)
    if rescue and arms.predicted is not None and arms.cap is not None:
        with formula, st.container(border=True, height="stretch"):
            _metric("Retries by formula", percent(arms.predicted), FORMULA)
            p = f"{arms.first_passed}/{arms.first_known}"
            small(f"1 − (1 − {p}){_power(arms.cap - 1)}", "if every draw were independent")
    left, right_side = st.columns([2, 3], gap="large", vertical_alignment="center")
    with left:
        if isinstance(pairs.difference, Undefined):
            st.text(_verdict(arms))
        else:
            st.text(f"Difference {points(pairs.difference)}")
            small(
                f"Newcombe interval of the paired difference. McNemar: exact "
                f"{p_value(pairs.p_exact)}, mid-P {p_value(pairs.p_mid)}."
                if pairs.p_clusters is None
                else "Several trials share a sample: Newcombe interval of as many independent "
                f"pairs as would say as much, {tested(pairs)}."
            )
            small(_plainly(pairs))
    with right_side:
        _two_by_two(pairs, verb)
    _left_out(arms)


def _share(title: str, got: int, n: int, right: int | None) -> None:
    share = counted(got, n, nothing="no pairs")
    if isinstance(share, Undefined):
        _metric(title, "–")
        small(share.reason)
        return
    _metric(title, percent(share.value))
    known = "" if right is None else f"; {right} of them right"
    small(f"{count_of(share)}{known}", f"95 %: {rate_range(share)}")


def _plainly(pairs: Paired) -> str:
    """Say what the interval allows to say."""
    if pairs.winner is None:
        return "The interval includes 0: these samples can't tell which arm is better."
    better = "The loop" if pairs.winner == 1 else "Trying again"
    return f"The interval leaves out 0: {better.lower()} did better on these samples."


def _power(n: int) -> str:
    """Return a whole number as a superscript."""
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(n))


def _two_by_two(pairs: Paired, verb: str) -> None:
    st.dataframe(
        [
            {
                "": f"Loop {verb}",
                f"Retries {verb}": pairs.both,
                "Retries did not": pairs.first_only,
            },
            {
                "": "Loop did not",
                f"Retries {verb}": pairs.second_only,
                "Retries did not": pairs.neither,
            },
        ],
        hide_index=True,
        alt=f"Both {pairs.both}, loop only {pairs.first_only}, retries only {pairs.second_only}, "
        f"neither {pairs.neither}.",
    )
    small(
        f"both {pairs.both} · loop only {pairs.first_only} · retries only {pairs.second_only} · "
        f"neither {pairs.neither}"
    )


def _left_out(arms: Arms) -> None:
    parts = [
        (arms.unpaired, "done by one arm only"),
        (arms.repeated, "that share arm, sample and trial with another"),
        (arms.undecided, "pairs whose outcome is not known"),
    ]
    said = [f"{n:,} {what}" for n, what in parts if n]
    if said:
        st.caption("Left out of the comparison: " + "; ".join(said) + ".")


def arms_table(found: TraceNumbers) -> None:
    """Draw every count of every arm."""
    st.subheader("Both arms counted" if len(found.arms) > 1 else "Counted", anchor=False)
    rows: dict[str, list[str]] = {}
    for n in found.arms.values():
        values = {
            "Traces": f"{n.traces:,}",
            "Accepted": f"{n.accepted:,}: {rate(n.accepted_share)}",
            "Flagged": f"{n.flagged:,}",
            "Not known": f"{n.undecided:,}",
            "First draft accepted": f"{n.first_passed:,} of {n.first_known:,}",
            "Accepted and right": f"{n.accepted_right:,}: {rate(n.right_share)}",
            "False share of accepts": _with_counts(n.false_share),
            "False-accept rate": _with_counts(n.check.false_accept_rate),
            "False-reject rate": _with_counts(n.check.false_reject_rate),
            "Rounds": f"{n.rounds:,}",
            "Calls": f"{n.calls:,}",
            "Calls per accepted": decimal(n.calls / n.accepted) if n.accepted else "none accepted",
            **{f"Exit {key}": f"{n.exits.get(key, 0):,}" for key in found.exits},
        }
        for name, value in values.items():
            rows.setdefault(name, []).append(value)
    titles = [ARMS[arm] for arm in found.arms]
    st.dataframe(
        [{"": name, **dict(zip(titles, values, strict=True))} for name, values in rows.items()],
        hide_index=True,
        height="content",
    )


def _with_counts(result: Result) -> str:
    return rate(result) if isinstance(result, Undefined) else f"{count_of(result)}: {rate(result)}"


def shapes_table(found: TraceNumbers) -> None:
    """Draw how many traces show each shape of failure, and the first thing to do about it."""
    st.subheader("Shapes of failure", anchor=False)
    if not found.shapes:
        st.caption("No trace shows one.")
        return
    st.dataframe(
        [
            {
                "Shape": key,
                **{ARMS[arm]: n.shapes.get(key, 0) for arm, n in found.arms.items()},
                "First thing to do": FIRST_RESPONSE[key],
            }
            for key in found.shapes
        ],
        hide_index=True,
    )
    st.caption("Filter the replay by a shape to see the rounds that prove it.")
