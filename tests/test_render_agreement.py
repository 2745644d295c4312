"""The report: the same numbers as the screen, on its own, whatever names it is given."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from core.render_agreement import Report, report_html, report_markdown
from core.statistics.confusion import Confusion, count
from core.wording import coefficient, count_of, rate

CELLS = count([1] * 40 + [0] * 10, [1] * 38 + [0] * 2 + [1] * 3 + [0] * 7)
RATES = (CELLS.false_accept_rate, CELLS.false_reject_rate, CELLS.precision)
EMPTY = Confusion(0, 0, 0, 0)
HOSTILE = "<script>alert(1)</script> | **Ana** ![x](http://e.example/x.png) \ud800"


def report(name: str = "Ana") -> Report:
    none = (EMPTY.false_accept_rate, EMPTY.false_reject_rate, EMPTY.precision)
    return Report(
        f"Agreement of {name}",
        [("Measured", name)],
        ["3 of 10 bad outputs passed."],
        {"tone": (CELLS, RATES), "overall": (EMPTY, none)},
        [(name, CELLS, RATES)],
        (0.05, None),
        [("What counts", ["50 outputs counted."]), ("Left away", [])],
    )


def test_both_forms_hold_every_number_of_the_screen() -> None:
    wanted = [rate(one) for one in RATES] + [count_of(one) for one in RATES]
    wanted += [coefficient(CELLS.kappa), coefficient(CELLS.ac1), "50 outputs counted."]
    # Markdown folds no-break spaces; digits and signs are the same.
    page, text = (made(report()).replace("\u00a0", " ") for made in (report_html, report_markdown))
    for said in wanted:
        assert said.replace("\u00a0", " ") in page
        assert said.replace("\u00a0", " ") in text
    # What is not measured gives its reason and no number.
    assert "not measured: no bad outputs labelled" in text
    assert "Left away" not in text
    assert "nan" not in text.lower()


def test_the_page_stands_alone_and_names_are_data() -> None:
    page = report_html(report(HOSTILE))
    tags: list[tuple[str, dict[str, str | None]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append((tag, dict(attrs)))

    Reader().feed(page)
    assert not {"script", "img", "link", "iframe", "object"} & {tag for tag, _ in tags}
    assert not [a for _, attrs in tags for a in ("src", "href") if a in attrs]
    assert page.encode("utf-8").decode("utf-8") == page
    assert 4 == sum(tag == "svg" for tag, _ in tags)


def test_a_name_breaks_no_markdown_table() -> None:
    text = report_markdown(report(HOSTILE))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows if "tone" in row or "Ana" in row}
    assert {15, 6} == widths
    assert "![x]" not in text


def test_the_limit_is_drawn_and_named_where_there_is_one() -> None:
    page = report_html(report())
    assert 2 == page.count("stroke-dasharray")
    assert "dashed: the limit of 5.0\u00a0%" in page
