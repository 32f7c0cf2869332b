"""Files at addresses: what a server says decides the reader, and no address leads out of what the owner may reach."""

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfWriter

from engine.backends.retrieval import web_files
from engine.backends.retrieval.readers import read_file
from engine.backends.retrieval.web_files import (
    Deadline,
    Patience,
    as_utf8,
    fetch,
    fetch_all,
    kind_of,
    name_of,
    places_of,
    told,
)
from engine.core import allowed
from engine.core.errors import CorpusError, InputError

QUICK = Patience(piece=1.0, whole=1.5)
PAGE = "<html><head><title>Bridges</title></head><body><p>Die Brücke wurde 1901 gebaut.</p></body></html>"


def pdf() -> bytes:
    """Return a PDF of one empty page."""
    writer, buffer = PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(buffer)
    return buffer.getvalue()


ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, {"Content-Type": "text/html; charset=utf-8"}, PAGE.encode()),
    "/latin": (200, {"Content-Type": "text/html; charset=iso-8859-1"}, PAGE.encode("latin-1")),
    "/lies": (200, {"Content-Type": "text/html; charset=utf-8"}, PAGE.encode("latin-1")),
    "/nonsense": (200, {"Content-Type": "text/html; charset=no-such"}, PAGE.encode()),
    "/report": (200, {"Content-Type": "application/pdf"}, pdf()),
    "/rows.csv": (200, {"Content-Type": "text/plain"}, b"title,text\nA,The tower has 300 steps.\n"),
    "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
    "/to-page": (302, {"Location": "/page"}, b""),
    "/to-file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/to-cloud": (302, {"Location": "http://169.254.169.254/latest/meta-data"}, b""),
    "/round": (302, {"Location": "/round"}, b""),
    "/nowhere": (302, {}, b""),
}


# What a server sends before its drops begin: each is within the client's wait for a piece, none ever ends.
DROPS: dict[str, tuple[bytes, bytes]] = {
    "/headers": (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
    "/first-line": (b"HTTP/1.1 200 ", b"O"),
    "/chunk-size": (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x"),
    "/packed-name": (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08" + bytes(6),
        b"n",
    ),
}


class Answering(BaseHTTPRequestHandler):
    """Answers from the table; "/endless", "/slow" and all that comes by drops never end."""

    def do_GET(self) -> None:
        """Answer one request."""
        if self.path in DROPS:
            self.send_drops(*DROPS[self.path])
            return
        if self.path in ("/endless", "/slow"):
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            piece, pause = (b"x" * 65536, 0.0) if self.path == "/endless" else (b"x", 0.2)
            try:
                while True:
                    self.wfile.write(piece)
                    time.sleep(pause)
            except OSError:
                return
        status, headers, body = ANSWERS.get(self.path, (404, {"Content-Type": "text/html"}, b"not here"))
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def send_drops(self, first: bytes, drop: bytes) -> None:
        """Send the first bytes, then one more again and again."""
        try:
            self.wfile.write(first)
            while True:
                self.wfile.write(drop)
                time.sleep(0.1)
        except OSError:
            return

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Return the address of a server on loopback."""
    made = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    made.daemon_threads = True
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()


def words_at(address: str) -> str:
    """Return the text that a reader finds in the file at an address."""
    found = fetch(address, QUICK)
    return read_file(found.name, found.content).documents[0].text


@pytest.mark.parametrize("path", ["/page", "/latin", "/lies", "/nonsense", "/to-page"])
def test_a_page_is_read_in_the_encoding_it_is_in_whatever_the_server_says(server: str, path: str) -> None:
    assert words_at(server + path) == "Die Brücke wurde 1901 gebaut."


def test_the_content_type_decides_the_reader_and_the_ending_where_it_says_nothing(server: str) -> None:
    assert fetch(f"{server}/report", QUICK).name.endswith("-report.pdf")
    assert "300 steps" in words_at(f"{server}/rows.csv")
    with pytest.raises(CorpusError, match="image/png"):
        fetch(f"{server}/picture", QUICK)


@pytest.mark.parametrize("path", ["/to-file", "/to-cloud", "/round", "/nowhere", "/missing", "/slow", *DROPS])
def test_what_leads_elsewhere_or_does_not_end_is_refused_in_time(server: str, path: str) -> None:
    began = time.monotonic()
    with pytest.raises(CorpusError):
        fetch(server + path, QUICK)
    assert time.monotonic() - began < 4.0


class Stream:
    """A connection as the client tells of it."""

    def __init__(self, held: socket.socket) -> None:
        self.held = held

    def get_extra_info(self, name: str) -> socket.socket | None:
        """Return the socket."""
        return self.held if name == "socket" else None


def test_a_connection_is_cut_under_the_socket_that_its_encryption_made() -> None:
    plain, other = socket.socketpair()
    with other, Deadline(0.2) as deadline:
        deadline.watch("connection.connect_tcp.complete", {"return_value": Stream(plain)})
        with socket.socket(fileno=plain.detach()) as wrapped:
            deadline.watch("connection.start_tls.complete", {"return_value": Stream(wrapped)})
            wrapped.settimeout(5.0)
            began = time.monotonic()
            assert (wrapped.recv(1), deadline.passed) == (b"", True)
            assert time.monotonic() - began < 2.0


def test_an_endless_body_is_cut_off(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_files, "MOST_BYTES", 10**6)
    with pytest.raises(CorpusError, match="1 MB"):
        fetch(f"{server}/endless", Patience())


def test_a_redirect_from_the_public_network_into_a_private_one_is_refused(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public name that answers from loopback: as if its entry had changed between the look and the call."""
    port = int(server.rpartition(":")[2])
    known = socket.getaddrinfo

    def looked_up(host: str, *args: object, **named: object) -> object:
        if threading.current_thread() is threading.main_thread() and host == "public.example":
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", port))]
        return known(host, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(web_files, "getaddrinfo", looked_up)
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *args, **named: known("127.0.0.1", *args, **named))
    with pytest.raises(CorpusError, match="private"):
        fetch(f"http://public.example:{port}/page", QUICK)


def test_every_address_is_reported(server: str) -> None:
    files, faults = fetch_all([f"{server}/page", f"{server}/missing", "ftp://example.org/a", f"{server}/page"], QUICK)
    assert (len(files), len(faults)) == (1, 2)
    with pytest.raises(InputError):
        fetch_all([f"{server}/{number}" for number in range(21)], QUICK)


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:169.254.169.254]", "[::ffff:224.0.0.1]", "[::]"])
def test_no_spelling_of_an_address_without_documents_is_asked(host: str) -> None:
    with pytest.raises(CorpusError, match="no host that serves documents"):
        places_of(f"http://{host}/latest/meta-data")
    assert {str(one) for one in places_of("http://[::ffff:127.0.0.1]/")} == {"127.0.0.1"}


@pytest.mark.parametrize("charset", ["punycode", "Punycode", "idna", "unicode_escape", "raw-unicode-escape"])
def test_a_charset_that_is_no_writing_of_texts_leaves_the_bytes_as_they_are(charset: str) -> None:
    escaped, began = rb"caf\xe9-" + b"a" * 200_000, time.process_time()
    assert as_utf8(escaped, charset) == escaped
    assert time.process_time() - began < 1.0, "punycode takes the square of the length"


def test_a_visitor_has_no_address_fetched(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(allowed._STATE, "restricted", True)
    for call in (lambda: fetch(f"{server}/page"), lambda: fetch_all([f"{server}/page"])):
        with allowed.acting_for("browser-1"), pytest.raises(InputError, match="owner"):
            call()
    with allowed.acting_for(allowed.OWNER):
        assert fetch(f"{server}/page", QUICK).content


@pytest.mark.parametrize("address", ["http://me:secret@localhost/a", "http://", "http://[::1", "gopher://h/", ""])
def test_an_address_that_may_not_be_asked_is_a_sentence_without_its_secret(address: str) -> None:
    with pytest.raises(CorpusError) as caught:
        fetch(address, QUICK)
    assert "secret" not in str(caught.value)


@given(st.text(max_size=200), st.sampled_from(["text/html", "text/plain", "application/pdf"]))
def test_a_name_stays_inside_its_folder(path: str, kind: str) -> None:
    try:
        name = name_of(f"http://example.org/{path}", kind)
    except ValueError:
        return
    assert "/" not in name and "\\" not in name and not name.startswith(".") and len(name) <= 90
    assert told(f"http://example.org/{path}")


@given(st.text(max_size=60), st.binary(max_size=80))
def test_whatever_a_server_says_of_its_content_is_one_of_our_errors_or_a_file(stated: str, content: bytes) -> None:
    kind, charset = kind_of(stated)
    assert isinstance(as_utf8(content, charset), bytes)
    try:
        assert name_of("http://example.org/a", kind).startswith("example.org-a")
    except CorpusError:
        assert kind not in web_files.ENDINGS
