"""Write the files of the sample *Invoice extraction*.

Run as python -m sample_data.invoice_extraction.make.

Synthetic: written and generated for this product; no real customers, reviewers or models. What
happens to how many invoices is set by quota, so that the numbers of the worked example come out
by counting; which invoices, fields and mistakes is drawn from one seed. Verdicts are those of the
contract's own checks, and a draft is good when all twelve fields equal the reference.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from core.checks.registry import Check
from core.files.contracts import read_contract
from sample_data.invoice_extraction.mistakes import (
    FIELDS,
    MISSING,
    Invoice,
    day_in_words,
    day_with_points,
    grouped,
    refused,
    wrong,
)
from sample_data.writing import Draft, csv_text, jsonl_text, load_yaml, pick, some, trace, write

HERE = Path(__file__).parent
SEED = 20250401
INVOICES = 200
VALID_AT_ONCE, OF_THEM_WRONG = 140, 14
REPAIRED_AT_2, REPAIRED_AT_3, OF_REPAIRED_WRONG = 33, 15, 6
RETRIED_AT_2, RETRIED_AT_3, OF_RETRIED_WRONG = 24, 15, 5
BOTH_ARMS = 36  # failed first drafts that both arms get accepted


@dataclass
class Fate:
    """What happens to one invoice: how its drafts turn out in each arm.

    `first_wrong` is a well-formed wrong value in the first draft; `loop` and `retry` are the rounds
    at which the arm is accepted (None: never), `…_wrong` whether with a wrong value.
    """

    first_bad: int = 0
    first_wrong: bool = False
    loop: int | None = 1
    loop_wrong: bool = False
    retry: int | None = 1
    retry_wrong: bool = False


@dataclass(frozen=True)
class Reading:
    """A draft before it is text: fields the schema refuses, and fields wrong but well-formed."""

    bad: dict[str, Any] = field(default_factory=dict)
    off: dict[str, Any] = field(default_factory=dict)


def fates() -> list[Fate]:
    """Return what happens to each invoice, in order; every count is a quota."""
    rng = random.Random(f"{SEED} fates")
    order = some(rng, range(INVOICES), INVOICES)
    plan = [Fate() for _ in range(INVOICES)]
    for index in order[:OF_THEM_WRONG]:
        plan[index].first_wrong = plan[index].loop_wrong = plan[index].retry_wrong = True
    failed = order[VALID_AT_ONCE:]
    repaired = failed[: REPAIRED_AT_2 + REPAIRED_AT_3]
    for place, index in enumerate(failed):
        fate = plan[index]
        fate.first_bad = 3
        fate.loop = None if place >= len(repaired) else 2 if place < REPAIRED_AT_2 else 3
        fate.retry = None
    for place, index in enumerate(some(rng, repaired, OF_REPAIRED_WRONG)):
        plan[index].loop_wrong = True
        plan[index].first_wrong = place % 3 != 2  # the others guess when they repair
    retried = some(rng, repaired, BOTH_ARMS)
    retried += some(rng, failed[len(repaired) :], RETRIED_AT_2 + RETRIED_AT_3 - BOTH_ARMS)
    for place, index in enumerate(some(rng, retried, len(retried))):
        plan[index].retry = 2 if place < RETRIED_AT_2 else 3
    for index in some(rng, retried, OF_RETRIED_WRONG):
        plan[index].retry_wrong = True
    return plan


# --- invoices -------------------------------------------------------------------------------


def invoice(rng: random.Random, bank: dict[str, Any]) -> tuple[str, Invoice]:
    """Return the text of one invoice and what it says, as the reference."""
    vendor, customer = pick(rng, bank["vendors"]), pick(rng, bank["customers"])
    issued = date(2025, 1, 6) + timedelta(days=int(rng.random() * 85))
    due = issued + timedelta(days=pick(rng, (10, 14, 30)))
    bought = [
        (name, 1 + int(rng.random() * most), round(price * 100))
        for name, price, most in some(
            rng, bank["items"][vendor["sells"]], 1 + int(rng.random() * 4)
        )
    ]
    net = sum(count * cents for _, count, cents in bought)
    tax = (net * vendor["rate"] + 50) // 100
    true: Invoice = {
        "invoice_number": f"{vendor['prefix']}-{10_000 + int(rng.random() * 90_000)}",
        "invoice_date": issued.isoformat(),
        "due_date": due.isoformat(),
        "vendor_name": vendor["name"],
        "vendor_tax_id": f"{vendor['country']}000{_digits(rng, 6)}",
        "customer_name": customer,
        "currency": vendor["currency"],
        "net_amount": net / 100,
        "tax_amount": tax / 100,
        "gross_amount": (net + tax) / 100,
        "iban": f"{vendor['country']}00{_digits(rng, 18)}",
        "line_count": len(bought),
    }
    formats: tuple[Callable[[str], str], ...] = (day_in_words, day_with_points, str)
    day = pick(rng, formats)
    lines = [f"{count} x {name} at {_money(cents)}" for name, count, cents in bought]
    text = pick(rng, bank["layouts"]).format(
        number=true["invoice_number"], vendor=vendor["name"], tax_id=true["vendor_tax_id"],
        customer=customer, date=day(true["invoice_date"]), due=day(true["due_date"]),
        lines="\n".join(lines), net=_money(net), tax=_money(tax), rate=vendor["rate"],
        gross=_money(net + tax), currency=vendor["currency"], iban=grouped(true["iban"]),
    )  # fmt: skip
    return text, true


def _digits(rng: random.Random, count: int) -> str:
    return "".join(str(int(rng.random() * 10)) for _ in range(count))


def _money(cents: int) -> str:
    return f"{cents / 100:,.2f}"


# --- drafts ---------------------------------------------------------------------------------


def loop_readings(rng: random.Random, true: Invoice, fate: Fate, first: Reading) -> list[Reading]:
    """Return the readings of the loop: the first, then what is left after each repair."""
    readings = [first]
    left = some(rng, first.bad, len(first.bad))
    guess = {left[0]: wrong(true, left[0])} if fate.loop_wrong and not first.off else {}
    while fate.loop != len(readings) and len(readings) < 3:
        done = fate.loop == len(readings) + 1
        keep = [] if done else left[: len(first.bad) - len(readings)]
        readings.append(
            Reading({f: first.bad[f] for f in keep}, {**first.off, **(guess if done else {})})
        )
    return readings


def retry_readings(rng: random.Random, true: Invoice, fate: Fate, first: Reading) -> list[Reading]:
    """Return the readings of independent draws after the shared first one."""
    readings = [first]
    while fate.retry != len(readings) and len(readings) < 3:
        if fate.retry == len(readings) + 1:
            readings.append(Reading({}, _off(rng, true, ()) if fate.retry_wrong else {}))
            continue
        # What was hard to read once is often hard again.
        again = [f for f in first.bad if rng.random() < 0.6]
        fields = {*again, pick(rng, FIELDS)} if len(again) < 3 else set(again)
        readings.append(Reading({f: refused(rng, true, f) for f in FIELDS if f in fields}))
    return readings


def first_reading(rng: random.Random, true: Invoice, fate: Fate) -> Reading:
    """Return the first draft's reading, which both arms share."""
    fields = some(rng, FIELDS, fate.first_bad)
    bad = {f: refused(rng, true, f) for f in FIELDS if f in fields}
    return Reading(bad, _off(rng, true, fields) if fate.first_wrong else {})


def _off(rng: random.Random, true: Invoice, taken: Sequence[str]) -> dict[str, Any]:
    name = pick(rng, [f for f in FIELDS if f not in taken])
    return {name: wrong(true, name)}


def draft(checks: Mapping[str, Check], true: Invoice, reading: Reading) -> Draft:
    """Return the draft as text, judged by the contract's checks and against the reference."""
    values = {**true, **reading.off, **reading.bad}
    text = json.dumps({k: v for k, v in values.items() if v is not MISSING}, ensure_ascii=False)
    verdicts = {key: check.run(text) for key, check in checks.items()}
    return Draft(text, verdicts, json.loads(text) == true)


# --- files ----------------------------------------------------------------------------------


def files() -> dict[str, str]:
    """Return the text of every generated file by name."""
    contract = read_contract(HERE / "contract.yaml")
    checks = {c.key: check for c in contract.criteria if (check := c.code_check()) is not None}
    bank = load_yaml(HERE / "bank.yaml")
    outputs, traces = [], []
    for number, fate in enumerate(fates(), 1):
        rng = random.Random(f"{SEED} invoice {number}")
        sample_id = f"inv-{number:03}"
        text, true = invoice(rng, bank)
        first = first_reading(rng, true, fate)
        arms = {
            "loop": loop_readings(rng, true, fate, first),
            "retry": retry_readings(rng, true, fate, first),
        }
        for arm, readings in arms.items():
            drafts = [draft(checks, true, reading) for reading in readings]
            traces.append(trace(contract, arm, sample_id, text, drafts))
        reference = json.dumps(true, ensure_ascii=False)
        outputs.append((sample_id, "1", text, traces[-1]["rounds"][0]["draft"], reference))
    header = ("sample_id", "trial", "input", "output", "reference")
    return {"outputs.csv": csv_text(header, outputs), "traces.jsonl": jsonl_text(traces)}


def main() -> None:
    """Rewrite the generated files in this folder."""
    write(HERE, files())


if __name__ == "__main__":
    main()
