"""Importing an evaluation log: what it says of its run, what each scorer becomes, then store."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.errors import InputError
from core.files.decoding import NeedsChoice
from core.files.evallog import (
    TOOLS,
    Choice,
    EvalLog,
    extent,
    new_key,
    numeric,
    refuse_unread,
    suggest_choice,
)
from core.files.importing import Plan
from core.files.log_import import first_contract, plan_log, read_log, store_log
from core.store.contracts import Version
from core.store.store import Project
from core.verdict import OVERALL, WordMap
from core.wording import criterion_name, plural
from pages.parts.guard import guarded
from pages.parts.import_panel import ENCODINGS, confirm, say_stored
from pages.parts.panels import small
from pages.parts.workspace import store

LEFT_OUT = "(leave out)"


def _read(file: UploadedFile, kind: str, encoding: str | None) -> EvalLog:
    """Return the log, read once; the session keeps the last one, with a bar while it is read."""
    key = (file.file_id, kind, encoding)
    held = st.session_state.get("import.log")
    if held is not None and held[0] == key:
        return held[1]
    place = st.empty()

    def progress(share: float) -> None:
        place.progress(min(share, 1.0), text="Reading the log …")

    try:
        log = read_log(file.getvalue(), file.name, kind, encoding=encoding, progress=progress)
    finally:
        place.empty()
    st.session_state["import.log"] = (key, log)
    return log


def log_screen(project: Project, version: Version | None, file: UploadedFile, kind: str) -> None:
    """Draw the log, the choices for its scorers, and what would be stored."""
    encoding = st.session_state.get(f"log.encoding.{file.file_id}")
    try:
        log = _read(file, kind, encoding)
    except NeedsChoice as need:
        st.warning("Choose the encoding: the file does not say it.")
        st.text(f"{need.problem} It is likely {need.guess}.")
        st.selectbox(
            "Encoding", ENCODINGS, index=None, placeholder="Choose", accept_new_options=True,
            key=f"log.encoding.{file.file_id}",
        )  # fmt: skip
        return
    _about(log)
    choices = _choices(log, version)
    names = st.columns(2)
    judge, reviewer = TOOLS[log.kind], ""
    if log.scorers:
        judge = names[0].text_input(
            "The scores are shown as the judge", value=judge, key=f"log.judge.{log.sha256}",
            help="Logs whose scores belong to one judge go under one name.",
        )  # fmt: skip
    if log.ratings:
        reviewer = names[1].text_input(
            "The ratings are labels of", value=f"{TOOLS[log.kind]} rating",
            key=f"log.reviewer.{log.sha256}", help="Who clicked the ratings; the file does not say.",
        )  # fmt: skip
    try:
        refuse_unread(log, choices)
    except InputError as error:
        st.info("Say what the scores mean: tools disagree, so nothing is assumed.")
        st.text(error.problem)
        return
    plan = plan_log(store(), project.id, version, log, choices, judge=judge, reviewer=reviewer)
    contract = None if version else first_contract(log, choices)
    if contract is not None:
        small(
            f"The project has no contract yet: a first one with "
            f"{plural(len(contract.criteria), 'criterion', 'criteria')} is made from the scorers. "
            "Their questions and examples are yours to write."
        )
    confirm(plan, _store, project, version, log, choices, plan)


def _about(log: EvalLog) -> None:
    st.subheader("What the log holds", anchor=False)
    for line in log.said:
        st.text(line)
    if log.warnings:
        with st.container(border=True):
            st.badge("Before you use these numbers", color="orange")
            for line in log.warnings:
                st.text(line)
    st.dataframe(
        [
            {
                "Sample": row.sample_id,
                "Trial": row.trial,
                "Input": row.input[:200],
                "Output": row.output[:200],
                "Reference": row.reference or "",
                **{
                    k: row.extra.get(k, "")
                    for k in ("model", "provider", "error")
                    if k in row.extra
                },
            }
            for row in log.rows[:5]
        ],
        hide_index=True,
    )


def _choices(log: EvalLog, version: Version | None) -> dict[str, Choice]:
    """Ask what each scorer becomes and how its scores read; what is known is filled in."""
    found: dict[str, Choice] = {}
    contract = None if version is None else version.contract
    if log.scorers:
        st.subheader("What the scorers become", anchor=False)
        if contract is not None and not any(s.name in contract.keys for s in log.scorers):
            small(
                "No criterion of the contract is called as a scorer is. Choose the one a scorer "
                "measures; or leave scores out, add a criterion, and import the file again."
            )
    for number, scorer in enumerate(log.scorers):
        key = f"log.{number}.{log.sha256}"
        words = log.words(scorer.name)
        offered = suggest_choice(log, scorer.name, contract)
        with st.container(border=True):
            st.text(scorer.name)
            left, middle, right = st.columns([2, 2, 2])
            keys = [scorer.name] if new_key(scorer.name) else []
            options = [LEFT_OUT, OVERALL, *(contract.keys if contract else keys)]
            wanted = offered.criterion or LEFT_OUT
            chosen = left.selectbox(
                "Criterion", options, index=options.index(wanted), key=f"{key}.is",
                format_func=lambda o: o if o == LEFT_OUT else criterion_name(o),
            )  # fmt: skip
            criterion = None if chosen == LEFT_OUT else str(chosen)
            counts = ", ".join(f"{word or '(blank)'} × {n:,}" for word, n in words.most_common(12))
            unscored = log.unscored(scorer.name)
            if criterion is None:
                found[scorer.name] = Choice(None)
            elif numeric(words):
                low, high = extent(words) or (0.0, 0.0)
                at_least = middle.number_input(
                    f"PASS from (scores go from {low:g} to {high:g})", value=None, step=0.1,
                    key=f"{key}.from",
                )  # fmt: skip
                found[scorer.name] = Choice(criterion, at_least=at_least)
            else:
                known = list(words)
                passes = middle.multiselect(
                    "Words that mean PASS", sorted({*known, *offered.words.passes}),
                    default=sorted(offered.words.passes), key=f"{key}.pass",
                )  # fmt: skip
                rest = [w for w in known if w not in passes]
                right.text_input(
                    "Words that mean FAIL", ", ".join(rest) or "(none in the log)",
                    disabled=True, key=f"{key}.fail.{len(rest)}.{','.join(rest)[:80]}",
                )  # fmt: skip
                found[scorer.name] = Choice(criterion, WordMap.of(passes, rest))
            small(
                f"In the log: {counts or 'no score'}"
                + (f"; {unscored:,} unscored" if unscored else "")
                + "."
            )
    return found


@guarded
def _store(
    project: Project,
    version: Version | None,
    log: EvalLog,
    choices: dict[str, Choice],
    plan: Plan,
    replace: bool,
) -> None:
    say_stored(store_log(store(), project.id, version, log, choices, plan, replace_changed=replace))
