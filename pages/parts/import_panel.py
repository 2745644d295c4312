"""Importing a table: say what its columns and words mean, look, then store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.files.importing import Plan, Said, carry_out, plan_import
from core.files.labels import kind_column
from core.files.outputs import ColumnMap, suggest_mapping
from core.files.shapes import Shape, preview_words, suggest_shape
from core.files.tables import NeedsChoice, Table, read_table
from core.store.contracts import Version
from core.store.store import Project
from core.verdict import OVERALL, WordMap, suggest_words
from core.wording import criterion_name, plural
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.workspace import store

HOLDS = {"outputs": "Outputs", "labels": "People's labels", "verdicts": "A judge's verdicts"}
ENCODINGS = ["utf-8", "cp1252", "utf-16", "iso-8859-1", "shift_jis", "gb18030"]
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
NONE = "(none)"
ROW_NUMBERS = "(row number)"


@st.cache_resource(max_entries=3, show_spinner="Reading the file …")
def _table(
    file_id: str, name: str, encoding: str | None, separator: str | None, _data: bytes
) -> Table:
    return read_table(_data, name, encoding=encoding, separator=separator)


def table_screen(
    project: Project, version: Version | None, default: Sequence[str], file: UploadedFile
) -> None:
    """Draw what a table holds and would do; nothing is stored before its button is pressed."""
    table = read_uploaded(file.file_id, file.name, file.getvalue())
    plan = None if table is None else _plan(project, version, table, default)
    if plan is not None:
        confirm(plan, _store, project, version, plan)


def read_uploaded(file_id: str, name: str, data: bytes) -> Table | None:
    """Return the table, asking for the encoding and separator where the file needs it."""
    places = st.columns([2, 2, 4], vertical_alignment="bottom")
    # Always there, whatever the file turns out to be: a wrong choice can be taken back.
    encoding = places[0].selectbox(
        "Encoding",
        ENCODINGS,
        index=None,
        placeholder="As found",
        accept_new_options=True,
        key=f"import.encoding.{file_id}",
    )
    separator = places[1].selectbox(
        "Separator",
        list(SEPARATORS),
        index=None,
        placeholder="As found",
        format_func=lambda o: SEPARATORS.get(o, o),
        key=f"import.separator.{file_id}",
    )
    try:
        table = _table(file_id, name, encoding, separator, data)
    except NeedsChoice as need:
        likely = SEPARATORS.get(need.guess, need.guess)
        st.warning(f"Choose the {need.field} above: the file does not say it.")
        st.text(f"{need.problem} It is likely {likely}.")
        if need.preview:
            st.caption("Read that way:")
            st.code(need.preview, language=None)
        return None
    places[2].caption(
        f"{plural(len(table), 'row')}, {plural(len(table.columns), 'column')}, {table.encoding}"
        + (
            ""
            if table.separator is None
            else f", {SEPARATORS.get(table.separator, 'other')} separated"
        )
    )
    st.dataframe(
        [dict(zip(table.columns, row, strict=True)) for row in table.rows[:5]], hide_index=True
    )
    return table


def _plan(
    project: Project, version: Version | None, table: Table, default: Sequence[str]
) -> Plan | None:
    holds = st.pills(
        "What does this file hold?",
        list(HOLDS),
        format_func=HOLDS.get,
        selection_mode="multi",
        default=list(default),
        key=f"import.holds.{table.sha256}",
    )
    if not holds:
        return None
    outputs = _outputs(table) if "outputs" in holds else None
    labels = _said(table, version, "reviewer") if "labels" in holds else None
    verdicts = _said(table, version, "judge") if "verdicts" in holds else None
    if outputs is not None and outputs.output is None:
        st.caption("Choose the column that holds the output.")
        return None
    if ("labels" in holds and labels is None) or ("verdicts" in holds and verdicts is None):
        return None
    return plan_import(
        store(), project.id, version, table, outputs=outputs, labels=labels, verdicts=verdicts
    )


def _outputs(table: Table) -> ColumnMap:
    guess = suggest_mapping(table.columns)
    st.subheader("Columns of the outputs", anchor=False)
    columns = st.columns(5)

    def choose(at: int, label: str, field: str, empty: str | None, help: str) -> str | None:
        options = [*([empty] if empty else []), *table.columns]
        wanted = getattr(guess, field) or empty
        with columns[at]:
            found = st.selectbox(
                label,
                options,
                index=None if wanted is None else options.index(wanted),
                placeholder="Choose one",
                help=help,
                key=f"import.{field}.{table.sha256}",
            )
        return None if found in (None, NONE, ROW_NUMBERS) else str(found)

    sample = choose(
        0,
        "Sample id",
        "sample_id",
        ROW_NUMBERS,
        "Which task input the output is for. Row numbers move when a row is inserted: use an id if there is one.",
    )
    return ColumnMap(
        sample_id=sample,
        output=choose(1, "Output", "output", None, "The text to be judged."),
        input=choose(2, "Task input", "input", NONE, "What the writer was asked."),
        reference=choose(3, "Reference", "reference", NONE, "The known-good answer, if any."),
        trial=choose(4, "Trial", "trial", NONE, "Number of the independent draw for one sample."),
        row_numbers=sample is None,
    )


def _said(table: Table, version: Version | None, who: str) -> Said | None:
    """Ask where labels (who: reviewer) or verdicts (who: judge) are and what the words mean."""
    people = who == "reviewer"
    st.subheader("Columns of the labels" if people else "Columns of the verdicts", anchor=False)
    guess = suggest_shape(table.columns, who)
    key = f"import.{who}.{table.sha256}"
    long = "One row a label" if people else "One row a verdict"
    by_who, by_criterion = f"One column a {who}", "One column a criterion"
    layout = st.segmented_control(
        "Layout",
        [long, by_who, by_criterion],
        default=long if guess.verdict else by_who,
        required=True,
        key=f"{key}.layout",
    )
    columns = list(table.columns)
    criteria = [OVERALL, *(version.contract.keys if version else ())]

    def one(
        label: str, wanted: str | None, *, optional: bool = True, at: object = st
    ) -> str | None:
        options = [*([NONE] if optional else []), *columns]
        index = options.index(wanted) if wanted in options else 0
        found = at.selectbox(label, options, index=index, key=f"{key}.{label}")  # type: ignore[attr-defined]
        return None if found == NONE else str(found)

    cells = st.columns(4)
    sample = one("Sample id", guess.sample_id, optional=False, at=cells[0])
    trial = one("Trial", guess.trial, at=cells[1])
    assert sample is not None
    verdict_columns: list[str] = []
    if layout == long:
        verdict = one("Verdict", guess.verdict, optional=False, at=cells[2])
        assert verdict is not None
        criterion = one("Criterion", guess.criterion, at=cells[3])
        more = st.columns(4)
        person = one("Reviewer" if people else "Judge", guess.who, at=more[0])
        name = "" if person else more[1].text_input(f"Name of the {who}", key=f"{key}.name")
        said = one("Note" if people else "Evidence", guess.said, at=more[2])
        change = None if people else one("What to change", guess.change, at=more[3])
        verdict_columns = [verdict]
        shape = Shape(
            sample,
            verdict=verdict,
            trial=trial,
            criterion=criterion,
            who=person,
            who_is=name,
            said=said,
            change=change,
            labelled_at=guess.labelled_at,
            more=guess.more,
        )
    elif layout == by_who:
        criterion_is = cells[2].selectbox(
            "Criterion", criteria, format_func=criterion_name, key=f"{key}.is"
        )
        verdict_columns = st.multiselect(
            f"Columns, one a {who} (the column's name becomes the {who}'s)",
            columns,
            key=f"{key}.columns",
        )
        shape = Shape(
            sample, by_who={c: c for c in verdict_columns}, trial=trial, criterion_is=criterion_is
        )
    else:
        person = one("Reviewer" if people else "Judge", guess.who, at=cells[2])
        name = "" if person else cells[3].text_input(f"Name of the {who}", key=f"{key}.name")
        kind = kind_column(table) if people and person else {}
        named = [c for c in columns if c in criteria]
        verdict_columns = st.multiselect(
            "Columns, one a criterion (named as in the contract)",
            columns,
            default=named,
            key=f"{key}.columns",
        )
        shape = Shape(
            sample, by_criterion={c: c for c in verdict_columns}, trial=trial, who=person, who_is=name,
            more=kind,
        )  # fmt: skip
    if not verdict_columns:
        st.caption("Choose at least one column.")
        return None
    words = _words(table, verdict_columns, key, judge=not people)
    return None if words is None else Said(shape, words)


def _words(table: Table, columns: list[str], key: str, *, judge: bool) -> WordMap | None:
    """Ask which words mean PASS and FAIL; show the effect; None while a word is unmapped."""
    values = [value for column in columns for value in table.column(column)]
    yes, no, other = suggest_words(values)
    known = [*yes, *no, *other]
    left, middle, right = st.columns([2, 2, 2], vertical_alignment="bottom")
    passes = left.multiselect("Words that mean PASS", known, default=yes, key=f"{key}.pass")
    rest = right.toggle("Every other word means FAIL", key=f"{key}.rest")
    fails = middle.multiselect(
        "Words that mean FAIL",
        [w for w in known if w not in passes],
        default=[w for w in no if w not in passes],
        key=f"{key}.fail",
        disabled=rest,
    )
    words = WordMap.of(passes, None if rest else fails)
    effect = preview_words(values, words, judge=judge)
    said = {
        "PASS": "PASS",
        "FAIL": "FAIL",
        "UNKNOWN": "UNKNOWN",
        "none": "no label" if not judge else "unscored",
    }
    counts = ", ".join(
        f"{effect.by_verdict[k]:,} {v}" for k, v in said.items() if k in effect.by_verdict
    )
    if not passes:
        st.info("Say which words mean PASS: tools disagree on 0 and 1, so nothing is assumed.")
        st.text(
            "In the file: "
            + ", ".join(f"{w or '(blank)'} × {n:,}" for w, n in list(effect.by_word.items())[:20])
        )
        return None
    if effect.unmapped:
        st.warning("These words still need a meaning:")
        st.text(", ".join(f"{w} × {n:,}" for w, n in list(effect.unmapped.items())[:20]))
        return None
    st.caption(f"Read as: {counts}.")
    return words


def confirm(plan: Plan, act: Callable[..., None], *given: object) -> None:
    """Draw what a plan would store and the button that does; `act` gets `given` and one flag.

    The flag says whether outputs known with another text are replaced.
    """
    st.subheader("What will be stored", anchor=False)
    d = plan.difference
    parts = []
    if plan.outputs is not None:
        parts.append(f"{plural(len(d.new), 'new output')}, {d.present:,} already here")
    if plan.labels is not None:
        parts.append(plural(len(plan.labels.rows), "label"))
    if plan.verdicts is not None:
        unscored = sum(plan.verdicts.unscored.values())
        parts.append(
            plural(len(plan.verdicts.rows), "verdict")
            + (f" ({unscored:,} unscored)" if unscored else "")
        )
    st.text("; ".join(parts) + ".")
    repeats = sum(p.duplicates for p in (plan.outputs, plan.labels, plan.verdicts) if p is not None)
    if repeats:
        small(f"{plural(repeats, 'row')} repeat another word for word and count once.")
    replace = False
    if d.changed:
        st.warning(
            f"{plural(len(d.changed), 'output')} known here with another text, input or reference."
        )
        replace = "keep" not in st.radio(
            "What about these?",
            [
                "keep what is stored",
                "store the new text as a new version (its labels stay with the old text)",
            ],
            key=f"import.changed.{plan.table.sha256}",
        )
    if plan.homeless:
        st.warning(
            f"{plural(plan.homeless, 'label or verdict', 'labels or verdicts')} that have no home here: left out. "
            "Their output or criterion is not in this project, or stands there with another text."
        )
    if plan.conflicts:
        st.warning(
            f"{plural(len(plan.conflicts), 'key')} stands for different rows: none of them is stored."
        )
        st.dataframe(
            [
                {"What": c.key, f"{plan.table.unit}s": ", ".join(map(str, c.lines))}
                for c in plan.conflicts[:200]
            ],
            hide_index=True,
        )
    if plan.problems:
        st.warning(
            f"{plural(len(plan.problems), plan.table.unit.lower())} cannot be used; the rest still loads."
        )
        st.dataframe(
            [{plan.table.unit: p.line, "Why": p.message} for p in plan.problems[:200]],
            hide_index=True,
        )
    st.button(
        "Store",
        type="primary",
        on_click=act,
        args=(*given, replace),
        disabled=plan.rows == 0,
        key="import.store",
    )


@guarded
def _store(project: Project, version: Version | None, plan: Plan, replace: bool) -> None:
    say_stored(carry_out(store(), project.id, version, plan, replace_changed=replace))


def say_stored(counts: Mapping[str, Mapping[str, int]]) -> None:
    """Keep what was stored for the next run to say, and offer a fresh uploader."""
    names = {
        "new": "new",
        "replaced": "stored as a new version",
        "kept": "kept as they were",
        "changed": "changed",
        "present": "already here",
        "no_output": "without their output",
        "no_criterion": "for unknown criteria",
    }
    st.session_state["import.done"] = [
        f"{HOLDS[kind]}: "
        + ", ".join(f"{n:,} {names[k]}" for k, n in found.items() if n or k == "new")
        for kind, found in counts.items()
    ]
    # A fresh uploader, so that the stored file is not offered again.
    st.session_state["import.round"] = st.session_state.get("import.round", 0) + 1
