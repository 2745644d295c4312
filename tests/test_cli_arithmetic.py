"""The commands `attempts` and `calc`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import run
from tests.reference import reference

# tau-bench, airline domain, gpt-4o, 50 tasks of 4 trials: how many tasks had 0 … 4 good trials
# (sierra-research/tau-bench, historical_trajectories/gpt-4o-airline.json).
AIRLINE = {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(text: str) -> str:
    Path("draws.csv").write_text(text, encoding="utf-8")
    return "draws.csv"


def table(good_of: list[tuple[int, int]], words: tuple[str, str] = ("1", "0")) -> str:
    """A file with one row a draw: for each task how many of how many draws passed."""
    rows = [
        f"{number},{words[0] if draw < good else words[1]}"
        for number, (good, draws) in enumerate(good_of)
        for draw in range(draws)
    ]
    return put("\n".join(["task,passed", *rows]))


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run a command that succeeds and return the one JSON document on stdout."""
    assert run([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that is refused and return its one line; stdout stays empty."""
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def attempts(capsys: pytest.CaptureFixture[str], file: str, *more: str) -> dict[str, Any]:
    return answer(capsys, "attempts", file, "--task", "task", "--passed", "passed", *more)


def test_measured_draws_of_a_published_benchmark(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = table([(good, 4) for good, tasks in AIRLINE.items() for _ in range(tasks)])
    found = attempts(capsys, file)
    assert list(found) == [
        "tasks", "pass_at", "pass_hat", "naive_pass_at", "fresh_rate", "fresh_share", "correlation",
    ]  # fmt: skip
    assert found["tasks"] == 50
    ks = ["1", "2", "3", "4"]
    assert [found["pass_at"][k] for k in ks] == pytest.approx(
        [0.42, 0.566667, 0.66, 0.72], abs=1e-6
    )
    assert [found["pass_hat"][k] for k in ks] == pytest.approx(
        [0.42, 0.273333, 0.22, 0.2], abs=1e-6
    )
    assert found["naive_pass_at"]["4"] == pytest.approx(0.886835, abs=1e-6)
    assert [found["fresh_share"][k]["value"] for k in ks[1:]] == pytest.approx(
        [0.252874, 0.413793, 0.517241], abs=1e-6
    )
    assert found["fresh_rate"] == found["fresh_share"]["2"]
    assert found["fresh_rate"]["k"] is None


def test_at_least_one_and_all_are_not_mixed_up(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """4 of 6 draws good: 1 − C(2,2)/C(6,2) = 14/15, C(4,2)/C(6,2) = 6/15, plug-in 1 − (1/3)²."""
    found = attempts(capsys, table([(4, 6)]), "--k", "2")
    assert found["pass_at"] == pytest.approx({"2": 14 / 15})
    assert found["pass_hat"] == pytest.approx({"2": 6 / 15})
    assert found["naive_pass_at"] == pytest.approx({"2": 8 / 9})
    assert run(["attempts", "draws.csv", "--task", "task", "--passed", "passed", "--k", "2"]) == 0
    text = capsys.readouterr().out
    assert "at least one" in text
    assert "all k" in text
    assert "without replacement" in text


def test_draws_that_are_nearly_the_same_are_no_retry_arm(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same 397 programs drawn twice: alike on 391 (noahshinn/reflexion, MBPP, two runs)."""
    draws = [(2, 2)] * 316 + [(1, 2)] * 6 + [(0, 2)] * 75
    assert run(["attempts", table(draws), "--task", "task", "--passed", "passed"]) == 0
    out, err = capsys.readouterr()
    assert "These draws are near-greedy" in err
    assert "3.8 %" in out.replace("\u00a0", " ")
    run(["attempts", table([(1, 2)] * 20 + [(2, 2)] * 5), "--task", "task", "--passed", "passed"])
    assert "near-greedy" not in capsys.readouterr().err


def test_one_lucky_draw_does_not_solve_a_task(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 of 50 and 0 of 50: (0.02 + 0)/2, and more draws are worth more."""
    found = attempts(capsys, table([(1, 50), (0, 50)]), "--k", "1", "--k", "10")
    assert found["pass_at"] == pytest.approx({"1": 0.01, "10": 0.1})


@pytest.mark.parametrize(
    "words", [("1", "0"), ("1.0", "0.0"), ("true", "FALSE"), ("pass", "fail"), ("Yes", "no")]
)
def test_words_that_can_only_mean_passed(
    words: tuple[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert attempts(capsys, table([(1, 2), (0, 2)], words))["pass_at"]["1"] == pytest.approx(0.25)


def test_other_words_are_named_or_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = put("task,passed\na,0.5\na,ok\nb,ok\nb,ok\n")
    base = ("attempts", file, "--task", "task", "--passed", "passed")
    err = refusal(capsys, *base)
    assert "line 2" in err
    assert "'0.5'" in err
    assert answer(capsys, *base, "--pass", "ok")["pass_at"]["1"] == pytest.approx(0.75)
    assert "'0.5'" in refusal(capsys, *base, "--pass", "ok", "--fail", "no")
    with_fail = answer(capsys, *base, "--pass", "ok", "--fail", "0.5")
    assert with_fail["pass_at"]["1"] == pytest.approx(0.75)


def test_zero_can_mean_passed_when_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = attempts(capsys, table([(1, 4)]), "--pass", "0", "--fail", "1")
    assert found["pass_at"]["1"] == pytest.approx(0.75)


def test_draws_without_a_verdict_are_in_no_number(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """a: 1 of 2; b: 1 of 1, so k stops at 1; c has no draw left. UNKNOWN is not passed."""
    file = put("task,passed\na,1\na,0\na,\nb,1\nb,error\nc,n/a\n")
    assert run(["attempts", file, "--task", "task", "--passed", "passed", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["tasks"], found["pass_at"]) == (2, {"1": 0.75})
    assert "'blank' is no verdict" in err
    assert "left out 1 task without any verdict" in err
    unknown = put("task,passed\na,1\na,unknown\n")
    assert attempts(capsys, unknown)["pass_at"]["1"] == 0.5


def test_more_draws_than_there_are_is_undefined_not_a_number(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = attempts(capsys, table([(1, 2), (2, 3)]), "--k", "3")
    assert found["pass_at"] == {"3": None}
    assert "needs 3 draws" in found["fresh_share"]["3"]["undefined"]


def test_the_reason_for_an_undefined_number_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Plain numbers have no room for it: stderr has, and under the table there is room too."""
    file = table([(1, 4), (2, 4)])
    reason = "k = 5 needs 5 draws of every task; 2 of 2 tasks have fewer"
    options = ["attempts", file, "--task", "task", "--passed", "passed", "--k", "5"]
    assert run([*options, "--json"]) == 0
    assert capsys.readouterr().err == f"{file}: pass@5 and pass^5 are undefined: {reason}.\n"
    assert run(options) == 0
    assert f"Undefined: {reason}." in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("k", ["0", "-1", "1.5", "two"])
def test_k_is_a_whole_number_from_1(
    k: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = table([(1, 2)])
    err = refusal(capsys, "attempts", file, "--task", "task", "--passed", "passed", "--k", k)
    assert f"'{k}'" in err


def test_ids_are_text_and_blank_ids_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert attempts(capsys, put("task,passed\n007,1\n7,0\n"))["tasks"] == 2
    file = put("task,passed\n007,1\n,0\n")
    assert "line 3, column task" in refusal(
        capsys, "attempts", file, "--task", "task", "--passed", "passed"
    )
    assert "named twice" in refusal(capsys, "attempts", file, "--task", "task", "--passed", "task")
    empty = put("task,passed\na,\n")
    assert "no row has a verdict" in refusal(
        capsys, "attempts", empty, "--task", "task", "--passed", "passed"
    )


# --- calc -------------------------------------------------------------------------------------

ARM = [
    "accepted", "accepted_good", "precision", "rounds", "calls", "calls_per_accepted",
    "calls_per_good", "sent_back_good_share",
]  # fmt: skip


def calc(capsys: pytest.CaptureFixture[str], line: str) -> dict[str, Any]:
    return answer(capsys, "calc", *line.split())


def test_loop_beside_retries(capsys: pytest.CaptureFixture[str]) -> None:
    found = calc(capsys, "--p 0.4 --r 0.5 --cap 3")
    assert list(found) == [*ARM, "retry", "pass_at_k", "pass_hat_k", "break_even_r"]
    assert list(found["retry"]) == ARM
    assert found["accepted"] == pytest.approx(reference("a.loop_accept_r0.5").expected)
    assert found["retry"]["accepted"] == pytest.approx(reference("a.pass_at_3").expected)
    assert found["calls"] == found["rounds"] == pytest.approx(1.9)
    assert found["break_even_r"] == pytest.approx(0.4)


def test_a_critic_doubles_the_calls_and_may_err(capsys: pytest.CaptureFixture[str]) -> None:
    sound = calc(capsys, "--p 0.4 --r 0.5 --cap 3 --critic")
    assert sound["calls_per_accepted"] == pytest.approx(
        reference("a.calls_per_accepted_critic").expected
    )
    errs = calc(capsys, "--p 0.6 --r 0.5 --cap 3 --critic --far 0.3 --frr 0.1 --damage 0.2")
    expected = reference("b.multi_round_base").expected
    assert errs["accepted_good"] == pytest.approx(expected["accepted_good"])
    assert errs["precision"] == pytest.approx(expected["precision"])


def test_repair_rates_may_be_one_per_revision(capsys: pytest.CaptureFixture[str]) -> None:
    """1 − 0.6·0.5·0.6 = 0.82, after one flag or two."""
    assert calc(capsys, "--p .4 --r .5 .4 --cap 3")["accepted"] == pytest.approx(0.82)
    assert calc(capsys, "--p .4 --r .5 --r .4 --cap 3")["accepted"] == pytest.approx(0.82)
    assert "for 3 revisions" in refusal(
        capsys, *["calc", "--p", ".4", "--r", ".5", ".4", "--cap", "4"]
    )


@pytest.mark.parametrize(
    ("line", "flag", "follows"),
    [
        ("calc --p .4 --r --cap 3", "--r", "--cap"),
        ("calc --p .4 --r --cap=3", "--r", "--cap=3"),
        ("calc --p --r .5 --cap 3", "--p", "--r"),
        ("attempts d.csv --task --passed passed", "--task", "--passed"),
        ("raters d.csv --raters --json", "--raters", "--json"),
        ("agreement d.csv --gold --judge j", "--gold", "--judge"),
        ("replay t.jsonl --cap --json", "--cap", "--json"),
        ("check c.yaml o.csv --separator --json", "--separator", "--json"),
    ],
)
def test_an_option_without_its_value_is_named(
    line: str, flag: str, follows: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the option that the parser then took for the value."""
    said = f"{flag}: its value is missing; {follows} follows. Give one.\n"
    assert refusal(capsys, *line.split()) == said


def test_a_value_that_looks_like_an_option_is_given_with_an_equals_sign(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put("--cap,passed\na,1\na,0\n")
    found = answer(capsys, "attempts", file, "--task=--cap", "--passed", "passed")
    assert found["tasks"] == 1


@pytest.mark.parametrize(
    ("line", "even"),
    [
        ("--p 1 --r .5 --cap 3", "every rate: the loop equals retries whatever r is, for no draft is bad"),
        ("--p .4 --r .5 --cap 1", "every rate: the loop equals retries whatever r is, for nothing is revised"),
        ("--p 0 --r .5 --cap 3", "0.0 %: no fresh draw is good, so any rate above it puts the loop ahead"),
        ("--p .9 --r .5 --cap 2 --critic --frr .9 --damage 1", "none: no single repair rate makes the loop equal retries"),
        ("--p .4 --r .5 --cap 3", "40.0 %"),
    ],
)  # fmt: skip
def test_the_break_even_in_words(line: str, even: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calc", *line.split()]) == 0
    out = capsys.readouterr().out.replace("\u00a0", " ")
    assert f"Break-even repair rate: {even}" in out.splitlines()
    assert run(["calc", *line.split(), "--json"]) == 0
    out, err = capsys.readouterr()
    if json.loads(out)["break_even_r"] is None:
        assert f"break_even_r is {even}.\n" in err


def test_one_is_no_percent(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calc", "--p", "1", "--r", ".5", "--cap", "3"]) == 0
    said = capsys.readouterr().err.replace("\u00a0", " ")
    assert said == "--p: 1 read as 100 %; type 1 % for one percent.\n"


@pytest.mark.parametrize("typed", ["0.4", "40", "40%", "40.0"])
def test_a_percentage_is_understood_and_said(
    typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["calc", "--p", typed, "--r", "50 %", "--cap", "3", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["accepted"] == pytest.approx(0.85)
    assert json.loads(out)["pass_at_k"] == pytest.approx(0.784)
    assert err == (f"--p: {typed} read as {typed}\u00a0%.\n" if typed in ("40", "40.0") else "")


@pytest.mark.parametrize("p", ["0", "1"])
def test_the_ends_of_the_range_are_shares(p: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = calc(capsys, f"--p {p} --r 0 --cap 3")
    assert found["accepted"] == float(p)
    assert found["calls_per_accepted"] == (1 if p == "1" else None)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("--p -0.1 --r .5 --cap 3", "--p: '-0.1'"),
        ("--p 150 --r .5 --cap 3", "--p: '150'"),
        ("--p 101% --r .5 --cap 3", "--p: '101%'"),
        ("--p= --r .5 --cap 3", "--p: it is empty."),
        ("--p .4 --r .5 --cap=", "--cap: it is empty."),
        ("--p nan --r .5 --cap 3", "--p: 'nan'"),
        ("--p 0,4 --r .5 --cap 3", "--p: '0,4'"),
        ("--p .4 --r -1 --cap 3", "--r: '-1'"),
        ("--p .4 --r .5 --cap 0", "--cap: '0'"),
        ("--p .4 --r .5 --cap -1", "--cap: '-1'"),
        ("--p .4 --r .5 --cap 1.5", "--cap: '1.5'"),
        ("--p .4 --r .5 --cap 3 --far .1", "far: it is an error of a critic"),
        ("--p .4 --r .5 --cap 3 --frr .1", "frr: it is an error of a critic"),
        ("--p .4 --r .5 --cap 3 --rho x", "--rho: 'x'"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    line: str, names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert names in refusal(capsys, "calc", *line.split())


def test_text_says_which_arm_is_ahead(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calc", "--p", ".4", "--r", ".3", "--cap", "3"]) == 0
    first = capsys.readouterr().out.splitlines()[0].replace("\u00a0", " ")
    assert first == (
        "Three rounds with feedback accept 70.6 %; three tries accept 78.4 %: "
        "retries are ahead by 7.8 points."
    )
