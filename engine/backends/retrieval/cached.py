"""The packaged embedder behind the cache on disk: it is opened only for a text it has not read before.

A text's row depends on the encoder and the text only. Rows are kept as they are, in single precision, so a corpus whose
indexing was cut off goes on with what it had.
"""

import threading
from collections.abc import Callable, Sequence

import numpy as np

from engine.backends.call_cache import CallCache
from engine.backends.memory import ARRAY, Memory, Opener
from engine.backends.retrieval.base import Embedder


class CachedEmbedder:
    """An embedder behind its rows; ``maker`` names its weights, code and machine in the cache.

    Its tokenizer is opened alone where nothing is embedded.
    """

    def __init__(
        self,
        name: str,
        max_tokens: int,
        cache: CallCache,
        maker: str,
        open_embedder: Callable[[], Embedder],
        open_counter: Callable[[], Callable[[str], int]],
    ) -> None:
        self.name, self.max_tokens = name, max_tokens
        self._memory = Memory(cache, maker)
        self.open, self._open_counter = Opener(open_embedder), Opener(open_counter)
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, d] float32 rows of length 1; only texts without a kept row are read, together."""
        if not texts:
            return self.open().embed([])
        return np.stack(self._each("embedding", texts, lambda new: self.open().embed(new)))

    def token_rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return one [tokens, d] float32 matrix per text; only texts without a kept matrix are read, together."""
        return self._each("token rows", texts, lambda new: self.open().token_rows(new))

    def _each(
        self, kind: str, texts: Sequence[str], read: Callable[[list[str]], Sequence[np.ndarray] | np.ndarray]
    ) -> list[np.ndarray]:
        return self._memory.each(kind, [self._memory.key(kind, text) for text in texts], texts, read, ARRAY)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the encoder reads in the text."""
        counter = self._open_counter()
        with self._lock:  # one tokenizer object must not be used from two threads at once
            return counter(text)
