"""A method's word on one question: one word to read from the back row, one sentence that says why.

The tone chooses the colour and an icon; the word always repeats what they say. "unknown" is a verdict of its own:
cannot tell is neither good nor bad.
"""

from dataclasses import dataclass
from typing import Literal

from viz.theme import Theme, plain, rgba

Tone = Literal["good", "middle", "bad", "unknown"]
SIGNS: dict[Tone, str] = {"good": "✔", "middle": "◐", "bad": "✖", "unknown": "?"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A word, how it is meant, and the sentence with the numbers behind it. Plain text: escape before drawing."""

    word: str
    tone: Tone
    sentence: str


def tone_colour(tone: Tone, theme: Theme) -> str:
    """Return the theme's colour of a tone."""
    return {"good": theme.good, "middle": theme.middle, "bad": theme.bad, "unknown": theme.unknown}[tone]


def verdict_html(verdict: Verdict, theme: Theme) -> str:
    """Return the verdict as escaped HTML: the word large in its colour with a sign, the sentence beside it."""
    colour = tone_colour(verdict.tone, theme)
    return (
        f'<div style="border-left:6px solid {colour};background:{rgba(colour, 0.1)};padding:0.7rem 1rem;'
        f'border-radius:0.4rem;color:{theme.text};overflow-wrap:anywhere">'
        f'<div style="font-size:1.5rem;font-weight:700;color:{colour}">'
        f'<span aria-hidden="true">{SIGNS[verdict.tone]}</span> {plain(verdict.word)}</div>'
        f'<div style="font-size:1.05rem;line-height:1.5">{plain(verdict.sentence)}</div></div>'
    )
