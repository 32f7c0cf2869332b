"""What every judge shares: the question as it is put before an answer, and the rule for empty answers."""

from collections.abc import Callable, Sequence

import numpy as np

from engine.backends.entailment.base import ENTAILMENT, NEUTRAL

Ask = Callable[[Sequence[str], Sequence[str]], np.ndarray]


def asked(question: str) -> str:
    """Return the question with "?" at its end, as SePer's released code puts it (calculate.py 265).

    >>> asked("who wrote it"), asked("Who? ")
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
