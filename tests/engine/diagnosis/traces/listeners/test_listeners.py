"""Real pipelines become traces: recorded from real runs, and run again wherever the framework is installed."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import traces
from engine.core.errors import InputError, RecordError, StorageError
from engine.diagnosis.traces.listeners.seen_runs import SeenRuns
from engine.diagnosis.traces.otlp import spans_in
from engine.diagnosis.traces.replies import Written
from engine.diagnosis.traces.schema import read_trace
from tests.engine.diagnosis.traces.listeners.pipelines import ANSWER, MODEL, QUESTION, RUNS, TEXTS

RECORDED = Path(__file__).resolve().parents[4] / "reference" / "frameworks"
STEPS = sorted(file.name.removesuffix("_steps.json") for file in RECORDED.glob("*_steps.json"))
SPANS = sorted(RECORDED.glob("*.otlp"))
NEEDED = {
    "langchain_expression": "langchain_core",
    "langchain_retrieval_chain": "langchain_classic",
    "langchain_agent": "langchain.agents",
    "llamaindex": "llama_index.core",
    "llamaindex_streamed": "llama_index.core",
    "haystack": "haystack",
}
LISTENERS: dict[str, Callable[[], Any]] = {
    "langchain": traces.listen_to_langchain,
    "llamaindex": traces.listen_to_llamaindex,
    "haystack": traces.listen_to_haystack,
}


def heard(steps: list[list[Any]]) -> SeenRuns:
    """Return what a listener makes of recorded steps."""
    seen = SeenRuns("a framework")
    for method, *given in steps:
        if method == "write":
            given = [given[0], Written(**{**given[1], "content": tuple(given[1]["content"])})]
        getattr(seen, method)(*given)
    return seen


def check_trace(made: dict[str, Any], tokens: bool = True) -> None:
    """Check that a trace is the question, both passages with their titles, and the answer with its tokens."""
    trace = read_trace(json.dumps(made))
    assert (trace.question, trace.answer.text) == (QUESTION, ANSWER)
    assert {one.title: one.text for one in trace.passages} == TEXTS
    if tokens:
        assert (trace.answer.written_by, trace.answer.stop_reason) == (MODEL, "end")
        assert [(one.text, one.logprob) for one in trace.answer.tokens] == [("The", -0.5), (" Danube", -0.25)]


@pytest.mark.parametrize("name", STEPS)
def test_the_steps_that_a_real_framework_reported_become_one_trace(name: str) -> None:
    recorded = json.loads((RECORDED / f"{name}_steps.json").read_text(encoding="utf-8"))
    seen = heard(recorded["steps"])
    assert len(seen.traces) == 1 and seen.left_out == []
    assert seen.traces[0]["passages"] == recorded["trace"]["passages"]
    check_trace(seen.traces[0], tokens=name != "llamaindex_streamed")


@pytest.mark.parametrize("file", SPANS, ids=lambda file: file.stem)
def test_the_spans_that_openinference_wrote_of_a_real_run_become_one_trace(file: Path) -> None:
    pytest.importorskip("opentelemetry.proto", reason="opentelemetry-proto is not installed")
    (made,) = traces.from_spans(spans_in(file.read_bytes(), "application/x-protobuf"))
    check_trace(made, tokens=file.stem != "llamaindex")  # LlamaIndex's spans hold no raw reply
    assert len(made["trace_id"]) == 32 and len(made["span_id"]) == 16


@pytest.mark.parametrize("name", RUNS)
def test_the_real_framework_is_heard_where_it_is_installed(name: str) -> None:
    framework = name.split("_")[0]
    pytest.importorskip(NEEDED[name], reason=f"{NEEDED[name]} is not installed")
    listener = LISTENERS[framework]()
    try:
        RUNS[name](listener)
    finally:
        getattr(listener, "stop", lambda: None)()
    assert len(listener.traces) == 1 and listener.seen.left_out == []
    check_trace(listener.traces[0], tokens=name != "llamaindex_streamed")
    if hasattr(listener, "stop"):
        RUNS[name](None)
        assert len(listener.traces) == 1


def test_spans_of_a_real_tracer_are_heard_where_opentelemetry_is_installed() -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    listener, provider = traces.listen_to_spans(written_by="mine"), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(listener))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("chain", attributes={"input.value": QUESTION}):
        kind = {"openinference.span.kind": "LLM", "output.value": ANSWER}
        tracer.start_span("model", attributes=kind).end()
    with tracer.start_as_current_span("nothing"):
        pass
    assert [(one["question"], one["answer"]["written_by"]) for one in listener.traces] == [(QUESTION, "mine")]
    assert len(listener.left_out) == 1


def test_a_missing_framework_is_a_sentence_that_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'langchain_core'", name="langchain_core")

    monkeypatch.setattr(traces, "import_module", missing)
    for listen in (*LISTENERS.values(), traces.listen_to_spans):
        with pytest.raises(InputError, match="pip install"):
            listen()


def test_runs_side_by_side_stay_apart_and_a_failed_or_empty_one_is_no_trace() -> None:
    told: list[str] = []
    seen = SeenRuns("p", "me", on_trace=lambda made: told.append(made["question"]))
    for run in "abcd":
        seen.begin(run, "", f"Question {run}?")
        seen.begin(f"{run}1", run)
        seen.find(f"{run}1", [{"text": f"Text {run}."}])
    seen.write("b1", Written(text="B"))
    seen.write("a1", Written(text="A"))
    seen.end("a")
    seen.fail("c", ValueError("no"))
    seen.end("d")
    seen.end("b", "B, at last")
    seen.write("nobody", Written(text="x"))
    assert told == ["Question a?", "Question b?"]
    assert [(one["answer"]["text"], one["passages"]) for one in seen.traces] == [
        ("A", [{"text": "Text a."}]), ("B, at last", [{"text": "Text b."}]),
    ]  # fmt: skip
    assert len(seen.left_out) == 2


def test_passages_of_an_inner_retriever_belong_to_the_outer_one_and_a_reranker_has_the_last_word() -> None:
    seen = SeenRuns("p")
    seen.begin("root", "", QUESTION)
    for step, above in (("outer", "root"), ("inner", "outer"), ("other", "root")):
        seen.begin(step, above)
    seen.find("inner", [{"text": "One."}, {"text": "Two."}])
    seen.find("outer", [{"text": "Two."}])
    seen.find("other", [{"text": "Two."}, {"text": "Three."}])
    seen.end("root", "Yes")
    assert [one["text"] for one in seen.traces[0]["passages"]] == ["Two.", "Three."]
    seen.begin("root", "", QUESTION)
    seen.find("root", [{"text": "One."}])
    seen.replace("root", [{"text": "Nine."}])
    seen.end("root", "Yes")
    assert [one["text"] for one in seen.traces[1]["passages"]] == ["Nine."]


def test_log_probabilities_of_another_text_than_the_answer_are_left_out_with_a_note() -> None:
    seen = SeenRuns("p")
    seen.begin("root", "", QUESTION)
    seen.write("root", Written(text="danube!", content=({"token": "danube!", "logprob": -1.0},), finish="length"))
    seen.end("root", "Danube")
    (made,) = seen.traces
    assert "tokens" not in made["answer"] and made["answer"]["stop_reason"] == "length" and len(made["notes"]) == 1


def seen_run(seen: SeenRuns, content: tuple[Any, ...] = ()) -> None:
    """Let a listener see one whole run with a model's reply."""
    seen.begin("root", "", QUESTION)
    seen.write("root", Written(text=ANSWER, content=content))
    seen.end("root", ANSWER)


def test_log_probabilities_of_an_unknown_form_leave_the_run_out_with_the_reason_and_the_pipeline_alone() -> None:
    seen = SeenRuns("p")
    seen_run(seen, ({"text": ANSWER, "logprob": -1.0},))
    seen_run(seen, ({"token": ANSWER, "logprob": "high"},))
    seen_run(seen, ({"token": ANSWER, "logprob": -1.0},))
    assert [len(one["answer"]["tokens"]) for one in seen.traces] == [1]
    assert ["KeyError" in seen.left_out[0], "ValueError" in seen.left_out[1], len(seen.left_out)] == [True, True, 2]


def refuse(made: Any) -> None:
    """Take no trace."""
    raise StorageError("The disk is full.")


def test_a_trace_that_nobody_can_take_is_kept_with_the_reason_and_the_pipeline_goes_on() -> None:
    seen = SeenRuns("p", on_trace=refuse)
    seen_run(seen)
    assert [one["question"] for one in seen.traces] == [QUESTION]
    assert len(seen.left_out) == 1 and "The disk is full" in seen.left_out[0]


def test_a_step_that_cannot_be_read_leaves_its_run_out_and_no_other() -> None:
    seen = SeenRuns("p")
    seen.begin("other", "", QUESTION)
    seen.begin("root", "", "Who?")
    seen.begin("model", "root")
    with seen.aside("model"):
        raise KeyError("replies")
    for step in ("root", "other"):
        seen.end(step, ANSWER)
    assert [one["question"] for one in seen.traces] == [QUESTION]
    assert len(seen.left_out) == 1 and "Who?" in seen.left_out[0] and "KeyError" in seen.left_out[0]


def test_a_component_of_haystack_that_cannot_be_read_ends_no_pipeline() -> None:
    pytest.importorskip("haystack", reason="haystack is not installed")
    listener = traces.listen_to_haystack(on_trace=refuse)
    try:
        asked = {"haystack.pipeline.input_data": {"query": QUESTION}}
        for output in ({"replies": {"of another": "kind"}}, {"replies": [ANSWER]}):
            with listener.trace("haystack.pipeline.run", asked), listener.trace("haystack.component.run") as span:
                span.set_content_tag("haystack.component.output", output)
    finally:
        listener.stop()
    assert len(listener.traces) == 1 and len(listener.seen.left_out) == 2


def test_spans_after_a_trace_that_nobody_can_take_are_heard() -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    listener, provider = traces.listen_to_spans(on_trace=refuse), sdk.TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(listener))
    tracer = provider.get_tracer("test")
    for _ in range(2):
        with tracer.start_as_current_span("chain", attributes={"input.value": QUESTION}):
            kind = {"openinference.span.kind": "LLM", "output.value": ANSWER}
            tracer.start_span("model", attributes=kind).end()
    provider.force_flush()
    assert len(listener.traces) == len(listener.left_out) == 2


def test_more_than_twenty_passages_are_cut_with_a_note_wherever_they_come_from() -> None:
    texts = [f"Text {place}." for place in range(42)]
    documents = {f"retrieval.documents.{n}.document.content": text for n, text in enumerate(texts)}
    spans = [
        {"span_id": "a", "attributes": {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION, **documents}},
        {"span_id": "b", "attributes": {"openinference.span.kind": "LLM", "output.value": ANSWER}},
    ]
    (of_spans,) = traces.from_spans(spans)
    of_row = traces.from_ragas({"user_input": QUESTION, "retrieved_contexts": texts, "response": ANSWER}, "m")
    for made in (of_spans, of_row):
        trace = read_trace(json.dumps(made))
        assert len(trace.passages) == 20
        assert len(trace.notes) == 1 and "42" in trace.notes[0]


def test_traces_are_saved_each_to_its_file(tmp_path: Path) -> None:
    seen = SeenRuns("p")
    for number in "12":
        seen.begin(number, "", f"Question {number}?")
        seen.end(number, "Yes")
    files = seen.save(tmp_path / "new")
    assert [read_trace(file.read_bytes()).question for file in files] == ["Question 1?", "Question 2?"]
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StorageError):
        seen.save(tmp_path / "file")


def test_a_langchain_answer_alone_takes_question_and_documents_beside_it() -> None:
    made = traces.from_langchain(ANSWER, "m", question=QUESTION, documents=list(TEXTS.values()))
    assert [one["text"] for one in made["passages"]] == list(TEXTS.values())
    with pytest.raises(RecordError, match="question"):
        traces.from_langchain(ANSWER, "m")


def test_a_messages_hidden_thoughts_are_no_part_of_the_answer() -> None:
    said = [{"type": "reasoning", "text": "It may be the Rhine. "}, {"type": "text", "text": ANSWER}]
    made = traces.from_langchain(SimpleNamespace(content=said), "m", question=QUESTION, documents=list(TEXTS.values()))
    assert made["answer"]["text"] == ANSWER
