"""DENSE again from its raw part: answers, judgements, which rewordings passed (eq. 3-6, 8-10)."""

import math
from collections.abc import Iterator, Sequence

from engine.catalogue.verify.answers import Judged, classes_of, interval_values, judged_pairs
from engine.catalogue.verify.base import Check, Source, compare
from engine.measures.checks import Floats
from engine.measures.response_graph import (
    chunk_labels,
    degree_entropy,
    degree_entropy_share,
    is_uncertain,
    response_weights,
)
from engine.measures.rewording_interval import reworded_interval
from engine.measures.semantic_clusters import ENTAILMENT
from engine.methods.dense import DenseChunk, DenseResult


def checks(result: DenseResult, source: Source) -> Iterator[Check]:
    """Yield DENSE's derived numbers: who is in the graph, its weights, DSE with its interval, labels."""
    measured = [chunk for chunk in result.chunks if chunk.answer is not None]
    members = (-1, *(chunk.index for chunk in measured))
    yield compare("dense.members", result.members, lambda: members)
    yield compare("dense.valid_rewrites", result.valid_rewrites, lambda: len(measured))
    if not measured:
        stored = (result.entropy, result.share, result.uncertain, interval_values(result.entropy_interval))
        yield compare("dense.entropy, share and uncertain", stored, lambda: (None, None, None, None))
        return
    judged = judged_pairs(result.judgements)
    texts = [result.original.text, *(chunk.answer.text for chunk in measured if chunk.answer)]
    every = [*texts, *(one.answer.text for one in result.further)]

    def first() -> Floats:
        return graph(every, judged)[: len(texts), : len(texts)]

    def agreement(place: int) -> float:
        return float(first()[0, place])

    yield compare("dense.weights", result.weights, first)
    yield compare(
        "dense.further_weights", result.further_weights, lambda: graph(every, judged) if result.further else ()
    )
    yield compare("dense.entropy", result.entropy, lambda: degree_entropy(first()))
    yield compare("dense.share", result.share, lambda: degree_entropy_share(first()))
    yield compare("dense.uncertain", result.uncertain, lambda: is_uncertain(degree_entropy(first()), result.threshold))
    owners = [*members, *(one.index for one in result.further)]
    yield compare(
        "dense.entropy_interval",
        interval_values(result.entropy_interval),
        lambda: reworded_interval(graph(every, judged), owners) if result.further else None,
    )
    for place, chunk in enumerate(measured, start=1):
        yield compare(f"dense.chunks.{chunk.index}.weight", chunk.weight, agreement, place)
        yield compare(
            f"dense.chunks.{chunk.index}.ablation_weight",
            chunk.ablation_weight,
            ablation_weight,
            result,
            chunk,
            judged,
        )
    yield compare(
        "dense.chunks.label",
        tuple(chunk.label for chunk in measured),
        lambda: chunk_labels(first(), [or_nan(ablation_weight(result, c, judged)) for c in measured], result.rule),
    )


def graph(texts: Sequence[str], judged: Judged) -> Floats:
    """Return the weights of the answer graph (eq. 5) from the judgements."""
    return response_weights(classes_of([text.strip() for text in texts], judged) == ENTAILMENT)


def ablation_weight(result: DenseResult, chunk: DenseChunk, judged: Judged) -> float | None:
    """Return how far the answer without a chunk agrees with the original one, None where it was not asked."""
    if chunk.ablation is None:
        return None
    return float(graph([result.original.text, chunk.ablation.text], judged)[0, 1])


def or_nan(value: float | None) -> float:
    """Return the value, NaN for none."""
    return math.nan if value is None else value
