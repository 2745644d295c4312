"""The forms in which demands are written, each with the question it asks."""

from __future__ import annotations

import re

from core.contract.lint_words import CASE
from core.contract.phrases import (
    ADVERB,
    MODAL_WORD,
    OUTPUT,
    SUBORDINATE,
    after_dropping,
    being,
    do,
    finite_inside,
    is_output,
    is_plural,
    is_subject,
    limit,
    lower_first,
    more_verbs,
    second_clause,
    subject_of,
    turned_to_base,
    turned_to_gerund,
    unquoted,
)
from core.contract.verbs import ALSO_ADJECTIVE, VERB, base, gerund, is_third, is_verb

_MODAL = re.compile(
    rf"^(?P<s>[^.;:?!]{{1,120}}?) (?:also )?(?P<modal>{MODAL_WORD})"
    r"(?P<neg>(?: ?not|n['’]t| never)\b)? (?P<rest>.+)$",
    CASE | re.DOTALL,
)
_FORBIDDEN = re.compile(
    r"^(?:(?:please |always )?(?:do not|don['’]t|never|(?:make sure|be sure|take care|be careful"
    r"|try|remember) not to|(?:under|in|on|at|by) no (?:circumstances?|case|event|account|point"
    r"|time|means),?)) "
    rf"(?:ever )?(?P<adv>{ADVERB})(?P<verb>[a-z][a-z-]*)\b(?P<rest>.*)$",
    CASE | re.DOTALL,
)
_INVERTED = re.compile(
    r"^(?:(?:under|in|on|at|by) no (?:circumstances?|case|event|account|point|time|means)|never),?"
    rf" (?:may|must|should|shall|can|will|is|are|does|do) (?P<s>.{{1,60}}?) (?P<verb>be|{VERB})\b"
    r"(?P<rest>.*)$",
    CASE | re.DOTALL,
)
_NEGATED = re.compile(
    rf"^(?:(?P<s>[^.;:?!,]{{1,80}}?) )?(?:(?:does|do) not|doesn['’]t|don['’]t|(?P<never>never)) "
    rf"(?P<adv>{ADVERB})(?P<verb>[a-z]+)\b(?P<rest>.*)$",
    CASE | re.DOTALL,
)
_CONDITION = re.compile(
    r"^(?P<lead>(?:if|when|whenever|where|wherever|unless|once|after|before|for|in|on|at|with"
    r"|within|during|under)\b(?! no\b)[^,;.?!]{1,160}), (?:then )?(?P<main>.+)$",
    CASE | re.DOTALL,
)
_WANTED = re.compile(
    r"^(?:(?:we|i) )?(?:would like|expect|want|need|require) (?P<s>(?:the|a|an|every|each|all) "
    r"[^.;:?!,]{1,60}?)(?P<neg> not)? to (?P<rest>.+)$",
    CASE | re.DOTALL,
)
_IMPORTANT = re.compile(
    r"^it(?: is|['’]s) (?:very )?(?:important|essential|crucial|vital|necessary|mandatory"
    r"|imperative|critical|required)(?: that (?P<that>.+)| (?P<neg>not )?to (?P<to>.+))$",
    CASE | re.DOTALL,
)
BANNED = (
    r"(?:(?:is|are) (?:(?:strictly |absolutely |never |not )?(?:un(?=acceptable)|dis(?=allowed))?"
    r"(?:acceptable|allowed|permitted|tolerated|ok|okay|welcome|wanted)|(?:strictly |absolutely )?"
    r"(?:forbidden|prohibited|banned|off[- ]limits|out of place))"
    r"|(?:will|must|should|are to) be (?:rejected|failed|marked down|penali[sz]ed))"
)
UNWANTED = re.compile(rf"^(?P<s>[^.;:?!]{{1,160}}?) (?P<be>{BANNED})(?P<rest>(?: .*)?)$", CASE)
_NOT_TO = re.compile(
    r"^it(?: is|['’]s) (?:never |not )?(?:un|not )?(?:acceptable|allowed|permitted|ok|okay|forbidden"
    r"|prohibited) to (?P<rest>.+)$",
    CASE,
)
_REQUIRED = re.compile(
    r"^(?P<s>[^.;:?!,]{1,100}?) (?:is|are) (?:mandatory|required|compulsory|obligatory|a must)$",
    CASE,
)
IS = re.compile(r"^(?P<s>[^.;:?!,]{1,100}?) (?P<v>is|are) (?P<rest>.+)$", CASE | re.DOTALL)
_NP = (
    r"(?:it|this|(?:the|a|an|each|every|its|no) [\w'’-]+(?: (?:of (?:the |its )?)?[\w'’-]+){0,3}?)"
)
THIRD = re.compile(
    rf"^(?P<s>{_NP} )?(?P<adv>{ADVERB})(?P<verb>has|does|[a-z]+s)\b(?P<rest>.*)$", CASE | re.DOTALL
)
_MANY = re.compile(
    rf"^(?P<s>(?:(?:all|both|the|these|those|any|its|their) )?(?:[\w'’-]+ ){{0,2}}?[\w-]+s) "
    rf"(?P<adv>{ADVERB})(?P<verb>(?:{VERB})\b(?=.)|pass$|compile$|run$|agree$|exist$)(?P<rest>.*)$",
    CASE | re.DOTALL,
)
_NEEDS = re.compile(r"^(?P<s>[^.;:?!,]{1,80}?) needs? (?P<rest>(?!to\b|not\b).+)$", CASE)
_BARE_MODAL = re.compile(rf"^(?:{MODAL_WORD})(?:n['’]t| ?not\b| never\b)? ", CASE)
_READY = re.compile(
    r"^(?:is|are|does|do|has|have|can|did) (?:it|they|this|there|the|each|every|all|any|both) ",
    CASE,
)
_BASE = re.compile(
    rf"^(?P<adv>{ADVERB})(?P<verb>(?!call to action)(?!{ALSO_ADJECTIVE}){VERB})\b(?!-)(?! (?:{MODAL_WORD})\b)(?P<rest>.+)$",
    CASE | re.DOTALL,
)
_SHAPED = re.compile(
    r"^(?:(?P<write>write|phrase|word|format|structure|organi[sz]e|style|present|lay out|address)"
    r"(?: (?P<it>it|(?:the|your) (?:output|reply|response|answer|text|summary|email|message)))?"
    r" (?P<how>(?:in|as|for|with|to|like|from|using|around|at an?|so that|clearly|plainly|politely"
    r"|concisely|simply)\b.*)"
    r"|write (?P<np>an? .+)"
    r"|keep (?:it|(?P<kept>the (?:output|reply|response|answer|text|summary|email|message)))"
    r"(?: to)? (?P<state>(?:under|below|within|short|brief|simple|polite|professional|concise|formal"
    r"|neutral|factual|between|at most|at least|no more|no longer).*)"
    r"|(?:limit|restrict) (?P<held>(?:it|the \w+)) to (?P<to>.+))$",
    CASE,
)
_PAST = {"write": "written", "lay out": "laid out", "phrase": "phrased", "structure": "structured",
         "style": "styled", "format": "formatted", "organise": "organised",
         "organize": "organized"}  # fmt: skip
_NO_VERB_AFTER_NEVER = frozenset(
    {"a", "an", "the", "any", "in", "on", "at", "more", "less", "fewer", "longer", "again", "too",
     "to", "as", "with", "for", "not", "or", "and", "but", "only", "just", "before", "after"}
)  # fmt: skip


def ask(text: str) -> str | None:
    """Return the question of a sentence without its full stop, or None where no form fits."""
    text = after_dropping(text)
    if not text:
        return None
    if unquoted(text) == text:
        # The one who is told to write is the one whose output is asked about.
        text = re.sub(r"\byourself\b", "itself", re.sub(r"(?<!^)\byour own\b", "its own", text))
    if _READY.match(text):
        return f"{text[:1].upper()}{text[1:]}?"
    if hit := _CONDITION.match(text):
        inner = ask(hit["main"])
        return (
            inner and f"{hit['lead'][:1].upper()}{hit['lead'][1:]}, {inner[:1].lower()}{inner[1:]}"
        )
    for rule in (_prohibition, _wish, limit, _shaped, _command, _demand, _judged, _statement):
        if asked := rule(text):
            return asked
    return None


def _prohibition(text: str) -> str | None:
    if hit := _INVERTED.match(text):
        return _from_negative(hit["s"], "", hit["verb"], hit["rest"])
    if hit := re.match(
        r"never (?P<doing>(?!bring\b|sing\b|ring\b|thing\b)\w{2,}ing\b.*)$", text, CASE
    ):
        return f"Does {OUTPUT} avoid {hit['doing']}?"
    if hit := _FORBIDDEN.match(text):
        verb = hit["verb"].lower()
        known = verb == "be" or is_verb(verb, hit["rest"])
        if verb in _NO_VERB_AFTER_NEVER or (not known and re.match("never", text, CASE)):
            return None
        if verb == "exceed":
            return f"Does {OUTPUT} keep to at most{hit['rest']}?"
        return _from_negative(OUTPUT, hit["adv"].lower(), verb, hit["rest"])
    return None


def _wish(text: str) -> str | None:
    if hit := _WANTED.match(text):
        return _demand(f"{hit['s']} must{hit['neg'] or ''} {hit['rest']}")
    if hit := _NOT_TO.match(text):
        return _prohibition(f"do not {hit['rest']}")
    if hit := _IMPORTANT.match(text):
        if hit["to"]:
            return _prohibition(f"do not {hit['to']}") if hit["neg"] else _command(hit["to"])
        plain = re.match(rf"(?P<s>{_NP}) (?P<verb>be|{VERB})\b(?P<rest>.+)$", hit["that"], CASE)
        must = _demand(f"{plain['s']} must {plain['verb']}{plain['rest']}") if plain else None
        return _demand(hit["that"]) or _statement(hit["that"]) or must
    return None


def _shaped(text: str) -> str | None:
    """Ask about the text where a command is to its writer: write, format, keep it short."""
    hit = _SHAPED.match(text)
    if (
        hit is None
        or second_clause(text)
        or re.search(rf"\b(?:and|or|but) (?:{VERB})\b", text, CASE)
    ):
        return None
    if hit["np"]:
        return f"Is {OUTPUT} {hit['np']}?"
    if hit["state"]:
        return f"Is {lower_first(hit['kept'] or OUTPUT)} {hit['state']}?"
    if hit["to"]:
        held = OUTPUT if hit["held"].lower() == "it" else lower_first(hit["held"])
        return f"{being(held)} {held} limited to {hit['to']}?"
    verb = hit["write"].lower()
    past = _PAST.get(verb, f"{verb}ed")
    return f"Is {OUTPUT} {past} {hit['how']}?"


def _command(text: str) -> str | None:
    if hit := re.match(r"(?:always )?be (?P<rest>.+)", text, CASE):
        return None if more_verbs(hit["rest"]) else f"Is {OUTPUT} {hit['rest']}?"
    hit = _BASE.match(text)
    if hit is None or second_clause(hit["rest"]):
        return None
    verb = re.search(r"\b(?:is|are|was|were)\b", unquoted(hit["rest"]), CASE)
    if verb and not SUBORDINATE.search(hit["rest"][: verb.start()]):
        return None  # "Thank you note is included" thanks nobody.
    if hit["verb"].lower() == "have" and (
        none := re.match(r" no (?!more|fewer|less)(.+)", hit["rest"])
    ):
        return f"Does {OUTPUT} avoid {none[1]}?"
    return f"Does {OUTPUT} {hit['adv'].lower()}{lower_first(hit['verb'])}{hit['rest']}?"


def _demand(text: str) -> str | None:
    if _BARE_MODAL.match(text):
        text = f"{OUTPUT} {text}"
    hit = _MODAL.match(text)
    if hit is None or not is_subject(hit["s"]) or second_clause(hit["rest"]):
        return None
    rest, negative = hit["rest"].strip(), bool(hit["neg"])
    modal = hit["modal"].lower()
    if never := re.match(r"(?:never|not) (?!only\b|just\b)", rest, CASE):
        rest, negative = rest[never.end() :], True
    if re.match(r"not\b", rest, CASE) or (negative and re.match(r"(?:only|just)\b", rest, CASE)):
        return None
    subject = subject_of(hit["s"])
    if modal.startswith(("may", "can", "ca", "will", "wo")) and not negative:
        only = re.match(r"only\b", rest, CASE) or re.match(r"only\b", subject, CASE)
        if not only and not re.match(r"(?:no|nothing|nobody|none)\b", subject, CASE):
            return None
    if negative:
        if re.match(r"need|ha|is|are", modal):  # "need not", "is not required to": a permission
            return None
        verb = re.match(rf"(?P<adv>{ADVERB})(?P<verb>[a-z]+)\b(?P<rest>.*)", rest, CASE | re.DOTALL)
        return verb and _from_negative(subject, verb["adv"], verb["verb"], verb["rest"])
    return _positive(subject, rest)


def _positive(subject: str, rest: str) -> str | None:
    """Ask for what a subject must do, "be calm" or "name the date"."""
    if none := re.match(r"(?:no|nothing|nobody|none)\b ?(?P<rest>.*)", subject, CASE):
        verb = re.match(r"(?P<verb>[a-z]+)\b(?P<rest>.*)", rest, CASE | re.DOTALL)
        if verb and verb["verb"].lower() == "be":
            return f"Is it true that {subject} {being(none['rest']).lower()}{verb['rest']}?"
        if verb and none["rest"] and is_output(none["rest"]):
            return _from_negative(OUTPUT, "", verb["verb"], verb["rest"])
        return None
    if subject == "there":
        what = re.match(r"(?:always )?be (?P<no>no (?!more|fewer|less))?(?P<rest>.+)", rest, CASE)
        if what is None:
            return None
        if what["no"]:
            return f"Does {OUTPUT} avoid {what['rest']}?"
        return f"{being(what['rest'])} there {what['rest']}?"
    if plain := re.match(rf"(?P<adv>{ADVERB})be (?P<rest>.+)", rest, CASE | re.DOTALL):
        if more_verbs(plain["rest"]):
            return None
        return f"{being(subject)} {subject} {plain['adv'].lower().replace('also ', '')}{plain['rest']}?"
    if been := re.match(r"have been (?P<rest>.+)", rest, CASE | re.DOTALL):
        return f"{'Have' if is_plural(subject) else 'Has'} {subject} been {been['rest']}?"
    if re.search(r"\b(?:and|or|but) (?:also )?be\b", unquoted(rest), CASE):
        return None
    return f"{do(subject)} {subject} {rest}?"


def _from_negative(subject: str, adverb: str, verb: str, rest: str) -> str | None:
    """Ask that a subject does not do something; of an output "avoid", of anything else "not"."""
    subject, verb = subject_of(subject), verb.lower()
    if second_clause(rest) or not re.fullmatch(r"[a-z]+", verb):
        return None
    if verb == "exceed":
        return f"{do(subject)} {subject} keep to at most{rest}?"
    if subject == "there" and verb == "be":
        return f"Does {OUTPUT} avoid{re.sub(r'^ (?:any|an?) ', ' ', rest)}?"
    if is_output(subject) or subject in ("it", "they", OUTPUT):
        turned = turned_to_gerund(rest)
        return (
            None
            if turned is None
            else f"{do(subject)} {subject} avoid {adverb}{gerund(verb)}{turned}?"
        )
    if verb == "be":
        return f"Is it true that {subject} {being(subject).lower()} not {adverb}{rest.strip()}?"
    return f"Is it true that {subject} {do(subject).lower()} not {adverb}{verb}{rest}?"


def _judged(text: str) -> str | None:
    """Ask about what is not acceptable, or is required."""
    if hit := UNWANTED.match(text):
        be = hit["be"].lower()
        bad = re.search(
            r"\b(?:not|never)\b|unacc|disall|forbid|prohib|banned|off|out of|reject|fail|mark|penal",
            be,
        )
        if bad is None or (re.search(r"\bnot\b", be) and re.search(r"unacc|disall|forbid|ban", be)):
            return None
        subject = lower_first(re.sub(r"^(?:any|all) ", "", hit["s"], flags=CASE))
        if second_clause(hit["rest"]) or re.match(r"(?:it|this|that|there|no)\b", subject, CASE):
            return None
        if is_output(subject):
            size = re.match(
                r"\w+ (?P<how>longer|shorter|over|above|under|below)\b(?P<rest>.*)", subject, CASE
            )
            if size:
                return f"Does {OUTPUT} avoid being {size['how']}{size['rest']}{hit['rest']}?"
            act = re.match(r".*? (?:that|which) (?P<verb>[a-z]+)(?P<rest>\b.*)", subject, CASE)
            if act is None or not is_verb(base(act["verb"]), act["rest"]):
                return None
            turned = turned_to_gerund(act["rest"])
            return (
                None
                if turned is None
                else (f"Does {OUTPUT} avoid {gerund(base(act['verb']))}{turned}{hit['rest']}?")
            )
        return f"Does {OUTPUT} avoid {subject}{hit['rest']}?"
    if hit := _REQUIRED.match(text):
        subject = lower_first(hit["s"])
        if (
            is_output(subject)
            or finite_inside(subject)
            or re.match(r"\w+ing\b|it\b|this\b", subject)
        ):
            return None
        return f"Does {OUTPUT} include {subject}?"
    return None


def _statement(text: str) -> str | None:
    if hit := _NEGATED.match(text):
        subject = subject_of(hit["s"] or OUTPUT)
        verb = base(hit["verb"]) if hit["never"] else hit["verb"]
        sure = is_verb(verb, hit["rest"]) or (
            not hit["never"] and (not hit["s"] or is_output(subject))
        )
        if (not hit["s"] or is_subject(hit["s"])) and sure:
            return _from_negative(subject, hit["adv"], verb, hit["rest"])
    if hit := re.match(r"(?:is|are) (?P<not>not |never )?(?P<rest>.+)$", text, CASE):
        if more_verbs(hit["rest"]):
            return None
        if hit["not"]:
            return f"Does {OUTPUT} avoid being {hit['rest']}?"
        return f"Is {OUTPUT} {hit['rest']}?"
    hit = _MANY.match(text)
    if (
        hit
        and " " not in hit["s"]
        and hit["rest"]
        and is_subject(hit["s"])
        and not (second_clause(hit["rest"]))
    ):
        # "Joins use explicit syntax" is about joins, and joins nothing.
        return f"Do {subject_of(hit['s'])} {hit['adv'].lower()}{hit['verb'].lower()}{hit['rest']}?"
    hit = THIRD.match(text)
    if hit and is_third(hit["verb"], hit["rest"]) and hit["rest"]:
        return _from_third(hit, text)
    hit = _MANY.match(text)
    if hit and is_subject(hit["s"]) and not second_clause(hit["rest"]):
        return f"Do {subject_of(hit['s'])} {hit['adv'].lower()}{hit['verb'].lower()}{hit['rest']}?"
    if (
        (hit := IS.match(text))
        and is_subject(hit["s"])
        and not (
            # Asked back, these would ask about the rule and not about the output.
            UNWANTED.match(text) or _REQUIRED.match(text)
        )
    ):
        first = hit["s"].split()[0].lower()
        if (
            first in ("no", "none", "nothing", "neither", "nobody")
            or second_clause(hit["rest"])
            or (re.match(r"(?:not|never) ", hit["rest"], CASE))
        ):
            return f"Is it true that {lower_first(text)}?"
        if more_verbs(hit["rest"]):
            return f"Is it true that {lower_first(text)}?"
        return f"{hit['v'].capitalize()} {subject_of(hit['s'])} {hit['rest']}?"
    if (hit := _NEEDS.match(text)) and is_subject(hit["s"]) and not second_clause(hit["rest"]):
        return f"{do(hit['s'])} {subject_of(hit['s'])} have {hit['rest']}?"
    return None


def _from_third(hit: re.Match[str], text: str) -> str | None:
    rest, said = hit["rest"], (hit["s"] or "").strip()
    if said.lower().startswith("no "):
        return f"Is it true that {lower_first(text)}?"
    subject = subject_of(said or OUTPUT)
    verb = base(hit["verb"])
    no = re.match(r" no (?!more\b|fewer\b|less\b|longer\b|later\b)(?P<what>.+)", rest, CASE)
    if no and re.match(r"(?:have|contain|include|use|make|mention|show|add|give)$", verb, CASE):
        plain = turned_to_base(no["what"])
        return plain and f"Does {subject} avoid {plain}?"
    turned = turned_to_base(rest)
    if turned is None or second_clause(rest):
        return f"Is it true that {lower_first(text)}?" if said else None
    return f"Does {subject} {hit['adv'].lower()}{lower_first(verb)}{turned}?"
