"""A project from a folder in the native formats: contract, outputs, labels, verdicts, traces."""

from __future__ import annotations

from pathlib import Path

from core.errors import InputError
from core.files.contracts import read_contract
from core.files.importing import Said
from core.files.labels import NATIVE_WORDS, read_labels
from core.files.outputs import read_outputs, suggest_mapping
from core.files.shapes import suggest_shape
from core.files.stored import label_rows, output_rows, verdict_rows
from core.files.tables import read_table
from core.files.traces import read_traces
from core.files.verdicts import NATIVE_WORDS as VERDICT_WORDS
from core.files.verdicts import read_verdicts
from core.runs.code_checks import run_code_checks
from core.store.contracts import Version, save_version
from core.store.judgements import add_verdicts
from core.store.labels import add_labels
from core.store.outputs import add_outputs
from core.store.store import Project, Store
from core.store.traces import add_traces


def load_folder(
    store: Store, folder: Path, *, title: str, slug: str, note: str, author: str
) -> Project:
    """Make a project from the files of a folder.

    `contract.yaml` and `outputs.csv` have to be there; `labels.csv`, `verdicts*.csv` and
    `traces.jsonl` may be. The code checks are run too. Raises InputError when a file cannot be
    used; the half-made project is then deleted.
    """
    project = store.create_project(title, slug=slug, note=note, sample_slug=slug)
    try:
        _fill(store, project.id, folder, author)
    except BaseException:
        store.delete_project(project.id)
        raise
    return project


def _fill(store: Store, project_id: int, folder: Path, author: str) -> None:
    contract = read_contract(folder / "contract.yaml")
    version = save_version(
        store, project_id, contract, author=author, name="as shipped", ready=True
    )
    table = read_table(folder / "outputs.csv", "outputs.csv")
    mapping = suggest_mapping(table.columns)
    outputs = read_outputs(table, mapping)
    add_outputs(
        store,
        project_id,
        output_rows(outputs.rows, mapping),
        file_name=table.name,
        sha256=table.sha256,
    )
    run_code_checks(store, project_id, version)
    if (folder / "labels.csv").exists():
        _labels(store, project_id, folder / "labels.csv", version)
    for path in sorted(folder.glob("verdicts*.csv")):
        _verdicts(store, project_id, path, version)
    if (folder / "traces.jsonl").exists():
        _traces(store, project_id, folder / "traces.jsonl")


def _labels(store: Store, project_id: int, path: Path, version: Version) -> None:
    table = read_table(path, path.name)
    said = Said(suggest_shape(table.columns, "reviewer"), NATIVE_WORDS)
    found = read_labels(table, said.shape, said.words)
    add_labels(
        store,
        project_id,
        label_rows(found.rows),
        version,
        file_name=path.name,
        sha256=table.sha256,
        choices=said.choices(),
    )


def _verdicts(store: Store, project_id: int, path: Path, version: Version) -> None:
    table = read_table(path, path.name)
    said = Said(suggest_shape(table.columns, "judge"), VERDICT_WORDS)
    found = read_verdicts(table, said.shape, said.words)
    add_verdicts(
        store,
        project_id,
        verdict_rows(found.rows),
        version,
        file_name=path.name,
        sha256=table.sha256,
        choices=said.choices(),
    )


def _traces(store: Store, project_id: int, path: Path) -> None:
    found = read_traces(path)
    if found.refused:
        raise InputError(path.name, f"{found.refused[0]}.", "Mend the line.")
    add_traces(store, project_id, found.traces, file_name=path.name, sha256=found.sha256)
