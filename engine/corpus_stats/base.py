"""What a corpus can be asked: how often is a thing named, and where do two things meet?"""

from dataclasses import dataclass
from typing import Protocol

from engine.text.base import TextSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One place where head and tail stand within the window: an excerpt with both marked, and their distance in words.

    ``head``/``tail`` are spans of the excerpt. ``distance`` is start to start, in words, at least 0.
    """

    document_id: str
    title: str
    excerpt: str
    head: TextSpan
    tail: TextSpan
    distance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CoOccurrence:
    """How many documents hold both within the window (None = not measured), and some of the places, nearest first."""

    documents: int | None
    meetings: tuple[Meeting, ...]


class CorpusCounter(Protocol):
    """A corpus that can be counted. ``name`` is shown to the reader beside every count."""

    name: str
    note: str
    documents: int

    def count(self, entity: str) -> int | None:
        """Return occurrences of the entity in the corpus; None where it could not be counted."""

    def co_occurrence(self, head: str, tail: str, window: int) -> CoOccurrence:
        """Return where head and tail start within ``window`` words of each other in one document."""
