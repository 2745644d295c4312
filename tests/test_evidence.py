"""The published figures: typed here a second time by hand, study by study, and compared."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.charts import ChangeRow, change_chart
from core.contract.ladder import EvaluatorType as Row
from core.errors import InputError
from core.wording import change_in_points
from sample_data.evidence import (
    Read,
    Source,
    Study,
    chosen,
    gaps,
    named,
    parse_gaps,
    parse_studies,
    studies,
)

STUDIES = {s.key: s for s in studies()}

VALUES = {
    # Madaan 2023: about 20 points over seven tasks, 5 or more in mathematics with outside
    # verdicts, 94 % of one model's criticism found nothing.
    "madaan_2023": [("about", 20), ("at least", 5), [94]],
    # Huang 2023 (ICLR 2024): first answer, one round, two rounds.
    "huang_2023": [[82.0, 79.5, 80.0], [49.0, 49.0, 43.0], [75.8, 38.1, 41.8]],
    # Stechly, Valmeekam, Kambhampati 2024: Blocksworld 25 samples 72 %, first error fed back 87 %;
    # then sets of four: raised by the checker, samples close to feedback, lowered by itself.
    "stechly_2024": [[72, 87], [4], [3], [3]],
    # Tyen 2024: abstract, no figure.
    "tyen_2024": [],
    # Olausson 2023 (ICLR 2024), its table 1: overall, introductory, interview, competition.
    "olausson_2023": [[33.30, 52.60], [42.64, 62.21], [19.33, 45.67], [3.67, 14.67]],
    # Shinn 2023: pass@1 on HumanEval, best earlier result and Reflexion.
    "shinn_2023": [[80, 91]],
    # Kamoi 2024: a survey.
    "kamoi_2024": [],
    # Khullar, Hopkins, Wang, Roger 2026: abstract, no figure.
    "khullar_2026": [],
    # Panickssery, Bowman, Feng 2024: abstract, no figure.
    "panickssery_2024": [],
    # Kim, Garg, Peng, Garg 2025: the same answer in 60 % of cases where both models err.
    "kim_2025": [[60]],
    # Schluntz & Zhang 2024: measures nothing.
    "schluntz_2024": [],
}

CHANGES = {
    "madaan_2023": [20, 5, None],
    "huang_2023": [-2.0, -6.0, -34.0],
    "stechly_2024": [15, None, None, None],
    "olausson_2023": [19.30, 19.57, 26.34, 11.00],
    "shinn_2023": [11],
    "kim_2025": [None],
}

READ = {
    "madaan_2023": "full",
    "huang_2023": "full",
    "stechly_2024": "full",
    "tyen_2024": "abstract",
    "olausson_2023": "full",
    "shinn_2023": "full",
    "kamoi_2024": "full",
    "khullar_2026": "abstract",
    "panickssery_2024": "abstract",
    "kim_2025": "abstract",
    "schluntz_2024": "full",
}


def published(study: Study) -> list[Any]:
    return [[arm.value for arm in f.arms] if f.arms else (f.bound, f.change) for f in study.figures]


def test_there_is_no_study_besides_the_ones_typed_here() -> None:
    assert sorted(STUDIES) == sorted(VALUES)


@pytest.mark.parametrize("key", VALUES)
def test_figures_are_the_published_ones(key: str) -> None:
    assert published(STUDIES[key]) == VALUES[key]


@pytest.mark.parametrize("key", CHANGES)
def test_changes_are_last_minus_first(key: str) -> None:
    assert [f.points for f in STUDIES[key].figures] == CHANGES[key]


def test_numbers_of_calls_instances_and_sets() -> None:
    """Huang counts 1, 3 and 5 calls; Stechly has 100 instances a cell and four test sets."""
    assert [[a.calls for a in f.arms] for f in STUDIES["huang_2023"].figures] == [[1, 3, 5]] * 3
    assert STUDIES["stechly_2024"].figures[0].n == 100
    assert [f.of for f in STUDIES["stechly_2024"].figures] == [None, 4, 4, 4]


def test_read_status_is_the_one_recorded() -> None:
    assert {key: s.read.value for key, s in STUDIES.items()} == READ
    assert {s.read for s in studies()} <= set(Read)


def test_every_study_names_its_limits_setting_and_rows() -> None:
    for study in studies():
        assert study.limits and study.rows and study.setting.tasks and study.finding
        assert set(study.rows) <= set(Row)
        assert len(set(study.rows)) == len(study.rows)


def test_studies_are_sorted_by_source() -> None:
    order = [list(Source).index(s.sources[0]) for s in studies()]
    assert order == sorted(order)


def test_every_source_and_every_row_has_a_study() -> None:
    assert {source for s in studies() for source in s.sources} == set(Source)
    assert {row for s in studies() for row in s.rows} == set(Row)


def test_choosing_takes_source_and_row_together() -> None:
    assert [s.key for s in chosen(studies(), Source.PERSON)] == ["olausson_2023"]
    assert [s.key for s in chosen(studies(), row=Row.RUBRIC_OTHER_MODEL)] == [
        "schluntz_2024",
        "kim_2025",
    ]
    assert chosen(studies(), Source.OWN_TESTS, Row.SELF_REVIEW) == []
    assert chosen(studies()) == list(studies())


def test_a_figure_with_two_kinds_of_feedback_is_found_under_both() -> None:
    """Olausson sets a person's explanation against the model's."""
    study = STUDIES["olausson_2023"]
    assert study.figures_from(Source.PERSON) == study.figures
    assert study.figures_from(Source.TESTS_EXPLANATION) == study.figures
    assert [f.what for f in STUDIES["stechly_2024"].figures_from(Source.ITSELF)] == [
        "Sets where self-checking lowered it"
    ]


def test_critic_is_named_without_figures_and_is_no_study() -> None:
    assert [(n.title, n.year) for n in named()] == [("CRITIC", 2023)]
    assert not any("gou" in key for key in STUDIES)


def test_what_nobody_measured_covers_rounds_critics_unknown_cap_and_rubrics() -> None:
    text = " ".join(gap.what for gap in gaps())
    for word in ("production", "fresh context", "UNKNOWN", "cap", "rubric judge", "Newer models"):
        assert word in text
    assert all(gap.meanwhile for gap in gaps())


def entry(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "key": "doe_2024",
        "authors": "Doe and colleagues",
        "year": 2024,
        "sources": ["itself"],
        "rows": ["self_review"],
        "read": "full",
        "setting": {"tasks": "Sums", "models": "One"},
        "finding": "It fell.",
        "figures": [],
        "limits": ["Small."],
    }
    return {"studies": [base | changes]}


ARMS = [{"name": "first", "value": 50}, {"name": "last", "value": 40}]


def test_the_entry_the_refusals_start_from_is_accepted() -> None:
    figure = {"what": "Sums", "compares": "last, against first", "arms": ARMS}
    found, none = parse_studies(entry(figures=[figure]), "x.yaml")
    assert (found[0].figures[0].points, none) == (-10, ())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"limits": []}, "studies.0.limits"),
        ({"rows": ["juror"]}, "juror"),
        ({"rows": []}, "studies.0.rows"),
        ({"sources": ["oracle"]}, "oracle"),
        ({"read": "skimmed"}, "skimmed"),
        ({"colour": "red"}, "colour"),
        ({"finding": "  "}, "studies.0.finding"),
        ({"authors": "**Doe**"}, "studies.0.authors"),
        ({"figures": [{"what": "Sums"}]}, "either arms or a change"),
        ({"figures": [{"what": "Sums", "arms": ARMS, "change": 1}]}, "either arms or a change"),
        ({"figures": [{"what": "Sums", "arms": ARMS}]}, "compares"),
        ({"figures": [{"what": "S", "arms": [{"name": "a", "value": 101}]}]}, "outside 0 to 100"),
        ({"figures": [{"what": "S", "arms": [{"name": "a", "value": float("nan")}]}]}, "finite"),
        ({"figures": [{"what": "S", "unit": "count", "arms": ARMS[:1]}]}, "a count needs 'of'"),
        (
            {"figures": [{"what": "S", "arms": ARMS[:1], "source": "person"}]},
            "the study not",
        ),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused_by_place(
    changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        parse_studies(entry(**changes), "x.yaml")
    assert said in str(caught.value)
    assert str(caught.value).startswith("x.yaml, ")
    assert "\n" not in str(caught.value)


def test_a_study_entered_twice_is_refused() -> None:
    twice = {"studies": entry()["studies"] * 2}
    with pytest.raises(InputError, match="'doe_2024' stands there twice"):
        parse_studies(twice, "x.yaml")


def test_an_empty_list_of_gaps_is_refused() -> None:
    with pytest.raises(InputError, match="gaps"):
        parse_gaps({"gaps": []}, "unmeasured.yaml")


@pytest.mark.parametrize(
    ("change", "digits", "said"),
    [
        (-6.0, 1, "6.0\u00a0points lower"),
        (19.57, 2, "19.57\u00a0points higher"),
        (1, 0, "1\u00a0point higher"),
        (-0.04, 1, "no change"),
        (0, 0, "no change"),
    ],
)
def test_changes_in_words(change: float, digits: int, said: str) -> None:
    assert change_in_points(change, digits) == said


def test_the_chart_tells_direction_by_side_shape_colour_and_word() -> None:
    rows = [
        ChangeRow('It\'s "A"', "one", "x", -6.0, "6.0 points lower", "49.0 → 43.0 %"),
        ChangeRow("B", "two", "y", 60.0, "60.0 points higher"),
    ]
    spec = change_chart(rows).to_dict()
    lines = spec["layer"][1]
    values = spec["datasets"][lines["data"]["name"]]
    assert [(v["points"], v["way"]) for v in values] == [
        (-6.0, "lower"),
        (60.0, "higher"),
    ]
    assert lines["encoding"]["color"]["scale"]["range"] == ["#D55E00", "#8A8F98", "#0072B2"]
    assert spec["layer"][2]["encoding"]["shape"]["scale"]["range"] == [
        "triangle-left",
        "diamond",
        "triangle-right",
    ]
    assert lines["encoding"]["x"]["scale"]["domain"] == [-65.0, 65.0]
    words = spec["layer"][2]["encoding"]["y"]["axis"]["labelExpr"]
    assert "6.0 points lower" in words and "43.0 %" in words
    names = lines["encoding"]["y"]["axis"]["labelExpr"]
    assert json.dumps('It\'s "A"') in names
