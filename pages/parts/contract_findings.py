"""What lint found, drawn directly under the field it is about, each with its one click."""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.contract.finding import Finding, apply, follow
from core.errors import InputError
from core.wording import plural
from pages.parts import state
from pages.parts.contract_desk import Desk, say, write
from pages.parts.guard import guarded
from pages.parts.panels import small, visible

_CRITERION = {
    "same_key": "key",
    "unusable": "key",
    "example_misjudged": "check",
    "unspaced_script": "check",
    "exact_number": "check",
    "presence": "check",
    "format_unchecked": "check",
    "same_examples": "fail_example",
    "examples_swapped": "fail_example",
}
_WHOLE = {
    "blind_spot": "does_not_examine",
    "knows_nothing": "knows",
    "self_review": "evaluator",
    "unreachable": "acceptance",
    "one_is_enough": "acceptance",
}


def by_field(findings: Sequence[Finding], item: dict[str, Any]) -> dict[str, list[Finding]]:
    """Return the findings about one criterion by the field of its form they stand under."""
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    blank = [n for n in ("pass_example", "fail_example") if not str(item.get(n) or "").strip()]
    for one in findings:
        if one.rule == "missing_example" and blank:
            found[blank.pop(0)].append(one)
        else:
            found[_CRITERION.get(one.rule, "question")].append(one)
    return found


def by_part(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Return the findings about the contract itself by the part of its form they stand under."""
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for one in findings:
        if one.position is None:
            found[_WHOLE.get(one.rule, "top")].append(one)
    return found


def show_findings(desk: Desk, findings: Sequence[Finding], place: str) -> None:
    """Draw findings, each with the one click that mends it where there is one.

    Always one container, whatever it holds: the fields around it keep their place and the cursor.
    """
    with st.container(gap="small"):
        for number, finding in enumerate(findings):
            if finding.patch is None:
                st.html(_said(finding))
                continue
            text, click = st.columns([4, 1], vertical_alignment="center", gap="small")
            text.html(_said(finding))
            click.button(
                "Apply",
                key=desk.key("fix", finding.position, place, number),
                on_click=_mend,
                args=(desk, finding),
                help="Changes the draft; Undo takes it back.",
            )


def _said(finding: Finding) -> str:
    """Return a finding as HTML, every text in it escaped."""
    what, fix = html.escape(visible(finding.message)), html.escape(visible(finding.fix))
    label = finding.patch.label if finding.patch is not None else ""
    more = ""
    if label and label.rstrip(".").casefold() != finding.fix.rstrip(".").casefold():
        more = f"<br>Apply: {html.escape(visible(label))}"
    return (
        '<div role="note" style="border-left:3px solid #E69F00;padding:0.1rem 0 0.1rem 0.7rem;'
        'font-size:0.87rem;line-height:1.45;overflow-wrap:anywhere">'
        f'{what}<br><span style="opacity:0.8">→ {fix}{more}</span></div>'
    )


@guarded
def _mend(desk: Desk, finding: Finding) -> None:
    try:
        data = apply(desk.data, finding)
        origins = follow(desk.draft.origins, desk.data, finding)
    except InputError as error:
        say(False, "Nothing was changed.", str(error))
        return
    write(desk, replace(desk.draft, contract=data, origins=origins), turn=True)


def count_findings(desk: Desk, findings: Sequence[Finding], keys: Sequence[str], at: int) -> None:
    """Draw how much lint found, where, and the way to the next criterion it is about."""
    about = Counter(one.position for one in findings)
    whole = about.pop(None, 0)
    if not findings:
        small(f"{plural(len(keys), 'criterion', 'criteria')}. Lint found nothing.")
        return
    lines = [plural(len(keys), "criterion", "criteria")]
    if about:
        where = plural(len(about), "criterion", "criteria")
        lines.append(f"{plural(sum(about.values()), 'lint finding')} in {where}")
    if whole:
        lines.append(f"{whole} about the contract itself (next tab)")
    # From the chosen one on, round to the start.
    after = sorted(p for p in about if p is not None)
    there = next((p for p in after if p > at), after[0] if after else None)
    with st.container(horizontal=True, vertical_alignment="center"):
        small(" · ".join(lines))
        if there is not None and there != at:
            st.button(
                "Next finding",
                key=desk.key("next"),
                on_click=choose,
                args=(keys[there], there),
            )


LIST = "contract.list"
"""How often a criterion was chosen elsewhere than in the list, which then is drawn afresh."""


def choose(key: str, at: int, *, in_list: bool = False) -> None:
    """Open a criterion in the form; two may share a key while one is being renamed."""
    state.put("criterion", key)
    st.session_state["contract.at"] = at
    if not in_list:
        # A table that somebody clicked follows its own selection only.
        st.session_state[LIST] = st.session_state.get(LIST, 0) + 1
