"""The checks on Python code: parsed, never run."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import pytest

from core.checks.registry import build
from core.errors import InputError
from core.verdict import CriterionVerdict, Unscored, Verdict

PASS, FAIL = Verdict.PASS, Verdict.FAIL
DESTRUCTIVE = 'def total(x):\n    return sum(x)\n__import__("os").environ.clear()'


def run(kind: str, output: str, **parameters: Any) -> CriterionVerdict:
    return build({"kind": kind, **parameters}).run(output)


def test_code_is_parsed_and_nothing_is_run() -> None:
    before = dict(os.environ)
    assert before
    modules = set(sys.modules)
    assert run("python_parses", DESTRUCTIVE).verdict is PASS
    assert run("python_imports", DESTRUCTIVE + "\nimport antigravity", texts=["os"]).verdict is PASS
    assert dict(os.environ) == before
    assert "antigravity" not in set(sys.modules) - modules


@pytest.mark.parametrize(
    ("output", "verdict", "evidence"),
    [
        ("def total(x): return sum(x)", PASS, "parses as Python, lines: 1"),
        (
            "```python\ndef total(x): return sum(x)\n```",
            PASS,
            "parses as Python (the code in the fence), lines: 3",
        ),
        ("def total(x) return x", FAIL, "does not parse, line 1: expected ':'"),
        (
            "```\nx = 1\ndef f(:\n```",
            FAIL,
            "does not parse, line 2 of the code in the fence: invalid syntax",
        ),
        ("", FAIL, "there is no code"),
        ("```\n```", FAIL, "there is no code"),
        ("-" * 200_000 + "1", FAIL, "does not parse: too deeply nested, or not code at all"),
        ("x" * 250_001, FAIL, "check stopped: 250,001 characters of code, limit 250,000"),
    ],
)
def test_python_parses(output: str, verdict: Verdict, evidence: str) -> None:
    got = run("python_parses", output)
    assert (got.verdict, got.evidence) == (verdict, evidence)


@pytest.mark.parametrize(
    "output",
    ["Here is the code:\n```python\nx = 1\n```", "x\0", "x = '\ud800'", "f(" * 5_000, "(" * 90,
     "if x:\n" * 200, "  x = 1", "hello there my friend " * 2_000, "a b " * 2_000,
     "f'{" * 500, "\t if x:\n  y"],
)  # fmt: skip
def test_what_is_no_code_fails_and_nothing_breaks(output: str) -> None:
    started = time.process_time()
    for kind, parameters in (("python_parses", {}), ("python_imports", {"texts": ["os"]})):
        got = run(kind, output, **parameters)
        assert got.verdict is FAIL
        assert got.evidence and got.change
    assert run("python_imports", output, texts=["os"], **{"not": True}).verdict is FAIL
    assert time.process_time() - started < 5


def test_deep_code_passes_no_import_rule_either_way() -> None:
    for negated in (False, True):
        got = run("python_imports", "-" * 200_000 + "1", texts=["os"], **{"not": negated})
        assert got.verdict is FAIL


def test_what_must_not_be_python() -> None:
    code = run("python_parses", "x = 1", **{"not": True})
    assert (code.verdict, code.evidence, code.change) == (
        FAIL, "parses as Python, lines: 1", "Write something that is not Python.",
    )  # fmt: skip
    prose = run("python_parses", "Sorry, I cannot.", **{"not": True})
    assert (prose.verdict, prose.evidence) == (PASS, "does not parse, line 1: invalid syntax")


def test_a_version_rules_out_newer_syntax() -> None:
    match = "match x:\n    case 1: pass"
    assert run("python_parses", match, version="3.9").verdict is FAIL
    assert "3.9" in run("python_parses", match, version="3.9").evidence
    assert run("python_parses", match, version="3.10").verdict is PASS
    assert run("python_parses", "(x := 1)", version="3.7").verdict is FAIL


def test_a_version_newer_than_this_python_fails_nothing_it_cannot_judge() -> None:
    assert run("python_parses", "x = 1", version="3.99").verdict is PASS
    got = run("python_parses", "some new syntax", version="3.99")
    assert got.unscored is Unscored.ERROR
    assert "3.99 is newer" in got.evidence


@pytest.mark.parametrize("version", [3.9, 3, "3", "2.7", "3.6", "3.9.1", "three", "3.999"])
def test_a_version_that_will_not_do_is_refused(version: object) -> None:
    with pytest.raises(InputError, match=r"python_parses, version.*quotes"):
        build({"kind": "python_parses", "version": version})


@pytest.mark.parametrize(
    ("code", "modules", "found"),
    [
        ("import os", ["os"], True),
        ("import os.path as p", ["os"], True),
        ("import os", ["os.path"], False),
        ("from os import path", ["os.path"], True),
        ("from os.path import join", ["os"], True),
        ("from os import *", ["os"], True),
        ("import osmium", ["os"], False),
        ("from . import os", ["os"], False),
        ("def f():\n    import json", ["re", "json"], True),
        ("import importlib\nimportlib.import_module('os')", ["os"], True),
        ("__import__('os')", ["os"], True),
        ("'import os'", ["os"], False),
        ("# import os\nx = 1", ["os"], False),
        ("```python\nimport os\n```", ["os"], True),
    ],
)
def test_python_imports(code: str, modules: list[str], found: bool) -> None:
    expected, opposite = (PASS, FAIL) if found else (FAIL, PASS)
    assert run("python_imports", code, texts=modules).verdict is expected
    assert run("python_imports", code, texts=modules, **{"not": True}).verdict is opposite


def test_imports_are_named_with_their_lines() -> None:
    got = run("python_imports", "import re\n\nimport os, os.path", texts=["os"], **{"not": True})
    assert got.evidence == "imports os in line 3 and os.path in line 3"
    assert got.change == "Do without os."


def test_a_computed_import_proves_nothing() -> None:
    for parameters in ({"not": True}, {"not": False}, {"only": True}):
        got = run("python_imports", "__import__('o' + 's')", texts=["os"], **parameters)
        assert got.verdict is FAIL
        assert "computed" in got.evidence


def test_only_refuses_every_other_module() -> None:
    code = "import json\nfrom json.decoder import JSONDecodeError\nfrom . import mine"
    assert run("python_imports", code, texts=["json"], only=True).verdict is PASS
    got = run("python_imports", code + "\nimport re", texts=["json"], only=True)
    assert (got.verdict, got.evidence) == (FAIL, "imports re in line 4")
    assert run("python_imports", "x = 1", texts=["json"], only=True).verdict is PASS


@pytest.mark.parametrize("module", ["os path", "os.", "1a", "a-b", ".os"])
def test_a_module_name_that_is_none_is_refused(module: str) -> None:
    with pytest.raises(InputError, match="no module name"):
        build({"kind": "python_imports", "texts": [module]})
