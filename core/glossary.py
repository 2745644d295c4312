"""Words, explained once: tooltips, the glossary and "How to read this" are drawn from one file.

`[[word]]` in the file names another entry. It is shown as that entry's name in running text, so no
explanation can lean on a word that is explained nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("glossary.yaml")
_LINK = re.compile(r"\[\[([^\]]+)\]\]")


@dataclass(frozen=True)
class Term:
    """A word, other names for it, what it means, and the words its explanation leans on."""

    key: str
    name: str
    also: tuple[str, ...]
    says: str
    leans_on: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name with its other names: "False-accept rate (FAR)"."""
        return f"{self.name} ({', '.join(self.also)})" if self.also else self.name


@dataclass(frozen=True)
class Reading:
    """How to read a page or one of its views, and the words it uses."""

    lines: tuple[str, ...]
    terms: tuple[Term, ...]


@lru_cache(maxsize=1)
def _source() -> Mapping[str, Any]:
    from ruamel.yaml import YAML

    found: Mapping[str, Any] = YAML(typ="safe", pure=True).load(_FILE.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1)
def terms() -> Mapping[str, Term]:
    """Return every word by its key, in the order of the file."""
    source = _source()["terms"]
    return {
        key: Term(
            key,
            one["name"],
            tuple(one.get("also", ())),
            _LINK.sub(lambda m: _inline(source[m[1]]["name"]), one["says"]),
            tuple(_LINK.findall(one["says"])),
        )
        for key, one in source.items()
    }


def _inline(name: str) -> str:
    """Return a name as it stands inside a sentence: "Gold label" is "gold label", "FAR" stays."""
    return name if name[:2].isupper() else name[0].lower() + name[1:]


def help_of(*keys: str) -> str:
    """Return what to show when a word is asked about; several words one below the other.

    Raises KeyError for a word that is not in the file: a tooltip must not be empty.
    """
    some = [terms()[key] for key in keys]
    if len(some) == 1:
        return some[0].says
    return "\n\n".join(f"{one.name}: {one.says}" for one in some)


def shape_marks() -> Mapping[str, str]:
    """Return, for each shape of failure, the mark it leaves in a trace."""
    found: Mapping[str, str] = _source()["shapes"]
    return found


def reading(page: str, view: str | None = None) -> Reading | None:
    """Return how to read a view of a page; of its first view, or of the whole page, if that is all."""
    source = _source()["reading"]
    views = [key for key in source if key.split(".")[0] == page]
    key = f"{page}.{view}" if f"{page}.{view}" in source else (views[0] if views else None)
    if key is None:
        return None
    one = source[key]
    return Reading(tuple(one["lines"]), tuple(terms()[word] for word in one["terms"]))


def readings() -> tuple[str, ...]:
    """Return the keys of everything that says how it is read: "page" or "page.view"."""
    return tuple(_source()["reading"])


def glossary_markdown() -> str:
    """Return the whole glossary as a document."""
    from core.loop.shapes import FIRST_RESPONSE

    lines = ["# Glossary", "", "One word, one meaning: on screen, in files and in the code.", ""]
    lines += ["| word | meaning |", "|---|---|"]
    lines += [f"| {one.title} | {one.says} |" for one in sorted_terms()]
    lines += [
        "",
        "## Shapes of failure",
        "",
        "| shape | mark | first thing to try |",
        "|---|---|---|",
    ]
    lines += [f"| {key} | {mark} | {FIRST_RESPONSE[key]} |" for key, mark in shape_marks().items()]
    return "\n".join(lines) + "\n"


def sorted_terms() -> list[Term]:
    """Return every word in alphabetical order."""
    return sorted(terms().values(), key=lambda one: one.name.casefold())


if __name__ == "__main__":
    print(glossary_markdown(), end="")
