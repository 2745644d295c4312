"""Runs go on in the app's own process: one thread that executes whatever nobody executes.

Closing the browser stops nothing, and what a process left unfinished goes on at the next start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.errors import BenchError
from core.runs.execution import execute
from core.runs.models import Secrets, model_factory, no_secrets
from core.runs.waiting import wake
from core.store.runs import SILENCE, RunKind, claim_next, whoami
from core.store.store import Store
from core.store.traces import work_out

_EVERY = 1.0
_LOCK = threading.Lock()
_RUNNING: dict[str, Background] = {}


class Background:
    """The thread of one workspace."""

    def __init__(self, open_store: Callable[[], Store], secrets: Secrets, silence: float) -> None:
        self.stop = threading.Event()
        self._open = open_store
        self._secrets = secrets
        self._silence = silence
        self._more = threading.Event()
        self.thread = threading.Thread(target=self._go, name="runs", daemon=True)

    def wake(self) -> None:
        """Look for a run now instead of within a second."""
        self._more.set()

    def _go(self) -> None:
        store = self._open()
        try:
            while not self.stop.is_set():
                try:
                    if not self._one(store):
                        self._more.wait(_EVERY)
                        self._more.clear()
                except Exception:
                    # The run's row says what went wrong; the next run may do better.
                    self.stop.wait(_EVERY)
        finally:
            store.close()

    def _one(self, store: Store) -> bool:
        """Execute one run if there is one."""
        me = whoami()
        try:
            wake(store)
            run = claim_next(store, me, self._silence)
            if run is None:
                return False
            execute(
                store, run.id, model_factory(self._secrets), self.stop, who=me,
                silence=self._silence,
            )  # fmt: skip
            if run.kind is RunKind.LOOP:
                # Now, while nobody waits for it, rather than when its traces are first looked at.
                work_out(store, run.project_id)
        except BenchError:
            return False
        return True


def start(
    open_store: Callable[[], Store],
    workspace: str,
    secrets: Secrets = no_secrets,
    silence: float = SILENCE,
) -> Background:
    """Start the thread of a workspace, or return the one that runs: one for each in a process.

    `workspace` tells workspaces apart (its address). `open_store` is called in the thread.
    """
    with _LOCK:
        there = _RUNNING.get(workspace)
        if there is None or not there.thread.is_alive():
            there = _RUNNING[workspace] = Background(open_store, secrets, silence)
            there.thread.start()
        there.wake()
        return there
