"""What a trace allows: FLARE exactly, ETC exactly or within bounds, nothing where nothing was given; whose it is."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from engine.catalogue.verify import verify
from engine.core.errors import RecordError
from engine.diagnosis.serialize import from_json, to_json
from engine.diagnosis.traces.reading import trace_abilities
from engine.diagnosis.traces.schema import Trace, read_trace
from engine.measures.token_entropy import LARGEST_VOCABULARY
from engine.runs.read_trace import imported_answer, trace_request
from engine.runs.request_checks import check_request
from engine.runs.run import run_request
from engine.runs.store import request_of
from tests.engine.catalogue.scripted_run import scripted_road

EXAMPLES = Path(__file__).resolve().parents[4] / "sample_data" / "traces"


def example(name: str) -> Trace:
    """Return a shipped trace."""
    return read_trace((EXAMPLES / f"{name}.json").read_bytes())


def with_tokens(*tokens: dict[str, object], **fields: object) -> Trace:
    """Return a trace whose answer has these tokens."""
    text = "".join(str(token["text"]) for token in tokens)
    answer = {"text": text, "written_by": "somebody", "tokens": list(tokens)}
    return read_trace(json.dumps({"question": "Q?", "answer": answer, **fields}))


def states(trace: Trace) -> dict[str, str]:
    """Return each diagnosis' state by its word."""
    return {one.what: one.state for one in trace_abilities(trace)}


def test_with_the_likeliest_tokens_flare_is_exact_and_etc_bounded() -> None:
    found = states(example("openai_logprobs"))
    assert found["FLARE"] == "exact"
    assert found["ETC"] == "bounded"
    assert found["DRAGIN and ETC as released"] == "impossible"
    assert found["DENSE, DENSE-RAG"] == "asked again"
    assert found["Right or wrong"] == "exact"


def test_without_probabilities_gold_answers_and_passages_nothing_is_claimed() -> None:
    bare = read_trace('{"question": "Q?", "answer": {"text": "A", "written_by": "m"}}')
    assert set(states(bare).values()) == {"impossible", "asked again"}
    answer = imported_answer(bare)
    assert (answer.trend, answer.flare, answer.right, answer.claims) == (None, None, None, ())
    assert answer.trend_reason == answer.flare_reason == "The trace holds no token log-probabilities."


def test_flare_reads_the_given_probabilities() -> None:
    answer = imported_answer(
        with_tokens({"text": "Vienna", "logprob": math.log(0.9)}, {"text": " lies.", "logprob": math.log(0.5)})
    )
    assert answer.flare is not None
    assert [signal.value for signal in answer.flare.signals] == pytest.approx([0.9, 0.5])
    assert answer.flare.triggers == (1,)
    assert answer.flare.signals[0].query == "Vienna lies."


def test_an_entropy_is_exact_where_given_else_between_two_ends() -> None:
    answer = imported_answer(
        with_tokens(
            {"text": "a", "logprob": math.log(0.5), "entropy": 0.8},
            {
                "text": " b",
                "logprob": math.log(0.5),
                "top": [{"text": " b", "logprob": math.log(0.5)}, {"text": "x", "logprob": math.log(0.25)}],
            },
            {"text": " c", "logprob": math.log(0.5)},
            vocabulary=4,
        )
    )
    first, second, third = answer.generation.tokens
    assert (first.entropy, first.entropy_high) == (0.8, None)
    # ln 2 / 2 + ln 4 / 4 for the two known; the last quarter on one token, or on two.
    assert second.entropy == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(4))
    assert second.entropy_high == pytest.approx(0.5 * math.log(2) + 0.25 * math.log(4) + 0.25 * math.log(8))
    assert third.entropy == pytest.approx(math.log(2))
    assert third.entropy_high == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(6))


def test_a_written_token_below_all_other_alternatives_is_no_ceiling_for_the_hidden_ones() -> None:
    # 0.6 and 0.01 are known, 0.39 is left: one hidden token may have it, as 0.6 is the ceiling, or both do, evenly.
    top = [{"text": " b", "logprob": math.log(0.01)}, {"text": " a", "logprob": math.log(0.6)}]
    answer = imported_answer(with_tokens({"text": " b", "logprob": math.log(0.01), "top": top}, vocabulary=4))
    (token,) = answer.generation.tokens
    seen = -0.6 * math.log(0.6) - 0.01 * math.log(0.01)
    assert token.entropy == pytest.approx(seen - 0.39 * math.log(0.39))
    assert token.entropy_high == pytest.approx(seen - 0.39 * math.log(0.195))


def test_without_a_vocabulary_the_bound_holds_for_the_largest_in_use() -> None:
    answer = imported_answer(with_tokens({"text": "a", "logprob": math.log(0.5)}))
    assert answer.vocabulary == LARGEST_VOCABULARY == 262_144
    assert answer.generation.tokens[0].entropy_high == pytest.approx(math.log(2) + 0.5 * math.log(262_143))


def test_numbers_of_no_distribution_are_refused_with_their_place() -> None:
    spoilt = with_tokens(
        {
            "text": "a",
            "logprob": math.log(0.9),
            "top": [{"text": "a", "logprob": math.log(0.9)}, {"text": "b", "logprob": math.log(0.8)}],
        }
    )
    with pytest.raises(RecordError, match=r"answer\.tokens\.0\.top: not the top 2 of one distribution"):
        imported_answer(spoilt)


def test_claims_are_counted_in_the_given_passages_only() -> None:
    answer = imported_answer(example("ragas"))
    (checked,) = answer.claims
    assert [claim.supported for claim in checked.claims] == [True]


def test_the_record_says_who_wrote_the_answer_and_keeps_it_apart() -> None:
    trace = example("openai_logprobs")
    request = trace_request(trace, imported_answer(trace), ("dense", "seper"))
    with scripted_road():
        diagnosis = run_request(request)
    assert diagnosis.imported is not None
    assert diagnosis.imported.written_by == "SmolLM2-135M-Instruct"
    assert diagnosis.imported.generation.text == "The Suez Canal was opened on 17 November 1869."
    assert diagnosis.provenance.model == "scripted"
    assert diagnosis.answer.text != diagnosis.imported.generation.text
    assert len(diagnosis.hits) == 3


def test_a_run_with_a_imported_answer_is_kept_read_and_verified() -> None:
    trace = example("openai_logprobs")
    with scripted_road():
        diagnosis = run_request(trace_request(trace, imported_answer(trace), ()))
    again = from_json(to_json(diagnosis))
    assert again.imported == diagnosis.imported
    assert request_of(again).imported == diagnosis.imported
    found = verify(again)
    assert found.whole
    assert {"run.imported.right", "run.imported.trend.triggers", "run.imported.flare.triggers"} <= {
        one.place for one in found.checks
    }


@pytest.mark.parametrize(
    ("gold", "right", "whole"), [("1.869", True, True), ("1.869", False, True), ("Rome", True, False)]
)
def test_a_record_of_the_older_rule_where_1869_was_right_for_1_869_is_still_whole(
    gold: str, right: bool, whole: bool
) -> None:
    trace = example("openai_logprobs")
    with scripted_road():
        diagnosis = run_request(trace_request(trace, imported_answer(trace), ()))
    assert diagnosis.imported is not None
    older = replace(diagnosis, golds=(gold,), imported=replace(diagnosis.imported, right=right))
    assert verify(from_json(to_json(older))).whole is whole


def test_a_run_of_another_question_or_over_other_passages_does_not_carry_the_imported_answer() -> None:
    trace = example("openai_logprobs")
    request = trace_request(trace, imported_answer(trace), ())
    assert check_request(replace(request, question=f"  {request.question}\n")).imported is not None
    assert check_request(replace(request, question="Another?")).imported is None
    assert check_request(replace(request, passages=request.passages[:2])).imported is None


def test_a_imported_answer_whose_parts_do_not_fit_is_refused() -> None:
    trace = example("openai_logprobs")
    answer = imported_answer(trace)
    assert answer.flare is not None
    beyond = replace(answer.flare, triggers=(99,))
    with scripted_road():
        diagnosis = run_request(trace_request(trace, replace(answer, flare=beyond), ()))
    with pytest.raises(RecordError, match="imported answer do not fit"):
        from_json(to_json(diagnosis))
