"""The pause of the garbage collector, which several sessions may ask for at once."""

from __future__ import annotations

import gc

import pytest

from pages.parts.collector import paused


def test_the_collector_goes_on_when_the_last_has_left_and_after_an_error() -> None:
    first, second = paused(), paused()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()
    with pytest.raises(ValueError, match="unreadable"), paused():
        raise ValueError("unreadable")
    assert gc.isenabled()
