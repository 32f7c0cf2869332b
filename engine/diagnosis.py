"""The one road through the engine: a question goes in, a Diagnosis comes out."""

from dataclasses import dataclass
from typing import Literal

from engine.methods import DEFAULT_METHODS
from engine.methods.dense import DenseConfig, DenseResult
from engine.methods.entropy_trend import EntropyTrendConfig, EntropyTrendResult
from engine.methods.quco_rag import QucoConfig, QucoResult
from engine.methods.seper import SeperConfig, SeperResult
from engine.provenance import Provenance
from engine.records import SCHEMA_VERSION, Generation, Hit, Passage

MethodResult = DenseResult | SeperResult | EntropyTrendResult | QucoResult
Status = Literal["waiting", "done", "failed", "not measured"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one method: "not measured" may still hold a result with what was seen; "failed" never does."""

    method: str
    status: Status
    reason: str = ""
    seconds: float = 0.0
    result: MethodResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything seen for one question. A stored one redraws every page with no model loaded.

    ``answer`` is the greedy answer over the passages; ``closed_book`` the greedy answer without them. ``parent`` is the
    run this one was made from, "" for a first one.
    """

    schema_version: int = SCHEMA_VERSION
    question: str
    golds: tuple[str, ...]
    hits: tuple[Hit, ...]
    answer: Generation
    closed_book: Generation
    outcomes: tuple[Outcome, ...]
    provenance: Provenance
    seconds: float
    parent: str = ""

    def outcome(self, method: str) -> Outcome | None:
        """Return what became of a method, None where it was not asked for."""
        return next((outcome for outcome in self.outcomes if outcome.method == method), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisRequest:
    """Everything a run is asked for, so that it can be queued, stored and asked again.

    Either ``passages`` are given, or ``corpus`` names a file or folder ("sample" = the shipped encyclopaedia). ``k``
    None takes the profile's number of passages. ``golds`` are answers that count as right, aliases included.
    """

    question: str
    corpus: str | None = None
    passages: tuple[Passage, ...] = ()
    golds: tuple[str, ...] = ()
    methods: tuple[str, ...] = DEFAULT_METHODS
    model: str = "embedded"
    judge: str = "embedded"
    seed: int = 0
    k: int | None = None
    retriever: Literal["hybrid", "bm25", "vector"] = "hybrid"
    profile: Literal["embedded", "paper"] = "embedded"
    dense: DenseConfig = DenseConfig()
    seper: SeperConfig = SeperConfig()
    entropy_trend: EntropyTrendConfig = EntropyTrendConfig()
    quco_rag: QucoConfig = QucoConfig()
    parent: str = ""
