"""The small test file that comes with an exported module."""

from __future__ import annotations

from collections.abc import Mapping

from core.contract.contract import Contract
from core.files.code_export.criteria import Inlined


def test_file(
    contract: Contract, module: str, flags: frozenset[str], how: Mapping[str, Inlined]
) -> str:
    """Return the tests of the exported module: a stub client, no network."""
    return ""
