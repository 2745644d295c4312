"""What storing traces costs beside writing them to a file, in one run, as a ratio.

Beside the rows, storing works out each trace's summary, shapes and the walk that what-ifs look
along; a file holds none of that. Traces per second are reported.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from core.contract.contract import Contract
from core.files.traces import write_traces
from core.judging.judgement import Judgement
from core.loop.convergence import convergence
from core.loop.run_shapes import run_shapes
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace
from core.loop.whatif import Paths
from core.store.paths import paths_of, recorded_drafts
from core.store.store import Project, Store
from core.store.trace_facts import load_facts
from core.store.traces import add_traces, load_summaries
from core.text import fingerprint
from core.verdict import Verdict, failed, passed

TRACES, ROUNDS = 2000, 5
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


def test_storing_traces_beside_writing_a_file(
    store: Store, project: Project, record_property: Callable[[str, object], None]
) -> None:
    traces = [trace(n) for n in range(TRACES)]
    # Ratios are of this process's own time, which other work on the machine does not stretch.
    started = time.process_time()
    write_traces(traces)
    to_file = time.process_time() - started
    began, started = time.perf_counter(), time.process_time()
    add_traces(store, project.id, traces)
    to_store, waited = time.process_time() - started, time.perf_counter() - began
    started = time.process_time()
    paths = Paths(paths_of(store, project.id))
    paths.grid(range(1, 7), range(1, 4))
    looked = time.process_time() - started
    started = time.process_time()
    assert len(recorded_drafts(store, project.id).drafts) == TRACES * ROUNDS
    counted = time.process_time() - started
    started = time.process_time()
    summaries, facts = load_summaries(store, project.id), load_facts(store, project.id)
    run_shapes(summaries, facts, CONTRACT.limits)
    convergence(summaries, facts)
    together = time.process_time() - started
    record_property(
        "summary",
        f"{TRACES} traces of {ROUNDS} rounds stored in {waited:.2f} s ({TRACES / waited:,.0f} a "
        f"second; {TRACES / to_store:,.0f} a second of the processor's), {to_store / to_file:.1f} "
        f"× a file; 18 rules tried in {looked:.2f} s, drafts counted in {counted:.2f} s, "
        f"shapes and convergence of all in {together:.2f} s",
    )
    assert to_store <= 25 * to_file
    assert looked <= to_store / 4
    assert counted <= to_store / 8
    assert together <= to_store / 4
