"""A contract as one page, for people who audit a loop without reading its code.

The page is built as blocks that say which text is data; Markdown and HTML are two ways to write
them. Whatever people wrote is data: short texts have every character escaped that Markdown could read,
longer ones stand in a fence that none of their lines can close.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.contract.contract import Contract, Threshold
from core.contract.criterion import CheckedBy, Criterion
from core.contract.ladder import LADDER
from core.statistics.interval import Result, Undefined
from core.wording import count_of, decimal, percent, plural, rate

NOT_MEASURED = "not measured"
_CHECKED_BY = {
    CheckedBy.CODE: "code",
    CheckedBy.JUDGE: "a judge",
    CheckedBy.PERSON: "a person",
}
_MARKED = re.compile(r"([\\`*_{}\[\]<>#|~$^&!@=])")
_DIRECTIVE = re.compile(r":(?=[\w/\[])")
_WEB = re.compile(r"\b(www)\.", re.IGNORECASE)
_FIRST = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+])")
_TICKS = re.compile(r"`+")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f]")


@dataclass(frozen=True)
class Calibration:
    """What was measured on labelled outputs: how many, when, the two error rates, of which judge.

    `changed` says what is no longer as it was when this was recorded.
    """

    n: int
    date: str
    false_accept_rate: Result
    false_reject_rate: Result
    judge: str = ""
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Baseline:
    """What loop and plain retries came to under the same check and cap.

    Shares are rates over tasks; `calls_per_accepted` is the loop's mean, at least 1, or None if
    nothing was accepted.
    """

    retries_accepted: Result
    loop_accepted: Result
    calls_per_accepted: float | None


@dataclass(frozen=True)
class Data:
    """Text that people or models wrote, as it is; everything else on the page is this program's."""

    text: str


@dataclass(frozen=True)
class Missing:
    """A remark that something was not given."""

    text: str


Part = str | Data | Missing
Line = tuple[Part, ...]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the page's own."""

    level: int
    line: Line


@dataclass(frozen=True)
class Paragraph:
    """One line of running text."""

    line: Line


@dataclass(frozen=True)
class Bullets:
    """A list, one line each."""

    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Verbatim:
    """Text of any length that is shown with its own line ends."""

    text: str


Block = Heading | Paragraph | Bullets | Verbatim


def contract_page(
    contract: Contract,
    *,
    calibration: Calibration | None = None,
    baseline: Baseline | None = None,
) -> list[Block]:
    """Return what the page about a contract says; what was not measured says so."""
    title = Data(contract.title) if contract.title.strip() else "untitled"
    blocks: list[Block] = [
        Heading(1, ("Evaluator contract: ", title)),
        *_field("Task", contract.task),
        *_evaluator(contract),
        Heading(2, ("Criteria",)),
        Paragraph(("Each is a yes-or-no question about the output; yes is a pass.",)),
    ]
    for number, criterion in enumerate(contract.criteria, 1):
        blocks += _criterion(number, criterion, weighted=isinstance(contract.acceptance, Threshold))
    return [
        *blocks,
        *_field("What these criteria do not examine", contract.does_not_examine),
        *_given(contract),
        *_verdict(contract),
        *_calibration(contract, calibration),
        *_stop(contract),
        *_baseline(baseline),
    ]


def contract_markdown(
    contract: Contract,
    *,
    calibration: Calibration | None = None,
    baseline: Baseline | None = None,
) -> str:
    """Return the contract as one Markdown page; what was not measured says so."""
    return markdown(contract_page(contract, calibration=calibration, baseline=baseline))


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as one Markdown page."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            lines += [f"{'#' * block.level} {markdown_line(block.line)}", ""]
        elif isinstance(block, Paragraph):
            lines += [markdown_line(block.line), ""]
        elif isinstance(block, Bullets):
            lines += [*(f"- {markdown_line(line)}" for line in block.lines), ""]
        else:
            lines += [*fenced(block.text), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def markdown_line(line: Line) -> str:
    """Return one line as Markdown, data escaped."""
    return "".join(
        inline(part.text)
        if isinstance(part, Data)
        else f"*{part.text}*"
        if isinstance(part, Missing)
        else part
        for part in line
    )


# --- text as data ------------------------------------------------------------------------------


def inline(text: str) -> str:
    """Return `text` as one line that Markdown shows as it is; runs of blanks become one."""
    line = visible_line(text)
    line = _WEB.sub(r"\1\\.", _DIRECTIVE.sub(r"\\:", _MARKED.sub(r"\\\1", line)))
    return _FIRST.sub(lambda m: f"\\{m[3]}" if m[3] else f"{m[1]}\\{m[2]}", line)


def fenced(text: str) -> list[str]:
    """Return the lines of a code block that holds `text`; no line of it can end the block."""
    body = visible_lines(text).split("\n")
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *body, fence]


def visible_line(text: str) -> str:
    """Return `text` as one line with control characters made visible; nothing is escaped."""
    return " ".join(_visible(text).split())


def visible_lines(text: str) -> str:
    """Return `text` with plain line ends and control characters made visible."""
    return _LINE_END.sub("\n", _CONTROL.sub("\ufffd", text))


def _visible(text: str) -> str:
    """Return `text` with line ends as blanks and control characters made visible."""
    return _CONTROL.sub("\ufffd", _LINE_END.sub(" ", text))


def _block(text: str) -> Block:
    """Return `text` as a paragraph if it is one short line, else with its own line ends."""
    trimmed = text.strip()
    if len(trimmed) <= 300 and not re.search(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", trimmed):
        return Paragraph((Data(trimmed),))
    return Verbatim(text)


def _field(heading: str, text: str) -> list[Block]:
    body = _block(text) if text.strip() else Paragraph((Missing("not stated"),))
    return [Heading(2, (heading,)), body]


# --- the parts of the page -----------------------------------------------------------------------


def _evaluator(contract: Contract) -> list[Block]:
    rung = LADDER[contract.evaluator.type]
    row = list(LADDER).index(contract.evaluator.type) + 1
    first = f" (row {row} of {len(LADDER)}, the first being the strongest)"
    return [
        Heading(2, ("Evaluator",)),
        Paragraph(("Type: ", Data(rung.title), first)),
        Bullets((("Adds: ", Data(rung.adds)), ("Fails by: ", Data(rung.fails_by)))),
        *_field("What it knows that the generator does not", contract.evaluator.knows),
    ]


def _criterion(number: int, criterion: Criterion, *, weighted: bool) -> list[Block]:
    weight = f", weight {criterion.weight:g}" if weighted else ""
    blocks: list[Block] = [
        Heading(3, (f"C{number}. ", Data(criterion.key))),
        _block(criterion.question)
        if criterion.question.strip()
        else Paragraph((Missing("no question"),)),
        Paragraph((f"Checked by {_CHECKED_BY[criterion.checked_by]}{weight}.",)),
    ]
    if criterion.check is not None:
        short = json.dumps(criterion.check, ensure_ascii=False)
        long = json.dumps(criterion.check, ensure_ascii=False, indent=2)
        blocks.append(Verbatim(short if len(short) <= 100 else long))
    for name, text in (("Pass", criterion.pass_example), ("Fail", criterion.fail_example)):
        if text.strip():
            blocks += [Paragraph((f"{name} example:",)), Verbatim(text)]
        else:
            blocks.append(Paragraph((f"{name} example: ", Missing("none"))))
    return blocks


def _given(contract: Contract) -> list[Block]:
    reference = ", reference answer" if contract.receives_reference else " (no reference answer)"
    return [
        Heading(2, ("What the evaluator is given",)),
        Bullets(
            (
                (f"Receives: task input, output, criteria{reference}",),
                ("Never receives: the conversation the output was written in",),
            )
        ),
    ]


def _verdict(contract: Contract) -> list[Block]:
    rule = contract.acceptance
    if isinstance(rule, Threshold):
        accepted = (
            f"the weights of the criteria marked PASS reach {rule.minimum:g} of"
            f" {float(contract.total_weight):g}; UNKNOWN counts as FAIL"
        )
        score = "summed weight of the criteria marked PASS"
    else:
        accepted = "every criterion is PASS; UNKNOWN counts as FAIL"
        score = "number of criteria marked PASS"
    skipped = (
        "Judged criteria are asked even when a code check has failed."
        if contract.judge_when_code_fails
        else "Code runs first; once acceptance is out of reach the judge is not asked."
    )
    return [
        Heading(2, ("Verdict",)),
        Bullets(
            (
                ("Per criterion: evidence first, then PASS, FAIL or UNKNOWN",),
                (f"Accepted: {accepted}; worked out by code, never by the evaluator",),
                (f"Score: {score}",),
                ("Failures: go back to the generator whole and unedited, with its last draft",),
                (skipped,),
            )
        ),
    ]


def _calibration(contract: Contract, found: Calibration | None) -> list[Block]:
    limits = contract.limits
    head: Line = (
        (NOT_MEASURED,)
        if found is None
        else (f"{plural(found.n, 'labelled output')}, ", Data(found.date))
    )
    rows = (
        ("False-accept rate (bad outputs passed)", found.false_accept_rate if found else None,
         limits.false_accept_rate),
        ("False-reject rate (good outputs failed)", found.false_reject_rate if found else None,
         limits.false_reject_rate),
    )  # fmt: skip
    lines: list[Line] = [("Labelled examples: ", *head)]
    if found is not None and found.judge:
        lines.append(("Judge: ", Data(found.judge)))
    if found is not None and found.changed:
        lines.append((f"Out of date: {'; '.join(found.changed)}",))
    for name, result, limit in rows:
        allowed = "no limit set" if limit is None else f"limit {percent(limit)}"
        lines.append((f"{name}: ", _measured(result), f"; {allowed}"))
    return [Heading(2, ("Calibration",)), Bullets(tuple(lines))]


def _measured(result: Result | None) -> Part:
    if result is None:
        return NOT_MEASURED
    if isinstance(result, Undefined):
        return Data(result.reason)
    return f"{rate(result)}, {count_of(result)}"


def _stop(contract: Contract) -> list[Block]:
    stop = contract.stop
    budget = stop.budget
    ceilings = [
        None if budget.calls is None else plural(budget.calls, "call"),
        None if budget.usd is None else f"{budget.usd:g} US dollars",
        None if budget.tokens is None else plural(budget.tokens, "token"),
        None if budget.seconds is None else f"{budget.seconds:g} seconds",
    ]
    keep = (
        "the best draft by score, the earliest of equals"
        if stop.keep == "best"
        else "the last draft"
    )
    to: Part = Data(stop.on_failure) if stop.on_failure.strip() else Missing("nobody named")
    rounds = plural(stop.window, "round")
    return [
        Heading(2, ("Stop rule",)),
        Bullets(
            (
                (f"Round cap: {plural(stop.cap, 'draft')} at most",),
                (f"No progress: {rounds} without a higher score; a draft seen before",),
                (f"Ceiling per task: {', '.join(c for c in ceilings if c) or 'none'}",),
                (f"Exit without a pass: {keep}, flagged, sent to: ", to),
            )
        ),
        Heading(2, ("Logged per round",)),
        Paragraph(
            (
                "Number, draft, fingerprint, verdicts with evidence, score, calls, tokens, seconds,"
                " cost, and how the run ended.",
            )
        ),
    ]


def _baseline(found: Baseline | None) -> list[Block]:
    calls = NOT_MEASURED
    if found is not None:
        calls = (
            "undefined, nothing was accepted"
            if found.calls_per_accepted is None
            else decimal(found.calls_per_accepted)
        )
    retries, loop = (
        (found.retries_accepted, found.loop_accepted) if found is not None else (None, None)
    )
    return [
        Heading(2, ("Baseline (same check, same cap)",)),
        Bullets(
            (
                ("Plain retries, accepted share: ", _measured(retries)),
                ("Loop, accepted share: ", _measured(loop)),
                (f"Loop, calls per accepted output: {calls}",),
            )
        ),
    ]
