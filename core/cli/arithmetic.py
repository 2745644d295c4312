"""Commands about trying again: attempts (measured draws) and calc (loop against retries)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.cli.base import (
    WORKSPACE,
    Encoding,
    Fails,
    Json,
    ManyAfterFile,
    ManyValues,
    Passes,
    Separator,
    Workspace,
    aligned,
    emit,
    load,
    say,
)

if TYPE_CHECKING:
    from core.files.draws import Draws
    from core.statistics.attempts import Attempts
    from core.statistics.costs import Calculation
    from core.statistics.interval import Result

File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL or JSON.")]

MAX_K = 10_000


class _Rates(ManyValues):
    flags = ("--r",)


class _Draws(ManyAfterFile):
    flags = ("--passed", "--k")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(cls=_Draws)(attempts)
    app.command(cls=_Rates)(calc)


def attempts(
    file: File,
    task: Annotated[str, typer.Option("--task", metavar="COL", help="Column of task ids.")],
    passed: Annotated[
        list[str],
        typer.Option(
            "--passed", metavar="COL...", help="Column: passed or not; several are draws."
        ),
    ],
    ks: Annotated[
        list[str] | None, typer.Option("--k", metavar="K...", help="Numbers of draws, 2 4.")
    ] = None,
    passes: Passes = None,
    fails: Fails = None,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Measure independent draws per task: at least one of k, all k, what fresh draws rescue."""
    from core.files.draws import read_draws, words_of_draws
    from core.files.outcomes import PASSED, one_row_a_draw
    from core.statistics.published import near_greedy
    from core.wording import NEAR_GREEDY, read_whole

    chosen = None if not ks else sorted({read_whole("--k", k, 1, MAX_K) for k in ks})
    table = load(file, encoding, separator)
    if len(passed) > 1:
        table, passed = one_row_a_draw(table, task, passed), [PASSED]
    draws = read_draws(table, task, passed[0], words_of_draws(passes or [], fails or []))
    _say_about(table.name, draws)
    measured = draws.attempts
    if near_greedy(measured):
        say(f"{table.name}: {NEAR_GREEDY}")
    for k in chosen or []:
        if reason := _undefined(measured, k):
            say(f"{table.name}: pass@{k} and pass^{k} are undefined: {reason}.")
    emit(measured.to_json(chosen), _attempts_text(measured, chosen), as_json)


def _say_about(name: str, draws: Draws) -> None:
    from core.wording import plural

    for word, times in draws.left_out.items():
        say(f"{name}: {word!r} is no verdict, left out {times:,} times.")
    if draws.unscored_tasks:
        say(f"{name}: left out {plural(draws.unscored_tasks, 'task')} without any verdict.")
    if draws.unknown:
        say(f"{name}: UNKNOWN counts as not passed, {draws.unknown:,} times.")


def _undefined(one: Attempts, k: int) -> str:
    """Return why pass@k is undefined, or nothing."""
    from core.statistics.interval import Undefined

    found = one.pass_at(k)
    return found.reason if isinstance(found, Undefined) else ""


def _attempts_text(one: Attempts, chosen: list[int] | None) -> list[str]:
    from core.statistics.interval import Undefined
    from core.wording import coefficient, percent, plural, rate

    notes: dict[str, None] = {}

    def cell(result: Result) -> str:
        """Return a rate, or a dash whose reason stands under the table."""
        if isinstance(result, Undefined):
            notes[f"Undefined: {result.reason}."] = None
            return "–"
        return rate(result)

    rows = [["k", "pass@k: at least one", "pass^k: all k", "if independent", "fresh share F_k"]]
    for k in chosen or range(1, one.fewest + 1):
        naive = one.naive_pass_at(k)
        rows.append([
            f"{k}",
            cell(one.pass_at(k)),
            cell(one.pass_hat(k)),
            naive.reason if isinstance(naive, Undefined) else percent(naive),
            cell(one.fresh_share(k)) if k > 1 else "",
        ])  # fmt: skip
    return [
        f"{plural(one.tasks, 'task')}, mean over tasks; drawn without replacement.",
        *aligned(rows),
        *notes,
        f"Correlation of one task's draws: {coefficient(one.correlation)}",
        *(
            [f"{plural(one.tasks, 'more draw')}, one of every task, would tell it and F_2."]
            if max(one.draws, default=0) == 1
            else []
        ),
    ]


def calc(
    p: Annotated[str, typer.Option("--p", metavar="P", help="Share of first drafts good.")],
    r: Annotated[
        list[str],
        typer.Option("--r", metavar="R...", help="Repair rate: one, or one per revision."),
    ],
    cap: Annotated[str, typer.Option("--cap", metavar="N", help="Drafts at most.")],
    critic: Annotated[
        bool, typer.Option("--critic", help="A model critic checks: two calls a round.")
    ] = False,
    far: Annotated[
        str | None, typer.Option("--far", metavar="A", help="Bad drafts the critic passes.")
    ] = None,
    frr: Annotated[
        str | None, typer.Option("--frr", metavar="B", help="Good drafts the critic rejects.")
    ] = None,
    code_catches: Annotated[
        str | None,
        typer.Option("--code-catches", metavar="S", help="Bad drafts the code check fails."),
    ] = None,
    code_misfires: Annotated[
        str, typer.Option("--code-misfires", metavar="Q", help="Good drafts the code check fails.")
    ] = "0",
    damage: Annotated[
        str, typer.Option("--damage", metavar="D", help="Good drafts that revision spoils.")
    ] = "0",
    rho: Annotated[
        str, typer.Option("--rho", metavar="RHO", help="How alike draws of one task are.")
    ] = "0",
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Calculate a loop beside retries, from shares at truth level (0.4, 40% or 40)."""
    from core.statistics import costs
    from core.wording import break_even_words, read_whole

    drafts = read_whole("--cap", cap, 1, costs.MAX_CAP)
    rates = [_share("--r", rate) for rate in r]
    first = _share("--p", p)
    found = costs.calc(
        first,
        rates[0] if len(rates) == 1 else rates,
        drafts,
        critic=critic,
        far=None if far is None else _share("--far", far),
        frr=None if frr is None else _share("--frr", frr),
        code_catches=None if code_catches is None else _share("--code-catches", code_catches),
        code_misfires=_share("--code-misfires", code_misfires),
        damage=_share("--damage", damage),
        rho=_share("--rho", rho),
    )
    even = break_even_words(first, found)
    if as_json and found.break_even_r is None:
        say(f"break_even_r is {even}.")
    emit(found.to_json(), _calc_text(found, drafts, even), as_json)


def _share(place: str, typed: str) -> float:
    from core.wording import read_share

    value, note = read_share(place, typed)
    if note:
        say(f"{place}: {note}.")
    return value


def _calc_text(found: Calculation, cap: int, even: str) -> list[str]:
    from core.wording import decimal, loop_against_retries, per_output, percent, share_or_none

    arms = (found.loop, found.retry)
    return [
        loop_against_retries(cap, *arms),
        *aligned(
            [
                ["", "loop", "retries"],
                ["Accepted", *(percent(arm.accepted) for arm in arms)],
                ["Accepted and good", *(percent(arm.accepted_good) for arm in arms)],
                ["Precision", *(share_or_none(arm.precision) for arm in arms)],
                ["Rounds", *(decimal(arm.rounds) for arm in arms)],
                ["Calls", *(decimal(arm.calls) for arm in arms)],
                ["Calls per accepted", *(per_output(arm.calls_per_accepted) for arm in arms)],
                ["Calls per good one", *(per_output(arm.calls_per_good) for arm in arms)],
                [
                    "Good among sent back",
                    *(share_or_none(arm.sent_back_good_share) for arm in arms),
                ],
            ]
        ),
        f"pass@{cap}, at least one of {cap} draws good: {percent(found.pass_at_k)}",
        f"pass^{cap}, all {cap} good: {percent(found.pass_hat_k)}",
        f"Break-even repair rate: {even}",
        "Computed from typed inputs: no sampling error.",
    ]
