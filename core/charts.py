"""Charts: data in, figure out. Colours are told apart by shape and label too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.statistics.interval import Result, Undefined

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8A8F98"


@dataclass(frozen=True)
class RateRow:
    """One line of an interval chart: a group (criterion), a series (FAR or FRR), its rate."""

    group: str
    series: str
    result: Result


def interval_chart(rows: Sequence[RateRow], limits: dict[str, float]) -> Any:
    """Return rates as points with their intervals, one facet a series, limits as dashed rules.

    Undefined rates are left off the picture; the table beside it gives the reason.
    """
    import altair as alt

    values = [
        {
            "group": row.group,
            "series": row.series,
            "value": row.result.value,
            "low": row.result.low,
            "high": row.result.high,
            "counts": f"{row.result.k} of {row.result.n}",
        }
        for row in rows
        if not isinstance(row.result, Undefined)
    ]
    series = list(dict.fromkeys(row.series for row in rows))
    order = list(dict.fromkeys(row.group for row in rows))
    panels = []
    for i, name in enumerate(series):
        data = alt.InlineData(values=[v for v in values if v["series"] == name])
        y = alt.Y(
            "group:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelLimit=170, labels=i == 0, ticks=False, domain=False),
        )
        axis = alt.Axis(format=".0%", tickCount=5)
        scale = alt.Scale(domain=[0, 1])
        tip = [
            alt.Tooltip("group:N", title="criterion"),
            alt.Tooltip("value:Q", format=".1%", title=name),
            alt.Tooltip("low:Q", format=".1%", title="from"),
            alt.Tooltip("high:Q", format=".1%", title="to"),
            alt.Tooltip("counts:N", title="counts"),
        ]
        base = alt.Chart(data).encode(y=y, tooltip=tip)
        bar = base.mark_rule(strokeWidth=3, opacity=0.55, color=BLUE).encode(
            x=alt.X("low:Q", title=f"{name}, 95 % interval", axis=axis, scale=scale), x2="high:Q"
        )
        dot = base.mark_point(filled=True, size=90, opacity=1, color=BLUE).encode(
            x=alt.X("value:Q", scale=scale)
        )
        layers = [bar, dot]
        if name in limits:
            mark = alt.Chart(alt.InlineData(values=[{"limit": limits[name]}]))
            layers.append(
                mark.mark_rule(strokeDash=[5, 4], color=ORANGE, strokeWidth=2).encode(
                    x="limit:Q",
                    tooltip=[alt.Tooltip("limit:Q", format=".0%", title="your limit")],
                )
            )
        panels.append(alt.layer(*layers).properties(width=330, height=alt.Step(30)))
    return alt.hconcat(*panels, spacing=28).configure_view(stroke=None)
