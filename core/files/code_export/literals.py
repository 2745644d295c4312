"""Python literals that are safe for any text and still read well.

A text is never put between triple quotes: a short one is one literal, a long one several in
brackets, broken behind its own line ends and between words. What cannot be seen (control and
format characters, lone surrogates) is written as an escape, so a file made of these literals is
always valid UTF-8 and says what it means.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH = 100


def escaped(text: str, quote: str = '"') -> str:
    """Return `text` as it stands between two `quote`s."""
    if text.isprintable():
        plain = text.replace("\\", "\\\\")
        return plain.replace(quote, "\\" + quote) if quote else plain
    made = []
    for character in text:
        if character in ("\\", quote):
            made.append("\\" + character)
        elif character.isprintable():
            made.append(character)
        else:
            made.append(repr(character)[1:-1])
    return "".join(made)


def quoted(text: str) -> str:
    """Return `text` as one literal on one line, in the quotes that need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return f"{quote}{escaped(text, quote)}{quote}"


def pieces(text: str, room: int = 84) -> list[str]:
    """Return `text` as literals of `room` columns that stand under each other."""
    made: list[str] = []
    for line in text.splitlines(keepends=True):
        rest = line
        while len(rest) > room or columns(quoted(rest)) > room:
            cut = _cut(rest, room - 4)
            made.append(quoted(rest[:cut]))
            rest = rest[cut:]
        made.append(quoted(rest))
    return made or ['""']


def _cut(text: str, room: int) -> int:
    """Return how many characters of `text` make one piece: up to a blank, if there is one."""
    end = cost = 0
    while end < len(text) and cost < room - 1:
        cost += max(1, columns(escaped(text[end])))
        end += 1
    blank = text.rfind(" ", 1, end)
    return blank + 1 if blank > end // 2 else end


def columns(text: str) -> int:
    """Return how many columns `text` takes in an editor: wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def comment(text: str, indent: str = "") -> list[str]:
    """Return `text` as comment lines, broken between words, safe for any text."""
    lines, line = [], ""
    for word in escaped(" ".join(text.split()), "").split(" "):
        if line and len(indent) + 2 + len(line) + 1 + len(word) > WIDTH:
            lines.append(f"{indent}# {line}")
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, f"{indent}# {line}"] if line else lines


# --- expressions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Many:
    """A call, a list or a tuple: `head` with its opening bracket, then the items.

    Items are names with values ("" for a value without a name). `collection`: broken one item a
    line; a call may keep all items on one line of their own.
    """

    head: str
    items: Sequence[tuple[str, Value]]
    tail: str
    collection: bool = False
    exploded: bool = False


@dataclass(frozen=True)
class Text:
    """A text as a literal; over several lines, in brackets, where it is long."""

    text: str


Value = str | Text | Many
"""An expression: Python text as it is, a text's literal, or something with items."""


def call(
    name: str, given: Sequence[Value], named: Mapping[str, Value], *, exploded: bool = False
) -> Many:
    """Return the call of a function."""
    items = [*(("", v) for v in given), *((f"{k}=", v) for k, v in named.items())]
    return Many(f"{name}(", items, ")", exploded=exploded)


def listing(values: Sequence[Value], *, exploded: bool = False) -> Many:
    """Return a list."""
    return Many("[", [("", v) for v in values], "]", collection=True, exploded=exploded)


def flat(value: Value) -> str:
    """Return an expression on one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, Text):
        return quoted(value.text)
    return value.head + ", ".join(name + flat(v) for name, v in value.items) + value.tail


def rendered(value: Value, indent: int = 0, before: str = "", after: str = "") -> list[str]:
    """Return the lines of `before`, the expression and `after`, none needlessly long."""
    pad = " " * indent
    line = pad + before + flat(value) + after
    if isinstance(value, str) or (columns(line) <= WIDTH and not _exploded(value)):
        return [line]
    if isinstance(value, Text):
        return _long_text(value.text, indent, before, after)
    if not value.items:
        return [line]
    inner = " " * (indent + 4) + ", ".join(name + flat(v) for name, v in value.items)
    if not value.collection and not _exploded(value) and columns(inner) <= WIDTH:
        return [pad + before + value.head, inner, pad + value.tail + after]
    lines = [pad + before + value.head]
    for name, item in value.items:
        lines += rendered(item, indent + 4, name, ",")
    return [*lines, pad + value.tail + after]


def _long_text(text: str, indent: int, before: str, after: str) -> list[str]:
    pad, room = " " * indent, WIDTH - indent - 4
    one = quoted(text)
    # What fits on a line of its own stays whole: formatters would put it together again.
    made = [one] if columns(one) <= room else pieces(text, room)
    return [f"{pad}{before}(", *(f"{pad}    {piece}" for piece in made), f"{pad}){after}"]


def _exploded(value: Value) -> bool:
    return isinstance(value, Many) and (value.exploded or any(_exploded(v) for _, v in value.items))
