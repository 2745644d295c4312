"""The code checks a contract may name: one registry, one family of checks per module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from core.verdict import CriterionVerdict


class Check(Protocol):
    """A check built from its parameters, ready to run; it never raises on an output."""

    kind: str

    def run(self, output: str, reference: str | None = None) -> CriterionVerdict:
        """Return the verdict on `output` with evidence that names place and value."""
        ...


def build(spec: Mapping[str, Any]) -> Check:
    """Return the check that `spec` (kind and parameters) describes.

    Raises InputError naming the parameter that cannot be used.
    """
    raise NotImplementedError(spec)
