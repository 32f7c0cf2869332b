"""Uncertainty baselines on the very answers that DENSE and SePer look at, side by side.

Nine measures: degree-based entropy (DENSE, eq. 6), semantic entropy by likelihood and by frequency (Farquhar et al.
2024), predictive entropy (SUGAR, section III.D), U_deg, U_eigv and eccentricity (Lin et al. 2023), kernel language
entropy with both kernels (Nikitin et al. 2024; DENSE's settings). Where a paper prints a cut it is used and named; for
the others "uncertain" begins half way to one dissenting answer, which is our rule (``engine.measures.dissent``). What
rests on likelihoods is not defined for DENSE's answers: each is the greedy one of another context, not a draw.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isnan, log, sqrt
from typing import Literal

import numpy as np

from engine.backends.entailment.base import ENTAILMENT
from engine.backends.entailment.matrix import judge_pairs, plain
from engine.core.errors import NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Judgement, Passage
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
from engine.measures.semantic_clusters import cluster, cluster_probabilities
from engine.measures.semantic_entropy import discrete_semantic_entropy, predictive_entropy, semantic_entropy
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.base import Backends, Case, on_behalf_of
from engine.methods.cost import Load, Plan
from engine.methods.dense import load as dense_load
from engine.methods.dense import run as run_dense
from engine.methods.dense_records import DenseConfig
from engine.methods.descriptor import Method
from engine.methods.profiles import sample_prompt, sample_tokens
from engine.methods.reach import baselines_reach
from engine.methods.seper import sample_answers, sampling
from engine.methods.seper_records import SeperConfig

MeasureWord = Literal[
    "degree_entropy",
    "semantic_entropy",
    "discrete_semantic_entropy",
    "predictive_entropy",
    "degree",
    "eigenvalue",
    "eccentricity",
    "heat_kernel",
    "matern_kernel",
]
Edges = Literal["decisions", "probabilities", "none"]
SetWord = Literal["reworded", "closed_book", "with_passages"]
# SUGAR, section III.D, TriviaQA with a 7B model; DENSE, section 5.
PAPER_THRESHOLDS: dict[MeasureWord, float] = {
    "degree_entropy": 0.2,
    "semantic_entropy": 0.4,
    "predictive_entropy": 0.55,
}
IMPOSSIBLE = "Each answer has a token of probability 0, by its server."
NO_LOGPROBS = "The model does not give the probabilities of the tokens of these answers."
NOT_DRAWS = "These answers are greedy ones of different contexts, not draws from one distribution."


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertaintyConfig:
    """Whose answers are measured: DENSE's and SePer's settings, which ``diagnose`` takes from the request."""

    dense: DenseConfig = DenseConfig()
    seper: SeperConfig = SeperConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One measure of one set of answers; higher = more uncertain for all of them.

    ``edges`` says which graph was read: yes/no decisions, or probabilities of entailment. ``low`` and ``high`` bound
    the measure at this number of answers (infinity: no bound). ``value`` above ``threshold`` is ``uncertain``; both are
    None for a single answer, and all three with a reason in ``not_measured`` where the measure is not defined.
    """

    measure: MeasureWord
    edges: Edges
    value: float | None
    low: float
    high: float
    threshold: float | None
    threshold_source: Literal["paper", "half way to one dissent", "none"]
    uncertain: bool | None
    not_measured: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSet:
    """Answers that are measured together: DENSE's k+1 ("reworded"), or SePer's samples of one condition.

    ``classes`` [n][n], row = premise: 0 contradiction, 1 neutral, 2 entailment; ``entailment`` [n][n] its probability
    in [0, 1], 1 for texts that are equal. ``ids`` are the meanings. All are empty, with the reason, where there are no
    answers.
    """

    word: SetWord
    answers: tuple[Generation, ...]
    classes: tuple[tuple[int, ...], ...]
    entailment: tuple[tuple[float, ...], ...]
    ids: tuple[int, ...]
    readings: tuple[Reading, ...]
    judgements: tuple[Judgement, ...]
    not_measured: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertaintyResult:
    """Every measure of every set of answers: DENSE's first, then SePer's without and with passages."""

    method: Literal["uncertainty"] = "uncertainty"
    variant: Literal["paper"] = "paper"
    sets: tuple[AnswerSet, ...]
    not_measured: str = ""


def run(case: Case, config: UncertaintyConfig, backends: Backends) -> UncertaintyResult:
    """Return the baselines over the reworded contexts' answers and over the samples without and with passages.

    Without passages only the closed-book samples are measured; the other sets say why they are not.
    """
    backends = on_behalf_of("uncertainty", backends)
    closed_book = drawn_answers(case, (), "without", config, backends)
    return UncertaintyResult(
        sets=(
            reworded_set(case, config, backends),
            measured_set("closed_book", closed_book, case, backends),
            with_passages_set(case, config, backends),
        )
    )


def reworded_set(case: Case, config: UncertaintyConfig, backends: Backends) -> AnswerSet:
    """Return DENSE's k+1 answers measured; empty with the reason where DENSE has none."""
    try:
        found = run_dense(case, config.dense, backends)
    except NotMeasured as exc:
        return unmeasured_set("reworded", str(exc))
    if found.not_measured:
        return unmeasured_set("reworded", found.not_measured)
    reworded = [chunk.answer for chunk in found.chunks if chunk.answer is not None]
    return measured_set("reworded", (found.original, *reworded), case, backends)


def with_passages_set(case: Case, config: UncertaintyConfig, backends: Backends) -> AnswerSet:
    """Return SePer's samples over the passages measured; empty with the reason where there is no passage."""
    if not case.passages:
        return unmeasured_set("with_passages", "There are no passages to answer over.")
    samples = drawn_answers(case, case.passages, "with", config, backends)
    return measured_set("with_passages", samples, case, backends)


def drawn_answers(
    case: Case, passages: tuple[Passage, ...], condition: str, config: UncertaintyConfig, backends: Backends
) -> tuple[Generation, ...]:
    """Return SePer's samples of one condition; a model without log-probabilities still draws them."""
    numbers = backends.model.capabilities.gives_logprobs(sample_prompt(case.profile, case.question, passages).chat)
    return sample_answers(case, passages, condition, config.seper, backends, numbers=numbers)


def unmeasured_set(word: SetWord, reason: str) -> AnswerSet:
    """Return a set without answers, and why."""
    return AnswerSet(
        word=word, answers=(), classes=(), entailment=(), ids=(), readings=(), judgements=(), not_measured=reason
    )


def measured_set(word: SetWord, answers: tuple[Generation, ...], case: Case, backends: Backends) -> AnswerSet:
    """Return the answers judged in all ordered pairs, with every measure of them."""
    texts = [answer.text.strip() for answer in answers]
    backends.report(Stage(method="uncertainty", name="judging answers", total=len(texts) * (len(texts) - 1)))
    classes, judgements = judge_pairs(backends.judge, case.question, texts, backends.report)
    entailment = entailment_probabilities(texts, judgements)
    ids = cluster(classes, rule="strict")
    return AnswerSet(
        word=word,
        answers=answers,
        classes=tuple(tuple(int(value) for value in row) for row in classes),
        entailment=tuple(tuple(float(value) for value in row) for row in entailment),
        ids=tuple(int(value) for value in ids),
        readings=readings(word, answers, classes, entailment, ids),
        judgements=judgements,
    )


def entailment_probabilities(texts: list[str], judgements: tuple[Judgement, ...]) -> Floats:
    """Return P(row entails column) [n, n] in [0, 1]; 1 where both texts are equal up to case and outer punctuation."""
    known = {(plain(one.premise), plain(one.hypothesis)): one.entailment for one in judgements}
    keys = [plain(text) for text in texts]
    return np.array([[1.0 if a == b else known[a, b] for b in keys] for a in keys], dtype=np.float64)


def readings(
    word: SetWord, answers: tuple[Generation, ...], classes: Ints, entailment: Floats, ids: Ints
) -> tuple[Reading, ...]:
    """Return every measure of the answers: from likelihoods, from yes/no decisions, from probabilities."""
    n = len(answers)
    weights = symmetrise(np.clip(entailment, 0, 1))
    on_graph = [reading(name, "decisions", over_classes(name)(classes), n) for name in GRAPH_MEASURES]
    soft = [reading(name, "probabilities", over_weights(name)(weights), n) for name in WEIGHTED]
    discrete = reading("discrete_semantic_entropy", "decisions", discrete_semantic_entropy(ids), n)
    return (on_graph[0], *likelihood_readings(word, answers, ids), discrete, *on_graph[1:], *soft)


def likelihood_readings(word: SetWord, answers: tuple[Generation, ...], ids: Ints) -> tuple[Reading, Reading]:
    """Return semantic and predictive entropy of draws; both not measured where the answers are no draws."""
    n = len(answers)
    why = NOT_DRAWS if word == "reworded" else "" if all(map(has_logprobs, answers)) else NO_LOGPROBS
    logprobs = np.array([] if why else [answer.mean_logprob for answer in answers])
    if not why and np.isneginf(logprobs).all():
        why = IMPOSSIBLE
    if why:
        return (
            reading("semantic_entropy", "decisions", None, n, why),
            reading("predictive_entropy", "none", None, n, why),
        )
    probabilities = cluster_probabilities(sample_weights(logprobs), ids)
    return (
        reading("semantic_entropy", "decisions", semantic_entropy(probabilities), n),
        reading("predictive_entropy", "none", predictive_entropy(logprobs), n),
    )


def has_logprobs(answer: Generation) -> bool:
    """Return whether an answer has a mean log-probability: every token, or the end of an empty one, carries its own."""
    counted = answer.tokens or ((answer.stop_token,) if answer.stop_token else ())
    return bool(counted) and not any(isnan(token.logprob) for token in counted)


def matern(weights: Floats) -> float:
    """Return kernel language entropy with DENSE's Matérn kernel (kappa 3, nu 3), a share of ln n in [0, 1]."""
    return kernel_language_entropy(weights, kernel="matern")


WEIGHTED: dict[MeasureWord, Callable[[Floats], float]] = {
    "degree": degree,
    "eigenvalue": eigenvalue,
    "eccentricity": eccentricity,
}
RELATED: dict[MeasureWord, Callable[[Floats], float]] = {
    "heat_kernel": kernel_language_entropy,
    "matern_kernel": matern,
}
GRAPH_MEASURES: tuple[MeasureWord, ...] = ("degree_entropy", *WEIGHTED, *RELATED)


def over_weights(name: MeasureWord) -> Callable[[Floats], float]:
    """Return a measure as a function of weights [n, n] in [0, 1]."""
    return degree_entropy if name == "degree_entropy" else WEIGHTED[name]


def over_classes(name: MeasureWord) -> Callable[[Ints], float]:
    """Return a measure as a function of entailment classes [n, n]."""
    if name == "discrete_semantic_entropy":
        return lambda classes: discrete_semantic_entropy(cluster(classes, rule="strict"))
    if name in RELATED:
        return lambda classes: RELATED[name](relation_weights(classes))
    return lambda classes: over_weights(name)(response_weights(classes == ENTAILMENT))


def reading(name: MeasureWord, edges: Edges, value: float | None, n: int, why: str = "") -> Reading:
    """Return a value with its range at n answers and, from two answers on, its cut and what that says.

    ``value`` None: it is not measured, and ``why`` says the reason.
    """
    threshold = threshold_of(name, n) if n > 1 and value is not None else None
    source: Literal["paper", "half way to one dissent"] = (
        "paper" if name in PAPER_THRESHOLDS else "half way to one dissent"
    )
    low, high = bounds(name, n)
    return Reading(
        measure=name,
        edges=edges,
        value=None if value is None else value + 0.0,  # no entropy reads "-0"
        low=low,
        high=high,
        threshold=threshold,
        threshold_source=source if threshold is not None else "none",
        uncertain=None if value is None or threshold is None else value > threshold,
        not_measured=why,
    )


def threshold_of(name: MeasureWord, n: int) -> float:
    """Return the cut above which a measure of n >= 2 answers says uncertain: the paper's, else ours."""
    return PAPER_THRESHOLDS.get(name) or dissent_threshold(over_classes(name), n)


def bounds(name: MeasureWord, n: int) -> tuple[float, float]:
    """Return the least and the largest value a measure can take with n answers.

    >>> bounds("degree", 4), bounds("eigenvalue", 4), bounds("heat_kernel", 4)
    ((0.0, 0.75), (1.0, 4.0), (0.0, 1.0))
    """
    highest: dict[MeasureWord, float] = {
        "degree": 1 - 1 / n,
        "eigenvalue": float(n),
        "eccentricity": sqrt(n - 1),
        "heat_kernel": 1.0,
        "matern_kernel": 1.0,
        "predictive_entropy": inf,
    }
    return 1.0 if name == "eigenvalue" else 0.0, highest.get(name, log(n))


def load(config: UncertaintyConfig, plan: Plan) -> Load:
    """Return the baselines' load: DENSE's and SePer's answers, free where those run too; all pairs are judged again.

    DENSE's answers are judged in all ordered pairs twice: by DENSE, and for the probabilities. They are read in full:
    those that DENSE reads quickly are asked for again.
    """
    n, k = config.seper.samples or plan.profile.samples, plan.passages
    dense, draws = dense_load(config.dense, plan), 0 if "seper" in plan.methods else 2 * n
    again = "dense" not in plan.methods or plan.quick
    return Load(
        model_calls=draws + again * dense.model_calls,
        samples=draws,
        judge_pairs=dense.judge_pairs + k * (k + 1) + 2 * n * (n - 1),
        prompt_tokens=draws * (plan.over_passages + plan.closed_book) // 2 + again * dense.prompt_tokens,
        new_tokens=draws * sample_tokens(plan.profile, config.seper.variant) + again * dense.new_tokens,
    )


def set_fits(answers: AnswerSet) -> bool:
    """Return whether both matrices and the meanings of a set have one row, column and number per answer."""
    n = len(answers.answers)
    squares = (answers.classes, answers.entailment)
    return len(answers.ids) == n and all(len(m) == n and all(len(row) == n for row in m) for m in squares)


def fits(result: UncertaintyResult) -> bool:
    """Return whether every set of answers fits together."""
    return all(set_fits(one) for one in result.sets)


def sampling_of(result: UncertaintyResult) -> SeperConfig | None:
    """Return how the closed-book samples were drawn, None where there are none."""
    return sampling(next((one.answers for one in result.sets if one.word == "closed_book"), ()))


def headlines(result: UncertaintyResult) -> tuple[str, ...]:
    """Return the first measure of every set that was measured, and the cut of the first."""
    first = [f"sets.{place}.readings.0.value" for place, one in enumerate(result.sets) if one.readings]
    return (*first, *(address.replace("value", "threshold") for address in first[:1]))


METHOD = Method(
    word="uncertainty",
    title="Uncertainty baselines",
    question="Do other measures of uncertainty, on the same answers, say the same as DENSE's?",
    paper="DENSE, section 6; Farquhar et al. 2024; Lin et al. 2023; Nikitin et al. 2024",
    icon="table_chart",
    config=UncertaintyConfig,
    result=UncertaintyResult,
    run=run,
    needs=baselines_reach,
    load=load,
    fits=fits,
    sampling=sampling_of,
    headlines=headlines,
)
