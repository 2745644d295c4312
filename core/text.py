"""Text as data: fingerprints, the copy used for comparing, word counts, storage escapes.

Stored text is byte for byte what came. Everything here that normalises works on a copy.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Any

import regex

# A word is a run of letters, marks, digits or underscores that begins with a letter or digit (so
# that a rule of underscores or the invisible selector after an emoji is none); an apostrophe or
# hyphen between two such characters joins ("Don't", "re-run"), as does a point or comma between
# digits ("1,200.50"), and invisible characters inside a word (soft hyphens, zero-width joiners)
# do not split it. Possessive quantifiers keep hostile text linear.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_RUN = rf"[\p{{L}}\p{{M}}\p{{N}}_{_INVISIBLE}]*+"
_WORD = regex.compile(
    rf"[\p{{L}}\p{{N}}]{_RUN}(?:(?:['’\-‐‑]|(?<=\p{{Nd}})[.,](?=\p{{Nd}}))(?=[\p{{L}}\p{{N}}]){_RUN})*+"
)
# The same rule for text without marks, invisible characters and unspaced scripts, which the
# standard library's engine counts more than twice as fast; and the characters that rule that out.
_PLAIN_WORD = re.compile(r"[^\W_]\w*+(?:(?:['’\-‐‑]|(?<=\d)[.,](?=\d))(?=[^\W_])\w*+)*+")
_NOT_PLAIN = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u200b-\u200d\u2060\u20d0-\u20ff"
    "\u2c80-\ud7ff\uf900-\uffff\U00010000-\U0001efff\U0001fb00-\U0010ffff]"
)
_UNSPACED_SCRIPT = regex.compile(
    r"(?V1)[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}"
    r"\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70]--\p{M}]"
)
_FOLD = str.maketrans(
    {
        **dict.fromkeys("’‘‛ʼ‚′´`‹›", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        # Invisible: a soft hyphen or zero-width blank inside a phrase must not hide it.
        **dict.fromkeys(
            _INVISIBLE + "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
            "\u2066\u2067\u2068\u2069\ufe0e\ufe0f",
            None,
        ),
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


_sorted_json = json.JSONEncoder(sort_keys=True, ensure_ascii=True, allow_nan=False).encode


def content_hash(content: Any) -> str:
    """Return the SHA-256 of a JSON-like value, independent of the order of its keys."""
    return exact_hash(_sorted_json(content))


def words(text: str) -> list[str]:
    """Return the words of `text`: "Don't re-run x-rays" has 3; emoji and dashes are none."""
    if text.isascii() or _NOT_PLAIN.search(text) is None:
        return _PLAIN_WORD.findall(text)
    return [str(word) for word in _WORD.findall(text)]


def is_unspaced(text: str) -> bool:
    """Tell whether `text` holds a script written without blanks between words."""
    return not text.isascii() and _UNSPACED_SCRIPT.search(text) is not None


def count_words(text: str) -> int:
    """Return the number of `words(text)`.

    Scripts written without blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese)
    count one word per character, the convention of word processors; marks over or under a
    character are part of it.
    """
    if _NOT_PLAIN.search(text) is None:
        return len(_PLAIN_WORD.findall(text))
    spaced, characters = _UNSPACED_SCRIPT.subn(" ", text)
    return int(characters) + len(_WORD.findall(spaced))


def fold(text: str) -> str:
    """Return the copy of `text` used for phrase checks.

    NFKC, case-folded, typographic quotes, dashes and spaces as their plain forms, invisible
    characters (soft hyphen, zero-width) dropped, runs of blanks and line ends as one blank.
    """
    if not text.isascii():
        # Before NFKC, which would take a spacing accent used as an apostrophe apart.
        text = unicodedata.normalize("NFKC", text.translate(_FOLD)).translate(_FOLD)
    else:
        text = text.replace("`", "'")
    return " ".join(text.casefold().split())


def person_key(name: str) -> str:
    """Return the key under which a person is known: "Ana " and "ana" are one person."""
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()


# NUL cannot be stored by PostgreSQL and lone surrogates by neither database, so both are escaped
# with U+E000 (private use) on the way in; U+E000 itself is doubled so that the way out is exact.
_MARK = "\ue000"
_NEEDS_ESCAPE = re.compile("[\x00\ud800-\udfff\ue000]")
_ESCAPED = regex.compile("\ue000(\ue000|[0-9a-f]{4})")


def to_storage(text: str) -> str:
    """Return `text` in the form both databases can hold; `from_storage` gives it back exactly."""
    if text.isascii():
        if "\x00" not in text:
            return text
    elif _NEEDS_ESCAPE.search(text) is None:
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
