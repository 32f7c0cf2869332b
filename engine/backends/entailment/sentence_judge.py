"""The judge of two sentences: does what the second says follow from the first?

For rewordings, which must say what the sentence said, and for passages that contradict each other. It is no judge of
answers: detail that the premise does not have is not entailed, whatever the question. Each sentence is read as its
clauses (``clauses.py``), and the two are compared (``clause_comparison.py``).
"""

from collections.abc import Sequence

import numpy as np

from engine.backends.entailment.answers import words
from engine.backends.entailment.base import with_rules
from engine.backends.entailment.clause_comparison import Comparison, compared
from engine.backends.entailment.clauses import read_sentence
from engine.backends.entailment.rules import SAME, Probabilities

OTHERWISE: Probabilities = (0.85, 0.12, 0.03)
UNSURE: Probabilities = (0.05, 0.85, 0.10)


class SentenceJudge:
    """Clauses compared by rule; deterministic."""

    name = "sentences"
    pairs_at_once = 32
    note = (
        "Two sentences compared by their clauses as the parser finds them: subject, verb and object, whose, where and "
        "when, negation, hedges, names and numbers. By rule; no trained model, and not calibrated."
    )

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] (contradiction, neutral, entailment); the question is not read."""
        return with_rules(
            premises,
            hypotheses,
            lambda left, right: np.array([judged(*pair) for pair in zip(left, right, strict=True)]),
        )


def judged(premise: str, hypothesis: str) -> Probabilities:
    """Return the verdict on two sentences."""
    if words(premise) == words(hypothesis):
        return SAME
    return verdict(compared(read_sentence(premise), read_sentence(hypothesis)))


def verdict(found: Comparison) -> Probabilities:
    """Return the probabilities for what a comparison found: what differs outright, then how much is not said."""
    if found.denied_otherwise or found.swapped or found.other_number or found.other_name:
        return OTHERWISE if found.new_words < 0.7 else UNSURE
    if found.opposite or found.other_unit or found.other_time or found.exchanged:
        return OTHERWISE
    unsure = (found.hedge_lost, found.new_number, found.new_name, found.other_owner, found.other_doer)
    if any(unsure) or found.other_amount_of_all:
        return UNSURE
    entailment = max(0.03, 0.96 - 2.5 * found.new_words - 0.8 * found.loose_arcs - 0.4 * found.new_arcs)
    return (0.25 * (1 - entailment), 0.75 * (1 - entailment), entailment)
