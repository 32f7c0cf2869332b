"""Readers of files: text, Markdown, HTML, PDF, Word, tables, JSON and the public question files.

``read_file(name, content)`` is the way in; the ending of the name chooses the reader. ``.gz`` around any of them is
unpacked.
"""

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import PurePosixPath

from engine.backends.retrieval.readers.base import LARGEST_FILE, FileContent, refuse_too_large, refuse_unpacked_size
from engine.backends.retrieval.readers.pdf import read_pdf
from engine.backends.retrieval.readers.plain_text import read_markdown, read_text_file
from engine.backends.retrieval.readers.tables import read_json, read_json_lines, read_parquet, read_table
from engine.backends.retrieval.readers.web_page import read_web_page
from engine.backends.retrieval.readers.word import read_word
from engine.core.errors import CorpusError
from engine.core.progress import Report, silent

READERS: dict[str, Callable[[str, bytes], FileContent]] = {
    ".txt": read_text_file,
    ".md": read_markdown,
    ".jsonl": read_json_lines,
    ".html": read_web_page,
    ".htm": read_web_page,
    ".docx": read_word,
    ".csv": read_table,
    ".tsv": read_table,
    ".json": read_json,
    ".parquet": read_parquet,
}
PDF, PACKED = ".pdf", ".gz"
GZIP = b"\x1f\x8b"  # what begins every gzipped file, whatever it is called
SUFFIXES = (*READERS, PDF)
# What people try, and what to do instead.
ADVICE = {
    ".doc": "save it as .docx",
    ".rtf": "save it as .docx",
    ".odt": "save it as .docx",
    ".xlsx": "save its table as .csv",
    ".xls": "save its table as .csv",
    ".pptx": "save it as .pdf",
    ".zip": "unpack it first",
    ".tar": "unpack it first",
    ".epub": "save it as .html or .txt",
}


def suffix_of(name: str) -> str:
    """Return the ending that says how a file is read, that below ``.gz`` where it is packed.

    >>> suffix_of("dev.JSONL.gz"), suffix_of("README")
    ('.jsonl', '')
    """
    path = PurePosixPath(name.lower())
    return PurePosixPath(path.stem).suffix if path.suffix == PACKED else path.suffix


def is_readable(name: str) -> bool:
    """Return whether a file's ending is one of those that are read."""
    return suffix_of(name) in SUFFIXES


def refuse_other_kinds(name: str) -> None:
    """Raise CorpusError, with what to do, where a file's ending is not one of those that are read."""
    if is_readable(name):
        return
    advice = ADVICE.get(suffix_of(name))
    what = f"{advice}." if advice else f"a corpus is made of {', '.join(SUFFIXES)} files."
    raise CorpusError(f"{name} cannot be read: {what}")


def read_file(name: str, content: bytes, report: Report = silent) -> FileContent:
    """Return what one file's bytes hold; ``name`` gives the kind by its ending, and the source of its documents.

    Raises CorpusError for another ending, an empty, binary, damaged or too large file, and a row that cannot be used.
    """
    refuse_other_kinds(name)
    refuse_too_large(name, len(content), LARGEST_FILE)
    if name.lower().endswith(PACKED):
        content = unpacked(name, content)
    if not content.strip():
        raise CorpusError(f"{name} is empty.")
    suffix = suffix_of(name)
    return read_pdf(name, content, report) if suffix == PDF else READERS[suffix](name, content)


def plain_bytes(name: str, content: bytes, limit: int | None = None) -> bytes:
    """Return what a file holds, unpacked where its bytes are gzip's. Raises CorpusError as ``unpacked`` does."""
    return unpacked(name, content, limit) if content.startswith(GZIP) else content


def unpacked(name: str, content: bytes, limit: int | None = None) -> bytes:
    """Return what a ``.gz`` file holds, at most so many bytes, 200 MiB where none is said.

    Raises CorpusError where it is damaged or holds too much.
    """
    most = LARGEST_FILE if limit is None else limit
    try:
        with gzip.open(BytesIO(content)) as packed:
            found = packed.read(most + 1)
    except (OSError, EOFError, zlib.error) as exc:
        raise CorpusError(f"{name} is damaged, or not packed with gzip.") from exc
    refuse_unpacked_size(name, len(found), most)
    return found
