"""A question taken apart into what it asks for, and an answer into the pieces that could answer.

By the wording alone, for questions are often written without capitals and defeat a parser. A clause that only says
which thing is meant ("the river that flows through Paris") is no part; what a comma and a question word, "and when",
"when and where", or two nouns of measure ("the height and the age of …") add is one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.backends.text.base import Entity

Asked = Literal["date", "number", "person", "place", "yes or no", "other"]

WH = r"(?:who|whom|whose|what|which|when|where|why|how)"
BEFORE_WH = r"(?:(?:in|on|at|by|for|from|to|of|with|under|during|near|into|after)\s+)?"
VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)"
THING = (
    r"(?:name|names|age|height|length|weight|depth|width|size|area|population|capital|currency|year|month|day|date|time|"
    r"place|city|town|country|state|continent|author|director|composer|title|colour|color|number|cost|price|cause)"
)
SENTENCES = re.compile(r"\?+\s+(?=\w)")
JOINED = re.compile(
    rf"[,;]?\s+(?:and|or|plus|but|as well as)\s+(?:also\s+|then\s+)?(?={BEFORE_WH}(?P<wh>{WH})\b)"
    rf"|[,;]\s+(?={BEFORE_WH}(?P<bare>what|when|where|why|how)\s+(?:{VERB}|many|much|long|old|year)\b)"
    rf"|[,;]?\s+and\s+(?={VERB}\s+(?:he|she|it|they|(?P<noun>the)|there|this|that)\b)",
    re.IGNORECASE,
)
ASKS = re.compile(rf"\b{WH}\b|^(?:{VERB}|please|name|give|state|list|tell|say)\b", re.IGNORECASE)
# "When he was king, what …" only says when; "when was he king, what …" asks.
SETTING = re.compile(
    rf"^(?:when|where|while|if|since|before)\s+(?!{VERB}\b)"
    rf"|^(?:besides|in|on|at|by|for|from|of|under|during|among|after)\s+(?!{WH}\b)",
    re.IGNORECASE,
)
SHARED_WH = re.compile(rf"^({WH})((?:,\s*{WH})*),?\s+(?:and|or)\s+({WH})\s+(.+)$", re.IGNORECASE)
SHARED_THING = re.compile(
    rf"^(?P<head>(?:in|on|at|from)?\s*(?:what|which)(?:\s+{VERB}\s+the)?)\s+(?P<first>{THING})\s+and\s+"
    rf"(?:(?:the|what|which)\s+)?(?P<second>{THING})\b(?P<rest>.*)$",
    re.IGNORECASE,
)
PLURAL = re.compile(
    r"^(?P<head>what\s+(?:are|were)\s+the)\s+(?P<first>[\w -]+?)\s+and\s+(?:the\s+)?(?P<second>[\w-]+)"
    r"(?P<rest>\s+of\s.*)$",
    re.IGNORECASE,
)
ORDER = re.compile(
    r"^(?P<head>(?:please\s+)?(?:name|give|state|list|tell me|say))\s+(?P<first>.+?),?\s+and\s+"
    r"(?P<second>(?:the|its|his|her|their|who|what|when|where|which|how)\b.+)$",
    re.IGNORECASE,
)

# "When did the war start and end" asks twice; "when did they meet and marry" may mean one day.
BOUNDS = re.compile(
    rf"^(?P<head>(?:in\s+(?:what|which)\s+year|when)\s+{VERB}\s+.+?)\s+"
    r"(?P<first>start|begin|begun|started|open|opened|born)\s+and\s+"
    r"(?P<second>end|ended|finish|finished|stop|stopped|close|closed|die|died|buried)$",
    re.IGNORECASE,
)

DATE_ASKED = re.compile(
    r"\bwhen\b|\b(?:what|which|the)\s+(?:\w+\s+)?(?:year|date|day|month|century|decade)\b"
    r"|\b(?:what|which)\s+(?:two\s+)?(?:years|dates|days|months|centuries|decades)\b|\bhow long ago\b",
    re.IGNORECASE,
)
MEASURED = r"(?:many|much|long|old|tall|far|big|large|high|deep|fast|often|hot|wide|heavy)"
NUMBER_ASKED = re.compile(
    rf"\bhow\s+{MEASURED}\b"
    r"|\b(?:number|percentage|percent|population|age|temperature|distance|height|length|weight|depth|width|size|area|"
    r"price|cost)\b",
    re.IGNORECASE,
)
PERSONS = (
    r"(?:singer|actor|actress|author|writer|director|composer|president|king|queen|emperor|player|artist|painter|"
    r"scientist|physicist|chemist|engineer|architect|inventor|founder|poet|general|leader|explorer|person|man|woman)"
)
PERSON_ASKED = re.compile(
    rf"\bwho(?:m|se)?\b|\b(?:which|what|name)\s+(?:the\s+)?(?:\w+\s+)?{PERSONS}\b|^the\s+{PERSONS}\b", re.IGNORECASE
)
PLACES = (
    r"(?:country|countries|city|cities|state|states|town|village|place|county|river|lake|continent|island|capital|region|"
    r"ocean|sea|province|mountains?|birthplace)"
)
PLACE_ASKED = re.compile(
    rf"\bwhere\b|\b(?:what|which|name)\s+(?:the\s+)?(?:\w+\s+)?{PLACES}\b|\bthe\s+{PLACES}\b", re.IGNORECASE
)
# "Is the Nile or the Amazon longer" asks for one of the two.
YES_NO_ASKED = re.compile(rf"^{VERB}\b(?!.*\bor\b(?!\s+not\b))", re.IGNORECASE)
# The first that fits: "in which year did the king …" asks for a date, "who was king in the year …" for a person.
KINDS: tuple[tuple[Asked, re.Pattern[str]], ...] = (
    ("yes or no", YES_NO_ASKED),
    ("person", re.compile(r"^(?:\w+\s+)?who(?:m|se)?\b", re.IGNORECASE)),
    ("place", re.compile(r"^(?:\w+\s+)?where\b", re.IGNORECASE)),
    ("date", DATE_ASKED),
    ("other", re.compile(rf"^(?:why\b|how\s+(?!{MEASURED}))", re.IGNORECASE)),
    ("number", NUMBER_ASKED),
    ("place", PLACE_ASKED),
    ("person", PERSON_ASKED),
)

# Not "why" and "how", which no amount answers.
WHAT_ASKED = re.compile(rf"^{BEFORE_WH}(?:what|which)\b", re.IGNORECASE)
# "What position does the man who lives in the capital hold" asks for what stands before its verb.
THING_ASKED = re.compile(rf"^(?:\w+\s+)?(?:what|which)\s+(?!{VERB}\b)\S.*?(?=\s+{VERB}\b)", re.IGNORECASE)

MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
# Short months are words and names too: "Mar", "Dec". Only a number beside them makes them dates.
SHORT_MONTHS = r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
YEAR = r"(?:1\d{3}|20\d{2})"
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
DAYS = rf"(?:{DAY}\s*(?:to|and|-|–)\s*)?{DAY}"
DATE_PIECE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d{2})\b"
    rf"|\b{DAYS}\s+(?:of\s+)?{SHORT_MONTHS}(?:,?\s+\d{{4}}\b)?"
    rf"|\b{SHORT_MONTHS}\s+(?:{DAYS}\b(?:,?\s+\d{{4}}\b)?|\d{{4}}\b)"
    rf"|\b(?:{DAYS}\s+(?:of\s+)?)?(?:{MONTHS})\b(?:\s+{DAYS}\b)?(?:,?\s+\d{{4}}\b)?"
    rf"|\b(?:early |late |mid-)?{YEAR}s?\b(?:\s*(?:to|[-–/])\s*(?:{YEAR}|\d{{1,2}}(?![\d.,]*\d|\s*%)\b))?"
    r"|\b\d{1,4}\s*(?:BCE?|AD|CE)\b|\b(?:\d{1,2}(?:st|nd|rd|th)|\w+(?:th|st|nd|rd)) century\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun|yester)day\b",
    re.IGNORECASE,
)
SPAN = re.compile(r"(?<=\d{4})\s*(?:to|[-–/])\s*(?=(?:\d{4}|\d{1,2})$)", re.IGNORECASE)
# "July and August", "1989, 1994 and 2002": one answer to one question for dates.
BETWEEN_DATES = re.compile(r"\s*(?:,\s*(?:and\s+|or\s+)?|(?:and|or|to|until|through)\s+|[-–]\s*)", re.IGNORECASE)
# People are called so too.
NAMED_MONTHS = frozenset({"April", "May", "June", "August"})
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen "
    "once twice none zero"
)
# With its unit: "330 metres" is one piece, "2 million people" too.
SCALED = rf"(?:[-−]?\d[\d,.]*\b|\b(?:{'|'.join(NUMBER_WORDS.split())})\b)"
JOINT = r"(?:and|but|or|in|on|at|by|from|of|to|was|were|is|are|who|which|that|with|for)"
# "100 degrees Celsius", "12 million US dollars", "90 km/h" and "78 per cent" have units of several words.
UNIT = (
    r"(?:\s?%|\s+per\s?cent\b|\s?°\s?[CF]\b|\s+degrees?\s+(?:celsius|centigrade|fahrenheit|kelvin)\b"
    rf"|\s+(?:us|canadian|australian)\s+dollars?\b|\s+(?!{JOINT}\b)[^\W\d_]+(?:(?:\s+per\s+|/)[^\W\d_]+)?|\s?°)"
)
UNIT_SIGNS = re.compile(r"[/%°$€£¥₹]")
MONEY = r"(?:(?:(?<!\w)(?:US|A|C))?[$€£¥₹]\s?)?"
NUMBER_PIECE = re.compile(
    rf"(?<!\w){MONEY}{SCALED}(?:[\s-]+{SCALED})*(?:\s+and\s+a\s+(?:half|quarter)\b)?{UNIT}?",
    re.IGNORECASE,
)
# "The 19th" answers "which century" and "on which day"; within a longer answer it belongs to what stands beside it.
ORDINAL = re.compile(
    r"\s*(?:(?:in|on|during)\s+)?(?:the\s+)?"
    r"(?:\d{1,2}(?:st|nd|rd|th)|(?:twenty-)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    r"|(?:ten|eleven|twelf|\w+teen|twentie|thirtie)th)\W*",
    re.IGNORECASE,
)
YES_NO_PIECE = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)
BETWEEN = re.compile(rf"[,;.:()\n]|\b{JOINT}\b", re.IGNORECASE)
# These carry no answer by themselves.
FILLERS = frozenset(
    "a an the this that these those it its he she they him her them his their there about around approximately nearly "
    "almost over roughly circa also both year years had has have been be did do does not as so then".split()
)
WORDS = re.compile(r"\w+")
PERSON_LABELS, PLACE_LABELS = frozenset({"PERSON"}), frozenset({"GPE", "LOC", "FAC"})
# A name with such a word is a house or a piece of land, unless the parser takes it for a person's ("Rebecca Hall").
HOUSES = re.compile(
    r"\b(?:abbey|academy|airport|arena|bridge|castle|cathedral|chapel|church|cinema|college|embassy|gallery|gardens?|hall|"
    r"hospital|hotel|house|institute|laboratory|library|monastery|museum|observatory|palace|park|prison|school|seminary|"
    r"square|stadium|station|street|temple|theat(?:er|re)|tower|university|zoo)\b",
    re.IGNORECASE,
)
UNLABELLED, PHRASE_WORDS = "NAME", 4
OWNS, OWN = re.compile(r"['’]s?\s+"), re.compile(r"['’]s\b")
MEASURE_LABELS = frozenset({"DATE", "TIME", "QUANTITY", "MONEY", "PERCENT", "CARDINAL"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of an answer, at characters [start, end), and what it can answer, the likeliest first."""

    text: str
    start: int
    end: int
    kinds: tuple[Asked, ...]


def clauses_of(question: str) -> tuple[str, ...]:
    """Return the parts of a question, each asking for one thing; the question itself where it has one part.

    >>> clauses_of("Who wrote Hamlet and when was it written?")
    ('Who wrote Hamlet', 'when was it written')
    >>> clauses_of("When and where was Marie Curie born?")
    ('When was Marie Curie born', 'where was Marie Curie born')
    >>> clauses_of("Which river that flows through Paris is longest?")
    ('Which river that flows through Paris is longest',)
    >>> clauses_of("At the 2011 census, what was the population of Young?")
    ('At the 2011 census, what was the population of Young',)
    """
    whole = " ".join(question.split()).rstrip("?. ")
    return tuple(part for sentence in asking(whole) for clause in joined(sentence) for part in shared(clause))


def asking(whole: str) -> Iterator[str]:
    """Yield the sentences that ask; one that does not is what the one before chooses from.

    >>> list(asking("Who was born first? Jan or Raoul")), list(asking("Who? When was it"))
    (['Who was born first, Jan or Raoul'], ['Who', 'When was it'])
    """
    first, *rest = SENTENCES.split(whole)
    for sentence in rest:
        if ASKS.search(sentence) is None:
            first = f"{first}, {sentence}"
        else:
            yield first
            first = sentence
    yield first


def joined(sentence: str) -> Iterator[str]:
    """Yield the clauses that conjunctions and commas join, each with a question word or a verb of its own."""
    start = 0
    for found in JOINED.finditer(sentence):
        left, word = sentence[start : found.start()].strip(), (found["wh"] or found["bare"] or "").lower()
        # "the man who built it and who died there" goes on with its relative clause.
        relative = word and re.search(rf"^\W*\w+.*\b{word}\b", left, re.IGNORECASE)
        if not left or relative or is_question_word(left) or leads_in(left, found):
            continue
        yield left
        start = found.end()
    yield sentence[start:].strip(" ,;?")


def leads_in(left: str, joint: re.Match[str]) -> bool:
    """Return whether what stands before a joint asks for nothing: "At the 2011 census, what …".

    Nor does "which man was a king and was the first to …" ask twice: its verb has one subject.
    """
    if joint["bare"]:
        return ASKS.search(left) is None or SETTING.match(left) is not None
    return joint["noun"] is not None and re.match(rf"{VERB}\b", left, re.IGNORECASE) is None


def is_question_word(text: str) -> bool:
    """Return whether a text is nothing but question words, as "when" of "when and where"."""
    return re.fullmatch(rf"{WH}(?:,\s*{WH})*", text.strip(), re.IGNORECASE) is not None


def shared(clause: str) -> tuple[str, ...]:
    """Return the clause for each of the things that share its rest; the clause alone where there is one."""
    words = SHARED_WH.match(clause)
    if words is not None:
        heads = [words[1], *re.findall(WH, words[2], re.IGNORECASE), words[3]]
        return tuple(f"{head} {words[4]}" for head in heads)
    for pattern in (SHARED_THING, PLURAL, BOUNDS):
        found = pattern.match(clause)
        if found is not None:
            rest = found.groupdict().get("rest", "")
            return tuple(f"{found['head']} {found[name]}{rest}".strip() for name in ("first", "second"))
    found = ORDER.match(clause)
    return (clause,) if found is None else (f"{found['head']} {found['first']}", f"{found['head']} {found['second']}")


def asked_in(clause: str) -> Asked:
    """Return what kind of thing a part of a question asks for.

    >>> asked_in("in which year was it built"), asked_in("how tall is it"), asked_in("which city is it in")
    ('date', 'number', 'place')
    """
    thing = THING_ASKED.match(clause.strip())
    asking = thing[0] if thing else clause.strip()
    return next((kind for kind, pattern in KINDS if pattern.search(asking)), "other")


def pieces_of(answer: str, entities: Sequence[Entity], question: str) -> tuple[Piece, ...]:
    """Return the stretches of an answer that could answer a part, in order, without overlap.

    Dates, numbers, yes and no by their form; names by the parser, and what is left between conjunctions and commas.
    A name the parser takes for something else may still be a person or a place: short answers give it no context. What
    only repeats the question is left out, unless that is all there is.
    """
    clauses = clauses_of(question)
    asked = [asked_in(clause) for clause in clauses]
    joins = asked.count("date") == 1 and "number" not in asked
    spans = asked.count("date") < 2
    what = any(map(WHAT_ASKED.match, clauses))
    every = all_pieces(answer, entities, spans_whole=spans, joins_dates=joins, amounts_are_things=what)
    known = {word.casefold() for word in WORDS.findall(question)} | FILLERS
    new = tuple(one for one in every if not {word.casefold() for word in WORDS.findall(one.text)} <= known)
    return new or every


def all_pieces(
    answer: str,
    entities: Sequence[Entity],
    *,
    spans_whole: bool,
    joins_dates: bool = False,
    amounts_are_things: bool = False,
) -> tuple[Piece, ...]:
    """Return the stretches of an answer with what they can answer, in order, without overlap.

    A span of years is one piece, or one for each of its ends where ``spans_whole`` is False. With ``joins_dates`` so is
    "July and August". With ``amounts_are_things`` an amount may be what "what" asks for: "What is the boiling point?"
    """
    thing: tuple[Asked, ...] = ("other",) if amounts_are_things else ()
    found: list[Piece] = []

    def add(start: int, end: int, kinds: tuple[Asked, ...]) -> None:
        text = answer[start:end]
        start, end = start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))
        if start < end and all(end <= one.start or one.end <= start for one in found):
            found.append(Piece(text=answer[start:end], start=start, end=end, kinds=kinds))

    for start, end in date_lists(answer) if joins_dates else ():
        add(start, end, ("date", "number"))
    for hit in DATE_PIECE.finditer(answer):
        cut = None if spans_whole else SPAN.search(answer, *hit.span())
        for start, end in [hit.span()] if cut is None else [(hit.start(), cut.start()), (cut.end(), hit.end())]:
            add(start, end, ("date", "number", "person") if hit.group() in NAMED_MONTHS else ("date", "number"))
    if ORDINAL.fullmatch(answer):
        add(0, len(answer), ("date", "other"))
    # "320 km/h" and "$5" are no names, whatever the parser takes them for.
    for hit in NUMBER_PIECE.finditer(answer):
        if UNIT_SIGNS.search(hit.group()):
            add(*hit.span(), ("number", *thing))
    names = [one for one in entities if one.label not in MEASURE_LABELS and one.label != "NOUN"]
    if is_one_phrase(answer, names):
        add(0, len(answer), kinds_of_name(answer, names[0].label))
    for start, end, label in whole_names(answer, names):
        add(start, end, kinds_of_name(answer[start:end], label))
    for hit in NUMBER_PIECE.finditer(answer):
        # "476" and "66 million years ago" are dates too, by nothing but the question.
        add(*hit.span(), ("number", "date", *thing))
    for hit in YES_NO_PIECE.finditer(answer):
        add(*hit.span(), ("yes or no",))
    for start, end in gaps(answer, found):
        if any(letter.isalpha() for letter in answer[start:end]):
            add(start, end, ("other", "person", "place"))
    return tuple(sorted(found, key=lambda one: one.start))


def date_lists(answer: str) -> list[tuple[int, int]]:
    """Return where several dates in a row stand, with what joins them.

    >>> date_lists("It rains in July and August."), date_lists("1989")
    ([(12, 27)], [])
    """
    rows: list[tuple[int, int, int]] = []
    for hit in DATE_PIECE.finditer(answer):
        if rows and BETWEEN_DATES.fullmatch(answer, rows[-1][1], hit.start()):
            rows[-1] = (rows[-1][0], hit.end(), rows[-1][2] + 1)
        else:
            rows.append((*hit.span(), 1))
    return [(start, end) for start, end, count in rows if count > 1]


def is_one_phrase(answer: str, names: Sequence[Entity]) -> bool:
    """Return whether a short answer is one noun phrase, of which the parser took a part for a name: "Tornado outbreak".

    What it takes for a person or a place stands for itself.
    """
    unsure = all(name.label not in PERSON_LABELS | PLACE_LABELS for name in names)
    plain = not any(form.search(answer) for form in (BETWEEN, DATE_PIECE, NUMBER_PIECE, YES_NO_PIECE))
    return len(names) == 1 and unsure and plain and len(WORDS.findall(answer)) <= PHRASE_WORDS


def is_phrase(answer: str) -> bool:
    """Return whether an answer is a few words in a row, with nothing that joins or parts them, nor an owner.

    >>> is_phrase("the hawadle Clan"), is_phrase("Paris and Rome"), is_phrase("Paris, France")
    (True, False, False)
    """
    parted = BETWEEN.search(answer) or any(mark in answer for mark in "'’")
    return not parted and len(WORDS.findall(answer)) <= PHRASE_WORDS


def whole_names(answer: str, names: Sequence[Entity]) -> list[tuple[int, int, str]]:
    """Return where names stand and their labels; an owner belongs to an unlabelled name ("Rosemary's Baby")."""
    found: list[tuple[int, int, str]] = []
    for name in names:
        owned = name.label == UNLABELLED and found and OWNS.fullmatch(answer, found[-1][1], name.start)
        start = found.pop()[0] if owned else name.start
        found.append((start, name.end, name.label))
    return found


def kinds_of_name(name: str, label: str) -> tuple[Asked, ...]:
    """Return what a name with a parser's label can answer, the likeliest first.

    >>> kinds_of_name("University of Paris", "ORG"), kinds_of_name("Microsoft", "ORG")
    (('place', 'other', 'person'), ('other', 'person', 'place'))
    """
    if label in PERSON_LABELS:
        return ("person", "other", "place")
    if label in PLACE_LABELS or HOUSES.search(name):
        return ("place", "other", "person")
    return ("other", "person", "place")


def gaps(answer: str, taken: Sequence[Piece]) -> list[tuple[int, int]]:
    """Return what lies between the taken pieces, cut at commas, conjunctions, prepositions and forms of "be"."""
    spans, start = [], 0
    for piece in sorted(taken, key=lambda one: one.start):
        spans.append((start, piece.start))
        own = OWN.match(answer, piece.end)
        start = own.end() if own else piece.end
    spans.append((start, len(answer)))
    cut = []
    for start, end in spans:
        for hit in BETWEEN.finditer(answer, start, end):
            cut.append((start, hit.start()))
            start = hit.end()
        cut.append((start, end))
    return [(start, end) for start, end in cut if answer[start:end].strip()]
