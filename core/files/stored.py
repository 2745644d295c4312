"""From rows of a file to rows of the store."""

from __future__ import annotations

from collections.abc import Iterable

from core.files.labels import LabelRow
from core.files.outputs import ColumnMap, OutputRow
from core.files.verdicts import VerdictRow
from core.store.judgements import NewVerdict
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
        NewLabel(r.sample_id, r.criterion, r.reviewer, r.verdict, r.trial, r.note, r.labelled_at)
        for r in rows
    ]


def verdict_rows(rows: Iterable[VerdictRow]) -> list[NewVerdict]:
    """Return recorded verdicts as the store takes them."""
    return [NewVerdict(r.sample_id, r.judge, r.criterion, r.result, r.trial) for r in rows]
