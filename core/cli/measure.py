"""Commands that measure verdicts in tables: agreement, gate, raters."""

from __future__ import annotations

from collections.abc import Sequence
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
from core.errors import InputError

if TYPE_CHECKING:
    from core.contract.contract import Contract
    from core.files.pairs import Pairs
    from core.files.tables import Table
    from core.statistics.confusion import Confusion
    from core.statistics.interval import Result
    from core.verdict import WordMap

File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(cls=Command)(agreement)
    app.command(cls=Command)(gate)
    app.command(cls=ManyValues)(raters)


Gold = Annotated[
    list[str],
    typer.Option(
        "--gold", metavar="COL", help="Column of gold labels; given again, most of them decide."
    ),
]
Judge = Annotated[str, typer.Option("--judge", metavar="COL", help="Column of verdicts.")]
IdColumn = Annotated[str | None, typer.Option("--id", metavar="COL", help="Column of ids.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="COL",
        help='Outputs alike in it are no independent ones; a column named sample is taken, "" takes none.',
    ),
]
CriterionColumn = Annotated[
    str | None, typer.Option("--criterion", metavar="COL", help="Column of criteria.")
]


def agreement(
    file: File,
    gold: Gold,
    judge: Judge,
    passes: Passes = None,
    fails: Fails = None,
    id_column: IdColumn = None,
    cluster: Cluster = None,
    criterion: CriterionColumn = None,
    contract: Annotated[
        Path | None, typer.Option("--contract", metavar="F", help="Contract with the rule.")
    ] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Compare a judge with gold labels: false accepts, false rejects, kappa."""
    rule = None if contract is None else load_contract(contract)
    table = load(file, encoding, separator)
    about = (id_column, cluster, criterion)
    _, data, text = _measured(table, gold, judge, passes, fails, about, rule)
    emit(data, text, as_json)


def gate(
    contract: Annotated[
        Path, typer.Argument(metavar="CONTRACT", help="Contract with the limits and the rule.")
    ],
    file: File,
    gold: Gold,
    judge: Judge,
    passes: Passes = None,
    fails: Fails = None,
    id_column: IdColumn = None,
    cluster: Cluster = None,
    criterion: CriterionColumn = None,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> int:
    """Exit with 1 unless a judge is shown to keep the contract's limits, upper ends included."""
    from core.wording import against_limit, capital

    rule = load_contract(contract)
    limits = rule.limits
    if limits.false_accept_rate is None and limits.false_reject_rate is None:
        raise InputError(
            str(contract), "it sets no limits.", "Add limits: false_accept_rate, false_reject_rate."
        )
    table = load(file, encoding, separator)
    about = (id_column, cluster, criterion)
    found, data, text = _measured(table, gold, judge, passes, fails, about, rule)
    checked = [
        (found.false_accept_rate, limits.false_accept_rate, "bad outputs", "passed"),
        (found.false_reject_rate, limits.false_reject_rate, "good outputs", "rejected"),
    ]
    met = all(_keeps(result, limit) for result, limit, *_ in checked)
    text += [
        capital(against_limit(result, limit, what=what, verb=verb))
        for result, limit, what, verb in checked
        if limit is not None
    ]
    emit({**data, "met": met}, [*text, "Met." if met else "Not met."], as_json)
    return 0 if met else 1


def _keeps(result: Result, limit: float | None) -> bool:
    from core.statistics.interval import Estimate

    return limit is None or (isinstance(result, Estimate) and result.high <= limit)


def _measured(
    table: Table,
    gold: list[str],
    judge: str,
    passes: list[str] | None,
    fails: list[str] | None,
    columns: tuple[str | None, str | None, str | None],
    rule: Contract | None,
) -> tuple[Confusion, dict[str, Any], list[str]]:
    """Measure a judge against gold; `columns` are those of ids, clusters and criteria."""
    from core.files.pairs import read_pairs, words_of

    id_column, cluster, criterion = columns
    cluster = _cluster(table, cluster, (*gold, judge, id_column, criterion))
    words = words_of(table, [*gold, judge], passes or [], fails or [])
    pairs = read_pairs(
        table, gold, judge, words, id=id_column, cluster=cluster, criterion=criterion, contract=rule
    )
    _say_about(table, pairs, words, [*gold, judge])
    measured = _count(pairs)
    data: dict[str, Any] = measured.to_json()
    text = _agreement_text(measured)
    if criterion is not None:
        each = {key: _count(some) for key, some in pairs.by_criterion.items()}
        data["by_criterion"] = {key: one.to_json() for key, one in each.items()}
        for key, one in each.items():
            text += ["", f"Criterion {key}", *_agreement_text(one)]
    return measured, data, text


def _cluster(table: Table, named: str | None, taken: Sequence[str | None]) -> str | None:
    """Return the column of clusters: the one named, else the one that holds samples by its name."""
    from core.files.pairs import sample_column

    if named is not None:
        return named or None
    found = sample_column(table, taken)
    if found is not None:
        say(f'Rows of one {found!r} are taken as alike; --cluster "" takes all as independent.')
    return found


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
    from core.wording_agreement import cluster_line

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
    if (clusters := cluster_line(one)) is not None:
        lines.append(clusters)
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
    cluster: Cluster = None,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Compare raters with each other: agreement, kappa, alpha, AC1 of words as they stand."""
    from itertools import combinations

    from core.files.pairs import numbered, read_ratings
    from core.statistics import agreement as between
    from core.statistics.interval import Undefined
    from core.statistics.interval import as_json as result_json
    from core.wording import coefficient, decimal, percent

    table = load(file, encoding, separator)
    ratings = read_ratings(table, raters)
    for word, times in ratings.left_out.items():
        say(f"{table.name}: {word!r} is no rating, left out {times:,} times.")
    column = _cluster(table, cluster, raters)
    groups = None if column is None else numbered(table, column)
    alpha, ac1 = between.alpha(ratings.codes, groups), between.ac1(ratings.codes, groups)
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
            *([] if column is None else [f"Intervals allow for rows of one {column!r}."]),
        ],
        as_json,
    )
