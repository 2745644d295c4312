"""From rows of a file to rows of the store."""

from __future__ import annotations

from collections.abc import Iterable

from core.files.labels import LabelRow
from core.files.outputs import ColumnMap, OutputRow
from core.files.verdicts import VerdictRow
from core.labelling.label import LabelKind
from core.store.judgements import NewVerdict
from core.store.label_rows import StoredLabel
from core.store.labels import NewLabel
from core.store.outputs import NewOutput


def output_rows(rows: Iterable[OutputRow], mapping: ColumnMap) -> list[NewOutput]:
    """Return outputs as the store takes them; unmapped columns are not given."""
    given = frozenset(name for name in ("input", "reference") if getattr(mapping, name) is not None)
    return [
        NewOutput(r.sample_id, r.output, r.trial, r.input, r.reference, r.extra, given)
        for r in rows
    ]


def label_rows(rows: Iterable[LabelRow]) -> list[NewLabel]:
    """Return labels as the store takes them."""
    return [
        NewLabel(
            r.sample_id,
            r.criterion,
            r.reviewer,
            r.verdict,
            r.trial,
            r.note,
            r.labelled_at,
            LabelKind.IMPORT if r.kind == LabelKind.LABEL else LabelKind(r.kind),
            r.question_hash,
            r.seconds,
            r.stratum,
            r.weight,
        )
        for r in rows
    ]


def rows_of_labels(found: Iterable[StoredLabel]) -> list[LabelRow]:
    """Return stored labels as rows of a label file."""
    return [
        LabelRow(
            r.sample_id,
            r.trial,
            r.criterion,
            r.reviewer,
            r.verdict,
            r.note,
            r.labelled_at,
            kind=r.kind.value,
            stratum=r.stratum or "",
            weight=r.probability,
            seconds=r.seconds,
            question_hash=r.question_hash,
        )
        for r in found
    ]


def verdict_rows(rows: Iterable[VerdictRow]) -> list[NewVerdict]:
    """Return recorded verdicts as the store takes them."""
    return [NewVerdict(r.sample_id, r.judge, r.criterion, r.result, r.trial) for r in rows]
