"""Small things several pages draw the same way."""

from __future__ import annotations

import html
import re
from typing import NoReturn

import streamlit as st

from core.verdict import CriterionVerdict
from pages.parts import state
from pages.parts.reading import how_to_read
from pages.parts.shell import TITLES, page_at

_HALF = re.compile("[\ud800-\udfff]")
MARKS = {"PASS": "✓ PASS", "FAIL": "✕ FAIL", "UNKNOWN": "? UNKNOWN", "UNSURE": "? UNSURE"}


def page_title(title: str, purpose: str) -> None:
    """Draw a page's title, the one sentence that says what it is for, and how it is read."""
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title(title, anchor=False, width="content")
        how_to_read(_page_of(title))
    st.caption(purpose)


def title(name: str) -> None:
    """Draw a page's title with how it is read right beside it, where other things share the row."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        st.title(name, anchor=False, width="content")
        how_to_read(_page_of(name))


def _page_of(title: str) -> str:
    """Return the page of a title; the first page has the product's name for one."""
    return next((name for name, known in TITLES.items() if known == title), "home")


def empty(message: str, action: str, page: str, *, view: str | None = None) -> NoReturn:
    """Draw an empty state with its one next action, and end the page."""
    with st.container(border=True, horizontal_alignment="center"):
        st.text(message)
        if st.button(action, type="primary"):
            state.put_view(page, view)
            st.switch_page(page_at(page))
    st.stop()


def visible(text: str) -> str:
    """Return text with NUL and lone surrogates made visible; nothing else is changed."""
    return _HALF.sub("\ufffd", text.replace("\x00", "␀"))


def verbatim(text: str, *, height: int = 420) -> None:
    """Show text exactly as it is: no Markdown, no HTML, no images fetched.

    Longer text scrolls inside a box of `height` pixels.
    """
    st.html(
        f'<div style="white-space:pre-wrap;overflow-wrap:anywhere;max-height:{height}px;overflow:auto;'
        "border:1px solid rgba(128,138,150,0.35);border-radius:6px;padding:0.7rem 0.9rem;"
        f'line-height:1.55" tabindex="0">{html.escape(visible(text)) or "&nbsp;"}</div>'
    )


def small(*lines: str) -> None:
    """Show lines in small type, exactly as they are."""
    body = "<br>".join(html.escape(line) for line in lines)
    st.html(f'<div style="font-size:0.85rem;line-height:1.45;opacity:0.8">{body}</div>')


def mark(verdict: CriterionVerdict) -> str:
    """Return a verdict as mark and word, or the reason why there is none."""
    if verdict.verdict is None:
        return f"– no verdict ({verdict.unscored})"
    return MARKS[verdict.verdict]
