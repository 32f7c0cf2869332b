"""What methods need to know about a text's words, sentences, entities and claims, whatever parser finds them."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """A stretch of a text: ``text`` stands at characters [start, end)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedWord:
    """A word with its part of speech (universal tags). Content words: NOUN, ADJ, VERB, PROPN, NUM."""

    text: str
    start: int
    end: int
    pos: str
    is_content: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A named thing, date or number; ``label`` is the parser's type (PERSON, DATE, …), "NOUN" for a noun phrase."""

    text: str
    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Triplet:
    """A claim (head, relation, tail); ``tail`` None is a partial triplet, as questions have them."""

    head: Entity
    relation: str
    tail: Entity | None


class TextTools(Protocol):
    """A parser held open."""

    def sentences(self, text: str) -> tuple[TextSpan, ...]:
        """Return the sentences in order; together they cover every non-space character."""

    def words(self, text: str) -> tuple[TaggedWord, ...]:
        """Return words and punctuation in order, tagged."""

    def entities(self, text: str) -> tuple[Entity, ...]:
        """Return the entities worth counting in a corpus, in order, without overlap."""

    def triplets(self, sentence: str) -> tuple[Triplet, ...]:
        """Return the claims of one sentence: partial ones for a question, none for a conclusion ("So the answer …")."""
