"""Phrases that mean the same in running prose: one put for another, or all brought to one wording."""

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.backends.text.base import ORDINALS, SET_APART, Rewording, put_together
from engine.backends.text.word_lists import BEFORE_NUMBERS, PHRASES, SAME_PHRASES

EVERY = (*PHRASES, *BEFORE_NUMBERS)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
COUNTS = r"(?:half|a (?:hundred|thousand|million|century|decade)|two|three|four|five|six|seven|eight|nine|ten|twenty)\b"
# "100 episodes over seven seasons" says how long it took, not that there were more than seven.
LASTING = (
    r"(?!(?: [\w-]+){1,2} (?:second|minute|hour|day|night|week|month|year|season|decade|centur|period|game|match))"
)
# Of two ways to write the same, the one that the other is read as.
ONE_FORM = (
    (re.compile(rf"\b({MONTHS}) (\d{{1,2}}), (\d{{4}})"), r"\2 \1 \3"),
    (re.compile(rf"\b({MONTHS}) (\d{{1,2}})\b(?!,? \d)"), r"\2 \1"),
    (re.compile(rf"\bborn (?=\d{{1,2}} (?:{MONTHS})\b)"), "born on "),
    (re.compile(r"\bborn (?=\d{4}\b)"), "born in "),
    (re.compile(r"\bthe years? (?=\d{4}\b)"), ""),
    (re.compile(r"\bNo\. (?=\d)"), "number "),
    (re.compile(r"(?<=met)re(?=s?\b)"), "er"),
    (re.compile(r"\b([Cc])(?:an't|an’t|annot)\b"), r"\1an not"),
    (re.compile(r"\b([Ww])on['’]t\b"), r"\1ill not"),
    (re.compile(r"(?<=[a-z])n['’]t\b"), " not"),
    (re.compile(r"\b(?:in order|so as) to\b"), "to"),
    (re.compile(r"\b(?<![Uu]p )(?<![Hh]ow )[Tt]o date\b(?! back| from| to | the | it| a )"), "so far"),
    (re.compile(r"\ba total of (?=[a-z\d])"), ""),
    (re.compile(rf"\b({MONTHS}) of (?=\d{{4}}\b)"), r"\1 "),
    (re.compile(r"(?<=\d)(?:%| percent\b)"), " per cent"),
    (re.compile(r"\b([Ff]rom \d{4}) until (?=\d{4}\b)"), r"\1 to "),
    (re.compile(r"\b[Dd]uring the (?=\d{4}s\b|(?:early |late |mid-)?\w+th[ -]century\b)"), "in the "),
    (re.compile(r", among them\b"), ", including"),
    (re.compile(r"\bin the course of the (?=\d{4}s\b|(?:early |late |mid-)?\w+th[ -]century\b)"), "in the "),
    (re.compile(r"(?<=[a-z])(?<! in| of| to| by| on| at)(?<! for)(?<! with| from| upon) which "), " that "),
)
# Units in short, and what they are called.
UNITS = {"km": "kilometres", "cm": "centimetres", "mm": "millimetres", "kg": "kilograms", "ft": "feet", "mi": "miles"}
UNIT = re.compile(rf"(?<=\d) (?P<unit>{'|'.join(UNITS)})\b(?![²³/.]| [²³])")
ORDINAL = re.compile(rf"\b(?:{'|'.join(ORDINALS)})\b", re.IGNORECASE)
ONE_OF_A_KIND = re.compile(r"\b(first|second|third|last|only|same|next|most|least|\w+est)\b")


def with_other_phrases(text: str) -> Iterator[Rewording]:
    """Yield the text with phrases exchanged for others that mean the same: all that it has, then one at a time."""
    whole, single, put_in = (
        text,
        [opened for phrase, other in EVERY if (opened := opened_otherwise(text, phrase, other))],
        "",
    )
    for phrase, other in EVERY:
        changed = exchanged(text, phrase, other)
        if changed != text:
            single.append(changed)
            # What was put in is not exchanged again: "because of" came from "due to".
            whole = whole if re.search(rf"\b{re.escape(phrase)}\b", put_in) else exchanged(whole, phrase, other)
            put_in += f" {other}"
    yield from (Rewording(text=made, rule="another phrase") for made in dict.fromkeys((whole, *single)) if made != text)


def opened_otherwise(text: str, phrase: str, other: str) -> str:
    """Return a text that begins with a phrase with another one there, "" where it begins otherwise, or with a name.

    >>> opened_otherwise("However, it rained.", "however", "nevertheless")
    'Nevertheless, it rained.'
    >>> opened_otherwise("Main Street is long.", "main", "principal")
    ''
    """
    begins = phrase[0].isalpha() and text.startswith(f"{phrase[0].upper()}{phrase[1:]}")
    behind = text[len(phrase) :]
    if not begins or not re.match(r",? (?:the\b|an? |[a-z\d]|[\"“])", behind):
        return ""
    if phrase in dict(BEFORE_NUMBERS) and not re.match(rf" (?:\d|{COUNTS})", behind):
        return ""
    return f"{other[0].upper()}{other[1:]}{behind}"


def exchanged(text: str, phrase: str, other: str) -> str:
    """Return the text with the first place of a phrase exchanged; an article before it fits what follows now.

    >>> exchanged("It is an entire city.", "entire", "whole")
    'It is a whole city.'
    """
    article_ = "an " if other[0] in "aeio" else "a "
    return re.sub(pattern_of(phrase), lambda found: f"{article_ if found[1] else ''}{other}", text, count=1)


@lru_cache(maxsize=1024)
def pattern_of(phrase: str) -> re.Pattern[str]:
    """Return what finds a phrase with its article; one that is safe before numbers only, there only."""
    behind = rf"(?= (?:\d|{COUNTS}))" if phrase in dict(BEFORE_NUMBERS) else ""
    before = r"(?<!no )(?<!not )" if behind else ""
    behind += LASTING if phrase == "over" else ""
    behind += r"(?! (?:called|known|named|referred|titled)\b)" if phrase == "also" else ""
    return re.compile(rf"\b(?P<article>(?:an? )?){before}{re.escape(phrase)}\b{behind}")


def one_wording(text: str) -> str:
    """Return the text with every phrase, date and year of a group that means the same in one form.

    "It was Curie who won" is read as "Curie won"; "It was the first that …" is not, since "it" may be a thing there.

    >>> one_wording("It commenced nearly a year ago.") == one_wording("It commenced almost a year ago.")
    True
    """
    apart = SET_APART.match(text)
    if apart and (apart["phrase"] or not ONE_OF_A_KIND.search(apart["subject"])):
        text = put_together(text)
    for found, other in ONE_FORM:
        text = found.sub(other, text)
    text = UNIT.sub(lambda found: f" {UNITS[found['unit']]}", text)
    text = ORDINAL.sub(lambda found: ORDINALS[found[0].lower()], text)
    for phrase, first in standing_for():
        if text.startswith((f"{phrase.capitalize()} ", f"{phrase.capitalize()}, ")):
            text = first.capitalize() + text[len(phrase) :]
        # Most phrases stand in no text, and looking for their letters takes a tenth of what the pattern takes.
        if phrase in text:
            text = pattern_of(phrase).sub(rf"\g<article>{first}", text)
    return text


@lru_cache(maxsize=1)
def standing_for() -> tuple[tuple[str, str], ...]:
    """Return (phrase, the one that stands for its group) for every phrase but the first of a group, longest first."""
    first: dict[str, str] = {}
    for phrase, other in (*EVERY, *SAME_PHRASES):
        one, two = first.get(phrase, phrase), first.get(other, other)
        group = [name for name, known in first.items() if known in {one, two}]
        first |= dict.fromkeys((*group, phrase, other), two)
    return tuple(sorted(((p, f) for p, f in first.items() if p != f), key=lambda pair: (-len(pair[0]), pair)))
