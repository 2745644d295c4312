"""What one evaluator said about one output in one go, and what follows from it by the contract.

Nothing here reads a model's own "passed", "score" or "overall": acceptance and score are computed
from the verdicts, so an evaluator that lists no criteria accepts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from core.contract.contract import Contract
from core.contract.contract import accepted as accepted_by
from core.contract.contract import score as score_by
from core.contract.criterion import CheckedBy
from core.verdict import CriterionVerdict, Unscored


@dataclass(frozen=True)
class Judgement:
    """A verdict per criterion key, or a reason (`unscored`) why there is no judgement.

    With `unscored` set, the verdicts that could be read are kept for showing and are in no count;
    `detail` says what went wrong and where. `raw` is the reply byte for byte, if a model gave one.
    """

    verdicts: Mapping[str, CriterionVerdict] = field(default_factory=dict)
    unscored: Unscored | None = None
    detail: str = ""
    evaluator: str = ""
    raw: str | None = None


def missing(contract: Contract, verdicts: Mapping[str, CriterionVerdict]) -> tuple[str, ...]:
    """Return the criterion keys an evaluator owes and has not given, in contract order.

    Criteria that a person decides are owed by nobody who runs by itself.
    """
    return tuple(
        c.key
        for c in contract.criteria
        if c.checked_by is not CheckedBy.PERSON and c.key not in verdicts
    )


def settled(
    contract: Contract,
    verdicts: Mapping[str, CriterionVerdict],
    evaluator: str = "",
    raw: str | None = None,
) -> Judgement:
    """Return the judgement that these verdicts make under `contract`.

    A criterion missing makes it unscored (`unreadable`, naming the keys). A criterion without a
    verdict, skipped ones apart, makes it unscored for the same reason. Verdicts on criteria the
    contract does not have are left out.
    """
    known = {key: verdicts[key] for key in contract.keys if key in verdicts}
    gone = missing(contract, known)
    if gone:
        reason: Unscored | None = Unscored.UNREADABLE
        detail = "no verdict on " + ", ".join(repr(key) for key in gone)
    else:
        reason, detail = first_unscored(known)
    return Judgement(known, reason, detail, evaluator, raw)


def first_unscored(verdicts: Mapping[str, CriterionVerdict]) -> tuple[Unscored | None, str]:
    """Return the first reason other than `skipped` among the verdicts, and a line about it."""
    for key, verdict in verdicts.items():
        if verdict.unscored is not None and verdict.unscored is not Unscored.SKIPPED:
            about = f": {verdict.evidence}" if verdict.evidence else ""
            return verdict.unscored, f"{key!r} {verdict.unscored.value}{about}"
    return None, ""


def acceptance(contract: Contract, judgement: Judgement) -> bool | None:
    """Return True (accepted), False (not), or None: unscored, incomplete or open to a person."""
    if judgement.unscored is not None or missing(contract, judgement.verdicts):
        return None
    return accepted_by(contract, judgement.verdicts)


def judgement_score(contract: Contract, judgement: Judgement) -> Fraction | None:
    """Return the number (rule all) or weight (threshold) of PASS verdicts; None when unscored."""
    if judgement.unscored is not None or missing(contract, judgement.verdicts):
        return None
    return score_by(contract, judgement.verdicts)
