"""Files of questions as they are: HotpotQA, 2WikiMultihopQA, MuSiQue, Natural Questions, SQuAD, KILT, BEIR, CSV.

The form of each entry is read from its fields, so a file needs no name of its format:

=====================  ==================================================================================
question               ``question``, ``input`` (KILT), ``query`` or ``text`` (BEIR's queries), ``qas`` (SQuAD)
correct answers        ``answers``, ``answer`` (one or a list), ``golds``, ``output[].answer`` (KILT),
                       ``metadata.answer`` (BEIR); with ``aliases`` and ``answer_aliases`` (MuSiQue)
passages               ``passages``, ``ctxs`` (DPR), ``paragraphs`` (MuSiQue), ``context`` (HotpotQA, 2Wiki, SQuAD)
which of them answer   ``supporting``, ``is_supporting``, ``isgold`` of a passage, or ``supporting_facts``
known utility          ``utility``, in [0, 1]
=====================  ==================================================================================

JSON Lines, JSON (a list, an object with such a list in ``data``, or one object, on any number of lines), Parquet, CSV
(also with ";" as Excel writes it, or "|") and tab-separated text are read, plain or gzipped. A table without a header
has the question first and the answers second, as DPR's files have. Answers in a cell are a list in brackets, or stand
between "|".
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.backends.retrieval.readers import plain_bytes, suffix_of
from engine.backends.retrieval.readers.base import decoded as as_text
from engine.backends.retrieval.readers.base import is_guessed
from engine.backends.retrieval.readers.rows import (
    ANSWER_KEYS,
    QUESTION_KEYS,
    TITLE_KEYS,
    Row,
    context_of,
    contexts_in,
    first_text,
    golds_of,
    paragraphs_of,
    parsed_list,
    questions_below,
)
from engine.backends.retrieval.readers.tables import json_lines, json_rows, parquet_table, parsed, table_lines
from engine.core.errors import CorpusError, InputError
from engine.core.folders import read_at_most
from engine.core.records import Passage
from engine.core.words import closed, quoted
from engine.runs.studies.records import QuestionFile, StudyQuestion

QUESTION_FIELDS = (*QUESTION_KEYS, "input", "text")
LONGEST_ANSWER = 2000
KEY_FIELDS = ("id", "_id", "qid", "question_id")
PASSAGE_FIELDS = ("passages", "ctxs", "paragraphs", "context")
GOLD_MARKS = ("supporting", "is_supporting", "isgold", "is_gold")
TABLES, LINES, JSON, PARQUET = (".csv", ".tsv"), (".jsonl", ".ndjson"), ".json", ".parquet"
SEPARATORS = {",": "a comma", ";": "a semicolon", "|": "a vertical bar", "\t": "a tab"}
LARGEST_FILE = 2**30
GUESSED = "It is not UTF-8, so its encoding was guessed."
Note = Callable[[str], None]
FORMS = ".jsonl, .json, .csv, .tsv or .parquet, plain or gzipped (.gz)"


def read_questions(path: str | Path) -> QuestionFile:
    """Return the questions of a file on this machine. Raises InputError that names the line and what it lacks."""
    file = Path(path).expanduser()
    return parse_questions(file.name, read_at_most(file, LARGEST_FILE))


def parse_questions(name: str, content: bytes) -> QuestionFile:
    """Return the questions in the bytes of a file of this name. Raises InputError as ``read_questions`` does."""
    found: list[StudyQuestion] = []
    known: set[object] = set()
    notes: list[str] = []
    repeated = 0
    for _, one in questions_in(name, content, notes.append):
        same = (one.question, one.golds, one.passages)
        if same in known:
            repeated += 1
            continue
        known.add(same)
        found.append(replace(one, number=len(found) + 1))
    digest = sha256(content).hexdigest()
    if GUESSED in notes and (marked := next(marked_texts(found), "")):
        notes[notes.index(GUESSED)] = closed(f"{GUESSED} Check this: {quoted(marked)}")
    return QuestionFile(name=name, content_hash=digest, questions=tuple(found), repeated=repeated, notes=tuple(notes))


def marked_texts(questions: Iterable[StudyQuestion]) -> Iterator[str]:
    """Yield the questions and correct answers with letters beyond ASCII: a wrong encoding shows in these."""
    return (text for one in questions for text in (one.question, *one.golds) if not text.isascii())


def unheard(note: str) -> None:
    """Leave a note about a file unsaid."""


def questions_in(name: str, content: bytes, note: Note = unheard) -> Iterator[tuple[str, StudyQuestion]]:
    """Yield (where, question) of each entry, repeated ones too, numbered from 1. Raises InputError, also for none.

    ``note`` hears what was guessed of the file.
    """
    number = 0
    for number, (place, entry) in enumerate(entries_of(name, content, note), 1):
        yield place, question_of(entry, place, number)
    if not number:
        raise InputError(f"There is no question in {name}.")


def entries_of(name: str, content: bytes, note: Note) -> Iterator[tuple[str, Row]]:
    """Yield (where, fields) of each entry. Raises InputError where a line is not what its file is."""
    ending = suffix_of(name)
    if ending not in (*TABLES, *LINES, JSON, PARQUET):
        raise InputError(f"{name} is not a file of questions; give {FORMS}.")
    plain = plain_bytes(name, content, LARGEST_FILE)
    if not plain.strip():
        return
    if ending == PARQUET:
        _, rows = parquet_table(name, plain)
        yield from row_entries(name, "Row", enumerate(rows, 1))
    elif ending in TABLES:
        yield from table_entries(name, text_of(name, plain, note), note)
    else:
        yield from json_entries(name, text_of(name, plain, note), by_line=ending in LINES)


def text_of(name: str, plain: bytes, note: Note) -> str:
    """Return a file's bytes as text; ``note`` hears where the encoding had to be guessed."""
    text = as_text(name, plain)
    if is_guessed(plain):
        note(GUESSED)
    return text


def json_entries(name: str, text: str, *, by_line: bool) -> Iterator[tuple[str, Row]]:
    """Yield the entries of JSON; ``by_line``: a file that has an object a line, unless its first line is none."""

    def place(number: int) -> str:
        """Return where a line stands."""
        return f"Line {number} of {name}"

    if by_line and begins_with_object(text):
        yield from row_entries(name, "Line", json_lines(text, place))
    else:
        unit, rows = json_rows(name, text, place)
        yield from row_entries(name, unit.capitalize(), rows)


def begins_with_object(text: str) -> bool:
    """Return whether the first line of a text is a whole object of JSON.

    >>> [begins_with_object(text) for text in ('{"question": "Who?"}', '{\\n"question": "Who?"}', "[]")]
    [True, False, False]
    """
    try:
        return isinstance(parsed("", text.lstrip().split("\n", 1)[0]), Mapping)
    except CorpusError:
        return False


def row_entries(name: str, unit: str, rows: Iterable[tuple[int, Any]]) -> Iterator[tuple[str, Row]]:
    """Yield numbered objects with their places, and in the place of an article of SQuAD the questions in it.

    Such a question has its paragraph as its passage. Raises InputError where a value is no object.
    """
    for number, row in rows:
        place = f"{unit} {number} of {name}"
        if not isinstance(row, Mapping):
            raise InputError(f"{place} is not an object with fields but a {type(row).__name__}.")
        paragraphs = None if first_text(row, QUESTION_FIELDS) else paragraphs_of(row)
        if paragraphs is None:
            yield place, row
        for at, paragraph in enumerate(paragraphs or (), 1):
            beside = {"title": first_text(row, TITLE_KEYS), "context": paragraph["context"]}
            for asked_at, asked in questions_below(paragraph):
                yield f"{place}, paragraph {at}, question {asked_at}", {**beside, **asked}


def table_entries(name: str, text: str, note: Note) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a table by its header; without one, question and answers are the first two columns.

    Raises InputError where a row has more cells than columns, since its question may be cut at a separator.
    """
    mark = separator_of(text.split("\n", 1)[0])
    rows = [row for row in table_rows(name, text, mark) if any(cell.strip() for cell in row)]
    header = fields_of(rows[0]) if rows else []
    headed = any(field in header for field in QUESTION_FIELDS)
    names = header if headed else ["question", "answers"]
    if rows and not headed:
        note(f"No known column name: the first row, {quoted(rows[0][0])}, is asked too.")
    # Nobody writes a tab inside a text: without a header, columns after the second are just not known.
    exact = headed or mark != "\t"
    for number, row in enumerate(rows[headed:], 1 + headed):
        place = f"Row {number} of {name}"
        if exact and any(cell.strip() for cell in row[len(names) :]):
            raise InputError(
                f"{place} has {len(row)} cells for {len(names)} columns. "
                f"Put a text that holds {SEPARATORS[mark]} into double quotes."
            )
        cells = dict(zip(names, (cell.strip() for cell in row), strict=False))
        listed = {field: cell_answers(cells[field]) for field in ANSWER_KEYS if field in cells}
        yield place, {**cells, **listed}


def separator_of(first: str) -> str:
    """Return what parts the cells of a table, by its first line: a tab, else the first of , ; | to give a known field.

    It is never guessed from the rows: answers in a cell stand between "|".

    >>> [separator_of(line) for line in ("question\\tanswers", "question;answers", "id,question;answers", "Who?;Ada")]
    ['\\t', ';', ',', ',']
    """
    if "\t" in first:
        return "\t"
    known = (mark for mark in ",;|" if any(field in fields_of(first.split(mark)) for field in QUESTION_FIELDS))
    return next(known, ",")


def fields_of(cells: Sequence[str]) -> list[str]:
    """Return the names of fields in the cells of a header.

    >>> fields_of([' "Question"', "answers\\r"])
    ['question', 'answers']
    """
    return [cell.strip().strip('"').strip().lower() for cell in cells]


def table_rows(name: str, text: str, mark: str) -> list[list[str]]:
    """Return the cells of each row of a table. Raises CorpusError on a quote in the wrong place.

    Between tabs such a quote is a part of the text: many tab-separated files do not quote at all.
    """
    try:
        return table_lines(name, text, mark, strict=True)
    except CorpusError:
        if mark != "\t":
            raise
        return [line.split("\t") for line in re.split(r"\r\n?|\n", text)]


def cell_answers(cell: str) -> list[str]:
    """Return the answers in a cell: a list in brackets, or separated by "|".

    >>> cell_answers("['Paris', 'the city']"), cell_answers("Paris | Lutetia"), cell_answers("[sic]")
    (['Paris', 'the city'], ['Paris', 'Lutetia'], ['[sic]'])
    """
    if cell.startswith("[") and cell.endswith("]"):
        try:
            listed = ast.literal_eval(cell)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            listed = None
        if isinstance(listed, list):
            return [str(one) for one in listed]
    return [part.strip() for part in cell.split("|") if part.strip()]


def question_of(entry: Row, place: str, number: int) -> StudyQuestion:
    """Return the question of one entry. Raises InputError that names the place and what it lacks."""
    question = " ".join(first_text(entry, QUESTION_FIELDS).split())
    if not question:
        raise InputError(f"{place} holds no question. Looked for: {', '.join(QUESTION_FIELDS)}.")
    passages, supporting = passages_of(entry, place)
    return StudyQuestion(
        number=number,
        question=question,
        golds=correct_answers(entry, place),
        key=next((str(entry[name]) for name in KEY_FIELDS if entry.get(name) not in (None, "")), ""),
        passages=passages,
        supporting=supporting,
        utility=utility_of(entry, place),
    )


def utility_of(entry: Row, place: str) -> float | None:
    """Return the known utility, None where the entry says none. Raises InputError for anything outside [0, 1]."""
    told = entry.get("utility")
    if told is None or told == "":
        return None
    try:
        value = float(told)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InputError(f"{place}: utility must be a number from 0 to 1, got {told!r}.") from exc
    if not 0 <= value <= 1:
        raise InputError(f"{place}: utility must be a number from 0 to 1, got {told!r}.")
    return value


def correct_answers(entry: Row, place: str) -> tuple[str, ...]:
    """Return the correct answers of an entry, each once; () where it has none, as BEIR's queries have none."""
    golds = golds_of(entry)
    if any(len(gold) > LONGEST_ANSWER for gold in golds):
        raise InputError(f"{place}: a correct answer is longer than {LONGEST_ANSWER:,} characters.")
    return golds


def passages_of(entry: Row, place: str) -> tuple[tuple[Passage, ...], tuple[int, ...]]:
    """Return an entry's passages and the places of those that answer it; neither where it brings none.

    They are marked one by one, or by the titles of supporting facts (HotpotQA, 2Wiki).
    """
    listed = passage_list(entry)
    titles = supporting_titles(entry.get("supporting_facts"))
    found: list[Passage] = []
    marked: list[int] = []
    for number, one in enumerate(listed, 1):
        title, text = one if isinstance(one, tuple) else context_of(one)
        if not text.strip():
            raise InputError(f"{place}: passage {number} has no text, as [title, sentences] or under a known field.")
        by_mark = isinstance(one, Mapping) and any(is_yes(one.get(mark)) for mark in GOLD_MARKS)
        if by_mark or title.strip() in titles:
            marked.append(len(found))
        found.append(passage(title, text))
    return tuple(found), tuple(marked)


def passage_list(entry: Row) -> list[Any]:
    """Return the passages of an entry as they stand there, or as (title, text); [] where it brings none.

    A text is a list in JSON, as a cell of a table may hold it, or one passage with the entry's title.
    """
    for told in map(entry.get, PASSAGE_FIELDS):
        if isinstance(told, list):
            return told
        if isinstance(told, Mapping):
            return list(contexts_in(told, ""))
        if isinstance(told, str) and told.strip():
            return parsed_list(told) or [(first_text(entry, TITLE_KEYS), told)]
    return []


def is_yes(told: object) -> bool:
    """Return whether a mark says yes: true or 1, also as text.

    >>> [is_yes(told) for told in (True, 1, "True", "1", False, 0, "false", "", None)]
    [True, True, True, True, False, False, False, False, False]
    """
    return told == 1 or (isinstance(told, str) and told.strip().lower() in ("true", "1"))


def supporting_titles(facts: object) -> frozenset[str]:
    """Return the titles of supporting facts: [title, sentence] pairs, or a table of titles and sentences.

    >>> sorted(supporting_titles([["Paris", 0], ["Bonn", 2]])), sorted(supporting_titles({"title": ["Paris"]}))
    (['Bonn', 'Paris'], ['Paris'])
    """
    if isinstance(facts, Mapping):
        titles = facts.get("title")
        return frozenset(str(one).strip() for one in (titles if isinstance(titles, list | tuple) else ()))
    pairs = facts if isinstance(facts, list | tuple) else ()
    return frozenset(str(one[0]).strip() for one in pairs if isinstance(one, list | tuple) and one)


def passage(title: str, text: str) -> Passage:
    """Return a text as a passage of its own."""
    return Passage(text=text.strip(), title=title.strip(), document_id=title.strip(), end=len(text.strip()))
