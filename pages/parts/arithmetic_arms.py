"""Measured arms on the arithmetic page: loop against retries on the same tasks, and what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.charts_arms import by_round_chart
from core.statistics.arms import Arms, Draft
from core.statistics.comparison import Paired
from core.statistics.interval import Result, Undefined
from core.statistics.published import near_greedy
from core.statistics.readings import (
    Retries,
    by_round,
    draws_that_would_do,
    first_against_final,
    retries,
)
from core.statistics.truth import Truth, truth
from core.statistics.uncertainty import Input
from core.wording import (
    NEAR_GREEDY,
    coefficient,
    count_of,
    decimal,
    p_value,
    per_output,
    percent,
    plural,
    point_gap,
    points,
    rate,
    rate_typed,
)
from pages.parts.arithmetic_fields import Texts
from pages.parts.arithmetic_panels import ink
from pages.parts.panels import small


@dataclass(frozen=True)
class Report:
    """Measured arms with what else was read from the same drafts.

    `likeness` is ρ of the draws, by gold labels where drafts have them, else by what was accepted.
    """

    arms: Arms
    draws: Retries
    truth: Truth | None
    likeness: Result

    @classmethod
    def of(cls, found: Arms, drafts: Sequence[Draft]) -> Report:
        """Return the report of arms measured from `drafts`."""
        loops = [pair[0] for some in found.pairs.values() for pair in some]
        draws = retries(drafts)
        by_gold = retries(drafts, gold=True) if found.gold else draws
        return cls(found, draws, truth(loops) if found.gold else None, by_gold.attempts.correlation)


def report(one: Report, cap: int) -> None:
    """Draw everything about the arms; `cap` is the calculator's."""
    found = one.arms
    st.markdown(f"**{verdict(found)}**")
    notes = []
    if found.unpaired:
        notes.append(f"{plural(found.unpaired, 'task')} in one arm only, left out.")
    if found.without_gold:
        notes.append(
            f"{plural(found.without_gold, 'pair')} with an unlabelled accepted draft, left out of "
            "the comparison."
        )
    if one.draws.most == 1:
        notes.append(_one_draw(found, cap))
    elif near_greedy(one.draws.attempts):
        notes.append(NEAR_GREEDY)
    small(*notes) if notes else None
    _arms_table(found)
    _rates(one)
    st.vega_lite_chart(
        by_round_chart(found.loop, found.retry, ink()),
        alt="Share of all started accepted by round. " + _rounds_in_words(found),
    )
    small("Accepted by round, of all that started: those that stopped early count too.")
    _what_independence_hides(one)
    _selection(one)
    _first_and_final(found)


def verdict(found: Arms) -> str:
    """Say which arm does better on the same tasks, or that it cannot be told and what would."""
    gap = found.difference
    what = "accepts more good outputs" if found.gold else "accepts more"
    if isinstance(gap, Undefined):
        return f"Loop against retries: {gap.reason}."
    said = f"{points(gap)} on {plural(found.tasks, 'task')}, exact {p_value(found.paired.p_exact)}"
    if found.winner is not None:
        who = "The loop" if found.winner == "loop" else "Trying again"
        return f"{who} {what}: difference {said}."
    more = found.more_tasks
    would = more.reason if isinstance(more, Undefined) else f"about {more:,} more tasks would tell"
    return f"Can't tell which {what}: difference {said}; {would}."


def _one_draw(found: Arms, cap: int) -> str:
    fresh, likeness = draws_that_would_do(found, max(cap, 2))
    return (
        "One draw per task: the fresh share F, ρ and pass@k are not known, and neither is whether "
        f"feedback beats a fresh draw. {plural(fresh, 'more draw')} (of the tasks whose first draw "
        f"failed, up to {max(cap, 2)} each) would give F; {plural(likeness, 'more draw')} (one of "
        "every task) would give ρ."
    )


def _rates(one: Report) -> None:
    found = one.arms
    rows: list[tuple[str, Result]] = [("First drafts accepted, p", found.p1)]
    rows += [(f"Repaired in round {n}, r", r) for n, r in found.repair_rate.items()]
    rows += [
        ("Rescued by the loop, of failed first drafts", found.rescue_share),
        ("Passed at the second draw", found.fresh_rate),
        ("Rescued by retries, F", found.fresh_share),
    ]
    if one.truth is not None:
        rows += [("First drafts good, p*", one.truth.p)]
        rows += [(f"Made good in round {n}, r*", r) for n, r in one.truth.repair.items()]
        rows += [
            ("Good ones spoilt, d", one.truth.damage),
            ("Bad drafts the check passed", one.truth.passes_bad),
            ("Good drafts it failed", one.truth.rejects_good),
        ]
    st.dataframe(
        [{"Measured": n, "Value (95 %)": rate(r), "Counts": count_of(r)} for n, r in rows],
        hide_index=True, height="content",
    )  # fmt: skip
    small(
        "One row a rate of its own denominator; tasks are clusters where they have several trials."
    )


def _arms_table(found: Arms) -> None:
    def cells(name: str) -> dict[str, str]:
        arm = found.loop if name == "Loop" else found.retry
        good = "not labelled" if arm.accepted_good is None else f"{arm.accepted_good:,}"
        per_good = None
        if arm.accepted_good:
            per_good = arm.calls / arm.accepted_good
        return {
            "Arm": name, "Accepted": f"{arm.accepted:,} of {arm.traces:,}",
            "Accepted and good": good, "Calls": decimal(arm.calls, 0),
            "Calls per accepted": per_output(arm.calls_per_accepted),
            "Calls per good": per_output(per_good),
        }  # fmt: skip

    st.dataframe([cells("Loop"), cells("Retries")], hide_index=True)
    pairs = found.paired
    small(
        f"Same tasks, paired: both {pairs.both:,}, loop only {pairs.first_only:,}, retries only "
        f"{pairs.second_only:,}, neither {pairs.neither:,}."
    )


def _what_independence_hides(one: Report) -> None:
    found = one.arms
    cap = len(found.retry.by_round)
    fresh, p = found.fresh_share, found.p1
    if not isinstance(fresh, Undefined) and not isinstance(p, Undefined) and cap > 1:
        promised = 1 - (1 - p.value) ** (cap - 1)
        hides = (
            f"What independence hides: {point_gap(promised - fresh.value)}. "
            if (promised > fresh.value)
            else ""
        )
        small(
            f"Independent draws would rescue {percent(promised)} of failures by draw {cap}; these "
            f"rescued {percent(fresh.value)}. {hides}Likeness of draws, ρ: "
            f"{coefficient(one.draws.attempts.correlation)}."
        )
    if one.draws.most > 1 and not one.draws.stopped:
        draws = one.draws.attempts
        rows = [
            {"k": k, "At least one (pass@k)": rate(draws.pass_at(k)),
             "All k (pass^k)": rate(draws.pass_hat(k))}
            for k in range(1, draws.fewest + 1)
        ]  # fmt: skip
        st.dataframe(rows, hide_index=True)


def _selection(one: Report) -> None:
    rows = by_round(one.arms, one.draws.attempts)
    if len(rows) < 2:
        return
    st.dataframe(
        [
            {
                "Round": row.round, "Repaired (95 %)": rate(row.repair),
                "Counts": count_of(row.repair),
                "A fresh draw after as many failures": (
                    "not known" if row.fresh is None else percent(row.fresh)
                ),
            }
            for row in rows
        ],
        hide_index=True,
    )  # fmt: skip
    small(
        "Selection by round: easy tasks leave first, so a rate can fall although feedback is as good "
        "as before. Compare each round with the fresh draw beside it, not with round 2."
    )


def _first_and_final(found: Arms) -> None:
    pairs: Paired | None = first_against_final(
        pair[0] for some in found.pairs.values() for pair in some
    )
    if pairs is None:
        small("First against final drafts: not known, no gold labels on both.")
        return
    small(
        f"First against final drafts, by gold: good {pairs.second:,}, then {pairs.first:,} of "
        f"{pairs.n:,}; mended {pairs.first_only:,}, spoilt {pairs.second_only:,}; difference "
        f"{points(pairs.difference)}."
    )


def _rounds_in_words(found: Arms) -> str:
    said = []
    for name, arm in (("loop", found.loop), ("retries", found.retry)):
        shares = ", ".join(percent(k / arm.traces) for k in arm.by_round)
        said.append(f"{name}: {shares}")
    return "; ".join(said) + "."


def texts_from(one: Report, texts: Texts) -> Texts | str:
    """Return the calculator's inputs with what was measured, or why they cannot be filled.

    At truth level where drafts carry gold labels on both sides of the check, else at accepted
    level. Rates keep their counts, so their intervals are carried through.
    """
    found, t = one.arms, one.truth
    cap = max(len(found.loop.by_round), len(found.retry.by_round), 1)
    if t is not None and not any(
        isinstance(x, Undefined) for x in (t.p, t.passes_bad, t.rejects_good)
    ):
        damage = Input.of(t.damage)
        return texts | _rates_of(t.p, t.repair, cap) | {
            "cap": str(cap), "level": "truth", **_check(found, t),
            "damage": "0 %" if damage is None else rate_typed(damage),
            "fresh": "", "rho": _typed(one.likeness),
        }  # fmt: skip
    if isinstance(found.p1, Undefined):
        return found.p1.reason
    known = one.draws.most >= 2 and not rescues_beyond_chance(one, cap)
    return texts | _rates_of(found.p1, found.repair_rate, cap) | {
        "cap": str(cap), "level": "accepted", "far": "0 %", "frr": "0 %", "damage": "0 %",
        "critic": "critic" if _asks_a_critic(found) else "code", "catches": "", "misfires": "0 %",
        "fresh": _typed(found.fresh_share) if known else "", "rho": "",
    }  # fmt: skip


def rescues_beyond_chance(one: Report, cap: int) -> bool:
    """Whether retries rescued more than independent draws at p would, which no formula here holds.

    Happens by luck on few tasks: F is at most 1 − (1 − p)^(cap − 1) when draws are independent,
    and less when they are alike.
    """
    p, fresh = one.arms.p1, one.arms.fresh_share
    if isinstance(p, Undefined) or isinstance(fresh, Undefined):
        return False
    return fresh.value > 1 - (1 - p.value) ** (cap - 1)


def _asks_a_critic(found: Arms) -> bool:
    """Whether a draft costs two calls or so: one to write, one for a critic to read."""
    drafts = sum(len(pair[0].drafts) for some in found.pairs.values() for pair in some)
    return found.loop.calls >= 1.5 * drafts


def _check(found: Arms, t: Truth) -> Texts:
    """Return the check as one: a critic if its drafts cost two calls or more, else code."""
    if _asks_a_critic(found):
        return {
            "critic": "critic", "catches": "", "misfires": "0 %",
            "far": _typed(t.passes_bad), "frr": _typed(t.rejects_good),
        }  # fmt: skip
    passes = Input.of(t.passes_bad)
    return {
        "critic": "code", "catches": "" if passes is None else rate_typed(passes.complement),
        "misfires": _typed(t.rejects_good), "far": "0 %", "frr": "0 %",
    }  # fmt: skip


def _rates_of(p: Result, repair: Mapping[int, Result], cap: int) -> Texts:
    rates = [Input.of(r) for r in repair.values()]
    known = [rate_typed(x) for x in rates if x is not None][: cap - 1]
    into: Texts = {"p": _typed(p), "rates": ""}
    if known:
        into["r"] = known[0]
    if len(known) == cap - 1 and cap > 2:
        into["rates"] = ", ".join(known)
    return into


def _typed(result: Result) -> str:
    one = Input.of(result)
    return "" if one is None else rate_typed(one)
