"""What a sentence names, dates, counts and says, as far as two sentences can contradict each other in one of them.

Two sentences are rivals where one thing is said of one name (by a verb, by a unique role such as "the capital", or by
what is measured) and they differ in one kind of value: both have a name, a date or a number that the other lacks. Where
two kinds differ, as the place and the date, or names on both sides of the verb, they tell of two things and not of one
in two ways; so do two doers with two dates. A name counts as the same only on the same side of the verb, whether it is
active or passive, and as the doer only of what is done once: who built two bridges does not contradict himself, two
builders of one bridge do. A name whose own verb and a nearer name stand before the verb belongs to another clause.
Sentences that are nearly copies say one thing whatever their verbs. A sentence that begins with a pronoun is about the
passage's title. A date that is a bound ("since 1935") is no value.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from engine.backends.text.base import Entity, TaggedWord, TextSpan, TextTools
from engine.core.records import Passage

Kind = Literal["name", "date", "number"]
DATES, NUMBERS = frozenset({"DATE", "TIME"}), frozenset({"QUANTITY", "MONEY", "PERCENT", "CARDINAL"})
# Verbs that say nothing by themselves.
LIGHT = frozenset("be have do make become take get go come give call know say use".split())
# What a doer does once only, or always in one place.
ONCE = frozenset("die lie stand flow end begin start sink cover border".split())
ARTICLES = frozenset({"the", "a", "an", "of"})
# Words before or behind a date that make it a bound; a range is none.
BOUNDS, ONWARD, RANGE = frozenset("since from after before until till by".split()), ("onward", "onwards"), (" to ", "–")
NEAR = 3
# Sentences are nearly copies from this share of common words on, values left out.
NEARLY_COPIED, LEAST_WORDS = 0.8, 5
PRONOUNS = frozenset({"he", "she", "it", "they", "his", "her", "its", "their"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A name, date or number: its words in lower case, its text, where it begins, and whether "by" stands before it."""

    words: frozenset[str]
    text: str
    start: int
    by: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What a sentence says at a place: a verb, a unique role ("the capital"), a number of what is measured, or all."""

    kind: Literal["verb", "role", "number", "all"]
    words: tuple[str, ...]
    start: int
    passive: bool = False

    @property
    def repeats(self) -> bool:
        """Whether a doer can do it to several things."""
        return self.kind == "verb" and not ONCE & set(self.words)


# Behind it nothing stands, so all values are on one side.
EVERYTHING = Saying(kind="all", words=(), start=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceFacts:
    """A sentence of a passage with its values and what it says.

    ``content`` are its nouns and adjectives, ``others`` all its words in lower case that belong to no value.
    """

    span: TextSpan
    names: tuple[Value, ...]
    dates: tuple[Value, ...]
    numbers: tuple[Value, ...]
    sayings: tuple[Saying, ...]
    content: frozenset[str]
    others: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """Why two sentences may contradict each other: the names they share, and the kind of value they differ in."""

    names: tuple[str, ...]
    kind: Kind


def facts_in(passage: Passage, tools: TextTools) -> tuple[SentenceFacts, ...]:
    """Return the facts of each sentence of a passage, all from one parse."""
    entities, words = tools.entities(passage.text), tools.words(passage.text)
    return tuple(
        facts_of(
            span,
            [one for one in entities if span.start <= one.start < span.end],
            [one for one in words if span.start <= one.start < span.end],
            passage.title,
        )
        for span in tools.sentences(passage.text)
    )


def facts_of(span: TextSpan, entities: Sequence[Entity], words: Sequence[TaggedWord], title: str = "") -> SentenceFacts:
    """Return what a sentence with these entities and words names, dates, counts and says."""
    named = [one for one in entities if one.label != "NOUN"]
    free = [word for word in words if not any(e.start <= word.start < e.end for e in named)]
    about = title if words and words[0].text.casefold() in PRONOUNS else ""
    implied = [Entity(text=about, start=span.start, end=span.start, label="TITLE")] if about else []
    numbers = values_of([one for one in named if one.label in NUMBERS], words)
    measured = (Saying(kind="number", words=(), start=number.start) for number in numbers[:1])
    return SentenceFacts(
        span=span,
        names=values_of([*implied, *(one for one in named if one.label not in DATES | NUMBERS)], words),
        dates=values_of([one for one in named if one.label in DATES and not is_bound(one, words)], words),
        numbers=numbers,
        sayings=(*verbs_in(words), *roles_in(words), *measured),
        content=frozenset(word.lemma for word in free if word.pos in ("NOUN", "ADJ")),
        others=frozenset(word.text.casefold() for word in free if word.pos != "PUNCT"),
    )


def values_of(entities: Sequence[Entity], words: Sequence[TaggedWord]) -> tuple[Value, ...]:
    """Return the entities of a sentence with these words as values."""
    made = (
        Value(
            words=frozenset(one.text.casefold().replace(",", "").split()) - ARTICLES,
            text=one.text,
            start=one.start,
            by="by" in words_before(one, words)[-2:],
        )
        for one in entities
    )
    return tuple(value for value in made if value.words)


def words_before(entity: Entity, words: Sequence[TaggedWord]) -> list[str]:
    """Return the words before an entity, in lower case."""
    return [word.text.casefold() for word in words if word.start < entity.start]


def is_bound(date: Entity, words: Sequence[TaggedWord]) -> bool:
    """Return whether a date only says from when or until when: "since 1935", "from 1935 onward"."""
    if any(mark in date.text for mark in RANGE):
        return False
    following = [word.text.casefold() for word in words if word.start >= date.end][:1]
    return (
        bool(BOUNDS & set(words_before(date, words)[-1:]))
        or date.text.endswith(ONWARD)
        or bool(following)
        and following[0] in ONWARD
    )


def verbs_in(words: Sequence[TaggedWord]) -> Iterator[Saying]:
    """Yield the verbs that say something; passive where a form of "be" stands close before a past participle.

    A participle between an article and a noun ("the invented island") says nothing here.
    """
    for place, word in enumerate(words):
        following = words[place + 1].pos if place + 1 < len(words) else ""
        attribute = place > 0 and words[place - 1].pos in ("DET", "ADJ") and following in ("NOUN", "ADJ", "PROPN")
        if word.pos == "VERB" and word.lemma not in LIGHT and not attribute:
            before = [one.lemma for one in words[max(0, place - NEAR) : place] if one.pos == "AUX"]
            passive = "be" in before and not word.text.endswith("ing")
            yield Saying(kind="verb", words=(word.lemma,), start=word.start, passive=passive)


def roles_in(words: Sequence[TaggedWord]) -> Iterator[Saying]:
    """Yield the unique roles, as ("large", "planet") of "is the largest planet": behind "be" and "the"."""
    for place, (word, following) in enumerate(pairwise(words)):
        if word.lemma == "be" and following.text.casefold() == "the":
            role = []
            for one in words[place + 2 :]:
                if one.pos not in ("NOUN", "ADJ", "ADV"):
                    break
                role.append(one.lemma)
            if role:
                yield Saying(kind="role", words=tuple(role), start=word.start)


def same_value(one: Set[str], other: Set[str]) -> bool:
    """Return whether two values may be one: all words of the shorter stand in the longer.

    >>> same_value({"1953"}, {"29", "may", "1953"}), same_value({"1953"}, {"1954"})
    (True, False)
    """
    return one <= other or other <= one


def rivalry(one: SentenceFacts, other: SentenceFacts) -> Rivalry | None:
    """Return why two sentences may contradict each other, None where they do not speak of one thing in two ways."""
    for first, second in said_in_both(one, other):
        names, others = in_clause(one, first), in_clause(other, second)
        shared = shared_names(names, others, first, second)
        kinds = [
            kind for kind, values, rivals in kinds_of(one, other) if sides_that_differ(values, rivals, first, second)
        ]
        if shared and len(kinds) == 1 and tell_of_one(kinds[0], names, others, first, second):
            return Rivalry(names=shared, kind=kinds[0])
    return None


def kinds_of(one: SentenceFacts, other: SentenceFacts) -> tuple[tuple[Kind, tuple[Value, ...], tuple[Value, ...]], ...]:
    """Return the values of both sentences kind by kind."""
    return (
        ("name", one.names, other.names),
        ("date", one.dates, other.dates),
        ("number", one.numbers, other.numbers),
    )


def tell_of_one(kind: Kind, names: Sequence[Value], others: Sequence[Value], first: Saying, second: Saying) -> bool:
    """Return whether what differs can be one thing told in two ways.

    Names on both sides of what is said make two things, and so does a role in two places ("the largest city in
    Canada", "... in Quebec"), or two doers where a date or a number differs. What is measured differs in its number.
    """
    if first.kind == "all":
        return True
    if kind == "name":
        one_side = len(sides_that_differ(names, others, first, second)) == 1
        return one_side and first.kind != "number" and alike(names, others, first, second, behind=True)
    if first.kind == "number":
        return kind == "number"
    return first.kind != "verb" or alike(names, others, first, second)


def alike(
    names: Sequence[Value], others: Sequence[Value], first: Saying, second: Saying, *, behind: bool = False
) -> bool:
    """Return whether the doers share a name, or with ``behind`` the first names behind a role are one.

    A side without names counts as alike.
    """
    if behind and first.kind != "role":
        return True
    mine = [one for one in names if before(one, first) is not behind]
    theirs = [one for one in others if before(one, second) is not behind]
    if behind:
        mine, theirs = mine[:1], theirs[:1]
    shared = any(same_value(one.words, found.words) for one in mine for found in theirs)
    return shared or not mine or not theirs


def in_clause(facts: SentenceFacts, saying: Saying) -> tuple[Value, ...]:
    """Return the names that can belong to what is said: not those before it with a verb and a nearer name between."""
    verbs = [one.start for one in facts.sayings if one.kind == "verb" and one.start < saying.start]
    nearer = [one.start for one in facts.names if one.start < saying.start]
    return tuple(
        name for name in facts.names if not any(name.start < verb < other for verb in verbs for other in nearer)
    )


def said_in_both(one: SentenceFacts, other: SentenceFacts) -> Iterator[tuple[Saying, Saying]]:
    """Yield what both sentences say: a verb, a role, or a number of what both measure, each as it stands in both."""
    if nearly_copied(one, other):
        yield EVERYTHING, EVERYTHING
    for first in one.sayings:
        for second in other.sayings:
            same = (first.kind, first.words) == (second.kind, second.words)
            if same and (first.kind != "number" or one.content & other.content):
                yield first, second


def nearly_copied(one: SentenceFacts, other: SentenceFacts) -> bool:
    """Return whether two sentences share nearly all words but their values, and the first name."""
    if not one.names or not other.names or not same_value(one.names[0].words, other.names[0].words):
        return False
    both, either = len(one.others & other.others), len(one.others | other.others)
    return either >= LEAST_WORDS and both / either >= NEARLY_COPIED


def before(value: Value, saying: Saying) -> bool:
    """Return whether a value stands on the first side of what is said, the doer's of a verb: "by" marks a passive's."""
    return value.by and value.start > saying.start if saying.passive else value.start < saying.start


def shared_names(names: Sequence[Value], others: Sequence[Value], first: Saying, second: Saying) -> tuple[str, ...]:
    """Return the names that both sentences have on the same side of what they say, as the first has them."""
    return tuple(
        name.text
        for name in names
        if not (first.repeats and before(name, first))
        and any(
            same_value(name.words, found.words) and before(name, first) is before(found, second) for found in others
        )
    )


def sides_that_differ(
    values: Sequence[Value], others: Sequence[Value], first: Saying, second: Saying
) -> frozenset[bool]:
    """Return the sides of what is said (True = the doer's) on which each sentence has a value that the other lacks."""
    mine = [one for one in values if not any(same_value(one.words, found.words) for found in others)]
    theirs = [one for one in others if not any(same_value(one.words, found.words) for found in values)]
    return frozenset(before(a, first) for a in mine) & frozenset(before(b, second) for b in theirs)
