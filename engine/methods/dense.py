"""DENSE: does the model give the same answer when one passage is put in other words?

Degree-based Semantic Entropy over the entailment graph of k+1 greedy answers (DENSE, section 4, eq. 3-6), and the chunk
labels of section 5.2 and algorithm 3. Differences from the printed algorithm: r_0, which it never generates, is the
answer over the unchanged passages; an answer always entails itself; a rewrite counts only when it passes checks; a
label is given for every rewording that was drawn, and is *unclear* where they disagree. Quick reading
(``DenseConfig.reading``) is ours, for many passages, and not exact.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.backends.entailment.base import ENTAILMENT
from engine.backends.entailment.matrix import judge_pairs
from engine.backends.language_models.base import Request
from engine.core.errors import NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Interval, Judgement, Passage
from engine.measures.checks import Floats
from engine.measures.language import is_other_language
from engine.measures.response_graph import (
    agreed_label,
    degree_entropy,
    degree_entropy_share,
    is_uncertain,
    label_shares,
    response_weights,
)
from engine.measures.rewording_interval import reworded_interval
from engine.methods.base import Backends, Case, Foreseen, answer_request, over_kept, source_of
from engine.methods.copies import groups_of_copies, replace_passage, without_passage
from engine.methods.dense_load import load as load
from engine.methods.dense_records import (
    PAPER_THRESHOLD,
    DenseChunk,
    DenseConfig,
    DenseResult,
    Reading,
    RewordedAnswer,
    chunk_of_each_row,
)
from engine.methods.descriptor import Method
from engine.methods.reach import answers_only
from engine.methods.rewrites import RewriteAttempt, first_requests, rewrite_all
from engine.methods.tempered_model import TemperedModel
from engine.methods.threshold import Threshold

NOTHING_TO_COMPARE = (
    "{} could be reworded in a way that passes the checks, so there is nothing to compare. "
    "You can write a rewording by hand."
)

SURE_TOKEN = 0.5
"""Chosen on 105 questions: quick reading missed 4 of 85 changed answers that were all as sure, and 21 of 85 in all."""


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
    reading: Reading

    @property
    def rows(self) -> tuple[int, ...]:
        """The chunk of each row of ``weights``, -1 for the original answer."""
        return chunk_of_each_row(self.members, self.further)

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
    reading = reading_of(case, config, backends)
    graph = answer_graph(case, accepted, backends, reading)
    return build_result(case, config, attempts, graph, run_ablations(case, graph, backends))


def drawn_case(case: Case, temperature: float, backends: Backends) -> tuple[Case, Backends]:
    """Return case and backends that draw every answer at a temperature; both as they are where it is 0 (greedy)."""
    if temperature == 0:
        return case, backends
    drawing = replace(backends, model=TemperedModel(backends.model, temperature, case.seed))
    drawing.report(Stage(method="dense", name="answering over the passages", total=1))
    request = answer_request(case.profile, case.question, case.passages)
    return replace(case, answer=drawing.model.generate([request], drawing.report)[0]), drawing


def reading_of(case: Case, config: DenseConfig, backends: Backends) -> Reading:
    """Return how reworded passages are read: quickly where that is asked for, the model can, and the answer is sure.

    An answer that is drawn is not. Over reworded passages a doubtful answer would be doubtful as well.
    """
    able = backends.model.capabilities.keeps_readings and config.temperature == 0
    return "quick" if config.reading == "quick" and able and not doubtful(case.answer) else "full"


def foreseen(case: Case, config: DenseConfig, backends: Backends) -> Foreseen:
    """Return the rewordings that the rewriter is asked for first."""
    by_hand = dict(config.rewrites)
    free = [passage for index, passage in enumerate(case.passages) if index not in by_hand]
    answers = (case.answer.text,) if config.temperature == 0 else ()
    return Foreseen(rewriter=first_requests(free, case.profile, backends, answers))


def answer_graph(
    case: Case, accepted: dict[int, list[RewriteAttempt]], backends: Backends, reading: Reading
) -> AnswerGraph:
    """Return the greedy answers over C_0 and every C_i with a valid rewrite, and their weights (eq. 3-5)."""
    if not accepted:
        return AnswerGraph(
            members=(-1,), answers=(case.answer,), weights=np.ones((1, 1)), judgements=(), further=(), reading=reading
        )
    chosen = [(index, valid[0]) for index, valid in accepted.items()]
    more = [(index, attempt) for index, valid in accepted.items() for attempt in valid[1:]]
    requests = [
        answer_request(case.profile, case.question, replace_passage(case.passages, index, attempt.text))
        for index, attempt in (*chosen, *more)
    ]
    backends.report(Stage(method="dense", name="answering over reworded passages", total=len(requests)))
    ask = answers_of if reading == "full" else quick_answers
    answers = (case.answer, *ask(case, requests, backends))
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
        reading=reading,
    )


def answers_of(case: Case, requests: Sequence[Request], backends: Backends) -> tuple[Generation, ...]:
    """Return the answers, each over a prompt that is read in full."""
    return backends.model.generate(requests, backends.report)


def quick_answers(case: Case, requests: Sequence[Request], backends: Backends) -> tuple[Generation, ...]:
    """Return the answers over what was read of the unchanged passages; those that need it are asked for in full.

    These are the answers that change, and the doubtful ones. So no change is reported that full reading would not show.
    One may be missed.
    """
    over = [over_kept(request, case.profile, case.question, case.passages) for request in requests]
    answers = list(answers_of(case, over, backends))
    again = [
        at for at, answer in enumerate(answers) if answer.text.strip() != case.answer.text.strip() or doubtful(answer)
    ]
    if again:
        backends.report(Stage(method="dense", name="reading doubtful contexts in full", total=len(again)))
        for at, answer in zip(again, answers_of(case, [requests[at] for at in again], backends), strict=True):
            answers[at] = answer
    return tuple(answers)


def doubtful(answer: Generation) -> bool:
    """Return whether any token of an answer, its end included, is less likely than ``SURE_TOKEN``."""
    tokens = (*answer.tokens, *((answer.stop_token,) if answer.stop_token else ()))
    return any(token.logprob < math.log(SURE_TOKEN) for token in tokens)


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
    backends.report(Stage(method="dense", name="answering without uncertain passages", total=len(requests)))
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
        reading=graph.reading,
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
    if attempts[-1].source == "sentences" and is_other_language(passage.text):
        opening = "The rules that reword sentences know English only"
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
        reading=result.reading,
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
