"""Every word is explained once, in one file that tooltips, pages and the document draw from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.glossary import (
    glossary_markdown,
    help_of,
    reading,
    readings,
    shape_marks,
    sorted_terms,
    terms,
)
from core.loop.shapes import FIRST_RESPONSE

ROOT = Path(__file__).parents[1]
SOURCES = list((ROOT / "pages").rglob("*.py"))


def test_every_word_a_tooltip_asks_for_is_there_and_many_pages_ask() -> None:
    asked: dict[str, set[str]] = {}
    for path in SOURCES:
        for call in re.findall(r"help_of\(([^)]*)\)", path.read_text(encoding="utf-8")):
            for key in re.findall(r"[\"']([^\"']+)[\"']", call):
                asked.setdefault(key, set()).add(path.name)
    assert len(asked) > 15
    assert set(asked) <= set(terms()), set(asked) - set(terms())
    with pytest.raises(KeyError):
        help_of("no such word")


def test_the_five_questions_lean_on_words_that_are_there() -> None:
    from pages.parts.five_questions import WORDS

    assert set(WORDS.values()) <= set(terms())


def test_each_word_is_explained_once_and_leans_only_on_words_that_are_explained() -> None:
    names = [name.casefold() for one in terms().values() for name in (one.name, *one.also)]
    assert len(names) == len(set(names))
    assert len({one.says for one in terms().values()}) == len(terms())
    for one in terms().values():
        assert set(one.leans_on) <= set(terms()), one.key
        assert one.key not in one.leans_on, one.key
        assert "[[" not in one.says and one.says.endswith("."), one.key
    assert [one.name.casefold() for one in sorted_terms()] == sorted(
        one.name.casefold() for one in terms().values()
    )


def test_every_shape_has_its_mark() -> None:
    assert list(shape_marks()) == list(FIRST_RESPONSE)


def test_every_page_and_each_of_its_views_says_how_it_is_read() -> None:
    """A page with views of its own words has one for each; four to eight lines, or two at least."""
    for path in (ROOT / "pages").glob("*.py"):
        if path.stem == "__init__":
            continue
        found = reading(path.stem)
        assert found is not None, path.stem
        views = re.search(r"^VIEWS = \{(.*?)\}", path.read_text(encoding="utf-8"), re.M | re.S)
        own = {key.split(".")[1] for key in readings() if key.startswith(f"{path.stem}.")}
        if views and own:
            assert set(re.findall(r'"(\w+)":', views[1])) <= own, path.stem
    for key in readings():
        one = reading(*key.split("."))
        assert one is not None and 4 <= len(one.lines) <= 8, key
        assert one.terms and all(line.endswith(".") for line in one.lines), key


def test_a_view_without_its_own_words_reads_as_the_first_view_of_its_page() -> None:
    assert reading("traces", "nothing") == reading("traces", "overview")
    assert reading("traces", "shapes") != reading("traces", "overview")
    assert reading("evidence", "tests") == reading("evidence")
    assert reading("nowhere") is None


def test_the_glossary_in_the_documents_is_the_one_on_the_screen() -> None:
    """Write it again with: python -m core.glossary > .github/guide/glossary.md"""
    assert (ROOT / ".github" / "guide" / "glossary.md").read_text(
        encoding="utf-8"
    ) == glossary_markdown()
