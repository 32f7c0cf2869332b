"""A trace is read strictly: what is wrong is told with the way to it in the file."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import RecordError
from engine.diagnosis.traces.schema import is_cut, passages_of, read_trace, trace_schema

EXAMPLES = sorted((Path(__file__).resolve().parents[4] / "sample_data" / "traces").glob("*.json"))


def fields() -> dict[str, Any]:
    """Return a whole trace as JSON fields."""
    return {
        "trace_version": 1,
        "question": "Which river flows through Vienna?",
        "passages": [{"text": "Vienna lies on the Danube.", "title": "Vienna", "score": 0.5}],
        "answer": {
            "text": "the Danube",
            "written_by": "somebody",
            "tokens": [
                {"text": "the", "logprob": -0.25, "top": [{"text": "the", "logprob": -0.25}]},
                {"text": " Danube", "logprob": -0.5, "entropy": 0.75},
            ],
        },
        "golds": ["Danube"],
    }


def changed(path: str, value: object) -> str:
    """Return the trace as JSON with one place changed."""
    held: Any = (whole := fields())
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        held = held[step]
    held[last] = value
    return json.dumps(whole)


def test_a_whole_trace_is_read_with_every_number() -> None:
    trace = read_trace(json.dumps(fields()))
    assert [token.logprob for token in trace.answer.tokens] == [-0.25, -0.5]
    assert trace.answer.tokens[1].entropy == 0.75
    assert trace.passages[0].score == 0.5
    assert passages_of(trace)[0].title == "Vienna"


def test_of_more_than_twenty_passages_the_first_twenty_are_read_and_the_trace_says_so() -> None:
    trace = read_trace(changed("passages", [{"text": f"p{place}"} for place in range(21)]))
    assert [trace.passages[0].text, trace.passages[-1].text, len(trace.passages)] == ["p0", "p19", 20]
    assert trace.notes == ("The pipeline gave 21 passages; the first 20 of them are kept.",)
    assert is_cut(trace.notes) and not is_cut(read_trace(json.dumps(fields())).notes)
    assert [token.logprob for token in trace.answer.tokens] == [-0.25, -0.5]
    with pytest.raises(RecordError, match="Input should be a finite number"):
        read_trace(changed("passages", [{"text": "p", "score": float("nan")}] * 21))


def test_question_answer_and_writer_are_enough_and_a_byte_order_mark_is_passed_over() -> None:
    small = json.dumps({"question": "Q?", "answer": {"text": "A", "written_by": "m"}})
    assert read_trace(b"\xef\xbb\xbf" + small.encode()).answer.tokens == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_shipped_example_is_a_trace(path: Path) -> None:
    assert read_trace(path.read_bytes()).answer.written_by


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("answer.tokens.1.logprob", float("nan"), "answer.tokens.1.logprob: Input should be a finite number"),
        ("answer.tokens.1.logprob", float("-inf"), "answer.tokens.1.logprob: Input should be a finite number"),
        ("answer.tokens.1.logprob", 0.5, "answer.tokens.1.logprob: Input should be less than or equal to"),
        ("answer.tokens.0.logprob", "-0.25", "answer.tokens.0.logprob: Input should be a valid number"),
        ("answer.tokens.0.logprob", None, "answer.tokens.0.logprob: Input should be a valid number"),
        ("answer.tokens.1.entropy", -1.0, "answer.tokens.1.entropy: Input should be greater than or equal to 0"),
        ("answer.tokens.0.top.0.logprob", -3.0, "answer.tokens.0.top: it gives 'the' the log-probability -3"),
        ("answer.tokens.1.text", " Rhine", "answer.tokens: they spell another text than answer.text, from character 5"),
        ("answer.written_by", "", "answer.written_by: String should have at least 1 character"),
        ("answer.text", 3, "answer.text: Input should be a valid string"),
        ("passages.0.text", "", "passages.0.text: String should have at least 1 character"),
        ("passages.0.rank", 1, "passages.0.rank: Unexpected keyword argument"),
        ("passages", "text", "passages: Input should be a valid"),
        ("question", [{"role": "user", "content": "Q?"}], "It must be one text: of a conversation, its last question."),
        ("question", "   ", "question: it is empty"),
        ("question", "why " * 2000, "question: String should have at most 4000 characters"),
        ("trace_version", 2, "trace_version: Input should be 1"),
        ("vocabulary", 1, "vocabulary: Input should be greater than or equal to 2"),
    ],
)
def test_what_is_wrong_is_told_with_the_way_to_it(path: str, value: object, sentence: str) -> None:
    with pytest.raises(RecordError) as told:
        read_trace(changed(path, value))
    assert sentence in str(told.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (json.dumps(fields())[:200], "is not complete JSON: EOF"),
        (b"", "is not complete JSON"),
        (b"[]", "is not a JSON object but a list"),
        (b"null", "is not a JSON object but null"),
        (b"42", "is not a JSON object but a number"),
        (json.dumps(fields()).encode("utf-16"), "not UTF-8 text: byte 1"),
        ('{"question": "Q?"}', "answer: Field required"),
        ("{" * 100_000, "is not complete JSON"),
        (" " * (16 * 2**20 + 1), "is too large: 16,777,217 characters"),
    ],
)
def test_half_a_file_another_encoding_and_a_huge_one_are_refused(content: bytes | str, sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        read_trace(content)


@given(st.binary(max_size=200))
def test_no_bytes_do_anything_but_be_read_or_refused_with_a_sentence(content: bytes) -> None:
    try:
        read_trace(content)
    except RecordError as told:
        assert str(told).endswith(".")


def test_the_schema_names_every_field_and_allows_no_other() -> None:
    schema = json.loads(trace_schema())
    assert schema["required"] == ["question", "answer"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {
        "trace_version", "question", "passages", "answer", "golds", "pipeline", "prompt", "vocabulary",
        "notes", "trace_id", "span_id",
    }  # fmt: skip
    assert schema["$defs"]["TraceAnswer"]["required"] == ["text", "written_by"]


def test_a_frameworks_own_result_is_told_how_to_become_a_trace() -> None:
    raw = '{"question": "Who?", "context": [{"page_content": "x"}], "answer": "y"}'
    with pytest.raises(RecordError, match=r"answer: Input should be an object\. If it is .* from_langchain"):
        read_trace(raw)
