"""The forms of the contract editor: one criterion with its check, and all that is not a criterion."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.checks.kind import Parameter
from core.checks.registry import KINDS
from core.contract.contract import Contract
from core.contract.criterion import Criterion
from core.contract.finding import Finding
from core.errors import InputError
from pages.parts.as_you_type import PAUSE
from pages.parts.contract_desk import Desk, set_value, write
from pages.parts.contract_findings import by_field, choose, show_findings
from pages.parts.contract_live import tried_on_outputs
from pages.parts.contract_selftest import judge_said, self_test_bar
from pages.parts.guard import guarded
from pages.parts.panels import mark, small

BY = {"code": "Code", "judge": "Judge", "person": "Person"}


def criterion_form(desk: Desk, at: int, findings: Sequence[Finding]) -> None:
    """Draw the form of one criterion, with what its check says and what lint found."""
    item = desk.data["criteria"][at]

    notes = by_field([f for f in findings if f.position == at], item)

    def field(
        name: str, label: str, help: str, *, area: bool = False, height: int | None = None
    ) -> None:
        key = desk.key(at, name)
        draw = st.text_area if area else st.text_input
        more = {"height": height or 90} if area else {}
        draw(
            label,
            value=str(item.get(name, "")),
            key=key,
            help=help,
            on_change=_renamed if name == "key" else set_value,
            args=(desk, ("criteria", at, name), key),
            **more,
        )
        show_findings(desk, notes.get(name, ()), name)

    field(
        "key",
        "Key",
        "A short name, unique in this contract. Changing it keeps the labels. Taken over when you "
        "leave the field or press Enter.",
    )
    field(
        "question",
        "Question",
        "One thing, answered by yes (PASS) or no (FAIL). Checked when you pause; Ctrl+Enter checks "
        "at once.",
        area=True,
        height=95,
    )
    key = desk.key(at, "checked_by")
    st.segmented_control(
        "Checked by",
        list(BY),
        format_func=BY.get,
        default=item.get("checked_by", "judge"),
        required=True,
        key=key,
        on_change=_checked_by,
        args=(desk, at, key),
        help="Code where code can: free, repeatable, immune to opinion. A judge or a person where it cannot.",
    )
    with st.container():
        if item.get("checked_by") == "code":
            _check(desk, at, item.get("check") or {})
            tried_on_outputs(desk, item)
    show_findings(desk, notes.get("check", ()), "check")
    if (desk.data.get("acceptance") or {}).get("rule") == "threshold":
        key = desk.key(at, "weight")
        st.number_input(
            "Weight",
            value=float(item.get("weight", 1)),
            min_value=0.0,
            step=0.5,
            format="%g",
            key=key,
            help="What a PASS on this criterion adds to the sum; above 0.",
            on_change=set_value,
            args=(desk, ("criteria", at, "weight"), key),
        )
    built = _built(item)
    for name, label in (
        ("pass_example", "Example that passes"),
        ("fail_example", "Example that fails"),
    ):
        field(name, label, "A whole output, as the writer would hand it in.", area=True)
        if item.get("checked_by") != "code" and not str(item.get(name, "")).strip():
            continue  # lint says that there is none
        if item.get("checked_by", "judge") == "judge":
            judge_said(desk.project, built if isinstance(built, Criterion) else None, name)
        else:
            _tried(built, item, name)
    self_test_bar(desk.project, desk.version, built if isinstance(built, Criterion) else None)


def _built(item: dict[str, Any]) -> Criterion | InputError | None:
    """Return the criterion as it stands, or why it cannot be used yet."""
    try:
        contract = Contract.from_data({"criteria": [item]})
    except InputError as error:
        return error if item.get("checked_by") == "code" else None
    return contract.criteria[0]


def _tried(built: Criterion | InputError | None, item: dict[str, Any], name: str) -> None:
    """Show what the criterion's own check says about an example."""
    with st.container():
        if item.get("checked_by") != "code":
            small("Not tested yet: no person has looked at this example.")
            return
        if isinstance(built, InputError):
            small(str(built))
            return
        check = built.code_check() if built else None
        text = str(item.get(name, ""))
        if check is None or not text:
            return
        found = check.run(text)
        wanted = "PASS" if name == "pass_example" else "FAIL"
        right = found.verdict is not None and found.verdict.value == wanted
        note = "" if right or found.verdict is None else "  ← the check disagrees with you here"
        st.text(f"{mark(found)}  {found.evidence}{note}")


@guarded
def _checked_by(desk: Desk, at: int, key: str) -> None:
    data = json.loads(json.dumps(desk.data))
    item = data["criteria"][at]
    item["checked_by"] = st.session_state[key]
    if item["checked_by"] == "code":
        item["check"] = item.get("check") or {"kind": "max_words", "limit": 60}
    else:
        item.pop("check", None)
    write(desk, replace(desk.draft, contract=data))


def _check(desk: Desk, at: int, check: dict[str, Any]) -> None:
    """Draw the form of a code check from what its kind says about itself."""
    with st.container(border=True):
        key = desk.key(at, "kind")
        names = list(KINDS)
        kind_name = check.get("kind") if check.get("kind") in KINDS else names[0]
        st.selectbox(
            "Check",
            names,
            index=names.index(kind_name),
            format_func=lambda n: KINDS[n].title,
            key=key,
            on_change=_kind,
            args=(desk, at, key),
        )
        kind = KINDS[kind_name]
        st.caption(kind.help)
        for parameter in kind.parameters:
            _parameter(desk, at, kind.name, check, parameter)
        if kind.negatable:
            key = desk.key(at, kind.name, "not")
            st.toggle(
                "Pass when this is not so",
                value=bool(check.get("not", False)),
                key=key,
                on_change=set_value,
                args=(desk, ("criteria", at, "check", "not"), key, lambda v: v or None),
            )


@guarded
def _kind(desk: Desk, at: int, key: str) -> None:
    data = json.loads(json.dumps(desk.data))
    name = st.session_state[key]
    kept = data["criteria"][at].get("check") or {}
    known = {p.name for p in KINDS[name].parameters}
    data["criteria"][at]["check"] = {"kind": name} | {k: v for k, v in kept.items() if k in known}
    write(desk, replace(desk.draft, contract=data))


def _parameter(desk: Desk, at: int, kind: str, check: dict[str, Any], p: Parameter) -> None:
    key = desk.key(at, kind, p.name)
    value = check.get(p.name)
    common: dict[str, Any] = {"key": key, "help": p.help, "on_change": set_value}
    path = ("criteria", at, "check", p.name)
    if p.type in ("whole number", "number"):
        whole = p.type == "whole number"
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        st.number_input(
            p.label,
            value=None if number is None else (int(number) if whole else float(number)),
            min_value=0 if whole else 0.0,
            step=1 if whole else None,
            args=(desk, path, key),
            **common,
        )
    elif p.type == "flag":
        st.toggle(p.label, value=bool(value), args=(desk, path, key), **common)
    elif p.type == "texts":
        shown = "\n".join(map(str, value)) if isinstance(value, list) else ""
        st.text_area(
            f"{p.label} (one a line)",
            value=shown,
            height=100,
            args=(desk, path, key, _lines),
            **common,
        )
    elif p.type == "schema":
        shown = (
            value
            if isinstance(value, str)
            else json.dumps(value or {}, indent=2, ensure_ascii=False)
        )
        st.text_area(
            f"{p.label} (JSON)", value=shown, height=200, args=(desk, path, key, _json), **common
        )
    else:
        st.text_input(
            p.label,
            value=str(value or ""),
            live=PAUSE,
            args=(desk, path, key, lambda v: v or None),
            **common,
        )


def _lines(text: str) -> list[str] | None:
    return [line for line in text.split("\n") if line.strip()] or None


def _json(text: str) -> Any:
    """Return the JSON value of `text`, or the text itself, which saving will refuse by name."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _renamed(desk: Desk, path: tuple[str | int, ...], key: str) -> None:
    """Store a new key and stay on the criterion that has it now."""
    set_value(desk, path, key)
    choose(st.session_state[key], int(path[1]))
