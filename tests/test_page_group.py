"""Grouping notes: from labelled outputs to a saved contract, without a key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.labelling.grouping import Pile
from core.labelling.label import LabelEntry, LabelKind
from core.store import groups as g
from core.store import tables as t
from core.store.contracts import latest_version
from core.store.drafts import load_draft
from core.store.labels import save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs
from core.store.store import DATABASE_URL, Project, Store, open_store
from core.verdict import OVERALL, LabelValue
from pages.parts.labeller.labeller import Reviewer
from pages.parts.sorter.sorter import LISTED, content, receive

ROOT = Path(__file__).parents[1]
FAULTS = ["no order number", "order number is missing", "blames the customer", "blames a customer",
          "**rude** :red[tone] ![x](http://example.invalid/a.png)"]  # fmt: skip
GOOD, BAD = LabelValue.PASS, LabelValue.FAIL


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty workspace that the pages will open."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    st.cache_resource.clear()
    st.session_state.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()
    st.session_state.clear()


def twenty(store: Store, title: str = "Mine") -> tuple[Project, Reviewer]:
    """Twenty outputs: the first five bad with a note each, the others good with none."""
    project = store.create_project(title)
    add_outputs(store, project.id, [NewOutput(f"s{n:02d}", f"Answer {n}.") for n in range(20)])
    reviewer, name = save_reviewer(store, project.id, "Ana")
    with store.read() as c:
        ids = list(c.scalars(sa.select(t.output.c.id).order_by(t.output.c.id)))
    notes = [*FAULTS, *[""] * 15]
    save_labels(
        store,
        project.id,
        reviewer,
        [
            LabelEntry(f"client-{project.id}", at + 1, output, OVERALL, LabelKind.LABEL,
                       BAD if at < 5 else GOOD, False, notes[at], "")
            for at, output in enumerate(ids)
        ],
    )  # fmt: skip
    return project, Reviewer(reviewer, name, "ana")


class Hands:
    """Acts as a browser sends them."""

    def __init__(self, store: Store, project: Project, reviewer: Reviewer) -> None:
        self.given = (store, project, reviewer)
        self.acts: list[dict[str, Any]] = []
        self.inbox: dict[str, Any] = {"acks": {}, "failed": ""}

    def do(self, kind: object, **more: object) -> None:
        self.acts.append({"seq": len(self.acts) + 1, "kind": kind, **more})
        self.send()

    def send(self) -> None:
        receive(*self.given, {"client": "c", "acts": self.acts}, self.inbox)

    def piles(self) -> dict[str, list[str]]:
        store, project, reviewer = self.given
        names = {one.id: one.name for one in g.note_groups(store, project.id)}
        found: dict[str, list[str]] = {name: [] for name in names.values()}
        for note in g.own_notes(store, project.id, reviewer.id):
            if note.group is not None:
                found[names[note.group]].append(note.sample_id)
        return found


@pytest.fixture
def hands(bench: Store) -> Hands:
    return Hands(bench, *twenty(bench))


def notes_of(hands: Hands) -> list[g.Note]:
    store, project, reviewer = hands.given
    return g.own_notes(store, project.id, reviewer.id)


def test_suggested_groups_are_one_act_and_undone_as_one(hands: Hands) -> None:
    hands.do("suggest")
    assert hands.piles() == {"No order number": ["s00", "s01"], "Blames customer": ["s02", "s03"]}
    hands.do("undo")
    assert hands.piles() == {}


def test_keys_make_fill_and_empty_groups(hands: Hands) -> None:
    ids = [note.output_id for note in notes_of(hands)]
    hands.do("new", notes=ids[:1])
    [group] = g.note_groups(*hands.given[:1], hands.given[1].id)
    assert group.name == "No order number"
    hands.do("put", notes=ids[1:3], group=float(group.id))
    hands.do("put", notes=[float(ids[0])], group=None)
    assert hands.piles() == {"No order number": ["s01", "s02"]}
    hands.do("undo")
    hands.do("undo")
    assert hands.piles() == {"No order number": ["s00"]}


def test_an_act_sent_again_is_done_once(hands: Hands) -> None:
    hands.do("new", notes=[notes_of(hands)[0].output_id])
    hands.send()
    hands.send()
    assert list(hands.piles()) == ["No order number"]
    assert hands.inbox["acks"] == {"c": 1}


@pytest.mark.parametrize(
    "act",
    [
        {"kind": "put", "notes": [1], "group": 99},
        {"kind": "put", "notes": [99_999], "group": None},
        {"kind": "put", "notes": [1], "group": "x"},
        {"kind": "no such act"},
        {"kind": None, "notes": [float("inf"), None, True]},
    ],
)
def test_what_cannot_be_done_is_said_and_holds_up_nothing(
    hands: Hands, act: dict[str, Any]
) -> None:
    hands.do(act.pop("kind"), **act)
    assert hands.inbox["failed"]
    assert hands.inbox["acks"] == {"c": 1}
    hands.do("suggest")
    assert len(hands.piles()) == 2


@pytest.mark.parametrize("sync", [None, 3, {}, {"client": 1}, {"client": "c", "acts": [1, {}]}])
def test_nonsense_from_a_browser_changes_nothing(hands: Hands, sync: object) -> None:
    receive(*hands.given, sync, hands.inbox)
    assert hands.inbox == {"acks": {}, "failed": ""}


def test_the_browser_gets_ones_own_notes_only_and_not_endlessly(hands: Hands) -> None:
    store, project, _ = hands.given
    ben, _ = save_reviewer(store, project.id, "Ben")
    output = notes_of(hands)[0].output_id
    entry = LabelEntry("client-ben", 1, output, OVERALL, LabelKind.LABEL, GOOD, False, "secret", "")
    save_labels(store, project.id, ben, [entry])
    sent = json.dumps(content(notes_of(hands), [], None))
    assert "secret" not in sent and sent.count('"PASS"') == 0
    many = notes_of(hands) * 100
    sent_many = content(many, [], None)
    assert (len(sent_many["notes"]), sent_many["more"]) == (LISTED, 500 - LISTED)


# --- the page --------------------------------------------------------------------------------


def page(name: str, **address: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=20)
    app.session_state["shell.ready"] = True
    for key, value in address.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    html = [str(e.proto.body) for e in app.main if e.type == "html"]
    return "\n".join([*(str(e.value) for e in [*app.text, *app.success, *app.error]), *html])


GROUP = {"project": "mine", "reviewer": "Ana", "view": "group"}


def test_empty_states_lead_from_import_to_label_to_grouping(bench: Store) -> None:
    mine = bench.create_project("Mine")
    assert "Import outputs" in [b.label for b in page("label", **GROUP).button]
    add_outputs(bench, mine.id, [NewOutput("1", "x")])
    empty = page("label", **GROUP)
    assert "no notes of yours" in said(empty)
    assert "Label outputs" in [b.label for b in empty.button]
    assert "say why in a note" in said(page("label", project="mine", reviewer="Ana", view="label"))


def test_home_leads_to_grouping_while_there_is_no_contract(bench: Store) -> None:
    twenty(bench)
    home = page("home", project="mine")
    assert "Group the notes" in [b.label for b in home.button if b.key == "home.Criteria"]


def test_from_twenty_labelled_outputs_to_a_saved_contract(hands: Hands) -> None:
    store, project, _ = hands.given
    hands.do("suggest")
    first, second = g.note_groups(store, project.id)
    app = page("label", **GROUP, group=str(first.id))
    assert "Does the output include order number?" in said(app)
    app.button(key="group.criterion").click().run()
    # The way to the contract page, whose address is put back from the session.
    assert app.session_state["link.criterion"] == "no-order-number"
    draft = app.session_state["link.draft"]

    again = page("label", **GROUP, draft=draft, group=str(first.id))
    assert "This group became the criterion &#x27;no-order-number&#x27;." in said(again)
    other = page("label", **GROUP, draft=draft, group=str(second.id))
    other.text_input[0].set_value("Blames the customer").run()
    assert [one.name for one in g.note_groups(store, project.id)][1] == "Blames the customer"
    assert "Does the output avoid blaming the customer?" in said(other)

    contract = page("contract", project="mine", draft=draft, reviewer="Ana")
    contract.button(key=next(b.key for b in contract.button if b.label == "Save")).click().run()
    assert "Saved as version 1." in said(contract)
    version = latest_version(store, project.id)
    assert version is not None
    [criterion] = version.contract.criteria
    assert (criterion.key, criterion.question, criterion.pass_example, criterion.fail_example) == (
        "no-order-number", "Does the output include order number?", "Answer 5.", "Answer 0.",
    )  # fmt: skip


def test_groups_are_renamed_merged_deleted_and_brought_back(hands: Hands) -> None:
    store, project, _ = hands.given
    hands.do("suggest")
    first, second = g.note_groups(store, project.id)
    app = page("label", **GROUP, group=str(first.id))
    app.text_input[0].set_value("blames CUSTOMER").run()
    assert "'blames CUSTOMER' exists already" in app.session_state["guard.said"]
    assert [one.name for one in g.note_groups(store, project.id)] == [first.name, second.name]
    assert app.text_input[0].value == first.name
    app.selectbox(key=f"group.into.{first.id}").set_value(str(second.id)).run()
    app.button(key="group.merge").click().run()
    assert hands.piles() == {"Blames customer": ["s00", "s01", "s02", "s03"]}
    app.button(key="group.delete").click().run()
    assert hands.piles() == {}
    app.button(key=f"group.back.{second.id}").click().run()
    assert hands.piles() == {"Blames customer": ["s00", "s01", "s02", "s03"]}
    assert not app.exception


def test_a_contract_starts_from_the_groups(bench: Store) -> None:
    """Each group that is no criterion yet becomes one, checked by a judge until somebody chooses."""
    project, reviewer = twenty(bench)
    notes = g.own_notes(bench, project.id, reviewer.id)
    assert 5 == g.count_notes(bench, project.id, reviewer.id)
    piles = [Pile("Uses emojis", (notes[0].output_id,)), Pile("Too long", (notes[1].output_id,))]
    g.add_groups(bench, project.id, reviewer.id, piles)
    app = AppTest.from_file(str(ROOT / "pages" / "contract.py"), default_timeout=20)
    app.session_state["shell.ready"] = True
    app.query_params.update(project=project.slug, reviewer="Ana")
    app.run()
    assert "5 notes of yours, 2 groups in this project." in [c.value for c in app.caption]
    app.button(key="contract.start.groups").click().run()
    assert not app.exception
    draft = load_draft(bench, project.id, app.session_state[f"contract.draft.{project.id}"])
    assert draft is not None
    assert [("uses-emojis", "judge"), ("too-long", "judge")] == [
        (one["key"], one["checked_by"]) for one in draft.contract["criteria"]
    ]
    assert "Answer 0." == draft.contract["criteria"][0]["fail_example"]
    assert app.button(key="contract.start.groups").disabled
