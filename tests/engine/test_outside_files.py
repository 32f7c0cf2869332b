"""Files from outside, wrong in every way that hypothesis finds: question files, spans, documents of every kind.

As in ``test_outside_text``: a good file with a few things wrong in it, and what is none at all.
"""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.annotations.backup import backup, restore
from engine.annotations.store import AnnotationStore
from engine.backends.retrieval.documents import corpus_name, documents_from_upload, read_documents
from engine.core.hosting import parse_hosting
from engine.core.json_text import record_to_json
from engine.diagnosis.serialize import to_json
from engine.diagnosis.traces.spans import open_trace
from engine.runs.bundle import import_record
from engine.runs.corpora import shelf
from engine.runs.read_trace import imported_answer
from engine.runs.studies.questions import parse_questions
from tests.engine.annotations.test_backup import packed
from tests.engine.annotations.test_exchange import filled
from tests.engine.backends.retrieval.test_readers import parquet_bytes, pdf_bytes, word_bytes
from tests.engine.test_outside_text import ODD_CELLS, as_bytes, changed, odd_json, only_ours, used, whole_page

FEW = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
QUESTION = {
    "_id": "q1",
    "question": "Who?",
    "answers": ["Ada", "A."],
    "aliases": ["Countess"],
    "output": [{"answer": "Ada"}],
    "metadata": {"answer": ["Ada"]},
    "passages": [{"title": "T", "text": "A text.", "is_supporting": True}],
    "context": [["T", ["One.", "Two."]]],
    "supporting_facts": [["T", 0]],
    "utility": 0.5,
}
HOTPOT = {name: value for name, value in QUESTION.items() if name != "passages"}


@FEW
@given(
    data=st.data(), good=st.sampled_from([QUESTION, HOTPOT]), ending=st.sampled_from([".jsonl", ".json", ".json.gz"])
)
def test_files_of_questions(data: st.DataObject, good: dict[str, Any], ending: str) -> None:
    text = data.draw(odd_json(lambda: good))
    many = f"[{text}, {json.dumps(good)}]" if data.draw(st.booleans()) else text
    content = as_bytes(many)
    packed = gzip.compress(content) if ending.endswith(".gz") else content
    only_ours(lambda: record_to_json(parse_questions(f"q{ending}", packed)))
    only_ours(lambda: parse_questions(f"q{ending}", packed[: len(packed) // 2]))


@FEW
@given(st.lists(st.lists(st.sampled_from([*ODD_CELLS, "['a', 'b']", "[[", "question", "a|b"]), max_size=4), max_size=4))
def test_tables_of_questions_and_of_documents(cells: list[list[str]]) -> None:
    for mark, ending in ((",", ".csv"), ("\t", ".tsv")):
        content = as_bytes("\n".join(map(mark.join, cells)))
        for whole in (content, b"question,answers\n" + content):
            only_ours(partial(parse_questions, f"q{ending}", whole))
            only_ours(partial(documents_from_upload, f"d{ending}", whole))


SPAN = {
    "name": "llm",
    "context": {"trace_id": "1", "span_id": "2"},
    "parent_id": None,
    "start_time": "2025-01-01T00:00:00Z",
    "end_time": 1,
    "attributes": {
        "openinference.span.kind": "LLM",
        "input.value": '{"messages": [{"role": "user", "content": "Who?"}]}',
        "output.value": '{"choices": [{"message": {"content": "Ada"}, "logprobs": {"content": []}}]}',
        "llm.model_name": "m",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Who?",
        "llm.output_messages.0.message.content": "Ada",
        "retrieval.documents.0.document.content": "A text.",
        "retrieval.documents.0.document.score": 0.5,
    },
}
OTLP = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "name": "llm",
                            "traceId": "1",
                            "spanId": "2",
                            "startTimeUnixNano": "1",
                            "attributes": [
                                {"key": "llm.input_messages.0.message.role", "value": {"stringValue": "user"}},
                                {"key": "llm.input_messages.0.message.content", "value": {"stringValue": "Who?"}},
                                {"key": "openinference.span.kind", "value": {"stringValue": "LLM"}},
                                {"key": "output.value", "value": {"stringValue": "Ada"}},
                                {"key": "llm.token_count", "value": {"intValue": "7"}},
                                {"key": "x", "value": {"arrayValue": {"values": [{"stringValue": "a"}]}}},
                            ],
                        }
                    ]
                }
            ]
        }
    ]
}


@FEW
@given(data=st.data(), good=st.sampled_from([[SPAN], OTLP]))
def test_spans(data: st.DataObject, good: Any) -> None:
    content = as_bytes(data.draw(odd_json(lambda: good)))
    only_ours(lambda: imported_answer(open_trace(content)))


@cache
def good_files() -> dict[str, bytes]:
    """Return a good document of every kind that is no text."""
    return {
        ".pdf": pdf_bytes([["A first line.", "A second one."]], title="T"),
        ".docx": word_bytes("T"),
        ".parquet": parquet_bytes([{"title": "T", "text": "A text.", "id": 3}]),
        ".html": b"<html><title>T</title><body><h1>H</h1><p>A text.</p></body></html>",
    }


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> bytes:
    """Return bytes with a few changed, some put in, or the end gone."""
    content = bytearray(good)
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, max(0, len(content) - 1)))
        content[place : place + draw(st.integers(0, 8))] = draw(st.binary(max_size=8))
    return bytes(content[: draw(st.integers(1, len(content) or 1))]) if draw(st.booleans()) else bytes(content)


@settings(FEW, max_examples=15)
@given(data=st.data(), ending=st.sampled_from([".pdf", ".docx", ".parquet", ".html"]))
def test_documents_of_every_kind(data: st.DataObject, ending: str) -> None:
    content = data.draw(damaged(good_files()[ending]))
    only_ours(lambda: documents_from_upload(f"a{ending}", content))
    only_ours(lambda: documents_from_upload(f"a{ending}.gz", gzip.compress(content)[:-3]))


@settings(FEW, max_examples=10)
@given(data=st.data())
def test_the_parts_inside_a_word_file(data: st.DataObject) -> None:
    with zipfile.ZipFile(io.BytesIO(good_files()[".docx"])) as good:
        parts = {name: good.read(name) for name in good.namelist()}
    name = data.draw(st.sampled_from(sorted(parts)))
    parts[name] = data.draw(damaged(parts[name]))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as written:
        for part, content in parts.items():
            written.writestr(part, content)
    only_ours(lambda: documents_from_upload("a.docx", made.getvalue()))


@FEW
@given(data=st.data())
def test_run_bundles_with_bytes_changed(data: st.DataObject) -> None:
    content = data.draw(damaged(whole_page()))
    only_ours(lambda: used(import_record(content)))


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with one corpus on its shelf."""
    return tmp_path_factory.mktemp("home")


@FEW
@given(data=st.data())
def test_entries_of_the_shelf_of_corpora(corpora: Path, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MICROSCOPE_HOME", str(corpora))
        entry = shelf.add(corpora / "texts")
        good = json.loads((shelf.shelf_folder() / f"{entry.id}.json").read_bytes())
        (shelf.shelf_folder() / "odd.json").write_bytes(as_bytes(data.draw(odd_json(lambda: good))))
        only_ours(lambda: [to_json(one) for one in shelf.entries()] and shelf.entry_of("odd"))  # type: ignore[arg-type]
        (shelf.shelf_folder() / "odd.json").unlink()


@FEW
@given(data=st.data())
def test_manifests_of_a_folder(tmp_path: Path, data: st.DataObject) -> None:
    (tmp_path / "a.txt").write_text("A text.")
    good = {"index": ["a.txt", ".", "b/c.txt"], "name": "Notes"}
    (tmp_path / "manifest.json").write_bytes(as_bytes(data.draw(odd_json(lambda: good))))
    only_ours(lambda: read_documents(tmp_path))
    only_ours(lambda: corpus_name(tmp_path))


@cache
def backup_rows() -> tuple[dict[str, Any], ...]:
    """Return the rows of a backup with labels."""
    with TemporaryDirectory() as folder:
        store = AnnotationStore(f"sqlite:///{folder}/labels.sqlite")
        filled(store)
        backup(Path(folder) / "b", str(store.database.url))
        store.close()
        lines = gzip.decompress((Path(folder) / "b").read_bytes()).splitlines()
    return tuple(map(json.loads, lines[1:-1]))


@settings(FEW, max_examples=15)
@given(data=st.data(), revision=st.sampled_from(["0004", "0001", "0000", "9" * 5000, "0099", 4, None]))
def test_backups_of_labels_whole_under_their_checksum(tmp_path: Path, data: st.DataObject, revision: Any) -> None:
    rows = data.draw(changed(lambda: list(backup_rows())))
    (tmp_path / "b").write_bytes(packed(rows, revision))
    only_ours(lambda: restore(tmp_path / "b", f"sqlite:///{tmp_path / 'new.sqlite'}"))
    for file in tmp_path.glob("new.sqlite*"):
        file.unlink()


@settings(FEW, max_examples=15)
@given(data=st.data())
def test_damaged_backups_of_labels(tmp_path: Path, data: st.DataObject) -> None:
    (tmp_path / "b").write_bytes(data.draw(damaged(packed(list(backup_rows())))))
    only_ours(lambda: restore(tmp_path / "b", f"sqlite:///{tmp_path / 'new.sqlite'}"))
    for file in tmp_path.glob("new.sqlite*"):
        file.unlink()


HOSTING = {
    "address": "0.0.0.0", "port": 80, "corpora": ["/a"], "servers": ["http://a"], "limits": {"waiting": 1},
    "sign_in": {"secrets": "s", "people": ["*@a"]},
}  # fmt: skip


def as_toml(told: dict[str, Any]) -> str:
    """Return a section as TOML where it can be said in it, else as JSON, which TOML is not."""
    lines = ["[hosting]"]
    for name, value in told.items():
        lines.append(f"{json.dumps(name)} = {json.dumps(value).replace(': ', ' = ')}")
    return "\n".join(lines)


@FEW
@given(st.one_of(st.binary(max_size=60), changed(lambda: HOSTING).map(lambda told: as_bytes(as_toml(told)))))
def test_an_owners_file(content: bytes) -> None:
    only_ours(lambda: parse_hosting(content))


def test_the_files_that_are_damaged_here_are_good_as_they_are() -> None:
    readers: dict[str, Callable[[], object]] = {
        ending: lambda ending=ending, content=content: documents_from_upload(f"a{ending}", content)  # type: ignore[misc]
        for ending, content in good_files().items()
    }
    assert all(read() for read in readers.values())
    for good in (QUESTION, HOTPOT):
        (one,) = parse_questions("q.jsonl", json.dumps(good).encode()).questions
        assert one.golds == ("Ada", "A.", "Countess") and len(one.passages) == 1 and one.supporting == (0,)
    assert open_trace(json.dumps([SPAN]).encode()).question == open_trace(json.dumps(OTLP).encode()).question == "Who?"
    assert import_record(whole_page())
    assert parse_hosting(as_toml(HOSTING).encode()).port == 80


def test_the_backup_that_is_damaged_here_is_good_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(packed(list(backup_rows())))
    assert restore(tmp_path / "b", f"sqlite:///{tmp_path / 'new.sqlite'}").labels == 5
