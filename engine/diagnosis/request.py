"""What a run is asked for: one frozen record that can be queued, stored and asked again."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from engine.backends.devices import DeviceChoice
from engine.core.records import SCHEMA_VERSION, Passage
from engine.core.settings import LARGEST_SEED, MOST_PASSAGES
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.methods import DEFAULT_METHODS
from engine.methods.chunk_utility import ChunkUtilityConfig
from engine.methods.contradictions import ContradictionsConfig
from engine.methods.dense_rag_records import DenseRagConfig
from engine.methods.dense_records import DenseConfig
from engine.methods.entropy_trend import EntropyTrendConfig
from engine.methods.quco_rag import QucoConfig
from engine.methods.question_parts import QuestionPartsConfig
from engine.methods.seper_records import SeperConfig
from engine.methods.sufficiency import SufficiencyConfig
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from engine.methods.uncertainty import UncertaintyConfig

Retriever = Literal["hybrid", "bm25", "vector", "reranked"]


MOST_WORDS, MOST_CHARACTERS = 400, 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisRequest:
    """Everything a run is asked for, so that it can be queued, stored and asked again.

    Either ``passages`` are given, or ``corpus`` names a file or folder ("sample" = the shipped encyclopaedia). ``k``
    None takes the profile's number of passages. ``fixed``: the passages are these in this order, also where there are
    none, and the corpus is only what methods search and count in. ``golds`` are answers that count as right, aliases
    included. ``thresholds`` "fitted" puts what ``microscope calibrate`` fitted to the model in the place of the papers'
    values; what the settings change by hand stays. ``device`` is where models compute, "auto" = as the machine and
    MICROSCOPE_DEVICE say (``engine.backends.devices``). ``imported`` is another pipeline's answer, which goes along
    unread as long as question and passages are those it answers.
    """

    schema_version: int = SCHEMA_VERSION
    question: str
    corpus: str | None = None
    passages: tuple[Passage, ...] = ()
    golds: tuple[str, ...] = ()
    methods: tuple[str, ...] = DEFAULT_METHODS
    model: str = "embedded"
    judge: str = "embedded"
    seed: Annotated[int, Field(ge=-LARGEST_SEED, le=LARGEST_SEED)] = 0
    k: Annotated[int, Field(ge=1, le=MOST_PASSAGES, title="number of passages")] | None = None
    retriever: Retriever = "hybrid"
    profile: Literal["embedded", "paper"] = "embedded"
    dense: DenseConfig = DenseConfig()
    dense_rag: DenseRagConfig = DenseRagConfig()
    seper: SeperConfig = SeperConfig()
    entropy_trend: EntropyTrendConfig = EntropyTrendConfig()
    quco_rag: QucoConfig = QucoConfig()
    sugar: SugarConfig = SugarConfig()
    uncertainty: UncertaintyConfig = UncertaintyConfig()
    chunk_utility: ChunkUtilityConfig = ChunkUtilityConfig()
    timing: TimingConfig = TimingConfig()
    sufficiency: SufficiencyConfig = SufficiencyConfig()
    contradictions: ContradictionsConfig = ContradictionsConfig()
    question_parts: QuestionPartsConfig = QuestionPartsConfig()
    thresholds: Literal["paper", "fitted"] = "paper"
    parent: str = ""
    imported: ImportedAnswer | None = None
    fixed: bool = False
    device: DeviceChoice = "auto"


def with_shared_settings(request: DiagnosisRequest) -> DiagnosisRequest:
    """Return the request with DENSE's and SePer's settings inside those of the methods that use their answers.

    The baselines weigh the probabilities of DENSE's answers, so theirs are always read in full.
    """
    return replace(
        request,
        dense_rag=replace(request.dense_rag, draws=request.dense.draws),
        sugar=replace(request.sugar, seper=request.seper),
        uncertainty=replace(request.uncertainty, dense=replace(request.dense, reading="full"), seper=request.seper),
        chunk_utility=replace(request.chunk_utility, seper=request.seper),
    )
