"""What changed from one draft to the next, word by word; nothing of either text is lost."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

import regex

_TOKEN = regex.compile(r"[\w.\-]+ ?|[^\w\s] ?|\r?\n[ \t]*|\s")
_LONG = 2_000
_TOO_LONG = 20_000


class Kind(StrEnum):
    """What became of a piece of text."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True)
class Piece:
    """A run of text that is in both drafts, only in the later, or only in the earlier one."""

    kind: Kind
    text: str


def word_changes(before: str, after: str) -> list[Piece]:
    """Return the pieces that turn `before` into `after`, removals ahead of what replaces them.

    Same and removed pieces joined are `before`; same and added ones are `after`. Texts of more
    than 20,000 words are compared line by line, which is fast at any length.
    """
    a, b = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(a), len(b)) > _TOO_LONG:
        a, b = before.splitlines(keepends=True), after.splitlines(keepends=True)
    # Beyond some length common words are no anchors: comparing them all is quadratic.
    matcher = SequenceMatcher(None, a, b, autojunk=max(len(a), len(b)) > _LONG)
    pieces: list[Piece] = []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece(Kind.SAME, "".join(a[a0:a1])))
            continue
        if a1 > a0:
            pieces.append(Piece(Kind.REMOVED, "".join(a[a0:a1])))
        if b1 > b0:
            pieces.append(Piece(Kind.ADDED, "".join(b[b0:b1])))
    return pieces
