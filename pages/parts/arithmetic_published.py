"""Published runs as a way into the calculator: facts with their source and sampling settings."""

from __future__ import annotations

import streamlit as st

from core.charts_arms import published_chart
from core.statistics.comparison import Paired
from core.statistics.interval import Undefined
from core.statistics.uncertainty import Input
from core.wording import (
    NEAR_GREEDY,
    coefficient,
    count_of,
    p_value,
    percent,
    plural,
    points,
    rate,
    rate_typed,
)
from pages.parts.arithmetic_fields import Texts
from pages.parts.arithmetic_inputs import use
from pages.parts.arithmetic_panels import ink
from pages.parts.guard import guarded
from pages.parts.panels import small
from sample_data.published_runs import About, Run, TryRun, runs, two_tries


def published(texts: Texts) -> None:
    """Draw the runs of two tries, then those with independent draws."""
    about, tries = two_tries()
    _head(about)
    left, right = st.columns([3, 2], gap="medium")
    above = sum(not isinstance(t.counts.r, Undefined) and t.counts.r.value > t.counts.p.value
                for t in tries)  # fmt: skip
    rates = sorted(t.counts.r.value for t in tries if not isinstance(t.counts.r, Undefined))
    with left:
        st.vega_lite_chart(
            published_chart([(t.name, t.counts) for t in tries], ink()),
            alt=f"Repair rate over first-try rate of {len(tries)} runs; {above} lie above r = p.",
        )
        small(
            f"{plural(len(tries), 'run')}: r is above p in {above}, its median is "
            f"{percent(rates[len(rates) // 2])}. There is no retry arm here, so that does not show "
            "that feedback beats a second draw."
        )
    with right:
        _one_try(tries, texts)
    for run in runs():
        _run(run, texts)


def _one_try(tries: tuple[TryRun, ...], texts: Texts) -> None:
    by_name = {t.name: t for t in tries}
    name = st.selectbox(
        "Run", list(by_name), key="arithmetic.published.run",
        help="One dot of the picture: a model and its settings.",
    )  # fmt: skip
    one = by_name[str(name)]
    small(*(
        f"{name}: {rate(found)}, {count_of(found)}."
        for name, found in (("First try, p", one.counts.p), ("Second try, r", one.counts.r))
    ))  # fmt: skip
    if one.finished != one.counts.tasks:
        small(
            f"The file counts {one.finished} finished tasks; the printed percentage divides by "
            f"{one.counts.tasks}, and so do these."
        )
    counts = one.counts
    into: Texts = {
        "p": f"{counts.first} of {counts.tasks}",
        "r": f"{counts.second - counts.first} of {counts.tasks - counts.first}",
        "cap": "2", "critic": "code", "level": "truth", "rates": "", "fresh": "", "rho": "",
        "catches": "", "misfires": "0 %",
    }  # fmt: skip
    _use("two_tries", texts | into)
    small(
        f"{one.date}. Draws are then taken as independent: nothing published says how alike they are."
    )


def _run(run: Run, texts: Texts) -> None:
    st.divider()
    _head(run.about)
    draws = run.draws
    rows = [
        {"k": k, "At least one (pass@k)": rate(draws.pass_at(k)),
         "If independent": percent(naive) if isinstance(naive := draws.naive_pass_at(k), float)
         else "",
         "Fresh share F": rate(draws.fresh_share(k)) if k > 1 else "",
         "All k (pass^k)": rate(draws.pass_hat(k))}
        for k in range(1, draws.fewest + 1)
    ]  # fmt: skip
    st.dataframe(rows, hide_index=True)
    small(f"Likeness of draws, ρ: {coefficient(draws.correlation)}.")
    if run.near_greedy:
        small(NEAR_GREEDY)
    if run.loop is not None:
        wrong = run.loop.false_share
        small(
            f"Loop: {rate(run.loop.right_share)} right, {count_of(run.loop.right_share)}; of what "
            f"its own check accepted {rate(wrong)} wrong, {count_of(wrong)}."
        )
    for name, pairs in run.paired.items():
        small(_against(name, pairs))
    p, fresh = draws.pass_at(1), draws.fresh_share(draws.fewest)
    one, two = Input.of(p), Input.of(fresh)
    if one is not None and two is not None:
        _use(run.key, texts | {
            "p": rate_typed(one), "fresh": rate_typed(two), "cap": str(draws.fewest), "rates": "",
            "rho": "", "critic": "code", "level": "truth", "catches": "", "misfires": "0 %",
        })  # fmt: skip


def _against(name: str, pairs: Paired) -> str:
    word = {1: "the loop does better", 2: "the loop does worse", None: "can't tell"}[pairs.winner]
    return (
        f"Loop {pairs.first:,} against {pairs.second:,} ({name}): {word}; "
        f"{pairs.second_only:,} : {pairs.first_only:,} apart, exact {p_value(pairs.p_exact)}, "
        f"{points(pairs.difference)}."
    )


def _head(about: About) -> None:
    st.subheader(about.title, anchor=False)
    small(
        f"{about.tasks}. {about.check}. {about.years}.",
        f"Sampling: {about.sampling}.",
        about.note,
        f"Source: {about.source}, {about.licence}.",
    )


def _use(key: str, texts: Texts) -> None:
    st.button(
        "Use in the calculator", key=f"arithmetic.published.{key}",
        on_click=guarded(use), args=(texts,),
    )  # fmt: skip
