"""Scenarios and baselines in the store, on both databases."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from core.contract.contract import Contract
from core.errors import InputError
from core.render import contract_markdown
from core.statistics.arms import LOOP, RETRY, ArmName, Draft, measure
from core.statistics.interval import Estimate, Undefined, clustered_rate
from core.store.baselines import Numbers, baselines, newest_baseline, record_baseline
from core.store.contracts import save_version
from core.store.scenarios import remove_scenario, restore_scenario, save_scenario, scenarios
from core.store.store import Project, Store
from core.store.tables_arithmetic import baseline
from core.store.traces import add_traces
from tests.test_store_traces import run

CONTRACT = {
    "title": "Reply",
    "task": "Write a reply.",
    "evaluator": {"type": "executed_check", "knows": "the word list"},
    "criteria": [
        {
            "key": "refund", "question": "Does it name the refund?", "checked_by": "code",
            "check": {"kind": "contains", "text": "refund"},
            "pass_example": "We refund you.", "fail_example": "Sorry.",
        }
    ],
    "does_not_examine": "Tone.",
}  # fmt: skip


def numbers() -> Numbers:
    """Three tasks: the loop accepts all, retries two of them, the first draft one."""

    def rows(task: str, arm: ArmName, passed: str) -> list[Draft]:
        return [Draft(task, arm, n, c == "P") for n, c in enumerate(passed, 1)]

    drafts = [
        *rows("a", LOOP, "P"), *rows("a", RETRY, "P"), *rows("b", LOOP, "FP"),
        *rows("b", RETRY, "FFP"), *rows("c", LOOP, "FP"), *rows("c", RETRY, "FFF"),
    ]  # fmt: skip
    return Numbers.of(measure(drafts), cheaper=0.83)


def test_saving_under_a_name_keeps_every_save(store: Store, project: Project) -> None:
    first = save_scenario(store, project.id, " As  now ", {"p": "40 %"}, author="Ana")
    assert (first.name, first.version, first.author) == ("As now", 1, "Ana")
    again = save_scenario(store, project.id, "As now", {"p": "40 %"})
    assert again == first
    second = save_scenario(store, project.id, "As now", {"p": "12 of 40"})
    other = save_scenario(store, project.id, "Critic", {"p": "\x00💥"})
    assert second.version == 2
    assert [(s.name, s.inputs) for s in scenarios(store, project.id)] == [
        ("As now", {"p": "12 of 40"}), ("Critic", {"p": "\x00💥"}),
    ]  # fmt: skip
    assert other.version == 1


def test_a_removed_scenario_comes_back_when_saved_again(store: Store, project: Project) -> None:
    save_scenario(store, project.id, "x", {"p": "1"})
    remove_scenario(store, project.id, "x")
    assert scenarios(store, project.id) == []
    restore_scenario(store, project.id, "x")
    assert [s.version for s in scenarios(store, project.id)] == [1]
    remove_scenario(store, project.id, "x")
    assert save_scenario(store, project.id, "x", {"p": "1"}).version == 2
    assert [s.name for s in scenarios(store, project.id)] == ["x"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 101])
def test_a_scenario_needs_a_short_name(name: str, store: Store, project: Project) -> None:
    with pytest.raises(InputError, match="scenario name"):
        save_scenario(store, project.id, name, {})
    assert scenarios(store, project.id) == []


def test_a_baseline_holds_until_traces_are_added(store: Store, project: Project) -> None:
    save_version(store, project.id, Contract.from_data(CONTRACT))
    add_traces(store, project.id, [run("d0", "d2")])
    made = record_baseline(store, project.id, 1, numbers(), author="Ana")
    assert (made.version, made.author, made.out_of_date) == (1, "Ana", False)
    assert made.numbers.loop_accepted == 3
    assert (
        "loop 3, retries 2 of 3 tasks; loop needs fewer calls per good output in 83" in made.words
    )
    assert newest_baseline(store, project.id, 1) == made
    assert newest_baseline(store, project.id, 2) is None
    page = contract_markdown(Contract.from_data(CONTRACT), baseline=made.rendered)
    assert "Plain retries, accepted share: 66.7" in page
    assert "calls per accepted output: 1.67" in page
    add_traces(store, project.id, [run("d2", trace_id="t2")])
    [old] = baselines(store, project.id)
    assert old.out_of_date
    assert "Out of date" in old.words
    newer = record_baseline(store, project.id, 1, numbers())
    assert [b.id for b in baselines(store, project.id)] == [newer.id, old.id]
    assert [b.out_of_date for b in baselines(store, project.id)] == [False, True]


def test_a_baseline_needs_a_version_and_traces(store: Store, project: Project) -> None:
    with pytest.raises(InputError, match="no version 1"):
        record_baseline(store, project.id, 1, numbers())
    save_version(store, project.id, Contract.from_data(CONTRACT))
    with pytest.raises(InputError, match="no traces"):
        record_baseline(store, project.id, 1, numbers())
    assert baselines(store, project.id) == []


def test_a_baseline_needs_a_task_that_both_arms_ran() -> None:
    with pytest.raises(InputError, match="no task has both arms"):
        Numbers.of(measure([Draft("a", LOOP, 1, True)]))


def test_a_record_that_does_not_say_how_many_trials_has_no_share(
    store: Store, project: Project
) -> None:
    """Its counts may be of trials: 2 accepted of 3 tasks may as well be 2 of 6."""
    save_version(store, project.id, Contract.from_data(CONTRACT))
    add_traces(store, project.id, [run("d0", "d2")])
    record_baseline(store, project.id, 1, Numbers(3, 2, 1, 1, 2.0, None))
    with store.write(project.id) as c:
        numbers = asdict(Numbers(3, 2, 1, 1, 2.0, None))
        del numbers["trials"]
        c.execute(baseline.update().values(numbers=numbers))
    [old] = baselines(store, project.id)
    for arm in (LOOP, RETRY):
        found = old.numbers.share(arm)
        assert isinstance(found, Undefined)
        assert "record the baseline again" in found.reason
    assert "the trials of 3 tasks (how many was not recorded" in old.words


def test_a_baseline_of_several_trials_knows_that_they_share_tasks(
    store: Store, project: Project
) -> None:
    """Four tasks that always go alike in five trials say no more than four tasks do."""
    save_version(store, project.id, Contract.from_data(CONTRACT))
    add_traces(store, project.id, [run("d0", "d2")])
    drafts = [
        Draft(task, arm, 1, task in ("a", "b", "c"), trial=t)
        for task in "abcd" for arm in (LOOP, RETRY) for t in "12345"
    ]  # fmt: skip
    made = record_baseline(store, project.id, 1, Numbers.of(measure(drafts)))
    assert "loop 15, retries 15 of 20 trials of 4 tasks" in made.words
    share = made.rendered.loop_accepted
    four = clustered_rate([5, 5, 5, 0], [5] * 4, nothing="")
    assert isinstance(share, Estimate)
    assert isinstance(four, Estimate)
    assert (share.value, share.low, share.high) == (0.75, four.low, four.high)
    assert share.high - share.low > 0.7
    [again] = baselines(store, project.id)
    assert again == made
