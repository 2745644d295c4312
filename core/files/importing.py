"""Importing a file: what it would do is worked out and shown first, then done as one act.

One file may hold outputs, people's labels and judges' verdicts at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
from core.store.outputs import NewOutput, OutputDifference, add_outputs, compare_outputs, output_ids
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

    `known` are the outputs, as (sample id, trial), that labels and verdicts can belong to: those of
    the file whose text is new or the stored one, or without outputs in the file the stored ones.
    `homeless` counts labels and verdicts for other outputs or criteria: they are left out.
    """

    table: Table
    outputs: OutputsFile | None
    labels: LabelsFile | None
    verdicts: VerdictsFile | None
    rows_of_outputs: tuple[NewOutput, ...]
    difference: OutputDifference
    homeless: int
    known: frozenset[tuple[str, int]]
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
    rows = [] if read is None or outputs is None else output_rows(read.rows, outputs)
    found_labels = None if labels is None else read_labels(table, labels.shape, labels.words)
    found_verdicts = (
        None if verdicts is None else read_verdicts(table, verdicts.shape, verdicts.words)
    )
    choices: dict[str, Any] = {}
    if labels is not None:
        choices["labels"] = labels.choices()
    if verdicts is not None:
        choices["verdicts"] = verdicts.choices()
    return plan_of(
        store, project_id, version, table, outputs=read, rows=rows, labels=found_labels,
        verdicts=found_verdicts, choices=choices,
    )  # fmt: skip


def plan_of(
    store: Store,
    project_id: int,
    version: Version | None,
    table: Table,
    *,
    outputs: OutputsFile | None,
    rows: Sequence[NewOutput],
    labels: LabelsFile | None,
    verdicts: VerdictsFile | None,
    choices: Mapping[str, Any],
    new_keys: Collection[str] = (),
) -> Plan:
    """Return what storing the rows read from a file would do; `rows` are those of `outputs`.

    `new_keys` are criteria that the contract will have by the time the plan is carried out.
    """
    difference = compare_outputs(store, project_id, rows)
    if outputs is None:
        with store.read() as c:
            known = set(output_ids(c, project_id))
    else:
        # What the file says of an output belongs to the text in the file, not to another one.
        changed = {(r.sample_id, r.trial) for r in difference.changed}
        known = {(r.sample_id, r.trial) for r in rows} - changed
    keys = {OVERALL, *new_keys, *(version.contract.keys if version else ())}
    said = [
        *(labels.rows if labels else ()),
        *(verdicts.rows if verdicts else ()),
    ]
    homeless = sum((r.sample_id, r.trial) not in known or r.criterion not in keys for r in said)
    return Plan(
        table, outputs, labels, verdicts, tuple(rows), difference, homeless, frozenset(known),
        dict(choices),
    )  # fmt: skip


def carry_out(
    store: Store,
    project_id: int,
    version: Version | None,
    plan: Plan,
    *,
    replace_changed: bool = False,
) -> dict[str, dict[str, int]]:
    """Store what a plan holds as one act and return counts by kind; again, it changes nothing.

    Labels and verdicts of outputs that are kept back (another text is stored, or the file gives
    the output twice) are kept back with them and counted as `no_output`.
    """
    counts: dict[str, dict[str, int]] = {}
    name, sha256 = plan.table.name, plan.table.sha256
    welcome = set(plan.known)
    if replace_changed:
        welcome |= {(r.sample_id, r.trial) for r in plan.difference.changed}
    with store.write(project_id):
        if plan.outputs is not None:
            difference = add_outputs(
                store, project_id, plan.rows_of_outputs, replace_changed=replace_changed,
                file_name=name, sha256=sha256,
            )  # fmt: skip
            counts["outputs"] = {
                "new": len(difference.new),
                "present": difference.present,
                "replaced" if replace_changed else "kept": len(difference.changed),
            }
        if plan.labels is not None:
            rows = label_rows(r for r in plan.labels.rows if (r.sample_id, r.trial) in welcome)
            found = add_labels(
                store, project_id, rows, version, choices=plan.choices["labels"], file_name=name,
                sha256=sha256,
            )  # fmt: skip
            found["no_output"] += len(plan.labels.rows) - len(rows)
            counts["labels"] = found
        if plan.verdicts is not None:
            said = verdict_rows(r for r in plan.verdicts.rows if (r.sample_id, r.trial) in welcome)
            found = add_verdicts(
                store, project_id, said, version, choices=plan.choices["verdicts"], file_name=name,
                sha256=sha256,
            )  # fmt: skip
            found["no_output"] += len(plan.verdicts.rows) - len(said)
            counts["verdicts"] = found
    return counts
