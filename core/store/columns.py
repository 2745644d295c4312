"""The users' own columns of outputs, as codes to filter and to slice by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from core.store import tables as t
from core.store.store import Store


@dataclass(frozen=True)
class Column:
    """One imported column: `values` by how often they occur, `codes[i]` the value of output i.

    An output that came without the column has the value "".
    """

    name: str
    values: tuple[str, ...]
    codes: NDArray[np.int32]

    def where(self, value: str) -> NDArray[np.bool_]:
        """Return which outputs have this value; none for a value that does not occur."""
        if value not in self.values:
            return np.zeros(len(self.codes), np.bool_)
        return np.asarray(self.codes == self.values.index(value))


def load_columns(store: Store, project_id: int, outputs: NDArray[np.int64]) -> dict[str, Column]:
    """Return the imported columns of these outputs (store ids, ascending) by name.

    A column with one and the same value everywhere tells nothing apart and is left out.
    """
    query = sa.select(t.output.c.id, t.output.c.extra).where(
        t.output.c.project_id == project_id,
        t.output.c.current,
        t.output.c.extra != sa.literal({}, t.output.c.extra.type),
    )
    with store.read() as c:
        extra = {r.id: r.extra for r in c.execute(query)}
    names = dict.fromkeys(name for one in extra.values() for name in one)
    found: dict[str, Column] = {}
    nothing: dict[str, str] = {}
    for name in names:
        cells = [str(extra.get(i, nothing).get(name, "")) for i in outputs.tolist()]
        ordered = [value for value, _ in Counter(cells).most_common()]
        if len(ordered) < 2:
            continue
        index = {value: at for at, value in enumerate(ordered)}
        codes = np.array([index[cell] for cell in cells], dtype=np.int32)
        found[name] = Column(name, tuple(ordered), codes)
    return found
