"""Ways to begin a contract: a sample's, a pasted rubric, a YAML or JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from core.contract.rubric import describe, split_rubric, to_draft
from core.errors import InputError
from core.files.contracts import parse_contract, read_contract
from pages.parts.contract_desk import Desk, say, write
from pages.parts.guard import guarded
from sample_data.samples import SAMPLES


def start_from(desk: Desk) -> None:
    """Draw the popover with every way to begin; each fills the draft and overwrites no version."""
    with st.popover("Start from …"):
        st.caption("Fills the editor as unsaved changes. Saved versions stay as they are.")
        slug = st.selectbox(
            "A sample's contract", list(SAMPLES), format_func=lambda s: SAMPLES[s].title,
            key="contract.start.sample",
        )  # fmt: skip
        st.button("Use this sample", on_click=_sample, args=(desk, slug))
        st.text_area(
            "A rubric in prose", key="contract.start.rubric", height=140,
            placeholder="1. At most 60 words.\n2. Mentions the refund.\n3. Must not blame the customer.",
            help="Lists, headings, weights in brackets and sentences with must or should are understood.",
        )  # fmt: skip
        st.button("Split into criteria", on_click=_rubric, args=(desk,))
        file = st.file_uploader(
            "A contract file", type=["yaml", "yml", "json"], key="contract.start.file"
        )
        if file is not None:
            st.button("Use this file", on_click=_file, args=(desk, file.name, file.getvalue()))


def _fill(desk: Desk, data: Mapping[str, Any], said: str, more: str = "") -> None:
    """Put a contract's data into the draft; criteria the version has under the same key stay it."""
    known = set() if desk.version is None else set(desk.version.contract.keys)
    origins = tuple(str(c["key"]) if c.get("key") in known else "" for c in data["criteria"])
    content = {**desk.data, **data}
    write(desk, replace(desk.draft, contract=content, origins=origins), turn=True)
    say(True, said, more)


@guarded
def _sample(desk: Desk, slug: str) -> None:
    contract = read_contract(SAMPLES[slug].contract)
    _fill(desk, contract.to_data(), "Filled from the sample.", SAMPLES[slug].title)


@guarded
def _file(desk: Desk, name: str, data: bytes) -> None:
    try:
        contract = parse_contract(data, name)
    except InputError as error:
        say(False, "This file cannot be used. The draft is as it was.", str(error))
        return
    _fill(desk, contract.to_data(), "Filled from the file.", name)


@guarded
def _rubric(desk: Desk) -> None:
    text = st.session_state["contract.start.rubric"]
    try:
        rubric = split_rubric(text)
    except InputError as error:
        say(False, "This rubric cannot be used. The draft is as it was.", str(error))
        return
    if not rubric.criteria:
        say(False, "No criterion was found in this text. The draft is as it was.", "")
        return
    notes = "\n".join(describe(note) for note in rubric.notes)
    _fill(desk, to_draft(rubric), f"Split into {len(rubric.criteria)} criteria: read each.", notes)
