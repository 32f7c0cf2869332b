"""What a language model wrote, from its raw reply as spans and frameworks keep it.

Three forms are read: a chat completion (``choices``), LangChain's result (``generations``) and Haystack's component
output (``replies``). Log-probabilities keep the form of a chat completion.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Parts of a message that are no part of what it says: hidden thoughts, calls of tools and what these returned. The
# names are those of OpenTelemetry, OpenAI, Anthropic, LangChain and Vercel's AI SDK.
UNSAID = frozenset(
    "reasoning reasoning_text summary_text thinking redacted_thinking thought tool_call tool_call_response tool_use "
    "tool_result server_tool_use server_tool_call server_tool_call_response server_tool_result web_search_tool_result "
    "function_call function_call_output invalid_tool_call".split()
)

# How an object begins, and a list of objects, texts or calls, as JSON and as Python prints them, even cut off.
HELD_DATA = re.compile(r"""\s*(?:\{|\[\s*(?:[{"'\]]|\w+\())""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a language model wrote at one step: text, model ("" where it has no name), tokens as of a chat completion.

    ``finish`` is why it ended, as the model's server says it ("stop", "length", …), "" where it does not.
    """

    text: str
    model: str = ""
    content: tuple[Mapping[str, Any], ...] = ()
    finish: str = ""

    @property
    def stop_reason(self) -> str:
        """Why it ended, in the words of a trace."""
        if not self.finish:
            return "not told"
        return "length" if self.finish in ("length", "max_tokens", "MAX_TOKENS") else "end"


def reply_in(output: str) -> Written | None:
    """Return the reply that an output holds as JSON, None for any other output.

    >>> reply_in('{"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}], "model": "m"}')
    Written(text='Yes', model='m', content=(), finish='stop')
    """
    found = parsed(output)
    if not isinstance(found, Mapping):
        return None
    return completion_reply(found) or langchain_reply(found) or haystack_reply(found)


def completion_reply(found: Mapping[str, Any]) -> Written | None:
    """Return the first choice of a chat or text completion, None where there is none."""
    choice = first_object(found.get("choices"))
    if not choice:
        return None
    said = choice.get("message")
    text = text_in(said.get("content")) if isinstance(said, Mapping) else str(choice.get("text") or "")
    return told_reply(text, choice, found)


def langchain_reply(found: Mapping[str, Any]) -> Written | None:
    """Return the first generation of a LangChain result, None where there is none."""
    batch = found.get("generations")
    generation = first_object(batch[0] if isinstance(batch, list) and batch else None)
    if not generation:
        return None
    message = generation.get("message")
    held = message.get("kwargs") or message.get("data") or message if isinstance(message, Mapping) else {}
    given = held.get("response_metadata") if isinstance(held, Mapping) else None
    beside = (given, generation.get("generation_info"), found.get("llm_output"))
    return told_reply(str(generation.get("text") or ""), *beside)


def haystack_reply(found: Mapping[str, Any]) -> Written | None:
    """Return the first reply of a Haystack generator, None where there is none or it stands in another form."""
    replies = found.get("replies")
    if not isinstance(replies, list) or not replies or not isinstance(replies[0], str):
        return None
    return told_reply(replies[0], first_object(found.get("meta")))


def told_reply(text: str, *told: Any) -> Written:
    """Return a reply with what the data beside it tell: the first of them that has a field has its say."""
    given = [one for one in told if isinstance(one, Mapping)]

    def first(*names: str) -> Any:
        return next((one[name] for one in given for name in names if one.get(name)), None)

    logprobs = first("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    return Written(
        text=text,
        model=str(first("model_name", "model") or ""),
        content=tuple(one for one in content if isinstance(one, Mapping)) if isinstance(content, list | tuple) else (),
        finish=str(first("finish_reason", "stop_reason") or ""),
    )


def is_said(part: Any) -> bool:
    """Return whether a part of a message is part of what it says; Gemini marks a thought beside its text.

    >>> [is_said(part) for part in ({"text": "Yes"}, {"type": "tool-call"}, {"text": "Hm", "thought": True})]
    [True, False, False]
    """
    if not isinstance(part, Mapping):
        return True
    kind = str(part.get("type") or "").lower().replace("-", "_")
    return kind not in UNSAID and part.get("thought") is not True


def text_in(content: Any) -> str:
    """Return a message's text: itself, or the parts of it that are said, together."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    said = (one for one in content if is_said(one))
    parts = (one.get("text") or one.get("content") if isinstance(one, Mapping) else one for one in said)
    return "".join(one for one in parts if isinstance(one, str))


def is_data(text: str) -> bool:
    """Return whether an input or output holds an object or a list; words behind a bracket are none.

    >>> [is_data(text) for text in ('{"query": "Who?"}', '[{"role": "us', "[1, 2]", "[1] Paris", "[2024] Who won?")]
    [True, True, True, False, False]
    """
    return HELD_DATA.match(text) is not None or isinstance(parsed(text), list)


def first_object(value: Any) -> Mapping[str, Any]:
    """Return the first entry of a list where it is an object, {} for anything else."""
    return value[0] if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping) else {}


def parsed(text: str) -> Any:
    """Return the value of JSON text, None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
