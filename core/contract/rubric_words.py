"""The wordings a rubric's sentences are told apart by: demands, instructions, weights, fail-ifs."""

from __future__ import annotations

import re

from core.contract.lint_words import CASE, SCORE
from core.contract.phrases import ADVERB, MODAL_WORD, is_output, unquoted
from core.contract.verbs import VERB, is_third
from core.text import fold, words

_POINTS = r"(?:%|％|percent|points?|pts?\.?|marks?)"
_WEIGHT = re.compile(
    r"\s*[(\[（［【](?:weight(?:ing|ed)?[:：=]? ?|worth )?(?P<sign>[+−–-])?(?P<n>\d{1,3}(?:\.\d+)?) ?"
    rf"(?P<unit>{_POINTS})?(?P<after> weight| each| total| max(?:imum)?)?[)\]）］】]",
    CASE,
)
_LEADING = re.compile(
    rf"^(?P<said>(?P<sign>[+−–-])?(?P<n>\d{{1,3}}(?:\.\d+)?) ?(?P<unit>{_POINTS})?)"
    r"\s*(?:[:：]|[–—-](?=\s)|(?<=[^\W\d])\s+(?:for|if)(?=\s))\s*(?=\S)",
    CASE,
)
_TRAILING = re.compile(
    rf"[:,;–—-]?\s+(?:weight[:：=]?\s*(?P<w>\d{{1,3}}(?:\.\d+)?)\s*{_POINTS}?"
    rf"|(?P<n>\d{{1,3}}(?:\.\d+)?) ?(?P<unit>{_POINTS}))\.?$",
    CASE,
)
_GIVEN = re.compile(
    r"\b(?:award|give|add|gets?|earns?|(?P<less>deduct|subtract|take off|loses?)) (?P<n>\d{1,3}(?:\.\d+)?)"
    rf" ?{_POINTS} (?:only )?(?:if|when|for)\b",
    CASE,
)
_DASHED = re.compile(r"(?:[:,;–—-]\s|\bweight\b)", CASE)
_ATTRIBUTE = re.compile(
    r"^<[\w-]+\s[^<>]*?\b(?:weight|points|marks)\s*=\s*[\"'](?P<sign>-)?(?P<n>\d{1,3}(?:\.\d+)?)",
    CASE,
)
_TAG = r"</?(?:rubrics?|criteri(?:on|a)|items?|rules?|requirements?|li|ul|ol|p|b|strong|em|check|point)\b[^<>]{0,200}>"
_TAGS = re.compile(rf"^(?:\s*{_TAG})+\s*|\s*(?:{_TAG}\s*)+$", CASE)


def weight_of(text: str) -> tuple[float, str] | None:
    """Return (weight, how it was written) of "(20 %)", "[+5]" or "(weight 2)", or None.

    Negative where meeting the point takes points away.
    """
    if hit := _ATTRIBUTE.match(text.strip()):
        return _signed(hit), ""
    text = _TAGS.sub("", text)
    for hit in _WEIGHT.finditer(text):
        said = hit.group().strip()
        named = hit["unit"] or "weight" in said.lower() or "worth" in said.lower()
        if (named or hit["sign"]) and float(hit["n"]):
            return _signed(hit), said
    hit = _LEADING.match(text.strip())
    if hit and (hit["unit"] or hit["sign"]) and float(hit["n"]):
        return _signed(hit), hit.group().strip()
    if (hit := _GIVEN.search(text)) and float(hit["n"]):
        return (-float(hit["n"]) if hit["less"] else float(hit["n"])), ""
    hit = _TRAILING.search(text)
    if hit and _DASHED.match(hit.group().lstrip()) and float(hit["n"] or hit["w"]):
        return float(hit["n"] or hit["w"]), hit.group().strip()
    return None


def _signed(hit: re.Match[str]) -> float:
    return -float(hit["n"]) if hit["sign"] and hit["sign"] != "+" else float(hit["n"])


def weightless(text: str) -> str:
    """Return a text without its weight and without tags and marks of emphasis around it."""
    found = weight_of(text)
    bare = _TAGS.sub("", text)
    bare = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", bare)
    if found is None or not found[1]:
        return bare.strip()
    without = " ".join(bare.replace(found[1], " ", 1).split())
    return re.sub(r"\s+([.:;,?!])", r"\1", without)


# --- what a sentence is ------------------------------------------------------------------------

DEMAND = re.compile(
    r"\b(?:must(?:n['’]t)?|should(?:n['’]t)?|shall|needs? to|ha(?:s|ve) to|ought to"
    r"|(?:is|are) (?:required|expected|supposed|obliged|mandatory|compulsory|forbidden|prohibited"
    r"|banned|unacceptable|disallowed|not (?:acceptable|allowed|permitted|tolerated|ok|okay))"
    r"|(?:is|are) never (?:acceptable|allowed|permitted|ok|okay)|may not|may only|can(?:not|['’]t| only)"
    r"|make sure|ensure|verify|check (?:that|whether|if)|(?:is|are|it['’]s) (?:important|essential"
    r"|crucial|vital|necessary|imperative) (?:that|to))\b"
    r"|\b(?:under|in|on|at|by) no (?:circumstances?|case|event|account|point|time|means)\b"
    r"|^(?:no|nothing|nobody|only) .{1,80}?\b(?:may|can)\b"
    rf"|^(?:we|you|it|the \w+|\w+s) (?:should )?never (?:{VERB})"
    r"|^(?:please )?(?:do not|don['’]t|never|avoid|always|no)\b|[?？]$"
    r"|^(?:we|i) (?:expect|want|need|require)\b.* to\b"
    r"|, (?:then )?(?:please )?(?:do not|don['’]t|never|always|avoid)\b"
    r"|必须|应当|应该|不得|不要|不能|禁止|ください|てはいけ|\b(?:muss|müssen|darf nicht|dürfen nicht|soll(?:te)?n?"
    r"|doit|doivent|ne pas|debe|deben|no debe)\b",
    CASE,
)
COMMAND = re.compile(
    rf"^(?:(?:if|when|unless|whenever) [^,.;]{{1,120}}, )?(?:please |always )?(?:{ADVERB})(?:be (?!it\b)|{VERB}\b)",
    CASE,
)
_SCALE_KEY = re.compile(r"\d\s*=\s*\w[^=]{1,80}\d\s*=\s*\w")


def scored(text: str) -> bool:
    """Tell whether a sentence asks for a score, or explains one."""
    hit = SCORE.search(text)
    if (
        hit
        and re.match(r"give|assign", hit.group(), CASE)
        and not re.search(r"score|rating|stars?|\d points?", hit.group(), CASE)
    ):
        hit = None
    return hit is not None or _SCALE_KEY.search(text) is not None


def to_a_grader(text: str) -> bool:
    """Tell whether a sentence instructs whoever grades; "Rate the tone from 1 to 5" names a scale."""
    one = scored(text) and not re.search(
        r"\b(?:each|every|all|items?|criteri\w+|these|them|following|your)\b", text, CASE
    )
    return GRADER.search(text) is not None and not one


ALLOWS = re.compile(
    r"\b(?:need not|needn['’]t|(?:does|do)(?: not|n['’]t) (?:have|need) to"
    r"|(?:is|are) (?:not required|optional|allowed|permitted|acceptable|fine|ok|okay)\b"
    r"|(?:may|can) (?!not\b|only\b|never\b|be no\b))",
    CASE,
)
PERMITS = re.compile(
    r"\b(?:need not|needn['’]t|(?:does|do)(?: not|n['’]t) (?:have|need) to|(?:is|are) (?:not required|optional)"
    r"|may (?!not\b|only\b|never\b|be no\b))",
    CASE,
)
_JUDGEMENT = r"(?:scores?|verdicts?|ratings?|judge?ments?|assessments?|evaluations?|grades?|marks)"
_GRADERS = (
    r"(?:graders?|raters?|judges?|evaluators?|annotators?|reviewers?|markers?|assessors?|scorers?)"
)
GRADER = re.compile(
    r"^\W*(?:please |you (?:should|must|will|are to|need to) |always |important: |note: )?(?:"
    r"you are (?:an?|the|grading|evaluating|judging|scoring|reviewing|marking|assessing|asked|given"
    r"|going)\b|you(?:['’]ll| will) (?:be|see|receive|read|grade|evaluate|judge|score|assess)\b"
    r"|your (?:task|job|role|goal)\b|as an? (?:expert |impartial |strict )?"
    + _GRADERS
    + r"|act as\b|imagine you\b"
    r"|(?:do not|don['’]t|never) (?:consider|penali[sz]e|reward|grade|score|judge|mark|deduct|award"
    r"|take .{1,40} into account|rely on your|use your own|use outside|let .{1,60} (?:influence|affect|bias)"
    r"|be (?:too )?(?:lenient|strict|harsh)|evaluate|assess|rate|factor)\b"
    r"|(?:ignore|disregard|overlook)\b|be (?:strict|lenient|harsh|generous|fair|objective|consistent)\b"
    r"(?! (?:to|with|about) the (?:customer|reader|user))"
    r"|(?:score|rate|grade|mark|evaluate|assess|judge|review|compare|read|consider|examine|analy[sz]e) "
    r"(?:each|every|the|all|this|it|both|on|against|using|how|based|them|carefully|only|two)\b(?!.{0,80}\b(?:whether|if) )"
    r"|(?:use|apply|follow|refer to) (?:the|this|these) (?:\w+ )?(?:rubric|scale|scoring|criteria|guidelines?"
    r"|grading|marking|rating|checklist|following rubric|following (?:scale|criteria|scoring)\b)"
    r"|use the following\b(?=.{0,40}(?:rubric|scale|criteria|scor|grad|mark|guide|check))"
    r"|for each (?:criterion|criteria|item|dimension|question|category|point),? (?:give|assign|award|score"
    r"|rate|answer|mark|write|provide|decide|say)"
    r"|think (?:step by step|carefully|through)\b|take a deep breath"
    r"|(?:give|provide|output|return|report|write|explain|justify|respond with|answer with|reply with|state)"
    rf" (?:only )?(?:an?|your|the)(?: \w+)? {_JUDGEMENT}\b"
    r"|(?:explain|show|justify|give) your (?:reasoning|reasons?|thinking|decision|answer)\b"
    rf"|(?:the )?{_GRADERS} (?:must|should|will|may|can|need|have)\b"
    r"|(?:a|the|this) (?:total|overall|final|maximum|passing|pass) (?:score|mark|grade)\b"
    r"|(?:total|maximum(?: score)?|max(?: score)?|passing score|pass mark)\s*[:=]\s*\d"
    r"|(?:add|sum) (?:up )?(?:the|all) (?:points|scores|marks)\b"
    r"|(?:the )?(?:following|below) (?:is|are) (?:the |a |an )?(?:rubric|criteria|scale|guidelines)"
    r"|(?:here|below) (?:is|are) (?:the|a|an|some)\b)",
    CASE,
)
AGAINST = re.compile(
    r"^\W*(?:(?:automatic|instant|immediate|hard|critical)(?:ally)? )?(?:fail(?:s|ed|ures?|ing)?"
    r"(?: (?:if|when|conditions?|criteria|modes?|points?|examples?))?|red flags?|deal[- ]?breakers?"
    r"|don['’]?ts?|do nots?|never(?: ever)?(?: do)?|avoid(?: the following)?|must nots?|should nots?"
    r"|prohibited(?: content)?|forbidden|not (?:allowed|acceptable|permitted)|unacceptable"
    r"|reject(?:ed|ion)?(?: (?:if|when|criteria|conditions?))?|disqualif\w+|negative (?:criteria|points"
    r"|items|marks)|(?:mistakes|things|what) (?:to avoid|not to do)|penalt(?:y|ies)|deductions?"
    r"|(?:deduct|lose|subtract)\b.{0,30}|bad signs?|errors?(?: to avoid)?|what fails)\W*$"
    r"|\b(?:must|should|shall|may|can|do|does)(?: ?not|n['’]t| never)(?: (?:do|contain|include|use|have"
    r"|mention|be|say|make|do any of(?: the following| these)?|do the following|any of the following))?\W*$"
    r"|\b(?:fails?|rejected?|unacceptable|zero|penali[sz]ed?) (?:if|when)\b[^.]{0,40}\W*$"
    r"|\bnot (?:acceptable|allowed|permitted)\W*$|\bavoid(?: the following| these)?\W*$",
    CASE,
)
FAULTS = re.compile(
    r"\b(?:fail\w*|red flags?|deal[- ]?breakers?|reject\w*|disqualif\w+|deduct\w*|penalt\w+|penali[sz]\w+"
    r"|errors?|mistakes?|bad signs?|negative|lose|subtract)\b",
    CASE,
)
_CONDITION = re.compile(
    r"^(?:(?:it |the \w+ |an? \w+ )?(?P<fail>(?:automatic(?:ally)? |instant |hard )?fails?(?: (?:it|the \w+))?"
    r"|reject(?: (?:it|the \w+))?|is rejected|mark (?:it |the \w+ )?down"
    r"|penali[sz]e(?: (?:it|the \w+))?|(?:deduct|subtract|take off|lose|minus) (?:a|one|\d+)(?: ?%| points?| marks?| pts?)?)"
    r"|(?:it |the \w+ |an? \w+ )?(?P<good>pass(?:es)?(?: (?:it|the \w+))?|accept(?: (?:it|the \w+))?|is accepted"
    r"|(?:award|give|add|plus|gets?|earns?|worth) (?:a|one|\d+)(?: ?%| points?| marks?| pts?)?))"
    r" (?:only )?(?:if|when) (?P<what>.+)$",
    CASE | re.DOTALL,
)
LABELLED = re.compile(
    r"^(?P<name>[^:：–—.?!]{1,50}?)\s*(?:[:：]|\s[–—-]\s)\s*(?P<said>\S.*)$", re.DOTALL
)
_IDEAL = re.compile(
    r"^(?:an? (?:good|great|strong|ideal|perfect|excellent|successful|passing|acceptable|high-quality)"
    r" [\w-]+|(?:the|every|each) [\w-]+) (?=(?P<rest>.*))",
    CASE | re.DOTALL,
)


INSISTS = re.compile(
    r"\b(?:must|should|shall|never|under no|in no|at no|on no|by no)\b|^(?:no|nothing|nobody|only|neither)\b",
    CASE,
)
PART = re.compile(
    r"^(?:the )?(?P<part>(?:[\w-]+ )?(?:headline|title|subject(?: line)?|introduction|intro|conclusion|abstract"
    r"|body|caption|footer|greeting|signature|sign-?off|docstring|call to action|meta description"
    r"|preview text|(?:sentence|paragraph|line) length|(?:opening|closing|first|last)(?: (?:sentence"
    r"|paragraph|line|word))?))$",
    CASE,
)


def within(part: str, question: str) -> str | None:
    """Return a question about the output, asked about a part of it; None where that reads oddly."""
    asked = question.replace("the output", f"the {part.lower()}", 1)
    odd = re.match(r"Does .* length\b", asked) or not re.match(
        r"(?:Is|Does) the output\b", question
    )
    return None if odd else asked


def condition(sentence: str) -> tuple[str, bool] | None:
    """Return (what, whether it fails) of "Fail it if …" and "Award 2 points if …", or None."""
    hit = _CONDITION.match(after_bullet(sentence))
    return (hit["what"].strip(), hit["fail"] is not None) if hit else None


def after_bullet(text: str) -> str:
    """Return a sentence without blanks and marks of emphasis around it."""
    return text.strip().strip("*_ ")


def says_what_is_good(sentence: str) -> bool:
    """Tell whether a statement describes the output: "A good reply names the date."."""
    text = after_bullet(sentence)
    hit = _IDEAL.match(text)
    if hit is None or not is_output(hit.group().strip()):
        return False
    verb = re.match(r"(?:[a-z]+ly )?([a-z]+)(.*)", hit["rest"], CASE | re.DOTALL)
    return bool(verb and (is_third(verb[1], verb[2]) or (
        verb[1].lower() in ("is", "are", "has") and re.match(r"an? ", text, CASE)
    )))  # fmt: skip


def opens_a_list(lead: str, point: str) -> bool:
    """Tell whether an introduction and a point make one sentence: "It must" and "name the date"."""
    verb_first = re.match(rf"(?:{ADVERB})(?:be\b|{VERB}\b)", point, CASE) is not None
    if re.search(rf"\b(?:{MODAL_WORD})(?: ?not|n['’]t| never)?(?: also| always)?$", lead, CASE):
        return verb_first
    if re.search(rf"\b(?:{MODAL_WORD})(?: ?not|n['’]t| never)? be$", lead, CASE):
        return not verb_first and re.match(r"it\b|the\b|is\b|\w+s\b", point, CASE) is None
    wants = r"(?:include|contain|mention|have|name|state|give|cite|provide|use|avoid)"
    if re.search(rf"(?:\b(?:{MODAL_WORD})(?: ?not|n['’]t| never)? |^(?:always |never |do not )?){wants}s?$",
                 lead, CASE):  # fmt: skip
        return not verb_first and re.match(r"(?:it|is|are|\w+s (?:the|an?))\b", point, CASE) is None
    return False


# --- sentences and clauses ---------------------------------------------------------------------

_END = re.compile(
    r"(?<=[.!?…])[\"”')\]]?\s+(?=[\"“'(\[]?[A-Z0-9À-ÖØ-Þ*_])|(?<=[。！？])[”」』）]?\s*(?=\S)"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|Mr|Mrs|Ms|Dr|St|Fig|Sec)|^\d{1,2}|^[a-zA-Z])\.$", CASE
)
_NUMERO = re.compile(r"\bno\.$", CASE)
_JOINT = re.compile(
    rf"[,;]?\s+(?:and|but)(?: also)?\s+(?=(?:(?:it|they|(?:the|every|each|all|any|its|their|no) [\w-]+(?: [\w-]+)?) )?(?:{MODAL_WORD}|cannot)\b)",
    CASE,
)
_BUT_NOT = re.compile(r"[,;]?\s+(?:and|but)\s+(?=(?:do not|don['’]t|never|avoid)\b)", CASE)
_TO_BE = re.compile(rf"^(?P<s>[^.;:?!,]{{1,80}}? (?:{MODAL_WORD})) be (?P<rest>.+)$", CASE)
_AND_DO = re.compile(rf",?\s+and\s+(?=(?:be|{VERB})\b)", CASE)
_SUBJECT = re.compile(rf"^(?P<s>[^.;:?!,]{{1,80}}?) (?:{MODAL_WORD})\b", CASE)


def sentences(text: str) -> list[str]:
    """Return the sentences of a part; none ends inside quotes or brackets, or after "e.g."."""
    made: list[str] = []
    start = 0
    cuts = [hit.span() for hit in _END.finditer(text)]
    for begin, end in [*cuts, (len(text), len(text))]:
        part = text[start:end].strip() if end > begin else text[start:].strip()
        if part:
            made.append(part)
        start = end
    joined: list[str] = []
    for part in made:
        if joined and (
            _ABBREVIATED.search(joined[-1])
            or (_NUMERO.search(joined[-1]) and part[:1].isdigit())
            or (len(joined[-1]) < 400 and _unclosed(joined[-1]) and _unclosed(part))
        ):
            joined[-1] += f" {part}"
        else:
            joined.append(part)
    return joined


def _unclosed(text: str) -> bool:
    return (
        text.count('"') % 2 == 1
        or text.count("“") != text.count("”")
        or text.count("(") != text.count(")")
    )


def clauses(sentence: str) -> list[str]:
    """Return the demands that one sentence joins: "It must …, and it must not …", each in full."""
    text = sentence.strip().rstrip(".")
    if re.match(rf"(?:{MODAL_WORD})\b", text, CASE):
        text = f"the output {text}"
    if re.search(r"[\"“(:]", text):
        return [text]
    if ";" in text:
        return [part.strip() for part in text.split(";") if part.strip()]
    if COMMAND.match(text):
        return [part for part in _BUT_NOT.split(text) if part.strip()]
    parts = [part for part in _JOINT.split(unquoted(text)) if part.strip()]
    to_be = _TO_BE.match(text)
    if len(parts) == 1 and to_be:
        more = [part for part in _AND_DO.split(to_be["rest"]) if part.strip()]
        return [f"{to_be['s']} {part}" for part in [f"be {more[0]}", *more[1:]]]
    first = _SUBJECT.match(parts[0]) if parts else None
    if first is None:
        return [text]
    bare = re.compile(rf"^(?:{MODAL_WORD}|cannot)\b", CASE)
    return [f"{first['s']} {part}" if bare.match(part) else part for part in parts]


_KEY_FILLER = frozenset(
    {"the", "a", "an", "is", "are", "does", "do", "it", "its", "this", "that", "in", "of", "to",
     "for", "any", "with", "by", "on", "output", "and", "or", "meet", "has", "have", "at", "be",
     "every", "each", "all", "true", "untrue", "must", "should", "not", "include"}
)  # fmt: skip


def free_key(question: str, taken: set[str]) -> str:
    """Return a key of the first words that matter, free in `taken`, and put it there."""
    told = [w for w in words(fold(question)) if w not in _KEY_FILLER]
    stem = "-".join(told[:4])[:60].strip("-") or "criterion"
    stem = "output-overall" if stem == "overall" else stem
    key, number = stem, 2
    while key in taken:
        key, number = f"{stem}-{number}", number + 1
    taken.add(key)
    return key
