"""The verdicts of a judge run as rows of a verdict file."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.criterion import CheckedBy
from core.files.verdicts import VerdictRow
from core.store.contracts import Version, wording
from core.store.judged import repeats_of
from core.store.judgements import CODE_CHECKS, JudgeKind, judges, newest_verdicts
from core.store.outputs import output_ids
from core.store.runs import Run
from core.store.store import Store
from core.verdict import CriterionVerdict


def verdict_rows_of(
    store: Store, run: Run, version: Version, keys: Sequence[tuple[str, int]]
) -> list[VerdictRow]:
    """Return what code and the run's judge say about outputs, given as (sample id, trial).

    In the order of `keys`, criteria in contract order. With several repeats each has rows of its
    own: the repeat stands in a column, and beside the judge's name from the second on, because a
    verdict file holds one verdict of a judge on a criterion.
    """
    known = {j.id: j for j in judges(store, run.project_id)}
    assert run.judge_id is not None
    name = known[run.judge_id].name
    repeats = int(run.config["repeats"])
    said = repeats_of(store, run.project_id, run.judge_id, version)
    code: dict[int, dict[int, CriterionVerdict]] = {}
    with store.read() as c:
        ids = output_ids(c, run.project_id)
        for judge in known.values():
            if judge.kind is JudgeKind.CODE:
                code = newest_verdicts(c, judge.id, hashes=wording(version))
    rows = []
    for sample_id, trial in keys:
        output = ids[(sample_id, trial)]
        for criterion in version.contract.criteria:
            by_code = code.get(output, {}).get(version.criteria[criterion.key])
            if criterion.checked_by is CheckedBy.CODE and by_code is not None:
                extra = {"repeat": ""} if repeats > 1 else {}
                rows.append(
                    VerdictRow(sample_id, trial, criterion.key, CODE_CHECKS, by_code, extra)
                )
            for repeat, verdict in sorted(said.get(output, {}).get(criterion.key, {}).items()):
                if repeat > repeats:
                    continue
                who = name if repeat == 1 else f"{name} (repeat {repeat})"
                extra = {"repeat": str(repeat)} if repeats > 1 else {}
                rows.append(VerdictRow(sample_id, trial, criterion.key, who, verdict, extra))
    return rows
