"""How a contract's own examples fare with its evaluator: code is run, a judge's replies are read."""

from __future__ import annotations

from core.contract.contract import Contract
from core.contract.criterion import CheckedBy, Criterion
from core.questions import Examples
from core.runs.examples import tried
from core.runs.setup import JudgeSetup
from core.store.judge_config import judge_configs
from core.store.store import Store


def examples_of(store: Store, project_id: int, contract: Contract) -> Examples:
    """Return how many examples are judged as written, otherwise, or were never tried.

    A judged criterion's are tried by the newest judge that this program asks. What a person
    decides, and what was checked elsewhere, is not tried here and is counted apart; a missing example
    counts as judged otherwise, since nobody can judge it.
    """
    asked = [j for j in judge_configs(store, project_id).values() if j.asked_here]
    said = tried(store, contract.criteria, JudgeSetup.from_data(asked[-1].config)) if asked else {}
    results: list[bool | None] = []
    elsewhere = 0
    for criterion in contract.criteria:
        if _elsewhere(criterion):
            elsewhere += sum(bool(text) for _, text in _examples(criterion))
        elif criterion.checked_by is CheckedBy.CODE:
            results += _by_code(criterion)
        elif criterion.checked_by is CheckedBy.JUDGE:
            by_side = said.get(criterion.key, {})
            for side, text in _examples(criterion):
                one = by_side.get(side.lower())
                results.append((None if one is None else one.as_written) if text else False)
    return Examples(results.count(True), results.count(False), results.count(None), elsewhere)


def _elsewhere(criterion: Criterion) -> bool:
    if criterion.checked_by is CheckedBy.CODE:
        check = criterion.code_check()
        return check is None or check.kind == "recorded"
    return criterion.checked_by is not CheckedBy.JUDGE


def _examples(criterion: Criterion) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("PASS", criterion.pass_example.strip()), ("FAIL", criterion.fail_example.strip())


def _by_code(criterion: Criterion) -> list[bool | None]:
    check = criterion.code_check()
    assert check is not None  # else it is checked elsewhere
    found: list[bool | None] = []
    for wanted, text in _examples(criterion):
        full = criterion.pass_example if wanted == "PASS" else criterion.fail_example
        verdict = check.run(full).verdict if text else None
        # No verdict (an example has no reference answer, say) is not a wrong one.
        found.append((None if verdict is None else verdict.value == wanted) if text else False)
    return found
