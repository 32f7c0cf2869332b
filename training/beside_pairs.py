"""Labelled pairs cut from real right answers: what else they say, and whom or which year they name in passing.

"It was sung by A, written by B in 1985. It was the first hit of the band." A sentence without the correct answer does
not meet it; another name or year in the sentence that holds the correct answer is not what was asked for.
"""

import random
import re

from engine.backends.entailment.answers import CARRIERS, abstains, is_number, words
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.measures.answer_match import contains
from training import answer_forms as forms
from training.evouna import Row
from training.made_pairs import Made, Pools

SENTENCE_END = re.compile(r"(?<=[a-z0-9)\"”'][.!?])\s+(?=[A-Z])")
YEAR = re.compile(r"(?<![\d–-])(1[0-9]{3}|20[0-2]\d)(?![\d–-])")
NAME = re.compile(r"\b[A-Z][a-zà-þ'’-]+(?:\s[A-Z]\.)?(?:\s[A-Z][a-zà-þ'’-]+){1,2}\b")
JOINED = re.compile(r"\b(?:and|or|with|also|as|aka|stage|real|born|known|called|played)\b|[&/(]")
TRAIL = re.compile(r"\s*(?:\[\d+\]|\^\d+\^|(?<=[a-z.])\d{1,2}(?=\s|$))")
SHORTEST, LONGEST = 4, 34
MOST_GOLDS = 3  # more correct answers are often a list that is not complete


def sentences(answer: str) -> list[str]:
    """Return an answer's sentences without citation marks.

    >>> sentences("Ada won it in 1912.1 She was ill then.")
    ['Ada won it in 1912.', 'She was ill then.']
    """
    plain = TRAIL.sub("", answer.replace("\n", " ").replace(" .", "."))
    return [part.strip() for part in SENTENCE_END.split(plain) if part.strip()]


def said_beside(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return another sentence of a right answer beside the correct one: neither follows, neither denies the other."""
    if not row.right:
        return None
    found = sentences(row.answer)
    if len(found) < 2 or not any(contains(part, row.golds) for part in found):
        return None
    fitting = [part for part in found if is_beside(part, row, kind)]
    return (draw.choice(fitting), draw.choice(row.golds), NEUTRAL) if fitting else None


def is_beside(sentence: str, row: Row, kind: str) -> bool:
    """Return whether a sentence is an assertion that has nothing of a correct answer and nothing of its type."""
    said = words(sentence)
    golden = {word for gold in row.golds for word in words(gold)} - CARRIERS
    if not SHORTEST <= len(said) <= LONGEST or golden & set(said) or abstains(sentence):
        return False
    return kind not in ("dates", "numbers") or not any(map(is_number, said))


def named_beside(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return the sentence of a right answer that holds the correct one, beside a year or person it names in passing,
    or, as often, beside the correct answer.
    """
    if not row.right or kind not in ("dates", "people") or len(set(row.golds)) > MOST_GOLDS:
        return None
    for part in sentences(row.answer):
        if not contains(part, row.golds) or not SHORTEST <= len(part.split()) <= LONGEST:
            continue
        others = other_years(part, row) if kind == "dates" else other_people(part, row)
        if others and draw.random() < 0.4:
            gold = next(gold for gold in row.golds if contains(part, (gold,)))
            return part, gold, ENTAILMENT
        if others:
            return part, draw.choice(others), CONTRADICTION
    return None


def other_years(sentence: str, row: Row) -> list[str]:
    """Return the years of a sentence that no correct answer and not the question has."""
    golden = {year for gold in row.golds for year in YEAR.findall(gold)}
    return [year for year in YEAR.findall(sentence) if golden and year not in golden and year not in row.question]


def other_people(sentence: str, row: Row) -> list[str]:
    """Return full names in a sentence without a word of a correct answer or the question, and not joined to one."""
    if not any(map(forms.name_parts, row.golds)):
        return []
    known = {word for text in (row.question, *row.golds) for word in words(text)}
    place = min(sentence.casefold().find(gold.casefold()) % 10_000 for gold in row.golds)
    out = []
    for found in NAME.finditer(sentence):
        between = sentence[min(place, found.start()) : max(place, found.start())]
        if (
            not (known | CARRIERS) & set(words(found.group()))
            and not JOINED.search(between)
            and len(between.split()) > 3
        ):
            out.append(found.group())
    return out
