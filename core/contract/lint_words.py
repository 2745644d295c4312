"""The wordings lint knows: vague words, scores, hunts, comparisons, negations, joined questions.

Patterns run on questions people wrote, in English; each is linear and none runs on an output.
"""

from __future__ import annotations

import re

CASE = re.IGNORECASE

_VAGUE_WORDS = frozenset(
    {"good", "great", "nice", "best", "better", "excellent", "perfect", "appropriate",
     "appropriately", "suitable", "suitably", "proper", "properly", "adequate", "adequately",
     "reasonable", "reasonably", "acceptable", "acceptably", "sufficient", "sufficiently",
     "clear", "clearly", "professional", "professionally", "engaging", "compelling",
     "interesting", "quality", "natural", "naturally", "effective", "effectively", "helpful",
     "helpfully", "useful", "usefully", "concise", "concisely", "polished", "readable",
     "elegant", "elegantly", "robust", "comprehensive", "comprehensively", "thorough",
     "thoroughly", "strong", "creative", "friendly", "fluent", "fluently", "satisfactory",
     "satisfying", "meaningful", "meaningfully", "insightful", "persuasive", "persuasively",
     "catchy", "intuitive", "sensible", "decent", "efficient", "efficiently", "idiomatic",
     "maintainable", "clean", "smooth", "smoothly", "simple", "important", "relevant",
     "necessary", "enough", "etc", "on-brand", "user-friendly", "high-quality",
     "well-written", "well-structured", "well-organized", "well-organised", "well-designed",
     "well-formatted", "well-crafted", "polite", "politely", "courteous", "courteously",
     "respectful", "respectfully", "empathetic", "empathetically", "empathic", "compassionate",
     "warm", "warmly", "timely", "tactful", "tactfully", "coherent", "coherently", "cohesive",
     "logical", "logically", "convincing", "convincingly", "credible", "nuanced", "actionable",
     "impactful", "punchy", "snappy", "crisp", "succinct", "succinctly", "conversational",
     "human-like", "humanlike", "welcoming", "approachable", "supportive", "inspiring",
     "motivating", "memorable", "attractive", "appealing", "eye-catching", "informative",
     "understandable", "digestible", "tidy", "neat", "neatly", "thoughtful", "thoughtfully",
     "considerate", "caring", "kind", "detailed", "in-depth", "realistic", "trustworthy",
     "promptly", "quickly", "seamless", "seamlessly", "fair", "fairly", "authentic", "rich",
     "inappropriate", "inappropriately", "unprofessional", "awkward", "awkwardly", "confusing",
     "unclear", "wordy", "verbose", "generic", "robotic", "boring", "sloppy", "excessive",
     "excessively", "overly", "unnecessary", "unnecessarily", "irrelevant", "poor", "poorly",
     "bad", "badly", "rude", "rudely", "lengthy", "long-winded", "flowery", "flowing", "stilted"}
)  # fmt: skip
# Vague unless something follows that they are held against: consistent with the invoice.
_ANCHORED = re.compile(
    r"\b(?:in)?(?:accura(?:te|tely|cy)|consistent(?:ly)?|faithful(?:ly)?|aligned)\b"
    r"(?![^?]{0,80}\b(?:with|to|against|according|compared|than|within|as|from|in the|of the"
    r"|across|throughout|between)\b)",
    CASE,
)
# Fixed terms in which those words say something exact.
_TERMS = re.compile(
    r"\b(?:natural (?:language|persons?|gas|numbers?|sciences?|key)|good faith|great britain"
    r"|best before|effective (?:date|from|on|until|interest)|useful life|professional (?:indemnity"
    r"|liability|title|body)|reasonable (?:doubt|adjustments?|endeavou?rs|efforts)|fair (?:value"
    r"|market|use|trade|dealing)|simple (?:interest|past|present|tense|majority|sentences?)"
    r"|proper (?:nouns?|names?)|clean (?:install|energy)|creative commons|strong (?:tags?|passwords?"
    r"|typing)|quality (?:assurance|control|manager|team|department)|logical (?:operators?|and|or"
    r"|not|volume)|rich text|generic (?:names?|types?|drugs?|medicines?|substitut\w+|parameters?"
    r"|class)|warm (?:transfer|water|start)|clear(?:ing)? (?:the|all|text|cache|span)"
    r"|caring for|important safety|relevant (?:authority|supervisory)|poor (?:metaboli[sz]ers?)"
    r"|clear(?:ly)? (?:label(?:l)?ed|marked)|kind of|kind regards|rich media|what kind|fair hearing"
    r"|one kind|each kind|this kind|any kind|same kind)\b",
    CASE,
)
_VAGUE_PHRASE = re.compile(
    r"\b(?:on brand|user friendly|high quality|well (?=\w+(?:ed|en)\b)\w+|plain english"
    r"|easy to (?:read|understand|follow|use|scan|digest)|to the point|mak(?:es?|ing) sense"
    r"|adds? value|in a timely manner|all aspects|enough detail|at a glance|the right way"
    r"|(?:flows?|reads?|works?|written|structured|explained|organi[sz]ed|handles?|handled|sounds?"
    r"|performs?|communicates?|translated|done|presented|argued|answered) (?:very |really )?well"
    r"|right (?:tone|length|level|amount)|main points?"
    r"|key (?:points?|facts?|findings?|information)|most (?:important|relevant)|and so on|as needed"
    r"|(?:where|if|when) (?:appropriate|possible|necessary|needed)"
    r"|too (?:long|short|technical|formal|informal|vague|wordy|much|many)"
    r"|(?:short|brief|(?<!words )(?<!characters )(?<!letters )long)(?= ?\?| ?\.?$| and\b| or\b|,))"
    r"(?!\w)",
    CASE,
)
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_QUOTED = re.compile(r"[\"“„«`][^\"”“»`]{0,200}[\"”“»`]|(?<!\w)['‘][^'’]{0,200}['’](?!\w)")

SCORE = re.compile(
    r"\b(?:rate (?:the|how|it|this|from|on|each)|grade (?:the|how|it|this|from|on)"
    r"|(?:give|assign|award)\b[^?]{0,40}\b(?:score|rating|points?|stars?)\b(?! (?:if|when)\b)"
    r"|scor(?:e|ing|es) (?:of|from|between|on|the|at least|above|below|how|each|\d)"
    r"|scale (?:of|from)|from [01] (?:to|through) (?:5|10|100)\b"
    r"|out of (?:5|five|7|seven|10|ten|100)\b|to what (?:extent|degree)|\d ?/ ?(?:5|10|100)\b"
    r"|(?:\d|one|five|four) stars?\b|on a \d+ ?[-–] ?\d+ scale)"
    r"|\([01] ?[-–] ?(?:5|10|100)\)"
    # "4 or higher" grades, unless it counts, dates or names something.
    r"|(?<!version )(?<!level )(?<!grade )(?<!age )(?<!aged )(?<!year )(?<!python )(?<!stage )"
    r"(?<![\d.])\b(?:10|[1-9])(?:\.\d)? or (?:higher|above|better)\b"
    r"|\brated? (?:at least |above |over |as )?(?:an? )?[1-9]\b|(?<!credit )(?<!risk )(?<!test )"
    r"\b(?:score|rating|grade) (?:is |be )?(?:at least|above|over|higher than|of|≥|>=?|[1-9])"
    r"|(?:low|high|full|top|maximum|passing) (?:scores?|marks|ratings?)\b"
    r"|\d ?%? (?:percent )?(?:accurate|correct|relevant|faithful|confident|factual)\b"
    r"|(?:deserves?|earns?) (?:an? |at least )?(?:[1-9]|A|B)\b"
    r"|^\W*how (?:well|good|much|many|likely|clear|accurate|helpful|relevant|\w+) (?=\w)",
    CASE,
)
_FAULTS = (
    r"(?:issues?(?! (?:numbers?|tracker))|problems?|errors?(?! (?:codes?|messages?|handling|numbers?"
    r"|logs?|rates?|classes))|mistakes?|flaws?|faults?|weakness(?:es)?|defects?|bugs?"
    r"|inaccurac(?:y|ies)|vulnerabilit(?:y|ies)|improvements?|typos?|inconsistenc(?:y|ies)"
    r"|hallucinations?|red flags)"
)
_KIND_OF_FAULT = (
    r"(?:factual|logical|security|grammatical|grammar|spelling|punctuation|typographical|syntax"
    r"|translation|formatting|stylistic|medical|legal|major|minor|serious|critical|glaring|obvious)"
)
OPEN_ENDED = re.compile(
    rf"\b(?:(?:no|any|free (?:of|from)(?: all| any)?|without(?: any)?|all possible|every possible"
    rf"|contains?|avoids?(?: all| any| making)?|ha(?:s|ve))"
    rf"(?: more| other| further| remaining| possible| potential)?"
    rf"(?: {_KIND_OF_FAULT}(?:(?:,|,? (?:and|or)) {_KIND_OF_FAULT})*)? {_FAULTS}"
    rf"|hallucinat(?:es?|ed|ing)(?= ?\?| ?$| and\b| or\b| anything| (?:any )?(?:facts?|information"
    r"|content|details?|claims?)\b(?! (?:that|not|about|from|beyond|outside|absent)))"
    r"|(?:covers?|includes?|mentions?|addresses|address|captures?) everything(?! (?:in|on|listed|that))"
    r"|(?:nothing|anything|something)(?: left| else)? (?:wrong|missing|left"
    r"|to (?:improve|fix|change|correct|critici[sz]e|add)"
    r"|(?:that )?(?:could|can|should) be (?:improved|better|fixed|added))"
    r"|(?:could|can) (?:it |this |the \w+ )?(?:still )?be (?:further )?improved|flawless|perfect"
    r"|(?:error|bug|mistake)[- ]free|room for improvement|as good as (?:possible|it can be)"
    r"|all (?:possible )?edge cases|every (?:possible )?edge case|everything (?:correct|right|fine"
    r"|covered|in order))\b(?: left| remaining)?",
    CASE,
)
INTENT = re.compile(
    r"\b(?:intention(?:s|ally)?|intended to|intends? to|meant to|means to|sincere(?:ly)?"
    r"|genuine(?:ly)?|honestly|deliberate(?:ly)?|on purpose"
    r"|(?:writer|author|model|assistant|agent|ai|it|reply|answer|response|text|output"
    r"|email|message|summary|translator|student|developer)"
    r" (?:(?:really |actually |truly )?(?:tr(?:y|ies|ied)|attempt(?:s|ed)?|want(?:s|ed)?"
    r"|aim(?:s|ed)?|hope[sd]?|mean[st]?|intend(?:s|ed)?) to)"
    r"|(?:writer|author|model|assistant|ai|agent|translator|student|developer|nurse|doctor)"
    r" (?:really |actually |truly )?"
    r"(?:understands?|understood|thinks?|thought|believes?|believed|knows?|knew|cares?|feels?|felt"
    r"|intends?|intended))"
    r"\b",
    CASE,
)
ASSERTION = re.compile(
    r"\b(?:says?|states?|claims?|confirms?|promises?|recommends?|advises?|concludes?|asserts?"
    r"|denies|deny|agrees?|admits?|offers?|instructs?|tells?|uses?|runs?)\b(?! …)",
    CASE,
)
_COMPARATIVES = frozenset(
    {"better", "worse", "longer", "shorter", "clearer", "simpler", "easier", "friendlier",
     "warmer", "softer", "stronger", "tighter", "faster", "quicker", "cleaner", "safer",
     "smoother", "nicer", "richer", "calmer", "kinder", "improved"}
)  # fmt: skip
_YARDSTICK = re.compile(
    r"\bthan\b|\bcompared (?:to|with)\b|\brelative to\b|\bas \w+ as\b|\bversus\b", CASE
)
_UNSEEN = re.compile(
    r"\bthan (?:before|previously|last time|earlier|(?:it|the \w+) (?:was|were) before"
    r"|(?:in )?(?:the |its |your )?(?:previous|last|earlier|old|first|prior)"
    r" (?:draft|version|round|attempt|reply|answer|try|one)s?)\b"
    r"|\b(?:improv\w+|progress|advance|changed?|differs?|different|better) (?:on|over|upon|from|since)"
    r" (?:the |its |your )?(?:previous|last|earlier|prior|first|old|original)"
    r" (?:draft|version|round|attempt|reply|answer|try|one)s?\b"
    r"|\b(?:in )?the original draft\b|\b(?:the |its )?(?:previous|last|earlier|prior)"
    r" (?:drafts?|attempts?|iterations?|feedback)\b",
    CASE,
)

AUXILIARY = (
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may|might"
    r"|isn't|aren't|doesn't|don't|hasn't)"
)
_NOT_BINARY = re.compile(
    r"(?:how|what|which|who|whom|whose|why|where|rate|score|grade|describe|list|explain|evaluate"
    r"|assess|check|judge|make sure|ensure|(?:in|to|on|for|by|at) (?:what|which|whom))\b",
    CASE,
)
_WH_CLAUSE = re.compile(r"^[^?]*, ?(?:how|what|which|who|why|where)\b", CASE)
_FOLLOW_UP = re.compile(r"\bif (?:so|not|yes|no),? (?:why|how|what|which|where|who)\b", CASE)
_CLAUSE = re.compile(rf"(?:^|[,;:–—]\s*)(?:then )?{AUXILIARY}\b", CASE)

# Verbs that are seldom nouns, and those that are verbs only before an object of their own.
_VERBS = (
    r"(?:mention|state|give|avoid|include|explain|apologi[sz]e|contain|cite|provide|say|begin|open"
    r"|refer|keep|ask|thank|describe|follow|stay|use|confirm|propose|suggest|tell|greet|close"
    r"|return|define|handle|leave|summari[sz]e|recommend|identify|respond|acknowledge|preserve"
    r"|match|add|remove|omit|specify|warn|validate|raise|translate|invite|repeat|express"
    r"|highlight|distinguish|compare|flag|sound|read|fit|have|be|exclude|allow|prevent|reject"
    r"|accept|refuse|assume|assign|encourage|praise|mark|point|direct|introduce|justify|compute"
    r"|calculate|convert|reproduce|introduce|invent|attribute|separate|replace|escape|free|reflect"
    r"|remain|convey|emphasi[sz]e|urge|pick|choose|show|sum|equal|correct|fix|support|prove|declare"
    r"|disclose|redact|round|sort|group|filter|join|spell|capitali[sz]e|adapt|cover|promise|link)"
)
_NOUNS = (
    r"(?:name|offer|list|answer|end|start|address|quote|sign|call|note|report|reply|check|log|test"
    r"|present|document|record|limit|cap|date|order|cost|contact|request|index|rank|rate|score)"
)
_OBJECT = (
    r"(?= (?:the|a|an|its|their|his|her|all|any|every|each|no|at|with|by|only|what|how|whether|that"
    r"|why|when|where|it|them|one|two|on|to|in|both)\b)"
)
VERBS = rf"(?:{_VERBS}|{_NOUNS}{_OBJECT})"
ADJECTIVES = (
    r"(?:polite|short|brief|long|correct|complete|accurate|formal|informal|calm|true|valid|consistent"
    r"|current|neutral|specific|honest|kind|safe|legal|warm|empathetic|encouraging|present|visible"
    r"|unique|sorted|dated|signed|named|tested|documented|precise|factual|objective|balanced"
    r"|grammatical|plain|direct|up to date|coherent|fair|faithful|original|lawful|binding|exact"
    rf"|{'|'.join(sorted(_VAGUE_WORDS))}|\w{{3,}}(?:ful|ive|ous|able|ible|ly|less|ised|ized))"
)
JOIN = r"\b(?:and|or|as well as|but(?: also)?)\b"
_SECOND = re.compile(
    rf"{JOIN} (?:also |then |not |never )*(?:{AUXILIARY} (?!not\b)|(?:it|they|the \w+) "
    rf"(?:{AUXILIARY}\b|\w+s\b)|{VERBS}\b)",
    CASE,
)
_TWO_ADJECTIVES = re.compile(
    rf"^\W*(?:is|are)\b.{{0,120}}\b{ADJECTIVES},? {JOIN} (?:is |also )?{ADJECTIVES}\s*\?", CASE
)
_EITHER = re.compile(r", (?:or|and/or) |\beither\b[^?]{1,120}\bor ", CASE)
_ALTERNATIVE = re.compile(r"\bor not\b", CASE)

SUBJECT = (
    r"(?:it|this|they|he|she|there|(?:the|a|an|each|every|all|any|its|their|this|these)"
    r"(?: (?!that\b|whether\b|not\b|no\b|never\b)[\w'’-]+){1,3}?)"
)
NEGATED = re.compile(
    rf"^\W*(?P<aux>{AUXILIARY}) (?P<subject>{SUBJECT}) (?P<word>not|never) (?!only\b|just\b|to\b)",
    CASE,
)
CONTRACTED = re.compile(
    r"^\W*(?P<aux>is|are|was|were|does|do|did|has|have|can|could|will|would|should)n['’]t ", CASE
)
FREE_OF = re.compile(r"\bfree (?:of|from) (?!charge\b)(?=\w)", CASE)
NO_THING = re.compile(
    r"\b(?:contains?|includes?|ha(?:s|ve)|mentions?|gives?|uses?|makes?|adds?|names?|shows?)"
    r" no (?!more\b|fewer\b|less\b|longer\b|later\b)(?=\w)"
    r"|^\W*(?:is|are) there no (?=\w)|^\W*(?:is|are|does|do|has|have) (?:no|none|nothing|nobody)\b"
    r"(?! more than)",
    CASE,
)  # fmt: skip


def unquoted(question: str) -> str:
    """Return the question without what it quotes: a quoted word is looked for, not used."""
    return _QUOTED.sub("…", question)


def vague(question: str) -> list[str]:
    """Return the vague words of a question, each once, as written."""
    text = _TERMS.sub(lambda hit: "…" * len(hit.group()), unquoted(question))
    found = [
        (hit.start(), hit.end(), hit.group())
        for pattern in (_VAGUE_PHRASE, _ANCHORED)
        for hit in pattern.finditer(text)
    ]
    for hit in _WORD.finditer(text):
        inside = any(start <= hit.start() < end for start, end, _ in found[:50])
        # "More empathetic" is a comparison, and its own finding.
        compared = text[max(0, hit.start() - 5) : hit.start()].lower().endswith(("more ", "less "))
        if not inside and not compared and hit.group().lower() in _VAGUE_WORDS:
            found.append((hit.start(), hit.end(), hit.group()))
    return list(dict.fromkeys(word for _, _, word in sorted(found)))


def comparison(question: str) -> tuple[str, bool] | None:
    """Return (comparing words, whether they name a draft nobody shows), or None if all is said."""
    text = unquoted(question)
    if hit := _UNSEEN.search(text):
        return hit.group(), True
    phrase = _compares(text)
    return None if phrase is None or _YARDSTICK.search(text) else (phrase, False)


_ENDS_HIGHER = re.compile(
    r"\b(?<!or )(?<!no )(?:lower|higher|bigger|smaller|larger|greater)(?=\s*\?\s*$)", CASE
)


def _compares(text: str) -> str | None:
    if hit := _ENDS_HIGHER.search(text):
        return hit.group()
    found = [(hit.group().lower(), hit) for hit in _WORD.finditer(text)]
    for i, (word, hit) in enumerate(found):
        before = found[i - 1][0] if i else ""
        if word in _COMPARATIVES and before not in ("no", "any"):
            return hit.group()
        if (
            word in ("more", "less")
            and before not in ("or", "one", "any", "no")
            and i + 1 < len(found)
        ):
            after, end = found[i + 1]
            if len(after) > 2 and after not in ("than", "and") and end.start() == hit.end() + 1:
                return text[hit.start() : end.end()]
    return None


LACKING = re.compile(
    rf"^\W*(?:does|do|did) {SUBJECT} (?P<does>(?:fail|neglect|forget|omit) to|lack|omit|miss)\b(?= \w)"
    rf"|^\W*(?:is|are|was|were) {SUBJECT} (?P<is>wrong|incorrect|inaccurate|untrue|false|broken"
    r"|missing|absent|unclear|incomplete|inconsistent)\s*\?",
    CASE,
)


def negation(question: str) -> str | None:
    """Return the words that make "yes" mean that something is absent, or None."""
    text = unquoted(question)
    if hit := CONTRACTED.search(text):
        return hit.group().strip()
    if hit := NEGATED.search(text):
        return hit["word"]
    if hit := LACKING.search(text):
        return hit["does"] or hit["is"]
    hit = FREE_OF.search(text) or NO_THING.search(text)
    return hit.group().strip() if hit else None


def is_yes_no(question: str) -> bool:
    """Tell whether a question can be answered with yes or no."""
    text = question.strip()
    if not text.endswith(("?", "？", "؟", "?)", '?"', "?”")) or _FOLLOW_UP.search(text):
        return False
    asked = _NOT_BINARY.match(text) or _WH_CLAUSE.match(text)
    return asked is None or _CLAUSE.search(text) is not None


def second_question(question: str) -> str | None:
    """Return the words at which a question turns into two, or None."""
    text = unquoted(question)
    if text.count("?") + text.count("？") > 1:
        return "? … ?"
    if _ALTERNATIVE.search(text):
        text = _ALTERNATIVE.sub("", text)
    # "…, or states that there are none" is one question with two ways to pass.
    text = _EITHER.sub(" ", text)
    hit = _SECOND.search(text) or _TWO_ADJECTIVES.search(text)
    if hit is None:
        return None
    joined = re.search(JOIN + r"[^?]{0,40}", hit.group() + text[hit.end() :], CASE)
    return joined.group().strip() if joined else hit.group().strip()
