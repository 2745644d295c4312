"""What is typed into the contract's text areas reaches the server after a pause.

Streamlit sends a text area when it is left or on Ctrl+Enter. This element, which shows nothing,
presses Ctrl+Enter for the person once they pause: the text stays where it is, and so do caret and
focus. Without it (an old browser, a later Streamlit) texts are sent when the field is left.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

PAUSE = "600ms"
"""The same pause for one-line fields, which Streamlit sends by itself."""


@cache
def _script() -> str:
    return Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def as_you_type() -> None:
    """Make the text areas of this page send what is typed after a pause."""
    element: Any = st.components.v2.component(
        "as_you_type", html="<span hidden></span>", css="", js=_script()
    )
    element(key="contract.as_you_type", height=1)
