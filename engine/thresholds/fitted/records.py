"""What calibration keeps: one row a question, one threshold a decision, one line a policy; and all of it as JSON.

Rows are what thresholds are fitted from and hold nothing else, so that they can be refitted without a model. Text
that comes in is untrusted: unknown keys and wrong types are refused with the place of the first thing wrong.
"""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError

from engine.core.errors import RecordError
from engine.core.json_text import fault_parts, parse_json, record_to_json
from engine.core.records import Interval
from engine.thresholds.table import known_name

# Names of earlier versions are translated as a file is read.
ThresholdName = Annotated[str, AfterValidator(known_name)]
Record = TypeVar("Record")
FIT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What rows and thresholds were measured with; ``passages`` were retrieved for each question. No date, no path.

    ``writer`` "" is the model, ``rewriter`` "" the writer, as in a run's provenance.
    """

    model: str
    model_revision: str
    model_dtype: str
    writer: str
    writer_revision: str
    judge: str
    profile: str
    corpus: str
    corpus_hash: str
    passages: int
    seed: int
    package_version: str
    rewriter: str = ""
    rewriter_revision: str = ""

    @property
    def revisions(self) -> tuple[str, str, str]:
        """The revisions of model, writer and rewriter; "" = the model."""
        return self.model_revision, self.writer_revision, self.rewriter_revision or self.writer_revision


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySignals:
    """The strongest signal of a policy in each sentence of the answer from memory that has one.

    ``below``: a low value is what fires. ``reason`` says why nothing was measured, "" otherwise.
    """

    policy: str
    below: bool
    peaks: tuple[float, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """What one labelled question gives: uncertainties in nats (None = not measured), and which answers are right.

    ``dense`` is DSE beside ``right``, the answer over the passages; ``sugar`` the closed-book semantic entropy beside
    ``right_closed_book``; ``policies`` stand beside ``right_step_by_step``, the long answer from memory. ``settings``
    names what was asked for: a hash, as a corpus may be a path.
    """

    question: str
    golds: tuple[str, ...]
    settings: str
    origin: Origin
    right: bool
    right_closed_book: bool
    right_step_by_step: bool | None
    dense: float | None
    sugar: float | None
    policies: tuple[PolicySignals, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOutcome:
    """What a policy's own loop took for one question; ``right`` None and a ``reason`` where it could not run."""

    policy: str
    right: bool | None
    retrievals: int
    tokens_written: int
    prompt_tokens: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRow:
    """The loops of one question at these ``thresholds`` (name, value), stopped at ``most_retrievals`` lookups.

    ``most_retrievals`` is None in rows written before it was kept: nobody knows where their loops were stopped.
    """

    question: str
    golds: tuple[str, ...]
    origin: Origin
    thresholds: tuple[tuple[ThresholdName, float], ...]
    loops: tuple[LoopOutcome, ...]
    most_retrievals: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCut:
    """What a cut achieves on questions it was not fitted to, ``wrong`` of the ``questions`` answered wrong.

    Shares in [0, 1], higher = better: ``sensitivity`` of the wrong answers lie above ``cut``, ``specificity`` of the
    right ones do not; ``balanced_accuracy`` is their mean, 0.5 = chance. The intervals of the
    two shares hold the true one at their level; theirs joined, of the mean, holds it nearly so: where both shares are
    near 1, in 93 of 100 cases.
    """

    cut: float
    questions: int
    wrong: int
    sensitivity: float
    sensitivity_interval: Interval
    specificity: float
    specificity_interval: Interval
    balanced_accuracy: float
    balanced_accuracy_interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedThreshold:
    """One threshold, or why there is none: then ``value`` is None and ``reason`` a sentence.

    ``interval`` is the middle 95 % of the cuts of bootstrapped questions: how far it moves. Of a decision against wrong
    answers: it was fitted to ``questions``, ``wrong`` of them wrong, with a balanced accuracy there that flatters;
    ``auroc`` says how well the uncertainty ranks these at all, and ``tested`` what the cut achieves on the others, also
    where it is refused. Of a policy: the mean ``retrievals`` a question that its traces give at this threshold.
    ``held_out`` (leave one out) is what earlier versions had in the place of ``tested``.
    """

    name: ThresholdName
    value: float | None
    questions: int
    interval: Interval | None = None
    wrong: int | None = None
    balanced_accuracy: float | None = None
    held_out: float | None = None
    auroc: float | None = None
    auroc_interval: Interval | None = None
    retrievals: float | None = None
    reason: str = ""
    tested: CheckedCut | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyAtCost:
    """A policy's own loops at its fitted threshold: means over the ``questions`` it could be run on.

    ``right`` counts questions, with the share's 95 % interval; ``retrievals``, ``tokens_written`` and
    ``prompt_tokens`` are means a question. ``on_wrong`` and ``on_right`` are the shares of answers from memory that are
    wrong, and right, on which its trace would look something up at least once (None where there is none, or no trace):
    a lookup on a right one is needless.
    """

    policy: str
    questions: int
    right: int
    right_interval: Interval | None
    retrievals: float
    tokens_written: float
    prompt_tokens: float
    on_wrong: float | None
    on_right: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedThresholds:
    """All thresholds fitted to one model, and the policies compared at ``retrievals_wanted`` a question.

    ``questions_name`` and ``questions_hash`` say which questions; ``how`` says in words how thresholds were chosen.
    """

    schema_version: int = FIT_VERSION
    origin: Origin
    questions: int
    questions_name: str
    questions_hash: str
    retrievals_wanted: float
    most_retrievals: int
    how: str
    thresholds: tuple[FittedThreshold, ...]
    policies: tuple[PolicyAtCost, ...] = ()

    def value(self, name: str) -> float | None:
        """Return a fitted threshold, None where it was not fitted."""
        return next((one.value for one in self.thresholds if one.name == name), None)

    @property
    def words(self) -> str:
        """What the thresholds were fitted on, in words: how many questions, of which set, over which corpus."""
        return f"fitted on {self.questions} questions ({self.questions_name}) over {self.origin.corpus}"


STRICT = ConfigDict(extra="forbid")
FIT: TypeAdapter[tuple[FittedThresholds]] = TypeAdapter(tuple[FittedThresholds], config=STRICT)
QUESTION_ROW: TypeAdapter[tuple[QuestionRow]] = TypeAdapter(tuple[QuestionRow], config=STRICT)
LOOP_ROW: TypeAdapter[tuple[LoopRow]] = TypeAdapter(tuple[LoopRow], config=STRICT)


def to_json(record: FittedThresholds | QuestionRow | LoopRow, indent: int | None = None) -> str:
    """Return a record as JSON, every number exact. Raises RecordError where its text is no valid Unicode."""
    return record_to_json(record, indent)


def fit_from_json(text: str) -> FittedThresholds:
    """Return the fit that ``to_json`` wrote. Raises RecordError where it is another format or does not fit."""
    fit = read_record(text, FIT, "file of fitted thresholds")
    if fit.schema_version != FIT_VERSION:
        raise RecordError(
            f"These fitted thresholds have format {fit.schema_version}; this version reads format {FIT_VERSION}."
        )
    return fit


def question_row(text: str) -> QuestionRow:
    """Return the row that ``to_json`` wrote. Raises RecordError where it does not fit."""
    return read_record(text, QUESTION_ROW, "row of calibration")


def loop_row(text: str) -> LoopRow:
    """Return the row of loops that ``to_json`` wrote. Raises RecordError where it does not fit."""
    return read_record(text, LOOP_ROW, "row of loops")


def read_record(text: str, adapter: TypeAdapter[tuple[Record]], kind: str) -> Record:
    """Return the record a JSON text holds. Raises RecordError that names the first field that does not fit."""
    try:
        return adapter.validate_python((parse_json(text, kind),))[0]
    except ValidationError as exc:
        place, message = fault_parts(exc, above=1)
        raise RecordError(f"This {kind} cannot be read: {place or 'it'}: {message}.") from exc
