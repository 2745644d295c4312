"""The settling view: blind by default, splits by key, decisions stored, one click to the contract."""

from __future__ import annotations

import time
from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract
from core.files.folder import load_folder
from core.labelling.label import LabelEntry, LabelKind
from core.store.contracts import latest_version, save_version
from core.store.labels import NewLabel, add_labels, reviewer_labels, save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.results import load_results
from core.store.settling import Reader, load_label_table, split_cases
from core.store.store import DATABASE_URL, Project, Store, open_store
from core.verdict import LabelValue
from pages.parts import acts
from sample_data.samples import SAMPLES

PAGE = Path(__file__).parents[1] / "pages" / "label.py"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The workspace the page will open; keys count at once, tests do not read."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    monkeypatch.setattr(acts, "QUIET", 0.0)
    st.cache_resource.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()


@pytest.fixture
def refund(bench: Store) -> Project:
    """The refund reply sample: Ana, Ben and Chloé have labelled it."""
    sample = SAMPLES["refund_reply"]
    load_folder(bench, sample.folder, title=sample.title, slug="refund", note="", author="x")
    found = bench.project("refund")
    assert found is not None
    return found


def show(reviewer: str = "Ana", project: str = "refund", **address: str) -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["shell.ready"] = True
    wanted = {"project": project, "reviewer": reviewer, "view": "settle", **address}
    for name, value in wanted.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def said(app: AppTest) -> str:
    """Everything the page sends to the browser, in words."""
    html = [str(e.proto.body) for e in app.main if e.type == "html"]
    frames = [f.value.to_csv() for f in app.dataframe]
    kinds = (app.text, app.caption, app.subheader, app.error, app.info)
    return "\n".join([*(str(e.value) for kind in kinds for e in kind), *html, *frames])


def sent(app: AppTest) -> bytes:
    """Every byte the page sends for its elements."""
    protos = [p for e in app.main if (p := getattr(e, "proto", None)) is not None]
    return b"".join(p.SerializeToString() for p in protos)


def press(app: AppTest, label: str) -> AppTest:
    """Press the button with this label; there must be exactly one."""
    [button] = [b for b in app.button if b.label == label]
    button.click().run()
    assert not app.exception, app.exception
    return app


def decisions(bench: Store) -> list[tuple[int, str | None, str]]:
    with bench.read() as c:
        query = "select output_id, verdict, note from label where kind='adjudication' order by id"
        return [tuple(row) for row in c.exec_driver_sql(query)]


def split_list(bench: Store, project: Project, key: str, name: str = "Ana") -> list[int]:
    """The outputs with both labels on a criterion that this reviewer has labelled, ties first."""
    who = save_reviewer(bench, project.id, name)[0]
    table = load_label_table(bench, project.id, latest_version(bench, project.id), Reader(who))
    codes = table.codes[key]
    both = (codes == 1).any(1) & (codes == 0).any(1)
    tie = (codes == 1).sum(1) == (codes == 0).sum(1)
    return [*table.outputs[both & tie].tolist(), *table.outputs[both & ~tie].tolist()]


# --- the splits ---------------------------------------------------------------------------------


def test_the_criterion_people_disagree_on_most_comes_first(refund: Project) -> None:
    app = show()
    options = app.selectbox(key="pick.criterion").options
    assert options[:2] == ["tone · 8 of 8 splits open", "next_step · 9 of 9 splits open"]
    assert options[2:] == [
        "length · no splits",
        "refund · no splits",
        "Overall (whole output) · no splits",
    ]
    assert app.selectbox(key="pick.criterion").value == "tone"


def test_a_split_shows_output_labels_notes_question_and_examples(
    bench: Store, refund: Project
) -> None:
    current = latest_version(bench, refund.id)
    assert current is not None
    first = split_list(bench, refund, "tone")[0]
    everything = Reader(0, settling=True)
    [case] = split_cases(bench, refund.id, current, "tone", [first], everything)
    app = show()
    words = said(app)
    for vote in case.votes:
        assert f"{vote.verdict}  {vote.reviewer}" in words
        assert vote.note in words
    criterion = current.contract.criterion("tone")
    assert criterion.question in words
    assert case.output.text[:40] in words
    assert criterion.pass_example[:40] in words
    assert criterion.fail_example[:40] in words
    assert "1 of 8" in words


def test_every_key_has_its_button(refund: Project) -> None:
    found = {b.label: b.proto.shortcut for b in show().button if b.proto.shortcut}
    assert found == {
        "✓ PASS": "1",
        "✕ FAIL": "2",
        "Leave undecided": "3",
        "Back": "left",
        "Next": "right",
        "Undo": "u",
    }


def test_a_decision_is_stored_with_its_note_and_the_next_split_comes(
    bench: Store, refund: Project
) -> None:
    ids = split_list(bench, refund, "tone")
    app = show()
    app.text_input[0].set_value(" blames the customer ").run()
    press(app, "✕ FAIL")
    assert decisions(bench) == [(ids[0], "FAIL", "blames the customer")]
    assert "2 of 8" in said(app)
    assert app.text_input[0].value == ""
    press(press(app, "✓ PASS"), "Leave undecided")
    assert [(i, v) for i, v, _ in decisions(bench)] == [
        (ids[0], "FAIL"), (ids[1], "PASS"), (ids[2], "UNSURE"),
    ]  # fmt: skip
    assert "tone · 5 of 8 splits open" in app.selectbox(key="pick.criterion").options


def test_the_adjudicators_own_label_stays(bench: Store, refund: Project) -> None:
    ana = save_reviewer(bench, refund.id, "Ana")[0]
    before = reviewer_labels(bench, refund.id, ana)
    press(press(show(), "✓ PASS"), "✕ FAIL")
    assert reviewer_labels(bench, refund.id, ana) == before


def test_left_and_right_move_without_deciding(bench: Store, refund: Project) -> None:
    app = show()
    press(press(app, "Next"), "Next")
    assert "3 of 8" in said(app)
    press(app, "Back")
    assert "2 of 8" in said(app)
    assert decisions(bench) == []


def test_undo_withdraws_the_last_decision_and_returns_to_it(bench: Store, refund: Project) -> None:
    ids = split_list(bench, refund, "tone")
    version = latest_version(bench, refund.id)
    before = load_results(bench, refund.id, version, None).gold["tone"]
    app = press(press(show(), "✓ PASS"), "✕ FAIL")
    press(app, "Undo")
    assert "2 of 8" in said(app)
    press(app, "Undo")
    assert "1 of 8" in said(app)
    assert [(i, v) for i, v, _ in decisions(bench)] == [
        (ids[0], "PASS"), (ids[1], "FAIL"), (ids[1], None), (ids[0], None),
    ]  # fmt: skip
    after = load_results(bench, refund.id, version, None).gold["tone"]
    assert np.array_equal(before, after)


def test_undo_brings_back_the_decision_that_was_changed(bench: Store, refund: Project) -> None:
    ids = split_list(bench, refund, "tone")
    app = press(press(press(show(), "✓ PASS"), "Back"), "✕ FAIL")
    press(app, "Undo")
    assert decisions(bench)[-1][:2] == (ids[0], "PASS")


def test_after_the_last_split_the_next_criterion_is_one_click_away(
    bench: Store, refund: Project
) -> None:
    app = show()
    for _ in range(8):
        press(app, "Leave undecided")
    assert "Every split on tone is settled or left undecided." in said(app)
    assert not [b for b in app.button if b.label == "✓ PASS"]
    press(app, "Go on with next_step")
    assert app.selectbox(key="pick.criterion").value == "next_step"
    assert "1 of 9" in said(app)


def test_a_second_press_on_the_same_painting_is_no_second_decision(
    bench: Store, refund: Project
) -> None:
    """Two keys before the next split is drawn reach the server with one and the same act."""
    ids = split_list(bench, refund, "tone")
    app = show()
    name = f"tone.{ids[0]}.1"
    first = app.button(key=f"settle.PASS.{name}")
    second = app.button(key=f"settle.FAIL.{name}")
    first.click()
    second.click()
    app.run()
    assert len(decisions(bench)) == 1
    assert not [b for b in app.button if b.key and b.key.endswith(name)]


def test_a_key_before_the_split_can_be_read_does_nothing(
    bench: Store, refund: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A held key comes again and again: it settles the split it was pressed on and no other."""
    monkeypatch.setattr(acts, "QUIET", 30.0)
    app = press(press(show(), "✓ PASS"), "✕ FAIL")
    assert decisions(bench) == []
    assert "did nothing: press it again" in said(app)
    monkeypatch.setattr(acts, "QUIET", 0.05)
    time.sleep(0.1)
    press(app, "✕ FAIL")
    assert [v for _, v, _ in decisions(bench)] == ["FAIL"]
    assert "did nothing" not in said(app)


def test_a_decision_that_cannot_be_stored_is_told_and_the_split_stays(
    bench: Store, refund: Project
) -> None:
    app = show()
    with bench.engine.begin() as c:
        c.exec_driver_sql(
            "create trigger full before insert on label begin select raise(abort, 'disk full'); end"
        )
    press(app, "✓ PASS")
    assert "This could not be done" in said(app)
    assert "1 of 8" in said(app)
    with bench.engine.begin() as c:
        c.exec_driver_sql("drop trigger full")
    press(app, "✓ PASS")
    assert len(decisions(bench)) == 1


# --- blind --------------------------------------------------------------------------------------


def test_who_has_labelled_nothing_sees_nothing_of_others(bench: Store, refund: Project) -> None:
    with bench.read() as c:
        notes = {n for (n,) in c.exec_driver_sql("select note from label where note <> ''")}
    assert notes
    for panel in ("splits", "agreement"):
        data = sent(show("Dee", panel=panel))
        assert not [n for n in notes if n.encode() in data or escape(n).encode() in data]
        for word in ("Ana", "Ben", "Chloé", "PASS  ", "FAIL  "):
            assert word.encode() not in data
        assert b"only where your own is stored" in data


def test_who_chooses_to_settle_sees_all_and_is_told_why_not_to_label(
    bench: Store, refund: Project
) -> None:
    app = press(show("Dee"), "I am settling, not labelling")
    assert "tone · 8 of 8 splits open" in app.selectbox(key="pick.criterion").options
    assert "Do not label these outputs" in said(app)
    # It stays chosen while other views are open, and is nobody else's choice.
    app.query_params["view"] = "import"
    app.run()
    app.query_params["view"] = "settle"
    app.run()
    assert "tone · 8 of 8 splits open" in app.selectbox(key="pick.criterion").options
    app.query_params["reviewer"] = "Eve"
    app.run()
    assert "tone · no splits" in app.selectbox(key="pick.criterion").options
    app.query_params["reviewer"] = "Dee"
    app.run()
    press(app, "Back to labelling")
    assert "tone · no splits" in app.selectbox(key="pick.criterion").options


def test_the_own_label_opens_that_output_and_no_other(bench: Store, refund: Project) -> None:
    current = latest_version(bench, refund.id)
    assert current is not None
    output = split_list(bench, refund, "tone")[0]
    dee = save_reviewer(bench, refund.id, "Dee")[0]
    question = current.contract.criterion("tone").question_hash
    act = LabelEntry(
        "client-dee", 1, output, "tone", LabelKind.LABEL, LabelValue.PASS, False, "", question
    )
    save_labels(bench, refund.id, dee, [act])
    options = show("Dee").selectbox(key="pick.criterion").options
    assert "tone · 1 of 1 splits open" in options
    assert "next_step · no splits" in options


# --- agreement ----------------------------------------------------------------------------------


def test_the_tables_hold_what_the_sample_says(refund: Project) -> None:
    per, pairs, against = (f.value for f in show(panel="agreement").dataframe)
    assert per["Criterion"].tolist()[:2] == ["tone", "next_step"]
    assert per["n"].tolist() == [88, 88, 90, 90, 0]
    assert per["Split"].tolist() == [8, 9, 0, 0, 0]
    assert per["Alpha"].tolist()[0] == "0.74 (0.51–0.86)"
    assert per["AC1"].tolist()[0] == "0.89 (0.78–0.95)"
    first = pairs.iloc[0]
    assert (first["Reviewers"], first["Same label"]) == ("Ana and Ben", "69 of 74")
    tone = against[against["Criterion"] == "tone"]
    assert tone["Reviewer"].tolist() == ["Ana", "Ben", "Chloé"]
    assert tone["of bad"].tolist() == ["1 of 12", "3 of 13", "1 of 7"]
    assert tone["of good"].tolist() == ["4 of 73", "1 of 58", "2 of 48"]


def test_a_criterion_people_disagree_on_is_to_be_fixed_first(
    bench: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = bench.create_project("Mine")
    data = {"key": "nice", "question": "Nice?", "pass_example": "Hi", "fail_example": "Go"}
    saved = save_version(bench, mine.id, Contract.from_data({"criteria": [data]}))
    add_outputs(bench, mine.id, [NewOutput(f"s{n}", f"text {n}") for n in range(40)])
    rows = [
        NewLabel(f"s{n}", "nice", who, LabelValue.PASS if n % (2 + k) else LabelValue.FAIL)
        for n in range(40)
        for k, who in enumerate(("Ana", "Ben"))
    ]
    add_labels(bench, mine.id, rows, saved)
    assert len(current_ids(bench, mine.id)) == 40
    went: list[str] = []
    monkeypatch.setattr(st, "switch_page", lambda page: went.append(page.url_path))
    for panel in ("splits", "agreement"):
        app = show(project="mine", panel=panel)
        assert "Fix the criterion before the judge" in said(app)
        assert "0.667" in said(app)
        app.session_state["link.criterion"] = None
        press(app, "Open nice on the contract page")
        assert app.session_state["link.criterion"] == "nice"
    assert went == ["contract", "contract"]


def test_an_empty_project_says_what_to_do(bench: Store) -> None:
    mine = bench.create_project("Mine")
    assert "There are no outputs to label yet." in said(show(project="mine"))
    add_outputs(bench, mine.id, [NewOutput("a", "x")])
    for panel in ("splits", "agreement"):
        show(project="mine", panel=panel)
