"""From labels and verdicts in the store to codes: gold, stale labels, merged verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.acceptance import accept_codes
from core.contract.contract import Contract, accepted
from core.labelling.gold import overall, settle
from core.labelling.label import LabelEntry, LabelKind
from core.runs.code_checks import run_code_checks
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN, count
from core.store.cases import load_case
from core.store.contracts import Version, save_version, say_same_meaning
from core.store.judgements import NewVerdict, add_verdicts, judges
from core.store.labels import NewLabel, add_labels, save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs, load_outputs
from core.store.results import load_results
from core.store.store import Project, Store
from core.verdict import (
    OVERALL,
    CriterionVerdict,
    LabelValue,
    Unscored,
    Verdict,
    failed,
    no_verdict,
    passed,
)

P, F = LabelValue.PASS, LabelValue.FAIL


def two_criteria(question: str = "Is it polite?", **changes: object) -> Contract:
    """One criterion by code (at most 3 words), one by a judge."""
    return Contract.from_data(
        {
            "criteria": [
                {
                    "key": "short",
                    "question": "At most 3 words?",
                    "checked_by": "code",
                    "check": {"kind": "max_words", "limit": 3},
                    "pass_example": "a",
                    "fail_example": "a b c d",
                },
                {
                    "key": "polite",
                    "question": question,
                    "pass_example": "please",
                    "fail_example": "no",
                },
            ],
            **changes,
        }
    )


@pytest.fixture
def version(store: Store, project: Project) -> Version:
    """Five outputs, the first four short, and a saved contract."""
    texts = ["one", "two", "three", "four", "one two three four"]
    add_outputs(store, project.id, [NewOutput(str(i), text) for i, text in enumerate(texts)])
    return save_version(store, project.id, two_criteria())


def codes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int8)


# --- gold ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passes", "fails", "by_hand", "unanimous", "gold", "undecided"),
    [
        (1, 1, MISSING, False, MISSING, True),  # even split
        (2, 1, MISSING, False, PASS, False),
        (0, 1, MISSING, False, FAIL, False),  # one usable label beside an UNSURE
        (0, 0, MISSING, False, MISSING, False),
        (2, 1, MISSING, True, MISSING, True),
        (2, 0, MISSING, True, PASS, False),
        (2, 1, FAIL, False, FAIL, False),  # adjudicated against the majority
        (1, 1, PASS, True, PASS, False),
    ],
)
def test_gold_is_adjudicated_else_majority_else_undecided(
    passes: int, fails: int, by_hand: int, unanimous: bool, gold: int, undecided: bool
) -> None:
    found = settle(np.array([passes]), np.array([fails]), codes(by_hand), unanimous=unanimous)
    assert (gold, undecided) == (int(found.codes[0]), bool(found.undecided[0]))


def test_an_overall_label_goes_before_the_rule() -> None:
    criteria = np.array([[PASS, PASS, FAIL], [PASS, MISSING, MISSING]], dtype=np.int8)
    assert overall(two_criteria(), criteria, codes(FAIL, MISSING, MISSING)).tolist() == [
        FAIL,
        MISSING,
        FAIL,
    ]


@given(
    st.lists(st.sampled_from([PASS, FAIL, UNKNOWN, MISSING]), min_size=3, max_size=3),
    st.lists(st.sampled_from([0.1, 0.5, 1, 2.5]), min_size=3, max_size=3),
    st.one_of(st.none(), st.floats(0.1, 1)),
)
def test_acceptance_of_many_equals_acceptance_of_one(
    said: list[int], weights: list[float], share: float | None
) -> None:
    data: dict[str, object] = {
        "criteria": [{"key": f"c{i}", "weight": w} for i, w in enumerate(weights)],
    }
    if share is not None:
        data["acceptance"] = {
            "rule": "threshold",
            "minimum": max(0.01, round(share * sum(weights), 2)),
        }
    contract = Contract.from_data(data)
    words = {PASS: Verdict.PASS, FAIL: Verdict.FAIL, UNKNOWN: Verdict.UNKNOWN}
    verdicts = {
        f"c{i}": no_verdict(Unscored.ERROR) if code == MISSING else CriterionVerdict(words[code])
        for i, code in enumerate(said)
    }
    found = int(accept_codes(contract, np.array(said, dtype=np.int8)[:, None])[0])
    assert {True: PASS, False: FAIL, None: MISSING}[accepted(contract, verdicts)] == (
        FAIL if found == UNKNOWN else found
    )


# --- the whole way from the store ------------------------------------------------------------


def test_code_and_judge_verdicts_are_merged_and_split_labels_are_undecided(
    store: Store, project: Project, version: Version
) -> None:
    run_code_checks(store, project.id, version)
    labels = [
        NewLabel("0", "polite", "Ana", P),
        NewLabel("0", "polite", "Ben", P),
        NewLabel("1", "polite", "Ana", P),
        NewLabel("1", "polite", "Ben", F),
        NewLabel("2", "polite", "Ana", F),
        NewLabel("2", "polite", "Ben", LabelValue.UNSURE),
        *(NewLabel(str(i), "short", "Ana", P) for i in range(4)),
    ]
    add_labels(store, project.id, labels, version)
    said = [passed("x"), passed("x"), passed("x"), no_verdict(Unscored.REFUSED), passed("x")]
    add_verdicts(
        store,
        project.id,
        [NewVerdict(str(i), "J", "polite", v) for i, v in enumerate(said)],
        version,
    )
    judge = next(j.id for j in judges(store, project.id) if j.name == "J")
    found = load_results(store, project.id, version, judge)
    assert found.gold["polite"].tolist() == [PASS, MISSING, FAIL, MISSING, MISSING]
    assert found.undecided["polite"] == 1
    assert found.judge["short"].tolist() == [PASS, PASS, PASS, PASS, FAIL]
    assert found.judge["polite"].tolist() == [PASS, PASS, PASS, MISSING, PASS]
    assert found.gold[OVERALL].tolist() == [PASS, MISSING, FAIL, MISSING, MISSING]
    assert found.judge[OVERALL].tolist() == [PASS, PASS, PASS, MISSING, FAIL]
    table = count(found.gold["polite"], found.judge["polite"])
    assert (*table.cells, table.unlabelled, table.unscored) == (1, 1, 0, 0, 3, 0)


def test_code_checks_run_again_only_where_something_changed(
    store: Store, project: Project, version: Version
) -> None:
    assert run_code_checks(store, project.id, version) == 5
    assert run_code_checks(store, project.id, version) == 0
    add_outputs(store, project.id, [NewOutput("9", "new")])
    assert run_code_checks(store, project.id, version) == 1
    add_outputs(store, project.id, [NewOutput("0", "now it is far too long")], replace_changed=True)
    assert run_code_checks(store, project.id, version) == 1
    found = load_results(store, project.id, version, None)
    assert found.judge["short"].tolist() == [PASS, PASS, PASS, FAIL, PASS, FAIL]


def test_a_reworded_question_makes_labels_and_verdicts_stale_until_said_the_same(
    store: Store, project: Project, version: Version
) -> None:
    add_labels(store, project.id, [NewLabel("0", "polite", "Ana", P)], version)
    add_verdicts(store, project.id, [NewVerdict("0", "J", "polite", failed("x"))], version)
    judge = judges(store, project.id)[0].id
    newer = save_version(store, project.id, two_criteria("Does it say please?"), based_on=1)
    found = load_results(store, project.id, newer, judge)
    assert (found.stale_labels["polite"], found.stale_verdicts["polite"]) == (1, 1)
    assert MISSING == found.gold["polite"][0] == found.judge["polite"][0]
    old, new = (v.contract.criterion("polite").question_hash for v in (version, newer))
    say_same_meaning(store, project.id, old, new, "Ana")
    again = load_results(store, project.id, newer, judge)
    assert (again.stale_labels["polite"], again.gold["polite"][0]) == (0, PASS)
    # A verdict is the judge's answer to the old wording, whatever people say it means.
    assert again.stale_verdicts["polite"] == 1


def test_an_output_equal_to_an_example_is_left_out_and_counted(
    store: Store, project: Project, version: Version
) -> None:
    add_outputs(store, project.id, [NewOutput("e", "please \r\n")])
    found = load_results(store, project.id, version, None)
    assert (found.examples, len(found.outputs)) == (1, 5)


def test_without_a_contract_overall_labels_and_verdicts_count(
    store: Store, project: Project
) -> None:
    add_outputs(store, project.id, [NewOutput(str(i), f"t{i}") for i in range(3)])
    add_labels(
        store,
        project.id,
        [NewLabel("0", OVERALL, "Ana", P), NewLabel("1", OVERALL, "Ana", F)],
        None,
    )
    said = [NewVerdict("0", "J", OVERALL, passed("")), NewVerdict("1", "J", OVERALL, passed(""))]
    add_verdicts(store, project.id, said, None)
    found = load_results(store, project.id, None, judges(store, project.id)[0].id)
    assert count(found.gold[OVERALL], found.judge[OVERALL]).cells == (1, 1, 0, 0)


def test_an_undone_label_no_longer_counts(store: Store, project: Project, version: Version) -> None:
    output = load_outputs(store, project.id)[0].id
    ana, _ = save_reviewer(store, project.id, "Ana")
    question = version.contract.criterion("polite").question_hash

    def act(seq: int, kind: LabelKind, verdict: LabelValue | None) -> LabelEntry:
        return LabelEntry("client-one", seq, output, "polite", kind, verdict, False, "", question)

    save_labels(store, project.id, ana, [act(1, LabelKind.LABEL, P)])
    assert load_results(store, project.id, version, None).gold["polite"][0] == PASS
    save_labels(store, project.id, ana, [act(2, LabelKind.UNDO, None)])
    assert load_results(store, project.id, version, None).gold["polite"][0] == MISSING


def test_a_case_shows_every_note_and_the_newest_evidence(
    store: Store, project: Project, version: Version
) -> None:
    add_labels(store, project.id, [NewLabel("0", "polite", "Ana", F, note="curt")], version)
    add_verdicts(store, project.id, [NewVerdict("0", "J", "polite", passed("old"))], version)
    add_verdicts(
        store, project.id, [NewVerdict("0", "J", "polite", failed("new", "say please"))], version
    )
    output = load_outputs(store, project.id)[0].id
    case = load_case(store, project.id, output, [judges(store, project.id)[0].id])
    assert case is not None
    assert [(s.reviewer, s.criterion, s.verdict, s.note) for s in case.labels] == [
        ("Ana", "polite", "FAIL", "curt")
    ]
    assert failed("new", "say please") == case.verdicts["polite"]
    assert load_case(store, project.id, 987654, []) is None
