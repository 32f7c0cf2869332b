"""``TextTools`` over spaCy: sentences, tagged words, entities and claims with offsets into the text as given.

The parser was trained on English; text in another script is cut and tagged as well as it goes, and nothing raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from engine.backends.text.base import Entity, Fact, Rewording, TaggedWord, TextSpan, Triplet, without_brackets
from engine.backends.text.entities import find_entities
from engine.backends.text.facts import find_facts
from engine.backends.text.parser import (
    Doc,
    block_bounds,
    load_pipeline,
    read_titles_whole,
    titles_in,
    with_ends_at_root,
)
from engine.backends.text.phrases import one_wording
from engine.backends.text.rewordings import LAST_RULES, rewordings, words_reworded
from engine.backends.text.sentences import sentence_spans
from engine.backends.text.set_aside import clauses_of, put_back
from engine.backends.text.triplets import find_triplets

LONGEST_REWORDED, REWORDED_AGAIN = 600, 4
LONGEST_STATED = 4_000
Located = TypeVar("Located", TextSpan, Entity)
CONTENT_POS = frozenset({"NOUN", "ADJ", "VERB", "PROPN", "NUM"})


class SpacyText:
    """The packaged English pipeline held open. The last 256 short texts stay parsed: methods need them again.

    Making it loads the pipeline, and raises ModelError where it is absent.
    """

    def __init__(self) -> None:
        self._pipeline = load_pipeline()
        self._parsed: Callable[[str], Doc] = lru_cache(maxsize=256)(self._pipeline)
        self._read: Callable[[str], Doc] = lru_cache(maxsize=256)(self._read_once)

    def _read_once(self, text: str) -> Doc:
        """Return the text with its titles whole; without a quotation mark that is the text as it is parsed anyway."""
        if '"' not in text and "“" not in text:
            return with_ends_at_root(self._parsed(text).copy())
        return read_titles_whole(self._pipeline, text)

    def _blocks(self, text: str) -> Iterator[tuple[int, Doc]]:
        """Yield each block of the text with the offset at which it begins."""
        for start, end in block_bounds(text):
            block = text[start:end]
            yield start, self._parsed(block) if len(block) < 4_000 else self._pipeline(block)

    def sentences(self, text: str) -> tuple[TextSpan, ...]:
        """Return the sentences in order; together they cover every non-space character."""
        blocks = self._blocks(text)
        return tuple(moved(span, offset) for offset, doc in blocks for span in sentence_spans(doc))

    def words(self, text: str) -> tuple[TaggedWord, ...]:
        """Return words and punctuation in order, tagged; space is left out."""
        return tuple(
            TaggedWord(
                text=token.text,
                start=offset + token.idx,
                end=offset + token.idx + len(token.text),
                pos=token.pos_,
                is_content=token.pos_ in CONTENT_POS,
                lemma=token.lemma_.casefold(),
            )
            for offset, doc in self._blocks(text)
            for token in doc
            if not token.is_space
        )

    def entities(self, text: str) -> tuple[Entity, ...]:
        """Return the entities worth counting in a corpus, in order, without overlap."""
        blocks = self._blocks(text)
        return tuple(moved(entity, offset) for offset, doc in blocks for entity in find_entities(doc))

    def triplets(self, sentence: str) -> tuple[Triplet, ...]:
        """Return the claims of one sentence: partial ones for a question, none for a conclusion.

        Offsets are those of the sentence. Of more than a block of text only the first block is read.
        """
        first = next(self._blocks(sentence), None)
        return find_triplets(first[1]) if first else ()

    def rewordings(self, sentence: str) -> tuple[Rewording, ...]:
        """Return what one rule makes of the sentence, then what a second rule makes of that; no text twice.

        What stands in brackets is set aside first and put back behind the same words: it confuses the parser.
        """
        if len(sentence) > LONGEST_REWORDED:
            return ()
        once = [made for made in self._reworded_once(sentence) if made.text]
        twice = [
            replace(second, rule=f"{first.rule}, {second.rule}")
            for first in [made for made in once if made.rule not in LAST_RULES][:REWORDED_AGAIN]
            for second in self._reworded_once(first.text)
            if second.rule != first.rule
        ]
        titles = titles_in(sentence)
        found = {
            made.text: made
            for made in reversed((*once, *twice))
            if made.text not in {"", sentence} and all(title in made.text for title in titles)
        }
        return tuple(reversed(found.values()))

    def _reworded_once(self, text: str) -> Iterator[Rewording]:
        """Yield what each rule makes of a text, its brackets as they stand."""
        plain, brackets = without_brackets(text)
        yield from (replace(made, text=put_back(made.text, brackets)) for made in self._moved(plain))
        yield from words_reworded(self._read(text))

    def _moved(self, text: str) -> Iterator[Rewording]:
        """Yield what rules over the parse make of a text, and of each clause that a colon or semicolon parts."""
        yield from rewordings(self._read(text))
        for clause in clauses_of(text):
            for made in rewordings(self._read(clause.text)):
                if whole := clause.put_in(made.text):
                    yield replace(made, text=whole)

    def facts(self, text: str) -> tuple[Fact, ...]:
        """Return what a short text states, none twice; phrases that mean the same are read as one of them."""
        return find_facts(self._read(one_wording(text.strip()[:LONGEST_STATED])))

    def one_wording(self, text: str) -> str:
        """Return the text with every phrase of a group that means the same in one form."""
        return one_wording(text)


def moved(span: Located, offset: int) -> Located:
    """Return a span of a block as one of the whole text."""
    return replace(span, start=offset + span.start, end=offset + span.end)
