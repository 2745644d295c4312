"""The page about a contract as HTML: nothing in it is alive, and it says what the Markdown says."""

from __future__ import annotations

from html.parser import HTMLParser

from core.contract.contract import Contract
from core.files.contracts import read_contract
from core.render import Data, Heading, Paragraph, Verbatim, contract_page
from core.render_html import contract_body, contract_html
from sample_data.samples import SAMPLES

HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(1)> ![x](http://example.invalid/a.png) **b** &amp; \"' $x$ :red[y]"


class Reader(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.pre: list[str] = []
        self._at = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._at = tag

    def handle_endtag(self, tag: str) -> None:
        self._at = ""

    def handle_data(self, data: str) -> None:
        (self.pre if self._at == "pre" else self.words).append(data)


def hostile() -> Contract:
    """Hostile text wherever a person or a model may write."""
    return Contract.from_data(
        {
            "title": HOSTILE,
            "task": HOSTILE,
            "evaluator": {"type": "self_review", "knows": f"{HOSTILE}\n{HOSTILE}"},
            "criteria": [
                {"key": HOSTILE[:150].strip(), "question": HOSTILE, "pass_example": f"{HOSTILE}\r\n</pre>",
                 "fail_example": "\x00\ud800 \u2028 x", "checked_by": "code",
                 "check": {"kind": "contains", "text": HOSTILE}}
            ],
            "does_not_examine": HOSTILE,
            "stop": {"on_failure": HOSTILE},
        }
    )  # fmt: skip


def test_no_text_becomes_an_element_and_none_is_lost() -> None:
    page = contract_html(hostile())
    found = Reader(page)
    assert {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "pre",
        "bdi", "em",
    } >= found.tags  # fmt: skip
    assert {"lang", "charset", "http-equiv", "content", "name", "dir"} >= found.attributes
    # Title, heading, task, key, question, what is not examined, who gets failures.
    assert 6 <= sum(HOSTILE in text for text in found.words)
    assert f"{HOSTILE}\n</pre>" in found.pre
    page.encode("utf-8")


def test_a_page_fetches_nothing_and_runs_nothing() -> None:
    page = contract_html(read_contract(SAMPLES["refund_reply"].contract))
    assert "default-src 'none'" in page
    assert not [word for word in ("<script", "<link", "<img", "@import", "url(") if word in page]
    assert "@media print" in page


def test_it_says_everything_the_page_says_in_order() -> None:
    for sample in SAMPLES.values():
        contract = read_contract(sample.contract)
        expected: list[str] = []
        for block in contract_page(contract):
            if isinstance(block, Verbatim):
                expected.append(block.text)
                continue
            lines = [block.line] if isinstance(block, Heading | Paragraph) else block.lines
            expected += [
                "".join(
                    part if isinstance(part, str) else " ".join(part.text.split())
                    if isinstance(part, Data) else part.text
                    for part in line
                )
                for line in lines
            ]  # fmt: skip
        found = Reader(contract_body(contract).replace("<bdi>", "").replace("</bdi>", ""))
        said = [text for text in (*found.words, *found.pre) if text.strip()]
        assert sorted(expected) == sorted(said)
