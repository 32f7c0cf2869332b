"""Which spans of a run hold its question, its passages, its answer and its model, where several could."""

import json
from typing import Any

import pytest

from engine.diagnosis.traces.adapters import TraceObject
from engine.diagnosis.traces.span_layouts import Span
from engine.diagnosis.traces.spans import from_spans, pipeline_of

KIND = "openinference.span.kind"
Given = dict[str, Any]


def span(name: str, parent: str = "", **attributes: Any) -> Given:
    """Return a span of the run t1 by its name; "__" in a name of an attribute stands for a full stop."""
    held = {key.replace("__", "."): value for key, value in attributes.items()}
    return {"context": {"trace_id": "t1", "span_id": name}, "parent_id": parent or None, "attributes": held}


def model(name: str, parent: str = "root", said: str = "The Danube", **attributes: Any) -> Given:
    """Return the span of a language model."""
    made = span(name, parent, **attributes)
    made["attributes"] |= {KIND: "LLM", "llm.output_messages.0.message.content": said}
    return made


def found_by(name: str, parent: str, kind: str, *texts: str) -> Given:
    """Return the span of a retriever or reranker with its documents."""
    start = "reranker.output_documents" if kind == "RERANKER" else "retrieval.documents"
    documents = {f"{start}.{place}.document.content": text for place, text in enumerate(texts)}
    made = span(name, parent)
    made["attributes"] |= {KIND: kind, "input.value": f"{name}?"} | documents
    return made


def run_of(*spans: Given) -> TraceObject:
    """Return the one run in these spans."""
    (made,) = from_spans(list(spans))
    return made


def messages(*said: tuple[str, str]) -> Given:
    """Return the input of a language model, (role, text) each."""
    made: Given = {}
    for place, (role, text) in enumerate(said):
        start = f"llm.input_messages.{place}.message"
        made |= {f"{start}.role": role, f"{start}.content": text}
    return made


def test_the_question_is_the_roots_else_a_retrievers_else_the_users_last_turn() -> None:
    turns = messages(
        ("system", "Be short."), ("user", "And Linz?"), ("user", " And Graz? "), ("user", " "), ("tool", "x")
    )
    root = span("root", **{"input__value": " Which river? "})
    answer = model("m", **turns)
    retriever = found_by("r", "root", "RETRIEVER", "A.")
    assert run_of(root, retriever, answer)["question"] == "Which river?"
    silent = span("root", **{"input__value": json.dumps({"k": 3})})
    assert run_of(silent, retriever, answer)["question"] == "r?"
    assert run_of(silent, answer)["question"] == "And Graz?"
    alone = model("m", parent="", **turns, input__value="the whole prompt")
    assert run_of(alone)["question"] == "And Graz?", "what a model alone was given is a prompt"
    inner = span("chain", "root", **{"input__value": "a step's input"})
    assert run_of(silent, inner, answer)["question"] == "And Graz?", "a step below the root asks nothing"


def test_passages_are_the_last_rerankers_else_those_of_the_outermost_retrievers_else_of_tools() -> None:
    root, answer = span("root", **{"input__value": "Which?"}), model("m")
    outer = found_by("outer", "root", "RETRIEVER", "A.", "B.")
    inner = found_by("inner", "outer", "RETRIEVER", "C.")
    second = found_by("second", "root", "RETRIEVER", "B.", "D.")
    returned = {"artifact": [{"kwargs": {"page_content": "T."}}, {"page_content": "U."}, {"other": 1}]}
    tool = span("tool", "root", **{KIND.replace(".", "__"): "TOOL", "output__value": json.dumps(returned)})

    def texts(*spans: Given) -> list[str]:
        return [one["text"] for one in run_of(root, *spans, answer)["passages"]]

    assert texts(outer, inner, second, tool) == ["A.", "B.", "D."]
    kept = (found_by("first", "root", "RERANKER", "E."), found_by("last", "root", "RERANKER", "F.", "A."))
    assert texts(outer, *kept) == ["F.", "A."]
    assert texts(tool) == ["T.", "U."] and texts() == []
    step = span("step", "root", **{KIND.replace(".", "__"): "CHAIN", "output__value": json.dumps(returned)})
    assert texts(step) == []


def test_the_answer_is_the_last_one_written_and_the_model_is_named_by_its_span_or_its_reply() -> None:
    root = span("root", **{"input__value": "Which?"})
    reply = {"choices": [{"message": {"content": "The Inn"}}], "model": "from the reply"}
    named = model("b", said="", output__value=json.dumps(reply))
    made = run_of(root, model("a", llm__model_name="small"), named)
    assert (made["answer"]["text"], made["answer"]["written_by"]) == ("The Inn", "from the reply")
    assert (made["trace_id"], made["span_id"]) == ("t1", "root")
    first = run_of(root, named, model("c", gen_ai__request__model="asked", gen_ai__response__model="told"))
    assert (first["answer"]["text"], first["answer"]["written_by"]) == ("The Danube", "told")
    assert run_of(root, model("d"))["answer"]["written_by"] == "not told"
    template = span("e", "root", **{KIND.replace(".", "__"): "LLM", "output__value": "The filled prompt."})
    template["attributes"]["llm.prompt_template.template"] = "Answer {q}"
    assert run_of(root, model("d"), template)["answer"]["text"] == "The Danube", "a filled template is no answer"


@pytest.mark.parametrize(
    ("scopes", "pipeline"),
    [
        (("openinference.instrumentation.langchain",), "LangChain (OpenTelemetry)"),
        (("own.code", "openinference.instrumentation.llama_index"), "LlamaIndex (OpenTelemetry)"),
        (("opentelemetry.instrumentation.llamaindex",), "LlamaIndex (OpenTelemetry)"),
        (("openinference.instrumentation.haystack",), "Haystack (OpenTelemetry)"),
        (("openinference.instrumentation.DSPy",), "DSPy (OpenTelemetry)"),
        (("openinference.instrumentation.openai",), "OpenAI (OpenTelemetry)"),
        (("langfuse-sdk",), "Langfuse"),
        (("own.code", ""), "OpenTelemetry spans"),
    ],
)
def test_a_run_is_of_the_framework_whose_instrumentation_wrote_it(scopes: tuple[str, ...], pipeline: str) -> None:
    run = [Span(trace_id="t", span_id="", parent_id="", start=0.0, attributes={}, scope=scope) for scope in scopes]
    assert pipeline_of(run) == pipeline
