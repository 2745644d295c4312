"""Importing a file: what it would do is worked out and shown first, then done as one act.

One file may hold outputs, people's labels and judges' verdicts at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.errors import InputError
from core.files.labels import LabelsFile, read_labels
from core.files.outputs import ColumnMap, OutputsFile, read_outputs
from core.files.repeats import Conflict
from core.files.shapes import Shape
from core.files.stored import label_rows, output_rows, verdict_rows
from core.files.tables import Problem, Table
from core.files.verdicts import VerdictsFile, read_verdicts
from core.store.contracts import Version
from core.store.judgements import add_verdicts
from core.store.labels import add_labels
from core.store.outputs import OutputDifference, add_outputs, compare_outputs, output_ids
from core.store.store import Store
from core.verdict import OVERALL, WordMap


@dataclass(frozen=True)
class Said:
    """Where a file keeps labels or verdicts, and which of its words mean what."""

    shape: Shape
    words: WordMap

    def choices(self) -> dict[str, Any]:
        """Return the choice in the form kept with the import."""
        fails = None if self.words.fails is None else sorted(self.words.fails)
        return {"pass": sorted(self.words.passes), "fail": fails}


@dataclass(frozen=True)
class Plan:
    """What importing a table would do; nothing is stored yet.

    `homeless` counts labels and verdicts whose output or criterion is neither stored nor in the
    file: they would be left out.
    """

    table: Table
    outputs: OutputsFile | None
    labels: LabelsFile | None
    verdicts: VerdictsFile | None
    difference: OutputDifference
    homeless: int
    choices: dict[str, Any] = field(default_factory=dict)

    @property
    def problems(self) -> list[Problem]:
        """Every line that cannot be used, once, by line number."""
        parts = (self.outputs, self.labels, self.verdicts)
        found = {p for part in parts if part is not None for p in part.problems}
        return sorted(found or self.table.problems)

    @property
    def conflicts(self) -> list[Conflict]:
        """Rows that repeat a key with other content; none of them is stored."""
        return [
            c for part in (self.outputs, self.labels, self.verdicts) if part for c in part.conflicts
        ]

    @property
    def rows(self) -> int:
        """How many outputs, labels and verdicts there are to store."""
        return sum(
            len(part.rows)
            for part in (self.outputs, self.labels, self.verdicts)
            if part is not None
        )


def plan_import(
    store: Store,
    project_id: int,
    version: Version | None,
    table: Table,
    *,
    outputs: ColumnMap | None = None,
    labels: Said | None = None,
    verdicts: Said | None = None,
) -> Plan:
    """Return what importing `table` would do; raises InputError for an unusable mapping."""
    if outputs is None and labels is None and verdicts is None:
        raise InputError(table.name, "nothing was chosen.", "Say what the file holds.")
    read = None if outputs is None else read_outputs(table, outputs)
    found_labels = None if labels is None else read_labels(table, labels.shape, labels.words)
    found_verdicts = (
        None if verdicts is None else read_verdicts(table, verdicts.shape, verdicts.words)
    )
    rows = [] if read is None else output_rows(read.rows)
    difference = compare_outputs(store, project_id, rows)
    with store.read() as c:
        known = set(output_ids(c, project_id)) | {(r.sample_id, r.trial) for r in rows}
    keys = {OVERALL, *(version.contract.keys if version else ())}
    said = [
        *(found_labels.rows if found_labels else ()),
        *(found_verdicts.rows if found_verdicts else ()),
    ]
    homeless = sum(
        1 for r in said if (r.sample_id, r.trial) not in known or r.criterion not in keys
    )
    choices: dict[str, Any] = {}
    if labels is not None:
        choices["labels"] = labels.choices()
    if verdicts is not None:
        choices["verdicts"] = verdicts.choices()
    return Plan(table, read, found_labels, found_verdicts, difference, homeless, choices)


def carry_out(
    store: Store,
    project_id: int,
    version: Version | None,
    plan: Plan,
    *,
    replace_changed: bool = False,
) -> dict[str, dict[str, int]]:
    """Store what a plan holds and return the counts by kind; doing it again changes nothing."""
    counts: dict[str, dict[str, int]] = {}
    name, sha256 = plan.table.name, plan.table.sha256
    if plan.outputs is not None:
        difference = add_outputs(
            store,
            project_id,
            output_rows(plan.outputs.rows),
            replace_changed=replace_changed,
            file_name=name,
            sha256=sha256,
        )
        counts["outputs"] = {
            "new": len(difference.new),
            "present": difference.present,
            "changed": len(difference.changed),
        }
    if plan.labels is not None:
        counts["labels"] = add_labels(
            store,
            project_id,
            label_rows(plan.labels.rows),
            version,
            choices=plan.choices["labels"],
            file_name=name,
            sha256=sha256,
        )
    if plan.verdicts is not None:
        counts["verdicts"] = add_verdicts(
            store,
            project_id,
            verdict_rows(plan.verdicts.rows),
            version,
            choices=plan.choices["verdicts"],
            file_name=name,
            sha256=sha256,
        )
    return counts
