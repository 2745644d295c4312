"""The versions of a contract: read one, see what changed since, bring one back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.contract.difference import differences, stale
from core.files.contracts import contract_to_json, contract_to_yaml
from core.render import contract_markdown
from core.render_html import contract_body, contract_html
from core.store.contracts import Version
from core.store.contracts import versions as all_versions
from core.store.effects import Effect, effects, renames
from core.store.judgements import JudgeKind, judges
from core.store.records import baseline, calibration
from core.wording import plural
from pages.parts import state
from pages.parts.code_downloads import code_downloads
from pages.parts.contract_desk import Desk, write
from pages.parts.contract_ready import ready_popover
from pages.parts.contract_tables import changes_table
from pages.parts.panels import small, verbatim
from pages.parts.workspace import store


_PAGE = """<style>
.contract-page { max-height: 640px; overflow: auto; padding: 0.4rem 1.4rem 1.4rem; line-height: 1.5;
  font-size: 0.93rem; border: 1px solid rgba(128,138,150,0.35); border-radius: 6px; }
.contract-page > div { max-width: 46rem; overflow-wrap: anywhere; }
.contract-page h1 { font-size: 1.35rem; } .contract-page h2 { font-size: 1.05rem; }
.contract-page h3 { font-size: 0.95rem; }
.contract-page h2, .contract-page h3 { padding: 0.9rem 0 0.2rem; }
.contract-page p, .contract-page ul { margin: 0.25rem 0; font-size: inherit; }
.contract-page li { font-size: inherit; margin: 0 0 0 1.2rem; }
.contract-page pre { font: inherit; white-space: pre-wrap; margin: 0.25rem 0; padding: 0.2rem 0.8rem;
  background: none; border: 0; border-left: 3px solid rgba(128,138,150,0.5); border-radius: 0; }
</style>"""


@st.cache_resource(max_entries=50, show_spinner=False)
def _saved(project_id: int, revision: int) -> list[Version]:
    return all_versions(store(), project_id)


@st.cache_resource(max_entries=50, show_spinner=False)
def _effects(project_id: int, revision: int) -> list[Effect]:
    return effects(store(), project_id, _saved(project_id, revision))


@dataclass(frozen=True)
class Texts:
    """One version in every form it can be taken away in."""

    body: str
    page: str
    markdown: str
    yaml: str
    json: str


@st.cache_resource(max_entries=50, show_spinner="Writing the page …")
def _texts(
    version_id: int, project_id: int, revision: int, judge: int | None, _version: Version
) -> Texts:
    """Return a version in all forms; writing 500 criteria as YAML takes a second."""
    contract = _version.contract
    measured = None if judge is None else calibration(store(), project_id, _version, judge)
    against = baseline(store(), project_id)
    return Texts(
        contract_body(contract, calibration=measured, baseline=against),
        contract_html(contract, calibration=measured, baseline=against),
        contract_markdown(contract, calibration=measured, baseline=against),
        contract_to_yaml(contract),
        contract_to_json(contract),
    )


def _judge(desk: Desk) -> int | None:
    """Draw which judge the page's calibration is of; None while no judge has said anything."""
    known = {
        str(j.id): j.name
        for j in judges(store(), desk.project.id)
        if j.kind is not JudgeKind.CODE and j.outputs
    }
    picked = (
        state.pick(
            "judge",
            "Calibration of",
            list(known),
            show=lambda key: known[key],
            help="The error rates on the page: this judge's, on the labels of this project.",
            width=260,
        )
        if known
        else None
    )
    return None if picked is None else int(picked)


def versions(desk: Desk) -> None:
    """Draw the saved versions, newest first, and one of them in full."""
    found = _saved(desk.project.id, desk.project.revision)
    if not found:
        st.caption("Nothing saved yet.")
        return
    done = _effects(desk.project.id, desk.project.revision)
    _table(found, done)
    numbers = {v.number: v for v in found}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = st.selectbox(
            "Read version", list(numbers), key=f"contract.read.{found[0].number}", width=150
        )
        others = [n for n in numbers if n != one]
        two = st.selectbox(
            "and what changed since",
            others,
            key=f"contract.since.{found[0].number}",
            disabled=not others,
            index=0 if others else None,
            placeholder="no other",
            width=190,
        )
        chosen = numbers[one]
        ready_popover(desk.project, chosen, "versions")
    if two is not None:
        older, newer = sorted((chosen, numbers[two]), key=lambda v: v.number)
        _difference(older, newer)
    _effect_table(chosen, [e for e in done if e.version == one])
    _out(desk, chosen, found)


def _table(found: Sequence[Version], done: Sequence[Effect]) -> None:
    labels: Counter[int] = Counter()
    verdicts: Counter[int] = Counter()
    for effect in done:
        labels[effect.version] += 0 if effect.labels_stand else effect.labels
        verdicts[effect.version] += effect.verdicts
    st.dataframe(
        [
            {
                "Version": v.number,
                "Saved (UTC)": v.created_at[:16].replace("T", " "),
                "By": v.author,
                "Ready": "✓ ready" if v.ready else "",
                "What changed": v.name,
                "Criteria": len(v.contract.criteria),
                "Labels made stale": labels[v.number],
                "Verdicts made stale": verdicts[v.number],
            }
            for v in found
        ],
        hide_index=True,
        height=320 if len(found) > 8 else "content",
    )


def _difference(older: Version, newer: Version) -> None:
    """Draw the changes between two versions; a renamed criterion is the same one."""
    moved = renames(older, newer)
    changes = differences(older.contract, newer.contract, moved)
    small(
        f"From version {older.number} to version {newer.number}: {plural(len(changes), 'change')}"
    )
    changes_table(changes)
    if newer.number - older.number > 1:
        # Between neighbours the table of effects says so, with counts.
        gone = stale(older.contract, newer.contract, moved)
        if gone.labels:
            small("Question or examples differ: " + ", ".join(gone.labels))
        if gone.verdicts:
            small("Wording or check differs: " + ", ".join(gone.verdicts))


def _effect_table(version: Version, done: Sequence[Effect]) -> None:
    """Draw what saving a version did to labels and verdicts, and who said what it means."""
    if not done:
        return
    small(f"What version {version.number} did to labels and verdicts given before it:")
    st.dataframe(
        [
            {
                "Criterion": e.criterion,
                "Meaning": _meaning(e),
                "Said by": e.said_by or (version.author if e.reworded else ""),
                "When (UTC)": (e.said_at or (version.created_at if e.reworded else ""))[
                    :16
                ].replace("T", " "),
                "Labels": _amount(e.labels, "kept" if e.labels_stand else "stale"),
                "Verdicts": _amount(e.verdicts, "stale"),
            }
            for e in done
        ],
        hide_index=True,
        height=280 if len(done) > 7 else "content",
    )


def _amount(count: int, what: str) -> str:
    return f"{count:,} {what}" if count else "none given"


def _meaning(effect: Effect) -> str:
    if not effect.reworded:
        return "only the check changed"
    return "same meaning" if effect.labels_stand else "new meaning"


def _out(desk: Desk, chosen: Version, found: Sequence[Version]) -> None:
    """Draw one version in full and the ways to take it away."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = st.segmented_control(
            "Show as",
            ["Page", "Markdown", "YAML"],
            default="Page",
            required=True,
            key="contract.out",
        )
        judge = _judge(desk)
    texts = _texts(chosen.id, desk.project.id, desk.project.revision, judge, chosen)
    name = f"contract-v{chosen.number}"
    with st.container(horizontal=True):
        st.button(
            f"Bring back version {chosen.number}",
            on_click=_restore,
            args=(desk, chosen, found),
            disabled=chosen.number == found[0].number,
            help="Puts its content into the editor as unsaved changes; nothing is overwritten.",
        )
        st.download_button(
            "Page to print (HTML)",
            texts.page,
            f"{name}.html",
            "text/html",
            on_click="ignore",
            help="One file that needs nothing else: open it and print.",
        )
        st.download_button("Markdown", texts.markdown, f"{name}.md", on_click="ignore")
        st.download_button("YAML", texts.yaml, f"{name}.yaml", on_click="ignore")
        st.download_button("JSON", texts.json, f"{name}.json", on_click="ignore")
    code_downloads(chosen)
    if shown == "Page":
        # Every text in it was escaped where the page was made.
        st.html(f'{_PAGE}<div class="contract-page" tabindex="0"><div>{texts.body}</div></div>')
    else:
        verbatim(texts.markdown if shown == "Markdown" else texts.yaml, height=640)


def _restore(desk: Desk, chosen: Version, found: Sequence[Version]) -> None:
    newest = {identity: key for key, identity in found[0].criteria.items()}
    data = json.loads(json.dumps(chosen.contract.to_data()))
    origins = tuple(newest.get(chosen.criteria[c["key"]], "") for c in data["criteria"])
    write(
        desk,
        replace(desk.draft, contract=data, origins=origins, based_on=found[0].number),
        turn=True,
    )
