"""The evidence page: opens with and without project and contract, filters by source and row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.charts import ChangeRow
from core.contract.contract import Contract
from core.store.contracts import save_version
from core.store.store import Store, open_store

PAGE = Path(__file__).parents[1] / "pages" / "evidence.py"
CONTRACT = Contract.from_data(
    {
        "title": "Replies",
        "task": "Answer the customer.",
        "evaluator": {"type": "rubric_other_model"},
        "criteria": [
            {"key": "kind", "question": "Kind?", "pass_example": "Hello", "fail_example": "No"}
        ],
    }
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty workspace that the page opens too."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv("EVALUATOR_BENCH_DATABASE_URL", url)
    st.cache_resource.clear()
    st.cache_data.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()
    st.cache_data.clear()


def page(**address: str) -> AppTest:
    """The page at this address, the shell already drawn."""
    at = AppTest.from_file(str(PAGE), default_timeout=20)
    at.session_state["shell.ready"] = True
    for name, value in address.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def texts(at: AppTest) -> str:
    """Everything shown as plain text."""
    return "\n".join(element.value for element in at.text)


def shown(at: AppTest) -> list[str]:
    """The studies on the page, in order."""
    return [m.value.strip("*") for m in at.markdown if m.value.startswith("**")]


def chart(at: AppTest) -> str:
    """The text beside the picture, empty when there is no picture."""
    found = at.get("vega_lite_chart")
    return found[0].proto.alt.replace("\u00a0", " ") if found else ""


def test_opens_without_a_project(workspace: Store) -> None:
    at = page()
    assert "No project is open." in texts(at)
    assert [h.value for h in at.header] == [
        "What changed",
        "11 studies",
        "What nobody has measured",
    ]
    assert len(shown(at)) == 11
    assert "34.0 points lower" in chart(at)


def test_a_project_without_contract_is_offered_the_contract_page(workspace: Store) -> None:
    workspace.create_project("Replies")
    at = page()
    assert "has no contract yet" in texts(at)
    assert at.button(key="evidence.write").label == "Write the contract"
    assert len(shown(at)) == 11


def test_one_click_shows_the_studies_that_speak_to_the_contract(workspace: Store) -> None:
    save_version(workspace, workspace.create_project("Replies").id, CONTRACT)
    at = page(view="person")
    assert "Rubric judge, different model. 2 studies speak to that." in texts(at)
    at.button(key="evidence.mine").click().run()
    assert shown(at) == ["Schluntz & Zhang (2024)", "Kim, Garg, Peng, Garg (2025)"]
    assert at.selectbox(key="pick.view").value == "all"
    assert at.query_params["row"] == "rubric_other_model"
    assert "None of these studies gives two values" in texts(at)
    assert chart(at) == ""
    at.button(key="evidence.mine").click().run()
    assert len(shown(at)) == 11


def test_the_address_names_the_source(workspace: Store) -> None:
    at = page(view="person")
    assert shown(at) == ["Olausson and colleagues (2023)"]
    assert "19.57" in chart(at)
    assert "HotpotQA" not in chart(at)


def test_an_unknown_source_in_the_address_shows_everything(workspace: Store) -> None:
    assert len(shown(page(view="oracle"))) == 11


def test_filters_by_source_and_row(workspace: Store) -> None:
    at = page()
    at.selectbox(key="pick.view").select("itself").run()
    assert at.query_params["view"] == "itself"
    assert [name.split()[0].strip(",") for name in shown(at)] == [
        "Huang",
        "Madaan",
        "Stechly",
        "Tyen",
    ]
    at.selectbox(key="pick.row").select("executed_check").run()
    assert [name.split()[0].strip(",") for name in shown(at)] == ["Stechly", "Tyen"]


def test_nothing_found_offers_all_studies(workspace: Store) -> None:
    at = page(view="own_tests", row="self_review")
    assert shown(at) == []
    assert "No study here has this kind of feedback and speaks to this row." in texts(at)
    at.button(key="evidence.reset").click().run()
    assert len(shown(at)) == 11


def test_the_picture_has_a_text_that_holds_every_number(workspace: Store) -> None:
    alt = chart(page())
    for number in ("80.0", "43.0", "41.8", "20", "91", "87", "52.60", "62.21", "45.67", "14.67"):
        assert number in alt
    assert "lower" in alt and "higher" in alt


def test_the_picture_is_built_once_for_the_same_rows(
    workspace: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rerun draws the picture again from its specification, and other rows make another."""
    from pages.parts import evidence_panels

    built: list[int] = []
    build = evidence_panels.change_chart

    def counted(rows: Sequence[ChangeRow]) -> Any:
        built.append(len(rows))
        return build(rows)

    monkeypatch.setattr(evidence_panels, "change_chart", counted)
    at = page()
    at.run()
    assert len(built) == 1
    at.selectbox(key="pick.view").select("itself").run()
    assert len(built) == 2
    assert built[1] < built[0]


def test_read_status_stands_on_every_study(workspace: Store) -> None:
    at = page()
    words = [m.value for m in at.markdown if "badge" in m.value]
    assert sum("Read in full" in w for w in words) == 7
    assert sum("Abstract only" in w for w in words) == 4
