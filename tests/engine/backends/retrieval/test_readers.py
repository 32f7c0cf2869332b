"""Files of every kind give their text, titles and questions; hostile ones give a sentence and never hang or fill up."""

import csv
import gzip
import io
import json
import time
import zipfile
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from docx import Document as WordFile
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from engine.backends.retrieval import readers
from engine.backends.retrieval.readers import pdf, read_file, tables, word
from engine.backends.retrieval.readers.base import FileContent
from engine.backends.retrieval.readers.pdf import joined_pages
from engine.core.errors import Cancelled, CorpusError
from engine.core.progress import Event


def pdf_bytes(pages: Sequence[Sequence[str]], title: str = "", password: str | None = None) -> bytes:
    """Return a PDF whose pages hold these lines in Helvetica."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for lines in pages:
        page = writer.add_blank_page(width=595, height=842)
        drawn = "\n".join(f"({line}) Tj 0 -14 Td" for line in lines)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 11 Tf 50 800 Td {drawn} ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    if title:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, owner_password="owner", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def word_bytes(title: str = "") -> bytes:
    file = WordFile()
    file.core_properties.title = title
    file.add_heading("The lighthouse", level=1)
    file.add_paragraph("Built in 1884.")
    table = file.add_table(rows=2, cols=2)
    for place, text in enumerate(["Keeper", "Year", "Ada", "1884"]):
        table.cell(place // 2, place % 2).text = text
    file.add_paragraph("Dark since 1990.")
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def parquet_bytes(rows: list[dict[str, object]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


def refused(name: str, content: bytes) -> str:
    with pytest.raises(CorpusError) as caught:
        read_file(name, content)
    return str(caught.value)


def characters(content: FileContent) -> int:
    return sum(len(one.title) + len(one.text) for one in content.documents)


def shown(content: FileContent) -> list[tuple[str, str]]:
    return [(document.title, document.text) for document in content.documents]


def asked(content: FileContent) -> list[tuple[str, tuple[str, ...]]]:
    return [(question.question, question.golds) for question in content.questions]


def test_a_pdf_gives_its_pages_with_lines_joined_and_parted_words_whole() -> None:
    first = ["The tower was com-", "pleted in 1889 for a fair that was held on the Champ de", "Mars in Paris."]
    content = read_file("tower.pdf", pdf_bytes([first, [], ["Its height is 330 m."]], title="The tower"))
    ((title, text),) = shown(content)
    assert title == "The tower"
    assert "completed in 1889" in text and "Champ de Mars in Paris." in text and text.endswith("330 m.")
    assert len(content.notes) == 1 and "1 of 3" in content.notes[0]


def test_a_pdf_without_a_title_of_its_own_is_called_by_its_file() -> None:
    for title in ["", "Microsoft Word - draft.doc", "untitled"]:
        assert shown(read_file("report.pdf", pdf_bytes([["Text."]], title)))[0][0] == "report"


def test_a_sentence_that_goes_on_over_a_page_is_not_parted() -> None:
    assert joined_pages(["It was built by", "the city.", "", "Later"]) == "It was built by the city.\n\nLater"


def test_a_pdf_locked_against_changes_only_is_read_and_one_with_a_password_is_refused() -> None:
    assert shown(read_file("a.pdf", pdf_bytes([["Open text."]], password="")))[0][1] == "Open text."
    assert "password" in refused("a.pdf", pdf_bytes([["Secret."]], password="word"))


def test_damaged_empty_and_scanned_pdfs_are_refused() -> None:
    whole = pdf_bytes([["Text."]])
    failing = [
        content[:20]
        for content in [b"%PDF-1.7", b"no pdf at all", whole[:200], b"%PDF-1.7\n" + b"<<" * 20_000, pdf_bytes([[]])]
        if "a.pdf" not in refused("a.pdf", content)
    ]
    assert failing == []


def test_a_pdf_of_too_many_pages_or_too_slow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = pdf_bytes([["One."], ["Two."], ["Three."]])
    monkeypatch.setattr(pdf, "MOST_SECONDS", -1.0)
    assert "longer" in refused("a.pdf", content) or "minutes" in refused("a.pdf", content)
    monkeypatch.setattr(pdf, "MOST_PAGES", 2)
    assert "3 pages" in refused("a.pdf", content)


def test_a_pdf_whose_stream_unpacks_to_a_bomb_is_refused() -> None:
    writer = PdfWriter()
    page = writer.add_blank_page(width=100, height=100)
    stream = DecodedStreamObject()
    stream.set_data(b"BT " + b" " * 100_000_000 + b" ET")
    page[NameObject("/Contents")] = writer._add_object(stream.flate_encode(9))
    out = io.BytesIO()
    writer.write(out)
    assert len(out.getvalue()) < 200_000 and len(PdfReader(io.BytesIO(out.getvalue())).pages) == 1
    assert "bomb.pdf" in refused("bomb.pdf", out.getvalue())


def test_reading_a_pdf_can_be_stopped_between_pages() -> None:
    def stop(event: Event) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        read_file("a.pdf", pdf_bytes([["One."]]), stop)


def test_a_web_page_gives_its_readable_text_and_no_script_or_menu() -> None:
    page = """<!doctype html><html><head><title> Lyon  city </title><style>p{}</style></head><body>
    <nav>Home | About</nav><h1>Lyon</h1><p>Lyon is a <b>city</b> on the Rh&ocirc;ne.</p>
    <script>alert("x")</script><table><tr><td>Area</td><td>48</td></tr></table><footer>© 2020</footer></body></html>"""
    ((title, text),) = shown(read_file("lyon.html", page.encode()))
    assert title == "Lyon city"
    assert "Lyon is a city on the Rhône." in text and "Area" in text
    assert [word for word in ("alert", "Home", "2020", "<") if word in text] == []


def test_a_web_page_is_read_in_the_encoding_it_declares_and_its_main_part_alone() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body>x<main>Москва</main></body></html>'
    assert shown(read_file("m.htm", page.encode("windows-1251"))) == [("m", "Москва")]


def test_hostile_web_pages_are_read_or_refused() -> None:
    deep = b"<div>" * 50_000 + b"deep" + b"</div>" * 50_000
    entity = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><html><body><p>safe &a;</p></body></html>'
    assert "root:" not in shown(read_file("e.html", entity))[0][1]
    for content in [deep, b"<html><script>only()</script></html>", b"<" * 100_000]:
        try:
            assert read_file("d.html", content).documents
        except CorpusError as exc:
            assert "d.html" in str(exc)


def test_a_word_file_gives_paragraphs_and_tables_in_order() -> None:
    ((title, text),) = shown(read_file("a.docx", word_bytes()))
    assert title == "The lighthouse"
    assert text == "The lighthouse\n\nBuilt in 1884.\n\nKeeper | Year\n\nAda | 1884\n\nDark since 1990."
    assert shown(read_file("a.docx", word_bytes("Its own title")))[0][0] == "Its own title"


def test_a_zip_bomb_a_damaged_and_a_locked_word_file_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (word.LARGEST_XML + 1))
    assert len(bomb.getvalue()) < 100_000 and "unpacks" in refused("bomb.docx", bomb.getvalue())
    no_word = io.BytesIO()
    with zipfile.ZipFile(no_word, "w") as archive:
        archive.writestr("a.txt", "text")
    for content in [b"PK\x03\x04 broken", word_bytes()[:2000], no_word.getvalue()]:
        assert "damaged" in refused("a.docx", content)
    assert "locked" in refused("a.docx", b"\xd0\xcf\x11\xe0" + b"\x00" * 600)
    monkeypatch.setattr(word, "MOST_PARTS", 3)
    assert "parts" in refused("a.docx", word_bytes())


def test_a_table_with_a_text_column_is_read_by_it_and_any_other_row_by_its_columns() -> None:
    dpr = 'id\ttext\ttitle\n1\t"Aaron is a prophet."\tAaron\n2\tMoses led.\tMoses\n'
    assert shown(read_file("psgs.tsv", dpr.encode())) == [("Aaron", "Aaron is a prophet."), ("Moses", "Moses led.")]
    content = read_file("people.csv", b"year;name;city\n1815;Ada Lovelace;London\n1906;Grace Hopper;\n")
    assert shown(content) == [
        ("Ada Lovelace", "year: 1815\nname: Ada Lovelace\ncity: London"),
        ("Grace Hopper", "year: 1906\nname: Grace Hopper"),
    ]
    assert len(content.notes) == 1 and "year, name, city" in content.notes[0]


MARCO = 'id\ttext\n1\t"Weird Al was born in 1959.\n2\tCanberra is the capital.\n3\tHe said "no" twice.\n'
OUT_OF_PLACE = "A quotation mark is out of place"


@pytest.mark.parametrize("name", ["collection.tsv", "collection.csv"])
def test_a_stray_quote_in_a_tab_separated_file_swallows_no_row(name: str) -> None:
    content = read_file(name, MARCO.encode())
    assert [text for _, text in shown(content)] == [
        '"Weird Al was born in 1959.',
        "Canberra is the capital.",
        'He said "no" twice.',
    ]
    assert content.notes == (f"{OUT_OF_PLACE}: all of them were read as part of the text.",)


def test_a_quoted_cell_of_many_lines_in_a_tab_separated_file_is_one_cell() -> None:
    content = read_file("a.tsv", b'id\ttext\n1\t"a ""quoted"" cell\nwith a\ttab"\n2\tsecond\n')
    assert [text for _, text in shown(content)] == ['a "quoted" cell\nwith a\ttab', "second"]
    assert content.notes == ()


def test_a_stray_quote_between_commas_is_noted_since_it_may_swallow_rows() -> None:
    content = read_file("a.csv", b'id,text\n1,"Weird Al was born.\n2,Canberra is the capital.\n')
    assert content.notes == (f"{OUT_OF_PLACE}: several rows may have been read as one.",)
    assert read_file("a.csv", b'id,text\n1,He said "no" twice.\n').notes == ()


def test_cells_beyond_the_header_go_on_with_the_text_where_it_is_last() -> None:
    table = b"title,text\nEiffel Tower,It was built in 1889, in Paris, by Gustave Eiffel.\nLouvre,A museum.,,\n"
    content = read_file("a.csv", table)
    assert shown(content) == [
        ("Eiffel Tower", "It was built in 1889, in Paris, by Gustave Eiffel."),
        ("Louvre", "A museum."),
    ]
    assert content.notes == ()


def test_rows_with_cells_beyond_a_header_that_does_not_end_with_the_text_are_counted() -> None:
    content = read_file("a.csv", b"text,place\nBuilt in 1889, by Eiffel,Paris\nA museum.,Paris,\nOld,and,new\n")
    assert [text for _, text in shown(content)] == ["Built in 1889", "A museum.", "Old"]
    assert content.notes == ("2 rows have more cells than the header; what is beyond it was left out.",)
    content = read_file("a.csv", b"year;name\n1815;Ada;x\n1906;Grace\n")
    assert content.notes[-1] == "1 row has more cells than the header; what is beyond it was left out."


def test_a_table_without_a_header_numbers_its_columns_and_questions_are_not_indexed() -> None:
    assert shown(read_file("n.csv", b"1815,Ada\n1906,Grace\n"))[0] == ("Ada", "column 1: 1815\ncolumn 2: Ada")
    content = read_file("q.csv", b"question,answer\nWho was first?,Ada\n")
    assert (shown(content), asked(content)) == ([], [("Who was first?", ("Ada",))])


def test_a_huge_line_and_a_binary_table_give_a_sentence_or_their_text() -> None:
    assert len(shown(read_file("h.csv", b"text\n" + b"x" * 3_000_000))[0][1]) == 3_000_000
    assert "h.csv" in refused("h.csv", bytes(range(1, 32)) * 50)
    assert len(shown(read_file("h.txt", b"x" * 3_000_000))[0][1]) == 3_000_000


def test_a_parquet_file_is_read_row_by_row_and_a_damaged_or_huge_one_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, object]] = [{"_id": "a", "title": "Paris", "text": "A capital."}, {"_id": "b", "text": "B."}]
    content = read_file("c.parquet", parquet_bytes(rows))
    assert [one.document_id for one in content.documents] == ["a", "b"]
    for broken in [b"PAR1", b"PAR1" + b"\x00" * 500 + b"PAR1", parquet_bytes(rows)[:-9] + b"\xff" * 5 + b"PAR1"]:
        assert "damaged" in refused("c.parquet", broken)
    monkeypatch.setattr(tables, "LARGEST_FILE", 1_000_000)
    bomb = parquet_bytes([{"text": "x" * 100_000}] * 80)  # one value, packed once, repeated
    assert len(bomb) < 200_000 and "unpacks" in refused("c.parquet", bomb)
    monkeypatch.setattr(tables, "MOST_ROWS", 1)
    assert "2 rows" in refused("c.parquet", parquet_bytes(rows))


def test_a_packed_file_is_unpacked_and_a_bomb_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(read_file("a.txt.gz", gzip.compress(b"Text.")))[0][1] == "Text."
    assert "damaged" in refused("a.txt.gz", b"\x1f\x8b broken")
    monkeypatch.setattr(readers, "LARGEST_FILE", 1_000_000)
    assert "unpacks" in refused("a.txt.gz", gzip.compress(b"x" * 1_000_001))


def test_json_that_is_too_deep_or_no_object_is_refused() -> None:
    for content in [b"[" * 100_000, b'{"a":' * 50_000, b"5", b'["text"]', b'{"rows": 5}', b"[1, 2]", b"{"]:
        assert "a.json" in refused("a.json", content)
        assert "a.jsonl" in refused("a.jsonl", content)


HOTPOT = {
    "_id": "5a8b",
    "question": "Were they of the same nationality?",
    "answer": "yes",
    "context": [["Ed Wood", ["Ed Wood is a film.", " It is American."]], ["Scott", ["Scott is a director."]]],
    "supporting_facts": [["Ed Wood", 0]],
}
HOTPOT_ROWS = {
    "question": HOTPOT["question"],
    "answer": "yes",
    "context": {
        "title": ["Ed Wood", "Scott"],
        "sentences": [["Ed Wood is a film.", " It is American."], ["Scott is a director."]],
    },
}
TWO_WIKI = {
    **HOTPOT,
    "context": json.dumps([["Ed Wood", ["Ed Wood is a film.", "It is American."]], HOTPOT["context"][1]]),
}
MUSIQUE = {
    "id": "2hop__1",
    "question": HOTPOT["question"],
    "answer": "yes",
    "answer_aliases": ["they were"],
    "paragraphs": [
        {"idx": 0, "title": "Ed Wood", "paragraph_text": "Ed Wood is a film. It is American.", "is_supporting": True},
        {"idx": 1, "title": "Scott", "paragraph_text": "Scott is a director.", "is_supporting": False},
    ],
}
NATURAL = {
    "question": HOTPOT["question"],
    "answers": ["yes", "they were"],
    "ctxs": [
        {"id": "1", "title": "Ed Wood", "text": "Ed Wood is a film. It is American.", "score": "1.2"},
        {"id": "2", "title": "Scott", "text": "Scott is a director.", "hasanswer": False},
    ],
}
DPR = {
    "question": HOTPOT["question"],
    "answers": ["yes"],
    "positive_ctxs": [NATURAL["ctxs"][0]],
    "negative_ctxs": [],
    "hard_negative_ctxs": [NATURAL["ctxs"][1]],
}
SQUAD = {
    "title": "Ed Wood",
    "paragraphs": [
        {
            "context": "Ed Wood is a film. It is American.",
            "qas": [{"id": "1", "question": HOTPOT["question"], "answers": [{"text": "yes", "answer_start": 0}]}],
        }
    ],
}
TEXTS = [("Ed Wood", "Ed Wood is a film. It is American."), ("Scott", "Scott is a director.")]


@pytest.mark.parametrize(
    ("row", "texts", "golds"),
    [
        (HOTPOT, TEXTS, ("yes",)),
        (HOTPOT_ROWS, TEXTS, ("yes",)),
        (TWO_WIKI, TEXTS, ("yes",)),
        (MUSIQUE, TEXTS, ("yes", "they were")),
        (NATURAL, TEXTS, ("yes", "they were")),
        (DPR, TEXTS, ("yes",)),
        (SQUAD, TEXTS[:1], ("yes",)),
        ({"id": "1", "input": HOTPOT["question"], "output": [{"answer": "yes"}, {"meta": {}}]}, [], ("yes",)),
    ],
    ids=["hotpotqa", "hotpotqa rows", "2wikimultihopqa", "musique", "natural questions", "dpr", "squad", "kilt"],
)
def test_a_public_question_file_gives_its_passages_and_its_question(
    row: dict[str, object], texts: list[tuple[str, str]], golds: tuple[str, ...]
) -> None:
    for name, content in [("q.json", json.dumps([row])), ("q.jsonl", json.dumps(row))]:
        found = read_file(name, content.encode())
        assert shown(found) == texts
        assert asked(found) == [(HOTPOT["question"], golds)]


def test_the_layout_of_a_data_set_in_parquet_is_the_same_as_in_json() -> None:
    found = read_file("q.parquet", parquet_bytes([HOTPOT_ROWS]))
    assert (shown(found), asked(found)) == (TEXTS, [(HOTPOT["question"], ("yes",))])
    squad = {"data": [SQUAD], "version": "1.1"}
    assert shown(read_file("squad.json", json.dumps(squad).encode())) == TEXTS[:1]


def test_a_question_without_answers_is_a_question_and_one_beside_a_text_is_not() -> None:
    for key in ("question", "query"):
        row = {"id": "1", key: "Who  built it?"}
        content = read_file("q.jsonl", b'{"text": "Ada built it."}\n' + json.dumps(row).encode())
        assert (shown(content), asked(content)) == ([("", "Ada built it.")], [("Who built it?", ())])
    assert asked(read_file("q.csv", b"id,question\n1,Who?\n2,When?\n")) == [("Who?", ()), ("When?", ())]
    content = read_file("faq.jsonl", b'{"question": "Who?", "text": "Ada."}')
    assert (len(content.documents), content.questions) == (1, ())
    # A list of rows in an object goes before the question that was sent for them.
    content = read_file("found.json", b'{"query": "Who?", "rows": [{"text": "Ada."}]}')
    assert (len(content.documents), content.questions) == (1, ())


SQUAD_TITLE = {"data": [{"title": "t" * 50_000, "paragraphs": [{"context": "a", "qas": []}] * 1500}]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("header.csv", b"h" * 50_000 + b",b\n" + b"1,2\n" * 1500),
        ("header.parquet", parquet_bytes([{"h" * 50_000: 1, "b": 2}] * 1500)),
        ("title.json", json.dumps(SQUAD_TITLE).encode()),
        ("lists.html", b"<ul>" * 200 + b"<li>a" * 5000),
        ("columns.html", b"<table><tr><td>" + b"a" * 10_000 + b"<tr><td>b<td>c" * 1000),
        ("rows.html", b"<table><tr><td>a" + b"<br>a" * 2000 + b"<td>b" * 1000 + b"<td>c" + b"<br>c" * 2000),
    ],
)
def test_no_small_file_is_read_as_a_hundred_times_its_size(name: str, content: bytes) -> None:
    assert 0 < characters(read_file(name, content)) < 20 * len(content) + 20_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("heading.md", b"# a" + b" " * 40_000 + b"b"),
        ("spaces.html", b"<pre>a" + b" " * 40_000 + b"b"),
        ("indent.html", b'<div style="padding-left:3000em">' + b"<p>a</p>" * 100),
        ("lines.csv", b'\n"\n"' * 4096 + b"a,b"),
        ("quotes.csv", b',"' * 8192),
        ("primes.csv", b",'x" * 5461),
    ],
)
def test_no_small_file_keeps_the_processor_for_seconds(name: str, content: bytes) -> None:
    read_file("warm" + name[name.index(".") :], b"a,b\nc,d")  # the libraries are imported at their first use
    began = time.thread_time()
    read_file(name, content)
    assert time.thread_time() - began < 2.5


def test_a_table_that_says_more_than_is_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "columns" in refused("wide.csv", b"a" + b"," * 10_000)
    monkeypatch.setattr(tables, "MOST_CELLS", 1000)
    assert "cells" in refused("a.csv", b"a,b\n" + b"," * 1100)
    assert "cells" in refused("a.parquet", parquet_bytes([{"text": None, "other": None}] * 501))
    assert "1,201 cells" in refused("a.csv", b"a\n" * 1201), "a table of one column has no sign between its cells"
    monkeypatch.setattr(tables, "LARGEST_FILE", 100_000)
    assert "unpacks" in refused("a.csv", b"h" * 200 + b",b\n" + b"1,2\n" * 499)


def test_a_file_of_more_rows_than_are_read_is_refused_in_every_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 3)
    rows = [{"text": f"Row {at}."} for at in range(4)]
    forms = {
        "a.csv": lambda some: b"text\n" + b"".join(one["text"].encode() + b"\n" for one in some),
        "a.jsonl": lambda some: "\n".join(map(json.dumps, some)).encode(),
        "a.json": lambda some: json.dumps(some).encode(),
    }
    for name, written in forms.items():
        assert len(read_file(name, written(rows[:3])).documents) == 3
        assert "more than 3" in refused(name, written(rows))


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_sign_between_columns_is_the_one_that_parts_the_lines_evenly(sign: str) -> None:
    lines = [["year", "what"], ["1,5", "Hello, you; all | here"], ["2,5", 'He said: "no", twice'], ["3", "a, b, c\nd"]]
    table = io.StringIO()
    csv.writer(table, delimiter=sign).writerows(lines)
    assert shown(read_file("a.csv", table.getvalue().encode()))[2] == ("a, b, c d", "year: 3\nwhat: a, b, c\nd")


def test_a_cell_of_a_word_table_stands_once_in_a_row_however_far_it_spans() -> None:
    file = WordFile()
    table = file.add_table(rows=3, cols=2)
    for place, text in enumerate(["Europe", "France", "", "Spain", "All", "Yes"]):
        table._tbl.tr_lst[place // 2].tc_lst[place % 2].p_lst[0].add_r().text = text
    table._tbl.tr_lst[0].tc_lst[0].vMerge = "restart"
    table._tbl.tr_lst[1].tc_lst[0].vMerge = "continue"
    table._tbl.tr_lst[2].tc_lst[0].grid_span = 100_000
    out = io.BytesIO()
    file.save(out)
    read_file("warm.docx", word_bytes())
    began = time.thread_time()
    assert shown(read_file("a.docx", out.getvalue()))[0][1] == "Europe | France\n\nEurope | Spain\n\nAll | Yes"
    assert time.thread_time() - began < 2.0


def test_a_word_cell_that_spans_many_rows_is_written_whole_once() -> None:
    file = WordFile()
    table = file.add_table(rows=1200, cols=1)
    rows = table._tbl.tr_lst
    rows[0].tc_lst[0].p_lst[0].add_r().text = "x" * 10_000
    rows[0].tc_lst[0].vMerge = "restart"
    for row in rows[1:]:
        row.tc_lst[0].vMerge = "continue"
    out = io.BytesIO()
    file.save(out)
    assert characters(read_file("a.docx", out.getvalue())) < 10_000 + 1200 * 305


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.jsonl"])
def test_documents_hold_characters_in_one_form(name: str) -> None:
    apart = "Zu\u0308rich"
    text = {"a.csv": f"title,text\n{apart},{apart}\n", "a.jsonl": json.dumps({"title": apart, "text": apart})}
    (document,) = read_file(name, text.get(name, f"# {apart}\n").encode()).documents
    assert "Z\u00fcrich" in document.text and apart not in document.title + document.text
