"""Home: where the open project stands, from contract to decision, and the next thing to do."""

from pages.parts.shell import ensure

ensure()


from pages.parts import home_panels as panels
from pages.parts.decision_panel import decision_panel
from pages.parts.five_questions import questions, questions_of
from pages.parts.panels import page_title
from pages.parts.workspace import project

open_now = project()
page_title(
    "Evaluator Bench",
    "One model writes, something that is not the writer checks, failures go back. Find out whether "
    "the check can be trusted and whether the loop beats simply trying again.",
)
if open_now is None:
    panels.no_project()
else:
    found = questions_of(open_now)
    questions(open_now, found)
    decision_panel(open_now, found)
panels.projects(open_now)
