"""The way to a server: several requests at once but not too many, time-outs, patience, and leaving within a second.

Requests run on an event loop in a thread of their own while the caller waits, tells progress as answers arrive, and can
stop at any time: what is in flight is then dropped, and the server sees its connections closed. What may pass (no
connection, a time-out, status 408, 409, 425, 429 or 5xx) is asked again after a pause that doubles and is at least what
the server names; anything else is told at once. Every failure becomes a ModelError without the key in its text.
"""

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, TypeVar

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from engine.backends.language_models.server_address import ServerName, key_advice, key_of
from engine.core.errors import InputError, MicroscopeError, ModelError
from engine.core.progress import Report, TokensDecoded

LARGEST_REPLY = 32 * 2**20
HEARTBEAT = 0.1
LONGEST_PAUSE = 30.0
TEXT_SHOWN = 200
PASSING = (408, 409, 425, 429)
TOO_LONG = ("context length", "context window", "max_model_len", "maximum context", "too long")

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How a server is asked: seconds for a connection and a whole reply, tries, the first pause, at most at once."""

    connect: float = 5.0
    reply: float = 180.0
    tries: int = 4
    pause: float = 0.5
    at_once: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Read]):
    """One request: where, with what, and what is read out of the reply's bytes; ``read`` may raise a ModelError.

    ``weight`` is how many new tokens a reply stands for in the progress.
    """

    path: str
    read: Callable[[bytes], Read]
    body: dict[str, Any] | None = None
    weight: Callable[[Read], int] = field(default=lambda _: 0)
    at_root: bool = False

    @property
    def verb(self) -> Literal["GET", "POST"]:
        """How it is sent: what has no body is only looked up."""
        return "GET" if self.body is None else "POST"


class _Passing(Exception):
    """A failure that may pass when asked again, after ``pause`` seconds at least where the server says so."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


class Connection:
    """The way to one server. It holds no key: that is looked up for each request."""

    def __init__(self, server: ServerName, patience: Patience | None = None) -> None:
        """Remember where; nothing is sent yet."""
        self.server, self.patience = server, patience or Patience()
        # Reading the certificates takes longer than a short answer: once, and only where they are needed.
        self._verify = httpx.create_ssl_context(trust_env=False) if server.base.startswith("https") else False

    def asked(self, calls: Sequence[Call[Read]], report: Report) -> list[Read]:
        """Return what each call read, in order. Raises the first ModelError, or what ``report`` raises to stop."""
        return [_known(found) for found in self._run(calls, report, settle=False)]

    def settled(self, calls: Sequence[Call[Read]], report: Report) -> list[Read | MicroscopeError]:
        """Return what each call read or the error it ended with, in order."""
        return self._run(calls, report, settle=True)

    def _run(self, calls: Sequence[Call[Read]], report: Report, settle: bool) -> list[Read | MicroscopeError]:
        """Run the calls on a loop of their own; wait for them, telling what arrives."""
        if not calls:
            return []
        stop, arrived = threading.Event(), queue.SimpleQueue[int]()
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="server")
        try:
            errand = pool.submit(asyncio.run, self._all(calls, settle, stop, arrived))
            while not wait([errand], timeout=HEARTBEAT).done:
                tell(report, arrived)
            found = errand.result()
            tell(report, arrived)
            return found
        finally:
            # Nobody waits here: a name server that does not answer would hold the thread for seconds.
            stop.set()
            pool.shutdown(wait=False)

    async def _all(
        self, calls: Sequence[Call[Read]], settle: bool, stop: threading.Event, arrived: "queue.SimpleQueue[int]"
    ) -> list[Read | MicroscopeError]:
        """Return all results; on the first error, or when told to stop, drop what is still in flight."""
        limits = httpx.Limits(max_connections=self.patience.at_once)
        timeout = httpx.Timeout(self.patience.reply, connect=self.patience.connect)
        gate = asyncio.Semaphore(self.patience.at_once)
        # trust_env would send loopback traffic to a proxy and passwords of a .netrc to whom they are not meant for.
        async with httpx.AsyncClient(verify=self._verify, limits=limits, timeout=timeout, trust_env=False) as client:
            tasks = [asyncio.create_task(self._one(client, gate, call, settle, arrived)) for call in calls]  # type: ignore[arg-type]
            try:
                pending = set(tasks)
                while pending and not stop.is_set():
                    done, pending = await asyncio.wait(pending, timeout=HEARTBEAT, return_when=asyncio.FIRST_EXCEPTION)
                    for task in done:
                        task.result()
                return [task.result() for task in tasks if task.done()]
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(
        self,
        client: httpx.AsyncClient,
        gate: asyncio.Semaphore,
        call: Call[Read],
        settle: bool,
        arrived: "queue.SimpleQueue[int]",
    ) -> Read | MicroscopeError:
        """Return what one call read; its error where errors are to be settled."""
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_Passing),
            stop=stop_after_attempt(self.patience.tries),
            wait=partial(pause_before, self.patience.pause),
            reraise=True,
        )
        try:
            async with gate:
                found = call.read(await retrying(self._sent, client, call))
        except _Passing as exc:
            return self._failed(ModelError(f"The server {self.server.host} could not be asked: {exc}."), settle, exc)
        except MicroscopeError as exc:
            return self._failed(exc, settle, exc.__cause__)
        arrived.put(call.weight(found))
        return found

    def _failed(self, error: MicroscopeError, settle: bool, cause: BaseException | None) -> MicroscopeError:
        """Return an error that is to be settled; raise any other."""
        if settle:
            return error
        raise error from cause

    async def _sent(self, client: httpx.AsyncClient, call: Call[Read]) -> bytes:
        """Return the bytes of one reply. Raises _Passing where asking again may help, else ModelError."""
        key = key_of(self.server)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        address = (self.server.root if call.at_root else self.server.base) + call.path
        body = b""
        try:
            async with (
                asyncio.timeout(self.patience.reply),
                client.stream(call.verb, address, json=call.body, headers=headers) as response,
            ):
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > LARGEST_REPLY:
                        raise ModelError(
                            f"The server {self.server.host} sent more than {LARGEST_REPLY // 2**20} MB for one answer."
                        )
        except (httpx.TimeoutException, TimeoutError) as exc:
            raise _Passing(f"no reply within {self.patience.reply:g} seconds") from exc
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as exc:
            raise _Passing(f"{type(exc).__name__}, {shown(str(exc), key) or 'the connection was cut'}") from exc
        status = response.status_code
        if status in PASSING or status >= 500:
            raise _Passing(f"it answered with status {status}: {shown_body(body, key)}", pause_named(response.headers))
        if status != 200:
            raise refused(self.server, status, shown_body(body, key))
        return body


def _known(found: "Read | MicroscopeError") -> Read:
    """Return a result that is none of our errors; those were raised before."""
    if isinstance(found, MicroscopeError):
        raise found
    return found


def tell(report: Report, arrived: "queue.SimpleQueue[int]") -> None:
    """Report the tokens that have arrived; with nothing new, still give the reporter its chance to stop."""
    count = 0
    while not arrived.empty():
        count += arrived.get()
    report(TokensDecoded(count=count))


def pause_before(first: float, state: RetryCallState) -> float:
    """Return the seconds before the next try: doubled each time, at least what the server named, 30 at most."""
    failure = state.outcome.exception() if state.outcome is not None else None
    named = failure.pause if isinstance(failure, _Passing) else 0.0
    return min(LONGEST_PAUSE, max(named, first * 2.0 ** (state.attempt_number - 1)))


def pause_named(headers: httpx.Headers) -> float:
    """Return the seconds of a Retry-After header, 0 where there is none or it names a date."""
    try:
        return max(0.0, float(headers.get("retry-after", "0")))
    except ValueError:
        return 0.0


def refused(server: ServerName, status: int, said: str) -> MicroscopeError:
    """Return the error for a status that asking again does not change."""
    host = server.host
    if status in (401, 403):
        return ModelError(f"The server {host} refused the key (status {status}): {said}. {key_advice(server)}")
    if status == 404:
        return ModelError(f"The server {host} has no such address or model (status 404): {said}.")
    if any(words in said.lower() for words in TOO_LONG):
        return InputError(f"The prompt is too long for the server {host}: {said}. Use fewer or shorter passages.")
    return ModelError(f"The server {host} refused the request (status {status}): {said}.")


def shown_body(body: bytes, key: str) -> str:
    """Return what a refusing server said, on one short line, without the key: its error's message where it has one.

    >>> shown_body(b'{"error": {"message": "No such model."}}', "")
    'No such model'
    """
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    for name in ("error", "message", "detail"):
        found = found.get(name, found) if isinstance(found, dict) else found
    return shown(found if isinstance(found, str) else text[:2000], key) or "it said nothing"


def shown(text: str, key: str) -> str:
    """Return untrusted text short enough for a reason, without its final stop and without the key.

    >>> shown("Incorrect key: abc-123.", "abc-123")
    'Incorrect key: •••'
    """
    hidden = text.replace(key, "•••") if key else text
    line = " ".join(hidden.split()).rstrip(".")
    return line if len(line) <= TEXT_SHOWN else line[: TEXT_SHOWN - 1] + "…"
