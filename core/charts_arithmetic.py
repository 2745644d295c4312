"""Charts of the arithmetic: loop against retries over r, tries over k, how rounds end.

Lines differ by dash and carry their name; the pointer is followed in the browser over a grid
computed beforehand, so it answers while moving.
"""

from __future__ import annotations

from typing import Any

from core.charts import BLUE, GREY, ORANGE
from core.statistics.worked import Sheet
from core.wording import ahead, capital, in_words, percent

_PERCENT = ".0%"
INK = "#1B1F24"
"""Colour of the words in a chart; the dark theme needs a light one."""


def repair_chart(sheet: Sheet, ink: str = INK) -> Any:
    """Return accepted (and good) over the repair rate r, loop against retries, break-even marked.

    A rule and a line of text follow the pointer to the nearest r; the typed r is a diamond.
    """
    import altair as alt

    i, retry = sheet.inputs, sheet.calc.retry.accepted_good
    grid, loop = sheet.over_r()
    rows: list[dict[str, Any]] = [
        {
            "r": round(float(r), 4), "loop": float(y), "retry": retry,
            "says": f"r {percent(r)}: loop {percent(y)}, retries {percent(retry)}, "
            + ahead(float(y) - retry),
        }
        for r, y in zip(grid, loop, strict=True)
    ]  # fmt: skip
    floor = max(0.0, min(float(loop.min()), retry) - 0.12)
    scale = alt.Scale(domain=[floor, 1.1], nice=False, zero=False)
    ticks = [n / 10 for n in range(int(floor * 10), 11) if n / 10 >= floor]
    what = "accepted" if sheet.calc.loop.precision in (None, 1) else "accepted and good"
    x = alt.X(
        "r:Q",
        title="repair rate r of one revision",
        axis=alt.Axis(format=_PERCENT),
        scale=alt.Scale(domain=[0, 1]),
    )
    y = alt.Y(
        "loop:Q", title=f"tasks {what}", scale=scale, axis=alt.Axis(format=_PERCENT, values=ticks)
    )
    data = alt.Chart(alt.InlineData(values=rows)).encode(x=x)
    near = alt.selection_point(
        name="near", on="pointermove", clear="pointerout", nearest=True, fields=["r"], empty=False
    )

    def words(chart: Any, text: str, **mark: Any) -> Any:
        return chart.mark_text(fontSize=12.5, color=ink, **mark).encode(text=alt.value(text))

    def at(px: float, py: float) -> Any:
        values = alt.InlineData(values=[{"r": px, "loop": py}])
        return alt.Chart(values).encode(x=x, y=y)

    gap = data.encode(y=y, y2="retry:Q")
    lead = "datum.loop >= datum.retry"
    layers = [
        gap.transform_filter(lead).mark_area(color=BLUE, opacity=0.13),
        gap.transform_filter(f"!({lead})").mark_area(color=ORANGE, opacity=0.13),
        data.mark_line(color=ORANGE, strokeDash=[7, 4], strokeWidth=2.5).encode(
            y=alt.Y("retry:Q", scale=scale)
        ),
        data.mark_line(color=BLUE, strokeWidth=3).encode(y=y),
        words(
            at(0.995, retry), f"{capital(in_words(i.cap, 'try', 'tries'))}: {percent(retry)}",
            align="right", baseline="top", dy=6,
        ),
    ]  # fmt: skip
    label_at = 40 if i.r > 0.3 else 150
    layers.append(
        words(
            at(rows[label_at]["r"], rows[label_at]["loop"]),
            f"Loop, {in_words(i.cap, 'round')}", align="left", baseline="top", dx=8, dy=6,
        )
    )  # fmt: skip
    even = sheet.calc.break_even_r
    if even is not None:
        line = at(even, floor)
        layers += [
            line.mark_rule(color=GREY, strokeDash=[2, 3], strokeWidth=1.5).encode(
                y=alt.value("height"), y2=alt.value(0)
            ),
            words(
                line, f"break-even {percent(even)}",
                align="left" if even < 0.75 else "right", baseline="bottom",
                dx=6 if even < 0.75 else -6, dy=-6,
            ),
        ]  # fmt: skip
    mine = at(i.r, sheet.calc.loop.accepted_good)
    layers += [
        mine.mark_point(shape="diamond", filled=True, size=190, color=BLUE, opacity=1),
        words(
            mine, f"your r: {percent(sheet.calc.loop.accepted_good)}", fontWeight=600,
            align="right" if i.r > 0.12 else "left", baseline="bottom",
            dx=-9 if i.r > 0.12 else 9, dy=-4,
        ),
        data.mark_rule(color=GREY, strokeWidth=1).transform_filter(near),
        data.mark_point(filled=True, size=80, color=BLUE, opacity=1).encode(y=y).transform_filter(near),
        data.mark_text(align="left", baseline="top", fontSize=12.5, color=ink, fontWeight=600, dx=6, dy=2)
        .encode(x=alt.value(0), y=alt.value(0), text="says:N").transform_filter(near),
        data.mark_point(opacity=0, size=400, tooltip=None).encode(y=y).add_params(near),
    ]  # fmt: skip
    return alt.layer(*layers).properties(height=370)


def tries_chart(sheet: Sheet, ink: str = INK) -> Any:
    """Return pass@k and pass^k over k with the envelope between them, k = cap labelled.

    With a measured fresh share, what independent draws would give is dotted above.
    """
    import altair as alt

    cap = sheet.inputs.cap
    rows: list[dict[str, Any]] = [
        {"k": k, "at": up, "hat": down, "naive": naive, "cap": k == cap}
        for k, up, down, naive in sheet.tries()
    ]
    axis = alt.Axis(format=_PERCENT)
    scale = alt.Scale(domain=[0, 1.08], nice=False)
    x = alt.X("k:O", title="tries k", axis=alt.Axis(labelAngle=0))
    tip = [
        alt.Tooltip("k:O"),
        alt.Tooltip("at:Q", format=".1%", title="at least one good"),
        alt.Tooltip("hat:Q", format=".1%", title="all good"),
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, tooltip=tip)
    up = alt.Y("at:Q", title="chance", axis=axis, scale=scale)
    down = alt.Y("hat:Q", scale=scale)
    here = base.transform_filter("datum.cap")
    label: Any = {"fontSize": 12.5, "align": "center", "color": ink}
    layers = [
        base.mark_area(opacity=0.12, color=BLUE).encode(y=up, y2="hat:Q"),
        base.mark_line(color=BLUE, strokeWidth=2.5, point={"size": 45, "color": BLUE}).encode(y=up),
        base.mark_line(
            color=ORANGE, strokeDash=[7, 4], strokeWidth=2.5,
            point={"size": 45, "shape": "square", "color": ORANGE},
        ).encode(y=down),
        here.mark_rule(color=GREY, strokeWidth=1.5).encode(y=up, y2="hat:Q"),
        here.mark_text(dy=-12, fontWeight=600, **label).encode(
            y=up, text=alt.Text("at:Q", format=".1%")
        ),
        here.mark_text(dy=-12, dx=24, fontWeight=600, **label).encode(
            y=down, text=alt.Text("hat:Q", format=".1%")
        ),
    ]  # fmt: skip
    if sheet.rho > 0:
        layers.append(
            base.mark_line(color=GREY, strokeDash=[2, 3], strokeWidth=2).encode(
                y=alt.Y("naive:Q", scale=scale)
            )
        )
    return alt.layer(*layers).properties(height=300)


def ends_chart(sheet: Sheet) -> Any:
    """Return how rounds end: per round the share of tasks accepted there, or left at the cap."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"round": end.number, "how": how, "share": value, "order": order}
        for end in sheet.ends
        for how, value, order in (
            ("accepted", end.accepted, 0), ("stopped by the cap", end.unaccepted, 1)
        )
        if value > 0
    ]  # fmt: skip
    tallest = max(end.accepted + end.unaccepted for end in sheet.ends)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "round:O", title="last round", axis=alt.Axis(labelAngle=0),
            scale=alt.Scale(domain=[end.number for end in sheet.ends]),
        ),
        y=alt.Y(
            "share:Q", title="tasks", stack="zero", axis=alt.Axis(format=_PERCENT, tickCount=5)
        ),
        order="order:Q",
        tooltip=[
            alt.Tooltip("round:O"), alt.Tooltip("how:N", title="ends"),
            alt.Tooltip("share:Q", format=".1%", title="tasks"),
        ],
    )  # fmt: skip
    names = ["accepted", "stopped by the cap"]
    color = alt.Color(
        "how:N", title=None, scale=alt.Scale(domain=names, range=[BLUE, ORANGE]),
        legend=alt.Legend(orient="top"),
    )  # fmt: skip
    bars = base.mark_bar(size=46 if len(sheet.ends) < 7 else 14).encode(color=color)
    text = base.transform_filter(f"datum.share > {tallest / 9}").mark_text(
        color="white", fontWeight=600, fontSize=12.5 if len(sheet.ends) < 7 else 8
    )
    inside = text.encode(
        y=alt.Y("share:Q", stack="zero", bandPosition=0.5), text=alt.Text("share:Q", format=".0%")
    )
    return alt.layer(bars, inside).properties(height=230)
