"""The uncertainty baselines' numbers: nine measures of sets of answers, their bounds and cuts, who entails whom."""

import numpy as np

from engine.backends.entailment.matrix import plain
from engine.catalogue.base import Entry, Input, Place, Working, tex
from engine.catalogue.judged import nearest, said
from engine.catalogue.seper import mean_logprobs
from engine.core.records import ThresholdSource
from engine.measures.response_graph import symmetrise
from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_entropy import discrete_semantic_entropy, predictive_entropy, semantic_entropy
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.uncertainty import (
    NOT_DRAWS,
    AnswerSet,
    Reading,
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
    held = "" if reading.threshold is None else rf" \quad {tex(again)} {sign} {tex(reading.threshold)}"
    return Working(
        filled=rf"{EQUATIONS[reading.measure]} = {tex(again)}{held}",
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
    if reading.threshold is None:
        return Working(note="One answer alone, or a measure that is not defined here, has no cut.")
    again = threshold_of(reading.measure, len(answers.answers))
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
    texts = [answer.text.strip() for answer in answers.answers]
    inputs = (Input(name="premise", of=texts[row]), Input(name="hypothesis", of=texts[column]))
    if plain(texts[row]) == plain(texts[column]):
        return Working(filled="1", inputs=inputs, again=1.0, note="The two texts are equal.")
    found = said(answers.judgements, texts[row], texts[column])
    if not found:
        return Working(inputs=inputs, note="The judge's word on this pair is not stored.")
    again = nearest([one.entailment for one in found], place.value)
    return Working(filled=tex(again), inputs=inputs, again=again)


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
