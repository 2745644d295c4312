"""Marking a saved version as ready, or taking that back, and what stands in the way."""

from __future__ import annotations

import streamlit as st

from core.contract.contract import Contract
from core.store.contracts import Version, blockers, mark_ready
from core.store.store import Project
from core.wording import plural
from pages.parts.contract_desk import say
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.workspace import store

SHOWN = 20
"""Blockers listed one by one."""


@st.cache_resource(max_entries=50, show_spinner=False)
def _blockers(version_id: int, _contract: Contract) -> list[str]:
    return [str(error) for error in blockers(_contract)]


def ready_popover(project: Project, version: Version, place: str) -> None:
    """Draw whether a version is ready and the way to change that; `place` tells two of it apart."""
    if version.ready:
        st.button(
            f"✓ Version {version.number} is ready: take back",
            key=f"contract.unready.{place}",
            on_click=_mark,
            args=(project, version, False),
            help="Its content stays as it is; it is only no longer marked as the one to work with.",
        )
        return
    with st.popover(f"Mark version {version.number} as ready"), st.container(width=380):
        left = _blockers(version.id, version.contract)
        if left:
            small(f"{plural(len(left), 'thing')} in the way; a new version can mend them:")
            st.text("\n".join(f"• {line}" for line in left[:SHOWN]))
            if len(left) > SHOWN:
                small(f"{len(left) - SHOWN:,} more.")
        else:
            small(
                "Every criterion has its examples, every check judges them as written, and what "
                "goes unexamined is said."
            )
        st.button(
            "Mark as ready",
            key=f"contract.mark.{place}",
            type="primary",
            on_click=_mark,
            args=(project, version, True),
            disabled=bool(left),
        )


@guarded
def _mark(project: Project, version: Version, ready: bool) -> None:
    mark_ready(store(), project.id, version.number, ready)
    said = "is marked as ready" if ready else "is no longer marked as ready"
    say(True, f"Version {version.number} {said}.", "")
