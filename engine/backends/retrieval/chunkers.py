"""Recursive chunking with character offsets: a document is cut at paragraphs, then lines, sentences, words.

LangChain's RecursiveCharacterTextSplitter chooses the cuts (DENSE section 6.1: size 512, overlap 64; the small profile
128 and 16), sizes counted in the embedder's tokens. Two differences, both for exact offsets: the splitter runs without
overlap and without stripping, so that its pieces partition the text and positions follow by addition (its own
``add_start_index`` searches for the chunk again, and errs when the overlap is counted in tokens or the text repeats);
and the overlap is the longest run of whole words before the piece that fits. A passage is read by the embedder with
its title, and the size counts everything it reads: title, overlap, text and the encoder's own marks.
"""

import re
from collections.abc import Callable
from functools import cache
from itertools import count

from engine.backends.retrieval.base import Embedder
from engine.core.errors import CorpusError
from engine.core.progress import Report, TokensDecoded, silent
from engine.core.records import Document, Passage

SEPARATORS = [r"\n\s*\n", r"\n", r"[.!?。！？][\"')\]”’]*\s+", r"\s+", ""]
LONGEST_TITLE = 32
# WordPiece reads a line of 10,000 letters without a space as one unknown word; such a line must be cut all the same.
CHARACTERS_PER_TOKEN = 8
COUNTED_BETWEEN_REPORTS = 500


def chunk(
    document: Document, embedder: Embedder, chunk_tokens: int, chunk_overlap: int, report: Report = silent
) -> tuple[Passage, ...]:
    """Return the passages of a document, in order; ``document.text[start:end] == passage.text`` for each.

    ``chunk_tokens`` and ``chunk_overlap`` count the embedder's tokens. Passages cover every character but white space.
    ``report`` is called every few hundred counted pieces, so that a huge document can be stopped.
    Raises CorpusError where a chunk could be longer than the embedder reads, ValueError where the sizes leave no room.
    """
    if chunk_tokens > embedder.max_tokens:
        raise CorpusError(
            f"Chunks of {chunk_tokens} tokens are longer than {embedder.name} reads ({embedder.max_tokens} tokens); "
            "choose smaller chunks or another embedder."
        )
    length = token_length(embedder, report)
    marks = embedder.count_tokens("")
    room = chunk_tokens - marks - length(shown_title(document.title, embedder)) - chunk_overlap
    if chunk_overlap < 0 or room < 1:
        raise ValueError(f"chunks of {chunk_tokens} tokens leave no room beside an overlap of {chunk_overlap}")
    spans = piece_spans(document.text, length, room)
    passages = []
    for floor, (start, end) in zip([0, *(start for start, _ in spans)], spans, strict=False):
        first = overlap_start(document.text, floor, start, chunk_overlap, length)
        first, last = stripped(document.text, first, end)
        # A piece of nothing but white space adds no text, whatever it overlaps.
        if not document.text[start:end].isspace():
            passages.append(passage_of(document, first, last))
    return tuple(passages)


def reading(passage: Passage, embedder: Embedder) -> str:
    """Return what the embedder reads of a passage: its title where that is short, then its text."""
    title = shown_title(passage.title, embedder)
    return f"{title}\n{passage.text}" if title else passage.text


def shown_title(title: str, embedder: Embedder) -> str:
    """Return the title as the embedder reads it: "" where it is longer than 32 tokens, too much of a passage's room."""
    return title if token_length(embedder)(title) <= LONGEST_TITLE else ""


def passage_of(document: Document, start: int, end: int) -> Passage:
    """Return the characters [start, end) of a document as a passage."""
    return Passage(
        text=document.text[start:end],
        title=document.title,
        document_id=document.document_id,
        start=start,
        end=end,
        source=document.source,
    )


def token_length(embedder: Embedder, report: Report = silent) -> Callable[[str], int]:
    """Return a function that gives a text's length in tokens, without the encoder's marks, at least 1/8 a letter."""
    marks = embedder.count_tokens("")
    counted = count(1)

    @cache
    def length(text: str) -> int:
        if next(counted) % COUNTED_BETWEEN_REPORTS == 0:
            report(TokensDecoded(count=0))
        return max(embedder.count_tokens(text) - marks, -(-len(text.strip()) // CHARACTERS_PER_TOKEN))

    return length


def piece_spans(text: str, length: Callable[[str], int], size: int) -> list[tuple[int, int]]:
    """Return [start, end) of the splitter's pieces, which together are the whole text."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # slow to import, and only needed to cut

    splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS,
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
        chunk_size=size,
        chunk_overlap=0,
        length_function=length,
    )
    spans, start = [], 0
    for piece in splitter.split_text(text):
        spans.append((start, start + len(piece)))
        start += len(piece)
    if start != len(text):
        raise CorpusError(f"The text could not be cut without loss: {len(text) - start} characters are missing.")
    return spans


def overlap_start(text: str, floor: int, start: int, overlap: int, length: Callable[[str], int]) -> int:
    """Return where the overlap before ``start`` begins: whole words, at most ``overlap`` tokens, from ``floor`` on."""
    first, left = start, overlap
    for word in reversed(list(re.finditer(r"\S+", text[floor:start]))):
        left -= length(word.group())
        if left < 0:
            break
        first = floor + word.start()
    return first


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return [start, end) without the white space at its ends."""
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())
