"""What every reader of a file gives, the limits that all of them keep, and how bytes become text.

A reader takes a file's name and bytes and returns ``FileContent``. What it cannot read it refuses with a CorpusError
that names the file and says what to do. Everything read is untrusted: no script runs, no link is followed, and what
unpacks to far more than it weighs is refused before it is unpacked.
"""

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from charset_normalizer import from_bytes

from engine.backends.text.composed import composed
from engine.core.errors import CorpusError
from engine.core.records import Document

MEBIBYTE = 2**20
LARGEST_FILE = 200 * MEBIBYTE
LONGEST_NOTE = 300
LONGEST_NAME = 300  # of a title, a column, a label: what stands once in a file may be written with each of its rows
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
NO_CHARSETS = ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined")
USUAL = "cp1252"
LATIN = (USUAL, "cp1250", "cp1254", "cp1257")
OTHER_SCRIPT = re.compile(rb"[\x80-\xff]{3}")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundQuestion:
    """A question that stands in the files of a corpus, with the answers that count as right; it is never indexed."""

    question: str
    golds: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """What one file holds: documents, questions, and notes on what was left out of it, each a short sentence."""

    documents: tuple[Document, ...] = ()
    questions: tuple[FoundQuestion, ...] = ()
    notes: tuple[str, ...] = ()


def stem_of(name: str) -> str:
    """Return a file's name without folders and ending.

    >>> stem_of("notes/marie-curie.txt")
    'marie-curie'
    """
    return PurePosixPath(name).stem


def one_document(name: str, title: str, text: str, *notes: str) -> FileContent:
    """Return a file that is one document; raises CorpusError where it holds no text, or more than a file may hold."""
    refuse_unpacked_size(name, len(text))
    if not text.strip():
        raise CorpusError(f"{name} is empty.")
    title = " ".join(title[:LONGEST_NAME].split()) or stem_of(name)
    document = Document(document_id=name, title=composed(title), text=composed(text), source=name)
    return FileContent(documents=(document,), notes=notes)


def refuse_too_large(name: str, size: int, limit: int | None = None) -> None:
    """Raise CorpusError where a file has more bytes than the limit, 200 MiB where none is given."""
    most = LARGEST_FILE if limit is None else limit
    if size > most:
        raise CorpusError(f"{name} is larger than {most // MEBIBYTE} MiB; split it into smaller files.")


def refuse_unpacked_size(name: str, size: int, limit: int | None = None) -> None:
    """Raise CorpusError where a packed file says, or shows, that it holds more bytes than the limit."""
    most = LARGEST_FILE if limit is None else limit
    if size > most:
        raise CorpusError(f"{name} unpacks to more than {most // MEBIBYTE} MiB and is not read.")


def decoded(name: str, content: bytes, declared: str = "") -> str:
    """Return bytes as text with "\\n" line ends; raises CorpusError where they are not text.

    UTF-8 or a byte-order mark first, then the encoding the file declares, then what charset_normalizer makes of it.
    """
    try:
        text = content.decode("utf-16" if content.startswith(UTF16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError as exc:
        text = declared_text(content, declared) or guessed_text(content)
        if not text:
            raise CorpusError(f"{name} is not a text file, or its encoding is unknown; save it as UTF-8.") from exc
    # A stray control character is common in copied text; more than one in a hundred is a program or a picture.
    if "\x00" in text or len(CONTROLS.findall(text)) * 100 > len(text):
        raise CorpusError(f"{name} is a binary file, not text.")
    return with_plain_line_ends(text)


def is_guessed(content: bytes) -> bool:
    """Return whether bytes are neither UTF-8 nor marked as UTF-16, so that ``decoded`` had to guess.

    >>> is_guessed("Köln".encode()), is_guessed("Köln".encode("cp1252"))
    (False, True)
    """
    try:
        content.decode("utf-16" if content.startswith(UTF16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError:
        return True
    return False


def declared_text(content: bytes, declared: str) -> str:
    """Return the bytes in the encoding a file declares, "" where it declares none or errs."""
    try:
        return in_charset(content, declared) if declared else ""
    except (LookupError, UnicodeError):
        return ""


def in_charset(content: bytes, charset: str) -> str:
    """Return the bytes in a charset that a file or a server names.

    Raises LookupError for a name of no charset, ValueError where the bytes are not in it. Python's codecs for names of
    hosts and for escapes in programs are no charsets: on a long text punycode takes the square of its length.
    """
    if codecs.lookup(charset).name in NO_CHARSETS:
        raise LookupError(f"{charset} is not a charset of texts.")
    return content.decode(charset)


def guessed_text(content: bytes) -> str:
    """Return the bytes in the likeliest encoding, "" where none fits.

    A few marked letters in a short text look like anything: charset_normalizer read "Köln" as Chinese. Other scripts
    write whole words beyond ASCII, so a text without such a word is in Latin letters; among equals in Windows-1252.

    >>> guessed_text("Wo liegt Köln?".encode("cp1252")), guessed_text("Где Москва?".encode("cp1251"))
    ('Wo liegt Köln?', 'Где Москва?')
    """
    if b"\x00" in content:
        return ""
    if OTHER_SCRIPT.search(content) is None:
        latin = from_bytes(content, cp_isolation=list(LATIN))
        if len(latin):
            return str(min(latin, key=lambda one: (one.chaos, -one.coherence, USUAL not in one.could_be_from_charset)))
    guess = from_bytes(content).best()
    return "" if guess is None else str(guess)


def with_plain_line_ends(text: str) -> str:
    """Return the text with every line end as "\\n"."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def clean_text(text: str) -> str:
    """Return text from a PDF, a web page or a table without control characters and lone surrogates.

    A lone surrogate could be neither stored nor drawn; both stand for nothing that can be read.
    """
    plain = CONTROLS.sub("", with_plain_line_ends(text))
    return plain.encode("utf-8", "ignore").decode("utf-8")
