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


def embeddings(texts: Sequence[str], embedder: Embedder) -> dict[str, np.ndarray]:
    """Return text -> row of length 1; a text longer than the embedder reads is the mean of its parts."""
    parts = [text_parts(text, embedder) for text in texts]
    rows = iter(embedder.embed([part for text in parts for part in text]))
    means = {text: np.sum([next(rows) for _ in split], axis=0) for text, split in zip(texts, parts, strict=True)}
    return {text: mean / (np.linalg.norm(mean) or 1.0) for text, mean in means.items()}


def text_parts(text: str, embedder: Embedder) -> list[str]:
    """Return the text in as few halves of halves as the embedder can read; one part for nearly every answer."""
    if len(text) < 2 or embedder.count_tokens(text) <= embedder.max_tokens:
        return [text]
    middle = text.rfind(" ", 1, len(text) // 2 + 1)
    middle = len(text) // 2 if middle < 1 else middle
    return text_parts(text[:middle], embedder) + text_parts(text[middle:], embedder)
