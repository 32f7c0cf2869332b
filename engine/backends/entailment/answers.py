"""An answer as plain words, so that "20 July 1969" and "July 20th, 1969", "two" and "2", "Röntgen" and "Rontgen" agree.

No model: accents are folded, number words, ordinals and Roman numerals become digits, thousands lose their commas,
dates lose their order when they are compared as sets. What is lost here (whether a "1" was "one" or "first")
no rule can find again.
"""

import re
import unicodedata

from engine.measures.abstention import abstains as abstains

SMALL_WORDS = """zero|zeroth one|first two|second three|third four|fourth five|fifth six|sixth seven|seventh
    eight|eighth nine|ninth ten|tenth eleven|eleventh twelve|twelfth thirteen|thirteenth fourteen|fourteenth
    fifteen|fifteenth sixteen|sixteenth seventeen|seventeenth eighteen|eighteenth nineteen|nineteenth"""
TENS_WORDS = """twenty|twentieth thirty|thirtieth forty|fortieth fifty|fiftieth sixty|sixtieth seventy|seventieth
    eighty|eightieth ninety|ninetieth"""
MONTH_WORDS = "january february march april may june july august september october november december"
CARRIER_WORDS = """a an the this that these those it its he she they them his her their there which who whom whose what
    when where how why i you we is are was were be been being am do does did has have had having will would can could
    may might of in on at to from by for with as into about during around approximately roughly circa and or also both
    s answer answers question called named known"""

SMALL = {word: n for n, pair in enumerate(SMALL_WORDS.split()) for word in pair.split("|")} | {"twice": 2, "thrice": 3}
TENS = {word: 10 * n for n, pair in enumerate(TENS_WORDS.split(), start=2) for word in pair.split("|")}
MONTHS = tuple(MONTH_WORDS.split())
# March, May, June and July are left out: their short forms are names and words too.
SHORT_MONTHS = {month[:3]: month for month in MONTHS if month not in MONTHS[2:7] or month == "april"}
SHORT_MONTHS["sept"] = "september"
ROMAN = {"I": 1, "V": 5, "X": 10}
# A lone I is a number at the end of a name only ("Elizabeth I", "Richard I of England"), a lone V or X after a word.
ROMAN_NUMERAL = re.compile(
    r"\b(?:X{0,3}(?:IX|IV|VI{1,3}|I{2,3})|X{1,3}(?:V?I{1,3}|V)|X{2,3})\b"
    r"|(?<=[a-z] )(?:[VX]\b(?!-)|I(?=\W*$|[,.;)]| of\b))"
)
# "Once" is a number where nothing follows it ("won it once, in 2010"), but for "at once"; else mostly "formerly".
ONCE = re.compile(r"(?<!\bat )\bonce\b(?=\s*(?:$|[,.;!]))", re.IGNORECASE)
TWICE, THRICE = re.compile(r"\btwice\b", re.IGNORECASE), re.compile(r"\bthrice\b", re.IGNORECASE)
FRACTION = re.compile(r"(\d+)?\s?([¼-¾⅐-⅞])")
DIGIT_DATE = re.compile(
    r"(?<![\w./-])(?:(?P<first_year>[12]\d{3})(?P<mark>[./-])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"|(?P<one>\d{1,2})(?P<sign>[./-])(?P<other>\d{1,2})(?P=sign)(?P<last_year>[12]\d{3}))(?![\w/-]|\.\d)"
)
WORD = re.compile(r"(?:(?<!\w)[-−])?\d+(?:\.\d+)?(?:st|nd|rd|th)?(?![^\W_])|[^\W_]+[+#]*")
CITATION = re.compile(r"(?<=[A-Za-z]{3})\d{1,3}\b")
ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")

NEGATIONS = frozenset({"not", "no", "never", "neither", "nor", "none", "without", "cannot", "nt"})
YES, NO = frozenset({"yes", "true", "correct"}), frozenset({"no", "false", "incorrect"})
CARRIERS = frozenset(CARRIER_WORDS.split())


ALIASES = tuple(
    (re.compile(rf"\b(?:{pattern})(?!\w)"), name)
    for pattern, name in (
        (r"U\.?S\.?A\.?|U\.S\.?|(?:[Tt]he )?US|United States of America", "United States"),
        (r"U\.?K\.?|Great Britain", "United Kingdom"),
        (r"U\.?S\.?S\.?R\.?", "Soviet Union"),
        (r"UAE|U\.A\.E\.", "United Arab Emirates"),
        (r"UN", "United Nations"),
        (r"EU", "European Union"),
        (r"WWII|WW2|WW II", "World War II"),
        (r"WWI|WW1", "World War I"),
        (r"[Nn]o[ -][Oo]ne", "nobody"),
        (r"[Bb]ros\.", "Brothers"),
        (r"Mt\.?(?=\s[A-Z])", "Mount"),
        (r"Ft\.?(?=\s[A-Z])", "Fort"),
    )
)


def words(text: str) -> tuple[str, ...]:
    """Return the answer's words in lower case, without accents, numbers as digits.

    >>> words("Twenty-one men, the 14th of Sept. 1,066 (Louis XIV)")
    ('21', 'men', 'the', '14', 'of', 'september', '1066', 'louis', '14')
    >>> words("They won it twice, not once."), words("once a king")
    (('they', 'won', 'it', '2', 'not', '1'), ('once', 'a', 'king'))
    >>> words("not 3.50, isn't Röntgen's") == ("not", "3.5", "is", "nt", "rontgen")
    True
    >>> words("two and a half, or 2½")
    ('2.5', 'or', '2.5')
    >>> words("13.5.1871") == words("1871-05-13") == words("13 May 1871")
    True
    """
    for pattern, name in ALIASES:
        text = pattern.sub(name, text)
    text = ONCE.sub("1", ROMAN_NUMERAL.sub(lambda found: str(roman(found.group())), text))
    text = FRACTION.sub(with_decimals, DIGIT_DATE.sub(with_month, text))
    text = unicodedata.normalize("NFKD", text).casefold()
    text = "".join(letter for letter in text if not unicodedata.combining(letter)).replace("’", "'")
    text = re.sub(r"n't\b", " nt", re.sub(r"'s\b", "", text))
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"\b((?:[a-z]\.){2,})", lambda found: found.group().replace(".", "") + " ", text)
    return tuple(with_numbers(WORD.findall(text.replace("−", "-")))) or tuple(text.split())


def with_digits(text: str) -> str:
    """Return the text with "once", "twice" and "thrice" as a number of times, which the trained judge learnt to read.

    >>> with_digits("They won it twice, not once."), with_digits("Once a king"), with_digits("All at once.")
    ('They won it 2 times, not 1 time.', 'Once a king', 'All at once.')
    """
    return THRICE.sub("3 times", TWICE.sub("2 times", ONCE.sub("1 time", text)))


def with_month(found: re.Match[str]) -> str:
    """Return a date in digits with its month by name; one that can be read in two ways stays as it is."""
    ways = dates_of(found)
    return ways[0] if len(ways) == 1 else found.group()


def dates_of(found: re.Match[str]) -> tuple[str, ...]:
    """Return a date in digits as day, month and year in each way that makes it one; itself where none does.

    >>> dates_of(DIGIT_DATE.match("3/5/1871")), dates_of(DIGIT_DATE.match("1871-05-03"))
    (('3 May 1871', '5 March 1871'), ('3 May 1871',))
    """
    if year := found["first_year"]:
        orders = [(int(found["day"]), int(found["month"]))]
    else:
        year, one, other = found["last_year"], int(found["one"]), int(found["other"])
        orders = [(one, other), (other, one)]
    ways = [f"{day} {MONTHS[month - 1].title()} {year}" for day, month in orders if 1 <= month <= 12 and 1 <= day <= 31]
    return tuple(dict.fromkeys(ways)) or (found.group(),)


def with_decimals(found: re.Match[str]) -> str:
    """Return a number with a fraction sign as a decimal number, to three places."""
    return f" {int(found[1] or 0) + unicodedata.numeric(found[2]):.3f}"


def roman(numeral: str) -> int:
    """Return the value of a Roman numeral up to 39.

    >>> roman("XIV"), roman("XXIX")
    (14, 29)
    """
    values = [ROMAN[letter] for letter in numeral]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def with_numbers(found: list[str]) -> list[str]:
    """Return the words with number words and ordinals as digits and short months in full."""
    out: list[str] = []
    tens = 0
    for word in found:
        value = SMALL.get(word)
        if tens and value is not None and 1 <= value <= 9:
            out[-1] = str(tens + value)
        elif value is not None or word in TENS:
            out.append(str(TENS[word] if value is None else value))
        else:
            out.append(SHORT_MONTHS.get(word, plain_number(word)))
        if out[-3:] == ["and", "a", "half"] and len(out) > 3 and out[-4].isdecimal():
            out[-4:] = [f"{out[-4]}.5"]
        tens = TENS.get(word, 0)
    return out


def plain_number(word: str) -> str:
    """Return a number without ordinal ending, leading and trailing zeros; another word unchanged."""
    ordinal = ORDINAL.fullmatch(word)
    word = ordinal.group(1) if ordinal else word
    if not is_number(word) or not word.lstrip("-").replace(".", "", 1).isdecimal():
        return word
    whole, _, part = word.partition(".")
    part = part.rstrip("0")
    sign = "-" if whole.startswith("-") else ""
    return sign + (whole.lstrip("-0") or "0") + (f".{part}" if part else "")


def content(answer: tuple[str, ...], question: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that carry the answer: no carriers, no negations, no words of the question.

    Where that leaves nothing ("the sun" to a question about the sun) the question's words stay, then all of them.
    """
    bearing = tuple(word for word in answer if word not in CARRIERS and word not in NEGATIONS)
    return tuple(word for word in bearing if word not in question) or bearing or answer


def is_number(word: str) -> bool:
    """Return whether a word is a number, or starts as one ("1960s")."""
    return word.lstrip("-")[:1].isdigit()


def with_words_apart(text: str) -> str:
    """Return the text with words apart that a page's markup glued together, and without citation marks at words.

    >>> with_words_apart("It wasJohn Daly12, on 9 May 1950")
    'It was John Daly, on 9 May 1950'
    """
    return CITATION.sub("", re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", text))
