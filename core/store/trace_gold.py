"""Labels of drafts flow back into the traces they came from: the gold of a loop run's rounds.

A run records no gold label. Whatever output of the sample has the same text, whether a spot check,
a flagged draft or one that a person was asked about, its label is the label of that round, in
either arm. Gold that a file brought with its traces stays as it came.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sqlalchemy as sa

from core.labelling.gold import overall
from core.statistics.confusion import FAIL, PASS
from core.store import tables as t
from core.store.contracts import Version, latest_version
from core.store.loops import settled_codes
from core.store.store import Store
from core.store.trace_rows import LACKING
from core.verdict import OVERALL, LabelValue

_MOST = 5000
"""Outputs asked about at a time: databases bound the number of values in one query."""
_WORD = {PASS: LabelValue.PASS.value, FAIL: LabelValue.FAIL.value}


def refresh_gold(store: Store, project_id: int) -> int:
    """Bring the gold of a project's run traces up to its labels; returns how many rounds changed.

    What is kept of a trace of which a round changed is worked out again when it is next read. Of two equal texts whose labels differ neither counts.
    """
    with store.read() as c:
        made = (t.trace.c.project_id == project_id) & t.trace.c.run_id.is_not(None)
        if c.scalar(sa.select(t.trace.c.id).where(made).limit(1)) is None:
            return 0
        of_trace = t.round_.c.trace_pk == t.trace.c.id
        known = sa.select(t.round_.c.trace_pk, t.round_.c.number, t.round_.c.gold)
        old = {
            (r.trace_pk, r.number): r.gold
            for r in c.execute(
                known.join(t.trace, of_trace).where(made, t.round_.c.gold.is_not(None))
            )
        }
        labelled = sa.select(t.label.c.output_id).where(t.label.c.project_id == project_id)
        same = (
            sa.select(t.round_.c.trace_pk, t.round_.c.number, t.output.c.id)
            .select_from(t.output)
            .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
            .join(t.trace, made & (t.trace.c.sample_id == t.sample.c.sample_id))
            .join(t.round_, of_trace & (t.round_.c.fingerprint == t.output.c.fingerprint))
            .where(
                t.output.c.project_id == project_id,
                t.sample.c.project_id == project_id,
                t.output.c.current,
                t.output.c.id.in_(labelled),
            )
        )
        places = c.execute(same).all()
    if not places and not old:
        return 0
    gold = overall_gold(store, project_id, sorted({r.id for r in places}))
    said: dict[tuple[int, int], set[str]] = {}
    for r in places:
        if r.id in gold:
            said.setdefault((r.trace_pk, r.number), set()).add(gold[r.id])
    new = {place: words.pop() for place, words in said.items() if len(words) == 1}
    changed = [p for p in {*old, *new} if old.get(p) != new.get(p)]
    if changed:
        rounds = t.round_.update().where(
            t.round_.c.trace_pk == sa.bindparam("pk"), t.round_.c.number == sa.bindparam("n")
        )
        traces = t.trace.update().where(t.trace.c.id == sa.bindparam("pk"))
        with store.write() as c:
            c.execute(rounds, [{"pk": pk, "n": n, "gold": new.get((pk, n))} for pk, n in changed])
            c.execute(traces, [{"pk": pk, **LACKING} for pk in {pk for pk, _ in changed}])
    return len(changed)


def overall_gold(store: Store, project_id: int, outputs: Sequence[int]) -> dict[int, str]:
    """Return "PASS" or "FAIL" by output id for those whose overall gold label is decided.

    An `overall` label if one was given, else the newest contract's rule over the criterion golds.
    """
    version = latest_version(store, project_id)
    found: dict[int, str] = {}
    for start in range(0, len(outputs), _MOST):
        found |= _some(store, project_id, version, outputs[start : start + _MOST])
    return found


def _some(
    store: Store, project_id: int, version: Version | None, ids: Sequence[int]
) -> dict[int, str]:
    contract = None if version is None else version.contract
    keys = [] if contract is None else list(contract.keys)
    with store.read() as c:
        settled = settled_codes(c, project_id, version, ids, [*keys, OVERALL])
    given = settled[OVERALL][0]
    rows = np.stack([settled[key][0] for key in keys]) if keys else given[None]
    codes = overall(contract, rows, given)
    return {
        output: _WORD[code] for output, code in zip(ids, codes.tolist(), strict=True)
        if code in _WORD
    }  # fmt: skip
