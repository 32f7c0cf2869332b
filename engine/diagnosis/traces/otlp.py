"""What an OTLP exporter sends over HTTP (OpenTelemetry Protocol 1.x, ``/v1/traces``), as spans to read.

Both encodings are read: JSON, whose ids are hexadecimal, and protobuf, where the package opentelemetry-proto is
installed. A body may be compressed with gzip. What it unpacks to is bounded before it is read.
"""

import base64
import json
import zlib
from typing import Any

from engine.core.errors import InputError, RecordError

LARGEST_BODY = 16 * 2**20
JSON, PROTOBUF = "application/json", "application/x-protobuf"
ID_FIELDS = ("traceId", "spanId", "parentSpanId")


def unpacked(body: bytes, encoding: str) -> bytes:
    """Return a body without its compression. Raises RecordError where it is broken, unknown, or unpacks to too much."""
    if encoding in ("", "identity"):
        return body
    if encoding != "gzip":
        raise RecordError(f"A body compressed as {encoding[:40]!r} cannot be read; gzip can.")
    opened = zlib.decompressobj(wbits=31)
    try:
        text = opened.decompress(body, LARGEST_BODY + 1)
    except zlib.error as exc:
        raise RecordError(f"The body is not gzip: {exc}.") from exc
    if len(text) > LARGEST_BODY:
        raise RecordError(f"The body unpacks to more than {LARGEST_BODY:,} bytes.")
    if not opened.eof:
        raise RecordError("The body is an incomplete gzip file.")
    return text


def spans_in(body: bytes, kind: str) -> Any:
    """Return an export request as OTLP JSON holds it (``resourceSpans``), for ``from_spans``.

    ``kind`` is the content type. Raises RecordError where the body is none, InputError where its kind cannot be read:
    another one, or protobuf without its package.
    """
    named = kind.split(";")[0].strip().lower()
    if named == JSON:
        return json_spans(body)
    if named == PROTOBUF:
        return protobuf_spans(body)
    raise InputError(f"Spans come as {JSON} or {PROTOBUF}, not as {named[:80]!r}.")


def json_spans(body: bytes) -> Any:
    """Return the request in a JSON body. Raises RecordError where it is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise RecordError(f"The body is not JSON: {type(exc).__name__}.") from exc
    if not isinstance(found, dict) or not isinstance(found.get("resourceSpans"), list):
        raise RecordError("The body is not an OTLP request for traces: it has no resourceSpans.")
    return found


def protobuf_spans(body: bytes) -> Any:
    """Return the request in a protobuf body, its ids hexadecimal. Raises RecordError where it is none."""
    try:
        from google.protobuf.json_format import MessageToDict
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    except ModuleNotFoundError as exc:
        raise InputError(
            "Protobuf needs the package opentelemetry-proto: pip install opentelemetry-proto "
            "(or retrieval-microscope[listen]). JSON works without it."
        ) from exc
    try:
        request = ExportTraceServiceRequest.FromString(body)
        found: dict[str, Any] = MessageToDict(request)
    except (DecodeError, ValueError, RecursionError) as exc:
        raise RecordError(f"The body is not an OTLP request for traces: {type(exc).__name__}.") from exc
    for resource in found.setdefault("resourceSpans", []):
        for scope in resource.get("scopeSpans", []):
            for span in scope.get("spans", []):
                span |= {name: base64.b64decode(span[name]).hex() for name in ID_FIELDS if name in span}
    return found
