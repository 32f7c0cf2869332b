"""A method's verdict on one question: one word to read from the back row, one sentence that gives the reason.

The tone chooses the colour and the sign; the word always repeats what they say. "good" needs evidence: a correct answer
that the answer or its samples meet, a passage or document that holds a claim, or a check of a file that held. What only
says how the model behaves (stable, sure, no lookup) is "model", whether or not the answer is right. "middle" asks for a
look, "bad" has evidence against, "unknown" is not measured or not decided.
"""

from dataclasses import dataclass
from typing import Literal

from viz.data_files import read_table
from viz.html import render
from viz.theme import Theme

Tone = Literal["good", "model", "middle", "bad", "unknown"]
SIGNS: dict[Tone, str] = {"good": "✔", "model": "●", "middle": "◐", "bad": "✖", "unknown": "?"}
# The tone of each stored value, by the name of its table.
TONES: dict[str, dict[str, Tone]] = read_table("verdicts.yaml", dict[str, dict[str, Tone]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A word, its tone, the sentence with its number, and more detail for a page, as plain text."""

    word: str
    tone: Tone
    sentence: str
    detail: str = ""


def tone_colour(tone: Tone, theme: Theme) -> str:
    """Return the theme's colour of a tone."""
    return str(getattr(theme, tone))


def verdict_html(verdict: Verdict, theme: Theme) -> str:
    """Return the verdict as HTML: the word large in its colour with a sign, the sentence below it."""
    colour = tone_colour(verdict.tone, theme)
    return render("verdict.html.j2", verdict=verdict, colour=colour, sign=SIGNS[verdict.tone], theme=theme)
