"""Few-shot examples for a judge, from labelled outputs of the dev split and from nowhere else.

A judge that was shown an output's verdicts says nothing about how well it judges: such outputs are
left out of its rates (`core.store.results.load_results`), and test samples are refused here.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import InputError
from core.judging.prompt import Shot, judged_criteria
from core.labelling.split import Side, Split
from core.statistics.confusion import MISSING, PASS
from core.store.cases import load_case
from core.store.contracts import Version
from core.store.outputs import StoredOutput, load_outputs
from core.store.results import load_results
from core.store.splits import sides
from core.store.store import Store
from core.verdict import CriterionVerdict, Verdict


def candidates(
    store: Store, project_id: int, version: Version, split: Split | None
) -> list[StoredOutput]:
    """Return the dev outputs with a gold label on every judged criterion; none without a split."""
    if split is None:
        return []
    side = sides(store, project_id, split)
    gold = _gold(store, project_id, version)
    return load_outputs(store, project_id, [i for i in gold if side.get(i) is Side.DEV])


def shots(
    store: Store, project_id: int, version: Version, split: Split | None, outputs: Sequence[int]
) -> tuple[Shot, ...]:
    """Return these outputs (store ids) as few-shot examples, in the order given.

    The verdicts are the gold labels; the evidence is what a reviewer who said the same noted.
    Raises InputError for an output of the test split, or one without gold on a judged criterion.
    """
    if not outputs:
        return ()
    if split is None:
        raise InputError("few-shot examples", "there is no dev split.", "Split the samples first.")
    side = sides(store, project_id, split)
    gold = _gold(store, project_id, version)
    found = []
    for identity in outputs:
        if side.get(identity) is not Side.DEV:
            raise InputError(
                "few-shot examples", f"output {identity} is not in the dev split.",
                "Take one that is: the test split is for measuring.",
            )  # fmt: skip
        if identity not in gold:
            raise InputError(
                "few-shot examples", f"output {identity} has no label on some judged criterion.",
                "Label it, or take another.",
            )  # fmt: skip
        found.append(_shot(store, project_id, identity, gold[identity]))
    return tuple(found)


def _shot(store: Store, project_id: int, identity: int, gold: dict[str, Verdict]) -> Shot:
    case = load_case(store, project_id, identity, [])
    assert case is not None
    verdicts = []
    for key, verdict in gold.items():
        notes = [
            said.note
            for said in case.labels
            if said.criterion == key and said.verdict == verdict.value and said.note.strip()
        ]
        # Where nobody noted anything there is no evidence: made-up words would be copied.
        verdicts.append((key, CriterionVerdict(verdict, notes[0] if notes else "")))
    output = case.output
    return Shot(output.input, output.text, output.reference, tuple(verdicts))


def _gold(store: Store, project_id: int, version: Version) -> dict[int, dict[str, Verdict]]:
    """Return the gold verdicts of every output that has one on each judged criterion."""
    results = load_results(store, project_id, version, None)
    keys = [c.key for c in judged_criteria(version.contract)]
    return {
        int(identity): {
            key: Verdict.PASS if results.gold[key][at] == PASS else Verdict.FAIL for key in keys
        }
        for at, identity in enumerate(results.outputs)
        if keys and all(results.gold[key][at] != MISSING for key in keys)
    }
