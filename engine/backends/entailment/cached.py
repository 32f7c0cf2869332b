"""A judge that remembers its judgements, and opens its weights only for a pair it was not asked about before.

A judgement depends on the judge, the question, the premise and the hypothesis. Each is kept on disk by itself, so that
another method, a second look or a run that goes on where it stopped asks for what is missing only.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pydantic_core
from pydantic import TypeAdapter, ValidationError

from engine.backends.call_cache import CallCache, key_of
from engine.backends.entailment.base import Judge
from engine.core.errors import ModelError

ROW: TypeAdapter[tuple[float, float, float]] = TypeAdapter(tuple[float, float, float])


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFacts:
    """What is known of a judge without opening it."""

    name: str
    note: str
    pairs_at_once: int


FACTS: TypeAdapter[JudgeFacts] = TypeAdapter(JudgeFacts)


class CachedJudge:
    """A judge behind its judgements; ``maker`` names its weights, number type, code and machine in the cache."""

    def __init__(self, facts: JudgeFacts, open_judge: Callable[[], Judge], cache: CallCache, maker: str) -> None:
        """Hold what is known of the judge, the way to it, and where its judgements are kept."""
        self.name, self.note, self.pairs_at_once = facts.name, facts.note, facts.pairs_at_once
        self._facts, self._open_judge = facts, open_judge
        self._cache, self._maker = cache, maker
        self._judge: Judge | None = None
        self._lock = threading.Lock()

    def open(self) -> Judge:
        """Return the judge, opened now where it was not. Raises ModelError where its files changed meanwhile."""
        with self._lock:
            if self._judge is None:
                judge = self._open_judge()
                if facts_of(judge) != self._facts:
                    raise ModelError(
                        f"The files of the judge {self.name!r} changed while the program ran. Start it again."
                    )
                self._judge = judge
            return self._judge

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] (contradiction, neutral, entailment); only pairs not judged before are put to the judge."""
        pairs = list(zip(premises, hypotheses, strict=True))
        keys = [key_of("judgement", self._maker, question, premise, hypothesis) for premise, hypothesis in pairs]
        rows = {key: row for key, value in self._cache.get(keys).items() if (row := row_from(value)) is not None}
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in rows}
        if new:
            judged = self.open().entailment(
                question, [one for one, _ in new.values()], [two for _, two in new.values()]
            )
            if np.shape(judged) != (len(new), 3):
                raise ModelError(
                    f"The judge {self.name} gave an array of shape {np.shape(judged)} for {len(new)} pairs."
                )
            made = {key: (float(row[0]), float(row[1]), float(row[2])) for key, row in zip(new, judged, strict=True)}
            # A row that is no number may be a passing fault: it is refused further on, and asked for anew next time.
            whole = {key: row_to_json(row) for key, row in made.items() if np.isfinite(row).all()}
            self._cache.put("judgement", whole)
            rows |= made
        return np.array([rows[key] for key in keys], dtype=np.float64).reshape(len(keys), 3)


def kept_judge(cache: CallCache, maker: str, open_judge: Callable[[], Judge]) -> CachedJudge:
    """Return the judge behind its judgements: not opened where it is known from before, else opened and made known."""
    key = key_of("judge", maker)
    found = cache.get([key]).get(key)
    facts = facts_from(found) if found is not None else None
    if facts is not None:
        return CachedJudge(facts, open_judge, cache, maker)
    judge = open_judge()
    facts = facts_of(judge)
    cache.put("fact", {key: pydantic_core.to_json(facts)})
    opened = CachedJudge(facts, lambda: judge, cache, maker)
    opened.open()
    return opened


def facts_of(judge: Judge) -> JudgeFacts:
    """Return what is known of an open judge."""
    return JudgeFacts(name=judge.name, note=judge.note, pairs_at_once=judge.pairs_at_once)


def facts_from(value: bytes) -> JudgeFacts | None:
    """Return what was written down about a judge, None where it cannot be read."""
    try:
        return FACTS.validate_json(value)
    except ValidationError:
        return None


def row_to_json(row: tuple[float, float, float]) -> bytes:
    """Return three probabilities as JSON, every one exact."""
    return pydantic_core.to_json(row, inf_nan_mode="strings")


def row_from(value: bytes) -> tuple[float, float, float] | None:
    """Return three probabilities, None where they cannot be read."""
    try:
        return ROW.validate_json(value)
    except ValidationError:
        return None
