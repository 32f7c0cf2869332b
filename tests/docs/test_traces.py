"""The adapters of docs/traces.md, given what each framework returns, make the shipped examples."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import traces
from engine.core.errors import RecordError
from engine.diagnosis.traces.schema import read_trace

PROJECT = Path(__file__).resolve().parents[2]
EXAMPLES = PROJECT / "sample_data" / "traces"
DOCUMENT = (PROJECT / "docs" / "traces.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", DOCUMENT, flags=re.DOTALL)

QUESTION = "Which river flows through Vienna?"
DANUBE = "The Danube rises in the Black Forest and flows through Vienna, Budapest and Belgrade to the Black Sea."
VIENNA = "Vienna is the capital of Austria. It lies on the Danube."
BY_HAND = "nobody: an example written by hand"
COMPLETION = json.loads((PROJECT / "tests" / "reference" / "openai_completion.json").read_text(encoding="utf-8"))


def node(text: str, title: str, score: float | None) -> SimpleNamespace:
    """Return a retrieved node as LlamaIndex gives it."""
    held = SimpleNamespace(get_content=lambda: text, metadata={"title": title, "file_name": f"{title.lower()}.txt"})
    return SimpleNamespace(node=held, score=score)


def make_folder() -> dict[str, dict[str, Any]]:
    """Return every example as its adapter makes it from what its framework returns."""
    pages = [SimpleNamespace(page_content=DANUBE, metadata={"title": "Danube", "source": "danube.txt"})]
    papers = [SimpleNamespace(content=VIENNA, meta={"title": "Vienna", "file_path": "vienna.txt"}, score=0.71)]
    replies = {"retriever": {"documents": papers}, "llm": {"replies": [SimpleNamespace(text="The Danube")]}}
    row = {
        "user_input": QUESTION,
        "retrieved_contexts": [DANUBE, VIENNA],
        "response": "The Danube flows through Vienna.",
        "reference": "the Danube",
    }
    nodes = SimpleNamespace(response="It is the Danube.", source_nodes=[node(DANUBE, "Danube", 0.83)])
    prediction = SimpleNamespace(context=[VIENNA, DANUBE], response="Danube")
    asked = COMPLETION["asked"]
    return {
        "langchain": traces.from_langchain({"input": QUESTION, "context": pages, "answer": "The Danube."}, BY_HAND),
        "llamaindex": traces.from_llamaindex(QUESTION, nodes, BY_HAND),
        "haystack": traces.from_haystack(QUESTION, replies, BY_HAND),
        "dspy": traces.from_dspy(QUESTION, prediction, BY_HAND),
        "ragas": traces.from_ragas(row, BY_HAND),
        "openai_logprobs": traces.from_openai(
            asked["question"], asked["passages"], COMPLETION["completion"], asked["golds"], 49_152
        ),
    }


@pytest.mark.parametrize("name", ["langchain", "llamaindex", "haystack", "dspy", "ragas", "openai_logprobs"])
def test_an_adapter_makes_its_example_and_the_example_is_a_trace(name: str) -> None:
    file = (EXAMPLES / f"{name}.json").read_text(encoding="utf-8")
    assert make_folder()[name] == json.loads(file)
    assert read_trace(file).question


def test_the_small_trace_of_the_document_is_one() -> None:
    (small,) = [text for kind, text in BLOCKS if kind == "json"]
    trace = read_trace(small)
    assert [len(token.top) for token in trace.answer.tokens] == [2, 0, 0]


def test_half_a_character_goes_to_the_next_token_with_both_probabilities() -> None:
    content = [
        {"token": "\\xc3", "bytes": [0xC3], "logprob": -0.5, "top_logprobs": []},
        {"token": "\\xa9", "bytes": [0xA9], "logprob": -0.25, "top_logprobs": [{"token": "x", "logprob": -3.0}]},
    ]
    choice = {"message": {"content": "é"}, "finish_reason": "stop", "logprobs": {"content": content}}
    trace = traces.from_openai("Q?", [], {"model": "m", "choices": [choice]})
    assert trace["answer"]["tokens"] == [{"text": "é", "logprob": -0.75, "top": []}]


def test_an_answer_without_log_probabilities_is_a_trace_too() -> None:
    choice = {"message": {"content": "Vienna"}, "finish_reason": "length", "logprobs": None}
    trace = traces.from_openai("Q?", [], {"model": "m", "choices": [choice]})
    read = read_trace(json.dumps(trace))
    assert read.answer.tokens == ()
    assert read.answer.stop_reason == "length"


def test_a_langchain_chain_of_ones_own_and_a_message_are_read_and_what_is_missing_is_named() -> None:
    document = SimpleNamespace(page_content=DANUBE, metadata={})
    message = SimpleNamespace(content=[{"type": "text", "text": "The "}, "Danube"])
    for result in (
        {"question": QUESTION, "source_documents": [document], "result": "The Danube"},
        {"query": QUESTION, "documents": [DANUBE], "answer": message},
        {"input": QUESTION, "context": DANUBE, "output": "The Danube"},
    ):
        trace = read_trace(json.dumps(traces.from_langchain(result, BY_HAND)))
        assert (trace.question, trace.answer.text, trace.passages[0].text) == (QUESTION, "The Danube", DANUBE)
    with pytest.raises(RecordError, match="question"):
        traces.from_langchain({"context": [document], "answer": "x"}, BY_HAND)
    assert traces.from_langchain({"context": [document], "answer": "x"}, BY_HAND, QUESTION)["question"] == QUESTION


def test_every_adapter_of_the_document_can_be_imported() -> None:
    named = {name for kind, text in BLOCKS if kind == "python" for name in re.findall(r"\bfrom_\w+", text)}
    assert named and named <= set(traces.__all__)
