"""Label: people say what passes and what fails, without seeing what anybody else said."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from core.store.outputs import count_outputs
from pages.parts import state
from pages.parts.export_panel import export_screen
from pages.parts.group_panels import group_screen
from pages.parts.import_acts import imports_screen
from pages.parts.import_any import import_screen
from pages.parts.labeller.choices import choose
from pages.parts.labeller.labeller import labeller
from pages.parts.panels import title, empty, small
from pages.parts.queue_panel import need_labelling, queue_screen, say_practice
from pages.parts.reviewer import change, need_reviewer, signed_in
from pages.parts.settle_panels import settle
from pages.parts.workspace import need_project, store, version

VIEWS = {
    "label": "Label",
    "group": "Group notes",
    "settle": "Settle",
    "queue": "Queue",
    "import": "Outputs & import",
}

project = need_project()
current = version(project)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    title("Label")
    view = state.pick(
        "view", "View", list(VIEWS), show=VIEWS.__getitem__, widget=st.radio, horizontal=True,
        label_visibility="collapsed",
    )  # fmt: skip

if view == "import":
    import_screen(project, current, ["outputs"])
    imports_screen(project)
    export_screen(project, current)
    st.stop()

if view == "queue":
    queue_screen(project, current)
    st.stop()

if not count_outputs(store(), project.id):
    empty("There are no outputs to label yet.", "Import outputs", "label", view="import")

doing = {"group": "sorting notes", "settle": "settling"}.get(view or "", "labelling")
reviewer = need_reviewer(store(), project, doing)
if view == "settle":
    settle(project, reviewer)
    st.stop()
if view == "label":
    need_labelling(project, reviewer)

with st.container(horizontal=True, vertical_alignment="center"):
    asked = choose(current) if view == "label" else None
    if current is None:
        small("No contract yet: say why in a note (N), then decide; group the notes into criteria.")
    st.space("stretch")
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        st.text(f"Reviewer: {reviewer.name}", width="content")
        if not signed_in():
            st.button("Change", on_click=change, type="tertiary")
if asked is None:
    group_screen(project, current, reviewer)
else:
    keys = [q.key for q in asked.questions]
    labeller(
        store(), project, store().identity(project.id), reviewer, asked,
        above=lambda: say_practice(project, current, reviewer, keys),
    )  # fmt: skip
