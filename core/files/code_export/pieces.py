"""Pieces of the exported files: plain Python text with a name, what it needs, and its imports.

A piece begins with a line `#== name`. `#= needs: a, b` names pieces it uses, `#= imports: …` what
it imports. Lines between `#? flag` and `#? end` (or `#? else`) are there only when the flag is set.
`@NAME@` is filled in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

_FILES = (
    "contract", "checks_text", "checks_data", "checks_schema", "loop", "reading", "graph", "tests",
)  # fmt: skip
_THIRD_PARTY = ("anthropic", "langgraph", "re2", "pytest")


@dataclass(frozen=True)
class Piece:
    """One piece with the flags applied: its text, the pieces it needs, its import lines."""

    text: str
    needs: tuple[str, ...]
    imports: tuple[str, ...]


@lru_cache(maxsize=1)
def _sources() -> Mapping[str, str]:
    made: dict[str, str] = {}
    for name in _FILES:
        folder = files("core.files.code_export.parts")
        for part in folder.joinpath(f"{name}.txt").read_text("utf-8").split("#== ")[1:]:
            title, _, body = part.partition("\n")
            made[title.strip()] = body
    return made


def piece(name: str, flags: Collection[str]) -> Piece:
    """Return a piece as it is with these flags; raises KeyError for a name that is not there."""
    lines: list[str] = []
    needs: list[str] = []
    imports: list[str] = []
    shown = [True]
    for line in _sources()[name].split("\n"):
        if line.startswith("#? else"):
            shown[-1] = not shown[-1] and all(shown[:-1])
        elif line.startswith("#? end"):
            shown.pop()
        elif line.startswith("#? "):
            shown.append(line[3:] in flags and shown[-1])
        elif not shown[-1]:
            continue
        elif line.startswith("#= needs: "):
            needs += line[10:].split(", ")
        elif line.startswith("#= imports: "):
            imports += line[12:].split(", ")
        else:
            lines.append(line)
    return Piece("\n".join(lines).strip("\n"), tuple(needs), tuple(imports))


def gathered(names: Iterable[str], flags: Collection[str]) -> dict[str, Piece]:
    """Return the named pieces and all they need, each after what it needs."""
    found: dict[str, Piece] = {}

    def visit(name: str) -> None:
        if name in found or name not in _sources():
            return
        here = piece(name, flags)
        for needed in here.needs:
            visit(needed)
        found.setdefault(name, here)

    for name in names:
        visit(name)
    return found


_TOKEN = re.compile(r"@([A-Z_]+)@")


def filled(text: str, tokens: Mapping[str, str]) -> str:
    """Return the text of a piece with its @NAMES@ filled in; a contract's texts never pass here."""
    return _TOKEN.sub(lambda m: tokens[m.group(1)], text)


def import_block(lines: Iterable[str]) -> str:
    """Return import lines sorted and merged as import sorters want them, in their groups."""
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    for line in lines:
        words = line.split()
        if words[0] == "import":
            plain.add(words[1])
        else:
            named.setdefault(words[1], set()).add(words[3])
    groups: list[list[str]] = [["from __future__ import annotations"], [], []]
    for third in (False, True):
        here = groups[2 if third else 1]
        here += [f"import {m}" for m in sorted(plain) if _third_party(m) is third]
        for module in sorted(named):
            if _third_party(module) is third:
                names = sorted(
                    named[module],
                    key=lambda n: (not n.isupper(), not n[0].isupper(), n.lower()),
                )
                here.append(f"from {module} import {', '.join(names)}")
    return "\n\n".join("\n".join(group) for group in groups if group)


def _third_party(module: str) -> bool:
    return module.split(".")[0] in _THIRD_PARTY
