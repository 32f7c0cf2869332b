"""SUGAR again from its raw part: closed-book samples, their judgements, two thresholds (eq. 1, section II.C)."""

from collections.abc import Iterator

import numpy as np

from engine.catalogue.verify.answers import BeliefSource, Judged, belief_checks, ids_of, judged_pairs, logprobs_of
from engine.catalogue.verify.base import Check, Source, compare
from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_entropy import (
    discrete_semantic_entropy,
    equation_1,
    predictive_entropy,
    retrieval_need,
    semantic_entropy,
)
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.sugar import Doubt, SugarResult


def checks(result: SugarResult, source: Source) -> Iterator[Check]:
    """Yield SUGAR's derived numbers: every doubt, what was held against the thresholds, the decision, the answer."""
    judged = judged_pairs(result.judgements)
    yield from doubt_checks("sugar.closed_book", result.closed_book, judged, source)
    for one in result.rounds:
        if one.after is not None:
            yield from doubt_checks(f"sugar.rounds.{one.number}.after", one.after, judged, source)

    def measured() -> float:
        reading = readings(result.closed_book, judged)
        return reading["entropy" if result.form == "entropy" else "equation_1"]

    yield compare("sugar.measured", result.measured, measured)
    yield compare("sugar.decision", result.decision, lambda: retrieval_need(measured(), result.low, result.high))
    answered = [one.answer.text for one in result.rounds if one.answer is not None]
    last = answered[-1] if answered else result.closed_book_answer.text
    yield compare("sugar.answer", result.answer.text, lambda: last)


def doubt_checks(place: str, doubt: Doubt, judged: Judged, source: Source) -> Iterator[Check]:
    """Yield a belief that knows no gold answer, and the four readings of it."""
    blind = BeliefSource(judged=judged, golds=(), variant="code", seed=source.seed, resamples=1)
    yield from belief_checks(f"{place}.belief", doubt.belief, blind)
    for name in ("entropy", "equation_1", "discrete", "predictive"):
        yield compare(f"{place}.{name}", getattr(doubt, name), reading_of, doubt, judged, name)


def reading_of(doubt: Doubt, judged: Judged, name: str) -> float:
    """Return one of the four readings."""
    return readings(doubt, judged)[name]


def readings(doubt: Doubt, judged: Judged) -> dict[str, float]:
    """Return the four readings of a doubt, in nats, from samples and judgements."""
    samples = doubt.belief.samples
    logprobs = logprobs_of(samples)
    ids = ids_of(doubt.belief, judged)
    probabilities = cluster_probabilities(sample_weights(logprobs), ids)
    return {
        "entropy": semantic_entropy(probabilities),
        # A meaning so improbable that its share is rounded to 0 makes the printed mean infinite.
        "equation_1": equation_1(probabilities) if np.all(probabilities) else float("inf"),
        "discrete": discrete_semantic_entropy(ids),
        "predictive": predictive_entropy(logprobs),
    }
