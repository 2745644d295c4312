"""Where the cursor lives: session values that also stand in the address, under typed names.

Facts are in the store. What a person is looking at (project, reviewer, judge, output …) is kept
in the session and in the address, so that F5, a second tab, a link and the back button all show
the same thing. The address wins when the two differ: somebody typed it, followed a link or went
back. Switching pages drops the address; the session puts it back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

Name = Literal[
    "project",
    "reviewer",
    "version",
    "judge",
    "other",
    "run",
    "only",
    "criterion",
    "output",
    "sample",
    "cell",
    "trace",
    "round",
    "arm",
    "exit",
    "shape",
    "accepted",
    "view",
    "panel",
    "row",
    "group",
    "preset",
    "draft",
    "p",
    "r",
    "cap",
    "critic",
    "far",
    "frr",
    "damage",
    "fresh",
    "counts",
    "column",
    "value",
    "chosen",
    "other",
    "anchor",
    "limit",
    "slice",
    "part",
    "asking",
    "list",
    "level",
    "rates",
    "rho",
    "catches",
    "misfires",
    "prompt",
    "reply",
    "growth",
    "rubric",
    "verdict",
    "usd_in",
    "usd_out",
    "critic_in",
    "critic_out",
    "seconds",
    "critic_seconds",
    "handover",
    "wrong",
    "tasks",
    "source",
    "compare",
    "from",
    "beside",
    "under",
    "by",
    "stop_cap",
    "stop_window",
    "stop_arm",
    "measure",
    "goal_call",
    "goal_wrong",
    "goal_handover",
    "since",
    "said",
    "sort",
    "aligned",
    "page",
]


PAGE = "shell.page"
"""The session key under which the shell says which page is drawn."""


def get(name: Name, default: str | None = None) -> str | None:
    """Return what the address or the session holds under `name`, and keep both alike."""
    key = _key(name)
    value = st.query_params.get(name) or st.session_state.get(key) or default
    put(name, value)
    return value


def kept(name: Name) -> str | None:
    """Return what the session holds under `name`; an empty text is one, unlike in `get`."""
    text: str | None = st.session_state.get(_key(name))
    return text


def _key(name: Name, page: str | None = None) -> str:
    """Return the session key of a name; every page has a view of its own."""
    if name == "view":
        return f"link.view.{page or st.session_state.get(PAGE, '')}"
    return f"link.{name}"


def put_view(page: str, view: str | None) -> None:
    """Choose the view another page opens with; None leaves it as it was."""
    if view is None:
        return
    st.session_state[_key("view", page)] = view
    if page == st.session_state.get(PAGE):
        put("view", view)


def put(name: Name, value: str | None) -> None:
    """Set `name` in session and address; None removes it."""
    key = _key(name)
    if value is None:
        st.session_state.pop(key, None)
        st.query_params.pop(name, None)
        return
    st.session_state[key] = value
    if st.query_params.get(name) != value:
        st.query_params[name] = value


def pick(
    name: Name,
    label: str,
    options: Sequence[str],
    *,
    show: Callable[[str], str] = str,
    help: str | None = None,
    widget: Callable[..., str | None] = st.selectbox,
    **settings: object,
) -> str | None:
    """Draw a selection whose value lives under `name`; returns it, or None without options.

    An address that names an option which does not exist falls back to the first one.
    """
    if not options:
        put(name, None)
        return None
    current = get(name)
    if current not in options:
        current = options[0]
        put(name, current)
    key = f"pick.{name}"
    st.session_state[key] = current

    def chosen() -> None:
        put(name, st.session_state[key])

    return widget(
        label, options, format_func=show, key=key, help=help, on_change=chosen, **settings
    )
