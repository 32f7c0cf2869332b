"""A record names the settings it was made with: read off it, they are those that were asked for."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest

from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.settings import settings_of
from engine.methods.chunk_utility import ChunkUtilityConfig
from engine.methods.contradictions import ContradictionsConfig
from engine.methods.dense_rag import DenseRagConfig
from engine.methods.dense_records import DenseConfig
from engine.methods.entropy_trend import EntropyTrendConfig
from engine.methods.quco_precheck import PreCheck
from engine.methods.quco_rag import QucoConfig, QucoResult
from engine.methods.seper_records import SeperConfig
from engine.methods.sufficiency import SufficiencyConfig
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from engine.runs.store import RunStore
from tests.engine.catalogue.scripted_run import PASSAGES, scripted_run

ASKED: Mapping[str, Any] = {
    "dense": DenseConfig(
        draws=2, threshold=0.3, rule="equation10", temperature=0.5, rewrites=((0, "It stands."),), fitted=True
    ),
    "dense_rag": DenseRagConfig(
        threshold=0.3, stop_rule="either", most_contexts=2, temperature=0.5, draws=3, suffices_from=0.7
    ),
    "seper": SeperConfig(variant="paper", samples=3, temperature=0.7, resamples=55),
    "entropy_trend": EntropyTrendConfig(variant="code", alpha=0.4, fitted=True),
    "quco_rag": QucoConfig(
        window=20,
        window_share=0.3,
        cooccurrence_threshold=2,
        variant="code",
        dynamic=True,
        sentence_check=False,
        relation_check=True,
        aggregate="min",
        entity_percentile=60.0,
        partial_threshold=20,
    ),
    "sugar": SugarConfig(low=0.1, high=0.2, form="equation_1", passages=2, rounds=1, fitted=True),
    "chunk_utility": ChunkUtilityConfig(margin=0.2, level=0.9, resamples=60),
    "sufficiency": SufficiencyConfig(threshold=0.6),
    "contradictions": ContradictionsConfig(threshold=0.6, pairs=3),
    "timing": TimingConfig(variant="code", policies=("once",), passages=2, staircase=True, alpha=0.7),
}
UNNAMED = {
    "dense": {"similarity_bound"},
    "entropy_trend": {"query_words"},
    "quco_rag": {"meetings_shown", "passages_per_query"},
    "sugar": {"seper"},
    "chunk_utility": {"seper"},
}
OTHERWISE = {
    "reading",
    "initial_check",
    "counts",
    "entity_threshold",
    "infini_gram_index",
    "extractor",
    "most_generations",
}


@pytest.mark.parametrize("method", ASKED)
def test_the_settings_of_a_run_come_back_from_its_record(method: str) -> None:
    found = settings_of(scripted_run(methods=(method,), **{method: ASKED[method]}))
    assert found[method] == ASKED[method]


@pytest.mark.parametrize("method", sorted(set(ASKED) - {"dense_rag", "timing"}))
def test_every_field_that_a_record_names_was_asked_for_otherwise_than_by_default(method: str) -> None:
    asked, default = ASKED[method], type(ASKED[method])()
    same = {field.name for field in fields(asked) if getattr(asked, field.name) == getattr(default, field.name)}
    assert same - OTHERWISE == UNNAMED.get(method, set())


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("chunk_utility", SeperConfig(variant="paper", samples=3, temperature=0.7)),
        ("sugar", SeperConfig(samples=3, temperature=0.7)),
        ("uncertainty", SeperConfig(samples=3, temperature=0.7)),
    ],
)
def test_where_seper_did_not_run_the_samples_of_another_method_tell_its_settings(
    method: str, told: SeperConfig
) -> None:
    assert settings_of(scripted_run(methods=(method,), seper=ASKED["seper"]))["seper"] == told


def test_sepers_own_result_tells_its_settings_before_any_other() -> None:
    run = scripted_run(methods=("sugar", "chunk_utility", "seper"), seper=ASKED["seper"])
    assert settings_of(run)["seper"] == ASKED["seper"]


def test_a_refused_rewording_by_hand_was_asked_for_all_the_same() -> None:
    unchanged = PASSAGES[1].text
    run = scripted_run(methods=("dense",), dense=DenseConfig(rewrites=((1, unchanged),)))
    assert run.outcomes[0].result.chunks[1].rewrite is None  # type: ignore[union-attr]
    assert settings_of(run)["dense"].rewrites == ((1, unchanged),)


def test_a_check_that_was_switched_off_stays_off() -> None:
    run = scripted_run(methods=("quco_rag",), quco_rag=QucoConfig(initial_check=False))
    assert settings_of(run)["quco_rag"] == QucoConfig(initial_check=False)


def test_a_loop_that_came_to_its_limit_tells_it() -> None:
    asked = QucoConfig(dynamic=True, cooccurrence_threshold=3, most_generations=1)
    run = scripted_run(methods=("quco_rag",), quco_rag=asked)
    assert run.outcomes[0].result.loop.ending == "limit"  # type: ignore[union-attr]
    assert settings_of(run)["quco_rag"] == asked


def counted(**changes: Any) -> QucoConfig:
    """Return the settings that a result of QuCo-RAG with these fields names."""
    run = scripted_run(methods=("quco_rag",))
    result = run.outcomes[0].result
    assert isinstance(result, QucoResult)
    outcome = Outcome(method="quco_rag", status="done", result=replace(result, **changes))
    found = settings_of(replace(run, outcomes=(outcome,)))["quco_rag"]
    assert isinstance(found, QucoConfig)
    return found


def test_a_named_extractor_comes_back() -> None:
    assert counted(extractor="my-extractor") == QucoConfig(extractor="my-extractor")


def test_counts_in_an_index_come_back_with_its_name_and_their_own_threshold() -> None:
    check = PreCheck(
        aggregate="max",
        value=3.0,
        threshold=500.0,
        percentile=None,
        names=0,
        threshold_source="chosen",
        retrieves=True,
    )
    assert counted(counts_from="infini-gram", corpus="an index", pre_check=check) == QucoConfig(
        counts="infini-gram", infini_gram_index="an index", aggregate="max", entity_threshold=500
    )


def test_a_method_without_a_result_names_nothing(example_diagnosis: Diagnosis) -> None:
    assert "sugar" not in settings_of(example_diagnosis)


def test_an_imported_run_has_the_settings_of_the_run_it_was(tmp_store: RunStore) -> None:
    asked = {method: ASKED[method] for method in ("seper", "quco_rag", "chunk_utility")}
    run = scripted_run(methods=tuple(asked), **asked)
    request = tmp_store.get(tmp_store.import_json(run.to_json())).request
    assert {method: getattr(request, method) for method in asked} == asked
