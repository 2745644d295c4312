"""What a version did to labels and verdicts, and who said what its rewording means."""

from __future__ import annotations

from typing import Any

import pytest

from core.contract.contract import Contract
from core.labelling.label import LabelEntry, LabelKind
from core.store import drafts
from core.store.contracts import save_version, say_same_meaning, versions
from core.store.effects import effects
from core.store.judgements import NewVerdict, add_verdicts
from core.store.labels import save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs, load_outputs
from core.store.store import Project, Store
from core.verdict import LabelValue, passed

TONE = {"key": "tone", "question": "Is it kind?", "pass_example": "Sorry.", "fail_example": "No."}
SHORT = {
    "key": "short", "question": "At most 3 words?", "checked_by": "code",
    "check": {"kind": "max_words", "limit": 3}, "pass_example": "a", "fail_example": "a b c d",
}  # fmt: skip


def contract(tone: dict[str, Any] | None = None, short: dict[str, Any] | None = None) -> Contract:
    return Contract.from_data({"criteria": [{**TONE, **(tone or {})}, {**SHORT, **(short or {})}]})


@pytest.fixture
def filled(store: Store, project: Project) -> Project:
    """Version 1 with three labels on tone, one of them undone, and two verdicts on each criterion."""
    first = save_version(store, project.id, contract(), author="Ana")
    add_outputs(store, project.id, [NewOutput(str(n), f"text {n}") for n in range(3)])
    outputs = [o.id for o in load_outputs(store, project.id)]
    reviewer, _ = save_reviewer(store, project.id, "Ana")
    asked = first.contract.criterion("tone").question_hash
    acts = [(o, LabelKind.LABEL, LabelValue.PASS) for o in outputs]
    acts.append((outputs[2], LabelKind.UNDO, None))  # type: ignore[arg-type]
    save_labels(
        store, project.id, reviewer,
        [
            LabelEntry("client", seq, output, "tone", kind, value, False, "", asked)
            for seq, (output, kind, value) in enumerate(acts, 1)
        ],
    )  # fmt: skip
    add_verdicts(
        store, project.id,
        [NewVerdict(str(n), "judge", key, passed("e")) for n in (0, 1) for key in ("tone", "short")],
        first,
    )  # fmt: skip
    return project


def of(store: Store, project: Project) -> list[tuple[Any, ...]]:
    found = effects(store, project.id, versions(store, project.id))
    return [
        (e.version, e.criterion, e.labels_stand, e.labels, e.verdicts, e.said_by) for e in found
    ]


def test_a_new_meaning_makes_labels_and_verdicts_stale(store: Store, filled: Project) -> None:
    save_version(store, filled.id, contract(tone={"question": "Is it gentle?"}), based_on=1)
    assert [(2, "tone", False, 2, 2, None)] == of(store, filled)


def test_the_same_meaning_keeps_labels_and_says_who_said_so(store: Store, filled: Project) -> None:
    base = versions(store, filled.id)[0]
    draft = drafts.fresh(base)
    draft.contract["criteria"][0] |= {"question": "Is it kindly put?", "key": "manner"}
    drafts.publish_draft(store, filled.id, draft, author="Ben", same_meaning=["manner"])
    assert [(2, "manner", True, 2, 2, "Ben")] == of(store, filled)
    found = effects(store, filled.id, versions(store, filled.id))[0]
    assert found.said_at is not None
    assert found.reworded


def test_a_changed_check_leaves_labels_alone(store: Store, filled: Project) -> None:
    changed = contract(short={"check": {"kind": "max_words", "limit": 2}})
    save_version(store, filled.id, changed, based_on=1)
    assert [(2, "short", True, 0, 2, None)] == of(store, filled)


def test_a_wording_that_comes_back_brings_its_labels_back(store: Store, filled: Project) -> None:
    save_version(store, filled.id, contract(tone={"question": "Other?"}), based_on=1)
    save_version(store, filled.id, contract(), based_on=2)
    assert [(3, "tone", False, 0, 0, None), (2, "tone", False, 2, 2, None)] == of(store, filled)


def test_answers_given_in_several_steps_join(store: Store, filled: Project) -> None:
    """A is B and B is C: going from A to C keeps the labels, though nobody said so in one go."""
    third = contract(tone={"question": "C?"})
    second = contract(tone={"question": "B?"})
    a, b, c = (x.criterion("tone").question_hash for x in (contract(), second, third))
    say_same_meaning(store, filled.id, a, b, "Ana")
    say_same_meaning(store, filled.id, b, c, "Ben")
    save_version(store, filled.id, third, based_on=1)
    assert [(2, "tone", True, 2, 2, "joined by other answers")] == of(store, filled)


def test_what_cannot_be_saved_answers_nothing(store: Store, filled: Project) -> None:
    """The answer and the version are one act: a refused save leaves neither."""
    draft = drafts.fresh(versions(store, filled.id)[0])
    draft.contract["criteria"][0]["question"] = "Is it kindly put?"
    save_version(store, filled.id, contract(tone={"question": "Theirs?"}), based_on=1)
    with pytest.raises(Exception, match="was saved by somebody"):
        drafts.publish_draft(store, filled.id, draft, author="Ben", same_meaning=["tone"])
    with store.read() as c:
        from core.store.contracts import equivalent_hashes

        assert {} == equivalent_hashes(c, filled.id)
