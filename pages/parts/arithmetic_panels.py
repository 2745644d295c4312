"""The parts of the arithmetic page: the message, the picture, the figures, what is assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.charts_arithmetic import INK, drafts_chart, ends_chart, repair_chart, tries_chart
from core.statistics.interval import Undefined
from core.statistics.worked import Sheet
from core.wording import (
    ahead,
    break_even_words,
    decimal,
    in_words,
    loop_against_retries,
    per_output,
    percent,
    plural,
    point_gap,
    share_or_none,
)
from pages.parts.arithmetic_decide import sure
from pages.parts.arithmetic_fields import Scenario
from pages.parts.arithmetic_inputs import open_example
from pages.parts.guard import guarded
from pages.parts.panels import small
from sample_data.worked_examples import INVOICES, Example

MARK = ":blue-background[This example]"
ACCEPTED = (
    "p and r are of what the check accepts, so these figures are too: how much of it is good is "
    "not known. Gold labels on drafts would tell."
)


@dataclass(frozen=True)
class Tile:
    """One figure: its name in the examples, title, value, what it is, how it is worked out."""

    name: str
    title: str
    value: str
    says: str
    help: str


def ink() -> str:
    """Return the colour of words in a chart under the theme that is shown."""
    return "#E8EBEF" if st.context.theme.type == "dark" else INK


def cap_of(one: Scenario | None) -> int:
    """Return the calculator's cap, or 3 while its inputs will not do."""
    return 3 if one is None else one.inputs.cap


def message(one: Scenario, example: Example | None) -> None:
    """Say in one sentence which arm is ahead, how sure that is, then what the open example shows."""
    sheet = one.sheet
    with st.container(border=True):
        st.subheader(
            loop_against_retries(sheet.inputs.cap, sheet.calc.loop, sheet.calc.retry), anchor=False
        )
        small(
            *([f"{example.title}. {example.shows}"] if example else []),
            sure(one),
            *([] if one.truth else [ACCEPTED]),
        )


def picture(sheet: Sheet) -> None:
    """Say what the break-even means, and draw loop against retries over r."""
    if sheet.inputs.cap == 1:
        _one_round(sheet)
        return
    _lesson(sheet)
    st.vega_lite_chart(
        repair_chart(sheet, ink()),
        alt=f"Share of tasks accepted over the repair rate. {_picture_in_words(sheet)}",
    )
    small("Move the pointer over the picture to read any repair rate; the diamond is yours.")


def _lesson(sheet: Sheet) -> None:
    """Say whether r must beat p; while it seems so, offer the example where it does not."""
    st.markdown(f"**“r must beat p”** {_naive(sheet)}", help=_BREAK_EVEN)
    taught = INVOICES.fresh_share
    if sheet.rho > 0 or sheet.inputs.fresh is not None or isinstance(taught, Undefined):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        small(
            f"On {plural(INVOICES.tasks, 'invoice')} retries rescued {percent(taught.value, 0)} of "
            f"failures; independence promises {percent(INVOICES.predicted_fresh_share, 0)}."
        )
        st.button(
            "Show it there", key="arithmetic.lesson", on_click=guarded(open_example),
            args=("invoices",),
        )  # fmt: skip


def _one_round(sheet: Sheet) -> None:
    loop, back = sheet.calc.loop, sheet.calc.loop.sent_back_good_share
    st.vega_lite_chart(
        drafts_chart(sheet),
        alt=f"What the check did with the drafts: accepted {percent(loop.accepted)}, of those "
        f"{share_or_none(loop.precision)} good; sent back {percent(sheet.sent_back)}, of those "
        f"{share_or_none(back)} good.",
    )
    small(
        "With one round nothing is repaired, so loop and retries are the same. Raise the cap to "
        "compare them."
    )


_BREAK_EVEN = (
    "Retries rescue the share F of the tasks whose first draft failed. A loop with N rounds has "
    "N − 1 revisions, so it rescues as much at r = 1 − (1 − F)^(1/(N − 1)). That is p only if "
    "draws are independent. (With a sound check; critic errors move it.)"
)


def _naive(sheet: Sheet) -> str:
    i, even = sheet.inputs, sheet.calc.break_even_r
    if sheet.calc.every_r or even is None or i.p == 0:
        words = break_even_words(i.p, sheet.calc)
        return f"is not the rule here. Break-even is {words}."
    if sheet.rho > 0 and abs(even - i.p) >= 1e-6:
        return _why_not(sheet, even)
    if i.fresh is not None and abs(even - i.p) < 1e-6:
        return (
            f"is true here: retries rescued {percent(i.fresh)} of failures, as many as independent "
            f"draws would, so break-even is r = {percent(even)}."
        )
    if abs(even - i.p) < 1e-6:
        return (
            "is true here only because draws are taken as independent. In practice a task that "
            "failed once is a harder task: retries rescue less, break-even falls below p, and an r "
            "below p can still win."
        )
    return (
        f"is not the rule: with this check break-even is r = {percent(even)}, p is {percent(i.p)}."
    )


def _why_not(sheet: Sheet, even: float) -> str:
    """Say what likeness of draws does to the rule: where the bar lies, and on which side r is."""
    i, p = sheet.inputs, sheet.inputs.p
    promised = 1 - (1 - p) ** (i.cap - 1)
    rescued = i.fresh if i.fresh is not None else (sheet.calc.pass_at_k - p) / (1 - p)
    verb = "rescued" if i.fresh is not None else "rescue"
    said = (
        f"is not the rule: retries {verb} {percent(rescued)} of failures, not the "
        f"{percent(promised)} of independent draws, because tasks that failed once are harder. So "
        f"break-even is r = {percent(even)}, and p is {percent(p)}."
    )
    r = sheet.alike_r
    return f"{said} Your r, {percent(r)}, is below p and wins." if even < r < p else said


def _picture_in_words(sheet: Sheet) -> str:
    even = sheet.calc.break_even_r
    at = "" if even is None else f" They cross at r = {percent(even)}."
    one = loop_against_retries(sheet.inputs.cap, sheet.calc.loop, sheet.calc.retry)
    return f"At r = {percent(sheet.inputs.r)}: {one}{at}"


def figures(sheet: Sheet, example: Example | None) -> None:
    """Draw the figures of both arms, four in a row."""
    tiles = _both_arms(sheet)
    if sheet.inputs.critic:
        tiles += _critic(sheet)
    _grid(tiles, example, 4)


def _both_arms(sheet: Sheet) -> list[Tile]:
    i, loop, retry = sheet.inputs, sheet.calc.loop, sheet.calc.retry
    even = sheet.calc.break_even_r
    revisions = in_words(i.cap - 1, "revision")
    return [
        Tile(
            "loop", "Loop accepts", percent(loop.accepted),
            f"of tasks within {in_words(i.cap, 'round')}",
            "With a sound check 1 − (1 − p)(1 − r)^(k − 1).",
        ),
        Tile(
            "lead", "Retries accept", percent(retry.accepted),
            ("Good work: " if loop.precision not in (None, 1) else "") + ahead(sheet.lead),
            "The same check and cap, every draft from scratch; the gap is in accepted and good.",
        ),
        Tile(
            "break_even", "Break-even r",
            "any" if sheet.calc.every_r else "–" if even is None else percent(even),
            "the arms are level at every r" if sheet.calc.every_r
            else "the arms are level at no r" if even is None
            else f"per revision, {revisions}",
            _BREAK_EVEN,
        ),
        Tile(
            "rounds", "Rounds", decimal(loop.rounds),
            f"expected per task; retries {decimal(retry.rounds)} tries",
            "1 + (1 − p)·Σ(1 − r)^t over the revisions, with a sound check.",
        ),
        Tile(
            "calls", "Cost, loop", per_output(loop.calls_per_accepted),
            f"calls per accepted: {decimal(loop.calls)} ÷ {percent(loop.accepted)}",
            "Expected calls per task, failures included, ÷ share accepted. A floor on cost: each "
            "round also lengthens the prompt.",
        ),
        Tile(
            "retry_calls", "Cost, retries", per_output(retry.calls_per_accepted),
            f"calls per accepted: {decimal(retry.calls)} ÷ {percent(retry.accepted)}",
            "With independent draws and a sound check this is calls per round ÷ p at every cap.",
        ),
        Tile(
            "most_calls", "Most calls", str(sheet.most_calls),
            f"a task that never passes: {i.calls_per_round} × {i.cap}",
            "Every draft is checked; none leaves unread.",
        ),
        Tile(
            "fresh", "Retries rescue", share_or_none(sheet.rescued), _rescued(sheet),
            "Ended accepted and good, of the tasks whose first draft the check sent back. With a "
            "sound check this is the fresh share F at this cap, (pass@k − p) ÷ (1 − p).",
        ),
    ]  # fmt: skip


def _rescued(sheet: Sheet) -> str:
    if not sheet.sound:
        return "accepted and good, of tasks whose first draft was sent back"
    measured = "measured: " if sheet.inputs.fresh is not None else ""
    said = f"{measured}of tasks whose first draft failed"
    if sheet.rho > 0:
        said += f"; independent draws would {percent(sheet.promised)}"
    return said


def _critic(sheet: Sheet) -> list[Tile]:
    loop, retry = sheet.calc.loop, sheet.calc.retry
    back = loop.sent_back_good_share
    return [
        Tile(
            "precision", "Good among accepted", share_or_none(loop.precision),
            f"retries {share_or_none(retry.precision)}",
            "Precision. 1 − precision is the false share of accepts, not the false-accept rate.",
        ),
        Tile(
            "sent_back", "Sent back", percent(sheet.sent_back),
            "nothing was sent back" if back is None else f"of drafts; {percent(back)} of them good",
            "Each good draft sent back enters a revision that can make it worse.",
        ),
        Tile(
            "calls_per_good", "Cost of good, loop", per_output(loop.calls_per_good),
            f"calls per good output: {decimal(loop.calls)} ÷ {percent(loop.accepted_good)}",
            "What a good output costs. A lenient critic makes accepted outputs cheaper, not these.",
        ),
        Tile(
            "retry_per_good", "Cost of good, retries", per_output(retry.calls_per_good),
            f"calls per good output: {decimal(retry.calls)} ÷ {percent(retry.accepted_good)}",
            "The same for retries.",
        ),
    ]  # fmt: skip


def _grid(tiles: Sequence[Tile], example: Example | None, width: int) -> None:
    for start in range(0, len(tiles), width):
        for column, tile in zip(st.columns(width), tiles[start : start + width], strict=False):
            with column, st.container(border=True, height="stretch"):
                _tile(tile, example)


def _tile(tile: Tile, example: Example | None) -> None:
    # A metric's own label is cut off in a narrow window; this one wraps.
    st.markdown(tile.title, help=tile.help)
    value = tile.value.replace("100.0 %", "100 %")  # the longest, cut off in a narrow window
    st.metric(tile.title, value, label_visibility="collapsed")
    small(tile.says)
    if example and tile.name in example.about:
        st.markdown(MARK)  # a badge is cut off in a narrow window, words wrap


def yardsticks(sheet: Sheet, example: Example | None) -> None:
    """Draw what k tries give without feedback: at least one good, all good, between them."""
    k, at, hat = sheet.inputs.cap, sheet.calc.pass_at_k, sheet.calc.pass_hat_k
    tiles = [
        Tile(
            "pass_at", f"pass@{k}", percent(at), "at least one good",
            "1 − (1 − p)^k if draws are independent. What counts when a check picks the winner.",
        ),
        Tile(
            "pass_hat", f"pass^{k}", percent(hat), "all good",
            "p^k if draws are independent. What counts when nothing checks; not what a loop has "
            "to beat.",
        ),
        Tile(
            "envelope", "Between them", f"{sheet.envelope * 100:.0f} points",
            f"{percent(at)} − {percent(hat)}",
            "How much a sound check is worth with this many tries.",
        ),
    ]  # fmt: skip
    row = st.container(horizontal=True)  # which wraps where columns would cut the figures off
    for tile in tiles:
        with row, st.container(border=True):
            _tile(tile, example)


def tries(sheet: Sheet) -> None:
    """Draw at least one good and all good over the number of tries."""
    k, at = sheet.inputs.cap, sheet.calc.pass_at_k
    st.subheader("Trying again, without feedback", anchor=False)
    st.vega_lite_chart(
        tries_chart(sheet, ink()),
        alt=f"Chance over the number of tries. At {k}: at least one good {percent(at)}, all good "
        f"{percent(sheet.calc.pass_hat_k)}.",
    )
    dotted = "; dotted: at least one if draws were independent" if sheet.rho > 0 else ""
    small(f"Solid: at least one of k good. Dashed: all k good{dotted}.")
    if sheet.rho > 0:
        small(f"At {k} independence promises {percent(sheet.independent)}, which hides "
              f"{point_gap(sheet.independent - at)}.")  # fmt: skip


def rounds(sheet: Sheet, example: Example | None) -> None:
    """Draw how rounds end, and what each extra round buys."""
    st.subheader("How rounds end, and what one more buys", anchor=False)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.vega_lite_chart(
            ends_chart(sheet),
            alt="Share of tasks by their last round: "
            + ", ".join(f"{e.number}: {percent(e.accepted + e.unaccepted)}" for e in sheet.ends),
        )
        if example and "ends" in example.about:
            st.markdown(MARK)
        small(*_ends_in_words(sheet))
    with right:
        before = 0.0
        table = []
        for row in sheet.by_cap:
            table.append({
                "Cap": row.cap,
                "Loop": percent(row.loop),
                "Adds": point_gap(row.loop - before),
                "Retries": percent(row.retry),
                "Rounds": decimal(row.rounds),
                "Cost": per_output(row.calls_per_accepted),
            })  # fmt: skip
            before = row.loop
        st.dataframe(table, hide_index=True)
        small("Loop, what its last round adds, retries: share of tasks accepted and good. Cost: the "
              "loop's calls per accepted output.")  # fmt: skip
        if sheet.rho > 0:
            small("Retries at other caps follow from the same likeness of draws, "
                  f"correlation {decimal(sheet.rho)}.")  # fmt: skip


def _ends_in_words(sheet: Sheet) -> list[str]:
    first = ", ".join(
        f"{percent(e.accepted + e.unaccepted, 0)} after {e.number}" for e in sheet.ends[:5]
    )
    more = "." if len(sheet.ends) <= 5 else " …"
    left = sheet.ends[-1].unaccepted
    return [f"Rounds: {first}{more}", f"Stopped by the cap, unaccepted: {percent(left)}."]
