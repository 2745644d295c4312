"""Commands about recorded loops: replay."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from core.cli.base import (
    SHOWN,
    WORKSPACE,
    Command,
    Json,
    Workspace,
    aligned,
    emit,
    one_line,
    say,
)

Number = Annotated[
    str | None, typer.Option("--cap", metavar="N", help="Drafts at most, instead of the trace's.")
]
Rounds = Annotated[
    str | None,
    typer.Option("--window", metavar="K", help="Rounds without a higher score, likewise."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(cls=Command)(replay)


def replay(
    traces: Annotated[Path, typer.Argument(metavar="TRACES", help="JSONL, one trace a line.")],
    cap: Number = None,
    window: Rounds = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Apply a stop rule to recorded rounds: the traces' own, or one with another cap or window."""
    from core.files.traces import read_traces
    from core.loop.replay import replay_all, summary
    from core.loop.run_shapes import shapes_of_replays

    limits = {"cap": _whole("--cap", cap), "window": _whole("--window", window)}
    file = read_traces(traces)
    about = (*file.refused, *file.notes)
    for note in about[:SHOWN]:
        say(f"{traces}, {one_line(str(note))}")
    if len(about) > SHOWN:
        say(f"{traces}: {len(about) - SHOWN:,} more lines like these.")
    replays = replay_all(file.traces, **limits)
    data = summary(replays)
    for row, names in zip(data["rows"], shapes_of_replays(replays), strict=True):
        row["shapes"] = list(names)
    data["shapes"] = dict(Counter(name for row in data["rows"] for name in row["shapes"]))
    why = [f"{r.trace.trace_id}: {r.censored}" for r in replays if r.exit is None]
    emit(data, _text(data, why), as_json)


def _whole(flag: str, given: str | None) -> int | None:
    """Return the number of a flag, or refuse it in one line that names the flag."""
    from core.errors import InputError, show

    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 6 and int(given) >= 1):
        raise InputError(flag, f"{show(given)} is no whole number of 1 or more.", "Give one.")
    return int(given)


def _text(data: dict[str, Any], why: list[str]) -> list[str]:
    from core.wording import plural

    rows = data["rows"]
    lines = [
        f"{plural(data['traces'], 'trace')}: {data['accepted']:,} accepted, "
        f"{data['observed'] - data['accepted']:,} not, {data['censored']:,} cannot be told."
    ]
    labelled = data["accepted"] - data["accepted_unlabelled"]
    if labelled:
        lines.append(f"Of {labelled:,} accepted with a gold label, {data['accepted_good']:,} good.")
    lines.append(f"{plural(data['calls'], 'call')} in {plural(data['observed'], 'trace')}.")
    counts = sorted(data["exits"].items(), key=lambda item: -item[1])
    lines += aligned([["exit", "traces"], *([name, f"{n:,}"] for name, n in counts)])
    if data["shapes"]:
        shapes = sorted(data["shapes"].items(), key=lambda item: -item[1])
        lines += aligned([["shape", "traces"], *([name, f"{n:,}"] for name, n in shapes)])
    changed = sum(r["exit"] is not None and r["exit"] != r["recorded_exit"] for r in rows)
    recorded = sum(r["recorded_exit"] is not None for r in rows)
    if changed and recorded:
        lines.append(f"{plural(changed, 'trace')} ended otherwise in the record.")
    lines += [f"Cannot be told: {one_line(line)}." for line in why[:SHOWN]]
    if len(why) > SHOWN:
        lines.append(f"{len(why) - SHOWN:,} more; --json lists all.")
    return lines
