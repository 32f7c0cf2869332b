"""QuCo-RAG's evidence: how often does a corpus name these things, and do the two ends of each claim ever meet?

QuCo-RAG (section 3, eq. 2-4) on a corpus the user names. Entities and claims come from a parser instead of the paper's
fine-tuned extractor. Retrieval and regeneration are not part of this module.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engine.corpus_stats.base import Meeting
from engine.measures.co_occurrence import is_unsupported, mean_entity_count
from engine.methods.base import Backends, Case
from engine.methods.step_by_step import step_by_step_request
from engine.progress import Stage
from engine.records import Generation
from engine.text.base import Entity, TextTools, Triplet, sentence_kind

ANSWERS_QUESTION = "answer to the question"
SHORT_ANSWER_WORDS = 6
_YES_NO = re.compile(r"^\W*(yes|no|true|false)\W*$", re.IGNORECASE)
_ABSTAINS = re.compile(
    r"\b(i (do not|don't|don’t) know|(is|are|was) (not|un)\s?(known|clear|mentioned|specified|stated|given|provided)"
    r"|(does not|doesn't|doesn’t|do not|don't) (mention|specify|say|state|provide|contain|include|give)"
    r"|not (mentioned|specified|provided|available|enough)|no (information|answer|mention)"
    r"|cannot (be )?(answer|determin)|can't answer|unable to|unanswerable)"
    r"|^\W*(unknown|none|n/a)\W*$",
    re.IGNORECASE,
)


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


def run(case: Case, config: QucoConfig, backends: Backends) -> QucoResult:
    """Return the counts and the co-occurrence evidence for the question, the answer from memory and the short answer.

    Makes one generation (the step-by-step answer) and no judgement. ``report`` is called before each sentence.
    """
    backends.report(Stage(method="quco_rag", name="answering step by step", total=case.profile.step_tokens))
    request = step_by_step_request(case.question, case.profile)
    generation = backends.writer.generate([request], backends.report)[0]
    found = backends.text.entities(case.question)
    entities = tuple(_counted(entity, backends) for entity in _distinct(found))
    mean = mean_entity_count([each.count for each in entities])
    sentences = _sentences(generation.text, config, backends)
    sentences += _short_answer(case.answer, found, config, backends)
    claims = [claim for sentence in sentences for claim in sentence.claims]
    measured = not math.isnan(mean) or any(claim.supported is not None for claim in claims)
    return QucoResult(
        corpus=backends.counter.name,
        corpus_note=backends.counter.note,
        corpus_documents=backends.counter.documents,
        window=config.window,
        cooccurrence_threshold=config.cooccurrence_threshold,
        entities=entities,
        mean_count=None if math.isnan(mean) else mean,
        generation=generation,
        sentences=sentences,
        supported=sum(claim.supported is True for claim in claims),
        unsupported=sum(claim.supported is False for claim in claims),
        not_measured="" if measured else _reason(bool(entities or claims), backends),
    )


def _reason(named: bool, backends: Backends) -> str:
    """Return why nothing was counted."""
    if not named:
        return "Neither the question nor the answers name anything that could be counted in a corpus."
    if backends.counter.documents == 0:
        return "The corpus holds no documents, so there is nothing to count in."
    return f"Nothing that the question or the answers name could be counted in {backends.counter.name}."


def _sentences(text: str, config: QucoConfig, backends: Backends) -> tuple[CheckedSentence, ...]:
    """Return the sentences of the answer from memory, each with its claims; a conclusion has none (table 8)."""
    spans = backends.text.sentences(text)
    checked = []
    for done, span in enumerate(spans):
        backends.report(Stage(method="quco_rag", name="looking for evidence", done=done, total=len(spans) + 1))
        kind = sentence_kind(span.text)
        triplets = () if kind == "conclusion" else backends.text.triplets(span.text)
        checked.append(CheckedSentence(text=span.text, kind=kind, claims=_checked(triplets, config, backends)))
    return tuple(checked)


def _short_answer(
    generation: Generation, asked: tuple[Entity, ...], config: QucoConfig, backends: Backends
) -> tuple[CheckedSentence, ...]:
    """Return the short answer over the passages with its claims; nothing where it is empty.

    Where the length limit cut it, the last word may be half a word: it is not looked for.
    """
    answer = generation.text.strip()
    if generation.stop_reason == "length":
        answer = answer.rpartition(" ")[0].rstrip(" ,;:")
    if not answer:
        return ()
    backends.report(Stage(method="quco_rag", name="looking for evidence of the short answer"))
    triplets = _answer_triplets(answer, asked, backends.text)
    return (CheckedSentence(text=answer, kind="short answer", claims=_checked(triplets, config, backends)),)


def _answer_triplets(answer: str, asked: tuple[Entity, ...], tools: TextTools) -> tuple[Triplet, ...]:
    """Return what a short answer claims: its own triplets where it is a sentence, else that it answers the question.

    "Yes", "no" and "I don't know" name nothing, so they claim nothing that a corpus could hold.
    """
    if _YES_NO.match(answer) or _ABSTAINS.search(answer):
        return ()
    own = [
        triplet
        for span in tools.sentences(answer)
        if sentence_kind(span.text) == "fact"
        for triplet in tools.triplets(span.text)
    ]
    if own:
        return tuple(own)
    tails = _distinct(tools.entities(answer)) or _whole(answer, tools)
    return tuple(
        Triplet(head=head, relation=ANSWERS_QUESTION, tail=tail)
        for head in _distinct(asked)
        for tail in tails
        if head.text.casefold() != tail.text.casefold()
    )


def _whole(answer: str, tools: TextTools) -> tuple[Entity, ...]:
    """Return a short answer as one thing ("to the left"), nothing where it is long or a sentence with a verb."""
    words = [word for word in tools.words(answer) if any(letter.isalnum() for letter in word.text)]
    is_sentence = len(words) > 2 and any(word.pos in {"VERB", "AUX"} for word in words)
    if not words or len(words) > SHORT_ANSWER_WORDS or is_sentence:
        return ()
    start, end = words[0].start, words[-1].end
    return (Entity(text=answer[start:end], start=start, end=end, label="NOUN"),)


def _distinct(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return the entities in order, each name once, whatever its case."""
    seen: dict[str, Entity] = {}
    for entity in entities:
        seen.setdefault(entity.text.casefold(), entity)
    return tuple(seen.values())


def _counted(entity: Entity, backends: Backends) -> CountedEntity:
    """Return an entity with its count in the corpus."""
    return CountedEntity(entity=entity, count=backends.counter.count(entity.text))


def _checked(triplets: Iterable[Triplet], config: QucoConfig, backends: Backends) -> tuple[CountedClaim, ...]:
    """Return the claims with their evidence; one whose other end is open has only its head's count."""
    claims = []
    for triplet in triplets:
        head = _counted(triplet.head, backends)
        if triplet.tail is None:
            open_claim = CountedClaim(
                head=head, relation=triplet.relation, tail=None, documents=None, meetings=(), supported=None
            )
            claims.append(open_claim)
            continue
        evidence = backends.counter.co_occurrence(triplet.head.text, triplet.tail.text, config.window)
        unsupported = is_unsupported(evidence.documents, config.cooccurrence_threshold)
        claims.append(
            CountedClaim(
                head=head,
                relation=triplet.relation,
                tail=_counted(triplet.tail, backends),
                documents=evidence.documents,
                meetings=evidence.meetings[: config.meetings_shown],
                supported=None if unsupported is None else not unsupported,
            )
        )
    return tuple(claims)
