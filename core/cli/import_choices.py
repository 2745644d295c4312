"""What the options of the import command say: scorers and words of logs, roles of spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.base import one_line, say

if TYPE_CHECKING:
    from core.files.evallog import Choice, EvalLog
    from core.files.importing import Plan
    from core.files.span_map import SpanMapping
    from core.files.spans import Span
    from core.store.contracts import Version
    from core.store.store import Store


def choices_of(
    log: EvalLog,
    version: Version | None,
    passes: list[str] | None,
    fails: list[str] | None,
    pass_from: list[str] | None,
    criteria: list[str] | None,
    leave_out: list[str] | None,
) -> dict[str, Choice]:
    """Return what each scorer becomes: what is known of it, with the options in its place."""
    from dataclasses import replace

    from core.errors import InputError, show
    from core.files.evallog import Choice, suggest_choice
    from core.verdict import WordMap

    names = [scorer.name for scorer in log.scorers]
    at_least = {
        name: _score(name, x) for name, x in _pairs("--pass-from", pass_from, names).items()
    }
    keys = _pairs("--criterion", criteria, names)
    known = {"overall", *(version.contract.keys if version else keys.values())}
    for flag, given in (("--leave-out", leave_out or ()), ("--criterion", ())):
        for name in given:
            if name not in names:
                raise InputError(flag, f"there is no scorer {show(name)}.", _there(names))
    found: dict[str, Choice] = {}
    for name in names:
        choice = suggest_choice(log, name, None if version is None else version.contract)
        if passes and name not in at_least:
            choice = replace(choice, words=WordMap.of(passes, fails or None))
        if name in keys:
            if keys[name] not in known:
                raise InputError(
                    "--criterion", f"the contract has no criterion {show(keys[name])}.",
                    _there(sorted(known)),
                )  # fmt: skip
            choice = replace(choice, criterion=keys[name])
        if name in at_least:
            choice = replace(choice, at_least=at_least[name])
        left = name in (leave_out or ())
        if choice.criterion is None and not left:
            say(f"{log.name}: scorer {one_line(name)} is left out: the contract has no criterion of "
                f"that name (--criterion {one_line(name)}=KEY).")  # fmt: skip
        found[name] = Choice(None) if left else choice
    return found


def _pairs(flag: str, given: Sequence[str] | None, names: Sequence[str]) -> dict[str, str]:
    """Return NAME=VALUE options; a value alone is for the only scorer."""
    from core.errors import InputError, show

    found = {}
    for text in given or ():
        name, sign, value = text.rpartition("=")
        if not sign and len(names) == 1:
            name = names[0]
        if name not in names or not value:
            raise InputError(flag, f"{show(text)} names no scorer.", _there(names))
        found[name] = value
    return found


def _there(names: Sequence[str]) -> str:
    return f"There is {', '.join(map(repr, names[:20])) or 'none'}."


def _score(name: str, text: str) -> float:
    import math

    from core.errors import InputError, show

    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError("--pass-from", f"{show(text)} is no number.", f"Give {name}=0.5, say.")
    return value


def table_plan(
    data: bytes,
    file: Path,
    holds: list[str] | None,
    passes: list[str] | None,
    fails: list[str] | None,
    judge: str | None,
    reviewer: str | None,
    encoding: str | None,
    separator: str | None,
) -> Callable[[Store, int, Version | None], Plan]:
    """Return what plans the import of a table, once the project is known."""
    from dataclasses import replace

    from core.errors import InputError, show
    from core.files.importing import Said, plan_import
    from core.files.outputs import suggest_mapping
    from core.files.shapes import suggest_shape
    from core.files.tables import read_table
    from core.verdict import WordMap

    table = read_table(data, str(file), encoding=encoding, separator=separator)
    wanted = set(holds or ["outputs"])
    if other := wanted - {"outputs", "labels", "verdicts"}:
        raise InputError(
            "--holds", f"{show(min(other))} is none.", "Use outputs, labels, verdicts."
        )
    mapping = suggest_mapping(table.columns)
    if "outputs" in wanted:
        table.require(*(n for n, c in (("sample_id", mapping.sample_id), ("output", mapping.output))
                        if c is None))  # fmt: skip
    said: dict[str, Said] = {}
    for part, who, name in (("labels", "reviewer", reviewer), ("verdicts", "judge", judge)):
        if part not in wanted:
            continue
        if not passes:
            raise InputError("--pass", "which words mean PASS is not said.", "Give --pass WORD.")
        shape = suggest_shape(table.columns, who)
        if shape.verdict is None or not shape.sample_id:
            table.require("sample_id" if not shape.sample_id else "verdict")
        said[part] = Said(replace(shape, who_is=name or ""), WordMap.of(passes, fails or None))
    return lambda store, project_id, version: plan_import(
        store, project_id, version, table, labels=said.get("labels"),
        outputs=mapping if "outputs" in wanted else None, verdicts=said.get("verdicts"),
    )  # fmt: skip


def mapping_of(
    spans: Sequence[Span],
    role: str | None,
    draft: list[str] | None,
    evaluator: list[str] | None,
    round_: str | None,
    verdict: list[str] | None,
    evidence: str | None,
    sample: str | None,
    passes: list[str] | None,
    fails: list[str] | None,
    pass_from: list[str] | None,
    cap: str | None,
) -> SpanMapping:
    """Return the guess at the mapping with what was given in its place, and say it."""
    from dataclasses import replace

    from core.files.span_map import suggest_mapping
    from core.verdict import FAIL_WORDS, WordMap
    from core.wording import read_whole

    guess = suggest_mapping(spans)
    changes: dict[str, Any] = {
        "role": role, "drafts": frozenset(draft) if draft else None,
        "judges": frozenset(evaluator) if evaluator else None, "round": round_,
        "verdicts": tuple(verdict) if verdict else None,
        "evidence": evidence,
        "sample": sample,
        "words": WordMap.of(passes, fails or FAIL_WORDS - set(passes)) if passes else None,
        "at_least": _score("score", pass_from[0].rpartition("=")[2]) if pass_from else None,
        "cap": None if cap is None else read_whole("--cap", cap, 1, 1000),
    }  # fmt: skip
    mapping = replace(guess, **{k: v for k, v in changes.items() if v is not None})
    say(f"Role in {mapping.role!r}: drafts {sorted(mapping.drafts)}, verdicts "
        f"{sorted(mapping.judges)}; rounds by {mapping.round or 'time'}; verdict in "
        f"{', '.join(mapping.verdicts)}.")  # fmt: skip
    return mapping
