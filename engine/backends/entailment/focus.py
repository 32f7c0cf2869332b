"""Which words of a sentence answer the question: those in the place that the question asks for, by its parse.

"The train to Odessa left from Lviv" names two towns, and only Lviv stands where "Where did the train leave from?" asks.
The question's verb or noun is looked for in the sentence, and what stands in the asked relation to it is the focus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from engine.backends.entailment.answers import CARRIERS, content, words
from engine.backends.entailment.clause_comparison import akin
from engine.backends.entailment.clauses import Arc, form, read_sentence, role_of
from engine.backends.text.parser import Token, load_pipeline

WHEN = frozenset("in on at during since until by from before after around mod when npadvmod".split())
WHERE = frozenset("in at from to near on into under through towards of inside".split())
ASKING = frozenset("who whom what which when where whose".split())
EMPTY_VERBS = frozenset("be have do get make take go come".split())
INSIDE = frozenset("mod of in at on is near from".split())
SHORTEST, LONGEST, DEPTH = 5, 14, 4
TITLED = re.compile(r"[:\"“”()]")  # titles and asides, in which the parse goes astray


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the answer stands: in these relations to the question's verb or noun ``head``; ``named``: as what it is."""

    head: str
    relations: frozenset[str]
    named: bool


@lru_cache(maxsize=1024)
def asked_place(question: str) -> Place | None:
    """Return where the answer to a question stands in a sentence, None where its parse does not show it.

    Raises ModelError where the parser is absent.
    """
    text = question.strip().rstrip("?")
    doc = load_pipeline()(text[:1].upper() + text[1:] + "?")
    asking = next((token for token in doc if token.lower_ in ASKING), None)
    if asking is None:
        return None
    if asking.lower_ == "where" and doc[-2].pos_ == "ADP":
        return Place(head=form(doc[-2].head), relations=frozenset({doc[-2].lower_}), named=False)
    if asking.lower_ in ("when", "where"):
        return Place(head=form(asking.head), relations=WHEN if asking.lower_ == "when" else WHERE, named=False)
    noun = asking.head if asking.dep_ in {"det", "poss", "amod"} else asking
    verb = noun.head
    if form(verb) == "be":
        return noun_asked(noun if noun != asking else None, verb)
    role = role_of(noun)[0]
    return Place(head=form(verb), relations=frozenset({role}), named=False) if form(verb) not in EMPTY_VERBS else None


def noun_asked(noun: Token | None, verb: Token) -> Place | None:
    """Return the place for "what is the capital of …": as what the noun is."""
    named = noun or next(
        (child for child in verb.children if child.dep_ in {"nsubj", "attr"} and child.pos_ == "NOUN"), None
    )
    return Place(head=form(named), relations=frozenset({"is"}), named=True) if named is not None else None


@lru_cache(maxsize=4096)
def focus(question: str, answer: str) -> frozenset[str]:
    """Return the words of an answer that stand where the question asks; none where its parse does not show them."""
    place = asked_place(question)
    if place is None or TITLED.search(answer) or not SHORTEST <= len(answer.split()) <= LONGEST:
        return frozenset()
    arcs = read_sentence(answer).arcs
    found = {other_end(arc, place) for arc in arcs if arc.relation in place.relations} - {""}
    if place.named:
        beside = re.search(rf"(?i:\bthe {re.escape(place.head)}),? ((?:[A-ZÀ-Þ][\w'’-]+ ?)+)", answer)
        found |= set(words(beside[1])) if beside else set()
    for _ in range(DEPTH):
        found |= {arc.dependent for arc in arcs if arc.relation in INSIDE and arc.head in found}
        found |= {arc.head for arc in arcs if arc.relation == "mod" and arc.dependent in found and place.named}
    return frozenset(found) - CARRIERS


def other_end(arc: Arc, place: Place) -> str:
    """Return what an arc joins to the question's word, "" where it is of another word."""
    if akin(arc.head, place.head):
        return arc.dependent
    return arc.head if place.named and akin(arc.dependent, place.head) else ""


def by_focus(question: str, one: str, other: str) -> str:
    """Return "said" or "other" where one answer is a short sentence that names the other answer in the asked place, or
    names it elsewhere and another of its kind in that place; "" where neither is so.
    """
    asked = frozenset(words(question))
    for sentence, short in ((one, other), (other, one)):
        wanted = frozenset(content(words(short), tuple(asked))) - CARRIERS - asked
        said = frozenset(words(sentence))
        if not wanted or len(wanted) > SHORTEST or not wanted < said or len(words(short)) >= len(words(sentence)):
            continue
        found = focus(question, sentence) - asked
        if wanted & found:
            return "said"
        if named_in(sentence, wanted) == wanted and named_in(sentence, found):
            return "other"
    return ""


def named_in(sentence: str, wanted: frozenset[str]) -> frozenset[str]:
    """Return those words that a sentence writes as names, with a capital letter, or as numbers."""
    named = {plain for part in re.findall(r"\b[A-ZÀ-Þ0-9][\w'’-]*", sentence) for plain in words(part)}
    return wanted & frozenset(named)
