"""Does a text state an answer, or does it only say that it has none?

Two rules. ``abstains`` looks for such words anywhere; the trained judge learnt with it, so it stays as it is.
``states_answer`` goes clause by clause: "Paris. The text does not mention the year." states one. It decides what is
called "no answer" everywhere.
"""

import re
from functools import lru_cache

ABSTENTIONS = (
    r"(?:do|does|did|can|could|would|is|am|are|was)\s(?:not|n't)\s(?:\w+\s){0,2}?"
    r"(?:know|certain|sure|say|tell|determine|provide|answer|find|specif\w+|mention\w*|state\w*|enough|clear)",
    r"cannot\s(?:\w+\s)?(?:answer|say|tell|determine|provide|find|be\sdetermined|confirm)",
    r"not\s(?:have|contain|give)\s(?:\w+\s){0,2}(?:information|access|data|answer)",
    r"no\s(?:\w+\s){0,2}(?:information|answer|data|idea|mention|context)",
    r"not\s(?:mentioned|specified|stated|provided|given|known|sure|enough\sinformation)",
    r"(?:is|are|was|remains?)\s(?:\w+\s)?(?:unknown|unclear)",
    r"never\s(?:\w+\s)?(?:know|find\sout|be\sknown)|(?:nobody|no\sone)\s(?:\w+\s)?knows",
    r"insufficient\sinformation|unable\sto|as\san\sai|n/a",
)
ABSTENTION = re.compile(
    rf"\b(?:{'|'.join(ABSTENTIONS)})\b|^\W*(?:unknown|unclear|unanswerable|unsure|none\sgiven)\W*$", re.IGNORECASE
)
# Said so too, but not known when the judge was trained; verbs in lower case, for titles have capitals.
SOURCES = r"(?:passages?|texts?|contexts?|documents?|sources?|articles?|excerpts?|snippets?|paragraphs?)"
TELLS = (
    r"(?-i:answer|say|tell|name|state|mention|give|specify|identify|indicate|reveal|disclose|record|explain|list|cover)"
)
OPEN_CLAUSE = r"(?=\W*$|[,;:]|\s(?:here|anywhere)\b|\s(?:in|by)\s(?:the|these|this|any)\s)"
LATER_ABSTENTIONS = (
    r"(?:^\W*|\b(?:i|we|you|one)\s)(?:can\sno|ca\sn)'?t\s(?:\w+\s){0,2}?"
    r"(?-i:answer|say|tell|determine|provide|find|confirm|verify|help|know|identify)",
    r"\b(?:cannot|ca\sn't|could\s(?:not|n't))\sbe\s(?-i:answered|determined|inferred|known|confirmed)",
    r"\bcannot\s(?:help|assist)\s(?:you\s)?with|\b(?:is|are)\sunanswerable|\b(?:no|not\sa|n't\sa|without\sa)\s(?-i:clue)",
    r"\b(?:information|answer)\s(?:\w+\s)?(?:is|was)\s(?:\w+\s)?"
    r"(?:unavailable|missing|lacking|absent|(?:not|n't)\s(?:available|included|present))",
    r"\bimpossible\sto\s(?:say|tell|determine|know|answer)|\bno\sway\s(?:to\s(?:know|tell|say)|of\sknowing)",
    rf"\bnothing\s(?:\w+\s){{0,4}}in\sthe\s{SOURCES}|\bthe\s{SOURCES}\s(?:\w+\s)?(?:lacks?|omits?|(?:is|are)\ssilent)",
    rf"\b(?:does|do|is|are|did|was)\s(?:not|n't)\s(?:\w+\s){{0,2}}?(?:in|by)\s(?:the|these|this)\s(?:\w+\s)?{SOURCES}\W*$",
    rf"^\W*(?:not\s(?:applicable|available)|not\s(?:in|from)\sthe\s(?:\w+\s)?{SOURCES}|no\srelevant\s\w+|idk"
    r"|not\senough\s(?:context|data|evidence))\W*$",
)
# Ways to say it that need their whole form: who refuses, what the sources leave out, what was never written down.
WHOLE_ABSTENTIONS = (
    r"\b(?:i|we)(?:\s(?:would|will|do|could)|'d|'ll)?\s(?:rather\snot|prefer\snot\sto|wo\sn't|will\snot|cannot|ca\sn't"
    r"|can\snot|refuse\sto|hesitate\sto)\s(?:\w+\s)?(?-i:guess|speculate|commit|decide|choose)",
    r"\b(?:not|n't)\s(?:been\s)?(?:able|possible)\sto\s"
    r"(?:answer|say|tell|determine|confirm|find|verify|identify|establish|know)",
    rf"\b{SOURCES}\s(?:\w+\s){{0,2}}?(?:do|does|did)\s?(?:not|n't)\s(?:\w+\s)?{TELLS}",
    rf"\b(?:no|none\sof\s(?:the|these|those)|neither\sof\sthe)\s{SOURCES}\s(?:\w+\s)?{TELLS}(?:e?s|d)?\b",
    rf"^\W*(?:there\s(?:is|was)\s)?nothing\s(?:\w+\s){{0,3}}?(?:here|in\s(?:the|these|this)\s{SOURCES})\s"
    r"(?:about|on|says?|tells?|names?)\b",
    rf"\b{SOURCES}\s(?:\w+\s)?(?:says?|states?|tells?|mentions?|contains?|gives?)\s(?:nothing|no\s(?:mention|answer))\b",
    rf"\b{SOURCES}\s(?:leaves?|left)\s(?:this|that|it)\sopen",
    r"\b(?:(?:have|has)\s(?:not|n't)\s(?:been\sable\sto\s)?f(?:ound|ind)|found\sno)\s(?:any\s|a\s)?(?:\w+\s)?"
    r"(?:records?|mention|evidence|information|answer)\b",
    r"^\W*(?:there\s(?:is|are)\s)?no\s(?:\w+\s)?records?\s(?:of\s(?:this|it|that)\s)?(?:survives?|exists?|remains?)\W*$",
    r"\bunclear\s(?:to\sme\s)?(?:whether|if|who|what|when|where|which|how|why)\b",
    r"^\W*(?:it\s?(?:is|'s)\s)?(?:hard|difficult|too\searly)\sto\s(?-i:say|tell|know|determine)\b",
    r"\bneeds?\smore\s(?:context|information|details)"
    r"|^\W*more\s(?:context|information|details)\s(?:is|are)\s(?:needed|required)",
    r"\b(?:is|was|were|has|have)\s(?:not|n't|never)\s(?:been\s)?"
    rf"(?:recorded|disclosed|established|documented|revealed|identified|made\spublic){OPEN_CLAUSE}",
    r"\b(?:cannot|ca\sn't|could\s(?:not|n't))\sbe\s(?-i:established|verified|identified)",
    r"\b(?:beyond|outside)\s(?:of\s)?my\sknowledge|\bi\slack\s(?:\w+\s)?(?:information|knowledge|context|data)",
    r"\bno\s(?:way|means)\s(?:of\s(?:telling|checking)|to\s(?:check|verify|determine))",
)
WHOLE_ABSTENTION = re.compile("|".join(WHOLE_ABSTENTIONS), re.IGNORECASE)
# What a source speaks of is no answer beside "but it does not say".
SPEAKS_OF = re.compile(
    rf"^\W*(?:the|these|this|those|both)\s(?:\w+\s)?{SOURCES}\s(?:\w+\s)?"
    r"(?:mentions?|discuss(?:es)?|describes?|talks?\sabout|refers?\sto)\b",
    re.IGNORECASE,
)
LATER_ABSTENTION = re.compile(rf"(?:{'|'.join(LATER_ABSTENTIONS)})(?!\w)", re.IGNORECASE)
# These say something else: a title, one who could not come, a thing told by what it is not, the states of a country,
# and what does not happen until some day.
HARMLESS = re.compile(
    r"\bNo\sOne\sKnows\b|\bNobody\sKnows\b"
    r"|(?<=\w)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere)(?<!\bbeen)\s(?i:not\s(?:mentioned|specified|stated|provided|given|known))\s"
    rf"(?:to|by|in|for|as)\b(?!\s(?:the|these|this|any)\s(?:\w+\s)?{SOURCES})"
    r"|\b(?:the|their|its|these|those|our|all|many|other)\s(?i:states)\b"
    r"|\b(?:do|does|did)\s(?:not|n't)\s(?-i:find|know|say|tell|answer|mention|state)\b[^.;]{0,200}?\suntil\s(?!when\b)"
    r"|\b(?i:unable\sto)\s(?!(?:\w+ly\s)?(?i:answer|say|tell|determine|provide|find|confirm|verify|give|identify|locate))"
)
# Where a sentence ends: a mark with a space behind it, a mark of scripts without spaces, a new line.
SENTENCE_END = re.compile(r"(?<![.!?…।؟])[.!?…।؟]+[\"'”’»)\]]*\s+|[。！？]+[”」』]?\s*|\n\s*")
ABBREVIATED = re.compile(r"(?:^|[\s(.])(?:[^\W\d_]|Dr|Mr|Mrs|Ms|St|Jr|Sr|vs|Mt|Ft|Gen|Col|Lt|Prof|Rev|ca)\.$")
LONGEST_ABBREVIATION = 6
CLAUSE_END = re.compile(
    r";\s+|(?<!\s),?\s+(?:but|though|although|however)\b,?\s*|,\s+(?=(?:maybe|perhaps|possibly|probably)\s)",
    re.IGNORECASE,
)
# What stands beside an abstention out of courtesy and is no answer.
COURTESY = re.compile(
    r"\W*(?:i\s?['’]?a?m\s(?:very\s|so\s)?sorry|(?:my\s)?apologies|i\sapologi[sz]e|sorry|please|let\sme\sknow|if\syou|feel\sfree"
    r"|(?:can|could|would)\syou|you\s(?:can|could|may|might|should)|i\s(?:would\s)?(?:recommend|suggest))\b",
    re.IGNORECASE,
)


def abstains(text: str) -> bool:
    """Returns whether a text says somewhere that there is no answer.

    >>> abstains("I don't know."), abstains("The context does not mention it"), abstains("Knowles")
    (True, True, False)
    """
    return ABSTENTION.search(_spelt(text)) is not None


@lru_cache(maxsize=2048)
def states_answer(text: str) -> bool:
    """Returns whether a text is an answer at all: it has a letter or digit, and not every clause says there is none.

    Courtesies beside an abstention ("Please ask another question.") are no answer either; a text of nothing else is
    read as a whole. What was found is kept for a while: a page asks for the same answers a thousand times.

    >>> states_answer("Karst"), states_answer(" ..."), states_answer("I'm sorry, but I don't know. Can you say more?")
    (True, False, False)
    >>> states_answer("Paris. The text does not mention the year."), states_answer("The song is No One Knows")
    (True, True)
    """
    if not any(letter.isalnum() for letter in text):
        return False
    said = clauses(text) or (text,)
    silent = [no_answer(clause) for clause in said]
    told = (clause for clause, none in zip(said, silent, strict=True) if not none)
    return any(not (any(silent) and SPEAKS_OF.match(clause)) for clause in told)


def no_answer(clause: str) -> bool:
    """Returns whether one clause says that there is no answer.

    >>> no_answer("I would rather not guess"), no_answer("None of the passages names the coach")
    (True, True)
    >>> no_answer("It is not known"), no_answer("I can't tell"), no_answer("Unable to be there, he sent Kofi Annan")
    (True, True, False)
    """
    said = HARMLESS.sub(" ", _spelt(clause))
    return any(rule.search(said) for rule in (ABSTENTION, LATER_ABSTENTION, WHOLE_ABSTENTION))


def clauses(text: str) -> tuple[str, ...]:
    """Returns the clauses of a text that could say something: no courtesies, no questions beside other sentences.

    >>> clauses("Sorry, but it is not known. It may be Paris; who knows? Please ask.")
    ('it is not known.', 'It may be Paris')
    """
    parts = [part.strip() for sentence in sentences(text) for part in CLAUSE_END.split(sentence)]
    said = [part for part in parts if any(map(str.isalnum, part)) and not COURTESY.match(part)]
    return tuple(part for part in said if not part.endswith("?")) or tuple(said)


def sentences(text: str) -> tuple[str, ...]:
    """Returns the sentences of a text with the spaces behind them; joined they are the text again.

    >>> sentences("Dr. Who came. He left.")
    ('Dr. Who came. ', 'He left.')
    """
    found, start = [], 0
    for end in SENTENCE_END.finditer(text):
        stopped = text[max(start, end.start() - LONGEST_ABBREVIATION) : end.end()].rstrip()
        numbered = stopped.endswith("No.") and text[end.end() : end.end() + 1].isdigit()
        if "\n" not in end.group() and (numbered or ABBREVIATED.search(stopped)):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    return (*found, text[start:]) if text[start:] else tuple(found)


def _spelt(text: str) -> str:
    """Returns a text with "n't" as a word of its own and straight apostrophes.

    >>> _spelt("I don’t")
    "I do n't"
    """
    return text.replace("’", "'").replace("n't", " n't")
