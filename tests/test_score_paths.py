"""Paths of scores counted into cells and put in order; pictures that say the same numbers."""

from __future__ import annotations

from base64 import b64decode

import numpy as np

from core.charts_traces import PathPanel, RuleCell, path_panels, rule_grid
from core.loop.score_paths import MOST_LEVELS, counted_paths, path_facts

NAN = np.nan
NUMBER = np.array([[1, 2, 3], [1, 2, 0], [1, 0, 0]])
SCORE = np.array([[1.0, NAN, 3.0], [1.0, 0.0, NAN], [NAN, NAN, NAN]])


def test_cells_count_traces_by_group_round_and_score() -> None:
    cells, width = counted_paths(["PASS", "CAP", "CAP"], NUMBER, SCORE)
    assert width is None
    assert {(c.group, c.round, c.score): c.n for c in cells} == {
        ("PASS", 1, 1.0): 1, ("PASS", 3, 3.0): 1, ("CAP", 1, 1.0): 1, ("CAP", 2, 0.0): 1,
    }  # fmt: skip
    assert counted_paths(["CAP"], np.array([[1]]), np.array([[NAN]])) == ([], None)


def test_many_different_scores_are_binned_and_nothing_is_lost() -> None:
    score = np.linspace(0, 16, 33)[:, None]
    cells, width = counted_paths(["x"] * 33, np.ones((33, 1), dtype=np.int64), score)
    assert (width, len(cells)) == (2.0, MOST_LEVELS)
    assert sum(c.n for c in cells) == 33
    assert [c.n for c in cells] == [4] * 7 + [5]


def test_last_gain_and_largest_fall() -> None:
    score = np.array([[1.0, 3.0, 2.0], [2.0, NAN, 4.0], [NAN, NAN, NAN], [5.0, 1.0, 4.0]])
    found = path_facts(score)
    assert np.array_equal(found.last, [2, 4, NAN, 4], equal_nan=True)
    assert np.array_equal(found.gain, [1, 2, NAN, -1], equal_nan=True)
    assert np.array_equal(found.fall, [1, 0, NAN, 4], equal_nan=True)


def test_the_grid_writes_its_numbers_and_what_is_unknown() -> None:
    cells = [RuleCell(1, 1, 0.7, "70.0 %", 0), RuleCell(2, 1, 0.8, "80.0–90.0 %", 3)]
    made = rule_grid([*cells, RuleCell(3, 1, None, "–", 5)], "Accepted", (2, 1)).to_dict()
    [rows] = [rows for rows in made["datasets"].values() if "said" in rows[0]]
    assert [(r["said"], r["unknown"], r["ink"]) for r in rows] == [
        ("70.0 %", "", "dark"), ("80.0–90.0 %", "3 unknown", "light"), ("–", "5 unknown", "none"),
    ]  # fmt: skip


def test_a_small_path_breaks_where_a_round_has_no_score_and_shows_text_as_text() -> None:
    panel = PathPanel("<b>t</b>", "CAP", [("t", [(1, 0.0), (2, 1.0), (3, None), (4, 2.0)])])
    made = path_panels([panel], 4, 2.0)
    assert "&lt;b&gt;t&lt;/b&gt;" in made and "<b>" not in made
    assert "round 3 none" in made
    picture = b64decode(made.split("base64,")[1].split('"')[0]).decode()
    assert picture.count("<polyline") == 2
    assert picture.count("<circle") == 3
