"""Rewordings of single words and figures: dates, years, small numbers, "which" and "that", contractions.

They need no sentence, only the words around: so they also reach a fragment, and a sentence that no rule over clauses
can move. None touches a name or the value of a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.backends.text.base import ORDINALS
from engine.backends.text.parser import Doc, Token
from engine.backends.text.phrases import MONTHS, ORDINAL, UNIT, UNITS
from engine.backends.text.word_lists import NUMBER_WORDS

DAY_FIRST = re.compile(
    r"(?<!to )(?<!and )(?<!or )(?<![–-])(?<![–-] )"
    rf"\b(?P<day>\d{{1,2}}) (?P<month>{MONTHS})(?P<year> \d{{4}})?\b(?! to | and \d| ?[–-])"
)
MONTH_FIRST = re.compile(rf"\b(?P<month>{MONTHS}) (?P<day>\d{{1,2}})(?:, (?P<year>\d{{4}}))?(?!\d| ?[–-]| to | and \d)")
IN_YEAR = re.compile(
    r"\b(?P<in>[Ii]n|[Ss]ince|[Uu]ntil|[Bb]efore|[Aa]fter) (?P<year>1\d{3}|20\d{2})(?![\d–-]|s\b|/| BC)"
)
YEARS = re.compile(r"\b(?P<in>[Ii]n) (?P<years>\d{4}(?:, \d{4})*,? and \d{4})\b")
OF_YEAR = re.compile(rf"\b(?P<in>[Ii]n|[Ss]ince|[Uu]ntil) (?P<month>{MONTHS}) (?P<year>\d{{4}})\b(?![–-])")
BETWEEN_YEARS = re.compile(r"\b(?P<from>[Ff]rom) (?P<first>\d{4}) to (?=\d{4}\b)")
DECADE = re.compile(
    r"(?<!ate )(?<!ater )(?<!arly )\b(?P<in>[Ii]n) the (?=\d{4}s\b|(?:early |late |mid-)?(?:\d+|\w+)th century\b)"
)
TO_DATE = re.compile(r"\b(?<![Uu]p )(?<![Hh]ow )[Tt]o date\b(?! back| from| to | the | it| a )")
TOTAL = re.compile(r"\ba total of (?=\d)")
BORN = re.compile(
    r"(?<=[a-z]) \(born (?P<date>(?:\d{1,2} )?(?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{4})\) (?=(?:is|was) (?:an?|the) )"
)
DAY = re.compile(r"\b\d{1,2}\b")
SAYS = frozenset("say think believe know hope claim feel suppose report announce hear find realise realize".split())
FEWEST, MOST = 2, 12
CONTRACTED = {
    "do": "don't", "does": "doesn't", "did": "didn't", "is": "isn't", "are": "aren't", "was": "wasn't",
    "were": "weren't", "has": "hasn't", "have": "haven't", "had": "hadn't", "could": "couldn't", "would": "wouldn't",
    "should": "shouldn't",
}  # fmt: skip


def with_other_words(doc: Doc) -> Iterator[tuple[str, str]]:
    """Yield (rule, text) of a parsed text with words exchanged: everywhere one kind of exchange fits."""
    text = doc.text.strip()
    yield "birth in a clause", born_in_clause(text)
    yield "date the other way round", dates_turned(text)
    yield "year named as one", years_named(text)
    yield "month of a year", OF_YEAR.sub(r"\g<in> \g<month> of \g<year>", text)
    yield "until for to", BETWEEN_YEARS.sub(r"\g<from> \g<first> until ", text)
    yield "during for in", DECADE.sub(lambda found: "During the " if found["in"] == "In" else "during the ", text)
    yield "place in an order", places_said(text)
    yield "unit written out", UNIT.sub(lambda found: f" {UNITS[found['unit']]}", text).replace("%", " percent")
    yield "so far for to date", TO_DATE.sub(lambda found: "So far" if found[0][0] == "T" else "so far", text)
    yield "total left out", TOTAL.sub("", text)
    yield "number as a word", with_tokens(doc, {token.i: said for token in doc if (said := number_said(token))})
    yield "which for that", with_tokens(doc, {token.i: said for token in doc if (said := relative_said(token))})
    yield "contracted", with_tokens(doc, dict(contractions(doc)))
    yield "written out", written_out(text)
    yield "clause without that", with_tokens(doc, {token.i: "" for token in doc if needless_that(token)})


def born_in_clause(text: str) -> str:
    """Return the text with a birth in brackets as a clause.

    >>> born_in_clause("Ann Lee (born 1 May 1990) is a singer.")
    'Ann Lee, who was born on 1 May 1990, is a singer.'
    """
    return BORN.sub(
        lambda found: f", who was born {'on' if DAY.search(found['date']) else 'in'} {found['date']}, ", text
    )


def dates_turned(text: str) -> str:
    """Return the text with "4 July 1976" as "July 4, 1976", or the other way round.

    >>> dates_turned("On 4 July 1976 he left."), dates_turned("On July 4, 1976, he left.")
    ('On July 4, 1976 he left.', 'On 4 July 1976, he left.')
    """
    if DAY_FIRST.search(text):
        return DAY_FIRST.sub(
            lambda found: f"{found['month']} {found['day']}" + (f",{found['year']}" if found["year"] else ""), text
        )
    return MONTH_FIRST.sub(
        lambda found: f"{found['day']} {found['month']}" + (f" {found['year']}" if found["year"] else ""), text
    )


def years_named(text: str) -> str:
    """Return the text with "in 1889" as "in the year 1889", and a list of years as years.

    >>> years_named("In 1889 it rose."), years_named("They won in 1948, 1949 and 1960.")
    ('In the year 1889 it rose.', 'They won in the years 1948, 1949 and 1960.')
    """
    if YEARS.search(text):
        return YEARS.sub(r"\g<in> the years \g<years>", text)
    return IN_YEAR.sub(r"\g<in> the year \g<year>", text)


def places_said(text: str) -> str:
    """Return the text with "4th" as "fourth", or else "fourth" as "4th", but for fractions such as "two thirds".

    >>> places_said("the 4th season"), places_said("the nineteenth century"), places_said("a third of it")
    ('the fourth season', 'the 19th century', 'a third of it')
    """
    figures = {figure: word for word, figure in ORDINALS.items()}
    said = re.sub(r"\b\d+(?:rd|th)\b(?=[ -][a-z])", lambda found: figures.get(found[0], found[0]), text)
    if said != text or re.search(r"\b(?:a|one|two|first|second|or)[ -](?:third|fourth|fifth|and)", text):
        return said
    return re.sub(rf"(?<= ){ORDINAL.pattern}(?= [a-z])", lambda found: ORDINALS.get(found[0], found[0]), text)


def written_out(text: str) -> str:
    """Return the text with "doesn't" written out.

    >>> written_out("It can't fly and doesn’t swim.")
    'It cannot fly and does not swim.'
    """
    text = re.sub(r"\bcan['’]t\b", "cannot", text)
    text = re.sub(r"\bwon['’]t\b", "will not", text)
    return re.sub(r"(?<![\w\"“])(?!ai)([a-z]+)n['’]t\b(?! (?:I|you|he|she|it|we|they|the)\b)", r"\1 not", text)


def with_tokens(doc: Doc, said: dict[int, str]) -> str:
    """Return the text with other words for some tokens."""
    words = [f"{said.get(token.i, token.text)}{token.whitespace_}" for token in doc if said.get(token.i) != ""]
    return re.sub(r"  +", " ", "".join(words)).strip()


def number_said(token: Token) -> str:
    """Return a small number before the thing it counts as a word, or a word as digits; "" where it is no such number.

    A number with a unit, in a date, in a name or beside another number keeps its form.
    """
    counts = token.dep_ == "nummod" and token.head.pos_ == "NOUN" and token.head.i > token.i
    if not counts or token.ent_type_ not in {"CARDINAL", "DATE", "TIME"} or any(token.children) or token.is_sent_start:
        return ""
    words = {number: word for word, number in NUMBER_WORDS.items() if FEWEST <= int(number) <= MOST}
    digits = {word: number for number, word in words.items()}
    near = (token.nbor(-1), token.nbor())
    alone = not any(one.like_num or one.text in {"-", "–", "$", "£"} for one in near)
    return {**words, **digits}.get(token.text, "") if alone else ""


def relative_said(token: Token) -> str:
    """Return "that" for "which" and the other way round where a clause without a comma begins; else ""."""
    clause = next((one for one in token.ancestors if one.dep_ == "relcl"), None)
    if clause is None or token.dep_ not in {"nsubj", "nsubjpass", "dobj"} or token.head != clause or token.i == 0:
        return ""
    before = token.nbor(-1)
    if clause.left_edge != token or before.is_punct or before.pos_ not in {"NOUN", "PROPN"}:
        return ""
    if token.lower_ == "which":
        return "that"
    thing = before.ent_type_ not in {"PERSON", "NORP"} and clause.head == before and before.pos_ == "NOUN"
    return "which" if token.lower_ == "that" and thing else ""


def needless_that(token: Token) -> bool:
    """Return whether "that" only opens what somebody said or thought, right behind the verb: "he said that it rose"."""
    clause = token.head
    opens = token.lower_ == "that" and token.dep_ == "mark" and clause.dep_ == "ccomp" and clause.left_edge == token
    return bool(opens and token.i and token.nbor(-1) == clause.head and clause.head.lemma_ in SAYS)


def contractions(doc: Doc) -> Iterator[tuple[int, str]]:
    """Yield (place, word) that contract "does not" to "doesn't"."""
    for token in doc[1:]:
        helper = token.nbor(-1)
        if token.lower_ == "not" and token.dep_ == "neg" and helper.text in CONTRACTED:
            yield helper.i, CONTRACTED[helper.text]
            yield token.i, ""
