"""Indexing in the background: one thread, one corpus after another, with progress, time left, cancel and going on.

A corpus can be searched by words as soon as it is cut, and by meaning when its passages are embedded. What is embedded
stays in the call cache, so a corpus that was cancelled, or whose program ended, goes on where it stopped. While a run
is at work the thread waits, since both want the same cores.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.base import Embedder, FixedCut
from engine.backends.retrieval.corpus import stored_index
from engine.backends.retrieval.documents import read_corpus
from engine.backends.retrieval.index_store import content_hash
from engine.core.allowed import OWNER, acting_for, refuse_unlisted
from engine.core.errors import Cancelled, CorpusError, MicroscopeError
from engine.core.locks import is_held, locked
from engine.core.progress import Event, Stage
from engine.methods.profiles import PROFILES
from engine.runs.corpora import shelf
from engine.runs.corpora.shelf import CorpusEntry, State
from engine.runs.queueing import FairQueue

PAUSE_SECONDS = 0.5
WINDOW_SECONDS = 60.0
FEWEST_SECONDS = 2.0
STOPPED = "Stopped on request; what was embedded is kept."
INTERRUPTED = "Interrupted; what was embedded is kept."
OTHER_FILES = "Files were added while the corpus was being read; it is read again."
UNEXPECTED = "Indexing failed for a reason that this program does not know; its log has the details."
ELSEWHERE = "waiting for another program that reads this corpus"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexProgress:
    """Where the indexing of a corpus stands: ``done`` of ``total`` units of ``stage``; total 0 = not known yet.

    ``seconds_left`` of this stage by the pace of its last minute, None before there is one. ``paused``: a run goes on.
    ``position`` in the queue, 0 = at work.
    """

    stage: str = ""
    done: int = 0
    total: int = 0
    seconds_left: float | None = None
    paused: bool = False
    position: int = 0


class Pace:
    """How fast a stage goes: the units done by moment, of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()
        self._stage = ""

    def see(self, stage: str, done: int) -> None:
        """Note how far a stage is; another stage begins anew."""
        if stage != self._stage:
            self._stage = stage
            self._seen.clear()
        self._seen.append((self._clock(), done))
        while self._seen[-1][0] - self._seen[0][0] > WINDOW_SECONDS and len(self._seen) > 2:
            self._seen.popleft()

    def forget(self) -> None:
        """Begin anew: what was seen before was not followed by work."""
        self._seen.clear()

    def seconds_left(self, total: int) -> float | None:
        """Return the seconds that the rest takes at this pace, None before two seconds have passed."""
        if len(self._seen) < 2:
            return None
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        if now - began < FEWEST_SECONDS or last <= first:
            return None
        return (total - last) * (now - began) / (last - first)


class Indexer:
    """The one thread that indexes. ``busy`` says whether a run is at work."""

    def __init__(
        self, embedder: Callable[[], Embedder] = load_embedder, busy: Callable[[], bool] = lambda: False
    ) -> None:
        self._embedder, self._busy = embedder, busy
        self._lock = threading.Lock()
        self._queue: FairQueue[str] = FairQueue()
        self._stops: dict[str, threading.Event] = {}
        self._again: set[str] = set()
        self._now: tuple[str, IndexProgress] | None = None
        self._thread: threading.Thread | None = None

    def submit(self, entry_id: str) -> None:
        """Queue a corpus to be indexed; one that is queued already stays where it is, one at work is queued once more.

        Its files may be others than those that are being read.
        """
        with self._lock:
            if self._now is not None and self._now[0] == entry_id:
                self._again.add(entry_id)
            elif entry_id not in self._stops:
                self._enqueue(entry_id)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="indexer", daemon=True)
                self._thread.start()

    def _enqueue(self, entry_id: str) -> None:
        self._stops[entry_id] = threading.Event()
        self._queue.add(shelf.person_of(entry_id), entry_id)

    def resume(self) -> None:
        """Queue what an earlier program left unfinished; what another one is at goes on there."""
        for entry in reversed(shelf.all_entries()):
            if entry.state == "waiting" or entry.reason == shelf.CUT_SHORT:
                with acting_for(OWNER), suppress(MicroscopeError):  # deleted meanwhile, or a full disk
                    shelf.changed(entry.id, lambda one: replace(one, state="waiting", reason=""))
                self.submit(entry.id)

    def cancel(self, entry_id: str) -> None:
        """Stop a corpus at its next report, at once where it only waits; what was embedded is kept."""
        with self._lock:
            self._again.discard(entry_id)
            if self._queue.remove(lambda waiting: waiting == entry_id) is not None:
                del self._stops[entry_id]
                keep_failure(entry_id, STOPPED, "stopped")
            elif entry_id in self._stops:
                self._stops[entry_id].set()

    def progress(self, entry_id: str) -> IndexProgress | None:
        """Return where a corpus stands, None where it is neither queued nor at work."""
        with self._lock:
            if self._now is not None and self._now[0] == entry_id:
                return self._now[1]
            queue = self._queue.in_order()
            return IndexProgress(position=queue.index(entry_id) + 1) if entry_id in queue else None

    def wait(self, seconds: float) -> bool:
        """Return whether everything was finished within so many seconds."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return thread is None or not thread.is_alive()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._thread = None
                    return
                entry_id = self._queue.take()
                stop = self._stops[entry_id]
                self._now = (entry_id, IndexProgress())
            try:
                with acting_for(OWNER):
                    self._index(entry_id, stop)
            finally:
                with self._lock:
                    self._now = None
                    del self._stops[entry_id]
                    if entry_id in self._again:
                        self._again.remove(entry_id)
                        self._enqueue(entry_id)

    def _index(self, entry_id: str, stop: threading.Event) -> None:
        pace = Pace()

        def report(event: Event) -> None:
            if isinstance(event, Stage):
                pace.see(event.name, event.done)
                self._note(entry_id, event, pace)
            if not stop.is_set() and self._busy():
                self._wait_for_the_run(entry_id, stop)
                pace.forget()
            if stop.is_set():
                raise Cancelled(STOPPED)

        try:
            finish_entry(entry_id, self._embedder(), report)
        except MicroscopeError as exc:
            log.warning("Indexing failed: %s", exc)
            keep_failure(entry_id, str(exc))
        except Exception:  # the border where any failure of the thread becomes a sentence
            log.exception("Indexing failed")
            keep_failure(entry_id, UNEXPECTED)

    def _note(self, entry_id: str, stage: Stage, pace: Pace) -> None:
        left = pace.seconds_left(stage.total) if stage.total else None
        with self._lock:
            self._now = (
                entry_id,
                IndexProgress(stage=stage.name, done=stage.done, total=stage.total, seconds_left=left),
            )

    def _wait_for_the_run(self, entry_id: str, stop: threading.Event) -> None:
        with self._lock:
            if self._now is not None:
                self._now = (entry_id, replace(self._now[1], paused=True, seconds_left=None))
        while self._busy() and not stop.wait(PAUSE_SECONDS):
            pass


def keep_failure(entry_id: str, reason: str, state: State = "failed") -> None:
    """Keep why a corpus was not indexed, where its entry can still be kept and no other program is at it."""
    if is_held(shelf.work_lock(entry_id)):
        return
    with suppress(MicroscopeError):  # deleted for good while it was indexed, or a full disk
        shelf.changed(entry_id, lambda one: replace(one, state=state, reason=reason))


def finish_entry(entry_id: str, embedder: Embedder, report: Callable[[Event], None]) -> CorpusEntry:
    """Return the entry after indexing it: "ready", or "stopped" or "failed" with the reason.

    It stays "waiting" where files were added meanwhile, since what was read is not all of it. While another program
    indexes it, this one waits. Raises RecordError or StorageError where the entry itself cannot be kept, and what
    ``report`` raises while it waits.
    """
    looks = count()
    with locked(shelf.work_lock(entry_id), lambda: report(Stage(method="retrieval", name=ELSEWHERE, done=next(looks)))):
        return finish_alone(entry_id, embedder, report)


def finish_alone(entry_id: str, embedder: Embedder, report: Callable[[Event], None]) -> CorpusEntry:
    """Return the entry after indexing it, as ``finish_entry`` does, while no other program is at it."""
    began = time.monotonic()
    state: State = "ready"
    reason = ""
    entry = shelf.entry_of(entry_id)
    try:
        index_entry(entry, embedder, report)
    except Cancelled as exc:
        state, reason = "stopped", str(exc)
    except MicroscopeError as exc:
        state, reason = "failed", str(exc)
    seconds = time.monotonic() - began

    def concluded(one: CorpusEntry) -> CorpusEntry:
        spent = replace(one, seconds=one.seconds + seconds)
        outdated = one.path != entry.path and state != "stopped"
        return spent if outdated else replace(spent, state=state, reason=reason)

    return shelf.changed(entry_id, concluded)


def index_entry(entry: CorpusEntry, embedder: Embedder, report: Callable[[Event], None]) -> None:
    """Read, cut and embed a corpus, keeping on its entry what is known after each step.

    Raises what reading and indexing raise.
    """
    path, profile = Path(entry.path), PROFILES["embedded"]
    with acting_for(entry.person):
        refuse_unlisted(entry.path, "corpus")
    keep_step(entry, state="indexing", reason="")
    reading = read_corpus(path, report)
    shelf.keep_questions(entry.id, reading.questions)
    key = content_hash(reading.documents, profile.chunk_tokens, profile.chunk_overlap, embedder.name)
    keep_step(
        entry,
        files=reading.files,
        documents=len(reading.documents),
        questions=len(reading.questions),
        size=shelf.corpus_bytes(path),
    )
    cut = FixedCut(tokens=profile.chunk_tokens, overlap=profile.chunk_overlap)
    words = stored_index(key, reading.documents, cut, embedder, report, words=True)
    if words is None:
        raise CorpusError("The documents hold no text to index.")
    keep_step(entry, state="words", passages=len(words.chunks), content_hash=key)
    stored_index(key, reading.documents, cut, embedder, report, words=False)


def keep_step(entry: CorpusEntry, **measured: Any) -> None:
    """Keep what is known of a corpus after a step. Raises CorpusError where it has other files than it was read from.

    Only what was measured is written: name, files and deletion may have changed since the indexing began.
    """

    def known(one: CorpusEntry) -> CorpusEntry:
        if one.path != entry.path:
            raise CorpusError(OTHER_FILES)
        return replace(one, **measured)

    shelf.changed(entry.id, known)
