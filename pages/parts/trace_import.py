"""Importing traces: a file is read and shown with its problems first, then stored as one act."""

from __future__ import annotations

from collections import Counter

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.files.traces import TraceFile, parse_traces
from core.store.store import Project
from core.store.traces import TraceDifference, add_traces, compare_traces, held_contracts, work_out
from core.wording import plural
from pages.parts.panels import small
from pages.parts.workspace import store

SHOWN = 200


@st.cache_resource(max_entries=2, show_spinner="Reading the file …")
def _read(file_id: str, name: str, _data: bytes, project_id: int, revision: int) -> TraceFile:
    return parse_traces(_data, name, held_contracts(store(), project_id))


@st.cache_resource(max_entries=4, show_spinner="Comparing with what is stored …")
def compared(file_id: str, project_id: int, revision: int, _file: TraceFile) -> TraceDifference:
    """Return what storing the traces of a file would do; the first three name it."""
    return compare_traces(store(), project_id, _file.traces)


def say_stored() -> None:
    """Say once what was stored, whatever the page shows next."""
    done = st.session_state.pop("traces.done", None)
    if done:
        st.success(done)


def traces_screen(project: Project, file: UploadedFile) -> None:
    """Draw what a file of traces holds and what is wrong with it, then the button."""
    read = _read(file.file_id, file.name, file.getvalue(), project.id, project.revision)
    difference = compared(file.file_id, project.id, project.revision, read)
    show_traces(project, file.name, read, difference)


def show_traces(
    project: Project,
    name: str,
    read: TraceFile,
    difference: TraceDifference,
    unit: str = "Line",
    *,
    first: bool = True,
) -> None:
    """Draw a preview, every remark and the button that stores what is new."""
    _preview(read, first)
    _problems(read, difference, unit)
    if st.button(
        f"Store {plural(len(difference.new), 'trace')}",
        type="primary",
        disabled=not difference.new,
        key="traces.store",
    ):
        with st.spinner("Storing …"):
            stored = add_traces(
                store(), project.id, read.traces, file_name=name, sha256=read.sha256
            )
        bar = st.progress(0.0, "Reading the drafts for shapes of failure …")
        work_out(
            store(),
            project.id,
            lambda share: bar.progress(share, "Reading the drafts for shapes of failure …"),
        )
        st.session_state["traces.done"] = f"{plural(len(stored.new), 'trace')} stored."
        # A fresh uploader, so that the stored file is not offered again.
        st.session_state["import.round"] = st.session_state.get("import.round", 0) + 1
        st.rerun()


def _preview(read: TraceFile, first: bool) -> None:
    traces = read.traces
    arms = Counter(trace.arm.value for trace in traces)
    exits = Counter(trace.exit.value for trace in traces if trace.exit is not None)
    labelled = sum(r.gold is not None for trace in traces for r in trace.rounds)
    st.subheader("What the file holds", anchor=False)
    st.text(
        f"{plural(len(traces), 'trace')} ({', '.join(f'{n:,} {arm}' for arm, n in arms.items())}), "
        f"{plural(sum(len(t.rounds) for t in traces), 'round')}, {labelled:,} of them with a gold "
        "label."
    )
    ended = ", ".join(f"{n:,} {name}" for name, n in exits.most_common())
    st.text(f"Exits recorded: {sum(exits.values()):,} of {len(traces):,} ({ended or 'none'}).")
    if not first:
        return
    st.dataframe(
        [
            {
                "Trace": trace.trace_id,
                "Arm": trace.arm.value,
                "Sample": trace.sample_id,
                "Rounds": len(trace.rounds),
                "Exit": "not recorded" if trace.exit is None else trace.exit.value,
                "Last draft": (trace.rounds[-1].draft or "")[:200] if trace.rounds else "",
            }
            for trace in traces[:5]
        ],
        hide_index=True,
    )


def _problems(read: TraceFile, difference: TraceDifference, unit: str) -> None:
    if read.refused:
        st.warning(
            f"{plural(len(read.refused), unit.lower())} cannot be used; the rest still loads.",
            icon=None,
        )
    if difference.other:
        st.warning(
            f"{plural(len(difference.other), 'trace')} with an id that is stored here with other "
            "content: left out, nothing is overwritten."
        )
        small(", ".join(t.trace_id for t in difference.other[:20]))
    lost = {n.line for n in read.refused}
    rows = [
        {
            unit: n.line,
            "Trace": n.trace_id or "",
            "Loaded": "no" if n.line in lost else "yes",
            "What": n.message,
        }
        for n in (*read.refused, *read.notes)
    ]
    if rows:
        st.caption(f"{plural(len(rows), 'remark')} on single {unit.lower()}s.")
        st.dataframe(sorted(rows, key=lambda row: row[unit])[:SHOWN], hide_index=True)
        if len(rows) > SHOWN:
            st.caption(f"The first {SHOWN} are shown.")
    st.text(f"{len(difference.new):,} new, {difference.present:,} already here.")
