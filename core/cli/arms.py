"""The command arms: loop against retries, as measured, in a table of drafts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.base import (
    WORKSPACE,
    Encoding,
    Fails,
    Json,
    ManyAfterFile,
    Passes,
    Separator,
    Workspace,
    aligned,
    emit,
    load,
    say,
)
from core.errors import InputError

if TYPE_CHECKING:
    from core.statistics.arms import Arms
    from core.statistics.attempts import Attempts
    from core.statistics.readings import Retries

File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or JSON.")]


class _Retries(ManyAfterFile):
    flags = ("--retry",)


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(cls=_Retries)(arms)


def arms(
    file: File,
    task: Annotated[str, typer.Option("--task", metavar="COL", help="Column of task ids.")],
    arm: Annotated[
        str | None, typer.Option("--arm", metavar="COL", help="Column: loop or retry.")
    ] = None,
    round_column: Annotated[
        str | None,
        typer.Option("--round", metavar="COL", help="Column of rounds, or draws in retries."),
    ] = None,
    passed: Annotated[
        str | None, typer.Option("--passed", metavar="COL", help="Column: passed or not.")
    ] = None,
    loop: Annotated[
        str | None,
        typer.Option("--loop", metavar="COL", help="One row a task: did the loop's draft pass."),
    ] = None,
    retry: Annotated[
        list[str] | None,
        typer.Option("--retry", metavar="COL...", help="One row a task: did this draft pass."),
    ] = None,
    gold: Annotated[
        str | None, typer.Option("--gold", metavar="COL", help="Column of gold labels.")
    ] = None,
    critic: Annotated[
        bool, typer.Option("--critic", help="A model critic checks: two calls a draft.")
    ] = False,
    calls: Annotated[
        str | None, typer.Option("--calls", metavar="COL", help="Column of calls per draft.")
    ] = None,
    passes: Passes = None,
    fails: Fails = None,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Compare loop and retries on the same tasks: who accepted more, and at how many calls."""
    from core.files.drafts import read_drafts
    from core.files.draws import read_draws, words_of_draws
    from core.files.outcomes import PASSED, one_row_a_draw, read_outcomes
    from core.statistics.arms import measure
    from core.statistics.readings import retries
    from core.wording import plural

    if critic and calls is not None:
        raise InputError("--critic", "--calls already says what a draft costs.", "Drop one.")
    words = words_of_draws(passes or [], fails or [])
    if loop is not None or retry:
        given = [
            n for n, v in (("--arm", arm), ("--round", round_column), ("--passed", passed)) if v
        ]
        if given or loop is None or not retry:
            raise InputError(
                "--loop, --retry", "one row a task needs both, and no --arm, --round, --passed.",
                "Name the outcome columns of both.",
            )  # fmt: skip
        table = load(file, encoding, separator)
        ends = read_outcomes(table, task, loop, retry, words)
        if len(retry) > 1:
            rows = one_row_a_draw(table, task, retry)
            _say_if_greedy(table.name, read_draws(rows, task, PASSED, words).attempts)
        emit(_ends(ends), _ends_text(ends), as_json)
        return
    if arm is None or round_column is None or passed is None:
        raise InputError(
            "--arm, --round, --passed", "one row a draft needs all three.",
            "Or name --loop and --retry of a table with one row a task.",
        )  # fmt: skip
    table = load(file, encoding, separator)
    drafts = read_drafts(
        table, task, arm, round_column, passed, words,
        gold=gold, calls=calls, calls_each=2.0 if critic else 1.0,
    )  # fmt: skip
    if drafts.repeats:
        say(f"{table.name}: {plural(drafts.repeats, 'identical repeat')} left out.")
    for word, times in drafts.left_out.items():
        say(f"{table.name}: {word!r} is no verdict, unscored {times:,} times.")
    if drafts.unknown:
        say(f"{table.name}: UNKNOWN counts as not passed, {drafts.unknown:,} times.")
    found = measure(drafts.rows, gold=gold is not None)
    if not found.tasks:
        raise InputError(table.name, "no task has both arms.", "Give loop and retry of each task.")
    if found.without_gold:
        say(
            f"{table.name}: {plural(found.without_gold, 'pair')} with an accepted draft that has no "
            "gold label, left out of the comparison."
        )
    draws = retries(drafts.rows)
    _say_if_greedy(table.name, draws.attempts)
    emit(found.to_json(), [*_text(found), *_about_draws(found, draws)], as_json)


def _say_if_greedy(name: str, draws: Attempts) -> None:
    from core.statistics.published import near_greedy
    from core.wording import NEAR_GREEDY

    if near_greedy(draws):
        say(f"{name}: {NEAR_GREEDY}")


def _about_draws(found: Arms, draws: Retries) -> list[str]:
    """Say what independence hides, or what one draw a task cannot tell and how many would."""
    from core.statistics.interval import Undefined
    from core.statistics.readings import draws_that_would_do
    from core.wording import coefficient, percent, plural, point_gap

    cap = len(found.retry.by_round)
    if draws.most == 1:
        fresh, likeness = draws_that_would_do(found, max(cap, 2))
        return [
            f"One draw per task tells neither the fresh share F nor ρ: {plural(fresh, 'more draw')} "
            f"would give F, {plural(likeness, 'more draw')} ρ."
        ]
    lines = [f"Correlation of one task's draws: {coefficient(draws.attempts.correlation)}"]
    fresh_share, p = found.fresh_share, found.p1
    if cap > 1 and not isinstance(fresh_share, Undefined) and not isinstance(p, Undefined):
        promised = 1 - (1 - p.value) ** (cap - 1)
        hidden = promised - fresh_share.value
        if hidden > 0:
            lines.append(
                f"Independent draws would rescue {percent(promised)} of failures: what "
                f"independence hides is {point_gap(hidden)}."
            )
    return lines


def _ends(found: Arms) -> dict[str, Any]:
    """Return what outcomes alone tell; rounds are not known."""
    data: dict[str, Any] = found.to_json()
    kept = {key: data[key] for key in ("tasks", "unpaired", "paired", "winner")}
    sides = {side: {"accepted": data[side]["accepted"]} for side in ("loop", "retry")}
    return {**kept, **sides}


def _ends_text(found: Arms) -> list[str]:
    lines = _text(found)
    start = next(i for i, line in enumerate(lines) if line.startswith("Accepted "))
    pairs = next(i for i, line in enumerate(lines) if line.startswith("Both "))
    return [lines[0], lines[start], *lines[pairs:]]


def _text(found: Arms) -> list[str]:
    from core.statistics.interval import Undefined
    from core.wording import count_of, decimal, p_value, plural, rate

    def per(calls: float | None) -> str:
        return "–" if calls is None else decimal(calls)

    def good(count: int | None) -> str:
        return "not labelled" if count is None else f"{count:,}"

    loop, retry, pairs = found.loop, found.retry, found.paired
    measured = {
        "First drafts accepted": found.p1,
        **{f"Repaired in round {n}": one for n, one in found.repair_rate.items()},
        "Rescued by the loop": found.rescue_share,
        "Passed at the second draw": found.fresh_rate,
        "Rescued by retries": found.fresh_share,
    }
    gap = found.difference
    lines = [
        f"{plural(found.tasks, 'task')} in both arms, {found.unpaired:,} in one only.",
        *aligned([[name, count_of(one), rate(one)] for name, one in measured.items()]),
        *aligned([
            ["", "loop", "retries"],
            ["Accepted", f"{loop.accepted:,}", f"{retry.accepted:,}"],
            ["Accepted and good", good(loop.accepted_good), good(retry.accepted_good)],
            ["Calls per accepted", per(loop.calls_per_accepted), per(retry.calls_per_accepted)],
        ]),
        f"Both {pairs.both:,}, loop only {pairs.first_only:,}, retries only "
        f"{pairs.second_only:,}, neither {pairs.neither:,}; "
        f"exact {p_value(pairs.p_exact)}, mid-P {p_value(pairs.p_mid)}.",
    ]  # fmt: skip
    if isinstance(gap, Undefined):
        return [*lines, f"Difference: {gap.reason}."]
    points = f"{100 * gap.value:+.1f} points ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"
    lines.append(f"Loop minus retries: {points}.")
    if found.winner is not None:
        winner = "The loop" if found.winner == "loop" else "Trying again"
        return [*lines, f"{winner} accepts more{' good outputs' if found.gold else ''}."]
    more = found.more_tasks
    advice = more.reason if isinstance(more, Undefined) else f"about {more:,} more tasks would"
    return [*lines, f"Cannot tell which is better: {advice}."]
