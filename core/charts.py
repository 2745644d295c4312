"""Charts: data in, figure out. Colours are told apart by shape and label too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.statistics.interval import Result, Undefined

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8A8F98"
AXIS = 70
"""What an axis with a title of two lines takes below its lines, in pixels."""


@dataclass(frozen=True)
class RateRow:
    """One line of an interval chart: a group (criterion), a series (FAR or FRR), its rate."""

    group: str
    series: str
    result: Result


@dataclass(frozen=True)
class ChangeRow:
    """One line of a change chart: its group, two lines of label, the change, in words, levels."""

    group: str
    label: str
    compares: str
    points: float
    said: str
    levels: str = ""


def change_chart(rows: Sequence[ChangeRow]) -> Any:
    """Return changes in percentage points as arrows from zero, grouped under headings.

    Direction is told by side, by shape, by colour and, on the right, in words. Labels are axis
    labels and not marks, and take the text colour of the page, light or dark.
    """
    import json

    import altair as alt

    names: dict[str, list[str]] = {}
    said: dict[str, list[str]] = {}
    values = []
    for group in dict.fromkeys(row.group for row in rows):
        names[f"g{len(names)}"] = ["", group]
        for row in (r for r in rows if r.group == group):
            key = f"r{len(names)}"
            names[key] = [row.label, row.compares]
            said[key] = [row.said, row.levels]
            way = "higher" if row.points > 0 else "lower" if row.points < 0 else "no change"
            values.append({"key": key, "points": row.points, "way": way, "what": row.label})
            values[-1] |= {"compares": row.compares, "said": row.said, "levels": row.levels}
    order = list(names)
    scale = alt.Scale(domain=order)
    step, below = 38, 80

    def labels(texts: object, **settings: Any) -> Any:
        return alt.Axis(
            labelExpr=f"({json.dumps(texts)})[datum.value] || ''",
            labelLimit=320,
            labelLineHeight=15,
            labelFontSize=13,
            labelOverlap=False,
            labelOffset=-7,
            labelColor="currentColor",
            ticks=False,
            domain=False,
            title=None,
            **settings,
        )

    heading = "indexof(datum.value, 'g') === 0"
    left = alt.Y(
        "key:N",
        scale=scale,
        axis=labels(
            names,
            labelFontWeight=alt.condition(heading, alt.value("bold"), alt.value("normal")),
            grid=False,
        ),
    )
    right = alt.Y("key:N", scale=scale, axis=labels(said, orient="right"))
    reach = max([40.0, *(abs(row.points) + 5 for row in rows)])
    x = alt.X(
        "points:Q",
        title="change in percentage points",
        scale=alt.Scale(domain=[-reach, reach]),
        axis=alt.Axis(tickCount=5, labelExpr="datum.value > 0 ? '+' + datum.label : datum.label"),
    )
    ways, colours = ["lower", "no change", "higher"], [ORANGE, GREY, BLUE]
    colour = alt.Color("way:N", scale=alt.Scale(domain=ways, range=colours), legend=None)
    shape = alt.Shape(
        "way:N",
        scale=alt.Scale(domain=ways, range=["triangle-left", "diamond", "triangle-right"]),
        legend=None,
    )
    tip = [
        alt.Tooltip("what:N", title="measured"),
        alt.Tooltip("compares:N", title="compared"),
        alt.Tooltip("said:N", title="change"),
        alt.Tooltip("levels:N", title="published"),
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(x=x, color=colour, tooltip=tip)
    line = base.mark_rule(strokeWidth=4).encode(y=left, x2=alt.datum(0))
    head = base.mark_point(filled=True, size=190, opacity=1).encode(y=right, shape=shape)
    zero = (
        alt.Chart(alt.InlineData(values=[{"at": 0}]))
        .mark_rule(color=GREY, strokeWidth=1.5)
        .encode(x="at:Q")
    )
    return (
        alt.layer(zero, line, head)
        .resolve_scale(y="independent")
        .properties(height=step * len(order) + below)
        .configure_view(stroke=None)
    )


def interval_charts(rows: Sequence[RateRow], limits: dict[str, float]) -> list[Any]:
    """Return rates as points with their intervals, a chart a series, limits as dashed rules.

    The charts are to stand side by side: all have the same lines, the first one their names.
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
            title=None,
            # All of them, so that a line means the same in a chart where its rate is undefined.
            scale=alt.Scale(domain=order),
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
            x=alt.X("low:Q", title=[name, "95 % interval"], axis=axis, scale=scale), x2="high:Q"
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
        panels.append(alone(alt.layer(*layers), height=30 * len(order) + AXIS))
    return panels


def alone(chart: Any, height: int) -> Any:
    """Return a chart that takes the width it is given, without a frame."""
    return chart.properties(height=height, width="container").configure_view(stroke=None)


def score_path(scores: Sequence[tuple[int, float | None]], top: float | None) -> Any:
    """Return the score of each round as a stepped path; rounds without a score leave a break.

    `scores` are (round, score or None) in order; `top` is the highest score there can be.
    """
    import altair as alt

    values = [{"round": n, "score": score} for n, score in scores]
    highest = max([top or 0, *(score for _, score in scores if score is not None)])
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0, ticks=False)),
        y=alt.Y(
            "score:Q",
            title="score",
            scale=alt.Scale(domain=[0, highest or 1]),
            axis=alt.Axis(values=[0, highest or 1], format=".6~g"),
        ),
        tooltip=[alt.Tooltip("round:O"), alt.Tooltip("score:Q", format=".6~g")],
    )
    line = base.mark_line(color=BLUE, strokeWidth=2, invalid="break-paths-show-domains")
    dots = base.mark_point(color=BLUE, filled=True, size=80, opacity=1, invalid="filter")
    text = base.mark_text(dy=-12, color=GREY, invalid="filter").encode(
        text=alt.Text("score:Q", format=".6~g")
    )
    return alt.layer(line, dots, text).properties(height=150).configure_view(stroke=None)
