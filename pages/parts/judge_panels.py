"""The parts of the judge page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.runs.code_checks import runnable
from core.statistics.confusion import FAIL, MISSING, PASS
from core.store.contracts import Version
from core.store.judgements import Judge, JudgeKind
from core.store.imports import Import, imports_of
from core.store.store import Project
from core.wording import plural
from pages.parts.numbers import code_counts
from pages.parts.workspace import store

KIND = {JudgeKind.CODE: "code", JudgeKind.RECORDED: "recorded", JudgeKind.MODEL: "model"}


def judged(known: Sequence[Judge], outputs: int) -> None:
    """Draw who has judged how many outputs."""
    st.subheader("Who has judged", anchor=False)
    if not known:
        st.caption("Nobody yet.")
        return
    st.dataframe(
        [
            {
                "Judge": j.name,
                "Kind": KIND[j.kind],
                "Outputs judged": f"{j.outputs:,} of {outputs:,}",
            }
            for j in known
        ],
        hide_index=True,
    )


def code_table(project: Project, version: Version) -> None:
    """Draw what each code check said: counts of PASS, FAIL and no verdict."""
    codes = code_counts(project, version)
    st.dataframe(
        [
            {
                "Criterion": c.key,
                "Question": c.question,
                "Check": c.check["kind"] if c.check else "",
                "PASS": codes[c.key][PASS],
                "FAIL": codes[c.key][FAIL],
                "Not run": codes[c.key][MISSING],
            }
            for c in runnable(version)
        ],
        hide_index=True,
    )


def imports(project: Project) -> None:
    """Draw what was imported, with the choices made about its words."""
    found = imports_of(store(), project.id)
    if not found:
        return
    st.subheader("Imports", anchor=False)
    st.caption("The words chosen for PASS and FAIL stand behind every number made from that file.")
    st.dataframe(
        [
            {
                "When (UTC)": i.at[:16].replace("T", " "),
                "What": i.kind,
                "File": i.file_name,
                "PASS means": ", ".join(i.choices.get("pass", [])) if i.choices else "",
                "FAIL means": _fails(i.choices) if i.choices else "",
                "Stored": plural(i.counts.get("new", 0) + _changed(i), "row"),
                "Already here": i.counts.get("present", 0),
                "Left out": i.counts.get("no_output", 0) + i.counts.get("no_criterion", 0),
            }
            for i in found
        ],
        hide_index=True,
    )


def _fails(choices: dict[str, list[str] | None]) -> str:
    words = choices.get("fail")
    return "every other word" if words is None else ", ".join(words)


def _changed(batch: Import) -> int:
    """Return how many rows of a batch took the place of others; outputs kept back do not."""
    return batch.counts.get("replaced" if batch.kind == "outputs" else "changed", 0)
