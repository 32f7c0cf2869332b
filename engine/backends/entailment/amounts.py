"""Answers that are an amount or a time, as an interval of a unit: "before 1912", "41 feet", "3 million dollars".

Two such answers are compared as intervals: inside entails, apart contradicts, and what only overlaps is neutral. 41
feet are not 41 metres, but they are 12.5 metres. Of an interval without an end only what lies within reach of its bound
is inside: 52 answers "at least 40", but 4 million does not answer "over 50,000", nor does "over 50,000" say "over
24,000". An answer that says anything besides is left to the encoder.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import inf

from engine.backends.entailment.answers import CARRIERS, MONTHS, is_number, words
from engine.backends.entailment.spoken_amounts import in_numbers

UNITS: dict[str, tuple[str, float]] = {
    word: (dimension, factor)
    for dimension, table in {
        "length": {"mm millimetre millimeter": 0.001, "cm centimetre centimeter": 0.01, "m metre meter": 1.0,
                   "km kilometre kilometer": 1000.0, "inch inche": 0.0254, "ft feet foot": 0.3048, "yard yd": 0.9144,
                   "mile mi": 1609.344},
        "mass": {"mg milligram": 1e-6, "g gram": 0.001, "kg kilogram kilo": 1.0, "tonne": 1000.0, "lb pound": 0.4536,
                 "ounce oz": 0.02835},
        "time": {"second sec": 1.0, "minute min": 60.0, "hour hr h": 3600.0, "day": 86400.0, "week": 604800.0,
                 "month": 2629800.0, "year yr": 31557600.0, "decade": 315576000.0, "century centurie": 3155760000.0},
        "area": {"hectare ha": 1e4, "acre": 4046.86},
        "volume": {"millilitre milliliter ml": 0.001, "litre liter l": 1.0, "gallon": 3.785, "pint": 0.568},
        "speed": {"kmh kph": 1.0, "mph": 1.609, "knot": 1.852},
        "dollars": {"dollar usd": 1.0, "cent": 0.01}, "euros": {"euro": 1.0}, "yen": {"yen": 1.0},
        "share": {"percent": 1.0}, "celsius": {"celsius": 1.0}, "fahrenheit": {"fahrenheit": 1.0},
        "kelvin": {"kelvin": 1.0}, "degrees": {"degree": 1.0}, "rate": {"yearly": 1.0}, "clock": {"clock": 1.0},
    }.items()
    for names, factor in table.items()
    for word in names.split()
}  # fmt: skip
MULTIPLES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
SIGNS = (("$", " dollars "), ("€", " euros "), ("£", " pounds sterling "), ("%", " percent "), ("per cent", "percent"),
         ("km/h", "kmh"), ("°c", " celsius "), ("°f", " fahrenheit "), ("° c", " celsius "), ("miles per hour", "mph"),
         ("degrees celsius", "celsius"), ("degrees fahrenheit", "fahrenheit"), ("centigrade", "celsius"),
         ("an hour and a half", "90 minutes"), ("a year and a half", "18 months"), ("half of them", "50 percent"),
         ("kilometres per hour", "kmh"), ("kilometers per hour", "kmh"), ("degrees", "degree"))  # fmt: skip
SIGN_FIRST = re.compile(r"([$€£])\s?(\d[\d.,]*(?:\s(?:thousand|million|billion|trillion))?)")
BELOW = r"(?:before|prior to|earlier than|less than|fewer than|under|below|not quite|not yet)"
ABOVE = r"(?:(?<!no )(?<!not )(?:later than|more than)|not until after|after|over|above|exceeding|in excess of)"
UP_TO = r"(?:no later than|not after|by|at most|up to|no more than|not more than|until at most)"
FROM = r"(?:not before|at least|no less than|no fewer than|not less than|no earlier than|or more)"
ABOUT = r"(?:about|around|approximately|roughly|circa|c|ca|some|nearly|almost|close to)"
RELATIONS = (("up to", UP_TO), ("from", FROM), ("below", BELOW), ("above", ABOVE), ("about", ABOUT))
IDLE = frozenset(
    """time times year ad ce latest earliest point old long tall high away in total sterling number
    every each""".split()
)
LONGEST, LONGEST_TEXT = 12, 240
RANGE = rf"\b(between|from)\b.*\b(and|to)\b|\d(?: (?:{'|'.join(MULTIPLES)}))? ?(?:[–-]|\bto\b) ?\d"
NUMBER = r"-?\d+(\.\d+)?"
YEAR = r"1\d{3}|20\d\d"
PARTS_OF_PERIODS = {
    "early": (0.0, 0.4), "mid": (0.3, 0.7), "late": (0.6, 1.0), "firsthalf": (0.0, 0.5), "secondhalf": (0.5, 1.0),
    "firstquarter": (0.0, 0.25), "secondquarter": (0.25, 0.5), "thirdquarter": (0.5, 0.75), "lastquarter": (0.75, 1.0),
    "firstthird": (0.0, 0.34), "lastthird": (0.66, 1.0),
}  # fmt: skip
CLOSE, DATE_CLOSE, SHARE_CLOSE = 0.02, 2.0, 3.0
# Every two weeks is twice a month, and every four weeks monthly; eleven times a year is not.
RATE_CLOSE = 0.082
# How far from the bound of an endless interval an answer may lie: a factor, or years. A choice: people called 8 of 8
# answers at such a bound right, and 0 of 7 away from it (train questions).
REACH, REACH_YEARS = 1.5, 10.0
# "By 1912" says of something that it was so in 1912: people called no other year right, not even 1910.
BY_YEARS = 1.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An interval [low, high] of a dimension; an open end does not belong to it. ``things`` are the things counted."""

    dimension: str
    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    about: bool = False
    things: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def read_amount(text: str, question: tuple[str, ...]) -> Amount | None:
    """Return the amount or time that an answer is, None where it says anything else besides or is none.

    >>> read_amount("before 1912", ("when",))
    Amount(dimension='date', low=-inf, high=1912.0, open_low=False, open_high=True, about=False, things=frozenset())
    """
    if len(text) > LONGEST_TEXT:
        return None
    text = in_numbers(text, question)
    plain = signs_as_words(text)
    if re.search(r"\d{4}\s?[–-]\s?\d{1,2}(?![\d-])", plain):
        return None
    found = with_century(list(words(plain)), question)
    if len(found) > LONGEST or not (any(map(is_number, found)) or names_month(text)):
        return None
    relation = next((name for name, pattern in RELATIONS if re.search(rf"\b{pattern}\b", plain)), "")
    spans = date_spans(found) or day_spans(found, text) or quantity_spans(found)
    if not spans or len(spans) > 2 or len({span.dimension for span in spans}) > 1:
        return None
    if len(spans) == 2 and not re.search(RANGE, f"{plain} {' '.join(found)}"):
        return None
    left = frozenset(word for word in rest(found) if word not in question and word not in CARRIERS | IDLE)
    left -= frozenset(re.findall(r"\w+", " ".join(re.findall("|".join(p for _, p in RELATIONS), plain))))
    if left - {"between", "or", "not", "no", "until", "since", "more"} and (
        spans[0].dimension not in ("count", "day") or len(left) > 1
    ):
        return None
    whole = replace(spans[0], high=spans[-1].high)
    return bounded(whole, relation) if whole.low <= whole.high else None


def with_century(found: list[str], question: tuple[str, ...]) -> list[str]:
    """Return an answer's words with the century that "which century" lets it leave out ("the 19th").

    >>> with_century(["19"], ("in", "which", "century")), with_century(["1880"], ("in", "which", "century"))
    (['19', 'century'], ['1880'])
    """
    asked = any(pair in (("what", "century"), ("which", "century")) for pair in pairwise(question))
    bare = [word for word in found if word not in CARRIERS]
    return [*bare, "century"] if asked and len(bare) == 1 and bare[0].isdigit() and 1 <= int(bare[0]) <= 21 else found


def signs_as_words(text: str) -> str:
    """Return the text in lower case with signs of units as words, and a number apart from its unit."""
    plain = SIGN_FIRST.sub(r"\2 \1", text.casefold())
    for sign, word in SIGNS:
        plain = plain.replace(sign, word)
    return re.sub(r"(?<=\d)(?=(?:km|kmh|mph|cm|mm|kg|ft|m|g|l|lb|h)\b)", " ", plain)


def rest(found: list[str]) -> list[str]:
    """Return the words that are neither numbers, months, multiples nor units."""
    dated = {*PARTS_OF_PERIODS, "century", "centuries", *MONTHS}
    return [word for word in found if not (is_number(word) or word in dated or word in MULTIPLES or unit_of(word))]


def unit_of(word: str) -> tuple[str, float] | None:
    """Return the dimension and factor of a unit's name, in singular or plural."""
    return UNITS.get(word) or UNITS.get(word.removesuffix("s"))


def date_spans(found: list[str]) -> list[Amount]:
    """Return the years, decades, centuries, months and days that words name, as spans in years.

    A number of three digits is a year in a span with one of four: "between 975 and 1025".
    """
    spans = []
    between = {"between", "from"} & set(found) and any(re.fullmatch(YEAR, word) for word in found)
    early = r"|[1-9]\d\d" if between else ""
    for place, word in enumerate(found):
        before = found[max(0, place - 3) : place]
        if re.fullmatch(YEAR + early, word) and not (found[place + 1 :] and unit_of(found[place + 1])):
            spans.append(year_span(float(word), before, found[place + 1 : place + 3]))
        elif re.fullmatch(r"(1\d|20)\d0s", word):
            spans.append(part_of(float(word[:-1]), 10.0, before))
        elif word.isdigit() and found[place + 1 : place + 2] in (["century"], ["centuries"]) and int(word) <= 21:
            spans.append(part_of((int(word) - 1) * 100.0, 100.0, before))
    return spans


def names_month(text: str) -> bool:
    """Return whether a month stands in a text; "may" is one with a capital letter, but not as the first of more words.

    >>> names_month("in May"), names_month("May they"), names_month("it may be")
    (True, False, False)
    """
    found = words(text)
    others = not set(MONTHS).difference({"may"}).isdisjoint(found)
    return others or bool(re.search(r"\S\s+May\b|^\W*May\b(?=\W*$|\s\d|,? \(?(?:or|and|to)\b)", text))


def day_spans(found: list[str], text: str) -> list[Amount]:
    """Return the only month, or day of a month, that words name without a year, in months from the year's beginning.

    [] where a number stands elsewhere: "the first Monday of May", "two days before 25 December".
    """
    named = [place for place, word in enumerate(found) if word in MONTHS]
    if len(named) != 1 or not names_month(text):
        return []
    around = (*found[: named[0]][-2 if found[: named[0]][-1:] == ["of"] else -1 :][:1], *found[named[0] + 1 :][:1])
    days = [int(word) for word in around if word.isdigit() and 1 <= int(word) <= 31]
    if len(days) > 1 or len(days) != sum(map(is_number, found)):
        return []
    start = MONTHS.index(found[named[0]])
    if days:
        at = start + (days[0] - 1) / 32
        return [Amount(dimension="day", low=at, high=at)]
    low, high = part_named(found)
    return [Amount(dimension="day", low=start + low, high=start + high - 0.01)]


def year_span(year: float, before: list[str], behind: list[str]) -> Amount:
    """Return a year as a span, or the month or day of it that stands beside it."""
    month = next((word for word in before if word in MONTHS), None)
    if month is None:
        return Amount(dimension="date", low=year, high=year + 0.999)
    start = year + MONTHS.index(month) / 12
    day = next((int(word) for word in before if word.isdigit() and 1 <= int(word) <= 31), None)
    if day is None:
        return Amount(dimension="date", low=start, high=start + 0.08)
    at = start + (day - 1) / 400
    return Amount(dimension="date", low=at, high=at)


def part_named(found: list[str]) -> tuple[float, float]:
    """Return the first part of a period that words name, as shares of it: all of it where they name none.

    >>> part_named(["late"]), part_named(["in", "the"])
    ((0.6, 1.0), (0.0, 1.0))
    """
    return next((PARTS_OF_PERIODS[word] for word in found if word in PARTS_OF_PERIODS), (0.0, 1.0))


def part_of(start: float, length: float, before: list[str]) -> Amount:
    """Return a decade or century, or the part of it that is named."""
    low, high = part_named(before)
    return Amount(dimension="date", low=start + low * length, high=start + high * length - 0.001)


def quantity_spans(found: list[str]) -> list[Amount]:
    """Return the numbers that words name, each in the base of its unit; a number without one is a count."""
    spans = []
    last = 0
    for place in range(len(found)):
        if place < last or not re.fullmatch(NUMBER, found[place]):
            continue
        value, last = number_at(found, place)
        after = found[last : last + 3]
        square = bool(after) and after[0] in ("square", "cubic")
        named = unit_of(after[1] if square and len(after) > 1 else after[0]) if after else None
        dimension, factor = named or ("count", 1.0)
        if square and named:
            dimension, factor = f"{after[0]} {dimension}", factor ** (2 if after[0] == "square" else 3)
            dimension = "area" if dimension == "square length" else dimension
        if "sterling" in found:
            dimension, factor = "pounds", 1.0
        counted = dimension == "count" and bool(after) and after[0] not in CARRIERS and not is_number(after[0])
        things = frozenset(after[:1]) if counted else frozenset()
        spans.append(Amount(dimension=dimension, low=value * factor, high=value * factor, things=things))
    return spans


def number_at(found: list[str], place: int) -> tuple[float, int]:
    """Return the number that begins at a place, with its multiples, and the place behind it.

    >>> number_at("2 hundred and 50 thousand men".split(), 0), number_at("1 million 200 thousand".split(), 0)
    ((250000.0, 5), (1200000.0, 4))
    >>> number_at("between 2 hundred and 3 hundred".split(), 1), number_at("3 million and 4 million".split(), 0)
    ((200.0, 3), (3000000.0, 2))
    """
    whole, smallest, following = 0.0, inf, place
    while following >= 0:
        value, scale, behind = scaled(found, following)
        if value * scale >= smallest:
            break
        whole, smallest, place = whole + value * scale, scale, behind
        following = next_number(found, place) if scale > 1.0 else -1
    return whole, place


def next_number(found: list[str], place: int) -> int:
    """Return the place of the number that stands there or behind an "and", -1 for none; "between" parts what it joins.

    >>> next_number(["200", "and", "50"], 1), next_number(["between", "200", "and", "50"], 2)
    (2, -1)
    """
    place += found[place : place + 1] == ["and"] and "between" not in found
    return place if place < len(found) and re.fullmatch(NUMBER, found[place]) else -1


def scaled(found: list[str], place: int) -> tuple[float, float, int]:
    """Return a number up to hundreds, the multiple behind it, and the place behind both.

    >>> scaled("2 hundred and 50 thousand men".split(), 0), scaled("12 men".split(), 0)
    ((250.0, 1000.0, 5), (12.0, 1.0, 1))
    """
    value, place = float(found[place]), place + 1
    if found[place : place + 1] == ["hundred"]:
        value, place = value * MULTIPLES["hundred"], place + 1
        small = next_number(found, place)
        if small >= 0 and float(found[small]) < MULTIPLES["hundred"] and found[small + 1 : small + 2] != ["hundred"]:
            value, place = value + float(found[small]), small + 1
    scale = MULTIPLES.get(found[place], 1.0) if place < len(found) else 1.0
    return value, scale, place + (scale > 1.0)


def bounded(amount: Amount, relation: str) -> Amount:
    """Return an amount as its relation bounds it: "before", "at least", "about"."""
    if relation == "below":
        return replace(amount, low=-inf, high=amount.low, open_high=True)
    if relation == "above":
        return replace(amount, low=amount.high, high=inf, open_low=True)
    if relation == "up to":
        return replace(amount, low=-inf)
    if relation == "from":
        return replace(amount, high=inf)
    return replace(amount, about=relation == "about")


def by_amounts(premise: Amount, hypothesis: Amount) -> str:
    """Return how the premise lies to the hypothesis: "same", "inside", "around", "apart", "overlaps" or "".

    "overlaps" too where the premise lies far from the bound of a hypothesis without an end. "" where one has a unit and
    the other none, where they count different things, or where the premise is a year and the hypothesis a part of it,
    which people often call the same.
    """
    premise, hypothesis = in_one_currency(premise, hypothesis), in_one_currency(hypothesis, premise)
    if premise.dimension != hypothesis.dimension:
        if {premise.dimension, hypothesis.dimension} == {"count", "share"} and (premise.things | hypothesis.things):
            return "apart"
        dimensions = {premise.dimension, hypothesis.dimension}
        return "" if {"count", "degrees"} & dimensions or dimensions <= {"date", "day", "clock"} else "apart"
    if premise.things and hypothesis.things and premise.things != hypothesis.things:
        return ""
    slack = slack_of(premise, hypothesis)
    if abs(premise.low - hypothesis.low) <= slack and abs(premise.high - hypothesis.high) <= slack:
        return "same"
    if premise.low == hypothesis.low and premise.high == hypothesis.high:
        return "same"
    if is_apart(premise, hypothesis, slack) or is_apart(hypothesis, premise, slack):
        return "apart"
    if hypothesis.low - slack <= premise.low and premise.high <= hypothesis.high + slack:
        return "inside" if is_within_reach(premise, hypothesis) else "overlaps"
    if premise.dimension == "date" and premise.high - premise.low <= 1.0:
        return ""
    return "around" if premise.low <= hypothesis.low and hypothesis.high <= premise.high else "overlaps"


def is_within_reach(premise: Amount, hypothesis: Amount) -> bool:
    """Return whether an amount lies not far from the bound of one without an end; True where that has both ends.

    >>> over = Amount(dimension="count", low=50_000.0, high=inf, open_low=True)
    >>> [is_within_reach(Amount(dimension="count", low=n, high=n), over) for n in (51_331.0, 4_000_000.0)]
    [True, False]
    """
    if inf not in (hypothesis.high, -hypothesis.low):
        return True
    upward = hypothesis.high == inf
    bound, end = (hypothesis.low, premise.low) if upward else (hypothesis.high, premise.high)
    if hypothesis.dimension == "date":
        return abs(end - bound) <= (REACH_YEARS if hypothesis.open_low or hypothesis.open_high else BY_YEARS)
    nearer, farther = sorted((abs(bound), abs(end)))
    return farther <= nearer * REACH


def in_one_currency(one: Amount, other: Amount) -> Amount:
    """Return an amount whose "pounds" were read as a weight as money, where the other amount is in pounds sterling."""
    if (one.dimension, other.dimension) != ("mass", "pounds"):
        return one
    weight = UNITS["pound"][1]
    return replace(one, dimension="pounds", low=one.low / weight, high=one.high / weight)


def slack_of(one: Amount, other: Amount) -> float:
    """Return by how much two ends may differ and be one: where "about" is said, and by rounding between units."""
    ends = [abs(end) for end in (one.low, one.high, other.low, other.high) if abs(end) != inf]
    if one.dimension == "date":
        return DATE_CLOSE if one.about or other.about else 0.0
    if one.dimension == "share":
        return SHARE_CLOSE if one.about or other.about else rounding_of(ends)
    if one.dimension == "rate":
        return max(ends) * RATE_CLOSE
    rounded = one.dimension not in ("count", "day", "clock")
    return max(ends, default=0.0) * (CLOSE if one.about or other.about or rounded else 0.0)


def rounding_of(shares: list[float]) -> float:
    """Return by how much a fraction's percent may be rounded: two thirds are 67 percent, but 66.7 are not 67.

    >>> rounding_of([66.667, 67.0]), rounding_of([66.7, 67.0]), rounding_of([66.667, 66.7])
    (0.5, 0.0, 0.05)
    """
    places = [len(f"{share:g}".partition(".")[2]) for share in shares]
    return 0.5 * 10.0 ** -min(places) if max(places, default=0) > 1 else 0.0


def is_apart(lower: Amount, upper: Amount, slack: float) -> bool:
    """Return whether an interval ends before another begins."""
    if lower.high + slack < upper.low:
        return True
    return lower.high == upper.low and (lower.open_high or upper.open_low)
