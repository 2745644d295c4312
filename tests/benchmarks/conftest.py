"""Ratios of times mean something only on a machine that does nothing else.

So the parallel run leaves this folder alone, and `pytest tests/benchmarks -n 0` runs it.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the folder out while several workers share the machine."""
    parallel = hasattr(config, "workerinput") or bool(config.getoption("numprocesses", None))
    return True if parallel else None
