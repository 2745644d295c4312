"""From a table to pairs of gold label and verdict, and to ratings by several people.

Only this module knows how words, repeats and criteria of a file become codes; the statistics see
nothing but the codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.contract.acceptance import accept_codes
from core.contract.contract import Contract
from core.errors import InputError, show
from core.files.shapes import criterion_key
from core.files.tables import Table
from core.labelling.gold import settle
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN
from core.verdict import (
    MISSING_WORDS,
    OVERALL,
    Verdict,
    WordMap,
    fold_word,
    suggest_words,
)

Codes = NDArray[np.int8]
_SAMPLE_NAMES = ("sample", "sample_id")
_CODES = {Verdict.PASS: PASS, Verdict.FAIL: FAIL, Verdict.UNKNOWN: UNKNOWN, None: MISSING}


@dataclass(frozen=True)
class Pairs:
    """Gold labels and verdicts as codes PASS, FAIL, UNKNOWN, MISSING, one of each per pair.

    `gold` and `judge` are (n,) int8; `clusters` is (n,) cluster numbers or None; `lines` the line
    in the file where each pair begins. `repeats` counts identical rows that were dropped. With a
    criterion column, a pair of the top level is one id's acceptance, `by_criterion` holds the
    pairs of each criterion, and `absent` names the contract's criteria without a row.
    """

    gold: Codes
    judge: Codes
    clusters: NDArray[np.int64] | None
    lines: list[int]
    repeats: int = 0
    by_criterion: dict[str, Pairs] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ratings:
    """Ratings as codes (items, raters), MISSING where there is none, and the words they stand for.

    `left_out` counts the cells that are no rating, by word ("blank", "garbage" …).
    """

    codes: NDArray[np.int64]
    words: list[str]
    left_out: dict[str, int]


def words_of(
    table: Table, columns: Sequence[str], passes: Sequence[str], fails: Sequence[str]
) -> WordMap:
    """Return the word map a person asked for, completed by words that can only mean one thing.

    With `passes` given it is taken as it stands. Without, pass/fail, true/false, yes/no and the
    like are understood; 1 and 0 are not, since tools disagree on them. Raises InputError naming
    the words that need an answer.
    """
    if passes:
        return WordMap.of(passes, fails or None)
    values = [value for column in columns for value in table.column(column)]
    yes, no, open_words = suggest_words(values)
    failing = {fold_word(word) for word in fails}
    yes = [word for word in yes if word not in failing]
    open_words = [word for word in open_words if word not in failing]
    if open_words:
        listed = ", ".join(show(word, 40) for word in open_words[:5])
        raise InputError(
            f"{table.name}, columns {', '.join(columns)}",
            f"{listed} may mean PASS or FAIL.",
            "Say which words mean PASS (--pass WORD); any other is then FAIL.",
        )
    if not yes and not no and not fails:
        raise InputError(
            f"{table.name}, columns {', '.join(columns)}",
            "there is no verdict word.",
            "Choose the columns that hold the verdicts.",
        )
    return WordMap.of(yes, [*no, *fails])


def read_pairs(
    table: Table,
    gold: str | Sequence[str],
    judge: str,
    words: WordMap,
    *,
    id: str | None = None,
    cluster: str | None = None,
    criterion: str | None = None,
    contract: Contract | None = None,
) -> Pairs:
    """Return the pairs in columns `gold` and `judge` of `table`; without `id` each row is one.

    With several columns `gold` the label is what most of them say; a tie is no label.

    Rows with the same id (with `criterion`: the same id and criterion) collapse when they are
    the same in every cell. With `criterion`, the top level is acceptance per id: by the rule of
    `contract`, else every criterion found in the file must pass. It is decided for gold and judge
    alike: FAIL as soon as the criteria still open cannot save it, missing while they can. A gold
    label on "overall" goes before the rule; an evaluator's own "overall" is used only where it
    says nothing else. An output rejected only because of UNKNOWNs is UNKNOWN.

    Raises InputError with the line for a word outside the map, a blank id, cluster or criterion,
    rows that repeat an id differently (both lines), and criteria the contract does not have.
    """
    if criterion is not None and id is None:
        raise InputError(table.name, "criteria are joined by id.", "Name the id column (--id).")
    people = [gold] if isinstance(gold, str) else list(gold)
    table.require(*(n for n in (*people, judge, id, cluster, criterion) if n is not None))
    rows, repeats = _distinct(table, id, criterion)
    said = np.stack([_codes(table, rows, name, words, judge=False) for name in people])
    passes, fails = ((said == code).sum(axis=0) for code in (PASS, FAIL))
    golds = settle(passes, fails, np.full(len(rows), MISSING, np.int8)).codes
    judges = _codes(table, rows, judge, words, judge=True)
    clusters = None if cluster is None else _numbered(table, rows, cluster)
    lines = [table.lines[row] for row in rows]
    if criterion is None or id is None:
        return Pairs(golds, judges, clusters, lines, repeats)
    keys = [criterion_key(value) for value in _present(table, rows, criterion)]
    found = _criteria(table, lines, keys, contract)
    by_criterion: dict[str, Pairs] = {}
    for key in found:
        at = np.array([number for number, name in enumerate(keys) if name == key], dtype=np.int64)
        groups = None if clusters is None else clusters[at]
        by_criterion[key] = Pairs(golds[at], judges[at], groups, [lines[number] for number in at])
    if contract is None and found:
        contract = Contract.from_data({"criteria": [{"key": key} for key in found]}, table.name)
    ids = [value.strip() for value in _present(table, rows, id)]
    starts = _starts(table, ids, clusters, lines)
    both = [_per_id(ids, keys, codes, contract) for codes in (golds, judges)]
    (gold_rule, gold_overall, _), (judge_rule, judge_overall, judge_silent) = both
    return Pairs(
        np.where(gold_overall == MISSING, gold_rule, gold_overall),
        np.where(judge_silent, judge_overall, judge_rule),
        None if clusters is None else clusters[starts],
        [lines[number] for number in starts],
        repeats,
        by_criterion,
        () if contract is None else tuple(key for key in contract.keys if key not in found),
    )


def _starts(
    table: Table, ids: list[str], clusters: NDArray[np.int64] | None, lines: list[int]
) -> list[int]:
    """Return the number of each id's first row; refuses an id that is in two clusters."""
    first: dict[str, int] = {}
    for number, name in enumerate(ids):
        start = first.setdefault(name, number)
        if clusters is not None and clusters[number] != clusters[start]:
            raise InputError(
                table.place(lines[number]),
                f"id {show(name)} is in another cluster than on line {lines[start]}.",
                "Give one cluster per id.",
            )
    return list(first.values())


def _per_id(
    ids: list[str], keys: list[str], codes: Codes, contract: Contract | None
) -> tuple[Codes, Codes, NDArray[np.bool_]]:
    """Return per id, in order of appearance: by rule, by "overall", nothing by criterion."""
    column = {name: number for number, name in enumerate(dict.fromkeys(ids))}
    row = {key: number for number, key in enumerate(() if contract is None else contract.keys)}
    grid = np.full((len(row) + 1, len(column)), MISSING, dtype=np.int8)  # the last row is "overall"
    at = [row.get(key, len(row)) for key in keys], [column[name] for name in ids]
    grid[at] = codes
    silent = (grid[:-1] == MISSING).all(axis=0)
    rule = grid[-1] if contract is None else accept_codes(contract, grid[:-1])
    return rule, grid[-1], silent


def sample_column(table: Table, taken: Sequence[str | None]) -> str | None:
    """Return the column that by its name holds samples, when some rows share one; else None.

    It is none of the columns `taken` for something else, and no cell of it is blank.
    """
    for name in table.columns:
        if name not in taken and name.strip().casefold().replace(" ", "_") in _SAMPLE_NAMES:
            cells = [cell.strip() for cell in table.column(name)]
            if all(cells) and len(set(cells)) < len(cells):
                return name
    return None


def numbered(table: Table, column: str) -> NDArray[np.int64]:
    """Return the cells of a column as numbers, the same for the same text; refuses blank ones."""
    return _numbered(table, list(range(len(table))), column)


def _distinct(table: Table, id: str | None, criterion: str | None) -> tuple[list[int], int]:
    """Return the row numbers to use and how many identical repeats are not among them."""
    if id is None:
        return list(range(len(table))), 0
    everything = list(range(len(table)))
    names = _present(table, everything, id)
    kinds = [""] * len(table) if criterion is None else _present(table, everything, criterion)
    seen: dict[tuple[str, str], int] = {}
    rows: list[int] = []
    for number, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        before = seen.setdefault((name.strip(), criterion_key(kind)), number)
        if before == number:
            rows.append(number)
        elif table.rows[before] != table.rows[number]:
            about = f" with criterion {show(kind)}" if criterion else ""
            raise InputError(
                f"{table.name}, lines {table.lines[before]} and {table.lines[number]}",
                f"{id} {show(name)}{about} is given twice, differently.",
                "Keep one of them, or choose an id column that tells them apart.",
            )
    return rows, len(table) - len(rows)


def _present(table: Table, rows: list[int], column: str) -> list[str]:
    """Return the cells of `column`; raises InputError at the first blank one."""
    at = table.index(column)
    cells = [table.rows[row][at] for row in rows]
    for row, cell in zip(rows, cells, strict=True):
        if not cell.strip():
            raise InputError(
                f"{table.place(table.lines[row])}, column {column}",
                "the cell is blank.",
                "Fill it, or leave the line out.",
            )
    return cells


def _codes(table: Table, rows: list[int], column: str, words: WordMap, *, judge: bool) -> Codes:
    at = table.index(column)
    known: dict[str, int] = {}
    codes = np.empty(len(rows), dtype=np.int8)
    for number, row in enumerate(rows):
        cell = table.rows[row][at]
        if cell not in known:
            place = f"{table.place(table.lines[row])}, column {column}"
            known[cell] = _CODES[words.read(cell, place=place, judge=judge)]
        codes[number] = known[cell]
    return codes


def _numbered(table: Table, rows: list[int], column: str) -> NDArray[np.int64]:
    numbers: dict[str, int] = {}
    cells = _present(table, rows, column)
    return np.array([numbers.setdefault(c.strip(), len(numbers)) for c in cells], dtype=np.int64)


def _criteria(
    table: Table, lines: list[int], keys: list[str], contract: Contract | None
) -> list[str]:
    """Return the criteria found, in contract order, "overall" apart; refuses unknown ones."""
    found = dict.fromkeys(keys)
    found.pop(OVERALL, None)
    if contract is None:
        return list(found)
    for key in found:
        if key not in contract.keys:
            raise InputError(
                table.place(lines[keys.index(key)]),
                f"the contract has no criterion {show(key)}.",
                f"It has {', '.join(contract.keys)}.",
            )
    return [key for key in contract.keys if key in found]


def read_ratings(table: Table, raters: Sequence[str]) -> Ratings:
    """Return the nominal words of the columns `raters` as codes.

    Words are compared without regard to case and blanks around them; there is no mapping to PASS
    and FAIL. Blank, "n/a", "unsure", "garbage" and the like are no rating. Raises InputError for
    fewer than two different columns.
    """
    if len(set(raters)) < 2 or len(set(raters)) < len(raters):
        raise InputError(
            "raters",
            f"{show(list(raters))} are not two or more different columns.",
            "Name a column per rater.",
        )
    numbers: dict[str, int] = {}
    left_out: dict[str, int] = {}
    known: dict[str, int] = {}
    codes = np.empty((len(table), len(raters)), dtype=np.int64)
    for rater, column in enumerate(raters):
        for row, cell in enumerate(table.column(column)):
            code = known.get(cell)
            if code is None:
                word = fold_word(cell)
                missing = word in MISSING_WORDS
                code = MISSING if missing else numbers.setdefault(word, len(numbers))
                known[cell] = code
            if code == MISSING:
                word = fold_word(cell) or "blank"
                left_out[word] = left_out.get(word, 0) + 1
            codes[row, rater] = code
    return Ratings(codes, list(numbers), left_out)
