"""How the wording of one short answer bears on another: what it entails, contradicts, or leaves open, rule by rule."""

from collections.abc import Iterable
from difflib import SequenceMatcher

from engine.backends.entailment.wording import JUNIOR, LONGEST_ITEM, LONGEST_OPEN, ROMAN, Wording, Words


def by_wording(premise: Wording, hypothesis: Wording) -> str:
    """Return "same", "said", "other", "part", "open" or "" for how a premise's wording bears on the hypothesis.

    "said": entailed. "other": contradicted. "part" and "open": neutral, since only a part is said, or nothing surely.
    """
    for rule in (
        by_denial,
        by_hedge,
        by_openness,
        by_kin,
        by_names,
        by_lists,
        by_order,
        by_roles,
        by_phrases,
        by_emphasis,
    ):
        verdict = rule(premise, hypothesis)
        if verdict:
            return verdict
    return ""


def by_denial(premise: Wording, hypothesis: Wording) -> str:
    """Return what follows where one answer denies something and the other names it or what is asserted instead."""
    denies = [bool(side.denied or side.subject_denied) for side in (premise, hypothesis)]
    if denies[0] == denies[1]:
        return ""
    one, other = (premise, hypothesis) if denies[0] else (hypothesis, premise)
    if not other.asserted or other.hedged or other.open:
        return ""
    if other.asserted <= one.denied and not other.asserted <= one.asserted:
        return "other"
    if one.subject_denied:
        return "other" if other.asserted <= one.asserted else ""
    return "said" if other.asserted <= one.asserted and not other.asserted & one.denied else ""


def by_hedge(premise: Wording, hypothesis: Wording) -> str:
    """Return "open" where only one of two answers that name the same thing is sure of it."""
    if premise.hedged == hypothesis.hedged or premise.denied or hypothesis.denied:
        return ""
    one, other = (premise, hypothesis) if premise.hedged else (hypothesis, premise)
    return "open" if other.asserted and other.asserted <= one.asserted else ""


def by_openness(premise: Wording, hypothesis: Wording) -> str:
    """Return what follows where one answer or both leave two things open."""
    if premise.open and hypothesis.open:
        return "same" if same_things(premise.open, hypothesis.open) else ""
    if premise.open and not hypothesis.hedged:
        if hypothesis.asserted and any(map(hypothesis.asserted.__le__, premise.open)):
            return "open"
        return "other" if is_third(hypothesis, premise) else ""
    if hypothesis.open and not premise.hedged:
        if premise.asserted and any(option <= premise.asserted for option in hypothesis.open):
            return "said"
        return "other" if is_third(premise, hypothesis) else ""
    return ""


def is_third(one: Wording, other: Wording) -> bool:
    """Return whether a short answer shares no word with the two things another leaves open."""
    plain = not (one.denied or one.hedged or one.items or one.open or other.hedged)
    return plain and 0 < len(one.asserted) <= 2 and not any(one.asserted & option for option in other.open)


def by_kin(premise: Wording, hypothesis: Wording) -> str:
    """Return what follows where an answer names somebody's relative."""
    if (
        premise.kin
        and hypothesis.kin
        and premise.owner == hypothesis.owner
        and not (premise.kin_name | hypothesis.kin_name)
    ):
        return "same" if premise.kin == hypothesis.kin else "other"
    if premise.kin and hypothesis.kin:
        nested = premise.asserted <= hypothesis.owner or hypothesis.asserted <= premise.owner
        return "other" if nested and not (premise.kin_name or hypothesis.kin_name) else ""
    if not premise.kin and not hypothesis.kin:
        return ""
    one, other = (premise, hypothesis) if premise.kin else (hypothesis, premise)
    if not other.asserted or other.items or other.hedged:
        return ""
    if one.kin_name and other.asserted & one.kin_name and other.asserted <= one.kin_name | one.owner:
        return "said"
    return "other" if other.asserted <= one.owner else ""


def by_names(premise: Wording, hypothesis: Wording) -> str:
    """Return "other" for two people of one surname, "same" where initials or a title are all that differs, "said" for
    a surname behind a title.
    """
    one, other = premise.name, hypothesis.name
    if one and one[-1] == hypothesis.titled and not (premise.kin or premise.denied):
        return "said"
    if not one or not other or premise.kin or hypothesis.kin or premise.denied or hypothesis.denied:
        return ""
    if one == other:
        return "same" if premise.whole_name and hypothesis.whole_name else ""
    ends = [frozenset(name) & JUNIOR for name in (one, other)]
    first, second = (tuple(part for part in name if part not in JUNIOR | {"the"}) for name in (one, other))
    if first == second and all(ends):
        return "other"
    if len(first) < 2 or len(second) < 2 or first[-1] != second[-1] or first[-1] in ROMAN:
        return ""
    middles = first[1:-1], second[1:-1]
    lettered = all(middles) and all(len(part) == 1 for middle in middles for part in middle)
    if lettered and len(middles[0]) != len(middles[1]) and fits(first[0], second[0]):
        return "other"
    if set(first) <= set(second) or set(second) <= set(first):
        return ""
    if not fits(first[0], second[0]):
        return "other"
    if all(middles) and len(middles[0]) == len(middles[1]):
        return "same" if all(map(fits, *middles)) else "other"
    return "same" if len(first) == len(second) == 2 and min(len(first[0]), len(second[0])) == 1 else ""


def fits(one: str, other: str) -> bool:
    """Return whether two first names may be one: equal, an initial of the other, its beginning or another spelling."""
    if min(len(one), len(other)) <= 2:
        return one[0] == other[0]
    return one.startswith(other) or other.startswith(one) or one[:3] == other[:3] or close_spelling(one, other)


def close_spelling(one: str, other: str) -> bool:
    """Return whether two names differ by a letter or two.

    >>> close_spelling("smiriti", "smriti"), close_spelling("ralf", "michael")
    (True, False)
    """
    return one[0] == other[0] and SequenceMatcher(None, one, other).ratio() > 0.8


def by_lists(premise: Wording, hypothesis: Wording) -> str:
    """Return what follows where one answer or both are lists: all of it, a part of it, or one thing exchanged."""
    if not (premise.items or hypothesis.items) or premise.open or hypothesis.open:
        return ""
    one, other = (
        side.items or ((side.asserted,) if 0 < len(side.asserted) <= LONGEST_ITEM else ())
        for side in (premise, hypothesis)
    )
    if not one or not other or any(map(swallowed, (one, other), (other, one))):
        return ""
    here, there = covered(other, one), covered(one, other)
    if here == len(other):
        return "same" if there == len(one) else "other" if hypothesis.only else "said"
    if there == len(one):
        return "other" if premise.only or hypothesis.only else "part"
    return "other" if here and there else ""


def by_order(premise: Wording, hypothesis: Wording) -> str:
    """Return "other" where one puts it before, and the other after or during, the same thing."""
    differ = premise.when and hypothesis.when and premise.when != hypothesis.when
    one, other = (side.asserted - {"before", "after", "during"} for side in (premise, hypothesis))
    return "other" if differ and one and other and (one <= other or other <= one) else ""


def by_roles(premise: Wording, hypothesis: Wording) -> str:
    """Return "other" where two short sentences of the same words exchange who does it and who suffers it, "same" where
    only the voice changes.
    """
    one, other = premise.said, hypothesis.said
    if sorted(one) != sorted(other) or not 3 <= len(one) <= LONGEST_OPEN or len(set(one)) != len(one):
        return ""
    if premise.items or hypothesis.items or premise.denied or hypothesis.denied:
        return ""
    for word in one[1:-1]:
        if word not in other[1:-1] or word in premise.capitals:
            continue
        ahead, behind = set(one[: one.index(word)]), set(one[one.index(word) + 1 :])
        before, after = set(other[: other.index(word)]), set(other[other.index(word) + 1 :])
        turned = ahead <= after and before <= behind
        if turned or ahead == before:
            return "other" if turned != (premise.passive != hypothesis.passive) else "same"
    return ""


def by_phrases(premise: Wording, hypothesis: Wording) -> str:
    """Return "other" where the same words stand behind other prepositions: "from A to B", "from B to A"; "same" where
    only the order of the phrases differs.
    """
    if sorted(premise.said) != sorted(hypothesis.said) or premise.said == hypothesis.said or premise.items:
        return ""
    one, other = dict(premise.phrases), dict(hypothesis.phrases)
    shared = one.keys() & other.keys()
    if any(one[word] != other[word] for word in shared):
        return "other"
    return "same" if len(shared) > 1 else ""


def by_emphasis(premise: Wording, hypothesis: Wording) -> str:
    """Return "said" where one of two answers only adds that it is sure: "I think", "none other than"."""
    if premise.sure == hypothesis.sure or any(
        side.denied or side.hedged or side.open for side in (premise, hypothesis)
    ):
        return ""
    one, other = (premise, hypothesis) if premise.sure else (hypothesis, premise)
    return (
        "said" if other.asserted and other.asserted <= one.asserted and len(one.asserted - other.asserted) <= 1 else ""
    )


def covered(wanted: Iterable[Words], said: Iterable[Words]) -> int:
    """Return how many things of one list stand in another, whole or in fewer or more words."""
    return sum(any(thing <= other or other <= thing for other in said) for thing in wanted)


def swallowed(one: tuple[Words, ...], other: tuple[Words, ...]) -> bool:
    """Return whether the only thing of one side holds several things of the other: a list that was not read as one.

    >>> swallowed((frozenset({"skye", "mull"}),), (frozenset({"skye"}), frozenset({"mull"})))
    True
    """
    return len(one) == 1 and sum(thing <= one[0] for thing in other) > 1


def same_things(one: tuple[Words, ...], other: tuple[Words, ...]) -> bool:
    """Return whether two lists name the same things in whatever order."""
    return set(one) == set(other)
