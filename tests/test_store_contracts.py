"""Saving contracts at once, marking them ready, and keys of any script."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from core.contract.contract import Contract
from core.errors import BenchError, InputError, StaleSaveError
from core.files.contracts import contract_to_json, contract_to_yaml, parse_contract
from core.store import drafts
from core.store.contracts import blockers, latest_version, mark_ready, save_version, versions
from core.store.store import Project, Store

KEYS = [
    "النبرة", "👩‍💻 tone", "é as two marks: e\u0301", "名前", "x" * 200, "a\u200db", "ﷺ", "Ⅷ",
    ":red[x] $5 **b** <i>", "Z̈a̸l̶g̷o̵",
]  # fmt: skip


def contract(*keys: str, **fields: object) -> Contract:
    """A complete contract with a criterion for each key."""
    return Contract.from_data(
        {
            "criteria": [
                {"key": key, "question": f"Is it {n}?", "pass_example": "p", "fail_example": "f"}
                for n, key in enumerate(keys or ("tone",))
            ],
            "does_not_examine": "facts",
            "evaluator": {"type": "rubric_other_model", "knows": "the policy"},
            **fields,
        }
    )


def test_of_many_who_save_at_once_one_is_first_and_no_other_is_lost(
    store: Store, project: Project
) -> None:
    """Each save is a version of its own or refused by the number that came first; drafts stay."""
    save_version(store, project.id, contract(), author="first")
    names = [f"person {n}" for n in range(6)]
    made = {}
    for name in names:
        draft = replace(drafts.fresh(latest_version(store, project.id)), contract=contract(task=name).to_data())  # fmt: skip
        made[name] = drafts.add_draft(store, project.id, draft)
    start = threading.Barrier(len(names))
    saved: list[str] = []
    refused: list[BenchError] = []

    def save(name: str) -> None:
        draft = drafts.load_draft(store, project.id, made[name])
        assert draft is not None
        start.wait()
        try:
            drafts.publish_draft(store, project.id, draft, author=name)
            saved.append(name)
        except BenchError as error:
            refused.append(error)

    threads = [threading.Thread(target=save, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [StaleSaveError] * 5 == [type(error) for error in refused]
    assert {f"Version 2 was saved by {saved[0]}"} == {str(e).split(" after")[0] for e in refused}
    assert [saved[0], ""] == [v.contract.task for v in versions(store, project.id)]
    kept = {n for n in names if drafts.load_draft(store, project.id, made[n]) is not None}
    assert set(names) - {saved[0]} == kept


def test_two_tabs_typing_into_one_draft_lose_nothing(store: Store, project: Project) -> None:
    """Reading inside a write keeps others out until it ends."""
    id = drafts.add_draft(store, project.id, drafts.fresh(None))
    start = threading.Barrier(2)
    failed: list[BaseException] = []

    def type_into(field: str) -> None:
        try:
            start.wait()
            for n in range(15):
                with store.write():
                    draft = drafts.load_draft(store, project.id, id)
                    assert draft is not None
                    text = draft.contract.get(field, "") + f"{n} "
                    drafts.write_draft(store, replace(draft, contract={**draft.contract, field: text}))  # fmt: skip
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=type_into, args=(f,)) for f in ("task", "title")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = drafts.load_draft(store, project.id, id)
    assert ([], True) == (failed, found is not None)
    assert found is not None
    everything = "".join(f"{n} " for n in range(15))
    assert (everything, everything) == (found.contract["task"], found.contract["title"])


# --- ready -----------------------------------------------------------------------------------


def test_a_saved_version_is_marked_and_unmarked_and_stays_what_it_is(
    store: Store, project: Project
) -> None:
    save_version(store, project.id, contract())
    save_version(store, project.id, contract(task="two"), based_on=1)
    before = store.revision(project.id)
    assert mark_ready(store, project.id, 1, True).ready
    assert [False, True] == [v.ready for v in versions(store, project.id)]
    assert store.revision(project.id) > before
    assert not mark_ready(store, project.id, 1, False).ready
    assert [(2, "two", False), (1, "", False)] == [
        (v.number, v.contract.task, v.ready) for v in versions(store, project.id)
    ]


def test_a_version_that_lacks_something_is_not_marked(store: Store, project: Project) -> None:
    save_version(store, project.id, contract(does_not_examine=" "))
    with pytest.raises(InputError, match="what the criteria do not examine: it is blank"):
        mark_ready(store, project.id, 1, True)
    with pytest.raises(InputError, match="there is no version 7"):
        mark_ready(store, project.id, 7, True)
    assert [False] == [v.ready for v in versions(store, project.id)]


def test_everything_in_the_way_is_listed_at_once() -> None:
    check = {"kind": "max_words", "limit": 1}
    found = Contract.from_data(
        {
            "criteria": [
                {"key": "a", "question": "q?", "checked_by": "code", "check": check,
                 "pass_example": "two words", "fail_example": "one"},
                {"key": "b", "question": "", "checked_by": "code", "check": check,
                 "pass_example": "x", "fail_example": ""},
            ]
        }
    )  # fmt: skip
    assert [
        "criterion 'b': it has no question.",
        "criterion 'b': it has no example that fails.",
        "what the criteria do not examine: it is blank.",
        "what the evaluator knows: it is blank.",
        "criterion 'a': its check says FAIL on its own pass example",
        "criterion 'a': its check says PASS on its own fail example",
    ] == [str(e).partition(" Write")[0].partition(" Name")[0].partition(" Say")[0].partition(" (")[0] for e in blockers(found)]  # fmt: skip


# --- keys of any script ----------------------------------------------------------------------


def test_keys_of_any_script_are_saved_renamed_restored_and_exported(
    store: Store, project: Project
) -> None:
    first = save_version(store, project.id, contract(*KEYS), author="علي 👩‍💻", name="e\u0301")
    assert (KEYS, "علي 👩‍💻", "e\u0301") == (list(first.criteria), first.author, first.name)
    turned = [*KEYS[1:], KEYS[0]]
    second = save_version(
        store, project.id, contract(*turned), based_on=1,
        renames=dict(zip(KEYS, turned, strict=True)),
    )  # fmt: skip
    assert list(first.criteria.values()) == list(second.criteria.values())
    newest, oldest = versions(store, project.id)
    assert (turned, KEYS) == (list(newest.contract.keys), list(oldest.contract.keys))
    for write, name in ((contract_to_yaml, "c.yaml"), (contract_to_json, "c.json")):
        text = write(newest.contract)
        again = parse_contract(text.encode(), name)
        assert newest.contract == again
        assert text == write(again)
