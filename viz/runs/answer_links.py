"""The answer's own words and where they stand in the passages, so that each can lead there.

An answer that stands whole in a passage is one link. Of a longer one each run of words leads to the first passage with
the longest part of it; words that the question asks with, and those that stand in any text, begin and end no run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.measures.answer_words import Word, words_of
from viz.runs.summary import bare_answer, marked_spans

COMMON = frozenset({
    "a", "an", "the", "of", "in", "on", "at", "to", "by", "for", "from", "with", "as", "and", "or", "but", "not", "no",
    "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "it", "its", "he", "she",
    "they", "his", "her", "their", "this", "that", "these", "those", "which", "who", "what", "when", "where",
    "there", "s",
})  # fmt: skip
CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLink:
    """Words of an answer at [start, end), and where they stand: the passage from 0, there [first, last)."""

    start: int
    end: int
    place: int
    first: int
    last: int


def telling_words(answer: str, question: str) -> tuple[str, ...]:
    """Return the words that an answer does not share with its question or with every text.

    >>> telling_words("It is Kyoto of Japan", "What is the capital of Japan?")
    ('kyoto',)
    """
    asked = {word.form for word in words_of(question)} | COMMON
    return tuple(word.form for word in words_of(answer) if word.form not in asked)


def whole_link(answer: str, said: str, texts: Sequence[str], places: Sequence[int]) -> WordLink | None:
    """Return the link of a whole answer, looked for in these passages in this order; ``said`` is the answer as shown.

    >>> whole_link("Kyoto.", "Kyoto.", ["", "In Kyoto"], [0, 1])
    WordLink(start=0, end=5, place=1, first=3, last=8)
    """
    bare = " ".join(bare_answer(answer).split())
    if not bare or bare not in said:
        return None
    start = said.index(bare)
    for place in places:
        for first, last in marked_spans(texts[place], (bare,))[:1]:
            return WordLink(start=start, end=start + len(bare), place=place, first=first, last=last)
    return None


def word_links(said: str, texts: Sequence[str], question: str) -> tuple[WordLink, ...]:
    """Return the runs of an answer's words that stand in a passage, in the order of the answer; they never overlap.

    >>> [(one.place, one.first) for one in word_links("Kyoto and Selm", ["Selm", "in Kyoto and in Selm"], "")]
    [(1, 3), (0, 0)]
    """
    words, read = words_of(said), [words_of(text) for text in texts]
    telling = set(telling_words(said, question))
    links, at = [], 0
    while at < len(words):
        length, place, first = longest_run(words[at:], read) if words[at].form in telling else (0, 0, 0)
        while length and words[at + length - 1].form not in telling:
            length -= 1
        if length:
            found, (start, end) = read[place][first : first + length], ends_of(words[at : at + length])
            # One letter of a script without spaces stands anywhere.
            if end - start > 1 or said[start].isdigit():
                links.append(
                    WordLink(start=start, end=end, place=place, first=ends_of(found)[0], last=ends_of(found)[1])
                )
        at += max(length, 1)
    return tuple(links)


def ends_of(words: Sequence[Word]) -> tuple[int, int]:
    """Return where words begin and end in their text, as characters [start, end)."""
    return words[0].start, words[-1].end


def longest_run(words: Sequence[Word], read: Sequence[Sequence[Word]]) -> tuple[int, int, int]:
    """Return how many of the first words stand together in a passage, its place, and the number of its first word.

    The first of the longest counts; (0, 0, 0) where the first word stands in none.
    """
    best = (0, 0, 0)
    for place, passage in enumerate(read):
        for first, word in enumerate(passage):
            if word.form == words[0].form and (length := common_length(words, passage[first:])) > best[0]:
                best = (length, place, first)
    return best


def common_length(words: Sequence[Word], others: Sequence[Word]) -> int:
    """Return with how many words both begin, up to what was cut out of either."""
    length = 0
    for one, other in zip(words, others, strict=False):
        if one.form != other.form or (length and CUT in one.gap + other.gap):
            break
        length += 1
    return length


def linked_pieces(said: str, links: Sequence[WordLink]) -> tuple[tuple[str, int | None], ...]:
    """Return an answer in pieces, each with the number of its link, None without one.

    >>> linked_pieces("in Selm", [WordLink(start=3, end=7, place=0, first=0, last=4)])
    (('in ', None), ('Selm', 0), ('', None))
    """
    pieces: list[tuple[str, int | None]] = []
    done = 0
    for number, link in enumerate(links):
        pieces += [(said[done : link.start], None), (said[link.start : link.end], number)]
        done = link.end
    return (*pieces, (said[done:], None))
