"""Errors in callbacks: one line at the top of the page, and the page stays as it is.

Streamlit runs callbacks before the page, outside everything the shell can catch, and replaces the
whole page by its own error when one fails.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from core.errors import BenchError

P = ParamSpec("P")
_SAID = "guard.said"


def guarded(call: Callable[P, object]) -> Callable[P, None]:
    """Return a callback that never raises: what went wrong is said when the page is drawn."""

    @wraps(call)
    def inside(*args: P.args, **more: P.kwargs) -> None:
        try:
            call(*args, **more)
        except BenchError as error:
            st.session_state[_SAID] = str(error)
        except Exception as error:
            # Details go to the server's log: a traceback on screen helps nobody and may hold data.
            logging.getLogger(__name__).exception("callback %s", call.__name__)
            name = type(error).__name__
            st.session_state[_SAID] = f"{name}: details are in the server's log."

    return inside


def say_what_failed() -> None:
    """Show once what a callback could not do."""
    said = st.session_state.pop(_SAID, None)
    if said:
        st.error("This could not be done; nothing was changed.")
        st.text(said)
