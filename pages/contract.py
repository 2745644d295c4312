"""Contract: write criteria with examples and checks, set the stop rule, save versions."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from pages.parts.agreement_todo import todo_panel
from pages.parts.as_you_type import as_you_type
from pages.parts.contract_desk import open_desk, read_draft
from pages.parts.contract_editor import criteria
from pages.parts.contract_live import live
from pages.parts.contract_save import save_bar
from pages.parts.contract_start import notes_of_start, start_from
from pages.parts.contract_versions import versions
from pages.parts.contract_whole import whole_form
from pages.parts.decision_panel import decision_panel
from pages.parts.five_questions import questions, questions_of
from pages.parts.panels import page_title
from pages.parts.workspace import need_project, version

project = need_project()
current = version(project)
page_title(
    "Contract",
    "What the evaluator passes, what it fails, and what it never looks at: one yes-or-no question "
    "per criterion, each with an example that passes and one that fails.",
)

desk = open_desk(project, current)
reading = read_draft(desk)
# One container whatever it holds, so that the tabs below stay where they are.
with st.container():
    save_bar(desk, reading, start_from)
    notes_of_start(desk)
    todo_panel(project, current)
one, two, three, four, five = st.tabs(
    ["Criteria", "Evaluator, stop rule and limits", "Try on outputs", "Versions", "Five questions"],
    key="contract.tab",
    on_change="rerun",
)
# What nobody looks at is not drawn: with 500 criteria that is most of the work.
if one.open:
    with one:
        criteria(desk, reading.findings)
if two.open:
    with two:
        whole_form(desk, reading.findings)
if three.open:
    with three:
        live(desk)
if four.open:
    with four:
        versions(desk)
if five.open:
    with five:
        found = questions_of(project)
        questions(project, found)
        decision_panel(project, found)
as_you_type()
