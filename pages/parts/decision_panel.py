"""The decision of a project: recorded on a contract version, what changed since, taken back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.answers import answers_changed, answers_of
from core.questions import State, Step
from core.render_decision import DecisionPage, decision_html, decision_markdown
from core.store.contracts import Version
from core.store.decisions import (
    Choice,
    Decision,
    changed_since,
    decisions,
    record_decision,
    take_back,
)
from core.store.store import Project
from pages.parts import state
from pages.parts.arithmetic_costs import months
from pages.parts.guard import guarded
from pages.parts.panels import small, verbatim
from pages.parts.reviewer import named, signed_in
from pages.parts.workspace import store, version

WORDS = {
    Choice.LOOP: "Use the loop",
    Choice.RETRIES: "Use retries",
    Choice.SINGLE: "Use a single shot",
    Choice.WAIT: "Not yet: work on it",
}


def decision_panel(project: Project, found: Sequence[Step]) -> None:
    """Draw the decision that holds with what changed since, and the way to record one."""
    made = decisions(store(), project.id)
    current = version(project)
    if made:
        with st.container(border=True):
            _holds(project, made[0], found[:-1])
    with st.container(horizontal=True, vertical_alignment="center"):
        _record(project, current, found, again=bool(made))
        if len(made) > 1:
            with st.popover("Earlier decisions"), st.container(width=420):
                for one in made[1:]:
                    small(_line(one), *([one.why] if one.why else []))


def _line(one: Decision) -> str:
    return f"{WORDS[one.choice]}. Decided on version {one.version} by {one.author}, {one.date}."


def _holds(project: Project, one: Decision, now: Sequence[Step]) -> None:
    words, back = st.columns([10, 3], vertical_alignment="center")
    with words:
        st.markdown(f"**Decided: {WORDS[one.choice][0].lower()}{WORDS[one.choice][1:]}**")
        small(f"On version {one.version} by {one.author}, {one.date} (UTC).")
        if one.why:
            small(one.why)
    back.button(
        "Take back", key=f"decision.back.{one.id}", width="stretch", on_click=_take_back,
        args=(project, one), help="It stays in the records, and the one before it holds again.",
    )  # fmt: skip
    changed = [*changed_since(store(), project.id, one), *answers_changed(one.answers, now)]
    if changed:
        st.text("Changed since:\n" + "\n".join(f"• {line}" for line in changed))
    else:
        small("Nothing it stands on has changed since.")
    _send_on(project, one, changed)
    with st.expander("What it stood on", key=f"decision.answers.{one.id}"):
        for title, answer in one.answers.items():
            verbatim("\n".join([f"{title}: {answer['state']}", *answer["numbers"]]))


def _send_on(project: Project, one: Decision, changed: Sequence[str]) -> None:
    """Draw the decision as one page to download: what was decided, on what, and what it costs."""
    page = DecisionPage(
        WORDS[one.choice],
        one.why,
        [
            ("Project", project.title),
            ("Contract version", str(one.version)),
            ("Decided by", one.author),
            ("Date", f"{one.date} (UTC)"),
        ],
        changed,
        one.answers,
        [(f"Costs, as in the scenario “{name}”", lines) for name, lines in months(project)],
    )
    with st.container(horizontal=True):
        st.download_button(
            "Download as one HTML page", decision_html(page), "decision.html", "text/html",
            key="decision.html", on_click="ignore",
            help="The decision with its reason, the five answers, and the month of each saved "
            "scenario. Texts of outputs are not in it.",
        )  # fmt: skip
        st.download_button(
            "Download as Markdown", decision_markdown(page), "decision.md", "text/markdown",
            key="decision.md", on_click="ignore",
        )  # fmt: skip


def _record(
    project: Project, current: Version | None, found: Sequence[Step], *, again: bool
) -> None:
    if current is None:
        small("Save a contract version, and a decision can be recorded on it.")
        return
    title = "Record another decision" if again else "Record a decision"
    with st.popover(title), st.form("decision.form", border=False, clear_on_submit=True, width=420):
        small(
            f"It is kept on version {current.number} with the five answers of today, and says "
            "later what has changed."
        )
        options = list(WORDS)
        suggested = Choice.LOOP if found[-1].state is State.YES else Choice.WAIT
        st.radio(
            "Decision", options, key="decision.choice", index=options.index(suggested),
            format_func=lambda one: WORDS[one],
        )  # fmt: skip
        st.text_area("Why", key="decision.why", max_chars=2_000, height=80)
        if not signed_in():
            st.text_input("Your name", value=named(), key="decision.who", max_chars=200)
        st.form_submit_button(
            "Record", key="decision.record", type="primary", on_click=_save,
            args=(project, current, tuple(found[:-1])),
        )  # fmt: skip


@guarded
def _save(project: Project, current: Version, answers: Sequence[Step]) -> None:
    who = signed_in() or st.session_state.get("decision.who", "")
    record_decision(
        store(), project.id, current, st.session_state["decision.choice"], author=who,
        why=st.session_state.get("decision.why", ""), answers=answers_of(answers),
    )  # fmt: skip
    if not signed_in() and not state.get("reviewer"):
        state.put("reviewer", who.strip())


@guarded
def _take_back(project: Project, one: Decision) -> None:
    take_back(store(), project.id, one.id, author=named())
