"""The cost before the click: counts by hand, seconds only from runs that were made here."""

from dataclasses import replace

import pytest

from engine.diagnosis import Diagnosis, DiagnosisRequest
from engine.entailment.scripted import ScriptedJudge
from engine.estimate import Load, estimate, expected_seconds, filled, loads_of
from engine.methods import seper
from engine.methods.dense import DenseConfig
from engine.methods.quco_claims import QucoConfig
from engine.methods.seper import SeperConfig
from engine.profiles import EMBEDDED
from engine.records import Passage
from engine.runs.store import RunStore
from tests.engine.methods.scripted_case import backends, case

REQUEST = DiagnosisRequest(question="Who?" * 10, golds=("A", "B"))


def test_only_answering_is_two_calls_of_at_most_32_tokens(tmp_store: RunStore) -> None:
    cost = estimate(replace(REQUEST, methods=()), 500, tmp_store)
    assert (cost.model_calls, cost.sampled_answers, cost.judge_pairs) == (2, 0, 0)
    assert cost.new_tokens_at_most == 2 * 32
    # Question 10 tokens and 40 of template twice, the passages once.
    assert cost.prompt_tokens == 500 + 2 * (10 + 40)


def test_dense_over_five_passages_judges_thirty_pairs_and_ten_of_ablations() -> None:
    load = loads_of(replace(REQUEST, methods=("dense",)), 5 * 50)["dense"]
    wordings = len(EMBEDDED.sentence_rewrites)
    # 50 tokens are two sentences: 5 whole rewrites, 5 x 2 sentences in each wording, 5 answers, 5 ablations.
    assert load.model_calls == 5 + 5 * 2 * wordings + 5 + 5
    assert load.judge_pairs == 6 * 5 + 5 * 2
    # 75 new tokens a rewrite (growth 1.5), as a whole and once per wording; ten answers of 32.
    assert load.new_tokens == 5 * 75 * (1 + wordings) + 10 * 32


def test_a_rewrite_by_hand_costs_no_rewriting_call() -> None:
    by_hand = replace(REQUEST, methods=("dense",), k=1, dense=DenseConfig(rewrites=((0, "In other words."),)))
    load = loads_of(by_hand, 25)["dense"]
    assert (load.model_calls, load.new_tokens) == (2, 64)


def test_seper_draws_twice_n_samples_and_matches_both_golds_in_both_directions() -> None:
    load = loads_of(replace(REQUEST, methods=("seper",)), 500)["seper"]
    assert (load.model_calls, load.samples, load.new_tokens) == (20, 20, 640)
    # Two conditions of 90 ordered pairs and 10 samples x 2 golds x 2 directions.
    assert load.judge_pairs == 2 * (90 + 40)
    paper = replace(REQUEST, methods=("seper",), seper=SeperConfig(variant="paper", samples=4))
    assert loads_of(paper, 500)["seper"].judge_pairs == 2 * (12 + 16)


def test_seper_judges_as_many_pairs_as_the_estimate_says_at_most() -> None:
    told = iter(range(100))
    for variant in ("code", "paper"):
        judge = ScriptedJudge({})
        backend = backends(lambda request: f"Answer{next(told)}", judge)
        seper.run(case(backend, golds=("Lyra Quill",)), SeperConfig(variant=variant, samples=3), backend)
        asked = DiagnosisRequest(question="?", golds=("Lyra Quill",), seper=SeperConfig(variant=variant, samples=3))
        assert len(judge.asked) == loads_of(asked, 500)["seper"].judge_pairs == 2 * (6 + 6)


def test_quco_rag_shares_the_answer_that_etc_writes() -> None:
    both = loads_of(replace(REQUEST, methods=("entropy_trend", "quco_rag")), 500)
    assert (both["entropy_trend"].model_calls, both["quco_rag"].model_calls) == (1, 0)
    assert loads_of(replace(REQUEST, methods=("quco_rag",)), 500)["quco_rag"].model_calls == 1


def test_the_whole_loop_costs_at_most_its_generations_and_an_extractor_one_call_a_sentence() -> None:
    dynamic = replace(REQUEST, methods=("quco_rag",), quco_rag=QucoConfig(dynamic=True, most_generations=4))
    load = loads_of(dynamic, 500)["quco_rag"]
    assert (load.model_calls, load.new_tokens) == (5, 5 * 96)
    named = replace(dynamic, quco_rag=QucoConfig(extractor="a model"))
    assert loads_of(named, 500)["quco_rag"].model_calls == 1 + 4  # 96 tokens are four sentences of 25


def test_given_passages_are_counted_and_unknown_ones_taken_at_the_profiles_size() -> None:
    given = replace(REQUEST, methods=(), passages=(Passage(text="x" * 400), Passage(text="y" * 401)))
    assert loads_of(given)["answer"].prompt_tokens == 100 + 101 + 100
    assert loads_of(replace(REQUEST, methods=()))["answer"].prompt_tokens == 5 * 128 + 100


def test_without_a_finished_run_there_are_no_seconds(tmp_store: RunStore) -> None:
    tmp_store.create(REQUEST)
    cost = estimate(REQUEST, None, tmp_store)
    assert cost.seconds is None
    assert cost.basis == "no run on this machine yet"


def test_the_run_just_made_predicts_itself_within_half_and_double(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    run_id = tmp_store.create(replace(REQUEST, question=example_diagnosis.question))
    tmp_store.finish(run_id, "done", diagnosis=example_diagnosis)
    cost = estimate(replace(REQUEST, question=example_diagnosis.question, k=1), 9, tmp_store)
    assert cost.seconds is not None
    # Its methods took 35 s, half of which is 17.5; the two answers come on top at the methods' median pace.
    assert 17.5 < cost.seconds.low < 22
    assert cost.seconds.high == pytest.approx(4 * cost.seconds.low)
    assert cost.basis == "a rough guess from 1 finished run on this machine"


@pytest.mark.parametrize("change", ["model", "machine", "imported", "unfinished"])
def test_a_run_that_says_nothing_of_this_machine_and_model_is_left_out(
    tmp_store: RunStore, example_diagnosis: Diagnosis, change: str
) -> None:
    request = replace(REQUEST, model="other" if change == "model" else "embedded")
    elsewhere = replace(example_diagnosis.provenance, machine="Plan9 mips")
    record = replace(example_diagnosis, provenance=elsewhere) if change == "machine" else example_diagnosis
    run_id = tmp_store.create(request, origin="imported" if change == "imported" else "asked")
    tmp_store.finish(run_id, "interrupted" if change == "unfinished" else "done", diagnosis=record)
    assert estimate(REQUEST, None, tmp_store).seconds is None


def test_five_runs_give_the_middle_of_what_they_say() -> None:
    loads = {"answer": Load(prompt_tokens=800)}
    past = [{"answer": pace / 1000} for pace in (1, 2, 3, 4, 5)]
    seconds, basis = expected_seconds(loads, past)
    assert seconds is not None
    assert (seconds.low, seconds.high) == (pytest.approx(1.4), pytest.approx(4.6))
    assert basis == "from 5 finished runs on this machine"


def test_a_part_no_run_had_takes_the_pace_of_the_others() -> None:
    loads = {"answer": Load(), "dense": Load(), "seper": Load()}
    assert filled(loads, [{"answer": 1.0, "dense": 3.0}, {"answer": 5.0}]) == [
        {"answer": 1.0, "dense": 3.0, "seper": 2.0},
        {"answer": 5.0, "dense": 3.0, "seper": 5.0},
    ]


def test_a_run_that_only_answered_predicts_itself(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    request = replace(REQUEST, methods=())
    run_id = tmp_store.create(request)
    tmp_store.finish(run_id, "done", diagnosis=replace(example_diagnosis, outcomes=(), seconds=8.0))
    cost = estimate(replace(request, passages=(example_diagnosis.hits[0].passage,)), None, tmp_store)
    assert cost.seconds is not None
    assert (cost.seconds.low, cost.seconds.high) == (pytest.approx(4.0), pytest.approx(16.0))
