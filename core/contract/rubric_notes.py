"""What is said about the parts of a rubric that became no criterion, or one in other words."""

from __future__ import annotations

from dataclasses import dataclass

SCALE = "A scale: split it into yes/no questions."
LEVEL = "A level of a scale: split it into yes/no questions."
VERBATIM = "Kept word for word, for want of a sure rewording: word it as a question."
TURNED = "Asked the other way round, so that yes is a pass."


@dataclass(frozen=True)
class Note:
    """A part of the rubric with its line (from 1), its text, and what became of it and why.

    `left_out` is True where it became no criterion, and False where it did in a way to look at.
    """

    line: int
    text: str
    why: str
    left_out: bool = True


def describe(note: Note) -> str:
    """Return a note as one line, its text in full."""
    said = " ".join(note.text.split())
    return f"Line {note.line}, “{said}”: {note.why}" if note.text else note.why
