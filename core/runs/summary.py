"""What a judge run has come to, and what one would come to: counts, tokens, money, time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.judging.calls import Usage
from core.judging.prompt import build_call, request_hash, requests_for
from core.runs.calls import FRAME
from core.runs.models import Price
from core.runs.setup import JudgeSetup
from core.store.contracts import Version
from core.store.judged import unscored_of
from core.store.ledger import Spent, paid_replies, spent, usual
from core.store.outputs import current_ids, load_outputs
from core.store.runs import Run
from core.store.store import Store
from core.verdict import Unscored

CHARACTERS_A_TOKEN = 3.5
"""Rule of thumb for text in a Latin script; other scripts take more tokens for a character."""
TOKENS_A_CRITERION = 120
"""Rule of thumb for evidence, verdict and change in a reply."""
SECONDS_A_CALL = 6.0
"""Rule of thumb where no earlier call of the judge was timed."""


@dataclass(frozen=True)
class Summary:
    """Where a judge run stands.

    `judged` of `total` judgements have verdicts, `reused` of all were there before this run, and
    `paid` of these were paid for, the others skipped; `unscored` counts those without a verdict by
    reason. Money is None where a price is not set.
    """

    total: int
    judged: int
    reused: int
    unscored: Mapping[str, int]
    spent: Spent
    seconds: float
    paid: int = 0

    @property
    def done(self) -> int:
        """Judgements there are, with verdicts or without."""
        return self.judged + sum(self.unscored.values())

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
        }


def summarise(store: Store, run: Run) -> Summary:
    """Return where a judge run stands, from its rows: what a page or another process can watch."""
    made, reasons = unscored_of(store, run.id)
    scored = made - sum(reasons.values()) + run.reused.get("scored", 0)
    unscored = Counter(reasons)
    unscored.update({k: n for k, n in run.reused.items() if k != "scored"})
    reused = sum(run.reused.values())
    paid = reused - run.reused.get(Unscored.SKIPPED, 0)
    return Summary(run.total, scored, reused, dict(unscored), spent(store, run), run.seconds, paid)


@dataclass(frozen=True)
class Estimate:
    """What a judge run is likely to take before it starts.

    `calls` are those nobody has paid for yet; `reused` judgements are paid for. `usd` is None when
    no price is set. `basis` is the number of earlier calls of this judge the figures come from; 0
    is the rule of thumb: text length ÷ 3.5 characters a token, 120 tokens of reply a criterion.
    """

    calls: int
    reused: int
    tokens_in: int
    tokens_out: int
    usd: float | None
    seconds: float
    basis: int


def estimate(
    store: Store,
    project_id: int,
    version: Version,
    setup: JudgeSetup,
    price: Price,
    *,
    outputs: Sequence[int] | None = None,
) -> Estimate:
    """Return what judging these outputs (None: all current ones) is likely to take.

    Outputs that code checks would keep from the judge are counted as if they were judged: it is a
    figure for the most part too high, never one that a run surprises by skipping less.
    """
    ids = list(current_ids(store, project_id) if outputs is None else outputs)
    known = usual(store, setup.judge_hash)
    calls = reused = 0
    characters = criteria = 0
    counted: set[tuple[str, int]] = set()
    for start in range(0, len(ids), 200):
        asked = [
            (request, request_hash(request, setup.options, setup.instructions))
            for o in load_outputs(store, project_id, ids[start : start + 200])
            for request in requests_for(
                version.contract, setup.options, o.input, o.text, o.reference
            )
        ]
        paid = paid_replies(store, setup.judge_hash, (h for _, h in asked))
        for request, asked_hash in asked:
            new = {(asked_hash, k) for k in range(1, setup.repeats + 1)} - paid.keys() - counted
            counted |= new
            reused += setup.repeats - len(new)
            calls += len(new)
            if new and known is None:
                call = build_call(request, setup.options, setup.instructions, "estimate")
                size = len(call.system) + sum(len(m.text) for m in call.messages)
                characters += len(new) * size
                criteria += len(new) * len(request.criteria)
    if known is not None:
        into, out = calls * known["tokens_in"], calls * known["tokens_out"]
        each = known["seconds"]
    else:
        into = characters / CHARACTERS_A_TOKEN + calls * FRAME / 2
        out = min(criteria * TOKENS_A_CRITERION, calls * setup.options.max_tokens)
        each = SECONDS_A_CALL
    return Estimate(
        calls, reused, round(into), round(out),
        price(setup.options.model, Usage(round(into), round(out), 0, 0)),
        calls * each / min(setup.concurrency, max(calls, 1)), int(known["n"]) if known else 0,
    )  # fmt: skip
