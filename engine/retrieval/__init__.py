"""Finding passages: readers of files, chunks with offsets, BM25, exact vector search, and both fused.

``load_embedder()`` and ``load_corpus(...)`` are the two ways in; everything else is named by its file.
"""

from functools import cache
from pathlib import Path

from engine.progress import Report, silent
from engine.retrieval.base import Corpus, Embedder


@cache
def load_embedder() -> Embedder:
    """Return the packaged embedder, loaded once per process; raises ModelError where it is not installed."""
    from engine.retrieval.embedders import MiniLM, minilm_folder

    return MiniLM(minilm_folder())


def load_corpus(
    source: str | Path,
    *,
    chunk_tokens: int,
    chunk_overlap: int,
    embedder: Embedder,
    report: Report = silent,
) -> Corpus:
    """Return the corpus in a file or folder, as ``engine.retrieval.corpus.load_corpus`` says."""
    from engine.retrieval import corpus

    return corpus.load_corpus(
        source, chunk_tokens=chunk_tokens, chunk_overlap=chunk_overlap, embedder=embedder, report=report
    )
