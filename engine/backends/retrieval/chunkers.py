"""Chunks with character offsets that keep sentences whole: paragraphs, then sentences, then words.

As in DENSE section 6.1 a chunk has a size and an overlap (512 and 64; the small profile 128 and 16), counted in the
embedder's tokens, and is filled with paragraphs as long as they fit. Differences from the recursive splitter used
there: a chunk never begins in the middle of a sentence that fits into one, so a longer paragraph is cut between
sentences (``sentence_ends``) and the overlap is the last whole sentences that fit. A sentence longer than a chunk is
cut by LangChain's RecursiveCharacterTextSplitter, at lines, clauses, words, with whole words as overlap. A passage is
read by the embedder with its title, and the size counts everything it reads: title, overlap, text and the encoder's
own marks.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

from engine.backends.retrieval.base import Embedder
from engine.backends.retrieval.sentence_ends import sentence_bounds
from engine.core.errors import CorpusError
from engine.core.progress import Report, TokensDecoded, silent
from engine.core.records import Document, Passage

SEPARATORS = [r"\n", r"[,;:][\"')\]”’]*\s+", r"\s+", ""]
PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*$")
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
    passages = []
    floor = 0
    for group in grouped(list(units_of(document.text, length, room)), room):
        start, end = group[0].start, group[-1].end
        # A piece of nothing but white space adds no text, whatever it overlaps.
        if not document.text[start:end].isspace():
            first = overlap_start(document.text, floor, group[0], chunk_overlap, length)
            passages.append(passage_of(document, *stripped(document.text, first, end)))
            floor = start
    return tuple(passages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a chunk is filled with: a sentence, or a piece of one too long; ``inside`` = it begins inside a sentence.

    ``paragraph`` are the tokens from here to the end of the paragraph.
    """

    start: int
    end: int
    tokens: int
    inside: bool = False
    paragraph: int = 0


def units_of(text: str, length: Callable[[str], int], room: int) -> Iterator[Unit]:
    """Yield the units of a text in order, which together are the whole text; none is longer than ``room``."""
    paragraph: list[Unit] = []
    for start, end in sentence_bounds(text):
        tokens = length(text[start:end])
        if tokens <= room:
            paragraph.append(Unit(start=start, end=end, tokens=tokens))
        else:
            for first, last in piece_spans(text[start:end], length, room):
                piece = (start + first, start + last)
                paragraph.append(
                    Unit(start=piece[0], end=piece[1], tokens=length(text[slice(*piece)]), inside=first > 0)
                )
        if PARAGRAPH.search(text, start, end):
            yield from measured(paragraph)
            paragraph = []
    yield from measured(paragraph)


def measured(paragraph: Sequence[Unit]) -> Iterator[Unit]:
    """Yield the units of a paragraph, each with the tokens from it to the paragraph's end."""
    left = sum(unit.tokens for unit in paragraph)
    for unit in paragraph:
        yield replace(unit, paragraph=left)
        left -= unit.tokens


def grouped(units: Sequence[Unit], room: int) -> Iterator[list[Unit]]:
    """Yield the units of each chunk, which have at most ``room`` tokens together.

    A paragraph that would fit into a chunk of its own is not begun in one where it does not.
    """
    group: list[Unit] = []
    size, begins = 0, True
    for unit in units:
        fits = size + unit.tokens <= room
        parts_paragraph = begins and size + unit.paragraph > room >= unit.paragraph
        if group and (not fits or parts_paragraph):
            yield group
            group, size = [], 0
        group.append(unit)
        size += unit.tokens
        begins = unit.tokens == unit.paragraph  # the next one begins a paragraph
    if group:
        yield group


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


def overlap_start(text: str, floor: int, unit: Unit, overlap: int, length: Callable[[str], int]) -> int:
    """Return where the overlap before a chunk's first unit begins, at most ``overlap`` tokens, from ``floor`` on.

    It is whole sentences; whole words where the chunk begins inside a sentence.
    """
    first, left = unit.start, overlap
    before = text[floor : unit.start]
    spans = [word.span() for word in re.finditer(r"\S+", before)] if unit.inside else sentence_bounds(before)
    for start, end in reversed(spans):
        left -= length(before[start:end].strip())
        if left < 0:
            break
        first = floor + start
    return first


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return [start, end) without the white space at its ends."""
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())
