"""What the cap, a lenient check and a month cost on the arithmetic page."""

from __future__ import annotations

import streamlit as st

from core.charts_arms import cap_chart, leniency_chart, returned_chart
from core.errors import InputError
from core.statistics.money import Bill
from core.store.scenarios import scenarios
from core.store.store import Project
from core.wording import amount, decimal, dollars, per_output, percent, plural
from pages.parts.arithmetic_fields import Scenario, read
from pages.parts.arithmetic_panels import ink
from pages.parts.panels import small
from pages.parts.workspace import store

ARMS = {"loop": "Loop", "retry": "Retries", "single": "Single shot"}
UNKNOWN = "not known at accepted level"


def costs(one: Scenario) -> None:
    """Draw the month first, then what the cap and the check do to the cost."""
    month(one)
    left, right = st.columns(2, gap="medium")
    with left:
        _by_cap(one)
    with right:
        _by_leniency(one)
    _returned(one)


def month(one: Scenario) -> None:
    """Draw money, hours, wrong outputs and hand-overs of a month for the three arms."""
    st.subheader(f"Per month, {plural(round(one.costs.tasks), 'task')}", anchor=False)
    arms = [_row(name, bill) for name, bill in one.bills.items()]
    # One column an arm: eight figures side by side do not fit where the window is narrow.
    table = [{"": name, **{arm["Arm"]: arm[name] for arm in arms}} for name in arms[0]][1:]
    st.dataframe(table, hide_index=True, height="content")
    notes = [
        "Money: calls. Total: calls, hand-overs and wrong outputs at what they cost you. Per good: "
        "total ÷ accepted and good. A single shot is one draft, read by nobody. Prices, tokens and "
        "costs are under the inputs on the left.",
        "Tokens: read / written. Hours are of calls one after the other; retries can also be drawn "
        "side by side, a loop cannot.",
    ]
    if not one.priced:
        notes.append("Price not set: no money is shown. Set it under “Tokens, prices and time”.")
    if not one.truth:
        notes.append("At accepted level nothing is known of good and wrong outputs.")
    small(*notes)


def months(project: Project) -> list[tuple[str, list[str]]]:
    """Return what a month comes to in each saved scenario, the newest first, a line for each arm."""
    found = []
    for saved in sorted(scenarios(store(), project.id), key=lambda s: s.id, reverse=True):
        try:
            one = read(saved.inputs)  # type: ignore[arg-type]
        except (InputError, KeyError):
            continue  # Saved by an older version with other inputs.
        tasks = plural(round(one.costs.tasks), "task")
        lines = [
            f"{row.pop('Arm')}, {tasks} a month: "
            + ", ".join(f"{name.lower()} {value}" for name, value in row.items())
            for row in (_row(name, bill) for name, bill in one.bills.items())
        ]
        found.append((saved.name, lines))
    return found


def _row(name: str, bill: Bill) -> dict[str, str]:
    unknown = "not known"

    def money(value: float | None) -> str:
        return (
            "price not set"
            if value is None and bill.usd is None
            else (unknown if value is None else dollars(value))
        )

    return {
        "Arm": ARMS[name],
        "Money": money(bill.usd),
        "Hours": amount(bill.hours),
        "Wrong outputs": unknown if bill.wrong is None else amount(bill.wrong),
        "Hand-overs": amount(bill.handed_over),
        "Good outputs": unknown if bill.good is None else amount(bill.good),
        "Total": money(bill.total),
        "Per good": "–" if bill.good == 0 else money(bill.per_good),
        "Tokens a task": f"{amount(bill.tokens_in)} / {amount(bill.tokens_out)}",
    }


def _by_cap(one: Scenario) -> None:
    st.subheader("Accepted, and accepted and good, by cap", anchor=False)
    rows = one.sheet.by_cap
    st.vega_lite_chart(
        cap_chart(one.sheet, ink()),
        alt="By cap: " + "; ".join(
            f"{r.cap}: loop accepts {percent(r.accepted)}, good {percent(r.loop)}, retries good "
            f"{percent(r.retry)}" for r in rows
        ),
    )  # fmt: skip
    small(
        "A later round accepts less and less, and a critic that errs lets more bad ones through: "
        "the lines part."
        if not one.sheet.sound and one.truth
        else "The dotted upright line is your cap."
    )


def _by_leniency(one: Scenario) -> None:
    st.subheader("Cost per accepted beside cost per good", anchor=False)
    if not one.truth:
        small(f"Cost per good: {UNKNOWN}.")
        return
    loop = one.sheet.calc.loop
    st.vega_lite_chart(
        leniency_chart(one.sheet, ink()),
        alt="Calls of the loop per output, over the share of bad drafts the check passes. At yours: "
        f"{per_output(loop.calls_per_accepted)} per accepted, {per_output(loop.calls_per_good)} per "
        "good.",
    )
    small(
        "A lenient check makes accepted outputs cheap and good ones dear. The dotted upright line "
        "is yours."
    )


def _returned(one: Scenario) -> None:
    st.subheader("Where good drafts go that are sent back", anchor=False)
    if not one.truth:
        small(f"{UNKNOWN.capitalize()}.")
        return
    found = one.sheet.returned
    if found is None:
        small("None is sent back: the check fails no good draft.")
        return
    st.vega_lite_chart(
        returned_chart(one.sheet),
        alt=f"Of good drafts sent back {percent(found.accepted_good)} end as a good one accepted, "
        f"{percent(found.accepted_bad)} as a bad one accepted, {percent(found.handed_over)} handed "
        "over.",
    )
    small(
        f"{decimal(100 * found.drafts, 1)} good drafts are sent back per 100 tasks; a revision "
        f"spoils {percent(found.spoilt)} of them."
    )
