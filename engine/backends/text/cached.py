"""The parser behind the cache on disk: it is opened only for a text it has not read before.

What the parser finds depends on its weights, the libraries and our rules, which together are its ``maker``. Opening it
takes longer than everything else in a second look at a question.
"""

from collections.abc import Callable
from typing import Any

from engine.backends.call_cache import CallCache
from engine.backends.memory import Memory, Opener, json_codec
from engine.backends.text.base import Entity, Fact, Rewording, TaggedWord, TextSpan, TextTools, Triplet
from engine.backends.text.phrases import one_wording

REMEMBERED = 4000
# A longer text is a user's document: parsing it is a small part of what it costs, and it would push much else out.
LONGEST_KEPT = 20_000
CODECS = {
    "sentences": json_codec(tuple[TextSpan, ...]),
    "words": json_codec(tuple[TaggedWord, ...]),
    "entities": json_codec(tuple[Entity, ...]),
    "triplets": json_codec(tuple[Triplet, ...]),
    "rewordings": json_codec(tuple[Rewording, ...]),
    "facts": json_codec(tuple[Fact, ...]),
}


class CachedText:
    """``TextTools`` that remember what they found in a text."""

    def __init__(self, cache: CallCache, maker: str, open_tools: Callable[[], TextTools]) -> None:
        self._memory = Memory(cache, maker, REMEMBERED)
        self.open = Opener(open_tools)

    def sentences(self, text: str) -> tuple[TextSpan, ...]:
        """Return the sentences in order; together they cover every non-space character."""
        return self._found("sentences", text)

    def words(self, text: str) -> tuple[TaggedWord, ...]:
        """Return words and punctuation in order, tagged."""
        return self._found("words", text)

    def entities(self, text: str) -> tuple[Entity, ...]:
        """Return the entities worth counting in a corpus, in order, without overlap."""
        return self._found("entities", text)

    def triplets(self, sentence: str) -> tuple[Triplet, ...]:
        """Return the claims of one sentence: partial ones for a question, none for a conclusion."""
        return self._found("triplets", sentence)

    def rewordings(self, sentence: str) -> tuple[Rewording, ...]:
        """Return the sentence in other words that mean the same, as far as rules can make them."""
        return self._found("rewordings", sentence)

    def facts(self, text: str) -> tuple[Fact, ...]:
        """Return what a short text states, in facts that voice and order leave alone."""
        return self._found("facts", text)

    def one_wording(self, text: str) -> str:
        """Return the text with every phrase of a group that means the same in one form."""
        return one_wording(text)

    def _found(self, kind: str, text: str) -> tuple[Any, ...]:
        """Return what the parser's method of that name finds in the text, or found in it before."""

        def find() -> tuple[Any, ...]:
            found: tuple[Any, ...] = getattr(self.open(), kind)(text)
            return found

        if len(text) > LONGEST_KEPT:
            return find()
        return self._memory.once(kind, self._memory.key(kind, text), find, CODECS[kind])
