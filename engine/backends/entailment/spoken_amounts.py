"""Shares, rates, times of day, feasts and spans of years in words, rewritten as numbers of a unit.

"Two thirds", "twice a year", "half past nine in the evening", "Christmas Eve" and "1914–18" say numbers without writing
them. Rewritten, they are compared as intervals like any amount. What a question does not ask for is left as it is: "a
third" may be the one after the second.
"""

import re

from engine.backends.entailment.answers import words

ASKS_SHARE = frozenset("percent percentage proportion share fraction part portion many much".split())
ASKS_RATE = frozenset("often frequently frequency regularly".split())
ASKS_TIME = frozenset("when time hour".split())
ASKS_COUNT = frozenset("many number".split())

PARTS = {"hal": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
         "tenth": 10}  # fmt: skip
PART = re.compile(
    rf"(?<!\band )(?<!\band a )\b(?:(?P<many>an?|one|two|three|four|five|six|seven|eight|nine|\d)[ -])?"
    rf"(?P<part>{'|'.join(PARTS)})(?:f|ves|s)?\b",
    re.IGNORECASE,
)
ODDS = re.compile(r"\b(?P<many>\w+) (?:in|out of) (?:every |each )?(?P<all>\w+)\b(?! percent)", re.IGNORECASE)

PER_YEAR = {"second": 31557600.0, "minute": 525960.0, "hour": 8766.0, "day": 365.25, "week": 52.18, "fortnight": 26.09,
            "month": 12.0, "quarter": 4.0, "year": 1.0, "decade": 0.1, "century": 0.01}  # fmt: skip
ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "fortnightly": "fortnight", "monthly": "month",
           "quarterly": "quarter", "yearly": "year", "annually": "year"}  # fmt: skip
TIMES = r"(?:(?P<times>once|twice|thrice|\w+ times?)[ -])"
PERIOD = "|".join(PER_YEAR)
RATE = re.compile(rf"\b{TIMES}(?:an?|per|each|every|in an?) (?P<period>{PERIOD})\b", re.IGNORECASE)
EVERY = re.compile(rf"\b{TIMES}?(?:every|each) (?:(?P<gap>\w+)[ -])?(?P<period>{PERIOD})s?\b", re.IGNORECASE)
ADVERB = re.compile(rf"\b{TIMES}?(?P<adverb>{'|'.join(ADVERBS)})\b", re.IGNORECASE)

DIGITS = r"(?P<hour>\d\d?)(?:[:.](?P<minute>[0-5]\d))?"
HALF_OF_DAY = r"(?P<half>[ap]\.?m\b\.?|in the (?:morning|afternoon|evening)|at night)"
CLOCK = re.compile(rf"(?<![\d:.,]){DIGITS}(?: o['’]clock)?\s?{HALF_OF_DAY}", re.IGNORECASE)
FULL_DAY = re.compile(r"(?<![\d:.,])(?P<hour>[01]\d|2[0-3]|0):(?P<minute>[0-5]\d)(?![\d:])")
HOUR_WORDS = {word: n for n, word in enumerate(
    "one two three four five six seven eight nine ten eleven twelve".split(), start=1)}  # fmt: skip
SPOKEN = re.compile(
    rf"\b(?:(?:a )?(?P<past>half past|quarter past|quarter to) )?(?P<hour>{'|'.join(HOUR_WORDS)}|\d\d?)"
    rf"(?: o['’]clock)? {HALF_OF_DAY}",
    re.IGNORECASE,
)
PAST = {"half past": 30, "quarter past": 15, "quarter to": -15}
NAMED_TIMES = {"noon": 720, "midday": 720, "midnight": 0}
NAMED_TIME = re.compile(rf"\b(?:12 )?({'|'.join(NAMED_TIMES)})\b", re.IGNORECASE)

FEASTS = {
    r"christmas eve": "24 December", r"christmas(?: day)?": "25 December", r"boxing day": "26 December",
    r"new year['’]?s eve": "31 December", r"new year['’]?s day": "1 January", r"epiphany": "6 January",
    r"(?:st\.? |saint )?valentine['’]?s day": "14 February", r"(?:st\.? |saint )patrick['’]?s day": "17 March",
    r"april fools['’]?(?: day)?": "1 April", r"bastille day": "14 July", r"hallowe['’]?en": "31 October",
    r"all saints['’]? day": "1 November", r"all souls['’]? day": "2 November",
}  # fmt: skip
FEAST = re.compile(rf"\b(?:{'|'.join(f'(?P<f{n}>{pattern})' for n, pattern in enumerate(FEASTS))})\b", re.IGNORECASE)
YEARS = re.compile(r"\b(?P<century>[12]\d)(?P<first>\d\d)\s?(?P<dash>[–-])\s?(?P<last>\d\d)(?![\d-])")

MAGNITUDES = {"k": "thousand", "m": "million", "mn": "million", "mio": "million", "b": "billion", "bn": "billion",
              "tn": "trillion"}  # fmt: skip
MAGNITUDE = re.compile(
    r"(?<=\d)\s?(?P<long>bn|mn|mio|tn)\b|(?P<money>[$€£]\s?\d[\d.,]*)\s?(?P<short>[kmb])\b", re.IGNORECASE
)
DOLLARS = re.compile(r"\bUS ?\$|\b(?:U\.?S\.?|American) (?=dollars?\b)", re.IGNORECASE)
ONE = re.compile(r"\ba (?=(?:hundred|thousand|million|billion|trillion)\b)", re.IGNORECASE)
SCALES = "hundred|thousand|million|billion|trillion"
HALF_OF = re.compile(rf"\bhalf an? (?=(?:{SCALES})\b)", re.IGNORECASE)
HALF_MORE = re.compile(rf"\b(?P<number>\w+) (?P<scale>{SCALES}) and a half\b", re.IGNORECASE)
SHARED = re.compile(
    r"\b(?P<low>\d[\d.,]*|\w+)\s?(?P<to>–|-|\bto\b)\s?(?P<high>\d[\d.,]*|\w+) "
    r"(?P<scale>hundred|thousand|million|billion|trillion)\b",
    re.IGNORECASE,
)
PARTS_OF_TIME = {
    "first half": "firsthalf", "second half": "secondhalf", "latter half": "secondhalf", "last half": "secondhalf",
    "first quarter": "firstquarter", "second quarter": "secondquarter", "third quarter": "thirdquarter",
    "fourth quarter": "lastquarter", "last quarter": "lastquarter", "final quarter": "lastquarter",
    "first third": "firstthird", "last third": "lastthird", "final third": "lastthird",
    "beginning": "early", "start": "early", "dawn": "early", "first years": "early", "middle": "mid",
    "end": "late", "close": "late", "last years": "late", "final years": "late",
}  # fmt: skip
PART_OF_TIME = re.compile(
    rf"\b(?:the )?(?P<part>{'|'.join(PARTS_OF_TIME)}) of (?:the )?(?=[\w-]+ century\b|1\d\d0s|20\d0s)", re.IGNORECASE
)
NOBODY = re.compile(
    r"^\W*(?:none|nobody|no[ -]one|not (?:a single )?one|zero)(?: of (?:them|these|those))?\W*$", re.IGNORECASE
)
PAIR = re.compile(r"\ban? (?P<word>couple|pair|dozen)\b(?: of\b)?|\bhalf a dozen\b", re.IGNORECASE)
COUNTED = {"couple": "2", "pair": "2", "dozen": "12", None: "6"}


def in_numbers(text: str, question: tuple[str, ...]) -> str:
    """Return the text with what it says in words as numbers, where the question's words ask for that kind.

    >>> in_numbers("about two-thirds", ("what", "share")), in_numbers("a third", ("which", "son"))
    ('about 66.667 percent', 'a third')
    >>> in_numbers("twice a year", ("how", "often")), in_numbers("every six months", ("how", "often"))
    ('2 yearly', '2 yearly')
    >>> in_numbers("half past nine in the evening", ()), in_numbers("at 9:30 p.m.", ()), in_numbers("midnight", ())
    ('1290 clock', 'at 1290 clock', '0 clock')
    >>> in_numbers("US$3.4bn", ()), in_numbers("a hundred thousand", ()), in_numbers("end of the 13th century", ())
    ('$3.4 billion', '1 hundred thousand', 'late 13th century')
    >>> in_numbers("2 to 3 million", ())
    '2 million to 3 million'
    >>> in_numbers("Christmas Eve 1914", ()), in_numbers("1914–18", ()), in_numbers("nobody", ("how", "many"))
    ('24 December 1914', '1914–1918', '0')
    """
    text = FEAST.sub(feast_day, YEARS.sub(whole_years, text))
    text = PART_OF_TIME.sub(lambda found: f"{PARTS_OF_TIME[found['part'].lower()]} ", text)
    text = ONE.sub("1 ", HALF_OF.sub("0.5 ", MAGNITUDE.sub(magnitude, DOLLARS.sub(dollars, text))))
    text = SHARED.sub(both_scaled, HALF_MORE.sub(half_more, text))
    text = with_clock(text, question)
    asked = frozenset(question)
    if asked & ASKS_RATE:
        text = ADVERB.sub(rate_of_adverb, RATE.sub(rate, EVERY.sub(rate, text)))
    if asked & ASKS_COUNT:
        text = NOBODY.sub("0", PAIR.sub(lambda found: COUNTED[found["word"] and found["word"].lower()], text))
    if asked & ASKS_SHARE:
        text = ODDS.sub(share_of_odds, PART.sub(share_of_parts, text))
    return text


def magnitude(found: re.Match[str]) -> str:
    """Return "$3.4bn" or "3mn" with its magnitude as a word; "5m" without a sign of money may be metres."""
    return f"{found['money'] or ''} {MAGNITUDES[(found['long'] or found['short']).lower()]}"


def both_scaled(found: re.Match[str]) -> str:
    """Return "2 to 3 million" with its magnitude at both ends."""
    if None in (number_in(found["low"]), number_in(found["high"])):
        return found.group()
    return f"{found['low']} {found['scale']} {found['to']} {found['high']} {found['scale']}"


def half_more(found: re.Match[str]) -> str:
    """Return "a million and a half" as 1.5 million."""
    number = number_in(found["number"])
    return found.group() if number is None else f"{shown(number + 0.5)} {found['scale']}"


def dollars(found: re.Match[str]) -> str:
    """Return dollars of the United States as dollars."""
    return "$" if "$" in found.group() else ""


def feast_day(found: re.Match[str]) -> str:
    """Return the day and month of a feast."""
    return list(FEASTS.values())[int(str(found.lastgroup)[1:])]


def whole_years(found: re.Match[str]) -> str:
    """Return a span of years with both in full; "2004-05" may be a month, and "2014–15" a season: they stay."""
    forward = int(found["last"]) > int(found["first"]) + 1
    open_to_doubt = found["dash"] == "-" and int(found["last"]) <= len("JFMAMJJASOND")
    if not forward or open_to_doubt:
        return found.group()
    return f"{found['century']}{found['first']}–{found['century']}{found['last']}"


def number_in(text: str) -> float | None:
    """Return the number that a word is, in digits or not, None where it is none.

    >>> number_in("Six"), number_in("2.5"), number_in("some")
    (6.0, 2.5, None)
    """
    found = words(text)
    return float(found[0]) if len(found) == 1 and re.fullmatch(r"\d+(\.\d+)?", found[0]) else None


def shown(value: float) -> str:
    """Return a number to three places, without zeros at its end."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def share_of_parts(found: re.Match[str]) -> str:
    """Return "two thirds" as percent; "third" alone is a place in an order."""
    many, part = (found["many"] or "").lower(), found["part"].lower()
    if not many and part != "hal":
        return found.group()
    count = 1.0 if many in ("", "a", "an") else number_in(many)
    return found.group() if count is None else f"{shown(100 * count / PARTS[part])} percent"


def share_of_odds(found: re.Match[str]) -> str:
    """Return "one in four" as percent, where it is a part of a whole; "5 in 1912" is none."""
    many, whole = number_in(found["many"]), number_in(found["all"])
    if many is None or whole is None or not 0 < many < whole or (whole > 100 and whole % 1000):
        return found.group()
    return f"{shown(100 * many / whole)} percent"


def rate(found: re.Match[str]) -> str:
    """Return "twice a year", "every six months" or "once every other day" as so many times a year."""
    gap = (found.groupdict().get("gap") or "one").lower()
    apart = 2.0 if gap in ("other", "second") else number_in(gap)
    times = how_often(found["times"])
    if not apart or times is None:
        return found.group()
    return f"{shown(times * PER_YEAR[found['period'].lower()] / apart)} yearly"


def rate_of_adverb(found: re.Match[str]) -> str:
    """Return "monthly" or "twice daily" as so many times a year."""
    before = found.string[: found.start()].rstrip()
    times = how_often(found["times"])
    if times is None or before[-1:].isdigit():
        return found.group()
    return f"{shown(times * PER_YEAR[ADVERBS[found['adverb'].lower()]])} yearly"


def how_often(times: str | None) -> float | None:
    """Return how often "once", "twice" or "three times" is; once where nothing says it.

    >>> how_often("three times"), how_often(None), how_often("many times")
    (3.0, 1.0, None)
    """
    return 1.0 if times is None or times.lower() == "once" else number_in(re.sub(r" times?$", "", times.lower()))


def with_clock(text: str, question: tuple[str, ...]) -> str:
    """Return the text with times of day as minutes since midnight; "15:00" only where a time is asked for."""
    text = SPOKEN.sub(spoken_time, CLOCK.sub(time_of_day, text))
    if ASKS_TIME.intersection(question):
        text = FULL_DAY.sub(lambda found: f"{60 * int(found['hour']) + int(found['minute'])} clock", text)
    return NAMED_TIME.sub(lambda found: f"{NAMED_TIMES[found[1].lower()]} clock", text)


def time_of_day(found: re.Match[str]) -> str:
    """Return "9:30 p.m." as minutes since midnight."""
    return minutes(int(found["hour"]), int(found["minute"] or 0), found)


def spoken_time(found: re.Match[str]) -> str:
    """Return "half past nine in the evening" as minutes since midnight."""
    hour = HOUR_WORDS.get(found["hour"].lower()) or int(found["hour"])
    return minutes(hour, PAST.get((found["past"] or "").lower(), 0), found)


def minutes(hour: int, minute: int, found: re.Match[str]) -> str:
    """Return minutes since midnight; what is no hour of half a day stays as it is written.

    At night is before midnight from six on, and after midnight up to five.
    """
    if not 1 <= hour <= 12:
        return found.group()
    said = found["half"].lower()
    after_noon = said.startswith("p") or "noon" in said or "evening" in said or ("night" in said and 6 <= hour <= 11)
    return f"{60 * (hour % 12 + 12 * after_noon) + minute} clock"
