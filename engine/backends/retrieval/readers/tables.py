"""Tables: ``.csv`` and ``.tsv`` by the csv module, ``.parquet`` by pyarrow, ``.jsonl`` and ``.json`` row by row.

Rows with known fields (``rows``) are documents or questions. A row of any other CSV or Parquet table becomes one
document of "column: value" lines, titled by its first column that names something. A line of JSON without a known
field is refused, since nobody can guess what of it is text.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from typing import Any

import pydantic_core

from engine.backends.retrieval.readers.base import (
    LARGEST_FILE,
    LONGEST_NAME,
    LONGEST_NOTE,
    FileContent,
    decoded,
    refuse_unpacked_size,
    stem_of,
)
from engine.backends.retrieval.readers.rows import (
    QUESTION_KEYS,
    TEXT_KEYS,
    TITLE_KEYS,
    Row,
    RowContent,
    document,
    first_text,
    row_content,
)
from engine.core.errors import CorpusError

MOST_ROWS, MOST_COLUMNS = 2_000_000, 10_000
MOST_CELLS, CELLS_AT_A_TIME = 10_000_000, 1_000_000
SNIFFED = 16_384
DELIMITERS = ",;\t|"
LISTS = ("data", "rows", "documents")  # where an object keeps its rows, SQuAD's first
ROWS_AT_A_TIME = 1024
COLUMNS_NAMED = 5


def read_json_lines(name: str, content: bytes) -> FileContent:
    """Return a file with one JSON object a line. Raises CorpusError that names a line which cannot be used."""
    text = decoded(name, content)
    if not text.strip():
        raise CorpusError(f"{name} is empty.")
    return rows_content(name, json_lines(text, lambda number: f"{name}, line {number}"), "line")


def json_lines(text: str, place: Callable[[int], str]) -> Iterator[tuple[int, Any]]:
    """Yield (number, value) of each line of JSON that is not blank; ``place`` names a line by its number.

    Raises CorpusError with the place of a line that is no JSON.
    """
    # Only "\n" ends a line: str.splitlines would also cut at U+2028, which JSON allows inside a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, parsed(place(number), line)


def read_json(name: str, content: bytes) -> FileContent:
    """Return a JSON file: a list of objects, an object with such a list in ``data``, or one object.

    Raises CorpusError where it is not JSON or one of its objects cannot be used.
    """
    text = decoded(name, content)
    if not text.strip():
        raise CorpusError(f"{name} is empty.")
    unit, rows = json_rows(name, text, lambda number: f"{name}, line {number}")
    return rows_content(name, rows, unit)


def json_rows(name: str, text: str, place: Callable[[int], str]) -> tuple[str, Iterable[tuple[int, Any]]]:
    """Return what a JSON text is made of, "entry" or "line", and its values with their numbers, from 1.

    Entries are those of a list, of such a list in an object, or the one object. A text with an object a line is read by
    its lines, which ``place`` names. Raises CorpusError where it is no JSON.
    """
    try:
        whole = pydantic_core.from_json(text)
    except ValueError as exc:
        # One object a line, under the name of a whole file, is common in data sets.
        if text.lstrip().startswith("{") and "\n{" in text:
            return "line", json_lines(text, place)
        raise CorpusError(f"{name} is not JSON: {str(exc)[:LONGEST_NOTE]}.") from exc
    return "entry", enumerate(listed_in(name, whole), start=1)


def listed_in(name: str, whole: Any) -> list[Any]:
    """Return the values of a JSON file: a list, the list in ``data``, ``rows`` or ``documents``, or one object.

    An object that is a row itself is not looked into. Raises CorpusError where there is neither list nor object.
    """
    if isinstance(whole, dict):
        listed = next((whole[key] for key in LISTS if isinstance(whole.get(key), list)), None)
        content = None if listed is None else row_content(whole, name, 1)
        own = content is not None and (content.documents or any(one.golds for one in content.questions))
        return [whole] if listed is None or own else listed
    if not isinstance(whole, list):
        raise CorpusError(f"{name} holds neither a list of objects nor an object.")
    return whole


def parsed(place: str, text: str) -> Any:
    """Return the value of a text of JSON; raises CorpusError that names its place."""
    try:
        return pydantic_core.from_json(text)
    except ValueError as exc:
        raise CorpusError(f"{place}: Invalid JSON: {str(exc)[:LONGEST_NOTE]}.") from exc


def rows_content(name: str, rows: Iterable[tuple[int, Any]], unit: str) -> FileContent:
    """Return what numbered objects hold. Raises CorpusError where one is no object, or has no field that is known."""
    return gathered(name, (object_content(row, name, number, unit) for number, row in rows), unit)


def object_content(row: Any, name: str, number: int, unit: str) -> RowContent:
    """Return what one JSON value holds. Raises CorpusError where it is no object, or has no field that is known."""
    if not isinstance(row, dict):
        raise CorpusError(f"{name}, {unit} {number}: a JSON object is needed.")
    content = row_content(row, name, number)
    if content is None:
        known = ", ".join(TEXT_KEYS[:3])
        raise CorpusError(f"{name}, {unit} {number}: no text; name its field {known}, or give a question.")
    return content


def gathered(name: str, rows: Iterable[RowContent], unit: str) -> FileContent:
    """Return all rows as one content, with a note on those that hold nothing.

    Raises CorpusError where none holds anything, where there are too many, or where together they are written out to
    more than a file may hold.
    """
    found, size = list[RowContent](), 0
    for row in rows:
        if len(found) == MOST_ROWS:
            raise CorpusError(f"{name} has more than {MOST_ROWS:,} rows; split it into files of at most that many.")
        found.append(row)
        size += sum(len(one.title) + len(one.text) for one in row.documents)
        refuse_unpacked_size(name, size, LARGEST_FILE)
    documents = tuple(one for row in found for one in row.documents)
    questions = tuple(one for row in found for one in row.questions)
    empty = sum(not row.documents and not row.questions for row in found)
    if not documents and not questions:
        raise CorpusError(f"{name} holds no text.")
    notes = (f"{empty} {unit}{'s' if empty > 1 else ''} without text left out.",) if empty else ()
    return FileContent(documents=documents, questions=questions, notes=notes)


def read_table(name: str, content: bytes) -> FileContent:
    """Return a CSV or TSV file, each row a document or a question. Raises CorpusError where it cannot be read."""
    text = decoded(name, content)
    if not text.strip():
        raise CorpusError(f"{name} is empty.")
    sign = delimiter_of(name, text)
    # An empty cell is one byte in the file and many in memory, and so is a row of one.
    refuse_large_table(name, 0, text.count(sign) + text.count("\n"))
    cells, quote_notes = table_cells(name, text, sign)
    lines = [row for row in cells if row]
    refuse_large_table(name, max(map(len, lines)), 0)
    columns, body = header_of(lines)
    rows = (dict(zip(columns, fitted(line, columns, sign), strict=False)) for line in body)
    found = table_content(name, columns, rows)
    return replace(found, notes=(*found.notes, *quote_notes, *surplus_notes(columns, body)))


def fitted(line: Sequence[str], columns: Sequence[str], sign: str) -> Sequence[str]:
    """Return the cells of a row, those beyond the header joined to the last column where that is the text.

    An unquoted text that holds the sign between columns is so whole again.

    >>> fitted(["Eiffel Tower", "built in 1889", " in Paris"], ["title", "text"], ",")
    ['Eiffel Tower', 'built in 1889, in Paris']
    """
    most = len(columns)
    if columns[-1] not in TEXT_KEYS or not beyond(line, most):
        return line
    return [*line[: most - 1], sign.join([line[most - 1], *beyond(line, most)])]


def beyond(line: Sequence[str], most: int) -> Sequence[str]:
    """Return the cells of a row after its first ``most``, without the empty ones at its end."""
    end = next((end for end in range(len(line), most, -1) if line[end - 1].strip()), most)
    return line[most:end]


def surplus_notes(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return a note on how many rows have cells that are left out, () where none has."""
    number = 0 if columns[-1] in TEXT_KEYS else sum(bool(beyond(line, len(columns))) for line in lines)
    rows = "1 row has" if number == 1 else f"{number:,} rows have"
    return (f"{rows} more cells than the header; what is beyond it was left out.",) if number else ()


def refuse_large_table(name: str, columns: int, cells: int) -> None:
    """Raise CorpusError where a table has more columns or cells than are read."""
    for number, most, what in ((columns, MOST_COLUMNS, "columns"), (cells, MOST_CELLS, "cells")):
        if number > most:
            raise CorpusError(f"{name} has {number:,} {what}; split it into files of at most {most:,}.")


def table_cells(name: str, text: str, sign: str) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return the cells of each line of a table, and a note where a quotation mark is out of place.

    Tab-separated files such as MS MARCO's are written without quoting: there every quotation mark is then text. Between
    other signs the table is read as far as it goes. Raises CorpusError where it cannot be read.
    """
    try:
        return table_lines(name, text, sign, strict=True), ()
    except CorpusError:
        unquoted = sign == "\t"
        became = "all of them were read as part of the text" if unquoted else "several rows may have been read as one"
        return table_lines(name, text, sign, unquoted=unquoted), (f"A quotation mark is out of place: {became}.",)


def table_lines(
    name: str, text: str, delimiter: str, *, strict: bool = False, unquoted: bool = False
) -> list[list[str]]:
    """Return the cells of each line of a table; ``unquoted`` = a quotation mark is text.

    Raises CorpusError where it cannot be read; where ``strict``, also on a quote in the wrong place, which would else
    swallow the lines after it.
    """
    csv.field_size_limit(LARGEST_FILE)
    lines = io.StringIO(text, newline="")
    try:
        if unquoted:
            return list(csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE))
        return list(csv.reader(lines, delimiter=delimiter, strict=strict))
    except csv.Error as exc:
        raise CorpusError(f"{name} is not a table that can be read: {exc}.") from exc


def delimiter_of(name: str, text: str) -> str:
    """Return what parts the columns: a tab in a TSV file, else the sign that parts most of the first lines evenly.

    ``csv.Sniffer`` guesses the same, but works for seconds on a hostile file of 16 KB, and nothing else runs meanwhile.
    """
    if name.lower().endswith(".tsv"):
        return "\t"
    head = text[:SNIFFED].rpartition("\n")[0] or text[:SNIFFED]
    return max(DELIMITERS, key=lambda sign: evenness(table_cells(name, head, sign)[0]))


def evenness(lines: Sequence[Sequence[str]]) -> float:
    """Return the largest share of lines that have equally many cells and more than one; 0 = nothing is parted.

    >>> evenness([["a", "b"], ["c", "d"], ["e"]]), evenness([["a"], ["b"]])
    (0.6666666666666666, 0.0)
    """
    widths = Counter(len(line) for line in lines if line)
    return max((times for width, times in widths.items() if width > 1), default=0) / max(1, widths.total())


def header_of(lines: Sequence[Sequence[str]]) -> tuple[list[str], Sequence[Sequence[str]]]:
    """Return the names of the columns and the lines below them; numbered names where the first line is no header."""
    first = [cell.strip() for cell in lines[0]]
    known = {*TEXT_KEYS, *TITLE_KEYS, *QUESTION_KEYS}
    named = all(first) and len(set(first)) == len(first) and not any(is_number(cell) for cell in first)
    if any(cell.lower() in known for cell in first) or (named and len(first) > 1 and len(lines) > 1):
        return [cell.lower() if cell.lower() in known else cell for cell in first], lines[1:]
    return [f"column {number}" for number in range(1, max(map(len, lines)) + 1)], lines


def is_number(cell: str) -> bool:
    """Return whether a cell of a table is a number."""
    try:
        float(cell.replace(",", ""))
    except ValueError:
        return False
    return True


def table_content(name: str, columns: Sequence[str], rows: Iterable[Row]) -> FileContent:
    """Return a table's rows: by their known fields, else as "column: value" lines."""
    if any(column in TEXT_KEYS or column in QUESTION_KEYS for column in columns):
        known = (row_content(row, name, number) or RowContent() for number, row in enumerate(rows, start=1))
        return gathered(name, known, "row")
    written = (written_row(row, name, number) for number, row in enumerate(rows, start=1))
    content = gathered(name, written, "row")
    shown = ", ".join(column[:40] for column in columns[:COLUMNS_NAMED])
    more = " …" if len(columns) > COLUMNS_NAMED else ""
    note = f"No text column: each row is read as its columns ({shown}{more})."
    return FileContent(documents=content.documents, questions=content.questions, notes=(*content.notes, note))


def written_row(row: Row, name: str, number: int) -> RowContent:
    """Return a row as one document of "column: value" lines, empty cells left out, long names of columns cut."""
    cells = {key: str(value).strip() for key, value in row.items() if value is not None and str(value).strip()}
    text = "\n".join(f"{key[:LONGEST_NAME]}: {value}" for key, value in cells.items())
    if not text:
        return RowContent()
    wordy = next((value for value in cells.values() if not is_number(value) and len(value) <= 100), "")
    title = first_text(row, TITLE_KEYS) or wordy or stem_of(name)
    return RowContent(documents=(document(f"{name}:{number}", title, text, name, number),))


def read_parquet(name: str, content: bytes) -> FileContent:
    """Return a Parquet file, each row a document or a question. Raises CorpusError where it cannot be read."""
    with parquet_faults(name):
        return table_content(name, *parquet_table(name, content))


def parquet_table(name: str, content: bytes) -> tuple[list[str], Iterator[Row]]:
    """Return the columns of a Parquet file, and its rows as they are read.

    Raises CorpusError, here or at a row, where the file is damaged, or unpacks to too much.
    """
    import pyarrow.parquet as pq  # slow to import, and only needed here

    with parquet_faults(name):
        file = pq.ParquetFile(BytesIO(content))
        at_a_time = refuse_parquet_bomb(name, file.metadata)
        return list(file.schema_arrow.names), parquet_rows(name, file, at_a_time)


@contextmanager
def parquet_faults(name: str) -> Iterator[None]:
    """Raise CorpusError for what pyarrow raises in this block."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as exc:
        raise CorpusError(f"{name} is damaged, or not a Parquet file.") from exc


def refuse_parquet_bomb(name: str, metadata: Any) -> int:
    """Return how many rows to read at a time; raises CorpusError where the file says that it unpacks to too much.

    A value that repeats is packed once, so a batch may unpack to as many times the largest column as it has rows.
    """
    if metadata.num_rows > MOST_ROWS:
        raise CorpusError(f"{name} has {metadata.num_rows:,} rows; split it into files of at most {MOST_ROWS:,}.")
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    sizes = [int(group.column(at).total_uncompressed_size) for group in groups for at in range(group.num_columns)]
    refuse_unpacked_size(name, sum(sizes), LARGEST_FILE)
    cells = sum(group.column(at).num_values for group in groups for at in range(group.num_columns))
    columns = int(metadata.num_columns)
    refuse_large_table(name, columns, cells)  # cells without a value take no room in the file
    return max(1, min(ROWS_AT_A_TIME, CELLS_AT_A_TIME // max(1, columns), LARGEST_FILE // max(1, *sizes, 1)))


def parquet_rows(name: str, file: Any, at_a_time: int) -> Iterator[Row]:
    """Yield the rows of an open Parquet file; raises CorpusError once they have unpacked to too much."""
    size = 0
    with parquet_faults(name):
        for batch in file.iter_batches(batch_size=at_a_time):
            size += batch.nbytes
            refuse_unpacked_size(name, size, LARGEST_FILE)
            yield from batch.to_pylist()
