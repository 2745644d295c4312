"""What was sent and what came back, call by call of one trace, as the ledger has it.

A request is not kept word for word: it is built again by walking the loop with the recorded
replies, and shown only where its hash is the one that was stored when it was sent.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.judging.calls import ModelCall
from core.loop.engine import drive
from core.loop.plan import Answer, Ask, Need, Replied
from core.loop.stop import Arm
from core.runs.loop_setup import LoopSetup
from core.runs.loops import Job, jobs_of, place_of, version_of, walk_of
from core.store.loops import PlaceKey, queued_drafts
from core.store.runs import load_run
from core.store.store import Store
from core.store.trace_calls import Attempted, calls_of


@dataclass(frozen=True)
class Exchange:
    """One attempt, and the request that was sent; None where it cannot be built again."""

    attempt: Attempted
    request: ModelCall | None


def exchanges(store: Store, project_id: int, trace_id: str, arm: Arm) -> list[Exchange] | None:
    """Return every attempt of a trace with its request; None where no run here made the trace."""
    found = calls_of(store, project_id, trace_id)
    if found is None:
        return None
    run = load_run(store, found.run_id)
    setup = LoopSetup.from_data(run.config)
    jobs = jobs_of(store, run, [(found.sample_pk, found.trial)])
    asked: dict[PlaceKey, Ask] = {}
    said = {
        (q.arm, q.round): q.verdicts
        for q in queued_drafts(store, run.id)
        if (q.sample_pk, q.trial) == (found.sample_pk, found.trial) and q.verdicts is not None
    }
    for job in jobs:
        walk = walk_of(run, setup, setup.plan(version_of(store, run).contract), job, arm)

        def answer(need: Need, job: Job = job) -> Answer | None:
            if not isinstance(need, Ask):
                return said.get((need.arm, need.round))
            place = place_of(need)
            asked[place] = need
            there = job.replies.get(place)
            if there is None or there.request_hash != need.request_hash:
                return None
            return Replied(there.reply, there.usd)

        drive(walk, answer)
    made = []
    for row in found.attempts:
        ask = asked.get((row.arm, row.round, row.role, row.part, row.ask))
        same = ask is not None and ask.request_hash == row.request_hash
        made.append(Exchange(row, ask.call if ask is not None and same else None))
    return made
