"""The small test file that comes with an exported module: a stub client, no network."""

from __future__ import annotations

from collections.abc import Mapping

from core.contract.contract import Contract
from core.contract.criterion import Criterion
from core.files.code_export.criteria import Inlined
from core.files.code_export.literals import (
    Many,
    Text,
    Value,
    listing,
    quoted,
    rendered,
)
from core.files.code_export.pieces import filled, import_block, piece
from core.verdict import Verdict


def tests_of(
    contract: Contract, module: str, flags: frozenset[str], how: Mapping[str, Inlined]
) -> str:
    """Return the tests of the exported module called `module`.

    They hold the contract's own examples with the verdict the checks give here, and, where one of
    the examples passes every check, run the passing case with the real checks.
    """
    by_code = [
        (c, inlined) for c in contract.criteria
        if (inlined := how.get(c.key)) is not None and inlined.value is not None
    ]  # fmt: skip
    examples = _examples(by_code)
    passing = _passing(contract, by_code)
    judge, outside, checks = "judge" in flags, "outside" in flags, "checks" in flags
    more = {
        "patched": checks,
        "setup": checks or "weighted" in flags or "budget" in flags,
        "fail_outside": outside and not judge,
        "real_checks": passing is not None,
        "examples": bool(examples),
        "judge_first": judge and "outside_code" not in flags,
    }
    whole = flags | {name for name, set_ in more.items() if set_}
    # Without a judge and without anybody outside, code is what fails a draft.
    failing = "PASS" if judge or outside else "FAIL"
    text = filled(
        piece("test_stub", whole).text,
        {
            "RUN_DOC": " with a verdict of PASS from outside" if outside else "",
            "FIRST_WORD": failing,
            "KEPT": "3" if "keep_last" in flags else "1",
            "NO_REFERENCE": ", None" if "sees_reference" in flags else "",
        },
    )
    imports = import_block(
        [
            *(["import json", "import anthropic"] if judge else []), "from types import SimpleNamespace",
            "from typing import Any", "import pytest",
        ]
    )  # fmt: skip
    constants: list[str] = []
    if passing is not None:
        constants += rendered(Text(passing), before="PASSING = ")
    if examples:
        rows: list[Value] = [
            Many("(", [("", quoted(k)), ("", Text(t)), ("", quoted(w))], ")", True)
            for k, t, w in examples
        ]
        constants += rendered(listing(rows, exploded=True), before="EXAMPLES = ")
    head = f'"""Tests of {module} with a stub in place of the model: no network, no key."""'
    shown = "\n".join(constants)
    return "\n\n".join(
        [head, imports, f"import {module} as loop", *([shown] if shown else []), f"\n{text}\n"]
    )


def _examples(by_code: list[tuple[Criterion, Inlined]]) -> list[tuple[str, str, str]]:
    """Return (key, text, verdict) of the examples of checks that need no reference."""
    found = []
    for criterion, how in by_code:
        check = criterion.code_check()
        if check is None or how.sees_reference:
            continue
        for text in (criterion.pass_example, criterion.fail_example):
            verdict = check.run(text).verdict if text else None
            if verdict is not None:
                found.append((criterion.key, text, verdict.value))
    return found


def _passing(contract: Contract, by_code: list[tuple[Criterion, Inlined]]) -> str | None:
    """Return an example that passes every check by code, if there is one."""
    if not by_code or any(how.sees_reference for _, how in by_code):
        return None
    checks = [check for c, _ in by_code if (check := c.code_check()) is not None]
    for criterion in contract.criteria:
        text = criterion.pass_example
        if text.strip() and all(c.run(text).verdict is Verdict.PASS for c in checks):
            return text
    return None
