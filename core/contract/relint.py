"""Lint of a draft that changes a little at a time: only what changed is looked at again.

Rules about one criterion see nothing but that criterion, so what they found is kept under its
content; rules about the whole contract run every time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from core.checks.parsed import depth_exceeds, tree_size
from core.contract.contract import MAX_DEPTH, MAX_SIZE
from core.contract.finding import Finding
from core.contract.lint import CONTRACT_RULES, CRITERION_RULES, lint_data
from core.contract.plain import read


def relint_data(data: Mapping[str, Any]) -> list[Finding]:
    """Return what `lint_data` returns, without looking again at criteria it has seen.

    `data` is a draft as an editor keeps it: JSON values, a list of criteria. Anything else is
    handed to `lint_data`. The findings are shared between calls: nobody may change what they hold.
    """
    listed = data.get("criteria")
    if (
        not isinstance(listed, list)
        or depth_exceeds(data, MAX_DEPTH)
        or tree_size(data, MAX_SIZE) > MAX_SIZE
    ):
        return lint_data(data)
    try:
        rows = [json.dumps(item) for item in listed]
    except (TypeError, ValueError):
        return lint_data(data)
    found = [one for position, row in enumerate(rows) for one in _of_row(position, row)]
    draft = read(data)
    found.extend(one for rule in CONTRACT_RULES for one in rule(draft))
    return found


@lru_cache(maxsize=5_000)
def _of_row(position: int, row: str) -> tuple[Finding, ...]:
    """Return what the rules about one criterion find in the JSON text of it."""
    only = replace(read({"criteria": [json.loads(row)]}).rows[0], position=position)
    return tuple(one for rule in CRITERION_RULES for one in rule(only))
