"""The guide says what is so: its commands run, its files are what its script writes."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from core.cli import run
from sample_data.command_line.make import FILES, main

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / ".github" / "guide"
COMMAND_LINE = (GUIDE / "command_line.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAID = ("--model claude",)
"""Commands that would call a model for money: read, not run."""


def commands(text: str) -> list[str]:
    """Return the lines of the shell blocks that call the command line."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    return [
        line for block in blocks for line in block.splitlines() if line.startswith("evaluator-b")
    ]


def test_the_files_are_what_the_script_writes(tmp_path: Path) -> None:
    main(tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {
        p.name: p.read_bytes() for p in FILES.iterdir() if p.suffix not in (".py", "")
    }


@pytest.mark.parametrize("text", [README, COMMAND_LINE], ids=["README", "command line"])
def test_every_command_runs_as_it_stands(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FILES, tmp_path / "files")
    monkeypatch.chdir(tmp_path / "files")
    monkeypatch.delenv("EVALUATOR_BENCH_DEBUG", raising=False)
    found = [line for line in commands(text) if not any(word in line for word in PAID)]
    assert len(found) >= 10
    for line in found:
        remark = re.search(r"# ends with (\d)", line)
        arguments = shlex.split(line.split(" > ")[0], comments=True)[1:]
        assert run(arguments) == (int(remark[1]) if remark else 0), line
        said = capsys.readouterr()
        assert said.out.strip(), line
        assert "Traceback" not in said.err, line


def test_every_command_is_in_the_guide() -> None:
    from core.cli import app

    names = {command.name or command.callback.__name__ for command in app.registered_commands}  # type: ignore[union-attr]
    assert {line.split()[1] for line in commands(COMMAND_LINE)} == names


def test_the_tutorial_has_a_picture_of_each_step_of_the_walk_and_no_other() -> None:
    """The walk is tests/browser/tutorial.py: its steps are the tutorial's, in the same order."""
    from tests.browser.tutorial import PICTURES, STEPS

    text = (GUIDE / "tutorial.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\.png\)", text)
    assert shown == list(STEPS)
    assert sorted(path.stem for path in PICTURES.iterdir()) == sorted(STEPS)
    links = re.findall(r"[^!]\[[^\]]+\]\(([^)#]+)\)", text + README)
    assert [
        link for link in links if not (GUIDE / link).exists() and not (ROOT / link).exists()
    ] == []
