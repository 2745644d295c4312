"""What every page stands in: page settings, navigation, the project picker.

A deep link that is the first request to a fresh server runs the page's file without app.py. So
each page begins with `ensure()`, which then builds the shell and lets it run the page.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import BenchError

ROOT = Path(__file__).parents[2]
_READY = "shell.ready"


def pages() -> dict[str, list[st.Page]]:
    """Return the navigation: the main job first, then looking back, then reading up."""

    def page(name: str, title: str, icon: str, *, default: bool = False) -> st.Page:
        file = ROOT / "pages" / f"{name}.py"
        return st.Page(file, title=title, icon=icon, url_path=name, default=default)

    return {
        "Build": [
            page("contract", "Contract", "1️⃣", default=True),
            page("label", "Label", "2️⃣"),
            page("judge", "Judge", "3️⃣"),
            page("agreement", "Agreement", "4️⃣"),
        ],
    }


def main() -> None:
    """Draw the shell and run the page the address names; app.py calls it and nothing else."""
    st.session_state[_READY] = True
    st.set_page_config(
        page_title="Evaluator Bench",
        page_icon=str(ROOT / "pages" / "parts" / "icon.svg"),
        layout="wide",
    )
    here = st.navigation(pages())
    from pages.parts import workspace

    try:
        workspace.sidebar()
        here.run()
    except BenchError as error:
        st.error("This could not be done.")
        st.text(str(error))


def ensure() -> None:
    """Make sure the shell runs; the first line of every page."""
    if not st.session_state.get(_READY):
        main()
        st.stop()
