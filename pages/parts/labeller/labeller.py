"""The labelling queue: one element that shows outputs and takes verdicts at typing speed.

The browser holds a stretch of the queue and moves through it by itself; a round trip per key
would put labels on outputs the reviewer never saw. What it did goes to the server as a cumulative
list of numbered acts, which the server may get twice or late: (client, seq) stores each once. The
browser forgets an act only when the server has said that it is stored. What the browser lacks it
asks for: the order (`order`), texts by id (`ids`), what a stored label is held against (`reveal`).
So an answer that gets lost costs nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import BenchError
from core.labelling.label import parse_entries
from core.store.labels import save_labels
from core.store.store import Project, Store
from pages.parts.labeller.feed import Asked, Question, Reviewer, queue_data, question

__all__ = ["Asked", "Question", "Reviewer", "labeller", "question", "receive"]

SCRIPTS = ("text_views", "keymap", "work", "shelf", "reader", "screen", "talk", "labeller")
"""In the order in which they need each other; the element takes one script."""


@st.fragment
def labeller(
    store: Store,
    project: Project,
    identity: str,
    reviewer: Reviewer,
    asked: Asked,
    above: Callable[[], None] = lambda: None,
) -> None:
    """Draw the queue of one reviewer; keeps what the browser sends.

    `identity` is the project's own, which the browser keeps unsent acts under. `above` draws what
    stands over the queue and goes along with it.
    """
    with st.container():
        above()
    key = f"labeller.{project.id}.{reviewer.id}"
    inbox = st.session_state.setdefault(
        f"{key}.inbox",
        {"session": uuid.uuid4().hex, "echo": "", "acks": {}, "refused": [], "failed": ""},
    )

    def received() -> None:
        receive(store, project, reviewer, st.session_state[key].get("sync"), inbox)

    sync = _sync(st.session_state.get(key))
    data = {
        "run": uuid.uuid4().hex,
        "queue": asked.queue,
        "scope": [identity, reviewer.key],
        "questions": [q.data for q in asked.questions],
        **inbox,
        **queue_data(store, project, reviewer, asked, sync),
    }
    _element()(key=key, data=data, default={"sync": None}, on_sync_change=received)


def receive(
    store: Store, project: Project, reviewer: Reviewer, sync: object, inbox: dict[str, Any]
) -> None:
    """Store the acts in `sync` and note in `inbox` what the browser may forget."""
    sync = sync if isinstance(sync, dict) else {}
    entries, refused = parse_entries(sync.get("entries"))
    inbox["echo"] = sync.get("nonce", "")
    try:
        saved = save_labels(store, project.id, reviewer.id, entries) if entries else None
    except BenchError as error:
        inbox["failed"] = str(error)
        return
    acks = dict(saved.ack) if saved else {}
    told = [(r.client, r.seq, r.why) for r in refused]
    if saved:
        told += [(entry.client, entry.seq, why) for entry, why in saved.refused]
    for client, seq, _ in told:
        acks[client] = max(seq, acks.get(client, 0))
    inbox["failed"] = ""
    inbox["refused"] = [{"client": c, "seq": s, "why": why} for c, s, why in told]
    for client, seq in acks.items():
        inbox["acks"][client] = max(seq, inbox["acks"].get(client, 0))


def _sync(state: Any) -> dict[str, Any]:
    sync = state.get("sync") if state else None
    return sync if isinstance(sync, dict) else {}


@st.cache_resource(show_spinner=False)
def _files() -> tuple[str, str, str]:
    here = Path(__file__).parent

    def read(name: str) -> str:
        return (here / name).read_text("utf-8")

    scripts = "".join(read(f"{name}.js") for name in SCRIPTS)
    return read("labeller.html"), read("labeller.css"), scripts


def _element() -> Any:
    html, css, js = _files()
    return st.components.v2.component("labeller", html=html, css=css, js=js)
