"""A judge for tests, shipped beside the real ones: it says what it is told to say, and remembers what it was asked."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL

Verdict = int | tuple[float, float, float]
CERTAIN: dict[int, tuple[float, float, float]] = {
    CONTRADICTION: (1.0, 0.0, 0.0),
    NEUTRAL: (0.0, 1.0, 0.0),
    ENTAILMENT: (0.0, 0.0, 1.0),
}


class ScriptedJudge:
    """A judge that reads its verdicts from a dict of (premise, hypothesis), or from a function of them.

    A verdict is a class (0, 1, 2) or three probabilities. What a dict does not name is entailment where both texts are
    equal and contradiction otherwise. ``asked`` holds every (question, premise, hypothesis), in order.
    """

    name = "scripted"
    note = "Verdicts written by hand for a test."
    pairs_at_once = 32

    def __init__(self, verdicts: Mapping[tuple[str, str], Verdict] | Callable[[str, str], Verdict]) -> None:
        """Hold the verdicts."""
        self._verdicts = verdicts
        self.asked: list[tuple[str, str, str]] = []

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] probabilities as scripted; empty texts by the rule of every judge."""
        rows = []
        for premise, hypothesis in zip(premises, hypotheses, strict=True):
            self.asked.append((question, premise, hypothesis))
            verdict = self._verdict(premise, hypothesis)
            rows.append(CERTAIN[verdict] if isinstance(verdict, int) else verdict)
        return np.array(rows, dtype=np.float64).reshape(len(rows), 3)

    def _verdict(self, premise: str, hypothesis: str) -> Verdict:
        """Return the scripted verdict of one pair."""
        if not premise.strip() or not hypothesis.strip():
            return ENTAILMENT if premise.strip() == hypothesis.strip() else NEUTRAL
        if callable(self._verdicts):
            return self._verdicts(premise, hypothesis)
        return self._verdicts.get((premise, hypothesis), ENTAILMENT if premise == hypothesis else CONTRADICTION)
