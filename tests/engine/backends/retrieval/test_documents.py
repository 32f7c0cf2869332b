"""What is read as a corpus, what is refused, and with which words."""

import gzip
import json
import os
import sys
from pathlib import Path

import pytest

from engine.backends.retrieval import documents, load_corpus
from engine.backends.retrieval.documents import (
    documents_from_upload,
    passages_from_text,
    read_corpus,
    read_documents,
)
from engine.backends.retrieval.readers import read_file
from engine.backends.retrieval.readers.base import decoded
from engine.backends.retrieval.scripted import HashedWords
from engine.core.errors import Cancelled, CorpusError
from engine.core.folders import sample_data
from engine.core.json_text import record_to_json
from engine.core.progress import Event, Stage
from engine.runs.studies.plan import corpus_files


def line(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False)


def refused(name: str, content: bytes) -> str:
    with pytest.raises(CorpusError) as caught:
        documents_from_upload(name, content)
    return str(caught.value)


def sample_shaped(folder: Path) -> Path:
    (folder / "articles.jsonl").write_text(line(title="Paris", text="Paris is the capital of France.", id="paris"))
    (folder / "questions.jsonl").write_text(line(title="Q", text="What is the capital of France?"))
    (folder / "README.md").write_text("# Not an article")
    (folder / "manifest.json").write_text(json.dumps({"name": "Sample", "index": ["articles.jsonl"], "articles": 1}))
    return folder


def test_a_text_file_is_titled_by_its_name_and_keeps_its_text() -> None:
    (document,) = documents_from_upload("notes/marie-curie.txt", b"Born in Warsaw.\r\nDied in 1934.\r")
    assert (document.title, document.text) == ("marie-curie", "Born in Warsaw.\nDied in 1934.\n")
    assert (document.document_id, document.source) == ("notes/marie-curie.txt", "notes/marie-curie.txt")


def test_a_markdown_file_is_titled_by_its_first_heading_of_any_level() -> None:
    (document,) = documents_from_upload("a.md", b"intro\n\n## Marie Curie ##\n\n# Later\n")
    assert document.title == "Marie Curie"
    assert documents_from_upload("plain.md", b"no heading")[0].title == "plain"


def test_a_jsonl_file_gives_one_document_a_line_and_passes_over_blank_lines() -> None:
    content = "\n".join([line(title="A", text="a"), "", line(title="B", text="b\u2028c", id=7)])
    first, second = documents_from_upload("c.jsonl", content.encode())
    assert (first.document_id, second.document_id) == ("c.jsonl:1", "7")
    assert second.text == "b\u2028c"


def test_a_malformed_line_is_refused_by_file_and_line() -> None:
    failing = [
        (row, said)
        for row, said in [
            ("{broken", "c.jsonl, line 2: Invalid JSON"),
            (line(title="no text"), "c.jsonl, line 2: "),
            (line(title="x", text=5), "c.jsonl, line 2: "),
            (line(title="x", text={"a": 1}), "c.jsonl, line 2: "),
            ("[1]", "c.jsonl, line 2: "),
        ]
        if not (refused("c.jsonl", f"{line(title='A', text='a')}\n{row}".encode()).startswith(said))
    ]
    assert failing == []


def test_a_line_may_lack_a_title_or_an_id_and_bring_keys_of_its_own_and_one_without_text_is_left_out() -> None:
    rows = [
        line(text="No title."),
        line(_id="doc-7", title=" BEIR ", text="Text.", metadata={"url": "x"}),
        line(id=3, contents='"FlashRAG"\nIts text.'),
        line(id=4, contents="One line only"),
        line(id=5, title="Empty", text=" "),
        line(wikipedia_id="9", wikipedia_title="KILT", text=["KILT\n", "Section::::History.\n", "BULLET::::- One.\n"]),
    ]
    content = read_file("c.jsonl", "\n".join(rows).encode())
    assert [(one.document_id, one.title, one.text) for one in content.documents] == [
        ("c.jsonl:1", "", "No title."),
        ("doc-7", "BEIR", "Text."),
        ("3", "FlashRAG", "Its text."),
        ("4", "", "One line only"),
        ("9", "KILT", "KILT\n\nHistory.\n\nOne."),
    ]
    assert len(content.notes) == 1 and "1 line" in content.notes[0]


def test_a_latin_1_file_is_read_by_its_guessed_encoding() -> None:
    text = "Le château de Fontainebleau est situé à côté de la forêt. Les élèves y étudient l'été, bien sûr."
    assert documents_from_upload("a.txt", text.encode("latin-1"))[0].text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("question,answer\nWo liegt Köln?,Köln\n", "cp1252"),
        ("Un café au lait.", "cp1252"),
        ("Où est Orléans ?", "cp1252"),
        ("Onde fica São Paulo?", "cp1252"),
        ("Gdzie leży Łódź?", "cp1250"),
        ("Где находится Москва?", "cp1251"),
        ("東京はどこですか。日本の首都です。", "shift_jis"),
    ],
)
def test_a_short_text_with_few_marked_letters_is_not_taken_for_chinese(text: str, encoding: str) -> None:
    assert decoded("a.txt", text.encode(encoding)) == text


def test_a_byte_order_mark_is_not_a_part_of_the_text() -> None:
    assert documents_from_upload("a.txt", "é".encode("utf-8-sig"))[0].text == "é"
    assert documents_from_upload("a.txt", "שלום".encode("utf-16"))[0].text == "שלום"


def test_a_binary_file_is_refused() -> None:
    failing = [
        content
        for content in [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", bytes(range(1, 32)) * 20, b"a\x00b"]
        if not ("not" in refused("a.txt", content) and "text" in refused("a.txt", content))
    ]
    assert failing == []


def test_an_empty_file_is_refused_by_name() -> None:
    failing = [name for name in ["a.txt", "a.md", "a.jsonl"] if refused(name, b" \n") != f"{name} is empty."]
    assert failing == []


def test_another_kind_of_file_is_refused() -> None:
    assert "a.mp3" in refused("a.mp3", b"ID3")
    assert ".docx" in refused("a.doc", b"old")


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST_FILE", 1024**2)
    (tmp_path / "big.txt").write_bytes(b"x" * (1024**2 + 1))
    with pytest.raises(CorpusError, match=r"big\.txt.*1 MiB"):
        read_documents(tmp_path)


def test_a_folder_is_read_in_order_of_names_without_hidden_files(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("b.txt", "a.md", "sub/c.txt", ".git/d.txt", "e.csv"):
        (tmp_path / name).write_text(f"text of {name}")
    assert [document.source for document in read_documents(tmp_path)] == ["a.md", "b.txt", "e.csv", "sub/c.txt"]


def test_a_folder_with_a_manifest_indexes_its_articles_and_never_its_questions(tmp_path: Path) -> None:
    (document,) = read_documents(sample_shaped(tmp_path))
    assert (document.document_id, document.source) == ("paris", "articles.jsonl")


@pytest.mark.skipif(not (sample_data() / "manifest.json").exists(), reason="no sample data in this checkout")
def test_the_shipped_sample_indexes_no_question() -> None:
    texts = " ".join(document.text for document in read_documents(sample_data()))
    assert {document.source for document in read_documents(sample_data())} == {"articles.jsonl"}
    rows = (sample_data() / "questions.jsonl").read_text().splitlines()
    assert [row for row in rows if json.loads(row)["question"] in texts] == []


def test_a_manifest_may_name_a_folder(tmp_path: Path) -> None:
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles" / "a.txt").write_text("text")
    (tmp_path / "questions.txt").write_text("never")
    (tmp_path / "manifest.json").write_text('{"index": ["articles"]}')
    assert [document.source for document in read_documents(tmp_path)] == ["articles/a.txt"]


@pytest.mark.parametrize("entry", ["../secret.txt", "link.txt"])
def test_a_path_out_of_the_folder_is_refused(tmp_path: Path, entry: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "link.txt").symlink_to(tmp_path / "secret.txt")
    (corpus / "manifest.json").write_text(json.dumps({"index": [entry]}))
    with pytest.raises(CorpusError, match="leads out"):
        read_documents(corpus)


def test_a_link_out_of_a_folder_without_manifest_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(CorpusError, match=r"link\.txt leads out"):
        read_documents(corpus)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [("{}", "index: Field required"), ("[", "Invalid JSON"), ('{"index": ["gone.txt"]}', "names gone.txt, which")],
)
def test_a_manifest_that_cannot_be_followed_says_why(tmp_path: Path, manifest: str, said: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(CorpusError, match=said):
        read_documents(tmp_path)


def test_an_empty_folder_and_a_missing_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"\.txt, \.md, \.jsonl"):
        read_documents(tmp_path)
    with pytest.raises(CorpusError, match="no file or folder"):
        read_documents(tmp_path / "gone")


def test_an_id_that_stands_twice_is_refused_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(line(title="A", text="a", id="1"))
    (tmp_path / "b.jsonl").write_text(line(title="B", text="b", id="1"))
    with pytest.raises(CorpusError, match=r'"1".*a\.jsonl.*b\.jsonl'):
        read_documents(tmp_path)


def test_pasted_text_is_cut_at_blank_lines_and_keeps_offsets_and_html() -> None:
    text = "Title: Paris\r\n<b>Paris</b> 🗼 is\r\na city.\r\n\r\n  \r\nשלום עולם\n"
    first, second = passages_from_text(text)
    assert (first.title, first.text) == ("Paris", "<b>Paris</b> 🗼 is\na city.")
    assert (second.title, second.text, second.document_id) == ("", "שלום עולם", "pasted-2")
    plain = text.replace("\r\n", "\n")
    assert [plain[p.start : p.end] for p in (first, second)] == [first.text, second.text]


def test_pasting_nothing_is_refused() -> None:
    for text in ["", " \n\n", "Title:\n"]:
        with pytest.raises(CorpusError, match="paste at least one"):
            passages_from_text(text)


def test_a_title_that_stands_alone_names_the_text_below_it_and_offsets_are_those_of_the_text() -> None:
    text = "Title: Lyon\n\nA city.\n\nTitle: Paris\nA capital.\n\nTitle: Rome\n \n\nTitle:\nOn the Tiber.\n\nNameless."
    found = passages_from_text(text)
    assert [(p.title, p.text) for p in found] == [
        ("Lyon", "A city."),
        ("Paris", "A capital."),
        ("Rome", "On the Tiber."),
        ("", "Nameless."),
    ]
    assert [text[p.start : p.end] for p in found] == [p.text for p in found]
    assert [p.document_id for p in found] == ["pasted-1", "pasted-2", "pasted-3", "pasted-4"]


def test_a_title_without_text_is_refused_by_name_and_takes_no_other_titles_place() -> None:
    for text in [
        "Title: Lyon",
        "Paris is a capital.\n\ntitle: Lyon \n",
        "Title: Lyon\n\nTitle: Paris\nA capital.\n\nThe Rhône.",
    ]:
        with pytest.raises(CorpusError, match="Lyon"):
            passages_from_text(text)


def test_a_path_that_cannot_be_looked_at_is_a_sentence() -> None:
    for name in ["x" * 5000, "a\x00b", "~nobody-of-this-name/corpus"]:
        with pytest.raises(CorpusError, match="no file or folder"):
            load_corpus(name, chunk_tokens=128, chunk_overlap=16, embedder=HashedWords())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless.txt")
    with pytest.raises(CorpusError, match=r"endless\.txt"):
        read_documents(tmp_path / "endless.txt")
    (tmp_path / "a.txt").write_text("Rome.")
    assert [document.title for document in read_documents(tmp_path)] == ["a"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless device on this system")
def test_an_endless_device_is_refused() -> None:
    with pytest.raises(CorpusError, match="zero"):
        read_documents(Path("/dev/zero"))


def test_another_kind_of_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "film.mp4").write_bytes(b"film")
    monkeypatch.setattr(documents, "file_bytes", lambda file: pytest.fail("read"))
    with pytest.raises(CorpusError, match=r"film\.mp4"):
        read_documents(tmp_path / "film.mp4")


def test_a_folder_of_more_than_the_most_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_ENTRIES", 2)
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(name)
    with pytest.raises(CorpusError, match="2 files"):
        read_documents(tmp_path)


def test_a_corpus_over_its_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST_CORPUS", 1024**2)
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("word " * 120_000)
    with pytest.raises(CorpusError, match="1 MiB"):
        read_documents(tmp_path)


def test_a_corpus_is_measured_by_what_its_packed_files_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST_CORPUS", 1024**2)
    for name in "ab":
        (tmp_path / f"{name}.txt.gz").write_bytes(gzip.compress(b"word " * 120_000))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 5_000
    with pytest.raises(CorpusError, match="1 MiB"):
        read_documents(tmp_path)


@pytest.mark.parametrize("entry", ["a\0b", "x" * 5000, "circle/a.txt", "circle"])
def test_a_manifest_that_names_what_no_file_can_be_called_is_a_sentence(tmp_path: Path, entry: str) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "manifest.json").write_text(json.dumps({"index": [entry], "name": entry}))
    with pytest.raises(CorpusError, match=r"manifest\.json names") as refused:
        read_documents(tmp_path)
    assert len(str(refused.value)) < 400


def test_a_file_that_a_manifest_names_again_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Paris is a capital.")
    (tmp_path / "manifest.json").write_text(json.dumps({"index": ["texts", "texts/a.txt", "./texts/../texts/a.txt"]}))
    (report,) = read_corpus(tmp_path).files
    assert (report.name, report.documents, report.notes) == ("texts/a.txt", 1, ())


def test_a_folder_that_a_manifest_names_again_is_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[Path] = []
    walk = documents.shown_files
    monkeypatch.setattr(documents, "shown_files", lambda folder: walked.append(folder) or walk(folder))
    (tmp_path / "a.txt").write_text("Paris is a capital.")
    index = [".", "./", "./.", str(tmp_path), f"../{tmp_path.name}", "a.txt"] * 5
    (tmp_path / "manifest.json").write_text(json.dumps({"index": index}))
    assert documents.folder_files(tmp_path) == (tmp_path / "a.txt",)
    assert len(walked) == 1


def test_a_manifest_names_no_more_than_a_folder_may_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_ENTRIES", 3)
    (tmp_path / "a.txt").write_text("Paris is a capital.")
    (tmp_path / "manifest.json").write_text(json.dumps({"index": ["a.txt"] * 4}))
    with pytest.raises(CorpusError, match=r"manifest\.json names more than 3 files"):
        read_documents(tmp_path)


def test_looking_through_what_a_manifest_names_can_be_stopped(tmp_path: Path) -> None:
    reported: list[Event] = []

    def stop_at_the_second(event: Event) -> None:
        reported.append(event)
        if len(reported) == 2:
            raise Cancelled("stopped")

    (tmp_path / "a.txt").write_text("Paris is a capital.")
    (tmp_path / "manifest.json").write_text('{"index": ["a.txt", "gone.txt"]}')
    with pytest.raises(Cancelled):
        read_documents(tmp_path, stop_at_the_second)


def test_reading_can_be_stopped_between_two_files(tmp_path: Path) -> None:
    def stop_at_the_second(event: Event) -> None:
        if isinstance(event, Stage) and event.done == 1:
            raise Cancelled("stopped")

    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(name)
    with pytest.raises(Cancelled):
        read_documents(tmp_path, stop_at_the_second)


def test_a_folder_reports_every_file_and_skips_what_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Paris is a capital.")
    (tmp_path / "b.csv").write_text("name,born\nAda,1815\nGrace,1906\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (tmp_path / "c.html").write_text("<title>Lyon</title><p>Lyon is a city.</p>")
    (tmp_path / "film.mp4").write_bytes(b"film")
    (tmp_path / "old.doc").write_bytes(b"old")
    reading = read_corpus(tmp_path)
    assert [(one.name, one.read, one.documents) for one in reading.files] == [
        ("a.txt", True, 1),
        ("b.csv", True, 2),
        ("broken.pdf", False, 0),
        ("c.html", True, 1),
        ("film.mp4", False, 0),
        ("old.doc", False, 0),
    ]
    assert all(one.notes for one in reading.files if not one.read)
    assert [document.title for document in reading.documents] == ["a", "Ada", "Grace", "Lyon"]


def test_a_text_that_stands_twice_is_kept_once_and_its_copy_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Paris is a capital.")
    (tmp_path / "b.txt").write_text("Paris is a\ncapital.\n")
    rows = [line(title="A", text="Same."), line(title="B", text="Same."), line(title="A", text="Same.")]
    (tmp_path / "c.jsonl").write_text("\n".join(rows))
    reading = read_corpus(tmp_path)
    assert [(one.name, one.documents) for one in reading.files] == [("a.txt", 1), ("b.txt", 0), ("c.jsonl", 2)]
    assert "a.txt" in reading.files[1].notes[0] and "c.jsonl" in reading.files[2].notes[0]


def test_beside_a_corpus_of_beir_the_queries_are_questions_and_never_indexed(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text(line(_id="1", title="Paris", text="Paris is a capital."))
    (tmp_path / "queries.jsonl").write_text(line(_id="q1", text="What is the capital of France?"))
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\t1\t1\n")
    reading = read_corpus(tmp_path)
    assert [document.document_id for document in reading.documents] == ["1"]
    assert [asked.question for asked in reading.questions] == ["What is the capital of France?"]
    assert [(one.name, one.read) for one in reading.files if not one.read] == [("qrels/test.tsv", False)]


def test_a_file_of_questions_alone_gives_nothing_to_search(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(line(question="Who?", answer=["Ada"]))
    with pytest.raises(CorpusError, match="questions"):
        read_corpus(tmp_path / "q.jsonl")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_name_that_is_not_utf8_is_spelt_out_and_can_be_stored(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada built tower 1.")
    for name in (b"caf\xe9.txt", b"caf\xe8.txt", b"caf\xe9.xyz"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("Bo built tower 2." + name.hex())
    reading = read_corpus(tmp_path)
    assert [one.document_id for one in reading.documents] == ["a.txt", "caf\\xe8.txt", "caf\\xe9.txt"]
    assert [one.name for one in reading.files if not one.read] == ["caf\\xe9.xyz"]
    assert record_to_json(reading.documents[2])
    assert set(corpus_files(str(tmp_path))) == {"a.txt", "caf\\xe8.txt", "caf\\xe9.txt"}
