"""What a reviewer's browser is given: the list, own labels, texts, and what may be seen after.

Only the reviewer's own labels are read here: no verdict of a judge, no label of a colleague. A
label for an earlier wording is not sent either, before a new one is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.contract.contract import Contract
from core.labelling.filters import Filter, Mark, matching
from core.labelling.pace import RECENT, pace
from core.store.contracts import latest_version, same_question
from core.store.labels import LabelState, reviewer_labels
from core.store.loops import handed_outputs
from core.store.outputs import (
    StoredOutput,
    load_outputs,
    output_ids,
    previous_texts,
)
from core.store.own import disagreed, recent_seconds
from core.store.practice import reveals
from core.store.queues import build_queue, slot_states
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
    def data(self) -> dict[str, str]:
        """The question as the browser gets it."""
        return {
            "key": self.key, "text": self.text, "task": self.task, "hash": self.hash,
            "pass": self.pass_example, "fail": self.fail_example,
        }  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What a reviewer works on: one question or several of each output, and which outputs."""

    questions: tuple[Question, ...]
    which: Filter = Filter.ALL

    @property
    def queue(self) -> str:
        """Name of the queue: another wording is another queue, in which old labels are stale."""
        return " ".join([self.which, *(f"{q.key}:{q.hash}" for q in self.questions)])


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


def queue_data(
    store: Store, project: Project, reviewer: Reviewer, asked: Asked, sync: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the part of the answer the browser asked for.

    The order with the reviewer's own labels, texts by id, the ids one can jump to, and what a
    label is held against once it is stored. What is not asked for is not in it.
    """
    answer: dict[str, Any] = {}
    wanted = [i for i in sync.get("ids") or [] if isinstance(i, int)]
    if sync.get("queue") != asked.queue or sync.get("order"):
        start = _list(store, project, reviewer, asked, answer)
        if not wanted:
            # The first screen must not wait for another round trip; a browser that was here
            # before has most texts already and asks for the rest.
            ahead, order = CHUNK if sync else AHEAD, answer["order"]
            near = order[start : start + ahead] + order[max(0, start - BEHIND) : start]
            wanted = list(dict.fromkeys(_output(slot) for slot in near))
    answer["reveal"] = _reveal(store, project, reviewer, asked, sync.get("reveal"))
    if sync.get("names"):
        answer["names"] = _names(store, project)
    answer["items"], answer["gone"] = texts(store, project.id, wanted)
    answer["pace"] = pace(recent_seconds(store, project.id, reviewer.id, RECENT))
    return answer


def _list(
    store: Store, project: Project, reviewer: Reviewer, asked: Asked, answer: dict[str, Any]
) -> int:
    """Put the order and the own labels into `answer`; return the place where work goes on.

    With a filter the answer says for each criterion which outputs it lists ("walk").
    """
    single = asked.questions[0].key if len(asked.questions) == 1 else None
    own = reviewer_labels(store, project.id, reviewer.id, single)
    marks: dict[str, dict[int, Mark]] = {}
    version = latest_version(store, project.id)
    known = {OVERALL, *(version.contract.keys if version else ())}
    if not {q.key for q in asked.questions} <= known:
        # The contract asks something else by now; the page says so when it is drawn again.
        answer |= {"order": [], "states": {}}
        return 0
    answer["states"] = {}
    for q in asked.questions:
        live = same_question(store, project.id, q.hash)
        mine = {s.output_id: s for s in own if s.criterion == q.key}
        marks[q.key] = {
            i: Mark(s.verdict, s.deferred, s.verdict is not None and s.question_hash not in live)
            for i, s in mine.items()
        }
        answer["states"][q.key] = {
            str(i): _state(s, marks[q.key][i].stale) for i, s in mine.items()
        }
    asides = slot_states(store, project.id, version, reviewer.id, list(marks))
    for key, aside in asides.items():
        answer["states"][key] |= {slot: [said, False, "", False] for slot, said in aside.items()}
    queue = build_queue(store, project, version, reviewer.id, list(marks), given=own)
    # A filter lists what is this reviewer's to label: no second looks, nothing of a practice round.
    outputs = [e.output_id for e in queue.entries if e.slot == e.output_id]
    if asked.which is not Filter.ALL:
        apart: Mapping[str, Collection[int]] = {}
        if asked.which is Filter.DISAGREED:
            apart = disagreed(store, project.id, version, reviewer.id, list(marks))
        elif asked.which is Filter.LOOPS:
            # Whoever is here may label them, whatever was drawn for whom: loops wait for it.
            outputs = handed_outputs(store, project.id)
            apart = {key: set(outputs) for key in marks}
        answer["walk"] = {
            key: matching(asked.which, outputs, own_marks, apart.get(key, ()))
            for key, own_marks in marks.items()
        }
        listed = {i for found in answer["walk"].values() for i in found}
        answer["order"] = [i for i in outputs if i in listed]
        return 0
    answer["order"] = [e.slot for e in queue.entries]
    return queue.start


def _output(slot: int | str) -> int:
    """Return the output a place in the queue is about."""
    return slot if isinstance(slot, int) else int(slot.split(":")[0])


def _state(own: LabelState, stale: bool) -> list[Any]:
    if stale:
        return [None, own.deferred, "", True]
    return [own.verdict, own.deferred, own.note, False]


def _reveal(
    store: Store, project: Project, reviewer: Reviewer, asked: Asked, wanted: object
) -> dict[str, Any] | None:
    """Return what the label just given is held against; "shown" is None where there is nothing.

    The store answers only when the reviewer's own label is stored.
    """
    if not isinstance(wanted, Mapping):
        return None
    slot, key = wanted.get("slot"), wanted.get("key")
    q = next((q for q in asked.questions if q.key == key), None)
    shown = None
    version = latest_version(store, project.id)
    if (
        q is not None
        and isinstance(slot, int | str)
        and q.key in {OVERALL, *(version.contract.keys if version else ())}
    ):
        output = _output(slot)
        shown = reveals(store, project.id, version, reviewer.id, q.key, [output]).get(output)
    return {"slot": slot, "key": key, "shown": shown}


def _names(store: Store, project: Project) -> list[list[Any]]:
    with store.read() as c:
        found = output_ids(c, project.id)
    return [
        [output, sample if trial == 1 else f"{sample} · trial {trial}"]
        for (sample, trial), output in found.items()
    ]


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
        before = previous_texts(store, project_id, chunk)
        for output_id in chunk:
            output = found.get(output_id)
            if output is None:
                gone.append(output_id)
                continue
            item = _item(output, before.get(output_id, ""))
            size += sum(len(item[name]) for name in ("text", "input", "reference", "previous"))
            if items and size > HARD_BUDGET:
                return items, gone
            items.append(item)
    return items, gone


def _item(output: StoredOutput, previous: str) -> dict[str, Any]:
    return {
        "id": output.id, "sample": output.sample_id, "trial": output.trial, "text": output.text,
        "input": output.input, "reference": output.reference or "", "previous": previous,
    }  # fmt: skip
