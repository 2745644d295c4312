"""Importing spans: say which spans are drafts and verdicts, see the first traces, then store."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.files.problems import NeedsChoice
from core.files.span_map import (
    BY_TIME,
    EVALUATIONS,
    TRACE,
    SpanMapping,
    first_word,
    places,
    role_places,
    suggest_mapping,
    value_at,
    values_at,
)
from core.files.span_traces import Mapped, to_traces
from core.files.spans import INPUT_TEXT, OUTPUT_TEXT, Span, SpanFile, read_spans
from core.store.store import Project
from core.store.traces import held_contracts
from core.verdict import FAIL_WORDS, PASS_WORDS, WordMap, fold_word
from core.wording import plural
from pages.parts.import_panel import ENCODINGS, NONE
from pages.parts.panels import small
from pages.parts.trace_import import compared, show_traces
from pages.parts.workspace import store


@st.cache_resource(max_entries=2, show_spinner="Reading the spans …")
def _read(file_id: str, name: str, encoding: str | None, _data: bytes) -> SpanFile:
    return read_spans(_data, name, encoding=encoding)


@st.cache_resource(max_entries=4, show_spinner="Looking for roles …")
def _guess(sha256: str, _file: SpanFile) -> tuple[SpanMapping, list[str], list[str]]:
    """Return the guess, the places that could tell roles, and every place there is."""
    every = [place for place, _ in places(_file.spans).most_common(300)]
    return suggest_mapping(_file.spans), role_places(_file.spans), every


@st.cache_resource(max_entries=4, show_spinner="Putting the rounds together …")
def _mapped(
    sha256: str, mapping: SpanMapping, project_id: int, revision: int, _file: SpanFile
) -> Mapped:
    return to_traces(_file, mapping, held_contracts(store(), project_id))


def spans_screen(project: Project, file: UploadedFile) -> None:
    """Draw the mapping, what it makes of the spans, and the button that stores the traces."""
    encoding = st.session_state.get(f"spans.encoding.{file.file_id}")
    try:
        read = _read(file.file_id, file.name, encoding, file.getvalue())
    except NeedsChoice as need:
        st.warning("Choose the encoding: the file does not say it.")
        st.text(f"{need.problem} It is likely {need.guess}.")
        st.selectbox(
            "Encoding", ENCODINGS, index=None, placeholder="Choose", accept_new_options=True,
            key=f"spans.encoding.{file.file_id}",
        )  # fmt: skip
        return
    mapping = _ask(read)
    if not mapping.drafts:
        st.info("Choose which spans are drafts: nothing in the file says it plainly.")
        return
    mapped = _mapped(read.sha256, mapping, project.id, project.revision, read)
    st.subheader("What the mapping makes of them", anchor=False)
    for line in mapped.said:
        st.text(line)
    if read.problems:
        st.warning(f"{plural(len(read.problems), 'span')} cannot be used; the rest still loads.")
        st.dataframe(
            [{"Line": p.line, "Why": p.message} for p in read.problems[:200]], hide_index=True
        )
    _first_rounds(mapped)
    difference = compared(mapped.file.sha256, project.id, project.revision, mapped.file)
    show_traces(project, file.name, mapped.file, difference, "Trace", first=False)


def _ask(read: SpanFile) -> SpanMapping:
    guess, roles, every = _guess(read.sha256, read)
    key = f"spans.{read.sha256}"
    st.subheader("Which spans are rounds", anchor=False)
    small(
        f"{plural(len(read.spans), 'span')} in "
        f"{plural(len({s.trace_id for s in read.spans}), 'trace')}. Filled in is a guess; the "
        "traces below follow every change."
    )
    first = st.columns([2, 3, 3])
    role = first[0].selectbox(
        "Spans say their role in", roles, index=roles.index(guess.role), key=f"{key}.role",
        help="The span's name or an attribute whose values tell drafts from verdicts.",
    )  # fmt: skip
    values = list(values_at(read.spans, role))
    same = role == guess.role
    drafts = first[1].multiselect(
        "Drafts (the generator)", values, default=sorted(guess.drafts) if same else [],
        key=f"{key}.drafts.{role}",
    )  # fmt: skip
    left = [v for v in values if v not in drafts]
    judges = first[2].multiselect(
        "Verdicts (the evaluator)", left,
        default=[v for v in sorted(guess.judges) if v in left] if same else [],
        key=f"{key}.judges.{role}",
    )  # fmt: skip
    second = st.columns([2, 3, 3])
    numbered = second[0].selectbox(
        "Rounds are told by", [BY_TIME, *every],
        index=0 if guess.round is None else 1 + every.index(guess.round), key=f"{key}.round",
        help="An attribute that numbers rounds; else each draft in order of time begins one.",
    )  # fmt: skip
    texts = [OUTPUT_TEXT, *every]
    draft = second[1].selectbox(
        "The draft's text is in", texts, index=texts.index(guess.draft), key=f"{key}.draft",
        help="Output text: what the model or the step gave back, by either convention.",
    )  # fmt: skip
    words_in = [EVALUATIONS, OUTPUT_TEXT, *every]
    verdicts = second[2].multiselect(
        "The verdict is in", words_in, default=list(guess.verdicts), key=f"{key}.verdicts",
        help="Each place is a criterion. Evaluation results are events or annotations of spans.",
    )  # fmt: skip
    third = st.columns([2, 3, 3])
    samples = [TRACE, *every]
    sample = third[0].selectbox(
        "The sample's id is in", samples, index=samples.index(guess.sample), key=f"{key}.sample"
    )
    evidence = third[1].selectbox(
        "The verdict's evidence is in", [NONE, *texts],
        index=0 if guess.evidence is None else 1 + texts.index(guess.evidence),
        key=f"{key}.evidence",
    )  # fmt: skip
    asked = third[2].selectbox(
        "The task input is in", [INPUT_TEXT, *every], key=f"{key}.input",
        help="Input text: the last message of the user in the first draft.",
    )  # fmt: skip
    judging = [s for s in read.spans if value_at(s, role) in judges]
    fourth = st.columns([2, 3, 3])
    cap = fourth[0].number_input(
        "Drafts at most", min_value=1, max_value=1000, value=None, key=f"{key}.cap",
        help="The cap of your loop, if you know it: it tells a loop that ran out from one cut off.",
    )  # fmt: skip
    words = _words(judging, verdicts, fourth[1:3], key)
    at_least = None
    if EVALUATIONS in verdicts and any(
        e.score is not None and fold_word(e.label) not in (words.passes | (words.fails or set()))
        for s in read.spans
        for e in s.evaluations
    ):
        at_least = fourth[0].number_input(
            "Scores without such a word are a PASS from", value=None, step=0.1, key=f"{key}.from"
        )
    return SpanMapping(
        role, frozenset(drafts), frozenset(judges), TRACE,
        None if numbered == BY_TIME else numbered, draft, tuple(verdicts),
        None if evidence == NONE else evidence, sample, asked, words, at_least,
        None if cap is None else int(cap),
    )  # fmt: skip


def _words(judging: list[Span], verdicts: list[str], at: Iterable[object], key: str) -> WordMap:
    """Ask which words mean PASS and FAIL: those that stand in the file, and those that are usual."""
    left, right = at
    found: dict[str, None] = {}
    for span in judging[:5_000]:
        said = [e.label for e in span.evaluations]
        said += [value_at(span, place) for place in verdicts if place != EVALUATIONS]
        found |= {w: None for t in said if t for w in (fold_word(t), first_word(t)) if len(w) < 40}
    known = list({"pass": None, "fail": None, **found})[:60]
    yes = [w for w in known if w in PASS_WORDS]
    passes = left.multiselect(  # type: ignore[attr-defined]
        "Words that mean PASS", known, default=yes, key=f"{key}.pass",
        help="A text that begins with such a word is that verdict.", accept_new_options=True,
    )  # fmt: skip
    rest = [w for w in known if w not in passes]
    fails = right.multiselect(  # type: ignore[attr-defined]
        "Words that mean FAIL", rest, default=[w for w in rest if w in FAIL_WORDS],
        key=f"{key}.fail", accept_new_options=True,
    )  # fmt: skip
    return WordMap.of(passes, fails)


def _first_rounds(mapped: Mapped) -> None:
    """Draw the rounds of the first traces, so that a wrong mapping shows before it is stored."""
    rows = [
        {
            "Trace": trace.trace_id,
            "Round": r.number,
            "Draft": (r.draft or "")[:200],
            "Verdicts": ", ".join(
                f"{key}: {v.verdict.value if v.verdict else v.unscored}"
                for key, v in (r.judgement.verdicts.items() if r.judgement else ())
            ),
            "Evidence": "; ".join(
                v.evidence
                for v in (r.judgement.verdicts.values() if r.judgement else ())
                if v.evidence
            )[:200],
            "Calls": r.calls,
            "Tokens": (r.tokens_in or 0) + (r.tokens_out or 0) or None,
        }
        for trace in mapped.file.traces[:3]
        for r in trace.rounds
    ]
    st.caption("The rounds of the first traces:")
    st.dataframe(rows, hide_index=True)
