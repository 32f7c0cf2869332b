"""The uncertainty baselines' numbers: nine measures of sets of answers, their bounds and cuts, who entails whom."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from pydantic import TypeAdapter

from engine.catalogue.base import Entry, Fact, Input, Place, Working, entry, of_owner, tex
from engine.catalogue.judged import classes_of, entailment_of, judged_pairs
from engine.catalogue.seper import mean_logprobs, sample_texts
from engine.measures.checks import Floats, Ints
from engine.measures.response_graph import symmetrise
from engine.measures.semantic_clusters import cluster, cluster_probabilities
from engine.measures.semantic_entropy import discrete_semantic_entropy, predictive_entropy, semantic_entropy
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.uncertainty import (
    NOT_DRAWS,
    AnswerSet,
    MeasureWord,
    Reading,
    SetWord,
    UncertaintyResult,
    bounds,
    has_logprobs,
    over_classes,
    over_weights,
    threshold_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What a measure is called, its equation and what stands in it (LaTeX), its unit, and whose it is."""

    name: str
    equation: str
    unit: str
    origin: str
    where: str = ""


# What each set of answers is called, on its page and beside its numbers.
SET_NAMES: dict[SetWord, str] = {
    "reworded": "DENSE's reworded contexts",
    "closed_book": "samples from memory",
    "with_passages": "samples over the passages",
}
MEASURES = TypeAdapter(dict[MeasureWord, Measure]).validate_python(
    yaml.safe_load(Path(__file__).with_name("uncertainty_measures.yaml").read_text(encoding="utf-8"))
)


def classes_again(place: Place) -> Ints | tuple[()]:
    """Return the entailment classes of a set of answers, from the judgements."""
    answers = place.the(AnswerSet)
    if not answers.answers:
        return ()
    judged = place.once(judged_pairs, answers.judgements)
    return classes_of(sample_texts(answers.answers), judged, lambda found: np.array_equal(found, answers.classes))


def cut_again(reading: Reading, n: int) -> float | None:
    """Return the cut of a measure of n answers; None for one answer, or for a measure that is not defined here."""
    return None if n < 2 or reading.value is None else threshold_of(reading.measure, n)


def again_of(answers: AnswerSet, reading: Reading) -> float | None:
    """Return a measure computed again from the stored answers and judgements; None where it is not defined."""
    name = reading.measure
    if name in ("predictive_entropy", "semantic_entropy"):
        if answers.word == "reworded" or not all(map(has_logprobs, answers.answers)):
            return None
        logprobs = mean_logprobs(answers.answers)
        if name == "predictive_entropy":
            return predictive_entropy(logprobs)
        return semantic_entropy(cluster_probabilities(sample_weights(logprobs), answers.ids))
    if name == "discrete_semantic_entropy":
        return discrete_semantic_entropy(answers.ids)
    if reading.edges == "probabilities":
        return over_weights(name)(symmetrise(np.clip(np.array(answers.entailment), 0, 1)))
    return over_classes(name)(np.array(answers.classes))


def value_work(place: Place) -> Working:
    """Return one measure of one set of answers."""
    answers, reading = place.the(AnswerSet), place.the(Reading)
    again = again_of(answers, reading)
    if again is None:
        return Working(note=reading.not_measured or NOT_DRAWS)
    sign = "" if reading.threshold is None else (">" if again > reading.threshold else r"\le")
    compared = "" if reading.threshold is None else rf" \quad {tex(again)} {sign} {tex(reading.threshold)}"
    return Working(
        filled=rf"{MEASURES[reading.measure].equation} = {tex(again)}{compared}",
        inputs=(
            Input(name="measure", of=MEASURES[reading.measure].name),
            Input(name="edges", of=reading.edges),
            *(
                Input(
                    name=f"answer {number}, meaning {meaning + 1}",
                    of=answer.text,
                    value=answer.mean_logprob if has_logprobs(answer) else None,
                )
                for number, (answer, meaning) in enumerate(zip(answers.answers, answers.ids, strict=True), 1)
            ),
        ),
        again=again + 0.0,
        note="Beside each answer: its mean token log-probability, in nats.",
    )


def bound_work(place: Place) -> Working:
    """Return the least or the largest value the measure can take with so many answers."""
    answers, reading = place.the(AnswerSet), place.the(Reading)
    low, high = bounds(reading.measure, len(answers.answers))
    again = low if place.field == "low" else high
    return Working(filled=tex(again), inputs=(Input(name="answers", value=len(answers.answers)),), again=again)


def threshold_work(place: Place) -> Working:
    """Return the cut of a measure: the paper's, or half way to one dissenting answer."""
    answers, reading = place.the(AnswerSet), place.the(Reading)
    again = cut_again(reading, len(answers.answers))
    if again is None:
        return Working(note="A single answer, or a measure not defined here.")
    return Working(
        filled=tex(again),
        inputs=(Input(name="answers", value=len(answers.answers)), Input(name="from", of=reading.threshold_source)),
        again=again,
        note="Our rule where the paper prints none: half way between unanimity and one dissent.",
    )


def entailment_work(place: Place) -> Working:
    """Return how far one answer entails another."""
    answers, (row, column) = place.the(AnswerSet), place.position
    texts = sample_texts(answers.answers)
    again = float(place.once(entailment_table, answers)[row, column])
    inputs = (Input(name="premise", of=texts[row]), Input(name="hypothesis", of=texts[column]))
    return Working(filled=tex(again), inputs=inputs, again=again)


def entailment_table(answers: AnswerSet) -> Floats:
    """Return how far each answer entails each other one, from the judgements."""
    return entailment_of(sample_texts(answers.answers), judged_pairs(answers.judgements), answers.entailment)


ENTRIES: tuple[Entry, ...] = (
    entry(Reading, "value", value_work, compared_in=UncertaintyResult),
    entry(Reading, "low", bound_work),
    entry(Reading, "high", bound_work),
    entry(
        Reading,
        "threshold",
        threshold_work,
        threshold=lambda place: "paper" if place.the(Reading).threshold_source == "paper" else "chosen",
    ),
    entry(AnswerSet, "entailment", entailment_work),
)
FACTS: tuple[Fact, ...] = (
    Fact(AnswerSet, "classes", classes_again),
    Fact(
        AnswerSet,
        "ids",
        of_owner(lambda own: cluster(np.array(own.classes), rule="strict") if own.answers else ()),
    ),
    Fact(AnswerSet, "entailment", of_owner(lambda own: entailment_table(own) if own.answers else ())),
    Fact(
        Reading,
        "uncertain",
        of_owner(lambda own: None if None in (own.value, own.threshold) else own.value > own.threshold),
    ),
)
