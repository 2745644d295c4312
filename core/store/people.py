"""Reviewers as evaluators: each against the gold of the others, in the shape of a judge's results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.labelling.people import against_others
from core.store.contracts import Version
from core.store.results import Results
from core.store.settling import Reader, load_label_table
from core.store.store import Store
from core.verdict import OVERALL


def load_people(store: Store, project_id: int, version: Version | None) -> Mapping[str, Results]:
    """Return, by name, every reviewer who has labelled against the strict majority of the others.

    In a reviewer's `Results` the judge's codes are that person's labels, and gold is what the
    others say without them and without adjudications. Labels of earlier wordings count nowhere.
    """
    table = load_label_table(store, project_id, version, Reader(0, settling=True))
    contract = None if version is None else version.contract
    none = {key: np.zeros(len(table.outputs), np.int64) for key in table.codes}
    nowhere = {key: np.zeros(len(table.outputs), np.bool_) for key in table.codes}
    found: dict[str, Results] = {}
    for at, name in enumerate(table.reviewers):
        measured = against_others(contract, table.codes, at)
        keys = [key for key in table.codes if key != OVERALL] + [OVERALL]
        found[name] = Results(
            table.outputs,
            table.samples,
            {key: measured.gold[key] for key in keys},
            {key: measured.own[key] for key in keys},
            measured.undecided,
            none,
            nowhere,
            0,
        )
    return found
