"""What can be said of another pipeline's answer without asking its model again.

Each diagnosis is *exact* (all it needs was given), *bounded* (entropies are intervals, because only the likeliest
tokens or only the written one are known), *asked again* (it needs answers to other contexts or samples, which only a
local model can give: those are that model's answers, not this one's), or *impossible*. ETC (variant "paper",
section 4) and FLARE (section 3.2) read the given tokens; co-occurrence (QuCo-RAG, section 3) counts the answer's claims
in the given passages; a correct answer is looked for in the text.

The imported answer lives in a record of its own that says who wrote it. It never stands where this program's models'
answers stand.
"""

from dataclasses import dataclass
from typing import Literal

from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.text.base import TextTools
from engine.core.errors import RecordError
from engine.core.records import Generation, JudgedAnswer, Passage, Prompt, Token
from engine.diagnosis.traces.schema import Trace, TraceToken, passages_of
from engine.measures.answer_marks import is_right
from engine.measures.token_entropy import LARGEST_VOCABULARY, entropy_bounds_from_some, entropy_bounds_from_top_k
from engine.methods import METHODS
from engine.methods.entropy_trend import EntropyTrendConfig, EntropyTrendResult, build_result, tagged_words
from engine.methods.quco_claims import CheckedSentence, QucoConfig, answer_triplets, counted_claims
from engine.methods.timing import flare
from engine.methods.timing.base import PolicyTrace, TimingConfig, fired

NOT_TOLD = -1.0
NO_TOKENS = "The trace holds no token log-probabilities."
State = Literal["exact", "bounded", "asked again", "impossible"]
Entropies = Literal["exact", "bounded", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """What one diagnosis is for a trace: its word, its state, and why."""

    what: str
    state: State
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedAnswer:
    """An answer that no model of this program wrote: by whom, through what, and what was seen of it.

    ``question`` and ``passages`` are what it answers. ``generation`` holds its text and tokens in this program's form;
    its temperature −1 and seed −1 are *not told*. ``entropies`` says whether its tokens' entropies are exact, bounds or
    not there (NaN). ``right`` is None without a correct answer. ``trend`` and ``flare`` are None, with the reason,
    where the tokens do not allow them. ``claims`` are counted in the given passages only. ``notes``, ``trace_id`` and
    ``span_id`` as in the trace. ``judged`` is what the judge says where words call the answer wrong, () elsewhere.
    """

    written_by: str
    pipeline: str
    question: str
    passages: tuple[Passage, ...]
    generation: Generation
    entropies: Entropies
    vocabulary: int
    right: bool | None
    trend: EntropyTrendResult | None
    trend_reason: str
    flare: PolicyTrace | None
    flare_reason: str
    claims: tuple[CheckedSentence, ...]
    abilities: tuple[Ability, ...]
    notes: tuple[str, ...] = ()
    trace_id: str = ""
    span_id: str = ""
    judged: tuple[JudgedAnswer, ...] = ()


def read_answer(trace: Trace, tools: TextTools, counter: CorpusCounter) -> ImportedAnswer:
    """Return what can be said of a trace's answer; ``counter`` counts in its passages.

    Raises RecordError, with the place in the file, where a token's numbers belong to no distribution.
    """
    vocabulary = trace.vocabulary or LARGEST_VOCABULARY
    generation = generation_of(trace, vocabulary)
    entropies = entropies_of(trace)
    trend = trend_of(generation, tools) if entropies != "none" else None
    flare = flare_lane(generation, tools, TimingConfig()) if generation.tokens else None
    return ImportedAnswer(
        written_by=trace.answer.written_by,
        pipeline=trace.pipeline,
        question=trace.question,
        passages=passages_of(trace),
        generation=generation,
        entropies=entropies,
        vocabulary=vocabulary,
        right=is_right(trace.answer.text, trace.golds) if trace.golds else None,
        trend=trend,
        trend_reason="" if trend is not None else NO_TOKENS,
        flare=flare,
        flare_reason="" if flare is not None else NO_TOKENS,
        claims=claims_of(trace, tools, counter),
        abilities=trace_abilities(trace),
        notes=trace.notes,
        trace_id=trace.trace_id,
        span_id=trace.span_id,
    )


def entropies_of(trace: Trace) -> Entropies:
    """Return what is known of the entropies of a trace's tokens: all exact, some within bounds, or nothing."""
    tokens = trace.answer.tokens
    if not tokens:
        return "none"
    return "exact" if all(token.entropy is not None for token in tokens) else "bounded"


def generation_of(trace: Trace, vocabulary: int) -> Generation:
    """Return the imported answer in this program's form, entropies as intervals where they are known within bounds."""
    tokens: list[Token] = []
    for place, given in enumerate(trace.answer.tokens):
        start = tokens[-1].end if tokens else 0
        low, high = entropy_ends(given, place, vocabulary)
        end = start + len(given.text)
        tokens.append(
            Token(
                id=-1,
                text=given.text,
                start=start,
                end=end,
                logprob=min(given.logprob, 0.0),
                entropy=low,
                entropy_high=high,
            )
        )
    return Generation(
        prompt=Prompt(text=trace.prompt, chat=False),
        rendered=trace.prompt,
        prompt_tokens=0,
        text="".join(token.text for token in tokens) or trace.answer.text,
        tokens=tuple(tokens),
        stop_reason="length" if trace.answer.stop_reason == "length" else "end",
        temperature=NOT_TOLD,
        seed=-1,
    )


def entropy_ends(token: TraceToken, place: int, vocabulary: int) -> tuple[float, float | None]:
    """Return a token's entropy and None where it is exact, else the least and the most it can be, in nats.

    Raises RecordError with the token's place in the file where its numbers belong to no distribution.
    """
    if token.entropy is not None:
        return token.entropy, None
    top = [one.logprob for one in token.top]
    try:
        if not top:
            return entropy_bounds_from_some([token.logprob], vocabulary)
        return entropy_bounds_from_top_k(top, vocabulary, drawn=token.logprob)
    except ValueError as exc:
        where = f"answer.tokens.{place}.{'top' if top else 'logprob'}"
        raise RecordError(f"This trace cannot be read: {where}: {exc}.") from exc


def trend_of(generation: Generation, tools: TextTools) -> EntropyTrendResult:
    """Return ETC's reading of given tokens, variant "paper" with its threshold; no query, as no attention is known."""
    return build_result(generation, tagged_words(generation, tools), None, EntropyTrendConfig())


def flare_lane(generation: Generation, tools: TextTools, config: TimingConfig) -> PolicyTrace:
    """Return FLARE's reading of given tokens: each token's probability against θ, the query of its sentence."""
    bar = flare.POLICY.bar(config)
    spans = tools.sentences(generation.text)
    signals = tuple(signal for span in spans for signal in flare.by_token(generation, span, config.flare_mask))
    return PolicyTrace(policy=flare.POLICY.word, bar=bar, signals=signals, triggers=fired(signals, bar))


def claims_of(trace: Trace, tools: TextTools, counter: CorpusCounter) -> tuple[CheckedSentence, ...]:
    """Return the answer's claims with their evidence in the given passages; () without passages or answer."""
    answer = trace.answer.text.strip()
    if not trace.passages or not answer:
        return ()
    triplets = answer_triplets(answer, tools.entities(trace.question), tools, trace.question)
    return (CheckedSentence(text=answer, kind="short answer", claims=counted_claims(triplets, QucoConfig(), counter)),)


def trace_abilities(trace: Trace) -> tuple[Ability, ...]:
    """Return what each diagnosis is for a trace, from what it holds."""
    passages, golds = bool(trace.passages), bool(trace.golds)
    reading = "it reads the probability of each written token, which was given"
    no_effect = "it needs a correct answer, and none was given"
    return (
        ability("Right or wrong", "exact", golds, "compared with the correct answer", "no correct answer was given"),
        ability("FLARE", "exact", bool(trace.answer.tokens), reading, NO_TOKENS),
        trend_ability(trace, entropies_of(trace)),
        ability(
            "DRAGIN and ETC as released", "impossible", True, "they weigh by attention, which a trace does not hold"
        ),
        ability(
            "Co-occurrence of the answer's claims",
            "exact",
            passages and bool(trace.answer.text.strip()),
            "counted in the given passages",
            "there is no answer to count" if passages else "there are no passages to count in",
        ),
        ability(
            f"{METHODS['dense'].title}, {METHODS['dense_rag'].title}",
            "asked again",
            passages,
            "it needs answers to other contexts, which a local model gives in its own words",
            "there are no passages to put in other words",
        ),
        ability(
            "SePer, utility of single passages",
            "asked again",
            passages and golds,
            "it needs sampled answers, which a local model gives in its own words",
            no_effect if passages else "there are no passages whose effect could be measured",
        ),
        ability(
            "SUGAR, uncertainty baselines, retrieval timing",
            "asked again",
            True,
            "they need sampled answers and loops, which a local model makes",
        ),
    )


def ability(what: str, state: State, possible: bool, reason: str, why_not: str = "") -> Ability:
    """Return what a diagnosis is for a trace where it is possible, else why it is not."""
    return Ability(what=what, state=state if possible else "impossible", reason=reason if possible else why_not)


def trend_ability(trace: Trace, entropies: Entropies) -> Ability:
    """Return whether ETC can read the tokens, and how exactly."""
    if entropies == "none":
        return Ability(what="ETC", state="impossible", reason=NO_TOKENS)
    if entropies == "exact":
        return Ability(what="ETC", state="exact", reason="the entropy of every token was given")
    widest = min(len(token.top) for token in trace.answer.tokens if token.entropy is None)
    known = f"the {widest} likeliest tokens are" if widest else "only the written token is"
    reason = f"{known} known at each place, so entropies are intervals and a trigger may be undecided"
    return Ability(what="ETC", state="bounded", reason=reason)
