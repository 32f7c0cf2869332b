"""Two sentences compared clause by clause: does what the second says stand in the first?

What the second says and the first does not, what is denied or hedged in one only, who changed places with whom, and
which number, name, time relation or owner stands where another stood. Numbers in [0, 1], no model beyond the parser.
"""

import re
from dataclasses import dataclass

from engine.backends.entailment.answers import is_number
from engine.backends.entailment.clauses import PRONOUNS, Arc, Reading
from engine.backends.entailment.rules import similar_spelling

TIME_RELATIONS = frozenset("before after until since in by during from on at till around".split())
LOOSE = frozenset({"of", "in", "mod", "from", "at", "on", "for"})
UNFILLED = frozenset({"mod", "is", "when", "that", "conj", "to"})
ROLES = {"subject": "object", "object": "subject"}
STEM = 5
YEAR = re.compile(r"1\d{3}|20\d{2}")
SLIGHT = frozenset({"only", "mainly", "both", "half"})
ALL_OF_THEM, SOME_OF_THEM = frozenset({"all", "every", "each"}), frozenset({"some", "several", "many", "most", "few"})
OPPOSITE_WORDS = """
    open-close large-small win-lose big-small begin-end start-stop start-end long-short high-low old-young old-new
    north-south east-west northern-southern eastern-western buy-sell arrive-depart leave-reach leave-arrive
    approve-reject accept-refuse admit-deny sign-refuse alive-dead survive-die increase-decrease rise-fall
    hot-cold early-late first-last more-less many-few summer-winter morning-evening left-right upper-lower
    male-female best-worst father-mother son-daughter brother-sister husband-wife king-queen build-demolish
    join-leave near-far inside-outside maximum-minimum always-never public-private birth-death fast-slow
    strong-weak rich-poor import-export attack-defend whole-part only-whole allow-forbid permit-ban
    include-exclude ancient-modern wet-dry north-east""".split()
OPPOSITES = frozenset(frozenset(pair.split("-")) for pair in OPPOSITE_WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What of a hypothesis a premise does not say (shares in [0, 1]), and what it says otherwise."""

    new_words: float
    new_arcs: float
    loose_arcs: float
    denied_otherwise: bool
    hedge_lost: bool
    swapped: bool
    other_doer: bool
    exchanged: bool
    other_number: bool
    other_name: bool
    new_number: bool
    new_name: bool
    other_time: bool
    other_owner: bool
    other_unit: bool
    opposite: bool
    other_amount_of_all: bool


def compared(premise: Reading, hypothesis: Reading) -> Comparison:
    """Return how the hypothesis differs from the premise."""
    new = frozenset(word for word in hypothesis.content if not has_word(word, premise.content))
    lost = frozenset(word for word in premise.content if not has_word(word, hypothesis.content))
    arcs = [arc for arc in hypothesis.arcs if bears(arc, hypothesis)]
    return Comparison(
        new_words=len(new) / max(1, len(hypothesis.content)),
        new_arcs=share([not stands(arc, premise) for arc in arcs]),
        loose_arcs=share([not stands_loosely(arc, premise) for arc in arcs]),
        denied_otherwise=denied_otherwise(premise, hypothesis),
        hedge_lost=bool(premise.hedges - hypothesis.hedges),
        swapped=swapped(premise, hypothesis),
        other_doer=other_doer(premise, hypothesis),
        exchanged=exchanged(premise, hypothesis),
        other_number=bool(hypothesis.numbers - premise.numbers) and bool(premise.numbers - hypothesis.numbers),
        other_name=bool(new & hypothesis.names) and bool(lost & premise.names),
        new_number=bool(hypothesis.numbers - premise.numbers),
        new_name=bool(new & hypothesis.names),
        other_time=other_time(premise, hypothesis),
        other_owner=other_owner(premise, hypothesis),
        other_unit=other_unit(premise, hypothesis),
        opposite=any(frozenset((one, other)) in OPPOSITES for one in new for other in lost),
        other_amount_of_all=other_amount_of_all(premise, hypothesis),
    )


def share(found: list[bool]) -> float:
    """Return the share of True; 0 of nothing."""
    return sum(found) / len(found) if found else 0.0


def has_word(word: str, others: frozenset[str]) -> bool:
    """Return whether a word, a spelling of it or one of its family stands among others.

    >>> has_word("construction", frozenset({"construct"})), has_word("1912", frozenset({"1913"}))
    (True, False)
    """
    return word in others or any(akin(word, other) for other in others)


def akin(word: str, other: str) -> bool:
    """Return whether two words are one, spelt alike, or of one family by their first five letters."""
    if word == other:
        return True
    if is_number(word) or is_number(other):
        return False
    return (len(word) >= STEM and word[:STEM] == other[:STEM]) or similar_spelling(word, other)


def bears(arc: Arc, reading: Reading) -> bool:
    """Return whether an arc joins two words that carry the sentence."""
    return arc.head in reading.content and arc.dependent in reading.content


def alike(arc: Arc, other: Arc) -> bool:
    """Return whether two arcs join the same words in the same direction; a pronoun stands for any word."""
    return all(
        akin(one, two) or one in PRONOUNS or two in PRONOUNS
        for one, two in ((arc.head, other.head), (arc.dependent, other.dependent))
    )


def turned(arc: Arc) -> Arc:
    """Return an arc in the other direction."""
    return Arc(head=arc.dependent, relation=arc.relation, dependent=arc.head)


def stands(arc: Arc, premise: Reading) -> bool:
    """Return whether the premise has an arc; "X is Y" may stand as "Y is X", and loose relations for each other."""
    for other in premise.arcs:
        same = other.relation == arc.relation or {other.relation, arc.relation} <= LOOSE
        if same and alike(arc, other):
            return True
        if {other.relation, arc.relation} <= {"is", "mod"} and alike(turned(arc), other):
            return True
    return False


def stands_loosely(arc: Arc, premise: Reading) -> bool:
    """Return whether the premise joins the two words in any relation and direction."""
    return any(alike(arc, other) or alike(turned(arc), other) for other in premise.arcs)


def denied_otherwise(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether one of two sentences denies of a word of both what the other affirms."""
    return bool((premise.denied ^ hypothesis.denied) & premise.content & hypothesis.content)


def other_amount_of_all(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether the hypothesis says of more, or of others, what the premise says: "all" for "some"."""
    said, claimed = premise.quantities - SLIGHT, hypothesis.quantities - SLIGHT
    weaker = bool(said & ALL_OF_THEM) and claimed <= SOME_OF_THEM
    return said != claimed and not weaker or bool((hypothesis.quantities - premise.quantities) & SLIGHT)


def swapped(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether someone does to the other what the other did: subject and object of a verb changed places."""
    return any(is_turned(arc, premise, hypothesis) and not stands(arc, premise) for arc in doings(hypothesis))


def is_turned(arc: Arc, premise: Reading, hypothesis: Reading) -> bool:
    """Return whether the premise has a doing's word in the other role, and one of the sentences fills both roles: a
    door that opens and a door that is opened are no exchange.
    """
    there = [one for one in doings(premise) if akin(arc.head, one.head)]
    here = [one for one in doings(hypothesis) if akin(arc.head, one.head)]
    both = any(len({one.relation for one in each}) == len(ROLES) for each in (there, here))
    return both and any(one.relation == ROLES[arc.relation] and one.dependent == arc.dependent for one in there)


def other_doer(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether a verb of both has another subject or object, which the premise speaks of elsewhere."""
    return any(arc.dependent in premise.content and arc.relation in ROLES for arc in refilled(premise, hypothesis))


def exchanged(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether two things stand in each other's place: "rises in A, ends in B" for "rises in B, ends in A"."""
    return sum(arc.dependent in premise.content for arc in refilled(premise, hypothesis)) >= 2


def refilled(premise: Reading, hypothesis: Reading) -> list[Arc]:
    """Return the arcs of a hypothesis to a word of the premise, where another word stands in the premise."""
    out = []
    for arc in hypothesis.arcs:
        if arc.dependent in PRONOUNS or arc.relation in UNFILLED or not bears(arc, hypothesis):
            continue
        filled = [one for one in premise.arcs if one.relation == arc.relation and akin(one.head, arc.head)]
        if filled and not any(akin(one.dependent, arc.dependent) or one.dependent in PRONOUNS for one in filled):
            out.append(arc)
    return out


def doings(reading: Reading) -> list[Arc]:
    """Return the arcs that say who does something, or to whom it is done, by a word other than a pronoun."""
    return [arc for arc in reading.arcs if arc.relation in ROLES and arc.dependent not in PRONOUNS]


def other_time(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether a time is joined by another relation: "after 1912" for "in 1912", "before" for "after"."""
    said = {arc.dependent: arc.relation for arc in premise.arcs if arc.relation in TIME_RELATIONS}
    orders = frozenset({"before", "after", "until", "since", "by", "till", "around"})
    return any(
        arc.dependent in said and said[arc.dependent] != arc.relation and orders & {arc.relation, said[arc.dependent]}
        for arc in hypothesis.arcs
        if arc.relation in TIME_RELATIONS
    )


def other_owner(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether something is said to be another's, or its own: "the capital of Selm" for "the capital, Selm"."""
    claimed = [arc for arc in hypothesis.arcs if arc.relation == "of" and arc.dependent not in PRONOUNS]
    return any(is_same(arc, premise) or is_of_others(arc, premise) for arc in claimed)


def is_same(arc: Arc, premise: Reading) -> bool:
    """Return whether the premise says that both words of an arc are one thing."""
    return any(one.relation == "is" and (alike(arc, one) or alike(turned(arc), one)) and not has_pronoun(one)
               for one in premise.arcs)  # fmt: skip


def is_of_others(arc: Arc, premise: Reading) -> bool:
    """Return whether the premise names owners of a thing, and another than the arc does."""
    owners = [one.dependent for one in premise.arcs if one.relation == "of" and one.head == arc.head]
    named = [owner for owner in owners if owner not in PRONOUNS]
    return bool(named) and len(named) == len(owners) and not any(akin(arc.dependent, owner) for owner in named)


def has_pronoun(arc: Arc) -> bool:
    """Return whether a pronoun stands on either side of an arc."""
    return arc.head in PRONOUNS or arc.dependent in PRONOUNS


def other_unit(premise: Reading, hypothesis: Reading) -> bool:
    """Return whether a number of both belongs to another word: "41 feet" for "41 metres".

    A year counts nothing; the parser hangs it now on one word, now on another.
    """
    counted: dict[str, list[str]] = {}
    for arc in premise.arcs:
        if arc.relation == "mod" and is_number(arc.dependent) and not YEAR.fullmatch(arc.dependent):
            counted.setdefault(arc.dependent, []).append(arc.head)
    return any(
        arc.dependent in counted and not any(akin(arc.head, head) for head in counted[arc.dependent])
        for arc in hypothesis.arcs
        if arc.relation == "mod" and is_number(arc.dependent)
    )
