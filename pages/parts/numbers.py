"""Counted numbers for pages, cached by the project's revision; frames are never cached."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from core.labelling.split import Side
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN
from core.store.contracts import Version
from core.store.measured import JudgeRates, chosen_by_queue, judge_rates, part_of
from core.store.results import load_results
from core.store.splits import load_split
from core.store.store import Project
from core.verdict import OVERALL
from pages.parts.workspace import store


def agreement(project: Project, version: Version | None, judge: int) -> Mapping[str, JudgeRates]:
    """Return the rates of a judge under a contract version by criterion key, "overall" last.

    Of the dev part, in a project with a split. Where the queue gave out the labelled outputs by verdict the rates are reweighted.
    """
    return _agreement(project.id, project.revision, judge, version)


def code_counts(project: Project, version: Version) -> Mapping[str, Mapping[int, int]]:
    """Return, for each criterion, how many outputs have each code from the code checks."""
    return _code_counts(project.id, project.revision, version)


@st.cache_resource(max_entries=30, show_spinner=False)
def _code_counts(
    project_id: int, revision: int, _version: Version
) -> Mapping[str, Mapping[int, int]]:
    results = load_results(store(), project_id, _version, None)
    return {
        key: {code: int(np.count_nonzero(codes == code)) for code in (PASS, FAIL, UNKNOWN, MISSING)}
        for key, codes in results.judge.items()
    }


@st.cache_resource(max_entries=30, show_spinner=False)
def _agreement(
    project_id: int, revision: int, judge: int, _version: Version | None
) -> Mapping[str, JudgeRates]:
    # The revision rises with every new version, so it stands for the version in the key too.
    results = load_results(store(), project_id, _version, judge)
    if load_split(store(), project_id) is not None:
        # The test part is opened on purpose, on the agreement page, and every look is counted.
        results = part_of(store(), project_id, results, Side.DEV)
    chosen = chosen_by_queue(store(), project_id, results.labelled(OVERALL))
    return {key: judge_rates(results, key, chosen) for key in results.gold}
