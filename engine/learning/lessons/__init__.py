"""Nine lessons on recorded runs: predict first, then see the arithmetic on the run's own numbers.

``LESSONS`` is the one list, word -> lesson, in the order they are taught. A lesson shows the first of its file's
``runs`` that still fits its predicates; ``python -m scripts.lesson_runs`` lists every run that would.
"""

from engine.learning.lessons import (
    belief,
    cooccurrence,
    delayed_redundant,
    entailment_graph,
    low_entropy,
    necessary_chunk,
    second_difference,
    semantic_equivalence,
    when_not,
)
from engine.learning.lessons.base import Lesson

LESSONS: dict[str, Lesson] = {
    lesson.word: lesson
    for lesson in (
        semantic_equivalence.LESSON,
        entailment_graph.LESSON,
        necessary_chunk.LESSON,
        belief.LESSON,
        low_entropy.LESSON,
        second_difference.LESSON,
        delayed_redundant.LESSON,
        cooccurrence.LESSON,
        when_not.LESSON,
    )
}
