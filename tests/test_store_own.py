"""What a reviewer may read while labelling, on both databases."""

from __future__ import annotations

import pytest

from core.contract.contract import Contract
from core.labelling.label import LabelEntry, LabelKind
from core.store.contracts import Version, save_version
from core.store.labels import save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs, current_ids, previous_texts
from core.store.own import disagreed, recent_seconds
from core.store.practice import reveals
from core.store.store import Project, Store
from core.verdict import OVERALL, LabelValue

P, F, U = LabelValue.PASS, LabelValue.FAIL, LabelValue.UNSURE


def contract(question: str) -> Contract:
    return Contract.from_data(
        {
            "criteria": [
                {"key": "tone", "question": question, "pass_example": "a", "fail_example": "b"}
            ]
        }
    )


class Desk:
    """Two reviewers over four outputs; `say` stores one act."""

    def __init__(self, store: Store, project: Project) -> None:
        self.store, self.project, self.seq = store, project.id, 0
        add_outputs(store, project.id, [NewOutput(f"s{n}", f"text {n}") for n in range(4)])
        self.version: Version = save_version(store, project.id, contract("Polite?"))
        self.ids = current_ids(store, project.id)
        self.ana = save_reviewer(store, project.id, "Ana")[0]
        self.ben = save_reviewer(store, project.id, "Ben")[0]

    @property
    def hash(self) -> str:
        return self.version.contract.criterion("tone").question_hash

    def say(
        self, who: int, at: int, verdict: LabelValue | None, note: str = "", *,
        kind: LabelKind = LabelKind.LABEL, seconds: float | None = None, key: str = "tone",
    ) -> None:  # fmt: skip
        self.seq += 1
        question = self.hash if key == "tone" else ""
        entry = LabelEntry(
            "own-0123456789", self.seq, self.ids[at], key, kind, verdict, False, note, question,
            seconds,
        )  # fmt: skip
        assert save_labels(self.store, self.project, who, [entry]).refused == ()

    def reword(self, question: str) -> None:
        self.version = save_version(
            self.store, self.project, contract(question), based_on=self.version.number
        )

    def earlier(self, who: int, at: int) -> tuple[object, object] | None:
        asked = [self.ids[at]]
        found = reveals(self.store, self.project, self.version, who, "tone", asked)
        shown = found.get(self.ids[at])
        return None if shown is None else (shown["verdict"], shown["note"])

    def split(self, who: int) -> dict[str, frozenset[int]]:
        return disagreed(self.store, self.project, self.version, who, ["tone", OVERALL])


@pytest.fixture
def desk(store: Store, project: Project) -> Desk:
    return Desk(store, project)


def test_the_earlier_label_comes_only_after_the_new_one(desk: Desk) -> None:
    desk.say(desk.ana, 0, P, "fine then")
    desk.say(desk.ben, 0, F, "colleague")
    assert desk.earlier(desk.ana, 0) is None  # there is no earlier wording
    desk.reword("Polite and warm?")
    assert desk.earlier(desk.ana, 0) is None  # and now no label for this one
    desk.say(desk.ana, 0, F)
    assert desk.earlier(desk.ana, 0) == ("PASS", "fine then")
    desk.say(desk.ana, 0, None, kind=LabelKind.UNDO)
    assert desk.earlier(desk.ana, 0) is None
    assert desk.earlier(desk.ana, 1) is None


def test_disagreement_is_read_only_where_the_own_label_is_stored(desk: Desk) -> None:
    for at, (ana, ben) in enumerate([(P, F), (P, P), (None, F), (U, F)]):
        if ana:
            desk.say(desk.ana, at, ana)
        desk.say(desk.ben, at, ben)
    assert desk.split(desk.ana) == {"tone": frozenset({desk.ids[0]}), OVERALL: frozenset()}
    desk.say(desk.ana, 2, P)
    assert desk.split(desk.ana)["tone"] == {desk.ids[0], desk.ids[2]}
    desk.say(desk.ana, 2, None, kind=LabelKind.UNDO)
    assert desk.split(desk.ana)["tone"] == {desk.ids[0]}
    desk.say(desk.ben, 0, F, key=OVERALL)
    assert desk.split(desk.ana)[OVERALL] == frozenset()


def test_recent_seconds_are_own_decisions_newest_first(desk: Desk) -> None:
    desk.say(desk.ana, 0, P, seconds=3.0)
    desk.say(desk.ana, 1, None, seconds=50.0, kind=LabelKind.DEFER)
    desk.say(desk.ben, 1, P, seconds=99.0)
    desk.say(desk.ana, 1, U, seconds=5.5)
    desk.say(desk.ana, 2, F)
    assert recent_seconds(desk.store, desk.project, desk.ana, 50) == [5.5, 3.0]
    assert recent_seconds(desk.store, desk.project, desk.ana, 1) == [5.5]


def test_a_replaced_text_is_the_version_before(desk: Desk) -> None:
    changed = [NewOutput("s1", "other"), NewOutput("s1", "newest")]
    for row in changed:
        add_outputs(desk.store, desk.project, [row], replace_changed=True)
    ids = current_ids(desk.store, desk.project)
    assert previous_texts(desk.store, desk.project, ids) == {ids[-1]: "other"}
