"""A number of an imported run is held to its range, and a run of ours always passes."""

from contextlib import nullcontext
from dataclasses import replace
from math import inf

import pytest

from engine.catalogue.entries import ENTRIES
from engine.catalogue.ranges import bounds_of, refuse_impossible
from engine.core.errors import RecordError
from engine.core.records import Prompt
from engine.methods.chunk_utility import ChunkUtilityResult
from engine.methods.dense_rag_records import DenseRagResult, SelfEvaluation
from engine.methods.dense_records import DenseChunk, DenseResult
from engine.methods.quco_precheck import PreCheck
from engine.methods.uncertainty import UncertaintyResult
from tests.engine.catalogue.nine_methods import nine


def test_a_run_of_every_method_is_within_its_ranges_also_where_a_measure_has_no_largest_value() -> None:
    whole = nine()
    readings = [reading for one in whole.result(UncertaintyResult).sets for reading in one.readings]
    assert any(reading.high == inf for reading in readings)
    refuse_impossible(whole)


@pytest.mark.parametrize(
    ("entry", "bounds"),
    [
        ((DenseResult, "weights"), (0.0, 1.0)),
        ((DenseChunk, "ablation_weight"), (0.0, 1.0)),
        ((PreCheck, "percentile"), (0.0, 100.0)),
        ((ChunkUtilityResult, "margin"), (0.0, inf)),
    ],
)
def test_a_range_in_words_has_both_its_ends(entry: tuple[type, str], bounds: tuple[float, float]) -> None:
    assert bounds_of(ENTRIES[entry].range, ENTRIES[entry].unit) == bounds


def test_a_weight_that_is_no_agreement_is_refused() -> None:
    whole = nine()
    dense = whole.result(DenseResult)
    beyond = replace(dense, weights=((1e18, *dense.weights[0][1:]), *dense.weights[1:]))
    outcomes = tuple(replace(one, result=beyond) if one.method == "dense" else one for one in whole.outcomes)
    with pytest.raises(RecordError, match=r"dense\.weights is 1e\+18"):
        refuse_impossible(replace(whole, outcomes=outcomes))


def test_an_impossible_number_is_refused_by_its_address() -> None:
    whole = nine()
    outcomes = tuple(
        replace(one, result=replace(one.result, share=1.5)) if one.method == "dense" else one for one in whole.outcomes
    )
    with pytest.raises(RecordError, match=r"dense\.share is 1\.5"):
        refuse_impossible(replace(whole, outcomes=outcomes))


@pytest.mark.parametrize(("sum_of_spellings", "taken"), [(0.0014, True), (0.1, False)])
def test_a_sum_of_two_spellings_may_pass_1_by_what_a_server_rounds(sum_of_spellings: float, taken: bool) -> None:
    """A run that was measured comes back from its own export."""
    whole = nine()
    result = whole.result(DenseRagResult)
    judged = SelfEvaluation(
        prompt=Prompt(text="Enough?"), yes_logprob=sum_of_spellings, no_logprob=-1.0, yes=0.7, no=0.3, sufficient=False
    )
    changed = replace(result, steps=(replace(result.steps[0], evaluation=judged), *result.steps[1:]))
    outcomes = tuple(replace(one, result=changed) if one.method == "dense_rag" else one for one in whole.outcomes)
    with nullcontext() if taken else pytest.raises(RecordError, match="yes_logprob"):
        refuse_impossible(replace(whole, outcomes=outcomes))
