"""Spans of other tools become a trace, log-probabilities included, in each of the three layouts they come in."""

import inspect
import json
import math
import sys
import time
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest

from engine.core.errors import RecordError
from engine.diagnosis.traces.adapters import from_openai, token_objects
from engine.diagnosis.traces.reading import generation_of
from engine.diagnosis.traces.schema import read_trace
from engine.diagnosis.traces.span_layouts import read_spans
from engine.diagnosis.traces.spans import from_spans, open_trace, spans_below

QUESTION = "Which river flows through Vienna?"
COMPLETION = {
    "model": "small",
    "choices": [
        {
            "message": {"role": "assistant", "content": "The Danube"},
            "finish_reason": "stop",
            "logprobs": {
                "content": [
                    {"token": "The", "bytes": [84, 104, 101], "logprob": -0.5, "top_logprobs": []},
                    {"token": " Danube", "logprob": -0.25, "top_logprobs": [{"token": " Danube", "logprob": -0.25}]},
                ]
            },
        }
    ],
}
SPANS: list[dict[str, Any]] = [
    {
        "name": "llm", "context": {"trace_id": "t1", "span_id": "s3"}, "parent_id": "s1",
        "start_time": "2026-01-01T00:00:03",
        "attributes": {
            "openinference.span.kind": "LLM",
            "llm.model_name": "small",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": f"Passages … {QUESTION}",
            "llm.output_messages.0.message.content": "The Danube",
            "output.value": json.dumps(COMPLETION),
            "output.mime_type": "application/json",
        },
    },
    {
        "name": "retriever", "context": {"trace_id": "t1", "span_id": "s2"}, "parent_id": "s1",
        "start_time": "2026-01-01T00:00:02",
        "attributes": {
            "openinference.span.kind": "RETRIEVER",
            "input.value": QUESTION,
            "retrieval.documents.10.document.content": "Eleventh.",
            "retrieval.documents.0.document.content": "Vienna lies on the Danube.",
            "retrieval.documents.0.document.score": 0.75,
            "retrieval.documents.0.document.metadata": '{"title": "Vienna", "source": "vienna.txt"}',
            "retrieval.documents.2.document.content": "Third.",
        },
    },
    {
        "name": "chain", "context": {"trace_id": "t1", "span_id": "s1"}, "parent_id": None,
        "start_time": "2026-01-01T00:00:01",
        "attributes": {"openinference.span.kind": "CHAIN", "input.value": json.dumps({"input": QUESTION})},
    },
]  # fmt: skip


def otlp(spans: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the spans as an OTLP exporter writes them."""

    def value(one: object) -> dict[str, object]:
        return {"doubleValue": one} if isinstance(one, float) else {"stringValue": one}

    listed = [
        {
            "traceId": one["context"]["trace_id"],
            "spanId": one["context"]["span_id"],
            "parentSpanId": one["parent_id"] or "",
            "startTimeUnixNano": str(place),
            "attributes": [{"key": key, "value": value(held)} for key, held in one["attributes"].items()],
        }
        for place, one in zip((3, 2, 1), spans, strict=True)
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": listed}]}]}


def rows(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the spans as the rows of a table of spans."""
    return [
        {"context.trace_id": "t1", "context.span_id": one["context"]["span_id"], "parent_id": one["parent_id"],
         "start_time": one["start_time"], **{f"attributes.{key}": held for key, held in one["attributes"].items()}}
        for one in spans
    ]  # fmt: skip


@pytest.mark.parametrize("layout", [lambda spans: spans, otlp, rows], ids=["sdk", "otlp", "rows"])
def test_a_run_is_read_with_its_passages_in_order_and_the_probabilities_of_its_tokens(layout: Any) -> None:
    trace = open_trace(json.dumps(layout(SPANS)))
    assert (trace.question, trace.answer.text, trace.answer.written_by) == (QUESTION, "The Danube", "small")
    assert [passage.text for passage in trace.passages] == ["Vienna lies on the Danube.", "Third.", "Eleventh."]
    first = trace.passages[0]
    assert (first.title, first.source, first.score) == ("Vienna", "vienna.txt", 0.75)
    assert [(token.text, token.logprob) for token in trace.answer.tokens] == [("The", -0.5), (" Danube", -0.25)]
    assert math.isclose(trace.answer.tokens[1].top[0].logprob, -0.25) and trace.answer.stop_reason == "end"


def test_nested_attributes_and_the_names_of_opentelemetry_are_read_too() -> None:
    span = {
        "attributes": {
            "gen_ai": {
                "request": {"model": "small"},
                "prompt": [{"role": "system", "content": "Be short."}, {"role": "user", "content": QUESTION}],
                "completion": [{"role": "assistant", "content": "The Danube"}],
            }
        }
    }
    (made,) = from_spans(span)
    assert (made["question"], made["answer"]["text"], made["answer"]["written_by"]) == (QUESTION, "The Danube", "small")
    assert made["passages"] == []


def conversation(questions: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the span of a model that was asked and answered in these messages."""
    messages = {"gen_ai.input.messages": json.dumps(questions), "gen_ai.output.messages": json.dumps(answers)}
    return {"attributes": messages}


@pytest.mark.parametrize(
    "hidden",
    [
        {"type": "reasoning", "content": "It may be the Rhine … no. "},
        {"type": "reasoning", "text": "It may be the Rhine … no. "},
        {"type": "thinking", "thinking": "It may be", "content": "the Rhine … no. "},
        {"type": "tool_call", "name": "search", "content": "Vienna"},
        {"type": "tool-result", "text": "The Rhine does not."},
        {"text": "It may be the Rhine … no. ", "thought": True},
    ],
)
def test_thoughts_and_tools_are_no_part_of_the_answer(hidden: dict[str, Any]) -> None:
    asked = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    said = [hidden, {"type": "text", "content": "The Danube"}]
    (made,) = from_spans(conversation(asked, [{"role": "assistant", "parts": said}]))
    assert made["answer"]["text"] == "The Danube"
    reply = {"choices": [{"message": {"content": said}}]}
    model = {"openinference.span.kind": "LLM", "input.value": QUESTION, "output.value": json.dumps(reply)}
    model |= {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": QUESTION}
    assert open_trace(json.dumps([{"attributes": model}])).answer.text == "The Danube"


def test_messages_of_several_parts_are_read_as_openinference_numbers_them() -> None:
    asked = [("text", QUESTION), ("image", "")]
    said = [("reasoning", "The Rhine? No."), ("text", "The "), ("text", "Danube")]
    model: dict[str, Any] = {"openinference.span.kind": "LLM", "output.value": json.dumps({"output": []})}
    for start, role, parts in (("llm.input_messages.0", "user", asked), ("llm.output_messages.0", "assistant", said)):
        model[f"{start}.message.role"] = role
        for place, (kind, text) in enumerate(parts):
            part = f"{start}.message.contents.{place}.message_content"
            model |= {f"{part}.type": kind} | ({f"{part}.text": text} if text else {})
    (made,) = from_spans([{"attributes": model}])
    assert (made["question"], made["answer"]["text"]) == (QUESTION, "The Danube")


def test_what_a_tool_returned_is_not_the_users_question() -> None:
    returned = [{"type": "tool_result", "tool_use_id": "1", "content": "It lies on the Danube."}]
    asked = [{"role": "user", "content": QUESTION}, {"role": "user", "content": returned}]
    (made,) = from_spans(conversation(asked, [{"role": "assistant", "content": "The Danube"}]))
    assert made["question"] == QUESTION


def test_a_bracket_in_front_makes_no_data_of_a_question_or_an_answer() -> None:
    chain = {"openinference.span.kind": "CHAIN", "input.value": "[2024] Who won?"}
    model = {"openinference.span.kind": "LLM", "output.value": "[1] Lyra Quill won.", "input.value": "Passages …"}
    root = {"context": {"trace_id": "t1", "span_id": "s1"}, "attributes": chain}
    written = {"context": {"trace_id": "t1", "span_id": "s2"}, "parent_id": "s1", "attributes": model}
    (made,) = from_spans([root, written])
    assert (made["question"], made["answer"]["text"]) == ("[2024] Who won?", "[1] Lyra Quill won.")
    for data in ('[{"role": "assistant", "content": "cut', "[AIMessage(content='x')]", "[0.5, 1.25]", "{'answer': 1}"):
        with pytest.raises(RecordError):
            from_spans([root, written | {"attributes": model | {"output.value": data}}])


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_json_lines_end_at_line_feeds_only(sign: str) -> None:
    lines = [json.dumps(one, ensure_ascii=False).replace("Third.", f"Third.{sign}") for one in SPANS]
    for end in ("\n", "\r\n"):
        assert open_trace(end.join(lines) + end).passages[1].text == f"Third.{sign}"


def test_several_runs_are_several_traces_and_a_file_opens_the_last_one() -> None:
    later = json.loads(
        json.dumps(SPANS).replace('"t1"', '"t2"').replace("2026-01-01", "2026-01-02").replace("Vienna", "Linz")
    )
    made = from_spans(SPANS + later)
    assert [one["question"] for one in made] == [QUESTION, QUESTION.replace("Vienna", "Linz")]
    opened = open_trace(json.dumps(later + SPANS))
    assert opened.question == made[1]["question"]
    assert opened.notes == ("This file holds 2 runs; the last one is read.",)
    assert open_trace(json.dumps(SPANS)).notes == ()


def test_a_run_with_two_answers_says_which_one_is_read() -> None:
    second = json.loads(json.dumps(SPANS[0]).replace("The Danube", "The Inn").replace("00:00:03", "00:00:04"))
    (made,) = from_spans([*SPANS, second])
    assert made["answer"]["text"] == "The Inn"
    assert made["notes"] == ["This run holds 2 different answers; the last one is read."]
    # The same call, told by two instrumentations, is one answer.
    (made,) = from_spans([*SPANS, json.loads(json.dumps(SPANS[0]))])
    assert "notes" not in made


@pytest.mark.parametrize(
    "hostile",
    [[], [5, None], {"resourceSpans": 7}, {"attributes": {"llm": {}}}, [{"attributes": [{"key": "x"}]}],
     [{"attributes": {"openinference.span.kind": "LLM", "output.value": "{" * 50_000, "input.value": "Who?"}}]],
)  # fmt: skip
def test_spans_that_hold_no_run_are_a_sentence(hostile: object) -> None:
    with pytest.raises(RecordError):
        open_trace(json.dumps(hostile))


@pytest.mark.parametrize(
    ("before", "after"),
    [("-0.5", '\\"much\\"'), ("-0.5", f"-1{'0' * 400}"), ("[84, 104, 101]", "200000000"), ("[84, 104, 101]", "[840]")],
)
def test_log_probabilities_and_bytes_that_are_no_numbers_are_refused(before: str, after: str) -> None:
    written = json.dumps(SPANS)
    assert before in written
    with pytest.raises(RecordError):
        open_trace(written.replace(before, after))


def test_parts_of_characters_without_end_are_refused() -> None:
    with pytest.raises(ValueError, match="no text"):
        token_objects([{"token": "", "bytes": [0xF0], "logprob": -0.5}] * 2000)


def test_an_answer_that_is_cut_inside_a_character_keeps_its_last_token() -> None:
    # "Hi " and the first two bytes of an emoji, in two tokens: 0.5 + 1.5 = 2 nats together.
    told = [("Hi ", None, -0.25), ("\\xf0", [0xF0], -0.5), ("\\x9f", [0x9F], -1.5)]
    content = [{"token": text, "bytes": listed, "logprob": logprob} for text, listed, logprob in told]
    tokens = token_objects(content)
    assert [(one["text"], one["logprob"]) for one in tokens] == [("Hi ", -0.25), ("\ufffd", -2.0)]
    choice = {"message": {"content": "Hi \ufffd"}, "finish_reason": "length", "logprobs": {"content": content}}
    trace = read_trace(json.dumps(from_openai("Who?", [], {"model": "m", "choices": [choice]})))
    assert (trace.answer.tokens[1].text, trace.answer.stop_reason) == ("\ufffd", "length")


def with_content(text: str, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the spans of a model that wrote a text in these tokens."""
    choice = {"message": {"content": text}, "finish_reason": "stop", "logprobs": {"content": content}}
    model = {"openinference.span.kind": "LLM", "output.value": json.dumps({"model": "m", "choices": [choice]})}
    model |= {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": QUESTION}
    return [{"attributes": model}]


def test_tokens_that_spell_no_half_characters_are_fitted_to_what_the_model_wrote() -> None:
    part = {"token": "\ufffd", "bytes": [239, 191, 189], "logprob": -0.25}
    content = [{"token": "Hi ", "bytes": None, "logprob": -0.5}, part, part, part, part]
    told = from_openai(
        QUESTION, [], {"model": "m", "choices": [{"message": {"content": "Hi 😊"}, "logprobs": {"content": content}}]}
    )
    for trace in (read_trace(json.dumps(told)), open_trace(json.dumps(with_content("Hi 😊", content)))):
        assert [(one.text, one.logprob) for one in trace.answer.tokens] == [
            ("Hi ", -0.5), ("", -0.25), ("", -0.25), ("", -0.25), ("😊", -0.25),
        ]  # fmt: skip
    with pytest.raises(RecordError, match="another text"):
        open_trace(json.dumps(with_content("Ho 😊", content)))


def test_the_lowest_number_of_llama_cpp_is_a_probability_of_0() -> None:
    lowest = -3.4028234663852886e38
    top = [{"token": "Paris", "logprob": 0.0}, {"token": " x", "logprob": lowest}]
    content = [{"token": "Paris", "logprob": 0.0, "top_logprobs": top}, {"token": ".", "logprob": lowest}]
    trace = open_trace(json.dumps(with_content("Paris.", content)))
    first, last = trace.answer.tokens
    assert [one.logprob for one in first.top] == [0.0, -9999.0] and last.logprob == -9999.0
    assert generation_of(trace, 1000).tokens[0].entropy == generation_of(trace, 1000).tokens[0].entropy_high == 0.0
    for odd in (math.inf, math.nan, 0.5):
        with pytest.raises(RecordError):
            open_trace(json.dumps(with_content("Paris", [{"token": "Paris", "logprob": odd}])))


def test_a_deep_chain_of_spans_is_walked_once_and_a_circle_ends() -> None:
    deep = {str(number): str(number - 1) for number in range(1, 20_000)}
    began = time.process_time()
    assert len(spans_below({"0"}, {"0": "", **deep})) == 19_999
    assert time.process_time() - began < 5, "each span once: hours, if each walked to the top"
    circle = {"a": "b", "b": "a", "c": "a"}
    assert spans_below({"a"}, circle) == spans_below({"a"}, dict(reversed(circle.items()))) == {"c"}


def test_a_number_in_place_of_bytes_takes_no_memory() -> None:
    tracemalloc.start()
    with pytest.raises(ValueError, match="255"):
        token_objects([{"token": "The", "bytes": 200_000_000, "logprob": -0.5}])
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("document", "score", "title"),
    [
        ({"metadata": "y", "title": "Own"}, None, "Own"),
        ({"metadata": ["y"]}, None, ""),
        ({"metadata": {"title": "Vienna"}, "score": "high"}, None, "Vienna"),
        ({"score": {}}, None, ""),
        ({"score": 10**400}, None, ""),
        ({"score": "0.5"}, 0.5, ""),
    ],
)
def test_what_a_tool_returned_has_a_score_and_a_title_only_where_they_are_some(
    document: dict[str, Any], score: float | None, title: str
) -> None:
    tool = {"openinference.span.kind": "TOOL"}
    tool |= {"output.value": json.dumps({"artifact": [{"page_content": "Vienna.", **document}]})}
    model = {"openinference.span.kind": "LLM", "input.value": QUESTION, "output.value": "The Danube"}
    model |= {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": QUESTION}
    (passage,) = open_trace(json.dumps([{"attributes": tool}, {"attributes": model}])).passages
    assert (passage.text, passage.score, passage.title) == ("Vienna.", score, title)


def test_a_document_whose_score_is_no_finite_number_has_none_and_digits_of_no_time_are_none() -> None:
    odd = json.dumps(SPANS).replace("0.75", f"1{'0' * 400}").replace("2026-01-01T00:00:01", "²")
    assert open_trace(odd).passages[0].score is None


@pytest.mark.parametrize(("opened", "closed"), [('{"a":', "}"), ('[{"a":', "}]"), ("[", "]")])
def test_attributes_nested_as_deep_as_json_can_be_read_are_left_out(opened: str, closed: str) -> None:
    room = (sys.getrecursionlimit() - len(inspect.stack())) // len(closed)
    answers = []
    for depth in range(room - 40, room):
        deep = opened * depth + "1" + closed * depth
        written = json.dumps(SPANS)[:-1] + f', {{"attributes": {{"x": {deep}}}}}]'
        with suppress(RecordError):  # no longer JSON that Python reads
            answers.append(open_trace(written).answer.text)
    assert len(answers) > 10 and set(answers) == {"The Danube"}


def test_a_long_name_is_not_written_once_for_each_value_below_it() -> None:
    found = {"attributes": {"x" * 100_000: [{"a": place} for place in range(1000)], "short": {"a": 1}}}
    (span,) = read_spans(found)
    assert span.attributes == {"short.a": 1}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "This file is empty."),
        (b"\xef\xbb\xbf \n", "This file is empty."),
        ('{"question": "A?", "answer": {}}\n{"question": "B?", "answer": {}}', "a list of traces \\(2\\)"),
        ('[{"question": "A?", "answer": {}}]', "a list of traces \\(1\\)"),
        ("[]", "hold no question with an answer"),
    ],
)
def test_an_empty_file_and_a_list_of_traces_are_called_what_they_are(content: bytes | str, sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        open_trace(content)


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"openinference.span.kind": "LLM", "llm.model_name": "gpt", "input.value": "Who?"}, "but not its texts"),
        ({"openinference.span.kind": "LLM", "output.value": "Ada"}, "but not its question"),
        ({"openinference.span.kind": "CHAIN", "input.value": "Who?"}, "a span of a language model is needed"),
    ],
)
def test_spans_without_texts_say_what_is_left_out(attributes: dict[str, str], sentence: str) -> None:
    spans = [{"trace_id": "t", "span_id": "a", "name": "call", "attributes": attributes}]
    with pytest.raises(RecordError, match=sentence):
        open_trace(json.dumps(spans))
