"""How text and numbers are put into words on a figure: the empty answer, long text, lists, right-to-left script."""

import textwrap

from engine.core.records import ThresholdSource
from engine.core.words import closed as closed
from engine.core.words import counted as counted
from engine.core.words import listing as listing
from engine.core.words import quoted as quoted
from engine.core.words import shown as shown
from engine.core.words import signed as signed
from viz.theme import plain

HOVER_WIDTH = 64
HOVER_LINES = 14
PUNCTUATION = str.maketrans("", "", ".,;:!?\"'“”‘’()[]")


def origin_words(source: ThresholdSource, paper: str = "paper's") -> str:
    """Return where a threshold comes from; ``paper`` is what to say of the paper's own.

    >>> origin_words("paper"), origin_words("fitted"), origin_words("chosen")
    ("paper's", 'fitted', 'chosen')
    """
    return paper if source == "paper" else source


def wrapped(text: str, width: int = HOVER_WIDTH, lines: int = HOVER_LINES) -> str:
    """Return untrusted text for a Plotly label: escaped, broken into at most ``lines`` lines of ``width`` characters.

    >>> wrapped("a <b> c", width=3)
    'a<br>&lt;b&gt;<br>c'
    """
    pieces = textwrap.wrap(shown(text), width, max_lines=lines, placeholder=" …", break_on_hyphens=False)
    return "<br>".join(plain(piece) for piece in pieces)


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
