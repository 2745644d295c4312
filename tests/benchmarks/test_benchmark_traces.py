"""What storing traces costs beside inserting the same rows one by one, in one run, as a ratio.

What is worked out from them afterwards (summary, shapes, the walk that what-ifs look along) is
timed apart. Traces per second are reported.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable

from core.contract.contract import Contract
from core.judging.judgement import Judgement
from core.loop.convergence import convergence
from core.loop.run_shapes import run_shapes
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace
from core.loop.whatif import Paths
from core.store import tables as t
from core.store.paths import paths_of, recorded_drafts
from core.store.store import Project, Store, insert_id, now
from core.store.trace_facts import load_facts
from core.store.trace_rows import rows_of
from core.store.traces import add_traces, load_summaries, work_out
from core.text import fingerprint
from core.verdict import Verdict, failed, passed

TRACES, ROUNDS = 10_000, 5
CONTRACT = Contract.from_data(
    {
        "criteria": [{"key": key, "question": "Is it so?"} for key in ("length", "tone", "refund")],
        "stop": {"cap": ROUNDS, "window": ROUNDS},
    }
)
WORDS = [
    "sorry",
    "for",
    "the",
    "delay",
    "we",
    "will",
    "refund",
    "your",
    "order",
    "within",
    "five",
    "days",
    "please",
    "write",
    "us",
    "when",
    "it",
    "has",
    "not",
    "come",
    "by",
    "then",
    "thank",
    "you",
    "for",
    "waiting",
]


def sentence(lot: random.Random) -> str:
    return " ".join(lot.choice(WORDS) for _ in range(10)).capitalize() + "."


def trace(number: int) -> Trace:
    """Five drafts of sixty words; each revision writes one sentence anew."""
    lot = random.Random(number)
    text = [sentence(lot) for _ in range(6)]
    rounds = []
    for n in range(1, ROUNDS + 1):
        text[lot.randrange(6)] = sentence(lot)
        draft = " ".join(text)
        verdicts = {
            "length": passed("ok") if n == ROUNDS else failed(f'"{text[0]}" is long', "cut it"),
            "tone": passed("fine"),
            "refund": passed("named") if n > 2 else failed("sentence 2 names no amount", "name it"),
        }
        score = sum(v.verdict is Verdict.PASS for v in verdicts.values())
        rounds.append(
            Round(
                n, draft, fingerprint(draft), Judgement(verdicts), CONTRACT.total_weight * score / 3,
                judge_calls=1, tokens_in=100, tokens_out=50, seconds=1.0, usd=0.01,
            )
        )  # fmt: skip
    return Trace(
        f"t{number}", Arm.LOOP, f"s{number}", "1", "the input", CONTRACT, CONTRACT.stop,
        tuple(rounds), Exit.PASS, ROUNDS,
    )  # fmt: skip


def one_by_one(store: Store, project: Project, traces: list[Trace]) -> None:
    """Store traces as somebody would who has not thought about it: a statement for every row."""
    with store.write(project.id) as c:
        for row in rows_of(traces).values():
            shared = {"project_id": project.id, "summary": {}, "stored_at": now()}
            key = insert_id(c, t.trace, **shared, **row.trace)
            for values in row.rounds:
                c.execute(t.round_.insert().values(trace_pk=key, **values))


def test_storing_ten_thousand_traces(
    store: Store, project: Project, record_property: Callable[[str, object], None]
) -> None:
    traces = [trace(n) for n in range(TRACES)]
    # Ratios are of this process's own time, which other work on the machine does not stretch.
    other = store.create_project("One by one")
    some = traces[:500]
    began, started = time.perf_counter(), time.process_time()
    one_by_one(store, other, some)
    naive, naive_waited = time.process_time() - started, time.perf_counter() - began
    began, started = time.perf_counter(), time.process_time()
    add_traces(store, project.id, traces)
    to_store, waited = time.process_time() - started, time.perf_counter() - began
    ratio = naive / len(some) / (to_store / TRACES)
    slow = naive_waited / len(some) / (waited / TRACES)
    part = [x for x in traces if int(x.trace_id[1:]) < 1000]
    # The ten thousand held here would be walked by any collection of garbage in between.
    del traces
    gc.collect()
    gc.freeze()
    third = store.create_project("Worked out")
    add_traces(store, third.id, part)
    started = time.process_time()
    work_out(store, third.id)
    worked = time.process_time() - started
    started = time.process_time()
    Paths(paths_of(store, third.id)).grid(range(1, 7), range(1, 4))
    looked = time.process_time() - started
    started = time.process_time()
    assert len(recorded_drafts(store, third.id).drafts) == len(part) * ROUNDS
    counted = time.process_time() - started
    started = time.process_time()
    summaries, facts = load_summaries(store, third.id), load_facts(store, third.id)
    run_shapes(summaries, facts, CONTRACT.limits)
    convergence(summaries, facts)
    together = time.process_time() - started
    record_property(
        "summary",
        f"{TRACES:,} traces of {ROUNDS} rounds stored in {waited:.2f} s: {TRACES / waited:,.0f} a "
        f"second ({TRACES / to_store:,.0f} a second of the processor's), {ratio:.1f} × as fast as "
        f"row by row ({slow:.1f} × by the clock); summaries of 1,000 worked out in {worked:.2f} s, "
        f"18 rules tried on them in {looked:.2f} s, drafts counted in {counted:.2f} s, shapes and "
        f"convergence in {together:.2f} s",
    )
    assert ratio >= 3
    assert looked <= worked / 4
    assert counted <= worked / 4
    assert together <= worked / 2
