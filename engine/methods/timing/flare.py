"""FLARE: look up where the sentence just written ahead holds a token the model was not confident of.

FLARE (Jiang et al. 2023, section 3.2): a sentence with any token of probability below θ is rewritten over passages;
the query is the sentence without its words that hold a token below β, marked where one was left out. Variant "code" is
the re-implementation in DRAGIN's repository: the mean of 1 - p over the sentence must be above a threshold, the query
leaves out the tokens that are, and everything written over the passages stays. Its slice that reached into the next
sentence is mended.
"""

import math

from engine.backends.text.base import TextSpan
from engine.core.errors import CapabilityError
from engine.core.records import Generation, Token
from engine.measures.retrieval_timing import confident_text, doubt
from engine.methods.threshold import Threshold
from engine.methods.timing.base import DraftView, Policy, Signal

GAP = "…"


def judge(look: DraftView) -> tuple[Signal, ...]:
    """Return the probability of every token, or each sentence's mean doubt; the cut is where the sentence begins.

    Raises CapabilityError where the model gives no probabilities.
    """
    if not look.scene.backends.writer.capabilities.continued_logprobs:
        raise CapabilityError("FLARE reads the tokens' probabilities, which this model does not give.")
    config, written = look.scene.config, look.generation
    if config.variant == "code":
        return tuple(by_sentence(look, span) for span in look.sentences)
    return tuple(signal for span in look.sentences for signal in by_token(written, span, config.flare_mask))


def by_token(generation: Generation, span: TextSpan, mask: float) -> list[Signal]:
    """Return a signal for each token of a sentence: its probability; the query leaves out tokens below ``mask``."""
    tokens = tokens_in(generation, span)
    texts, chances = [token.text for _, token in tokens], [probability(token) for _, token in tokens]
    query = confident_text(texts, chances, mask, GAP) if tokens else ""
    return [
        Signal(
            token=place,
            start=token.start,
            end=token.end,
            cut=span.start,
            text=token.text,
            value=probability(token),
            query=query,
        )
        for place, token in tokens
    ]


def by_sentence(look: DraftView, span: TextSpan) -> Signal:
    """Return one signal for a sentence, at its last token, where its mean doubt is known."""
    tokens = tokens_in(look.generation, span)
    probabilities = [probability(token) for _, token in tokens]
    kept = 1.0 - look.scene.config.flare_doubt
    return Signal(
        token=tokens[-1][0],
        start=span.start,
        end=span.end,
        cut=span.start,
        text=span.text,
        value=doubt(probabilities),
        query=confident_text([token.text for _, token in tokens], probabilities, kept),
    )


def tokens_in(generation: Generation, span: TextSpan | Signal) -> list[tuple[int, Token]]:
    """Return (place, token) of the tokens whose text ends inside a sentence; half a character belongs to its end."""
    placed = enumerate(generation.tokens)
    return [(place, token) for place, token in placed if span.start < token.end <= span.end]


def probability(token: Token) -> float:
    """Return the probability of a token, in [0, 1]."""
    return min(1.0, math.exp(token.logprob))


CONFIDENCE = Threshold(
    word="flare",
    title="FLARE's θ",
    unit="probability",
    decides="A token below it makes FLARE look something up before its sentence.",
    paper="FLARE, section 3.2",
    group="While writing",
    fields=(("timing", "flare_probability"),),
    code_field="flare_doubt",
    code_unit="mean of 1 − probability",
    policy="flare",
    fitted=True,
    step=0.01,
    top=1.0,
    ends=True,
)
POLICY = Policy(
    word="flare",
    title="FLARE",
    summary="Is the model unsure of any token of the coming sentence?",
    paper="FLARE, section 3.2",
    after="sentence",
    after_code="all",
    threshold=CONFIDENCE,
    rule="below",
    rule_code="above",
    judge=judge,
    reads="probabilities",
)
