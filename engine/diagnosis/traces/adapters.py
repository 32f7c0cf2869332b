"""What frameworks return, as traces: LangChain, LlamaIndex, Haystack, DSPy, Ragas rows, OpenAI chat completions.

Each function takes the framework's own result and returns the object to save with ``json.dump`` or to give to
``read_trace``. No framework is imported: only the fields and attributes named here are looked at.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.core.errors import RecordError
from engine.core.settings import MOST_PASSAGES
from engine.core.told_tokens import fitted_texts, never_below
from engine.diagnosis.traces.replies import is_said
from engine.diagnosis.traces.schema import cut_note

TraceObject = dict[str, Any]
QUESTION_KEYS = "input question query user_input".split()
CONTEXT_KEYS = "context source_documents documents docs".split()
ANSWER_KEYS = "answer result output text response".split()


def from_langchain(
    result: Any, written_by: str, question: str = "", documents: Sequence[Any] | None = None
) -> TraceObject:
    """Return a LangChain result as a trace: of ``create_retrieval_chain``, ``RetrievalQA``, or a chain of one's own.

    ``result`` holds the documents under ``context``, ``source_documents`` or ``documents``, the answer (a text or a
    message) under ``answer``, ``result`` or ``output``, and the question under ``input``, ``question`` or ``query``,
    unless they are given. A chain that returns only its answer (a text or a message) needs both ``question`` and
    ``documents``; ``listen_to_langchain`` sees them by itself. Raises RecordError that names what is missing.

    >>> made = from_langchain("The Danube", "gpt", question="Which river?", documents=["It lies on the Danube."])
    >>> made["answer"]["text"], [one["text"] for one in made["passages"]]
    ('The Danube', ['It lies on the Danube.'])
    """
    if not isinstance(result, Mapping):
        result = {"answer": result}
    asked = question or text_of(first_of(result, QUESTION_KEYS, "question"))
    found = first_of(result, CONTEXT_KEYS, "passages") if documents is None else documents
    return trace_object(
        question=asked,
        passages=map(passage_of, [found] if isinstance(found, str) else found),
        answer=text_of(first_of(result, ANSWER_KEYS, "answer")),
        written_by=written_by,
        pipeline="LangChain",
    )


def from_llamaindex(question: str, response: Any, written_by: str) -> TraceObject:
    """Return a LlamaIndex response with ``source_nodes`` as a trace."""
    return trace_object(
        question=question,
        passages=(
            passage(found.node.get_content(), found.node.metadata, found.score) for found in response.source_nodes
        ),
        answer=str(response.response),
        written_by=written_by,
        pipeline="LlamaIndex",
    )


def from_haystack(
    question: str, result: Mapping[str, Any], written_by: str, retriever: str = "retriever", generator: str = "llm"
) -> TraceObject:
    """Return what a Haystack pipeline gives with ``include_outputs_from={"retriever"}`` as a trace.

    Raises RecordError where a component's output is not there.
    """
    for name in (retriever, generator):
        if name not in result:
            raise RecordError(f"The result has no output of {name!r}; it has {', '.join(map(str, result))}.")
    reply = result[generator]["replies"][0]
    return trace_object(
        question=question,
        passages=(passage(one.content, one.meta, one.score) for one in result[retriever]["documents"]),
        answer=str(getattr(reply, "text", reply)),
        written_by=written_by,
        pipeline="Haystack",
    )


def from_dspy(question: str, prediction: Any, written_by: str) -> TraceObject:
    """Return a ``dspy.Prediction`` with ``context`` and ``response`` (or ``answer``) as a trace."""
    answer = getattr(prediction, "response", None) or prediction.answer
    return trace_object(
        question=question,
        passages=map(passage_of, prediction.context),
        answer=str(answer),
        written_by=written_by,
        pipeline="DSPy",
    )


def from_ragas(row: Mapping[str, Any], written_by: str) -> TraceObject:
    """Return a single-turn row of a Ragas dataset as a trace."""
    golds = [row["reference"]] if row.get("reference") else []
    return trace_object(
        question=row["user_input"],
        passages=map(passage_of, row["retrieved_contexts"]),
        answer=row["response"],
        written_by=written_by,
        pipeline="Ragas dataset",
        golds=golds,
    )


def from_openai(
    question: str,
    passages: Sequence[Any],
    completion: Mapping[str, Any],
    golds: Sequence[str] = (),
    vocabulary: int | None = None,
) -> TraceObject:
    """Return a chat completion (``completion.model_dump()``) as a trace, with its log-probabilities where it has some.

    ``passages`` are texts, objects with ``text`` and ``title``, or documents of a framework.
    """
    choice = completion["choices"][0]
    said = choice["message"]["content"]
    content = (choice.get("logprobs") or {}).get("content") or []
    made = trace_object(
        question=question,
        passages=map(passage_of, passages),
        answer=said,
        written_by=completion["model"],
        pipeline="OpenAI chat completions",
        golds=golds,
    )
    made["answer"] |= {
        "tokens": token_objects(content, said if isinstance(said, str) else ""),
        "stop_reason": "length" if choice.get("finish_reason") == "length" else "end",
    }
    return made if vocabulary is None else made | {"vocabulary": vocabulary}


# A character has at most 4 bytes, and a token of a character's part may hold whole ones too.
MOST_CHARACTER_BYTES = 1024


def token_objects(content: Iterable[Mapping[str, Any]], written: str = "") -> list[TraceObject]:
    """Return a chat completion's tokens as those of a trace; ``written`` is the text that they spell.

    A token that is part of a character has no text of its own: it is joined to the next one, their log-probabilities
    are summed, and the alternatives of that place are left out. Where the answer ends inside a character, its parts are
    one token with the sign that stands for it in the answer. Where no bytes tell which tokens are parts, each stays a
    token, and the last one carries the character. A log-probability below ``NEVER`` is that. Raises KeyError,
    OverflowError, TypeError or ValueError where something is of another kind.
    """
    tokens: list[TraceObject] = []
    raw, logprob = b"", 0.0
    for one in content:
        joined = bool(raw)
        raw += token_bytes(one)
        logprob += never_below(float(one["logprob"]))
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            if len(raw) > MOST_CHARACTER_BYTES:
                raise ValueError("The bytes of several tokens together are no text.") from None
            continue
        top = [] if joined else one.get("top_logprobs") or []
        others = [{"text": other["token"], "logprob": never_below(float(other["logprob"]))} for other in top]
        tokens.append({"text": text, "logprob": logprob, "top": others})
        raw, logprob = b"", 0.0
    if raw:
        tokens.append({"text": raw.decode(errors="replace"), "logprob": logprob, "top": []})
    texts = fitted_texts([token["text"] for token in tokens], written)
    return [token | {"text": text} for token, text in zip(tokens, texts, strict=True)]


def token_bytes(one: Mapping[str, Any]) -> bytes:
    """Return the bytes of a chat completion's token: those it lists, else its text's. Raises ValueError for others."""
    listed = one.get("bytes")
    if not listed:
        return str(one["token"]).encode()
    # A number here would be a length: bytes(200_000_000) is 200 MB of zeros.
    if not isinstance(listed, list | tuple) or not all(type(part) is int and 0 <= part <= 255 for part in listed):
        raise ValueError("the bytes of a token are a list of whole numbers from 0 to 255")
    return bytes(listed)


def trace_object(
    *,
    question: str,
    passages: Iterable[TraceObject],
    answer: str,
    written_by: str,
    pipeline: str,
    golds: Sequence[str] = (),
) -> TraceObject:
    """Return the object of a trace; empty passages are left out, and those beyond the twentieth with a note."""
    given = [one for one in passages if one["text"].strip()]
    made: TraceObject = {
        "trace_version": 1,
        "question": question,
        "passages": given[:MOST_PASSAGES],
        "answer": {"text": answer, "written_by": written_by},
        "pipeline": pipeline,
    }
    if len(given) > MOST_PASSAGES:
        made["notes"] = [cut_note(len(given))]
    return made | ({"golds": list(golds)} if golds else {})


def distinct(found: Iterable[TraceObject]) -> list[TraceObject]:
    """Return the passages in order, each text once."""
    seen: dict[str, TraceObject] = {}
    for one in found:
        seen.setdefault(one["text"], one)
    return list(seen.values())


def passage_of(found: Any) -> TraceObject:
    """Return a passage: of a text, an object with ``text``, or a document with ``page_content`` or ``content``."""
    if isinstance(found, str):
        return passage(found, {}, None)
    if isinstance(found, Mapping):
        text = found.get("text") or found.get("page_content") or found.get("content") or ""
        metadata = found.get("metadata")
        beside = metadata if metadata and isinstance(metadata, Mapping) else found
        return passage(str(text), beside, found.get("score"))
    text = getattr(found, "page_content", None) or getattr(found, "content", None) or ""
    metadata = getattr(found, "metadata", None) or getattr(found, "meta", None) or {}
    return passage(str(text), metadata, getattr(found, "score", None))


def passage(text: str, metadata: Any, score: Any) -> TraceObject:
    """Return a passage of a trace; its title and source stand in the metadata, if anywhere, where it is a mapping."""
    held = metadata if isinstance(metadata, Mapping) else {}
    source = next((held[key] for key in ("source", "file_name", "file_path", "url") if held.get(key)), "")
    named = {"title": str(held.get("title") or ""), "source": str(source), "score": as_score(score)}
    return {"text": text} | {key: value for key, value in named.items() if value not in ("", None)}


def as_score(value: Any) -> float | None:
    """Return a retriever's score as a finite number, None for whatever is none.

    >>> as_score("0.5"), as_score(10**400), as_score("high"), as_score({})
    (0.5, None, None, None)
    """
    try:
        score = float(value)
    except (OverflowError, TypeError, ValueError):
        return None
    return score if math.isfinite(score) else None


def first_of(result: Mapping[str, Any], keys: Sequence[str], what: str) -> Any:
    """Return the first of these fields that is there. Raises RecordError that names what there is."""
    for key in keys:
        if result.get(key):
            return result[key]
    there = ", ".join(map(str, result))
    raise RecordError(f"The result has no {what}: none of {', '.join(keys)} is filled. It has {there}.")


def text_of(value: Any) -> str:
    """Return a text, a message's content, or the text parts of a message's content without hidden thoughts."""
    content = getattr(value, "content", value)
    if isinstance(content, list):
        said = (part for part in content if is_said(part))
        return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in said)
    return str(content)
