"""Command import: a table, an Inspect log, promptfoo results, traces or spans into a project."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.base import (
    SHOWN,
    WORKSPACE,
    Command,
    Encoding,
    Fails,
    Json,
    Passes,
    Separator,
    Workspace,
    emit,
    load_contract,
    one_line,
    say,
    say_problems,
)
from core.cli.import_choices import choices_of, mapping_of, table_plan

if TYPE_CHECKING:
    from core.files.evallog import EvalLog
    from core.files.importing import Plan
    from core.files.traces import TraceFile
    from core.store.contracts import Version
    from core.store.store import Project, Store


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import", cls=Command)(import_file)


def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What is to be imported.")],
    project: Annotated[
        str | None, typer.Option("--project", metavar="P", help="Its title or slug; made if new.")
    ] = None,
    contract: Annotated[
        Path | None, typer.Option("--contract", metavar="F", help="Contract of a new project.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--as", metavar="K", help="table, inspect, promptfoo, traces, spans"),
    ] = None,
    holds: Annotated[
        list[str] | None,
        typer.Option("--holds", metavar="H", help="Of a table: outputs, labels, verdicts."),
    ] = None,
    passes: Passes = None,
    fails: Fails = None,
    pass_from: Annotated[
        list[str] | None,
        typer.Option("--pass-from", metavar="S=X", help="Scorer S: a PASS from score X on."),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option("--criterion", metavar="S=C", help="Scorer S is the criterion C."),
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option("--leave-out", metavar="S", help="Leave scorer S out.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="NAME", help="The judge the scores are of.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", metavar="NAME", help="Who gave the ratings.")
    ] = None,
    role: Annotated[
        str | None, typer.Option("--role", metavar="A", help="Attribute that tells spans apart.")
    ] = None,
    draft: Annotated[
        list[str] | None, typer.Option("--draft", metavar="V", help="Its value on drafts.")
    ] = None,
    evaluator: Annotated[
        list[str] | None, typer.Option("--evaluator", metavar="V", help="Its value on verdicts.")
    ] = None,
    round_: Annotated[
        str | None, typer.Option("--round", metavar="A", help="Attribute that numbers rounds.")
    ] = None,
    verdict: Annotated[
        list[str] | None, typer.Option("--verdict", metavar="A", help="Where a verdict stands.")
    ] = None,
    evidence: Annotated[
        str | None, typer.Option("--evidence", metavar="A", help="Where its evidence stands.")
    ] = None,
    sample: Annotated[
        str | None, typer.Option("--sample", metavar="A", help="Where the sample's id stands.")
    ] = None,
    cap: Annotated[
        str | None, typer.Option("--cap", metavar="N", help="Drafts at most, of spans.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Outputs known with another text get a new version.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be stored; store nothing.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back the import of FILE.")] = False,
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Import a file; its kind is recognised. Again, it changes nothing."""
    from core.errors import InputError, show
    from core.files.recognise import KINDS, recognise
    from core.store.store import open_store

    data = _bytes(file)
    found = kind or recognise(data, file.name)
    if found not in KINDS:
        raise InputError("--as", f"{show(found)} is none.", f"Use {', '.join(KINDS)}.")
    store = open_store(workspace)
    before = {p.id for p in store.projects()}
    done = False
    try:
        if undo:
            result = _undo(store, _known(store, project), hashlib.sha256(data).hexdigest(), file)
        elif found in ("traces", "spans"):
            places = (role, draft, evaluator, round_, verdict, evidence, sample)
            mapping = (*places, passes, fails, pass_from, cap)
            read, said = _traces(data, file, found, encoding, mapping)
            result = {"said": said, **_store_traces(store, project, file, read, dry_run)}
        elif found == "table":
            plan_of = table_plan(
                data, file, holds, passes, fails, judge, reviewer, encoding, separator
            )
            target, version = _project(store, project, file.stem, contract, dry_run)
            plan = plan_of(store, target.id, version)
            result = _carry_out(store, target, version, plan, replace, dry_run)
        else:
            from core.files.log_import import read_log

            log = read_log(data, file.name, found, encoding=encoding, progress=_Progress(file.name))
            result = _log(
                store, log, _project(store, project, log.title, contract, dry_run),
                (passes, fails, pass_from, criterion, leave_out), judge, reviewer, replace, dry_run,
            )  # fmt: skip
        done = not dry_run
    finally:
        if not done:  # a project made for nothing
            for made in store.projects():
                if made.id not in before:
                    store.delete_project(made.id)
        store.close()
    if dry_run:
        say("Nothing was stored (--dry-run).")
    emit({"file": str(file), "kind": found, **result}, _text(found, result), as_json)


def _bytes(path: Path) -> bytes:
    from core.errors import InputError
    from core.files.tables import MAX_BYTES

    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            limit = f"{MAX_BYTES // 1_000_000} MB"
            raise InputError(str(path), f"{size / 1e6:,.0f} MB is more than {limit}.", "Split it.")
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(str(path), "there is no such file.", "Check the path.") from error
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror}).") from error
    if not data:
        raise InputError(str(path), "the file is empty.", "Load a file with rows.")
    return data


class _Progress:
    """Says on stderr how much of a large file is read, every two seconds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._said = time.monotonic()

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if now - self._said >= 2:
            self._said = now
            say(f"{self._name}: {share:.0%} read")


# --- where to -----------------------------------------------------------------------------------


def _known(store: Store, name: str | None) -> Project:
    from core.errors import InputError, show

    found = store.projects()
    for project in found:
        if name in (project.slug, project.title) or (name is None and len(found) == 1):
            return project
    listed = ", ".join(p.slug for p in found[:20]) or "none"
    problem = "say which project." if name is None else f"there is no project {show(name)}."
    raise InputError("--project", problem, f"There is {listed}.")


def _project(
    store: Store, name: str | None, title: str, contract: Path | None, dry_run: bool
) -> tuple[Project, Version | None]:
    """Return the project to import into, made if it is new, and its newest contract version."""
    from core.store.contracts import latest_version, save_version

    agreed = None if contract is None else load_contract(contract)
    wanted = name or title
    found = next((p for p in store.projects() if wanted in (p.slug, p.title)), None)
    project = found or store.create_project(wanted)
    version = latest_version(store, project.id)
    if agreed is not None and (version is None or version.contract != agreed):
        if found is not None and dry_run:
            return project, version
        version = save_version(
            store, project.id, agreed, author="command line", incomplete=True,
            based_on=None if version is None else version.number,
        )  # fmt: skip
    return project, version


# --- logs ---------------------------------------------------------------------------------------


def _log(
    store: Store,
    log: EvalLog,
    target: tuple[Project, Version | None],
    given: tuple[list[str] | None, ...],
    judge: str | None,
    reviewer: str | None,
    replace: bool,
    dry_run: bool,
) -> dict[str, Any]:
    from core.files.evallog import TOOLS, refuse_unread
    from core.files.log_import import plan_log, store_log

    project, version = target
    choices = choices_of(log, version, *given)
    refuse_unread(log, choices)
    plan = plan_log(
        store, project.id, version, log, choices, judge=judge or TOOLS[log.kind],
        reviewer=reviewer or f"{TOOLS[log.kind]} rating",
    )  # fmt: skip
    for line in log.warnings:
        say(f"{log.name}: {one_line(line)}")
    _say_plan(plan)
    counts = _planned(plan)
    if not dry_run:
        counts = store_log(
            store, project.id, version, log, choices, plan, author="command line",
            replace_changed=replace,
        )  # fmt: skip
    return {
        "project": project.slug, "said": list(log.said), "warnings": list(log.warnings),
        "problems": len(plan.problems), "left_out": plan.homeless,
        "criteria": {name: choice.criterion for name, choice in choices.items()}, **counts,
    }  # fmt: skip


def _carry_out(
    store: Store,
    project: Project,
    version: Version | None,
    plan: Plan,
    replace: bool,
    dry_run: bool,
) -> dict[str, Any]:
    from core.files.importing import carry_out

    _say_plan(plan)
    counts = _planned(plan)
    if not dry_run:
        counts = carry_out(store, project.id, version, plan, replace_changed=replace)
    return {"project": project.slug, "problems": len(plan.problems), "left_out": plan.homeless,
            **counts}  # fmt: skip


def _planned(plan: Plan) -> dict[str, dict[str, int]]:
    """Return counts like those of a finished import, of what it would find."""
    d = plan.difference
    found: dict[str, dict[str, int]] = {}
    if plan.outputs is not None:
        found["outputs"] = {"new": len(d.new), "present": d.present, "changed": len(d.changed)}
    for name, part in (("labels", plan.labels), ("verdicts", plan.verdicts)):
        if part is not None:
            found[name] = {"rows": len(part.rows)}
    return found


def _say_plan(plan: Plan) -> None:
    from core.wording import plural

    name = plan.table.name
    if plan.table.unit == "Line":
        say_problems(name, plan.problems)
    else:
        for problem in plan.problems[:SHOWN]:
            say(f"{name}, sample {problem.line}: {one_line(problem.message)}")
    for conflict in plan.conflicts[:SHOWN]:
        say(f"{name}: {one_line(str(conflict))}; none of them is stored.")
    if plan.difference.changed:
        say(f"{name}: {plural(len(plan.difference.changed), 'output')} known with another text "
            "or input (--replace makes it a new version).")  # fmt: skip
    if plan.homeless:
        say(f"{name}: {plural(plan.homeless, 'label or verdict', 'labels or verdicts')} without an "
            "output or criterion in the project: left out.")  # fmt: skip


# --- traces and spans ---------------------------------------------------------------------------


def _traces(
    data: bytes, file: Path, kind: str, encoding: str | None, given: tuple[Any, ...]
) -> tuple[TraceFile, list[str]]:
    from core.files.span_traces import to_traces
    from core.files.spans import read_spans
    from core.files.traces import parse_traces

    if kind == "traces":
        return parse_traces(data, file.name), []
    spans = read_spans(data, file.name, encoding=encoding)
    say_problems(file.name, spans.problems)
    mapped = to_traces(spans, mapping_of(spans.spans, *given))
    return mapped.file, list(mapped.said)


def _store_traces(
    store: Store, name: str | None, file: Path, read: TraceFile, dry_run: bool
) -> dict[str, Any]:
    from core.store.traces import add_traces, compare_traces

    for note in (*read.refused, *read.notes)[:SHOWN]:
        say(f"{file.name}, {one_line(str(note))}")
    project, _ = _project(store, name, file.stem, None, dry_run)
    found = (
        compare_traces(store, project.id, read.traces)
        if dry_run
        else add_traces(store, project.id, read.traces, file_name=file.name, sha256=read.sha256)
    )
    counts = {"new": len(found.new), "present": found.present, "other": len(found.other)}
    return {"project": project.slug, "problems": len(read.refused), "traces": counts}


# --- taking back --------------------------------------------------------------------------------


def _undo(store: Store, project: Project, sha256: str, file: Path) -> dict[str, Any]:
    from core.errors import InputError
    from core.store.undo_import import acts_of, undo_import

    acts = acts_of(store, project.id)
    act = next((a for a in acts if a.sha256 == sha256), None)
    if act is None:  # spans are known by their mapping too
        act = next((a for a in acts if "traces" in a.new and a.file_name == file.name), None)
    if act is None:
        raise InputError(
            str(file), f"it was not imported into {project.slug!r}.", "Check --project."
        )
    return {"project": project.slug, "undone": undo_import(store, project.id, act)}


def _text(kind: str, result: Mapping[str, Any]) -> list[str]:
    lines = [f"{kind} into project {result['project']}.", *map(one_line, result.get("said", ()))]
    for name in ("outputs", "labels", "verdicts", "traces", "undone"):
        if name in result:
            counts = ", ".join(f"{n:,} {key}" for key, n in result[name].items() if n)
            lines.append(f"{name}: {counts or 'nothing'}")
    return lines
