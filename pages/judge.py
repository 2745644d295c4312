"""Judge: let a model judge outputs, read what it said, tune it on dev; code checks and files."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from core.runs.code_checks import run_code_checks, runnable
from core.store.judgements import judges
from core.store.outputs import count_outputs
from core.wording import plural
from pages.parts import judge_panels as panels
from pages.parts import state
from pages.parts.import_acts import imports_screen
from pages.parts.import_any import import_screen
from pages.parts.judge_results import results_view
from pages.parts.judge_run import run_view
from pages.parts.judge_tune import tune_view
from pages.parts.panels import title, empty
from pages.parts.workspace import need_project, store, version

VIEWS = {
    "run": "Run a judge",
    "results": "Results",
    "tune": "Tune on dev",
    "checks": "Code checks & files",
}

project = need_project()
current = version(project)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    title("Judge")
    view = state.pick(
        "view", "View", list(VIEWS), show=VIEWS.__getitem__, widget=st.segmented_control,
        label_visibility="collapsed", required=True,
    )  # fmt: skip
st.caption(
    "A model says PASS, FAIL or UNKNOWN for each criterion, with evidence. Code checks run first."
)

outputs = count_outputs(store(), project.id)
if not outputs:
    empty("There are no outputs to judge yet.", "Import outputs", "label", view="import")

if view == "run":
    run_view(project, current)
    st.stop()
if view == "results":
    results_view(project, current)
    st.stop()
if view == "tune":
    tune_view(project, current)
    st.stop()

panels.judged(judges(store(), project.id), outputs)

st.subheader("Code checks", anchor=False)
checks = runnable(current) if current else []
if not current or not checks:
    st.caption("The contract has no criterion checked by code.")
else:
    st.caption(
        f"{plural(len(checks), 'criterion', 'criteria')} checked by code: "
        "only outputs and criteria that changed since are run again."
    )
    if st.button(f"Run on {plural(outputs, 'output')}", type="primary", key="judge.run"):
        bar = st.progress(0.0, text="Running the code checks …")
        stored = run_code_checks(store(), project.id, current, bar.progress)
        bar.empty()
        st.session_state["judge.ran"] = stored
        st.rerun()
    ran = st.session_state.pop("judge.ran", None)
    if ran is not None:
        st.success(f"{plural(ran, 'new verdict')}." if ran else "Everything was up to date.")
    panels.code_table(project, current)

st.subheader("Recorded verdicts", anchor=False)
with st.expander("Import verdicts from a file"):
    import_screen(project, current, ["verdicts"])
panels.imports(project)
imports_screen(project)
