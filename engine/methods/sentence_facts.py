"""What a sentence names, dates, counts and says, and what it is about: what ``rival_sentences`` compares.

Two sentences of one name may speak of two things there, as its castle and its abbey: all that is said carries the nouns
that say what it is said of.

A sentence is about the names before its first verb. Where there are none, or a pronoun stands there, or they are a part
of its passage's title, it is about the title. A passage without a title is about the names before the first verb of its
first sentence: nouns and adjectives with a capital letter, as a tagger may take a name for none. A date that is a bound
("since 1935") is no value.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from engine.backends.text.base import Entity, TaggedWord, TextSpan, TextTools
from engine.core.records import Passage

Kind = Literal["name", "date", "number"]
DATES, NUMBERS = frozenset({"DATE", "TIME"}), frozenset({"QUANTITY", "MONEY", "PERCENT", "CARDINAL"})
# Verbs that say nothing by themselves.
LIGHT = frozenset("be have do make become take get go come give call know say use accord".split())
# What a doer does once only, or always in one place.
ONCE = frozenset("die lie stand flow end begin start sink cover border".split())
# What a thing does once where nothing is done to another: "the bridge opened in 1911", not "the firm opened a shop".
ONCE_ALONE = frozenset("open close reopen collapse burn premiere debut retire crash explode".split())
ARTICLES = frozenset({"the", "a", "an", "of"})
# Words before or behind a date that make it a bound; a range is none.
BOUNDS, ONWARD, RANGE = frozenset("since from after before until till by".split()), ("onward", "onwards"), (" to ", "–")
SETTINGS = frozenset("at in on during".split())
NEAR = 3
DOERS = frozenset({"he", "she", "it", "they"})
# In a name such a word tells "Selm Castle" from "the abbey of Selm"; before a name it does so too.
THINGS = frozenset(
    """abbey academy airport album arena band battle bay book bridge canal castle cathedral chapel church cinema city
    college company county district dynasty embassy festival film gallery garden gate hall harbour hospital hotel house
    island journal lake library lighthouse line magazine mill mine monastery mosque mountain museum newspaper novel
    observatory opera orchestra palace park party play poem port prison province railway reservoir river road school
    series ship siege single song square stadium state station street team temple theater theatre tower town treaty
    tunnel university village wall war zoo""".split()
)
# "The city of Selm" is Selm; "the castle of Selm" and "Selm's mayor" are not.
SAME_AS_NAME = frozenset(
    """city town village capital island kingdom state republic province region river lake district county country parish
    municipality borough empire port sea ocean desert mount duchy colony battle siege treaty university name title date
    population area height length depth width age distance size weight construction building""".split()
)
PRONOUNS = DOERS | {"his", "her", "its", "their"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A name, date or number: its words in lower case, its text, and where it begins.

    ``by``: "by" stands before it. ``setting``: it only says where or when, as behind "at" or "in".
    """

    words: frozenset[str]
    text: str
    start: int
    by: bool = False
    setting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What a sentence says at a place: a verb, a unique role ("the capital"), a number of what is measured, or all.

    ``alone``: a preposition or the end follows the verb, so that it has no object. ``about``: nouns and adjectives that
    stand before it in its clause and say what it is said of: "castle" of "The castle of Selm was built".
    ``part_of``: those of them that a name only says whose or where they are.
    """

    kind: Literal["verb", "role", "number", "all"]
    words: tuple[str, ...]
    start: int
    passive: bool = False
    alone: bool = False
    about: frozenset[str] = frozenset()
    part_of: frozenset[str] = frozenset()

    @property
    def repeats(self) -> bool:
        """Whether a doer can do it to several things, or several times."""
        once = ONCE | ONCE_ALONE if self.alone else ONCE
        return self.kind == "verb" and not once & set(self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceFacts:
    """A sentence of a passage with its values and what it says.

    ``topics`` are the names it is about: those before its first verb, else its passage's title. ``content`` are its
    nouns and adjectives, ``others`` all its words in lower case that belong to no value. ``is_of_unknown``: a pronoun
    stands for what it is about, or "the film" without any name, and nothing says what that is.
    """

    span: TextSpan
    names: tuple[Value, ...]
    dates: tuple[Value, ...]
    numbers: tuple[Value, ...]
    sayings: tuple[Saying, ...]
    topics: tuple[Value, ...]
    content: frozenset[str]
    others: frozenset[str]
    is_of_unknown: bool = False


def facts_in(passage: Passage, tools: TextTools) -> tuple[SentenceFacts, ...]:
    """Return the facts of each sentence of a passage, all from one parse."""
    entities, words, spans = tools.entities(passage.text), tools.words(passage.text), tools.sentences(passage.text)
    subject = "" if passage.title else subject_of([one for span in spans[:1] for one in words if one.start < span.end])
    return tuple(
        facts_of(
            span,
            [one for one in entities if span.start <= one.start < span.end],
            [one for one in words if span.start <= one.start < span.end],
            passage.title,
            subject,
        )
        for span in spans
    )


def subject_of(words: Sequence[TaggedWord]) -> str:
    """Return what a passage is about whose first sentence has these words: those of names before its first verb."""
    verb = next((word.start for word in words if word.pos in ("VERB", "AUX")), 0)
    before = [word for word in words if word.start < verb and word.pos in ("PROPN", "NOUN", "ADJ")]
    return " ".join(word.text for word in before if word.text[:1].isupper())


def facts_of(
    span: TextSpan, entities: Sequence[Entity], words: Sequence[TaggedWord], title: str = "", subject: str = ""
) -> SentenceFacts:
    """Return what a sentence with these entities and words names, dates, counts and says.

    ``subject`` is what its passage is about where that has no title.
    """
    named = [one for one in entities if one.label != "NOUN"]
    free = [word for word in words if not any(e.start <= word.start < e.end for e in named)]
    about = (title or subject) if words and words[0].text.casefold() in PRONOUNS else ""
    implied = [Entity(text=about, start=span.start, end=span.start, label="TITLE")] if about else []
    numbers = values_of([one for one in named if one.label in NUMBERS], words)
    names = values_of([*implied, *(one for one in named if one.label not in DATES | NUMBERS)], words)
    measured = (Saying(kind="number", words=(), start=number.start) for number in numbers[:1])
    topics = topics_of(names, words, title or subject)
    sayings = (*verbs_in(words), *roles_in(words), *measured)
    return SentenceFacts(
        span=span,
        names=names,
        dates=values_of([one for one in named if one.label in DATES and not is_bound(one, words)], words),
        numbers=numbers,
        sayings=tuple(with_thing(one, words, named, about) for one in sayings),
        topics=topics,
        content=frozenset(word.lemma for word in free if word.pos in ("NOUN", "ADJ")),
        others=frozenset(word.text.casefold() for word in free if word.pos != "PUNCT"),
        is_of_unknown=not topics and stands_for_another(words, named=bool(names)),
    )


def with_thing(saying: Saying, words: Sequence[TaggedWord], named: Sequence[Entity], title: str) -> Saying:
    """Return what is said with the nouns and adjectives that say what it is said of, in their dictionary form.

    They stand between the verb before and what is said, or before that where nothing stands there. What a sentence
    opens with ("In the war, ...") only says when or where. "Anna, a painter, ..." and "the painter Anna" are of one
    thing whatever they call it, but a film is not the novel of its name. ``title`` is
    what a pronoun stands for, "" without one.
    """
    ahead = [word for word in words if word.start < saying.start]
    last = max((place for place, word in enumerate(ahead) if word.pos == "VERB"), default=-1)
    clause: Sequence[TaggedWord] = ahead[last + 1 :]
    # "The bridge, designed by Anna Roth, opened" goes on behind the comma.
    if not any(word.pos in ("NOUN", "PROPN") for word in clause) or clause[-1].text == ",":
        clause = ahead
    clause = without_opening(clause)
    found = [word.lemma.casefold() for place, word in enumerate(clause) if tells_thing(clause, place, named)]
    owned = [word.lemma.casefold() for place, word in enumerate(clause) if is_owned(clause, place, named)]
    about = frozenset(found) | THINGS & frozenset(title.casefold().split())
    return replace(saying, about=about, part_of=about & frozenset(owned) - SAME_AS_NAME)


def without_opening(clause: Sequence[TaggedWord]) -> Sequence[TaggedWord]:
    """Return a clause without the phrase with a preposition that it opens with, up to its comma or first noun."""
    if not clause or clause[0].pos not in ("ADP", "SCONJ"):
        return clause
    ends = [place for place, word in enumerate(clause) if word.text == ","]
    ends = ends or [place for place, word in enumerate(clause) if word.pos in ("NOUN", "PROPN", "NUM")]
    return clause[ends[0] + 1 :] if ends else clause


def tells_thing(clause: Sequence[TaggedWord], place: int, named: Sequence[Entity]) -> bool:
    """Return whether a word of a clause says what thing is meant: a noun, or an adjective before one.

    In a name only a word for a thing or one in lower case does; of nouns before a name or in commas behind one only
    words for things do.
    """
    word = clause[place]
    thing = word.lemma.casefold() in THINGS
    if any(one.start <= word.start < one.end for one in named) or word.pos == "PROPN":
        return thing or word.pos in ("NOUN", "PROPN") and word.text.islower()
    if word.pos not in ("NOUN", "ADJ"):
        return False
    following = next((one for one in clause[place + 1 :] if one.pos not in ("NOUN", "ADJ")), None)
    before_name = following is not None and any(one.start <= following.start < one.end for one in named)
    start = next((at for at in range(place, 0, -1) if clause[at - 1].text == ","), 0)
    in_commas = start > 0 and any(one.start < clause[start].start for one in named if one.start >= clause[0].start)
    return thing if before_name or in_commas else True


def is_owned(clause: Sequence[TaggedWord], place: int, named: Sequence[Entity]) -> bool:
    """Return whether a name says whose a noun is, or where: "the tower of Selm Abbey", "Anna Roth's father"."""
    if clause[place].pos != "NOUN" or any(one.start <= clause[place].start < one.end for one in named):
        return False
    behind = [word for word in clause[place + 1 :] if word.pos not in ("DET", "ADJ")][:2]
    owner = next((word for word in reversed(clause[:place]) if word.pos not in ("ADJ", "NOUN")), None)
    led_to = (
        len(behind) == 2 and behind[0].pos == "ADP" and any(one.start <= behind[1].start < one.end for one in named)
    )
    return led_to or owner is not None and owner.text.casefold() in ("'s", "’s", "'", "’")


def stands_for_another(words: Sequence[TaggedWord], named: bool) -> bool:
    """Return whether a sentence speaks of what another one names: by a pronoun, or as "the film" without a name."""
    spoken = any(word.text.casefold() in DOERS and word.pos == "PRON" for word in words)
    return spoken or not named and any(word.pos == "DET" for word in words[:1])


def topics_of(names: Sequence[Value], words: Sequence[TaggedWord], title: str) -> tuple[Value, ...]:
    """Return what a sentence is about: the names before its first verb, or the title that they or "it" stand for."""
    verb = next((word.start for word in words if word.pos in ("VERB", "AUX") and word.lemma != "accord"), None)
    before = [word for word in words if verb is None or word.start < verb]
    own = tuple(one for one in names if (verb is None or one.start < verb) and not one.setting)
    # "Selm (film)" is not "Selm (novel)", but either may be "Selm".
    plain = re.sub(r"[(),\s]+", " ", title).strip()
    whole = values_of([Entity(text=plain, start=0, end=len(plain), label="TITLE")], ())
    spoken = any(word.text.casefold() in PRONOUNS and word.pos == "PRON" for word in before)
    means_title = spoken or any(one.words <= two.words for one in own for two in whole)
    return whole if means_title or not own else own


def values_of(entities: Sequence[Entity], words: Sequence[TaggedWord]) -> tuple[Value, ...]:
    """Return the entities of a sentence with these words as values."""
    made = (
        Value(
            words=frozenset(one.text.casefold().replace(",", "").split()) - ARTICLES,
            text=one.text,
            start=one.start,
            by="by" in words_before(one, words)[-2:],
            setting=bool(SETTINGS & set(words_before(one, words)[-2:])),
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
    """Yield the verbs that say something, and whether each is passive.

    A participle between an article and a noun ("the invented island") says nothing here.
    """
    for place, word in enumerate(words):
        following = words[place + 1].pos if place + 1 < len(words) else ""
        attribute = place > 0 and words[place - 1].pos in ("DET", "ADJ") and following in ("NOUN", "ADJ", "PROPN")
        if word.pos == "VERB" and word.lemma not in LIGHT and not attribute:
            passive, alone = is_passive(words, place), following in ("ADP", "PUNCT", "")
            yield Saying(kind="verb", words=(word.lemma,), start=word.start, passive=passive, alone=alone)


def is_passive(words: Sequence[TaggedWord], place: int) -> bool:
    """Return whether a verb is passive: behind a form of "be", behind a comma, before "by", or "born"."""
    word = words[place]
    before = [one.lemma for one in words[max(0, place - NEAR) : place] if one.pos == "AUX"]
    comma = place > 0 and words[place - 1].text == ","
    doer = any(one.text == "by" for one in words[place + 1 : place + 1 + 2 * NEAR])
    reduced = not before and (word.text == "born" or comma or doer)
    return ("be" in before or reduced) and not word.text.endswith("ing")


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
