"""Pages as the server runs them: empty states, numbers from the store, edits that survive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.contract.contract import Contract
from core.files.folder import load_folder
from core.store.contracts import latest_version, save_version
from core.store.decisions import Choice, decisions
from core.store.outputs import NewOutput, add_outputs
from core.store.store import DATABASE_URL, Store, open_store
from sample_data.samples import SAMPLES

ROOT = Path(__file__).parents[1]
Open = Callable[..., AppTest]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The workspace the pages will open."""
    url = f"sqlite:///{tmp_path / 'bench.sqlite'}"
    monkeypatch.setenv(DATABASE_URL, url)
    st.cache_resource.clear()
    st.cache_data.clear()
    opened = open_store(url=url)
    yield opened
    opened.close()
    st.cache_resource.clear()


@pytest.fixture
def refund(bench: Store) -> Store:
    """A workspace with the refund reply sample."""
    sample = SAMPLES["refund_reply"]
    load_folder(
        bench, sample.folder, title=sample.title, slug="refund-reply", note=sample.note, author="x"
    )
    return bench


@pytest.fixture
def show(bench: Store) -> Open:
    """Open a page with an address; it must not end in an exception."""

    def open_page(name: str, **address: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=20)
        app.session_state["shell.ready"] = True
        for key, value in address.items():
            app.query_params[key] = value
        app.run()
        assert not app.exception, app.exception
        return app

    return open_page


def texts(app: AppTest) -> str:
    """Everything a page says in words."""
    kinds = (app.title, app.subheader, app.text, app.caption, app.markdown, app.warning, app.error, app.success, app.info)  # fmt: skip
    html = [str(e.proto.body) for e in app.main if e.type == "html"]
    return "\n".join([*(str(e.value) for kind in kinds for e in kind), *html])


PAGES = ["home", "contract", "label", "judge", "agreement", "loop", "traces"]


@pytest.mark.parametrize("page", PAGES)
def test_without_any_project_a_page_says_how_to_get_one(page: str, show: Open) -> None:
    assert "No project is open" in texts(show(page))


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_project_opens_on_every_page(page: str, bench: Store, show: Open) -> None:
    bench.create_project("Mine")
    assert show(page, project="mine")


def test_empty_states_name_one_next_action(bench: Store, show: Open) -> None:
    mine = bench.create_project("Mine")
    assert ["Import outputs"] == [b.label for b in show("agreement", project="mine").button]
    add_outputs(bench, mine.id, [NewOutput("1", "a text")])
    assert ["Import verdicts or run the code checks"] == [
        b.label for b in show("agreement", project="mine").button
    ]


def test_an_address_that_names_nothing_falls_back(refund: Store, show: Open) -> None:
    page = show(
        "agreement", project="refund-reply", judge="99", criterion="nope", cell="nope", output="x"
    )
    assert "harsh-judge (recorded)" in texts(page)


def test_an_address_of_a_project_that_is_not_here_opens_no_other(refund: Store, show: Open) -> None:
    said = texts(show("label", project="nope", reviewer="Ana"))
    assert "The address names 'nope', which is not in this workspace or was removed." in said
    assert "refund" not in said


def test_the_project_picker_leaves_a_name_that_is_not_here_in_the_address(refund: Store) -> None:
    def page() -> None:
        from pages.parts import workspace

        workspace.sidebar()
        workspace.need_project()

    app = AppTest.from_function(page)
    app.query_params["project"] = "nope"
    app.run(timeout=30)
    assert "The address names 'nope', which is not in this workspace or was removed." in texts(app)
    assert app.query_params["project"] in ("nope", ["nope"])


# --- agreement -------------------------------------------------------------------------------


def test_agreement_shows_the_counted_cells_and_words(refund: Store, show: Open) -> None:
    page = show("agreement", project="refund-reply", judge="3", criterion="tone")
    said = texts(page)
    assert (
        "7 of 13 bad outputs passed: 53.8\u00a0% (22.8–82.8\u00a0%). Above your 5\u00a0% limit."
        in said
    )
    assert ["75 true accepts", "2 false rejects", "7 false accepts", "6 true rejects"] == [
        b.label
        for b in page.button
        if b.key
        and b.key.split(".")[1] in ("true_accept", "false_accept", "true_reject", "false_reject")
    ]
    assert "Words as chosen at import" in said


def test_a_cell_opens_its_outputs_one_by_one(refund: Store, show: Open) -> None:
    page = show("agreement", project="refund-reply", judge="3", criterion="tone")
    assert "1 of 7" in texts(page)
    page.button(key="agreement.next").click().run()
    assert "2 of 7" in texts(page)
    page.button(key="agreement.true_reject").click().run()
    assert "1 of 6" in texts(page)
    assert page.query_params["cell"] == "true_reject"


# --- judge -----------------------------------------------------------------------------------


def test_code_checks_run_from_the_page_and_once(bench: Store, show: Open) -> None:
    mine = bench.create_project("Mine")
    add_outputs(bench, mine.id, [NewOutput("1", "short"), NewOutput("2", "one two three four")])
    criterion = {
        "key": "short", "question": "At most 3 words?", "checked_by": "code",
        "check": {"kind": "max_words", "limit": 3}, "pass_example": "a", "fail_example": "a b c d",
    }  # fmt: skip
    save_version(bench, mine.id, Contract.from_data({"criteria": [criterion]}))
    page = show("judge", project="mine", view="checks")
    page.button(key="judge.run").click().run()
    assert "2 new verdicts." in texts(page)
    assert (1, 1) == (page.dataframe[1].value["PASS"][0], page.dataframe[1].value["FAIL"][0])
    page.button(key="judge.run").click().run()
    assert "Everything was up to date." in texts(page)


# --- contract --------------------------------------------------------------------------------


def field(page: AppTest, label: str):  # type: ignore[no-untyped-def]
    return next(
        e
        for e in [*page.text_input, *page.text_area, *page.number_input, *page.selectbox]
        if e.label.startswith(label)
    )


EVALUATOR, TRY, VERSIONS = "Evaluator, stop rule and limits", "Try on outputs", "Versions"


def tab(page: AppTest, name: str) -> AppTest:
    """Open one of the contract page's tabs; what is in the others is not drawn."""
    page.session_state["contract.tab"] = name
    return page.run()


def test_an_edit_is_kept_without_saving_and_saved_as_a_version(refund: Store, show: Open) -> None:
    project = refund.project("refund-reply")
    assert project is not None
    page = show("contract", project="refund-reply", criterion="length")
    field(page, "Limit").set_value(50).run()
    draft = page.query_params["draft"]
    again = show("contract", project="refund-reply", criterion="length", draft=draft)
    assert "Unsaved changes to version 1" in texts(again)
    assert 50 == field(again, "Limit").value
    again.text_input(key="contract.author").set_value("Ana")
    next(b for b in again.button if b.label == "Save").click().run()
    assert "Saved as version 2." in texts(again)
    saved = latest_version(refund, project.id)
    assert saved is not None
    assert ({"kind": "max_words", "limit": 50}, "Ana") == (
        saved.contract.criterion("length").check,
        saved.author,
    )


def test_a_check_that_gets_its_own_example_wrong_says_so(refund: Store, show: Open) -> None:
    page = show("contract", project="refund-reply", criterion="length")
    field(page, "Limit").set_value(5).run()
    assert "the check disagrees with you here" in texts(page)


def test_a_criterion_without_example_cannot_be_saved_and_says_why(
    refund: Store, show: Open
) -> None:
    page = show("contract", project="refund-reply", criterion="tone")
    field(page, "Example that fails").set_value("").run()
    assert "criterion 'tone': it has no example that fails." in texts(page)
    assert next(b for b in page.button if b.label == "Save").disabled


def test_a_cap_of_zero_cannot_be_saved_and_says_why(refund: Store, show: Open) -> None:
    page = tab(show("contract", project="refund-reply"), EVALUATOR)
    field(page, "Cap").set_value("0").run()
    assert "stop.cap: must be 1 or more, got 0" in texts(page)
    field(page, "Cap").set_value("2.5").run()
    assert "stop.cap: must be a whole number, got '2.5'" in texts(page)
    assert next(b for b in page.button if b.label == "Save").disabled


def test_a_stale_save_keeps_both(refund: Store, show: Open) -> None:
    project = refund.project("refund-reply")
    assert project is not None
    mine = show("contract", project="refund-reply", criterion="tone")
    field(mine, "Question").set_value("Is it kind?").run()
    first = latest_version(refund, project.id)
    assert first is not None
    theirs = first.contract.model_copy(update={"task": "Ben's task"})
    save_version(refund, project.id, theirs, author="Ben", based_on=1)
    mine.run()
    mine.text_input(key="contract.author").set_value("Ana")
    next(b for b in mine.button if b.label == "Save").click().run()
    said = texts(mine)
    assert "Version 2 was saved by Ben" in said
    assert "Unsaved changes to version 1" in said
    newest = latest_version(refund, project.id)
    assert newest is not None
    assert "Ben's task" == newest.contract.task


def test_criteria_are_added_moved_copied_and_deleted(refund: Store, show: Open) -> None:
    page = show("contract", project="refund-reply", criterion="tone")

    def keys() -> list[str]:
        return list(page.dataframe[0].value["Criterion"])

    def press(label: str) -> None:
        next(b for b in page.button if b.label == label).click().run()

    press("Move up")
    assert ["length", "tone", "refund", "next_step"] == keys()
    press("Duplicate")
    assert ["length", "tone", "tone-2", "refund", "next_step"] == keys()
    press("Delete")
    assert ["length", "tone", "refund", "next_step"] == keys()
    press("Add")
    assert "criterion-1" == keys()[-1]


# --- home ------------------------------------------------------------------------------------


def test_home_answers_five_questions_with_their_numbers(refund: Store, show: Open) -> None:
    said = texts(show("home", project="refund-reply"))
    assert "Version 1, 4 criteria." in said
    assert "4 of 8 examples judged as written, 4 not tried." in said
    assert "96 of 96 outputs labelled: 914 labels by 3 people." in said
    assert "False accepts: 37.8" in said
    assert "1 of 5 questions answered yes." in said


def test_a_decision_is_recorded_says_what_changed_and_is_taken_back(
    refund: Store, show: Open
) -> None:
    project = refund.project("refund-reply")
    first = latest_version(refund, project.id if project else 0)
    assert project is not None and first is not None
    page = tab(show("contract", project="refund-reply", reviewer="Ana"), "Five questions")
    page.radio(key="decision.choice").set_value(Choice.RETRIES)
    page.text_area(key="decision.why").set_value("the judge is too *harsh*")
    next(b for b in page.button if b.label == "Record").click().run()
    said = texts(page)
    assert "**Decided: use retries**" in said
    assert "the judge is too *harsh*" in said
    assert "Nothing it stands on has changed since." in said
    save_version(
        refund, project.id, first.contract.model_copy(update={"task": "Other"}), based_on=1
    )
    home = show("home", project="refund-reply", reviewer="Ben")
    assert "Changed since:\n• the contract is at version 2, this is of 1" in texts(home)
    next(b for b in home.button if b.label == "Take back").click().run()
    assert "Decided" not in texts(home)
    assert decisions(refund, project.id) == []


def test_versions_show_what_changed_and_an_old_one_comes_back_as_a_draft(
    refund: Store, show: Open
) -> None:
    project = refund.project("refund-reply")
    assert project is not None
    first = latest_version(refund, project.id)
    assert first is not None
    second = first.contract.model_copy(update={"task": "Another task"})
    save_version(refund, project.id, second, author="Ben", based_on=1)
    page = tab(show("contract", project="refund-reply"), VERSIONS)
    table = next(d.value for d in page.dataframe if "Before" in d.value.columns)
    assert ["task", "Another task"] == [table["Where"][0], table["After"][0]]
    next(s for s in page.selectbox if s.label == "Read version").set_value(1).run()
    next(b for b in page.button if b.label == "Bring back version 1").click().run()
    assert "Unsaved changes to version 2" in texts(page)
    page.text_input(key="contract.author").set_value("Ana")
    next(b for b in page.button if b.label == "Save").click().run()
    newest = latest_version(refund, project.id)
    assert newest is not None
    assert (3, first.contract) == (newest.number, newest.contract)


def test_rewording_asks_whether_labels_keep_their_meaning(refund: Store, show: Open) -> None:
    page = show("contract", project="refund-reply", criterion="tone")
    field(page, "Question").set_value(
        "Does the reply say sorry without blaming the customer?"
    ).run()
    page.session_state["contract.meaning.tone"] = "same"
    page.text_input(key="contract.author").set_value("Ana")
    next(b for b in page.button if b.label == "Save").click().run()
    assert "7 of 13 bad outputs passed" not in texts(
        show("agreement", project="refund-reply", judge="3", criterion="tone")
    )
    home = texts(show("agreement", project="refund-reply", judge="3", criterion="tone"))
    # Labels still count; the judge's verdicts were given for the old wording.
    assert "96 verdicts for an earlier wording or check" in home
    assert "labels for an earlier wording" not in home


def test_two_peoples_changes_are_put_together(refund: Store, show: Open) -> None:
    project = refund.project("refund-reply")
    assert project is not None
    mine = show("contract", project="refund-reply", criterion="tone")
    field(mine, "Question").set_value("Is it kind?").run()
    first = latest_version(refund, project.id)
    assert first is not None
    save_version(
        refund,
        project.id,
        first.contract.model_copy(update={"task": "Ben's"}),
        author="Ben",
        based_on=1,
    )
    mine.run()
    next(b for b in mine.button if b.label == "Put my changes on top of version 2").click().run()
    mine.text_input(key="contract.author").set_value("Ana")
    next(b for b in mine.button if b.label == "Save").click().run()
    newest = latest_version(refund, project.id)
    assert newest is not None
    assert (3, "Ben's", "Is it kind?") == (
        newest.number,
        newest.contract.task,
        newest.contract.criterion("tone").question,
    )


def test_a_finding_is_mended_by_one_click(bench: Store, show: Open) -> None:
    bench.create_project("Mine")
    page = show("contract", project="mine")
    next(b for b in page.button if b.label == "Add").click().run()
    field(page, "Question").set_value("Is the reply at most 60 words long?").run()
    fix = next(b for b in page.button if b.key and ".fix." in b.key)
    fix.click().run()
    assert (
        "At most so many words" in [s.value for s in page.selectbox]
        or 60 == field(page, "Limit").value
    )


def test_a_contract_starts_from_a_pasted_rubric(bench: Store, show: Open) -> None:
    bench.create_project("Mine")
    page = show("contract", project="mine")
    page.text_area(key="contract.start.rubric").set_value(
        "1. At most 60 words.\n2. Mentions the refund.\n3. Must not blame the customer."
    ).run()
    next(b for b in page.button if b.label == "Split into criteria").click().run()
    assert "Split into 3 criteria: read each." in texts(page)
    assert 3 == len(page.dataframe[0].value)


def test_what_a_rubric_left_out_stays_until_it_is_dismissed(bench: Store, show: Open) -> None:
    mine = bench.create_project("Mine")
    page = show("contract", project="mine")
    page.text_area(key="contract.start.rubric").set_value(
        "You are grading a reply.\n\n- At most 60 words\n- Brevity of a poet, wit of a fox"
    ).run()
    next(b for b in page.button if b.label == "Split into criteria").click().run()
    left_out = "Line 1, “You are grading a reply.”: An instruction to the grader, and no criterion."
    assert ["Judge", "Judge"] == list(page.dataframe[0].value["By"])
    field(page, "Question").set_value("Is it short?").run()
    assert left_out in texts(page)
    assert "Kept word for word" in texts(page)
    again = show("contract", project="mine", draft=page.session_state[f"contract.draft.{mine.id}"])
    assert left_out in texts(again)
    again.button(key="contract.notes.dismiss").click().run()
    assert left_out not in texts(again)


def test_a_rubric_without_a_criterion_says_why(bench: Store, show: Open) -> None:
    bench.create_project("Mine")
    page = show("contract", project="mine")
    page.text_area(key="contract.start.rubric").set_value("Clarity (1-5)").run()
    next(b for b in page.button if b.label == "Split into criteria").click().run()
    page.run()
    assert "A scale: split it into yes/no questions." in texts(page)
    assert "No changes to a blank contract" in texts(page)


def test_a_contract_starts_blank(refund: Store, show: Open) -> None:
    page = show("contract", project="refund-reply")
    next(b for b in page.button if b.label == "A blank contract").click().run()
    assert "No criteria yet." in texts(page)
    next(b for b in page.button if b.label == "Undo").click().run()
    assert 4 == len(page.dataframe[0].value)


def test_a_contract_starts_from_a_sample(bench: Store, show: Open) -> None:
    bench.create_project("Mine")
    page = show("contract", project="mine")
    next(b for b in page.button if b.label == "Use this sample").click().run()
    assert ["length", "refund", "tone", "next_step"] == list(page.dataframe[0].value["Criterion"])


def test_checks_run_on_the_outputs_while_they_are_edited(refund: Store, show: Open) -> None:
    page = tab(show("contract", project="refund-reply", criterion="length"), TRY)
    table = next(d.value for d in page.dataframe if "No verdict" in d.value.columns)
    assert [90, 6] == [table["PASS"][0], table["FAIL"][0]]
    assert "Judged: a judge's verdicts are on the page Judge" == table["Note"][2]
    tab(page, "Criteria")
    assert "On the 96 outputs of this project: 90 ✓ PASS, 6 ✕ FAIL." in texts(page)
    field(page, "Limit").set_value(30).run()
    assert "90 ✓ PASS" not in texts(page)
    again = next(d.value for d in tab(page, TRY).dataframe if "No verdict" in d.value.columns)
    assert again["FAIL"][0] > 6
    assert 5 == again["FAIL"][1]


def test_a_deleted_criterion_comes_back_by_undo(refund: Store, show: Open) -> None:
    page = show("contract", project="refund-reply", criterion="tone")
    next(b for b in page.button if b.label == "Delete").click().run()
    field(page, "Question").set_value("Another?").run()
    for _ in range(2):
        next(b for b in page.button if b.label == "Undo").click().run()
    assert ["length", "refund", "tone", "next_step"] == list(page.dataframe[0].value["Criterion"])
    assert next(b for b in page.button if b.label == "Undo").disabled


def test_a_version_needs_an_author(refund: Store, show: Open) -> None:
    page = show("contract", project="refund-reply", criterion="tone")
    field(page, "Question").set_value("Is it kind?").run()
    next(b for b in page.button if b.label == "Save").click().run()
    assert "Type your name: a version has an author." in texts(page)


def test_a_callback_that_fails_says_so_and_keeps_the_page(
    refund: Store, show: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.errors import StoreError

    page = show("contract", project="refund-reply", criterion="tone")

    def locked(*args: object, **more: object) -> None:
        raise StoreError("the workspace cannot be used (database is locked).")

    monkeypatch.setattr("core.store.drafts.add_draft", locked)
    field(page, "Question").set_value("Is it kind?").run()
    assert not page.exception
    assert "the workspace cannot be used (database is locked)." in page.session_state["guard.said"]


def press(page: AppTest, label: str) -> None:
    next(b for b in page.button if b.label == label).click().run()


def test_undo_after_taking_over_a_colleagues_version_brings_the_warning_back(
    refund: Store, show: Open
) -> None:
    project = refund.project("refund-reply")
    assert project is not None
    mine = show("contract", project="refund-reply", criterion="tone")
    field(mine, "Question").set_value("Is it kind?").run()
    first = latest_version(refund, project.id)
    assert first is not None
    save_version(
        refund,
        project.id,
        first.contract.model_copy(update={"task": "Ben's"}),
        author="Ben",
        based_on=1,
    )
    mine.run()
    press(mine, "Put my changes on top of version 2")
    press(mine, "Undo")
    mine.text_input(key="contract.author").set_value("Ana")
    press(mine, "Save")
    assert "Version 2 was saved by Ben" in texts(mine)
    newest = latest_version(refund, project.id)
    assert newest is not None
    assert "Ben's" == newest.contract.task


def test_two_tabs_on_one_draft_keep_both_edits(refund: Store, show: Open) -> None:
    one = show("contract", project="refund-reply", criterion="tone")
    field(one, "Question").set_value("Is it kind?").run()
    draft = one.query_params["draft"]
    two = show("contract", project="refund-reply", criterion="tone", draft=draft)
    field(one, "Example that passes").set_value("mine passes").run()
    field(two, "Example that fails").set_value("theirs fails").run()
    again = show("contract", project="refund-reply", criterion="tone", draft=draft)
    assert ("mine passes", "theirs fails") == (
        field(again, "Example that passes").value,
        field(again, "Example that fails").value,
    )


def test_an_edit_to_a_draft_saved_elsewhere_is_not_lost(refund: Store, show: Open) -> None:
    one = show("contract", project="refund-reply", criterion="tone")
    field(one, "Question").set_value("Is it kind?").run()
    two = show(
        "contract", project="refund-reply", criterion="tone", draft=one.query_params["draft"]
    )
    one.text_input(key="contract.author").set_value("Ana")
    press(one, "Save")
    field(two, "Question").set_value("Is it gentle?").run()
    assert "Is it gentle?" == field(two, "Question").value
    assert "Unsaved changes to version 1" in texts(two)


def test_renaming_a_key_stays_on_the_criterion(refund: Store, show: Open) -> None:
    page = show("contract", project="refund-reply", criterion="tone")
    field(page, "Key").set_value("manner").run()
    field(page, "Question").set_value("Is it kind?").run()
    assert ["length", "refund", "manner", "next_step"] == list(page.dataframe[0].value["Criterion"])
    assert "Is it kind?" == page.dataframe[0].value["Question"][2]


@pytest.mark.parametrize("typed", ["9" * 5_000, '{"a":' * 100_000])
def test_hostile_input_in_a_field_is_kept_and_named(refund: Store, show: Open, typed: str) -> None:
    page = tab(show("contract", project="refund-reply", criterion="tone"), EVALUATOR)
    field(page, "Cap").set_value(typed).run()
    assert not page.exception
    assert "stop.cap: must be a whole number" in texts(page)
