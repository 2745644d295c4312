"""What the arithmetic page is fed: a worked example, or what a person typed.

Either the address names an example (`?preset=…`) and the example's inputs are shown, or it holds
every input as typed (`?p=40&r=0.5&cap=3 …`). Editing one input of an example turns the first into
the second, so a link always shows everybody the same figures.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import InputError, show
from core.statistics.worked import CAP_MAX, Inputs, Sheet
from core.wording import read_share, read_whole, share_read_as, share_text
from pages.parts import state
from pages.parts.panels import small
from sample_data.worked_examples import EXAMPLES, Example

Texts = dict[state.Name, str]
CHECKS = {"code": "Code check, 1 call a round", "critic": "Model critic, 2 calls a round"}
OWN = ""


@dataclass(frozen=True)
class Field:
    """A number typed as text: its name, also in errors, its unit, its meaning, who needs it."""

    name: str
    unit: str
    meaning: str
    critic_only: bool = False
    optional: bool = False


SHARES: dict[state.Name, Field] = {
    "p": Field(
        "First drafts good, p",
        "share",
        "Share of tasks whose first draft is good. 0.4, 40 and 40 % mean the same.",
    ),
    "r": Field(
        "Repair rate, r",
        "share",
        "Chance that one revision turns a rejected bad draft into a good one. 0.4, 40 and 40 % mean the "
        "same.",
    ),
    "far": Field(
        "Critic passes bad",
        "share",
        "False-accept rate: share of bad drafts that the critic passes. The agreement page measures it.",
        critic_only=True,
    ),
    "frr": Field(
        "Critic fails good",
        "share",
        "False-reject rate: share of good drafts that the critic sends back.",
        critic_only=True,
    ),
    "damage": Field(
        "Good ones spoilt",
        "share",
        "Damage: chance that revising a good draft which was sent back spoils it.",
        critic_only=True,
    ),
    "fresh": Field(
        "Fresh share, F",
        "if measured",
        "Of the tasks whose first draft failed, the share that fresh draws rescue by the cap. "
        "Empty: draws are taken as independent. The panels below measure it.",
        optional=True,
    ),
}
CAP = Field(
    "Cap, k",
    f"1–{CAP_MAX} drafts",
    "Drafts at most. A round is one draft and its check; retries get as many tries.",
)
NAMES: tuple[state.Name, ...] = (*SHARES, "cap", "critic")


def texts_of(inputs: Inputs) -> Texts:
    """Return inputs as they stand in the boxes."""
    return {
        "p": share_text(inputs.p),
        "r": share_text(inputs.r),
        "far": share_text(inputs.far),
        "frr": share_text(inputs.frr),
        "damage": share_text(inputs.damage),
        "fresh": "" if inputs.fresh is None else share_text(inputs.fresh),
        "cap": str(inputs.cap),
        "critic": "critic" if inputs.critic else "code",
    }


def chosen() -> tuple[str, Texts]:
    """Return the example that is open ("" for own inputs) and the inputs as texts."""
    fallback = next(iter(EXAMPLES))
    plain = texts_of(EXAMPLES[fallback].inputs)
    in_address = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    if in_address and "preset" not in st.query_params:
        texts = plain | in_address
        use(texts)
        return OWN, texts
    preset = state.get("preset")
    kept = {name: text for name in NAMES if (text := state.kept(name)) is not None}
    if preset not in EXAMPLES and kept:
        texts = plain | kept
        use(texts)
        return OWN, texts
    preset = preset if preset in EXAMPLES else fallback
    open_example(preset)
    return preset, texts_of(EXAMPLES[preset].inputs)


def use(texts: Texts) -> None:
    """Make these the person's own inputs."""
    state.put("preset", None)
    for name in NAMES:
        state.put(name, texts[name])


def open_example(preset: str) -> None:
    """Open a worked example; its inputs stand under its name, not in the address."""
    for name in NAMES:
        state.put(name, None)
    state.put("preset", preset)


def example_picker(preset: str) -> Example | None:
    """Draw the choice of worked examples and return the one that is open."""
    key = "arithmetic.preset"
    st.session_state[key] = preset
    own = [OWN] if preset == OWN else []

    def picked() -> None:
        state.put("counts", None)
        open_example(st.session_state[key])

    st.selectbox(
        "Worked example",
        [*own, *EXAMPLES],
        key=key,
        format_func=lambda name: EXAMPLES[name].title if name else "Your own inputs",
        help="Fills the inputs and marks the figures the example is about. Invented for teaching.",
        on_change=picked,
    )
    return EXAMPLES.get(preset)


def sheet_from_boxes(texts: Texts, critic_row: DeltaGenerator) -> Sheet | None:
    """Draw the input boxes and return the figures, or None when `problem` has to say why.

    A critic's three rates go into `critic_row`.
    """
    _box("p", texts)
    _box("r", texts)
    _box("cap", texts)
    key = "arithmetic.critic"
    st.session_state[key] = texts["critic"] if texts["critic"] in CHECKS else "code"
    st.radio(
        "What checks a draft",
        list(CHECKS),
        format_func=CHECKS.get,
        key=key,
        help="A code check here neither misses nor misfires. A critic errs at two rates.",
        on_change=_edited,
        args=("critic", texts),
    )
    _box("fresh", texts)
    if texts["critic"] == "critic":
        rates = [name for name, field in SHARES.items() if field.critic_only]
        for name, column in zip(rates, critic_row.columns(3), strict=True):
            with column:
                _box(name, texts)
    try:
        return Sheet(read(texts))
    except InputError as error:
        st.session_state["arithmetic.problem"] = str(error)
        return None


def problem() -> None:
    """Say why there are no figures."""
    st.error("Nothing is computed from these inputs.")
    st.text(st.session_state.pop("arithmetic.problem", ""))


def read(texts: Texts) -> Inputs:
    """Return the inputs behind the texts; raises InputError naming the first that will not do."""
    found = {
        name: read_share(field.name, texts[name])[0]
        for name, field in SHARES.items()
        if _needed(name, texts) and not (field.optional and not texts[name].strip())
    }
    cap = read_whole(CAP.name, texts["cap"], 1, CAP_MAX)
    if texts["critic"] not in CHECKS:
        raise InputError("critic", f"{show(texts['critic'])} is no check.", "Choose one.")
    return Inputs(
        p=found["p"],
        r=found["r"],
        cap=cap,
        critic=texts["critic"] == "critic",
        far=found.get("far", 0.0),
        frr=found.get("frr", 0.0),
        damage=found.get("damage", 0.0),
        fresh=found.get("fresh"),
    )


def _needed(name: state.Name, texts: Texts) -> bool:
    return not SHARES[name].critic_only or texts["critic"] == "critic"


def _box(name: state.Name, texts: Texts) -> None:
    field, key = SHARES.get(name, CAP), f"arithmetic.{name}"
    st.session_state[key] = texts[name]
    st.text_input(
        f"{field.name} ({field.unit})",
        key=key,
        help=field.meaning,
        placeholder="independent draws" if field.optional else None,
        on_change=_edited,
        args=(name, texts),
    )
    if field.optional and not texts[name].strip():
        return
    try:
        note = _note(field, texts[name])
    except InputError as error:
        small(f"✕ {error.problem} {error.remedy}")
        return
    if note:
        st.caption(note)


def _note(field: Field, typed: str) -> str:
    """Return how a bare number is understood; raises InputError when it will not do."""
    if field is CAP:
        read_whole(field.name, typed, 1, CAP_MAX)
        return ""
    share, note = read_share(field.name, typed)
    return note or share_read_as(typed, share)


def _edited(name: state.Name, texts: Texts) -> None:
    use(texts | {name: st.session_state[f"arithmetic.{name}"]})
