"""Tuning a judge on dev: edit on the left, judge again, see on the right what it changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.contract.contract import Budget, Contract
from core.errors import InputError
from core.judging.prompt import Instructions, judged_criteria
from core.providers.scripted import SCRIPTED
from core.runs.setup import JudgeSetup, addressed
from core.runs.starting import judge_name, refuse_to_start
from core.runs.tuning import Change, Outcome, Plan, outcome, plan, start_tuning
from core.statistics.confusion import PASS, UNKNOWN
from core.statistics.interval import Result, Undefined
from core.store.contracts import Version, save_version, say_same_meaning, versions
from core.store.instructions import instructions_of, save_instructions
from core.store.judge_config import JudgeConfig, judge_configs, judges_asked_here
from core.store.outputs import load_outputs
from core.store.runs import load_run
from core.store.store import Project
from core.store.tunings import Tuning, tunings_of
from core.verdict import OVERALL
from core.wording import change_in_points, count_of, criterion_name, plural, rate
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.judge_live import watch
from pages.parts.judge_split import split_control
from pages.parts.panels import MARKS, small, verbatim
from pages.parts.running import prices, runs, secrets
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store

INSTRUCTIONS = "The instructions"
_CONTROLS = 20


@dataclass(frozen=True)
class Edit:
    """What is to be tried: new instructions, or a new question for one criterion."""

    what: str
    text: str
    before: str

    @property
    def criterion(self) -> str | None:
        """The criterion whose question is edited; None for the instructions."""
        return None if self.what == INSTRUCTIONS else self.what


def tune_view(project: Project, version: Version | None) -> None:
    """Draw the split, then text and effect side by side."""
    if version is None:
        st.text("There is no contract yet: write the criteria first.")
        return
    if split_control(project) is None:
        return
    if (seen := sight(project, version)) is not None:
        say_hidden(project, seen, seen.hidden, "output", "tune")
        st.text("Tuning shows verdicts: it opens once you have labelled what is yours to label.")
        return
    judges = {str(i): j for i, j in judges_asked_here(store(), project.id).items()}
    if not judges:
        st.text("No judge has been run here yet: run one first, then tune it.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        edit, judge, chosen = _left(project, version, judges)
    with right:
        _right(project, version, edit, judge, chosen)


def _left(
    project: Project, version: Version, judges: dict[str, JudgeConfig]
) -> tuple[Edit, JudgeConfig, str]:
    chosen = state.pick("judge", "Judge to tune", list(judges), show=lambda i: judges[i].name)
    assert chosen is not None
    judge = judges[chosen]
    keys = [c.key for c in judged_criteria(version.contract)]
    what = st.selectbox(
        "What to edit", [INSTRUCTIONS, *keys], key=f"judge.tune.what.{project.id}",
        format_func=lambda k: k if k == INSTRUCTIONS else f"The question of {k}",
        persist_state="session",
    )  # fmt: skip
    if what == INSTRUCTIONS:
        before = str(judge.config["instructions"])
        measured = state.pick("criterion", "Measured on", [*keys, OVERALL], show=criterion_name)
    else:
        before, measured = version.contract.criterion(what).question, what
    text = st.text_area(
        "Instructions" if what == INSTRUCTIONS else "Question", before, height=340,
        key=f"judge.tune.text.{project.id}.{chosen}.{what}.{version.number}",
        persist_state="session",
    )  # fmt: skip
    assert measured is not None
    return Edit(what, text, before), judge, measured


def _right(
    project: Project, version: Version, edit: Edit, judge: JudgeConfig, criterion: str
) -> None:
    columns = st.columns(2)
    controls = columns[0].number_input(
        "Control sample", 0, 1000, _CONTROLS, key=f"judge.tune.n.{project.id}",
        help="Outputs the judge gets right now: none of them should change.",
    )  # fmt: skip
    seed = columns[1].text_input("Seed of the sample", "1", key=f"judge.tune.seed.{project.id}")
    planned = plan(
        store(), project.id, version, judge.id, criterion, controls=int(controls), seed=seed
    )
    small(
        f"{plural(len(planned.disagreements), 'dev disagreement')} and {len(planned.controls)} of "
        f"{plural(planned.agreements, 'agreement')} on {criterion_name(criterion)}: "
        f"{plural(len(planned.outputs), 'output')} to judge again."
    )
    same = False
    if edit.criterion is not None:
        same = st.toggle(
            "The new question means the same, so the labels given so far still count",
            key=f"judge.tune.same.{project.id}",
            help="Without labels for it there is nothing to measure a new question by.",
        )  # fmt: skip
    if judge.config.get("model") == SCRIPTED:
        small("Scripted: it follows its rule whatever the text says, so nothing will change.")
    trouble = _trouble(edit, planned, judge, same)
    st.button(
        "Judge these again" if edit.criterion is None else "Save the question and judge these again",
        type="primary", key="judge.tune.go", on_click=_go,
        args=(project, version, edit, judge, criterion, planned), disabled=trouble is not None,
    )  # fmt: skip
    if trouble is not None:
        small(trouble)
    found = tunings_of(store(), project.id)
    if found:
        _effect(project, found)


def _trouble(edit: Edit, planned: Plan, judge: JudgeConfig, same: bool) -> str | None:
    if edit.text == edit.before:
        return "Edit the text first."
    if not edit.text.strip():
        return "The text is blank."
    if not planned.outputs:
        return "There is nothing to judge again: this judge has judged no labelled dev output yet."
    if edit.criterion is not None and not same:
        return (
            "Say that the question means the same, or save it on the Contract page and label anew."
        )
    try:
        refuse_to_start(JudgeSetup.from_data(judge.config), Budget(), prices(), secrets)
    except InputError as error:
        return str(error)
    return None


@guarded
def _go(
    project: Project, version: Version, edit: Edit, judge: JudgeConfig, criterion: str, planned: Plan
) -> None:  # fmt: skip
    setup = addressed(JudgeSetup.from_data(judge.config), secrets)
    setup = replace(setup, repeats=1, calibration=True)
    author = state.get("reviewer") or ""
    with store().write(project.id):
        after = version
        if edit.criterion is None:
            setup = replace(setup, instructions=Instructions(edit.text))
        else:
            after = _reworded(project, version, edit.criterion, edit.text, author)
        kept = save_instructions(store(), project.id, setup.instructions.text, author=author)
        run = start_tuning(
            store(), project.id, planned, setup, name=judge_name(setup, kept.number),
            before_judge=judge.id, before_version=version, version=after, criterion=criterion,
        )  # fmt: skip
    state.put("run", str(run.id))
    runs().wake()


def _reworded(project: Project, version: Version, key: str, question: str, author: str) -> Version:
    """Save the contract with a criterion's new question; its labels were said to still count."""
    criteria = tuple(
        c.model_copy(update={"question": question}) if c.key == key else c
        for c in version.contract.criteria
    )
    contract: Contract = version.contract.model_copy(update={"criteria": criteria})
    saved = save_version(
        store(), project.id, contract, author=author, name=f"question of {key} tuned on dev",
        based_on=version.number,
    )  # fmt: skip
    old, new = version.contract.criterion(key), contract.criterion(key)
    say_same_meaning(store(), project.id, old.question_hash, new.question_hash, author)
    return saved


# --- what it changed -------------------------------------------------------------------------


@st.cache_resource(max_entries=20, show_spinner=False)
def _outcome(project_id: int, revision: int, tuning_id: int, _tuning: Tuning) -> Outcome:
    return outcome(store(), project_id, _tuning, versions(store(), project_id))


def _effect(project: Project, found: list[Tuning]) -> None:
    judges = judge_configs(store(), project.id)
    by_run = {str(t.run_id): t for t in found}

    def name(run: str) -> str:
        after = judges.get(load_run(store(), int(run)).judge_id or 0)
        return f"{after.name if after else '?'} · {by_run[run].at[11:16]} UTC"

    shown = state.pick("run", "Effect of", list(by_run), show=name)
    assert shown is not None
    tuning = by_run[shown]
    run = load_run(store(), tuning.run_id)
    if run.unfinished or run.error:
        watch(run.id)
    if run.unfinished:
        return
    effect = _outcome(project.id, store().revision(project.id), tuning.id, tuning)
    _rates(tuning, effect)
    _changed(project, effect)
    known = {i.text: i.number for i in instructions_of(store(), project.id)}
    used = known.get(str(run.config["instructions"]))
    small(f"Judged under instructions {used}: choose them under Run a judge to judge everything.")


def _rates(tuning: Tuning, effect: Outcome) -> None:
    st.text(f"Measured on {criterion_name(tuning.criterion)}")
    for title, before, after, change in (
        ("False-accept rate", effect.before.false_accept_rate, effect.after.false_accept_rate,
         effect.paired.bad.difference),
        ("False-reject rate", effect.before.false_reject_rate, effect.after.false_reject_rate,
         effect.paired.good.difference),
    ):  # fmt: skip
        with st.container(border=True):
            st.text(f"{title}: {_change(change)}")
            small(f"before {_counted(before)}", f"after {_counted(after)}")
    said = (
        "On the outputs judged again alone: all disagreements are among them, so read the change, "
        "not the level."
    )
    if effect.open:
        said += f" {plural(effect.open, 'output')} without a verdict left out."
    small(said)


def _counted(result: Result) -> str:
    return result.reason if isinstance(result, Undefined) else f"{rate(result)}, {count_of(result)}"


def _change(change: Result) -> str:
    if isinstance(change, Undefined):
        return "not measured: no such output"
    points = f"{change.low * 100:+.1f} to {change.high * 100:+.1f} points".replace("-", "−")
    return f"{change_in_points(change.value * 100)} (95 %: {points})"


def _changed(project: Project, effect: Outcome) -> None:
    better = sum(c.better for c in effect.changes)
    st.text(
        f"{plural(len(effect.changes), 'verdict')} changed: {better} right now, "
        f"{len(effect.changes) - better} wrong now."
    )
    texts = {
        o.id: o for o in load_outputs(store(), project.id, [c.output_id for c in effect.changes])
    }
    for change in sorted(effect.changes, key=lambda c: c.better)[:30]:
        output = texts[change.output_id]
        st.text(f"{'✓ right now' if change.better else '✕ wrong now'}: {_codes(change)}")
        verbatim(output.text, height=110)


def _codes(change: Change) -> str:
    def word(code: int) -> str:
        return MARKS["PASS" if code == PASS else "UNKNOWN" if code == UNKNOWN else "FAIL"]

    return f"{word(change.before)} → {word(change.after)}, people say {word(change.gold)}"
