"""Tables about a contract's versions that several panels draw."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.contract.difference import Change


def changes_table(changes: Sequence[Change]) -> None:
    """Draw what differs between two contracts, if anything does."""
    if changes:
        st.dataframe(
            [
                {"Change": c.kind.value, "Where": c.where, "Before": c.before, "After": c.after}
                for c in changes
            ],
            hide_index=True,
            height=280 if len(changes) > 7 else "content",
        )
