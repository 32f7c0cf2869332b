"""The uncertainty baselines again from their raw part: answers and judgements of each set."""

from collections.abc import Callable, Iterator

import numpy as np

from engine.catalogue.verify.answers import classes_of, entailment_of, judged_pairs, logprobs_of
from engine.catalogue.verify.base import Check, Source, compare
from engine.measures.checks import Floats, Ints
from engine.measures.dissent import dissent_threshold
from engine.measures.graph_uncertainty import (
    degree,
    eccentricity,
    eigenvalue,
    kernel_language_entropy,
    relation_weights,
)
from engine.measures.response_graph import degree_entropy, response_weights, symmetrise
from engine.measures.semantic_clusters import ENTAILMENT, cluster, cluster_probabilities
from engine.measures.semantic_entropy import discrete_semantic_entropy, predictive_entropy, semantic_entropy
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.uncertainty import AnswerSet, Reading, UncertaintyResult

# SUGAR, section III.D; DENSE, section 5.
PAPER_CUTS = {"degree_entropy": 0.2, "semantic_entropy": 0.4, "predictive_entropy": 0.55}
OVER_WEIGHTS: dict[str, Callable[[Floats], float]] = {
    "degree_entropy": degree_entropy,
    "degree": degree,
    "eigenvalue": eigenvalue,
    "eccentricity": eccentricity,
}
OVER_RELATIONS: dict[str, Callable[[Floats], float]] = {
    "heat_kernel": kernel_language_entropy,
    "matern_kernel": lambda weights: kernel_language_entropy(weights, kernel="matern"),
}


def checks(result: UncertaintyResult, source: Source) -> Iterator[Check]:
    """Yield every set's matrices, meanings and readings."""
    for answers in result.sets:
        if answers.answers:
            yield from set_checks(answers)


def set_checks(answers: AnswerSet) -> Iterator[Check]:
    """Yield one set's derived numbers."""
    place = f"uncertainty.{answers.word}"
    judged, texts = judged_pairs(answers.judgements), [one.text.strip() for one in answers.answers]
    yield compare(f"{place}.classes", answers.classes, lambda: classes_of(texts, judged))
    yield compare(f"{place}.ids", answers.ids, lambda: cluster(classes_of(texts, judged), rule="strict"))
    yield compare(f"{place}.entailment", answers.entailment, lambda: folded(texts, answers))
    for one in answers.readings:
        name = f"{place}.{one.measure} on {one.edges}"
        if one.value is None:
            continue
        yield compare(f"{name}.value", one.value, value_of, one, answers)
        yield compare(f"{name}.threshold", one.threshold, cut_of, one, len(texts))
        yield compare(f"{name}.uncertain", one.uncertain, is_over, one, answers)


def folded(texts: list[str], answers: AnswerSet) -> Floats:
    """Return P(row entails column) from the judgements."""
    return entailment_of(texts, judged_pairs(answers.judgements))


def value_of(one: Reading, answers: AnswerSet) -> float:
    """Return a measure's value from answers and judgements."""
    texts = [answer.text.strip() for answer in answers.answers]
    classes = classes_of(texts, judged_pairs(answers.judgements))
    if one.edges == "probabilities":
        return OVER_WEIGHTS[one.measure](symmetrise(np.clip(folded(texts, answers), 0, 1)))
    if one.measure == "predictive_entropy":
        return predictive_entropy(logprobs_of(answers.answers))
    if one.measure == "semantic_entropy":
        ids = cluster(classes, rule="strict")
        return semantic_entropy(cluster_probabilities(sample_weights(logprobs_of(answers.answers)), ids))
    return over_classes(one.measure)(classes)


def over_classes(measure: str) -> Callable[[Ints], float]:
    """Return a measure as a function of entailment classes [n, n]."""
    if measure == "discrete_semantic_entropy":
        return lambda classes: discrete_semantic_entropy(cluster(classes, rule="strict"))
    if measure in OVER_RELATIONS:
        return lambda classes: OVER_RELATIONS[measure](relation_weights(classes))
    return lambda classes: OVER_WEIGHTS[measure](response_weights(classes == ENTAILMENT))


def cut_of(one: Reading, n: int) -> float | None:
    """Return the cut of a measure at n answers: the paper's, else half way to one dissent; None for one answer."""
    if n < 2:
        return None
    return PAPER_CUTS.get(one.measure) or dissent_threshold(over_classes(one.measure), n)


def is_over(one: Reading, answers: AnswerSet) -> bool | None:
    """Return whether a measure's value is above its cut, None for one answer."""
    cut = cut_of(one, len(answers.answers))
    return None if cut is None else value_of(one, answers) > cut
