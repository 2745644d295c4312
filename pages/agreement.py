"""Agreement: can this judge be trusted, and how sure are we; measured on people's labels."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from core.store.outputs import count_outputs
from pages.parts import agreement_panels as panels
from pages.parts import state
from pages.parts.agreement_plan import pass_rate_view, plan_view
from pages.parts.agreement_record import record_view
from pages.parts.agreement_report import report_view
from pages.parts.agreement_slices import slices_view
from pages.parts.agreement_top import ask_chosen, choose
from pages.parts.agreement_two import two_view
from pages.parts.agreement_why import why_view
from pages.parts.panels import empty, page_title, small
from pages.parts.sight import sight
from pages.parts.workspace import need_project, store, version

VIEWS = {
    "rates": "Rates",
    "why": "Disagreements",
    "slices": "Slices",
    "two": "Two judges",
    "share": "True pass rate",
    "plan": "Labels needed",
    "record": "Record and drift",
    "report": "Report",
}
ONLY_JUDGES = ("why", "two", "share", "record")

project = need_project()
current = version(project)
page_title(
    "Agreement",
    "How often the judge passes bad outputs and fails good ones, measured on your people's labels.",
)
if not count_outputs(store(), project.id):
    empty("There are no outputs yet.", "Import outputs", "label", view="import")
view = choose(project, current)
shown = state.pick(
    "view", "View", list(VIEWS), show=VIEWS.__getitem__, widget=st.segmented_control,
    label_visibility="collapsed", required=True,
)  # fmt: skip
if view.judge is None and shown in ONLY_JUDGES:
    small("This view is about a judge: choose one above. Reviewers are measured under Rates.")
    st.stop()

everything = view.counted.cells.values()
if not view.filtered and not any(c.n + c.unscored for c in everything):
    empty("Nobody has labelled an output this judge has judged.", "Label outputs", "label")

if shown == "rates":
    panels.headline(view)
    panels.rates(view)
    panels.table_2x2(view)
    small(*panels.left_out_words(view))
    panels.words_chosen(project)
    if view.judge is not None:
        ask_chosen(view)
    panels.by_criterion(view)
    panels.as_people(view)
    panels.cases(view, sight(project, current))
elif shown == "why":
    why_view(view)
elif shown == "slices":
    slices_view(view)
elif shown == "two":
    two_view(view)
elif shown == "share":
    pass_rate_view(view)
elif shown == "plan":
    plan_view(view)
elif shown == "record":
    record_view(view)
else:
    report_view(view)
