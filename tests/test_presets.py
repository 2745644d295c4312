"""Every preset makes the calls and gives the result of the loop it follows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Budget, Contract
from core.errors import InputError
from core.judging.calls import CallFailed, FailureKind, ModelCall, ModelReply, Role, Usage
from core.judging.prompt import JudgeOptions, section
from core.loop import presets
from core.loop.by_hand import Typed, by_hand
from core.loop.engine import Walk, drive
from core.loop.generator import GeneratorOptions
from core.loop.plan import Answer, Ask, Need, Part, Plan, Replied, Task
from core.loop.stop import Arm, Exit
from core.verdict import CriterionVerdict, Unscored, failed, passed

WRITER, JUDGE = GeneratorOptions("w"), JudgeOptions("j")
KEYS = ("a", "b", "c", "d")
RUBRIC = Contract.from_data({"task": "Write.", "criteria": [{"key": k} for k in KEYS]})
NAMES = {Part.WRITER: "generate", Part.JUDGE: "evaluate", Part.NOTES: "reflect"}


@dataclass
class Calls:
    """Answers a walk: drafts in turn; a draft "3 x" passes three criteria, "! x" breaks the judge."""

    drafts: list[str]
    asked: list[ModelCall] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    reply: Callable[[Ask], Answer | None] = lambda ask: None

    def __call__(self, need: Need) -> Answer:
        assert isinstance(need, Ask)
        self.asked.append(need.call)
        self.history.append(NAMES[need.who])
        if (own := self.reply(need)) is not None:
            return own
        if need.who is Part.WRITER:
            return said(self.drafts[self.history.count("generate") - 1])
        if need.who is Part.NOTES:
            return said(f"note {self.history.count('reflect')}")
        draft = section(need.call.messages[-1].text, "output")
        if draft is None:
            draft = need.call.messages[-2].text
        return said(verdict_json(need.call, int(draft[0])))


def verdict_json(call: ModelCall, n: int) -> str:
    assert call.schema is not None
    words = [{"evidence": "e", "verdict": "PASS" if i < n else "FAIL", "change": "mend"}
             for i in range(len(call.schema["properties"]))]  # fmt: skip
    return json.dumps(dict(zip(call.schema["properties"], words, strict=True)))


def said(text: str) -> Replied:
    return Replied(ModelReply(text, "end_turn", text, Usage(10, 5), 0.1), 0.5)


def walk(plan: Plan, calls: Calls, task: Task | None = None, arm: Arm = Arm.LOOP) -> Walk:
    made = Walk(plan, task or Task("in"), arm)
    assert drive(made, calls) is None
    return made


def pseudocode(drafts: list[str], cap: int, k: int) -> tuple[str, str, list[str]]:
    """The loop with three exits, as it is written down; a repeat is not evaluated again here."""
    best, best_score, stale, calls = None, -1, 0, []
    seen: dict[str, int] = {}
    for candidate in drafts[:cap]:
        calls.append("generate")
        if candidate not in seen:
            calls.append("evaluate")
        score = int(candidate[0])
        if score == len(KEYS):
            return candidate, "pass", calls
        if best is None or score > best_score:
            best, best_score, stale = candidate, score, 0
        else:
            stale += 1
        if candidate in seen or stale >= k:
            return best, "no_progress", calls
        seen[candidate] = score
    assert best is not None
    return best, "cap", calls


DRAFTS = st.lists(
    st.sampled_from([f"{n} {x}" for n in range(5) for x in "xy"]), min_size=5, max_size=5
)


@given(DRAFTS, st.integers(1, 5), st.integers(1, 4))
def test_three_exits(drafts: list[str], cap: int, k: int) -> None:
    calls = Calls(drafts)
    made = walk(presets.three_exits(RUBRIC, WRITER, JUDGE, cap, k), calls)
    assert made.state.exit is not None
    draft, passed_ = presets.last_and_passed(made)
    name = presets.three_exits_name(made.state.exit)
    assert (draft, name, calls.history) == pseudocode(drafts, cap, k)
    assert passed_ is (name == "pass")


def test_draft_and_judge_makes_2n_calls_and_returns_the_last_draft_and_a_boolean() -> None:
    calls = Calls(["3 a", "1 b", "2 c"])
    made = walk(presets.draft_and_judge(RUBRIC, WRITER, JUDGE, 3), calls)
    assert calls.history == ["generate", "evaluate"] * 3
    assert presets.last_and_passed(made) == ("2 c", False)
    calls = Calls(["1 a", "4 b"])
    made = walk(presets.draft_and_judge(RUBRIC, WRITER, JUDGE, 3), calls)
    assert (presets.last_and_passed(made), len(calls.history)) == (("4 b", True), 4)
    # The judge's context is fresh: nothing of the writer's conversation but the draft itself.
    assert [m.role for m in calls.asked[3].messages] == [Role.USER]
    assert "Your last draft" not in calls.asked[3].messages[0].text
    for rounds in (0, -1):
        with pytest.raises(InputError, match="cap"):
            presets.draft_and_judge(RUBRIC, WRITER, JUDGE, rounds)


def lesson_refine(draft: str, revisions: list[str], max_rounds: int) -> tuple[str, str, int]:
    """The lesson's loop over scores, with the number of drafts it evaluated."""
    best, best_score = draft, int(draft[0])
    evaluated = 1
    if best_score >= len(KEYS):
        return best, "passed", evaluated
    current, score = draft, best_score
    for new in revisions[:max_rounds]:
        if new == current:
            return best, "no change", evaluated
        evaluated += 1
        new_score = int(new[0])
        if new_score > best_score:
            best, best_score = new, new_score
        if new_score >= len(KEYS):
            return best, "passed", evaluated
        if new_score <= score:
            return best, "no progress", evaluated
        current, score = new, new_score
    return best, "max rounds", evaluated


@given(DRAFTS, st.integers(0, 4))
def test_refine_counts_revisions_and_starts_from_the_draft(drafts: list[str], n: int) -> None:
    calls = Calls(drafts[1:])
    made = walk(presets.refine(RUBRIC, WRITER, JUDGE, n), calls, Task("in", draft=drafts[0]))
    assert made.state.exit is not None
    best, reason, evaluated = lesson_refine(drafts[0], drafts[1:], n)
    came_back = made.state.exit is Exit.CYCLE
    assert presets.last_and_passed(made)[0] == best
    assert presets.refine_reason(made.state.exit) == reason
    assert calls.history.count("evaluate") == evaluated - came_back
    assert calls.history[:1] == ["evaluate"]


def test_refine_with_the_lessons_own_checks_passes_after_one_revision() -> None:
    checks = [{"kind": "max_words", "limit": 60}, {"kind": "contains", "text": "refund"},
              {"kind": "ends_with_sentence"}]  # fmt: skip
    of = Contract.from_data(
        {
            "criteria": [
                {"key": f"c{i}", "checked_by": "code", "check": c} for i, c in enumerate(checks)
            ]
        }
    )
    calls = Calls(["Sorry for the delay. We will refund you."])
    made = walk(presets.refine(of, WRITER, None, 3), calls, Task("", draft="Sorry, it is late"))
    assert calls.history == ["generate"]
    assert [r.score for r in made.state.rounds] == [1, 3]
    assert made.state.exit is Exit.PASS
    with pytest.raises(InputError, match="max_rounds"):
        presets.refine(of, WRITER, None, -1)


def test_a_weighted_rubric_accepts_at_its_threshold_and_its_failure_has_a_type() -> None:
    weighted = Contract.from_data(
        {
            "criteria": [{"key": "a", "weight": 2}, {"key": "b", "weight": 1.5}, {"key": "c"}],
            "acceptance": {"rule": "threshold", "minimum": 3.5},
        }
    )
    plan = presets.weighted_rubric(weighted, WRITER, JUDGE, Budget(calls=5), 4)
    made = walk(plan, Calls(["1 x", "2 y"]))
    assert [float(r.score or 0) for r in made.state.rounds] == [2.0, 3.5]
    assert made.state.exit is Exit.PASS
    made = walk(plan, Calls(["1 x", "1 y", "1 z"]))
    assert (made.state.exit, made.state.drafts) == (Exit.BUDGET, 2)
    broken = Calls(["1 x"], reply=lambda ask: CallFailed(FailureKind.SERVER, "down")
                   if ask.who is Part.JUDGE else None)  # fmt: skip
    made = walk(plan, broken)
    assert made.state.exit is Exit.EVALUATOR_ERROR
    assert made.lost is not None and made.lost.kind is FailureKind.SERVER
    [only] = made.state.rounds
    assert only.judgement is not None and only.judgement.unscored is Unscored.ERROR
    with pytest.raises(InputError, match="threshold"):
        presets.weighted_rubric(RUBRIC, WRITER, JUDGE, Budget(calls=5), 4)
    with pytest.raises(InputError, match="budget"):
        presets.weighted_rubric(weighted, WRITER, JUDGE, Budget(), 4)


def test_self_review_happens_in_the_writers_conversation_and_warns() -> None:
    calls = Calls(["1 x", "4 y"])
    made = walk(presets.self_review(RUBRIC, WRITER, JUDGE), calls)
    assert calls.history == ["generate", "evaluate"] * 2
    assert made.state.exit is Exit.PASS
    written, review = calls.asked[2:4]
    assert review.model == written.model == "w"
    assert review.messages[:1] == written.messages
    assert [m.role for m in review.messages] == [Role.USER, Role.ASSISTANT, Role.USER]
    assert review.messages[1].text == "4 y"
    assert "never let it be the only evaluator" in presets.ABOUT[presets.Preset.SELF_REVIEW].warning
    assert set(presets.ABOUT) == set(presets.Preset)


def test_notes_are_written_after_each_failure_and_stand_in_every_further_attempt() -> None:
    calls = Calls(["1 x", "2 y", "4 z"])
    of = Contract.from_data({**RUBRIC.to_data(), "stop": {"cap": 3, "window": 3}})
    made = walk(presets.with_notes(of, WRITER, JUDGE), calls)
    assert calls.history == [
        "generate", "evaluate", "reflect", "generate", "evaluate", "reflect", "generate", "evaluate",
    ]  # fmt: skip
    assert "# Notes from earlier attempts\n- note 1\n- note 2\n" in calls.asked[6].messages[0].text
    assert "note" not in calls.asked[7].messages[0].text
    assert [r.generate_calls for r in made.state.rounds] == [1, 2, 2]
    assert made.state.exit is Exit.PASS


def test_a_tool_grounded_critic_is_given_what_the_tool_found() -> None:
    found: list[str] = []

    def facts(input: str, draft: str) -> list[str]:
        found.append(draft)
        return [f"{draft} has {len(draft)} letters", "two\nlines"]

    calls = Calls(["1 x", "4 y"])
    made = walk(presets.tool_grounded(RUBRIC, WRITER, JUDGE, facts), calls)
    assert calls.history == ["generate", "evaluate"] * 2
    assert found == ["1 x", "4 y"]
    assert "- 4 y has 3 letters\n- two\n  lines" in calls.asked[3].messages[0].text
    assert "letters" not in calls.asked[2].messages[0].text
    assert made.state.exit is Exit.PASS


# --- by hand ------------------------------------------------------------------------------------

SHORT = {"key": "short", "question": "At most 3 words?", "checked_by": "code",
         "check": {"kind": "max_words", "limit": 3}}  # fmt: skip


def hand(
    *drafts: str, cap: int = 3, window: int = 2, **more: bool
) -> tuple[Exit | None, int | None]:
    of = Contract.from_data({"criteria": [SHORT], "stop": {"cap": cap, "window": window}})
    found = by_hand(of, [Typed(d) for d in drafts], **more)
    return found.exit, found.state.returned


def test_by_hand_every_exit_can_be_seen_happen() -> None:
    assert hand("one") == (Exit.PASS, 1)
    assert hand("a a a a", "b b b b", "c c c c", cap=3, window=3) == (Exit.CAP, 1)
    assert hand("a a a a", "b b b b", "c c c c", window=2, cap=5) == (Exit.PLATEAU, 1)
    assert hand("a a a a", "a a a a") == (Exit.NO_CHANGE, 1)
    assert hand("a a a a", "b b b b", "a a a a", window=3, cap=9) == (Exit.CYCLE, 1)
    assert hand("a a a a", stopped=True) == (Exit.CANCELLED, 1)
    assert hand() == (None, None)
    budget = {"criteria": [SHORT], "stop": {"cap": 5, "window": 5, "budget": {"calls": 1}}}
    assert by_hand(Contract.from_data(budget), [Typed("a a a a")]).exit is Exit.BUDGET


def test_by_hand_what_no_code_decides_is_asked_and_feedback_is_what_a_writer_would_get() -> None:
    of = Contract.from_data({"criteria": [SHORT, {"key": "kind", "question": "Kind?"}],
                             "stop": {"cap": 9, "window": 9}})  # fmt: skip
    assert by_hand(of, [Typed("a a a a")]).asks == ()
    waiting = by_hand(of, [Typed("a a")])
    assert (waiting.asks, waiting.exit, waiting.feedback) == (("kind",), None, "")
    no: dict[str, CriterionVerdict] = {"kind": failed('"a a" is cold', "Say hello.")}
    going = by_hand(of, [Typed("a a", no)])
    assert going.feedback == '- Kind?\n  "a a" is cold\n  Change: Say hello.'
    done = by_hand(of, [Typed("a a", no), Typed("hi a", {"kind": passed("hi")}), Typed("late")])
    assert (done.exit, done.ignored, done.feedback) == (Exit.PASS, 1, "")
    assert done.trace(of).rounds[1].feedback == going.feedback
