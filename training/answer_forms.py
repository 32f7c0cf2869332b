"""Other forms of an answer that mean the same, and near misses that do not: what a judge of answers must learn.

Every function draws from the generator it gets and returns text, or None if the answer has no such form. None needs a
model. Same meaning: dates and numbers in another form, carriers ("The answer is …"), extra detail, answers that break
off after the answer or repeat it. Another meaning: a changed number, date, name or ordinal, a denial, the repeated
question without an answer, an abstention.
"""

import random
import re

from engine.backends.entailment.answers import MONTHS, SMALL_WORDS, TENS_WORDS

MONTH_NAMES = tuple(month.capitalize() for month in MONTHS)
MONTH = "|".join(MONTH_NAMES)
DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})(?:,? (\d{{4}}))?\b", re.IGNORECASE)
MONTH_FIRST = re.compile(rf"\b({MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?(?!\d)", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?!\d)|(?<![\w.,-])\d+(?![\w.]*\d)")
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI")
ROMAN_END = re.compile(r"(?<=[a-z] )(?:I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII|XIII|XIV|XV|XVI)\b")
SMALL = tuple(pair.split("|")[0] for pair in SMALL_WORDS.split())
ORDINALS = tuple(pair.split("|")[1] for pair in SMALL_WORDS.split())
TENS = ("", "", *(pair.split("|")[0] for pair in TENS_WORDS.split()))

CARRIERS = (
    "The answer is {}.", "The answer is: {}", "Answer: {}", "It is {}.", "It's {}.", "It was {}.", "{}.", "{}!",
    "That would be {}.", "That is {}.", "I think it is {}.", "I believe the answer is {}.", "The correct answer is {}.",
    "Based on the text above, the answer is {}.", "According to the text, it was {}.", "According to the passage, {}.",
    "The text says that it is {}.", "{}, according to the context.", "As stated in the passage: {}.", '"{}"', "- {}",
    "**{}**", "Sure! The answer is {}.", "{} is the answer.", "{} is the correct answer.", "A: {}", "Yes, it is {}.",
    "The answer to the question is {}.", "Based on the provided context, {}.", "the answer is {}", "it was {}", "{} .",
)  # fmt: skip
CARRIERS_BY_TYPE = {
    "dates": ("In {}.", "It happened in {}.", "It was in {}.", "in {}", "That was {}.", "The date was {}.", "{} AD"),
    "people": (
        "It was {}.",
        "His name is {}.",
        "The person was {}.",
        "{} did.",
        "It was done by {}.",
        "by {}",
        "{} is.",
    ),
    "places": ("In {}.", "It is located in {}.", "It is in {}.", "in {}", "The place is {}.", "It took place in {}."),
    "numbers": ("There are {}.", "There were {} of them.", "{} in total.", "about {}", "It has {}.", "a total of {}"),
    "other": ("It is called {}.", "This is known as {}.", "the {}", "It is a {}.", "These are {}.", "called {}"),
}
DETAILS = {
    "dates": (
        ", at the age of 18", ", in front of 300 guests", ", after two years of work", " in London", ", on a Sunday",
        ", during the second season", ", when it was opened to the public", ", under the king's orders",
    ),
    "people": (
        ", who was born in 1954", " (1912-1988)", ", an American artist", " in 1987", ", together with a friend",
        ", at the age of 32", ", on 3 May 1960", ", his brother's teacher", ", who also wrote about it", " from Ohio",
    ),
    "places": (
        ", which opened in 1890", ", near the river", " since 1972", ", in the north of it", ", where it began",
        ", a town of 4,000 people", ", on the coast", ", about 20 km from the border",
    ),
    "numbers": (
        ", as of 2015", " in the whole country", ", according to a count made in 1999", ", more than ever before",
        ", which is a lot", ", if you count them all", " according to the law of 2004",
    ),
    "other": (
        ", which was first used in 1920", ", as it is often called", ", found in many places", " since 1985",
        ", a kind of it", ", which has two parts", ", and it is still so today",
    ),
}  # fmt: skip
ABSTENTIONS = (
    "I don't know.", "I do not know the answer.", "I'm not sure.", "Unknown", "unknown", "I cannot answer that.",
    "The text does not say.", "The passage does not mention it.", "The context does not provide this information.",
    "There is no information about that in the text.", "It is not mentioned in the passage.", "Not specified.",
    "I'm sorry, but I do not have enough information to answer this question.", "No answer", "N/A", "I have no idea.",
    "As an AI language model, I do not have access to that information.", "It is unclear.", "No answer found.",
    "The answer is not given in the text.", "I could not find the answer.", "It cannot be determined from the context.",
    "Unfortunately, I do not have any data on this.", "The provided documents do not contain the answer.",
    "I am unable to answer this question.", "The question is unclear, please provide more context.", "no idea",
    "Sorry, I don't have information about this.", "Insufficient information.", "The text is not specific enough.",
)  # fmt: skip
DENIALS = ("not {}", "It is not {}.", "It was not {}.", "Not {}.", "It isn't {}.", "The answer is not {}.",
           "{} is wrong.", "It was never {}.", "Anything but {}.", "It wasn't {}.", "No, not {}.")  # fmt: skip
QUESTION_WORDS = re.compile(
    r"^(?:who|what|where|when|which|how|why)(?:'s)?\s+(?:(?:is|was|are|were|did|does|do)\s+)?", re.I
)


def date_parts(text: str) -> tuple[re.Match[str], str, str, str | None] | None:
    """Return the first full date in a text as its match, day, month and year; None without a full date."""
    found = DAY_FIRST.search(text)
    if found:
        return found, found.group(1), found.group(2).capitalize(), found.group(3)
    found = MONTH_FIRST.search(text)
    return (found, found.group(2), found.group(1).capitalize(), found.group(3)) if found else None


def written_date(draw: random.Random, day: int, month: str, year: str | None) -> str:
    """Return a date in one of the usual forms."""
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    if year is None:
        return draw.choice(
            (f"{day} {month}", f"{month} {day}", f"{month} {day}{ending}", f"the {day}{ending} of {month}")
        )
    number = MONTH_NAMES.index(month) + 1
    return draw.choice(
        (
            f"{day} {month} {year}",
            f"{month} {day}, {year}",
            f"{month} {day}{ending}, {year}",
            f"the {day}{ending} of {month} {year}",
            f"{day}{ending} {month}, {year}",
            f"{month[:3]} {day}, {year}",
            f"{day} {month[:3]}. {year}",
            f"{year}-{number:02d}-{day:02d}",
        )
    )


def other_date_form(draw: random.Random, text: str) -> str | None:
    """Return the text with its first full date in another form."""
    parts = date_parts(text)
    if parts is None:
        return None
    found, day, month, year = parts
    return text[: found.start()] + written_date(draw, int(day), month, year) + text[found.end() :]


def other_date(draw: random.Random, text: str) -> str | None:
    """Return the text with another day, month or year in its first full date."""
    parts = date_parts(text)
    if parts is None:
        return None
    found, day, month, year = parts
    what = draw.randrange(3 if year else 2)
    if what == 0:
        day = str(draw.choice([other for other in range(1, 29) if other != int(day)]))
    elif what == 1:
        month = draw.choice([other for other in MONTH_NAMES if other != month])
    else:
        year = str(int(str(year)) + draw.choice((-20, -10, -3, -2, -1, 1, 2, 3, 10, 20)))
    return text[: found.start()] + written_date(draw, int(day), month, year) + text[found.end() :]


def in_words(number: int) -> str:
    """Return a number below 100 in words.

    >>> in_words(7), in_words(30), in_words(42)
    ('seven', 'thirty', 'forty-two')
    """
    if number < 20:
        return SMALL[number]
    return TENS[number // 10] + (f"-{SMALL[number % 10]}" if number % 10 else "")


def other_number_form(draw: random.Random, text: str) -> str | None:
    """Return the text with its first number in another form: in words, with or without commas."""
    found = NUMBER.search(text)
    if found is None:
        return other_word_form(text)
    plain = found.group().replace(",", "")
    value = int(plain)
    if value < 100:
        new = in_words(value)
    elif len(plain) > 4 or "," in found.group():
        new = f"{value:,}" if "," not in found.group() else plain
        if value % 1_000_000 == 0 and draw.random() < 0.5:
            new = f"{value // 1_000_000} million"
    else:
        return None
    return text[: found.start()] + new + text[found.end() :]


def other_word_form(text: str) -> str | None:
    """Return the text with its first number word below twenty as digits.

    >>> other_word_form("about twelve of them")
    'about 12 of them'
    """
    for place, word in enumerate(SMALL):
        found = re.search(rf"\b{word}\b(?!-)", text, re.IGNORECASE)
        if found and place:
            return text[: found.start()] + str(place) + text[found.end() :]
    return None


def other_number(draw: random.Random, text: str) -> str | None:
    """Return the text with one changed number: a year by up to twenty, another number by a little or a lot."""
    places = list(NUMBER.finditer(text))
    if not places:
        return other_number_word(draw, text)
    found = draw.choice(places)
    value = int(found.group().replace(",", ""))
    if 1000 <= value <= 2100 and "," not in found.group():
        new = value + draw.choice((-20, -11, -5, -2, -1, 1, 2, 4, 10, 17))
    elif value < 20:
        new = draw.choice([other for other in range(1, 25) if other != value])
    else:
        new = max(1, round(value * draw.choice((0.1, 0.5, 0.9, 1.1, 1.5, 2, 10))) + draw.choice((-2, -1, 1, 2)))
        new += int(new == value)
    written = f"{new:,}" if "," in found.group() else str(new)
    return text[: found.start()] + written + text[found.end() :]


def other_number_word(draw: random.Random, text: str) -> str | None:
    """Return the text with a number word or ordinal word changed."""
    for table in (SMALL, ORDINALS):
        for word in table[1:]:
            found = re.search(rf"\b{word}\b", text, re.IGNORECASE)
            if found:
                new = draw.choice([other for other in table[1:] if other != word])
                return text[: found.start()] + new + text[found.end() :]
    return None


def other_ordinal(draw: random.Random, text: str) -> str | None:
    """Return a name with its Roman numeral changed ("George V" to "George VI")."""
    found = ROMAN_END.search(text)
    if found is None:
        return None
    near = max(0, ROMAN.index(found.group()) + draw.choice((-2, -1, 1, 2)))
    new = ROMAN[near] if ROMAN[near] != found.group() else ROMAN[near + 1]
    return text[: found.start()] + new + text[found.end() :]


def name_parts(text: str) -> list[str]:
    """Return the parts of a text that looks like a person's name (two to four capitalised words), otherwise nothing."""
    parts = text.split()
    named = 2 <= len(parts) <= 4 and all(re.fullmatch(r"[A-Z][\w'.-]*", part) for part in parts)
    return parts if named else []


def shorter_name(text: str) -> str | None:
    """Return the surname of a person's full name."""
    parts = name_parts(text)
    return parts[-1] if parts and len(parts[-1].strip(".")) > 3 and parts[-1] not in ("Jr.", "Sr.") else None


def other_name(draw: random.Random, text: str, pool: list[str]) -> str | None:
    """Return a full name with its first or its last part taken from another person's."""
    parts, others = name_parts(text), name_parts(draw.choice(pool))
    if not parts or not others or parts[0] == others[0] or parts[-1] == others[-1]:
        return None
    return " ".join((others[0], *parts[1:]) if draw.random() < 0.6 else (*parts[:-1], others[-1]))


def carried(draw: random.Random, text: str, kind: str) -> str:
    """Return the answer in a carrier phrase."""
    carriers = CARRIERS_BY_TYPE[kind] if draw.random() < 0.4 else CARRIERS
    return draw.choice(carriers).format(text.strip().rstrip("."))


def detailed(draw: random.Random, text: str, kind: str) -> str:
    """Return the answer with detail that the question does not ask for."""
    said = text.strip().rstrip(".") + draw.choice(DETAILS[kind])
    return carried(draw, said, kind) if draw.random() < 0.5 else said


def restated(draw: random.Random, question: str, text: str) -> str:
    """Return the answer after the repeated question."""
    rest = QUESTION_WORDS.sub("", question).rstrip("?")
    forms = (
        f"{rest} is {text}.", f"The answer to {question.rstrip('?')} is {text}.", f"{question} {text}",
        f"{text} {rest}.", f"{question.rstrip('?').capitalize()}: {text}.", f"Question: {question} Answer: {text}",
    )  # fmt: skip
    return draw.choice(forms)


def without_answer(draw: random.Random, question: str) -> str:
    """Return the repeated question without an answer."""
    rest = QUESTION_WORDS.sub("", question).rstrip("?")
    forms = (
        f"{question}", f"{rest} is", f"The answer to {question.rstrip('?')} is", f"The question is: {question}",
        f"The text is about {rest}.", f"{rest} is the one that is asked about", "The answer is", f"It is {rest}.",
    )  # fmt: skip
    return draw.choice(forms)


def repeated(draw: random.Random, text: str, kind: str) -> str:
    """Return the answer two or three times over, as small models do."""
    said = text.strip().rstrip(".")
    forms = (
        f"{said}. {said}. {said}",
        f"{said}, {said}",
        f"{said}. {carried(draw, said, kind)}",
        f"{said}\n{said}\n{said}",
    )
    return draw.choice(forms)


def noisy(draw: random.Random, text: str) -> str:
    """Return the answer in another case, with another ending, or with an article in front."""
    forms = (
        text.lower(),
        text.upper(),
        text.rstrip(".") + ".",
        f" {text} ",
        text.capitalize(),
        f"the {text}",
        f"a {text}",
    )
    return draw.choice(forms)


def cut_off(draw: random.Random, text: str, keep: int) -> str | None:
    """Return the text cut off in mid-sentence, at or after ``keep`` characters; None if nothing is left to cut."""
    ends = [found.start() for found in re.finditer(r"\s", text) if found.start() >= keep]
    return text[: draw.choice(ends)] if len(ends) > 3 else None
