"""The pictures of both rates: a chart each, side by side, the same lines in both."""

from __future__ import annotations

from core.charts import RateRow, interval_charts
from core.charts_agreement import PersonRow, people_charts
from core.statistics.interval import Undefined, rate

ROWS = [
    RateRow("tone", "FAR", Undefined("not measured: no bad outputs labelled", 0, 0)),
    RateRow("tone", "FRR", rate(1, 9, nothing="")),
    RateRow("length", "FAR", rate(2, 9, nothing="")),
    RateRow("length", "FRR", rate(0, 9, nothing="")),
]


def test_a_line_means_the_same_in_both_charts() -> None:
    """A rate that is undefined leaves its line empty: names stand at the first chart alone."""
    people = people_charts([PersonRow(row, False) for row in ROWS], {})
    for charts in (interval_charts(ROWS, {"FRR": 0.2}), people):
        assert 2 == len(charts)
        for at, chart in enumerate(one.to_dict() for one in charts):
            y = chart["layer"][0]["encoding"]["y"]
            assert ["tone", "length"] == y["scale"]["domain"]
            assert (at == 0) is y["axis"]["labels"]
            assert "container" == chart["width"]
