"""How to read a page, and the glossary: both drawn from the one file of words."""

from __future__ import annotations

import html
from collections.abc import Iterable

import streamlit as st

from core.glossary import Term, reading, sorted_terms
from pages.parts import state


def how_to_read(page: str) -> None:
    """Draw the popover that says how this view of a page is read, with the words it uses."""
    view = st.query_params.get("view") or state.kept("view")
    found = reading(page, view)
    if found is None:
        return
    with st.popover("How to read this"), st.container(width=460):
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in found.lines)
        st.html(
            f'<ul style="margin:0 0 0.6rem;padding-left:1.1rem;line-height:1.5">{lines}</ul>'
            + _words(found.terms)
        )


def glossary() -> None:
    """Draw the whole glossary in the sidebar, with a box to look a word up."""
    with st.sidebar, st.popover("Glossary", width="stretch"), st.container(width=460):
        asked = st.text_input(
            "Look up a word", key="glossary.word", placeholder="false accept, cap, gold …"
        )
        word = asked.strip().casefold()
        found = [one for one in sorted_terms() if word in _text(one)]
        found.sort(key=lambda one: word not in one.title.casefold())
        with st.container(height=420, border=False):
            if found:
                st.html(_words(found))
            else:
                st.text("No word like that.")


def _text(term: Term) -> str:
    return f"{term.title} {term.says}".casefold()


def _words(terms: Iterable[Term]) -> str:
    """Return words with what they mean, as HTML; every text in it is this product's own."""
    body = "".join(
        f'<dt style="font-weight:600;margin:0.45rem 0 0;padding:0">{html.escape(one.title)}</dt>'
        f'<dd style="margin:0;padding:0;opacity:0.85">{html.escape(one.says)}</dd>'
        for one in terms
    )
    return f'<dl style="margin:0;padding:0;font-size:0.88rem;line-height:1.45">{body}</dl>'
