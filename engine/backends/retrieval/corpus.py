"""An open corpus: its documents, their passages, and search by words, by meaning, both fused, or reranked.

"hybrid" is reciprocal rank fusion of the BM25 and the vector ranking; every ranking breaks ties by the passage's place
in the corpus, so a search gives the same hits every time. A passage's text is cut out of its document when it is
needed. The corpus opened last stays open: where no file of it has changed, opening it again reads nothing.

An index is made in two parts: cutting and counting words takes seconds, embedding takes most of the time. A search by
words needs the first part only. Rows of embeddings are kept in the call cache as they are made, so that indexing goes
on where it was stopped, and a file added to a corpus costs its own passages only.
"""

import os
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import overload

import numpy as np

from engine.backends.retrieval.base import Cut, Embedder, FixedCut, embedding, embeddings
from engine.backends.retrieval.bm25_index import build_bm25
from engine.backends.retrieval.chunkers import chunk, passage_of, reading
from engine.backends.retrieval.documents import (
    GIVEN_NAME,
    MANIFEST,
    corpus_name,
    folder_files,
    is_folder,
    read_documents,
)
from engine.backends.retrieval.fusion import best, fused, ranking
from engine.backends.retrieval.index_store import (
    StoredIndex,
    content_hash,
    files_state,
    index_folder,
    index_state,
    read_index,
    shipped_index,
    write_index,
)
from engine.backends.retrieval.late_interaction import RERANKED, rerank_scores
from engine.backends.retrieval.semantic_chunker import semantic_chunks
from engine.backends.retrieval.vector_index import VectorIndex
from engine.backends.text.base import TextTools
from engine.core.allowed import refuse_unlisted
from engine.core.errors import CorpusError, StorageError
from engine.core.folders import data_folder, sample_data
from engine.core.progress import Report, Stage, silent
from engine.core.records import Document, Hit, Passage

SAMPLE = "sample"
FIRST_LOOK = 2_000_000  # characters: about a second of cutting and counting on one slow core
WORDS = "-words"
BATCH = 64  # a second of embedding on one slow core: a run stops between two batches
RETRIEVERS = ("hybrid", "bm25", "vector", "reranked")


class IndexedCorpus:
    """Documents, passages and both indexes; ``content_hash`` names texts, chunk sizes and embedder."""

    def __init__(
        self, *, name: str, key: str, documents: tuple[Document, ...], index: StoredIndex, embedder: Embedder
    ) -> None:
        self.name = name
        self.content_hash = key
        self.documents = documents
        self.passages: Sequence[Passage] = CutPassages(documents, index.chunks)
        self._embedder = embedder
        self._bm25 = index.bm25
        self._vectors = None if index.embeddings is None else VectorIndex(index.embeddings)

    def search(self, query: str, k: int, retriever: str = "hybrid") -> tuple[Hit, ...]:
        """Return at most k hits, best first; ``retriever`` is "hybrid", "bm25", "vector" or "reranked".

        Scores: BM25 > 0, cosine in [-1, 1], the sum of 1 / (60 + rank), or the mean of the question's tokens' best
        cosines (``late_interaction``). Raises CorpusError where nothing is found
        (BM25 without a word in common), ValueError for another retriever or k below 1.
        """
        if retriever not in RETRIEVERS:
            raise ValueError(f"retriever must be one of {', '.join(RETRIEVERS)}, got {retriever!r}")
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        scored = self._scored(query, k, retriever)
        if not scored:
            raise CorpusError(
                "No passage shares a word with the question; search by meaning (vector or hybrid) instead."
            )
        return tuple(
            Hit(passage=self.passages[place], rank=rank, score=score, retriever=retriever)
            for rank, (place, score) in enumerate(scored, start=1)
        )

    def cut_anew(
        self, cut: Cut, document_ids: Collection[str], text: TextTools, report: Report = silent
    ) -> "IndexedCorpus":
        """Return a corpus of these documents only, cut in another way and kept in memory.

        Raises CorpusError where none of the documents is here, or where such chunks are longer than the embedder reads.
        """
        documents = tuple(document for document in self.documents if document.document_id in document_ids)

        def cut_document(document: Document) -> Sequence[Passage]:
            if isinstance(cut, FixedCut):
                return chunk(document, self._embedder, cut.tokens, cut.overlap, report)
            return semantic_chunks(document, cut, self._embedder, text)

        def embed_whole(texts: Sequence[str]) -> np.ndarray:  # a sentence may be longer than the embedder reads
            known = embeddings(texts, self._embedder)
            return np.stack([known[text] for text in texts])

        index = build_index(
            documents, cut_document, embed_whole, self._embedder, report, stage="cutting documents anew", every=1
        )
        if index is None:
            raise CorpusError("None of these documents is in the corpus, so there is nothing to cut anew.")
        return IndexedCorpus(name=self.name, key="", documents=documents, index=index, embedder=self._embedder)

    def _scored(self, query: str, k: int, retriever: str) -> list[tuple[int, float]]:
        """Return (place, score) of the k best passages the retriever finds, best first."""
        if retriever == "reranked":
            return self._reranked(query, k)
        by_word = np.zeros(0) if retriever == "vector" else self._bm25.scores(query)
        if retriever == "bm25":
            return [(int(place), float(by_word[place])) for place in best(by_word, k, above=0.0)]
        by_meaning = self._embedded().scores(embedding(query, self._embedder))
        if retriever == "vector":
            return [(int(place), float(by_meaning[place])) for place in best(by_meaning, k)]
        totals = fused([ranking(by_word, above=0.0), ranking(by_meaning)], len(by_meaning))
        return [(int(place), float(totals[place])) for place in best(totals, k, above=0.0)]

    def _embedded(self) -> VectorIndex:
        """Return the search by meaning; a corpus that was opened for a search by words is embedded now."""
        if self._vectors is None:
            texts = [reading(passage, self._embedder) for passage in self.passages]
            self._vectors = VectorIndex(embedded(texts, self._embedder.embed, silent))
        return self._vectors

    def _reranked(self, query: str, k: int) -> list[tuple[int, float]]:
        """Return (place, score) of the k best of what hybrid finds first, each read once more; ties by its order."""
        places = [place for place, _ in self._scored(query, max(k, RERANKED), "hybrid")]
        texts = [reading(self.passages[place], self._embedder) for place in places]
        scores = rerank_scores(query, texts, self._embedder)
        return sorted(zip(places, scores, strict=True), key=lambda pair: -pair[1])[:k]


class CutPassages(Sequence[Passage]):
    """The passages of a corpus in order, each cut out of its document when it is needed.

    ``chunks`` is [passages, 3] (document, start, end).
    """

    def __init__(self, documents: Sequence[Document], chunks: np.ndarray) -> None:
        self._documents, self._chunks = documents, chunks

    def __len__(self) -> int:
        """Return how many passages there are."""
        return len(self._chunks)

    @overload
    def __getitem__(self, place: int) -> Passage: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Passage, ...]: ...

    def __getitem__(self, place: int | slice) -> Passage | tuple[Passage, ...]:
        """Return the passage at a place, or those of a slice; raises IndexError beyond the last."""
        if isinstance(place, slice):
            return tuple(self[at] for at in range(*place.indices(len(self))))
        at, start, end = (int(number) for number in self._chunks[place])
        return passage_of(self._documents[at], start, end)


# The corpus opened last, by its source and settings, with the state of every file it was opened from.
_LAST: dict[tuple[object, ...], tuple[tuple[object, ...], IndexedCorpus]] = {}


def load_corpus(
    source: str | Path,
    *,
    chunk_tokens: int,
    chunk_overlap: int,
    embedder: Embedder,
    report: Report = silent,
    retriever: str = "hybrid",
) -> IndexedCorpus:
    """Return the corpus in a file or folder ("sample" = the shipped encyclopaedia), indexed once and then reused.

    The index lies in the data folder under the hash of its content, so a copy of the corpus elsewhere reuses it. For
    ``retriever`` "bm25" nothing is embedded. ``report`` is called between files and batches and may raise to stop.
    Raises CorpusError where there is nothing to index or the embedder cannot read such chunks, StorageError where the
    index cannot be stored.
    """
    refuse_unlisted(str(source), "corpus")
    path = source_path(source)
    words = retriever == "bm25"
    settings = (path, data_folder(), chunk_tokens, chunk_overlap, embedder, words)
    state, corpus = _LAST.get(settings, ((), None))
    if corpus is not None and state == (source_state(path), index_state(index_folder(corpus.content_hash))):
        return corpus
    before = source_state(path)
    documents = read_documents(path, report)
    key = content_hash(documents, chunk_tokens, chunk_overlap, embedder.name)
    cut = FixedCut(tokens=chunk_tokens, overlap=chunk_overlap)
    index = stored_index(key, documents, cut, embedder, report, words=words)
    if index is None:
        raise CorpusError(f"The documents of {path.name} hold no text to index.")
    corpus = IndexedCorpus(name=corpus_name(path), key=key, documents=documents, index=index, embedder=embedder)
    _LAST.clear()
    _LAST[settings] = ((before, index_state(index_folder(key))), corpus)
    return corpus


def source_path(source: str | Path) -> Path:
    """Return the file or folder that a corpus is named by; "sample" is the shipped encyclopaedia.

    Raises CorpusError for an empty name, which would otherwise be the folder the program was started in.
    """
    if not str(source).strip():
        raise CorpusError("The corpus has no name. Give a file or folder of documents, or 'sample'.")
    return sample_data() if source == SAMPLE else Path(os.path.expanduser(source))


def stored_index(
    key: str, documents: Sequence[Document], cut: FixedCut, embedder: Embedder, report: Report, *, words: bool
) -> StoredIndex | None:
    """Return the index under ``key``, made and stored where it is not there; None where there is no passage.

    ``words``: the part for a search by words is enough. Raises StorageError where it cannot be stored.
    """
    whole, part = index_folder(key), index_folder(f"{key}{WORDS}")
    index = read_index(whole)
    if index is not None:
        return index
    index = shipped_index(key)
    if index is not None:
        write_index(whole, index)  # beside the others: it is then listed, counted and removed as they are
        return index
    index = read_index(part)
    if index is None:
        index = words_index(
            documents, lambda one: chunk(one, embedder, cut.tokens, cut.overlap, report), embedder, report
        )
    elif words:
        return index
    if index is None:
        return None
    if not words:
        passages = CutPassages(documents, index.chunks)
        rows = embedded([reading(passage, embedder) for passage in passages], embedder.embed, report)
        index = replace(index, embeddings=rows)
    write_index(part if words else whole, index)
    if not words:
        shutil.rmtree(part, ignore_errors=True)
    found = read_index(part) if words else None
    if found is None:  # whoever embedded the same texts meanwhile has removed the part
        found = read_index(whole)
    if found is None:
        raise StorageError("The index was stored and could not be read back; set another data folder.")
    return found


def passages_with_words(
    source: str | Path, question: str, k: int, *, chunk_tokens: int, chunk_overlap: int, embedder: Embedder
) -> tuple[Hit, ...]:
    """Return at most k passages of a corpus by BM25 alone, best first; () where none shares a word.

    Nothing is embedded and nothing stored. A corpus without a stored or shipped index is indexed by its words in
    memory, one of more than ``FIRST_LOOK`` characters is not: (). Raises CorpusError where the corpus cannot be read.
    """
    refuse_unlisted(str(source), "corpus")
    documents = read_documents(source_path(source), silent)
    key = content_hash(documents, chunk_tokens, chunk_overlap, embedder.name)
    index = read_index(index_folder(key)) or shipped_index(key) or read_index(index_folder(f"{key}{WORDS}"))
    if index is None and sum(len(document.text) for document in documents) <= FIRST_LOOK:
        index = words_index(documents, lambda one: chunk(one, embedder, chunk_tokens, chunk_overlap), embedder, silent)
    if index is None:
        return ()
    passages, scores = CutPassages(documents, index.chunks), index.bm25.scores(question)
    return tuple(
        Hit(passage=passages[int(place)], rank=rank, score=float(scores[place]), retriever="bm25")
        for rank, place in enumerate(best(scores, k, above=0.0), start=1)
    )


def source_state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return the state of a corpus's files, manifest and given name; raises CorpusError where one is missing."""
    files = (*folder_files(path), path / MANIFEST, path / GIVEN_NAME) if is_folder(path) else (path,)
    try:
        return files_state(file for file in files if file.exists())
    except OSError as exc:
        raise CorpusError(f"A file of {path.name} cannot be looked at: {exc.strerror}.") from exc


def pasted_corpus(documents: tuple[Document, ...], name: str, embedder: Embedder) -> IndexedCorpus:
    """Return given passages as a corpus of their own, each whole, so that a method can search among them again."""
    texts = [f"{document.title}: {document.text}" if document.title else document.text for document in documents]
    known = embeddings(texts, embedder)
    index = StoredIndex(
        chunks=np.array([(at, 0, len(document.text)) for at, document in enumerate(documents)], dtype=np.int64),
        embeddings=np.stack([known[text] for text in texts]),
        bm25=build_bm25(texts),
    )
    return IndexedCorpus(name=name, key="", documents=documents, index=index, embedder=embedder)


def build_index(
    documents: Sequence[Document],
    cut_document: Callable[[Document], Sequence[Passage]],
    embed: Callable[[Sequence[str]], np.ndarray],
    embedder: Embedder,
    report: Report,
    *,
    stage: str = "cutting documents",
    every: int = BATCH,
) -> StoredIndex | None:
    """Return the index of the documents (cut, embedded, counted), None where they give no passage.

    ``report`` is called before every so many documents, and before each batch of passages.
    """
    index = words_index(documents, cut_document, embedder, report, stage=stage, every=every)
    if index is None:
        return None
    texts = [reading(passage, embedder) for passage in CutPassages(documents, index.chunks)]
    return replace(index, embeddings=embedded(texts, embed, report))


def words_index(
    documents: Sequence[Document],
    cut_document: Callable[[Document], Sequence[Passage]],
    embedder: Embedder,
    report: Report,
    *,
    stage: str = "cutting documents",
    every: int = BATCH,
) -> StoredIndex | None:
    """Return the part of the index for a search by words, None where the documents give no passage."""
    places: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for number, document in enumerate(documents):
        if number % every == 0:
            report(Stage(method="retrieval", name=stage, done=number, total=len(documents)))
        for passage in cut_document(document):
            places.append((number, passage.start, passage.end))
            texts.append(reading(passage, embedder))
    if not places:
        return None
    return StoredIndex(chunks=np.array(places, dtype=np.int64), embeddings=None, bm25=build_bm25(texts))


def embedded(texts: Sequence[str], embed: Callable[[Sequence[str]], np.ndarray], report: Report) -> np.ndarray:
    """Return [n, d] rows of the texts, in their order; ``report`` is called before each batch.

    Texts of about the same length are embedded together, so that little is spent on padding; the longest come first, so
    that what is left never takes longer than what was done.
    """
    order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
    rows: np.ndarray | None = None
    for first in range(0, len(texts), BATCH):
        report(Stage(method="retrieval", name="embedding passages", done=first, total=len(texts)))
        places = order[first : first + BATCH]
        made = embed([texts[place] for place in places])
        rows = np.empty((len(texts), made.shape[1]), dtype=np.float32) if rows is None else rows
        rows[places] = made
    report(Stage(method="retrieval", name="embedding passages", done=len(texts), total=len(texts)))
    return np.zeros((0, 0), dtype=np.float32) if rows is None else rows
