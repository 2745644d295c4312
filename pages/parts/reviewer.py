"""Who is labelling: signed in, or named once; the name stays in the address."""

from __future__ import annotations

import streamlit as st

from core.store.labels import save_reviewer
from core.store.store import Project, Store
from core.text import person_key
from pages.parts import state
from pages.parts.labeller.labeller import Reviewer


def need_reviewer(store: Store, project: Project, doing: str = "labelling") -> Reviewer:
    """Return the reviewer, or ask who is `doing` this and end the page: nobody labels unnamed."""
    name = named()
    if not person_key(name):
        _ask(doing)
        st.stop()
    reviewer_id, first_given = save_reviewer(store, project.id, name)
    if not signed_in():
        state.put("reviewer", first_given)
    return Reviewer(reviewer_id, first_given, person_key(first_given))


def named() -> str:
    """Return the name of the person at this screen, signed in or given once, "" for nobody yet."""
    return signed_in() or state.get("reviewer") or ""


def signed_in() -> str:
    """Return the signed-in person's name with the e-mail address, or "" without sign-in.

    Two people may share a name; the address tells them apart.
    """
    if not getattr(st.user, "is_logged_in", False):
        return ""
    name, email = (str(getattr(st.user, what, None) or "") for what in ("name", "email"))
    return f"{name} ({email})" if name and email and name != email else name or email


def change() -> None:
    """Forget the name, so that the page asks again."""
    state.put("reviewer", None)


def _ask(doing: str) -> None:
    with st.form("reviewer.form", width=460):
        st.subheader(f"Who is {doing}?", anchor=False)
        st.caption(
            "Every label belongs to a person. Use the same name each time; "
            "capitals and blanks around it make no difference."
        )
        name = st.text_input("Your name", key="reviewer.name", max_chars=80)
        if st.form_submit_button(f"Start {doing}", type="primary"):
            if person_key(name):
                state.put("reviewer", name)
                st.rerun()
            st.error("The name is blank. Type your name: labels belong to a person.")
