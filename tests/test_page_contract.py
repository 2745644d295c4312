"""The contract page: findings under their fields, trying checks, versions and what they did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract
from core.contract.finding import Finding
from core.contract.lint import lint_data
from core.files.folder import load_folder
from core.store.contracts import latest_version, save_version
from core.store.store import DATABASE_URL, Store, open_store
from pages.parts.contract_findings import by_field, by_part
from sample_data.samples import SAMPLES

ROOT = Path(__file__).parents[1]
EVALUATOR, TRY, VERSIONS = "Evaluator, stop rule and limits", "Try on outputs", "Versions"


@pytest.fixture
def refund(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The workspace the page opens: the refund reply sample."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    st.cache_resource.clear()
    opened = open_store(url=url)
    sample = SAMPLES["refund_reply"]
    load_folder(opened, sample.folder, title="Refund", slug="refund", note="", author="x")
    yield opened
    opened.close()
    st.cache_resource.clear()


def show(tab: str = "Criteria", **address: str) -> AppTest:
    """Open the page on one of its tabs; it must not end in an exception."""
    app = AppTest.from_file(str(ROOT / "pages" / "contract.py"), default_timeout=20)
    app.session_state["shell.ready"] = True
    for key, value in {"project": "refund", "criterion": "tone", **address}.items():
        app.query_params[key] = value
    app.session_state["contract.tab"] = tab
    app.run()
    assert not app.exception, app.exception
    return app


def go(page: AppTest, tab: str) -> AppTest:
    page.session_state["contract.tab"] = tab
    return page.run()


def texts(app: AppTest) -> str:
    """Everything the page says in words."""
    kinds = (app.text, app.caption, app.warning, app.error, app.success)
    html = [str(e.proto.body) for e in app.main if e.type == "html"]
    return "\n".join([*(str(e.value) for kind in kinds for e in kind), *html])


def field(page: AppTest, label: str) -> Any:
    found = [*page.text_input, *page.text_area, *page.number_input, *page.selectbox]
    return next(e for e in found if e.label.startswith(label))


def press(page: AppTest, label: str) -> None:
    next(b for b in page.button if b.label == label).click().run()


def save(page: AppTest, author: str = "Ana") -> None:
    page.text_input(key="contract.author").set_value(author)
    press(page, "Save")


def table(page: AppTest, column: str) -> Any:
    return next(d.value for d in page.dataframe if column in d.value.columns)


# --- findings --------------------------------------------------------------------------------


def test_findings_are_counted_above_the_list_and_the_next_one_is_a_click_away(
    refund: Store,
) -> None:
    page = show()
    assert "4 criteria. Lint found nothing." in texts(page)
    field(page, "Question").set_value("Is the reply good?").run()
    assert "4 criteria · 1 lint finding in 1 criterion" in texts(page)
    assert ["", "", "1", ""] == list(table(page, "Lint")["Lint"])
    elsewhere = show(criterion="length", draft=page.query_params["draft"])
    press(elsewhere, "Next finding")
    assert "tone" == field(elsewhere, "Key").value


def test_every_finding_about_a_criterion_stands_under_one_of_its_fields() -> None:
    fields = {"key", "question", "check", "pass_example", "fail_example"}
    item = {"key": "a", "question": "", "pass_example": "", "fail_example": " "}
    found = by_field(lint_data({"criteria": [item]}), item)
    assert fields >= set(found)
    assert [1, 1] == [len(found["pass_example"]), len(found["fail_example"])]
    later = Finding("a", "a rule made later", "m", "f", position=0)
    assert {"question": [later]} == by_field([later], item)


def test_every_finding_about_the_contract_stands_under_a_part_of_its_form(refund: Store) -> None:
    later = Finding(None, "a rule made later", "m", "f")
    assert {"top": [later]} == by_part([later])
    page = show(EVALUATOR)
    field(page, "What the criteria do not examine").set_value("").run()
    assert "Nothing says what this contract does not examine." in texts(page)


def test_what_a_finding_quotes_is_shown_as_it_is(refund: Store) -> None:
    page = show()
    field(page, "Question").set_value("Is the <b>good</b> reply <i>good</i>?").run()
    assert not [e for e in page.main if e.type == "html" and "<b>" in str(e.proto.body)]


def test_pauses_while_typing_are_one_step_of_undo(refund: Store) -> None:
    page = show()
    before = field(page, "Question").value
    for text in ("Is", "Is it", "Is it kind?"):
        field(page, "Question").set_value(text).run()
    press(page, "Undo")
    assert before == field(page, "Question").value
    assert next(b for b in page.button if b.label == "Undo").disabled


def test_a_key_typed_twice_stays_on_its_own_criterion(refund: Store) -> None:
    page = show(criterion="tone")
    question = field(page, "Question").value
    field(page, "Key").set_value("length").run()
    assert question == field(page, "Question").value
    assert "Two criteria share the key" in texts(page)


# --- trying checks on outputs ----------------------------------------------------------------


def test_only_the_edited_check_runs_again(refund: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.checks.registry import build
    from core.runs import trial

    built: list[str] = []

    def counting(spec: Any) -> Any:
        built.append(spec["kind"])
        return build(spec)

    monkeypatch.setattr(trial, "build", counting)
    page = show(TRY, criterion="length")
    kinds = [built.count("max_words"), built.count("contains_any") + built.count("contains")]
    assert [2, 2] == kinds  # once over all outputs, once for the evidence on screen
    go(page, "Criteria")
    field(page, "Limit").set_value(30).run()
    assert 3 == built.count("max_words")
    page.run()
    field(page, "Question").set_value("Is it at most 30 words long?").run()
    assert [3, 2] == [built.count("max_words"), len(built) - 3]


def test_a_criterion_without_a_column_says_why(refund: Store) -> None:
    page = show(TRY)
    notes = dict(zip(table(page, "Note")["Criterion"], table(page, "Note")["Note"], strict=True))
    assert {
        "length": "", "refund": "",
        "tone": "Judged: a judge's verdicts are on the page Judge",
        "next_step": "Judged: a judge's verdicts are on the page Judge",
    } == notes  # fmt: skip


# --- versions --------------------------------------------------------------------------------


def test_a_saved_version_is_marked_ready_without_an_edit_and_back(refund: Store) -> None:
    project = refund.project("refund")
    assert project is not None

    def ready() -> bool:
        found = latest_version(refund, project.id)
        assert found is not None
        return found.ready

    page = show()
    assert ready()
    press(page, "✓ Version 1 is ready: take back")
    assert (False, True) == (ready(), "Version 1 is no longer marked as ready." in texts(page))
    go(page, VERSIONS)
    next(b for b in page.button if b.key == "contract.mark.versions").click().run()
    assert ready()
    assert "✓ ready" == table(page, "Saved (UTC)")["Ready"][0]


def test_what_is_in_the_way_of_ready_is_listed(refund: Store) -> None:
    project = refund.project("refund")
    assert project is not None
    first = latest_version(refund, project.id)
    assert first is not None
    vague = first.contract.model_copy(update={"does_not_examine": ""})
    save_version(refund, project.id, vague, based_on=1)
    page = show()
    assert "• what the criteria do not examine: it is blank. Name what goes unseen." in texts(page)
    assert next(b for b in page.button if b.label == "Mark as ready").disabled


def test_versions_say_what_a_change_made_stale_and_who_said_so(refund: Store) -> None:
    page = show()
    field(page, "Question").set_value("Does it say sorry without blaming?").run()
    page.session_state["contract.meaning.tone"] = "same"
    save(page)
    field(page, "Example that fails").set_value("Your own fault.").run()
    save(page, "Ben")
    go(page, VERSIONS)
    offered = [button.proto.label for button in page.get("download_button")]
    assert ["Markdown", "YAML", "JSON", "Loop, anthropic SDK", "Tests, anthropic SDK"] == offered[
        1:6
    ]
    saved = table(page, "Labels made stale")
    assert [3, 2, 1] == list(saved["Version"])
    assert saved["Labels made stale"][0] > 0
    assert [0, 0] == list(saved["Labels made stale"][1:])
    told = table(page, "Meaning")
    assert ["tone", "new meaning", "Ben", "stale"] == [
        told["Criterion"][0], told["Meaning"][0], told["Said by"][0], told["Labels"][0].split()[1],
    ]  # fmt: skip
    field(page, "Read version").set_value(2).run()
    told = table(page, "Meaning")
    assert ["same meaning", "Ana", "kept"] == [
        told["Meaning"][0], told["Said by"][0], told["Labels"][0].split()[1],
    ]  # fmt: skip


def test_a_stale_save_shows_both_versions_side_by_side(refund: Store) -> None:
    project = refund.project("refund")
    assert project is not None
    page = show()
    field(page, "Question").set_value("Is it kind?").run()
    first = latest_version(refund, project.id)
    assert first is not None
    theirs = first.contract.model_copy(update={"task": "Ben's task"})
    save_version(refund, project.id, theirs, author="Ben", based_on=1)
    page.run()
    save(page)
    both = [d.value for d in page.dataframe if "Before" in d.value.columns]
    assert [["Ben's task"], ["Is it kind?"]] == [list(t["After"]) for t in both]
    said = texts(page)
    assert "Version 2 by Ben: 1 change" in said
    assert "Not saved. Your changes are kept." in said


def test_saving_what_equals_the_version_says_so(refund: Store) -> None:
    page = show()
    before = field(page, "Question").value
    field(page, "Question").set_value("Is it kind?").run()
    field(page, "Question").set_value(before).run()
    save(page)
    assert "Nothing differs from version 1: no new version was made." in texts(page)


@pytest.mark.parametrize("key", ["النبرة 👩‍💻 e\u0301", ":red[x] $5$ <i>"])
def test_keys_of_any_script_on_the_page(refund: Store, key: str) -> None:
    """Added, renamed, saved, shown, brought back."""
    project = refund.project("refund")
    assert project is not None
    page = show()
    field(page, "Key").set_value(key).run()
    save(page, "علي")
    assert key == table(page, "Lint")["Criterion"][2]
    go(page, VERSIONS)
    assert "renamed" == table(page, "Before")["Change"][0]
    field(page, "Read version").set_value(1).run()
    press(page, "Bring back version 1")
    save(page, "علي")
    newest = latest_version(refund, project.id)
    assert newest is not None
    assert (3, "tone", "علي") == (newest.number, newest.contract.keys[2], newest.author)


def test_five_hundred_criteria_are_drawn(refund: Store) -> None:
    project = refund.create_project("Big")
    rows = [
        {"key": f"k{n}", "question": f"Does the reply name fact {n}?", "pass_example": "It does.",
         "fail_example": "No."}
        for n in range(500)
    ]  # fmt: skip
    save_version(refund, project.id, Contract.from_data({"criteria": rows}))
    page = show(project="big", criterion="k499")
    field(page, "Question").set_value("Is the reply good?").run()
    assert "1" == table(page, "Lint")["Lint"][499]
    for tab in (TRY, VERSIONS):
        assert not go(page, tab).exception


def test_a_criterion_is_found_by_its_key_without_a_mouse(refund: Store) -> None:
    page = show(criterion="length")
    page.selectbox(key=next(s.key for s in page.selectbox if s.label == "Go to")).set_value(3).run()
    assert ("next_step", "next_step") == (page.query_params["criterion"], field(page, "Key").value)
    press(page, "Move up")
    assert ("next_step", 2) == (
        field(page, "Key").value,
        next(s.value for s in page.selectbox if s.label == "Go to"),
    )
