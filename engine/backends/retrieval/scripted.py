"""An embedder for tests, shipped beside the real one: words hashed into 256 places, no weights, no surprise."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from engine.core.errors import InputError

PLACES = 256


class HashedWords:
    """Bag of words: two texts are as close as the words they share. One token a word, and two marks as BERT has."""

    name = "hashed-words"

    def __init__(self, max_tokens: int = 512) -> None:
        self.max_tokens = max_tokens
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, 256] float32 rows of length 1; raises InputError where a text is too long."""
        rows = np.zeros((len(texts), PLACES), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            if self.count_tokens(text) > self.max_tokens:
                raise InputError(f"{self.count_tokens(text)} tokens, at most {self.max_tokens}")
            for word in re.findall(r"\w+", text.casefold()) or [""]:
                row[hashlib.sha256(word.encode()).digest()[0]] += 1.0
        self.embedded.extend(texts)
        unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def token_rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return one row for each word of a text, in order."""
        return [self.embed(re.findall(r"\w+", text) or [""]) for text in texts]

    def count_tokens(self, text: str) -> int:
        """Return words and signs of punctuation, and two marks."""
        return len(re.findall(r"\w+|[^\w\s]", text)) + 2
