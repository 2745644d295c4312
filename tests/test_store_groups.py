"""Groups of notes: own notes only, each act stored at once and taken back whole, both databases."""

from __future__ import annotations

from dataclasses import astuple

import pytest
import sqlalchemy as sa

from core.errors import InputError
from core.labelling.grouping import Labelled, Pile
from core.labelling.label import LabelEntry, LabelKind
from core.store import groups as g
from core.store import tables as t
from core.store.labels import save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs
from core.store.store import Project, Store
from core.verdict import OVERALL, LabelValue

GOOD, BAD = LabelValue.PASS, LabelValue.FAIL


class Desk:
    """A project with five outputs and what Ana and Ben say about them."""

    def __init__(self, store: Store, project: Project) -> None:
        self.store, self.project, self.seq = store, project, 0
        rows = [NewOutput(f"s{n}", f"text {n}") for n in range(1, 6)]
        add_outputs(store, project.id, rows)
        with store.read() as c:
            self.ids = list(c.scalars(sa.select(t.output.c.id).order_by(t.output.c.id)))
        self.ana, _ = save_reviewer(store, project.id, "Ana")
        self.ben, _ = save_reviewer(store, project.id, "Ben")

    def say(self, reviewer: int, at: int, verdict: LabelValue | None, note: str) -> None:
        self.seq += 1
        kind = LabelKind.DEFER if verdict is None else LabelKind.LABEL
        entry = LabelEntry(
            f"client-{reviewer}", self.seq, self.ids[at], OVERALL, kind, verdict,
            verdict is None, note, "",
        )  # fmt: skip
        save_labels(self.store, self.project.id, reviewer, [entry])

    def where(self, reviewer: int | None = None) -> dict[str, str | None]:
        """Return the name of the group of each of a reviewer's notes (Ana's) by sample id."""
        names = {one.id: one.name for one in g.note_groups(self.store, self.project.id)}
        notes = g.own_notes(self.store, self.project.id, reviewer or self.ana)
        return {n.sample_id: None if n.group is None else names[n.group] for n in notes}

    def add(self, name: str, *at: int, reviewer: int | None = None) -> tuple[int, g.Undo]:
        pile = Pile(name, tuple(self.ids[n] for n in at))
        [made], undo = g.add_groups(self.store, self.project.id, reviewer or self.ana, [pile])
        return made, undo


@pytest.fixture
def desk(store: Store, project: Project) -> Desk:
    made = Desk(store, project)
    for at, (verdict, note) in enumerate(
        [
            (BAD, "no date"),
            (BAD, "date missing"),
            (GOOD, "fine\x00\ud800"),
            (GOOD, " "),
            (None, "?"),
        ]
    ):
        made.say(made.ana, at, verdict, note)
    return made


def test_notes_are_the_newest_of_one_reviewer(desk: Desk) -> None:
    desk.say(desk.ana, 0, GOOD, "has a date after all")
    desk.say(desk.ben, 1, BAD, "secret")
    found = g.own_notes(desk.store, desk.project.id, desk.ana)
    assert [astuple(n)[1:6] for n in found] == [
        ("s1", 1, GOOD, "has a date after all", "text 1"),
        ("s2", 1, BAD, "date missing", "text 2"),
        ("s3", 1, GOOD, "fine\x00\ud800", "text 3"),
        ("s5", 1, None, "?", "text 5"),
    ]


def test_a_colleagues_notes_and_labels_are_never_read(desk: Desk) -> None:
    desk.say(desk.ben, 0, GOOD, "lovely")
    desk.add("Lovely", 0, reviewer=desk.ben)
    assert "lovely" not in repr(g.own_notes(desk.store, desk.project.id, desk.ana))
    assert desk.where()["s1"] is None
    assert (
        Labelled("text 1", False)
        == g.own_labelled(desk.store, desk.project.id, desk.ana)[desk.ids[0]]
    )


def test_labelled_outputs_come_whole_and_without_unsure(desk: Desk) -> None:
    desk.say(desk.ana, 1, LabelValue.UNSURE, "hm")
    assert g.own_labelled(desk.store, desk.project.id, desk.ana) == {
        desk.ids[0]: Labelled("text 1", False),
        desk.ids[2]: Labelled("text 3", True),
        desk.ids[3]: Labelled("text 4", True),
    }


def test_a_replaced_output_takes_its_note_along(desk: Desk) -> None:
    desk.add("Date", 0, 1)
    add_outputs(desk.store, desk.project.id, [NewOutput("s1", "other")], replace_changed=True)
    assert desk.where() == {"s2": "Date", "s3": None, "s5": None}


def test_an_excerpt_is_the_beginning(desk: Desk) -> None:
    add_outputs(desk.store, desk.project.id, [NewOutput("long", "ü" * 1_000)])
    with desk.store.read() as c:
        desk.ids.append(int(c.scalar(sa.select(sa.func.max(t.output.c.id))) or 0))
    desk.say(desk.ana, 5, BAD, "long")
    [note] = [
        n for n in g.own_notes(desk.store, desk.project.id, desk.ana) if n.sample_id == "long"
    ]
    assert note.excerpt == "ü" * g.EXCERPT


def test_groups_are_made_with_their_notes_and_taken_back(desk: Desk) -> None:
    before = desk.store.revision(desk.project.id)
    _, undo = desk.add(" No  date ", 0, 1)
    assert desk.where() == {"s1": "No date", "s2": "No date", "s3": None, "s5": None}
    assert desk.store.revision(desk.project.id) == before + 1
    g.take_back(desk.store, desk.project.id, undo)
    assert set(desk.where().values()) == {None}
    assert g.note_groups(desk.store, desk.project.id) == []


def test_several_groups_are_one_act(desk: Desk) -> None:
    piles = [Pile("A", (desk.ids[0],)), Pile("a", (desk.ids[1],)), Pile(" ", ())]
    with pytest.raises(InputError, match="blank"):
        g.add_groups(desk.store, desk.project.id, desk.ana, piles)
    assert g.note_groups(desk.store, desk.project.id) == []
    _, undo = g.add_groups(desk.store, desk.project.id, desk.ana, piles[:2])
    assert desk.where() == {"s1": "A", "s2": "a (2)", "s3": None, "s5": None}
    g.take_back(desk.store, desk.project.id, undo)
    assert set(desk.where().values()) == {None}


def test_a_note_is_in_one_group_and_undo_puts_it_where_it_was(desk: Desk) -> None:
    first, _ = desk.add("First", 0)
    second, _ = desk.add("Second", 1)
    undo = g.put_notes(desk.store, desk.project.id, desk.ana, desk.ids[:3], second)
    assert desk.where() == {"s1": "Second", "s2": "Second", "s3": "Second", "s5": None}
    g.take_back(desk.store, desk.project.id, undo)
    assert desk.where() == {"s1": "First", "s2": "Second", "s3": None, "s5": None}
    undo = g.put_notes(desk.store, desk.project.id, desk.ana, desk.ids[:1], None)
    assert desk.where()["s1"] is None
    g.take_back(desk.store, desk.project.id, undo)
    assert desk.where()["s1"] == "First"
    assert first != second


def test_putting_twice_is_putting_once(desk: Desk) -> None:
    group, _ = desk.add("First")
    for _ in range(2):
        g.put_notes(desk.store, desk.project.id, desk.ana, [*desk.ids[:2], desk.ids[0]], group)
    assert desk.where() == {"s1": "First", "s2": "First", "s3": None, "s5": None}


def test_a_removed_group_comes_back_with_what_was_not_put_elsewhere(desk: Desk) -> None:
    group, _ = desk.add("Date", 0, 1)
    g.remove_group(desk.store, desk.project.id, group)
    assert set(desk.where().values()) == {None}
    assert [one.name for one in g.note_groups(desk.store, desk.project.id, removed=True)] == [
        "Date"
    ]
    desk.add("date", 1)
    undo = g.restore_group(desk.store, desk.project.id, group)
    assert desk.where() == {"s1": "Date (2)", "s2": "date", "s3": None, "s5": None}
    g.take_back(desk.store, desk.project.id, undo)
    assert desk.where() == {"s1": None, "s2": "date", "s3": None, "s5": None}


def test_undoing_a_removal_brings_the_notes_back(desk: Desk) -> None:
    group, _ = desk.add("Date", 0, 1)
    undo = g.remove_group(desk.store, desk.project.id, group)
    g.take_back(desk.store, desk.project.id, undo)
    assert desk.where()["s1"] == "Date"


def test_merging_moves_everybodys_notes_and_can_be_undone(desk: Desk) -> None:
    desk.say(desk.ben, 2, BAD, "when?")
    one, _ = desk.add("One", 0)
    two, _ = desk.add("Two", 1)
    g.put_notes(desk.store, desk.project.id, desk.ben, [desk.ids[2]], one)
    undo = g.merge_groups(desk.store, desk.project.id, one, two)
    assert (desk.where()["s1"], desk.where(desk.ben)["s3"]) == ("Two", "Two")
    assert [group.name for group in g.note_groups(desk.store, desk.project.id)] == ["Two"]
    g.take_back(desk.store, desk.project.id, undo)
    assert (desk.where()["s1"], desk.where(desk.ben)["s3"]) == ("One", "One")
    assert desk.where()["s2"] == "Two"


def test_a_name_is_free_and_can_be_undone(desk: Desk) -> None:
    one, _ = desk.add("One")
    desk.add("Two")
    with pytest.raises(InputError, match="'two' exists already"):
        g.rename_group(desk.store, desk.project.id, one, "two")
    with pytest.raises(InputError, match="blank"):
        g.rename_group(desk.store, desk.project.id, one, " \n")
    with pytest.raises(InputError, match="200 characters"):
        g.rename_group(desk.store, desk.project.id, one, "x" * 201)
    undo = g.rename_group(desk.store, desk.project.id, one, "ONE")
    assert [x.name for x in g.note_groups(desk.store, desk.project.id)] == ["ONE", "Two"]
    g.take_back(desk.store, desk.project.id, undo)
    assert [x.name for x in g.note_groups(desk.store, desk.project.id)] == ["One", "Two"]


def test_a_group_remembers_the_criterion_it_became(desk: Desk) -> None:
    one, _ = desk.add("One")
    g.note_criterion(desk.store, desk.project.id, one, "one")
    assert [x.criterion for x in g.note_groups(desk.store, desk.project.id)] == ["one"]


def test_what_is_not_in_this_project_is_refused(desk: Desk) -> None:
    other = desk.store.create_project("Other")
    [theirs], _ = g.add_groups(desk.store, other.id, desk.ana, [Pile("Theirs", ())])
    mine, _ = desk.add("Mine")
    with pytest.raises(InputError, match="group"):
        g.put_notes(desk.store, desk.project.id, desk.ana, desk.ids, theirs)
    with pytest.raises(InputError, match="output 99999"):
        g.put_notes(desk.store, desk.project.id, desk.ana, [99_999], mine)
    for act in (
        lambda: g.rename_group(desk.store, desk.project.id, theirs, "x"),
        lambda: g.remove_group(desk.store, desk.project.id, theirs),
        lambda: g.restore_group(desk.store, desk.project.id, mine),
        lambda: g.merge_groups(desk.store, desk.project.id, mine, theirs),
        lambda: g.merge_groups(desk.store, desk.project.id, mine, mine),
        lambda: g.note_criterion(desk.store, desk.project.id, theirs, "x"),
    ):
        with pytest.raises(InputError):
            act()
    assert [x.name for x in g.note_groups(desk.store, desk.project.id)] == ["Mine"]
