"""What the scripts that write sample files share: tables, traces, and reproducible choices."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from core.contract.contract import Contract, score
from core.text import fingerprint
from core.verdict import CriterionVerdict

T = TypeVar("T")


def pick(rng: random.Random, options: Sequence[T]) -> T:
    """Return one of `options`.

    Only random() is promised to give the same numbers in every Python version; choice() and
    shuffle() are not, hence this and `some`.
    """
    return options[int(rng.random() * len(options))]


def some(rng: random.Random, items: Iterable[T], count: int) -> list[T]:
    """Return `count` different items in random order (fewer if there are fewer)."""
    ranked = sorted(((rng.random(), i, item) for i, item in enumerate(items)), key=lambda r: r[:2])
    return [item for _, _, item in ranked[:count]]


def load_yaml(path: Path) -> Any:
    """Return what a YAML file holds."""
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table as CSV text with \n line ends."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def jsonl_text(lines: Iterable[Mapping[str, Any]]) -> str:
    """Return one JSON document a line."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files into `folder`, byte for byte the same on every system."""
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("utf-8"))


# --- traces ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draft:
    """One draft with its verdicts and whether it is truly good."""

    text: str
    verdicts: Mapping[str, CriterionVerdict]
    good: bool


def trace(
    contract: Contract, arm: str, sample_id: str, task: str, drafts: Sequence[Draft]
) -> dict[str, Any]:
    """Return one trace in the native format, its contract named by hash.

    `drafts` has one draft a round, all of them used. Tokens are a quarter of the characters and
    prices invented (1 and 5 dollars a million, in and out): nobody was called.
    """
    rounds: list[dict[str, Any]] = []
    feedback = ""
    for number, draft in enumerate(drafts, 1):
        mark = fingerprint(draft.text)
        prompt = len(task) + len(contract.task) + (len(feedback) and len(feedback + draft.text))
        tokens_in, tokens_out = prompt // 4 + 200, len(draft.text) // 4
        rounds.append(
            {
                "round": number,
                "draft": draft.text,
                "fingerprint": mark,
                "verdicts": {
                    key: {
                        "evidence": said.evidence,
                        "verdict": str(said.verdict),
                        "change": said.change,
                        "checked_by": str(contract.criterion(key).checked_by),
                    }
                    for key, said in draft.verdicts.items()
                },
                "unscored": None,
                "score": int(score(contract, draft.verdicts)),
                "feedback": feedback,
                "generate_calls": 1,
                "judge_calls": 0,
                "reused": arm == "loop" and any(r["fingerprint"] == mark for r in rounds),
                "tokens_in": tokens_in,
                "tokens_out": tokens_out,
                "tokens_cached": 0,
                "seconds": round(0.4 + tokens_out / 80, 2),
                "usd": round((tokens_in + 5 * tokens_out) / 1e6, 6),
                "gold": "PASS" if draft.good else "FAIL",
            }
        )
        if arm == "loop":
            feedback = "\n".join(
                f"- {key}: {said.evidence}\n  {said.change}".rstrip()
                for key, said in draft.verdicts.items()
                if not (said.verdict and said.verdict.accepts)
            )
    leads_to = _exit(contract, arm, rounds)
    best = max(rounds, key=lambda r: (r["score"], -r["round"]))
    return {
        "trace_id": f"{sample_id}-{arm}",
        "arm": arm,
        "sample_id": sample_id,
        "trial": "1",
        "input": task,
        "contract": contract.content_hash,
        "stop": contract.to_data()["stop"],
        "rounds": rounds,
        "exit": leads_to,
        "returned_round": rounds[-1]["round"] if leads_to == "PASS" else best["round"],
    }


def _exit(contract: Contract, arm: str, rounds: Sequence[Mapping[str, Any]]) -> str:
    """Return how rounds like these end: passed, repeated, stale, or out of rounds."""
    last = rounds[-1]
    if last["score"] == len(contract.criteria):
        return "PASS"
    if last["reused"]:
        return "NO_CHANGE" if rounds[-2]["fingerprint"] == last["fingerprint"] else "CYCLE"
    before = [r["score"] for r in rounds[:-1]]
    if arm == "loop" and before and last["score"] <= max(before):
        return "PLATEAU"
    assert len(rounds) == contract.stop.cap, f"{len(rounds)} rounds and no reason to stop"
    return "CAP"
