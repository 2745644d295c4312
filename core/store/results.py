"""What the labels and one judge say about a project's outputs, as arrays ready for counting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.contract.acceptance import accept_codes
from core.labelling.gold import overall, settle
from core.labelling.label import LabelKind
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN
from core.store import tables as t
from core.store.contracts import Version, equivalent_hashes
from core.store.judgements import JudgeKind, newest_ids
from core.store.labels import newest_labels
from core.store.store import Store
from core.text import fingerprint
from core.verdict import OVERALL

Codes = NDArray[np.int8]
_CODE = {"PASS": PASS, "FAIL": FAIL, "UNKNOWN": UNKNOWN}


@dataclass(frozen=True)
class Results:
    """Codes for every current output: `gold[key][i]` and `judge[key][i]` speak of `outputs[i]`.

    Keys are the contract's criteria in order, then "overall" (acceptance of the whole output).
    `samples[i]` tells which outputs share a sample. Codes are PASS, FAIL, UNKNOWN (judge only)
    and MISSING. `stale_labels` and `stale_verdicts` count what was given for another wording and
    so is left out; `undecided` counts splits.
    `examples` counts outputs left out because they equal an example of the contract.
    """

    outputs: NDArray[np.int64]
    samples: NDArray[np.int64]
    gold: Mapping[str, Codes]
    judge: Mapping[str, Codes]
    undecided: Mapping[str, int]
    stale_labels: Mapping[str, int]
    stale_verdicts: Mapping[str, int]
    examples: int


def load_results(
    store: Store,
    project_id: int,
    version: Version | None,
    judge: int | None,
    *,
    unanimous: bool = False,
) -> Results:
    """Return gold and judge codes of a project under one contract version.

    Criteria checked by code take the code checks' verdicts, all others the judge's; a criterion
    whose check is `recorded` elsewhere takes the judge's too. With `judge` None only gold and
    code verdicts are filled in. Overall is an `overall` label or verdict if one was given, else
    the contract's rule over the criteria.
    """
    with store.read() as c:
        ids, samples, examples = _outputs(c, project_id, version)
        same = equivalent_hashes(c, project_id)
        keys: dict[str, int] = dict(version.criteria) if version is not None else {}
        keys[OVERALL] = int(
            c.scalar(
                sa.select(t.criterion.c.id).where(
                    t.criterion.c.project_id == project_id, t.criterion.c.key == OVERALL
                )
            )
            or 0
        )
        contract = None if version is None else version.contract
        questions = {} if contract is None else {q.key: q.question_hash for q in contract.criteria}
        votes = _votes(c, project_id)
        gold: dict[str, Codes] = {}
        undecided: dict[str, int] = {}
        stale_labels: dict[str, int] = {}
        for key, criterion in keys.items():
            wanted = same.get(questions.get(key, ""), frozenset({questions.get(key, "")}))
            mine = [v for v in votes if v.criterion_id == criterion]
            # An overall label is about the output, whatever the criteria say.
            live = [v for v in mine if key == OVERALL or v.question_hash in wanted]
            stale_labels[key] = sum(v.n for v in mine) - sum(v.n for v in live)
            passes, fails, by_hand = _tally(ids, live)
            settled = settle(passes, fails, by_hand, unanimous=unanimous)
            gold[key], undecided[key] = settled.codes, int(settled.undecided.sum())
        code = _code_judge(c, project_id)
        said: dict[str, Codes] = {}
        stale_verdicts: dict[str, int] = {}
        for key, criterion in keys.items():
            found = None if contract is None or key == OVERALL else contract.criterion(key)
            by_code = (
                found is not None and found.check is not None and found.check["kind"] != "recorded"
            )
            wanted_hash = "" if found is None else found.verdict_hash
            said[key], stale_verdicts[key] = _verdicts(
                c, ids, code if by_code else judge, criterion, wanted_hash
            )
    if contract is not None:
        rows = np.stack([gold[key] for key in contract.keys])
        gold[OVERALL] = overall(contract, rows, gold[OVERALL])
        verdicts = np.stack([said[key] for key in contract.keys])
        said[OVERALL] = np.where(
            said[OVERALL] != MISSING, said[OVERALL], accept_codes(contract, verdicts)
        ).astype(np.int8)
    return Results(ids, samples, gold, said, undecided, stale_labels, stale_verdicts, examples)


def _outputs(
    c: sa.Connection, project_id: int, version: Version | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    query = (
        sa.select(t.output.c.id, t.output.c.sample_pk, t.output.c.fingerprint)
        .where(t.output.c.project_id == project_id, t.output.c.current)
        .order_by(t.output.c.id)
    )
    shown: set[str] = set()
    if version is not None:
        for q in version.contract.criteria:
            shown |= {fingerprint(q.pass_example), fingerprint(q.fail_example)}
    rows = c.execute(query).all()
    kept = [(r.id, r.sample_pk) for r in rows if r.fingerprint not in shown]
    both = np.array(kept, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1], len(rows) - len(kept)


def _votes(c: sa.Connection, project_id: int) -> list[Any]:
    newest = newest_labels(project_id).subquery()
    columns = (
        t.label.c.output_id,
        t.label.c.criterion_id,
        t.label.c.question_hash,
        t.label.c.verdict,
        (t.label.c.kind == LabelKind.ADJUDICATION).label("by_hand"),
    )
    query = (
        sa.select(*columns, sa.func.count().label("n"))
        .join(newest, newest.c.id == t.label.c.id)
        .where(t.label.c.verdict.in_(["PASS", "FAIL"]))
        .group_by(*columns)
    )
    return list(c.execute(query).all())


def _tally(
    ids: NDArray[np.int64], votes: list[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Codes]:
    passes = np.zeros(len(ids), dtype=np.int64)
    fails = np.zeros(len(ids), dtype=np.int64)
    by_hand = np.full(len(ids), MISSING, dtype=np.int8)
    where = {int(output): i for i, output in enumerate(ids)}
    for vote in votes:
        i = where.get(vote.output_id)
        if i is None:
            continue
        if vote.by_hand:
            by_hand[i] = _CODE[vote.verdict]
        elif vote.verdict == "PASS":
            passes[i] += vote.n
        else:
            fails[i] += vote.n
    return passes, fails, by_hand


def _code_judge(c: sa.Connection, project_id: int) -> int | None:
    found = c.scalar(
        sa.select(t.judge.c.id).where(
            t.judge.c.project_id == project_id, t.judge.c.kind == JudgeKind.CODE
        )
    )
    return None if found is None else int(found)


def _verdicts(
    c: sa.Connection, ids: NDArray[np.int64], judge: int | None, criterion: int, wanted: str
) -> tuple[Codes, int]:
    """Return a judge's newest verdict per output for one criterion, and how many are stale."""
    codes = np.full(len(ids), MISSING, dtype=np.int8)
    if judge is None:
        return codes, 0
    newest = newest_ids(judge).where(t.verdict.c.criterion_id == criterion).subquery()
    query = sa.select(newest.c.output_id, t.verdict.c.verdict, t.verdict.c.verdict_hash).join(
        newest,
        sa.and_(
            t.verdict.c.judgement_id == newest.c.judgement_id,
            t.verdict.c.criterion_id == newest.c.criterion_id,
        ),
    )
    where = {int(output): i for i, output in enumerate(ids)}
    stale = 0
    for r in c.execute(query):
        i = where.get(r.output_id)
        if i is None:
            continue
        if r.verdict_hash != wanted:
            stale += 1
        elif r.verdict is not None:
            codes[i] = _CODE[r.verdict]
    return codes, stale
