"""The contract editor: every edit goes into a stored draft, saving makes it a version."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.checks.kind import Parameter
from core.checks.registry import KINDS
from core.contract.contract import Contract
from core.contract.criterion import Criterion
from core.contract.ladder import LADDER, EvaluatorType
from core.contract.lint import Finding, lint
from core.errors import InputError, StaleSaveError
from core.store import drafts
from core.store.contracts import Version, refuse_incomplete
from core.store.contracts import versions as all_versions
from core.store.store import Project
from core.wording import plural
from pages.parts import state
from pages.parts.panels import mark, verbatim
from pages.parts.workspace import store

BY = {"code": "Code", "judge": "Judge", "person": "Person"}


@dataclass(frozen=True)
class Desk:
    """What the editor works on: the open draft (not yet stored while nothing was changed)."""

    project: Project
    version: Version | None
    draft: drafts.Draft
    stored: bool

    @property
    def data(self) -> dict[str, Any]:
        """The contract being written, as plain data."""
        return self.draft.contract

    def key(self, *parts: object) -> str:
        """Return a widget key; it changes when criteria are added, moved or thrown away."""
        turn = st.session_state.get("contract.turn", 0)
        return ".".join(map(str, ("contract", self.project.id, self.draft.based_on, turn, *parts)))


def open_desk(project: Project, version: Version | None) -> Desk:
    """Return the draft the address names, else the newest version as it stands."""
    draft_id = state.get("draft")
    found = drafts.load_draft(store(), project.id, draft_id) if draft_id else None
    if found is None:
        state.put("draft", None)
        return Desk(project, version, drafts.fresh(version), False)
    return Desk(project, version, found, True)


def _write(desk: Desk, draft: drafts.Draft, *, turn: bool = False) -> None:
    if desk.stored:
        drafts.write_draft(store(), draft)
    else:
        state.put("draft", drafts.add_draft(store(), desk.project.id, draft))
    if turn:
        _turn()


def _turn() -> None:
    st.session_state["contract.turn"] = st.session_state.get("contract.turn", 0) + 1


def _set(desk: Desk, path: tuple[str | int, ...], key: str, clean: Any = None) -> None:
    """Put a widget's value into the draft at `path`; None removes the last part."""
    value = st.session_state[key]
    value = clean(value) if clean else value
    data = json.loads(json.dumps(desk.data))
    place = data
    for part in path[:-1]:
        place = place[part] if isinstance(place, list) else place.setdefault(part, {})
    if value is None:
        place.pop(path[-1], None)
    else:
        place[path[-1]] = value
    _write(desk, replace(desk.draft, contract=data))


# --- saving ----------------------------------------------------------------------------------


def save_bar(desk: Desk) -> None:
    """Draw where the draft stands and the way to save it."""
    said = st.session_state.pop("contract.said", None)
    if said:
        (st.success if said[0] else st.error)(said[1])
        if said[2]:
            st.text(said[2])
    trouble = _trouble(desk)
    with st.container(horizontal=True, vertical_alignment="center"):
        base = f"version {desk.draft.based_on}" if desk.draft.based_on else "a blank contract"
        st.text(f"Unsaved changes to {base}" if desk.stored else f"No changes to {base}")
        with st.popover("Save as a version", disabled=not desk.stored):
            author = state.get("reviewer") or ""
            st.text_input("Your name", value=author, key="contract.author")
            st.text_input("What changed, in a few words", key="contract.name")
            st.button(
                "Save", type="primary", on_click=_save, args=(desk,), disabled=trouble is not None
            )
        if desk.stored:
            st.button("Discard changes", on_click=_discard, args=(desk,))
    if desk.stored and trouble:
        st.warning("Not ready to be saved:")
        st.text(trouble)
    newest = desk.version.number if desk.version else 0
    if desk.stored and newest > desk.draft.based_on:
        st.warning(
            f"Version {newest} was saved after you started. Your changes are kept here: compare "
            "under Versions, then discard them or apply them to the new version."
        )
        st.button(
            f"Apply my changes on top of version {newest}", on_click=_rebase, args=(desk, newest)
        )


def _trouble(desk: Desk) -> str | None:
    try:
        refuse_incomplete(Contract.from_data(desk.data))
    except InputError as error:
        return str(error)
    return None


def _save(desk: Desk) -> None:
    try:
        saved = drafts.publish_draft(
            store(),
            desk.project.id,
            desk.draft,
            author=st.session_state["contract.author"],
            name=st.session_state["contract.name"],
        )
    except (InputError, StaleSaveError) as error:
        st.session_state["contract.said"] = (False, "Not saved.", str(error))
        return
    state.put("draft", None)
    _turn()
    st.session_state["contract.said"] = (True, f"Saved as version {saved.number}.", "")


def _discard(desk: Desk) -> None:
    # The draft stays in the store under its id; the address of before brings it back.
    state.put("draft", None)
    _turn()
    st.session_state["contract.said"] = (
        True,
        "Changes put aside. Go back in your browser to undo.",
        "",
    )


def _rebase(desk: Desk, newest: int) -> None:
    drafts.write_draft(store(), replace(desk.draft, based_on=newest))
    _turn()


# --- criteria --------------------------------------------------------------------------------


def criteria(desk: Desk) -> None:
    """Draw the list of criteria and the editor of the chosen one."""
    items: list[dict[str, Any]] = desk.data["criteria"]
    left, right = st.columns([2, 3], gap="large")
    with left:
        if not items:
            with st.container(border=True):
                st.text(
                    "No criteria yet. Add the first: one question that is answered by yes or no."
                )
        at = _list(desk, items)
        with st.container(horizontal=True):
            st.button(
                "Add", type="primary" if not items else "secondary", on_click=_add, args=(desk,)
            )
            if items:
                st.button("Duplicate", on_click=_copy, args=(desk, at))
                st.button("Move up", on_click=_move, args=(desk, at, -1), disabled=at == 0)
                st.button(
                    "Move down", on_click=_move, args=(desk, at, 1), disabled=at == len(items) - 1
                )
                st.button("Delete", on_click=_delete, args=(desk, at))
    if items:
        with right:
            _criterion(desk, at)


def _list(desk: Desk, items: list[dict[str, Any]]) -> int:
    """Draw the criteria as a table and return the position of the chosen one."""
    if not items:
        return 0
    keys = [str(c.get("key", "")) for c in items]
    wanted = state.get("criterion")
    at = keys.index(wanted) if wanted in keys else 0
    table = desk.key("list")

    def chosen() -> None:
        rows = st.session_state[table]["selection"]["rows"]
        state.put("criterion", keys[rows[0]] if rows else None)

    st.dataframe(
        [
            {
                "Criterion": c.get("key", ""),
                "By": BY.get(c.get("checked_by", "judge"), "?"),
                "Question": c.get("question", ""),
            }
            for c in items
        ],
        hide_index=True,
        on_select=chosen,
        selection_mode="single-row",
        key=table,
        selection_default={"selection": {"rows": [at]}},
        height=min(38 + 35 * len(items), 500),
    )
    return at


def _criterion(desk: Desk, at: int) -> None:
    item = desk.data["criteria"][at]
    findings = _findings(desk, str(item.get("key", "")))

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
            on_change=_set,
            args=(desk, ("criteria", at, name), key),
            **more,
        )

    field("key", "Key", "A short name, unique in this contract. Changing it keeps the labels.")
    field(
        "question",
        "Question",
        "One thing, answered by yes (PASS) or no (FAIL).",
        area=True,
        height=80,
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
    if item.get("checked_by") == "code":
        _check(desk, at, item.get("check") or {})
    built = _built(item)
    for name, label in (
        ("pass_example", "Example that passes"),
        ("fail_example", "Example that fails"),
    ):
        field(name, label, "A whole output, as the writer would hand it in.", area=True)
        _tried(built, item, name)
    for finding in findings:
        with st.container(border=True):
            st.text(f"{finding.message}\n→ {finding.fix}")


def _built(item: dict[str, Any]) -> Criterion | InputError | None:
    """Return the criterion as it stands, or why it cannot be used yet."""
    try:
        contract = Contract.from_data({"criteria": [item]})
    except InputError as error:
        return error if item.get("checked_by") == "code" else None
    return contract.criteria[0]


def _tried(built: Criterion | InputError | None, item: dict[str, Any], name: str) -> None:
    """Show what the criterion's own check says about an example."""
    if item.get("checked_by") != "code":
        st.caption("Not tested yet: no judge has run on this example.")
        return
    if isinstance(built, InputError):
        st.text(str(built))
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


def _checked_by(desk: Desk, at: int, key: str) -> None:
    data = json.loads(json.dumps(desk.data))
    item = data["criteria"][at]
    item["checked_by"] = st.session_state[key]
    if item["checked_by"] == "code":
        item["check"] = item.get("check") or {"kind": "max_words", "limit": 60}
    else:
        item.pop("check", None)
    _write(desk, replace(desk.draft, contract=data))


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
                on_change=_set,
                args=(desk, ("criteria", at, "check", "not"), key, lambda v: v or None),
            )


def _kind(desk: Desk, at: int, key: str) -> None:
    data = json.loads(json.dumps(desk.data))
    name = st.session_state[key]
    kept = data["criteria"][at].get("check") or {}
    known = {p.name for p in KINDS[name].parameters}
    data["criteria"][at]["check"] = {"kind": name} | {k: v for k, v in kept.items() if k in known}
    _write(desk, replace(desk.draft, contract=data))


def _parameter(desk: Desk, at: int, kind: str, check: dict[str, Any], p: Parameter) -> None:
    key = desk.key(at, kind, p.name)
    value = check.get(p.name)
    common: dict[str, Any] = {"key": key, "help": p.help, "on_change": _set}
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
            p.label, value=str(value or ""), args=(desk, path, key, lambda v: v or None), **common
        )


def _lines(text: str) -> list[str] | None:
    return [line for line in text.split("\n") if line.strip()] or None


def _json(text: str) -> Any:
    """Return the JSON value of `text`, or the text itself, which saving will refuse by name."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _findings(desk: Desk, key: str) -> list[Finding]:
    try:
        contract = Contract.from_data(desk.data)
    except InputError:
        return []
    return [f for f in lint(contract) if f.criterion == key]


def _change(desk: Desk, items: list[Any], origins: list[str], chosen: int) -> None:
    data = {**desk.data, "criteria": items}
    _write(desk, replace(desk.draft, contract=data, origins=tuple(origins)), turn=True)
    state.put("criterion", str(items[chosen]["key"]) if items else None)


def _add(desk: Desk) -> None:
    items = list(desk.data["criteria"])
    taken = {c.get("key") for c in items}
    key = next(f"criterion-{n}" for n in range(1, 10_000) if f"criterion-{n}" not in taken)
    items.append(
        {"key": key, "question": "", "checked_by": "judge", "pass_example": "", "fail_example": ""}
    )
    _change(desk, items, [*desk.draft.origins, ""], len(items) - 1)


def _copy(desk: Desk, at: int) -> None:
    items = list(desk.data["criteria"])
    taken = {c.get("key") for c in items}
    base = str(items[at].get("key", "criterion"))
    key = next(f"{base}-{n}" for n in range(2, 10_000) if f"{base}-{n}" not in taken)
    items.insert(at + 1, {**items[at], "key": key})
    origins = list(desk.draft.origins)
    origins.insert(at + 1, "")
    _change(desk, items, origins, at + 1)


def _move(desk: Desk, at: int, by: int) -> None:
    items, origins = list(desk.data["criteria"]), list(desk.draft.origins)
    for row in (items, origins):
        row.insert(at + by, row.pop(at))
    _change(desk, items, origins, at + by)


def _delete(desk: Desk, at: int) -> None:
    items, origins = list(desk.data["criteria"]), list(desk.draft.origins)
    del items[at], origins[at]
    _change(desk, items, origins, max(0, at - 1))


# --- the rest of the contract ----------------------------------------------------------------


def whole(desk: Desk) -> None:
    """Draw everything that is not a criterion."""
    data = desk.data

    def text(path: tuple[str, ...], label: str, help: str, height: int = 80) -> None:
        value: Any = data
        for part in path:
            value = (value or {}).get(part, "")
        key = desk.key(*path)
        st.text_area(
            label,
            value=str(value or ""),
            key=key,
            help=help,
            height=height,
            on_change=_set,
            args=(desk, path, key),
        )

    def number(
        path: tuple[str, ...], label: str, help: str, *, whole: bool, scale: float = 1
    ) -> None:
        value: Any = data
        for part in path:
            value = (value or {}).get(part)
        shown = None if not isinstance(value, int | float) else value * scale
        key = desk.key(*path)
        st.number_input(
            label,
            value=None if shown is None else (int(shown) if whole else float(shown)),
            key=key,
            help=help,
            step=1 if whole else 1.0,
            format=None if whole else "%g",
            on_change=_set,
            args=(desk, path, key, lambda v: None if v is None else v / scale if not whole else v),
        )

    left, right = st.columns(2, gap="large")
    with left:
        text(("title",), "Title", "What this contract is called in reports.", 68)
        text(("task",), "Task", "What the writer is asked to produce.")
        key = desk.key("evaluator.type")
        st.selectbox(
            "Who evaluates",
            [e.value for e in EvaluatorType],
            index=[e.value for e in EvaluatorType].index(
                (data.get("evaluator") or {}).get("type", "rubric_other_model")
            ),
            format_func=lambda e: LADDER[EvaluatorType(e)].title,
            key=key,
            on_change=_set,
            args=(desk, ("evaluator", "type"), key),
            help="The ladder, strongest first: stop at the first row you can staff.",
        )
        rung = LADDER[
            EvaluatorType((data.get("evaluator") or {}).get("type", "rubric_other_model"))
        ]
        st.caption(f"Adds: {rung.adds} Fails by: {rung.fails_by}")
        text(
            ("evaluator", "knows"),
            "What does it know that the writer does not?",
            "Without an answer a second call repeats the first one's beliefs.",
        )
        text(
            ("does_not_examine",),
            "What the criteria do not examine",
            "A loop improves exactly what the evaluator measures, and nothing else.",
        )
    with right:
        number(("stop", "cap"), "Cap: drafts at most", "A whole number, 1 or more.", whole=True)
        number(
            ("stop", "window"),
            "Plateau: rounds without a higher score",
            "The loop ends after so many rounds without a higher score.",
            whole=True,
        )
        key = desk.key("stop.keep")
        st.segmented_control(
            "Without a pass, hand back",
            ["best", "last"],
            key=key,
            required=True,
            default=(data.get("stop") or {}).get("keep", "best"),
            on_change=_set,
            args=(desk, ("stop", "keep"), key),
        )
        text(("stop", "on_failure"), "Failures go to", "Who gets the flagged draft.", 68)
        number(
            ("limits", "false_accept_rate"),
            "Limit for false accepts (%)",
            "Bad outputs the judge may pass, in percent of bad outputs.",
            whole=False,
            scale=100,
        )
        number(
            ("limits", "false_reject_rate"),
            "Limit for false rejects (%)",
            "Good outputs the judge may fail, in percent of good outputs.",
            whole=False,
            scale=100,
        )


def versions(desk: Desk) -> None:
    """Draw the saved versions, newest first."""
    found = all_versions(store(), desk.project.id)
    if not found:
        st.caption("Nothing saved yet.")
        return
    st.dataframe(
        [
            {
                "Version": v.number,
                "Saved (UTC)": v.created_at[:16].replace("T", " "),
                "By": v.author,
                "What changed": v.name,
                "Criteria": plural(len(v.contract.criteria), "criterion", "criteria"),
            }
            for v in found
        ],
        hide_index=True,
    )
    from core.files.contracts import contract_to_yaml

    number = st.selectbox("Read a version", [v.number for v in found], key="contract.read")
    verbatim(contract_to_yaml(next(v.contract for v in found if v.number == number)), height=500)
