"""What the figures of the arithmetic page take for granted."""

from __future__ import annotations

import streamlit as st

from core.statistics.worked import Sheet
from core.wording import decimal, percent, plural


def assumed(sheet: Sheet) -> None:
    """Say what the formulas assume."""
    st.subheader("What this assumes", anchor=False)
    st.markdown("\n".join(f"- {one}" for one in assumptions(sheet)))


def assumptions(sheet: Sheet) -> list[str]:
    """Return what the figures take for granted at these inputs, a sentence or two each."""
    i = sheet.inputs
    truth = i.level == "truth"
    return [
        _alike(sheet),
        _check_errs(sheet),
        "Criteria are treated as one; p and r are about "
        + ("truth, measured with gold labels on drafts." if truth else "what the check accepts."),
        "Each round has its own r, the same for every task that reaches it."
        if i.rates
        else "r is the same in every round. Measure it per round: the tasks left over get harder.",
        "Exits for want of progress are not in the formula; replayed traces have them. "
        f"Cap {plural(i.cap, 'draft')}, no budget.",
    ]


def _alike(sheet: Sheet) -> str:
    """Say how draws of one task hang together."""
    i = sheet.inputs
    if i.fresh is not None:
        return (
            f"Tasks differ in difficulty so that fresh draws rescue {percent(i.fresh)} by draft "
            f"{i.cap}; the loop's r is the same for every task."
        )
    if sheet.rho > 0:
        return (
            "Tasks differ in difficulty so that draws of one task correlate at "
            f"{decimal(sheet.rho)}; the loop's r is the same for every task."
        )
    return (
        "Draws of one task are independent and tasks equally hard. Both are false in practice: "
        "tasks that fail once are harder, and retries score below the formula."
    )


def _check_errs(sheet: Sheet) -> str:
    """Say how the check errs."""
    if sheet.inputs.level == "accepted":
        return "The check's errors are inside p and r; they are the same in every round."
    who = "critic" if sheet.inputs.critic else "code check"
    if sheet.sound:
        return f"The {who} neither passes a bad draft nor fails a good one."
    return f"The {who}'s errors are independent between rounds."
