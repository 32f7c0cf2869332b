"""A recorded run as a picture card: what happened, the answer from memory → the answer after reading, right or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal
from urllib.parse import urlencode

from pydantic import TypeAdapter

from engine.core.folders import sample_data
from engine.core.words import shorten
from viz.methods.verdicts import SIGNS, Tone
from viz.parts.html import render
from viz.parts.words import counted

CARDS = "cards.json"
QUESTION_LETTERS = 90
MOST_CARDS = 4
WIDEST_WORD = 13  # letters that fit beside the other answer; a longer word puts one answer under the other
Case = Literal[
    "no_passages",
    "kept_right",
    "right",
    "alike",
    "spoiled",
    "silenced",
    "hedged",
    "helped",
    "supplied",
    "missed",
    "overlooked",
    "wrong",
    "unanswered_missed",
    "unanswered_overlooked",
    "unanswered",
    "changed",
    "unchanged",
    "fell_silent",
    "spoke_up",
    "never_answered",
]
# The cases that show most of what reading can do, first those in which it changes the answer.
TELLING: tuple[Case, ...] = ("spoiled", "helped", "overlooked", "supplied", "missed", "kept_right", "hedged", "wrong")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBox:
    """An answer in the flow: what it is, its text and the same cut, its mark in words, its tone.

    ``pieces`` are the cut text in parts, each with the number of its link into a passage, None without one.
    """

    kind: str
    text: str
    short: str
    word: str
    tone: Tone
    sign: str
    pieces: tuple[tuple[str, int | None], ...] = ()

    @property
    def longest(self) -> int:
        """How many letters the longest word of the cut text has: it sets the size of the letters, so none breaks."""
        return max(map(len, self.short.split()), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCard:
    """What stands on a card: the run, its question, its case with tone and sentence, both answers, passages read."""

    run_id: str
    question: str
    case: Case
    tone: Tone
    sentence: str
    memory: AnswerBox
    answer: AnswerBox
    passages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedCard:
    """A line of ``cards.json``: a recorded example's card, and when its run was recorded, as the list of runs says."""

    recorded: str
    card: CaseCard


@cache
def shipped_cards() -> Mapping[tuple[str, str], CaseCard]:
    """Return the cards of the recorded examples by id and time of recording; {} where they cannot be read."""
    try:
        lines = TypeAdapter(tuple[ShippedCard, ...]).validate_json((sample_data() / CARDS).read_bytes())
    except (OSError, ValueError):
        return {}
    return {(line.card.run_id, line.recorded): line.card for line in lines}


def telling_cards(cards: Sequence[CaseCard], most: int = MOST_CARDS) -> tuple[CaseCard, ...]:
    """Return at most so many cards of different cases, the most telling first."""
    first: dict[Case, CaseCard] = {}
    for card in cards:
        first.setdefault(card.case, card)
    order = [*(case for case in TELLING if case in first), *(case for case in first if case not in TELLING)]
    return tuple(first[case] for case in order[:most])


def case_card_html(card: CaseCard) -> str:
    """Return a card's picture as HTML, without the question, which is its button."""
    read = counted(card.passages, "passage")
    return render("case_card.html.j2", card=card, sign=SIGNS[card.tone], read=read, widest=WIDEST_WORD)


def cases_html(name: str, cards: Sequence[CaseCard]) -> str:
    """Return cards as HTML in a grid of this name, each with its question as a link that carries the card's place."""
    return framed_cards_html(name, [(card, case_card_html(card)) for card in cards])


def framed_cards_html(name: str, cards: Sequence[tuple[CaseCard | None, str]]) -> str:
    """Return framed pictures as HTML side by side, each with the card whose run it opens, None where it opens none."""
    shown = [
        {
            "link": f"?{urlencode({'run': card.run_id})}" if card else "",
            "question": card.question if card else "",
            "short": shorten(card.question, QUESTION_LETTERS) if card else "",
            "picture": picture,
        }
        for card, picture in cards
    ]
    return render("cases.html.j2", grid=name, cards=shown)
