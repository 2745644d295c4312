"""How long lint takes on a long contract; the time is reported, the ratio asserted elsewhere."""

from __future__ import annotations

from typing import Any

from core.contract.lint import lint_data
from tests.test_near import questions


def test_five_hundred_criteria(benchmark: Any) -> None:
    rows = [
        {"key": f"k{n}", "question": text, "pass_example": "It does.", "fail_example": "No."}
        for n, text in enumerate(questions(500))
    ]
    found = benchmark(lint_data, {"criteria": rows})
    assert sum(finding.rule == "duplicate" for finding in found) == 25
