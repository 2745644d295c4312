"""Labels out and in again without a change, and labels taken back and brought back."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from core.files.importing import Said, carry_out, plan_import
from core.files.labels import NATIVE, NATIVE_WORDS, wide_shape, write_labels, write_wide
from core.files.shapes import suggest_shape
from core.files.stored import label_rows, rows_of_labels
from core.files.tables import read_table
from core.labelling.label import LabelKind
from core.statistics.confusion import FAIL, MISSING, PASS
from core.store.assignments import QueueSettings, claim, save_queue_settings
from core.store.blind import sight_of
from core.store.contracts import latest_version, save_version
from core.store.label_rows import (
    held_labels,
    restore_labels,
    stored_labels,
    withdraw_labels,
    withdrawals,
)
from core.store.labels import add_labels, reviewer_labels
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.practice import against_self
from core.store.progress import load_progress
from core.store.results import load_results
from core.store.store import Project, Store, open_store
from core.verdict import OVERALL, LabelValue
from tests.test_store_queues import contract, say, who

P, F, U = LabelValue.PASS, LabelValue.FAIL, LabelValue.UNSURE
HOSTILE = "=1+1 'quoted' \"twice\", ; $5 :red[x] <b>\r\nnext line\x00 今天 👩‍💻"


@pytest.fixture
def labelled(store: Store, project: Project) -> list[int]:
    """Three outputs with votes, a decision, a repeat, a practice answer and a stale label."""
    add_outputs(store, project.id, [NewOutput(f"00{n}", f"text {n}") for n in range(3)])
    save_version(store, project.id, contract("Old?"))
    ana, ben, chloe = who(store, project, "Ana", "Ben", "Chloé")
    ids = current_ids(store, project.id)
    say(store, project, chloe, ids[2:], F, note="of the old wording")
    version = save_version(store, project.id, contract(), based_on=1)
    save_queue_settings(store, project.id, QueueSettings(3, 2, seed="s"), "Lea")
    claim(store, project.id, version, ana, 3)
    say(store, project, ana, ids, P, note=HOSTILE)
    say(store, project, ben, ids[:2], F)
    say(store, project, ben, ids[:1], U, key=OVERALL, note="+ cannot say")
    say(store, project, ana, ids[:1], F, kind=LabelKind.ADJUDICATION, note="-settled")
    say(store, project, ana, ids[1:2], U, kind=LabelKind.ADJUDICATION, note="@open")
    say(store, project, ana, ids[:1], F, kind=LabelKind.REPEAT)
    say(store, project, ben, ids[2:], P, kind=LabelKind.PRACTICE)
    return ids


def exported(store: Store, project: Project, form: str = "csv") -> str:
    return write_labels(rows_of_labels(stored_labels(store, project.id)), form)


def test_everything_known_of_a_label_is_handed_out(
    store: Store, project: Project, labelled: list[int]
) -> None:
    rows = stored_labels(store, project.id)
    said = [(r.sample_id, r.criterion, r.reviewer, r.kind.value, r.verdict.value) for r in rows]
    assert said == [
        ("000", OVERALL, "Ben", "label", "UNSURE"),
        ("000", "tone", "Ana", "adjudication", "FAIL"),
        ("000", "tone", "Ana", "label", "PASS"),
        ("000", "tone", "Ana", "repeat", "FAIL"),
        ("000", "tone", "Ben", "label", "FAIL"),
        ("001", "tone", "Ana", "adjudication", "UNSURE"),
        ("001", "tone", "Ana", "label", "PASS"),
        ("001", "tone", "Ben", "label", "FAIL"),
        ("002", "tone", "Ana", "label", "PASS"),
        ("002", "tone", "Ben", "practice", "PASS"),
        ("002", "tone", "Chloé", "label", "FAIL"),
    ]
    assert {r.note for r in rows if r.reviewer == "Ana" and r.kind is LabelKind.LABEL} == {HOSTILE}
    drawn = {(r.reviewer, r.stratum, r.probability) for r in rows if r.reviewer != "Ben"}
    assert drawn == {("Ana", "random", 1.0), ("Chloé", "random", 1.0)}
    assert len({r.question_hash for r in rows if r.criterion == "tone"}) == 2


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_out_and_into_an_empty_project_and_out_again_is_the_same_file(
    store: Store, project: Project, labelled: list[int], tmp_path: Path, form: str
) -> None:
    """Decisions come back as decisions, what is no vote as none, stale labels as stale."""
    text = exported(store, project, form)
    other = open_store(tmp_path / "other")
    here = other.create_project("Fresh")
    add_outputs(other, here.id, [NewOutput(f"00{n}", f"text {n}") for n in range(3)])
    save_version(other, here.id, contract("Old?"))
    version = save_version(other, here.id, contract(), based_on=1)
    table = read_table(text.encode(), f"labels.{form}")
    assert table.columns == NATIVE
    shape = suggest_shape(table.columns, "reviewer")
    for _ in range(2):
        plan = plan_import(other, here.id, version, table, labels=Said(shape, NATIVE_WORDS))
        counts = carry_out(other, here.id, version, plan)["labels"]
        assert exported(other, here, form) == text
    assert (counts["new"], counts["changed"], counts["present"]) == (0, 0, 11)
    first, second = (
        load_results(one, of.id, version, None) for one, of in ((store, project), (other, here))
    )
    assert first.gold["tone"].tolist() == second.gold["tone"].tolist() == [FAIL, MISSING, PASS]
    assert first.stale_labels == second.stale_labels == {"tone": 1, OVERALL: 0}
    assert [x.alike for x in against_self(other, here.id, version)] == [
        x.alike for x in against_self(store, project.id, version)
    ]
    other.close()


def test_wide_goes_out_and_in_with_decisions_as_decisions(
    store: Store, project: Project, labelled: list[int], tmp_path: Path
) -> None:
    now = latest_version(store, project.id)
    rows = rows_of_labels(stored_labels(store, project.id, live=now))
    assert "Chloé" not in {row.reviewer for row in rows}  # hers is of the old wording
    text = write_wide(rows, ["tone", OVERALL])
    assert text.splitlines()[:4] == [
        "sample_id,trial,reviewer,kind,tone,overall",
        "000,1,Ben,label,FAIL,UNSURE",
        "000,1,Ana,adjudication,FAIL,",
        "000,1,Ana,label,PASS,",
    ]
    other = open_store(tmp_path / "other")
    here = other.create_project("Fresh")
    add_outputs(other, here.id, [NewOutput(f"00{n}", f"text {n}") for n in range(3)])
    version = save_version(other, here.id, contract())
    table = read_table(text.encode(), "wide.csv")
    said = Said(wide_shape(table.columns, ["tone", OVERALL]), NATIVE_WORDS)
    carry_out(other, here.id, version, plan_import(other, here.id, version, table, labels=said))
    again = write_wide(rows_of_labels(stored_labels(other, here.id)), ["tone", OVERALL])
    assert sorted(again.splitlines()) == sorted(text.splitlines())
    assert load_results(other, here.id, version, None).gold["tone"].tolist()[:2] == [FAIL, MISSING]
    other.close()


def test_who_labels_takes_out_only_what_they_may_see(
    store: Store, project: Project, labelled: list[int]
) -> None:
    version = save_version(store, project.id, contract(), based_on=2)
    found = stored_labels(store, project.id, sight_of(store, project.id, version, "Ben"))
    assert {r.sample_id for r in found if r.reviewer != "Ben"} == {"000", "001"}
    assert [r.kind for r in found if r.sample_id == "002"] == [LabelKind.PRACTICE]


# --- taking back ---------------------------------------------------------------------------------


def test_labels_taken_back_count_nowhere_and_come_back_as_they_were(
    store: Store, project: Project, labelled: list[int]
) -> None:
    version = save_version(store, project.id, contract(), based_on=2)
    before = exported(store, project)
    ana, _ben = who(store, project, "Ana", "Ben")
    held = {h.name: (h.labels, h.decisions, h.aside) for h in held_labels(store, project.id)}
    assert held == {"Ana": (3, 2, 1), "Ben": (3, 0, 1), "Chloé": (1, 0, 0)}
    act = withdraw_labels(store, project.id, ana, "Lea")
    assert {r.reviewer for r in stored_labels(store, project.id)} == {"Ben", "Chloé"}
    assert load_results(store, project.id, version, None).gold["tone"].tolist() == [
        FAIL, FAIL, MISSING,
    ]  # fmt: skip
    assert reviewer_labels(store, project.id, ana) == []
    assert load_progress(store, project.id).reviewers == 2
    assert against_self(store, project.id, version) == []
    [one] = withdrawals(store, project.id)
    assert (one.id, one.reviewer, one.labels, one.by, one.restored_at) == (
        act, "Ana", 6, "Lea", None,
    )  # fmt: skip
    with pytest.raises(InputError, match="none that count"):
        withdraw_labels(store, project.id, ana, "Lea")
    restore_labels(store, project.id, act, "Lea")
    assert exported(store, project) == before
    assert withdrawals(store, project.id)[0].restored_at is not None
    with pytest.raises(InputError, match="brought back"):
        restore_labels(store, project.id, act, "Lea")


def test_what_is_labelled_after_a_withdrawal_counts_and_stays(
    store: Store, project: Project, labelled: list[int]
) -> None:
    ana, _ = who(store, project, "Ana", "Ben")
    first = withdraw_labels(store, project.id, ana, "Lea")
    say(store, project, ana, labelled[:1], U, note="anew")
    assert [(s.verdict, s.note) for s in reviewer_labels(store, project.id, ana)] == [(U, "anew")]
    restore_labels(store, project.id, first, "Lea")
    own = reviewer_labels(store, project.id, ana)
    assert [(s.verdict, s.note) for s in own] == [(U, "anew"), (P, HOSTILE), (P, HOSTILE)]
    other = store.create_project("Another")
    with pytest.raises(InputError):
        restore_labels(store, other.id, first, "Lea")


def test_a_file_brings_back_nothing_that_was_taken_back_by_itself(
    store: Store, project: Project, labelled: list[int]
) -> None:
    """Taken back and loaded again from a file, labels are new rows and can be taken back again."""
    version = save_version(store, project.id, contract(), based_on=2)
    rows = label_rows(rows_of_labels(stored_labels(store, project.id)))
    ana, _ = who(store, project, "Ana", "Ben")
    withdraw_labels(store, project.id, ana, "Lea")
    counts = add_labels(store, project.id, rows, version)
    assert (counts["new"], counts["present"]) == (6, 5)
    assert withdraw_labels(store, project.id, ana, "Lea") > 0
    assert reviewer_labels(store, project.id, ana) == []
