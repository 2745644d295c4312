"""The form of a loop run: which samples, by which rule, who writes and who judges, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.contract.contract import Budget, Contract, Keep, StopRule
from core.contract.criterion import CheckedBy
from core.errors import InputError
from core.judging.prompt import DEFAULT_INSTRUCTIONS, EFFORTS, Instructions, JudgeOptions
from core.loop.generator import MAX_TOKENS, GeneratorOptions
from core.loop.presets import ABOUT, Preset, rule_of
from core.providers.doubts import judge_doubts
from core.providers.prices import Models
from core.providers.scripted import SCRIPTED
from core.providers.settings import other_server
from core.runs.loop_setup import MOST_DRAWS, MOST_RECORDED, Arms, LoopSetup
from core.runs.loop_start import chosen_samples
from core.runs.models import settings_for
from core.runs.setup import MAX_CONCURRENCY
from core.store.contracts import Version
from core.store.runs import RunKind, runs_of
from core.store.samples import StoredSample, load_samples
from core.store.store import Project
from core.wording import plural
from pages.parts.judge_setup import DEMONSTRATION, describe, models
from pages.parts.panels import small
from pages.parts.running import secrets
from pages.parts.workspace import store

AGREED = "the contract's own rule"
OWN = "a rule of my own"
WHICH = {"all": "All", "random": "Drawn at random", "filter": "By a text"}
ARMS = {
    Arms.LOOP: "Loop: feedback after each round",
    Arms.RETRY: "Retries: a fresh draw each time",
    Arms.BOTH: "Both, on the same samples",
}
KEEP = {Keep.BEST: "the best draft", Keep.LAST: "the last draft"}
BY = {
    CheckedBy.CODE: "by code, free",
    CheckedBy.JUDGE: "by a judge",
    CheckedBy.PERSON: "by a person: the trace waits in the label queue until it is labelled",
}


@dataclass(frozen=True)
class Form:
    """What was filled in, and the samples it is for (all of a project, in stored order)."""

    setup: LoopSetup
    budget: Budget
    samples: list[StoredSample]
    warnings: tuple[str, ...]

    @property
    def keys(self) -> list[int]:
        """The store's keys of the samples."""
        return [s.key for s in self.samples]


@st.cache_resource(max_entries=20, show_spinner=False)
def _last(project_id: int, revision: int) -> Mapping[str, Any]:
    """Return the configuration of the project's last loop run, where the form begins."""
    found = [r for r in runs_of(store(), project_id) if r.kind is RunKind.LOOP]
    return found[0].config if found else {}


@st.cache_resource(max_entries=10, show_spinner=False)
def all_samples(project_id: int, revision: int) -> list[StoredSample]:
    """Return a project's samples in the order they came."""
    return load_samples(store(), project_id)


def loop_form(project: Project, version: Version) -> Form:
    """Draw the form and return what it says; raises InputError for what cannot be."""
    last = _last(project.id, project.revision)
    with st.container(border=True):
        st.markdown("**What it writes for**")
        samples = _samples(project)
        arms, draws = _arms(project, last)
    with st.container(border=True):
        st.markdown("**When it stops**")
        preset, stop = _rule(project, version.contract)
    with st.container(border=True):
        st.markdown("**Who writes, who judges**")
        writer, judge, server, doubts = _people(project, version.contract, last, preset)
    with st.container(border=True):
        st.markdown("**What is kept, and what it may cost**")
        kept, budget = _kept(project, last, stop or version.contract.stop, preset)
    scripted = SCRIPTED in (writer.model, judge.model)
    setup = LoopSetup(
        writer, judge, Instructions(last.get("instructions") or DEFAULT_INSTRUCTIONS.text),
        arms=arms, draws=draws, stop=stop, delay=DEMONSTRATION if scripted else 0.0,
        self_review=preset is Preset.SELF_REVIEW, from_outputs=preset is Preset.REFINE, **kept, **server,
    )  # fmt: skip
    return Form(setup, budget, samples, doubts)


def keys(project: Project, name: str) -> dict[str, Any]:
    """Return what keeps a field's value while the session lasts."""
    return {"key": f"loop.{project.id}.{name}", "persist_state": "session"}


# --- what it writes for ----------------------------------------------------------------------


def _samples(project: Project) -> list[StoredSample]:
    every = all_samples(project.id, project.revision)
    if not every:
        raise InputError("samples", "there are none to write for.", "Import outputs first.")
    which = st.radio(
        "Samples", list(WHICH), index=list(WHICH).index("random"), format_func=WHICH.__getitem__,
        horizontal=True,
        **keys(project, "which"),
    )  # fmt: skip
    containing, number, seed = "", None, 1
    if which == "random":
        left, right = st.columns(2)
        number = left.number_input(
            "How many", 1, len(every), min(10, len(every)), **keys(project, "number")
        )
        seed = right.number_input(
            "Seed", 1, 10**6, 1, **keys(project, "seed"),
            help="The same seed draws the same samples; a larger number adds to them.",
        )  # fmt: skip
    if which == "filter":
        containing = st.text_input(
            "Text in the id or the input", "", **keys(project, "containing"),
            placeholder="refund",
        )  # fmt: skip
    found = chosen_samples(
        every, containing=containing, random=None if number is None else int(number),
        seed=str(seed),
    )  # fmt: skip
    if not found:
        raise InputError("samples", f"none contains {containing!r}.", "Look for another text.")
    small(f"{len(found):,} of {plural(len(every), 'sample')}.")
    return found


def _arms(project: Project, last: Mapping[str, Any]) -> tuple[Arms, int]:
    left, right = st.columns([2, 1])
    arms = left.selectbox(
        "Arms", list(Arms), index=list(Arms).index(Arms(last.get("arms", Arms.BOTH))),
        format_func=ARMS.__getitem__, **keys(project, "arms"),
        help="With both, the first draft and its judgement are made once and shared: what "
        "differs then is only what comes after a failure.",
    )  # fmt: skip
    draws = right.number_input(
        "Draws a sample", 1, MOST_DRAWS, int(last.get("draws", 1)), **keys(project, "draws"),
        help="Independent tasks for each sample.",
    )  # fmt: skip
    return arms, int(draws)


# --- when it stops ---------------------------------------------------------------------------


def _rule(project: Project, contract: Contract) -> tuple[Preset | None, StopRule | None]:
    threshold = contract.acceptance.rule == "threshold"
    names = [AGREED, OWN]
    names += [p for p in Preset if threshold or p is not Preset.WEIGHTED_RUBRIC]
    chosen = st.selectbox("Kind of loop", names, **keys(project, "preset"))
    agreed = contract.stop
    if chosen == AGREED:
        small(_rule_words(agreed), "Change it on the contract page, or choose another kind here.")
        return None, None
    preset = None if chosen == OWN else Preset(chosen)
    if preset is not None:
        small(ABOUT[preset].what)
        if ABOUT[preset].warning:
            st.warning(ABOUT[preset].warning)
    if preset is Preset.TOOL_GROUNDED:
        raise InputError(
            "kind of loop", "the tool is a function of yours, which no form can hold.",
            "Run it from code: core.loop.presets.tool_grounded(contract, writer, judge, facts).",
        )  # fmt: skip
    return preset, _rule_fields(project, contract, preset)


def _rule_words(rule: StopRule) -> str:
    limits = rule.budget.model_dump(exclude_none=True)
    budget = "".join(f", at most {value:,} {name}" for name, value in limits.items())
    return (
        f"At most {plural(rule.cap, 'draft')}; ends after {plural(rule.window, 'round')} without a "
        f"higher score{budget}. Without a pass it hands back {KEEP[rule.keep]}, flagged."
    )


def _rule_fields(project: Project, contract: Contract, preset: Preset | None) -> StopRule:
    agreed = contract.stop
    left, middle, right = st.columns(3)
    if preset is Preset.REFINE:
        cap = left.number_input(
            "Revisions at most", 0, 99, max(agreed.cap - 1, 0), **keys(project, "revisions"),
            help="Drafts are one more: the output of the sample's first trial, which nobody writes.",
        )  # fmt: skip
    else:
        cap = left.number_input(
            "Cap, drafts", 1, 100, agreed.cap, **keys(project, "cap"),
            help="Drafts at most, the first one included.",
        )  # fmt: skip
    window, keep = agreed.window, agreed.keep
    if preset not in (Preset.REFINE, Preset.DRAFT_AND_JUDGE, Preset.WEIGHTED_RUBRIC):
        window = middle.number_input(
            "Window, rounds", 1, 100, agreed.window, **keys(project, "window"),
            help="Ends after so many rounds without a higher score (PLATEAU).",
        )  # fmt: skip
    if preset in (None, Preset.SELF_REVIEW, Preset.NOTES):
        keep = right.selectbox(
            "Without a pass, hand back", list(Keep), index=list(Keep).index(keep),
            format_func=KEEP.__getitem__, **keys(project, "keep"),
        )  # fmt: skip
    return rule_of(
        preset or Preset.NOTES, int(cap), int(window), keep, _task_budget(project, agreed.budget),
        agreed.on_failure,
    )  # fmt: skip


def _task_budget(project: Project, agreed: Budget) -> Budget:
    """Draw the ceilings of one task; those of the whole run stand further down."""
    with st.expander("Budget of one task (exit BUDGET)"):
        left, right = st.columns(2)
        calls = left.number_input(
            "Calls", min_value=1, value=agreed.calls, placeholder="no limit",
            **keys(project, "task.calls"),
        )  # fmt: skip
        tokens = right.number_input(
            "Tokens", min_value=1, value=agreed.tokens, placeholder="no limit", step=1000,
            **keys(project, "task.tokens"),
        )  # fmt: skip
        usd = left.number_input(
            "Dollars", min_value=0.0, value=agreed.usd, placeholder="no limit", format="%g",
            **keys(project, "task.usd"),
        )  # fmt: skip
        seconds = right.number_input(
            "Seconds", min_value=0.0, value=agreed.seconds, placeholder="no limit", format="%g",
            **keys(project, "task.seconds"),
        )  # fmt: skip
    return Budget(
        calls=calls and int(calls), tokens=tokens and int(tokens), usd=usd or None,
        seconds=seconds or None,
    )  # fmt: skip


# --- who -------------------------------------------------------------------------------------


def _people(
    project: Project, contract: Contract, last: Mapping[str, Any], preset: Preset | None
) -> tuple[GeneratorOptions, JudgeOptions, dict[str, Any], tuple[str, ...]]:
    offer = models()
    has_key = settings_for({}, secrets).api_key is not None
    counts = {who: sum(c.checked_by is who for c in contract.criteria) for who in CheckedBy}
    small(
        *(
            f"{plural(n, 'criterion', 'criteria')} {BY[who]}." for who, n in counts.items() if n
        )
    )  # fmt: skip
    # One below the other: side by side a price is cut in the middle of a number.
    writer = _model(project, "writer", "Model that writes", offer, last.get("model"), has_key)
    judge = writer
    if counts[CheckedBy.JUDGE] and preset is not Preset.SELF_REVIEW:
        before = last.get("judge_model") or last.get("model")
        judge = _model(project, "judge", "Model that judges", offer, before, has_key)
    elif preset is Preset.SELF_REVIEW:
        small("The writer reviews itself, in the conversation in which it wrote.")
    with st.expander("Effort, ceilings, other server"):
        options = _asked(project, last)
    writes = GeneratorOptions(writer, options["effort"], options["ceiling"])
    judges = JudgeOptions(
        judge, options["judge_effort"], receives_reference=contract.receives_reference
    )
    doubts: tuple[str, ...] = ()
    if counts[CheckedBy.JUDGE] and SCRIPTED not in (writer, judge):
        doubts = judge_doubts(judge, writer, offer)
    return writes, judges, options["server"], doubts


def _model(
    project: Project, name: str, label: str, offer: Models, last: str | None, has_key: bool
) -> str:
    """Draw the choice of a model; without a key it begins with the scripted one."""
    real = [one for one in offer if one != SCRIPTED]
    names = [*real, SCRIPTED]
    if last is not None and last not in names:
        names.insert(0, last)
    first = last or (real[0] if has_key and real else SCRIPTED)
    chosen = st.selectbox(
        label, names, index=names.index(first), accept_new_options=True,
        format_func=lambda one: describe(one, offer), **keys(project, name),
        help="Choose one, or type the id your server knows. The scripted one follows a rule and "
        "costs nothing: it shows how the bench works.",
    )  # fmt: skip
    return (chosen or "").strip()


def _asked(project: Project, last: Mapping[str, Any]) -> dict[str, Any]:
    efforts = ["its default", *EFFORTS]
    written = last.get("writer", {})
    left, right = st.columns(2)
    effort = left.selectbox(
        "Effort of the writer", efforts, index=efforts.index(written.get("effort") or efforts[0]),
        **keys(project, "effort"),
    )  # fmt: skip
    ceiling = left.number_input(
        "Ceiling of a draft, tokens", 1, 1_000_000, int(written.get("max_tokens", MAX_TOKENS)),
        **keys(project, "ceiling"),
    )  # fmt: skip
    told = ((last.get("judge") or {}).get("options") or {}).get("effort")
    judge_effort = right.selectbox(
        "Effort of the judge", efforts, index=efforts.index(told or efforts[0]),
        **keys(project, "judge.effort"),
    )  # fmt: skip
    address = left.text_input(
        "Address of another server", other_server(last.get("base_url")) or "", **keys(project, "base_url"),
        placeholder="http://localhost:8080",
        help="Any server that speaks POST /v1/messages. Empty: Anthropic's own, or what "
        "ANTHROPIC_BASE_URL says.",
    )  # fmt: skip
    older = st.toggle(
        "Headers of older servers", bool(last.get("older")), **keys(project, "older"),
        help="Sends the key as X-Api-Key too, and the protocol version of 2023.",
    )  # fmt: skip
    return {
        "server": {"base_url": address.strip() or None, "older": older},
        "effort": None if effort == efforts[0] else effort,
        "judge_effort": None if judge_effort == efforts[0] else judge_effort,
        "ceiling": int(ceiling),
    }


# --- what is kept ----------------------------------------------------------------------------


def _kept(
    project: Project, last: Mapping[str, Any], rule: StopRule, preset: Preset | None
) -> tuple[dict[str, Any], Budget]:
    left, right = st.columns(2)
    more = left.number_input(
        "Record drafts up to", 0, MOST_RECORDED, int(last.get("record", 0)),
        **keys(project, "record"),
        help=f"The rule needs at most {rule.cap}. With more, what another rule would have done is "
        "observed instead of unknown. Rounds beyond the rule are marked and count nowhere.",
    )  # fmt: skip
    checks = right.number_input(
        "Spot checks", 0, 100_000, int(last.get("spot_checks", 5)), **keys(project, "spots"),
        help="Accepted drafts, drawn at random, that go to the label queue: where a wrong accept "
        "hides nobody looks unless it is drawn.",
    )  # fmt: skip
    usd = left.number_input(
        "Budget of the run, dollars", min_value=0.0, value=None, step=0.5, format="%g",
        placeholder="no limit", help="Hard: no call is made that might exceed it.",
        **keys(project, "usd"),
    )  # fmt: skip
    calls = right.number_input(
        "Budget of the run, calls", min_value=1, value=None, step=100, placeholder="no limit",
        **keys(project, "calls"),
    )  # fmt: skip
    concurrency = left.number_input(
        "Calls at a time", 1, MAX_CONCURRENCY, int(last.get("concurrency", 8)),
        **keys(project, "concurrency"),
    )  # fmt: skip
    # Below the columns, which are narrower than these labels in a small window.
    flagged = st.toggle(
        "Queue flagged drafts too", bool(last.get("queue_flagged", True)),
        **keys(project, "flagged"), help="The draft of every exit that accepted nothing, with why.",
    )  # fmt: skip
    notes = preset is Preset.NOTES or st.toggle(
        "Notes remembered", bool(last.get("notes", False)), **keys(project, "notes"),
        help="After a failed round the writer notes what went wrong; all notes stand in every "
        "further attempt. One more call a round.",
    )  # fmt: skip
    kept = {
        "record": int(more), "spot_checks": int(checks), "queue_flagged": flagged, "notes": notes,
        "concurrency": int(concurrency),
    }  # fmt: skip
    return kept, Budget(usd=usd or None, calls=calls and int(calls))
