"""Pages and files at addresses that the server's owner types: fetched once, within limits, and read as files are.

Only http and https, and only for the owner: a visitor's address would be asked from inside the owner's network. Every
redirect is looked at as the first address is; none leads from the public network into a private one. What the server
says of its content decides the reader; the address's ending decides where the server says nothing.
"""

import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import gaierror, getaddrinfo
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

import httpx2

from engine.backends.retrieval.readers import is_readable, suffix_of
from engine.backends.retrieval.readers.base import in_charset
from engine.core.allowed import refuse_visitors
from engine.core.errors import CorpusError, InputError
from engine.core.words import shorten

MOST_BYTES, MOST_ADDRESSES, MOST_REDIRECTS = 50 * 10**6, 20, 5
LONGEST_ADDRESS, LONGEST_NAME = 2000, 80
MOVED = (301, 302, 303, 307, 308)
# By the content type, the ending whose reader takes it.
ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "application/jsonl": ".jsonl",
    "application/x-ndjson": ".jsonl",
    "application/vnd.apache.parquet": ".parquet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}
# Said of anything by servers that do not know better: then the address's own ending decides.
VAGUE = ("", "text/plain", "application/octet-stream", "binary/octet-stream", "application/gzip", "application/x-gzip")
# A connection under TLS is another socket: wrapping takes the first one away from its object.
MADE = ("connection.connect_tcp.complete", "connection.start_tls.complete")
TEXTS = (".html", ".md", ".csv", ".tsv", ".txt", ".json", ".jsonl")
UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How many seconds a server may take: for one piece of its answer, and for a whole address."""

    piece: float = 10.0
    whole: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WebFile:
    """What an address gave: a file's name made of the address, with the ending of its kind, and its bytes."""

    name: str
    content: bytes

    def getvalue(self) -> bytes:
        """Return the file's bytes."""
        return self.content


def fetch_all(
    addresses: Sequence[str], patience: Patience | None = None
) -> tuple[tuple[WebFile, ...], tuple[str, ...]]:
    """Return the files at these addresses, and a sentence for every address that gave none.

    Raises InputError for a visitor, and for more addresses than are fetched at once.
    """
    refuse_visitors("Fetching an address")
    wanted = tuple(dict.fromkeys(addresses))
    if len(wanted) > MOST_ADDRESSES:
        raise InputError(f"{len(wanted)} addresses are more than {MOST_ADDRESSES}. Give them in parts.")
    files, faults = [], []
    for address in wanted:
        try:
            files.append(fetch(address, patience))
        except InputError as exc:
            faults.append(str(exc))
    return tuple(files), tuple(faults)


def fetch(address: str, patience: Patience | None = None) -> WebFile:
    """Return the file at an address. Raises InputError for a visitor, CorpusError with what is wrong with the address.

    No sentence repeats more than host and path: the rest of an address may hold a key.
    """
    refuse_visitors("Fetching an address")
    patience = patience or Patience()
    client = httpx2.Client(timeout=patience.piece, trust_env=False, follow_redirects=False)
    with client, Deadline(patience.whole) as deadline:
        try:
            found = followed(client, address.strip(), deadline)
        except httpx2.TimeoutException as exc:
            raise CorpusError(f"{told(address)} does not answer in time.") from exc
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError, ValueError) as exc:
            reason = "" if deadline.passed else f": {shorten(str(exc), 120)}"
            fault = "cannot be fetched" if reason else "does not answer in time"
            raise CorpusError(f"{told(address)} {fault}{reason}.") from exc
        if deadline.passed:  # a body without a stated length ends where its connection ends
            raise CorpusError(f"{told(address)} does not answer in time.")
        return found


class Deadline:
    """The end of patience with an address: when it has come, every connection that was opened for it is cut.

    A client bounds the wait for each piece, so headers, chunk sizes or a handshake that come drop by drop never end.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> "Deadline":
        """Begin to count."""
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop counting: the answer is there."""
        self._timer.cancel()

    def watch(self, event: str, info: Mapping[str, Any]) -> None:
        """Note a connection when the client tells that it is made; one that is made too late is cut at once."""
        if event not in MADE:
            return
        with self._lock:
            self._sockets.append(info["return_value"].get_extra_info("socket"))
            if self.passed:
                cut_off(self._sockets[-1])

    def _cut(self) -> None:
        with self._lock:
            self.passed = True
            for one in self._sockets:
                cut_off(one)


def cut_off(connection: socket.socket) -> None:
    """End a connection under whoever waits for it; closing it would leave them waiting."""
    with suppress(OSError):  # it has ended by itself
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def followed(client: httpx2.Client, address: str, deadline: Deadline) -> WebFile:
    """Return the file at an address or where it leads to; every step is checked before it is asked."""
    first, public = address, False
    for _ in range(MOST_REDIRECTS + 1):
        places = places_of(address)
        if public and not all(one.is_global for one in places):
            raise CorpusError(f"{told(first)} leads from the public network to a private address.")
        public = public or all(one.is_global for one in places)
        with asked(client, address, deadline) as response:
            refuse_other_place(response, address, public)
            if response.status_code not in MOVED:
                return received(response, address)
            address = urljoin(address, response.headers.get("location", ""))
    raise CorpusError(f"{told(first)} redirects more than {MOST_REDIRECTS} times.")


@contextmanager
def asked(client: httpx2.Client, address: str, deadline: Deadline) -> Iterator[httpx2.Response]:
    """Yield the answer to an address, its body not read yet. No cookie goes along."""
    client.cookies.clear()
    with client.stream("GET", address, extensions={"trace": deadline.watch}) as response:
        yield response


def places_of(address: str) -> list[IPv4Address | IPv6Address]:
    """Return the network addresses of an address's host. Raises CorpusError where it may not be asked."""
    if len(address) > LONGEST_ADDRESS:
        raise CorpusError(f"An address of {len(address):,} characters is longer than {LONGEST_ADDRESS:,}.")
    parts = urlsplit(address)
    if parts.scheme.lower() not in ("http", "https"):
        raise CorpusError(f"{told(address)} is not an address with http:// or https://.")
    if not parts.hostname or "@" in parts.netloc:
        raise CorpusError(f"{told(address)} needs a host and no name or password before it.")
    try:
        found = getaddrinfo(parts.hostname, parts.port or (443 if parts.scheme.lower() == "https" else 80))
    except (gaierror, OSError) as exc:
        raise CorpusError(f"There is no host {shorten(parts.hostname, 80)}, or no network.") from exc
    places = [place_of(str(one[4][0])) for one in found]
    if any(one.is_link_local or one.is_multicast or one.is_unspecified for one in places):
        raise CorpusError(f"{told(address)} names no host that serves documents.")
    return places


def place_of(host: str) -> IPv4Address | IPv6Address:
    """Return a network address without its zone; one of IPv4 that is written as one of IPv6 as the first.

    >>> place_of("fe80::1%eth0"), place_of("::ffff:169.254.169.254")
    (IPv6Address('fe80::1'), IPv4Address('169.254.169.254'))
    """
    found = ip_address(host.partition("%")[0])
    return getattr(found, "ipv4_mapped", None) or found


def refuse_other_place(response: httpx2.Response, address: str, public: bool) -> None:
    """Raise CorpusError where the host that answered is private though a public one was asked: names can change."""
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    if public and peer and not place_of(str(peer[0])).is_global:
        raise CorpusError(f"{told(address)} leads from the public network to a private address.")


def received(response: httpx2.Response, address: str) -> WebFile:
    """Return the body of an answer as a file. Raises CorpusError for a refusal, an unread kind, too much."""
    if response.status_code != 200:
        raise CorpusError(f"{told(address)} answers {response.status_code}, not with a document.")
    kind, charset = kind_of(response.headers.get("content-type", ""))
    name = name_of(address, kind)
    content = b""
    for piece in response.iter_bytes():
        content += piece
        if len(content) > MOST_BYTES:
            raise CorpusError(f"{told(address)} sends more than {MOST_BYTES // 10**6} MB.")
    return WebFile(name=name, content=as_utf8(content, charset) if suffix_of(name) in TEXTS else content)


def kind_of(content_type: str) -> tuple[str, str]:
    """Return the content type and the charset that a server states, "" where it states none.

    >>> kind_of('Text/HTML; charset="latin-1"')
    ('text/html', 'latin-1')
    """
    kind, *settings = (part.strip() for part in content_type.lower().split(";"))
    charsets = [value.strip("\"' ") for key, _, value in (one.partition("=") for one in settings) if key == "charset"]
    return kind, next(iter(charsets), "")


def name_of(address: str, kind: str) -> str:
    """Return a file's name for an address: its host and path, with the ending of its kind. Raises CorpusError.

    >>> name_of("https://example.org/a/b.php?id=1", "text/html"), name_of("http://h/dev.jsonl.gz", "application/gzip")
    ('example.org-a-b.php.html', 'h-dev.jsonl.gz')
    """
    parts = urlsplit(address)
    plain = UNSAFE.sub("-", unquote(f"{parts.hostname}{parts.path}")).strip("-.")
    if kind in VAGUE and is_readable(plain):
        return plain[-LONGEST_NAME:].lstrip("-.")
    ending = ".txt" if kind == "text/plain" else ENDINGS.get(kind, "")
    if not ending:
        raise CorpusError(f"{told(address)} sends {shorten(kind, 60) or 'an unnamed kind'}, which is not read.")
    return plain.removesuffix(ending)[-LONGEST_NAME:].lstrip("-.") + ending


def as_utf8(content: bytes, charset: str) -> bytes:
    """Return a text's bytes in UTF-8 where they are what the server states; else as they are, for the reader to tell.

    Where the server errs and the page itself states nothing, they are read as browsers do: as windows-1252.

    >>> as_utf8(b"caf\\xe9", "latin-1").decode(), as_utf8(b"caf\\xe9", "utf-8").decode(), as_utf8(b"caf\\xe9", "")
    ('café', 'café', b'caf\\xe9')
    """
    told_inside = b"charset" in content[:2000].lower()
    for one in (charset, "utf-8", *(() if told_inside else ("windows-1252",))) if charset else ():
        with suppress(LookupError, ValueError):
            return in_charset(content, one).encode()
    return content


def told(address: str) -> str:
    """Return an address as a sentence may tell it: without password, query and fragment.

    >>> told("https://me:secret@example.org/a?key=1#x")
    'https://example.org/a'
    """
    try:
        parts = urlsplit(address.strip())
        host = parts.netloc.rpartition("@")[2]
        return shorten(urlunsplit((parts.scheme, host, parts.path, "", "")), 120) or "An empty line"
    except ValueError:
        return "This line"
