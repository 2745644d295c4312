"""Which outputs people label next, and with what chance: a random stratum first, then the useful.

The random stratum is a uniform draw from all outputs and is always kept: it alone says how things
are without leaning on a judge. After it come outputs by what the judges said, as many that the
newest judge passed as it failed until one of the two is used up, then its UNKNOWNs, then the
outputs on which judges differ, then the rest. Within a stratum the order is that of a seeded hash,
so that whatever of a stratum was labelled is a uniform draw from it: labels are reweighted by
stratum (Begg and Greenes 1983).

What is drawn together is mixed before a reviewer meets it (each has an order of their own), and no
stratum is sent to a browser: place in the queue says nothing of the judge's verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from itertools import chain, zip_longest

import numpy as np
from numpy.typing import NDArray

from core.statistics.confusion import FAIL, PASS, UNKNOWN

Codes = NDArray[np.int8]


class Stratum(StrEnum):
    """Why an output was drawn; all but RANDOM are apart from each other and from the random draw."""

    RANDOM = "random"
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SPLIT = "split"
    UNJUDGED = "unjudged"


@dataclass(frozen=True)
class Draw:
    """An output for the queue. `probability` is the chance it had within its stratum, in (0, 1].

    For RANDOM: outputs drawn at random ÷ all outputs. Else: outputs of the stratum drawn so far,
    this batch included ÷ all outputs of the stratum outside the random draw.
    """

    output_id: int
    stratum: Stratum
    probability: float


def strata(newest_first: Sequence[Codes]) -> list[Stratum]:
    """Return the stratum of each output from the verdict codes of one or more judges.

    SPLIT: one judge passes what another fails. Else what the newest judge said that said anything.
    """
    if not newest_first:
        return []
    all_ = np.stack(newest_first)
    split = np.any(all_ == PASS, axis=0) & np.any(all_ == FAIL, axis=0)
    word = {PASS: Stratum.PASSED, FAIL: Stratum.FAILED, UNKNOWN: Stratum.UNKNOWN}
    return [
        Stratum.SPLIT
        if split[at]
        else next((word[code] for code in all_[:, at].tolist() if code in word), Stratum.UNJUDGED)
        for at in range(all_.shape[1])
    ]


def draw(
    want: int,
    outputs: Mapping[int, Stratum],
    drawn: Mapping[int, Stratum],
    *,
    random_size: int | None,
    seed: str,
) -> list[Draw]:
    """Return the next `want` outputs to put into the queue, fewer when no more are left.

    `outputs` gives the stratum of every output that counts, `drawn` those drawn before with the
    stratum they were drawn for. Random until `random_size` are drawn; all at random when it is
    None or no judge has said anything.
    """
    rank = _Rank(seed)
    total = len(outputs)
    left = sorted((o for o in outputs if o not in drawn), key=rank)
    before = sum(stratum is Stratum.RANDOM for stratum in drawn.values())
    judged = any(stratum is not Stratum.UNJUDGED for stratum in outputs.values())
    size = total if random_size is None or not judged else random_size
    at_random = left[: max(0, min(want, size - before))]
    # Everything at random: the chance is the part drawn by then. A fixed stratum is drawn as one.
    share = before + len(at_random) if random_size is None or not judged else size
    found = [Draw(o, Stratum.RANDOM, min(1.0, share / total)) for o in at_random]
    rest = left[len(at_random) :]
    chosen = _useful(rest, outputs)[: want - len(at_random)]
    now = Counter(outputs[o] for o in chosen)
    past: Counter[Stratum] = Counter(
        stratum for stratum in drawn.values() if stratum is not Stratum.RANDOM
    )
    frame = past + Counter(outputs[o] for o in rest)
    for o in chosen:
        of = outputs[o]
        found.append(Draw(o, of, (past[of] + now[of]) / frame[of]))
    return found


def _useful(rest: Sequence[int], outputs: Mapping[int, Stratum]) -> list[int]:
    """Return `rest` (in random order) with the most useful first."""
    by: dict[Stratum, list[int]] = {stratum: [] for stratum in Stratum}
    for o in rest:
        by[outputs[o]].append(o)
    passed, failed = by[Stratum.PASSED], by[Stratum.FAILED]
    both = min(len(passed), len(failed))
    balanced = chain.from_iterable(zip(passed[:both], failed[:both], strict=True))
    return [
        *balanced,
        *by[Stratum.UNKNOWN],
        *by[Stratum.SPLIT],
        *passed[both:],
        *failed[both:],
        *by[Stratum.UNJUDGED],
    ]


EVERY = 20
"""One repeat after so many labels: 5 %."""
APART = 20
"""Labels that lie between an output and its repeat, at least: nobody remembers it for sure."""


def with_repeats(
    open_: Sequence[int], labelled: Sequence[int], repeated: Collection[int], *, seed: str
) -> list[tuple[int, bool]]:
    """Return the open outputs with second looks mixed in, each with whether it is one.

    `labelled` are the reviewer's own, oldest first, `repeated` those of them met again already.
    One repeat is due after every EVERY labels; what is overdue comes twice as often. Which output
    comes is a matter of a hash of `seed`, so that a reload does not change it.
    """
    rank = _Rank(f"{seed}\nrepeat")
    waiting = sorted((o for o in labelled if o not in repeated), key=rank)
    place = {output: at for at, output in enumerate(labelled)}
    made, found = len(repeated), list[tuple[int, bool]]()
    since = EVERY // 2  # one that is overdue comes soon, not at once
    for done, output in enumerate(open_, start=len(labelled)):
        found.append((output, False))
        since += 1
        if (done + 1) // EVERY > made and since >= EVERY // 2:
            again = next((o for o in waiting if done - place[o] >= APART), None)
            if again is not None:
                found.append((again, True))
                waiting.remove(again)
                made, since = made + 1, 0
    return found


PRACTICE = 10
"""Settled items of a practice round."""


def practice_round(
    settled: Mapping[int, bool], met: Sequence[int] = (), *, seed: str, size: int = PRACTICE
) -> list[int]:
    """Return up to `size` settled outputs to practise on, `met` (practised already) first.

    `settled` says of each output whether it passes. As many that pass as fail, as far as there
    are, in an order that does not tell which.
    """
    rank = _Rank(f"{seed}\npractice")
    left = sorted((o for o in settled if o not in set(met)), key=rank)
    sides = ([o for o in left if settled[o]], [o for o in left if not settled[o]])
    # Two per turn, so that an odd place does not always go to the same side.
    turns = zip_longest(*(sides if rank(0) < rank(1) else sides[::-1]))
    mixed = [o for turn in turns for o in turn if o is not None]
    return [*met, *sorted(mixed[: max(0, size - len(met))], key=rank)][: max(size, len(met))]


class _Rank:
    """A key to sort by: a hash of the seed and the output, the same on every machine."""

    def __init__(self, seed: str) -> None:
        self.key = blake2b(seed.encode("utf-8", "surrogatepass")).digest()

    def __call__(self, output_id: int) -> tuple[bytes, int]:
        """Return the place of an output in this random order."""
        return blake2b(str(output_id).encode(), digest_size=8, key=self.key).digest(), output_id
