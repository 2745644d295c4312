"""Shapes over a run: each planted once is found where it was planted, and clean runs stay clean."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from core.contract.contract import Limits
from core.contract.criterion import CheckedBy
from core.judging.judgement import Judgement
from core.loop.convergence import Convergence, Met, convergence
from core.loop.facts import Facts, facts_of
from core.loop.replay import outcomes_of, replay_all
from core.loop.run_shapes import RunShapes, run_shapes, shapes_of_replays
from core.loop.shapes import FIRST_RESPONSE
from core.loop.stop import Arm, Exit
from core.loop.summary import Summary, summarise
from core.loop.trace import Round, Trace
from core.statistics.interval import Estimate, Undefined
from core.store.store import Project, Store
from core.store.trace_facts import load_facts
from core.store.traces import add_traces, load_summaries
from core.text import fingerprint
from core.verdict import (
    CriterionVerdict,
    LabelValue,
    Unscored,
    Verdict,
    failed,
    no_verdict,
    passed,
)

LIMITS = Limits(false_accept_rate=0.05, false_reject_rate=0.2)
OPENING = "Thank you for writing to us about the order."
LATE = "Your parcel is late because of the storm."
BLAME = "We blame the courier for all of it."
SORRY = "We are sorry for all of it."
MONEY = "The full price goes back to your card."
CLOSE = "Kind regards from the whole team."
OK = passed("holds")
BLAMES = failed(f'"{BLAME}" blames somebody', "apologise instead")
NO_MONEY = failed('no sentence mentions "refund"', "add the refund")
COLD = failed(f'"{OPENING}" is cold', "be warmer")
UNSURE = CriterionVerdict(Verdict.UNKNOWN, "cannot be told from the text")

Made = tuple[str, Mapping[str, CriterionVerdict]]


def text(*sentences: str) -> str:
    return " ".join((OPENING, LATE, *sentences, CLOSE))


BAD, FAIR, GOOD = text(BLAME), text(SORRY), text(SORRY, MONEY)


def trace(name: str, *rounds: Made, exit: Exit = Exit.PASS, gold: str = "", last: int = 0) -> Trace:
    made = tuple(
        Round(
            i, draft, fingerprint(draft), Judgement(dict(verdicts), evaluator="judge"),
            judge_calls=1,
            score=Fraction(sum(v.verdict is Verdict.PASS for v in verdicts.values())),
            checked_by=dict.fromkeys(verdicts, CheckedBy.JUDGE),
        )
        for i, (draft, verdicts) in enumerate(rounds, start=1)
    )  # fmt: skip
    returned = last or len(made)
    if gold:
        made = tuple(replace(r, gold=LabelValue(gold)) if r.number == returned else r for r in made)
    return Trace(
        name, Arm.LOOP, f"sample of {name}", rounds=made, exit=exit, returned_round=returned
    )


def v(
    tone: CriterionVerdict, refund: CriterionVerdict, **more: CriterionVerdict
) -> dict[str, CriterionVerdict]:
    return {"tone": tone, "refund": refund, **more}


def planted() -> dict[str, list[Trace]]:
    """A run in which every shape was planted once, by name; "" holds what is clean."""
    start: Made = (BAD, v(BLAMES, NO_MONEY))
    gamed = trace("gaming", start, (FAIR, v(OK, NO_MONEY)), (GOOD, v(OK, OK)), gold="FAIL")
    first = replace(gamed.rounds[0], gold=LabelValue.FAIL)
    once = trace("flip 1", (GOOD, v(OK, OK)))
    again = trace("flip 2", (GOOD, v(COLD, OK)), (GOOD + " Bye.", v(OK, OK)))
    unread = trace("unread", start, (FAIR, v(OK, NO_MONEY)), (GOOD, v(OK, OK)), exit=Exit.CAP)
    last = replace(unread.rounds[2], judgement=None, score=None)
    long = {
        "length": failed("70 words, the limit is 60", "cut ten"),
        "tone": no_verdict(Unscored.SKIPPED),
        "refund": no_verdict(Unscored.SKIPPED),
    }
    # Each of these is good and was rejected: together they show a false-reject rate above 20 %.
    plateau = trace("plateau", start, (FAIR, v(COLD, NO_MONEY)), exit=Exit.PLATEAU, gold="PASS")
    stuck = trace("stuck", start, start, exit=Exit.NO_CHANGE, gold="PASS")
    cycle = trace(
        "cycle", start, (FAIR, v(OK, NO_MONEY)), start, exit=Exit.CYCLE, gold="PASS", last=2
    )
    return {
        "plateau": [plateau],
        "stuck": [stuck],
        "cycle": [cycle],
        "regression": [trace("regression", (BAD, v(BLAMES, OK)), (FAIR, v(OK, NO_MONEY)),
                             (GOOD, v(OK, OK)))],
        "over-edit": [trace("over-edit", start, ("Money comes. Sorry. All is new in this text here.",
                                                 v(OK, OK)))],
        "vague evaluator": [trace("vague", (BAD, v(failed("Needs work."), OK)), (FAIR, v(OK, OK)))],
        "cannot know": [trace("cannot", (BAD, v(BLAMES, UNSURE)), (FAIR, v(OK, OK)))],
        "flip-flop judge": [once, replace(again, sample_id=once.sample_id)],
        "moving target": [_moved()],
        "unread draft": [replace(unread, rounds=(*unread.rounds[:2], last))],
        "rubber stamp": [trace("rubber", (BAD, v(OK, OK)), gold="FAIL")],
        "never satisfied": [trace("never", (BAD, long), (FAIR, {"length": OK, **v(COLD, OK)}),
                                  exit=Exit.CAP, gold="PASS")],
        "gaming": [replace(gamed, rounds=(first, *gamed.rounds[1:]))],
        "": [trace(f"clean {n}", start, (FAIR, v(OK, NO_MONEY)), (GOOD, v(OK, OK)))
             for n in range(20)],
    }  # fmt: skip


def _moved() -> Trace:
    """`warm` passed twice on the opening, then fails on it; the score rises all the same."""
    return trace(
        "moving", (BAD, v(BLAMES, NO_MONEY, warm=OK)), (FAIR, v(OK, NO_MONEY, warm=OK)),
        (GOOD, v(OK, OK, warm=COLD)), (GOOD + " Welcome.", v(OK, OK, warm=OK)),
    )  # fmt: skip


def look(traces: Sequence[Trace], limits: Limits = LIMITS) -> tuple[RunShapes, Convergence | None]:
    summaries: list[Summary] = [summarise(t) for t in traces]
    facts = [facts_of(t, outcomes_of(t)) for t in traces]
    assert facts == [Facts.from_json(f.to_json()) for f in facts]
    return run_shapes(summaries, facts, limits), convergence(summaries, facts)


def test_every_planted_shape_is_found_where_it_was_planted_and_nowhere_else() -> None:
    where = planted()
    assert set(FIRST_RESPONSE) == set(where) - {""}
    found, _ = look([t for some in where.values() for t in some])
    for name, traces in where.items():
        for one in traces:
            shapes = {s.name for s in found.by_trace.get(one.trace_id, ())}
            assert shapes == ({name} if name else set()), one.trace_id
    assert found.unknown == {}


def test_a_shape_names_the_rounds_that_prove_it_and_a_flip_names_the_other_trace() -> None:
    found, _ = look([t for some in planted().values() for t in some])
    proof = {name: found.showing(name) for name in FIRST_RESPONSE}
    assert [(key, s.rounds) for key, s in proof["flip-flop judge"]] == [
        ("flip 1", (1,)), ("flip 2", (1,)),
    ]  # fmt: skip
    assert "FAIL on the same text in round 1 of flip 2" in proof["flip-flop judge"][0][1].why
    assert [s.rounds for _, s in proof["moving target"]] == [(1, 2, 3)]
    assert [s.rounds for _, s in proof["never satisfied"]] == [(1, 2)]
    assert all(s.rounds for some in proof.values() for _, s in some)


def test_a_file_of_traces_shows_on_the_command_line_what_needs_several_of_them() -> None:
    traces = [t for some in planted().values() for t in some]
    names = dict(
        zip([t.trace_id for t in traces], shapes_of_replays(replay_all(traces)), strict=True)
    )
    assert ("flip-flop judge",) == names["flip 1"] == names["flip 2"]
    assert () == names["rubber"] == names["clean 1"]  # no trace holds a contract with limits


def test_without_limits_or_labels_two_shapes_say_why_they_are_not_known() -> None:
    clean = planted()[""]
    assert look(clean, Limits())[0].unknown == {
        "rubber stamp": "the contract sets no limit for false accepts",
        "never satisfied": "the contract sets no limit for false rejects",
    }
    assert set(look(clean)[0].unknown) == {"rubber stamp", "never satisfied"}


def test_a_first_draft_that_both_arms_share_is_not_read_twice() -> None:
    loop = planted()[""][0]
    retry = replace(loop, trace_id="r", arm=Arm.RETRY, rounds=loop.rounds[:1])
    _, seen = look([loop, retry])
    assert seen is not None and isinstance(seen.flips, Undefined)
    other = replace(
        loop.rounds[0], judgement=Judgement(v(failed("harsh"), NO_MONEY), evaluator="judge")
    )
    _, seen = look([loop, replace(retry, rounds=(other,))])
    assert seen is not None and isinstance(seen.flips, Estimate)
    assert (seen.flips.k, seen.flips.n) == (0, 1)


def test_a_text_read_twice_in_one_trace_counts_for_the_flip_rate() -> None:
    first = planted()[""][0].rounds[0]
    assert first.judgement is not None
    said = dict.fromkeys(first.judgement.verdicts, OK)
    again = replace(first, number=2, judgement=replace(first.judgement, verdicts=said))
    loop = replace(planted()[""][0], rounds=(first, again), exit=None, returned_round=None)
    found, seen = look([loop])
    assert ["flip-flop judge"] == [
        s.name for s in found.by_trace[loop.trace_id] if s.name.startswith("flip")
    ]
    assert seen is not None and isinstance(seen.flips, Estimate)
    assert (1, 1) == (seen.flips.k, seen.flips.n)


# --- clean runs -----------------------------------------------------------------------------

_WORDS = [
    "order",
    "parcel",
    "card",
    "price",
    "week",
    "reply",
    "question",
    "address",
    "colleague",
    "answer",
    "letter",
    "shop",
    "box",
    "stamp",
    "branch",
    "driver",
    "street",
    "number",
    "account",
    "receipt",
    "colour",
    "size",
    "form",
    "phone",
    "return",
    "window",
    "manager",
]
_CRITERIA = ("tone", "refund", "length", "facts", "next_step")


def _sentence(lot: random.Random) -> str:
    chosen = lot.sample(_WORDS, lot.randint(5, 9))
    return f"The {' '.join(chosen[:3])} and the {' '.join(chosen[3:])} {lot.randint(2, 99)} times."


def _failure(lot: random.Random, sentence: str, at: int) -> CriterionVerdict:
    """A failure as careful judges write it: a place, a change, or both."""
    return lot.choice(
        [
            failed(f'"{sentence}" is not what was asked for', "say it in other words"),
            failed(f"Sentence {at + 1} is wrong", f'replace "{sentence.split()[1]}"'),
            failed("The reply never mentions what happens next.", "add one sentence about it"),
            failed(f"{lot.randint(60, 90)} words, the limit is 60", ""),
        ]
    )


def healthy(seed: int) -> Trace:
    """A trace that gets better every round by changing what failed; both arms, one to five rounds.

    A revision mends one to three of the open failures, words their sentences anew, and now and
    then touches a word elsewhere or adds a sentence. Some end at the cap still getting better.
    """
    lot = random.Random(seed)
    lines = [_sentence(lot) for _ in range(lot.randint(5, 9))]
    open_: dict[str, int] = {
        key: lot.randrange(len(lines)) for key in lot.sample(_CRITERIA, lot.randint(0, 5))
    }
    cap, rounds = lot.randint(2, 5), []
    while True:
        verdicts = {
            key: _failure(lot, lines[open_[key]], open_[key]) if key in open_
            else passed(f'"{lot.choice(lines)}"')
            for key in _CRITERIA
        }  # fmt: skip
        draft = " ".join(lines)
        rounds.append((draft, verdicts))
        if not open_ or len(rounds) == cap:
            break
        for key in lot.sample(sorted(open_), min(len(open_), lot.randint(1, 3))):
            lines[open_.pop(key)] = _sentence(lot)
        if lot.random() < 0.3:
            at = lot.randrange(len(lines))
            lines[at] = lines[at].replace(lines[at].split()[2], lot.choice(_WORDS))
        if lot.random() < 0.3:
            lines.append(_sentence(lot))
    exit = Exit.CAP if open_ else Exit.PASS
    gold = lot.choice(["", "PASS" if exit is Exit.PASS else "FAIL"])
    made = trace(f"t{seed}", *rounds, exit=exit, gold=gold)
    if lot.random() < 0.25:
        # Independent draws: every draft is another text.
        draws = tuple(
            replace(r, draft=f"{text} {n}", fingerprint=fingerprint(f"{text} {n}"))
            for n, r in enumerate(made.rounds)
            for text in [" ".join(_sentence(lot) for _ in range(6))]
        )
        made = replace(made, arm=Arm.RETRY, rounds=draws)
    return made


@pytest.mark.parametrize("start", [0, 1000, 2000])
def test_on_200_clean_traces_at_most_2_percent_raise_a_false_alarm(start: int) -> None:
    traces = [healthy(start + n) for n in range(200)]
    found, seen = look(traces)
    assert len(found.by_trace) <= 4, found.by_trace
    assert seen is not None and seen.is_repairable is Met.YES


# --- convergence ----------------------------------------------------------------------------


def test_convergence_counts_what_revisions_did() -> None:
    """20 clean loops: tone is mended in round 2, refund in round 3; nothing is lost."""
    _, seen = look(planted()[""])
    assert seen is not None
    assert {n: (r.k, r.n) for n, r in seen.by_round.items()} == {2: (0, 20), 3: (20, 20)}
    tone, refund = seen.by_criterion["tone"], seen.by_criterion["refund"]
    assert (tone.repaired.k, tone.repaired.n, tone.damaged.k, tone.damaged.n) == (20, 20, 0, 20)
    assert (refund.repaired.k, refund.repaired.n) == (20, 40)
    assert (seen.specific.k, seen.specific.n, seen.is_specific) == (60, 60, Met.YES)
    assert (seen.contracts, seen.unnamed, seen.is_still) == (0, 20, Met.OPEN)
    assert seen.is_repairable is Met.OPEN  # 0 of 20 still allows 16.8 %, more than one in ten


def test_two_contracts_in_one_run_are_no_target_that_stands_still() -> None:
    some = planted()[""]
    mixed = [replace(t, contract="a" * 64 if n else "b" * 64) for n, t in enumerate(some)]
    _, seen = look(mixed)
    assert seen is not None and (seen.contracts, seen.is_still) == (2, Met.NO)


def test_a_run_without_a_loop_has_no_convergence() -> None:
    assert look([replace(t, arm=Arm.RETRY) for t in planted()[""]])[1] is None


# --- stored ---------------------------------------------------------------------------------


def test_facts_are_stored_with_the_trace_and_worked_out_for_older_ones(
    store: Store, project: Project
) -> None:
    traces = [t for some in planted().values() for t in some]
    add_traces(store, project.id, traces)
    kept = load_facts(store, project.id)
    assert kept == [facts_of(t, outcomes_of(t)) for t in traces]
    import sqlalchemy as sa

    with store.write() as c:
        c.execute(sa.text("UPDATE trace SET facts = NULL"))
    assert load_facts(store, project.id) == kept
    with store.read() as c:
        assert c.scalar(sa.text("SELECT count(*) FROM trace WHERE facts IS NULL")) == 0
    found = run_shapes(load_summaries(store, project.id), kept, LIMITS)
    assert len(found.showing("gaming")) == 1
