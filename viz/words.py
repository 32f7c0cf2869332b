"""How text and numbers are put into words on a figure: the empty answer, long text, lists, right-to-left script."""

import textwrap
import unicodedata
from collections.abc import Sequence

from engine.core.records import ThresholdSource
from engine.core.words import shown
from viz.theme import plain

HOVER_WIDTH = 64
HOVER_LINES = 14
PUNCTUATION = str.maketrans("", "", ".,;:!?\"'“”‘’()[]")
ISOLATE, POP = "\u2068", "\u2069"


def origin_words(source: ThresholdSource, paper: str = "paper's") -> str:
    """Return where a threshold comes from; ``paper`` is what to say of the paper's own.

    >>> origin_words("paper"), origin_words("fitted"), origin_words("chosen")
    ("paper's", 'fitted', 'chosen')
    """
    return paper if source == "paper" else source


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


def wrapped(text: str, width: int = HOVER_WIDTH, lines: int = HOVER_LINES) -> str:
    """Return untrusted text for a Plotly label: escaped, broken into at most ``lines`` lines of ``width`` characters.

    >>> wrapped("a <b> c", width=3)
    'a<br>&lt;b&gt;<br>c'
    """
    pieces = textwrap.wrap(shown(text), width, max_lines=lines, placeholder=" …", break_on_hyphens=False)
    return "<br>".join(plain(piece) for piece in pieces)


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


def meaning_key(text: str) -> str:
    """Return a text as meanings are compared across conditions: no case, punctuation or articles.

    >>> meaning_key("The Eiffel Tower.")
    'eiffel tower'
    """
    words = text.casefold().translate(PUNCTUATION).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def same_meaning(first: str, second: str) -> bool:
    """Return whether two texts are one meaning; an empty second text is the choice of none.

    >>> same_meaning("The Paris.", "paris"), same_meaning("Paris", "")
    (True, False)
    """
    return bool(second) and meaning_key(first) == meaning_key(second)
