"""The judge page over a real workspace: what it says before a run, and that it shows nothing stale."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.files.folder import load_folder
from core.judging.prompt import DEFAULT_INSTRUCTIONS, Instructions, JudgeOptions
from core.runs import background
from core.runs.execution import execute
from core.runs.models import model_factory, price_list
from core.runs.setup import JudgeSetup
from core.runs.starting import start_judging
from core.store.contracts import Version, latest_version, save_version
from core.store.judge_config import judge_configs, judges_asked_here, judges_that_answered
from core.store.labels import save_reviewer
from core.store.outputs import NewOutput, add_outputs, load_outputs
from core.store.runs import Run, RunKind, RunState, Wish, ask, load_run, runs_of
from core.store.store import DATABASE_URL, Project, Store, open_store
from sample_data.samples import SAMPLES
from tests.server import ModelServer
from tests.test_pages import ROOT, texts

Open = Callable[..., AppTest]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The refund sample, without any key, and no thread left behind."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    st.cache_resource.clear()
    opened = open_store(url=url)
    sample = SAMPLES["refund_reply"]
    load_folder(
        opened, sample.folder, title=sample.title, slug="refund-reply", note=sample.note, author="x"
    )
    yield opened
    started = background._RUNNING.pop(url, None)
    if started is not None:
        started.stop.set()
        started.wake()
        started.thread.join(10)
    opened.close()
    st.cache_resource.clear()


@pytest.fixture
def show(bench: Store) -> Open:
    def open_page(name: str = "judge", **address: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=20)
        app.session_state["shell.ready"] = True
        for key, value in {"project": "refund-reply", **address}.items():
            app.query_params[key] = value
        app.run()
        assert not app.exception, app.exception
        return app

    return open_page


def here(store: Store) -> tuple[Project, Version]:
    [project] = store.projects()
    version = latest_version(store, project.id)
    assert version is not None
    return project, version


def scripted(store: Store, *, repeats: int = 1, text: str = DEFAULT_INSTRUCTIONS.text, outputs: int = 6) -> Run:  # fmt: skip
    """Judge the first outputs with the scripted judge."""
    project, version = here(store)
    setup = JudgeSetup(JudgeOptions("scripted"), Instructions(text), repeats, calibration=True)
    ids = [o.id for o in load_outputs(store, project.id)][:outputs]
    run = start_judging(store, project.id, version, setup, price_list(), outputs=ids)
    return execute(store, run.id, model_factory())


def until_done(store: Store, run: int, seconds: float = 15) -> Run:
    end = time.monotonic() + seconds
    while (found := load_run(store, run)).unfinished and time.monotonic() < end:
        time.sleep(0.05)
    return found


def test_without_a_key_one_line_says_where_to_put_it_and_nothing_can_be_started(
    bench: Store, show: Open
) -> None:
    page = show()
    page.selectbox(key="judge.1.model").set_value("claude-haiku-5-5").run()
    said = texts(page)
    assert "This judge cannot be called yet." in said and "Set ANTHROPIC_API_KEY" in said
    assert page.button(key="judge.start").disabled and page.button(key="judge.try").disabled
    assert "It is not known which model wrote the outputs." in said
    page.number_input(key="judge.1.usd").set_value(0.0).run()
    assert "0 dollars allow no call. Empty the field for no limit." in texts(page)
    page.number_input(key="judge.1.usd").set_value(None).run()
    assert runs_of(bench, here(bench)[0].id) == []


def test_one_output_is_tried_and_paid_once_then_all_are_judged_by_a_thread(
    bench: Store, show: Open
) -> None:
    page = show()
    page.button(key="judge.try").click().run()
    [tried] = runs_of(bench, 1)
    assert (until_done(bench, tried.id).state, tried.total) == (RunState.DONE, 1)
    page = show()
    assert "scripted: shares" in texts(page) and page.button(key="judge.try").disabled
    assert "95 calls" in texts(page) and "1 answer paid for before" in texts(page)
    page.number_input(key="judge.1.concurrency").set_value(96)
    page.button(key="judge.start").click().run()
    newest = runs_of(bench, 1)[0]
    done = until_done(bench, newest.id)
    assert (done.state, done.total, dict(done.reused)) == (RunState.DONE, 96, {"scored": 1})
    said = texts(show())
    assert "Done · 96 of 96 judged" in said and "$0 · 95 calls" in said


def test_who_has_yet_to_label_the_output_tried_first_does_not_read_what_the_judge_said(
    bench: Store, show: Open
) -> None:
    scripted(bench, outputs=1)
    assert "scripted: shares" in texts(show(reviewer="Zoe"))
    save_reviewer(bench, 1, "Zoe")
    page = show(reviewer="Zoe")
    assert "scripted: shares" not in texts(page)
    assert "1 output is hidden from Zoe" in texts(page)
    assert page.button(key="judge.try").disabled
    page.button(key="sight.stop.try").click().run()
    assert "scripted: shares" in texts(page)


def test_a_run_that_stopped_at_a_wrong_address_goes_on_at_the_right_one(
    bench: Store, show: Open
) -> None:
    project, version = here(bench)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    judge = JudgeSetup(JudgeOptions("m-1"), DEFAULT_INSTRUCTIONS, base_url=nobody)
    [first, *_] = load_outputs(bench, project.id)
    run = start_judging(bench, project.id, version, judge, price_list(), outputs=[first.id])
    stopped = execute(bench, run.id, model_factory())
    assert stopped.state is RunState.FAILED
    page = show()
    assert f"Why it stopped: model server {nobody}" in texts(page)
    assert "$0 · 0 calls" in texts(page)
    with ModelServer() as server:
        page.text_input(key=f"judge.at.{run.id}").set_value(server.url).run()
        page.button(key=f"judge.there.{run.id}").click().run()
        newest = runs_of(bench, project.id)[0]
        assert until_done(bench, newest.id).state is RunState.DONE
    assert newest.judge_id != run.judge_id
    assert newest.judge_id is not None
    named = judge_configs(bench, project.id)[newest.judge_id].name
    assert named.endswith(f"at {server.url.partition('://')[2]}")
    # What is tuned or tried next begins with the judge that answers.
    assert list(judges_asked_here(bench, project.id)) == [newest.judge_id, run.judge_id]
    assert list(judges_that_answered(bench, project.id))[:1] == [newest.judge_id]
    assert run.judge_id not in judges_that_answered(bench, project.id)
    assert "price not set · 1 call" in texts(page.run())
    # The form for the next run has the address that works, so it knows what was answered there.
    assert page.text_input(key="judge.1.base_url").value == server.url
    assert page.button(key="judge.try").disabled


def test_a_paused_run_says_so_and_goes_on(bench: Store, show: Open) -> None:
    project, version = here(bench)
    setup = JudgeSetup(JudgeOptions("scripted"), DEFAULT_INSTRUCTIONS)
    run = start_judging(bench, project.id, version, setup, price_list())
    ask(bench, run.id, Wish.PAUSE)
    page = show()
    assert f"Run {run.id} · Paused · 0 of 96 judged" in texts(page)
    page.button(key=f"judge.resume.{run.id}").click().run()
    assert until_done(bench, run.id).state is RunState.DONE


def test_results_name_the_scripted_judge_and_show_nothing_of_other_wordings_or_inputs(
    bench: Store, show: Open
) -> None:
    run = scripted(bench, repeats=2)
    address = {"view": "results", "judge": str(run.judge_id)}
    said = texts(show(**address))
    assert "Scripted: these verdicts follow a rule." in said and "6 of 6 outputs scored" in said
    assert "scripted (no model) · instructions 1" in said

    # The second judge is another one, and what the first said is not shown under its name.
    other = scripted(bench, text="Judge loosely.", outputs=2)
    assert other.judge_id != run.judge_id
    assert "2 of 2 outputs scored" in texts(show(view="results", judge=str(other.judge_id)))

    [first, *_] = load_outputs(bench, 1)
    add_outputs(
        bench, 1, [NewOutput(first.sample_id, first.text, first.trial, "Another message")],
        replace_changed=True,
    )  # fmt: skip
    assert "4 of 4 outputs scored" in texts(show(**address))

    _, version = here(bench)
    criteria = tuple(
        c.model_copy(update={"question": c.question + " Really?"})
        for c in version.contract.criteria
    )
    save_version(bench, 1, version.contract.model_copy(update={"criteria": criteria}), based_on=1)
    assert "This judge has said nothing of the outputs as they are" in texts(show(**address))


def test_instructions_edited_in_the_tuning_view_are_tried_on_dev_alone(
    bench: Store, show: Open
) -> None:
    run = scripted(bench, outputs=96)
    page = show(view="tune", judge=str(run.judge_id), criterion="tone")
    page.button(key="judge.split").click().run()
    assert "Dev: 46 outputs · test: 50 outputs" in texts(page)
    assert page.button(key="judge.tune.go").disabled
    page.text_area[0].set_value("Judge loosely.").run()
    page.button(key="judge.tune.go").click().run()
    newest = runs_of(bench, 1)[0]
    assert until_done(bench, newest.id).state is RunState.DONE
    said = texts(show(view="tune", judge=str(run.judge_id), criterion="tone"))
    assert "0 verdicts changed" in said and "False-accept rate: no change (95" in said
    assert "Judged under instructions 2" in said
    # What was tried on dev is not what the next run begins with: somebody has to choose it.
    assert show().selectbox(key="judge.1.instructions").value == 1


def test_the_contract_page_shows_what_the_judge_says_of_the_examples(
    bench: Store, show: Open
) -> None:
    page = show("contract", criterion="tone")
    assert "Not tested yet: no judge has looked at this example." in texts(page)
    scripted(bench, outputs=1)
    page = show("contract", criterion="tone")
    assert texts(page).count("no judge has looked at this example as it is worded now") == 2
    page.button(key="selftest.1.tone").click().run()
    [test] = [r for r in runs_of(bench, 1) if r.kind is RunKind.EXAMPLES]
    assert until_done(bench, test.id).state is RunState.DONE
    said = texts(show("contract", criterion="tone"))
    assert "✓ PASS  scripted: shares" in said and "✕ FAIL  scripted: shares" in said
    assert "Said by scripted (no model) · instructions 1" in said
