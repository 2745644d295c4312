"""Agreement in sentences: what a rate shows, what is missing, and what to do, as a table."""

from __future__ import annotations

import numpy as np
import pytest

from core.labelling.disagreement import Reason, Todo
from core.statistics.comparison import Paired, SharedErrors
from core.statistics.confusion import Confusion, count
from core.statistics.correction import PassRate, Stratum, pass_rate
from core.statistics.interval import Estimate, Undefined, rate
from core.statistics.planning import labels_for_limit, outlook
from core.wording import about, against_limit
from core.wording_agreement import (
    as_good_as_people,
    base_line,
    cluster_line,
    compared,
    constant,
    cost_line,
    fishing,
    left_out_line,
    next_line,
    outlook_line,
    pass_rate_lines,
    plan_line,
    record_line,
    shared_line,
    todo_line,
)


def plain(text: str | None) -> str:
    return (text or "").replace("\u00a0", " ")


def far(k: int, n: int, limit: float | None = 0.05) -> str:
    return plain(
        against_limit(rate(k, n, nothing="none"), limit, what="bad outputs", verb="passed")
    )


def test_two_of_45_is_not_shown_and_says_what_would_show_it() -> None:
    assert (
        "2 of 45 bad outputs passed: 4.4 % (0.5–15.1 %). Not shown to be below your 5 %: about 100 "
        "more bad outputs without a miss would, or another limit."
    ) == far(2, 45)


@pytest.mark.parametrize(
    ("k", "n", "limit", "ends"),
    [
        (0, 100, 0.05, "Shown to be at or below your 5 % limit."),
        (30, 45, 0.05, "Above your 5 % limit."),
        (0, 45, 0.0, "no number of labels shows that a rate is 0; set a limit above it."),
        (0, 5, 0.05, "about 70 more bad outputs without a miss would, or another limit."),
        (0, 5, None, "0 of 5 bad outputs passed: 0.0 % (0.0–52.2 %)."),
    ],
)
def test_a_rate_against_its_limit(k: int, n: int, limit: float | None, ends: str) -> None:
    assert far(k, n, limit).endswith(ends)


def test_a_reweighted_rate_says_so_and_has_no_numerator() -> None:
    said = against_limit(Estimate(0.2, 0.1, 0.4, None, 60), 0.3, what="bad outputs", verb="passed")
    assert plain(said).startswith("Bad outputs passed, reweighted: 20.0 % (10.0–40.0 %), n = 60.")


@pytest.mark.parametrize(("n", "said"), [(13, "13"), (97, "100"), (101, "110"), (1234, "1,300")])
def test_about_never_promises_too_little(n: int, said: str) -> None:
    assert said == about(n)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (Confusion(0, 0, 0, 0), "No output here has a gold label, so there is no rate."),
        (
            Confusion(0, 0, 0, 0, unscored=12),
            "None of 12 labelled outputs has a verdict of j: all are unscored, so there is no rate.",
        ),
        (Confusion(9, 0, 1, 0), "All 10 outputs are good: false accepts show only on bad ones."),
        (Confusion(0, 2, 0, 8), "All 10 outputs are bad: false rejects show only on good ones."),
        (
            Confusion(18, 2, 0, 0),
            "j passes everything: kappa cannot show this, look at the two rates.",
        ),
    ],
)
def test_what_there_is_to_know_before_any_rate(cells: Confusion, says: str) -> None:
    assert says == constant("j", cells)


def test_an_always_pass_judge_is_not_called_good() -> None:
    """18 good and 2 bad outputs, all passed: 90 % agreement, kappa 0, FAR 2 of 2, FRR 0 of 18."""
    c = count([1] * 18 + [0] * 2, [1] * 20)
    assert "passing everything agrees on 90.0 %; this agrees on 90.0 %." in plain(base_line(c))
    assert isinstance(c.kappa, Estimate)
    assert (0.0, 1.0) == (c.kappa.value, np.copysign(1.0, c.kappa.value))
    assert "2 of 2 bad outputs passed: 100.0 % (15.8–100.0 %). Above your 5 % limit." == plain(
        against_limit(c.false_accept_rate, 0.05, what="bad outputs", verb="passed")
    )
    assert isinstance(c.false_reject_rate, Estimate)
    assert (0, 18) == (c.false_reject_rate.k, c.false_reject_rate.n)
    assert pytest.approx(0.185, abs=5e-4) == c.false_reject_rate.high


def test_unknown_is_shown_by_truth_class() -> None:
    said = base_line(Confusion(6, 1, 2, 3, unknown_good=1, unknown_bad=2))
    assert "UNKNOWN on 2 of 4 bad outputs (50.0 %) and 1 of 8 good ones (12.5 %)" in plain(said)


def test_clusters_are_named_only_where_there_are_any() -> None:
    gold, judge = [0] * 20, [1] * 10 + [0] * 10
    assert cluster_line(count(gold, judge)) is None
    assert cluster_line(count(gold, judge, list(range(20)))) is None
    said = cluster_line(count(gold, judge, [n // 5 for n in range(20)]))
    assert (
        "20 outputs come from 4 samples: intervals allow for it. False-accept rate counts like 4 "
        "independent outputs, not 20."
    ) == said


def test_a_judge_among_the_reviewers() -> None:
    people = [("Ana", rate(1, 40, nothing="")), ("Ben", rate(30, 40, nothing=""))]
    assert (
        "FAR beside 2 reviewers: 1 errs more often, 1 errs less often; apart from the judge's "
        "interval: Ben."
    ) == as_good_as_people(rate(6, 40, nothing=""), people, "FAR")
    assert (
        "FAR beside 2 reviewers: 2 err more often, none errs less often; apart from the judge's "
        "interval: Ben."
    ) == as_good_as_people(rate(0, 40, nothing=""), people, "FAR")
    assert as_good_as_people(Undefined("none", 0, 0), people, "FAR") is None
    assert as_good_as_people(rate(6, 40, nothing=""), [], "FAR") is None


def test_slices_warn_of_luck() -> None:
    assert "With 95\u00a0% intervals about 1.2 of these 24 miss" in fishing(12)


def test_two_judges_in_words() -> None:
    said = plain(compared(Paired(60, 11, 1, 1), "A", "B", "Good outputs passed"))
    assert said.startswith("Good outputs passed: A 71, B 61 of 73; difference 13.7 points")
    assert said.endswith("McNemar exact p = .006, mid-P p = .003: A is ahead.")
    nothing = compared(Paired(0, 0, 0, 0), "A", "B", "Right")
    assert "Right: not measured, no output was judged by both." == nothing
    assert "blind spots: a second opinion" in shared_line(SharedErrors(9, 2.0, 0.001))
    assert "Not shown to share" in shared_line(SharedErrors(2, 0.9, 0.175))


def test_costs_that_are_not_known_say_why() -> None:
    assert "A: cost not recorded." == cost_line("A", None, False)
    assert "A: price not set." == cost_line("A", None, True)
    assert "A: 1.25 US dollars per 1,000 judgements." == cost_line("A", 1.25, False)


def test_the_pass_rate_stands_beside_the_labels_only_one() -> None:
    strata = [Stratum("PASS", True, 80, 45, 5), Stratum("FAIL", False, 20, 2, 8)]
    first, second = map(plain, pass_rate_lines(pass_rate(strata, random=True), 100))
    # (80·45/50 + 20·2/10) ÷ 100
    assert first.startswith("Good share of the process these outputs come from: 76.0 %")
    assert first.endswith("from 60 labels and the judge's verdicts on 100 outputs.")
    assert second.startswith("From the labels alone: 78.3 %")
    assert second.endswith("47 of 60.")
    # Of 7 outputs nobody labelled, by the errors on 88 that somebody did.
    there = PassRate(Estimate(0.8, 0.1, 1.0, None, 7), Undefined("other outputs", None, 88))
    assert plain(pass_rate_lines(there, 7)[0]).endswith(
        "from 88 labels and the judge's verdicts on 7 outputs."
    )


def test_plans_in_words() -> None:
    plan = labels_for_limit(0.05, 0.01, kind=0.2)
    assert not isinstance(plan, Undefined)
    said = plain(plan_line(plan, "bad", 0.2))
    assert said.startswith(f"{plan.labels:,} labels: at 20.0 % bad among the outputs")
    assert f"With {plan.allowed} error" in said
    refused = plain(plan_line(labels_for_limit(0.05, 0.2), "bad", 0.2))
    assert (
        "No number of labels is enough: the guessed rate 20 % is not below the limit 5 %."
        == refused
    )
    look = outlook(2, 45, 20, kind=0.5, limit=0.05)
    assert "FAR: the next 20 labels are expected to bring the interval to" in outlook_line(
        look, 20, "FAR"
    )


def test_which_outputs_next() -> None:
    assert next_line([("passed", 0)], True, True).startswith("Every output has a label")
    said = next_line([("passed", 1200), ("failed", 0)], True, False)
    assert said.startswith("Without a label: 1,200 passed. Next: first those the judge passed")


def test_todo_left_out_and_records_in_words() -> None:
    assert ("tone: reword the question, it could not decide 2 disagreements.") == todo_line(
        Todo("tone", Reason.UNCLEAR, 2)
    )
    assert "Left out: 1,200 unlabelled." == left_out_line([(1200, "unlabelled"), (0, "unscored")])
    assert "Nothing left out." == left_out_line([])
    assert (
        "Calibration recorded on 2026-01-02, 96 labelled outputs. Out of date: a; b."
    ) == record_line(96, "2026-01-02", ["a", "b"])
