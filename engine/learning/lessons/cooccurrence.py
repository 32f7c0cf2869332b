"""Lesson: co-occurrence and its blind spot. Two names that meet prove no claim, and a true claim may never meet.

QuCo-RAG, section 3, eq. 2 to 4, on the counts of two stored runs.
"""

from engine.core.words import quoted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import golds_words, needed, posed, quco_of, read_right, read_wrong
from engine.learning.lessons.script import Facts, lesson_from
from engine.methods.quco_claims import CountedClaim, QucoConfig
from engine.methods.quco_rag import QucoResult, window_words

NARROW = 10


def answer_claims(run: Diagnosis) -> tuple[CountedClaim, ...]:
    """Return the measured claims of the short answer, each with a head and a tail."""
    result = quco_of(run)
    sentences = result.sentences if result is not None else ()
    claims = (claim for one in sentences if one.kind == "short answer" for claim in one.claims)
    return tuple(claim for claim in claims if claim.tail is not None and claim.supported is not None)


def met(run: Diagnosis) -> CountedClaim | None:
    """Return the first claim of the short answer whose ends meet in a place that is kept, None where there is none."""
    return next((claim for claim in answer_claims(run) if claim.supported and claim.meetings), None)


def missed(run: Diagnosis) -> CountedClaim | None:
    """Return the first claim of the short answer whose ends share no document, None where there is none.

    Ends that stand in one document, further apart than the window, are spelt as the corpus has them.
    """
    claims = answer_claims(run)
    return next((claim for claim in claims if claim.supported is False and claim.nearest is None), None)


def counts_of(result: QucoResult) -> list[int]:
    """Return how often each countable entity of the question is named."""
    return [entity.count for entity in result.entities if entity.count is not None]


def two_counts(run: Diagnosis) -> bool:
    """Return whether two entities of the question were counted, not both alike."""
    result = quco_of(run)
    return result is not None and len(set(counts_of(result))) > 1


def ends(claim: CountedClaim) -> tuple[str, str]:
    """Return head and tail of a claim in quotation marks."""
    return quoted(claim.head.entity.text), quoted(needed(claim.tail).entity.text)


def facts(wrong: Diagnosis, right: Diagnosis) -> Facts:
    """Return what the lesson says of a wrong answer whose names meet, and of a right one whose names do not."""
    result, again = needed(quco_of(wrong)), needed(quco_of(right))
    there, absent = needed(met(wrong)), needed(missed(right))
    counts, nearest = counts_of(result), min(one.distance for one in there.meetings)
    (head, tail), (head_again, tail_again) = ends(there), ends(absent)
    return {
        "posed": posed(wrong),
        "corpus": result.corpus,
        "entities": [entity.entity.text for entity in result.entities if entity.count is not None],
        "counts": counts,
        "mean": sum(counts) / len(counts),
        "paper_threshold": QucoConfig().entity_threshold,
        "answer": wrong.answer.text,
        "gold": golds_words(wrong),
        "head": head,
        "tail": tail,
        "documents": there.documents or 0,
        "threshold": result.cooccurrence_threshold,
        "window": window_words(result),
        "meetings": there.meetings,
        "narrow": NARROW,
        "nearest": nearest,
        "inside": nearest <= NARROW,
        "posed_again": posed(right, "Another run:"),
        "answer_again": right.answer.text,
        "gold_again": golds_words(right),
        "corpus_again": again.corpus,
        "head_again": head_again,
        "tail_again": tail_again,
        "head_count": absent.head.count or 0,
        "tail_count": needed(absent.tail).count or 0,
        "together": absent.documents or 0,
    }


LESSON = lesson_from(
    "co-occurrence",
    facts,
    (read_wrong, lambda run: met(run) is not None, two_counts),
    (read_right, lambda run: missed(run) is not None),
)
