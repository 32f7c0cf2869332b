"""Raw replies of models and results of frameworks, in the forms they have there, without any of these installed."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from engine.core.errors import RecordError
from engine.diagnosis.traces.adapters import (
    from_dspy,
    from_haystack,
    from_langchain,
    from_llamaindex,
    from_openai,
    from_ragas,
    passage_of,
)
from engine.diagnosis.traces.replies import reply_in

TOKENS = {"content": [{"token": "Yes", "logprob": -0.5}, "no token"]}
TOLD = {"model_name": "m", "finish_reason": "stop", "logprobs": TOKENS}
METADATA = {"response_metadata": TOLD}


@pytest.mark.parametrize(
    ("output", "text", "model", "tokens", "stopped"),
    [
        ({"choices": [{"text": "Yes", "finish_reason": "length"}], "model": "m"}, "Yes", "m", 0, "length"),
        ({"choices": [{"text": None}]}, "", "", 0, "not told"),
        ({"choices": [{"message": {"content": "Yes"}, "logprobs": TOKENS}]}, "Yes", "", 1, "not told"),
        (
            {"choices": [{"message": {"content": ["Y", {"type": "thinking", "text": "Hm"}, {"text": "es"}]}}]},
            "Yes", "", 0, "not told",
        ),
        ({"choices": [{"message": {"content": "Yes"}, "stop_reason": "MAX_TOKENS"}]}, "Yes", "", 0, "length"),
        ({"generations": [[{"text": "Yes", "message": {"kwargs": METADATA}}]]}, "Yes", "m", 1, "end"),
        ({"generations": [[{"text": "Yes", "message": {"data": METADATA}}]]}, "Yes", "m", 1, "end"),
        ({"generations": [[{"text": "Yes", "message": METADATA}]]}, "Yes", "m", 1, "end"),
        (
            {"generations": [[{"text": "Yes", "generation_info": {"finish_reason": "length"}, "message": "x"}]],
             "llm_output": {"model_name": "other", "finish_reason": "stop"}},
            "Yes", "other", 0, "length",
        ),
        ({"generations": [[{"text": None, "generation_info": TOLD}]]}, "", "m", 1, "end"),
        ({"replies": ["Yes", "No"], "meta": [{"model": "m", "finish_reason": "max_tokens"}]}, "Yes", "m", 0, "length"),
    ],
)  # fmt: skip
def test_a_raw_reply_is_read_in_each_of_its_forms(
    output: dict[str, Any], text: str, model: str, tokens: int, stopped: str
) -> None:
    found = reply_in(f" {json.dumps(output)}")
    assert found is not None
    assert (found.text, found.model, len(found.content), found.stop_reason) == (text, model, tokens, stopped)


@pytest.mark.parametrize(
    "output",
    ["", "Yes", "[1]", "{", "{}", '{"choices": []}', '{"choices": ["Yes"]}', '{"generations": [[]]}',
     '{"generations": []}', '{"generations": {"0": 1}}', '{"replies": []}', '{"replies": [{"text": "Yes"}]}',
     '{"replies": "Yes"}'],
)  # fmt: skip
def test_other_outputs_hold_no_reply(output: str) -> None:
    assert reply_in(output) is None


DOCUMENT = SimpleNamespace(page_content="It lies on the Danube.", metadata={"title": "Vienna", "source": "v.txt"})
READ = {"text": "It lies on the Danube.", "title": "Vienna", "source": "v.txt"}


def test_what_frameworks_return_is_a_trace() -> None:
    said = SimpleNamespace(content=["The ", {"type": "reasoning", "text": "Hm"}, {"text": "Danube"}])
    chained = from_langchain({"input": "Which?", "context": [DOCUMENT], "answer": said}, "m")
    node = SimpleNamespace(get_content=lambda: READ["text"], metadata=DOCUMENT.metadata)
    answered = SimpleNamespace(source_nodes=[SimpleNamespace(node=node, score=0.5)], response="The Danube")
    indexed = from_llamaindex("Which?", answered, "m")
    held = SimpleNamespace(content=READ["text"], meta=DOCUMENT.metadata, score=0.5)
    reply = SimpleNamespace(text="The Danube")
    stacked = from_haystack("Which?", {"retriever": {"documents": [held]}, "llm": {"replies": [reply, "No"]}}, "m")
    predicted = from_dspy("Which?", SimpleNamespace(context=[READ["text"]], response="The Danube"), "m")
    row = {
        "user_input": "Which?",
        "retrieved_contexts": [READ["text"]],
        "response": "The Danube",
        "reference": "Danube",
    }
    rated = from_ragas(row, "m")
    bare = {"text": READ["text"]}
    passages = [[READ], [READ | {"score": 0.5}], [READ | {"score": 0.5}], [bare], [bare]]
    made = [chained, indexed, stacked, predicted, rated]
    assert [one["passages"] for one in made] == passages
    assert {(one["question"], one["answer"]["text"], one["answer"]["written_by"]) for one in made} == {
        ("Which?", "The Danube", "m")
    }
    assert rated["golds"] == ["Danube"] and "golds" not in from_ragas(row | {"reference": None}, "m")
    assert from_dspy("Which?", SimpleNamespace(context=[], response="", answer="Yes"), "m")["answer"]["text"] == "Yes"


def test_what_is_missing_in_a_result_is_named() -> None:
    with pytest.raises(RecordError, match="'llm'; it has retriever"):
        from_haystack("Which?", {"retriever": {"documents": []}}, "m")
    with pytest.raises(RecordError, match=r"no passages: none of context, source_documents.* It has question, answer"):
        from_langchain({"question": "Which?", "answer": "The Danube"}, "m")


def test_a_completion_says_why_it_ended_and_how_many_tokens_its_model_knows() -> None:
    choice = {"message": {"content": "Yes"}, "finish_reason": "length", "logprobs": None}
    made = from_openai("Which?", ["A.", " ", "B."], {"choices": [choice], "model": "m"}, ["Yes"], vocabulary=100)
    assert made["answer"] == {"text": "Yes", "written_by": "m", "tokens": [], "stop_reason": "length"}
    assert (made["vocabulary"], made["golds"], made["trace_version"]) == (100, ["Yes"], 1)
    assert made["passages"] == [{"text": "A."}, {"text": "B."}], "an empty passage is left out"
    ended = from_openai("Which?", [], {"choices": [choice | {"finish_reason": "stop"}], "model": "m"})
    assert ended["answer"]["stop_reason"] == "end" and "vocabulary" not in ended


@pytest.mark.parametrize(("given", "notes"), [(20, 0), (21, 1)])
def test_passages_beyond_the_twentieth_are_left_out_with_a_note(given: int, notes: int) -> None:
    made = from_langchain("Yes", "m", "Which?", [f"Passage {at}." for at in range(given)])
    assert len(made["passages"]) == 20 and len(made.get("notes", ())) == notes
    assert not notes or made["notes"] == ["The pipeline gave 21 passages; the first 20 of them are kept."]


@pytest.mark.parametrize(
    ("document", "read"),
    [
        ({"text": "A", "title": "T", "score": "0.5"}, {"text": "A", "title": "T", "score": 0.5}),
        ({"page_content": "A", "metadata": {"title": "T", "url": "u"}}, {"text": "A", "title": "T", "source": "u"}),
        ({"content": "A", "metadata": {}, "title": "T"}, {"text": "A", "title": "T"}),
        ({"metadata": None}, {"text": ""}),
        (SimpleNamespace(content="A", meta={"file_path": "p"}, score=float("inf")), {"text": "A", "source": "p"}),
        (SimpleNamespace(page_content=None, metadata="none"), {"text": ""}),
    ],
)
def test_a_document_is_a_passage_in_each_of_its_forms(document: object, read: dict[str, object]) -> None:
    assert passage_of(document) == read
