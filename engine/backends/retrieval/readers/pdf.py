"""PDF files: the text of every page, by pypdf, with the lines of the layout joined to paragraphs again.

A PDF has lines and no paragraphs. A line that fills the column, or is followed by a small letter, goes on in the next
one; a word that is parted at its end by a hyphen is put together. Pages that hold no text, such as scans, are counted.
pypdf is Python throughout, so a hostile file cannot reach beyond it; it may be slow, hence the limits.
"""

import logging
import re
import time
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from typing import Any

from engine.backends.retrieval.readers.base import FileContent, clean_text, one_document, refuse_unpacked_size, stem_of
from engine.core.errors import CorpusError
from engine.core.progress import Report, TokensDecoded, silent

MOST_PAGES = 5_000
MOST_SECONDS = 180.0
FULL_LINE = 0.7
# Letters that a typesetter drew as one sign: no search for "first" would find "ﬁrst".
LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": ""})
PARTED_WORD = re.compile(r"[^\W\d_]-$")
# What programs write into a PDF's title instead of one.
NO_TITLE = re.compile(r"^(untitled|microsoft word|slide 1|document\d*)|\.(docx?|tex|dvi|indd|qxd|pdf)$", re.IGNORECASE)


def read_pdf(name: str, content: bytes, report: Report = silent) -> FileContent:
    """Return a PDF as one document; ``report`` is called between pages.

    Raises CorpusError where it is damaged, needs a password, is too long or slow, or holds no text.
    """
    reader = opened_pdf(name, content)
    pages = list(page_texts(name, reader, report))
    empty = sum(not page.strip() for page in pages)
    if empty == len(pages):
        raise CorpusError(f"{name} holds no text: its pages may be scanned pictures. Run text recognition on it first.")
    notes = [f"{empty} of {len(pages)} pages hold no text; they may be scanned pictures."] if empty else []
    return one_document(name, pdf_title(name, reader), joined_pages(pages), *notes)


def opened_pdf(name: str, content: bytes) -> Any:
    """Return the open PDF. Raises CorpusError where it is damaged or needs a password."""
    from pypdf import PdfReader  # slow to import

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every fault that it mends
    try:
        reader = PdfReader(BytesIO(content))
        locked = reader.is_encrypted and not reader.decrypt("")
        number = 0 if locked else len(reader.pages)
    except Exception as exc:  # a damaged file makes the library raise whatever it trips over
        raise CorpusError(f"{name} is damaged, or not a PDF.") from exc
    if locked:
        raise CorpusError(f"{name} needs a password; save a copy without one.")
    if number == 0:
        raise CorpusError(f"{name} is damaged: it has no pages.")
    if number > MOST_PAGES:
        raise CorpusError(f"{name} has {number:,} pages; split it into files of at most {MOST_PAGES:,}.")
    return reader


def page_texts(name: str, reader: Any, report: Report) -> Iterator[str]:
    """Yield the text of each page, its lines joined. Raises CorpusError where one fails or all take too long."""
    began, size = time.monotonic(), 0
    for number, page in enumerate(reader.pages, start=1):
        report(TokensDecoded(count=0))
        if time.monotonic() - began > MOST_SECONDS:
            raise CorpusError(f"{name} takes more than {MOST_SECONDS / 60:.0f} minutes to read; save it anew.")
        try:
            text = clean_text(page.extract_text()).translate(LIGATURES)
        except Exception as exc:  # as above
            raise CorpusError(f"{name} is damaged: page {number} cannot be read.") from exc
        size += len(text)
        refuse_unpacked_size(name, size)
        yield joined_lines(text)


def pdf_title(name: str, reader: Any) -> str:
    """Return the title a PDF gives itself, else the file's name."""
    from pypdf.errors import PyPdfError

    try:
        title = clean_text(str((reader.metadata or {}).get("/Title") or ""))
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError):  # a damaged one is none
        return stem_of(name)
    return stem_of(name) if NO_TITLE.search(title.strip()) else title


def joined_lines(text: str) -> str:
    """Return a page's text with the lines of one paragraph in one line.

    >>> joined_lines("The tower was com-\\npleted in 1889 for\\na fair in Paris.\\nHeight\\n330 m")
    'The tower was completed in 1889 for a fair in Paris.\\nHeight\\n330 m'
    """
    lines = [" ".join(line.split()) for line in text.split("\n")]
    widths = sorted(len(line) for line in lines if line)
    full = FULL_LINE * widths[len(widths) * 9 // 10] if widths else 0.0
    parts = lines[:1]
    for before, line in pairwise(lines):
        if PARTED_WORD.search(before) and line[:1].islower():
            parts[-1] = parts[-1][:-1] + line
        elif goes_on(before, line, full):
            parts[-1] += f" {line}"
        else:
            parts.append(line)
    return "\n".join(parts).strip("\n")


def goes_on(before: str, line: str, full: float) -> bool:
    """Return whether a line of text goes on in the next one; ``full`` is the length of a line that fills its column."""
    if not before or not line:
        return False
    if line[0].islower():
        return True
    return len(before) >= full and before[-1] not in ".!?:"


def joined_pages(pages: list[str]) -> str:
    """Return the text of all pages; a sentence that goes on over a page's end is not parted."""
    text = ""
    for page in pages:
        if not page.strip():
            continue
        flows = text and page[0].islower() and text[-1] not in ".!?:"
        text += (" " if flows else "\n\n" if text else "") + page.strip()
    return text
