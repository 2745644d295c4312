"""Pictures of agreement: the judge among the people, a judge over time, and intervals as SVG."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.charts import AXIS, BLUE, GREY, ORANGE, RateRow, alone
from core.statistics.interval import Undefined


@dataclass(frozen=True)
class PersonRow:
    """One line of the picture of judge and people: who, whether a person, a rate by series."""

    row: RateRow
    person: bool


def people_charts(rows: Sequence[PersonRow], limits: Mapping[str, float]) -> list[Any]:
    """Return rates with intervals, a chart a series: judges as dots, people as diamonds.

    They are to stand side by side; the first one has the names. Limits are dashed rules. Undefined rates are left off; the table beside it gives the reason.
    """
    import altair as alt

    series = list(dict.fromkeys(one.row.series for one in rows))
    order = list(dict.fromkeys(one.row.group for one in rows))
    scale = alt.Scale(domain=[0, 1])
    who = ["the judge", "a person"]
    panels = []
    for at, name in enumerate(series):
        values = [
            {
                "group": one.row.group,
                "who": who[one.person],
                "value": one.row.result.value,
                "low": one.row.result.low,
                "high": one.row.result.high,
                "counts": f"{one.row.result.k} of {one.row.result.n}",
            }
            for one in rows
            if one.row.series == name and not isinstance(one.row.result, Undefined)
        ]
        tip = [
            alt.Tooltip("group:N", title="evaluator"),
            alt.Tooltip("value:Q", format=".1%", title=name),
            alt.Tooltip("low:Q", format=".1%", title="from"),
            alt.Tooltip("high:Q", format=".1%", title="to"),
            alt.Tooltip("counts:N", title="counts"),
        ]
        colour = alt.Color("who:N", scale=alt.Scale(domain=who, range=[BLUE, GREY]), legend=None)
        y = alt.Y(
            "group:N",
            sort=order,
            title=None,
            scale=alt.Scale(domain=order),
            axis=alt.Axis(labelLimit=190, labels=at == 0, ticks=False, domain=False),
        )
        base = alt.Chart(alt.InlineData(values=values)).encode(y=y, tooltip=tip, color=colour)
        axis = alt.Axis(format=".0%", tickCount=5)
        bar = base.mark_rule(strokeWidth=3, opacity=0.6).encode(
            x=alt.X("low:Q", title=[name, "95 % interval"], axis=axis, scale=scale), x2="high:Q"
        )
        shape = alt.Shape(
            "who:N", scale=alt.Scale(domain=who, range=["circle", "diamond"]), legend=None
        )
        dot = base.mark_point(size=90, opacity=1, filled=True).encode(
            x=alt.X("value:Q", scale=scale), shape=shape
        )
        layers = [bar, dot]
        if name in limits:
            rule = alt.Chart(alt.InlineData(values=[{"limit": limits[name]}]))
            layers.append(
                rule.mark_rule(strokeDash=[5, 4], color=ORANGE, strokeWidth=2).encode(
                    x="limit:Q",
                    tooltip=[alt.Tooltip("limit:Q", format=".0%", title="your limit")],
                )
            )
        panels.append(alone(alt.layer(*layers), height=28 * len(order) + AXIS))
    return panels


WIDTH, LEFT, STEP = 640, 190, 26


def interval_svg(rows: Sequence[RateRow], limit: float | None, title: str) -> str:
    """Return rates with their intervals as one SVG element that needs nothing else.

    Names are data and are escaped; an undefined rate has a line with its reason in place of a bar.
    """
    height = STEP * (len(rows) + 1) + 24
    span = WIDTH - LEFT - 20

    def x(share: float) -> float:
        return round(LEFT + span * share, 1)

    out = [
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{html.escape(title, quote=True)}" xmlns="http://www.w3.org/2000/svg" '
        'font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
    ]
    bottom = height - 24
    out += [
        f'<line x1="{x(tick)}" x2="{x(tick)}" y1="6" y2="{bottom}" stroke="{GREY}" '
        f'stroke-opacity="0.35"/><text x="{x(tick)}" y="{height - 8}" '
        f'text-anchor="middle">{tick:.0%}</text>'
        for tick in (0, 0.25, 0.5, 0.75, 1)
    ]
    if limit is not None:
        out.append(
            f'<line x1="{x(limit)}" x2="{x(limit)}" y1="6" y2="{bottom}" stroke="{ORANGE}" '
            'stroke-width="2" stroke-dasharray="5 4"/>'
        )
    for at, row in enumerate(rows):
        y = STEP * at + STEP
        name = html.escape(row.group if len(row.group) <= 28 else row.group[:27] + "…")
        out.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{name}</text>')
        if isinstance(row.result, Undefined):
            reason = html.escape(row.result.reason)
            out.append(f'<text x="{LEFT + 6}" y="{y + 4}" font-style="italic">{reason}</text>')
            continue
        out.append(
            f'<line x1="{x(row.result.low)}" x2="{x(row.result.high)}" y1="{y}" y2="{y}" '
            f'stroke="{BLUE}" stroke-width="3" stroke-opacity="0.6"/>'
            f'<circle cx="{x(row.result.value)}" cy="{y}" r="5" fill="{BLUE}"/>'
        )
    return "".join([*out, "</svg>"])


def history_charts(points: Sequence[tuple[str, RateRow]], limits: Mapping[str, float]) -> list[Any]:
    """Return rates over readings, (time, row) in order, with intervals; a chart a series."""
    import altair as alt

    panels = []
    for name in dict.fromkeys(row.series for _, row in points):
        values = [
            {
                "at": at,
                "value": row.result.value,
                "low": row.result.low,
                "high": row.result.high,
                "counts": f"{row.result.k} of {row.result.n}",
            }
            for at, row in points
            if row.series == name and not isinstance(row.result, Undefined)
        ]
        scale = alt.Scale(domain=[0, 1])
        base = alt.Chart(alt.InlineData(values=values)).encode(
            x=alt.X("at:N", title=None, sort=None, axis=alt.Axis(labelAngle=0, labelLimit=140)),
            tooltip=[
                alt.Tooltip("at:N", title="reading"),
                alt.Tooltip("value:Q", format=".1%", title=name),
                alt.Tooltip("counts:N", title="counts"),
            ],
        )
        axis = alt.Axis(format=".0%", tickCount=5)
        bar = base.mark_rule(strokeWidth=3, opacity=0.55, color=BLUE).encode(
            y=alt.Y("low:Q", title=name, axis=axis, scale=scale), y2="high:Q"
        )
        dot = base.mark_point(filled=True, size=80, color=BLUE, opacity=1).encode(
            y=alt.Y("value:Q", scale=scale)
        )
        layers = [bar, dot]
        if name in limits:
            rule = alt.Chart(alt.InlineData(values=[{"limit": limits[name]}]))
            layers.append(
                rule.mark_rule(strokeDash=[5, 4], color=ORANGE, strokeWidth=2).encode(y="limit:Q")
            )
        panels.append(alone(alt.layer(*layers), height=210))
    return panels
