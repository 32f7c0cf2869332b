"""What every entailment judge gives: does this answer say what that answer says, given the question?"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

CONTRADICTION, NEUTRAL, ENTAILMENT = 0, 1, 2


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
