"""Charts of many traces: stop rules as a grid, and paths of scores as small multiples."""

from __future__ import annotations

import html
from base64 import b64encode
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


def binned_paths(rows: Sequence[Binned], order: Sequence[str]) -> list[Any]:
    """Return one chart a group: rounds across, scores up, the count of traces in each cell.

    One shade means one count in all of them.
    """
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
            .configure_view(stroke=None)
        )
    return panels


@dataclass(frozen=True)
class PathPanel:
    """The scores of one trace by round (round, score or None), or of a pair under one heading."""

    title: str
    note: str
    lines: Sequence[tuple[str, Sequence[tuple[int, float | None]]]]


INK = "#78808B"
"""Read on a light page and on a dark one: a picture does not know which it stands on."""
_WIDE, _HIGH, _LEFT, _TOP = 132.0, 58.0, 18.0, 6.0


def path_panels(panels: Sequence[PathPanel], rounds: int, top: float) -> str:
    """Return one small panel for each trace as HTML, all to one scale, as many a row as fit.

    A round without a score is a break. Of two lines in a panel the first is solid with dots, the
    second dashed with squares. `top` > 0 is the highest score, `rounds` >= 1 the last round.
    """
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:14px 18px">'
        + "".join(_panel(panel, rounds, top) for panel in panels)
        + "</div>"
    )


def _panel(panel: PathPanel, rounds: int, top: float) -> str:
    def x(n: int) -> float:
        return round(_LEFT + _WIDE * (n - 0.5) / rounds, 1)

    def y(score: float) -> float:
        return round(_TOP + _HIGH * (1 - score / top), 1)

    def text(at: float, down: float, anchor: str, said: str) -> str:
        return (
            f'<text x="{at}" y="{down}" text-anchor="{anchor}" font-size="10" fill="{INK}" '
            f'font-family="sans-serif">{said}</text>'
        )

    parts = [
        f'<line x1="{_LEFT}" x2="{_LEFT + _WIDE}" y1="{y(level)}" y2="{y(level)}" '
        f'stroke="{INK}" stroke-opacity="0.4"/>'
        + text(_LEFT - 4, y(level) + 4, "end", f"{level:.4g}")
        for level in (0.0, top)
    ]
    step = -(-rounds // 10)
    parts += [text(x(n), _TOP + _HIGH + 14, "middle", str(n)) for n in range(1, rounds + 1, step)]
    for at, (_, scores) in enumerate(panel.lines[:2]):
        colour = (BLUE, ORANGE)[at]
        dash = ' stroke-dasharray="5 3"' if at else ""
        for run in _unbroken(scores):
            way = " ".join(f"{x(n)},{y(score)}" for n, score in run)
            parts.append(
                f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
            )
            for n, score in run:
                spot = (
                    f'<rect x="{x(n) - 3}" y="{y(score) - 3}" width="6" height="6"'
                    if at
                    else f'<circle cx="{x(n)}" cy="{y(score)}" r="3"'
                )
                parts.append(f'{spot} fill="{colour}"/>')
    said = "; ".join(
        f"{name}: " + ", ".join(f"round {n} {'none' if s is None else f'{s:g}'}" for n, s in scores)
        for name, scores in panel.lines
    )
    wide, high = _LEFT + _WIDE + 2, _TOP + _HIGH + 18
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}">'
        f"{''.join(parts)}</svg>"
    )
    picture = b64encode(svg.encode()).decode()
    line = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap;"
    return (
        f'<div style="width:{wide}px;font-size:0.75rem;line-height:1.3">'
        f'<div style="{line}font-weight:600">{html.escape(panel.title)}</div>'
        f'<div style="{line}opacity:0.8">{html.escape(panel.note)}</div>'
        f'<img src="data:image/svg+xml;base64,{picture}" width="{wide}" height="{high}" '
        f'alt="{html.escape(f"{panel.title}. {said}")}"></div>'
    )


def _unbroken(
    scores: Sequence[tuple[int, float | None]],
) -> list[list[tuple[int, float]]]:
    """Return the runs of neighbouring rounds that have a score."""
    runs: list[list[tuple[int, float]]] = []
    before: int | None = None
    for n, score in scores:
        if score is None:
            before = None
            continue
        if before is None or n != before + 1:
            runs.append([])
        runs[-1].append((n, score))
        before = n
    return runs
