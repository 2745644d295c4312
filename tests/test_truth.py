"""Truth-level rates from gold on drafts, and drafts from recorded traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.files.traces import read_traces
from core.loop.measured import drafts_of
from core.loop.summary import compare_arms, summarise
from core.statistics.arms import LOOP, RETRY, ArmName, Draft, measure, traces
from core.statistics.decision import Decision
from core.statistics.interval import ClusteredEstimate, Estimate, Undefined
from core.statistics.truth import Truth, truth
from core.statistics.uncertainty import Case, Input

SAMPLES = Path(__file__).parents[1] / "sample_data"
VERDICT = {"P": True, "F": False, "?": None}


def of(*rows: tuple[str, str], arm: ArmName = LOOP) -> Truth:
    """Return the rates of traces given as (check, gold), one letter per round."""
    return truth(
        traces(
            Draft(f"t{i}", arm, n, VERDICT[p], VERDICT[g])
            for i, row in enumerate(rows)
            for n, (p, g) in enumerate(zip(*row, strict=True), 1)
        ).values()
    )


ROWS = [
    ("P", "P"),
    ("P", "F"),
    ("FP", "FP"),
    ("FFP", "PFP"),
    ("FFF", "FFF"),
    ("FF", "F?"),
    ("FF", "PP"),
]


def test_every_rate_by_hand() -> None:
    found = of(*ROWS)
    counts = {
        "p": found.p, "damage": found.damage, "far": found.passes_bad, "frr": found.rejects_good
    }  # fmt: skip
    assert {name: (r.k, r.n) for name, r in counts.items()} == {
        "p": (3, 7),
        "damage": (1, 2),  # t3 spoilt, t6 left good
        "far": (1, 7),  # t1 passed; t2, t3, t4 three times and t5 rejected
        "frr": (3, 6),  # t3 and t6 twice rejected; t0, t2 and t3's last passed
    }
    # round 2: t2 turned, t4 not, t5 has no label after; round 3: t3 turned, t4 not
    assert {n: (r.k, r.n) for n, r in found.repair.items()} == {2: (1, 2), 3: (1, 2)}
    assert isinstance(found.passes_bad, ClusteredEstimate)


def test_retries_say_nothing_of_repair() -> None:
    found = of(*ROWS, arm=RETRY)
    assert isinstance(found.p, Undefined)
    assert found.repair == {}


def test_without_gold_nothing_is_at_truth_level() -> None:
    found = of(("FP", "??"), ("P", "?"))
    assert all(isinstance(r, Undefined) for r in (found.p, found.damage, found.passes_bad))
    case = found.case(2)
    assert isinstance(case, Undefined)
    assert "no labelled first draft (first drafts)" in case.reason


def test_a_round_never_reached_is_not_made_up() -> None:
    case = of(*ROWS).case(4)
    assert isinstance(case, Undefined)
    assert case.reason == "not measured: round 4 was never reached"


def test_a_case_carries_counts() -> None:
    case = of(*ROWS * 4).case(3, rho=Input(0.2))
    assert isinstance(case, Case)
    assert case.inputs["p"].value == pytest.approx(3 / 7)
    assert case.inputs["r3"].n == 8
    carried = Decision(case).figure("loop", "accepted_good")
    assert isinstance(carried, Estimate)
    assert carried.low < carried.value < carried.high


@pytest.mark.parametrize("sample", ["invoice_extraction", "code_with_tests"])
def test_recorded_traces_give_the_pairs_of_their_summaries(sample: str) -> None:
    read = read_traces(SAMPLES / sample / "traces.jsonl").traces
    recorded = drafts_of(read)
    summary = compare_arms(summarise(t) for t in read)
    assert summary is not None
    assert (recorded.left_out, recorded.repeated) == (0, 0)
    found = measure(recorded.drafts)
    assert found.paired == summary.accepted
    assert found.loop.calls == sum(r.calls for t in read if t.arm.value == "loop" for r in t.rounds)


def test_the_same_trace_twice_is_left_out() -> None:
    read = read_traces(SAMPLES / "invoice_extraction" / "traces.jsonl").traces[:2]
    recorded = drafts_of([*read, read[0]])
    assert recorded.repeated == 2
    assert {d.arm for d in recorded.drafts} == {read[1].arm.value}
