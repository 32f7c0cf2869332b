"""QuCo-RAG again from its raw part: counts and documents in which two names meet (eq. 2-4)."""

from collections.abc import Iterator, Sequence

from engine.catalogue.verify.base import Check, Source, compare
from engine.measures.co_occurrence import aggregate_count, is_unsupported, needs_initial_retrieval
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import QucoResult


def checks(result: QucoResult, source: Source) -> Iterator[Check]:
    """Yield QuCo-RAG's derived values: the mean count, the check before generation, each claim's word, the sums."""
    counts = [entity.count for entity in result.entities]
    yield compare("quco_rag.mean_count", result.mean_count, lambda: none_for_nan(aggregate_count(counts)))
    if result.pre_check is not None:
        check = result.pre_check
        yield compare(
            "quco_rag.pre_check.value", check.value, lambda: none_for_nan(aggregate_count(counts, check.aggregate))
        )
        yield compare("quco_rag.pre_check.retrieves", check.retrieves, lambda: retrieves(result))
    claims = [claim for sentence in result.sentences for claim in sentence.claims]
    yield from claim_checks("quco_rag.claims", claims, result)
    words = [supported(claim, result) for claim in claims]
    yield compare("quco_rag.supported", result.supported, lambda: sum(word is True for word in words))
    yield compare("quco_rag.unsupported", result.unsupported, lambda: sum(word is False for word in words))
    if result.loop is not None:
        steps = result.loop.steps
        yield from claim_checks("quco_rag.loop.claims", [claim for step in steps for claim in step.claims], result)
        lookups = sum(len(step.lookups) for step in steps) + (result.loop.initial is not None)
        yield compare("quco_rag.loop.retrievals", result.loop.retrievals, lambda: lookups)


def claim_checks(place: str, claims: Sequence[CountedClaim], result: QucoResult) -> Iterator[Check]:
    """Yield whether each claim has evidence, and whether it calls for a lookup."""
    stored = tuple(claim.supported for claim in claims)
    yield compare(f"{place}.supported", stored, lambda: [supported(claim, result) for claim in claims])
    failing = tuple(claim.fails for claim in claims)
    yield compare(f"{place}.fails", failing, lambda: [fails(claim, result) for claim in claims])


def supported(claim: CountedClaim, result: QucoResult) -> bool | None:
    """Return whether a claim's two ends meet often enough, None where that was not measured or it has one end."""
    unsupported = None if claim.tail is None else is_unsupported(claim.documents, result.cooccurrence_threshold)
    return None if unsupported is None else not unsupported


def fails(claim: CountedClaim, result: QucoResult) -> bool:
    """Return whether a claim calls for a lookup (eq. 4, the relation-aware check, a claim with one end)."""
    if claim.tail is None:
        return is_unsupported(claim.head.count, result.partial_threshold) is True
    return supported(claim, result) is False or claim.phrase_count == 0


def retrieves(result: QucoResult) -> bool | None:
    """Return the decision before generation from counts and threshold, None where one of them was not measured."""
    check, counts = result.pre_check, [entity.count for entity in result.entities]
    if check is None or check.threshold is None or none_for_nan(aggregate_count(counts)) is None:
        return None
    return needs_initial_retrieval(counts, check.threshold, check.aggregate)


def none_for_nan(value: float) -> float | None:
    """Return a number, None for NaN."""
    return None if value != value else value
