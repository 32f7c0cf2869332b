"""A method's verdict on one question: one word to read from the back row, one sentence that gives the reason.

The tone chooses the colour and the sign; the word always repeats what they say. "good" needs evidence: a correct answer
that the answer or its samples meet, a passage or document that holds a claim, or a check of a file that held. What only
says how the model behaves (stable, sure, no lookup) is "model", whether or not the answer is right. "middle" asks for a
look, "bad" has evidence against, "unknown" is not measured or not decided.
"""

import re
from dataclasses import dataclass
from typing import Literal

from engine.core.words import closed
from viz.parts.data_files import read_table
from viz.parts.html import render
from viz.parts.theme import Theme

Tone = Literal["good", "model", "middle", "bad", "unknown"]
SIGNS: dict[Tone, str] = {"good": "✔", "model": "●", "middle": "◐", "bad": "✖", "unknown": "?"}
BRIEF_WORDS, WORD_WORDS = 15, 7
# Not before a word that no sentence of its own begins with.
CLAUSE_END = re.compile(r"[.:;](?=\s)|,(?=\s(?!(?:so|which|who|whose|because)\b))|\s(?=\()")
# The tone of each stored value, by the name of its table.
TONES: dict[str, dict[str, Tone]] = read_table("methods/verdicts.yaml", dict[str, dict[str, Tone]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A word, its tone, the sentence with its number, and more detail for a page, as plain text.

    ``brief`` is the sentence in at most 15 words; "" cuts it from the sentence.
    """

    word: str
    tone: Tone
    sentence: str
    detail: str = ""
    brief: str = ""


def tone_colour(tone: Tone, theme: Theme) -> str:
    """Return the theme's colour of a tone."""
    return str(getattr(theme, tone))


def brief_of(verdict: Verdict) -> str:
    """Return the verdict's sentence in at most 15 words: whole, or cut where one of its clauses ends.

    >>> brief_of(Verdict(word="", tone="bad", sentence="It fell: 0.8 to 0.3 (" + "a " * 12 + "b)."))
    'It fell: 0.8 to 0.3.'
    """
    return _cut(verdict.brief or verdict.sentence)[0]


def rest_of(verdict: Verdict) -> str:
    """Return what the verdict's line leaves out: the end of a sentence that is cut or begins with its brief, else "".

    >>> rest_of(Verdict(word="", tone="bad", sentence="It fell: 0.8 to 0.3 (" + "a " * 12 + "b)."))
    'A a a a a a a a a a a a b.'
    """
    rest = _cut(verdict.brief or verdict.sentence)[1]
    if verdict.brief and verdict.sentence.startswith(verdict.brief):
        rest += verdict.sentence.removeprefix(verdict.brief)
    rest = rest.strip(" .:;,")
    rest = re.sub(r"^\(([^()]*)\)", r"\1", rest)
    return closed(rest[:1].upper() + rest[1:]) if rest else ""


def _cut(said: str) -> tuple[str, str]:
    """Return a sentence in at most 15 words, cut at the end of a clause or else with "…", and what was cut off."""
    if len(said.split()) <= BRIEF_WORDS:
        return said, ""
    ends = [found.start() for found in CLAUSE_END.finditer(said)]
    # A cut inside brackets would leave them open.
    parts = [said[:end] for end in ends if said[:end].count("(") == said[:end].count(")")]
    fitting = [part for part in parts if len(part.split()) <= BRIEF_WORDS]
    words = said.split()
    short = fitting[-1] if fitting else " ".join(words[:BRIEF_WORDS]) + " …"
    rest = said[len(short) :] if fitting else " ".join(words[BRIEF_WORDS:])
    return short if short.endswith((".", "…", "?", "!")) else f"{short}.", rest


def verdict_line_html(verdict: Verdict, theme: Theme) -> str:
    """Return the verdict on one line as HTML: its word in its colour with a sign, then at most 15 words.

    A word that is a sentence itself is left to the full verdict.
    """
    colour, word = tone_colour(verdict.tone, theme), verdict.word
    word = word if len(word.split()) <= WORD_WORDS else ""
    return render("verdict_line.html.j2", word=word, brief=brief_of(verdict), colour=colour, sign=SIGNS[verdict.tone])


def reading_html(verdict: Verdict) -> str:
    """Return what the verdict's line leaves out, as HTML: a word too long for it, the end of its sentence, its detail.

    "" where it leaves out nothing.
    """
    word = verdict.word if len(verdict.word.split()) > WORD_WORDS else ""
    rest = " ".join(part for part in (closed(word) if word else "", rest_of(verdict)) if part)
    return render("verdict_reading.html.j2", rest=rest, detail=verdict.detail) if rest or verdict.detail else ""


def verdict_html(verdict: Verdict, theme: Theme) -> str:
    """Return the verdict as HTML: the word large in its colour with a sign, the sentence below it."""
    colour = tone_colour(verdict.tone, theme)
    return render("verdict.html.j2", verdict=verdict, colour=colour, sign=SIGNS[verdict.tone], theme=theme)
