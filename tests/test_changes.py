"""Word differences between drafts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.loop.changes import Kind, Piece, word_changes

texts = st.text(st.sampled_from('ab .,\n\r\t\x00é今👩\ud800-"1'), max_size=60) | st.text(
    max_size=60
)


def joined(pieces: list[Piece], *kinds: Kind) -> str:
    return "".join(p.text for p in pieces if p.kind in kinds)


@given(texts, texts)
def test_no_character_of_either_draft_is_lost(before: str, after: str) -> None:
    pieces = word_changes(before, after)
    assert joined(pieces, Kind.SAME, Kind.REMOVED) == before
    assert joined(pieces, Kind.SAME, Kind.ADDED) == after


def test_only_the_word_that_changed_is_marked() -> None:
    assert word_changes("We will refund 5 euros.", "We will refund 50 euros.") == [
        Piece(Kind.SAME, "We will refund "),
        Piece(Kind.REMOVED, "5 "),
        Piece(Kind.ADDED, "50 "),
        Piece(Kind.SAME, "euros."),
    ]


def test_indentation_is_no_part_of_the_word_before_it() -> None:
    assert word_changes("def f(a)\n    b", "def f(a):\n    b") == [
        Piece(Kind.SAME, "def f(a)"),
        Piece(Kind.ADDED, ":"),
        Piece(Kind.SAME, "\n    b"),
    ]


def test_equal_drafts_have_one_piece_and_empty_ones_none() -> None:
    assert word_changes("same text", "same text") == [Piece(Kind.SAME, "same text")]
    assert word_changes("", "") == []


def test_a_hundred_thousand_words_are_compared_by_line() -> None:
    before = "\n".join(f"line {i} has the same few words" for i in range(15_000))
    after = before.replace("line 77 ", "line seventy-seven ")
    pieces = word_changes(before, after)
    assert joined(pieces, Kind.ADDED) == "line seventy-seven has the same few words\n"
