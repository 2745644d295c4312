"""Traces in the store: exact there and back, never doubled, never overwritten, nothing half."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.contract.contract import Contract, StopRule
from core.contract.criterion import CheckedBy
from core.errors import InputError
from core.files.traces import parse_traces, read_traces, trace_to_data, write_traces
from core.judging.judgement import Judgement
from core.loop.measured import drafts_of
from core.loop.replay import replay
from core.loop.step import to_trace
from core.loop.stop import Arm, Exit
from core.loop.summary import summarise
from core.loop.trace import Round, Trace
from core.store import tables as t
from core.store.contracts import save_version
from core.store.imports import imports_of
from core.store.paths import arms_of_sample, count_traces, recorded_drafts
from core.store.store import Project, Store, open_store
from core.store.trace_rows import MOST
from core.store.traces import (
    add_traces,
    by_held_contract,
    compare_traces,
    each_trace,
    held_contracts,
    load_summaries,
    load_trace,
    work_out,
)
from core.verdict import CriterionVerdict, LabelValue, Unscored, Verdict
from sample_data.samples import SAMPLES
from tests.fakes import ScriptedRun, contract, points, written_out

HOSTILE = "$5 :red[x] <script>\x00\ud800 \ue000 今天 👩‍💻\r\n"
OF = contract("c1", "c2", cap=3, window=3)


def run(*drafts: str, trace_id: str = "t1", arm: Arm = Arm.LOOP, sample: str = "007") -> Trace:
    state = ScriptedRun(OF, list(drafts), points(OF), arm=arm).go()
    return to_trace(state, trace_id, sample, contract=OF, gold={1: LabelValue.FAIL})


def hostile() -> Trace:
    """A trace that uses every field, with text a database cannot hold as it stands."""
    verdicts = {
        "c1": CriterionVerdict(Verdict.FAIL, HOSTILE, HOSTILE),
        HOSTILE: CriterionVerdict(None, HOSTILE, unscored=Unscored.SKIPPED),
    }
    rounds = (
        Round(
            1, HOSTILE, "f" * 64, Judgement(verdicts, None, "", HOSTILE, HOSTILE), Fraction(1, 3),
            HOSTILE, 1, 2, True, 10**12, 0, None, 0.1, 1e-9, LabelValue.PASS, HOSTILE,
            {"c1": CheckedBy.CODE}, {HOSTILE: [None, {"a": 1.5}]},
        ),
        Round(2, None, None, None, error=HOSTILE, generate_calls=0),
        Round(4, "", "0" * 64, Judgement({}, Unscored.REFUSED, HOSTILE)),
    )  # fmt: skip
    return Trace(
        HOSTILE, Arm.RETRY, HOSTILE, HOSTILE, HOSTILE, "a hash", None, rounds,
        Exit.EVALUATOR_ERROR, 1, {HOSTILE: HOSTILE},
    )  # fmt: skip


def test_a_trace_comes_back_exactly(store: Store, project: Project) -> None:
    made = [hostile(), run("d0", "d2"), run("d1", "d1/b", "d0", trace_id="t2", arm=Arm.RETRY)]
    add_traces(store, project.id, made)
    for trace in made:
        assert load_trace(store, project.id, trace.trace_id) == trace
    assert list(each_trace(store, project.id)) == made
    assert load_summaries(store, project.id) == [summarise(trace) for trace in made]
    assert load_trace(store, project.id, "nobody") is None
    counted = recorded_drafts(store, project.id)
    assert counted == drafts_of(made)
    assert (len(counted.drafts), counted.left_out) == (5, 1)
    with store.write() as c:  # as in a database from before drafts were counted
        c.execute(
            t.trace.update().values(
                drafts=[], summary={"of": "before"}, facts=[[], "an older version"]
            )
        )
    assert recorded_drafts(store, project.id) == counted


def test_the_same_traces_twice_change_nothing(store: Store, project: Project) -> None:
    made = [run("d0", "d2"), run("d2", trace_id="t2")]
    first = add_traces(store, project.id, made, file_name="a.jsonl", sha256="0" * 64)
    assert ([x.trace_id for x in first.new], first.present, first.other) == (["t1", "t2"], 0, ())
    revision = store.revision(project.id)
    again = add_traces(store, project.id, made, file_name="a.jsonl", sha256="0" * 64)
    assert (again.new, again.present, again.other) == ((), 2, ())
    assert store.revision(project.id) == revision
    assert count_traces(store, project.id) == 2
    assert [i.counts for i in imports_of(store, project.id)] == [
        {"new": 2, "present": 0, "other": 0}
    ]


def test_another_trace_under_a_known_id_is_reported_and_not_stored(
    store: Store, project: Project
) -> None:
    first, other = run("d0", "d2"), run("d1", "d2")
    add_traces(store, project.id, [first])
    new = run("d2", trace_id="t2")
    assert compare_traces(store, project.id, [other, new]).other == (other,)
    found = add_traces(store, project.id, [other, new])
    assert (found.new, found.other) == ((new,), (other,))
    assert load_trace(store, project.id, "t1") == first
    assert count_traces(store, project.id) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"draft": "another"}, {"feedback": "x"}, {"gold": None}, {"score": Fraction(7, 2)},
        {"usd": 0.5}, {"reused": True}, {"extra": {"k": 1}},
    ],
)  # fmt: skip
def test_any_difference_in_a_round_is_another_trace(
    store: Store, project: Project, change: dict[str, object]
) -> None:
    made = run("d0", "d2")
    add_traces(store, project.id, [made])
    changed = replace(made, rounds=(replace(made.rounds[0], **change), *made.rounds[1:]))  # type: ignore[arg-type]
    assert compare_traces(store, project.id, [changed]).other == (changed,)


def test_writing_raises_the_revision(store: Store, project: Project) -> None:
    before = store.revision(project.id)
    add_traces(store, project.id, [run("d2")])
    assert store.revision(project.id) == before + 1


def test_one_trace_that_cannot_be_stored_leaves_none(store: Store, project: Project) -> None:
    good = run("d2")
    huge = run("d2", trace_id="t2")
    huge = replace(huge, rounds=(replace(huge.rounds[0], tokens_in=MOST + 1),))
    with pytest.raises(InputError, match=r"trace 't2', round 1, tokens_in"):
        add_traces(store, project.id, [good, huge])
    assert count_traces(store, project.id) == 0
    with pytest.raises(InputError, match="given twice"):
        add_traces(store, project.id, [good, good])


def test_a_failure_in_the_middle_of_storing_leaves_none(store: Store, project: Project) -> None:
    """Two rounds with one number break the second trace after the first was written."""
    good, broken = run("d2"), run("d2", trace_id="t2")
    broken = replace(broken, rounds=(broken.rounds[0], replace(broken.rounds[0], draft="x")))
    with pytest.raises(sa.exc.IntegrityError):
        add_traces(store, project.id, [good, broken])
    assert count_traces(store, project.id) == 0
    assert store.revision(project.id) == 0


def test_traces_belong_to_their_project(store: Store, project: Project) -> None:
    other = store.create_project("Other")
    add_traces(store, project.id, [run("d2")])
    add_traces(store, other.id, [run("d0", "d2")])
    assert count_traces(store, project.id) == count_traces(store, other.id) == 1
    mine = load_trace(store, project.id, "t1")
    assert mine is not None and len(mine.rounds) == 1
    store.delete_project(project.id)
    assert count_traces(store, other.id) == 1
    with store.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(t.round_)) == 2


def test_arms_of_a_sample(store: Store, project: Project) -> None:
    made = [
        run("d2", trace_id="r", arm=Arm.RETRY), run("d2", trace_id="l"),
        run("d2", trace_id="x", sample="8"),
    ]  # fmt: skip
    add_traces(store, project.id, made)
    assert arms_of_sample(store, project.id, "007", "1") == [(Arm.LOOP, "l"), (Arm.RETRY, "r")]
    assert arms_of_sample(store, project.id, "007", "2") == []


def test_reading_summaries_reads_no_draft(store: Store, project: Project) -> None:
    """The rounds can be gone: ten thousand traces are counted without opening one of them."""
    made = [run("d0", "d2")]
    add_traces(store, project.id, made)
    told: list[float] = []
    assert (work_out(store, project.id, told.append), told) == (1, [1.0])
    assert work_out(store, project.id) == 0
    with store.write() as c:
        c.execute(t.round_.delete())
    assert load_summaries(store, project.id) == [summarise(made[0])]


def by_hash(of: Contract, word: str) -> Trace:
    """Exit PASS, c2 has this verdict, and the contract is named by its hash."""
    made = run("d0", "d2")
    last = made.rounds[1]
    assert last.judgement is not None
    said = {**last.judgement.verdicts, "c2": CriterionVerdict(Verdict(word), "no", "mend it")}
    last = replace(last, judgement=replace(last.judgement, verdicts=said), score=Fraction(1))
    rounds = (made.rounds[0], last)
    return replace(made, contract=of.content_hash, stop=StopRule(cap=2, window=2), rounds=rounds)


@pytest.mark.parametrize("word", ["FAIL", "UNKNOWN"])
@pytest.mark.parametrize("first", ["contract", "traces"])
def test_a_trace_that_names_a_held_contract_is_decided_by_it(
    store: Store, project: Project, word: str, first: str
) -> None:
    """Whichever comes first; the stored trace stays as it came."""
    every = written_out(contract("c1", "c2", cap=2, window=2))
    half = written_out(contract("c1", "c2", cap=2, window=2, rule="threshold", minimum=1))
    made = [
        by_hash(every, word),
        replace(by_hash(half, word), trace_id="t2"),
        replace(by_hash(contract("c9"), word), trace_id="t3"),
    ]
    steps = [
        lambda: save_version(store, project.id, every),
        lambda: save_version(store, project.id, half, based_on=1),
        lambda: add_traces(store, project.id, made),
    ]
    for step in steps if first == "contract" else [steps[2], *steps[:2]]:
        step()
    assert [s.accepted for s in load_summaries(store, project.id)] == [False, True, None]
    assert [load_trace(store, project.id, t.trace_id) for t in made] == made
    held = held_contracts(store, project.id)
    assert [replay(by_held_contract(t, held)).accepted for t in made] == [False, True, None]
    assert compare_traces(store, project.id, made).present == 3


def test_a_criterion_the_held_contract_does_not_have_leaves_no_round_unscored(
    store: Store, project: Project
) -> None:
    """Read without it, every other round seems to lack a verdict on the one that is extra."""
    of = written_out(OF)
    data = trace_to_data(replace(run("d0", "d2"), contract=of.content_hash, stop=OF.stop))
    data["rounds"][0]["verdicts"]["ghost"] = {"evidence": "", "verdict": "PASS", "change": ""}
    [made] = parse_traces(json.dumps(data).encode(), "x").traces
    assert summarise(made).accepted is False
    save_version(store, project.id, of)
    add_traces(store, project.id, [made])
    assert load_summaries(store, project.id)[0].accepted is True


def test_the_sample_is_stored_whole(store: Store, project: Project) -> None:
    path = SAMPLES["code_with_tests"].traces
    assert path is not None
    traces = read_traces(Path(path)).traces
    assert len(add_traces(store, project.id, traces).new) == 60
    assert write_traces(each_trace(store, project.id)) == write_traces(traces)


def test_a_file_gives_equal_traces_after_store_and_file(store: Store, project: Project) -> None:
    """A number written as 2 and one written as 2.0 are one trace."""
    line = {"trace_id": "a", "arm": "loop", "sample_id": "s", "rounds": [], "stop": {"cap": 2}}
    rounds = [{"round": 1, "draft": "x", "score": 1, "seconds": 2}]
    [made] = parse_traces(json.dumps({**line, "rounds": rounds}).encode(), "x").traces
    add_traces(store, project.id, [made])
    loaded = load_trace(store, project.id, "a")
    assert loaded == made
    assert loaded is not None
    assert compare_traces(store, project.id, [loaded]).other == ()


values = st.text(max_size=8)
numbers = st.none() | st.integers(0, MOST)
shares = st.none() | st.floats(0, 1e6, allow_nan=False)


@st.composite
def rounds(draw: st.DrawFn, number: int) -> Round:
    verdict = st.builds(CriterionVerdict, st.sampled_from(Verdict), values, values)
    judgement = st.builds(
        Judgement, st.dictionaries(values, verdict, max_size=3),
        st.none() | st.sampled_from(Unscored), values, values, st.none() | values,
    )  # fmt: skip
    return Round(
        number, draw(st.none() | values), draw(st.none() | values), draw(st.none() | judgement),
        draw(st.none() | st.fractions()), draw(values), draw(st.integers(0, 9)),
        draw(st.integers(0, 9)), draw(st.booleans()), draw(numbers), draw(numbers), draw(numbers),
        draw(shares), draw(shares), draw(st.none() | st.sampled_from(LabelValue)), draw(values),
        draw(st.dictionaries(values, st.sampled_from(CheckedBy), max_size=2)),
        draw(st.dictionaries(values, st.integers() | values, max_size=2)),
    )  # fmt: skip


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    which = draw(st.lists(st.integers(0, 5), unique=True, max_size=3).map(sorted))
    return Trace(
        draw(values), draw(st.sampled_from(Arm)), draw(values), draw(values), draw(values),
        draw(st.none() | values | st.just(OF)), draw(st.none() | st.just(OF.stop)),
        tuple(draw(rounds(n)) for n in which), draw(st.none() | st.sampled_from(Exit)),
        draw(st.none() | st.integers(0, 5)), draw(st.dictionaries(values, values, max_size=2)),
    )  # fmt: skip


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(url=f"sqlite:///{tmp_path_factory.mktemp('traces') / 'bench.sqlite'}")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=traces())
def test_any_trace_comes_back_exactly(one_store: Store, made: Trace) -> None:
    project = one_store.create_project(f"P{len(one_store.projects())}")
    add_traces(one_store, project.id, [made])
    loaded = load_trace(one_store, project.id, made.trace_id)
    assert loaded == made
    assert load_summaries(one_store, project.id) == [summarise(made)]
    assert compare_traces(one_store, project.id, [made]).present == 1
