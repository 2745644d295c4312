"""What the writer is sent: everything that failed, whole; nothing of the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Contract
from core.errors import InputError
from core.judging.calls import ModelReply
from core.judging.prompt import JudgeOptions, Shot
from core.loop.engine import Walk
from core.loop.generator import (
    WITHHELD,
    Attempt,
    GeneratorOptions,
    feedback_on,
    first_call,
    note_call,
    revision_call,
)
from core.loop.plan import Ask, Plan, Replied, Task
from core.loop.stop import Arm
from core.verdict import CriterionVerdict, Unscored, Verdict, failed, no_verdict, passed

CODE = {"key": "length", "question": "Is it at most 60 words?", "checked_by": "code",
        "check": {"kind": "max_words", "limit": 60}}  # fmt: skip
JUDGED = {"key": "tone", "question": "Does it apologise?"}
OPTIONS = GeneratorOptions("m")


def contract(**more: object) -> Contract:
    return Contract.model_validate({"task": "Write a reply.", "criteria": [CODE, JUDGED], **more})


def test_a_first_draft_gets_the_task_the_input_and_what_code_checks() -> None:
    call = first_call(contract(), "Where is my refund?", OPTIONS)
    [message] = call.messages
    assert (
        "# Task\nWrite a reply.\n\n# Input\nWhere is my refund?\n\n"
        "# Checked by a program\n- Is it at most 60 words?" == message.text
    )
    assert "apologise" not in call.system + message.text


def test_a_revision_gets_its_draft_and_every_failure_whole() -> None:
    verdicts = {
        "length": failed("71 words, limit is 60:\n  sentence 3\n\n  sentence 4", "Cut 11 words."),
        "tone": failed('"You should have" blames', "Say sorry."),
    }
    feedback = feedback_on(contract(), verdicts)
    assert (
        "- Is it at most 60 words?\n  71 words, limit is 60:\n    sentence 3\n  \n    sentence 4\n"
        "  Change: Cut 11 words.\n"
        '- Does it apologise?\n  "You should have" blames\n  Change: Say sorry.' == feedback
    )
    text = revision_call(contract(), "in", Attempt("My *draft* ['x']", feedback), OPTIONS).messages
    assert "# Your last draft\nMy *draft* ['x']\n\n# What failed\n- Is it" in text[0].text
    assert "Fix only what is listed and keep the rest" in text[0].text
    assert "Notes" not in text[0].text


def test_notes_of_earlier_attempts_are_bullets() -> None:
    last = Attempt("d", "- f", ("count the words", "name\nthe date"))
    [message] = revision_call(contract(), "", last, OPTIONS).messages
    assert "# Notes from earlier attempts\n- count the words\n- name\n  the date\n" in message.text


def test_unknown_is_fed_back_as_such_and_what_passed_or_has_no_verdict_is_not() -> None:
    unknown = CriterionVerdict(Verdict.UNKNOWN, "no date given")
    assert "- Does it apologise?\n  it could not be told: no date given" == feedback_on(
        contract(), {"length": passed("59 words"), "tone": unknown}
    )
    assert "" == feedback_on(contract(), {"tone": no_verdict(Unscored.SKIPPED)})


def test_a_reference_a_judge_quotes_is_not_told() -> None:
    of = contract(receives_reference=True)
    said = {"tone": failed("it says 41, the reference says 42.50", "Write 42.50.")}
    told = feedback_on(of, said, "42.50\n")
    assert "42.50" not in told and told.count(WITHHELD) == 2
    assert "42.50" in feedback_on(contract(), said, "42.50")  # it never saw one


@given(st.text(st.characters(codec=None), max_size=60), st.text(max_size=40), st.text(max_size=40))  # type: ignore[call-arg]
def test_nothing_of_draft_or_failures_is_lost(draft: str, evidence: str, change: str) -> None:
    told = feedback_on(contract(), {"tone": failed(evidence, change)})
    for part in (evidence, change):
        assert all(line in told for line in part.split("\n"))
    text = revision_call(contract(), "i", Attempt(draft, told), OPTIONS).messages[0].text
    assert (
        draft.encode("utf-16", "surrogatepass").decode("utf-16", "replace") in text or draft in text
    )
    text.encode()


@pytest.mark.parametrize(
    "wrong", [{"model": " "}, {"effort": "huge"}, {"max_tokens": 0}], ids=["model", "effort", "max"]
)
def test_options_that_will_not_do_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        GeneratorOptions(**{"model": "m", **wrong})  # type: ignore[arg-type]


words = st.lists(st.text(alphabet="abc ,'\"\n-.", max_size=30), min_size=1, max_size=4)


@given(words, words, words, words)
def test_no_list_ever_reaches_a_prompt(
    drafts: list[str], evidence: list[str], change: list[str], notes: list[str]
) -> None:
    """A list that is formatted into a prompt shows as ['…: none of these texts holds a bracket."""
    verdicts = {
        "length": CriterionVerdict(Verdict.FAIL, evidence[0], change[0]),
        "tone": CriterionVerdict(Verdict.UNKNOWN, evidence[-1], change[-1]),
    }
    last = Attempt(drafts[0], feedback_on(contract(), verdicts), tuple(notes))
    many = {"kind": "contains_any", "texts": ["refund", "money back"]}
    of = contract(criteria=[{**CODE, "check": many}, JUDGED])
    check = of.criterion("length").code_check()
    assert check is not None
    found = {"length": check.run(drafts[-1], None)}
    calls = [
        first_call(of, evidence[0], OPTIONS),
        revision_call(of, evidence[0], last, OPTIONS),
        revision_call(of, "", Attempt(drafts[-1], feedback_on(of, found)), OPTIONS),
        note_call(of, evidence[0], last, OPTIONS),
    ]
    for call in calls:
        text = call.system + "".join(m.text for m in call.messages)
        assert "[" not in text and "{" not in text
    # The judge's, with facts a tool found, a reference, and an example judged before.
    criterion = {**JUDGED, "pass_example": change[0], "fail_example": change[-1]}
    of = contract(criteria=[criterion, {**criterion, "key": "facts"}], receives_reference=True)
    said = (("tone", verdicts["tone"]), ("facts", verdicts["length"]))
    shot = Shot(evidence[0], drafts[-1], notes[0], said)
    judge = JudgeOptions("j", receives_reference=True, examples=(shot,))
    plan = Plan(of, OPTIONS, judge, facts=lambda input, draft: notes)
    steps = Walk(plan, Task(evidence[0], notes[0]), Arm.LOOP, secret="s").steps()
    next(steps)
    need = steps.send(Replied(ModelReply(f"A draft: {drafts[0]}", "end_turn", "{}")))
    assert isinstance(need, Ask) and need.call.schema is not None
    told = need.call.system + "".join(m.text for m in need.call.messages)
    for bracket in ("['", '["', "{'", "('"):
        assert bracket not in told
