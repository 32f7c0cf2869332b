"""The sentences that decide a failure: where the right answer stands in the passages, and where the wrong one that was
given does. Cut at punctuation, so that they need no model; a sentence is at most 220 characters, around the answer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.core.records import Hit
from engine.learning.atlas.facts import answer_text, is_right
from engine.learning.atlas.shelf import Specimen
from viz.parts.html import render
from viz.runs.summary import bare_answer, marked_pieces, marked_spans

MOST_LETTERS = 220
Held = Literal["right answer", "wrong answer"]
END = re.compile(r"(?<=[.!?])\s+(?=[\"“(]?[A-Z0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """One sentence of a passage, by rank from 1, with what it holds: the right answer or the wrong one given.

    ``text`` is the sentence cut to what is drawn, ``whole`` all of it.
    """

    rank: int
    title: str
    text: str
    whole: str
    holds: Held


def deciding_sentences(specimen: Specimen) -> tuple[Deciding, ...]:
    """Return the first sentence with the right answer and the first with the wrong one given; () where neither is."""
    given = bare_answer(answer_text(specimen.run))
    wrong = () if is_right(specimen.run, specimen.question) or not given else (given,)
    found: list[Deciding] = []
    sought: tuple[tuple[Held, tuple[str, ...]], ...] = (
        ("right answer", specimen.question.golds),
        ("wrong answer", wrong),
    )
    for holds, wanted in sought:
        first = next(sentences_with(specimen.run.hits, wanted), None)
        if first is not None:
            hit, whole = first
            text = around(whole, wanted)
            found.append(Deciding(rank=hit.rank, title=hit.passage.title, text=text, whole=whole, holds=holds))
    return tuple(found)


def sentences_with(hits: tuple[Hit, ...], answers: tuple[str, ...]) -> Iterator[tuple[Hit, str]]:
    """Yield each sentence of the passages that has one of the answers in it, with its passage."""
    for hit in hits:
        for sentence in END.split(hit.passage.text):
            spans = marked_spans(sentence, answers)
            if spans:
                yield hit, " ".join(sentence.split())


def around(sentence: str, answers: tuple[str, ...]) -> str:
    """Return a sentence of at most MOST_LETTERS characters: a longer one cut around the first answer in it.

    >>> around("Bern lies there.", ("Bern",))
    'Bern lies there.'
    """
    if len(sentence) <= MOST_LETTERS:
        return sentence
    spans = marked_spans(sentence, answers)
    start = max(0, (spans[0][0] if spans else 0) - MOST_LETTERS // 2)
    piece = sentence[start : start + MOST_LETTERS]
    return f"{'… ' if start else ''}{piece}{' …' if start + MOST_LETTERS < len(sentence) else ''}"


def deciding_html(specimen: Specimen) -> str:
    """Return the deciding sentences as HTML, the answers in them marked; "" where there is none."""
    given = "" if is_right(specimen.run, specimen.question) else answer_text(specimen.run)
    rows = [(one, marked_pieces(one.text, specimen.question.golds, given)) for one in deciding_sentences(specimen)]
    return render("deciding.html.j2", rows=rows) if rows else ""
