"""What a file reader says when it cannot simply go on."""

from __future__ import annotations

from typing import NamedTuple

from core.errors import InputError


class Problem(NamedTuple):
    """One line of a file that could not be used; everything else was still loaded."""

    line: int
    message: str


class NeedsChoice(InputError):
    """The file can be read once a person has chosen `field` ("encoding" or "separator").

    `guess` is the likely choice, never taken without asking; `preview` is a line of the file as
    it reads under that guess. Reading again with `field=choice` goes on.
    """

    def __init__(
        self, place: str, problem: str, remedy: str, *, field: str, guess: str, preview: str
    ) -> None:
        super().__init__(place, problem, remedy)
        self.field = field
        self.guess = guess
        self.preview = preview
