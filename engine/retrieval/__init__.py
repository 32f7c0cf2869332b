"""Finding passages: readers of files, chunks with offsets, BM25, exact vector search, and both fused.

``load_embedder()``, ``load_corpus(...)`` and ``pasted_corpus(...)`` are the ways in; everything else is named by its
file.
"""

from functools import cache
from pathlib import Path

from engine.progress import Report, silent
from engine.records import Document
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


def pasted_corpus(documents: tuple[Document, ...], name: str, embedder: Embedder) -> Corpus:
    """Return given passages as a corpus, as ``engine.retrieval.corpus.pasted_corpus`` says."""
    from engine.retrieval import corpus

    return corpus.pasted_corpus(documents, name, embedder)
