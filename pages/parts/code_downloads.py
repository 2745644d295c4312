"""A contract version as code to take home: a plain SDK loop or a graph, each with its tests."""

from __future__ import annotations

import streamlit as st

from core.files.code_export.export import TARGETS, CodeExport, export_code
from core.store.contracts import Version

_NAMES = {"sdk": "anthropic SDK", "langgraph": "LangGraph"}


@st.cache_resource(max_entries=50, show_spinner=False)
def _code(version_id: int, to: str, _version: Version) -> CodeExport:
    return export_code(_version.contract, to)


def code_downloads(chosen: Version) -> None:
    """Draw the downloads of one version as code, and what the files need or cannot decide."""
    with st.expander("As code"):
        st.caption(
            "The loop of this contract as one Python file that makes the calls this program makes, "
            "with its criteria, gate and stop rule, and a small test file that needs no network."
        )
        for to in TARGETS:
            made = _code(chosen.id, to, chosen)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.download_button(
                    f"Loop, {_NAMES[to]}",
                    made.text.encode(),
                    made.name,
                    "text/x-python",
                    on_click="ignore",
                    key=f"contract.code.{to}",
                )
                st.download_button(
                    f"Tests, {_NAMES[to]}",
                    made.test_text.encode(),
                    made.test_name,
                    "text/x-python",
                    on_click="ignore",
                    key=f"contract.code.{to}.tests",
                )
            for note in made.notes:
                st.text(note)
