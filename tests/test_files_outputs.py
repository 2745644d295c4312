from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.files.outputs import (
    ColumnMap,
    OutputRow,
    OutputsFile,
    read_outputs,
    read_trial,
    suggest_mapping,
    write_outputs,
)
from core.files.tables import read_table


def read(text: str, mapping: ColumnMap | None = None, name: str = "o.csv") -> OutputsFile:
    table = read_table(text.encode(), name)
    return read_outputs(table, mapping or suggest_mapping(table.columns))


def test_names_people_use_are_offered() -> None:
    assert suggest_mapping(["idx", "Prompt", "Response", "expected", "epoch", "ticket"]) == (
        ColumnMap("idx", "Response", "Prompt", "expected", "epoch")
    )
    assert suggest_mapping(["sku", "customer message", "description"]) == (
        ColumnMap("sku", "description", "customer message")
    )
    assert suggest_mapping(["a", "b"]) == ColumnMap()


def test_other_columns_are_kept() -> None:
    found = read("id,trial,input,output,reference,ticket\n007,2,q,,r,T-9\n")
    assert found.rows == [OutputRow("007", 2, "q", "", "r", {"ticket": "T-9"})]
    assert found.rows[0].line == 2


def test_empty_output_and_zero_are_texts() -> None:
    assert [r.output for r in read("id,output\n1,\n2,0\n").rows] == ["", "0"]


@pytest.mark.parametrize(
    ("cell", "trial"), [("1", 1), ("0", 0), (" 12 ", 12), ("1.0", 1), ("-1", -1)]
)
def test_trials_that_are_understood(cell: str, trial: int) -> None:
    assert read_trial(cell) == trial


@pytest.mark.parametrize(
    "cell", ["", "-", "--1", "-1.5", "1.5", "one", "1e3", "nan", "inf", "²", "9" * 20, ".0"]
)
def test_trials_that_are_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="whole number"):
        read_trial(cell)


def test_unusable_rows_are_named_and_the_rest_is_read() -> None:
    found = read("id,trial,output\n1,x,a\n ,1,b\n2,1,c\n")
    assert [r.sample_id for r in found.rows] == ["2"]
    assert [p.line for p in found.problems] == [2, 3]


def test_identical_repeats_collapse_and_are_counted() -> None:
    found = read("id,output\n1,a\n2,b\n1,a\n1,a\n")
    assert [r.sample_id for r in found.rows] == ["1", "2"]
    assert (found.duplicates, found.conflicts) == (2, [])


def test_rows_that_differ_under_one_key_are_shown_and_none_is_taken() -> None:
    found = read("id,output\n1,a\n2,b\n1,c\n")
    assert [r.sample_id for r in found.rows] == ["2"]
    assert [c.lines for c in found.conflicts] == [(2, 4)]
    assert str(found.conflicts[0]) == "sample '1', trial 1 is given differently on lines 2, 4"


def test_number_and_text_are_one_id() -> None:
    found = read('{"id": 17, "output": "a"}\n{"id": "17", "output": "b"}\n', name="o.jsonl")
    assert (len(found.rows), len(found.conflicts)) == (0, 1)


def test_a_sample_has_one_input() -> None:
    found = read("id,trial,input,output\n1,1,q,a\n1,2,other,b\n1,3,q,c\n")
    assert [r.trial for r in found.rows] == [1, 3]
    assert found.problems == [(3, "sample '1' has another input on line 2.")]


def test_row_numbers_are_ids_only_by_choice() -> None:
    with pytest.raises(InputError, match="choose row numbers"):
        read("output\na\nb\n")
    found = read("output\na\na\n", ColumnMap(output="output", row_numbers=True))
    assert [r.sample_id for r in found.rows] == ["1", "2"]


def test_no_output_column_lists_what_is_there() -> None:
    with pytest.raises(InputError, match=r"It has 'id', 'x'"):
        read("id,x\n1,a\n")


def test_a_broken_line_of_the_table_stays_visible() -> None:
    assert [p.line for p in read('id,output\n1,a\n2,"b\n').problems] == [3]


def test_a_column_of_the_user_with_a_native_name_is_kept() -> None:
    mapping = ColumnMap("id", "output", "prompt")
    found = read("id,prompt,input,output\n1,q,old,a\n", mapping)
    text = write_outputs(found.rows)
    assert text == "sample_id,trial,input,output,input (extra)\r\n1,1,q,a,old\r\n"
    again = read(text)
    assert write_outputs(again.rows) == text


def test_formula_like_cells_are_written_as_they_are() -> None:
    assert "1,1,=1+2,@x\r\n" in write_outputs([OutputRow("1", 1, "=1+2", "@x", None)])


def test_csv_cannot_carry_half_a_surrogate_but_json_lines_can() -> None:
    row = OutputRow("1", 1, "", "bad \ud800 half", None)
    with pytest.raises(InputError, match="Export as JSONL"):
        write_outputs([row])
    assert read(write_outputs([row], "jsonl"), name="o.jsonl").rows == [row]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=15) | st.sampled_from(
    ['He said "no",\nthen left; it cost 1,200', "a\r\nb", "NA", "=x", "\r", "0", ""]
)
IDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=5)


@given(
    st.dictionaries(
        st.tuples(IDS, st.integers(0, 9)), st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=5
    ),
    st.sampled_from(["csv", "jsonl"]),
)
def test_export_import_export_is_identical(
    outputs: dict[tuple[str, int], tuple[str, str, str]], form: str
) -> None:
    rows = [
        OutputRow(
            id_.strip() or "x",
            trial,
            f"task {id_.strip() or 'x'}",
            text,
            ref or None,
            {"ticket": extra},
        )
        for (id_, trial), (text, ref, extra) in outputs.items()
    ]
    first = write_outputs(rows, form)
    found = read(first, name=f"o.{form}")
    assert (found.rows, found.problems, found.conflicts) == (rows, [], [])
    assert write_outputs(found.rows, form) == first
