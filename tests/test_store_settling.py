"""Settling in the store: blind unless one settles, decisions beside votes, undo, both databases."""

from __future__ import annotations

import numpy as np
import pytest

from core.contract.contract import Contract
from core.errors import InputError
from core.labelling.label import LabelEntry, LabelKind
from core.statistics.confusion import FAIL, MISSING, PASS
from core.store.cases import load_case
from core.store.contracts import Version, save_version, say_same_meaning
from core.store.labels import NewLabel, add_labels, reviewer_labels, save_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.progress import load_progress
from core.store.results import load_results
from core.store.settling import (
    OPEN,
    Decision,
    Reader,
    Vote,
    adjudicate,
    load_label_table,
    split_cases,
)
from core.store.store import Project, Store
from core.verdict import OVERALL, LabelValue

P, F, U = LabelValue.PASS, LabelValue.FAIL, LabelValue.UNSURE
CLIENT = "settle-0123456789"


def contract(question: str = "Polite?") -> Contract:
    return Contract.from_data(
        {
            "criteria": [
                {"key": "tone", "question": question, "pass_example": "Hi", "fail_example": "Go"},
                {"key": "step", "question": "Next?", "pass_example": "a", "fail_example": "b"},
            ]
        }
    )


def label(
    sample: str, who: str, verdict: LabelValue, note: str = "", key: str = "tone"
) -> NewLabel:
    return NewLabel(sample, key, who, verdict, note=note)


@pytest.fixture
def version(store: Store, project: Project) -> Version:
    """Four outputs. tone: s0 P F, s1 P P F, s2 P P, s3 Ben and Chloé only, split."""
    add_outputs(store, project.id, [NewOutput(f"s{n}", f"text {n}") for n in range(4)])
    saved = save_version(store, project.id, contract())
    rows = [
        label("s0", "Ana", P, "warm enough"), label("s0", "Ben", F, "too *curt*"),
        label("s1", "Ana", P), label("s1", "Ben", P), label("s1", "Chloé", F),
        label("s2", "Ana", P), label("s2", "Ben", P),
        label("s3", "Ben", P, "secret note of Ben"), label("s3", "Chloé", F, "secret of Chloé"),
    ]  # fmt: skip
    add_labels(store, project.id, rows, saved)
    return saved


@pytest.fixture
def people(store: Store, project: Project, version: Version) -> dict[str, int]:
    return {n: save_reviewer(store, project.id, n)[0] for n in ("Ana", "Ben", "Chloé", "Dee")}


@pytest.fixture
def ids(store: Store, project: Project, version: Version) -> list[int]:
    return current_ids(store, project.id)


def gold(store: Store, project: Project, version: Version) -> list[int]:
    return [int(g) for g in load_results(store, project.id, version, None).gold["tone"]]


def decide(
    store: Store, project: Project, version: Version, output: int, verdict: LabelValue | None,
    who: int, seq: int, note: str = "", client: str = CLIENT,
) -> None:  # fmt: skip
    adjudicate(
        store, project.id, output, "tone", verdict, who, note,
        client=client, seq=seq, question_hash=version.contract.criterion("tone").question_hash,
    )  # fmt: skip


# --- reading ------------------------------------------------------------------------------------


def test_who_settles_reads_everything(
    store: Store, project: Project, version: Version, people: dict[str, int]
) -> None:
    found = load_label_table(store, project.id, version, Reader(people["Dee"], settling=True))
    assert found.reviewers == ("Ana", "Ben", "Chloé")
    assert list(found.codes) == ["tone", "step", OVERALL]
    assert found.codes["tone"].tolist() == [
        [PASS, FAIL, MISSING],
        [PASS, PASS, FAIL],
        [PASS, PASS, MISSING],
        [MISSING, PASS, FAIL],
    ]
    assert np.all(found.codes["step"] == MISSING)
    assert np.all(found.settled["tone"] == MISSING)


def test_who_labels_reads_nothing_before_the_own_label(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    """Output by output: Ana has labelled all but s3; Dee has labelled nothing."""
    ana, dee = Reader(people["Ana"]), Reader(people["Dee"])
    assert np.all(load_label_table(store, project.id, version, dee).codes["tone"] == MISSING)
    found = load_label_table(store, project.id, version, ana)
    assert found.codes["tone"][3].tolist() == [MISSING] * 3
    assert found.codes["tone"][0].tolist() == [PASS, FAIL, MISSING]
    assert found.seen["tone"].tolist() == [True, True, True, False]
    assert split_cases(store, project.id, version, "tone", ids, dee) == []
    cases = split_cases(store, project.id, version, "tone", ids, ana)
    assert [c.output.sample_id for c in cases] == ["s0", "s1", "s2"]
    assert "secret" not in repr(cases) + repr(found)


def test_one_criterion_opens_no_other(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    """Ana's label of the tone of s0 shows nobody's label of its next step."""
    add_labels(store, project.id, [label("s0", "Ben", F, "secret", "step")], version)
    ana = Reader(people["Ana"])
    assert np.all(load_label_table(store, project.id, version, ana).codes["step"] == MISSING)
    assert split_cases(store, project.id, version, "step", ids, ana) == []


@pytest.mark.parametrize(
    ("kind", "verdict", "opens"),
    [
        (LabelKind.LABEL, U, True),
        (LabelKind.LABEL, P, True),
        (LabelKind.DEFER, None, False),
        (LabelKind.UNDO, None, False),
        (LabelKind.ADJUDICATION, P, False),
    ],
)
def test_what_counts_as_an_own_label(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int],
    kind: LabelKind, verdict: LabelValue | None, opens: bool,
) -> None:  # fmt: skip
    question = version.contract.criterion("tone").question_hash
    act = LabelEntry("client-dee", 1, ids[3], "tone", kind, verdict, verdict is None, "", question)
    save_labels(store, project.id, people["Dee"], [act])
    dee = Reader(people["Dee"])
    found = load_label_table(store, project.id, version, dee)
    assert found.seen["tone"].tolist() == [False, False, False, opens]
    assert bool(np.any(found.codes["tone"] != MISSING)) is opens
    assert len(split_cases(store, project.id, version, "tone", ids, dee)) == opens
    if not opens:
        assert np.all(found.settled["tone"] == MISSING)


def test_an_own_label_of_an_earlier_wording_opens_nothing(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    """Reworded, everybody's labels are stale; Ben's new one is his alone until Ana's is there."""
    newer = save_version(store, project.id, contract("Kind?"), based_on=1)
    add_labels(store, project.id, [label("s0", "Ben", P, "secret")], newer)
    ana = Reader(people["Ana"])
    assert np.all(load_label_table(store, project.id, newer, ana).codes["tone"] == MISSING)
    assert split_cases(store, project.id, newer, "tone", ids, ana) == []
    old, new = (v.contract.criterion("tone").question_hash for v in (version, newer))
    say_same_meaning(store, project.id, old, new, "Ana")
    [case, *_] = split_cases(store, project.id, newer, "tone", ids, ana)
    assert case.votes == (Vote("Ana", P, "warm enough"), Vote("Ben", P, "secret"))


def test_a_case_holds_every_label_and_note(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    add_labels(store, project.id, [label("s0", "Chloé", U, "cannot say")], version)
    [case] = split_cases(store, project.id, version, "tone", [ids[0]], Reader(people["Ana"]))
    assert case.output.text == "text 0"
    assert case.votes == (
        Vote("Ana", P, "warm enough"),
        Vote("Ben", F, "too *curt*"),
        Vote("Chloé", U, "cannot say"),
    )
    assert case.decisions == ()


def test_cases_keep_the_order_and_leave_out_what_is_not_here(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    all_ = Reader(people["Dee"], settling=True)
    found = split_cases(store, project.id, version, "tone", [ids[1], 9999, ids[0]], all_)
    assert [c.output.id for c in found] == [ids[1], ids[0]]
    with pytest.raises(InputError, match="'nope' is not in the contract"):
        split_cases(store, project.id, version, "nope", ids, all_)


def test_overall_labels_count_whatever_the_wording_and_without_a_contract(
    store: Store, project: Project
) -> None:
    add_outputs(store, project.id, [NewOutput("a", "x")])
    rows = [label("a", "Ana", P, key=OVERALL), label("a", "Ben", F, key=OVERALL)]
    add_labels(store, project.id, rows, None)
    ana, _ = save_reviewer(store, project.id, "Ana")
    found = load_label_table(store, project.id, None, Reader(ana))
    assert found.codes[OVERALL].tolist() == [[PASS, FAIL]]
    assert load_label_table(store, project.id, None, Reader(0)).seen[OVERALL].tolist() == [False]


def test_an_empty_project(store: Store, project: Project) -> None:
    found = load_label_table(store, project.id, None, Reader(1, settling=True))
    assert found.reviewers == ()
    assert found.codes[OVERALL].shape == (0, 0)


# --- deciding -----------------------------------------------------------------------------------


def test_a_decision_is_gold_and_the_own_label_stays_a_vote(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    """Ana said PASS of s0 herself and settles it as FAIL: both hold."""
    assert gold(store, project, version) == [MISSING, PASS, PASS, MISSING]
    decide(store, project, version, ids[0], F, people["Ana"], 1, "curt indeed")
    assert gold(store, project, version) == [FAIL, PASS, PASS, MISSING]
    found = load_label_table(store, project.id, version, Reader(people["Ana"]))
    assert found.codes["tone"][0].tolist() == [PASS, FAIL, MISSING]
    assert found.settled["tone"].tolist() == [FAIL, MISSING, MISSING, MISSING]
    own = {
        s.output_id: (s.verdict, s.note) for s in reviewer_labels(store, project.id, people["Ana"])
    }
    assert own[ids[0]] == (P, "warm enough")
    [case] = split_cases(store, project.id, version, "tone", [ids[0]], Reader(people["Ana"]))
    assert case.decisions == (Decision(people["Ana"], "Ana", F, "curt indeed"),)
    assert len(case.votes) == 2


def test_a_new_own_label_does_not_take_back_the_decision(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    decide(store, project, version, ids[0], F, people["Ana"], 1)
    question = version.contract.criterion("tone").question_hash
    act = LabelEntry("client-ana", 1, ids[0], "tone", LabelKind.UNDO, None, False, "", question)
    save_labels(store, project.id, people["Ana"], [act])
    assert gold(store, project, version)[0] == FAIL
    # The import of a file compares with the own label, not with the decision.
    counts = add_labels(store, project.id, [label("s1", "Ana", P)], version)
    assert (counts["present"], counts["changed"]) == (1, 0)
    decide(store, project, version, ids[1], F, people["Ana"], 2)
    counts = add_labels(store, project.id, [label("s1", "Ana", P)], version)
    assert (counts["present"], counts["changed"]) == (1, 0)


def test_withdrawing_brings_back_what_the_votes_say(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    decide(store, project, version, ids[1], F, people["Ana"], 1)
    assert gold(store, project, version)[1] == FAIL
    decide(store, project, version, ids[1], None, people["Ana"], 2)
    assert gold(store, project, version)[1] == PASS
    found = load_label_table(store, project.id, version, Reader(people["Ana"]))
    assert found.codes["tone"][1].tolist() == [PASS, PASS, FAIL]
    assert found.settled["tone"][1] == MISSING


def test_left_undecided_stays_undecided(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    decide(store, project, version, ids[0], U, people["Ana"], 1)
    assert gold(store, project, version)[0] == MISSING
    assert load_results(store, project.id, version, None).undecided["tone"] == 2
    found = load_label_table(store, project.id, version, Reader(people["Ana"]))
    assert found.settled["tone"][0] == OPEN


def test_the_newest_decision_holds_and_withdrawing_it_uncovers_the_older(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    """Ana PASS, Ben FAIL, Chloé PASS, then each takes the own one back."""
    for seq, (who, verdict, wanted) in enumerate(
        [
            ("Ana", P, PASS),
            ("Ben", F, FAIL),
            ("Chloé", P, PASS),
            ("Chloé", None, FAIL),
            ("Dee", U, MISSING),
            ("Dee", None, FAIL),
            ("Ben", None, PASS),
            ("Ana", None, MISSING),
        ],
        1,
    ):
        decide(store, project, version, ids[0], verdict, people[who], seq)
        assert gold(store, project, version)[0] == wanted, (who, verdict)
        table = load_label_table(store, project.id, version, Reader(0, settling=True))
        shown = int(table.settled["tone"][0])
        assert shown == (OPEN if verdict is U else wanted), (who, verdict)


def test_an_act_sent_twice_is_stored_once(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    decide(store, project, version, ids[0], F, people["Ana"], 1)
    decide(store, project, version, ids[0], P, people["Ana"], 1)
    assert gold(store, project, version)[0] == FAIL
    with store.read() as c:
        query = "select count(*) from label where kind = 'adjudication'"
        assert c.exec_driver_sql(query).scalar_one() == 1


def test_a_decision_of_an_earlier_wording_is_stale(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    decide(store, project, version, ids[0], F, people["Ana"], 1)
    newer = save_version(store, project.id, contract("Kind?"), based_on=1)
    assert gold(store, project, newer)[0] == MISSING
    found = load_label_table(store, project.id, newer, Reader(0, settling=True))
    assert found.settled["tone"][0] == MISSING
    # Nine labels and the decision; "left undecided" would be none.
    assert load_results(store, project.id, newer, None).stale_labels["tone"] == 10
    decide(store, project, version, ids[0], U, people["Ana"], 2)
    assert load_results(store, project.id, newer, None).stale_labels["tone"] == 9


def test_a_decision_on_nothing_is_refused(
    store: Store, project: Project, version: Version, people: dict[str, int]
) -> None:
    with pytest.raises(InputError, match="output 9999 is not in this project"):
        decide(store, project, version, 9999, F, people["Ana"], 1)
    with pytest.raises(InputError, match="characters"):
        decide(store, project, version, 1, F, people["Ana"], 1, "x" * 20_001)


def test_decisions_are_counted_apart_from_labels(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    before = load_progress(store, project.id)
    assert (before.labels, before.reviewers, before.adjudicated) == (9, 3, 0)
    for seq, who in enumerate(("Ana", "Dee"), 1):
        decide(store, project, version, ids[0], F, people[who], seq)
    decide(store, project, version, ids[1], U, people["Dee"], 3)
    after = load_progress(store, project.id)
    assert (after.labels, after.reviewers, after.adjudicated) == (9, 3, 1)
    assert after.labelled == 4


def test_a_case_to_read_tells_decisions_from_labels(
    store: Store, project: Project, version: Version, people: dict[str, int], ids: list[int]
) -> None:
    decide(store, project, version, ids[0], F, people["Ana"], 1, "curt")
    case = load_case(store, project.id, ids[0], [])
    assert case is not None
    assert [(s.reviewer, s.verdict, s.note, s.settled) for s in case.labels] == [
        ("Ana", "PASS", "warm enough", False),
        ("Ben", "FAIL", "too *curt*", False),
        ("Ana", "FAIL", "curt", True),
    ]
