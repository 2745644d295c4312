"""What judges said, output by output: evidence, quotes that are not there, raw replies, repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from core.contract.criterion import CheckedBy
from core.providers.scripted import SCRIPTED
from core.runs.setup import JudgeSetup
from core.runs.readings import Said, differing, replies_about, said_by
from core.runs.steadiness import Steadiness, steadiness
from core.store.contracts import Version
from core.store.judge_config import JudgeConfig, judge_configs, judges_that_answered
from core.store.outputs import load_outputs
from core.store.store import Project
from core.verdict import Verdict
from core.wording import count_of, criterion_name, plural, rate
from pages.parts import state
from pages.parts.panels import mark, small, verbatim, visible
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store

FILTERS: Mapping[str, tuple[str, Callable[[Said], bool]]] = {
    "all": ("All", lambda s: True),
    "fail": ("FAIL", lambda s: _any(s, Verdict.FAIL)),
    "unknown": ("UNKNOWN", lambda s: _any(s, Verdict.UNKNOWN)),
    "unscored": ("Unscored", lambda s: s.unscored is not None),
    "quotes": ("Quotes not in the output", lambda s: bool(s.unfounded)),
    "repaired": ("Repaired replies", lambda s: bool(s.repaired)),
    "flipped": ("Flipped", lambda s: bool(s.flipped)),
}
DIFFERS = "differs"


def _any(said: Said, verdict: Verdict) -> bool:
    return any(v.verdict is verdict for v in said.newest.values())


@st.cache_resource(max_entries=20, show_spinner="Reading what was said …")
def _said(project_id: int, revision: int, judge: int, _version: Version) -> list[Said]:
    """Return what a judge said of what stands now; the revision stands for contract and outputs."""
    return said_by(store(), project_id, _version, judge, setup_of(project_id, judge))


@st.cache_resource(max_entries=20, show_spinner=False)
def _steady(project_id: int, revision: int, judge: int, _version: Version) -> Steadiness:
    return steadiness(store(), project_id, _version, judge)


def setup_of(project_id: int, judge: int) -> JudgeSetup | None:
    """Return how a judge is asked, or None where this program does not ask it."""
    found = judge_configs(store(), project_id).get(judge)
    return JudgeSetup.from_data(found.config) if found is not None and found.asked_here else None


def results_view(project: Project, version: Version | None) -> None:
    """Draw one judge's verdicts, alone or beside another's."""
    judges = {str(i): j for i, j in judges_that_answered(store(), project.id).items()}
    if version is None or not judges:
        st.text("No judge has said anything yet: run one, or import verdicts from a file.")
        return
    left, right = st.columns(2)
    with left:
        chosen = state.pick("judge", "Judge", list(judges), show=lambda i: judges[i].name)
    assert chosen is not None
    with right:
        others = ["", *(i for i in judges if i != chosen)]
        other = state.pick(
            "other", "Compare with", others, show=lambda i: judges[i].name if i else "nobody"
        )
    found = _said(project.id, project.revision, int(chosen), version)
    theirs = _said(project.id, project.revision, int(other), version) if other else []
    _summary(judges[chosen], found)
    if not found:
        st.text(
            "This judge has said nothing of the outputs as they are and the criteria as they are "
            "worded now. What it said of earlier ones is kept and counts nowhere."
        )
        return
    seen = sight(project, version)
    if seen is not None:
        # Who labels here reads a verdict only where the own label is stored.
        keys = version.contract.keys
        everything = len(found)
        found = [s for s in found if all(seen.may_see(key, s.output_id) for key in keys)]
        theirs = [s for s in theirs if all(seen.may_see(key, s.output_id) for key in keys)]
        say_hidden(project, seen, everything - len(found), "output", "judge")
        if not found:
            return
    if seen is None:
        _repeats(project, version, int(chosen), found)
    _listed(project, version, judges[chosen], found, theirs, judges[other].name if other else "")


def _summary(judge: JudgeConfig, found: Sequence[Said]) -> None:
    if judge.config.get("model") == SCRIPTED:
        st.info("Scripted: these verdicts follow a rule. No model has read anything.")
    scored = [s for s in found if s.unscored is None]
    reasons = Counter(s.unscored.value for s in found if s.unscored is not None)
    verdicts = sum(v.verdict is not None for s in found for v in s.newest.values())
    quotes = sum(len(s.unfounded) for s in found)
    said = [f"{len(scored):,} of {plural(len(found), 'output')} scored"]
    said += [f"{n:,} {reason}" for reason, n in sorted(reasons.items())]
    if judge.asked_here:
        said.append(f"{sum(bool(s.repaired) for s in found):,} with a repaired reply")
    said.append(f"{quotes:,} of {plural(verdicts, 'verdict')} quote words not in the output")
    small(" · ".join(said))


# --- asked again -----------------------------------------------------------------------------


def _repeats(project: Project, version: Version, judge: int, found: Sequence[Said]) -> None:
    most = max(len(s.repeats) for s in found)
    if most < 2:
        return
    steady = _steady(project.id, project.revision, judge, version)
    with st.expander(f"Asked again, up to {most} times: how steady the judge is", expanded=True):
        st.dataframe(
            [
                {
                    "Criterion": criterion_name(key),
                    "Flip rate (95 %)": rate(r.flip_rate),
                    "Outputs that flipped": count_of(r.flip_rate),
                    "Two runs agree (95 %)": rate(r.self_consistency),
                    "Judged once, left out": r.once,
                }
                for key, r in steady.measured.items()
            ],
            hide_index=True,
        )
        small(
            "Flip rate: outputs that did not get the same verdict each time, PASS against the rest. "
            "It grows with the number of repeats; how often two runs agree does not."
        )
        if any(s.flipped for s in found):
            small("Choose “Flipped” below to read the outputs that flip.")


# --- the list and the open output --------------------------------------------------------------


def _listed(
    project: Project, version: Version, judge: JudgeConfig, found: Sequence[Said],
    theirs: Sequence[Said], other_name: str,
) -> None:  # fmt: skip
    differ = {mine.output_id: keys for mine, _, keys in differing(found, theirs)}
    beside = {s.output_id: s for s in theirs}
    kinds = {k: name for k, (name, has) in FILTERS.items() if k == "all" or any(map(has, found))}
    if theirs:
        kinds[DIFFERS] = "Only where they differ"
    only = state.pick(
        "only", "Show", list(kinds), show=kinds.__getitem__, widget=st.segmented_control,
        required=True,
    )  # fmt: skip
    shown = [
        s
        for s in found
        if (bool(differ.get(s.output_id)) if only == DIFFERS else FILTERS[only or "all"][1](s))
    ]
    if not shown:
        small("None.")
        return
    keys = [c.key for c in version.contract.criteria if c.checked_by is not CheckedBy.CODE]
    rows = []
    for s in shown:
        row: dict[str, object] = {"Sample": visible(s.sample_id), "Trial": s.trial}
        for key in keys:
            row[key] = mark(s.newest[key]) if key in s.newest else ""
            if theirs:
                w = beside.get(s.output_id)
                row[f"{key} · other"] = mark(w.newest[key]) if w and key in w.newest else ""
        row["Marked"] = ", ".join(
            [
                *(["quote not in output"] if s.unfounded else []),
                *(["repaired"] if s.repaired else []),
            ]
        )
        rows.append(row)
    table = f"judge.table.{judge.id}.{only}.{len(shown)}"
    st.dataframe(
        rows, hide_index=True, key=table, selection_mode="single-row", height=240,
        column_config={"Marked": st.column_config.Column(width="medium")},
        on_select=lambda: _selected(table, shown),
    )  # fmt: skip
    small("Choose a row to read it below." if not theirs else f"other: {other_name}")
    _reading(project, version, judge, shown, beside, other_name)


def _selected(table: str, shown: Sequence[Said]) -> None:
    rows = st.session_state[table]["selection"]["rows"]
    if rows and rows[0] < len(shown):
        state.put("output", str(shown[rows[0]].output_id))


def _reading(
    project: Project, version: Version, judge: JudgeConfig, shown: Sequence[Said],
    beside: Mapping[int, Said], other_name: str,
) -> None:  # fmt: skip
    ids = [str(s.output_id) for s in shown]
    wanted = state.get("output")
    at = ids.index(wanted) if wanted in ids else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, step, key in (("Previous", -1, "Left"), ("Next", 1, "Right")):
            to = at + step
            st.button(
                label, key=f"judge.{label}", shortcut=key, disabled=not 0 <= to < len(ids),
                on_click=state.put, args=("output", ids[min(max(to, 0), len(ids) - 1)]),
            )  # fmt: skip
        small(f"{at + 1} of {len(ids)}")
    said = shown[at]
    [output] = load_outputs(store(), project.id, [said.output_id])
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.text(f"Sample {visible(output.sample_id)}, trial {output.trial}")
        if output.input:
            st.caption("Task input")
            verbatim(output.input, height=200)
        st.caption("Output")
        verbatim(output.text)
    with right:
        st.text(judge.name)
        _verdicts(said)
        _replies(project, version, judge, said)
        if (other := beside.get(said.output_id)) is not None:
            st.divider()
            st.text(other_name)
            _verdicts(other)


def _verdicts(said: Said) -> None:
    for key in said.newest:
        runs = [said.repeats[r][key] for r in sorted(said.repeats) if key in said.repeats[r]]
        line = " then ".join(mark(v) for v in runs[:8])
        st.text(f"{line}  {key}")
        newest = said.newest[key]
        more = newest.change and f"→ {newest.change}"
        if newest.evidence or newest.change:
            verbatim("\n".join(x for x in (newest.evidence, more) if x), height=220)
        for quote in said.unfounded.get(key, ()):
            st.text(f"⚠ Quoted, but not in the output: {visible(quote)}")
    if said.repaired:
        small("Repaired to be read: " + "; ".join(said.repaired))


def _replies(project: Project, version: Version, judge: JudgeConfig, said: Said) -> None:
    """Show the replies as they came, when somebody asks for them."""
    if not judge.asked_here:
        return
    if st.toggle("Show the replies as they came", key="judge.raw"):
        setup = JudgeSetup.from_data(judge.config)
        [output] = load_outputs(store(), project.id, [said.output_id])
        readings = replies_about(store(), version, setup, [output]).get(output.id, [])
        if not readings:
            small("No reply came: see the reason above.")
        for reading in readings:
            about = ", ".join(reading.criteria)
            unread = "" if reading.read.unscored is None else f" · {reading.read.unscored}"
            small(f"Repeat {reading.repeat} · {about}{unread}")
            st.code(visible(reading.raw), language=None, wrap_lines=True)
