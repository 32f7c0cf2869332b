"""Rules inside a clause: relative clauses with and without "that", aims, receivers, phrases side by side, "including".

They need neither a known subject nor a main verb, so they also reach sentences about "a remittance" or "other axons".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.backends.text.parser import Span, Token
from engine.backends.text.sentence_parts import (
    NOUNS,
    PLACES,
    TIMES,
    around,
    child,
    phrase_kind,
    subject_of,
    subtree,
    text_at,
    unbroken,
    words_of,
)
from engine.backends.text.word_lists import GIVING, NO_AIM, OUTCOMES, TAKES_TO

RELATIVES = frozenset({"WDT", "WP", "WP$", "WRB"})
# "The way he did it", "the reason she left": what stands for "that" there depends on the noun.
NO_THAT = frozenset("way reason time moment manner place extent".split())
OBJECTS = frozenset({"dobj", "pobj"})
LONGEST_GIVEN = 8


def opened_relative(sentence: Span) -> Iterator[str]:
    """Yield a clause right behind its noun with "that": "a dragon he names" to "a dragon that he names"."""
    for verb in sentence:
        noun, subject = verb.head, subject_of(verb)
        if verb.dep_ != "relcl" or subject is None or noun.pos_ != "NOUN" or noun.lemma_ in NO_THAT:
            continue
        first = verb.left_edge
        bare = not any(part.tag_ in RELATIVES or part.lower_ == "that" for part in subtree(verb) if part.i <= verb.i)
        timely = noun.ent_type_ in TIMES
        if bare and first == subject.left_edge and first.i == noun.i + 1 and subject.i < verb.i and not timely:
            yield around(sentence, first.i, first.i, "that")


def closed_relative(sentence: Span) -> Iterator[str]:
    """Yield a clause without "that" where it is the object: "the song that he wrote" to "the song he wrote"."""
    for word in sentence:
        clause = next((one for one in word.ancestors if one.dep_ == "relcl"), None)
        if clause is None or word.dep_ not in OBJECTS or word.lower_ not in {"that", "which", "whom"}:
            continue
        subject = subject_of(clause)
        near = clause.left_edge == word and clause.head.i == word.i - 1 and clause.head.pos_ in NOUNS
        if near and subject is not None and subject.left_edge.i == word.i + 1 and subject.i < clause.i:
            yield around(sentence, word.i, word.i + 1)


def aim_said(sentence: Span) -> Iterator[str]:
    """Yield an aim as one: "built a wall to keep X out" to "built a wall in order to keep X out".

    What only came of it ("grew up to be a king", "beat X to win the cup") stays.
    """
    for verb in sentence:
        head, to = verb.head, verb.left_edge
        aim = verb.dep_ == "advcl" and verb.tag_ == "VB" and to.tag_ == "TO" and to.i == verb.i - 1
        if not aim or head.pos_ != "VERB" or head.lemma_ in NO_AIM or verb.lemma_ in OUTCOMES or to.is_sent_start:
            continue
        done = child(head, "dobj", "nsubjpass") is not None
        if done and verb.i > head.i and text_at(sentence.doc, to.i - 1).lower() not in {"as", "enough", *TAKES_TO}:
            yield around(sentence, to.i, to.i, "in order")


def receiver_behind(sentence: Span) -> Iterator[str]:
    """Yield the receiver behind what is given: "gave the city a park" to "gave a park to the city"."""
    for verb in sentence:
        receiver, thing = child(verb, "dative"), child(verb, "dobj")
        if verb.lemma_ not in GIVING or receiver is None or thing is None or receiver.pos_ not in {*NOUNS, "PRON"}:
            continue
        who, what = subtree(receiver), subtree(thing)
        side_by_side = who[0].i == verb.i + 1 and what[0].i == who[-1].i + 1
        plain = unbroken(who) and unbroken(what) and "," not in {token.text for token in (*who, *what)}
        if side_by_side and plain and len(what) <= LONGEST_GIVEN:
            yield around(sentence, who[0].i, what[-1].i + 1, words_of(what), "to", words_of(who))


def receiver_first(sentence: Span) -> Iterator[str]:
    """Yield the receiver before what is given: "gave a park to the city" to "gave the city a park"."""
    for verb in sentence:
        to, thing = child(verb, "dative"), child(verb, "dobj")
        receiver = child(to, "pobj") if to is not None and to.lower_ == "to" else None
        if verb.lemma_ not in GIVING or receiver is None or to is None or thing is None or thing.pos_ not in NOUNS:
            continue
        who, what = subtree(receiver), subtree(thing)
        side_by_side = what[0].i == verb.i + 1 and to.i == what[-1].i + 1 and who[0].i == to.i + 1
        plain = unbroken(who) and unbroken(what) and "," not in {token.text for token in (*who, *what)}
        if side_by_side and plain and len(who) <= LONGEST_GIVEN:
            yield around(sentence, what[0].i, who[-1].i + 1, words_of(who), words_of(what))


def phrases_swapped(sentence: Span) -> Iterator[str]:
    """Yield time and place the other way round: "born in Paris on 5 May 1902" to "born on 5 May 1902 in Paris"."""
    for first in sentence:
        second = next((one for one in first.head.children if one.i == first.right_edge.i + 1), None)
        if first.dep_ != "prep" or second is None or second.dep_ != "prep" or first.head.pos_ != "VERB":
            continue
        kinds = {kind_of(first), kind_of(second)}
        one, other = subtree(first), subtree(second)
        plain = unbroken(one) and unbroken(other) and "," not in {token.text for token in (*one, *other[:-1])}
        linked = any(child(part, "conj", "cc") is not None for part in (first, second))
        if kinds == {"time", "place"} and plain and not linked and first.i > first.head.i and other[-1].text != ",":
            yield around(sentence, one[0].i, other[-1].i + 1, words_of(other), words_of(one))


def kind_of(phrase: Token) -> str | None:
    """Return "time" or "place" for a phrase about one, whose name may stand behind "the city of"."""
    target = child(phrase, "pobj")
    inner = child(child(target, "prep"), "pobj") if target is not None and child(target, "prep") is not None else None
    placed = phrase.lower_ in {"in", "at", "on", "near"} and inner is not None and inner.ent_type_ in PLACES
    return phrase_kind(phrase) or ("place" if placed and target is not None and target.pos_ in NOUNS else None)


def members_said(sentence: Span) -> Iterator[str]:
    """Yield ", including X" as ", among them X", where several things have been named just before."""
    doc = sentence.doc
    for word in sentence:
        before = doc[word.i - 2] if word.i >= sentence.start + 2 else None
        if word.lower_ != "including" or word.dep_ != "prep" or text_at(doc, word.i - 1) != "," or before is None:
            continue
        if word.head == before and before.tag_ in {"NNS", "NNPS"} and child(word, "pobj") is not None:
            yield around(sentence, word.i, word.i + 1, "among them")


def exception_said(sentence: Span) -> Iterator[str]:
    """Yield what goes along with the main clause with its "with": "…, the exceptions being X" to "…, with the …"."""
    doc = sentence.doc
    for verb in sentence:
        subject, first = child(verb, "nsubj", "nsubjpass"), verb.left_edge
        loose = verb.dep_ == "advcl" and verb.tag_ in {"VBG", "VBN"} and subject is not None
        if not loose or subject is None or text_at(doc, first.i - 1) != "," or first != subject.left_edge:
            continue
        if not any(part.dep_ in {"aux", "auxpass", "mark"} for part in verb.children) and subject.pos_ in NOUNS:
            yield around(sentence, first.i, first.i, "with")
