"""Write the files of the sample *Code with tests*: python -m sample_data.code_with_tests.make.

Synthetic: written and generated for this product; no real customers, reviewers or models. The
drafts are in `bank.yaml`; what their tests said is in `results.json`, which `record.py` wrote by
running them. Nothing is run here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.contract.contract import Contract
from core.files.contracts import read_contract
from core.verdict import CriterionVerdict, failed, passed
from sample_data.writing import Draft, csv_text, jsonl_text, load_yaml, trace, write

HERE = Path(__file__).parent
SUITES = ("usual", "edges")


def drafts(contract: Contract, task: dict[str, Any], results: dict[str, Any]) -> dict[str, Draft]:
    """Return the drafts of one task by name, judged: parsing by the check, tests as recorded."""
    parses = contract.criterion("parses").code_check()
    assert parses is not None
    return {
        name: Draft(
            code,
            {"parses": parses.run(code), **{s: _suite(results[name][s]) for s in SUITES}},
            not any(message for suite in results[name].values() for message in suite.values()),
        )
        for name, code in task["drafts"].items()
    }


def _suite(said: dict[str, str]) -> CriterionVerdict:
    """Return the verdict of one test suite from what each of its tests said."""
    broken = {test: message for test, message in said.items() if message}
    total = f"{len(said)} test" + "s" * (len(said) > 1)
    if not broken:
        return passed(f"pytest: {total}, all pass.")
    lines = "; ".join(f"{test} → {message}" for test, message in broken.items())
    return failed(
        f"pytest: {total}, {len(broken)} failing: {lines}",
        f"Make this hold: {'; '.join(broken)}.",
    )


def files() -> dict[str, str]:
    """Return the text of every generated file by name."""
    contract = read_contract(HERE / "contract.yaml")
    results = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    outputs: list[tuple[str, ...]] = []
    verdicts: list[tuple[str, ...]] = []
    traces: list[dict[str, Any]] = []
    for number, task in enumerate(load_yaml(HERE / "bank.yaml"), 1):
        sample_id, name = f"task-{number:02}", task["function"]
        made = drafts(contract, task, results[name])
        arms = {arm: [made[draft] for draft in task.get(arm, "a")] for arm in ("loop", "retry")}
        first = arms["loop"][0]
        outputs.append((sample_id, "1", task["task"], first.text, name))
        verdicts.extend(
            (sample_id, "1", key, "pytest", str(said.verdict), said.evidence, said.change)
            for key, said in first.verdicts.items()
            if key in SUITES
        )
        traces.extend(trace(contract, arm, sample_id, task["task"], arms[arm]) for arm in arms)
    header = ("sample_id", "trial", "criterion", "judge", "verdict", "evidence", "change")
    return {
        "outputs.csv": csv_text(("sample_id", "trial", "input", "output", "function"), outputs),
        "verdicts.csv": csv_text(header, verdicts),
        "traces.jsonl": jsonl_text(traces),
    }


def main() -> None:
    """Rewrite the generated files in this folder."""
    write(HERE, files())


if __name__ == "__main__":
    main()
