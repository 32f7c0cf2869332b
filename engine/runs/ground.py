"""What a question is asked over: passages, the corpus they came from, and a way to count in it."""

from dataclasses import dataclass
from pathlib import Path

from engine.backends.corpus_stats import count_documents
from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.retrieval import load_corpus, pasted_corpus
from engine.backends.retrieval.base import Corpus, Embedder
from engine.core.progress import Report
from engine.core.records import Document, Hit, Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.profiles import Profile
from engine.runs.corpora.shelf import listed_at

PASTED = "the given passages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the question is asked over: hits, the corpus they came from, and a way to count it."""

    hits: tuple[Hit, ...]
    corpus_name: str
    corpus_hash: str
    retriever: str
    counter: CorpusCounter
    corpus: Corpus | None


def find_ground(request: DiagnosisRequest, profile: Profile, embedder: Embedder, report: Report) -> Ground:
    """Return the passages the request gives or its corpus holds, and the corpus to count in."""
    if request.corpus is None or (request.passages and not request.fixed):
        return given_ground(request, embedder)
    corpus = load_corpus(
        request.corpus,
        chunk_tokens=profile.chunk_tokens,
        chunk_overlap=profile.chunk_overlap,
        embedder=embedder,
        report=report,
        retriever=request.retriever,
    )
    found = () if request.fixed else corpus.search(request.question, request.k or profile.passages, request.retriever)
    name = name_of(corpus, request.corpus)
    return Ground(
        hits=given_hits(request.passages) if request.fixed else found,
        corpus_name=name,
        corpus_hash=corpus.content_hash,
        retriever=given_word(request.passages) if request.fixed else request.retriever,
        counter=cached_counter(corpus, name),
        corpus=corpus,
    )


def name_of(corpus: Corpus, path: str) -> str:
    """Return what a corpus is called: its name on the list of corpora, that of its folder or file where it has none."""
    entry = listed_at(Path(path))
    return corpus.name if entry is None else entry.name


def given_ground(request: DiagnosisRequest, embedder: Embedder) -> Ground:
    """Return the passages the request gives as all there is to read, search and count in; it may give none."""
    documents = tuple(
        Document(document_id=f"passage-{i}", title=passage.title, text=passage.text, source="pasted")
        for i, passage in enumerate(request.passages, 1)
    )
    return Ground(
        hits=given_hits(request.passages),
        corpus_name=PASTED if documents else "no corpus",
        corpus_hash="",
        retriever=given_word(request.passages),
        counter=count_documents(documents, PASTED if documents else "no corpus"),
        corpus=pasted_corpus(documents, PASTED, embedder) if documents else None,
    )


def given_hits(passages: tuple[Passage, ...]) -> tuple[Hit, ...]:
    """Return given passages as hits: in their order, with no score."""
    return tuple(
        Hit(passage=passage, rank=rank, score=float("nan"), retriever="given")
        for rank, passage in enumerate(passages, 1)
    )


def given_word(passages: tuple[Passage, ...]) -> str:
    """Return what stands in the record for a retriever where passages were given: "none" where none was."""
    return "given" if passages else "none"


# What a count shows: the texts, by their hash, and the names of corpus, documents and files, which are not in the hash.
Counted = tuple[str, str, tuple[tuple[str, str], ...]]
_COUNTED: dict[Counted, CorpusCounter] = {}


def cached_counter(corpus: Corpus, name: str) -> CorpusCounter:
    """Return the counts of a corpus of that name, made once; the last corpus only, as a user looks at one.

    Another corpus with the same texts, which may be somebody else's, is counted anew under its own names.
    """
    names = tuple((document.document_id, document.source) for document in corpus.documents)
    key = (corpus.content_hash, name, names)
    counter = _COUNTED.get(key)
    if counter is None:
        counter = count_documents(corpus.documents, name)
        _COUNTED.clear()
        _COUNTED[key] = counter
    return counter
