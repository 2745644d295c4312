"""How sure it is that the loop pays, and which input would turn the decision."""

from __future__ import annotations

import streamlit as st

from core.statistics.decision import ArmName, Decision, Turn
from core.statistics.interval import Result, Undefined
from core.statistics.uncertainty import Input
from core.wording import decimal, dollars, percent, points, rate
from pages.parts.arithmetic_fields import FIELDS, Scenario
from pages.parts.panels import small

ARMS: dict[ArmName, str] = {"loop": "Loop", "retry": "Retries", "single": "Single shot"}

TOGETHER = (
    "Each input varies by itself, p and the likeness of draws too, though one set of draws gives "
    "both: what they share is not in these intervals."
)


def sure(one: Scenario) -> str:
    """Return the sentence of how sure it is, or that nothing was measured."""
    found = one.decision
    if not found.measured:
        return "Computed from typed inputs: no sampling error, so no interval."
    if one.inputs.cap == 1:
        return "With one round loop and retries are the same: no draw tells them apart."
    good = "good" if one.truth else "accepted"
    what = "is cheaper" if one.priced else "needs fewer calls"
    return (
        f"The loop {what} per {good} output in {percent(found.cheaper(), 0)} of draws of the "
        f"measured inputs; its lead: {points(found.lead)}."
    )


def decide(one: Scenario) -> None:
    """Draw the sentence, the three arms with intervals, and the inputs that turn the decision."""
    st.subheader("How sure, and what would change my mind", anchor=False)
    found = one.decision
    st.markdown(f"**{sure(one)}**")
    _arms(one, found)
    _turns(one, found)


def _arms(one: Scenario, found: Decision) -> None:
    good = "good" if one.truth else "accepted"
    priced = one.priced

    def cost(result: Result) -> str:
        if isinstance(result, Undefined):
            return result.reason
        ends = (result.value, result.low, result.high)
        value, low, high = ((dollars if priced else decimal)(x) for x in ends)
        return f"{value} ({low}–{high})" if found.measured else value

    def share(result: Result) -> str:
        if isinstance(result, Undefined):
            return result.reason
        return rate(result) if found.measured else percent(result.value)

    unit = "cost" if priced else "calls"
    rows = []
    for arm, name in ARMS.items():
        per = found.figure(arm, "cost_per_good")
        rows.append({
            "Arm": name,
            f"{unit.capitalize()} per {good} one": cost(per),
            "Accepted and good": (
                share(found.figure(arm, "accepted_good")) if one.truth else "not known"
            ),
            "Accepted": share(found.figure(arm, "accepted")),
        })  # fmt: skip
    st.dataframe(rows, hide_index=True)
    if found.measured:
        small(
            f"Loop cheaper than retries in {percent(found.cheaper(), 0)} of draws, than a single "
            f"shot in {percent(found.cheaper('single'), 0)}; more {good} outputs than retries in "
            f"{percent(found.more_good, 0)}. 4,000 draws; inputs typed as counts vary, the others "
            "stay.",
            *([TOGETHER] if _same_draws(one) else []),
        )
    else:
        small(
            "Type an input as counts, like 12 of 40, and its interval is carried through to here."
        )


def _same_draws(one: Scenario) -> bool:
    """Whether both p and how alike draws are were measured."""
    p, *alike = (one.rates.get(name) for name in ("p", "rho", "fresh"))
    return _measured(p) and any(_measured(a) for a in alike)


def _measured(rate: Input | None) -> bool:
    return rate is not None and rate.k is not None


def _turns(one: Scenario, found: Decision) -> None:
    turns = [t for t in found.turns if _counts(t, one)]
    cheaper = _cheaper(found)
    first = next((t for t in turns if t.break_even is not None), None)
    good = "good" if one.truth else "accepted"
    if first is None:
        st.text(f"No single rate turns the decision: {cheaper} per {good} output whatever it is.")
    else:
        name = label(first.name)
        open_ = (
            f"its interval holds the break-even, so it is what to measure next ({name})"
            if first.within_limits
            else f"what to measure next is {name}"
            + (", which was typed" if first.limits is None else "")
        )
        st.text(
            f"The decision hangs on {name}: at {percent(first.value)} {cheaper} per {good} output; "
            f"at {percent(first.break_even or 0)} the two cost the same; {open_}."
        )
    st.dataframe([_turn(t) for t in turns], hide_index=True)
    if one.priced:
        small(*_prices(one, found))
    small(
        "Break-even: the value, the others held, at which loop and retries cost the same per "
        f"{good} output; nearest to yours. Inputs whose interval holds their break-even come first."
    )


def _cheaper(found: Decision) -> str:
    loop, retry = (float(found.at[arm].cost_per_good[0]) for arm in ("loop", "retry"))
    if abs(loop - retry) <= 1e-9 * max(1.0, min(loop, retry)):
        return "loop and retries cost the same"
    return "the loop is cheaper" if loop < retry else "retries are cheaper"


def _counts(turn: Turn, one: Scenario) -> bool:
    """Whether the input exists under this check and level."""
    if turn.name in ("far", "frr") and not one.inputs.critic:
        return False
    at_accepted = ("far", "frr", "damage", "catches", "misfires")
    if turn.name in at_accepted and not one.truth:
        return False
    return one.inputs.cap > 1 or not turn.name.startswith(("r", "fresh", "damage"))


def label(name: str) -> str:
    """Return an input's name as on the screen; r2 is the repair rate of round 2."""
    if name[:1] == "r" and name[1:].isdigit():
        return f"Repair rate of round {name[1:]}"
    known: dict[str, str] = {key: field.name for key, field in FIELDS.items()}
    return known[name]


def _turn(turn: Turn) -> dict[str, str]:
    limits = turn.limits
    where = "typed" if limits is None else f"{limits[0] * 100:.1f}–{percent(limits[1])}"
    return {
        "Input": label(turn.name),
        "Now": percent(turn.value),
        "Known": where,
        "Break-even": "none" if turn.break_even is None else percent(turn.break_even),
        "Decides": (
            "yes, its interval holds it" if turn.within_limits
            else "no" if turn.break_even is None
            else f"if {decimal(100 * abs(turn.break_even - turn.value), 1)} points off"
        ),
    }  # fmt: skip


def _prices(one: Scenario, found: Decision) -> list[str]:
    said = []
    for name, words in (("hand_over", "A hand-over"), ("wrong", "A wrong accept")):
        if name == "wrong" and not one.truth:
            continue
        even = found.price_turn(name)  # type: ignore[arg-type]
        now = getattr(one.costs, name)
        said.append(
            f"{words} costs {dollars(now)} here: "
            + (
                "no price of it makes the two cost the same."
                if even is None
                else f"at {dollars(even)} loop and retries cost the same per good output."
            )
        )
    return said
