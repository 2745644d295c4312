"""The workspace: opening, migrating, projects, contract versions, outputs, labels, verdicts."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from core.contract.contract import Contract
from core.errors import InputError, StaleSaveError, StoreError
from core.labelling.label import LabelEntry, LabelKind
from core.store import tables as t
from core.store.contracts import latest_version, save_version, versions
from core.store.judgements import NewVerdict, add_verdicts, judges
from core.store.labels import (
    NewLabel,
    acknowledged,
    add_labels,
    reviewer_labels,
    save_labels,
    save_reviewer,
)
from core.store.outputs import NewOutput, add_outputs, count_outputs, load_outputs
from core.store.store import Project, Store, make_engine, open_store
from core.verdict import LabelValue, Unscored, failed, no_verdict, passed

HOSTILE = (
    "$5 and $6 :red[x] <script>\x00\ud800 \ue000 今天 👩‍💻 ![a](http://example.invalid/x.png)\r\n"
)


def contract(**changes: object) -> Contract:
    """A small complete contract."""
    criterion = {
        "key": "tone",
        "question": "Does the reply apologise?",
        "pass_example": "Sorry.",
        "fail_example": "No.",
    }
    return Contract.from_data({"title": "Replies", "criteria": [criterion], **changes})


def entry(
    output: int, seq: int, verdict: LabelValue | None = LabelValue.PASS, **changes: object
) -> LabelEntry:
    """A reviewer's act on criterion tone."""
    values = {
        "client": "client-one",
        "kind": LabelKind.LABEL,
        "criterion": "tone",
        "deferred": False,
        "note": "",
        "question_hash": "",
        **changes,
    }
    return LabelEntry(seq=seq, output_id=output, verdict=verdict, **values)


# --- opening and migrating -------------------------------------------------------------------


def test_migrations_make_the_tables_the_code_uses(store: Store) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, t.metadata) == []


def test_opening_twice_changes_nothing(store: Store, store_url: str) -> None:
    store.create_project("One")
    again = open_store(url=store_url)
    assert [p.title for p in again.projects()] == ["One"]
    again.close()


def test_a_workspace_of_a_newer_version_is_refused(store: Store, store_url: str) -> None:
    store.create_project("One")
    with store.write() as c:
        c.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(
        StoreError, match=r"written by a newer version .* 9999, .*Nothing was changed"
    ):
        open_store(url=store_url)


def test_a_file_that_is_no_database_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "bench.sqlite").write_bytes(b"%PDF-1.7 not a database at all" * 100)
    with pytest.raises(StoreError, match=r"bench.sqlite: .*file is not a database"):
        open_store(tmp_path)


@pytest.mark.parametrize("url", ["nonsense", "mysql://a@b/c", "sqlite+nothing:///x"])
def test_a_wrong_database_address_is_one_clear_line(url: str) -> None:
    with pytest.raises(StoreError, match="not a database address"):
        make_engine(url)


def test_ten_threads_open_a_new_workspace_at_once(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def open_it() -> None:
        try:
            open_store(tmp_path).close()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


# --- projects --------------------------------------------------------------------------------


def test_a_removed_project_comes_back_as_it_was(store: Store, project: Project) -> None:
    add_outputs(store, project.id, [NewOutput("1", "text")])
    store.remove_project(project.id)
    assert store.projects() == []
    assert [project.id] == [p.id for p in store.projects(removed=True)]
    store.restore_project(project.id)
    assert [project.id] == [p.id for p in store.projects()]
    assert count_outputs(store, project.id) == 1


def test_a_project_needs_a_name_nobody_has(store: Store, project: Project) -> None:
    with pytest.raises(InputError, match="blank"):
        store.create_project("  ")
    with pytest.raises(InputError, match="exists already"):
        store.create_project(project.title)


def test_every_write_raises_the_revision(store: Store, project: Project) -> None:
    before = store.revision(project.id)
    add_outputs(store, project.id, [NewOutput("1", "text")])
    assert before < store.revision(project.id)


# --- contract versions -----------------------------------------------------------------------


def test_a_version_comes_back_equal(store: Store, project: Project) -> None:
    saved = save_version(store, project.id, contract(task=HOSTILE), author="Ana", name="first")
    found = latest_version(store, project.id)
    assert found is not None
    assert contract(task=HOSTILE) == found.contract
    assert (saved.number, saved.author, saved.name) == (1, "Ana", "first")


def test_a_stale_save_stores_nothing_and_names_the_newer_version(
    store: Store, project: Project
) -> None:
    first = save_version(store, project.id, contract(), author="Ana")
    save_version(store, project.id, contract(task="Ben's"), author="Ben", based_on=first.number)
    with pytest.raises(StaleSaveError, match="Version 2 was saved by Ben") as caught:
        save_version(store, project.id, contract(task="Ana's"), author="Ana", based_on=first.number)
    assert caught.value.theirs == 2
    assert [v.contract.task for v in versions(store, project.id)] == ["Ben's", ""]


def test_saving_the_same_content_makes_no_new_version(store: Store, project: Project) -> None:
    save_version(store, project.id, contract())
    save_version(store, project.id, contract(), based_on=1)
    assert len(versions(store, project.id)) == 1


def test_a_criterion_without_an_example_cannot_be_saved(store: Store, project: Project) -> None:
    bare = Contract.from_data(
        {"criteria": [{"key": "tone", "question": "Sorry?", "pass_example": "x"}]}
    )
    with pytest.raises(InputError, match="criterion 'tone': it has no example that fails"):
        save_version(store, project.id, bare)
    assert versions(store, project.id) == []


def test_a_renamed_criterion_keeps_its_labels(store: Store, project: Project) -> None:
    first = save_version(store, project.id, contract())
    add_outputs(store, project.id, [NewOutput("1", "text")])
    add_labels(store, project.id, [NewLabel("1", "tone", "Ana", LabelValue.FAIL)], first)
    criterion = contract().criteria[0].model_copy(update={"key": "apology"})
    renamed = Contract.from_data(
        {"criteria": [criterion.model_dump(mode="json", exclude_none=True)]}
    )
    second = save_version(store, project.id, renamed, based_on=1, renames={"tone": "apology"})
    assert first.criteria["tone"] == second.criteria["apology"]
    reviewer, _ = save_reviewer(store, project.id, "Ana")
    assert [s.criterion for s in reviewer_labels(store, project.id, reviewer)] == ["apology"]


# --- outputs ---------------------------------------------------------------------------------


def test_text_comes_back_byte_for_byte(store: Store, project: Project) -> None:
    row = NewOutput("007", HOSTILE, 2, HOSTILE, HOSTILE, {"ticket": HOSTILE})
    add_outputs(store, project.id, [row])
    [found] = load_outputs(store, project.id)
    assert row == NewOutput(
        found.sample_id, found.text, found.trial, found.input, found.reference, found.extra
    )


def test_loading_the_same_rows_twice_changes_nothing(store: Store, project: Project) -> None:
    rows = [NewOutput(str(i), f"text {i}") for i in range(5)]
    assert len(add_outputs(store, project.id, rows).new) == 5
    again = add_outputs(store, project.id, rows)
    assert (again.new, again.present, again.changed) == ((), 5, ())
    assert count_outputs(store, project.id) == 5


def test_a_changed_text_is_a_choice_and_old_labels_stay_with_the_old_text(
    store: Store, project: Project
) -> None:
    version = save_version(store, project.id, contract())
    add_outputs(store, project.id, [NewOutput("3", "old")])
    add_labels(store, project.id, [NewLabel("3", "tone", "Ana", LabelValue.PASS)], version)
    kept = add_outputs(store, project.id, [NewOutput("3", "new")])
    assert len(kept.changed) == 1
    assert [o.text for o in load_outputs(store, project.id)] == ["old"]
    add_outputs(store, project.id, [NewOutput("3", "new")], replace_changed=True)
    [current] = load_outputs(store, project.id)
    assert current.text == "new"
    reviewer, _ = save_reviewer(store, project.id, "Ana")
    assert current.id not in [s.output_id for s in reviewer_labels(store, project.id, reviewer)]


def test_two_trials_of_a_sample_are_two_outputs(store: Store, project: Project) -> None:
    add_outputs(store, project.id, [NewOutput("1", "a", 1), NewOutput("1", "b", 2)])
    assert [o.trial for o in load_outputs(store, project.id)] == [1, 2]


# --- labels ----------------------------------------------------------------------------------


@pytest.fixture
def labelled(store: Store, project: Project) -> tuple[list[int], int]:
    """Three outputs, a contract, and reviewer Ana's id."""
    save_version(store, project.id, contract())
    add_outputs(store, project.id, [NewOutput(str(i), f"text {i}") for i in range(3)])
    return [o.id for o in load_outputs(store, project.id)], save_reviewer(store, project.id, "Ana")[
        0
    ]


def test_an_entry_sent_twice_is_stored_once(
    store: Store, project: Project, labelled: tuple[list[int], int]
) -> None:
    outputs, ana = labelled
    entries = [entry(outputs[0], 1), entry(outputs[1], 2, LabelValue.FAIL)]
    first = save_labels(store, project.id, ana, entries)
    second = save_labels(store, project.id, ana, entries)
    assert {"client-one": 2} == first.ack == second.ack
    with store.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(t.label)) == 2
    assert acknowledged(store, "client-one") == 2


def test_undo_is_a_row_and_the_newest_state_wins(
    store: Store, project: Project, labelled: tuple[list[int], int]
) -> None:
    outputs, ana = labelled
    acts = [entry(outputs[0], 1), entry(outputs[0], 2, None, kind=LabelKind.UNDO)]
    save_labels(store, project.id, ana, acts)
    [state] = reviewer_labels(store, project.id, ana)
    assert state.verdict is None
    with store.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(t.label)) == 2


def test_an_entry_for_a_foreign_output_is_refused_by_name(
    store: Store, project: Project, labelled: tuple[list[int], int]
) -> None:
    _, ana = labelled
    saved = save_labels(store, project.id, ana, [entry(987654, 1)])
    assert [why for _, why in saved.refused] == ["output 987654 is not in this project"]


def test_reviewers_do_not_overwrite_each_other(
    store: Store, project: Project, labelled: tuple[list[int], int]
) -> None:
    outputs, ana = labelled
    ben, _ = save_reviewer(store, project.id, "Ben")
    save_labels(store, project.id, ana, [entry(outputs[0], 1)])
    save_labels(
        store, project.id, ben, [entry(outputs[0], 1, LabelValue.FAIL, client="client-two")]
    )
    assert [s.verdict for s in reviewer_labels(store, project.id, ana)] == [LabelValue.PASS]
    assert [s.verdict for s in reviewer_labels(store, project.id, ben)] == [LabelValue.FAIL]


def test_one_person_whatever_the_spelling_and_nobody_without_a_name(
    store: Store, project: Project
) -> None:
    assert save_reviewer(store, project.id, "Ana ") == save_reviewer(store, project.id, "ana")
    with pytest.raises(InputError, match="blank"):
        save_reviewer(store, project.id, " \t")


def test_labels_from_a_file_are_stored_once(
    store: Store, project: Project, labelled: tuple[list[int], int]
) -> None:
    version = latest_version(store, project.id)
    rows = [
        NewLabel("0", "tone", "Ana", LabelValue.PASS),
        NewLabel("9", "tone", "Ana", LabelValue.PASS),
    ]
    assert add_labels(store, project.id, rows, version) == {
        "new": 1,
        "changed": 0,
        "present": 0,
        "no_output": 1,
        "no_criterion": 0,
    }
    assert add_labels(store, project.id, rows, version)["present"] == 1


def test_three_reviewers_and_an_import_at_once_lose_nothing(store: Store, project: Project) -> None:
    """Short transactions and a busy timeout: no lock error reaches anybody."""
    save_version(store, project.id, contract())
    add_outputs(store, project.id, [NewOutput(str(i), f"text {i}") for i in range(200)])
    outputs = [o.id for o in load_outputs(store, project.id)]
    reviewers = [save_reviewer(store, project.id, name)[0] for name in ("Ana", "Ben", "Cem")]
    errors: list[BaseException] = []

    def label(who: int, client: str) -> None:
        try:
            for seq, output in enumerate(outputs, start=1):
                save_labels(store, project.id, who, [entry(output, seq, client=client)])
        except BaseException as error:
            errors.append(error)

    def load() -> None:
        try:
            add_outputs(store, project.id, [NewOutput(f"n{i}", "x") for i in range(5000)])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=label, args=(who, f"client-{who}")) for who in reviewers]
    threads.append(threading.Thread(target=load))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [len(reviewer_labels(store, project.id, who)) for who in reviewers] == [200, 200, 200]
    assert count_outputs(store, project.id) == 5200


# --- verdicts --------------------------------------------------------------------------------


def test_recorded_verdicts_are_stored_once_and_the_newest_counts(
    store: Store, project: Project, labelled: tuple[list[int], int]
) -> None:
    version = latest_version(store, project.id)
    rows = [
        NewVerdict("0", "strict", "tone", failed("no apology", "say sorry")),
        NewVerdict("1", "strict", "tone", no_verdict(Unscored.REFUSED)),
        NewVerdict("8", "strict", "tone", passed("x")),
    ]
    first = add_verdicts(store, project.id, rows, version)
    assert (first["new"], first["no_output"]) == (2, 1)
    assert add_verdicts(store, project.id, rows, version)["present"] == 2
    changed = [NewVerdict("0", "strict", "tone", passed("an apology"))]
    assert add_verdicts(store, project.id, changed, version)["changed"] == 1
    assert [(j.name, j.outputs) for j in judges(store, project.id)] == [("strict", 2)]


def test_verdicts_for_unknown_criteria_are_counted_not_stored(
    store: Store, project: Project, labelled: tuple[list[int], int]
) -> None:
    counts = add_verdicts(
        store,
        project.id,
        [NewVerdict("0", "strict", "depth", passed("x"))],
        latest_version(store, project.id),
    )
    assert counts["no_criterion"] == 1
    assert judges(store, project.id) == []


# --- ready versions --------------------------------------------------------------------------


def ready_contract(**changes: object) -> Contract:
    """A contract that may be marked ready."""
    return contract(
        **{
            "does_not_examine": "The amount.",
            "evaluator": {"type": "rubric_other_model", "knows": "the policy"},
            **changes,
        }
    )


def test_a_complete_version_is_marked_ready_and_keeps_its_number(
    store: Store, project: Project
) -> None:
    first = save_version(store, project.id, ready_contract())
    assert not first.ready
    again = save_version(store, project.id, ready_contract(), based_on=1, ready=True)
    assert (1, True) == (again.number, again.ready)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"does_not_examine": " "}, "what the criteria do not examine: it is blank"),
        ({"evaluator": {"type": "self_review", "knows": ""}}, "what the evaluator knows: it is blank"),
        (
            {"criteria": [{"key": "short", "question": "Short?", "checked_by": "code", "check": {"kind": "max_words", "limit": 1}, "pass_example": "two words", "fail_example": "three more words"}]},
            r"criterion 'short': its check says FAIL on its own pass example \(2 words, limit 1\)",
        ),
    ],
)  # fmt: skip
def test_an_incomplete_version_cannot_be_marked_ready(
    store: Store, project: Project, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        save_version(store, project.id, ready_contract(**changes), ready=True)
    assert [] == versions(store, project.id)


# --- renames that meet -----------------------------------------------------------------------


def with_keys(*keys: str) -> Contract:
    """A contract with a criterion for each key."""
    return Contract.from_data(
        {
            "criteria": [
                {"key": k, "question": f"{k}?", "pass_example": "p", "fail_example": "f"}
                for k in keys
            ]
        }
    )


def test_two_keys_swap_and_keep_their_identities(store: Store, project: Project) -> None:
    first = save_version(store, project.id, with_keys("a", "b"))
    second = save_version(
        store, project.id, with_keys("b", "a"), based_on=1, renames={"a": "b", "b": "a"}
    )
    assert (first.criteria["a"], first.criteria["b"]) == (
        second.criteria["b"],
        second.criteria["a"],
    )


def test_a_key_used_long_ago_can_be_taken_again(store: Store, project: Project) -> None:
    first = save_version(store, project.id, with_keys("alpha", "beta"))
    save_version(store, project.id, with_keys("beta"), based_on=1)
    third = save_version(
        store, project.id, with_keys("alpha"), based_on=2, renames={"beta": "alpha"}
    )
    assert first.criteria["beta"] == third.criteria["alpha"]
    assert ["alpha", "beta"] == list(versions(store, project.id)[-1].criteria)
