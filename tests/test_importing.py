"""Importing a file: what is shown before, what is stored after, and what never is."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from core.files.folder import load_folder
from core.files.importing import Said, carry_out, plan_import
from core.files.outputs import ColumnMap
from core.files.shapes import Shape
from core.files.tables import Table, read_table
from core.statistics.confusion import count
from core.store.imports import imports_of
from core.store.judgements import judges
from core.store.outputs import count_outputs, load_outputs
from core.store.results import load_results
from core.store.store import Project, Store
from core.verdict import OVERALL, WordMap
from sample_data.samples import SAMPLES

# Two reviewers' and a judge's votes on comparisons; PASS is "1", the judge's "garbage" is no verdict.
VOTES = "idx,key,ana,ben,judge\n0,a,1,1,1\n1,b,2,1,1\n2,c,1,1,2\n3,d,0,0,Tie\n4,e,2,2,garbage\n"


def table(text: str, name: str = "votes.csv") -> Table:
    return read_table(text.encode(), name)


def votes_plan(store: Store, project: Project, text: str = VOTES):  # type: ignore[no-untyped-def]
    words = WordMap.of(["1"])
    return plan_import(
        store, project.id, None, table(text),
        outputs=ColumnMap(sample_id="idx", output="key"),
        labels=Said(Shape("idx", by_who={"ana": "ana"}), words),
        verdicts=Said(Shape("idx", by_who={"judge": "judge"}), words),
    )  # fmt: skip


def test_one_file_with_outputs_labels_and_verdicts_reaches_the_same_numbers(
    store: Store, project: Project
) -> None:
    plan = votes_plan(store, project)
    assert (5, 5, 5) == (len(plan.difference.new), len(plan.labels.rows), len(plan.verdicts.rows))
    assert 0 == count_outputs(store, project.id)
    carry_out(store, project.id, None, plan)
    found = load_results(store, project.id, None, judges(store, project.id)[0].id)
    confusion = count(found.gold[OVERALL], found.judge[OVERALL])
    # ana: P F P F F; judge: P P F F none.
    assert (1, 1, 1, 1, 1) == (*confusion.cells, confusion.unscored)


def test_the_same_file_again_changes_nothing(store: Store, project: Project) -> None:
    carry_out(store, project.id, None, votes_plan(store, project))
    counts = carry_out(store, project.id, None, votes_plan(store, project))
    assert {"new": 0, "present": 5, "kept": 0} == counts["outputs"]
    assert (0, 5) == (counts["labels"]["new"], counts["labels"]["present"])
    assert (0, 5) == (counts["verdicts"]["new"], counts["verdicts"]["present"])


def test_labels_added_to_known_outputs_make_no_new_outputs(store: Store, project: Project) -> None:
    carry_out(
        store,
        project.id,
        None,
        plan_import(
            store,
            project.id,
            None,
            table("id,output\n1,x\n2,y\n"),
            outputs=ColumnMap(sample_id="id", output="output"),
        ),
    )
    more = table("id,output,label\n1,x,yes\n2,y,no\n")
    said = Said(Shape("id", by_who={"label": "Ana"}), WordMap.of(["yes"], ["no"]))
    counts = carry_out(
        store, project.id, None, plan_import(store, project.id, None, more, labels=said)
    )
    assert (2, 2) == (count_outputs(store, project.id), counts["labels"]["new"])


def test_the_choice_of_words_is_kept_with_the_import(store: Store, project: Project) -> None:
    carry_out(store, project.id, None, votes_plan(store, project))
    kept = {i.kind: i.choices for i in imports_of(store, project.id)}
    assert {"pass": ["1"], "fail": None} == kept["labels"]


@pytest.mark.parametrize(
    ("passes", "fails", "cells"), [("0", "1", (1, 1, 1, 2)), ("1", "0", (2, 1, 1, 1))]
)
def test_zero_for_pass_swaps_the_two_error_rates(
    store: Store, project: Project, passes: str, fails: str, cells: tuple[int, ...]
) -> None:
    """0 = pass: FRR 1/2, FAR 1/3; read the other way round FRR 1/3, FAR 1/2."""
    text = "id,output,label,prediction\n1,a,0,0\n2,b,0,1\n3,c,1,1\n4,d,1,0\n5,e,1,1\n"
    words = WordMap.of([passes], [fails])
    plan = plan_import(
        store, project.id, None, table(text), outputs=ColumnMap(sample_id="id", output="output"),
        labels=Said(Shape("id", by_who={"label": "Ana"}), words),
        verdicts=Said(Shape("id", by_who={"prediction": "J"}), words),
    )  # fmt: skip
    carry_out(store, project.id, None, plan)
    found = load_results(store, project.id, None, judges(store, project.id)[0].id)
    confusion = count(found.gold[OVERALL], found.judge[OVERALL])
    assert cells == (
        confusion.true_accept,
        confusion.false_accept,
        confusion.false_reject,
        confusion.true_reject,
    )


def test_labels_without_a_home_are_counted_before_and_left_out_after(
    store: Store, project: Project
) -> None:
    said = Said(Shape("id", by_who={"label": "Ana"}), WordMap.of(["yes"], ["no"]))
    plan = plan_import(store, project.id, None, table("id,label\n7,yes\n8,no\n"), labels=said)
    assert 2 == plan.homeless
    assert 2 == carry_out(store, project.id, None, plan)["labels"]["no_output"]


def test_a_missing_column_stores_nothing(store: Store, project: Project) -> None:
    with pytest.raises(InputError, match="there is no column 'answer'"):
        plan_import(
            store,
            project.id,
            None,
            table(VOTES),
            outputs=ColumnMap(sample_id="idx", output="answer"),
        )
    assert 0 == count_outputs(store, project.id)


def test_broken_lines_are_named_and_the_rest_loads(store: Store, project: Project) -> None:
    plan = plan_import(
        store,
        project.id,
        None,
        table("id,output\n1,x\n2\n3,z\n"),
        outputs=ColumnMap(sample_id="id", output="output"),
    )
    assert [3] == [p.line for p in plan.problems]
    carry_out(store, project.id, None, plan)
    assert ["1", "3"] == [o.sample_id for o in load_outputs(store, project.id)]


@pytest.mark.parametrize("slug", list(SAMPLES))
def test_every_sample_opens_filled(store: Store, slug: str) -> None:
    sample = SAMPLES[slug]
    made = load_folder(
        store, sample.folder, title=sample.title, slug=slug, note=sample.note, author="x"
    )
    assert count_outputs(store, made.id) > 0
    assert "ynthetic" in made.note


def test_a_folder_that_cannot_be_read_leaves_no_half_project(store: Store, tmp_path: Path) -> None:
    (tmp_path / "contract.yaml").write_text("criteria: []")
    with pytest.raises(InputError, match="at least one criterion"):
        load_folder(store, tmp_path, title="Broken", slug="broken", note="", author="x")
    assert [] == store.projects()


def import_table(
    store: Store,
    project: Project,
    text: str,
    *,
    replace: bool = False,
    labels: str = "",
    **columns: str,
) -> dict[str, dict[str, int]]:
    said = (
        Said(Shape("id", by_who={labels: "Ana"}), WordMap.of(["pass"], ["fail"]))
        if labels
        else None
    )
    plan = plan_import(
        store,
        project.id,
        None,
        table(text),
        outputs=ColumnMap(sample_id="id", output="output", **columns),
        labels=said,
    )
    return carry_out(store, project.id, None, plan, replace_changed=replace)


def test_labels_of_a_changed_text_never_reach_the_stored_one(
    store: Store, project: Project
) -> None:
    import_table(store, project, "id,output\n1,old\n2,b\n")
    text = "id,output,v\n1,TOTALLY NEW,pass\n2,b,fail\n"
    counts = import_table(store, project, text, labels="v")
    assert (1, 1, 1) == (
        counts["outputs"]["kept"],
        counts["labels"]["new"],
        counts["labels"]["no_output"],
    )
    gold = load_results(store, project.id, None, None).gold[OVERALL]
    assert [-1, 0] == gold.tolist()
    counts = import_table(store, project, text, labels="v", replace=True)
    assert (1, 1) == (counts["outputs"]["replaced"], counts["labels"]["new"])


def test_labels_of_an_output_given_twice_are_kept_back(store: Store, project: Project) -> None:
    import_table(store, project, "id,output\n1,a\n")
    counts = import_table(store, project, "id,output,v\n1,a,pass\n1,other,pass\n", labels="v")
    assert 0 == counts["labels"]["new"]


def test_a_column_that_is_not_there_is_no_change(store: Store, project: Project) -> None:
    import_table(store, project, "id,output,q\n1,a,what?\n", input="q")
    assert 1 == import_table(store, project, "id,output\n1,a\n")["outputs"]["present"]
    import_table(store, project, "id,output\n1,new\n", replace=True)
    [output] = load_outputs(store, project.id)
    assert ("new", "what?") == (output.text, output.input)


def test_an_import_that_fails_half_way_stores_nothing(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = votes_plan(store, project)

    def broken(*args: object, **more: object) -> None:
        raise InputError("disk", "it is full.")

    monkeypatch.setattr("core.files.importing.add_verdicts", broken)
    with pytest.raises(InputError, match="it is full"):
        carry_out(store, project.id, None, plan)
    assert (0, []) == (count_outputs(store, project.id), imports_of(store, project.id))
