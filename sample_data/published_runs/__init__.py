"""Published runs as counts: facts with their source, for the arithmetic page to work on.

`two_tries.csv` holds one run a line: tasks that finished, all tasks, passed at the first try and by
the second, and the percentage as printed. `runs.yaml` holds runs with independent draws or a loop.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.statistics.attempts import Attempts
from core.statistics.comparison import Paired
from core.statistics.interval import Result, rate
from core.statistics.published import TwoTries, denominator, near_greedy

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class About:
    """Where a run comes from and what it was run on."""

    title: str
    source: str
    licence: str
    years: str
    tasks: str
    check: str
    sampling: str
    note: str


@dataclass(frozen=True)
class LoopRun:
    """A loop's counts: of `tasks` it ended right on `right`; its check accepted some, some wrong."""

    tasks: int
    right: int
    accepted: int
    accepted_wrong: int
    cap: int

    @property
    def right_share(self) -> Result:
        """Right ÷ tasks."""
        return rate(self.right, self.tasks, nothing="no tasks")

    @property
    def false_share(self) -> Result:
        """Wrong ÷ accepted: the false share of accepts, not the false-accept rate."""
        return rate(self.accepted_wrong, self.accepted, nothing="nothing accepted")


@dataclass(frozen=True)
class Run:
    """A run with independent draws, maybe a loop, and the loop paired with other arms."""

    key: str
    about: About
    draws: Attempts
    loop: LoopRun | None
    paired: Mapping[str, Paired]

    @property
    def near_greedy(self) -> bool:
        """Whether its draws are nearly the same draft each time, and so no retry arm."""
        return near_greedy(self.draws)


@dataclass(frozen=True)
class TryRun:
    """One run of two tries; `finished` tasks were counted as run, `counts.tasks` divided by."""

    name: str
    date: str
    finished: int
    counts: TwoTries


@cache
def two_tries() -> tuple[About, tuple[TryRun, ...]]:
    """Return the runs of two tries, each divided by the tasks that give its printed percentage."""
    with (FOLDER / "two_tries.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return _about(_yaml()["two_tries"]), tuple(read_two_tries(row) for row in rows)


def read_two_tries(row: Mapping[str, str]) -> TryRun:
    """Return one line of the table; raises InputError when its counts and percentage disagree."""
    finished, everything = int(row["finished"]), int(row["all_tasks"])
    try:
        tasks = denominator(
            int(row["second"]), float(row["printed_percent"]), [finished, everything]
        )
    except InputError as error:
        raise InputError(row["run"], error.problem, error.remedy) from None
    counts = TwoTries(tasks, int(row["first"]), int(row["second"]))
    return TryRun(row["run"], row["date"], finished, counts)


@cache
def runs() -> tuple[Run, ...]:
    """Return the runs with independent draws."""
    return tuple(_run(data) for data in _yaml()["runs"])


def _run(data: Mapping[str, Any]) -> Run:
    each, good = data["draws"]["each"], data["draws"]["good"]
    counts = [c for c, times in good.items() for _ in range(times)]
    loop = data.get("loop")
    return Run(
        data["key"],
        _about(data),
        Attempts.of([each] * len(counts), counts),
        None if loop is None else LoopRun(len(counts), **loop),
        {
            one["name"]: Paired(one["both"], one["loop_only"], one["other_only"], one["neither"])
            for one in data.get("paired", [])
        },
    )


def _about(data: Mapping[str, Any]) -> About:
    return About(**{name: str(data[name]).strip() for name in About.__dataclass_fields__})


@cache
def _yaml() -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load((FOLDER / "runs.yaml").read_text(encoding="utf-8"))
