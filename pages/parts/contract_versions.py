"""The versions of a contract: read one, see what changed since, bring one back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.contract.contract import Contract
from core.contract.difference import differences, stale
from core.files.contracts import contract_to_json, contract_to_yaml
from core.render import contract_markdown
from core.store.contracts import Version
from core.store.contracts import versions as all_versions
from core.wording import plural
from pages.parts.contract_desk import Desk, write
from pages.parts.panels import small, verbatim
from pages.parts.workspace import store


@st.cache_resource(max_entries=50, show_spinner=False)
def _saved(project_id: int, revision: int) -> list[Version]:
    return all_versions(store(), project_id)


@st.cache_resource(max_entries=50, show_spinner=False)
def _texts(version_id: int, _contract: Contract) -> tuple[str, str, str]:
    """Return a version as page, YAML and JSON; writing 500 criteria as YAML takes a second."""
    return contract_markdown(_contract), contract_to_yaml(_contract), contract_to_json(_contract)


def versions(desk: Desk) -> None:
    """Draw the saved versions, newest first, and one of them in full."""
    found = _saved(desk.project.id, desk.project.revision)
    if not found:
        st.caption("Nothing saved yet.")
        return
    st.dataframe(
        [
            {
                "Version": v.number,
                "Saved (UTC)": v.created_at[:16].replace("T", " "),
                "By": v.author,
                "Ready": "✓ ready" if v.ready else "",
                "What changed": v.name,
                "Criteria": len(v.contract.criteria),
            }
            for v in found
        ],
        hide_index=True,
    )
    numbers = {v.number: v for v in found}
    left, right, _ = st.columns([1, 1, 2], vertical_alignment="bottom")
    one = left.selectbox("Read version", list(numbers), key=f"contract.read.{found[0].number}")
    others = [n for n in numbers if n != one]
    two = right.selectbox(
        "and what changed since",
        others,
        key=f"contract.since.{found[0].number}",
        disabled=not others,
        index=0 if others else None,
    )
    chosen = numbers[one]
    if two is not None:
        older, newer = sorted((chosen, numbers[two]), key=lambda v: v.number)
        _difference(older, newer)
    with st.container(horizontal=True):
        name = f"contract-v{chosen.number}"
        st.button(
            f"Bring back version {one}",
            on_click=_restore,
            args=(desk, chosen, found),
            disabled=one == found[0].number,
            help="Puts its content into the editor as unsaved changes; nothing is overwritten.",
        )
        page, yaml, json_text = _texts(chosen.id, chosen.contract)
        st.download_button("One page (Markdown)", page, f"{name}.md", on_click="ignore")
        st.download_button("YAML", yaml, f"{name}.yaml", on_click="ignore")
        st.download_button("JSON", json_text, f"{name}.json", on_click="ignore")
    shown = st.segmented_control("Show as", ["Page", "YAML"], default="Page", required=True)
    verbatim(page if shown == "Page" else yaml, height=520)


def _difference(older: Version, newer: Version) -> None:
    """Draw the changes between two versions; a renamed criterion is the same one."""
    keys = {identity: key for key, identity in newer.criteria.items()}
    renames = {k: keys[i] for k, i in older.criteria.items() if i in keys and keys[i] != k}
    changes = differences(older.contract, newer.contract, renames)
    small(
        f"From version {older.number} to version {newer.number}: {plural(len(changes), 'change')}"
    )
    if changes:
        st.dataframe(
            [
                {"Change": c.kind.value, "Where": c.where, "Before": c.before, "After": c.after}
                for c in changes
            ],
            hide_index=True,
        )
    gone = stale(older.contract, newer.contract, renames)
    if gone.labels:
        small("Labels given for the older wording: " + ", ".join(gone.labels))
    if gone.verdicts:
        small("Verdicts given for the older wording or check: " + ", ".join(gone.verdicts))


def _restore(desk: Desk, chosen: Version, found: Sequence[Version]) -> None:
    newest = {identity: key for key, identity in found[0].criteria.items()}
    data = json.loads(json.dumps(chosen.contract.to_data()))
    origins = tuple(newest.get(chosen.criteria[c["key"]], "") for c in data["criteria"])
    write(
        desk,
        replace(desk.draft, contract=data, origins=origins, based_on=found[0].number),
        turn=True,
    )
