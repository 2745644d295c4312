"""Eight reviewers label at once, each a process of its own, while processes are killed (soak)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.contract.contract import Contract
from core.labelling.label import LabelKind
from core.store import tables as t
from core.store import tables_labelling as tl
from core.store.assignments import BATCH, QueueSettings, save_queue_settings
from core.store.contracts import save_version
from core.store.labels import reviewer_labels, save_reviewer
from core.store.outputs import NewOutput, add_outputs
from core.store.store import Project, Store

ROOT = Path(__file__).parents[1]
PEOPLE, LABELS, EACH, KILLS = 8, 500, 2, 5
OUTPUTS = PEOPLE * (LABELS + 2 * BATCH) // EACH
"""Enough for what everybody labels and still holds at the end."""

WORKER = """
# One reviewer: asks for the queue, labels, sends what a browser would, until 500 are acknowledged.
# What was acknowledged is written down; after a kill the same client sends again what was not.
import json, sys
from pathlib import Path
from core.labelling.label import parse_entries
from core.store.contracts import latest_version
from core.store.labels import save_labels
from core.store.queues import build_queue
from core.store.store import open_store

url, reviewer, wanted, journal = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
store = open_store(url=url)
project = store.project("soak")
version = latest_version(store, project.id)
question = version.contract.criterion("tone").question_hash
client = f"client-of-{reviewer:04d}"
log = [json.loads(line) for line in journal.read_text().splitlines() if line.endswith("}")]
acts = {row["seq"]: row for row in log if "output" in row}
acked = max((row["ack"] for row in log if "ack" in row), default=0)

with journal.open("a") as out:
    def note(row):
        out.write(json.dumps(row) + "\\n")
        out.flush()

    def send(rows):
        global acked
        entries, refused = parse_entries(rows)
        assert not refused, refused
        saved = save_labels(store, project.id, reviewer, entries)
        assert not saved.refused, saved.refused
        acked = max(acked, saved.ack[client])
        note({"ack": acked})

    pending = [acts[seq] for seq in sorted(acts) if seq > acked]
    if pending:
        send(pending)
    while len(acts) < wanted:
        queue = build_queue(store, project, version, reviewer, "tone")
        labelled = {row["output"] for row in acts.values()}
        todo = [e.output_id for e in queue.entries[queue.start:] if e.output_id not in labelled]
        assert todo, "nothing left to label"
        for start in range(0, min(len(todo), wanted - len(acts)), 3):
            rows = []
            for output in todo[start:start + 3][:wanted - len(acts)]:
                seq = len(acts) + 1
                row = {"client": client, "seq": seq, "output": output, "criterion": "tone",
                       "kind": "label", "verdict": "FAIL" if output % 3 else "PASS",
                       "deferred": False, "note": "", "question_hash": question, "seconds": 1.5}
                acts[seq] = row
                rows.append(row)
                note(row)
            send(rows)
"""


@pytest.fixture
def project(store: Store) -> Iterator[Project]:
    """Enough outputs for all reviewers, each to be labelled by two."""
    made = store.create_project("Soak", slug="soak")
    add_outputs(store, made.id, [NewOutput(f"s{n:04d}", f"text {n}") for n in range(OUTPUTS)])
    rows = [{"key": "tone", "question": "Polite?", "pass_example": "Hi", "fail_example": "Go"}]
    save_version(store, made.id, Contract.from_data({"criteria": rows}))
    save_queue_settings(store, made.id, QueueSettings(EACH, seed="soak"), "Lea")
    yield made


@pytest.mark.soak
def test_eight_reviewers_label_five_hundred_each_while_processes_are_killed(
    store: Store, store_url: str, project: Project, tmp_path: Path
) -> None:
    """Everything acknowledged is stored, once, on the output it was about; nobody saw an error."""
    people = [save_reviewer(store, project.id, f"R{n}")[0] for n in range(PEOPLE)]
    journals = {who: tmp_path / f"{who}.jsonl" for who in people}
    script = tmp_path / "worker.py"
    script.write_text(WORKER)

    def start(who: int) -> subprocess.Popen[str]:
        journals[who].touch()
        command = [sys.executable, str(script), store_url, str(who), str(LABELS)]
        return subprocess.Popen(
            [*command, str(journals[who])],
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
            stderr=subprocess.PIPE,
            text=True,
        )

    running = {who: start(who) for who in people}
    killed = 0
    end = time.monotonic() + 400
    while running and time.monotonic() < end:
        time.sleep(0.1)
        done = sum(path.read_text().count('"ack"') for path in journals.values())
        if killed < KILLS and done > (killed + 1) * PEOPLE * LABELS / 3 / (KILLS + 2):
            victim = sorted(running)[killed % len(running)]
            running[victim].send_signal(signal.SIGKILL)
            running[victim].wait()
            running[victim] = start(victim)
            killed += 1
        for who, process in list(running.items()):
            if process.poll() is not None:
                _, errors = process.communicate()
                assert (process.returncode, errors) == (0, "")
                del running[who]
    assert (killed, list(running)) == (KILLS, [])

    with store.read() as c:
        rows = c.execute(sa.select(t.label)).all()
        given = c.execute(sa.select(tl.assignment.c.output_id, tl.assignment.c.slot)).all()
    assert {row.kind for row in rows} == {LabelKind.LABEL}
    # 0 duplicated: no act twice, no output twice by one reviewer, no output by more than two.
    assert len(rows) == len({(row.client, row.seq) for row in rows}) == PEOPLE * LABELS
    assert len({(row.output_id, row.reviewer_id) for row in rows}) == PEOPLE * LABELS
    assert len(given) == len(set(given)) >= PEOPLE * LABELS
    assert {slot for _, slot in given} == set(range(1, EACH + 1))
    # 0 lost: every act that was acknowledged is there with its output and verdict.
    stored = {(row.client, row.seq): (row.output_id, row.verdict) for row in rows}
    for who, path in journals.items():
        written = [json.loads(line) for line in path.read_text().splitlines() if line[-1:] == "}"]
        acked = max(row["ack"] for row in written if "ack" in row)
        assert acked == LABELS
        for row in written:
            if "output" in row and row["seq"] <= acked:
                assert stored[row["client"], row["seq"]] == (row["output"], row["verdict"])
        assert len(reviewer_labels(store, project.id, who)) == LABELS
