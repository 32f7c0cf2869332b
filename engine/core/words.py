"""How untrusted text is put into one short line: cut, and named where it is empty."""

import unicodedata
from collections.abc import Sequence

ISOLATE, POP = "\u2068", "\u2069"


def shorten(text: str, length: int) -> str:
    """Return the text on one line, cut at ``length`` characters with an ellipsis.

    >>> shorten("a  long\\nline", 6)
    'a lon…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def shown(text: str, length: int = 0) -> str:
    """Return the text as a reader should see it: "(empty)" for nothing, cut at ``length`` characters where given.

    >>> shown("  "), shown("31 March 1889", 6)
    ('(empty)', '31 Ma…')
    """
    line = " ".join(text.split())
    if not line:
        return "(empty)"
    return shorten(line, length) if length else line


def as_clause(text: str, length: int) -> str:
    """Return untrusted text for the end of a sentence: on one line, cut, without its last full stop.

    >>> as_clause("No such\\nmodel. ", 40)
    'No such model'
    """
    return shorten(text.strip().rstrip("."), length)


def reason_of(error: Exception) -> str:
    """Return an error's text on one line, at most 300 characters; its kind where it has none."""
    return " ".join(str(error).split())[:300] or type(error).__name__


def quoted(text: str, length: int = 80) -> str:
    """Return the text in quotation marks for use inside a sentence; right-to-left text is kept from turning it round.

    >>> quoted("Paris"), quoted("")
    ('“Paris”', 'an empty answer')
    """
    if not text.strip():
        return "an empty answer"
    line = shown(text, length)
    right_to_left = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in line)
    return f"“{ISOLATE}{line}{POP}”" if right_to_left else f"“{line}”"


def closed(text: str) -> str:
    """Return a sentence with its full stop; a quotation at its end that brings one is not given another.

    >>> closed("It says “Saturn.”"), closed("It says “Saturn”")
    ('It says “Saturn.”', 'It says “Saturn”.')
    """
    return text if text.rstrip(f"”’{POP}").endswith((".", "!", "?")) else f"{text}."


def listing(items: Sequence[object]) -> str:
    """Return the items as a list in words.

    >>> listing([2]), listing([1, 2, 4])
    ('2', '1, 2 and 4')
    """
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " and " + words[-1]


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "rewording"), counted(3, "rewording")
    ('1 rewording', '3 rewordings')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def signed(value: float, digits: int = 2) -> str:
    """Return a difference with its sign, two decimals by default, a true minus, and no sign where it rounds to zero.

    >>> signed(0.714), signed(-0.2), signed(-0.001)
    ('+0.71', '−0.20', '0.00')
    """
    amount = f"{abs(value):.{digits}f}"
    if float(amount) == 0:
        return amount
    return ("+" if value > 0 else "−") + amount
