"""Importing an evaluation log: the plan of a table's import, and a first contract where none is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.contract.contract import Contract
from core.errors import InputError
from core.files.evallog import (
    Choice,
    EvalLog,
    as_table,
    contract_of,
    kept_choices,
    log_labels,
    log_outputs,
    log_verdicts,
)
from core.files.importing import Plan, carry_out, plan_of
from core.files.inspect_log import read_inspect
from core.files.promptfoo import read_promptfoo
from core.store.contracts import Version, save_version
from core.store.outputs import NewOutput
from core.store.store import Store
from core.verdict import OVERALL

_RATED = {"pass": ["thumbs up"], "fail": ["thumbs down"]}
READERS = {"inspect": read_inspect, "promptfoo": read_promptfoo}


def read_log(
    data: bytes,
    name: str,
    kind: str,
    *,
    encoding: str | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> EvalLog:
    """Return the log in the bytes of a file; raises InputError, one line, as its reader does."""
    return READERS[kind](data, name, encoding=encoding, progress=progress)


def plan_log(
    store: Store,
    project_id: int,
    version: Version | None,
    log: EvalLog,
    choices: Mapping[str, Choice],
    *,
    judge: str,
    reviewer: str,
) -> Plan:
    """Return what importing `log` would do; raises InputError for choices that contradict."""
    outputs = log_outputs(log)
    verdicts = log_verdicts(log, choices, judge) if log.scorers else None
    labels = log_labels(log, reviewer) if log.ratings else None
    if labels is not None and not reviewer.strip():
        raise InputError(log.name, "the person who rated has no name.", "Type one.")
    given = frozenset(("input", "reference") if log.kind == "inspect" else ("input",))
    rows = [
        NewOutput(r.sample_id, r.output, r.trial, r.input, r.reference, r.extra, given)
        for r in outputs.rows
    ]
    return plan_of(
        store, project_id, version, as_table(log), outputs=outputs, rows=rows, labels=labels,
        verdicts=verdicts,
        choices={"labels": _RATED, "verdicts": kept_choices(choices)},
        new_keys=() if version else new_keys(choices),
    )  # fmt: skip


def new_keys(choices: Mapping[str, Choice]) -> list[str]:
    """Return the criteria a first contract would have."""
    found = [c.criterion for c in choices.values() if c.criterion not in (None, OVERALL)]
    return [str(key) for key in found]


def first_contract(log: EvalLog, choices: Mapping[str, Choice]) -> Contract | None:
    """Return the contract that is made with the import where the project has none."""
    return contract_of(log, choices) if new_keys(choices) else None


def store_log(
    store: Store,
    project_id: int,
    version: Version | None,
    log: EvalLog,
    choices: Mapping[str, Choice],
    plan: Plan,
    *,
    author: str = "",
    replace_changed: bool = False,
) -> dict[str, dict[str, int]]:
    """Store what the plan holds, with a first contract if there is none, as one act."""
    with store.write(project_id):
        if version is None and (contract := first_contract(log, choices)) is not None:
            version = save_version(store, project_id, contract, author=author, incomplete=True)
        return carry_out(store, project_id, version, plan, replace_changed=replace_changed)
