"""Running a contract's code checks over a project's outputs: free, repeatable, no model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.contract.criterion import Criterion
from core.store.contracts import Version
from core.store.judgements import (
    CODE_CHECKS,
    JudgeKind,
    insert_judgements,
    judge_id,
    known_code_verdicts,
)
from core.store.outputs import load_outputs
from core.store.store import Store, now
from core.text import exact_hash
from core.verdict import CriterionVerdict

RECORDED = "recorded"
"""The check that runs elsewhere: its verdicts arrive in a file, there is nothing to run here."""


def runnable(version: Version) -> list[Criterion]:
    """Return the criteria whose check this program can run itself."""
    return [
        c for c in version.contract.criteria if c.check is not None and c.check["kind"] != RECORDED
    ]


def run_code_checks(
    store: Store,
    project_id: int,
    version: Version,
    progress: Callable[[float], None] = lambda share: None,
) -> int:
    """Run every code check that has no verdict yet for an output; returns the verdicts stored.

    A verdict belongs to an output's text and to the criterion's question, examples and check:
    where none of these changed, nothing is run again. `progress` receives shares in [0, 1].
    """
    criteria = runnable(version)
    checks = {c.key: c.code_check() for c in criteria}
    hashes = {c.key: c.verdict_hash for c in criteria}
    outputs = load_outputs(store, project_id)
    with store.read() as c:
        known = known_code_verdicts(c, project_id)
    made: list[tuple[dict[str, Any], dict[str, CriterionVerdict]]] = []
    for done, output in enumerate(outputs):
        missing = [key for key in hashes if (output.id, hashes[key]) not in known]
        if missing:
            verdicts = {
                key: check.run(output.text, output.reference)
                for key in missing
                if (check := checks[key]) is not None
            }
            values = {
                "project_id": project_id,
                "output_id": output.id,
                "contract_version_id": version.id,
                "repeat": 1,
                "request_hash": exact_hash(
                    output.text, output.reference, *(hashes[key] for key in missing)
                ),
                "unscored": None,
                "raw": None,
                "judged_at": now(),
                "import_batch_id": None,
            }
            made.append((values, verdicts))
        if done % 500 == 0:
            progress(done / len(outputs))
    if made:
        with store.write(project_id) as c:
            judge = judge_id(c, project_id, CODE_CHECKS, JudgeKind.CODE)
            # Another process may have run the same checks meanwhile: keep its verdicts.
            known = known_code_verdicts(c, project_id)
            made = [
                (values | {"judge_id": judge}, verdicts)
                for values, verdicts in made
                if any((values["output_id"], hashes[key]) not in known for key in verdicts)
            ]
            insert_judgements(c, made, dict(version.criteria), hashes)
    progress(1.0)
    return sum(len(verdicts) for _, verdicts in made)
