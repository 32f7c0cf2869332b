"""Requests to one server through OpenAI's client: several at a time, with limits, time-outs and quick cancellation.

The client retries after a lost connection, a time-out or a status of 408, 409, 429 or 5xx. It doubles its pause from
0.5 seconds, or waits as long as the server says. Requests run on an event loop in another thread. The caller reports
progress meanwhile; if its reporter raises, open connections close. Every failure becomes a MicroscopeError; none
repeats the key.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

import httpx2
import openai

from engine.backends.language_models.server_address import ServerName, key_advice, key_of
from engine.core.errors import InputError, MicroscopeError, ModelError
from engine.core.progress import Report, TokensDecoded
from engine.core.words import as_clause

LARGEST_REPLY = 32 * 2**20
HEARTBEAT = 0.1
TEXT_SHOWN = 200
# What the client says where nothing listens at an address.
NOBODY_THERE = "All connection attempts failed"
TOO_LONG = ("context length", "context window", "max_model_len", "maximum context", "too long")
# The client would also send the operating system, the Python version and the environment's OPENAI_* settings.
HEADERS_SENT = frozenset({"host", "accept", "accept-encoding", "content-type", "content-length", "authorization"})
HEADERS_KEPT = ("content-type", "retry-after")

Reply = TypeVar("Reply")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Limits of requests: seconds to connect, seconds for a reply, tries, requests at the same time."""

    connect: float = 5.0
    reply: float = 180.0
    tries: int = 4
    at_once: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Reply]):
    """One request. ``parse`` reads the reply's bytes and may raise a ModelError; no ``body`` makes it a GET.

    ``count_tokens`` gives the new tokens of a reply, for the progress. ``at_root``: the path stands beside /v1.
    """

    path: str
    parse: Callable[[bytes], Reply]
    body: dict[str, Any] | None = None
    count_tokens: Callable[[Reply], int] = field(default=lambda _: 0)
    at_root: bool = False


class LimitedClient(httpx2.AsyncClient):
    """An HTTP client that reads whole replies within limits of size and time, and sends as few headers as it can."""

    def __init__(self, server: ServerName, key: str, patience: Patience, verify: Any) -> None:
        # trust_env would send local requests to a proxy, and passwords of a .netrc file to any server.
        super().__init__(
            verify=verify,
            trust_env=False,
            limits=httpx2.Limits(max_connections=patience.at_once),
            timeout=httpx2.Timeout(patience.reply, connect=patience.connect),
        )
        self._host, self._key, self._seconds = server.host, key, patience.reply

    async def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Return the reply with its whole body; an error's body is without the key, whoever repeats it."""
        for name in set(request.headers) - (HEADERS_SENT if self._key else HEADERS_SENT - {"authorization"}):
            del request.headers[name]
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                response = await super().send(request, **{**settings, "stream": True})
                try:
                    async for piece in response.aiter_bytes():
                        body += piece
                        if len(body) > LARGEST_REPLY:
                            raise ModelError(
                                f"The server {self._host} sent more than {LARGEST_REPLY // 2**20} MiB in one reply."
                            )
                finally:
                    await response.aclose()
        except TimeoutError as exc:
            raise httpx2.ReadTimeout("no complete reply in time", request=request) from exc
        content = bytes(body)
        if response.status_code != 200 and self._key:
            content = content.replace(self._key.encode(), "•••".encode())
        headers = {name: response.headers[name] for name in HEADERS_KEPT if name in response.headers}
        return httpx2.Response(response.status_code, headers=headers, content=content, request=request)


class Connection:
    """The way to one server. It keeps no key; each batch of requests looks it up."""

    def __init__(self, server: ServerName, patience: Patience | None = None) -> None:
        self.server, self.patience = server, patience or Patience()
        # Loading certificates takes longer than a short reply: once, and only for https.
        self._verify = httpx2.create_ssl_context(trust_env=False) if server.base.startswith("https") else False

    def fetch_all(self, calls: Sequence[Call[Reply]], report: Report) -> list[Reply]:
        """Return the parsed replies in order. Raises the first error, or what ``report`` raises to cancel."""
        return [reply for reply in self._run(calls, report, MicroscopeError) if not isinstance(reply, MicroscopeError)]

    def fetch_each(self, calls: Sequence[Call[Reply]], report: Report) -> list[Reply | MicroscopeError]:
        """Return for each call its parsed reply or its MicroscopeError, in order."""
        return self._run(calls, report, ())

    def _run(
        self, calls: Sequence[Call[Reply]], report: Report, raised: type[MicroscopeError] | tuple[()]
    ) -> list[Reply | MicroscopeError]:
        """Run the calls on the event loop and report progress until all replies are there."""
        if not calls:
            return []
        arrived: deque[int] = deque()
        batch = asyncio.run_coroutine_threadsafe(self._fetch_batch(calls, arrived, raised), event_loop())
        try:
            while not wait([batch], timeout=HEARTBEAT).done:
                report(TokensDecoded(count=taken_sum(arrived)))
            found = batch.result()
            report(TokensDecoded(count=taken_sum(arrived)))
            return found
        finally:
            batch.cancel()

    async def _fetch_batch(
        self, calls: Sequence[Call[Reply]], arrived: deque[int], raised: type[MicroscopeError] | tuple[()]
    ) -> list[Reply | MicroscopeError]:
        """Return replies and errors in order; drop what is still open when cancelled, or at the first error."""
        key, gate = key_of(self.server), asyncio.Semaphore(self.patience.at_once)
        client = openai.AsyncOpenAI(
            api_key=key or "none",
            base_url=self.server.base,
            max_retries=self.patience.tries - 1,
            http_client=LimitedClient(self.server, key, self.patience, self._verify),
        )

        async def reply_or_error(call: Call[Reply]) -> Reply | MicroscopeError:
            try:
                return await self._fetch(client, gate, call, arrived)
            except raised:
                raise
            except MicroscopeError as exc:
                return exc

        async with client:
            return await in_lanes(calls, reply_or_error, self.patience.at_once)

    async def _fetch(
        self, client: openai.AsyncOpenAI, gate: asyncio.Semaphore, call: Call[Reply], arrived: deque[int]
    ) -> Reply:
        """Return the parsed reply to one call. Raises MicroscopeError."""
        address = (self.server.root if call.at_root else self.server.base) + call.path
        try:
            async with gate:
                if call.body is None:
                    response = await client.get(address, cast_to=httpx2.Response)
                else:
                    response = await client.post(address, cast_to=httpx2.Response, body=call.body)
        except (openai.APIError, httpx2.InvalidURL, UnicodeError) as exc:
            raise translated(self.server, self.patience, exc) from exc
        reply = call.parse(response.content)
        arrived.append(call.count_tokens(reply))
        return reply


async def in_lanes(
    calls: Sequence[Call[Reply]], answer: Callable[[Call[Reply]], Awaitable[Outcome]], at_once: int
) -> list[Outcome]:
    """Return what ``answer`` gives for each call, in order.

    Prompts that begin alike follow each other, and of the calls with one prompt the first goes ahead: the server has
    then read it for the others. These share as many lanes as there are places for each prompt, one with many prompts.
    """
    found: dict[int, Outcome] = {}
    waiting = deque(by_prompt(calls))
    groups = len(waiting)
    lanes = max(1, at_once // max(groups, 1))

    async def lane(places: deque[int]) -> None:
        while places:
            place = places.popleft()
            found[place] = await answer(calls[place])

    async def prompt_by_prompt() -> None:
        while waiting:
            places = waiting.popleft()
            await lane(deque([places.popleft()]))
            await together([lane(places) for _ in range(min(lanes, len(places)))])

    await together([prompt_by_prompt() for _ in range(min(at_once, groups))])
    return [found[place] for place in range(len(calls))]


async def together(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Do the work side by side; where one part fails, or this is cancelled, none of it goes on."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def by_prompt(calls: Sequence[Call[Any]]) -> list[deque[int]]:
    """Return the places of the calls with each prompt, prompts that begin alike side by side."""
    groups: dict[str, deque[int]] = {}
    for place, call in enumerate(calls):
        body = call.body or {}
        prompt = body.get("prompt") or body.get("messages")
        groups.setdefault(str(prompt) if prompt else f"{call.path} {place}", deque()).append(place)
    return [groups[prompt] for prompt in sorted(groups)]


@lru_cache(maxsize=1)
def event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that runs all requests, in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="server requests", daemon=True).start()
    return loop


def taken_sum(arrived: deque[int]) -> int:
    """Return the sum of the counts that arrived since the last time, and remove them."""
    return sum(arrived.popleft() for _ in range(len(arrived)))


def translated(server: ServerName, patience: Patience, error: Exception) -> MicroscopeError:
    """Return our error for a failure of the client, with what the user can do about it."""
    host = server.host
    if not isinstance(error, openai.APIStatusError):
        cause = error.__cause__ or error
        reason = f"{type(cause).__name__}, {as_clause(str(cause), TEXT_SHOWN) or 'the connection was cut'}"
        if isinstance(error, openai.APITimeoutError):
            reason = f"no reply within {patience.reply:g} seconds"
        elif isinstance(cause, httpx2.ConnectError) and str(cause) == NOBODY_THERE:
            return ModelError(f"The server {host} does not answer. Is it running?")
        return ModelError(f"The server {host} could not be reached: {reason}.")
    status, message = error.status_code, error_message(error)
    if status in (401, 403):
        return ModelError(f"The server {host} refused the key (status {status}): {message}. {key_advice(server)}")
    if status == 404:
        return ModelError(f"The server {host} has no such address or model (status 404): {message}.")
    if any(words in message.lower() for words in TOO_LONG):
        return InputError(f"The prompt is too long for the server {host}: {message}. Use fewer or shorter passages.")
    what = "is too busy" if status == 429 else "failed" if status >= 500 else "refused the request"
    return ModelError(f"The server {host} {what} (status {status}): {message}.")


def error_message(error: openai.APIStatusError) -> str:
    """Return the message in an error's body on one short line, else the start of the body."""
    found = error.body
    for name in ("error", "message", "detail"):
        found = found.get(name, found) if isinstance(found, dict) else found
    text = found if isinstance(found, str) else error.response.text[:2000]
    return as_clause(text, TEXT_SHOWN) or "no reason given"
