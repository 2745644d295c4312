"""Filters told from own labels, and how fast a reviewer decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.labelling.filters import Filter, Mark, matching
from core.labelling.pace import RECENT, pace
from core.verdict import LabelValue

P, F, U = LabelValue.PASS, LabelValue.FAIL, LabelValue.UNSURE
OUTPUTS = [7, 3, 1, 2, 4, 5, 6]
OWN = {
    1: Mark(P),
    2: Mark(None, deferred=True),
    3: Mark(U),
    4: Mark(F, stale=True),
    5: Mark(F),
    6: Mark(U, stale=True),
}


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        (Filter.ALL, OUTPUTS),
        (Filter.UNLABELLED, [7, 2]),
        (Filter.DEFERRED, [2]),
        (Filter.UNSURE, [3]),
        (Filter.STALE, [4, 6]),
        (Filter.DISAGREED, [3, 5]),
    ],
)
def test_each_filter_keeps_the_order_and_lists_its_own(which: Filter, expected: list[int]) -> None:
    """7 has no label; people differ on 2, 3, 4, 5 and 7, but only 3 and 5 are labelled here."""
    assert expected == matching(which, OUTPUTS, OWN, {2, 3, 4, 5, 7})


@given(
    st.dictionaries(
        st.integers(1, 9),
        st.builds(Mark, st.sampled_from([None, P, F, U]), st.booleans(), st.booleans()),
    ),
    st.sets(st.integers(1, 9)),
)
def test_disagreement_is_never_told_of_an_output_without_an_own_label(
    own: dict[int, Mark], disagreed: set[int]
) -> None:
    listed = matching(Filter.DISAGREED, range(1, 10), own, disagreed)
    assert all(own[output].done for output in listed)
    assert set(listed) <= disagreed


def test_the_pace_is_the_median_of_recent_decisions() -> None:
    assert pace([4.0, 2.0, 300.0, 3.0, 5.0]) == 4.0
    assert pace([2.0, 2.0, 4.0, 4.0, 1.0, 9.0]) == 3.0
    assert pace([1.0] * RECENT + [100.0] * 500) == 1.0


@pytest.mark.parametrize("count", range(5))
def test_below_five_decisions_nothing_is_said(count: int) -> None:
    assert pace([3.0] * count) is None
