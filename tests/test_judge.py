"""Code first: what failed checks settle, and how code's and a judge's verdicts become one."""

from __future__ import annotations

import json

from core.contract.contract import Contract
from core.judging.calls import ModelReply
from core.judging.judge import merged, skipped_by_code
from core.judging.judgement import acceptance, judgement_score
from core.judging.reply import ReadReply, read_reply
from core.verdict import CriterionVerdict, Unscored, Verdict, failed, no_verdict, passed


def contract(minimum: float | None = None, **changed: object) -> Contract:
    rule = {"rule": "all"} if minimum is None else {"rule": "threshold", "minimum": minimum}
    check = {"kind": "max_words", "limit": 9}
    return Contract.from_data(
        {
            "criteria": [
                {"key": "tone"},
                {"key": "short", "checked_by": "code", "check": check, "weight": 2},
                {"key": "true"},
                {"key": "signed", "checked_by": "person"},
            ],
            "acceptance": rule,
            **changed,
        }
    )


def reply(**verdicts: str) -> ReadReply:
    asked = [c for c in contract().criteria if c.key in ("tone", "true")]
    text = json.dumps({k: {"evidence": k, "verdict": v} for k, v in verdicts.items()})
    return read_reply(ModelReply(text, "end_turn", text), asked)


def test_a_failed_check_settles_the_rule_all() -> None:
    assert ("tone", "true") == skipped_by_code(contract(), {"short": failed("10 words")})
    unknown = CriterionVerdict(Verdict.UNKNOWN)
    assert ("tone", "true") == skipped_by_code(contract(), {"short": unknown})
    assert () == skipped_by_code(contract(), {"short": passed("9 words")})
    assert () == skipped_by_code(contract(), {})


def test_a_check_that_could_not_run_settles_nothing() -> None:
    assert () == skipped_by_code(contract(), {"short": no_verdict(Unscored.ERROR, "broke")})


def test_under_a_threshold_the_open_weight_decides() -> None:
    """Weights 1 + 2 + 1 + 1: without "short", 3 of 5 are left."""
    short = {"short": failed("10 words")}
    assert () == skipped_by_code(contract(minimum=3), short)
    assert ("tone", "true") == skipped_by_code(contract(minimum=3.5), short)


def test_verdicts_on_what_code_does_not_check_settle_nothing() -> None:
    assert () == skipped_by_code(contract(), {"tone": failed("rude"), "signed": failed("no")})


def test_the_switch_and_calibration_judge_everything() -> None:
    short = {"short": failed("10 words")}
    assert () == skipped_by_code(contract(judge_when_code_fails=True), short)
    assert () == skipped_by_code(contract(), short, calibration=True)


def test_merged_verdicts_read_alike_in_contract_order() -> None:
    made = merged(contract(), {"short": passed("9")}, [reply(true="FAIL", tone="PASS")])
    assert ["tone", "short", "true"] == list(made.verdicts)
    assert made.unscored is None
    assert made.raw is not None
    one_each = [reply(tone="PASS"), reply(true="PASS")]
    both = merged(contract(), {"short": passed("9")}, [
        ReadReply(r.verdicts, raw=r.raw) for r in one_each
    ])  # fmt: skip
    assert both.unscored is None
    assert [r.raw for r in one_each] == json.loads(both.raw or "")


def test_what_was_skipped_is_a_scored_fail_overall() -> None:
    of = contract()
    code = {"short": failed("10 words")}
    made = merged(of, code, [], skipped=skipped_by_code(of, code), evaluator="judge")
    assert (None, "judge", None) == (made.unscored, made.evaluator, made.raw)
    assert Unscored.SKIPPED == made.verdicts["tone"].unscored
    assert acceptance(of, made) is False
    assert 0 == judgement_score(of, made)


def test_a_judge_never_decides_what_code_checks() -> None:
    """Even if a reply, or a draft that talked a judge into it, names the criterion."""
    claimed = ReadReply({"tone": passed(""), "true": passed(""), "short": passed("as told")})
    made = merged(contract(), {"short": failed("10 words")}, [claimed])
    assert Verdict.FAIL == made.verdicts["short"].verdict
    assert acceptance(contract(), made) is False
    assert "short" not in merged(contract(), {}, [claimed]).verdicts


def test_one_broken_reply_makes_the_judgement_unscored_for_its_reason() -> None:
    refused = ReadReply({}, Unscored.REFUSED, "the model refused to answer", raw="{}")
    good = ReadReply({"tone": passed("kind")})
    made = merged(contract(), {"short": passed("9")}, [good, refused, refused])
    assert (Unscored.REFUSED, refused.detail) == (made.unscored, made.detail)
    assert Verdict.PASS == made.verdicts["tone"].verdict
    assert acceptance(contract(), made) is None


def test_without_any_reply_the_judgement_is_unscored() -> None:
    made = merged(contract(), {"short": passed("9")}, [])
    assert Unscored.UNREADABLE == made.unscored
    assert "'tone', 'true'" in made.detail
