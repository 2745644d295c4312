"""Commands that call models: judge, and worker, which goes on with what was left unfinished.

A judge run lives in the workspace: each contract (by its title, or its file's name) has a project
there, which the app shows too. The same command finds its run again and continues it; what is paid
for is never bought twice.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.base import (
    WORKSPACE,
    Command,
    Encoding,
    Json,
    Separator,
    Workspace,
    emit,
    load_contract,
    one_line,
    outputs_in,
    say,
)

if TYPE_CHECKING:
    from core.contract.contract import Contract
    from core.files.outputs import OutputRow
    from core.files.verdicts import VerdictRow
    from core.runs.setup import JudgeSetup
    from core.runs.summary import Summary
    from core.store.contracts import Version
    from core.store.runs import Run
    from core.store.store import Store

HEADERS = ("new", "old")
_KEPT = "What is judged is kept: the same command goes on from there."


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(cls=Command)(judge)
    app.command(cls=Command)(worker)


def judge(
    contract: Annotated[Path, typer.Argument(metavar="CONTRACT", help="YAML or JSON.")],
    outputs: Annotated[Path, typer.Argument(metavar="OUTPUTS", help="CSV, TSV, JSONL or JSON.")],
    model: Annotated[
        str, typer.Option("--model", metavar="M", help='Id of the model; "scripted" needs no key.')
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Verdict file to write: .csv or .jsonl.")
    ],
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="U", help="Server that speaks POST /v1/messages."),
    ] = None,
    concurrency: Annotated[
        str, typer.Option("--concurrency", metavar="N", help="Calls in the air at most.")
    ] = "8",
    repeat: Annotated[
        str, typer.Option("--repeat", metavar="K", help="Independent judgements of each output.")
    ] = "1",
    effort: Annotated[
        str | None, typer.Option("--effort", metavar="E", help="low, medium, high, xhigh or max.")
    ] = None,
    max_tokens: Annotated[
        str, typer.Option("--max-tokens", metavar="N", help="Ceiling of one reply.")
    ] = "4096",
    budget_usd: Annotated[
        str | None, typer.Option("--budget-usd", metavar="X", help="Hard limit of the whole run.")
    ] = None,
    one_call_each: Annotated[
        bool, typer.Option("--one-call-each", help="Ask about each criterion in a call of its own.")
    ] = False,
    calibration: Annotated[
        bool, typer.Option("--calibration", help="Judge also what code has failed already.")
    ] = False,
    header_style: Annotated[
        str, typer.Option("--header-style", metavar="S", help="old: headers of older servers.")
    ] = "new",
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Let a model judge outputs; the same command again continues where it stopped."""
    from core.contract.contract import Budget
    from core.errors import BenchError, InputError, show
    from core.judging.prompt import DEFAULT_INSTRUCTIONS, JudgeOptions
    from core.runs.judging import refuse_unjudgeable
    from core.runs.models import price_list, refuse_unusable
    from core.runs.setup import JudgeSetup, addressed
    from core.wording import read_whole

    agreed = load_contract(contract)
    refuse_unjudgeable(agreed)
    if header_style not in HEADERS:
        raise InputError("--header-style", f"{show(header_style)} is none.", "Use new or old.")
    _refuse_unwritable(out)
    setup = JudgeSetup(
        JudgeOptions(
            model,
            effort,
            read_whole("--max-tokens", max_tokens, 1, 10_000_000),
            one_call_each,
            agreed.receives_reference,
        ),
        DEFAULT_INSTRUCTIONS,
        read_whole("--repeat", repeat, 1, 1000),
        read_whole("--concurrency", concurrency, 1, 256),
        calibration,
        base_url,
        header_style == "old",
    )
    setup = addressed(setup)
    refuse_unusable(setup.to_data())
    budget = Budget(usd=dollars("--budget-usd", budget_usd))
    price = price_list(workspace)
    if budget.usd is not None:
        refuse_unpriced(model, price)
    rows = outputs_in(outputs, encoding, separator)
    if not rows:
        raise InputError(str(outputs), "it holds no output.", "Give a file with outputs.")

    from core.store.store import open_store

    store = open_store(workspace)
    try:
        run, finished = _execute(store, contract, agreed, rows, setup, budget, price)
        from core.runs.summary import summarise
        from core.store.runs import RunState

        found = summarise(store, run)
        if run.state is RunState.FAILED:
            kept = f" {_KEPT}" if found.done else ""
            raise BenchError(f"{one_line(run.error)}.{kept}" if kept else run.error)
        why = _write(store, run, finished, rows, out) if run.state is RunState.DONE else ""
        emit(found.to_json(), _text(run, found, out, why), as_json)
    finally:
        store.close()
    if run.state is not RunState.DONE:
        why = run.error or ("it was cancelled" if run.state is RunState.CANCELLED else "stopped")
        say(
            f"Not finished: {one_line(why).rstrip('.')}. The same command, or worker, goes on with it."
        )
        raise typer.Exit(130 if not run.error else 1)


def _execute(
    store: Store,
    path: Path,
    agreed: Contract,
    rows: Sequence[OutputRow],
    setup: JudgeSetup,
    budget: Any,
    price: Any,
) -> tuple[Run, Version]:
    """Find or make the run of this command, execute it, and return it with its contract version."""
    from core.runs.execution import execute
    from core.runs.judging import create_judge_run
    from core.runs.models import model_factory
    from core.store.outputs import NewOutput, add_outputs, output_ids
    from core.store.runs import RunState, find_run, resume, whoami
    from core.text import content_hash

    project_id, version = project_of(store, path, agreed)
    new = [NewOutput(r.sample_id, r.output, r.trial, r.input, r.reference, r.extra) for r in rows]
    add_outputs(store, project_id, new, file_name="judge", replace_changed=True)
    with store.read() as c:
        ids = output_ids(c, project_id)
    chosen = [ids[(r.sample_id, r.trial)] for r in rows]
    inputs = [[r.sample_id, r.trial, r.input, r.output, r.reference] for r in rows]
    identity = content_hash(
        ["judge", agreed.content_hash, inputs, setup.judge_hash, setup.repeats, setup.calibration]
    )
    me = whoami()
    run = find_run(store, identity)
    who: str | None = None
    if run is None or run.state is RunState.DONE or run.project_id != project_id:
        run = create_judge_run(
            store, project_id, version, setup, outputs=chosen, budget=budget, identity=identity,
            claim_by=me,
        )  # fmt: skip
        who = me
    else:
        say(f"Going on with run {run.id}.")
        changes = {
            name: value
            for name, value in setup.to_data().items()
            if name in ("older", "concurrency")
        }
        run = resume(store, run.id, budget, changes=changes)
    with stopping() as stop:
        run = execute(
            store, run.id, model_factory(), stop, price=price, who=who, keyboard=True,
            progress=Meter(run.total),
        )  # fmt: skip
    return run, version


def project_of(store: Store, path: Path, agreed: Contract) -> tuple[int, Version]:
    """Return the project of a contract, by its title or file name, with this version of it."""
    from core.store.contracts import save_version, versions

    title = " ".join(agreed.title.split()) or path.stem
    slug = "judge-" + "-".join("".join(c if c.isalnum() else " " for c in title.casefold()).split())
    found = store.project(slug[:190]) or store.create_project(title, slug=slug[:190])
    known = versions(store, found.id)
    same = [v for v in known if v.contract.content_hash == agreed.content_hash]
    if same:
        return found.id, same[0]
    number = known[0].number if known else None
    return found.id, save_version(
        store, found.id, agreed, author="command line", based_on=number, incomplete=True
    )


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C and SIGTERM set; the second Ctrl-C ends the process at once."""
    stop = threading.Event()

    def on_signal(number: int, frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say("Stopping: waiting for the calls in the air …")

    before = {s: signal.signal(s, on_signal) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Meter:
    """Says on stderr how far a run is: on one line of a terminal, else every ten seconds."""

    def __init__(self, total: int, did: str = "judged") -> None:
        self.total = total
        self.did = did
        self._started = time.monotonic()
        self._said = 0.0
        self._last = -1

    def __call__(self, done: int) -> None:
        """Say how many there are, unless it was said a moment ago."""
        now = time.monotonic()
        live = sys.stderr.isatty()
        if done == self._last or (now - self._said < (0.5 if live else 10) and done < self.total):
            return
        self._said, self._last = now, done
        rate = done / max(now - self._started, 0.001)
        line = f"{done:,} of {self.total:,} {self.did}, {rate:,.1f} a second"
        print(f"\r{line}   " if live else line, end="" if live else "\n", file=sys.stderr)
        if live and done >= self.total:
            print(file=sys.stderr)


def _refuse_unwritable(out: Path) -> None:
    """Refuse a file that could not be written before anything is paid for."""
    from core.errors import InputError

    if out.suffix.lower() not in (".csv", ".jsonl"):
        raise InputError("--out", f"{out.name!r} is neither .csv nor .jsonl.", "Choose one.")
    try:
        with out.open("a", encoding="utf-8"):
            pass
        if out.stat().st_size == 0:
            out.unlink()
    except OSError as error:
        raise InputError("--out", f"{out} cannot be written ({error.strerror}).") from error


def refuse_unpriced(model: str, price: Any) -> None:
    """Refuse a budget in dollars where a model has no price: it could not be kept."""
    from core.errors import InputError
    from core.judging.calls import Usage
    from core.providers.prices import MODELS_FILE

    if price(model, Usage(1, 1, 1, 1)) is None:
        raise InputError(
            "--budget-usd", f"no price is set for {model!r}, so it could not be kept.",
            f"Set its prices in a models file ({MODELS_FILE}), or leave the budget out.",
        )  # fmt: skip


def dollars(flag: str, given: str | None) -> float | None:
    """Return the amount of a flag, None where it was not given."""
    from core.errors import InputError, show

    if given is None:
        return None
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise InputError(flag, f"{show(given)} is no amount above 0.", "Give US dollars: 2.50.")
    return value


def _write(store: Store, run: Run, version: Version, rows: Sequence[OutputRow], out: Path) -> str:
    """Write the verdicts of the outputs in the file's order, code checks beside the judge's.

    Returns what most calls that brought no reply ended with, in one line; "" when none did.
    """
    from core.errors import InputError
    from core.files.judged import verdict_rows_of
    from core.files.verdicts import write_verdicts
    from core.verdict import Unscored

    keys = [(r.sample_id, r.trial) for r in rows]
    found: list[VerdictRow] = verdict_rows_of(store, run, version, keys)
    try:
        text = write_verdicts(found, "jsonl" if out.suffix.lower() == ".jsonl" else "csv")
    except InputError as error:
        raise InputError(
            str(out), error.problem, f"{_KEPT} Give it --out {out.with_suffix('.jsonl')}."
        ) from None
    out.write_bytes(text.encode("utf-8", "surrogatepass"))
    errors = Counter(v.result.evidence for v in found if v.result.unscored is Unscored.ERROR)
    return one_line(errors.most_common(1)[0][0]) if errors else ""


def _text(run: Run, found: Summary, out: Path, why: str) -> list[str]:
    from core.runs.pace import cost_words
    from core.wording import plural

    usd = found.spent.usd
    money = cost_words(found.spent) if usd is None else f"{usd:,.4f} US dollars"
    lines = [
        f"{found.judged:,} of {plural(found.total, 'judgement')} have verdicts; "
        f"{found.paid:,} were paid for before.",
        f"{plural(found.spent.calls, 'call')}, {found.spent.tokens_in:,} tokens in, "
        f"{found.spent.tokens_out:,} out: {money}, {found.seconds:,.1f} s.",
    ]
    if found.spent.maybe_billed:
        lines.append(f"{plural(found.spent.maybe_billed, 'call')} more may have been billed.")
    lines += [f"{reason}: {n:,}, in no rate." for reason, n in sorted(found.unscored.items())]
    if why:
        lines.append(f"Most errors: {why}.")
    if run.ended_at and not run.error and found.done >= found.total:
        lines.append(f"Verdicts are in {out}.")
    return lines


def worker(as_json: Json = False, workspace: Workspace = WORKSPACE) -> None:
    """Execute unfinished runs until none is left; a run that fails is not tried again."""
    from core.runs.execution import execute
    from core.runs.models import model_factory, price_list
    from core.runs.waiting import wake
    from core.store.runs import RunState, claim_next, whoami
    from core.store.store import open_store

    counts = {"runs": 0, "finished": 0, "failed": 0}
    store = open_store(workspace)
    try:
        with stopping() as stop:
            while not stop.is_set():
                me = whoami()
                wake(store)
                run = claim_next(store, me, interrupted=True)
                if run is None:
                    break
                counts["runs"] += 1
                say(f"Run {run.id}: {run.kind}, {run.config['model']}.")
                run = execute(
                    store, run.id, model_factory(), stop, price=price_list(workspace), who=me,
                    keyboard=True, progress=Meter(run.total, "done"),
                )  # fmt: skip
                counts["finished"] += run.state is RunState.DONE
                counts["failed"] += run.state is RunState.FAILED
                if run.error:
                    say(f"Run {run.id} is {run.state}: {one_line(run.error)}")
    finally:
        store.close()
    text = [f"{counts['runs']} executed: {counts['finished']} done, {counts['failed']} failed."]
    emit(counts, text, as_json)
    if counts["failed"]:
        raise typer.Exit(1)
