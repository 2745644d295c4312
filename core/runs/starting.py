"""Starting a judge run from the app: refuse what cannot work before anything is spent, name it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.contract.contract import Budget
from core.errors import InputError
from core.judging.calls import Usage
from core.judging.prompt import MAX_TOKENS
from core.providers.scripted import SCRIPTED
from core.runs.judging import create_judge_run
from core.runs.models import Price, Secrets, no_secrets, refuse_unusable
from core.runs.setup import JudgeSetup, addressed
from core.store.contracts import Version, versions
from core.store.instructions import save_instructions
from core.store.runs import Run, resume
from core.store.store import Store

SCRIPTED_NAME = "scripted (no model)"


def judge_name(setup: JudgeSetup, instructions: int) -> str:
    """Return "claude-haiku-5-5 · instructions 2 · effort low"; what is usual is left out.

    `instructions` is their number in the project. A scripted judge says that it is one.
    """
    options = setup.options
    parts = [SCRIPTED_NAME if options.model == SCRIPTED else options.model]
    parts.append(f"instructions {instructions}")
    if options.effort is not None:
        parts.append(f"effort {options.effort}")
    if options.one_call_each:
        parts.append("one call each")
    if options.receives_reference:
        parts.append("sees the reference")
    if options.examples:
        parts.append(f"{len(options.examples)} few-shot")
    if options.max_tokens != MAX_TOKENS:
        parts.append(f"ceiling {options.max_tokens:,}")
    if setup.server is not None:
        parts.append(f"at {setup.server.partition('://')[2]}")
    return " · ".join(parts)


def refuse_to_start(
    setup: JudgeSetup, budget: Budget, price: Price, secrets: Secrets = no_secrets
) -> None:
    """Raise InputError, one line, when a run could not make a call or could not keep its budget."""
    refuse_unusable(setup.to_data(), secrets)
    model = setup.options.model
    if budget.usd is not None and price(model, Usage(1, 1, 1, 1)) is None:
        raise InputError(
            "budget", f"no price is set for {model!r}, so dollars could not be kept.",
            "Limit the calls instead, or set its prices in a models file.",
        )  # fmt: skip


def start_judging(
    store: Store,
    project_id: int,
    version: Version,
    setup: JudgeSetup,
    price: Price,
    secrets: Secrets = no_secrets,
    *,
    outputs: Sequence[int] | None = None,
    budget: Budget | None = None,
    author: str = "",
) -> Run:
    """Store a judge run under the judge's name, its instructions as a version; waits to be executed.

    Raises InputError when nothing could be called, nothing is to be judged, or the budget in
    dollars could not be kept for lack of a price.
    """
    budget = budget or Budget()
    setup = addressed(setup, secrets)
    refuse_to_start(setup, budget, price, secrets)
    with store.write(project_id):
        kept = save_instructions(store, project_id, setup.instructions.text, author=author)
        return create_judge_run(
            store, project_id, version, setup, outputs=outputs, budget=budget,
            name=judge_name(setup, kept.number),
        )  # fmt: skip


def go_on_at(
    store: Store,
    run: Run,
    base_url: str | None,
    older: bool,
    price: Price,
    secrets: Secrets = no_secrets,
) -> Run:
    """Let a stopped judge run go on at this address; returns the run that does.

    The same run where the address is the same. Another address is another judge, and the same work
    a run of its own under that judge's name; the stopped one stays as it is, with what came of it.
    Raises InputError as `start_judging` does.
    """
    before = JudgeSetup.from_data(run.config)
    setup = addressed(replace(before, base_url=base_url, older=older), secrets)
    if setup.server == addressed(before, secrets).server:
        refuse_unusable(setup.to_data(), secrets)
        changes = {"base_url": setup.base_url, "older": setup.older}
        return resume(store, run.id, changes=changes)
    [version] = [v for v in versions(store, run.project_id) if v.id == run.version_id]
    return start_judging(
        store, run.project_id, version, setup, price, secrets,
        outputs=run.config["outputs"], budget=run.budget,
    )  # fmt: skip
