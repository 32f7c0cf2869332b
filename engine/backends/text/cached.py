"""The parser behind the cache on disk: it is opened only for a text it has not read before.

What the parser says depends on its weights, the libraries and our rules, which together are its ``maker``. Opening it
takes longer than everything else in a second look at a question.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

import pydantic_core
from pydantic import TypeAdapter, ValidationError

from engine.backends.call_cache import CallCache, key_of
from engine.backends.text.base import Entity, Rewording, TaggedWord, TextSpan, TextTools, Triplet

REMEMBERED = 4000
# A longer text is a user's document: parsing it is a small part of what it costs, and it would push much else out.
LONGEST_KEPT = 20_000
Found = TypeVar("Found")

SPANS: TypeAdapter[tuple[TextSpan, ...]] = TypeAdapter(tuple[TextSpan, ...])
WORDS: TypeAdapter[tuple[TaggedWord, ...]] = TypeAdapter(tuple[TaggedWord, ...])
ENTITIES: TypeAdapter[tuple[Entity, ...]] = TypeAdapter(tuple[Entity, ...])
TRIPLETS: TypeAdapter[tuple[Triplet, ...]] = TypeAdapter(tuple[Triplet, ...])
REWORDINGS: TypeAdapter[tuple[Rewording, ...]] = TypeAdapter(tuple[Rewording, ...])


class CachedText:
    """``TextTools`` that remember what they found in a text."""

    def __init__(self, cache: CallCache, maker: str, open_tools: Callable[[], TextTools]) -> None:
        """Hold the way to the parser, and where its findings are kept."""
        self._cache, self._maker, self._open_tools = cache, maker, open_tools
        self._tools: TextTools | None = None
        self._known: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.RLock()

    def open(self) -> TextTools:
        """Return the parser, opened now where it was not."""
        with self._lock:
            if self._tools is None:
                self._tools = self._open_tools()
            return self._tools

    def sentences(self, text: str) -> tuple[TextSpan, ...]:
        """Return the sentences in order; together they cover every non-space character."""
        return self._once("sentences", text, SPANS, lambda: self.open().sentences(text))

    def words(self, text: str) -> tuple[TaggedWord, ...]:
        """Return words and punctuation in order, tagged."""
        return self._once("words", text, WORDS, lambda: self.open().words(text))

    def entities(self, text: str) -> tuple[Entity, ...]:
        """Return the entities worth counting in a corpus, in order, without overlap."""
        return self._once("entities", text, ENTITIES, lambda: self.open().entities(text))

    def triplets(self, sentence: str) -> tuple[Triplet, ...]:
        """Return the claims of one sentence: partial ones for a question, none for a conclusion."""
        return self._once("triplets", sentence, TRIPLETS, lambda: self.open().triplets(sentence))

    def rewordings(self, sentence: str) -> tuple[Rewording, ...]:
        """Return the sentence in other words that mean the same, as far as rules can make them."""
        return self._once("rewordings", sentence, REWORDINGS, lambda: self.open().rewordings(sentence))

    def _once(self, kind: str, text: str, records: TypeAdapter[Found], find: Callable[[], Found]) -> Found:
        """Return what was found in the text before, or find it now and keep it."""
        if len(text) > LONGEST_KEPT:
            return find()
        key = key_of(kind, self._maker, text)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]  # type: ignore[return-value]
        kept = self._cache.get([key]).get(key)
        found = read(records, kept) if kept is not None else None
        if found is None:
            found = find()
            self._cache.put(kind, {key: pydantic_core.to_json(found)})
        with self._lock:
            self._known[key] = found
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found


def read(records: TypeAdapter[Found], value: bytes) -> Found | None:
    """Return the records that were kept, None where they cannot be read."""
    try:
        return records.validate_json(value)
    except ValidationError:
        return None
