"""Keys cut out of text that is shown, stored or logged."""

from __future__ import annotations

import re
from collections.abc import Iterable

CUT = "[key]"
MIN_SECRET = 8
"""Shorter "keys" (none, x, local) are placeholders; cutting them would maim ordinary text."""

_LOOKS_LIKE_A_KEY = re.compile(r"\bsk-ant-[\w-]{8,}|(?i:\bbearer\s+)[\w.~+/=-]{8,}")


def cut_out(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with these secrets cut out and every other character kept."""
    for secret in secrets:
        for form in {secret, secret.removeprefix("Bearer ")}:
            if len(form) >= MIN_SECRET:
                text = text.replace(form, CUT)
    return text


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with the secrets, and whatever else has the form of a key, cut out."""
    return _LOOKS_LIKE_A_KEY.sub(CUT, cut_out(text, secrets))
