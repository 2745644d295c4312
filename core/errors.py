"""Errors people can act on: each is one line that names the place, what came and what to do."""

from __future__ import annotations


def show(value: object, limit: int = 80) -> str:
    """Return `value` quoted for an error line, cut in the middle beyond `limit` characters."""
    text = repr(value)
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


class BenchError(Exception):
    """Base of every error this library raises on purpose; `str(error)` is fit for a screen."""


class InputError(BenchError):
    """Something a person supplied cannot be used; nothing has been stored.

    `place` says where (file, row, column or field), `problem` what came and why it will not do,
    `remedy` what to do about it.
    """

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem}" + (f" {remedy}" if remedy else ""))


class StoreError(BenchError):
    """The workspace cannot be opened or written (newer version, unreachable server, read-only)."""


class StaleSaveError(BenchError):
    """Somebody saved a newer version first; `theirs` is the number of that version."""

    def __init__(self, message: str, theirs: int) -> None:
        self.theirs = theirs
        super().__init__(message)
