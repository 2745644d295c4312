"""The form of everything in a contract that is not a criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.contract.finding import Finding
from core.contract.ladder import LADDER, EvaluatorType
from core.glossary import help_of
from pages.parts.contract_desk import Desk, set_value
from pages.parts.as_you_type import PAUSE
from pages.parts.contract_findings import by_part, show_findings
from pages.parts.panels import small

Path = tuple[str, ...]


@dataclass(frozen=True)
class Form:
    """Widgets bound to places in the draft, with what lint says under each."""

    desk: Desk
    notes: Mapping[str, Sequence[Finding]]

    def note(self, part: str) -> None:
        """Draw what lint found about a part of the contract."""
        show_findings(self.desk, self.notes.get(part, ()), part)

    def value(self, path: Path) -> Any:
        """Return what the draft holds at `path`, None if nothing."""
        found: Any = self.desk.data
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def text(self, path: Path, label: str, help: str, *, height: int = 80) -> None:
        """Draw a text field."""
        key = self.desk.key(*path)
        st.text_area(
            label,
            value=str(self.value(path) or ""),
            key=key,
            help=help,
            height=height,
            on_change=set_value,
            args=(self.desk, path, key),
        )

    def whole(self, path: Path, label: str, help: str, *, unset: str = "not set") -> None:
        """Draw a field for a whole number; anything else typed is kept and refused when saved."""
        key, value = self.desk.key(*path), self.value(path)
        st.text_input(
            label,
            value="" if value is None else str(value),
            key=key,
            help=help,
            placeholder=unset,
            live=PAUSE,
            on_change=set_value,
            args=(self.desk, path, key, _as_typed),
        )

    def number(self, path: Path, label: str, help: str, *, percent: bool = False) -> None:
        """Draw a field for a number; empty is not set. A share is shown as percent."""
        value, key = self.value(path), self.desk.key(*path)
        shown = float(value) * (100 if percent else 1) if isinstance(value, int | float) else None
        st.number_input(
            label,
            value=shown,
            key=key,
            help=help,
            step=1.0,
            format="%g",
            placeholder="not set",
            on_change=set_value,
            args=(self.desk, path, key, _share if percent else None),
        )

    def switch(self, path: Path, label: str, help: str) -> None:
        """Draw an on/off switch."""
        key = self.desk.key(*path)
        st.toggle(
            label,
            value=bool(self.value(path)),
            key=key,
            help=help,
            on_change=set_value,
            args=(self.desk, path, key),
        )

    def choice(
        self, path: Path, label: str, options: dict[str, str], default: str, help: str
    ) -> str:
        """Draw a few options side by side and return the chosen one."""
        key = self.desk.key(*path)
        found = self.value(path)
        return str(
            st.segmented_control(
                label,
                list(options),
                format_func=options.get,
                required=True,
                key=key,
                help=help,
                default=found if found in options else default,
                on_change=set_value,
                args=(self.desk, path, key),
            )
        )


def _as_typed(text: str) -> int | str | None:
    """Return the whole number typed, None for nothing, else the text as it is."""
    text = text.strip()
    digits = text.removeprefix("-")
    whole = digits.isascii() and digits.isdigit() and len(digits) <= 18
    return int(text) if whole else text or None


def _share(percent: float | None) -> float | None:
    return None if percent is None else round(percent / 100, 10)


def whole_form(desk: Desk, findings: Sequence[Finding]) -> None:
    """Draw task, evaluator and ladder, acceptance, stop rule, budget and limits."""
    form = Form(desk, by_part(findings))
    form.note("top")
    left, right = st.columns(2, gap="large")
    with left:
        _evaluator(form)
    with right:
        _acceptance(form)
        _stop(form)
        _limits(form)


def _evaluator(form: Form) -> None:
    form.text(("title",), "Title", "What this contract is called in reports.", height=68)
    form.text(("task",), "Task", "What the writer is asked to produce.")
    types = [e.value for e in EvaluatorType]
    path, found = ("evaluator", "type"), form.value(("evaluator", "type"))
    key = form.desk.key(*path)
    st.selectbox(
        "Who evaluates",
        types,
        index=types.index(found) if found in types else 3,
        key=key,
        format_func=lambda e: LADDER[EvaluatorType(e)].title,
        on_change=set_value,
        args=(form.desk, path, key),
        help="The ladder, strongest first: take the highest row that somebody or something can fill.",
    )
    form.note("evaluator")
    with st.expander("The ladder: who knows what the writer did not"):
        st.dataframe(
            [
                {"Row": n, "Evaluator": r.title, "Adds": r.adds, "Fails by": r.fails_by}
                for n, r in enumerate(LADDER.values(), 1)
            ],
            hide_index=True,
        )
        st.caption(
            "People are no row: they label, settle splits and take what the loop could not fix. A "
            "test beside a rubric is what evaluates; the rubric adds what no test can see."
        )
    form.text(
        ("evaluator", "knows"),
        "What does it know that the writer does not?",
        "If it knows nothing more, asking again only brings back what the writer already believed.",
    )
    form.note("knows")
    form.text(
        ("does_not_examine",),
        "What the criteria do not examine",
        "What is not measured does not get better in a loop. Needed before a version can be marked "
        "ready.",
    )
    form.note("does_not_examine")
    form.switch(
        ("receives_reference",),
        "The evaluator receives the reference answer",
        "It never receives the writer's conversation.",
    )
    form.switch(
        ("judge_when_code_fails",),
        "Ask the judge even when a code check failed",
        "Off saves calls: a failed check already decides.",
    )


def _acceptance(form: Form) -> None:
    st.subheader("Accepted when", anchor=False)
    rules = {"all": "every criterion passes", "threshold": "enough weight passes"}
    rule = form.choice(
        ("acceptance", "rule"), "Rule", rules, "all", "UNKNOWN counts as FAIL under both rules."
    )
    if rule == "threshold":
        form.number(
            ("acceptance", "minimum"), "Minimum", "Above 0, and no more than all weights together."
        )
    elif form.value(("acceptance", "minimum")) is not None:
        st.caption("The minimum of the other rule is ignored and dropped when saved.")
    form.note("acceptance")


def _stop(form: Form) -> None:
    st.subheader("Stop rule", anchor=False)
    one, two = st.columns(2)
    with one:
        form.whole(("stop", "cap"), "Cap: drafts at most", help_of("cap"), unset="3")
    with two:
        form.whole(
            ("stop", "window"),
            "Plateau: rounds",
            help_of("window"),
            unset="1",
        )
    form.choice(
        ("stop", "keep"),
        "Without a pass, hand back",
        {"best": "the best draft", "last": "the last"},
        "best",
        "Best by score; the earliest of equals.",
    )
    small("Budget of a task: nothing more is begun once it would not fit.")
    cells = st.columns(4)
    for cell, (name, label, whole) in zip(
        cells,
        (
            ("calls", "Calls", True),
            ("tokens", "Tokens", True),
            ("usd", "US dollars", False),
            ("seconds", "Seconds", False),
        ),
        strict=True,
    ):
        with cell:
            draw = form.whole if whole else form.number
            draw(("stop", "budget", name), label, help_of("budget"))
    form.text(("stop", "on_failure"), "Failures go to", "Who gets the flagged draft.", height=68)


def _limits(form: Form) -> None:
    st.subheader("Limits for the judge", anchor=False)
    one, two = st.columns(2)
    with one:
        form.number(
            ("limits", "false_accept_rate"),
            "False accepts (%)",
            f"In percent. {help_of('far')} {help_of('limit')}",
            percent=True,
        )
    with two:
        form.number(
            ("limits", "false_reject_rate"),
            "False rejects (%)",
            f"In percent. {help_of('frr')} {help_of('limit')}",
            percent=True,
        )
