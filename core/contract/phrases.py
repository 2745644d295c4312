"""The small grammar behind the questions: subjects, number, joined verbs, names of things."""

from __future__ import annotations

import re

from core.contract.lint_words import CASE
from core.contract.verbs import ALSO_ADJECTIVE, VERB, base, gerund, is_third, is_verb

OUTPUT = "the output"
ADVERB = (
    r"(?:(?:also|just|always|clearly|explicitly|correctly|only|briefly|first|at least|directly|then"
    r"|(?!reply\b|apply\b|rely\b|comply\b|supply\b|imply\b|multiply\b)[a-z]+ly) )*"
)
MODAL_WORD = (
    r"(?:must|should|shall|sha(?=n['’]t)|needs? to|ha(?:s|ve) to|ought to"
    r"|(?:is|are) (?:required|expected|supposed|obliged) to|may|can|ca(?=n['’]t)|will|wo(?=n['’]t))"
)
_SPELLED = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty"
NUMBER = rf"(?:\d[\d,.]*|{_SPELLED})"
AMOUNT = re.compile(
    r"^(?:(?P<max>max(?:imum)?(?: length)?(?: of)?:?)|(?P<min>min(?:imum)?(?: length)?(?: of)?:?)"
    r"|(?P<how>at most|no more than|not more than|fewer than|less than|under|up to|at least|more than"
    rf"|between|exactly|no fewer than)) (?P<rest>{NUMBER}\b.*)$",
    CASE,
)
DETERMINED = re.compile(
    rf"^(?:an?|the|some|its|{_SPELLED}|\d{{1,3}}(?: ?[-–] ?\d{{1,3}})?) (?=[\w\"“])", CASE
)

_CONNECTED = re.compile(
    r"^(?:(?:please note that|note that|keep in mind that|remember that|and|then|also|please)\s+"
    r"|(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|next|finally|lastly|also|additionally|moreover"
    r"|furthermore|in addition|likewise|overall|ideally|importantly|crucially|above all|in general"
    r"|generally|at a minimum|most importantly|again|however|note),\s+"
    r"|(?:make sure|ensure|make certain|see to it) (?:that )?(?!not\b)(?!to\b)"
    r"|(?:(?:check|verify|confirm|assess|determine|judge|evaluate) (?:that|whether|if)|whether) "
    r"|(?:be sure|make sure|remember|take care|aim|try|strive) to |always (?=[a-z]))+",
    CASE,
)
_OUTPUTS = (
    r"(?:outputs?|repl(?:y|ies)|responses?|answers?|summar(?:y|ies)|e-?mails?|messages?|texts?"
    r"|letters?|notes?|reports?|code|translations?|models?|assistants?|agents?|bots?|articles?|posts?"
    r"|reviews?|descriptions?|captions?|drafts?|documents?|essays?|stor(?:y|ies)|titles?"
    r"|headlines?|scripts?|programs?|tweets?|abstracts?|writers?|authors?|students?|translators?"
    r"|completions?|generations?|cop(?:y|ies)|explanations?|memos?|blurbs?|chatbots?|functions?"
    r"|quer(?:y|ies)|poems?|plans?|product descriptions?|blog posts?)"
)
_OF_OUTPUT = re.compile(
    rf"^(?:it|they|you|we|(?:(?:the|a|an|any|every|each|all|your|our|this|these|final|generated|good"
    rf"|model['’]?s?|\w+) ){{0,2}}{_OUTPUTS})(?: (?:to|of|that|which|with|for|from|over|longer"
    r"|shorter|in|without)\b.*)?$",
    CASE,
)
_POST = re.compile(
    r" (?:of|in|on|at|for|from|with|without|to|by|that|which|who|whose|about|between|under|over"
    r"|above|below|within|after|before|per|longer|shorter|as|used|given|cited|made|mentioned"
    r"|containing|describing|than|against)\b",
    CASE,
)
_ONE = re.compile(
    r"^(?:each|every|this|that|it|an?|one|either|another|much|everything|something)\b", CASE
)
_SEVERAL = re.compile(
    r"^(?:they|we|you|these|those|both|many|several|few|two|three|four|five|six|seven|eight|nine|ten"
    r"|[2-9]|\d\d+)\b|\band\b|\b(?:people|criteria|children|men|women|phenomena|media)$",
    CASE,
)
_ENDS_MANY = re.compile(r"(?<!s)(?<!u)(?<!i)s$")
_NOT_MANY = frozenset({"news", "series", "this", "status", "process", "address", "always", "its"})
_ADJECTIVES = (
    r"(?:polite|short|brief|long|correct|complete|accurate|formal|informal|calm|true|valid|consistent"
    r"|neutral|specific|honest|kind|safe|legal|warm|empathetic|encouraging|unique|dated|signed"
    r"|precise|factual|objective|balanced|grammatical|plain|direct|up to date|coherent|fair"
    r"|faithful|original|good|clear|professional|engaging|natural|effective|helpful|useful|concise"
    r"|polished|readable|elegant|robust|comprehensive|thorough|creative|friendly|fluent|meaningful"
    r"|insightful|persuasive|relevant|simple|easy to (?:read|understand|follow)|respectful|patient"
    r"|truthful|actionable|well[- ](?:written|structured|organi[sz]ed|formatted)|free (?:of|from) .+"
    r"|on[- ]brand|on[- ]topic|self-contained|grammatically correct|error-free|jargon-free"
    r"|unambiguous|unbiased|courteous|tactful|logical|current|reliable|runnable|efficient)"
)
_DESCRIBES = re.compile(
    rf"^(?:[a-z]+ly |not |very )?{_ADJECTIVES}(?:(?:, | and |, and | or | but )(?:[a-z]+ly )?{_ADJECTIVES})*$",
    CASE,
)
_FAULTS = (
    r"(?:sarcastic|rude|condescending|patroni[sz]ing|aggressive|defensive|pushy|salesy|robotic|vague"
    r"|misleading|offensive|dismissive|repetitive|wordy|verbose|judge?mental|preachy|curt|sloppy"
    r"|familiar|cold|harsh|ambiguous|evasive|(?:too|overly) [a-z]+)"
)
_ANY = rf"(?:{_ADJECTIVES}|{_FAULTS})"
_FAULTY = re.compile(
    rf"^(?:[a-z]+ly )?{_ANY}(?:(?:, | and |, and | or )(?:[a-z]+ly )?{_ANY})*$", CASE
)
_COUNTED = (
    r"(?:steps?|greetings?|summary|apology|title|sign-?off|signature|call to action|conclusion"
    r"|introduction|opening|closing|example|reason|explanation|deadline|disclaimer|warning"
    r"|recommendation|subject line|headline|hook|link|tone|structure|next step|thesis|argument"
    r"|takeaway|ending|layout|voice|heading|table of contents|timeline)"
)
_ARTICLE = re.compile(rf"^(?:[a-z'’-]+(?:,? and |, | )){{0,3}}?{_COUNTED}$", CASE)
SUBORDINATE = re.compile(
    r"\b(?:who|which|that|whether|if|when|because|where|what|how|unless|as|why)\b", CASE
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)['‘][^'’]*['’](?!\w)|\([^()]*\)")
_DET = r"(?:the|an?|its|their|any|all|every|each|no|your|his|her|it|them|someone|anyone|customers?|users?)"
_NOT_VERBS = frozenset(
    {"in", "on", "at", "for", "from", "with", "without", "to", "by", "about", "between", "under",
     "over", "above", "below", "within", "after", "before", "per", "as", "than", "against", "of",
     "all", "any", "every", "each", "no", "both", "even", "only", "the", "a", "an", "when", "if",
     "that", "which", "into", "during", "because", "not", "also", "then", "its", "their", "is"}
)  # fmt: skip
_CLAUSE_WORD = (
    r"(?:is|are|was|were|has|have|does|do|must|should|shall|may|can|cannot|will|needs?|mustn['’]t)"
)
_SECOND = re.compile(
    rf"(?:[,;:]|(?:^|\s)(?:and|but|so|or|yet|nor))\s+(?:also |then |never |it |they |this |he |she |we |you"
    rf"|(?:the|its|their|an?|any|all|every|each|no) (?:[\w'’-]+ ){{1,3}}?|[\w'’-]+s )?"
    rf"(?:{_CLAUSE_WORD} (?!n['’]t)|(?:do not|don['’]t|never)\b)|;\s",
    CASE,
)


def unquoted(text: str) -> str:
    """Return `text` without what stands in quotes or brackets, which joins no clauses."""
    return _QUOTED.sub("…", text)


def trimmed(text: str) -> str:
    """Return a sentence on one line, without marks of emphasis around it; "SELECT *" keeps its own."""
    one = " ".join(text.split()).lstrip("-–—• ")
    while one[:1] in ("*", "_") and len(one) > 2 and one.rstrip(".:;, ").endswith(one[0]):
        one = one.rstrip(".:;, ")[1:-1].strip()
    return one


def after_dropping(text: str) -> str:
    """Return a sentence without the words that only lead up to it: "Also, make sure that …"."""
    return _CONNECTED.sub("", text) or text


def not_negated(text: str) -> bool:
    """Tell whether no word of a sentence turns its meaning round."""
    words = rf"\b(?:not|never|no|none|nothing|neither|nor|avoid\w*|{MODAL_WORD})\b|n['’]t\b"
    return re.search(words, unquoted(text), CASE) is None


def second_clause(text: str) -> bool:
    """Tell whether another clause of its own follows: ", and it must …", "and should …"."""
    return _SECOND.search(unquoted(text)) is not None


def finite_inside(text: str) -> bool:
    """Tell whether words that should be a name hold a sentence's verb, outside "that …"."""
    plain = re.split(
        r" (?:that|which|who|whose|where|what|how|whether|if|when) ", unquoted(text), flags=CASE
    )[0]
    if re.search(
        r"\b(?:is|are|was|were|must|should|shall|may|can|cannot|will|need not|needn['’]t)\b",
        plain,
        CASE,
    ):
        return True
    found = list(re.finditer(r"[\w'’-]+", plain))
    return any(
        at > 0 and is_third(hit.group(), plain[hit.end() :])
        and re.match(rf" {_DET}\b", plain[hit.end() :], CASE) is not None
        for at, hit in enumerate(found)
    )  # fmt: skip


def is_output(text: str) -> bool:
    """Tell whether words name the output or its writer: what can be said to avoid something."""
    return _OF_OUTPUT.match(text.strip()) is not None


def is_plural(subject: str) -> bool:
    """Tell whether a subject takes "are": by its first word, its "and", or the end of its noun."""
    text = re.sub(
        r"^(?:most|some|all|half|none|any|a (?:number|majority|couple|variety)) of ",
        "",
        subject.strip(),
        flags=CASE,
    )
    text = re.sub(r"^(?:only|all|any|no|the|its|their) (?=\w)", "", text, flags=CASE)
    head = _POST.split(text)[0].strip()
    if _ONE.match(head):
        return False
    last = head.rsplit(" ", 1)[-1].lower()
    if _SEVERAL.search(head):
        return True
    return (
        bool(_ENDS_MANY.search(last)) and last not in _NOT_MANY and not last.endswith(("'s", "’s"))
    )


def do(subject: str) -> str:
    """Return Do or Does, as the subject takes."""
    return "Do" if is_plural(subject) else "Does"


def being(subject: str) -> str:
    """Return Is or Are, as the subject takes."""
    return "Are" if is_plural(subject) else "Is"


def subject_of(text: str) -> str:
    """Return the subject as it stands inside a question; the writer is asked about as the output."""
    trimmed = text.strip()
    if re.fullmatch(r"you|we|one|i", trimmed, CASE):
        return OUTPUT
    if re.fullmatch(
        r"(?:output|reply|response|answer|summary|e-?mail|message|text|letter|translation)",
        trimmed,
        CASE,
    ):
        return f"the {trimmed.lower()}"
    # "A good reply names …" is about the reply at hand.
    best = re.match(
        r"an? (?:good|great|strong|ideal|perfect|excellent|successful|passing|acceptable|high-quality) "
        rf"(?P<what>{_OUTPUTS})$", trimmed, CASE,
    )  # fmt: skip
    return f"the {best['what']}" if best else lower_first(trimmed)


def lower_first(text: str) -> str:
    """Return `text` with a small first letter, unless its first word is an acronym or a name."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]


def turned_to_base(rest: str) -> str | None:
    """Return the rest of a predicate with its further verbs in plain form, or None if unsure.

    "the date and thanks the customer" becomes "the date and thank the customer".
    """
    unsure = False

    def plain(hit: re.Match[str]) -> str:
        nonlocal unsure
        word, after = hit["word"], rest[hit.end() :]
        if word.lower() in ("is", "are", "has", "does"):
            unsure = True
        elif is_third(word, after):
            unsure = unsure or SUBORDINATE.search(rest[: hit.start()]) is not None
            return f"{hit['join']}{base(word)}"
        elif (
            word.lower().endswith("s")
            and word.lower() not in _NOT_VERBS
            and (hit["join"].strip() != "," and re.match(rf" {_DET}\b", after, CASE))
        ):
            unsure = True
        return hit.group()

    made = re.sub(
        r"(?P<join>(?:,? \b(?:and|or|but)\b|,)(?: also| then)? )(?P<word>[\w'’-]+)", plain, rest,
        flags=CASE,
    )  # fmt: skip
    return None if unsure else made


def turned_to_gerund(rest: str) -> str | None:
    """Return the rest of a predicate with its further verbs in -ing form, or None if unsure.

    "the customer or promise a date" becomes "the customer or promising a date".
    """
    unsure = re.search(r"\bbut\b", unquoted(rest), CASE) is not None

    def turned(hit: re.Match[str]) -> str:
        nonlocal unsure
        word, after = hit["word"], rest[hit.end() :]
        if is_verb(word, after) and word.lower() not in _NOT_VERBS:
            unsure = unsure or SUBORDINATE.search(rest[: hit.start()]) is not None
            return f"{hit['join']}{gerund(word)}"
        if (
            word.lower() not in _NOT_VERBS
            and not word.lower().endswith("ing")
            and (hit["join"].strip() != "," and re.match(rf" {_DET}\b", after, CASE))
        ):
            unsure = True
        return hit.group()

    made = re.sub(
        r"(?P<join>(?:,? \b(?:and|or|nor)\b|,)(?: also| then| to)? )(?P<word>[\w'’-]+)", turned, rest,
        flags=CASE,
    )  # fmt: skip
    return None if unsure else made


def describes(text: str, *, faults: bool = False) -> bool:
    """Tell whether words only describe: "Polite and concise", with `faults` "rude or curt" too."""
    return (_FAULTY if faults else _DESCRIBES).match(text) is not None


def with_article(text: str) -> str | None:
    """Return the name of one thing with its article ("a clear next step"), or None if unsure."""
    if _ARTICLE.match(text) is None or is_plural(text) or is_verb(text.split()[0], " " + text):
        return None
    low = lower_first(text)
    return f"{'an' if low[0] in 'aeiou' else 'a'} {low}"


def limit(text: str) -> str | None:
    """Ask for an amount: of the whole output if the unit is one of length, else of what it has."""
    if hit := AMOUNT.match(text):
        how = "at most" if hit["max"] else "at least" if hit["min"] else hit["how"].lower()
        if finite_inside(hit["rest"]):
            return None
        if re.match(rf"{NUMBER}(?: (?:and|to|-|–) {NUMBER})?[ -](?:words?|characters?|letters?"
                    r"|sentences?|paragraphs?|pages?|lines?|tokens?|minutes?|seconds?|hours?|[km]b)\b", hit["rest"], CASE):  # fmt: skip
            return f"Is {OUTPUT} {how} {hit['rest']}?"
        return f"Does {OUTPUT} have {how} {hit['rest']}?"
    if hit := re.match(
        rf"(?P<n>{NUMBER}) (?P<unit>words?|characters?|sentences?)(?: (?P<or>or (?:fewer|less|more))"
        r"|,? ?(?:max(?:imum)?\.?|at most))$", text, CASE,
    ):  # fmt: skip
        many = f"{hit['n']} {hit['unit']}"
        return f"Is {OUTPUT} {many} {hit['or']}?" if hit["or"] else f"Is {OUTPUT} at most {many}?"
    return None


def is_subject(text: str) -> bool:
    """Tell whether the words before a verb are a subject and not a sentence with one of its own."""
    if re.match(r"be\b", text, CASE) or re.search(r"(?:\b(?:and|or|but|not)|,)$", text, CASE):
        return False
    return not finite_inside(text) and not re.search(
        r"\b(?:what|how|why|whether|if|when|where|because|(?:that|which|who) (?:it|they|the|a|an))\b",
        text, CASE,
    )  # fmt: skip


def more_verbs(rest: str) -> bool:
    """Tell whether what follows "be" goes on with a verb: "polite and name the date"."""
    return second_clause(rest) or bool(
        re.search(
            rf"\b(?:and|but|or|then) (?:also |then |not )?(?:be\b|(?!{ALSO_ADJECTIVE}){VERB}\b)"
            r"|\b(?:and|but|or)(?: also)? [a-z]+s (?:the|a|an|its|their|any|all|every|each|no)\b",
            unquoted(rest), CASE,
        )
    )  # fmt: skip
