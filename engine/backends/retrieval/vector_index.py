"""Exact vector search: every passage's cosine with the question, by faiss over rows of length 1.

The rows are read where they lie. Those of a stored index are a file mapped into memory: nothing is copied when it is
opened, and the system keeps in its cache what is searched.
"""

import numpy as np


class VectorIndex:
    """The embeddings of all passages: [n, d] rows of length 1; float32 rows in one piece, mapped or not, stay there."""

    def __init__(self, embeddings: np.ndarray) -> None:
        self._rows = np.ascontiguousarray(embeddings, dtype=np.float32)

    def scores(self, query: np.ndarray) -> np.ndarray:
        """Return [passages] cosines in [-1, 1] with one embedded question [d]."""
        import faiss  # slow to import, and only needed to search

        question = np.ascontiguousarray(query[None, :], dtype=np.float32)
        return np.asarray(faiss.pairwise_distances(question, self._rows, metric=faiss.METRIC_INNER_PRODUCT)[0])
