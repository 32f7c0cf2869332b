"""Derived numbers follow from raw ones, in recorded runs and in made-up ones; a changed number is found by its name."""

import copy
import gzip
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.catalogue.verify import CHECKS, RAW_PARTS, verify
from engine.catalogue.verify.base import Check, compare
from engine.catalogue.verify.timing import worth
from engine.core.records import Judgement
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_fields, from_json, to_json
from engine.methods.dense import DenseConfig
from engine.methods.dense_rag import DenseRagConfig
from engine.methods.entropy_trend import EntropyTrendConfig
from engine.methods.quco_rag import QucoConfig
from engine.methods.seper import SeperConfig
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from tests.engine.catalogue.verify.scripted_run import scripted_run

SAMPLES = Path(__file__).resolve().parents[4] / "sample_data"
RECORDED = sorted(path for kind in ("diagnoses", "policy_runs", "atlas") for path in (SAMPLES / kind).glob("*.json*"))
BY_HAND = DenseConfig(
    rewrites=(
        (0, "In 1702 the Vesper Clock was built. It was rebuilt by Lyra Quill in 1890."),
        (1, "A clockmaker from Bremen was Lyra Quill. In 1911 she died in Bremen."),
    )
)
OWN = ("once", "entropy_trend", "flare", "every_sentence")
SETTINGS: dict[str, dict[str, Any]] = {
    "paper": {
        "dense": BY_HAND,
        "seper": SeperConfig(variant="paper", resamples=77),
        "timing": TimingConfig(staircase=True, policies=OWN),
        "quco_rag": QucoConfig(dynamic=True, relation_check=True, partial_threshold=3),
    },
    "code": {
        "dense": BY_HAND,
        "entropy_trend": EntropyTrendConfig(variant="code", alpha=0.3),
        "timing": TimingConfig(variant="code", policies=OWN),
        "quco_rag": QucoConfig(dynamic=True, variant="code"),
        "sugar": SugarConfig(form="equation_1", low=0.1, high=0.2),
        "dense_rag": DenseRagConfig(threshold=0.0),
    },
    "no gold answer": {"dense": BY_HAND, "golds": ()},
    "no passages": {"passages": ()},
}


@cache
def made(name: str) -> dict[str, Any]:
    """Return a made-up run of all nine methods as JSON fields; made once."""
    return dict(json.loads(to_json(scripted_run(**SETTINGS[name]))))


def recorded(path: Path) -> Diagnosis:
    """Return a shipped record; those of the atlas are compressed."""
    content = path.read_bytes()
    return from_json((gzip.decompress(content) if path.suffix == ".gz" else content).decode())


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_every_number_of_a_shipped_run_follows_from_its_raw_part(path: Path) -> None:
    found = verify(recorded(path))
    assert found.differing == ()
    assert len(found.checks) >= 40


def test_all_three_kinds_of_shipped_runs_are_checked() -> None:
    assert {path.parent.name for path in RECORDED} == {"diagnoses", "policy_runs", "atlas"}


@pytest.mark.parametrize(
    ("gain", "low", "high", "said"),
    [
        (0.3, 0.1, 0.5, "helped"),
        (-0.3, -0.5, -0.1, "harmed"),
        (0.05, 0.01, 0.09, "within noise"),
        (-0.05, -0.09, -0.01, "within noise"),
        (0.3, -0.1, 0.7, "within noise"),
    ],
)
def test_a_retrieval_is_worth_what_both_its_gain_and_its_interval_say(
    gain: float, low: float, high: float, said: str
) -> None:
    assert worth(gain, low, high) == said


@pytest.mark.parametrize(
    ("name", "least"), [("paper", 350), ("code", 200), ("no gold answer", 180), ("no passages", 80)]
)
def test_every_number_of_all_nine_methods_follows_from_the_raw_part(name: str, least: int) -> None:
    found = verify(from_fields(made(name)))
    assert found.differing == ()
    assert len(found.checks) >= least


def test_every_method_has_its_checks_and_its_raw_parts_are_methods_parts() -> None:
    fields = made("paper")
    assert set(CHECKS) == {outcome["method"] for outcome in fields["outcomes"]}
    assert set(RAW_PARTS) <= set(CHECKS)


CHANGES: list[tuple[str, tuple[str | int, ...]]] = [
    ("dense.entropy", ("entropy",)),
    ("dense.share", ("share",)),
    ("dense.weights", ("weights", 0, 1)),
    ("dense.entropy_interval", ("entropy_interval", "low")),
    ("dense.chunks.0.weight", ("chunks", 0, "weight")),
    ("seper.without.soft", ("without", "soft")),
    ("seper.with_passages.hard", ("with_passages", "hard")),
    ("seper.without.weights", ("without", "weights", 3)),
    ("seper.without.entropy", ("without", "entropy")),
    ("seper.with_passages.kernel", ("with_passages", "kernel", 0, 0)),
    ("seper.delta_soft", ("delta_soft",)),
    ("seper.delta_soft_interval", ("delta_soft_interval", "high")),
    ("seper.delta_hard_interval", ("delta_hard_interval", "low")),
    ("entropy_trend.words.entropy", ("words", 2, "entropy")),
    ("entropy_trend.points.second_difference", ("points", 1, "second_difference")),
    ("entropy_trend.points.smoothed", ("points", 1, "smoothed")),
    ("entropy_trend.triggers", ("triggers", 0, "value")),
    ("quco_rag.mean_count", ("mean_count",)),
    ("sugar.measured", ("measured",)),
    ("sugar.closed_book.predictive", ("closed_book", "predictive")),
    ("uncertainty.closed_book.degree on decisions.value", ("sets", 1, "readings", 4, "value")),
    ("uncertainty.closed_book.entailment", ("sets", 1, "entailment", 0, 1)),
    ("chunk_utility.without.soft", ("without", "soft")),
    ("chunk_utility.chunks.1.alone.delta", ("chunks", 1, "alone", "delta")),
    ("chunk_utility.chunks.1.left_out.interval", ("chunks", 1, "left_out", "interval", "low")),
    ("dense_rag.steps.1.evaluation.yes", ("steps", 1, "evaluation", "yes")),
    ("timing.runs.once.stairs.1.gain", ("runs", 0, "stairs", 1, "gain")),
]


@pytest.mark.parametrize(("place", "path"), CHANGES, ids=[place for place, _ in CHANGES])
def test_a_derived_number_that_was_changed_is_found_by_its_name(place: str, path: tuple[str | int, ...]) -> None:
    fields = copy.deepcopy(made("paper"))
    method = place.split(".")[0]
    held: Any = next(outcome["result"] for outcome in fields["outcomes"] if outcome["method"] == method)
    for step in path[:-1]:
        held = held[step]
    held[path[-1]] += 0.001 if held[path[-1]] < 0.9 else -0.001
    assert place in {check.place for check in verify(from_fields(fields)).differing}


def test_a_changed_label_decision_or_verdict_is_found() -> None:
    fields = copy.deepcopy(made("paper"))
    results = {outcome["method"]: outcome["result"] for outcome in fields["outcomes"]}
    results["sugar"]["decision"] = "none"
    results["dense"]["uncertain"] = not results["dense"]["uncertain"]
    results["chunk_utility"]["chunks"][0]["verdict"] = "useless"
    results["timing"]["lanes"][0]["delay"] = 3
    results["quco_rag"]["supported"] += 1
    found = {check.place for check in verify(from_fields(fields)).differing}
    assert {
        "sugar.decision",
        "dense.uncertain",
        "chunk_utility.chunks.0.verdict",
        "timing.lanes.entropy_trend.delay",
        "quco_rag.supported",
    } <= found


def test_a_token_that_was_made_likelier_spoils_every_number_that_rests_on_it() -> None:
    fields = copy.deepcopy(made("paper"))
    seper = next(outcome["result"] for outcome in fields["outcomes"] if outcome["method"] == "seper")
    sample = next(one for one in seper["with_passages"]["samples"] if one["tokens"])
    sample["tokens"][0]["logprob"] += 0.2
    found = {check.place for check in verify(from_fields(fields)).differing}
    assert {"seper.with_passages.weights", "seper.with_passages.soft", "seper.delta_soft"} <= found
    assert not {place for place in found if place.startswith("seper.without")}


def test_judgements_that_are_not_there_are_a_difference_and_no_silent_pass() -> None:
    fields = copy.deepcopy(made("paper"))
    next(outcome["result"] for outcome in fields["outcomes"] if outcome["method"] == "dense")["judgements"] = []
    entropy = next(check for check in verify(from_fields(fields)).checks if check.place == "dense.entropy")
    assert not entropy.equal
    assert entropy.why.startswith("the raw part does not give it")
    assert "no judgement of" in entropy.why


def test_of_a_pair_that_was_judged_twice_either_judgement_counts_and_a_third_does_not() -> None:
    diagnosis = recorded(SAMPLES / "diagnoses" / "mercury-freezing.json")
    outcome = diagnosis.outcome("seper")
    assert outcome is not None and outcome.result is not None
    said = outcome.result.judgements  # type: ignore[union-attr]
    again = tuple(
        replace(one, entailment=one.entailment * 0.5, neutral=one.neutral + one.entailment / 2) for one in said
    )

    def differing(judgements: tuple[Judgement, ...]) -> tuple[Check, ...]:
        changed = replace(outcome.result, judgements=judgements)  # type: ignore[call-arg,type-var,union-attr]
        others = tuple(replace(one, result=changed) if one.method == "seper" else one for one in diagnosis.outcomes)
        return verify(replace(diagnosis, outcomes=others)).differing

    assert differing(said + again) == () == differing(again + said)
    assert differing(again) != ()


def test_a_number_is_the_same_within_a_billionth_and_missing_is_not_zero() -> None:
    assert compare("a", 0.1 + 0.2, lambda: 0.3).equal
    assert not compare("a", 0.3, lambda: 0.300001).equal
    assert not compare("a", None, lambda: 0.0).equal
    assert not compare("a", False, lambda: 0).equal
    assert compare("a", (1.0, None), lambda: [1.0, None]).equal
