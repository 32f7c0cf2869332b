"""One form of a character for all texts: "ü" is one character, never "u" and a mark that follows it.

Both forms look alike and mean the same (Unicode's canonical equivalence, UAX 15), and file names, PDFs and texts from
macOS often bring the second one. Searched and counted is the composed form, NFC.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache

# Thai and Lao, Burmese, Khmer.
WITHOUT_BLANKS = (range(0x0E00, 0x0F00), range(0x1000, 0x10A0), range(0x1780, 0x1800))
LAST_MARK = 0x1F000  # beyond it are emoji, private use and variation selectors


def composed(text: str) -> str:
    """Return the text in Unicode's composed form.

    >>> composed("Zu\\u0308rich") == "Z\\u00fcrich"
    True
    """
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


@cache
def mark_class() -> str:
    """Return every mark that goes on with a word (Unicode's category M), as ranges of a character class.

    Vowel signs of Devanagari or Tamil are such marks. Scripts that write no blanks between words are left out: there
    a word would be a whole sentence.
    """
    return character_class(
        code
        for code in range(0x300, LAST_MARK)
        if unicodedata.category(chr(code)).startswith("M") and not any(code in block for block in WITHOUT_BLANKS)
    )


@cache
def capital_class() -> str:
    """Return every capital letter of every script (Unicode's categories Lu and Lt), as ranges of a character class.

    >>> import re
    >>> [bool(re.match(f"[{capital_class()}]", letter)) for letter in "AÉМaéм東"]
    [True, True, True, False, False, False, False]
    """
    return character_class(code for code in range(LAST_MARK) if unicodedata.category(chr(code)) in ("Lu", "Lt"))


def character_class(codes: Iterable[int]) -> str:
    """Return ascending code points as ranges for a regular expression's square brackets."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
