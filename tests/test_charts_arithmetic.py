"""The arithmetic's charts: valid Vega-Lite, holding the figures they show."""

from __future__ import annotations

from typing import Any

import altair as alt
import pytest

from core.charts_arithmetic import drafts_chart, ends_chart, repair_chart, tries_chart
from core.statistics.worked import Inputs, Sheet
from sample_data.worked_examples import EXAMPLES


def shown(spec: dict[str, Any]) -> list[str]:
    """The fixed words in a chart."""
    texts = [layer["encoding"].get("text", {}).get("value") for layer in spec["layer"]]
    return [text.replace("\u00a0", " ") for text in texts if text]


@pytest.mark.parametrize("chart", [repair_chart, tries_chart, ends_chart, drafts_chart])
@pytest.mark.parametrize("example", ["code-check", "critic-60", "retries-critic"])
def test_every_chart_of_every_kind_of_example_is_valid(example: str, chart: Any) -> None:
    spec = chart(Sheet(EXAMPLES[example].inputs))
    assert alt.LayerChart.from_dict(spec, validate=True).to_dict()["layer"]


def test_the_curve_crosses_retries_at_the_break_even() -> None:
    spec = repair_chart(Sheet(Inputs(0.4, 0.5, 3)))
    rows = {row["r"]: row for row in spec["data"]["values"]}
    assert rows[0.4]["loop"] == pytest.approx(rows[0.4]["retry"])
    assert rows[0.5]["loop"] == pytest.approx(0.85)
    assert rows[0.5]["says"].replace("\u00a0", " ") == (
        "r 50.0 %: loop 85.0 %, retries 78.4 %, the loop is ahead by 6.6 points"
    )
    assert shown(spec) == [
        "Three tries: 78.4 %", "Loop, three rounds", "break-even 40.0 %", "your r: 85.0 %",
    ]  # fmt: skip


def test_without_a_break_even_none_is_drawn() -> None:
    assert "break-even" not in "".join(shown(repair_chart(Sheet(Inputs(0.4, 0.5, 1)))))


def test_tries_mark_the_cap_and_dot_independence_only_when_it_differs() -> None:
    plain, measured = (tries_chart(Sheet(Inputs(0.4, 0.5, 3, fresh=f))) for f in (None, 0.5))
    marked = [row for row in plain["data"]["values"] if row["cap"]]
    assert [(row["k"], row["at"], row["hat"]) for row in marked] == [
        (3, pytest.approx(0.784), pytest.approx(0.064))
    ]
    assert len(measured["layer"]) == len(plain["layer"]) + 1
    third = measured["data"]["values"][2]
    assert (third["at"], third["naive"]) == pytest.approx((0.7, 0.784))


def test_rounds_end_accepted_or_by_the_cap() -> None:
    rows = ends_chart(Sheet(Inputs(0.4, 0.5, 3)))["data"]["values"]
    assert [(row["round"], row["how"], row["share"]) for row in rows] == [
        (1, "accepted", pytest.approx(0.4)),
        (2, "accepted", pytest.approx(0.3)),
        (3, "accepted", pytest.approx(0.15)),
        (3, "at the cap", pytest.approx(0.15)),
    ]


def test_words_take_the_colour_of_the_theme() -> None:
    spec = repair_chart(Sheet(Inputs(0.4, 0.5, 3)), "#E8EBEF")
    colours = {layer["mark"]["color"] for layer in spec["layer"] if layer["mark"]["type"] == "text"}
    assert colours == {"#E8EBEF"}


def test_drafts_of_a_critic_that_errs() -> None:
    """60 of 100 good: 54 passed, 6 sent back; 40 bad: 12 passed, 28 sent back."""
    rows = drafts_chart(Sheet(EXAMPLES["critic-60"].inputs))["data"]["values"]
    assert [row["per"] for row in rows] == pytest.approx([54, 12, 6, 28])
