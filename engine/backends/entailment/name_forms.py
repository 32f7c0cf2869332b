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
# No two of these are one, nor does one hold another: "Cambridge, Massachusetts" is not "Cambridge, England".
STATES = frozenset(
    """alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|
    indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|
    nebraska|nevada|new hampshire|new jersey|new mexico|new york|north carolina|north dakota|ohio|oklahoma|oregon|
    pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|
    west virginia|wisconsin|wyoming|england|scotland|wales|northern ireland|france|germany|italy|spain|india|china|
    japan|ontario|quebec|alberta|manitoba|saskatchewan|british columbia|nova scotia|new brunswick""".replace(
        "\n    ", ""
    ).split("|")
)
# Each has a city of its name: the one is no more said by the other than a whole by its part.
NAMESAKES = frozenset("mexico guatemala panama quebec kansas oklahoma iowa kuwait luxembourg utah nevada".split())
IN = re.compile(r" in (?=[A-ZÀ-Þ])")
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
    """Return "same", "other", "part" or "" for two short answers, by how their names are written."""
    if max(len(premise.split()), len(hypothesis.split())) > LONGEST:
        return ""
    if is_short_for(premise, hypothesis) or is_short_for(hypothesis, premise):
        return "same"
    found = by_places(premise, hypothesis)
    if found:
        return found
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


def by_places(premise: str, hypothesis: str) -> str:
    """Return "other" for two places of one name, "part" where a place only lies in the one that is named, else "".

    >>> by_places("Kansas City, Missouri", "Kansas City, Kansas"), by_places("New Mexico", "Mexico")
    ('other', 'other')
    >>> by_places("Kansas City, Missouri", "Kansas"), by_places("Granada in Spain", "Spain")
    ('other', '')
    >>> by_places("Albany, New York", "New York City"), by_places("Mexico", "Mexico City")
    ('part', 'part')
    >>> by_places("Paris, France", "France"), by_places("New York", "New York City")
    ('', '')
    """
    one, other = (tuple(map(place_words, IN.sub(", ", text).split(","))) for text in (premise, hypothesis))
    if not all(one) or not all(other):
        return ""
    states = [" ".join(named[-1]) for named in (one, other)]
    if len(one) == len(other) == 2 and one[0] == other[0]:
        return "other" if states[0] != states[1] and STATES.issuperset(states) else ""
    if is_new_one(one[0], other[0]) or is_new_one(other[0], one[0]):
        return "other" if len(one) == len(other) == 1 else ""
    if {len(one), len(other)} == {1, 2}:
        longer, (city,) = (one, other) if len(one) == 2 else (other, one)
        if {" ".join(city), " ".join(longer[1])} <= STATES and city != longer[1]:
            return "other"
        return "part" if city == (*longer[1], "city") and longer[0] not in (longer[1], city) else ""
    whole = len(one) == len(other) == 1 and other[0] == (*one[0], "city") and states[0] in NAMESAKES
    return "part" if whole else ""


def place_words(text: str) -> tuple[str, ...]:
    """Return the words of a place without the small ones; () where it is not written as a name.

    >>> place_words("the State of New York"), place_words("a city"), place_words("in Selm")
    (('state', 'new', 'york'), (), ('selm',))
    """
    bare = [part for part in re.findall(r"[^\W\d_][^\W_'’.-]*", text) if part.casefold() not in SMALL | {"at", "near"}]
    return tuple(words(" ".join(bare))) if bare and all(part[0].isupper() for part in bare) else ()


def is_new_one(name: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Return whether a place is the new one of another's name: New Mexico is not Mexico. New Delhi lies in Delhi.

    >>> is_new_one(("new", "south", "wales"), ("wales",)), is_new_one(("new", "delhi"), ("delhi",))
    (True, False)
    """
    return name[0] == "new" and "new" not in old and old != ("delhi",) and old == name[-len(old) :] != name


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
