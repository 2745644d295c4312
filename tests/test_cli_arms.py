"""The command `arms`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import run
from core.files.traces import read_traces
from core.loop.trace import recorded_outcome
from core.statistics.comparison import Paired
from core.statistics.interval import Estimate

SAMPLE = Path(__file__).parents[1] / "sample_data/invoice_extraction/traces.jsonl"
COLUMNS = ["--task", "task", "--arm", "arm", "--round", "round", "--passed", "passed"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(text: str, head: str = "task,arm,round,passed") -> str:
    Path("drafts.csv").write_text(f"{head}\n{text}", encoding="utf-8")
    return "drafts.csv"


def answer(capsys: pytest.CaptureFixture[str], file: str, *more: str) -> tuple[dict[str, Any], str]:
    assert run(["arms", file, *COLUMNS, *more, "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert isinstance(found, dict)
    return found, err


def refusal(capsys: pytest.CaptureFixture[str], file: str, *more: str) -> str:
    assert run(["arms", file, *COLUMNS, *more]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


SMALL = (
    "a,loop,1,1\na,retry,1,1\n"
    "b,loop,1,0\nb,loop,2,1\nb,loop,3,0\nb,retry,1,0\nb,retry,2,0\nb,retry,3,0\n"
    "c,loop,1,0\nc,loop,2,0\nc,retry,1,0\nc,retry,2,1\n"
    "d,loop,1,1\n"
)


def test_a_small_table_by_hand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The draft after b's pass is ignored; d has no retry arm."""
    found, _ = answer(capsys, put(SMALL))
    assert list(found) == [
        "tasks", "unpaired", "p1", "repair_rate", "rescue_share", "fresh_rate", "fresh_share",
        "loop", "retry", "paired", "winner",
    ]  # fmt: skip
    assert (found["tasks"], found["unpaired"], found["winner"]) == (3, 1, None)
    assert (found["p1"]["k"], found["p1"]["n"]) == (1, 3)
    assert {n: (r["k"], r["n"]) for n, r in found["repair_rate"].items()} == {"2": (1, 2)}
    assert found["loop"] == {"accepted": 2, "accepted_good": None, "calls_per_accepted": 2.5}
    assert found["retry"] == {"accepted": 2, "accepted_good": None, "calls_per_accepted": 3.0}
    assert [found["paired"][k] for k in ("both", "loop_only", "retry_only", "neither")] == [
        1,
        1,
        1,
        0,
    ]
    assert (found["fresh_rate"]["k"], found["fresh_rate"]["n"]) == (1, 2)


def test_calls_of_a_critic_and_of_a_column(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, _ = answer(capsys, put(SMALL), "--critic")
    assert found["loop"]["calls_per_accepted"] == 5.0
    rows = "".join(f"{line},{i}\n" for i, line in enumerate(SMALL.splitlines()))
    found, _ = answer(capsys, put(rows, "task,arm,round,passed,calls"), "--calls", "calls")
    # a 0; b 2 and 3; c 8 and 9 in the loop; 1; 5, 6, 7; 10, 11 in retries
    assert found["loop"]["calls_per_accepted"] == 22 / 2
    assert found["retry"]["calls_per_accepted"] == 40 / 2


def test_gold_decides_what_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "a,loop,1,1,1\na,retry,1,1,0\nb,loop,1,1,0\nb,retry,1,1,1\nc,loop,1,1,\nc,retry,1,1,1\n"
    found, err = answer(capsys, put(rows, "task,arm,round,passed,gold"), "--gold", "gold")
    assert found["loop"]["accepted_good"] == 1
    assert [found["paired"][k] for k in ("both", "loop_only", "retry_only", "neither")] == [
        0,
        1,
        1,
        0,
    ]
    assert "1 pair with an accepted draft that has no gold label" in err


def _sample_rows() -> str:
    rows = []
    for trace in read_traces(SAMPLE).traces:
        for i, r in enumerate(trace.rounds):
            outcome = recorded_outcome(trace, i)
            assert outcome is not None
            rows.append(
                f"{trace.sample_id},{trace.arm.value},{r.number},{int(outcome.accepted)},{r.gold or ''}"
            )
    return "\n".join(rows)


def test_the_invoice_sample(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """200 tasks, 140 pass at once; the loop rescues 48 of 60, retries 39; p = .035."""
    file = put(_sample_rows(), "task,arm,round,passed,gold")
    found, _ = answer(capsys, file)
    assert (found["tasks"], found["unpaired"]) == (200, 0)
    assert [(found[k]["k"], found[k]["n"]) for k in ("p1", "rescue_share", "fresh_share")] == [
        (140, 200), (48, 60), (39, 60)
    ]  # fmt: skip
    assert found["paired"]["p_exact"] == pytest.approx(0.03515625)
    pairs = Paired(*(found["paired"][k] for k in ("both", "loop_only", "retry_only", "neither")))
    assert pairs == Paired(176, 12, 3, 9)
    assert isinstance(pairs.difference, Estimate)
    assert found["paired"]["difference"]["low"] == pairs.difference.low > 0
    assert found["winner"] == "loop"
    labelled, _ = answer(capsys, file, "--gold", "gold")
    assert labelled["loop"]["accepted_good"] == 168
    assert run(["arms", file, *COLUMNS]) == 0
    out = capsys.readouterr().out
    assert "The loop accepts more." in out
    assert "exact p = .035" in out


def test_the_text_says_how_many_more_tasks(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"t{i},{arm},1,{int(ok)}"
        for i in range(100)
        for arm, ok in (("loop", i < 77), ("retry", i < 60 or i >= 92))
    ]
    file = put("\n".join(rows))
    assert run(["arms", file, *COLUMNS]) == 0
    out = capsys.readouterr().out
    assert "Cannot tell which is better: about 140 more tasks would." in out


def test_what_is_unscored_unknown_or_repeated_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (
        SMALL + "e,loop,1,error\ne,retry,1,unknown\na,loop,1,1\nf,Loop,1.0,True\nf,RETRIES,1,no\n"
    )
    found, err = answer(capsys, put(rows))
    assert found["tasks"] == 5
    assert (found["p1"]["k"], found["p1"]["n"]) == (2, 4)
    assert "'error' is no verdict, unscored 1 times" in err
    assert "UNKNOWN counts as not passed, 1 times" in err
    assert "1 identical repeat left out" in err


@pytest.mark.parametrize(
    ("rows", "more", "about"),
    [
        ("a,lop,1,1\n", (), "line 2, column arm: 'lop' is no arm. Use loop or retry."),
        ("a,loop,first,1\n", (), "column round: 'first' is no round."),
        (",loop,1,1\n", (), "column task: the cell is blank."),
        ("a,loop,1,maybe\n", (), "column passed: 'maybe' is not one of the words"),
        ("a,loop,1,1\na,loop,1,0\n", (), "lines 2 and 3: round 1 of task 'a' in the loop arm"),
        ("a,loop,1,0\na,loop,3,1\n", (), "task 'a', loop arm: round 2 is missing."),
        ("a,loop,1,1\nb,retry,1,1\n", (), "no task has both arms."),
        ("a,loop,1,1\n", ("--gold", "nothing"), "nothing"),
        ("a,loop,1,1\n", ("--gold", "passed"), "'passed' is named twice."),
        ("a,loop,1,1\n", ("--critic", "--calls", "round"), "Drop one."),
        ("a,loop,1,1\n", ("--calls", "arm"), "'arm' is named twice."),
    ],
)
def test_unusable_input_is_refused_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], rows: str, more: tuple[str, ...], about: str
) -> None:
    assert about in refusal(capsys, put(rows), *more)


def test_calls_that_are_no_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = put("a,loop,1,1,many\n", "task,arm,round,passed,calls")
    assert "'many' is no number of calls" in refusal(capsys, file, "--calls", "calls")


def test_what_independence_hides_or_what_one_draw_cannot_tell(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["arms", put(SMALL), *COLUMNS]) == 0
    assert "Correlation of one task's draws: " in capsys.readouterr().out
    assert run(["arms", put("a,loop,1,1\na,retry,1,1\nb,loop,1,0\nb,retry,1,0\n"), *COLUMNS]) == 0
    assert "One draw per task tells neither the fresh share F nor" in capsys.readouterr().out
