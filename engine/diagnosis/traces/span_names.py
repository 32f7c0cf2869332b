"""Other names for the same: Langfuse's observations and OpenTelemetry's messages under the names of OpenInference.

Langfuse's SDK (3 and later) writes OpenTelemetry spans with ``langfuse.observation.type``, ``.input`` and ``.output``,
the last two as JSON where they are no text; its interface hands the same out as observations. A retriever's output is a
list of documents, in whichever form the pipeline had them. OpenTelemetry's own conventions hold a whole conversation as
JSON (``gen_ai.input.messages``).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.diagnosis.traces.replies import parsed, text_in

Attributes = dict[str, Any]
KIND = "openinference.span.kind"
OBSERVATION = "langfuse.observation."
MODEL_FIELDS = "model providedModelName provided_model_name".split()
QUESTION_FIELDS = "input question query user_input query_str".split()
ANSWER_FIELDS = "answer result output text response".split()
LIST_FIELDS = "documents context contexts nodes results passages source_documents matches hits".split()
TEXT_FIELDS = "page_content content text document passage".split()
METADATA_FIELDS = "metadata meta".split()
MESSAGES = {"gen_ai.input.messages": "gen_ai.prompt", "gen_ai.output.messages": "gen_ai.completion"}


def with_openinference_names(attributes: Attributes) -> Attributes:
    """Return the attributes with OpenInference's names beside their own, where those are Langfuse's or messages."""
    made = dict(attributes)
    for name, start in MESSAGES.items():
        for place, (role, text) in enumerate(messages_in(attributes.get(name))):
            made |= {f"{start}.{place}.role": role, f"{start}.{place}.content": text}
    if f"{OBSERVATION}type" not in attributes or KIND in attributes:
        return made
    kind = str(attributes[f"{OBSERVATION}type"]).upper()
    made[KIND] = "LLM" if kind == "GENERATION" else kind
    made |= {"input.value": asked_in(value)} if (value := attributes.get(f"{OBSERVATION}input")) else {}
    made |= {"output.value": value} if (value := attributes.get(f"{OBSERVATION}output")) else {}
    if kind == "GENERATION":
        return made | generation_names(attributes)
    return made | (document_names(str(made.get("output.value", ""))) if kind == "RETRIEVER" else {})


def observation_attributes(one: Mapping[str, Any]) -> Attributes:
    """Return an observation of Langfuse's interface as the attributes that its SDK writes."""
    model = next((one[name] for name in MODEL_FIELDS if isinstance(one.get(name), str)), None)
    held = {"type": str(one["type"]).lower(), "model.name": model}
    held |= {name: as_attribute(one.get(name)) for name in ("input", "output")}
    return {f"{OBSERVATION}{name}": value for name, value in held.items() if value}


def as_attribute(value: Any) -> str:
    """Return an input or output as its attribute: a text as it is, anything else as JSON, "" for nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def generation_names(attributes: Attributes) -> Attributes:
    """Return model, messages and answer of a generation; a raw reply stays where it is, with its log-probabilities."""
    made: Attributes = {}
    if model := attributes.get(f"{OBSERVATION}model.name"):
        made["llm.model_name"] = model
    for place, (role, text) in enumerate(messages_in(attributes.get(f"{OBSERVATION}input"))):
        made |= {f"llm.input_messages.{place}.message.role": role, f"llm.input_messages.{place}.message.content": text}
    for place, text in enumerate(written_in(str(attributes.get(f"{OBSERVATION}output", "")))):
        made[f"llm.output_messages.{place}.message.content"] = text
    return made


def written_in(output: str) -> list[str]:
    """Return what a generation's output holds as messages, or in the field of its JSON for an answer; [] for others.

    >>> written_in('{"role": "assistant", "content": "Yes"}'), written_in('{"answer": "Yes"}'), written_in("Yes")
    (['Yes'], ['Yes'], [])
    """
    if messages := messages_in(output):
        return [text for _, text in messages]
    found = parsed(output)
    fields = found if isinstance(found, Mapping) else {}
    return [fields[name] for name in ANSWER_FIELDS if isinstance(fields.get(name), str)][:1]


def asked_in(value: Any) -> str:
    """Return an input as it is, or the question among the arguments of a decorated function.

    >>> asked_in('{"args": [], "kwargs": {"question": "Who?"}}'), asked_in('{"args": ["Who?", 3], "kwargs": {}}')
    ('Who?', 'Who?')
    """
    found = parsed(value) if isinstance(value, str) else None
    if not isinstance(found, Mapping) or found.keys() != {"args", "kwargs"}:
        return str(value)
    named = found["kwargs"] if isinstance(found["kwargs"], Mapping) else {}
    listed = found["args"] if isinstance(found["args"], list) else []
    asked = [*(named.get(key) for key in QUESTION_FIELDS), *listed, *named.values()]
    return next((one for one in asked if isinstance(one, str) and one.strip()), str(value))


def messages_in(value: Any) -> list[tuple[str, str]]:
    """Return (role, text) of the messages that an attribute holds as JSON, [] where it holds none.

    >>> messages_in('{"role": "user", "content": "Who?"}')
    [('user', 'Who?')]
    >>> messages_in('[{"role": "user", "parts": [{"type": "text", "content": "Who?"}]}]')
    [('user', 'Who?')]
    """
    found = parsed(value) if isinstance(value, str) and value.lstrip().startswith(("[", "{")) else value
    if isinstance(found, Mapping) and found.keys() == {"args", "kwargs"}:
        named, listed = found["kwargs"], found["args"]
        held = [*(listed if isinstance(listed, list) else ()), *(named.values() if isinstance(named, Mapping) else ())]
        found = next((one for one in held if isinstance(one, list)), [])
    if isinstance(found, Mapping):
        found = found["messages"] if isinstance(found.get("messages"), list) else [found]
    messages = (one for one in found if isinstance(one, Mapping) and "role" in one) if isinstance(found, list) else ()
    return [(str(one["role"]), text_in(one.get("content", one.get("parts")))) for one in messages]


def document_names(output: str) -> Attributes:
    """Return the documents of a retriever's output under OpenInference's names."""
    made: Attributes = {}
    for place, (text, metadata, score) in enumerate(documents_in(parsed(output))):
        start = f"retrieval.documents.{place}.document"
        made |= {f"{start}.content": text, f"{start}.metadata": json.dumps(metadata, default=str)}
        made |= {f"{start}.score": score} if isinstance(score, int | float) else {}
    return made


def documents_in(found: Any) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Yield (text, metadata, score) of the documents in a retriever's output: texts, objects, or pairs with a score."""
    if isinstance(found, Mapping):
        found = next((found[name] for name in LIST_FIELDS if isinstance(found.get(name), list)), [found])
    for one in found if isinstance(found, list) else ():
        score = None
        if isinstance(one, list) and len(one) == 2 and isinstance(one[1], int | float):  # LangChain's with scores
            one, score = one
        if isinstance(one, str):
            yield one, {}, score
        elif isinstance(one, Mapping):
            inner = one["node"] if isinstance(one.get("node"), Mapping) else one  # LlamaIndex's with scores
            text = next((inner[name] for name in TEXT_FIELDS if isinstance(inner.get(name), str)), "")
            beside = (inner[name] for name in METADATA_FIELDS if isinstance(inner.get(name), Mapping))
            metadata = next(beside, inner)
            yield text, metadata, one.get("score") if score is None else score
