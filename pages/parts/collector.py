"""The garbage collector, paused while very many small objects are read.

Every few hundred new objects it walks those already there. Reading ten thousand traces makes
a million and no garbage: the walks then take longer than the reading.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside = 0


@contextmanager
def paused() -> Iterator[None]:
    """Pause the collector; it goes on when the last of all sessions has left."""
    global _inside
    with _lock:
        _inside += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                gc.enable()
