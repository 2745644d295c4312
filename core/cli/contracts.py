"""Commands about a contract: check (its code checks over outputs), lint and export."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.base import (
    SHOWN,
    WORKSPACE,
    Command,
    Encoding,
    Json,
    Separator,
    Workspace,
    aligned,
    emit,
    load_contract,
    one_line,
    outputs_in,
)

if TYPE_CHECKING:
    from core.contract.contract import Contract

ContractFile = Annotated[Path, typer.Argument(metavar="CONTRACT", help="YAML or JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(cls=Command)(check)
    app.command(cls=Command)(lint)
    app.command(cls=Command)(export)


def check(
    contract: ContractFile,
    outputs: Annotated[Path, typer.Argument(metavar="OUTPUTS", help="CSV, TSV, JSONL or JSON.")],
    encoding: Encoding = None,
    separator: Separator = None,
    as_json: Json = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Run the contract's code checks over outputs."""
    from core.contract.contract import accepted
    from core.errors import InputError
    from core.files.verdicts import verdict_word
    from core.verdict import Verdict
    from core.wording import plural

    agreed = load_contract(contract)
    checks = {c.key: built for c in agreed.criteria if (built := c.code_check()) is not None}
    if not checks:
        raise InputError(
            str(contract), "no criterion is checked by code.", "Give a criterion a check."
        )
    rows: list[dict[str, Any]] = []
    tally = {key: Counter[str]() for key in checks}
    outcome: Counter[bool | None] = Counter()
    for reply in outputs_in(outputs, encoding, separator):
        verdicts = {key: built.run(reply.output, reply.reference) for key, built in checks.items()}
        outcome[accepted(agreed, verdicts)] += 1
        words = {key: verdict_word(verdict) for key, verdict in verdicts.items()}
        for key, word in words.items():
            tally[key][word] += 1
        rows.append(
            {
                "sample_id": reply.sample_id,
                "trial": reply.trial,
                "verdicts": {
                    key: {"verdict": words[key], "evidence": verdict.evidence}
                    for key, verdict in verdicts.items()
                },
            }
        )
    by_criterion = {
        key: {word.value: counts[word.value] for word in (Verdict.PASS, Verdict.FAIL)}
        for key, counts in tally.items()
    }
    waiting = len(agreed.criteria) - len(checks)
    text = [
        f"{plural(len(rows), 'output')}: {outcome[True]:,} accepted, {outcome[False]:,} not"
        + (
            f", {outcome[None]:,} open ({plural(waiting, 'criterion', 'criteria')} not checked by "
            "code, or a check that did not run)"
            if outcome[None]
            else ""
        )
        + ".",
        *aligned(
            [
                ["", "PASS", "FAIL"],
                *([key, *map(str, counts.values())] for key, counts in by_criterion.items()),
            ]
        ),
    ]
    misses = [
        f"{row['sample_id']}, trial {row['trial']}: {key} {one['verdict']}: "
        + one_line(one["evidence"])
        for row in rows
        for key, one in row["verdicts"].items()
        if one["verdict"] != Verdict.PASS
    ]
    text += misses[:SHOWN]
    if len(misses) > SHOWN:
        text.append(f"{len(misses) - SHOWN:,} more; --json lists all.")
    emit(
        {
            "outputs": len(rows),
            "accepted": outcome[True],
            "by_criterion": by_criterion,
            "rows": rows,
        },
        text,
        as_json,
    )


def lint(contract: ContractFile, as_json: Json = False, workspace: Workspace = WORKSPACE) -> None:
    """List what is likely to go wrong with a contract's criteria."""
    agreed = load_contract(contract)
    from core.contract.lint import lint as findings_of

    findings = [
        {"criterion": f.criterion, "rule": f.rule, "message": f.message, "fix": f.fix}
        for f in findings_of(agreed)
    ]
    text = [
        f"{f['criterion'] or 'contract'} ({f['rule']}): {f['message']} {f['fix']}".rstrip()
        for f in findings
    ]
    emit({"findings": findings}, text or ["Nothing found."], as_json)


FORMATS = ("markdown", "html", "yaml", "json", "sdk", "langgraph")


def export(
    contract: ContractFile,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=", ".join(FORMATS) + ".")],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="For sdk and langgraph: put the module and its tests there."),
    ] = None,
    tests: Annotated[
        bool, typer.Option("--tests", help="For sdk and langgraph: write the test file instead.")
    ] = False,
    workspace: Workspace = WORKSPACE,
) -> None:
    """Write a contract to stdout in another form."""
    from core.errors import InputError, show
    from core.files.contracts import contract_to_json, contract_to_yaml
    from core.render import contract_markdown
    from core.render_html import contract_html

    if to not in FORMATS:
        raise InputError(
            "--to", f"{show(to)} is not offered.", f"Choose one of {', '.join(FORMATS)}."
        )
    agreed = load_contract(contract)
    if to in ("sdk", "langgraph"):
        _export_code(agreed, to, out, tests)
        return
    if out is not None or tests:
        raise InputError("--out, --tests", f"{to} is one file.", "Redirect stdout into a file.")
    write = {
        "markdown": contract_markdown,
        "html": contract_html,
        "yaml": contract_to_yaml,
        "json": contract_to_json,
    }[to]
    sys.stdout.write(write(agreed))


def _export_code(agreed: Contract, to: str, out: Path | None, tests: bool) -> None:
    """Write the module or its tests to stdout, or both into a folder; notes go to stderr."""
    from core.errors import InputError
    from core.files.code_export.export import export_code

    made = export_code(agreed, to)
    if out is None:
        sys.stdout.write(made.test_text if tests else made.text)
        where = f"Save it as {made.test_name if tests else made.name}"
        also = "" if tests else f"; --tests writes {made.test_name}, --out FOLDER both"
        print(f"{where}{also}.", file=sys.stderr)
    else:
        try:
            out.mkdir(parents=True, exist_ok=True)
            for name, text in ((made.name, made.text), (made.test_name, made.test_text)):
                (out / name).write_text(text, encoding="utf-8", newline="\n")
                print(out / name)
        except OSError as error:
            raise InputError(str(out), f"cannot be written ({error.strerror}).") from error
    for note in made.notes:
        print(note, file=sys.stderr)
