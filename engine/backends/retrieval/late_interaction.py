"""Reading the first passages again, token by token: late interaction (ColBERT, Khattab and Zaharia 2020, eq. 3).

Each token of the question looks for the token of the passage that is most like it; the passage's score is the mean of
those cosines (ColBERT takes the sum, which orders alike). ColBERT trains its encoder for this. Here the packaged MiniLM
stands in, whose token vectors were trained only to be averaged into one vector a text: an honest second look, and no
trained reranker. It reads what the hybrid search found first and only orders it anew.
"""

from collections.abc import Sequence

import numpy as np

from engine.backends.retrieval.base import Embedder, text_parts

RERANKED = 20


def late_interaction(question: np.ndarray, passage: np.ndarray) -> float:
    """Return the mean over the question's tokens of the best cosine with a token of the passage, in [-1, 1].

    ``question`` [q, d] and ``passage`` [p, d] hold rows of length 1; higher = the passage speaks of the same.

    >>> late_interaction(np.eye(2), np.array([[1.0, 0.0]]))
    0.5
    """
    return float((question @ passage.T).max(axis=1).mean())


def rerank_scores(question: str, texts: Sequence[str], embedder: Embedder) -> list[float]:
    """Return the score of each text for the question; a text longer than the encoder reads counts in its parts."""
    parts = [text_parts(text, embedder) for text in texts]
    wanted = np.concatenate(embedder.token_rows(text_parts(question, embedder)))
    rows = iter(embedder.token_rows([part for split in parts for part in split]))
    return [late_interaction(wanted, np.concatenate([next(rows) for _ in split])) for split in parts]
