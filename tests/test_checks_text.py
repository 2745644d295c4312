"""The registry, and the checks on lengths, phrases and patterns."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.checks.kind import Kind
from core.checks.lengths import sentences
from core.checks.registry import KINDS, build
from core.errors import InputError
from core.verdict import CriterionVerdict, Unscored, Verdict

ANY_TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=80)

EXAMPLES: dict[str, dict[str, Any]] = {
    "max_words": {"limit": 3},
    "min_words": {"limit": 2},
    "max_sentence_words": {"limit": 3},
    "max_characters": {"limit": 10},
    "ends_with_sentence": {},
    "contains": {"text": "a1"},
    "contains_any": {"texts": ["a", "1"]},
    "contains_all": {"texts": ["a", "1"]},
    "regex": {"pattern": "[a1]+"},
    "json": {},
    "json_schema": {"schema": {"type": ["object", "number"], "required": ["a"]}},
    "sum_equals": {"items": "a[]", "total": "b"},
    "expression": {"expression": "a == `1`"},
    "equals_reference": {},
    "recorded": {"by": "pytest"},
    "python_parses": {"version": "3.9"},
    "python_imports": {"texts": ["os"]},
}


def run(
    kind: str, output: str, reference: str | None = None, **parameters: Any
) -> CriterionVerdict:
    return build({"kind": kind, **parameters}).run(output, reference)


def refused(spec: object) -> str:
    with pytest.raises(InputError) as caught:
        build(spec)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the registry -----------------------------------------------------------------------------


def test_every_kind_of_the_formats_is_there_and_described() -> None:
    assert set(KINDS) == set(EXAMPLES)
    for name, kind in KINDS.items():
        assert isinstance(kind, Kind)
        assert kind.name == name
        assert kind.title and kind.help
        assert all(p.label and p.help for p in kind.parameters)
        assert len({p.name for p in kind.parameters}) == len(kind.parameters)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_missing_or_unknown_parameter_is_refused_by_name(kind: str) -> None:
    for parameter in KINDS[kind].parameters:
        if parameter.required:
            fewer = {k: v for k, v in EXAMPLES[kind].items() if k != parameter.name}
            message = refused({"kind": kind, **fewer})
            assert f"{kind}, {parameter.name}: it is missing" in message
    assert f"{kind}, limits: there is no such parameter" in refused(
        {"kind": kind, **EXAMPLES[kind], "limits": 1}
    )


WRONG: dict[str, list[Any]] = {
    "whole number": [-1, 2.5, "3", True, float("nan"), float("inf"), [1], {}],
    "number": [-0.1, "1", False, float("nan"), float("inf"), []],
    "text": ["", "  ", 1, True, ["a"], {}],
    "texts": ["a", [], [""], ["a", 1], [True], {}],
    "pattern": ["", 1, ["a"], "(", "(?=a)", r"(a)\1"],
    "schema": ["{}", 1, [], True],
    "expression": ["", 1, "a ==", "foo(a)", "sum(a, b)"],
    "path": ["", " ", 1, "a..b", "a[x]", "a."],
    "flag": ["true", 1, 0],
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_parameter_of_the_wrong_type_is_refused_by_name(kind: str) -> None:
    for parameter in KINDS[kind].parameters:
        for value in WRONG[parameter.type]:
            spec = {"kind": kind, **EXAMPLES[kind], parameter.name: value}
            message = refused(spec)
            assert parameter.name in message, (parameter.name, value, message)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_not_is_true_or_false_where_it_makes_sense(kind: str) -> None:
    spec = {"kind": kind, **EXAMPLES[kind]}
    for value in (1, 0, "true", None, []):
        assert f"{kind}, not" in refused({**spec, "not": value})
    assert build({**spec, "not": False}).kind == kind
    if kind == "recorded":
        message = refused({**spec, "not": True})
        assert "recorded cannot be negated. Leave not out, and record the verdict the" in message
    else:
        assert build({**spec, "not": True}).kind == kind


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ({}, "check, kind: it is missing"),
        ({"kind": "max_word", "limit": 1}, "Did you mean max_words?"),
        ({"kind": ["max_words"]}, "there is no kind"),
        ({"kind": 3}, "there is no kind"),
        ("max_words", "expected kind and parameters"),
        ({1: 2}, "is not text"),
        ({"kind": "json_schema", "schema": {1: "a"}}, "the key 1 is not text"),
        ({"kind": "json_schema", "schema": {"const": {1, 2}}}, "neither text nor a number"),
        ({"kind": "json_schema", "schema": {"const": float("nan")}}, "finite"),
        ({"kind": "max_words", "limit": float("inf")}, "check, limit: inf is not a finite"),
        ({"kind": "contains_any", "texts": ["a"] * 60_000}, "too large"),
    ],
)
def test_a_spec_that_is_none_is_refused(spec: object, part: str) -> None:
    assert part in refused(spec)


def test_a_spec_that_holds_itself_is_refused() -> None:
    spec: dict[str, Any] = {"kind": "json_schema"}
    spec["schema"] = spec
    assert "too large or too deeply nested" in refused(spec)
    shared: Any = 1
    for _ in range(60):
        shared = [shared, shared]
    assert "too large" in refused({"kind": "json_schema", "schema": {"const": shared}})


def test_building_again_gives_the_same_check_whatever_happened_to_the_spec() -> None:
    spec = {"kind": "contains_any", "texts": ["a"]}
    first = build(spec)
    assert build({"kind": "contains_any", "texts": ["a"]}) is first
    spec["texts"].append("b")  # type: ignore[attr-defined]
    assert first.run("b").verdict is Verdict.FAIL
    assert build(spec).run("b").verdict is Verdict.PASS


def test_true_and_one_are_different_parameters() -> None:
    assert run("json_schema", "1", schema={"const": True}).verdict is Verdict.FAIL
    assert run("json_schema", "1", schema={"const": 1}).verdict is Verdict.PASS


HOSTILE = st.one_of(
    ANY_TEXT,
    st.recursive(
        st.sampled_from(["1", "0.1", "-1e400", "NaN", "null", "true", '"a"', '"\\ud800"', "{}"]),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.lists(inner, max_size=3).map(
                lambda items: (
                    "{" + ", ".join(f'"{"ab"[i % 2]}": {x}' for i, x in enumerate(items)) + "}"
                )
            ),
        ),
        max_leaves=8,
    ),
    st.text(alphabet="a1 .,!?'\"\n-_[]{}:`~", max_size=60),
    st.text(alphabet="(:=os)\n import_from.*", max_size=40),
)  # fmt: skip


@pytest.mark.parametrize("kind", EXAMPLES)
@given(output=HOSTILE, reference=st.none() | HOSTILE)
def test_no_output_makes_a_check_raise_or_break(
    kind: str, output: str, reference: str | None
) -> None:
    """Every verdict carries evidence, no check breaks, and not: true never lets both pass."""
    verdict = run(kind, output, reference, **EXAMPLES[kind])
    assert isinstance(verdict, CriterionVerdict)
    assert verdict.evidence and " broke: " not in verdict.evidence
    if verdict.verdict is Verdict.FAIL:
        assert verdict.change
    if KINDS[kind].negatable:
        opposite = run(kind, output, reference, **EXAMPLES[kind], **{"not": True})
        assert opposite.evidence == verdict.evidence
        assert {verdict.verdict, opposite.verdict} != {Verdict.PASS}
        if verdict.verdict is Verdict.PASS:
            assert opposite.verdict is Verdict.FAIL
            assert opposite.change


@pytest.mark.parametrize(
    "kind",
    ["contains", "contains_any", "contains_all", "regex", "ends_with_sentence", "max_words",
     "min_words", "max_characters", "max_sentence_words"],
)  # fmt: skip
@given(output=ANY_TEXT | st.text(alphabet="a1 .", max_size=12))
def test_not_swaps_pass_and_fail_on_any_text(kind: str, output: str) -> None:
    plain = run(kind, output, **EXAMPLES[kind]).verdict
    negated = run(kind, output, **EXAMPLES[kind], **{"not": True}).verdict
    assert {plain, negated} == {Verdict.PASS, Verdict.FAIL}


@pytest.mark.parametrize("kind", [k for k in EXAMPLES if KINDS[k].reads_field])
def test_a_text_check_may_look_at_one_field(kind: str) -> None:
    inside = run(kind, '{"r": [{"t": "import os"}]}', **EXAMPLES[kind], field="r[0].t")
    outside = run(kind, "import os", **EXAMPLES[kind])
    assert inside.verdict is outside.verdict
    assert inside.evidence == f"field r[0].t: {outside.evidence}"
    for output in ('{"r": []}', "import os", '{"r": [{"t": null}]}', '{"r": [{"t": {}}]}'):
        verdict = run(kind, output, **EXAMPLES[kind], field="r[0].t")
        assert verdict.verdict is Verdict.FAIL
        if KINDS[kind].negatable:
            negated = run(kind, output, **EXAMPLES[kind], field="r[0].t", **{"not": True})
            assert negated.verdict is Verdict.FAIL


def test_a_number_in_a_field_is_read_as_it_is_written() -> None:
    assert run("contains", '{"a": 12.50}', text="12.50", field="a").verdict is Verdict.PASS
    assert run("contains", '{"a": true}', text="true", field="a").verdict is Verdict.PASS


# --- lengths ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "limit", "output", "verdict", "evidence", "change"),
    [
        ("max_words", 3, "Don't re-run x-rays", "PASS", "3 words, limit 3", ""),
        ("max_words", 2, "Don't re-run x-rays", "FAIL", "3 words, limit 2", "Cut 1 word or more."),
        ("max_words", 0, "", "PASS", "0 words, limit 0", ""),
        ("max_words", 60, "w " * 63, "FAIL", "63 words, limit 60", "Cut 3 words or more."),
        ("max_words", 12, "今天的会议改到星期三下午", "PASS", "12 words, limit 12", ""),
        ("min_words", 1, "", "FAIL", "0 words, lower limit 1", "Add 1 word or more."),
        ("min_words", 2, "yes 🎉 — ok", "PASS", "2 words, lower limit 2", ""),
        ("max_characters", 3, "abcd", "FAIL", "4 characters, limit 3", "Cut 1 character or more."),
        ("max_characters", 4, "a\nb ", "PASS", "4 characters, limit 4", ""),
        (
            "max_sentence_words", 2, "Two words. One.", "PASS",
            "longest sentence 2 words, limit 2", "",
        ),
        (
            "max_sentence_words", 2, "One. Now three words!", "FAIL",
            "sentence 2 has 3 words: 'Now three words!' (limit 2)",
            "Shorten or split each sentence named.",
        ),
    ],
)  # fmt: skip
def test_lengths(
    kind: str, limit: int, output: str, verdict: str, evidence: str, change: str
) -> None:
    got = run(kind, output, limit=limit)
    assert (got.verdict, got.evidence, got.change) == (verdict, evidence, change)


@pytest.mark.parametrize(
    ("kind", "limit", "output", "verdict", "evidence", "change"),
    [
        ("max_words", 2, "a b c", "PASS", "3 words, limit 2", ""),
        ("max_words", 3, "a b c", "FAIL", "3 words, limit 3", "Add 1 word or more."),
        ("min_words", 3, "a b", "PASS", "2 words, lower limit 3", ""),
        ("min_words", 2, "a b c", "FAIL", "3 words, lower limit 2", "Cut 2 words or more."),
        ("min_words", 0, "", "FAIL", "0 words, lower limit 0",
         "Raise the limit: no text has fewer than 0 words."),
        ("max_characters", 2, "abc", "PASS", "3 characters, limit 2", ""),
        ("max_characters", 5, "abc", "FAIL", "3 characters, limit 5",
         "Add 3 characters or more."),
        ("max_sentence_words", 1, "One. Two words.", "PASS",
         "sentence 2 has 2 words: 'Two words.' (limit 1)", ""),
        ("max_sentence_words", 2, "One. Two words.", "FAIL",
         "longest sentence 2 words, limit 2", "Write one sentence of at least 3 words."),
    ],
)  # fmt: skip
def test_lengths_the_other_way_round(
    kind: str, limit: int, output: str, verdict: str, evidence: str, change: str
) -> None:
    got = run(kind, output, limit=limit, **{"not": True})
    assert (got.verdict, got.evidence, got.change) == (verdict, evidence, change)


def test_a_limit_can_be_met_by_doing_what_change_says() -> None:
    text = "one two three four five"
    assert run("max_words", text, limit=3).change == "Cut 2 words or more."
    assert run("max_words", "one two three", limit=3).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ("Dr. Smith came. He saw e.g. this.", ["Dr. Smith came.", "He saw e.g. this."]),
        ("It costs 3.50 euros.", ["It costs 3.50 euros."]),
        ('He said "Go." Then left.', ['He said "Go."', "Then left."]),
        ("今天下雨。明天晴！", ["今天下雨。", "明天晴！"]),
        ("Title\n\nText here", ["Title", "Text here"]),
        ("- one\n- two\n3. three", ["- one", "- two", "3. three"]),
        ("wrapped\nline", ["wrapped\nline"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Done.", True),
        ("Done!  \n", True),
        ('He said "go."', True),
        ("**Done.**", True),
        ("(Done.)", True),
        ("完了。", True),
        ("Wait…", True),
        ("We will refund", False),
        ("We will refund,", False),
        ("Dear Sir:", False),
        ("", False),
        (" \n ", False),
    ],
)
def test_ends_with_sentence(text: str, holds: bool) -> None:
    got = run("ends_with_sentence", text)
    assert got.verdict is (Verdict.PASS if holds else Verdict.FAIL)


# --- phrases ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "output", "holds"),
    [
        ("art", "a smart party", False),
        ("free", "freedom of choice", False),
        ("don't share", "Please don’t share this", True),
        ("don’t share", "PLEASE DON'T SHARE THIS", True),
        ("net 30", "Terms: net\u00a030", True),
        ("net 30", "Terms:\nnet\n30.", True),
        ("net 30", "net 300", False),
        ("net 30", "net 30.5", False),
        ("30", "1,030", False),
        ("v2.1", "We run v2.0, not v2.1", True),
        ("v2.1", "We run v2.1.", True),
        ("v2.1", "We run v2.1.3", False),
        ("free", "a risk-free offer", True),
        ("customer", "the customer’s order", True),
        ("can", "we can't", False),
        ("refund", "«refund»", True),
        ("refund", "'refund'", True),
        ("guaranteed refund", "a guaran\u200bteed refund", True),
        ("cafe\u0301", "Café", True),
        ("caf", "cafe\u0301", False),
        ("C++", "in C++ and", True),
        ("#1", "we are #1!", True),
        ("a.b", "axb", False),
        ("退款", "我们会退款给您", True),
        ("naïve", "NAÏVE", True),
        ("snake", "snake_case", False),
    ],
)
def test_contains_whole_words(phrase: str, output: str, holds: bool) -> None:
    expected = Verdict.PASS if holds else Verdict.FAIL
    opposite = Verdict.FAIL if holds else Verdict.PASS
    for kind, given_as in (
        ("contains", {"text": phrase}),
        ("contains_any", {"texts": [phrase]}),
        ("contains_all", {"texts": [phrase]}),
    ):
        assert run(kind, output, **given_as).verdict is expected
        assert run(kind, output, **given_as, **{"not": True}).verdict is opposite


def test_a_forbidden_phrase_is_found_with_its_place() -> None:
    check = build({"kind": "contains", "text": "guaranteed refund", "not": True})
    bad = check.run("You get a guaranteed refund.")
    assert bad.verdict is Verdict.FAIL
    assert bad.evidence == "contains 'guaranteed refund' at character 11"
    assert bad.change == "Remove 'guaranteed refund'."
    good = check.run("We will look into a refund.")
    assert good.verdict is Verdict.PASS
    assert good.evidence == "does not contain 'guaranteed refund'"


@pytest.mark.parametrize(
    ("output", "place"),
    [
        ("x", 1),
        ("ab x", 4),
        ("ab\n\n  x", 7),
        ("  ab  x", 7),
        ("é “x”", 4),
        ("\u200b ab x", 6),
        ("ﬁne ﬁsh x", 9),
        ("abc-x", 5),
    ],
)
def test_the_place_is_counted_in_the_output_as_it_is(output: str, place: int) -> None:
    assert run("contains", output, text="x").evidence == f"contains 'x' at character {place}"


def test_evidence_names_every_phrase_found_and_missing() -> None:
    both = run("contains_any", "b and a", texts=["a", "b"], **{"not": True})
    assert both.evidence == "contains 'a' at character 7 and 'b' at character 1"
    assert both.change == "Remove 'a' and 'b'."
    one = run("contains_all", "only a", texts=["a", "b", "on"])
    assert one.evidence == (
        "does not contain 'b' and 'on' (only inside a longer word at character 1);"
        " contains 'a' at character 6"
    )
    assert one.change == "Write 'b' and 'on'."
    none = run("contains_any", "c", texts=["a", "b"])
    assert none.change == "Write one of 'a' and 'b'."


def test_a_phrase_of_invisible_characters_is_refused() -> None:
    assert "nothing to look for" in refused({"kind": "contains", "text": "\u200b"})


# --- patterns ---------------------------------------------------------------------------------


def test_a_pattern_is_searched_and_its_match_named() -> None:
    got = run("regex", "Total: 12 €", pattern=r"\d+ €")
    assert got.evidence == r"'12 €' at character 8 matches '\\d+ €'"
    assert run("regex", "none", pattern=r"\d").evidence == r"nothing matches '\\d'"


def test_a_pattern_that_cannot_run_is_refused_with_the_reason_and_no_noise(
    capfd: pytest.CaptureFixture[str],
) -> None:
    message = refused({"kind": "regex", "pattern": r"(a)\1"})
    assert "invalid escape sequence" in message
    assert "b'" not in message
    assert refused({"kind": "regex", "pattern": "((a{100}){100}){100}"})
    assert refused({"kind": "regex", "pattern": "\ud800"})
    assert capfd.readouterr().err == ""


def test_a_pattern_reads_past_half_characters() -> None:
    got = run("regex", "\ud800\udfffb", pattern="b")
    assert (got.verdict, got.evidence) == (Verdict.PASS, "'b' at character 3 matches 'b'")


@pytest.mark.parametrize("pattern", [r"^(\w+\s?)+$", r"(a+)+$", r"^(a|a)*$", r"(.*)*x"])
def test_a_pattern_that_would_run_for_ever_elsewhere_ends_at_once(pattern: str) -> None:
    started = time.process_time()
    assert run("regex", "a" * 50_000 + "!", pattern=pattern).verdict is Verdict.FAIL
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "output",
    ["a" * 1_000_000, "a'" * 500_000, ". " * 500_000, "\n \n" * 300_000, "_" * 1_000_000,
     "\n" + " " * 1_000_000 + "x", "1." * 500_000, "今" * 500_000, "\u0301" * 500_000],
)  # fmt: skip
@pytest.mark.parametrize(
    "kind", ["max_words", "max_sentence_words", "ends_with_sentence", "contains", "contains_any"]
)
def test_a_million_hostile_characters_take_time_in_proportion(kind: str, output: str) -> None:
    started = time.process_time()
    verdict = run(kind, output, **EXAMPLES[kind])
    assert verdict.unscored is None
    assert time.process_time() - started < 5


def test_an_output_that_is_no_text_breaks_no_caller() -> None:
    got = build({"kind": "max_words", "limit": 1}).run(None)  # type: ignore[arg-type]
    assert got.unscored is Unscored.ERROR
