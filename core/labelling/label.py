"""A label as a reviewer's browser sends it, and the queue entry it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.errors import InputError, show
from core.verdict import LabelValue


class LabelKind(StrEnum):
    """What a row in the label table records; every row carries the whole state after it."""

    LABEL = "label"
    DEFER = "defer"
    UNDO = "undo"
    IMPORT = "import"
    ADJUDICATION = "adjudication"
    REPEAT = "repeat"
    PRACTICE = "practice"


class Mode(StrEnum):
    """Why an output stands in a queue.

    What is said of a repeat or in the practice round is kept as a row of that kind and is nobody's
    vote. A stale entry takes an ordinary label of the new wording.
    """

    LABEL = "label"
    REPEAT = "repeat"
    PRACTICE = "practice"
    STALE = "stale"


_ASIDE = {Mode.REPEAT: LabelKind.REPEAT, Mode.PRACTICE: LabelKind.PRACTICE}


@dataclass(frozen=True)
class LabelEntry:
    """The state of one label after one act of a reviewer.

    (client, seq) identifies the act for ever: sending it twice stores it once. `verdict` None is
    no label. `question_hash` is the question as it stood on the reviewer's screen. `seconds` is
    the time the item was in view before the act, or None.
    """

    client: str
    seq: int
    output_id: int
    criterion: str
    kind: LabelKind
    verdict: LabelValue | None
    deferred: bool
    note: str
    question_hash: str
    seconds: float | None = None


@dataclass(frozen=True)
class RefusedEntry:
    """An act that cannot be kept, and why; its reviewer is told."""

    client: str
    seq: int
    output_id: int | None
    why: str


MAX_NOTE = 20_000


def parse_entries(rows: object) -> tuple[list[LabelEntry], list[RefusedEntry]]:
    """Return what a browser sent as (usable entries in order, refused ones).

    One unusable entry does not hold up the others.
    """
    entries: list[LabelEntry] = []
    refused: list[RefusedEntry] = []
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, Mapping):
            continue
        try:
            entries.append(parse_entry(row))
        except InputError as error:
            client, seq, output = row.get("client"), row.get("seq"), row.get("output")
            refused.append(
                RefusedEntry(
                    client if isinstance(client, str) else "",
                    seq if isinstance(seq, int) else 0,
                    output if isinstance(output, int) else None,
                    str(error),
                )
            )
    return entries, refused


def parse_entry(data: Mapping[str, Any]) -> LabelEntry:
    """Return the entry a browser sent; raises InputError naming the field that is unusable.

    `mode` is that of the queue entry the act was about ("label" when it is not given): in the modes
    "repeat" and "practice" every act, undo too, becomes a row of that kind.
    """

    def bad(field: str) -> InputError:
        return InputError(f"label field {field!r}", f"got {show(data.get(field))}.")

    client, seq, output_id = data.get("client"), data.get("seq"), data.get("output")
    if not isinstance(client, str) or not 8 <= len(client) <= 80:
        raise bad("client")
    if isinstance(seq, float) and seq.is_integer():
        seq = int(seq)
    if not isinstance(seq, int) or isinstance(seq, bool) or not 1 <= seq < 2**31:
        raise bad("seq")
    if isinstance(output_id, float) and output_id.is_integer():
        output_id = int(output_id)
    if not isinstance(output_id, int) or isinstance(output_id, bool) or not 1 <= output_id < 2**31:
        raise bad("output")
    criterion = data.get("criterion")
    if not isinstance(criterion, str) or not criterion:
        raise bad("criterion")
    kind = data.get("kind")
    if kind not in (LabelKind.LABEL, LabelKind.DEFER, LabelKind.UNDO):
        raise bad("kind")
    mode = data.get("mode", Mode.LABEL)
    if mode not in set(Mode):
        raise bad("mode")
    verdict = data.get("verdict")
    if verdict is not None and verdict not in set(LabelValue):
        raise bad("verdict")
    note = data.get("note", "")
    if not isinstance(note, str) or len(note) > MAX_NOTE:
        raise bad("note")
    question_hash = data.get("question_hash", "")
    if not isinstance(question_hash, str) or len(question_hash) > 64:
        raise bad("question_hash")
    seconds = data.get("seconds")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise bad("seconds")
    return LabelEntry(
        client,
        seq,
        output_id,
        criterion,
        _ASIDE.get(Mode(mode), LabelKind(kind)),
        None if verdict is None else LabelValue(verdict),
        bool(data.get("deferred", False)),
        note,
        question_hash,
        None if seconds is None else max(0.0, float(seconds)),
    )
