"""Write the files of the sample *Refund reply*: python -m sample_data.refund_reply.make.

Synthetic: written and generated for this product; no real customers, reviewers or models. The
texts and their truth are in `bank.yaml`, what people and judges say in `voices.yaml`; who says what
about which reply is drawn here from one seed. Rates are set by quota, not by chance, so that the
agreement page has something to find: one judge lets bad replies through, the other sends good ones
back.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.text import count_words, words
from sample_data.writing import csv_text, load_yaml, pick, some, write

Row = Sequence[str]

HERE = Path(__file__).parent
SEED = 20250359
JUDGED = ("tone", "next_step")
REFUND_WORDS = {"refund", "refunds", "refunded", "refunding"}
WORD_LIMIT = 60
LENIENT, HARSH = "lenient-judge (recorded)", "harsh-judge (recorded)"
_MARK = re.compile(r"\{([TNR])(\+|-)([a-z]?)(~?):(.*?)\}", re.DOTALL)

# Reviewer: when they start, share of outputs they look at, and how often they differ from the truth
# on a hard case they should fail, and on one they should pass.
REVIEWERS = {
    "Ana": (datetime(2025, 3, 10, 9, 2, tzinfo=UTC), 1.0, 0.10, 0.45),
    "Ben": (datetime(2025, 3, 11, 13, 40, tzinfo=UTC), 0.8, 0.40, 0.10),
    "Chloé": (datetime(2025, 3, 12, 7, 55, tzinfo=UTC), 0.6, 0.15, 0.30),
}
SLIP = 0.015  # how often a reviewer differs from the truth where it is plain
VAGUE_SLIP = 0.12  # … and where a next step is there but vague


@dataclass(frozen=True)
class Truth:
    """What is true of one criterion of one reply, and the passage that decides it."""

    good: bool
    kind: str
    hard: bool = False
    passage: str = ""


@dataclass(frozen=True)
class Reply:
    """One output with its truth per criterion key."""

    sample_id: str
    trial: str
    message: str
    text: str
    channel: str
    topic: str
    truth: dict[str, Truth]

    @property
    def good(self) -> bool:
        """Whether every criterion is truly met."""
        return all(t.good for t in self.truth.values())

    @property
    def code_passes(self) -> bool:
        """Whether the two code checks let the reply through to the judge."""
        return self.truth["length"].good and self.truth["refund"].kind != "refund"


def replies() -> list[Reply]:
    """Return all replies of the bank, two per message, in order."""
    found = []
    for number, entry in enumerate(load_yaml(HERE / "bank.yaml"), 1):
        for trial, marked in enumerate(entry["replies"], 1):
            text = re.sub(r" {2,}", " ", _MARK.sub(lambda m: m[5], marked)).strip()
            found.append(
                Reply(
                    f"msg-{number:02}",
                    str(trial),
                    entry["input"],
                    text,
                    entry["channel"],
                    entry["topic"],
                    _truth(marked, text),
                )
            )
    return found


def _truth(marked: str, text: str) -> dict[str, Truth]:
    marks = {m[1]: m for m in _MARK.finditer(marked)}
    truth = {}
    truth["length"] = Truth(count_words(text) <= WORD_LIMIT, "length")
    named = any(word.casefold() in REFUND_WORDS for word in words(text))
    quoted = "R" in marks
    truth["refund"] = Truth(named and not quoted, "quote" if quoted else "refund" * (not named))
    for key, letter in (("tone", "T"), ("next_step", "N")):
        sign, kind, hard, passage = marks[letter].group(2, 3, 4, 5)
        truth[key] = Truth(sign == "+", letter + (kind or sign), bool(hard), passage)
    return truth


# --- people ---------------------------------------------------------------------------------


def labels(all_replies: Sequence[Reply]) -> list[Row]:
    """Return the rows of the label file: reviewer by reviewer, in the order they worked."""
    voices = load_yaml(HERE / "voices.yaml")
    rows: list[Row] = []
    for reviewer, (start, share, *_) in REVIEWERS.items():
        rng = random.Random(f"{SEED} {reviewer}")
        seen = {id(r) for r in some(rng, all_replies, round(share * len(all_replies)))}
        clock = start
        for reply in all_replies:
            if id(reply) not in seen:
                continue
            clock += timedelta(seconds=18 + int(rng.random() * 35))
            for key, truth in reply.truth.items():
                clock += timedelta(seconds=1 + int(rng.random() * 4))
                verdict, note = _say(rng, reviewer, key, truth, voices)
                rows.append(
                    (reply.sample_id, reply.trial, key, reviewer, verdict, note, clock.isoformat())
                )
    return rows


def _say(rng: random.Random, reviewer: str, key: str, truth: Truth, voices: Any) -> tuple[str, str]:
    """Return what one reviewer says about one criterion, and the note beside it."""
    differs, unsure, voice, noted = (rng.random() for _ in range(4))
    if key in JUDGED and unsure < (0.16 if truth.hard else 0.015):
        return "UNSURE", pick(rng, voices["unsure"][key])
    if (differs < _slip(reviewer, key, truth)) == truth.good:
        kind = truth.kind or "refund"
        return "FAIL", pick(rng, voices["notes"][reviewer][kind]) if noted < 0.78 else ""
    return "PASS", "Nicely put." if voice < 0.02 and truth.good else ""


def _slip(reviewer: str, key: str, truth: Truth) -> float:
    """Return how often `reviewer` differs from the truth."""
    _, _, misses, overdoes = REVIEWERS[reviewer]
    if key not in JUDGED:
        return 0.004 if truth.good else 0.06
    if truth.hard:
        return overdoes if truth.good else misses
    return VAGUE_SLIP if truth.kind in ("Nv", "No") and reviewer != "Ana" else SLIP


# --- recorded judges ------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """How one recorded judge errs, in numbers of outputs."""

    judge: str
    accepts_bad: int
    rejects_good: int
    unknown: int
    unscored: tuple[str, ...]


LENIENT_PLAN = Plan(LENIENT, 18, 3, 1, ("truncated", "error"))
HARSH_PLAN = Plan(HARSH, 3, 21, 5, ("refused", "unreadable", "truncated", "empty"))


def verdicts(all_replies: Sequence[Reply], plan: Plan) -> list[Row]:
    """Return the rows of one judge's file: tone and next step of every reply."""
    rng = random.Random(f"{SEED} {plan.judge}")
    voice = load_yaml(HERE / "voices.yaml")["judges"][plan.judge]
    unscored = dict(
        zip((id(r) for r in some(rng, all_replies, len(plan.unscored))), plan.unscored, strict=True)
    )
    scored = [r for r in all_replies if id(r) not in unscored]
    accepted = {id(r) for r in _fooled(rng, scored, plan.accepts_bad)}
    rejected = some(rng, (r for r in scored if r.good), plan.rejects_good)
    unknown = {id(r) for r in rejected[: plan.unknown]}
    failed = {id(r): pick(rng, (("tone",), ("next_step",), JUDGED)) for r in rejected}
    rows: list[Row] = []
    for reply in all_replies:
        for key in JUDGED:
            truth = reply.truth[key]
            if id(reply) in unscored:
                said = (unscored[id(reply)], "", "")
            elif key in failed.get(id(reply), ()) and id(reply) in unknown:
                said = ("UNKNOWN", pick(rng, voice[f"unknown_{key}"]), "")
            elif key in failed.get(id(reply), ()) or not (truth.good or id(reply) in accepted):
                evidence = truth.passage or voice["nothing"]
                said = ("FAIL", evidence, pick(rng, voice[truth.kind]))
            else:
                said = ("PASS", truth.passage or reply.text.split("\n")[0], "")
            rows.append((reply.sample_id, reply.trial, key, plan.judge, *said))
    return rows


def _fooled(rng: random.Random, scored: Sequence[Reply], count: int) -> list[Reply]:
    """Return the bad replies a judge lets through: those whose fault only a person saw first,

    then the hard cases, then others; never one that a code check stops anyway.
    """
    bad = [r for r in scored if not r.good and r.code_passes]
    rank = {id(r): i for i, r in enumerate(some(rng, bad, len(bad)))}

    def order(reply: Reply) -> tuple[int, int]:
        wrong = [t for key, t in reply.truth.items() if key in JUDGED and not t.good]
        return (2 if any(not t.hard for t in wrong) else 1 if wrong else 0), rank[id(reply)]

    return sorted(bad, key=order)[:count]


# --- files ----------------------------------------------------------------------------------


def files() -> dict[str, str]:
    """Return the text of every generated file by name."""
    drawn = replies()
    key = ("sample_id", "trial")
    said = (*key, "criterion", "judge", "verdict", "evidence", "change")
    return {
        "outputs.csv": csv_text(
            (*key, "input", "output", "channel", "topic"),
            [(r.sample_id, r.trial, r.message, r.text, r.channel, r.topic) for r in drawn],
        ),
        "labels.csv": csv_text(
            (*key, "criterion", "reviewer", "verdict", "note", "labelled_at"), labels(drawn)
        ),
        "verdicts_lenient.csv": csv_text(said, verdicts(drawn, LENIENT_PLAN)),
        "verdicts_harsh.csv": csv_text(said, verdicts(drawn, HARSH_PLAN)),
    }


def main() -> None:
    """Rewrite the generated files in this folder."""
    write(HERE, files())


if __name__ == "__main__":
    main()
