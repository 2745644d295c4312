"""Questions that ask nearly the same, found without comparing every pair.

Two sets of words that share four fifths of their union must share a word among the rarest fifth
of each (prefix filtering: Chaudhuri, Ganti and Kaushik 2006), so only questions that meet in the
index of those rare words are compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from core.contract.leftover import NEGATION
from core.text import fold, words

_FILLER = frozenset(
    {"the", "a", "an", "is", "are", "does", "do", "it", "its", "this", "that", "in", "of", "to",
     "for", "any", "with", "by", "on", "reply", "output", "text", "answer", "response", "draft",
     "message"}
)  # fmt: skip
_Key = tuple[frozenset[str], frozenset[str]]


def _read(question: str) -> tuple[str, _Key, frozenset[str]]:
    """Return (folded text, what has to be equal, the words that matter)."""
    folded = fold(question)
    found = frozenset(_stem(word) for word in words(folded))
    fixed = (found & NEGATION, frozenset(w for w in found if w[0].isdigit()))
    return folded, fixed, found - _FILLER


def _stem(word: str) -> str:
    """Return a word without the s of a plural or a third person: mentions is mention."""
    plain = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plain else word


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    return min(len(left), len(right)) >= 2 and 5 * len(left & right) >= 4 * len(left | right)


def nearly_same(one: str, other: str) -> bool:
    """Tell whether two questions ask nearly the same: four of five words that matter are shared.

    Numbers and negations have to agree: "at most 60 words" is not "at most 80 words".
    """
    left, right = _read(one), _read(other)
    return left[0] != right[0] and left[1] == right[1] and _alike(left[2], right[2])


def near_pairs(questions: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield every (i, j), i < j, with `nearly_same(questions[i], questions[j])`, by j."""
    read = [_read(question) for question in questions]
    often = Counter(word for _, _, found in read for word in found)
    index: defaultdict[tuple[_Key, str], list[int]] = defaultdict(list)
    for j, (folded, fixed, found) in enumerate(read):
        if len(found) < 2:
            continue
        rare = sorted(found, key=lambda word: (often[word], word))
        # Of n words at least ⌈4n/5⌉ are shared, so one of the n − ⌈4n/5⌉ + 1 rarest is.
        prefix = rare[: len(rare) - -(-4 * len(rare) // 5) + 1]
        met = sorted({i for word in prefix for i in index[fixed, word]})
        yield from ((i, j) for i in met if read[i][0] != folded and _alike(read[i][2], found))
        for word in prefix:
            index[fixed, word].append(j)
