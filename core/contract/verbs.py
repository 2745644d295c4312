"""English verbs as rubrics use them: which words are verbs, and their plain and -ing forms."""

from __future__ import annotations

import re

from core.contract.lint_words import CASE, VERBS

_DOUBLED = frozenset(
    {"refer", "commit", "begin", "admit", "omit", "forget", "format", "submit", "permit", "quit",
     "transfer", "prefer", "defer", "infer", "occur", "incur", "rebut", "regret", "upset",
     "compel", "control", "equip", "allot", "recur", "deter"}
)  # fmt: skip
# One syllable of consonants, one vowel, one consonant: stop, put, run; not keep, not show.
_CLOSED = re.compile(r"[^aeiou\W]*[aeiou][bdfgklmnprtvz]|beg|let")
_IRREGULAR = {"has": "have", "is": "be", "are": "be", "does": "do", "focuses": "focus"}

_MORE = (
    r"(?:accuse|achieve|adapt|adhere|admit|advise|align|allege|alter|analy[sz]e|anonymi[sz]e"
    r"|argue|assess|assist|attach|base|bias|blame|bring|capture|carry|categori[sz]e|cause|choose"
    r"|claim|clarify|classify|coerce|collect|combine|commit|communicate|comply|comprise|conclude"
    r"|condense|conform|connect|consider|consist|contradict|contrast|create|critici[sz]e"
    r"|deceive|decline|define|deliver|demonstrate|denigrate|deny|depend|derive|deviate|diagnose"
    r"|differ|differentiate|digress|disagree|disclaim|discriminate|discuss|dismiss|display"
    r"|dispute|divide|downplay|draw|elaborate|eliminate|embed|employ|enable|encrypt|endorse"
    r"|engage|ensure|escalate|establish|estimate|evaluate|exaggerate|exceed|execute|exist|expand"
    r"|expect|exploit|expose|extract|fabricate|fall|fetch|find|finish|focus|forget|format|fulfil"
    r"|fulfill|gather|generate|get|go|grant|guarantee|guess|guide|hallucinate|hedge|help|hide"
    r"|honou?r|ignore|illustrate|imitate|implement|imply|improve|incite|incorporate|indicate"
    r"|infer|inform|insult|integrate|interpret|interrupt|intimidate|involve|lack|leak|let|load"
    r"|localis[ze]|locate|maintain|make|manipulate|meet|merge|minimi[sz]e|mislead|misquote"
    r"|misrepresent|misstate|mock|modify|moralis[ze]|motivate|navigate|notify|obey|occur|offend"
    r"|opt|organi[sz]e|overpromise|overstate|paraphrase|parse|patroni[sz]e|permit|personali[sz]e"
    r"|persuade|plagiari[sz]e|predict|prefer|prepare|prescribe|presume|priorit[iy][sz]e|proceed"
    r"|produce|prohibit|promote|protect|publish|push|put|quantify|ramble|reach|reassure|receive"
    r"|recogni[sz]e|reduce|refrain|relate|rely|remind|render|reorder|rephrase|represent|require"
    r"|resolve|restate|restrict|retain|retrieve|reuse|reveal|rewrite|rush|satisfy|save|see|seek"
    r"|select|sell|send|serve|shame|shorten|shout|simplify|solve|speak|speculate|stereotype|stick"
    r"|steer|stop|store|stray|substantiate|support|surprise|swallow|swear|tackle|take|talk|teach|threaten"
    r"|trace|trivialis[ze]|trust|update|upset|verify|violate|wander|work|write|yell)"
)
# Verbs only before an object or a preposition: elsewhere they are nouns or adjectives.
_MORE_NOUNS = (
    r"(?:balance|break|change|charge|clean|close|complete|compliment|copy|count|credit|cut|demand"
    r"|design|detail|doubt|effect|experience|face|function|head|hold|highlight|judge|label|lead"
    r"|lecture|lie|look|map|need|number|object|order|outline|output|pass|place|plan|practice"
    r"|press|pressure|print|process|profile|question|reason|refund|release|request|respect|result"
    r"|return|review|run|search|secure|set|shape|share|ship|sort|structure|target|tie|total"
    r"|transfer|treat|trick|turn|value|walk|weigh)"
    r"(?= (?:the|a|an|its|their|his|her|your|our|all|any|every|each|no|at|with|by|only|what|how"
    r"|whether|that|why|when|where|it|them|one|two|three|on|to|into|in|both|out|up|off|as"
    r"|[\"“'‘`])(?!\w))"
)
VERB = rf"(?:{VERBS}|{_MORE}|{_MORE_NOUNS})"
"""A plain form that is a verb where it stands; to be followed by a word boundary."""

# "Correct grammar" is no demand to correct something; "Correct the grammar" is one.
ALSO_ADJECTIVE = (
    r"(?:correct|sound|direct|free|open|close|equal|fit|separate|round|present|point|mark|link"
    r"|cover|support|filter|group|match|base|format|work|claim)\b"
    r"(?! (?:the|a|an|its|all|any|every|each|no|to|with|in|on)\b)"
)


def gerund(verb: str) -> str:
    """Return the -ing form of an English verb: blame is blaming, run is running."""
    lower = verb.lower()
    if lower.endswith("ie"):
        return f"{verb[:-2]}ying"
    if lower.endswith("e") and not lower.endswith(("ee", "oe", "ye")) and lower != "be":
        return f"{verb[:-1]}ing"
    doubled = lower in _DOUBLED or _CLOSED.fullmatch(lower) is not None
    return f"{verb}{verb[-1]}ing" if doubled else f"{verb}ing"


def base(verb: str) -> str:
    """Return the plain form of an English verb in the third person: mentions is mention."""
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if lower.endswith("ies") and len(lower) > 4:
        return f"{verb[:-3]}y"
    if lower.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if lower.endswith("s") and not lower.endswith("ss") else verb


def is_verb(word: str, after: str = "") -> bool:
    """Tell whether a plain form is a verb when `after` follows it."""
    return re.match(rf"{VERB}\b(?!-)", word + after, CASE) is not None and " " not in word


def is_third(word: str, after: str = "") -> bool:
    """Tell whether a word is a verb in the third person when `after` follows it: names the …"""
    lower = word.lower()
    if not lower.endswith("s") or lower.endswith("ss") or lower in ("this", "is"):
        return False
    return is_verb(base(word), after)


# Where a rewrite went over a clause it did not see, it reads like this.
_BROKEN = re.compile(
    r"\b(?:from|by|of|to|without) avoid\b|\bavoid (?:not|no|never|avoid\w*|refrain\w*|abstain\w*)\b"
    r"|\b(\w+) \1\b|^(?:does|do|is|are) (?:refrain|abstain|avoid|never|not|please|state)\b"
    r"|^(?:does|do) [^?]* (?:that|which|who) \w+\?$",
    CASE,
)


def unbroken(question: str | None) -> str | None:
    """Return a rewritten question, or None where it is no English a person would write."""
    return None if question is None or _BROKEN.search(question) else question
