"""A rubric written as prose, taken apart into draft criteria; no model, and nothing is lost.

Every sentence ends up in exactly one place: as a criterion, as an example of one, or in a note
that says why it became neither. What was not read as it stood, and weights, are noted too. A
judge checks every criterion until somebody chooses otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from core.contract.asking import as_question, avoided, for_the_thing, word_for_word
from core.contract.lint_words import CASE, SCORE, is_yes_no
from core.contract.phrases import (
    after_dropping,
    trimmed,
)
from core.contract.rewrite import unscored
from core.contract.rubric_asks import code_could, question_of, to_the_grader, under_introduction
from core.contract.rubric_notes import LEVEL, SCALE, TURNED, VERBATIM, Note, describe
from core.contract.rubric_parts import EXAMPLE, Piece, pieces
from core.contract.rubric_sections import Section, opened
from core.contract.rubric_words import (
    ALLOWS,
    COMMAND,
    DEMAND,
    FAULTS,
    INSISTS,
    LABELLED,
    PART,
    PERMITS,
    clauses,
    condition,
    free_key,
    says_what_is_good,
    scored,
    sentences,
    to_a_grader,
    weight_of,
    weightless,
)
from core.errors import InputError
from core.text import words

MAX_CHARACTERS = 200_000
MAX_CRITERIA = 500

__all__ = [
    "MAX_CHARACTERS",
    "MAX_CRITERIA",
    "Note",
    "Rubric",
    "describe",
    "split_rubric",
    "to_draft",
]


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


def split_rubric(text: str) -> Rubric:
    """Return the draft criteria in a pasted rubric, with notes on what became none.

    Each criterion has a key of its own and a yes-or-no question whose yes is a pass; no criterion
    has a check. Raises InputError beyond `MAX_CHARACTERS` or `MAX_CRITERIA`.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError("rubric", f"{len(text):,} characters is more than {MAX_CHARACTERS:,}.",
                         "Paste it in parts.")  # fmt: skip
    reader = _Reader()
    found = pieces(text)
    for number, piece in enumerate(found):
        reader.read(piece, found[number + 1] if number + 1 < len(found) else None)
    return reader.result()


class _Reader:
    """Collects criteria and notes, piece by piece."""

    def __init__(self) -> None:
        self.title = ""
        self.criteria: list[dict[str, Any]] = []
        self.sources: list[str] = []
        self.notes: list[Note] = []
        self._keys: set[str] = set()
        self._open: list[Section] = []

    def read(self, piece: Piece, following: Piece | None) -> None:
        scale_follows = following is not None and following.kind == "level"
        if piece.kind == "heading":
            self._heading(piece, scale_follows)
        elif piece.kind == "rule" and not words(piece.text):
            return
        elif piece.kind in ("rule", "tag", "table", "head", "level"):
            self._note(piece, {
                "rule": "A line between parts.", "tag": "A tag.", "level": LEVEL,
                "table": "A table without a head is not read.", "head": "The head of a table.",
            }[piece.kind])  # fmt: skip
        elif piece.kind == "row":
            self._row(piece)
        elif piece.kind == "example":
            self._example(piece, following)
        elif piece.kind == "item":
            inner = following is not None and following.kind == "item" and (
                piece.indent < following.indent or piece.text.rstrip().endswith((":", "："))
            )  # fmt: skip
            self._close(10 + piece.indent)
            for section in self._open:
                section.listed = True
            if scale_follows and self._only_names(piece.text):
                self._note(piece, SCALE)
            elif inner and self._introduces(piece):
                deeper = following is not None and piece.indent < following.indent
                self._section(
                    piece, 10 + piece.indent if deeper else 9, "It introduces the points below it."
                )
            else:
                self._point(piece.line, piece.text)
        elif piece.kind == "intro":
            self._close(8)
            if scale_follows and self._only_names(piece.text):
                self._note(piece, SCALE)
            elif scale_follows:
                self._point(piece.line, piece.text)
            elif to_a_grader(piece.text):
                self._note(piece, to_the_grader(piece.text))
            else:
                self._section(piece, 8, "It introduces what is below it.")
        else:
            self._close(8, lists_only=True)
            for sentence in sentences(piece.text):
                self._sentence(piece.line, sentence)

    # --- parts that hold others ---------------------------------------------------------------

    def _heading(self, piece: Piece, scale_follows: bool) -> None:
        rank = piece.indent
        self._close(rank)
        if not self.criteria and not self.title and not self.notes and not scale_follows:
            self.title = piece.text
            self._open.append(opened(piece, rank, len(self.criteria)))
        elif scale_follows:
            self._note(piece, SCALE)
        else:
            self._section(piece, rank, "A heading.")

    def _introduces(self, piece: Piece) -> bool:
        bare = weightless(piece.text).rstrip()
        return bare.endswith((":", "：")) or not (DEMAND.search(bare) or as_question(bare))

    def _only_names(self, text: str) -> bool:
        """Tell whether what stands above the levels of a scale asks for nothing itself."""
        bare = weightless(text)
        said = LABELLED.match(bare)
        return scored(bare) or not (
            DEMAND.search(bare) or as_question(said["said"] if said else bare)
        )

    def _section(self, piece: Piece, rank: int, why: str) -> None:
        self._note(piece, why)
        self._open.append(opened(piece, rank, len(self.criteria)))

    def _close(self, rank: int, *, lists_only: bool = False) -> None:
        """End the sections that a part of this rank does not stand in, the innermost first."""
        for section in reversed(self._open):
            if section.rank >= rank and (section.listed or not lists_only):
                self._open.remove(section)
                if shared := section.share(self.criteria, self.sources):
                    self.notes.append(Note(section.line, section.text, shared, left_out=False))

    def _row(self, piece: Piece) -> None:
        """Take a row of a table as one criterion: what it says, its weight, its examples."""
        told = [text for role, text in piece.cells if role == "said"]
        name = [text for role, text in piece.cells if role == "name"]
        text = trimmed((told or name or [""])[0])
        if not words(text):
            self._note(piece, "A row of a table without a criterion.")
            return
        if any(role == "level" for role, _ in piece.cells):
            self._note(piece, SCALE)
            return
        before = len(self.criteria)
        self._point(piece.line, text)
        if len(self.criteria) == before:
            # The note holds the one cell only.
            self._note(piece, "The whole row of the note above.")
            return
        self.sources[before] += f"\n{piece.text}"
        for role, cell in piece.cells:
            number = re.search(r"\d+(?:\.\d+)?", cell)
            if role == "weight" and number and float(number.group()):
                self._share(before, float(number.group()))
            elif role in ("pass", "fail"):
                self.criteria[before].setdefault(f"{role}_example", cell)
        kept = ("said", "name", "weight", "pass", "fail")
        rest = [cell for role, cell in piece.cells if role not in kept]
        if any(re.search(r"[^\W\d]", cell) for cell in rest):
            self.notes.append(Note(piece.line, " | ".join(rest), "Other columns of the table."))

    def _example(self, piece: Piece, following: Piece | None) -> None:
        """Take "Good: …" and "Bad: …" as examples of the criterion above."""
        hit = EXAMPLE.match(piece.text)
        assert hit is not None
        said = hit["text"].strip()
        word = (hit["good"] or hit["bad"]).lower().replace("’", "'")
        if word in ("do", "don't", "do not") and (as_question(said) or not self.criteria):
            self._point(piece.line, said, source=piece.text, against=bool(hit["bad"]))
            return
        name = "pass_example" if hit["good"] else "fail_example"
        if not self.criteria or name in self.criteria[-1]:
            why = "has one of this kind already" if self.criteria else "is missing"
            self._note(piece, f"An example, and the criterion above it {why}.")
            return
        self.criteria[-1][name] = said
        self.sources[-1] += f"\n{piece.text}"

    # --- parts that demand something ----------------------------------------------------------

    def _point(self, line: int, text: str, *, source: str = "", against: bool = False) -> None:
        """Read a point of a list: its first sentence asks, the others ask or explain."""
        told = sentences(text)
        if (
            len(told) > 1
            and len(words(told[0])) <= 4
            and not DEMAND.search(told[0])
            and (as_question(weightless(told[0])) is None)
        ):
            told[:2] = [f"{told[0]} {told[1]}"]
            head = weightless(told[0])
            said = head.partition(".")[2].strip() if "." in head else head
        else:
            said = weightless(told[0])
        head_source = source or told[0]
        weight = weight_of(told[0])
        if not words(said):
            self.notes.append(Note(line, head_source, "There are no words in it."))
        elif to_a_grader(said):
            self.notes.append(Note(line, head_source, to_the_grader(said)))
        elif scored(said):
            self._scored(line, head_source, said)
        elif PERMITS.search(said) and not INSISTS.search(said):
            self.notes.append(Note(line, head_source, "It allows something and demands nothing."))
        else:
            turned = (
                against
                or (weight is not None and weight[0] < 0)
                or (any(s.against for s in self._open))
            )
            self._ask(line, head_source, said, turned=turned)
        for sentence in told[1:]:
            self._sentence(line, sentence, explains=True)

    def _sentence(self, line: int, sentence: str, *, explains: bool = False) -> None:
        """Read a sentence of a paragraph: it asks only where it demands something."""
        bare = weightless(sentence)
        if not words(bare):
            why = "There are no words in it."
        elif to_a_grader(bare):
            why = to_the_grader(bare)
        elif scored(bare):
            self._scored(line, sentence, bare)
            return
        elif ALLOWS.search(bare) and not INSISTS.search(bare):
            why = "It allows something and demands nothing."
        elif bare.rstrip().endswith("?") and not is_yes_no(bare):
            why = "A question that yes or no does not answer."
        elif (
            DEMAND.search(bare.strip(" *_"))
            or condition(bare)
            or says_what_is_good(bare)
            or (COMMAND.match(after_dropping(bare.strip(" *_"))) and as_question(bare))
        ):
            self._ask(line, sentence, bare, turned=False)
            return
        else:
            why = "It demands nothing that could be checked."
            if explains:
                why = "It explains the point before it and demands nothing more."
        self.notes.append(Note(line, sentence, why))

    def _scored(self, line: int, source: str, bare: str) -> None:
        asked = unscored(bare)
        if re.match(r"\W*how (?:does|do|is|are|did|can|will|would|has|have)\b", bare, CASE):
            self.notes.append(Note(line, source, "A question that yes or no does not answer."))
        elif asked is not None and is_yes_no(asked) and not SCORE.search(asked):
            self._add(source, asked, line)
            self.notes.append(Note(line, source, "A scale, asked as yes or no: say which level is"
                                   " good enough.", left_out=False))  # fmt: skip
        else:
            self.notes.append(Note(line, source, SCALE))

    def _ask(self, line: int, source: str, bare: str, *, turned: bool) -> None:
        """Add the criterion a demand makes, in other words only where they are sure."""
        fails_if = False
        if found := condition(bare):
            bare, fails_if = found
            turned = turned or fails_if
        if turned:
            question = under_introduction(self._lead(), bare)
            if question is not None:
                self._add(source, question, line)
                return
            # "No jargon" under "Avoid" is not wanted twice over; under "Fail if" it is the fault.
            fails = fails_if or any(FAULTS.search(s.text) for s in self._open)
            question = (
                None if fails else for_the_thing(bare) if re.match(r"no\b", bare, CASE) else None
            )
            question = question or avoided(bare)
            self._add(source, question, line)
            why = VERBATIM if question.startswith("Is this untrue") else TURNED
            self.notes.append(Note(line, source, why, left_out=False))
            return
        question = under_introduction(self._lead(), bare) or question_of(bare, self._part())
        if question is not None:
            self._add(source, question, line)
            return
        if bare.rstrip(' )"”').endswith(("?", "？")):
            self.notes.append(Note(line, source, "A question that yes or no does not answer."))
            return
        hit = LABELLED.match(bare)
        parts = clauses(hit["said"] if hit and len(words(hit["name"])) <= 4 else bare)
        made = [as_question(part) for part in parts]
        if len(parts) > 1 and all(made):
            before = len(self.criteria)
            for at, asked in enumerate(made):
                self._add(source if at == 0 else "", str(asked), line)
            self._share(before, self.criteria[before].pop("weight", None))
            self.notes.append(Note(line, source, f"Read as {len(made)} criteria.", left_out=False))
            return
        self._add(source, word_for_word(bare), line)
        self.notes.append(Note(line, source, VERBATIM, left_out=False))

    def _lead(self) -> str:
        """Return the introduction or point that the one being read stands under, or ""."""
        return self._open[-1].text if self._open and self._open[-1].rank >= 8 else ""

    def _part(self) -> str:
        """Return the part of the output that the section is about, or ""."""
        parts = [part["part"] for s in self._open if (part := PART.match(s.text))]
        return parts[-1] if parts else ""

    def _add(self, source: str, question: str, line: int) -> None:
        if len(self.criteria) >= MAX_CRITERIA:
            raise InputError(f"rubric, line {line}", f"there are more than {MAX_CRITERIA} points.",
                             "Paste it in parts.")  # fmt: skip
        row: dict[str, Any] = {"key": free_key(question, self._keys), "question": question}
        if weight := weight_of(source):
            row["weight"] = abs(weight[0])
        self.criteria.append(row)
        self.sources.append(source)

    def _share(self, start: int, weight: float | None) -> None:
        """Give one weight to the criteria that one point made, in equal parts."""
        rows = self.criteria[start:]
        for row in rows if weight is not None else ():
            row.setdefault("weight", round(float(weight or 0) / len(rows), 6))

    def _note(self, piece: Piece, why: str) -> None:
        self.notes.append(Note(piece.line, piece.text, why))

    def result(self) -> Rubric:
        self._close(0)
        self.notes.sort(key=lambda note: note.line)
        without = sum("weight" not in row for row in self.criteria)
        if without < len(self.criteria):
            said = f" {without} of {len(self.criteria)} criteria have none and count 1."
            rest = said if without else ""
            self.notes.append(
                Note(0, "", "Weights were found; they count only under the rule threshold, which"
                     f" needs a minimum: set it.{rest}", left_out=False)
            )  # fmt: skip
        by_code = sum(code_could(row["question"]) for row in self.criteria)
        if by_code:
            self.notes.append(
                Note(0, "", f"Code could check {by_code} of {len(self.criteria)} criteria: each"
                     " offers its check, none is set.", left_out=False)
            )  # fmt: skip
        return Rubric(self.title, tuple(self.criteria), tuple(self.sources), tuple(self.notes))


def to_draft(rubric: Rubric) -> dict[str, Any]:
    """Return the rubric as a contract's plain data, to be looked over and completed."""
    data: dict[str, Any] = {"criteria": [dict(row) for row in rubric.criteria]}
    return {"title": rubric.title, **data} if rubric.title else data
