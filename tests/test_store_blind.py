"""What a person who labels may see of verdicts and of colleagues, output by output."""

from __future__ import annotations

import json

import pytest

from core.contract.contract import Contract
from core.files.traces import parse_traces
from core.labelling.label import LabelKind
from core.store.assignments import QueueSettings, claim, release, save_queue_settings
from core.store.blind import hidden_traces, set_standing, sight_of, standing
from core.store.cases import load_case
from core.store.contracts import Version, save_version
from core.store.judgements import NewVerdict, add_verdicts, judges
from core.store.label_rows import stored_labels
from core.store.labels import NewLabel, add_labels
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.store import Project, Store
from core.store.traces import add_traces
from core.verdict import OVERALL, LabelValue, failed
from tests.test_store_queues import say, who

P, F = LabelValue.PASS, LabelValue.FAIL


@pytest.fixture
def version(store: Store, project: Project) -> Version:
    """Four outputs; tone and step for people, short by code; a judge failed every tone and step."""
    add_outputs(store, project.id, [NewOutput(f"s{n}", f"text {n}") for n in range(4)])
    rows = [
        {"key": key, "question": f"{key}?", "pass_example": "Hi", "fail_example": "Go to it"}
        for key in ("tone", "step", "short")
    ]
    rows[2] |= {"checked_by": "code", "check": {"kind": "max_words", "limit": 2}}  # type: ignore[dict-item]
    saved = save_version(store, project.id, Contract.from_data({"criteria": rows}))
    said = [
        NewVerdict(f"s{n}", "judge", key, failed(f"judged {key}", "c"))
        for n in range(4)
        for key in ("tone", "step")
    ]
    add_verdicts(store, project.id, said, saved)
    return saved


def test_nothing_is_held_back_from_who_does_not_label_here(
    store: Store, project: Project, version: Version
) -> None:
    assert sight_of(store, project.id, version, "Ana") is None
    assert sight_of(store, project.id, version, "") is None
    who(store, project, "Ana")
    found = sight_of(store, project.id, version, " ana ")
    assert found is not None
    assert found.hidden == 4
    assert set(found.seen) == {"tone", "step", "short", OVERALL}
    assert not any(found.seen.values())


def test_nobody_unknown_sees_anything_while_people_label(
    store: Store, project: Project, version: Version
) -> None:
    """Dropping the name from the address, or another name, shows no verdict and no label."""
    rows = [NewLabel("s1", "tone", "Imported", F, note="said elsewhere")]
    add_labels(store, project.id, rows, version)
    assert sight_of(store, project.id, version, "") is None, "nobody labels here"
    ids, (ana,) = current_ids(store, project.id), who(store, project, "Ana")
    say(store, project, ana, [ids[0]], F)
    (judge,) = judges(store, project.id)
    for name in ("", " ", "Lea"):
        found = sight_of(store, project.id, version, name)
        assert found is not None
        assert (found.reviewer_id, found.hidden) == (0, 4)
        assert stored_labels(store, project.id, found) == []
        case = load_case(store, project.id, ids[0], [judge.id], sight=found)
        assert case is not None
        assert (dict(case.verdicts), list(case.labels)) == ({}, [])
    (lea,) = who(store, project, "Lea")
    set_standing(store, project.id, lea, labelling=False)
    assert sight_of(store, project.id, version, "Lea") is None
    set_standing(store, project.id, ana, labelling=False)
    assert sight_of(store, project.id, version, "") is None, "nobody labels here any more"


def test_a_label_opens_its_output_for_its_criterion_alone(
    store: Store, project: Project, version: Version
) -> None:
    ana, ben = who(store, project, "Ana", "Ben")
    ids = current_ids(store, project.id)
    for key in ("tone", "step", OVERALL):
        say(store, project, ben, ids, F, key=key, note=f"Ben on {key}")
    say(store, project, ana, ids[:2], P, key="tone")
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None
    assert found.shown("tone", reversed(ids)) == [ids[1], ids[0]]
    assert found.shown("step", ids) == found.shown(OVERALL, ids) == found.shown("gone", ids) == []
    [one] = judges(store, project.id)
    case = load_case(store, project.id, ids[0], [one.id], sight=found)
    assert case is not None
    assert [(s.reviewer, s.criterion) for s in case.labels] == [("Ana", "tone"), ("Ben", "tone")]
    assert set(case.verdicts) == {"tone"}
    case = load_case(store, project.id, ids[3], [one.id], sight=found)
    assert case is not None
    assert (case.labels, case.verdicts) == ((), {})
    everything = load_case(store, project.id, ids[3], [one.id])
    assert everything is not None
    assert (len(everything.labels), set(everything.verdicts)) == (3, {"tone", "step"})


def test_the_whole_is_open_after_an_overall_label_or_all_that_people_decide(
    store: Store, project: Project, version: Version
) -> None:
    [ana] = who(store, project, "Ana")
    ids = current_ids(store, project.id)
    say(store, project, ana, ids[:1], P, key=OVERALL)
    say(store, project, ana, ids[1:2], P, key="tone")
    say(store, project, ana, ids[1:2], F, key="step")
    say(store, project, ana, ids[2:3], F, key="step")
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None
    assert found.shown(OVERALL, ids) == ids[:2]


def test_what_is_no_own_label_of_the_present_wording_opens_nothing(
    store: Store, project: Project, version: Version
) -> None:
    [ana] = who(store, project, "Ana")
    ids = current_ids(store, project.id)
    say(store, project, ana, ids, P, question="0" * 64)
    for kind, verdict in (
        (LabelKind.DEFER, None), (LabelKind.UNDO, None), (LabelKind.REPEAT, P),
        (LabelKind.PRACTICE, P), (LabelKind.ADJUDICATION, P),
    ):  # fmt: skip
        found = sight_of(store, project.id, version, "Ana")
        assert found is not None
        assert not any(found.seen.values())
        say(store, project, ana, ids, verdict, kind=kind)
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None
    assert not any(found.seen.values())


def test_who_has_labelled_everything_sees_everything(store: Store, project: Project) -> None:
    add_outputs(store, project.id, [NewOutput("a", "x"), NewOutput("b", "y")])
    [ana] = who(store, project, "Ana")
    rows = [{"key": "tone", "question": "?", "pass_example": "p", "fail_example": "f"}]
    version = save_version(store, project.id, Contract.from_data({"criteria": rows}))
    for at, output in enumerate(current_ids(store, project.id)):
        found = sight_of(store, project.id, version, "Ana")
        assert found is not None
        assert found.hidden == 2 - at
        say(store, project, ana, [output], P)
    assert sight_of(store, project.id, version, "Ana") is None


def test_stopping_is_recorded_and_starting_again_too(
    store: Store, project: Project, version: Version
) -> None:
    ana, _ = who(store, project, "Ana", "Ben")
    assert (standing(store, ana).labelling, standing(store, ana).since) == (True, "")
    set_standing(store, project.id, ana, labelling=False)
    stopped = standing(store, ana)
    assert not stopped.labelling
    assert stopped.since
    set_standing(store, project.id, ana, labelling=False)
    assert standing(store, ana) == stopped
    assert sight_of(store, project.id, version, "Ana") is None
    assert sight_of(store, project.id, version, "Ben") is not None
    set_standing(store, project.id, ana, labelling=True)
    assert sight_of(store, project.id, version, "Ana") is not None


def test_outputs_that_have_all_their_reviewers_are_not_hidden(
    store: Store, project: Project, version: Version
) -> None:
    """One reviewer each: what Ben holds will never be Ana's, until he gives it back."""
    ana, ben = who(store, project, "Ana", "Ben")
    ids = current_ids(store, project.id)
    save_queue_settings(store, project.id, QueueSettings(1, seed="s"), "Lea")
    claim(store, project.id, version, ben, 2)
    claim(store, project.id, version, ana, 1)
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None
    assert (len(found.shown("tone", ids)), found.hidden) == (2, 2)
    release(store, project.id, ben)
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None
    assert found.hidden == 4
    claim(store, project.id, version, ben, 4)
    claim(store, project.id, version, ana, 4)
    say(store, project, ana, ids, P, key="step")
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None


def test_a_trace_with_the_very_text_of_a_hidden_output_is_hidden(
    store: Store, project: Project, version: Version
) -> None:
    ana, _ = who(store, project, "Ana", "Ben")
    ids = current_ids(store, project.id)
    lines = [
        {
            "trace_id": f"t{n}", "arm": "loop", "sample_id": f"s{n}", "input": "",
            "rounds": [{"round": 1, "draft": draft, "score": 1, "gold": "PASS"}],
        }
        for n, draft in enumerate(["text 0", "text 1 \r\n", "another text"])
    ]  # fmt: skip
    data = "\n".join(json.dumps(line) for line in lines).encode()
    add_traces(store, project.id, parse_traces(data, "x").traces)
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None
    assert hidden_traces(store, project.id, found) == {"t0", "t1"}
    for key in ("tone", "step", "short", OVERALL):
        say(store, project, ana, ids[:1], P, key=key)
    found = sight_of(store, project.id, version, "Ana")
    assert found is not None
    assert hidden_traces(store, project.id, found) == {"t1"}
