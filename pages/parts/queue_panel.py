"""The queue as the lead sets it up: how many people per output, what comes first, who holds what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.labelling.draw import EVERY, PRACTICE
from core.store.assignments import (
    Load,
    QueueSettings,
    loads,
    queue_settings,
    release,
    save_queue_settings,
)
from core.store.blind import standing
from core.store.contracts import Version
from core.store.practice import against_self, settled_items
from core.store.queues import build_queue
from core.store.store import Project
from core.verdict import OVERALL
from core.wording import criterion_name, plural, rate
from pages.parts.guard import guarded, say_what_failed
from pages.parts.labeller.labeller import Reviewer
from pages.parts.panels import small
from pages.parts.reviewer import named
from pages.parts.sight import start_again
from pages.parts.workspace import store

KEYS = ("each", "first", "random", "repeats", "practice", "hours", "seed")


def queue_screen(project: Project, current: Version | None) -> None:
    """Draw the settings, the shares of the reviewers, and how steady each of them is.

    Nobody has to be a reviewer for it: who sets up the queue need not label.
    """
    say_what_failed()
    stored = queue_settings(store(), project.id)
    left, right = st.columns(2, gap="large")
    with left:
        _settings(project, current, stored)
    with right:
        _shares(project, stored)
        _against_self(project, current)


def _settings(project: Project, current: Version | None, stored: QueueSettings) -> None:
    names = {key: f"queue.{project.id}.{key}" for key in KEYS}
    with st.form(f"queue.form.{project.id}", border=False):
        st.subheader("How outputs reach reviewers", anchor=False)
        st.number_input(
            "Reviewers per output (0: everybody labels everything)",
            0, 100, stored.reviewers_each, key=names["each"],
            help="With 2 or more, people's agreement can be measured.",
        )  # fmt: skip
        st.toggle(
            "After a random part, the most useful outputs first",
            stored.random_size is not None,
            key=names["first"],
            help="As many the newest judge passed as it failed, then its UNKNOWNs, then outputs on "
            "which judges differ. The order a reviewer meets tells nothing of this.",
        )
        st.number_input(
            "Size of the random part, which is always kept",
            1, 10_000_000, stored.random_size or 50, key=names["random"],
            help="Drawn from all outputs alike. Used when the switch above is on and a judge has "
            "said something; else everything is drawn at random.",
        )  # fmt: skip
        st.toggle(
            f"Repeat one output in {EVERY} to see how steady a reviewer is",
            stored.repeats,
            key=names["repeats"],
            help="The second answer is kept beside the label and is no vote.",
        )
        st.toggle(
            f"Practice round of {PRACTICE} settled items before a new reviewer's labels count",
            stored.practice,
            key=names["practice"],
        )
        if stored.practice:
            _settled(project, current)
        st.number_input(
            "Hours without a label after which unbegun outputs go to others (0: never)",
            0, 8760, stored.release_hours, key=names["hours"],
        )  # fmt: skip
        st.text_input(
            "Seed of every order", stored.seed, max_chars=200, key=names["seed"],
            help="Another seed is another order. What was given out stays where it is.",
        )  # fmt: skip
        st.form_submit_button(
            "Save", type="primary", on_click=_save, args=(project.id, named(), names)
        )


@guarded
def _save(project_id: int, who: str, names: dict[str, str]) -> None:
    got: dict[str, Any] = {key: st.session_state[name] for key, name in names.items()}
    settings = QueueSettings(
        int(got["each"]),
        int(got["random"]) if got["first"] else None,
        bool(got["repeats"]),
        bool(got["practice"]),
        int(got["hours"]),
        str(got["seed"]).strip(),
    )
    save_queue_settings(store(), project_id, settings, who)
    st.toast("Saved.")


def _settled(project: Project, current: Version | None) -> None:
    """Say on which criteria there are too few settled items for a whole round."""
    keys = [*(current.contract.keys if current else ()), OVERALL]
    counts = {key: len(settled_items(store(), project.id, current, key)) for key in keys}
    few = [f"{criterion_name(key)}: {n}" for key, n in counts.items() if n < PRACTICE]
    if few:
        small(
            f"Fewer than {PRACTICE} settled items (somebody decided, or two agree). The round uses "
            "those there are, and is skipped without any:",
            *few,
        )


def _shares(project: Project, stored: QueueSettings) -> None:
    st.subheader("Who holds what", anchor=False)
    found = loads(store(), project.id)
    if not stored.given_out:
        st.caption("Everybody's queue holds every output; nothing is given out.")
    elif not found:
        st.caption("Nothing is given out yet: a reviewer is given outputs on opening the queue.")
    for load in found:
        says, button = st.columns([3, 1], vertical_alignment="center")
        with says.container(gap="xxsmall"):
            st.text(f"{load.name}: {plural(load.given, 'output')}, {load.open:,} not begun")
            small(f"Last act {load.last_act[:16].replace('T', ' ')} UTC")
        if load.open:
            with button:
                _give_back(project, load)


def _give_back(project: Project, load: Load) -> None:
    st.button(
        "Give back",
        key=f"queue.release.{load.reviewer_id}",
        help="What has no label of this reviewer yet goes to others. A label that still comes "
        "from their browser is kept.",
        on_click=_release,
        args=(project.id, load.reviewer_id),
    )


@guarded
def _release(project_id: int, reviewer_id: int) -> None:
    count = release(store(), project_id, reviewer_id)
    st.toast(f"{plural(count, 'output')} given back.")


def _against_self(project: Project, current: Version | None) -> None:
    st.subheader("Each reviewer against themself", anchor=False)
    found = against_self(store(), project.id, current)
    if not found:
        st.caption("No output has been labelled twice by one reviewer.")
        return
    st.caption("Outputs labelled alike both times, with the 95 % interval.")
    rows = [
        {
            "Reviewer": one.reviewer,
            "Criterion": criterion_name(one.criterion),
            "Alike": f"{one.alike.k} of {one.alike.n}",
            "Share": rate(one.alike),
        }
        for one in found
    ]
    st.dataframe(
        rows, hide_index=True, column_config={"Share": st.column_config.Column(width="medium")}
    )


def need_labelling(project: Project, reviewer: Reviewer) -> None:
    """End the page for who said that they label here no more, with the way back."""
    found = standing(store(), reviewer.id)
    if found.labelling:
        return
    with st.container(border=True, horizontal_alignment="center"):
        st.text("You said that you are not labelling here any more, and see what others said.")
        small(f"Since {found.since[:16].replace('T', ' ')} UTC. Labels you give now are not blind.")
        st.button(
            "Label again",
            key="queue.again",
            type="primary",
            on_click=start_again,
            args=(project.id, reviewer.id),
        )
    st.stop()


def say_practice(
    project: Project, current: Version | None, reviewer: Reviewer, keys: Sequence[str]
) -> None:
    """Say where this reviewer's practice round stands, if there is to be one."""
    if not queue_settings(store(), project.id).practice:
        return
    found = build_queue(store(), project, current, reviewer.id, keys)
    p = found.practice
    if p is None:
        return
    if not p.items:
        small("Nothing is settled here yet: the practice round is skipped.")
    elif found.practising:
        small(
            f"Practice round of {plural(len(p.items), 'settled item')}: {len(p.met)} answered, "
            f"{p.same} as settled. Your labels count after it."
        )
    else:
        small(f"Practice round done: {p.same} of {len(p.items)} as settled.")
