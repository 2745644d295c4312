"""Checks on outputs that are Python code: parsed, never run, nothing imported."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from core.checks.kind import Ask, CannotExamine, Found, Kind, Parameter, listed, place, stopped
from core.checks.parsed import unfenced
from core.errors import InputError, show
from core.verdict import CriterionVerdict, Unscored, no_verdict

MAX_CODE = 250_000
_VERSION = re.compile(r"3\.([0-9]{1,2})")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OLDEST = 7
_FENCE_RULE = (
    "An output that is one Markdown code fence and nothing else is read as the code inside;"
    " text around the fence is not code and does not parse."
)


class _DoesNotParse(CannotExamine):
    """The output is no Python code."""


def _tree(output: str, version: tuple[int, int] | None = None) -> tuple[ast.Module, str]:
    """Return (syntax tree, note for evidence); raises _DoesNotParse or CannotExamine."""
    code, fenced = unfenced(output)
    note = " of the code in the fence" if fenced else ""
    if len(code) > MAX_CODE:
        raise stopped(f"{len(code):,} characters of code, limit {MAX_CODE:,}", "Give less code.")
    if not code.strip():
        raise _DoesNotParse("there is no code", "Write the code.")
    try:
        # A tuple, because 3.7 is no float.
        return ast.parse(code, feature_version=version), note
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise _DoesNotParse(
            f"does not parse{line}{note}: {_cut(error.msg)}", "Correct the syntax there."
        ) from None
    except (RecursionError, MemoryError):
        raise CannotExamine(
            "does not parse: too deeply nested, or not code at all", "Write plainer code."
        ) from None
    except ValueError:
        # NUL or half a character (lone surrogate): which of the two depends on the interpreter.
        raise _DoesNotParse(
            "does not parse: it holds a character that no Python file can hold",
            "Remove control characters.",
        ) from None


def _cut(message: str) -> str:
    return show(message, 160)[1:-1]


def _python_parses(given: Mapping[str, Any]) -> Ask:
    version: tuple[int, int] | None = None
    if "version" in given:
        match = _VERSION.fullmatch(given["version"])
        if match is None or int(match[1]) < _OLDEST:
            raise InputError(
                place("python_parses", "version"), f"{show(given['version'])} will not do.",
                f'Give "3.{_OLDEST}" or later, in quotes.',
            )  # fmt: skip
        version = (3, int(match[1]))
    here = sys.version_info[:2]
    newer = version is not None and version > here
    name = "Python" if version is None else f"Python {version[0]}.{version[1]}"

    def ask(output: str, reference: str | None) -> Found | CriterionVerdict:
        try:
            _, note = _tree(output, None if newer else version)
        except _DoesNotParse as error:
            if newer:
                # Newer grammar may allow what this one refuses; nobody here can tell.
                return no_verdict(
                    Unscored.ERROR,
                    f"{name} is newer than the {here[0]}.{here[1]} here, which does not parse it",
                )
            as_version = f" ({name})" if version else ""
            return Found(False, f"{error.evidence}{as_version}", error.change)
        lines = output.count("\n") + 1
        evidence = f"parses as {name}{note and ' (the code in the fence)'}, lines: {lines}"
        return Found(True, evidence, "", f"Write something that is not {name}.")

    return ask


def _imports(tree: ast.Module) -> Iterator[tuple[str | None, int]]:
    """Yield (module, line) of each import; None for one whose name is computed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                # "from os import path" imports os.path if that is a module, os in any case.
                glue = "" if module.endswith(".") else "."
                yield module if alias.name == "*" else module + glue + alias.name, node.lineno
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in ("__import__", "import_module"):
                first = node.args[0] if node.args else None
                fixed = isinstance(first, ast.Constant) and isinstance(first.value, str)
                yield first.value if fixed else None, node.lineno  # type: ignore[union-attr]


def _python_imports(given: Mapping[str, Any]) -> Ask:
    modules: list[str] = given["texts"]
    only: bool = given.get("only", False)
    for module in modules:
        if not _MODULE.fullmatch(module):
            raise InputError(place("python_imports", "texts"), f"{show(module)} is no module name.",
                             "Write it like json or os.path.")  # fmt: skip
    names = listed(modules)

    def named(module: str) -> bool:
        return any(module == name or module.startswith(f"{name}.") for name in modules)

    def ask(output: str, reference: str | None) -> Found:
        tree, note = _tree(output)
        hits: list[str] = []
        others: list[str] = []
        computed = 0
        for module, line in _imports(tree):
            if module is None:
                computed = computed or line
            elif named(module):
                hits.append(f"{module} in line {line}")
            elif not module.startswith("."):
                others.append(f"{module} in line {line}")
        if computed and (only or not hits):
            raise CannotExamine(
                f"line {computed}{note} imports a module whose name is computed",
                "Import by name.",
            )
        if only:
            if others:
                return Found(False, f"imports {listed(_head(others))}{note}",
                             f"Import nothing but {names}.")  # fmt: skip
            return Found(True, f"imports nothing but {names}", "", "Import something else.")
        if hits:
            return Found(True, f"imports {listed(_head(hits))}{note}", "",
                         f"Do without {names}.")  # fmt: skip
        return Found(False, f"does not import {names}", f"Import {names}.")

    return ask


def _head(items: list[str]) -> list[str]:
    return items if len(items) <= 50 else [*items[:50], f"{len(items) - 50:,} more"]


KINDS = (
    Kind(
        "python_parses", "Parses as Python",
        f"Parsed by this program's own Python, never run. {_FENCE_RULE} A version newer than it"
        " gets a verdict only when the code parses here.",
        (Parameter("version", "text", "Version", 'In quotes, such as "3.9"; else the one here.',
                   required=False),),
        _python_parses, negatable=True, reads_field=True,
    ),
    Kind(
        "python_imports", "Imports certain modules",
        "Passes when the code imports at least one of the modules (with not: none of them), or"
        " with only: nothing else. Read from the text, never run; a literal __import__ counts. "
        + _FENCE_RULE,
        (
            Parameter("texts", "texts", "Modules", "Such as requests; covers its submodules."),
            Parameter("only", "flag", "Nothing else", "Refuse every other module.",
                      required=False),
        ),
        _python_imports, negatable=True, reads_field=True,
    ),
)  # fmt: skip
