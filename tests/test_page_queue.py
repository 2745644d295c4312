"""The queue and export views, and what pages send to the browser of a person who labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract
from core.files.traces import parse_traces
from core.labelling.label import LabelKind
from core.store.assignments import QueueSettings, loads, queue_settings, save_queue_settings
from core.store.blind import standing
from core.store.contracts import save_version
from core.store.judgements import NewVerdict, add_verdicts, judges
from core.store.label_rows import withdrawals
from core.store.labels import reviewer_labels
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.queues import build_queue
from core.store.store import DATABASE_URL, Project, Store, open_store
from core.store.traces import add_traces
from core.verdict import LabelValue, passed
from tests.test_page_settle import press, said, sent
from tests.test_store_queues import say, who

PAGES = Path(__file__).parents[1] / "pages"
P, F = LabelValue.PASS, LabelValue.FAIL


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    st.cache_resource.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()


@pytest.fixture
def project(bench: Store) -> Project:
    """Three outputs that Ben failed with a note and the judge passed with evidence."""
    made = bench.create_project("Secrets", slug="secrets")
    add_outputs(bench, made.id, [NewOutput(f"s{n}", f"text {n}") for n in range(3)])
    rows = [{"key": "tone", "question": "Polite?", "pass_example": "Hi", "fail_example": "Go"}]
    version = save_version(bench, made.id, Contract.from_data({"criteria": rows}))
    verdicts = [
        NewVerdict(f"s{n}", "judge", "tone", passed(f"evidence-{n}-secret")) for n in range(3)
    ]
    add_verdicts(bench, made.id, verdicts, version)
    [ben] = who(bench, made, "Ben")
    for n, output in enumerate(current_ids(bench, made.id)):
        say(bench, made, ben, [output], F, note=f"note-{n}-secret")
    return made


def show(page: str, reviewer: str = "Ana", **address: str) -> AppTest:
    app = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=30)
    app.session_state["shell.ready"] = True
    app.session_state["contract.tab"] = "Try on outputs"
    for name, value in {"project": "secrets", "reviewer": reviewer, **address}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def test_the_agreement_page_sends_nothing_of_what_ana_has_yet_to_label(
    bench: Store, project: Project
) -> None:
    ids = current_ids(bench, project.id)
    # Who is no reviewer here reads everything.
    assert b"note-0-secret" in sent(show("agreement", "Zoe", criterion="tone"))
    [ana] = who(bench, project, "Ana")
    app = show("agreement", criterion="tone", output=str(ids[0]))
    assert b"secret" not in sent(app)
    assert "3 outputs are hidden from Ana" in said(app)
    say(bench, project, ana, ids[1:2], F)
    app = show("agreement", criterion="tone", output=str(ids[0]))
    assert b"note-1-secret" in sent(app)
    assert b"evidence-1-secret" in sent(app)
    for n in (0, 2):
        assert f"-{n}-secret".encode() not in sent(app)
    # The whole output: an own label on its only criterion opens it.
    assert "2 outputs are hidden" in said(show("agreement", criterion="overall"))
    press(app, "I am not labelling here any more")
    assert b"note-0-secret" in sent(show("agreement", criterion="tone", output=str(ids[0])))
    label = show("label", view="label")
    assert "You said that you are not labelling here any more" in said(label)
    press(label, "Label again")
    assert b"-0-secret" not in sent(show("agreement", criterion="tone", output=str(ids[0])))


def test_a_trace_of_a_text_to_be_labelled_is_not_replayed(bench: Store, project: Project) -> None:
    line = (
        '{"trace_id":"t1","arm":"loop","sample_id":"s0","input":"","rounds":[{"round":1,'
        '"draft":"text 0","verdicts":{"tone":{"evidence":"trace-secret","verdict":"FAIL"}},'
        '"gold":"FAIL"}]}'
    )
    add_traces(bench, project.id, parse_traces(line.encode(), "x").traces)
    assert b"trace-secret" in sent(show("traces", "Zoe", view="replay", trace="t1"))
    [ana] = who(bench, project, "Ana")
    app = show("traces", view="replay", trace="t1")
    assert b"trace-secret" not in sent(app)
    assert "1 trace is hidden from Ana" in said(app)
    say(bench, project, ana, current_ids(bench, project.id)[:1], P)
    assert b"trace-secret" in sent(show("traces", view="replay", trace="t1"))


def test_the_lead_sets_up_the_queue_and_gives_back_what_somebody_holds(
    bench: Store, project: Project
) -> None:
    app = show("label", "Lea", view="queue")
    key = f"queue.{project.id}"
    app.number_input(key=f"{key}.each").set_value(2)
    app.toggle(key=f"{key}.first").set_value(True)
    app.number_input(key=f"{key}.random").set_value(20)
    app.toggle(key=f"{key}.repeats").set_value(True)
    app.toggle(key=f"{key}.practice").set_value(True)
    app = press(app, "Save")
    wanted = QueueSettings(2, 20, True, True, 24, "secrets")
    assert queue_settings(bench, project.id) == wanted
    assert "Fewer than 10 settled items" in said(app)
    save_queue_settings(bench, project.id, QueueSettings(2, seed="s"), "Lea")
    [ana] = who(bench, project, "Ana")
    build_queue(bench, project, None, ana, "overall")
    app = show("label", "Lea", view="queue")
    assert "Ana: 3 outputs, 3 not begun" in said(app)
    press(app, "Give back")
    assert loads(bench, project.id) == []
    say(bench, project, ana, current_ids(bench, project.id)[:1], P)
    say(bench, project, ana, current_ids(bench, project.id)[:1], F, kind=LabelKind.REPEAT)
    frame = show("label", "Lea", view="queue").dataframe[0].value
    assert frame["Alike"].tolist() == ["0 of 1"]
    assert frame["Share"].tolist() == ["0.0\xa0% (0.0–97.5\xa0%)"]


def test_labels_are_taken_back_after_the_counts_and_brought_back(
    bench: Store, project: Project
) -> None:
    [ben] = who(bench, project, "Ben")
    app = show("label", "Lea", view="import")
    app.selectbox(key=f"export.who.{project.id}").set_value(str(ben)).run()
    assert "3 labels would count nowhere any more" in said(app)
    app = press(app, "Take back all 3")
    assert reviewer_labels(bench, project.id, ben) == []
    assert [(w.reviewer, w.by) for w in withdrawals(bench, project.id)] == [("Ben", "Lea")]
    press(app, "Bring back")
    assert len(reviewer_labels(bench, project.id, ben)) == 3


def test_who_has_yet_to_label_is_told_what_an_export_leaves_out(
    bench: Store, project: Project
) -> None:
    who(bench, project, "Ana")
    app = show("label", view="import")
    assert "3 outputs are hidden from Ana" in said(app)
    app = show("label", "Zoe", view="import")
    assert "3 outputs are hidden from Zoe, who may be about to label them" in said(app)
    app.button(key="sight.stop.export").click().run()
    assert "hidden" not in said(app)
    assert not standing(bench, who(bench, project, "Zoe")[0]).labelling
    nobody = show("label", "", view="import")
    assert "3 outputs are hidden: people are labelling here" in said(nobody)
    nobody.text_input(key="sight.name.export").set_value("Zoe").run()
    assert "hidden" not in said(nobody)


def test_the_practice_round_is_announced(bench: Store, project: Project) -> None:
    save_queue_settings(bench, project.id, QueueSettings(practice=True, seed="s"), "Lea")
    address = {"view": "label", "criterion": "tone"}
    assert "the practice round is skipped" in said(show("label", **address))
    [dee] = who(bench, project, "Dee")
    ids = current_ids(bench, project.id)
    say(bench, project, dee, ids[:2], F)
    assert "Practice round of 2 settled items: 0 answered" in said(show("label", **address))
    [ana] = who(bench, project, "Ana")
    say(bench, project, ana, ids[:2], F, kind=LabelKind.PRACTICE)
    assert "Practice round done: 2 of 2 as settled" in said(show("label", **address))
    assert len(judges(bench, project.id)) == 1


def test_the_contract_page_shows_no_check_of_what_is_yet_to_be_labelled(
    bench: Store, project: Project
) -> None:
    row = {"key": "short", "question": "Short?", "pass_example": "Hi", "fail_example": "Go to it"}
    row |= {"checked_by": "code", "check": {"kind": "max_words", "limit": 2}}  # type: ignore[dict-item]
    save_version(bench, project.id, Contract.from_data({"criteria": [row]}), based_on=1)
    zoe = show("contract", "Zoe")
    assert "2 words, limit 2" not in said(zoe)
    zoe.button(key="sight.stop.contract").click().run()
    assert "2 words, limit 2" in said(zoe)
    [ana] = who(bench, project, "Ana")
    app = show("contract")
    assert "2 words, limit 2" not in said(app)
    assert "3 outputs are hidden from Ana" in said(app)
    ids = current_ids(bench, project.id)
    say(bench, project, ana, ids[:1], P, key="short")
    assert "text 0" in said(show("contract"))
    assert "2 outputs are hidden from Ana" in said(show("contract"))
