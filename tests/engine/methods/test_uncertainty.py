"""The baselines on scripted answers: values by hand, the identities that tie them together, who says uncertain."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.backends.language_models.cached import CachedModel
from engine.core.progress import Stage
from engine.core.seeds import derive_seed
from engine.measures.graph_uncertainty import eigenvalue
from engine.measures.response_graph import degree_entropy, response_weights
from engine.measures.semantic_clusters import cluster
from engine.measures.semantic_entropy import discrete_semantic_entropy
from engine.measures.semantic_perplexity import sample_weights, seper_hard, seper_soft
from engine.methods import dense, seper, uncertainty
from engine.methods.dense_records import DenseConfig
from engine.methods.seper_records import SeperConfig
from engine.methods.uncertainty import UncertaintyConfig, over_classes, threshold_of
from tests.engine.methods.scripted_case import Events, backends, case

CLOSED_BOOK = "Answer in a few words"
BY_HAND = ((0, "In other words, one."), (1, "In other words, two."), (2, "In other words, three."))
CONFIG = UncertaintyConfig(dense=DenseConfig(rewrites=BY_HAND))


def speak(request: Request):
    """Return 5 + 5 over no passages, 9 + 1 over passages; the answer changes where the first passage is reworded."""
    if request.temperature == 0:
        return "Moss" if "In other words, one." in request.prompt.text else "Quill"
    closed = request.prompt.text.startswith(CLOSED_BOOK)
    seeds = [derive_seed(0, "seper", "without" if closed else "with", index) for index in range(10)]
    return [("Quill" if seeds.index(request.seed) < (5 if closed else 9) else "Moss", -0.5, 0.3)]


def measured(passages=None, judge=None, report=None):
    """Return the result over the scripted answers."""
    backend = backends(speak, judge, **({"report": report} if report else {}))
    asked = case(backend) if passages is None else case(backend, passages)
    return uncertainty.run(asked, CONFIG, backend)


def reading(result, word, measure, edges=None):
    """Return one reading of one set."""
    answers = next(one for one in result.sets if one.word == word)
    return next(r for r in answers.readings if r.measure == measure and edges in (None, r.edges))


def test_five_and_five_of_ten_samples_by_every_measure() -> None:
    result = measured()
    expected = {
        ("degree_entropy", "decisions"): math.log(2),
        ("semantic_entropy", "decisions"): math.log(2),
        ("discrete_semantic_entropy", "decisions"): math.log(2),
        ("predictive_entropy", "none"): 0.5,
        ("degree", "decisions"): 0.5,
        ("eigenvalue", "decisions"): 2.0,
        ("eccentricity", "decisions"): 1.0,
        ("degree", "probabilities"): 0.5,
        ("eigenvalue", "probabilities"): 2.0,
        ("eccentricity", "probabilities"): 1.0,
    }
    for (measure, edges), value in expected.items():
        assert reading(result, "closed_book", measure, edges).value == pytest.approx(value, abs=1e-6), measure
    assert len(result.sets[1].readings) == 12, "nine measures, three of them on two graphs"


def test_densest_answers_are_its_own_and_one_of_four_differs() -> None:
    backend = backends(speak)
    asked = case(backend)
    found = dense.run(asked, CONFIG.dense, backend)
    result = uncertainty.run(asked, CONFIG, backend)
    entropy = reading(result, "reworded", "degree_entropy")
    assert entropy.value == found.entropy == pytest.approx(0.562335, abs=1e-6)
    assert entropy.uncertain is found.uncertain is True
    assert reading(result, "reworded", "degree", "decisions").value == pytest.approx(0.375)
    assert [answer.text for answer in result.sets[0].answers] == ["Quill", "Moss", "Quill", "Quill"]


def test_likelihoods_of_reworded_answers_are_not_measured_and_say_why() -> None:
    result = measured()
    for measure in ("semantic_entropy", "predictive_entropy"):
        found = reading(result, "reworded", measure)
        assert (found.value, found.uncertain, found.threshold) == (None, None, None)
        assert "not draws" in found.not_measured


def test_one_sample_of_ten_alone_is_uncertain_for_dense_and_not_for_sugars_threshold() -> None:
    result = measured()
    entropy = reading(result, "with_passages", "degree_entropy")
    semantic = reading(result, "with_passages", "semantic_entropy")
    assert entropy.value == pytest.approx(semantic.value) == pytest.approx(0.325083, abs=1e-6)
    assert (entropy.threshold, entropy.uncertain) == (0.2, True)
    assert (semantic.threshold, semantic.uncertain) == (0.4, False)
    discrete = reading(result, "with_passages", "discrete_semantic_entropy")
    assert (discrete.threshold_source, discrete.uncertain) == ("half way to one dissent", True)
    assert discrete.threshold == pytest.approx(0.325083 / 2, abs=1e-6)


def test_probabilities_and_decisions_are_two_graphs() -> None:
    judge = ScriptedJudge({("Quill", "Moss"): (0.4, 0.3, 0.3), ("Moss", "Quill"): (0.5, 0.0, 0.5 - 1e-9)})
    result = measured(judge=judge)
    assert reading(result, "closed_book", "degree", "decisions").value == pytest.approx(0.5)
    # Half of all pairs have weight (0.3 + 0.5) / 2 = 0.4, the others 1.
    assert reading(result, "closed_book", "degree", "probabilities").value == pytest.approx(0.3, abs=1e-6)


def test_without_passages_the_closed_book_samples_are_measured_and_the_rest_says_why_not() -> None:
    result = measured(passages=())
    reworded, closed_book, with_passages = result.sets
    assert "there are none" in reworded.not_measured
    assert "no passages" in with_passages.not_measured
    assert (reworded.readings, with_passages.answers) == ((), ())
    assert len(closed_book.answers) == 10


def test_without_a_valid_rewording_the_reworded_answers_are_not_measured() -> None:
    config = UncertaintyConfig(dense=DenseConfig(rewrites=((0, ""), (1, ""), (2, ""))))
    backend = backends(speak)
    result = uncertainty.run(case(backend), config, backend)
    assert "None of the 3 passages could be reworded" in result.sets[0].not_measured


def test_after_dense_and_seper_no_answer_is_made_anew() -> None:
    backend = backends(speak)
    cached = CachedModel(backend.model)
    shared = replace(backend, model=cached, writer=cached, rewriter=cached)
    asked = case(shared)
    dense.run(asked, CONFIG.dense, shared)
    seper.run(asked, SeperConfig(), shared)
    before = len(backend.model.requests)
    uncertainty.run(asked, CONFIG, shared)
    assert len(backend.model.requests) == before


def test_one_sample_has_a_value_and_no_verdict() -> None:
    backend = backends(lambda request: [("Quill", -0.5, 0.3)])
    config = UncertaintyConfig(seper=SeperConfig(samples=1))
    result = uncertainty.run(case(backend, ()), config, backend)
    found = reading(result, "closed_book", "degree_entropy")
    assert (found.value, found.threshold, found.uncertain, found.threshold_source) == (0.0, None, None, "none")


def test_progress_is_named_after_the_baselines() -> None:
    events = Events()
    measured(report=events)
    assert {event.method for event in events.seen if isinstance(event, Stage)} == {"uncertainty", "entailment"}


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_on_cliques_dse_is_discrete_semantic_entropy_and_u_eigv_their_number(labels: list[int]) -> None:
    same = np.equal.outer(labels, labels)
    weights = response_weights(same)
    ids = cluster(np.where(same, 2, 0))
    assert degree_entropy(weights) == pytest.approx(discrete_semantic_entropy(ids), abs=1e-9)
    assert eigenvalue(weights) == pytest.approx(len(set(labels)), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-8, 0)), min_size=1, max_size=12), st.integers(0, 3))
def test_with_a_zero_one_kernel_and_one_gold_soft_seper_is_hard_seper(draws, gold: int) -> None:
    labels = [label for label, _ in draws]
    weights = sample_weights([logprob for _, logprob in draws])
    ids = cluster(np.where(np.equal.outer(labels, labels), 2, 0))
    matches = [labels[int(np.flatnonzero(ids == number)[0])] == gold for number in range(ids.max() + 1)]
    kernel = np.equal(labels, gold).astype(float)
    assert seper_soft(weights, kernel) == pytest.approx(seper_hard(weights, ids, matches), abs=1e-9)


@pytest.mark.parametrize("measure", ["degree", "eigenvalue", "eccentricity", "heat_kernel", "matern_kernel"])
def test_every_measure_calls_unanimous_answers_certain_and_a_lone_one_uncertain(measure) -> None:
    for n in (2, 6, 10):
        lone = np.full((n, n), 2)
        lone[-1, :-1] = lone[:-1, -1] = 1
        cut = threshold_of(measure, n)
        assert over_classes(measure)(np.full((n, n), 2)) < cut < over_classes(measure)(lone)


def test_answers_that_are_all_impossible_have_no_likelihood_reading_and_all_others() -> None:
    backend = backends(lambda request: [("Quill", -math.inf, 0.3)] if request.temperature else "Quill")
    (memory,) = (one for one in uncertainty.run(case(backend, ()), CONFIG, backend).sets if one.answers)
    assert {one.measure for one in memory.readings if one.value is None} == {"semantic_entropy", "predictive_entropy"}
