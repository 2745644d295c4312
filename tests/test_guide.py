"""The guide says what is so: its commands run, its files are what its script writes."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from core.cli import run
from guide.make_files import FILES, main

GUIDE = FILES.parent
COMMAND_LINE = (GUIDE / "command_line.md").read_text(encoding="utf-8")
README = (GUIDE.parent / "README.md").read_text(encoding="utf-8")
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
        p.name: p.read_bytes() for p in FILES.iterdir()
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
        words, _, remark = line.partition("  # ends with ")
        arguments = shlex.split(words.split(" > ")[0], comments=True)[1:]
        assert run(arguments) == int(remark or 0), line
        said = capsys.readouterr()
        assert said.out.strip(), line
        assert "Traceback" not in said.err, line


def test_every_command_is_in_the_guide() -> None:
    from core.cli import app

    names = {command.name or command.callback.__name__ for command in app.registered_commands}  # type: ignore[union-attr]
    assert {line.split()[1] for line in commands(COMMAND_LINE)} == names
