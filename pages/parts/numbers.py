"""Counted numbers for pages, cached by the project's revision; frames are never cached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN, Confusion, count
from core.store.contracts import Version
from core.store.results import Results, load_results
from core.store.store import Project
from pages.parts.workspace import store


@dataclass(frozen=True)
class Agreement:
    """A judge against gold per criterion key, "overall" last, and what was left out and why."""

    confusion: Mapping[str, Confusion]
    results: Results

    def cell(self, key: str, gold_pass: bool, judge_pass: bool) -> list[int]:
        """Return the store ids of the outputs in one cell of a criterion's table."""
        gold, judge = self.results.gold[key], self.results.judge[key]
        scored = (gold != MISSING) & (judge != MISSING)
        inside = scored & ((gold == PASS) == gold_pass) & ((judge == PASS) == judge_pass)
        return [int(i) for i in self.results.outputs[np.flatnonzero(inside)]]


def agreement(project: Project, version: Version | None, judge: int) -> Agreement:
    """Return the agreement of a judge with gold under a contract version."""
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
def _agreement(project_id: int, revision: int, judge: int, _version: Version | None) -> Agreement:
    # The revision rises with every new version, so it stands for the version in the key too.
    results = load_results(store(), project_id, _version, judge)
    clusters = results.samples if len(np.unique(results.samples)) < len(results.samples) else None
    return Agreement(
        {key: count(results.gold[key], results.judge[key], clusters) for key in results.gold},
        results,
    )
