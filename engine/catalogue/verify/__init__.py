"""A record checked against itself: every derived number computed again from what was seen, with no model.

``verify`` computes with ``engine.measures`` alone. It shows that a record is consistent, not that it is true: whoever
writes other tokens and judgements into a file and computes all that follows has made another consistent record. The
content hash of a bundle says whether the file is the one that was written.
"""

from collections.abc import Callable, Iterator

from engine.catalogue.verify import (
    chunk_utility,
    dense,
    dense_rag,
    entropy_trend,
    foreign,
    quco_rag,
    seper,
    sugar,
    timing,
    uncertainty,
)
from engine.catalogue.verify.base import Check, Source, Unchecked, Verification
from engine.diagnosis.record import Diagnosis, MethodResult

CHECKS: dict[str, Callable[..., Iterator[Check]]] = {
    "dense": dense.checks,
    "dense_rag": dense_rag.checks,
    "seper": seper.checks,
    "entropy_trend": entropy_trend.checks,
    "quco_rag": quco_rag.checks,
    "sugar": sugar.checks,
    "uncertainty": uncertainty.checks,
    "chunk_utility": chunk_utility.checks,
    "timing": timing.checks,
}
# What each method's record takes from a model, a parser or a corpus, and no equation gives again.
RAW_PARTS: dict[str, tuple[tuple[str, str], ...]] = {
    "dense": (("attempts.checks", "whether a rewording passes rests on the embedder and the parser"),),
    "dense_rag": (
        ("steps.entropy and labels", "the judgements of each context are not stored, only what follows from them"),
        ("came.cosine", "it rests on the embedder"),
        ("ended", "beyond “certain” it rests on the unread chunks, which are not stored"),
    ),
    "entropy_trend": (
        ("words.pos, is_content and sentence", "they are the parser's"),
        ("words.max_attention and queries", "the attention they rest on is not stored"),
    ),
    "quco_rag": (
        ("counts and meetings", "the corpus is not part of the record"),
        ("claims", "who claims what is the extractor's word"),
        ("pre_check.threshold", "in a user's corpus it rests on the counts of all its names"),
    ),
    "sugar": (("rounds.hits", "what a search finds rests on the corpus"),),
    "timing": (
        ("signals of ETC, DRAGIN and QuCo-RAG", "they rest on the parser, on attention and on the corpus"),
        ("stairs.ids and kernel", "the judgements of the staircase are not stored"),
    ),
}


def verify(diagnosis: Diagnosis) -> Verification:
    """Return every derived value of a record beside what its raw part gives, and what had to be taken as it stands."""
    source = Source(question=diagnosis.question, golds=diagnosis.golds, seed=diagnosis.provenance.seed)
    checks: list[Check] = []
    unchecked: list[Unchecked] = []
    if diagnosis.foreign is not None:
        checks += foreign.checks(diagnosis.foreign, source)
    for outcome in diagnosis.outcomes:
        if outcome.result is None:
            continue
        made, left = checks_of(outcome.method, outcome.result, source)
        checks += made
        unchecked += left
    return Verification(checks=tuple(checks), unchecked=tuple(unchecked))


def checks_of(method: str, result: MethodResult, source: Source) -> tuple[list[Check], list[Unchecked]]:
    """Return the checks of one method's result, and what of it is taken as it stands."""
    if method not in CHECKS:
        return [], [Unchecked(place=method, reason="this version has no way to compute it again")]
    raw = [Unchecked(place=f"{method}.{place}", reason=reason) for place, reason in RAW_PARTS.get(method, ())]
    return list(CHECKS[method](result, source)), raw
