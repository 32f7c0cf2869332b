"""What every retriever and embedder gives."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from engine.backends.text.base import TextTools
from engine.core.progress import Report, silent
from engine.core.records import Document, Hit, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedCut:
    """Recursive chunks of one size, in the embedder's tokens, each with the overlap before it ("512/64")."""

    tokens: int
    overlap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticCut:
    """Chunks of neighbouring sentences that are alike (DENSE, eq. 7): cosine at least ``similarity``.

    No chunk grows beyond ``most_tokens`` of the embedder's tokens. ``tie``: what a cosine of exactly ``similarity``
    does, "join" (eq. 7) or "cut" (algorithm 2).
    """

    similarity: float
    most_tokens: int
    tie: Literal["join", "cut"] = "join"


Cut = FixedCut | SemanticCut


class Embedder(Protocol):
    """An open sentence encoder. ``max_tokens`` is what it reads; longer text raises, it is never cut silently."""

    name: str
    max_tokens: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, d] float32 rows of length 1, so that a dot product is a cosine."""

    def token_rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return one [tokens, d] float32 matrix per text: a row of length 1 for each token the encoder reads."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the encoder reads in the text."""


class Corpus(Protocol):
    """An open indexed corpus: documents, passages, and search over them."""

    name: str
    content_hash: str
    documents: tuple[Document, ...]
    passages: Sequence[Passage]

    def search(self, query: str, k: int, retriever: str = "hybrid") -> tuple[Hit, ...]:
        """Return at most k hits, best first; ``retriever`` is "bm25", "vector", "hybrid" (reciprocal rank fusion)
        or "reranked" (what hybrid finds first, in the order of a second look).

        Raises CorpusError where nothing is found, so that no method ever reads an empty retrieval.
        """

    def cut_anew(self, cut: Cut, document_ids: Collection[str], text: TextTools, report: Report = silent) -> "Corpus":
        """Return a corpus of these documents only, cut in another way; no document is added and nothing is stored.

        Raises CorpusError where none of the documents is here, or where such chunks are longer than the embedder reads.
        """


def embeddings(texts: Sequence[str], embedder: Embedder) -> dict[str, np.ndarray]:
    """Return text -> row of length 1; a text longer than the embedder reads is the mean of its parts."""
    if not texts:  # an embedder that is not open yet would be opened for nothing
        return {}
    parts = [text_parts(text, embedder) for text in texts]
    rows = iter(embedder.embed([part for text in parts for part in text]))
    means = {text: np.sum([next(rows) for _ in split], axis=0) for text, split in zip(texts, parts, strict=True)}
    return {text: mean / (np.linalg.norm(mean) or 1.0) for text, mean in means.items()}


def embedding(text: str, embedder: Embedder) -> np.ndarray:
    """Return the row [d] of length 1 of one text, as the embedder gives it where it reads the text whole."""
    parts = text_parts(text, embedder)
    row: np.ndarray = embedder.embed(parts)[0] if len(parts) == 1 else embeddings([text], embedder)[text]
    return row


def text_parts(text: str, embedder: Embedder) -> list[str]:
    """Return the text in as few halves of halves as the embedder can read; one part for nearly every answer."""
    if len(text) < 2 or embedder.count_tokens(text) <= embedder.max_tokens:
        return [text]
    middle = text.rfind(" ", 1, len(text) // 2 + 1)
    middle = len(text) // 2 if middle < 1 else middle
    return text_parts(text[:middle], embedder) + text_parts(text[middle:], embedder)
