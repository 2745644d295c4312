"""What a loop run has come to, what is under way, and what one would come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.judging.calls import ModelCall, Usage
from core.judging.prompt import build_call, config_hash, requests_for
from core.loop.engine import drive
from core.loop.generator import Attempt, first_call, revision_call
from core.loop.plan import Answer, Ask, Need, Replied
from core.loop.stop import Arm
from core.loop.trace import Trace, uses_judge
from core.runs.calls import FRAME
from core.runs.loop_setup import LoopSetup
from core.runs.loops import Job, finished, jobs_of, place_of, trace_name, version_of, walk_of
from core.runs.models import Price
from core.runs.summary import CHARACTERS_A_TOKEN, SECONDS_A_CALL, TOKENS_A_CRITERION
from core.store.contracts import Version
from core.store.ledger import Spent, spent, usual
from core.store.loops import queued_drafts, tasks_begun
from core.store.paths import run_exits, run_rounds, run_tasks, run_trace_names
from core.store.runs import Run
from core.store.samples import load_samples
from core.store.store import Store

TOKENS_A_DRAFT = 400
"""Rule of thumb for a draft where no earlier one of the writer was counted."""


@dataclass(frozen=True)
class LoopSummary:
    """Where a loop run stands, over the traces that have ended.

    `judged` drafts have a scored judgement of their own, `reused` took an earlier one because the
    draft came back, `unscored` counts the others by reason; a first draft that both arms share
    counts once. `exits` counts traces.
    """

    total: int
    traces: int
    judged: int
    reused: int
    unscored: Mapping[str, int]
    exits: Mapping[str, int]
    spent: Spent
    seconds: float

    def to_json(self) -> dict[str, object]:
        """Return the keys of the command's JSON."""
        return {
            "judged": self.judged,
            "reused": self.reused,
            "unscored": dict(self.unscored),
            "calls": self.spent.calls,
            "maybe_billed": self.spent.maybe_billed,
            "tokens_in": self.spent.tokens_in,
            "tokens_out": self.spent.tokens_out,
            "usd": self.spent.usd,
            "seconds": round(self.seconds, 3),
            "exits": dict(self.exits),
        }


def summarise_loops(store: Store, run: Run) -> LoopSummary:
    """Return where a loop run stands, from its rows: what a page or another process can watch."""
    setup = LoopSetup.from_data(run.config)
    judged = reused = 0
    unscored: Counter[str] = Counter()
    for arm, r in run_rounds(store, run.id):
        if setup.shared and arm is Arm.RETRY and r.number == 1:
            continue
        if r.reused:
            reused += 1
        elif r.unscored is not None:
            unscored[r.unscored] += 1
        elif r.scored:
            judged += 1
    exits = run_exits(store, run.id)
    return LoopSummary(
        run.total, sum(exits.values()), judged, reused, dict(unscored), exits, spent(store, run),
        run.seconds,
    )  # fmt: skip


def in_progress(store: Store, run: Run, most: int = 100) -> list[Trace]:
    """Return the traces of a run that have not ended, with their rounds so far; `most` at most.

    They are walked again from the ledger, without a call; `exit` is None. Their extra says
    "in progress".
    """
    setup = LoopSetup.from_data(run.config)
    contract = version_of(store, run).contract
    plan = setup.plan(contract)
    ended = set(run_trace_names(store, run.id))
    whole = {task for task, n in run_tasks(store, run.id).items() if n == len(setup.arms.arms)}
    said = {
        (q.sample_pk, q.trial, q.arm, q.round): q.verdicts for q in queued_drafts(store, run.id)
    }
    begun = [task for task in tasks_begun(store, run.id) if task not in whole]
    found: list[Trace] = []
    for start in range(0, len(begun), 100):
        for job in jobs_of(store, run, begun[start : start + 100]):
            for arm in setup.arms.arms:
                if len(found) >= most:
                    return found
                if trace_name(run, job, arm) in ended:
                    continue
                walk = walk_of(run, setup, plan, job, arm)
                drive(walk, lambda need, job=job: _known(need, job, said))  # type: ignore[misc]
                trace = finished(run, setup, contract, job, walk)
                if trace.rounds:
                    found.append(_marked(trace))
    return found


def _known(need: Need, job: Job, said: Mapping[tuple[int, int, str, int], object]) -> Answer | None:
    """Return the answer that is at hand, or None."""
    if isinstance(need, Ask):
        there = job.replies.get(place_of(need))
        if there is None or there.request_hash != need.request_hash:
            return None
        return Replied(there.reply, there.usd)
    kept = said.get((job.sample.key, job.trial, need.arm, need.round))
    return kept if isinstance(kept, Mapping) else None


def _marked(trace: Trace) -> Trace:
    from dataclasses import replace

    return replace(
        trace, exit=None, returned_round=None, extra={**trace.extra, "in progress": True}
    )


@dataclass(frozen=True)
class LoopEstimate:
    """What a loop run is likely to take before it starts.

    `least` calls if every first draft passes, `calls` if none ever does: tokens, money (None: no
    price is set) and seconds are for the most. `basis` is the number of earlier calls of these
    models the figures come from; 0 is the rule of thumb.
    """

    tasks: int
    least: int
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None
    seconds: float
    basis: int


@dataclass
class _Sum:
    calls: int = 0
    into: float = 0.0
    out: float = 0.0
    seconds: float = 0.0
    usd: float | None = 0.0
    basis: list[int] = field(default_factory=list)


def estimate_loops(
    store: Store,
    project_id: int,
    version: Version,
    setup: LoopSetup,
    price: Price,
    *,
    samples: Sequence[int] | None = None,
) -> LoopEstimate:
    """Return what a run over these samples (store keys; None: all) is likely to take at most."""
    setup = setup.fitting(version.contract)
    contract = setup.by_rule(version.contract)
    chosen = load_samples(store, project_id, samples)
    tasks = len(chosen) * setup.draws
    drafts = max(contract.stop.cap, setup.record)
    arms = len(setup.arms.arms)
    firsts = 1 if setup.shared else arms
    sent = [s.input for s in chosen]
    mean = "x" * (sum(map(len, sent)) // max(len(sent), 1))
    total = _Sum()
    draft = "x" * round(TOKENS_A_DRAFT * CHARACTERS_A_TOKEN)
    known = usual(store, setup.writer.hash)
    if known is not None:
        draft = "x" * round(known["tokens_out"] * CHARACTERS_A_TOKEN)
    first = first_call(contract, mean, setup.writer)
    again = revision_call(contract, mean, Attempt(draft, draft[:400]), setup.writer)
    out = len(draft) / CHARACTERS_A_TOKEN
    loops = Arm.LOOP in setup.arms.arms
    more = drafts - 1
    written = 0 if setup.from_outputs else firsts
    steps = [(first, tasks * (written + (arms - loops) * more)), (again, tasks * loops * more)]
    for call, n in steps:
        _add(total, n, call, out, known, price)
    if setup.notes and loops:
        _add(total, tasks * more, again, 60.0, known, price)
    judged = 0
    if setup.judge is not None and uses_judge(contract):
        requests = requests_for(contract, setup.judge, mean, draft, None)
        told = usual(store, config_hash(setup.judge, setup.instructions, setup.server))
        judged = len(requests)
        for request in requests:
            call = build_call(request, setup.judge, setup.instructions, "estimate")
            n = tasks * (firsts + arms * more)
            _add(total, n, call, len(request.criteria) * TOKENS_A_CRITERION, told, price)
    at_once = min(setup.concurrency, max(tasks, 1))
    return LoopEstimate(
        tasks, tasks * (written + firsts * judged), total.calls, round(total.into), round(total.out),
        total.usd, total.seconds / at_once, min(total.basis, default=0),
    )  # fmt: skip


def _add(
    total: _Sum,
    n: int,
    call: ModelCall,
    out: float,
    known: Mapping[str, float] | None,
    price: Price,
) -> None:
    size = len(call.system) + sum(len(m.text) for m in call.messages)
    into = n * (size / CHARACTERS_A_TOKEN + FRAME / 2)
    made = n * min(out, call.max_tokens)
    if known is not None:
        into, made = n * known["tokens_in"], n * known["tokens_out"]
    usd = price(call.model, Usage(round(into), round(made), 0, 0))
    total.calls += n
    total.into += into
    total.out += made
    total.usd = None if usd is None or total.usd is None else total.usd + usd
    total.seconds += n * (SECONDS_A_CALL if known is None else known["seconds"])
    total.basis.append(0 if known is None else int(known["n"]))
