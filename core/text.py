"""Text as data: fingerprints, the copy used for comparing, word counts, storage escapes.

Stored text is byte for byte what came. Everything here that normalises works on a copy.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

import regex

# A word is a run of letters, marks, digits or underscores; an apostrophe or hyphen between two
# such characters joins ("Don't", "re-run"), as does a point or comma between digits ("1,200.50").
_WORD = regex.compile(
    r"[\p{L}\p{M}\p{N}_]+(?:(?:['’\-‐‑](?=[\p{L}\p{N}])|(?<=\p{N})[.,](?=\p{N}))[\p{L}\p{M}\p{N}_]+)*"
)
_UNSPACED_SCRIPT = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}"
    r"\p{Script=Khmer}\p{Script=Myanmar}]"
)
_FOLD_QUOTES = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "‛": "'",
        "ʼ": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "‟": '"',
        "«": '"',
        "»": '"',
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "–": "-",
        "—": "-",
    }
)


def comparison_copy(text: str) -> str:
    r"""Return the copy of `text` used to tell whether two drafts are the same (rule 1).

    Unicode NFC, line ends to `\n`, trailing blanks of every line and of the text cut. Case and
    inner blanks count.
    """
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def fingerprint(text: str) -> str:
    """Return the SHA-256 (64 hex digits) of `comparison_copy(text)`."""
    return hashlib.sha256(comparison_copy(text).encode("utf-8", "surrogatepass")).hexdigest()


def exact_hash(*parts: str | None) -> str:
    """Return a SHA-256 over the exact parts, told apart from each other and from None."""
    digest = hashlib.sha256()
    for part in parts:
        data = b"" if part is None else part.encode("utf-8", "surrogatepass")
        digest.update(b"-" if part is None else str(len(data)).encode())
        digest.update(b":" + data)
    return digest.hexdigest()


def content_hash(content: Any) -> str:
    """Return the SHA-256 of a JSON-like value, independent of the order of its keys."""
    return exact_hash(json.dumps(content, sort_keys=True, ensure_ascii=True, allow_nan=False))


def words(text: str) -> list[str]:
    """Return the words of `text`: "Don't re-run x-rays" has 3; emoji and dashes are none."""
    return [str(word) for word in _WORD.findall(text)]


def count_words(text: str) -> int:
    """Return the number of `words(text)`.

    Scripts written without blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese)
    count one word per character, the convention of word processors.
    """
    if _UNSPACED_SCRIPT.search(text) is None:
        return sum(1 for _ in _WORD.finditer(text))
    spaced = _UNSPACED_SCRIPT.sub(" ", text)
    return sum(1 for _ in _UNSPACED_SCRIPT.finditer(text)) + count_words(spaced)


def fold(text: str) -> str:
    """Return the copy of `text` used for phrase checks: NFKC, case-folded, typographic quotes,

    dashes and spaces as their plain forms, runs of blanks as one.
    """
    plain = unicodedata.normalize("NFKC", text).translate(_FOLD_QUOTES).casefold()
    return " ".join(plain.split())


def person_key(name: str) -> str:
    """Return the key under which a person is known: "Ana " and "ana" are one person."""
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()


# NUL cannot be stored by PostgreSQL and lone surrogates by neither database, so both are escaped
# with U+E000 (private use) on the way in; U+E000 itself is doubled so that the way out is exact.
_MARK = "\ue000"
_NEEDS_ESCAPE = regex.compile("[\x00\ud800-\udfff\ue000]")
_ESCAPED = regex.compile("\ue000(\ue000|[0-9a-f]{4})")


def to_storage(text: str) -> str:
    """Return `text` in the form both databases can hold; `from_storage` gives it back exactly."""
    if _NEEDS_ESCAPE.search(text) is None:
        return text
    return str(
        _NEEDS_ESCAPE.sub(
            lambda m: _MARK * 2 if m.group() == _MARK else f"{_MARK}{ord(m.group()):04x}", text
        )
    )


def from_storage(text: str) -> str:
    """Return the text that `to_storage` was given."""
    if _MARK not in text:
        return text
    return str(
        _ESCAPED.sub(lambda m: _MARK if m.group(1) == _MARK else chr(int(m.group(1), 16)), text)
    )
