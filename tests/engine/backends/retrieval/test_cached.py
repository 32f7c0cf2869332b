"""The embedder behind its rows: a text is read once, exactly, and the encoder stays closed where all is known."""

from pathlib import Path

import numpy as np
import pytest

from engine.backends.call_cache import CallCache
from engine.backends.retrieval.cached import CachedEmbedder


class Counting:
    """An embedder that writes down what it reads."""

    name, max_tokens = "counting", 8

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed(self, texts: list[str]) -> np.ndarray:
        """Return rows of length 1 that single precision holds."""
        self.read += texts
        return np.array([[1.0, 0.0] if len(text) % 2 else [0.6, 0.8] for text in texts], dtype=np.float32).reshape(
            -1, 2
        )

    def count_tokens(self, text: str) -> int:
        """Return the characters."""
        return len(text)


def cached(path: Path, inner: Counting, maker: str = "e") -> CachedEmbedder:
    """Return the embedder behind a cache."""
    return CachedEmbedder("counting", 8, CallCache(path / "c.sqlite"), maker, lambda: inner, lambda: inner.count_tokens)


def test_a_text_is_read_once_and_its_row_comes_back_bit_for_bit(tmp_path: Path) -> None:
    inner = Counting()
    rows = cached(tmp_path, inner).embed(["a", "bb", "a"])
    again = cached(tmp_path, inner).embed(["bb", "a"])
    assert inner.read == ["a", "bb"]
    assert (again.dtype, again.tobytes()) == (np.float32, rows[[1, 0]].tobytes())


def test_where_all_is_known_the_encoder_stays_closed(tmp_path: Path) -> None:
    cached(tmp_path, Counting()).embed(["a"])
    closed = CachedEmbedder(
        "counting", 8, CallCache(tmp_path / "c.sqlite"), "e", lambda: pytest.fail("opened"), lambda: len
    )
    assert closed.embed(["a"]).shape == (1, 2)
    assert closed.count_tokens("abc") == 3


def test_another_encoder_reads_anew(tmp_path: Path) -> None:
    one, two = Counting(), Counting()
    cached(tmp_path, one).embed(["a"])
    cached(tmp_path, two, "other").embed(["a"])
    assert (one.read, two.read) == (["a"], ["a"])


def test_no_text_gives_no_row_of_the_encoders_width(tmp_path: Path) -> None:
    assert cached(tmp_path, Counting()).embed([]).shape == (0, 2)
