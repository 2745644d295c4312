"""Reasons, calibration records, anchor sets, looks, people as evaluators: what the store keeps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.contract.contract import Contract
from core.errors import InputError
from core.labelling.disagreement import Reason, Todo, todo
from core.labelling.people import against_others
from core.labelling.split import Split
from core.statistics.confusion import FAIL, MISSING, PASS
from core.statistics.interval import Estimate, Undefined
from core.store import anchors as a
from core.store.calibrations import newest_rates, out_of_date, record_calibration, records
from core.store.columns import load_columns
from core.store.contracts import Version, save_version
from core.store.disagreements import reasons, save_reason, tally
from core.store.drafts import load_draft
from core.store.from_disagreements import add_missed, note_unclear
from core.store.judge_costs import judge_cost
from core.store.judgements import NewVerdict, add_verdicts, judges
from core.store.labels import NewLabel, add_labels
from core.store.looks import looks, looks_so_far, open_test
from core.store.measured import chosen_by_queue, corrected, judge_rates, part_of, slices, strata_of
from core.store.outputs import NewOutput, add_outputs, load_outputs
from core.store.people import load_people
from core.store.records import calibration
from core.store.results import load_results
from core.store.splits import make_split
from core.store.store import Project, Store
from core.verdict import OVERALL, LabelValue, Unscored, failed, no_verdict, passed

P, F = LabelValue.PASS, LabelValue.FAIL


def contract(question: str = "Is it polite?") -> Contract:
    one = {"key": "polite", "question": question, "pass_example": "p", "fail_example": "f"}
    return Contract.from_data({"criteria": [one]})


@pytest.fixture
def version(store: Store, project: Project) -> Version:
    """One criterion; ten outputs, two a sample, labelled by Ana and judged by "lenient".

    Gold: outputs 1 to 6 good, 7 to 10 bad. The judge fails output 1 and passes 7 and 8.
    """
    saved = save_version(store, project.id, contract())
    add_outputs(
        store, project.id,
        [
            NewOutput(f"s{n // 2}", f"text {n}", trial=1 + n % 2, extra={"tier": "ab"[n > 6]})
            for n in range(10)
        ],
    )  # fmt: skip
    label(store, project, saved, "Ana", [P] * 6 + [F] * 4)
    judge(store, project, saved, [F] + [P] * 7 + [F] * 2)
    return saved


def label(
    store: Store, project: Project, version: Version, who: str, said: list[LabelValue | None]
) -> None:
    rows = [
        NewLabel(f"s{n // 2}", "polite", who, value, trial=1 + n % 2)
        for n, value in enumerate(said)
        if value is not None
    ]
    add_labels(store, project.id, rows, version)


def judge(store: Store, project: Project, version: Version, said: list[LabelValue]) -> None:
    rows = [
        NewVerdict(
            f"s{n // 2}", "lenient", "polite",
            passed(f"why {n}") if value is P else failed(f"why {n}"), trial=1 + n % 2,
        )
        for n, value in enumerate(said)
    ]  # fmt: skip
    add_verdicts(store, project.id, rows, version)


def judge_of(store: Store, project: Project) -> int:
    return judges(store, project.id)[-1].id


# --- people -----------------------------------------------------------------------------------


def codes(*rows: str) -> NDArray[np.int8]:
    """One text per output, one letter a reviewer: P, F or - for no label."""
    word = {"P": PASS, "F": FAIL, "-": MISSING}
    return np.array([[word[c] for c in row] for row in rows], dtype=np.int8)


def test_a_reviewer_is_measured_against_gold_without_the_own_label() -> None:
    """With three reviewers the others of the first decide rows 1, 2, 4; row 3 they tie."""
    table = {
        "polite": codes("PPP", "PFF", "PPF", "FP-"),
        OVERALL: codes("---", "---", "---", "---"),
    }
    found = against_others(contract(), table, 0)
    assert [PASS, FAIL, MISSING, PASS] == found.gold["polite"].tolist()
    assert [PASS, PASS, PASS, FAIL] == found.own["polite"].tolist()
    assert [False, False, True, False] == found.undecided["polite"].tolist()
    # The contract's rule makes the overall of both sides, for nobody gave an overall label.
    assert found.gold["polite"].tolist() == found.gold[OVERALL].tolist()
    assert found.own["polite"].tolist() == found.own[OVERALL].tolist()


def test_an_only_reviewer_has_nobody_to_be_measured_against(
    store: Store, project: Project, version: Version
) -> None:
    alone = load_people(store, project.id, version)["Ana"].confusion("polite")
    assert 0 == alone.n
    assert isinstance(alone.false_accept_rate, Undefined)
    label(store, project, version, "Ben", [P, P, F, None, None, None, F, P])
    ben = load_people(store, project.id, version)["Ben"].confusion("polite")
    # Ana's gold: 1-6 good, 7-10 bad; Ben labelled 1, 2, 3, 7, 8.
    assert (2, 1, 1, 1) == ben.cells
    assert 5 == ben.unscored


# --- results by filter and slice ----------------------------------------------------------------


def test_a_filter_counts_its_outputs_and_slices_add_up(
    store: Store, project: Project, version: Version
) -> None:
    results = load_results(store, project.id, version, judge_of(store, project))
    assert (5, 2, 1, 2) == results.confusion("polite").cells
    column = load_columns(store, project.id, results.outputs)["tier"]
    assert ("a", "b") == column.values
    only = results.only(column.where("b"))
    assert (0, 1, 0, 2) == only.confusion("polite").cells
    assert 0 == len(results.only(column.where("no such value")).outputs)
    found = slices(results, column, "polite")
    assert [("a", 7), ("b", 3)] == [(one.value, one.outputs) for one in found]
    sums = np.sum([one.confusion.cells for one in found], axis=0)
    assert results.confusion("polite").cells == tuple(sums.tolist())


def test_columns_alike_everywhere_are_no_filter(store: Store, project: Project) -> None:
    add_outputs(
        store, project.id,
        [NewOutput("1", "x", extra={"model": "m", "lang": "de"}), NewOutput("2", "y", extra={"model": "m"})],
    )  # fmt: skip
    results = load_results(store, project.id, None, None)
    found = load_columns(store, project.id, results.outputs)
    assert ["lang"] == list(found)
    assert {"de", ""} == set(found["lang"].values)


def test_rates_of_labels_chosen_by_verdict_are_reweighted(
    store: Store, project: Project, version: Version
) -> None:
    """40 more outputs passed and unlabelled: FAR is Begg and Greenes', not the plain 2 of 4.

    Passed: 47 judged, 7 labelled, 2 bad; failed: 3 judged, 3 labelled, 2 bad. Bad outputs passed
    are taken as 47·2/7, bad ones failed as 2: FAR = 13.43 / 15.43.
    """
    more = [NewOutput(f"t{n}", f"more {n}") for n in range(40)]
    add_outputs(store, project.id, more)
    add_verdicts(
        store, project.id, [NewVerdict(f"t{n}", "lenient", "polite", passed("y")) for n in range(40)],
        version,
    )  # fmt: skip
    results = load_results(store, project.id, version, judge_of(store, project))
    assert [(47, 5, 2), (3, 1, 2), (0, 0, 0)] == [
        (s.judged, s.good, s.bad) for s in strata_of(results, "polite")
    ]
    plain = judge_rates(results, "polite", "random").false_accept_rate
    shown = judge_rates(results, "polite", "verdict").false_accept_rate
    assert isinstance(plain, Estimate)
    assert isinstance(shown, Estimate)
    assert (0.5, 2, 4) == (plain.value, plain.k, plain.n)
    assert pytest.approx((47 * 2 / 7) / (47 * 2 / 7 + 2)) == shown.value
    # The good share: (47·5/7 + 3·1/3) ÷ 50, at random with the labels' own 6 of 10 beside it.
    at_random, judged = corrected(results, "polite", "random")
    assert isinstance(at_random.corrected, Estimate)
    assert isinstance(at_random.labels_only, Estimate)
    assert pytest.approx((47 * 5 / 7 + 1) / 50) == at_random.corrected.value
    assert (6, 10, 50) == (at_random.labels_only.k, at_random.labels_only.n, judged)
    # By verdict the labels alone say nothing; by hand nothing does; elsewhere this judge is a coin.
    assert isinstance(corrected(results, "polite", "verdict")[0].labels_only, Undefined)
    for chosen in ("picked", "unsaid", "elsewhere"):
        assert isinstance(corrected(results, "polite", chosen)[0].corrected, Undefined)
    assert 40 == corrected(results, "polite", "elsewhere")[1]


def test_without_a_queue_nobody_has_said_how_labels_were_chosen(
    store: Store, project: Project, version: Version
) -> None:
    assert "unsaid" == chosen_by_queue(store, project.id, [1, 2, 3])


# --- reasons ------------------------------------------------------------------------------------


def test_the_newest_reason_holds_and_a_rewording_ends_it(
    store: Store, project: Project, version: Version
) -> None:
    one, two = (o.id for o in load_outputs(store, project.id)[6:8])
    by = judge_of(store, project)

    def say(output: int, reason: Reason | None, note: str = "") -> None:
        save_reason(store, project.id, version, by, output, "polite", reason, who="Lead", note=note)

    say(one, Reason.JUDGE)
    say(one, Reason.UNCLEAR, "who is polite?")
    say(two, Reason.UNCLEAR)
    found = reasons(store, project.id, version, by, "polite")
    assert {one: "who is polite?", two: ""} == {i: given.note for i, given in found.items()}
    assert {("polite", Reason.UNCLEAR): 2} == tally(store, project.id, version)
    say(two, None)
    assert {("polite", Reason.UNCLEAR): 1} == tally(store, project.id, version)
    reworded = save_version(store, project.id, contract("Does it say please?"), based_on=1)
    assert {} == tally(store, project.id, reworded)
    assert {} == reasons(store, project.id, reworded, by, "polite")


def test_a_reason_of_nothing_is_refused(store: Store, project: Project, version: Version) -> None:
    by, output = judge_of(store, project), load_outputs(store, project.id)[0].id
    for judge_id, output_id, key in (
        (by, 999, "polite"),
        (999, output, "polite"),
        (by, output, "x"),
    ):
        with pytest.raises(InputError, match="not in this project"):
            save_reason(
                store, project.id, version, judge_id, output_id, key, Reason.JUDGE, who="Lead"
            )


def test_the_to_do_list_starts_with_what_most_disagreements_ask_for() -> None:
    counts = {
        ("a", Reason.JUDGE): 2,
        ("b", Reason.UNCLEAR): 2,
        ("a", Reason.MISSED): 5,
        ("c", Reason.RELABEL): 0,
    }
    assert [
        Todo("a", Reason.MISSED, 5), Todo("b", Reason.UNCLEAR, 2), Todo("a", Reason.JUDGE, 2),
    ] == todo(counts)  # fmt: skip


def test_a_missed_fault_becomes_a_check_read_off_the_note(
    store: Store, project: Project, version: Version
) -> None:
    draft, ready = add_missed(
        store, project.id, None, "Buy *now*!", "The reply must not mention 'now'."
    )
    assert ready
    same, unread = add_missed(store, project.id, draft, "Rude.", "It is rude")
    found = load_draft(store, project.id, draft)
    assert found is not None
    assert same == draft
    assert not unread
    keys = [(c["key"], c["fail_example"]) for c in found.contract["criteria"][1:]]
    assert [("missed-1", "Buy *now*!"), ("missed-2", "Rude.")] == keys
    checks = [c["check"] for c in found.contract["criteria"][1:]]
    # What could not be read off the note is left to be chosen.
    assert [
        {"kind": "contains", "text": "now", "not": True}, {"kind": "contains", "text": ""},
    ] == checks  # fmt: skip
    assert ("polite", "", "") == found.origins


def test_an_unclear_criterion_leaves_its_example_in_the_draft(
    store: Store, project: Project, version: Version
) -> None:
    draft = note_unclear(store, project.id, None, "polite", "x" * 5_000, "ironic?")
    found = load_draft(store, project.id, draft)
    assert found is not None
    [(left_out, line)] = found.notes
    assert not left_out
    assert line.startswith("polite is unclear: ironic?. Example: xxx")
    assert len(line) < 2_100


# --- calibration records ------------------------------------------------------------------------


def test_a_record_says_what_has_changed_since(
    store: Store, project: Project, version: Version
) -> None:
    by = judge_of(store, project)
    made = record_calibration(store, project.id, version, by, "Lead")
    far = made.false_accept_rate
    assert isinstance(far, Estimate)
    assert (10, 2, 4, "lenient", "Lead") == (made.n, far.k, far.n, made.judge, made.who)
    assert [made] == records(store, project.id)
    assert made == newest_rates(store, project.id)
    assert [] == out_of_date(store, project.id, made, version)
    # An output nobody labelled changes no figure.
    add_outputs(store, project.id, [NewOutput("new", "text new")])
    assert [] == out_of_date(store, project.id, made, version)
    judge(store, project, version, [P] * 8 + [F] * 2)
    assert ["the judge, or what it says of these outputs, has changed"] == out_of_date(
        store, project.id, made, version
    )
    again = record_calibration(store, project.id, version, by, "Lead")
    label(store, project, version, "Ana", [P] * 7 + [F] * 3)
    assert ["outputs or their gold labels have changed"] == out_of_date(
        store, project.id, again, version
    )
    newer = save_version(store, project.id, contract("Does it say please?"), based_on=1)
    assert (
        "the contract is at version 2, this is of 1"
        == out_of_date(store, project.id, again, newer)[0]
    )
    page = calibration(store, project.id, version, by)
    assert page is not None
    assert (again.date, 10) == (page.date, page.n)
    assert page.changed


def test_nothing_measured_is_nothing_to_record(store: Store, project: Project) -> None:
    saved = save_version(store, project.id, contract())
    add_outputs(store, project.id, [NewOutput("s0", "a")])
    add_verdicts(
        store, project.id, [NewVerdict("s0", "j", "polite", no_verdict(Unscored.REFUSED))], saved
    )
    with pytest.raises(InputError, match="Label outputs first"):
        record_calibration(store, project.id, saved, judge_of(store, project), "Lead")


def test_a_record_of_the_dev_part_stays_with_it(
    store: Store, project: Project, version: Version
) -> None:
    split = Split("seed 3", 0.5)
    make_split(store, project.id, split)
    by = judge_of(store, project)
    everything = load_results(store, project.id, version, by)
    dev, test = (part_of(store, project.id, everything, part) for part in ("dev", "test"))
    assert 10 == len(dev.outputs) + len(test.outputs)
    assert not set(dev.samples.tolist()) & set(test.samples.tolist())
    made = record_calibration(store, project.id, version, by, "Lead", part="dev")
    assert (made.part, made.n) == ("dev", dev.confusion(OVERALL).n)
    assert [] == out_of_date(store, project.id, made, version)


def test_looks_at_the_test_part_are_counted_by_version(
    store: Store, project: Project, version: Version
) -> None:
    assert 1 == open_test(store, project.id, version, "Lead")
    assert 2 == open_test(store, project.id, version, "Ana")
    newer = save_version(store, project.id, contract("Does it say please?"), based_on=1)
    assert [] == looks(store, newer)
    assert ["Lead", "Ana"] == [one.who for one in looks(store, version)]
    assert 2 == looks_so_far(store, project.id)


# --- drift --------------------------------------------------------------------------------------


def test_readings_keep_what_the_judge_said_then(
    store: Store, project: Project, version: Version
) -> None:
    by = judge_of(store, project)
    ids = [o.id for o in load_outputs(store, project.id)]
    frozen = a.freeze(store, project.id, " Anchor  1 ", [*ids, ids[0]], "Lead")
    assert ("Anchor 1", tuple(ids)) == (frozen.name, frozen.outputs)
    assert [frozen] == a.anchor_sets(store, project.id)
    a.take_reading(store, project.id, frozen, version, by, "Lead")
    judge(store, project, version, [P] * 10)
    a.take_reading(store, project.id, frozen, version, by, "Lead")
    before, after = a.readings(store, frozen)
    results = load_results(store, project.id, version, by)
    found = a.compare(results, frozen, before, after, "polite")
    # Three fails became passes, none the other way: exact McNemar p = 2·(1/2)³.
    assert (7, 0, 3, 0) == (
        found.verdicts.both, found.verdicts.first_only, found.verdicts.second_only,
        found.verdicts.neither,
    )  # fmt: skip
    assert 0.25 == found.verdicts.p_exact
    assert 3 == a.judged_anew(before, after)


def test_a_set_without_name_or_outputs_and_a_silent_judge_are_refused(
    store: Store, project: Project, version: Version
) -> None:
    with pytest.raises(InputError, match="blank"):
        a.freeze(store, project.id, "  ", [1], "Lead")
    with pytest.raises(InputError, match="no output"):
        a.freeze(store, project.id, "x", [], "Lead")
    add_outputs(store, project.id, [NewOutput("later", "text")])
    last = load_outputs(store, project.id)[-1].id
    silent = a.freeze(store, project.id, "silent", [last], "Lead")
    with pytest.raises(InputError, match="nothing"):
        a.take_reading(store, project.id, silent, version, judge_of(store, project), "Lead")


def test_recorded_verdicts_have_no_cost(store: Store, project: Project, version: Version) -> None:
    assert judge_cost(store, judge_of(store, project)) is None
