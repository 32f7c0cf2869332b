"""The packaged embedder behind the cache on disk: it is opened only for a text it has not read before.

A text's row depends on the encoder and the text only. Rows are kept as they are, in single precision, so a corpus whose
indexing was cut off goes on with what it had.
"""

import threading
from collections.abc import Callable, Sequence

import numpy as np

from engine.backends.call_cache import CallCache, array_from_bytes, array_to_bytes, key_of
from engine.backends.retrieval.base import Embedder

Count = Callable[[str], int]


class CachedEmbedder:
    """An embedder behind its rows; ``maker`` names its weights, code and machine in the cache."""

    def __init__(
        self,
        name: str,
        max_tokens: int,
        cache: CallCache,
        maker: str,
        open_embedder: Callable[[], Embedder],
        open_counter: Callable[[], Count],
    ) -> None:
        """Hold the ways to the encoder, and to its tokenizer, which is opened alone where nothing is embedded."""
        self.name, self.max_tokens = name, max_tokens
        self._cache, self._maker = cache, maker
        self._open_embedder, self._open_counter = open_embedder, open_counter
        self._embedder: Embedder | None = None
        self._count: Count | None = None
        self._lock = threading.Lock()

    def open(self) -> Embedder:
        """Return the encoder, opened now where it was not."""
        with self._lock:
            if self._embedder is None:
                self._embedder = self._open_embedder()
            return self._embedder

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, d] float32 rows of length 1; only texts without a kept row are read, together."""
        keys = [key_of("embedding", self._maker, text) for text in texts]
        rows = {key: row for key, value in self._cache.get(keys).items() if (row := row_from(value)) is not None}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if new or not texts:
            made = dict(zip(new, (embedded := self.open().embed(list(new.values()))), strict=True))
            if not texts:
                return embedded
            self._cache.put("embedding", {key: array_to_bytes(row) for key, row in made.items()})
            rows |= made
        return np.stack([rows[key] for key in keys])

    def token_rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return one [tokens, d] float32 matrix per text; only texts without a kept matrix are read, together."""
        keys = [key_of("token rows", self._maker, text) for text in texts]
        rows = {key: row for key, value in self._cache.get(keys).items() if (row := row_from(value)) is not None}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if new:
            made = dict(zip(new, self.open().token_rows(list(new.values())), strict=True))
            self._cache.put("token rows", {key: array_to_bytes(row) for key, row in made.items()})
            rows |= made
        return [rows[key] for key in keys]

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the encoder reads in the text."""
        with self._lock:
            if self._count is None:
                self._count = self._open_counter()
            return self._count(text)


def row_from(value: bytes) -> np.ndarray | None:
    """Return a kept row, None where it cannot be read."""
    try:
        return array_from_bytes(value)
    except ValueError:
        return None
