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


def test_a_row_with_more_cells_than_columns_is_refused_and_not_cut() -> None:
    cut = b"question,answers\nWho?,Ada\nWho wrote Hamlet, Macbeth and Lear?,Shakespeare\n"
    sentence = "Row 3 of q.csv has 3 cells for 2 columns. Put a text that holds a comma into double quotes."
    with pytest.raises(InputError) as refused:
        parse_questions("q.csv", cut)
    assert str(refused.value) == sentence
    with pytest.raises(InputError, match=r"Row 1 of q\.csv has 3 cells .* a comma"):
        parse_questions("q.csv", b"Who wrote Hamlet, Macbeth and Lear?,Shakespeare\n")
    with pytest.raises(InputError, match=r"Row 2 of q\.tsv has 3 cells .* a tab"):
        parse_questions("q.tsv", b"question\tanswers\nWho?\tAda\tBabbage\n")

    quoted = b'question,answers\n"Who wrote Hamlet, Macbeth and Lear?",Shakespeare,, \n'
    (one,) = parse_questions("q.csv", quoted).questions
    assert (one.question, one.golds) == ("Who wrote Hamlet, Macbeth and Lear?", ("Shakespeare",))
    (one,) = parse_questions("q.tsv", b"Who?\tAda\tof no column\n").questions
    assert (one.question, one.golds) == ("Who?", ("Ada",))


@pytest.mark.parametrize("header", ["id;question;answers", '"ID";"Question";"Answers"', "\ufeffid; question ;answers"])
def test_a_table_of_excel_is_parted_at_semicolons(header: str) -> None:
    rows = '7;Who wrote Hamlet, Macbeth and Lear?;Shakespeare\r\n8;"Ada; or who?";Ada | Lovelace\r\n'
    found = parse_questions("q.csv", f"{header}\r\n{rows}".encode()).questions
    assert [(one.key, one.question, one.golds) for one in found] == [
        ("7", "Who wrote Hamlet, Macbeth and Lear?", ("Shakespeare",)),
        ("8", "Ada; or who?", ("Ada", "Lovelace")),
    ]


def test_a_table_with_commas_keeps_its_semicolons() -> None:
    (one,) = parse_questions("q.csv", b"question,answers\nWho; and when?,Ada; 1843\n").questions
    assert (one.question, one.golds) == ("Who; and when?", ("Ada; 1843",))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_quote_between_tabs_is_a_part_of_the_text(end: str) -> None:
    lines = ["question\tanswers", '"Nevermore" is said by whom?\tthe raven', '5" are how many cm?\t12.7', 'Who?\t"Ada']
    found = parse_questions("q.tsv", end.join([*lines, ""]).encode()).questions
    assert [(one.question, one.golds) for one in found] == [
        ('"Nevermore" is said by whom?', ("the raven",)),
        ('5" are how many cm?', ("12.7",)),
        ("Who?", ('"Ada',)),
    ]
    quoted = f'question\tanswers{end}"Who said ""no""?"\t"Ada"{end}'
    (one,) = parse_questions("q.tsv", quoted.encode()).questions
    assert (one.question, one.golds) == ('Who said "no"?', ("Ada",))


@pytest.mark.parametrize(("told", "marked"), [(1, (0,)), ("true", (0,)), (" True", (0,)), (0, ()), ("false", ())])
def test_a_passage_is_marked_by_a_number_or_a_word_too(told: object, marked: tuple[int, ...]) -> None:
    row = {**NQ_OPEN, "ctxs": [{"title": "T", "text": "Ada built it.", "is_supporting": told}]}
    assert parse_questions("q.json", json.dumps(row).encode()).questions[0].supporting == marked


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
