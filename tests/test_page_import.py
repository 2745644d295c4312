"""The import screen: what a file is, is recognised and can be corrected; logs, spans, taking back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.store.contracts import latest_version
from core.store.outputs import count_outputs
from core.store.paths import count_traces
from core.store.store import DATABASE_URL, Project, Store, open_store
from tests.test_evallog import header, sample, zipped
from tests.test_spans import export, loop

Drop = Callable[[str, bytes, str], AppTest]
PAGES = Path(__file__).parents[1] / "pages"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The workspace the page will open."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    st.cache_resource.clear()
    st.cache_data.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def project(bench: Store) -> Project:
    return bench.create_project("Logs")


@pytest.fixture
def drop(project: Project) -> Drop:
    """Open the import view of a page and drop a file on it."""

    def dropped(page: str, data: bytes, name: str) -> AppTest:
        at = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=30)
        at.session_state["shell.ready"] = True
        at.query_params["project"] = project.slug
        at.query_params["view"] = "import"
        at.run()
        at.file_uploader[0].set_value((name, data, "application/octet-stream")).run()
        assert not at.exception, at.exception
        return at

    return dropped


def kind(at: AppTest) -> str:
    return next(str(box.value) for box in at.selectbox if box.label == "This file is")


def said(at: AppTest) -> str:
    return "\n".join(str(block.value) for block in at.text)


def test_a_log_is_named_its_scorers_become_criteria_and_the_import_is_taken_back(
    bench: Store, project: Project, drop: Drop
) -> None:
    data = zipped(header("cancelled", ids=4), [sample(1), sample(2, 1, "I"), sample(3, 1, "P")])
    at = drop("label", data, "run.eval")
    assert kind(at) == "inspect"
    assert "The run was cancelled; in the log: 3 samples of 4." in said(at)
    assert "3 new outputs, 0 already here; 3 verdicts." in said(at)
    at.button(key="import.store").click().run()
    assert not at.exception
    version = latest_version(bench, project.id)
    assert version is not None and version.contract.keys == ("match",)
    assert count_outputs(bench, project.id) == 3
    next(b for b in at.button if str(b.key).startswith("import.undo")).click().run()
    assert not at.exception
    assert "run.eval: 3 judged outputs, 3 outputs." in said(at)
    assert count_outputs(bench, project.id) == 0


def test_scores_that_are_numbers_wait_for_their_meaning(drop: Drop, bench: Store) -> None:
    at = drop("label", zipped(header(), [sample(1, 1, 0.2), sample(2, 1, 0.8)]), "run.eval")
    assert "its scores have no meaning yet" in said(at)
    assert not [b for b in at.button if b.key == "import.store"]
    at.number_input[0].set_value(0.5).run()
    assert "2 verdicts" in said(at)


def test_spans_are_mapped_looked_at_and_stored(bench: Store, project: Project, drop: Drop) -> None:
    at = drop("traces", export([*loop("a", "FAIL", "PASS"), *loop("b", "nope")]), "spans.json")
    assert kind(at) == "spans"
    assert "unscored: 1 (nope × 1)." in said(at)
    fails = next(box for box in at.multiselect if box.label == "Words that mean FAIL")
    fails.set_value([*fails.value, "nope"]).run()
    assert "unscored" not in said(at)
    at.button(key="traces.store").click().run()
    assert not at.exception
    assert count_traces(bench, project.id) == 2


def test_a_wrong_kind_says_so_in_one_line_and_stores_nothing(drop: Drop, bench: Store) -> None:
    at = drop("label", b"sample_id,output\n1,x\n", "a.csv")
    assert kind(at) == "table"
    box = next(box for box in at.selectbox if box.label == "This file is")
    box.set_value("inspect").run()
    assert not at.exception
    assert at.error[0].value == "This file cannot be used as it is. Nothing was stored."
    assert "a.csv, line 1, character 1: not JSON" in said(at)
