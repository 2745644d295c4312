"""Traces: what recorded loops and retries came to, and each of them replayed round by round."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from pages.parts import state
from pages.parts import trace_panels as panels
from pages.parts.import_acts import imports_screen
from pages.parts.import_any import import_screen
from pages.parts.panels import page_title
from pages.parts.shell import page_at
from pages.parts.sight import hidden_trace_ids, say_hidden, sight
from pages.parts.trace_compare import compare_view
from pages.parts.trace_import import say_stored
from pages.parts.trace_list import chosen_trace
from pages.parts.trace_overview import overview
from pages.parts.trace_rejudge import rejudge_view
from pages.parts.trace_replay import replay_panel
from pages.parts.trace_shapes import shapes_view
from pages.parts.trace_whatif import whatif_view
from pages.parts.workspace import need_project, version

VIEWS = {
    "overview": "Overview",
    "compare": "Compare runs",
    "replay": "Replay",
    "shapes": "Shapes",
    "whatif": "What if",
    "rejudge": "Another judge",
    "import": "Import",
}

project = need_project()
page_title(
    "Traces",
    "Recorded loops and retries: how they ended, whether feedback beat trying again, and every "
    "draft with what the check said of it.",
)
say_stored()
found = panels.numbers(project)
if not found.summaries:
    with st.container(border=True):
        st.text("There are no traces yet. Run a loop, or import the log of yours.")
        if st.button("Run a loop", key="traces.loop"):
            state.put_view("loop", "run")
            st.switch_page(page_at("loop"))
        import_screen(project, version(project), ["traces"])
    st.stop()

views = list(VIEWS)
if "trace" in st.query_params and "view" not in st.query_params:
    state.put("view", "replay")
view = state.pick(
    "view", "View", views, show=lambda key: VIEWS[key], widget=st.segmented_control,
    label_visibility="collapsed", required=True,
)  # fmt: skip
if view == "overview":
    overview(project, found)
elif view == "compare":
    compare_view(project, found)
elif view == "replay":
    hidden = hidden_trace_ids(project, version(project))
    trace_id = chosen_trace(found, hidden)
    seen = sight(project, version(project))
    if seen is not None and (trace_id is None or trace_id in hidden):
        say_hidden(project, seen, len(hidden) if trace_id is None else 1, "trace", "traces")
    elif trace_id is not None:
        replay_panel(project, trace_id)
elif view == "whatif":
    whatif_view(project, found)
elif view == "rejudge":
    rejudge_view(project)
elif view == "shapes":
    shapes_view(project)
else:
    import_screen(project, version(project), ["traces"])
    imports_screen(project)
