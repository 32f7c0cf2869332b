"""A corpus is indexed once, found again by content, never stored by half, and searched the same way each time."""

import json
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.backends.retrieval import corpus, index_store, load_embedder
from engine.backends.retrieval.base import text_parts
from engine.backends.retrieval.corpus import (
    IndexedCorpus,
    embedded,
    load_corpus,
    passages_with_words,
    pasted_corpus,
)
from engine.backends.retrieval.documents import GIVEN_NAME
from engine.backends.retrieval.scripted import HashedWords
from engine.backends.retrieval.vector_index import VectorIndex
from engine.core.errors import Cancelled, CorpusError, StorageError
from engine.core.progress import Event, Stage
from engine.core.records import Document, Hit
from engine.methods.profiles import PROFILES

ARTICLES = (
    ("Apollo 8", "Apollo 8 flew around the Moon in December 1968. <script>alert(1)</script>"),
    ("Apollo 11", "Apollo 11 landed on the Moon on 20 July 1969. 👩‍🚀 walked."),
    ("Paris", "Paris is the capital of France. שלום."),
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "articles.jsonl"
    file.write_text("\n".join(json.dumps({"title": title, "text": text}) for title, text in ARTICLES))
    return file


def opened(source: Path, embedder: HashedWords | None = None, tokens: int = 64) -> IndexedCorpus:
    return load_corpus(source, chunk_tokens=tokens, chunk_overlap=4, embedder=embedder or HashedWords())


def stored(home: Path) -> list[Path]:
    return sorted(path for path in (home / "indexes").iterdir() if path.name != index_store.LOCK)


def test_a_search_finds_the_article_by_every_retriever(source: Path) -> None:
    corpus = opened(source)
    for retriever in ("hybrid", "bm25", "vector"):
        hits = corpus.search("capital of France", 2, retriever)
        assert hits[0].passage.title == "Paris"
        assert (hits[0].rank, hits[0].retriever) == (1, retriever)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_pasted_passages_are_searched_whole_and_a_long_one_is_embedded_by_its_parts() -> None:
    documents = tuple(
        Document(document_id=str(at), title=title, text=text)
        for at, (title, text) in enumerate((*ARTICLES, ("Long", "word " * 600)))
    )
    hits = pasted_corpus(documents, "pasted", HashedWords()).search("When did Apollo 11 land?", 2)
    assert hits[0].passage.text == ARTICLES[1][1]
    assert len(hits) == 2


def test_a_hybrid_score_is_the_sum_of_both_reciprocal_ranks(source: Path) -> None:
    assert opened(source).search("Paris capital France", 1)[0].score == pytest.approx(2 / 61)


def test_a_passage_is_verbatim_and_lies_where_it_says(source: Path) -> None:
    corpus = opened(source)
    texts = {document.document_id: document.text for document in corpus.documents}
    assert [p.text for p in corpus.passages] == [text for _, text in ARTICLES]
    assert all(texts[p.document_id][p.start : p.end] == p.text for p in corpus.passages)


def test_at_most_all_passages_come_back_and_words_in_common_are_needed_for_bm25(source: Path) -> None:
    corpus = opened(source)
    assert len(corpus.search("Moon", 10)) == 3
    assert len(corpus.search("Moon", 10, "bm25")) == 2
    with pytest.raises(CorpusError, match="shares a word"):
        corpus.search("zebra", 10, "bm25")


def test_a_search_that_makes_no_sense_is_refused(source: Path) -> None:
    for k, retriever, said in [(0, "hybrid", "k must be"), (1, "dense", "retriever must be")]:
        with pytest.raises(ValueError, match=said):
            opened(source).search("Moon", k, retriever)


def test_a_copy_elsewhere_reuses_the_index_and_embeds_nothing(source: Path, tmp_path: Path, home: Path) -> None:
    first = opened(source)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(source.read_bytes())
    embedder = HashedWords()
    second = opened(copy, embedder)
    assert embedder.embedded == [] and len(stored(home)) == 1
    assert second.content_hash == first.content_hash
    assert second.passages[0].document_id == "copy.jsonl:1"
    assert [h.score for h in second.search("Moon", 3)] == [h.score for h in first.search("Moon", 3)]


def test_a_first_look_by_words_embeds_and_stores_nothing_and_finds_what_bm25_finds(source: Path, home: Path) -> None:
    embedder = HashedWords()

    def look(question: str) -> tuple[Hit, ...]:
        return passages_with_words(source, question, 3, chunk_tokens=64, chunk_overlap=4, embedder=embedder)

    before = look("Moon landed")
    assert embedder.embedded == [] and not stored(home)
    assert [hit.passage.title for hit in before] == ["Apollo 11", "Apollo 8"]
    corpus = opened(source)
    assert look("Moon landed") == before == corpus.search("Moon landed", 3, "bm25")
    assert look("Suez") == ()


def test_other_text_sizes_or_embedder_make_another_index(source: Path, home: Path) -> None:
    keys = {opened(source).content_hash, opened(source, tokens=32).content_hash}
    other = HashedWords()
    other.name = "other"
    keys.add(opened(source, other).content_hash)
    source.write_text(source.read_text().replace("1969", "1970"))
    keys.add(opened(source).content_hash)
    assert len(keys) == len(stored(home)) == 4


def test_a_broken_index_is_made_again(source: Path, home: Path) -> None:
    for file in ["embeddings.npy", "chunks.npy", "meta.json", "bm25/params.index.json"]:
        opened(source)
        broken = stored(home)[0] / file
        broken.write_bytes(broken.read_bytes()[:-1] + b"\x07")
        embedder = HashedWords()
        assert opened(source, embedder).search("Paris", 1)[0].passage.title == "Paris"
        assert len(embedder.embedded) > 1 and len(stored(home)) == 1
        assert index_store.read_index(stored(home)[0]) is not None


def test_an_index_holds_no_pickle_and_no_text(source: Path, home: Path) -> None:
    opened(source)
    files = [file for file in stored(home)[0].rglob("*") if file.is_file()]
    assert {file.suffix for file in files} == {".npy", ".json"}
    assert all(b"capital of France" not in file.read_bytes() for file in files)


def test_a_stop_while_embedding_stores_nothing(source: Path, home: Path) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Stage) and event.name == "embedding passages":
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        load_corpus(source, chunk_tokens=64, chunk_overlap=4, embedder=HashedWords(), report=stop)
    assert stored(home) == []


def test_a_search_by_words_embeds_nothing_and_a_search_by_meaning_completes_the_index(source: Path, home: Path) -> None:
    embedder = HashedWords()
    words = load_corpus(source, chunk_tokens=64, chunk_overlap=4, embedder=embedder, retriever="bm25")
    assert words.search("Moon", 3, "bm25")[0].passage.title in ("Apollo 8", "Apollo 11")
    assert embedder.embedded == [] and len(stored(home)) == 1
    whole = opened(source, embedder)
    assert len(embedder.embedded) == 3 and len(stored(home)) == 1
    assert whole.content_hash == words.content_hash
    assert [hit.score for hit in words.search("Moon", 3)] == [hit.score for hit in whole.search("Moon", 3)]


def test_texts_are_embedded_by_length_and_stay_in_their_places() -> None:
    texts = ["one two three", "one", "one two"]
    seen: list[str] = []

    def embed(batch: Sequence[str]) -> np.ndarray:
        seen.extend(batch)
        return np.array([[len(text.split())] for text in batch], dtype=np.float32)

    assert embedded(texts, embed, lambda event: None)[:, 0].tolist() == [3, 1, 2]
    assert seen == ["one two three", "one two", "one"]


def test_progress_counts_passages_to_the_end(source: Path) -> None:
    events: list[Event] = []
    load_corpus(source, chunk_tokens=64, chunk_overlap=4, embedder=HashedWords(), report=events.append)
    assert [event for event in events if isinstance(event, Stage)][:2] == [
        Stage(method="retrieval", name="reading documents", done=0, total=1),
        Stage(method="retrieval", name="cutting documents", done=0, total=3),
    ]
    assert events[-1] == Stage(method="retrieval", name="embedding passages", done=3, total=3)


def test_a_full_disk_is_a_storage_error_and_leaves_nothing(
    source: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(StorageError, match="No space left"):
        opened(source)
    assert stored(home) == []


def test_a_folder_that_another_process_finished_first_is_kept(source: Path, home: Path) -> None:
    opened(source)
    folder = stored(home)[0]
    index, state = index_store.read_index(folder), index_store.index_state(folder)
    assert index is not None
    index_store.write_index(folder, index)
    assert index_store.index_state(folder) == state, "not a file of it was touched"
    assert stored(home) == [folder], "ours is gone"


def test_several_that_store_the_same_index_at_once_all_find_it_whole(source: Path, home: Path) -> None:
    opened(source)
    folder = stored(home)[0]
    index = index_store.read_index(folder)
    assert index is not None
    index = replace(index, chunks=np.array(index.chunks), embeddings=np.array(index.embeddings))
    (folder / "meta.json").write_text("broken")

    def store(_: int) -> bool:
        index_store.write_index(folder, index)
        return index_store.read_index(folder) is not None and len(index_store.index_state(folder)) > 0

    with ThreadPoolExecutor(4) as several:
        assert all(several.map(store, range(24)))


def test_what_a_killed_process_left_is_swept_after_a_day(
    source: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = home / "indexes" / ".partial-old"
    left.mkdir(parents=True)
    opened(source)
    assert left.exists()
    monkeypatch.setattr(index_store.time, "time", lambda: left.stat().st_mtime + 25 * 3600)
    opened(source, tokens=32)
    assert not left.exists()


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    with pytest.raises(CorpusError, match="holds no"):
        opened(tmp_path / "corpus")


def test_sample_is_the_shipped_encyclopaedia(source: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr("engine.backends.retrieval.corpus.sample_data", lambda: source)
    corpus = load_corpus("sample", chunk_tokens=64, chunk_overlap=4, embedder=HashedWords())
    assert (corpus.name, len(corpus.documents)) == (source.name, 3)


class NeverOpened:
    """The packaged embedder's name and tokenizer, without its weights: embedding anything is an error."""

    name, max_tokens = "all-MiniLM-L6-v2", 512

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        raise AssertionError(f"{len(texts)} texts were embedded")

    def count_tokens(self, text: str) -> int:
        raise AssertionError("a document was cut")

    token_rows = embed


def test_the_shipped_index_is_that_of_the_sample_encyclopaedia_and_is_stored_as_any_other(home: Path) -> None:
    profile = PROFILES["embedded"]
    sizes = {"chunk_tokens": profile.chunk_tokens, "chunk_overlap": profile.chunk_overlap}
    corpus = load_corpus("sample", **sizes, embedder=NeverOpened())
    assert corpus.search("Who first climbed K2?", 1, "bm25")[0].passage.title == "K2"
    stored = index_store.read_index(home / "indexes" / corpus.content_hash)
    assert stored is not None and stored.embeddings is not None
    assert stored.embeddings.shape == (len(corpus.passages), 384)
    assert np.allclose(np.linalg.norm(stored.embeddings, axis=1), 1.0, atol=1e-5)


def test_a_shipped_index_with_a_changed_byte_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (shipped,) = index_store.SHIPPED.iterdir()
    shutil.copytree(shipped, tmp_path / shipped.name)
    monkeypatch.setattr(index_store, "SHIPPED", tmp_path)
    assert index_store.shipped_index(shipped.name) is not None
    rows = bytearray((tmp_path / shipped.name / "embeddings.npy").read_bytes())
    rows[-1] ^= 1
    (tmp_path / shipped.name / "embeddings.npy").write_bytes(rows)
    assert index_store.shipped_index(shipped.name) is None


def test_a_corpus_is_called_what_its_manifest_says(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("Lyra Quill rebuilt the Vesper Clock.")
    (folder / "manifest.json").write_text('{"index": ["a.txt"], "name": "Clockmakers"}')
    assert opened(folder).name == "Clockmakers"


def test_a_huge_line_is_cut_and_searchable(tmp_path: Path) -> None:
    (tmp_path / "huge.txt").write_text("word " * 20_000 + "zebra")
    corpus = opened(tmp_path / "huge.txt")
    assert corpus.search("zebra", 1, "bm25")[0].passage.end == 100_005


@pytest.mark.weights
def test_the_real_embedder_finds_a_paraphrase(source: Path) -> None:
    corpus = load_corpus(source, chunk_tokens=128, chunk_overlap=16, embedder=load_embedder())
    assert corpus.search("Which city is the seat of the French government?", 1, "vector")[0].passage.title == "Paris"


def test_a_search_by_words_goes_on_where_the_same_texts_are_embedded_meanwhile(
    source: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = corpus.write_index

    def embedded_meanwhile(folder: Path, index: index_store.StoredIndex) -> None:
        monkeypatch.setattr(corpus, "write_index", write)
        write(folder, index)
        load_corpus(source, chunk_tokens=40, chunk_overlap=8, embedder=HashedWords())

    monkeypatch.setattr(corpus, "write_index", embedded_meanwhile)
    found = load_corpus(source, chunk_tokens=40, chunk_overlap=8, embedder=HashedWords(), retriever="bm25")
    assert len(found.passages) > 0


def test_a_stored_index_is_mapped_into_memory_and_not_read_into_it(source: Path, home: Path) -> None:
    opened(source)
    index = index_store.read_index(stored(home)[0])
    assert index is not None
    assert isinstance(index.embeddings, np.memmap) and isinstance(index.chunks, np.memmap)
    assert np.shares_memory(VectorIndex(index.embeddings)._rows, index.embeddings), "searching copies nothing"


def test_passages_are_cut_when_they_are_asked_for_and_can_be_sliced(source: Path) -> None:
    passages = opened(source).passages
    assert len(passages) == 3 and passages[-1].title == "Paris"
    assert [passage.title for passage in passages[:2]] == ["Apollo 8", "Apollo 11"]
    assert passages[0] is not passages[0]
    with pytest.raises(IndexError):
        passages[3]


def test_a_corpus_that_has_not_changed_stays_open_and_one_that_has_is_read_again(source: Path) -> None:
    embedder = HashedWords()
    first = opened(source, embedder)
    assert opened(source, embedder) is first
    assert opened(source, HashedWords()) is not first, "another embedder"
    source.write_text(source.read_text() + "\n" + json.dumps({"title": "Lyon", "text": "Lyon lies on the Rhône."}))
    assert [hit.passage.title for hit in opened(source, embedder).search("Lyon Rhône", 1)] == ["Lyon"]


def test_a_question_longer_than_the_embedder_reads_is_searched_by_its_parts(source: Path) -> None:
    embedder = HashedWords(max_tokens=64)
    corpus = opened(source, embedder)
    question = "Which is the capital of France ? " * 20
    for retriever in ("vector", "hybrid", "reranked"):
        assert corpus.search(question, 1, retriever)[0].passage.title == "Paris"
    parts = text_parts(question, embedder)
    mean = embedder.embed(parts).sum(axis=0)
    wanted = embedder.embed(["Paris\n" + ARTICLES[2][1]])[0] @ mean / np.linalg.norm(mean)
    assert len(parts) == 4
    assert corpus.search(question, 1, "vector")[0].score == pytest.approx(float(wanted), abs=1e-6)


def test_an_uploaded_corpus_that_is_renamed_is_called_by_its_new_name(tmp_path: Path) -> None:
    folder = tmp_path / "0123"
    folder.mkdir()
    (folder / "a.txt").write_text("Ada built a tower.")
    names, embedder = [], HashedWords()
    for name in ("First name", "Second name", ""):
        (folder / GIVEN_NAME).write_text(name)
        names.append(opened(folder, embedder).name)
    assert names == ["First name", "Second name", "0123"]
