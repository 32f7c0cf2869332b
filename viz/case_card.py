"""A recorded run as a picture card: what happened, the answer from memory → the answer after reading, right or not."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.diagnosis.record import Diagnosis
from viz.headline import Case, headline
from viz.html import render
from viz.story import AnswerBox, answer_box
from viz.verdicts import SIGNS, Tone
from viz.words import counted

ANSWER_LETTERS = 34
MOST_CARDS = 4
WIDEST_WORD = 13  # letters that fit beside the other answer; a longer word puts one answer under the other
# The cases that show most of what reading can do, first those in which it changes the answer.
TELLING: tuple[Case, ...] = ("spoiled", "helped", "overlooked", "supplied", "missed", "kept_right", "hedged", "wrong")


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


def case_card(run_id: str, diagnosis: Diagnosis) -> CaseCard:
    """Return the card of a run that has both answers."""
    found = headline(diagnosis)
    return CaseCard(
        run_id=run_id,
        question=diagnosis.question,
        case=found.case,
        tone=found.tone,
        sentence=found.sentence,
        memory=answer_box("From memory", diagnosis.closed_book.text, diagnosis.golds, ANSWER_LETTERS),
        answer=answer_box("After reading", diagnosis.answer.text, diagnosis.golds, ANSWER_LETTERS),
        passages=len(diagnosis.hits),
    )


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
