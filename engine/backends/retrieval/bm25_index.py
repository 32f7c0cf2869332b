"""BM25 over passages (Robertson and Zaragoza 2009), with bm25s: k1 1.5, b 0.75, Lucene's formula.

A word is any run of letters and digits, lower case; single letters and digits count ("Apollo 8", "Richard I"). Lucene's
33 English stop words are left out, nothing is stemmed. Scores are in no unit and compare within one query only.
A stored index is mapped into memory: only the postings of a question's words are read.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.backends.text.composed import composed

WORD = r"(?u)\b\w+\b"


class Bm25Index:
    """A BM25 index made by ``build_bm25`` or read by ``read_bm25``."""

    def __init__(self, index: Any) -> None:
        self._index = index

    def scores(self, query: str) -> np.ndarray:
        """Return [passages] scores, at least 0; 0 = no word in common."""
        words = [word for word in tokenised([query])[0] if word in self._index.vocab_dict]
        if not words:
            return np.zeros(self._index.scores["num_docs"], dtype=np.float32)
        return np.asarray(self._index.get_scores(words), dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Write the index as .npy and .json files; raises OSError."""
        self._index.save(folder, allow_pickle=False, show_progress=False)


def build_bm25(texts: Sequence[str]) -> Bm25Index:
    """Return the index of the texts, at least one."""
    bm25s = bm25s_without_jax()
    index = bm25s.BM25(method="lucene")
    words = tokenised(texts)
    # A corpus of nothing but stop words has no vocabulary, which bm25s cannot index.
    index.index(words if any(words) else [["\x00"] for _ in words], show_progress=False)
    return Bm25Index(index)


def read_bm25(folder: Path) -> Bm25Index:
    """Return the index from its folder, no pickle read; raises OSError or ValueError where it is broken."""
    bm25s = bm25s_without_jax()
    return Bm25Index(bm25s.BM25.load(folder, mmap=True, allow_pickle=False, show_progress=False))


def tokenised(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text, in Unicode's composed form."""
    words: list[list[str]] = bm25s_without_jax().tokenize(
        list(map(composed, texts)), token_pattern=WORD, stopwords="english", return_ids=False, show_progress=False
    )
    return words


def bm25s_without_jax() -> Any:
    """Return bm25s, which is slow to import, without JAX.

    Where JAX is installed, bm25s starts it to pick the best passages, and JAX then takes three quarters of a GPU's
    memory, so that no model fits beside it. Here bm25s only scores.
    """
    if "bm25s" not in sys.modules and "jax" not in sys.modules:
        hidden: dict[str, Any] = sys.modules  # None in the place of a module makes its import fail
        hidden["jax"] = None
        try:
            import bm25s
        finally:
            del hidden["jax"]
    import bm25s

    return bm25s
