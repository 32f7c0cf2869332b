"""The file another pipeline writes: a question, what it retrieved, what was answered, and how likely each token was.

One JSON object, described by ``trace_schema`` (JSON Schema) and docs/traces.md. What comes in is untrusted: unknown
keys, wrong types, NaN, over-long texts, half a file and other encodings are refused with the way to the place in the
file. Numbers are not converted: a log-probability in quotation marks is a mistake of the file.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pydantic_core
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from engine.core.errors import RecordError
from engine.core.json_text import fault_parts, json_kind, refuse_large_numbers
from engine.core.records import Passage
from engine.core.settings import MOST_PASSAGES

LARGEST_TRACE = 16 * 2**20
MOST_TOKENS = 8192
MOST_ALTERNATIVES = 100
# A server may round a probability of 1 to a log-probability a little above 0.
ROUNDING = 1e-3
DISAGREEMENT = 0.01
# What stands for a model that a framework does not name.
UNNAMED = "not told"
# What is said where a framework's own result came in place of a trace.
NO_TEXT = " It must be one text: of a conversation, its last question."
RAW_RESULT = " If it is a framework's own result, make a trace of it first: see from_langchain in docs/traces.md."

CUT_NOTE = re.compile(r"The pipeline gave \d+ passages; the first \d+ of them are kept\.")

Line = Annotated[str, Field(max_length=4_000)]
Words = Annotated[str, Field(max_length=200_000)]
Logprob = Annotated[float, Field(le=ROUNDING, allow_inf_nan=False, description="Natural logarithm, at most 0.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One of the likeliest tokens at a place, and its log-probability in nats."""

    text: Line
    logprob: Logprob


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceToken:
    """One token of the answer.

    ``top`` holds the likeliest tokens at this place, the written one among them where it is one: entropies are then
    known within bounds. ``entropy`` in nats where the pipeline knows the whole distribution: then it is exact.
    """

    text: Line
    logprob: Logprob
    top: Annotated[tuple[Alternative, ...], Field(max_length=MOST_ALTERNATIVES)] = ()
    entropy: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceAnswer:
    """The answer as it was written, and by whom. ``tokens`` spell it; () where no probabilities are known.

    ``written_by`` names the model, as its maker does. ``stop_reason`` "length": it was cut off.
    """

    text: Words
    written_by: Annotated[str, Field(min_length=1, max_length=200)]
    tokens: Annotated[tuple[TraceToken, ...], Field(max_length=MOST_TOKENS)] = ()
    stop_reason: Literal["end", "length", "not told"] = "not told"


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePassage:
    """A passage as the pipeline read it; ``score`` by its retriever, higher = better, None where there is none."""

    text: Annotated[str, Field(min_length=1, max_length=200_000)]
    title: Line = ""
    source: Line = ""
    score: Annotated[float, Field(allow_inf_nan=False)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One question through another pipeline.

    ``golds`` are answers that count as right. ``pipeline`` names the program and its version. ``vocabulary`` is how
    many tokens the model knows, None where it is not known: bounds then hold for the largest in common use. ``notes``
    say what the trace leaves out of the run. ``trace_id`` and ``span_id`` are those of OpenTelemetry, "" where there
    are none: scores go back under them.
    """

    trace_version: Literal[1] = 1
    question: Annotated[str, Field(min_length=1, max_length=4_000)]
    passages: Annotated[tuple[TracePassage, ...], Field(max_length=MOST_PASSAGES)] = ()
    answer: TraceAnswer
    golds: Annotated[tuple[Line, ...], Field(max_length=100)] = ()
    pipeline: Annotated[str, Field(max_length=200)] = ""
    prompt: Words = ""
    vocabulary: Annotated[int, Field(ge=2, le=10_000_000)] | None = None
    notes: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    trace_id: Annotated[str, Field(max_length=100)] = ""
    span_id: Annotated[str, Field(max_length=100)] = ""


STRICT = ConfigDict(extra="forbid", strict=True)
# Inside a tuple, because pydantic hands the configuration down to plain dataclasses only from a container.
TRACE: TypeAdapter[tuple[Trace]] = TypeAdapter(tuple[Trace], config=STRICT)


def trace_schema() -> str:
    """Return the JSON Schema of a trace, as indented JSON."""
    wrapped = TRACE.json_schema()
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A trace for Retrieval Microscope",
        **wrapped["$defs"].pop("Trace"),
        "$defs": wrapped["$defs"],
    }
    schema["title"] = "A trace for Retrieval Microscope"
    return json.dumps(schema, indent=2, ensure_ascii=False)


def read_trace(content: bytes | str) -> Trace:
    """Return the trace a file holds. Raises RecordError that names the place in the file where it cannot be read."""
    text = as_text(content)
    if len(text) > LARGEST_TRACE:
        raise RecordError(f"This trace is too large: {len(text):,} characters, at most {LARGEST_TRACE:,} are read.")
    try:
        fields = pydantic_core.from_json(text)
    except (ValueError, TypeError) as exc:  # TypeError: half a letter
        raise RecordError(f"This trace is not complete JSON: {exc}.") from exc
    refuse_large_numbers(fields, "trace")
    if not isinstance(fields, dict):
        raise RecordError(f"This trace is not a JSON object but {json_kind(fields)}.")
    try:
        # As JSON again: in strict mode a list is a tuple only there.
        trace = TRACE.validate_json(f"[{with_first_passages(fields) or text}]")[0]
    except ValidationError as exc:
        hint = "" if isinstance(fields.get("answer"), dict) else RAW_RESULT
        hint = NO_TEXT if isinstance(fields.get("question"), list | dict) else hint
        raise RecordError(f"This trace cannot be read: {first_fault(exc)}{hint}") from exc
    refuse_other_text(trace)
    refuse_other_numbers(trace)
    return trace


def with_first_passages(fields: dict[str, Any]) -> str:
    """Return a trace's JSON with its first twenty passages and a note of how many there were; "" where it has no more.

    What belongs to no trace stays for the check that follows.
    """
    given, notes = fields.get("passages"), fields.get("notes", [])
    if not isinstance(given, list) or len(given) <= MOST_PASSAGES or not isinstance(notes, list):
        return ""
    cut = {"passages": given[:MOST_PASSAGES], "notes": [*notes, cut_note(len(given))]}
    return pydantic_core.to_json(fields | cut, inf_nan_mode="constants").decode()


def cut_note(given: int) -> str:
    """Return the note of a trace that holds fewer passages than its pipeline gave."""
    return f"The pipeline gave {given} passages; the first {MOST_PASSAGES} of them are kept."


def is_cut(notes: Sequence[str]) -> bool:
    """Return whether a trace's notes say that passages were left out of it."""
    return any(CUT_NOTE.fullmatch(note) for note in notes)


def as_text(content: bytes | str) -> str:
    """Return a file's content as text, without a byte-order mark. Raises RecordError where it is no UTF-8."""
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise RecordError(
            f"This trace is not UTF-8 text: byte {exc.start + 1} cannot be read. Save the file as UTF-8."
        ) from exc


def first_fault(error: ValidationError) -> str:
    """Return where the first fault is and what is wrong there: "answer.tokens.3.logprob: …"."""
    place, message = fault_parts(error, above=1)
    return f"{place or 'the object'}: {message}."


def refuse_other_text(trace: Trace) -> None:
    """Raise RecordError where the tokens spell another text than the answer's, or its text is nothing at all.

    White space around either does not count: servers differ in it.
    """
    if not trace.question.strip():
        raise RecordError("This trace cannot be read: question: it is empty.")
    spelt, said = "".join(token.text for token in trace.answer.tokens).strip(), trace.answer.text.strip()
    if not trace.answer.tokens or spelt == said:
        return
    place = next((i for i, (a, b) in enumerate(zip(spelt, said, strict=False)) if a != b), min(len(spelt), len(said)))
    raise RecordError(
        "This trace cannot be read: answer.tokens: they spell another text than answer.text, from character "
        f"{place + 1} on ({spelt[place : place + 20]!r} is not {said[place : place + 20]!r})."
    )


def refuse_other_numbers(trace: Trace) -> None:
    """Raise RecordError where a written token has another log-probability among the likeliest than its own."""
    for place, token in enumerate(trace.answer.tokens):
        twins = [one.logprob for one in token.top if one.text == token.text]
        if twins and all(abs(twin - token.logprob) > DISAGREEMENT for twin in twins):
            raise RecordError(
                f"This trace cannot be read: answer.tokens.{place}.top: it gives {token.text!r} the log-probability "
                f"{twins[0]:g}, the token itself has {token.logprob:g}."
            )


def passages_of(trace: Trace) -> tuple[Passage, ...]:
    """Return the trace's passages as this program reads passages."""
    return tuple(
        Passage(text=passage.text, title=passage.title, source=passage.source, end=len(passage.text))
        for passage in trace.passages
    )
