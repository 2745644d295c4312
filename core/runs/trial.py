"""Code checks tried on a project's outputs while they are edited: each check runs once.

Nothing is stored. Of every check only one byte an output is kept; evidence is worked out again
for the few outputs that are on screen.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.checks.registry import build
from core.verdict import CriterionVerdict, Verdict

NO_VERDICT, FAIL, PASS = -1, 0, 1
_CODES = {Verdict.PASS: PASS, Verdict.FAIL: FAIL}
KEPT = 2_000
"""Checks whose result is kept, the newest first to stay."""
STRIDE = 500
"""Outputs between two reports of progress."""


class Text(Protocol):
    """What a check looks at."""

    @property
    def text(self) -> str:
        """The output."""
        ...

    @property
    def reference(self) -> str | None:
        """The reference answer, None if there is none."""
        ...


@dataclass(frozen=True)
class Counts:
    """How many outputs one check passes, fails, and could not decide."""

    passed: int
    failed: int
    undecided: int


class Trial:
    """Checks over one fixed set of outputs; safe to use from several threads."""

    def __init__(self, outputs: Sequence[Text]) -> None:
        self.outputs = outputs
        self._known: OrderedDict[str, NDArray[np.int8]] = OrderedDict()
        self._lock = Lock()

    def run(
        self, spec: Mapping[str, Any], report: Callable[[int], object] = lambda done: None
    ) -> NDArray[np.int8]:
        """Return PASS (1), FAIL (0) or no verdict (-1) for each output, in their order.

        A spec that ran before is not run again. `report` is told now and then how many outputs
        are done; what it raises ends the run, and nothing of it is kept. Raises InputError for a
        spec that cannot be built.
        """
        key = _key(spec)
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        check = build(spec)
        codes = np.empty(len(self.outputs), np.int8)
        for i, output in enumerate(self.outputs):
            verdict = check.run(output.text, output.reference).verdict
            codes[i] = NO_VERDICT if verdict is None else _CODES.get(verdict, NO_VERDICT)
            if i % STRIDE == STRIDE - 1:
                report(i + 1)
        codes.flags.writeable = False
        with self._lock:
            self._known[key] = codes
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return codes

    def knows(self, spec: Mapping[str, Any]) -> bool:
        """Return whether this check ran already."""
        with self._lock:
            return _key(spec) in self._known

    def verdicts(self, spec: Mapping[str, Any], rows: Sequence[int]) -> list[CriterionVerdict]:
        """Return the verdicts with their evidence on the outputs at the positions `rows`."""
        check = build(spec)
        return [check.run(self.outputs[i].text, self.outputs[i].reference) for i in rows]


def count_codes(codes: NDArray[np.int8]) -> Counts:
    """Return how often each result stands in what `Trial.run` returned."""
    passes, fails = int(np.sum(codes == PASS)), int(np.sum(codes == FAIL))
    return Counts(passes, fails, len(codes) - passes - fails)


def _key(spec: Mapping[str, Any]) -> str:
    return json.dumps(spec, sort_keys=True)
