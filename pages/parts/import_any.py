"""The one import screen: drop a file; what it is is recognised, named and can be corrected."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import InputError
from core.files.recognise import KINDS, recognise
from core.files.tables import MAX_BYTES
from core.store.contracts import Version
from core.store.store import Project
from pages.parts import state
from pages.parts.import_panel import table_screen
from pages.parts.log_import import log_screen
from pages.parts.span_import import spans_screen
from pages.parts.trace_import import traces_screen

_OUTPUTS = (
    "Outputs need an id and the output's text; input, reference and trial (which draw) are "
    "optional, and every other column is kept. Logs of Inspect and results of promptfoo bring "
    "outputs with scores. Nothing is stored until you have seen a preview and confirmed it."
)
_TRACES = (
    "A line holds trace_id, arm (loop or retry), sample_id, the stop rule and the rounds with "
    "their drafts and verdicts; or load spans of OpenTelemetry or OpenInference and say which are "
    "rounds. Nothing is stored until you have seen a preview and confirmed it."
)


def import_screen(project: Project, version: Version | None, default: Sequence[str]) -> None:
    """Draw the whole screen; `default` is what a table most likely holds on this page."""
    done = st.session_state.pop("import.done", None)
    if done:
        st.success("Stored.")
        for line in done:
            st.text(line)
    traces = "traces" in default
    if done and not traces:
        st.button("Label outputs", key="import.label", type="primary",
                  on_click=state.put_view, args=("label", "label"))  # fmt: skip
    what = "Traces or spans" if traces else "A table, an Inspect log or promptfoo results"
    file = st.file_uploader(
        f"{what}, up to {MAX_BYTES // 1_000_000} MB",
        key=f"import.file.{st.session_state.get('import.round', 0)}",
    )
    if file is None:
        st.caption(_TRACES if traces else _OUTPUTS)
        return
    found = _kind(file.file_id, file.name, file.getvalue())
    if traces and found == "table":
        found = "traces"
    kinds = list(KINDS)
    kind = st.selectbox(
        "This file is",
        kinds,
        index=kinds.index(found),
        format_func=KINDS.__getitem__,
        help="Recognised by what stands in the file; choose another if that is wrong.",
        key=f"import.kind.{file.file_id}",
    )
    try:
        if kind == "table":
            table_screen(project, version, [d for d in default if d != "traces"], file)
        elif kind == "traces":
            traces_screen(project, file)
        elif kind == "spans":
            spans_screen(project, file)
        else:
            log_screen(project, version, file, kind)
    except InputError as error:
        st.error("This file cannot be used as it is. Nothing was stored.")
        st.text(str(error))


@st.cache_data(max_entries=20, show_spinner=False)
def _kind(file_id: str, name: str, _data: bytes) -> str:
    return recognise(_data, name)
