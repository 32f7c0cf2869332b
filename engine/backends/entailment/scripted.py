"""A judge for tests, shipped beside the real ones: its judgements are scripted, and it lists the pairs that it got."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, with_rules

Verdict = int | tuple[float, float, float]


class ScriptedJudge:
    """A judge that reads its verdicts from a dict of (premise, hypothesis), or from a function of them.

    A verdict is a class (0, 1, 2) or three probabilities. What a dict does not name is entailment where both texts are
    equal and contradiction otherwise. ``asked`` holds every (question, premise, hypothesis), in order.
    """

    name = "scripted"
    note = "Verdicts written by hand for a test."
    pairs_at_once = 32

    def __init__(self, verdicts: Mapping[tuple[str, str], Verdict] | Callable[[str, str], Verdict]) -> None:
        self._verdicts = verdicts
        self.asked: list[tuple[str, str, str]] = []

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] probabilities as scripted; empty texts by the rule of every judge."""
        pairs = list(zip(premises, hypotheses, strict=True))
        self.asked.extend((question, *pair) for pair in pairs)
        return with_rules(premises, hypotheses, lambda left, right: np.array(list(map(self._verdict, left, right))))

    def _verdict(self, premise: str, hypothesis: str) -> np.ndarray:
        if callable(self._verdicts):
            verdict = self._verdicts(premise, hypothesis)
        else:
            verdict = self._verdicts.get((premise, hypothesis), ENTAILMENT if premise == hypothesis else CONTRADICTION)
        return np.eye(3)[verdict] if isinstance(verdict, int) else np.array(verdict)
