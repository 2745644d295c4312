"""Contract: write criteria with examples and checks, set the stop rule, save versions."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from pages.parts import contract_editor as editor
from pages.parts.panels import page_title
from pages.parts.workspace import need_project, version

project = need_project()
current = version(project)
page_title(
    "Contract",
    "What the evaluator passes, what it fails, and what it never looks at: one yes-or-no question "
    "per criterion, each with an example that passes and one that fails.",
)

desk = editor.open_desk(project, current)
editor.save_bar(desk)
criteria, loop, history = st.tabs(["Criteria", "Evaluator, stop rule and limits", "Versions"])
with criteria:
    editor.criteria(desk)
with loop:
    editor.whole(desk)
with history:
    editor.versions(desk)
