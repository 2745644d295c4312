"""Starting a loop run from the app: which samples, by which rule, and refusing what cannot work."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from core.contract.contract import Budget
from core.errors import InputError
from core.judging.calls import Usage
from core.runs.loop_setup import LoopSetup
from core.runs.loops import create_loop_run
from core.runs.models import Price, Secrets, no_secrets, refuse_unusable
from core.store.contracts import Version
from core.store.runs import Run
from core.store.samples import StoredSample
from core.store.store import Store


def chosen_samples(
    samples: Sequence[StoredSample],
    *,
    containing: str = "",
    random: int | None = None,
    seed: str = "1",
) -> list[StoredSample]:
    """Return the samples whose id or input contains a text, and of these `random` by lot if given.

    Case does not matter. The lot follows from the seed and the sample's id alone: the same samples
    are drawn whatever their order, and a larger number adds to a smaller one. In stored order.
    """
    wanted = containing.strip().casefold()
    found = [
        s for s in samples if wanted in s.sample_id.casefold() or wanted in s.input.casefold()
    ]  # fmt: skip
    if random is None or random >= len(found):
        return found

    def lot(s: StoredSample) -> bytes:
        return blake2b(f"{seed}\n{s.sample_id}".encode("utf-8", "surrogatepass")).digest()

    drawn = {s.key for s in sorted(found, key=lot)[:random]}
    return [s for s in found if s.key in drawn]


def refuse_to_loop(
    setup: LoopSetup, budget: Budget, price: Price, secrets: Secrets = no_secrets
) -> None:
    """Raise InputError, one line, when a run could not make a call or could not keep its budget."""
    refuse_unusable(setup.to_data(), secrets)
    own = setup.stop.budget if setup.stop is not None else Budget()
    if budget.usd is None and own.usd is None:
        return
    for model in setup.models.values():
        if price(model, Usage(1, 1, 1, 1)) is None:
            raise InputError(
                "budget", f"no price is set for {model!r}, so dollars could not be kept.",
                "Limit the calls instead, or set its prices in a models file.",
            )  # fmt: skip


def start_loops(
    store: Store,
    project_id: int,
    version: Version,
    setup: LoopSetup,
    price: Price,
    secrets: Secrets = no_secrets,
    *,
    samples: Sequence[int] | None = None,
    budget: Budget | None = None,
) -> Run:
    """Store a loop run over these samples (store keys; None: all); it waits to be executed.

    Raises InputError when nothing could be called, there is nothing to write for or nobody to
    judge, or a budget in dollars could not be kept for lack of a price.
    """
    budget = budget or Budget()
    setup = setup.fitting(version.contract).addressed(secrets)
    refuse_to_loop(setup, budget, price, secrets)
    return create_loop_run(store, project_id, version, setup, samples=samples, budget=budget)
