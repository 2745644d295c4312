"""Reference numbers with their published or hand-derived source, one entry a line.

`reference_numbers.json` holds id, inputs, expected and source. Compare within 1e-6.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("reference_numbers.json")


@dataclass(frozen=True)
class Reference:
    id: str
    inputs: Any
    expected: Any
    source: str


def _load() -> dict[str, Reference]:
    entries = [Reference(**entry) for entry in json.loads(_FILE.read_text(encoding="utf-8"))]
    loaded = {entry.id: entry for entry in entries}
    if len(loaded) != len(entries):
        raise ValueError(f"{_FILE.name} holds an id twice")
    return loaded


REFERENCES = _load()


def reference(identity: str) -> Reference:
    return REFERENCES[identity]


def references(prefix: str) -> list[Reference]:
    """Return the entries whose id starts with `prefix`; none is an error, not an empty test."""
    found = [entry for identity, entry in REFERENCES.items() if identity.startswith(prefix)]
    if not found:
        raise KeyError(f"no reference number starts with {prefix!r}")
    return found
