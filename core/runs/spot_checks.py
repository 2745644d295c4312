"""Which drafts of a finished loop run go to people: accepted ones at random, flagged ones all.

Accepted drafts are where a wrong accept hides, and nobody looks at them unless they are drawn.
"""

from __future__ import annotations

from hashlib import blake2b

from core.loop.plan import SHARED
from core.loop.stop import Exit
from core.runs.loop_setup import LoopSetup
from core.store.loops import NewDraft, Reason
from core.store.paths import Handed, handed_back
from core.store.runs import Run
from core.store.store import Store

_NOT_THE_DRAFTS = frozenset({Exit.GENERATOR_ERROR, Exit.EVALUATOR_ERROR, Exit.CANCELLED})
"""Exits that say something about the run, and nothing about the draft."""


def drafts_to_check(store: Store, run: Run, setup: LoopSetup) -> list[NewDraft]:
    """Return the drafts of a finished run that people should see, each text of a task once.

    The draw follows from the run's seed and the trace alone: it is the same whatever the order in
    which traces were stored.
    """
    found = handed_back(store, run.id)
    if setup.from_outputs:
        # A first draft that was there stands among the outputs already.
        found = [h for h in found if h.round != 1]
    accepted = [h for h in found if h.exit is Exit.PASS]
    accepted.sort(
        key=lambda h: blake2b(f"{run.seed}\n{h.trace_id}".encode("utf-8", "surrogatepass")).digest()
    )
    drafts: dict[tuple[int, int, str, int], NewDraft] = {}
    for h in accepted:
        if len(drafts) >= setup.spot_checks:
            break
        draft = _draft(h, setup, Reason.SPOT_CHECK, "")
        drafts.setdefault((draft.sample_pk, draft.trial, draft.arm, draft.round), draft)
    if setup.queue_flagged:
        for h in found:
            if h.exit is Exit.PASS or h.exit in _NOT_THE_DRAFTS:
                continue
            draft = _draft(h, setup, Reason.FLAGGED, h.exit.value)
            drafts.setdefault((draft.sample_pk, draft.trial, draft.arm, draft.round), draft)
    return list(drafts.values())


def _draft(h: Handed, setup: LoopSetup, reason: Reason, why: str) -> NewDraft:
    arm = SHARED if setup.shared and h.round == 1 else h.arm.value
    return NewDraft(h.sample_pk, h.trial, arm, h.round, h.draft, reason, why)
