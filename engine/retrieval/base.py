"""What every retriever and embedder gives."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from engine.records import Document, Hit, Passage


class Embedder(Protocol):
    """A sentence encoder held open. ``max_tokens`` is what it reads; longer text raises, it is never cut silently."""

    name: str
    max_tokens: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, d] float32 rows of length 1, so that a dot product is a cosine."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the encoder reads in the text."""


class Corpus(Protocol):
    """An indexed corpus held open: documents, passages, and search over them."""

    name: str
    content_hash: str
    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]

    def search(self, query: str, k: int, retriever: str = "hybrid") -> tuple[Hit, ...]:
        """Return at most k hits, best first; ``retriever`` is "bm25", "vector" or "hybrid" (reciprocal rank fusion).

        Raises CorpusError where nothing is found, so that no method ever reads an empty retrieval.
        """
