"""Finding passages: readers of files, chunks with offsets, BM25, exact vector search, and both fused.

``load_embedder()``, ``load_corpus(...)`` and ``pasted_corpus(...)`` are the ways in; everything else is named by its
file.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from engine.backends.call_cache import default_cache
from engine.backends.devices import Device, chosen_device
from engine.backends.fingerprints import TORCH, fingerprint, model_files
from engine.backends.retrieval.base import Embedder
from engine.backends.retrieval.cached import CachedEmbedder
from engine.backends.retrieval.corpus import load_corpus, pasted_corpus
from engine.backends.retrieval.embedders import MiniLM, minilm_folder, positions_in, tokenizer_in

__all__ = ["load_corpus", "load_embedder", "pasted_corpus"]
EMBEDDERS = Path(__file__).parent / "embedders.py"


def load_embedder(device: str = "auto") -> CachedEmbedder:
    """Return the packaged embedder, once per process and device, opened for the first text it has not read before.

    Raises ModelError where it is not installed, or where there is no such device.
    """
    return embedder_on(chosen_device(device))


@cache
def embedder_on(device: Device) -> CachedEmbedder:
    """Return the packaged embedder on a device of this machine. Raises ModelError where it is not installed."""
    folder, cache_on_disk = minilm_folder(), default_cache()

    def open_embedder() -> Embedder:
        return MiniLM(folder, device)

    def open_counter() -> Callable[[str], int]:
        tokenizer = tokenizer_in(folder)
        return lambda text: len(tokenizer.encode(text).ids)

    elsewhere = () if device == "cpu" else (device,)  # another device rounds otherwise
    maker = fingerprint(cache_on_disk, model_files(folder), (EMBEDDERS,), TORCH, MiniLM.name, *elsewhere)
    return CachedEmbedder(MiniLM.name, positions_in(folder), cache_on_disk, maker, open_embedder, open_counter)
