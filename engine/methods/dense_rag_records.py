"""What DENSE-RAG is asked for and what it records: its settings, the contexts it read, and why chunks came and left."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from engine.core.records import Generation, Interval, Passage, Prompt, ThresholdSource
from engine.core.settings import Positive, UpTo20
from engine.measures.response_graph import too_few
from engine.methods.dense_records import PAPER_THRESHOLD

CutName = Literal["retrieved", "512/64", "256/32", "128/16", "semantic"]
Ending = Literal[
    "certain", "unclear", "rule", "not refined", "unchanged", "exhausted", "full", "emptied", "cap", "not measured"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseRagConfig:
    """How DENSE-RAG runs; the defaults are the paper's method, the rest its ablations (tables 4 and 5).

    ``first_cut``: the passages as retrieved, or the same documents cut by another size or by meaning from the start
    ("semantic", table 4 "full semantic"). ``adaptive`` cuts by meaning where the first answer is uncertain. ``refine``:
    which chunks bring in new ones, "prune_only" only removes, "none" stops after cutting. ``stop_rule`` "both" is
    algorithm 3, "either" section 5.2. ``similarity`` (τ), ``tie`` and ``most_tokens`` (T_max; None = the profile's
    chunk size) are the semantic cut's. ``k`` None retrieves as many as were read first, at least the profile's number.
    ``most_contexts`` bounds the rounds, ``most_chunks`` a context's size. ``temperature`` 0 is greedy. ``draws``: how
    many rewordings of each chunk are answered over; a run takes DENSE's number, None in a record that took one.
    ``suffices_from``: how likely "yes" must be, among "yes" and "no"; a run takes the profile's, None in a record that
    took 0.5. ``fitted``: the threshold is calibration's, not the paper's.
    """

    threshold: Annotated[float, Field(ge=0)] = PAPER_THRESHOLD
    first_cut: CutName = "retrieved"
    adaptive: bool = True
    refine: Literal["necessary", "certain", "prune_only", "none"] = "necessary"
    self_evaluation: bool = True
    stop_rule: Literal["both", "either"] = "both"
    label_rule: Literal["algorithm3", "equation10"] = "algorithm3"
    similarity: Annotated[float, Field(ge=-1, le=1)] = 0.6
    tie: Literal["join", "cut"] = "join"
    most_tokens: Positive | None = None
    k: UpTo20 | None = None
    most_contexts: UpTo20 = 5
    most_chunks: UpTo20 = 10
    temperature: Annotated[float, Field(ge=0, le=10)] = 0.0
    draws: UpTo20 | None = None
    suffices_from: Annotated[float, Field(gt=0, lt=1)] | None = None
    fitted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RagChunk:
    """A chunk that was read at least once, and how it was cut."""

    passage: Passage
    cut: CutName


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """One cut of the documents: their titles and how many chunks they gave; ``failed`` says why there is none."""

    cut: CutName
    documents: tuple[str, ...]
    chunks: int
    failed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Why a chunk came: retrieved at a rank, or as the unread chunk most like ``guide`` (``cosine``, in [-1, 1])."""

    chunk: int
    why: Literal["retrieved", "refill"]
    rank: int | None = None
    score: float | None = None
    guide: int | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Why a chunk left: its documents were cut anew, or it was unnecessary."""

    chunk: int
    why: Literal["cut anew", "unnecessary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfEvaluation:
    """Whether the model says that the context suffices: log-probabilities of both words (nats, at most 0).

    ``yes`` and ``no`` are their probabilities among the two, which sum to 1. Each word counts in both its spellings;
    ``spelled_logprobs`` are those of "yes", "Yes", "no" and "No", () in a record that looked at the small ones only.
    """

    prompt: Prompt
    yes_logprob: float
    no_logprob: float
    yes: float
    no: float
    sufficient: bool
    spelled_logprobs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementStep:
    """One context as it was read. Chunks are numbers into ``DenseRagResult.chunks``, in reading order.

    ``came`` and ``left`` tell it from the context before. ``entropy`` (DSE) in nats, higher = less stable, None
    with a reason in ``not_measured``; ``entropy_interval`` its middle 95% over the rewordings, None with one of each
    chunk. ``share`` is entropy / ln(answers) in [0, 1], by which contexts are compared; an older record compared the
    entropies and has None. ``labels`` are DENSE's, one per chunk; the answer changes in ``changing`` of a chunk's
    ``wordings``. ``evaluation`` None = not asked. ``best`` is the step that is best after this one, None where no step
    has counted yet. ``states_nothing``: every answer is empty or says that it has none, so that they agree on nothing;
    None in an older record, which called that stable.
    """

    kind: Literal["first", "cut anew", "refined"]
    context: tuple[int, ...]
    came: tuple[Arrival, ...]
    left: tuple[Departure, ...]
    answer: Generation
    entropy: float | None
    labels: tuple[str, ...]
    evaluation: SelfEvaluation | None
    best: int | None
    not_measured: str = ""
    share: float | None = None
    entropy_interval: Interval | None = None
    changing: tuple[int | None, ...] = ()
    wordings: tuple[int | None, ...] = ()
    states_nothing: bool | None = None

    @property
    def valid_rewrites(self) -> int:
        """How many chunks have a valid rewording."""
        return sum(label != "not measured" for label in self.labels)

    @property
    def has_too_few(self) -> bool:
        """Whether too few chunks have a valid rewording to call the answer stable, by DENSE's own rule."""
        return too_few(self.valid_rewrites, len(self.labels))


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseRagResult:
    """Every context that was read, why the search ended, and which step's answer is the final one.

    ``ended``: "certain" (nothing to refine), "unclear" (certain with some wordings only, or with too few), "rule" (the
    stop rule), "not refined" (switched off), or a fallback to the best context seen: "unchanged" (no chunk to remove
    and none that asks for more), "exhausted" (no unread chunk left), "full" (no room), "emptied" (every chunk
    unnecessary), "cap" (enough contexts), "not measured" (no entropy).
    """

    method: Literal["dense_rag"] = "dense_rag"
    variant: Literal["paper"] = "paper"
    config: DenseRagConfig
    threshold_source: ThresholdSource
    chunks: tuple[RagChunk, ...]
    cuttings: tuple[Cutting, ...]
    steps: tuple[RefinementStep, ...]
    ended: Ending
    final: int
    not_measured: str = ""
