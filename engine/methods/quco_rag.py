"""QuCo-RAG's evidence: how often does a corpus name these things, and do the two ends of each claim ever meet?

QuCo-RAG (section 3, eq. 2-4) on a corpus the user names. Entities and claims come from a parser instead of the paper's
fine-tuned extractor. Retrieval and regeneration are not part of this module.
"""

from dataclasses import dataclass
from typing import Literal

from engine.corpus_stats.base import Meeting
from engine.records import Generation
from engine.text.base import Entity


@dataclass(frozen=True, slots=True, kw_only=True)
class QucoConfig:
    """How evidence is counted. ``window`` in words, start to start; thresholds as the paper's (section 4.1)."""

    window: int = 1000
    cooccurrence_threshold: int = 1
    meetings_shown: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedEntity:
    """An entity and how often the corpus names it; ``count`` None where it could not be counted."""

    entity: Entity
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedClaim:
    """A claim and its evidence: ``supported`` None = not measured, False = the pair never meets in this corpus.

    A partial claim (``tail`` None) has only its head's count and is never judged.
    """

    head: CountedEntity
    relation: str
    tail: CountedEntity | None
    documents: int | None
    meetings: tuple[Meeting, ...]
    supported: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSentence:
    """A sentence of an answer, what kind it is, and its claims.

    "short answer" pairs the question's entities with the short answer over the passages.
    """

    text: str
    kind: Literal["question", "fact", "conclusion", "short answer"]
    claims: tuple[CountedClaim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QucoResult:
    """Counts and co-occurrence evidence for one question and its answers in one named corpus.

    ``mean_count`` over the question's countable entities (eq. 2), None where there is none. ``unsupported`` counts
    claims whose pair never meets. "No evidence in this corpus" is not "false".
    """

    method: Literal["quco_rag"] = "quco_rag"
    variant: Literal["paper"] = "paper"
    corpus: str
    corpus_note: str
    corpus_documents: int
    window: int
    cooccurrence_threshold: int
    entities: tuple[CountedEntity, ...]
    mean_count: float | None
    generation: Generation
    sentences: tuple[CheckedSentence, ...]
    supported: int
    unsupported: int
    not_measured: str = ""
