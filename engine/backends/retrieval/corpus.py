"""A corpus held open: its documents, their passages, and search by words, by meaning, both fused, or a second look.

"hybrid" is reciprocal rank fusion of the BM25 and the vector ranking; every ranking breaks ties by the passage's place
in the corpus, so a search gives the same hits every time. A passage's text is cut out of its document when it is asked
for. The corpus opened last stays open: where no file of it has changed, asking again reads nothing.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np

from engine.backends.retrieval.base import Cut, Embedder, FixedCut, embeddings
from engine.backends.retrieval.bm25_index import build_bm25
from engine.backends.retrieval.chunkers import chunk, passage_of, reading
from engine.backends.retrieval.documents import MANIFEST, corpus_name, folder_files, is_folder, read_documents
from engine.backends.retrieval.fusion import best, fused, ranking
from engine.backends.retrieval.index_store import (
    StoredIndex,
    content_hash,
    files_state,
    index_folder,
    index_state,
    read_index,
    write_index,
)
from engine.backends.retrieval.late_interaction import READ_AGAIN, read_again
from engine.backends.retrieval.semantic_chunker import semantic_chunks
from engine.backends.retrieval.vector_index import VectorIndex
from engine.backends.text.base import TextTools
from engine.core.errors import CorpusError, StorageError
from engine.core.folders import data_folder, sample_data
from engine.core.progress import Report, Stage, silent
from engine.core.records import Document, Hit, Passage

SAMPLE = "sample"
BATCH = 16  # a second of embedding on one slow core: a run stops between two batches
RETRIEVERS = ("hybrid", "bm25", "vector", "reranked")


class IndexedCorpus:
    """Documents, passages and both indexes; ``content_hash`` names texts, chunk sizes and embedder."""

    def __init__(
        self, *, name: str, key: str, documents: tuple[Document, ...], index: StoredIndex, embedder: Embedder
    ) -> None:
        """Hold what ``load_corpus`` read or made."""
        self.name = name
        self.content_hash = key
        self.documents = documents
        self.passages: Sequence[Passage] = CutPassages(documents, index.chunks)
        self._embedder = embedder
        self._bm25 = index.bm25
        self._vectors = VectorIndex(index.embeddings)

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
        """Return a corpus of these documents only, cut otherwise and held in memory.

        Raises CorpusError where none of the documents is here, or where such chunks are longer than the embedder reads.
        """
        documents = tuple(document for document in self.documents if document.document_id in document_ids)
        places: list[tuple[int, int, int]] = []
        passages: list[Passage] = []
        for number, document in enumerate(documents):
            report(Stage(method="retrieval", name="cutting documents anew", done=number, total=len(documents)))
            if isinstance(cut, FixedCut):
                pieces = chunk(document, self._embedder, cut.tokens, cut.overlap, report)
            else:
                pieces = semantic_chunks(document, cut, self._embedder, text)
            places.extend((number, piece.start, piece.end) for piece in pieces)
            passages.extend(pieces)
        if not passages:
            raise CorpusError("None of these documents is in the corpus, so there is nothing to cut anew.")
        texts = [reading(passage, self._embedder) for passage in passages]
        index = StoredIndex(
            chunks=np.array(places, dtype=np.int64),
            embeddings=embedded_whole(texts, self._embedder, report),
            bm25=build_bm25(texts),
        )
        return IndexedCorpus(name=self.name, key="", documents=documents, index=index, embedder=self._embedder)

    def _scored(self, query: str, k: int, retriever: str) -> list[tuple[int, float]]:
        """Return (place, score) of the k best passages the retriever finds, best first."""
        if retriever == "reranked":
            return self._read_again(query, k)
        by_word = np.zeros(0) if retriever == "vector" else self._bm25.scores(query)
        if retriever == "bm25":
            return [(int(place), float(by_word[place])) for place in best(by_word, k, above=0.0)]
        by_meaning = self._vectors.scores(self._embedder.embed([query])[0])
        if retriever == "vector":
            return [(int(place), float(by_meaning[place])) for place in best(by_meaning, k)]
        totals = fused([ranking(by_word, above=0.0), ranking(by_meaning)], len(by_meaning))
        return [(int(place), float(totals[place])) for place in best(totals, k, above=0.0)]

    def _read_again(self, query: str, k: int) -> list[tuple[int, float]]:
        """Return (place, score) of the k best of what hybrid finds first, each read once more; ties by its order."""
        places = [place for place, _ in self._scored(query, max(k, READ_AGAIN), "hybrid")]
        texts = [reading(self.passages[place], self._embedder) for place in places]
        scores = read_again(query, texts, self._embedder)
        return sorted(zip(places, scores, strict=True), key=lambda pair: -pair[1])[:k]


class CutPassages(Sequence[Passage]):
    """The passages of a corpus in order, each cut out of its document when it is asked for."""

    def __init__(self, documents: tuple[Document, ...], chunks: np.ndarray) -> None:
        """Hold the documents and [passages, 3] (document, start, end)."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A corpus and the state of every file it was opened from: while that is the same, so is the corpus."""

    asked: tuple[object, ...]
    state: tuple[object, ...]
    corpus: IndexedCorpus


_LAST: list[Opened] = []


def load_corpus(
    source: str | Path,
    *,
    chunk_tokens: int,
    chunk_overlap: int,
    embedder: Embedder,
    report: Report = silent,
) -> IndexedCorpus:
    """Return the corpus in a file or folder ("sample" = the shipped encyclopaedia), indexed once and then reused.

    The index lies in the data folder under the hash of its content, so a copy of the corpus elsewhere reuses it.
    ``report`` is called between files and batches and may raise to stop; nothing is stored then. Raises CorpusError
    where there is nothing to index or the embedder cannot read such chunks, StorageError where the index cannot be
    stored.
    """
    path = sample_data() if source == SAMPLE else expanded(source)
    asked = (path, data_folder(), chunk_tokens, chunk_overlap, embedder)
    for last in _LAST:
        if last.asked == asked and last.state == state_of(path, last.corpus.content_hash):
            return last.corpus
    before = source_state(path)
    documents = read_documents(path, report)
    key = content_hash(documents, chunk_tokens, chunk_overlap, embedder.name)
    folder = index_folder(key)
    index = read_index(folder)
    if index is None:
        write_index(folder, build_index(documents, chunk_tokens, chunk_overlap, embedder, report))
        index = read_index(folder)
    if index is None:
        raise StorageError("The index was stored and could not be read back; set another data folder.")
    corpus = IndexedCorpus(name=corpus_name(path), key=key, documents=documents, index=index, embedder=embedder)
    _LAST[:] = [Opened(asked=asked, state=(before, index_state(folder)), corpus=corpus)]
    return corpus


def state_of(path: Path, key: str) -> tuple[object, ...]:
    """Return the state of a corpus' files and of its stored index."""
    return (source_state(path), index_state(index_folder(key)))


def source_state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return the state of every file of a corpus and of its manifest; raises CorpusError where one is missing."""
    files = (*folder_files(path), path / MANIFEST) if is_folder(path) else (path,)
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


def expanded(source: str | Path) -> Path:
    """Return the path with "~" as the user's home. Raises CorpusError where there is no such user."""
    try:
        return Path(source).expanduser()
    except RuntimeError as exc:
        raise CorpusError(f"There is no file or folder {source}.") from exc


def build_index(
    documents: Sequence[Document], chunk_tokens: int, chunk_overlap: int, embedder: Embedder, report: Report
) -> StoredIndex:
    """Return the index of the documents: cut, embedded, counted."""
    places: list[tuple[int, int, int]] = []
    passages: list[Passage] = []
    for number, document in enumerate(documents):
        if number % BATCH == 0:
            report(Stage(method="retrieval", name="cutting documents", done=number, total=len(documents)))
        cut = chunk(document, embedder, chunk_tokens, chunk_overlap, report)
        places.extend((number, passage.start, passage.end) for passage in cut)
        passages.extend(cut)
    texts = [reading(passage, embedder) for passage in passages]
    return StoredIndex(
        chunks=np.array(places, dtype=np.int64),
        embeddings=embedded(texts, embedder, report),
        bm25=build_bm25(texts),
    )


def embedded(texts: Sequence[str], embedder: Embedder, report: Report) -> np.ndarray:
    """Return [n, d] embeddings of the texts, reported batch by batch."""
    rows = []
    for first in range(0, len(texts), BATCH):
        report(Stage(method="retrieval", name="embedding passages", done=first, total=len(texts)))
        rows.append(embedder.embed(texts[first : first + BATCH]))
    report(Stage(method="retrieval", name="embedding passages", done=len(texts), total=len(texts)))
    return np.concatenate(rows)


def embedded_whole(texts: Sequence[str], embedder: Embedder, report: Report) -> np.ndarray:
    """Return [n, d] embeddings of texts of any length, as a sentence may have; reported batch by batch."""
    rows: list[np.ndarray] = []
    for first in range(0, len(texts), BATCH):
        report(Stage(method="retrieval", name="embedding passages", done=first, total=len(texts)))
        batch = texts[first : first + BATCH]
        known = embeddings(batch, embedder)
        rows.extend(known[text] for text in batch)
    return np.stack(rows)
