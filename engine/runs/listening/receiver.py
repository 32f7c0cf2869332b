"""A small HTTP server on this machine's loopback that takes OTLP traces (``POST /v1/traces``, port 4318 by custom).

Langfuse's SDK sends the same to a path of its own, so a program needs this server as its host and nothing more.

It answers programs of this machine only. It is bound to 127.0.0.1, a request with another ``Host`` or with an
``Origin`` is refused, so that no page in a browser can write to it, and sizes, time and requests at once are bounded.
"""

import json
import re
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from engine.core.errors import InputError, MicroscopeError, RecordError
from engine.diagnosis.traces.otlp import JSON, LARGEST_BODY, PROTOBUF, spans_in, unpacked
from engine.runs.listening.inbox import Inbox

HOST, PATH, LANGFUSE_PATH = "127.0.0.1", "/v1/traces", "/api/public/otel/v1/traces"
USUAL_PORT = 4318
MOST_AT_ONCE = 8
READ_SECONDS = 10.0
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
INVALID_ARGUMENT = 3


class Refused(Exception):
    """A request that is answered with this status and sentence."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Receiver(ThreadingHTTPServer):
    """The server, open from when it is made until ``server_close``. Raises InputError where its port is taken."""

    daemon_threads = True

    def __init__(self, inbox: Inbox, port: int = USUAL_PORT) -> None:
        self.inbox = inbox
        self.places = threading.Semaphore(MOST_AT_ONCE)
        try:
            super().__init__((HOST, port), Request)
        except (OSError, OverflowError) as exc:
            raise InputError(f"Port {port} of {HOST} cannot be used: {exc}. Choose another one with --port.") from exc

    @property
    def address(self) -> str:
        """Where exporters send traces to."""
        return f"http://{HOST}:{self.server_address[1]}{PATH}"

    def service_actions(self) -> None:
        """Close runs of which nothing more comes; called about twice a second."""
        self.inbox.close_idle()


class Request(BaseHTTPRequestHandler):
    """One connection."""

    server: Receiver
    server_version, sys_version = "microscope", ""
    timeout = READ_SECONDS

    def do_POST(self) -> None:
        """Take traces in, or say why not."""
        if not self.server.places.acquire(blocking=False):
            self.reply(HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests at once; send it again.")
            return
        try:
            self.server.inbox.put(*self.sent())
            self.reply(HTTPStatus.OK, "")
        except Refused as exc:
            self.reply(exc.status, str(exc))
        except MicroscopeError as exc:
            unread = not isinstance(exc, RecordError) and isinstance(exc, InputError)
            self.reply(HTTPStatus.UNSUPPORTED_MEDIA_TYPE if unread else HTTPStatus.BAD_REQUEST, str(exc))
        finally:
            self.server.places.release()

    def do_GET(self) -> None:
        """Say what this is."""
        self.reply(HTTPStatus.METHOD_NOT_ALLOWED, f"Send OTLP traces here: POST {PATH}.")

    do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do_GET

    def sent(self) -> tuple[Any, int]:
        """Return the export request and its size in bytes, unpacked.

        Raises Refused or a MicroscopeError where it cannot be taken.
        """
        if re.sub(r":[0-9]+$", "", self.headers.get("Host", "")) not in LOOPBACK_NAMES:
            raise Refused(HTTPStatus.FORBIDDEN, "Only programs of this machine may send traces.")
        if self.headers.get("Origin") is not None:
            raise Refused(HTTPStatus.FORBIDDEN, "A page in a browser may not send traces.")
        if self.path.split("?")[0] not in (PATH, LANGFUSE_PATH):
            raise Refused(HTTPStatus.NOT_FOUND, f"Traces go to {PATH}; metrics and logs are not taken.")
        body = unpacked(self.body(), self.headers.get("Content-Encoding", "").lower())
        return spans_in(body, self.kind), len(body)

    def body(self) -> bytes:
        """Return what was sent, at most LARGEST_BODY bytes. Raises Refused."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal() or len(length) > 12:
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "Say how long the body is: Content-Length.")
        if int(length) > LARGEST_BODY:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request holds at most {LARGEST_BODY:,} bytes.")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise Refused(HTTPStatus.BAD_REQUEST, "The body is shorter than its Content-Length.")
        return body

    @property
    def kind(self) -> str:
        """The content type of the request."""
        return str(self.headers.get("Content-Type", ""))

    def reply(self, status: HTTPStatus, sentence: str) -> None:
        """Answer in the encoding of the request: nothing more to say, or a Status with the sentence."""
        binary = self.kind.split(";")[0].strip().lower() == PROTOBUF
        body = status_bytes(sentence) if binary else json.dumps(status_object(sentence)).encode()
        self.close_connection = True  # the rest of a refused body must not be read as the next request
        self.send_response(status)
        self.send_header("Content-Type", PROTOBUF if binary else JSON)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.send_header("Retry-After", "1")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what came is told as traces."""


def status_object(sentence: str) -> dict[str, object]:
    """Return a google.rpc.Status as OTLP JSON has it; nothing where there is nothing to say."""
    return {"code": INVALID_ARGUMENT, "message": sentence} if sentence else {}


def status_bytes(sentence: str) -> bytes:
    """Return a google.rpc.Status as protobuf: field 1 its code, field 2 its message; nothing where there is none.

    >>> status_bytes("No.")
    b'\\x08\\x03\\x12\\x03No.'
    """
    text = sentence.encode()[:127]
    return bytes([0x08, INVALID_ARGUMENT, 0x12, len(text)]) + text if text else b""
