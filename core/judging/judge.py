"""One output's judgement from code and judge: free checks first, a judge only where they leave
the outcome open, and one set of verdicts that reads alike whoever gave them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from core.contract.contract import Contract, accepted
from core.contract.criterion import CheckedBy
from core.judging.judgement import Judgement, settled
from core.judging.prompt import judged_criteria
from core.judging.reply import ReadReply
from core.verdict import CriterionVerdict, Unscored, no_verdict

_WHY_SKIPPED = "a code check had already decided"


def skipped_by_code(
    contract: Contract, code: Mapping[str, CriterionVerdict], *, calibration: bool = False
) -> tuple[str, ...]:
    """Return the judged criteria nobody needs to be asked about, in contract order: all or none.

    All, when the code verdicts alone make acceptance impossible (rule all: any failure; threshold:
    the open weight cannot reach the minimum). None, when the contract says to judge anyway
    (`judge_when_code_fails`), or in a calibration run, which judges everything.
    """
    if calibration or contract.judge_when_code_fails:
        return ()
    checked = {
        c.key: code[c.key]
        for c in contract.criteria
        if c.checked_by is CheckedBy.CODE and c.key in code
    }
    if accepted(contract, checked) is not False:
        return ()
    return tuple(c.key for c in judged_criteria(contract))


def merged(
    contract: Contract,
    code: Mapping[str, CriterionVerdict],
    replies: Sequence[ReadReply],
    *,
    skipped: Sequence[str] = (),
    evaluator: str = "",
) -> Judgement:
    """Return the judgement that code verdicts and a judge's replies make together.

    `replies` is one reply, or one for each criterion. A criterion checked by code takes its
    verdict from `code` alone, whatever a reply says about it; criteria in `skipped` stand as
    skipped. Any reply that could not be scored makes the judgement unscored for that reason.
    """
    verdicts: dict[str, CriterionVerdict] = {}
    for criterion in contract.criteria:
        key = criterion.key
        if criterion.checked_by is CheckedBy.CODE:
            given = code.get(key)
        elif criterion.checked_by is CheckedBy.PERSON:
            given = None
        elif key in skipped:
            given = no_verdict(Unscored.SKIPPED, _WHY_SKIPPED)
        else:
            given = next((r.verdicts[key] for r in replies if key in r.verdicts), None)
        if given is not None:
            verdicts[key] = given
    judgement = settled(contract, verdicts, evaluator, _raw(replies))
    broken = [r for r in replies if r.unscored is not None]
    if not broken:
        return judgement
    details = list(dict.fromkeys(r.detail for r in broken))
    return Judgement(
        judgement.verdicts, broken[0].unscored, "; ".join(details), evaluator, judgement.raw
    )


def _raw(replies: Sequence[ReadReply]) -> str | None:
    """Return the one reply byte for byte, or several as a JSON list of their bytes."""
    raws = [r.raw for r in replies if r.raw is not None]
    if len(raws) < 2:
        return raws[0] if raws else None
    return json.dumps(raws, ensure_ascii=False)
