"""Charts of what a cap and a lenient check cost, and of measured arms; Vega-Lite as plain data.

Lines differ by dash and end in their name, so that nothing rests on colour.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from core.charts import BLUE, GREY, ORANGE
from core.charts_arithmetic import INK, SHARES, Spec, field, layer
from core.statistics.arms import ArmCounts
from core.statistics.interval import Estimate
from core.statistics.published import TwoTries
from core.statistics.worked import Sheet

LOOP, GOOD, RETRIES = "loop accepts", "loop, good", "retries, good"


def _lines(
    rows: list[dict[str, Any]], x: Spec, y: Spec, looks: dict[str, Spec], ink: str
) -> list[Spec]:
    """Return one line for each series of `looks`, its name at its right end."""
    layers: list[Spec] = []
    ends = {row["series"]: row for row in rows if row[y["field"]] is not None}
    for name, look in looks.items():
        if name not in ends:
            continue
        mine = {"transform": [{"filter": f"datum.series == '{name}'"}]}
        layers += [
            layer("line", {"strokeWidth": 2.5, **look}, {"x": x, "y": y}, **mine),
            layer(
                "text",
                {"align": "left", "dx": 8, "dy": look.get("nudge", 0), "color": ink,
                 "fontSize": 12.5},
                {"x": x, "y": y, "text": {"value": name}}, data={"values": [ends[name]]},
            ),
        ]  # fmt: skip
    for one in layers:
        one["mark"].pop("nudge", None)
    return layers


def _apart(rows: list[dict[str, Any]], of: str, room: float) -> dict[str, int]:
    """Return how far to shift the name of each series, so that names at the right do not touch."""
    ends = {row["series"]: row[of] for row in rows if row[of] is not None}
    order = sorted(ends, key=lambda name: -ends[name])
    shift = dict.fromkeys(order, 0)
    for above, below in itertools.pairwise(order):
        gap = (ends[above] - ends[below]) * room + shift[below] - shift[above]
        if gap < 15:
            shift[below] = round(shift[below] + 15 - gap)
    return shift


def cap_chart(sheet: Sheet, ink: str = INK) -> Spec:
    """Return accepted, and accepted and good, by cap: the loop beside retries."""
    truth = sheet.inputs.level == "truth"
    rows: list[dict[str, Any]] = []
    for at in sheet.by_cap:
        named = {LOOP: at.accepted, "retries accept": at.retry_accepted}
        if truth and not sheet.sound:
            named = {LOOP: at.accepted, GOOD: at.loop, RETRIES: at.retry}
        rows += [{"cap": at.cap, "series": name, "share": y} for name, y in named.items()]
    last = len(sheet.by_cap)
    least = min(row["share"] for row in rows)
    floor = max(0.0, round(least - 0.1, 1))
    x = field(  # the other half is for the words at the lines' ends, in a narrow window too
        "cap", title="cap, drafts at most",
        axis={"values": list(range(1, last + 1)), "format": "d"},
        scale={"domain": [1, last * 2]},
    )  # fmt: skip
    y = field("share", title="tasks", axis=SHARES, scale={"domain": [floor, 1.02], "zero": False})
    shift = _apart(rows, "share", 240 / (1.02 - floor))
    looks: dict[str, Spec] = {
        LOOP: {"color": BLUE}, GOOD: {"color": BLUE, "strokeDash": [2, 3]},
        RETRIES: {"color": ORANGE, "strokeDash": [7, 4]},
        "retries accept": {"color": ORANGE, "strokeDash": [7, 4]},
    }  # fmt: skip
    for name, look in looks.items():
        look["nudge"] = shift.get(name, 0)
    layers = _lines(rows, x, y, looks, ink)
    layers.append(
        layer(
            "rule",
            {"color": GREY, "strokeDash": [2, 3]},
            {"x": x},
            data={"values": [{"cap": sheet.inputs.cap}]},
        )
    )
    return {"data": {"values": rows}, "height": 260, "layer": layers}


def leniency_chart(sheet: Sheet, ink: str = INK) -> Spec:
    """Return the loop's calls per accepted and per good output over the bad drafts passed."""
    accepted, good = "per accepted", "per good"
    rows: list[dict[str, Any]] = [
        {"passes": round(far, 4), "series": name, "calls": calls}
        for far, per_accepted, per_good in sheet.over_leniency()
        for name, calls in ((accepted, per_accepted), (good, per_good))
    ]
    known = [row["calls"] for row in rows if row["calls"] is not None]
    # costs grow without bound where nothing good gets through: the picture ends before that
    top = min(max(known, default=1.0), 4 * min(known, default=1.0)) * 1.05
    for row in rows:
        if row["calls"] is not None and row["calls"] > top:
            row["calls"] = None
    i = sheet.inputs
    mine = i.far if i.critic else i.check.accepts_bad
    x = field(
        "passes", title="bad drafts the check passes",
        axis={**SHARES, "values": [0, 0.25, 0.5, 0.75, 1]}, scale={"domain": [0, 2]},
    )  # fmt: skip
    y = field("calls", title="calls", scale={"domain": [0, top]}, axis={"tickCount": 5})
    shift = _apart(rows, "calls", 240 / top)
    looks: dict[str, Spec] = {
        good: {"color": ORANGE, "strokeDash": [7, 4], "nudge": shift.get(good, 0)},
        accepted: {"color": BLUE, "nudge": shift.get(accepted, 0)},
    }
    layers = _lines(rows, x, y, looks, ink)
    layers.append(
        layer(
            "rule",
            {"color": GREY, "strokeDash": [2, 3]},
            {"x": x},
            data={"values": [{"passes": mine}]},
        )
    )
    return {"data": {"values": rows}, "height": 260, "layer": layers}


def returned_chart(sheet: Sheet) -> Spec:
    """Return where good drafts that were sent back end, per 100 of them; empty without any."""
    found = sheet.returned
    names = ("a good one accepted", "a bad one accepted", "handed over")
    parts = () if found is None else (found.accepted_good, found.accepted_bad, found.handed_over)
    rows: list[dict[str, Any]] = [
        {"end": name, "per": 100 * part, "order": order}
        for order, (name, part) in enumerate(zip(names, parts, strict=False))
    ]
    x = field(
        "per", title="per 100 good drafts sent back", stack="zero", scale={"domain": [0, 100]}
    )
    color = field(
        "end", "nominal", title=None, legend={"orient": "top", "columns": 3},
        scale={"domain": list(names), "range": [BLUE, ORANGE, GREY]},
    )  # fmt: skip
    order = field("order")
    tip = [field("end", "nominal", title="ends as"), field("per", title="per 100", format=".1f")]
    layers = [
        layer("bar", {"size": 46}, {"x": x, "order": order, "color": color, "tooltip": tip}),
        layer(
            "text", {"color": "white", "fontWeight": 600, "fontSize": 12.5},
            {"x": {**x, "bandPosition": 0.5}, "order": order, "text": field("per", format=".0f"),
             "detail": field("end", "nominal")},
            transform=[{"filter": "datum.per >= 6"}],
        ),
    ]  # fmt: skip
    return {"data": {"values": rows}, "height": 150, "layer": layers}


def by_round_chart(loop: ArmCounts, retry: ArmCounts | None, ink: str = INK) -> Spec:
    """Return the share of all started that each arm had accepted by each round."""
    arms = {"loop": loop} | ({"retries": retry} if retry is not None else {})
    last = max(len(arm.by_round) for arm in arms.values())
    rows: list[dict[str, Any]] = []
    for name, arm in arms.items():
        counts = [*arm.by_round, *([arm.by_round[-1]] * (last - len(arm.by_round)))]
        rows += [
            {"round": n, "series": name, "share": k / arm.traces, "k": k, "n": arm.traces}
            for n, k in enumerate(counts, 1)
        ]
    x = field(
        "round", title="round", axis={"values": list(range(1, last + 1)), "format": "d"},
        scale={"domain": [1, max(last * 1.2, 2)]},
    )  # fmt: skip
    top = max(row["share"] for row in rows)
    y = field(
        "share", title="accepted, of all started", axis=SHARES,
        scale={"domain": [0, min(1.02, top * 1.1 + 0.01)], "nice": False},
    )  # fmt: skip
    shift = _apart(rows, "share", 220 / min(1.02, top * 1.1 + 0.01))
    looks: dict[str, Spec] = {
        "loop": {"color": BLUE, "nudge": shift.get("loop", 0)},
        "retries": {"color": ORANGE, "strokeDash": [7, 4], "nudge": shift.get("retries", 0)},
    }
    tip = [
        field("series", "nominal", title="arm"), field("round"),
        field("k", title="accepted"), field("n", title="of"),
    ]  # fmt: skip
    dots = layer("point", {"filled": True, "size": 50, "opacity": 1, "color": GREY},
                 {"x": x, "y": y, "tooltip": tip})  # fmt: skip
    return {
        "data": {"values": rows},
        "height": 240,
        "layer": [*_lines(rows, x, y, looks, ink), dots],
    }


def published_chart(runs: Sequence[tuple[str, TwoTries]], ink: str = INK) -> Spec:
    """Return repair rate over first-try rate of published runs, the line r = p dashed."""
    rows: list[dict[str, Any]] = [
        {"name": name, "p": run.p.value, "r": run.r.value, "n": run.tasks}
        for name, run in runs
        if isinstance(run.r, Estimate)
    ]
    scale = {"domain": [0, 1]}
    x = field("p", title="passed at the first try, p", axis=SHARES, scale=scale)
    y = field("r", title="repaired at the second, r", axis=SHARES, scale=scale)
    tip = [
        field("name", "nominal", title="run"), field("p", format=".1%"), field("r", format=".1%"),
        field("n", title="tasks"),
    ]  # fmt: skip
    layers = [
        layer(
            "line", {"color": GREY, "strokeDash": [4, 4]}, {"x": x, "y": y},
            data={"values": [{"p": 0, "r": 0}, {"p": 1, "r": 1}]},
        ),
        layer(
            "text", {"color": ink, "align": "right", "dy": -8, "dx": -8, "fontSize": 12.5},
            {"x": x, "y": y, "text": {"value": "r = p"}}, data={"values": [{"p": 1, "r": 1}]},
        ),
        layer(
            "point", {"color": BLUE, "filled": True, "size": 55, "opacity": 0.75},
            {"x": x, "y": y, "tooltip": tip},
        ),
    ]  # fmt: skip
    return {"data": {"values": rows}, "height": 320, "layer": layers}
