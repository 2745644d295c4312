"""Making the dev / test split, and saying what it is."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from core.labelling.split import Side, Split
from core.store.splits import StoredSplit, load_split, make_split, sides
from core.store.store import Project
from core.wording import plural, read_share
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.workspace import store


def split_control(project: Project) -> StoredSplit | None:
    """Draw the split and the way to make one; returns it, or None when there is none yet."""
    found = load_split(store(), project.id)
    if found is None:
        with st.container(border=True):
            st.text(
                "Split the samples first: the judge is tuned on dev, and measured on test, which "
                "nobody tunes on. Outputs of one sample stay together; samples that come later get "
                "a side by the same seed."
            )
            _form(project)
        return None
    counted = Counter(sides(store(), project.id, found.split).values())
    small(
        f"Dev: {plural(counted[Side.DEV], 'output')} · test: {plural(counted[Side.TEST], 'output')}, "
        f"never touched here · seed {found.split.seed} · since {found.at[:10]}"
        + (f" · replaces {plural(found.earlier, 'earlier split')}" if found.earlier else "")
    )
    with st.popover("Split anew"):
        st.text("What was tuned on before may then be in the test: its numbers are too good.")
        _form(project)
    return found


def _form(project: Project) -> None:
    left, right = st.columns(2)
    left.text_input("Seed", "1", key=f"judge.split.seed.{project.id}")
    right.text_input("Share kept for the test", "50 %", key=f"judge.split.share.{project.id}")
    st.button(
        "Split the samples", key="judge.split", type="primary", on_click=_split, args=(project,)
    )


@guarded
def _split(project: Project) -> None:
    share, _ = read_share(
        "share kept for the test", st.session_state[f"judge.split.share.{project.id}"]
    )
    make_split(
        store(),
        project.id,
        Split(st.session_state[f"judge.split.seed.{project.id}"].strip(), share),
    )
