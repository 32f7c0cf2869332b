"""The uncertainty baselines' numbers: nine measures of sets of answers, their bounds and cuts, who entails whom."""

import numpy as np

from engine.catalogue.base import Entry, Fact, Input, Place, Working, tex
from engine.catalogue.judged import classes_of, entailment_of, judged_pairs
from engine.catalogue.seper import mean_logprobs, sample_texts
from engine.core.records import ThresholdSource
from engine.measures.checks import Floats, Ints
from engine.measures.response_graph import symmetrise
from engine.measures.semantic_clusters import cluster, cluster_probabilities
from engine.measures.semantic_entropy import discrete_semantic_entropy, predictive_entropy, semantic_entropy
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.uncertainty import (
    NOT_DRAWS,
    AnswerSet,
    Reading,
    UncertaintyResult,
    bounds,
    over_classes,
    over_weights,
    threshold_of,
)

BOUNDS = (
    r"U_{deg} \le 1 - \tfrac{1}{n}, \quad \mathrm{SE} \le \ln n, "
    r"\quad U_{eig} \le n, \quad U_{ecc} \le \sqrt{n-1}"
)
EQUATIONS = {
    "degree_entropy": r"-\tfrac{1}{n} \sum_i \ln \tfrac{D_i}{n}",
    "semantic_entropy": r"-\sum_C p(C) \ln p(C)",
    "discrete_semantic_entropy": r"-\sum_C \tfrac{|C|}{n} \ln \tfrac{|C|}{n}",
    "predictive_entropy": r"-\tfrac{1}{n} \sum_i m_i",
    "degree": r"1 - \tfrac{1}{n^2} \sum_{ij} w_{ij}",
    "eigenvalue": r"\sum_k \max(0, 1 - \lambda_k)",
    "eccentricity": r"\lVert V - \bar V \rVert_F",
    "heat_kernel": r"-\mathrm{tr}(K \ln K) / \ln n, \quad K \propto e^{-tL}",
    "matern_kernel": r"-\mathrm{tr}(K \ln K) / \ln n, \quad K \propto \big(\tfrac{2\nu}{\kappa^2} I + L\big)^{-\nu}",
}


def classes_again(place: Place) -> Ints | tuple[()]:
    """Return the entailment classes of a set of answers, from the judgements."""
    answers = place.the(AnswerSet)
    if not answers.answers:
        return ()
    judged = place.once(judged_pairs, answers.judgements)
    return classes_of(sample_texts(answers.answers), judged, lambda found: np.array_equal(found, answers.classes))


def ids_again(place: Place) -> Ints | tuple[()]:
    """Return the meaning of each answer, from the stored classes."""
    answers = place.the(AnswerSet)
    return cluster(np.array(answers.classes), rule="strict") if answers.answers else ()


def entailment_again(place: Place) -> Floats | tuple[()]:
    """Return how far each answer entails each other one, from the judgements."""
    answers = place.the(AnswerSet)
    return place.once(entailment_table, answers) if answers.answers else ()


def cut_again(reading: Reading, n: int) -> float | None:
    """Return the cut of a measure of n answers; None for one answer, or for a measure that is not defined here."""
    return None if n < 2 or reading.value is None else threshold_of(reading.measure, n)


def uncertain_again(place: Place) -> bool | None:
    """Return whether a measure is above its cut, None where it has none."""
    reading = place.the(Reading)
    return None if reading.value is None or reading.threshold is None else reading.value > reading.threshold


def again_of(answers: AnswerSet, reading: Reading) -> float | None:
    """Return a measure computed again from the stored answers and judgements; None where it is not defined."""
    name, logprobs = reading.measure, mean_logprobs(answers.answers)
    if name == "predictive_entropy":
        return None if answers.word == "reworded" else predictive_entropy(logprobs)
    if name == "semantic_entropy":
        if answers.word == "reworded":
            return None
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
        filled=rf"{EQUATIONS[reading.measure]} = {tex(again)}{compared}",
        inputs=(
            Input(name="measure", of=reading.measure.replace("_", " ")),
            Input(name="edges", of=reading.edges),
            *(
                Input(name=f"answer {number}, meaning {meaning + 1}", of=answer.text, value=answer.mean_logprob)
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
        return Working(note="One answer alone, or a measure that is not defined here, has no cut.")
    return Working(
        filled=tex(again),
        inputs=(Input(name="answers", value=len(answers.answers)), Input(name="from", of=reading.threshold_source)),
        again=again,
        note="Half way between unanimity and a single dissent is our rule, for measures whose papers print no cut.",
    )


def source(place: Place) -> ThresholdSource:
    """Return whether the cut is the paper's or ours."""
    return "paper" if place.the(Reading).threshold_source == "paper" else "chosen"


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
    Entry(
        record=Reading,
        field="value",
        title="Uncertainty of a set of answers",
        short="U",
        unit="nats, or the measure's own",
        range="between the bounds beside it",
        direction="higher = more uncertain, for all nine measures",
        equation=r"U(\text{answers})",
        source="DENSE, section 6; Farquhar et al. 2024; Lin et al. 2023; Nikitin et al. 2024",
        function="engine.methods.uncertainty.readings",
        absent=NOT_DRAWS,
        work=value_work,
        compared_in=UncertaintyResult,
    ),
    *(
        Entry(
            record=Reading,
            field=field,
            title=title,
            unit="the measure's",
            range="0 and more",
            direction="a bound: it depends on the number of answers only",
            equation=BOUNDS,
            source="Lin et al. 2023; Farquhar et al. 2024",
            function="engine.methods.uncertainty.bounds",
            work=bound_work,
        )
        for field, title in (("low", "Least possible value"), ("high", "Largest possible value"))
    ),
    Entry(
        record=Reading,
        field="threshold",
        title="Cut of a measure",
        short="cut",
        unit="the measure's",
        range="between its bounds",
        direction="a value above it counts as uncertain",
        equation=r"\tfrac{1}{2}\big(U(\text{all agree}) + U(\text{one dissents})\big)",
        source="DENSE, section 5 and SUGAR, section III.D where they print one; else our rule",
        function="engine.measures.dissent.dissent_threshold",
        absent="One answer alone has nobody to differ from; a measure that is not defined here has no cut.",
        work=threshold_work,
        threshold=source,
        papers="DSE 0.2, semantic entropy 0.4, predictive entropy 0.55; none for the others",
    ),
    Entry(
        record=AnswerSet,
        field="entailment",
        title="P(an answer entails another)",
        unit="probability",
        range="0 to 1",
        direction="higher = the second follows from the first",
        equation=r"W_{ij} = P(r_i \Rightarrow r_j)",
        source="Lin et al. 2023, section 4",
        function="engine.methods.uncertainty.entailment_probabilities",
        work=entailment_work,
    ),
)
FACTS: tuple[Fact, ...] = (
    Fact(AnswerSet, "classes", classes_again),
    Fact(AnswerSet, "ids", ids_again),
    Fact(AnswerSet, "entailment", entailment_again),
    Fact(Reading, "uncertain", uncertain_again),
)
RAW_PARTS: tuple[tuple[str, str], ...] = ()
