"""Small things several pages draw the same way."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from core.verdict import CriterionVerdict
from pages.parts import state
from pages.parts.shell import page_at

MARKS = {"PASS": "✓ PASS", "FAIL": "✕ FAIL", "UNKNOWN": "? UNKNOWN", "UNSURE": "? UNSURE"}


def page_title(title: str, purpose: str) -> None:
    """Draw a page's title and the one sentence that says what it is for."""
    st.title(title, anchor=False)
    st.caption(purpose)


def empty(message: str, action: str, page: str, *, view: str | None = None) -> NoReturn:
    """Draw an empty state with its one next action, and end the page."""
    with st.container(border=True, horizontal_alignment="center"):
        st.text(message)
        if st.button(action, type="primary"):
            state.put("view", view)
            st.switch_page(page_at(page))
    st.stop()


def verbatim(text: str, *, height: int | None = None) -> None:
    """Show text exactly as it is: no Markdown, no HTML, no images fetched, NUL made visible."""
    shown = text.replace("\x00", "␀")
    shown = "".join(c if not 0xD800 <= ord(c) <= 0xDFFF else "\ufffd" for c in shown)
    st.code(shown, language=None, wrap_lines=True, height=height or "content")


def mark(verdict: CriterionVerdict) -> str:
    """Return a verdict as mark and word, or the reason why there is none."""
    if verdict.verdict is None:
        return f"– no verdict ({verdict.unscored})"
    return MARKS[verdict.verdict]
