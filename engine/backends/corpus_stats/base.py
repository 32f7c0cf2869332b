"""What can be counted in a corpus: how often a thing is named, and where two things meet."""

from dataclasses import dataclass
from typing import Literal, Protocol

from engine.backends.text.base import TextSpan

# Two things that one sentence names do meet, however short its document is.
SENTENCE_WORDS = 25


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
    """How many documents hold both within the window (None = not measured), and some of the places, nearest first.

    A pre-training index counts places instead of documents and shows none; ``approximate`` where it only estimates.
    ``reason`` says why nothing was measured. ``nearest``: where they stand within the window nowhere, yet in one
    document, the fewest words from start to start; None where no document holds both, or it is not known.
    """

    documents: int | None
    meetings: tuple[Meeting, ...]
    approximate: bool = False
    reason: str = ""
    nearest: int | None = None


class CorpusCounter(Protocol):
    """A corpus that can be counted. ``name`` is shown to the reader beside every count.

    ``documents`` None = not known. ``kind`` decides what a threshold means: a number of occurrences was set for an
    index of a model's pre-training texts, a user's corpus is too small for it and takes a percentile.
    """

    name: str
    documents: int | None
    kind: Literal["corpus", "pre-training index"]

    @property
    def note(self) -> str:
        """Return what is counted and how, in sentences."""

    def count(self, entity: str) -> int | None:
        """Return occurrences of the entity in the corpus; None where it could not be counted."""

    def co_occurrence(self, head: str, tail: str, window: int, share: float | None = None) -> CoOccurrence:
        """Return where head and tail start within ``window`` words of each other in one document.

        ``share`` in (0, 1] narrows the window where a corpus knows how long its documents are: they start within that
        share of their document's words, and at least within a sentence's.
        """

    def why_not(self, entity: str) -> str:
        """Return why ``count`` gives None for the entity, as a sentence; "" where it gives a number."""

    def name_counts(self) -> tuple[int, ...]:
        """Return how often each thing that this corpus names is named, ascending; () where that cannot be listed."""
