"""Claims and their evidence: how often a corpus names each end, and whether the two ends ever meet (QuCo-RAG eq. 3).

A claim comes from a sentence of an answer or from the short answer; who finds it (a parser, or a language model the
user names) is the caller's choice. The optional relation-aware check (appendix A.10) looks for "head relation tail" as
one phrase where the two ends do meet.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from engine.backends.corpus_stats.base import CorpusCounter, Meeting
from engine.backends.text.base import Entity, TextSpan, TextTools, Triplet, names_nobody, sentence_kind
from engine.core.records import Generation
from engine.core.settings import UpTo20
from engine.measures.abstention import no_answer, sentences, states_answer
from engine.measures.co_occurrence import Aggregate, is_unsupported
from engine.methods.profiles import Profile

ANSWERS_QUESTION = "answer to the question"
SHORT_ANSWER_WORDS = 6
SENTENCE_ENDS = tuple(".!?\"'”’)")
# "Second" stands in any text and names nothing by itself.
_NAMES_NOTHING = re.compile(
    r"^\W*(yes|no|true|false|none"
    r"|(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last))\W*$",
    re.IGNORECASE,
)


OccurrenceLimit = Annotated[int, Field(ge=0, le=10**15)]


@dataclass(frozen=True, slots=True, kw_only=True)
class QucoConfig:
    """How evidence is counted and what is done with it; thresholds as the paper's (sections 3.2 to 4.1) unless said.

    ``window``: in tokens of an index, start to start (the paper's 1,000). In a user's corpus, whose documents may be
    shorter, ``window_share`` of each document's words narrows it: None = the profile's, 0 = ``window`` in words.
    ``entity_threshold`` is a count, for a pre-training index; ``entity_percentile`` takes its place in a user's corpus
    (our choice). ``partial_threshold``: a claim without a tail fails where its head is named less often; 0 = never, as
    the paper has no rule (released code: 20). ``dynamic`` runs the whole loop; ``initial_check``, ``sentence_check``
    and ``relation_check`` switch its stages; the last is off, as it flags 88 % of the claims that the sample's articles
    state (``benchmarks/evidence.py``). ``counts`` "infini-gram" sends every name to a public service. ``extractor``
    names a language model that finds entities and claims with the paper's prompt; "" is the parser.
    """

    window: Annotated[int, Field(ge=0, le=100_000)] = 1000
    window_share: Annotated[float, Field(ge=0, le=1)] | None = None
    cooccurrence_threshold: Annotated[int, Field(ge=1, le=10**9)] = 1
    meetings_shown: int = 5
    variant: Literal["paper", "code"] = "paper"
    dynamic: bool = False
    initial_check: bool = True
    sentence_check: bool = True
    relation_check: bool = False
    aggregate: Aggregate = "mean"
    entity_threshold: OccurrenceLimit = 1000
    entity_percentile: Annotated[float, Field(gt=0, le=100)] = 75.0
    partial_threshold: OccurrenceLimit = 0
    passages_per_query: UpTo20 = 3
    most_generations: UpTo20 = 6
    counts: Literal["corpus", "infini-gram"] = "corpus"
    infini_gram_index: str = "v4_olmo-2-0325-32b-instruct_llama"
    extractor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedEntity:
    """An entity and how often the corpus names it; ``count`` None where it could not be counted, and why."""

    entity: Entity
    count: int | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedClaim:
    """A claim and its evidence: ``supported`` None = not measured, False = the pair never meets in this corpus.

    A partial claim (``tail`` None) has only its head's count. ``phrase_count``: occurrences of "head relation tail" as
    one phrase, None where that was not looked for or not measured. ``fails``: it calls for a retrieval (eq. 4, the
    relation-aware check, or a partial claim's threshold). ``reason`` says why it was not measured. ``nearest``: where
    the two ends stand in one document, yet never within the window, the fewest words between their starts.
    ``estimated``: ``documents`` is the source's own estimate, which can be several times too high or too low.
    """

    head: CountedEntity
    relation: str
    tail: CountedEntity | None
    documents: int | None
    meetings: tuple[Meeting, ...]
    supported: bool | None
    phrase_count: int | None = None
    fails: bool = False
    reason: str = ""
    nearest: int | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSentence:
    """A sentence of an answer, what kind it is, and its claims.

    "short answer" pairs the question's entities with the short answer over the passages.
    """

    text: str
    kind: Literal["question", "fact", "conclusion", "short answer"]
    claims: tuple[CountedClaim, ...]


def share_of_documents(asked: float | None, profile: Profile, counter: CorpusCounter) -> float | None:
    """Return the share of a document within which two things meet; None where the window is a number of words."""
    share = profile.window_share if asked is None else asked
    return share if share and counter.kind == "corpus" else None


def distinct_entities(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return each entity once, in order, whatever its letter case."""
    seen: dict[str, Entity] = {}
    for entity in entities:
        seen.setdefault(entity.text.casefold(), entity)
    return tuple(seen.values())


def counted_entity(entity: Entity, counter: CorpusCounter) -> CountedEntity:
    """Return an entity with its count in the corpus, or the reason why there is none."""
    count = counter.count(entity.text)
    return CountedEntity(entity=entity, count=count, reason=counter.why_not(entity.text) if count is None else "")


def counted_claims(triplets: Iterable[Triplet], config: QucoConfig, counter: CorpusCounter) -> tuple[CountedClaim, ...]:
    """Return the claims with their evidence, in order."""
    return tuple(_counted_claim(triplet, config, counter) for triplet in triplets)


def _counted_claim(triplet: Triplet, config: QucoConfig, counter: CorpusCounter) -> CountedClaim:
    """Return one claim with its evidence; one whose other end is open has only its head's count."""
    head = counted_entity(triplet.head, counter)
    if triplet.tail is None:
        return CountedClaim(
            head=head,
            relation=triplet.relation,
            tail=None,
            documents=None,
            meetings=(),
            supported=None,
            fails=is_unsupported(head.count, config.partial_threshold) is True,
            reason=head.reason,
        )
    evidence = counter.co_occurrence(triplet.head.text, triplet.tail.text, config.window, config.window_share or None)
    unsupported = is_unsupported(evidence.documents, config.cooccurrence_threshold)
    phrase = None
    if config.relation_check and unsupported is False:
        phrase = counter.count(f"{triplet.head.text} {triplet.relation} {triplet.tail.text}")
    return CountedClaim(
        head=head,
        relation=triplet.relation,
        tail=counted_entity(triplet.tail, counter),
        documents=evidence.documents,
        meetings=evidence.meetings[: config.meetings_shown],
        supported=None if unsupported is None else not unsupported,
        phrase_count=phrase,
        fails=unsupported is True or phrase == 0,
        reason=evidence.reason,
        nearest=evidence.nearest,
        estimated=evidence.approximate,
    )


def whole_sentences(generation: Generation, tools: TextTools) -> tuple[TextSpan, ...]:
    """Return a text's sentences without one that the length limit cut: its last word may be half ("office employe")."""
    spans = tools.sentences(generation.text)
    cut = generation.stop_reason == "length" and bool(spans) and not spans[-1].text.rstrip().endswith(SENTENCE_ENDS)
    return spans[:-1] if cut else spans


def short_answer_text(generation: Generation) -> str:
    """Return the words of a short answer; where the length limit cut it, without its last word, which may be a half."""
    answer = generation.text.strip()
    return answer.rpartition(" ")[0].rstrip(" ,;:") if generation.stop_reason == "length" else answer


def answer_triplets(
    answer: str, asked: tuple[Entity, ...], tools: TextTools, question: str = ""
) -> tuple[Triplet, ...]:
    """Return what a short answer claims: its own triplets where it is a sentence, else that it answers the question.

    "Yes", "no" and "I don't know" name nothing, so they claim nothing that a corpus could hold; a sentence that says
    so beside an answer ("Oslo. The text does not mention the year.") is left out. Two names of which one holds the
    other ("Leland", "Charlie Leland Rowland") always meet, so they are no claim; nor are two that stand side by side in
    the question, as "jaffa" and "cakes" do in "Is jaffa cakes a biscuit?".
    """
    if _NAMES_NOTHING.match(answer) or not states_answer(answer):
        return ()
    answer = "".join(" " * len(one) if no_answer(one) and not states_answer(one) else one for one in sentences(answer))
    own = [
        triplet
        for span in tools.sentences(answer)
        if sentence_kind(span.text) == "fact"
        for triplet in tools.triplets(span.text)
    ]
    if own:
        return tuple(own)
    named = [one for one in tools.entities(answer) if one.label != "NOUN" or not names_nobody(one.text.split()[-1])]
    tails = distinct_entities(named) or _short_answer_entity(answer, tools)
    return tuple(
        Triplet(head=head, relation=ANSWERS_QUESTION, tail=tail)
        for head in distinct_entities(asked)
        for tail in tails
        if not is_within(head.text, tail.text) and not is_within(tail.text, head.text)
        if not any(is_within(" ".join(pair), question) for pair in ((head.text, tail.text), (tail.text, head.text)))
    )


def is_within(part: str, whole: str) -> bool:
    """Return whether the words of one name stand in a row in another, so that each mention of that is one of it too.

    >>> is_within("Leland", "Charlie Leland Rowland"), is_within("Paris", "Paris"), is_within("Ann", "Anna Fell")
    (True, True, False)
    """
    inner, outer = (" ".join(re.findall(r"\w+", name.casefold())) for name in (part, whole))
    return bool(inner) and f" {inner} " in f" {outer} "


def _short_answer_entity(answer: str, tools: TextTools) -> tuple[Entity, ...]:
    """Return a short answer as one thing ("to the left"), nothing where it is long or a sentence with a verb.

    A role or a kind names nobody: "a clockmaker", "British football team".
    """
    words = [word for word in tools.words(answer) if any(letter.isalnum() for letter in word.text)]
    is_sentence = len(words) > 2 and any(word.pos in {"VERB", "AUX"} for word in words)
    if not words or len(words) > SHORT_ANSWER_WORDS or is_sentence:
        return ()
    if words[-1].text.islower() and names_nobody(words[-1].lemma or words[-1].text):
        return ()
    start, end = words[0].start, words[-1].end
    return (Entity(text=answer[start:end], start=start, end=end, label="NOUN"),)
