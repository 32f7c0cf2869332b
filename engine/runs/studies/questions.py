"""Files of questions as they are: HotpotQA, 2WikiMultihopQA, MuSiQue, Natural Questions (open), KILT, BEIR, CSV.

The form of each entry is read from its fields, so a file needs no name of its format:

=====================  ==================================================================================
question               ``question``, ``input`` (KILT), ``query`` or ``text`` (BEIR's queries)
correct answers        ``answers``, ``answer`` (one or a list), ``golds``, ``output[].answer`` (KILT),
                       ``metadata.answer`` (BEIR); with ``aliases`` and ``answer_aliases`` (MuSiQue)
passages               ``passages``, ``ctxs`` (DPR), ``paragraphs`` (MuSiQue), ``context`` (HotpotQA, 2Wiki)
which of them answer   ``supporting``, ``is_supporting``, ``isgold`` of a passage, or ``supporting_facts``
known utility          ``utility``, in [0, 1]
=====================  ==================================================================================

JSON Lines, one JSON array, CSV and tab-separated text are read, plain or gzipped. A table without a header has the
question first and the answers second, as DPR's files have. Answers in a cell are a list in brackets, or parted by "|".
"""

import ast
import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.core.errors import InputError
from engine.core.records import Passage
from engine.runs.studies.records import QuestionFile, StudyQuestion

QUESTION_FIELDS = ("question", "input", "query", "text")
ANSWER_FIELDS = ("answers", "answer", "golds", "gold_answers", "aliases", "answer_aliases")
KEY_FIELDS = ("id", "_id", "qid", "question_id")
PASSAGE_FIELDS = ("passages", "ctxs", "paragraphs")
TEXT_FIELDS = ("text", "paragraph_text", "passage", "contents")
GOLD_MARKS = ("supporting", "is_supporting", "isgold", "is_gold")
TABLES = (".csv", ".tsv")
LARGEST_FILE = 2**30
FORMS = ".jsonl, .json, .csv or .tsv, plain or gzipped (.gz)"


def read_questions(path: str | Path) -> QuestionFile:
    """Return the questions of a file on this machine. Raises InputError that names the line and what it lacks."""
    file = Path(path).expanduser()
    try:
        content = file.read_bytes()
    except OSError as exc:
        raise InputError(f"The questions in {file.name} cannot be read: {exc.strerror or exc}.") from exc
    return parse_questions(file.name, content)


def parse_questions(name: str, content: bytes) -> QuestionFile:
    """Return the questions in the bytes of a file of this name. Raises InputError as ``read_questions`` does."""
    found: list[StudyQuestion] = []
    known: set[object] = set()
    total = 0
    for place, entry in entries_of(name, decoded(name, content)):
        total += 1
        one = question_of(entry, place, len(found) + 1)
        same = (one.question, one.golds, one.passages)
        if same not in known:
            known.add(same)
            found.append(one)
    if not found:
        raise InputError(f"There is no question in {name}.")
    digest = sha256(content).hexdigest()
    return QuestionFile(name=name, content_hash=digest, questions=tuple(found), repeated=total - len(found))


def decoded(name: str, content: bytes) -> str:
    """Return the text of a file, unpacked where it is gzipped. Raises InputError where it is no text."""
    try:
        plain = unpacked(name, content) if content[:2] == b"\x1f\x8b" else content
        return plain.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as exc:
        raise InputError(f"{name} is gzipped and damaged: {exc}.") from exc
    except UnicodeDecodeError as exc:
        raise InputError(f"{name} is not UTF-8 text: byte {exc.start} does not fit.") from exc


def unpacked(name: str, content: bytes) -> bytes:
    """Return what a gzipped file holds. Raises InputError where that is more than a file of questions has."""
    with gzip.open(io.BytesIO(content)) as packed:
        found = packed.read(LARGEST_FILE + 1)
    if len(found) > LARGEST_FILE:
        raise InputError(f"{name} unpacks to more than {LARGEST_FILE // 2**20} MB; give it in parts.")
    return found


def entries_of(name: str, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (where, fields) of each entry. Raises InputError where a line is not what its file is."""
    ending = Path(name.removesuffix(".gz")).suffix.lower()
    if ending in TABLES:
        yield from table_entries(name, text)
    elif ending in (".json", ".jsonl", ".ndjson"):
        yield from json_entries(name, text)
    else:
        raise InputError(f"{name} is no file of questions; give {FORMS}.")


def json_entries(name: str, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects of one JSON array, or of a file with one a line."""
    if text.lstrip()[:1] == "[":
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError) as exc:
            raise InputError(f"{name} is not JSON: {exc}.") from exc
        rows: list[tuple[str, Any]] = [(f"Entry {n} of {name}", one) for n, one in enumerate(whole, 1)]
    else:
        rows = list(json_lines(name, text))
    for place, row in rows:
        if not isinstance(row, Mapping):
            raise InputError(f"{place} is no object with fields but a {type(row).__name__}.")
        yield place, row


def json_lines(name: str, text: str) -> Iterator[tuple[str, Any]]:
    """Yield what each line of a file holds. Raises InputError with the line that is no JSON."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"Line {number} of {name}"
        try:
            yield place, json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise InputError(f"{place} is not JSON: {exc}.") from exc


def table_entries(name: str, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a table by its header; without one, question and answers are the first two columns."""
    mark = "\t" if "\t" in text.split("\n", 1)[0] else ","
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
    except csv.Error as exc:
        raise InputError(f"{name} is no table that can be read: {exc}.") from exc
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    headed = any(field in header for field in QUESTION_FIELDS)
    names = header if headed else ["question", "answers"]
    for number, row in enumerate(rows[headed:], 1 + headed):
        cells = dict(zip(names, (cell.strip() for cell in row), strict=False))
        yield (
            f"Row {number} of {name}",
            {**cells, **{field: cell_answers(cells[field]) for field in ANSWER_FIELDS if field in cells}},
        )


def cell_answers(cell: str) -> list[str]:
    """Return the answers in a cell: a list in brackets, or parted by "|".

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


def question_of(entry: Mapping[str, Any], place: str, number: int) -> StudyQuestion:
    """Return the question of one entry. Raises InputError that names the place and what it lacks."""
    said = next((entry[name] for name in QUESTION_FIELDS if isinstance(entry.get(name), str)), "")
    question = " ".join(said.split())
    if not question:
        raise InputError(f"{place} holds no question. Looked for: {', '.join(QUESTION_FIELDS)}.")
    passages, supporting = passages_of(entry, place)
    return StudyQuestion(
        number=number,
        question=question,
        golds=golds_of(entry, place),
        key=next((str(entry[name]) for name in KEY_FIELDS if entry.get(name) not in (None, "")), ""),
        passages=passages,
        supporting=supporting,
        utility=utility_of(entry, place),
    )


def utility_of(entry: Mapping[str, Any], place: str) -> float | None:
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


def golds_of(entry: Mapping[str, Any], place: str) -> tuple[str, ...]:
    """Return the correct answers of an entry, each once; () where it has none, as BEIR's queries have none."""
    told: list[Any] = [entry.get(name) for name in ANSWER_FIELDS]
    if isinstance(entry.get("output"), list):
        told += [one.get("answer") for one in entry["output"] if isinstance(one, Mapping)]
    if isinstance(entry.get("metadata"), Mapping):
        told.append(entry["metadata"].get("answer"))
    golds: list[str] = []
    for one in told:
        for text in one if isinstance(one, list | tuple) else [one]:
            if text is None or isinstance(text, Mapping | list):
                continue
            golds.append(str(text).strip())
    if any(len(gold) > 2000 for gold in golds):
        raise InputError(f"{place}: a correct answer is longer than 2,000 characters.")
    return tuple(dict.fromkeys(gold for gold in golds if gold))


def passages_of(entry: Mapping[str, Any], place: str) -> tuple[tuple[Passage, ...], tuple[int, ...]]:
    """Return an entry's passages and the places of those that answer it; neither where it brings none."""
    listed = next((entry[name] for name in PASSAGE_FIELDS if isinstance(entry.get(name), list)), None)
    if listed is None and isinstance(entry.get("context"), list):
        return context_passages(entry, place)
    found: list[Passage] = []
    marked: list[int] = []
    for number, one in enumerate(listed or (), 1):
        fields = {"text": one} if isinstance(one, str) else one
        if not isinstance(fields, Mapping):
            raise InputError(f"{place}: passage {number} is neither a text nor an object.")
        text = next((fields[name] for name in TEXT_FIELDS if isinstance(fields.get(name), str)), "")
        if not text.strip():
            raise InputError(f"{place}: passage {number} has no text. Looked for: {', '.join(TEXT_FIELDS)}.")
        if any(fields.get(mark) is True for mark in GOLD_MARKS):
            marked.append(len(found))
        found.append(passage(str(fields.get("title") or ""), text))
    return tuple(found), tuple(marked)


def context_passages(entry: Mapping[str, Any], place: str) -> tuple[tuple[Passage, ...], tuple[int, ...]]:
    """Return the passages of HotpotQA and 2Wiki: [title, [sentence, …]] each, with the titles of supporting facts."""
    facts = entry.get("supporting_facts")
    listed = facts if isinstance(facts, list | tuple) else ()
    titles = {str(fact[0]) for fact in listed if isinstance(fact, list | tuple) and fact}
    found = []
    for number, one in enumerate(entry["context"], 1):
        whole = isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[1], list)
        if not whole:
            raise InputError(f"{place}: passage {number} is not [title, [sentences]].")
        found.append(passage(str(one[0]), " ".join(str(sentence).strip() for sentence in one[1])))
    kept = tuple(one for one in found if one.text)
    return kept, tuple(at for at, one in enumerate(kept) if one.title in titles)


def passage(title: str, text: str) -> Passage:
    """Return a text as a passage of its own."""
    return Passage(text=text.strip(), title=title.strip(), document_id=title.strip(), end=len(text.strip()))
