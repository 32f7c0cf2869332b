"""Derived numbers follow from raw ones, in recorded runs and in made-up ones; a changed number is found by its name."""

import copy
import gzip
import json
import typing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.catalogue.entries import ENTRIES, FACTS, RAW_PARTS
from engine.catalogue.names import own_interval
from engine.catalogue.verify import Check, compare, verify
from engine.catalogue.walk import number_at
from engine.core.records import Interval, Judgement
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_fields, from_json, to_json
from engine.methods import METHODS
from engine.methods.chunk_utility import ChunkUtilityResult
from engine.methods.dense_rag import DenseRagConfig
from engine.methods.dense_records import DenseConfig
from engine.methods.entropy_trend import EntropyTrendConfig
from engine.methods.quco_rag import QucoConfig
from engine.methods.seper_records import SeperConfig, SeperResult
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from tests.engine.catalogue.nine_methods import nine
from tests.engine.catalogue.scripted_run import scripted_run
from tests.engine.catalogue.test_entries import kinds_in, records
from tests.viz.sample_rag_results import refined_result

SAMPLES = Path(__file__).resolve().parents[3] / "sample_data"
RECORDED = sorted(path for kind in ("diagnoses", "policy_runs", "atlas") for path in (SAMPLES / kind).glob("*.json*"))
BY_HAND = DenseConfig(rewrites=((0, "In 1702 the Vesper Clock was built. It was rebuilt by Lyra Quill in 1890."),))
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
def make_folder(name: str) -> dict[str, Any]:
    """Return a made-up run of all methods as JSON fields; made once."""
    return dict(json.loads(to_json(scripted_run(**SETTINGS[name]))))


def recorded(path: Path) -> Diagnosis:
    """Return a shipped record; those of the atlas are compressed."""
    content = path.read_bytes()
    return from_json((gzip.decompress(content) if path.suffix == ".gz" else content).decode())


def test_every_number_of_the_shipped_runs_follows_from_its_raw_part() -> None:
    assert {path.parent.name for path in RECORDED} == {"diagnoses", "policy_runs", "atlas"}
    for path in RECORDED:
        found = verify(recorded(path))
        assert found.differing == (), path.name
        assert len(found.checks) >= 40, path.name


@pytest.mark.parametrize(
    ("name", "least"), [("paper", 350), ("code", 200), ("no gold answer", 180), ("no passages", 80)]
)
def test_every_number_of_all_nine_methods_follows_from_the_raw_part(name: str, least: int) -> None:
    found = verify(from_fields(make_folder(name)))
    assert found.differing == ()
    assert len(found.checks) >= least


def test_every_method_has_its_entries_and_its_raw_parts_are_methods_parts() -> None:
    assert {outcome["method"] for outcome in make_folder("paper")["outcomes"]} == set(METHODS)
    assert set(RAW_PARTS) <= set(METHODS)


def test_every_interval_and_every_table_is_checked_whole() -> None:
    for record in records(Diagnosis, set()):
        for name, annotation in typing.get_type_hints(record).items():
            if Interval in kinds_in(annotation) or ((record, name) in ENTRIES and "tuple" in str(annotation)):
                assert (record, name) in FACTS, f"{record.__name__}.{name}"


# What is changed: the address of the value that is found to differ, the steps inside it, and what it becomes; a number
# without a new value is moved a little, a word of yes or no turned around.
CHANGES: list[tuple[str, tuple[str | int, ...], object]] = [
    ("dense.entropy", (), None),
    ("dense.share", (), None),
    ("dense.weights", (0, 1), None),
    ("dense.entropy_interval", ("low",), None),
    ("dense.chunks.0.weight", (), None),
    ("dense.chunks.1.label", (), "not measured"),
    ("dense.uncertain", (), None),
    ("seper.without.soft", (), None),
    ("seper.with_passages.hard", (), None),
    ("seper.without.weights", (3,), None),
    ("seper.without.entropy", (), None),
    ("seper.with_passages.kernel", (0, 0), None),
    ("seper.without.kernel", (), []),
    ("seper.without.ids", (), [0] * 10),
    ("seper.without.meanings", (), []),
    ("seper.with_passages.samples.0.tokens.0.logprob", (), None),
    ("seper.delta_soft", (), None),
    ("seper.delta_soft_interval", ("high",), None),
    ("seper.delta_hard_interval", ("low",), None),
    ("entropy_trend.words.2.entropy", (), None),
    ("entropy_trend.points.1.second_difference", (), None),
    ("entropy_trend.points.1.smoothed", (), None),
    ("entropy_trend.points", (), []),
    ("entropy_trend.triggers", (0, "value"), None),
    ("entropy_trend.triggers", (), []),
    ("quco_rag.mean_count", (), None),
    ("quco_rag.supported", (), 99),
    ("sugar.measured", (), None),
    ("sugar.decision", (), "none"),
    ("sugar.closed_book.predictive", (), None),
    ("uncertainty.sets.1.readings.4.value", (), None),
    ("uncertainty.sets.1.entailment", (0, 1), None),
    ("chunk_utility.without.soft", (), None),
    ("chunk_utility.chunks.0.verdict", (), "useless"),
    ("chunk_utility.chunks.1.alone.delta", (), None),
    ("chunk_utility.chunks.1.left_out.interval", ("low",), None),
    ("dense_rag.final", (), 1),
    ("dense_rag.steps.1.evaluation.yes", (), None),
    ("dense_rag.steps.1.evaluation.sufficient", (), None),
    ("timing.lanes.1.delay", (), 3000),
    ("timing.lanes.1.triggers", (), [0, 1]),
    ("timing.runs.0.text", (), "another answer"),
    ("timing.runs.0.stairs.1.gain", (), None),
]
# A token is raw: what differs is the number that rests on it.
RESTS_ON = {"seper.with_passages.samples.0.tokens.0.logprob": "seper.with_passages.weights"}


def with_change(address: str, inside: tuple[str | int, ...], value: object) -> Diagnosis:
    """Return the made-up run with one value changed."""
    fields = copy.deepcopy(make_folder("paper"))
    word, *steps = [int(step) if step.isdecimal() else step for step in address.split(".")]
    held: Any = next(one["result"] for one in fields["outcomes"] if one["method"] == word)
    for step in (way := [*steps, *inside])[:-1]:
        held = held[step]
    old = held[way[-1]]
    moved = not old if isinstance(old, bool) else old + (0.001 if old < 0.9 else -0.001) if value is None else value
    held[way[-1]] = moved
    return from_fields(fields)


def test_a_derived_value_that_was_changed_is_found_by_its_address() -> None:
    for address, inside, value in CHANGES:
        found = {check.place for check in verify(with_change(address, inside, value)).differing}
        assert RESTS_ON.get(address, address) in found, (address, inside)


def test_judgements_that_are_not_there_are_a_difference_and_no_silent_pass() -> None:
    weights = next(
        check for check in verify(with_change("dense.judgements", (), [])).checks if check.place == "dense.weights"
    )
    assert (weights.equal, weights.recomputed) == (False, "nothing")


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
    same = ((0.1 + 0.2, 0.3), ((1.0, None), [1.0, None]))
    other = ((0.3, 0.300001), (None, 0.0), (False, 0))
    assert [compare("a", stored, again).equal for stored, again in (*same, *other)] == [True] * 2 + [False] * 3


def test_copies_of_a_chunk_with_different_labels_are_no_difference() -> None:
    """Passage 2 stands twice in a context, once necessary and once unnecessary: one copy stays, the other leaves."""
    whole = refined_result()
    twice = replace(whole.steps[1], context=(2, 2, 3), labels=("necessary", "unnecessary", "certain"))
    after = replace(whole.steps[2], context=(2, 3, 5), labels=("certain",) * 3, left=(whole.steps[2].left[0],))
    after = replace(after, left=(replace(after.left[0], chunk=2),))
    run = nine()
    outcomes = tuple(
        replace(one, result=replace(whole, steps=(whole.steps[0], twice, after))) if one.method == "dense_rag" else one
        for one in run.outcomes
    )
    found = {one.place: one.equal for one in verify(replace(run, outcomes=outcomes)).checks}
    assert (found["dense_rag.steps.2.context"], found["dense_rag.steps.2.left"]) == (True, True)


@pytest.mark.parametrize("made", ["recorded", "fresh"])
def test_the_same_samples_have_one_interval_on_both_pages_in_old_and_new_records(made: str) -> None:
    held = (run for run in map(recorded, RECORDED) if run.result(ChunkUtilityResult) and run.result(SeperResult))
    run = next(held) if made == "recorded" else from_fields(make_folder("paper"))
    belief = run.result(SeperResult)
    assert belief is not None
    for name, own in (("with_passages", belief.with_passages), ("without", belief.without)):
        place = number_at(run, f"chunk_utility.{name}.soft")
        assert place is not None and place.value == own.soft
        assert own_interval(place) == own.soft_interval is not None
    assert verify(run).differing == ()
