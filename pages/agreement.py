"""Agreement: false accepts and false rejects of a judge against people's labels."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from core.store.judgements import JudgeKind, judges
from core.store.outputs import count_outputs
from core.verdict import OVERALL
from core.wording import criterion_name
from pages.parts import agreement_panels as panels
from pages.parts import state
from pages.parts.numbers import agreement
from pages.parts.panels import empty, page_title
from pages.parts.sight import sight
from pages.parts.workspace import need_project, store, version

project = need_project()
current = version(project)
page_title(
    "Agreement",
    "How often the judge passes bad outputs and fails good ones, measured on your people's labels.",
)

known = {str(j.id): j for j in judges(store(), project.id)}
if not count_outputs(store(), project.id):
    empty("There are no outputs yet.", "Import outputs", "label", view="import")
recorded = [key for key, j in known.items() if j.kind is not JudgeKind.CODE]
choices = recorded or list(known)
if not choices:
    empty("No judge has said anything yet.", "Import verdicts or run the code checks", "judge")

keys = [OVERALL, *(current.contract.keys if current else ())]
left, right, _ = st.columns([2, 2, 3], vertical_alignment="bottom")
with left:
    judge = state.pick("judge", "Judge", choices, show=lambda key: known[key].name)
with right:
    criterion = state.pick("criterion", "Criterion", keys, show=criterion_name)
assert judge is not None and criterion is not None

found = agreement(project, current, int(judge))
confusion = found.confusion[criterion]
limits = current.contract.limits if current else None
if not any(c.n + c.unscored for c in found.confusion.values()):
    empty("Nobody has labelled an output this judge has judged.", "Label outputs", "label")

panels.headline(known[judge].name, confusion, limits)
panels.rates(confusion, limits)
panels.table_2x2(confusion)
panels.left_out(found, criterion)
panels.words_chosen(project)
panels.by_criterion(found, limits)
panels.cases(
    project,
    found,
    criterion,
    [*(j.id for j in known.values() if j.kind is JudgeKind.CODE), int(judge)],
    sight(project, current),
)
