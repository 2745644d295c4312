"""Run every draft's tests with pytest and record what came.

Run as python -m sample_data.code_with_tests.record. The drafts are written for this sample, so
running them is safe; the product itself never runs code, it takes the recorded results. All drafts
are run by one pytest in a process of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sample_data.writing import load_yaml, write

HERE = Path(__file__).parent
SUITES = ("usual", "edges", "hidden")
_RAISES = """

def raises(error, function, *arguments):
    try:
        function(*arguments)
    except error:
        return True
    return False
"""


def record() -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    """Return, per function, draft and suite, the message of each test; "" is a passed test.

    A draft that cannot be imported fails every test with the message of the import.
    """
    tasks = load_yaml(HERE / "bank.yaml")
    with tempfile.TemporaryDirectory() as folder:
        for task in tasks:
            for draft, code in task["drafts"].items():
                name = f"{task['function']}_{draft}"
                (Path(folder) / f"{name}.py").write_text(code, encoding="utf-8")
                (Path(folder) / f"test_{name}.py").write_text(_tests(task, name), encoding="utf-8")
        (Path(folder) / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        report = Path(folder) / "report.xml"
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-c", f"{folder}/pytest.ini", "--continue-on-collection-errors"),
            *(f"--junitxml={report}", folder),
        ]
        subprocess.run(command, capture_output=True, check=False, timeout=120, cwd=folder)
        said = _read(ElementTree.parse(report).getroot())
    return {
        task["function"]: {
            draft: {
                suite: {
                    test: _message(said, f"test_{task['function']}_{draft}", suite, number)
                    for number, test in enumerate(task[suite])
                }
                for suite in SUITES
            }
            for draft in task["drafts"]
        }
        for task in tasks
    }


def _tests(task: dict[str, Any], name: str) -> str:
    tests = "".join(
        f"\n\ndef test_{suite}_{number}():\n    assert {test}\n"
        for suite in SUITES
        for number, test in enumerate(task[suite])
    )
    return f"from {name} import {task['function']}\n{_RAISES}{tests}"


def _read(root: ElementTree.Element) -> dict[tuple[str, str], str]:
    """Return the first line of what each test said, by module and test; "" is passed."""
    said = {}
    for case in root.iter("testcase"):
        bad = next((child for child in case if child.tag in ("failure", "error")), None)
        message = "" if bad is None else bad.get("message", "").split("\n")[0]
        if bad is not None and bad.tag == "error":
            found = re.search(r"^E\s+(\w*Error: .*)$", bad.text or "", re.MULTILINE)
            message = f"not imported: {found[1] if found else message}"
        said[case.get("classname", ""), case.get("name", "")] = message
    return said


def _message(said: dict[tuple[str, str], str], module: str, suite: str, number: int) -> str:
    broken = said.get(("", module))
    return broken if broken is not None else said[module, f"test_{suite}_{number}"]


def main() -> None:
    """Rewrite `results.json`."""
    text = json.dumps(record(), ensure_ascii=False, indent=1) + "\n"
    write(HERE, {"results.json": text})


if __name__ == "__main__":
    main()
