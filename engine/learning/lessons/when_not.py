"""Lesson: when not to retrieve. Semantic entropy from shares, SUGAR's thresholds, and passages that mislead."""

from math import log

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.facts import golds_words, needed, posed, read_wrong, remembered_right, seper_of
from engine.learning.lessons.script import Facts, lesson_from
from engine.measures.semantic_entropy import retrieval_need
from engine.methods.sugar import PAPER_THRESHOLDS

LOW, HIGH = PAPER_THRESHOLDS
NEAR = 0.1
NEEDS = ("none", "single", "multi")
CLEAR_LOSS = -0.1
MOST_SHARES = 6


def lost_belief(run: Diagnosis) -> bool:
    """Return whether reading cost belief in the correct answer, by CLEAR_LOSS or more."""
    result = seper_of(run)
    return result is not None and (result.delta_soft or 0.0) <= CLEAR_LOSS


def some_doubt(run: Diagnosis) -> bool:
    """Return whether the draws from memory hold two to six meanings, so that the entropy can be done by hand."""
    result = seper_of(run)
    return result is not None and 2 <= len(result.without.meanings) <= MOST_SHARES


def facts(run: Diagnosis) -> Facts:
    """Return what the lesson says of a run."""
    result = needed(seper_of(run))
    meanings = [one for one in result.without.named if one.probability > 0]
    shares = [one.probability for one in meanings]
    need = retrieval_need(max(result.without.entropy, 0.0), LOW, HIGH)
    interval = result.delta_soft_interval
    return {
        "posed": posed(run),
        "gold": golds_words(run),
        "memory": run.closed_book.text,
        "answer": run.answer.text,
        "samples": len(result.without.samples),
        "meanings": [one.text for one in meanings],
        "shares": shares,
        "terms": [(share, -share * log(share)) for share in shares],
        "unweighted": sum(-log(share) for share in shares) / len(shares),
        "entropy": result.without.entropy,
        "low": LOW,
        "high": HIGH,
        "need": NEEDS.index(need),
        "decision": ("no lookup", "one lookup", "several lookups")[NEEDS.index(need)],
        "side": (f"not above {LOW}", f"between {LOW} and {HIGH}", f"above {HIGH}")[NEEDS.index(need)],
        "near": NEAR,
        "before": needed(result.without.soft),
        "after": needed(result.with_passages.soft),
        "delta": needed(result.delta_soft),
        "interval": interval,
        "clear": interval is not None and interval.high < 0,
    }


LESSON = lesson_from(
    "when-not-to-retrieve", facts, (remembered_right, read_wrong, lost_belief, some_doubt), clear_loss=-CLEAR_LOSS
)
