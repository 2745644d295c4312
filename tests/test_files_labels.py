"""Label and verdict files, in every shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.files import labels as label_files
from core.files import verdicts as verdict_files
from core.files.labels import NATIVE_WORDS, LabelRow, LabelsFile, read_labels, write_labels
from core.files.shapes import Shape, preview_words, suggest_shape
from core.files.tables import read_table
from core.files.verdicts import VerdictRow, VerdictsFile, read_verdicts, write_verdicts
from core.verdict import CriterionVerdict, LabelValue, Unscored, Verdict, WordMap

PASS, FAIL, UNSURE = LabelValue.PASS, LabelValue.FAIL, LabelValue.UNSURE
WORDS = WordMap.of(["pass"], ["fail"])


def labels(text: str, shape: Shape | None = None, words: WordMap = WORDS) -> LabelsFile:
    table = read_table(text.encode(), "l.csv")
    return read_labels(table, shape or suggest_shape(table.columns, "reviewer"), words)


def verdicts(text: str, shape: Shape | None = None, words: WordMap = WORDS) -> VerdictsFile:
    table = read_table(text.encode(), "v.csv")
    return read_verdicts(table, shape or suggest_shape(table.columns, "judge"), words)


def test_long_labels() -> None:
    found = labels(
        "sample_id,trial,criterion,reviewer,verdict,note,labelled_at,ticket\n"
        "1,1,tone,ana,pass,fine,2026-01-02T03:04:05+00:00,T-9\n1,1,Overall,ben,FAIL,,,\n"
    )
    assert found.rows == [
        LabelRow(
            "1", 1, "tone", "ana", PASS, "fine", "2026-01-02T03:04:05+00:00", {"ticket": "T-9"}
        ),
        LabelRow("1", 1, "overall", "ben", FAIL, extra={"ticket": ""}),
    ]


def test_a_column_per_criterion() -> None:
    shape = Shape("id", by_criterion={"tone_ok": "tone", "all": "overall"}, who_is="ana")
    found = labels("id,tone_ok,all\n1,pass,fail\n2,,pass\n", shape)
    assert [(r.sample_id, r.criterion, r.verdict) for r in found.rows] == [
        ("1", "tone", PASS), ("1", "overall", FAIL), ("2", "overall", PASS),
    ]  # fmt: skip
    assert found.unlabelled == {"blank": 1}


def test_a_column_per_reviewer() -> None:
    shape = Shape(
        "idx", by_who={"annotator1": "A", "annotator2": "B", "annotator3": "C"}, criterion_is="tone"
    )
    found = labels("idx,annotator1,annotator2,annotator3\n0,1,2,1\n", shape, WordMap.of(["1"]))
    assert [(r.reviewer, r.criterion, r.verdict) for r in found.rows] == [
        ("A", "tone", PASS), ("B", "tone", FAIL), ("C", "tone", PASS),
    ]  # fmt: skip


def test_zero_can_mean_pass() -> None:
    text = "id,reviewer,label\n1,a,0\n2,a,0\n3,a,1\n"
    assert [r.verdict for r in labels(text, words=WordMap.of(["0"], ["1"])).rows] == [
        PASS,
        PASS,
        FAIL,
    ]
    assert [r.verdict for r in labels(text, words=WordMap.of(["1"], ["0"])).rows] == [
        FAIL,
        FAIL,
        PASS,
    ]


def test_one_and_one_point_zero_are_one_word() -> None:
    text = "id,reviewer,label\n1,a,1.0\n2,a,0.0\n3,a,\n"
    assert [r.verdict for r in labels(text, words=WordMap.of(["1"])).rows] == [PASS, FAIL]


def test_what_is_no_label_is_counted_by_word() -> None:
    found = labels("id,reviewer,label\n1,a,unsure\n2,a,\n3,a,N/A\n4,a,garbage\n5,a,?\n6,a,pass\n")
    assert [(r.sample_id, r.verdict) for r in found.rows] == [
        ("1", UNSURE), ("5", UNSURE), ("6", PASS),
    ]  # fmt: skip
    assert found.unlabelled == {"unsure": 1, "blank": 1, "n/a": 1, "garbage": 1, "?": 1}


def test_a_grade_out_of_range_is_a_problem_with_its_line() -> None:
    found = labels("id,reviewer,label\n1,a,pass\n2,a,7\n")
    assert len(found.rows) == 1
    assert [p.line for p in found.problems] == [3]
    assert "'7' is not one of the words" in found.problems[0].message


def test_two_reviewers_of_one_output_stay_two() -> None:
    found = labels("id,reviewer,label\n1,ana,pass\n1,ben,fail\n")
    assert len(found.rows) == 2
    assert (found.duplicates, found.conflicts) == (0, [])


def test_one_reviewer_who_says_two_things_is_a_conflict() -> None:
    found = labels("id,reviewer,label\n1,ana,pass\n1,Ana ,fail\n2,ana,pass\n2,ana,pass\n")
    assert [r.sample_id for r in found.rows] == ["2"]
    assert found.duplicates == 1
    assert [c.lines for c in found.conflicts] == [(2, 3)]


def test_nobody_labels_anonymously() -> None:
    with pytest.raises(InputError, match="no reviewer is named"):
        labels("id,label\n1,pass\n")
    found = labels("id,reviewer,label\n1, ,pass\n")
    assert (found.rows, found.problems) == ([], [(2, "the reviewer is blank.")])


def test_the_place_of_the_verdicts_must_be_said_once() -> None:
    with pytest.raises(InputError, match="Choose one of the three"):
        labels("id,a,b\n1,pass,pass\n", Shape("id", "a", by_who={"b": "ben"}))
    with pytest.raises(InputError, match="no column 'b'"):
        labels("id,a\n1,pass\n", Shape("id", "b", who_is="x"))


def test_preview_shows_the_effect_before_anything_is_stored() -> None:
    values = ["0", "1", "1.0", "unsure", "7", "7", "unknown", ""]
    people = preview_words(values, WordMap.of(["0"], ["1"]), judge=False)
    assert people.by_word == {"0": 1, "1": 2, "unsure": 1, "7": 2, "unknown": 1, "": 1}
    assert people.by_verdict == {"PASS": 1, "FAIL": 2, "none": 3}
    assert people.unmapped == {"7": 2}
    judge = preview_words(values, WordMap.of(["0"]), judge=True)
    assert judge.by_verdict == {"PASS": 1, "FAIL": 4, "UNKNOWN": 1, "none": 2}


# --- verdicts --------------------------------------------------------------------------------


def test_why_there_is_no_verdict() -> None:
    words = ["refused", "Truncated", "garbage", "", "n/a", "error", "skipped", "unknown", "pass"]
    found = verdicts("id,judge,verdict\n" + "".join(f"{i},j,{w}\n" for i, w in enumerate(words)))
    assert [r.result.unscored for r in found.rows] == [
        Unscored.REFUSED, Unscored.TRUNCATED, Unscored.UNREADABLE, Unscored.EMPTY, Unscored.EMPTY,
        Unscored.ERROR, Unscored.SKIPPED, None, None,
    ]  # fmt: skip
    assert [r.result.verdict for r in found.rows[-2:]] == [Verdict.UNKNOWN, Verdict.PASS]
    assert found.unscored == {
        "refused": 1, "truncated": 1, "unreadable": 1, "empty": 2, "error": 1, "skipped": 1,
    }  # fmt: skip


def test_evidence_and_change_come_along() -> None:
    found = verdicts("id,judge,criterion,evidence,verdict,change\n1,j,tone,blames,fail,say sorry\n")
    assert found.rows == [
        VerdictRow("1", 1, "tone", "j", CriterionVerdict(Verdict.FAIL, "blames", "say sorry"))
    ]


def test_two_judges_in_two_columns() -> None:
    shape = Shape("id", by_who={"gpt": "gpt", "panda": "panda"})
    found = verdicts("id,gpt,panda\n1,pass,fail\n", shape)
    assert [(r.judge, r.result.verdict) for r in found.rows] == [
        ("gpt", Verdict.PASS), ("panda", Verdict.FAIL),
    ]  # fmt: skip


# --- round trips -----------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"', "a\r\nb", ",", "=x", "NA"]
)
KEYS = st.sampled_from(["1", "007", "NA", "ana", "Ben", "tone", "overall", "x y"])


@given(
    st.dictionaries(
        st.tuples(KEYS, st.integers(0, 3), KEYS, KEYS),
        st.tuples(st.sampled_from(LabelValue), TEXTS, TEXTS, TEXTS),
        min_size=1, max_size=5,
    ),
    st.sampled_from(["csv", "jsonl"]),
)  # fmt: skip
def test_labels_go_out_and_come_back(
    found: dict[tuple[str, int, str, str], tuple[LabelValue, str, str, str]], form: str
) -> None:
    rows = [LabelRow(*key, *rest, {"ticket": extra}) for key, (*rest, extra) in found.items()]
    text = write_labels(rows, form)
    table = read_table(text.encode(), f"l.{form}")
    again = read_labels(table, suggest_shape(table.columns, "reviewer"), label_files.NATIVE_WORDS)
    assert (again.rows, again.problems) == (rows, [])
    assert write_labels(again.rows, form) == text


@given(
    st.dictionaries(
        st.tuples(KEYS, st.integers(0, 3), KEYS, KEYS),
        st.tuples(st.sampled_from([*Verdict, *Unscored]), TEXTS, TEXTS, TEXTS),
        min_size=1, max_size=5,
    ),
    st.sampled_from(["csv", "jsonl"]),
)  # fmt: skip
def test_verdicts_go_out_and_come_back(
    found: dict[tuple[str, int, str, str], tuple[Verdict | Unscored, str, str, str]], form: str
) -> None:
    rows = [
        VerdictRow(
            *key,
            CriterionVerdict(said, evidence, change)
            if isinstance(said, Verdict)
            else CriterionVerdict(None, evidence, change, said),
            {"ticket": extra},
        )
        for key, (said, evidence, change, extra) in found.items()
    ]
    text = write_verdicts(rows, form)
    table = read_table(text.encode(), f"v.{form}")
    again = read_verdicts(table, suggest_shape(table.columns, "judge"), verdict_files.NATIVE_WORDS)
    assert (again.rows, again.problems) == (rows, [])
    assert write_verdicts(again.rows, form) == text


# --- our own columns ------------------------------------------------------------------------------

OWN = "sample_id,trial,criterion,reviewer,verdict,note,labelled_at,kind,stratum,weight,seconds,question_hash"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("gold,,,,", "its kind is 'gold'"), (",,2,,", "its weight is '2'"), (",,0,,", "its weight is '0'"),
        (",,nan,,", "its weight is 'nan'"), (",,,soon,", "its seconds is 'soon'"),
        (",,,-1,", "its seconds is '-1'"), (",,,inf,", "its seconds is 'inf'"),
    ],
)  # fmt: skip
def test_a_cell_of_our_own_columns_that_cannot_be_is_a_problem_with_its_line(
    cells: str, said: str
) -> None:
    text = f"{OWN}\n1,1,tone,Ana,PASS,,,{cells}\n2,1,tone,Ana,PASS,,,label,failed,0.25,1.5,ab\n"
    table = read_table(text.encode(), "labels.csv")
    found = read_labels(table, suggest_shape(table.columns, "reviewer"), NATIVE_WORDS)
    [problem] = found.problems
    assert problem.line == 2
    assert said in problem.message
    [row] = found.rows
    assert (row.stratum, row.weight, row.seconds, row.question_hash) == ("failed", 0.25, 1.5, "ab")


def test_a_vote_and_a_decision_of_one_person_are_two_rows() -> None:
    text = f"{OWN}\n1,1,t,Ana,PASS,,,label,,,,\n1,1,t,Ana,FAIL,,,adjudication,,,,\n"
    table = read_table(text.encode(), "labels.csv")
    found = read_labels(table, suggest_shape(table.columns, "reviewer"), NATIVE_WORDS)
    assert found.conflicts == []
    assert [(row.kind, row.verdict.value) for row in found.rows] == [
        ("label", "PASS"), ("adjudication", "FAIL"),
    ]  # fmt: skip


def test_a_column_called_kind_in_somebody_elses_file_stays_theirs() -> None:
    table = read_table(b"id,label,annotator,kind\n1,pass,Ana,invoice\n", "theirs.csv")
    shape = suggest_shape(table.columns, "reviewer")
    found = read_labels(table, shape, WordMap.of(["pass"], ["fail"]))
    assert [(row.kind, row.extra) for row in found.rows] == [("label", {"kind": "invoice"})]
