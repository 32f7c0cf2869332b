"""Finding passages: readers of files, chunks with offsets, BM25, exact vector search, and both fused.

``load_embedder()``, ``load_corpus(...)`` and ``pasted_corpus(...)`` are the ways in; everything else is named by its
file.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from engine.backends.call_cache import default_cache
from engine.backends.fingerprints import TORCH, fingerprint, model_files
from engine.backends.retrieval.base import Embedder
from engine.backends.retrieval.cached import CachedEmbedder
from engine.backends.retrieval.corpus import load_corpus, pasted_corpus
from engine.backends.retrieval.embedders import MiniLM, minilm_folder, positions_in, tokenizer_in

__all__ = ["load_corpus", "load_embedder", "pasted_corpus"]
EMBEDDERS = Path(__file__).parent / "embedders.py"


@cache
def load_embedder() -> CachedEmbedder:
    """Return the packaged embedder, once per process, opened for the first text that it has not read before.

    Raises ModelError where it is not installed.
    """
    folder, cache_on_disk = minilm_folder(), default_cache()

    def open_embedder() -> Embedder:
        return MiniLM(folder)

    def open_counter() -> Callable[[str], int]:
        tokenizer = tokenizer_in(folder)
        return lambda text: len(tokenizer.encode(text).ids)

    maker = fingerprint(cache_on_disk, model_files(folder), (EMBEDDERS,), TORCH, MiniLM.name)
    return CachedEmbedder(MiniLM.name, positions_in(folder), cache_on_disk, maker, open_embedder, open_counter)
