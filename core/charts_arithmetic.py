"""Charts of the arithmetic: loop against retries over r, tries over k, how rounds end.

Lines differ by dash and carry their name; the pointer is followed in the browser over a grid
computed beforehand, so it answers while moving. These are Vega-Lite specifications as plain data:
built through altair, with its checking of every mark, they take longer than the page's answer may.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.charts import BLUE, GREY, ORANGE
from core.statistics.worked import Sheet
from core.wording import ahead, capital, in_words, percent

Spec = dict[str, Any]
INK = "#1B1F24"
"""Colour of the words in a chart; the dark theme needs a light one."""

SHARES = {"format": ".0%"}


def field(name: str, kind: str = "quantitative", **more: Any) -> Spec:
    """Return an encoding of a field."""
    return {"field": name, "type": kind, **more}


def layer(mark: str, look: Spec, encoding: Spec, **more: Any) -> Spec:
    """Return one layer of a chart; no tooltip unless its encoding has one."""
    return {"mark": {"type": mark, "tooltip": None, **look}, "encoding": encoding, **more}


def repair_chart(sheet: Sheet, ink: str = INK) -> Spec:
    """Return accepted (and good) over the repair rate r, loop against retries, break-even marked.

    A rule and a line of text follow the pointer to the nearest r; the typed r is a diamond.
    """
    i, retry, my_r = sheet.inputs, sheet.calc.retry.accepted_good, sheet.alike_r
    mine, even = sheet.calc.loop.accepted_good, sheet.calc.break_even_r
    grid, loop = sheet.over_r()
    rows: list[dict[str, Any]] = [
        {
            "r": round(float(r), 4),
            "loop": float(y),
            "retry": retry,
            "says": f"r {percent(r)}: loop {percent(y)}, retries {percent(retry)}, "
            + ahead(float(y) - retry),
        }
        for r, y in zip(grid, loop, strict=True)
    ]
    floor = max(0.0, min(float(loop.min()), retry) - 0.12)
    ticks = [n / 10 for n in range(int(floor * 10), 11) if n / 10 >= floor]
    what = "accepted" if sheet.calc.loop.precision in (None, 1) else "accepted and good"
    x = field("r", title="repair rate r of one revision", axis=SHARES, scale={"domain": [0, 1]})
    y = field(
        "loop", title=f"tasks {what}", axis={**SHARES, "values": ticks},
        scale={"domain": [floor, 1.1], "nice": False, "zero": False},
    )  # fmt: skip
    both, y_retry = {"x": x, "y": y}, {**y, "field": "retry"}
    near = {"filter": {"param": "near", "empty": False}}
    lead = "datum.loop >= datum.retry"

    def words(px: float, py: float, text: str, align: str, baseline: str, **look: Any) -> Spec:
        look = {"fontSize": 12.5, "color": ink, "align": align, "baseline": baseline} | look
        data = {"values": [{"r": px, "loop": py}]}
        return layer("text", look, {**both, "text": {"value": text}}, data=data)

    named = rows[40] if my_r > 0.3 else rows[110]
    above = float(loop[-1]) < retry + 0.05  # the curve would run into words below the line
    layers = [
        *(
            layer(
                "area", {"color": color, "opacity": 0.13},
                {**both, "y2": {"field": "retry"}}, transform=[{"filter": where}],
            )
            for color, where in ((BLUE, lead), (ORANGE, f"!({lead})"))
        ),
        layer(
            "line", {"color": ORANGE, "strokeDash": [7, 4], "strokeWidth": 2.5},
            {"x": x, "y": y_retry},
        ),
        layer("line", {"color": BLUE, "strokeWidth": 3}, both),
        words(
            0.995, retry, f"{capital(in_words(i.cap, 'try', 'tries'))}: {percent(retry)}",
            "right", "bottom" if above else "top", dy=-6 if above else 6,
        ),
        words(
            named["r"], named["loop"], f"Loop, {in_words(i.cap, 'round')}", "left", "top",
            dx=8, dy=6,
        ),
    ]  # fmt: skip
    if even is not None:
        left = even < 0.75
        layers += [
            layer(
                "rule", {"color": GREY, "strokeDash": [2, 3], "strokeWidth": 1.5}, {"x": x},
                data={"values": [{"r": even}]},
            ),
            words(
                even, floor, f"break-even {percent(even)}", "left" if left else "right", "bottom",
                dx=6 if left else -6, dy=-6,
            ),
        ]  # fmt: skip
    if sheet.rho > 0 and 0 < i.p < 1:
        layers += _struck(i.p, floor, even, x, words)
    right = my_r > 0.12
    layers += [
        layer(
            "point", {"shape": "diamond", "filled": True, "size": 190, "color": BLUE, "opacity": 1},
            both, data={"values": [{"r": my_r, "loop": mine}]},
        ),
        words(
            my_r, mine, f"your r: {percent(mine)}", "right" if right else "left", "bottom",
            dx=-9 if right else 9, dy=-4, fontWeight=600,
        ),
        layer("rule", {"color": GREY, "strokeWidth": 1}, {"x": x}, transform=[near]),
        layer(
            "point", {"filled": True, "size": 80, "color": BLUE, "opacity": 1}, both,
            transform=[near],
        ),
        layer(
            "text",
            {"fontSize": 12.5, "fontWeight": 600, "color": ink, "align": "left",
             "baseline": "top", "dx": 6, "dy": 2},
            {"x": {"value": 0}, "y": {"value": 0}, "text": field("says", "nominal")},
            transform=[near],
        ),
        layer(
            "point", {"opacity": 0, "size": 400}, both,
            params=[{
                "name": "near",
                "select": {
                    "type": "point", "fields": ["r"], "nearest": True, "on": "pointermove",
                    "clear": "pointerout",
                },
            }],
        ),
    ]  # fmt: skip
    return {"data": {"values": rows}, "height": 300, "layer": layers}


def _struck(
    p: float, floor: float, even: float | None, x: Spec, words: Callable[..., Spec]
) -> list[Spec]:
    """Return the rule "r must beat p" at r = p, struck through: with likeness it is not one."""
    left = (even is not None and p < even) or p > 0.8
    text = f"r = p, {percent(p)}"
    wide = 6.2 * len(text)
    sign = -1 if left else 1
    line = {"orient": "horizontal", "thickness": 1.5, "size": wide, "color": ORANGE, "opacity": 1}
    place = {"values": [{"r": p, "loop": floor}]}
    return [
        layer("rule", {"color": GREY, "strokeWidth": 1, "opacity": 0.5}, {"x": x}, data=place),
        words(
            p, floor, text, "right" if left else "left", "middle", dx=6 * sign, dy=-32, opacity=0.7
        ),
        layer(
            "tick", {**line, "xOffset": sign * (6 + wide / 2), "yOffset": -32},
            {"x": x, "y": {"datum": floor, "type": "quantitative"}}, data=place,
        ),
    ]  # fmt: skip


def tries_chart(sheet: Sheet, ink: str = INK) -> Spec:
    """Return pass@k and pass^k over k with the envelope between them, k = cap labelled.

    With a measured fresh share, what independent draws would give is dotted above.
    """
    cap = sheet.inputs.cap
    rows: list[dict[str, Any]] = [
        {"k": k, "at": up, "hat": down, "naive": naive, "cap": k == cap}
        for k, up, down, naive in sheet.tries()
    ]
    scale = {"domain": [0, 1.08], "nice": False}
    x = field("k", "ordinal", title="tries k", axis={"labelAngle": 0})
    up = field("at", title="chance", axis=SHARES, scale=scale)
    down, naive = {**up, "field": "hat"}, {**up, "field": "naive"}
    here = {"transform": [{"filter": "datum.cap"}]}
    tip = [
        field("k", "ordinal"),
        field("at", title="at least one good", format=".1%"),
        field("hat", title="all good", format=".1%"),
    ]
    label = {"fontSize": 12.5, "align": "center", "color": ink, "fontWeight": 600}
    between = {"x": x, "y": up, "y2": {"field": "hat"}}
    dashed = {"color": ORANGE, "strokeDash": [7, 4], "strokeWidth": 2.5}
    layers = [
        layer("area", {"color": BLUE, "opacity": 0.12}, between),
        layer("line", {"color": BLUE, "strokeWidth": 2.5}, {"x": x, "y": up}),
        layer("point", {"color": BLUE, "filled": True, "size": 45, "opacity": 1},
               {"x": x, "y": up, "tooltip": tip}),
        layer("line", dashed, {"x": x, "y": down}),
        layer("point", {"color": ORANGE, "filled": True, "size": 45, "shape": "square",
                         "opacity": 1}, {"x": x, "y": down, "tooltip": tip}),
        layer("rule", {"color": GREY, "strokeWidth": 1.5}, between, **here),
        *(
            layer("text", label | {"dx": dx, "dy": dy}, {"x": x, "y": y, "text": field(name, format=".1%")},
                   **here)
            for name, y, dx, dy in (
                ("at", up, 0, 14 if sheet.rho > 0 else -12), ("hat", down, 24, -12)
            )[: min(cap, 2)]
        ),
    ]  # fmt: skip
    if sheet.rho > 0:
        dotted = {"color": GREY, "strokeDash": [2, 3], "strokeWidth": 2}
        layers.append(layer("line", dotted, {"x": x, "y": naive}))
    return {"data": {"values": rows}, "height": 300, "layer": layers}


def ends_chart(sheet: Sheet) -> Spec:
    """Return how rounds end: per round the share of tasks accepted there, or left at the cap."""
    names = ["accepted", "at the cap"]  # short: the legend is cut off in a narrow window
    rows: list[dict[str, Any]] = [
        {"round": end.number, "how": how, "share": value, "order": order}
        for end in sheet.ends
        for order, (how, value) in enumerate(
            zip(names, (end.accepted, end.unaccepted), strict=True)
        )
        if value > 0
    ]
    few = len(sheet.ends) < 7
    tallest = max(end.accepted + end.unaccepted for end in sheet.ends)
    x = field(
        "round", "ordinal", title="last round", axis={"labelAngle": 0},
        scale={"domain": [end.number for end in sheet.ends]},
    )  # fmt: skip
    y = field(
        "share", title="tasks", stack="zero", axis={**SHARES, "tickCount": 5},
        scale={"domain": [0, 1.05 * tallest], "nice": False},
    )  # fmt: skip
    color = field(
        "how", "nominal", title=None, legend={"orient": "top", "direction": "vertical"},
        scale={"domain": names, "range": [BLUE, ORANGE]},
    )  # fmt: skip
    order = field("order")
    tip = [
        field("round", "ordinal"),
        field("how", "nominal", title="ends"),
        field("share", title="tasks", format=".1%"),
    ]
    text = {"color": "white", "fontWeight": 600, "fontSize": 12.5}
    layers = [
        layer("bar", {"width": {"band": 0.7}},
               {"x": x, "y": y, "order": order, "color": color, "tooltip": tip}),
        layer("text", text,
               {"x": x, "y": {**y, "bandPosition": 0.5}, "order": order,
                "text": field("share", format=".0%"), "detail": field("how", "nominal")},
               transform=[{"filter": f"datum.share > {tallest / 9 if few else 1}"}]),
    ]  # fmt: skip
    return {"data": {"values": rows}, "height": 250, "layer": layers}


def drafts_chart(sheet: Sheet) -> Spec:
    """Return what the check did with the drafts, per 100 tasks: accepted or sent back, good or bad."""
    flow = sheet.flow
    good, bad = "good drafts", "bad drafts"
    cells = [
        ("accepted", good, flow.accepted_good),
        ("accepted", bad, flow.accepted_bad),
        ("sent back", good, flow.sent_back_good),
        ("sent back", bad, flow.sent_back - flow.sent_back_good),
    ]
    rows = [
        {"where": where, "what": what, "per": 100 * float(n), "order": int(what == bad)}
        for where, what, n in cells
    ]
    widest = max(float(flow.accepted), float(flow.sent_back)) * 100
    y = field(
        "where", "ordinal", title=None, sort=["accepted", "sent back"],
        axis={"labelFontSize": 14, "ticks": False, "domain": False},
    )  # fmt: skip
    x = field(
        "per", title="drafts per 100 tasks", stack="zero", axis={"tickCount": 6},
        scale={"domain": [0, 1.04 * widest], "nice": False},
    )  # fmt: skip
    color = field(
        "what", "nominal", title=None, legend={"orient": "top"},
        scale={"domain": [good, bad], "range": [BLUE, ORANGE]},
    )  # fmt: skip
    order = field("order")
    tip = [field("where", "nominal"), field("what", "nominal"), field("per", format=".1f")]
    inside = {"color": "white", "fontWeight": 600, "fontSize": 14}
    layers = [
        layer(
            "bar", {"size": 62}, {"x": x, "y": y, "order": order, "color": color, "tooltip": tip}
        ),
        layer(
            "text", inside,
            {
                "x": {**x, "bandPosition": 0.5}, "y": y, "order": order,
                "text": field("label", "nominal"), "detail": field("what", "nominal"),
            },
            transform=[
                {"calculate": f"datum.per > {widest / 8} ? format(datum.per, '.1~f') + "
                 "(datum.order ? ' bad' : ' good') : ''", "as": "label"},
            ],
        ),
    ]  # fmt: skip
    return {"data": {"values": rows}, "height": 250, "layer": layers}
