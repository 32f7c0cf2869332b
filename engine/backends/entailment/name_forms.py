"""What the form of two short answers says beyond their words: initials, the kind of place, who beat whom.

Rules over the text as written; where none applies, the judge goes on. No model.
"""

import re

from engine.backends.entailment.answers import words

# A kind of place or body behind or before a name: "New York State" is not "New York City".
KINDS = frozenset(
    """city state county province district prefecture republic river lake island bay sea university college airport
    station hospital bridge mountain""".split()
)
SMALL = frozenset("of the and for in on to a an &".split())
INITIALS = re.compile(r"[A-Z]{3,8}")
LONGEST = 16
WON = re.compile(
    r"^(?P<one>.{1,60}?)\s(?:(?:has|have|had)\s)?(?:beat|beats|defeated|defeats|overcame|outscored|thrashed)\s(?P<other>.{1,60}?)"
    r"(?=\s(?:by|in|on|at|with|to|after|during|for|\d)\b|[\d,;:(.–—]|$)",
    re.IGNORECASE,
)
LOST = re.compile(
    r"^(?P<other>.{1,60}?)\s(?:lost (?:\S+\s)?to|fell to|(?:was|were) (?:beaten|defeated) by)\s(?P<one>.{1,60}?)"
    r"(?=\s(?:by|in|on|at|with|after|during|for|\d)\b|[\d,;:(.–—]|$)",
    re.IGNORECASE,
)
ASKS_LOSER = frozenset("lose loses lost loser beaten defeat defeated beat runner runners second".split())


def by_form_of_names(premise: str, hypothesis: str, question: tuple[str, ...]) -> str:
    """Return "same", "other" or "" for two short answers, by how their names are written."""
    if max(len(premise.split()), len(hypothesis.split())) > LONGEST:
        return ""
    if is_short_for(premise, hypothesis) or is_short_for(hypothesis, premise):
        return "same"
    return "other" if other_kinds(premise, hypothesis) or other_sides(premise, hypothesis, question) else ""


def is_short_for(short: str, name: str) -> bool:
    """Return whether a text of capitals is the initials of a name of three words or more.

    >>> is_short_for("SCNT", "somatic cell nuclear transfer"), is_short_for("SCN", "somatic cell nuclear transfer")
    (True, False)
    """
    plain = re.sub(r"^[Tt]he\s", "", short.strip(' .!"“”')).replace(".", "")
    parts = re.findall(r"[^\W_]+", name)
    initials = ("".join(part[0] for part in chosen).upper() for chosen in (parts, bearing_parts(parts)))
    return INITIALS.fullmatch(plain) is not None and len(parts) >= len("abc") and plain in initials


def bearing_parts(parts: list[str]) -> list[str]:
    """Return the words of a name without the small ones."""
    return [part for part in parts if part.casefold() not in SMALL]


def other_kinds(one: str, other: str) -> bool:
    """Return whether two names are one but for the kind of place that each says.

    >>> other_kinds("New York State", "New York City"), other_kinds("New York", "New York City")
    (True, False)
    >>> other_kinds("the state of New York", "the City of New York"), other_kinds("Lake Erie", "the lake of Erie")
    (True, False)
    """
    bare = [[word for word in words(text) if word not in SMALL] for text in (one, other)]
    kinds = [KINDS & set(found) for found in bare]
    names = [tuple(word for word in found if word not in KINDS) for found in bare]
    return bool(names[0]) and names[0] == names[1] and all(kinds) and kinds[0].isdisjoint(kinds[1])


def other_sides(one: str, other: str, question: tuple[str, ...]) -> bool:
    """Return whether two answers exchange winner and loser, or one names as the answer who lost in the other.

    Not where the question asks for the loser.

    >>> other_sides("Team B beat Team A", "Team A beat Team B", ()), other_sides("Team A", "Team B beat Team A", ())
    (True, True)
    >>> other_sides("Team B", "Team B beat Team A", ()), other_sides("Team A", "Team B beat Team A", ("lost",))
    (False, False)
    """
    here, there = result_of(one), result_of(other)
    if here and there:
        return here[0] == there[1] and here[1] == there[0]
    told = here or there
    if not told or ASKS_LOSER & set(question):
        return False
    return named(other if here else one) == told[1] != told[0]


def result_of(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return who won and who lost, as words, None where a text does not say it.

    >>> result_of("The Reds lost to the Blues in 1990.")
    (('blues',), ('reds',))
    """
    found = WON.match(text.strip()) or LOST.match(text.strip())
    if found is None:
        return None
    sides = named(found["one"]), named(found["other"])
    return sides if all(sides) else None


def named(text: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, a single capital too: "Team A" is not "Team B"."""
    return tuple(word for word in re.findall(r"\w+", text.casefold()) if word != "the")


def repeats_what_is_asked(text: str, question: tuple[str, ...]) -> bool:
    """Return whether an answer only repeats the words behind "which" or "what" that its question asks to tell apart.

    >>> repeats_what_is_asked("John Carrow", ("which", "john", "carrow", "wrote", "it"))
    True
    >>> repeats_what_is_asked("the Nile", ("which", "is", "longer", "the", "nile", "or", "the", "volga"))
    False
    """
    said = tuple(word for word in words(text) if word not in SMALL)
    return bool(said) and any(
        question[place + 1 : place + 1 + len(said)] == said
        for place, word in enumerate(question)
        if word in ("which", "what")
    )
