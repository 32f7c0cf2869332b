"""What DENSE is asked for and what it records: its settings, chunks with their labels, and the entailment graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from engine.backends.entailment.base import none_states_answer
from engine.core.records import Generation, Interval, Judgement, Passage, ThresholdSource
from engine.core.settings import UpTo20
from engine.measures.answer_marks import answer_spans
from engine.measures.response_graph import is_uncertain, too_few
from engine.measures.rewording_shares import entailment_rate
from engine.methods.copies import groups_of_copies
from engine.methods.rewrites import RewriteAttempt

PAPER_THRESHOLD = 0.2
Label = Literal["certain", "necessary", "unnecessary", "unclear", "not measured"]
Reading = Literal["full", "quick"]
DenseVerdict = Literal["no answer to compare", "unclear", "unstable", "stable"]
# What says nothing of a chunk: no wording was valid, or its wordings disagree.
NO_LABEL: tuple[Label, ...] = ("not measured", "unclear")


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseConfig:
    """How DENSE runs. ``rewrites`` maps a chunk's position (from 0) to a rewrite written by hand.

    ``draws``: how many different valid rewordings of each chunk are answered over; more than one gives DSE an interval.
    ``similarity_bound``: the least cosine of a rewording with its chunk. ``temperature`` 0 is greedy, as in the paper;
    above it every answer is drawn, the one over the unchanged passages too. ``fitted``: the threshold is calibration's,
    not the paper's. ``reading``: "quick" does not read again what follows a reworded passage, where the model can do
    that, answers are greedy and the first is not in doubt; one that changes, or is in doubt, is read for in full.
    """

    draws: UpTo20 = 3
    threshold: Annotated[float, Field(ge=0)] = PAPER_THRESHOLD
    rule: Literal["algorithm3", "equation10"] = "algorithm3"
    similarity_bound: Annotated[float, Field(ge=-1, le=1)] = 0.7
    temperature: Annotated[float, Field(ge=0, le=10)] = 0.0
    rewrites: tuple[tuple[int, str], ...] = ()
    fitted: bool = False
    reading: Reading = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseChunk:
    """What DENSE says of one chunk.

    ``index`` is its position from 0. ``rewrite`` is the accepted attempt, None where none passed. ``answer`` is the
    answer with this chunk rewritten, ``weight`` its agreement with the original answer in {0, 0.5, 1}; ``ablation`` the
    answer without the chunk and ``ablation_weight`` its agreement, run where any wording changes the answer. ``label``
    is "unclear" where the ``wordings`` of the chunk disagree: the answer changes in ``changing`` of them, the share
    ``change_share``. An older record has None there, and the label of its first wording: read ``DenseResult.labels``.
    """

    index: int
    passage: Passage
    attempts: tuple[RewriteAttempt, ...]
    rewrite: RewriteAttempt | None
    answer: Generation | None
    weight: float | None
    ablation: Generation | None
    ablation_weight: float | None
    label: Label
    reason: str
    wordings: int | None = None
    changing: int | None = None
    change_share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RewordedAnswer:
    """The greedy answer over one more rewording of one chunk."""

    index: int
    rewrite: RewriteAttempt
    answer: Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseResult:
    """The entailment graph of one question and what follows from it.

    ``members`` names the rows of ``weights``: -1 is the original answer, i the answer with chunk i rewritten.
    ``entropy`` (DSE) in nats, [0, ln(valid + 1)], higher = less stable; ``share`` is entropy / ln(valid + 1).
    Both are None, with a reason in ``not_measured``, where no rewrite passed. ``further`` are answers over further
    rewordings, ``further_weights`` the weights of all answers, the further ones last; ``entropy_interval`` is the
    middle 95% of DSE over all ways of taking one rewording of each chunk, None where each chunk has one only.
    ``copies`` are the chunks with one text, group by group, which were reworded and left out together. ``reading`` is
    how reworded passages were read: "quick" may miss a changed answer; every changed one is that of full reading.
    """

    method: Literal["dense"] = "dense"
    variant: Literal["paper"] = "paper"
    original: Generation
    chunks: tuple[DenseChunk, ...]
    members: tuple[int, ...]
    weights: tuple[tuple[float, ...], ...]
    judgements: tuple[Judgement, ...]
    entropy: float | None
    share: float | None
    uncertain: bool | None
    valid_rewrites: int
    threshold: float
    threshold_source: ThresholdSource
    rule: Literal["algorithm3", "equation10"]
    not_measured: str = ""
    further: tuple[RewordedAnswer, ...] = ()
    further_weights: tuple[tuple[float, ...], ...] = ()
    entropy_interval: Interval | None = None
    copies: tuple[tuple[int, ...], ...] = ()
    temperature: float = 0.0
    reading: Reading = "full"

    @property
    def states_nothing(self) -> bool:
        """Whether every answer of the graph is empty or says that it has none: then there is nothing to compare."""
        answers = (self.original, *(chunk.answer for chunk in self.chunks), *(one.answer for one in self.further))
        return none_states_answer(answer.text for answer in answers if answer is not None)

    @property
    def rows(self) -> tuple[int, ...]:
        """The chunk of each answer, -1 for the original: the members, then the further rewordings."""
        return chunk_of_each_row(self.members, self.further)

    @property
    def changes(self) -> dict[int, tuple[int, int]]:
        """In how many of its wordings a chunk changes the answer, and how many there are: by the measured chunk."""
        weights = (self.further_weights if self.further else self.weights)[0]
        found: dict[int, list[bool]] = {}
        for chunk, weight in list(zip(self.rows, weights, strict=True))[1:]:
            found.setdefault(chunk, []).append(weight < 1)
        return {chunk: (sum(changed), len(changed)) for chunk, changed in found.items()}

    @property
    def labels(self) -> dict[int, Label]:
        """The label of every chunk over all its wordings, also in a record that keeps that of the first only.

        Where every wording changes the answer, the first does too, and its label stands for all: they share the answer
        without the chunk. Where no answer of the graph states anything, the rewordings keep nothing: "unclear".
        """
        if self.states_nothing:
            return {one.index: "not measured" if one.label == "not measured" else "unclear" for one in self.chunks}
        changes = self.changes
        return {chunk.index: label_over(chunk, *changes.get(chunk.index, (0, 0))) for chunk in self.chunks}

    @property
    def rewordings(self) -> tuple[RewriteAttempt, ...]:
        """Every rewording that was answered over."""
        first = (chunk.rewrite for chunk in self.chunks if chunk.answer is not None and chunk.rewrite is not None)
        return (*first, *(one.rewrite for one in self.further))

    @property
    def entailment_rate(self) -> float | None:
        """The share of all reworded sentences that state what the original does (Table 6), None if none was judged."""
        return entailment_rate([said.entailment for made in self.rewordings for said in made.sentences])

    @property
    def is_firm(self) -> bool | None:
        """Whether every drawn rewording puts DSE on the same side of the threshold; None without an interval."""
        if self.entropy_interval is None:
            return None
        return is_uncertain(self.entropy_interval.low, self.threshold) == is_uncertain(
            self.entropy_interval.high, self.threshold
        )

    @property
    def has_too_few(self) -> bool:
        """Whether too few chunks have a valid rewording to call the answer stable or not."""
        return too_few(self.valid_rewrites, len(self.chunks))

    @property
    def verdict(self) -> DenseVerdict:
        """What DENSE says of the answer's stability; "unclear" where no threshold or not every wording decides it.

        Answers that state nothing agree on no answer. Where a copy of a chunk was reworded alone, as older runs did,
        the other one still answers. Nor does it say much that an answer stays while what names it stays as it was.
        """
        if self.states_nothing:
            return "no answer to compare"
        apart = groups_of_copies([chunk.passage for chunk in self.chunks]) != self.copies
        if self.uncertain is None or self.has_too_few or self.is_firm is False or apart:
            return "unclear"
        return "unstable" if self.uncertain else "unclear" if self.source_unworded else "stable"

    @property
    def source_unworded(self) -> tuple[int, ...]:
        """The chunks with the words of the answer where not one of them was reworded, () where one was or none is."""
        naming = [chunk for chunk in self.chunks if answer_spans(chunk.passage.text, (self.original.text,))]
        return tuple(chunk.index for chunk in naming) if all(chunk.answer is None for chunk in naming) else ()


def chunk_of_each_row(members: Sequence[int], further: Sequence[RewordedAnswer]) -> tuple[int, ...]:
    """Return the chunk of each row of weights, -1 for the original: the members, then the further rewordings."""
    return (*members, *(one.index for one in further))


def label_over(chunk: DenseChunk, changing: int, wordings: int) -> Label:
    """Return a chunk's label over all its wordings from the stored one."""
    if chunk.wordings is not None or not wordings:
        return chunk.label
    return "unclear" if 0 < changing < wordings else chunk.label
