"""What every entailment judge gives: does this answer say what that answer says, given the question?

All judges put the question before an answer in one way, and have one rule for empty answers.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np

from engine.measures.abstention import states_answer as states_answer

CONTRADICTION, NEUTRAL, ENTAILMENT = 0, 1, 2
LABELS = ("contradiction", "neutral", "entailment")
Ask = Callable[[Sequence[str], Sequence[str]], np.ndarray]


class Judge(Protocol):
    """A judge held open. ``note`` says in a sentence how it comes to its three probabilities.

    ``pairs_at_once``: how many pairs it judges well in one call and within a second, since a run stops between calls.
    """

    name: str
    note: str
    pairs_at_once: int

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] probabilities (contradiction, neutral, entailment) that each premise entails its hypothesis.

        Rows sum to 1. By rule, without asking a model: both empty -> entailment 1; one empty -> neutral 1.
        """


def none_states_answer(texts: Iterable[str]) -> bool:
    """Return whether there are texts and none is an answer: they may agree, but not on an answer.

    >>> none_states_answer(["", "unknown"]), none_states_answer(["", "Karst"]), none_states_answer([])
    (True, False, False)
    """
    stated = [states_answer(text) for text in texts]
    return bool(stated) and not any(stated)


def with_question_mark(question: str) -> str:
    """Return the question with "?" at its end, as SePer's released code puts it (calculate.py 265).

    >>> with_question_mark("who wrote it"), with_question_mark("Who? ")
    ('who wrote it?', 'Who?')
    """
    question = question.strip()
    return question if question.endswith("?") else question + "?"


def with_rules(premises: Sequence[str], hypotheses: Sequence[str], ask: Ask) -> np.ndarray:
    """Return [n, 3] probabilities: both empty -> entailment 1, one empty -> neutral 1, the rest as ``ask`` says.

    Raises ValueError where there are not as many premises as hypotheses.
    """
    if len(premises) != len(hypotheses):
        raise ValueError(f"{len(premises)} premises and {len(hypotheses)} hypotheses do not pair up")
    rows = np.zeros((len(premises), 3), dtype=np.float64)
    open_rows = []
    for row, (premise, hypothesis) in enumerate(zip(premises, hypotheses, strict=True)):
        filled = bool(premise.strip()) + bool(hypothesis.strip())
        if filled == 2:
            open_rows.append(row)
        else:
            rows[row, NEUTRAL if filled else ENTAILMENT] = 1.0
    if open_rows:
        rows[open_rows] = ask([premises[row] for row in open_rows], [hypotheses[row] for row in open_rows])
    return rows
