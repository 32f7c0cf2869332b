"""DENSE-RAG: where the answer is unstable, cut the same documents by meaning and refine what is read.

Follows DENSE (section 5, algorithms 2 and 3): an answer whose DSE is at most 0.2 is left alone; else the documents it
came from are cut into semantic chunks, retrieved again, and refined in rounds: unnecessary chunks leave, each necessary
one brings in the unread chunk most like it, until a context is stable and judged sufficient. Differences from the
printed algorithm 3, which need not end: chunks once read stay read (line 15 empties that set in every round); a context
that would not change ends the search, as do an emptied context and two caps; the last context is looked at before the
search ends (the test of line 4 would drop it); the kept answer is r_0 and not the list R; k is the size of the context
at hand. "The same documents" are those the first passages came from. Self-evaluation (appendix B.3) compares the
probabilities of "yes" and "no" instead of reading a generated word. Draws count as in DENSE here: several wordings of
each chunk; a chunk leaves only where all of them call it unnecessary; contexts are compared by DSE over its maximum,
and one whose interval meets the first one's is never preferred to it. A context over which the model only abstains is
not stable: its answers agree, but not on an answer. A small model, which reads what stands next to
the question, gets a new chunk beside the one that brought it in, and not behind all others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Literal

import numpy as np

from engine.backends.retrieval.base import Corpus, Cut, FixedCut, SemanticCut, embeddings
from engine.core.errors import CorpusError, NotMeasured
from engine.core.progress import Event, Stage
from engine.core.records import Generation, Passage
from engine.core.settings import check_settings
from engine.measures.context_refinement import refills
from engine.measures.response_graph import is_uncertain
from engine.methods import dense
from engine.methods.base import Backends, Case, answer_request, source_of
from engine.methods.cost import Load, Plan
from engine.methods.dense_rag_choice import best_step, highest_entropy, needs_refining
from engine.methods.dense_rag_records import (
    Arrival,
    CutName,
    Cutting,
    DenseRagConfig,
    DenseRagResult,
    Departure,
    Ending,
    RagChunk,
    RefinementStep,
    SelfEvaluation,
)
from engine.methods.dense_records import PAPER_THRESHOLD, DenseConfig
from engine.methods.descriptor import Method
from engine.methods.reach import label_reach
from engine.methods.self_evaluation import evaluate_sufficiency
from engine.methods.tempered_model import TemperedModel

EMBEDDED_AT_ONCE = 64
# Of single precision.
COSINE_DIGITS = 6
FIXED_CUTS: dict[str, FixedCut] = {
    "512/64": FixedCut(tokens=512, overlap=64),
    "256/32": FixedCut(tokens=256, overlap=32),
    "128/16": FixedCut(tokens=128, overlap=16),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """What chunks there are after a cut: all of its documents', and those retrieved for the question, as arrivals."""

    cut: CutName
    pool: tuple[Passage, ...]
    context: tuple[Passage, ...]
    scores: tuple[float | None, ...]


@dataclass(slots=True, kw_only=True)
class RefinementSearch:
    """A run under way: what is asked, and what has been read so far."""

    case: Case
    config: DenseRagConfig
    backends: Backends
    chunks: list[RagChunk] = field(default_factory=list)
    cuttings: list[Cutting] = field(default_factory=list)
    steps: list[RefinementStep] = field(default_factory=list)

    def number(self, passage: Passage, cut: CutName) -> int:
        """Return the number of a chunk, a new one where no such text has been read."""
        known = next((i for i, chunk in enumerate(self.chunks) if key(chunk.passage) == key(passage)), None)
        if known is None:
            self.chunks.append(RagChunk(passage=passage, cut=cut))
        return len(self.chunks) - 1 if known is None else known

    def passages(self, context: Sequence[int]) -> tuple[Passage, ...]:
        """Return the passages of chunk numbers."""
        return tuple(self.chunks[number].passage for number in context)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a round makes of a context; ``ended`` says why the search is over, None where it goes on."""

    context: tuple[int, ...]
    came: tuple[Arrival, ...]
    left: tuple[Departure, ...]
    ended: Ending | None


def run(case: Case, config: DenseRagConfig, backends: Backends) -> DenseRagResult:
    """Return every context DENSE-RAG read for the question and the answer it ends with.

    Raises NotMeasured without passages or where the documents cannot be cut as asked, InputError on a setting out of
    range, CapabilityError where the model cannot weigh "yes" against "no".
    """
    if not case.passages:
        raise NotMeasured("DENSE-RAG refines retrieved passages, and there are none.")
    check_settings(config, "DENSE-RAG")
    draws, least = config.draws or DenseConfig().draws, config.suffices_from or case.profile.suffices_from
    config = replace(config, draws=draws, suffices_from=least)
    course = RefinementSearch(case=case, config=config, backends=backends)
    course.backends = search_backends(course)
    supply = first_supply(course)
    read_retrieved(course, "first", supply)
    first = course.steps[0]
    if first.entropy is None:
        return build_result(course, "not measured", 0, first.not_measured)
    if not needs_refining(first, config.threshold):
        with_some_wordings = is_uncertain(highest_entropy(first), config.threshold)
        return build_result(course, "unclear" if with_some_wordings or first.has_too_few else "certain", 0)
    supply = cut_by_meaning(course, supply)
    if config.refine == "none":
        return build_result(course, "not refined", len(course.steps) - 1)
    ended = refine_contexts(course, supply)
    best = course.steps[-1].best
    return build_result(course, ended, 0 if best is None else best)


def search_backends(course: RefinementSearch) -> Backends:
    """Return the backends of a run: its reports name the context at work, its answers are drawn at its temperature."""
    report, model = course.backends.report, course.backends.model
    if course.config.temperature > 0:
        model = TemperedModel(model, course.config.temperature, course.case.seed)

    def report_with_context(event: Event) -> None:
        if isinstance(event, Stage):
            event = replace(event, method="dense_rag", name=f"context {len(course.steps) + 1}, {event.name}")
        report(event)

    return replace(course.backends, report=report_with_context, model=model)


def first_supply(course: RefinementSearch) -> Supply:
    """Return what is read first: the passages as retrieved, or their documents cut as the settings say.

    Raises NotMeasured where that cut is not possible: another one would answer another question.
    """
    if course.config.first_cut != "retrieved":
        supply = recut_documents(course, course.config.first_cut)
        if supply is None:
            raise NotMeasured(f"The documents could not be cut as asked. {course.cuttings[-1].failed}")
        return supply
    passages, corpus = course.case.passages, course.backends.corpus
    titles, pool = tuple(dict.fromkeys(passage.title for passage in passages)), passages
    if corpus is not None:
        same = set(same_documents(course.case, corpus))
        pool = tuple(passage for passage in corpus.passages if passage.document_id in same) or passages
    course.cuttings.append(Cutting(cut="retrieved", documents=titles, chunks=len(pool)))
    return Supply(cut="retrieved", pool=pool, context=passages, scores=(None,) * len(passages))


def same_documents(case: Case, corpus: Corpus) -> tuple[str, ...]:
    """Return the ids of the documents the passages came from; a pasted passage is a document of its own."""
    named = {passage.document_id for passage in case.passages if passage.document_id}
    whole = {key(passage) for passage in case.passages}
    return tuple(
        document.document_id
        for document in corpus.documents
        if document.document_id in named or (document.title, document.text) in whole
    )


def recut_documents(course: RefinementSearch, name: CutName) -> Supply | None:
    """Return the same documents cut and searched again; None, with the reason recorded, where impossible."""
    corpus = course.backends.corpus
    if corpus is None:
        failed = "Nothing can be retrieved again: the question came without a corpus."
        course.cuttings.append(Cutting(cut=name, documents=(), chunks=0, failed=failed))
        return None
    ids = same_documents(course.case, corpus)
    titles = tuple(document.title for document in corpus.documents if document.document_id in ids)
    try:
        anew = corpus.cut_anew(cut_named(course, name), ids, course.backends.text, course.backends.report)
        wanted = course.config.k or max(len(course.case.passages), course.case.profile.passages)
        hits = anew.search(course.case.question, wanted, course.backends.retriever)
    except CorpusError as exc:
        course.cuttings.append(Cutting(cut=name, documents=titles, chunks=0, failed=str(exc)))
        return None
    course.cuttings.append(Cutting(cut=name, documents=titles, chunks=len(anew.passages)))
    return Supply(
        cut=name,
        pool=tuple(anew.passages),
        context=tuple(hit.passage for hit in hits),
        scores=tuple(hit.score for hit in hits),
    )


def cut_named(course: RefinementSearch, name: CutName) -> Cut:
    """Return a cut by its name, the semantic one with the settings' τ and T_max."""
    config = course.config
    if name in FIXED_CUTS:
        return FIXED_CUTS[name]
    most = config.most_tokens or course.case.profile.chunk_tokens
    return SemanticCut(similarity=config.similarity, most_tokens=most, tie=config.tie)


def cut_by_meaning(course: RefinementSearch, supply: Supply) -> Supply:
    """Return the chunks the search goes on with: cut by meaning where that is asked for and possible (section 5.1).

    Where it is not, the first context is the first one of the search. It is a candidate in any case, so the model is
    asked now whether it suffices.
    """
    first = course.steps[0]
    judged = replace(first, evaluation=evaluation_of(course, course.passages(first.context)))
    course.steps[0] = replace(judged, best=0)
    if course.config.adaptive and supply.cut != "semantic":
        anew = recut_documents(course, "semantic")
        if anew is not None:
            read_retrieved(course, "cut anew", anew)
            return anew
    return supply


def read_retrieved(course: RefinementSearch, kind: Literal["first", "cut anew"], supply: Supply) -> None:
    """Read the retrieved context; what was read before and is not in it has left."""
    before = course.steps[-1].context if course.steps else ()
    context = tuple(course.number(passage, supply.cut) for passage in supply.context)
    came = tuple(
        Arrival(chunk=number, why="retrieved", rank=rank, score=score)
        for rank, (number, score) in enumerate(zip(context, supply.scores, strict=True), start=1)
        if number not in before
    )
    left = tuple(Departure(chunk=number, why="cut anew") for number in before if number not in context)
    evaluate_context(course, kind, Change(context=context, came=came, left=left, ended=None))


def evaluate_context(course: RefinementSearch, kind: Literal["first", "cut anew", "refined"], change: Change) -> None:
    """Ask over a context, measure it with DENSE, have it judged for sufficiency, and keep all as a step."""
    case, config, passages = course.case, course.config, course.passages(change.context)
    asked = replace(case, passages=passages, answer=answer_over(course, passages))
    settings = DenseConfig(
        threshold=config.threshold,
        rule=config.label_rule,
        draws=config.draws or DenseConfig().draws,
        fitted=config.fitted,
    )
    measured = dense.run(asked, settings, course.backends)
    step = RefinementStep(
        kind=kind,
        context=change.context,
        came=change.came,
        left=change.left,
        answer=asked.answer,
        entropy=measured.entropy,
        labels=tuple(chunk.label for chunk in measured.chunks),
        evaluation=None if kind == "first" else evaluation_of(course, passages),
        best=None,
        not_measured=measured.not_measured,
        share=measured.share,
        entropy_interval=measured.entropy_interval,
        changing=tuple(chunk.changing for chunk in measured.chunks),
        wordings=tuple(chunk.wordings for chunk in measured.chunks),
        states_nothing=measured.states_nothing,
    )
    course.steps.append(step)
    if kind != "first":
        course.steps[-1] = replace(step, best=best_step(course.steps, config)[0])


def answer_over(course: RefinementSearch, passages: tuple[Passage, ...]) -> Generation:
    """Return r_0 over the passages: the case's own answer where they are its own and it is greedy."""
    case = course.case
    if passages == case.passages and course.config.temperature == 0:
        return case.answer
    request = answer_request(case.profile, case.question, passages)
    course.backends.report(Stage(method="dense_rag", name="answering", total=1))
    return course.backends.model.generate([request], course.backends.report)[0]


def evaluation_of(course: RefinementSearch, passages: tuple[Passage, ...]) -> SelfEvaluation | None:
    """Return whether the model says that the passages suffice; None where that is switched off."""
    if not course.config.self_evaluation or course.config.refine == "none":
        return None
    case, least = course.case, course.config.suffices_from or course.case.profile.suffices_from
    return evaluate_sufficiency(case.profile, case.question, passages, least, course.backends)


def refine_contexts(course: RefinementSearch, supply: Supply) -> Ending:
    """Read one refined context after another; return why that ended (algorithm 3, the loop)."""
    start = len(course.steps) - 1
    visited = {key(passage) for passage in course.passages(course.steps[start].context)}
    likeness = likeness_of(course, supply)
    while True:
        last = course.steps[-1]
        if best_step(course.steps, course.config)[1]:
            return "rule"
        if last.entropy is None:
            return "not measured"
        if len(course.steps) - start >= course.config.most_contexts:
            return "cap"
        change = next_change(course, supply, visited, likeness)
        if change.ended is not None:
            return change.ended
        visited |= {key(passage) for passage in course.passages(change.context)}
        evaluate_context(course, "refined", change)


Likeness = Callable[[Sequence[Passage], Sequence[Passage]], np.ndarray]


def likeness_of(course: RefinementSearch, supply: Supply) -> Likeness:
    """Return a function that gives the cosines [guides, chunks]; the pool is embedded when it is first asked."""

    @cache
    def vectors() -> dict[str, np.ndarray]:
        context = course.passages(course.steps[-1].context)
        texts = list(dict.fromkeys(passage.text for passage in (*supply.pool, *context)))
        return embedded(texts, course.backends)

    def cosines(guides: Sequence[Passage], chunks: Sequence[Passage]) -> np.ndarray:
        known = vectors()
        rows = [[float(known[guide.text] @ known[chunk.text]) for chunk in chunks] for guide in guides]
        # Two chunks as much like a guide differ by what a sum of floats leaves, another amount on another processor.
        return np.array(rows, dtype=np.float64).reshape(len(guides), len(chunks)).round(COSINE_DIGITS)

    return cosines


def embedded(texts: Sequence[str], backends: Backends) -> dict[str, np.ndarray]:
    """Return text -> row of length 1, reported batch by batch."""
    known: dict[str, np.ndarray] = {}
    for first in range(0, len(texts), EMBEDDED_AT_ONCE):
        backends.report(Stage(method="dense_rag", name="comparing chunks", done=first, total=len(texts)))
        known |= embeddings(texts[first : first + EMBEDDED_AT_ONCE], backends.embedder)
    return known


def next_change(course: RefinementSearch, supply: Supply, visited: set[tuple[str, str]], likeness: Likeness) -> Change:
    """Return the next context: unnecessary chunks left, each guide brought in what is most like it (lines 29 to 39).

    Guides are the necessary chunks, or the certain ones where the settings say so; a chunk whose label is unclear or
    was not measured stays and brings nothing in.
    """
    step, config = course.steps[-1], course.config
    labelled = list(zip(step.context, step.labels, strict=True))
    left = tuple(Departure(chunk=number, why="unnecessary") for number, label in labelled if label == "unnecessary")
    kept = [number for number, label in labelled if label != "unnecessary"]
    guides = [number for number, label in labelled if label == config.refine]
    unread = [passage for passage in supply.pool if key(passage) not in visited]
    room = max(config.most_chunks - len(kept), 0)
    came = pick_arrivals(course, supply, guides[:room], unread, likeness)
    ended: Ending | None = None
    if not came and not left:
        ended = "unchanged" if not guides else "full" if not room else "exhausted"
    elif not kept:
        ended = "emptied"
    context = arranged(kept, came, course.case.profile.best_last)
    return Change(context=context, came=came, left=left, ended=ended)


def arranged(kept: Sequence[int], came: Sequence[Arrival], best_last: bool) -> tuple[int, ...]:
    """Return a context's chunks in their order, best first: new ones behind all, as algorithm 3 appends them.

    Where the profile puts the best passage next to the question, a new chunk stands beside its guide, and never last,
    which is farthest from the question.
    """
    if not best_last:
        return (*kept, *(arrival.chunk for arrival in came))
    order = list(kept)
    for arrival in came:
        place = order.index(arrival.guide) if arrival.guide in order else len(order)
        order.insert(min(place + 1, len(order) - 1), arrival.chunk)
    return tuple(order)


def pick_arrivals(
    course: RefinementSearch, supply: Supply, guides: Sequence[int], unread: Sequence[Passage], likeness: Likeness
) -> tuple[Arrival, ...]:
    """Return what each guide brings in, in order; a guide for which no unread chunk is left brings nothing."""
    if not guides or not unread:
        return ()
    cosines = likeness(course.passages(guides), unread)
    return tuple(
        Arrival(
            chunk=course.number(unread[column], supply.cut),
            why="refill",
            guide=guide,
            cosine=float(cosines[row, column]),
        )
        for row, (guide, column) in enumerate(zip(guides, refills(cosines), strict=True))
        if column is not None
    )


def build_result(course: RefinementSearch, ended: Ending, final: int, not_measured: str = "") -> DenseRagResult:
    """Return the result record."""
    return DenseRagResult(
        config=course.config,
        threshold_source=source_of(course.config.threshold == PAPER_THRESHOLD, course.config.fitted),
        chunks=tuple(course.chunks),
        cuttings=tuple(course.cuttings),
        steps=tuple(course.steps),
        ended=ended,
        final=final,
        not_measured=not_measured,
    )


def key(passage: Passage) -> tuple[str, str]:
    """Return what makes two chunks the same to a reader: title and text."""
    return passage.title, passage.text


def load(config: DenseRagConfig, plan: Plan) -> Load:
    """Return DENSE-RAG's load, at most: DENSE over the first context and over each of the search, all as large as read.

    Each context costs its answer and one look at "yes" and "no" besides. Rewordings by hand do not count here.
    """
    contexts = 1 + config.most_contexts
    one = dense.load(DenseConfig(draws=config.draws or DenseConfig().draws), plan)
    return Load(
        model_calls=contexts * (one.model_calls + 2),
        judge_pairs=contexts * one.judge_pairs,
        prompt_tokens=contexts * (one.prompt_tokens + 2 * plan.over_passages),
        new_tokens=contexts * (one.new_tokens + plan.profile.answer_tokens),
    )


def fits(result: DenseRagResult) -> bool:
    """Return whether every step names chunks and steps that are there, and has a label per chunk of its context."""
    chunks, steps = len(result.chunks), len(result.steps)
    named = [number for step in result.steps for number in step.context]
    named += [came.chunk for step in result.steps for came in step.came]
    named += [left.chunk for step in result.steps for left in step.left]
    named += [came.guide for step in result.steps for came in step.came if came.guide is not None]
    best = [result.final, *(step.best for step in result.steps if step.best is not None)]
    labelled = all(len(step.labels) == len(step.context) for step in result.steps)
    return labelled and all(0 <= n < chunks for n in named) and all(0 <= n < steps for n in best)


def headlines(result: DenseRagResult) -> tuple[str, ...]:
    """Return the entropy of the final and the first context, and the threshold."""
    final = f"steps.{result.final}.entropy"
    return tuple(dict.fromkeys((final, "steps.0.entropy", f"steps.{result.final}.evaluation.yes", "config.threshold")))


METHOD = Method(
    word="dense_rag",
    title="DENSE-RAG",
    question="Where the answer is unstable, does another cut or a refined context help?",
    paper="DENSE, section 5",
    icon="published_with_changes",
    config=DenseRagConfig,
    result=DenseRagResult,
    run=run,
    needs=partial(label_reach, "dense_rag"),
    load=load,
    fits=fits,
    settings=lambda result: result.config,
    thresholds=(dense.DSE,),
    headlines=headlines,
)
