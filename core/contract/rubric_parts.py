"""A pasted rubric's layout: its lines joined into headings, points, paragraphs, tables and levels.

Nothing here reads what a sentence demands. Every line of the text ends up in exactly one part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.contract.lint_words import CASE, SCORE
from core.contract.phrases import is_output
from core.contract.verbs import is_third

_BULLET = r"[-*+•・･‣⁃∙·▪▫◦●○■□◆◇►▶➤→✓✔✗✘–—]"
_NUMBER = (
    r"(?:[(（]?(?:\d{1,3}(?:\.\d{1,2}){0,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)．）、]"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}(?=\s)"
    r"|(?:criterion|criteria|rule|requirement|item|point|check)\s*#?\d{1,3}\s*[:.)–—-]"
    r"|[CRQ]\d{1,3}\s*[:.)])"
)
_BOX = r"(?:\[[ xX✓✔]?\]|[☐☑☒✅])"
_ITEM = re.compile(
    rf"^(?P<indent>\s*)(?:(?:(?P<bullet>{_BULLET})|(?P<number>{_NUMBER}))(?:\s+|(?<=[．）、・･])\s*)"
    rf"(?:{_BOX}\s*)?|{_BOX}\s*)(?P<text>\S.*)$",
    CASE,
)
_HEADING = re.compile(
    r"^\s{0,3}#{1,6}\s+(?P<text>.+?)\s*#*$|^\s*(?:\*\*|__)(?P<bold>[^*_]+?):?(?:\*\*|__):?$"
)
# Points that a weight begins, [+5] or "(3 points)", and those between tags need no bullet.
_MARKED = re.compile(
    r"^\s*(?:[(\[（［](?:[+−–-] ?\d|\d{1,3}(?:\.\d+)? ?(?:%|％|points?|pts?\.?|marks?))[^)\]]{0,12}[)\]）］]"
    r"|[+−-]\d{1,3}\b|<(?:criteri(?:on|a)|item|rule|requirement|check|li|point)\b[^<>]*>\s*\S)",
    CASE,
)
_LABEL = re.compile(
    r"^\s*(?:\*\*[^*]{1,50}\*\*|[A-Z][\w'’/ -]{0,30}(?:\([^()]{1,20}\))?[:：]\s+\S)"
)
_RULE = re.compile(r"^\s*(?:(?:[-=*_~]\s*){3,}|`{3,}\w*|~{3,}\w*)$")
_TAG_LINE = re.compile(r"^\s*(?:<[/!?]?[\w-]+(?:\s[^<>]*)?>\s*)+$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
EXAMPLE = re.compile(
    r"^[-*•]?\s*(?:(?P<good>pass(?:ing|es)?(?: example)?|good(?: example)?|✓|✅|do)"
    r"|(?P<bad>fail(?:ing|s)?(?: example)?|bad(?: example)?|✗|❌|don['’]t|do not)"
    r")\s*(?:[:：]|(?<=[✓✅✗❌]))\s*(?P<text>\S.*)$",
    CASE,
)
_LEVEL_WORD = (
    r"(?:excellent|outstanding|exemplary|very good|good|proficient|satisfactory|adequate|acceptable"
    r"|fair|average|developing|basic|needs (?:work|improvement)|weak|limited|beginning|poor"
    r"|very poor|unsatisfactory|unacceptable|inadequate|fail(?:ing)?|pass|bad|full (?:marks|credit)"
    r"|partial(?: credit)?|no credit|(?:fully |partially |does not |exceeds? |meets? |below )"
    r"(?:meets?(?: expectations)?|met|expectations?))"
)
_LEVEL = re.compile(
    rf"^[-*+•·]?\s*(?:\*\*)?[(\[]?(?:(?:score|level|grade|rating)s?(?: of)?\s*)?"
    rf"(?:(?P<n>\d{{1,3}})(?:\s*[-–—]\s*\d{{1,3}})?(?:\s*(?:points?|pts?\.?|stars?|marks?|%))?"
    rf"(?:\s*[(\[]{_LEVEL_WORD}[)\]])?|(?P<word>{_LEVEL_WORD})(?:\s*[(\[][^()\[\]]{{1,20}}[)\]])?)"
    r"[)\]]?(?:\*\*)?\s*(?P<mark>[:：=.)]|[-–—](?=\s))(?:\*\*)?\s*(?P<text>\S.*)$",
    CASE,
)
_PLAIN_WORDS = frozenset({"good", "bad", "pass", "fail", "failing"})
_LEVEL_HEAD = re.compile(
    rf"^(?:(?:score|level|grade) )?(?:{_LEVEL_WORD}|\d{{1,2}}(?: ?(?:points?|pts?|stars?))?)"
    r"(?:\s*[(\[–:=-].{0,30})?$",
    CASE,
)
_ROLES = (
    ("weight", re.compile(r"weight(?:ing)?|points?|pts\.?|marks?|max(?:imum)?(?: (?:points?|score|marks))?"
                          r"|%|percent(?:age)?|worth|score|value", CASE)),
    ("pass", re.compile(r"(?:pass(?:ing)?|good|positive)(?: example)?|example(?: of a)? pass(?:es)?"
                        r"|example \(pass\)", CASE)),
    ("fail", re.compile(r"(?:fail(?:ing)?|bad|negative)(?: example)?|example(?: of a)? fail(?:s|ure)?"
                        r"|example \(fail\)", CASE)),
    ("said", re.compile(r".*\b(?:description|question|requirement|expectation|standard|definition"
                        r"|what|details?|statement|rule)s?\b.*", CASE)),
    ("name", re.compile(r".*\b(?:criteri(?:on|a)|dimension|aspect|category|area|check|item|name"
                        r"|quality|attribute|metric)s?\b.*", CASE)),
)  # fmt: skip


@dataclass
class Piece:
    """A part of the rubric before it is read.

    `kind` is heading, item, prose, example, rule, tag, level or row; a row's `cells` are
    (role, text), the roles said, name, weight, pass, fail, other and level.
    """

    line: int
    text: str
    kind: str
    indent: int = 0
    cells: tuple[tuple[str, str], ...] = ()
    after: str = ""


def pieces(text: str) -> list[Piece]:
    """Return the parts of a rubric in order: continued lines joined, blank lines dropped."""
    lines = [re.sub(r"^\s{0,3}>\s?", "", line) for line in text.splitlines()]
    made: list[Piece] = []
    at, blank, fresh = 0, False, False
    while at < len(lines):
        line, number = lines[at], at + 1
        if not line.strip():
            blank, at = True, at + 1
            continue
        if count := _table(lines, at, made):
            at, blank, fresh = at + count, False, False
            continue
        # A title underlined, as Markdown has it.
        if (
            made
            and not blank
            and re.match(r"^\s*(?:={3,}|-{3,})\s*$", line)
            and made[-1].kind == "prose"
            and len(made[-1].text) < 80
        ):
            made[-1].kind, made[-1].indent = "heading", 2 if "-" in line else 1
        piece = _piece(line, number)
        last = made[-1] if made and fresh else None
        if piece.kind == "prose" and last is not None and _goes_on(last, line, blank):
            last.text += f" {line.strip()}"
        else:
            if piece.kind == "prose":
                piece.after = "blank" if blank else "line"
            made.append(piece)
            fresh = piece.kind in ("item", "example", "prose")
        blank, at = False, at + 1
    return _lines_as_points(_levels(made))


def _piece(line: str, number: int) -> Piece:
    stripped = line.strip()
    if _RULE.match(line):
        return Piece(number, stripped, "rule")
    if _TAG_LINE.match(line):
        return Piece(number, stripped, "tag")
    if heading := _HEADING.match(line):
        depth = 7 if heading["bold"] else len(stripped) - len(stripped.lstrip("#"))
        return Piece(number, (heading["text"] or heading["bold"]).strip(), "heading", depth)
    if EXAMPLE.match(stripped):
        return Piece(number, stripped, "example", _indent(line))
    if item := _ITEM.match(line):
        return Piece(
            number, item["text"].strip(), "item", _indent(line), after=item["number"] or ""
        )
    if _MARKED.match(line):
        return Piece(number, stripped, "item", _indent(line))
    if "|" in stripped and stripped.startswith("|"):
        return Piece(number, stripped, "table")
    return Piece(number, stripped, "prose", _indent(line))


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _goes_on(last: Piece, line: str, blank: bool) -> bool:
    """Tell whether a line without a mark goes on with the part above it."""
    if blank or _LABEL.match(line) or re.match(r"\s*\d{1,2}\s*=\s", line):
        return False
    indented, first = _indent(line) > last.indent, line.strip()[:1]
    if last.kind in ("item", "example"):
        return indented or not first.isupper()
    ended = last.text.rstrip().endswith((".", "!", "?", ":", "。", "！", "？", "：", '."', ".)"))
    latest = last.text.rsplit("\n", 1)[-1]
    return first.islower() or (len(latest) >= 45 and not latest.rstrip().endswith(":")) or (
        ended and len(latest) >= 45
    )  # fmt: skip


def _lines_as_points(made: list[Piece]) -> list[Piece]:
    """Take three or more short lines under one another, without marks, as points of a list."""
    start = 0
    short_heads = sum(
        a.kind == b.kind == "prose"
        and a.after == "blank"
        and b.after == "line"
        and len(a.text.split()) <= 2
        for a, b in pairwise(made)
    )
    while start < len(made):
        end = start + 1
        if made[start].kind == "prose":
            while end < len(made) and made[end].kind == "prose" and made[end].after == "line":
                end += 1
            body = made[start:end]
            if body and re.search(r"[:：]$", body[0].text):
                body = body[1:]
            if len(body) > 2 and short_heads > 1 and len(body[0].text.split()) <= 2:
                body[0].kind, body = "intro", body[1:]
            if len(body) > 2 and is_output(body[0].text) and is_third(*_first(body[1].text)):
                body[0].kind, body = "intro", body[1:]
            short = [
                (len(p.text) < 120 and not re.search(r"[.!。！:：]$", p.text))
                or _LABEL.match(p.text) is not None
                for p in body
            ]
            if len(body) >= 2 and sum(short) * 2 > len(body):
                for piece in body:
                    piece.kind, piece.indent = "item", 0
        start = end
    for here, below in pairwise(made):
        if (
            here.kind == "prose"
            and below.kind in ("item", "level")
            and (
                here.text.endswith((":", "："))
                or (len(here.text.split()) <= 8 and not re.search(r"[.!?。！？]$", here.text))
            )
        ):
            here.kind = "intro"
    # A short line alone above a paragraph names what follows.
    for here, below in pairwise(made):
        if (
            here.kind == "prose"
            and below.kind == "prose"
            and (len(here.text.split()) <= 6 and not re.search(r"[.!?,;。！？]$", here.text))
        ):
            here.kind = "intro"
    return made


def _first(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(" ")
    return word, f" {rest}"


def _levels(made: list[Piece]) -> list[Piece]:
    """Mark the levels of a scale: 5 – …, 4 – …; or Excellent: …, Poor: …."""
    start = 0
    while start < len(made):
        hits: list[re.Match[str]] = []
        end = start
        while end < len(made) and made[end].kind in ("item", "prose", "example"):
            raw = (
                made[end].after + " " + made[end].text
                if made[end].kind == "item"
                else made[end].text
            )
            hit = _LEVEL.match(made[end].text) or _LEVEL.match(raw.strip())
            if hit is None or (hits and _sort(hit) != _sort(hits[0])):
                break
            hits.append(hit)
            end += 1
        if len(hits) > 1 and _is_scale(hits, made[start - 1] if start else None):
            for piece in made[start:end]:
                piece.kind = "level"
        start = max(end, start + 1)
    return made


def _sort(hit: re.Match[str]) -> tuple[bool, bool]:
    return hit["word"] is None, hit["mark"] in ".)"


def _is_scale(hits: Sequence[re.Match[str]], above: Piece | None) -> bool:
    named = {hit["word"].lower() for hit in hits if hit["word"]}
    if named:
        return len(named) > 1 and not named <= _PLAIN_WORDS
    numbers = [int(hit["n"]) for hit in hits]
    steps = {b - a for a, b in pairwise(numbers)}
    if above is not None and SCORE.search(above.text):
        return True
    # "1. … 2. …" is a list; "5: … 4: …", and "0 = …", is a scale.
    listed = all(hit["mark"] in ".)" for hit in hits)
    return (
        not listed and len(steps) <= 3 and (all(s > 0 for s in steps) or all(s < 0 for s in steps))
    )


# --- tables ----------------------------------------------------------------------------------


def _cells(line: str) -> list[str]:
    stripped = line.strip()
    if "|" not in stripped:
        return [cell.strip() for cell in stripped.split("\t")]
    body = stripped[1:] if stripped.startswith("|") else stripped
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    parts = re.split(r"(?<!\\)\|", body)
    return [
        re.sub(r"<br\s*/?>", " ", part.replace("\\|", "|"), flags=CASE).strip() for part in parts
    ]


def _table(lines: Sequence[str], at: int, made: list[Piece]) -> int:
    """Read the table that begins at a line into `made`; returns how many lines it takes, or 0."""
    head, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
    ruled = "|" in head and "-" in below and _TABLE_RULE.match(below) is not None
    tabbed = (
        "\t" in head.strip() and "\t" in below.strip() and len(_cells(head)) == len(_cells(below))
    )
    piped = head.lstrip().startswith("|") and below.lstrip().startswith("|")
    if not (ruled or tabbed or piped):
        return 0
    roles = _roles(_cells(head))
    if not ruled and not {"said", "name"} & set(roles):
        return 0
    made.append(Piece(at + 1, head.strip(), "head"))
    end = at + 1
    if ruled:
        made.append(Piece(at + 2, below.strip(), "rule"))
        end += 1
    while end < len(lines) and ("|" in lines[end] or (tabbed and "\t" in lines[end].strip())):
        found = _cells(lines[end])
        roles_here = [*roles, *("other" for _ in found[len(roles) :])]
        cells = tuple((role, cell) for role, cell in zip(roles_here, found, strict=False) if cell)
        made.append(Piece(end + 1, lines[end].strip(), "row", cells=cells))
        end += 1
    return end - at


def _roles(head: Sequence[str]) -> list[str]:
    """Return what each column of a table holds, by its heading."""
    made = [next((role for role, is_one in _ROLES if is_one.fullmatch(_bare(cell))), "other")
            for cell in head]  # fmt: skip
    levels = [_LEVEL_HEAD.match(_bare(cell)) is not None for cell in head]
    words = {_bare(cell).lower() for cell, level in zip(head, levels, strict=True) if level}
    if sum(levels) > 1 and not words <= _PLAIN_WORDS:
        made = ["level" if level else role for role, level in zip(made, levels, strict=True)]
    if not {"said", "name"} & set(made) and "other" in made:
        made[made.index("other")] = "said"
    return made


def _bare(text: str) -> str:
    return text.strip(" *_`:")
