"""How a class voted from phones: a bar an answer, or a number line; and the way into the class, to be read from afar.

What is right says so in words as well as in gold and hatching. Everything drawn is escaped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from markupsafe import Markup

from engine.learning.lessons.base import BELOW, Question, amount, asked_words, checked_number, right_words
from viz.learning.lessons import feedback, option_label, outcome, without_yes, word_label
from viz.parts.html import render
from viz.parts.qr_code import picture_source, qr_code
from viz.parts.theme import Theme
from viz.parts.words import counted, percent

MOST_WORDS = 7
BINS = 25
# A number that lies this many times as far off as the middle one is counted, and not drawn.
FAR_OFF = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteBar:
    """One answer: how many gave it, and their share of all votes, in [0, 1]."""

    text: str
    count: int
    share: float
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLine:
    """Numbers that were voted, in bins of equal width from ``low`` to ``high``.

    ``counts`` are the votes of each bin, ``right`` is where the right value stands, from 0 at ``low`` to 1 at ``high``;
    ``beyond`` counts votes too far off to be drawn.
    """

    low: float
    high: float
    counts: tuple[int, ...]
    right: float
    beyond: int


def vote_bars(question: Question, counts: Mapping[str, int]) -> tuple[VoteBar, ...]:
    """Return a bar for each answer of a question; of many words those that were voted for, and the right one."""
    total = sum(counts.values())
    words = [option.text for option in question.options]
    is_words = question.kind == "words"
    bars = [
        VoteBar(
            text=word_label(words, place) if is_words else option_label(text),
            count=counts.get(str(place), 0),
            share=counts.get(str(place), 0) / total if total else 0.0,
            right=place in (question.right, *question.also),
        )
        for place, text in enumerate(words)
    ]
    return tuple(fewest_words(bars)) if is_words else tuple(bars)


def fewest_words(bars: Sequence[VoteBar]) -> list[VoteBar]:
    """Return the right words and those with most votes, in the order of the text, and what is left as one bar."""
    first = [bar for bar in bars if bar.right][:2]
    voted = sorted((bar for bar in bars if bar.count and bar not in first), key=lambda bar: -bar.count)
    shown = [*first, *voted[: MOST_WORDS - len(first)]]
    rest = voted[MOST_WORDS - len(first) :]
    ordered = [bar for bar in bars if bar in shown]
    if rest:
        share = sum(bar.share for bar in rest)
        text = f"{counted(len(rest), 'other word')}"
        ordered.append(VoteBar(text=text, count=sum(bar.count for bar in rest), share=share, right=False))
    return ordered


def number_line(question: Question, counts: Mapping[str, int]) -> NumberLine:
    """Return the numbers that were voted as a line of bins that holds the right value."""
    votes = [(float(given), count) for given, count in counts.items()]
    off = median([abs(value - question.value) for value, count in votes for _ in range(count)] or [0.0])
    reach = FAR_OFF * max(off, question.tolerance, abs(question.value) / FAR_OFF, 1e-9)
    near = [(value, count) for value, count in votes if abs(value - question.value) <= reach]
    values = [question.value, *(value for value, _ in near)]
    room = max(0.1 * (max(values) - min(values)), question.tolerance, abs(question.value) * 0.05, 1e-9)
    width = (max(values) - min(values) + 2 * room) / (BINS - 1)
    # The right value stands in the middle of its bin.
    low = question.value - (int((question.value - min(values) + room) / width) + 0.5) * width
    bins = [0] * BINS
    for value, count in near:
        bins[int((value - low) / width)] += count
    return NumberLine(
        low=low,
        high=low + BINS * width,
        counts=tuple(bins),
        right=(question.value - low) / (BINS * width),
        beyond=sum(count for _, count in votes) - sum(count for _, count in near),
    )


def right_votes(question: Question, counts: Mapping[str, int]) -> int:
    """Return how many votes were right."""
    if question.kind == "number":
        return sum(count for given, count in counts.items() if checked_number(question, float(given)).right)
    return sum(counts.get(str(place), 0) for place in {question.right, *question.also})


def votes_sentence(question: Question, counts: Mapping[str, int]) -> str:
    """Return how many voted and how many of them were right.

    >>> votes_sentence(Question(kind="choice", text="?", right=1), {"0": 1, "1": 3})
    '3 of 4 votes right (75%)'
    """
    total, right = sum(counts.values()), right_votes(question, counts)
    return f"{right} of {counted(total, 'vote')} right ({percent(right / total)})"


def votes_html(question: Question, counts: Mapping[str, int], theme: Theme) -> Markup:
    """Return how a class voted as HTML; "" where nobody did."""
    if not counts:
        return Markup("")
    said = votes_sentence(question, counts)
    if question.kind != "number":
        return render("slide_votes.html.j2", said=said, bars=vote_bars(question, counts), theme=theme)
    line = number_line(question, counts)
    return render(
        "slide_numbers.html.j2",
        said=said,
        line=line,
        most=max(line.counts, default=0) or 1,
        values=[(amount(float(given)), counts[given]) for given in sorted(counts, key=float)],
        ends=(amount(line.low), amount(line.high)),
        right=amount(question.value, question.unit),
        beyond=f"{counted(line.beyond, 'vote')} far off" if line.beyond else "",
    )


def given_words(question: Question, given: str) -> str:
    """Return what somebody voted, in words as short as on the button."""
    if question.kind == "words":
        return word_label([option.text for option in question.options], int(given))
    return option_label(asked_words(question, given))


def answer_words(question: Question, given: str) -> str:
    """Return what is said on a phone after the reveal, where no lines of arithmetic follow.

    "" is somebody who did not vote.

    >>> answer_words(Question(kind="number", text="?", value=6.0), "6.0")
    'Right: it is 6.'
    """
    if not given:
        return f"You did not vote. It is: {right_words(question)}."
    result = outcome(question, given)
    if result.right:
        return f"Right: {without_yes(result.sentence)}"
    return f"Not right. {feedback(question, given)}".replace(f" {BELOW}", "")


def short_address(address: str) -> str:
    """Return an address as somebody types it: without "http://", which browsers add.

    >>> short_address("http://10.0.0.7:8501/vote"), short_address("https://scope.example/vote")
    ('10.0.0.7:8501/vote', 'scope.example/vote')
    """
    return address.removeprefix("http://").removeprefix("https://")


def join_html(code: str, typed: str, scanned: str) -> Markup:
    """Return the way into a class: the QR code of an address, the address to type and the code, in large letters."""
    picture = picture_source(qr_code(scanned))
    return render("slide_join.html.j2", code=code, typed=short_address(typed), scanned=scanned, picture=picture)


def count_html(count: int) -> Markup:
    """Return how many have voted, which readers of the screen are told as it grows."""
    return render("slide_count.html.j2", said=counted(count, "vote"))


def phone_rules(theme: Theme) -> str:
    """Return the style of a phone that votes: no page list, large buttons."""
    return str(render("phone.css.j2", theme=theme))
