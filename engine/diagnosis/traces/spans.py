"""Spans of OpenTelemetry as traces: what Phoenix, Langfuse and any OTLP exporter write of a pipeline's run.

``span_layouts`` says in which shapes they come. The names are those of OpenInference (``openinference.span.kind``,
``retrieval.documents.…``, ``llm.output_messages.…``), else of OpenTelemetry's own conventions (``gen_ai.…``);
``span_names`` gives Langfuse's observations the first. Log-probabilities come from the model's raw reply in
``output.value``, where it has them.
"""

import json
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any

from engine.core.errors import RecordError
from engine.diagnosis.traces.adapters import (
    TraceObject,
    distinct,
    passage,
    passage_of,
    token_objects,
    trace_object,
)
from engine.diagnosis.traces.replies import is_data, is_said, parsed, reply_in
from engine.diagnosis.traces.schema import UNNAMED, Trace, as_text, read_trace
from engine.diagnosis.traces.span_layouts import LANGFUSE, Span, holds_spans, numbered, objects, read_json, read_spans

DOCUMENTS = ("reranker.output_documents", "retrieval.documents")
# What reading a value of another kind, or one nested without end, raises in Python.
ODD = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
QUESTION_FIELDS = "input question query user_input query_str".split()
# The end of an instrumentation's name, and the framework it looks on at.
FRAMEWORKS = {
    "langchain": "LangChain",
    "llama_index": "LlamaIndex",
    "llamaindex": "LlamaIndex",
    "haystack": "Haystack",
    "dspy": "DSPy",
    "openai": "OpenAI",
    LANGFUSE: "Langfuse",
}


def open_trace(content: bytes | str) -> Trace:
    """Return the trace in a file: one of ours, or the last one in a file of spans.

    Raises RecordError that says what is wrong with it.
    """
    text = as_text(content)
    if not text.strip():
        raise RecordError("This file is empty.")
    found = read_json(text)  # what it is not, is said by ``read_trace``
    if several := traces_in(found):
        raise RecordError(f"This file holds a list of traces ({several}). Save the one to look at alone.")
    if not holds_spans(found):
        return read_trace(content)
    runs = from_spans(found)
    if len(runs) > 1:
        noted(runs[-1], f"This file holds {len(runs)} runs; the last one is read.")
    return read_trace(json.dumps(runs[-1]))


def noted(made: TraceObject, note: str) -> None:
    """Add a note to a trace."""
    made["notes"] = [*made.get("notes", ()), note]


def traces_in(found: Any) -> int:
    """Return how many traces of ours a JSON list or JSON Lines hold, 0 where it is another list or none.

    >>> traces_in([{"question": "Who?", "answer": {}}]), traces_in([{"attributes": {}}]), traces_in([])
    (1, 0, 0)
    """
    listed = found if isinstance(found, list) else []
    ours = all(isinstance(one, dict) and {"question", "answer"} <= one.keys() for one in listed)
    return len(listed) if ours else 0


@contextmanager
def odd_spans_refused() -> Iterator[None]:
    """Raise RecordError where something in spans is of a kind that their reading does not expect."""
    try:
        yield
    except ODD as exc:
        raise RecordError(f"These spans cannot be read: {type(exc).__name__}.") from exc


@odd_spans_refused()
def from_spans(spans: Any) -> list[TraceObject]:
    """Return one trace for each pipeline run in the spans, in order of their beginning.

    ``spans`` is what a JSON file of spans holds: OTLP, a list of spans, one span, or what Phoenix and Langfuse export.
    Raises RecordError where no run has both a question and an answer, or something in them is of another kind.
    """
    runs: dict[str, list[Span]] = {}
    for span in sorted(read_spans(spans), key=lambda one: one.start):
        runs.setdefault(span.trace_id, []).append(span)
    found = [made for run in runs.values() if (made := trace_of(run)) is not None]
    if not found:
        raise RecordError(absent_words([span for run in runs.values() for span in run if is_call(span)]))
    return found


def absent_words(calls: list[Span]) -> str:
    """Return what spans lack to be a trace; ``calls`` are those of a language model."""
    if not calls:
        return "These spans hold no question with an answer: a span of a language model is needed."
    if not any(map(answer_of, calls)):
        return "These spans hold a call of a language model, but not its texts. Have them written too."
    return "These spans hold an answer, but not its question. Have inputs written too."


def is_call(span: Span) -> bool:
    """Return whether a span is a call of a language model, whether or not it holds what the model wrote."""
    return span.kind == "LLM" and not fills_prompt(span)


def trace_of(run: list[Span]) -> TraceObject | None:
    """Return one pipeline run as a trace, None where it lacks a question or an answer."""
    writing = [span for span in run if is_call(span) and answer_of(span)]
    if not writing:
        return None
    last = writing[-1]
    question = question_of(run, last)
    if not question:
        return None
    made = trace_object(
        question=question,
        passages=passages_of(run),
        answer=answer_of(last),
        written_by=model_of(last),
        pipeline=pipeline_of(run),
    )
    made["answer"] |= reply_numbers(last)
    # Two instrumentations may each write a span of the same call.
    if (several := len({answer_of(span) for span in writing})) > 1:
        noted(made, f"This run holds {several} different answers; the last one is read.")
    ids = {"trace_id": last.trace_id, "span_id": root_of(run).span_id}
    return made | {name: held for name, held in ids.items() if held}


def pipeline_of(run: list[Span]) -> str:
    """Return the framework whose instrumentation wrote the spans, as far as they tell it."""
    ends = (span.scope.rpartition(".")[2].lower() for span in run)
    framework = next((FRAMEWORKS[end] for end in ends if end in FRAMEWORKS), "")
    if framework == FRAMEWORKS[LANGFUSE]:  # it looks on itself, at whichever framework
        return framework
    return f"{framework} (OpenTelemetry)" if framework else "OpenTelemetry spans"


def fills_prompt(span: Span) -> bool:
    """Return whether a span only fills a template: Haystack's prompt builders call themselves a language model."""
    asks = any(name.startswith(("llm.output_messages", "llm.model_name", "gen_ai.")) for name in span.attributes)
    return "llm.prompt_template.template" in span.attributes and not asks


def model_of(span: Span) -> str:
    """Return the name of the model that wrote, from the span or its raw reply."""
    named = first_filled(span, "llm.model_name", "gen_ai.response.model", "gen_ai.request.model")
    reply = reply_in(first_filled(span, "output.value"))
    return named or (reply.model if reply else "") or UNNAMED


def root_of(run: list[Span]) -> Span:
    """Return the span that all others stand below; where several do, the earliest."""
    known = {span.span_id for span in run}
    return next((span for span in run if span.parent_id not in known), run[0])


def first_filled(span: Span, *names: str) -> str:
    """Return the first of these attributes that is a text with something in it, "" where none is."""
    found = (span.attributes.get(name) for name in names)
    return next((one for one in found if isinstance(one, str) and one.strip()), "")


def question_of(run: list[Span], last: Span) -> str:
    """Return what was asked: the root's input, else a retriever's, else the last turn of the user."""
    known = {span.span_id for span in run}
    roots = [span for span in run if span.parent_id not in known and span is not last]
    retrievers = [span for span in run if span.kind == "RETRIEVER"]
    asked = (plain_input(first_filled(span, "input.value")) for span in (*roots, *retrievers))
    return next((one for one in asked if one), "") or users_turn(last)


def plain_input(value: str) -> str:
    """Return a question from an input: the text, or the field of its JSON that holds one; "" where none does.

    >>> plain_input("Who?"), plain_input('{"query": "Who?"}'), plain_input('{"top_k": 3}')
    ('Who?', 'Who?', '')
    """
    if not is_data(value):
        return value.strip()
    found = parsed(value)
    if isinstance(found, Mapping):
        return next((str(found[key]).strip() for key in QUESTION_FIELDS if isinstance(found.get(key), str)), "")
    return ""


def users_turn(span: Span) -> str:
    """Return the last message of the user to a language model that says something; results of tools are none."""
    for start in ("llm.input_messages", "gen_ai.prompt"):
        for message in reversed(list(numbered(span.attributes, start))):
            role = message.get("message.role") or message.get("role")
            if role == "user" and (text := message_text(message).strip()):
                return text
    return ""


def message_text(message: Mapping[str, Any]) -> str:
    """Return what a message says: its text, else the parts of its contents that are said, together.

    >>> part = "message.contents.0.message_content"
    >>> message_text({f"{part}.type": "text", f"{part}.text": "Yes"}), message_text({f"{part}.type": "image"})
    ('Yes', '')
    """
    text = message.get("message.content") or message.get("content")
    if isinstance(text, str) and text.strip():
        return text
    parts = numbered(message, "message.contents")
    said = (part for part in parts if is_said({"type": part.get("message_content.type")}))
    return "".join(text for part in said if isinstance(text := part.get("message_content.text"), str))


def answer_of(span: Span) -> str:
    """Return what a language model wrote: its output message, else its raw reply, else its output."""
    for start in ("llm.output_messages", "gen_ai.completion"):
        for message in numbered(span.attributes, start):
            if (text := message_text(message)).strip():
                return text
    output = first_filled(span, "output.value")
    reply = reply_in(output)
    if reply is not None:
        return reply.text
    return "" if is_data(output) else output


def reply_numbers(span: Span) -> TraceObject:
    """Return the tokens with their log-probabilities, and why the answer ended, as far as the raw reply has them."""
    reply = reply_in(first_filled(span, "output.value"))
    if reply is None:
        return {}
    made: TraceObject = {"stop_reason": reply.stop_reason}
    try:
        return made | ({"tokens": token_objects(reply.content, reply.text)} if reply.content else {})
    except ODD as exc:
        raise RecordError(f"The log-probabilities in a span cannot be read: {type(exc).__name__}, {exc}.") from exc


def passages_of(run: list[Span]) -> list[TraceObject]:
    """Return the passages that were read, each text once.

    They are what the last reranker kept; without one, what the retrievers found that stand below no other retriever;
    without those, the documents that tools returned beside their text.
    """
    rerankers, retrievers = ([span for span in run if any(numbered(span.attributes, name))] for name in DOCUMENTS)
    if rerankers:
        return [document_passage(one) for one in numbered(rerankers[-1].attributes, DOCUMENTS[0])]
    inner = {span.span_id for span in retrievers}
    above = {span.span_id: span.parent_id for span in run}
    below = spans_below(inner, above)
    outermost = [span for span in retrievers if span.span_id not in below]
    found = [document_passage(one) for span in outermost for one in numbered(span.attributes, DOCUMENTS[1])]
    return distinct(found or [one for span in run if span.kind == "TOOL" for one in tool_passages(span)])


def spans_below(tops: Set[str], above: Mapping[str, str]) -> set[str]:
    """Return the spans that have one of these above them; each span is visited once. Nothing is above a circle's spans.

    >>> sorted(spans_below({"a"}, {"a": "", "b": "a", "c": "b", "d": ""}))
    ['b', 'c']
    """
    below: dict[str, bool] = {}
    for start in above:
        way: list[str] = []
        seen: set[str] = set()
        place = start
        while place in above and place not in below and place not in seen:
            seen.add(place)
            way.append(place)
            place = above[place]
        circle = way[way.index(place) :] if place in seen else []
        below |= dict.fromkeys(circle, False)
        way = way[: len(way) - len(circle)]
        held = bool(tops & {place, *circle}) or below.get(place, False)
        for span_id in reversed(way):
            below[span_id] = held
            held = held or span_id in tops
    return {span_id for span_id, held in below.items() if held}


def tool_passages(span: Span) -> Iterator[TraceObject]:
    """Yield the documents that a LangChain tool returned as its artifact."""
    found = parsed(first_filled(span, "output.value"))
    held = found.get("data", found) if isinstance(found, Mapping) else None
    for one in objects(held.get("artifact") if isinstance(held, Mapping) else None):
        inner = one.get("kwargs", one)
        if isinstance(inner, Mapping) and "page_content" in inner:
            yield passage_of(inner)


def document_passage(one: Mapping[str, Any]) -> TraceObject:
    """Return a document of a span as a passage of a trace."""
    metadata = parsed(str(one.get("document.metadata") or ""))
    start = "document.metadata."
    named = {name[len(start) :]: value for name, value in one.items() if name.startswith(start)}
    named |= metadata if isinstance(metadata, Mapping) else {}
    return passage(str(one.get("document.content") or ""), named, one.get("document.score"))
