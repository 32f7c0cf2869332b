"""The few numbers that a method's page is about, by address; those that are not there are left out."""

from collections.abc import Callable

from engine.catalogue.base import Place
from engine.catalogue.walk import number_at
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods.chunk_utility import ChunkUtilityResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_rag import QucoResult
from engine.methods.timing.method import TimingResult
from engine.methods.uncertainty import UncertaintyResult

ALWAYS: dict[str, tuple[str, ...]] = {
    "dense": ("entropy", "share", "threshold", "entropy_interval.low", "entropy_interval.high"),
    "seper": (
        "delta_soft",
        "delta_soft_interval.low",
        "delta_soft_interval.high",
        "delta_hard",
        "with_passages.soft",
        "without.soft",
    ),
    "sugar": ("measured", "low", "high", "closed_book.discrete"),
    "quco_rag": ("unsupported", "supported", "mean_count", "cooccurrence_threshold"),
}


def dense_rag(result: DenseRagResult) -> tuple[str, ...]:
    """Return the entropy of the final and the first context, and the threshold."""
    final = f"steps.{result.final}.entropy"
    return tuple(dict.fromkeys((final, "steps.0.entropy", f"steps.{result.final}.evaluation.yes", "config.threshold")))


def entropy_trend(result: EntropyTrendResult) -> tuple[str, ...]:
    """Return the value at the first trigger, else the one furthest from 0, and α."""
    values = [(abs(point.value), place) for place, point in enumerate(result.points) if point.value is not None]
    if result.triggers:
        words = {point.word: place for place, point in enumerate(result.points)}
        place = words.get(result.triggers[0].word, 0)
        return ("triggers.0.value", "alpha", f"points.{place}.second_difference", f"points.{place}.smoothed")
    return (f"points.{max(values)[1]}.value", "alpha") if values else ("alpha",)


def quco_rag(result: QucoResult) -> tuple[str, ...]:
    """Return the usual numbers, and the documents of the first claim without evidence."""
    claims = [
        (f"sentences.{i}.claims.{j}.documents", claim.supported)
        for i, sentence in enumerate(result.sentences)
        for j, claim in enumerate(sentence.claims)
    ]
    failing = [address for address, supported in claims if supported is False]
    return (*ALWAYS["quco_rag"], *(failing or [address for address, _ in claims])[:1])


def uncertainty(result: UncertaintyResult) -> tuple[str, ...]:
    """Return the first measure of every set that was measured, and the cut of the first."""
    first = [f"sets.{place}.readings.0.value" for place, one in enumerate(result.sets) if one.readings]
    return (*first, *(address.replace("value", "threshold") for address in first[:1]))


def chunk_utility(result: ChunkUtilityResult) -> tuple[str, ...]:
    """Return the four largest changes of a chunk among the others, and belief over all."""
    order = sorted(range(len(result.chunks)), key=lambda place: -abs(result.chunks[place].left_out.delta))
    return (*(f"chunks.{place}.left_out.delta" for place in order[:4]), "with_passages.soft")


def timing(result: TimingResult) -> tuple[str, ...]:
    """Return what fired first in the lanes that watch the model, with their bars."""
    found: list[str] = []
    for place, lane in enumerate(result.lanes):
        if lane.triggers and lane.bar.threshold is not None and lane.policy not in ABLATIONS:
            found += [f"lanes.{place}.signals.{lane.triggers[0]}.value", f"lanes.{place}.bar.threshold"]
    return tuple(found[:4]) or ("config.alpha", "config.dragin_threshold", "config.flare_probability")


ABLATIONS = ("entropy_trend_first", "entropy_trend_fixed", "entropy_trend_raw")
CHOSEN: dict[str, Callable[..., tuple[str, ...]]] = {
    "dense_rag": dense_rag,
    "entropy_trend": entropy_trend,
    "quco_rag": quco_rag,
    "uncertainty": uncertainty,
    "chunk_utility": chunk_utility,
    "timing": timing,
}


def headlines(diagnosis: Diagnosis, method: str) -> tuple[Place, ...]:
    """Return the numbers a method's page is about, most telling first; () where the method has no result."""
    outcome = diagnosis.outcome(method)
    result: MethodResult | None = None if outcome is None else outcome.result
    if result is None:
        return ()
    addresses = CHOSEN[method](result) if method in CHOSEN else ALWAYS[method]
    found = (number_at(diagnosis, f"{method}.{address}") for address in addresses)
    return tuple(place for place in found if place is not None)
