"""Native traces: JSON lines, one trace a line, in and out.

The reader never guesses. A line it cannot use is refused with its reason; a trace whose rounds
contradict each other is kept to be shown but refused too; what can be stated and lived with (a
missing round, a score that is no number, a fingerprint that does not fit the text) is a note, and
the trace loads. Calls that were not recorded are counted by the rule of the loop: one for a
draft, one more if a judge gave a verdict. Replies in raw form stay in the store.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.contract.contract import Contract, StopRule
from core.errors import InputError, show
from core.files.trace_rounds import (
    Refuse,
    read_extra,
    read_id,
    read_round,
    read_text,
    read_whole,
    round_to_data,
)
from core.loop.reread import reread
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace

MAX_BYTES = 50_000_000

_TRACE_KEYS = ("trace_id", "arm", "sample_id", "trial", "input", "contract", "stop", "rounds",
               "exit", "returned_round")  # fmt: skip


@dataclass(frozen=True)
class Note:
    """Something about one trace that a person should see; `line` counts from 1."""

    line: int
    trace_id: str | None
    message: str

    def __str__(self) -> str:
        name = f", trace {show(self.trace_id)}" if self.trace_id is not None else ""
        return f"line {self.line}{name}: {self.message}"


@dataclass(frozen=True)
class Refused(Note):
    """A line that was not loaded, and why; `trace` when it could at least be read."""

    trace: Trace | None = None


@dataclass(frozen=True)
class TraceFile:
    """What a file of traces holds: usable traces, refused lines, and notes on what was loaded.

    `sha256` is that of the file's bytes.
    """

    traces: tuple[Trace, ...]
    refused: tuple[Refused, ...] = ()
    notes: tuple[Note, ...] = ()
    sha256: str = ""


def read_traces(path: Path) -> TraceFile:
    """Return the traces of a JSONL file; raises InputError when it holds none at all."""
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror}).") from error
    if size > MAX_BYTES:
        raise _too_large(path.name, size)
    return parse_traces(data, path.name)


def parse_traces(data: bytes, name: str, held: Mapping[str, Contract] | None = None) -> TraceFile:
    """Return the traces in the bytes of a file called `name`.

    `held` are the contracts of a project by content hash: notes on a trace that names one are
    written by that contract, and a hash that is not among them is a note. The traces themselves
    are the same without it. Raises InputError, one line, for a file that is too large, empty, not
    UTF-8 text, or without a single trace that can be used.
    """
    if len(data) > MAX_BYTES:
        raise _too_large(name, len(data))
    if data.startswith(b"%PDF") or b"\0" in data[:4096]:
        raise InputError(name, "is not a text file.", "Traces are JSON lines, one trace a line.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            name, f"is not UTF-8 text (byte {error.start}).", "Save it as UTF-8."
        ) from error
    if not text.strip():
        raise InputError(name, "is empty.", "Traces are JSON lines, one trace a line.")
    loaded: dict[str, tuple[int, Trace]] = {}
    refused: list[Refused] = []
    notes: list[Note] = []
    contracts: dict[str, Contract] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        trace_id: str | None = None
        said: list[str] = []
        try:
            record = _parse_line(line)
            trace_id = read_id(record, "trace_id")
            trace = _trace(record, said, contracts, held)
            if trace_id in loaded:
                first, other = loaded[trace_id]
                if other != trace:
                    raise Refuse(f"line {first} has another trace with this trace_id", trace)
                said.append(f"the same trace as on line {first}; kept once")
            else:
                loaded[trace_id] = (number, trace)
        except Refuse as reason:
            refused.append(Refused(number, trace_id, str(reason), reason.trace))
        notes += [Note(number, trace_id, message) for message in said]
    if not loaded:
        raise InputError(name, f"holds no trace that can be used; {refused[0]}.")
    return TraceFile(
        tuple(t for _, t in loaded.values()),
        tuple(refused),
        tuple(notes),
        hashlib.sha256(data).hexdigest(),
    )


def _too_large(name: str, size: int) -> InputError:
    return InputError(
        name, f"{size / 1e6:.0f} MB is more than the {MAX_BYTES // 1_000_000} MB that are read.",
        "Split it by lines.",
    )  # fmt: skip


# --- one line -------------------------------------------------------------------------------


def _parse_line(line: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise Refuse(f"the key {show(twice)} stands twice in one object")
        return dict(pairs)

    try:
        record = json.loads(line, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise Refuse(f"not JSON: {error.msg} at character {error.colno}") from error
    except (RecursionError, ValueError) as error:
        raise Refuse("not JSON that can be read: nested too deeply, or a huge number") from error
    if not isinstance(record, dict):
        raise Refuse(f"expected an object with 'trace_id' and 'rounds', got {show(record)}")
    return record


def _trace(
    record: Mapping[str, Any],
    said: list[str],
    contracts: dict[str, Contract],
    held: Mapping[str, Contract] | None,
) -> Trace:
    rounds_data = record.get("rounds")
    if not isinstance(rounds_data, list) or not all(isinstance(r, dict) for r in rounds_data):
        raise Refuse(f"rounds: expected a list of objects, got {show(rounds_data)}")
    arm = record.get("arm")
    if arm not in ("loop", "retry"):
        raise Refuse(f"arm: {show(arm)} is neither 'loop' nor 'retry'")
    contract = _contract(record.get("contract"), contracts)
    exit_word = record.get("exit")
    known = isinstance(exit_word, str) and exit_word.strip().upper() in Exit.__members__
    if exit_word is not None and not known:
        said.append(f"exit: {show(exit_word)} is not a known exit; left out")
    returned = record.get("returned_round")
    trace = Trace(
        trace_id=read_id(record, "trace_id"),
        arm=Arm(arm),
        sample_id=read_id(record, "sample_id"),
        trial="1" if record.get("trial") is None else read_id(record, "trial"),
        input=read_text(record, "input"),
        contract=contract,
        stop=_stop(record.get("stop")),
        rounds=_rounds([read_round(r, said, contract) for r in rounds_data], said),
        exit=Exit(exit_word.strip().upper()) if known and isinstance(exit_word, str) else None,
        returned_round=None if returned is None else read_whole(returned, "returned_round"),
        extra=read_extra(record, _TRACE_KEYS, "", said),
    )
    if trace.rule is None:
        said.append("no stop rule is recorded: it can only be replayed with a cap given")
    if trace.gaps:
        said.append(f"never recorded: {_listed(trace.gaps)}")
    if trace.returned_round is not None and trace.round(trace.returned_round) is None:
        said.append(f"returned_round: there is no round {trace.returned_round}")
    if any(r.get(k) is None for r in rounds_data for k in ("generate_calls", "judge_calls")):
        said.append("calls are not recorded for every round; counted by the rule of the loop")
    numbers = [r.number for r in trace.rounds]
    twice = next((a for a, b in pairwise(numbers) if a == b), None)
    if twice is not None:
        reason = f"round {twice} is recorded twice with different contents: keep one"
        raise Refuse(reason, trace)
    read, remarks = reread(trace)
    version = held.get(trace.contract) if held and isinstance(trace.contract, str) else None
    if version is not None:
        remarks = reread(trace, version)[1]
    elif held is not None and (not_held := _no_contract(trace)):
        said.append(not_held)
    said += remarks
    return read


def _no_contract(trace: Trace) -> str | None:
    """Return a line about a trace whose contract is not known, and how it is read then."""
    if isinstance(trace.contract, Contract) or not trace.rounds:
        return None
    by = 'verdicts are read by rule "all"'
    if not any(r.judgement is not None for r in trace.rounds):
        by = "the recorded exit says what was accepted"
    if trace.contract is None:
        return f"contract: none is recorded; {by}"
    return f"contract: no version in this project has the hash {show(trace.contract, 20)}; {by}"


def _listed(numbers: tuple[int, ...]) -> str:
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return "round " + ", ".join(map(str, numbers[:10])) + more


def _rounds(rounds: list[Round], said: list[str]) -> tuple[Round, ...]:
    """Put rounds in order of their numbers; identical duplicates collapse and are reported."""
    numbers = [r.number for r in rounds]
    if numbers != sorted(numbers):
        said.append("rounds were not in order of their numbers; sorted")
    kept: list[Round] = []
    for r in sorted(rounds, key=lambda r: r.number):
        if any(r == other for other in _same_number(kept, r.number)):
            said.append(f"round {r.number} is recorded twice, identically; kept once")
        else:
            kept.append(r)
    if kept and kept[0].number < 0:
        raise Refuse(f"round: {kept[0].number} is not 0 or more")
    return tuple(kept)


def _same_number(kept: list[Round], number: int) -> Iterable[Round]:
    return takewhile(lambda other: other.number == number, reversed(kept))


def _contract(data: Any, known: dict[str, Contract]) -> Contract | str | None:
    if data is None or isinstance(data, str):
        return data
    key = json.dumps(data, sort_keys=True)
    if key not in known:
        try:
            known[key] = Contract.from_data(data, "contract")
        except InputError as error:
            raise Refuse(str(error)) from error
    return known[key]


def _stop(data: Any) -> StopRule | None:
    if data is None:
        return None
    try:
        return StopRule.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in ("stop", *first["loc"]))
        raise Refuse(f"{where}: {first['msg']}, got {show(first['input'])}") from error


# --- out ------------------------------------------------------------------------------------


def write_traces(traces: Iterable[Trace]) -> str:
    """Return traces as JSON lines; reading them gives equal traces."""
    return "".join(_line(trace_to_data(trace)) + "\n" for trace in traces)


def trace_to_data(trace: Trace) -> dict[str, Any]:
    """Return one trace as plain JSON-like data in file order."""
    contract = trace.contract
    return {
        "trace_id": trace.trace_id,
        "arm": trace.arm.value,
        "sample_id": trace.sample_id,
        "trial": trace.trial,
        "input": trace.input,
        "contract": contract.to_data() if isinstance(contract, Contract) else contract,
        "stop": None if trace.stop is None else trace.stop.model_dump(mode="json"),
        "rounds": [round_to_data(r) for r in trace.rounds],
        "exit": None if trace.exit is None else trace.exit.value,
        "returned_round": trace.returned_round,
        **trace.extra,
    }


def _line(data: dict[str, Any]) -> str:
    """Return one line of JSON; escaped throughout where a lone surrogate could not be encoded."""
    line = json.dumps(data, ensure_ascii=False, allow_nan=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, allow_nan=False)
    return line
