"""Question parts: is every part of the question answered, or only one of several?

The question is taken apart by its wording (``engine.methods.question_clauses``); each part asks for a date, a number, a
person, a place, a yes or no, or something else. A part counts as answered where the answer has a piece of that kind
that no other part takes. This says nothing about whether the piece is right.
"""

from dataclasses import dataclass
from typing import Literal

from engine.backends.entailment.base import states_answer
from engine.backends.language_models.base import Capabilities
from engine.core.progress import Stage
from engine.measures.question_parts import answered_share, matched
from engine.methods.base import Backends, Case
from engine.methods.cost import Load, Plan
from engine.methods.descriptor import Method
from engine.methods.question_clauses import Asked, asked_in, clauses_of, is_phrase, pieces_of
from engine.methods.reach import Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPartsConfig:
    """Nothing can be set: the rules are fixed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPart:
    """One part of the question: its words, what it asks for, and the piece of the answer that answers it.

    ``by`` is "" where there is none; it stands at characters [start, end) of the answer.
    """

    text: str
    asked: Asked
    answered: bool
    by: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPartsResult:
    """The parts of the question in order, the answer they were held against, and the answered share in [0, 1].

    ``stated`` is False where the answer is empty or says that there is none: then no part is answered.
    """

    method: Literal["question_parts"] = "question_parts"
    answer: str
    stated: bool
    parts: tuple[QuestionPart, ...]
    share: float
    not_measured: str = ""

    @property
    def answered(self) -> tuple[bool, ...]:
        """Whether each part is answered."""
        return tuple(part.answered for part in self.parts)


def run(case: Case, config: QuestionPartsConfig, backends: Backends) -> QuestionPartsResult:
    """Return the parts of the question, each with what answers it."""
    backends.report(Stage(method="question_parts", name="taking the question apart", total=1))
    answer = case.answer.text.strip()
    stated = states_answer(answer)
    pieces = pieces_of(answer, backends.text.entities(answer), case.question) if stated else ()
    clauses = clauses_of(case.question) or (case.question,)
    asked = [asked_in(clause) for clause in clauses]
    whole = len(clauses) == 1 and is_phrase(answer)
    parts = []
    for clause, kind, place in zip(clauses, asked, matched(asked, [one.kinds for one in pieces]), strict=True):
        piece = None if place is None else pieces[place]
        by: dict[str, object] = {}
        if piece is not None:  # of one phrase a word or two would be half the answer: "Clan" of "the hawadle Clan"
            start, end = (0, len(answer)) if whole else (piece.start, piece.end)
            by = {"by": answer[start:end], "start": start, "end": end}
        parts.append(QuestionPart(text=clause, asked=kind, answered=piece is not None, **by))  # type: ignore[arg-type]
    return QuestionPartsResult(
        answer=answer, stated=stated, parts=tuple(parts), share=answered_share([part.answered for part in parts])
    )


def needs(able: Capabilities) -> Reach:
    """Return the reach: every model's answer can be read."""
    return Reach(method="question_parts", level="exact")


def load(config: QuestionPartsConfig, plan: Plan) -> Load:
    """Return no load: no model is asked."""
    return Load()


METHOD = Method(
    word="question_parts",
    title="Question parts",
    question="Is every part of the question answered?",
    paper="not in a paper",
    icon="checklist",
    config=QuestionPartsConfig,
    result=QuestionPartsResult,
    run=run,
    needs=needs,
    load=load,
    settings=lambda result: QuestionPartsConfig(),
    headlines=lambda result: ("share", "part_count"),
)
