"""What the agreement page reads, cached: an evaluator against gold under a version and a filter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

import streamlit as st

from core.contract.contract import Limits
from core.labelling.disagreement import Todo, todo
from core.statistics.confusion import Confusion
from core.store.calibrations import Record, out_of_date, records
from core.store.columns import Column, load_columns
from core.store.contracts import Version, versions
from core.store.disagreements import tally
from core.store.measured import JudgeRates, chosen_by_queue, judge_rates, part_of, plain_rates
from core.store.people import load_people
from core.store.results import Results, load_results
from core.store.store import Project
from core.verdict import OVERALL
from core.wording_agreement import record_line
from pages.parts.workspace import store

PERSON = "person:"


@dataclass(frozen=True)
class Counted:
    """Results with their cells and shown rates by criterion key, "overall" last."""

    results: Results
    cells: Mapping[str, Confusion]
    rates: Mapping[str, JudgeRates]


@dataclass(frozen=True)
class View:
    """What the page is looking at: who, on which criterion, under which version and filter.

    `judge` is None where the evaluator is a person. `column` and `value` are "" without a filter;
    `part` is "dev", "test", or "" in a project without a split.
    """

    project: Project
    version: Version | None
    evaluator: str
    name: str
    judge: int | None
    key: str
    column: str
    value: str
    chosen: str
    part: str
    counted: Counted

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The contract's limits of false-accept and false-reject rate."""
        found = Limits() if self.version is None else self.version.contract.limits
        return found.false_accept_rate, found.false_reject_rate

    @property
    def cells(self) -> Confusion:
        """The cells of the criterion in view."""
        return self.counted.cells[self.key]

    @property
    def rates(self) -> JudgeRates:
        """The rates of the criterion in view."""
        return self.counted.rates[self.key]

    @property
    def filtered(self) -> str:
        """Filter and part in words, "" without either."""
        parts = [f"{self.column} = {self.value or '(blank)'}"] if self.column else []
        return ", ".join([*parts, f"the {self.part} part"] if self.part else parts)

    def other(self, judge: int) -> Results:
        """Return the results of another judge under the same version and filter."""
        return counted(
            self.project, self.version, str(judge), self.column, self.value, "", self.part
        ).results


def known_versions(project: Project) -> Mapping[str, Version]:
    """Return the contract's versions by number as text, newest first."""
    return _versions(project.id, project.revision)


def people(project: Project, version: Version | None) -> Mapping[str, Results]:
    """Return every reviewer against the others, by name."""
    return _people(project.id, project.revision, version and version.id, version)


def columns(project: Project, results: Results) -> Mapping[str, Column]:
    """Return the imported columns of all outputs that count."""
    digest = blake2b(results.outputs.tobytes(), digest_size=16).hexdigest()
    return _columns(project.id, digest, results)


def counted(
    project: Project, version: Version | None, evaluator: str, column: str, value: str, chosen: str,
    part: str,
) -> Counted:  # fmt: skip
    """Return an evaluator's results and cells; `chosen` "" shows plain rates."""
    return _counted(
        project.id, project.revision, version and version.id, evaluator, column, value, chosen,
        part, project, version,
    )  # fmt: skip


def drawn(project: Project, version: Version | None, evaluator: str) -> str:
    """Return how the queue gave out the labelled outputs, a key of CHOSEN."""
    return _drawn(project.id, project.revision, version and version.id, evaluator, project, version)


def todo_of(project: Project, version: Version | None) -> list[Todo]:
    """Return what the reasons of disagreements ask for under a version."""
    return [] if version is None else todo(tally(store(), project.id, version))


def said_of_record(project: Project, version: Version | None, judge: int) -> str:
    """Return what the newest calibration record of a judge says, "" when there is none."""
    found = records(store(), project.id, judge=judge) if version is not None else []
    if version is None or not found:
        return ""
    return record_line(found[0].n, found[0].date, changed_since(project, found[0], version))


def changed_since(project: Project, record: Record, version: Version) -> list[str]:
    """Return what has changed since a record was made, in words."""
    return _changed(project.id, project.revision, record.id, version.id, record, version)


@st.cache_resource(max_entries=100, show_spinner=False)
def _changed(
    project_id: int, revision: int, record_id: int, version_id: int, _record: Record,
    _version: Version,
) -> list[str]:  # fmt: skip
    return out_of_date(store(), project_id, _record, _version)


@st.cache_resource(max_entries=50, show_spinner=False)
def _versions(project_id: int, revision: int) -> Mapping[str, Version]:
    return {str(v.number): v for v in versions(store(), project_id)}


@st.cache_resource(max_entries=20, show_spinner="Counting labels and verdicts …")
def _people(
    project_id: int, revision: int, version_id: int | None, _version: Version | None
) -> Mapping[str, Results]:
    return load_people(store(), project_id, _version)


@st.cache_resource(max_entries=20, show_spinner=False)
def _columns(project_id: int, digest: str, _results: Results) -> Mapping[str, Column]:
    return load_columns(store(), project_id, _results.outputs)


@st.cache_resource(max_entries=50, show_spinner="Counting labels and verdicts …")
def _results(
    project_id: int, revision: int, version_id: int | None, evaluator: str, _project: Project,
    _version: Version | None,
) -> Results:  # fmt: skip
    if evaluator.startswith(PERSON):
        return people(_project, _version)[evaluator.removeprefix(PERSON)]
    return load_results(store(), project_id, _version, int(evaluator))


@st.cache_resource(max_entries=100, show_spinner=False)
def _counted(
    project_id: int, revision: int, version_id: int | None, evaluator: str, column: str, value: str,
    chosen: str, part: str, _project: Project, _version: Version | None,
) -> Counted:  # fmt: skip
    results = _results(project_id, revision, version_id, evaluator, _project, _version)
    found = columns(_project, results).get(column) if column else None
    these = results
    if found is not None:
        these = results.only(found.where(value))
    results = part_of(store(), project_id, these, part)
    cells = {key: results.confusion(key) for key in results.gold}
    weigh = chosen == "verdict" and not evaluator.startswith(PERSON)
    rates = {
        key: judge_rates(results, key, chosen) if weigh else plain_rates(one)
        for key, one in cells.items()
    }
    return Counted(results, cells, rates)


@st.cache_resource(max_entries=50, show_spinner=False)
def _drawn(
    project_id: int, revision: int, version_id: int | None, evaluator: str, _project: Project,
    _version: Version | None,
) -> str:  # fmt: skip
    if evaluator.startswith(PERSON):
        return "unsaid"
    results = _results(project_id, revision, version_id, evaluator, _project, _version)
    return chosen_by_queue(store(), project_id, results.labelled(OVERALL))
