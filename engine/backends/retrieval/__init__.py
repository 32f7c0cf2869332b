"""Finding passages: readers of files, chunks with offsets, BM25, exact vector search, and both fused.

``load_embedder()``, ``load_corpus(...)`` and ``pasted_corpus(...)`` are the ways in; everything else is named by its
file.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from engine.backends.call_cache import default_cache
from engine.backends.fingerprints import TORCH, fingerprint
from engine.backends.retrieval.base import Corpus, Embedder
from engine.backends.retrieval.cached import CachedEmbedder
from engine.core.progress import Report, silent
from engine.core.records import Document

OWN = Path(__file__).parent
EMBEDDER = "all-MiniLM-L6-v2"
READ = (".safetensors", ".json", ".txt")


@cache
def load_embedder() -> CachedEmbedder:
    """Return the packaged embedder, once per process, opened for the first text that it has not read before.

    Raises ModelError where it is not installed.
    """
    from engine.backends.retrieval.embedders import minilm_folder, positions_in, tokenizer_in

    folder, held = minilm_folder(), default_cache()
    files = [file for file in sorted(folder.iterdir()) if file.suffix in READ]

    def opened() -> Embedder:
        from engine.backends.retrieval.embedders import MiniLM

        return MiniLM(folder)

    def counter() -> Callable[[str], int]:
        tokenizer = tokenizer_in(folder)
        return lambda text: len(tokenizer.encode(text).ids)

    maker = fingerprint(held, files, (OWN / "embedders.py",), TORCH, EMBEDDER)
    return CachedEmbedder(EMBEDDER, positions_in(folder), held, maker, opened, counter)


def load_corpus(
    source: str | Path,
    *,
    chunk_tokens: int,
    chunk_overlap: int,
    embedder: Embedder,
    report: Report = silent,
) -> Corpus:
    """Return the corpus in a file or folder, as ``engine.backends.retrieval.corpus.load_corpus`` says."""
    from engine.backends.retrieval import corpus

    return corpus.load_corpus(
        source, chunk_tokens=chunk_tokens, chunk_overlap=chunk_overlap, embedder=embedder, report=report
    )


def pasted_corpus(documents: tuple[Document, ...], name: str, embedder: Embedder) -> Corpus:
    """Return given passages as a corpus, as ``engine.backends.retrieval.corpus.pasted_corpus`` says."""
    from engine.backends.retrieval import corpus

    return corpus.pasted_corpus(documents, name, embedder)
