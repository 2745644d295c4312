"""Queues in the store: claims without doubles, releases, strata, repeats, practice, stale labels."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import sqlalchemy as sa

from core.contract.contract import Contract
from core.errors import InputError
from core.labelling.draw import Stratum
from core.labelling.label import LabelEntry, LabelKind, Mode
from core.statistics.confusion import MISSING, PASS
from core.statistics.interval import Estimate
from core.store import tables as t
from core.store import tables_labelling as tl
from core.store.assignments import (
    BATCH,
    QueueSettings,
    claim,
    loads,
    output_strata,
    queue_settings,
    release,
    save_queue_settings,
)
from core.store.cases import load_case
from core.store.contracts import Version, latest_version, save_version
from core.store.groups import own_notes
from core.store.judgements import NewVerdict, add_verdicts
from core.store.labels import NewLabel, add_labels, reviewer_labels, save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.practice import against_self, reveals, settled_items
from core.store.progress import load_progress
from core.store.queues import Queue, build_queue, slot_states
from core.store.results import load_results
from core.store.settling import Reader, load_label_table
from core.store.store import Project, Store, open_store
from core.verdict import OVERALL, LabelValue, failed, passed

P, F, U = LabelValue.PASS, LabelValue.FAIL, LabelValue.UNSURE


def contract(question: str = "Polite?") -> Contract:
    rows = [{"key": "tone", "question": question, "pass_example": "Hi", "fail_example": "Go"}]
    return Contract.from_data({"criteria": rows})


def bench(store: Store, project: Project, outputs: int, **settings: object) -> Version:
    """Fill the project with outputs and set up its queue."""
    rows = [NewOutput(f"s{n:04d}", f"text {n}") for n in range(outputs)]
    add_outputs(store, project.id, rows)
    version = save_version(store, project.id, contract())
    if settings:
        wanted = QueueSettings(**{"seed": "seed", **settings})  # type: ignore[arg-type]
        save_queue_settings(store, project.id, wanted, "Lea")
    return version


def who(store: Store, project: Project, *names: str) -> list[int]:
    return [save_reviewer(store, project.id, name)[0] for name in names]


SEQ: Counter[int] = Counter()


def say(
    store: Store, project: Project, reviewer: int, outputs: Sequence[int],
    verdict: LabelValue | None = P, *, kind: LabelKind = LabelKind.LABEL, key: str = "tone",
    question: str | None = None, note: str = "",
) -> None:  # fmt: skip
    """Store a label of each output by one reviewer."""
    version = latest_version(store, project.id)
    assert version is not None
    if question is None:
        question = "" if key == OVERALL else version.contract.criterion(key).question_hash
    entries = []
    for output in outputs:
        SEQ[reviewer] += 1
        client = f"client-{project.id}-{reviewer}"
        entries.append(
            LabelEntry(client, SEQ[reviewer], output, key, kind, verdict, False, note, question)
        )
    assert save_labels(store, project.id, reviewer, entries).refused == ()


def queue(store: Store, project: Project, reviewer: int, **more: object) -> Queue:
    version = latest_version(store, project.id)
    return build_queue(store, project, version, reviewer, "tone", **more)  # type: ignore[arg-type]


def open_of(found: Queue) -> list[int]:
    return [e.output_id for e in found.entries[found.start :]]


def assignments(store: Store) -> list[tuple[int, int, int | None]]:
    table = tl.assignment
    with store.read() as c:
        rows = c.execute(sa.select(table).order_by(table.c.id))
        return [(r.output_id, r.reviewer_id, r.slot) for r in rows]


# --- settings -------------------------------------------------------------------------------------


def test_settings_come_back_and_nothing_set_is_everybody_labels_everything(
    store: Store, project: Project
) -> None:
    assert queue_settings(store, project.id) == QueueSettings(seed=project.slug)
    wanted = QueueSettings(2, 50, True, True, 6, "geheim ✓")
    for one in (QueueSettings(1, None, seed="x"), wanted):
        save_queue_settings(store, project.id, one, "Lea")
        assert queue_settings(store, project.id) == one


def test_a_setting_that_cannot_be_is_named(store: Store, project: Project) -> None:
    for change, named in (
        ({"reviewers_each": -1}, "reviewers per output"),
        ({"random_size": 0}, "random outputs first"),
        ({"release_hours": 10_000}, "hours until release"),
        ({"seed": "  "}, "seed"),
    ):
        wanted = replace(QueueSettings(seed="s"), **change)  # type: ignore[arg-type]
        with pytest.raises(InputError, match=named):
            save_queue_settings(store, project.id, wanted, "Lea")
    assert queue_settings(store, project.id) == QueueSettings(seed=project.slug)


def test_without_settings_everybody_has_every_output_in_an_order_of_their_own(
    store: Store, project: Project
) -> None:
    bench(store, project, 40)
    ana, ben = who(store, project, "Ana", "Ben")
    first, second = queue(store, project, ana), queue(store, project, ben)
    assert sorted(open_of(first)) == sorted(open_of(second)) == current_ids(store, project.id)
    assert open_of(first) != open_of(second)
    assert {(e.mode, e.stratum, e.probability) for e in first.entries} == {(Mode.LABEL, None, None)}
    assert assignments(store) == []


# --- giving out -----------------------------------------------------------------------------------


def test_each_output_reaches_k_people_and_none_twice(store: Store, project: Project) -> None:
    each = 3
    version = bench(store, project, 90, reviewers_each=each)
    people = who(store, project, "Ana", "Ben", "Chloé", "Dee")
    for _ in range(20):
        for one in people:
            claim(store, project.id, version, one, 7)
    given = Counter(output for output, _, slot in assignments(store) if slot is not None)
    assert given == dict.fromkeys(current_ids(store, project.id), each)
    assert {claim(store, project.id, version, one) for one in people} == {0}


def test_labels_meet_a_second_reviewer_gets_what_the_first_was_given(
    store: Store, project: Project
) -> None:
    bench(store, project, 200, reviewers_each=2)
    ana, ben, dee = who(store, project, "Ana", "Ben", "Dee")
    first = open_of(queue(store, project, ana))
    assert len(first) == BATCH
    assert sorted(open_of(queue(store, project, ben))) == sorted(first)
    assert not set(open_of(queue(store, project, dee))) & set(first)


def test_more_is_given_out_when_few_are_left_and_the_order_so_far_stays(
    store: Store, project: Project
) -> None:
    bench(store, project, 200, reviewers_each=1)
    [ana] = who(store, project, "Ana")
    first = open_of(queue(store, project, ana))
    say(store, project, ana, first[:10])
    assert open_of(queue(store, project, ana)) == first[10:]
    say(store, project, ana, first[10:30])
    after = open_of(queue(store, project, ana))
    assert after[:20] == first[30:]
    assert len(after) == 20 + BATCH


def test_eight_who_claim_at_once_get_no_output_twice(
    store: Store, store_url: str, project: Project
) -> None:
    each = 3
    version = bench(store, project, 120, reviewers_each=each)
    people = who(store, project, *(f"R{n}" for n in range(8)))
    errors: list[BaseException] = []
    got: Counter[int] = Counter()

    def work(reviewer: int) -> None:
        own = open_store(url=store_url)  # connections of its own, like another process
        try:
            while count := claim(own, project.id, version, reviewer, 5):
                got[reviewer] += count
        except BaseException as error:
            errors.append(error)
        finally:
            own.close()

    threads = [threading.Thread(target=work, args=(one,)) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    rows = assignments(store)
    assert len(rows) == len({(output, reviewer) for output, reviewer, _ in rows}) == 120 * each
    assert len({(output, slot) for output, _, slot in rows}) == 120 * each
    assert {slot for _, _, slot in rows} == set(range(1, each + 1))
    assert got.total() == 120 * each


def test_one_new_person_in_eight_tabs_at_once_is_one_reviewer(
    store: Store, store_url: str, project: Project
) -> None:
    found: list[object] = []

    def open_tab(name: str) -> None:
        own = open_store(url=store_url)
        try:
            found.append(save_reviewer(own, project.id, name)[0])
        except BaseException as error:
            found.append(error)
        finally:
            own.close()

    threads = [threading.Thread(target=open_tab, args=("Ana" + " " * n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [found[0]] * 8
    assert isinstance(found[0], int)


def test_two_people_cannot_hold_one_place(store: Store, project: Project) -> None:
    """The table refuses what a claim never does."""
    version = bench(store, project, 3, reviewers_each=1)
    ana, ben = who(store, project, "Ana", "Ben")
    claim(store, project.id, version, ana, 1)
    [(output, _, slot)] = assignments(store)
    values = {
        "project_id": project.id, "output_id": output, "reviewer_id": ben, "slot": slot,
        "stratum": "random", "probability": 1.0, "at": "x",
    }  # fmt: skip
    with pytest.raises(sa.exc.IntegrityError), store.write(project.id) as c:
        c.execute(tl.assignment.insert().values(values))


def test_who_labelled_before_queues_were_set_up_holds_a_place(
    store: Store, project: Project
) -> None:
    bench(store, project, 10)
    ana, ben, dee = who(store, project, "Ana", "Ben", "Dee")
    ids = current_ids(store, project.id)
    say(store, project, ana, ids[:4])
    save_queue_settings(store, project.id, QueueSettings(1, seed="s"), "Lea")
    assert sorted(open_of(queue(store, project, ben))) == ids[4:]
    mine = queue(store, project, ana)
    assert (mine.start, sorted(e.output_id for e in mine.entries)) == (4, ids[:4])
    # The chance with which they came in stands beside the labels given before, too.
    assert {e.probability for e in mine.entries} == {1.0}
    save_queue_settings(store, project.id, QueueSettings(2, seed="s"), "Lea")
    assert sorted(open_of(queue(store, project, dee))) == ids


def test_asking_when_there_is_no_more_changes_no_number(store: Store, project: Project) -> None:
    bench(store, project, 5, reviewers_each=1)
    ana, ben = who(store, project, "Ana", "Ben")
    queue(store, project, ana)
    before = store.revision(project.id)
    assert open_of(queue(store, project, ben)) == []
    assert store.revision(project.id) == before


# --- giving back ----------------------------------------------------------------------------------


def test_what_is_given_back_goes_to_others_and_what_is_labelled_stays(
    store: Store, project: Project
) -> None:
    bench(store, project, 30, reviewers_each=1)
    ana, ben = who(store, project, "Ana", "Ben")
    mine = open_of(queue(store, project, ana))
    say(store, project, ana, mine[:5])
    [load] = loads(store, project.id)
    assert (load.name, load.given, load.open) == ("Ana", 30, 25)
    assert release(store, project.id, ana) == 25
    assert release(store, project.id, ana) == 0
    assert sorted(open_of(queue(store, project, ben))) == sorted(mine[5:])
    assert open_of(queue(store, project, ana)) == []
    # What Ana's browser still held is kept when it comes.
    say(store, project, ana, [mine[7]])
    assert len(reviewer_labels(store, project.id, ana)) == 6


def test_who_comes_back_may_be_given_the_same_again(store: Store, project: Project) -> None:
    bench(store, project, 8, reviewers_each=1)
    [ana] = who(store, project, "Ana")
    first = open_of(queue(store, project, ana))
    release(store, project.id, ana)
    assert sorted(open_of(queue(store, project, ana))) == sorted(first)
    assert len(assignments(store)) == 8


def test_a_day_without_a_label_gives_back_unless_it_is_switched_off(
    store: Store, project: Project
) -> None:
    bench(store, project, 20, reviewers_each=1, release_hours=0)
    ana, ben = who(store, project, "Ana", "Ben")
    queue(store, project, ana)
    old = (datetime.now(UTC) - timedelta(hours=25)).isoformat(timespec="microseconds")
    with store.write(project.id) as c:
        c.execute(tl.assignment.update().values(at=old))
    assert open_of(queue(store, project, ben)) == []
    save_queue_settings(store, project.id, QueueSettings(1, release_hours=26, seed="s"), "Lea")
    assert open_of(queue(store, project, ben)) == []
    save_queue_settings(store, project.id, QueueSettings(1, release_hours=24, seed="s"), "Lea")
    assert len(open_of(queue(store, project, ben))) == 20


def test_a_label_within_the_day_keeps_the_rest(store: Store, project: Project) -> None:
    bench(store, project, 20, reviewers_each=1)
    ana, ben = who(store, project, "Ana", "Ben")
    mine = open_of(queue(store, project, ana))
    with store.write(project.id) as c:
        c.execute(tl.assignment.update().values(at="2020-01-01T00:00:00.000000+00:00"))
    say(store, project, ana, mine[:1])
    assert open_of(queue(store, project, ben)) == []


# --- the most useful ------------------------------------------------------------------------------


def judge(store: Store, project: Project, name: str, said: dict[int, bool]) -> None:
    rows = [
        NewVerdict(f"s{n:04d}", name, "tone", passed("e") if good else failed("e", "c"))
        for n, good in said.items()
    ]
    add_verdicts(store, project.id, rows, latest_version(store, project.id))


def test_strata_come_from_the_judges_and_the_queue_keeps_them_with_the_chance(
    store: Store, project: Project
) -> None:
    version = bench(store, project, 100, reviewers_each=1, random_size=20)
    judge(store, project, "old", {n: n < 80 for n in range(90)})
    judge(store, project, "new", {n: n < 75 for n in range(90)})
    found = output_strata(store, project.id, version)
    assert Counter(found.values()) == {
        Stratum.PASSED: 75, Stratum.FAILED: 10, Stratum.SPLIT: 5, Stratum.UNJUDGED: 10,
    }  # fmt: skip
    [ana] = who(store, project, "Ana")
    entries = queue(store, project, ana).entries
    drawn = Counter(e.stratum for e in entries)
    assert (len(entries), drawn["random"]) == (50, 20)
    assert drawn["failed"] > 0
    assert all(e.stratum in ("random", found[e.output_id]) for e in entries)
    assert {e.probability for e in entries if e.stratum == "random"} == {0.2}
    left = Counter(found.values())
    left -= Counter(found[e.output_id] for e in entries if e.stratum == "random")
    chance = {e.stratum: e.probability for e in entries}
    for stratum in set(drawn) - {"random"}:
        assert chance[stratum] == pytest.approx(drawn[stratum] / left[Stratum(stratum or "")])


def test_the_place_in_a_batch_tells_nothing_of_the_verdict(store: Store, project: Project) -> None:
    """Half of the drawn are passed; neighbours are alike as often as by chance, not in turns."""
    version = bench(store, project, 400, reviewers_each=1, random_size=1)
    judge(store, project, "j", {n: n % 2 == 0 for n in range(400)})
    [ana] = who(store, project, "Ana")
    claim(store, project.id, version, ana, 201)
    good = [e.stratum == "passed" for e in queue(store, project, ana).entries]
    alike = sum(a == b for a, b in itertools.pairwise(good))
    assert 70 < alike < 130  # 100 expected, sd 7; drawn in turns it would be about 0


# --- repeats --------------------------------------------------------------------------------------


def test_a_repeat_is_no_vote_and_measures_a_reviewer_against_themself(
    store: Store, project: Project
) -> None:
    version = bench(store, project, 100, repeats=True)
    ana, ben = who(store, project, "Ana", "Ben")
    mine = open_of(queue(store, project, ana))
    assert not any(e.mode is Mode.REPEAT for e in queue(store, project, ana).entries)
    say(store, project, ana, mine[:60])
    found = queue(store, project, ana)
    again = [e.output_id for e in found.entries if e.mode is Mode.REPEAT]
    assert len(again) == 4  # of 3 + 2 due, one after every 10 of the 40 left
    assert set(again) <= set(mine[:60])
    say(store, project, ana, again[:3], F, kind=LabelKind.REPEAT)
    say(store, project, ana, again[3:4], P, kind=LabelKind.REPEAT)
    left = [e.output_id for e in queue(store, project, ana).entries if e.mode is Mode.REPEAT]
    assert not set(left) & set(again[:4])
    [one] = against_self(store, project.id, version)
    assert (one.reviewer, one.criterion) == ("Ana", "tone")
    assert isinstance(one.alike, Estimate)
    # 1 of 4 by Clopper and Pearson: .0063 to .8059
    assert (one.alike.k, one.alike.n) == (1, 4)
    assert (one.alike.low, one.alike.high) == pytest.approx((0.0063, 0.8059), abs=1e-4)
    assert ben not in {x.reviewer_id for x in against_self(store, project.id, version)}


def test_no_reader_of_labels_counts_what_is_no_vote(store: Store, project: Project) -> None:
    version = bench(store, project, 3)
    ana, ben = who(store, project, "Ana", "Ben")
    ids = current_ids(store, project.id)
    say(store, project, ana, ids[:1], P, note="first")
    for kind in (LabelKind.REPEAT, LabelKind.PRACTICE):
        say(store, project, ana, ids[:2], F, kind=kind, note="aside")
        say(store, project, ana, ids[:2], F, kind=kind, key=OVERALL, note="aside")
    found = load_results(store, project.id, version, None)
    assert found.gold["tone"].tolist() == [PASS, MISSING, MISSING]
    table = load_label_table(store, project.id, version, Reader(ben, settling=True))
    assert table.codes["tone"].tolist() == [[PASS], [MISSING], [MISSING]]
    assert np.all(table.settled["tone"] == MISSING)
    progress = load_progress(store, project.id)
    assert (progress.labelled, progress.labels, progress.reviewers) == (1, 1, 1)
    assert [(s.output_id, s.verdict) for s in reviewer_labels(store, project.id, ana)] == [
        (ids[0], P)
    ]
    case = load_case(store, project.id, ids[0], [])
    assert case is not None
    assert [(s.verdict, s.note) for s in case.labels] == [("PASS", "first")]
    assert own_notes(store, project.id, ana) == []
    # Nor does the import of a file take it for the reviewer's label.
    row = NewLabel("s0001", "tone", "Ana", F, note="aside")
    assert add_labels(store, project.id, [row], version)["new"] == 1


def test_deciding_is_not_taken_back_by_a_repeat(store: Store, project: Project) -> None:
    version = bench(store, project, 1)
    [ana] = who(store, project, "Ana")
    ids = current_ids(store, project.id)
    say(store, project, ana, ids, F)
    say(store, project, ana, ids, P, kind=LabelKind.ADJUDICATION)
    say(store, project, ana, ids, F, kind=LabelKind.REPEAT)
    assert load_results(store, project.id, version, None).gold["tone"].tolist() == [PASS]


# --- the practice round ---------------------------------------------------------------------------


def settle(store: Store, project: Project, count: int) -> list[int]:
    """Let Ben and Chloé label the first outputs alike, the odd ones as FAIL; return their ids."""
    ben, chloe = who(store, project, "Ben", "Chloé")
    ids = current_ids(store, project.id)[:count]
    for one in (ben, chloe):
        say(store, project, one, ids[::2], P)
        say(store, project, one, ids[1::2], F)
    return ids


def test_what_is_settled(store: Store, project: Project) -> None:
    """Two alike or a decision; not one label, not a tie, not what was left undecided."""
    version = bench(store, project, 6)
    ben, chloe, dee = who(store, project, "Ben", "Chloé", "Dee")
    ids = current_ids(store, project.id)
    for output, labels in zip(ids, [(P, P), (P, F), (F,), (P, F, F), (P, P), (P, F)], strict=True):
        for one, verdict in zip((ben, chloe, dee), labels, strict=False):
            say(store, project, one, [output], verdict)
    say(store, project, dee, [ids[4]], U, kind=LabelKind.ADJUDICATION)
    say(store, project, dee, [ids[5]], F, kind=LabelKind.ADJUDICATION)
    assert settled_items(store, project.id, version, "tone") == {
        ids[0]: True, ids[3]: False, ids[5]: False,
    }  # fmt: skip


def test_a_new_reviewer_practises_first_and_sees_each_answer_after_the_own(
    store: Store, project: Project
) -> None:
    version = bench(store, project, 40, practice=True)
    settled = settle(store, project, 16)
    ana, dee = who(store, project, "Ana", "Dee")
    say(store, project, dee, settled[:1], P, kind=LabelKind.ADJUDICATION, note="warm enough")
    found = queue(store, project, ana)
    assert found.practising
    items = [e.output_id for e in found.entries]
    assert len(items) == 10
    assert {e.mode for e in found.entries} == {Mode.PRACTICE}
    assert set(items) <= set(settled)
    all_ = current_ids(store, project.id)
    assert reveals(store, project.id, version, ana, "tone", all_) == {}
    say(store, project, ana, items[:4], P, kind=LabelKind.PRACTICE)
    found = queue(store, project, ana)
    assert (found.start, found.practising) == (4, True)
    assert [e.output_id for e in found.entries][:4] == items[:4]
    seen = reveals(store, project.id, version, ana, "tone", all_)
    assert seen.keys() == set(items[:4])
    for output, shown in seen.items():
        assert shown["verdict"] == ("PASS" if settled.index(output) % 2 == 0 else "FAIL")
        assert shown["note"] == ("warm enough" if output == settled[0] else "")
    assert reveals(store, project.id, version, dee, "tone", all_) == {}
    # A second answer, after the settled one was shown, says nothing.
    wrong = [o for o in items[:4] if settled.index(o) % 2]
    say(store, project, ana, wrong, F, kind=LabelKind.PRACTICE)
    say(store, project, ana, items[4:], P, kind=LabelKind.PRACTICE)
    found = queue(store, project, ana)
    assert not found.practising
    assert found.practice is not None
    assert (found.practice.same, len(found.practice.met)) == (5, 10)
    assert {e.mode for e in found.entries} == {Mode.LABEL}
    assert sorted(e.output_id for e in found.entries) == sorted(set(all_) - set(items))
    assert load_progress(store, project.id).reviewers == 2


def test_fewer_settled_items_make_a_shorter_round(store: Store, project: Project) -> None:
    bench(store, project, 20, practice=True)
    [ana] = who(store, project, "Ana")
    found = queue(store, project, ana)
    assert found.practice is not None
    assert (found.practice.items, found.practising, len(found.entries)) == ((), False, 20)
    settle(store, project, 3)
    found = queue(store, project, ana)
    assert (len(found.entries), found.practising) == (3, True)


def test_who_has_labelled_before_practises_no_more(store: Store, project: Project) -> None:
    bench(store, project, 20, practice=True)
    settled = settle(store, project, 12)
    [ben] = who(store, project, "Ben")
    found = queue(store, project, ben)
    assert (found.practice, found.start) == (None, len(settled))


# --- stale labels ---------------------------------------------------------------------------------


def test_a_changed_criterion_has_a_queue_of_just_its_stale_labels(
    store: Store, project: Project
) -> None:
    bench(store, project, 10)
    ana, ben = who(store, project, "Ana", "Ben")
    ids = current_ids(store, project.id)
    say(store, project, ana, ids[:4], F, note="curt")
    say(store, project, ben, ids[:2], P, note="secret")
    assert queue(store, project, ana, only=Mode.STALE).entries == ()
    newer = save_version(store, project.id, contract("Kind?"), based_on=1)
    stale = queue(store, project, ana, only=Mode.STALE)
    assert {e.mode for e in stale.entries} == {Mode.STALE}
    assert sorted(open_of(stale)) == ids[:4]
    whole = queue(store, project, ana)
    assert sorted(open_of(whole)) == ids
    assert {e.output_id for e in whole.entries if e.mode is Mode.STALE} == set(ids[:4])
    # The label of before is shown only where the new one is stored, and it is the own one.
    assert reveals(store, project.id, newer, ana, "tone", ids) == {}
    say(store, project, ana, ids[:1], P)
    [shown] = reveals(store, project.id, newer, ana, "tone", ids).items()
    assert shown[0] == ids[0]
    assert (shown[1]["kind"], shown[1]["verdict"], shown[1]["note"]) == ("stale", "FAIL", "curt")
    assert sorted(open_of(queue(store, project, ana, only=Mode.STALE))) == ids[1:4]
    say(store, project, ana, ids[:1], None, kind=LabelKind.UNDO)
    assert reveals(store, project.id, newer, ana, "tone", ids) == {}


def test_a_criterion_that_is_not_asked_has_no_queue(store: Store, project: Project) -> None:
    version = bench(store, project, 1)
    [ana] = who(store, project, "Ana")
    for call in (
        lambda: build_queue(store, project, version, ana, "nope"),
        lambda: reveals(store, project.id, version, ana, "nope", [1]),
    ):
        with pytest.raises(InputError, match="'nope' is not in the contract"):
            call()


def test_deferred_outputs_come_last(store: Store, project: Project) -> None:
    bench(store, project, 6)
    [ana] = who(store, project, "Ana")
    first = open_of(queue(store, project, ana))
    with store.write(project.id) as c:
        key = c.scalar(sa.select(t.criterion.c.id).where(t.criterion.c.key == "tone"))
        values = {
            "project_id": project.id, "output_id": first[0], "criterion_id": key,
            "reviewer_id": ana, "kind": "defer", "verdict": None, "deferred": True, "note": "",
            "question_hash": "", "client": "client-defer", "seq": 1, "labelled_at": "x",
        }  # fmt: skip
        c.execute(t.label.insert().values(values))
    assert open_of(queue(store, project, ana)) == [*first[1:], first[0]]


# --- several criteria at once ---------------------------------------------------------------------


def test_asked_several_things_an_output_is_done_when_all_are(
    store: Store, project: Project
) -> None:
    version = bench(store, project, 60, repeats=True, practice=True)
    ben, chloe, ana = who(store, project, "Ben", "Chloé", "Ana")
    ids = current_ids(store, project.id)
    for one in (ben, chloe):
        say(store, project, one, ids[:2], P)
        say(store, project, one, ids[1:3], F, key=OVERALL)

    def both() -> Queue:
        return build_queue(store, project, version, ana, ["tone", OVERALL])

    assert [e.slot for e in both().entries] == [f"{ids[1]}:practice"]
    say(store, project, ana, ids[1:2], P, kind=LabelKind.PRACTICE)
    assert both().practising
    say(store, project, ana, ids[1:2], P, kind=LabelKind.PRACTICE, key=OVERALL)
    found = both()
    assert found.practice is not None
    assert (found.practising, found.practice.same) == (False, 0)
    assert sorted(open_of(found)) == [o for o in ids if o != ids[1]]
    first = open_of(found)
    say(store, project, ana, first[:50], P)
    assert both().start == 0
    say(store, project, ana, first[:25], P, key=OVERALL)
    found = both()
    assert found.start == 25
    again = [e for e in found.entries if e.mode is Mode.REPEAT]
    assert {e.output_id for e in again} <= set(first[:25])
    assert again[0].slot == f"{again[0].output_id}:repeat"
    say(store, project, ana, [again[0].output_id], F, kind=LabelKind.REPEAT)
    assert again[0] in both().entries
    say(store, project, ana, [again[0].output_id], P, kind=LabelKind.REPEAT, key=OVERALL)
    assert again[0] not in both().entries
    assert slot_states(store, project.id, version, ana, ["tone"])["tone"] == {
        again[0].slot: "FAIL", f"{ids[1]}:practice": "PASS",
    }  # fmt: skip


def test_stale_labels_are_queued_again_where_outputs_are_given_out(
    store: Store, project: Project
) -> None:
    """Also what the reviewer labelled unasked, before anything was given out."""
    bench(store, project, 30)
    ana, ben = who(store, project, "Ana", "Ben")
    ids = current_ids(store, project.id)
    say(store, project, ana, ids[:2], F)
    save_queue_settings(store, project.id, QueueSettings(1, seed="s"), "Lea")
    more = [o for o in open_of(queue(store, project, ana)) if o not in ids[:2]][:3]
    say(store, project, ana, more, P)
    save_version(store, project.id, contract("Kind?"), based_on=1)
    assert sorted(open_of(queue(store, project, ana, only=Mode.STALE))) == sorted([*ids[:2], *more])
    assert open_of(queue(store, project, ben, only=Mode.STALE)) == []
