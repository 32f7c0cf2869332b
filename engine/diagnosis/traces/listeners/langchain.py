"""A callback handler for LangChain 1.x: hand it to a chain or an agent, and each run becomes a trace.

It follows langchain-core's callbacks (``BaseCallbackHandler``), which chains of one's own (LCEL), ``langchain_classic``
chains, LangGraph and agents all call. Documents come from retrievers, and from tools that return them as artifacts.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from engine.diagnosis.traces.adapters import (
    ANSWER_KEYS,
    CONTEXT_KEYS,
    QUESTION_KEYS,
    TraceObject,
    passage_of,
    text_of,
)
from engine.diagnosis.traces.listeners.seen_runs import SeenRuns
from engine.diagnosis.traces.replies import Written, told_reply


class LangChainListener(BaseCallbackHandler):  # type: ignore[misc]  # the package is optional
    """Keeps every run of a chain as a trace: ``chain.invoke(question, config={"callbacks": [listener]})``."""

    run_inline = True  # in order, also where the chain is asynchronous

    def __init__(self, written_by: str = "", on_trace: Callable[[TraceObject], None] | None = None) -> None:
        self.seen = SeenRuns("LangChain", written_by, on_trace)

    def __deepcopy__(self, memo: Any) -> "LangChainListener":
        """Return itself: LangGraph copies a configuration with its callbacks."""
        return self

    @property
    def traces(self) -> list[TraceObject]:
        """The traces so far, oldest first."""
        return self.seen.traces

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note a chain and, where it is the root, its question."""
        self.seen.begin(str(run_id), key_of(parent_run_id), question_in(inputs))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what a chain returned; with the root the run is over."""
        self.seen.end(str(run_id), answer_in(outputs), map(passage_of, documents_in(outputs)))

    def on_retriever_start(
        self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note what a retriever is asked."""
        self.seen.begin(str(run_id), key_of(parent_run_id))
        self.seen.ask(str(run_id), query)

    def on_retriever_end(self, documents: Sequence[Any], *, run_id: UUID, **kwargs: Any) -> None:
        """Note what a retriever found."""
        self.seen.find(str(run_id), map(passage_of, documents))
        self.seen.end(str(run_id))

    def on_tool_start(
        self, serialized: Any, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note a tool: it may retrieve."""
        self.seen.begin(str(run_id), key_of(parent_run_id))

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note the documents that a tool returned beside its text."""
        found = getattr(output, "artifact", None)
        if isinstance(found, list) and found and all(hasattr(one, "page_content") for one in found):
            self.seen.find(str(run_id), map(passage_of, found))
        self.seen.end(str(run_id))

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note a chat model; asked by itself, the last message is the question."""
        self.seen.begin(
            str(run_id), key_of(parent_run_id), text_of(messages[0][-1]) if messages and messages[0] else ""
        )

    def on_llm_start(
        self, serialized: Any, prompts: list[str], *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note a model that completes texts."""
        self.seen.begin(str(run_id), key_of(parent_run_id), prompts[0] if prompts else "")

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what a model wrote."""
        self.seen.write(str(run_id), written_in(response))
        self.seen.end(str(run_id))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Note that a step failed."""
        self.seen.fail(str(run_id), error)

    on_llm_error = on_retriever_error = on_tool_error = on_chain_error


def key_of(run_id: UUID | None) -> str:
    """Return the name of a step, "" for none."""
    return "" if run_id is None else str(run_id)


def question_in(inputs: Any) -> str:
    """Return the question in a chain's input: the text, its field, or the user's last message; "" where none is."""
    if isinstance(inputs, str):
        return inputs
    if isinstance(inputs, Mapping):
        asked = next((inputs[key] for key in QUESTION_KEYS if isinstance(inputs.get(key), str)), "")
        return asked or message_text(inputs.get("messages"), "human")
    return message_text(inputs, "human")


def answer_in(outputs: Any) -> str:
    """Return the answer in a chain's output: the text, a message, its field, or the last message; "" where none is."""
    if isinstance(outputs, str):
        return outputs
    if isinstance(outputs, Mapping):
        found = next((outputs[key] for key in ANSWER_KEYS if outputs.get(key)), "")
        said = text_of(found) if isinstance(found, str) or hasattr(found, "content") else ""
        return said or message_text(outputs.get("messages"), "ai")
    return text_of(outputs) if hasattr(outputs, "content") else message_text(outputs, "ai")


def documents_in(outputs: Any) -> list[Any]:
    """Return the documents that a chain returns as its passages, [] where it returns none."""
    if not isinstance(outputs, Mapping):
        return []
    listed = (outputs[key] for key in CONTEXT_KEYS if isinstance(outputs.get(key), list))
    return next((found for found in listed if found and all(hasattr(one, "page_content") for one in found)), [])


def message_text(messages: Any, kind: str) -> str:
    """Return the text of the last message of a kind ("human", "ai"), also where it stands as a pair or an object."""
    names = {"human": ("human", "user"), "ai": ("ai", "assistant")}[kind]
    for one in reversed(messages if isinstance(messages, list | tuple) else []):
        said, of = getattr(one, "content", None), getattr(one, "type", "")
        if isinstance(one, Mapping):
            said, of = one.get("content"), str(one.get("role") or one.get("type") or "")
        elif isinstance(one, tuple) and len(one) == 2:
            of, said = str(one[0]), one[1]
        if of in names and said:
            return text_of(said)
    return ""


def written_in(response: Any) -> Written:
    """Return what an ``LLMResult`` holds: text, model, log-probabilities in the form of a chat completion."""
    generation = response.generations[0][0]
    message = getattr(generation, "message", None)
    text = generation.text if message is None else text_of(message)
    beside = (getattr(message, "response_metadata", None), getattr(generation, "generation_info", None))
    return told_reply(text, *beside, response.llm_output)
