"""What all commands share: their common options, reading tables, and where output goes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from core.errors import InputError

if TYPE_CHECKING:
    from core.contract.contract import Contract
    from core.files.outputs import OutputRow
    from core.files.tables import Problem, Table

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
Workspace = Annotated[
    Path, typer.Option("--workspace", metavar="DIR", help="Folder of the workspace.")
]
WORKSPACE = Path("workspace")
Encoding = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", help="Encoding of the table.")
]
Separator = Annotated[
    str | None, typer.Option("--separator", metavar="C", help="Separator of cells: , ; tab |")
]
Passes = Annotated[
    list[str] | None, typer.Option("--pass", metavar="V", help="A word that means PASS.")
]
Fails = Annotated[
    list[str] | None, typer.Option("--fail", metavar="V", help="A word that means FAIL.")
]
SHOWN = 20
"""Problems listed one by one; the rest are counted."""


def say(line: str) -> None:
    """Write one line for a person to stderr."""
    print(line, file=sys.stderr)


def emit(data: Any, text: Iterable[str], as_json: bool) -> None:
    """Write the result to stdout: one JSON document, or lines of text."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join(text))


def one_line(text: str) -> str:
    """Return model text for a terminal: one line, and no control character reaches it."""
    return "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))


def load(path: Path, encoding: str | None, separator: str | None) -> Table:
    """Return the table in `path`; lines that cannot be used are listed on stderr."""
    from core.files.tables import read_table

    table = read_table(path, str(path), encoding=encoding, separator=separator)
    say_problems(table.name, table.problems)
    return table


def load_contract(path: Path) -> Contract:
    """Return the contract in `path`; raises InputError naming what is wrong with it."""
    from core.files.contracts import read_contract

    return read_contract(path)


def outputs_in(path: Path, encoding: str | None, separator: str | None) -> list[OutputRow]:
    """Return the outputs in a file whose column names are known; says what was left out."""
    from core.errors import InputError
    from core.files.outputs import read_outputs, suggest_mapping
    from core.wording import plural

    table = load(path, encoding, separator)
    mapping = suggest_mapping(table.columns)
    if mapping.sample_id is None:
        table.require("sample_id")
    if mapping.output is None:
        table.require("output")
    found = read_outputs(table, mapping)
    say(f"The id is in column {mapping.sample_id!r}, the output in {mapping.output!r}.")
    say_problems(table.name, found.problems[len(table.problems) :])
    if found.duplicates:
        say(f"{table.name}: {plural(found.duplicates, 'identical repeat')} left out.")
    if found.conflicts:
        raise InputError(
            table.name,
            f"{found.conflicts[0]}.",
            "Number independent draws of one sample in a column named trial.",
        )
    return found.rows


def say_problems(name: str, problems: Sequence[Problem]) -> None:
    """List problems on stderr, the first of them in full."""
    for problem in problems[:SHOWN]:
        say(f"{name}, line {problem.line}: {problem.message}")
    if len(problems) > SHOWN:
        say(f"{name}: {len(problems) - SHOWN:,} more problems like these.")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with their columns under each other."""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]


class Command(TyperCommand):
    """A command that notices an option without its value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse `--p --cap 3`: the parser would take `--cap` for the value and miss the cap."""
        options = {
            name: not getattr(parameter, "is_flag", False)
            for parameter in self.get_params(ctx)
            for name in parameter.opts
            if name.startswith("-")
        }
        before = args[: args.index("--")] if "--" in args else args
        for flag, following in pairwise(before):
            if options.get(flag) and following.partition("=")[0] in options:
                raise InputError(flag, f"its value is missing; {following} follows.", "Give one.")
        return super().parse_args(ctx, args)


class ManyValues(Command):
    """A command whose list options take several values after one flag: `--raters a b c`."""

    flags: tuple[str, ...] = ("--raters",)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the flag before each of its values, the form the parser understands."""
        spread: list[str] = []
        flag = ""
        for number, argument in enumerate(args):
            if argument in self.flags:
                flag = argument
                following = args[number + 1 : number + 2]
                if not following or following[0].startswith("-"):
                    spread.append(flag)
            elif flag and not argument.startswith("-"):
                spread += [flag, argument]
            else:
                flag = ""
                spread.append(argument)
        return super().parse_args(ctx, spread)


class ManyAfterFile(ManyValues):
    """The same where the file comes first; `--passed a FILE` keeps its one value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the flags, unless the file may still stand among their values."""
        if args and not args[0].startswith("-"):
            return super().parse_args(ctx, args)
        return Command.parse_args(self, ctx, args)
