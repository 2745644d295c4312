"""A decision as one page, for somebody who will not open the workbench: Markdown or HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.render import Block, Bullets, Data, Heading, Paragraph, Verbatim, markdown
from core.render_html import document, element


@dataclass(frozen=True)
class DecisionPage:
    """What was decided and on what: every text may hold what people or models wrote.

    `subject` says what it is about, as (label, text) pairs; `answers` are the five as they stood,
    by title, with "state" and "numbers"; `sections` are further headings with lines under them.
    """

    decided: str
    why: str
    subject: Sequence[tuple[str, str]]
    changed: Sequence[str]
    answers: Mapping[str, Mapping[str, Any]]
    sections: Sequence[tuple[str, Sequence[str]]] = ()

    @property
    def title(self) -> str:
        """The page's heading."""
        return f"Decision: {self.decided}"


def decision_markdown(page: DecisionPage) -> str:
    """Return the page as Markdown."""
    return markdown(_blocks(page))


def decision_html(page: DecisionPage) -> str:
    """Return the page as one HTML document that needs nothing else."""
    return document(page.title, "\n".join(element(one) for one in _blocks(page)) + "\n")


def _blocks(page: DecisionPage) -> list[Block]:
    blocks: list[Block] = [
        Heading(1, (Data(page.title),)),
        Bullets(tuple((f"{label}: ", Data(text)) for label, text in page.subject)),
    ]
    if page.why:
        blocks += [Heading(2, ("Why",)), Verbatim(page.why)]
    blocks.append(Heading(2, ("What it stood on",)))
    for title, answer in page.answers.items():
        blocks.append(Heading(3, (Data(f"{title}: {answer['state']}"),)))
        blocks.append(Bullets(tuple((Data(str(line)),) for line in answer["numbers"])))
    for title, lines in page.sections:
        blocks.append(Heading(2, (Data(title),)))
        blocks.append(Bullets(tuple((Data(line),) for line in lines)))
    blocks.append(Heading(2, ("Since then",)))
    if page.changed:
        blocks.append(Bullets(tuple((Data(line),) for line in page.changed)))
    else:
        blocks.append(Paragraph(("Nothing it stands on has changed since.",)))
    return blocks
