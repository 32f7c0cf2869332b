"""Files and pasted text become documents and passages; whatever cannot be read is refused with a sentence.

Read are ``.txt`` (title = file name), ``.md`` (title = first heading, else file name) and ``.jsonl`` (one object a
line: ``title``, ``text``, optional ``id``, ``fictional``). A folder is read with its sub-folders, in order of names; a
``manifest.json`` in it (``{"index": ["articles.jsonl", ...]}``, files or folders relative to it) names what is part of
the corpus, so that questions beside the articles are never indexed. Text is UTF-8, or else what charset_normalizer
makes of it. Line ends become "\\n"; nothing else changes: HTML, emoji and right-to-left text stay verbatim.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from charset_normalizer import from_bytes
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from engine.core.errors import CorpusError
from engine.core.json_text import fault_line
from engine.core.progress import Report, Stage, silent
from engine.core.records import Document, Passage

LARGEST_FILE = 200 * 1024 * 1024
LARGEST_CORPUS = 1024 * 1024 * 1024
MOST_ENTRIES = 100_000
SUFFIXES = (".txt", ".md", ".jsonl")
MANIFEST = "manifest.json"
TITLE_SHOWN = 100
PASTED = "pasted"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
PASTED_BLOCK = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
PASTED_TITLE = re.compile(r"\s*title:[ \t]*(.*)(?:\n|$)", re.IGNORECASE)


@with_config(ConfigDict(extra="forbid", strict=True))
@dataclass(frozen=True, kw_only=True)
class ArticleLine:
    """One line of a ``.jsonl`` file. ``fictional`` marks what is made up, for people; it is never indexed."""

    title: str
    text: str
    id: str | int | None = None
    fictional: bool = False


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a corpus folder says of itself: what is indexed, and what it is called; other keys are for people."""

    index: tuple[str, ...]
    name: str = ""


ARTICLE = TypeAdapter(ArticleLine)
MANIFEST_TYPE = TypeAdapter(Manifest)


def read_documents(path: Path, report: Report = silent) -> tuple[Document, ...]:
    """Return the documents of a file or folder, in order of file names and lines, ids unique, texts never empty.

    ``report`` is called before each file. Raises CorpusError where there is nothing to read, more than a corpus may
    hold, or something cannot be read; the text names file and line.
    """
    base, files = (path, folder_files(path)) if is_folder(path) else (path.parent, (path,))
    documents: list[Document] = []
    room = LARGEST_CORPUS
    for number, file in enumerate(files):
        report(Stage(method="retrieval", name="reading documents", done=number, total=len(files)))
        name = file.relative_to(base).as_posix()
        refuse_other_kinds(name)
        content = file_bytes(file)
        room -= len(content)
        if room < 0:
            raise CorpusError(f"The folder {path.name} holds more than {LARGEST_CORPUS // 1024**2:,} MB of text.")
        documents.extend(documents_from_upload(name, content))
    if not documents:
        raise CorpusError(f"The folder {path.name} holds no {', '.join(SUFFIXES)} file to index.")
    refuse_repeated_ids(documents)
    return tuple(documents)


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder. Raises CorpusError where there is nothing, or nothing that can be looked at.

    A device or a pipe is neither file nor folder: reading it might never end.
    """
    try:
        folder, file, exists = path.is_dir(), path.is_file(), path.exists()
    except (OSError, ValueError) as exc:
        raise CorpusError(f"There is no file or folder {str(path)[:200]}.") from exc
    if not exists:
        raise CorpusError(f"There is no file or folder {path}.")
    if not folder and not file:
        raise CorpusError(f"{path.name} is neither a file nor a folder.")
    return folder


def refuse_other_kinds(name: str) -> None:
    """Raise CorpusError where a file's ending is not one of those that are read."""
    if PurePosixPath(name).suffix.lower() not in SUFFIXES:
        raise CorpusError(f"{name} cannot be read: a corpus is made of {', '.join(SUFFIXES)} files.")


def documents_from_upload(name: str, content: bytes) -> tuple[Document, ...]:
    """Return the documents in one file's bytes; ``name`` gives the kind by its ending, and the source.

    Raises CorpusError for another ending, an empty, binary or too large file, and a line that is not an article.
    """
    refuse_other_kinds(name)
    refuse_too_large(name, len(content))
    text = decoded(name, content)
    if not text.strip():
        raise CorpusError(f"{name} is empty.")
    if name.lower().endswith(".jsonl"):
        # Only "\n" ends a line: str.splitlines would also cut at U+2028, which JSON allows inside a string.
        lines = enumerate(text.split("\n"), start=1)
        return tuple(article(name, number, line) for number, line in lines if line.strip())
    heading = HEADING.search(text) if name.lower().endswith(".md") else None
    title = heading.group(1).strip() if heading else PurePosixPath(name).stem
    return (Document(document_id=name, title=title, text=text, source=name),)


def passages_from_text(text: str) -> tuple[Passage, ...]:
    """Return pasted passages: a blank line ends one, and a line "Title: ..." before it names it.

    Offsets are those of the passage in the pasted text (line ends as "\\n"). Raises CorpusError where there is none, or
    a title is followed by no text of its own.

    >>> [(p.title, p.text) for p in passages_from_text("Title: Lyon\\nA city.\\n\\nParis is a capital.")]
    [('Lyon', 'A city.'), ('', 'Paris is a capital.')]
    >>> [(p.title, p.text) for p in passages_from_text("Title: Lyon\\n\\nA city.")]
    [('Lyon', 'A city.')]
    """
    text = with_plain_line_ends(text)
    passages: list[Passage] = []
    waiting = ""  # a title that stands alone names the text below it
    for block in PASTED_BLOCK.finditer(text):
        named = PASTED_TITLE.match(block.group())
        start = block.start() + (named.end() if named else 0)
        content, title = text[start : block.end()].rstrip(), named.group(1).strip() if named else ""
        refuse_title_without_text(waiting if title else "")
        title = title or waiting
        waiting = "" if content else title
        if content:
            number, end = len(passages) + 1, start + len(content)
            passages.append(
                Passage(
                    text=content, title=title, document_id=f"{PASTED}-{number}", start=start, end=end, source=PASTED
                )
            )
    refuse_title_without_text(waiting)
    if not passages:
        raise CorpusError("No passage was given: paste at least one, separated by blank lines.")
    return tuple(passages)


def refuse_title_without_text(title: str) -> None:
    """Raise CorpusError that names the title, where it is not ""."""
    if title:
        raise CorpusError(
            f'The title "{title[:TITLE_SHOWN]}" has no text: paste its passage below it, or leave the line out.'
        )


def folder_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of a corpus folder: what its manifest names, else every readable kind, sorted, none hidden."""
    manifest = folder / MANIFEST
    if manifest.is_file():
        return tuple(file for entry in read_manifest(manifest).index for file in entry_files(folder, entry))
    return readable_files(folder, folder)


def corpus_name(path: Path) -> str:
    """Return what a corpus is called: by its manifest where that has a name, else the file's or folder's own name."""
    manifest = path / MANIFEST
    named = read_manifest(manifest).name.strip() if manifest.is_file() else ""
    return named or path.resolve().name


def read_manifest(manifest: Path) -> Manifest:
    """Return a corpus folder's manifest; raises CorpusError where it does not say what is indexed."""
    try:
        return MANIFEST_TYPE.validate_json(file_bytes(manifest))
    except ValidationError as exc:
        raise CorpusError(f'{MANIFEST} must look like {{"index": ["articles.jsonl"]}}: {fault_line(exc)}.') from exc


def entry_files(folder: Path, entry: str) -> tuple[Path, ...]:
    """Return the files that one entry of a manifest names; never outside the folder."""
    named = folder / entry
    refuse_outside(named, folder, entry)
    if named.is_dir():
        return readable_files(named, folder)
    if not named.is_file():
        raise CorpusError(f"{MANIFEST} names {entry}, which is not in the folder.")
    return (named,)


def readable_files(folder: Path, corpus: Path) -> tuple[Path, ...]:
    """Return the files below a folder that can be documents, sorted by path; a link out of the corpus is refused.

    Raises CorpusError, too, where the folder is so large (a whole disk) that looking through it would take minutes.
    """
    entries = list(islice(folder.rglob("*"), MOST_ENTRIES + 1))
    if len(entries) > MOST_ENTRIES:
        raise CorpusError(
            f"The folder {folder.name or folder} holds more than {MOST_ENTRIES:,} files; name a smaller one."
        )
    readable = []
    for file in sorted(entries):
        inside = file.relative_to(folder)
        if file.suffix.lower() in SUFFIXES and file.is_file() and not any(p.startswith(".") for p in inside.parts):
            refuse_outside(file, corpus, inside.as_posix())
            readable.append(file)
    return tuple(readable)


def refuse_outside(file: Path, folder: Path, shown: str) -> None:
    """Raise CorpusError where a path, links followed, is not inside the folder."""
    if not file.resolve().is_relative_to(folder.resolve()):
        raise CorpusError(f"{shown} leads out of the corpus folder and is not read.")


def file_bytes(file: Path) -> bytes:
    """Return a file's bytes; raises CorpusError where it is too large or the system refuses."""
    try:
        refuse_too_large(file.name, file.stat().st_size)
        with file.open("rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
    except OSError as exc:
        raise CorpusError(f"{file.name} cannot be read: {exc.strerror}.") from exc
    # What the system makes up while it is read (/proc) has no size beforehand.
    refuse_too_large(file.name, len(content))
    return content


def refuse_too_large(name: str, size: int) -> None:
    """Raise CorpusError where a file has more bytes than the limit."""
    if size > LARGEST_FILE:
        raise CorpusError(f"{name} is larger than {LARGEST_FILE // 1024**2} MB; split it into smaller files.")


def decoded(name: str, content: bytes) -> str:
    """Return bytes as text with "\\n" line ends; raises CorpusError where they are not text."""
    try:
        text = content.decode("utf-16" if content.startswith(UTF16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError as exc:
        guess = None if b"\x00" in content else from_bytes(content).best()
        if guess is None:
            raise CorpusError(f"{name} is not a text file, or its encoding is unknown; save it as UTF-8.") from exc
        text = str(guess)
    # A stray control character is common in copied text; more than one in a hundred is a program or a picture.
    if "\x00" in text or len(CONTROLS.findall(text)) * 100 > len(text):
        raise CorpusError(f"{name} is a binary file, not text.")
    return with_plain_line_ends(text)


def with_plain_line_ends(text: str) -> str:
    """Return the text with every line end as "\\n"."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def article(name: str, number: int, line: str) -> Document:
    """Return one line as a document; raises CorpusError that names file and line."""
    try:
        row = ARTICLE.validate_json(line)
    except ValidationError as exc:
        raise CorpusError(f"{name}, line {number}: {fault_line(exc)}.") from exc
    for key, value in (("title", row.title), ("text", row.text)):
        if not value.strip():
            raise CorpusError(f"{name}, line {number}: {key} is empty.")
    document_id = f"{name}:{number}" if row.id is None else str(row.id)
    return Document(document_id=document_id, title=row.title.strip(), text=with_plain_line_ends(row.text), source=name)


def refuse_repeated_ids(documents: Iterable[Document]) -> None:
    """Raise CorpusError where two documents have one id: a hit could not be traced to its text."""
    seen: dict[str, Document] = {}
    for document in documents:
        other = seen.setdefault(document.document_id, document)
        if other is not document:
            places = f"{other.source} ({other.title}) and {document.source} ({document.title})"
            raise CorpusError(f'The id "{document.document_id}" stands twice: {places}.')
