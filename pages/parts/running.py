"""Runs in the app's own process: the thread that executes them, and where keys come from."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.contract.contract import Budget
from core.runs.background import Background, start
from core.runs.models import Price, price_list
from core.store.runs import Wish, ask, resume
from core.store.store import open_store
from pages.parts.guard import guarded
from pages.parts.workspace import store


def secrets() -> Mapping[str, object]:
    """Return what Streamlit's secrets hold; nothing where there are none."""
    try:
        return st.secrets.to_dict() if st.secrets.load_if_toml_exists() else {}
    except FileNotFoundError:
        return {}


def runs() -> Background:
    """Return the thread that executes this workspace's runs, started if it is not there."""
    address = store().engine.url.render_as_string(hide_password=False)
    return start(lambda: open_store(url=address), address, secrets)


@st.cache_resource(show_spinner=False)
def go_on() -> None:
    """Start the thread once a server: what was left unfinished goes on without being asked."""
    runs()


def prices() -> Price:
    """Return what tokens cost, by the models file as it is now."""
    return price_list()


@guarded
def wish(run_id: int, wanted: Wish) -> None:
    """Ask a run to pause or to end; it does so once the calls in the air are back."""
    ask(store(), run_id, wanted)


@guarded
def go_on_with(run_id: int, free: bool = False) -> None:
    """Let a run that stopped go on, under its budget or, with `free`, under none."""
    resume(store(), run_id, Budget() if free else None)
    runs().wake()
