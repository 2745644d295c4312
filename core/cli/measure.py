"""Commands that measure verdicts in tables: agreement, raters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.base import (
    WORKSPACE,
    Command,
    Encoding,
    Fails,
    Json,
    ManyValues,
    Passes,
    Separator,
    Workspace,
    aligned,
    emit,
    load,
    load_contract,
    say,
)

if TYPE_CHECKING:
    from core.files.pairs import Pairs
    from core.files.tables import Table
    from core.statistics.confusion import Confusion
    from core.verdict import WordMap

File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(cls=Command)(agreement)
    app.command(cls=ManyValues)(raters)


def agreement(
    file: File,
    gold: Annotated[str, typer.Option("--gold", metavar="COL", help="Column of gold labels.")],
    judge: Annotated[str, typer.Option("--judge", metavar="COL", help="Column of verdicts.")],
    passes: Passes = None,
    fails: Fails = None,
    id_column: Annotated[
        str | None, typer.Option("--id", metavar="COL", help="Column of ids.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="COL", help="Column of clusters.")
    ] = None,
    criterion: Annotated[
        str | None, typer.Option("--criterion", metavar="COL", help="Column of criteria.")
    ] = None,
    contract: Annotated[
        Path | None, typer.Option("--contract", metavar="F", help="Contract with the rule.")
    ] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Compare a judge with gold labels: false accepts, false rejects, kappa."""
    from core.files.pairs import read_pairs, words_of

    rule = None if contract is None else load_contract(contract)
    table = load(file, encoding, separator)
    words = words_of(table, [gold, judge], passes or [], fails or [])
    pairs = read_pairs(
        table, gold, judge, words, id=id_column, cluster=cluster, criterion=criterion, contract=rule
    )
    _say_about(table, pairs, words, [gold, judge])
    measured = _count(pairs)
    data: dict[str, Any] = measured.to_json()
    text = _agreement_text(measured)
    if criterion is not None:
        each = {key: _count(some) for key, some in pairs.by_criterion.items()}
        data["by_criterion"] = {key: one.to_json() for key, one in each.items()}
        for key, one in each.items():
            text += ["", f"Criterion {key}", *_agreement_text(one)]
    emit(data, text, as_json)


def _count(pairs: Pairs) -> Confusion:
    from core.statistics.confusion import count

    return count(pairs.gold, pairs.judge, pairs.clusters)


def _say_about(table: Table, pairs: Pairs, words: WordMap, columns: list[str]) -> None:
    """Say on stderr what was taken for what, and what is not in the numbers."""
    from core.verdict import fold_word
    from core.wording import plural

    fails = "any other word" if words.fails is None else ", ".join(sorted(words.fails)) or "nothing"
    say(f"PASS is {', '.join(sorted(words.passes)) or 'nothing'}; FAIL is {fails}.")
    for column in columns:
        if words.passes.isdisjoint(map(fold_word, set(table.column(column)))):
            say(f"{table.name}: no cell of {column!r} is a word for PASS.")
    if pairs.repeats:
        say(f"{table.name}: {plural(pairs.repeats, 'identical repeat')} left out.")
    for key in pairs.absent:
        say(f"{table.name}: no row is about criterion {key!r} of the contract.")


def _agreement_text(one: Confusion) -> list[str]:
    from core.wording import coefficient, count_of, plural, rate

    left = f"{one.unlabelled:,} unlabelled, {one.unscored:,} unscored"
    lines = [f"{plural(one.n, 'pair')} with a label and a verdict; left out: {left}."]
    if one.says:
        lines.append(f"The judge {one.says}.")
    lines += aligned(
        [
            ["", "judge PASS", "judge FAIL"],
            ["gold PASS", f"{one.true_accept:,}", f"{one.false_reject:,}"],
            ["gold FAIL", f"{one.false_accept:,}", f"{one.true_reject:,}"],
        ]
    )
    if one.unknown_good or one.unknown_bad:
        lines.append(
            f"UNKNOWN counts as FAIL: {one.unknown_good:,} of good, {one.unknown_bad:,} of bad."
        )
    return lines + aligned(
        [
            ["False-accept rate", count_of(one.false_accept_rate), rate(one.false_accept_rate)],
            ["False-reject rate", count_of(one.false_reject_rate), rate(one.false_reject_rate)],
            ["Precision", count_of(one.precision), rate(one.precision)],
            ["Accuracy", count_of(one.accuracy), rate(one.accuracy)],
            [
                "Passing everything",
                count_of(one.always_pass_accuracy),
                rate(one.always_pass_accuracy),
            ],
            ["Kappa", count_of(one.kappa), coefficient(one.kappa)],
            ["AC1", count_of(one.ac1), coefficient(one.ac1)],
        ]
    )


def raters(
    file: File,
    raters: Annotated[
        list[str], typer.Option("--raters", metavar="COL...", help="Columns, one per rater.")
    ],
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Compare raters with each other: agreement, kappa, alpha, AC1 of words as they stand."""
    from itertools import combinations

    from core.files.pairs import read_ratings
    from core.statistics import agreement as between
    from core.statistics.interval import Undefined
    from core.statistics.interval import as_json as result_json
    from core.wording import coefficient, decimal, percent

    table = load(file, encoding, separator)
    ratings = read_ratings(table, raters)
    for word, times in ratings.left_out.items():
        say(f"{table.name}: {word!r} is no rating, left out {times:,} times.")
    alpha, ac1 = between.alpha(ratings.codes), between.ac1(ratings.codes)
    pairs = [
        (raters[i], raters[j], between.pairwise(ratings.codes[:, i], ratings.codes[:, j]))
        for i, j in combinations(range(len(raters)), 2)
    ]
    data = {
        "n": alpha.n,
        "pairwise": [{"a": a, "b": b, **pair.to_json()} for a, b, pair in pairs],
        "alpha": result_json(alpha),
        "ac1": result_json(ac1),
    }
    rows = [["", "n", "equal", "kappa"]]
    for a, b, pair in pairs:
        equal, kappa = pair.agreement, pair.kappa
        rows.append(
            [
                f"{a} and {b}",
                f"{pair.n:,}",
                equal.reason if isinstance(equal, Undefined) else percent(equal),
                kappa.reason if isinstance(kappa, Undefined) else decimal(kappa, 3),
            ]
        )
    emit(
        data,
        [
            f"{alpha.n:,} items with two or more ratings; words: {', '.join(ratings.words)}.",
            *aligned(rows),
            f"Alpha  {coefficient(alpha)}",
            f"AC1    {coefficient(ac1)}",
        ],
        as_json,
    )
