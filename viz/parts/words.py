"""How text and numbers are put into words on a figure: the empty answer, long text, lists, right-to-left script."""

import math
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime

from engine.core.records import ThresholdSource
from engine.core.words import closed as closed
from engine.core.words import counted as counted
from engine.core.words import listing as listing
from engine.core.words import quoted as quoted
from engine.core.words import shown as shown
from engine.core.words import signed as signed
from engine.measures.answer_words import forms_of, joined, words_of
from viz.parts.data_files import read_table
from viz.parts.theme import plain

HOVER_WIDTH = 64
# What sums of floating point leave of a value that is 0.
ROUNDING = 1e-12
MOST_DIGITS = 8
HOVER_LINES = 14
# What a reader sees for each stored value, by the name of its table.
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WORDS: dict[str, dict[str, str]] = read_table("parts/words.yaml", dict[str, dict[str, str]])
EMPTY_MARKS = " \t\n.,;:!?\"'“”‘’()[]"


def origin_words(source: ThresholdSource, paper: str = "paper's") -> str:
    """Return where a threshold comes from; ``paper`` is what to say of the paper's own.

    >>> origin_words("paper"), origin_words("fitted"), origin_words("chosen")
    ("paper's", 'fitted', 'chosen')
    """
    return paper if source == "paper" else source


def model_name(name: str) -> str:
    """Return a language model's name: of those that come with the package what they are, else the name it was asked by.

    >>> model_name("embedded"), model_name("gpt2")
    ('SmolLM2-135M reader', 'gpt2')
    """
    return WORDS["model names"].get(name, name)


def named_model(words: str) -> str:
    """Return what a record says of a model with its name in place of what it was asked by.

    >>> named_model("embedded-base (r1)"), named_model("the model")
    ('SmolLM2-135M (r1)', 'the model')
    """
    name, rest, facts = words.partition(" (")
    return model_name(name) + rest + facts


def judge_name(name: str) -> str:
    """Return a judge's name: of those that come with the package what they are, else the name it was asked by."""
    return WORDS["judge names"].get(name, name)


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Return things by their numbers, which rise; four or more in a row by the first and the last.

    >>> numbered("chunk", [2]), numbered("chunk", [3, 4]), numbered("chunk", [1, 2, 3, 4, 7])
    ('chunk 2', 'chunks 3 and 4', 'chunks 1 to 4 and 7')
    """
    return f"{noun}{'' if len(numbers) == 1 else 's'} {listing(number_ranges(numbers))}"


def number_ranges(numbers: Sequence[int]) -> list[str]:
    """Return rising numbers as words, four or more in a row as one.

    >>> number_ranges([1, 2, 3, 4, 6, 7])
    ['1 to 4', '6', '7']
    """
    rows: list[list[int]] = []
    for number in numbers:
        if rows and number == rows[-1][-1] + 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return [said for row in rows for said in ([f"{row[0]} to {row[-1]}"] if len(row) > 3 else map(str, row))]


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first names as a list in words, and how many more there are.

    >>> first_of(["a", "b"], 2), first_of(["a", "b", "c"], 1)
    ('a and b', 'a and 2 more')
    """
    return listing([*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])])


def wrapped(text: str, width: int = HOVER_WIDTH, lines: int = HOVER_LINES) -> str:
    """Return untrusted text for a Plotly label: escaped, broken into at most ``lines`` lines of ``width`` characters.

    >>> wrapped("a <b> c", width=3)
    'a<br>&lt;b&gt;<br>c'
    """
    pieces = textwrap.wrap(shown(text), width, max_lines=lines, placeholder=" …", break_on_hyphens=False)
    return "<br>".join(plain(piece) for piece in pieces)


def lines_of(text: str, width: int, most: int) -> list[str]:
    """Return a text as at most so many lines of so many letters.

    >>> lines_of("one two three", 7, 2)
    ['one two', 'three']
    """
    return textwrap.wrap(shown(text), width, max_lines=most, placeholder=" …")


def meaning_key(text: str) -> str:
    """Return a text as meanings are compared across conditions: no case, punctuation or articles; numbers stay whole.

    >>> meaning_key("The Eiffel Tower."), meaning_key("1.5"), meaning_key("15")
    ('eiffel tower', '1.5', '15')
    """
    return " ".join(forms_of(joined(words_of(text)))) or text.strip(EMPTY_MARKS)


def same_meaning(first: str, second: str) -> bool:
    """Return whether two texts are one meaning; an empty second text is the choice of none.

    >>> same_meaning("The Paris.", "paris"), same_meaning("Paris", "")
    (True, False)
    """
    return bool(second) and meaning_key(first) == meaning_key(second)


def settled(value: float, unit: str) -> float:
    """Return a value as it is told: of an entropy no trace that rounding left of 0. A probability may be that small.

    >>> settled(1.1e-16, "nats"), settled(1.1e-16, "probability"), settled(-0.0, "")
    (0.0, 1.1e-16, 0.0)
    """
    return 0.0 if unit == "nats" and abs(value) < ROUNDING else value + 0.0


def digits_apart(value: float, *bounds: float, least: int = 2) -> int:
    """Return the decimals, at most ``MOST_DIGITS``, at which a value reads on the side of each bound where it lies.

    >>> digits_apart(0.3, 0.2), digits_apart(0.20023, 0.2), digits_apart(0.4004, 0.4, 0.9), digits_apart(0.225, 0.225)
    (2, 4, 4, 3)
    """
    enough = (d for d in range(least, MOST_DIGITS) if all(_reads_apart(value, bound, d) for bound in bounds))
    return next(enough, MOST_DIGITS)


def _reads_apart(value: float, bound: float, digits: int) -> bool:
    told, cut = round(value, digits), round(bound, digits)
    return cut == bound if value == bound else told != cut and (told > cut) == (value > bound)


def bound_words(bound: float) -> str:
    """Return a threshold with two decimals, or all it has up to six digits.

    >>> bound_words(0.4), bound_words(0.4125)
    ('0.40', '0.4125')
    """
    return f"{bound:.2f}" if round(bound, 2) == bound else f"{bound:g}"


def end_words(value: float, digits: int = 2, *, with_sign: bool = False) -> str:
    """Return an end of an interval, which never reads as 0 where it is none: on which side of 0 it lies decides.

    >>> end_words(0.3), end_words(0.0004), end_words(-0.0004), end_words(0.0), end_words(0.3, with_sign=True)
    ('0.30', 'just above 0', 'just below 0', '0.00', '+0.30')
    """
    if abs(value) > ROUNDING and round(abs(value), digits) == 0:
        return "just above 0" if value > 0 else "just below 0"
    return signed(value, digits) if with_sign else f"{value + 0.0:.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """Return a share in whole percent, which reads as none or all only where it is none or all.

    >>> percent(0.8), percent(0.996), percent(0.004), percent(1.0), percent(0.0)
    ('80%', 'over 99%', 'under 1%', '100%', '0%')
    """
    if ROUNDING < share < 0.005:
        return "under 1%"
    if 0.995 <= share < 1 - ROUNDING:
        return "over 99%"
    return f"{abs(share):.0%}"


def chance(value: float, *bounds: float, least: int = 2) -> str:
    """Return a probability with two decimals (``least``), or as many as tell it from 0, from 1 and from the bounds.

    >>> chance(0.3), chance(0.998), chance(1.0), chance(0.89002, 0.89), chance(1e-9), chance(1 - 1e-9)
    ('0.30', '0.998', '1.00', '0.89002', 'under 0.0001', 'over 0.9999')
    """
    if 0 < value < 1e-4:
        return "under 0.0001"
    return "over 0.9999" if 1 - 1e-4 < value < 1 else f"{value:.{digits_apart(value, 0.0, 1.0, *bounds, least=least)}f}"


def yes_or_no(value: bool) -> str:
    """Return "yes" or "no"."""
    return "yes" if value else "no"


def value_words(value: float | None, unit: str = "") -> str:
    """Return a number as a reader sees it: four significant digits, *not measured* by name, never as 0.

    >>> value_words(0.450561), value_words(None), value_words(-math.inf), value_words(1040.0), value_words(-0.0)
    ('0.4506', 'not measured', '−∞', '1,040', '0')
    >>> value_words(-0.00000478), value_words(1.1e-16, "nats")
    ('−4.78 × 10⁻⁶', '0')
    """
    if value is None or math.isnan(value):
        return "not measured"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    value = settled(value, unit)
    if float(value).is_integer() and abs(value) < 1e12:
        return f"{int(value):,}".replace("-", "−")
    digits, _, power = f"{value:.4g}".partition("e")
    times = f" × 10{str(int(power)).translate(RAISED)}" if power else ""
    return digits.replace("-", "−") + times


def moment_words(stored: str) -> str:
    """Return a stored time in words, to the minute.

    >>> moment_words("2026-11-08T07:05:09.123456+00:00")
    '8 Nov 2026, 07:05 UTC'
    """
    moment = datetime.fromisoformat(stored).astimezone(UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"
