"""Files of questions as they are published: each form gives question, answers, passages and which of them answer."""

import gzip
import json
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
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
HOTPOT_ROW = {
    **HOTPOT,
    "supporting_facts": {"title": ["Tower"], "sent_id": [0]},
    "context": {"title": ["Tower", "Other"], "sentences": [["Ada built it. ", "It is tall."], ["Nothing."]]},
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
SQUAD_ROW = {
    "id": "s1",
    "title": "Tower",
    "context": "Ada built it.",
    "question": "Who built it?",
    "answers": {"text": ["Ada"], "answer_start": [0]},
}
BELOW = {"id": "s1", "question": "Who built it?", "answers": [{"text": "Ada", "answer_start": 0}]}
SQUAD_ARTICLE = {"title": "Tower", "paragraphs": [{"context": "Ada built it.", "qas": [BELOW]}]}
SQUAD_FILE = {"version": "1.1", "data": [SQUAD_ARTICLE]}


def parquet(*rows: dict[str, object]) -> bytes:
    """Return rows as a Parquet file."""
    file = BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("entry", "golds", "passages", "supporting"),
    [
        (HOTPOT, ("Ada",), ("Ada built it. It is tall.", "Nothing."), (0,)),
        (HOTPOT_ROW, ("Ada",), ("Ada built it. It is tall.", "Nothing."), (0,)),
        (MUSIQUE, ("Ada", "Ada L."), ("No.", "Ada built it."), (1,)),
        (KILT, ("Ada",), (), ()),
        (DPR, ("Ada",), ("Ada built it.", "No."), (0,)),
        (BEIR, ("Ada",), (), ()),
        (NQ_OPEN, ("Ada", "Ada L."), (), ()),
        (SQUAD_ROW, ("Ada",), ("Ada built it.",), ()),
    ],
)
def test_published_forms_are_read_as_they_are(
    entry: dict[str, object], golds: tuple[str, ...], passages: tuple[str, ...], supporting: tuple[int, ...]
) -> None:
    whole = [json.dumps(told, indent=indent).encode() for told in (entry, [entry]) for indent in (None, 2)]
    forms = [(name, content) for name in ("q.json", "q.jsonl") for content in whole]
    if entry is not HOTPOT:  # its lists hold texts and numbers, which no column of Parquet does
        forms += [("q.parquet", parquet(entry)), ("q.parquet.gz", gzip.compress(parquet(entry)))]
    for name, content in forms:
        (one,) = parse_questions(name, content).questions
        assert (one.question, one.golds) == ("Who built it?", golds)
        assert tuple(passage.text for passage in one.passages) == passages
        assert one.supporting == supporting


@pytest.mark.parametrize("indent", [None, 2])
def test_a_question_of_squad_has_its_paragraph_as_its_passage(indent: int | None) -> None:
    other = {"title": "Bridge", "paragraphs": [{"context": "No.", "qas": []}, *SQUAD_ARTICLE["paragraphs"]]}  # type: ignore[misc]
    for told in (SQUAD_FILE, SQUAD_ARTICLE, SQUAD_FILE["data"], {"data": [other]}):
        (one,) = parse_questions("dev.json", json.dumps(told, indent=indent).encode()).questions
        assert (one.key, one.question, one.golds) == ("s1", "Who built it?", ("Ada",))
        assert [(passage.title in ("Tower", "Bridge"), passage.text) for passage in one.passages] == [
            (True, "Ada built it.")
        ]
    broken = {"data": [SQUAD_ARTICLE, {"title": "T", "paragraphs": [{"context": "c", "qas": [BELOW, {"id": "s2"}]}]}]}
    with pytest.raises(InputError, match=r"^Entry 2 of dev\.json, paragraph 1, question 2 holds no question"):
        parse_questions("dev.json", json.dumps(broken).encode())


def test_a_list_of_questions_in_an_object_is_read() -> None:
    for name in ("data", "rows", "documents"):
        content = json.dumps({"name": "mine", name: [NQ_OPEN, {**NQ_OPEN, "question": "What?"}]}, indent=1).encode()
        assert [one.question for one in parse_questions("q.json", content).questions] == ["Who built it?", "What?"]


def test_a_cell_of_passages_is_read_as_on_the_documents_page() -> None:
    listed = json.dumps([{"title": "T", "text": "Ada built it.", "isgold": True}, {"text": "No."}]).replace('"', '""')
    content = f'question,answers,ctxs\nWho?,Ada,"{listed}"\nWhat?,Tower, \nWhen?,1843,In 1843.\n'.encode()
    found = parse_questions("q.csv", content).questions
    assert [[passage.text for passage in one.passages] for one in found] == [["Ada built it.", "No."], [], ["In 1843."]]
    assert found[0].supporting == (0,)


def test_a_table_parted_at_vertical_bars_is_known_by_its_header() -> None:
    (one,) = parse_questions("q.csv", b"question|answers\nWho wrote Hamlet, and when?|Shakespeare\n").questions
    assert (one.question, one.golds) == ("Who wrote Hamlet, and when?", ("Shakespeare",))


def test_a_damaged_table_of_parquet_is_a_sentence() -> None:
    for content in (b"PAR1 no table", parquet(NQ_OPEN)[:40], b"\xff\xfe"):
        with pytest.raises(InputError, match=r"q\.parquet is damaged"):
            parse_questions("q.parquet", content)
    with pytest.raises(InputError, match=r"Row 2 of q\.parquet holds no question"):
        parse_questions("q.parquet", parquet(NQ_OPEN, {"question": None, "answer": ["Ada"]}))


def test_tables_are_read_with_and_without_a_header_plain_and_gzipped(tmp_path: Path) -> None:
    headed = 'id,question,answers\n1,Who?,"Ada | Ada L."\n2,What?,"[\'Tower\']"\n'
    bare = "who built it\t['Ada', 'Ada L.']\n"
    file = tmp_path / "questions.csv.gz"
    file.write_bytes(gzip.compress(headed.encode()))

    assert [one.golds for one in read_questions(file).questions] == [("Ada", "Ada L."), ("Tower",)]
    assert parse_questions("nq-test.csv", bare.encode()).questions[0].golds == ("Ada", "Ada L.")


def test_what_was_guessed_of_a_file_is_said() -> None:
    bare = parse_questions("q.csv", b"Frage,Antwort\nWho wrote Hamlet?,Shakespeare\n")
    assert bare.notes == ("No known column name: the first row, “Frage”, is asked too.",)
    # One line of UTF-8 and one of another encoding: a letter is wrong, and the page shows it.
    mixed = parse_questions("q.csv", "question,answers\nMolière?,Paris\n".encode() + "Où?,Köln\n".encode("cp1252"))
    (note,) = mixed.notes
    assert note.startswith("It is not UTF-8, so its encoding was guessed. Check this: “Moli")
    assert "Molière" not in note
    plain = parse_questions("q.csv", "question,answers\nOù?,Köln\n".encode())
    assert plain.notes == ()


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
        ("q.jsonl", '{"question": "Who?"\n{"question": "What?"}\n', "Line 1"),
        ("q.jsonl", '{"question": "Who?"}\n{"answers": ' + "[" * 1000 + "]" * 1000 + "}\n", "Line 2"),
        ("q.json", '{"data": [{"question": "Who?"}, {"answer": "Ada"}]}', "Entry 2"),
        ("q.json", '{\n  "question": "Who?",\n', "q.json is not JSON"),
        ("q.json", '"Who?"', "q.json holds neither a list of objects nor an object"),
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
