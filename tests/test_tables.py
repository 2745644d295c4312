from __future__ import annotations

import codecs
import csv
import io
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.files.delimited import MAX_RECORD, records, to_csv
from core.files.jsonrows import to_jsonl
from core.files.tables import NeedsChoice, Table, read_table


def table(text: str, name: str = "t.csv", **chosen: str) -> Table:
    return read_table(text.encode(), name, **chosen)  # type: ignore[arg-type]


# --- words stay words ------------------------------------------------------------------------


def test_words_that_readers_take_for_missing_stay_words() -> None:
    t = table('id,output,label\nNA,None,pass\n007,null,fail\n8,"N/A",pass\n')
    assert t.column("id") == ["NA", "007", "8"]
    assert t.column("output") == ["None", "null", "N/A"]
    assert t.problems == ()


def test_an_empty_cell_is_the_empty_string() -> None:
    assert table('a,b,c\n,"",x\n').rows == [("", "", "x")]


def test_json_values_keep_the_text_they_were_written_with() -> None:
    t = table(
        '{"id": 17, "x": 1.0, "y": true, "z": null, "n": {"a": [1.50, "1", null]}}\n'
        '{"id": "17", "x": 12345678901234567890, "y": 1e5}\n',
        "t.jsonl",
    )
    assert t.rows == [
        ("17", "1.0", "true", "", '{"a":[1.50,"1",null]}'),
        ("17", "12345678901234567890", "1e5", "", ""),
    ]
    assert (t.format, t.separator) == ("jsonl", None)


# --- separators ------------------------------------------------------------------------------


def test_semicolon_file_with_commas_in_the_text() -> None:
    t = table('id;output;label\n1;Ships Monday, not Tuesday;pass\n2;"a; b";fail\n')
    assert t.columns == ("id", "output", "label")
    assert t.column("output") == ["Ships Monday, not Tuesday", "a; b"]
    assert t.separator == ";"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_each_separator_is_found(separator: str) -> None:
    text = f"id{separator}output\n1{separator}x\n2{separator}y\n"
    assert table(text).separator == separator


def test_one_column_is_a_table() -> None:
    assert table("output\nyes; and no\nplain\n").rows == [("yes; and no",), ("plain",)]


def test_two_fitting_separators_are_asked_and_the_choice_is_taken() -> None:
    text = "a,b;c\n1,2;3\n4,5;6\n"
    with pytest.raises(NeedsChoice, match="comma or by semicolon") as asked:
        table(text)
    assert (asked.value.field, asked.value.guess) == ("separator", ",")
    assert table(text, separator=";").rows == [("1,2", "3"), ("4,5", "6")]
    assert table("a\tb\n1\t2\n", separator="tab").rows == [("1", "2")]


@pytest.mark.parametrize("separator", ["", "::", '"', "\n"])
def test_what_cannot_separate_is_refused(separator: str) -> None:
    with pytest.raises(InputError, match="cannot separate cells"):
        table("a,b\n1,2\n", separator=separator)


def test_the_separator_line_of_a_spreadsheet_is_no_header() -> None:
    t = table("sep=;\nid;x\n1;a,b\n")
    assert (t.columns, t.rows, t.lines) == (("id", "x"), [("1", "a,b")], [3])


# --- broken lines ----------------------------------------------------------------------------


def test_quotes_that_are_not_doubled_cost_their_line_only() -> None:
    t = table(
        'id,output,label\n6,"ok",pass\n7,{"answer":""},pass\n8,"say "no"",fail\n9,fine,fail\n'
    )
    assert t.column("id") == ["6", "9"]
    assert [p.line for p in t.problems] == [3, 4]
    assert "double the quote" in t.problems[0].message
    assert "must be doubled" in t.problems[1].message


def test_a_quote_never_closed_does_not_swallow_the_file() -> None:
    t = table('id,output\n1,a\n2,"open\n3,c\n4,d\n')
    assert t.column("id") == ["1", "3", "4"]
    assert [p.line for p in t.problems] == [3]


def test_too_many_and_too_few_cells_are_named() -> None:
    t = table("a,b\n1\n1,2,3\n4,5\n")
    assert t.rows == [("4", "5")]
    assert t.problems == (
        (2, "1 cells where the header has 2."),
        (3, "3 cells where the header has 2."),
    )


def test_lines_count_through_blank_lines_and_breaks_inside_cells() -> None:
    t = table('a,b\r\n\r\n"x\r\ny",1\r\n\r\nz,2\r\n')
    assert t.rows == [("x\r\ny", "1"), ("z", "2")]
    assert t.lines == [3, 6]


def test_quotes_are_characters_in_tab_separated_text() -> None:
    assert table('a\tb\nsay "no"\t1\n', "t.tsv").rows == [('say "no"', "1")]


def test_json_lines_that_are_no_rows_are_named() -> None:
    t = table(
        '{"a": 1}\n{"a": NaN}\n\n{"a": 1, "a": 2}\n[1]\n{"a": 1\n{"a": -Infinity}\n{"a": 1} x\n'
        '{"a": {"b": 1, "b": 2}}\n{"a": 2}\n',
        "t.jsonl",
    )
    assert t.rows == [("1",), ("2",)]
    assert [p.line for p in t.problems] == [2, 4, 5, 6, 7, 8, 9]
    assert "NaN is not JSON" in t.problems[0].message
    assert "'a' is given twice" in t.problems[1].message


def test_json_array_reads_with_line_numbers() -> None:
    t = table('[\n {"a": 1},\n {"a": NaN},\n {"b": "x"}\n]\n', "t.json")
    assert (t.columns, t.rows, t.lines) == (("a", "b"), [("1", ""), ("", "x")], [2, 4])
    assert t.format == "json"
    assert [p.line for p in t.problems] == [3]


@pytest.mark.parametrize(
    ("text", "line"), [('[{"a": 1}\n {"a": 2}]', 2), ('[{"a": 1},\n', 2), ('[{"a": 1}]\nx', 2)]
)
def test_a_json_array_that_breaks_off_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"line {line}"):
        table(text, "t.json")


def test_deep_nesting_is_a_problem_not_a_crash() -> None:
    deep = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    t = table(deep + '\n{"a": 1}\n', "t.jsonl")
    assert t.rows == [("1",)]
    assert t.problems == ((1, "nested too deeply."),)


def test_a_line_of_thirty_megabytes_is_reported_by_number() -> None:
    text = '{"a": 1}\n{"a": "' + "x" * 30_000_000 + '"}\n{"a": 2}\n'
    t = table(text, "t.jsonl")
    assert t.rows == [("1",), ("2",)]
    assert t.problems[0].line == 2
    assert f"more than {MAX_RECORD:,}" in t.problems[0].message


def test_a_cell_of_a_million_characters_is_read() -> None:
    long = "word, " * 170_000
    assert table(f'id,x\n1,"{long}"\n').rows == [("1", long)]


# --- encodings -------------------------------------------------------------------------------

TEXT = "id,output\n1,Zürich – “naïve” 東京\n2,b\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16"),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16"),
        (codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"), "utf-32"),
    ],
)
def test_marked_and_utf8_files_are_read(data: bytes, encoding: str) -> None:
    t = read_table(data, "t.csv")
    assert t.columns == ("id", "output")
    assert t.column("output") == ["Zürich – “naïve” 東京", "b"]
    assert t.encoding == encoding


def test_another_encoding_is_asked_with_a_guess_and_a_preview() -> None:
    data = "id,output\n1,plain\n2,Die Größe – “schön”\n".encode("cp1252")
    with pytest.raises(NeedsChoice, match="--encoding cp1252") as asked:
        read_table(data, "t.csv")
    assert (asked.value.field, asked.value.guess) == ("encoding", "cp1252")
    assert asked.value.preview == "2,Die Größe – “schön”"
    assert "line 3" in asked.value.problem
    assert read_table(data, "t.csv", encoding="cp1252").column("output")[1] == "Die Größe – “schön”"


def test_cyrillic_is_not_guessed_as_western() -> None:
    data = "id,output\n1,Привет мир как дела сегодня\n".encode("cp1251")
    with pytest.raises(NeedsChoice) as asked:
        read_table(data, "t.csv")
    assert asked.value.guess == "cp1251"


def test_mixed_encodings_say_where_utf8_broke() -> None:
    data = "id,x\n1,é\n".encode() + "2,é\n".encode("cp1252")
    with pytest.raises(NeedsChoice, match=r"line 3 on .*two encodings may be mixed"):
        read_table(data, "t.csv")


def test_utf16_without_its_mark_is_asked() -> None:
    data = TEXT.encode("utf-16-le")
    with pytest.raises(NeedsChoice) as asked:
        read_table(data, "t.csv")
    assert asked.value.guess == "utf-16-le"
    assert read_table(data, "t.csv", encoding="utf-16-le").columns == ("id", "output")


def test_a_wrong_choice_of_encoding_is_refused() -> None:
    with pytest.raises(InputError, match="line 2: cannot be read as ascii"):
        read_table("a,b\né,1\n".encode(), "t.csv", encoding="ascii")
    for name in ("nonsense", "hex", "a\0b"):
        with pytest.raises(InputError, match="not a text encoding"):
            read_table(b"a,b\n1,2\n", "t.csv", encoding=name)


# --- what is no table ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"  \n\n", "empty"),
        (codecs.BOM_UTF8, "empty"),
        (b"%PDF-1.7 ...", "a PDF"),
        (b"PK\x03\x04....xl/workbook.xml", "Excel workbook"),
        (b"PK\x03\x04....a.txt", "ZIP archive"),
        (b"\xd0\xcf\x11\xe0rest", "old Excel"),
        (b"\x89PNG\r\n\x1a\n", "PNG image"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"id,output\n", "only a header line"),
        (b"a,a\n1,2\n", "two columns are called 'a'"),
        (b'a,"b\n1,2\n', "header cannot be read"),
    ],
)
def test_what_holds_no_table_is_refused_in_one_line(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        read_table(data, "t.csv")
    assert "\n" not in str(refused.value)


def test_yaml_is_called_yaml_and_not_a_table_of_one_column() -> None:
    with pytest.raises(InputError, match="this is YAML"):
        table("- model: a\n  first: 46\n", "runs.yml")


def test_an_empty_array_is_refused() -> None:
    with pytest.raises(InputError, match="an empty list, no rows"):
        table("[]", "t.json")


@pytest.mark.parametrize("name", ["log.json", "log.txt"])
def test_one_json_object_over_several_lines_is_no_table(name: str) -> None:
    with pytest.raises(InputError, match="one JSON object, not a table"):
        table('{\n "a": [\n 1\n ],\n "b": NaN\n}\n', name)


def test_json_lines_are_known_by_their_content_too() -> None:
    assert table('{"a": 1}\n', "t.csv").format == "jsonl"
    assert table('[{"a": 1}]\n', "t.jsonl").format == "json"
    assert table("{a},b\n1,2\n", "t.csv").columns == ("{a}", "b")


def test_when_no_line_is_usable_the_first_problem_is_the_error() -> None:
    with pytest.raises(InputError, match="line 2: 1 cells where the header has 2"):
        table("a,b\n1\n2\n")


def test_paths_are_checked_before_they_are_read(tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(2_000_000_000)
    started = time.process_time()
    with pytest.raises(InputError, match=r"2,000\.0 MB is more than the limit of 50\.0 MB"):
        read_table(large, "large.csv")
    assert time.process_time() - started < 1
    with pytest.raises(InputError, match="a directory"):
        read_table(tmp_path, "x")
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "none.csv", "none.csv")
    with pytest.raises(InputError, match="more than the limit"):
        read_table(b"a,b\n1,2\n", "t.csv", max_bytes=5)


def test_a_column_without_a_name_gets_one_and_is_reported() -> None:
    t = table(",id\n0,a\n")
    assert t.columns == ("column 1", "id")
    assert t.problems == ((1, "Column 1 has no name; here it is 'column 1'."),)


def test_a_missing_column_is_answered_with_the_nearest() -> None:
    t = table("Output,label\nx,y\n")
    with pytest.raises(InputError, match="Did you mean 'Output'") as refused:
        t.require("label", "outputs")
    assert "'label'" in str(refused.value)


def test_the_same_bytes_have_the_same_identity() -> None:
    assert table("a,b\n1,2\n").sha256 == table("a,b\n1,2\n", "other.csv").sha256
    assert table("a,b\n1,2\n").sha256 != table("a,b\n1,3\n").sha256


def test_old_line_ends_are_read() -> None:
    assert table("a,b\r1,2\r3,4\r").rows == [("1", "2"), ("3", "4")]


# --- laws ------------------------------------------------------------------------------------

CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["=1+2", "@x", "-3", "a\r\nb", '""', '"', ",", "\r", "\n", "a;b", "NA", "007", " x ", "\ufeff"]
)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6)


@given(ROWS)
def test_csv_comes_back_as_it_was(rows: list[tuple[str, str, str]]) -> None:
    t = table(to_csv(["id", "x;y", "z"], rows))
    assert (t.rows, t.problems) == (rows, ())


@given(ROWS)
def test_json_lines_come_back_as_they_were(rows: list[tuple[str, str, str]]) -> None:
    t = table(to_jsonl(dict(zip("abc", row, strict=True)) for row in rows), "t.jsonl")
    assert (t.rows, t.problems) == (rows, ())


@given(ROWS, st.sampled_from([",", ";", "|"]), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_sound_files_read_as_the_csv_module_reads_them(
    rows: list[tuple[str, str, str]], separator: str, quoting: int
) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    text = stream.getvalue()
    expected = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    assert [cells for _, cells, _ in records(text, separator)] == expected


@given(st.text(st.sampled_from('a",;\n\r\t1'), max_size=40))
def test_any_text_is_read_or_refused_and_every_line_is_accounted_for(text: str) -> None:
    found = list(records(text, ","))
    lines = [line for line, _, _ in found]
    assert lines == sorted(set(lines))
    assert all(bool(cells) != bool(problem) for _, cells, problem in found)


@given(st.binary(max_size=60))
def test_any_bytes_give_a_table_or_one_line(data: bytes) -> None:
    try:
        read_table(data, "t.csv")
    except InputError as error:
        assert "\n" not in str(error)


def test_a_hundred_thousand_rows_take_little_time() -> None:
    rows = [
        [f"s{i}", "1", f"task {i}", f'He said "no",\nthen {i}', "", "x"] for i in range(100_000)
    ]
    data = to_csv(list("abcdef"), rows).encode()
    started = time.process_time()
    t = read_table(data, "t.csv")
    assert time.process_time() - started < 3  # half a second on an idle core
    assert t.rows[99_999] == tuple(rows[99_999])
