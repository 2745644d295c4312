"""The command that runs loops on models: drafts, judgements, both arms, and a file of traces."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
    load,
    load_contract,
    one_line,
    say,
    say_problems,
)
from core.cli.judging import HEADERS, Meter, dollars, project_of, refuse_unpriced, stopping

if TYPE_CHECKING:
    from core.contract.contract import Contract
    from core.files.samples import SampleRow
    from core.runs.loop_setup import LoopSetup
    from core.runs.loop_summary import LoopEstimate, LoopSummary
    from core.store.runs import Run
    from core.store.store import Store


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(cls=Command)(loop)


def loop(
    contract: Annotated[Path, typer.Argument(metavar="CONTRACT", help="YAML or JSON.")],
    samples: Annotated[Path, typer.Argument(metavar="SAMPLES", help="CSV, TSV, JSONL or JSON.")],
    arm: Annotated[str, typer.Option("--arm", metavar="A", help="loop, retry or both.")],
    model: Annotated[
        str, typer.Option("--model", metavar="M", help='The writer; "scripted" needs no key.')
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="TRACES", help="File of traces to write: .jsonl.")
    ],
    judge_model: Annotated[
        str | None,
        typer.Option("--judge-model", metavar="M", help="The judge; the writer's model if not."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="U", help="Server that speaks POST /v1/messages."),
    ] = None,
    concurrency: Annotated[
        str, typer.Option("--concurrency", metavar="N", help="Calls in the air at most.")
    ] = "8",
    draws: Annotated[
        str, typer.Option("--draws", metavar="N", help="Independent tasks for each sample.")
    ] = "1",
    record: Annotated[
        str,
        typer.Option(
            "--record", metavar="N", help="Drafts to record where the rule stops earlier."
        ),
    ] = "0",
    spot_checks: Annotated[
        str,
        typer.Option("--spot-checks", metavar="N", help="Accepted drafts for people to label."),
    ] = "5",
    notes: Annotated[
        bool, typer.Option("--notes", help="The writer keeps a note about every failure.")
    ] = False,
    self_review: Annotated[
        bool,
        typer.Option("--self-review", help="The writer judges itself, in its own conversation."),
    ] = False,
    effort: Annotated[
        str | None, typer.Option("--effort", metavar="E", help="low, medium, high, xhigh or max.")
    ] = None,
    max_tokens: Annotated[
        str, typer.Option("--max-tokens", metavar="N", help="Ceiling of one draft.")
    ] = "8192",
    budget_usd: Annotated[
        str | None, typer.Option("--budget-usd", metavar="X", help="Hard limit of the whole run.")
    ] = None,
    header_style: Annotated[
        str, typer.Option("--header-style", metavar="S", help="old: headers of older servers.")
    ] = "new",
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Run the loop, plain retries or both; the same command again continues where it stopped."""
    from core.contract.contract import Budget
    from core.errors import BenchError, InputError, show
    from core.files.samples import read_samples
    from core.judging.prompt import JudgeOptions
    from core.loop.generator import GeneratorOptions
    from core.loop.presets import ABOUT, Preset
    from core.runs.loop_setup import Arms, LoopSetup, refuse_empty_tasks
    from core.runs.models import price_list, refuse_unusable
    from core.wording import read_whole

    agreed = load_contract(contract)
    if arm not in [a.value for a in Arms]:
        raise InputError("--arm", f"{show(arm)} is none.", "Use loop, retry or both.")
    if header_style not in HEADERS:
        raise InputError("--header-style", f"{show(header_style)} is none.", "Use new or old.")
    _refuse_unwritable(out)
    if self_review:
        if judge_model not in (None, model):
            raise InputError(
                "--self-review", f"the judge would be {show(judge_model)}, not the writer.",
                "Leave --judge-model out.",
            )  # fmt: skip
        say(ABOUT[Preset.SELF_REVIEW].warning)
    setup = (
        LoopSetup(
            GeneratorOptions(model, effort, read_whole("--max-tokens", max_tokens, 1, 10_000_000)),
            JudgeOptions(judge_model or model, effort),
            arms=Arms(arm),
            draws=read_whole("--draws", draws, 1, 1000),
            record=read_whole("--record", record, 0, 50),
            spot_checks=read_whole("--spot-checks", spot_checks, 0, 100_000),
            notes=notes,
            self_review=self_review,
            concurrency=read_whole("--concurrency", concurrency, 1, 256),
            base_url=base_url,
            older=header_style == "old",
        )
        .fitting(agreed)
        .addressed()
    )
    refuse_unusable(setup.to_data())
    budget = Budget(usd=dollars("--budget-usd", budget_usd))
    price = price_list(workspace)
    if budget.usd is not None:
        for name in setup.models.values():
            refuse_unpriced(name, price)
    table = load(samples, encoding, separator)
    file = read_samples(table)
    say_problems(table.name, file.problems[len(table.problems) :])
    if not file.rows:
        raise InputError(str(samples), "it holds no sample.", "Give a file with task inputs.")
    refuse_empty_tasks(agreed, {row.sample_id: row.input for row in file.rows})

    from core.runs.loop_summary import summarise_loops
    from core.store.runs import RunState
    from core.store.store import open_store

    store = open_store(workspace)
    try:
        run = _execute(store, contract, agreed, file.rows, setup, budget, price, out)
        found = summarise_loops(store, run)
        if run.state is RunState.FAILED:
            raise BenchError(run.error)
        if run.state is RunState.DONE:
            _write(store, run, out)
        emit(found.to_json(), _text(run, found, out), as_json)
    finally:
        store.close()
    if run.state is not RunState.DONE:
        why = run.error or ("it was cancelled" if run.state is RunState.CANCELLED else "stopped")
        say(f"Not finished: {one_line(why)}. The same command, or worker, goes on with it.")
        raise typer.Exit(130 if not run.error else 1)


def _execute(
    store: Store,
    path: Path,
    agreed: Contract,
    rows: Sequence[SampleRow],
    setup: LoopSetup,
    budget: Any,
    price: Any,
    out: Path,
) -> Run:
    """Find or make the run of this command and execute it, unless it is done."""
    from core.runs.execution import execute
    from core.runs.loop_summary import estimate_loops
    from core.runs.loops import create_loop_run
    from core.runs.models import model_factory
    from core.runs.waiting import wake
    from core.store.runs import RunState, find_run, resume, whoami
    from core.store.samples import NewSample, put_samples
    from core.text import content_hash

    project_id, version = project_of(store, path, agreed)
    inputs = [[r.sample_id, r.input, r.reference] for r in rows]
    identity = content_hash(
        ["loop", agreed.content_hash, inputs, setup.what_hash, setup.spot_checks]
    )
    run = find_run(store, identity)
    _refuse_overwriting(out, run)
    if run is not None and run.project_id == project_id and run.state is RunState.DONE:
        say(f"Run {run.id} has done this; its traces are written again, nothing is asked.")
        return run
    new = [NewSample(r.sample_id, r.input, r.reference) for r in rows]
    keys = put_samples(store, project_id, new)
    me = whoami()
    who: str | None = None
    if run is None or run.project_id != project_id:
        _say_estimate(estimate_loops(store, project_id, version, setup, price, samples=keys))
        run = create_loop_run(
            store, project_id, version, setup, samples=keys, budget=budget, identity=identity,
            claim_by=me,
        )  # fmt: skip
        who = me
    else:
        say(f"Going on with run {run.id}.")
        wake(store)
        changes = {
            name: value
            for name, value in setup.to_data().items()
            if name in ("older", "concurrency")
        }
        run = resume(store, run.id, budget, changes=changes)
    with stopping() as stop:
        return execute(
            store, run.id, model_factory(), stop, price=price, who=who, keyboard=True,
            progress=Meter(run.total, "traces ended"),
        )  # fmt: skip


def _say_estimate(found: LoopEstimate) -> None:
    from core.wording import plural

    money = "price not set" if found.usd is None else f"{found.usd:,.4f} US dollars at most"
    say(
        f"{plural(found.tasks, 'task')}: {found.least:,} to {plural(found.calls, 'call')}, about "
        f"{found.tokens_in:,} tokens in and {found.tokens_out:,} out at most, {money}."
    )


def _refuse_unwritable(out: Path) -> None:
    """Refuse a file that could not be written before anything is paid for."""
    from core.errors import InputError

    if out.suffix.lower() != ".jsonl":
        raise InputError("--out", f"{out.name!r} is not .jsonl.", "Traces are JSON lines.")
    try:
        with out.open("a", encoding="utf-8"):
            pass
        if out.stat().st_size == 0:
            out.unlink()
    except OSError as error:
        raise InputError("--out", f"{out} cannot be written ({error.strerror}).") from error


def _refuse_overwriting(out: Path, run: Run | None) -> None:
    """Refuse a file that this command did not write, before anything is paid for.

    With another option or contract the same --out would lose the traces of the run before.
    """
    from core.errors import InputError
    from core.runs.loops import run_prefix

    if not out.exists():
        return
    with out.open(encoding="utf-8", errors="replace") as file:
        first = file.readline()
    try:
        name = json.loads(first).get("trace_id", "")
    except (ValueError, AttributeError, RecursionError):
        name = ""
    if run is None or not str(name).startswith(run_prefix(run)):
        raise InputError(
            "--out", f"{out} holds something else: another run's traces, or no traces.",
            "Give another name, or move the file away.",
        )  # fmt: skip


def _write(store: Store, run: Run, out: Path) -> None:
    """Write the traces of a run, in the order of samples, draws and arms."""
    from core.files.traces import write_traces
    from core.store.paths import run_trace_keys
    from core.store.traces import load_traces

    keys = run_trace_keys(store, run.id)
    with out.open("w", encoding="utf-8", newline="\n") as file:
        for start in range(0, len(keys), 200):
            some = load_traces(store, run.project_id, keys[start : start + 200])
            file.write(write_traces(some[key] for key in keys[start : start + 200]))


def _text(run: Run, found: LoopSummary, out: Path) -> list[str]:
    from core.wording import plural

    money = "price not set" if found.spent.usd is None else f"{found.spent.usd:,.4f} US dollars"
    lines = [
        f"{found.traces:,} of {plural(found.total, 'trace')} ended; "
        f"{plural(found.judged, 'draft')} judged"
        + (f", {found.reused:,} more came back and kept their judgement." if found.reused else "."),
        f"{plural(found.spent.calls, 'call')}, {found.spent.tokens_in:,} tokens in, "
        f"{found.spent.tokens_out:,} out: {money}, {found.seconds:,.1f} s.",
        *(f"{name}: {n:,}" for name, n in sorted(found.exits.items(), key=lambda x: -x[1])),
    ]
    if found.spent.maybe_billed:
        lines.append(f"{plural(found.spent.maybe_billed, 'call')} more may have been billed.")
    if run.config["model"] == "scripted":
        lines.append("The writer was a script: this shows the bench at work, and no model.")
    if found.traces >= found.total:
        lines.append(f"Traces are in {out}.")
    return lines
