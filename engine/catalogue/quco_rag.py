"""QuCo-RAG's numbers: how often a corpus names things, in how many documents both ends of a claim meet, thresholds."""

import math
from collections.abc import Callable

from engine.backends.corpus_stats.base import Meeting
from engine.catalogue.base import UNSTORED, Entry, Fact, Input, Place, Working, entry, stored_source, tex, total
from engine.core.records import ThresholdSource
from engine.measures.co_occurrence import aggregate_count, is_unsupported, mean_entity_count, needs_initial_retrieval
from engine.methods.quco_claims import CountedClaim, CountedEntity, QucoConfig
from engine.methods.quco_loop import QucoLoop
from engine.methods.quco_precheck import PreCheck
from engine.methods.quco_rag import QucoResult
from engine.methods.timing.method import TimingResult

NOT_COUNTED = "The corpus could not count it."
PAPERS = QucoConfig()


def supported_again(place: Place) -> object:
    """Return whether a claim's two ends meet often enough, None where that was not measured or it has one end."""
    claim, result, timing = place.the(CountedClaim), place.find(QucoResult), place.find(TimingResult)
    if result is None and timing is None:
        return UNSTORED
    threshold = timing.config.cooccurrence_threshold if timing else result.cooccurrence_threshold if result else 1
    unsupported = None if claim.tail is None else is_unsupported(claim.documents, threshold)
    return None if unsupported is None else not unsupported


def fails_again(place: Place) -> object:
    """Return whether a claim calls for a lookup (eq. 4, the relation-aware check, a claim with one end)."""
    claim, result = place.the(CountedClaim), place.find(QucoResult)
    timing = place.find(TimingResult)
    if result is None and timing is None:
        return UNSTORED
    if claim.tail is None:
        least = result.partial_threshold if result else PAPERS.partial_threshold
        return is_unsupported(claim.head.count, least) is True
    return claim.supported is False or claim.phrase_count == 0


def retrieves_again(place: Place) -> bool | None:
    """Return the decision before writing, None where the counts or the threshold were not measured."""
    check = place.the(PreCheck)
    if check.threshold is None or check.value is None:
        return None
    counts = [one.count for one in place.the(QucoResult).entities]
    return needs_initial_retrieval(counts, check.threshold, check.aggregate)


def entity_inputs(result: QucoResult) -> tuple[Input, ...]:
    """Return the question's entities with their counts."""
    return tuple(Input(name="count", of=one.entity.text, value=one.count) for one in result.entities)


def mean_work(place: Place) -> Working:
    """Return the mean count of the question's entities."""
    result = place.the(QucoResult)
    counts = [one.count for one in result.entities]
    measured = [count for count in counts if count is not None]
    if not measured:
        return Working(note=NOT_COUNTED, inputs=entity_inputs(result))
    again = mean_entity_count(counts)
    return Working(
        filled=rf"\frac{{{total([str(count) for count in measured])}}}{{{len(measured)}}} = {tex(again)}",
        inputs=entity_inputs(result),
        again=again,
    )


def claims_work(place: Place) -> Working:
    """Return how many claims have, or lack, evidence."""
    result = place.the(QucoResult)
    wanted = place.field == "supported"
    claims = [claim for sentence in result.sentences for claim in sentence.claims]
    counted = [claim for claim in claims if claim.supported is wanted]
    return Working(
        filled=rf"{tex(len(counted))} \text{{ of }} {len(claims)} \text{{ claims}}",
        inputs=tuple(Input(name="documents", of=claim_words(claim), value=claim.documents) for claim in claims),
        again=float(len(counted)),
    )


def claim_words(claim: CountedClaim) -> str:
    """Return a claim as text."""
    tail = "" if claim.tail is None else claim.tail.entity.text
    return f"{claim.head.entity.text} · {claim.relation} · {tail}"


def entity_work(place: Place) -> Working:
    """Return what was counted, and where."""
    entity, result = place.the(CountedEntity), place.find(QucoResult)
    corpus = "the given passages" if result is None else result.corpus
    return Working(
        inputs=(Input(name="named", of=entity.entity.text), Input(name="corpus", of=corpus)),
        note=entity.reason or "Counted in the corpus; the corpus is not part of the record.",
    )


def claim_work(place: Place) -> Working:
    """Return what a claim's two ends are, and how often each is named."""
    claim, result = place.the(CountedClaim), place.find(QucoResult)
    corpus = "the given passages" if result is None else result.corpus
    ends = [("head", claim.head)] + ([] if claim.tail is None else [("tail", claim.tail)])
    return Working(
        inputs=(
            *(Input(name=f"{name}, count", of=one.entity.text, value=one.count) for name, one in ends),
            *([] if result is None else window_inputs(result)),
            *(Input(name="meet in", of=one.title, value=one.distance) for one in claim.meetings),
        ),
        note=claim.reason or f"Counted in {corpus}; places are shown for some of the documents only.",
    )


def window_inputs(result: QucoResult) -> tuple[Input, ...]:
    """Return the window, and the share of a document that narrows it where there is one."""
    share = [Input(name="window, share of document", value=result.window_share)] if result.window_share else []
    return (Input(name="window", value=result.window), *share)


def distance_work(place: Place) -> Working:
    """Return the excerpt in which the two ends stand."""
    meeting = place.the(Meeting)
    return Working(
        inputs=(
            Input(name="head", of=meeting.head.text),
            Input(name="tail", of=meeting.tail.text),
            Input(name="excerpt", of=meeting.excerpt),
        ),
        note="Counted in the whole document, of which the excerpt shows a part.",
    )


def check_work(place: Place) -> Working:
    """Return the question's counts summed up, or the threshold they are compared with."""
    result, check = place.the(QucoResult), place.the(PreCheck)
    if place.field == "threshold":
        if check.percentile is None:
            return Working(note="A number of occurrences, for an index of pre-training texts (paper: 1,000).")
        return Working(
            inputs=(Input(name="percentile", value=check.percentile), Input(name="names", value=check.names)),
            note="The count that this share of the corpus's names reach at most; the names are not stored. Our choice: "
            "the paper's 1,000 occurrences say nothing in a corpus of a user's size.",
        )
    again = aggregate_count([one.count for one in result.entities], check.aggregate)
    if math.isnan(again):
        return Working(note=check.reason or NOT_COUNTED)
    sign = "<" if check.retrieves else r"\ge"
    compared = "" if check.threshold is None else rf" \quad {tex(again)} {sign} {tex(check.threshold)}"
    return Working(
        filled=rf"\text{{{check.aggregate}}} = {tex(again)}{compared}", inputs=entity_inputs(result), again=again
    )


def retrievals_work(place: Place) -> Working:
    """Return how many queries the loop looked up."""
    loop = place.the(QucoLoop)
    found = [*([loop.initial] if loop.initial else []), *(one for step in loop.steps for one in step.lookups)]
    return Working(
        filled=rf"{len(found)} \text{{ queries}}",
        inputs=tuple(Input(name="query", of=one.query, value=len(one.hits)) for one in found),
        again=float(len(found)),
    )


def threshold_work(place: Place) -> Working:
    """Return the claims a threshold is compared with."""
    claims = [claim for sentence in place.the(QucoResult).sentences for claim in sentence.claims]
    return Working(
        inputs=tuple(Input(name="documents", of=claim_words(claim), value=claim.documents) for claim in claims)
    )


def papers_or_chosen(papers: float) -> Callable[[Place], ThresholdSource]:
    """Return a function that says whether a stored threshold is the paper's value."""
    return lambda place: "paper" if place.value == papers else "chosen"


ENTRIES: tuple[Entry, ...] = (
    entry(QucoResult, "mean_count", mean_work, compared_in=QucoResult),
    entry(QucoResult, "supported", claims_work, compared_in=QucoResult),
    entry(QucoResult, "unsupported", claims_work, compared_in=QucoResult),
    entry(CountedEntity, "count", entity_work),
    entry(CountedClaim, "documents", claim_work),
    entry(CountedClaim, "phrase_count", claim_work),
    entry(CountedClaim, "nearest", claim_work),
    entry(Meeting, "distance", distance_work),
    entry(PreCheck, "value", check_work),
    entry(PreCheck, "threshold", check_work, threshold=stored_source(PreCheck), paper=PAPERS.entity_threshold),
    entry(PreCheck, "percentile"),
    entry(QucoLoop, "retrievals", retrievals_work),
    entry(
        QucoResult,
        "cooccurrence_threshold",
        threshold_work,
        threshold=papers_or_chosen(PAPERS.cooccurrence_threshold),
        paper=PAPERS.cooccurrence_threshold,
    ),
    entry(
        QucoResult,
        "partial_threshold",
        threshold=papers_or_chosen(PAPERS.partial_threshold),
        paper=PAPERS.partial_threshold,
    ),
    entry(QucoResult, "window"),
    entry(QucoResult, "window_share"),
)
FACTS: tuple[Fact, ...] = (
    Fact(PreCheck, "retrieves", retrieves_again),
    Fact(CountedClaim, "supported", supported_again),
    Fact(CountedClaim, "fails", fails_again),
)
