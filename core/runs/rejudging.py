"""Recorded traces judged again: code checks are run here for free, a judge's verdicts are read."""

from __future__ import annotations

from collections.abc import Callable

from core.loop.rejudge import (
    Again,
    Rejudged,
    compared,
    judged_again,
    recorded_verdicts,
    with_judgements,
)
from core.runs.code_checks import runnable
from core.store.contracts import Version
from core.store.draft_outputs import drafts_of, references_of, said_of_drafts
from core.store.paths import ALL, TraceFilter, trace_keys
from core.store.store import Store
from core.store.traces import by_held_contract, held_contracts, load_traces, work_out

CHUNK = 200
"""Whole traces held at a time."""


def rejudge(
    store: Store,
    project_id: int,
    version: Version,
    judge: int | None,
    filter: TraceFilter = ALL,
    progress: Callable[[float], object] = lambda share: None,
) -> Rejudged:
    """Return every chosen trace as `version` and `judge` would have ended it.

    With `judge` None judged criteria keep the verdicts in the record where their wording is the
    same. The stop rule stays the trace's own. `progress` receives shares in [0, 1].
    """
    work_out(store, project_id)  # labels given since are part of the record
    contract = version.contract
    checks = {c.key: check for c in runnable(version) if (check := c.code_check()) is not None}
    held = held_contracts(store, project_id)
    references = references_of(store, project_id)
    outputs = drafts_of(store, project_id, filter).outputs if judge is not None else {}
    said = {} if judge is None else said_of_drafts(store, project_id, judge, version)
    keys = trace_keys(store, project_id, filter)
    rows: list[Again] = []
    for start in range(0, len(keys), CHUNK):
        chunk = keys[start : start + CHUNK]
        found = load_traces(store, project_id, chunk)
        for key in chunk:
            if key not in found:
                continue
            trace = by_held_contract(found[key], held)
            judgements = [
                judged_again(
                    contract, checks, r.draft, references.get(trace.sample_id),
                    recorded_verdicts(contract, trace, r),
                    None if judge is None
                    else said.get(outputs.get((trace.trace_id, r.number), 0), {}),
                )
                for r in trace.rounds
            ]  # fmt: skip
            rows.append(compared(trace, with_judgements(trace, contract, judgements)))
        progress(min(1.0, (start + CHUNK) / len(keys)))
    return Rejudged(tuple(rows))
