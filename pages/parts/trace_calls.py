"""The calls of a round: the exact request and the reply as it came, from the ledger."""

from __future__ import annotations

import json

import streamlit as st

from core.loop.trace import Trace
from core.runs.trace_calls import Exchange, exchanges
from core.store.store import Project
from core.wording import plural
from pages.parts.panels import small, visible
from pages.parts.workspace import store

WHO = {"writer": "Writer", "judge": "Judge", "notes": "Writer, note to itself"}
OF_A_FILE = (
    "Requests and replies are kept for loops that ran here. This trace came from a file, which "
    "holds none."
)


@st.cache_resource(max_entries=30, show_spinner="Reading the calls …")
def _exchanges(
    project_id: int, revision: int, _trace: Trace, trace_id: str
) -> list[Exchange] | None:
    return exchanges(store(), project_id, trace_id, _trace.arm)


def calls_panel(project: Project, trace: Trace, here: int) -> None:
    """Draw the calls of a round when somebody asks for them."""
    if not st.toggle(
        "Show the calls", key="traces.calls", help="Requests and replies as they were."
    ):
        return
    found = _exchanges(project.id, project.revision, trace, trace.trace_id)
    if found is None:
        small(OF_A_FILE)
        return
    mine = [e for e in found if e.attempt.round == here]
    if not mine:
        small("No call was made in this round: its judgement was reused or code alone decided.")
        return
    small(f"{plural(len(mine), 'attempt')} in round {here}, in the order they were made.")
    for one in mine:
        _one(one)


def _one(one: Exchange) -> None:
    a = one.attempt
    parts = [f"Call {a.number}", WHO.get(a.role, a.role)]
    parts += [a.part] if a.part else []
    parts += ["shared by both arms"] if not a.arm else []
    parts += [f"asked again ({a.ask})"] if a.ask > 1 else []
    parts += [f"attempt {a.attempt}"] if a.attempt > 1 else []
    parts.append("reply" if a.outcome == "reply" else a.outcome or "no answer known")
    if a.tokens_in is not None or a.tokens_out is not None:
        parts.append(f"{a.tokens_in or 0:,} tokens in, {a.tokens_out or 0:,} out")
    if a.cache_read:
        parts.append(f"{a.cache_read:,} from the cache")
    parts.append("price not set" if a.usd is None else f"{a.usd:.6f} USD")
    if a.seconds is not None:
        parts.append(f"{a.seconds:.2f} s")
    with st.container(border=True, key=f"traces.call.{a.number}"):
        small(" · ".join(parts))
        _request(one)
        st.caption("Reply, the text")
        if a.text is None:
            st.text(visible(a.error or "None came."))
        else:
            st.code(visible(a.text), language=None, wrap_lines=True)
        if a.raw and a.raw != a.text:
            with st.expander("The body as it came"):
                st.code(visible(a.raw), language=None, wrap_lines=True)


def _request(one: Exchange) -> None:
    call = one.request
    if call is None:
        small(
            "What was sent cannot be built again word for word: the sample or the contract it was "
            "made from was changed since. Its hash is " + one.attempt.request_hash + "."
        )
        return
    effort = "" if call.effort is None else f" · effort {call.effort}"
    small(f"Model {call.model} · at most {call.max_tokens:,} tokens of reply{effort}")
    with st.expander("Request, exactly as sent"):
        if call.system:
            st.caption("System")
            st.code(visible(call.system), language=None, wrap_lines=True)
        for message in call.messages:
            st.caption(message.role.value.capitalize())
            st.code(visible(message.text), language=None, wrap_lines=True)
        if call.schema is not None:
            st.caption("Form of the reply (JSON schema)")
            st.code(json.dumps(dict(call.schema), indent=1), language=None, wrap_lines=True)
