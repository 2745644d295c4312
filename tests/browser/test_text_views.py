"""JSON in lines, differences and matches, by the script the labelling page uses."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SCRIPT = Path(__file__).parents[2] / "pages" / "parts" / "labeller" / "text_views.js"
LAWS = settings(
    max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@pytest.fixture(scope="module")
def page(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context()
    made = context.new_page()
    made.add_script_tag(content=SCRIPT.read_text("utf-8"))
    yield made
    context.close()


def pretty(page: Any, text: str) -> str | None:
    found: str | None = page.evaluate("text => prettyJson(text)", text)
    return found


def difference(page: Any, before: str, after: str) -> Any:
    return page.evaluate("([a, b]) => wordDifference(a, b)", [before, after])


def test_json_is_laid_out_and_every_token_stays_as_written(page: Any) -> None:
    """Read as doubles, the number would end in 000 and 1.0 would become 1; one `a` would go."""
    text = r'{"a":12345678901234567890.10,"a" : 1.0,"b":[1e5,[],{}],"c":"x, \"y\": {z}\\"}'
    assert pretty(page, text) == "\n".join(
        [
            "{", '  "a": 12345678901234567890.10,', '  "a": 1.0,', '  "b": [', "    1e5,",
            "    [],", "    {}", "  ],", r'  "c": "x, \"y\": {z}\\"', "}",
        ]
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "12", '"x"', "{a: 1}", '{"a": 1} and more', "[1,]", "[NaN]"])
def test_other_text_is_left_alone(page: Any, text: str) -> None:
    assert pretty(page, text) is None


@LAWS
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).filter(lambda value: isinstance(value, list | dict)),
    st.booleans(),
    st.sampled_from([None, 1, "\t"]),
)
def test_laid_out_json_says_the_same(
    page: Any, value: object, ascii_only: bool, indent: int | str | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert pretty(page, text) == json.dumps(value, ensure_ascii=ascii_only, indent=2)


def test_deep_and_long_json_does_not_hang(page: Any) -> None:
    begun = time.perf_counter()
    assert len(pretty(page, "[" * 2_000 + "]" * 2_000) or "") < 1_000_000
    assert (pretty(page, '["' + "x" * 1_000_000 + '"]') or "").count("\n") == 2
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("same words", "same words", [["same", "same words"]]),
        ("by Monday.", "by Friday.", [["same", "by "], ["removed", "Monday"], ["added", "Friday"], ["same", "."]]),
        ("", "new", [["added", "new"]]),
        ("old", "", [["removed", "old"]]),
        ("a b c", "a x b c", [["same", "a "], ["added", "x "], ["same", "b c"]]),
        ("退款星期五", "退款星期一", [["same", "退款星期"], ["removed", "五"], ["added", "一"]]),
        ("مرحبا يوم الجمعة", "مرحبا يوم الاثنين", [["same", "مرحبا يوم "], ["removed", "الجمعة"], ["added", "الاثنين"]]),
    ],
)  # fmt: skip
def test_differences_word_by_word(page: Any, before: str, after: str, expected: Any) -> None:
    assert difference(page, before, after) == expected


@LAWS
@given(st.text("ab \n.漢é"), st.text("ab \n.漢é"))
def test_nothing_of_either_text_is_lost(page: Any, before: str, after: str) -> None:
    pieces = difference(page, before, after)
    assert "".join(text for kind, text in pieces if kind != "added") == before
    assert "".join(text for kind, text in pieces if kind != "removed") == after
    assert (before == after) == all(kind == "same" for kind, _ in pieces)


def test_long_texts_are_compared_in_bounded_time(page: Any) -> None:
    """Without a word in common, up to 50,000 characters; beyond that nothing is compared."""
    before = "\n".join(f"a{n}" for n in range(7_000))[:50_000]
    after = "\n".join(f"b{n}" for n in range(7_000))[:50_000]
    begun = time.perf_counter()
    assert difference(page, before, after) == [["removed", before], ["added", after]]
    assert time.perf_counter() - begun < 5
    assert difference(page, before + "x" * 50_001, after) is None


def test_far_apart_changes_of_a_long_text_are_found_by_line(page: Any) -> None:
    lines = [f"line {n} of the text" for n in range(1_000)]
    changed = [line.replace("of the", "in a") if n % 2 else line for n, line in enumerate(lines)]
    pieces = difference(page, "\n".join(lines), "\n".join(changed))
    assert sum(kind == "removed" for kind, _ in pieces) >= 500


def test_matches_across_pieces_are_found_whatever_the_capitals(page: Any) -> None:
    found = page.evaluate(
        """() => {
          document.body.innerHTML = '';
          const box = document.createElement('div');
          box.append('Refund (a.b) re', make('ins', '', 'FUND'), ' İrefund');
          document.body.append(box);
          return ['refund', '(A.B)', 'x', ''].map((q) => findIn([box], q).map(String));
        }"""
    )
    assert found == [["Refund", "reFUND", "refund"], ["(a.b)"], [], []]
