"""Word files (``.docx``): paragraphs and tables in their order, by python-docx.

A ``.docx`` is a zip archive of XML. Its sizes are looked at before it is unpacked, and the parser expands no entity and
reaches no network. Pictures, comments, headers and footers are not read.
"""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from engine.backends.retrieval.readers.base import (
    LONGEST_NAME,
    FileContent,
    clean_text,
    one_document,
    refuse_unpacked_size,
    stem_of,
)
from engine.core.errors import CorpusError

MOST_PARTS = 10_000
LARGEST_XML = 64 * 1024 * 1024


def read_word(name: str, content: bytes) -> FileContent:
    """Return a Word file as one document, titled by its title or first heading.

    Raises CorpusError where it is damaged, locked, a zip bomb, or holds no text.
    """
    refuse_zip_bomb(name, content)
    from docx import Document as open_docx  # slow to import

    try:
        file = open_docx(BytesIO(content))
        parts = read_parts(name, file)
        title = (file.core_properties.title or "").strip() or first_heading(file)
    except CorpusError:
        raise
    except Exception as exc:  # a damaged file makes the library raise whatever it trips over
        raise CorpusError(f"{name} is damaged, or not a Word file.") from exc
    text = clean_text("\n\n".join(parts))
    if not text.strip():
        raise CorpusError(f"{name} holds no text.")
    return one_document(name, clean_text(title) or stem_of(name), text)


def refuse_zip_bomb(name: str, content: bytes) -> None:
    """Raise CorpusError where the archive is damaged or would unpack to too much."""
    if content.startswith(b"\xd0\xcf\x11\xe0"):  # the container of old Word files, and of locked new ones
        raise CorpusError(f"{name} is locked with a password, or an old Word file; save it as a plain .docx.")
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as exc:
        raise CorpusError(f"{name} is damaged, or not a Word file.") from exc
    if len(parts) > MOST_PARTS:
        raise CorpusError(f"{name} holds {len(parts):,} parts and is not read.")
    refuse_unpacked_size(name, sum(part.file_size for part in parts))
    for part in parts:
        if part.filename.endswith((".xml", ".rels")):
            refuse_unpacked_size(name, part.file_size, LARGEST_XML)


def read_parts(name: str, file: Any) -> list[str]:
    """Return the paragraphs and rows of an open file, empty ones left out; raises CorpusError for too much text."""
    parts: list[str] = []
    size = 0
    for block in file.element.body.inner_content_elements:
        for text in table_rows(block) if hasattr(block, "tr_lst") else [block.text]:
            size += len(text)
            refuse_unpacked_size(name, size)
            parts += [text] if text.strip() else []
    return parts


def table_rows(table: Any) -> Iterator[str]:
    """Yield each row of a table: its cells with " | " between, empty ones left out.

    A cell that spans columns stands once, one that spans rows once in each, at most 300 characters of it again. The
    library's own ``row.cells`` has an entry for each column spanned, and a file may say a billion.
    """
    above: dict[int, str] = {}
    for row in table.tr_lst:
        texts: list[str] = []
        spanning: dict[int, str] = {}
        column = row.grid_before
        for cell in row.tc_lst:
            own = " ".join(" ".join(paragraph.text for paragraph in cell.p_lst).split())
            texts.append(above.get(column, "") if cell.vMerge == "continue" else own)
            spanning[column] = texts[-1][:LONGEST_NAME]
            column += cell.grid_span
        above = spanning
        yield " | ".join(text for text in texts if text)


def first_heading(file: Any) -> str:
    """Return the first paragraph in the style of a title or heading, "" where there is none."""
    # Looked up once: the library searches all styles anew for each paragraph.
    headings = {style.style_id for style in file.styles if (style.name or "").startswith(("Title", "Heading"))}
    headed = (paragraph.text for paragraph in file.element.body.p_lst if paragraph.style in headings)
    return next((text for text in headed if text.strip()), "")
