"""A contract as one page: every line another engineer looks for, and text that stays text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.cli import run
from core.contract.contract import Contract
from core.files.contracts import contract_to_json, contract_to_yaml, read_contract
from core.render import Baseline, Calibration, contract_markdown, fenced, inline
from core.statistics.interval import Result, Undefined, rate

SAMPLES = sorted((Path(__file__).parent.parent / "sample_data").glob("*/contract.yaml"))
PLAIN: dict[str, Any] = {
    "title": "Refund reply",
    "task": "Answer the customer.",
    "evaluator": {"type": "executed_check", "knows": "The refund policy."},
    "criteria": [
        {
            "key": "length",
            "question": "Is the reply at most 60 words?",
            "checked_by": "code",
            "check": {"kind": "max_words", "limit": 60},
            "pass_example": "We refund you.",
            "fail_example": "Word after word.",
        },
        {"key": "tone", "question": "Does the reply apologise?"},
    ],
    "does_not_examine": "The amount.",
    "receives_reference": True,
    "stop": {"cap": 4, "window": 2, "on_failure": "Ana", "budget": {"calls": 8, "usd": 0.5}},
    "limits": {"false_accept_rate": 0.05},
}


def page(**fields: Any) -> str:
    return contract_markdown(Contract.from_data({**PLAIN, **fields}))


def share(k: int, n: int) -> Result:
    return rate(k, n, nothing="nothing")


def test_every_line_an_auditor_looks_for_is_there() -> None:
    for part in (
        "# Evaluator contract: Refund reply",
        "## Task\n\nAnswer the customer.",
        "Type: Executed check (tests, compiler, schema, query) (row 1 of 6",
        "## What it knows that the generator does not\n\nThe refund policy.",
        "### C1. length\n\nIs the reply at most 60 words?\n\nChecked by code.",
        '{"kind": "max_words", "limit": 60}',
        "Pass example:\n\n```text\nWe refund you.\n```",
        "Fail example:\n\n```text\nWord after word.\n```",
        "### C2. tone\n\nDoes the reply apologise?\n\nChecked by a judge.",
        "Pass example: *none*",
        "## What these criteria do not examine\n\nThe amount.",
        "- Receives: task input, output, criteria, reference answer",
        "- Never receives: the conversation",
        "evidence first, then PASS, FAIL or UNKNOWN",
        "every criterion is PASS; UNKNOWN counts as FAIL",
        "- Score: number of criteria marked PASS",
        "- Failures: go back to the generator whole and unedited, with its last draft",
        "- Labelled examples: not measured",
        "- False-accept rate (bad outputs passed): not measured; limit 5.0",
        "- False-reject rate (good outputs failed): not measured; no limit set",
        "- Round cap: 4 drafts at most",
        "- No progress: 2 rounds without a higher score",
        "- Ceiling per task: 8 calls, 0.5 US dollars",
        "flagged, sent to: Ana",
        "## Logged per round",
        "- Plain retries, accepted share: not measured",
        "- Loop, accepted share: not measured",
        "- Loop, calls per accepted output: not measured",
    ):
        assert part in page(), part


def test_weights_and_the_minimum_stand_under_the_rule_threshold_only() -> None:
    weighted = page(acceptance={"rule": "threshold", "minimum": 1.5})
    assert "Checked by code, weight 1." in weighted
    assert "reach 1.5 of 2; UNKNOWN counts as FAIL" in weighted
    assert "weight" not in page()


def test_what_was_measured_is_told_with_interval_and_counts() -> None:
    measured = contract_markdown(
        Contract.from_data(PLAIN),
        calibration=Calibration(
            45, "2026-03-01", share(2, 20), Undefined("no good outputs labelled", 0, 0)
        ),
        baseline=Baseline(share(39, 60), share(48, 60), 2.0),
    )
    assert "- Labelled examples: 45 labelled outputs, 2026-03-01" in measured
    # 2 of 20: Clopper-Pearson 1.2 % to 31.7 %.
    assert "10.0\N{NO-BREAK SPACE}% (1.2–31.7\N{NO-BREAK SPACE}%), 2 of 20; limit" in measured
    assert "(good outputs failed): no good outputs labelled; no limit set" in measured
    assert "- Plain retries, accepted share: 65.0" in measured
    assert "- Loop, accepted share: 80.0" in measured
    assert "- Loop, calls per accepted output: 2.00" in measured
    nothing = contract_markdown(
        Contract.from_data(PLAIN), baseline=Baseline(share(0, 60), share(0, 60), None)
    )
    assert "calls per accepted output: undefined, nothing was accepted" in nothing


# --- text is data -------------------------------------------------------------------------------

HOSTILE = [
    "# a heading", "- a point", "+ a point", "1. a point", "1) a point", "> a quote", "---", "===",
    "**bold** _it_ ~~no~~", "[x](javascript:alert(1))", "![x](http://evil.example/x.png)",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "`code`", "```",
    "~~~", "| a | b |", "[x]: http://evil.example", "http://evil.example www.evil.example",
    "$x^2$ :red[x] :smile:", "a\n# b", "a\r# b", "a\u2028# b", "    code", "\tcode",
    "```\n# out\n```", "````\n```\n# out", "\\# a", "\\", "a\\\nb", "\x00\x1b[2J", "<!-- -->",
    "C1. length", "#hash", "**", "a" * 5_000,
]  # fmt: skip
FIELDS = ("title", "task", "does_not_examine")


READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PROSE = {"paragraph_open", "paragraph_close", "inline", "fence"}


def skeleton(text: str) -> list[tuple[str, str]]:
    """Return the layout an independent Markdown reader sees: headings, lists, and nothing else."""
    tokens = READER.parse(text)
    inside = {child.type for token in tokens for child in token.children or ()}
    assert inside <= {"text", "text_special", "softbreak", "em_open", "em_close"}
    return [(token.type, token.tag) for token in tokens if token.type not in PROSE]


def hostile_page(text: str) -> str:
    rows = [{"key": f"k{n}", **dict.fromkeys(("question", "pass_example", "fail_example"), text)}
            for n in range(2)]  # fmt: skip
    return page(
        **dict.fromkeys(FIELDS, text), criteria=rows, stop={"on_failure": text},
        evaluator={"knows": text},
    )  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_text_cannot_add_to_the_layout(text: str) -> None:
    """Headings and points are those of a page with harmless words in the same places."""
    assert skeleton(hostile_page(text)) == skeleton(hostile_page("words"))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_line_of_text_reads_back_as_it_was_written(text: str) -> None:
    line = inline(text)
    assert not re.search(r"(?<!\\)://|\bwww\.|(?<!\\)[$]|(?<!\\):\w", line)
    opened, body, closed = READER.parse(line)
    assert (opened.type, closed.type) == ("paragraph_open", "paragraph_close")
    assert {child.type for child in body.children or ()} <= {"text", "text_special"}
    shown = "".join(child.content for child in body.children or ())
    assert shown == " ".join(re.sub("[\x00\x1b]", "\ufffd", text).split())


@given(st.text(max_size=60) | st.lists(st.sampled_from(HOSTILE), max_size=3).map("\n".join))
def test_a_block_holds_any_text_and_ends_where_it_should(text: str) -> None:
    (block,) = READER.parse("\n".join(fenced(text)))
    assert block.type == "fence"
    ends = re.sub("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "\n", text)
    assert block.content == re.sub("[\x00-\x08\x0e-\x1b\x1f\x7f]", "\ufffd", ends) + "\n"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40))
def test_any_text_leaves_the_layout_alone(text: str) -> None:
    if text.strip():
        assert skeleton(hostile_page(text)) == skeleton(hostile_page("words"))


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_export_writes_every_sample_in_every_form(
    path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    contract = read_contract(path)
    for form, expected in (
        ("markdown", contract_markdown(contract)),
        ("yaml", contract_to_yaml(contract)),
        ("json", contract_to_json(contract)),
    ):
        assert run(["export", str(path), "--to", form]) == 0
        assert capsys.readouterr().out == expected
    for name, text in (
        ("c.yaml", contract_to_yaml(contract)),
        ("c.json", contract_to_json(contract)),
    ):
        (tmp_path / name).write_text(text, "utf-8")
        again = read_contract(tmp_path / name)
        assert again == contract
        assert (contract_to_yaml(again), contract_to_json(again)) == (
            contract_to_yaml(contract), contract_to_json(contract),
        )  # fmt: skip


def test_there_are_samples() -> None:
    assert len(SAMPLES) >= 4


@pytest.mark.parametrize("form", ["crewai", "SDK", ""])
def test_a_form_that_is_not_offered_is_refused_in_one_line(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", str(SAMPLES[0]), "--to", form]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert (
        err
        == f"--to: {form!r} is not offered. Choose one of markdown, html, yaml, json, sdk, langgraph.\n"
    )


def test_export_needs_a_form_and_takes_no_json_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(SAMPLES[0])]) == 2
    assert run(["export", str(SAMPLES[0]), "--to", "json", "--json"]) == 2
    assert capsys.readouterr().out == ""
