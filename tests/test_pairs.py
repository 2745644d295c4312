from __future__ import annotations

import numpy as np
import pytest

from core.contract.contract import Contract
from core.errors import InputError
from core.files.pairs import Pairs, read_pairs, read_ratings, words_of
from core.files.tables import Table, read_table
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN, count
from core.verdict import WordMap

WORDS = WordMap.of(["pass"], ["fail"])


def table(text: str, name: str = "p.csv") -> Table:
    return read_table(text.encode(), name)


def pairs(text: str, words: WordMap = WORDS, **columns: object) -> Pairs:
    return read_pairs(table(text), "gold", "judge", words, **columns)  # type: ignore[arg-type]


def test_words_become_codes() -> None:
    found = pairs("gold,judge\npass,FAIL\nfail, pass \nunsure,unknown\nunknown,garbage\n,\n")
    assert found.gold.dtype == found.judge.dtype == np.int8
    assert found.gold.tolist() == [PASS, FAIL, MISSING, MISSING, MISSING]
    assert found.judge.tolist() == [FAIL, PASS, UNKNOWN, MISSING, MISSING]
    assert found.lines == [2, 3, 4, 5, 6]


def test_numbers_and_text_of_one_word_agree() -> None:
    lines = '{"gold": "1", "judge": 1}\n{"gold": "0", "judge": 0}\n{"gold": "1", "judge": 1.0}\n'
    found = read_pairs(table(lines, "p.jsonl"), "gold", "judge", WordMap.of(["1"], ["0"]))
    confusion = count(found.gold, found.judge)
    assert confusion.cells == (2, 0, 0, 1)


@pytest.mark.parametrize(
    ("zero_is", "cells"),
    # counted by hand from the five rows below
    [("pass", (1, 1, 1, 2)), ("fail", (2, 1, 1, 1))],
)
def test_what_zero_means_swaps_the_rates(zero_is: str, cells: tuple[int, ...]) -> None:
    text = "id,output,gold,judge\n1,a,0,0\n2,b,0,1\n3,c,1,1\n4,d,1,0\n5,e,1,1\n"
    words = WordMap.of(["0"], ["1"]) if zero_is == "pass" else WordMap.of(["1"], ["0"])
    found = pairs(text, words)
    assert count(found.gold, found.judge).cells == cells


def test_missing_gold_counts_as_unlabelled_before_unscored() -> None:
    found = pairs("gold,judge\n,\n,pass\npass,\npass,pass\n")
    confusion = count(found.gold, found.judge)
    assert (confusion.unlabelled, confusion.unscored, confusion.n) == (2, 1, 1)


def test_pass_alone_makes_any_other_word_fail_but_not_the_missing_ones() -> None:
    found = pairs("gold,judge\n1,2\ntie,garbage\n0,error\n1,unknown\n", WordMap.of(["1"]))
    assert found.gold.tolist() == [PASS, FAIL, FAIL, PASS]
    assert found.judge.tolist() == [FAIL, MISSING, MISSING, UNKNOWN]


def test_a_word_outside_both_lists_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match=r"p\.csv, line 3, column judge: 'maybe' is not one of"):
        pairs("gold,judge\npass,pass\nfail,maybe\n")


def test_identical_repeats_collapse_and_others_are_refused_with_both_lines() -> None:
    found = pairs("id,gold,judge\n1,pass,pass\n2,fail,pass\n1,pass,pass\n", id="id")
    assert (found.gold.tolist(), found.repeats) == ([PASS, FAIL], 1)
    with pytest.raises(InputError, match=r"lines 2 and 4: id '1' is given twice, differently"):
        pairs("id,gold,judge\n1,pass,pass\n2,fail,pass\n1,pass,fail\n", id="id")


def test_without_an_id_every_row_is_a_pair() -> None:
    assert len(pairs("gold,judge\npass,pass\npass,pass\n").gold) == 2


def test_blank_ids_and_clusters_are_refused() -> None:
    with pytest.raises(InputError, match="line 3, column id: the cell is blank"):
        pairs("id,gold,judge\n1,pass,pass\n ,pass,pass\n", id="id")
    with pytest.raises(InputError, match="line 2, column doc: the cell is blank"):
        pairs("doc,gold,judge\n,pass,pass\n", cluster="doc")


def test_clusters_are_numbered() -> None:
    found = pairs("doc,gold,judge\nb,pass,pass\na,pass,pass\nb,fail,pass\n", cluster="doc")
    assert found.clusters is not None
    assert found.clusters.tolist() == [0, 1, 0]


# --- criteria --------------------------------------------------------------------------------

LONG = """id,criterion,gold,judge
1,tone,pass,pass
1,length,pass,pass
2,tone,fail,pass
2,length,,pass
3,tone,pass,unknown
3,length,pass,pass
4,tone,pass,garbage
4,length,,pass
5,tone,pass,garbage
5,length,pass,fail
"""


def test_the_top_level_is_acceptance_per_id() -> None:
    """Gold: all pass / one fail / all pass / open / all pass. Judge: pass / pass / UNKNOWN / open

    / rejected whatever the unread verdict would have been.
    """
    found = pairs(LONG, id="id", criterion="criterion")
    assert found.gold.tolist() == [PASS, FAIL, PASS, MISSING, PASS]
    assert found.judge.tolist() == [PASS, PASS, UNKNOWN, MISSING, FAIL]
    assert list(found.by_criterion) == ["tone", "length"]
    assert found.by_criterion["length"].gold.tolist() == [PASS, MISSING, PASS, MISSING, PASS]
    assert found.by_criterion["tone"].judge.tolist() == [PASS, PASS, UNKNOWN, MISSING, MISSING]


def test_the_contract_decides_acceptance() -> None:
    contract = Contract.from_data({
        "criteria": [{"key": "length", "weight": 1}, {"key": "tone", "weight": 2}],
        "acceptance": {"rule": "threshold", "minimum": 2},
    })  # fmt: skip
    found = pairs(LONG, id="id", criterion="criterion", contract=contract)
    assert list(found.by_criterion) == ["length", "tone"]
    # tone alone reaches the minimum; the id is decided only when no verdict is open
    assert found.gold.tolist() == [PASS, FAIL, PASS, MISSING, PASS]
    assert found.judge.tolist() == [PASS, PASS, UNKNOWN, MISSING, MISSING]


def test_a_criterion_the_contract_does_not_have_is_refused() -> None:
    contract = Contract.from_data({"criteria": [{"key": "tone"}]})
    with pytest.raises(InputError, match=r"line 3: the contract has no criterion 'length'"):
        pairs(LONG, id="id", criterion="criterion", contract=contract)


def test_a_criterion_without_rows_is_named_and_leaves_acceptance_open() -> None:
    contract = Contract.from_data({"criteria": [{"key": "tone"}, {"key": "facts"}]})
    text = "id,criterion,gold,judge\n1,tone,pass,pass\n2,tone,fail,fail\n"
    found = pairs(text, id="id", criterion="criterion", contract=contract)
    assert found.absent == ("facts",)
    assert found.gold.tolist() == [MISSING, FAIL]


def test_an_overall_label_goes_before_the_rule() -> None:
    text = (
        "id,criterion,gold,judge\n1,tone,pass,pass\n1,overall,fail,fail\n"
        "2,tone,pass,fail\n2,Overall,unsure,pass\n3,overall,pass,pass\n"
    )
    found = pairs(text, id="id", criterion="criterion")
    assert found.gold.tolist() == [FAIL, PASS, PASS]
    # an evaluator's own "overall" is used only where it said nothing else
    assert found.judge.tolist() == [PASS, FAIL, PASS]
    assert list(found.by_criterion) == ["tone"]


def test_only_overall_rows() -> None:
    found = pairs("id,criterion,gold,judge\n1,overall,pass,fail\n", id="id", criterion="criterion")
    assert (found.gold.tolist(), found.judge.tolist()) == ([PASS], [FAIL])


def test_one_id_and_criterion_is_one_row() -> None:
    text = "id,criterion,gold,judge\n1,tone,pass,pass\n1,tone,pass,fail\n"
    with pytest.raises(InputError, match=r"lines 2 and 3: id '1' with criterion 'tone'"):
        pairs(text, id="id", criterion="criterion")
    with pytest.raises(InputError, match="--id"):
        pairs(text, criterion="criterion")


def test_one_id_is_in_one_cluster() -> None:
    text = "id,criterion,doc,gold,judge\n1,a,x,pass,pass\n1,b,y,pass,pass\n"
    with pytest.raises(InputError, match="line 3: id '1' is in another cluster than on line 2"):
        pairs(text, id="id", criterion="criterion", cluster="doc")


# --- words and ratings -----------------------------------------------------------------------


def test_plain_words_need_no_answer_but_numbers_do() -> None:
    t = table("gold,judge\nTrue,no\nfalse,YES\n,garbage\n")
    assert words_of(t, ["gold", "judge"], [], []) == WordMap.of(["true", "yes"], ["no", "false"])
    with pytest.raises(InputError, match="'1', '0' may mean PASS or FAIL"):
        words_of(table("gold,judge\n1,0\n"), ["gold", "judge"], [], [])
    assert words_of(table("gold,judge\n1,0\n"), ["gold", "judge"], ["1"], []) == WordMap.of(["1"])


def test_columns_without_a_verdict_word_are_refused() -> None:
    with pytest.raises(InputError, match="no verdict word"):
        words_of(table("gold,judge\n,n/a\n"), ["gold", "judge"], [], [])


def test_ratings_keep_their_words_and_drop_what_is_none() -> None:
    t = table("a,b\n2,2\nTie, tie\n1.0,1\n,garbage\n")
    found = read_ratings(t, ["a", "b"])
    assert found.words == ["2", "tie", "1"]
    assert found.codes.tolist() == [[0, 0], [1, 1], [2, 2], [MISSING, MISSING]]
    assert found.left_out == {"blank": 1, "garbage": 1}


@pytest.mark.parametrize("raters", [[], ["a"], ["a", "a"]])
def test_raters_are_two_or_more_columns(raters: list[str]) -> None:
    with pytest.raises(InputError, match="two or more different columns"):
        read_ratings(table("a,b\n1,1\n"), raters)


def test_most_of_several_people_decide_and_a_tie_is_no_label() -> None:
    text = "a,b,c,judge\npass,pass,fail,pass\nfail,fail,,fail\npass,fail,,pass\n,,pass,fail\n"
    found = read_pairs(table(text), ["a", "b", "c"], "judge", WordMap.of(["pass"], ["fail"]))
    assert found.gold.tolist() == [PASS, FAIL, MISSING, PASS]
