"""The labelling page without a browser: what it says when there is nothing to label yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract
from core.labelling.filters import Filter
from core.store.contracts import save_version
from core.store.outputs import NewOutput, add_outputs
from core.store.store import Store, open_store
from pages.parts.labeller.feed import (
    HARD_BUDGET,
    Asked,
    Reviewer,
    question,
    queue_data,
    texts,
)
from pages.parts.labeller.labeller import receive

PAGE = Path(__file__).parents[1] / "pages" / "label.py"
CONTRACT = Contract.from_data(
    {
        "task": "Reply to *customers*.",
        "criteria": [
            {"key": "tone", "question": "Polite?", "pass_example": "Hi", "fail_example": "Go"}
        ],
    }
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty workspace in the folder the page runs in."""
    monkeypatch.chdir(tmp_path)
    st.cache_resource.clear()
    st.cache_data.clear()
    return open_store(tmp_path / "workspace")


def run(**address: str) -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=20)
    app.session_state["shell.ready"] = True  # the page alone, without the navigation
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return "\n".join(str(e.value) for e in [*app.text, *app.info, *app.caption, *app.subheader])


def test_without_a_project(workspace: Store) -> None:
    assert "No project is open" in words(run())


def test_without_outputs(workspace: Store) -> None:
    workspace.create_project("Refunds")
    app = run(reviewer="Ana")
    assert "There are no outputs to label yet." in words(app)
    assert [b.label for b in app.button if b.label == "Import outputs"] == ["Import outputs"]


def test_without_a_name_nobody_labels(workspace: Store) -> None:
    project = workspace.create_project("Refunds")
    add_outputs(workspace, project.id, [NewOutput("a", "x")])
    app = run()
    assert "Who is labelling?" in words(app)
    app.text_input(key="reviewer.name").set_value("  ")
    app.button[0].click().run()
    assert [e.value for e in app.error] == [
        "The name is blank. Type your name: labels belong to a person."
    ]
    with workspace.read() as c:
        assert c.exec_driver_sql("select count(*) from reviewer").scalar_one() == 0


def test_without_a_contract_only_the_whole_output_is_asked(workspace: Store) -> None:
    project = workspace.create_project("Refunds")
    add_outputs(workspace, project.id, [NewOutput("a", "x")])
    app = run(reviewer=" Ana ")
    assert app.selectbox(key="pick.criterion").options == ["Overall (whole output)"]
    assert "Reviewer: Ana" in words(app)


def test_every_criterion_of_the_newest_contract_is_offered(workspace: Store) -> None:
    project = workspace.create_project("Refunds")
    add_outputs(workspace, project.id, [NewOutput("a", "x")])
    save_version(workspace, project.id, CONTRACT)
    app = run(reviewer="Ana")
    assert app.selectbox(key="pick.criterion").options == ["tone", "Overall (whole output)"]


# --- the two halves' talk, from the server's side -----------------------------------------------


def talk(store: Store, outputs: int = 30) -> tuple[Reviewer, dict[str, object], dict[str, object]]:
    """Fill a project; return a reviewer, an act as a browser sends it, and an empty inbox."""
    project = store.create_project("Refunds")
    add_outputs(store, project.id, [NewOutput(f"s{n}", f"text {n}") for n in range(outputs)])
    act = {
        "client": "0123456789abcdef", "seq": 1, "output": 1, "criterion": "overall",
        "kind": "label", "verdict": "PASS", "deferred": False, "note": "", "question_hash": "",
    }  # fmt: skip
    with store.write() as c:
        c.exec_driver_sql(
            "insert into reviewer (project_id, key, name) "
            "values (1, 'ana', 'Ana'), (1, 'ben', 'Ben')"
        )
    return Reviewer(1, "Ana", "ana"), act, {"echo": "", "acks": {}, "refused": [], "failed": ""}


def test_an_act_sent_twice_is_stored_once_and_acknowledged_twice(workspace: Store) -> None:
    ana, act, inbox = talk(workspace)
    project = workspace.projects()[0]
    for nonce in ("n1", "n2"):
        receive(workspace, project, ana, {"nonce": nonce, "entries": [act]}, inbox)
        assert inbox["echo"] == nonce
        assert inbox["acks"] == {"0123456789abcdef": 1}
    with workspace.read() as c:
        assert c.exec_driver_sql("select count(*) from label").scalar_one() == 1


def test_refused_acts_are_told_and_acknowledged(workspace: Store) -> None:
    ana, act, inbox = talk(workspace)
    bad = [{**act, "output": 999}, {**act, "seq": 2, "verdict": "good"}, {**act, "seq": 3}]
    receive(workspace, workspace.projects()[0], ana, {"nonce": "n", "entries": bad}, inbox)
    assert inbox["acks"] == {"0123456789abcdef": 3}
    told = {r["seq"]: r["why"] for r in inbox["refused"]}  # type: ignore[attr-defined]
    assert "output 999 is not in this project" in told[1]
    assert "'good'" in told[2]
    assert set(told) == {1, 2}


def test_a_save_that_fails_is_told_and_not_acknowledged(workspace: Store, tmp_path: Path) -> None:
    ana, act, inbox = talk(workspace)
    project = workspace.projects()[0]
    with workspace.engine.begin() as c:
        c.exec_driver_sql("alter table label rename to label_away")
    receive(workspace, project, ana, {"nonce": "n", "entries": [act]}, inbox)
    assert inbox["acks"] == {}
    assert "workspace cannot be used" in str(inbox["failed"])
    with workspace.engine.begin() as c:
        c.exec_driver_sql("alter table label_away rename to label")
    receive(workspace, project, ana, {"nonce": "n2", "entries": [act]}, inbox)
    assert inbox["acks"] == {"0123456789abcdef": 1}
    assert inbox["failed"] == ""


def test_a_colleagues_labels_are_not_in_the_answer(workspace: Store) -> None:
    ana, act, inbox = talk(workspace)
    project = workspace.projects()[0]
    receive(workspace, project, ana, {"nonce": "n", "entries": [act]}, inbox)
    asked = Asked((question(None, "overall"),))
    mine = queue_data(workspace, project, ana, asked, {})
    theirs = queue_data(workspace, project, Reviewer(2, "Ben", "ben"), asked, {})
    assert mine["states"]["overall"] == {"1": ["PASS", False, "", False]}
    assert theirs["states"] == {"overall": {}}
    assert sorted(theirs["order"]) == sorted(mine["order"]) == list(range(1, 31))
    assert mine["order"][0] == 1


def test_a_new_wording_makes_old_labels_stale(workspace: Store) -> None:
    ana, act, inbox = talk(workspace)
    project = workspace.projects()[0]
    save_version(workspace, project.id, CONTRACT)
    asked = Asked((question(CONTRACT, "tone"),))
    acts = [
        {**act, "criterion": "tone", "question_hash": asked.questions[0].hash},
        {**act, "criterion": "tone", "question_hash": "older", "seq": 2, "output": 2},
    ]
    receive(workspace, project, ana, {"nonce": "n", "entries": acts}, inbox)
    answer = queue_data(workspace, project, ana, asked, {})
    assert answer["states"]["tone"] == {
        "1": ["PASS", False, "", False],
        "2": [None, False, "", True],
    }
    assert answer["order"][0] == 1
    assert 2 in answer["order"][1:]


def test_only_what_is_asked_for_is_sent(workspace: Store) -> None:
    ana, _, _ = talk(workspace)
    project = workspace.projects()[0]
    asked = Asked((question(None, "overall"),))
    answer = queue_data(workspace, project, ana, asked, {"queue": asked.queue, "ids": [7, 999, 3]})
    assert "order" not in answer
    assert [item["id"] for item in answer["items"]] == [7, 3]
    assert answer["gone"] == [999]


def test_long_texts_come_in_portions(workspace: Store) -> None:
    project = workspace.create_project("Long")
    rows = [NewOutput(f"s{n:02d}", "x" * 100_000) for n in range(30)]
    rows += [NewOutput("vast", "y" * (HARD_BUDGET + 1)), NewOutput("last", "z")]
    add_outputs(workspace, project.id, rows)
    items, gone = texts(workspace, project.id, list(range(1, 33)))
    assert [i["id"] for i in items] == list(range(1, 21))
    items, gone = texts(workspace, project.id, [31, 32])
    assert ([i["id"] for i in items], gone) == ([31], [])


def test_the_answer_is_json_whatever_the_text(workspace: Store) -> None:
    import json

    project = workspace.create_project("Odd")
    text = "a\x00b\ud800c \u2028 </script>"
    add_outputs(workspace, project.id, [NewOutput("s", text)])
    items, _ = texts(workspace, project.id, [1])
    assert json.loads(json.dumps(items))[0]["text"] == text


# --- one list, several criteria, filters, what is shown after ------------------------------------

TWO = Contract.from_data(
    {
        "criteria": [
            {"key": "tone", "question": "Polite?", "pass_example": "Hi", "fail_example": "Go"},
            {"key": "step", "question": "Next?", "pass_example": "a", "fail_example": "b"},
        ]
    }
)


def both(which: Filter = Filter.ALL) -> Asked:
    return Asked((question(TWO, "tone"), question(TWO, "step")), which)


def said(act: dict[str, object], *labels: tuple[int, str, str | None, str]) -> list[dict[str, Any]]:
    """Return acts: (output, criterion, verdict, question hash)."""
    return [
        {**act, "seq": n, "output": o, "criterion": k, "verdict": v, "question_hash": h}
        for n, (o, k, v, h) in enumerate(labels, 1)
    ]


def test_an_output_is_done_when_every_criterion_is(workspace: Store) -> None:
    ana, act, inbox = talk(workspace, 4)
    project = workspace.projects()[0]
    save_version(workspace, project.id, TWO)
    tone, step = (q.hash for q in both().questions)
    acts = said(
        act, (1, "tone", "PASS", tone), (2, "tone", "FAIL", tone), (2, "step", "PASS", step)
    )
    receive(workspace, project, ana, {"nonce": "n", "entries": acts}, inbox)
    answer = queue_data(workspace, project, ana, both(), {})
    assert answer["order"][0] == 2
    assert answer["states"] == {
        "tone": {"1": ["PASS", False, "", False], "2": ["FAIL", False, "", False]},
        "step": {"2": ["PASS", False, "", False]},
    }
    assert "walk" not in answer
    one = queue_data(workspace, project, ana, Asked((question(TWO, "tone"),)), {})
    assert sorted(one["order"][:2]) == [1, 2]


def test_a_filter_says_which_criterion_it_is_about(workspace: Store) -> None:
    ana, act, inbox = talk(workspace, 4)
    project = workspace.projects()[0]
    save_version(workspace, project.id, TWO)
    tone, step = (q.hash for q in both().questions)
    acts = said(
        act, (1, "tone", "UNSURE", tone), (2, "step", "UNSURE", step), (3, "tone", "PASS", "old")
    )
    receive(workspace, project, ana, {"nonce": "n", "entries": acts}, inbox)
    unsure = queue_data(workspace, project, ana, both(Filter.UNSURE), {})
    assert unsure["walk"] == {"tone": [1], "step": [2]}
    assert sorted(unsure["order"]) == [1, 2]
    stale = queue_data(workspace, project, ana, both(Filter.STALE), {})
    assert stale["walk"] == {"tone": [3], "step": []}
    assert both(Filter.STALE).queue != both().queue


def test_the_others_disagree_only_where_one_has_labelled(workspace: Store) -> None:
    """Ben fails 1 and 2; Ana passed 1 and has not labelled 2."""
    ana, act, inbox = talk(workspace, 4)
    project = workspace.projects()[0]
    save_version(workspace, project.id, TWO)
    tone = both().questions[0].hash
    receive(workspace, project, ana, {"entries": said(act, (1, "tone", "PASS", tone))}, inbox)
    theirs = said(
        {**act, "client": "ben-45678", "note": "bens remark"},
        (1, "tone", "FAIL", tone),
        (2, "tone", "FAIL", tone),
    )
    receive(workspace, project, Reviewer(2, "Ben", "ben"), {"entries": theirs}, inbox)
    answer = queue_data(workspace, project, ana, both(Filter.DISAGREED), {})
    assert answer["walk"] == {"tone": [1], "step": []}
    assert "bens remark" not in str(answer)


def test_the_earlier_label_is_not_sent_before_the_new_one_is_stored(workspace: Store) -> None:
    """Tested on what is sent: whatever the browser asks for."""
    ana, act, inbox = talk(workspace, 4)
    project = workspace.projects()[0]
    save_version(workspace, project.id, CONTRACT)
    asked = Asked((question(CONTRACT, "tone"),))
    old = said({**act, "note": "earlier remark"}, (2, "tone", "FAIL", "older"))
    receive(workspace, project, ana, {"entries": old}, inbox)
    asking = {"queue": asked.queue, "reveal": {"slot": 2, "key": "tone"}}
    for sync in ({}, {"queue": asked.queue, "order": True}, asking):
        answer = queue_data(workspace, project, ana, asked, sync)
        assert "earlier remark" not in str(answer)
        assert "FAIL" not in str(answer)
    assert answer["reveal"] == {"slot": 2, "key": "tone", "shown": None}
    new = [
        {
            **act,
            "seq": 9,
            "output": 2,
            "criterion": "tone",
            "question_hash": asked.questions[0].hash,
        }
    ]
    receive(workspace, project, ana, {"entries": new}, inbox)
    shown = queue_data(workspace, project, ana, asked, asking)["reveal"]["shown"]
    assert (shown["kind"], shown["verdict"], shown["note"]) == ("stale", "FAIL", "earlier remark")


def test_ids_are_sent_when_somebody_wants_to_jump(workspace: Store) -> None:
    ana, _, _ = talk(workspace, 2)
    project = workspace.projects()[0]
    add_outputs(workspace, project.id, [NewOutput("s0", "again", trial=2)])
    asked = Asked((question(None, "overall"),))
    answer = queue_data(workspace, project, ana, asked, {"queue": asked.queue, "names": True})
    assert sorted(answer["names"]) == [[1, "s0"], [2, "s1"], [3, "s0 · trial 2"]]
    assert "names" not in queue_data(workspace, project, ana, asked, {"queue": asked.queue})


def test_criteria_and_list_are_in_the_address(workspace: Store) -> None:
    project = workspace.create_project("Refunds")
    add_outputs(workspace, project.id, [NewOutput("a", "x")])
    save_version(workspace, project.id, TWO)
    app = run(reviewer="Ana", asking="all", list="deferred")
    assert [box.key for box in app.selectbox] == ["pick.list"]
    assert app.selectbox(key="pick.list").value == "deferred"
    app.selectbox(key="pick.list").set_value("stale").run()
    assert app.query_params["list"] == "stale"
    assert app.query_params["asking"] == "all"
