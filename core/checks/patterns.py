"""Regular expressions that cannot hang: RE2, whose time is linear in the text.

Python's own engine backtracks: `^(\\w+\\s?)+$` on 29 characters takes it more than 20 seconds, and
nothing can stop it. Patterns written by people run here only, also those inside a JSON Schema.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from core.checks.kind import stopped

MAX_WORK = 80_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")


class PatternError(ValueError):
    """RE2 cannot run the pattern; the message says why."""


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """Return the RE2 form of `pattern`; raises PatternError."""
    import re2

    options = re2.Options()
    options.log_errors = False
    # Nothing asks for groups, and RE2 keeps a place for each of them at every step: 40,000
    # characters of empty groups take it 12 GB on a text of three.
    options.never_capture = True
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not a pattern"
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        raise PatternError(str(reason)) from error
    except UnicodeEncodeError as error:
        raise PatternError("it holds half a character (a lone surrogate)") from error


def work(pattern: str, text: str) -> int:
    """Return the steps a search may take at worst: the size of the pattern times the text's."""
    return int(compiled(pattern).programsize) * len(text)


def search(pattern: str, text: str) -> tuple[int, int] | None:
    """Return (start, end) of the first match of `pattern` in `text`, or None.

    Raises CannotExamine where that may take more than `MAX_WORK` steps: linear time is still long
    when the pattern is large, as (a[ab]{0,40}b){0,20} is.
    """
    expression = compiled(pattern)
    if work(pattern, text) > MAX_WORK:
        raise stopped(f"the pattern needs more than {MAX_WORK:,} steps for this text")
    try:
        match = expression.search(text)
    except UnicodeEncodeError:
        # RE2 reads UTF-8, which has no lone surrogates; the stand-in keeps every position.
        match = expression.search(_SURROGATE.sub("\ufffd", text))
    return None if match is None else match.span()
