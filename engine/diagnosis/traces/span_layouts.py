"""The shapes in which tools hand out spans, each turned into one: ids, begin, and attributes under their full names.

- OTLP as JSON (``resourceSpans``), with the names of its JSON form or, as Phoenix gives it back, of its protobuf form.
- Spans as the OpenTelemetry SDK prints them, and as Phoenix's client and REST interface list them (``data``).
- A table of spans (``attributes.…`` as columns), by row or by column, as ``DataFrame.to_json`` writes it.
- Langfuse's observations, alone (``data``) or below their trace (``observations``).

What Langfuse and OpenTelemetry's ``gen_ai`` messages call by other names gets OpenInference's (``span_names``).
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from engine.diagnosis.traces.span_names import Attributes, observation_attributes, with_openinference_names

VALUES = "string int double bool".split()
LISTS = ("data", "spans", "observations")
LANGFUSE = "langfuse-sdk"
# No tool nests deeper or writes longer names; both bound what a small file can grow to.
DEEPEST, LONGEST_NAME = 50, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span: its ids ("" where it has none), when it began, and its attributes under their full names.

    ``scope`` names the instrumentation that wrote it, "" where that is not told.
    """

    trace_id: str
    span_id: str
    parent_id: str
    start: float
    attributes: Attributes
    scope: str = ""

    @property
    def kind(self) -> str:
        """What it is: "RETRIEVER", "LLM", "CHAIN" …, "" where it does not say."""
        named = str(self.attributes.get("openinference.span.kind", "")).upper()
        asks = any(name.startswith("gen_ai.") for name in self.attributes)
        return named or ("LLM" if asks else "")


def holds_spans(found: Any) -> bool:
    """Return whether a JSON value looks like spans in one of these shapes, and not like a trace of ours."""
    if not isinstance(found, Mapping):
        return isinstance(found, list)
    named = {"resourceSpans", "attributes"} & found.keys()
    return bool(named) or any(isinstance(found.get(name), list) for name in LISTS) or is_by_column(found)


def read_spans(found: Any) -> Iterator[Span]:
    """Yield the spans of any of the shapes; what is no span is passed over."""
    if not isinstance(found, Mapping):
        yield from (span_of(one) for one in objects(found))
    elif "resourceSpans" in found:
        yield from exported_spans(found)
    elif isinstance(found.get("observations"), list):
        yield from langfuse_trace(found)
    elif is_by_column(found):
        yield from (span_of(row) for row in rows_of(found))
    else:
        listed = next((found[name] for name in LISTS if isinstance(found.get(name), list)), [found])
        yield from (span_of(one) for one in objects(listed))


def exported_spans(found: Mapping[str, Any]) -> Iterator[Span]:
    """Yield the spans of an OTLP request."""
    for resource in objects(found["resourceSpans"]):
        for scope in objects(resource.get("scopeSpans")):
            about = scope.get("scope")
            named = str(about.get("name", "")) if isinstance(about, Mapping) else ""
            yield from (replace(span_of(one), scope=named) for one in objects(scope.get("spans")))


def langfuse_trace(found: Mapping[str, Any]) -> Iterator[Span]:
    """Yield a trace of Langfuse with its observations; the trace has the input that was given to it as a whole."""
    about = found["trace"] if isinstance(found.get("trace"), Mapping) else found
    trace_id = hexadecimal(about.get("id"))
    if about.get("input") is not None:
        whole = {"id": trace_id, "traceId": trace_id, "type": "span", "startTime": about.get("timestamp")}
        yield span_of(whole | {key: about[key] for key in ("input", "output") if key in about})
    yield from (span_of({"traceId": trace_id, **one}) for one in objects(found["observations"]))


def is_by_column(found: Mapping[str, Any]) -> bool:
    """Return whether an object is a table of spans by column: {column: {row: value}}."""
    return isinstance(found.get("context.span_id"), Mapping) or isinstance(found.get("context.trace_id"), Mapping)


def rows_of(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that stands by column."""
    columns = {name: values for name, values in found.items() if isinstance(values, Mapping)}
    rows = dict.fromkeys(row for values in columns.values() for row in values)
    yield from ({name: values.get(row) for name, values in columns.items()} for row in rows)


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list, nothing for anything else."""
    yield from (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def span_of(one: Mapping[str, Any]) -> Span:
    """Return a span in one shape; an observation of Langfuse is known by its type beside no attributes."""
    context = one.get("context") if isinstance(one.get("context"), Mapping) else {}
    assert isinstance(context, Mapping)  # for mypy: said by the line before
    observed = "type" in one and "attributes" not in one and ("input" in one or "output" in one)

    def first(*names: str) -> Any:
        return next((one[name] for name in names if one.get(name)), None)

    own = ("id",) if observed else ()
    return Span(
        trace_id=hexadecimal(first("traceId", "context.trace_id", "trace_id") or context.get("trace_id")),
        span_id=hexadecimal(first("spanId", "context.span_id", "span_id", *own) or context.get("span_id")),
        parent_id=hexadecimal(first("parentSpanId", "parent_id", "parent_span_id", "parentObservationId")),
        start=moment(first("startTimeUnixNano", "start_time", "start_time_unix_nano", "startTime") or 0),
        attributes=with_openinference_names(observation_attributes(one) if observed else attributes_of(one)),
        scope=LANGFUSE if observed else "",
    )


def hexadecimal(value: Any) -> str:
    """Return an id as tools exchange it: without the 0x that the SDK prints in front, "" where there is none."""
    return str(value or "").removeprefix("0x")[:100]


def moment(value: Any) -> float:
    """Return when a span began as a number that orders it: nanoseconds, or the digits of a time in another form.

    >>> moment("2026-01-01T00:00:00.5Z") - moment("2026-01-01T00:00:00Z")
    500000000.0
    """
    text = str(value)[:40]
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(text if "-" in text else "").timestamp() * 1e9
    return float("".join(letter for letter in text if letter.isdecimal())[:20] or 0)


def attributes_of(one: Mapping[str, Any]) -> Attributes:
    """Return a span's attributes under their full names, nested objects and lists flattened.

    Phoenix's list of spans has what a span is beside them, as ``span_kind``.
    """
    given = one.get("attributes")
    if isinstance(given, list):
        found: Any = {str(pair.get("key")): otlp_value(pair.get("value")) for pair in objects(given)}
    elif isinstance(given, Mapping):
        found = given
    else:
        prefix = "attributes."
        found = {key[len(prefix) :]: value for key, value in one.items() if key.startswith(prefix)}
    kind = one.get("span_kind")
    beside = {"openinference.span.kind": kind} if isinstance(kind, str) else {}
    return beside | dict(flattened(found, ""))


def otlp_value(value: Any, depth: int = 0) -> Any:
    """Return the plain value of an OTLP attribute, None for a kind that is not read and for what lies too deep."""
    if not isinstance(value, Mapping) or depth > DEEPEST:
        return None
    for name in ("arrayValue", "array_value"):
        if isinstance(listed := value.get(name), Mapping):
            return [otlp_value(one, depth + 1) for one in objects(listed.get("values"))]
    for name in ("kvlistValue", "kvlist_value"):
        if isinstance(held := value.get(name), Mapping):
            pairs = objects(held.get("values"))
            return {str(pair.get("key")): otlp_value(pair.get("value"), depth + 1) for pair in pairs}
    names = (f"{name}{end}" for name in VALUES for end in ("Value", "_value"))
    return next((value[name] for name in names if value.get(name) is not None), None)


def flattened(value: Any, name: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield (full name, value) of everything that is neither an object nor a list of objects, nor lies too deep."""
    if depth > DEEPEST or len(name) > LONGEST_NAME:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flattened(inner, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        for place, inner in enumerate(value):
            yield from flattened(inner, f"{name}.{place}", depth + 1)
    else:
        yield name, value


def read_json(text: str) -> Any:
    """Return the value of JSON text, or the list of those of JSON Lines; None where it is neither."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    with suppress(ValueError, RecursionError):
        # str.splitlines would also cut at U+2028, which JSON allows inside a string.
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    return None


def numbered(attributes: Mapping[str, Any], start: str) -> Iterator[dict[str, Any]]:
    """Yield the attributes of each numbered entry, in order of the numbers: "start.0.name" gives {"name": …}."""
    entries: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if name.startswith(f"{start}."):
            number, _, rest = name[len(start) + 1 :].partition(".")
            if number.isdecimal() and rest and len(number) < 9:
                entries.setdefault(int(number), {})[rest] = value
    yield from (entries[number] for number in sorted(entries))
