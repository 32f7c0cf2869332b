"""DENSE: does the model give the same answer when one passage is put in other words?

Degree-based Semantic Entropy over the entailment graph of k+1 greedy answers (DENSE, section 4, eq. 3-6), and the chunk
labels of section 5.2 and algorithm 3. Differences from the printed algorithm: r_0, which it never generates, is the
answer over the unchanged passages; an answer always entails itself; a rewrite counts only when it passes checks; a
label is given for every rewording that was drawn, and is *unclear* where they disagree.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from engine.backends.entailment.base import ENTAILMENT, none_states_answer
from engine.backends.entailment.matrix import judge_pairs
from engine.core.errors import NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Interval, Judgement, Passage, ThresholdSource
from engine.core.settings import UpTo20
from engine.measures.checks import Floats
from engine.measures.response_graph import (
    agreed_label,
    degree_entropy,
    degree_entropy_share,
    is_uncertain,
    label_shares,
    response_weights,
    too_few,
)
from engine.measures.rewording_interval import reworded_interval
from engine.measures.rewording_shares import entailment_rate
from engine.methods.base import Backends, Case, Foreseen, answer_request, source_of
from engine.methods.copies import groups_of_copies, replace_passage, without_passage
from engine.methods.dense_load import load as load
from engine.methods.descriptor import Method
from engine.methods.reach import answers_only
from engine.methods.rewrites import RewriteAttempt, first_requests, rewrite_all
from engine.methods.tempered_model import TemperedModel
from engine.methods.threshold import Threshold

PAPER_THRESHOLD = 0.2
Label = Literal["certain", "necessary", "unnecessary", "unclear", "not measured"]
DenseVerdict = Literal["no answer to compare", "unclear", "unstable", "stable"]
# What says nothing of a chunk: no wording was valid, or its wordings disagree.
NO_LABEL: tuple[Label, ...] = ("not measured", "unclear")
NOTHING_TO_COMPARE = (
    "{} could be reworded in a way that passes the checks, so there is nothing to compare. "
    "You can write a rewording by hand."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseConfig:
    """How DENSE runs. ``rewrites`` maps a chunk's position (from 0) to a rewrite written by hand.

    ``draws``: how many different valid rewordings of each chunk are answered over; more than one gives DSE an interval.
    ``similarity_bound``: the least cosine of a rewording with its chunk. ``temperature`` 0 is greedy, as in the paper;
    above it every answer is drawn, the one over the unchanged passages too. ``fitted``: the threshold is calibration's,
    not the paper's.
    """

    draws: UpTo20 = 3
    threshold: Annotated[float, Field(ge=0)] = PAPER_THRESHOLD
    rule: Literal["algorithm3", "equation10"] = "algorithm3"
    similarity_bound: Annotated[float, Field(ge=-1, le=1)] = 0.7
    temperature: Annotated[float, Field(ge=0, le=10)] = 0.0
    rewrites: tuple[tuple[int, str], ...] = ()
    fitted: bool = False


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
    ``copies`` are the chunks with one text, group by group, which were reworded and left out together.
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

    @property
    def states_nothing(self) -> bool:
        """Whether every answer of the graph is empty or says that it has none: then there is nothing to compare."""
        answers = (self.original, *(chunk.answer for chunk in self.chunks), *(one.answer for one in self.further))
        return none_states_answer(answer.text for answer in answers if answer is not None)

    @property
    def rows(self) -> tuple[int, ...]:
        """The chunk of each answer, -1 for the original: the members, then the further rewordings."""
        return (*self.members, *(one.index for one in self.further))

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
        the other one still answers.
        """
        if self.states_nothing:
            return "no answer to compare"
        apart = groups_of_copies([chunk.passage for chunk in self.chunks]) != self.copies
        if self.uncertain is None or self.has_too_few or self.is_firm is False or apart:
            return "unclear"
        return "unstable" if self.uncertain else "stable"


def label_over(chunk: DenseChunk, changing: int, wordings: int) -> Label:
    """Return a chunk's label over all its wordings from the stored one."""
    if chunk.wordings is not None or not wordings:
        return chunk.label
    return "unclear" if 0 < changing < wordings else chunk.label


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGraph:
    """The answers of the valid rewrites beside the original one, judged in all ordered pairs.

    ``weights`` holds the members first, one rewriting of each chunk, then the ``further`` ones.
    """

    members: tuple[int, ...]
    answers: tuple[Generation, ...]
    weights: Floats
    judgements: tuple[Judgement, ...]
    further: tuple[RewordedAnswer, ...]

    @property
    def rows(self) -> tuple[int, ...]:
        """The chunk of each row of ``weights``, -1 for the original answer."""
        return (*self.members, *(one.index for one in self.further))

    @property
    def first(self) -> Floats:
        """The weights of the members alone."""
        return self.weights[: len(self.members), : len(self.members)]

    @property
    def interval(self) -> Interval | None:
        """The middle 95% of DSE over the rewordings, None where each chunk has one only."""
        if not self.further:
            return None
        low, high = reworded_interval(self.weights, self.rows)
        return Interval(low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """The answer without one chunk, its agreement with the original answer in {0, 0.5, 1}, and what was judged."""

    answer: Generation
    weight: float
    judgements: tuple[Judgement, ...]


def run(case: Case, config: DenseConfig, backends: Backends) -> DenseResult:
    """Return what DENSE says of the question: the answer graph, its entropy and a label per chunk.

    Raises NotMeasured without passages. Where no rewrite passes its checks, the entropy is None and says so.
    """
    if not case.passages:
        raise NotMeasured("DENSE looks at retrieved passages, and there are none.")
    case, backends = drawn_case(case, config.temperature, backends)
    by_hand = {index: text for index, text in config.rewrites if 0 <= index < len(case.passages)}
    answers = (case.answer.text,)  # never the correct ones: what is measured must not depend on knowing them
    attempts = rewrite_all(
        case.passages, by_hand, case.profile, config.similarity_bound, backends, config.draws, answers
    )
    accepted = {index: valid for index, made in enumerate(attempts) if (valid := [one for one in made if one.valid])}
    graph = answer_graph(case, accepted, backends)
    return build_result(case, config, attempts, graph, run_ablations(case, graph, backends))


def drawn_case(case: Case, temperature: float, backends: Backends) -> tuple[Case, Backends]:
    """Return case and backends that draw every answer at a temperature; both as they are where it is 0 (greedy)."""
    if temperature == 0:
        return case, backends
    drawing = replace(backends, model=TemperedModel(backends.model, temperature, case.seed))
    drawing.report(Stage(method="dense", name="answering over the passages", total=1))
    request = answer_request(case.profile, case.question, case.passages)
    return replace(case, answer=drawing.model.generate([request], drawing.report)[0]), drawing


def foreseen(case: Case, config: DenseConfig, backends: Backends) -> Foreseen:
    """Return the rewordings that the rewriter is asked for first."""
    by_hand = dict(config.rewrites)
    free = [passage for index, passage in enumerate(case.passages) if index not in by_hand]
    answers = (case.answer.text,) if config.temperature == 0 else ()
    return Foreseen(rewriter=first_requests(free, case.profile, backends, answers))


def answer_graph(case: Case, accepted: dict[int, list[RewriteAttempt]], backends: Backends) -> AnswerGraph:
    """Return the greedy answers over C_0 and every C_i with a valid rewrite, and their weights (eq. 3-5)."""
    if not accepted:
        return AnswerGraph(members=(-1,), answers=(case.answer,), weights=np.ones((1, 1)), judgements=(), further=())
    chosen = [(index, valid[0]) for index, valid in accepted.items()]
    more = [(index, attempt) for index, valid in accepted.items() for attempt in valid[1:]]
    requests = [
        answer_request(case.profile, case.question, replace_passage(case.passages, index, attempt.text))
        for index, attempt in (*chosen, *more)
    ]
    backends.report(Stage(method="dense", name="answering over reworded passages", total=len(requests)))
    answers = (case.answer, *backends.model.generate(requests, backends.report))
    backends.report(Stage(method="dense", name="judging answers", total=len(answers) * (len(answers) - 1)))
    classes, judgements = judge_pairs(
        backends.judge, case.question, [answer.text.strip() for answer in answers], backends.report
    )
    return AnswerGraph(
        members=(-1, *accepted),
        answers=answers[: 1 + len(chosen)],
        weights=response_weights(classes == ENTAILMENT),
        judgements=judgements,
        further=tuple(
            RewordedAnswer(index=index, rewrite=attempt, answer=answer)
            for (index, attempt), answer in zip(more, answers[1 + len(chosen) :], strict=True)
        ),
    )


def run_ablations(case: Case, graph: AnswerGraph, backends: Backends) -> dict[int, Ablation]:
    """Return, per chunk that changes the answer, the one without it and its agreement with the original (section 5.2).

    One wording that changes the answer is enough, and all wordings of the chunk share what comes out.
    """
    changing = {chunk for chunk, weight in zip(graph.rows, graph.weights[0], strict=True) if weight < 1.0}
    uncertain = sorted(changing)
    if not uncertain:
        return {}
    requests = [
        answer_request(case.profile, case.question, without_passage(case.passages, index)) for index in uncertain
    ]
    backends.report(Stage(method="dense", name="answering without uncertain chunks", total=len(requests)))
    answers = backends.model.generate(requests, backends.report)
    found = {}
    for index, answer in zip(uncertain, answers, strict=True):
        texts = [case.answer.text.strip(), answer.text.strip()]
        classes, judgements = judge_pairs(backends.judge, case.question, texts, backends.report)
        weight = float(response_weights(classes == ENTAILMENT)[0, 1])
        found[index] = Ablation(answer=answer, weight=weight, judgements=judgements)
    return found


def build_result(
    case: Case,
    config: DenseConfig,
    attempts: list[tuple[RewriteAttempt, ...]],
    graph: AnswerGraph,
    ablations: dict[int, Ablation],
) -> DenseResult:
    """Return the result record: entropy, labels, and each chunk; without a valid rewrite only what was tried."""
    measured = labelled_chunks(case, config, attempts, graph, ablations)
    entropy = degree_entropy(graph.first) if measured else None
    return DenseResult(
        original=case.answer,
        chunks=tuple(
            measured.get(index) or unmeasured_chunk(index, passage, attempts[index])
            for index, passage in enumerate(case.passages)
        ),
        members=graph.members,
        weights=rows_of(graph.first),
        judgements=tuple(
            dict.fromkeys((*graph.judgements, *(judged for one in ablations.values() for judged in one.judgements)))
        ),
        entropy=entropy,
        share=degree_entropy_share(graph.first) if measured else None,
        uncertain=None if entropy is None else is_uncertain(entropy, config.threshold),
        valid_rewrites=len(measured),
        threshold=config.threshold,
        threshold_source=source_of(config.threshold == PAPER_THRESHOLD, config.fitted),
        rule=config.rule,
        not_measured="" if measured else NOTHING_TO_COMPARE.format(none_of(len(case.passages))),
        further=graph.further,
        further_weights=rows_of(graph.weights) if graph.further else (),
        entropy_interval=graph.interval,
        temperature=config.temperature,
        copies=groups_of_copies(case.passages),
    )


def rows_of(weights: Floats) -> tuple[tuple[float, ...], ...]:
    """Return a matrix as a record keeps it."""
    return tuple(tuple(float(weight) for weight in line) for line in weights)


def labelled_chunks(
    case: Case,
    config: DenseConfig,
    attempts: list[tuple[RewriteAttempt, ...]],
    graph: AnswerGraph,
    ablations: dict[int, Ablation],
) -> dict[int, DenseChunk]:
    """Return the chunks with a valid rewrite by their index, each with its label (eq. 8-10)."""
    ablation_weights = [ablations[m].weight if m in ablations else math.nan for m in graph.members[1:]]
    shares = label_shares(graph.weights, graph.rows, ablation_weights, rule=config.rule)
    chunks = {}
    for place, index in enumerate(graph.members[1:], start=1):
        ablation, wordings = ablations.get(index), graph.rows.count(index)
        change_share = float(shares[place - 1, 1:].sum())
        chunks[index] = DenseChunk(
            index=index,
            passage=case.passages[index],
            attempts=attempts[index],
            rewrite=next(attempt for attempt in attempts[index] if attempt.valid),
            answer=graph.answers[place],
            weight=float(graph.first[0, place]),
            ablation=ablation.answer if ablation else None,
            ablation_weight=ablation.weight if ablation else None,
            label=agreed_label(shares[place - 1]),
            reason="",
            wordings=wordings,
            changing=round(change_share * wordings),
            change_share=change_share,
        )
    return chunks


def none_of(passages: int) -> str:
    """Return the subject of a sentence that denies something of every passage.

    >>> none_of(1), none_of(3)
    ('Not even the one passage', 'None of the 3 passages')
    """
    return "Not even the one passage" if passages == 1 else f"None of the {passages} passages"


def unmeasured_chunk(index: int, passage: Passage, attempts: tuple[RewriteAttempt, ...]) -> DenseChunk:
    """Return a chunk whose rewrite did not count, with the checks that decided it in the last attempt.

    Where the model had reworded it as a whole before, what decided against that stands first.
    """
    told = attempts[:1] if attempts[0].source == "whole" and len(attempts) > 1 else ()
    whole = [f"as a whole, {check.name} ({check.detail})" for one in told for check in one.against]
    failed = [*whole, *(f"{check.name} ({check.detail})" for check in attempts[-1].against)]
    opening = (
        "The rewording by hand does not count" if attempts[-1].source == "hand" else "No rewording passed the checks"
    )
    return DenseChunk(
        index=index,
        passage=passage,
        attempts=attempts,
        rewrite=None,
        answer=None,
        weight=None,
        ablation=None,
        ablation_weight=None,
        label="not measured",
        reason=f"{opening}: {', '.join(failed)}.",
    )


def fits(result: DenseResult) -> bool:
    """Return whether the matrix is square and every answer names a chunk that is there."""
    n = len(result.members)
    square = len(result.weights) == n and all(len(row) == n for row in result.weights)
    return square and all(-1 <= member < len(result.chunks) for member in result.members)


def settings_of(result: DenseResult) -> DenseConfig:
    """Return DENSE's settings; rewordings by hand also where they were refused, for they were asked for."""
    by_hand = [(chunk.index, made.text) for chunk in result.chunks for made in chunk.attempts if made.source == "hand"]
    return DenseConfig(
        draws=1 + max(Counter(one.index for one in result.further).values(), default=0),
        threshold=result.threshold,
        rule=result.rule,
        temperature=result.temperature,
        rewrites=tuple(by_hand),
        fitted=result.threshold_source == "fitted",
    )


DSE = Threshold(
    word="dse",
    title="DSE threshold",
    unit="nats",
    decides="Above it the answer is unstable, and DENSE-RAG refines the passages.",
    paper="DENSE, section 5",
    group="Understanding",
    fields=(("dense", "threshold"), ("dense_rag", "threshold")),
    stored=("dense.threshold", "dense_rag.config.threshold"),
    compared=("dense.entropy", "dense_rag.steps.*.entropy"),
    unmeasured="DENSE was not measured in this run, so nothing is compared with it.",
    fitted=True,
    step=0.01,
    top=1.8,
)
METHOD = Method(
    word="dense",
    title="DENSE",
    question="Does the answer stay when passages are reworded, and which did it need?",
    paper="DENSE, sections 4 and 5.2",
    icon="hub",
    config=DenseConfig,
    result=DenseResult,
    run=run,
    foresees=foreseen,
    needs=partial(answers_only, "dense"),
    load=load,
    fits=fits,
    settings=settings_of,
    thresholds=(DSE,),
    headlines=lambda _result: ("entropy", "share", "threshold", "entropy_interval.low", "entropy_interval.high"),
)
