"""Files of questions as they are published: each form gives question, answers, passages and which of them answer."""

import gzip
import json
from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.runs.studies.questions import parse_questions, read_questions

HOTPOT = {
    "_id": "5a8b",
    "question": "Who built it?",
    "answer": "Ada",
    "type": "bridge",
    "supporting_facts": [["Tower", 0]],
    "context": [["Tower", ["Ada built it. ", "It is tall."]], ["Other", ["Nothing."]]],
}
MUSIQUE = {
    "id": "2hop__1",
    "question": "Who built it?",
    "answer": "Ada",
    "answer_aliases": ["Ada L."],
    "paragraphs": [
        {"idx": 0, "title": "A", "paragraph_text": "No.", "is_supporting": False},
        {"idx": 1, "title": "B", "paragraph_text": "Ada built it.", "is_supporting": True},
    ],
}
KILT = {"id": "k1", "input": "Who built it?", "output": [{"answer": "Ada"}, {"provenance": [{"title": "Tower"}]}]}
DPR = {
    "question": "Who built it?",
    "answers": ["Ada"],
    "ctxs": [{"title": "T", "text": "Ada built it.", "isgold": True}, {"title": "U", "text": "No."}],
}
BEIR = {"_id": "q7", "text": "Who built it?", "metadata": {"answer": "Ada"}}
NQ_OPEN = {"question": "Who built it?", "answer": ["Ada", "Ada L."]}


@pytest.mark.parametrize(
    ("entry", "golds", "passages", "supporting"),
    [
        (HOTPOT, ("Ada",), ("Ada built it. It is tall.", "Nothing."), (0,)),
        (MUSIQUE, ("Ada", "Ada L."), ("No.", "Ada built it."), (1,)),
        (KILT, ("Ada",), (), ()),
        (DPR, ("Ada",), ("Ada built it.", "No."), (0,)),
        (BEIR, ("Ada",), (), ()),
        (NQ_OPEN, ("Ada", "Ada L."), (), ()),
    ],
)
def test_published_forms_are_read_as_they_are(
    entry: dict[str, object], golds: tuple[str, ...], passages: tuple[str, ...], supporting: tuple[int, ...]
) -> None:
    for content in (json.dumps(entry), json.dumps([entry])):
        (one,) = parse_questions("questions.json", content.encode()).questions
        assert (one.question, one.golds) == ("Who built it?", golds)
        assert tuple(passage.text for passage in one.passages) == passages
        assert one.supporting == supporting


def test_tables_are_read_with_and_without_a_header_plain_and_gzipped(tmp_path: Path) -> None:
    headed = 'id,question,answers\n1,Who?,"Ada | Ada L."\n2,What?,"[\'Tower\']"\n'
    bare = "who built it\t['Ada', 'Ada L.']\n"
    file = tmp_path / "questions.csv.gz"
    file.write_bytes(gzip.compress(headed.encode()))

    assert [one.golds for one in read_questions(file).questions] == [("Ada", "Ada L."), ("Tower",)]
    assert parse_questions("nq-test.csv", bare.encode()).questions[0].golds == ("Ada", "Ada L.")


def test_a_table_in_another_encoding_is_read_as_a_corpus_reads_it() -> None:
    told = "question,answers\n" + "Wann wurde die Brücke über den großen Fluss in München gebaut?,im März 1901\n" * 2
    for content in (told.encode("utf-16"), told.encode("windows-1252"), told.encode("utf-8-sig")):
        (one,) = parse_questions("q.csv", content).questions
        assert (one.question.split()[3], one.golds) == ("Brücke", ("im März 1901",))


def test_a_repeated_question_is_asked_once_and_counted() -> None:
    line = json.dumps(NQ_OPEN)
    found = parse_questions("q.jsonl", f"{line}\n{line}\n".encode())
    assert (len(found.questions), found.repeated) == (1, 1)


def test_the_same_question_over_other_passages_is_another_point() -> None:
    rows = [{**NQ_OPEN, "passages": ["One."], "utility": 1}, {**NQ_OPEN, "passages": ["Two."], "utility": 0.0}]
    found = parse_questions("q.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert [one.utility for one in found.questions] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("q.jsonl", '{"question": "Who?"}\nnot json\n', "Line 2"),
        ("q.jsonl", '{"question": "Who?"}\n\n{"answer": "Ada"}\n', "Line 3"),
        ("q.jsonl", '{"question": "Who?", "utility": 2}\n', "Line 1"),
        ("q.jsonl", '{"question": "Who?", "passages": [{"title": "T"}]}\n', "Line 1"),
        ("q.json", '[{"question": "Who?"}, 3]', "Entry 2"),
        ("q.csv", "question,answers\nWho?,Ada\n,Ada\n", "Row 3"),
        ("q.txt", "Who?", "q.txt"),
        ("q.json", '[{"question": "Who?"},', "q.json"),
        ("q.csv", 'question,answers\nWho?,"Ada\n', "q.csv"),
        ("q.jsonl", "\x1f\x8bnot packed", "q.jsonl"),
        ("q.jsonl", "", "q.jsonl"),
    ],
)
def test_what_cannot_be_asked_is_named_with_its_line(name: str, content: str, line: str) -> None:
    with pytest.raises(InputError, match=line):
        parse_questions(name, content.encode("latin-1"))
