"""Counts in a model's pre-training texts, from the public infini-gram service: QuCo-RAG's own evidence (section 4.1).

Every entity and pair that is counted is sent over the network, so a user must have turned this on. The service
(https://infini-gram.io) takes one JSON object per query: ``count`` of a phrase, or of two joined by " AND " that start
within ``max_diff_tokens`` of each other. As in QuCo-RAG's released code both limits are the largest.

Where it differs from the released code: an answer that does not come is *not measured*, never support; a phrase never
carries the limits of a pair, with which the server refuses names such as "NORAD"; a qualifier or title may be missing,
and a date turned, as in our own counts. Known flaw of the engine: a pair next to a document border may be missed, since
it joins the nearest matches on both sides and drops the pair when the stretch between them crosses the border.
"""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import httpx2
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from engine.backends.corpus_stats.base import CoOccurrence
from engine.backends.corpus_stats.local_counts import spellings
from engine.core.errors import InputError
from engine.core.json_text import LARGEST_WHOLE
from engine.core.progress import Report, Stage, silent
from engine.core.words import as_clause

ADDRESS = "https://api.infini-gram.io/"
ADDRESS_VARIABLE = "MICROSCOPE_INFINI_GRAM"
INDEX = "v4_olmo-2-0325-32b-instruct_llama"
WIDEST_WINDOW = 1000
MOST_CLAUSE_MATCHES = 500_000
LARGEST_REPLY = 1_000_000
TEXT_SHOWN = 120
OPERATORS = (" AND ", " OR ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long the service is waited for, in seconds: for one piece of a reply, for the whole reply, between tries."""

    piece: float = 10.0
    reply: float = 20.0
    pause: float = 0.5
    tries: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one query gave: a count, or None with the reason as a sentence."""

    count: int | None
    approximate: bool = False
    reason: str = ""


class _Passing(Exception):
    """A failure that may pass at the next try."""


class InfiniGram:
    """A counter over one index of the service. Each query is sent once; after one is given up, no other is tried."""

    kind: Literal["corpus", "pre-training index"] = "pre-training index"
    documents: int | None = None

    def __init__(
        self, index: str = INDEX, report: Report = silent, address: str = "", patience: Patience | None = None
    ) -> None:
        """Open the way to the service; nothing is sent yet. MICROSCOPE_INFINI_GRAM names another server."""
        self.name = index
        self._patience = patience or Patience()
        self._address = address or os.environ.get(ADDRESS_VARIABLE) or ADDRESS
        self._client = httpx2.Client(timeout=self._patience.piece)
        self._report = report
        self._replies: dict[tuple[str, int], Reply] = {}
        self._unreachable = ""
        self.note = (
            f"Counts by the infini-gram service at {self._address} over the index {index}: occurrences of the exact "
            "spelling, letter case included. What is counted was sent there. Pairs are places, not documents; one "
            "next to a document border may be missed."
        )

    def count(self, entity: str) -> int | None:
        """Return occurrences of the entity in its most frequent spelling; None where the service gave no number."""
        return self._most_frequent(entity)[1].count

    def why_not(self, entity: str) -> str:
        """Return why the entity has no count, as a sentence; "" where it has one."""
        return self._most_frequent(entity)[1].reason

    def name_counts(self) -> tuple[int, ...]:
        """Return (): what a pre-training index names is not listed; its threshold is a number of occurrences."""
        return ()

    def co_occurrence(self, head: str, tail: str, window: int, share: float | None = None) -> CoOccurrence:
        """Return at how many places head and tail start within ``window`` tokens of each other, without excerpts.

        The service does not say how long its documents are, so there is no window by ``share``.

        Raises InputError on a window the service does not take (0 to 1,000 tokens).
        """
        if not 0 <= window <= WIDEST_WINDOW:
            raise InputError(
                f"The infini-gram service looks at 0 to {WIDEST_WINDOW:,} tokens, got a window of {window}."
            )
        (first, counted), (second, other) = self._most_frequent(head), self._most_frequent(tail)
        for reply in (counted, other):
            if reply.count is None:
                return CoOccurrence(documents=None, meetings=(), reason=reply.reason)
        if first == second:
            return CoOccurrence(documents=counted.count, meetings=(), approximate=counted.approximate)
        reply = self._fetch_count(f"{first} AND {second}", window)
        return CoOccurrence(documents=reply.count, meetings=(), approximate=reply.approximate, reason=reply.reason)

    def _most_frequent(self, entity: str) -> tuple[str, Reply]:
        """Return the entity's spelling with the most occurrences and its reply; a failure where one of them failed."""
        name = " ".join(entity.split())
        if not any(letter.isalnum() for letter in name):
            return name, Reply(count=None, reason="It holds no word, so there is nothing to look for.")
        replies = [(way, self._phrase(way)) for way in spellings(name)]
        failed = [(way, reply) for way, reply in replies if reply.count is None]
        return failed[0] if failed else max(replies, key=lambda one: one[1].count or 0)

    def _phrase(self, phrase: str) -> Reply:
        """Return the count of a phrase; one that holds an operator of the service's query language is not sent."""
        operator = next((word for word in OPERATORS if word in phrase), "").strip()
        if operator:
            reason = f"The service reads “{operator}” in capitals as an operator, so this was not asked."
            return Reply(count=None, reason=reason)
        return self._fetch_count(phrase)

    def _fetch_count(self, query: str, window: int = -1) -> Reply:
        """Return the reply to a query, sent once; ``window`` at least 0 makes it a pair. A failure is a reason."""
        known = self._replies.get((query, window))
        if known is not None:
            return known
        if self._unreachable:
            return Reply(count=None, reason=self._unreachable)
        limits = {"max_diff_tokens": window, "max_clause_freq": MOST_CLAUSE_MATCHES} if window >= 0 else {}
        payload = {"index": self.name, "query_type": "count", "query": query, **limits}
        retrying = Retrying(
            retry=retry_if_exception_type(_Passing),
            stop=stop_after_attempt(self._patience.tries),
            wait=wait_exponential(multiplier=self._patience.pause),
            reraise=True,
        )
        try:
            reply = read_reply(retrying(partial(self._send, payload)))
        except _Passing as exc:
            self._unreachable = f"The infini-gram service could not be asked: {exc}."
            return Reply(count=None, reason=self._unreachable)
        self._replies[query, window] = reply
        return reply

    def _send(self, payload: Mapping[str, object]) -> tuple[int, bytes]:
        """Return status and body of one request. Raises _Passing where another try may help."""
        self._report(Stage(method="quco_rag", name="asking the infini-gram service"))
        began, body = time.monotonic(), b""
        try:
            with self._client.stream("POST", self._address, json=payload) as response:
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > LARGEST_REPLY or time.monotonic() - began > self._patience.reply:
                        raise _Passing("its reply was too long or too slow")
        except httpx2.TimeoutException as exc:
            raise _Passing(f"no reply within {self._patience.piece:g} seconds") from exc
        except (httpx2.HTTPError, httpx2.InvalidURL) as exc:
            raise _Passing(f"{type(exc).__name__}, {as_clause(str(exc), TEXT_SHOWN)}") from exc
        if response.status_code == 429 or response.status_code in (502, 503, 504):
            raise _Passing(f"it answered with status {response.status_code}")
        return response.status_code, body


def read_reply(answered: tuple[int, bytes]) -> Reply:
    """Return the count in a reply; anything but a whole number from 0 up is no count, and its reason says what came.

    >>> read_reply((200, b'{"count": 3, "approx": false}')).count, read_reply((200, b'{"error": "busy"}')).reason
    (3, 'The infini-gram service refused the query: busy.')
    """
    status, body = answered
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return without_count(f"sent no JSON (status {status})", repr(body))
    if isinstance(fields, dict) and "error" in fields:
        return without_count("refused the query", str(fields["error"]))
    count = fields.get("count") if isinstance(fields, dict) else None
    if status != 200 or type(count) is not int or not 0 <= count <= LARGEST_WHOLE:
        return without_count(f"sent no count (status {status})", repr(fields))
    return Reply(count=count, approximate=bool(fields.get("approx")))


def without_count(what: str, content: str) -> Reply:
    """Return the reply for a service that did something else than count, with the beginning of what it sent."""
    return Reply(count=None, reason=f"The infini-gram service {what}: {as_clause(content, TEXT_SHOWN)}.")
