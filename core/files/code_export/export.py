"""A contract as code to take home: one file that runs its loop, and a small test file for it.

`sdk` is a plain loop over the anthropic SDK, `langgraph` the same functions as a graph. Both hold
the contract's criteria, gate and stop rule, make the calls this program makes, in its order and
with its prompts, and say in words what they cannot decide. The same contract gives the same files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.contract.contract import Contract, Keep, Threshold
from core.contract.criterion import CheckedBy, Criterion
from core.contract.ladder import EvaluatorType
from core.errors import InputError, show
from core.files.code_export.criteria import Inlined, criteria_values, fraction, inlined
from core.files.code_export.literals import (
    Many,
    Text,
    Value,
    comment,
    pieces,
    quoted,
    rendered,
)
from core.files.code_export.own_tests import tests_of
from core.files.code_export.pieces import filled, gathered, import_block
from core.judging.prompt import DEFAULT_INSTRUCTIONS as JUDGE_INSTRUCTIONS
from core.judging.prompt import MAX_TOKENS as JUDGE_MAX_TOKENS
from core.loop.generator import DEFAULT_INSTRUCTIONS as WRITER_INSTRUCTIONS
from core.loop.generator import FIX
from core.loop.generator import MAX_TOKENS as WRITER_MAX_TOKENS
from core.loop.trace import uses_judge
from core.providers.prices import load_models

TARGETS = {"sdk": "loop", "langgraph": "graph"}
"""What a contract can be exported to as code, with the end of the files' names."""


@dataclass(frozen=True)
class CodeExport:
    """The files: `name` and `text` of the module, `test_name` and `test_text` of its tests.

    `notes` are lines for people: what has to be installed, what the file cannot decide by itself
    and what to do about it.
    """

    name: str
    text: str
    test_name: str
    test_text: str
    notes: tuple[str, ...]


def export_code(contract: Contract, to: str) -> CodeExport:
    """Return the files for `to`, one of `TARGETS`; raises InputError for anything else."""
    if to not in TARGETS:
        raise InputError("--to", f"{show(to)} is no code.", f"Choose one of {', '.join(TARGETS)}.")
    made = _Maker(contract, to)
    module = f"{_slug(contract.title)}_{TARGETS[to]}"
    return CodeExport(
        f"{module}.py",
        made.module(module),
        f"test_{module}.py",
        tests_of(contract, module, made.flags, made.how),
        made.notes(),
    )


def _slug(title: str) -> str:
    words = re.findall("[a-z0-9]+", re.sub(r"\([^)]*\)", "", title).lower())
    name = "_".join(words)[:40].strip("_")
    return name if name and not name[0].isdigit() else f"contract_{name}".strip("_")


class _Maker:
    """Puts one file together."""

    def __init__(self, contract: Contract, to: str) -> None:
        self.contract = contract
        self.to = to
        self.how: dict[str, Inlined] = {
            c.key: inlined(c) for c in contract.criteria if c.checked_by is not CheckedBy.JUDGE
        }
        self.flags = frozenset(name for name, set_ in self._flags().items() if set_)

    def _flags(self) -> dict[str, bool]:
        contract, how = self.contract, list(self.how.values())
        by = {c.checked_by for c in contract.criteria}
        budget = contract.stop.budget
        judge, code = uses_judge(contract), CheckedBy.CODE in by
        skips = judge and code and not contract.judge_when_code_fails
        reference = judge and contract.receives_reference
        sees = any(h.sees_reference for h in how)
        kinds = {h.piece for h in how}
        outside_code = any(h.outside for c, h in self._ways() if c.checked_by is CheckedBy.CODE)
        outside = outside_code or CheckedBy.PERSON in by
        weighted = isinstance(contract.acceptance, Threshold)
        return {
            "code": code, "judge": judge, "person": CheckedBy.PERSON in by, "skips": skips,
            "checks": any(h.value is not None for h in how),
            "only_checks": not judge and not outside,
            "hopeless": skips or CheckedBy.PERSON in by,
            "outside": outside, "outside_code": outside_code,
            "reference": reference, "sees_reference": sees, "any_reference": reference or sees,
            "no_verdict": outside or sees or "python_parses" in kinds,
            "negated": any(h.negated for h in how if h.value is not None),
            "cannot_examine": any(h.cannot_examine for h in how if h.value is not None),
            "schema_patterns": any(h.schema_pattern for h in how),
            "unspaced_phrases": any(h.unspaced for h in how),
            "weighted": weighted, "fractions": weighted,
            "budget": budget != type(budget)(), "budget_calls": budget.calls is not None,
            "budget_tokens": budget.tokens is not None,
            "budget_seconds": budget.seconds is not None, "usd": budget.usd is not None,
            "keep_last": contract.stop.keep is Keep.LAST, "graph": self.to == "langgraph",
        }  # fmt: skip

    def _ways(self) -> list[tuple[Criterion, Inlined]]:
        by_key = self.contract.by_key
        return [(by_key[key], how) for key, how in self.how.items()]

    # --- what is said about it --------------------------------------------------------------

    def libraries(self) -> list[str]:
        graph = ["langgraph"] if self.to == "langgraph" else []
        return ["anthropic", *graph, *sorted({h.library for h in self.how.values() if h.library})]

    def notes(self) -> tuple[str, ...]:
        notes = [f"It needs: pip install {' '.join(self.libraries())}"]
        notes += self.open_ends()
        if self.contract.evaluator.type is EvaluatorType.SELF_REVIEW:
            notes.append(
                "The contract names self-review; the exported judge is a call of its own with a "
                "fresh context, which is the least that is worth running."
            )
        return tuple(notes)

    def open_ends(self) -> list[str]:
        """Return a line for each criterion that the file cannot decide by itself."""
        return [
            f"Criterion {criterion.key!r} is decided by {how.outside}: pass decide=, a function "
            "(criterion, input, draft) -> Verdict; without it the loop ends with EVALUATOR_ERROR."
            for criterion, how in self._ways()
            if how.outside
        ]

    # --- the file ---------------------------------------------------------------------------

    def module(self, name: str) -> str:
        flags = self.flags
        checks = ["types"]
        for how in self.how.values():
            if how.value is not None:
                checks += ["in_field"] * how.in_field + [how.piece]
        groups: list[tuple[str, list[str]]] = [
            ("Checks by code", checks[1:] + (["run_checks"] if "checks" in flags else [])),
            ("Calls", ["calls"]),
            ("The writer", ["writer"]),
            ("The judge", ["judge"] if "judge" in flags else []),
            ("Verdicts from outside", ["decided_outside"] if "outside" in flags else []),
            ("The evaluator", ["evaluate"]),
            ("The stop rule", ["rounds", "result", "last_attempt"]),
            ("The graph", ["graph"]) if self.to == "langgraph" else ("The loop", ["refine"]),
            ("", ["main"]),
        ]
        types = gathered(["types"], flags)["types"]
        tokens = self._tokens()
        seen = {"types": types}
        body: list[str] = []
        for title, names in groups:
            new = {k: v for k, v in gathered(names, flags).items() if k not in seen}
            seen |= new
            texts = [filled(p.text, tokens) for p in new.values() if p.text]
            if texts:
                body += [f"# --- {title} ---"] * bool(title) + texts
        contract = self._contract(filled(types.text, tokens))
        imports = [line for p in seen.values() for line in p.imports]
        if any('Decimal("' in line for line in contract):
            imports.append("from decimal import Decimal")
        parts = [self._docstring(name), import_block(imports), *contract, *body]
        return _spaced(parts)

    def _docstring(self, name: str) -> str:
        title = " ".join(self.contract.title.split())
        plain = title.isprintable() and '"' not in title and "\\" not in title and len(title) <= 60
        what = title if title and plain else "An evaluator–optimizer loop"
        lines = [
            f'"""{what}: drafts are written, evaluated and revised until one is accepted.',
            "",
            f"    from {name} import refine",
            "",
            '    ended = refine("the task input")',
            "    print(ended.exit, ended.accepted, ended.draft)",
            "",
            f"Needs: pip install {' '.join(self.libraries())}",
            "The SDK takes the key from the environment (ANTHROPIC_API_KEY).",
            f"Exported by Evaluator Bench from contract {self.contract.content_hash[:12]}.",
            '"""',
        ]
        return "\n".join(lines)

    def _contract(self, types: str) -> list[str]:
        contract, flags = self.contract, self.flags
        writer, judge = _models(contract)
        told: list[str] = []
        if contract.does_not_examine.strip():
            told += comment(f"Not examined: {contract.does_not_examine}")
        for line in self.open_ends():
            told += comment(line)
        lines = [f"WRITER_MODEL = {quoted(writer)}", f"WRITER_MAX_TOKENS = {WRITER_MAX_TOKENS}"]
        if "judge" in flags:
            lines += [f"JUDGE_MODEL = {quoted(judge)}", f"JUDGE_MAX_TOKENS = {JUDGE_MAX_TOKENS}"]
        if "usd" in flags:
            lines += self._prices([writer, judge] if "judge" in flags else [writer])
        stop = contract.stop
        rule = [
            f"CAP = {stop.cap}  # drafts at most",
            f"WINDOW = {stop.window}  # drafts in a row without a higher score",
        ]
        if "budget" in flags:
            rule.append("# Ceilings for one task; a round starts only if it still fits.")
        if stop.budget.calls is not None:
            rule.append(f"BUDGET_CALLS = {stop.budget.calls}")
            rule.append(f"CALLS_PER_ROUND = {2 if 'judge' in flags else 1}")
        if stop.budget.tokens is not None:
            rule.append(f"BUDGET_TOKENS = {stop.budget.tokens}")
        if stop.budget.seconds is not None:
            rule.append(f"BUDGET_SECONDS = {stop.budget.seconds!r}")
        if stop.budget.usd is not None:
            rule.append(f'BUDGET_USD = Decimal("{stop.budget.usd}")')
        if stop.on_failure.strip():
            rule += rendered(Text(stop.on_failure), before="ON_FAILURE = ")
        task = rendered(Text(contract.task), before="TASK = ")
        rows = [("", value) for value in criteria_values(contract, self.how)]
        criteria = rendered(
            Many("(", rows, ")", collection=True, exploded=True), before="CRITERIA = "
        )
        after = ['JUDGED = tuple(c for c in CRITERIA if c.checked_by == "judge")']
        if isinstance(contract.acceptance, Threshold):
            after.append(f"NEEDED = {fraction(contract.acceptance.minimum)}")
        else:
            after.append("NEEDED = len(CRITERIA)")
        shown = after if "judge" in flags else after[1:]
        return [
            "# --- The contract ---",
            "\n".join([*told, *([""] if told else []), *lines, *rule, *task]),
            types,
            "\n".join([*criteria, *shown]),
        ]

    def _prices(self, models: list[str]) -> list[str]:
        """Return the table of prices: input, output, cache written, cache read."""
        known = load_models()
        rows: list[tuple[str, Value]] = []
        for model in dict.fromkeys(models):
            info = known[model]
            each = (info.input, info.output, info.cache_write, info.cache_read)
            prices = [("", f'Decimal("{price or 0}")') for price in each]
            rows.append((f"{quoted(model)}: ", Many("(", prices, ")", collection=True)))
        table = Many("{", rows, "}", collection=True, exploded=True)
        return [
            "# US dollars for a million tokens: input, output, written to and read from the cache.",
            *rendered(table, before="USD_PER_MILLION = "),
        ]

    def _tokens(self) -> Mapping[str, str]:
        flags, weighted = self.flags, "weighted" in self.flags
        by = {"code": "code", "judge": "judge", "person": "person"}
        words = [f'"{word}"' for flag, word in by.items() if flag in flags]
        checked = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        reference = ", reference" if "any_reference" in flags else ""
        decide = ", decide" if "outside" in flags else ""
        return {
            "CHECKED_BY": checked,
            "SEES_REFERENCE": " (and the reference, where it `sees_reference`)"
            if "sees_reference" in flags else "",
            "NEGATED_DOC": "; where `negated`, that must not hold" if "negated" in flags else "",
            "NUMBER": "Fraction" if weighted else "int",
            "SUM_SCORE": "sum((c.weight for c in CRITERIA if passes(verdicts, c)), Fraction(0))"
            if weighted else "sum(passes(verdicts, criterion) for criterion in CRITERIA)",
            "SUM_OPEN": "sum((c.weight for c in CRITERIA if c.key not in verdicts), Fraction(0))"
            if weighted else "sum(criterion.key not in verdicts for criterion in CRITERIA)",
            "SCORE": "weight of the criteria that pass" if weighted
            else "number of criteria that pass",
            "RULE": "the criteria that pass weigh enough" if weighted else "every criterion passes",
            "KEEP": "last one judged" if "keep_last" in flags else "best one judged",
            "HAND_OVER": "; hand over to {ON_FAILURE}"
            if self.contract.stop.on_failure.strip() else "",
            "SEEN": "*seen" if "sees_reference" in flags else "draft",
            "REF": reference,
            "DECIDE": decide,
            "JUDGE_REF": ", reference" if "reference" in flags else "",
            "CHECK_REF": ", reference" if "sees_reference" in flags else "",
            "STATE_REF": ', state["reference"]' if "any_reference" in flags else "",
            "LAST_STATE_REF": ', state["reference"]' if "reference" in flags else "",
            "WRITER_SYSTEM": _block(WRITER_INSTRUCTIONS),
            "JUDGE_SYSTEM": _block(JUDGE_INSTRUCTIONS.text),
            "FIX": _block(FIX),
        }  # fmt: skip


def _models(contract: Contract) -> tuple[str, str]:
    """Return the ids of a writer and of a judge of its class or above."""
    models = [m for m in load_models().values() if m.level is not None]
    ranked = sorted(models, key=lambda m: m.level or 0)
    writer = next(m for m in ranked if (m.level or 0) >= 2)
    if contract.evaluator.type is EvaluatorType.RUBRIC_SAME_MODEL:
        return writer.id, writer.id
    return writer.id, next(m.id for m in ranked if (m.level or 0) > (writer.level or 0))


def _block(text: str) -> str:
    return "\n".join(f"    {piece}" for piece in pieces(text))


def _spaced(parts: list[str]) -> str:
    """Return the parts under each other, with the blank lines a formatter would leave."""
    text = ""
    for part in parts:
        heading = text.rsplit("\n", 1)[-1].startswith("# --- ")
        definition = part.startswith(("class ", "def ", "@"))
        imports = text.rsplit("\n", 1)[-1].startswith(("import ", "from "))
        near = text.endswith('"""') or imports or (heading and not definition)
        text += ("\n" * (2 if near else 3) if text else "") + part
    return text + "\n"
