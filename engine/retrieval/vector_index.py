"""Exact vector search: every passage's cosine with the question, by faiss IndexFlatIP over rows of length 1."""

import faiss
import numpy as np


class VectorIndex:
    """The embeddings of all passages held open."""

    def __init__(self, embeddings: np.ndarray) -> None:
        """Index [n, d] float32 rows of length 1."""
        self._index = faiss.IndexFlatIP(embeddings.shape[1])
        self._index.add(np.ascontiguousarray(embeddings, dtype=np.float32))

    def scores(self, query: np.ndarray) -> np.ndarray:
        """Return [passages] cosines in [-1, 1] with one embedded question [d]."""
        total = self._index.ntotal
        values, places = self._index.search(np.ascontiguousarray(query[None, :], dtype=np.float32), total)
        scores = np.empty(total, dtype=np.float32)
        scores[places[0]] = values[0]
        return scores
