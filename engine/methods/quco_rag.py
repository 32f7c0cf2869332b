"""QuCo-RAG: how often does a corpus name these things, do the ends of each claim ever meet, and what follows from it?

QuCo-RAG (section 3, eq. 2-4). The default looks: the question's entities with the check before generation, and the
claims of the answer from memory and of the short answer with their evidence in a corpus. ``dynamic`` also runs the
whole loop, which retrieves and writes again. The corpus is the user's, or an index of pre-training texts over the
network where the user turns that on. Entities and claims come from a parser instead of the paper's fine-tuned
extractor, or from a language model the user names.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from engine.backends.corpus_stats.base import SENTENCE_WORDS
from engine.backends.text.base import Entity, TextTools, sentence_kind
from engine.core.progress import Stage
from engine.core.records import Generation
from engine.core.settings import check_settings
from engine.measures.co_occurrence import mean_entity_count
from engine.methods.base import Backends, Case
from engine.methods.cost import SENTENCE_TOKENS, Load, Plan, tokens_of
from engine.methods.descriptor import Method
from engine.methods.profiles import EMBEDDED
from engine.methods.quco_claims import (
    CheckedSentence,
    CountedClaim,
    CountedEntity,
    QucoConfig,
    answer_triplets,
    counted_claims,
    counted_entity,
    distinct_entities,
    share_of_documents,
    short_answer_text,
    whole_sentences,
)
from engine.methods.quco_extractor import Extraction, PromptedReader
from engine.methods.quco_loop import QucoLoop, run_loop
from engine.methods.quco_precheck import PreCheck, pre_check
from engine.methods.quco_prompts import claims_prompt
from engine.methods.reach import stepwise_reach
from engine.methods.step_by_step import step_by_step_foreseen, step_by_step_load, step_by_step_request
from engine.methods.threshold import Threshold

__all__ = ["CheckedSentence", "CountedClaim", "CountedEntity", "QucoConfig", "QucoResult", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QucoResult:
    """Counts and co-occurrence evidence for one question and its answers in one named corpus.

    ``window`` is in words or tokens; where ``window_share`` is above 0, two things met within that share of a
    document's words (None: an older record). ``mean_count`` over the question's countable entities (eq. 2), None where
    there is none. ``unsupported`` counts claims whose pair never meets. "No evidence in this corpus" is not "false".
    ``corpus_documents`` None = not known, as of an index of pre-training texts, where pairs are counted by place.
    ``pre_check`` None where that stage was switched off or the record is older than it; ``loop`` None where it was not
    asked for. ``extractor`` "" = parser.
    """

    method: Literal["quco_rag"] = "quco_rag"
    variant: Literal["paper", "code"] = "paper"
    corpus: str
    corpus_note: str
    corpus_documents: int | None
    window: int
    cooccurrence_threshold: int
    entities: tuple[CountedEntity, ...]
    mean_count: float | None
    generation: Generation
    sentences: tuple[CheckedSentence, ...]
    supported: int
    unsupported: int
    not_measured: str = ""
    counts_from: Literal["corpus", "infini-gram"] = "corpus"
    relation_check: bool = False
    partial_threshold: int = 0
    pre_check: PreCheck | None = None
    loop: QucoLoop | None = None
    extractor: str = ""
    extractions: tuple[Extraction, ...] = ()
    window_share: float | None = None


def run(case: Case, config: QucoConfig, backends: Backends) -> QucoResult:
    """Return the counts and the co-occurrence evidence for the question, the answer from memory and the short answer.

    Makes one generation (the step-by-step answer) and no judgement; the loop makes more where it is asked for, and a
    named extractor one per sentence. ``report`` is called before each sentence. Raises InputError on a setting that
    cannot be used.
    """
    check_settings(config, "QuCo-RAG")
    share = share_of_documents(config.window_share, case.profile, backends.counter)
    config = replace(config, window_share=share or 0.0)
    backends.report(Stage(method="quco_rag", name="answering step by step", total=case.profile.step_tokens))
    request = step_by_step_request(case.question, case.profile)
    generation = backends.writer.generate([request], backends.report)[0]
    prompted = PromptedReader(backends.extractor, backends.text, backends.report) if backends.extractor else None
    reader: TextTools = prompted or backends.text
    found = reader.entities(case.question)
    entities = tuple(counted_entity(entity, backends.counter) for entity in distinct_entities(found))
    check = pre_check(entities, config, backends.counter) if config.initial_check else None
    sentences = _sentences(generation, config, backends, reader)
    sentences += _short_answer(case, found, config, backends)
    loop = run_loop(case, config, backends, reader, generation, check) if config.dynamic else None
    return _result(config, backends, entities, generation, sentences, check, loop, prompted)


def _result(
    config: QucoConfig,
    backends: Backends,
    entities: tuple[CountedEntity, ...],
    generation: Generation,
    sentences: tuple[CheckedSentence, ...],
    check: PreCheck | None,
    loop: QucoLoop | None,
    prompted: PromptedReader | None,
) -> QucoResult:
    """Return the record, with the claims summed up."""
    claims = [claim for sentence in sentences for claim in sentence.claims]
    mean = mean_entity_count([each.count for each in entities])
    measured = not math.isnan(mean) or any(claim.supported is not None for claim in claims)
    return QucoResult(
        variant=config.variant,
        corpus=backends.counter.name,
        corpus_note=backends.counter.note,
        corpus_documents=backends.counter.documents,
        window=config.window,
        window_share=config.window_share,
        cooccurrence_threshold=config.cooccurrence_threshold,
        entities=entities,
        mean_count=None if math.isnan(mean) else mean,
        generation=generation,
        sentences=sentences,
        supported=sum(claim.supported is True for claim in claims),
        unsupported=sum(claim.supported is False for claim in claims),
        not_measured="" if measured else _reason(entities, claims, backends),
        counts_from="infini-gram" if backends.counter.kind == "pre-training index" else "corpus",
        relation_check=config.relation_check,
        partial_threshold=config.partial_threshold,
        pre_check=check,
        loop=loop,
        extractor=config.extractor if prompted else "",
        extractions=tuple(prompted.extractions) if prompted else (),
    )


def _reason(entities: tuple[CountedEntity, ...], claims: list[CountedClaim], backends: Backends) -> str:
    """Return why nothing was counted."""
    if not entities and not claims:
        return "The question names nothing that a corpus could count, and the answers claim no pair of names."
    if backends.counter.documents == 0:
        return "The corpus holds no documents, so there is nothing to count in."
    reasons = [entity.reason for entity in entities] + [claim.reason for claim in claims]
    given = dict.fromkeys(reason for reason in reasons if reason)
    bare = f"Nothing that the question or the answers name could be counted in {backends.counter.name}."
    return " ".join([bare, *list(given)[:1]])


def _sentences(
    generation: Generation, config: QucoConfig, backends: Backends, reader: TextTools
) -> tuple[CheckedSentence, ...]:
    """Return the sentences of the answer from memory with their claims; a conclusion or a cut sentence has none."""
    spans, whole = backends.text.sentences(generation.text), whole_sentences(generation, backends.text)
    checked = []
    for done, span in enumerate(spans):
        backends.report(Stage(method="quco_rag", name="looking for evidence", done=done, total=len(spans) + 1))
        kind = sentence_kind(span.text)
        triplets = () if kind == "conclusion" or span not in whole else reader.triplets(span.text)
        claims = counted_claims(triplets, config, backends.counter)
        checked.append(CheckedSentence(text=span.text, kind=kind, claims=claims))
    return tuple(checked)


def _short_answer(
    case: Case, asked: tuple[Entity, ...], config: QucoConfig, backends: Backends
) -> tuple[CheckedSentence, ...]:
    """Return the short answer over the passages with its claims; nothing where it is empty."""
    answer = short_answer_text(case.answer)
    if not answer:
        return ()
    backends.report(Stage(method="quco_rag", name="looking for evidence of the short answer"))
    triplets = answer_triplets(answer, asked, backends.text, case.question)
    claims = counted_claims(triplets, config, backends.counter)
    return (CheckedSentence(text=answer, kind="short answer", claims=claims),)


EXTRACTED_TOKENS = 60


def load(config: QucoConfig, plan: Plan) -> Load:
    """Return QuCo-RAG's load: ETC's step-by-step answer, free where ETC runs too; counting asks no model.

    The whole loop writes at most ``most_generations`` answers, the first of them the one from memory where nothing is
    looked up before it, each over the passages of one query. A named extractor reads every sentence that is checked.
    """
    alone = step_by_step_load(plan)
    memory = Load() if "entropy_trend" in plan.methods else alone
    written = config.most_generations if config.dynamic else 0
    over_passages = config.passages_per_query * math.ceil(plan.passage_tokens / max(plan.passages, 1))
    sentences = math.ceil(plan.profile.step_tokens / SENTENCE_TOKENS) * (1 + written) if config.extractor else 0
    return Load(
        model_calls=memory.model_calls + written + sentences,
        prompt_tokens=memory.prompt_tokens
        + written * (alone.prompt_tokens + over_passages)
        + sentences * (tokens_of(claims_prompt("").text) + SENTENCE_TOKENS),
        new_tokens=memory.new_tokens + written * alone.new_tokens + sentences * EXTRACTED_TOKENS,
    )


def loop_fits(loop: QucoLoop) -> bool:
    """Return whether every sentence of QuCo-RAG's loop names generations that are there, and every query its claim."""
    written = len(loop.generations)
    named = [number for step in loop.steps for number in (step.generation, step.rewritten_in) if number is not None]
    asked = all(
        lookup.claim is not None and 0 <= lookup.claim < len(step.claims)
        for step in loop.steps
        for lookup in step.lookups
    )
    return asked and all(0 <= number < written for number in named)


def fits(result: QucoResult) -> bool:
    """Return whether the loop, where there is one, fits together."""
    return result.loop is None or loop_fits(result.loop)


def settings_of(result: QucoResult) -> QucoConfig:
    """Return QuCo-RAG's settings: its own, its check's and its loop's."""
    return QucoConfig(
        variant=result.variant,
        window=result.window,
        window_share=share_of(result),
        cooccurrence_threshold=result.cooccurrence_threshold,
        relation_check=result.relation_check,
        partial_threshold=result.partial_threshold,
        extractor=result.extractor,
        **index_of(result),
        **check_of(result),
        **loop_of(result),
    )


def window_words(result: QucoResult) -> str:
    """Return how near to each other two things had to stand."""
    if not result.window_share:
        return f"{result.window:,} {'words' if result.counts_from == 'corpus' else 'tokens'}"
    return f"{result.window_share:.0%} of a document, at least {SENTENCE_WORDS} words"


def share_of(result: QucoResult) -> float | None:
    """Return the window's share of a document as a setting: None where it is the small profile's, or an index's."""
    if result.counts_from == "infini-gram" or result.window_share == EMBEDDED.window_share:
        return None
    return result.window_share or 0.0


def index_of(result: QucoResult) -> dict[str, Any]:
    """Return where QuCo-RAG counted, as fields of its settings. Who asks again turns the network on, or not."""
    return {"counts": "infini-gram", "infini_gram_index": result.corpus} if result.counts_from == "infini-gram" else {}


def check_of(result: QucoResult) -> dict[str, Any]:
    """Return the check before generation as fields of QuCo-RAG's settings; its threshold is a count or a percentile."""
    check = result.pre_check
    if check is None:
        return {"initial_check": False}
    fields: dict[str, Any] = {"aggregate": check.aggregate}
    if check.percentile is not None:
        fields["entity_percentile"] = check.percentile
    elif check.threshold is not None:
        fields["entity_threshold"] = round(check.threshold)
    return fields


def loop_of(result: QucoResult) -> dict[str, Any]:
    """Return the loop as fields of QuCo-RAG's settings; how much it may write is known where that ended it."""
    loop = result.loop
    if loop is None:
        return {}
    fields: dict[str, Any] = {"dynamic": True}
    if any(step.decision == "not checked" for step in loop.steps):
        fields["sentence_check"] = False
    if loop.ending == "limit":
        fields["most_generations"] = len(loop.generations)
    return fields


def headlines(result: QucoResult) -> tuple[str, ...]:
    """Return the usual numbers, and the documents of the first claim without evidence.

    Where no claim was judged, that none lacks evidence says nothing.
    """
    claims = [
        (f"sentences.{i}.claims.{j}.documents", claim.supported)
        for i, sentence in enumerate(result.sentences)
        for j, claim in enumerate(sentence.claims)
    ]
    failing = [address for address, supported in claims if supported is False]
    judged = any(supported is not None for _, supported in claims)
    return (
        *(("unsupported", "supported") if judged else ()),
        "mean_count",
        "cooccurrence_threshold",
        *(failing or [address for address, _ in claims])[:1],
    )


ENTITY = Threshold(
    word="tau_entity",
    title="τ_entity",
    unit="occurrences",
    decides="A question whose things are named less often is looked up before writing.",
    paper="QuCo-RAG, eq. 2",
    group="Evidence",
    fields=(("quco_rag", "entity_threshold"),),
    stored=("quco_rag.pre_check.threshold",),
    compared=("quco_rag.pre_check.value",),
    unmeasured="Not measured in this run: The check before writing was switched off.",
    step=1.0,
    top=10.0,
    below=True,
)
CO_OCCURRENCE = Threshold(
    word="tau_cooc",
    title="τ_cooc",
    unit="documents",
    decides="A claim whose ends meet in fewer documents has no evidence.",
    paper="QuCo-RAG, eq. 4",
    group="Evidence",
    fields=(("quco_rag", "cooccurrence_threshold"), ("timing", "cooccurrence_threshold")),
    stored=("quco_rag.cooccurrence_threshold",),
    compared=("quco_rag.sentences.*.claims.*.documents",),
    unmeasured="No claim of this run could be counted, so nothing is compared with it.",
    policy="quco_rag",
    step=1.0,
    top=5.0,
)
METHOD = Method(
    word="quco_rag",
    title="QuCo-RAG",
    question="Is there any evidence in a corpus for what it claims?",
    paper="QuCo-RAG, section 3",
    icon="join_inner",
    config=QucoConfig,
    result=QucoResult,
    run=run,
    foresees=step_by_step_foreseen,
    needs=partial(stepwise_reach, "quco_rag"),
    load=load,
    fits=fits,
    settings=settings_of,
    thresholds=(
        ENTITY,
        CO_OCCURRENCE,
    ),
    headlines=headlines,
)
