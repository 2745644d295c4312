"""What is weak about a contract that is valid: one small function per rule, in two lists.

A rule yields findings and nothing else; it never changes or refuses a contract, so lint works on
unsaved drafts too. Rules read English questions; questions in other languages only meet the rules
that need no words. Each finding is one plain line saying why, and one saying what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from core.checks.registry import Check
from core.checks.values import number_equality
from core.contract import lint_words as words
from core.contract.contract import Contract, Threshold, exact
from core.contract.criterion import CheckedBy, Criterion
from core.contract.ladder import EvaluatorType
from core.errors import InputError, show
from core.text import fingerprint, fold, is_unspaced
from core.verdict import Verdict

_COMPARED = 200
"""Near-duplicates are looked for among this many criteria; exact ones among all."""


@dataclass(frozen=True)
class Finding:
    """One weakness: the criterion it is about (None: the contract), the rule, why, what to do."""

    criterion: str | None
    rule: str
    message: str
    fix: str


def lint(contract: Contract) -> list[Finding]:
    """Return what is weak about `contract`, criterion by criterion, then the contract itself."""
    found = [
        finding
        for criterion in contract.criteria
        for rule in CRITERION_RULES
        for finding in rule(criterion)
    ]
    found.extend(finding for rule in CONTRACT_RULES for finding in rule(contract))
    return found


# --- examples --------------------------------------------------------------------------------


def missing_example(criterion: Criterion) -> Iterator[Finding]:
    """A criterion without both examples means something else to each reader."""
    for name, text in (("pass", criterion.pass_example), ("fail", criterion.fail_example)):
        if not text.strip():
            yield Finding(
                criterion.key, "missing_example",
                f"There is no {name} example, so nobody can tell where the line is.",
                f"Add an output that should {name}.",
            )  # fmt: skip


def same_examples(criterion: Criterion) -> Iterator[Finding]:
    """Two equal examples draw no line."""
    first, second = criterion.pass_example, criterion.fail_example
    if first.strip() and fingerprint(first) == fingerprint(second):
        yield Finding(
            criterion.key, "same_examples",
            "The pass example and the fail example are the same text.",
            "Change one so that they differ in what the question asks.",
        )  # fmt: skip


def _check(criterion: Criterion) -> Check | None:
    """Return the check, or None; a draft may hold one that cannot be built yet."""
    try:
        return criterion.code_check()
    except InputError:
        return None


def example_misjudged(criterion: Criterion) -> Iterator[Finding]:
    """A check that gets its own examples wrong asks something else than the question does."""
    check = _check(criterion)
    if check is None:
        return
    for name, text, right in (
        ("pass", criterion.pass_example, Verdict.PASS),
        ("fail", criterion.fail_example, Verdict.FAIL),
    ):
        if not text.strip():
            continue
        # An example has no reference answer and no recorded verdict: no verdict is no mistake.
        got = check.run(text)
        if got.verdict is not None and got.verdict is not right:
            yield Finding(
                criterion.key, "example_misjudged",
                f"The check says {got.verdict.value} to the {name} example: {got.evidence}.",
                "Correct the example or the parameters of the check.",
            )  # fmt: skip


# --- the question ----------------------------------------------------------------------------


def no_question(criterion: Criterion) -> Iterator[Finding]:
    """Without a question neither a person nor a judge knows what to answer."""
    if not criterion.question.strip():
        yield Finding(
            criterion.key, "no_question", "There is no question to answer.",
            "Write one yes-or-no question about the output.",
        )  # fmt: skip


def not_yes_no(criterion: Criterion) -> Iterator[Finding]:
    """A criterion is binary: its question has to be answerable with yes or no."""
    if criterion.question.strip() and not words.is_yes_no(criterion.question):
        yield Finding(
            criterion.key, "not_yes_no", "This cannot be answered with yes or no.",
            'Ask it as "Does the output …?" or "Is the output …?"',
        )  # fmt: skip


def score_wording(criterion: Criterion) -> Iterator[Finding]:
    """Scores drift between readers and rounds; a yes or no can be compared and measured."""
    if hit := words.SCORE.search(criterion.question):
        yield Finding(
            criterion.key, "score_wording",
            f"{show(hit.group().strip())} asks for a score, and scores drift between readers.",
            "Ask a yes-or-no question about the level that is good enough.",
        )  # fmt: skip


def vague_word(criterion: Criterion) -> Iterator[Finding]:
    """A word each reader fills differently makes two readers disagree."""
    if criterion.checked_by is CheckedBy.CODE:
        return
    found = words.vague(criterion.question)
    if found:
        yield Finding(
            criterion.key, "vague_word",
            f"{', '.join(show(word) for word in found)} can mean something else to each reader.",
            "Say what can be seen in a text that passes and is missing in one that fails.",
        )  # fmt: skip


def two_questions(criterion: Criterion) -> Iterator[Finding]:
    """One verdict for two questions cannot say which of them failed."""
    joined = words.second_question(criterion.question)
    if joined is not None:
        yield Finding(
            criterion.key, "two_questions",
            f"{show(joined)} joins two questions, and one verdict cannot say which failed.",
            "Split it into two criteria.",
        )  # fmt: skip


def open_ended(criterion: Criterion) -> Iterator[Finding]:
    """A search without an end always finds something, so the loop never stops by itself."""
    if hit := words.OPEN_ENDED.search(criterion.question):
        yield Finding(
            criterion.key, "open_ended",
            f"{show(hit.group().strip())} is a hunt without an end: a reader can always find more.",
            "Name the one fault to look for.",
        )  # fmt: skip


def intent(criterion: Criterion) -> Iterator[Finding]:
    """A text shows what it says, not what its writer meant."""
    if hit := words.INTENT.search(criterion.question):
        yield Finding(
            criterion.key, "intent",
            f"{show(hit.group().strip())} asks what the writer meant, which no text shows.",
            "Ask what the text says.",
        )  # fmt: skip


# --- judge or code ---------------------------------------------------------------------------


def code_could_check(criterion: Criterion) -> Iterator[Finding]:
    """Where code can decide it is free, instant and never wavers."""
    if criterion.checked_by is CheckedBy.CODE:
        return
    suggestion = words.code_for(criterion.question)
    if suggestion is not None:
        yield Finding(
            criterion.key, "code_could_check",
            "Code can decide this for free and always alike.",
            f"Set checked_by to code with check {suggestion}.",
        )  # fmt: skip


def unspaced_script(criterion: Criterion) -> Iterator[Finding]:
    """Word limits do not fit scripts that put no blanks between words."""
    kind = (criterion.check or {}).get("kind")
    if kind in ("max_words", "min_words", "max_sentence_words") and is_unspaced(
        criterion.pass_example + criterion.fail_example + criterion.question
    ):
        yield Finding(
            criterion.key, "unspaced_script",
            "This script puts no blanks between words, so every character counts as one word.",
            "Use max_characters, or set the limit in characters.",
        )  # fmt: skip


def exact_number(criterion: Criterion) -> Iterator[Finding]:
    """Fractions are stored in binary, so == between two of them fails on a last digit."""
    check = criterion.check or {}
    if check.get("kind") != "expression" or not isinstance(check.get("expression"), str):
        return
    operator = number_equality(check["expression"], criterion.pass_example)
    if operator is not None:
        yield Finding(
            criterion.key, "exact_number",
            f"{operator} between numbers turns on the last digit of a fraction.",
            "Use close(a, b, `0.005`) with the tolerance you accept.",
        )  # fmt: skip


def presence(criterion: Criterion) -> Iterator[Finding]:
    """Finding words is no proof that the text asserts them: "not v2.1" contains v2.1."""
    check = criterion.check or {}
    if (
        check.get("kind") in ("contains", "contains_any", "contains_all")
        and check.get("not") is not True
        and words.ASSERTION.search(criterion.question)
    ):
        yield Finding(
            criterion.key, "presence",
            "The question asks what the text says, the check only whether words occur in it.",
            "Add a judge criterion for the statement, or ask whether the words are mentioned.",
        )  # fmt: skip


def format_unchecked(criterion: Criterion) -> Iterator[Finding]:
    """A JSON Schema's format is a remark, not a rule."""
    check = criterion.check or {}
    if check.get("kind") == "json_schema" and words.names_format(check.get("schema")):
        yield Finding(
            criterion.key, "format_unchecked",
            "The schema uses format, which is a remark and is not checked.",
            "Use pattern for what has to hold.",
        )  # fmt: skip


# --- the contract ----------------------------------------------------------------------------


def duplicate(contract: Contract) -> Iterator[Finding]:
    """A question asked twice counts twice."""
    seen: dict[tuple[str, str], str] = {}
    for criterion in contract.criteria:
        question = fold(criterion.question)
        if not question:
            continue
        first = seen.setdefault((question, repr(criterion.check)), criterion.key)
        if first != criterion.key:
            yield Finding(
                criterion.key, "duplicate", f"This asks the same as {show(first)}, so it counts"
                " twice.", "Remove one of the two.",
            )  # fmt: skip
    for one, other in combinations(contract.criteria[:_COMPARED], 2):
        both_code = one.check is not None and other.check is not None
        if not both_code and words.nearly_same(one.question, other.question):
            yield Finding(
                other.key, "duplicate", f"This asks nearly the same as {show(one.key)}, so it"
                " counts nearly twice.", "Merge the two, or say what sets them apart.",
            )  # fmt: skip


def unreachable(contract: Contract) -> Iterator[Finding]:
    """A rule nobody can meet, or one that a single criterion meets, is no gate."""
    rule = contract.acceptance
    if isinstance(rule, Threshold):
        if exact(rule.minimum) > contract.total_weight:
            yield Finding(
                None, "unreachable",
                f"The minimum {rule.minimum:g} is above all weights together"
                f" ({float(contract.total_weight):g}), so nothing can be accepted.",
                "Lower the minimum.",
            )  # fmt: skip
        alone = [c.key for c in contract.criteria if exact(c.weight) >= exact(rule.minimum)]
        if len(contract.criteria) > 1 and alone:
            yield Finding(
                None, "one_is_enough",
                f"{show(alone[0])} alone reaches the minimum, so every other criterion may fail.",
                "Raise the minimum, or lower that weight.",
            )  # fmt: skip
        return
    lowest, highest = -1, None
    for criterion in contract.criteria:
        check = criterion.check or {}
        limit = check.get("limit")
        if not isinstance(limit, int) or check.get("field") is not None:
            continue
        if check.get("kind") == "min_words":
            lowest = max(lowest, limit)
        elif check.get("kind") == "max_words":
            highest = limit if highest is None else min(highest, limit)
    if highest is not None and lowest > highest:
        yield Finding(
            None, "unreachable",
            f"At least {lowest} and at most {highest} words: nothing can be accepted.",
            "Change one of the two limits.",
        )  # fmt: skip


def blind_spot(contract: Contract) -> Iterator[Finding]:
    """What a contract leaves out has to be said, or readers take it as examined."""
    if not contract.does_not_examine.strip():
        yield Finding(
            None, "blind_spot", "Nothing says what this contract does not examine.",
            "Fill in does_not_examine: what could be wrong with an accepted output?",
        )  # fmt: skip


def knows_nothing(contract: Contract) -> Iterator[Finding]:
    """An evaluator that knows no more than the generator has nothing to add."""
    if not contract.evaluator.knows.strip():
        yield Finding(
            None, "knows_nothing",
            "Nothing says what the evaluator knows that the generator does not.",
            "Fill in evaluator.knows; if there is nothing, climb the ladder.",
        )  # fmt: skip


def self_review(contract: Contract) -> Iterator[Finding]:
    """Self-review adds nothing the writer did not have."""
    if contract.evaluator.type is EvaluatorType.SELF_REVIEW:
        yield Finding(
            None, "self_review",
            "Self-review in the writer's own conversation is a rubber stamp.",
            "Use a fresh context at least; better a reference, a tool or an executed check.",
        )  # fmt: skip


CRITERION_RULES: tuple[Callable[[Criterion], Iterator[Finding]], ...] = (
    no_question, not_yes_no, score_wording, vague_word, two_questions, open_ended, intent,
    missing_example, same_examples, example_misjudged,
    code_could_check, unspaced_script, exact_number, presence, format_unchecked,
)  # fmt: skip
CONTRACT_RULES: tuple[Callable[[Contract], Iterator[Finding]], ...] = (
    duplicate, unreachable, blind_spot, knows_nothing, self_review,
)  # fmt: skip
