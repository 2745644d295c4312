"""What a judge's agreement with people shows, in sentences: on screen and in reports alike."""

from __future__ import annotations

from collections.abc import Sequence

from core.labelling.disagreement import Reason, Todo
from core.statistics.comparison import Paired, SharedErrors, TwoJudges
from core.statistics.confusion import Confusion
from core.statistics.correction import PassRate
from core.statistics.interval import ClusteredEstimate, Estimate, Result, Undefined
from core.statistics.planning import Outlook, Plan
from core.wording import (
    NBSP,
    against_limit,
    capital,
    coefficient,
    count_of,
    criterion_name,
    decimal,
    p_value,
    percent,
    plural,
    rate,
)

FAR, FRR = "False-accept rate", "False-reject rate"
REASONS = {
    Reason.RELABEL: "The label is wrong",
    Reason.JUDGE: "The judge is wrong",
    Reason.UNCLEAR: "The criterion is unclear",
    Reason.MISSED: "Missed by every check",
}
CHOSEN = {
    "unsaid": "Nobody has said yet",
    "random": "At random from all outputs",
    "verdict": "By the judge's verdict, at random within each",
    "elsewhere": "From other outputs than those without a label",
    "picked": "Picked by hand, or nobody knows",
}
"""How labelled outputs were chosen, as asked before a pass rate is corrected."""
PICKED = "refused: labels picked by hand say nothing of the outputs nobody picked"
UNSAID = "not measured: say first how the labelled outputs were chosen"


def constant(name: str, c: Confusion) -> str | None:
    """Say what there is to know before any rate is read: nothing there, one class, a constant judge."""
    if not c.n and c.unscored:
        return (
            f"None of {plural(c.unscored, 'labelled output')} has a verdict of {name}: "
            "all are unscored, so there is no rate."
        )
    if not c.n:
        return "No output here has a gold label, so there is no rate."
    said = []
    if not c.bad:
        said.append(f"All {c.n:,} outputs are good: false accepts show only on bad ones.")
    if not c.good:
        said.append(f"All {c.n:,} outputs are bad: false rejects show only on good ones.")
    if c.says:
        said.append(f"{name} {c.says}: kappa cannot show this, look at the two rates.")
    return " ".join(said) or None


def verdict_on(far: Result, frr: Result, limits: tuple[float | None, float | None]) -> list[str]:
    """Return the sentences about both rates against (false-accept, false-reject) limits."""
    return [
        against_limit(far, limits[0], what="bad outputs", verb="passed"),
        against_limit(frr, limits[1], what="good outputs", verb="failed"),
    ]


def base_line(c: Confusion) -> str:
    """Say how many outputs count, how often passing everything agrees, and what of it is UNKNOWN."""
    if isinstance(c.base_rate, Undefined) or isinstance(c.accuracy, Undefined):
        return "No output counted."
    said = (
        f"{plural(c.n, 'output')} counted. People call {c.good:,} of them good, so passing "
        f"everything agrees on {percent(c.base_rate.value)}; this agrees on "
        f"{percent(c.accuracy.value)}."
    )
    if c.unknown_good or c.unknown_bad:
        parts = [
            f"{k:,} of {n:,} {what} ({percent(k / n)})"
            for k, n, what in (
                (c.unknown_bad, c.bad, "bad outputs"), (c.unknown_good, c.good, "good ones"),
            )
            if n
        ]  # fmt: skip
        said += f" UNKNOWN on {' and '.join(parts)}: counted as FAIL."
    return said


def cluster_line(c: Confusion) -> str | None:
    """Say that outputs share samples, and what that costs; None where none do."""
    if c.by_cluster is None:
        return None
    groups = int((c.by_cluster.sum(axis=1) > 0).sum())
    if groups == c.n:
        return None
    said = f"{c.n:,} outputs come from {plural(groups, 'sample')}: intervals allow for it."
    costs = [
        f"{what} counts like {max(1, round(one.n / one.deff)):,} independent outputs, not {one.n:,}"
        for one, what in ((c.false_accept_rate, FAR), (c.false_reject_rate, FRR))
        if isinstance(one, ClusteredEstimate) and one.deff > 1.05
    ]
    return f"{said} {'; '.join(costs)}." if costs else said


def left_out_line(parts: Sequence[tuple[int, str]]) -> str:
    """Return "Left out: …" from (count, what) pairs, zero counts dropped."""
    said = [f"{n:,} {what}" for n, what in parts if n]
    return f"Left out: {'; '.join(said)}." if said else "Nothing left out."


def as_good_as_people(judge: Result, people: Sequence[tuple[str, Result]], what: str) -> str | None:
    """Say where a judge's rate lies among the reviewers' own; None without a reviewer to compare.

    Lower is better. Only points are ranked, and the sentence says that their intervals are wide.
    """
    known = [(name, one) for name, one in people if isinstance(one, Estimate)]
    if isinstance(judge, Undefined) or not known:
        return None
    more = sum(one.value > judge.value for _, one in known)
    less = sum(one.value < judge.value for _, one in known)
    apart = [name for name, one in known if one.low > judge.high or one.high < judge.low]
    clear = (
        "no interval is apart from the judge's" if not apart
        else f"apart from the judge's interval: {', '.join(apart)}"
    )  # fmt: skip
    return (
        f"{what} beside {plural(len(known), 'reviewer')}: {_err(more)} more often, {_err(less)} "
        f"less often; {clear}."
    )


def _err(people: int) -> str:
    return f"{people or 'none'} {'err' if people > 1 else 'errs'}"


# --- why they differ ------------------------------------------------------------------------


def todo_line(one: Todo) -> str:
    """Return one line of the to-do list that reasons of disagreements add up to."""
    name, n = criterion_name(one.criterion), plural(one.count, "disagreement")
    return {
        Reason.UNCLEAR: f"{name}: reword the question, it could not decide {n}.",
        Reason.MISSED: f"{name}: write a check for what every check missed ({n}).",
        Reason.JUDGE: f"{name}: the judge was wrong in {n}; give it an example, or another judge.",
        Reason.RELABEL: f"{name}: labels were wrong in {n}; tell reviewers what was overlooked.",
    }[one.reason]


def record_line(n: int, date: str, changed: Sequence[str]) -> str:
    """Say when a judge's rates were recorded, and what has changed since."""
    said = f"Calibration recorded on {date}, {plural(n, 'labelled output')}"
    return f"{said}. Out of date: {'; '.join(changed)}." if changed else f"{said}."


def look_line(looks: int, number: int) -> str:
    """Say how often the test part was opened under a contract version, and what that means."""
    if not looks:
        return (
            f"The test part has not been opened under version {number}: look once, when it is done."
        )
    times = "once" if looks == 1 else f"{looks} times"
    said = f"The test part was opened {times} under version {number}."
    return (
        said
        if looks == 1
        else (
            f"{said} Changes made after a look fit it, so its rates look better than they are: for a "
            "clean test save a new version, or label new samples."
        )
    )


# --- slices ---------------------------------------------------------------------------------


def fishing(slices: int) -> str:
    """Warn of looking at many slices: how many of their intervals miss by luck alone."""
    return (
        f"You look at {plural(slices, 'slice')} and two rates of each. With 95\u00a0% intervals about "
        f"{decimal(slices * 2 * 0.05, 1)} of these {2 * slices} miss the true rate by luck alone, "
        "and the worst slice is the one most likely to. A slice is a suspicion: label more of it "
        "before acting on it."
    )


# --- two judges -----------------------------------------------------------------------------


def compared(pairs: Paired, first: str, second: str, what: str) -> str:
    """Say who is ahead on paired items, with the difference, its interval and both tests."""
    gap = pairs.difference
    if isinstance(gap, Undefined):
        return f"{what}: not measured, no output was judged by both."
    low, high = decimal(gap.low * 100, 1), decimal(gap.high * 100, 1)
    who = {1: f"{first} is ahead", 2: f"{second} is ahead", None: "cannot tell them apart"}
    return (
        f"{what}: {first} {pairs.first:,}, {second} {pairs.second:,} of {pairs.n:,}; difference "
        f"{decimal(gap.value * 100, 1)} points (95\u00a0%: {low} to {high}). McNemar exact "
        f"{p_value(pairs.p_exact)}, mid-P {p_value(pairs.p_mid)}: {who[pairs.winner]}."
        + ("" if pairs.p_clusters is None else f" By sample {p_value(pairs.p_clusters)}.")
    )


def paired_clusters_line(pairs: Paired) -> str | None:
    """Say how outputs of shared samples are counted where two judges meet; None without any."""
    if pairs.by_cluster is None:
        return None
    samples = int(pairs.by_cluster.any(axis=1).sum())
    return (
        f"{pairs.n:,} outputs come from {plural(samples, 'sample')}: intervals allow for it. "
        "McNemar's tests count outputs as independent; the p by sample does not."
    )


def shared_line(shared: SharedErrors | Undefined) -> str:
    """Say how many errors two judges share, against what independent ones would."""
    if isinstance(shared, Undefined):
        return f"Shared errors: {shared.reason}."
    more = shared.p < 0.05
    return (
        f"Both wrong on {plural(shared.observed, 'output')}; if their errors had nothing to do with "
        f"each other it would be {decimal(shared.expected, 1)} ({p_value(shared.p)} for at least as "
        f"many). "
        + (
            "They share blind spots: a second opinion from the other one adds little."
            if more
            else "Not shown to share blind spots."
        )
    )


def cost_line(name: str, per_thousand: float | None, unpriced: bool) -> str:
    """Return what 1,000 judgements cost, or why it is not known."""
    if per_thousand is not None:
        return f"{name}: {decimal(per_thousand, 2)} US dollars per 1,000 judgements."
    return f"{name}: {'price not set' if unpriced else 'cost not recorded'}."


def drift_line(found: TwoJudges, anew: int) -> str:
    """Say whether a judge passes more or less of an anchor set than before."""
    pairs = found.verdicts
    if not pairs.n:
        return "No output of the set has a verdict in both readings."
    changed, by_sample = pairs.first_only + pairs.second_only, pairs.p_clusters
    tests = f"McNemar exact {p_value(pairs.p_exact)}"
    if by_sample is not None:
        tests += f", by sample (outputs of one are not independent) {p_value(by_sample)}"
    drifted = (pairs.p_exact if by_sample is None else by_sample) < 0.05
    said = (
        f"{changed:,} of {plural(pairs.n, 'verdict')} changed: {pairs.second_only:,} now pass, "
        f"{pairs.first_only:,} now fail. {tests}: "
        + ("the judge has drifted." if drifted else "no drift shown.")
    )
    if not anew:
        said += " None was judged anew in between, so nothing could change."
    return said


# --- pass rate ------------------------------------------------------------------------------


def pass_rate_lines(found: PassRate, judged: int) -> list[str]:
    """Return the corrected good share, the labels-only one beside it, and what is assumed."""
    alone = found.labels_only
    said = rate(found.corrected)
    lines = [f"Good share {said}." if isinstance(found.corrected, Undefined) else ""]
    if isinstance(found.corrected, Estimate):
        lines[0] = (
            f"Good share of the process these outputs come from: {rate(found.corrected)}, from "
            f"{plural(alone.n, 'label')} and the judge's verdicts on {judged:,} outputs."
        )
    if isinstance(alone, Undefined) and alone == found.corrected:
        return lines
    counts = "" if isinstance(alone, Undefined) else f", {count_of(alone)}"
    lines.append(f"From the labels alone: {rate(alone)}{counts}.")
    if found.guessed:
        lines.append(
            f"Nobody labelled an output with the verdict {', '.join(found.guessed)}: their good "
            "share is taken as anything from 0 to 1."
        )
    return lines


# --- planning -------------------------------------------------------------------------------


def plan_line(plan: Plan | Undefined, what: str, share: float) -> str:
    """Say how many labels a plan needs: `what` names the kind, `share` how common it is."""
    if isinstance(plan, Undefined):
        return f"{capital(plan.reason)}."
    if not plan.items:
        return "No labels are needed for that."
    first = (
        f"{plural(plan.labels, 'label')}: at {percent(share)} {what} among the outputs they hold "
        f"about {plan.items:,} {what} ones."
    )
    if plan.chance is None or plan.allowed is None:
        return first
    return (
        f"{first} With {plural(plan.allowed, 'error')} or fewer among those the limit is shown to "
        f"hold; at the guessed rate the chance of that is {percent(plan.chance, 0)}."
    )


def outlook_line(outlook: Outlook, labels: int, name: str) -> str:
    """Say what the next labels are expected to bring for a rate."""
    said = (
        f"{name}: the next {labels} labels are expected to bring the interval to "
        f"{outlook.low * 100:.1f}–{percent(outlook.high)}"
    )
    if outlook.chance_met is None or outlook.chance_missed is None:
        return f"{said}."
    return (
        f"{said}; chance that the limit is then shown to hold {percent(outlook.chance_met, 0)}, "
        f"that it is shown to be broken {percent(outlook.chance_missed, 0)}."
    )


def next_line(counts: Sequence[tuple[str, int]], far_open: bool, frr_open: bool) -> str:
    """Say which outputs to label next, from (stratum, outputs without a label)."""
    there = ", ".join(f"{n:,} {what}" for what, n in counts if n)
    if not there:
        return "Every output has a label: load new ones to learn more."
    wanted = {
        (True, True): "as many the judge passed as it failed",
        (True, False): "first those the judge passed: only there can a bad output slip through",
        (False, True): "first those the judge failed: only there can a good output be lost",
        (False, False): "both rates are settled against their limits; a random few keep them so",
    }[far_open, frr_open]
    return (
        f"Without a label: {there}. Next: {wanted}. The queue on the Label page gives them out "
        f"without showing the verdict, and{NBSP}keeps a random part."
    )


# --- tables ---------------------------------------------------------------------------------


def rate_row(name: str, c: Confusion, rates: tuple[Result, Result, Result]) -> dict[str, object]:
    """Return one row about an evaluator or a criterion, as tables on screen and in reports show it.

    `rates` are false-accept rate, false-reject rate and precision as they are to be shown.
    """
    far, frr, precision = rates
    return {
        "": name,
        "False accepts": rate(far),
        "of bad": count_of(far),
        "False rejects": rate(frr),
        "of good": count_of(frr),
        "Kappa": coefficient(c.kappa),
        "AC1": coefficient(c.ac1),
        "Good": rate(c.base_rate),
        "n": c.n,
        "Precision": rate(precision),
        "of accepted": count_of(precision),
        "UNKNOWN": f"{c.unknown_bad:,} of bad, {c.unknown_good:,} of good",
        "Unlabelled": c.unlabelled,
        "Unscored": c.unscored,
    }
