"""SUGAR's numbers: four readings of the doubt in sampled answers, what is compared with the thresholds, and those."""

from engine.catalogue.base import Entry, Fact, Input, Place, Working, entry, of_owner, tex, total
from engine.catalogue.seper import entropy_working, mean_logprobs
from engine.core.records import ThresholdSource
from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_entropy import (
    discrete_semantic_entropy,
    equation_1,
    predictive_entropy,
    retrieval_need,
)
from engine.methods.base import source_of
from engine.methods.sugar import PAPER_THRESHOLDS, Doubt, SugarResult


def printed_work(place: Place) -> Working:
    """Return the paper's eq. 1 as printed."""
    belief = place.the(Doubt).belief
    found = cluster_probabilities(belief.weights, belief.ids)
    if not found.all():
        return Working(filled=r"-\ln 0 = \infty", again=float("inf"), note="A meaning's share is rounded to 0.")
    again = equation_1(found)
    terms = total([rf"\ln {tex(float(p), 4)}" for p in found])
    return Working(
        filled=rf"-\tfrac{{1}}{{{len(found)}}}\left({terms}\right) = {tex(again)}",
        inputs=tuple(Input(name=f"p(C), meaning {n}", value=float(p)) for n, p in enumerate(found, 1)),
        again=again,
    )


def discrete_work(place: Place) -> Working:
    """Return semantic entropy of the frequencies."""
    ids = place.the(Doubt).belief.ids
    again = discrete_semantic_entropy(ids)
    counts = [ids.count(number) for number in dict.fromkeys(ids)]
    terms = total([rf"\tfrac{{{count}}}{{{len(ids)}}} \ln \tfrac{{{count}}}{{{len(ids)}}}" for count in counts])
    return Working(
        filled=rf"-\left({terms}\right) = {tex(again)}",
        inputs=tuple(Input(name=f"samples of meaning {n}", value=count) for n, count in enumerate(counts, 1)),
        again=again,
    )


def predictive_work(place: Place) -> Working:
    """Return predictive entropy of the draws."""
    samples = place.the(Doubt).belief.samples
    means = mean_logprobs(samples)
    again = predictive_entropy(means)
    return Working(
        filled=rf"-\tfrac{{1}}{{{len(means)}}}\left({total([tex(mean, 4) for mean in means])}\right) = {tex(again)}",
        inputs=tuple(
            Input(name=f"m, sample {n}", of=sample.text, value=mean)
            for n, (sample, mean) in enumerate(zip(samples, means, strict=True), 1)
        ),
        again=again,
    )


def measured_work(place: Place) -> Working:
    """Return the number that was compared with the thresholds."""
    result = place.the(SugarResult)
    again = result.closed_book.entropy if result.form == "entropy" else result.closed_book.equation_1
    return Working(
        filled=rf"{tex(again)} \text{{ against }} {tex(result.low)} \text{{ and }} {tex(result.high)}",
        inputs=(
            Input(name="form", of="semantic entropy" if result.form == "entropy" else "eq. 1 as printed"),
            Input(name="lower threshold", value=result.low),
            Input(name="upper threshold", value=result.high),
            Input(name="decision", of=result.decision),
        ),
        again=again,
    )


def threshold_work(place: Place) -> Working:
    """Return what a threshold is compared with."""
    result = place.the(SugarResult)
    return Working(inputs=(Input(name="measured", value=result.measured), Input(name="decision", of=result.decision)))


def own_source(place: Place) -> ThresholdSource:
    """Return where one of the two thresholds comes from: one may be the paper's where the other was chosen."""
    result, papers = place.the(SugarResult), dict(zip(("low", "high"), PAPER_THRESHOLDS, strict=True))
    return source_of(place.value == papers[place.field], result.threshold_source == "fitted")


ENTRIES: tuple[Entry, ...] = (
    entry(SugarResult, "round_count", read=lambda own: float(len(own.rounds)), compared_in=SugarResult),
    entry(Doubt, "entropy", lambda place: entropy_working(place.the(Doubt).belief)),
    entry(Doubt, "equation_1", printed_work),
    entry(Doubt, "discrete", discrete_work),
    entry(Doubt, "predictive", predictive_work),
    entry(SugarResult, "measured", measured_work, compared_in=SugarResult),
    *(
        entry(SugarResult, field, threshold_work, threshold=own_source, paper=paper)
        for field, paper in zip(("low", "high"), PAPER_THRESHOLDS, strict=True)
    ),
)
FACTS: tuple[Fact, ...] = (
    Fact(SugarResult, "decision", of_owner(lambda own: retrieval_need(own.measured, own.low, own.high))),
    Fact(
        SugarResult,
        "answer",
        of_owner(lambda own: [own.closed_book_answer, *(one.answer for one in own.rounds if one.answer)][-1].text),
        lambda own: own.answer.text,
    ),
)
