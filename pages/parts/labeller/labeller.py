"""The labelling queue: one element that shows outputs and takes verdicts at typing speed.

The browser holds a stretch of the queue and moves through it by itself; a round trip per key
would put labels on outputs the reviewer never saw. What it did goes to the server as a cumulative
list of numbered acts, which the server may get twice or late: (client, seq) stores each once. The
browser forgets an act only when the server has said that it is stored. What the browser lacks it
asks for: the order (`order`), texts by id (`ids`). So an answer that gets lost costs nothing.

Only the reviewer's own labels are read here: no verdict of a judge, no label of a colleague.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.contract.contract import Contract
from core.errors import BenchError
from core.labelling.label import parse_entries
from core.labelling.queue import queue_order, shuffled
from core.store.contracts import same_question
from core.store.labels import reviewer_labels, save_labels
from core.store.outputs import StoredOutput, current_ids, load_outputs
from core.store.store import Project, Store
from core.verdict import OVERALL

AHEAD = 200
BEHIND = 10
CHUNK = 20
BUDGET = 1_000_000
HARD_BUDGET = 4_000_000


@dataclass(frozen=True)
class Question:
    """What the reviewer is asked about each output."""

    key: str
    text: str
    task: str = ""
    pass_example: str = ""
    fail_example: str = ""
    hash: str = ""

    @property
    def queue(self) -> str:
        """Name of the queue: another wording is another queue, in which old labels are stale."""
        return f"{self.key}:{self.hash}"


@dataclass(frozen=True)
class Reviewer:
    """Who labels: id in the store, the name as first given, and the key it is known by."""

    id: int
    name: str
    key: str


def question(contract: Contract | None, key: str) -> Question:
    """Return the question for a criterion of the contract, or for the output as a whole."""
    task = contract.task if contract else ""
    if contract is None or key == OVERALL:
        return Question(OVERALL, "Taken as a whole, is this output good enough to accept?", task)
    c = contract.criterion(key)
    return Question(key, c.question, task, c.pass_example, c.fail_example, c.question_hash)


@st.fragment
def labeller(
    store: Store, project: Project, identity: str, reviewer: Reviewer, asked: Question
) -> None:
    """Draw the queue of one reviewer for one question; keeps what the browser sends.

    `identity` is the project's own, which the browser keeps unsent acts under.
    """
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
        "question": {
            "key": asked.key, "text": asked.text, "task": asked.task, "hash": asked.hash,
            "pass": asked.pass_example, "fail": asked.fail_example,
        },
        **inbox,
        **queue_data(store, project, reviewer, asked, sync),
    }  # fmt: skip
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


def queue_data(
    store: Store, project: Project, reviewer: Reviewer, asked: Question, sync: dict[str, Any]
) -> dict[str, Any]:
    """Return the part of the answer the browser asked for: the order with states, and texts."""
    answer: dict[str, Any] = {}
    wanted = [i for i in sync.get("ids") or [] if isinstance(i, int)]
    if sync.get("queue") != asked.queue or sync.get("order"):
        same = same_question(store, project.id, asked.hash)
        own = reviewer_labels(store, project.id, reviewer.id, asked.key)
        stale = {s.output_id for s in own if s.question_hash not in same}
        order, start = queue_order(
            shuffled(current_ids(store, project.id), reviewer.key, project.slug),
            {s.output_id for s in own if s.verdict is not None and s.output_id not in stale},
            {s.output_id for s in own if s.deferred},
        )
        answer["order"] = order
        answer["states"] = {
            str(s.output_id): [s.verdict, s.deferred, s.note, s.output_id in stale] for s in own
        }
        if not wanted:
            # The first screen must not wait for another round trip; a browser that was here
            # before has most texts already and asks for the rest.
            ahead = CHUNK if sync else AHEAD
            wanted = order[start : start + ahead] + order[max(0, start - BEHIND) : start]
    items, gone = texts(store, project.id, wanted)
    return {**answer, "items": items, "gone": gone}


def texts(
    store: Store, project_id: int, ids: Sequence[int]
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the outputs with these ids, as many as fit, and the ids that do not exist.

    At least the first CHUNK of them unless they exceed HARD_BUDGET characters, always one.
    """
    items: list[dict[str, Any]] = []
    gone: list[int] = []
    size = 0
    for at in range(0, len(ids), CHUNK):
        if size > BUDGET:
            break
        chunk = ids[at : at + CHUNK]
        found = {output.id: output for output in load_outputs(store, project_id, chunk)}
        for output_id in chunk:
            output = found.get(output_id)
            if output is None:
                gone.append(output_id)
                continue
            size += len(output.text) + len(output.input)
            if items and size > HARD_BUDGET:
                return items, gone
            items.append(_item(output))
    return items, gone


def _item(output: StoredOutput) -> dict[str, Any]:
    return {
        "id": output.id, "sample": output.sample_id, "trial": output.trial,
        "text": output.text, "input": output.input,
    }  # fmt: skip


def _sync(state: Any) -> dict[str, Any]:
    sync = state.get("sync") if state else None
    return sync if isinstance(sync, dict) else {}


@st.cache_resource(show_spinner=False)
def _files() -> tuple[str, str, str]:
    here = Path(__file__).parent

    def read(name: str) -> str:
        return (here / name).read_text("utf-8")

    return read("labeller.html"), read("labeller.css"), read("screen.js") + read("labeller.js")


def _element() -> Any:
    html, css, js = _files()
    return st.components.v2.component("labeller", html=html, css=css, js=js)
