"""Files and pasted text become documents and passages; whatever cannot be read is refused with a sentence.

``readers`` turns the bytes of one file into documents and questions. A folder is read with its sub-folders, in order
of names; a file in it that cannot be read is skipped, and the report says why. A ``manifest.json`` in it
(``{"index": ["articles.jsonl", ...]}``, files or folders relative to it) names what is part of the corpus, so that
questions beside the articles are never indexed. Beside a ``corpus.jsonl``, as BEIR has it, ``queries.jsonl`` holds
questions. A text that stands twice is kept once, and the report names its copies.
"""

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

import pydantic_core
from pydantic import TypeAdapter, ValidationError

from engine.backends.call_cache import default_cache, key_of
from engine.backends.retrieval.readers import SUFFIXES, is_readable, read_file, refuse_other_kinds, suffix_of
from engine.backends.retrieval.readers.base import (
    LARGEST_FILE,
    MEBIBYTE,
    FileContent,
    FoundQuestion,
    refuse_too_large,
    with_plain_line_ends,
)
from engine.backends.text.composed import composed
from engine.core.errors import CorpusError
from engine.core.folders import size_of
from engine.core.json_text import fault_line
from engine.core.progress import FilesRead, Report, Stage, silent
from engine.core.records import Document, FileReport, Passage

LARGEST_CORPUS = 1024 * MEBIBYTE
MOST_ENTRIES = 100_000
MANIFEST = "manifest.json"
GIVEN_NAME = ".corpus-name"  # in a folder of uploads, whose own name is a hash
# Minutes for a large PDF; what was read is kept. The format changes with any reader of these kinds.
SLOW_KINDS, READERS_FORMAT = (".pdf", ".docx", ".html", ".htm"), 4
BEIR_CORPUS, BEIR_QUERIES, BEIR_JUDGEMENTS = "corpus.jsonl", "queries.jsonl", "qrels"
# Tables and JSON: a row's title is its own, so the same text under two titles is no copy.
ROW_KINDS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".gz")
COPIES_NAMED, REASONS_NAMED = 3, 3
TITLE_SHOWN, ENTRY_SHOWN = 100, 200
PASTED = "pasted"
PASTED_BLOCK = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
PASTED_TITLE = re.compile(r"\s*title:[ \t]*(.*)(?:\n|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A corpus as it was read: its documents, the questions found beside them, and a report of every file."""

    documents: tuple[Document, ...]
    questions: tuple[FoundQuestion, ...] = ()
    files: tuple[FileReport, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a corpus folder says of itself: what is indexed, and what it is called; other keys are for people."""

    index: tuple[str, ...]
    name: str = ""


MANIFEST_TYPE = TypeAdapter(Manifest)
CONTENT_TYPE = TypeAdapter(FileContent)


def read_documents(path: Path, report: Report = silent) -> tuple[Document, ...]:
    """Return the documents of a file or folder as ``read_corpus`` reads them, and report what became of every file.

    Raises CorpusError as ``read_corpus`` does.
    """
    reading = read_corpus(path, report)
    report(FilesRead(files=reading.files))
    return reading.documents


def read_corpus(path: Path, report: Report = silent) -> Reading:
    """Return a file or folder: documents in order of file names and rows, ids unique, texts never empty.

    ``report`` is called before each file. Raises CorpusError where there is nothing to read, more than a corpus may
    hold, or a single file cannot be read; the text names file and line.
    """
    if not is_folder(path):
        refuse_other_kinds(path.name)
        report(Stage(method="retrieval", name="reading documents", done=0, total=1))
        name = name_below(path.parent, path)
        return whole_reading(name, [(name, file_content(name, file_bytes(path), report))])
    files = folder_files(path, report)
    contents: list[tuple[str, FileContent | CorpusError]] = []
    room = LARGEST_CORPUS
    for number, file in enumerate(files):
        report(Stage(method="retrieval", name="reading documents", done=number, total=len(files)))
        content = corpus_file(path, file, report)
        contents.append((name_below(path, file), content))
        room -= max(size_of(file), characters_of(content))
        if room < 0:
            raise CorpusError(f"The folder {path.name} holds more than {LARGEST_CORPUS // MEBIBYTE:,} MiB of text.")
    contents += [(name, unreadable(name)) for name in other_files(path)]
    return whole_reading(path.name, contents)


def corpus_file(folder: Path, file: Path, report: Report) -> FileContent | CorpusError:
    """Return what one file of a corpus folder holds, or why it is not read."""
    name = name_below(folder, file)
    try:
        refuse_outside(file, folder, name)
        refuse_judgements(folder, name)
        content = file_content(name, file_bytes(file), report)
    except CorpusError as exc:
        return exc
    return questions_only(content) if is_beir_queries(file) else content


def name_below(folder: Path, file: Path) -> str:
    """Return a file's name below a folder, in UTF-8: a byte that is none, as old archives bring, is spelt out.

    >>> name_below(Path("notes"), Path("notes/caf\\udce9.txt"))
    'caf\\\\xe9.txt'
    """
    return os.fsencode(file.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")


def characters_of(content: FileContent | CorpusError) -> int:
    """Return how many characters were read from a file, which are far more than its bytes where it is packed."""
    if isinstance(content, CorpusError):
        return 0
    return sum(len(one.text) for one in content.documents) + sum(len(one.question) for one in content.questions)


def file_content(name: str, content: bytes, report: Report) -> FileContent:
    """Return what one file holds; of a kind that is slow to read, it is kept under the hash of its bytes."""
    if suffix_of(name) not in SLOW_KINDS:
        return read_file(name, content, report)
    cache = default_cache()
    key = key_of("file", READERS_FORMAT, name, sha256(content).hexdigest())
    kept = cache.get([key]).get(key)
    if kept is not None:
        with suppress(ValidationError):  # another version's entry
            return CONTENT_TYPE.validate_json(kept)
    found = read_file(name, content, report)
    cache.put("file", {key: pydantic_core.to_json(found)})
    return found


def whole_reading(corpus: str, contents: Sequence[tuple[str, FileContent | CorpusError]]) -> Reading:
    """Return what all files hold, each text once, with a report of every file.

    Raises CorpusError, with the first reasons, where they hold nothing to index, or an id stands for two texts.
    """
    documents: list[Document] = []
    questions: dict[str, FoundQuestion] = {}
    reports = []
    seen: dict[tuple[str, str], Document] = {}
    for name, content in contents:
        if isinstance(content, CorpusError):
            reports.append(FileReport(name=name, read=False, notes=(str(content),)))
            continue
        own, copies = without_copies(content.documents, seen)
        documents += own
        for asked in content.questions:
            questions.setdefault(asked.question, asked)
        notes = (*content.notes, *copy_notes(copies))
        reports.append(
            FileReport(name=name, read=True, documents=len(own), questions=len(content.questions), notes=notes)
        )
    if not documents:
        raise CorpusError(nothing_to_index(corpus, reports))
    refuse_repeated_ids(documents)
    return Reading(documents=tuple(documents), questions=tuple(questions.values()), files=tuple(reports))


def without_copies(
    documents: Iterable[Document], seen: dict[tuple[str, str], Document]
) -> tuple[list[Document], list[tuple[Document, Document]]]:
    """Return the documents whose text was not ``seen`` before, which is added to, and (copy, first) of the others."""
    own: list[Document] = []
    copies = []
    for document in documents:
        titled = document.title if document.source.lower().endswith(ROW_KINDS) else ""
        first = seen.setdefault((titled, " ".join(document.text.split())), document)
        if first is document:
            own.append(document)
        else:
            copies.append((document, first))
    return own, copies


def copy_notes(copies: Sequence[tuple[Document, Document]]) -> tuple[str, ...]:
    """Return a note that names what was left out as a copy, () where nothing was."""
    if not copies:
        return ()
    firsts = dict.fromkeys(f'"{first.title[:TITLE_SHOWN]}" ({first.source})' for _, first in copies)
    more = " …" if len(firsts) > COPIES_NAMED else ""
    number = f"{len(copies):,} copies" if len(copies) > 1 else "1 copy"
    return (f"{number} left out; the text is already in {', '.join(islice(firsts, COPIES_NAMED))}{more}.",)


def nothing_to_index(corpus: str, reports: Sequence[FileReport]) -> str:
    """Return why a corpus holds nothing to index: the first files that were skipped, with their reasons."""
    if any(one.read and one.questions for one in reports):
        return f"{corpus} holds questions and no texts to search; add the passages."
    reasons = [one.notes[0] for one in reports if one.notes][:REASONS_NAMED]
    return " ".join([f"The folder {corpus} holds no {', '.join(SUFFIXES)} file to index.", *reasons])


def questions_only(content: FileContent) -> FileContent:
    """Return BEIR's queries, which look like documents, as the questions they are."""
    asked = [FoundQuestion(question=" ".join(one.text.split()), source=one.source) for one in content.documents]
    return FileContent(questions=(*content.questions, *asked))


def is_beir_queries(file: Path) -> bool:
    """Return whether a file holds the queries of a data set in BEIR's layout."""
    return file.name == BEIR_QUERIES and (file.parent / BEIR_CORPUS).is_file()


def refuse_judgements(folder: Path, name: str) -> None:
    """Raise CorpusError for BEIR's table of relevance judgements, which holds no text."""
    if f"{BEIR_JUDGEMENTS}/" in f"/{name}" and (folder / BEIR_CORPUS).is_file() and name.endswith(".tsv"):
        raise CorpusError(f"{name} holds relevance judgements and no text.")


def unreadable(name: str) -> CorpusError:
    """Return why a file of another kind is skipped."""
    try:
        refuse_other_kinds(name)
    except CorpusError as exc:
        return exc
    return CorpusError(f"{name} is not a file that can be read.")


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


def documents_from_upload(name: str, content: bytes) -> tuple[Document, ...]:
    """Return the documents in one file's bytes; ``name`` gives the kind by its ending, and the source.

    Raises CorpusError for another ending, a file that cannot be read or is empty, and one that holds questions only.
    """
    found = read_file(name, content)
    if not found.documents:
        raise CorpusError(f"{name} holds questions and no texts to search; add the passages.")
    return found.documents


def passages_from_text(text: str) -> tuple[Passage, ...]:
    """Return pasted passages: a blank line ends one, and a line "Title: ..." before it names it.

    Offsets are those of the passage in the pasted text (line ends as "\\n", characters composed). Raises CorpusError
    where there is none, or a title is followed by no text of its own.

    >>> [(p.title, p.text) for p in passages_from_text("Title: Lyon\\nA city.\\n\\nParis is a capital.")]
    [('Lyon', 'A city.'), ('', 'Paris is a capital.')]
    >>> [(p.title, p.text) for p in passages_from_text("Title: Lyon\\n\\nA city.")]
    [('Lyon', 'A city.')]
    """
    text = composed(with_plain_line_ends(text))
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


def folder_files(folder: Path, report: Report = silent) -> tuple[Path, ...]:
    """Return the files of a corpus folder: what its manifest names, else every readable kind, sorted, none hidden.

    A file that the manifest names twice is there once. ``report`` is called before each entry of the manifest.
    """
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return readable_files(folder, folder)
    found: dict[Path, None] = {}
    for entry in different_entries(folder, read_manifest(manifest).index):
        report(Stage(method="retrieval", name="reading documents"))
        files = entry_files(folder, entry)
        found |= dict.fromkeys(folder / os.path.normpath(file.relative_to(folder)) for file in files)
    return tuple(found)


def different_entries(folder: Path, entries: Sequence[str]) -> tuple[str, ...]:
    """Return a manifest's entries, the first of those that name one place: each may be a folder to look through.

    Raises CorpusError where there are more than a folder may hold.
    """
    if len(entries) > MOST_ENTRIES:
        raise CorpusError(f"{MANIFEST} names more than {MOST_ENTRIES:,} files; name their folder.")
    places: dict[str, str] = {}
    for entry in entries:
        places.setdefault(os.path.normpath(folder / entry), entry)
    return tuple(places.values())


def corpus_name(path: Path) -> str:
    """Return what a corpus is called: by its manifest, by the name it was given, else by its file or folder."""
    manifest, given = path / MANIFEST, path / GIVEN_NAME
    named = read_manifest(manifest).name.strip() if manifest.is_file() else ""
    if not named and given.is_file():
        named = " ".join(file_bytes(given).decode("utf-8", "replace").split())
    return named or path.resolve().name


def read_manifest(manifest: Path) -> Manifest:
    """Return a corpus folder's manifest; raises CorpusError where it does not say what is indexed."""
    try:
        return MANIFEST_TYPE.validate_json(file_bytes(manifest))
    except ValidationError as exc:
        raise CorpusError(f'{MANIFEST} must look like {{"index": ["articles.jsonl"]}}: {fault_line(exc)}.') from exc


def entry_files(folder: Path, entry: str) -> tuple[Path, ...]:
    """Return the files that one entry of a manifest names; never outside the folder."""
    named, shown = folder / entry, entry[:ENTRY_SHOWN]
    try:
        refuse_outside(named, folder, shown)
        if named.is_dir():
            return readable_files(named, folder)
        if named.is_file():
            return (named,)
    except (OSError, ValueError, RuntimeError) as exc:  # too long, not a name at all, or links in a circle
        raise CorpusError(f"{MANIFEST} names {shown!r}, which is no name of a file that can be read.") from exc
    raise CorpusError(f"{MANIFEST} names {shown}, which is not in the folder.")


def readable_files(folder: Path, corpus: Path) -> tuple[Path, ...]:
    """Return the files below a folder that can be documents, sorted by path, none hidden."""
    return tuple(file for file in shown_files(folder) if is_readable(file.name) and file != corpus / MANIFEST)


def other_files(folder: Path) -> tuple[str, ...]:
    """Return the names of the files below a folder that are of no kind that is read; () where a manifest decides."""
    if (folder / MANIFEST).is_file():
        return ()
    return tuple(name_below(folder, file) for file in shown_files(folder) if not is_readable(file.name))


def shown_files(folder: Path) -> tuple[Path, ...]:
    """Return the files below a folder, sorted by path, none hidden.

    Raises CorpusError where the folder is so large (a whole disk) that looking through it would take minutes.
    """
    entries = list(islice(folder.rglob("*"), MOST_ENTRIES + 1))
    if len(entries) > MOST_ENTRIES:
        raise CorpusError(
            f"The folder {folder.name or folder} holds more than {MOST_ENTRIES:,} files; name a smaller one."
        )
    return tuple(
        file
        for file in sorted(entries)
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def refuse_outside(file: Path, folder: Path, shown: str) -> None:
    """Raise CorpusError where a path, links followed, is not inside the folder."""
    if not file.resolve().is_relative_to(folder.resolve()):
        raise CorpusError(f"{shown} leads out of the corpus folder and is not read.")


def file_bytes(file: Path) -> bytes:
    """Return a file's bytes; raises CorpusError where it is too large or the system refuses."""
    try:
        refuse_too_large(file.name, file.stat().st_size, LARGEST_FILE)
        with file.open("rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
    except OSError as exc:
        raise CorpusError(f"{file.name} cannot be read: {exc.strerror}.") from exc
    # What the system makes up while it is read (/proc) has no size beforehand.
    refuse_too_large(file.name, len(content), LARGEST_FILE)
    return content


def refuse_repeated_ids(documents: Iterable[Document]) -> None:
    """Raise CorpusError where two documents have one id: a hit could not be traced to its text."""
    seen: dict[str, Document] = {}
    for document in documents:
        other = seen.setdefault(document.document_id, document)
        if other is not document:
            places = f"{place_of(other)} and {place_of(document)}"
            raise CorpusError(f'The id "{document.document_id}" stands twice: {places}.')


def place_of(document: Document) -> str:
    """Return where a document stands: its file, its row in it, and its title where it has them."""
    row = f", row {document.row:,}" if document.row else ""
    return f"{document.source}{row}" + (f" ({document.title[:TITLE_SHOWN]})" if document.title else "")
