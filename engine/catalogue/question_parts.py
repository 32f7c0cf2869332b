"""The numbers of question parts: how many there are; the share follows from its table."""

from engine.catalogue.base import Fact, entry
from engine.methods.question_parts import QuestionPartsResult

ENTRIES = (
    entry(QuestionPartsResult, "part_count", read=lambda result: len(result.parts), compared_in=QuestionPartsResult),
)
FACTS: tuple[Fact, ...] = ()
