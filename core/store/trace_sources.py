"""Where traces came from (a file, a loop run), and what stands in their rounds besides text.

Nothing here reads a draft: the numbers of ten thousand traces of five rounds come in one query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.providers.scripted import SCRIPTED
from core.store import tables as t
from core.store.paths import ALL, TraceFilter
from core.store.store import Store
from core.store.tables_runs import run


@dataclass(frozen=True)
class Source:
    """One file or one loop run that brought traces; `key` names it in an address.

    `scripted` says that a script, and no model, wrote or judged the drafts.
    """

    key: str
    name: str
    traces: int
    scripted: bool = False


def sources_of(store: Store, project_id: int) -> list[Source]:
    """Return the files and runs a project's traces came from, in the order they came."""
    table = t.trace.c
    query = (
        sa.select(table.run_id, table.import_batch_id, sa.func.count().label("n"))
        .where(table.project_id == project_id)
        .group_by(table.run_id, table.import_batch_id)
        .order_by(sa.func.min(table.id))
    )
    with store.read() as c:
        rows = c.execute(query).all()
        runs = [r.run_id for r in rows if r.run_id is not None]
        batches = [r.import_batch_id for r in rows if r.import_batch_id is not None]
        made = {
            r.id: r for r in c.execute(sa.select(run.c.id, run.c.config).where(run.c.id.in_(runs)))
        }
        files = {
            r.id: r.file_name
            for r in c.execute(sa.select(t.import_batch).where(t.import_batch.c.id.in_(batches)))
        }
    found = []
    for r in rows:
        if r.run_id is not None:
            config = made[r.run_id].config if r.run_id in made else {}
            models = [config.get("model"), config.get("judge_model")]
            said = " and ".join(m for m in models if m)
            name = f"Run {r.run_id}" + (f" · {said}" if said else "")
            found.append(Source(f"run{r.run_id}", name, r.n, SCRIPTED in models))
        else:
            name = files.get(r.import_batch_id) or f"Import {r.import_batch_id}"
            found.append(Source(f"file{r.import_batch_id}", name, r.n))
    return found


def source_by_trace(store: Store, project_id: int) -> Mapping[str, str]:
    """Return the key of the source of every trace, by trace id."""
    table = t.trace.c
    query = sa.select(table.trace_id, table.run_id, table.import_batch_id).where(
        table.project_id == project_id
    )
    with store.read() as c:
        return {
            name: f"file{batch}" if run_id is None else f"run{run_id}"
            for name, run_id, batch in c.execute(query)
        }


def filter_by(key: str | None) -> TraceFilter:
    """Return the filter for a source key such as "run3" or "file1"; anything else is all."""
    for kind in ("run", "file"):
        number = (key or "").removeprefix(kind)
        if key and key.startswith(kind) and number.isdigit():
            which = int(number)
            return TraceFilter(run_id=which) if kind == "run" else TraceFilter(import_id=which)
    return ALL


@dataclass(frozen=True)
class Grid:
    """Numbers of rounds, traces down in the order they were stored, rounds across.

    Padded with NaN behind the last round; NaN also where a number was not recorded. `number` holds
    the rounds' own numbers (0 behind the last one), `seconds`, `usd` and `tokens` are >= 0.
    """

    trace_ids: list[str]
    number: NDArray[np.int64]
    score: NDArray[np.float64]
    usd: NDArray[np.float64]
    seconds: NDArray[np.float64]
    tokens: NDArray[np.float64]

    def upto(self, values: NDArray[np.float64], rounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sum of `values` over each trace's first `rounds` rounds, NaN if one lacks it."""
        width = values.shape[1]
        used = np.arange(width) < rounds[:, None]
        return np.asarray(np.where(used, values, 0.0).sum(axis=1))


def round_grid(store: Store, project_id: int, filter: TraceFilter = ALL) -> Grid:
    """Return the numbers of every round of the traces chosen; no draft is read."""
    r = t.round_.c
    chosen = filter.where(project_id)
    # A fraction is plain text: read as such, fifty thousand of them come in half the time.
    score_text = sa.type_coerce(r.score, sa.String)
    query = (
        sa.select(r.trace_pk, r.number, score_text, r.usd, r.seconds, r.tokens_in, r.tokens_out)
        .join(t.trace, t.trace.c.id == r.trace_pk)
        .where(*chosen)
        .order_by(r.trace_pk, r.number)
    )
    heads = sa.select(t.trace.c.id, t.trace.c.trace_id).where(*chosen).order_by(t.trace.c.id)
    with store.read() as c:
        names = c.execute(heads).all()
        rows = c.execute(query).all()
    at = {pk: i for i, (pk, _) in enumerate(names)}
    of, numbers, scores, *amounts = zip(*rows, strict=True) if rows else ((),) * 7
    row = np.array([at[pk] for pk in of], dtype=np.int64)
    starts = np.searchsorted(row, np.arange(len(names)))
    column = np.arange(len(rows)) - starts[row] if len(rows) else row
    width = int(column.max()) + 1 if len(rows) else 1

    def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
        out = np.full((len(names), width), np.nan)
        out[row, column] = values
        return out

    # None becomes NaN.
    usd, seconds, into, out_of = (np.array(values, dtype=float) for values in amounts)
    score = {word: _fraction(word) for word in set(scores)}
    number = np.zeros((len(names), width), dtype=np.int64)
    number[row, column] = numbers
    return Grid(
        [name for _, name in names],
        number,
        spread(np.array([score[word] for word in scores], dtype=float)),
        spread(usd),
        spread(seconds),
        spread(into + out_of),
    )


def _fraction(word: str | None) -> float:
    if word is None:
        return float("nan")
    top, _, bottom = word.partition("/")
    return int(top) / int(bottom or 1)
