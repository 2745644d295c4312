"""Fingerprints, words, the phrase copy and storage escapes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import (
    comparison_copy,
    content_hash,
    count_words,
    exact_hash,
    fingerprint,
    fold,
    from_storage,
    is_unspaced,
    person_key,
    to_storage,
    words,
)

ANY_TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=200)
AWKWARD = st.text(alphabet="ab1_-'’., \n\té٣½—\"ßЖ🎉\u0301\u00ad\u200b今ーที่", max_size=40)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("caf\u00e9", "cafe\u0301", True),
        ("done", "done \n", True),
        ("a\r\nb", "a\nb", True),
        ("a\rb", "a\nb", True),
        ("a  \nb", "a\nb", True),
        ("Done", "done", False),
        ("a  b", "a b", False),
        (" a", "a", False),
        ("a\n\nb", "a\nb", False),
    ],
)
def test_fingerprint_rule(one: str, other: str, same: bool) -> None:
    assert (fingerprint(one) == fingerprint(other)) is same


def test_fingerprint_is_the_sha256_of_the_comparison_copy() -> None:
    """Printed by `printf done | sha256sum`."""
    expected = "a4c3ed04a95a3da14a9d235c83d868bed7c0f45cf7f3faa751ee8f50598d2211"
    assert fingerprint("done \n") == expected


@given(ANY_TEXT)
def test_comparison_copy_is_its_own_copy(text: str) -> None:
    copy = comparison_copy(text)
    assert comparison_copy(copy) == copy
    assert fingerprint(copy) == fingerprint(text)


@given(st.lists(st.none() | ANY_TEXT, max_size=4), st.lists(st.none() | ANY_TEXT, max_size=4))
def test_exact_hash_tells_parts_apart(one: list[str | None], other: list[str | None]) -> None:
    assert (exact_hash(*one) == exact_hash(*other)) is (one == other)


def test_exact_hash_tells_none_from_empty_and_where_parts_end() -> None:
    assert exact_hash(None) != exact_hash("")
    assert exact_hash("ab", "c") != exact_hash("a", "bc")


def test_content_hash_ignores_the_order_of_keys_only() -> None:
    assert content_hash({"a": 1, "b": [2]}) == content_hash({"b": [2], "a": 1})
    assert content_hash({"a": 1}) != content_hash({"a": True})
    assert content_hash([1, 2]) != content_hash([2, 1])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("Don't re-run x-rays", 3),
        ("Don’t re‑run x-rays", 3),
        ("yes 🎉 👩\u200d💻 — ok", 2),
        ("ok ❤️ yes", 2),
        ("今天的会议改到星期三下午", 12),
        ("使用Python3编写", 5),
        ("コーヒー", 4),
        ("ที่", 1),
        ("हिन्दी में", 2),
        ("1,200.50 euros", 2),
        ("1, 2", 2),
        ("end.Start", 2),
        ("___ --- ***", 0),
        ("a_b __init__", 2),
        ("a - b", 2),
        ("a--b", 2),
        ("re\u00adfund", 1),
        ("cafe\u0301 café", 2),
        ("rock ’n’ roll", 3),
        ("straße Ærø Ωμέγα Живаго", 4),
    ],
)
def test_count_words(text: str, number: int) -> None:
    assert count_words(text) == number


@given(AWKWARD)
def test_the_fast_count_is_the_count_of_words(text: str) -> None:
    """Without unspaced scripts, counting fast and listing the words come to the same."""
    if not is_unspaced(text):
        assert count_words(text) == len(words(text))


@given(AWKWARD, AWKWARD)
def test_words_add_up_over_a_blank(one: str, other: str) -> None:
    assert count_words(f"{one} — {other}") == count_words(one) + count_words(other)


def test_is_unspaced() -> None:
    assert is_unspaced("abc 今") is True
    assert is_unspaced("สวัสดี") is True
    assert is_unspaced("abc — é 한국어 🎉") is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Don’t share", "don't share"),
        ("don´t", "don't"),
        ("don`t", "don't"),
        ("net\u00a030", "NET 30"),
        ("net\u2009\n 30", "net 30"),
        ("“Hi”", '"hi"'),
        ("a–b", "a-b"),
        ("re\u00adfund", "refund"),
        ("guaran\u200bteed", "guaranteed"),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
        ("cafe\u0301", "CAFÉ"),
    ],
)
def test_fold_makes_look_alikes_equal(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_fold_keeps_what_differs() -> None:
    assert fold("free") != fold("freedom")
    assert fold("a b") != fold("ab")


@given(ANY_TEXT)
def test_storage_escapes_come_back_exactly(text: str) -> None:
    stored = to_storage(text)
    assert from_storage(stored) == text
    assert "\x00" not in stored
    stored.encode("utf-8")


@given(st.text(alphabet="\x00\ud800\udfff\ue0000f8d", max_size=30))
def test_storage_escapes_come_back_exactly_from_their_own_marks(text: str) -> None:
    assert from_storage(to_storage(text)) == text


@given(st.lists(st.text(alphabet="\x00\ue0000d8", max_size=8), min_size=2, max_size=2))
def test_storage_escapes_keep_different_texts_apart(pair: list[str]) -> None:
    assert (to_storage(pair[0]) == to_storage(pair[1])) is (pair[0] == pair[1])


def test_plain_text_is_stored_as_it_is() -> None:
    assert to_storage("Plain é 今 🎉 \n") == "Plain é 今 🎉 \n"


def test_person_key() -> None:
    assert person_key(" Ana  Ruiz ") == person_key("ana ruiz")
    assert person_key("Ana") != person_key("Anna")
