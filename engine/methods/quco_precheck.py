"""QuCo-RAG's check before generation: does the question name things that are rare (eq. 2)?

In an index of a model's pre-training texts the threshold is the paper's number of occurrences. A user's corpus is
millions of times smaller, so there it is a percentile of how often the corpus names what it names: our choice, and
said so. Retrieval starts strictly below the threshold. Where nothing could be counted the paper has no rule and the
released code does not retrieve: here the decision is *not measured*, and nothing is retrieved either.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.backends.corpus_stats.base import CorpusCounter
from engine.measures.co_occurrence import Aggregate, aggregate_count, needs_initial_retrieval, percentile_count
from engine.methods.quco_claims import CountedEntity, QucoConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCheck:
    """Whether to retrieve before generating. ``value`` is the aggregate of the measured counts; low = rare.

    ``percentile`` None: ``threshold`` is a number of occurrences, the paper's; else the count that this share of the
    corpus's ``names`` reach at most. ``retrieves`` None = not measured, with the ``reason``.
    """

    aggregate: Aggregate
    value: float | None
    threshold: float | None
    percentile: float | None
    names: int
    threshold_source: Literal["paper", "chosen"]
    retrieves: bool | None
    reason: str = ""


def pre_check(entities: Sequence[CountedEntity], config: QucoConfig, counter: CorpusCounter) -> PreCheck:
    """Return the decision before generation, from the counts of the question's distinct entities."""
    counts = [entity.count for entity in entities]
    value = aggregate_count(counts, config.aggregate)
    names = counter.name_counts() if counter.kind == "corpus" and not math.isnan(value) else ()
    of_corpus = counter.kind == "corpus"
    threshold = percentile_count(names, config.entity_percentile) if of_corpus else float(config.entity_threshold)
    is_paper = not of_corpus and config.entity_threshold == QucoConfig().entity_threshold
    measured = not (math.isnan(value) or math.isnan(threshold))
    return PreCheck(
        aggregate=config.aggregate,
        value=None if math.isnan(value) else value,
        threshold=None if math.isnan(threshold) else threshold,
        percentile=config.entity_percentile if of_corpus else None,
        names=len(names),
        threshold_source="paper" if is_paper else "chosen",
        retrieves=needs_initial_retrieval(counts, threshold, config.aggregate) if measured else None,
        reason="" if measured else _why_not(entities, value),
    )


def _why_not(entities: Sequence[CountedEntity], value: float) -> str:
    """Return why there is no decision."""
    if not entities:
        return "The question names nothing that could be counted."
    if math.isnan(value):
        reasons = list(dict.fromkeys(entity.reason for entity in entities if entity.reason))
        return " ".join(["Nothing that the question names could be counted.", *reasons[:1]])
    return "The corpus names nothing in capital letters, so there is no percentile to compare with."
