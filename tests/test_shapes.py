"""Shapes are found where they are planted, and not on clean traces."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import StopRule
from core.contract.criterion import CheckedBy
from core.judging.judgement import Judgement
from core.loop.places import lost_share, named_text, names_a_place, quotations, sentences
from core.loop.shapes import FIRST_RESPONSE, find_shapes, never_satisfied, rubber_stamp
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace
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

D1 = "Thank you for writing. Your parcel is late. We blame the courier for it. Kind regards."
D2 = "Thank you for writing. Your parcel is late. We are sorry for it. Kind regards."
D3 = D2.replace("Kind", "We will refund you. Kind")
BLAME = failed('"We blame the courier" blames somebody', "apologise instead")
ABSENT = failed('no sentence mentions "refund"', "add the refund")
OK = passed("holds")
UNSURE = CriterionVerdict(Verdict.UNKNOWN, "cannot be told from the text")


def trace(*rounds: tuple[str, dict[str, CriterionVerdict]], **fields: Any) -> Trace:
    made = tuple(
        Round(
            i, draft, fingerprint(draft), Judgement(verdicts), judge_calls=1,
            score=Fraction(sum(v.verdict is Verdict.PASS for v in verdicts.values())),
        )
        for i, (draft, verdicts) in enumerate(rounds, start=1)
    )  # fmt: skip
    return Trace("t", Arm.LOOP, "s", **{"stop": StopRule(cap=5), "rounds": made, **fields})


def names(of: Trace) -> list[str]:
    return [shape.name for shape in find_shapes(of)]


def where(of: Trace) -> dict[str, tuple[int, ...]]:
    return {shape.name: shape.rounds for shape in find_shapes(of)}


CLEAN = trace(
    (D1, {"tone": BLAME, "refund": ABSENT}),
    (D2, {"tone": OK, "refund": ABSENT}),
    (D3, {"tone": OK, "refund": OK}),
    exit=Exit.PASS, returned_round=3,
)  # fmt: skip


def test_a_clean_trace_has_no_shape() -> None:
    assert find_shapes(CLEAN) == ()
    assert find_shapes(trace((D3, {"tone": OK}), exit=Exit.PASS, returned_round=1)) == ()
    assert find_shapes(trace()) == ()


@given(st.lists(st.integers(1, 2), max_size=4))
def test_steady_progress_to_a_pass_has_no_shape(gains: list[int]) -> None:
    """Each round adds a sentence and passes more criteria than the one before."""
    total, rounds, text = sum(gains) + 1, [], "We write to you about the parcel."
    for i, done in enumerate([sum(gains[:n]) for n in range(len(gains))] + [total]):
        verdicts = {
            f"c{k}": OK if k < done else failed(f'"part {k}x" is absent', "add it")
            for k in range(total)
        }
        rounds.append((text, verdicts))
        text += f" Addition {i} was made here."
    assert find_shapes(trace(*rounds, exit=Exit.PASS, returned_round=len(rounds))) == ()


def test_every_shape_has_a_first_response() -> None:
    shape = rubber_stamp(0.3, 0.05)
    assert shape is not None and shape.first_response == FIRST_RESPONSE["rubber stamp"]
    assert len(FIRST_RESPONSE) == 13


# --- planted --------------------------------------------------------------------------------


def test_plateau_by_exit_and_by_scores() -> None:
    same = trace((D1, {"tone": BLAME}), (D2, {"tone": failed("sentence 3 is cold", "warm it")}))
    assert where(replace(same, exit=Exit.CAP)) == {"plateau": (1, 2)}
    by_exit = where(replace(same, exit=Exit.PLATEAU, stop=StopRule(window=1)))
    assert by_exit == {"plateau": (2,)}


def test_stuck() -> None:
    stuck = trace((D1, {"tone": BLAME}), (D1, {"tone": BLAME}), exit=Exit.NO_CHANGE)
    assert where(stuck) == {"stuck": (1, 2)}


def test_nothing_is_said_of_a_revision_across_a_round_nobody_recorded() -> None:
    tone, other = {"tone": BLAME}, "Something else altogether, from the first word to the last."
    for second in (D1, other):
        whole = trace((D1, tone), (second, tone))
        assert {"stuck", "over-edit"} & set(names(whole))
        gap = replace(whole, rounds=(whole.rounds[0], replace(whole.rounds[1], number=3)))
        assert not {"stuck", "over-edit"} & set(names(gap))


def test_cycle() -> None:
    back = trace(
        (D1, {"tone": BLAME, "a": OK}),
        (D2, {"tone": OK, "a": OK, "refund": ABSENT}),
        (D1, {"tone": BLAME, "a": OK}),
        exit=Exit.CYCLE,
    )
    assert where(back)["cycle"] == (1, 3)
    assert "stuck" not in where(back) and "plateau" not in where(back)


def test_regression_by_criterion_and_by_score() -> None:
    short = failed('"thanks" is absent', "say it")
    lost = trace((D1, {"tone": BLAME, "thanks": OK}), (D2, {"tone": OK, "thanks": short}))
    assert where(replace(lost, exit=Exit.CAP))["regression"] == (1, 2)
    fell = trace((D1, {}), (D2, {}), (D3, {}), exit=Exit.CAP)
    scores = [Fraction(1), Fraction(3), Fraction(2)]
    rounds = tuple(
        replace(r, judgement=None, score=s) for r, s in zip(fell.rounds, scores, strict=True)
    )
    assert where(replace(fell, rounds=rounds))["regression"] == (2, 3)


def test_a_judge_that_was_not_asked_is_no_regression() -> None:
    skipped = no_verdict(Unscored.SKIPPED)
    code = failed("31 words, the limit is 30", "cut one word")
    of = trace(
        ("Hello. " + D1, {"length": code, "tone": BLAME, "a": ABSENT, "b": OK}),
        (D1, {"length": code, "tone": BLAME, "a": OK, "b": OK}),
        (D2, {"length": code, "tone": skipped, "a": skipped, "b": skipped}),
        (D3, {"length": OK, "tone": OK, "a": OK, "b": OK}),
        exit=Exit.PASS,
    )
    assert [r.score for r in of.rounds] == [1, 2, 0, 4]
    assert names(of) == []


def test_over_edit() -> None:
    """Only "We blame the courier" was named; the revision rewrote the rest."""
    other = "Hello there. Something went wrong with an order of yours, sorry. Bye now."
    edited = trace((D1, {"tone": BLAME}), (other, {"tone": OK}), exit=Exit.PASS)
    assert where(edited) == {"over-edit": (1, 2)}
    kept = trace((D1, {"tone": BLAME}), (D2, {"tone": OK}), exit=Exit.PASS)
    assert names(kept) == []


def test_cutting_a_text_that_is_too_long_is_no_over_edit() -> None:
    long = failed("16 words, the limit is 8", "cut it")
    cut = trace((D1, {"length": long}), ("Your parcel is late.", {"length": OK}), exit=Exit.PASS)
    assert names(cut) == []


def test_vague_evaluator() -> None:
    vague = trace((D1, {"tone": failed("Needs improvement.")}), (D2, {"tone": OK}), exit=Exit.PASS)
    assert where(vague) == {"vague evaluator": (1,)}
    assert find_shapes(vague)[0].why == "1 of 1 failures give neither a place nor a change"


def test_a_code_check_is_specific_by_its_evidence() -> None:
    of = trace((D1, {"ending": failed("no full stop at the end")}), (D2, {"ending": OK}))
    by_code = replace(of.rounds[0], checked_by={"ending": CheckedBy.CODE})
    assert names(replace(of, rounds=(by_code, of.rounds[1]), exit=Exit.PASS)) == []
    bare = replace(by_code, judgement=Judgement({"ending": failed("")}))
    assert names(replace(of, rounds=(bare, of.rounds[1]), exit=Exit.PASS)) == ["vague evaluator"]


def test_cannot_know_from_a_fifth_on() -> None:
    def of(unknown: int, rounds: int) -> Trace:
        verdicts = [UNSURE] * unknown + [OK] * (rounds - unknown)
        return replace(
            trace(*((f"{D1} {i}.", {"true": v, "x": ABSENT}) for i, v in enumerate(verdicts))),
            arm=Arm.RETRY,
        )

    assert where(of(1, 5)) == {"cannot know": (1,)}
    assert where(of(1, 6)) == {}


def test_flip_flop_judge() -> None:
    flip = trace((D2, {"tone": OK, "x": ABSENT}), (D2, {"tone": BLAME, "x": ABSENT}))
    assert where(replace(flip, arm=Arm.RETRY)) == {"flip-flop judge": (1, 2)}
    steady = trace((D2, {"tone": BLAME}), (D2, {"tone": BLAME}))
    assert names(replace(steady, arm=Arm.RETRY)) == []


def test_a_reused_judgement_is_no_second_opinion() -> None:
    flip = trace((D2, {"tone": OK}), (D2, {"tone": BLAME}))
    reused = replace(flip.rounds[1], reused=True)
    assert "flip-flop judge" not in names(replace(flip, rounds=(flip.rounds[0], reused)))


def test_moving_target() -> None:
    greeting = failed('"Thank you for writing" is too stiff', "be warmer")
    moved = trace(
        (D1, {"warm": OK, "tone": BLAME, "refund": ABSENT}),
        (D2, {"warm": OK, "tone": OK, "refund": ABSENT}),
        (D3, {"warm": greeting, "tone": OK, "refund": OK}),
        exit=Exit.CAP,
    )
    assert where(moved)["moving target"] == (1, 2, 3)
    new_text = failed('"We will refund you" is too stiff', "be warmer")
    fair = trace(
        (D1, {"warm": OK, "tone": BLAME, "refund": ABSENT}),
        (D2, {"warm": OK, "tone": OK, "refund": ABSENT}),
        (D3, {"warm": new_text, "tone": OK, "refund": OK}),
        exit=Exit.CAP,
    )
    assert "moving target" not in names(fair)


def test_unread_draft() -> None:
    unread = replace(CLEAN.rounds[2], judgement=None, score=None)
    of = replace(CLEAN, rounds=(*CLEAN.rounds[:2], unread), exit=Exit.CAP)
    assert where(of) == {"unread draft": (3,)}
    broken = replace(unread, judgement=Judgement({}, Unscored.REFUSED))
    of = replace(CLEAN, rounds=(*CLEAN.rounds[:2], broken), exit=Exit.CAP)
    assert where(of) == {"unread draft": (3,)}


def test_gaming() -> None:
    labelled = [
        replace(CLEAN.rounds[0], gold=LabelValue.FAIL),
        CLEAN.rounds[1],
        replace(CLEAN.rounds[2], gold=LabelValue.FAIL),
    ]
    assert where(replace(CLEAN, rounds=tuple(labelled))) == {"gaming": (1, 3)}
    good = replace(CLEAN.rounds[2], gold=LabelValue.PASS)
    assert names(replace(CLEAN, rounds=(*labelled[:2], good))) == []
    assert names(replace(CLEAN, rounds=(*labelled[:1], *CLEAN.rounds[1:]))) == []


def test_rubber_stamp_needs_the_whole_interval_above_the_limit() -> None:
    assert rubber_stamp(0.05, 0.05) is None
    assert rubber_stamp(0.051, 0.05) is not None


def test_never_satisfied_needs_a_new_failure_every_round_to_the_cap() -> None:
    new = [{"a": ABSENT, "b": OK, "c": OK}, {"a": OK, "b": ABSENT, "c": OK},
           {"a": OK, "b": OK, "c": ABSENT}]  # fmt: skip
    of = trace(*zip((D1, D2, D3), new, strict=True), exit=Exit.CAP)
    shape = never_satisfied(of, 0.3, 0.2)
    assert shape is not None and shape.rounds == (1, 2, 3)
    assert never_satisfied(of, 0.2, 0.2) is None
    assert never_satisfied(replace(of, exit=Exit.PLATEAU), 0.3, 0.2) is None
    old = trace((D1, new[0]), (D2, new[0]), exit=Exit.CAP)
    assert never_satisfied(old, 0.3, 0.2) is None


def test_draws_of_the_retry_arm_have_no_shapes_of_revision() -> None:
    blame = {"tone": BLAME}
    draws = replace(trace((D1, blame), (D1, blame), (D2, blame), exit=Exit.CAP), arm=Arm.RETRY)
    assert names(draws) == []


def test_shapes_come_in_the_order_of_the_table() -> None:
    every = list(FIRST_RESPONSE)
    mixed = trace((D1, {"a": UNSURE}), (D1, {"a": failed("bad")}), exit=Exit.NO_CHANGE)
    assert names(mixed) == sorted(names(mixed), key=every.index)
    assert names(mixed) == ["stuck", "vague evaluator", "cannot know", "flip-flop judge"]


# --- which text a failure names -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('it says "too late" twice', ["too late"]),
        ("it says “too late”", ["too late"]),
        ("it says 'you can't blame us' here", ["you can't blame us"]),
        ("don't say that it's late", []),
        ("the field `total` is wrong", ["total"]),
        ("", []),
    ],
)
def test_quotations(text: str, found: list[str]) -> None:
    assert quotations(text) == found


@pytest.mark.parametrize(
    ("evidence", "place"),
    [
        ("Needs improvement.", False), ("The tone is off.", False), ("", False),
        ("Sentence 2 is cold.", True), ('"late" is blunt', True), ("/total differs", True),
        ("the last sentence is cold", True), ("97 words, the limit is 60", True),
    ],
)  # fmt: skip
def test_names_a_place(evidence: str, place: bool) -> None:
    assert names_a_place(evidence) is place


def test_named_text_by_quote_number_and_repetition() -> None:
    late, blame = sentences(D1)[1], sentences(D1)[2]
    assert named_text(D1, [BLAME]) == {blame}
    assert named_text(D1, [failed("Sentence 2 is blunt")]) == {late}
    assert named_text(D1, [failed("Your parcel is late. That is blunt.")]) == {late}
    assert named_text(D1, [ABSENT]) == frozenset()
    assert named_text(D1, [failed("too long")]) is None
    assert named_text(D1, [failed("Sentence 9 is blunt")]) is None


def test_lost_share_counts_words_that_are_gone() -> None:
    """Unnamed: 4 + 4 + 2 words; "writing" became "mail", so 1 of 10 is gone."""
    assert lost_share(D1, [BLAME], D2.replace("writing", "mail")) == Fraction(1, 10)
    assert lost_share(D1, [BLAME], D1 + " More text was added.") == 0
    assert lost_share(D1, [BLAME], "") == 1
    assert lost_share("Sorry, it is late.", [ABSENT], "") is None
