"""What every page stands in: page settings, navigation, the project picker.

A deep link that is the first request to a fresh server runs the page's file without app.py. So
each page begins with `ensure()`, which then builds the shell and lets it run the page.
"""

from __future__ import annotations

import logging
from pathlib import Path

import streamlit as st

from core.errors import BenchError
from pages.parts.guard import say_what_failed

ROOT = Path(__file__).parents[2]
_READY = "shell.ready"


TITLES = {
    "home": "Home",
    "contract": "Contract",
    "label": "Label",
    "judge": "Judge",
    "agreement": "Agreement",
    "arithmetic": "Arithmetic",
    "loop": "Loop",
    "traces": "Traces",
    "evidence": "Evidence",
}


def page_at(name: str) -> st.Page:
    """Return the page of this name, for navigation and links."""
    file = ROOT / "pages" / f"{name}.py"
    return st.Page(file, title=TITLES[name], url_path=name)


def _start() -> None:
    """Lead the bare address to the first page, so that every page has an address of its own."""
    st.switch_page(page_at(next(iter(TITLES))))


def main() -> None:
    """Draw the shell and run the page the address names; app.py calls it and nothing else."""
    st.session_state[_READY] = True
    st.set_page_config(
        page_title="Evaluator Bench",
        page_icon=str(ROOT / "pages" / "parts" / "icon.svg"),
        layout="wide",
    )
    start = st.Page(_start, title="Start", default=True, visibility="hidden")
    here = st.navigation([start, *(page_at(name) for name in TITLES)])
    from pages.parts import reading, running, state, workspace

    st.session_state[state.PAGE] = here.url_path

    try:
        workspace.sidebar()
        reading.glossary()
        running.go_on()
        say_what_failed()
        here.run()
    except BenchError as error:
        st.error("This could not be done.")
        st.text(str(error))
    except Exception as error:
        # Details go to the server's log: a traceback on screen helps nobody and may hold data.
        logging.getLogger(__name__).exception("page %s", here.title)
        st.error("This page could not be drawn. What is stored is safe; reload to try again.")
        st.text(f"{type(error).__name__}, details are in the server's log.")


def ensure() -> None:
    """Make sure the shell runs; the first line of every page."""
    if not st.session_state.get(_READY):
        main()
        st.stop()
