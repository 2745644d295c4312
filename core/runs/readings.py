"""What a judge said, output by output, for people to read: only what it said of what stands now.

A verdict shown here was given by this judge (model, parameters, instructions) for this wording of
the criterion and this input, reference and output. Change one of them and there is none, until the
judge is asked again: old verdicts never stand under a new name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.judging.prompt import judged_criteria, request_hash, requests_for
from core.judging.quotes import unfounded_quotes
from core.judging.reply import ReadReply, read_reply
from core.runs.setup import JudgeSetup
from core.store.contracts import Version
from core.store.judged import repeats_of
from core.store.ledger import paid_replies
from core.store.outputs import StoredOutput, load_outputs
from core.store.store import Store
from core.verdict import CriterionVerdict, Unscored, Verdict

CHUNK = 500


@dataclass(frozen=True)
class Said:
    """What one judge said of one output: verdicts by criterion key, each time it was asked.

    `unfounded` are quotations in the newest evidence, per criterion, that do not stand in the
    output. `repaired` says what was done to its replies to read them.
    """

    output_id: int
    sample_id: str
    trial: int
    repeats: Mapping[int, Mapping[str, CriterionVerdict]]
    unfounded: Mapping[str, tuple[str, ...]]
    repaired: tuple[str, ...] = ()

    @property
    def newest(self) -> Mapping[str, CriterionVerdict]:
        """The verdicts of the last repeat."""
        return self.repeats[max(self.repeats)]

    @property
    def flipped(self) -> tuple[str, ...]:
        """The criteria that got PASS in one repeat and not in another, repeats without verdict apart."""
        found = []
        for key in self.newest:
            runs = [by[key].verdict for by in self.repeats.values() if key in by]
            if len({v is Verdict.PASS for v in runs if v is not None}) > 1:
                found.append(key)
        return tuple(found)

    @property
    def unscored(self) -> Unscored | None:
        """The reason why there is no judgement, if there is none."""
        return next((v.unscored for v in self.newest.values() if v.unscored is not None), None)


def said_by(
    store: Store,
    project_id: int,
    version: Version,
    judge: int,
    setup: JudgeSetup | None = None,
) -> list[Said]:
    """Return what a judge said of every current output it has judged, in the order they came.

    With the judge's `setup` also which of its replies had to be repaired, from the ledger.
    """
    by_output = repeats_of(store, project_id, judge, version)
    found: list[Said] = []
    ids = sorted(by_output)
    for start in range(0, len(ids), CHUNK):
        outputs = load_outputs(store, project_id, ids[start : start + CHUNK])
        repaired = {} if setup is None else _repaired(store, version, setup, outputs)
        for output in outputs:
            repeats: dict[int, dict[str, CriterionVerdict]] = {}
            for key, said in by_output[output.id].items():
                for repeat, verdict in said.items():
                    repeats.setdefault(repeat, {})[key] = verdict
            newest = repeats[max(repeats)]
            quotes = {
                key: missing
                for key, v in newest.items()
                if v.verdict is not None and (missing := unfounded_quotes(v.evidence, output.text))
            }
            notes = repaired.get(output.id, ())
            found.append(Said(output.id, output.sample_id, output.trial, repeats, quotes, notes))
    return found


@dataclass(frozen=True)
class Reading:
    """One reply as it came, which repeat and criteria it is about, and what was read out of it."""

    repeat: int
    criteria: tuple[str, ...]
    raw: str
    read: ReadReply


def replies_about(
    store: Store, version: Version, setup: JudgeSetup, outputs: Sequence[StoredOutput]
) -> dict[int, list[Reading]]:
    """Return every reply in the ledger to what this judge is asked about these outputs, by id.

    In the order of repeats, then criteria, then questions asked again.
    """
    asked = [
        (output, request, request_hash(request, setup.options, setup.instructions))
        for output in outputs
        for request in requests_for(
            version.contract, setup.options, output.input, output.text, output.reference
        )
    ]
    paid = paid_replies(store, setup.judge_hash, (h for _, _, h in asked))
    repeats = sorted({repeat for _, repeat in paid})
    found: dict[int, list[Reading]] = {}
    for repeat in repeats:
        for output, request, asked_hash in asked:
            for one in paid.get((asked_hash, repeat), ()):
                read = read_reply(one.reply, request.criteria, output.text)
                keys = tuple(c.key for c in request.criteria)
                reading = Reading(repeat, keys, one.reply.text or one.reply.raw, read)
                found.setdefault(output.id, []).append(reading)
    return found


def _repaired(
    store: Store, version: Version, setup: JudgeSetup, outputs: Sequence[StoredOutput]
) -> dict[int, tuple[str, ...]]:
    """Return what was done to read the replies that count; one asked for again does not."""
    if not judged_criteria(version.contract):
        return {}
    return {
        identity: tuple(
            dict.fromkeys(
                note for r in readings if r.read.unscored is None for note in r.read.repaired
            )
        )
        for identity, readings in replies_about(store, version, setup, outputs).items()
    }


def differing(one: Sequence[Said], other: Sequence[Said]) -> list[tuple[Said, Said, list[str]]]:
    """Return the outputs both judged with the criterion keys on which their verdicts differ.

    A missing verdict on either side is no difference. Outputs on which they agree come with no key.
    """
    there = {said.output_id: said for said in other}
    found = []
    for mine in one:
        theirs = there.get(mine.output_id)
        if theirs is None:
            continue
        keys = [
            key
            for key, v in mine.newest.items()
            if v.verdict is not None
            and (w := theirs.newest.get(key)) is not None
            and w.verdict is not None
            and w.verdict is not v.verdict
        ]
        found.append((mine, theirs, keys))
    return found
