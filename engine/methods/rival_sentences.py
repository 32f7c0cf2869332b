"""Which two sentences may contradict each other.

Two sentences are rivals where one thing is said of one name (by a verb, by a unique role such as "the capital", or by
what is measured) and they differ in one kind of value: both have a name, a date or a number that the other lacks. Where
two kinds differ, as the place and the date, or names on both sides of the verb, they tell of two things and not of one
in two ways; so do two doers with two dates. A name counts as the same only on the same side of the verb, whether it is
active or passive, and as the doer only of what is done once: who built two bridges does not contradict himself, two
builders of one bridge do. A name whose own verb and a nearer name stand before the verb belongs to another clause.
Sentences that are nearly copies say one thing whatever their verbs, also where neither has a name ("Water boils at
100 degrees at sea level"): these differ in a date or a number.

Rivals are about one thing: each courthouse has its own year. Sentences about two things are rivals only where one deed
has one doer, or one role one holder.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from engine.methods.sentence_facts import Kind, Saying, SentenceFacts, Value

# What one doer does to a thing, so that two doers contradict each other.
DONE_BY_ONE = frozenset(
    "build design write compose paint direct found invent discover create develop construct erect make sculpt carve "
    "draw kill assassinate murder command own buy commission defeat beat conquer author establish launch introduce "
    "pioneer coin patent unveil".split()
)
# Two sentences about two things are told alike where the longer has this share of the shorter's nouns and adjectives.
TOLD_ALIKE = 0.8
# Sentences are nearly copies from this share of common words on, values left out.
NEARLY_COPIED, LEAST_WORDS = 0.8, 5
# Behind it nothing stands, so all values are on one side.
EVERYTHING = Saying(kind="all", words=(), start=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """Why two sentences may contradict each other: the names they share, and the kind of value they differ in."""

    names: tuple[str, ...]
    kind: Kind


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
        told = len(kinds) == 1 and tell_of_one(kinds[0], names, others, first, second)
        if (
            (shared or first.kind == "all" and not names and not others)
            and told
            and one_thing(one, other, first, second)
            and (same_topic(one, other, first, second) or only_one_can(one, other, kinds[0], first, second))
        ):
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


def same_topic(one: SentenceFacts, other: SentenceFacts, first: Saying, second: Saying) -> bool:
    """Return whether two sentences can be about one thing: they share a topic, or one of them names none.

    What is measured may stand in a clause of its own: "A plumb line showed that Lake Morrin is 96 metres deep." Nobody
    knows what "it" is in a passage that does not say: such a sentence shares no topic.
    """
    mine, theirs = measured_topics(one, first), measured_topics(other, second)
    if not mine or not theirs:
        return not (one.is_of_unknown and not mine) and not (other.is_of_unknown and not theirs)
    return any(same_value(topic.words, rival.words) for topic in mine for rival in theirs)


def measured_topics(facts: SentenceFacts, saying: Saying) -> tuple[Value, ...]:
    """Return a sentence's topics, for a number with the names before it."""
    before_it = [name for name in in_clause(facts, saying) if name.start < saying.start and not name.setting]
    return (*facts.topics, *(before_it if saying.kind == "number" else ()))


def one_thing(one: SentenceFacts, other: SentenceFacts, first: Saying, second: Saying) -> bool:
    """Return whether what two sentences call their thing can be one: not a castle and an abbey, whatever their name.

    Two things each have a word that the other lacks; words with one beginning are one ("tram", "tramway"). So have
    sentences that are nearly copies: "The price of tea rose", "The price of coffee rose". A part of a thing is another
    thing, and so is somebody's father.
    """
    if first.kind == "all":
        mine, theirs = (facts.content.union(*(saying.about for saying in facts.sayings)) for facts in (one, other))
        return told_within(mine, theirs) or told_within(theirs, mine)
    for part, whole in ((first.part_of, second.about), (second.part_of, first.about)):
        if part and not any(told_within({word}, whole) for word in part):
            return False
    return told_within(first.about, second.about) or told_within(second.about, first.about)


def told_within(words: Set[str], others: Set[str]) -> bool:
    """Return whether all words are among the others, or begin as one of them does.

    >>> told_within({"tram"}, {"tramway", "line"}), told_within({"castle"}, {"abbey"})
    (True, False)
    """
    return all(any(word.startswith(found) or found.startswith(word) for found in others) for word in words)


def only_one_can(one: SentenceFacts, other: SentenceFacts, kind: Kind, first: Saying, second: Saying) -> bool:
    """Return whether two topics cannot both be right: one deed of one doer, or one unique role, told in one way.

    Told in one way: the shorter sentence has hardly a word that the longer lacks, but the name.
    """
    deed = first.kind == "verb" and bool(DONE_BY_ONE & set(first.words))
    doers_differ = sides_that_differ(one.names, other.names, first, second) == {True}
    if kind != "name" or not doers_differ or not (deed or first.kind == "role"):
        return False
    # What is done to two things is two deeds: the topic of a passive is what it is done to.
    if not (done_to_one(one, other, first) and done_to_one(other, one, second)):
        return False
    shorter = min(one.content, other.content, key=len)
    return len(shorter & one.content & other.content) >= TOLD_ALIKE * len(shorter)


def done_to_one(passive: SentenceFacts, other: SentenceFacts, saying: Saying) -> bool:
    """Return whether the topic of a passive is among the names of the other sentence; True for an active."""
    names = other.names
    return not saying.passive or any(topic.words <= name.words for topic in passive.topics for name in names)


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
    """Return whether two sentences share nearly all words but their values, and the first name where they have one."""
    if bool(one.names) != bool(other.names):
        return False
    if one.names and not same_value(one.names[0].words, other.names[0].words):
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
