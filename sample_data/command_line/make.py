"""Write the files that the examples of the command line use, from the sample projects.

Run as `python -m sample_data.command_line.make`; running it again gives the same files byte for byte. Everything
in them is synthetic, as the samples are.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from core.files.contracts import read_contract
from core.files.verdicts import verdict_word
from sample_data.samples import SAMPLES

FILES = Path(__file__).parent
REFUND = SAMPLES["refund_reply"]
CODE = SAMPLES["code_with_tests"]
PEOPLE = {"Ana": "ana", "Ben": "ben", "Chloé": "chloe"}


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, found: list[dict[str, Any]]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


def judged() -> list[tuple[dict[str, str], str, str]]:
    """Every output with each criterion and what code, or the lenient judge, says of it."""
    contract = read_contract(REFUND.contract)
    lenient = next(path for path in REFUND.verdicts if "lenient" in path.name)
    said = {(r["sample_id"], r["trial"], r["criterion"]): r["verdict"] for r in rows(lenient)}
    found = []
    for row in rows(REFUND.outputs):
        for criterion in contract.criteria:
            check = criterion.code_check()
            word = (
                said.get((row["sample_id"], row["trial"], criterion.key), "")
                if check is None
                else verdict_word(check.run(row["output"], None))
            )
            found.append((row, criterion.key, word))
    return found


def labels() -> list[dict[str, Any]]:
    """One row for each output and criterion: each person, what most of them said, the judge."""
    assert REFUND.labels is not None
    said: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows(REFUND.labels):
        where = (row["sample_id"], row["trial"], row["criterion"])
        said.setdefault(where, {})[row["reviewer"]] = row["verdict"]
    found = []
    for row, criterion, word in judged():
        votes = said.get((row["sample_id"], row["trial"], criterion), {})
        count = Counter(vote for vote in votes.values() if vote in ("PASS", "FAIL"))
        most = "" if count["PASS"] == count["FAIL"] else max(count, key=lambda vote: count[vote])
        found.append(
            {
                "output": f"{row['sample_id']}/{row['trial']}",
                "sample": row["sample_id"],
                "criterion": criterion,
                **{column: votes.get(person, "") for person, column in PEOPLE.items()},
                "human": most,
                "judge": word,
            }
        )
    return found


def drafts() -> list[dict[str, Any]]:
    """Two arms over twelve tasks, drawn so that failed tasks are harder ones."""
    found = []
    loop = ["1", "1", "01", "01", "001", "000", "1", "01", "01", "001", "1", "000"]
    retry = ["1", "1", "01", "001", "000", "000", "1", "01", "000", "000", "1", "001"]
    for task, (looped, retried) in enumerate(zip(loop, retry, strict=True), 1):
        for arm, drawn in (("loop", looped), ("retry", retried)):
            for number, passed in enumerate(drawn, 1):
                found.append(
                    {"task": f"t{task:02d}", "arm": arm, "round": number, "passed": passed}
                )
    return found


def draws() -> list[dict[str, Any]]:
    """Four independent draws for each of twelve tasks, some easy, some hard."""
    drawn = ["1111", "1101", "0100", "0010", "0000", "1111", "1011", "0001", "0000", "0110", "1111", "0000"]  # fmt: skip
    return [
        {"task": f"t{task:02d}", "draw": number, "passed": passed}
        for task, passes in enumerate(drawn, 1)
        for number, passed in enumerate(passes, 1)
    ]


def samples() -> list[dict[str, Any]]:
    """The first eight messages of the refund sample, without replies."""
    seen: dict[str, str] = {}
    for row in rows(REFUND.outputs):
        seen.setdefault(row["sample_id"], row["input"])
    return [{"sample_id": key, "input": text} for key, text in list(seen.items())[:8]]


def results() -> dict[str, Any]:
    """Results as promptfoo writes them: six replies, two assertions each."""
    found = []
    for number, row in enumerate(rows(REFUND.outputs)[:6]):
        short, refund = len(row["output"].split()) <= 50, "refund" in row["output"].lower()
        parts = [
            {
                "pass": passed,
                "score": int(passed),
                "reason": reason,
                "assertion": {"type": kind, "value": value},
            }
            for passed, kind, value, reason in (
                (short, "javascript", "output.split(' ').length <= 50", "counted in words"),
                (refund, "icontains", "refund", "looked for the word"),
            )
        ]
        found.append(
            {
                "testIdx": number,
                "promptIdx": 0,
                "vars": {"message": row["input"]},
                "provider": {"id": "scripted:writer"},
                "prompt": {"raw": row["input"], "label": "Reply to {{message}}"},
                "response": {"output": row["output"]},
                "success": short and refund,
                "gradingResult": {"pass": short and refund, "componentResults": parts},
            }
        )
    return {"evalId": "example", "results": {"version": 3, "results": found}}


def main(folder: Path = FILES) -> None:
    """Write every file into `folder`."""
    assert CODE.traces is not None
    folder.mkdir(exist_ok=True)
    shutil.copyfile(REFUND.contract, folder / "contract.yaml")
    write(folder / "outputs.csv", list(rows(REFUND.outputs)[:24]))
    write(folder / "samples.csv", samples())
    write(folder / "labels.csv", labels())
    write(folder / "drafts.csv", drafts())
    write(folder / "draws.csv", draws())
    text = json.dumps(results(), ensure_ascii=False, indent=1) + "\n"
    (folder / "results.json").write_text(text, encoding="utf-8")
    shutil.copyfile(CODE.traces, folder / "traces.jsonl")


if __name__ == "__main__":
    main()
