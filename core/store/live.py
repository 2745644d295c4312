"""Which labels count under a contract version: of which outputs, given for which wording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.errors import InputError
from core.store import tables as t
from core.store.code_rows import read_numbers
from core.store.contracts import Version, equivalent_hashes
from core.text import fingerprint
from core.verdict import OVERALL


@dataclass(frozen=True)
class Asked:
    """A criterion as people are asked about it: its identity, and the question hashes that count.

    `hashes` None is any: an overall label is about the output, whatever the criteria say.
    """

    criterion: int
    hashes: frozenset[str] | None

    def live(
        self, criterion: NDArray[np.int64], wording: NDArray[np.int64], numbers: Mapping[str, int]
    ) -> NDArray[np.bool_]:
        """Return which rows are about this criterion as it is worded now.

        `numbers` tells the number that stands for a hash in `wording`.
        """
        mine = np.equal(criterion, self.criterion)
        if self.hashes is None:
            return mine
        return mine & np.isin(wording, [numbers[h] for h in self.hashes if h in numbers])

    def holds(self, question_hash: str) -> bool:
        """Return whether a label given for this wording still counts."""
        return self.hashes is None or question_hash in self.hashes


def asked(c: sa.Connection, project_id: int, version: Version | None) -> dict[str, Asked]:
    """Return what is asked, by criterion key: the contract's criteria in order, then overall.

    A criterion nobody has stored anything about has the identity 0.
    """
    same = equivalent_hashes(c, project_id)
    found: dict[str, Asked] = {}
    for criterion in version.contract.criteria if version is not None else ():
        question = criterion.question_hash
        hashes = same.get(question, frozenset({question}))
        assert version is not None
        found[criterion.key] = Asked(version.criteria[criterion.key], hashes)
    overall = c.scalar(
        sa.select(t.criterion.c.id).where(
            t.criterion.c.project_id == project_id, t.criterion.c.key == OVERALL
        )
    )
    found[OVERALL] = Asked(int(overall or 0), None)
    return found


def asked_of(c: sa.Connection, project_id: int, version: Version | None, criterion: str) -> Asked:
    """Return how one criterion is asked; raises InputError for one that is not."""
    found = asked(c, project_id, version).get(criterion)
    if found is None:
        raise InputError(
            "criterion", f"{criterion!r} is not in the contract.", "Choose one that is."
        )
    return found


def counted_outputs(
    c: sa.Connection, project_id: int, version: Version | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return the ids of the outputs that count, the sample of each, and how many were left out.

    Those are the current outputs in the order they came, but for those that equal an example of
    the contract: a judge was shown their answer.
    """
    shown: set[str] = set()
    if version is not None:
        for q in version.contract.criteria:
            shown |= {fingerprint(q.pass_example), fingerprint(q.fail_example)}
    query = sa.select(
        t.output.c.id,
        t.output.c.sample_pk,
        sa.case((t.output.c.fingerprint.in_(shown), 1), else_=0),
    ).where(t.output.c.project_id == project_id, t.output.c.current)
    ids, samples, example = read_numbers(c, query)
    order = np.argsort(ids, kind="stable")
    kept = order[example[order] == 0]
    return ids[kept], samples[kept], len(ids) - len(kept)


def positions(
    outputs: NDArray[np.int64], ids: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return where each of `outputs` stands in `ids` (ascending), and which are in it at all."""
    if not len(ids):
        return np.zeros(len(outputs), np.int64), np.zeros(len(outputs), np.bool_)
    at = np.minimum(np.searchsorted(ids, outputs), len(ids) - 1)
    return at, ids[at] == outputs
