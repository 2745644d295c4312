"""The form that says which model judges, and how it is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.contract.contract import Budget
from core.errors import InputError
from core.judging.prompt import EFFORTS, MAX_TOKENS, Instructions, JudgeOptions
from core.providers.doubts import judge_doubts
from core.providers.prices import Models, find_model, load_models, models_file
from core.providers.scripted import SCRIPTED
from core.providers.settings import other_server
from core.runs.setup import MAX_CONCURRENCY, JudgeSetup, addressed
from core.runs.models import settings_for
from core.runs.shots import candidates, shots
from core.runs.starting import SCRIPTED_NAME
from core.store.contracts import Version
from core.store.instructions import StoredInstructions, instructions_of
from core.store.outputs import StoredOutput, load_outputs
from core.store.runs import RunKind, runs_of
from core.store.splits import load_split
from core.store.store import Project
from core.store.tunings import tunings_of
from pages.parts.panels import small
from pages.parts.running import secrets
from pages.parts.sight import sight
from pages.parts.workspace import store

_OWN = "its default"
DEMONSTRATION = 0.3
"""Seconds a scripted judge takes for an answer, so that people can watch, pause and go on."""
_WRITER_COLUMNS = ("model", "generator", "writer", "author_model")


@dataclass(frozen=True)
class Form:
    """What was filled in: the judge, its budget, and the model that wrote the outputs if known."""

    setup: JudgeSetup
    budget: Budget
    doubts: tuple[str, ...]


@st.cache_resource(max_entries=20, show_spinner=False)
def _last(project_id: int, revision: int) -> Mapping[str, Any]:
    """Return the configuration of the project's last judge run, where the form begins.

    A change that was only tried on dev is chosen by a person or not at all.
    """
    tried = {t.run_id for t in tunings_of(store(), project_id)}
    every = runs_of(store(), project_id)
    found = [r for r in every if r.kind is RunKind.JUDGE and r.id not in tried]
    return found[0].config if found else {}


@st.cache_resource(max_entries=20, show_spinner=False)
def _writer(project_id: int, revision: int) -> str:
    """Return the model the outputs say they come from, if all that say one say the same."""
    named = {
        o.extra[column].strip()
        for o in load_outputs(store(), project_id)
        for column in _WRITER_COLUMNS
        if o.extra.get(column, "").strip()
    }
    return named.pop() if len(named) == 1 else ""


@st.cache_resource(max_entries=10, show_spinner=False)
def _candidates(project_id: int, revision: int, _version: Version) -> list[StoredOutput]:
    stored = load_split(store(), project_id)
    return candidates(store(), project_id, _version, stored.split if stored else None)


def models() -> Models:
    """Return the models on offer, by the models file as it is now."""
    return load_models(models_file(os.environ, Path("workspace")))


def describe(name: str, offer: Models) -> str:
    """Return a model with its prices: "claude-haiku-5-5 · $0.10 in, $0.50 out a million tokens"."""
    if name == SCRIPTED:
        return f"{SCRIPTED_NAME}, a demonstration · $0"
    found = find_model(offer, name)
    if found is None or found.input is None or found.output is None:
        return f"{name} · price not set"
    return f"{name} · ${found.input:g} in, ${found.output:g} out a million tokens"


def setup_form(project: Project, version: Version) -> Form:
    """Draw the form and return what it says; raises InputError for what cannot be."""
    last, offer = _last(project.id, project.revision), models()
    before = last.get("options", {})
    has_key = settings_for({}, secrets).api_key is not None
    model = _model(project, offer, last.get("model"), has_key)
    left, right = st.columns(2)
    with left:
        efforts = [_OWN, *EFFORTS]
        effort = st.selectbox(
            "Effort", efforts, index=efforts.index(before.get("effort") or _OWN),
            help="How long the model may think. Part of the judge: another effort is another judge.",
            **_keys(project, "effort"),
        )  # fmt: skip
        repeats = st.number_input(
            "Repeats", 1, 1000, int(last.get("repeats", 1)), **_keys(project, "repeats"),
            help="Independent judgements of each output: two or more say how steady the judge is.",
        )  # fmt: skip
        usd = st.number_input(
            "Budget, dollars", min_value=0.0, value=None, step=0.5, format="%g",
            placeholder="no limit", help="Hard: no call is made that might exceed it.",
            **_keys(project, "usd"),
        )  # fmt: skip
    with right:
        ceiling = st.number_input(
            "Ceiling, tokens", 1, 1_000_000, int(before.get("max_tokens", MAX_TOKENS)),
            help="The longest reply; thinking counts. A reply cut off here is unscored and is not asked for again.",
            **_keys(project, "ceiling"),
        )  # fmt: skip
        concurrency = st.number_input(
            "Calls at a time", 1, MAX_CONCURRENCY, int(last.get("concurrency", 8)),
            help="Fewer are made while the server asks to slow down.", **_keys(project, "concurrency"),
        )  # fmt: skip
        calls = st.number_input(
            "Budget, calls", min_value=1, value=None, step=100, placeholder="no limit",
            **_keys(project, "calls"),
        )  # fmt: skip
    each = st.toggle(
        "One call for each criterion", bool(before.get("one_call_each")),
        help="Criteria cannot colour each other; costs as many calls as there are criteria.",
        **_keys(project, "each"),
    )  # fmt: skip
    skip = st.toggle(
        "Skip what code has failed", not last.get("calibration", True),
        help="Outputs that a code check has failed already are not sent. To measure the judge, let it judge everything.",
        **_keys(project, "skip"),
    )  # fmt: skip
    given = "is given to the judge" if version.contract.receives_reference else "is not given"
    small(f"The reference answer {given}: the contract says so.")
    text = instructions_form(project, last.get("instructions"))
    chosen = _few_shot(project, version)
    base_url, older, writer = _server(project, last)
    stored = load_split(store(), project.id)
    options = JudgeOptions(
        (model or "").strip(), None if effort == _OWN else effort, int(ceiling), each,
        version.contract.receives_reference,
        shots(store(), project.id, version, stored.split if stored else None, chosen),
    )  # fmt: skip
    delay = DEMONSTRATION if options.model == SCRIPTED else 0.0
    setup = addressed(
        JudgeSetup(
            options, Instructions(text), int(repeats), int(concurrency), not skip, base_url, older,
            delay=delay,
        ),
        secrets,
    )  # fmt: skip
    if usd == 0:
        # Read as no limit it would be the opposite of what was typed.
        raise InputError("budget", "0 dollars allow no call.", "Empty the field for no limit.")
    budget = Budget(usd=usd, calls=None if calls is None else int(calls))
    return Form(setup, budget, judge_doubts(options.model, writer or None, offer))


def _keys(project: Project, name: str) -> dict[str, Any]:
    return {"key": f"judge.{project.id}.{name}", "persist_state": "session"}


def _model(project: Project, offer: Models, last: str | None, has_key: bool) -> str | None:
    """Draw the choice of the model; without a key it begins with the scripted one."""
    real = [name for name in offer if name != SCRIPTED]
    names = [*real, SCRIPTED]
    if last is not None and last not in names:
        names.insert(0, last)
    first = last or (real[0] if has_key and real else SCRIPTED)
    return st.selectbox(
        "Model that judges", names, index=names.index(first), accept_new_options=True,
        format_func=lambda name: describe(name, offer),
        help="Choose one, or type the id your server knows. The scripted judge follows a rule, "
        "reads nothing and costs nothing: it shows how the bench works.",
        **_keys(project, "model"),
    )  # fmt: skip


def instructions_form(project: Project, before: str | None) -> str:
    """Draw the instructions with their versions and return the text as it stands."""
    known = {i.number: i for i in instructions_of(store(), project.id)}
    start = next((n for n, i in known.items() if i.text == before), max(known))
    number = st.selectbox(
        "Instructions", list(known), index=list(known).index(start),
        format_func=lambda n: _version_line(known[n]), **_keys(project, "instructions"),
    )  # fmt: skip
    text = st.text_area(
        "What the judge is told before the criteria", known[number].text, height=220,
        **_keys(project, f"text.{number}"),
        help="Changed text becomes the next version when a run starts with it.",
    )  # fmt: skip
    if text != known[number].text:
        small("Changed: kept as the next version when a run starts.")
    return text


def _version_line(one: StoredInstructions) -> str:
    shipped = " (as shipped)" if one.number == 1 else ""
    when = f" · {one.created_at[:10]}" if one.created_at else ""
    return f"Instructions {one.number}{shipped}{when}"


def _few_shot(project: Project, version: Version) -> list[int]:
    found = {o.id: o for o in _candidates(project.id, project.revision, version)}
    if (seen := sight(project, version)) is not None:
        # Their labels stand in the request that is shown below.
        keys = version.contract.keys
        found = {i: o for i, o in found.items() if all(seen.may_see(key, i) for key in keys)}
    with st.expander("Few-shot examples"):
        if not found:
            small(
                "None to choose from: split the samples under Tune on dev, and label dev outputs "
                "on every judged criterion. Test samples are never shown to a judge."
            )
            return []
        return st.multiselect(
            "Labelled outputs of the dev split", list(found), max_selections=10,
            format_func=lambda i: f"{found[i].sample_id}, trial {found[i].trial}",
            help="Shown to the judge with their labels, and left out of its rates.",
            **_keys(project, "shots"),
        )  # fmt: skip


def _server(project: Project, last: Mapping[str, Any]) -> tuple[str | None, bool, str]:
    with st.expander("Server, and who wrote the outputs"):
        at, style = _keys(project, "base_url"), _keys(project, "older")
        # Set outright, because "Go on there" sets them too: a value beside that is a second one.
        st.session_state.setdefault(at["key"], other_server(last.get("base_url")) or "")
        st.session_state.setdefault(style["key"], bool(last.get("older")))
        address = st.text_input(
            "Address of another server", **at, placeholder="http://localhost:8080",
            help="Any server that speaks POST /v1/messages. Empty: Anthropic's own, or what "
            "ANTHROPIC_BASE_URL says.",
        )  # fmt: skip
        older = st.toggle(
            "Headers of older servers", **style,
            help="Sends the key as X-Api-Key too, and the protocol version of 2023.",
        )  # fmt: skip
        writer = st.text_input(
            "Model that wrote the outputs", _writer(project.id, project.revision),
            placeholder="not known", **_keys(project, "writer"),
            help="Only to say why this judge may be the wrong one.",
        )  # fmt: skip
    return address.strip() or None, older, writer.strip()
