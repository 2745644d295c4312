"""The parts of the home page: five steps, each with its state, its number and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.contract.contract import Limits
from core.contract.lint import lint
from core.statistics.confusion import Confusion
from core.statistics.interval import Result, Undefined
from core.store.contracts import Version
from core.store.judgements import JudgeKind, judges
from core.store.progress import Progress, load_progress
from core.store.store import Project
from core.verdict import OVERALL
from core.wording import plural, rate
from pages.parts import state
from pages.parts.numbers import agreement
from pages.parts.panels import small
from pages.parts.shell import page_at
from pages.parts.workspace import add_sample, store, version
from sample_data.samples import SAMPLES

MARKS = {"yes": "✓ yes", "no": "✕ no", "open": "○ not known yet"}


@dataclass(frozen=True)
class Step:
    """One step: its answer (yes, no, open), the numbers behind it, what to do, and where."""

    title: str
    asks: str
    answer: str
    numbers: tuple[str, ...]
    todo: str
    page: str
    view: str | None = None


def contract_step(current: Version | None) -> Step:
    """Are there criteria, each with examples and without a lint finding?"""
    title, asks = "Contract", "Could a stranger tell what passes and what fails?"
    if current is None:
        return Step(title, asks, "open", ("No version saved yet.",), "Write the first criterion", "contract")  # fmt: skip
    findings = lint(current.contract)
    count = plural(len(current.contract.criteria), "criterion", "criteria")
    numbers = (f"Version {current.number}, {count}.", plural(len(findings), "lint finding") + ".")
    todo = "Read the findings" if findings else "Read the contract"
    return Step(title, asks, "no" if findings else "yes", numbers, todo, "contract")


def labels_step(p: Progress) -> Step:
    """Have people labelled outputs?"""
    title, asks = "Labels", "Do people say what is good and what is bad?"
    if not p.outputs:
        return Step(title, asks, "open", ("No outputs yet.",), "Import outputs", "label", "import")
    numbers = (
        f"{p.labelled:,} of {plural(p.outputs, 'output')} labelled.",
        f"{plural(p.labels, 'label')} by {plural(p.reviewers, 'person', 'people')}.",
    )
    done = p.labelled == p.outputs
    return Step(title, asks, "yes" if done else "open", numbers, "Label more" if not done else "See where people and judge differ", "label" if not done else "agreement")  # fmt: skip


def judge_step(project: Project, current: Version | None) -> Step:
    """Is a judge inside the limits, shown by its intervals?"""
    title, asks = "Judge", "Is it inside your limits for false accepts and false rejects?"
    known = judges(store(), project.id)
    chosen = [j for j in known if j.kind is not JudgeKind.CODE] or known
    if not chosen:
        return Step(title, asks, "open", ("Nobody has judged yet.",), "Run code checks or import verdicts", "judge")  # fmt: skip
    limits = current.contract.limits if current else Limits()
    numbers: list[str] = []
    answers = []
    for one in chosen[:3]:
        c = agreement(project, current, one.id).confusion[OVERALL]
        numbers += [
            one.name,
            f"  false accepts {rate(c.false_accept_rate)}",
            f"  false rejects {rate(c.false_reject_rate)}",
        ]
        answers.append(
            "open"
            if any(limit is None or isinstance(r, Undefined) for r, limit in _pairs(c, limits))
            else "yes"
            if all(r.high <= limit for r, limit in _pairs(c, limits))
            else "no"
        )
    answer = next((a for a in ("yes", "open", "no") if a in answers), "open")
    todo = (
        "Set limits in the contract"
        if limits.false_accept_rate is None
        else "See what it gets wrong"
    )
    page = "contract" if limits.false_accept_rate is None else "agreement"
    return Step(title, asks, answer, tuple(numbers), todo, page)


def _pairs(c: Confusion, limits: Limits) -> tuple[tuple[Result, float | None], ...]:
    return (
        (c.false_accept_rate, limits.false_accept_rate),
        (c.false_reject_rate, limits.false_reject_rate),
    )


def steps(project: Project) -> None:
    """Draw the five steps of a project in a row."""
    current = version(project)
    found = [
        contract_step(current),
        labels_step(load_progress(store(), project.id)),
        judge_step(project, current),
    ]
    for column, step in zip(st.columns(len(found)), found, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{step.title}**")
            small(step.asks)
            st.text(MARKS[step.answer])
            small(*step.numbers)
            st.space("stretch")
            if st.button(step.todo, key=f"home.{step.title}", width="stretch"):
                state.put("view", step.view)
                st.switch_page(page_at(step.page))


def no_project() -> None:
    """Draw the empty state."""
    with st.container(border=True):
        st.text("No project is open. Make one, or bring back a sample, under Projects on the left.")


def projects(open_now: Project | None) -> None:
    """Draw the projects of this workspace, then the samples that are not open."""
    known = store().projects()
    st.subheader("Projects and samples", anchor=False)
    for project in known:
        about = "Open now" if open_now is not None and project.id == open_now.id else ""
        _row(
            project.title, about, "Open", f"open.{project.id}", state.put, ("project", project.slug)
        )
    here = {p.sample_slug for p in known}
    gone = {p.sample_slug for p in store().projects(removed=True)}
    for slug, sample in SAMPLES.items():
        name = slug.replace("_", "-")
        if name not in here:
            action = "Bring back" if name in gone else "Add"
            _row(sample.title, sample.description, action, f"add.{slug}", add_sample, (slug,))


def _row(
    title: str, about: str, action: str, key: str, call: Callable[..., None], args: tuple[str, ...]
) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container(gap="xxsmall"):
            st.text(title)
            if about:
                small(about)
        st.button(action, key=f"home.{key}", on_click=call, args=args)
