"""Exact counts in the user's own documents: an inverted index from words to their places.

QuCo-RAG asks the infini-gram engine over a model's pre-training corpus (section 4.1). That engine joins the nearest
matches on both sides of an entity and drops the pair when the joined stretch crosses a document border, so in short
passages it misses pairs that do stand together. Here every pair of places is looked at within its own document.

Words are compared without regard to case, in Unicode's compatibility form; punctuation does not count, so "Curie's"
holds "Curie". An entity is a contiguous run of words. Chinese, Japanese and Korean characters are words of their own.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.backends.corpus_stats.base import SENTENCE_WORDS, CoOccurrence, Meeting
from engine.backends.text.base import TextSpan
from engine.backends.text.composed import capital_class, composed, mark_class
from engine.core.records import Document
from engine.core.words import counted

EXCERPT_WORDS = 60
MEETINGS_KEPT = 20
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}](?:[^\W{_CJK}]|[{mark_class()}])*")
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
# Two words must remain: without its title "Dr. No" would be every "no".
_TITLE = re.compile(r"^(?:Sir|Dame|Lord|Lady|Dr|Mr|Mrs|Ms|Prof|Professor)\b\.? (?=\S+ \S)")
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTH})\b,?", re.IGNORECASE)
_DAY_OF_YEAR = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTH})\b,?(?= \d{{4}}\b)", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b,?", re.IGNORECASE)
# A name inside a sentence: capitalised words in a row, "of", "the" or "von" between them.
_CAPITALISED = rf"[{capital_class()}][\w{mark_class()}’'-]+"
_NAME = re.compile(rf"(?<=[\w,;:] ){_CAPITALISED}(?: (?:(?:of|the|de|da|di|van|von) )*{_CAPITALISED})*")
Positions = npt.NDArray[np.int64]


def spellings(entity: str) -> tuple[str, ...]:
    """Return the ways an entity may stand in a text: as it is, without qualifier or title, with its date turned.

    >>> spellings("Persona (film)"), spellings("Sir Edmund Hillary"), spellings("20 July 1969")
    (('Persona (film)', 'Persona'), ('Sir Edmund Hillary', 'Edmund Hillary'), ('20 July 1969', 'July 20, 1969'))
    """
    ways = (
        entity,
        _QUALIFIER.sub("", entity),
        _TITLE.sub("", entity),
        _DAY_FIRST.sub(r"\1 \2", entity),
        _DAY_FIRST.sub(r"\2 \1", _DAY_OF_YEAR.sub(r"\2 \1,", entity)),
        _MONTH_FIRST.sub(r"\2 \1", entity),
    )
    return tuple(dict.fromkeys(ways))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where an entity stands: global word positions of its first word, ascending, and how many words it has."""

    starts: Positions
    length: int


class LocalCounts:
    """A counter over documents in memory. ``name`` and ``note`` are shown beside every count.

    The words are read at the first count, so that a run which counts nothing does not wait for it (0.5 s for
    5,000 passages of 100 words).
    """

    kind: Literal["corpus", "pre-training index"] = "corpus"

    def __init__(self, documents: Sequence[Document], name: str) -> None:
        self.name = name
        self.documents: int | None = len(documents)
        self._texts = tuple(replace(one, text=composed(one.text)) for one in documents)
        self._remembered = lru_cache(maxsize=1024)(self._find)

    @cached_property
    def note(self) -> str:
        """What is counted, and how."""
        read = f"{counted(len(self._texts), 'document')} with {counted(self._indexed[2], 'word')}"
        return (
            f"Exact counts over {read}; letter case and "
            "punctuation do not count; a date is found in either order of day and month, and a person without the "
            "title Sir or Dr. Article titles are not read, and two things meet only within one document."
        )

    @cached_property
    def _lengths(self) -> Positions:
        """Each document's number of words."""
        _, borders, words = self._indexed
        ends = np.append(borders[1:], words + len(borders))
        return np.asarray(ends - borders - 1, dtype=np.int64)

    @cached_property
    def _indexed(self) -> tuple[dict[str, Positions], Positions, int]:
        """Read every word once; two threads at once both read, and either result is right."""
        return _index(self._texts)

    def count(self, entity: str) -> int | None:
        """Return occurrences of the entity, None where it holds no word ("?!") or there is no document to count in.

        A qualifier in brackets or a title may be missing in the corpus: "Casablanca (film)" counts as the more frequent
        of itself and "Casablanca", "Sir Edmund Hillary" of itself and "Edmund Hillary". A date counts in both orders:
        "July 20, 1969" together with "20 July 1969".
        """
        places = self._remembered(entity)
        return None if places is None else len(places.starts)

    def why_not(self, entity: str) -> str:
        """Return why the entity could not be counted, as a sentence; "" where it can."""
        if not self.documents:
            return "The corpus holds no documents, so there is nothing to count in."
        return "" if _words(entity) else "It holds no word, so there is nothing to look for."

    def name_counts(self) -> tuple[int, ...]:
        """Return how often each name in the texts occurs, ascending; () in a script without capital letters.

        A name is a run of capitalised words inside a sentence. 84 articles take 0.1 s, counted at the first call.
        """
        return self._name_counts

    @cached_property
    def _name_counts(self) -> tuple[int, ...]:
        names = {_words(match.group()) for document in self._texts for match in _NAME.finditer(document.text)}
        return tuple(sorted(len(self._phrase(words)) for words in names if words))

    def co_occurrence(self, head: str, tail: str, window: int, share: float | None = None) -> CoOccurrence:
        """Return the documents in which head and tail start within ``window`` words of each other, inclusive.

        With a ``share`` they start within that share of the document's words, yet at least a sentence's and at most
        ``window``.

        One mention may hold both, as equation 3 has it (the window holds h and holds t): "Marie Curie" holds "Curie".
        Where a document also names them apart, that is its meeting. The meetings are the nearest of each document,
        nearest first. Raises ValueError on a negative window.
        """
        if window < 0:
            raise ValueError(f"window must be at least 0 words, got {window}")
        first, second = self._remembered(head), self._remembered(tail)
        if first is None or second is None:
            reason = self.why_not(head) or self.why_not(tail)
            return CoOccurrence(documents=None, meetings=(), reason=reason)
        if _words(head) == _words(tail):
            pairs = together = np.stack([first.starts, first.starts], axis=1)
        else:
            together = self._pairs(first, second)
            separate = together[self._within(together, window, share)]
            pairs = np.concatenate([separate, self._inside(first, second, window, separate)])
        nearest = self._nearest_by_document(pairs)
        shown = tuple(self._meeting(i, j, first.length, second.length) for i, j in nearest[:MEETINGS_KEPT])
        apart = np.abs(together[:, 0] - together[:, 1])
        beyond = int(apart.min()) if len(apart) and not nearest else None
        return CoOccurrence(documents=len(nearest), meetings=shown, nearest=beyond)

    def _find(self, entity: str) -> _Places | None:
        """Return the places of the most frequent spelling and of those with as many words, such as a turned date."""
        if not self.documents:
            return None
        spelled = dict.fromkeys(_words(spelling) for spelling in spellings(entity))
        found = [_Places(starts=self._phrase(words), length=len(words)) for words in spelled if words]
        if not found:
            return None
        length = max(found, key=lambda places: len(places.starts)).length
        alike = [places.starts for places in found if places.length == length]
        return _Places(starts=np.unique(np.concatenate(alike)), length=length)

    def _phrase(self, words: tuple[str, ...]) -> Positions:
        """Return where the words stand one after another, by their first word."""
        nowhere = np.empty(0, dtype=np.int64)
        shifted = [self._indexed[0].get(word, nowhere) - offset for offset, word in enumerate(words)]
        shifted.sort(key=len)
        starts = shifted[0]
        for other in shifted[1:]:
            starts = starts[np.isin(starts, other, assume_unique=True)]
        return starts

    def _pairs(self, head: _Places, tail: _Places) -> Positions:
        """Return [pairs, 2] starts: each head with its nearest separate tail on either side, in the same document."""
        if not len(head.starts) or not len(tail.starts):
            return np.empty((0, 2), dtype=np.int64)
        after = np.searchsorted(tail.starts, head.starts + head.length, side="left")
        before = np.searchsorted(tail.starts, head.starts - tail.length, side="right") - 1
        found = []
        for index in (after, before):
            exists = (index >= 0) & (index < len(tail.starts))
            found.append(np.stack([head.starts[exists], tail.starts[index[exists]]], axis=1))
        pairs = np.concatenate(found)
        together = self._document_of(pairs[:, 0]) == self._document_of(pairs[:, 1])
        return np.asarray(pairs[together], dtype=np.int64)

    def _inside(self, head: _Places, tail: _Places, window: int, met: Positions) -> Positions:
        """Return [pairs, 2] starts of mentions that share words, in the documents where no ``met`` pair stands."""
        found = [
            np.stack([starts, starts + shift], axis=1)
            for shift in range(-min(tail.length - 1, window), min(head.length - 1, window) + 1)
            if len(starts := head.starts[np.isin(head.starts + shift, tail.starts)])
        ]
        pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
        known = np.isin(self._document_of(pairs[:, 0]), self._document_of(met[:, 0]))
        return np.asarray(pairs[~known], dtype=np.int64)

    def _within(self, pairs: Positions, window: int, share: float | None) -> npt.NDArray[np.bool_]:
        """Return [pairs] whether both starts stand within the window, narrowed to a share of their document's words."""
        least = min(SENTENCE_WORDS, window)
        lengths = self._lengths[self._document_of(pairs[:, 0])]
        widest = window if share is None else np.clip(share * lengths, least, window)
        return np.asarray(np.abs(pairs[:, 0] - pairs[:, 1]) <= widest)

    def _document_of(self, positions: Positions) -> Positions:
        return np.asarray(np.searchsorted(self._indexed[1], positions, side="right") - 1, dtype=np.int64)

    def _nearest_by_document(self, pairs: Positions) -> list[tuple[int, int]]:
        """Return the nearest pair of each document, nearest first; equal distances in the order of the corpus."""
        order = np.lexsort((pairs[:, 0], np.abs(pairs[:, 0] - pairs[:, 1])))
        ranked = pairs[order]
        _, first_of_document = np.unique(self._document_of(ranked[:, 0]), return_index=True)
        return [(int(ranked[row, 0]), int(ranked[row, 1])) for row in sorted(first_of_document)]

    def _meeting(self, head: int, tail: int, head_words: int, tail_words: int) -> Meeting:
        index = int(self._document_of(np.array([head]))[0])
        document, offset = self._texts[index], int(self._indexed[1][index])
        excerpt, head_span, tail_span = _excerpt(
            document.text, (head - offset, head - offset + head_words), (tail - offset, tail - offset + tail_words)
        )
        return Meeting(
            document_id=document.document_id,
            title=document.title,
            excerpt=excerpt,
            head=head_span,
            tail=tail_span,
            distance=abs(head - tail),
        )


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text in the form in which they are compared.

    >>> _words("Marie CURIE's")
    ('marie', 'curie', 's')
    """
    return tuple(_normalised(word) for word in _WORD.findall(composed(text)))


def _normalised(word: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())


def _index(documents: Sequence[Document]) -> tuple[dict[str, Positions], Positions, int]:
    """Return word -> global positions, the position at which each document begins, and the number of words.

    One position is left empty after each document, so that no phrase runs from one document into the next.
    """
    numbers: dict[str, int] = {}
    spelled: dict[str, int] = {}
    ids: list[int] = []
    borders: list[int] = []
    for document in documents:
        borders.append(len(ids))
        for word in _WORD.findall(document.text):
            number = spelled.get(word)
            if number is None:
                number = spelled[word] = numbers.setdefault(_normalised(word), len(numbers))
            ids.append(number)
        ids.append(-1)
    stream = np.array(ids, dtype=np.int64)
    order = np.argsort(stream, kind="stable").astype(np.int64)
    cuts = np.searchsorted(stream[order], np.arange(len(numbers) + 1))
    postings = {word: order[cuts[number] : cuts[number + 1]] for word, number in numbers.items()}
    return postings, np.array(borders, dtype=np.int64), len(ids) - len(documents)


def _excerpt(text: str, head: tuple[int, int], tail: tuple[int, int]) -> tuple[str, TextSpan, TextSpan]:
    """Return at most about 60 words around two word ranges, "…" at each cut, and where head and tail stand in it.

    Ranges far apart give two pieces, one around each.
    """
    bounds = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    low, high = min(head[0], tail[0]), max(head[1], tail[1])
    if high - low <= EXCERPT_WORDS:
        margin = (EXCERPT_WORDS - (high - low)) // 2
        pieces = [(low - margin, high + margin)]
    else:
        margin = EXCERPT_WORDS // 4
        pieces = [(start - margin, end + margin) for start, end in sorted([head, tail])]
    out, shifts = "", []
    for first, last in pieces:
        start = bounds[first][0] if first > 0 else 0
        end = bounds[last - 1][1] if last < len(bounds) else len(text)
        if start > 0:
            out += "… " if not out else " … "
        shifts.append((start, end, len(out) - start))
        out += text[start:end]
    out += " …" if shifts[-1][1] < len(text) else ""
    return out, _span(out, bounds, head, shifts), _span(out, bounds, tail, shifts)


def _span(
    excerpt: str, bounds: list[tuple[int, int]], words: tuple[int, int], shifts: list[tuple[int, int, int]]
) -> TextSpan:
    """Return where a word range of the text stands in the excerpt."""
    start, end = bounds[words[0]][0], bounds[words[1] - 1][1]
    shift = next(shift for low, high, shift in shifts if low <= start and end <= high)
    return TextSpan(text=excerpt[start + shift : end + shift], start=start + shift, end=end + shift)
