"""Python literals that are safe for any text and still read well.

A text is never put between triple quotes: a short one is one literal, a long one several in
brackets, broken behind its own line ends and between words. What cannot be seen (control and
format characters, lone surrogates) is written as an escape, so a file made of these literals is
always valid UTF-8 and says what it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH = 100
_PIECE = 84


def escaped(text: str, quote: str = '"') -> str:
    """Return `text` as it stands between two `quote`s."""
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


def pieces(text: str) -> list[str]:
    """Return `text` as literals that stand under each other, together the same text."""
    made: list[str] = []
    for line in text.splitlines(keepends=True):
        rest = line
        while len(quoted(rest)) > _PIECE:
            cut = _cut(rest)
            made.append(quoted(rest[:cut]))
            rest = rest[cut:]
        made.append(quoted(rest))
    return made or ['""']


def _cut(text: str) -> int:
    """Return how many characters of `text` make one piece: up to a blank, if there is one."""
    end = cost = 0
    while end < len(text) and cost < _PIECE - 4:
        cost += len(escaped(text[end]))
        end += 1
    blank = text.rfind(" ", 1, end)
    return blank + 1 if blank > end // 2 else end


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
    comma: str = ","


Value = str | Many
"""An expression: Python text as it is, or something with items."""


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
    return value.head + ", ".join(name + flat(v) for name, v in value.items) + value.tail


def rendered(value: Value, indent: int = 0, before: str = "", after: str = "") -> list[str]:
    """Return the lines of `before`, the expression and `after`, none needlessly long."""
    pad = " " * indent
    line = pad + before + flat(value) + after
    if isinstance(value, str) or not value.items:
        return [line]
    if len(line) <= WIDTH and "\n" not in line and not _exploded(value):
        return [line]
    inner = " " * (indent + 4) + ", ".join(name + flat(v) for name, v in value.items)
    if not value.collection and not _exploded(value) and len(inner) <= WIDTH:
        return [pad + before + value.head, inner, pad + value.tail + after]
    lines = [pad + before + value.head]
    for name, item in value.items:
        lines += rendered(item, indent + 4, name, value.comma)
    return [*lines, pad + value.tail + after]


def _exploded(value: Value) -> bool:
    return isinstance(value, Many) and (value.exploded or any(_exploded(v) for _, v in value.items))


def text_value(text: str, room: int) -> Value:
    """Return a text as an expression; in brackets, over several lines, beyond `room` characters."""
    one = quoted(text)
    if len(one) <= room:
        return one
    made = pieces(text)
    if len(made) == 1:
        return one
    items = [("", piece) for piece in made]
    return Many("(", items, ")", collection=True, exploded=True, comma="")
