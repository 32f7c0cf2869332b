"""A judge that remembers its judgements, and opens its weights only for a pair that it has not judged before.

A judgement depends on the judge, the question, the premise and the hypothesis. Each is kept on disk by itself, so that
another method, a second look or a run that goes on where it stopped needs only what is missing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.backends.call_cache import CallCache
from engine.backends.entailment.base import Judge
from engine.backends.memory import Memory, Opener, json_codec
from engine.core.errors import ModelError

Row = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFacts:
    """What is known of a judge without opening it."""

    name: str
    note: str
    pairs_at_once: int


FACTS, ROW = json_codec(JudgeFacts), json_codec(Row)


class CachedJudge:
    """A judge behind its judgements; ``maker`` names its weights, number type, code and machine in the cache."""

    def __init__(self, facts: JudgeFacts, open_judge: Callable[[], Judge], cache: CallCache, maker: str) -> None:
        self.name, self.note, self.pairs_at_once = facts.name, facts.note, facts.pairs_at_once
        self._facts, self._open_judge, self._memory = facts, Opener(open_judge), Memory(cache, maker)

    def open(self) -> Judge:
        """Return the judge, opened now where it was not. Raises ModelError where its files changed meanwhile."""
        judge = self._open_judge()
        if facts_of(judge) != self._facts:
            raise ModelError(f"The files of the judge {self.name!r} changed while the program ran. Start it again.")
        return judge

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] (contradiction, neutral, entailment); only pairs not judged before are put to the judge."""

        def compute(new: list[tuple[str, str]]) -> list[Row]:
            judged = self.open().entailment(question, [one for one, _ in new], [other for _, other in new])
            if np.shape(judged) != (len(new), 3):
                raise ModelError(
                    f"The judge {self.name} gave an array of shape {np.shape(judged)} for {len(new)} pairs."
                )
            return [(float(row[0]), float(row[1]), float(row[2])) for row in judged]

        pairs = list(zip(premises, hypotheses, strict=True))
        keys = [self._memory.key("judgement", question, *pair) for pair in pairs]
        # A row that is no number may be a passing fault: it is refused further on, and judged anew next time.
        rows = self._memory.each(
            "judgement", keys, pairs, compute, ROW, is_lasting=lambda row: bool(np.isfinite(row).all())
        )
        return np.array(rows, dtype=np.float64).reshape(len(keys), 3)


def kept_judge(cache: CallCache, maker: str, open_judge: Callable[[], Judge]) -> CachedJudge:
    """Return the judge behind its judgements: not opened where it is known from before, else opened and made known."""
    opener, memory = Opener(open_judge), Memory(cache, maker)
    facts = memory.once("fact", memory.key("judge"), lambda: facts_of(opener()), FACTS)
    return CachedJudge(facts, opener, cache, maker)


def facts_of(judge: Judge) -> JudgeFacts:
    """Return what is known of an open judge."""
    return JudgeFacts(name=judge.name, note=judge.note, pairs_at_once=judge.pairs_at_once)
