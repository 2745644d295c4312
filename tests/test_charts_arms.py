"""Charts of caps, lenient checks and measured arms: valid Vega-Lite, holding the figures they show."""

from __future__ import annotations

from typing import Any

import altair as alt
import pytest

from core.charts_arithmetic import repair_chart
from core.charts_arms import (
    by_round_chart,
    cap_chart,
    leniency_chart,
    published_chart,
    returned_chart,
)
from core.statistics.arms import ArmCounts
from core.statistics.worked import Inputs, Sheet
from sample_data.published_runs import two_tries
from sample_data.worked_examples import EXAMPLES
from tests.reference import reference

LENIENT = Inputs(0.4, 0.5, 3, critic=True, far=0.3, frr=0.1, damage=0.1)


def valid(spec: dict[str, Any]) -> bool:
    return bool(alt.LayerChart.from_dict(spec, validate=True).to_dict()["layer"])


@pytest.mark.parametrize("chart", [cap_chart, leniency_chart, returned_chart])
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_chart_of_every_example_is_valid(example: str, chart: Any) -> None:
    assert valid(chart(Sheet(EXAMPLES[example].inputs)))


def test_costs_part_as_the_critic_gets_lenient() -> None:
    """Calls per accepted and per good over the false-accept rate, as published elsewhere."""
    found = {round(far, 3): (one, good) for far, one, good in Sheet(LENIENT).over_leniency()}
    for far, *_, per_accepted, per_good in reference("b.leniency_sweep").expected:
        assert found[far] == pytest.approx((per_accepted, per_good))


def test_where_good_drafts_that_were_sent_back_end() -> None:
    """Cap 2, p 1, the critic fails .5, a revision spoils .2, bad ones pass at .5.

    Round 1 sends back .5: .4 good and .1 bad drafts follow, .2 and .05 accepted. Round 2 sends
    back .2 good ones, which are handed over: .2, .05 and .25 + .2 of .7.
    """
    found = Sheet(Inputs(1.0, 0.0, 2, critic=True, far=0.5, frr=0.5, damage=0.2)).returned
    assert found is not None
    assert found.drafts == pytest.approx(0.7)
    ends = (found.accepted_good, found.accepted_bad, found.handed_over)
    assert ends == pytest.approx((0.2 / 0.7, 0.05 / 0.7, 0.45 / 0.7))
    assert Sheet(Inputs(0.4, 0.5, 3)).returned is None


def test_the_naive_rule_is_struck_through_only_where_draws_are_alike() -> None:
    def ticks(rho: float) -> int:
        spec = repair_chart(Sheet(Inputs(0.4, 0.3, 3, rho=rho)))
        assert valid(spec)
        return sum(layer["mark"]["type"] == "tick" for layer in spec["layer"])

    assert (ticks(0.0), ticks(0.3)) == (0, 1)


def test_accepted_by_round_is_of_all_that_started() -> None:
    arm = ArmCounts(100, 78, None, 150, (50, 70, 78))
    spec = by_round_chart(arm, ArmCounts(100, 60, None, 100, (60,)))
    assert valid(spec)
    shares = [row["share"] for row in spec["data"]["values"]]
    assert shares == reference("h.rounds_to_accept_curve").expected["cumulative"] + [0.6] * 3


def test_published_runs_are_dots() -> None:
    spec = published_chart([(one.name, one.counts) for one in two_tries()[1]])
    assert valid(spec)
    assert len(spec["data"]["values"]) == 69
