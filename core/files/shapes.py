"""The shapes in which people keep labels and verdicts, brought to one cell at a time.

Long: a row per verdict, with a column for the criterion. Wide: a column per criterion, or a
column per reviewer. All give the same stream of cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import InputError, show
from core.files.outputs import DEFAULT_TRIAL, read_trial
from core.files.tables import Problem, Table
from core.verdict import OVERALL, WordMap, fold_word

_KNOWN = {
    "sample_id": ("sample_id", "id", "idx", "sample", "item_id", "question_id", "task_id"),
    "trial": ("trial", "epoch"),
    "criterion": ("criterion", "criteria", "rubric", "metric"),
    "verdict": ("verdict", "label", "result", "grade", "rating"),
    "labelled_at": ("labelled_at", "labeled_at", "timestamp", "created_at"),
    "change": ("change",),
}
LABEL_COLUMNS = ("kind", "stratum", "weight", "seconds", "question_hash")
"""Columns of our own label files beside what is said: read when a `Shape` has them in `more`."""

_WHO = {
    "reviewer": ("reviewer", "annotator", "rater", "labeller", "labeler", "user"),
    "judge": ("judge", "evaluator", "grader", "model"),
}
_SAID = {
    "reviewer": ("note", "notes", "comment", "critique"),
    "judge": ("evidence", "explanation", "reason", "rationale"),
}


@dataclass(frozen=True)
class Shape:
    """Where a file keeps its verdicts: exactly one of `verdict`, `by_criterion`, `by_who`.

    `verdict` is the column of a long file; `by_criterion` maps columns to criterion keys (or
    "overall"); `by_who` maps columns to reviewers or judges. The criterion comes from the
    `criterion` column, else it is `criterion_is`; the reviewer or judge from the `who` column,
    else it is `who_is`. `said` is the note or evidence column. `more` maps names of LABEL_COLUMNS
    to columns.
    """

    sample_id: str
    verdict: str | None = None
    by_criterion: Mapping[str, str] = field(default_factory=dict)
    by_who: Mapping[str, str] = field(default_factory=dict)
    trial: str | None = None
    criterion: str | None = None
    criterion_is: str = OVERALL
    who: str | None = None
    who_is: str = ""
    said: str | None = None
    change: str | None = None
    labelled_at: str | None = None
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """One verdict word with everything that says what it is about; `more` by LABEL_COLUMNS."""

    sample_id: str
    trial: int
    criterion: str
    who: str
    word: str
    said: str
    change: str
    labelled_at: str
    extra: dict[str, str]
    line: int
    more: dict[str, str]


@dataclass(frozen=True)
class WordPreview:
    """What a word map would make of a column, before anything is stored.

    `by_word` counts the words as compared; `by_verdict` counts PASS, FAIL, UNKNOWN and "none";
    `unmapped` counts words the map has no answer for: they must be mapped first.
    """

    by_word: dict[str, int]
    by_verdict: dict[str, int]
    unmapped: dict[str, int]


def preview_words(values: Iterable[str], words: WordMap, *, judge: bool) -> WordPreview:
    """Return the effect of `words` on a column of a judge or of people."""
    by_word = Counter(fold_word(value) for value in values)
    by_verdict: Counter[str] = Counter()
    unmapped: Counter[str] = Counter()
    for word, count in by_word.items():
        try:
            verdict = words.read(word, place="", judge=judge)
        except InputError:
            unmapped[word] += count
        else:
            by_verdict["none" if verdict is None else verdict.value] += count
    return WordPreview(dict(by_word), dict(by_verdict), dict(unmapped))


def suggest_shape(columns: Sequence[str], who: str) -> Shape:
    """Return the shape of a long file by its column names; `who` is "reviewer" or "judge".

    To be offered, not assumed; `sample_id` is "" when no column looks like an id.
    """
    folded = {name.strip().casefold().replace(" ", "_"): name for name in reversed(columns)}

    def known(words: Sequence[str]) -> str | None:
        return next((folded[word] for word in words if word in folded), None)

    return Shape(
        known(_KNOWN["sample_id"]) or "",
        verdict=known(_KNOWN["verdict"]),
        trial=known(_KNOWN["trial"]),
        criterion=known(_KNOWN["criterion"]),
        who=known(_WHO[who]),
        said=known(_SAID[who]),
        change=known(_KNOWN["change"]) if who == "judge" else None,
        labelled_at=known(_KNOWN["labelled_at"]) if who == "reviewer" else None,
        more=label_columns(columns) if who == "reviewer" else {},
    )


def label_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return those of LABEL_COLUMNS that are there, if the file is one this program wrote.

    A column "kind" or "weight" of somebody's own stays theirs.
    """
    known = {name: name for name in LABEL_COLUMNS if name in columns}
    return known if len(known) == len(LABEL_COLUMNS) else {}


def cells(table: Table, shape: Shape, who: str, problems: list[Problem]) -> Iterator[Cell]:
    """Yield every verdict cell of `table`; rows that cannot be placed go to `problems`.

    `who` is "reviewer" or "judge", for messages. Raises InputError for a missing column, for a
    shape that is none of the three or more than one, and when nobody is named.
    """
    if (shape.verdict is not None) + bool(shape.by_criterion) + bool(shape.by_who) != 1:
        raise InputError(
            table.name,
            f"the verdicts must be in one column, in columns by criterion, or in columns by {who}.",
            "Choose one of the three.",
        )
    if shape.who is None and not shape.by_who and not shape.who_is.strip():
        raise InputError(table.name, f"no {who} is named.", f"Choose a column or type the {who}.")
    single = (
        shape.sample_id,
        shape.verdict,
        shape.trial,
        shape.criterion,
        shape.who,
        shape.said,
        shape.change,
        shape.labelled_at,
        *shape.more.values(),
    )
    used = [name for name in (*single, *shape.by_criterion, *shape.by_who) if name is not None]
    table.require(*used)
    extras = [name for name in table.columns if name not in used]
    for row, line in zip(table.records(), table.lines, strict=True):
        try:
            yield from _of_row(row, shape, who, {name: row[name] for name in extras}, line)
        except ValueError as error:
            problems.append(Problem(line, str(error)))


def _of_row(
    row: Mapping[str, str], shape: Shape, who: str, extra: dict[str, str], line: int
) -> list[Cell]:
    """Return the cells of one row; raises ValueError saying why it cannot be placed."""
    sample_id = row[shape.sample_id].strip()
    if not sample_id:
        raise ValueError("the sample id is blank.")
    trial = DEFAULT_TRIAL if shape.trial is None else read_trial(row[shape.trial])
    criterion = shape.criterion_is if shape.criterion is None else row[shape.criterion]
    person = shape.who_is if shape.who is None else row[shape.who]
    if shape.verdict is not None:
        places = [(shape.verdict, criterion, person)]
    elif shape.by_criterion:
        places = [(column, key, person) for column, key in shape.by_criterion.items()]
    else:
        places = [(column, criterion, name) for column, name in shape.by_who.items()]
    found = []
    for column, key, name in places:
        if not key.strip():
            raise ValueError("the criterion is blank.")
        if not name.strip():
            raise ValueError(f"the {who} is blank.")
        found.append(
            Cell(
                sample_id,
                trial,
                criterion_key(key),
                name.strip(),
                row[column],
                row[shape.said] if shape.said else "",
                row[shape.change] if shape.change else "",
                row[shape.labelled_at] if shape.labelled_at else "",
                extra,
                line,
                {name: row[at] for name, at in shape.more.items()},
            )
        )
    return found


def criterion_key(text: str) -> str:
    """Return the criterion key in a cell: trimmed; "Overall" in any case is the reserved key."""
    key = text.strip()
    return OVERALL if key.casefold() == OVERALL else key


def row_key(sample_id: str, trial: int, criterion: str, who: str) -> str:
    """Return the identity of a label or verdict in words."""
    return f"sample {show(sample_id)}, trial {trial}, {criterion}, {who}"
