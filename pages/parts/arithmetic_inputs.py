"""What the arithmetic page is fed: a worked example, or what a person typed.

Either the address names an example (`?preset=…`) and the example's inputs are shown, or it holds
every input as typed (`?p=40&r=0.5&cap=3 …`). Editing one input of an example turns the first into
the second, so a link always shows everybody the same figures.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import InputError
from core.providers.prices import ModelInfo, Models, load_models, models_file
from core.wording import share_read_as
from pages.parts import state
from pages.parts.arithmetic_calibration import prefill
from pages.parts.arithmetic_fields import (
    CHECKS,
    CORE,
    FIELDS,
    LEVELS,
    NAMES,
    Scenario,
    Texts,
    beginning,
    needed,
    read,
    read_one,
    texts_of,
)
from pages.parts.panels import small
from sample_data.worked_examples import EXAMPLES, Example

OWN = ""


def models() -> Models:
    """Return the models and prices on offer, a team's own file included."""
    return load_models(models_file(os.environ, Path("workspace")))


def default_model() -> ModelInfo | None:
    """The model whose prices the boxes begin with: the first of the middle class that has them."""
    found = [m for m in models().values() if m.level is not None and m.input]
    return next((m for m in found if m.level == 2), found[0] if found else None)


def _begin() -> Texts:
    model = default_model()
    return beginning((None, None) if model is None else (model.input, model.output))


def full_texts(example: Example) -> Texts:
    """Return every input of an example as text."""
    return _begin() | texts_of(example.inputs)


def completed(some: Mapping[str, str]) -> Texts:
    """Return every input, from those given (by name) and what the boxes begin with."""
    plain = full_texts(EXAMPLES[next(iter(EXAMPLES))])
    return plain | {name: some[name] for name in NAMES if name in some}


def chosen() -> tuple[str, Texts]:
    """Return the example that is open ("" for own inputs) and the inputs as texts."""
    in_address = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    if in_address and "preset" not in st.query_params:
        texts = completed(in_address)
        use(texts)
        return OWN, texts
    preset = state.get("preset")
    kept = {name: text for name in NAMES if (text := state.kept(name)) is not None}
    if preset not in EXAMPLES and kept:
        texts = completed(kept)
        use(texts)
        return OWN, texts
    preset = preset if preset in EXAMPLES else next(iter(EXAMPLES))
    open_example(preset)
    return preset, full_texts(EXAMPLES[preset])


def use(texts: Texts) -> None:
    """Make these the person's own inputs."""
    state.put("preset", None)
    plain = _begin()
    for name in NAMES:
        same = name not in CORE and texts[name] == plain[name]
        state.put(name, None if same else texts[name])


def use_button(key: str, texts: Texts) -> None:
    """Draw the button that puts what was measured into the calculator."""
    st.button(
        "Use in the calculator", key=f"arithmetic.use.{key}",
        on_click=use, args=(texts,),
    )  # fmt: skip


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


def scenario_from_boxes(texts: Texts, critic_row: DeltaGenerator) -> Scenario | None:
    """Draw the input boxes and return what they say, or None when `problem` has to say why.

    A critic's rates go into `critic_row`.
    """
    for name in ("p", "r", "cap"):
        _box(name, texts)
    _choice("critic", "What checks a draft", CHECKS, texts,
            "A code check here neither misses nor misfires unless you say so below. A critic errs "
            "at two rates.")  # fmt: skip
    _box("fresh", texts)
    if texts["critic"] == "critic" and texts["level"] != "accepted":
        columns = critic_row.columns(3)
        for name, column in zip(("far", "frr", "damage"), columns, strict=True):
            with column:
                _box(name, texts)
        with critic_row:
            prefill(texts, use)
    _further(texts)
    try:
        found = read(texts)
        assert found.sheet  # what the inputs contradict is found when they are worked out
    except InputError as error:
        st.session_state["arithmetic.problem"] = str(error)
        return None
    return found


def _further(texts: Texts) -> None:
    with st.expander("Drafts and check in more detail"):
        _choice("level", "What p and r are about", LEVELS, texts,
                "Good or bad needs gold labels on drafts. If you only know what the check accepted, "
                "choose the second: then nothing is said about good work.")  # fmt: skip
        for name in ("rates", "rho"):
            _box(name, texts)
        if texts["level"] == "accepted":
            small("At accepted level p and r hold the check's errors already.")
        else:
            plain = ("catches", "misfires", "damage")
            for name in plain[: 2 if texts["critic"] == "critic" else 3]:
                _box(name, texts)
    with st.expander("Tokens, prices and time"):
        _price_pickers(texts)
        for name in ("usd_in", "usd_out", "critic_in", "critic_out", "prompt", "reply", "growth",
                     "rubric", "verdict", "seconds", "critic_seconds"):  # fmt: skip
            _box(name, texts)
    with st.expander("A month, and what mistakes cost"):
        for name in ("tasks", "handover", "wrong"):
            _box(name, texts)


def _price_pickers(texts: Texts) -> None:
    """Draw the choice of models that fill the price boxes."""
    known = {m.id: m for m in models().values() if m.input is not None and m.output is not None}
    for who, names in (("Writer", ("usd_in", "usd_out")), ("Critic", ("critic_in", "critic_out"))):
        key = f"arithmetic.model.{who}"
        now = next(
            (m.id for m in known.values()
             if (f"{m.input:g}", f"{m.output:g}") == (texts[names[0]], texts[names[1]])),
            None,
        )  # fmt: skip
        st.session_state[key] = now
        st.selectbox(
            f"{who}: prices of", list(known), key=key, placeholder="your own prices",
            format_func=lambda one: known[one].name or one,
            help="Fills the two price boxes. Prices come from the models file, with their date.",
            on_change=_priced, args=(key, names, texts),
        )  # fmt: skip
        if now and known[now].as_of:
            small(f"Prices as of {known[now].as_of}.")


def _priced(key: str, names: tuple[state.Name, state.Name], texts: Texts) -> None:
    model = models().get(st.session_state[key] or "")
    if model is not None:
        into: Texts = {names[0]: f"{model.input:g}", names[1]: f"{model.output:g}"}
        use(texts | into)


def problem() -> None:
    """Say why there are no figures."""
    st.error("Nothing is computed from these inputs.")
    st.text(st.session_state.pop("arithmetic.problem", ""))


def _choice(
    name: state.Name, label: str, options: Mapping[str, str], texts: Texts, help: str
) -> None:
    key = f"arithmetic.{name}"
    st.session_state[key] = texts[name] if texts[name] in options else next(iter(options))
    st.radio(
        label, list(options), format_func=options.get, key=key, help=help,
        on_change=_edited, args=(name, texts),
    )  # fmt: skip


def _box(name: state.Name, texts: Texts) -> None:
    field, key = FIELDS[name], f"arithmetic.{name}"
    st.session_state[key] = texts[name]
    st.text_input(
        f"{field.name} ({field.unit})",
        key=key,
        help=field.help,
        placeholder=field.empty or None,
        on_change=_edited,
        args=(name, texts),
    )
    if not needed(name, texts):
        return
    try:
        _, rate, note = read_one(name, texts[name])
    except InputError as error:
        small(f"✕ {error.problem} {error.remedy}")
        return
    if rate is not None and not note:
        note = share_read_as(texts[name], rate.value)
    if note:
        st.caption(note)


def _edited(name: state.Name, texts: Texts) -> None:
    new = texts | {name: st.session_state[f"arithmetic.{name}"]}
    if new["level"] == "accepted" and name == "level":
        new |= {"far": "0 %", "frr": "0 %", "damage": "0 %", "catches": "", "misfires": "0 %"}
    use(new)
