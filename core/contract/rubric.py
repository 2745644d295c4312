"""A rubric written as prose, taken apart into draft criteria; no model, and nothing is lost.

Lists, headings, weights in brackets, sentences with "must" or "should", and examples after words
such as "Good:" are understood. Every sentence ends up in exactly one place: as a criterion, as an
example of one, or in a note that says why it became neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from core.checks.registry import build
from core.contract.lint_words import CASE, SCORE, is_yes_no
from core.contract.rewrite import as_question, unscored
from core.contract.suggest import suggest
from core.errors import InputError, show
from core.text import fold, words

MAX_CHARACTERS = 200_000
MAX_CRITERIA = 500

_ITEM = re.compile(
    r"^(?P<indent>\s*)(?:[-*•+–—▪◦‣]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)])\s+(?P<text>\S.*)$"
)
_BOX = re.compile(r"^\[[ xX]?\]\s+")
_HEADING = re.compile(
    r"^\s{0,3}#{1,6}\s+(?P<text>.+?)\s*#*$|^\s*(?:\*\*|__)(?P<bold>[^*_]+?):?(?:\*\*|__):?$"
)
_RULE = re.compile(r"^\s*(?:[-=*_]\s*){3,}$")
_WEIGHT = re.compile(
    r"\s*[(\[](?:weight(?:ing)?:? ?|worth )?(?P<n>\d{1,3}(?:\.\d+)?) ?"
    r"(?P<unit>%|percent|points?|pts?\.?|marks?)?(?: weight)?[)\]]",
    CASE,
)
_EXAMPLE = re.compile(
    r"^(?:(?P<good>pass(?:ing)?(?: example)?|good(?: example)?|✓|✅|do)"
    r"|(?P<bad>fail(?:ing)?(?: example)?|bad(?: example)?|✗|❌|don['’]t|do not)"
    r")\s*(?::|(?<=[✓✅✗❌]))\s*(?P<text>\S.*)$",
    CASE,
)
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”')\]]?\s+(?=[\"“'(\[]?[A-Z0-9À-ÖØ-Þ*_])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|no|approx|Mr|Mrs|Ms|Dr|St)\.$", CASE)
_DEMAND = re.compile(
    r"\b(?:must(?:n['’]t)?|should(?:n['’]t)?|shall|needs? to|ha(?:s|ve) to|ought to"
    r"|(?:is|are) (?:required|expected|supposed) to|make sure|ensure|verify|check (?:that|whether|if))\b"
    r"|^(?:please )?(?:do not|don['’]t|never|avoid|always)\b|\?$",
    CASE,
)
_KEY_FILLER = frozenset(
    {"the", "a", "an", "is", "are", "does", "do", "it", "its", "this", "that", "in", "of", "to",
     "for", "any", "with", "by", "on", "output", "and", "or", "meet", "has", "have", "at", "be",
     "every", "each", "all"}
)  # fmt: skip


@dataclass(frozen=True)
class Note:
    """A part of the rubric that became no criterion: its line (from 1), its text, and why."""

    line: int
    text: str
    why: str


@dataclass(frozen=True)
class Rubric:
    """What a rubric was taken apart into.

    `criteria` are criteria as plain data for a draft; `sources[i]` is the text that `criteria[i]`
    came from, as it stood, examples included; `title` is the first heading if it stands above all.
    """

    title: str
    criteria: tuple[dict[str, Any], ...]
    sources: tuple[str, ...]
    notes: tuple[Note, ...]


@dataclass
class _Piece:
    """A list item, a paragraph or a heading, before it is read."""

    line: int
    text: str
    kind: str
    indent: int = 0


def split_rubric(text: str) -> Rubric:
    """Return the draft criteria in a pasted rubric, with notes on what became none.

    Each criterion has a key of its own, a yes-or-no question, and a code check where its words
    settle one. Raises InputError beyond `MAX_CHARACTERS` or `MAX_CRITERIA`.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError("rubric", f"{len(text):,} characters is more than {MAX_CHARACTERS:,}.",
                         "Paste it in parts.")  # fmt: skip
    reader = _Reader()
    pieces = _pieces(text)
    for number, piece in enumerate(pieces):
        following = pieces[number + 1] if number + 1 < len(pieces) else None
        reader.read(piece, following)
    return reader.result()


def _pieces(text: str) -> list[_Piece]:
    """Return the parts of a rubric: continued lines joined, blank lines and rules dropped."""
    made: list[_Piece] = []
    open_piece = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            open_piece = False
            continue
        if _RULE.match(line):
            # A line of dashes is layout, but what it holds is not lost either.
            made.append(_Piece(number, line.strip(), "rule"))
            open_piece = False
        elif heading := _HEADING.match(line):
            made.append(_Piece(number, (heading["text"] or heading["bold"]).strip(), "heading"))
            open_piece = False
        elif item := _ITEM.match(line):
            body = _BOX.sub("", item["text"].strip())
            made.append(_Piece(number, body, "item", len(item["indent"].expandtabs(4))))
            open_piece = True
        elif _EXAMPLE.match(line.strip()):
            made.append(_Piece(number, line.strip(), "item", 99))
            open_piece = True
        elif line.lstrip().startswith("|"):
            made.append(_Piece(number, line.strip(), "table"))
            open_piece = False
        elif open_piece and not _starts_anew(made[-1], line):
            made[-1].text += " " + line.strip()
        else:
            made.append(_Piece(number, line.strip(), "prose"))
            open_piece = True
    return made


def _starts_anew(piece: _Piece, line: str) -> bool:
    """Tell whether a line below a list item is a paragraph of its own: not indented, a capital."""
    return piece.kind == "item" and not line[:1].isspace() and line[:1].isupper()


def _sentences(text: str) -> list[str]:
    """Return the sentences of a piece; a point after e.g. or No. ends none."""
    made: list[str] = []
    for part in _SENTENCE.split(text):
        if made and _ABBREVIATED.search(made[-1]):
            made[-1] += " " + part
        elif part.strip():
            made.append(part.strip())
    return made


class _Reader:
    """Collects criteria and notes, piece by piece."""

    def __init__(self) -> None:
        self.title = ""
        self.criteria: list[dict[str, Any]] = []
        self.sources: list[str] = []
        self.notes: list[Note] = []
        self._keys: set[str] = set()
        self._shared: tuple[int, float] | None = None

    def read(self, piece: _Piece, following: _Piece | None) -> None:
        if piece.kind == "heading":
            self._heading(piece)
        elif piece.kind in ("rule", "table"):
            why = "A line between parts." if piece.kind == "rule" else "A table is not read."
            self.notes.append(Note(piece.line, piece.text, why))
        elif self._example(piece):
            return
        elif piece.kind == "item":
            inner = following is not None and following.kind == "item" and (
                piece.indent < following.indent < 99 or piece.text.rstrip().endswith(":")
            )  # fmt: skip
            self._item(piece, leads=inner)
        else:
            for sentence in _sentences(piece.text):
                self._sentence(piece.line, sentence)

    def _heading(self, piece: _Piece) -> None:
        self._close()
        if not self.criteria and not self.title and not self.notes:
            self.title = piece.text
        else:
            self.notes.append(Note(piece.line, piece.text, "A heading."))
        if weight := _weight(piece.text):
            self._shared = (len(self.criteria), weight[0])

    def _close(self) -> None:
        """Give the weight of the heading that ends here to the criteria under it, in equal parts."""
        if self._shared is not None:
            start, weight = self._shared
            for row in self.criteria[start:]:
                row.setdefault("weight", round(weight / (len(self.criteria) - start), 6))
            self._shared = None

    def _example(self, piece: _Piece) -> bool:
        """Take "Good: …" and "Bad: …" as examples of the criterion above; False if it is none."""
        hit = _EXAMPLE.match(piece.text)
        if hit is None or not self.criteria:
            return False
        name = "pass_example" if hit["good"] else "fail_example"
        row = self.criteria[-1]
        if name in row:
            return False
        row[name] = hit["text"].strip()
        self.sources[-1] += f"\n{piece.text}"
        return True

    def _item(self, piece: _Piece, *, leads: bool) -> None:
        sentences = _sentences(piece.text)
        demands = _DEMAND.search(piece.text) is not None
        if leads and (piece.text.rstrip().endswith(":") or not demands):
            self.notes.append(Note(piece.line, piece.text, "It introduces the points below it."))
            return
        head, rest = sentences[0], sentences[1:]
        bare = _weightless(head)
        # "Tone: the reply must be calm." names the point and then says it.
        name, colon, said = bare.partition(":")
        asked = as_question(said) if colon and len(words(name)) <= 4 and said.strip() else None
        asked = asked or as_question(bare)
        if SCORE.search(bare):
            self._sentence(piece.line, head)
            asked = ""
        elif asked is None or not is_yes_no(asked):
            asked = f"Does the output meet this: {bare.rstrip('.;, ')}?" if words(bare) else None
        if asked is None:
            self.notes.append(Note(piece.line, head, "There are no words in it."))
        elif asked:
            self._add(head, asked, piece.line)
        for sentence in rest:
            self._sentence(piece.line, sentence)

    def _sentence(self, line: int, sentence: str) -> None:
        bare = _weightless(sentence)
        asked = as_question(bare) if _DEMAND.search(bare.strip(" *_")) else None
        scored = SCORE.search(bare) is not None
        if scored:
            asked = unscored(bare)
        if asked is None or not is_yes_no(asked):
            demands = _DEMAND.search(bare) is not None
            why = (
                "It asks for a score: ask whether the level that is good enough is reached."
                if scored
                else "It demands something, but no question could be read from it."
                if demands
                else "It demands nothing that could be checked."
            )
            self.notes.append(Note(line, sentence, why))
        else:
            self._add(sentence, asked, line)

    def _add(self, source: str, question: str, line: int) -> None:
        if len(self.criteria) >= MAX_CRITERIA:
            raise InputError(f"rubric, line {line}", f"there are more than {MAX_CRITERIA} points.",
                             "Paste it in parts.")  # fmt: skip
        row: dict[str, Any] = {"key": self._key(question), "question": question}
        found = suggest(question)
        if found is not None and found.surely and len(found.specs) == 1 and _builds(found.specs[0]):
            row |= {"checked_by": "code", "check": dict(found.specs[0])}
        if weight := _weight(source):
            row["weight"] = weight[0]
        self.criteria.append(row)
        self.sources.append(source)

    def _key(self, question: str) -> str:
        """Return a key of the first words that matter, free in this rubric."""
        told = [w for w in words(fold(question)) if w not in _KEY_FILLER]
        stem = "-".join(told[:4])[:60].strip("-") or "criterion"
        stem = "output-overall" if stem == "overall" else stem
        key, number = stem, 2
        while key in self._keys:
            key, number = f"{stem}-{number}", number + 1
        self._keys.add(key)
        return key

    def result(self) -> Rubric:
        self._close()
        without = sum("weight" not in row for row in self.criteria)
        if without < len(self.criteria):
            rest = (
                f" {without} of {len(self.criteria)} criteria have none and count 1."
                if without
                else ""
            )
            self.notes.append(
                Note(1, "", "Weights were found; they count only under the rule threshold, which"
                     f" needs a minimum: set it.{rest}")
            )  # fmt: skip
        return Rubric(self.title, tuple(self.criteria), tuple(self.sources), tuple(self.notes))


def _weight(text: str) -> tuple[float, str] | None:
    """Return (weight, how it was written) of "(20 %)", "(3 points)" or "(weight 2)", or None."""
    for hit in _WEIGHT.finditer(text):
        said = hit.group().strip()
        if (hit["unit"] or "weight" in said.lower() or "worth" in said.lower()) and float(hit["n"]):
            return float(hit["n"]), said
    return None


def _weightless(text: str) -> str:
    found = _weight(text)
    return (
        text if found is None else " ".join(text.replace(found[1], " ").split()).replace(" .", ".")
    )


def _builds(spec: dict[str, Any]) -> bool:
    try:
        build(spec)
    except InputError:
        return False
    return True


def to_draft(rubric: Rubric) -> dict[str, Any]:
    """Return the rubric as a contract's plain data, to be looked over and completed."""
    data: dict[str, Any] = {"criteria": [dict(row) for row in rubric.criteria]}
    return {"title": rubric.title, **data} if rubric.title else data


def describe(note: Note) -> str:
    """Return a note as one line."""
    where = f"Line {note.line}, {show(note.text)}: " if note.text else ""
    return f"{where}{note.why}"
