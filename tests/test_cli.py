from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import core.cli
from core.cli import run

ROOT = Path(__file__).parents[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVALUATOR_BENCH_DEBUG", raising=False)
    return tmp_path


def put(name: str, text: str, encoding: str = "utf-8") -> str:
    Path(name).write_bytes(text.encode(encoding))
    return name


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run a command that succeeds and return the one JSON document on stdout."""
    assert run(arguments) == 0
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


PEOPLE = "gold,judge\n" + "P,P\nP,F\nF,F\nF,F\nP,?\nF,P\nP,P\nF,?\n"


def test_agreement_leaves_pairs_without_a_verdict_out_of_everything(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six pairs with two verdicts: 4 of 6 agree, kappa (4/6 - 1/2)/(1/2) = 1/3."""
    file = put("a.csv", PEOPLE)
    found = answer(
        capsys, "agreement", file, "--gold", "gold", "--judge", "judge", "--pass", "P", "--json"
    )
    assert list(found) == [
        "n", "left_out", "counts", "unknown", "false_accept_rate", "false_reject_rate",
        "precision", "accuracy", "kappa", "ac1",
    ]  # fmt: skip
    assert found["n"] == 6
    assert found["left_out"] == {"unlabelled": 0, "unscored": 2}
    assert found["counts"] == {
        "true_accept": 2, "false_accept": 1, "false_reject": 1, "true_reject": 2,
    }  # fmt: skip
    assert found["kappa"]["value"] == pytest.approx(1 / 3)
    assert (found["kappa"]["k"], found["kappa"]["n"]) == (None, 6)


def test_agreement_in_words_shows_counts_with_every_rate(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put("a.csv", PEOPLE)
    assert run(["agreement", file, "--gold", "gold", "--judge", "judge", "--pass", "P"]) == 0
    out, err = capsys.readouterr()
    assert "6 pairs with a label and a verdict; left out: 0 unlabelled, 2 unscored." in out
    assert "False-accept rate   1 of 3" in out
    assert err == "PASS is p; FAIL is any other word.\n"


def test_nothing_bad_is_no_rate_but_a_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put("a.csv", "gold,judge\npass,pass\n")
    found = answer(capsys, "agreement", file, "--gold", "gold", "--judge", "judge", "--json")
    rate = found["false_accept_rate"]
    assert rate == {"undefined": "not measured: no bad outputs labelled", "k": 0, "n": 0}


def test_agreement_by_criterion_with_a_contract(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put(
        "a.csv",
        "id,criterion,gold,judge\n1,a,pass,pass\n1,b,fail,pass\n2,a,pass,pass\n2,b,pass,pass\n",
    )
    contract = put("c.yaml", "criteria:\n  - key: b\n  - key: a\n")
    found = answer(
        capsys, "agreement", file, "--gold", "gold", "--judge", "judge", "--id", "id",
        "--criterion", "criterion", "--contract", contract, "--json",
    )  # fmt: skip
    assert list(found["by_criterion"]) == ["b", "a"]
    assert found["by_criterion"]["b"]["counts"]["false_accept"] == 1
    assert (found["n"], found["counts"]["false_accept"], found["counts"]["true_accept"]) == (
        2,
        1,
        1,
    )


def test_clusters_widen_the_interval(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"d{i // 10},fail,{'pass' if i < 20 else 'fail'}\n" for i in range(60))
    file = put("a.csv", "doc,gold,judge\n" + rows)
    command = ["agreement", file, "--gold", "gold", "--judge", "judge", "--json"]
    plain = answer(capsys, *command)["false_accept_rate"]
    clustered = answer(capsys, *command, "--cluster", "doc")["false_accept_rate"]
    assert (plain["k"], plain["n"]) == (clustered["k"], clustered["n"]) == (20, 60)
    assert clustered["high"] - clustered["low"] > 1.5 * (plain["high"] - plain["low"])
    assert run([*command[:-1], "--cluster", "doc"]) == 0
    assert "60 outputs come from 6 samples: intervals allow for it." in capsys.readouterr().out
    named = put("b.csv", "sample,gold,judge\n" + rows)
    command[1] = named
    assert answer(capsys, *command)["false_accept_rate"] == clustered
    assert answer(capsys, *command, "--cluster", "")["false_accept_rate"] == plain
    between = ["raters", named, "--raters", "gold", "judge", "--json"]
    wide, narrow = (answer(capsys, *between, *more)["alpha"] for more in ((), ("--cluster", "")))
    assert wide["value"] == narrow["value"]
    assert wide["high"] - wide["low"] > 1.5 * (narrow["high"] - narrow["low"])


@pytest.mark.parametrize(
    "flags", [["--raters", "a", "b", "c"], ["--raters", "a", "--raters", "b", "--raters=c"]]
)
def test_raters_take_several_values_or_several_flags(
    folder: Path, capsys: pytest.CaptureFixture[str], flags: list[str]
) -> None:
    """Raters a and b agree on 2 of 3 with chance 4/9, so kappa is (2/3 - 4/9)/(5/9) = 2/5."""
    file = put("r.csv", "a,b,c\n1,1,1\n2,2,\n1,2,1\n")
    found = answer(capsys, "raters", file, *flags, "--json")
    assert list(found) == ["n", "pairwise", "alpha", "ac1"]
    assert [(p["a"], p["b"], p["n"]) for p in found["pairwise"]] == [
        ("a", "b", 3), ("a", "c", 2), ("b", "c", 2),
    ]  # fmt: skip
    assert found["pairwise"][0]["agreement"] == pytest.approx(2 / 3)
    assert found["pairwise"][0]["kappa"] == pytest.approx(0.4)


def test_an_item_with_one_rating_is_no_agreement(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put("r.csv", "ana,ben\nP,F\nP,\n,F\nF,F\n")
    found = answer(capsys, "raters", file, "--raters", "ana", "ben", "--json")
    assert (found["n"], found["pairwise"][0]["agreement"]) == (2, 0.5)


AGREE = ["agreement", "a.csv", "--gold", "gold", "--judge", "judge"]

# --- unusable input --------------------------------------------------------------------------


def test_an_encoding_is_asked_and_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = put("a.csv", "gold,judge,note\npass,pass,schön\n", "cp1252")
    command = ["agreement", file, "--gold", "gold", "--judge", "judge", "--json"]
    assert "--encoding cp1252" in refusal(capsys, *command)
    assert answer(capsys, *command, "--encoding", "cp1252")["n"] == 1


def test_a_separator_is_asked_and_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = put("a.csv", "gold;judge,x\npass;fail,1\n")
    command = ["agreement", file, "--gold", "gold", "--judge", "judge,x", "--json"]
    assert "--separator" in refusal(capsys, *command)
    assert answer(capsys, *command, "--separator", ";", "--pass", "pass")["n"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["agreement", "none.csv", "--gold", "a", "--judge", "b"], "there is no such file"),
        (["agreement", "a.csv", "--gold", "gould", "--judge", "judge"], "Did you mean 'gold'"),
        (AGREE, "may mean PASS or FAIL"),
        (["agreement", "a.csv", "--gold", "gold"], "Missing option '--judge'"),
        (["agreement"], "Missing argument"),
        (["raters", "a.csv", "--raters"], "requires an argument"),
        (["raters", "a.csv", "--raters", "gold"], "two or more different columns"),
        (["agreements"], "No such command"),
        ([*AGREE, "--pass", "1", "--fail", "1.0"], "both PASS and FAIL"),
        ([*AGREE, "--pass", "1", "--fail", "0"], "line 3, column judge: '7'"),
        (["lint", "a.csv"], "a.csv"),
        (["check", "c.yaml", "a.csv"], "c.yaml"),
    ],
)  # fmt: skip
def test_unusable_input_is_one_line_and_two(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    put("a.csv", "gold,judge\n1,0\n0,7\n")
    assert said in refusal(capsys, *arguments)


def test_broken_lines_are_named_and_the_rest_is_measured(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put("a.csv", 'gold,judge\npass,pass\n"fail,pass\nfail,fail\n')
    assert run(["agreement", file, "--gold", "gold", "--judge", "judge", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["n"] == 2
    assert "a.csv, line 3: a quote is opened and never closed." in err


def test_an_unforeseen_error_is_one_line_and_a_hint(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(core.cli, "app", broken)
    said = refusal(capsys, "agreement")
    assert said.startswith("unexpected RuntimeError: first second (EVALUATOR_BENCH_DEBUG=1")
    monkeypatch.setenv("EVALUATOR_BENCH_DEBUG", "1")
    with pytest.raises(RuntimeError):
        run(["agreement"])


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "agreement" in capsys.readouterr().out


# --- as a process ----------------------------------------------------------------------------


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "core", *arguments], env=env, capture_output=True, **options
    )


def test_help_is_quick_because_nothing_heavy_is_imported(folder: Path) -> None:
    started = time.perf_counter()
    done = process("--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert time.perf_counter() - started < 2  # a tenth of a second on an idle core
    heavy = (
        "import sys, core.cli;"
        "print([m for m in ('numpy', 'pandas', 'scipy', 'pydantic', 'rich') if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", heavy], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"


def test_model_text_reaches_stdout_as_json_in_any_locale(folder: Path) -> None:
    file = put("a.csv", "id,criterion,gold,judge\n1,größe 東京,pass,pass\n")
    done = process(
        "agreement", file, "--gold", "gold", "--judge", "judge", "--id", "id", "--criterion",
        "criterion", "--json", cwd=folder,
    )  # fmt: skip
    assert list(json.loads(done.stdout)["by_criterion"]) == ["größe 東京"]


def test_a_reader_that_stops_early_is_no_error(folder: Path) -> None:
    rows = "".join(f"{i},c{i},pass,pass\n" for i in range(300))
    file = put("a.csv", "id,criterion,gold,judge\n" + rows)
    command = [
        sys.executable, "-m", "core", "agreement", file, "--gold", "gold", "--judge", "judge",
        "--id", "id", "--criterion", "criterion", "--json",
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.close()
        err = child.stderr.read()
    assert child.returncode == 0
    assert b"Traceback" not in err and b"Exception" not in err
