"""What Phoenix and Langfuse hand out is read: files that their own packages wrote (Phoenix 20.26, Langfuse's SDK 5.0).

``tests/reference/tools/langfuse*.otlp`` is what Langfuse's SDK sent; ``phoenix_*`` what a Phoenix server gave back
through its REST interface and its client's table. Observations of Langfuse's interface follow its published form.
"""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import RecordError
from engine.diagnosis.traces.otlp import spans_in
from engine.diagnosis.traces.span_layouts import moment, read_spans
from engine.diagnosis.traces.span_names import with_openinference_names
from engine.diagnosis.traces.spans import from_spans, open_trace

RECORDED = Path(__file__).resolve().parents[3] / "reference" / "tools"
QUESTION, ANSWER = "Which river flows through Vienna?", "The Danube"
DOCUMENTS = ["Vienna lies on the Danube.", "The Inn joins the Danube at Passau."]
MESSAGES = [{"role": "system", "content": "Be short."}, {"role": "user", "content": f"{DOCUMENTS[0]} {QUESTION}"}]


def langfuse_runs(name: str) -> list[dict[str, Any]]:
    """Return the traces in a request that Langfuse's SDK sent."""
    pytest.importorskip("opentelemetry.proto")
    return from_spans(spans_in((RECORDED / f"{name}.otlp").read_bytes(), "application/x-protobuf"))


def seen(made: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return question, answer, model and pipeline."""
    return made["question"], made["answer"]["text"], made["answer"]["written_by"], made["pipeline"]


@pytest.mark.parametrize("name", sorted(file.name for file in RECORDED.glob("phoenix_*")))
def test_each_of_phoenix_s_exports_gives_the_same_run_with_its_probabilities(name: str) -> None:
    trace = open_trace((RECORDED / name).read_bytes())
    assert (trace.question, trace.answer.text, trace.answer.written_by) == (QUESTION, ANSWER, "small")
    assert [passage.text for passage in trace.passages] == DOCUMENTS
    named = [(passage.title, passage.source, passage.score) for passage in trace.passages]
    assert named == [("Vienna", "vienna.txt", 0.75), ("Inn", "inn.txt", 0.5)]
    assert [token.logprob for token in trace.answer.tokens] == [-0.5, -0.25]
    assert [one.text for one in trace.answer.tokens[0].top] == ["The", "It"]
    assert (len(trace.trace_id), len(trace.span_id)) == (32, 16)


def test_what_langfuse_s_own_functions_send_is_read_with_the_arguments_of_decorated_ones() -> None:
    made = langfuse_runs("langfuse")
    assert [seen(one) for one in made] == [(QUESTION, ANSWER, "small", "Langfuse")] * 3
    assert [[passage["text"] for passage in one["passages"]] for one in made] == [DOCUMENTS] * 3
    assert [passage.get("title") for passage in made[0]["passages"]] == ["Vienna", "Inn"]
    assert [passage.get("score") for passage in made[2]["passages"]] == [0.5, 0.5]
    # Log-probabilities are there where the raw reply was given as the output.
    assert [len(one["answer"].get("tokens", ())) for one in made] == [0, 0, 2]


@pytest.mark.parametrize("name", ["langfuse_langchain", "langfuse_openai"])
def test_what_langfuse_s_integrations_send_is_read(name: str) -> None:
    (made,) = langfuse_runs(name)
    assert seen(made) == (QUESTION, ANSWER, "small", "Langfuse")
    assert [(one["text"], one["title"]) for one in made["passages"]] == [(DOCUMENTS[0], "Vienna")]


def observations(**of_trace: Any) -> list[dict[str, Any]]:
    """Return a run as the observations that Langfuse's interface gives, newest first."""
    root, held = {"id": "o1", "traceId": "t1", **of_trace}, {"traceId": "t1", "parentObservationId": "o1"}
    return [
        {"id": "o3", "type": "GENERATION", "startTime": "2026-01-01T00:00:03.500Z", "model": "small",
         "input": MESSAGES, "output": {"role": "assistant", "content": ANSWER}, **held},
        {"id": "o2", "type": "RETRIEVER", "startTime": "2026-01-01T00:00:02Z", "input": QUESTION,
         "output": [{"node": {"text": text, "metadata": {"title": "T"}}, "score": 0.5} for text in DOCUMENTS], **held},
        {"type": "SPAN", "startTime": "2026-01-01T00:00:01Z", "input": {"query": QUESTION}, "output": ANSWER, **root},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "layout",
    [
        lambda: {"data": observations(), "meta": {}},
        lambda: {"trace": {"id": "t1", "name": "rag", "input": QUESTION}, "observations": observations()[:2]},
        lambda: {
            "id": "t1",
            "input": {"question": QUESTION},
            "observations": observations(),
        },
    ],
    ids=["list", "download", "trace"],
)
def test_langfuse_s_observations_are_read_in_each_of_their_layouts(layout: Any) -> None:
    trace = open_trace(json.dumps(layout()))
    assert (trace.question, trace.answer.text, trace.pipeline, trace.trace_id) == (QUESTION, ANSWER, "Langfuse", "t1")
    named = [(passage.text, passage.title, passage.score) for passage in trace.passages]
    assert named == [(text, "T", 0.5) for text in DOCUMENTS]


def test_a_conversation_in_opentelemetry_s_messages_is_read() -> None:
    asked = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}]
    names = {"gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps(said)}
    (made,) = from_spans([{"attributes": {**names, "gen_ai.response.model": "small"}}])
    assert seen(made)[:3] == (QUESTION, ANSWER, "small")


def test_times_of_all_forms_are_in_order() -> None:
    first, then = moment("2026-01-01T00:00:01+00:00"), moment("2026-01-01T00:00:01.001+00:00")
    assert then - first == pytest.approx(1e6, abs=300)
    assert moment(1795598403241784064) == 1795598403241784064.0 and moment("no time") == 0.0
    assert math.isfinite(moment("9" * 400))


KEYS = st.sampled_from("args kwargs role content".split())
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("args kwargs role content".split()), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from("generation retriever span tool".split()), JSON, JSON)
def test_whatever_an_observation_holds_is_a_run_or_none(kind: str, given_in: Any, given_out: Any) -> None:
    one = {"id": "o1", "type": kind, "input": given_in, "output": given_out}
    assert len(list(read_spans([one]))) == 1
    raw = {f"langfuse.observation.{name}": value for name, value in (("type", kind), ("input", given_in))}
    assert with_openinference_names(raw)["openinference.span.kind"]
    try:
        from_spans([one])
    except RecordError:
        return
