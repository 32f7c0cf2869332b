"""Records come back from JSON exactly, and text that is not ours is refused with the place of the fault."""

import json
import math
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import InputError, RecordError
from engine.core.records import SCHEMA_VERSION, Passage
from engine.core.settings import check_settings
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import first_fault, from_json, request_from_json, to_json
from engine.diagnosis.settings import settings_of
from engine.methods.chunk_utility import ChunkUtilityConfig
from engine.methods.dense_records import DenseConfig, DenseResult
from engine.methods.seper_records import SeperConfig, SeperResult
from tests.viz import sample_check_results as check_samples
from tests.viz import sample_uncertainty as samples
from tests.viz.sample_timing_results import timing_full


def test_a_diagnosis_with_every_kind_of_result_comes_back_equal(example_diagnosis: Diagnosis) -> None:
    back = from_json(to_json(example_diagnosis))
    assert math.isnan(back.hits[0].score)
    assert to_json(back) == to_json(example_diagnosis)
    assert back.outcomes == example_diagnosis.outcomes
    assert [type(outcome.result).__name__ for outcome in back.outcomes] == [
        "DenseResult",
        "SeperResult",
        "EntropyTrendResult",
        "QucoResult",
        "NoneType",
    ]


def test_minus_infinity_and_the_last_bit_of_a_float_survive(example_diagnosis: Diagnosis) -> None:
    result = from_json(to_json(example_diagnosis)).outcomes[1].result
    assert isinstance(result, SeperResult)
    assert result.without.samples[1].tokens[0].logprob == -math.inf
    assert result.without.kernel[0][0] == 0.1 + 0.2 != 0.3


def test_tuples_come_back_as_tuples(example_diagnosis: Diagnosis) -> None:
    result = from_json(to_json(example_diagnosis)).outcomes[0].result
    assert isinstance(result, DenseResult)
    assert result.weights == ((1.0, 0.5), (0.5, 1.0))
    assert isinstance(result.chunks, tuple)


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(0, 2**63 - 1),
    st.floats(min_value=0, allow_nan=False),
)
def test_any_question_seed_and_number_survive_a_request(question: str, seed: int, threshold: float) -> None:
    request = DiagnosisRequest(
        question=question,
        passages=(Passage(text=question, title="{context}"),),
        seed=seed,
        dense=DenseConfig(threshold=threshold, rewrites=((0, question),)),
    )
    assert request_from_json(to_json(request)) == request


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ((), ("surprise", 1), "surprise"),
        (("answer",), ("surprise", 1), "answer.surprise"),
        (("answer", "tokens", 0), ("logprob", "high"), "answer.tokens.0.logprob"),
        (("outcomes", 2, "result", "words", 0), ("surprise", 1), "words.0.surprise"),
        (("outcomes", 1, "result"), ("resamples", 100_001), "resamples: Input should be less than or equal to 100000"),
        (("outcomes", 1, "result"), ("resamples", 0), "resamples"),
        (("outcomes", 0), ("status", "finished"), "outcomes.0.status"),
        (("outcomes", 0, "result"), ("method", "magic"), "no known method"),
        (("outcomes", 0), ("method", "seper"), "mixes up its methods"),
        (("answer",), ("of_tomorrow", True), "answer.of_tomorrow: this program knows no such field; a newer"),
    ],
)
def test_a_field_that_does_not_fit_is_named(
    example_diagnosis: Diagnosis, path: tuple[str | int, ...], value: tuple[str, object], place: str
) -> None:
    fields = json.loads(to_json(example_diagnosis))
    spot = fields
    for step in path:
        spot = spot[step]
    spot[value[0]] = value[1]
    with pytest.raises(RecordError, match=place):
        from_json(json.dumps(fields))


@pytest.mark.parametrize(
    ("outcome", "part", "value"),
    [
        (0, "members", [-1, 0, 1]),
        (0, "members", [-1, 7]),
        (0, "weights", [[1.0, 0.5], [0.5]]),
        (1, "without", {"weights": [1.0]}),
        (1, "with_passages", {"meanings": [{"text": "a", "probability": 1.0, "members": [2], "matches_gold": None}]}),
        (2, "triggers", [{"word": 1, "value": 1.5, "kept": "", "query": ""}]),
        (2, "words", []),
    ],
)
def test_a_number_that_points_to_nothing_is_a_sentence_and_no_fault_of_a_page(
    example_diagnosis: Diagnosis, outcome: int, part: str, value: object
) -> None:
    fields = json.loads(to_json(example_diagnosis))
    result = fields["outcomes"][outcome]["result"]
    result[part] = result[part] | value if isinstance(value, dict) else value
    with pytest.raises(RecordError, match="contradicts itself"):
        from_json(json.dumps(fields))


def with_timing(diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis with a result of retrieval timing besides."""
    return replace(
        diagnosis, outcomes=(*diagnosis.outcomes, Outcome(method="timing", status="done", result=timing_full()))
    )


def test_retrieval_timing_comes_back_equal_with_its_settings(example_diagnosis: Diagnosis) -> None:
    back = from_json(to_json(with_timing(example_diagnosis)))
    assert back.outcome("timing").result == timing_full()  # type: ignore[union-attr]
    assert settings_of(back)["timing"] == timing_full().config


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("lanes", 0, "triggers"), [3]),
        (("lanes", 0, "signals", 0, "cut"), 99),
        (("runs", 2, "retrievals", 0, "characters"), 999),
        (("runs", 2, "written", 0, "over"), 2),
        (("runs", 2, "stairs", 0, "retrieval"), 3),
        (("runs", 2, "stairs", 0, "belief", "ids"), []),
    ],
)
def test_a_lane_or_run_that_points_to_nothing_is_refused(
    example_diagnosis: Diagnosis, place: tuple[str | int, ...], value: object
) -> None:
    fields = json.loads(to_json(with_timing(example_diagnosis)))
    part = fields["outcomes"][-1]["result"]
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    with pytest.raises(RecordError, match="contradicts itself"):
        from_json(json.dumps(fields))


@pytest.mark.parametrize("change", [{"generation": 1}, {"rewritten_in": 5}, {"generation": -1}])
def test_a_sentence_of_the_loop_that_names_no_generation_is_refused(
    example_diagnosis: Diagnosis, change: dict[str, int]
) -> None:
    fields = json.loads(to_json(example_diagnosis))
    step = {"text": "A.", "generation": 0, "kind": "fact", "claims": [], "decision": "supported"}
    result = fields["outcomes"][3]["result"]
    result["loop"] = {
        "initial": None, "generations": [fields["answer"]], "steps": [step], "text": "A.", "answer": "",
        "closed_book_answer": "", "retrievals": 0, "ending": "limit",
    }  # fmt: skip
    assert from_json(json.dumps(fields)).outcomes[3].status == "done"
    result["loop"]["steps"] = [step | change]
    with pytest.raises(RecordError, match="contradicts itself"):
        from_json(json.dumps(fields))


def test_a_record_older_than_the_check_and_the_loop_still_loads(example_diagnosis: Diagnosis) -> None:
    fields = json.loads(to_json(example_diagnosis))
    newer = ("counts_from", "relation_check", "partial_threshold", "pre_check", "loop", "extractor", "extractions")
    for name in newer:
        del fields["outcomes"][3]["result"][name]
    claim = fields["outcomes"][3]["result"]["sentences"][0]["claims"][0]
    del claim["phrase_count"], claim["fails"], claim["reason"]
    assert from_json(json.dumps(fields)).outcomes[3] == example_diagnosis.outcomes[3]


def test_a_record_with_more_outcomes_than_there_are_methods_is_refused_unread(example_diagnosis: Diagnosis) -> None:
    fields = json.loads(to_json(example_diagnosis))
    fields["outcomes"] = [{"result": {}}] * 51
    with pytest.raises(RecordError, match="outcomes: more than 50 results"):
        from_json(json.dumps(fields))


def test_the_first_fault_is_found_in_one_pass_over_all_of_them() -> None:
    class Fault(dict):  # type: ignore[type-arg]
        """A fault that counts how often its place is looked at."""

        looks = 0

        def __getitem__(self, name: str) -> object:
            Fault.looks += name == "loc"
            return super().__getitem__(name)

    def faults(**_: bool) -> list[Fault]:
        return [Fault(loc=(0, "hits", place, "method"), msg="Field required") for place in range(200)]

    assert first_fault(SimpleNamespace(errors=faults)) == "hits: no known method's result."
    assert Fault.looks < 2_000


def test_a_missing_field_is_named(example_diagnosis: Diagnosis) -> None:
    fields = json.loads(to_json(example_diagnosis))
    del fields["outcomes"][0]["result"]["weights"]
    with pytest.raises(RecordError, match=r"DenseResult\.weights"):
        from_json(json.dumps(fields))


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1, "1", None, True, 1.0])
def test_a_version_that_this_program_does_not_know_is_refused(example_diagnosis: Diagnosis, version: object) -> None:
    fields = json.loads(to_json(example_diagnosis)) | {"schema_version": version}
    with pytest.raises(RecordError, match=str(version)):
        from_json(json.dumps(fields))
    with pytest.raises(RecordError, match=str(version)):
        request_from_json(json.dumps({"question": "Who?", "schema_version": version}))


@pytest.mark.parametrize("text", ["", "{", "not json", "{} {}", '{"a":' * 5000, "\x00", "[1]", '"{}"', "NaN"])
def test_text_that_is_no_record_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(RecordError, match=r"not JSON|not a JSON object"):
        from_json(text)


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(RecordError, match="cannot be written as JSON"):
        to_json(DiagnosisRequest(question="\ud800"))


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("sugar", samples.sugar_several()),
        ("sugar", samples.sugar_hostile()),
        ("uncertainty", samples.baselines()),
        ("chunk_utility", samples.chunk_utility()),
        ("sufficiency", check_samples.sufficiency(0.2, 0.8)),
        ("contradictions", check_samples.contradictions(0.9, 0.2)),
        ("question_parts", check_samples.question_parts(True, False)),
    ],
)
def test_sugar_baselines_and_single_chunks_come_back_equal(example_diagnosis: Diagnosis, method: str, result) -> None:
    outcome = Outcome(method=method, status="done", seconds=1.0, result=result)
    diagnosis = replace(example_diagnosis, outcomes=(outcome,))
    assert from_json(to_json(diagnosis)).outcomes == (outcome,)


@pytest.mark.parametrize("field", ["resamples", "belief_resamples"])
def test_more_repeats_of_the_bootstrap_than_a_run_may_ask_for_are_refused(
    example_diagnosis: Diagnosis, field: str
) -> None:
    for count, fits in ((100_000, True), (100_001, False)):
        result = replace(samples.chunk_utility(), **{field: count})
        text = to_json(
            replace(example_diagnosis, outcomes=(Outcome(method=result.method, status="done", result=result),))
        )
        with nullcontext() if fits else pytest.raises(RecordError, match=field):
            from_json(text)


@pytest.mark.parametrize("config", [SeperConfig(resamples=100_001), ChunkUtilityConfig(resamples=100_001)])
def test_a_request_for_too_many_repeats_is_refused(config: SeperConfig | ChunkUtilityConfig) -> None:
    with pytest.raises(InputError, match="resamples must be at least 1 and at most 100,000, got 100001"):
        check_settings(config, "Settings")


def test_a_set_with_a_row_too_few_and_a_belief_with_a_weight_too_few_are_refused(example_diagnosis: Diagnosis) -> None:
    reworded, *others = samples.baselines().sets
    torn = replace(samples.baselines(), sets=(replace(reworded, classes=reworded.classes[:1]), *others))
    whole = samples.chunk_utility()
    light = replace(whole, without=replace(whole.without, weights=(1.0,)))
    for method, result in (("uncertainty", torn), ("chunk_utility", light)):
        outcome = Outcome(method=method, status="done", result=result)  # type: ignore[arg-type]
        with pytest.raises(RecordError, match="contradicts itself"):
            from_json(to_json(replace(example_diagnosis, outcomes=(outcome,))))
