"""A text as words to compare answers by, each with its place: stricter than ``answer_match``, and for every script.

Exact match of the papers deletes ASCII punctuation, so that "1.5" is "15" and "C++" is "C". Here a number keeps its
point, sign and fraction, "+" and "#" stay behind letters, any mark of any script ends a word, and letters are compared
in one form: no case, no accents of Latin and Greek, no vowel marks of Hebrew and Arabic. In scripts without spaces each
letter is a word, so that an answer is found within a run of them.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

ARTICLES = frozenset({"a", "an", "the"})
MINUS = frozenset({"minus", "negative"})
# Stand-ins of equal length: patterns know no classes such as "mark" or "Thai letter".
MARK, UNSPACED = "ƻ", "一"
# Thai and Lao, Burmese, Khmer, kana, Chinese characters with their extensions.
UNSPACED_SCRIPTS = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
THOUSANDS = r"\d{1,3}(?:[,'\u00a0\u202f\u2009]\d{3})+(?:\.\d+)?(?![.,/:]?\d)"
# Two numbers around one mark are one ("1.5", "1,5", "9/11", "12:30"); of more ("20.07.1969") each is one.
NUMBER = rf"(?:{THOUSANDS}|(?<!\d[.,/:])\d+(?:[./:⁄]\d+|,\d{{1,2}})(?![.,/:]?\d)|\d+)"
WORD = re.compile(
    rf"{UNSPACED}{MARK}*|(?<=\s)&(?=\s)|[^\W\d_{UNSPACED}]*(?P<number>{NUMBER})[^\W_{UNSPACED}]*|[^\W\d_{UNSPACED}]+(?:\+\+|[+#](?!\w))?"
)
SIGN = re.compile(r"(?:^|[\s(\[{:=~≈<>])[-−–][$€£¥]?$")
POINT = re.compile(r"(?:^|[\s(\[{=~≈<>$€£¥−-])\.$")
RANGE = re.compile(r"\d\s+[-−–]$")
# Letters that no accent makes, and those that are written as others.
LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ё": "е", "ـ": "", "&": "and"})
# Marks that are written as others: apostrophes and hyphens.
MARKS = dict.fromkeys("’‘ʼʻ", "'") | dict.fromkeys("‐‑", "-")
# How far before a number its sign is looked for, and around an answer what makes it another.
NEAR = 24
GRADE = re.compile(r"[A-Z]{1,2}[-−](?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word: its comparable form, its characters [start, end) in the text, and the marks that stand before it."""

    form: str
    start: int
    end: int
    gap: str

    @property
    def light(self) -> bool:
        """Whether it says nothing: an article, or the s of a possessive."""
        return self.form in ARTICLES or (self.form == "s" and self.gap == "'")


def words_of(text: str) -> tuple[Word, ...]:
    """Returns the words of a text in order; () where it has neither letter nor digit.

    >>> [word.form for word in words_of("The “C++” of 1,066 and -1.5: Paris’s")]
    ['the', 'c++', 'of', '1066', 'and', '-1.5', 'paris', 's']
    >>> [word.form for word in words_of("北京。1889年")]
    ['北', '京', '1889', '年']
    """
    shape = _shape(text)
    found: list[Word] = []
    for match in WORD.finditer(shape):
        start, end = match.span()
        before = found[-1].end if found else 0
        form = _number(match["number"], match.group(), text[start:end])
        if match["number"] and text[start].isdecimal():
            form = _sign(shape[max(start - NEAR, 0) : start]) + form
        elif (end - start) <= 2 and GRADE.match(text[start : end + 2]):
            form, end = f"{form}-", end + 1
        if form:
            found.append(Word(form=form, start=start, end=end, gap=shape[before:start]))
    return tuple(_signed(found))


def joined(words: Iterable[Word]) -> tuple[Word, ...]:
    """Returns words with those as one that only ASCII marks part, as exact match has them; two numbers stay two.

    >>> [word.form for word in joined(words_of("the e-mail of J.K. at 3-2"))]
    ['the', 'email', 'of', 'jk', 'at', '3', '2']
    """
    found: list[Word] = []
    for word in words:
        if found and glued(found[-1], word):
            found[-1] = replace(found[-1], form=found[-1].form + word.form, end=word.end)
        else:
            found.append(word)
    return tuple(found)


def forms_of(words: Sequence[Word]) -> list[str]:
    """Returns the forms of words without light ones; a last article stays, for it is a letter ("Vitamin A").

    >>> forms_of(words_of("the Serie A")), forms_of(words_of("The")), forms_of(words_of("adenine (A)"))
    (['serie', 'a'], ['the'], ['adenine'])
    """
    last = words[-1] if words else None
    kept = last is not None and last.form in ARTICLES and (len(words) == 1 or "(" not in last.gap)
    return [word.form for word in words if not word.light or (kept and word is last)]


def glued(left: Word, right: Word) -> bool:
    """Returns whether two neighbours are one word to exact match: only ASCII marks part them, and a letter is at one.

    >>> [glued(*words_of(text)) for text in ("e-mail", "O’Brien", "3-2", "New York")]
    [True, True, False, False]
    """
    letters = left.form[-1].isalpha() or right.form[0].isalpha()
    return right.gap != "" and letters and right.gap.isascii() and not any(mark.isspace() for mark in right.gap)


def _sign(before: str) -> str:
    """Returns what belongs to a number of what stands before it: a minus, the zero before a point.

    >>> _sign("at -"), _sign("$."), _sign("-."), _sign("in 1914 -"), _sign("end.")
    ('-', '0.', '-0.', '', '')
    """
    point = "0." if POINT.search(before) else ""
    before = before[:-1] if point else before
    return f"-{point}" if SIGN.search(before) and not RANGE.search(before) else point


def _number(number: str | None, shaped: str, text: str) -> str:
    """Returns the comparable form of a word; in ``number`` digits lose their thousands, a decimal comma is a point.

    >>> _number("1,066", "1,066", "1,066"), _number("1,5", "1,5km", "1,5km"), _number(None, "Zurich", "Zürich")
    ('1066', '1.5km', 'zurich')
    """
    if number is None:
        return _form(text)
    at = shaped.index(number)
    head, digits, tail = text[:at], text[at : at + len(number)], text[at + len(number) :]
    digits = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in digits).replace("⁄", "/")
    if re.fullmatch(THOUSANDS, digits):
        digits = re.sub(r"[^\d.]", "", digits)
    return _form(head) + digits.replace(",", ".") + _form(tail)


def _form(text: str) -> str:
    """Returns letters in the one form they are compared in: composed, without case, accents and vowel marks.

    >>> _form("ZÜRICH"), _form("Zu\\u0308rich"), _form("Łódź"), _form("Й"), _form("ＮＡＳＡ"), _form("H₂O")
    ('zurich', 'zurich', 'lodz', 'й', 'nasa', 'h2o')
    """
    if text.isascii():
        return text.lower().translate(LETTERS)
    wide = "".join(
        unicodedata.normalize("NFKC", one) if unicodedata.decomposition(one).startswith(("<wide>", "<sub>")) else one
        for one in text
        if unicodedata.category(one) != "Cf"
    )
    plain, base = "", ""
    for one in unicodedata.normalize("NFD", wide.casefold()):
        if not unicodedata.combining(one):
            base = one
        elif base < "Ѐ" or "\u0590" <= base <= "\u08ff":
            continue
        plain += one
    return unicodedata.normalize("NFC", plain).translate(LETTERS)


def _shape(text: str) -> str:
    """Returns a text of equal length with stand-ins for combining marks and for letters of scripts without spaces.

    >>> _shape("Zu\\u0308rich 北京")
    'Zuƻrich 一一'
    """
    if text.isascii():
        return text
    return text.translate({ord(one): _stand_in(one) for one in set(text) if not one.isascii()})


def _stand_in(letter: str) -> str:
    """Returns what stands for a letter or mark in the shape of a text: itself, or the sign of its class.

    >>> _stand_in("é"), _stand_in("\\u0308"), _stand_in("京"), _stand_in("’")
    ('é', 'ƻ', '一', "'")
    """
    if letter in MARKS:
        return MARKS[letter]
    if unicodedata.category(letter)[0] == "M" or unicodedata.category(letter) == "Cf":
        return MARK
    unspaced = letter.isalpha() and any(first <= ord(letter) <= last for first, last in UNSPACED_SCRIPTS)
    return UNSPACED if unspaced else letter


def _signed(words: Iterable[Word]) -> list[Word]:
    """Returns words with "minus" as the sign of the number behind it.

    >>> [word.form for word in _signed(words_of("at minus 5 degrees"))]
    ['at', '-5', 'degrees']
    """
    found: list[Word] = []
    for word in words:
        if found and found[-1].form in MINUS and word.form[0].isdigit():
            before = found.pop()
            word = replace(word, form=f"-{word.form}", start=before.start, gap=before.gap)
        found.append(word)
    return found
