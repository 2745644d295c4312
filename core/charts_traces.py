"""Charts of many traces: stop rules as a grid, and paths of scores as small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.charts import BLUE, GREY, ORANGE


@dataclass(frozen=True)
class RuleCell:
    """One stop rule: its number (None: not known), that number in words, and what is unknown."""

    cap: int
    window: int
    value: float | None
    said: str
    unknown: int


def rule_grid(cells: Sequence[RuleCell], title: str, chosen: tuple[int, int]) -> Any:
    """Return caps across and windows down, the number written into each cell.

    Shade repeats the number and is never alone. `chosen` (cap, window) has a frame.
    """
    import altair as alt

    known = [c.value for c in cells if c.value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    values = [
        {
            "cap": c.cap, "window": c.window, "value": c.value, "said": c.said,
            "unknown": f"{c.unknown:,} unknown" if c.unknown else "",
            # Against the shade of its own cell, which is the same on a light and a dark page.
            "ink": "none" if c.value is None
            else "light" if high > low and (c.value - low) / (high - low) > 0.5 else "dark",
        }
        for c in cells
    ]  # fmt: skip
    step = alt.Step(40)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("cap:O", title="cap (drafts at most)", axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("window:O", title="window"),
        tooltip=[
            alt.Tooltip("cap:O"),
            alt.Tooltip("window:O"),
            alt.Tooltip("said:N", title=title),
            alt.Tooltip("unknown:N", title="never observed"),
        ],
    )
    shade = alt.Color(
        "value:Q",
        scale=alt.Scale(domain=[low, high] if high > low else [low - 1, low + 1], range=["#E3EEF7", "#0B4F82"]),
        legend=None,
    )  # fmt: skip
    inks = alt.Color(
        "ink:N",
        scale=alt.Scale(domain=["dark", "light", "none"], range=["#14181D", "#FFFFFF", GREY]),
        legend=None,
    )
    tiles = base.mark_rect(stroke=GREY, strokeWidth=0.5, invalid="filter").encode(color=shade)
    number = base.mark_text(fontSize=13, fontWeight="bold", dy=-5).encode(text="said:N", color=inks)
    unknown = base.mark_text(fontSize=10, dy=10).encode(text="unknown:N", color=inks)
    frame = (
        alt.Chart(alt.InlineData(values=[{"cap": chosen[0], "window": chosen[1]}]))
        .mark_rect(filled=False, stroke=ORANGE, strokeWidth=4)
        .encode(x="cap:O", y="window:O")
    )
    return (
        alt.layer(tiles, number, unknown, frame)
        .resolve_scale(color="independent")
        .properties(height=step, width=alt.Step(104))
        .configure_view(stroke=None)
    )


@dataclass(frozen=True)
class Binned:
    """How many traces of a group (an exit) have a score in a round."""

    group: str
    round: int
    score: float
    n: int


def binned_paths(rows: Sequence[Binned], order: Sequence[str]) -> Any:
    """Return one panel a group: rounds across, scores up, the count of traces in each cell."""
    import altair as alt

    most = max((row.n for row in rows), default=1)
    panels = []
    for group in order:
        mine = [row for row in rows if row.group == group]
        values = [
            {
                "round": row.round, "score": row.score, "n": row.n, "said": f"{row.n:,}",
                "ink": "light" if row.n / most > 0.5 else "dark",
            }
            for row in mine
        ]  # fmt: skip
        base = alt.Chart(alt.InlineData(values=values)).encode(
            x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("score:O", title="score", sort="descending", axis=alt.Axis(format=".4~g")),
            tooltip=[
                alt.Tooltip("round:O"),
                alt.Tooltip("score:O", format=".4~g"),
                alt.Tooltip("n:Q", title="traces", format=","),
            ],
        )
        shade = alt.Color(
            "n:Q", scale=alt.Scale(domain=[0, most], range=["#E3EEF7", "#0B4F82"]), legend=None
        )
        inks = alt.Color(
            "ink:N",
            scale=alt.Scale(domain=["dark", "light"], range=["#14181D", "#FFFFFF"]),
            legend=None,
        )
        panels.append(
            alt.layer(
                base.mark_rect(stroke=GREY, strokeWidth=0.5).encode(color=shade),
                base.mark_text(fontSize=11).encode(text="said:N", color=inks),
            )
            .resolve_scale(color="independent")
            .properties(
                width=alt.Step(48),
                height=alt.Step(26),
                title=alt.TitleParams(group, anchor="start", fontSize=13),
            )
        )
    return alt.concat(*panels, columns=4, spacing=24).configure_view(stroke=None)


@dataclass(frozen=True)
class PathPanel:
    """The scores of one trace by round (round, score or None), or of a pair under one heading."""

    title: str
    note: str
    lines: Sequence[tuple[str, Sequence[tuple[int, float | None]]]]


def path_panels(panels: Sequence[PathPanel], rounds: int, top: float) -> Any:
    """Return one small panel for each trace, all to one scale; a round without a score is a break.

    Of two lines in a panel the first is solid with dots, the second dashed with squares.
    """
    import altair as alt

    made = []
    for panel in panels:
        layers = []
        for (name, scores), dash, shape, colour in zip(
            panel.lines, ([1, 0], [5, 3]), ("circle", "square"), (BLUE, ORANGE), strict=False
        ):
            values = [{"round": n, "score": score, "of": name} for n, score in scores]
            base = alt.Chart(alt.InlineData(values=values)).encode(
                x=alt.X(
                    "round:Q",
                    title=None,
                    scale=alt.Scale(domain=[0.5, rounds + 0.5], nice=False),
                    axis=alt.Axis(values=list(range(1, rounds + 1)), format="d", grid=False),
                ),
                y=alt.Y(
                    "score:Q",
                    title=None,
                    scale=alt.Scale(domain=[0, top], nice=False),
                    axis=alt.Axis(values=[0, top], format=".4~g"),
                ),
                tooltip=[
                    alt.Tooltip("of:N", title="trace"),
                    alt.Tooltip("round:Q"),
                    alt.Tooltip("score:Q", format=".6~g"),
                ],
            )
            layers.append(
                base.mark_line(
                    color=colour, strokeWidth=2, strokeDash=dash, invalid="break-paths-show-domains"
                )
            )
            layers.append(
                base.mark_point(color=colour, filled=True, size=36, shape=shape, opacity=1,
                                invalid="filter")
            )  # fmt: skip
        made.append(
            alt.layer(*layers).properties(
                width=128,
                height=56,
                title=alt.TitleParams(
                    panel.title, subtitle=panel.note, anchor="start", fontSize=11, subtitleFontSize=10,
                    limit=160,
                ),
            )
        )  # fmt: skip
    return alt.concat(*made, columns=6, spacing=14).configure_view(stroke=None)
