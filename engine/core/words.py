"""How untrusted text is put into one short line: cut, and named where it is empty. And numbers and times in words."""

import re
import unicodedata
from collections.abc import Sequence

ISOLATE, POP = "\u2068", "\u2069"
# What turns text round (embeddings, overrides, forced isolates), what hides it (tags, zero-width signs), and control
# characters. Not among them: joiners, which emoji and many scripts need, and the isolate that this program sets itself.
HIDDEN = re.compile("[\u202a-\u202e\u2066\u2067\u200b\u2061-\u2064\u180e\ufeff\U000e0000-\U000e007f"
                    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]+")  # fmt: skip


def shorten(text: str, length: int) -> str:
    """Return the text on one line, cut at ``length`` characters with an ellipsis.

    >>> shorten("a  long\\nline", 6)
    'a lon…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def tidy_name(name: str, length: int) -> str:
    """Return a name as it is kept: on one line, of at most ``length`` characters.

    >>> tidy_name("  Ada\\nLovelace ", 10)
    'Ada Lovela'
    """
    return " ".join(name.split())[:length]


def shown(text: str, length: int = 0) -> str:
    """Return the text as a reader should see it: "(empty)" for nothing, cut at ``length`` characters where given.

    >>> shown("  "), shown("31 March 1889", 6)
    ('(empty)', '31 Ma…')
    """
    line = " ".join(text.split())
    if not line:
        return "(empty)"
    return shorten(line, length) if length else line


def reveal(text: str) -> str:
    """Return untrusted text with a sign for every run of characters that would turn it round or cannot be seen.

    A text that reads one way on the page and another way for the model would be taken for what it is not.

    >>> reveal("a\u202eb"), reveal("\u200b\u200b")
    ('a⟦U+202E⟧b', '⟦2 hidden characters⟧')
    """
    return HIDDEN.sub(_sign_of, text)


def _sign_of(found: re.Match[str]) -> str:
    """Return what stands for a run of hidden characters."""
    run = found[0]
    return f"⟦U+{ord(run):04X}⟧" if len(run) == 1 else f"⟦{len(run)} hidden characters⟧"


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
    return f"“{isolated(shown(text, length))}”"


def isolated(text: str) -> str:
    """Return a text that stands among other words, kept from turning them round where it runs from right to left.

    >>> isolated("Paris"), isolated("\u05d0") == "\u2068\u05d0\u2069"
    ('Paris', True)
    """
    # An end of an isolate in the text would end ours.
    line = text.replace(ISOLATE, "").replace(POP, "")
    right_to_left = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in line)
    return f"{ISOLATE}{line}{POP}" if right_to_left else line


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

    >>> counted(1, "rewording"), counted(2048, "file")
    ('1 rewording', '2,048 files')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def signed(value: float, digits: int = 2) -> str:
    """Return a difference with its sign, two decimals by default, a true minus, and no sign where it rounds to zero.

    >>> signed(0.714), signed(-0.2), signed(-0.001)
    ('+0.71', '−0.20', '0.00')
    """
    amount = f"{abs(value):.{digits}f}"
    if float(amount) == 0:
        return amount
    return ("+" if value > 0 else "−") + amount


def duration_text(seconds: float) -> str:
    """Return a duration in words: its two largest units, the smaller one only where it is not zero.

    >>> duration_text(4.21), duration_text(9.96), duration_text(59.7), duration_text(75)
    ('4.2 s', '10 s', '1 min', '1 min 15 s')
    >>> duration_text(3599.6), duration_text(18000), duration_text(7300)
    ('1 h', '5 h', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if round(seconds, 1) < 10 else f"{whole} s"
    if whole < 3600:
        return two_units(whole // 60, "min", whole % 60, "s")
    return two_units(whole // 3600, "h", whole % 3600 // 60, "min")


def two_units(large: int, unit: str, small: int, part: str) -> str:
    """Return an amount in two units, without the smaller one where it is zero."""
    return f"{large} {unit} {small} {part}" if small else f"{large} {unit}"


def duration_range(low: float, high: float) -> str:
    """Return from what duration to what, one where both read the same.

    >>> duration_range(40, 75), duration_range(8.01, 8.02)
    ('40 s to 1 min 15 s', '8.0 s')
    """
    ends = duration_text(low), duration_text(high)
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def left_text(seconds: float) -> str:
    """Return how long something still takes, as roughly as it is known.

    >>> left_text(3), left_text(43), left_text(100), left_text(400), left_text(7500)
    ('a few seconds left', 'about 45 s left', 'about 2 min left', 'about 7 min left', 'about 2 h 5 min left')
    """
    if seconds < 7.5:
        return "a few seconds left"
    step = 5 if seconds < 57.5 else 60
    return f"about {duration_text(max(step, step * round(seconds / step)))} left"
