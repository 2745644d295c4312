"""The inputs of the arithmetic page: what each one means, its unit and range, how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from core.errors import InputError, show
from core.statistics.decision import Decision
from core.statistics.money import Bill, Costs, bill
from core.statistics.uncertainty import Case, Input
from core.statistics.worked import CAP_MAX, Inputs, Level, Sheet
from core.wording import rate_typed, read_amount, read_rate, read_whole, share_text
from pages.parts import state

Texts = dict[state.Name, str]
CHECKS = {"code": "Code check, 1 call a round", "critic": "Model critic, 2 calls a round"}
LEVELS = {"truth": "Good or bad (truth)", "accepted": "Accepted or not (the check's word)"}
SHARE_RANGE = (
    "Range: 0 to 100 %, or counts like 12 of 40, which then carry their interval; a wider one "
    "stands in brackets: 12 of 40 (14–50 %)."
)


@dataclass(frozen=True)
class Field:
    """An input typed as text: its name, also in errors, its unit, its meaning, its range.

    `kind`: a share (or counts), a list of shares, a whole number, or an amount up to `most`. An
    optional one may be empty; `empty` then says what that means.
    """

    name: str
    unit: str
    meaning: str
    kind: str = "share"
    most: float = 1.0
    empty: str = ""
    critic_only: bool = False

    @property
    def range(self) -> str:
        """The range in words."""
        return {
            "share": SHARE_RANGE,
            "rates": "Range: 0 to 100 % each, cap − 1 of them, separated by commas.",
            "whole": f"Range: 1 to {CAP_MAX}.",
            "amount": f"Range: 0 to {self.most:,.0f}.",
        }[self.kind]

    @property
    def help(self) -> str:
        """Meaning and range, for the question mark at the box."""
        return f"{self.meaning} {self.range}"


def _amount(name: str, unit: str, meaning: str, most: float, empty: str = "") -> Field:
    return Field(name, unit, meaning, "amount", most, empty)


TOKENS, DOLLARS = 10_000_000, 1_000_000
FIELDS: dict[state.Name, Field] = {
    "p": Field(
        "First drafts good, p", "share",
        "Share of tasks whose first draft is good. 0.4, 40 and 40 % mean the same.",
    ),
    "r": Field(
        "Repair rate, r", "share",
        "Chance that one revision turns a rejected bad draft into a good one.",
    ),
    "cap": Field(
        "Cap, k", f"1–{CAP_MAX} drafts",
        "Drafts at most. A round is one draft and its check; retries get as many tries.", "whole",
    ),
    "fresh": Field(
        "Fresh share, F", "if measured",
        "Of the tasks whose first draft failed, the share that fresh draws rescue by the cap. "
        "Empty: draws are as alike as ρ says, independent if that is empty too.",
        empty="independent",
    ),
    "far": Field(
        "Critic passes bad", "share",
        "False-accept rate: share of bad drafts that the critic passes. The agreement page "
        "measures it.",
        critic_only=True,
    ),
    "frr": Field(
        "Critic fails good", "share",
        "False-reject rate: share of good drafts that the critic sends back.",
        critic_only=True,
    ),
    "damage": Field(
        "Good ones spoilt", "share",
        "Damage: chance that revising a good draft which was sent back spoils it.",
    ),
    "rates": Field(
        "Repair rate of each round", "shares",
        "One repair rate for each revision, in place of r: 50, 40 for rounds 2 and 3.",
        "rates", empty="the same r in every round",
    ),
    "rho": Field(
        "Likeness of draws, ρ", "0 to 1",
        "Correlation of the draws of one task: 0 is equally hard tasks, 1 a task that passes "
        "always or never. In place of F.",
        empty="from F, else 0",
    ),
    "catches": Field(
        "Code check catches", "share",
        "Share of bad drafts that the code check fails before anybody reads them.",
        empty="all without a critic, none with one",
    ),
    "misfires": Field(
        "Code check misfires", "share", "Share of good drafts that the code check fails wrongly.",
    ),
    "prompt": _amount("Prompt", "tokens", "Tokens of the task as the writer gets it.", TOKENS),
    "reply": _amount("Draft", "tokens", "Tokens of one draft.", TOKENS),
    "growth": _amount(
        "Revision prompt grows by", "tokens",
        "Tokens by which a revision's prompt is longer than a fresh one: the last draft and the "
        "failures.", TOKENS,
    ),
    "rubric": _amount(
        "Critic's instructions", "tokens",
        "Tokens the critic reads besides the task and the draft.", TOKENS,
    ),
    "verdict": _amount("Verdict", "tokens", "Tokens of one verdict with its evidence.", TOKENS),
    "usd_in": _amount("Writer reads", "$ per million tokens", "Price of the writer's input.",
                      DOLLARS, "price not set"),
    "usd_out": _amount("Writer writes", "$ per million tokens", "Price of the writer's output.",
                       DOLLARS, "price not set"),
    "critic_in": _amount("Critic reads", "$ per million tokens", "Price of the critic's input.",
                         DOLLARS, "price not set"),
    "critic_out": _amount("Critic writes", "$ per million tokens", "Price of the critic's output.",
                          DOLLARS, "price not set"),
    "seconds": _amount("A draft takes", "seconds", "Seconds of one writer call.", 86_400),
    "critic_seconds": _amount("A verdict takes", "seconds", "Seconds of one critic call.", 86_400),
    "handover": _amount(
        "A hand-over costs", "$", "What a task costs that ends unaccepted and goes to a person.",
        DOLLARS,
    ),
    "wrong": _amount(
        "A wrong accept costs", "$", "What an accepted output costs that is bad.", DOLLARS,
    ),
    "tasks": _amount("Tasks", "per month", "Tasks that arrive in a month.", 1_000_000_000),
}  # fmt: skip
SHARES: tuple[state.Name, ...] = tuple(n for n, f in FIELDS.items() if f.kind == "share")
CORE: tuple[state.Name, ...] = ("p", "r", "far", "frr", "damage", "fresh", "cap", "critic")
"""Always in the address; the others only where they differ from what they begin with."""
MORE: tuple[state.Name, ...] = (
    "level", "rates", "rho", "catches", "misfires", "prompt", "reply", "growth", "rubric",
    "verdict", "usd_in", "usd_out", "critic_in", "critic_out", "seconds", "critic_seconds",
    "handover", "wrong", "tasks",
)  # fmt: skip
NAMES = (*CORE, *MORE)


def beginning(prices: tuple[float | None, float | None]) -> Texts:
    """Return what the further inputs begin with; `prices` are the default model's, in and out."""
    c = Costs()
    usd_in, usd_out = ("" if price is None else f"{price:g}" for price in prices)
    amounts = (c.prompt, c.draft, c.growth, c.rubric, c.verdict)
    prompt, reply, growth, rubric, verdict = (f"{x:g}" for x in amounts)
    return {
        "level": "truth", "rates": "", "rho": "", "catches": "", "misfires": "0 %",
        "prompt": prompt, "reply": reply, "growth": growth, "rubric": rubric, "verdict": verdict,
        "usd_in": usd_in, "usd_out": usd_out, "critic_in": usd_in, "critic_out": usd_out,
        "seconds": f"{c.draft_seconds:g}", "critic_seconds": f"{c.critic_seconds:g}",
        "handover": "0", "wrong": "0", "tasks": f"{c.tasks:g}",
    }  # fmt: skip


def texts_of(inputs: Inputs) -> Texts:
    """Return an example's inputs as they stand in the boxes."""
    return {
        "p": share_text(inputs.p),
        "r": share_text(inputs.r),
        "far": share_text(inputs.far),
        "frr": share_text(inputs.frr),
        "damage": share_text(inputs.damage),
        "fresh": "" if inputs.fresh is None else share_text(inputs.fresh),
        "cap": str(inputs.cap),
        "critic": "critic" if inputs.critic else "code",
    }


def needed(name: state.Name, texts: Mapping[state.Name, str]) -> bool:
    """Whether an input counts under the check and the level that are chosen."""
    if texts["level"] == "accepted" and name in ("far", "frr", "damage", "catches", "misfires"):
        return False
    return not FIELDS[name].critic_only or texts["critic"] == "critic"


def read_one(name: state.Name, typed: str) -> tuple[float | None, Input | None, str]:
    """Return an input's value, its rate if it is one, and how it was understood.

    An optional input that is empty is None. Raises InputError naming the box.
    """
    field = FIELDS[name]
    if field.empty and not typed.strip():
        return None, None, ""
    if field.kind == "share":
        rate, note = read_rate(field.name, typed)
        return rate.value, rate, note
    if field.kind == "whole":
        return read_whole(field.name, typed, 1, CAP_MAX), None, ""
    if field.kind == "amount":
        return read_amount(field.name, typed, field.most, field.unit), None, ""
    return None, None, ""


@dataclass(frozen=True)
class Scenario:
    """Everything that was typed, read: the sheet's inputs, measured rates by name, the costs."""

    inputs: Inputs
    rates: Mapping[str, Input]
    repairs: tuple[Input, ...]
    costs: Costs

    @cached_property
    def sheet(self) -> Sheet:
        """The figures at the inputs' values."""
        return Sheet(self.inputs)

    @property
    def truth(self) -> bool:
        """Whether the numbers are about good and bad, not about what is accepted."""
        return self.inputs.level == "truth"

    @cached_property
    def decision(self) -> Decision:
        """The three arms with the measured inputs' sampling error carried through."""
        i, check, none = self.inputs, self.inputs.check, Input(0.0)

        def rate(name: str, value: float) -> Input:
            return self.rates.get(name, Input(value))

        far, frr = (rate("far", i.far), rate("frr", i.frr)) if i.critic else (none, none)
        fresh = self.rates.get("fresh")
        case = Case(
            rate("p", i.p),
            self.repairs or (rate("r", i.r),),
            i.cap,
            i.critic,
            catches=rate("catches", check.catches),
            misfires=rate("misfires", check.misfires),
            far=far,
            frr=frr,
            damage=rate("damage", i.damage),
            rho=none if fresh is not None else rate("rho", self.sheet.rho),
            prices=self.costs.prices(i.critic),
        )
        return Decision(case, fresh)

    @cached_property
    def bills(self) -> dict[str, Bill]:
        """A month of "loop", "retry" and "single"."""
        return {
            name: bill(
                flow, self.costs, critic=self.inputs.critic and name != "single",
                revises=name == "loop", truth=self.truth,
            )
            for name, flow in self.sheet.flows.items()
        }  # fmt: skip

    @property
    def priced(self) -> bool:
        """Whether money can be told."""
        return self.costs.priced(self.inputs.critic)


def read(texts: Mapping[state.Name, str]) -> Scenario:
    """Return what the texts say; raises InputError naming the first that will not do."""
    values: dict[str, float] = {}
    rates: dict[str, Input] = {}
    for name in FIELDS:
        if not needed(name, texts):
            continue
        value, rate, _ = read_one(name, texts[name])
        if value is not None:
            values[name] = value
        if rate is not None:
            rates[name] = rate
    for name, known in (("critic", CHECKS), ("level", LEVELS)):
        if texts[cast(state.Name, name)] not in known:
            came = show(texts[cast(state.Name, name)])
            raise InputError(name, f"{came} is not one of the choices.", "Choose one.")
    cap = int(values["cap"])
    repairs = _repairs(texts["rates"], cap)
    inputs = Inputs(
        p=values["p"],
        r=values["r"],
        cap=cap,
        critic=texts["critic"] == "critic",
        far=values.get("far", 0.0),
        frr=values.get("frr", 0.0),
        damage=values.get("damage", 0.0),
        fresh=values.get("fresh"),
        rates=tuple(one.value for one in repairs),
        catches=values.get("catches"),
        misfires=values.get("misfires", 0.0),
        rho=values.get("rho", 0.0),
        level=cast(Level, texts["level"]),
    )
    costs = Costs(
        prompt=values["prompt"], draft=values["reply"], growth=values["growth"],
        rubric=values["rubric"], verdict=values["verdict"],
        usd_in=values.get("usd_in"), usd_out=values.get("usd_out"),
        critic_in=values.get("critic_in"), critic_out=values.get("critic_out"),
        draft_seconds=values["seconds"], critic_seconds=values["critic_seconds"],
        hand_over=values["handover"], wrong=values["wrong"], tasks=values["tasks"],
    )  # fmt: skip
    return Scenario(inputs, rates, repairs, costs)


def _repairs(typed: str, cap: int) -> tuple[Input, ...]:
    field = FIELDS["rates"]
    parts = [part for part in typed.split(",") if part.strip()]
    if parts and len(parts) != cap - 1:
        raise InputError(
            field.name, f"{len(parts)} for {cap - 1} revisions.",
            "Give one for each revision (cap − 1), or leave it empty.",
        )  # fmt: skip
    return tuple(read_rate(field.name, part)[0] for part in parts)


def rate_text(rate: Input | None) -> str:
    """Return a measured rate for a box; nothing where there is none."""
    return "" if rate is None else rate_typed(rate)
