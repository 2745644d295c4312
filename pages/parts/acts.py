"""Decisions by key: one act per painting of the screen, and none before anybody can have read it.

Streamlit's shortcuts fire for a held key too, and a press may reach the server after the item has
changed. So the keys of buttons name the item and the act, an act is taken once, and a key that
comes sooner than `QUIET` after a painting does nothing but say so.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

import streamlit as st

QUIET = 0.5
"""Seconds without a key before an item takes one: nobody has read it sooner, a held key repeats."""

Acts = dict[str, Any]


def acts_of(name: str) -> Acts:
    """Return what this tab did under a name: its client id, how many acts, what can be undone.

    The item in view is kept here, not in the address: the browser's address lags behind fast keys,
    and a key must never meet an item that was left already.
    """
    found: Acts = st.session_state.setdefault(
        name,
        {
            "client": f"acts-{uuid.uuid4().hex}",
            "seq": 0,
            "done": [],
            "at": None,
            "painting": "",
            "since": 0.0,
            "early": False,
        },
    )
    return found


def paint(acts: Acts, name: str) -> None:
    """Note that the item and act called `name` are on the screen from now on."""
    if acts["painting"] != name:
        acts["painting"], acts["since"], acts["early"] = name, time.monotonic(), False


def may(acts: Acts, seq: int) -> bool:
    """Return whether a key means what it meets: one act per painting, and not at once."""
    if seq != acts["seq"] + 1:
        return False
    acts["early"] = time.monotonic() - acts["since"] < QUIET
    if acts["early"]:
        acts["since"] = time.monotonic()  # a held key comes again and again: wait until it stops
    return not acts["early"]
