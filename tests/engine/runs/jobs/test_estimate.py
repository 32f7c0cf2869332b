"""The cost before the click: counts by hand, seconds only from runs that were made here."""

from dataclasses import replace

import pytest

from engine.backends.entailment.scripted import ScriptedJudge
from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import seper
from engine.methods.dense_records import DenseConfig
from engine.methods.profiles import EMBEDDED
from engine.methods.quco_claims import QucoConfig
from engine.methods.seper_records import SeperConfig
from engine.methods.timing.method import TimingConfig
from engine.runs.jobs.estimate import Load, complete_paces, estimate, expected_seconds, loads_of
from engine.runs.jobs.pace import Pace
from engine.runs.store import RunStore
from tests.engine.methods.scripted_case import backends, case

REQUEST = DiagnosisRequest(question="Who?" * 10, golds=("A", "B"))


def test_only_answering_is_two_calls_of_at_most_32_tokens(tmp_store: RunStore) -> None:
    cost = estimate(replace(REQUEST, methods=()), tmp_store)
    assert (cost.model_calls, cost.sampled_answers, cost.judge_pairs) == (2, 0, 2 * 2)
    assert loads_of(replace(REQUEST, methods=()), 500)["answer"].new_tokens == 2 * 32
    # Question 10 tokens and 40 of template twice, the passages once.
    assert cost.prompt_tokens == 5 * 128 + 2 * (10 + 40)


def test_dense_over_five_passages_judges_thirty_pairs_and_ten_of_ablations() -> None:
    once = replace(REQUEST, methods=("dense",), dense=DenseConfig(draws=1))
    load = loads_of(once, 5 * 50)["dense"]
    wordings = len(EMBEDDED.sentence_rewrites)
    # 50 tokens are two sentences: 5 x 2 sentences in each wording, 5 answers, 5 ablations.
    assert load.model_calls == 5 * 2 * wordings + 5 + 5
    assert load.judge_pairs == 6 * 5 + 5 * 2
    # 75 new tokens a rewrite (growth 1.5), once per wording; ten answers of 32.
    assert load.new_tokens == 5 * 75 * wordings + 10 * 32


def test_three_rewordings_of_each_passage_are_fifteen_answers_in_two_hundred_and_forty_pairs() -> None:
    load = loads_of(replace(REQUEST, methods=("dense",)), 5 * 50)["dense"]
    assert load.judge_pairs == 16 * 15 + 5 * 2


def test_a_profile_that_rewrites_whole_chunks_asks_once_more_for_each() -> None:
    once = replace(REQUEST, methods=("dense",), profile="paper", dense=DenseConfig(draws=1))
    # 5 whole, 5 x 2 sentences in the one wording, 5 answers, 5 ablations.
    assert loads_of(once, 5 * 50)["dense"].model_calls == 5 + 5 * 2 + 5 + 5


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
    cost = estimate(REQUEST, tmp_store)
    assert cost.seconds is None
    assert cost.basis == "no run on this machine yet"


def test_the_run_just_made_predicts_itself_within_half_and_double(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    run_id = tmp_store.create(replace(REQUEST, question=example_diagnosis.question))
    tmp_store.finish(run_id, "done", diagnosis=example_diagnosis)
    asked = replace(REQUEST, question=example_diagnosis.question, passages=(Passage(text="x" * 36),))
    cost = estimate(asked, tmp_store)
    assert cost.seconds is not None
    # Its methods took 35 s, half of which is 17.5; the two answers come on top at the methods' median pace.
    assert 17.5 < cost.seconds.low < 22
    assert cost.seconds.high == pytest.approx(4 * cost.seconds.low)
    assert cost.basis == "a rough guess from 1 finished run on this machine"
    three = cost.seconds_for(3)
    assert three is not None and three.low == pytest.approx(3 * cost.seconds.low)


@pytest.mark.parametrize("change", ["model", "machine", "imported", "unfinished"])
def test_a_run_that_says_nothing_of_this_machine_and_model_is_left_out(
    tmp_store: RunStore, example_diagnosis: Diagnosis, change: str
) -> None:
    request = replace(REQUEST, model="other" if change == "model" else "embedded")
    elsewhere = replace(example_diagnosis.provenance, machine="Plan9 mips")
    record = replace(example_diagnosis, provenance=elsewhere) if change == "machine" else example_diagnosis
    run_id = tmp_store.create(request, origin="imported" if change == "imported" else "asked")
    tmp_store.finish(run_id, "interrupted" if change == "unfinished" else "done", diagnosis=record)
    assert estimate(REQUEST, tmp_store).seconds is None


def test_a_question_that_another_model_answered_first_counts_for_this_one_too(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    for model in ("other", "embedded"):
        run_id = tmp_store.create(replace(REQUEST, model=model))
        tmp_store.finish(run_id, "done", diagnosis=example_diagnosis)
    assert estimate(REQUEST, tmp_store).basis == "a rough guess from 1 finished run on this machine"


def test_twenty_newer_runs_of_another_model_hide_none_of_this_one(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    asked = [REQUEST, *(replace(REQUEST, question=f"Other {place}?", model="other") for place in range(20))]
    for request in asked:
        tmp_store.finish(tmp_store.create(request), "done", diagnosis=example_diagnosis)
    assert estimate(REQUEST, tmp_store).basis == "a rough guess from 1 finished run on this machine"


def test_five_runs_give_the_middle_of_what_they_say() -> None:
    loads = {"answer": Load(prompt_tokens=800)}
    past = [{"answer": pace / 1000} for pace in (1, 2, 3, 4, 5)]
    seconds, basis = expected_seconds(loads, past)
    assert seconds is not None
    assert (seconds.low, seconds.high) == (pytest.approx(1.4), pytest.approx(4.6))
    assert seconds.method == "percentile"
    assert basis == "from 5 finished runs on this machine"


def test_a_part_no_run_had_takes_the_pace_of_the_others() -> None:
    loads = {"answer": Load(), "dense": Load(), "seper": Load()}
    assert complete_paces(loads, [{"answer": 1.0, "dense": 3.0}, {"answer": 5.0}]) == [
        {"answer": 1.0, "dense": 3.0, "seper": 2.0},
        {"answer": 5.0, "dense": 3.0, "seper": 5.0},
    ]


def test_a_run_that_only_answered_predicts_itself(tmp_store: RunStore, example_diagnosis: Diagnosis) -> None:
    request = replace(REQUEST, methods=())
    run_id = tmp_store.create(request)
    tmp_store.finish(run_id, "done", diagnosis=replace(example_diagnosis, outcomes=(), seconds=8.0))
    cost = estimate(replace(request, passages=(example_diagnosis.hits[0].passage,)), tmp_store)
    assert cost.seconds is not None
    assert (cost.seconds.low, cost.seconds.high) == (pytest.approx(4.0), pytest.approx(16.0))
    assert cost.seconds.method == "range"


def test_single_chunks_cost_two_k_conditions_beside_sepers_two_and_nothing_without_a_gold_answer() -> None:
    asked = replace(REQUEST, methods=("chunk_utility",))
    load = loads_of(asked, 500)["chunk_utility"]
    assert (load.model_calls, load.samples) == ((2 * 5 + 2) * 10, 120)
    # Twelve conditions of 10 samples x 2 golds x 2 directions.
    assert load.judge_pairs == 12 * 40
    # 10 samples of: all but one chunk five times (450), one five times (150), all (550) and none (50).
    assert load.prompt_tokens == 10 * (5 * 450 + 5 * 150 + 550 + 50)
    assert loads_of(replace(asked, methods=("seper", "chunk_utility")), 500)["chunk_utility"].samples == 100
    assert loads_of(replace(asked, k=1), 100)["chunk_utility"].samples == 20
    assert loads_of(replace(asked, golds=()), 500)["chunk_utility"] == Load()


def test_sugar_beside_seper_costs_one_long_answer_at_most() -> None:
    asked = replace(REQUEST, corpus="sample", methods=("seper", "sugar"))
    load = loads_of(asked, 500)["sugar"]
    assert (load.model_calls, load.samples) == (1, 0)
    assert load.prompt_tokens == 2 * 500 + 50, "over the passages of both rounds"
    assert load.judge_pairs == 2 * 90


def test_sugar_alone_costs_its_samples_and_without_a_corpus_only_those_from_memory() -> None:
    alone = loads_of(replace(REQUEST, corpus="sample", methods=("sugar",)), 500)["sugar"]
    assert (alone.model_calls, alone.samples) == (22, 20)
    memory = loads_of(replace(REQUEST, methods=("sugar",)), 500)["sugar"]
    assert (memory.model_calls, memory.samples, memory.judge_pairs) == (10, 10, 90)


def test_the_baselines_beside_dense_and_seper_cost_judgements_only() -> None:
    both = loads_of(replace(REQUEST, methods=("dense", "seper", "uncertainty")), 500)
    assert (both["uncertainty"].model_calls, both["uncertainty"].new_tokens) == (0, 0)
    # DENSE's own 40, its 30 ordered pairs once more, and both conditions' 90.
    assert both["uncertainty"].judge_pairs == (16 * 15 + 10) + 30 + 180
    alone = loads_of(replace(REQUEST, methods=("uncertainty",)), 500)["uncertainty"]
    assert alone.model_calls == both["dense"].model_calls + 20


def test_quick_answers_of_dense_are_none_of_the_baselines() -> None:
    quick = replace(REQUEST, methods=("dense", "uncertainty"), dense=replace(REQUEST.dense, reading="quick"))
    beside = loads_of(quick, 500)["uncertainty"]
    alone = loads_of(replace(quick, methods=("uncertainty",)), 500)["uncertainty"]
    in_full = loads_of(replace(quick, dense=replace(quick.dense, reading="full")), 500)["uncertainty"]
    assert beside == alone
    assert alone.prompt_tokens > in_full.prompt_tokens


def test_retrieval_timing_counts_each_loop_at_most_and_the_answer_only_where_nothing_shares_it() -> None:
    config = TimingConfig(policies=("never", "once", "dragin"), most_retrievals=2)
    alone = loads_of(replace(REQUEST, methods=("timing",), timing=config), 500)["timing"]
    # The answer, ten samples of the gate, once writes twice at most, DRAGIN once and twice for each of two lookups; the
    # trace's answer and the three loops' may have to be made to conclude.
    assert (alone.model_calls, alone.samples) == (1 + 10 + 2 + 5 + 4, 10)
    shared = loads_of(replace(REQUEST, methods=("seper", "entropy_trend", "timing"), timing=config), 500)["timing"]
    assert (shared.model_calls, shared.samples) == (10 + 2 + 5 + 4, 10), "the gate's samples are the loop's writer's"
    trace = replace(config, policies=())
    assert loads_of(replace(REQUEST, methods=("timing",), timing=trace), 500)["timing"].model_calls == 12


def test_a_staircase_samples_before_and_after_each_lookup_and_needs_a_gold() -> None:
    config = TimingConfig(policies=("once",), most_retrievals=2, staircase=True)
    asked = replace(REQUEST, methods=("timing",), timing=config)
    # Stairs: before any lookup, and after each of two; ten samples each, 90 pairs and 10 x 2 golds x 2 directions.
    assert loads_of(asked, 500)["timing"].judge_pairs == 3 * (90 + 40)
    assert loads_of(replace(asked, golds=()), 500)["timing"].judge_pairs == 0


def test_without_a_run_a_measured_pace_gives_seconds_and_a_run_counts_before_it(
    tmp_store: RunStore, example_diagnosis: Diagnosis
) -> None:
    pace = Pace(prompt_tokens=100.0, new_tokens=8.0, dtype="float32", threads="")
    answers = replace(REQUEST, methods=())
    cost = estimate(answers, tmp_store, pace)
    # 740 prompt tokens at 100 a second and 64 new ones at 8 a second, at most: 15.4 s, of which a tenth to a half.
    assert (cost.seconds.low, cost.seconds.high) == pytest.approx((1.54, 7.7))  # type: ignore[union-attr]
    assert "two-second measurement of this machine" in cost.basis
    assert "measurement of this server" in estimate(answers, tmp_store, replace(pace, device="server")).basis
    run_id = tmp_store.create(answers)
    tmp_store.finish(run_id, "done", diagnosis=replace(example_diagnosis, outcomes=()))
    assert "1 finished run" in estimate(answers, tmp_store, pace).basis


def test_the_answers_that_the_judge_may_read_are_among_the_judged_pairs() -> None:
    asked = replace(REQUEST, methods=(), golds=("a", "b", "c"))
    assert loads_of(asked)["answer"].judge_pairs == 2 * 3
    # The rounds of SUGAR and the contexts of DENSE-RAG come beside the two answers.
    both = replace(asked, methods=("sugar", "dense_rag"))
    assert loads_of(both)["answer"].judge_pairs == (2 + both.sugar.rounds + both.dense_rag.most_contexts) * 3
    assert loads_of(replace(asked, golds=()))["answer"].judge_pairs == 0
    # No other judge is asked.
    assert loads_of(replace(asked, judge="similarity"))["answer"].judge_pairs == 0
