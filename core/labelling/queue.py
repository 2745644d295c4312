"""The order in which a reviewer meets the outputs.

Every reviewer has an order of their own, so that tiredness and learning do not fall on the same
outputs for everybody. It comes from hashes, not from a generator's state: it is the same on every
machine and after every restart, and outputs added later slot in without moving the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import blake2b


def shuffled(output_ids: Iterable[int], reviewer_key: str, seed: str) -> list[int]:
    """Return the ids in this reviewer's own order under the seed of the project."""
    key = blake2b(f"{seed}\n{reviewer_key}".encode("utf-8", "surrogatepass")).digest()

    def rank(output_id: int) -> bytes:
        return blake2b(str(output_id).encode(), digest_size=8, key=key).digest()

    return sorted(output_ids, key=lambda output_id: (rank(output_id), output_id))


def queue_order(
    own_order: Iterable[int], labelled: Collection[int], deferred: Collection[int]
) -> tuple[list[int], int]:
    """Return the queue and the place in it where work goes on.

    First what is labelled (to look back at), then what is open, then what was deferred, each in
    `own_order`. The place is the index of the first output to do, or the length of the queue when
    there is none.
    """
    done, open_, later = list[int](), list[int](), list[int]()
    for output_id in own_order:
        if output_id in labelled:
            done.append(output_id)
        elif output_id in deferred:
            later.append(output_id)
        else:
            open_.append(output_id)
    return [*done, *open_, *later], len(done)
