"""The figures a contract's page carries come from the records, or it says that none were made."""

from __future__ import annotations

import pytest

from core.files.folder import load_folder
from core.render import contract_markdown
from core.statistics.interval import Estimate
from core.store.contracts import latest_version, save_version
from core.store.judgements import judges
from core.store.records import baseline, calibration
from core.store.store import Project, Store
from sample_data.samples import SAMPLES


def loaded(store: Store, name: str) -> Project:
    sample = SAMPLES[name]
    load_folder(store, sample.folder, title=name, slug=name, note="", author="x")
    found = store.project(name)
    assert found is not None
    return found


def test_the_calibration_is_that_of_the_agreement_page(store: Store) -> None:
    project = loaded(store, "refund_reply")
    version = latest_version(store, project.id)
    assert version is not None
    lenient = next(j for j in judges(store, project.id) if "lenient" in j.name)
    found = calibration(store, project.id, version, lenient.id)
    assert found is not None
    far = found.false_accept_rate
    assert isinstance(far, Estimate)
    page = contract_markdown(version.contract, calibration=found)
    assert f"- Labelled examples: {found.n} labelled outputs, {found.date}\n" in page
    assert f"- Judge: {lenient.name}" in page.replace("\\", "")
    assert f"{far.k} of {far.n}" in page


def test_without_records_nothing_is_measured(store: Store, project: Project) -> None:
    sample = loaded(store, "marketing_copy")
    version = latest_version(store, sample.id)
    assert version is not None
    mine = save_version(store, project.id, version.contract)
    judge = judges(store, sample.id)[0]
    assert calibration(store, project.id, mine, judge.id) is None
    assert baseline(store, project.id) is None


@pytest.mark.parametrize("name", ["invoice_extraction"])
def test_the_baseline_compares_loop_and_retries_on_the_same_samples(
    store: Store, name: str
) -> None:
    project = loaded(store, name)
    found = baseline(store, project.id)
    assert found is not None
    assert found.calls_per_accepted is not None
    assert found.calls_per_accepted >= 1
    page = contract_markdown(latest_version(store, project.id).contract, baseline=found)  # type: ignore[union-attr]
    assert "Plain retries, accepted share: not measured" not in page
