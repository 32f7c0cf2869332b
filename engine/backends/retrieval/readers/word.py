"""Word files (``.docx``): paragraphs and tables in their order, by python-docx.

A ``.docx`` is a zip archive of XML. Its sizes are looked at before it is unpacked, and the parser expands no entity and
reaches no network. Pictures, comments, headers and footers are not read.
"""

import zipfile
from io import BytesIO
from typing import Any

from engine.backends.retrieval.readers.base import FileContent, clean_text, one_document, refuse_unpacked_size, stem_of
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
        parts = [part for block in file.iter_inner_content() for part in block_text(block)]
        title = (file.core_properties.title or "").strip() or first_heading(file)
    except Exception as exc:  # a damaged file makes the library raise whatever it trips over
        raise CorpusError(f"{name} is damaged, or no Word file.") from exc
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
        raise CorpusError(f"{name} is damaged, or no Word file.") from exc
    if len(parts) > MOST_PARTS:
        raise CorpusError(f"{name} holds {len(parts):,} parts and is not read.")
    refuse_unpacked_size(name, sum(part.file_size for part in parts))
    for part in parts:
        if part.filename.endswith((".xml", ".rels")):
            refuse_unpacked_size(name, part.file_size, LARGEST_XML)


def block_text(block: Any) -> list[str]:
    """Return the text of a paragraph, or of each row of a table: its cells with " | " between, empty ones left out."""
    if not hasattr(block, "rows"):
        return [block.text] if block.text.strip() else []
    return [text for row in block.rows if (text := row_text(row))]


def row_text(row: Any) -> str:
    """Return one row of a table; a cell that spans several columns stands once."""
    cells: list[str] = []
    for cell in row.cells:
        text = " ".join(cell.text.split())
        if not cells or cells[-1] != text:
            cells.append(text)
    return " | ".join(cell for cell in cells if cell)


def first_heading(file: Any) -> str:
    """Return the first paragraph in the style of a title or heading, "" where there is none."""
    for paragraph in file.paragraphs:
        style = (paragraph.style.name or "") if paragraph.style is not None else ""
        if style.startswith(("Title", "Heading")) and paragraph.text.strip():
            return str(paragraph.text)
    return ""
